//! `bouton ggp-player`: a player of matches by the protocol of general game playing, over HTTP.
//!
//! The player listens on the loopback address alone. A message is the body of a POST, or the address of a GET.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bouton_driver::ggp::MatchPlayer;
use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Global;
use super::common::budget;
use super::exit::{CommandError, Exit};
use super::terminal::Console;

/// Play matches of general game playing: a player that a game manager calls over HTTP
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  bouton ggp-player --port 9147\n\nThe player listens on this machine alone, and stops by Ctrl-C. It takes part in one match at a time, and writes on\nstandard error how it found each move (-q: nothing)."
)]
pub struct GgpPlayerArgs {
    /// The port; 0: any free one
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// The name that the player tells the game manager: letters, digits, `-` and `_`
    #[arg(long, value_name = "NAME", default_value = "bouton")]
    name: String,
}

/// The default port, which game managers expect.
const DEFAULT_PORT: u16 = 9147;
/// The maximal number of bytes of a message: that of a sheet, and some more.
const MAX_BYTES: usize = 17 << 20;
/// The maximal number of messages that are answered at once.
const MAX_MESSAGES: usize = 8;
/// The time in which a message must have arrived.
const MAX_ARRIVAL: Duration = Duration::from_secs(10);
/// The time between two looks at the token that Ctrl-C sets.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The state of the server.
struct Server {
    player: MatchPlayer,
    messages: Arc<Semaphore>,
}

/// Plays until the process is interrupted.
pub fn run(args: &GgpPlayerArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if args.name.is_empty() || !args.name.chars().all(is_plain) {
        return Err(CommandError::Usage("--name: use letters, digits, `-` and `_`".into()));
    }
    let budget = budget(global, terminal)?;
    let stop = budget.stop.clone();
    let quiet = global.quiet;
    let log = Arc::new(move |line: &str| {
        if !quiet {
            eprintln!("{line}");
        }
    });
    let player = MatchPlayer::new(&args.name, budget, log);
    let served = Arc::new(Server { player, messages: Arc::new(Semaphore::new(MAX_MESSAGES)) });
    let failed = |what: &str, why: std::io::Error| CommandError::Usage(format!("{what}: {why}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| failed("the player cannot start", why))?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
        let listener = listener.map_err(|why| failed(&format!("port {} cannot be used", args.port), why))?;
        let port = listener.local_addr().map_err(|why| failed("the port is not known", why))?.port();
        terminal.line(&format!("the player {} waits for matches at http://127.0.0.1:{port}/", args.name));
        let router = Router::new().fallback(answer).with_state(served);
        let interrupted = async move {
            while !stop.is_cancelled() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        tokio::select! {
            ended = axum::serve(listener, router) => ended.map_err(|why| failed("the player has ended", why)),
            () = interrupted => Ok(()),
        }
    });
    // Work behind has deadlines of its own, and the process does not wait for it.
    runtime.shutdown_background();
    ended.map(|()| Exit::Done)
}

/// Answers a request.
async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let received = Instant::now();
    if is_of_other_site(request.headers()) {
        return refusal(StatusCode::FORBIDDEN, "requests from other sites are refused");
    }
    let message = match *request.method() {
        Method::OPTIONS => return StatusCode::OK.into_response(),
        Method::GET => decoded(request.uri().path()),
        Method::POST if length(request.headers()) > MAX_BYTES as u64 => {
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long");
        }
        Method::POST => {
            let body = timeout(MAX_ARRIVAL, to_bytes(request.into_body(), MAX_BYTES)).await;
            match body.map(|body| body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())) {
                Ok(Ok(text)) => text,
                Ok(Err(_)) => return refusal(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long"),
                Err(_) => return refusal(StatusCode::REQUEST_TIMEOUT, "the message did not arrive in time"),
            }
        }
        _ => return refusal(StatusCode::METHOD_NOT_ALLOWED, "a message is the body of a POST"),
    };
    let Ok(permit) = Arc::clone(&server.messages).try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "busy");
    };
    let answered = spawn_blocking(move || {
        let answered = server.player.answer(&message, received);
        drop(permit);
        answered
    });
    match answered.await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, "text/acl")], text).into_response(),
        Ok(Err(why)) => refusal(StatusCode::BAD_REQUEST, &why.to_string()),
        Err(_) => {
            refusal(StatusCode::INTERNAL_SERVER_ERROR, "bouton has a bug; its standard error has the place")
        }
    }
}

fn refusal(status: StatusCode, why: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain")], why.to_owned()).into_response()
}

/// The length of a message by its header; 0 if there is none.
fn length(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    length.and_then(|length| length.parse().ok()).unwrap_or(0)
}

/// Returns true if a page of a site that is not on this machine sends the request.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
    let host = host.map(|host| host.split(':').next().unwrap_or_default());
    !matches!(host, Some("127.0.0.1" | "localhost"))
}

/// The message in the address of a GET.
fn decoded(path: &str) -> String {
    let text = path.trim_start_matches('/');
    let parts = form_urlencoded::parse(text.as_bytes());
    let parts = parts.map(|(name, value)| match value.is_empty() {
        true => name.into_owned(),
        false => format!("{name}={value}"),
    });
    parts.collect::<Vec<_>>().join("&")
}
