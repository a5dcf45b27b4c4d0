//! Mistakes beyond those of the pages of `bouton explain`: each file of `mistakes/` raises the codes of its name and
//! nothing else. The snapshots are the rendered messages.

use std::fs;

use bouton_driver::load::GameSource;
use bouton_syntax::diag::{Severity, apply_edits, render};

use super::checked;

/// Returns the expected findings of a file, all of the code in its name: `E0310_put_and_taken` one, `E0013x2_name` two.
fn expected(name: &str) -> Vec<&str> {
    let codes = name.split_once('_').expect("a code, then words").0;
    let (code, times) = codes.split_once('x').unwrap_or((codes, "1"));
    vec![code; times.parse().expect("how often")]
}

/// The texts, with their names.
fn texts() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/mistakes");
    let mut paths: Vec<_> = fs::read_dir(folder).expect("the texts").flatten().map(|e| e.path()).collect();
    paths.sort();
    let text = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().to_string();
        (name, fs::read_to_string(path).expect("a text"))
    };
    paths.iter().map(text).collect()
}

#[test]
fn no_fix_makes_another_mistake() {
    let mut failures = Vec::new();
    for (name, source) in texts() {
        let mut text = GameSource::from_string("game.bou", &source);
        let found = checked(&mut text, 0).diagnostics;
        for fix in found.iter().filter(|found| !found.edits.is_empty()) {
            let (new, count) = apply_edits(&source, text.file, std::slice::from_ref(fix));
            let after = checked(&mut GameSource::from_string("game.bou", &new), 0).diagnostics;
            let is_known = |later: &&bouton_syntax::diag::Diagnostic| {
                found.iter().any(|earlier| earlier.code == later.code && earlier.title == later.title)
            };
            let mut errors = after.iter().filter(|later| later.severity() == Severity::Error);
            if let Some(later) = errors.find(|later| !is_known(later)) {
                failures.push(format!("{name}: `{}` leads to {} {}", fix.title, later.code, later.title));
            }
            assert_eq!(count, 1, "{name}: {}", fix.title);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_is_told_as_it_should_be() {
    let texts = texts();
    assert!(!texts.is_empty());
    let mut failures = Vec::new();
    for (name, source) in texts {
        let mut text = GameSource::from_string("game.bou", &source);
        let found = checked(&mut text, 20_000).diagnostics;
        let told: Vec<String> = found.iter().map(|d| render(&text.sources, d, false)).collect();
        let told = told.join("\n");
        if found.iter().map(|d| d.code.name()).collect::<Vec<_>>() != expected(&name) {
            failures.push(format!("{name}:\n{told}"));
            continue;
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, format!("{source}\n{told}"));
        });
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The scores of messages in `mistakes.md`: each names a text, and the messages help.
#[test]
fn scores_have_their_reasons() {
    let known: Vec<String> = texts().into_iter().map(|(name, _)| name).collect();
    let mut scores = Vec::new();
    for line in include_str!("mistakes.md").lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, score, reason] = cells[..] else { panic!("a text, a score and a reason: {line}") };
        assert!(known.iter().any(|known| known == name.trim_matches('`')), "there is no text {name}");
        assert!(!reason.is_empty(), "{name}: why?");
        scores.push(score.parse::<u32>().expect("a number"));
    }
    let (sum, count) = (scores.iter().sum::<u32>(), scores.len() as u32);
    assert!(scores.iter().all(|score| (2..=3).contains(score)) && 10 * sum >= 28 * count, "{sum} of {count}");
}
