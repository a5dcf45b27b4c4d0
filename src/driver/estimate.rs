//! Estimates the number of reachable positions from a sample.
//!
//! Technique: the first plies are enumerated, and random plays give the branching factor of later plies. From ply to
//! ply the number of positions is multiplied by the branching factor and divided by the number of moves that lead to
//! one position. That divisor is measured on the enumerated plies and extrapolated as a fixed power of the ply: 0
//! without transpositions, towards 1 where pieces are placed in any order.
//! Source: Knuth, "Estimating the efficiency of backtrack programs" (1975) for the random plays; the division, without
//! which a position counts once for every path to it, is ad hoc.
//! Cost: about two thousand expansions for every game.
//! Invariant: the same game gives the same number, on every machine and with any number of threads. The estimate is
//! rather too large than too small: transpositions become more frequent than the first plies show.
//! Not used: counting collisions among random positions, which detects nothing beyond the square of the sample size.

use std::ops::ControlFlow;

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_search::game::explore::{
    ExplorationRequest, ExploreEnd, IndexVisitor, IndexedPosition, explore_indices,
};
use bouton_search::game::random::{Random, RandomError, random_play};
use bouton_search::game::{Game, State};
use bouton_search::solve::Estimate;

/// The number of positions that a sample enumerates.
pub const SAMPLE_POSITIONS: u64 = 1500;
/// The number of random plays of a sample.
pub const SAMPLE_PLAYS: usize = 4;
/// The maximal number of plies of a random play; a longer play counts as cyclic.
const MAX_PLAY_PLIES: usize = 200;
/// The seed of the random plays, the same in every run.
const SEED: u64 = 0x426f_7574_6f6e;

/// The result of sampling.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sample {
    /// There are few positions, or the rules have a fault in one of them; solving gives the answer.
    Few,
    /// A limit was reached.
    LimitReached,
    /// There are more positions than the sample enumerates.
    Many(Estimate),
}

/// The numbers of positions and of moves of each enumerated ply.
#[derive(Default)]
struct PlyCounts {
    positions: Vec<f64>,
    moves: Vec<f64>,
    /// The number of plies that are complete.
    complete: usize,
}

impl IndexVisitor for PlyCounts {
    fn mark(&mut self, mark: &IndexedPosition<'_>) -> ControlFlow<()> {
        let ply = mark.ply as usize;
        self.positions.resize(self.positions.len().max(ply + 1), 0.0);
        self.moves.resize(self.moves.len().max(ply + 1), 0.0);
        self.positions[ply] += 1.0;
        self.moves[ply] += mark.next.len() as f64;
        ControlFlow::Continue(())
    }

    fn layer(&mut self, ply: u32) -> ControlFlow<()> {
        self.complete = ply as usize + 1;
        ControlFlow::Continue(())
    }
}

/// Estimates the number of positions reachable from `from`, at most `most`.
pub fn estimate(game: &Game, from: &State, most: f64, limits: &Limits) -> Sample {
    let mut plies = PlyCounts::default();
    let few = Limits { positions: Some(SAMPLE_POSITIONS), ..limits.clone() };
    let request =
        ExplorationRequest { game, from: std::slice::from_ref(from), limits: &few, progress: &NoProgress };
    let seen = explore_indices(request, None, &mut plies);
    match seen.ended {
        ExploreEnd::Limit(LimitHit::Positions) => {}
        ExploreEnd::Limit(_) => return Sample::LimitReached,
        _ => return Sample::Few,
    }
    let choices = match choices(&game.with_limits(limits), from) {
        Ok(choices) => choices,
        Err(RandomError::Broken(_)) => return Sample::Few,
        Err(RandomError::Limit(_)) => return Sample::LimitReached,
    };
    let (positions, moves) = reach(&plies, &choices, most);
    // The solver stores the packed words, the graph with its edges, and the labels.
    Sample::Many(Estimate { positions, graph_bytes: 80.0 + 8.0 * from.0.len() as f64 + 4.0 * moves })
}

/// The mean number of moves at each ply, over the random plays that reach it; a play that ends there counts as 0 moves.
fn choices(game: &Game, from: &State) -> Result<Vec<f64>, RandomError> {
    let mut random = Random::new(SEED);
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for _ in 0..SAMPLE_PLAYS {
        let line = random_play(game, from, &mut random, MAX_PLAY_PLIES)?;
        // A play that is over has no moves at its last position, unless it was only cut off.
        let over = line.plays.len() < MAX_PLAY_PLIES;
        let all = line.choices.iter().map(|&n| n as f64).chain(over.then_some(0.0));
        for (ply, choices) in all.enumerate() {
            sums.resize(sums.len().max(ply + 1), (0.0, 0.0));
            sums[ply].0 += choices;
            sums[ply].1 += 1.0;
        }
    }
    Ok(sums.into_iter().map(|(sum, plays)| sum / plays).collect())
}

/// Returns the number of positions of all plies, at most `most`, and the mean number of moves of a position.
fn reach(plies: &PlyCounts, choices: &[f64], most: f64) -> (f64, f64) {
    let power = power(plies);
    let known = plies.complete.max(1);
    let mut total: f64 = plies.positions.iter().take(known).sum();
    let mut edges: f64 = plies.moves.iter().take(known).sum();
    let mut last = plies.positions.get(known - 1).copied().unwrap_or(1.0);
    let mut moves = plies.moves.get(known - 1).map_or(1.0, |moves| moves / last.max(1.0));
    let mut ply = known;
    while last >= 1.0 && total < most {
        last *= moves / (ply as f64).powf(power);
        total += last;
        // Beyond the longest play: plays that were cut off go on with their last number of moves, since nothing shows
        // that they end.
        moves = match choices.get(ply) {
            Some(&moves) => moves,
            None if choices.len() > MAX_PLAY_PLIES - 1 => choices[choices.len() - 1],
            None => 0.0,
        };
        edges += last * moves;
        ply += 1;
        if ply > 100 * MAX_PLAY_PLIES {
            break;
        }
    }
    (total.min(most), edges / total.max(1.0))
}

/// The exponent of the ply that gives the number of moves to one of its positions: the maximum over the complete plies,
/// since it grows as transpositions accumulate.
fn power(plies: &PlyCounts) -> f64 {
    let of = |ply: usize| {
        let ways = plies.moves[ply - 1] / plies.positions[ply].max(1.0);
        ways.max(1.0).ln() / (ply as f64).ln()
    };
    (2..plies.complete).map(of).fold(0.0, f64::max).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::GameSource;

    fn of(name: &str) -> Sample {
        let path = format!("{}/../../games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(path).expect("a game of games/");
        let game = GameSource::from_string(name, &source).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        estimate(&game, &game.machine.initial(), 1e30, &Limits::default())
    }

    fn positions(name: &str) -> f64 {
        match of(name) {
            Sample::Many(estimate) => estimate.positions,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn few_positions_are_no_estimate_and_many_are_near_the_truth() {
        assert_eq!(of("nim"), Sample::Few);
        // There are 5,478 positions and, as published, 4.5e12.
        let (small, large) = (positions("tictactoe"), positions("connect_four"));
        assert!((1e3..1e5).contains(&small), "{small}");
        assert!((1e11..1e16).contains(&large), "{large}");
        assert_eq!(positions("connect_four"), large);
    }
}
