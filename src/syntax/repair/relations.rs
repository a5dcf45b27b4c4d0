//! Relations between terms in words: `c not a1`, `n minus 1`, `A subset of B`, `k divides n`, `f but g`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

/// The name of an element that a fix introduces, first the likeliest.
const ELEMENTS: [&str; 4] = ["x", "y", "element", "each_element"];

impl FixFinder<'_> {
    /// Fixes of relations in words.
    pub fn relations(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.stuck_by_not(),
            self.unequal_by_not(),
            self.operator_in_words(),
            self.sets_in_words(),
            self.divisor_in_words(),
            self.binder_with(),
            self.key_without_brackets(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `mover is not stuck` to `not stuck(mover)`.
    fn stuck_by_not(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let not = [at.checked_sub(1)?, at].into_iter().find(|&at| self.layout.text(at) == "not")?;
        let is = not.checked_sub(1).filter(|&is| is > self.bounds.clause)?;
        let is_stuck = self.layout.text(not + 1) == "stuck" && self.layout.text(not + 2) != "(";
        let start = self.start_of_operand(is).filter(|_| self.layout.text(is) == "is" && is_stuck)?;
        let new = format!("not stuck({})", self.text(start, is));
        let range = (self.range(start).0, self.range(not + 1).1);
        let title = "that a player has no move is the condition `stuck`";
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `c not a1` to `c != a1`, and `S is not empty` to `S != {}`.
    fn unequal_by_not(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let not = [at.checked_sub(1)?, at].into_iter().find(|&at| self.layout.text(at) == "not")?;
        let first = not - usize::from(self.layout.text(not.checked_sub(1)?) == "is");
        let start = self.start_of_operand(first).filter(|_| first > self.bounds.clause + 1)?;
        let is_empty = self.layout.text(not + 1) == "empty";
        let end = if is_empty { not + 2 } else { self.end_of_comparand(not + 1)? };
        let value = if is_empty { "{}" } else { self.text(not + 1, end) };
        let is_set = self
            .outline()
            .field(self.layout.text(start))
            .is_some_and(|field| field.ty.first() == Some(&"set"));
        (self.layout.text(not + 1) != "none" && (!is_empty || is_set)).then(|| {
            let range = (self.range(first).0, self.range(end - 1).1);
            let title = "`not` is for conditions; that two values differ is `!=`";
            let fix =
                Fix::new(range, &format!("!= {value}"), Code::E0013, title).at((range.0, self.range(not).1));
            let left = self.text(start, first);
            let is_truth =
                self.outline().field(self.layout.text(start)).is_some_and(|of| of.type_name() == "bool");
            let help = match is_truth {
                true => format!(
                    "write `{left} != {value}` if they differ, `{left} and not {value}` if `and` is left out"
                ),
                false => format!("write `{left} != {value}`"),
            };
            Fix { accepts_partial: true, is_correction: !is_truth, ..fix.help(help) }
        })
    }

    /// Rewrites `n minus 1` to `n - 1`, and `f but g` to `f and g`.
    fn operator_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let ours = match self.word {
            "plus" => "+",
            "minus" => "-",
            "times" => "*",
            "but" => "and",
            "union" | "cup" => "|",
            "intersection" | "cap" => "&",
            "same" if self.layout.text(at + 1) == "as" => "=",
            _ => return None,
        };
        let last = at + usize::from(ours == "=");
        let begins = self.end_of_operand(last + 1).is_some() || ours == "and";
        let stands_between = at > self.bounds.clause && self.ends_term(at - 1) && begins;
        stands_between.then(|| {
            let title = format!("`{}` is written `{ours}` here", self.text(at, last + 1));
            let range = (self.here().0, self.range(last).1);
            let fix = Fix::new(range, ours, Code::E0013, title).help(format!("write `{ours}`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `A is a subset of B` to `(all x in A: x in B)`, and `A intersects B` to `(some x in A: x in B)`.
    fn sets_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |&at: &usize| {
            matches!(
                self.layout.text(at),
                "subset" | "subseteq" | "intersects" | "intersect" | "overlaps" | "meets"
            )
        };
        let word = (at.saturating_sub(2)..=at + 2).find(is_word)?;
        let mut first = word;
        while matches!(self.layout.text(first.checked_sub(1)?), "is" | "are" | "a" | "the") {
            first -= 1;
        }
        let set = word + 1 + usize::from(matches!(self.layout.text(word + 1), "of" | "with"));
        let start = self.start_of_operand(first).filter(|_| first > self.bounds.clause)?;
        let end = self.end_of_comparand(set).filter(|_| first <= at && at <= set)?;
        let quantifier = if self.layout.text(word).starts_with("subset") { "all" } else { "some" };
        let outline = self.outline();
        let name = ELEMENTS.into_iter().find(|name| !outline.has_word(name))?;
        let new = format!(
            "({quantifier} {name} in {}: {name} in {})",
            self.text(start, first),
            self.text(set, end)
        );
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "sets are compared by their elements";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(first).0, self.range(set - 1).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) })
    }

    /// Rewrites `k divides n` to `n mod k = 0`, and `n is a multiple of k` and `n is divisible by k` to the same.
    fn divisor_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |&at: &usize| matches!(self.layout.text(at), "divides" | "multiple" | "divisible");
        let word = (at.saturating_sub(2)..=at + 2).find(is_word)?;
        let (mut first, is_negated) =
            (word, (word.saturating_sub(2)..word).any(|at| self.layout.text(at) == "not"));
        while matches!(self.layout.text(first.checked_sub(1)?), "is" | "a" | "not") {
            first -= 1;
        }
        let extra = usize::from(matches!(self.layout.text(word + 1), "of" | "by"));
        let other = word + 1 + extra;
        let start = self
            .start_of_operand(first)
            .filter(|_| first > self.bounds.clause && first <= at && at <= other)?;
        let end = self.end_of_comparand(other)?;
        let (one, two) = (self.factor(start, first), self.factor(other, end));
        let sign = if is_negated { "!=" } else { "=" };
        let new = match self.layout.text(word) {
            "divides" => format!("{two} mod {one} {sign} 0"),
            _ => format!("{one} mod {two} {sign} 0"),
        };
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "a number divides another one if the rest, `mod`, is 0";
        let fix =
            Fix::new(range, &new, Code::E0013, title).at((self.range(first).0, self.range(other - 1).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) })
    }

    /// A term in brackets, unless it is one operand.
    fn factor(&self, from: usize, to: usize) -> String {
        match self.end_of_operand(from) == Some(to) {
            true => self.text(from, to).to_owned(),
            false => format!("({})", self.text(from, to)),
        }
    }

    /// Rewrites `at c = none` and `hand of me` to `at[c] = none` and `hand[me]`.
    fn key_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let field = self
            .outline()
            .field(self.last)
            .filter(|field| field.keys.len() == 1 && at > self.bounds.clause)?;
        let is_part = at >= 2 && self.layout.text(at - 2) == ".";
        let key = at + usize::from(self.word == "of");
        let is_name =
            self.is_name(key) && !matches!(self.layout.text(key), "is" | "are" | "has" | "contains");
        let end = self.end_of_operand(key).filter(|_| is_name && !is_part)?;
        let type_name = field.keys[0].1.first().copied().unwrap_or_default();
        let is_sure = key > at || self.end_of_comparand(key).is_some() || self.is_comparison(end);
        let is_key = self.layout.text(key) != type_name && !self.layout.begins_line(at);
        (is_sure && is_key).then(|| {
            let new = format!("[{}]", self.text(key, end));
            let range = (self.gap().0, self.range(end - 1).1);
            let title = "the key of a field stands in square brackets";
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, range.1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{}{new}`", self.last)) }
        })
    }

    fn is_comparison(&self, at: usize) -> bool {
        matches!(
            self.layout.text(at),
            "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | ":=" | "+=" | "-=" | "in" | "not"
        )
    }

    /// Rewrites `some c in Cell with f` to `some c in Cell: f`.
    fn binder_with(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(self.word, "with" | "having" | "satisfying");
        let wants = |sign: &str| self.stop.expected.iter().any(|expected| expected == sign);
        let is_binder = is_word && wants(":") && wants("where") && self.end_of_operand(at + 1).is_some();
        let end = self.outside_brackets(at + 1, &[":", ";", "=>", "{"]).filter(|_| is_binder);
        let ours = if end.is_some_and(|end| self.layout.text(end) == ":") { " where" } else { ":" };
        is_binder.then(|| {
            let title = "what a quantifier says of each element stands after `:`";
            let range = (self.gap().0, self.here().1);
            let fix = Fix::new(range, ours, Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help(format!("write `{}`", ours.trim())) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    #[test]
    fn relations_have_their_signs() {
        let state = "state { n: 0..9 = 9; hand: set of Card = {}; owner[k: Pile]: Player = A; }\n";
        for (theirs, ours) in [
            ("c not a1", "c != a1"),
            ("mover is not stuck and n = 3", "not stuck(mover) and n = 3"),
            ("k in hand union deck", "k in hand | deck"),
            ("hand is not empty", "hand != {}"),
            ("n minus 1 > k", "n - 1 > k"),
            ("n = 1 but k = 2", "n = 1 and k = 2"),
            ("k same as n", "k = n"),
            ("owner k = me", "owner[k] = me"),
            ("me = owner of k", "me = owner[k]"),
            ("hand subset of deck and k = 2", "(all x in hand: x in deck) and k = 2"),
            ("hand intersects { ace }", "(some x in hand: x in { ace })"),
            ("k divides n", "n mod k = 0"),
            ("n is a multiple of 3", "n mod 3 = 0"),
            ("n is not divisible by k + 1", "n mod (k + 1) != 0"),
            ("some d in Cell with at[d] = me", "some d in Cell: at[d] = me"),
        ] {
            let text = format!("{state}move go(k: 1..3) {{ when {theirs}; n -= k; }}");
            assert_eq!(mended(&text), text.replace(theirs, ours));
        }
    }
}
