//! Code that several commands share: reading a file, the flags of a position, the limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use super::exit::CommandError;
use super::terminal::Console;
use super::{Backend, Global};
use bouton_base::limits::{self, LimitHit, Limits};
use bouton_circuit::opt::PASSES;
use bouton_driver::budget::{Budget, half_of_memory, parse_memory, parse_time};
use bouton_driver::faults;
use bouton_driver::load::{DriverError, GameSource, LoadRequest};
use bouton_driver::position::{StartPosition, resolve_start};
use bouton_driver::table_file::TableFile;
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{self, Game, State};

/// Parses the number of a flag.
pub fn whole_number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| {
        let is_number = word.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) && word != "-";
        match is_number && !word.is_empty() {
            true => "this number is out of range".to_owned(),
            false => "a whole number is needed, in digits".to_owned(),
        }
    })
}

/// True while a file is being read.
static READING: AtomicBool = AtomicBool::new(false);
/// The time that an interrupted read has to end by itself.
const READ_GRACE: Duration = Duration::from_millis(500);

/// The time and memory that reading a file, and compiling its game, may take whatever the limits: a small file
/// succeeds, so that the answer has its usual form. Both steps together end within a second of the limit.
const READ_TIME: Duration = Duration::from_millis(400);
const READ_MEMORY: u64 = 64 << 20;

/// The limits for reading a file and compiling its game.
fn for_reading(limits: &Limits) -> Limits {
    let soonest = Instant::now() + READ_TIME;
    Limits {
        deadline: limits.deadline.map(|deadline| deadline.max(soonest)),
        memory_bytes: limits.memory_bytes.map(|bytes| bytes.max(READ_MEMORY)),
        ..limits.clone()
    }
}

/// The flags that select a position.
#[derive(Args, Clone, Debug, Default)]
pub struct PositionArgs {
    /// The position: a test's name, effects such as `at[a1] := X;`, or @FILE holding them
    #[arg(long, value_name = "P")]
    pub position: Option<String>,
    /// Moves to make first, in the game's notation
    #[arg(long, value_name = "\"M M M\"")]
    pub moves: Option<String>,
}

/// Reads a file with the settings of the command line; its rules are analysed within the same limits.
pub fn load(path: &str, global: &Global, limits: &Limits) -> Result<GameSource, CommandError> {
    let request = LoadRequest { path, settings: &global.set, preset: global.preset.as_deref() };
    READING.store(true, Ordering::Relaxed);
    let read = GameSource::read_within(&request, &for_reading(limits));
    READING.store(false, Ordering::Relaxed);
    let read = read.map_err(|hit| {
        let more = if hit == LimitHit::Time { "; give it more with `--time`" } else { "" };
        CommandError::LimitReached(format!("{path} was not read: {hit}{more}"))
    })?;
    let mut text = read.map_err(CommandError::usage)?;
    text.skipped_passes = global.skip_pass.clone();
    Ok(text)
}

/// The game with the position that the flags select.
pub fn begin(
    text: &mut GameSource,
    at: &PositionArgs,
    budget: &Budget,
    terminal: &Console,
) -> Result<StartPosition, CommandError> {
    text.backend = budget.backend;
    text.limits = for_reading(&budget.command_limits(None));
    let begin = resolve_start(text, at.position.as_deref(), at.moves.as_deref(), &text.limits.clone())
        .map_err(|refused| refusal(text, refused))?;
    terminal.runs_on(&text.runs_on(&begin.game));
    if budget.stop.is_cancelled() {
        return Err(CommandError::LimitReached(format!(
            "the command did not start: {}",
            LimitHit::Interrupted
        )));
    }
    Ok(begin)
}

/// Opens a table file. If its table is of a universe, adds the invariant with which it was made to the rules.
pub fn open_table<'p>(
    text: &mut GameSource,
    path: Option<&'p str>,
) -> Result<Option<(TableFile, &'p str)>, CommandError> {
    let Some(path) = path else { return Ok(None) };
    let table = TableFile::new(path).map_err(CommandError::usage)?;
    if let Some(words) = table.universe() {
        text.add_invariant("--table", words).map_err(|refused| refusal(text, refused))?;
    }
    Ok(Some((table, path)))
}

/// The result of a command whose file cannot be used.
pub fn refusal(text: &mut GameSource, refused: DriverError) -> CommandError {
    match refused {
        DriverError::Usage(why) => CommandError::Usage(why),
        DriverError::Errors(found) => {
            CommandError::SourceErrors(Box::new(std::mem::take(&mut text.sources)), found)
        }
        DriverError::RulesFault(found) => {
            CommandError::RulesFault(Box::new(std::mem::take(&mut text.sources)), found)
        }
        DriverError::Limit(why) => CommandError::LimitReached(why),
    }
}

/// The result of a command whose search reached a position without meaning.
pub fn position_fault(
    text: &mut GameSource,
    game: &Game,
    from: &State,
    met: &FaultyPosition,
) -> CommandError {
    let found = faults::rules_fault_diagnostic(text, game, from, met);
    refusal(text, DriverError::RulesFault(Box::new(found)))
}

/// The time within which two signals count as one: programs such as `timeout` signal a process and its group at once.
const ONE_SIGNAL: Duration = Duration::from_millis(200);

/// The limits of the flags. An interruption cancels the work, a second one ends the process.
pub fn budget(global: &Global, terminal: &Console) -> Result<Budget, CommandError> {
    let time = global
        .time
        .as_deref()
        .map(parse_time)
        .transpose()
        .map_err(|e| CommandError::Usage(format!("--time: {e}")))?;
    let memory = match &global.memory {
        Some(text) => Some(parse_memory(text).map_err(|e| CommandError::Usage(format!("--memory: {e}")))?),
        None => half_of_memory(),
    };
    let begun = Some(Instant::now());
    let stop = limits::CancelToken::default();
    let asked = stop.clone();
    let mut first: Option<Instant> = None;
    let handler = move || {
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_SIGNAL {
            std::process::exit(4);
        }
        asked.cancel();
        // A read that waits for its bytes does not notice the cancel token.
        std::thread::spawn(|| {
            std::thread::sleep(READ_GRACE);
            if READING.load(Ordering::Relaxed) {
                eprintln!("error: the file was not read: {}", LimitHit::Interrupted);
                std::process::exit(4);
            }
        });
    };
    // Without a handler an interruption still ends the process, but without giving bounds.
    if ctrlc::set_handler(handler).is_err() {
        terminal.detail("an interruption will end the process at once");
    }
    let backend = match global.backend {
        Backend::Jit => game::Backend::Jit,
        Backend::Interp => game::Backend::Interp,
        Backend::Reference => game::Backend::Reference,
    };
    let default_memory = global.memory.is_none();
    Ok(Budget { time, started: begun, memory, default_memory, stop, backend })
}

/// The maximal number of threads: each has a stack of its own.
const MAX_THREADS: usize = 256;

/// Checks the names of skipped passes and sets the number of threads.
pub fn prepare(global: &Global, terminal: &Console) -> Result<(), CommandError> {
    if global.threads == Some(0) {
        return Err(CommandError::Usage("--threads: at least one thread is needed".into()));
    }
    if let Some(many) = global.threads.filter(|threads| *threads > MAX_THREADS) {
        return Err(CommandError::Usage(format!(
            "--threads: {many} threads are too many; at most {MAX_THREADS}"
        )));
    }
    let is_pass = |name: &str| PASSES.iter().any(|pass| pass.is_named(name));
    if let Some(unknown) = global.skip_pass.iter().find(|name| !is_pass(name)) {
        let known = PASSES.iter().map(|pass| pass.name).collect::<Vec<_>>().join(", ");
        return Err(CommandError::Usage(format!(
            "--skip-pass: there is no pass `{unknown}`; the passes are {known}"
        )));
    }
    // Workers evaluate deeply nested rules as well.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(global.threads.unwrap_or(0)).stack_size(64 << 20);
    if let Err(error) = pool.build_global() {
        terminal.detail(&format!("the threads could not be set up: {error}"));
    }
    Ok(())
}
