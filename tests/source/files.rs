//! The Rust files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// A Rust file with its path from the root of the project.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    /// Parses the file; every file of the project parses.
    pub(crate) fn syntax(&self) -> syn::File {
        syn::parse_file(&self.text).unwrap_or_else(|e| panic!("{}: {e}", self.path))
    }

    /// The number of lines outside of tests.
    pub(crate) fn lines_without_tests(&self) -> usize {
        if self.path.ends_with("/tests.rs") || self.path.contains("/tests/") {
            return 0;
        }
        self.text.lines().take_while(|line| *line != "#[cfg(test)]").count()
    }

    /// The number of lines outside of tests that hold code: neither comments alone nor nothing.
    pub(crate) fn code_lines_without_tests(&self) -> usize {
        let lines = self.text.lines().take(self.lines_without_tests()).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    }

    /// The comment lines (`//`, `///`, `//!`) that stand alone, with their numbers from 1.
    pub(crate) fn comment_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        lines.filter(|(_, line)| line.starts_with("//"))
    }

    /// The first lines of the doc comments, without the slashes, with their numbers from 1.
    pub(crate) fn doc_beginnings(&self) -> Vec<(usize, &str)> {
        let mut beginnings = Vec::new();
        let mut inside = false;
        for (index, line) in self.text.lines().enumerate() {
            let line = line.trim();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(words) = doc
                && !inside
            {
                beginnings.push((index + 1, words.trim()));
            }
            inside = doc.is_some();
        }
        beginnings
    }
}

/// All Rust files below the folders `examples`, `src` and `tests`, sorted by path.
pub(crate) fn source_files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["examples", "src", "tests"] {
        collect(&root.join(folder), &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| SourceFile {
        text: fs::read_to_string(&path).expect("a readable file"),
        path: path.strip_prefix(root).expect("a path below the root").display().to_string(),
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|e| e == "rs") {
            paths.push(path);
        }
    }
}

/// Prints the figure and fails, with the offenders, where it is past its limit.
pub(crate) fn hold(figure: &str, measured: usize, limit: usize, offenders: &[String]) {
    println!("{figure}: {measured} (limit {limit})");
    assert!(measured <= limit, "{figure}: {measured} is more than {limit}:\n{}", offenders.join("\n"));
}
