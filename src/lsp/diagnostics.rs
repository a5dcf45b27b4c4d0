//! Diagnostics in the form of the protocol.

use std::collections::BTreeMap;

use bouton_base::source::Span;
use bouton_syntax::diag::{self, Code, Severity};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    Range,
};

use crate::documents::Documents;
use crate::positions::LineIndex;
use crate::snapshot::Snapshot;
use crate::uris;

/// The name of the server in diagnostics.
const SOURCE: &str = "bouton";

/// The form of diagnostics that the client can show.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Presenter {
    /// True if the client shows related places; otherwise they are lines of the message.
    pub has_related: bool,
}

impl Presenter {
    /// The diagnostics of a document by the URI of the file that they are about.
    pub fn of_document(
        self,
        uri: &str,
        snapshot: &Snapshot,
        documents: &Documents,
    ) -> BTreeMap<String, Vec<Diagnostic>> {
        let places = Places { uri, snapshot, documents };
        let mut all = BTreeMap::from([(uri.to_owned(), Vec::new())]);
        for found in &snapshot.diagnostics {
            let (about, diagnostic) = self.present(found, &places);
            all.entry(about).or_default().push(diagnostic);
        }
        if snapshot.is_incomplete {
            let message =
                "the analysis was ended by its limit of time or memory: this document has no results";
            let severity = Some(DiagnosticSeverity::WARNING);
            let diagnostic = Diagnostic {
                severity,
                source: Some(SOURCE.into()),
                message: message.into(),
                ..Diagnostic::default()
            };
            all.entry(uri.to_owned()).or_default().push(diagnostic);
        }
        all
    }

    /// A diagnostic with the URI of the file that it is about.
    fn present(self, found: &diag::Diagnostic, places: &Places<'_>) -> (String, Diagnostic) {
        let (uri, range) = places.of(found.span());
        let mut message = found.title.clone();
        let mut paragraph = |head: &str, text: &str| {
            if !text.is_empty() {
                message += &format!("\n{head}{text}");
            }
        };
        paragraph("", &found.labels[0].text);
        let mut related = Vec::new();
        for label in &found.labels[1..] {
            let (uri, range) = places.of(label.span);
            match uris::parsed(&uri).filter(|_| self.has_related) {
                Some(uri) => related.push(DiagnosticRelatedInformation {
                    location: Location { uri, range },
                    message: if label.text.is_empty() { "here".to_owned() } else { label.text.clone() },
                }),
                None => paragraph("", &format!("line {}: {}", range.start.line + 1, label.text)),
            }
        }
        found.notes.iter().for_each(|note| paragraph("", note));
        paragraph("help: ", found.help.as_deref().unwrap_or_default());
        let diagnostic = Diagnostic {
            range,
            severity: Some(severity(found.severity())),
            code: Some(NumberOrString::String(found.code.name().to_owned())),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: Some(related).filter(|related| !related.is_empty()),
            tags: is_unnecessary(found.code).then(|| vec![DiagnosticTag::UNNECESSARY]),
            ..Diagnostic::default()
        };
        (uri, diagnostic)
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    }
}

/// True for warnings about code that nothing uses or that is never reached; editors fade it.
fn is_unnecessary(code: Code) -> bool {
    [Code::W0111, Code::W0221, Code::W0531, Code::W0532].contains(&code)
}

/// The places of spans in the documents of the client.
pub(crate) struct Places<'p> {
    pub uri: &'p str,
    pub snapshot: &'p Snapshot,
    pub documents: &'p Documents,
}

impl Places<'_> {
    /// The URI and range of a span. A span in a library of the language, or without a place, is at the `use` of the
    /// library, or at the beginning of the document.
    pub fn of(&self, span: Span) -> (String, Range) {
        self.find(span).unwrap_or_else(|| {
            let snapshot = self.snapshot;
            let library = snapshot.files.sources.source_of(span).map_or("", |source| &source.name);
            let quoted = format!("\"{library}\"");
            let start = if library.is_empty() { None } else { snapshot.text().find(&quoted) };
            let bytes = start.map_or(0..0, |start| start..start + quoted.len());
            (self.uri.to_owned(), snapshot.lines.range(snapshot.text(), bytes))
        })
    }

    /// The URI and range of a span; `None` if no document or file has it.
    pub fn find(&self, span: Span) -> Option<(String, Range)> {
        let snapshot = self.snapshot;
        let source = snapshot.files.sources.source_of(span)?;
        if span.file == snapshot.file() {
            return Some((self.uri.to_owned(), snapshot.lines.range_of(&source.text, span)));
        }
        let path = snapshot.path_of(span.file)?;
        let range = LineIndex::new(&source.text).range_of(&source.text, span);
        Some((self.documents.uri_of(&path), range))
    }

    /// The location of a span; `None` if no document or file has it.
    pub fn location(&self, span: Span) -> Option<Location> {
        let (uri, range) = self.find(span)?;
        Some(Location { uri: uris::parsed(&uri)?, range })
    }
}
