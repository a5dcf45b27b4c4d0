//! Equilibria of small games of two players with hidden information and interests of their own.
//!
//! Technique: the normal form. Each player's plans, a choice in each of his information sets, are the rows and columns of
//! a matrix of expected payoffs, in which each entry takes a pass over the tree. Equilibria without chance are found by
//! comparing entries; if there are none and few plans are left after dominance, all equilibria of the matrix are.
//! Source: Kuhn (1953): with perfect recall a mixture of plans is a behaviour strategy with the same payoffs.
//! Cost: the product of both numbers of plans, which are exponential in information sets, times the tree.
//! Invariant: the payoffs and the comparisons are exact; nobody gains by leaving an equilibrium alone.
//! Not taken: the sequence form with Lemke's method, which finds one equilibrium, for larger games
//! (`sequence_equilibrium`).

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::bimatrix::Bimatrix;
use super::game_tree::{Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet, NONE, PLAYERS, TreeEdge};
use bouton_base::limits::{LimitHit, Limits};

/// An equilibrium in behaviour strategies.
pub struct PlanEquilibrium {
    pub strategies: [Behaviour; PLAYERS],
    pub payoffs: [BigRational; PLAYERS],
    /// True if other equilibria that were found give other payoffs.
    pub others_differ: bool,
}

/// The maximal number of moves of the tree that the computation of the matrix may visit.
const MAX_VISITS: u64 = 5_000_000;
/// The maximal number of plans of a player, after dominance, for equilibria with chance.
const MAX_MIXED_PLANS: usize = 8;
/// The maximal number of plans of a player among which dominated ones are looked for.
const MAX_COMPARED_PLANS: usize = 64;

/// Finds an equilibrium: of those without chance one without empty threats if there is any, then the one with the greatest
/// sum of payoffs, the first of several. Returns `None` if there are too many plans, or none was found.
pub fn find(tree: &GameTree, limits: &Limits) -> Result<Option<PlanEquilibrium>, LimitHit> {
    let counts = [0, 1].map(|player| {
        let sizes = tree.sets[player].iter().map(|set| set.actions.len() as u64);
        sizes.fold(1u64, u64::saturating_mul)
    });
    let pairs = counts[0].saturating_mul(counts[1]);
    if tree.players != PLAYERS || pairs.saturating_mul(tree.edges.len() as u64 + 1) > MAX_VISITS {
        return Ok(None);
    }
    let plans = [0, 1].map(|player| plans(&tree.sets[player]));
    let mut game = Bimatrix { first: Vec::new(), second: Vec::new() };
    for row in &plans[0] {
        if let Some(hit) = limits.check() {
            return Err(hit);
        }
        let payoffs: Vec<[BigRational; PLAYERS]> =
            plans[1].iter().map(|column| payoffs(tree, [row, column])).collect();
        game.first.push(payoffs.iter().map(|payoffs| payoffs[0].clone()).collect());
        game.second.push(payoffs.into_iter().map(|[_, second]| second).collect());
    }
    if let Some(found) = without_chance(tree, &plans, &game) {
        return Ok(Some(found));
    }
    with_chance(tree, &plans, &game, limits)
}

/// All plans of a player: a choice in each information set.
fn plans(sets: &[InformationSet]) -> Vec<Vec<u32>> {
    let mut plans = vec![Vec::new()];
    for set in sets {
        let longer = |plan: &Vec<u32>| {
            let plan = plan.clone();
            (0..set.actions.len() as u32).map(move |action| [&plan[..], &[action]].concat())
        };
        plans = plans.iter().flat_map(longer).collect();
    }
    plans
}

/// The expected payoffs of a pair of plans.
fn payoffs(tree: &GameTree, plans: [&Vec<u32>; PLAYERS]) -> [BigRational; PLAYERS] {
    let mut weights = vec![BigRational::zero(); tree.nodes.len()];
    weights[0] = BigRational::one();
    let mut sums = [BigRational::zero(), BigRational::zero()];
    for at in 0..tree.nodes.len() as u32 {
        let weight = std::mem::take(&mut weights[at as usize]);
        if weight.is_zero() {
            continue;
        }
        if let Some(payoffs) = tree.payoffs_at(at) {
            sums.iter_mut().zip(payoffs).for_each(|(sum, payoff)| *sum += &weight * payoff);
            continue;
        }
        let node = &tree.nodes[at as usize];
        for edge in tree.edges_of(at) {
            let fits = |player: usize| match node.sets[player] {
                NONE => true,
                set => plans[player][set as usize] == edge.actions[player],
            };
            if (0..PLAYERS).all(fits) {
                weights[edge.to as usize] += &weight * tree.probability(edge);
            }
        }
    }
    sums
}

/// An equilibrium without chance.
fn without_chance(
    tree: &GameTree,
    plans: &[Vec<Vec<u32>>; PLAYERS],
    game: &Bimatrix,
) -> Option<PlanEquilibrium> {
    let best_rows: Vec<&BigRational> =
        (0..plans[1].len()).filter_map(|j| game.first.iter().map(|row| &row[j]).max()).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, row) in game.second.iter().enumerate() {
        let most = row.iter().max()?;
        let fits = |j: &usize| row[*j] == *most && game.first[i][*j] == *best_rows[*j];
        found.extend((0..row.len()).filter(fits).map(|j| (i, j)));
    }
    let payoffs = |(i, j): (usize, usize)| [game.first[i][j].clone(), game.second[i][j].clone()];
    let sum = |pair: (usize, usize)| payoffs(pair).into_iter().sum::<BigRational>();
    let credible: Vec<(usize, usize)> =
        found.iter().copied().filter(|&(i, j)| is_credible(tree, [&plans[0][i], &plans[1][j]])).collect();
    let candidates = if credible.is_empty() { &found } else { &credible };
    let mut best = *candidates.first()?;
    for &pair in &candidates[1..] {
        if sum(pair) > sum(best) {
            best = pair;
        }
    }
    let others_differ = found.iter().any(|&pair| payoffs(pair) != payoffs(best));
    let mixture = |player: usize, chosen: usize| {
        let share = |at| if at == chosen { BigRational::one() } else { BigRational::zero() };
        behaviour(
            &tree.sets[player],
            &plans[player],
            &(0..plans[player].len()).map(share).collect::<Vec<_>>(),
        )
    };
    let strategies = [mixture(0, best.0), mixture(1, best.1)];
    Some(PlanEquilibrium { strategies, payoffs: payoffs(best), others_differ })
}

/// Returns true if no plan has an empty threat: a choice in an information set that another one beats after each
/// choice of the other player that may have led to it, if play goes on by the plans. Among the positions of the set
/// after the same choices of his, chance alone decides.
fn is_credible(tree: &GameTree, plans: [&Vec<u32>; PLAYERS]) -> bool {
    let mut values: Vec<[BigRational; PLAYERS]> = vec![Default::default(); tree.nodes.len()];
    // The payoffs at a node if a player makes this action, or the one of his plan.
    let after = |values: &[[BigRational; PLAYERS]], at: u32, made: Option<(usize, u32)>| {
        let sets = tree.nodes[at as usize].sets;
        let action = |player: usize| match made {
            Some((of, action)) if of == player => Some(action),
            _ => plans[player].get(sets[player] as usize).copied(),
        };
        let actions = [action(0), action(1)];
        let fits = |edge: &&TreeEdge| {
            (0..PLAYERS).all(|player| actions[player].is_none_or(|action| action == edge.actions[player]))
        };
        let mut sums: [BigRational; PLAYERS] = Default::default();
        for edge in tree.edges_of(at).iter().filter(fits) {
            let reached = &values[edge.to as usize];
            sums.iter_mut().zip(reached).for_each(|(sum, value)| *sum += tree.probability(edge) * value);
        }
        sums
    };
    for at in (0..tree.nodes.len() as u32).rev() {
        values[at as usize] = tree.payoffs_at(at).cloned().unwrap_or_else(|| after(&values, at, None));
    }
    let chances = chances(tree);
    let is_beaten = |player: usize, set: &InformationSet, chosen: u32| {
        let worth = |at: u32, action: u32| {
            &after(&values, at, Some((player, action)))[player] * &chances[at as usize]
        };
        let is_better = |other: u32| {
            let mut gains: BTreeMap<u32, BigRational> = BTreeMap::new();
            for &at in &set.nodes {
                let after = tree.nodes[at as usize].sequences[1 - player];
                *gains.entry(after).or_default() += worth(at, other) - worth(at, chosen);
            }
            gains.values().all(|gain| gain.is_positive())
        };
        (0..set.actions.len() as u32).any(|action| action != chosen && is_better(action))
    };
    (0..PLAYERS).all(|player| {
        let mut sets = tree.sets[player].iter().zip(plans[player]);
        sets.all(|(set, &chosen)| !is_beaten(player, set, chosen))
    })
}

/// Returns by node the probability of the events of chance that lead to it.
fn chances(tree: &GameTree) -> Vec<BigRational> {
    let mut chances = vec![BigRational::zero(); tree.nodes.len()];
    chances[0] = BigRational::one();
    for at in 0..tree.nodes.len() as u32 {
        let chance = chances[at as usize].clone();
        for edge in tree.edges_of(at) {
            chances[edge.to as usize] += &chance * tree.probability(edge);
        }
    }
    chances
}

/// An equilibrium with chance, if few plans are left after dominance.
fn with_chance(
    tree: &GameTree,
    plans: &[Vec<Vec<u32>>; PLAYERS],
    game: &Bimatrix,
    limits: &Limits,
) -> Result<Option<PlanEquilibrium>, LimitHit> {
    if plans.iter().any(|plans| plans.len() > MAX_COMPARED_PLANS) {
        return Ok(None);
    }
    let dominated = game.iterated_dominance(limits)?;
    let left = [0, 1].map(|player: usize| {
        let is_out =
            |plan: &usize| dominated.iter().any(|out| out.player as usize == player && out.strategy == *plan);
        (0..plans[player].len()).filter(|plan| !is_out(plan)).collect::<Vec<usize>>()
    });
    if left.iter().any(|plans| plans.len() > MAX_MIXED_PLANS) {
        return Ok(None);
    }
    let part = |matrix: &Vec<Vec<BigRational>>| {
        let row = |&i: &usize| left[1].iter().map(|&j| matrix[i][j].clone()).collect();
        left[0].iter().map(row).collect()
    };
    let smaller = Bimatrix { first: part(&game.first), second: part(&game.second) };
    let all = smaller.equilibria(limits)?.extreme;
    let Some(found) = all.first() else { return Ok(None) };
    let mixture = |player: usize, shares: &[BigRational]| {
        let mut whole = vec![BigRational::zero(); plans[player].len()];
        left[player].iter().zip(shares).for_each(|(&plan, share)| whole[plan] = share.clone());
        behaviour(&tree.sets[player], &plans[player], &whole)
    };
    Ok(Some(PlanEquilibrium {
        strategies: [mixture(0, &found.rows), mixture(1, &found.columns)],
        payoffs: found.payoffs.clone(),
        others_differ: all.iter().any(|other| other.payoffs != found.payoffs),
    }))
}

/// The behaviour strategy with the payoffs of a mixture of plans: in each information set the shares of the actions
/// among the plans that can reach it. Where none can, it plays as the first plan of the mixture.
fn behaviour(sets: &[InformationSet], plans: &[Vec<u32>], shares: &[BigRational]) -> Behaviour {
    let mixed: Vec<(&Vec<u32>, &BigRational)> =
        plans.iter().zip(shares).filter(|(_, share)| !share.is_zero()).collect();
    let choose = |at: usize| {
        let set = &sets[at];
        let mut weights = vec![BigRational::zero(); set.actions.len()];
        for (plan, share) in mixed.iter().filter(|(plan, _)| reaches(sets, plan, set.parent)) {
            weights[plan[at] as usize] += *share;
        }
        let sum: BigRational = weights.iter().sum();
        if sum.is_zero() {
            let first = mixed.first().map_or(0, |(plan, _)| plan[at] as usize);
            weights[first] = BigRational::one();
            return weights;
        }
        weights.into_iter().map(|weight| weight / &sum).collect()
    };
    (0..sets.len()).map(choose).collect()
}

/// Returns true if a plan makes all choices of a sequence.
fn reaches(sets: &[InformationSet], plan: &[u32], mut sequence: u32) -> bool {
    while sequence != EMPTY_SEQUENCE {
        let ends_in = |set: &InformationSet| {
            (set.first_sequence..set.first_sequence + set.actions.len() as u32).contains(&sequence)
        };
        let Some(at) = sets.iter().position(ends_in) else { return false };
        if plan[at] != sequence - sets[at].first_sequence {
            return false;
        }
        sequence = sets[at].parent;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::toy::ToyGame;
    use bouton_base::rational::Rational;

    /// B cannot see the card, of which A knows nothing either: his reply to a move that A does not make is weighed by
    /// the odds of the card.
    #[test]
    fn a_reply_is_weighed_by_chance() {
        // 0: the card; 1 and 2: A stops or goes on; 4 and 6: B replies.
        let mut toy = ToyGame::new(2);
        toy.chance(0, 1, Rational::new(2, 3));
        toy.chance(0, 2, Rational::new(1, 3));
        for (from, to) in [(1, 3), (1, 4), (2, 3), (2, 6), (4, 7), (4, 8), (6, 9), (6, 10)] {
            toy.edge(from, to);
        }
        toy.owner(4, 1);
        toy.owner(6, 1);
        for (node, payoffs) in [(3, [1, 1]), (7, [0, 0]), (8, [2, 1]), (9, [0, 1]), (10, [2, 0])] {
            toy.payoffs(node, &payoffs);
        }
        let game = toy.game();
        let limits = Limits::default();
        let Ok(mut tree) = GameTree::build(&game, &game.machine.initial(), &limits) else { panic!("a tree") };
        // Neither player sees the card: the positions of each are one information set.
        for player in 0..PLAYERS {
            let [first, second] = &tree.sets[player][..] else { panic!("two sets") };
            let nodes = [&first.nodes[..], &second.nodes[..]].concat();
            let joined = InformationSet { nodes: nodes.clone(), ..first.clone() };
            nodes.iter().for_each(|&at| tree.nodes[at as usize].sets[player] = 0);
            tree.sets[player] = vec![joined];
        }
        // After A went on, B knows only that.
        let after_going_on = tree.sequences[0] - 1;
        for at in tree.sets[1][0].nodes.clone() {
            tree.nodes[at as usize].sequences[0] = after_going_on;
        }
        let (stops, goes_on) = (vec![0], vec![1]);
        let is_sound = |reply: u32, first: &Vec<u32>| is_credible(&tree, [first, &vec![reply]]);
        // The second reply gives B one point two times in three, the first one time in three.
        assert!(is_sound(1, &goes_on));
        assert!(!is_sound(0, &stops), "the threat that makes A stop is empty");
    }
}
