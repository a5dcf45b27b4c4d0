//! The position that a query names, as a play from the first position, and its description.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::catalogue::CatalogueEntry;
use super::query::PositionQuery;
use super::refusal::Refusal;
use super::table::ServedTable;
use bouton_base::limits::Limits;
use bouton_driver::faults::fault_diagnostic;
use bouton_driver::load::DriverError;
use bouton_driver::play::view::{View, render_move, render_position};
use bouton_driver::play::{PlayedMove, Session, joint_choices};
use bouton_report::page::{self, Overlay};
use bouton_search::game::draw::describe_outcome;
use bouton_search::game::names::NameError;
use bouton_search::game::picture::{cells_of_move, picture, picture_seen_by};
use bouton_search::game::{Backend, Game, MachineError, State, Successor, ToMove};
use bouton_syntax::diag::Diagnostic;

/// The time limit of reading and compiling a game, and of making the moves of a query.
pub const POSITION_TIME: Duration = Duration::from_secs(10);
/// The maximal number of moves that an answer lists.
const MAX_LISTED_MOVES: usize = 5000;
/// The maximal number of moves whose cells an answer names.
const MAX_PLACED_MOVES: usize = 500;

/// Plays the moves of a query; the user moves all players. A game with a table is not read again.
pub fn play(
    game: &CatalogueEntry,
    query: &PositionQuery,
    table: Option<&Arc<ServedTable>>,
    limits: &Limits,
) -> Result<Session, Refusal> {
    let loaded = match table {
        Some(_) if !query.settings.is_empty() || query.preset.is_some() => {
            return Err(Refusal::unfit("the table fixes the parameters of the game"));
        }
        Some(table) => table.game.clone(),
        None => load(game, query, limits)?,
    };
    let start = loaded.machine.initial();
    let players = 0..loaded.rules.players().len() as u32;
    let mut session = Session::new(loaded, start, players.collect(), query.seed);
    for name in &query.moves {
        let made = session.find(name).map_err(|why| of_name(&session.game, *why))?;
        session.make(made, true);
        if let Some(hit) = limits.check() {
            return Err(Refusal::unavailable(format!("the moves were not made: {hit}")));
        }
    }
    Ok(session)
}

/// Reads and compiles the game with the settings of a query.
fn load(game: &CatalogueEntry, query: &PositionQuery, limits: &Limits) -> Result<Game, Refusal> {
    let settings: Vec<String> =
        query.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let read = game.source(&settings, query.preset.as_deref(), limits);
    let read = read.map_err(|hit| Refusal::unavailable(format!("the rules were not read: {hit}")));
    let mut source = read?.map_err(|why| Refusal::unfit(why.to_string()))?;
    source.backend = Backend::Jit;
    source.limits = limits.clone();
    source.game(None).map_err(of_driver)
}

/// The refusal of a request that the driver refused.
pub fn of_driver(why: DriverError) -> Refusal {
    match why {
        DriverError::Usage(why) => Refusal::unfit(why),
        DriverError::Errors(found) => Refusal::unfit(in_words(&found)),
        DriverError::RulesFault(found) => Refusal::unfit(in_words(&[*found])),
        DriverError::Limit(why) => Refusal::unavailable(why),
    }
}

fn in_words(found: &[Diagnostic]) -> String {
    let titles: Vec<&str> = found.iter().map(|found| found.title.as_str()).collect();
    titles.join("; ")
}

fn of_name(game: &Game, why: NameError) -> Refusal {
    match why {
        NameError::Fault(fault) => of_halt(game, MachineError::Fault(fault)),
        NameError::Limit(hit) => of_halt(game, MachineError::Limit(hit)),
        why => Refusal::unfit(why.to_string()),
    }
}

/// The refusal of a position that the machine could not go through.
pub fn of_halt(game: &Game, halt: MachineError) -> Refusal {
    match halt {
        MachineError::Fault(fault) => Refusal::unfit(in_words(&[fault_diagnostic(game, &fault)])),
        MachineError::Limit(hit) => Refusal::unavailable(hit.to_string()),
    }
}

/// Describes the position of a play: the player to move, the picture, the moves with the cells that they name. What
/// the rules hide from the viewer of the query is left out.
pub fn describe(id: &str, session: &Session, query: &PositionQuery) -> Result<Json, Refusal> {
    let (game, state) = (&session.game, session.state());
    let halted = |halt: Box<MachineError>| of_halt(game, *halt);
    let view = view(game, query)?;
    let turn = session.turn().map_err(halted)?;
    let moves = session.successors().map_err(halted)?;
    let players = view.restricted(game);
    let sees_all = players.is_none();
    let picture = match players {
        None => Some(picture(game, state)),
        Some(players) => picture_seen_by(game, state, players),
    };
    let viewer = viewer(game, query)?;
    // The moves of others would tell what they hold.
    let lists = sees_all || viewer.is_some_and(|viewer| turn == ToMove::Player(viewer));
    let number_of_moves = if lists { moves.len() } else { 0 };
    let listed: Vec<Json> = moves
        .iter()
        .take(MAX_LISTED_MOVES.min(number_of_moves))
        .enumerate()
        .map(|(number, made)| {
            let written = game.notation(state, &made.play);
            // What a move changes may be hidden.
            let placed = picture.as_ref().filter(|_| sees_all && number < MAX_PLACED_MOVES);
            let cells = placed.map_or(Vec::new(), |picture| cells_of_move(game, picture, made, &written));
            let panel = placed.and_then(|picture| picture.panels.first());
            let cell = |cell: &u32| Some(panel?.cells.get(*cell as usize)?.name.as_str());
            let cells: Vec<&str> = cells.iter().filter_map(cell).collect();
            json!({
                "move": written,
                "cells": cells,
                "probability": (turn == ToMove::Chance).then(|| made.probability.to_string()),
            })
        })
        .collect();
    let svg = picture.as_ref().and_then(|picture| page::svg(picture, &Overlay::None));
    let (symbols, facts) = picture.map_or_else(Default::default, |picture| (picture.symbols, picture.facts));
    Ok(json!({
        "game": id,
        "turn": turn_name(game, &turn),
        "result": match &turn {
            ToMove::Terminal(outcome) => json!(describe_outcome(&game.rules, outcome)),
            _ => Json::Null,
        },
        "played": played(session, &view),
        "text": render_position(game, state, &view),
        "svg": svg.map(|svg| svg.into_string()),
        "symbols": symbols.iter().map(|(sign, word)| format!("{sign} {word}")).collect::<Vec<_>>(),
        "facts": facts,
        "moves": listed,
        "number_of_moves": number_of_moves,
        "choices": choices(game, state, &turn, &moves, viewer),
    }))
}

/// The view that a query asks for: that of one player, or everything.
fn view(game: &Game, query: &PositionQuery) -> Result<View, Refusal> {
    Ok(viewer(game, query)?.map_or(View::Everything, |player| View::Of(vec![player])))
}

/// The player who looks at the position, if the query names one.
pub fn viewer(game: &Game, query: &PositionQuery) -> Result<Option<u32>, Refusal> {
    let Some(name) = &query.viewer else { return Ok(None) };
    let found = game.rules.players().iter().position(|player| player == name);
    let unknown = || Refusal::unfit(format!("there is no player `{name}`"));
    found.map(|player| Some(player as u32)).ok_or_else(unknown)
}

/// The choices of each player, or of the viewer alone, where players choose simultaneously; else null.
fn choices(game: &Game, state: &State, turn: &ToMove, moves: &[Successor], viewer: Option<u32>) -> Json {
    if *turn != ToMove::Simultaneous {
        return Json::Null;
    }
    let players = game.rules.players().iter().enumerate();
    let shown = players.filter(|(player, _)| viewer.is_none_or(|viewer| viewer as usize == *player));
    let of = |player: usize| -> Vec<String> {
        let player = player as u32;
        let written = |play: &_| game.choice_notation(state, player, play);
        joint_choices(moves, player).iter().map(written).collect()
    };
    shown
        .map(|(player, name)| (name.to_string(), json!(of(player))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The moves of a play in a view; `?` for a hidden one.
fn played(session: &Session, view: &View) -> Vec<String> {
    let game = &session.game;
    let seen = |made: &PlayedMove| {
        let maker = match game.machine.turn(&made.before) {
            Ok(ToMove::Player(player)) => Some(player),
            _ => None,
        };
        render_move(game, made, maker, view).unwrap_or_else(|| "?".into())
    };
    session.made().iter().map(seen).collect()
}

/// The player to move, `everybody` or `chance`; null if the game is over.
pub fn turn_name(game: &Game, turn: &ToMove) -> Json {
    match turn {
        ToMove::Player(player) => json!(game.rules.show(&game.rules.player(*player))),
        ToMove::Simultaneous => json!("everybody"),
        ToMove::Chance => json!("chance"),
        ToMove::Terminal(_) => Json::Null,
    }
}
