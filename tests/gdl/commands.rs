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

/// Names of roles and moves that are words of certificates, or look like their numbers.
#[test]
fn certificates_are_accepted_whatever_the_names() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.kif");
    let proved = |text: &str| {
        std::fs::write(&path, text).expect("the sheet is written");
        let done = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .arg("solve")
            .arg(&path)
            .output()
            .expect("the binary runs");
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            told.contains("status      proved"),
            "{text}\n{told}{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    for name in [
        "1", "22", "-", "any-play", "at-least", "draw", "wins", "pass", "always", "1/2", "-1", "lemma", "x=1",
    ] {
        // A puzzle whose moves and role have this name, and a counter that goes on.
        proved(&format!(
            "(role {name}) (init (n 0)) (legal {name} {name}) (legal {name} (b {name}))
             (succ 0 1) (succ 1 2) (succ 2 3)
             (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (does {name} {name}))
             (<= (next (n ?x)) (true (n ?x)) (does {name} (b {name})))
             (<= terminal (true (n 3))) (<= (goal {name} 100) (true (n 3))) (<= (goal {name} 0) (not (true (n 3))))"
        ));
        // A game of two, one of whom has this name: who takes the last of three wins.
        proved(&format!(
            "(role {name}) (role other) (init (n 3)) (init (control {name}))
             (pred 3 2) (pred 2 1) (pred 1 0) (pred2 3 1) (pred2 2 0)
             (<= (legal ?r 1) (true (control ?r)) (true (n ?x)) (pred ?x ?y))
             (<= (legal ?r {name}2) (true (control ?r)) (true (n ?x)) (pred2 ?x ?y))
             (<= (legal {name} noop) (true (control other))) (<= (legal other noop) (true (control {name})))
             (<= (next (n ?y)) (true (n ?x)) (pred ?x ?y) (does ?r 1))
             (<= (next (n ?y)) (true (n ?x)) (pred2 ?x ?y) (does ?r {name}2))
             (<= (next (control {name})) (true (control other))) (<= (next (control other)) (true (control {name})))
             (<= terminal (true (n 0)))
             (<= (goal {name} 100) (true (n 0)) (true (control other))) (<= (goal {name} 0) (true (n 0)) (true (control {name})))
             (<= (goal other 100) (true (n 0)) (true (control {name}))) (<= (goal other 0) (true (n 0)) (true (control other)))"
        ));
    }
}

/// Lines of a sheet with one role, which presses or waits; the goals are missing.
const PRESS: &str = "(role robot) (init (step 1)) (succ 1 2) (succ 2 3) (legal robot wait) (legal robot press)
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= (next lit) (does robot press)) (<= (next lit) (true lit))
    (<= terminal (true (step 3)))";

/// The exit code and the output of a command on a sheet that is written to this file.
fn told(file: &str, command: &[&str], text: &str) -> (Option<i32>, String) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, text).expect("the sheet is written");
    let mut process = Command::new(env!("CARGO_BIN_EXE_bouton"));
    let done = process.arg(command[0]).arg(&path).args(&command[1..]).output().expect("the binary runs");
    let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (done.status.code(), text.concat())
}

#[test]
fn roles_without_one_goal_get_the_highest_or_nothing() {
    let told = |command: &[&str], text: &str| told("goals.kif", command, text);
    // None: 0, so that the robot has to press.
    let missing = format!("{PRESS} (<= (goal robot 70) (true lit))");
    let (code, text) = told(&["check"], &missing);
    assert!(code == Some(0) && text.contains("W0715: `robot` has no goal here, which counts as 0"), "{text}");
    assert_eq!(told(&["check", "--strict"], &missing).0, Some(1));
    let (_, text) = told(&["solve"], &missing);
    assert!(text.contains("robot gets 70") && text.contains("proved"), "{text}");
    assert!(text.contains("warning: W0715: `robot` has no goal here, which counts as 0"), "{text}");
    let (_, text) = told(&["solve"], &format!("{PRESS} (goal robot 70)"));
    assert!(!text.contains("W0715"), "{text}");
    // Several: the highest.
    let several = format!("{PRESS} (<= (goal robot 70) (true lit)) (goal robot 20)");
    let (_, text) = told(&["check"], &several);
    assert!(text.contains("`robot` has the goals 70 and 20 here; the highest counts"), "{text}");
    let (_, text) = told(&["solve"], &several);
    assert!(text.contains("robot gets 70"), "{text}");
    // Two roles without a goal: a draw, if the others are a win and a loss.
    let two = "(role a) (role b) (init (turn a)) (<= (legal ?r (take ?n)) (true (turn ?r)) (number ?n))
        (number 1) (number 2) (<= (legal a noop) (true (turn b))) (<= (legal b noop) (true (turn a)))
        (<= (next (turn b)) (true (turn a))) (<= (next (took ?r ?n)) (does ?r (take ?n)))
        (<= (next (took ?r ?n)) (true (took ?r ?n))) (<= terminal (true (took b ?n)))
        (<= (goal a 100) (true (took a 1)) (true (took b 2))) (<= (goal b 0) (true (took a 1)) (true (took b 2)))";
    let (code, text) = told(&["check"], two);
    assert!(code == Some(0) && text.contains("W0715: `a` has no goal here"), "{text}");
    let (_, text) = told(&["solve"], two);
    assert!(text.contains("draw"), "{text}");
}

/// A sheet in which both roles choose once and at once; the same side is good for red, and blue is safe with down.
const SIDES: &str = "(role red) (role blue) (init (n start)) (legal red up) (legal red down) (legal blue up)
    (legal blue down) (<= (next (n same)) (does red ?m) (does blue ?m) (distinct ?m down))
    (<= (next (n half)) (does blue down)) (<= (next (n other)) (does red down) (does blue up))
    (<= terminal (not (true (n start)))) (<= (goal red 100) (true (n same))) (<= (goal blue 0) (true (n same)))
    (<= (goal ?r 50) (role ?r) (true (n half))) (<= (goal red 0) (true (n other)))
    (<= (goal blue 100) (true (n other)))";

#[test]
fn values_of_choices_at_once_are_goals() {
    let (_, text) = told("sides.kif", &["solve"], SIDES);
    assert!(text.contains("with best play red gets 50, blue gets 50"), "{text}");
    assert!(text.contains("100*, 0") && text.contains("50*, 50*") && !text.contains("-1"), "{text}");
    let (_, data) = told("sides.kif", &["solve", "--json"], SIDES);
    assert!(data.contains("\"value\":{\"red\":50,\"blue\":50}"), "{data}");
    let (_, page) = told("sides.kif", &["report"], SIDES);
    assert!(page.contains("100*, 0") && !page.contains("-1"), "{page}");
}

/// A role without a goal gets 0, and the other one its own goal, where roles choose at once.
#[test]
fn missing_goals_of_choices_at_once_are_nothing() {
    let sheet =
        "(role red) (role blue) (init (step 0)) (legal red a) (legal red b) (legal blue a) (legal blue b)
        (<= (next (step 1)) (true (step 0))) (<= (next hit) (does red b)) (<= (next seen) (does blue b))
        (<= terminal (true (step 1)))
        (<= (goal red 0) (true hit)) (<= (goal blue 100) (true hit)) (<= (goal red GOAL) (not (true hit)))";
    for (goal, wanted) in [("50", "red gets 50, blue gets 0"), ("100", "red gets 100, blue gets 0")] {
        let (_, text) = told("missing.kif", &["solve"], &sheet.replace("GOAL", goal));
        assert!(text.contains(wanted) && text.contains("W0715"), "{text}");
    }
}
