//! Mistakes that a writer makes throughout a file, as one message.

use super::RepairSession;
use crate::diag::{Code, Diagnostic};

/// The title of the message about a line without its semicolon.
pub(super) const MISSING_AT_LINE_END: &str = "a `;` is missing at the end of this line";
/// The number of lines without a semicolon up to which each has a message of its own.
const MAX_SINGLE_LINES: usize = 3;
/// The number of lines that the common message shows.
const SHOWN_LINES: usize = 3;

impl RepairSession {
    /// Makes one message of those about lines without a semicolon, if there are many.
    pub fn gather_missing_semicolons(&mut self) {
        let is_line = |found: &Diagnostic| {
            found.code == Code::E0001 && found.title == MISSING_AT_LINE_END && !found.edits.is_empty()
        };
        let (lines, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.diagnostics).into_iter().partition(is_line);
        self.diagnostics = others;
        let Some(first) = lines.first().filter(|_| lines.len() > MAX_SINGLE_LINES) else {
            self.diagnostics.extend(lines);
            return;
        };
        let title = format!("{} lines lack their `;`", lines.len());
        let mut found = Diagnostic::new(Code::E0001, title, first.span(), "a `;` is missing here");
        for line in lines.iter().take(SHOWN_LINES).skip(1) {
            found = found.label(line.span(), "here");
        }
        for edit in lines.iter().flat_map(|line| &line.edits) {
            found = found.edit(edit.span, edit.text.clone());
        }
        self.diagnostics.push(found.help("each item without braces and each clause ends with `;`"));
    }
}
