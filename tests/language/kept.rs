//! Checkpoints in files: a solve that is interrupted and resumed gives the same bytes, and a different table is
//! refused.

use std::sync::Mutex;

use rayon::ThreadPoolBuilder;
use serde_json::Value as Json;

use bouton_base::limits::{Limits, NoProgress, Progress};
use bouton_certificates::Digest;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::SymmetryMode;
use bouton_search::solve::strong::table_file::{
    ByteError, ByteSink, CheckpointStore, Checkpointing, LoadedTable, TableFileError, TableIdentity, read,
};
use bouton_search::solve::strong::{PositionSet, StrongError, StrongRequest, StrongSolution};

use super::{GameSource, game, set};

/// A checkpoint writer that stores in memory, and fails after a number of checkpoints.
#[derive(Default)]
struct MemoryCheckpoints {
    bytes: Vec<u8>,
    max_checkpoints: Option<u32>,
    checkpoints: u32,
    /// True to write only the mandatory checkpoints.
    mandatory_only: bool,
    /// The number of polls between two checkpoints.
    poll_interval: u32,
    polls: u32,
    /// The header of each checkpoint.
    headers: Vec<Json>,
}

impl CheckpointStore for MemoryCheckpoints {
    fn is_due(&mut self, _held_bytes: u64) -> bool {
        self.polls += 1;
        !self.mandatory_only && self.polls.is_multiple_of(self.poll_interval.max(1))
    }

    fn keep(
        &mut self,
        write: &mut dyn FnMut(&mut ByteSink) -> Result<(), ByteError>,
    ) -> Result<(), ByteError> {
        if self.max_checkpoints == Some(self.checkpoints) {
            return Err(ByteError("no room".into()));
        }
        self.bytes.clear();
        self.checkpoints += 1;
        write(&mut |bytes| {
            self.bytes.extend_from_slice(bytes);
            Ok(())
        })?;
        self.headers.push(header(&self.bytes));
        Ok(())
    }
}

/// Returns true if a table with this header is at this stage.
fn is_at(header: &Json, stage: &str) -> bool {
    header["stage"].get(stage).is_some()
}

/// Returns the header of a table, which follows the first line, its length and its hash.
fn header(bytes: &[u8]) -> Json {
    let first = bytes.iter().position(|&byte| byte == b'\n').expect("a first line") + 1;
    let length = u64::from_le_bytes(bytes[first..first + 8].try_into().expect("eight bytes"));
    serde_json::from_slice(&bytes[first + 40..][..length as usize]).expect("a header")
}

fn identity(game: &Game, of: &str) -> TableIdentity {
    let circuit = game.compiled().expect("machine code").runner().circuit();
    TableIdentity::new(Digest::of_rules(&game.rules), of.into(), circuit)
}

fn run(
    game: &Game,
    known: Option<LoadedTable>,
    keeper: &mut MemoryCheckpoints,
) -> Result<StrongSolution, StrongError> {
    run_within(&Limits::default(), &NoProgress, game, known, keeper)
}

fn run_within(
    limits: &Limits,
    progress: &dyn Progress,
    game: &Game,
    known: Option<LoadedTable>,
    keeper: &mut MemoryCheckpoints,
) -> Result<StrongSolution, StrongError> {
    let kept = Checkpointing { identity: identity(game, "start"), loaded: known, store: keeper };
    let start = game.machine.initial();
    let request = StrongRequest { positions: PositionSet::Position(&start), symmetry: SymmetryMode::Off };
    StrongSolution::of(game, request, Some(kept), limits, progress)
}

fn known(game: &Game, of: &str, bytes: &[u8]) -> Result<LoadedTable, TableFileError> {
    known_within(&Limits::default(), game, of, bytes)
}

fn known_within(
    limits: &Limits,
    game: &Game,
    of: &str,
    mut bytes: &[u8],
) -> Result<LoadedTable, TableFileError> {
    let circuit = game.compiled().expect("machine code").runner().circuit();
    let mut take = |to: &mut [u8]| {
        let (now, later) = bytes.split_at(bytes.len().min(to.len()));
        to[..now.len()].copy_from_slice(now);
        bytes = later;
        Ok(now.len())
    };
    read(&mut take, &identity(game, of), circuit, limits)
}

#[test]
fn what_is_broken_off_and_gone_on_with_gives_the_same_bytes() {
    for (name, settings) in [("tictactoe", &[][..]), ("dodgem", &[]), ("connect_four", &["cols=4", "rows=3"])]
    {
        let game = set(name, settings, Backend::Jit);
        let mut whole = MemoryCheckpoints::default();
        let tally = run(&game, None, &mut whole).expect("sound rules").tally;
        assert!(whole.checkpoints > 5, "{name}: {}", whole.checkpoints);
        for left in 0..whole.checkpoints {
            let mut broken =
                MemoryCheckpoints { max_checkpoints: Some(left), ..MemoryCheckpoints::default() };
            assert!(matches!(run(&game, None, &mut broken), Err(StrongError::Checkpoint(_))), "{name}");
            let kept = (left > 0).then(|| known(&game, "start", &broken.bytes).expect("a table"));
            let mut resumed = MemoryCheckpoints::default();
            let strong = run(&game, kept, &mut resumed).expect("sound rules");
            assert_eq!(strong.tally, tally, "{name} broken off after {left}");
            assert!(resumed.bytes == whole.bytes, "{name} broken off after {left}");
            let (times, rest) =
                (resumed.checkpoints, whole.checkpoints - left.saturating_sub(1) - u32::from(left > 0));
            // A run resumed in the middle of a ply batches other positions together.
            let gathering = left > 0 && is_at(&broken.headers[left as usize - 1], "gathering");
            assert!(times == rest || gathering && times < rest + 2, "{name}: {times} times after {left}");
        }
        // A complete table is only read.
        let mut read = MemoryCheckpoints::default();
        let strong = run(&game, Some(known(&game, "start", &whole.bytes).expect("a table")), &mut read);
        assert_eq!((strong.expect("a table").tally, read.checkpoints), (tally, 0), "{name}");
    }
}

/// The phases of a run, each with the number of positions visited.
#[derive(Default)]
struct PhaseLog(Mutex<Vec<(String, u64)>>);

impl Progress for PhaseLog {
    fn phase(&self, name: &str) {
        self.0.lock().expect("no panic").push((name.into(), 0));
    }

    fn positions(&self, positions: u64, _held_bytes: u64) {
        self.0.lock().expect("no panic").last_mut().expect("a phase").1 = positions;
    }
}

impl PhaseLog {
    fn had(&self, name: &str) -> bool {
        self.0.lock().expect("no panic").iter().any(|(phase, _)| phase == name)
    }

    /// Returns the number of positions visited during the enumeration.
    fn gathered(&self) -> u64 {
        let all = self.0.lock().expect("no panic");
        all.iter().find(|(phase, _)| phase == "enumerating positions").map_or(0, |(_, positions)| *positions)
    }
}

#[test]
fn without_room_for_the_moves_passes_find_the_same() {
    let game = set("dodgem", &[], Backend::Jit);
    let (mut whole, phases) = (MemoryCheckpoints::default(), PhaseLog::default());
    let strong = run_within(&Limits::default(), &phases, &game, None, &mut whole).expect("sound rules");
    assert!(phases.had("listing moves backwards") && phases.had("pass 7"));
    // A resumed enumeration continues even if no memory is left for anything else.
    let gathering = whole.headers.iter().take_while(|header| is_at(header, "gathering")).count() as u32;
    let mut gathered =
        MemoryCheckpoints { max_checkpoints: Some(gathering + 1), ..MemoryCheckpoints::default() };
    assert!(matches!(run(&game, None, &mut gathered), Err(StrongError::Checkpoint(_))));
    let known_so_far = known(&game, "start", &gathered.bytes).expect("a table");
    let few = Limits { memory_bytes: Some(1), ..Limits::default() };
    let (mut passes, phases) = (MemoryCheckpoints::default(), PhaseLog::default());
    let forwards = run_within(&few, &phases, &game, Some(known_so_far), &mut passes).expect("a table");
    assert!(!phases.had("listing moves backwards") && phases.had("pass 7"));
    assert_eq!(forwards.tally, strong.tally);
    assert!(forwards.held_bytes < strong.held_bytes);
    let kept = |bytes: &[u8]| format!("{:?}", known(&game, "start", bytes).expect("a table"));
    assert_eq!(kept(&passes.bytes), kept(&whole.bytes));
}

/// Solves in one go, then with an interruption after each checkpoint that makes progress. Returns the headers of the
/// checkpoints.
fn resume_repeatedly(game: &Game, of: PositionSet<'_>, by_keys: bool, pause: u32) -> Vec<Json> {
    let name = if matches!(of, PositionSet::Universe) { "universe" } else { "start" };
    let run = |threads: usize, known: Option<LoadedTable>, keeper: &mut MemoryCheckpoints| {
        let (limits, phases) = (Limits::default(), PhaseLog::default());
        let request = StrongRequest { positions: of, symmetry: SymmetryMode::Off };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let strong = pool.install(|| {
            let kept = Some(Checkpointing { identity: identity(game, name), loaded: known, store: keeper });
            let solve = if by_keys { StrongSolution::solve_hashed } else { StrongSolution::of };
            solve(game, request, kept, &limits, &phases)
        });
        (strong.map(|strong| strong.tally), phases.gathered())
    };
    let mut whole = MemoryCheckpoints { mandatory_only: true, ..MemoryCheckpoints::default() };
    let (tally, all) = run(2, None, &mut whole);
    let (mut headers, mut so_far) = (Vec::new(), None);
    loop {
        let mut broken = MemoryCheckpoints {
            max_checkpoints: Some(1),
            poll_interval: pause,
            ..MemoryCheckpoints::default()
        };
        let threads = 1 + headers.len() % 3;
        let (ended, gathered) = run(threads, so_far, &mut broken);
        let is_anew = headers.last().is_none_or(|last| is_at(last, "listing"));
        assert!(is_anew || gathered < all, "{gathered} of {all} after {headers:?}");
        headers.extend(broken.headers);
        assert!(headers.len() < 60, "it begins anew: {headers:?}");
        if let Err(StrongError::Checkpoint(_)) = ended {
            so_far = Some(known(game, name, &broken.bytes).expect("a table"));
            continue;
        }
        assert!(ended == tally && broken.bytes == whole.bytes, "after {headers:?}");
        return headers;
    }
}

#[test]
fn what_was_gathered_is_not_gathered_again() {
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let start = game.machine.initial();
    for by_keys in [true, false] {
        let headers = resume_repeatedly(&game, PositionSet::Position(&start), by_keys, 5);
        assert!(headers.iter().all(|header| header["begin"].is_null() == by_keys));
        let plies = headers.iter().filter(|header| is_at(header, "gathering"));
        let plies: Vec<u64> =
            plies.filter_map(|header| header["stage"]["gathering"]["ply"].as_u64()).collect();
        assert!(plies.len() > 2 && plies.is_sorted(), "{plies:?}");
    }
}

/// A game with a row of men that are put one by one; a full row becomes one man far from it.
fn leap(cells: u32, universe: &str) -> Game {
    let mut text = GameSource::from_string(
        "leap.bou",
        &format!(
            "game \"Leap\"; players A, B; board Cell = grid(8, 8); state {{ on[c: Cell]: bool = false; }}
             def low = {{ c in Cell where 8 * c.row + c.col < 9 + {cells} }};
             move put(c: Cell) {{ when c in low and not on[c]; on[c] := true; }}
             move leap(d: Cell) {{
               when d = h8 and not on[h8] and all c in low: on[c];
               for c in low {{ on[c] := false; }}
               on[h8] := true;
             }}
             play normal;"
        ),
    );
    let low = format!("(all c in Cell: 8 * c.row + c.col < 9 + {cells} or not on[c])");
    text.add_invariant("--universe", &format!("{low} and {universe}")).expect("a condition");
    text.backend = Backend::Jit;
    text.game(None).expect("sound rules")
}

#[test]
fn what_was_listed_of_a_universe_is_not_listed_again() {
    let game = leap(15, "(count c in Cell: on[c]) >= 0");
    let headers = resume_repeatedly(&game, PositionSet::Universe, true, 2);
    assert!(headers.iter().filter(|header| is_at(header, "listing")).count() > 5, "{headers:?}");
    // Checkpoints also occur in the middle of a ply, and with keys that grew later.
    let part = |header: &Json| header["stage"]["gathering"]["part"].as_u64();
    let stages = || headers.iter().map(|header| header["stage"].to_string()).collect::<Vec<_>>().join("\n");
    assert!(headers.iter().any(|header| part(header) > Some(0)), "{}", stages());
    assert!(headers[0]["shape"] != headers[headers.len() - 1]["shape"], "{headers:?}");
}

/// Keys omit bits that never vary; they grow when a position far from the others sets such a bit.
#[test]
fn keys_grow_by_what_was_not_counted() {
    let strong = StrongSolution::of_universe(
        &leap(7, "(count c in Cell: on[c]) = 1"),
        &Limits::default(),
        &NoProgress,
    );
    // One man or more in seven cells, or one in h8 with any of them; and either player to move.
    assert_eq!(strong.expect("sound rules").len(), 2 * (127 + 128));
}

#[test]
fn a_table_of_packed_keys_is_gone_on_with() {
    let mut text = game("chess").with_settings(&[], Some("endings")).expect("the preset");
    let pieces = "(count c in Cell: at[c] != none) = 3 and (some c in Cell: at[c] = Piece(White, queen))";
    let kings =
        "(some c in Cell: at[c] = Piece(White, king)) and (some c in Cell: at[c] = Piece(Black, king))";
    text.add_invariant("--universe", &format!("{pieces} and {kings}")).expect("a condition");
    text.backend = Backend::Jit;
    let game = text.game(None).expect("sound rules");
    let run = |known: Option<LoadedTable>, keeper: &mut MemoryCheckpoints| {
        let kept = Checkpointing { identity: identity(&game, "universe"), loaded: known, store: keeper };
        let request = StrongRequest { positions: PositionSet::Universe, symmetry: SymmetryMode::Off };
        StrongSolution::of(&game, request, Some(kept), &Limits::default(), &NoProgress)
    };
    let mut whole = MemoryCheckpoints { mandatory_only: true, ..MemoryCheckpoints::default() };
    let tally = run(None, &mut whole).expect("sound rules").tally;
    let mut broken =
        MemoryCheckpoints { max_checkpoints: Some(1), mandatory_only: true, ..MemoryCheckpoints::default() };
    assert!(matches!(run(None, &mut broken), Err(StrongError::Checkpoint(_))));
    let read = known(&game, "universe", &broken.bytes).expect("a table");
    let mut resumed = MemoryCheckpoints { mandatory_only: true, ..MemoryCheckpoints::default() };
    assert_eq!(run(Some(read), &mut resumed).expect("sound rules").tally, tally);
    assert!(resumed.bytes == whole.bytes);
    // Squares in place of boards: a key is one word.
    let per_position = whole.bytes.len() as u64 / tally.groups.iter().map(|kind| kind.positions).sum::<u64>();
    assert!(per_position < 12, "{per_position}");
}

#[test]
fn what_is_damaged_or_another_table_is_refused() {
    // By indices and by keys.
    for name in ["tictactoe", "three_mens_morris"] {
        let game = set(name, &[], Backend::Jit);
        let mut whole = MemoryCheckpoints { mandatory_only: true, ..MemoryCheckpoints::default() };
        run(&game, None, &mut whole).expect("sound rules");
        is_damaged_or_another(&game, &whole.bytes);
    }
}

fn is_damaged_or_another(game: &Game, bytes: &[u8]) {
    let step = bytes.len() / 400 + 1;
    for place in (0..bytes.len()).step_by(step).chain(0..64) {
        let mut damaged = bytes.to_vec();
        damaged[place] ^= 1 << (place % 8);
        assert!(known(game, "start", &damaged).is_err(), "a bit of byte {place}");
        assert!(known(game, "start", &bytes[..place]).is_err(), "{place} bytes of it");
    }
    assert!(matches!(known(game, "start", &[bytes, b"x"].concat()), Err(TableFileError::Damaged(_))));
    assert!(matches!(known(game, "start", b"bouton-table 1\n"), Err(TableFileError::Version)));
    assert!(matches!(known(game, "elsewhere", bytes), Err(TableFileError::Foreign(_))));
    let other = set("tic_tic_toe", &[], Backend::Jit);
    assert!(matches!(known(&other, "start", bytes), Err(TableFileError::Foreign(_))));
    for few in [1000, 10] {
        let few = Limits { memory_bytes: Some(few), ..Limits::default() };
        assert!(matches!(known_within(&few, game, "start", bytes), Err(TableFileError::Memory)));
    }
}
