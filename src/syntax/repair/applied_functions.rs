//! Functions of two values with the values side by side, as in Haskell: `min most (n + k)`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Rewrites `min most (n + k)` to `min(most, n + k)`.
    pub(super) fn applied_function(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(8).max(self.bounds.first + 1);
        let is_function = |&at: &usize| matches!(self.layout.text(at), "min" | "max") && !self.touches(at);
        let word = (from..self.bounds.at).rev().find(is_function)?;
        let one = self.end_of_argument(word + 1)?;
        let two = self.end_of_argument(one)?;
        // `min x in S: e`
        let is_pair = (word + 1..two).any(|at| self.layout.text(at) == ",");
        let is_quantifier = matches!(self.layout.text(two), "in" | "of" | ":");
        if is_pair
            || is_quantifier
            || self.bounds.at > two
            || self.bounds.at < one.saturating_sub(1).min(word + 2)
        {
            return None;
        }
        let name = self.layout.text(word);
        let ends = [
            ";", ")", "]", ",", "=>", "{", "}", "and", "or", "then", "else", "=", "<", ">", "<=", ">=", "!=",
        ];
        let range = (self.range(word).0, self.range(two - 1).1);
        let title = format!("the values of `{name}` stand in brackets behind it, with a comma between them");
        let (first, second) = (self.argument(word + 1, one), self.argument(one, two));
        let new = format!("{name}({first}, {second})");
        if ends.contains(&self.layout.text(two)) {
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
        // What follows may belong to the second value.
        let end = self.outside_brackets(two, &ends)?;
        let rest = self.text(two, end);
        let help = format!(
            "write `{new} {rest}` or `{name}({first}, {second} {rest})`: the brackets say what the values are"
        );
        Some(explained(range, &new, &title, help))
    }

    /// The word behind a value that a blank ends: a number, a bracket, or a name with what touches it.
    fn end_of_argument(&self, start: usize) -> Option<usize> {
        let is_bracket = self.layout.text(start) == "(";
        if !is_bracket && !self.is_name(start) && !self.is_number(start) {
            return None;
        }
        let mut end = if is_bracket { self.layout.partner(start)? + 1 } else { start + 1 };
        while end < self.layout.words.len() && self.touches(end - 1) {
            end = match self.layout.text(end) {
                "[" | "(" => self.layout.partner(end)? + 1,
                "." => end + 2,
                _ => break,
            };
        }
        Some(end)
    }

    /// A value without the brackets around it.
    fn argument(&self, from: usize, to: usize) -> &str {
        match self.layout.partner(from) {
            Some(close) if close + 1 == to && to > from + 2 => self.text(from + 1, close),
            _ => self.text(from, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn values_of_functions_stand_in_brackets() {
        let text = |value: &str| format!("move add(k: 1..3) {{ when n < most; n := {value}; }}\n");
        for (theirs, ours) in [
            ("min most (n + k)", "min(most, n + k)"),
            ("max most k", "max(most, k)"),
            ("min got[me] 3", "min(got[me], 3)"),
            ("min 3 f(k)", "min(3, f(k))"),
            ("max (n) k", "max(n, k)"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
        }
        // A variable and its set follow.
        let over = titles(&text("max over p in Pile: size[p]"));
        assert_eq!(over, ["`max` is followed by its variable"]);
        let two = text("min most n + k");
        let help = "write `min(most, n) + k` or `min(most, n + k)`: the brackets say what the values are";
        assert_eq!(helps(&two), [help]);
        assert_eq!(mended(&two), two);
    }
}
