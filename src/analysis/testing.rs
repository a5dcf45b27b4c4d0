//! Diagnostics of texts, for the unit tests of this crate.

use std::path::{Path, PathBuf};

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
pub(crate) fn analyzed(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let id = sources.add("game.bou", text);
    let Parsed { file, mut diagnostics } = parse(&sources, id);
    let options = AnalysisOptions { damaged: !diagnostics.is_empty(), ..AnalysisOptions::default() };
    diagnostics.extend(analyze(&file, &mut StandardLibraries(&mut sources), &options).diagnostics);
    (diagnostics, sources)
}

/// The diagnostics of a text with this code; panics if there are errors of other codes.
pub(crate) fn found(text: &str, code: Code) -> Vec<Diagnostic> {
    let (diagnostics, sources) = analyzed(text);
    let is_error = |d: &&Diagnostic| d.severity() == bouton_syntax::diag::Severity::Error;
    if let Some(error) = diagnostics.iter().filter(is_error).find(|d| d.code != code) {
        panic!("{}", render(&sources, error, false));
    }
    diagnostics.into_iter().filter(|d| d.code == code).collect()
}

/// The texts in a folder, by name.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "bou")).collect();
    files.sort();
    let text = |path: PathBuf| std::fs::read_to_string(&path).ok().map(|text| (path, text));
    files.into_iter().filter_map(text).collect()
}

#[test]
fn games_have_no_warnings() {
    let games = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games"));
    assert!(!games.is_empty());
    for (path, text) in games {
        let (diagnostics, sources) = analyzed(&text);
        let is_allowed = |d: &&Diagnostic| text.contains("// allow(") && text.contains(d.code.name());
        if let Some(found) = diagnostics.iter().find(|d| !is_allowed(d)) {
            panic!("{}: {}", path.display(), render(&sources, found, false));
        }
    }
}

/// Prints the diagnostics of the texts of the folder `BOUTON_TEXTS`.
#[test]
#[ignore = "shows messages to whoever mends them"]
fn messages_of_texts() {
    let folder = std::env::var("BOUTON_TEXTS").expect("a folder");
    for (path, text) in texts(Path::new(&folder)) {
        println!("=== {}", path.file_name().unwrap_or_default().display());
        let (diagnostics, sources) = analyzed(&text);
        diagnostics.iter().for_each(|found| println!("{}", render(&sources, found, false)));
    }
}
