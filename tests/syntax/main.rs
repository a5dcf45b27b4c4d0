//! The parser on whole games: every file of `games/` parses.

mod damage;
mod extremes;
mod properties;
mod trees;

use std::path::{Path, PathBuf};

use bouton_base::source::Sources;
use bouton_syntax::{Parsed, dump, format, parse, print};

/// Parses a single source.
fn read(text: &str) -> Parsed {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    parse(&sources, file)
}

/// Returns the games of the checkout with their sources.
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
            .map(|d| format!("{:?} {} {:?}", d.code, d.title, sources.get(file).line_column(d.span().start)))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}

#[test]
fn games_print_and_parse_to_the_same_tree() {
    for (path, text) in games() {
        let tree = read(&text).file;
        let printed = print(&tree);
        let again = read(&printed);
        assert!(again.diagnostics.is_empty(), "{}:\n{printed}\n{:?}", path.display(), again.diagnostics);
        assert_eq!(dump(&again.file), dump(&tree), "{}", path.display());
        assert_eq!(print(&again.file), printed);
    }
}

/// The words of the clause are no name of several words.
#[test]
fn a_preference_may_begin_a_line() {
    let text = "players A, B;\nmove take() in play\nprefer max false() { }\n";
    let found = read(text).diagnostics;
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn blanks_around_operators_say_nothing() {
    let spaced = read("def f = a = b + c - d | e * 2 .. 3 /* x */ and not a != /* y */ b;").file;
    let dense = read("def f=a=b+c-d|e*2..3 and not a!=b;").file;
    assert_eq!(dump(&spaced), dump(&dense));
    assert_eq!(print(&dense), "def f = a = b + c - d | e * 2..3 and not a != b;\n");
}

#[test]
fn games_keep_their_trees_and_comments_when_formatted() {
    for (path, text) in games() {
        let formatted = format(&text).unwrap_or_else(|found| panic!("{}: {found:?}", path.display()));
        assert_eq!(dump(&read(&formatted).file), dump(&read(&text).file), "{}", path.display());
        assert_eq!(comments(&formatted), comments(&text), "{}", path.display());
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{}: formatted twice", path.display());
    }
}

/// Returns the comments of a source whose strings contain no `//`.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.find("//").map(|at| line[at..].trim_end())).collect()
}
