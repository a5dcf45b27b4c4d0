//! Strategies without choices that another one beats in every play.
//!
//! Technique: an action of an information set is left out if in each position of the set the least payoff after another
//! one is at least the greatest payoff after it; its share goes to the other one.
//! Cost: one pass over the tree for the payoffs of each node, and one over the information sets.
//! Invariant: in no play does the player get less than before, so what his strategy guarantees is never less.
//! Not taken: dominance by expected payoffs, which depends on the strategies.

use num_traits::Zero;

use super::game_tree::{Behaviour, GameTree, InformationSet, NONE, PLAYERS};
use bouton_base::limits::Limits;

/// The bytes of the payoffs of a node.
const BYTES_PER_NODE: u64 = 8;

/// The least and the greatest payoff of a player after a node or an action, as numbers in the order of payoffs.
type PayoffRange = (u32, u32);

/// Gives the shares of actions that others beat in every play to those; returns true if that changes a strategy. A
/// limit leaves the rest as it is.
///
/// Precondition: the payoffs of both players have a constant sum.
pub fn leave_out(tree: &GameTree, strategies: &mut [Behaviour; PLAYERS], limits: &Limits) -> bool {
    if limits.check_held(tree.bytes + BYTES_PER_NODE * tree.nodes.len() as u64).is_some() {
        return false;
    }
    let ranges = payoff_ranges(tree);
    let mut changed = false;
    for (player, behaviour) in strategies.iter_mut().enumerate() {
        for (set, shares) in tree.sets[player].iter().zip(behaviour) {
            if limits.check().is_some() {
                return changed;
            }
            if set.actions.len() < 2 {
                continue;
            }
            let after = action_ranges(tree, player, set, &ranges);
            for action in 0..shares.len() {
                if shares[action].is_zero() {
                    continue;
                }
                if let Some(better) = undominated(&after, action) {
                    let share = std::mem::take(&mut shares[action]);
                    shares[better] += share;
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Returns the range of the first player's payoffs after each node.
fn payoff_ranges(tree: &GameTree) -> Vec<PayoffRange> {
    let mut order: Vec<usize> = (0..tree.payoffs.len()).collect();
    order.sort_by(|&a, &b| tree.payoffs[a][0].cmp(&tree.payoffs[b][0]));
    let mut numbers = vec![0; order.len()];
    let mut number = 0;
    for (place, &payoff) in order.iter().enumerate() {
        let is_new = place > 0 && tree.payoffs[payoff][0] != tree.payoffs[order[place - 1]][0];
        number += u32::from(is_new);
        numbers[payoff] = number;
    }
    let mut ranges = vec![(u32::MAX, 0); tree.nodes.len()];
    for nodes in tree.plies_from_the_end() {
        for at in nodes {
            ranges[at as usize] = match tree.payoff_number(at) {
                NONE => tree
                    .edges_of(at)
                    .iter()
                    .fold((u32::MAX, 0), |range, edge| joined(range, ranges[edge.to as usize])),
                payoff => (numbers[payoff as usize], numbers[payoff as usize]),
            };
        }
    }
    ranges
}

fn joined(a: PayoffRange, b: PayoffRange) -> PayoffRange {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Returns by action and position of a set the range of the player's payoffs after the action.
fn action_ranges(
    tree: &GameTree,
    player: usize,
    set: &InformationSet,
    ranges: &[PayoffRange],
) -> Vec<Vec<PayoffRange>> {
    let mut after = vec![vec![(u32::MAX, 0); set.nodes.len()]; set.actions.len()];
    for (place, &at) in set.nodes.iter().enumerate() {
        for edge in tree.edges_of(at) {
            let (least, most) = ranges[edge.to as usize];
            // What the first player gets, the second one does not.
            let own = if player == 0 { (least, most) } else { (u32::MAX - 1 - most, u32::MAX - 1 - least) };
            let range = &mut after[edge.actions[player] as usize][place];
            *range = joined(*range, own);
        }
    }
    after
}

/// Returns the first action that beats this one in every play and that no other one beats; `None` if none does.
fn undominated(after: &[Vec<PayoffRange>], action: usize) -> Option<usize> {
    let beats = |a: usize, b: usize| {
        after[a] != after[b] && after[a].iter().zip(&after[b]).all(|((least, _), (_, most))| least >= most)
    };
    let mut better = (0..after.len()).filter(|&other| beats(other, action));
    better.find(|&other| !(0..after.len()).any(|third| beats(third, other)))
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;
    use num_traits::One;

    use super::*;
    use crate::game::toy::ToyGame;
    use crate::solve::mixed::game_tree::guarantee;

    /// A player who never gets there still does not fold when calling wins in every play.
    #[test]
    fn a_choice_that_loses_in_every_play_gets_no_share() {
        for player in [0, 1] {
            let sign = if player == 0 { 1 } else { -1 };
            let mut toy = ToyGame::new(2);
            // Either player may stop at once; then the one who holds the card folds, calls, or waits.
            for (from, to) in [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5), (5, 6), (5, 7)] {
                toy.edge(from, to);
            }
            toy.owner(0, 1 - player);
            toy.owner(1, player);
            toy.owner(5, 1 - player);
            for (at, value) in [(2, 0), (3, -3), (4, 5), (6, 4), (7, 6)] {
                toy.payoffs(at, &[sign * value, -sign * value]);
            }
            let game = toy.game();
            let limits = Limits::default();
            let Ok(tree) = GameTree::build(&game, &game.machine.initial(), &limits) else { panic!("a tree") };
            let part = |n: i64| BigRational::new(n.into(), 4.into());
            let own = player as usize;
            let even = |set: &InformationSet| {
                let count = set.actions.len();
                vec![BigRational::new(1.into(), count.into()); count]
            };
            let mut strategies =
                [0, 1].map(|of: usize| tree.sets[of].iter().map(even).collect::<Behaviour>());
            strategies[own][0] = vec![part(1), part(2), part(1)];
            let before = [0, 1].map(|of| guarantee(&tree, of, &strategies[of], &limits).unwrap());
            assert!(leave_out(&tree, &mut strategies, &limits));
            // To call beats to fold, and to wait may be better or worse than to call.
            assert_eq!(strategies[own][0], [BigRational::zero(), part(3), part(1)]);
            let after = [0, 1].map(|of| guarantee(&tree, of, &strategies[of], &limits).unwrap());
            assert!(after[0] >= before[0] && after[1] <= before[1]);
            assert!(!leave_out(&tree, &mut strategies, &limits), "nothing is left to leave out");
            assert!(strategies.iter().flatten().all(|shares| shares.iter().sum::<BigRational>().is_one()));
        }
    }
}
