//! The labels of a solved graph: for each position its value and the plies to it.

use std::hash::BuildHasher;

use bouton_base::key_table::prefetch;
use bouton_base::rational::Rational;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::graph::{GameGraph, GraphNode};
use super::payoffs::PayoffModel;

/// The mark for no value, or for no number of plies.
pub const NO_LABEL: u32 = u32::MAX;

/// The labels: for each position the value for the first player, and the number of plies that it takes.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The distinct values.
    values: Vec<Rational>,
    /// The indices of the values, by value.
    index: HashTable<u32>,
    /// By position: the index of its value; [`NO_LABEL`] if it has none.
    value: Vec<u32>,
    /// By position: the plies; empty as long as none are counted.
    steps: Vec<u32>,
    /// By player and position: the rank that decreases while he plays for the value of the position and infinite play
    /// would be worse for him; [`NO_LABEL`] if it would not. For loops with chance only.
    pub(super) progress: Option<[Vec<u32>; 2]>,
}

/// The labels of a graph in which positions may be open.
pub(super) struct BoundLabels {
    /// The labels with open positions as bad as possible for the first player, or lower bounds.
    pub low: Labels,
    /// The labels with open positions as good as possible, or upper bounds; `None` if every label is exact.
    pub high: Option<Labels>,
    /// The ply of the first win, if it leaves positions open: values of longer play are unknown.
    pub horizon: Option<u32>,
}

impl Labels {
    /// Creates labels for this many positions, all without a value. The values known beforehand, all distinct, keep their
    /// indices.
    pub fn new(positions: usize, values: Vec<Rational>) -> Self {
        let value = vec![NO_LABEL; positions];
        let mut labels =
            Labels { values: Vec::new(), index: HashTable::new(), value, steps: Vec::new(), progress: None };
        values.iter().for_each(|value| {
            labels.number_of(value);
        });
        labels
    }

    /// Returns the distinct values, by index.
    pub fn values(&self) -> &[Rational] {
        &self.values
    }

    /// Returns the value of a position.
    pub fn value(&self, position: u32) -> Option<&Rational> {
        self.values.get(self.value[position as usize] as usize)
    }

    /// Returns the index of a position's value; [`NO_LABEL`] if it has none.
    pub fn number(&self, position: u32) -> u32 {
        self.value[position as usize]
    }

    /// Prefetches the label of a position.
    pub fn prefetch(&self, position: u32) {
        prefetch(&self.value[position as usize]);
        if let Some(steps) = self.steps.get(position as usize) {
            prefetch(steps);
        }
    }

    /// Returns the plies to the value, if counted.
    pub fn steps(&self, position: u32) -> Option<u32> {
        self.steps.get(position as usize).copied().filter(|&s| s != NO_LABEL)
    }

    /// Returns true if plies to some value are counted.
    pub fn counts_plies(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the ranks of the positions for a player, if there are any.
    pub fn progress(&self, player: u32) -> Option<&[u32]> {
        self.progress.as_ref().map(|ranks| &*ranks[player as usize])
    }

    /// Labels a position with a value known beforehand, by its index.
    pub fn set_number(&mut self, position: u32, number: u32, steps: u32) {
        self.value[position as usize] = number;
        if steps != NO_LABEL && self.steps.is_empty() {
            self.steps = vec![NO_LABEL; self.value.len()];
        }
        if let Some(counted) = self.steps.get_mut(position as usize) {
            *counted = steps;
        }
    }

    /// Labels a position with any value.
    pub fn set(&mut self, position: u32, value: &Rational, steps: u32) {
        let number = self.number_of(value);
        self.set_number(position, number, steps);
    }

    /// Returns the index of a value, a new one for a new value.
    pub fn number_of(&mut self, value: &Rational) -> u32 {
        let hash = |value: &Rational| FxBuildHasher.hash_one(value);
        let values = &mut self.values;
        if let Some(&number) = self.index.find(hash(value), |&number| values[number as usize] == *value) {
            return number;
        }
        let number = values.len() as u32;
        values.push(value.clone());
        self.index.insert_unique(hash(value), number, |&number| hash(&values[number as usize]));
        number
    }

    /// Returns the indices of those moves of a position, with the successors `next`, that keep its value and, if
    /// plies are counted, win soonest or lose latest; none if no player chooses. Infinite play counts as longer than
    /// any other.
    pub fn best_edges(
        &self,
        graph: &GameGraph,
        stakes: &PayoffModel,
        position: u32,
        next: &[u32],
    ) -> Vec<usize> {
        let (GraphNode::Player(player), Some(value)) = (graph.node(position), self.value(position)) else {
            return Vec::new();
        };
        let keeps = |&(_, &to): &(usize, &u32)| self.number(to) == self.number(position);
        let kept = next.iter().enumerate().filter(keeps);
        let plies = |to: u32| self.steps(to).unwrap_or(NO_LABEL);
        let wanted = match stakes.favoured(value) {
            None => None,
            Some(favoured) if favoured == player => kept.clone().map(|(_, &to)| plies(to)).min(),
            Some(_) => kept.clone().map(|(_, &to)| plies(to)).max(),
        };
        let best = kept.filter(|&(_, &to)| wanted.is_none_or(|w| plies(to) == w));
        best.map(|(i, _)| i).collect()
    }
}
