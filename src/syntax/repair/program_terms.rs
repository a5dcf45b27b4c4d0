//! Terms as programs write them: `a if c else b`, `for j in S: e` as a value, `set()`, `when unless f` and
//! `state.n`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// Words and signs at which a term ends.
const TERM_BOUNDS: [&str; 18] = [
    ";", ",", ":=", "+=", "-=", "|=", "<-", "=>", "when", "ensure", "if", "then", "else", "return", ":",
    "where", "(", "}",
];

impl FixFinder<'_> {
    /// Fixes and explanations of terms as programs write them.
    pub fn program_terms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.unless_before_a_condition(),
            self.choice_behind_its_value(),
            self.loop_as_a_term(),
            self.set_by_a_call(),
            self.field_of_the_state(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `when unless f` to `when not (f)`.
    fn unless_before_a_condition(&self) -> Option<Fix> {
        let unless = self.bounds.at.checked_sub(1).filter(|_| self.last == "unless")?;
        let before = self.layout.text(unless.checked_sub(1)?);
        let is_whole = matches!(before, "when" | "ensure" | "if" | "invariant" | "expect" | "(");
        let is_part = matches!(before, "and" | "or" | "implies" | ":");
        if !is_whole && !is_part || self.outline().declares("unless") {
            return None;
        }
        let ends = ["=>", ";", "{", "then", ","];
        let end = self.outside_brackets(self.bounds.at, &ends);
        let end = end.or_else(|| self.layout.partner(self.bracket_around(unless, unless)?))?;
        let is_joined = |at: usize| matches!(self.layout.text(at), "and" | "or" | "implies" | "iff");
        if is_part && (self.bounds.at..end).any(is_joined) || end == self.bounds.at {
            return None;
        }
        let is_single = self.end_of_operand(self.bounds.at) == Some(end);
        let new = match is_single {
            true => format!("not {}", self.text(self.bounds.at, end)),
            false => self.opposite(self.bounds.at, end),
        };
        let range = (self.range(unless).0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, "`unless` is written `not`").at(self.range(unless));
        let before = if matches!(before, "(" | ":") { String::new() } else { format!("{before} ") };
        Some(fix.help(format!("write `{before}{new}`")))
    }

    /// Rewrites `a if c else b` to `if c then a else b`.
    fn choice_behind_its_value(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_choice = self.word == "if" && at > self.bounds.first && self.ends_term(at - 1);
        let other = self.outside_brackets(at + 1, &["else", ";", ","]).filter(|_| is_choice)?;
        let is_term = self.bounds.place != ClauseContext::End && self.layout.text(other) == "else";
        let end = self.end_of_value(other + 1).filter(|&end| is_term && end > other + 1)?;
        let start = self.start_of_value(at)?;
        let is_loose =
            |at: usize| matches!(self.layout.text(at), "=" | "==" | "and" | "or" | "if" | "<" | ">");
        if other == at + 1 || (start..at).any(is_loose) {
            return None;
        }
        let (yes, condition) = (self.text(start, at), self.text(at + 1, other));
        let new = format!("if {condition} then {yes} else {}", self.text(other + 1, end));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "a choice between two terms begins with its condition";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// The first word of the term before this word that a sign, a bracket or a keyword begins.
    fn start_of_value(&self, end: usize) -> Option<usize> {
        let mut start = end;
        while start > self.bounds.first + 1 {
            let before = start - 1;
            match self.layout.partner(before) {
                Some(open) if open < before => start = open,
                Some(_) => return Some(start),
                None if TERM_BOUNDS.contains(&self.layout.text(before)) => return Some(start),
                // Behind a comparison the choice may be between two conditions.
                None if self.layout.text(before) == "=" => {
                    return self.is_value_sign(before).then_some(start);
                }
                None => start = before,
            }
        }
        None
    }

    /// Returns true for an `=` that leads to the value of a declaration.
    fn is_value_sign(&self, at: usize) -> bool {
        let heads = ["def", "let", "const", "param"];
        let is_declaration = heads.contains(&self.layout.text(self.bounds.clause))
            || self.bounds.place == ClauseContext::State;
        is_declaration && self.outside_brackets(self.bounds.clause, &["="]) == Some(at)
    }

    /// The word after the term that begins at this word.
    fn end_of_value(&self, start: usize) -> Option<usize> {
        let bounds = [";", ",", ")", "]", "}", "else", "then", "{"];
        let mut end = start;
        while !bounds.contains(&self.layout.text(end)) {
            end = self.layout.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
            if end >= self.layout.words.len() {
                return None;
            }
        }
        Some(end)
    }

    /// Explains `def t = for j in S: e`: a term goes through a set by a quantifier.
    fn loop_as_a_term(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(1).max(self.bounds.first + 1);
        let start = (from..=self.bounds.at).find(|&at| self.layout.text(at) == "for")?;
        let before = self.layout.text(start - 1);
        let is_term = matches!(
            before,
            "=" | ":="
                | "+="
                | "-="
                | "when"
                | "ensure"
                | "invariant"
                | "and"
                | "or"
                | "not"
                | "+"
                | "-"
                | ">"
                | "<"
        );
        let is_all = matches!(self.layout.text(start + 1), "all" | "each" | "every");
        let name = start + 1 + usize::from(is_all);
        let is_loop = is_term && self.is_name(name) && self.layout.text(name + 1) == "in";
        let sign = self.outside_brackets(name + 2, &[":", ";", "{"]).filter(|_| is_loop)?;
        let end = self.outside_brackets(sign + 1, &[";"]).filter(|_| self.layout.text(sign) == ":")?;
        // `for all x in S: f` is about a condition.
        if is_all && !self.is_number_of_a_field(sign + 1, end) || end == sign + 1 {
            return None;
        }
        let rest = self.text(name, end);
        let title = "`for` makes effects; a term goes through a set by a word that says what comes out";
        let help =
            format!("write `sum {rest}` for the sum; others are `count`, `some`, `all`, `min` and `max`");
        let range = (self.range(start).0, self.range(end - 1).1);
        Some(explained(range, DAMAGE_MARKER, title, help).at(self.range(start)))
    }

    /// Returns true if these words are an entry of a field that holds numbers.
    fn is_number_of_a_field(&self, from: usize, to: usize) -> bool {
        let field = self.outline().field(self.layout.text(from));
        self.end_of_operand(from) == Some(to) && field.is_some_and(|field| field.ty.contains(&".."))
    }

    /// Rewrites `set()` to `{}`, and `set([a, b])` to `{ a, b }`.
    fn set_by_a_call(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(1).max(self.bounds.first + 1);
        let word = (from..=self.bounds.at).find(|&at| self.layout.text(at) == "set")?;
        let open = word + 1;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "(")?;
        let is_type = matches!(self.layout.text(word - 1), ":" | "of" | "->");
        let is_empty = close == open + 1;
        let inner = self.layout.partner(open + 1).filter(|&inner| inner + 1 == close);
        let is_list = inner.is_some() && matches!(self.layout.text(open + 1), "[" | "{" | "(");
        if is_type || !is_empty && !is_list {
            return None;
        }
        let new = match is_empty || close == open + 3 {
            true => "{}".to_owned(),
            false => format!("{{ {} }}", self.text(open + 2, close - 1)),
        };
        let title = match new.as_str() {
            "{}" => "the empty set is `{}`",
            _ => "a set is written in braces",
        };
        let range = (self.range(word).0, self.range(close).1);
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `state.n` to `n`.
    fn field_of_the_state(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(1).max(self.bounds.first + 1);
        let word = (from..=self.bounds.at).find(|&at| self.layout.text(at) == "state")?;
        let is_part = self.layout.text(word + 1) == "." && self.touches(word) && self.is_name(word + 2);
        let name = self.layout.text(word + 2);
        let is_field = is_part && self.outline().field(name).is_some();
        is_field.then(|| {
            let range = (self.range(word).0, self.range(word + 2).0);
            let title = "a field is known by its name alone";
            let label = (self.range(word).0, self.range(word + 2).1);
            let fix = Fix::new(range, "", Code::E0013, title).at(label).help(format!("write `{name}`"));
            Fix { accepts_partial: true, ..fix }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn unless_is_not() {
        let text = |condition: &str| format!("move m() {{ when {condition}; n := 1; }}\n");
        for (theirs, ours) in [
            ("unless eaten", "not eaten"),
            ("unless n = 0", "n != 0"),
            ("unless n > 0 or eaten", "not (n > 0 or eaten)"),
            ("n = 1 and unless eaten", "n = 1 and not eaten"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours));
            assert_eq!(titles(&text(theirs)), ["`unless` is written `not`"], "{theirs}");
        }
        let rule = "end { when unless n > 0 => mover loses; }\n";
        assert_eq!(mended(rule), "end { when not (n > 0) => mover loses; }\n");
        // What `unless` takes in is not known.
        let text = text("a and unless b or c");
        assert_eq!(mended(&text), text);
    }

    #[test]
    fn choices_begin_with_their_condition() {
        for (theirs, ours) in [
            ("coins[low if e = left else high]", "coins[if e = left then low else high]"),
            ("n + 1 if e = left else n", "if e = left then n + 1 else n"),
            ("f(a if e else b, 2)", "f(if e then a else b, 2)"),
        ] {
            let text = |term: &str| format!("def coin(e: End) = {term};\n");
            assert_eq!(mended(&text(theirs)), text(ours));
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
        }
        // In Python this chooses between two conditions.
        let text = "move m() { when n = 1 if e = left else 2; n := 1; }\n";
        assert_eq!(mended(text), text);
    }

    #[test]
    fn a_term_is_no_loop() {
        let state = "state { inside[j: Jar]: 0..9 = 0; }\n";
        for head in ["for j", "for all j"] {
            let text = format!("{state}def total = {head} in Jar: inside[j];\n");
            assert!(titles(&text)[0].starts_with("`for` makes effects"), "{head}: {:?}", titles(&text));
            assert!(helps(&text)[0].starts_with("write `sum j in Jar: inside[j]`"), "{head}");
            assert_eq!(mended(&text), text);
        }
        let text = format!("{state}def f = for all j in Jar: inside[j] = 0;\n");
        assert_eq!(mended(&text), format!("{state}def f = all j in Jar: inside[j] = 0;\n"));
    }

    #[test]
    fn sets_stand_in_braces() {
        let text = |value: &str| format!("state {{ used: set of Card = {value}; }}\n");
        assert_eq!(titles(&text("set()")), ["the empty set is `{}`"]);
        assert_eq!(mended(&text("set()")), text("{}"));
        assert_eq!(mended(&text("set([a, b])")), text("{ a, b }"));
    }

    #[test]
    fn a_field_is_not_a_part_of_the_state() {
        let text = |field: &str| {
            format!("state {{ round: 0..4 = 0; }}\nmove m() {{ when {field} < 4; {field} += 1; }}\n")
        };
        assert_eq!(mended(&text("state.round")), text("round"));
        assert_eq!(helps(&text("state.round"))[0], "write `round`");
    }
}
