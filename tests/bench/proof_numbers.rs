//! How many positions each search looks at for the value of the same positions: the table of `docs/solvers.md`.
//!
//! `cargo bench --bench proof_numbers [ROW...] [--seconds N] [--only SEARCH]`: rows by the beginning of their names. Counts do
//! not depend on the machine; what was not done in the time given is said to be so.

use std::time::{Duration, Instant};

use bouton::base::limits::{LimitHit, Limits, Silent};
use bouton::driver::load::{Request, Text};
use bouton::game::{Backend, Game, State};
use bouton::solve::alphabeta;
use bouton::solve::proof_number::numbers::Together;
use bouton::solve::proof_number::{self, Initial, Tuning};
use bouton::solve::{Method, Options, Solution, Status};

/// Name, game, settings.
const BOARDS: &[(&str, &str, &[&str])] = &[
    ("hex 4x4", "hex", &["n=4"]),
    ("5,5,4", "gomoku", &["m=5", "n=5", "k=4"]),
    ("6,5,4", "gomoku", &["m=6", "n=5", "k=4"]),
    ("breakthrough 5x4", "breakthrough", &["cols=4", "rows=5"]),
    ("breakthrough 5x5", "breakthrough", &["cols=5", "rows=5"]),
    ("kalah 3,3", "kalah", &[]),
    ("kalah 4,3", "kalah", &["m=4", "s=3"]),
    ("domineering 5x5", "domineering", &["cols=5", "rows=5"]),
    ("domineering 6x6", "domineering", &["cols=6", "rows=6"]),
    ("othello 4x4", "othello", &[]),
];
/// So many positions of the set of Connect Four.
const POSITIONS: usize = 50;

fn rules(name: &str, settings: &[&str]) -> Game {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let mut text = Text::read(&Request { path: &path, settings: &settings, preset: None }).expect("the text");
    text.backend = Backend::Jit;
    text.game(None).expect("sound rules")
}

/// A search, or a variant of one, with the memory it may have.
struct Variant {
    name: &'static str,
    method: Method,
    tuning: Tuning,
    bytes: u64,
}

fn variants() -> Vec<Variant> {
    let of = |name, method| Variant { name, method, tuning: Tuning::of(method), bytes: 1 << 30 };
    let dfpn = Tuning::of(Method::Dfpn);
    let with = |name, tuning| Variant { tuning, ..of(name, Method::Dfpn) };
    vec![
        of("alphabeta", Method::AlphaBeta),
        of("pns", Method::Pns),
        Variant { bytes: 1 << 22, ..of("pns, 4 MB", Method::Pns) },
        of("pn2", Method::Pn2),
        Variant { bytes: 1 << 22, ..of("pn2, 4 MB", Method::Pn2) },
        of("dfpn", Method::Dfpn),
        Variant { bytes: 1 << 19, ..of("dfpn, 512 KB", Method::Dfpn) },
        with("dfpn, epsilon 0", Tuning { epsilon: (0, 1), ..dfpn }),
        with("dfpn, sums", Tuning { together: Together::Sum, ..dfpn }),
        with("dfpn, mobility", Tuning { initial: Initial::Mobility, ..dfpn }),
        of("lambda", Method::Lambda),
        Variant {
            tuning: Tuning { threats: 1, ..Tuning::of(Method::Lambda) },
            ..of("lambda, order 1", Method::Lambda)
        },
    ]
}

fn solved(game: &Game, at: &State, variant: &Variant, time: Duration) -> Solution {
    let deadline = Instant::now().checked_add(time);
    let limits = Limits { memory_bytes: Some(variant.bytes), deadline, ..Limits::default() };
    let options = Options::default();
    if variant.method == Method::AlphaBeta {
        let mut solver = alphabeta::Solver::new(game, at, &options, &limits, &Silent).map_err(|(_, why)| why);
        return solver.as_mut().expect("it fits").value(at).expect("sound rules");
    }
    let asked = (variant.method, variant.tuning, false);
    proof_number::solve(game, at, asked, &options, &limits, &Silent).expect("sound rules")
}

/// One line of the table: the value, positions, seconds; or which limit came first.
fn told(solution: &Solution, clock: Instant) -> String {
    let seconds = clock.elapsed().as_secs_f64();
    match (&solution.value, solution.limit) {
        (Some(value), _) => format!("{:>12} {seconds:9.1} s  {}", solution.positions, value.payoffs[0]),
        (None, Some(LimitHit::Memory)) => format!("memory full after {} {seconds:.1} s", solution.positions),
        (None, _) => format!("no answer after {} {seconds:.1} s: {:?}", solution.positions, solution.reason),
    }
}

fn connect_four(variant: &Variant, time: Duration) {
    let game = rules("connect_four", &[]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/connect_four/middle-easy.txt");
    let text = std::fs::read_to_string(path).expect("a set of positions");
    let (clock, mut positions, mut done) = (Instant::now(), 0, 0);
    for line in text.lines().take(POSITIONS) {
        let (columns, score) = line.split_once(' ').expect("columns and a score");
        let score: i64 = score.trim().parse().expect("a score");
        let at = columns.chars().fold(game.machine.initial(), |at, column| {
            let is = |s: &bouton::game::Successor| game.written(&at, &s.play).trim() == column.to_string();
            game.machine
                .successors(&at)
                .expect("sound rules")
                .into_iter()
                .find(is)
                .expect("a legal move")
                .state
        });
        let solution = solved(&game, &at, variant, time.saturating_sub(clock.elapsed()));
        if solution.status == Status::Solved {
            let payoff = solution.value.expect("a value").payoffs[columns.len() % 2];
            assert_eq!(payoff, score.signum().into(), "{columns} {}", variant.name);
            (positions, done) = (positions + solution.positions, done + 1);
        }
    }
    let mean = positions / done.max(1);
    println!(
        "    {:18} {mean:>12} {:9.1} s  {done} of {POSITIONS}",
        variant.name,
        clock.elapsed().as_secs_f64()
    );
}

fn main() {
    let mut asked: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let mut time = Duration::from_secs(60);
    let mut only = None;
    if let Some(at) = asked.iter().position(|arg| arg == "--seconds") {
        time = Duration::from_secs(asked[at + 1].parse().expect("seconds"));
        asked.drain(at..at + 2);
    }
    if let Some(at) = asked.iter().position(|arg| arg == "--only") {
        only = Some(asked[at + 1].clone());
        asked.drain(at..at + 2);
    }
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|of| name.starts_with(of.as_str()));
    let all: Vec<Variant> =
        variants().into_iter().filter(|v| only.as_ref().is_none_or(|only| v.name == only)).collect();
    if wanted("connect four") {
        println!("connect four, middle-easy, means");
        all.iter().for_each(|variant| connect_four(variant, time));
    }
    for (name, game, settings) in BOARDS.iter().filter(|board| wanted(board.0)) {
        println!("{name}");
        let game = rules(game, settings);
        for variant in &all {
            let clock = Instant::now();
            let solution = solved(&game, &game.machine.initial(), variant, time);
            println!("    {:18} {}", variant.name, told(&solution, clock));
        }
    }
}
