//! Clauses written as in programs: Python's comprehensions and bodies after a colon, functions with an arrow as in
//! JavaScript, loops that go on while a condition holds, cases by `switch`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::Code;
use crate::lex::TokenKind;

/// The maximal number of brackets around a mistake in which a comprehension is looked for.
const MAX_NESTING: usize = 3;

/// A term with single blanks for its line ends.
fn on_one_line(term: &str) -> String {
    term.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl FixFinder<'_> {
    /// Rewrites clauses in the form of programs.
    pub fn programs(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.body_after_colon(),
            self.block_as_a_definition(),
            self.let_with_semicolon(),
            self.comprehension(),
            self.arrow_function(),
            self.length_of_a_set(),
            self.repeated_while(),
            self.switch(),
            self.pass_as_an_effect(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `def f(x: T): e` to `def f(x: T) = e;`.
    fn body_after_colon(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let close = self.layout.partner(first + 2).filter(|_| self.layout.text(first) == "def")?;
        let colon = close + 1;
        let start = colon + 1 + usize::from(self.layout.text(colon + 1) == "return");
        let end = self.layout.item_end(first);
        let is_type = |word: &str| {
            matches!(word, "bool" | "set" | "list") || word.starts_with(|c: char| !c.is_ascii_lowercase())
        };
        if self.layout.text(colon) != ":" || start >= end || is_type(self.layout.text(start)) {
            return None;
        }
        let body = self.text(start, end).trim_end_matches(';').trim_end();
        let range = (self.range(colon).0, self.range(end - 1).1);
        let title = "a definition is one expression after `=`";
        let fix = Fix::new(range, &format!("= {body};"), Code::E0013, title).at(self.range(colon));
        Some(fix.help("write `=` in place of the `:`, and `;` at the end"))
    }

    /// Rewrites `def f(x: T) = { let y = e; g }` and `def f(x: T) { let y = e; g }` to `def f(x: T) = let y = e: g;`.
    fn block_as_a_definition(&self) -> Option<Fix> {
        let first = self.bounds.first;
        if self.layout.text(first) != "def" {
            return None;
        }
        let mut open = first + 2;
        if self.layout.text(open) == "(" {
            open = self.layout.partner(open)? + 1;
        }
        let start = open;
        open += usize::from(self.layout.text(open) == "=");
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let begins_with_let = self.layout.text(open + 1) == "let";
        let body = self.lets_with_colons(open + 1, close).filter(|_| begins_with_let)?;
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(start).0, self.range(last).1);
        let title = "a definition is one expression: no braces, and `:` after each `let`";
        let fix = Fix::new(range, &format!("= {body};"), Code::E0013, title).at(self.range(open));
        Some(fix.help(format!("write `= {};`", on_one_line(&body))))
    }

    /// Rewrites `let y = e; g` in an expression to `let y = e: g`.
    fn let_with_semicolon(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = (self.bounds.clause + 1..at).find(|&word| self.layout.text(word) == "let")?;
        let mut end = at;
        while self.layout.text(end) == ";" {
            let is_let = self.layout.text(end + 1) == "let";
            end = self.end_of_term(end + 1);
            if !is_let {
                break;
            }
        }
        let new = self.lets_with_colons(first, end).filter(|_| self.word == ";")?;
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "a `let` in an expression ends with `:`, before the term that uses it";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{}`", on_one_line(&new))))
    }

    /// The first word from `from` on that ends a term: a `;`, or a bracket that closes one around the term.
    fn end_of_term(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.layout.words.len() && self.layout.text(at) != ";" {
            match self.layout.words[at].kind {
                TokenKind::Close => break,
                TokenKind::Open => at = self.layout.partner(at).unwrap_or(self.layout.words.len()) + 1,
                _ => at += 1,
            }
        }
        at.min(self.layout.words.len())
    }

    /// The words from `from` up to `to`, statements `let y = e;` and a term, with `:` for the `;` of the statements and
    /// without a `return` and a `;` of the term.
    fn lets_with_colons(&self, from: usize, to: usize) -> Option<String> {
        let mut new = String::new();
        let mut at = from;
        while self.layout.text(at) == "let" {
            let end = self.outside_brackets(at, &[";", ":"]).filter(|&end| end < to)?;
            new += &format!("{}: ", self.text(at, end));
            at = end + 1;
        }
        at += usize::from(self.layout.text(at) == "return");
        let term = self.text(at, to).trim_end_matches(';').trim_end();
        (at < to && !term.contains(';')).then(|| new + term)
    }

    /// Rewrites `[e for x in S if f]` to `{ e for x in S where f }`, and `all(f for x in S)` to `(all x in S: f)`.
    fn comprehension(&self) -> Option<Fix> {
        let mut open = self.bounds.at + 1;
        for _ in 0..MAX_NESTING {
            open = self.bracket_around(open, self.bounds.at)?;
            if let Some(of) = self.outside_brackets(open + 1, &["for"]).filter(|&at| at > open + 1)
                && self.layout.text(of + 2) == "in"
            {
                return self.rewritten_comprehension(open, of, None);
            }
        }
        None
    }

    /// The bracket before `before` that is open at this word.
    pub(super) fn bracket_around(&self, before: usize, word: usize) -> Option<usize> {
        let opens = |&at: &usize| {
            self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Open)
                && self.layout.partner(at).is_some_and(|close| close >= word)
        };
        (self.bounds.first..before.min(self.layout.words.len())).rev().find(opens)
    }

    /// Rewrites the comprehension between the bracket `open` and its partner; `inner` is its term if that is a
    /// rewritten comprehension itself.
    fn rewritten_comprehension(&self, open: usize, of: usize, inner: Option<String>) -> Option<Fix> {
        let close = self.layout.partner(open)?;
        let condition = self.outside_brackets(of + 3, &["if"]).filter(|&at| at < close);
        let domain_end = condition.unwrap_or(close);
        let name = self.layout.text(of + 1);
        let term = inner.as_deref().unwrap_or(self.text(open + 1, of));
        let domain = self.text(of + 3, domain_end);
        let filter = condition.map_or(String::new(), |at| format!(" where {}", self.text(at + 1, close)));
        if domain.is_empty() || self.layout.text(open) == "{" && condition.is_none() {
            return None;
        }
        let function =
            if self.layout.text(open) == "(" { self.layout.text(open.wrapping_sub(1)) } else { "" };
        let quantifier = match function {
            "any" | "some" => "some",
            "all" | "every" => "all",
            "sum" | "min" | "max" => function,
            "len" => "count",
            _ => "",
        };
        // A condition has no sum, and is counted.
        let is_condition = |word: &str| {
            matches!(word, "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" | "and" | "or" | "is")
        };
        let counts = quantifier == "sum"
            && inner.is_none()
            && (open + 1..of).any(|at| is_condition(self.layout.text(at)));
        let (new, title, start) = match quantifier {
            _ if counts => (
                format!("(count {name} in {domain}{filter}: {term})"),
                "conditions have no sum: `count` says how many hold".to_owned(),
                open - 1,
            ),
            "count" if condition.is_some() => (
                format!("#{{ {name} in {domain}{filter} }}"),
                "a number of elements is `#` before a set".to_owned(),
                open - 1,
            ),
            "count" => return None,
            "" if term == name => (
                format!("{{ {name} in {domain}{filter} }}"),
                "a set is made in braces, with its condition after `where`".to_owned(),
                open,
            ),
            "" => (
                format!("{{ {term} for {name} in {domain}{filter} }}"),
                "a set is made in braces, with its condition after `where`".to_owned(),
                open,
            ),
            _ => (
                format!("({quantifier} {name} in {domain}{filter}: {term})"),
                format!("`{quantifier}` goes through a set, one element after the other"),
                open - 1,
            ),
        };
        // `any(all(f for x in l) for l in S)`
        if let Some(around) = start.checked_sub(1).filter(|&around| self.layout.partner(around).is_some())
            && self.layout.text(close + 1) == "for"
            && self.layout.text(close + 3) == "in"
        {
            return self.rewritten_comprehension(around, close + 1, Some(new));
        }
        let range = (self.range(start).0, self.range(close).1);
        let label = (self.range(of).0, self.range(of).1);
        Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")))
    }

    /// Rewrites `S.some(x => f)` to `(some x in S: f)`.
    fn arrow_function(&self) -> Option<Fix> {
        let dot = (self.bounds.clause..=self.bounds.at).rev().find(|&at| self.is_arrow_method(at))?;
        if let Some(fix) = self.other_arrow_method(dot) {
            return Some(fix);
        }
        let (first, close, new) = self.without_arrow(dot)?;
        let title = format!("sets have no method `{}`, and functions no arrow", self.layout.text(dot + 1));
        let range = (self.range(first).0, self.range(close).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(dot).0, self.range(dot + 1).1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Explains `S.forEach(x => ...)` and other methods that no term of the same form stands for.
    fn other_arrow_method(&self, dot: usize) -> Option<Fix> {
        let help = match self.layout.text(dot + 1) {
            "forEach" | "each" => {
                "effects on each element are `for x in S { ... }`, in a move; the values of a term are `{ e for x in S }`"
            }
            "reduce" | "fold" => {
                "write `sum x in S: e`, `min x in S: e`, `max x in S: e` or `count x in S: f`"
            }
            "find" => "write `one x in S: f` for the only element that fits",
            "sort" | "findIndex" | "indexOf" => "sets have no order: `min(S)` and `max(S)` give their ends",
            "flatMap" => "write `union x in S: e`",
            _ => return None,
        };
        let close = self.layout.partner(dot + 2)?;
        let first = self.start_of_term(dot);
        let title = format!("sets have no method `{}`, and functions no arrow", self.layout.text(dot + 1));
        let range = (self.range(first).0, self.range(close).1);
        let fix = Fix::new(range, super::fallback::DAMAGE_MARKER, Code::E0013, title).help(help);
        Some(Fix { is_correction: false, ..fix.at((self.range(dot).0, self.range(dot + 1).1)) })
    }

    /// Returns true if `.name(x =>` begins at this word.
    fn is_arrow_method(&self, dot: usize) -> bool {
        let word = |ahead: usize| self.layout.text(dot + ahead);
        word(0) == "." && word(2) == "(" && matches!(word(4), "=>" | "->")
    }

    /// The term that stands for a method with an arrow, and those within it, with the first and the last word that it
    /// replaces.
    fn without_arrow(&self, dot: usize) -> Option<(usize, usize, String)> {
        let close = self.layout.partner(dot + 2)?;
        let first = self.start_of_term(dot);
        let set = self.layout.source.get(self.range(first).0..self.range(dot - 1).1)?;
        let (name, start) = (self.layout.text(dot + 3), dot + 5);
        let body = match (start..close).find(|&at| self.is_arrow_method(at)) {
            Some(inner) => {
                let (from, to, new) = self.without_arrow(inner)?;
                let before = self.layout.source.get(self.range(start).0..self.range(from).0)?;
                let after = self.layout.source.get(self.range(to).1..self.range(close).0)?;
                format!("{before}{new}{after}")
            }
            None => self.text(start, close).to_owned(),
        };
        let body = body.replace("!==", "!=").replace("===", "=");
        let is_counted = self.layout.text(close + 1) == "."
            && matches!(self.layout.text(close + 2), "length" | "size" | "count");
        if is_counted && self.layout.text(dot + 1) == "filter" {
            let last = close + if self.layout.text(close + 3) == "(" { 4 } else { 2 };
            return Some((first, last, format!("(count {name} in {set}: {body})")));
        }
        let new = match self.layout.text(dot + 1) {
            "some" | "any" => format!("(some {name} in {set}: {body})"),
            "every" | "all" => format!("(all {name} in {set}: {body})"),
            "filter" => format!("{{ {name} in {set} where {body} }}"),
            "map" => format!("{{ {body} for {name} in {set} }}"),
            _ => return None,
        };
        Some((first, close, new))
    }

    /// Rewrites `S.length` to `#S`, where it cannot be read.
    fn length_of_a_set(&self) -> Option<Fix> {
        let dot = self.bounds.at.checked_sub(2).filter(|&at| self.layout.text(at) == ".")?;
        let is_length = matches!(self.last, "length" | "size" | "count") && self.word == "(";
        let close = self.layout.partner(self.bounds.at).filter(|&close| close == self.bounds.at + 1)?;
        let first = self.start_of_term(dot);
        let set = self.layout.source.get(self.range(first).0..self.range(dot - 1).1)?;
        let range = (self.range(first).0, self.range(close).1);
        let title = "a number of elements is `#` before a set";
        is_length.then(|| {
            let new = format!("#{set}");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// The range of a clause with the block behind it, if the clause begins with one of these words.
    fn block_of(&self, words: &[&str]) -> Option<(usize, usize)> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let begins = self.bounds.place == ClauseContext::Move && words.contains(&self.layout.text(clause));
        let open =
            (clause..self.layout.words.len()).find(|&at| matches!(self.layout.text(at), "{" | ";" | "}"))?;
        let close = self.layout.partner(open).filter(|_| begins && self.layout.text(open) == "{")?;
        (at <= close).then(|| (self.range(clause).0, self.range(close).1))
    }

    /// Leaves out `while f { ... }`.
    fn repeated_while(&self) -> Option<Fix> {
        let range = self.block_of(&["while", "until", "loop"])?;
        let word = self.layout.text(self.bounds.clause);
        let title = format!("there is no `{word}`: the effects of a move are made once");
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(self.bounds.clause)).help(
            "write `for x in S { ... }` for effects on each element; what a player repeats is a move, made again and again",
        );
        Some(Fix { is_correction: false, ..fix })
    }

    /// Leaves out `switch e { ... }`.
    fn switch(&self) -> Option<Fix> {
        let range = self.block_of(&["switch", "case"])?;
        let word = self.layout.text(self.bounds.clause);
        let title = format!("there is no `{word}`: cases of effects are told apart by `if`");
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(self.bounds.clause)).help(
            "write `if e = A { ... } else if e = B { ... }`, or choose a value by `match e { A => 1, _ => 2 }`",
        );
        Some(Fix { is_correction: false, ..fix })
    }

    /// Removes `pass;` among effects.
    fn pass_as_an_effect(&self) -> Option<Fix> {
        let is_pass = matches!(self.last, "pass" | "skip" | "continue") && self.word == ";";
        let at = self.bounds.at.checked_sub(1).filter(|&at| at == self.bounds.clause)?;
        (is_pass && self.bounds.place == ClauseContext::Move).then(|| {
            let title = format!("`{}` is no effect: where nothing changes, nothing is written", self.last);
            let mut range = (self.range(at).0, self.here().1);
            // An `if` with nothing else in its braces goes as well.
            let open = self.bracket_around(at, at).filter(|&open| open + 1 == at);
            let block = open.and_then(|open| Some((open, self.layout.partner(open)?)));
            if let Some((open, close)) = block.filter(|&(_, close)| close == self.bounds.at + 1) {
                let start = self.layout.clause_start(self.bounds.first, open);
                if self.layout.text(start) == "if" && self.layout.text(close + 1) != "else" {
                    range = (self.range(start).0, self.range(close).1);
                }
            }
            let help = match self.last {
                "continue" => "delete it",
                _ => "delete it; that a player may pass is an item, `pass always;` or `pass when stuck;`",
            };
            Fix::new(range, "", Code::E0013, title).at((self.range(at).0, self.here().1)).help(help)
        })
    }
}
