//! The runner of filetests: files with an input, a line `====`, and the expected output.
//!
//! `BOUTON_BLESS=1` replaces the expected output of each file by the actual one.

use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// The line between the input and the expected output.
const SEPARATOR: &str = "\n====\n";

/// A file with an input and its expected output.
pub struct Filetest {
    pub path: PathBuf,
    pub input: String,
    pub expected: String,
}

/// Returns the filetests in a folder below `tests/filetests`, and in its folders, in order of their paths.
pub fn filetests(folder: &str) -> Vec<Filetest> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().find(|path| path.join("tests/filetests").is_dir()).expect("the project");
    let mut paths = Vec::new();
    collect(&root.join("tests/filetests").join(folder), &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no filetests in {folder}");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a readable file");
        let (input, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
        Filetest { path, input: format!("{}\n", input.trim_end()), expected: expected.to_owned() }
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "test") {
            paths.push(path);
        }
    }
}

/// Runs `output` on the input of all filetests in a folder and compares the results with the expected ones. An error of
/// `output` is the reason why the input is unfit.
#[allow(dead_code, reason = "tests of the meaning of files do not compare texts")]
pub fn run(folder: &str, output: impl Fn(&Filetest) -> Result<String, String>) {
    let bless = std::env::var_os("BOUTON_BLESS").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    for file in filetests(folder) {
        let path = file.path.display();
        match output(&file) {
            Err(why) => failures.push(format!("{path}: {why}")),
            Ok(actual) if actual == file.expected => {}
            Ok(actual) if bless => {
                let text = format!("{}{}{actual}", file.input.trim_end(), SEPARATOR);
                // Other tests read the file at the same time.
                let partial = file.path.with_extension("new");
                fs::write(&partial, text)
                    .and_then(|()| fs::rename(&partial, &file.path))
                    .expect("a writable file");
            }
            Ok(actual) => {
                let diff = TextDiff::from_lines(&file.expected, &actual);
                let diff = diff.unified_diff().header("expected", "actual").to_string();
                failures.push(format!("{path}:\n{diff}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} filetests fail (BOUTON_BLESS=1 accepts the actual output):\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}
