//! The commands of the binary on sheets.

use std::process::{Command, Output};

/// Runs the binary on a sheet of `tests/gdl/own`.
fn run(command: &str, sheet: &str, more: &[&str]) -> Output {
    let path = format!("{}/tests/gdl/own/{sheet}.kif", env!("CARGO_MANIFEST_DIR"));
    let mut process = Command::new(env!("CARGO_BIN_EXE_bouton"));
    process.arg(command).arg(path).args(more).output().expect("the binary runs")
}

/// The standard output of a command that succeeds.
fn output(command: &str, sheet: &str, more: &[&str]) -> String {
    let done = run(command, sheet, more);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command} {sheet}: {errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn commands_work_on_sheets() {
    for sheet in ["heaps", "signs", "doors", "push"] {
        for (command, more) in [
            ("check", &[][..]),
            ("solve", &[]),
            ("report", &[]),
            ("perft", &["--depth", "2"]),
            ("positions", &[]),
            ("test", &[]),
            ("bench", &[]),
            ("expand", &[]),
            ("dump", &["--stage", "rules"]),
            ("export", &["--to", "gdl"]),
        ] {
            assert!(!output(command, sheet, more).is_empty(), "{command} {sheet}");
        }
    }
    assert!(output("perft", "heaps", &["--depth", "3"]).contains("perft 3 = 3"));
    assert!(output("solve", "heaps", &["--moves", "take a 1"]).contains("left wins in 2 plies"));
    assert!(output("trace", "heaps", &["--method", "alphabeta"]).contains("take b 0"));
}

#[test]
fn questions_that_a_sheet_has_not_are_refused() {
    let refused = |command: &str, more: &[&str]| {
        let done = run(command, "heaps", more);
        assert_eq!(done.status.code(), Some(2), "{command} {more:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    assert!(refused("table", &["--over", "n=1..3"]).contains("no parameters"));
    assert!(refused("solve", &["--set", "n=3"]).contains("no parameters"));
    assert!(refused("solve", &["--position", "heap"]).contains("there is no test `heap`"));
    assert!(refused("solve", &["--position", "heap := true;"]).contains("not in the language"));
}

#[test]
fn strict_checks_take_lenient_readings_for_errors() {
    // This sheet has `and` in its rules.
    assert_eq!(run("check", "push", &[]).status.code(), Some(0));
    assert_eq!(run("check", "push", &["--strict"]).status.code(), Some(1));
    assert_eq!(run("check", "heaps", &["--strict"]).status.code(), Some(0));
}
