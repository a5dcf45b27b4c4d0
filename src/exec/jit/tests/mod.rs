use std::sync::Arc;

use super::*;

mod games;
mod random;

/// The interpreter, and machine code with and without optimisation.
fn machines(circuit: Circuit) -> (Interpreter, Vec<Jit>) {
    let circuit = Arc::new(circuit);
    let options = [true, false].map(|optimise| Options { optimise, ..Options::default() });
    let jits = options.into_iter().map(|options| Jit::new(circuit.clone(), options).unwrap());
    (Interpreter::new(circuit.clone()), jits.collect())
}

/// Whether each turn comes to an end: one mover's controls lead only to later ones.
fn turns_end(circuit: &Circuit) -> bool {
    circuit.controls.entries().all(|(id, control)| {
        let same = |to: &ControlId| circuit.controls[*to].mover == control.mover;
        perft::yields_of(circuit, id).iter().filter(|to| same(to)).all(|&to| to > id)
    })
}

/// Whatever the interpreter says of a position, machine code says, too.
fn agree(interpreter: &Interpreter, jits: &[Jit], at: &Position, depth: u32) {
    let stop = Stop::default();
    let mut children = Vec::new();
    let status = interpreter.expand(at, &mut children);
    let units = if turns_end(interpreter.circuit()) { &[false, true][..] } else { &[false] };
    let perfts: Vec<_> = units.iter().map(|&by_turn| interpreter.perft(at, depth, by_turn, &stop)).collect();
    let games = interpreter.playouts(at, 20, 7, 30, &stop);
    for jit in jits {
        let mut own = Vec::new();
        assert_eq!(jit.expand(at, &mut own), status, "{at:?}");
        assert_eq!(own, children, "{at:?}");
        for (by_turn, perft) in units.iter().copied().zip(&perfts) {
            assert_eq!(jit.perft(at, depth, by_turn, &stop), *perft, "{at:?} {by_turn}");
            let leaves = perft.map(|perft| perft.map(|perft| perft.leaves));
            assert_eq!(jit.count(at, depth, by_turn, &stop), leaves, "{at:?} {by_turn}");
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
            let perft = jit.perft(start, depth, false, &Stop::default()).unwrap().unwrap();
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
        let perft = jit.perft(start, 8, false, &Stop::default()).unwrap().unwrap();
        assert_eq!(perft.leaves, 5_673_234);
    }
    (0..5).for_each(|depth| agree(&interpreter, &jits, start, depth));
}
