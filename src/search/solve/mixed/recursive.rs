//! Games with simultaneous choices in which positions can come back: bounds by iteration from both sides.
//!
//! Technique: every position has a lower and an upper bound. A sweep replaces the bounds of a position by those of its
//! best move, by the mean, or by the value of the matrix of the bounds after each pair of choices, rounded outwards.
//! Source: Shapley (1953) for stochastic games; Everett (1957) for games in which only ends and play without end pay.
//! Cost: a matrix game for each simultaneous choice a sweep.
//! Invariant: the value is a fixpoint of the sweep, and the sweep is monotone: bounds that begin outside stay outside,
//! at whatever sweep the iteration stops. Matrix games count by the exact guarantees of the strategies found.
//! Not taken: strategy improvement (Hoffman and Karp 1966), since these games may have no optimal strategies at all.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::matrix_game::{self, Matrix};
use super::numbers::{rounded_down, rounded_up};
use super::simultaneous::{Matrices, payoffs};
use crate::game::information::own_choice;
use crate::game::{MoveInstance, ToMove};
use crate::solve::graph::{GameGraph, GraphNode};
use crate::solve::payoffs::{NO_ENDLESS_VALUE, PayoffModel};
use crate::solve::{Bounds, Inapplicable, Solution, SolveRequest, Solver, Status};
use bouton_base::rational::Rational;

/// The binary digits after the point of bounds.
const FRACTION_BITS: u32 = 40;
/// The gap at which the iteration stops, in the last digit.
const MAX_GAP: i64 = 1 << 10;
/// The maximal number of sweeps.
const MAX_SWEEPS: u32 = 2_000;

/// Encloses the value of a complete graph with cycles.
pub(super) fn solve(request: &SolveRequest<'_>, graph: &GameGraph, why: &str) -> Solution {
    let name = Matrices.name();
    match enclose(request, graph) {
        Ok((low, high, model)) => {
            let mut solution = Solution::unknown(name, why, "the value is enclosed, not exact");
            if low == high {
                solution.status = Status::Solved;
                solution.value = Some(model.describe(low, true));
                solution.reason = None;
            } else {
                solution.status = Status::Bounded;
                solution.bounds = Some(Bounds { low: Some(low), high: Some(high) });
            }
            solution.positions = graph.expanded() as u64;
            solution.memory_bytes = graph.held_bytes();
            solution
        }
        Err(reason) => Solution::inapplicable(name, why, reason),
    }
}

/// The bounds of the value at the start, with the payoffs of the game.
type Enclosed = (Rational, Rational, PayoffModel);

fn enclose(request: &SolveRequest<'_>, graph: &GameGraph) -> Result<Enclosed, Inapplicable> {
    let model = payoffs(request, graph)?;
    let Some(infinite) = &model.infinite else {
        return Err(NO_ENDLESS_VALUE.into());
    };
    let shapes = shapes(request, graph)?;
    let all = || model.ends.iter().chain([infinite]);
    let (least, most) = (all().min().unwrap_or(infinite), all().max().unwrap_or(infinite));
    let start = |worst: &Rational| -> Vec<BigRational> {
        let of = |position| match graph.node(position) {
            GraphNode::Over(outcome) => model.ends[outcome as usize].to_big(),
            _ => worst.to_big(),
        };
        (0..graph.len() as u32).map(of).collect()
    };
    let mut low = Side { values: start(least), is_low: true };
    let mut high = Side { values: start(most), is_low: false };
    let gap = BigRational::new(MAX_GAP.into(), BigInt::from(1) << FRACTION_BITS);
    for _ in 0..MAX_SWEEPS {
        let changed = low.sweep(request, graph, &shapes)? | high.sweep(request, graph, &shapes)?;
        if !changed || &high.values[0] - &low.values[0] <= gap {
            break;
        }
        if let Some(hit) = request.limits.check() {
            return Err(hit.into());
        }
    }
    Ok((rounded_down(&low.values[0]), rounded_up(&high.values[0]), model))
}

/// For each position with a simultaneous choice, the number of the second player's choices.
fn shapes(request: &SolveRequest<'_>, graph: &GameGraph) -> Result<Vec<u32>, Inapplicable> {
    let mut shapes = vec![0; graph.len()];
    for at in (0..graph.len() as u32).filter(|&at| graph.node(at) == GraphNode::Each) {
        if let Some(hit) = request.limits.check() {
            return Err(hit.into());
        }
        let state = graph.explored.arena.state(at);
        let moves = request.game.machine.successors(&state).unwrap_or_default();
        let own = |play: &MoveInstance, player| own_choice(&ToMove::Simultaneous, play, player).cloned();
        let distinct = |player: u32| {
            let mut all: Vec<_> = moves.iter().map(|made| own(&made.play, player)).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        if distinct(0) * distinct(1) != moves.len() {
            return Err("some pairs of simultaneous choices are not legal together".into());
        }
        shapes[at as usize] = distinct(1) as u32;
    }
    Ok(shapes)
}

/// The bounds on one side.
struct Side {
    values: Vec<BigRational>,
    is_low: bool,
}

impl Side {
    /// Updates every bound, the last discovered first; returns true if one changed.
    fn sweep(
        &mut self,
        request: &SolveRequest<'_>,
        graph: &GameGraph,
        shapes: &[u32],
    ) -> Result<bool, Inapplicable> {
        let mut changed = false;
        for at in (0..graph.len() as u32).rev() {
            let next = graph.successors(at);
            let values = || next.iter().map(|&to| &self.values[to as usize]);
            let new = match graph.node(at) {
                GraphNode::Player(0) => values().max().cloned(),
                GraphNode::Player(_) => values().min().cloned(),
                GraphNode::Chance => {
                    let shares = graph.probabilities(at).iter();
                    Some(values().zip(shares).map(|(value, share)| value * share.to_big()).sum())
                }
                GraphNode::Each => {
                    let line = |row: &[u32]| row.iter().map(|&to| self.values[to as usize].clone()).collect();
                    let matrix: Matrix = next.chunks(shapes[at as usize].max(1) as usize).map(line).collect();
                    let solved = matrix_game::solve(&matrix, request.limits)?;
                    Some(if self.is_low { solved.low } else { solved.high })
                }
                GraphNode::Over(_) | GraphNode::Open => continue,
            };
            let Some(new) = new.map(|new| self.rounded(&new)) else { continue };
            let old = &mut self.values[at as usize];
            if if self.is_low { new > *old } else { new < *old } {
                *old = new;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Rounds outwards to the digits of bounds.
    fn rounded(&self, number: &BigRational) -> BigRational {
        let scale = BigRational::from_integer(BigInt::from(1) << FRACTION_BITS);
        let scaled = number * &scale;
        let whole = if self.is_low { scaled.floor() } else { scaled.ceil() };
        if scale.is_zero() { whole } else { whole / scale }
    }
}
