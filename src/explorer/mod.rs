//! The explorer of games: answers in JSON about games, their positions and values, and about texts from the editor.
//!
//! `bouton serve` gives the answers over HTTP, and the playground in the browser as a module of WebAssembly. Both call
//! [`Explorer::task`] with the address of a request, then [`Explorer::run`]. `docs/explorer.md` has the addresses.
//!
//! *Invariants:* nothing here knows HTTP, threads or the page. Of files only those of the catalogue are read; a text
//! from the editor comes from a stranger, and nothing of it is looked up in files.

use std::sync::Arc;

use serde_json::{Value as Json, json};

pub mod catalogue;
pub mod check;
mod drafts;
mod position;
mod query;
pub mod refusal;
mod reply;
mod solutions;
pub mod table;
pub mod templates;

use crate::CancelToken;
use bouton_base::clock::Instant;
use bouton_base::limits::Limits;
use bouton_driver::play::Session;
use catalogue::{Catalogue, CatalogueEntry};
use check::CheckRequest;
use drafts::Drafts;
use position::POSITION_TIME;
use query::PositionQuery;
use refusal::Refusal;
use table::ServedTable;

/// The maximal number of bytes that a solution, or the engine, may hold. A module of WebAssembly has 32-bit addresses.
pub const SOLVE_BYTES: u64 = if cfg!(target_family = "wasm") { 512 << 20 } else { 1 << 30 };

/// The games that are explored, and those of texts that were checked lately.
#[derive(Debug)]
pub struct Explorer {
    catalogue: Catalogue,
    drafts: Drafts,
    table: Option<Arc<ServedTable>>,
}

/// A request that was read.
#[derive(Debug)]
pub enum Task {
    /// The list of all games.
    Games,
    /// The templates of the editor.
    Templates,
    /// A game of the list.
    Game(CatalogueEntry),
    /// The rules of a game as text.
    Rules(CatalogueEntry),
    /// The diagnostics of a text.
    Check(CheckRequest),
    /// A question about a position.
    About(PositionTask, Box<PositionRequest>),
}

/// A question about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionTask {
    /// Its description.
    Describe,
    /// Its value in a table.
    Lookup,
    /// The engine's move.
    Reply,
    /// The mistakes of the play that leads to it.
    Review,
    /// The certificate of its value.
    Certificate,
    /// The values of its moves, as events.
    Values,
}

/// The cost of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// No work.
    None,
    /// The work of reading a game and making some moves.
    Position,
    /// The check of a text.
    Check,
    /// The work of a solver.
    Solution,
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    Json(Json),
    /// Rules.
    Text(String),
    /// A certificate, to be saved as a file.
    Certificate(String),
    /// All events were sent.
    Events,
}

/// An event of a task that reports as it goes on.
#[derive(Debug)]
pub struct Event {
    pub name: &'static str,
    pub data: Json,
    /// True for the solution or the failure, with which the events end.
    pub is_last: bool,
}

/// A receiver of events, which are sent from any thread.
pub type EventReceiver = dyn Fn(Event) + Send + Sync;

/// A game with a query about one of its positions.
#[derive(Debug)]
pub struct PositionRequest {
    game: CatalogueEntry,
    query: PositionQuery,
    /// The table of the game, if one is served.
    table: Option<Arc<ServedTable>>,
}

impl PositionRequest {
    /// The play that leads to the position.
    fn session(&self, cancel: &CancelToken) -> Result<Session, Refusal> {
        let limits = Limits {
            deadline: Some(Instant::now() + POSITION_TIME),
            memory_bytes: Some(SOLVE_BYTES),
            cancel: cancel.0.clone(),
            ..Limits::default()
        };
        position::play(&self.game, &self.query, self.table.as_ref(), &limits)
    }
}

impl Task {
    /// The cost of the task.
    pub fn cost(&self) -> Cost {
        match self {
            Task::Games | Task::Templates | Task::Game(_) => Cost::None,
            Task::Rules(_) | Task::About(PositionTask::Describe | PositionTask::Lookup, _) => Cost::Position,
            Task::Check(_) => Cost::Check,
            Task::About(_, _) => Cost::Solution,
        }
    }
}

impl Explorer {
    /// An explorer of these games, with the table of one of them.
    pub fn new(catalogue: Catalogue, table: Option<ServedTable>) -> Explorer {
        Explorer { catalogue, drafts: Drafts::default(), table: table.map(Arc::new) }
    }

    /// Reads a request: its path below `/api/`, decoded, its query, and its body for a check.
    pub fn task(&self, path: &str, query: Option<&str>, body: &[u8]) -> Result<Task, Refusal> {
        let nothing = || Refusal::missing("there is nothing at this address");
        let parts: Vec<&str> = path.split('/').collect();
        let (id, about) = match parts[..] {
            ["games"] => return Ok(Task::Games),
            ["templates"] => return Ok(Task::Templates),
            ["check"] => return CheckRequest::parse(body).map(Task::Check),
            ["games", id] => return self.find(id).map(Task::Game),
            ["games", id, "rules"] => return self.find(id).map(Task::Rules),
            ["games", id, "position"] => (id, PositionTask::Describe),
            ["games", id, "lookup"] => (id, PositionTask::Lookup),
            ["games", id, "reply"] => (id, PositionTask::Reply),
            ["games", id, "review"] => (id, PositionTask::Review),
            ["games", id, "certificate"] => (id, PositionTask::Certificate),
            ["games", id, "values"] => (id, PositionTask::Values),
            _ => return Err(nothing()),
        };
        let (game, query) = (self.find(id)?, PositionQuery::parse(query)?);
        let table = self.table.as_ref().filter(|table| table.id == id).map(Arc::clone);
        Ok(Task::About(about, Box::new(PositionRequest { game, query, table })))
    }

    /// Fulfils a request until it is cancelled. The values of a position are sent as events.
    pub fn run(
        &self,
        task: &Task,
        cancel: &CancelToken,
        events: &Arc<EventReceiver>,
    ) -> Result<Answer, Refusal> {
        Ok(Answer::Json(match task {
            Task::Games => json!({ "games": self.catalogue.games() }),
            Task::Templates => json!({ "templates": templates::templates() }),
            Task::Game(game) => json!(game),
            Task::Rules(game) => return game.text().map(Answer::Text),
            Task::Check(request) => {
                let (answer, game) = check::check(request, &cancel.0)?;
                game.into_iter().for_each(|game| self.drafts.hold(game));
                answer
            }
            Task::About(about, request) => return request.run(*about, cancel, events),
        }))
    }

    fn find(&self, id: &str) -> Result<CatalogueEntry, Refusal> {
        if Drafts::is_draft(id) {
            let found = self.drafts.find(id);
            return found.ok_or_else(|| Refusal::missing("these rules are no longer held: check them again"));
        }
        let found = self.catalogue.find(id).cloned();
        found.ok_or_else(|| Refusal::missing(format!("there is no game `{id}`")))
    }
}

impl PositionRequest {
    fn run(
        &self,
        about: PositionTask,
        cancel: &CancelToken,
        events: &Arc<EventReceiver>,
    ) -> Result<Answer, Refusal> {
        let PositionRequest { game, query, table } = self;
        Ok(Answer::Json(match about {
            PositionTask::Describe => position::describe(&game.id, &self.session(cancel)?, query)?,
            PositionTask::Lookup => {
                let table = table.as_ref();
                let table = table.ok_or_else(|| Refusal::missing("no table of this game is served"))?;
                table.lookup(&self.session(cancel)?)?
            }
            PositionTask::Reply => reply::reply(self.session(cancel)?, query, table.as_ref(), &cancel.0)?,
            PositionTask::Review => reply::review(&self.session(cancel)?, table.as_ref(), &cancel.0)?,
            PositionTask::Certificate => {
                return solutions::certificate(game, query, cancel).map(Answer::Certificate);
            }
            PositionTask::Values => {
                solutions::solve(game, query, cancel, events);
                return Ok(Answer::Events);
            }
        }))
    }
}
