//! Compares the planner with every single method on all games of `games/` at their default parameters, within the same
//! limits.
//!
//! `cargo bench --bench router [GAME...] [--seconds N]`. The planner must answer wherever a single method does, and in
//! at most three times the time of the fastest; a tenth of a second counts as the least time. Any row that does not hold
//! ends the run with an error.

use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_driver::planner::{Plan, Question};
use bouton_driver::solvers;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{SolveOptions, SolveRequest, Solver, Status};

/// The factor that the planner may cost.
const MAX_RATIO: f64 = 3.0;
/// The least time that counts, in seconds.
const LEAST_SECONDS: f64 = 0.1;
/// The default time limit of an answer, in seconds.
const DEFAULT_SECONDS: u64 = 10;

/// The time of an answer; `None` if there is none within the limit.
type Answered = Option<f64>;

fn timed(solve: impl FnOnce() -> Option<Status>) -> Answered {
    let clock = Instant::now();
    (solve() == Some(Status::Solved)).then(|| clock.elapsed().as_secs_f64())
}

fn game(path: &std::path::Path) -> Option<Game> {
    let path = path.to_str()?;
    let request = LoadRequest { path, settings: &[], preset: None };
    let mut text = GameSource::read(&request).expect("a game of games/");
    text.backend = Backend::Jit;
    text.game(None).ok()
}

fn limits(seconds: u64) -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Limits::default() }
}

fn by_method(path: &std::path::Path, method: &'static dyn Solver, seconds: u64) -> Answered {
    // A game of its own: machine code that an earlier method compiled is no help.
    let game = game(path)?;
    let (start, options, limits) = (game.machine.initial(), SolveOptions::default(), limits(seconds));
    let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
    timed(|| Some(method.solve(&request).ok()?.status))
}

fn by_planner(path: &std::path::Path, seconds: u64) -> (Answered, &'static str) {
    let Some(game) = game(path) else { return (None, "") };
    let (start, options, limits) = (game.machine.initial(), SolveOptions::default(), limits(seconds));
    let plan = Plan::new(Question::new(&game, &start, &options, &limits));
    let mut method = "";
    let time = timed(|| {
        let solution = plan.run(&NoProgress).ok()?.solution;
        method = solution.method;
        Some(solution.status)
    });
    (time, method)
}

fn words(time: Answered) -> String {
    time.map_or("-".into(), |seconds| format!("{seconds:.2} s"))
}

fn main() {
    let words_of: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let place = words_of.iter().position(|word| word == "--seconds");
    let seconds = place.and_then(|at| words_of.get(at + 1)?.parse().ok()).unwrap_or(DEFAULT_SECONDS);
    let named: Vec<&String> = words_of.iter().take(place.unwrap_or(words_of.len())).collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let files = std::fs::read_dir(folder).expect("games/").filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ext| ext == "bou")).collect();
    files.sort();
    let mut failed = Vec::new();
    println!("| game | planner | by | best single method | ratio |\n|---|---|---|---|---|");
    for path in files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().to_string()).unwrap_or_default();
        if !named.is_empty() && !named.iter().any(|of| name.starts_with(of.as_str())) {
            continue;
        }
        let (planner, by) = by_planner(&path, seconds);
        let single =
            solvers::all().filter_map(|method| Some((by_method(&path, method, seconds)?, method.name())));
        let best = single.min_by(|a, b| a.0.total_cmp(&b.0));
        let ratio =
            planner.zip(best).map(|(own, (best, _))| own.max(LEAST_SECONDS) / best.max(LEAST_SECONDS));
        let told = best.map_or("-".into(), |(time, method)| format!("{method}, {}", words(Some(time))));
        let shown = ratio.map_or("-".into(), |ratio| format!("{ratio:.1}"));
        println!("| {name} | {} | {by} | {told} | {shown} |", words(planner));
        if best.is_some() && ratio.is_none_or(|ratio| ratio > MAX_RATIO) {
            failed.push(name);
        }
    }
    if !failed.is_empty() {
        eprintln!("not within {MAX_RATIO} times the best single method: {}", failed.join(", "));
        std::process::exit(1);
    }
}
