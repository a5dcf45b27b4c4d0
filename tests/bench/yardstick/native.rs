//! The yardsticks as a program of their own, for compilation with the features of the local processor: `rates.rs`
//! compiles this file with `-C target-cpu=native`. Arguments: a game, the plies of its perft, whether they are turns,
//! and the number of playouts. Prints millions of leaves and of states a second, medians of five.

use std::hint::black_box;
use std::time::Instant;

#[allow(dead_code)]
#[path = "mod.rs"]
mod yardstick;

fn rate(run: impl Fn() -> u64) -> f64 {
    let once = |_| {
        let clock = Instant::now();
        black_box(run()) as f64 / clock.elapsed().as_secs_f64() / 1e6
    };
    let mut all: Vec<f64> = (0..5).map(once).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [game, depth, by_turn, games] = &given[..] else { panic!("a game, a depth, whether by turn, games") };
    let depth: u32 = depth.parse().expect("a depth");
    let (by_turn, games): (bool, u64) = (by_turn == "true", games.parse().expect("a number of games"));
    macro_rules! told {
        ($game:ident) => {{
            let perft = rate(|| yardstick::$game::perft(black_box(depth), by_turn).leaves);
            println!("{perft} {}", rate(|| yardstick::$game::playouts(black_box(games), 1).states));
        }};
    }
    match game.as_str() {
        "connect_four" => told!(connect_four),
        "breakthrough" => told!(breakthrough),
        "othello" => told!(othello),
        "english_draughts" => told!(english_draughts),
        _ => panic!("no yardstick of {game}"),
    }
}
