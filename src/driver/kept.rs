//! Tables in files: `solve --table`.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::files;
use super::solve::Timed;
use crate::base::limits::{Limits, Progress};
use crate::cert::Digest;
use crate::circuit::Circuit;
use crate::game::{CompiledMachine, Game, State};
use crate::solve::Options;
use crate::solve::strong::kept::{Identity, Keeper, Kept, Known, Put, read};
use crate::solve::strong::{self, Of};

/// What is known is kept so often, at most.
const EVERY: Duration = Duration::from_secs(20);

/// Solves these positions and keeps the table in a file: goes on with it where it is not done, and only reads it where
/// it is. `universe` has the words of a universe. The error is a sentence.
pub fn solve(
    game: &Game,
    state: &State,
    (path, universe): (&str, Option<&str>),
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Timed, String> {
    let clock = Instant::now();
    let machine = game.compiled().ok_or("a table is made by compiled rules, and these are not compiled")?;
    let (of, words) = match universe {
        Some(universe) => (Of::Universe, format!("universe {universe}")),
        None => (Of::Position(state), position(machine, state)?),
    };
    let circuit = machine.runner().circuit();
    let identity = Identity::new(Digest::of_rules(&game.rules), words, circuit);
    let known = find(path, &identity, circuit, limits)?;
    let mut keeper = AtPath { path: path.into(), last: Instant::now() };
    let kept = Kept { identity, known, keeper: &mut keeper };
    let solution = strong::solve_kept(game, (state, of), options, Some(kept), limits, progress);
    Ok(Timed { solution, time: clock.elapsed() })
}

/// A position in words: its control and its bits.
fn position(machine: &CompiledMachine, state: &State) -> Result<String, String> {
    let at = machine.position(state).ok_or("the compiled rules cannot hold this position")?;
    let words: Vec<String> = at.words.iter().map(|word| format!("{word:x}")).collect();
    Ok(format!("position {} {}", at.control.0, words.join(" ")))
}

/// What was kept; none where there is no such file.
fn find(
    path: &str,
    identity: &Identity,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<Option<Known>, String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{path} cannot be read: {}", files::reason(&error))),
        Ok(file) => file,
    };
    let mut file = BufReader::new(file);
    let mut take = |to: &mut [u8]| {
        let mut given = 0;
        while given < to.len() {
            match file.read(&mut to[given..]) {
                Ok(0) => break,
                Ok(more) => given += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(files::reason(&error)),
            }
        }
        Ok(given)
    };
    let read = read(&mut take, identity, circuit, limits);
    read.map(Some).map_err(|refused| format!("{path} is not used: {refused}"))
}

/// Keeps a table at a path.
struct AtPath {
    path: PathBuf,
    last: Instant,
}

impl Keeper for AtPath {
    fn is_due(&mut self) -> bool {
        self.last.elapsed() >= EVERY
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut Put) -> Result<(), String>) -> Result<(), String> {
        let kept = files::replace_with(&self.path, &mut |file| {
            write(&mut |bytes| file.write_all(bytes).map_err(|error| files::reason(&error)))
                .map_err(std::io::Error::other)
        });
        self.last = Instant::now();
        kept
    }
}
