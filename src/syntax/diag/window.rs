//! Crops long lines to windows around the ends of labels, for the renderer.
//!
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

/// A text whose long lines are cropped.
pub(super) struct CroppedText {
    /// The remaining text.
    pub text: String,
    /// The remaining stretches of the whole text, in order: begin, end, and begin in the remaining text.
    pieces: Vec<(usize, usize, usize)>,
}

impl CroppedText {
    /// Crops the long lines of a text with these labels, given by their first byte and the byte after their last.
    /// Returns `None` if no line is long.
    pub fn of(text: &str, labels: &[(usize, usize)]) -> Option<CroppedText> {
        let is_long =
            |line: &str| line.len() > MAX_UNCROPPED_CHARS && line.chars().count() > MAX_UNCROPPED_CHARS;
        if !text.lines().any(is_long) {
            return None;
        }
        let mut cropped = CroppedText { text: String::new(), pieces: Vec::new() };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            if is_long(body) {
                let mut end = 0;
                for (from, to) in windows(body, at, labels) {
                    if from > end {
                        cropped.text.push(ELLIPSIS);
                    }
                    cropped.keep(text, at + from, at + to);
                    end = to;
                }
                if end < body.len() {
                    cropped.text.push(ELLIPSIS);
                }
                cropped.keep(text, at + body.len(), at + line.len());
            } else {
                cropped.keep(text, at, at + line.len());
            }
            at += line.len();
        }
        Some(cropped)
    }

    fn keep(&mut self, text: &str, from: usize, to: usize) {
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
        let after = self.pieces.partition_point(|(from, ..)| *from <= offset);
        match after.checked_sub(1).map(|last| self.pieces[last]) {
            Some((from, to, here)) => here + offset.min(to) - from,
            None => 0,
        }
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
    fn what_no_label_ends_in_keeps_its_beginning() {
        let text = "\u{4e2d}".repeat(1000);
        let cropped = CroppedText::of(&text, &[(9000, 9000)]).expect("a long line");
        assert_eq!(cropped.text.chars().count(), MAX_UNCROPPED_CHARS + 1);
        let ends: Vec<(usize, usize)> = (0..300).map(|n| (9 * n, 9 * n + 3)).collect();
        let cropped = CroppedText::of(&text, &ends).expect("a long line");
        assert!(cropped.text.chars().count() <= 2 * MAX_WINDOWS * WINDOW_CONTEXT_CHARS + 2);
    }
}
