//! Types and ranges in other forms: `k: 1:3`, `chest: between 3 and 20`, `const set int hurdle = ...`,
//! `k: 2..3 = 2`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// Words of types before the name of a constant.
const TYPE_WORDS: [&str; 13] = [
    "set", "list", "of", "int", "integer", "array", "number", "static", "final", "bool", "boolean", "string",
    "map",
];

impl FixFinder<'_> {
    /// Fixes and explanations of types and ranges in other forms.
    pub fn type_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.range_by_a_colon(),
            self.range_in_words(),
            self.type_before_a_constant(),
            self.default_of_a_parameter(),
            self.move_without_brackets(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites the type `1:n` to `1..n`.
    fn range_by_a_colon(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let low = at.checked_sub(1).filter(|&low| self.word == ":" && self.is_number(low))?;
        let before = self.layout.text(low.checked_sub(1)?);
        let is_type = before == ":" && self.is_name(low.checked_sub(2)?)
            || before == "]" && self.bounds.place == ClauseContext::State
            || before == "=" && self.layout.text(self.bounds.first) == "type"
            || before == "in" && !self.has_quantifier(low);
        let is_high = self.is_number(at + 1) || self.is_name(at + 1);
        (is_type && is_high && self.touches(at)).then(|| {
            let new = format!("{}..{}", self.last, self.layout.text(at + 1));
            let fix = Fix::new(self.here(), "..", Code::E0013, format!("a range is written `{new}`"));
            fix.help(format!("write `{new}`"))
        })
    }

    /// Returns true if the clause has a quantifier before this word, whose body begins with a colon.
    fn has_quantifier(&self, end: usize) -> bool {
        (self.bounds.clause..end).any(|at| {
            matches!(
                self.layout.text(at),
                "some" | "all" | "no" | "one" | "count" | "sum" | "min" | "max" | "union"
            )
        })
    }

    /// Rewrites the type `between 3 and 20` to `3..20`.
    fn range_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = [at.checked_sub(1)?, at].into_iter().find(|&word| {
            matches!(self.layout.text(word), "between" | "from")
                && word > 0
                && self.layout.text(word - 1) == ":"
        })?;
        let join = if self.layout.text(word) == "between" { "and" } else { "to" };
        let join = self.outside_brackets(word + 1, &[join])?;
        let end = self.outside_brackets(join + 1, &["=", ")", "]", ",", ";", "where", "hidden", "visible"]);
        let end = end.or_else(|| {
            let close = self.bracket_around(word, word)?;
            self.layout.partner(close)
        })?;
        let is_end = |&end: &usize| word + 1 < join && join + 1 < end && end <= join + 6;
        let end = Some(end).filter(is_end)?;
        let new = format!("{}..{}", self.text(word + 1, join), self.text(join + 1, end));
        let range = (self.range(word).0, self.range(end - 1).1);
        Some(
            Fix::new(range, &new, Code::E0013, format!("a range is written `{new}`"))
                .help(format!("write `{new}`")),
        )
    }

    /// Rewrites `const set int hurdle = { 3, 6 };` to `const hurdle = { 3, 6 };`.
    fn type_before_a_constant(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let name = (first + 1..first + 6).find(|&at| !TYPE_WORDS.contains(&self.layout.text(at)))?;
        let is_constant = self.layout.text(first) == "const"
            && name > first + 1
            && self.bounds.at <= name
            && self.is_name(name)
            && matches!(self.layout.text(name + 1), "=" | "[");
        is_constant.then(|| {
            let words = self.text(first + 1, name);
            let title =
                format!("a constant has the type of its value: `{words}` has no place before its name");
            let range = (self.range(first).1, self.range(name - 1).1);
            let fix = Fix::new(range, "", Code::E0013, title).at((self.range(first + 1).0, range.1));
            fix.help(format!("write `const {} = ...;`", self.layout.text(name)))
        })
    }

    /// Rewrites `move rest as "rest"` to `move rest() as "rest"`.
    fn move_without_brackets(&self) -> Option<Fix> {
        let name = self.bounds.at.checked_sub(1).filter(|&name| name > self.bounds.first)?;
        let is_head = matches!(self.layout.text(name - 1), "move" | "chance")
            && self.bounds.place == ClauseContext::Top
            && self.is_name(name)
            && matches!(self.word, "as" | "by" | "in" | "prefer");
        // Parameters may stand behind the notation.
        let has_none = self
            .outside_brackets(self.bounds.at, &["{", "("])
            .is_some_and(|open| self.layout.text(open) == "{");
        (is_head && has_none).then(|| {
            let title = "a move has brackets for its parameters, also if it has none";
            let notation = self.bounds.at + 1;
            if self.word == "as" && self.is_name(notation) && self.layout.text(notation + 1) == "{" {
                let new = format!("() as \"{}\"", self.layout.text(notation));
                let fix = Fix::new((self.gap().0, self.range(notation).1), &new, Code::E0013, title);
                let help = format!("write `{}{new}`, the notation between quotes", self.last);
                return Fix { accepts_partial: true, ..fix.at(self.range(name)).help(help) };
            }
            let fix = Fix::new(self.gap(), "()", Code::E0013, title).at(self.range(name));
            Fix { accepts_partial: true, ..fix.help(format!("write `{}()`", self.last)) }
        })
    }

    /// Explains `move leap(k: 2..3 = 2)`.
    fn default_of_a_parameter(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|_| matches!(self.word, "=" | ":="))?;
        let keyword = self.layout.text(open.checked_sub(2)?);
        let is_head = self.layout.text(open) == "("
            && self.bounds.place == ClauseContext::Top
            && matches!(keyword, "move" | "chance" | "def" | "effect" | "inductive");
        let end =
            self.outside_brackets(at, &[","]).or_else(|| self.layout.partner(open)).filter(|_| is_head)?;
        let begins = |&word: &usize| matches!(self.layout.text(word), "," | "(");
        let name = self.layout.text((open..at).rev().find(begins)? + 1);
        let is_move = matches!(keyword, "move" | "chance");
        let (title, help) = match is_move && keywords::starts_with_letter(name) {
            true => (
                "a parameter of a move takes each value of its type, and has no default",
                format!(
                    "leave out `{}`; a condition on it stands in the braces, `when {name} = ...;`",
                    self.text(at, end)
                ),
            ),
            false => (
                "a parameter has no default: each call gives its value",
                format!("leave out `{}`, and write the value in each call", self.text(at, end)),
            ),
        };
        let range = (self.gap().0, self.range(end - 1).1);
        let fix = explained(range, "", title, help).at((self.here().0, range.1));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn ranges_have_two_points() {
        for (text, old, new) in [
            ("type Tube = 1:tubes;\n", "1:tubes", "1..tubes"),
            ("move up(k: 1:3) { n += k; }\n", "1:3", "1..3"),
            ("state { m: 0:9 = 0; }\n", "0:9", "0..9"),
            ("move up() { when n in 1:3; n += 1; }\n", "1:3", "1..3"),
            ("param chest: between 3 and 20 = 9;\n", "between 3 and 20", "3..20"),
            ("move up(k: from 1 to n) { m += k; }\n", "from 1 to n", "1..n"),
        ] {
            assert_eq!(mended(text), text.replace(old, new), "{text}");
            assert_eq!(titles(text), [format!("a range is written `{new}`")], "{text}");
        }
    }

    #[test]
    fn a_word_at_the_start_is_no_range() {
        assert!(!titles("between 3 and 20;\n").is_empty());
        assert!(!titles("from 3 to 20\n").is_empty());
    }

    #[test]
    fn constants_have_no_type_before_their_name() {
        let text = "const set int hurdle = { 3, 6 };\n";
        assert_eq!(mended(text), "const hurdle = { 3, 6 };\n");
        assert_eq!(titles(text).len(), 1);
        assert_eq!(mended("const set hurdle = { 3, 6 };\n"), "const hurdle = { 3, 6 };\n");
    }

    #[test]
    fn moves_have_brackets() {
        let text = "move rest as \"rest\" { n := 1; }\n";
        assert_eq!(mended(text), text.replace("rest as", "rest() as"));
        assert_eq!(mended("move rest as rest { n := 1; }\n"), text.replace("rest as", "rest() as"));
    }

    #[test]
    fn parameters_have_no_default() {
        let text = "move leap(k: 2..3 = 2) as \"leap {k}\" { n += k; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].starts_with("leave out `= 2`"), "{:?}", helps(text));
        assert_eq!(titles(text).len(), 1);
    }
}
