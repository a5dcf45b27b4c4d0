//! Renaming, verified: the renamed files must have the same names and uses as before.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use bouton_base::source::Span;
use bouton_project::{Index, UnsavedTexts};
use bouton_syntax::keywords::is_reserved;
use bouton_syntax::lex::TokenKind;
use lsp_types::{PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit};

use crate::diagnostics::Places;
use crate::edits::workspace_edit;
use crate::navigation::Cursor;
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;
use crate::uris;

/// `textDocument/prepareRename`
pub(crate) fn prepare(
    server: &mut Server,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, RequestError> {
    let cursor = server.cursor(&at)?;
    let Some((name, bytes)) = renamable(server, &cursor)? else { return Ok(None) };
    let range = cursor.snapshot.lines.range(cursor.snapshot.text(), bytes);
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: name }))
}

/// The name at a place, with its bytes; `None` if there is no name.
fn renamable(
    server: &Server,
    cursor: &Cursor,
) -> Result<Option<(String, std::ops::Range<usize>)>, RequestError> {
    let snapshot = &cursor.snapshot;
    let (Some(definition), Some(word)) = (cursor.definition(), snapshot.word_at(cursor.offset)) else {
        return Ok(None);
    };
    if word.text(snapshot.text()) != definition.name {
        return Ok(None);
    }
    let places = Places { uri: &cursor.uri, snapshot, documents: &server.documents };
    if places.location(definition.span).is_none() {
        let why = format!("`{}` belongs to a library of the language", definition.name);
        return Err(RequestError::failed(why));
    }
    Ok(Some((definition.name.clone(), word.start..word.end)))
}

/// `textDocument/rename`
pub(crate) fn rename(
    server: &mut Server,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, RequestError> {
    let new = params.new_name;
    if !is_name(&new) {
        return Err(RequestError::failed(format!(
            "`{new}` is no name: a name has letters, digits and `_`, begins with no digit and is no reserved word"
        )));
    }
    let cursor = server.cursor(&params.text_document_position)?;
    let Some((old, _)) = renamable(server, &cursor)? else {
        return Err(RequestError::failed("there is no name to rename here"));
    };
    let Some(definition) = cursor.definition().cloned() else { return Ok(None) };
    let places = Places { uri: &cursor.uri, snapshot: &cursor.snapshot, documents: &server.documents };
    let declared = places.location(definition.span);
    let mut views = server.users(&cursor, declared.as_ref());
    views.insert(0, (cursor.uri.clone(), cursor.snapshot.clone(), definition));
    let mut edits = Renaming { new: &new, files: BTreeMap::new() };
    for (uri, snapshot, definition) in &views {
        refuse_unresolved(uri, snapshot, &old)?;
        let places = Places { uri, snapshot, documents: &server.documents };
        let spans = snapshot.index.references_to(definition).into_iter().map(|span| snapshot.name_span(span));
        for span in std::iter::once(definition.span).chain(spans) {
            edits.add(span, snapshot, &places)?;
        }
    }
    for (uri, snapshot, _) in &views {
        edits.verify(server, uri, snapshot)?;
    }
    let edits = edits.files.into_iter().map(|(uri, file)| (uri, file.edits));
    Ok(Some(workspace_edit(edits)))
}

/// True for a word that may be a name.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && letters.all(|c| c == '_' || c.is_ascii_alphanumeric())
        && !is_reserved(word)
}

/// Refuses to rename where the name has uses that the analysis did not reach: in items with errors, and in effects that
/// no move calls.
fn refuse_unresolved(uri: &str, snapshot: &Snapshot, old: &str) -> Result<(), RequestError> {
    let reached = |span: Span| {
        let sorts = snapshot.index.definitions().map(|of| of.span);
        let uses = snapshot.index.references().map(|of| snapshot.name_span(of.span));
        sorts.chain(uses).any(|known| known == span)
    };
    let words = snapshot.tokens.iter().filter(|token| token.kind == TokenKind::Word);
    for word in words.filter(|word| word.text(snapshot.text()) == old) {
        let span = Span::new(snapshot.file(), word.start, word.end);
        let item = snapshot.item_around(span);
        // Beside errors nothing is known; elsewhere a word without a meaning is a keyword, except in effects.
        let is_effect =
            item.is_some_and(|item| matches!(item.kind, bouton_syntax::ast::ItemKind::Effect { .. }));
        if (snapshot.has_errors() || is_effect) && !reached(span) {
            let line = snapshot.lines.line(word.start) + 1;
            let why = format!(
                "the analysis did not reach the `{old}` in line {line} of {uri}: correct the errors first, or remove \
                 the effect that no move calls"
            );
            return Err(RequestError::failed(why));
        }
    }
    Ok(())
}

/// A file with the edits that rename a definition.
struct RenamedFile {
    path: Option<PathBuf>,
    text: String,
    spans: Vec<Span>,
    edits: Vec<TextEdit>,
}

/// The edits that rename a definition, by document.
struct Renaming<'n> {
    new: &'n str,
    files: BTreeMap<String, RenamedFile>,
}

impl Renaming<'_> {
    fn add(&mut self, span: Span, snapshot: &Snapshot, places: &Places<'_>) -> Result<(), RequestError> {
        let Some((uri, range)) = places.find(span) else {
            return Err(RequestError::failed("a use lies in a library of the language"));
        };
        let Some(source) = snapshot.files.sources.source_of(span) else { return Ok(()) };
        let path = if uri == places.uri { uris::path_of(&uri) } else { snapshot.path_of(span.file) };
        let file = self.files.entry(uri).or_insert_with(|| RenamedFile {
            path,
            text: source.text.clone(),
            spans: Vec::new(),
            edits: Vec::new(),
        });
        let edit = TextEdit { range, new_text: self.new.to_owned() };
        if !file.edits.contains(&edit) {
            file.edits.push(edit);
            file.spans.push(span);
        }
        Ok(())
    }

    /// Analyses a document with all files renamed: it must have the same names and uses as before, and no new error.
    fn verify(&self, server: &Server, uri: &str, before: &Snapshot) -> Result<(), RequestError> {
        let mut unsaved: HashMap<PathBuf, String> = (*server.documents.unsaved()).clone();
        let renamed = self.files.iter().map(|(uri, file)| (uri, file.path.clone(), self.renamed(file)));
        let mut own = before.text().to_owned();
        for (of, path, text) in renamed {
            if of == uri {
                own.clone_from(&text);
            }
            unsaved.extend(path.map(|path| (path, text)));
        }
        let after = Snapshot::new(&before.files.path, &own, UnsavedTexts::new(unsaved));
        let is_same = shape(&before.index) == shape(&after.index)
            && before.has_errors() == after.has_errors()
            && before.diagnostics.len() >= after.diagnostics.len();
        if is_same {
            return Ok(());
        }
        let new = self.new;
        let why = format!(
            "`{new}` has a meaning already at one of these places, or would change one: take another name"
        );
        Err(RequestError::failed(why))
    }

    /// The text of a file with its edits made.
    fn renamed(&self, file: &RenamedFile) -> String {
        let mut spans = file.spans.clone();
        spans.sort_unstable();
        let mut text = file.text.clone();
        for span in spans.iter().rev() {
            text.replace_range(span.range(), self.new);
        }
        text
    }
}

/// The uses of the definitions in their order, each as the index of its definition: a renaming leaves it as it is.
fn shape(index: &Index) -> (usize, Vec<usize>) {
    let definitions: Vec<Span> = index.definitions().map(|of| of.span).collect();
    let place = |span: Span| definitions.binary_search(&span).unwrap_or(usize::MAX);
    (definitions.len(), index.references().map(|of| place(of.definition)).collect())
}
