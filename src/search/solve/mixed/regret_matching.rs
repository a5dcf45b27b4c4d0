//! Strategies of large games with hidden information, by counterfactual regret minimization.
//!
//! Technique: predictive CFR+. At each information set the players prefer actions by their accumulated regrets, none
//! below 0, plus the last regrets as a prediction; the players update in turns, and the average of their strategies,
//! weighted by the square of the round, approaches an equilibrium.
//! Source: Zinkevich, Johanson, Bowling, Piccione (2007) for CFR; Tammelin (2014) for CFR+; Farina, Kroer, Sandholm
//! (2021) for predictions and quadratic averages.
//! Cost: some steps for each move of the tree a round.
//! Invariant: floating point only proposes: callers round the strategies and compute their exact guarantees. One
//! thread, so the same strategies on every machine of the same arithmetic.
//! Not taken: sampling (it needs less time a round, and many more rounds for small gaps), abstraction.

use super::game_tree::{EMPTY_SEQUENCE, GameTree, InformationSet, NONE, PLAYERS};
use super::numbers::float;
use bouton_base::limits::Limits;

/// The rounds after which the gap is computed, again and again.
const ROUNDS_BETWEEN_GAPS: u32 = 50;

/// The result of regret minimization.
pub struct Proposal {
    /// The average strategies: for each information set of a player, the weights of its actions.
    pub averages: [Vec<Vec<f64>>; PLAYERS],
    /// The number of rounds.
    pub rounds: u32,
    /// The sum of both players' gains by best responses, in floating point.
    pub gap: f64,
}

/// An edge with the numbers that a round needs.
struct FlatEdge {
    to: u32,
    sequences: [u32; PLAYERS],
    chance: f64,
}

/// The tree in floating point with the players' regrets.
struct Minimizer<'t> {
    tree: &'t GameTree,
    edges: Vec<FlatEdge>,
    payoffs: Vec<f64>,
    /// The current strategy by sequences; 1 for the empty one.
    strategy: [Vec<f64>; PLAYERS],
    regrets: [Vec<f64>; PLAYERS],
    last_regrets: [Vec<f64>; PLAYERS],
    /// The sums of weighted plans by sequences.
    sums: [Vec<f64>; PLAYERS],
    /// The weights of nodes and their values, for one round.
    weights: Vec<f64>,
    values: Vec<f64>,
}

/// Runs rounds until the gap is at most `target`, `rounds` are done, or a limit is reached.
pub fn minimize(tree: &GameTree, target: f64, rounds: u32, limits: &Limits) -> Proposal {
    let mut minimizer = Minimizer::new(tree);
    let (mut round, mut gap) = (0, f64::INFINITY);
    while round < rounds && gap > target && limits.check().is_none() {
        round += 1;
        for player in 0..PLAYERS {
            minimizer.update(player, round);
        }
        if round % ROUNDS_BETWEEN_GAPS == 0 {
            gap = minimizer.gap();
        }
    }
    let averages = [0, 1].map(|player| minimizer.average(player));
    Proposal { averages, rounds: round, gap }
}

impl<'t> Minimizer<'t> {
    fn new(tree: &'t GameTree) -> Minimizer<'t> {
        let mut edges = Vec::with_capacity(tree.edges.len());
        for node in 0..tree.nodes.len() as u32 {
            for edge in tree.edges_of(node) {
                let sequences = [0, 1].map(|player| tree.sequence_of(player, node, edge));
                edges.push(FlatEdge { to: edge.to, sequences, chance: float(tree.probability(edge)) });
            }
        }
        let payoffs = (0..tree.nodes.len() as u32).map(|node| tree.payoff(node).map_or(0.0, float)).collect();
        let zeros = || [0, 1].map(|player| vec![0.0; tree.sequences[player] as usize]);
        let mut made = Minimizer {
            tree,
            edges,
            payoffs,
            strategy: zeros(),
            regrets: zeros(),
            last_regrets: zeros(),
            sums: zeros(),
            weights: vec![0.0; tree.nodes.len()],
            values: vec![0.0; tree.nodes.len()],
        };
        (0..PLAYERS).for_each(|player| made.prefer(player));
        made
    }

    fn edges_of(&self, node: usize) -> std::ops::Range<usize> {
        let bounds = self.tree.edge_range(node as u32);
        bounds.start..bounds.end
    }

    /// Computes the probabilities with which chance and the other player reach each node by these strategies.
    fn reach(&mut self, other: usize, strategy: &[f64]) {
        self.weights.fill(0.0);
        self.weights[0] = 1.0;
        for node in 0..self.weights.len() {
            let weight = self.weights[node];
            if weight > 0.0 {
                for edge in &self.edges[self.edges_of(node)] {
                    self.weights[edge.to as usize] +=
                        weight * edge.chance * strategy[edge.sequences[other] as usize];
                }
            }
        }
    }

    /// A round of one player: regrets against the other's current strategy, and the new strategy.
    fn update(&mut self, player: usize, round: u32) {
        let other = 1 - player;
        let sign = if player == 0 { 1.0 } else { -1.0 };
        let theirs = std::mem::take(&mut self.strategy[other]);
        self.reach(other, &theirs);
        let mut worth = vec![0.0; self.strategy[player].len()];
        for node in (0..self.values.len()).rev() {
            let mut value = sign * self.payoffs[node];
            for edge in &self.edges[self.edges_of(node)] {
                let share =
                    edge.chance * theirs[edge.sequences[other] as usize] * self.values[edge.to as usize];
                let own = edge.sequences[player] as usize;
                worth[own] += self.weights[node] * share;
                value += self.strategy[player][own] * share;
            }
            self.values[node] = value;
        }
        self.strategy[other] = theirs;
        for set in &self.tree.sets[player] {
            let range = set.sequences();
            let mean: f64 = range.clone().map(|s| self.strategy[player][s] * worth[s]).sum();
            for s in range {
                let regret = worth[s] - mean;
                self.last_regrets[player][s] = regret;
                self.regrets[player][s] = (self.regrets[player][s] + regret).max(0.0);
            }
        }
        self.prefer(player);
        let weight = f64::from(round) * f64::from(round);
        let mut plan = vec![0.0; self.strategy[player].len()];
        plan[EMPTY_SEQUENCE as usize] = 1.0;
        for set in &self.tree.sets[player] {
            for s in set.sequences() {
                plan[s] = plan[set.parent as usize] * self.strategy[player][s];
                self.sums[player][s] += weight * plan[s];
            }
        }
    }

    /// Makes the strategy that regret matching prefers, with the last regrets as a prediction.
    fn prefer(&mut self, player: usize) {
        let (regrets, last) = (&self.regrets[player], &self.last_regrets[player]);
        let strategy = &mut self.strategy[player];
        strategy[EMPTY_SEQUENCE as usize] = 1.0;
        for set in &self.tree.sets[player] {
            let preference = |s: usize| (regrets[s] + last[s]).max(0.0);
            let total: f64 = set.sequences().map(preference).sum();
            for s in set.sequences() {
                strategy[s] =
                    if total > 0.0 { preference(s) / total } else { 1.0 / set.actions.len() as f64 };
            }
        }
    }

    fn average(&self, player: usize) -> Vec<Vec<f64>> {
        let of = |set: &InformationSet| {
            let total: f64 = set.sequences().map(|s| self.sums[player][s]).sum();
            let share = |s: usize| {
                if total > 0.0 { self.sums[player][s] / total } else { self.strategy[player][s] }
            };
            set.sequences().map(share).collect()
        };
        self.tree.sets[player].iter().map(of).collect()
    }

    /// Returns the sum of both players' gains by best responses to the averages.
    fn gap(&mut self) -> f64 {
        let worth = [0, 1].map(|player| {
            let mut strategy = vec![1.0; self.tree.sequences[player] as usize];
            for (set, weights) in self.tree.sets[player].iter().zip(self.average(player)) {
                set.sequences().zip(weights).for_each(|(s, weight)| strategy[s] = weight);
            }
            self.best_response(1 - player, &strategy)
        });
        // The first entry is the best response of the second player, the other that of the first.
        worth[1] - worth[0]
    }

    /// The first player's payoff if this player responds best to the other's strategy.
    fn best_response(&mut self, player: usize, theirs: &[f64]) -> f64 {
        let other = 1 - player;
        self.reach(other, theirs);
        let tree = self.tree;
        let mut open_sets = tree.sets[player].len();
        for nodes in tree.plies_from_the_end() {
            let mut values = std::mem::take(&mut self.values);
            let worth = |values: &[f64], node: usize, sequence: u32| {
                let mut sum = self.payoffs[node];
                for edge in &self.edges[self.edges_of(node)] {
                    if edge.sequences[player] == sequence {
                        let share = theirs[edge.sequences[other] as usize] * edge.chance;
                        sum += share * values[edge.to as usize];
                    }
                }
                sum
            };
            for node in nodes.clone().filter(|&node| tree.nodes[node as usize].sets[player] == NONE) {
                values[node as usize] = worth(&values, node as usize, EMPTY_SEQUENCE);
            }
            while open_sets > 0 && nodes.contains(&tree.sets[player][open_sets - 1].nodes[0]) {
                open_sets -= 1;
                let set = &tree.sets[player][open_sets];
                let total = |sequence: usize| -> f64 {
                    let each = set.nodes.iter().map(|&node| {
                        self.weights[node as usize] * worth(&values, node as usize, sequence as u32)
                    });
                    each.sum()
                };
                let better = |a: &f64, b: &f64| if player == 0 { a > b } else { a < b };
                let best = set.sequences().map(|s| (s, total(s)));
                let best = best.reduce(|best, next| if better(&next.1, &best.1) { next } else { best });
                let chosen = best.map_or(EMPTY_SEQUENCE, |(s, _)| s as u32);
                for &node in &set.nodes {
                    values[node as usize] = worth(&values, node as usize, chosen);
                }
            }
            self.values = values;
        }
        self.values[0]
    }
}
