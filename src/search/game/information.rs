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

/// A part of a move that a player sees, with the player who made it; `None` for an event of chance.
pub type SeenPart = (Option<u32>, MoveInstance);

/// Returns the parts of a move that a player sees, with their makers: his own, and those that are not private.
pub fn seen_parts(game: &Game, turn: &ToMove, play: &MoveInstance, player: u32) -> Vec<SeenPart> {
    let public = |play: &MoveInstance| match play {
        MoveInstance::Move(id, _) => !game.rules.moves[*id].private,
        _ => true,
    };
    let seen = |who: Option<u32>, play: &MoveInstance| who == Some(player) || public(play);
    match (turn, play) {
        (_, MoveInstance::Joint(parts)) => {
            let parts = parts.iter().map(|(who, part)| (Some(*who), part));
            parts.filter(|(who, part)| seen(*who, part)).map(|(who, part)| (who, part.clone())).collect()
        }
        (ToMove::Player(mover), play) if seen(Some(*mover), play) => vec![(Some(*mover), play.clone())],
        (ToMove::Player(_), _) => Vec::new(),
        (_, play) if seen(None, play) => vec![(None, play.clone())],
        _ => Vec::new(),
    }
}
