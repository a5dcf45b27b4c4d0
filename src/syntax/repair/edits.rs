//! The edits that are tried on a damaged clause, the likeliest first.

use super::layout::{Layout, Place};
use super::trial::Stop;
use super::{Bounds, keywords_near};
use crate::diag::Code;
use crate::syntax::lex::Kind;
use crate::syntax::words;

/// An edit with what is to be said if it helps.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    /// First byte of what is replaced.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The new words.
    pub new: String,
    pub code: Code,
    pub title: String,
    /// The bytes to point at.
    pub label: (usize, usize),
    /// What is said there.
    pub note: String,
    pub help: Option<String>,
    /// Whether the new text is what the user may have meant, not only what lets reading go on.
    pub is_cure: bool,
    /// Whether it is believed when the next clause is read in part.
    pub partly: bool,
}

impl Fix {
    fn new(range: (usize, usize), new: &str, code: Code, title: impl Into<String>) -> Self {
        Fix {
            start: range.0,
            end: range.1,
            new: new.to_owned(),
            code,
            title: title.into(),
            label: range,
            note: String::new(),
            help: None,
            is_cure: true,
            partly: false,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    fn at(mut self, label: (usize, usize)) -> Self {
        self.label = label;
        self
    }
}

/// The words around a mistake.
struct Spot<'a> {
    layout: &'a Layout<'a>,
    bounds: &'a Bounds,
    stop: &'a Stop,
    /// The word that could not be read, and the one before it.
    word: &'a str,
    last: &'a str,
}

/// Edits that are worth trying though the clause may belong elsewhere.
pub(super) fn likely(layout: &Layout, bounds: &Bounds, stop: &Stop) -> Vec<Fix> {
    let spot = Spot::new(layout, bounds, stop);
    let mut fixes = Vec::new();
    spot.assignments(&mut fixes);
    if bounds.place == Place::End {
        spot.outcomes(&mut fixes);
    }
    spot.semicolon(&mut fixes);
    spot.reserved(&mut fixes);
    spot.keywords(&mut fixes);
    fixes
}

/// Edits that would make sense of many clauses, and are tried after the others.
pub(super) fn possible(layout: &Layout, bounds: &Bounds, stop: &Stop) -> Vec<Fix> {
    let spot = Spot::new(layout, bounds, stop);
    let mut fixes = Vec::new();
    spot.foreign(&mut fixes);
    spot.signs(&mut fixes);
    spot.strays(&mut fixes);
    fixes
}

impl<'a> Spot<'a> {
    fn new(layout: &'a Layout<'a>, bounds: &'a Bounds, stop: &'a Stop) -> Self {
        let last = if bounds.at > bounds.first { layout.text(bounds.at - 1) } else { "" };
        Spot { layout, bounds, stop, word: layout.text(bounds.at), last }
    }

    /// The bytes of a word; the end of the text where there is none.
    fn range(&self, at: usize) -> (usize, usize) {
        let end = self.layout.source.len();
        self.layout.words.get(at).map_or((end, end), |word| (word.start, word.end))
    }

    /// The empty range after the word before the mistake.
    fn gap(&self) -> (usize, usize) {
        let end = self.range(self.bounds.at.saturating_sub(1)).1;
        (end, end)
    }

    fn here(&self) -> (usize, usize) {
        self.range(self.bounds.at)
    }

    /// `=` for `:=` and the other way round.
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
            ":=" => fixes.push(
                Fix::new(self.here(), "=", Code::E0002, "`:=` changes the state; here `=` is meant")
                    .help("write `=`: only a move changes the state"),
            ),
            _ => {}
        }
    }

    fn words_between(&self, from: usize, to: usize) -> &str {
        let (start, end) = (self.range(from).0, self.gap().0);
        if from < to { self.layout.source.get(start..end).unwrap_or("") } else { "" }
    }

    /// Outcomes written otherwise.
    fn outcomes(&self, fixes: &mut Vec<Fix>) {
        let title = "an outcome is written `when ... => X wins;`";
        let fix = |range, new: &str| Fix::new(range, new, Code::E0005, title);
        if matches!(self.word, "->" | ":" | "then" | "=" | ":=" | "," | ">" | "is") {
            let title = format!("`{}` stands where `=>` leads to the outcome", self.word);
            fixes.push(Fix { title, ..fix(self.here(), "=>") }.help("write `when ... => X wins;`"));
        }
        let verdict = ["draw", "win", "lose", "highest", "lowest", "payoff"].contains(&self.word);
        let starts = self.layout.words.get(self.bounds.at).is_some_and(|word| word.kind == Kind::Word);
        if verdict || starts && !self.layout.begins_line(self.bounds.at) {
            let text = "the `=>` before the outcome is missing";
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " =>") }
                    .at(self.here())
                    .help("write `when ... => X wins;`"),
            );
        }
        if self.word == "if" {
            fixes.push(fix(self.here(), "when").help("write `when` in place of `if`"));
        }
        for (theirs, ours) in
            [("win", "wins"), ("lose", "loses"), ("won", "wins"), ("lost", "loses"), ("tie", "draw")]
        {
            if self.word == theirs {
                fixes.push(fix(self.here(), ours).help(format!("write `{ours}`")));
            } else if self.last == theirs {
                fixes.push(fix(self.range(self.bounds.at - 1), ours).help(format!("write `{ours}`")));
            }
        }
        if self.word == ";" {
            let text = "the outcome does not say whether the player wins or loses";
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " wins") }
                    .at(self.range(self.bounds.at.saturating_sub(1))),
            );
        }
        self.reversed_outcome(fixes);
    }

    /// `X wins when c;` and `when c => win X;`
    fn reversed_outcome(&self, fixes: &mut Vec<Fix>) {
        let title = "an outcome is written `when ... => X wins;`";
        let source = self.layout.source;
        let words: Vec<&str> = (self.bounds.clause..self.bounds.end).map(|at| self.layout.text(at)).collect();
        let when = words.iter().position(|word| matches!(*word, "when" | "if"));
        if let Some(when) =
            when.filter(|&when| when > 0 && words.last() == Some(&";") && !words.contains(&"=>"))
        {
            let outcome = (self.range(self.bounds.clause).0, self.range(self.bounds.clause + when - 1).1);
            let condition = (self.range(self.bounds.clause + when).1, self.range(self.bounds.end - 1).0);
            let new = format!(
                "when {} => {};",
                source[condition.0..condition.1].trim(),
                &source[outcome.0..outcome.1]
            );
            let all = (outcome.0, self.range(self.bounds.end - 1).1);
            fixes.push(Fix::new(all, &new, Code::E0005, title).at(outcome).help(format!("write `{new}`")));
        }
        let verdict = words.iter().position(|word| matches!(*word, "win" | "wins" | "lose" | "loses"));
        if let Some(verdict) =
            verdict.filter(|&at| at > 0 && words[at - 1] == "=>" && words.last() == Some(&";"))
        {
            let player = (self.range(self.bounds.clause + verdict).1, self.range(self.bounds.end - 1).0);
            let word = if words[verdict].starts_with("win") { "wins" } else { "loses" };
            let new = format!("{} {word}", source[player.0..player.1].trim());
            let all = (self.range(self.bounds.clause + verdict).0, player.1);
            fixes.push(Fix::new(all, &new, Code::E0005, title).help(format!("write `{new}`")));
        }
    }

    /// A clause without its end.
    fn semicolon(&self, fixes: &mut Vec<Fix>) {
        let at_line_end = self.layout.begins_line(self.bounds.at) || self.word == "}" || self.word.is_empty();
        let expected = self.stop.expected.iter().any(|sign| sign == ";");
        if self.bounds.at == self.bounds.first || !(at_line_end || expected) {
            return;
        }
        let end = self.gap().0;
        let title =
            if at_line_end { "a `;` is missing at the end of this line" } else { "a `;` is missing here" };
        let before = self.layout.source[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        let mut fix = Fix::new(self.gap(), ";", Code::E0001, title).at((before, end)).help("insert `;`");
        fix.partly = at_line_end;
        fixes.push(fix);
    }

    /// A keyword spelt otherwise.
    fn keywords(&self, fixes: &mut Vec<Fix>) {
        for at in [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten() {
            let word = self.layout.text(at);
            if at < self.bounds.first || !words::starts_with_letter(word) || words::is_reserved(word) {
                continue;
            }
            let expected = self.stop.expected.iter().filter(|_| at == self.bounds.at);
            for near in keywords_near(word, expected.map(String::as_str)) {
                let title = format!("`{word}` is not a keyword: did you mean `{near}`?");
                fixes.push(
                    Fix::new(self.range(at), &near, Code::E0004, title).help(format!("write `{near}`")),
                );
            }
        }
    }

    /// A reserved word in the place of a name.
    fn reserved(&self, fixes: &mut Vec<Fix>) {
        for at in [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten() {
            let word = self.layout.text(at);
            if at < self.bounds.first || !words::is_reserved(word) {
                continue;
            }
            let what = match (self.bounds.place, self.layout.text(at.wrapping_sub(1))) {
                (Place::State, _) if self.layout.text(at + 1) != "]" => "a field",
                (Place::Top, "def" | "inductive") => "a definition",
                (_, "param") => "a parameter",
                (_, "move" | "chance") => "a move",
                _ => "anything",
            };
            let title = format!("`{word}` is a reserved word and cannot name {what}");
            let new = format!("{word}_");
            fixes.push(
                Fix::new(self.range(at), &new, Code::E0007, title)
                    .help(format!("another name, such as `{new}`")),
            );
        }
    }

    /// Signs and words of other languages.
    fn foreign(&self, fixes: &mut Vec<Fix>) {
        for at in [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten() {
            if at < self.bounds.first {
                continue;
            }
            let pair = (self.layout.text(at), self.layout.text(at + 1));
            let touching = self.range(at).1 == self.range(at + 1).0;
            if let Some((ours, length)) = super::foreign::ours(pair.0, pair.1, touching) {
                let range = (self.range(at).0, self.range(at + length - 1).1);
                let theirs = &self.layout.source[range.0..range.1];
                let title = format!("`{theirs}` is written `{ours}` here");
                fixes.push(
                    Fix::new(range, &format!(" {ours} "), Code::E0013, title).help(format!("write `{ours}`")),
                );
            }
        }
    }

    /// Signs left out, or one for another.
    fn signs(&self, fixes: &mut Vec<Fix>) {
        // where a sign was begun in vain, what was expected before it is not known
        let blind = self.stop.at > self.here().0;
        let wants = |sign: &str| blind || self.stop.expected.iter().any(|expected| expected == sign);
        let missing = |sign: &str, text: &str| {
            Fix::new(self.gap(), text, Code::E0013, format!("a `{sign}` is missing here"))
                .at(self.here())
                .note(format!("before this, `{sign}` is expected"))
                .help(format!("insert `{sign}`"))
        };
        for (sign, text) in [
            (":", ":"),
            (",", ","),
            ("=>", " =>"),
            (":=", " :="),
            ("=", " ="),
            ("of", " of"),
            ("to", " to"),
            ("then", " then"),
            ("in", " in"),
        ] {
            if wants(sign) && !blind {
                fixes.push(missing(sign, text));
            }
        }
        if wants("(") && matches!(self.word, "{" | "as" | "in" | "by" | "=") {
            fixes.push(
                Fix::new(self.gap(), "()", Code::E0013, "the parameters are missing here")
                    .at(self.range(self.bounds.at.saturating_sub(1)))
                    .help("write `()` where there are none"),
            );
        }
        for (theirs, ours) in SWAPS {
            if self.word == *theirs && wants(ours) {
                let title = format!("`{theirs}` stands where `{ours}` is expected");
                fixes.push(Fix::new(self.here(), ours, Code::E0013, title).help(format!("write `{ours}`")));
            }
        }
        if wants("\"") && words::starts_with_letter(self.word) {
            let new = format!("\"{}\"", self.word);
            fixes.push(
                Fix::new(self.here(), &new, Code::E0013, "a title stands between quotes")
                    .help(format!("write `{new}`")),
            );
        }
        for at in (self.bounds.clause..=self.bounds.at).rev() {
            if matches!(self.layout.text(at), "|" | ":") {
                let title = format!("`{}` stands where `where` leads to the condition", self.layout.text(at));
                let fix = Fix::new(self.range(at), " where ", Code::E0013, title);
                fixes.push(fix.help("write `{ x in S where f }`"));
            }
        }
        let earlier = (self.bounds.clause..self.bounds.at).rev().find(|&at| self.layout.text(at) == "in");
        if let Some(at) = earlier.filter(|_| wants(":")) {
            let title = "`let` and quantifiers lead to what they are for by `:`";
            fixes.push(
                Fix::new(self.range(at), ":", Code::E0013, title)
                    .help("write `let x = e: body`, since `in` is membership"),
            );
        }
    }

    /// A word or sign too many.
    fn strays(&self, fixes: &mut Vec<Fix>) {
        if self.word.is_empty() || self.layout.words[self.bounds.at].kind == Kind::Word {
            return;
        }
        if self.layout.words[self.bounds.at].kind == Kind::Sign && self.word != ";"
            || self.word == ";" && matches!(self.last, "" | ";" | "}")
        {
            let title = format!("this `{}` is one too many", self.word);
            fixes.push(Fix::new(self.here(), "", Code::E0013, title).help("take it away"));
        }
        if self.bounds.at > self.bounds.first
            && self.layout.words[self.bounds.at - 1].kind == Kind::Sign
            && self.last != ";"
        {
            let title = format!("this `{}` is one too many", self.last);
            fixes.push(Fix::new(self.range(self.bounds.at - 1), "", Code::E0013, title).help("take it away"));
        }
    }
}

/// Signs taken one for another.
const SWAPS: &[(&str, &str)] = &[
    ("->", "=>"),
    (":", "=>"),
    ("=", "=>"),
    (",", ";"),
    (";", ","),
    (":", "="),
    ("=", ":"),
    (":", ";"),
    (".", ";"),
    ("=>", ":"),
    ("then", "=>"),
    ("and", ","),
    ("|", ":"),
];
