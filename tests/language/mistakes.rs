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

/// Code that a parameter leaves no position for needs to fit nowhere, and a value of an enum may have the name of a
/// phase.
#[test]
fn what_is_never_reached_is_no_error() {
    let texts = [
        // A move may have the name of a phase.
        "game \"Deal\"; players A, B; phases { setup deal by chance; bet; } state { card: 1..3 = 1; n: 0..1 = 0; }
         chance deal(a: 1..3) in deal { card := a; continue bet; } move stop() in bet as \"stop\" { n := 1; continue deal; }
         move go() in bet as \"go\" { next opponent; } end { when phase = deal and card > n => A wins; repeat => draw; }",
        "game \"Climb\"; param n: 1..3 = 1; players A, B; state { k: 1..n = 1; }
         move go() { if k < n { k := k + 1; again; } else { k := 1; } } end { when k = 3 => draw; repeat => draw; }",
        "game \"Climb\"; param n: 1..3 = 1; players A, B; state { k: 1..n = 1; t: 0..2 = 0; }
         move up() { when k < n; k := k + 1; } move wait() { t += 1; } end { when t = 2 => draw; repeat => draw; }",
        "game \"Paces\"; player P; enum Pose { side, trot } phases { act; side; } state { p: Pose = trot; }
         move a() in act { continue side; } move b() in side { p := side; } end { when p = side => win; }",
    ];
    for text in texts {
        let found = checked(&mut GameSource::from_string("game.bou", text), 1_000).diagnostics;
        let mut errors = found.iter().filter(|found| found.severity() == Severity::Error);
        assert!(errors.next().is_none(), "{text}: {found:?}");
    }
    // Without the condition, the value does not fit.
    let text = texts[1].replace("if k < n { k := k + 1; again; } else { k := 1; }", "k := k + 1;");
    let found = checked(&mut GameSource::from_string("game.bou", &text), 1_000).diagnostics;
    assert!(found.iter().any(|found| found.code.to_string() == "E0210"), "{found:?}");
}

/// Rules that look like mistakes and are none: no finding of any kind.
#[test]
fn right_rules_have_no_findings() {
    let head = "game \"Right\"; players A, B; board Cell = grid(3, 3); state { a: Cell = a1; b: Cell = c3; n: 0..9 = 0; near[c: Cell]: 0..1 = 1; }";
    let end = "end { when n = 9 => draw; repeat => draw; }";
    let moves = [
        // A step off the board is ruled out by another condition of the conjunction, of the stage or of the binder.
        "move go(d: Dir) as \"{d}\" { when a + d in Cell and a + d != b; a := a + d; n += 1; }",
        "move go(d: Dir) as \"{d}\" { when a + d != b; when a + d in Cell; a := a + d; n += 1; }",
        "move go(d: Dir) as \"{d}\" { let to = a + d; when a + d != b; a := to; n += 1; }",
        "move go(d: Dir) as \"{d}\" { when a.row = 1 or a + d != b; when a + d in Cell; a := a + d; n += 1; }",
        "move go(c: Cell) as \"{c}\" { when some d in Dir where a + d in Cell: a + d != b and a + d = c; a := c; n += 1; }",
        // Each branch reads what the other one sets.
        "move go(d: Dir) as \"{d}\" {
           if me = A { when a + d in Cell; a := a + d; } else { when b + d in Cell and b + d != a; b := b + d; }
           n += 1;
         }",
        "move go(d: Dir) as \"{d}\" {
           if me = A { when a + d in Cell; a := a + d; }
           if me = B { when b + d in Cell and b + d != a; b := b + d; }
           n += 1;
         }",
        // A comparison of a number is false where the cell is off the board.
        "move go(d: Dir) as \"{d}\" {
           let to = a + d;
           when near[to] >= 0 and to != b;
           a := to; n += near[to]; near[to] := 0;
         }",
    ];
    for text in moves {
        let source = format!("{head}\n{text}\n{end}\n// allow(W0410, W0532, W0533)\n");
        let mut text = GameSource::from_string("game.bou", &source);
        let found: Vec<String> =
            checked(&mut text, 20_000).diagnostics.iter().map(|d| render(&text.sources, d, false)).collect();
        assert!(found.is_empty(), "{source}\n{}", found.join("\n"));
    }
}

/// Findings that would state a falsehood about these rules.
#[test]
fn findings_state_no_falsehood() {
    let texts = [
        // What no effect sets stays, but not if it is transient.
        ("W0312", "players A, B; state { transient hot: bool = false; left: 0..4 = 4; }
          move keep() { when left > 0; hot := hot; left -= 1; } move heat() { when left > 0; hot := true; left -= 1; }
          end { when left = 0 and hot => A wins; when left = 0 => B wins; }"),
        // A constant hides the member of its name.
        ("W0126", "players A, B; enum Kind { man, king } const king: Kind = man; state { k: Kind = man; left: 0..4 = 4; }
          move go() { when left > 0 and k = man and k = king; left -= 1; } play normal;"),
        // The rule for players without a move holds for no value of its variable.
        ("W0531", "players A, B; state { left: 0..3 = 3; score[p: Player]: 0..3 = 0; }
          move go() { when left > 0; left -= 1; score[me] += 1; } pass when stuck;
          end { for p in Player where score[p] > 4 when stuck => p wins; repeat => draw; }"),
        // All players see it.
        ("W0341", "players A, B; phases { setup deal by chance; act; }
          state { hand: 0..3 = 0 visible to {A, B}; left: 0..3 = 3; }
          chance give(k: 1..2) in deal { hand := k; } move go(k: 1..2) in act { when left >= k; left -= k; }
          end { when left = 0 => payoff p: if p = A then hand else -hand; }"),
        // One of the players who choose has no move.
        ("W0314", "players A, B; phases { pick by each; } state { turns: 0..6 = 0; k[p: Player]: 0..2 = 0; }
          move go(i: 0..1) { when me != B; turns += 1; k[me] := i; }
          end { when turns = 4 => payoff p: if p = A then k[A] else -k[A]; }"),
    ];
    for (code, text) in texts {
        let source = format!("game \"Right\"; {text}");
        let mut text = GameSource::from_string("game.bou", &source);
        let found: Vec<String> =
            checked(&mut text, 1).diagnostics.iter().map(|d| render(&text.sources, d, false)).collect();
        assert!(!found.iter().any(|told| told.contains(code)), "{source}\n{}", found.join("\n"));
    }
    // What has no value is not compared.
    let source = "game \"Guess\"; players A, B; state { guess: 0..3? = none; left: 0..4 = 4; }
        move keep() { when left > 0 and not (guess >= guess); left -= 1; }
        move heat() { when left > 1; guess := 1; left -= 2; } play normal;";
    let mut text = GameSource::from_string("game.bou", source);
    let found: Vec<String> =
        checked(&mut text, 1).diagnostics.iter().map(|d| render(&text.sources, d, false)).collect();
    let found = found.join("\n");
    assert!(found.contains("W0125") && !found.contains("always true"), "{found}");
}

/// A rule about the number of moves made is for games that no earlier rule has ended; a rule about a score is not.
#[test]
fn a_deadline_contradicts_no_result() {
    let rules = |step: &str| {
        format!(
            "game \"Walk\"; players A, B; state {{ x: 0..6 = 0; t: 0..6 = 0; }}
             move go(k: 1..2) as \"{{k}}\" {{ when x + k <= 6; {step} x += k; }}
             end {{ when x = 6 => A wins; when t = 6 => B wins; when stuck => draw; }}"
        )
    };
    for (step, is_found) in
        [("t += 1;", false), ("when t + 2 <= 6; t += 3 - k;", true), ("if k = 1 { t += 3; }", true)]
    {
        let source = rules(step);
        let mut text = GameSource::from_string("game.bou", &source);
        let found: Vec<String> =
            checked(&mut text, 20_000).diagnostics.iter().map(|d| render(&text.sources, d, false)).collect();
        assert_eq!(
            found.iter().any(|told| told.contains("W0530")),
            is_found,
            "{source}\n{}",
            found.join("\n")
        );
    }
}

/// A payoff refers to the first value of its rule's variable that fits.
#[test]
fn payoffs_refer_to_the_variable_of_their_rule() {
    let source = "game \"Last\"; players A, B; state { n: 0..4 = 4; last: Player? = none; }
        move take(k: 1..2) as \"{k}\" { when k <= n; n -= k; last := me; }
        end {
          for p in Player when n = 0 and last = p => payoff q: if q = p then 1 else -1;
          for k in 1..9 where k > 2 when n * k > 100 => payoff q: k;
        }
        expect value = [1, -1];
        // allow(W0532)";
    let mut text = GameSource::from_string("game.bou", source);
    let found = checked(&mut text, 20_000).diagnostics;
    let told: Vec<String> = found.iter().map(|d| render(&text.sources, d, false)).collect();
    assert!(found.is_empty(), "{}", told.join("\n"));
    let report = super::tested(&mut text, std::time::Duration::from_secs(20));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 0, 0));
}

/// The condition of a rule has whole quotients, also where its variable enters a payoff, in which they are exact.
#[test]
fn quotients_of_a_condition_stay_whole_beside_payoffs() {
    let source = "game \"Half\"; players A, B; state { n: 0..9 = 5; over: bool = false; }
        move stop() { over := true; }
        end { for k in 1..9 when over and n / 2 = k => payoff p: if p = A then k / 4 else -k / 4; }
        expect value = 1 / 2;";
    let mut text = GameSource::from_string("game.bou", source);
    let report = super::tested(&mut text, std::time::Duration::from_secs(20));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 0, 0));
}
