use std::sync::Arc;

use super::*;
use crate::{LookaheadRecord, LookaheadResult, MAX_TURN_MOVES};

mod games;
mod random;

/// Returns the interpreter, and JIT compilers with and without optimisation, with many small functions,
/// and with as many guards as possible.
fn machines(circuit: Circuit) -> (Interpreter, Vec<Jit>) {
    let circuit = Arc::new(circuit);
    let whole = [true, false].map(|optimise| JitOptions { optimise, ..JitOptions::default() });
    let parts = [1, 3].map(|least| {
        let split = OutlineOptions { min_control_words: 0, min_part_words: least, min_work_ratio: 0 };
        JitOptions { outline: split, ..JitOptions::default() }
    });
    let everywhere =
        GuardOptions { min_run_words: 1, min_empty_share: 0.0, min_saved_words: f64::NEG_INFINITY };
    let guarded = JitOptions { guards: everywhere, ..JitOptions::default() };
    let options = whole.into_iter().chain(parts).chain([guarded]);
    let jits = options.map(|options| Jit::new(circuit.clone(), options).unwrap());
    (Interpreter::new(circuit.clone()), jits.collect())
}

/// Returns true if every turn is finite: the controls of one mover lead only to later ones.
fn turns_end(circuit: &Circuit) -> bool {
    circuit.controls.entries().all(|(id, control)| {
        let same = |to: &ControlId| circuit.controls[*to].mover == control.mover;
        perft::yields_of(circuit, id).iter().filter(|to| same(to)).all(|&to| to > id)
    })
}

/// The result of a lookahead without hints: each move, its position, and the end that it reaches.
type Looks =
    Result<(Option<CircuitEnding>, Vec<(GroupId, u32, Vec<u64>, Option<CircuitEnding>)>), RulesFault>;

fn looked(runner: &dyn Runner, at: &Position) -> Looks {
    let none = runner.circuit().controls.iter().map(|_| vec![false; 16]).collect::<Vec<_>>();
    let scout = runner.lookahead(&none);
    let mut out = vec![0; scout.max_output_words(at.control)];
    let words = at.words.len();
    let children = match scout.look_ahead(PositionRef::of(at), &mut out)? {
        LookaheadResult::Over(ending) => return Ok((Some(ending), Vec::new())),
        LookaheadResult::Open(children) => children,
    };
    let records = out.chunks_exact(scout.record_words()).take(children).map(|words_of| {
        let record = LookaheadRecord(words_of);
        let end = record.end(words).map(|place| {
            let (ending, count) = scout.ends()[place];
            CircuitEnding { ending, scores: record.scores(words).take(count).collect() }
        });
        let (group, lane) = record.last_move();
        (group, lane, words_of[1..=words + 1].to_vec(), end)
    });
    Ok((None, records.collect()))
}

/// Checks that machine code agrees with the interpreter in a position.
fn agree(interpreter: &Interpreter, jits: &[Jit], at: &Position, depth: u32) {
    let stop = CancelToken::default();
    let mut children = Vec::new();
    let status = interpreter.expand(at, &mut children);
    let turns = [CountUnit::Move, CountUnit::Turn(0), CountUnit::Turn(1)];
    let units = if turns_end(interpreter.circuit()) { &turns[..] } else { &turns[..1] };
    let perfts: Vec<_> = units.iter().map(|&ply| interpreter.perft(at, depth, ply, &stop)).collect();
    let games = interpreter.playouts(at, 20, 7, 30, &stop);
    for jit in jits {
        let mut own = Vec::new();
        assert_eq!(jit.expand(at, &mut own), status, "{at:?}");
        assert_eq!(own, children, "{at:?}");
        let mut flat = [Children::default(), Children::default()];
        assert_eq!(jit.children(at, &mut flat[0]), status, "{at:?}");
        assert_eq!(interpreter.children(at, &mut flat[1]), status, "{at:?}");
        assert_eq!(flat[0], flat[1], "{at:?}");
        assert_eq!(looked(jit, at), looked(interpreter, at), "{at:?}");
        for (ply, perft) in units.iter().copied().zip(&perfts) {
            assert_eq!(jit.perft(at, depth, ply, &stop), *perft, "{at:?} {ply:?}");
            let leaves = perft.map(|perft| perft.map(|perft| Perft { checksum: 0, ..perft }));
            assert_eq!(jit.count(at, depth, ply, &stop), leaves, "{at:?} {ply:?}");
        }
        assert_eq!(jit.playouts(at, 20, 7, 30, &stop), games, "{at:?}");
    }
}

#[test]
fn sequences_of_tic_tac_toe_are_counted() {
    let (interpreter, jits) = machines(games::tic_tac_toe());
    let start = &interpreter.circuit().initial;
    let known = [9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872];
    for (depth, leaves) in (1..).zip(known) {
        for jit in &jits {
            let perft = jit.perft(start, depth, CountUnit::Move, &CancelToken::default()).unwrap().unwrap();
            assert_eq!(perft.leaves, leaves, "at depth {depth}");
        }
    }
    (0..6).for_each(|depth| agree(&interpreter, &jits, start, depth));
}

#[test]
fn sequences_of_connect_four_are_counted() {
    let (interpreter, jits) = machines(games::connect_four());
    let start = &interpreter.circuit().initial;
    for jit in &jits {
        let perft = jit.perft(start, 8, CountUnit::Move, &CancelToken::default()).unwrap().unwrap();
        assert_eq!(perft.leaves, 5_673_234);
    }
    (0..5).for_each(|depth| agree(&interpreter, &jits, start, depth));
}

/// Builds a pile of `n` for one player, who takes one or two and moves again; `last` is the `stuck` block for the empty
/// pile.
fn alone(n: u32, last: &str) -> Circuit {
    let text = format!(
        r#"
words 1
slot s0 "pile" 0:0 bits<16> 0xffff
v0: bits<16> = slot s0
v1: bits<16> = shift v0, -1
v2: bits<16> = shift v0, -2
v3: bits<16> = param 0
v4: bits<16> = param 1
v5: bits<1> = bits 0x1
control k0 "alone" mover 0 {{
  before {{ let v0 }}
  group g0 {{ lets {{ let v1 }} set v1 bit v3 body {{ yield k0 with s0 = v3 }} }}
  group g1 {{ lets {{ let v2 }} set v2 bit v4 body {{ yield k0 with s0 = v4 }} }}
  {last}
}}
initial k0 {:#x}
"#,
        1u64 << n
    );
    let circuit = bouton_circuit::parse::parse(&text).unwrap();
    bouton_circuit::verify::verify(&circuit, bouton_circuit::verify::CircuitForm::Scheduled).unwrap();
    circuit
}

#[test]
fn a_turn_ends_with_the_game_and_who_is_stuck_is_noted() {
    let (over, nothing) = ("stuck { over v5 ending 0 }", "");
    let run = |runner: &dyn Runner, depth, ply| {
        let perft = runner.count(&runner.circuit().initial, depth, ply, &CancelToken::default());
        perft.map(|perft| perft.map(|perft| (perft.leaves, perft.stuck)).unwrap())
    };
    for (last, stuck) in [(over, false), (nothing, true)] {
        let (interpreter, jits) = machines(alone(5, last));
        let runners = jits.iter().map(|jit| jit as &dyn Runner).chain([&interpreter as &dyn Runner]);
        for runner in runners {
            // There are 8 ways to write 5 as a sum of ones and twos.
            let turns = if stuck { 0 } else { 8 };
            assert_eq!(run(runner, 1, CountUnit::Turn(0)), Ok((turns, stuck)));
            assert_eq!(run(runner, 1, CountUnit::Turn(7)), Ok((turns, stuck)), "a turn that has begun");
            assert_eq!(run(runner, 2, CountUnit::Turn(0)), Ok((0, stuck)), "nobody moves after it");
            assert_eq!(run(runner, 3, CountUnit::Move), Ok((7, false)), "3 moves take 3 to 5");
            assert_eq!(run(runner, 4, CountUnit::Move), Ok((5, stuck)));
            let begun = MAX_TURN_MOVES - 3;
            assert_eq!(run(runner, 1, CountUnit::Turn(begun)), Err(RulesFault), "a turn too long");
        }
        for jit in &jits {
            for ply in [CountUnit::Move, CountUnit::Turn(0), CountUnit::Turn(1)] {
                let start = &interpreter.circuit().initial;
                let both = [jit as &dyn Runner, &interpreter]
                    .map(|r| r.perft(start, 1, ply, &CancelToken::default()));
                assert_eq!(both[0], both[1]);
            }
        }
    }
}

#[test]
fn every_kernel_is_compiled() {
    for circuit in [games::tic_tac_toe(), games::connect_four(), alone(5, "")] {
        for jit in machines(circuit).1 {
            let start = &jit.circuit().initial.clone();
            jit.playouts(start, 1, 1, 100, &CancelToken::default()).unwrap();
            jit.perft(start, 2, CountUnit::Move, &CancelToken::default()).unwrap();
            assert_eq!(jit.playouts.get().unwrap().as_ref().err().map(ToString::to_string), None);
            let kernels = jit.perft.iter().filter_map(|kernel| kernel.get());
            kernels.for_each(|kernel| assert_eq!(kernel.as_ref().err().map(ToString::to_string), None));
        }
    }
}
