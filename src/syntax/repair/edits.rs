//! Candidate edits for a damaged clause, the likeliest first.

use super::fallback::DAMAGE_MARKER;
use super::foreign::Translation;
use super::gathered::MISSING_AT_LINE_END;
use super::layout::{ClauseContext, Layout};
use super::nearest;
use super::outline::Outline;
use super::trial::ParseFailure;
use super::{MistakeContext, keywords_near};
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;
use std::cell::OnceCell;

/// The maximal number of keys of a dictionary that a message quotes.
const MAX_DICTIONARY_ARMS: usize = 8;

/// A candidate edit, with the message if it helps.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    /// The first replaced byte.
    pub start: usize,
    /// The byte after the last replaced one.
    pub end: usize,
    /// The new text.
    pub new: String,
    /// A second insertion behind the first edit: its offset and text.
    pub closing: Option<(usize, &'static str)>,
    pub code: Code,
    pub title: String,
    /// The range of the label.
    pub label: (usize, usize),
    /// The text of the label.
    pub note: String,
    pub help: Option<String>,
    /// True if the user may have meant the new text; false if it only lets parsing continue.
    pub is_correction: bool,
    /// True if the edit also succeeds when the next clause parses only in part.
    pub accepts_partial: bool,
}

impl Fix {
    pub fn new(range: (usize, usize), new: &str, code: Code, title: impl Into<String>) -> Self {
        Fix {
            start: range.0,
            end: range.1,
            new: new.to_owned(),
            closing: None,
            code,
            title: title.into(),
            label: range,
            note: String::new(),
            help: None,
            is_correction: true,
            accepts_partial: false,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    pub fn at(mut self, label: (usize, usize)) -> Self {
        self.label = label;
        self
    }
}

/// The words around a mistake.
pub(super) struct FixFinder<'a> {
    pub layout: &'a Layout<'a>,
    pub bounds: &'a MistakeContext,
    pub stop: &'a ParseFailure,
    /// The unreadable word, and the word before it.
    pub word: &'a str,
    pub last: &'a str,
    /// The declarations of the file, once they are needed.
    pub outline: OnceCell<Outline<'a>>,
}

/// The edits to try first, even if the clause may belong elsewhere.
pub(super) fn likely_fixes(layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Vec<Fix> {
    let spot = FixFinder::new(layout, bounds, stop);
    let mut fixes = Vec::new();
    spot.turns(&mut fixes);
    fixes.extend(spot.units_of_a_board());
    fixes.extend(spot.phase_with_its_word());
    fixes.extend(spot.lone_phase());
    fixes.extend(spot.setup_behind_a_phase());
    fixes.extend(spot.none_as_a_quantifier());
    fixes.extend(spot.star_as_a_key());
    spot.familiar_words(&mut fixes);
    fixes.extend(spot.definition_by_cases());
    fixes.extend(spot.field_of_an_array());
    spot.lost_ands(&mut fixes);
    spot.lost_signs(&mut fixes);
    spot.brace_forms(&mut fixes);
    spot.set_conditions(&mut fixes);
    spot.event_weights(&mut fixes);
    if bounds.place == ClauseContext::End {
        spot.verdict_words(&mut fixes);
    }
    fixes.extend(spot.keys_behind_the_type());
    fixes.extend(spot.array_declaration());
    fixes.extend(spot.field_of_a_dictionary());
    spot.bare_keys(&mut fixes);
    spot.foreign_types(&mut fixes);
    fixes.extend(spot.last_branch_of_a_term());
    spot.owned_moves(&mut fixes);
    spot.foreign_heads(&mut fixes);
    fixes.extend(spot.iterator_chain());
    spot.loops_by_type(&mut fixes);
    spot.foreign_loops(&mut fixes);
    fixes.extend(spot.guard_before_a_guard());
    fixes.extend(spot.guard_by_if());
    fixes.extend(spot.event_by_another_word());
    fixes.extend(spot.applied_function());
    spot.clause_words(&mut fixes);
    spot.called_words(&mut fixes);
    spot.divided_effects(&mut fixes);
    spot.spoken_relations(&mut fixes);
    spot.head_words(&mut fixes);
    spot.steps_by_one(&mut fixes);
    spot.comment_marks(&mut fixes);
    spot.swapped_parts(&mut fixes);
    spot.functions(&mut fixes);
    spot.foreign_terms(&mut fixes);
    spot.choices(&mut fixes);
    spot.program_terms(&mut fixes);
    spot.hidden_events(&mut fixes);
    spot.end_rules(&mut fixes);
    spot.actors(&mut fixes);
    spot.effect_calls(&mut fixes);
    spot.visibility(&mut fixes);
    spot.claims(&mut fixes);
    spot.repetitions(&mut fixes);
    spot.settings(&mut fixes);
    spot.lost_words(&mut fixes);
    spot.item_forms(&mut fixes);
    fixes.extend(spot.move_names());
    spot.hints(&mut fixes);
    spot.commands(&mut fixes);
    spot.move_heads(&mut fixes);
    spot.head_slips(&mut fixes);
    spot.clause_forms(&mut fixes);
    spot.type_words(&mut fixes);
    spot.orders(&mut fixes);
    spot.memberships(&mut fixes);
    spot.guards(&mut fixes);
    spot.implications(&mut fixes);
    spot.rest_of_signs(&mut fixes);
    spot.graph_lines(&mut fixes);
    spot.forms(&mut fixes);
    spot.graph_neighbours(&mut fixes);
    spot.bindings(&mut fixes);
    spot.arms(&mut fixes);
    spot.missing_commas(&mut fixes);
    spot.tables_of_keys(&mut fixes);
    spot.small_words(&mut fixes);
    spot.spoken_conditions(&mut fixes);
    spot.spoken_terms(&mut fixes);
    spot.measures(&mut fixes);
    spot.everyday_words(&mut fixes);
    spot.presence(&mut fixes);
    spot.exceptions(&mut fixes);
    if layout.text(bounds.first) == "end" {
        spot.payoffs(&mut fixes);
    }
    spot.openings(&mut fixes);
    spot.entries(&mut fixes);
    spot.verbs(&mut fixes);
    if bounds.place == ClauseContext::End {
        spot.winners(&mut fixes);
    }
    spot.bare_conditions(&mut fixes);
    spot.dialects(&mut fixes);
    spot.item_words(&mut fixes);
    spot.relations(&mut fixes);
    spot.misplaced_words(&mut fixes);
    spot.steps(&mut fixes);
    spot.exact_numbers(&mut fixes);
    spot.values(&mut fixes);
    spot.notations(&mut fixes);
    spot.types_first(&mut fixes);
    spot.idioms(&mut fixes);
    spot.programs(&mut fixes);
    spot.heads(&mut fixes);
    spot.sentences(&mut fixes);
    spot.effects(&mut fixes);
    spot.set_words(&mut fixes);
    spot.quantifiers(&mut fixes);
    spot.habits(&mut fixes);
    spot.phrases(&mut fixes);
    spot.declarations(&mut fixes);
    spot.open_blocks(&mut fixes);
    spot.foreign_tables(&mut fixes);
    spot.type_endings(&mut fixes);
    spot.assignments(&mut fixes);
    if bounds.place == ClauseContext::End {
        spot.outcomes(&mut fixes);
    }
    spot.keys(&mut fixes);
    spot.types(&mut fixes);
    spot.constant_without_its_word(&mut fixes);
    spot.semicolon(&mut fixes);
    spot.reserved(&mut fixes);
    spot.keywords(&mut fixes);
    spot.spoken_effects(&mut fixes);
    fixes
}

/// The edits to try last, since they would fit many clauses.
pub(super) fn possible_fixes(layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Vec<Fix> {
    let spot = FixFinder::new(layout, bounds, stop);
    let mut fixes = Vec::new();
    spot.foreign(&mut fixes);
    spot.increments(&mut fixes);
    spot.cells(&mut fixes);
    spot.sizes(&mut fixes);
    spot.terms_in_braces(&mut fixes);
    spot.tables(&mut fixes);
    spot.dictionary(&mut fixes);
    spot.signs(&mut fixes);
    spot.block_by_an_unknown_word(&mut fixes);
    spot.strays(&mut fixes);
    fixes
}

impl<'a> FixFinder<'a> {
    fn new(layout: &'a Layout<'a>, bounds: &'a MistakeContext, stop: &'a ParseFailure) -> Self {
        let last = if bounds.at > bounds.first { layout.text(bounds.at - 1) } else { "" };
        FixFinder { layout, bounds, stop, word: layout.text(bounds.at), last, outline: OnceCell::new() }
    }

    /// The range of a word; the end of the text if there is no such word.
    pub fn range(&self, at: usize) -> (usize, usize) {
        let end = self.layout.source.len();
        self.layout.words.get(at).map_or((end, end), |word| (word.start, word.end))
    }

    /// The empty range after the word before the mistake.
    pub fn gap(&self) -> (usize, usize) {
        let end = self.range(self.bounds.at.saturating_sub(1)).1;
        (end, end)
    }

    pub fn here(&self) -> (usize, usize) {
        self.range(self.bounds.at)
    }

    /// Fixes `n--;` and `n++;`.
    fn increments(&self, fixes: &mut Vec<Fix>) {
        let (first, second) = (self.bounds.at, self.bounds.at + 1);
        let twice = matches!(self.word, "-" | "+")
            && self.layout.text(second) == self.word
            && self.layout.text(second + 1) == ";";
        if twice && self.bounds.place == ClauseContext::Move {
            let target = self.words_between(self.bounds.clause, first);
            let new = format!(" {}= 1", self.word);
            let title = format!("`{target}{0}{0}` is written `{target}{new}`", self.word);
            let range = (self.here().0, self.range(second).1);
            fixes.push(Fix::new(range, &new, Code::E0013, title).help(format!("write `{target}{new};`")));
        }
    }

    /// Fixes `at(c) := me` to `at[c] := me`.
    fn cells(&self, fixes: &mut Vec<Fix>) {
        let close = self.bounds.at.wrapping_sub(1);
        let Some(open) = self.layout.partner(close).filter(|_| self.last == ")") else { return };
        if open > self.bounds.clause && matches!(self.word, ":=" | "+=" | "-=" | "|=" | "<-" | "=") {
            let inner = &self.layout.source[self.range(open).1..self.range(close).0];
            let range = (self.range(open).0, self.range(close).1);
            let title = "write the cell of a field in square brackets";
            let name = &self.layout.source[self.range(self.bounds.clause).0..range.0];
            let target = format!("{}[{inner}]", name.trim_end());
            fixes.push(
                Fix::new(range, &format!("[{inner}]"), Code::E0013, title).help(format!("write `{target}`")),
            );
        }
    }

    /// Fixes `board Cell = 3x3;`.
    fn sizes(&self, fixes: &mut Vec<Fix>) {
        let size = self.word.strip_prefix(['x', 'X']).filter(|size| size.parse::<u32>().is_ok());
        if let Some(height) = size.filter(|_| self.layout.text(self.bounds.first) == "board") {
            let range = (self.range(self.bounds.at - 1).0, self.here().1);
            if self.layout.text(self.bounds.at.saturating_sub(2)) == "(" {
                let new = format!("{}, {height}", self.last);
                let title = "a comma stands between the columns and the rows of a board";
                fixes.push(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
                return;
            }
            let new = format!("grid({}, {height})", self.last);
            let title = "a board is given by its form and its size";
            fixes.push(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
    }

    /// Fixes `if c { a } else { b }` as a term.
    fn terms_in_braces(&self, fixes: &mut Vec<Fix>) {
        let inside = |open: usize| -> Option<(&str, usize)> {
            let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
            Some((self.layout.source[self.range(open).1..self.range(close).0].trim(), close))
        };
        let Some((yes, close)) = inside(self.bounds.at) else { return };
        let Some((no, end)) = inside(close + 2).filter(|_| self.layout.text(close + 1) == "else") else {
            return;
        };
        let new = format!("then {yes} else {no}");
        let title = "the `if` of a term has `then` and `else`, without braces";
        let fix = Fix::new((self.here().0, self.range(end).1), &new, Code::E0013, title).at(self.here());
        fixes.push(fix.help(format!("write `{new}`")));
    }

    /// Fixes `at[c: Cell]: Player? = { a1: White, else none };`.
    fn tables(&self, fixes: &mut Vec<Fix>) {
        let Some(open) = self.bounds.at.checked_sub(2).filter(|_| matches!(self.word, ":" | "=" | "=>"))
        else {
            return;
        };
        let (Some(close), "=") = (self.layout.partner(open), self.layout.text(open.wrapping_sub(1))) else {
            return;
        };
        // The only key of the field is in the square brackets before.
        let bracket = (0..open)
            .rev()
            .take_while(|&at| self.layout.text(at) != ";")
            .find(|&at| self.layout.text(at) == "[");
        let Some(bracket) = bracket.filter(|at| self.layout.text(at + 2) == ":") else { return };
        let key = self.layout.text(bracket + 1);
        let after_keys = self.layout.partner(bracket).map_or(0, |keys| keys + 1);
        let is_set = self.layout.text(after_keys) == ":" && self.layout.text(after_keys + 1) == "set";
        let mut is_whole = true;
        let mut cases = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.list_item_end(at, close);
            let of = if matches!(self.layout.text(at), "else" | "_" | "default" | "otherwise") {
                "_"
            } else {
                unquoted(self.layout.text(at))
            };
            let sign = matches!(self.layout.text(at + 1), ":" | "=" | "=>");
            let value = if sign { at + 2 } else { at + 1 };
            if value >= end || !(sign || of == "_") {
                return;
            }
            let set = Some(value).filter(|_| is_set).and_then(|value| self.list_as_a_set(value, end));
            is_whole &= set.as_ref().is_none_or(|(_, is_whole)| *is_whole);
            let value = set.map_or(self.text(value, end).to_owned(), |(set, _)| set);
            cases.push(format!("{of} => {value}"));
            at = end + 1;
        }
        let keys: Vec<&str> = cases.iter().filter_map(|case| case.split(" => ").next()).collect();
        if self.layout.text(open - 2) == "?" && !keys.contains(&"_") && self.key_over(&keys).is_none() {
            cases.push("_ => none".to_owned());
        }
        let new = format!("match {key} {{ {} }}", cases.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let fix =
            Fix::new(range, &new, Code::E0013, "a value for each key is told by `match`").at(self.here());
        fixes.push(Fix { is_correction: is_whole, ..fix.help(format!("write `{new}`")) });
    }

    /// Explains `{ "man": 1, "king": 3 }` in other places than a field with one key.
    fn dictionary(&self, fixes: &mut Vec<Fix>) {
        let Some(open) = self.bounds.at.checked_sub(2).filter(|_| matches!(self.word, ":" | "=>")) else {
            return;
        };
        let before = self.layout.text(open.wrapping_sub(1));
        let Some(close) = self.layout.partner(open) else { return };
        if self.layout.text(open) != "{" || !matches!(before, "=" | ":=" | "(" | "," | "in" | "return") {
            return;
        }
        let mut arms = Vec::new();
        let mut at = open + 1;
        let (mut keys, mut numbers) = (Vec::new(), Vec::new());
        while at < close && arms.len() < MAX_DICTIONARY_ARMS {
            let end = self.list_item_end(at, close);
            let value = self.layout.source.get(self.range(at + 2).0..self.range(end - 1).1).unwrap_or("...");
            let key = unquoted(self.layout.text(at));
            keys.push(key);
            numbers.push(value.parse::<i64>().ok());
            arms.push(format!("{key} => {value}"));
            at = end + 1;
        }
        let title = "a value for each key is a table, whose keys have a type";
        // `{ a: 1, b: 2 }[x]`
        if let Some(last) = self.layout.partner(close + 1).filter(|_| self.layout.text(close + 1) == "[") {
            let new = format!("match {} {{ {} }}", self.text(close + 2, last), arms.join(", "));
            let range = (self.range(open).0, self.range(last).1);
            let fix = Fix::new(range, &new, Code::E0013, "a value for each key is told by `match`");
            fixes.push(fix.at(self.here()).help(format!("write `{new}`")));
        }
        let numbers: Option<Vec<i64>> = numbers.into_iter().collect();
        let range_of_values = numbers
            .and_then(|numbers| Some((*numbers.iter().min()?, *numbers.iter().max()?)))
            .map_or("0..9".to_owned(), |(low, high)| format!("{low}..{high}"));
        let known = self.outline().enum_of(&keys).map(|(name, _)| name);
        let name = match self.layout.text(self.bounds.first) {
            "const" => self.layout.text(self.bounds.first + 1),
            _ => "worth",
        };
        let kind = known.unwrap_or("Kind");
        let of = if known.is_some() { "" } else { ", with an `enum` of the keys as its type" };
        let help = format!(
            "write a table: `const {name}[k: {kind}]: {range_of_values} = match k {{ {} }};`{of}",
            arms.join(", ")
        );
        let range = (self.range(open).0, self.range(close).1);
        let fix = Fix::new(range, DAMAGE_MARKER, Code::E0013, title).at(self.here()).help(help);
        fixes.push(Fix { is_correction: false, ..fix });
    }

    /// The index of the comma after the list item at `at`, or `close`.
    fn list_item_end(&self, mut at: usize, close: usize) -> usize {
        while at < close && self.layout.text(at) != "," {
            at = self.layout.partner(at).filter(|&partner| partner > at).unwrap_or(at) + 1;
        }
        at
    }

    /// Exchanges `=` and `:=`.
    fn assignments(&self, fixes: &mut Vec<Fix>) {
        let target = self.words_between(self.bounds.clause, self.bounds.at);
        match self.word {
            "=" | "==" => fixes.push(
                Fix::new(
                    self.here(),
                    ":=",
                    Code::E0002,
                    format!("`{}` compares; write `:=` to change the state", self.word),
                )
                .help(format!("write `{target} := ...`")),
            ),
            // In `a := b := c;` both are meant.
            ":=" if (self.bounds.clause..self.bounds.at).any(|at| self.layout.text(at) == ":=") => {}
            // In a move, `when` asks and `:=` changes: both are sound.
            ":=" if self.in_move()
                && self.layout.text(self.bounds.clause) == "when"
                && self.end_of_operand(self.bounds.clause + 1) == Some(self.bounds.at) =>
            {
                let name = self.words_between(self.bounds.clause + 1, self.bounds.at);
                let title = "`when` asks for a condition, and `:=` changes the state";
                let help = format!(
                    "write `when {name} = ...;` if this must hold before the move, `{name} := ...;` without \
                     `when` if the move changes it"
                );
                let fix = Fix::new(self.here(), "=", Code::E0002, title).help(help);
                fixes.push(Fix { is_correction: false, ..fix });
            }
            ":=" => fixes.push(
                Fix::new(self.here(), "=", Code::E0002, "`:=` changes the state; here `=` is meant")
                    .help("write `=`: only a move changes the state"),
            ),
            _ => {}
        }
    }

    pub fn words_between(&self, from: usize, to: usize) -> &str {
        let (start, end) = (self.range(from).0, self.gap().0);
        if from < to { self.layout.source.get(start..end).unwrap_or("") } else { "" }
    }

    /// Adds the missing semicolon of a clause.
    fn semicolon(&self, fixes: &mut Vec<Fix>) {
        let at_line_end = self.layout.begins_line(self.bounds.at) || self.word == "}" || self.word.is_empty();
        let expected = self.stop.expected.iter().any(|sign| sign == ";");
        if self.bounds.at == self.bounds.first || !(at_line_end || expected) {
            return;
        }
        let end = self.gap().0;
        fixes.extend(self.whole_quotient());
        let title = if at_line_end { MISSING_AT_LINE_END } else { "a `;` is missing here" };
        let before = self.layout.source[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        let mut fix = Fix::new(self.gap(), ";", Code::E0001, title).at((before, end)).help("insert `;`");
        fix.accepts_partial = at_line_end;
        let names = self.bounds.at.checked_sub(2).filter(|&before| {
            // The word of a line is no point.
            matches!(self.layout.text(before), "-" | "->" | ";")
                && self.is_name(before + 1)
                && self.is_name(before + 2)
        });
        if let Some(fix) = names.and_then(|before| self.point_of_two_words(before + 1)) {
            fixes.push(fix);
        }
        if self.layout.text(self.bounds.first) == "board" && !at_line_end {
            // In a graph, the sign between two points may be missing as well.
            fix.is_correction = false;
            let near = nearest(self.layout.text(self.bounds.clause), ["line"]);
            fix.help = Some(match near.filter(|_| self.bounds.at == self.bounds.clause + 1) {
                Some(line) => {
                    format!("write `{line}` if it is a line of points, `-` between points that are joined")
                }
                None => "write `-` between points that are joined, `;` between edges".to_owned(),
            });
        }
        fixes.push(fix);
        // `{ n := 1 };`
        if self.word == "}"
            && self.layout.text(self.bounds.at + 1) == ";"
            && self.bounds.place == ClauseContext::Move
        {
            let range = (self.gap().0, self.range(self.bounds.at + 1).1);
            let title = "a `;` ends an effect, and none follows a brace";
            fixes.push(Fix::new(range, "; }", Code::E0001, title).at((before, end)).help("write `; }`"));
        }
    }

    /// Explains `n := n // 2;`, where a comment begins in the middle of a term.
    fn whole_quotient(&self) -> Option<Fix> {
        let end = self.gap().0;
        let line = self.layout.source[end..].lines().next()?;
        let divisor = line.trim_start().strip_prefix("//").filter(|rest| !rest.starts_with('/'))?;
        let divisor = divisor.trim().strip_suffix(';')?;
        let is_term = super::trial_parse(crate::grammar::Rule::one_expr, divisor).is_ok();
        let is_short = divisor.len() <= 40;
        (is_term && is_short && !divisor.is_empty()).then(|| {
            let start = end + line.len() - line.trim_start().len();
            let title = "`//` begins a comment, and the `;` is part of it";
            let help = format!(
                "a whole quotient is written `/ {divisor};`; if it is a comment, a `;` is missing before it"
            );
            let fix = Fix::new(self.gap(), ";", Code::E0001, title).at((start, start + 2)).help(help);
            Fix { is_correction: false, accepts_partial: true, ..fix }
        })
    }

    /// Corrects a misspelled keyword.
    fn keywords(&self, fixes: &mut Vec<Fix>) {
        for at in [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten() {
            let word = self.layout.text(at);
            if at < self.bounds.first || !keywords::starts_with_letter(word) || keywords::is_reserved(word) {
                continue;
            }
            // They mean the opposite of the words that they resemble.
            if matches!(word, "xor" | "nor" | "nand" | "xnor" | "nxor" | "nimplies" | "nin" | "notin") {
                continue;
            }
            let expected = self.stop.expected.iter().filter(|_| at == self.bounds.at);
            for near in keywords_near(word, expected.map(String::as_str)) {
                let title = format!("`{word}` is not a keyword: did you mean `{near}`?");
                let mut fix = Fix::new(self.range(at), &near, Code::E0004, title);
                fix.accepts_partial = near.eq_ignore_ascii_case(word);
                fixes.push(fix.help(format!("write `{near}`")));
            }
        }
    }

    /// Renames a reserved word in the place of a name.
    fn reserved(&self, fixes: &mut Vec<Fix>) {
        // `count and ...` is unreadable only behind the second word.
        for at in [0, 1, 2].into_iter().filter_map(|back| self.bounds.at.checked_sub(back)) {
            let word = self.layout.text(at);
            if at + 2 == self.bounds.at && !matches!(self.last, "and" | "or" | "implies" | "iff") {
                continue;
            }
            let is_verdict =
                matches!(word, "wins" | "loses" | "draw") && self.layout.text(self.bounds.first) == "expect";
            if at < self.bounds.first || !keywords::is_reserved(word) || is_verdict {
                continue;
            }
            let what = match (self.bounds.place, self.layout.text(at.wrapping_sub(1))) {
                (ClauseContext::State, _) if self.layout.text(at + 1) != "]" => "a field",
                (ClauseContext::Top, "def" | "inductive") => "a definition",
                (_, "param") => "a parameter",
                (_, "move" | "chance") => "a move",
                (ClauseContext::Top, "(" | ",") if self.layout.text(at + 1) == ":" => "a parameter",
                _ => "anything",
            };
            if word == "no" && matches!(self.layout.text(at.wrapping_sub(1)), "=" | "==" | "!=" | ":=") {
                let title = "the truth values are `true` and `false`";
                let fix = Fix::new(self.range(at), "false", Code::E0013, title).at(self.range(at));
                fixes.push(fix.help("write `false`; what is empty is `none`"));
                continue;
            }
            if let Some(called) = self.reserved_word_called(at) {
                fixes.push(called);
                continue;
            }
            let title = format!("`{word}` is a reserved word and cannot name {what}");
            let new = format!("{word}_");
            let fix = Fix::new(self.range(at), &new, Code::E0007, title)
                .help(format!("another name, such as `{new}`"));
            // The rest of a declaration may have mistakes of its own.
            let is_declared = match what {
                "a move" | "a definition" => self.layout.text(at + 1) == "(",
                "a parameter" => self.layout.text(at + 1) == ":",
                _ => false,
            };
            fixes.push(Fix { accepts_partial: is_declared, ..fix });
        }
    }

    /// Translates operators and words of other languages.
    fn foreign(&self, fixes: &mut Vec<Fix>) {
        for back in 0..=2 {
            let Some(at) = self.bounds.at.checked_sub(back).filter(|&at| at >= self.bounds.first) else {
                break;
            };
            let (word, next) = (self.layout.text(at), self.layout.text(at + 1));
            let touching = self.range(at).1 == self.range(at + 1).0;
            // Two words before the mistake, only both together can have caused it.
            for to in super::foreign::translations(word, next, touching).iter().filter(|to| to.words >= back)
            {
                fixes.push(self.translated(at, to));
            }
        }
    }

    fn translated(&self, at: usize, to: &Translation) -> Fix {
        let range = (self.range(at).0, self.range(at + to.words - 1).1);
        let (theirs, ours) = (&self.layout.source[range.0..range.1], to.ours);
        let source = self.layout.source;
        let begins_blank = |text: &str| text.starts_with(|c: char| c.is_whitespace() || ";,)".contains(c));
        let before = if source[..range.0].ends_with(char::is_whitespace) { "" } else { " " };
        let after = if begins_blank(&source[range.1..]) { "" } else { " " };
        let new = format!("{before}{ours}{after}");
        let mut fix = if let Some((other, advice)) = to.other {
            let title = format!("`{theirs}` can mean `{ours}` or `{other}`");
            Fix { is_correction: false, ..Fix::new(range, &new, Code::E0013, title).help(advice) }
        } else if ours.is_empty() {
            let title = format!("`{theirs}` has no meaning here");
            // With the blanks before it, where some follow.
            let start = if after.is_empty() && at > 0 { self.range(at - 1).1 } else { range.0 };
            let new = if start < range.0 { "" } else { " " };
            Fix::new((start, range.1), new, Code::E0013, title).at(range).help("leave it out")
        } else if matches!(ours, "," | ";" | ":") && at > 0 {
            let title = format!("`{theirs}` is written `{ours}` here");
            let new = format!("{ours}{after}");
            let start = self.range(at - 1).1;
            Fix::new((start, range.1), &new, Code::E0013, title).at(range).help(format!("write `{ours}`"))
        } else if to.is_foreign_keyword {
            let title = format!("keywords are English: `{theirs}` is written `{ours}`");
            Fix::new(range, &new, Code::E0004, title).help(format!("write `{ours}`"))
        } else {
            let title = format!("`{theirs}` is written `{ours}` here");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{ours}`"))
        };
        fix.accepts_partial = keywords::starts_with_letter(theirs) || to.words > 1;
        fix
    }

    /// Returns true if an `in` follows `let x = e` or `let (a, b) = e`, as in other languages.
    pub(super) fn is_let_in(&self, at: usize) -> bool {
        let is_let = |&start: &usize| self.layout.text(start) == "let";
        let Some(start) = (self.bounds.first..at).rev().find(is_let) else { return false };
        let sign = match self.layout.text(start + 1) {
            "(" => self.layout.partner(start + 1).map(|close| close + 1),
            _ => Some(start + 2),
        };
        sign.is_some_and(|sign| sign < at && self.layout.text(sign) == "=")
    }

    /// Removes a superfluous token.
    fn strays(&self, fixes: &mut Vec<Fix>) {
        if self.word.is_empty() || self.layout.words[self.bounds.at].kind == TokenKind::Word {
            return;
        }
        if self.layout.words[self.bounds.at].kind == TokenKind::Punctuation && self.word != ";"
            || self.word == ";" && matches!(self.last, "" | ";" | "}")
        {
            fixes.push(self.stray(self.bounds.at));
        }
        if self.bounds.at > self.bounds.first
            && self.layout.words[self.bounds.at - 1].kind == TokenKind::Punctuation
            && self.last != ";"
        {
            fixes.push(self.stray(self.bounds.at - 1));
        }
    }

    /// Removes a token. Without an operator a term may mean something else, so that only the writer can remove it.
    fn stray(&self, at: usize) -> Fix {
        let word = self.layout.text(at);
        let is_heading = at == self.bounds.first + 1 && matches!(word, ":" | "=");
        // Between two terms a sign may join them in another way.
        let ends_term = |at: usize| self.ends_term(at) || self.layout.text(at).starts_with('"');
        let begins_term = |at: usize| {
            let is_open = matches!(self.layout.text(at), "(" | "[" | "{");
            is_open || self.is_name(at) || self.is_number(at) || self.layout.text(at).starts_with('"')
        };
        let is_between = at > self.bounds.first && ends_term(at - 1) && begins_term(at + 1);
        let is_certain = is_heading || word == ";" || matches!(word, "," | ".") && !is_between;
        let fix = Fix::new(self.range(at), "", Code::E0013, format!("this `{word}` is one too many"));
        match is_certain {
            true => fix.help("take it away"),
            false => {
                Fix { is_correction: false, ..fix.help("take it away, or write the term that it needs") }
            }
        }
    }
}

/// A word without the quotes of a string, if it can be a name.
fn unquoted(word: &str) -> &str {
    let inner = word.trim_matches('"');
    let is_name =
        keywords::starts_with_letter(inner) && inner.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    if is_name { inner } else { word }
}
