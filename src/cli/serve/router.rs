//! The addresses of the server, each with its handler.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bouton::CancelToken;
use futures_core::Stream;
use serde_json::{Value as Json, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::SOLVE_BYTES;
use super::answers::{self, EventSender, Refusal};
use super::catalogue::{Catalogue, CatalogueEntry};
use super::check::{self, BODY_TIME, CheckRequest, MAX_BODY_BYTES};
use super::drafts::Drafts;
use super::guard::{self, CHECK_ADDRESS};
use super::position::{POSITION_TIME, describe, play};
use super::query::PositionQuery;
use super::reply;
use super::table::ServedTable;
use super::templates;
use bouton_base::limits;
use bouton_driver::play::Session;
use bouton_report::page;

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

/// The state of the server.
struct Served {
    catalogue: Catalogue,
    drafts: Drafts,
    table: Option<Arc<ServedTable>>,
    positions: Arc<Semaphore>,
    texts: Arc<Semaphore>,
    checks: Arc<Semaphore>,
    solutions: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

/// A request about a position of a game.
struct PositionRequest {
    game: CatalogueEntry,
    query: PositionQuery,
    /// The table of the game, if one is served.
    table: Option<Arc<ServedTable>>,
}

impl PositionRequest {
    /// The play that leads to the position.
    fn session(&self) -> Result<Session, Refusal> {
        let deadline = Instant::now() + POSITION_TIME;
        let memory_bytes = Some(SOLVE_BYTES);
        let limits = limits::Limits { deadline: Some(deadline), memory_bytes, ..limits::Limits::default() };
        play(&self.game, &self.query, self.table.as_ref(), &limits)
    }
}

impl Served {
    /// Reads a request about the game with this id.
    fn request(&self, id: &str, query: Option<&str>) -> Result<PositionRequest, Refusal> {
        let (game, query) = (self.find(id)?, PositionQuery::parse(query)?);
        let table = self.table.as_ref().filter(|table| table.id == id).map(Arc::clone);
        Ok(PositionRequest { game, query, table })
    }

    fn find(&self, id: &str) -> Result<CatalogueEntry, Refusal> {
        if Drafts::is_draft(id) {
            let found = self.drafts.find(id);
            return found
                .ok_or_else(|| Refusal::missing("the server has forgotten these rules: check them again"));
        }
        let found = self.catalogue.find(id).cloned();
        found.ok_or_else(|| Refusal::missing(format!("there is no game `{id}`")))
    }
}

/// The router of a server on this port.
pub fn router(catalogue: Catalogue, table: Option<ServedTable>, port: u16) -> Router {
    let served = Served {
        catalogue,
        drafts: Drafts::default(),
        table: table.map(Arc::new),
        positions: Arc::new(Semaphore::new(MAX_POSITIONS)),
        texts: Arc::new(Semaphore::new(MAX_TEXTS)),
        checks: Arc::new(Semaphore::new(MAX_CHECKS)),
        solutions: Arc::new(Semaphore::new(MAX_SOLUTIONS)),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
    };
    let asset = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let script = |text| asset("text/javascript; charset=utf-8", text);
    Router::new()
        .route("/", asset("text/html; charset=utf-8", include_str!("assets/page.html")))
        .route("/page.js", script(include_str!("assets/page.js")))
        .route("/server.js", script(include_str!("assets/server.js")))
        .route("/gallery.js", script(include_str!("assets/gallery.js")))
        .route("/game.js", script(include_str!("assets/game.js")))
        .route("/editor.js", script(include_str!("assets/editor.js")))
        .route("/prose.js", script(include_str!("assets/prose.js")))
        .route("/share.js", script(include_str!("assets/share.js")))
        .route("/codemirror.js", script(include_str!("assets/codemirror.js")))
        .route("/board.js", script(bouton_report::page::BOARD_SCRIPT))
        .route("/page.css", get(style))
        .route("/icon.svg", asset("image/svg+xml", include_str!("assets/icon.svg")))
        .route(
            "/api/openapi.json",
            asset("application/json", include_str!("../../../docs/explorer.openapi.json")),
        )
        .route(CHECK_ADDRESS, post(check))
        .route("/api/templates", get(templates))
        .route("/api/games", get(games))
        .route("/api/games/{id}", get(game))
        .route("/api/games/{id}/rules", get(rules))
        .route("/api/games/{id}/position", get(position))
        .route("/api/games/{id}/values", get(values))
        .route("/api/games/{id}/lookup", get(lookup))
        .route("/api/games/{id}/reply", get(reply))
        .route("/api/games/{id}/review", get(review))
        .route("/api/games/{id}/certificate", get(certificate))
        .fallback(|| async { Refusal::missing("there is nothing at this address") })
        .with_state(Arc::new(served))
        .layer(from_fn_with_state(port, guard::guard))
}

/// The style of reports, for the pictures, and that of the page.
async fn style() -> impl IntoResponse {
    let style = [page::STYLE, page::BOARD_STYLE, include_str!("assets/page.css")].join("\n");
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style)
}

async fn games(State(served): State<Arc<Served>>) -> axum::Json<Json> {
    axum::Json(json!({ "games": served.catalogue.games() }))
}

async fn templates() -> axum::Json<Json> {
    axum::Json(json!({ "templates": templates::templates() }))
}

async fn rules(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let game = served.find(&id)?;
    let text = run(&served.positions, limits::CancelToken::cancel, move |_| game.text()).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

async fn game(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
) -> Result<axum::Json<Json>, Refusal> {
    Ok(axum::Json(json!(served.find(&id)?)))
}

/// Checks the text of the editor. Its game, if it is sound, has positions and values as the others have.
async fn check(State(served): State<Arc<Served>>, body: Body) -> Result<axum::Json<Json>, Refusal> {
    let busy = || Refusal::unavailable("too many texts are being checked");
    let _waiting = Arc::clone(&served.texts).try_acquire_owned().map_err(|_| busy())?;
    let late = || Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time");
    let body = tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_BODY_BYTES)).await.map_err(|_| late())?;
    let request = CheckRequest::parse(&body.map_err(|why| Refusal::bad(why.to_string()))?)?;
    let work = move |cancel: &limits::CancelToken| check::check(&request, cancel);
    let (answer, game) = run(&served.checks, limits::CancelToken::cancel, work).await?;
    game.into_iter().for_each(|game| served.drafts.hold(game));
    Ok(axum::Json(answer))
}

async fn position(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<axum::Json<Json>, Refusal> {
    let request = served.request(&id, query.as_deref())?;
    run(&served.positions, limits::CancelToken::cancel, move |_| {
        describe(&request.game.id, &request.session()?, &request.query)
    })
    .await
    .map(axum::Json)
}

async fn lookup(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<axum::Json<Json>, Refusal> {
    let request = served.request(&id, query.as_deref())?;
    let table = request.table.clone().ok_or_else(|| Refusal::missing("no table of this game is served"))?;
    run(&served.positions, limits::CancelToken::cancel, move |_| table.lookup(&request.session()?))
        .await
        .map(axum::Json)
}

async fn reply(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<axum::Json<Json>, Refusal> {
    let request = served.request(&id, query.as_deref())?;
    let work = move |cancel: &limits::CancelToken| {
        reply::reply(request.session()?, &request.query, request.table.as_ref(), cancel)
    };
    run(&served.solutions, limits::CancelToken::cancel, work).await.map(axum::Json)
}

async fn review(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<axum::Json<Json>, Refusal> {
    let request = served.request(&id, query.as_deref())?;
    let work = move |cancel: &limits::CancelToken| {
        reply::review(&request.session()?, request.table.as_ref(), cancel)
    };
    run(&served.solutions, limits::CancelToken::cancel, work).await.map(axum::Json)
}

async fn certificate(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let (game, query) = (served.find(&id)?, PositionQuery::parse(query.as_deref())?);
    let work = move |cancel: &CancelToken| answers::certificate(&game, &query, cancel);
    let text = run(&served.solutions, CancelToken::cancel, work).await?;
    let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8");
    Ok(([kind, (header::CONTENT_DISPOSITION, "attachment; filename=\"game.cert\"")], text).into_response())
}

async fn values(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let (game, query) = (served.find(&id)?, PositionQuery::parse(query.as_deref())?);
    let busy = || Refusal::unavailable("too many values are being computed");
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
    let stream =
        ValueStream { events, _cancel: CancelOnDrop(Box::new(move || cancel.cancel())), _permit: stream };
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

/// Runs work on a thread for blocking work once there is a permit. A client that leaves cancels its token.
async fn run<C: Clone + Default + Send + 'static, T: Send + 'static>(
    permits: &Arc<Semaphore>,
    cancel: fn(&C),
    work: impl FnOnce(&C) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let permit = permit(permits).await?;
    let token = C::default();
    let held = token.clone();
    let guard = CancelOnDrop(Box::new(move || cancel(&held)));
    let work = spawn_blocking(move || {
        let answer = work(&token);
        drop(permit);
        answer
    });
    let answer = work.await.map_err(|_| internal())?;
    drop(guard);
    answer
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
    _cancel: CancelOnDrop,
    _permit: OwnedSemaphorePermit,
}

impl Stream for ValueStream {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context)
    }
}

/// A token that cancels work when the handler that waits for it is dropped, as is when its client leaves.
struct CancelOnDrop(Box<dyn Fn() + Send>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        (self.0)();
    }
}
