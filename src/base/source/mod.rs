//! Source files, spans and line numbers. This module knows no tree.

use crate::define_id;
use crate::id::IdVec;

define_id!(FileId, "file", "A text that was read: a game or a library it uses.");

/// The file of spans that lie in no text.
const NO_FILE: FileId = FileId(u32::MAX);

/// A range of bytes in one file. Every node of every tree has one. Rules that were not read from a text have spans
/// without a place ([`Span::unplaced`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes the range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// Makes a span without a place, for rules that no text contains. The number tells clauses apart, and nothing else.
    pub const fn unplaced(clause: u32) -> Self {
        Span { file: NO_FILE, start: clause, end: clause }
    }

    /// Returns true if the span lies in a file.
    pub fn is_placed(self) -> bool {
        self.file != NO_FILE
    }

    /// The least range that covers both; `self` if they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns true if a range lies in this one.
    pub fn covers(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The empty range at the start.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty range at the end.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The range as indices into the file's text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A position for people: line and column, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    pub line: usize,
    /// The column in characters.
    pub column: usize,
}

/// A file with its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name as the user gave it.
    pub name: String,
    /// The content of the file.
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Stores a file's text and finds its lines.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        Source { name: name.into(), text, line_starts }
    }

    /// Converts a byte offset to line and column.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&s| s <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |s| s.chars().count()) + 1;
        LineColumn { line: line + 1, column }
    }

    /// The text of a line (from 1) without its line end.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts[line - 1] as usize;
        let end = self.line_starts.get(line).map_or(self.text.len(), |&e| e as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// All files of one run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: IdVec<FileId, Source>,
}

impl Sources {
    /// Makes an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(Source::new(name, text))
    }

    /// Returns the file with this id.
    pub fn get(&self, file: FileId) -> &Source {
        &self.files[file]
    }

    /// Returns the file in which a span lies; `None` for a span without a place.
    pub fn source_of(&self, span: Span) -> Option<&Source> {
        span.is_placed().then(|| self.get(span.file))
    }

    /// The file and line of a span, as `name:line`; `None` for a span without a place.
    pub fn location(&self, span: Span) -> Option<String> {
        let source = self.source_of(span)?;
        Some(format!("{}:{}", source.name, source.line_column(span.start).line))
    }

    /// The text that a span covers; empty for a span without a place.
    pub fn slice(&self, span: Span) -> &str {
        self.source_of(span).and_then(|source| source.text.get(span.range())).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let source = Source::new("x", "ab\n\u{e9}c\n");
        assert_eq!(source.line_column(0), LineColumn { line: 1, column: 1 });
        assert_eq!(source.line_column(5), LineColumn { line: 2, column: 2 });
        assert_eq!(source.line_column(7), LineColumn { line: 3, column: 1 });
        assert_eq!(source.line(2), "\u{e9}c");
    }

    #[test]
    fn a_span_without_a_place_has_no_text() {
        let mut sources = Sources::new();
        let file = sources.add("x", "ab\ncd");
        assert_eq!(sources.location(Span::new(file, 3, 5)).as_deref(), Some("x:2"));
        assert_eq!((sources.location(Span::unplaced(3)), sources.slice(Span::unplaced(3))), (None, ""));
        assert_ne!(Span::unplaced(1), Span::unplaced(2));
    }
}
