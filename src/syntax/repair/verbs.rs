//! Words between two terms where this language has operators, calls and sets: `a is adjacent to b`, `wolf on row 5`,
//! `hand[p] beats hand[q]`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

/// Words that say that two cells lie side by side.
const BESIDE: [&str; 16] = [
    "next",
    "adjacent",
    "beside",
    "near",
    "touches",
    "touching",
    "touch",
    "borders",
    "bordering",
    "neighbors",
    "neighbours",
    "neighbor",
    "neighbour",
    "adjoins",
    "diagonal",
    "diagonally",
];

/// Words around a word of `BESIDE`.
const BEFORE_BESIDE: [&str; 9] =
    ["is", "are", "directly", "orthogonally", "diagonally", "immediately", "a", "an", "right"];
const AFTER_BESIDE: [&str; 6] = ["to", "from", "of", "with", "adjacent", "next"];

impl FixFinder<'_> {
    /// Fixes and explanations of words between terms.
    pub fn verbs(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.beside_in_words(),
            self.standing_on(),
            self.definition_between_terms(),
            self.negated_any(),
            self.comparison_in_words(),
            self.choice_of_python(),
            self.choice_without_if(),
            self.condition_by_if(),
            self.parted_operator(),
            self.phase_by_a_jump(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The index after the term that begins at this word: a name with what belongs to it, a number or a bracket.
    pub(super) fn end_of_operand(&self, start: usize) -> Option<usize> {
        let is_open = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Open);
        let mut end = match () {
            () if is_open(start) => self.layout.partner(start)? + 1,
            () if self.is_name(start) || self.is_number(start) => start + 1,
            () if matches!(self.layout.text(start), "none" | "true" | "false") => return Some(start + 1),
            () => return None,
        };
        loop {
            let touches = self.touches(end - 1);
            match self.layout.text(end) {
                "(" | "[" if touches => end = self.layout.partner(end)? + 1,
                "." if touches && self.is_name(end + 1) => end += 2,
                _ => return Some(end),
            }
        }
    }

    /// Returns true if a term may end at this word.
    pub(super) fn ends_term(&self, at: usize) -> bool {
        self.is_name(at) || self.is_number(at) || matches!(self.layout.text(at), ")" | "]" | "}")
    }

    /// Explains `to next to from`, `to is adjacent to from` and `to is diagonal from`.
    fn beside_in_words(&self) -> Option<Fix> {
        let is_beside = |&at: &usize| BESIDE.contains(&self.layout.text(at));
        let start = self.bounds.at.saturating_sub(3).max(self.bounds.clause + 1);
        let at = (start..=self.bounds.at).find(is_beside)?;
        let mut is = at;
        while is > self.bounds.clause + 1 && BEFORE_BESIDE.contains(&self.layout.text(is - 1)) {
            // `a` may be a name itself.
            let is_article = matches!(self.layout.text(is - 1), "a" | "an");
            if is_article && !matches!(self.layout.text(is - 2), "is" | "are") {
                break;
            }
            is -= 1;
        }
        let mut of = at + 1;
        // `from` and `to` may be names themselves.
        while AFTER_BESIDE.contains(&self.layout.text(of)) && self.end_of_operand(of + 1).is_some() {
            of += 1;
        }
        let is_call = self.layout.text(at + 1) == "(" && self.touches(at);
        if is_call || self.bounds.at > of || !self.ends_term(is - 1) {
            return None;
        }
        let end = self.end_of_operand(of)?;
        let start = self.start_of_term(is);
        let (one, other) = (self.text(start, is), self.text(of, end));
        let is_diagonal = (is..of).any(|at| self.layout.text(at).starts_with("diagonal"));
        let help = match is_diagonal {
            true => format!("write `{one} in {other}.diagonals`: the cells one diagonal step away"),
            false => format!(
                "write `{one} in {other}.neighbors` for one straight step, `{one} in {other}.around` with the diagonal ones"
            ),
        };
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "cells beside each other are told by `in`";
        let fix = explained(range, DAMAGE_MARKER, title, help).at((self.range(is).0, self.range(of - 1).1));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `wolf on row 5`, `some X is on row 5` and `X on c`.
    fn standing_on(&self) -> Option<Fix> {
        let is_verb =
            |at: usize| matches!(self.layout.text(at), "is" | "are" | "stands" | "stand" | "standing");
        let start = self.bounds.at.saturating_sub(1).max(self.bounds.clause + 1);
        let end = self.bounds.at + usize::from(is_verb(self.bounds.at));
        let on = (start..=end).find(|&at| self.layout.text(at) == "on")?;
        let verb = if is_verb(on - 1) { on - 1 } else { on };
        if !self.ends_term(verb - 1) {
            return None;
        }
        let subject = self.start_of_term(verb);
        let before = self.layout.text(subject.wrapping_sub(1));
        let has_quantifier = matches!(before, "some" | "any" | "a" | "an" | "the" | "no" | "one");
        let piece = self.text(subject, verb);
        let outline = self.outline();
        let player = outline.players().into_iter().find(|player| player.eq_ignore_ascii_case(piece));
        let piece = player.unwrap_or(piece);
        let board = outline.board().unwrap_or("Cell");
        let field = outline.field_over(board).unwrap_or("at");
        let line = match self.layout.text(on + 1) {
            "row" | "rank" => "row",
            "column" | "col" | "file" => "col",
            _ => "",
        };
        let place = if line.is_empty() { on + 1 } else { on + 2 };
        let end = self.end_of_operand(place)?;
        let place = self.text(place, end);
        let raw = self.text(subject, verb);
        let is_place = outline.field(raw).is_some_and(|field| field.keys.is_empty());
        let new = match line {
            "" if is_place => format!("{raw} = {place}"),
            "" => format!("{field}[{place}] = {piece}"),
            _ => {
                let quantifier = if before == "no" { "no" } else { "some" };
                format!("{quantifier} c in {board}: {field}[c] = {piece} and c.{line} = {place}")
            }
        };
        let start = if has_quantifier { subject - 1 } else { subject };
        let title = "`on` is no operator: what stands on a cell is the field's value";
        let range = (self.range(start).0, self.range(end - 1).1);
        let fix = explained(range, DAMAGE_MARKER, title, format!("write `{new}`")).at(self.range(on));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `hand[p] beats hand[q]` to `beats(hand[p], hand[q])`, where the file defines `beats`, and to
    /// `beats[hand[p]] = hand[q]` where that is a table with one key.
    fn definition_between_terms(&self) -> Option<Fix> {
        // `a is above b` stops behind the name.
        let at = match self.layout.text(self.bounds.at.checked_sub(2)?) {
            "is" | "not" => self.bounds.at - 1,
            _ => self.bounds.at,
        };
        let is = if self.layout.text(at - 1) == "is" { at - 1 } else { at };
        if !self.is_name(at) || is <= self.bounds.clause || !self.ends_term(is - 1) {
            return None;
        }
        let name = self.layout.text(at);
        let is_table = self.outline().is_constant_table(name);
        let is_known = is_table || self.outline().parameters_of(name) == Some(2);
        let end = self.end_of_operand(at + 1).filter(|_| is_known)?;
        let start = self.start_of_term(is);
        let (one, other) = (self.text(start, is), self.text(at + 1, end));
        let new =
            if is_table { format!("{name}[{one}] = {other}") } else { format!("{name}({one}, {other})") };
        let begins = matches!(
            self.layout.text(start.checked_sub(1)?),
            "when"
                | "and"
                | "or"
                | "not"
                | "("
                | ":"
                | "=>"
                | ","
                | "where"
                | "if"
                | "then"
                | "else"
                | "ensure"
                | "="
        );
        let ends = matches!(
            self.layout.text(end),
            "=>" | "and" | "or" | ";" | ")" | "," | "then" | "else" | "iff" | "implies" | "{" | "}" | ":"
        );
        let title = match is_table {
            true => format!("`{name}` is a table: its key follows it in square brackets"),
            false => format!("`{name}` is a definition: its arguments follow it in brackets"),
        };
        let range = (self.range(start).0, self.range(end - 1).1);
        (begins && ends).then(|| {
            Fix::new(range, &new, Code::E0013, title)
                .at((self.range(is).0, self.range(at).1))
                .help(format!("write `{new}`"))
        })
    }

    /// Rewrites `not any c in S: f` to `no c in S: f`.
    fn negated_any(&self) -> Option<Fix> {
        let any = (self.bounds.at.saturating_sub(2)..=self.bounds.at)
            .find(|&at| matches!(self.layout.text(at), "any" | "exists" | "exist"))?;
        let not =
            any.checked_sub(1).filter(|&not| not >= self.bounds.first && self.layout.text(not) == "not")?;
        let is_binder = self.is_name(any + 1) && self.layout.text(any + 2) == "in";
        let end = self.outside_brackets(any, &[":", ";", "=>"]).unwrap_or(any + 3);
        let title = format!("`not {}` is `no`", self.layout.text(any));
        let range = (self.range(not).0, self.range(any).1);
        let body = if self.layout.text(end) == ":" { " ..." } else { "" };
        let help = format!("write `no {}:{body}`", self.text(any + 1, end));
        is_binder
            .then(|| Fix { accepts_partial: true, ..Fix::new(range, "no", Code::E0013, title).help(help) })
    }

    /// The number of words of a comparison that begins at this word, and its sign.
    pub(super) fn words_of_comparison(&self, at: usize) -> Option<(usize, &'static str)> {
        let or_equal = || {
            let words = [self.layout.text(at + 2), self.layout.text(at + 3), self.layout.text(at + 4)];
            match words {
                ["or", "equal", "to"] => 5,
                ["or", "equal", _] => 4,
                _ => 2,
            }
        };
        Some(match (self.layout.text(at), self.layout.text(at + 1)) {
            ("no" | "not", more) if self.layout.text(at + 2) == "than" => match more {
                "greater" | "more" | "bigger" | "larger" | "higher" => (3, "<="),
                "less" | "fewer" | "smaller" | "lower" => (3, ">="),
                _ => return None,
            },
            ("greater" | "more" | "bigger" | "larger" | "higher", "than") => match or_equal() {
                2 => (2, ">"),
                words => (words, ">="),
            },
            ("less" | "fewer" | "smaller" | "lower", "than") => match or_equal() {
                2 => (2, "<"),
                words => (words, "<="),
            },
            ("equal", "to") => (2, "="),
            ("at", "least") => (2, ">="),
            ("at", "most") => (2, "<="),
            ("differs", "from") => (2, "!="),
            ("equals", _) => (1, "="),
            ("exceeds", _) => (1, ">"),
            ("not", "exceeding") => (2, "<="),
            _ => return None,
        })
    }

    /// Rewrites `a is greater than b` to `a > b`, and the same of other comparisons.
    fn comparison_in_words(&self) -> Option<Fix> {
        // In `n is no less than 3` the reader takes `no less` for the beginning of a condition.
        let start = self.bounds.at.saturating_sub(2).max(self.bounds.clause + 1);
        let (at, (words, sign)) =
            (start..=self.bounds.at).find_map(|at| Some((at, self.words_of_comparison(at)?)))?;
        let is = if matches!(self.layout.text(at - 1), "is" | "are") { at - 1 } else { at };
        let ends_term = is > self.bounds.clause && self.ends_term(is - 1);
        self.end_of_operand(at + words).filter(|_| ends_term)?;
        let range = (self.range(is).0, self.range(at + words - 1).1);
        let title = "numbers are compared by signs";
        let fix = Fix::new(range, sign, Code::E0013, title).help(format!("write `{sign}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `a if f else b` to `if f then a else b`.
    fn choice_of_python(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        if self.word != "if" || at == clause {
            return None;
        }
        let inside =
            self.bracket_around(at, at).filter(|&open| open >= clause && self.layout.text(open) == "(");
        let payoff =
            (clause..at).find(|&at| self.layout.text(at) == "payoff" && self.layout.text(at + 2) == ":");
        let sign = self.outside_brackets(clause, &[":=", "+=", "-=", "=", "weight"]);
        let start = match (inside, payoff) {
            (Some(open), _) => {
                let comma = (open + 1..at).rev().find(|&comma| {
                    self.layout.text(comma) == "," && self.bracket_around(comma, comma) == Some(open)
                });
                comma.unwrap_or(open) + 1
            }
            (_, Some(payoff)) => payoff + 3,
            _ => sign.filter(|_| !matches!(self.layout.text(clause), "when" | "ensure" | "if"))? + 1,
        };
        let end = match inside {
            Some(open) => {
                let close = self.layout.partner(open)?;
                self.outside_brackets(start, &[","]).filter(|&comma| comma < close).unwrap_or(close)
            }
            None => self.outside_brackets(start, &[";", "hidden", "visible", "where"])?,
        };
        let new = self.rewritten_choice(start, end).filter(|_| start < at && at < end)?;
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "a choice between two terms begins with `if`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// The term that stands for `a if f else b` between two words.
    fn rewritten_choice(&self, start: usize, end: usize) -> Option<String> {
        let find = |from: usize, word: &str| self.outside_brackets(from, &[word]).filter(|&at| at < end);
        let when = find(start, "if")?;
        let other = find(when, "else")?;
        let is_plain = !(start..other).any(|at| matches!(self.layout.text(at), "then" | ":" | "=>"));
        if !is_plain || when == start || other == when + 1 || other + 1 >= end {
            return None;
        }
        let rest = match find(other + 1, "if") {
            Some(_) => self.rewritten_choice(other + 1, end)?,
            None => self.text(other + 1, end).to_owned(),
        };
        Some(format!("if {} then {} else {rest}", self.text(when + 1, other), self.text(start, when)))
    }

    /// Rewrites `weight d = 6 then 1/2 else 1/10;` to `weight if d = 6 then 1/2 else 1/10;`.
    fn choice_without_if(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_move = self.bounds.place == ClauseContext::Move && self.word == "then";
        let start = match self.layout.text(clause) {
            "weight" => clause + 1,
            _ => self.outside_brackets(clause, &[":=", "+=", "-="])? + 1,
        };
        let end = self.outside_brackets(start, &[";"]).filter(|&end| is_move && self.bounds.at < end)?;
        let has_else = self.outside_brackets(self.bounds.at, &["else"]).is_some_and(|other| other < end);
        let has_if = (clause..self.bounds.at).any(|at| self.layout.text(at) == "if");
        let place = (self.range(start).0, self.range(start).0);
        (has_else && !has_if && start < self.bounds.at).then(|| {
            let title = "a choice begins with `if`";
            let fix = Fix::new(place, "if ", Code::E0013, title).at(self.here());
            fix.help(format!("write `if {}`", self.text(start, end)))
        })
    }

    /// Rewrites `if at[c] = none;` in a move to `when at[c] = none;`.
    fn condition_by_if(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_if = self.bounds.place == ClauseContext::Move && self.layout.text(clause) == "if";
        let end = self.outside_brackets(clause, &[";", "then", "{"]).filter(|_| is_if && self.word == ";")?;
        (end == self.bounds.at && end > clause + 1).then(|| {
            let title = "a condition of a move begins with `when`";
            let help = format!("write `when {};`", self.text(clause + 1, end));
            Fix::new(self.range(clause), "when", Code::E0013, title).help(help)
        })
    }

    /// Rewrites `n - = k;` to `n -= k;`, and the same of other operators of two signs.
    fn parted_operator(&self) -> Option<Fix> {
        let is_effect = self.bounds.place == ClauseContext::Move
            && self.is_name(self.bounds.clause)
            && !keywords::STATEMENT_KEYWORDS.contains(&self.layout.text(self.bounds.clause));
        let parted = |at: usize| -> Option<&'static str> {
            Some(match (self.layout.text(at), self.layout.text(at + 1)) {
                ("-", "=") if is_effect => "-=",
                ("+", "=") if is_effect => "+=",
                ("|", "=") if is_effect => "|=",
                (":", "=") if is_effect => ":=",
                ("<", "-") if is_effect => "<-",
                ("<", "=") => "<=",
                (">", "=") => ">=",
                ("=", ">") if self.bounds.place == ClauseContext::End => "=>",
                _ => return None,
            })
        };
        let (at, new) = [Some(self.bounds.at), self.bounds.at.checked_sub(1)]
            .into_iter()
            .flatten()
            .find_map(|at| Some((at, parted(at).filter(|_| at > self.bounds.clause)?)))?;
        let blank = self.layout.source.get(self.range(at).1..self.range(at + 1).0)?;
        (!blank.is_empty() && blank.bytes().all(|b| b == b' ')).then(|| {
            let range = (self.range(at).0, self.range(at + 1).1);
            let title = format!("`{new}` is written without a blank");
            let fix = Fix::new(range, new, Code::E0013, title).help(format!("write `{new}`"));
            Fix { accepts_partial: new != "=>", ..fix }
        })
    }

    /// Explains `goto roll;` and `jump to roll;`, where the file has this phase.
    fn phase_by_a_jump(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_jump = matches!(
            self.layout.text(clause),
            "goto" | "go" | "jump" | "switch" | "enter" | "proceed" | "move" | "change" | "advance"
        );
        let in_move = is_jump && self.bounds.place == ClauseContext::Move;
        let end = self.outside_brackets(clause, &[";"]).filter(|&end| in_move && end > clause + 1)?;
        let is_plain =
            (clause + 1..end - 1).all(|at| matches!(self.layout.text(at), "to" | "phase" | "into" | "on"));
        let name = self.layout.text(end - 1);
        (is_plain && self.outline().has_phase(name)).then(|| {
            let range = (self.range(clause).0, self.range(end - 1).1);
            let title = "the same player goes on in another phase by `continue`";
            let help = format!("write `continue {name};`, or nothing if the turn ends there");
            explained(range, &format!("continue {name}"), title, help)
        })
    }
}
