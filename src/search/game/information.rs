//! The information of players: their own choices, and the parts of moves that they see.

use super::{Game, MoveInstance, Successor, ToMove};

/// Returns the choice of a player within a move; `None` if he does not choose.
pub fn own_choice<'a>(turn: &ToMove, play: &'a MoveInstance, player: u32) -> Option<&'a MoveInstance> {
    match (turn, play) {
        (ToMove::Simultaneous, MoveInstance::Joint(parts)) => {
            parts.iter().find(|(who, _)| *who == player).map(|(_, part)| part)
        }
        (ToMove::Player(mover), play) if *mover == player => Some(play),
        _ => None,
    }
}

/// Returns the choices of a player in the order of the moves, each once; empty if he does not choose.
pub fn own_choices(turn: &ToMove, moves: &[Successor], player: u32) -> Vec<MoveInstance> {
    let mut choices: Vec<MoveInstance> = Vec::new();
    for choice in moves.iter().filter_map(|made| own_choice(turn, &made.play, player)) {
        if !choices.contains(choice) {
            choices.push(choice.clone());
        }
    }
    choices
}

/// Returns the parts of a move that a player sees: his own, and those that are not private.
pub fn seen_parts(game: &Game, turn: &ToMove, play: &MoveInstance, player: u32) -> Vec<MoveInstance> {
    let public = |play: &MoveInstance| match play {
        MoveInstance::Move(id, _) => !game.rules.moves[*id].private,
        _ => true,
    };
    match play {
        MoveInstance::Joint(parts) => {
            parts.iter().filter(|(who, p)| *who == player || public(p)).map(|(_, p)| p.clone()).collect()
        }
        play if public(play) || *turn == ToMove::Player(player) => vec![play.clone()],
        _ => Vec::new(),
    }
}
