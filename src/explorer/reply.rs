//! The engine's part in a game: its reply to a position, and the moves of a play that gave something away.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::SOLVE_BYTES;
use super::position::{of_halt, turn_name, viewer};
use super::query::PositionQuery;
use super::refusal::Refusal;
use super::table::ServedTable;
use bouton_base::limits::{CancelToken, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::play::engine::{Engine, EngineLevel, EngineOptions, NamedTable};
use bouton_driver::play::{Session, joint_choices, with_choices};
use bouton_search::game::{Backend, MoveInstance, Successor, ToMove};
use bouton_search::solve::depth_limited::DepthLimitedOptions;

/// The moves that the engine looks ahead at the level `fair`, and at the level `weak`.
const FAIR_DEPTH: u32 = 3;
const WEAK_DEPTH: u32 = 1;
/// The time of each search of a reply. A reply has at most two or three of them.
const REPLY_TIME: Duration = Duration::from_secs(3);

/// Parses the name of a level.
pub fn parse_level(name: &str) -> Option<EngineLevel> {
    let ahead = |depth| EngineLevel::Lookahead(DepthLimitedOptions::with_depth(depth));
    match name {
        "perfect" => Some(EngineLevel::Perfect),
        "fair" => Some(ahead(FAIR_DEPTH)),
        "weak" => Some(ahead(WEAK_DEPTH)),
        _ => None,
    }
}

/// An engine for a play, with a sentence on how well it plays.
fn engine(
    session: &Session,
    level: EngineLevel,
    table: Option<&Arc<ServedTable>>,
    cancel: &CancelToken,
) -> (Engine, String) {
    let budget = Budget {
        time: Some(REPLY_TIME),
        memory: Some(SOLVE_BYTES),
        stop: cancel.clone(),
        backend: Backend::Jit,
        ..Budget::default()
    };
    let table = table.map(|table| NamedTable { values: Arc::clone(&table.values), name: table.name.clone() });
    let options = EngineOptions { level, table, budget };
    Engine::new(&session.game, &session.start, options, &NoProgress)
}

/// The engine's move in the position that a play has reached, or an event drawn where chance moves.
pub fn reply(
    mut session: Session,
    query: &PositionQuery,
    table: Option<&Arc<ServedTable>>,
    cancel: &CancelToken,
) -> Result<Json, Refusal> {
    // The engine draws by what the players for whom it moves know. The user is one only if he chooses at the same time.
    session.human = match &query.own {
        Some(_) => viewer(&session.game, query)?.into_iter().collect(),
        None => Vec::new(),
    };
    let turn = session.turn().map_err(|halt| of_halt(&session.game, *halt))?;
    let successors = session.successors().map_err(|halt| of_halt(&session.game, *halt))?;
    if successors.is_empty() {
        return Err(Refusal::unfit("the game is over"));
    }
    let mut level_words = String::new();
    let (made, why) = if turn == ToMove::Chance {
        (session.random_chance(&turn, &successors), "it was drawn by its probability".to_owned())
    } else {
        let (mut engine, told) = engine(&session, query.level, table, cancel);
        level_words = told;
        match turn {
            ToMove::Simultaneous => {
                let fitting = fitting(&session, query, successors)?;
                (engine.complete(&mut session, &fitting), "the choices were drawn".to_owned())
            }
            _ => match engine.choose(&mut session) {
                Some(chosen) => (Some(chosen.successor), chosen.why),
                None => (None, String::new()),
            },
        }
    };
    let made = made.ok_or_else(|| Refusal::unfit("the engine found no move"))?;
    Ok(json!({
        "turn": turn_name(&session.game, &turn),
        "move": session.game.notation(session.state(), &made.play),
        "why": why,
        "level": level_words,
    }))
}

/// The joint moves that have the viewer's own choice, if the query has one.
fn fitting(
    session: &Session,
    query: &PositionQuery,
    successors: Vec<Successor>,
) -> Result<Vec<Successor>, Refusal> {
    let Some(own) = &query.own else { return Ok(successors) };
    let player = viewer(&session.game, query)?;
    let player = player.ok_or_else(|| Refusal::bad("`own=` is the choice of the player of `as=`"))?;
    let written = |play: &MoveInstance| session.game.choice_notation(session.state(), player, play);
    let chosen = joint_choices(&successors, player).into_iter().find(|play| written(play) == *own);
    let chosen = chosen.ok_or_else(|| Refusal::unfit(format!("no legal choice is called `{own}`")))?;
    Ok(with_choices(successors, &[(player, chosen)]))
}

/// The moves of a play that gave value away, as far as the values are known.
pub fn review(
    session: &Session,
    table: Option<&Arc<ServedTable>>,
    cancel: &CancelToken,
) -> Result<Json, Refusal> {
    if session.game.rules.has_hidden_information() {
        return Err(Refusal::unfit("the rules hide information, so no move is a mistake by itself"));
    }
    let (mut engine, _) = engine(session, EngineLevel::Perfect, table, cancel);
    let (mistakes, is_complete) = engine.review(session);
    let mistakes: Vec<Json> = mistakes
        .iter()
        .map(|of| {
            json!({
                "ply": of.ply,
                "move": session.made()[of.ply].words,
                "before": of.before,
                "after": of.after,
                "better": of.better,
            })
        })
        .collect();
    Ok(json!({ "mistakes": mistakes, "complete": is_complete }))
}
