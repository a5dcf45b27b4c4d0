//! Plays and values as words.

use crate::game::{Game, Play, State};
use crate::rules::Expr;

/// A play told in words.
#[derive(Clone, Debug)]
pub struct Told {
    /// The moves as written in the position each is made in.
    pub words: Vec<String>,
    /// The position after them.
    pub last: State,
}

/// Tells a play from a position; it ends early where a move is not legal.
pub fn tell(game: &Game, from: &State, line: &[Play]) -> Told {
    let mut told = Told { words: Vec::new(), last: from.clone() };
    for play in line {
        let successors = game.machine.successors(&told.last).unwrap_or_default();
        let Some(next) = successors.into_iter().find(|s| s.play == *play) else { break };
        told.words.push(game.written(&told.last, play));
        told.last = next.state;
    }
    told
}

/// The value of an expression in a position.
pub fn value(game: &Game, state: &State, expr: &Expr) -> String {
    match game.machine.eval(state, expr) {
        Ok(Some(value)) => game.rules.show(&value),
        Ok(None) => "undefined".into(),
        Err(hit) => format!("not known ({hit})"),
    }
}
