//! Iterators of Rust and streams of Java: `S.iter().all(|c| f)`, `S.iter().filter(|c| f).count()`,
//! `S.stream().anyMatch(c -> f)`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::lex::TokenKind;

/// Methods that make an iterator of a set, or a set of an iterator.
const ITERATORS: [&str; 9] =
    ["iter", "into_iter", "iter_mut", "stream", "values", "copied", "cloned", "collect", "toList"];

/// The title of the messages.
const TITLE: &str =
    "a set is gone through by a word before it: there are no iterators and no functions in bars";

/// A chain of methods, as far as it is read.
struct Chain {
    variable: String,
    set: String,
    conditions: Vec<String>,
    term: Option<String>,
}

impl Chain {
    /// The words that go through the set: `c in C where f`.
    fn head(&self) -> String {
        let name = if self.variable.is_empty() { "x" } else { &self.variable };
        match self.conditions.is_empty() {
            true => format!("{name} in {}", self.set),
            false => format!("{name} in {} where {}", self.set, self.conditions.join(" and ")),
        }
    }

    /// The chain as a set.
    fn as_set(&self) -> String {
        match &self.term {
            Some(term) => format!("{{ {term} for {} }}", self.head()),
            None if self.conditions.is_empty() => self.set.clone(),
            None => format!("{{ {} }}", self.head()),
        }
    }
}

impl FixFinder<'_> {
    /// Rewrites `S.iter().all(|c| f)` to `all c in S: f`, and the same of other methods.
    pub(super) fn iterator_chain(&self) -> Option<Fix> {
        let is_link = |&dot: &usize| {
            let method = self.layout.text(dot + 1);
            self.layout.text(dot) == "."
                && self.layout.text(dot + 2) == "("
                && (ITERATORS.contains(&method)
                    || self.layout.text(dot + 3) == "|" && self.closure_in(dot + 2).is_some())
        };
        let start = self.bounds.clause.max(self.bounds.first + 1) + 1;
        let dot = (start..=self.bounds.at).find(is_link)?;
        let first = self.start_of_term(dot);
        let (new, end, is_bare) = self.chain_from(first, dot)?;
        let before = self.layout.text(first.checked_sub(1)?);
        let stands_alone = matches!(before, "when" | "=" | ":=" | "(" | "and" | "or" | "if" | "+=" | "-=")
            && matches!(self.layout.text(end), ";" | "=>" | ")" | "{" | "then")
            && !(before == "=" && self.layout.text(self.bounds.clause) == "when");
        let new = if is_bare || stands_alone { new } else { format!("({new})") };
        let range = (self.range(first).0, self.range(end - 1).1);
        let label = (self.range(dot).0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, TITLE).at(label);
        Some(fix.help(format!("write `{}`", new.split_whitespace().collect::<Vec<_>>().join(" "))))
    }

    /// The variable of the function in the bracket at this word, and the first word of its term: `|c| f`,
    /// `|&c| f`, `c -> f`.
    fn closure_in(&self, open: usize) -> Option<(usize, usize)> {
        let text = |at: usize| self.layout.text(at);
        let mut at = open + 1;
        if text(at) != "|" {
            let is_arrow = self.is_name(at) && matches!(text(at + 1), "->" | "=>");
            return is_arrow.then_some((at, at + 2));
        }
        at += 1;
        while matches!(text(at), "&" | "(" | "mut" | "ref") {
            at += 1;
        }
        let bar = at + 1 + usize::from(text(at + 1) == ")");
        (self.is_name(at) && text(bar) == "|").then_some((at, bar + 1))
    }

    /// The term that stands for a chain of methods, the word behind it, and true if it needs no brackets.
    fn chain_from(&self, first: usize, dot: usize) -> Option<(String, usize, bool)> {
        let set = self.text(first, dot).to_owned();
        let mut chain = Chain { variable: String::new(), set, conditions: Vec::new(), term: None };
        let mut at = dot;
        let mut links = 0;
        while self.layout.text(at) == "." && self.layout.text(at + 2) == "(" {
            let open = at + 2;
            let close = self.layout.partner(open)?;
            let next = close + 1;
            links += 1;
            let method = self.layout.text(at + 1);
            let Some((name, body)) = self.closure_in(open) else {
                if close != open + 1 {
                    return None;
                }
                match method {
                    "count" | "len" | "size" if chain.term.is_none() => {
                        return Some((format!("#{}", chain.as_set()), next, true));
                    }
                    "sum" | "min" | "max" => {
                        let term = chain.term.clone()?;
                        return Some((format!("{method} {}: {term}", chain.head()), next, false));
                    }
                    _ if ITERATORS.contains(&method) => {}
                    _ => return None,
                }
                at = next;
                continue;
            };
            let is_whole = (body..close).all(|at| {
                self.layout.words[at].kind != TokenKind::Word || {
                    let word = self.layout.text(at);
                    word != "return" && word != "move"
                }
            });
            let name = self.layout.text(name);
            // Of other variables the terms would have to be rewritten.
            if chain.term.is_some() || !is_whole || !chain.variable.is_empty() && chain.variable != name {
                return None;
            }
            chain.variable = name.to_owned();
            let body = self.plain_closure(name, body, close);
            match method {
                "filter" => chain.conditions.push(joined(&body)),
                "map" => chain.term = Some(body),
                _ => {
                    let word = match method {
                        "all" | "every" | "allMatch" | "forall" => "all",
                        "any" | "some" | "anyMatch" | "exists" => "some",
                        "none" | "noneMatch" => "no",
                        "sum" | "sumOf" => "sum",
                        _ => return None,
                    };
                    return Some((format!("{word} {}: {body}", chain.head()), next, false));
                }
            }
            at = next;
        }
        (links > 1 || !chain.conditions.is_empty() || chain.term.is_some())
            .then(|| (chain.as_set(), at, true))
    }

    /// The term of a function, without the `*` and `&` before its variable, and with the signs of this
    /// language.
    pub(super) fn plain_closure(&self, name: &str, body: usize, close: usize) -> String {
        let mut term = String::new();
        let mut last = self.range(body).0;
        for at in body..close {
            let (start, end) = self.range(at);
            term += self.layout.source.get(last..start).unwrap_or_default();
            last = end;
            let is_reference = matches!(self.layout.text(at), "*" | "&")
                && self.layout.text(at + 1) == name
                && (at == body || !self.ends_term(at - 1));
            term += match self.layout.text(at) {
                _ if is_reference => "",
                "==" => "=",
                "&&" => "and",
                "||" => "or",
                word => word,
            };
        }
        term
    }
}

/// A condition that `and` may join to others.
fn joined(condition: &str) -> String {
    let is_joined = condition.split_whitespace().any(|word| matches!(word, "or" | "implies" | "iff" | "if"));
    if is_joined { format!("({condition})") } else { condition.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn iterators_are_words_before_a_set() {
        for (theirs, ours) in [
            ("C.iter().all(|c| at[c] != none)", "all c in C: at[c] != none"),
            ("C.iter().any(|&c| at[c] = none)", "some c in C: at[c] = none"),
            ("C.all(|c| at[c] = none)", "all c in C: at[c] = none"),
            ("C.stream().anyMatch(c -> at[c] = none)", "some c in C: at[c] = none"),
            ("C.iter().filter(|c| at[*c] = none).any(|c| f(c))", "some c in C where at[c] = none: f(c)"),
        ] {
            let text = |condition: &str| format!("end {{ when {condition} => draw; }}\n");
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(titles(&text(theirs)), [super::TITLE], "{theirs}");
        }
        for (theirs, ours) in [
            ("C.iter().filter(|c| at[c] = none).count()", "#{ c in C where at[c] = none }"),
            ("C.iter().map(|c| n[c]).sum()", "sum c in C: n[c]"),
            ("C.iter().map(|c| n[c]).max() + 1", "(max c in C: n[c]) + 1"),
            ("C.iter().filter(|c| at[c] = none).collect()", "{ c in C where at[c] = none }"),
            ("C.iter().filter(|c| at[c] = none)", "{ c in C where at[c] = none }"),
        ] {
            let text = |value: &str| format!("def free = {value};\n");
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(titles(&text(theirs)), [super::TITLE], "{theirs}");
        }
    }

    #[test]
    fn functions_with_an_arrow_are_told_elsewhere() {
        let text = "def f = C.filter(c => at[c] = none).length > 2;\n";
        assert_eq!(titles(text), ["sets have no method `filter`, and functions no arrow"]);
    }

    #[test]
    fn other_variables_are_not_exchanged() {
        let text = "def f = C.iter().filter(|c| g(c)).all(|d| h(d));\n";
        assert_eq!(mended(text), text);
    }
}
