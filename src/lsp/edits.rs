//! Changes of a text as few edits, so that editors keep cursors and folds.

use std::collections::HashMap;

use lsp_types::{TextEdit, Uri, WorkspaceEdit};
use similar::{Algorithm, DiffOp, TextDiff};

use crate::positions::LineIndex;
use crate::uris;

/// The edits of documents, by URI, in the form of the protocol.
#[allow(clippy::mutable_key_type, reason = "the protocol's type; a URI only caches its parts")]
pub(crate) fn workspace_edit(edits: impl IntoIterator<Item = (String, Vec<TextEdit>)>) -> WorkspaceEdit {
    let edits = edits.into_iter();
    let changes: HashMap<Uri, Vec<TextEdit>> =
        edits.filter_map(|(uri, edits)| Some((uris::parsed(&uri)?, edits))).collect();
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// The edits by lines that turn a text into another.
pub(crate) fn line_edits(old: &str, new: &str, lines: &LineIndex) -> Vec<TextEdit> {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(old, new);
    let (old_lines, new_lines) = (diff.old_slices(), diff.new_slices());
    let begins = |lines: &[&str]| {
        let mut begins = vec![0];
        begins.extend(lines.iter().scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        }));
        begins
    };
    let (old_begins, new_begins) = (begins(old_lines), begins(new_lines));
    let changes = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let edit = |op: &DiffOp| {
        let (from, to) = (op.old_range(), op.new_range());
        TextEdit {
            range: lines.range(old, old_begins[from.start]..old_begins[from.end]),
            new_text: new[new_begins[to.start]..new_begins[to.end]].to_owned(),
        }
    };
    changes.map(edit).collect()
}
