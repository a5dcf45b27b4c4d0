//! The report of `check`.

use serde::Serialize;
use serde_json::Value;

/// The object that `check --json` prints; every key is always present.
#[derive(Serialize, Debug)]
pub struct CheckReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The files in the order given; those that cannot be read are missing.
    pub files: Vec<FileReport>,
}

/// The findings in one file.
#[derive(Serialize, Debug)]
pub struct FileReport {
    /// The file as given.
    pub file: String,
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
    /// True if the file has no `game` line, so it is read as a library.
    pub library: bool,
    /// The extent of the exploration, in words; `None` if nothing was explored.
    pub explored: Option<String>,
    /// The reason why no position was explored, in words; `None` if some were, or if the file has errors.
    pub unexplored: Option<String>,
    /// The limit that ended the check early, in words.
    pub limit: Option<String>,
    /// The back end that ran the rules, as a sentence.
    pub runs_on: Option<String>,
    /// The diagnostics by location.
    pub diagnostics: Vec<Value>,
}

impl Default for CheckReport {
    fn default() -> Self {
        CheckReport { schema: "bouton-check/1", files: Vec::new() }
    }
}
