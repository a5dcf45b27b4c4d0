//! Games with hidden information in which all players get the same: the best common plan.
//!
//! Technique: if all always get the same payoff, they want the same, and what is best is a plan of each player, without
//! chance in it. Best responses in turns, from several first plans, end in plans that nobody improves alone; the value of
//! play in which all see everything bounds them from above. Where the two differ, the choices of all players but one are
//! tried, one information set after the other (branch and bound): the bound of some choices is the value if all others
//! are made by players who see everything, and the last player's plan is a best response.
//! Source: Marschak, Radner (1972) for teams; the problem is NP-hard (Papadimitriou, Tsitsiklis 1982); Land, Doig (1960)
//! for branch and bound.
//! Cost: a pass over the tree for each response and for each bound; exponential in the information sets of all players
//! but one if the bounds exclude nothing.
//! Invariant: a value is exact if the bounds meet or all plans were tried; otherwise both bounds hold.
//! Not taken: dynamic programming over common beliefs, which needs public information apart from private one.

use std::array::from_fn;
use std::cmp::Ordering;

use num_rational::BigRational;
use num_traits::Num;

use super::game_tree::{Behaviour, GameTree, InformationSet, NONE};
use super::weighted_tree::{Profile, WeightedTree};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::random::SplitMix;

/// A plan of each player with the payoff that each gets by them, and an upper bound of that of all plans.
pub struct CommonPlan<const N: usize> {
    pub plans: [Behaviour; N],
    pub payoff: BigRational,
    /// The bound; the payoff itself if no plans give more.
    pub bound: BigRational,
}

/// The number of first plans from which best responses are taken in turns.
const STARTS: u64 = 24;
/// The maximal number of moves of the tree that the trial of plans may visit with fractions.
const MAX_VISITS: u64 = 4_000_000;
/// The same number with whole numbers.
const MAX_WHOLE_VISITS: u64 = 400_000_000;

/// Returns true if all players get the same at every end.
pub fn is_common<const N: usize>(tree: &GameTree<N>) -> bool {
    tree.players == N && tree.payoffs.iter().all(|all| all.iter().all(|payoff| *payoff == all[0]))
}

/// Finds the best plans of a game of common interest. After a limit, the best plans so far have a bound above them.
pub fn solve<const N: usize>(tree: &GameTree<N>, limits: &Limits) -> Result<CommonPlan<N>, LimitHit> {
    let exact = WeightedTree::exact(tree);
    let found = match WeightedTree::whole(tree) {
        Some(whole) => {
            let found = Team::new(&whole, MAX_WHOLE_VISITS).solve(limits)?;
            let (payoff, bound) = (whole.fraction(found.payoff), whole.fraction(found.bound));
            Best { choices: found.choices, payoff, bound }
        }
        None => Team::new(&exact, MAX_VISITS).solve(limits)?,
    };
    let plans = from_fn(|player| exact.plan(player, &found.choices[player]));
    Ok(CommonPlan { plans, payoff: found.payoff, bound: found.bound })
}

/// The best plans found.
struct Best<T, const N: usize> {
    /// The action of each player in each of his information sets.
    choices: [Vec<u32>; N],
    payoff: T,
    bound: T,
}

/// The players of a tree as a team.
struct Team<'t, T, const N: usize> {
    weighted: &'t WeightedTree<'t, T, N>,
    /// The number of moves of the tree that the trial of plans may still visit.
    visits: u64,
}

impl<'t, T: Num + Clone + PartialOrd, const N: usize> Team<'t, T, N> {
    fn new(weighted: &'t WeightedTree<'t, T, N>, visits: u64) -> Self {
        Team { weighted, visits }
    }

    fn solve(mut self, limits: &Limits) -> Result<Best<T, N>, LimitHit> {
        let open = from_fn(|player| vec![None; self.weighted.tree.sets[player].len()]);
        let bound = self.bound(&open);
        let mut best: Option<Best<T, N>> = None;
        for start in 0..STARTS {
            let (choices, payoff) = match self.improve(self.first_plans(start), limits) {
                Ok(found) => found,
                Err(_) if best.is_some() => break,
                Err(hit) => return Err(hit),
            };
            if best.as_ref().is_none_or(|best| payoff > best.payoff) {
                best = Some(Best { choices, payoff, bound: bound.clone() });
            }
            if best.as_ref().is_some_and(|best| best.payoff == bound) {
                break;
            }
        }
        let Some(mut best) = best else { return Err(LimitHit::Time) };
        if best.payoff != bound {
            let responder = self.responder();
            let order = self.order(responder);
            let mut trial = Trial { responder, order, choices: open, open: best.payoff.clone(), limits };
            self.try_plans(&mut trial, 0, &bound, &mut best);
            best.bound = if trial.open > best.payoff { trial.open } else { best.payoff.clone() };
        }
        Ok(best)
    }

    /// The first plans of a number: the first actions, the second ones, and so on, then random ones.
    fn first_plans(&self, number: u64) -> [Vec<u32>; N] {
        let mut random = SplitMix::new(number);
        let mut choose = |set: &InformationSet| {
            let count = set.actions.len() as u64;
            match number {
                0..4 => (number % count) as u32,
                _ => (random.word() % count) as u32,
            }
        };
        from_fn(|player| self.weighted.tree.sets[player].iter().map(&mut choose).collect())
    }

    /// Takes best responses in turns until nobody improves.
    fn improve(&self, mut choices: [Vec<u32>; N], limits: &Limits) -> Result<([Vec<u32>; N], T), LimitHit> {
        let mut profile: Profile<T, N> = from_fn(|player| self.weighted.plan(player, &choices[player]));
        let mut most: Option<T> = None;
        loop {
            let before = most.clone();
            for player in 0..N {
                let (payoff, response) = self.weighted.response(player, &profile, limits)?;
                if most.as_ref().is_none_or(|most| payoff > *most) {
                    profile[player] = self.weighted.plan(player, &response);
                    choices[player] = response;
                    most = Some(payoff);
                }
            }
            if let Some(most) = most.clone().filter(|_| most == before) {
                return Ok((choices, most));
            }
        }
    }

    /// The player whose plan is a best response in the end: one with most plans.
    fn responder(&self) -> usize {
        let size = |player: &usize| -> f64 {
            self.weighted.tree.sets[*player].iter().map(|set| (set.actions.len() as f64).ln()).sum()
        };
        (0..N).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }

    /// The information sets in which choices are tried, in the order of the plies.
    fn order(&self, responder: usize) -> Vec<(usize, usize)> {
        let tree = self.weighted.tree;
        let of = |player: usize| (0..tree.sets[player].len()).map(move |set| (player, set));
        let mut order: Vec<(usize, usize)> =
            (0..N).filter(|&player| player != responder).flat_map(of).collect();
        order.sort_by_key(|&(player, set)| (tree.sets[player][set].ply, player, set));
        order
    }

    /// Returns the value if the choices that are made bind, and all others are made by players who see everything.
    fn bound(&self, choices: &[Vec<Option<u32>>; N]) -> T {
        let mut values = vec![T::zero(); self.weighted.tree.nodes.len()];
        for (ply, nodes) in self.weighted.plies() {
            for at in nodes {
                values[at as usize] = self.weighted.open_value(at, ply, choices, &values);
            }
        }
        values.swap_remove(0)
    }

    /// Marks the nodes to which the choices that are made can lead.
    fn reached(&self, choices: &[Vec<Option<u32>>; N]) -> Vec<bool> {
        let tree = self.weighted.tree;
        let mut reached = vec![false; tree.nodes.len()];
        reached[0] = true;
        for at in 0..tree.nodes.len() as u32 {
            if reached[at as usize] {
                let sets = &tree.nodes[at as usize].sets;
                let is_made = |player: usize, action: u32| match sets[player] {
                    NONE => true,
                    set => choices[player][set as usize].is_none_or(|made| made == action),
                };
                for edge in tree.edges_of(at) {
                    reached[edge.to as usize] |= (0..N).all(|player| is_made(player, edge.actions[player]));
                }
            }
        }
        reached
    }

    /// Tries the choices of the sets from a place of the order on that can give more than the best plans; `bound` is
    /// that of the choices made before.
    fn try_plans(&mut self, trial: &mut Trial<'_, T, N>, place: usize, bound: &T, best: &mut Best<T, N>) {
        let edges = self.weighted.tree.edges.len() as u64 + 1;
        let cost = 3 * edges;
        if self.visits < cost || trial.limits.check().is_some() {
            if *bound > trial.open {
                trial.open = bound.clone();
            }
            return;
        }
        self.visits -= cost;
        let reached = self.reached(&trial.choices);
        let sets = &self.weighted.tree.sets;
        let is_open =
            |&(player, set): &(usize, usize)| sets[player][set].nodes.iter().any(|&at| reached[at as usize]);
        let Some(next) = (place..trial.order.len()).find(|&place| is_open(&trial.order[place])) else {
            self.respond(trial, bound, best);
            return;
        };
        let (player, set) = trial.order[next];
        let mut after: Vec<(T, u32)> = Vec::new();
        for action in 0..sets[player][set].actions.len() as u32 {
            trial.choices[player][set] = Some(action);
            self.visits = self.visits.saturating_sub(edges);
            after.push((self.bound(&trial.choices), action));
        }
        after.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
        for (bound, action) in after {
            if bound > best.payoff {
                trial.choices[player][set] = Some(action);
                self.try_plans(trial, next + 1, &bound, best);
            }
        }
        trial.choices[player][set] = None;
    }

    /// Completes the choices of all other players by a best response.
    fn respond(&self, trial: &mut Trial<'_, T, N>, bound: &T, best: &mut Best<T, N>) {
        let mut choices: [Vec<u32>; N] =
            from_fn(|player| trial.choices[player].iter().map(|made| made.unwrap_or(0)).collect());
        let profile: Profile<T, N> = from_fn(|player| self.weighted.plan(player, &choices[player]));
        match self.weighted.response(trial.responder, &profile, trial.limits) {
            Ok((payoff, response)) if payoff > best.payoff => {
                choices[trial.responder] = response;
                best.choices = choices;
                best.payoff = payoff;
            }
            Ok(_) => {}
            Err(_) if *bound > trial.open => trial.open = bound.clone(),
            Err(_) => {}
        }
    }
}

/// The trial of plans.
struct Trial<'l, T, const N: usize> {
    responder: usize,
    /// The information sets in which choices are tried: the player and the number of the set.
    order: Vec<(usize, usize)>,
    /// The choices made; `None` for others.
    choices: [Vec<Option<u32>>; N],
    /// The greatest bound of choices that were not tried.
    open: T,
    limits: &'l Limits,
}
