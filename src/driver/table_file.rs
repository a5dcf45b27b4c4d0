//! Table files: `solve --table` writes and resumes them, `play --table` and `report --table` query them.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::PathBuf;
use std::time::Duration;

use super::files::{self, FileError};
use super::load::DriverError;
use bouton_base::clock::Instant;
use bouton_base::limits::{Limits, Progress};
use bouton_certificates::Digest;
use bouton_circuit::Circuit;
use bouton_report::words::group_digits;
use bouton_search::game::{CompiledMachine, Game, State};
use bouton_search::solve::strong::table_file::{
    ByteError, ByteSink, CheckpointStore, Checkpointing, LoadedTable, TableIdentity, read,
};
use bouton_search::solve::strong::{self, PositionSet, StrongRequest, StrongSolution};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Status};

/// The minimal interval between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(20);
/// The minimal ratio of other work to the duration of writing a checkpoint: a set that grows as fast as it can be
/// written and read again is not worth saving before it is complete.
const MIN_WORK_RATIO: f64 = 5.0;
/// The assumed seconds per byte of writing a checkpoint, until one has been measured.
const INITIAL_SECONDS_PER_BYTE: f64 = 1e-8;

/// The reason why a table file cannot be used: a sentence.
#[derive(Debug, thiserror::Error)]
pub enum StoredTableError {
    #[error("a table needs compiled rules, and these are not compiled")]
    NotCompiled,
    #[error("the compiled rules cannot hold this position")]
    Position,
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no file at this path.
    #[error("{0} cannot be read: there is no such file")]
    Missing(String),
    /// The file with this path begins otherwise than a table.
    #[error("{0} is not a table")]
    NoTable(String),
    /// The table is damaged, of other rules or positions, or too large, or the rules have no tables.
    #[error("{path} is not used: {reason}")]
    Refused { path: String, reason: String },
}

impl From<StoredTableError> for DriverError {
    fn from(why: StoredTableError) -> DriverError {
        DriverError::Usage(why.to_string())
    }
}

/// The file of a table, with the positions that the table is to hold.
#[derive(Clone, Copy, Debug)]
pub struct TableTarget<'a> {
    pub path: &'a str,
    /// The description of a universe; `None` for the positions reachable from the one to solve.
    pub universe: Option<&'a str>,
}

/// Solves positions with their table in a file: resumes an unfinished table, and only reads a finished one.
pub fn solve(request: SolveRequest<'_>, target: TableTarget<'_>) -> Result<Solution, StoredTableError> {
    let SolveRequest { game, state, options, limits, progress } = request;
    let TableTarget { path, universe } = target;
    let machine = game.compiled().ok_or(StoredTableError::NotCompiled)?;
    let (of, words) = match universe {
        Some(universe) => (PositionSet::Universe, format!("universe {universe}")),
        None => (PositionSet::Position(state), position(machine, state)?),
    };
    let circuit = machine.runner().circuit();
    let identity = TableIdentity::new(Digest::of_rules(&game.rules), words, circuit);
    files::resolve_regular(path.as_ref())?;
    let known = match open(path)? {
        Some(file) => Some(known(path, file, &identity, circuit, limits)?),
        None => {
            files::can_create(path.as_ref())?;
            None
        }
    };
    let mut keeper = FileCheckpoint {
        path: path.into(),
        last: Instant::now(),
        table_bytes: 0,
        seconds_per_byte: INITIAL_SECONDS_PER_BYTE,
        failed: None,
    };
    let kept = Checkpointing { identity, loaded: known, store: &mut keeper };
    let request = StrongRequest { positions: of, symmetry: options.symmetry };
    let solved = strong::check_applicable(game, options)
        .and_then(|()| StrongSolution::of(game, request, Some(kept), limits, progress));
    let solution = strong::position_solution(solved, game, state, options);
    keeper.failed.map_or(Ok(solution), |error| Err(error.into()))
}

/// The description of a position in a table's header: its control and its packed words.
fn position(machine: &CompiledMachine, state: &State) -> Result<String, StoredTableError> {
    let at = machine.position(state).ok_or(StoredTableError::Position)?;
    let words: Vec<String> = at.words.iter().map(|word| format!("{word:x}")).collect();
    Ok(format!("position {} {}", at.control.0, words.join(" ")))
}

/// Opens the file; returns `None` if it does not exist.
fn open(path: &str) -> Result<Option<BufReader<File>>, FileError> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::Read { path: path.to_owned(), source }),
        Ok(file) => Ok(Some(BufReader::new(file))),
    }
}

/// Reads the table that the file holds.
fn known(
    path: &str,
    mut file: BufReader<File>,
    identity: &TableIdentity,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<LoadedTable, StoredTableError> {
    let mut take = |to: &mut [u8]| {
        let mut given = 0;
        while given < to.len() {
            match file.read(&mut to[given..]) {
                Ok(0) => break,
                Ok(more) => given += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ByteError(files::describe_error(&error))),
            }
        }
        Ok(given)
    };
    read(&mut take, identity, circuit, limits)
        .map_err(|refused| StoredTableError::Refused { path: path.to_owned(), reason: refused.to_string() })
}

/// A table file that is only queried.
pub struct TableFile {
    path: String,
    /// The positions that it holds, as its header describes them.
    positions_name: String,
}

/// The number of leading bytes that contain the header of a table.
const MAX_HEADER_BYTES: u64 = 1 << 20;

impl TableFile {
    /// Opens a table by its path.
    pub fn new(path: &str) -> Result<TableFile, StoredTableError> {
        let file = open(path)?.ok_or_else(|| StoredTableError::Missing(path.to_owned()))?;
        let mut head = Vec::new();
        let read = file.take(MAX_HEADER_BYTES).read_to_end(&mut head);
        read.map_err(|source| FileError::Read { path: path.to_owned(), source })?;
        // The header follows the first line, its own length and its hash. Reading the whole table verifies all of them.
        let header = head.iter().position(|&byte| byte == b'\n').and_then(|end| {
            let length = head.get(end + 1..end + 9)?.try_into().ok()?;
            let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
            serde_json::from_slice(head.get(end + 41..)?.get(..length)?).ok()
        });
        let no_table = || StoredTableError::NoTable(path.to_owned());
        let header: serde_json::Value = header.ok_or_else(no_table)?;
        let of = header.get("of").and_then(|of| of.as_str()).ok_or_else(no_table)?;
        Ok(TableFile { path: path.into(), positions_name: of.into() })
    }

    /// The path of the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The description of the universe whose positions it holds; `None` if it holds those reachable from a position.
    pub fn universe(&self) -> Option<&str> {
        self.positions_name.strip_prefix("universe ")
    }

    /// The values that it holds for a game. An unfinished table is completed in memory.
    pub fn values(
        &self,
        game: &Game,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<StrongSolution, StoredTableError> {
        let start = game.machine.initial();
        let (mut keeper, options) = (NoCheckpoint, SolveOptions::default());
        if let Some(refused) = strong::not_applicable_reason(game, &options) {
            return Err(self.refused(&refused));
        }
        let kept = self.kept(game, &mut keeper, limits)?;
        let request = StrongRequest { positions: self.positions(&start), symmetry: options.symmetry };
        let values = StrongSolution::of(game, request, Some(kept), limits, progress);
        values.map_err(|why| self.refused(&why))
    }

    /// The solution of a position by the table.
    pub fn solution(
        &self,
        game: &Game,
        state: &State,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Solution, StoredTableError> {
        let mut keeper = NoCheckpoint;
        let kept = self.kept(game, &mut keeper, limits)?;
        let options = SolveOptions { strong: true, all_moves: true, ..SolveOptions::default() };
        let request = StrongRequest { positions: self.positions(state), symmetry: options.symmetry };
        let solved = strong::check_applicable(game, &options)
            .and_then(|()| StrongSolution::of(game, request, Some(kept), limits, progress));
        let solution = strong::position_solution(solved, game, state, &options);
        if solution.value.is_none() && solution.status == Status::Solved {
            let reason = format!("the position is not in the table {}", self.path);
            return Ok(Solution { status: Status::Unknown, reason: Some(reason), ..solution });
        }
        let why = format!(
            "the table {} has the values of {} positions",
            self.path,
            group_digits(solution.positions)
        );
        Ok(Solution { why, ..solution })
    }

    fn refused(&self, reason: &dyn Display) -> StoredTableError {
        StoredTableError::Refused { path: self.path.clone(), reason: reason.to_string() }
    }

    fn positions<'s>(&self, state: &'s State) -> PositionSet<'s> {
        if self.universe().is_some() { PositionSet::Universe } else { PositionSet::Position(state) }
    }

    fn kept<'k>(
        &self,
        game: &Game,
        keeper: &'k mut NoCheckpoint,
        limits: &Limits,
    ) -> Result<Checkpointing<'k>, StoredTableError> {
        let path = &self.path;
        let machine = game.compiled().ok_or(StoredTableError::NotCompiled)?;
        let circuit = machine.runner().circuit();
        let identity =
            TableIdentity::new(Digest::of_rules(&game.rules), self.positions_name.clone(), circuit);
        let file = open(path)?.ok_or_else(|| StoredTableError::Missing(path.clone()))?;
        let known = known(path, file, &identity, circuit, limits)?;
        Ok(Checkpointing { identity, loaded: Some(known), store: keeper })
    }
}

/// A checkpoint writer that writes nothing.
struct NoCheckpoint;

impl CheckpointStore for NoCheckpoint {
    fn is_due(&mut self, _held_bytes: u64) -> bool {
        false
    }

    fn keep(&mut self, _: &mut dyn FnMut(&mut ByteSink) -> Result<(), ByteError>) -> Result<(), ByteError> {
        Ok(())
    }
}

/// A checkpoint writer that writes a table to a path.
struct FileCheckpoint {
    path: PathBuf,
    last: Instant,
    /// The size of the table in bytes as last reported, and the measured seconds per byte of a checkpoint.
    table_bytes: u64,
    seconds_per_byte: f64,
    /// The reason why the table could not be written.
    failed: Option<FileError>,
}

impl CheckpointStore for FileCheckpoint {
    fn is_due(&mut self, held_bytes: u64) -> bool {
        self.table_bytes = held_bytes;
        let pause =
            CHECKPOINT_INTERVAL.as_secs_f64().max(MIN_WORK_RATIO * self.seconds_per_byte * held_bytes as f64);
        self.last.elapsed().as_secs_f64() >= pause
    }

    fn keep(
        &mut self,
        write: &mut dyn FnMut(&mut ByteSink) -> Result<(), ByteError>,
    ) -> Result<(), ByteError> {
        let begun = Instant::now();
        let kept = files::replace_with(&self.path, &mut |file| {
            write(&mut |bytes| {
                file.write_all(bytes).map_err(|error| ByteError(files::describe_error(&error)))
            })
            .map_err(std::io::Error::other)
        });
        self.last = Instant::now();
        if self.table_bytes > 0 {
            self.seconds_per_byte = (self.last - begun).as_secs_f64() / self.table_bytes as f64;
        }
        self.failed = kept.err();
        self.failed.as_ref().map_or(Ok(()), |error| Err(ByteError(error.to_string())))
    }
}
