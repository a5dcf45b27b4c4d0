//! Tests of the meaning of rules in the language, on small rules built by hand.

mod compact;
mod ends;
mod exprs;
mod moves;
mod packing;
mod past;
mod schedules;
mod stages;
mod turns;

use std::sync::Arc;

use bouton_rules::builder::*;
use bouton_rules::*;

use super::{Interpreter, State};

/// The interpreter of the rules so far.
fn interpret(builder: &RulesBuilder) -> Interpreter {
    Interpreter::new(Arc::new(builder.rules.clone()))
}

/// The legal moves in written form.
fn moves(interpreter: &Interpreter, state: &State) -> Vec<String> {
    let successors = interpreter.successors(state).unwrap();
    successors.iter().map(|(play, ..)| interpreter.render_move(state, play)).collect()
}

/// The state after the move with this written form.
fn play(interpreter: &Interpreter, state: &State, written: &str) -> State {
    let successors = interpreter.successors(state).unwrap();
    let found = successors.into_iter().find(|(play, ..)| interpreter.render_move(state, play) == written);
    found.unwrap_or_else(|| panic!("{written} is not legal")).1
}

/// The fault of the initial position.
fn fault(builder: &RulesBuilder) -> FaultKind {
    let interpreter = interpret(builder);
    interpreter.successors(&interpreter.initial()).unwrap_err().kind
}
