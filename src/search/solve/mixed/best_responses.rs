//! One equilibrium of three players or more where something is hidden or they choose at once.
//!
//! Technique: plans without chance first: each player in turn takes a best response to those of the others, who make a
//! mistake now and then, so that the response is one everywhere. Where the turns come to no rest, regret matching: its
//! averages are rounded to short fractions. Whatever is found is computed again with fractions: it is an equilibrium if
//! no player gains by leaving it, and otherwise it is said how much one gains at most.
//! Source: Nash (1950) for the equilibrium; Selten (1975) for mistakes; Hart, Mas-Colell (2000) for regret matching, and
//! Tammelin (2014) for sums of regrets that never fall below 0.
//! Cost: two passes over the tree for each response, three for each player in each round of regret matching.
//! Invariant: an equilibrium is exact; among three players it may need irrational shares, and then none is found.
//! Not taken: paths of complementary pivots, which need two players; systems of polynomial equations for supports.

use std::array::from_fn;

use num_rational::BigRational;
use num_traits::Zero;

use super::game_tree::{Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet};
use super::numbers::{probabilities, short_probabilities};
use super::weighted_tree::{Profile, WeightedTree};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::random::SplitMix;

/// Strategies with their payoffs.
pub struct FoundProfile<const N: usize> {
    pub strategies: [Behaviour; N],
    pub payoffs: [BigRational; N],
    /// The most that a player gains by leaving them alone: 0 for an equilibrium.
    pub gain: BigRational,
}

/// The number of first plans from which responses are taken in turns.
const STARTS: u64 = 24;
/// The maximal number of turns of all players.
const MAX_TURNS: usize = 40;
/// The share of mistakes, of all actions alike.
const MISTAKES: [f64; 2] = [1e-3, 0.0];
/// The number of moves of the tree that all rounds of regret matching together may visit.
const MAX_VISITS: u64 = 400_000_000;
/// The least and the greatest number of rounds.
const ROUNDS: (u64, u64) = (100, 20_000);
/// The tolerances of short fractions.
const TOLERANCES: [f64; 4] = [5e-2, 1e-2, 1e-3, 1e-4];
/// The denominator of strategies that are not short.
const DENOMINATOR: u64 = 1 << 20;

/// Finds an equilibrium, or strategies that are near one.
pub fn find<const N: usize>(tree: &GameTree<N>, limits: &Limits) -> Result<FoundProfile<N>, LimitHit> {
    let exact = WeightedTree::exact(tree);
    let floating = WeightedTree::floating(tree);
    let mut tried: Vec<[Vec<u32>; N]> = Vec::new();
    for mistakes in MISTAKES {
        for start in 0..STARTS {
            let Some(choices) = at_rest(&floating, start, mistakes, limits)? else { continue };
            if tried.contains(&choices) {
                continue;
            }
            let strategies = from_fn(|player| exact.plan(player, &choices[player]));
            let found = judged(&exact, strategies, limits)?;
            if found.gain.is_zero() {
                return Ok(found);
            }
            tried.push(choices);
        }
    }
    let averages = regret_matching(&floating, limits)?;
    let rounded = |round: &dyn Fn(&[f64]) -> Vec<BigRational>| -> [Behaviour; N] {
        from_fn(|player| averages[player].iter().map(|weights| round(weights)).collect())
    };
    let mut best = judged(&exact, rounded(&|weights| probabilities(weights, DENOMINATOR)), limits)?;
    for tolerance in TOLERANCES {
        let found = judged(&exact, rounded(&|weights| short_probabilities(weights, tolerance)), limits)?;
        if found.gain < best.gain {
            best = found;
        }
        if best.gain.is_zero() {
            break;
        }
    }
    Ok(best)
}

/// Computes what strategies give, and what a player gains at most by leaving them.
fn judged<const N: usize>(
    exact: &WeightedTree<'_, BigRational, N>,
    strategies: [Behaviour; N],
    limits: &Limits,
) -> Result<FoundProfile<N>, LimitHit> {
    let payoffs = exact.values(&strategies, limits)?.swap_remove(0);
    let mut gain = BigRational::zero();
    for (player, payoff) in payoffs.iter().enumerate() {
        let (most, _) = exact.response(player, &strategies, limits)?;
        gain = gain.max(most - payoff);
    }
    Ok(FoundProfile { strategies, payoffs, gain })
}

/// Takes best responses in turns from some plans; `None` if they come to no rest.
fn at_rest<const N: usize>(
    tree: &WeightedTree<'_, f64, N>,
    start: u64,
    mistakes: f64,
    limits: &Limits,
) -> Result<Option<[Vec<u32>; N]>, LimitHit> {
    let mut random = SplitMix::new(start);
    let mut choices: [Vec<u32>; N] = from_fn(|player| {
        let sets = tree.tree.sets[player].iter();
        sets.map(|set| if start == 0 { 0 } else { (random.word() % set.actions.len() as u64) as u32 })
            .collect()
    });
    let with_mistakes = |player: usize, choices: &[u32]| -> Vec<Vec<f64>> {
        let mut plan = tree.plan(player, choices);
        for shares in &mut plan {
            let even = mistakes / shares.len() as f64;
            shares.iter_mut().for_each(|share| *share = *share * (1.0 - mistakes) + even);
        }
        plan
    };
    let mut profile: Profile<f64, N> = from_fn(|player| with_mistakes(player, &choices[player]));
    for _ in 0..MAX_TURNS {
        let mut is_at_rest = true;
        for player in 0..N {
            let (_, response) = tree.response(player, &profile, limits)?;
            if response != choices[player] {
                profile[player] = with_mistakes(player, &response);
                choices[player] = response;
                is_at_rest = false;
            }
        }
        if is_at_rest {
            return Ok(Some(choices));
        }
    }
    Ok(None)
}

/// The averages of regret matching, later rounds counting more.
fn regret_matching<const N: usize>(
    tree: &WeightedTree<'_, f64, N>,
    limits: &Limits,
) -> Result<Profile<f64, N>, LimitHit> {
    let zeros = |player: usize| -> Vec<Vec<f64>> {
        tree.tree.sets[player].iter().map(|set| vec![0.0; set.actions.len()]).collect()
    };
    let mut regrets: Profile<f64, N> = from_fn(zeros);
    let mut sums: Profile<f64, N> = from_fn(zeros);
    let even = |shares: &[f64]| -> Vec<f64> {
        let total: f64 = shares.iter().sum();
        let share = |share: &f64| if total > 0.0 { share / total } else { 1.0 / shares.len() as f64 };
        shares.iter().map(share).collect()
    };
    let mut profile: Profile<f64, N> =
        from_fn(|player| regrets[player].iter().map(|regrets| even(regrets)).collect());
    let rounds = MAX_VISITS / (3 * N as u64 * (tree.tree.edges.len() as u64 + 1));
    for round in 1..=rounds.clamp(ROUNDS.0, ROUNDS.1) {
        for player in 0..N {
            let gains = tree.gains(player, &profile, limits)?;
            let own = own_reach(tree.tree, player, &profile[player]);
            for (number, gains) in gains.into_iter().enumerate() {
                let (shares, sums) = (&mut profile[player][number], &mut sums[player][number]);
                for (sum, share) in sums.iter_mut().zip(&*shares) {
                    *sum += round as f64 * own[number] * share;
                }
                let regrets = &mut regrets[player][number];
                for (regret, gain) in regrets.iter_mut().zip(gains) {
                    *regret = (*regret + gain).max(0.0);
                }
                *shares = even(regrets);
            }
        }
    }
    Ok(from_fn(|player| sums[player].iter().map(|sums| even(sums)).collect()))
}

/// The product of a player's own shares on the way to each of his information sets.
fn own_reach<const N: usize>(tree: &GameTree<N>, player: usize, shares: &[Vec<f64>]) -> Vec<f64> {
    let mut by_sequence = vec![0.0; tree.sequences[player] as usize];
    by_sequence[EMPTY_SEQUENCE as usize] = 1.0;
    let mut reach = Vec::with_capacity(shares.len());
    // Sets come after those whose actions lead to them.
    for (set, shares) in tree.sets[player].iter().zip(shares) {
        let here = by_sequence[set.parent as usize];
        reach.push(here);
        for (sequence, share) in set.sequences().zip(shares) {
            by_sequence[sequence] = here * share;
        }
    }
    reach
}

impl<const N: usize> WeightedTree<'_, f64, N> {
    /// For each information set of a player and each action: what it gives more than his strategy, weighted by the
    /// probability that chance and the others lead there.
    fn gains(
        &self,
        player: usize,
        profile: &Profile<f64, N>,
        limits: &Limits,
    ) -> Result<Vec<Vec<f64>>, LimitHit> {
        let reach = self.reach(profile, player, limits)?;
        let values = self.values(profile, limits)?;
        let of_set = |(set, shares): (&InformationSet, &Vec<f64>)| {
            let mut worth = vec![0.0; shares.len()];
            for &at in set.nodes.iter().filter(|&&at| reach[at as usize] > 0.0) {
                for place in self.tree.edge_range(at) {
                    let edge = &self.tree.edges[place];
                    if let Some(share) = self.share(at, place, profile, player) {
                        worth[edge.actions[player] as usize] +=
                            reach[at as usize] * share * values[edge.to as usize][player];
                    }
                }
            }
            let mean: f64 = worth.iter().zip(shares).map(|(worth, share)| worth * share).sum();
            worth.into_iter().map(|worth| worth - mean).collect()
        };
        Ok(self.tree.sets[player].iter().zip(&profile[player]).map(of_set).collect())
    }
}
