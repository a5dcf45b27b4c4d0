//! Items with another word or bracket: `const x(k: Card) = 3;`, `every move n += 1;`, `after move { ... }`,
//! `always n >= 0;`, `evaluate(p) = n;`, `expect legal go a1;`, and choices without `if` or `then`.

use super::edits::{Fix, FixFinder};
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

impl FixFinder<'_> {
    /// Fixes of items with another word or bracket.
    pub fn item_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.constant_with_round_brackets(),
            self.effects_of_every_move(),
            self.item_by_another_word(),
            self.evaluation_with_brackets(),
            self.claimed_move_without_brackets(),
            self.choice_with_a_colon(),
            self.choice_by_then(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `const x(k: Card) = 3;` to `const x[k: Card] = 3;`.
    fn constant_with_round_brackets(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_const = self.layout.text(first) == "const" && at == first + 2 && self.word == "(";
        let close = self.layout.partner(at).filter(|&close| is_const && close > at + 1)?;
        let new = format!("[{}]", self.text(at + 1, close));
        let range = (self.here().0, self.range(close).1);
        let title = "the keys of a table stand in square brackets";
        let help = format!("write `const {}{new}`", self.last);
        Some(Fix::new(range, &new, Code::E0013, title).help(help))
    }

    /// Rewrites `every move n += 1;` and `effect e() n := 1;` so that the effects stand in braces.
    fn effects_of_every_move(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_head = match self.layout.text(first) {
            "every" => at == first + 2 && self.layout.text(first + 1) == "move",
            "effect" => self.last == ")" && self.layout.partner(first + 2) == Some(at - 1),
            _ => false,
        };
        let end = self.outside_brackets(at, &[";", "{"]).filter(|_| is_head)?;
        if self.layout.text(end) == "{" {
            // `every move when f { ... }`
            let close =
                self.layout.partner(end).filter(|_| matches!(self.word, "when" | "if") && end > at + 1)?;
            let head = format!("{{ if {} ", self.text(at + 1, end));
            let new = format!("{head}{} }}", self.text(end, close + 1));
            let range = (self.here().0, self.range(close).1);
            let title = "what belongs to every move stands in braces, also its condition";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `every move {head}{{ ... }} }}`")));
        }
        let is_effect =
            self.outside_brackets(at, &[":=", "+=", "-=", "|=", "<-"]).is_some_and(|sign| sign < end);
        let is_line = is_effect && self.layout.item_end(first) <= end + 1;
        is_line.then(|| {
            let new = format!("{{ {} }}", self.text(at, end + 1));
            let range = (self.here().0, self.range(end).1);
            let fix = Fix::new(range, &new, Code::E0013, "effects stand in braces");
            fix.help(format!("write `{} {new}`", self.text(first, at)))
        })
    }

    /// Rewrites `after each move { ... }` to `every move { ... }`, and `always f;` to `invariant f;`.
    fn item_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_each = matches!(self.layout.text(first + 1), "each" | "every" | "any" | "a" | "the");
        let word = first + 1 + usize::from(is_each);
        let is_after = matches!(self.layout.text(first), "after" | "before" | "on" | "upon" | "each")
            && matches!(self.layout.text(word), "move" | "turn" | "ply")
            && self.layout.text(word + 1) == "{";
        if is_after && self.layout.text(first) != "before" && self.bounds.at <= word {
            let range = (self.range(first).0, self.range(word).1);
            let title = "what belongs to every move is `every move { ... }`";
            return Some(
                Fix::new(range, "every move", Code::E0013, title).help("write `every move { ... }`"),
            );
        }
        let end = self.outside_brackets(first, &[";"]).filter(|&end| end > first + 1)?;
        let value = self.text(first + 1, end);
        let is_term = || trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len());
        let is_always = matches!(self.layout.text(first), "always" | "assume" | "require" | "ensures");
        if is_always && self.bounds.at <= first + 1 && is_term() {
            let title = "what holds in all positions is an `invariant`";
            let fix = Fix::new(self.range(first), "invariant", Code::E0013, title);
            return Some(fix.help(format!("write `invariant {value};`")));
        }
        let is_guess = matches!(self.layout.text(first), "heuristic" | "evaluation" | "eval" | "estimate");
        let is_of_a_player =
            self.is_name(first + 1) && self.layout.text(first + 2) == ":" && self.bounds.at <= first + 1;
        (is_guess && is_of_a_player).then(|| {
            let title = "a value for the search is told by `evaluate`";
            let fix = Fix::new(self.range(first), "evaluate", Code::E0013, title);
            fix.help(format!("write `evaluate {value};`"))
        })
    }

    /// Rewrites `evaluate(p) = n;` to `evaluate p: n;`.
    fn evaluation_with_brackets(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_head =
            self.layout.text(first) == "evaluate" && at == first + 1 && matches!(self.word, "(" | "[");
        let close =
            self.layout.partner(at).filter(|&close| is_head && close == at + 2 && self.is_name(at + 1))?;
        let sign = matches!(self.layout.text(close + 1), "=" | ":" | ":=" | "=>");
        sign.then(|| {
            let new = format!(" {}:", self.layout.text(at + 1));
            let range = (self.gap().0, self.range(close + 1).1);
            let title = "an evaluation names its player, and after a `:` the number for that player";
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, range.1));
            fix.help(format!("write `evaluate{new} ...;`"))
        })
    }

    /// Rewrites `expect legal go a1;` to `expect legal go(a1);`.
    fn claimed_move_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_claim = matches!(self.layout.text(at.checked_sub(2)?), "legal" | "illegal");
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_claim && self.is_name(at - 1))?;
        let arguments: Vec<&str> =
            (at..end).filter(|&at| self.layout.text(at) != ",").map(|at| self.layout.text(at)).collect();
        let are_plain =
            (at..end).all(|at| self.is_name(at) || self.is_number(at) || self.layout.text(at) == ",");
        (are_plain && !arguments.is_empty() && !arguments.contains(&"with")).then(|| {
            let new = format!("{}({})", self.last, arguments.join(", "));
            let range = (self.range(at - 1).0, self.range(end - 1).1);
            let title = "the arguments of a move stand in brackets";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Rewrites the term `if f: a else b` to `if f then a else b`.
    fn choice_with_a_colon(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |&at: &usize| matches!(self.layout.text(at), "if" | "then" | ":" | ";" | "{");
        let before = (self.bounds.clause..at).rev().find(is_word).filter(|_| self.word == ":")?;
        let is_term = self.layout.text(before) == "if" && !(self.in_move() && before == self.bounds.clause);
        let has_else =
            self.outside_brackets(at + 1, &["else", ";"]).is_some_and(|at| self.layout.text(at) == "else");
        (is_term && has_else).then(|| {
            let title = "the `if` of a term has `then` and `else`";
            let range = (self.gap().0, self.here().1);
            let fix = Fix::new(range, " then", Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help("write `then` in place of `:`") }
        })
    }

    /// Rewrites the term `f then a else b` to `if f then a else b`.
    fn choice_by_then(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |&at: &usize| {
            matches!(
                self.layout.text(at),
                "if" | "else" | "then" | ":" | ";" | "{" | ":=" | "=>" | "when" | "for" | "("
            )
        };
        let is_def = matches!(self.layout.text(self.bounds.first), "def" | "const");
        let sign = match is_def {
            true => self.outside_brackets(self.bounds.first, &["="]).filter(|&sign| sign < at),
            false => (self.bounds.clause..at).rev().find(is_word),
        };
        let sign = sign.filter(|_| self.word == "then")?;
        let is_free = !(sign + 1..at).any(|at| matches!(self.layout.text(at), "if" | "else" | "then" | "("));
        let begins = is_def && is_free || matches!(self.layout.text(sign), ":=" | "else") && sign + 1 < at;
        let has_else =
            self.outside_brackets(at + 1, &["else", ";"]).is_some_and(|at| self.layout.text(at) == "else");
        (begins && has_else && sign + 1 < at).then(|| {
            let start = self.range(sign + 1).0;
            let title = "a choice between two terms begins with `if`";
            let fix = Fix::new((start, start), "if ", Code::E0013, title).at((start, self.here().1));
            let help = format!("write `if {} then ... else ...`", self.text(sign + 1, at));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    #[test]
    fn items_have_their_words() {
        for (theirs, ours) in [
            ("const worth(k: Card) = 3;", "const worth[k: Card] = 3;"),
            ("every move n += 1;", "every move { n += 1; }"),
            ("effect e(c: Cell) at[c] := none;", "effect e(c: Cell) { at[c] := none; }"),
            ("every move when n > 0 { n -= 1; }", "every move { if n > 0 { n -= 1; } }"),
            ("after move { n += 1; }", "every move { n += 1; }"),
            ("always n >= 0;", "invariant n >= 0;"),
            ("evaluate(p) = n;", "evaluate p: n;"),
            ("heuristic p: n;", "evaluate p: n;"),
            ("expect legal go a1, b1;", "expect legal go(a1, b1);"),
            ("def f = if n = 1: 2 else 3;", "def f = if n = 1 then 2 else 3;"),
            ("def f = n > 1 then 2 else 3;", "def f = if n > 1 then 2 else 3;"),
        ] {
            assert_eq!(mended(&format!("game \"G\";\n{theirs}\n")), format!("game \"G\";\n{ours}\n"));
        }
    }
}
