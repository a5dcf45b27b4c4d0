//! Diagnostics as data. The renderers put them into words.
//!
//! *Invariant:* a diagnostic has a code of the catalogue and at least one label. Only diagnostics of rules that no text
//! contains have labels without a place; they are rendered without a source.

use strsim::osa_distance;

use bouton_base::source::Span;

mod catalogue;
mod edits;
mod render;
mod window;

pub use catalogue::{CODES, Code, explain};
pub(crate) use edits::drop_nested_edits;
pub use edits::{apply_edits, fix_title};
pub use render::{Place, render, to_json};

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// Information.
    Note,
    /// A likely mistake.
    Warning,
    /// A mistake: the file has no meaning until the user corrects it.
    Error,
}

impl Severity {
    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A span with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    /// The text at the span; may be empty.
    pub text: String,
}

/// A replacement of a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The replaced span; empty to insert.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A diagnostic: title, labels, help, and edits that `check --fix` applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: Code,
    /// The fact, in the language of rulebooks.
    pub title: String,
    /// The labels. The first marks the mistake; the others give reasons.
    pub labels: Vec<Label>,
    /// The suggested correction.
    pub help: Option<String>,
    /// Further information, one paragraph each: the shortest play, a drawing, the extent of the search.
    pub notes: Vec<String>,
    /// The position that shows the mistake, for tools; the notes have it in words.
    pub witness: Option<Box<Witness>>,
    /// Verified edits that correct the mistake; empty if none is known.
    pub edits: Vec<Edit>,
}

/// A position that shows a mistake of the rules, with a shortest play to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The moves from the first position, as written.
    pub play: Vec<String>,
    /// The move from the position that shows the mistake, if it takes one.
    pub next: Option<String>,
    /// The position as text.
    pub position: String,
}

impl Diagnostic {
    /// Makes a diagnostic at `span` with the label `label` (may be empty).
    pub fn new(code: Code, title: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Diagnostic {
            code,
            title: title.into(),
            labels: vec![Label { span, text: label.into() }],
            help: None,
            notes: Vec::new(),
            witness: None,
            edits: Vec::new(),
        }
    }

    /// Adds a label, for instance at the declaration.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the suggested correction.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a paragraph of further information.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds an edit that corrects the mistake; the caller has verified it.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }

    /// The span of the mistake.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// The severity, from the first letter of the code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Sorts diagnostics by span and removes exact repetitions.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| (d.span(), d.code.name()));
    diagnostics.dedup_by(|a, b| a.code == b.code && a.span() == b.span() && a.title == b.title);
}

/// The nearest of `names` to `word` by edit distance without regard to case, if the distance is small enough for a
/// typing error: at most a third of the letters. Words of two letters may differ in case only, and one letter is never
/// corrected.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).min(3);
    let word = word.to_ascii_lowercase();
    names
        .into_iter()
        .map(|name| (osa_distance(&word, &name.to_ascii_lowercase()), name))
        .filter(|&(distance, name)| length > 1 && distance <= limit && distance < name.chars().count().max(2))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_found() {
        assert_eq!(nearest("Cel", ["Cell", "Player"]), Some("Cell"));
        assert_eq!(nearest("mvoe", ["move", "mover"]), Some("move"));
        assert_eq!(nearest("cell", ["Cell"]), Some("Cell"));
        assert_eq!(nearest("zebra", ["Cell", "Player"]), None);
        assert_eq!(nearest("null", ["Cell"]), None);
        assert_eq!(nearest("at", ["a1"]), None);
        assert_eq!(nearest("n", ["N"]), None);
    }
}
