//! Measures the rates of compiled rules and of hand-written programs in one run, and prints their ratio.
//!
//! `cargo bench --bench yardstick [GAME...]` prints medians of five and runs both sides alternately, so that noise of
//! the machine affects both. `enumeration` in place of a game measures how fast one thread enumerates the positions of
//! Connect Four. `retrograde` measures the enumeration and the labelling, also for a game whose positions repeat;
//! `scores` measures how fast the table of Dots and Boxes is filled. `native` adds the ratios to the hand-written
//! programs compiled for the processor of this machine.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bouton_backend::jit::{Jit, JitOptions};
use bouton_backend::{CountUnit, Runner};
use bouton_base::limits::{CancelToken, Limits, NoProgress, Progress};
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_search::game::bitmap_search::{BitmapSearchOptions, ReachableBitmap};
use bouton_search::game::dense_index::DenseIndex;
use bouton_search::game::reachable_set::{Expander, ReachStats, ReachableSet};
use bouton_search::game::{Backend, Game, circuit_of};
use bouton_search::solve::additive_scores::Scores;
use bouton_search::solve::strong::{PositionSet, StrongRequest, StrongSolution};
use bouton_search::solve::{self, SolveRequest, Solver, SymmetryMode};

// A bench without a harness omits the tests of this module, but not their imports.
#[allow(unused_imports)]
mod yardstick;

/// The measurements to make of a game.
struct Yardstick {
    name: &'static str,
    /// Settings for the board that other programs are measured on, if it is not the default of the file.
    settings: &'static [&'static str],
    /// The depth of the perft; `by_turn` counts turns instead of moves.
    depth: u32,
    by_turn: bool,
    playout_games: u64,
    /// The hand-written program for the same game.
    hand_written: Option<HandWritten>,
}

struct HandWritten {
    perft: fn(u32, bool) -> yardstick::Perft,
    playouts: fn(u64, u64) -> yardstick::Playouts,
}

macro_rules! by_hand {
    ($game:ident) => {
        Some(HandWritten { perft: yardstick::$game::perft, playouts: yardstick::$game::playouts })
    };
}

const YARDSTICKS: &[Yardstick] = &[
    Yardstick {
        name: "connect_four",
        settings: &[],
        depth: 9,
        by_turn: false,
        playout_games: 200_000,
        hand_written: by_hand!(connect_four),
    },
    Yardstick {
        name: "breakthrough",
        settings: &["cols=8", "rows=8"],
        depth: 5,
        by_turn: false,
        playout_games: 30_000,
        hand_written: by_hand!(breakthrough),
    },
    Yardstick {
        name: "othello",
        settings: &["n=8"],
        depth: 8,
        by_turn: false,
        playout_games: 20_000,
        hand_written: by_hand!(othello),
    },
    Yardstick {
        name: "english_draughts",
        settings: &["n=8", "ranks=3"],
        depth: 10,
        by_turn: true,
        playout_games: 20_000,
        hand_written: by_hand!(english_draughts),
    },
    Yardstick {
        name: "tictactoe",
        settings: &[],
        depth: 9,
        by_turn: false,
        playout_games: 300_000,
        hand_written: None,
    },
    Yardstick {
        name: "hex",
        settings: &["n=11"],
        depth: 3,
        by_turn: false,
        playout_games: 1000,
        hand_written: None,
    },
    Yardstick {
        name: "gomoku",
        settings: &[],
        depth: 3,
        by_turn: false,
        playout_games: 1000,
        hand_written: None,
    },
    Yardstick {
        name: "nine_mens_morris",
        settings: &[],
        depth: 4,
        by_turn: false,
        playout_games: 3000,
        hand_written: None,
    },
    Yardstick {
        name: "amazons",
        settings: &["n=6"],
        depth: 2,
        by_turn: false,
        playout_games: 1000,
        hand_written: None,
    },
    Yardstick {
        name: "chess",
        settings: &[],
        depth: 4,
        by_turn: false,
        playout_games: 100,
        hand_written: None,
    },
];

const RUNS: usize = 5;

/// Returns the seconds that `run` takes, and its result.
fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let clock = Instant::now();
    let result = black_box(run());
    (clock.elapsed().as_secs_f64(), result)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// The rates of both sides, in millions a second.
struct Rates {
    ours: f64,
    /// The rate of the hand-written program, if there is one.
    hand_written: Option<f64>,
}

impl Rates {
    fn render(&self) -> String {
        let ours = self.ours;
        match self.hand_written {
            Some(theirs) => format!("{ours:8.2} / {theirs:8.2} = {:.2}", ours / theirs),
            None => format!("{ours:8.2}                  "),
        }
    }
}

/// Runs both sides alternately, asserts that they count the same, and returns their rates.
fn rates(mut ours: impl FnMut() -> u64, theirs: Option<&dyn Fn() -> u64>) -> Rates {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let (mut n, mut m) = (ours(), 0);
    for _ in 0..RUNS {
        let (time, count) = timed(&mut ours);
        a.push(time);
        n = count;
        if let Some(theirs) = theirs {
            let (time, count) = timed(theirs);
            b.push(time);
            m = count;
        }
    }
    let rate = |count: u64, times| count as f64 / median(times) / 1e6;
    Rates { ours: rate(n, a), hand_written: theirs.map(|_| rate(m, b)) }
}

/// Compiles the hand-written programs for the processor of this machine and returns the path of the program.
fn native() -> Result<PathBuf, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("yardsticks_native");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made = Command::new(rustc)
        .args(["--edition", "2024", "-C", "opt-level=3", "-C", "target-cpu=native", "-o"])
        .arg(&program)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/yardstick/native.rs"))
        .status();
    match made {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(format!("rustc ended with {status}")),
        Err(error) => Err(format!("rustc does not run: {error}")),
    }
}

/// Returns the rates of one hand-written program: its perft and its playouts.
fn native_rates(program: &Path, yard: &Yardstick) -> Result<(f64, f64), String> {
    let given = [yard.depth.to_string(), yard.by_turn.to_string(), yard.playout_games.to_string()];
    let said = Command::new(program).arg(yard.name).args(given).output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&said.stdout);
    let mut rates = said.split_whitespace().map(str::parse);
    match (rates.next(), rates.next()) {
        (Some(Ok(perft)), Some(Ok(playouts))) => Ok((perft, playouts)),
        _ => Err(format!("the native program of {} said `{said}`", yard.name)),
    }
}

fn measure(yard: &Yardstick, native: Option<&Path>) -> Result<String, String> {
    let path = format!("{}/games/{}.bou", env!("CARGO_MANIFEST_DIR"), yard.name);
    let settings: Vec<String> = yard.settings.iter().map(ToString::to_string).collect();
    let mut text = GameSource::read(&LoadRequest { path: &path, settings: &settings, preset: None })
        .map_err(|why| why.to_string())?;
    let rules = text.game(None).map_err(|refused| format!("{refused:?}"))?.rules;
    let (lowering, lowered) = timed(|| circuit_of(&rules, &[], &Limits::default()));
    let circuit = Arc::new(lowered.map_err(|e| e.to_string())?.circuit);
    let (compiling, jit) = timed(|| Jit::new(circuit.clone(), JitOptions::default()));
    let jit = jit.map_err(|e| e.to_string())?;
    let stop = CancelToken::default();
    let at = &circuit.initial;
    let ply = if yard.by_turn { CountUnit::Turn(0) } else { CountUnit::Move };
    let perft = || {
        let perft = jit.perft(at, black_box(yard.depth), ply, &stop);
        perft.ok().flatten().map_or(0, |perft| perft.leaves)
    };
    let hand = yard.hand_written.as_ref();
    let their_perft = hand.map(|hand| || (hand.perft)(black_box(yard.depth), yard.by_turn).leaves);
    if let Some(theirs) = &their_perft {
        assert_eq!(perft(), theirs(), "the two count different games");
    }
    let perfts = rates(perft, their_perft.as_ref().map(|f| f as &dyn Fn() -> u64));
    let playouts = || {
        let met = jit.playouts(at, black_box(yard.playout_games), 1, 100_000, &stop);
        met.ok().flatten().map_or(0, |met| met.states)
    };
    let their_playouts = hand.map(|hand| || (hand.playouts)(black_box(yard.playout_games), 1).states);
    let playouts = rates(playouts, their_playouts.as_ref().map(|f| f as &dyn Fn() -> u64));
    let native = match native.filter(|_| yard.hand_written.is_some()) {
        None => String::new(),
        Some(program) => {
            let (perft, playout) = native_rates(program, yard)?;
            format!("   native {:.2} and {:.2}", perfts.ours / perft, playouts.ours / playout)
        }
    };
    Ok(format!(
        "{:17} values {:6} lower {:7.1} ms jit {:6.1} ms (all {:6.1})   perft {}   playouts {}{native}",
        yard.name,
        circuit.values.len(),
        1e3 * lowering,
        1e3 * compiling,
        1e3 * jit.compile_stats().time.as_secs_f64(),
        perfts.render(),
        playouts.render()
    ))
}

/// Enumerates the positions of Connect Four up to a ply, several times: only the first run uses memory that the system
/// has not mapped yet.
fn enumeration(plies: u32) -> Result<String, String> {
    let path = format!("{}/games/connect_four.bou", env!("CARGO_MANIFEST_DIR"));
    let mut text = GameSource::read(&LoadRequest { path: &path, settings: &[], preset: None })
        .map_err(|why| why.to_string())?;
    let rules = text.game(None).map_err(|refused| format!("{refused:?}"))?.rules;
    let game = Game::on_backend((*rules).clone(), Backend::Jit, &[], &Limits::default());
    let expander = Expander::new(game.compiled().ok_or("no machine code")?);
    let from = [game.machine.initial()];
    let machine = expander.machine();
    let start = machine.position(&from[0]).ok_or("a foreign position")?;
    let ranking = DenseIndex::of(machine.runner().circuit(), &start).ok_or("positions have no numbers")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
    let by_hash =
        || ReachableSet::<()>::search(&expander, &from, Some(plies), &Limits::default(), &NoProgress).1;
    let wanted = BitmapSearchOptions { plies: Some(plies), ..BitmapSearchOptions::COUNT_ONLY };
    let by_number = || {
        let mut ranked = ReachableBitmap::begin(ranking.clone());
        let mut at_rest = |_: &ReachableBitmap, _| ControlFlow::Continue(());
        ranked.search(machine, wanted, &Limits::default(), &NoProgress, &mut at_rest).expect("sound rules")
    };
    let mut told = Vec::new();
    for (how, gather) in
        [("by hash", &by_hash as &(dyn Fn() -> ReachStats + Sync)), ("by number", &by_number)]
    {
        let (mut times, mut met) = (Vec::new(), ReachStats::default());
        for _ in 0..RUNS {
            let (seconds, gathered) = timed(|| pool.install(gather));
            times.push(seconds);
            met = gathered;
        }
        let (first, seconds) = (times[0], median(times));
        let positions: u64 = met.plies.iter().sum();
        told.push(format!(
            "connect_four to ply {plies}, {how}: {positions} positions, {} moves, {seconds:.2} s, first {first:.2}, \
             {:.2} million positions a second, {} MB",
            met.moves,
            positions as f64 / seconds / 1e6,
            met.held_bytes >> 20,
        ));
    }
    Ok(told.join("\n"))
}

/// The time at which each phase of a computation began.
#[derive(Default)]
struct PhaseClock(Mutex<Vec<(String, Instant)>>);

impl Progress for PhaseClock {
    fn phase(&self, name: &str) {
        self.0.lock().expect("nothing panics with the lock").push((name.to_owned(), Instant::now()));
    }

    fn positions(&self, _done: u64, _held_bytes: u64) {}
}

impl PhaseClock {
    /// Returns the seconds from the first phase to the first phase whose name begins with one of these words, and from
    /// there to now.
    fn split_at_phase(&self, words: &[&str]) -> (f64, f64) {
        let phases = self.0.lock().expect("nothing panics with the lock");
        let first = phases.first().map_or_else(Instant::now, |(_, at)| *at);
        let second = phases.iter().find(|(name, _)| words.iter().any(|word| name.starts_with(word)));
        let second = second.map_or(first, |(_, at)| *at);
        ((second - first).as_secs_f64(), second.elapsed().as_secs_f64())
    }
}

fn game_of(name: &str, set: &[&str]) -> Result<Game, String> {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let settings: Vec<String> = set.iter().map(ToString::to_string).collect();
    let mut text = GameSource::read(&LoadRequest { path: &path, settings: &settings, preset: None })
        .map_err(|why| why.to_string())?;
    let rules = text.game(None).map_err(|refused| format!("{refused:?}"))?.rules;
    Ok(Game::on_backend((*rules).clone(), Backend::Jit, &[], &Limits::default()))
}

/// Enumerates all positions of a game and labels them, several times; `by_keys` uses keys even where dense indices
/// exist.
fn retrograde(name: &str, set: &[&str], threads: usize, by_keys: bool) -> Result<String, String> {
    let game = game_of(name, set)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let (mut gathered, mut labelled, mut told) = (Vec::new(), Vec::new(), (0, None, 0));
    for _ in 0..3 {
        let phases = PhaseClock::default();
        let limits = Limits::default();
        let start = game.machine.initial();
        let request = StrongRequest { positions: PositionSet::Position(&start), symmetry: SymmetryMode::Off };
        let way = if by_keys { StrongSolution::solve_hashed } else { StrongSolution::of };
        let solve = || way(&game, request, None, &limits, &phases);
        let strong = pool.install(solve).map_err(|e| e.to_string())?;
        let (first, second) = phases.split_at_phase(&["labelling", "pass"]);
        gathered.push(first);
        labelled.push(second);
        told = (strong.len(), strong.passes, strong.held_bytes >> 20);
    }
    let (positions, passes, held) = told;
    let rate = |seconds: f64| positions as f64 / seconds / 1e6;
    let (first, second) = (median(gathered), median(labelled));
    Ok(format!(
        "{name} {set:?}, {threads} threads: {positions} positions, gathered in {first:.2} s ({:.2} million a second), \
         labelled in {second:.2} s ({:.2} million a second, {}), {held} MB{}",
        rate(first),
        rate(second),
        passes.map_or_else(
            || "each once".to_owned(),
            |passes| format!(
                "{passes} passes, {:.2} million a second in each",
                rate(second) * f64::from(passes)
            ),
        ),
        if by_keys { ", by keys" } else { "" },
    ))
}

/// Fills the table of remaining scores, several times.
fn scores(set: &[&str], threads: usize) -> Result<String, String> {
    let game = game_of("dots_and_boxes", set)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let options = solve::SolveOptions { margin: true, max_line_moves: 0, ..solve::SolveOptions::default() };
    let (from, limits) = (game.machine.initial(), Limits::default());
    let (mut times, mut told) = (Vec::new(), (0, None));
    for _ in 0..RUNS {
        let run = || Scores.solve(&SolveRequest::new(&game, &from, &options, &limits, &NoProgress));
        let (seconds, solution) = timed(|| pool.install(run));
        let solution = solution.map_err(|broken| format!("{broken:?}"))?;
        times.push(seconds);
        told = (solution.positions, solution.margin);
    }
    let ((numbers, margin), seconds) = (told, median(times));
    Ok(format!(
        "dots_and_boxes {set:?}, {threads} threads: {numbers} numbers in {seconds:.2} s, {:.2} million a second, by \
         {margin:?}",
        numbers as f64 / seconds / 1e6,
    ))
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if asked.iter().any(|name| name == "enumeration") {
        for plies in [10, 13] {
            println!("{}", enumeration(plies).unwrap_or_else(|error| error));
        }
    }
    if asked.iter().any(|name| name == "retrograde") {
        for (game, set) in [("connect_four", &["cols=5", "rows=5"][..]), ("six_mens_morris", &["men=4"])] {
            for threads in [1, 2] {
                for by_keys in [true, false] {
                    // The other games use keys in any case.
                    if by_keys || game == "connect_four" {
                        let told = retrograde(game, set, threads, by_keys);
                        println!("{}", told.unwrap_or_else(|error| error));
                    }
                }
            }
        }
    }
    if asked.iter().any(|name| name == "scores") {
        for threads in [1, 2] {
            println!("{}", scores(&["cols=3", "rows=3"], threads).unwrap_or_else(|error| error));
        }
    }
    let native = asked.iter().any(|name| name == "native").then(|| match native() {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    });
    for yard in YARDSTICKS {
        let all = asked.iter().all(|name| name == "native");
        if all || asked.iter().any(|name| name == yard.name) {
            match measure(yard, native.as_deref()) {
                Ok(line) => println!("{line}"),
                Err(error) => println!("{:17} {error}", yard.name),
            }
        }
    }
}
