//! Solutions: values that arrive as they are known, and certificates.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::catalogue::CatalogueEntry;
use super::position::POSITION_TIME;
use super::query::PositionQuery;
use super::refusal::Refusal;
use super::{Event, EventReceiver, SOLVE_BYTES};
use crate::{CancelToken, Error, Limits, Position, Progress, SolveOptions};
use bouton_report::numbers::is_share_of_wins;

/// The position that a query names.
fn position(game: &CatalogueEntry, query: &PositionQuery, cancel: &CancelToken) -> Result<Position, Error> {
    let limits = Limits { time: Some(POSITION_TIME), cancel: cancel.clone(), ..Limits::default() };
    let mut project = game.project()?.limits(limits);
    for (name, value) in &query.settings {
        project = project.set(name, value);
    }
    if let Some(preset) = &query.preset {
        project = project.preset(preset);
    }
    let start = project.load()?.start();
    query.moves.iter().try_fold(start, |position, name| position.play(name))
}

/// The limits of a solution.
fn solve_limits(query: &PositionQuery, cancel: &CancelToken) -> Limits {
    Limits { time: Some(query.time), memory: Some(SOLVE_BYTES), cancel: cancel.clone(), ..Limits::default() }
}

/// Solves the position that a query names, and returns the text of its certificate. The checker has accepted it.
pub fn certificate(
    game: &CatalogueEntry,
    query: &PositionQuery,
    cancel: &CancelToken,
) -> Result<String, Refusal> {
    let limits = solve_limits(query, cancel);
    let options = SolveOptions { certificate: true, limits, ..SolveOptions::default() };
    let solution = position(game, query, cancel)?.solve(&options)?;
    match (solution.proof(), solution.certificate()) {
        (Some(_), Some(certificate)) => Ok(certificate.as_ref().to_owned()),
        _ => Err(Refusal::unfit(format!("there is no certificate: {}", solution.method().1))),
    }
}

/// Solves the position that a query names. Sends its progress, then the solution with the values of all moves, or the
/// failure.
pub fn solve(
    game: &CatalogueEntry,
    query: &PositionQuery,
    cancel: &CancelToken,
    events: &Arc<EventReceiver>,
) {
    let reports = Arc::clone(events);
    let progress = move |now: &Progress| {
        reports(Event {
            name: "progress",
            data: json!({ "phase": now.phase, "positions": now.positions }),
            is_last: false,
        });
    };
    let options = SolveOptions {
        all_moves: true,
        limits: solve_limits(query, cancel),
        progress: Some(Arc::new(progress)),
        ..SolveOptions::default()
    };
    let solved = position(game, query, cancel).and_then(|position| {
        let shares = is_share_of_wins(&position.game.parts().game.rules);
        position.solve(&options).map(|solution| (solution, shares))
    });
    let (name, data): (_, Json) = match solved {
        Ok((solution, shares)) => {
            let data = json!({
                "sentence": solution.to_string(),
                "proved": solution.proof(),
                "shares": shares,
                "solution": solution,
            });
            ("solution", data)
        }
        Err(error) => ("failure", json!({ "error": error.to_string() })),
    };
    events(Event { name, data, is_last: true });
}
