//! Words before sets as other languages and plain English have them: `min { ... }`, `sum e for x in S`, `f for all x in
//! S`, `at least 2 x in S: f`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The words that end a term in a condition.
const TERM_ENDS: [&str; 17] =
    ["=", "!=", "<", "<=", ">", ">=", "==", "and", "or", "implies", "iff", "then", "=>", ";", ")", "}", ","];
/// The words that end a condition of which no other condition is a part.
const CONDITION_ENDS: [&str; 9] = ["and", "or", "implies", "iff", "=>", ";", ")", "}", ","];

impl FixFinder<'_> {
    /// Fixes and explanations of words before sets.
    pub fn set_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.word_before_braces(),
            self.binder_in_a_call(),
            self.generator(),
            self.quantifier_behind(),
            self.number_of_elements(),
            self.word_over(),
            self.element_by_its_value(),
            self.count_of_a_field_and_a_value(),
            self.arguments_without_brackets(),
            self.else_if_without_a_condition(),
            self.not_none(),
            self.rules_for_each_in_braces(),
            self.type_of_several_parameters(),
            self.parameters_by_an_arrow(),
            self.field_set_by_let(),
            self.parameter_by_its_range(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `min { ... }`, `count { ... }`, `sum { ... }`, `some { ... }` and the like, also with `of`.
    fn word_before_braces(&self) -> Option<Fix> {
        let (open, close) = (self.bounds.at, self.layout.partner(self.bounds.at)?);
        let has_of = matches!(self.last, "of" | "in" | "over");
        let word_at = open.checked_sub(1 + usize::from(has_of)).filter(|_| self.word == "{")?;
        let word = self.layout.text(word_at);
        let inner = self.text(open + 1, close);
        let braces = format!("{{ {inner} }}");
        let inside = |words: &[&str]| self.outside_brackets(open + 1, words).filter(|&at| at < close);
        let (made, condition) = (inside(&["for"]), inside(&["where"]));
        let is_binder = made.is_none() && self.layout.text(open + 2) == "in";
        let quantified = matches!(word, "some" | "all" | "no" | "one");
        let is_quantifier = quantified || matches!(word, "count" | "sum" | "union" | "min" | "max");
        let start = self.range(word_at).0;
        if self.layout.text(close + 1) == ":" && is_binder && is_quantifier {
            let new = format!("{word} {inner}");
            let title = format!("`{word}` names its variable without braces");
            let range = (start, self.range(close).1);
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}: ...`")));
        }
        let (new, title) = match word {
            "min" | "max" => (
                format!("{word}({braces})"),
                format!("`{word}` is a function: the set stands in round brackets"),
            ),
            "count" | "size" | "number" | "length" | "cardinality" => {
                (format!("#{braces}"), "`#S` says how many elements a set has".to_owned())
            }
            "empty" => (format!("({braces} = {{}})"), "the empty set is `{}`".to_owned()),
            "sum" | "union" => {
                let new = match made {
                    Some(of) => {
                        let (term, binders) = (self.text(open + 1, of), self.text(of + 1, close));
                        format!("({word} {binders}: {term})")
                    }
                    None if is_binder => format!("({word} {inner}: {})", self.layout.text(open + 1)),
                    None => format!("({word} x in {braces}: x)"),
                };
                (new, format!("`{word}` goes through a set, one element after the other"))
            }
            "some" | "all" | "no" | "one" => {
                let new = match (condition.filter(|_| is_binder), word) {
                    (Some(of), "some" | "no" | "one") => {
                        let (binder, condition) = (self.text(open + 1, of), self.text(of + 1, close));
                        format!("({word} {binder}: {condition})")
                    }
                    (None, "some") => format!("({braces} != {{}})"),
                    (None, "no") => format!("({braces} = {{}})"),
                    _ => return None,
                };
                (new, format!("`{word}` names a variable, the set that it goes through, and a condition"))
            }
            _ => return None,
        };
        let range = (start, self.range(close).1);
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `min(x in S: e)` to `(min x in S: e)`.
    fn binder_in_a_call(&self) -> Option<Fix> {
        let is_next = matches!(self.word, ":" | "where");
        let open = self.bracket_around(self.bounds.at, self.bounds.at).filter(|_| is_next)?;
        let word = self.layout.text(open.checked_sub(1)?);
        let is_call = self.layout.text(open) == "("
            && matches!(word, "min" | "max" | "union")
            && self.layout.text(open + 2) == "in";
        let close = self.layout.partner(open).filter(|_| is_call)?;
        let new = format!("({word} {})", self.text(open + 1, close));
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("the brackets stand around `{word}` and all that belongs to it");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `sum e for x in S` to `(sum x in S: e)`, and the same of other words.
    fn generator(&self) -> Option<Fix> {
        let is_word = |at: usize| {
            let word = self.layout.text(at);
            matches!(word, "sum" | "count" | "min" | "max" | "union" | "some" | "all" | "no" | "one")
        };
        let start = (self.bounds.clause..self.bounds.at).rev().take(3).find(|&at| is_word(at))?;
        let word = self.layout.text(start);
        let of = self.outside_brackets(start + 1, &["for", ":", "=>", ";", "in", "where"])?;
        let is_generator = self.layout.text(of) == "for"
            && keywords::starts_with_letter(self.layout.text(of + 1))
            && self.layout.text(of + 2) == "in"
            && of > start + 1;
        if !is_generator || self.layout.text(start + 1) == "(" && self.layout.partner(start + 1)? + 1 != of {
            return None;
        }
        let ends: &[&str] = match self.outside_brackets(of + 3, &["where", "if", "=>", ";"]) {
            Some(at) if matches!(self.layout.text(at), "where" | "if") => &CONDITION_ENDS,
            _ => &TERM_ENDS,
        };
        let end = self.outside_brackets(of + 3, ends)?;
        let (term, binder) = (self.text(start + 1, of), self.text(of + 1, end).replace(" if ", " where "));
        let new = format!("({word} {binder}: {term})");
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = format!("`{word}` names its variable first, and then the term");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `f for all x in S` to `all x in S: f`.
    fn quantifier_behind(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = match (self.word, self.layout.text(at + 1)) {
            ("for", "all" | "every" | "each") => "all",
            ("for", "some") => "some",
            ("for", "no") => "no",
            _ => return None,
        };
        let is_binder =
            keywords::starts_with_letter(self.layout.text(at + 2)) && self.layout.text(at + 3) == "in";
        let end = self.outside_brackets(at + 4, &CONDITION_ENDS).filter(|_| is_binder)?;
        let begins = |&word: &usize| {
            matches!(self.layout.text(word), "when" | "ensure" | "expect" | "(" | "and" | "or" | "implies")
                // The bracket of a call that is a part of the condition begins nothing.
                && self.layout.partner(word).is_none_or(|close| close > at)
        };
        let clause = self.bounds.clause;
        let is_definition = self.layout.text(clause) == "def";
        let after_equals = || self.outside_brackets(clause, &["="]).filter(|&equals| equals < at);
        let begin = (clause..at).rev().find(begins).or_else(|| after_equals().filter(|_| is_definition))?;
        let (condition, binder) = (self.text(begin + 1, at), self.text(at + 2, end));
        let new = format!("({word} {binder}: {condition})");
        let range = (self.range(begin + 1).0, self.range(end - 1).1);
        let title = format!("`{word}` and its variable stand before the condition");
        (begin + 1 < at).then(|| Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `at least 2 x in S: f` to `(count x in S: f) >= 2`, and `exactly one x in S: f` to `one x in S: f`.
    fn number_of_elements(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let (start, sign) = match (self.last, self.word) {
            ("at", "least") => (at - 1, ">="),
            ("at", "most") => (at - 1, "<="),
            ("more", "than") => (at - 1, ">"),
            ("fewer" | "less", "than") => (at - 1, "<"),
            ("exactly" | "precisely", _) => (at - 1, "="),
            _ => return None,
        };
        let number = if sign == "=" { at } else { at + 1 };
        let word = self.layout.text(number);
        let amount = match word {
            "one" => "1",
            "two" => "2",
            "three" => "3",
            "four" => "4",
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => word,
            _ => return None,
        };
        let is_binder = keywords::starts_with_letter(self.layout.text(number + 1))
            && self.layout.text(number + 2) == "in";
        if !is_binder {
            return None;
        }
        if (sign, word) == ("=", "one") {
            let range = (self.range(start).0, self.range(at).1);
            let title = "`one` means that there is exactly one";
            return Some(Fix::new(range, "one", Code::E0013, title).help("write `one x in S: ...`"));
        }
        let end = self.outside_brackets(number + 3, &CONDITION_ENDS)?;
        let new = format!("(count {}) {sign} {amount}", self.text(number + 1, end));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "a number of elements is counted and compared";
        // Whether a second condition belongs to the first is for the writer to say.
        let is_whole = matches!(self.layout.text(end), "=>" | ";" | ")" | "}");
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { is_correction: is_whole, ..fix })
    }

    /// Rewrites `min over x in S: e` to `(min x in S: e)`, and the same of other words.
    fn word_over(&self) -> Option<Fix> {
        let over = self.bounds.at.checked_sub(1)?;
        let over = if matches!(self.word, "over" | "of") { self.bounds.at } else { over };
        let start = over.checked_sub(1)?;
        let word = self.layout.text(start);
        let is_known = matches!(self.layout.text(over), "over" | "of")
            && matches!(word, "min" | "max" | "sum" | "union" | "count")
            && self.layout.text(over + 2) == "in";
        let colon = self.outside_brackets(over + 3, &[":", "=>", ";"]).filter(|_| is_known)?;
        if self.layout.text(colon) != ":" {
            return None;
        }
        let ends: &[&str] = if word == "count" { &["=>", ";", ")", "}"] } else { &TERM_ENDS };
        let end = self.outside_brackets(colon + 1, ends)?;
        let new = format!("({word} {})", self.text(over + 1, end));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = format!("`{word}` is followed by its variable");
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { is_correction: word != "count", ..fix })
    }

    /// Explains `argmin x in S: e` and `first x in S: f`.
    fn element_by_its_value(&self) -> Option<Fix> {
        let name = self.bounds.at;
        let is_binder = self.layout.text(name + 1) == "in" && keywords::starts_with_letter(self.word);
        let colon = self.outside_brackets(name + 2, &[":", "where", "=>", ";"]).filter(|_| is_binder)?;
        let (variable, set) = (self.word, self.text(name + 2, colon));
        let (title, help) = match self.last {
            word @ ("argmin" | "argmax") => {
                let best = &word[3..];
                let title = format!("there is no `{word}`: several elements may have the same value");
                let term = match self.outside_brackets(colon + 1, &TERM_ENDS) {
                    Some(end) if self.layout.text(colon) == ":" => self.text(colon + 1, end),
                    _ => "e",
                };
                let help = format!(
                    "write `def {best}imum = {best} {variable} in {set}: {term};` and, for the first element with that \
                     value, `min({{ {variable} in {set} where {term} = {best}imum }})`"
                );
                (title, help)
            }
            word @ ("first" | "last") => {
                let best = if word == "first" { "min" } else { "max" };
                let title = format!("the {word} element of a set is its `{best}`");
                (title, format!("write `{best}({{ {variable} in {set} where ... }})`"))
            }
            _ => return None,
        };
        let end = self.outside_brackets(colon + 1, &["=>", ";", ")", "}"]).unwrap_or(self.bounds.end);
        let range = (self.range(name - 1).0, self.range(end - 1).1);
        let label = (self.range(name - 1).0, self.range(colon - 1).1);
        Some(explained(range, DAMAGE_MARKER, &title, help).at(label))
    }

    /// Explains `count(at, X)`.
    fn count_of_a_field_and_a_value(&self) -> Option<Fix> {
        let close = [self.bounds.at, self.bounds.at.checked_sub(1)?];
        let close = close.into_iter().find(|&at| self.layout.text(at) == ")")?;
        let open = self.layout.partner(close)?;
        let word = self.layout.text(open.checked_sub(1)?);
        let (field, value) = (self.layout.text(open + 1), self.layout.text(open + 3));
        let is_pair = matches!(word, "count" | "all" | "some" | "no" | "one")
            && self.layout.text(open + 2) == ","
            && close == open + 4
            && [field, value].into_iter().all(keywords::starts_with_letter);
        is_pair.then(|| {
            let range = (self.range(open - 1).0, self.range(close).1);
            let title = format!("`{word}` is no function: it names a variable and the set it goes through");
            let help = format!(
                "write `({word} c in Cell: {field}[c] = {value})`, with the board of the field `{field}`"
            );
            explained(range, DAMAGE_MARKER, &title, help).at(range)
        })
    }

    /// Rewrites `max a, b` to `max(a, b)`.
    fn arguments_without_brackets(&self) -> Option<Fix> {
        let is_word = |&at: &usize| matches!(self.layout.text(at), "min" | "max");
        let start = (self.bounds.clause..self.bounds.at).rev().take(2).find(is_word)?;
        let word = self.layout.text(start);
        let comma = self.outside_brackets(start + 1, &[",", "=", "<", ">", ";", "=>", ":", "in"])?;
        if self.layout.text(comma) != "," {
            return None;
        }
        let end = self.outside_brackets(comma + 1, &TERM_ENDS)?;
        let new = format!("{word}({})", self.text(start + 1, end));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = format!("`{word}` is a function: its arguments stand in round brackets");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Explains `else if { ... }`.
    fn else_if_without_a_condition(&self) -> Option<Fix> {
        let is_empty = |&at: &usize| {
            self.layout.text(at) == "else"
                && self.layout.text(at + 1) == "if"
                && self.layout.text(at + 2) == "{"
                && matches!(self.layout.text(at + 3), word if keywords::starts_with_letter(word))
        };
        let at = (self.bounds.first..self.bounds.at).rev().take(12).find(is_empty)?;
        let title = "`else if` needs a condition";
        let help = "write `else if condition { ... }`, or `else { ... }` for all other cases";
        let range = (self.range(at + 1).0, self.range(at + 2).0);
        Some(explained(range, "", title, help).at((self.range(at).0, self.range(at + 1).1)))
    }

    /// Rewrites `at[c] not none` to `at[c] != none`.
    fn not_none(&self) -> Option<Fix> {
        let is_negated = self.word == "none" && self.last == "not";
        let range = (self.range(self.bounds.at.checked_sub(1)?).0, self.here().1);
        let title = "`not` is for conditions; that two values differ is `!=`";
        is_negated.then(|| Fix::new(range, "!= none", Code::E0013, title).help("write `!= none`"))
    }

    /// Rewrites `for p in Player { when f => p wins; }` in the end to `for p in Player when f => p wins;`.
    fn rules_for_each_in_braces(&self) -> Option<Fix> {
        let (clause, open) = (self.bounds.clause, self.bounds.at);
        let is_loop = self.bounds.place == ClauseContext::End
            && self.word == "{"
            && matches!(self.layout.text(clause), "for" | "foreach");
        let close = self.layout.partner(open).filter(|_| is_loop)?;
        let first = self.outside_brackets(open + 1, &[";"])?;
        let title = "a rule for each element has the `for` before its `when`";
        let head = self.text(clause, open);
        if first + 1 == close && self.layout.text(open + 1) == "when" {
            let new = format!("{head} {}", self.text(open + 1, close));
            let range = (self.range(clause).0, self.range(close).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `{new}`")));
        }
        let range = (self.range(clause).0, self.range(close).1);
        let help = format!("write `{head} when ... => ...;` for each rule");
        Some(explained(range, "when stuck => draw;", title, help).at(self.here()))
    }

    /// Rewrites `move go(from, to: Cell)` to `move go(from: Cell, to: Cell)`.
    fn type_of_several_parameters(&self) -> Option<Fix> {
        let mut last = self.bounds.at;
        let is_name = |at: usize| {
            let word = self.layout.text(at);
            keywords::starts_with_letter(word) && !keywords::is_reserved(word)
        };
        if self.word != "," || !is_name(last.checked_sub(1)?) {
            return None;
        }
        let open = self.bracket_around(last, last)?;
        while self.layout.text(last) == "," && is_name(last + 1) {
            last += 2;
        }
        let end =
            self.outside_brackets(last + 1, &[",", ")", "]"]).filter(|_| self.layout.text(last) == ":")?;
        if !matches!(self.layout.text(open), "(" | "[") || last < self.bounds.at + 2 {
            return None;
        }
        let ty = self.text(last + 1, end);
        let names = (self.bounds.at - 1..last).step_by(2);
        let new =
            names.map(|name| format!("{}: {ty}", self.layout.text(name))).collect::<Vec<_>>().join(", ");
        let range = (self.range(self.bounds.at - 1).0, self.range(end - 1).1);
        let title = "each parameter has its type";
        let is_own = ty == "Player" || ty == "Cell" || self.outline().declares_type(ty);
        if !is_own {
            let name = self.layout.text(self.bounds.at - 1);
            let rest = self.text(self.bounds.at + 1, end);
            let help = format!(
                "write `{new}` if all have this type, `{name}: Type, {rest}` with the type of `{name}` if it has its own"
            );
            // A wrong type of the first would make the uses of its name mistakes too.
            let typed = |name| format!("{}: {}", self.layout.text(name), super::fallback::DAMAGE_MARKER);
            let unknown: Vec<String> = (self.bounds.at - 1..last - 1).step_by(2).map(typed).collect();
            let sound = format!("{}, {}: {ty}", unknown.join(", "), self.layout.text(last - 1));
            return Some(super::phrases::explained(range, &sound, title, help));
        }
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `move go(from: Cell -> to: Cell)` to `move go(from: Cell, to: Cell)`.
    fn parameters_by_an_arrow(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_arrow = matches!(self.word, "->" | "=>" | "-" | ";" | "|")
            && keywords::starts_with_letter(self.layout.text(at + 1))
            && self.layout.text(at + 2) == ":";
        let open = self.bracket_around(at, at).filter(|_| is_arrow)?;
        let is_head = self.layout.text(open) == "("
            && (self.bounds.first..open)
                .any(|at| matches!(self.layout.text(at), "move" | "chance" | "def" | "effect"));
        let title = "parameters are separated by commas";
        (is_head && self.layout.text(open + 2) == ":")
            .then(|| Fix::new(self.here(), ",", Code::E0013, title).help("write `,`"))
    }

    /// Rewrites `let at[c] = me;` in a move to `at[c] := me;`.
    fn field_set_by_let(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = clause + 2;
        let is_let = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "let" | "set" | "var")
            && self.layout.text(open) == "[";
        let equals = self.layout.partner(open).filter(|_| is_let)? + 1;
        let target = self.text(clause + 1, equals);
        let range = (self.range(clause).0, self.range(equals).1);
        let title = "a field is changed by `:=`, and `let` names a value";
        matches!(self.layout.text(equals), "=" | ":=" | "to").then(|| {
            let new = format!("{target} :=");
            Fix::new(range, &new, Code::E0013, title)
                .at(self.range(clause))
                .help(format!("write `{new} ...;`"))
        })
    }

    /// Explains `param n = 5..9;`, and rewrites `param n = 5 : 1..9;` to `param n: 1..9 = 5;`.
    fn parameter_by_its_range(&self) -> Option<Fix> {
        let equals = self.bounds.first + 2;
        let is_param = self.layout.text(self.bounds.first) == "param" && self.layout.text(equals) == "=";
        let end = self.outside_brackets(equals, &[";"]).filter(|_| is_param && self.bounds.at == equals)?;
        let name = self.layout.text(equals - 1);
        let range = (self.range(equals - 1).1, self.range(end - 1).1);
        let label = (self.range(equals + 1).0, range.1);
        let sign = self.outside_brackets(equals + 1, &[":", ".."]).filter(|&sign| sign < end)?;
        if self.layout.text(sign) == ":" {
            let new = format!(": {} = {}", self.text(sign + 1, end), self.text(equals + 1, sign));
            let title = "a parameter has its type before its value";
            return Some(
                Fix::new(range, &new, Code::E0013, title)
                    .at(label)
                    .help(format!("write `param {name}{new};`")),
            );
        }
        let (set, low) = (self.text(equals + 1, end), self.text(equals + 1, sign));
        let new = format!(": {set} = {low}");
        let title = "a parameter has a range of values, and one of them";
        Some(
            explained(
                range,
                &new,
                title,
                format!("write `param {name}{new};`, with the value that you want"),
            )
            .at(label),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn a_parameter_may_lack_its_own_type() {
        let text = "move go(from, to: Cell) { n := 1; }\n";
        assert_eq!(mended(text), text.replace("from,", "from: Cell,"));
        let text = "move step(from, d: Orthogonal) { n := 1; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].contains("`from: Type, d: Orthogonal`"), "{:?}", helps(text));
    }
}
