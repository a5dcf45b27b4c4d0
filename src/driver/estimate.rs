//! Estimates the number of reachable positions from a sample.
//!
//! Technique: the first plies are enumerated, and random plays give the branching factor of later plies. From ply to
//! ply the number of positions is multiplied by the branching factor and divided by the number of moves that lead to
//! one position. That divisor is measured on the enumerated plies and extrapolated as a fixed power of the ply: 0
//! without transpositions, towards 1 where pieces are placed in any order.
//! Source: Knuth, "Estimating the efficiency of backtrack programs" (1975) for the random plays; the division, without
//! which a position counts once for every path to it, is ad hoc.
//! Plies say little where positions come back, as a long random play or a result of endless play shows: there the
//! positions are at most as many as the ways to fill the cells of each field, each value as often as some play has it. Pieces that only move have each value equally often in all positions.
//! Cost: about two thousand expansions for every game.
//! Invariant: the same game gives the same number, on every machine and with any number of threads. The estimate is
//! rather too large than too small: transpositions become more frequent than the first plies show.
//! Not used: counting collisions among random positions, which detects nothing beyond the square of the sample size.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_rules::{Field, FieldId, Value};
use bouton_search::game::explore::{
    ExplorationRequest, ExploreEnd, IndexVisitor, IndexedPosition, explore_indices,
};
use bouton_search::game::random::{Random, RandomError, RandomPlay, random_play};
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
    Many(ManyPositions),
}

/// An estimate of more positions than the sample enumerates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ManyPositions {
    pub estimate: Estimate,
    /// True if positions seem to come back: a random play went on for long, or endless play has a result.
    pub cycles: bool,
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
    let plays = match plays(&game.with_limits(limits), from) {
        Ok(plays) => plays,
        Err(RandomError::Broken(_)) => return Sample::Few,
        Err(RandomError::Limit(_)) => return Sample::LimitReached,
    };
    let (mut positions, moves) = reach(&plies, &choices(&plays), most);
    let ends_loops = game.rules.repeats.iter().any(|rule| rule.count.is_none());
    let cycles = ends_loops || plays.iter().any(|play| play.plays.len() == MAX_PLAY_PLIES);
    if cycles {
        positions = positions.min(arrangements(game, &plays)).max(SAMPLE_POSITIONS as f64);
    }
    // The solver stores the packed words, the graph with its edges, and the labels.
    let graph_bytes = 80.0 + 8.0 * from.0.len() as f64 + 4.0 * moves;
    Sample::Many(ManyPositions { estimate: Estimate { positions, graph_bytes }, cycles })
}

fn plays(game: &Game, from: &State) -> Result<Vec<RandomPlay>, RandomError> {
    let mut random = Random::new(SEED);
    (0..SAMPLE_PLAYS).map(|_| random_play(game, from, &mut random, MAX_PLAY_PLIES)).collect()
}

/// The mean number of moves at each ply, over the random plays that reach it; a play that ends there counts as 0 moves.
fn choices(plays: &[RandomPlay]) -> Vec<f64> {
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for play in plays {
        // A play that is over has no moves at its last position, unless it was only cut off.
        let over = play.plays.len() < MAX_PLAY_PLIES;
        let all = play.choices.iter().map(|&n| n as f64).chain(over.then_some(0.0));
        for (ply, choices) in all.enumerate() {
            sums.resize(sums.len().max(ply + 1), (0.0, 0.0));
            sums[ply].0 += choices;
            sums[ply].1 += 1.0;
        }
    }
    sums.into_iter().map(|(sum, plays)| sum / plays).collect()
}

/// The number of ways to fill the cells of all fields, with each value of a field as often as in some position of the
/// plays.
fn arrangements(game: &Game, plays: &[RandomPlay]) -> f64 {
    let states = || plays.iter().flat_map(|play| &play.states);
    let of_field = |(field, of): (FieldId, &Field)| {
        let mut often: BTreeMap<Value, RangeInclusive<usize>> = BTreeMap::new();
        for (seen, state) in states().enumerate() {
            let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
            for value in game.machine.read_all(state, field, of.cells()) {
                *counts.entry(value).or_default() += 1;
            }
            for (value, range) in &mut often {
                if !counts.contains_key(value) {
                    *range = 0..=*range.end();
                }
            }
            for (value, count) in counts {
                let least = if seen == 0 { count } else { 0 };
                let range = often.entry(value).or_insert(least..=count);
                *range = count.min(*range.start())..=count.max(*range.end());
            }
        }
        words(of.cells(), often.into_values())
    };
    game.rules.fields.entries().map(of_field).product()
}

/// The number of words of a length with each letter as often as its range says.
fn words(length: usize, letters: impl Iterator<Item = RangeInclusive<usize>>) -> f64 {
    let mut ways = vec![0.0; length + 1];
    ways[0] = 1.0;
    for range in letters {
        let mut more = vec![0.0; length + 1];
        for (taken, &before) in ways.iter().enumerate().filter(|(_, before)| **before > 0.0) {
            // The number of ways to choose places for the letter among those that are left.
            let mut places = 1.0;
            for count in 0..=(*range.end()).min(length - taken) {
                if range.contains(&count) {
                    more[taken + count] += before * places;
                }
                places *= (length - taken - count) as f64 / (count + 1) as f64;
            }
        }
        ways = more;
    }
    ways[length]
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
            Sample::Many(many) => many.estimate.positions,
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

    #[test]
    fn words_are_counted_by_their_letters() {
        assert_eq!(words(4, [2..=2, 2..=2].into_iter()), 6.0);
        assert_eq!(words(3, [0..=3, 0..=3].into_iter()), 8.0);
        assert_eq!(words(16, [4..=4, 4..=4, 8..=8].into_iter()), 900_900.0);
        assert_eq!(words(2, [1..=1].into_iter()), 0.0);
    }

    #[test]
    fn pieces_that_only_move_have_few_arrangements() {
        let text = "game \"Slide\"; players White, Black; board Cell = grid(4, 4);
            state { at[c: Cell]: Player? = if c.row = 1 then White else if c.row = 4 then Black else none; }
            move go(a: Cell, b: Cell) as \"{a}-{b}\" {
              when at[a] = me and at[b] = none and b in a.around; at[b] <- at[a];
            }
            end { for p in Player when all c in { a1, a4, d1, d4 }: at[c] = p => p wins; repeat => draw; }";
        let game = GameSource::from_string("slide.bou", text).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        match estimate(&game, &game.machine.initial(), 1e30, &Limits::default()) {
            Sample::Many(many) => {
                assert!(many.cycles);
                assert_eq!(many.estimate.positions, 2.0 * 900_900.0);
            }
            other => panic!("{other:?}"),
        }
    }
}
