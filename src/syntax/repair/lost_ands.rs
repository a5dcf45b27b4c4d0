//! Two comparisons without a word between them: `at[a] = me at[b] = none`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// The signs of comparisons.
const COMPARISONS: [&str; 8] = ["=", "==", "!=", "<", "<=", ">", ">=", "in"];

/// Words after which a condition may begin.
const BEFORE: [&str; 11] =
    ["when", "if", "ensure", "where", "and", "or", "implies", "iff", "(", ":", "invariant"];

/// Words after which a condition may end.
const AFTER: [&str; 13] = [";", "and", "or", "implies", "iff", ")", "=>", "{", ",", "then", "else", ":", "}"];

impl FixFinder<'_> {
    /// Fixes of conditions that no word joins.
    pub fn lost_ands(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.and_between_comparisons());
    }

    /// Returns true if these words are one comparison.
    fn is_one_comparison(&self, from: usize, to: usize) -> bool {
        if from >= to {
            return false;
        }
        let text = self.text(from, to);
        let mut signs = 0;
        let mut at = from;
        while at < to {
            signs += usize::from(COMPARISONS.contains(&self.layout.text(at)));
            at = self.layout.partner(at).filter(|&close| close > at).unwrap_or(at) + 1;
        }
        signs == 1 && trial_parse(Rule::one_expr, text).is_ok_and(|end| end == text.len())
    }

    /// The first word of the condition that ends before the mistake.
    fn start_of_comparison(&self) -> Option<usize> {
        let first = self.bounds.first;
        let is_def = |&at: &usize| matches!(self.layout.text(at), "def" | "inductive");
        let head = (first..first + 2).find(is_def);
        let sign = head.and_then(|head| self.outside_brackets(head, &["="]));
        let mut at = self.bounds.at;
        while at > first {
            let before = at - 1;
            if sign == Some(before) {
                return Some(at);
            }
            let word = self.layout.text(before);
            if BEFORE.contains(&word) {
                // What stands in the brackets of a name are parameters or variables.
                let is_called = word == "(" && before > first && self.is_name(before - 1);
                return (!is_called).then_some(at);
            }
            match self.layout.words[before].kind {
                TokenKind::Close => at = self.layout.partner(before)?,
                TokenKind::Open => return None,
                _ if matches!(word, ";" | ",") => return None,
                _ => at = before,
            }
        }
        None
    }

    /// Rewrites `at[a] = me at[b] = none` to `at[a] = me and at[b] = none`.
    fn and_between_comparisons(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let in_end = self.bounds.place == ClauseContext::End;
        let is_place = in_end
            || self.in_move()
            || (first..first + 2).any(|at| matches!(self.layout.text(at), "def" | "inductive" | "invariant"));
        let begins = self.is_name(at) || self.is_number(at) || self.word == "#";
        // After `if` a `then` may be missing as well.
        let is_if = self.layout.text(self.bounds.clause) == "if";
        if !is_place || !begins || is_if || at <= first {
            return None;
        }
        let start = self.start_of_comparison()?;
        let end = self.outside_brackets(at, &AFTER)?;
        if !self.is_one_comparison(start, at) || !self.is_one_comparison(at, end) {
            return None;
        }
        // An outcome may be meant, or an effect on the next line.
        let is_outcome = in_end && self.layout.text(end) == ";";
        let sign = self.end_of_operand(at).map_or("", |sign| self.layout.text(sign));
        let is_effect = self.in_move()
            && self.layout.begins_line(at)
            && sign == "="
            && (self.outline().field(self.word).is_some() || self.layout.text(at + 1) == "[");
        if is_outcome || is_effect {
            return None;
        }
        let (left, right) = (self.text(start, at), self.text(at, end));
        let begin = self.range(at).0;
        let title = "an `and` is missing between two conditions";
        let fix = Fix::new((begin, begin), "and ", Code::E0013, title).at(self.here());
        // `and` binds tighter than `or`, and the body of a quantifier takes in what follows.
        let before = self.layout.text(start - 1);
        let looser = |word: &str| matches!(word, "or" | "implies" | "iff");
        let is_plain = !looser(before) && before != ":" && !looser(self.layout.text(end));
        let joined = format!("{left} and {right}");
        Some(match is_plain {
            true => fix.help(format!("write `{joined}`")),
            false => {
                let help =
                    format!("write `({joined})` if these two belong together; `or` joins less tightly");
                Fix { is_correction: false, ..fix.help(help) }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    const TITLE: &str = "an `and` is missing between two conditions";

    fn text(clause: &str) -> String {
        format!("players A, B;\nstate {{ n: 0..5 = 0; at[c: 1..2]: Player? = none; }}\n{clause}\n")
    }

    #[test]
    fn comparisons_are_joined() {
        for (old, new) in [
            ("when n + k <= 5 mover = A;", "when n + k <= 5 and mover = A;"),
            ("when n + k <= 5\n mover = A;", "when n + k <= 5\n and mover = A;"),
            ("when n <= 3 me = A;", "when n <= 3 and me = A;"),
            ("when at[1] = me at[2] = none;", "when at[1] = me and at[2] = none;"),
            ("when n = 1 at[n] != none;", "when n = 1 and at[n] != none;"),
            ("when (n = 1 k > 1) or k = 1;", "when (n = 1 and k > 1) or k = 1;"),
        ] {
            let body = |clause: &str| text(&format!("move up(k: 1..2) as \"{{k}}\" {{ {clause} n += k; }}"));
            assert_eq!(titles(&body(old)), [TITLE], "{old}");
            assert_eq!(mended(&body(old)), body(new));
        }
        let def = |value: &str| text(&format!("def f(k: 1..2) = {value};"));
        assert_eq!(mended(&def("n = 1 k > 1")), def("n = 1 and k > 1"));
    }

    #[test]
    fn no_joint_is_chosen_beside_or() {
        let body = text("move up(k: 1..2) as \"{k}\" { when n = 3 or n <= 2 k > 1; n += k; }");
        assert_eq!(titles(&body), [TITLE]);
        assert_eq!(mended(&body), body);
    }

    #[test]
    fn effects_and_variables_are_no_conditions() {
        for clause in ["when n = 1\n n = 3;", "when some c in 1..2 at[c] = me;", "when n = 3 k;"] {
            let body = text(&format!("move up(k: 1..2) as \"{{k}}\" {{ {clause} n += k; }}"));
            assert!(!titles(&body).contains(&TITLE.to_owned()), "{clause}");
        }
    }
}
