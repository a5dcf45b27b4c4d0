//! Conditions of a move in the forms of other clauses: `n + k <= 9;` without `when`, `when if f then g;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The signs of comparisons that no effect has.
const COMPARISONS: [&str; 7] = ["==", "!=", "<", "<=", ">", ">=", "="];

impl FixFinder<'_> {
    /// Fixes and explanations of conditions without `when`.
    pub fn bare_conditions(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.comparison_as_a_clause());
        fixes.extend(self.field_as_a_clause());
    }

    /// Explains `seen[c];` in a move, where the field is true or false.
    fn field_as_a_clause(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_clause = self.in_move() && self.word == ";" && at > clause && self.is_name(clause);
        let name = self.layout.text(clause);
        let field = self.outline().field(name).filter(|_| is_clause)?;
        let is_whole = match field.keys.is_empty() {
            true => at == clause + 1,
            false => self.layout.text(clause + 1) == "[" && self.layout.partner(clause + 1) == Some(at - 1),
        };
        let term = self.text(clause, at);
        (is_whole && field.ty == ["bool"]).then(|| {
            let range = (self.range(clause).0, self.range(at - 1).1);
            let title = format!("`{term}` is neither a condition nor an effect here");
            let help = format!("write `when {term};` if it must hold, `{term} := true;` if the move sets it");
            explained(range, &format!("when {term}"), &title, help)
        })
    }

    /// Rewrites `n + k <= 9;` to `when n + k <= 9;` before the effects of a move; behind them, and after
    /// another `when`, there are two readings.
    fn comparison_as_a_clause(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let begins = self.in_move() && at > clause && self.is_name(clause);
        let end = self.outside_brackets(clause, &[";"]).filter(|_| begins)?;
        let is_operator = matches!(self.word, "+" | "-" | "*" | "/" | "mod" | "!=" | "<" | "<=" | ">" | ">=");
        let sign = self.outside_brackets(at, &COMPARISONS).filter(|&sign| is_operator && sign < end)?;
        let one_sided = self.layout.text(sign) == "=" && sign == at;
        // `n - = 1` and `n + = 1` are effects with a blank.
        let is_split = sign == at + 1 && self.layout.text(sign).starts_with('=');
        let term = self.text(clause, end);
        let left = self.text(clause, sign);
        let is_whole = |text: &str| trial_parse(Rule::one_expr, text).is_ok_and(|read| read == text.len());
        if one_sided || is_split || !is_whole(term) || !is_whole(left) {
            return None;
        }
        let sound = term.replace("==", "=");
        let title = format!("`{term}` is a condition, and a condition stands after `when`");
        let label = (self.range(clause).0, self.range(end - 1).1);
        let open = self.bracket_around(clause, clause)?;
        let (mut start, mut last_word) = (open + 1, "");
        let mut has_effects = self.layout.text(open.saturating_sub(1)) == "then";
        while start < clause {
            last_word = self.layout.text(start);
            has_effects |= !matches!(last_word, "when" | "let");
            start = self
                .outside_brackets(start, &[";"])
                .filter(|&end| end < clause)
                .map_or(clause, |end| end + 1);
        }
        if has_effects {
            let help = format!(
                "write `when {sound};` if it must hold before the move, `ensure {sound};` if it must hold \
                 after it"
            );
            return Some(explained(label, &format!("when {sound}"), &title, help));
        }
        if last_word == "when" {
            let help = format!(
                "write `when {sound};` if it must hold too, `or` in place of the `;` before it if one of \
                 the two is enough"
            );
            return Some(explained(label, &format!("when {sound}"), &title, help));
        }
        let new = format!("when {sound}");
        Some(Fix::new(label, &new, Code::E0013, title).help(format!("write `{new};`")))
    }

    /// Rewrites the condition `if f then g` behind `when`, or for all elements of a set, to `f implies g`.
    pub(super) fn implication_by_if(&self, first: usize) -> Option<Fix> {
        let before = self.layout.text(first.checked_sub(1)?);
        let is_of_all = || {
            (self.bounds.clause..first).rev().map(|at| self.layout.text(at)).find(|word| {
                matches!(*word, "all" | "some" | "no" | "one" | "count" | "sum" | "min" | "max" | "union")
            }) == Some("all")
        };
        let is_guard = matches!(before, "when" | "ensure") || before == ":" && is_of_all();
        let then = (first..self.bounds.at).find(|&at| self.layout.text(at) == "then")?;
        let ends = matches!(self.word, ";" | "=>");
        if !is_guard || !ends || then < first + 2 || self.bounds.at < then + 2 {
            return None;
        }
        let part = |from: usize, to: usize| {
            let is_open = (from..to)
                .any(|at| matches!(self.layout.text(at), "implies" | "iff" | ":" | "or" | "and" | "xor"));
            if is_open { format!("({})", self.text(from, to)) } else { self.text(from, to).to_owned() }
        };
        let new = format!("{} implies {}", part(first + 1, then), part(then + 1, self.bounds.at));
        let range = (self.range(first).0, self.gap().0);
        let title = "a condition that asks for another one only sometimes is written with `implies`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(first));
        let before = if before == ":" { String::new() } else { format!("{before} ") };
        Some(fix.help(format!("write `{before}{new}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(clauses: &str) -> String {
        format!("move up(k: 1..3) {{ {clauses} }}\n")
    }

    #[test]
    fn conditions_stand_after_when() {
        for (clause, new) in [
            ("n + k <= 9;", "when n + k <= 9;"),
            ("f + g == die;", "when f + g = die;"),
            ("heap[k] - 1 != 0;", "when heap[k] - 1 != 0;"),
        ] {
            let text_of = |clause: &str| text(&format!("{clause} n += k;"));
            assert_eq!(mended(&text_of(clause)), text_of(new));
            assert_eq!(titles(&text_of(clause)).len(), 1, "{clause}");
        }
    }

    #[test]
    fn conditions_that_ask_sometimes_are_implications() {
        for (clause, new) in [
            ("when if n > 3 then k = 1;", "when n > 3 implies k = 1;"),
            ("when if n > 3 and k > 1 then n = 9;", "when (n > 3 and k > 1) implies n = 9;"),
        ] {
            assert_eq!(mended(&text(&format!("{clause} n += k;"))), text(&format!("{new} n += k;")));
        }
    }

    #[test]
    fn two_readings_are_both_named() {
        let after_when = text("when me = kicker; c != middle; n := 1;");
        assert_eq!(mended(&after_when), after_when);
        assert!(helps(&after_when)[0].contains("`or` in place of"), "{:?}", helps(&after_when));
        let after_effects = text("n := 1; n + k <= 9;");
        assert_eq!(mended(&after_effects), after_effects);
        assert!(helps(&after_effects)[0].contains("`ensure n + k <= 9;`"), "{:?}", helps(&after_effects));
    }

    #[test]
    fn values_are_no_conditions() {
        assert!(titles(&text("n - k;"))[0].contains("is a value and changes nothing"));
    }
}
