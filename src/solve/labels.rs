//! The labels of a solved graph: for each position its value and the plies to it.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use super::graph::{Graph, Node};
use super::stakes::Stakes;

/// No value, or no number of plies.
pub const NONE: u32 = u32::MAX;

/// For each position the value for the first player, and how many plies it takes to bring it about.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The different values.
    values: Vec<Rational64>,
    index: FxHashMap<Rational64, u32>,
    /// By position: the number of its value; [`NONE`] where it has none.
    value: Vec<u32>,
    /// By position: plies, where the method counts them.
    steps: Vec<u32>,
}

impl Labels {
    /// No position has a label. The values known beforehand keep their numbers: 0, 1, ...
    pub fn new(positions: usize, values: Vec<Rational64>) -> Self {
        let index = values.iter().enumerate().map(|(i, &v)| (v, i as u32)).collect();
        Labels { values, index, value: vec![NONE; positions], steps: vec![NONE; positions] }
    }

    /// The value of a position.
    pub fn value(&self, position: u32) -> Option<Rational64> {
        self.values.get(self.value[position as usize] as usize).copied()
    }

    /// The number of a position's value; [`NONE`] where it has none.
    pub fn number(&self, position: u32) -> u32 {
        self.value[position as usize]
    }

    /// Plies to the value, where counted.
    pub fn steps(&self, position: u32) -> Option<u32> {
        Some(self.steps[position as usize]).filter(|&s| s != NONE)
    }

    /// Labels a position with a value known beforehand, by its number.
    pub fn set_number(&mut self, position: u32, number: u32, steps: u32) {
        self.value[position as usize] = number;
        self.steps[position as usize] = steps;
    }

    /// Labels a position with any value.
    pub fn set(&mut self, position: u32, value: Rational64, steps: u32) {
        let values = &mut self.values;
        let number = *self.index.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() as u32 - 1
        });
        self.set_number(position, number, steps);
    }

    /// Of the moves of a position where a player chooses, which lead to `next`, those by number that keep its value and,
    /// where plies are counted, win soonest or lose latest. Infinite play counts as longer than any other.
    pub fn best_edges(&self, graph: &Graph, stakes: &Stakes, position: u32, next: &[u32]) -> Vec<usize> {
        let (Node::Player(player), Some(value)) = (graph.node(position), self.value(position)) else {
            return Vec::new();
        };
        let keeps = |&(_, &to): &(usize, &u32)| self.number(to) == self.number(position);
        let kept = next.iter().enumerate().filter(keeps);
        let plies = |to: u32| self.steps[to as usize];
        let wanted = match stakes.favoured(value) {
            None => None,
            Some(favoured) if favoured == player => kept.clone().map(|(_, &to)| plies(to)).min(),
            Some(_) => kept.clone().map(|(_, &to)| plies(to)).max(),
        };
        kept.filter(|&(_, &to)| wanted.is_none_or(|w| plies(to) == w)).map(|(i, _)| i).collect()
    }
}
