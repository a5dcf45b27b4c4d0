//! Go to definition, references, and the highlighting of a name.

use std::sync::Arc;

use bouton_project::Definition;
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, ReferenceParams, TextDocumentPositionParams,
};

use crate::diagnostics::Places;
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;

/// A place of a document with the analysis of the document.
pub(crate) struct Cursor {
    pub uri: String,
    pub snapshot: Arc<Snapshot>,
    /// The byte in the document's text.
    pub offset: usize,
}

impl Cursor {
    /// The definition that the place names or declares.
    pub fn definition(&self) -> Option<&Definition> {
        self.snapshot.definition_at(self.offset)
    }
}

impl Server {
    /// The place that a request names.
    pub fn cursor(&mut self, at: &TextDocumentPositionParams) -> Result<Cursor, RequestError> {
        let uri = at.text_document.uri.as_str().to_owned();
        let snapshot = self.document(&uri)?;
        let offset = snapshot.lines.offset(snapshot.text(), at.position);
        Ok(Cursor { uri, snapshot, offset })
    }

    /// The analysis of the document that a request names.
    pub fn document(&mut self, uri: &str) -> Result<Arc<Snapshot>, RequestError> {
        self.snapshot(uri).ok_or_else(|| RequestError::invalid(format!("{uri} is not open")))
    }
}

/// `textDocument/definition`
pub(crate) fn definition(
    server: &mut Server,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RequestError> {
    let cursor = server.cursor(&params.text_document_position_params)?;
    let places = Places { uri: &cursor.uri, snapshot: &cursor.snapshot, documents: &server.documents };
    let location = cursor.definition().and_then(|definition| places.location(definition.span));
    Ok(location.map(GotoDefinitionResponse::Scalar))
}

/// `textDocument/references`
pub(crate) fn references(
    server: &mut Server,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, RequestError> {
    let cursor = server.cursor(&params.text_document_position)?;
    let Some(definition) = cursor.definition() else { return Ok(None) };
    let mut found = Vec::new();
    let places = Places { uri: &cursor.uri, snapshot: &cursor.snapshot, documents: &server.documents };
    let declared = places.location(definition.span);
    if params.context.include_declaration {
        found.extend(declared.clone());
    }
    found.extend(uses(&cursor.snapshot, definition, &places));
    for (uri, snapshot, definition) in server.users(&cursor, declared.as_ref()) {
        let places = Places { uri: &uri, snapshot: &snapshot, documents: &server.documents };
        for location in uses(&snapshot, &definition, &places) {
            if !found.contains(&location) {
                found.push(location);
            }
        }
    }
    Ok(Some(found))
}

/// The locations of the uses of a definition in an analysis.
fn uses(snapshot: &Snapshot, definition: &Definition, places: &Places<'_>) -> Vec<Location> {
    let spans = snapshot.index.references_to(definition);
    spans.into_iter().filter_map(|span| places.location(snapshot.name_span(span))).collect()
}

impl Server {
    /// The other open documents that know the definition at a location, with their own view of it. Documents that are
    /// not open are not searched.
    pub fn users(
        &mut self,
        cursor: &Cursor,
        declared: Option<&Location>,
    ) -> Vec<(String, Arc<Snapshot>, Definition)> {
        let Some(declared) = declared else { return Vec::new() };
        let others = self.documents.iter().map(|(uri, _)| uri.clone()).filter(|uri| *uri != cursor.uri);
        let mut found = Vec::new();
        for uri in others.collect::<Vec<_>>() {
            let Some(snapshot) = self.snapshot(&uri) else { continue };
            let places = Places { uri: &uri, snapshot: &snapshot, documents: &self.documents };
            let same = |of: &&Definition| places.location(of.span).as_ref() == Some(declared);
            if let Some(definition) = snapshot.index.definitions().find(same).cloned() {
                found.push((uri, snapshot.clone(), definition));
            }
        }
        found
    }
}

/// `textDocument/documentHighlight`
pub(crate) fn highlights(
    server: &mut Server,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, RequestError> {
    let cursor = server.cursor(&params.text_document_position_params)?;
    let snapshot = &cursor.snapshot;
    let Some(definition) = cursor.definition() else { return Ok(None) };
    let spans = snapshot.index.references_to(definition).into_iter().map(|span| snapshot.name_span(span));
    let spans = std::iter::once(definition.span).chain(spans).filter(|span| span.file == snapshot.file());
    let kind = Some(DocumentHighlightKind::TEXT);
    let shown =
        spans.map(|span| DocumentHighlight { range: snapshot.lines.range_of(snapshot.text(), span), kind });
    Ok(Some(shown.collect()))
}
