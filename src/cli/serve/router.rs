//! The addresses of the server: the files of the page, and the answers of the explorer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bouton::CancelToken;
use bouton::explorer::catalogue::Catalogue;
use bouton::explorer::check::{BODY_TIME, MAX_BODY_BYTES};
use bouton::explorer::refusal::Refusal;
use bouton::explorer::table::ServedTable;
use bouton::explorer::{Answer, Cost, Event, EventReceiver, Explorer, Task};
use futures_core::Stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::guard::{self, CHECK_ADDRESS};
use crate::cli::assets;

/// The maximal number of positions that are set up at once; further requests wait.
const MAX_POSITIONS: usize = 4;
/// The maximal number of texts that are held for a check; further ones are refused.
const MAX_TEXTS: usize = 32;
/// The maximal number of texts that are checked at once; the others wait.
const MAX_CHECKS: usize = 2;
/// The maximal number of solutions at once; further streams wait for their turn.
const MAX_SOLUTIONS: usize = 2;
/// The maximal number of open streams; further ones are refused.
const MAX_STREAMS: usize = 16;
/// The number of events that wait for a slow client; further reports of progress are dropped.
const EVENT_BUFFER: usize = 16;

/// The state of the server.
struct Served {
    explorer: Explorer,
    positions: Arc<Semaphore>,
    texts: Arc<Semaphore>,
    checks: Arc<Semaphore>,
    solutions: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

/// The router of a server on this port.
pub fn router(catalogue: Catalogue, table: Option<ServedTable>, port: u16) -> Router {
    let served = Served {
        explorer: Explorer::new(catalogue, table),
        positions: Arc::new(Semaphore::new(MAX_POSITIONS)),
        texts: Arc::new(Semaphore::new(MAX_TEXTS)),
        checks: Arc::new(Semaphore::new(MAX_CHECKS)),
        solutions: Arc::new(Semaphore::new(MAX_SOLUTIONS)),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
    };
    let fixed = |kind: &'static str, text: String| {
        let text = axum::body::Bytes::from(text);
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let mut router = Router::new();
    for asset in assets::of_server() {
        router = router.route(&asset.address(), fixed(asset.kind, asset.text));
    }
    let description = include_str!("../../../docs/explorer.openapi.json").to_owned();
    router
        .route("/api/openapi.json", fixed("application/json", description))
        .route(CHECK_ADDRESS, post(check))
        .route("/api/games/{id}/values", get(values))
        .route("/api/{*path}", get(answer))
        .fallback(|| async { Refused(Refusal::missing("there is nothing at this address")) })
        .with_state(Arc::new(served))
        .layer(from_fn_with_state(port, guard::guard))
}

/// A refusal as a response.
pub struct Refused(pub Refusal);

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused(refusal)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, axum::Json(self.0.body())).into_response()
    }
}

/// Answers a request without a body.
async fn answer(
    State(served): State<Arc<Served>>,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refused> {
    let task = served.explorer.task(&path, query.as_deref(), &[])?;
    run(served, task).await
}

/// Checks the text of the editor. Its game, if it is sound, has positions and values as the others have.
async fn check(State(served): State<Arc<Served>>, body: Body) -> Result<Response, Refused> {
    let busy = || Refusal::unavailable("too many texts are being checked");
    let _waiting = Arc::clone(&served.texts).try_acquire_owned().map_err(|_| busy())?;
    let late = || Refusal::new(408, "the request did not arrive in time");
    let body = tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_BODY_BYTES)).await.map_err(|_| late())?;
    let body = body.map_err(|why| Refusal::bad(why.to_string()))?;
    let task = served.explorer.task("check", None, &body)?;
    run(served, task).await
}

/// Streams the values of a position.
async fn values(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refused> {
    let task = served.explorer.task(&format!("games/{id}/values"), query.as_deref(), &[])?;
    let busy = || Refusal::unavailable("too many values are being computed");
    let stream = Arc::clone(&served.streams).try_acquire_owned().map_err(|_| busy())?;
    let (sender, events) = mpsc::channel(EVENT_BUFFER);
    let cancel = CancelToken::default();
    let token = cancel.clone();
    tokio::spawn(async move {
        // A client that leaves while it waits needs no solution.
        let permit = tokio::select! {
            permit = Arc::clone(&served.solutions).acquire_owned() => permit,
            () = sender.closed() => return,
        };
        let Ok(permit) = permit else { return };
        let work = spawn_blocking(move || {
            // The failure of a solution is an event.
            let _ = served.explorer.run(&task, &token, &receiver(sender));
            drop(permit);
        });
        let _ = work.await;
    });
    let stream = ValueStream { events, _cancel: CancelOnDrop(cancel), _permit: stream };
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

/// Sends events to a client. One that reads slowly misses some reports, but not the last event.
fn receiver(sender: mpsc::Sender<SentEvent>) -> Arc<EventReceiver> {
    Arc::new(move |Event { name, data, is_last }| {
        let event = Ok(sse::Event::default().event(name).data(data.to_string()));
        if is_last {
            let _ = sender.blocking_send(event);
        } else {
            let _ = sender.try_send(event);
        }
    })
}

/// An event of a stream that does not fail.
type SentEvent = Result<sse::Event, Infallible>;

/// Runs a task, on a thread for blocking work once there is a permit. A client that leaves cancels it.
async fn run(served: Arc<Served>, task: Task) -> Result<Response, Refused> {
    let permits = match task.cost() {
        Cost::None => None,
        Cost::Position => Some(&served.positions),
        Cost::Check => Some(&served.checks),
        Cost::Solution => Some(&served.solutions),
    };
    let permit = match permits {
        Some(permits) => Some(Arc::clone(permits).acquire_owned().await.map_err(|_| internal())?),
        None => None,
    };
    let cancel = CancelToken::default();
    let guard = CancelOnDrop(cancel.clone());
    let no_events: Arc<EventReceiver> = Arc::new(|_| {});
    let work = move || {
        let answer = served.explorer.run(&task, &cancel, &no_events);
        drop(permit);
        answer
    };
    let answer = spawn_blocking(work).await.map_err(|_| internal())??;
    drop(guard);
    let text = (header::CONTENT_TYPE, "text/plain; charset=utf-8");
    Ok(match answer {
        Answer::Json(answer) => axum::Json(answer).into_response(),
        Answer::Text(answer) => ([text], answer).into_response(),
        Answer::Certificate(answer) => {
            let attached = (header::CONTENT_DISPOSITION, "attachment; filename=\"game.cert\"");
            ([text, attached], answer).into_response()
        }
        Answer::Events => StatusCode::NO_CONTENT.into_response(),
    })
}

fn internal() -> Refusal {
    Refusal::new(500, "bouton has a bug; its standard error has the place")
}

/// The events of a solution; when the client leaves, the stream is dropped, and the solution cancelled.
struct ValueStream {
    events: mpsc::Receiver<SentEvent>,
    _cancel: CancelOnDrop,
    _permit: OwnedSemaphorePermit,
}

impl Stream for ValueStream {
    type Item = SentEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context)
    }
}

/// A token that cancels work when the handler that waits for it is dropped, as is when its client leaves.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
