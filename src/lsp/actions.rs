//! Formatting, quick fixes, and all fixes at once.

use std::collections::BTreeMap;

use bouton_project::UnsavedTexts;
use bouton_syntax::diag::{self, Severity, apply_edits, fix_title};
use bouton_syntax::format as formatted;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Diagnostic,
    DocumentFormattingParams, Range, TextEdit, Uri,
};

use crate::diagnostics::Places;
use crate::edits::{line_edits, workspace_edit};
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;

/// The kind of the action that makes all fixes of a document.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.bouton");

/// The maximal number of rounds of fixes: a fix may show the next mistake.
const MAX_ROUNDS: usize = 10;

/// `textDocument/formatting`
pub(crate) fn format(
    server: &mut Server,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, RequestError> {
    let snapshot = server.document(params.text_document.uri.as_str())?;
    // A damaged file stays as it is; its errors are published already.
    let text = snapshot.text();
    Ok(formatted(text).ok().map(|new| line_edits(text, &new, &snapshot.lines)))
}

/// `textDocument/codeAction`
pub(crate) fn actions(
    server: &mut Server,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>, RequestError> {
    let uri = params.text_document.uri;
    let snapshot = server.document(uri.as_str())?;
    let wants = |kind: &CodeActionKind| {
        let only = params.context.only.as_ref();
        only.is_none_or(|only| only.iter().any(|of| is_within(kind, of)))
    };
    let mut found = Vec::new();
    if wants(&CodeActionKind::QUICKFIX) {
        found.extend(quick_fixes(server, &uri, &snapshot, params.range));
    }
    // Lists of actions at a place name the fix of all only where somebody asked for it.
    if params.context.only.is_some() && wants(&FIX_ALL) {
        found.extend(fix_all(server, &uri, &snapshot));
    }
    Ok(Some(found.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
}

/// True if a kind of action is another or a part of it.
fn is_within(kind: &CodeActionKind, of: &CodeActionKind) -> bool {
    kind.as_str() == of.as_str() || kind.as_str().starts_with(&format!("{}.", of.as_str()))
}

/// The fixes of the diagnostics that touch a range.
fn quick_fixes(server: &Server, uri: &Uri, snapshot: &Snapshot, range: Range) -> Vec<CodeAction> {
    let places = Places { uri: uri.as_str(), snapshot, documents: &server.documents };
    let touches = |found: &diag::Diagnostic| {
        let (about, at) = places.of(found.span());
        about == uri.as_str() && at.start <= range.end && range.start <= at.end
    };
    let fix = |found: &diag::Diagnostic| {
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for edit in &found.edits {
            let (uri, range) = places.find(edit.span)?;
            changes.entry(uri).or_default().push(TextEdit { range, new_text: edit.text.clone() });
        }
        Some(CodeAction {
            title: fix_title(&snapshot.files.sources, found),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: published(server, uri, &places, found).map(|diagnostic| vec![diagnostic]),
            edit: Some(workspace_edit(changes)),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    };
    let mut offered = snapshot.diagnostics.clone();
    offered.iter_mut().filter(|found| !touches(found)).for_each(|found| found.edits.clear());
    snapshot.files.withdraw_unsound_fixes(&mut offered.iter_mut().collect::<Vec<_>>());
    offered.iter().filter(|found| !found.edits.is_empty()).filter_map(fix).collect()
}

/// The diagnostic as it was published.
fn published(
    server: &Server,
    uri: &Uri,
    places: &Places<'_>,
    found: &diag::Diagnostic,
) -> Option<Diagnostic> {
    let known = server.documents.get(uri.as_str())?.diagnostics.get(uri.as_str())?;
    let (_, range) = places.of(found.span());
    let same = |of: &&Diagnostic| of.range == range && of.message.starts_with(&found.title);
    known.iter().find(same).cloned()
}

/// The action that makes all fixes of a document; `None` if there are none, or if they would add errors.
fn fix_all(server: &Server, uri: &Uri, snapshot: &Snapshot) -> Option<CodeAction> {
    let errors = |of: &Snapshot| of.diagnostics.iter().filter(|d| d.severity() == Severity::Error).count();
    let unsaved: UnsavedTexts = server.documents.unsaved();
    let (mut text, mut fixed) = (snapshot.text().to_owned(), None::<Snapshot>);
    for _ in 0..MAX_ROUNDS {
        let of = fixed.as_ref().unwrap_or(snapshot);
        let (new, count) = apply_edits(&text, of.file(), &of.diagnostics);
        if count == 0 {
            break;
        }
        let after = Snapshot::new(&snapshot.files.path, &new, unsaved.clone());
        if errors(&after) > errors(of) {
            break;
        }
        (text, fixed) = (new, Some(after));
    }
    fixed?;
    let edits = line_edits(snapshot.text(), &text, &snapshot.lines);
    Some(CodeAction {
        title: "Make all fixes of Bouton".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit([(uri.as_str().to_owned(), edits)])),
        ..CodeAction::default()
    })
}
