//! Games with hidden information in which both players get the same: the best common plan.
//!
//! Technique: if both always get the same payoff, they want the same, and what is best is a plan of each player, without
//! chance in it. Best responses in turns, from several first plans, end in a pair of plans that neither improves alone;
//! the value of play in which both see everything bounds it from above. Where the two differ, each plan of the player
//! with fewer plans is tried, with a best response of the other.
//! Source: Marschak, Radner (1972) for teams; the problem is NP-hard (Papadimitriou, Tsitsiklis 1982).
//! Cost: a pass over the tree for each response; exponential in the information sets of one player if all are tried, for
//! which the ends have whole numbers as weights.
//! Invariant: a value is exact if the bounds meet or all plans were tried; otherwise both bounds hold.
//! Not taken: dynamic programming over common beliefs, which needs public information apart from private one.

use std::ops::Range;

use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::game_tree::{
    Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet, NONE, PLAYERS, TreeEdge, TreeNode, best_response,
};
use super::numbers::common_denominator;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::random::SplitMix;

/// A pair of plans with the payoff that each player gets by them, and an upper bound of that of all pairs.
pub struct CommonPlan {
    pub plans: [Behaviour; PLAYERS],
    pub payoff: BigRational,
    /// The bound; the payoff itself if no pair of plans gives more.
    pub bound: BigRational,
}

/// The number of first plans from which best responses are taken in turns.
const STARTS: u64 = 24;
/// The maximal number of moves of the tree that the trial of all plans may visit with fractions.
const MAX_VISITS: u64 = 4_000_000;
/// The same number with whole numbers.
const MAX_INTEGER_VISITS: u64 = 400_000_000;

/// Returns true if both players get the same at every end.
pub fn is_common(tree: &GameTree) -> bool {
    tree.players == PLAYERS && tree.payoffs.iter().all(|[first, second]| first == second)
}

/// Finds the best pair of plans of a game of common interest. After a limit, the best pair so far has a bound above it.
pub fn solve(tree: &GameTree, limits: &Limits) -> Result<CommonPlan, LimitHit> {
    let team = Team::new(tree);
    let bound = open_value(tree);
    let mut best: Option<CommonPlan> = None;
    for start in 0..STARTS {
        let found = match team.improve(team.first_plan(start), limits) {
            Ok(found) => found,
            Err(_) if best.is_some() => break,
            Err(hit) => return Err(hit),
        };
        if best.as_ref().is_none_or(|best| found.payoff > best.payoff) {
            best = Some(CommonPlan { bound: bound.clone(), ..found });
        }
        if best.as_ref().is_some_and(|best| best.payoff == bound) {
            break;
        }
    }
    let mut best = match best {
        Some(best) => best,
        None => team.improve(team.first_plan(0), limits)?,
    };
    if best.payoff != bound
        && let Ok(Some(tried)) = team.try_all_plans(limits)
    {
        best = if tried.payoff > best.payoff { tried } else { best };
        best.bound = best.payoff.clone();
    }
    Ok(best)
}

/// The value if both players see everything and choose together.
fn open_value(tree: &GameTree) -> BigRational {
    let mut values = vec![BigRational::zero(); tree.nodes.len()];
    for nodes in tree.plies_from_the_end() {
        for at in nodes {
            let edges = tree.edges_of(at);
            let chooses = tree.nodes[at as usize].sets.iter().any(|&set| set != NONE);
            values[at as usize] = match tree.payoff(at) {
                Some(payoff) => payoff.clone(),
                None if chooses => {
                    edges.iter().map(|edge| &values[edge.to as usize]).max().cloned().unwrap_or_default()
                }
                None => edges.iter().map(|edge| tree.probability(edge) * &values[edge.to as usize]).sum(),
            };
        }
    }
    values.swap_remove(0)
}

/// The players of a tree as a team.
struct Team<'t> {
    tree: &'t GameTree,
    /// The tree with opposite payoffs, in which the second player's best response is best for the team.
    opposite: GameTree,
}

impl<'t> Team<'t> {
    fn new(tree: &'t GameTree) -> Team<'t> {
        let all =
            [0, 1].map(|player| tree.sets[player].iter().map(|set| vec![true; set.actions.len()]).collect());
        let (mut opposite, _) = tree.restricted(&all);
        for payoff in opposite.payoffs.iter_mut().flatten() {
            *payoff = -payoff.clone();
        }
        Team { tree, opposite }
    }

    /// A plan of the second player: the first actions, the second ones, and so on, then random ones.
    fn first_plan(&self, number: u64) -> Behaviour {
        let mut random = SplitMix::new(number);
        let choose = |set: &InformationSet| {
            let count = set.actions.len();
            match number {
                0..4 => number as usize % count,
                _ => (random.word() % count as u64) as usize,
            }
        };
        let choices: Vec<usize> = self.tree.sets[1].iter().map(choose).collect();
        plan(&self.tree.sets[1], choices)
    }

    /// The best plan of a player beside a plan of the other, and the payoff of both.
    fn response(
        &self,
        player: usize,
        other: &Behaviour,
        limits: &Limits,
    ) -> Result<(Behaviour, BigRational), LimitHit> {
        let tree = if player == 0 { self.tree } else { &self.opposite };
        let found = best_response(tree, 1 - player, other, limits)?;
        let choices = found.actions.iter().map(|&action| action as usize).collect();
        let payoff = if player == 0 { found.payoff } else { -found.payoff };
        Ok((plan(&self.tree.sets[player], choices), payoff))
    }

    /// Takes best responses in turns until neither player improves.
    fn improve(&self, mut second: Behaviour, limits: &Limits) -> Result<CommonPlan, LimitHit> {
        let (mut first, mut payoff) = self.response(0, &second, limits)?;
        loop {
            let (response, after) = self.response(1, &first, limits)?;
            let (own, both) = self.response(0, &response, limits)?;
            if both <= payoff {
                let bound = payoff.clone();
                return Ok(CommonPlan { plans: [first, second], payoff, bound });
            }
            debug_assert!(after >= payoff, "a best response keeps the payoff");
            (first, second, payoff) = (own, response, both);
        }
    }

    /// Tries every plan of the player with fewer plans; `None` if there are too many.
    fn try_all_plans(&self, limits: &Limits) -> Result<Option<CommonPlan>, LimitHit> {
        let counts = [0, 1].map(|player| PlanOrder::new(self.tree, player).count());
        let player = usize::from(counts[1] < counts[0]);
        let weighted = WeightedTree::new(self.tree);
        let most = if weighted.is_some() { MAX_INTEGER_VISITS } else { MAX_VISITS };
        if counts[player].saturating_mul(self.tree.edges.len() as u64 + 1) > most {
            return Ok(None);
        }
        let sets = &self.tree.sets[player];
        let order = PlanOrder::new(self.tree, player);
        let mut choices = vec![0; sets.len()];
        let mut best: Option<(BigRational, Vec<usize>)> = None;
        loop {
            let payoff = match &weighted {
                Some(weighted) if limits.check().is_none() => {
                    BigRational::from_integer(weighted.response(player, &choices).into())
                }
                _ => self.response(1 - player, &plan(sets, choices.clone()), limits)?.1,
            };
            if best.as_ref().is_none_or(|(most, _)| payoff > *most) {
                best = Some((payoff, choices.clone()));
            }
            if !order.advance(&mut choices) {
                break;
            }
        }
        let Some((_, choices)) = best else { return Ok(None) };
        let own = plan(sets, choices);
        let (other, payoff) = self.response(1 - player, &own, limits)?;
        let plans = if player == 0 { [own, other] } else { [other, own] };
        Ok(Some(CommonPlan { plans, bound: payoff.clone(), payoff }))
    }
}

/// The plans of a player, one after the other; those that differ only where earlier choices of the player do not lead are
/// one plan (reduced plans), with the first action there.
struct PlanOrder<'t> {
    sets: &'t [InformationSet],
    /// By sequence: the set of its last action; `None` for the empty sequence.
    owners: Vec<Option<usize>>,
}

impl<'t> PlanOrder<'t> {
    fn new(tree: &'t GameTree, player: usize) -> PlanOrder<'t> {
        let mut owners = vec![None; tree.sequences[player] as usize];
        for (number, set) in tree.sets[player].iter().enumerate() {
            let first = set.first_sequence as usize;
            owners[first..first + set.actions.len()].fill(Some(number));
        }
        PlanOrder { sets: &tree.sets[player], owners }
    }

    /// The number of plans, at most `u64::MAX`.
    fn count(&self) -> u64 {
        let mut counts = vec![1u64; self.owners.len()];
        // Sets come after those whose actions lead to them.
        for set in self.sets.iter().rev() {
            let first = set.first_sequence as usize;
            let of_set =
                counts[first..first + set.actions.len()].iter().fold(0u64, |sum, n| sum.saturating_add(*n));
            let before = &mut counts[set.parent as usize];
            *before = before.saturating_mul(of_set);
        }
        counts[EMPTY_SEQUENCE as usize]
    }

    /// Makes choices those of the next plan; returns false after the last one.
    fn advance(&self, choices: &mut [usize]) -> bool {
        let mut is_reached = vec![false; self.sets.len()];
        for (number, set) in self.sets.iter().enumerate() {
            is_reached[number] = self.owners[set.parent as usize].is_none_or(|owner| {
                is_reached[owner]
                    && choices[owner] == set.parent as usize - self.sets[owner].first_sequence as usize
            });
        }
        let can_grow =
            |&number: &usize| is_reached[number] && choices[number] + 1 < self.sets[number].actions.len();
        let Some(place) = (0..choices.len()).rev().find(can_grow) else { return false };
        choices[place] += 1;
        choices[place + 1..].fill(0);
        true
    }
}

/// A tree whose ends are weighted by their payoffs and the probability that chance leads there, as multiples of one
/// fraction.
struct WeightedTree<'t> {
    tree: &'t GameTree,
    /// The weight of each end; 0 for other nodes.
    weights: Vec<i128>,
    /// The plies from the last to the first.
    plies: Vec<Range<u32>>,
}

impl<'t> WeightedTree<'t> {
    /// The tree with its weights; `None` if they are too large.
    fn new(tree: &'t GameTree) -> Option<WeightedTree<'t>> {
        let mut reached = vec![BigRational::zero(); tree.nodes.len()];
        reached[0] = BigRational::one();
        for at in 0..tree.nodes.len() as u32 {
            for edge in tree.edges_of(at) {
                reached[edge.to as usize] = &reached[at as usize] * tree.probability(edge);
            }
        }
        let worth = |at: u32| tree.payoff(at).map(|payoff| payoff * &reached[at as usize]);
        let fractions: Vec<Option<BigRational>> = (0..tree.nodes.len() as u32).map(worth).collect();
        let common = BigRational::from_integer(common_denominator(fractions.iter().flatten()));
        let whole = |fraction: &Option<BigRational>| match fraction {
            Some(fraction) => (fraction * &common).to_integer().to_i64().map(i128::from),
            None => Some(0),
        };
        let weights: Vec<i128> = fractions.iter().map(whole).collect::<Option<_>>()?;
        Some(WeightedTree { tree, weights, plies: tree.plies_from_the_end().collect() })
    }

    /// The sum of the weights that a best response of the other player reaches besides these choices of a player.
    fn response(&self, player: usize, choices: &[usize]) -> i128 {
        let (tree, other) = (self.tree, 1 - player);
        let is_open = |node: &TreeNode, edge: &TreeEdge| match node.sets[player] {
            NONE => true,
            set => choices[set as usize] == edge.actions[player] as usize,
        };
        let mut reached = vec![false; tree.nodes.len()];
        reached[0] = true;
        for at in 0..tree.nodes.len() {
            if reached[at] {
                let node = &tree.nodes[at];
                for edge in tree.edges_of(at as u32).iter().filter(|edge| is_open(node, edge)) {
                    reached[edge.to as usize] = true;
                }
            }
        }
        let mut sums = self.weights.clone();
        let mut open_sets = tree.sets[other].len();
        for nodes in &self.plies {
            let sum = |sums: &[i128], at: u32, action: Option<u32>| -> i128 {
                let node = &tree.nodes[at as usize];
                let fits = |edge: &&TreeEdge| {
                    is_open(node, edge) && action.is_none_or(|action| edge.actions[other] == action)
                };
                tree.edges_of(at).iter().filter(fits).map(|edge| sums[edge.to as usize]).sum()
            };
            for at in nodes.clone().filter(|&at| reached[at as usize]) {
                if tree.payoff(at).is_none() && tree.nodes[at as usize].sets[other] == NONE {
                    sums[at as usize] = sum(&sums, at, None);
                }
            }
            while open_sets > 0 && nodes.contains(&tree.sets[other][open_sets - 1].nodes[0]) {
                open_sets -= 1;
                let set = &tree.sets[other][open_sets];
                let here = || set.nodes.iter().copied().filter(|&at| reached[at as usize]);
                let of_action = |action| here().map(|at| sum(&sums, at, Some(action))).sum::<i128>();
                let best = (0..set.actions.len() as u32).max_by_key(|&action| of_action(action));
                let chosen: Vec<(u32, i128)> = here().map(|at| (at, sum(&sums, at, best))).collect();
                chosen.into_iter().for_each(|(at, sum)| sums[at as usize] = sum);
            }
        }
        sums[0]
    }
}

/// The plan that makes these choices in the information sets.
fn plan(sets: &[InformationSet], choices: Vec<usize>) -> Behaviour {
    let shares = |(set, choice): (&InformationSet, usize)| {
        let share = |action| if action == choice { BigRational::one() } else { BigRational::zero() };
        (0..set.actions.len()).map(share).collect()
    };
    sets.iter().zip(choices).map(shares).collect()
}
