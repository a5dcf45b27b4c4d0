//! Clauses whose parts stand in another order, or with a name too many: `deal by chance setup;`, `param n := 4 in 1..6;`,
//! `let Piece(owner, kind) = at[c];`, `deck.draw()`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

impl FixFinder<'_> {
    /// Fixes and explanations of clauses in another order.
    pub fn swapped_parts(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.setup_behind_its_phase(),
            self.parameter_with_its_range_behind(),
            self.record_taken_apart(),
            self.drawn_by_a_call(),
            self.keyword_for_a_name(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `deal by chance setup;` and `deal setup by chance;` to `setup deal by chance;`.
    fn setup_behind_its_phase(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_phase =
            self.bounds.place == ClauseContext::Phases && self.word == "setup" && self.is_name(clause);
        let next = self.layout.text(at + 1);
        let is_ended = next == ";" || next == "by" && at == clause + 1;
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_phase && is_ended && at > clause)?;
        let rest = if end > at + 1 { format!(" {}", self.text(at + 1, end)) } else { String::new() };
        let new = format!("setup {}{rest}", self.text(clause, at));
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "`setup` stands before the name of its phase";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new};`")) })
    }

    /// Rewrites `param n := 4 in 1..6;` to `param n: 1..6 = 4;`.
    fn parameter_with_its_range_behind(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let sign = first + 2;
        let is_param = self.layout.text(first) == "param"
            && self.is_name(first + 1)
            && matches!(self.layout.text(sign), ":=" | "=")
            && self.bounds.at >= sign;
        let end = self.outside_brackets(sign, &[";"]).filter(|_| is_param)?;
        let of = self.outside_brackets(sign + 1, &["in", "from", "of"]).filter(|&of| of > sign + 1)?;
        if of + 1 >= end || self.bounds.at > of {
            return None;
        }
        let (value, ty) = (self.text(sign + 1, of), self.text(of + 1, end));
        let is_whole = |rule: Rule, text: &str| trial_parse(rule, text).is_ok_and(|end| end == text.len());
        if !is_whole(Rule::one_expr, value) || !is_whole(Rule::one_type, ty) {
            return None;
        }
        let new = format!("{}: {ty} = {value}", self.layout.text(first + 1));
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        let title = "a parameter is its name, its type after `:`, and its value after `=`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(sign));
        Some(fix.help(format!("write `param {new};`")))
    }

    /// Rewrites `let Piece(owner, kind) = at[c];` to `let (owner, kind) = at[c];`.
    fn record_taken_apart(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let (name, open) = (clause + 1, clause + 2);
        let is_let = self.layout.text(clause) == "let" && self.layout.text(open) == "(";
        let close =
            self.layout.partner(open).filter(|&close| is_let && self.layout.text(close + 1) == "=")?;
        let outline = self.outline();
        let parts = outline.parts_of(self.layout.text(name));
        let names: Vec<&str> = self.text(open + 1, close).split(',').map(str::trim).collect();
        let is_plain =
            (open + 1..close).all(|at| self.is_name(at) || matches!(self.layout.text(at), "," | "_"));
        if parts.len() != names.len() || !is_plain || self.bounds.at > close + 1 {
            return None;
        }
        let title = "a record is taken apart by names in brackets, without the name of the record";
        let range = (self.range(name).0, self.range(open).0);
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(name));
        Some(fix.help(format!("write `let ({}) = ...;`", names.join(", "))))
    }

    /// Explains `hand[p] := deck.draw();`.
    fn drawn_by_a_call(&self) -> Option<Fix> {
        let is_call =
            |&at: &usize| self.layout.text(at) == "draw" && self.layout.text(at.wrapping_sub(1)) == ".";
        let from = self.bounds.at.saturating_sub(2);
        let at = (from..self.bounds.at + 3).find(is_call)?;
        let owner = at.checked_sub(2).filter(|&owner| owner > self.bounds.clause)?;
        let close = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "(")?;
        if !self.is_name(owner) {
            return None;
        }
        let first = self.bounds.first;
        let chance = (first..first + 3).find(|&at| self.layout.text(at) == "chance");
        let outline = self.outline();
        let chosen = chance.map(|chance| outline.parameter_names(self.layout.text(chance + 1)));
        let help = match chosen.as_deref() {
            Some([name]) => format!("chance chooses `{name}` here: write `{name}`"),
            _ => "what chance draws is the parameter of a move: `chance deal(c: Card) in PHASE { hand[mover] := c; }`"
                .to_owned(),
        };
        let title = format!("nothing is drawn by a call: there is no `{}.draw`", self.layout.text(owner));
        let range = (self.range(owner).0, self.range(close).1);
        Some(explained(range, DAMAGE_MARKER, &title, help))
    }

    /// Rewrites a reserved word in the place of a value to the only name of the file with one letter more: `in` to `inn`.
    fn keyword_for_a_name(&self) -> Option<Fix> {
        let is_place = |at: usize| {
            let before = self.layout.text(at.wrapping_sub(1));
            matches!(before, "=>" | "=" | ":=" | "!=")
                && matches!(self.layout.text(at + 1), ";" | "," | "}" | ")" | "]")
        };
        let places = [Some(self.bounds.at), self.bounds.at.checked_sub(1)];
        let at = places.into_iter().flatten().find(|&at| is_place(at) && at > self.bounds.first)?;
        let word = self.layout.text(at);
        // `none` and `me` are reserved words, and values.
        if !keywords::is_reserved(word) || trial_parse(Rule::one_expr, word).is_ok() {
            return None;
        }
        let outline = self.outline();
        let [name] = outline.names_with_one_letter_more(word)[..] else { return None };
        let title = format!("`{word}` is a reserved word and no value: did you mean `{name}`?");
        Some(Fix::new(self.range(at), name, Code::E0013, title).help(format!("write `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn assert_mended(theirs: &str, ours: &str) {
        assert_eq!(titles(theirs).len(), 1, "{theirs}: {:?}", titles(theirs));
        assert_eq!(mended(theirs), ours);
        assert!(titles(ours).is_empty(), "{ours}");
    }

    #[test]
    fn setup_stands_before_its_phase() {
        let ours = "phases { setup deal by chance; swap; draw_card by chance; }\n";
        assert_mended("phases { deal by chance setup; swap; draw_card by chance; }\n", ours);
        assert_mended("phases { deal setup by chance; swap; draw_card by chance; }\n", ours);
    }

    #[test]
    fn the_range_of_a_parameter_stands_before_its_value() {
        let ours = "param purse: 1..6 = 4;\nplayers A, B;\n";
        assert_mended("param purse := 4 in 1..6;\nplayers A, B;\n", ours);
        assert_mended("param purse = 4 in 1..6;\nplayers A, B;\n", ours);
    }

    #[test]
    fn a_record_is_taken_apart_by_names() {
        let text = |pattern: &str| {
            format!(
                "record Piece(owner: Player, kind: Kind);\nmove go(c: Cell) {{ let {pattern} = at[c]; when owner = me; n := 1; }}\n"
            )
        };
        assert_mended(&text("Piece(owner, kind)"), &text("(owner, kind)"));
        assert_mended(&text("Piece(owner, _)"), &text("(owner, _)"));
    }

    #[test]
    fn nothing_is_drawn_by_a_call() {
        let text = "chance take(c: Card) in deal { hand[mover] := deck.draw(); next other(mover); }\n";
        assert_eq!(titles(text), ["nothing is drawn by a call: there is no `deck.draw`"]);
        assert_eq!(helps(text), ["chance chooses `c` here: write `c`"]);
        assert_eq!(mended(text), text);
    }

    #[test]
    fn a_reserved_word_may_be_a_name_with_a_letter_too_few() {
        let text = |name: &str| {
            format!(
                "board Town = graph {{ gate - inn; inn - well; }};\nstate {{ cop[k: Cop]: Town = match k {{ tall => gate, short => {name} }}; }}\n"
            )
        };
        assert_mended(&text("in"), &text("inn"));
    }
}
