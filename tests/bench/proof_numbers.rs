//! Counts the positions that each search visits before it knows the value of the same positions: the table of
//! `docs/solvers.md`.
//!
//! `cargo bench --bench proof_numbers [ROW...] [--positions N] [--seconds N] [--only SEARCH]` selects rows by a prefix
//! of their names. The limit on a search is a number of positions, so that neither the counts nor the unanswered rows
//! depend on the machine; `--seconds` adds a limit on time.

use std::time::{Duration, Instant};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_driver::position;
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::alphabeta;
use bouton_search::solve::proof_number::numbers::Aggregation;
use bouton_search::solve::proof_number::{
    DFPN, DFPN_PLUS, DUAL_LAMBDA, FOCUSED, InitialNumbers, LAMBDA, PDS, PN_STAR, PN2, PNS, PnSearchOptions,
    ProofNumberSolver, WIDENING,
};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Status};

/// Boards: row name, game, settings.
const BOARDS: &[(&str, &str, &[&str])] = &[
    ("hex 4x4", "hex", &["n=4"]),
    ("hex 5x5", "hex", &["n=5"]),
    ("5,5,4", "gomoku", &["m=5", "n=5", "k=4"]),
    ("6,5,4", "gomoku", &["m=6", "n=5", "k=4"]),
    ("breakthrough 5x4", "breakthrough", &["cols=4", "rows=5"]),
    ("breakthrough 5x5", "breakthrough", &["cols=5", "rows=5"]),
    ("kalah 3,3", "kalah", &[]),
    ("kalah 4,3", "kalah", &["m=4", "s=3"]),
    ("kalah 4,4", "kalah", &["m=4", "s=4"]),
    ("domineering 5x5", "domineering", &["cols=5", "rows=5"]),
    ("domineering 6x6", "domineering", &["cols=6", "rows=6"]),
    ("othello 4x4", "othello", &[]),
    // Positions repeat in these games.
    ("hare and hounds", "hare_and_hounds", &[]),
    ("three men's morris", "three_mens_morris", &[]),
    ("four men's morris", "three_mens_morris", &["men=4"]),
    ("four men's morris, no diagonals", "three_mens_morris", &["men=4", "diagonals=false"]),
    ("dodgem 3x3", "dodgem", &[]),
    ("dodgem 4x4", "dodgem", &["n=4"]),
    ("fox and geese", "fox_and_geese", &[]),
];
/// King and queen against king and rook, with White to move, where 7 plies without a capture are a draw.
const ENDINGS: &[(&str, [&str; 8])] = &[
    (
        "KQKR, won in 7",
        ["......k.", "........", ".....K..", "........", "........", "........", "......r.", ".......Q"],
    ),
    (
        "KQKR, not in 7",
        [".k......", ".r......", "..K.....", "Q.......", "........", "........", "........", "........"],
    ),
];
/// The number of positions taken from the test set of Connect Four.
const TEST_SET_POSITIONS: usize = 50;

fn text(name: &str, settings: &[&str], preset: Option<&str>) -> GameSource {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let mut text =
        GameSource::read(&LoadRequest { path: &path, settings: &settings, preset }).expect("the text");
    text.backend = Backend::Jit;
    text
}

fn rules(name: &str, settings: &[&str]) -> Game {
    text(name, settings, None).game(None).expect("sound rules")
}

/// Returns the game of an ending and its position.
fn ending(rows: &[&str; 8]) -> (Game, State) {
    let position = format!(
        r#"at := diagram """ {} """ {{ "." => none, "k" => Piece(Black, king), "r" => Piece(Black, rook),
        "K" => Piece(White, king), "Q" => Piece(White, queen) }};"#,
        rows.join("\n")
    );
    let mut text = text("chess", &["fifty=7"], Some("endings"));
    let start = position::resolve_start(&mut text, Some(&position), None, &Limits::default());
    let start = start.unwrap_or_else(|refused| panic!("{position}: {refused:?}"));
    (start.game, start.state)
}

/// A search with its memory limit.
struct SearchVariant {
    name: &'static str,
    /// The solver; `None` for alpha-beta.
    solver: Option<ProofNumberSolver>,
    bytes: u64,
}

fn variants() -> Vec<SearchVariant> {
    let of = |solver: ProofNumberSolver| SearchVariant {
        name: solver.name(),
        solver: Some(solver),
        bytes: 1 << 30,
    };
    let with =
        |name, solver: ProofNumberSolver, tuning| SearchVariant { name, ..of(solver.with_tuning(tuning)) };
    let dfpn = DFPN.tuning;
    vec![
        SearchVariant { name: "alphabeta", solver: None, bytes: 1 << 30 },
        of(PNS),
        SearchVariant { name: "pns, 4 MB", bytes: 1 << 22, ..of(PNS) },
        with("pns, delayed", PNS, PnSearchOptions { delayed_evaluation: true, ..PNS.tuning }),
        of(PN2),
        SearchVariant { name: "pn2, 4 MB", bytes: 1 << 22, ..of(PN2) },
        of(DFPN),
        SearchVariant { name: "dfpn, 512 KB", bytes: 1 << 19, ..of(DFPN) },
        with("dfpn, epsilon 0", DFPN, PnSearchOptions { epsilon: (0, 1), ..dfpn }),
        with("dfpn, sums", DFPN, PnSearchOptions { aggregation: Aggregation::Sum, ..dfpn }),
        with("dfpn, ones", DFPN, PnSearchOptions { initial: InitialNumbers::Unit, ..dfpn }),
        with("dfpn, mobility", DFPN, PnSearchOptions { initial: InitialNumbers::Mobility, ..dfpn }),
        of(DFPN_PLUS),
        with("dfpn-plus, costs", DFPN_PLUS, PnSearchOptions { evaluation_costs: true, ..DFPN_PLUS.tuning }),
        of(WIDENING),
        of(PDS),
        with("pds, epsilon 0", PDS, PnSearchOptions { epsilon: (0, 1), ..PDS.tuning }),
        of(PN_STAR),
        of(FOCUSED),
        of(LAMBDA),
        of(DUAL_LAMBDA),
        with("lambda, order 1", LAMBDA, PnSearchOptions { threat_order: 1, ..LAMBDA.tuning }),
    ]
}

/// The limits of a search: a number of positions, and optionally a time.
#[derive(Clone, Copy)]
struct SearchLimits {
    positions: u64,
    time: Option<Duration>,
}

fn solved(game: &Game, at: &State, variant: &SearchVariant, until: SearchLimits) -> Solution {
    let deadline = until.time.and_then(|time| Instant::now().checked_add(time));
    let (memory_bytes, positions) = (Some(variant.bytes), Some(until.positions));
    let limits = Limits { memory_bytes, positions, deadline, ..Limits::default() };
    let options = SolveOptions::default();
    let request = SolveRequest::new(game, at, &options, &limits, &NoProgress);
    match variant.solver {
        Some(solver) => solver.value(&request).expect("sound rules"),
        None => match alphabeta::AlphaBetaSolver::new(&request) {
            Ok(mut solver) => solver.value(at).expect("sound rules"),
            Err((limit, why)) => Solution { limit, ..Solution::unknown("alphabeta", "", why) },
        },
    }
}

/// Renders one line of the table: positions, seconds and value, or the limit that ended the search.
fn render_row(solution: &Solution, clock: Instant) -> String {
    let seconds = clock.elapsed().as_secs_f64();
    match (&solution.value, solution.limit) {
        (Some(value), _) => format!("{:>12} {seconds:9.1} s  {}", solution.positions, value.payoffs[0]),
        (None, Some(LimitHit::Memory)) => format!("memory full after {} {seconds:.1} s", solution.positions),
        (None, _) => format!("no answer after {} {seconds:.1} s: {:?}", solution.positions, solution.reason),
    }
}

fn connect_four(variant: &SearchVariant, until: SearchLimits) {
    let game = rules("connect_four", &[]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/connect_four/middle-easy.txt");
    let text = std::fs::read_to_string(path).expect("a set of positions");
    let (clock, mut positions, mut done) = (Instant::now(), 0, 0);
    for line in text.lines().take(TEST_SET_POSITIONS) {
        let (columns, score) = line.split_once(' ').expect("columns and a score");
        let score: i64 = score.trim().parse().expect("a score");
        let at = columns.chars().fold(game.machine.initial(), |at, column| {
            let is =
                |s: &bouton_search::game::Successor| game.notation(&at, &s.play).trim() == column.to_string();
            game.machine
                .successors(&at)
                .expect("sound rules")
                .into_iter()
                .find(is)
                .expect("a legal move")
                .state
        });
        let solution = solved(&game, &at, variant, until);
        if solution.status == Status::Solved {
            let payoff = solution.value.expect("a value").payoffs[columns.len() % 2].clone();
            assert_eq!(payoff, score.signum().into(), "{columns} {}", variant.name);
            (positions, done) = (positions + solution.positions, done + 1);
        }
    }
    let mean = positions / done.max(1);
    println!(
        "    {:18} {mean:>12} {:9.1} s  {done} of {TEST_SET_POSITIONS}",
        variant.name,
        clock.elapsed().as_secs_f64()
    );
}

fn main() {
    let mut asked: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let mut option = |name: &str| {
        let at = asked.iter().position(|arg| arg == name)?;
        Some(asked.drain(at..at + 2).nth(1).expect("a value"))
    };
    let number = |value: String| value.parse::<u64>().expect("a number");
    let positions = option("--positions").map_or(5_000_000, number);
    let until = SearchLimits { positions, time: option("--seconds").map(number).map(Duration::from_secs) };
    let only = option("--only");
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|of| name.starts_with(of.as_str()));
    let all: Vec<SearchVariant> =
        variants().into_iter().filter(|v| only.as_ref().is_none_or(|only| v.name == only)).collect();
    if wanted("connect four") {
        println!("connect four, middle-easy, means");
        all.iter().for_each(|variant| connect_four(variant, until));
    }
    let row = |name: &str, game: &Game, at: &State| {
        println!("{name}");
        for variant in &all {
            let clock = Instant::now();
            let solution = solved(game, at, variant, until);
            println!("    {:18} {}", variant.name, render_row(&solution, clock));
        }
    };
    for (name, game, settings) in BOARDS.iter().filter(|board| wanted(board.0)) {
        let game = rules(game, settings);
        row(name, &game, &game.machine.initial());
    }
    for (name, rows) in ENDINGS.iter().filter(|ending| wanted(ending.0)) {
        let (game, at) = ending(rows);
        row(name, &game, &at);
    }
}
