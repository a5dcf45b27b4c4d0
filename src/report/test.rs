//! The result of `test` as data: `bouton-test/1`.

use serde::Serialize;
use serde_json::Value;

/// The object that `test --json` prints.
#[derive(Serialize, Debug)]
pub struct TestReport {
    /// The name of this form of data.
    pub schema: &'static str,
    /// How many files.
    pub files: u64,
    /// How many expectations.
    pub expectations: u64,
    /// How many hold.
    pub passed: u64,
    /// How many do not.
    pub failed: u64,
    /// How many were not decided.
    pub unknown: u64,
    /// What does not hold, as `check --message-format json` prints it.
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
            failures: Vec::new(),
        }
    }
}
