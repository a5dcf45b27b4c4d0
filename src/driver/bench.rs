//! Measures the speed of games and the duration of compiling them.
//!
//! Technique: each measurement repeats the work until a run is long enough for the clock, and reports the median of
//! several runs. Perft counts to the greatest depth that takes about the duration of a run.

use std::time::Duration;

use bouton_backend::interp::Interpreter;
use bouton_backend::jit::{Jit, JitOptions};
use bouton_backend::{CountUnit, RulesFault, Runner};
use bouton_base::cancel;
use bouton_base::clock::Instant;
use bouton_base::limits::{CancelToken, LimitHit, Limits};
use bouton_report::bench::{BenchReport, GameBench, RunnerRates, SCHEMA};
use bouton_report::numbers::params;
use bouton_rules::Rules;
use bouton_search::game::{circuit_of, needs_history};

use super::files::{self, Content, FileError};
use super::load::{DriverError, GameSource};

/// The number of runs of which each figure is the median.
pub const RUNS: u32 = 5;
/// The target duration of a run.
const TARGET_DURATION: Duration = Duration::from_millis(100);
/// Work that takes longer than this is not repeated.
const MAX_REPEATED_DURATION: Duration = Duration::from_millis(500);
/// The maximal depth of perft.
const MAX_PERFT_DEPTH: u32 = 64;
/// The maximal number of moves of a random game, which is then cut off.
const MAX_PLAYOUT_MOVES: u32 = 1000;
/// The maximal number of random games, or of calls, in a run.
const MAX_CALLS: u64 = 1 << 24;

/// Measures the game of a file; returns the limit if one is reached first.
pub fn bench(
    text: &mut GameSource,
    seed: u64,
    limits: &Limits,
) -> Result<Result<GameBench, LimitHit>, DriverError> {
    let rules = text.game(None)?.rules;
    let mut bench = GameBench::new(&rules.name, &text.path, params(&rules));
    let game = MeasuredGame { rules: &rules, skipped_passes: &text.skipped_passes, seed };
    let measured = limits.run_with_watchdog(|stop| measure(&mut bench, game, limits, stop));
    Ok(match measured {
        Ok(()) => Ok(bench),
        Err(Interrupted) => Err(limits.check().unwrap_or(LimitHit::Interrupted)),
    })
}

/// The error of a measurement that the stop flag ended.
struct Interrupted;

/// A game to measure.
#[derive(Clone, Copy)]
struct MeasuredGame<'a> {
    rules: &'a Rules,
    /// The passes of the optimiser to skip.
    skipped_passes: &'a [String],
    /// The seed of its random games.
    seed: u64,
}

fn measure(
    bench: &mut GameBench,
    game: MeasuredGame<'_>,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<(), Interrupted> {
    let MeasuredGame { rules, skipped_passes, seed } = game;
    let (lowered, time) = timed(stop, || circuit_of(rules, skipped_passes, limits))?;
    let lowered = match lowered {
        Ok(lowered) => lowered,
        Err(why) if matches!(why.limit, Some(LimitHit::Time | LimitHit::Interrupted)) => {
            return Err(Interrupted);
        }
        Err(why) => {
            bench.reason = Some(format!("there is no circuit: {}", why.what));
            return Ok(());
        }
    };
    let layout = &lowered.circuit.layout;
    bench.lower_seconds = Some(time);
    bench.state_bits = Some(layout.slots.iter().map(|slot| u64::from(slot.width())).sum());
    bench.state_words = Some(u64::from(layout.words));
    bench.values = Some(lowered.circuit.values.len() as u64);
    if needs_history(rules) {
        bench.reason = Some("the rules read the history of a play, which the circuit does not store".into());
        return Ok(());
    }
    let circuit = std::sync::Arc::new(lowered.circuit);
    let (jit, time) = timed(stop, || {
        let circuit = circuit.clone();
        cancel::run_apart(limits, || Jit::new(circuit, JitOptions::default()))
    })?;
    let jit = match jit {
        Ok(made) => made.map_err(|why| why.to_string()),
        Err(hit @ LimitHit::Memory) => Err(format!("there is no machine code: {hit}")),
        Err(_) => return Err(Interrupted),
    };
    match jit {
        Ok(jit) => {
            bench.code_seconds = Some(time);
            bench.code_bytes = Some(jit.compile_stats().bytes as u64);
            bench.jit = rates(&jit, seed, stop)?;
        }
        Err(why) => bench.reason = Some(why),
    }
    bench.interp = rates(&Interpreter::new(circuit), seed, stop)?;
    Ok(())
}

/// Runs `work` up to [`RUNS`] times; returns its last result with the median of the durations.
fn timed<T>(stop: &CancelToken, mut work: impl FnMut() -> T) -> Result<(T, f64), Interrupted> {
    let mut times = Vec::new();
    loop {
        let clock = Instant::now();
        let made = work();
        times.push(clock.elapsed().as_secs_f64());
        if stop.is_cancelled() {
            return Err(Interrupted);
        }
        if times.len() == RUNS as usize || times[0] > MAX_REPEATED_DURATION.as_secs_f64() {
            return Ok((made, median(times)));
        }
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn rates(runner: &dyn Runner, seed: u64, stop: &CancelToken) -> Result<RunnerRates, Interrupted> {
    let mut rates = RunnerRates::default();
    let start = &runner.circuit().initial;
    let perft = |depth| match runner.perft(start, depth, CountUnit::Move, stop) {
        Ok(Some(perft)) => Ok(Some([perft.leaves, 1])),
        Ok(None) => Err(Interrupted),
        Err(RulesFault) => Ok(None),
    };
    rates.perft_depth = depth(&perft)?;
    if let Some(depth) = rates.perft_depth {
        rates.perft_per_second = rate(|| perft(depth))?.map(|[leaves, _]| leaves);
    }
    let mut seed = seed;
    let mut play = |games| {
        seed = seed.wrapping_add(1);
        match runner.playouts(start, games, seed, MAX_PLAYOUT_MOVES, stop) {
            Ok(Some(met)) => Ok(Some([met.states, games])),
            Ok(None) => Err(Interrupted),
            Err(RulesFault) => Ok(None),
        }
    };
    // Doubles the number of games per call until the cost of starting a call is negligible.
    let mut games = 1;
    while games < MAX_CALLS {
        let clock = Instant::now();
        if play(games)?.is_none() || clock.elapsed() > TARGET_DURATION / 8 {
            break;
        }
        games *= 2;
    }
    if let Some([moves, games]) = rate(|| play(games))? {
        rates.playout_moves_per_second = Some(moves);
        rates.playouts_per_second = Some(games);
    }
    Ok(rates)
}

/// The two counts of a call; `None` if the rules have a fault.
type CallCounts = Result<Option<[u64; 2]>, Interrupted>;

/// The depth at which perft takes about the duration of a run; `None` if nothing can be counted.
fn depth(perft: &dyn Fn(u32) -> CallCounts) -> Result<Option<u32>, Interrupted> {
    let (mut best, mut before) = (None, 1);
    // The first call triggers compilation on first use, so its time does not count.
    perft(1)?;
    for depth in 1..=MAX_PERFT_DEPTH {
        let clock = Instant::now();
        let Some([leaves, _]) = perft(depth)?.filter(|counted| counted[0] > 0) else { break };
        best = Some(depth);
        let time = clock.elapsed();
        if time * 2 > TARGET_DURATION || time.mul_f64(leaves as f64 / before as f64) > TARGET_DURATION * 3 {
            break;
        }
        before = leaves;
    }
    Ok(best)
}

/// Returns the rate of each count per second: the median of [`RUNS`] runs, each of as many calls as fill the target
/// duration.
fn rate(mut work: impl FnMut() -> CallCounts) -> Result<Option<[f64; 2]>, Interrupted> {
    let clock = Instant::now();
    if work()?.is_none() {
        return Ok(None);
    }
    let once = clock.elapsed().max(Duration::from_nanos(50));
    let calls = (TARGET_DURATION.as_secs_f64() / once.as_secs_f64()).clamp(1.0, MAX_CALLS as f64) as u64;
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let mut sums = [0u64; 2];
        let clock = Instant::now();
        for _ in 0..calls {
            let Some(counted) = work()? else { return Ok(None) };
            sums.iter_mut().zip(counted).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
        let seconds = clock.elapsed().as_secs_f64();
        rates.iter_mut().zip(sums).for_each(|(rates, sum)| rates.push(sum as f64 / seconds));
    }
    Ok(Some(rates.map(median)))
}

/// The reason why a file is no report to compare with: a sentence.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error(transparent)]
    File(#[from] FileError),
    /// The file with this path is not text, or too large.
    #[error("{0} is not a report")]
    NoReport(String),
    /// The file is not JSON, or of another form.
    #[error("{path}: {source}")]
    Json { path: String, source: serde_json::Error },
    /// The file with this path is the report of another command or version.
    #[error("{0} is not a report of `bench`")]
    OtherSchema(String),
}

/// Reads a report that an earlier `bench` wrote.
pub fn baseline(path: &str) -> Result<BenchReport, BaselineError> {
    let Content::Text(text) = files::read(path)? else {
        return Err(BaselineError::NoReport(path.to_owned()));
    };
    let report: BenchReport = serde_json::from_str(&text)
        .map_err(|source| BaselineError::Json { path: path.to_owned(), source })?;
    if report.schema == SCHEMA { Ok(report) } else { Err(BaselineError::OtherSchema(path.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PILE: &str = "game \"Pile\"; players A, B; state { left: 0..40 = 40; }\n\
        move take(k: 1..2) { when k <= left; left -= k; }\nplay normal;\n";

    #[test]
    fn a_game_has_figures_and_one_without_a_circuit_a_reason() {
        let mut text = GameSource::from_string("pile.bou", PILE);
        let bench = bench(&mut text, 1, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let bench = bench.unwrap_or_else(|hit| panic!("{hit}"));
        assert_eq!((bench.state_bits, bench.state_words, &bench.reason), (Some(6), Some(1), &None));
        for rates in [bench.jit, bench.interp] {
            assert!(rates.perft_depth.is_some_and(|depth| depth > 5), "{rates:?}");
            // A game of 40 has 20 to 40 moves.
            let moves = rates.playout_moves_per_second.unwrap() / rates.playouts_per_second.unwrap();
            assert!((20.0..=40.0).contains(&moves), "{rates:?}");
        }
        let mut text = GameSource::from_string("pile.bou", &format!("{PILE}end {{ repeat 3 => draw; }}\n"));
        let bench = super::bench(&mut text, 1, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let bench = bench.unwrap_or_else(|hit| panic!("{hit}"));
        assert!(bench.reason.is_some_and(|why| why.contains("the history of a play")));
        assert_eq!(bench.jit, RunnerRates::default());
    }

    #[test]
    fn measuring_ends_with_the_time() {
        let mut text = GameSource::from_string("pile.bou", PILE);
        let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        assert!(matches!(bench(&mut text, 1, &limits), Ok(Err(LimitHit::Time))));
    }
}
