//! The passes over circuits: each changes its example, and no pass changes a position.

use std::sync::Arc;
use std::time::Duration;

use bouton_backend::interp::Interpreter;
use bouton_backend::{CountUnit, Perft, Runner};
use bouton_base::bits::BitSet;
use bouton_base::limits::{CancelToken, Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_circuit::opt::{PASSES, optimise};
use bouton_circuit::print::print;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_circuit::{Circuit, Position};
use bouton_driver::budget::Budget;
use bouton_driver::load::GameSource;
use bouton_driver::test;
use bouton_lower::{Lowered, lower_with};
use bouton_search::game::Backend;

use super::game;

#[path = "../filetests/pass_file.rs"]
mod pass_file;
#[path = "../filetests/runner.rs"]
mod runner;

use pass_file::PassTest;

/// Returns the circuit of a source without these passes.
fn without(text: &mut GameSource, skipped: &[String]) -> Lowered {
    let rules = text.game(None).expect("a text without errors").rules;
    lower_with(&rules, Default::default(), &Limits::default(), &|draft| optimise(draft, skipped))
        .expect("rules that can be lowered")
}

/// Pieces that fall onto each other in two columns.
const COLUMNS: &str =
    "game \"g\"; board Cell = grid(2, 2); players X, O; state { at[c: Cell]: Player? = none; }
     type Col = 1..2;
     def column(x: Col) = { c in Cell where c.col = x and at[c] = none };
     move drop(x: Col) { let c = min c in column(x): c; at[c] := me; }
     end { when no c in Cell: at[c] = none => draw; }";

/// For each pass a game that it changes.
const CHANGED: &[(&str, &str)] = &[
    (
        "constant_propagation",
        "game \"g\"; board Cell = grid(2, 1); players X, O; phases { first; twice; }
         state { at[c: Cell]: Player? = none; transient bold: bool = false; }
         move put(c: Cell) in first { when at[c] = none and not bold; at[c] := me; bold := true; continue twice; }
         move lift(c: Cell) in twice { when at[c] = me and bold; at[c] := none; }
         end { when at[a1] = X => X wins; when stuck => draw; }",
    ),
    (
        "condition_propagation",
        "game \"g\"; board Cell = grid(2, 1); players X, O; state { at[c: Cell]: Player? = none; }
         move put(c: Cell) { when at[c] = none; at[c] := me; }
         end { when (no c in Cell: at[c] = none) => draw; when (no c in Cell: at[c] = none) and at[a1] = X => X wins; }",
    ),
    ("column_merging", COLUMNS),
    ("stacking", COLUMNS),
    (
        "lane_split",
        "game \"g\"; board Cell = grid(3, 3); players X, O; enum Kind { man, king } record Piece(owner: Player, kind: Kind);
         state { at[c: Cell]: Piece? = if c.row = 1 then Piece(X, man) else if c.row = 3 then Piece(O, man) else none; }
         move up(c: Cell) { when at[c].owner = me and at[c + N] = none; at[c + N] <- at[c];
           then { if (c + N).row = 3 { at[c + N].kind := king; } } }
         end { when stuck => mover loses; }",
    ),
    (
        "group_fusion",
        "game \"g\"; board Cell = grid(3, 3); players X, O;
         state { at[c: Cell]: Player? = if c.row = 1 then X else none; }
         move up(c: Cell, d: Dir) { when at[c] = me and d in { NE, NW } and at[c + d] = none; at[c + d] <- at[c]; }
         end { when stuck => mover loses; }",
    ),
    (
        "run_doubling",
        "game \"g\"; board Cell = grid(7, 1); players X, O; state { at[c: Cell]: Player? = none; }
         move put(c: Cell) { when at[c] = none; at[c] := me; }
         end { when some l in lines(Cell, 5): all c in l: at[c] = X => X wins;
               when no c in Cell: at[c] = none => draw; }",
    ),
    (
        "dead_terminals",
        "game \"g\"; board Cell = grid(2, 2); players X, O; state { at[c: Cell]: Player? = none; }
         move put(c: Cell) { when at[c] = none; at[c] := me; }
         end { for p in Player when at[a1] = p and at[b1] = p => p wins;
               when no c in Cell: at[c] = none => draw; }",
    ),
    (
        "short_circuit",
        "game \"g\"; board Cell = grid(3, 3); players X, O; state { at[c: Cell]: Player? = none; }
         move put(c: Cell) { when at[c] = none and some e in c.around: at[e] = me or at[e] = none; at[c] := me; }
         pass when stuck;
         end { when stuck(X) and stuck(O) => draw; }",
    ),
];

#[test]
fn each_pass_changes_a_game() {
    for pass in PASSES {
        let (_, source) = CHANGED.iter().find(|(of, _)| *of == pass.name).expect("a game for each pass");
        let mut text = GameSource::from_string("g.bou", source);
        let before = print(&without(&mut text, &[pass.name.to_string()]).circuit);
        let after = print(&without(&mut text, &[]).circuit);
        assert_ne!(before, after, "{}", pass.name);
    }
}

/// Returns the number of sequences of one and of two moves from a position.
fn counts(circuit: &Circuit, start: &Position) -> [Option<Perft>; 2] {
    let runner = Interpreter::new(Arc::new(circuit.clone()));
    [1, 2].map(|depth| runner.perft(start, depth, CountUnit::Move, &CancelToken::default()).ok().flatten())
}

/// The circuits of the filetests count alike before and after the passes, from every position that satisfies the
/// invariants that the passes found.
#[test]
fn no_filetest_changes_a_position() {
    let mut random = SplitMix::new(1);
    let mut positions = 0;
    for file in runner::filetests("passes") {
        let name = file.path.display();
        let test = PassTest::new(&file.input).unwrap_or_else(|why| panic!("{name}: {why}"));
        let [before, after] =
            [&[], &test.passes[..]].map(|run| test.after(run).unwrap_or_else(|why| panic!("{name}: {why}")));
        for control in before.controls.ids() {
            for _ in 0..50 {
                let mut words = vec![0; before.layout.words as usize];
                for (slot, content) in before.layout.slots.entries() {
                    let bits = content.maybe.iter().filter(|_| random.word() & 1 == 0);
                    before.layout.set(slot, &mut words, &BitSet::of(content.width(), bits));
                }
                let start = Position { control, words: words.into() };
                if after.admits(&start) {
                    assert_eq!(counts(&before, &start), counts(&after, &start), "{name}: {start:?}");
                    positions += 1;
                }
            }
        }
    }
    assert!(positions > 1000, "{positions}");
}

#[test]
fn no_position_changes_by_a_pass() {
    for name in ["connect_four", "othello", "english_draughts", "hex", "nim", "isola", "kalah", "amazons"] {
        let mut text = game(name);
        let counts = |skipped: &[String], text: &mut GameSource| {
            let lowered = without(text, skipped);
            verify(&lowered.circuit, CircuitForm::Scheduled)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let start = lowered.circuit.initial.clone();
            let runner = Interpreter::new(Arc::new(lowered.circuit));
            [1, 2, 3].map(|depth| runner.perft(&start, depth, CountUnit::Move, &CancelToken::default()))
        };
        let all: Vec<String> = PASSES.iter().map(|pass| pass.name.to_string()).collect();
        let plain = counts(&all, &mut text);
        assert_eq!(counts(&[], &mut text), plain, "{name}");
        for pass in &all {
            assert_eq!(counts(std::slice::from_ref(pass), &mut text), plain, "{name} without {pass}");
        }
    }
}

/// Asserts that the source has this number of claims and that all hold on every machine.
fn holds_everywhere(source: &str, claims: u64) {
    for backend in [Backend::Reference, Backend::Interp, Backend::Jit] {
        let mut text = GameSource::from_string("g.bou", source);
        let budget = Budget { backend, time: Some(Duration::from_secs(20)), ..Budget::default() };
        text.set_backend(&budget, None);
        let report =
            test::test(&mut text, &test::TestOptions { all: false, budget: &budget, progress: &NoProgress });
        assert_eq!((report.passed, report.failed), (claims, 0), "{backend}");
    }
}

/// A position that play never reaches may still be set up: the definition answers there.
#[test]
fn positions_that_play_never_leads_to_are_answered() {
    let (_, source) =
        CHANGED.iter().find(|(of, _)| *of == "constant_propagation").expect("a game for each pass");
    let test = "test \"bold beforehand\" { position { bold := true; } expect draw; expect perft 1 = 0; }";
    holds_everywhere(&format!("{source}\n{test}\ntest \"as ever\" {{ expect perft 1 = 2; }}"), 3);
    // The flag is constant in play. `go` does not read it, but the position after `go` does.
    let flags = "game \"g\"; players You; phases { first; then_use; }
         state { flag: bool = true; left: 0..3 = 3; }
         move go() in first { when left > 0; left -= 1; continue then_use; }
         move use() in then_use { when flag; }
         end { when left = 0 => win; when stuck => draw; }
         test \"without it\" { position { flag := false; } expect perft 1 = 1; expect perft 2 = 0; }
         test \"as ever\" { expect perft 2 = 1; }";
    holds_everywhere(flags, 3);
    let higher = COLUMNS.replace("grid(2, 2)", "grid(2, 3)");
    let test =
        "test \"afloat\" { position { at[a2] := X; } expect perft 1 = 2; play drop(1); expect at[a1] = X; }";
    holds_everywhere(&format!("{higher}\n{test}\ntest \"as ever\" {{ expect perft 1 = 2; }}"), 3);
}

/// Columns of two moves do not become one group, which has one name.
#[test]
fn moves_of_two_kinds_keep_their_names() {
    let source = "game \"g\"; board Cell = grid(2, 2); players X, O; state { at[c: Cell]: Player? = none; }
         type Col = 1..2;
         def column(x: Col) = { c in Cell where c.col = x and at[c] = none };
         move drop(x: Col) { when x = 1; let c = min c in column(x): c; at[c] := me; }
         move fall(x: Col) { when x = 2; let c = min c in column(x): c; at[c] := me; }
         end { when no c in Cell: at[c] = none => draw; }
         test \"names\" { expect moves = { drop(1), fall(2) }; play fall(2); expect at[b1] = X; }";
    holds_everywhere(source, 2);
}
