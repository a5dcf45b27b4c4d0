//! The user's view of a position: all of it, or the part that his players see.

use std::fmt::Write as _;

use super::PlayedMove;
use bouton_rules::{Field, MOVER, PHASE, Value};
use bouton_search::game::draw::{draw, status};
use bouton_search::game::{Game, MoveInstance, State};

/// The view in which a position is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum View {
    /// All that there is, as after the end of play.
    Everything,
    /// Only what these players see.
    Of(Vec<u32>),
}

impl View {
    /// Returns the players if the rules hide something that they do not see together.
    pub fn restricted(&self, game: &Game) -> Option<&[u32]> {
        match self {
            View::Of(players) if game.rules.has_hidden_information() => Some(players),
            _ => None,
        }
    }
}

/// Renders the position in a view.
pub fn render_position(game: &Game, state: &State, view: &View) -> String {
    let Some(players) = view.restricted(game) else { return draw(game, state) };
    let mut out = String::new();
    for (id, field) in game.rules.fields.entries().filter(|(id, _)| *id != MOVER && *id != PHASE) {
        for cell in 0..field.cells() {
            let value = if field.is_seen_by(cell, players) {
                game.rules.show(&game.machine.read(state, id, cell))
            } else {
                "?".into()
            };
            let _ = writeln!(out, "{}{}: {value}", field.name, keys(game, field, cell));
        }
    }
    out + &status(game, state) + "\n"
}

/// Renders a move that was made in a view; `None` if it is hidden there. Of choices made at once, hidden ones are `?`.
pub fn render_move(game: &Game, made: &PlayedMove, maker: Option<u32>, view: &View) -> Option<String> {
    let Some(players) = view.restricted(game) else { return Some(made.words.clone()) };
    let is_hidden = |maker: Option<u32>, play: &MoveInstance| {
        matches!(play, MoveInstance::Move(id, _) if game.rules.moves[*id].private)
            && maker.is_none_or(|maker| !players.contains(&maker))
    };
    match &made.play {
        MoveInstance::Joint(parts) if parts.iter().any(|(who, part)| is_hidden(Some(*who), part)) => {
            let part = |(who, part): &(u32, MoveInstance)| match is_hidden(Some(*who), part) {
                true => "?".to_owned(),
                false => game.choice_notation(&made.before, *who, part),
            };
            Some(format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", ")))
        }
        play => (!is_hidden(maker, play)).then(|| made.words.clone()),
    }
}

/// The keys of a cell, such as `[a1]`; the last key varies fastest.
fn keys(game: &Game, field: &Field, cell: usize) -> String {
    let mut rest = cell;
    let mut keys: Vec<String> = Vec::new();
    for key in field.keys.iter().rev() {
        let value: Option<&Value> = key.values.get(rest % key.values.len().max(1));
        rest /= key.values.len().max(1);
        keys.extend(value.map(|v| game.rules.show(v)));
    }
    keys.reverse();
    if keys.is_empty() { String::new() } else { format!("[{}]", keys.join(", ")) }
}
