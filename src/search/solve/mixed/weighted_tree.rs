//! A tree of histories with the numbers in which it is computed: fractions, whole numbers, or floating point.
//!
//! Technique: with whole numbers, all probabilities of a ply are multiples of one fraction. The value of a node is then a
//! multiple of the product of those of the plies from there on, and the probability of a node one of the product of those
//! before, so that values and probabilities within a ply compare as they are.
//! Cost: a pass over the tree for payoffs, two for a best response.
//! Invariant: histories that were made one node add up, also where chance leads to it in several ways.
//! Not taken: one common fraction for all plies, whose power for each ply would soon be too large.

use std::array::from_fn;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, One, Signed, ToPrimitive};

use super::game_tree::{GameTree, NONE, TreeEdge};
use super::numbers::{common_denominator, float};
use super::sequence_form::check;
use super::tree_builder::POLL_INTERVAL;
use bouton_base::limits::{LimitHit, Limits};

/// For each player and each of his information sets the shares of the actions.
pub type Profile<T, const N: usize> = [Vec<Vec<T>>; N];

/// A tree with numbers of a type.
pub struct WeightedTree<'t, T, const N: usize> {
    pub tree: &'t GameTree<N>,
    /// The weight of each move: its probability, or a multiple of it by the same factor for all moves of a ply.
    weights: Vec<T>,
    /// The distinct payoffs.
    payoffs: Vec<[T; N]>,
    /// The factor of payoffs in each ply.
    scales: Vec<T>,
    /// The product of all factors: a payoff of the whole tree is a value of the first node divided by it.
    unit: BigRational,
}

/// The most bits of a whole number.
const MAX_BITS: u64 = 120;

impl<'t, const N: usize> WeightedTree<'t, BigRational, N> {
    /// The tree with fractions.
    pub fn exact(tree: &'t GameTree<N>) -> Self {
        WeightedTree::plain(tree, BigRational::clone)
    }
}

impl<'t, const N: usize> WeightedTree<'t, f64, N> {
    /// The tree in floating point.
    pub fn floating(tree: &'t GameTree<N>) -> Self {
        WeightedTree::plain(tree, float)
    }
}

impl<'t, const N: usize> WeightedTree<'t, i128, N> {
    /// The tree with whole numbers; `None` if they are too large.
    pub fn whole(tree: &'t GameTree<N>) -> Option<Self> {
        let by_ply = || tree.plies.windows(2).map(|ends| ends[0]..ends[1]);
        let common: Vec<BigInt> = by_ply()
            .map(|nodes| {
                let edges = nodes.flat_map(|at| tree.edges_of(at));
                common_denominator(edges.map(|edge| tree.probability(edge)))
            })
            .collect();
        let of_payoffs = common_denominator(tree.payoffs.iter().flatten());
        let product: BigInt = common.iter().product();
        let largest = tree.payoffs.iter().flatten().map(|payoff| payoff.abs().ceil().to_integer()).max()?;
        // Twice the bits of all factors, for values by probabilities, and some for sums over the nodes of a set.
        let bits = product.bits() + of_payoffs.bits() + largest.bits() + 64
            - (tree.nodes.len() as u64).leading_zeros() as u64;
        if bits > MAX_BITS {
            return None;
        }
        let whole = |number: BigRational| number.to_integer().to_i128();
        let mut weights = Vec::with_capacity(tree.edges.len());
        for (nodes, common) in by_ply().zip(&common) {
            let common = BigRational::from_integer(common.clone());
            for edge in nodes.flat_map(|at| tree.edges_of(at)) {
                weights.push(whole(tree.probability(edge) * &common)?);
            }
        }
        let mut scales = vec![1; common.len()];
        let mut scale = BigInt::one();
        for (place, common) in common.iter().enumerate().rev() {
            scale *= common;
            scales[place] = scale.to_i128()?;
        }
        let of_payoffs = BigRational::from_integer(of_payoffs);
        let mut payoffs = Vec::with_capacity(tree.payoffs.len());
        for all in &tree.payoffs {
            let mut made = [0; N];
            for (made, payoff) in made.iter_mut().zip(all) {
                *made = whole(payoff * &of_payoffs)?;
            }
            payoffs.push(made);
        }
        let unit = of_payoffs * BigRational::from_integer(product);
        Some(WeightedTree { tree, weights, payoffs, scales, unit })
    }

    /// The payoff that a value of the first node stands for.
    pub fn fraction(&self, value: i128) -> BigRational {
        BigRational::from_integer(value.into()) / &self.unit
    }
}

impl<'t, T: Num + Clone + PartialOrd, const N: usize> WeightedTree<'t, T, N> {
    fn plain(tree: &'t GameTree<N>, number: impl Fn(&BigRational) -> T) -> Self {
        let weights = tree.edges.iter().map(|edge| number(tree.probability(edge))).collect();
        let payoffs = tree.payoffs.iter().map(|all| from_fn(|player| number(&all[player]))).collect();
        let scales = vec![T::one(); tree.plies.len()];
        WeightedTree { tree, weights, payoffs, scales, unit: BigRational::one() }
    }

    /// The payoffs at an end, times the factor of its ply; `None` for other nodes.
    fn end(&self, at: u32, ply: usize) -> Option<[T; N]> {
        let payoffs = self.payoffs.get(self.tree.payoff_number(at) as usize)?;
        Some(from_fn(|player| payoffs[player].clone() * self.scales[ply].clone()))
    }

    /// The weight of a move by chance and the shares of all players but one; `None` if it is 0.
    pub fn share(&self, at: u32, place: usize, profile: &Profile<T, N>, but: usize) -> Option<T> {
        let edge = &self.tree.edges[place];
        let sets = &self.tree.nodes[at as usize].sets;
        let mut share = self.weights[place].clone();
        for player in (0..N).filter(|&player| player != but && sets[player] != NONE) {
            share = share * profile[player][sets[player] as usize][edge.actions[player] as usize].clone();
        }
        (!share.is_zero()).then_some(share)
    }

    /// The values of the nodes for all players if they choose by a profile, those of nodes that it does not reach as well.
    pub fn values(&self, profile: &Profile<T, N>, limits: &Limits) -> Result<Vec<[T; N]>, LimitHit> {
        let mut values: Vec<[T; N]> = vec![from_fn(|_| T::zero()); self.tree.nodes.len()];
        for (ply, nodes) in self.plies() {
            check(limits)?;
            for at in nodes {
                let sums = self.end(at, ply).unwrap_or_else(|| {
                    let mut sums: [T; N] = from_fn(|_| T::zero());
                    for place in self.tree.edge_range(at) {
                        let Some(share) = self.share(at, place, profile, NONE as usize) else { continue };
                        let after = &values[self.tree.edges[place].to as usize];
                        for (sum, after) in sums.iter_mut().zip(after) {
                            *sum = sum.clone() + share.clone() * after.clone();
                        }
                    }
                    sums
                });
                values[at as usize] = sums;
            }
        }
        Ok(values)
    }

    /// The plies, from the last one, each with its nodes.
    pub fn plies(&self) -> impl Iterator<Item = (usize, std::ops::Range<u32>)> + '_ {
        let count = self.tree.plies.len() - 1;
        (0..count).rev().zip(self.tree.plies_from_the_end())
    }

    /// The weight with which chance and the players but one reach each node by a profile.
    pub fn reach(&self, profile: &Profile<T, N>, but: usize, limits: &Limits) -> Result<Vec<T>, LimitHit> {
        let mut reach = vec![T::zero(); self.tree.nodes.len()];
        reach[0] = T::one();
        for at in 0..self.tree.nodes.len() as u32 {
            if (at as usize).is_multiple_of(POLL_INTERVAL) {
                check(limits)?;
            }
            let here = reach[at as usize].clone();
            if here.is_zero() {
                continue;
            }
            for place in self.tree.edge_range(at) {
                if let Some(share) = self.share(at, place, profile, but) {
                    let to = &mut reach[self.tree.edges[place].to as usize];
                    *to = to.clone() + here.clone() * share;
                }
            }
        }
        Ok(reach)
    }

    /// A best response of a player to what a profile says of the others: the value of the first node for him, and his
    /// action in each of his information sets.
    pub fn response(
        &self,
        player: usize,
        profile: &Profile<T, N>,
        limits: &Limits,
    ) -> Result<(T, Vec<u32>), LimitHit> {
        let tree = self.tree;
        let reach = self.reach(profile, player, limits)?;
        let mut values = vec![T::zero(); tree.nodes.len()];
        let mut open_sets = tree.sets[player].len();
        let mut actions = vec![0; open_sets];
        for (ply, nodes) in self.plies() {
            check(limits)?;
            let worth = |values: &[T], at: u32, fits: &dyn Fn(&TreeEdge<N>) -> bool| {
                let places = tree.edge_range(at).filter(|&place| fits(&tree.edges[place]));
                let shares =
                    places.filter_map(|place| Some((place, self.share(at, place, profile, player)?)));
                shares.fold(T::zero(), |sum, (place, share)| {
                    sum + share * values[tree.edges[place].to as usize].clone()
                })
            };
            for at in nodes.clone() {
                if let Some(end) = self.end(at, ply) {
                    values[at as usize] = end[player].clone();
                } else if tree.nodes[at as usize].sets[player] == NONE && !reach[at as usize].is_zero() {
                    values[at as usize] = worth(&values, at, &|_| true);
                }
            }
            while open_sets > 0 && nodes.contains(&tree.sets[player][open_sets - 1].nodes[0]) {
                open_sets -= 1;
                check(limits)?;
                let set = &tree.sets[player][open_sets];
                let reached = || set.nodes.iter().copied().filter(|&at| !reach[at as usize].is_zero());
                let mut best: Option<(T, Vec<(u32, T)>)> = None;
                for action in 0..set.actions.len() as u32 {
                    let fits = |edge: &TreeEdge<N>| edge.actions[player] == action;
                    let each: Vec<(u32, T)> = reached().map(|at| (at, worth(&values, at, &fits))).collect();
                    let total = each.iter().fold(T::zero(), |sum, (at, value)| {
                        sum + reach[*at as usize].clone() * value.clone()
                    });
                    if best.as_ref().is_none_or(|(most, _)| total > *most) {
                        best = Some((total, each));
                        actions[open_sets] = action;
                    }
                }
                for (at, value) in best.into_iter().flat_map(|(_, each)| each) {
                    values[at as usize] = value;
                }
            }
        }
        Ok((values.swap_remove(0), actions))
    }

    /// The value of a node for the first player if some choices are made, and all others are made to his advantage by
    /// players who see everything.
    pub fn open_value(&self, at: u32, ply: usize, choices: &[Vec<Option<u32>>; N], values: &[T]) -> T {
        if let Some(end) = self.end(at, ply) {
            return end[0].clone();
        }
        let sets = &self.tree.nodes[at as usize].sets;
        let made: [Option<u32>; N] = from_fn(|player| *choices[player].get(sets[player] as usize)?);
        let is_open = (0..N).any(|player| sets[player] != NONE && made[player].is_none());
        let mut value: Option<T> = None;
        for place in self.tree.edge_range(at) {
            let edge = &self.tree.edges[place];
            if (0..N).all(|player| made[player].is_none_or(|action| edge.actions[player] == action)) {
                let worth = self.weights[place].clone() * values[edge.to as usize].clone();
                value = Some(match value {
                    None => worth,
                    Some(before) if !is_open => before + worth,
                    Some(before) if worth > before => worth,
                    Some(before) => before,
                });
            }
        }
        value.unwrap_or_else(T::zero)
    }

    /// The plan that takes these actions, as shares.
    pub fn plan(&self, player: usize, actions: &[u32]) -> Vec<Vec<T>> {
        let sets = self.tree.sets[player].iter().zip(actions);
        let share = |is: bool| if is { T::one() } else { T::zero() };
        sets.map(|(set, &action)| (0..set.actions.len()).map(|of| share(of == action as usize)).collect())
            .collect()
    }
}
