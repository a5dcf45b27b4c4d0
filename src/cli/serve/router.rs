//! The addresses of the server, each with its handler.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bouton::CancelToken;
use futures_core::Stream;
use serde_json::{Value as Json, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::answers::{self, EventSender, Refusal};
use super::catalogue::{Catalogue, CatalogueEntry};
use super::guard;
use super::query::PositionQuery;

/// The maximal number of positions that are set up at once; further requests wait.
const MAX_POSITIONS: usize = 4;
/// The maximal number of solutions at once; further streams wait for their turn.
const MAX_SOLUTIONS: usize = 2;
/// The maximal number of open streams; further ones are refused.
const MAX_STREAMS: usize = 16;

/// The state of the server.
struct Served {
    catalogue: Catalogue,
    positions: Arc<Semaphore>,
    solutions: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl Served {
    fn find(&self, id: &str) -> Result<CatalogueEntry, Refusal> {
        let found = self.catalogue.find(id).cloned();
        found.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, format!("there is no game `{id}`")))
    }
}

/// The router of a server on this port.
pub fn router(catalogue: Catalogue, port: u16) -> Router {
    let served = Served {
        catalogue,
        positions: Arc::new(Semaphore::new(MAX_POSITIONS)),
        solutions: Arc::new(Semaphore::new(MAX_SOLUTIONS)),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
    };
    let asset = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    Router::new()
        .route("/", asset("text/html; charset=utf-8", include_str!("assets/page.html")))
        .route("/page.js", asset("text/javascript; charset=utf-8", include_str!("assets/page.js")))
        .route("/page.css", get(style))
        .route("/api/games", get(games))
        .route("/api/games/{id}", get(game))
        .route("/api/games/{id}/position", get(position))
        .route("/api/games/{id}/values", get(values))
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address") })
        .with_state(Arc::new(served))
        .layer(from_fn_with_state(port, guard::guard))
}

/// The style of reports, for the pictures, and that of the page.
async fn style() -> impl IntoResponse {
    let style = format!("{}\n{}", bouton_report::page::STYLE, include_str!("assets/page.css"));
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style)
}

async fn games(State(served): State<Arc<Served>>) -> axum::Json<Json> {
    axum::Json(json!({ "games": served.catalogue.games() }))
}

async fn game(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
) -> Result<axum::Json<Json>, Refusal> {
    Ok(axum::Json(json!(served.find(&id)?)))
}

async fn position(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<axum::Json<Json>, Refusal> {
    let (game, query) = (served.find(&id)?, PositionQuery::parse(query.as_deref())?);
    let permit = permit(&served.positions).await?;
    let described = spawn_blocking(move || {
        let described = answers::describe(&game, &query);
        drop(permit);
        described
    });
    described.await.map_err(|_| internal())?.map(axum::Json)
}

async fn values(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let (game, query) = (served.find(&id)?, PositionQuery::parse(query.as_deref())?);
    let busy = || Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many values are being computed");
    let stream = Arc::clone(&served.streams).try_acquire_owned().map_err(|_| busy())?;
    let (sender, events) = EventSender::channel();
    let cancel = CancelToken::default();
    let token = cancel.clone();
    let solutions = Arc::clone(&served.solutions);
    tokio::spawn(async move {
        // A client that leaves while it waits needs no solution.
        let permit = tokio::select! {
            permit = solutions.acquire_owned() => permit,
            () = sender.0.closed() => return,
        };
        let Ok(permit) = permit else { return };
        let work = spawn_blocking(move || {
            answers::solve(&game, &query, &token, &sender);
            drop(permit);
        });
        let _ = work.await;
    });
    let stream = ValueStream { events, cancel, _permit: stream };
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

async fn permit(semaphore: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Refusal> {
    Arc::clone(semaphore).acquire_owned().await.map_err(|_| internal())
}

fn internal() -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "bouton has a bug; its standard error has the place")
}

/// The events of a solution; when the client leaves, the stream is dropped, and the solution cancelled.
struct ValueStream {
    events: mpsc::Receiver<Result<Event, Infallible>>,
    cancel: CancelToken,
    _permit: OwnedSemaphorePermit,
}

impl Stream for ValueStream {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context)
    }
}

impl Drop for ValueStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
