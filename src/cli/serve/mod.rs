//! `bouton serve [PATH]`: an explorer of games in the browser, and the same data for programs.
//!
//! The server listens on the loopback address alone. Handlers run on the threads of tokio; reading rules and solving
//! runs on threads for blocking work, whose number is limited.

use std::net::Ipv4Addr;

use clap::Args;
use tokio::net::TcpListener;

use super::Global;
use super::common::{budget, load, open_table, refusal};
use super::exit::{CommandError, Exit};
use super::games::read_catalogue;
use super::terminal::Console;
use bouton::explorer::catalogue::{Catalogue, RulesText};
use bouton::explorer::table::ServedTable;
use bouton_driver::budget::Budget;
use bouton_report::words::count_with_noun;

mod guard;
mod router;

/// Explore games in the browser: every position with its moves and their values
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton serve games              then open the printed address\n  bouton serve hex.bou --port 0   any free port\n\nThe server listens on this machine alone, and stops by Ctrl-C. The address of a position is that of the page;\n/api/games, /api/games/ID and /api/games/ID/position?p=MOVE give the same as JSON."
)]
pub struct ServeArgs {
    /// A file, or a folder with .bou and .kif files
    #[arg(default_value = ".")]
    path: String,
    /// The port; 0: any free one
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Serve the values of the table that `solve --strong --table FILE` stored for the file
    #[arg(long, value_name = "FILE")]
    table: Option<String>,
}

/// The default port.
const DEFAULT_PORT: u16 = 7007;
/// The stack of threads that read rules, which may be deeply nested. Only the used part takes memory.
const STACK_BYTES: usize = 512 << 20;
/// The maximal number of threads for blocking work, the streams' waiting ones included.
const MAX_BLOCKING_THREADS: usize = 32;

/// Serves until the process is interrupted.
pub fn run(args: &ServeArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    // Ctrl-C ends the process by the same handler as that of the other commands.
    let budget = budget(global, terminal)?;
    let stop = budget.stop.clone();
    let mut catalogue = read_catalogue(&args.path)?;
    let table = match &args.table {
        Some(path) => Some(read_table(path, &mut catalogue, global, &budget)?),
        None => None,
    };
    let count = catalogue.games().len();
    let failed = |what: &str, why: std::io::Error| CommandError::Usage(format!("{what}: {why}"));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).max_blocking_threads(MAX_BLOCKING_THREADS).thread_stack_size(STACK_BYTES);
    let runtime = runtime.enable_all().build();
    let runtime = runtime.map_err(|why| failed("the server cannot start", why))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
        let listener = listener.map_err(|why| failed(&format!("port {} cannot be used", args.port), why))?;
        let port = listener.local_addr().map_err(|why| failed("the port is not known", why))?.port();
        let games = count_with_noun(count as u64, "game", "games");
        terminal.line(&format!("{games} at http://127.0.0.1:{port}/"));
        let interrupted = async move {
            while !stop.is_cancelled() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        tokio::select! {
            ended = axum::serve(listener, router::router(catalogue, table, port)) => {
                ended.map_err(|why| failed("the server has ended", why))
            }
            () = interrupted => Ok(()),
        }
    });
    // Work behind hears of it by its token, and the process does not wait for it.
    runtime.shutdown_background();
    served.map(|()| Exit::Done)
}

/// Reads the table of the only game of a catalogue, with the settings of the command line.
fn read_table(
    path: &str,
    catalogue: &mut Catalogue,
    global: &Global,
    budget: &Budget,
) -> Result<ServedTable, CommandError> {
    let [game] = catalogue.games() else {
        return Err(CommandError::Usage("--table belongs to one game: name its file, not a folder".into()));
    };
    let RulesText::File(file) = &game.rules else {
        return Err(CommandError::Usage("--table belongs to a file".into()));
    };
    let (id, file) = (game.id.clone(), file.display().to_string());
    let limits = budget.limits(None);
    let mut source = load(&file, global, &limits)?;
    let table = open_table(&mut source, Some(path))?;
    source.set_backend(budget, None);
    let game = source.game(None).map_err(|refused| refusal(&mut source, refused))?;
    let Some((table, _)) = table else { return Err(CommandError::Usage(format!("{path} is no table"))) };
    catalogue.note_table(&id);
    ServedTable::read(&id, game, &table, &limits).map_err(CommandError::usage)
}

/// The time between two looks at the token that Ctrl-C sets.
const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(50);
