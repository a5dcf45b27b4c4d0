//! Statements and terms out of habit: what other languages write where this one says it otherwise. A fix is offered only
//! where the words can have one meaning; elsewhere the message names the ways to say it, and changes nothing.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;
use crate::lex::TokenKind;

/// The operators before the beginning of a term, for `c ? a : b`.
const BEFORE_A_TERM: [&str; 13] = [":=", "+=", "-=", "=>", "(", "[", "{", "}", ",", ";", "<-", "then", ":"];

/// The title of the messages about `c ? a : b`.
pub(super) const CHOICE: &str = "a choice between two terms is made by `if`";

/// The message about a statement that leaves a program: `return`, `break`, `throw`.
pub(super) fn leaving_message(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "return" | "exit" | "quit" => (
            "a move has no `return`: all its effects are made",
            "what must hold for the move to be legal is `when ...;`; effects that are not always made stand in \
             `if ... { ... }`",
        ),
        "break" => (
            "there is no `break`: `for` makes its effects for all elements at once",
            "choose the elements by a condition: `for x in S where f { ... }`",
        ),
        "throw" | "raise" | "error" | "reject" | "fail" | "illegal" | "invalid" | "forbidden" | "abort"
        | "impossible" => (
            "no move is refused by an effect, but by its condition",
            "write `when ...;` with what must hold for the move to be legal",
        ),
        "goto" | "await" | "yield" => (
            "a move is no program: its effects are made all at once",
            "`then { ... }` holds effects that come later",
        ),
        _ => return None,
    })
}

/// The term that a program turns into text: `k` of `str(k)`.
fn without_conversion(term: &str) -> &str {
    let inner = |name: &str| term.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')');
    ["str", "string", "String", "toString", "to_string", "repr"].into_iter().find_map(inner).unwrap_or(term)
}

/// The title of messages about names of moves that are joined of several strings.
const JOINED_TEMPLATE: &str = "the name of a move is one string, with its parts in braces";

impl FixFinder<'_> {
    /// Fixes and explanations of statements and terms.
    pub fn habits(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.leaving(),
            self.named_every_move(),
            self.probability(),
            self.lambda(),
            self.part_by_arrow(),
            self.contents_by_arrow(),
            self.move_as_an_effect(),
            self.new_value(),
            self.full_stop(),
            self.joined_template(),
            self.formatted_template(),
            self.ternary(),
            self.array_in_the_state(),
            self.between(),
            self.parameter_in_a_set(),
            self.range_without_its_end(),
            self.type_with_arguments(),
            self.match_with_a_word(),
            self.match_by_case(),
            self.match_with_colons(),
            self.outcome_as_an_effect(),
            self.assertion_in_a_test(),
            self.power(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The range of the clause of the mistake.
    pub(super) fn whole_clause(&self) -> (usize, usize) {
        let start = self.range(self.bounds.clause).0;
        (start, self.range(self.bounds.end.saturating_sub(1)).1.max(start))
    }

    /// Returns true if no blank separates a word from the next one.
    pub(super) fn touches(&self, at: usize) -> bool {
        self.range(at).1 == self.range(at + 1).0
    }

    /// Leaves out `return;`, `throw "...";`, `if (c) return;`.
    fn leaving(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_one_line_if = self.layout.text(clause) == "if";
        let words = [Some(clause), is_one_line_if.then_some(self.bounds.at)];
        let (at, (title, help)) = words
            .into_iter()
            .flatten()
            .find_map(|at| Some((at, leaving_message(self.layout.text(at))?)))
            .filter(|_| self.bounds.place == ClauseContext::Move && !self.in_definition())?;
        Some(explained(self.whole_clause(), "", title, help).at(self.range(at)))
    }

    /// Explains `every move put(c: Cell) { ... }`.
    fn named_every_move(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_named = self.layout.text(first) == "every"
            && self.layout.text(first + 1) == "move"
            && self.bounds.at == first + 2
            && keywords::starts_with_letter(self.word);
        is_named.then(|| {
            let range = (self.range(first).0, self.range(first + 1).0);
            let title = "`every move` has no name: it adds to all moves of the game";
            let help = format!(
                "write `move {0}(...)` if `{0}` is a move of its own; conditions and effects of all moves are \
                 `every move {{ ... }}`",
                self.word
            );
            explained(range, "", title, help).at((range.0, self.here().1))
        })
    }

    /// Rewrites `probability 1 / 2;` in an event to `weight 1 / 2;`.
    fn probability(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_event = (self.bounds.first..clause).any(|at| self.layout.text(at) == "chance");
        let word = self.layout.text(clause);
        let is_word = matches!(word, "probability" | "prob" | "odds" | "likelihood" | "chance");
        (is_event && is_word && self.bounds.place == ClauseContext::Move).then(|| {
            let title = "how likely an event is stands after `weight`";
            Fix::new(self.range(clause), "weight", Code::E0013, title).help("write `weight`")
        })
    }

    /// Explains `all(lambda c: f, S)`.
    fn lambda(&self) -> Option<Fix> {
        let word =
            (self.bounds.clause..=self.bounds.at).rev().find(|&at| self.layout.text(at) == "lambda")?;
        let inner = self.bracket_around(word, word)?;
        let mut open = inner;
        while let Some(outer) =
            self.bracket_around(open, word).filter(|&outer| self.layout.text(outer) == "(")
        {
            open = outer;
        }
        let name = open.checked_sub(1).filter(|&name| self.touches(name)).unwrap_or(open);
        let range = (self.range(name).0, self.range(self.layout.partner(open)?).1);
        let title = "functions have a name here: a quantifier names its variable instead";
        let help = match self.without_lambda(word, inner) {
            Some(new) if !new.contains("lambda") => format!("write `{new}`"),
            _ => "write `all x in S: f`, `some x in S: f` or `{ x in S where f }`".to_owned(),
        };
        Some(explained(range, DAMAGE_MARKER, title, help).at(self.range(word)))
    }

    /// The term that stands for a call with the function at `word`.
    fn without_lambda(&self, word: usize, open: usize) -> Option<String> {
        let comma = self.outside_brackets(word + 3, &[","])?;
        let close = self.layout.partner(open)?;
        if self.layout.text(word + 2) != ":" || comma >= close {
            return None;
        }
        let (name, body) = (self.layout.text(word + 1), self.text(word + 3, comma));
        let set = self.text(comma + 1, close);
        let before = |open: usize| self.layout.text(open.wrapping_sub(1));
        let outer = open.checked_sub(2).filter(|_| before(open) == "map");
        let function = outer.map_or(before(open), |outer| match self.layout.text(outer) {
            "(" => before(outer),
            _ => "map",
        });
        Some(match function {
            "all" | "every" => format!("all {name} in {set}: {body}"),
            "any" | "some" => format!("some {name} in {set}: {body}"),
            "sum" | "min" | "max" => format!("{function} {name} in {set}: {body}"),
            "filter" => format!("{{ {name} in {set} where {body} }}"),
            "map" => format!("{{ {body} for {name} in {set} }}"),
            _ => return None,
        })
    }

    /// Rewrites `hand->rank` to `hand.rank`, and explains `hand->draw(c)`.
    fn part_by_arrow(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_part = self.word == "->"
            && self.layout.text(self.bounds.first) != "board"
            && at > self.bounds.clause
            && self.touches(at - 1)
            && self.touches(at)
            && keywords::starts_with_letter(self.layout.text(at + 1));
        if !is_part {
            return None;
        }
        let start = self.start_of_term(at);
        if self.layout.text(at + 2) == "(" {
            let close = self.layout.partner(at + 2)?;
            let (range, new) = match self.bounds.place {
                ClauseContext::Move if start == self.bounds.clause => (self.whole_clause(), ""),
                _ => ((self.range(start).0, self.range(close).1), DAMAGE_MARKER),
            };
            let title = "values and fields have no methods";
            let help = "an effect is written `field := value;`, a cell of a field `at[c]`, a part of a record `x.part`";
            return Some(explained(range, new, title, help).at((self.here().0, self.range(at + 1).1)));
        }
        let new = format!("{}.{}", self.text(start, at), self.layout.text(at + 1));
        let fix = Fix::new(self.here(), ".", Code::E0013, "a part of a value stands after a dot");
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `at[a] -> at[b];` to `at[b] <- at[a];`.
    fn contents_by_arrow(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_effect = self.word == "->" && self.last == "]" && self.bounds.place == ClauseContext::Move;
        let end = self.outside_brackets(at + 1, &[";"]).filter(|&end| is_effect && end > at + 1)?;
        let new = format!("{} <- {}", self.text(at + 1, end), self.text(self.bounds.clause, at));
        let range = (self.range(self.bounds.clause).0, self.range(end - 1).1);
        let title = "what moves stands to the right of the arrow, and the arrow is `<-`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new};`")))
    }

    /// Explains `move(from, to);` as an effect.
    fn move_as_an_effect(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_call = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "move"
            && self.layout.text(clause + 1) == "(";
        let close = self.layout.partner(clause + 1).filter(|_| is_call && clause > self.bounds.first)?;
        let args: Vec<&str> = self.text(clause + 2, close).split(',').map(str::trim).collect();
        let help = match args[..] {
            [from, to] => format!("write `at[{to}] <- at[{from}];`, with the name of the field"),
            _ => "write `at[to] <- at[from];`, with the name of the field".to_owned(),
        };
        let title = "a piece is moved by `<-`, from one cell of a field to another";
        Some(explained(self.whole_clause(), "", title, help).at(self.range(clause)))
    }

    /// Removes `new` before a record.
    fn new_value(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        (self.last == "new" && keywords::starts_with_letter(self.word)).then(|| {
            let range = (self.range(at).0, self.here().0);
            let fix = Fix::new(range, "", Code::E0013, "a value is made without `new`").at(self.range(at));
            fix.help(format!("write `{}(...)`", self.word))
        })
    }

    /// Rewrites `.` at the end of a clause to `;`.
    fn full_stop(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let ends = self.word.is_empty() || self.word == "}" || self.layout.begins_line(at);
        let dot = match at.checked_sub(1) {
            Some(dot) if ends && self.last == "." => dot,
            // `at[c] := me. turns += 1`
            _ => at.checked_sub(2).filter(|&dot| {
                let is_dot = self.layout.text(dot) == "." && dot > self.bounds.clause;
                is_dot && self.touches(dot - 1) && !self.touches(dot)
            })?,
        };
        let title = "a clause ends with `;`, not with a full stop";
        (dot > self.bounds.first)
            .then(|| Fix::new(self.range(dot), ";", Code::E0001, title).help("write `;`"))
    }

    /// Rewrites `as "mark " + c` to `as "mark {c}"`.
    fn joined_template(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        if self.last == "as" && !is_string(at) {
            return self.template_after_a_name();
        }
        let begins =
            at.checked_sub(1).filter(|&last| is_string(last) && self.text_is(last.checked_sub(1), "as"))?;
        let end = self.outside_brackets(at, &["{", "in", "by", "prefer"]).filter(|&end| end > at)?;
        if !matches!(self.word, "+" | ".." | "&" | ",") {
            return None;
        }
        let mut new = self.last.trim_matches('"').to_owned();
        let mut start = at + 1;
        while start < end {
            let next = self.outside_brackets(start, &["+", "..", "&", ",", "{", "in", "by", "prefer"])?;
            let part = self.text(start, next.min(end));
            new += &match is_string(start) && next == start + 1 {
                true => part.trim_matches('"').to_owned(),
                false => format!("{{{}}}", without_conversion(part)),
            };
            start = next + 1;
        }
        let new = format!("\"{new}\"");
        let range = (self.range(begins).0, self.range(end - 1).1);
        let title = JOINED_TEMPLATE;
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `as {new}`")))
    }

    /// Rewrites `as k + " taken"` to `as "{k} taken"`.
    fn template_after_a_name(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        let end = self.outside_brackets(at, &["{", "in", "by", "prefer", ";"]).filter(|&end| end > at + 2)?;
        let (mut new, mut has_string, mut start) = (String::new(), false, at);
        while start < end {
            let next =
                self.outside_brackets(start, &["+", "..", "&", ",", "{", "in", "by", "prefer", ";"])?;
            let part = self.text(start, next.min(end));
            let is_plain = is_string(start) && next == start + 1;
            let is_term = trial_parse(Rule::one_expr, part).is_ok_and(|length| length == part.len());
            if !is_plain && !is_term {
                return None;
            }
            has_string |= is_plain;
            new += &match is_plain {
                true => part.trim_matches('"').to_owned(),
                false => format!("{{{}}}", without_conversion(part)),
            };
            start = next + 1;
        }
        let range = (self.range(at).0, self.range(end - 1).1);
        let fix = Fix::new(range, &format!("\"{new}\""), Code::E0013, JOINED_TEMPLATE);
        has_string.then(|| fix.help(format!("write `as \"{new}\"`")))
    }

    /// Rewrites `as "take %d" % k` and `as "take {}".format(k)` to `as "take {k}"`.
    fn formatted_template(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        let string = at.checked_sub(1).filter(|&last| is_string(last))?;
        let (open, end) = match self.word {
            "mod" if self.layout.text(at + 1) == "(" => (at + 1, self.layout.partner(at + 1)? + 1),
            "mod" => (at, self.outside_brackets(at, &["{", "in", "by", "prefer", ";"])?),
            "." if self.layout.text(at + 1) == "format" => (at + 2, self.layout.partner(at + 2)? + 1),
            _ => return None,
        };
        let inner = if self.layout.text(open) == "(" { end - 1 } else { end };
        let mut values = self.text(open + 1, inner).split(',').map(str::trim);
        let mut new = String::new();
        let mut rest = self.last;
        while let Some(hole) = rest.find(['%', '{']) {
            let length = match &rest[hole..] {
                text if text.starts_with("{}") => 2,
                text if text.starts_with('%') && text[1..].starts_with(['d', 's', 'i', 'c']) => 2,
                _ => return None,
            };
            new += &format!("{}{{{}}}", &rest[..hole], values.next()?);
            rest = &rest[hole + length..];
        }
        new += rest;
        let range = (self.range(string).0, self.range(end - 1).1);
        let title = "the values stand in braces within the string";
        values
            .next()
            .is_none()
            .then(|| Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    fn text_is(&self, at: Option<usize>, word: &str) -> bool {
        at.is_some_and(|at| self.layout.text(at) == word)
    }

    /// The first word of the value that a declaration, a field or a `let` has behind its `=`, or of the item.
    fn start_of_the_value(&self) -> usize {
        let (first, clause) = (self.bounds.first, self.bounds.clause);
        let is_head = |at: &usize| !self.layout.text(*at).starts_with("///");
        let item = (first..self.bounds.at).find(is_head).unwrap_or(first);
        let has_value = matches!(self.layout.text(item), "def" | "const" | "param" | "inductive");
        let start = match self.bounds.place {
            ClauseContext::State => clause,
            ClauseContext::Move if self.layout.text(clause) == "let" => clause,
            _ if has_value => item,
            _ => return first,
        };
        self.outside_brackets(start, &["="])
            .filter(|&sign| sign < self.bounds.at)
            .map_or(first, |sign| sign + 1)
    }

    /// Rewrites `c ? a : b` to `if c then a else b`.
    fn ternary(&self) -> Option<Fix> {
        let at = self.bounds.at;
        if self.word != "?" {
            return None;
        }
        let mut start = at;
        let lowest = self.start_of_the_value();
        while start > lowest {
            let before = start - 1;
            match self.layout.words[before].kind {
                TokenKind::Close => start = self.layout.partner(before)?,
                _ if BEFORE_A_TERM.contains(&self.layout.text(before)) => break,
                _ => start = before,
            }
        }
        let colon = self.outside_brackets(at + 1, &[":"])?;
        let end = (colon + 1..self.layout.words.len()).find(|&end| {
            let depth = self.bracket_around(end, end).is_none_or(|open| open < colon);
            depth && matches!(self.layout.text(end), ";" | "," | ")" | "]" | "}")
        })?;
        // `def f = c ? a : b` has no operator before its term.
        if start >= at || end <= colon + 1 || start == self.bounds.first {
            return None;
        }
        let (condition, yes, no) =
            (self.text(start, at), self.text(at + 1, colon), self.text(colon + 1, end));
        // The translation of an operator has blanks of its own.
        let condition = match condition.contains('"') {
            true => condition.to_owned(),
            false => condition.replace("  ", " "),
        };
        // A field that may be missing is no condition by itself.
        let is_optional =
            start + 1 == at && self.outline().field(&condition).is_some_and(|field| field.is_optional());
        let asked = if is_optional { " != none" } else { "" };
        let new = format!("if {condition}{asked} then {yes} else {no}");
        let range = (self.range(start).0, self.range(end - 1).1);
        Some(Fix::new(range, &new, Code::E0013, CHOICE).at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `left[3]` in a state.
    fn array_in_the_state(&self) -> Option<Fix> {
        let is_size = self.bounds.place == ClauseContext::State
            && self.last == "["
            && self.word.bytes().all(|b| b.is_ascii_digit())
            && self.layout.text(self.bounds.at + 1) == "]";
        is_size.then(|| {
            let title = "the key of a field has a name and a type";
            let field = self.layout.text(self.bounds.at.saturating_sub(2));
            let help = format!(
                "write `{field}[i: 1..{}]: 0..9`, with the numbers that it holds after the `:`",
                self.word
            );
            let close = self.bounds.at + 1;
            let range = (self.here().0, self.range(close).1);
            let has_type = self.layout.text(close + 1) == ":";
            let new = format!("i: 1..{}]{}", self.word, if has_type { "" } else { ": \u{1A}" });
            explained(range, &new, title, help).at(self.here())
        })
    }

    /// Rewrites `k between 1 and n` to `k in 1..n`.
    fn between(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let and = self.outside_brackets(at + 1, &["and"]).filter(|_| self.word == "between")?;
        let end = self.outside_brackets(and + 1, &["and", "or", ";", "=>", ",", "{"])?;
        let new = format!("in {}..{}", self.text(at + 1, and), self.text(and + 1, end));
        let range = (self.here().0, self.range(end - 1).1);
        let title = "a number lies in a range: `in 1..3`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `move take(k in 1..3)` to `move take(k: 1..3)`, and `k in [1, 3]` to `k: { 1, 3 }`.
    fn parameter_in_a_set(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let opens = matches!(self.layout.text(at.checked_sub(2)?), "(" | "[" | ",");
        let is_parameter = self.word == "in" && opens && keywords::starts_with_letter(self.last);
        is_parameter.then(|| {
            let title = "the type of a parameter or key stands after `:`";
            let list = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "[");
            if let Some(close) = list {
                let set = format!(": {{ {} }}", self.text(at + 2, close));
                let fix = Fix::new((self.gap().0, self.range(close).1), &set, Code::E0013, title);
                return fix.at(self.here()).help(format!("write `{}{set}`", self.last));
            }
            let fix = Fix::new((self.gap().0, self.here().1), ":", Code::E0013, title).at(self.here());
            let end = self.outside_brackets(at + 1, &[",", ")", "]"]);
            let end = end.or_else(|| (at..self.bounds.end).find(|&at| self.layout.text(at) == ")"));
            let set = end.map_or("...", |end| self.text(at + 1, end));
            fix.help(format!("write `{}: {set}`", self.last))
        })
    }

    /// Rewrites `1..<4` to `1..3`, and explains `1...3`.
    fn range_without_its_end(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let dots = at.checked_sub(1).filter(|&dots| self.last == ".." && self.touches(dots))?;
        let range = (self.range(dots).0, self.here().1);
        if self.word == "." {
            let title = "a range is written with two dots";
            let low = dots.checked_sub(1).map_or("", |before| self.layout.text(before));
            let help = format!("write `{low}..{}`; both its ends belong to it", self.layout.text(at + 1));
            return Some(explained(range, "..", title, help));
        }
        let title = "both ends of a range belong to it";
        if self.word == "=" {
            return Some(Fix::new(range, "..", Code::E0013, title).help("write `..`"));
        }
        if self.word != "<" {
            return None;
        }
        match self.layout.text(at + 1).parse::<i64>() {
            Ok(end) => {
                let new = format!("..{}", end.saturating_sub(1));
                let all = (range.0, self.range(at + 1).1);
                Some(Fix::new(all, &new, Code::E0013, title).help(format!("write `{new}`")))
            }
            Err(_) => Some(explained(range, "..", title, "write `a..b - 1` for the numbers below `b`")),
        }
    }

    /// Explains `Map<Cell, Player>`, and rewrites `Set<Cell>` and `Optional<Cell>`.
    fn type_with_arguments(&self) -> Option<Fix> {
        let name = self.bounds.at.checked_sub(1).filter(|_| self.word == "<")?;
        let close = self
            .outside_brackets(self.bounds.at, &[">", ";", "="])
            .filter(|&at| self.layout.text(at) == ">")?;
        let inner = self.text(self.bounds.at + 1, close);
        let range = (self.range(name).0, self.range(close).1);
        let label = (self.range(name).0, self.range(close).1);
        let title = "types have no arguments in `<...>`";
        let certain =
            |new: String| Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`"));
        let marked = |help: String| explained(range, DAMAGE_MARKER, title, help).at(label);
        Some(match self.last {
            "set" | "Set" | "HashSet" | "FrozenSet" => certain(format!("set of {inner}")),
            "Optional" | "Option" | "Maybe" | "Nullable" => certain(format!("{inner}?")),
            "Map" | "HashMap" | "Dictionary" | "Dict" | "Record" => {
                marked("what has a value for each key is a field or a table: `at[c: Cell]: Player?`".into())
            }
            "List" | "ArrayList" | "Array" | "Vec" | "vector" => {
                marked("a field has a key in place of a list: `size[i: 1..3]: 0..9`; parameters may be `list of 0..9`".into())
            }
            _ => return None,
        })
    }

    /// Removes the word of `match k with { ... }`.
    fn match_with_a_word(&self) -> Option<Fix> {
        let is_match = (self.bounds.clause..self.bounds.at).any(|at| self.layout.text(at) == "match");
        let is_word =
            matches!(self.word, "with" | "of" | "on" | "case") && self.text_is(Some(self.bounds.at + 1), "{");
        (is_match && is_word).then(|| {
            let title = format!("the arms of a `match` follow without `{}`", self.word);
            Fix::new(self.here(), "", Code::E0013, title).help("leave it out")
        })
    }

    /// Explains `match k { case a: x; case b: y; }`.
    fn match_by_case(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let is_case =
            matches!(self.layout.text(open + 1), "case" | "when" | "|") && self.layout.text(open) == "{";
        let word = (self.bounds.first..open).rev().find(|&at| self.layout.text(at) == "match")?;
        let close = self.layout.partner(open).filter(|_| is_case)?;
        let range = (self.range(word).0, self.range(close).1);
        let title = "the arms of a `match` are `value => result`, with commas between them";
        let arms = self.text(open + 1, close).trim_matches('|').split('|').map(str::trim);
        let arms: Vec<String> = arms.map(|arm| arm.replace("->", "=>")).collect();
        let are_arms =
            self.layout.text(open + 1) == "|" && arms.iter().all(|arm| arm.matches("=>").count() == 1);
        let help = match are_arms {
            true => format!("write `match {} {{ {} }}`", self.text(word + 1, open), arms.join(", ")),
            false => "write `match k { a => 1, b => 2, _ => 3 }`".to_owned(),
        };
        Some(explained(range, DAMAGE_MARKER, title, help).at(self.range(open + 1)))
    }

    /// Rewrites `match k { a: x, b: y }` to `match k { a => x, b => y }`.
    fn match_with_colons(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let is_match = (self.bounds.first..open)
            .rev()
            .take_while(|&at| !matches!(self.layout.text(at), ";" | "}" | "{"))
            .any(|at| self.layout.text(at) == "match");
        if !is_match || !matches!(self.word, ":" | "->" | "=" | ":=") {
            return None;
        }
        let mut arms = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).unwrap_or(close).min(close);
            let sign = self.outside_brackets(at, &[self.word, "=>"]).filter(|&sign| sign < end)?;
            arms.push(format!("{} => {}", self.text(at, sign), self.text(sign + 1, end)));
            at = end + 1;
        }
        let new = format!("{{ {} }}", arms.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "in a `match` each value leads to its result by `=>`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Leaves out `me wins;` and `draw;` among effects.
    fn outcome_as_an_effect(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let (first, second) = (self.layout.text(clause), self.layout.text(clause + 1));
        let is_verdict = |word: &str| matches!(word, "wins" | "loses" | "win" | "lose");
        let is_outcome = is_verdict(second) && self.layout.text(clause + 2) == ";"
            || (is_verdict(first) || first == "draw") && second == ";";
        (is_outcome && self.bounds.place == ClauseContext::Move).then(|| {
            let title = "a move changes the state; who wins is a rule of `end`";
            let help = "write `end { when ... => X wins; }`: it is tested after each move";
            explained(self.whole_clause(), "", title, help).at(self.range(clause))
        })
    }

    /// Rewrites `assert f;` in a test to `expect f;`.
    fn assertion_in_a_test(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_assertion = self.bounds.place == ClauseContext::Test
            && matches!(word, "assert" | "check" | "verify" | "ensure" | "require" | "should");
        is_assertion.then(|| {
            let title = "what a test claims stands after `expect`";
            let opposite = match self.layout.text(clause + 2) {
                _ if self.layout.text(clause + 1) != "not" => None,
                "legal" => Some("illegal"),
                "illegal" => Some("legal"),
                _ => None,
            };
            if let Some(opposite) = opposite {
                let range = (self.range(clause).0, self.range(clause + 2).1);
                let fix = Fix::new(range, &format!("expect {opposite}"), Code::E0013, title);
                return fix.help(format!("write `expect {opposite} ...;`"));
            }
            let fix = Fix::new(self.range(clause), "expect ", Code::E0013, title).at(self.range(clause));
            fix.help("write `expect ...;`")
        })
    }

    /// Explains `2**3`.
    fn power(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        (self.word == "*" && self.last == "*" && self.touches(at)).then(|| {
            let help = "write the product, or a table: `const square[k: 0..9] = k * k;`";
            explained(self.here(), "", "there are no powers in this language", help)
                .at((self.range(at).0, self.here().1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn choices_are_made_by_if() {
        for (old, new) in [
            (
                "state { last: Player? = (n == 2 && n > 1) ? A : none; }",
                "(n == 2 and n > 1) then A else none; }",
            ),
            ("state { last: Player? = n = 2 || n = 3 ? A : none; }", "if n = 2 or n = 3 then A else none; }"),
            ("def f = n = 2 ? 1 : 0;", "def f = if n = 2 then 1 else 0;"),
            ("param k: 0..9 = n > 2 ? 1 : 0;", "param k: 0..9 = if n > 2 then 1 else 0;"),
        ] {
            let old = format!("{old}\n");
            assert!(mended(&old).ends_with(&format!("{new}\n")), "{}", mended(&old));
            assert_eq!(titles(&old), [super::CHOICE], "{old}");
        }
    }

    #[test]
    fn names_of_moves_may_begin_with_a_part() {
        let text = |name: &str| format!("move walk(s: Sand, t: Sand) as {name} {{ at := t; }}\n");
        for (theirs, ours) in [
            ("s + \" taken\"", "\"{s} taken\""),
            ("s + \"-\" + t", "\"{s}-{t}\""),
            ("str(s) + \"-\" + t", "\"{s}-{t}\""),
        ] {
            assert_eq!(titles(&text(theirs)), [super::JOINED_TEMPLATE]);
            assert_eq!(mended(&text(theirs)), text(ours));
        }
    }

    #[test]
    fn what_is_illegal_is_expected() {
        let text = |claim: &str| format!("test \"x\" {{ play take(1); {claim} take(3); }}\n");
        for word in ["assert", "check"] {
            assert_eq!(mended(&text(&format!("{word} not legal"))), text("expect illegal"));
            assert_eq!(mended(&text(&format!("{word} not illegal"))), text("expect legal"));
        }
    }
}
