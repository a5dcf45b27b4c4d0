//! Positions of the protocol: lines from 0, columns in UTF-16 code units.

use bouton_base::source::Span;
use lsp_types::{Position, Range};

/// The beginnings of the lines of a text. Lines end at `\n`, `\r\n` or `\r`, as the protocol demands.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex {
    /// The offset of the first byte of each line.
    starts: Vec<usize>,
}

impl LineIndex {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let is_end = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = (0..bytes.len()).filter(|&at| is_end(at)).map(|at| at + 1);
        LineIndex { starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The position of a byte; an offset inside a character counts as its beginning.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let column: usize = text[self.starts[line]..offset].chars().map(char::len_utf16).sum();
        Position { line: line as u32, character: column as u32 }
    }

    /// The byte of a position. A column past the end of its line is the end of the line, a line past the last is the end
    /// of the text, and a column inside a character is its beginning.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, c) in line.char_indices() {
            column += c.len_utf16();
            if column > position.character as usize {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The range of some bytes.
    pub fn range(&self, text: &str, bytes: std::ops::Range<usize>) -> Range {
        Range {
            start: self.position(text, bytes.start),
            end: self.position(text, bytes.end.max(bytes.start)),
        }
    }

    /// The range of a span.
    pub fn range_of(&self, text: &str, span: Span) -> Range {
        self.range(text, span.range())
    }

    /// The bytes of a range; an end before the start counts as the start.
    pub fn bytes(&self, text: &str, range: Range) -> std::ops::Range<usize> {
        let start = self.offset(text, range.start);
        start..self.offset(text, range.end).max(start)
    }

    /// The line of a byte, from 0.
    pub fn line(&self, offset: usize) -> u32 {
        (self.starts.partition_point(|&start| start <= offset) - 1) as u32
    }

    /// The first byte of a line, from 0; the end of the text past the last line.
    pub fn start(&self, text: &str, line: u32) -> usize {
        self.starts.get(line as usize).copied().unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_count_utf16_units() {
        let text = "a\u{e9}\u{1f600}b\r\nc\rd\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.position(text, 0), at(0, 0));
        assert_eq!(lines.position(text, 3), at(0, 2));
        assert_eq!(lines.position(text, 7), at(0, 4));
        assert_eq!(lines.position(text, 5), at(0, 2), "inside a character");
        assert_eq!(lines.position(text, 10), at(1, 0));
        assert_eq!(lines.position(text, 12), at(2, 0));
        assert_eq!(lines.position(text, 99), at(3, 0));
        assert_eq!(lines.offset(text, at(0, 2)), 3);
        assert_eq!(lines.offset(text, at(0, 3)), 3, "inside a surrogate pair");
        assert_eq!(lines.offset(text, at(0, 4)), 7);
        assert_eq!(lines.offset(text, at(0, 99)), 8);
        assert_eq!(lines.offset(text, at(1, 1)), 11);
        assert_eq!(lines.offset(text, at(9, 0)), text.len());
    }

    #[test]
    fn a_position_and_its_offset_are_inverse() {
        let text = "\u{1f600}x\n\n\u{e9}\r\ny";
        let lines = LineIndex::new(text);
        for (offset, _) in text.char_indices().filter(|&(_, c)| c != '\n' && c != '\r') {
            assert_eq!(lines.offset(text, lines.position(text, offset)), offset);
        }
    }
}
