//! Other signs between the parts of a clause: `def done => c;`, `k from 1 to 2`, `takes me`, `draw: c;`,
//! `place[p: Player][s: Sled]`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

impl FixFinder<'_> {
    /// Fixes of signs between the parts of a clause.
    pub fn lost_signs(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.sign_of_a_value(),
            self.range_from_words(),
            self.key_of_a_table_apart(),
            self.outcome_and_its_sign(),
            self.keys_in_several_brackets(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Returns true if these words are a term.
    fn is_whole_term(&self, from: usize, to: usize) -> bool {
        let text = self.text(from, to);
        from < to && trial_parse(Rule::one_expr, text).is_ok_and(|end| end == text.len())
    }

    /// Rewrites `def done => c;` and `const worth => [3, 1];` to `def done = c;` and `const worth = [3, 1];`.
    fn sign_of_a_value(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let head = (first..=at).find(|&at| !self.layout.text(at).starts_with("///"))?;
        let kind = match self.layout.text(head) {
            "def" | "inductive" => "definition",
            "const" => "constant",
            _ => return None,
        };
        let sign = self.end_of_operand(head + 1)?;
        let end = self.outside_brackets(sign, &[";"]).filter(|&end| sign <= at && at <= end)?;
        let signs = (1..=3).rev().find(|&length| {
            let text = self.text(sign, sign + length);
            matches!(text, "=>" | "==>" | "->" | "is")
        })?;
        let from = sign + signs;
        let is_arrow = self.text(sign, from) == "->";
        // A type may stand after `->`.
        let is_type = is_arrow
            && (!self.is_whole_term(from, end)
                || end == from + 1
                || (from..end).any(|at| self.layout.text(at) == "..")
                || self.layout.text(from + 1) == "="
                    && self.outline().field(self.layout.text(from)).is_none());
        (from < end && !is_type).then(|| {
            let title = format!("what a {kind} stands for follows `=`");
            let range = (self.range(sign).0, self.range(from - 1).1);
            let fix = Fix::new(range, "=", Code::E0013, title);
            let help = format!("write `{} = ...;`", self.text(head, sign));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `k from 1 to 2` to `k: 1..2` in the head of a move, and to `k in 1..2` elsewhere.
    fn range_from_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let from = (at.saturating_sub(1)..=at).find(|&at| self.layout.text(at) == "from")?;
        let to = self.outside_brackets(from + 1, &["to", ",", ")", "{", ";", ":"])?;
        let end = self.outside_brackets(to + 1, &[",", ")", "{", ":", ";", "where"])?;
        let is_range = self.layout.text(to) == "to"
            && from > self.bounds.first
            && self.is_name(from - 1)
            && self.is_whole_term(from + 1, to)
            && self.is_whole_term(to + 1, end);
        let before = self.layout.text(from.checked_sub(2)?);
        let is_head = self.bounds.place == ClauseContext::Top
            && matches!(before, "(" | ",")
            && matches!(self.layout.text(end), "," | ")");
        let is_loop =
            matches!(before, "for" | "some" | "all" | "no" | "one" | "sum" | "count" | "min" | "max");
        if !is_range || !(is_head || is_loop) {
            return None;
        }
        let range_text = format!("{}..{}", self.text(from + 1, to), self.text(to + 1, end));
        let name = self.layout.text(from - 1);
        let new = if is_head { format!(": {range_text}") } else { format!(" in {range_text}") };
        let range = (self.range(from - 1).1, self.range(end - 1).1);
        let title = format!("a range is written with two dots: `{range_text}`");
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(from).0, range.1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{name}{new}`")) })
    }

    /// Rewrites `takes me` to `takes[me]` for a constant with a key or a list.
    fn key_of_a_table_apart(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let name = self.last;
        let is_place = self.in_move()
            || self.bounds.place == ClauseContext::End
            || matches!(self.layout.text(self.bounds.first), "def" | "inductive" | "invariant");
        let is_key = (self.is_name(at) || self.is_number(at)) && at > self.bounds.clause + 1;
        if !is_place || !is_key || self.layout.text(at - 2) == "." || self.touches(at - 1) {
            return None;
        }
        let outline = self.outline();
        let is_list = outline.is_list(name);
        let is_table = outline.has_words(&["const", name, "["]) && outline.has_table(name);
        let end = self.end_of_operand(at).filter(|_| is_list || is_table)?;
        let new = format!("[{}]", self.text(at, end));
        let (what, key) = if is_list { ("list", "number") } else { ("table", "key") };
        let title = format!("`{name}` is a {what}: its {key} stands in square brackets");
        let range = (self.gap().0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{name}{new}`")))
    }

    /// Rewrites `draw: c;`, `draw unless c;` and `wins(A) :- c.` to `when c => draw;`.
    fn outcome_and_its_sign(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        if self.bounds.place != ClauseContext::End || at > clause + 4 {
            return None;
        }
        let (first, second) = (self.layout.text(clause), self.layout.text(clause + 1));
        let is_verdict = |word: &str| matches!(word, "wins" | "loses");
        let (outcome, sign) = match () {
            () if matches!(first, "draw" | "win" | "lose") => (first.to_owned(), clause + 1),
            () if self.is_name(clause) && is_verdict(second) => (format!("{first} {second}"), clause + 2),
            () if is_verdict(first) && second == "(" => {
                let close = self.layout.partner(clause + 1)?;
                (format!("{} {first}", self.text(clause + 2, close)), close + 1)
            }
            () => return None,
        };
        let from = match (self.layout.text(sign), self.layout.text(sign + 1)) {
            (":", "-") => sign + 2,
            (":" | ":-" | "unless" | "<=" | "<-", _) => sign + 1,
            _ => return None,
        };
        let end = self.outside_brackets(from, &[";", "}", "=>"])?;
        let has_dot = self.layout.text(end) == "}" && self.layout.text(end - 1) == ".";
        let to = end - usize::from(has_dot);
        let last = if self.layout.text(end) == ";" { end } else { end - 1 };
        if self.layout.text(end) == "=>" || !self.is_whole_term(from, to) {
            return None;
        }
        let condition = match self.layout.text(sign) {
            "unless" => self.opposite(from, to),
            _ => self.text(from, to).to_owned(),
        };
        let new = format!("when {condition} => {outcome};");
        let range = (self.range(clause).0, self.range(last).1);
        let title = "an outcome is written `when ... => X wins;`";
        let fix = Fix::new(range, &new, Code::E0005, title).at((range.0, self.range(from - 1).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) })
    }

    /// Rewrites `place[p: Player][s: Sled]` and `place[p: Player](s: Sled)` to `place[p: Player, s: Sled]`.
    fn keys_in_several_brackets(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_field = self.bounds.place == ClauseContext::State && at > clause + 1;
        let close = self.layout.partner(at).filter(|_| is_field && matches!(self.word, "[" | "("))?;
        let open = self.layout.partner(at - 1).filter(|&open| self.last == "]" && open == clause + 1)?;
        let typed = |at: usize| self.is_name(at + 1) && self.layout.text(at + 2) == ":";
        if !typed(open) || !typed(at) || self.layout.text(close + 1) != ":" {
            return None;
        }
        let new = format!("[{}, {}]", self.text(open + 1, at - 1), self.text(at + 1, close));
        let name = self.layout.text(clause);
        let range = (self.range(open).0, self.range(close).1);
        let title = "all keys of a field stand in one pair of brackets";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{name}{new}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn check(old: &str, new: &str) {
        let text = |items: &str| {
            format!("players A, B;\nconst worth = [3, 1];\nconst takes[p: Player]: 1..2 = 1;\n{items}\n")
        };
        assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        assert_eq!(mended(&text(old)), text(new), "{old}: {:?}", titles(&text(old)));
    }

    #[test]
    fn values_follow_their_sign() {
        for sign in ["=>", "->", "is"] {
            check(&format!("def done {sign} n < 5;"), "def done = n < 5;");
            check(&format!("const most {sign} [3, 1];"), "const most = [3, 1];");
        }
    }

    #[test]
    fn ranges_have_two_dots() {
        let text = |head: &str| format!("move up({head}) as \"{{k}}\" {{ n += k; }}");
        check(&text("k from 1 to 2"), &text("k: 1..2"));
        let text = |head: &str| format!("move up(k: 1..2) as \"{{k}}\" {{ {head} {{ m[i] := k; }} }}");
        check(&text("for i from 1 to size"), &text("for i in 1..size"));
    }

    #[test]
    fn keys_stand_in_square_brackets() {
        let text = |term: &str| format!("move up(k: 1..2) as \"{{k}}\" {{ when k <= {term}; n += k; }}");
        check(&text("takes me"), &text("takes[me]"));
        check(&text("worth k"), &text("worth[k]"));
        let text = |keys: &str| format!("state {{ place{keys}: 0..4 = 0; }}");
        check(&text("[p: Player][s: 1..2]"), &text("[p: Player, s: 1..2]"));
        check(&text("[p: Player](s: 1..2)"), &text("[p: Player, s: 1..2]"));
    }

    #[test]
    fn conditions_stand_before_their_outcome() {
        let text = |rule: &str| format!("end {{ {rule} }}");
        check(&text("draw: n = 5;"), &text("when n = 5 => draw;"));
        check(&text("draw unless n < 5;"), &text("when not (n < 5) => draw;"));
        check(&text("draw :- n = 5;"), &text("when n = 5 => draw;"));
        check(&text("A wins unless n = 4;"), &text("when n != 4 => A wins;"));
    }

    #[test]
    fn conditions_and_effects_are_not_mixed() {
        let text = |clause: &str| format!("move up(k: 1..2) as \"{{k}}\" {{ n += k; {clause} }}");
        check(&text("when last := me;"), &text("when last := me;"));
    }

    #[test]
    fn values_that_read_the_state_are_definitions() {
        let text = |item: &str| format!("state {{ n: 0..5 = 0; }}\n{item}");
        check(&text("done = n = 5;"), &text("def done = n = 5;"));
    }
}
