//! Compares the planner with every single method on all games of `games/` at their default parameters, and on games made
//! at random, within the same limits.
//!
//! `cargo bench --bench router [GAME...] [--seconds N] [--generated N]`. The planner must answer wherever a single method
//! does, and in at most three times the time of the fastest; a tenth of a second counts as the least time. Any row that
//! does not hold ends the run with an error. Of the random games, only such rows are printed, and how many have an
//! answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_driver::planner::{Plan, Question};
use bouton_driver::solvers;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{SolveOptions, SolveRequest, Solver, Status};

#[path = "../language/generated/maker.rs"]
mod maker;

/// The factor that the planner may cost.
const MAX_RATIO: f64 = 3.0;
/// The least time that counts, in seconds.
const LEAST_SECONDS: f64 = 0.1;
/// The default time limit of an answer, in seconds.
const DEFAULT_SECONDS: u64 = 10;
/// The number of choices that make a random game.
const CHOICES: usize = 700;

/// The time of an answer; `None` if there is none within the limit.
type Answered = Option<f64>;

fn timed(solve: impl FnOnce() -> Option<Status>) -> Answered {
    let clock = Instant::now();
    (solve() == Some(Status::Solved)).then(|| clock.elapsed().as_secs_f64())
}

/// Rules to solve.
enum Source {
    File(PathBuf),
    Text(String),
}

impl Source {
    /// Returns the game, compiled anew; `None` if the rules have errors.
    fn game(&self) -> Option<Game> {
        let mut text = match self {
            Source::File(path) => {
                let request = LoadRequest { path: path.to_str()?, settings: &[], preset: None };
                GameSource::read(&request).expect("a game of games/")
            }
            Source::Text(text) => GameSource::from_string("random.bou", text),
        };
        text.backend = Backend::Jit;
        text.game(None).ok()
    }
}

fn limits(seconds: u64) -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Limits::default() }
}

fn by_method(source: &Source, method: &'static dyn Solver, seconds: u64) -> Answered {
    // A game of its own: machine code that an earlier method compiled is no help.
    let game = source.game()?;
    let (start, options, limits) = (game.machine.initial(), SolveOptions::default(), limits(seconds));
    let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
    timed(|| Some(method.solve(&request).ok()?.status))
}

fn by_planner(source: &Source, seconds: u64) -> (Answered, &'static str) {
    let Some(game) = source.game() else { return (None, "") };
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

/// The planner beside the fastest single method.
struct Comparison {
    name: String,
    planner: Answered,
    /// The method by which the planner answered.
    by: &'static str,
    best: Option<(f64, &'static str)>,
}

impl Comparison {
    fn new(name: String, source: &Source, seconds: u64) -> Comparison {
        let (planner, by) = by_planner(source, seconds);
        let single =
            solvers::all().filter_map(|method| Some((by_method(source, method, seconds)?, method.name())));
        Comparison { name, planner, by, best: single.min_by(|a, b| a.0.total_cmp(&b.0)) }
    }

    fn ratio(&self) -> Option<f64> {
        let (own, (best, _)) = self.planner.zip(self.best)?;
        Some(own.max(LEAST_SECONDS) / best.max(LEAST_SECONDS))
    }

    fn holds(&self) -> bool {
        self.best.is_none() || self.ratio().is_some_and(|ratio| ratio <= MAX_RATIO)
    }

    fn row(&self) -> String {
        let words = |time: Answered| time.map_or("-".into(), |seconds| format!("{seconds:.2} s"));
        let told = self.best.map_or("-".into(), |(time, method)| format!("{method}, {}", words(Some(time))));
        let shown = self.ratio().map_or("-".into(), |ratio| format!("{ratio:.1}"));
        format!("| {} | {} | {} | {told} | {shown} |", self.name, words(self.planner), self.by)
    }
}

/// Returns the games of `games/` whose names begin with one of these, or all.
fn files(named: &[String]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let files = std::fs::read_dir(folder).expect("games/").filter_map(|entry| Some(entry.ok()?.path()));
    let is_named = |path: &PathBuf| named.is_empty() || named.iter().any(|name| stem(path).starts_with(name));
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|ext| ext == "bou")).filter(is_named).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().to_string()).unwrap_or_default()
}

fn random_game(seed: u64) -> Source {
    let mut rng = SplitMix::new(seed);
    Source::Text(maker::game(maker::ChoiceSequence::new((0..CHOICES).map(|_| rng.word() as u32).collect())))
}

/// Takes the number after a flag out of the arguments.
fn number(arguments: &mut Vec<String>, flag: &str) -> Option<u64> {
    let at = arguments.iter().position(|word| word == flag)?;
    let number = arguments.get(at + 1)?.parse().ok()?;
    arguments.drain(at..at + 2);
    Some(number)
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let seconds = number(&mut arguments, "--seconds").unwrap_or(DEFAULT_SECONDS);
    let generated = number(&mut arguments, "--generated").unwrap_or(0);
    let mut failed = Vec::new();
    println!("| game | planner | by | best single method | ratio |\n|---|---|---|---|---|");
    for path in files(&arguments) {
        let compared = Comparison::new(stem(&path), &Source::File(path), seconds);
        println!("{}", compared.row());
        failed.extend((!compared.holds()).then_some(compared.name));
    }
    let mut answered = 0;
    for seed in 1..=generated {
        let compared = Comparison::new(format!("random game {seed}"), &random_game(seed), seconds);
        answered += u64::from(compared.planner.is_some());
        if !compared.holds() {
            println!("{}", compared.row());
            failed.push(compared.name);
        }
    }
    if generated > 0 {
        println!("{answered} of {generated} random games have an answer");
    }
    if !failed.is_empty() {
        eprintln!("not within {MAX_RATIO} times the best single method: {}", failed.join(", "));
        std::process::exit(1);
    }
}
