//! Crops long lines to windows around the ends of labels, for the renderer, and shows control characters inside of lines.
//!
//! The renderer takes a carriage return without a line feed for the end of a line, and would count other lines.
//! The renderer pads lines by a width that the formatter of the standard library stores in 16 bits, and nobody reads a
//! line of thousands of characters. *Invariant:* lines keep their numbers, and short lines do not change.

/// The maximal length of an uncropped line, in characters.
const MAX_UNCROPPED_CHARS: usize = 200;

/// The number of characters of a window on either side of the end of a label.
const WINDOW_CONTEXT_CHARS: usize = 60;

/// The maximal number of label ends of one line that get a window.
const MAX_WINDOWS: usize = 8;

/// The character in place of removed text.
const ELLIPSIS: char = '\u{2026}';

/// The character in place of a control character without a picture.
const REPLACEMENT: char = '\u{fffd}';

/// The picture of a character that a terminal would obey: of a control character that ends no line, and of a mark that
/// turns the direction of text round.
fn picture(c: char) -> Option<char> {
    match c {
        '\t' | '\n' => None,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(REPLACEMENT),
        _ => None,
    }
}

/// A text with pictures of its control characters.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|c| picture(c).unwrap_or(c)).collect()
}

/// A text whose long lines are cropped.
pub(super) struct CroppedText {
    /// The remaining text.
    pub text: String,
    /// The remaining stretches of the whole text, in order: begin, end, and begin in the remaining text.
    pieces: Vec<(usize, usize, usize)>,
    /// The length of the whole text.
    length: usize,
}

impl CroppedText {
    /// Crops the long lines of a text with these labels, given by their first byte and the byte after their last.
    /// Returns `None` if no line is long or has a control character inside.
    pub fn of(text: &str, labels: &[(usize, usize)]) -> Option<CroppedText> {
        let is_long =
            |line: &str| line.len() > MAX_UNCROPPED_CHARS && line.chars().count() > MAX_UNCROPPED_CHARS;
        let is_shown = |line: &str| body(line).chars().any(|c| picture(c).is_some());
        if !text.split_inclusive('\n').any(|line| is_long(line) || is_shown(line)) {
            return None;
        }
        let mut cropped = CroppedText { text: String::new(), pieces: Vec::new(), length: text.len() };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let body = body(line);
            if is_long(body) {
                let mut end = 0;
                for (from, to) in windows(body, at, labels) {
                    if from > end {
                        cropped.text.push(ELLIPSIS);
                    }
                    cropped.keep_visible(text, at + from, at + to);
                    end = to;
                }
                if end < body.len() {
                    cropped.text.push(ELLIPSIS);
                }
            } else {
                cropped.keep_visible(text, at, at + body.len());
            }
            cropped.keep(text, at + body.len(), at + line.len());
            at += line.len();
        }
        Some(cropped)
    }

    /// Keeps a stretch within a line, with pictures of its control characters.
    fn keep_visible(&mut self, text: &str, from: usize, to: usize) {
        let mut kept = from;
        for (offset, c) in text[from..to].char_indices() {
            if let Some(picture) = picture(c) {
                let at = from + offset;
                self.keep(text, kept, at);
                kept = at + c.len_utf8();
                self.pieces.push((at, kept, self.text.len()));
                self.text.push(picture);
            }
        }
        self.keep(text, kept, to);
    }

    fn keep(&mut self, text: &str, from: usize, to: usize) {
        if from == to {
            return;
        }
        let here = self.text.len();
        self.text.push_str(&text[from..to]);
        match self.pieces.last_mut() {
            Some((first, last, begin)) if *last == from && *begin + (from - *first) == here => *last = to,
            _ => self.pieces.push((from, to, here)),
        }
    }

    /// Converts an offset in the whole text to one in the remaining text; for a removed byte, returns the offset of the
    /// ellipsis.
    pub fn place(&self, offset: usize) -> usize {
        if offset == self.length {
            return self.text.len();
        }
        let after = self.pieces.partition_point(|(from, ..)| *from <= offset);
        match after.checked_sub(1).map(|last| self.pieces[last]) {
            Some((from, to, here)) => here + offset.min(to) - from,
            None => 0,
        }
    }
}

/// A line without its end.
fn body(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(body) => body.strip_suffix('\r').unwrap_or(body),
        None => line,
    }
}

/// The windows of a long line that begins at `at`: around the ends of labels, or the beginning of the line.
fn windows(line: &str, at: usize, labels: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut places: Vec<usize> = labels
        .iter()
        .flat_map(|&(start, end)| [start, end])
        .filter(|place| (at..=at + line.len()).contains(place))
        .map(|place| place - at)
        .collect();
    places.truncate(MAX_WINDOWS);
    places.sort_unstable();
    let ahead = |from: usize, count: usize| {
        line[from..].char_indices().nth(count).map_or(line.len(), |(offset, _)| from + offset)
    };
    let back = |from: usize| {
        line[..from].char_indices().rev().nth(WINDOW_CONTEXT_CHARS - 1).map_or(0, |(offset, _)| offset)
    };
    let mut windows: Vec<(usize, usize)> = Vec::new();
    for place in places {
        let (from, to) = (back(place), ahead(place, WINDOW_CONTEXT_CHARS));
        match windows.last_mut() {
            Some((_, end)) if from <= *end => *end = to,
            _ => windows.push((from, to)),
        }
    }
    if windows.is_empty() {
        windows.push((0, ahead(0, MAX_UNCROPPED_CHARS)));
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_stay() {
        assert!(CroppedText::of(&"a line\n".repeat(1000), &[(3, 5)]).is_none());
        assert!(
            CroppedText::of(&"\u{e9}".repeat(MAX_UNCROPPED_CHARS), &[]).is_none(),
            "characters are counted"
        );
    }

    #[test]
    fn windows_are_around_the_ends_of_labels() {
        let line: String = (0..1000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let text = format!("one\n{line}\r\nthree\n");
        let cropped = CroppedText::of(&text, &[(504, 510), (5, 6)]).expect("a long line");
        let middle = &line[440..566];
        assert_eq!(cropped.text, format!("one\n{}\u{2026}{middle}\u{2026}\r\nthree\n", &line[..62]));
        for (offset, byte) in [(0, b'o'), (4, b'a'), (504, line.as_bytes()[500]), (text.len() - 6, b't')] {
            assert_eq!(cropped.text.as_bytes()[cropped.place(offset)], byte, "{offset}");
        }
        let cut_out = cropped.place(300);
        assert!(cropped.text[cut_out..].starts_with(ELLIPSIS));
        assert_eq!(cropped.place(text.len()), cropped.text.len());
    }

    #[test]
    fn carriage_returns_are_shown_and_lines_keep_their_numbers() {
        let text = "one\r\n\rtwo\rthree\n\r";
        let cropped = CroppedText::of(text, &[]).expect("carriage returns");
        assert_eq!(cropped.text, "one\r\n\u{240d}two\u{240d}three\n\u{240d}");
        assert_eq!(cropped.text.lines().count(), 3);
        for (offset, character) in text.char_indices().filter(|(_, character)| *character != '\r') {
            assert!(cropped.text[cropped.place(offset)..].starts_with(character), "{offset}");
        }
        for offset in [5, 9, 16] {
            assert!(cropped.text[cropped.place(offset)..].starts_with('\u{240d}'), "{offset}");
        }
        assert!(CroppedText::of("one\r\ntwo\r\n", &[]).is_none());
        assert_eq!(CroppedText::of("\r", &[]).map(|cropped| cropped.place(0)), Some(0));
    }

    #[test]
    fn control_characters_are_shown_and_labels_stay() {
        let text = "a\u{1b}\u{0}b\u{202e}\u{9b}c\td\n";
        let cropped = CroppedText::of(text, &[]).expect("control characters");
        assert_eq!(cropped.text, "a\u{241b}\u{2400}b\u{fffd}\u{fffd}c\td\n");
        let shown: Vec<usize> = text.char_indices().map(|(offset, _)| cropped.place(offset)).collect();
        let places: Vec<usize> = cropped.text.char_indices().map(|(offset, _)| offset).collect();
        assert_eq!(shown, places);
        assert_eq!(visible("\u{1b}[31m"), "\u{241b}[31m");
    }

    #[test]
    fn what_no_label_ends_in_keeps_its_beginning() {
        let text = "\u{4e2d}".repeat(1000);
        let cropped = CroppedText::of(&text, &[(9000, 9000)]).expect("a long line");
        assert_eq!(cropped.text.chars().count(), MAX_UNCROPPED_CHARS + 1);
        let ends: Vec<(usize, usize)> = (0..300).map(|n| (9 * n, 9 * n + 3)).collect();
        let cropped = CroppedText::of(&text, &ends).expect("a long line");
        assert!(cropped.text.chars().count() <= 2 * MAX_WINDOWS * WINDOW_CONTEXT_CHARS + 2);
    }
}
