//! The syntax room on whole games: every text of `games/` parses.

mod damage;

use std::path::{Path, PathBuf};

use bouton::source::Sources;
use bouton::syntax::{Parsed, parse};

/// A text of its own, read.
fn read(text: &str) -> Parsed {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    parse(&sources, file)
}

/// The games of the checkout with their texts.
fn games() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "bou"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("a text"))).collect()
}

#[test]
fn games_parse() {
    for (path, text) in games() {
        let mut sources = Sources::new();
        let file = sources.add(path.display().to_string(), text);
        let parsed = parse(&sources, file);
        let errors: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|d| format!("{:?} {} {:?}", d.code, d.title, sources.get(file).place(d.span().start)))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}
