//! Quantifiers that lack their set or their body, or are written as functions of a field.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::outline::term_of_words;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The quantifiers whose body is a condition.
const OF_CONDITIONS: [&str; 5] = ["some", "all", "no", "one", "count"];

impl FixFinder<'_> {
    /// Rewrites `none n in S: f` to `no n in S: f`.
    pub(super) fn none_as_a_quantifier(&self) -> Option<Fix> {
        let none = self.bounds.at.checked_sub(1).filter(|&none| none > self.bounds.first)?;
        let is_binder = self.last == "none" && self.is_name(none + 1) && self.layout.text(none + 2) == "in";
        let colon = self.outside_brackets(none, &[":", ";", "=>", "and", "or"]).filter(|_| is_binder)?;
        // Behind other signs `none` may be a value, and an `and` missing.
        let before = self.layout.text(none - 1);
        let begins =
            matches!(before, "(" | "and" | "or" | "not" | "when" | "ensure" | "if" | "implies" | "iff" | ":");
        let is_term = before == "=" && matches!(self.layout.text(self.bounds.first), "def" | "inductive");
        let is_first = (self.bounds.first..none - 1).all(|at| self.layout.text(at) != "=");
        (self.layout.text(colon) == ":" && (begins || is_term && is_first)).then(|| {
            let title = "`none` is a value; that no element fits begins with `no`";
            let fix = Fix::new(self.range(none), "no", Code::E0013, title);
            fix.help(format!("write `no {}: ...`", self.text(none + 1, colon)))
        })
    }

    /// Fixes and explanations of quantifiers.
    pub fn quantifiers(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.variables_of_one_set(),
            self.foreign_quantifier_without_a_set(),
            self.quantifier_without_a_set(),
            self.quantifier_without_a_body(),
            self.quantifier_of_a_field(),
            self.quantifier_of_a_function(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `some a, b in S: f` to `some a in S, b in S: f`, and the same of `for`.
    fn variables_of_one_set(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = at.checked_sub(1).filter(|_| self.word == ",")?;
        let quantifier = self.layout.text(first.checked_sub(1)?);
        let is_known = OF_CONDITIONS.contains(&quantifier)
            || matches!(quantifier, "sum" | "min" | "max" | "union" | "for" | "," | "{");
        let mut last = at + 1;
        while self.layout.text(last + 1) == "," {
            last += 2;
        }
        let is_name = |word: usize| {
            let word = self.layout.text(word);
            keywords::starts_with_letter(word) && !keywords::is_reserved(word)
        };
        let names = (first..=last).step_by(2);
        if !is_known || self.layout.text(last + 1) != "in" || !names.clone().all(is_name) {
            return None;
        }
        let end = self.outside_brackets(last + 2, &[":", ",", "where", "{", "}", ";"])?;
        let set = self.text(last + 2, end);
        let new = names.map(|name| format!("{} in {set}", self.layout.text(name)));
        let new = new.collect::<Vec<_>>().join(", ");
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "each variable has its set";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `forall c: f` and `exists c: f`.
    fn foreign_quantifier_without_a_set(&self) -> Option<Fix> {
        let word = self.bounds.at.checked_sub(1)?;
        let ours = match self.last {
            "forall" | "foreach" | "every" => "all",
            "exists" | "exist" => "some",
            _ => return None,
        };
        let sign = self.bounds.at + 1;
        let is_binder =
            self.is_name(self.bounds.at) && matches!(self.layout.text(sign), ":" | "." | "," | "|");
        (is_binder && self.layout.text(sign + 1) != "in").then(|| {
            let name = self.word;
            let title =
                format!("`{}` is written `{ours}` here, with the set that `{name}` goes through", self.last);
            let help = format!(
                "write `{ours} {name} in S: ...`, where S is a type, such as a board, or another set"
            );
            let (range, label) =
                ((self.range(word).0, self.range(sign).1), (self.range(word).0, self.here().1));
            let fix = explained(range, &format!("{ours} {name} in {DAMAGE_MARKER}:"), &title, help).at(label);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains `all c: f` and `no e < d: f`.
    fn quantifier_without_a_set(&self) -> Option<Fix> {
        let name = self.bounds.at.checked_sub(1)?;
        let quantifier = self.layout.text(name.checked_sub(1)?);
        let is_known =
            OF_CONDITIONS.contains(&quantifier) || matches!(quantifier, "sum" | "min" | "max" | "union");
        if !is_known || !keywords::starts_with_letter(self.last) {
            return None;
        }
        let (new, form) = match self.word {
            ":" => (format!(" in {DAMAGE_MARKER}"), format!("{quantifier} {} in S: ...", self.last)),
            sign @ ("<" | "<=" | ">" | ">=" | "!=" | "=") => (
                format!(" in {DAMAGE_MARKER} where {}", self.last),
                format!("{quantifier} {0} in S where {0} {sign} ...: ...", self.last),
            ),
            _ => return None,
        };
        let title = format!("`{quantifier}` needs the set that `{}` goes through", self.last);
        let help = format!("write `{form}`, where S is a type, such as a board, or another set");
        Some(explained(self.gap(), &new, &title, help).at((self.range(name - 1).0, self.range(name).1)))
    }

    /// Rewrites `no c in S where f` to `no c in S: f`.
    fn quantifier_without_a_body(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let begins = |&word: &usize| {
            OF_CONDITIONS.contains(&self.layout.text(word)) && self.layout.text(word + 2) == "in"
        };
        let word = (clause..at).rev().find(begins)?;
        let place = self.outside_brackets(word + 3, &["where", ":"]).filter(|&place| place < at)?;
        let has_body = self.outside_brackets(place + 1, &[":"]).is_some_and(|body| body < at);
        if self.layout.text(place) != "where" || has_body {
            return None;
        }
        let (quantifier, name) = (self.layout.text(word), self.layout.text(word + 1));
        let title = format!("what `{quantifier}` says of each element stands after `:`");
        let fix = Fix::new((self.range(place - 1).1, self.range(place).1), ":", Code::E0013, title);
        let set = self.text(word + 3, place);
        Some(fix.at(self.range(place)).help(format!("write `{quantifier} {name} in {set}: ...`")))
    }

    /// Explains `count(peg) = 1`.
    fn quantifier_of_a_field(&self) -> Option<Fix> {
        let close = self.bounds.at.checked_sub(1).filter(|_| self.last == ")" && self.word != "in")?;
        let open = self.layout.partner(close)?;
        let quantifier = self.layout.text(open.checked_sub(1)?);
        let field = self.layout.text(open + 1);
        let is_field =
            OF_CONDITIONS.contains(&quantifier) && close == open + 2 && keywords::starts_with_letter(field);
        (is_field && !self.outline().is_set(field)).then(|| {
            let range = (self.range(open - 1).0, self.range(close).1);
            let title =
                format!("`{quantifier}` is no function: it names a variable and the set it goes through");
            let help = format!(
                "write `({quantifier} c in Cell: {field}[c])`, with the board of the field `{field}`"
            );
            explained(range, DAMAGE_MARKER, &title, help).at(range)
        })
    }

    /// Rewrites `sum(c => n[c])`, `all(|c| f)` and `min(c: n[c])` to `(sum c in S: n[c])`, where `n` has one key of the type
    /// S.
    fn quantifier_of_a_function(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let (open, name, body) = match self.word {
            "=>" | "->" | ":" => (at.checked_sub(2)?, at - 1, at + 1),
            "|" if self.layout.text(at + 2) == "|" => (at.checked_sub(1)?, at + 1, at + 3),
            _ => return None,
        };
        let quantifier = match self.layout.text(open.checked_sub(1)?) {
            "every" | "forall" => "all",
            "any" | "exists" => "some",
            "none" => "no",
            word @ ("sum" | "min" | "max" | "union") => word,
            word => OF_CONDITIONS.into_iter().find(|known| *known == word)?,
        };
        let variable = self.layout.text(name);
        let close = self.layout.partner(open).filter(|&close| close > body)?;
        if self.layout.text(open) != "(" || !keywords::starts_with_letter(variable) {
            return None;
        }
        let outline = self.outline();
        let set = (body..close).find_map(|word| {
            let is_cell = self.layout.text(word + 1) == "["
                && self.layout.text(word + 2) == variable
                && self.layout.text(word + 3) == "]";
            let field = outline.field(self.layout.text(word)).filter(|_| is_cell)?;
            let [(_, ty)] = &field.keys[..] else { return None };
            Some(term_of_words(ty))
        });
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("`{quantifier}` is no function: it names a variable and the set it goes through");
        let term = self.plain_closure(variable, body, close);
        Some(match set {
            Some(set) => {
                let new = format!("({quantifier} {variable} in {set}: {term})");
                Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
            }
            None => {
                let help = format!(
                    "write `({quantifier} {variable} in S: {term})`, where S is a type, such as a board, or another set"
                );
                explained(range, DAMAGE_MARKER, &title, help).at(range)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn none_is_no_quantifier() {
        let text = |f: &str| format!("def f(c: Cell) = {f};\nmove m(c: Cell) {{ when {f}; at[c] := me; }}\n");
        for (theirs, ours) in [
            ("none n in c.neighbors: at[n] = c", "no n in c.neighbors: at[n] = c"),
            ("(none n in S where n != c: f(n)) and done", "(no n in S where n != c: f(n)) and done"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 2, "{theirs}");
        }
        let value = "def f(c: Cell) = done and at[c] = none n in S: f(n);\n";
        assert!(!mended(value).contains("no n"));
    }

    #[test]
    fn quantifiers_are_no_functions_of_functions() {
        let state = "state { at[c: C]: Player? = none; n[c: C]: 0..3 = 1; }\n";
        for (written, wanted) in [
            ("def f = sum(c => n[c]);", "def f = (sum c in C: n[c]);"),
            ("def f = all(|c| at[c] != none);", "def f = (all c in C: at[c] != none);"),
            ("def f = count(c -> at[c] == none) = 0;", "def f = (count c in C: at[c] = none) = 0;"),
            ("def f = max(c: n[c]);", "def f = (max c in C: n[c]);"),
        ] {
            assert_eq!(mended(&format!("{state}{written}\n")), format!("{state}{wanted}\n"));
        }
        let text = "def f = sum(c => weight_of(c));\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].starts_with("write `(sum c in S: weight_of(c))`"), "{:?}", helps(text));
    }

    #[test]
    fn foreign_quantifiers_need_a_set() {
        for (word, ours) in [("forall", "all"), ("exists", "some")] {
            let text = format!("move put() {{ when {word} x: at[x] = none; n := 1; }}\n");
            assert_eq!(mended(&text), text);
            assert_eq!(titles(&text).len(), 1, "{:?}", titles(&text));
            assert!(helps(&text)[0].starts_with(&format!("write `{ours} x in S: ...`")));
        }
    }
}
