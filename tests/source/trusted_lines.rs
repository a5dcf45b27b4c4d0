//! The size of what is trusted when a certificate is accepted (`docs/certificates.md`), in lines outside of tests.

use crate::files::{SourceFile, hold, source_files};

/// The crates that show that a claim holds: certificates, their checker, and the grounded rules that it reads.
const PROOF_CRATES: &[&str] = &["certificates", "checker", "grounding", "obligations"];

/// The crates that give a file its meaning.
const MEANING_CRATES: &[&str] = &["analysis", "reference", "rules", "syntax"];

/// The largest number of lines of [`PROOF_CRATES`]. It rises only for a new kind of certificate, if a kind covers
/// another theorem, or where a condition was missing.
const MAX_PROOF_LINES: usize = 13_990;

/// The largest number of these lines that hold code.
const MAX_PROOF_CODE_LINES: usize = 11_330;

/// Returns the number of lines of these crates outside of tests, as `count` counts those of a file.
fn lines(crates: &[&str], count: impl Fn(&SourceFile) -> usize) -> usize {
    let files = source_files();
    let own =
        files.iter().filter(|file| crates.iter().any(|of| file.path.starts_with(&format!("src/{of}/"))));
    own.map(count).sum()
}

#[test]
fn the_checker_stays_small() {
    println!(
        "lines that give a file its meaning: {}",
        lines(MEANING_CRATES, SourceFile::lines_without_tests)
    );
    let all = lines(PROOF_CRATES, SourceFile::lines_without_tests);
    hold("lines that show that a claim holds", all, MAX_PROOF_LINES, &[]);
    let code = lines(PROOF_CRATES, SourceFile::code_lines_without_tests);
    hold("lines of code that show that a claim holds", code, MAX_PROOF_CODE_LINES, &[]);
}
