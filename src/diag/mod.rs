//! Floor 2: diagnostics as structures. Words are put to them late, by the renderers.
//!
//! *Invariant:* a diagnostic has a code of the catalogue and at least one label with a real span.

use crate::source::Span;

mod catalogue;
mod edits;
mod render;
mod window;

pub use catalogue::{CODES, Code, explain};
pub use edits::apply_edits;
pub use render::{render, to_json};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Likely a mistake.
    Warning,
    /// The text has no meaning until this is mended.
    Error,
}

impl Severity {
    /// The word printed.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place with words at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said there; may be empty.
    pub text: String,
}

/// Text put in the place of a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// The new words.
    pub text: String,
}

/// One finding: title, labels, help, and edits that `check --fix` applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The code of the catalogue.
    pub code: Code,
    /// The fact, in rulebook words.
    pub title: String,
    /// The first label is the place of the mistake; the others say why.
    pub labels: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
    /// More to know, a paragraph each: the shortest play, a drawing, how far was looked.
    pub notes: Vec<String>,
    /// Verified edits that mend it; empty where none is known.
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    /// A finding at `span`, labelled `label` (may be empty).
    pub fn new(code: Code, title: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Diagnostic {
            code,
            title: title.into(),
            labels: vec![Label { span, text: label.into() }],
            help: None,
            notes: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// Adds a second place, for instance the declaration.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to write.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds an edit that mends it; the caller has verified it.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }

    /// The place of the mistake.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// How bad it is; the letter of the code says so.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Sorts findings by place and drops exact repetitions.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| (d.span(), d.code.name()));
    diagnostics.dedup_by(|a, b| a.code == b.code && a.span() == b.span() && a.title == b.title);
}

/// The nearest of `names` to `word` by edit distance, where it is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = 1 + length / 4;
    names
        .into_iter()
        .map(|name| (edit_distance(word, name), name))
        .filter(|&(distance, name)| {
            distance <= limit && distance < name.chars().count().max(2) && distance < length
        })
        .min()
        .map(|(_, name)| name)
}

/// Damerau's distance (insert, delete, replace, exchange neighbours), ignoring case for half a step.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
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
    }
}
