//! Compares the depth-first solver on rules with a hand-written solver: positions visited, rates and times from one
//! run.
//!
//! `cargo bench --bench solvers [SET...] [COLSxROWS...]` takes sets of positions with known plies (`end-easy`,
//! `middle-easy`, `begin-easy`, `middle-medium`) and empty boards. Both solvers solve each position, one after the
//! other, so that noise of the machine affects both. `begin-medium` and `begin-hard-small` are optional files beside
//! the project; only the depth-first solver on rules solves them.

use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::alphabeta::AlphaBetaSolver;
use bouton_search::solve::{SolveOptions, SolveRequest};

#[path = "yardstick/connect_four_solver.rs"]
mod connect_four_solver;

use connect_four_solver::Solver as ByHand;

const SETS: [&str; 4] = ["end-easy", "middle-easy", "begin-easy", "middle-medium"];
/// Sets whose files are beside the project, not in it.
const EXTERNAL_SETS: [&str; 2] = ["begin-medium", "begin-hard-small"];
const BOARDS: [(i32, i32, i32); 6] = [(4, 4, 0), (5, 4, 0), (6, 4, -1), (5, 5, 0), (6, 5, 0), (6, 6, -1)];
/// The number of entries in the table of the hand-written solver: as many bytes as the table of the other solver.
const TABLE_ENTRIES: usize = 1 << 27;
const SMALL_TABLE_ENTRIES: usize = 8_388_593;

fn connect_four(cols: i32, rows: i32) -> Game {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/connect_four.bou");
    let settings = [format!("cols={cols}"), format!("rows={rows}")];
    let mut text =
        GameSource::read(&LoadRequest { path, settings: &settings, preset: None }).expect("the text");
    text.backend = Backend::Jit;
    text.game(None).expect("sound rules")
}

fn played(game: &Game, columns: &str) -> State {
    columns.chars().fold(game.machine.initial(), |at, column| {
        let successors = game.machine.successors(&at).expect("sound rules");
        let is =
            |s: &bouton_search::game::Successor| game.notation(&at, &s.play).trim() == column.to_string();
        successors.into_iter().find(is).expect("a legal move").state
    })
}

/// The number of positions visited, and the time taken.
#[derive(Default)]
struct SearchEffort(u64, Duration);

impl SearchEffort {
    fn render(&self, count: u64) -> String {
        let seconds = self.1.as_secs_f64();
        let (nodes, each) = (self.0 as f64 / count as f64, 1e6 * seconds / count as f64);
        format!("{nodes:12.0} nodes {:6.2} M/s {each:12.1} us", self.0 as f64 / seconds / 1e6)
    }
}

fn compare(name: &str, count: u64, ours: &SearchEffort, theirs: &SearchEffort) {
    let rate = |work: &SearchEffort| work.0 as f64 / work.1.as_secs_f64();
    println!("{name:14} rules   {}", ours.render(count));
    println!("{:14} by hand {}", "", theirs.render(count));
    let times = ours.1.as_secs_f64() / theirs.1.as_secs_f64();
    println!("{:14} rate {:.2}, time {times:.2} of by hand", "", rate(ours) / rate(theirs));
}

/// Returns the plies from a position after `played` plies to the end of the game, by its score: 22 minus the stones of
/// the winner, from the view of the player to move. `None` for a draw.
fn plies(played: usize, score: i32) -> Option<u32> {
    let stones = 22 - score.unsigned_abs();
    let winner = if score > 0 { played % 2 } else { (played + 1) % 2 };
    (score != 0).then(|| 2 * stones - u32::from(winner == 0) - played as u32)
}

/// Solves a set of the project, or a larger one beside the project, which takes up to an hour and has no hand-written
/// run.
fn compare_set(name: &str) {
    let own = SETS.contains(&name);
    let folder = if own { "tests/language/connect_four" } else { "../shared/oracles/connect_four" };
    let path = format!("{}/{folder}/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("{name}: there is no {path}");
        return;
    };
    let game = connect_four(7, 6);
    let options = SolveOptions { count_plies: true, ..SolveOptions::default() };
    let limits = Limits { memory_bytes: (!own).then_some(4 << 30), ..Limits::default() };
    let start = game.machine.initial();
    let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
    let mut solver = AlphaBetaSolver::new(&request).expect("it fits");
    let mut by_hand = ByHand::new(7, 6, SMALL_TABLE_ENTRIES);
    let (mut ours, mut theirs, mut count) = (SearchEffort::default(), SearchEffort::default(), 0);
    for line in text.lines() {
        let (columns, score) = line.split_once(' ').expect("columns and a score");
        let score: i32 = score.trim().parse().expect("a score");
        let at = played(&game, columns);
        let clock = Instant::now();
        let solution = solver.value(&at).expect("sound rules");
        ours.1 += clock.elapsed();
        ours.0 += solution.positions;
        let payoff = solution.value.expect("a value").payoffs[columns.len() % 2].clone();
        assert_eq!(payoff, i64::from(score.signum()).into(), "{columns}");
        assert_eq!(solution.remoteness, plies(columns.len(), score), "{columns}");
        count += 1;
        if !own {
            continue;
        }
        let at = by_hand.played(columns);
        let (clock, nodes) = (Instant::now(), by_hand.nodes);
        assert_eq!(by_hand.solve(at, false), score, "{columns}");
        theirs.1 += clock.elapsed();
        theirs.0 += by_hand.nodes - nodes;
    }
    if own {
        compare(name, count, &ours, &theirs);
    } else {
        println!("{name:14} rules   {}, all {count} values and plies as known", ours.render(count));
    }
}

fn compare_board(cols: i32, rows: i32, known: Option<i32>) {
    let game = connect_four(cols, rows);
    let limits = Limits { memory_bytes: Some(4 << 30), ..Limits::default() };
    let start = game.machine.initial();
    let clock = Instant::now();
    let options = SolveOptions::default();
    let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
    let mut solver = AlphaBetaSolver::new(&request).expect("it fits");
    let solution = solver.value(&start).expect("sound rules");
    let ours = SearchEffort(solution.positions, clock.elapsed());
    let value = solution.value.as_ref().map(|value| value.payoffs[0].clone());
    let entries = if cols * rows > 36 { TABLE_ENTRIES } else { SMALL_TABLE_ENTRIES };
    let clock = Instant::now();
    let mut by_hand = ByHand::new(cols, rows, entries);
    let score = by_hand.solve(by_hand.empty(), true);
    let theirs = SearchEffort(by_hand.nodes, clock.elapsed());
    assert_eq!(value, Some(i64::from(score).into()), "{cols} columns of {rows}");
    assert!(known.is_none_or(|known| known == score), "{cols} columns of {rows}");
    compare(&format!("{cols} by {rows}: {score}"), 1, &ours, &theirs);
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|of| of == name);
    SETS.into_iter().filter(|name| wanted(name)).for_each(compare_set);
    EXTERNAL_SETS.into_iter().filter(|name| asked.iter().any(|of| of == name)).for_each(compare_set);
    for (cols, rows, known) in BOARDS {
        if wanted(&format!("{cols}x{rows}")) {
            compare_board(cols, rows, Some(known));
        }
    }
    for name in &asked {
        let size =
            name.split_once('x').and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
        if let Some((cols, rows)) = size
            && BOARDS.iter().all(|board| (board.0, board.1) != (cols, rows))
        {
            compare_board(cols, rows, None);
        }
    }
}
