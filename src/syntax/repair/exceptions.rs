//! Exceptions and negations of two, inside a condition: `f unless g`, `x in S except a`, `neither a nor b`, and
//! quantifiers of another language before a tuple: `exists (a, b) in S: f`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The words that bind looser than `and`, or take in all that follows.
const LOOSER: [&str; 9] = ["or", "implies", "iff", "some", "all", "no", "one", "let", "if"];

impl FixFinder<'_> {
    /// Fixes and explanations of exceptions.
    pub fn exceptions(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.unless_in_a_condition(),
            self.set_with_an_exception(),
            self.neither_of_two_values(),
            self.neither_of_two(),
            self.quantifier_of_a_tuple(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The first word of the condition around a word, which the clause or a bracket begins.
    fn start_of_condition(&self, at: usize) -> Option<usize> {
        let inner = self.bracket_around(at, at).filter(|&open| open >= self.bounds.clause);
        let from = inner.map_or(self.bounds.clause, |open| open + 1);
        let begins = |&at: &usize| {
            let word = self.layout.text(at);
            matches!(word, "when" | "ensure" | "if" | "where" | "invariant" | "expect")
        };
        let is_closed = |at: usize| self.bracket_around(at, at) != self.bracket_around(from, from);
        let word = (from..at).rev().filter(|&word| !is_closed(word)).find(begins);
        let is_definition = inner.is_none() && self.in_definition();
        let equals = || self.outside_brackets(from, &["="]).filter(|&equals| is_definition && equals < at);
        match word.or_else(equals) {
            // `invariant total: f`
            Some(word) if self.layout.text(word) == "invariant" && self.layout.text(word + 2) == ":" => {
                Some(word + 3)
            }
            Some(word) => Some(word + 1),
            None => inner.filter(|&open| self.layout.text(open) == "(").map(|open| open + 1),
        }
    }

    /// The word after the condition that begins at a word.
    fn end_of_condition(&self, from: usize) -> Option<usize> {
        let ends = [";", "=>", ",", "then", "else", ":", "unless", "except"];
        let brace = (from..self.layout.words.len())
            .find(|&at| self.layout.text(at) == "{" && self.layout.is_block(at));
        let close = self.bracket_around(from, from).and_then(|open| self.layout.partner(open));
        let end = [self.outside_brackets(from, &ends), brace, close].into_iter().flatten().min()?;
        let text = self.text(from, end);
        let is_term = trial_parse(Rule::one_expr, text).is_ok_and(|length| length == text.len());
        (is_term && end > from).then_some(end)
    }

    /// Returns true if `and` may follow these words without changing what they say.
    fn is_tight(&self, from: usize, to: usize) -> bool {
        self.outside_brackets(from, &LOOSER).is_none_or(|at| at >= to)
    }

    /// Rewrites `f unless g` to `f and not (g)`.
    fn unless_in_a_condition(&self) -> Option<Fix> {
        let at = [self.bounds.at, self.bounds.at.checked_sub(1)?]
            .into_iter()
            .find(|&at| self.layout.text(at) == "unless" && at > self.bounds.clause)?;
        let start = self.start_of_condition(at).filter(|&start| start < at)?;
        let end = self.end_of_condition(at + 1)?;
        let before = self.text(start, at);
        if !trial_parse(Rule::one_expr, before).is_ok_and(|length| length == before.len()) {
            return None;
        }
        let new = format!("and {}", self.opposite(at + 1, end));
        let range = (self.range(at).0, self.range(end - 1).1);
        let title = "`unless` is written `and not`";
        if self.is_tight(start, at) {
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(at));
            let fix = fix.help(format!("write `{new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let help =
            format!("write `({before}) {new}`, or place the brackets around what the exception is for");
        let found = explained(range, "", title, help).at(self.range(at));
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Explains `x in S except a`; rewrites `x in S except { a, b }` to `x in S - { a, b }`.
    fn set_with_an_exception(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_but = self.word == "but";
        let is_word = matches!(self.word, "except" | "excluding" | "without") || is_but;
        let extra = usize::from(matches!(self.layout.text(at + 1), "for" | "the" | "not"));
        let from = at + 1 + extra;
        let is_term = is_word && at > self.bounds.clause && self.layout.text(self.bounds.first) != "board";
        let start = self.start_of_operand(at).filter(|_| is_term)?;
        let end = self.end_of_comparand(from)?;
        // `but` is `and` as well, and `c = a except f` is about no set.
        let before = self.layout.text(start.checked_sub(1)?);
        let in_condition = matches!(self.layout.text(self.bounds.clause), "when" | "ensure" | "if");
        if is_but && before != "in" || before == "=" && in_condition {
            return None;
        }
        let (set, left_out) = (self.text(start, at), self.text(from, end));
        let range = (self.here().0, self.range(from - 1).1);
        let title = "the elements of one set that are not in another are `-`";
        if self.layout.text(from) == "{" {
            let fix = Fix::new(range, "-", Code::E0013, title).help(format!("write `{set} - {left_out}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let help = format!(
            "write `{set} - {{ {left_out} }}` if `{left_out}` is one element, `{set} - {left_out}` if it is a set"
        );
        let help = match (is_but, self.layout.text(at + 1) == "not") {
            (false, _) => help,
            (true, true) => help + &format!(", `and not {left_out}` if it is a condition"),
            (true, false) => help + &format!(", `and {left_out}` if it is a condition"),
        };
        let whole = (self.range(start).0, self.range(end - 1).1);
        let found = explained(whole, DAMAGE_MARKER, title, help).at(range);
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Rewrites `at[c] is neither A nor B` to `at[c] not in { A, B }`.
    fn neither_of_two_values(&self) -> Option<Fix> {
        let word = self.neither()?;
        let is = word.checked_sub(1).filter(|&is| matches!(self.layout.text(is), "is" | "=" | "in"))?;
        let start = self.start_of_operand(is).filter(|&start| start > self.bounds.clause)?;
        let nor = self.end_of_operand(word + 1).filter(|&nor| self.layout.text(nor) == "nor")?;
        let end = self.end_of_comparand(nor + 1)?;
        if self.layout.text(is) == "in" {
            return None;
        }
        let new = format!("not in {{ {}, {} }}", self.text(word + 1, nor), self.text(nor + 1, end));
        let range = (self.range(is).0, self.range(end - 1).1);
        let title = "that a value is none of several is `not in`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
        let fix = fix.help(format!("write `{} {new}`", self.text(start, is)));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// The word `neither` near the mistake.
    fn neither(&self) -> Option<usize> {
        (self.bounds.clause..=self.bounds.at).rev().take(12).find(|&at| self.layout.text(at) == "neither")
    }

    /// Rewrites `neither f nor g` to `not (f or g)`.
    fn neither_of_two(&self) -> Option<Fix> {
        let word = self.neither()?;
        let begins = matches!(
            self.layout.text(word.checked_sub(1)?),
            "when"
                | "ensure"
                | "if"
                | "where"
                | ":"
                | "("
                | "and"
                | "or"
                | "="
                | "implies"
                | "expect"
                | "invariant"
        );
        let nor = self.outside_brackets(word + 1, &["nor", ";", "{"]).filter(|_| begins)?;
        let ends = [";", "=>", "and", "or", "implies", "iff", "then", "else", "{", ",", ":"];
        let close = self.bracket_around(word, word).and_then(|open| self.layout.partner(open));
        let end = [self.outside_brackets(nor + 1, &ends), close].into_iter().flatten().min()?;
        let (one, other) = (self.text(word + 1, nor), self.text(nor + 1, end));
        let is_term = |text: &str| trial_parse(Rule::one_expr, text).is_ok_and(|length| length == text.len());
        if self.layout.text(nor) != "nor" || !is_term(one) || !is_term(other) {
            return None;
        }
        let new = format!("not ({one} or {other})");
        let range = (self.range(word).0, self.range(end - 1).1);
        let title = "that neither of two conditions holds is `not (... or ...)`";
        // `neither a nor b = 1` may compare both.
        let is_value = |from: usize, to: usize| self.end_of_operand(from) == Some(to);
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
        let fix = Fix { accepts_partial: true, ..fix };
        Some(match is_value(word + 1, nor) && !is_value(nor + 1, end) {
            true => Fix {
                is_correction: false,
                ..fix.help("write `not (f or g)`, with a whole condition on each side")
            },
            false => fix.help(format!("write `{new}`")),
        })
    }

    /// Rewrites `exists (a, b) in S: f` to `some (a, b) in S: f`, and the same of `forall`.
    fn quantifier_of_a_tuple(&self) -> Option<Fix> {
        let from = self.bounds.clause.max(self.bounds.first);
        let begins = |&at: &usize| {
            let close = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "(");
            matches!(
                self.layout.text(at),
                "exists" | "exist" | "forall" | "every" | "each" | "any" | "foreach"
            ) && close.is_some_and(|close| self.layout.text(close + 1) == "in")
        };
        let word = (from..self.bounds.at).rev().find(begins)?;
        let close = self.layout.partner(word + 1)?;
        let colon =
            self.outside_brackets(close + 2, &[":", ";"]).filter(|&at| self.layout.text(at) == ":")?;
        if self.bounds.at > colon || self.layout.text(word - 1) == "for" {
            return None;
        }
        let theirs = self.layout.text(word);
        let binder = self.text(word + 1, colon);
        if theirs == "any" {
            let help = format!(
                "write `some {binder}: ...` if one is enough, `all {binder}: ...` if every one must fit"
            );
            let title = "`any` can mean `some` or `all`";
            return Some(explained(self.range(word), "some", title, help));
        }
        let is_negated = theirs.starts_with("exist") && self.layout.text(word - 1) == "not";
        let first = word - usize::from(is_negated);
        let ours = match theirs {
            "exists" | "exist" if is_negated => "no",
            "exists" | "exist" => "some",
            _ => "all",
        };
        let title = format!("`{}` is written `{ours}` here", self.text(first, word + 1));
        let range = (self.range(first).0, self.range(word).1);
        let fix = Fix::new(range, ours, Code::E0013, title).help(format!("write `{ours} {binder}: ...`"));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(condition: &str) -> String {
        format!("move m(c: Cell) {{ when {condition}; n := 1; }}\n")
    }

    #[test]
    fn exceptions_are_negations() {
        let title = "`unless` is written `and not`";
        for (condition, new) in [
            ("c in here.neighbors unless c = hole", "c in here.neighbors and c != hole"),
            ("n = 1 unless stuck or n = 2", "n = 1 and not (stuck or n = 2)"),
            ("k = 1 and (n = 1 unless full)", "k = 1 and (n = 1 and not (full))"),
        ] {
            assert_eq!(titles(&text(condition)), [title], "{condition}");
            assert_eq!(mended(&text(condition)), text(new));
        }
        for two in ["n = 1 or k = 1 unless full", "no c in S: n[c] = 1 unless full"] {
            assert_eq!(titles(&text(two)), [title]);
            assert_eq!(mended(&text(two)), text(two));
        }
        assert_eq!(mended("invariant n: a = 1 unless b = 2;\n"), "invariant n: a = 1 and b != 2;\n");
        let block = "move m(c: Cell) { if n = 1 unless k = 1 { n := 1; } }\n";
        assert_eq!(mended(block), block.replace("unless k = 1", "and k != 1"));
    }

    #[test]
    fn exceptions_of_sets_are_differences() {
        let found = helps(&text("c in here.neighbors except hole"));
        assert!(found.len() == 1 && found[0].contains("`here.neighbors - { hole }`"), "{found:?}");
        assert_eq!(mended(&text("c in S except { a1, b1 }")), text("c in S - { a1, b1 }"));
        let found = helps(&text("c in S but not a1"));
        assert!(found.len() == 1 && found[0].contains("`S - { a1 }`"), "{found:?}");
        assert!(found[0].contains("`and not a1` if it is a condition"), "{found:?}");
        assert_eq!(mended(&text("n = 1 but k = 2")), text("n = 1 and k = 2"));
    }

    #[test]
    fn neither_of_two() {
        assert_eq!(mended(&text("neither n = 1 nor k = 2")), text("not (n = 1 or k = 2)"));
        assert_eq!(
            mended(&text("n = 0 and neither full nor empty(c)")),
            text("n = 0 and not (full or empty(c))")
        );
        assert_eq!(mended(&text("at[c] is neither X nor O")), text("at[c] not in { X, O }"));
        let two = text("neither n nor k = 2");
        assert_eq!((titles(&two).len(), mended(&two)), (1, two));
    }

    #[test]
    fn quantifiers_go_through_tuples() {
        for (theirs, ours) in [("exists", "some"), ("not exists", "no"), ("forall", "all"), ("every", "all")]
        {
            let old = text(&format!("{theirs} (p, q) in words: p = q"));
            assert_eq!(titles(&old), [format!("`{theirs}` is written `{ours}` here")]);
            assert_eq!(mended(&old), text(&format!("{ours} (p, q) in words: p = q")));
        }
        let there = text("there is (p, q) in words: p = q");
        assert_eq!(mended(&there), text("some (p, q) in words: p = q"));
        let any = text("any (p, q) in words: p = q");
        assert_eq!((titles(&any), mended(&any)), (vec!["`any` can mean `some` or `all`".to_owned()], any));
    }
}
