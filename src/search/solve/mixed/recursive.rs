//! Games with simultaneous choices in which positions can come back: bounds by iteration from both sides.
//!
//! Technique: every position has a lower and an upper bound. A sweep replaces the bounds of a position by those of its
//! best move, by the mean, or by the value of the matrix of the bounds after each pair of choices, rounded outwards.
//! If chance ends every play some day, whatever the players choose, infinite play needs no value, and the choices that
//! are optimal for the bounds guarantee them.
//! Source: Shapley (1953) for stochastic games; Everett (1957) for games in which only ends and play without end pay.
//! Cost: a matrix game for each simultaneous choice a sweep.
//! Invariant: the value is a fixpoint of the sweep, and the sweep is monotone: bounds that begin outside stay outside,
//! at whatever sweep the iteration stops. Matrix games count by the exact guarantees of the strategies found.
//! Not taken: strategy improvement (Hoffman and Karp 1966), since these games may have no optimal strategies at all.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::game_tree::{Behaviour, GameTree, NONE, NoTree, TreeEdge};
use super::matrix_game::{self, Matrix};
use super::numbers::{rounded_down, rounded_up};
use super::play::{Attempt, MixedPlay};
use super::simultaneous::{Matrices, payoffs};
use crate::solve::graph::GameGraph;
use crate::solve::payoffs::{NO_ENDLESS_VALUE, PayoffModel, ends_almost_surely};
use crate::solve::{Bounds, Inapplicable, Solution, SolveRequest, Solver, Status};
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;

/// The binary digits after the point of bounds.
const FRACTION_BITS: u32 = 40;
/// The gap at which the iteration stops, in the last digit.
const MAX_GAP: i64 = 1 << 10;
/// The maximal number of sweeps.
const MAX_SWEEPS: u32 = 2_000;

/// Encloses the value of a complete graph with cycles.
pub(super) fn solve(request: &SolveRequest<'_>, graph: &GameGraph, why: &str) -> Attempt<Solution> {
    let model = match payoffs(request, graph) {
        Ok(model) => model,
        Err(reason) => return Ok(Err(reason)),
    };
    let ends_surely = ends_almost_surely(graph);
    if model.infinite.is_none() && !ends_surely {
        return Ok(Err(NO_ENDLESS_VALUE.into()));
    }
    // The value of play that has probability 0 does not matter.
    let infinite = model.infinite.clone().filter(|_| !ends_surely);
    match GameTree::with_cycles(request.game, request.state, request.limits) {
        Ok(tree) => Ok(enclose(request.limits, tree, &PayoffModel { infinite, ..model }, why)),
        Err(NoTree::Faulty(met)) => Err(met),
        Err(NoTree::Inapplicable(reason)) => Ok(Err(reason)),
    }
}

/// Encloses the value of the first node. Infinite play has no payoff if its probability is 0.
fn enclose(
    limits: &Limits,
    tree: GameTree,
    model: &PayoffModel,
    why: &str,
) -> Result<Solution, Inapplicable> {
    check_shapes(&tree)?;
    let all = || model.ends.iter().chain(&model.infinite);
    let side = |worst: Option<&Rational>, is_low| {
        let worst = worst.map_or_else(BigRational::zero, Rational::to_big);
        let start = |at| tree.payoff(at).unwrap_or(&worst).clone();
        let values = (0..tree.nodes.len() as u32).map(start).collect();
        Side { tree: &tree, values, is_low }
    };
    let mut low = side(all().min(), true);
    let mut high = side(all().max(), false);
    let gap = BigRational::new(MAX_GAP.into(), BigInt::from(1) << FRACTION_BITS);
    for _ in 0..MAX_SWEEPS {
        let changed = low.sweep(limits)? | high.sweep(limits)?;
        if !changed || &high.values[0] - &low.values[0] <= gap {
            break;
        }
        if let Some(hit) = limits.check() {
            return Err(hit.into());
        }
    }
    let bounds = Bounds { low: Some(rounded_down(&low.values[0])), high: Some(rounded_up(&high.values[0])) };
    let strategies = match model.infinite {
        None => Some([low.strategy(limits)?, high.strategy(limits)?]),
        Some(_) => None,
    };
    let mut solution = Solution::unknown(Matrices.name(), why, "the value is enclosed, not exact");
    if bounds.low == bounds.high {
        solution.status = Status::Solved;
        solution.value = bounds.low.map(|value| model.describe(value, true));
        solution.reason = None;
    } else {
        solution.status = if bounds.are_close() { Status::Enclosed } else { Status::Bounded };
        solution.bounds = Some(bounds);
    }
    if strategies.is_some() {
        solution.mixed = Some(Arc::new(MixedPlay { tree, strategies, matrix: None }));
    }
    Ok(solution)
}

/// The number of choices of a player at a node.
fn choices(tree: &GameTree, at: u32, player: usize) -> usize {
    match tree.nodes[at as usize].sets[player] {
        NONE => 0,
        set => tree.sets[player][set as usize].actions.len(),
    }
}

/// Checks that every pair of simultaneous choices is legal.
fn check_shapes(tree: &GameTree) -> Result<(), Inapplicable> {
    let mut each = (0..tree.nodes.len() as u32).filter(|&at| !tree.nodes[at as usize].sets.contains(&NONE));
    match each.any(|at| choices(tree, at, 0) * choices(tree, at, 1) != tree.edges_of(at).len()) {
        true => Err("some pairs of simultaneous choices are not legal together".into()),
        false => Ok(()),
    }
}

/// The bounds on one side.
struct Side<'t> {
    tree: &'t GameTree,
    values: Vec<BigRational>,
    is_low: bool,
}

impl Side<'_> {
    /// Updates every bound, the last discovered first; returns true if one changed.
    fn sweep(&mut self, limits: &Limits) -> Result<bool, Inapplicable> {
        let mut changed = false;
        for at in (0..self.tree.nodes.len() as u32).rev() {
            let edges = self.tree.edges_of(at);
            let values = || edges.iter().map(|edge| &self.values[edge.to as usize]);
            let new = match self.tree.nodes[at as usize].sets {
                _ if self.tree.payoff(at).is_some() => continue,
                [NONE, NONE] => Some(
                    edges.iter().zip(values()).map(|(edge, value)| self.tree.probability(edge) * value).sum(),
                ),
                [_, NONE] => values().max().cloned(),
                [NONE, _] => values().min().cloned(),
                _ => {
                    let solved = matrix_game::solve(&self.matrix(at), limits)?;
                    Some(if self.is_low { solved.low } else { solved.high })
                }
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

    /// The bounds after each pair of simultaneous choices.
    fn matrix(&self, at: u32) -> Matrix {
        let mut matrix =
            vec![vec![BigRational::zero(); choices(self.tree, at, 1)]; choices(self.tree, at, 0)];
        for edge in self.tree.edges_of(at) {
            let [row, column] = edge.actions;
            matrix[row as usize][column as usize] = self.values[edge.to as usize].clone();
        }
        matrix
    }

    /// The optimal choices by these bounds, of the first player by lower and of the second by upper ones.
    fn strategy(&self, limits: &Limits) -> Result<Behaviour, Inapplicable> {
        let player = if self.is_low { 0 } else { 1 };
        let mut strategy = vec![Vec::new(); self.tree.sets[player].len()];
        for at in 0..self.tree.nodes.len() as u32 {
            let sets = self.tree.nodes[at as usize].sets;
            let Some(choice) = strategy.get_mut(sets[player] as usize) else { continue };
            *choice = if sets[1 - player] == NONE {
                let value = |edge: &TreeEdge| &self.values[edge.to as usize];
                let edges = self.tree.edges_of(at).iter();
                let best = match self.is_low {
                    true => edges.rev().max_by(|a, b| value(a).cmp(value(b))),
                    false => edges.min_by(|a, b| value(a).cmp(value(b))),
                };
                let best = best.map_or(0, |edge| edge.actions[player] as usize);
                let share = |action| if action == best { One::one() } else { Zero::zero() };
                (0..choices(self.tree, at, player)).map(share).collect()
            } else {
                let solved = matrix_game::solve(&self.matrix(at), limits)?;
                if self.is_low { solved.rows } else { solved.columns }
            };
        }
        Ok(strategy)
    }

    /// Rounds outwards to the digits of bounds.
    fn rounded(&self, number: &BigRational) -> BigRational {
        let scale = BigRational::from_integer(BigInt::from(1) << FRACTION_BITS);
        let scaled = number * &scale;
        let whole = if self.is_low { scaled.floor() } else { scaled.ceil() };
        if scale.is_zero() { whole } else { whole / scale }
    }
}
