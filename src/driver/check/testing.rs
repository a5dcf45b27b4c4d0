//! Findings of `check` for the tests of its parts.

use bouton_base::limits::{Limits, NoProgress};
use bouton_syntax::diag::{Code, Diagnostic};

use super::{CheckOptions, check};
use crate::load::GameSource;

/// The findings with this code of a game.
pub fn findings(rules: &str, code: Code) -> Vec<Diagnostic> {
    let source = format!("game \"Six\";\n{rules}\n");
    let limits = Limits::default();
    let options = CheckOptions { explore: 1_000, limits: &limits, progress: &NoProgress };
    let mut found = check(&mut GameSource::from_string("game.bou", &source), &options).diagnostics;
    found.retain(|found| found.code == code);
    found
}

/// The findings with this code of a game of the players A and B.
pub fn findings_of_two(rules: &str, code: Code) -> Vec<Diagnostic> {
    findings(&format!("players A, B;\n{rules}"), code)
}
