//! Messages of texts, for the tests of repairs.

use bouton_base::source::Sources;

use crate::diag::{Diagnostic, apply_edits};

/// The diagnostics of a text.
pub(super) fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    crate::parse(&sources, file).diagnostics
}

/// The titles of the diagnostics of a text.
pub(super) fn titles(text: &str) -> Vec<String> {
    diagnostics(text).into_iter().map(|found| found.title).collect()
}

/// The helps of the diagnostics of a text.
pub(super) fn helps(text: &str) -> Vec<String> {
    diagnostics(text).into_iter().filter_map(|found| found.help).collect()
}

/// A text after the fixes of its diagnostics.
pub(super) fn mended(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let found = crate::parse(&sources, file).diagnostics;
    apply_edits(text, file, &found).0
}
