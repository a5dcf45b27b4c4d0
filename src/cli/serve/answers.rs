//! Solutions: values that arrive as they are known, and certificates; and refusals.

use std::convert::Infallible;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use super::SOLVE_BYTES;
use super::catalogue::CatalogueEntry;
use super::position::POSITION_TIME;
use super::query::PositionQuery;
use bouton::{CancelToken, Error, Limits, Position, Progress, SolveOptions};

/// The number of events that wait for a slow client; further reports of progress are dropped.
const EVENT_BUFFER: usize = 16;

/// A refusal: a status and a sentence.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    message: String,
}

impl Refusal {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// The request is wrong.
    pub fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request is well-formed, but cannot be fulfilled.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// The request has more bytes than the limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// A limit of the server was reached.
    pub fn unavailable(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// There is nothing of this name.
    pub fn missing(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let status = match error {
            Error::Limit { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refusal::new(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, axum::Json(json!({ "error": self.message }))).into_response()
    }
}

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

/// The sender of the events of a solution. Once its client has left, the work is cancelled.
pub struct EventSender(pub mpsc::Sender<Result<Event, Infallible>>);

impl EventSender {
    /// The channel of a stream.
    pub fn channel() -> (EventSender, mpsc::Receiver<Result<Event, Infallible>>) {
        let (sender, receiver) = mpsc::channel(EVENT_BUFFER);
        (EventSender(sender), receiver)
    }

    /// Sends the last event, for which a slow client is waited for.
    fn finish(&self, name: &str, data: &Json) {
        let _ = self.0.blocking_send(Ok(Event::default().event(name).data(data.to_string())));
    }
}

/// Solves the position that a query names and sends its progress, then the solution with the values of all moves. The
/// solution is cancelled by its token.
pub fn solve(game: &CatalogueEntry, query: &PositionQuery, cancel: &CancelToken, events: &EventSender) {
    let reports = events.0.clone();
    let progress = move |now: &Progress| {
        let data = json!({ "phase": now.phase, "positions": now.positions });
        // A client that reads slowly misses some reports.
        let _ = reports.try_send(Ok(Event::default().event("progress").data(data.to_string())));
    };
    let options = SolveOptions {
        all_moves: true,
        limits: solve_limits(query, cancel),
        progress: Some(Arc::new(progress)),
        ..SolveOptions::default()
    };
    let solved = position(game, query, cancel).and_then(|position| position.solve(&options));
    match solved {
        Ok(solution) => {
            let data = json!({
                "sentence": solution.to_string(),
                "proved": solution.proof(),
                "solution": solution,
            });
            events.finish("solution", &data);
        }
        Err(error) => events.finish("failure", &json!({ "error": error.to_string() })),
    }
}
