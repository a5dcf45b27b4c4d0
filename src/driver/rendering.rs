//! Renders plays and values as text.

use bouton_rules::Expr;
use bouton_search::game::{Game, MoveInstance, State};

/// A play as text.
#[derive(Clone, Debug)]
pub struct RenderedPlay {
    /// The moves, each as written in its position.
    pub words: Vec<String>,
    /// The position after the moves.
    pub last: State,
}

/// Renders a play from a position; ends early at a move that is not legal.
pub fn render_play(game: &Game, from: &State, line: &[MoveInstance]) -> RenderedPlay {
    let mut told = RenderedPlay { words: Vec::new(), last: from.clone() };
    for play in line {
        let successors = game.machine.successors(&told.last).unwrap_or_default();
        let Some(next) = successors.into_iter().find(|s| s.play == *play) else { break };
        told.words.push(game.notation(&told.last, play));
        told.last = next.state;
    }
    told
}

/// Renders the value of an expression in a position.
pub fn render_value(game: &Game, state: &State, expr: &Expr) -> String {
    match game.machine.eval(state, expr) {
        Ok(Some(value)) => game.rules.show(&value),
        Ok(None) => "undefined".into(),
        Err(hit) => format!("not known ({hit})"),
    }
}
