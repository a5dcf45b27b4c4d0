//! Approximate values of all nodes in floating point, where positions can come back and chance ends every play some day.
//!
//! Technique: value iteration, the last discovered nodes first, with the value of the matrix at each simultaneous choice;
//! likewise the greatest mean number of moves to the end, whatever the players choose.
//! Source: Shapley (1953).
//! Cost: a matrix game in floating point for each simultaneous choice a sweep.
//! Invariant: nothing is assumed of the result; callers begin with it and compute exactly.
//! Not taken: Newton's method on the strategies (Pollatschek and Avi-Itzhak 1969), which need not converge.

use super::game_tree::{GameTree, NONE};
use super::matrix_game::approximate_value;
use super::numbers::float;
use bouton_base::limits::Limits;

/// The maximal number of sweeps.
const MAX_SWEEPS: u32 = 20_000;
/// The change of a value, in proportion to the largest payoff, at which the iteration stops.
const MAX_CHANGE: f64 = 1e-15;
/// The change of a number of moves at which the iteration stops.
const MAX_LENGTH_CHANGE: f64 = 0.5;

/// Approximate values, by node.
pub(super) struct Approximation {
    /// The first player's payoffs.
    pub values: Vec<f64>,
    /// More than half a move above the mean over the next nodes, whatever the players choose; 0 at ends.
    pub lengths: Vec<f64>,
    /// The largest absolute payoff of an end, at least 1.
    pub largest_payoff: f64,
}

impl Approximation {
    /// Approximates the values of a tree with cycles; `None` if they do not come close in time.
    pub(super) fn of(tree: &GameTree, limits: &Limits) -> Option<Approximation> {
        let probabilities: Vec<f64> = tree.edges.iter().map(|edge| float(tree.probability(edge))).collect();
        let payoffs: Vec<Option<f64>> =
            (0..tree.nodes.len() as u32).map(|at| tree.payoff(at).map(float)).collect();
        let largest = payoffs.iter().flatten().fold(1.0, |most: f64, payoff| most.max(payoff.abs()));
        let mut approximation = Approximation {
            values: payoffs.iter().map(|payoff| payoff.unwrap_or(0.0)).collect(),
            lengths: vec![0.0; payoffs.len()],
            largest_payoff: largest,
        };
        for _ in 0..MAX_SWEEPS {
            let (mut change, mut longer): (f64, f64) = (0.0, 0.0);
            for at in (0..payoffs.len()).rev().filter(|&at| payoffs[at].is_none()) {
                let value = approximation.next_value(tree, &probabilities, at as u32, limits)?;
                let length = 1.0 + approximation.next_length(tree, &probabilities, at as u32);
                change = change.max((value - approximation.values[at]).abs());
                longer = longer.max(length - approximation.lengths[at]);
                approximation.values[at] = value;
                approximation.lengths[at] = length;
            }
            if limits.check().is_some() {
                return None;
            }
            if change <= MAX_CHANGE * largest && longer < MAX_LENGTH_CHANGE {
                return Some(approximation);
            }
        }
        None
    }

    /// Returns the value of a node by those of the next nodes.
    fn next_value(&self, tree: &GameTree, probabilities: &[f64], at: u32, limits: &Limits) -> Option<f64> {
        let range = tree.edge_range(at);
        let edges = &tree.edges[range.clone()];
        let values = || edges.iter().map(|edge| self.values[edge.to as usize]);
        Some(match tree.nodes[at as usize].sets {
            [NONE, NONE] => values().zip(&probabilities[range]).map(|(value, share)| value * share).sum(),
            [_, NONE] => values().fold(f64::NEG_INFINITY, f64::max),
            [NONE, _] => values().fold(f64::INFINITY, f64::min),
            [rows, columns] => {
                let count = |player: usize, set: u32| tree.sets[player][set as usize].actions.len();
                let mut matrix = vec![vec![0.0; count(1, columns)]; count(0, rows)];
                for (edge, value) in edges.iter().zip(values()) {
                    let [row, column] = edge.actions;
                    matrix[row as usize][column as usize] = value;
                }
                approximate_value(&matrix, limits)?
            }
        })
    }

    /// Returns the greatest mean of the numbers of moves after a node.
    fn next_length(&self, tree: &GameTree, probabilities: &[f64], at: u32) -> f64 {
        let range = tree.edge_range(at);
        let lengths = tree.edges[range.clone()].iter().map(|edge| self.lengths[edge.to as usize]);
        match tree.nodes[at as usize].sets {
            [NONE, NONE] => lengths.zip(&probabilities[range]).map(|(length, share)| length * share).sum(),
            _ => lengths.fold(0.0, f64::max),
        }
    }
}
