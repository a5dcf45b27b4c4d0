//! The result of `test` as data: `bouton-test/1`.

use serde::Serialize;
use serde_json::Value;

/// The object that `test --json` prints.
#[derive(Serialize, Debug)]
pub struct TestReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The number of files.
    pub files: u64,
    /// The number of expectations.
    pub expectations: u64,
    /// The number of expectations that hold.
    pub passed: u64,
    /// The number of expectations that do not hold.
    pub failed: u64,
    /// The number of expectations that were not decided.
    pub unknown: u64,
    /// The back end of each game that does not run on the requested one, with the reason.
    pub runs_slowly: Vec<String>,
    /// The diagnostics of those that do not hold, as `check --message-format json` prints them.
    pub failures: Vec<Value>,
}

impl Default for TestReport {
    fn default() -> Self {
        TestReport {
            schema: "bouton-test/1",
            files: 0,
            expectations: 0,
            passed: 0,
            failed: 0,
            unknown: 0,
            runs_slowly: Vec::new(),
            failures: Vec::new(),
        }
    }
}
