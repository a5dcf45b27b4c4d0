//! The open documents: their texts and the results about them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use bouton_base::limits::CancelToken;
use bouton_project::UnsavedTexts;
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent};

use crate::positions::LineIndex;
use crate::snapshot::Snapshot;
use crate::uris;

/// An open document.
pub(crate) struct Document {
    pub version: i32,
    pub text: Arc<str>,
    /// The path of a document that is a file.
    pub path: Option<PathBuf>,
    /// The analysis of this text with the libraries as they are; `None` after a change.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The diagnostics by the document that they are about, which may be a library.
    pub diagnostics: BTreeMap<String, Vec<Diagnostic>>,
    /// The token of the work on this text that runs behind.
    pub cancel: CancelToken,
}

impl Document {
    fn new(uri: &str, version: i32, text: String) -> Document {
        Document {
            version,
            text: text.into(),
            path: uris::path_of(uri),
            snapshot: None,
            diagnostics: BTreeMap::new(),
            cancel: CancelToken::default(),
        }
    }

    /// Drops the results about the text and cancels the work on it.
    fn forget(&mut self) {
        self.snapshot = None;
        self.cancel.cancel();
        self.cancel = CancelToken::default();
    }

    /// The name of the document in diagnostics: its path, or its URI.
    pub fn name(&self, uri: &str) -> String {
        self.path.as_ref().map_or_else(|| uri.to_owned(), |path| path.display().to_string())
    }
}

/// The open documents by URI.
#[derive(Default)]
pub(crate) struct Documents {
    all: BTreeMap<String, Document>,
}

impl Documents {
    /// Opens a document, or replaces its text.
    pub fn open(&mut self, uri: &str, version: i32, text: String) {
        self.close(uri);
        let document = Document::new(uri, version, text);
        let path = document.path.clone();
        self.all.insert(uri.to_owned(), document);
        self.forget_users(path);
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        if let Some(mut document) = self.all.remove(uri) {
            document.forget();
            self.forget_users(document.path);
        }
    }

    /// Applies changes in their order; a change without a range is the whole text. Returns false if the document is not
    /// open.
    pub fn change(&mut self, uri: &str, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> bool {
        let Some(document) = self.all.get_mut(uri) else { return false };
        let mut text = document.text.to_string();
        for change in changes {
            match change.range {
                Some(range) => {
                    let bytes = LineIndex::new(&text).bytes(&text, range);
                    text.replace_range(bytes, &change.text);
                }
                None => text = change.text,
            }
        }
        document.version = version;
        document.text = text.into();
        document.forget();
        let path = document.path.clone();
        self.forget_users(path);
        true
    }

    /// Drops the results about documents that use a file, after the file changed.
    pub fn forget_users(&mut self, path: Option<PathBuf>) {
        let Some(path) = path else { return };
        for document in self.all.values_mut() {
            if document.snapshot.as_ref().is_some_and(|snapshot| snapshot.uses(&path)) {
                document.forget();
            }
        }
    }

    pub fn get(&self, uri: &str) -> Option<&Document> {
        self.all.get(uri)
    }

    pub fn get_mut(&mut self, uri: &str) -> Option<&mut Document> {
        self.all.get_mut(uri)
    }

    /// All documents with their URIs.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Document)> {
        self.all.iter()
    }

    /// The URIs of documents whose text was not analysed yet.
    pub fn unanalysed(&self) -> Vec<String> {
        let waiting = self.all.iter().filter(|(_, document)| document.snapshot.is_none());
        waiting.map(|(uri, _)| uri.clone()).collect()
    }

    /// The texts of all documents that are files.
    pub fn unsaved(&self) -> UnsavedTexts {
        let texts = self.all.values().filter_map(|of| Some((of.path.clone()?, of.text.to_string())));
        UnsavedTexts::new(texts.collect::<HashMap<PathBuf, String>>())
    }

    /// The URI of a file: that of an open document as the client wrote it, else one made from the path.
    pub fn uri_of(&self, path: &std::path::Path) -> String {
        let open = self.all.iter().find(|(_, document)| document.path.as_deref() == Some(path));
        open.map_or_else(|| uris::uri_of(path), |(uri, _)| uri.clone())
    }
}
