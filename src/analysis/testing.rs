//! Diagnostics of texts, for the unit tests of this crate.

use super::{AnalysisOptions, Library, analyze};
use bouton_base::source::Sources;
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic, render};
use bouton_syntax::{Parsed, parse};

/// The libraries that come with the language, and no other files.
struct StandardLibraries<'a>(&'a mut Sources);

impl Library for StandardLibraries<'_> {
    fn load(&mut self, _: &str) -> Option<ast::File> {
        None
    }

    fn embedded(&mut self, path: &str, text: &str) -> ast::File {
        let file = self.0.add(path, text);
        parse(self.0, file).file
    }
}

/// The diagnostics of a text without claims, with its sources.
fn analyzed(text: &str) -> (Vec<Diagnostic>, Sources) {
    analyzed_with(text, None)
}

/// The diagnostics of a text with the claims of a group, and its sources.
fn analyzed_with(text: &str, group: Option<usize>) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let id = sources.add("game.bou", text);
    let Parsed { file, mut diagnostics } = parse(&sources, id);
    let options = AnalysisOptions { damaged: !diagnostics.is_empty(), group, ..AnalysisOptions::default() };
    diagnostics.extend(analyze(&file, &mut StandardLibraries(&mut sources), &options).diagnostics);
    (diagnostics, sources)
}

/// The diagnostics of a text with this code; panics if there are errors of other codes.
pub(crate) fn found(text: &str, code: Code) -> Vec<Diagnostic> {
    of_code(analyzed(text), code)
}

/// The diagnostics with this code of a text and of a group of its claims; panics if there are errors of other codes.
pub(crate) fn found_in_group(text: &str, code: Code, group: usize) -> Vec<Diagnostic> {
    of_code(analyzed_with(text, Some(group)), code)
}

/// The diagnostics with this code of a text and of those of its claims that give parameters a first list of values;
/// panics if there are errors of other codes.
pub(crate) fn found_in_claims(text: &str, code: Code) -> Vec<Diagnostic> {
    found_in_group(text, code, 1)
}

fn of_code(found: (Vec<Diagnostic>, Sources), code: Code) -> Vec<Diagnostic> {
    let (diagnostics, sources) = found;
    let is_error = |d: &&Diagnostic| d.severity() == bouton_syntax::diag::Severity::Error;
    if let Some(error) = diagnostics.iter().filter(is_error).find(|d| d.code != code) {
        panic!("{}", render(&sources, error, false));
    }
    diagnostics.into_iter().filter(|d| d.code == code).collect()
}

/// The codes of all diagnostics of a text.
pub(crate) fn codes(text: &str) -> Vec<Code> {
    analyzed(text).0.into_iter().map(|found| found.code).collect()
}

/// All diagnostics of a text and of those of its claims that give parameters a first list of values.
pub(crate) fn diagnostics_in_claims(text: &str) -> Vec<Diagnostic> {
    analyzed_with(text, Some(1)).0
}

/// All diagnostics of a text.
pub(crate) fn diagnostics(text: &str) -> Vec<Diagnostic> {
    analyzed(text).0
}
