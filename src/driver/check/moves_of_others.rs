//! Moves that are never legal because none is that of the first player, where the game ends for want of a move.

use crate::wrong_turn;
use bouton_search::game::Game;
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// Leaves one finding about moves that are never legal, where the first player is not the one of any move.
pub(super) fn leave_one(game: &Game, found: &mut Vec<Diagnostic>) {
    let Some(turn) = wrong_turn::at_first(game) else { return };
    let is_move = |found: &Diagnostic| {
        found.code == Code::W0531 && game.rules.moves.iter().any(|mv| mv.span == found.span())
    };
    let Some(first) = found.iter().position(is_move) else { return };
    let mut all = found.remove(first);
    found.retain(|found| !is_move(found));
    if game.rules.moves.len() > 1 {
        all.title =
            "no move is ever legal: the first player has none, and so the game is over at once".to_owned();
    }
    let labels = turn.labels.into_iter().map(|(span, text)| Label { span, text });
    all.labels = labels.collect();
    all.help = Some(turn.help);
    found.insert(first, all);
}
