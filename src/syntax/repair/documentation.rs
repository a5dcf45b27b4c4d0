//! Documentation of damaged items: `///` lines that the parser has read are blanks to all readings of a
//! mistake, and come back in the tree of the repaired item.

use super::ItemRepair;
use super::edits::Fix;
use crate::lex::TokenKind;

/// A `///` line that was replaced by blanks.
pub(super) struct HiddenDoc {
    /// The first byte in the repaired text.
    pub start: usize,
    line: String,
}

impl HiddenDoc {
    fn end(&self) -> usize {
        self.start + self.line.len()
    }
}

impl ItemRepair<'_> {
    /// Replaces the `///` lines between two offsets by blanks of the same length; returns true if there were
    /// any.
    pub(super) fn hide_docs(&mut self, start: usize, end: usize) -> bool {
        let is_doc = |token: &&crate::lex::Token| {
            token.kind == TokenKind::Doc
                && start <= token.start
                && token.end <= end
                && token.text(&self.text).starts_with("///")
        };
        let found: Vec<_> = self.tokens.iter().filter(is_doc).copied().collect();
        for token in &found {
            let line = token.text(&self.text).to_owned();
            self.text.replace_range(token.start..token.end, &" ".repeat(line.len()));
            self.hidden_docs.push(HiddenDoc { start: token.start, line });
        }
        self.tokens.retain(|token| !found.contains(token));
        self.hidden_docs.sort_by_key(|doc| doc.start);
        !found.is_empty()
    }

    /// The text with the `///` lines back in their places, and the offset of the first of them.
    pub(super) fn with_docs(&self) -> Option<(String, usize)> {
        let first = self.hidden_docs.first()?.start;
        let mut text = self.text.clone();
        for doc in &self.hidden_docs {
            text.replace_range(doc.start..doc.end(), &doc.line);
        }
        Some((text, first))
    }

    /// Returns true if a fix replaces a `///` line, which no edit may delete.
    pub(super) fn covers_docs(&self, fix: &Fix) -> bool {
        self.hidden_docs.iter().any(|doc| fix.start < doc.end() && doc.start < fix.end)
    }

    /// Moves the `///` lines with the text around a replacement; a replaced line is gone.
    pub(super) fn shift_docs(&mut self, start: usize, end: usize, length: usize) {
        self.hidden_docs.retain(|doc| doc.end() <= start || end <= doc.start);
        for doc in self.hidden_docs.iter_mut().filter(|doc| doc.start >= end) {
            doc.start = doc.start - (end - start) + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{diagnostics, mended, titles};
    use bouton_base::source::Sources;

    /// A text with a `///` line before its line `at`.
    fn documented(text: &str, at: usize) -> String {
        let lines = text.lines().enumerate();
        lines.map(|(n, line)| format!("{}{line}\n", if n == at { "/// A remark.\n" } else { "" })).collect()
    }

    #[test]
    fn documentation_hides_no_message() {
        for (text, at) in [
            ("players A, B;\naction up(k: 1..2) as \"{k}\" { n += k; }\n", 1),
            ("players A, B;\nvar n: 0..9 = 0;\nmove up() { n += 1; }\n", 1),
            ("players A, B;\nlet m = 3;\n", 1),
            ("victory { when n = 9 => draw; }\n", 0),
            ("state { n: 0..9 = 0;\nint m = 3;\n}\n", 1),
            ("state {\nm = 3;\n}\n", 1),
            ("state { n: 0..9 = 0;\nvar m: 0..9 = 3;\n}\n", 1),
            ("state {\nm: 0..9 := 3;\nk: 0..9 = 0;\n}\n", 1),
            ("end {\nif n = 9 then A wins;\n}\n", 1),
            ("end {\nA wins when n = 9;\n}\n", 1),
            ("end {\nn = 9 => draw;\n}\n", 1),
            ("phases {\nroll: chance;\nact;\n}\n", 1),
            ("enum Kind {\nman = 1, king\n}\n", 1),
            ("move up() {\nif n > 3 then n := 2;\n}\n", 1),
            ("move up() {\nn++;\n}\n", 1),
        ] {
            let found = |text: &str| -> Vec<_> {
                diagnostics(text).into_iter().map(|found| (found.title, found.help)).collect()
            };
            let with_line = documented(text, at);
            assert!(!found(text).is_empty(), "{text}");
            assert_eq!(found(text), found(&with_line), "{text}");
            assert!(mended(&with_line).contains("/// A remark."), "{}", mended(&with_line));
        }
    }

    #[test]
    fn misplaced_documentation_is_told() {
        let title = "documentation stands before items, fields, rules and clauses only";
        assert_eq!(titles("/// Right.\ndef f(x: 1..2) =\n  /// Wrong.\n  x;\n"), [title]);
    }

    #[test]
    fn a_repaired_item_keeps_its_documentation() {
        let mut sources = Sources::new();
        let file = sources.add("text", "/// Goes up.\naction up(k: 1..2) { n += k; }\n");
        let parsed = crate::parse(&sources, file);
        assert_eq!(parsed.file.items[0].doc, ["Goes up."]);
    }
}
