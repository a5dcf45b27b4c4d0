//! Conditions on the elements that a quantifier goes through, in other notations than `where`.

use super::bindings::QUANTIFIERS;
use super::edits::{Fix, FixFinder};
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

impl FixFinder<'_> {
    /// Fixes of conditions on the elements of a set.
    pub fn set_conditions(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.condition_before_the_colon());
    }

    /// Rewrites `all i in S such that f: g`, `all i in S, f: g`, `all i in S and f: g` and
    /// `all i in S; f: g` to `all i in S where f: g`.
    fn condition_before_the_colon(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let sign = match self.word {
            "such" | "and" | ";" => at,
            _ => (self.bounds.clause..at).rev().find(|&sign| self.layout.text(sign) == ",")?,
        };
        let body = sign + 1 + usize::from(self.word == "such" && self.layout.text(sign + 1) == "that");
        let quantifier = self.binder_before(sign)?;
        let name = self.layout.text(quantifier + 1);
        let is_open = (quantifier + 3..sign).all(|at| !matches!(self.layout.text(at), ":" | "where"));
        let colon = self.colon_of_the_binder(body).filter(|&colon| is_open && colon > body)?;
        let condition = self.text(body, colon);
        let is_term = trial_parse(Rule::one_expr, condition).is_ok_and(|length| length == condition.len());
        let is_about = (body..colon).any(|at| self.layout.text(at) == name);
        if self.word != "such" && !(is_term && is_about) {
            return None;
        }
        let range = (self.range(sign - 1).1, self.range(body - 1).1);
        let label = (self.range(sign).0, range.1);
        let title = "the condition on the elements of a set stands after `where`";
        let help = format!("write `{} where {condition}: ...`", self.text(quantifier, sign));
        Some(Fix::new(range, " where", Code::E0013, title).at(label).help(help))
    }

    /// The nearest quantifier with a variable and a set before a word, in the same brackets.
    pub(super) fn binder_before(&self, at: usize) -> Option<usize> {
        let mut place = at;
        while place > self.bounds.clause {
            place -= 1;
            match self.layout.partner(place) {
                Some(open) if open < place => place = open,
                Some(_) => return None,
                None => {}
            }
            if QUANTIFIERS.contains(&self.layout.text(place)) && self.layout.text(place + 2) == "in" {
                return Some(place);
            }
        }
        None
    }

    /// The `:` that ends the head of the quantifier around `from`; quantifiers behind it have their own.
    fn colon_of_the_binder(&self, from: usize) -> Option<usize> {
        let (mut at, mut inner) = (from, 0);
        while at < self.layout.words.len() {
            match self.layout.text(at) {
                ":" if inner == 0 => return Some(at),
                ":" => inner -= 1,
                ";" | "=>" | "{" | ")" | "]" | "}" => return None,
                word if QUANTIFIERS.contains(&word) && self.layout.text(at + 2) == "in" => inner += 1,
                _ => {}
            }
            at = self.layout.partner(at).filter(|&close| close > at).unwrap_or(at) + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(rule: &str) -> String {
        format!("end {{ when {rule} => draw; }}\n")
    }

    #[test]
    fn conditions_on_elements_stand_after_where() {
        let title = "the condition on the elements of a set stands after `where`";
        for (old, new) in [
            ("all i in 1..3 such that i > 0: n < i", "all i in 1..3 where i > 0: n < i"),
            ("all i in 1..3, i > 0: n < i", "all i in 1..3 where i > 0: n < i"),
            ("all i in 1..3, not (i = 0): n < i", "all i in 1..3 where not (i = 0): n < i"),
            ("some i in 1..3, m[i] = 0: n < i", "some i in 1..3 where m[i] = 0: n < i"),
            ("no i in 1..3 and i > 0: n < i", "no i in 1..3 where i > 0: n < i"),
            ("all i in 1..3; i > 0: n < i", "all i in 1..3 where i > 0: n < i"),
            ("(sum i in 1..3 such that i > 1: m[i]) = 2", "(sum i in 1..3 where i > 1: m[i]) = 2"),
            ("(max i in 1..3, i > 1: m[i]) = 2", "(max i in 1..3 where i > 1: m[i]) = 2"),
            ("all i in S such that some k in T: k > i: n < i", "all i in S where some k in T: k > i: n < i"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)), [title], "{old}");
        }
    }

    #[test]
    fn such_that_may_lead_to_the_claim() {
        let (old, new) = ("some i in S such that all k in T: k > i", "some i in S: all k in T: k > i");
        assert_eq!(mended(&text(old)), text(new));
        assert_eq!(mended(&text("some i in S such that n < i")), text("some i in S: n < i"));
    }

    #[test]
    fn a_second_colon_is_no_equality() {
        let (old, new) = ("all i in 1..3: i > 0: n < i", "all i in 1..3 where i > 0: n < i");
        assert_eq!(mended(&text(old)), text(new));
        assert_eq!(titles(&text(old)).len(), 1);
    }
}
