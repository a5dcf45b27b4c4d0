//! The structure of a damaged text: lines, brackets and clauses. Indentation matters only here: after an error it
//! indicates the intention.

use crate::keywords;
use crate::lex::{Token, TokenKind};

/// The maximal number of words between `match` and its arms.
const MAX_MATCHED_WORDS: usize = 16;

/// The words of a text, with the structure that brackets and lines give them.
pub(crate) struct Layout<'a> {
    pub source: &'a str,
    /// The text of the file, of which `source` may be a part.
    pub whole: &'a str,
    /// True if the file goes on after `source`.
    pub is_followed: bool,
    /// The tokens without comments.
    pub words: Vec<Token>,
    /// The index of the matching bracket of each bracket, if it has one.
    partner: Vec<Option<usize>>,
}

/// The kind of braces around a clause, which decides the clauses that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClauseContext {
    Top,
    State,
    Move,
    End,
    Test,
    Position,
    Display,
    Preset,
    Phases,
    Other,
}

/// Signs behind which `{}` is a set, not a block.
const EMPTY_SET_AFTER: [&str; 12] = ["=", "!=", "==", ":=", "|=", "-=", "<=", ">=", "<", ">", "|", "&"];

impl<'a> Layout<'a> {
    pub fn new(source: &'a str, tokens: &[Token]) -> Self {
        let words: Vec<Token> = tokens.iter().filter(|t| !t.is_comment()).copied().collect();
        let mut partner = vec![None; words.len()];
        let mut open = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match word.kind {
                TokenKind::Open => open.push(at),
                TokenKind::Close => {
                    if let Some(first) = open.pop() {
                        partner[first] = Some(at);
                        partner[at] = Some(first);
                    }
                }
                _ => {}
            }
        }
        Layout { source, whole: source, is_followed: false, words, partner }
    }

    /// The layout of a part of a file, which goes on after it if `is_followed`.
    pub fn within(self, whole: &'a str, is_followed: bool) -> Self {
        Layout { whole, is_followed, ..self }
    }

    /// The index of the matching bracket of a bracket, if it has one.
    pub fn partner(&self, at: usize) -> Option<usize> {
        self.partner.get(at).copied().flatten()
    }

    /// The characters of a word; empty past the end.
    pub fn text(&self, at: usize) -> &'a str {
        self.words.get(at).map_or("", |word| word.text(self.source))
    }

    /// The index of the word that contains or follows a byte.
    pub fn word_at(&self, byte: usize) -> usize {
        self.words.partition_point(|word| word.end <= byte)
    }

    /// Returns true if a word is the first of its line.
    pub fn begins_line(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return true };
        let before = at.checked_sub(1).map_or(0, |last| self.words[last].end);
        at == 0 || self.source[before..word.start].contains('\n')
    }

    /// The column of a word, in bytes from the start of its line.
    pub fn column(&self, at: usize) -> usize {
        let start = self.words[at].start;
        start - self.source[..start].rfind('\n').map_or(0, |line| line + 1)
    }

    /// Returns true if the brace at `open` contains clauses, not elements.
    pub fn is_block(&self, open: usize) -> bool {
        let Some(close) = self.partner(open).filter(|_| self.text(open) == "{") else { return false };
        if self.contains_arms(open) {
            return false;
        }
        // Behind an operator `{}` is the empty set.
        if close == open + 1 && open > 0 && EMPTY_SET_AFTER.contains(&self.text(open - 1)) {
            return false;
        }
        let first = self.text(open + 1);
        if open > 0 && self.text(open - 1) == "end"
            || close == open + 1
            || keywords::STATEMENT_KEYWORDS.contains(&first) && !matches!(first, "if" | "let")
        {
            return true;
        }
        let mut at = open + 1;
        while at < close {
            // No element contains a block.
            if self.text(at) == ";" || self.is_block(at) {
                return true;
            }
            at = self.partner[at].filter(|&partner| partner > at).unwrap_or(at) + 1;
        }
        false
    }

    /// Returns true if the brace at `open` contains the arms of a `match` in a term.
    pub fn contains_arms(&self, open: usize) -> bool {
        let mut at = open;
        for _ in 0..MAX_MATCHED_WORDS {
            let Some(before) = at.checked_sub(1) else { return false };
            match self.text(before) {
                "match" | "switch" => {
                    let clause = before.checked_sub(1).map_or("", |last| self.text(last));
                    return before + 1 < open && !matches!(clause, "" | ";" | "{" | "}");
                }
                ";" | "{" | "}" | "=>" | ":" | "then" | "else" => return false,
                _ => at = self.partner(before).filter(|&partner| partner < before).unwrap_or(before),
            }
        }
        false
    }

    /// The index of the first word of the clause of `at`, at least `first`.
    pub fn clause_start(&self, first: usize, at: usize) -> usize {
        let mut at = at.min(self.words.len());
        while at > first {
            let before = at - 1;
            let kind = self.words[before].kind;
            match self.partner[before] {
                Some(partner) if kind == TokenKind::Close && partner >= first => {
                    if self.is_block(partner) && self.text(at) != "else" {
                        break;
                    }
                    at = partner;
                }
                Some(_) if kind == TokenKind::Open && self.is_block(before) => break,
                _ if self.text(before) == ";" => break,
                _ => at = before,
            }
        }
        at
    }

    /// The index after the last word of the clause of `at`, which begins at `start`.
    pub fn clause_end(&self, start: usize, at: usize) -> usize {
        let mut end = at;
        while end < self.words.len() {
            if end > at && self.begins_clause(start, end) {
                break;
            }
            match self.words[end].kind {
                TokenKind::Open => {
                    let Some(partner) = self.partner[end] else { return self.words.len() };
                    let is_block = self.is_block(end);
                    end = partner + 1;
                    if is_block && self.text(end) != "else" && self.text(end) != ";" {
                        break;
                    }
                }
                TokenKind::Close => match self.partner[end] {
                    Some(open) if self.is_block(open) || self.text(end) == "}" && open < start => break,
                    _ => end += 1,
                },
                _ => {
                    end += 1;
                    if self.text(end - 1) == ";" {
                        break;
                    }
                }
            }
        }
        end.max(at)
    }

    /// Returns true if a word probably begins a clause after the one that begins at `start`.
    fn begins_clause(&self, start: usize, at: usize) -> bool {
        let word = self.text(at);
        let is_start = keywords::STATEMENT_KEYWORDS.contains(&word)
            || keywords::ITEM_KEYWORDS.contains(&word)
            || word.starts_with("///");
        is_start && self.begins_line(at) && self.column(at) <= self.column(start)
    }

    /// The index after the last word of the damaged item that begins at `first`.
    pub fn item_end(&self, first: usize) -> usize {
        let mut at = first + 1;
        while at < self.words.len() {
            if self.words[at - 1].kind == TokenKind::Open {
                let open = at - 1;
                at = self.partner[open].map_or(self.words.len(), |close| close + 1);
                continue;
            }
            if self.begins_item(first, at) {
                break;
            }
            at += 1;
        }
        at
    }

    fn begins_item(&self, first: usize, at: usize) -> bool {
        let (word, before) = (self.text(at), self.text(at - 1));
        let is_item =
            keywords::ITEM_KEYWORDS.contains(&word) || word.starts_with("///") && !before.starts_with("///");
        if matches!(before, "mandatory" | "private" | "forcing" | "every") || before.starts_with("///") {
            return false;
        }
        let ended = matches!(before, ";" | "}");
        let next_line = self.begins_line(at) && self.column(at) <= self.column(first);
        is_item && (ended || next_line) || ended && next_line && self.words[at].kind == TokenKind::Word
    }

    /// The kind of braces around a word of the item that begins at `first`.
    pub fn place(&self, first: usize, at: usize) -> ClauseContext {
        let mut braces = Vec::new();
        for open in first..at.min(self.words.len()) {
            if self.text(open) == "{" && self.partner[open].is_none_or(|close| close >= at) {
                braces.push(open);
            }
        }
        let Some(&outer) = braces.first() else { return ClauseContext::Top };
        let mut word = first;
        while matches!(self.text(word), "mandatory" | "private" | "forcing")
            || self.text(word).starts_with("///")
        {
            word += 1;
        }
        match self.text(word) {
            "state" => ClauseContext::State,
            "move" | "chance" | "every" | "effect" => ClauseContext::Move,
            "end" => ClauseContext::End,
            "test" if braces.len() == 1 => ClauseContext::Test,
            "test" => ClauseContext::Position,
            "display" => ClauseContext::Display,
            "preset" => ClauseContext::Preset,
            "phases" => ClauseContext::Phases,
            _ if self.is_block(outer) => ClauseContext::Move,
            _ => ClauseContext::Other,
        }
    }
}
