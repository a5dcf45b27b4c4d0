//! ComparedPlans of the equilibria of small games of two players with hidden information and interests of their own.
//!
//! Technique: the normal form. Each player's plans, a choice in each of his information sets, are the rows and columns of
//! a matrix of expected payoffs, in which each entry takes a pass over the tree. Equilibria without chance are found by
//! comparing entries; if few plans are left after dominance, the payoffs of all equilibria of the matrix are.
//! Source: Kuhn (1953): with perfect recall a mixture of plans is a behaviour strategy with the same payoffs.
//! Cost: the product of both numbers of plans, which are exponential in information sets, times the tree.
//! Invariant: the payoffs and the comparisons are exact; nobody gains by leaving an equilibrium alone.
//! Not taken: the equilibria with chance themselves; `sequence_equilibrium` finds one, in larger games too.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::bimatrix::Bimatrix;
use super::game_tree::{Behaviour, GameTree, InformationSet, NONE, PLAYERS, TreeEdge};
use bouton_base::limits::{LimitHit, Limits};

/// An equilibrium in behaviour strategies.
pub struct PlanEquilibrium {
    pub strategies: [Behaviour; PLAYERS],
    pub payoffs: [BigRational; PLAYERS],
}

/// The payoffs of other equilibria.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherEquilibria {
    /// All equilibria have the same payoffs.
    Same,
    /// Some have other payoffs.
    Differ,
    Unknown,
}

/// The equilibria of a game with few plans.
pub struct ComparedPlans {
    /// An equilibrium without chance and without empty threats, if there is one: that with the greatest sum of payoffs,
    /// the first of several.
    pub credible: Option<PlanEquilibrium>,
    pub others: OtherEquilibria,
}

/// The maximal number of moves of the tree that the computation of the matrix may visit.
const MAX_VISITS: u64 = 1_000_000;
/// The maximal number of plans of a player, after dominance, for all equilibria.
const MAX_MIXED_PLANS: usize = 8;
/// The maximal number of plans of a player among which dominated ones are looked for.
const MAX_COMPARED_PLANS: usize = 24;

/// Compares the equilibria of a game; `None` if there are too many plans.
pub fn compare(tree: &GameTree, limits: &Limits) -> Result<Option<ComparedPlans>, LimitHit> {
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
    let all = all_payoffs(&game, limits)?;
    let (credible, pure) = without_chance(tree, &plans, &game);
    let known = || all.iter().flatten().chain(&pure);
    let others = match known().next() {
        Some(first) if known().any(|other| other != first) => OtherEquilibria::Differ,
        Some(_) if all.is_some() => OtherEquilibria::Same,
        _ => OtherEquilibria::Unknown,
    };
    Ok(Some(ComparedPlans { credible, others }))
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

/// Returns the best equilibrium without chance and empty threats, and the payoffs of all without chance.
fn without_chance(
    tree: &GameTree,
    plans: &[Vec<Vec<u32>>; PLAYERS],
    game: &Bimatrix,
) -> (Option<PlanEquilibrium>, Vec<[BigRational; PLAYERS]>) {
    let best_rows: Vec<&BigRational> =
        (0..plans[1].len()).filter_map(|j| game.first.iter().map(|row| &row[j]).max()).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, row) in game.second.iter().enumerate() {
        let most = row.iter().max();
        let fits = |j: &usize| Some(&row[*j]) == most && game.first[i][*j] == *best_rows[*j];
        found.extend((0..row.len()).filter(fits).map(|j| (i, j)));
    }
    let payoffs = |(i, j): (usize, usize)| [game.first[i][j].clone(), game.second[i][j].clone()];
    let sum = |pair: (usize, usize)| payoffs(pair).into_iter().sum::<BigRational>();
    let mut best: Option<(usize, usize)> = None;
    for &(i, j) in &found {
        if is_credible(tree, [&plans[0][i], &plans[1][j]]) && best.is_none_or(|best| sum((i, j)) > sum(best))
        {
            best = Some((i, j));
        }
    }
    let plan = |player: usize, chosen: usize| -> Behaviour {
        let share = |is_made: bool| if is_made { BigRational::one() } else { BigRational::zero() };
        let of = |(set, made): (&InformationSet, &u32)| {
            (0..set.actions.len() as u32).map(|action| share(action == *made)).collect()
        };
        tree.sets[player].iter().zip(&plans[player][chosen]).map(of).collect()
    };
    let credible =
        best.map(|(i, j)| PlanEquilibrium { strategies: [plan(0, i), plan(1, j)], payoffs: payoffs((i, j)) });
    (credible, found.into_iter().map(payoffs).collect())
}

/// Returns true if no plan has an empty threat: each choice is a best one, also in information sets that play by the plans
/// does not come to. There a player takes it that as few errors were made as possible, all errors being equally improbable
/// (Kreps, Wilson 1982: sequential rationality).
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
    let errors = errors(tree, plans);
    let is_best = |player: usize, set: &InformationSet, chosen: u32| {
        let fewest = set.nodes.iter().map(|&at| errors[at as usize].0).min();
        let worth = |action: u32| -> BigRational {
            let believed = set.nodes.iter().filter(|&&at| Some(errors[at as usize].0) == fewest);
            let of = |&at: &u32| &after(&values, at, Some((player, action)))[player] * &errors[at as usize].1;
            believed.map(of).sum()
        };
        let own = worth(chosen);
        (0..set.actions.len() as u32).all(|action| action == chosen || worth(action) <= own)
    };
    (0..PLAYERS).all(|player| {
        let mut sets = tree.sets[player].iter().zip(plans[player]);
        sets.all(|(set, &chosen)| is_best(player, set, chosen))
    })
}

/// Returns by node the fewest choices on the way to it that are not those of the plans, and the probability of chance on
/// all ways with so few.
fn errors(tree: &GameTree, plans: [&Vec<u32>; PLAYERS]) -> Vec<(u32, BigRational)> {
    let mut errors = vec![(u32::MAX, BigRational::zero()); tree.nodes.len()];
    errors[0] = (0, BigRational::one());
    for at in 0..tree.nodes.len() as u32 {
        let (before, chance) = errors[at as usize].clone();
        for edge in tree.edges_of(at) {
            let is_error = |player: &usize| match tree.nodes[at as usize].sets[*player] {
                NONE => false,
                set => plans[*player][set as usize] != edge.actions[*player],
            };
            let count = before + (0..PLAYERS).filter(is_error).count() as u32;
            let to = &mut errors[edge.to as usize];
            if count < to.0 {
                *to = (count, BigRational::zero());
            }
            if count == to.0 {
                to.1 += &chance * tree.probability(edge);
            }
        }
    }
    errors
}

/// Returns the payoffs of all extreme equilibria, if few plans are left after dominance.
fn all_payoffs(game: &Bimatrix, limits: &Limits) -> Result<Option<Vec<[BigRational; PLAYERS]>>, LimitHit> {
    let (rows, columns) = game.size();
    if rows.max(columns) > MAX_COMPARED_PLANS {
        return Ok(None);
    }
    let dominated = game.iterated_dominance(limits)?;
    let left = |player: u32, count: usize| {
        let is_out = |plan: &usize| dominated.iter().any(|out| out.player == player && out.strategy == *plan);
        (0..count).filter(|plan| !is_out(plan)).collect::<Vec<usize>>()
    };
    let left = [left(0, rows), left(1, columns)];
    if left.iter().any(|plans| plans.len() > MAX_MIXED_PLANS) {
        return Ok(None);
    }
    let part = |matrix: &Vec<Vec<BigRational>>| {
        let row = |&i: &usize| left[1].iter().map(|&j| matrix[i][j].clone()).collect();
        left[0].iter().map(row).collect()
    };
    let smaller = Bimatrix { first: part(&game.first), second: part(&game.second) };
    let extreme = smaller.equilibria(limits)?.extreme;
    Ok(Some(extreme.into_iter().map(|found| found.payoffs).collect()))
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
