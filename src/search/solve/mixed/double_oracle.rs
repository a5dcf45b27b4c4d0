//! Exact equilibria of large games with hidden information, from a few of the players' actions.
//!
//! Technique: the double oracle on sequences. A restricted game leaves each player some of his actions in each
//! information set; at first those that regret minimization plays, then also those of exact best responses in the whole
//! game to the equilibrium of the restricted one. It ends when both best responses gain nothing: then the equilibrium of
//! the restricted game is one of the whole game.
//! Source: McMahan, Gordon, Blum (2003) for matrices; Bosansky, Kiekintveld, Lisy, Pechoucek (2014) for sequences.
//! Cost: a linear program over the sequences of the restricted game and two passes over the whole tree a round.
//! Invariant: each information set keeps at least one action; where the restricted game does not lead, the players follow
//! the proposed strategies. Guarantees are computed in the whole game.
//! Not taken: best responses bounded by values of the restricted game, which would save parts of the passes.

use num_traits::Zero;

use super::game_tree::{Behaviour, BestResponse, GameTree, NONE, PLAYERS, best_response};
use super::numbers::short_probabilities;
use super::play::Enclosure;
use super::regret_matching::Proposal;
use super::sequence_form;
use bouton_base::limits::{LimitHit, Limits};

/// The least share of an action in a proposed strategy for the first restricted game.
const LEAST_SHARE: f64 = 1e-2;
/// The tolerance to which shares are rounded where the restricted game does not lead.
const TOLERANCE: f64 = 1e-2;

/// Strategies of the whole game, and what they guarantee.
pub struct Improved {
    pub strategies: [Behaviour; PLAYERS],
    pub enclosure: Enclosure,
}

/// Improves proposed strategies until they are an exact equilibrium, a limit is reached, or nothing improves; `None` if
/// no restricted game was solved. `most_entries` bounds the entries of a linear program.
pub fn improve(
    tree: &GameTree,
    proposal: &Proposal,
    most_entries: usize,
    limits: &Limits,
) -> Option<Improved> {
    let mut restriction = Restriction::to_played(tree, proposal);
    let mut improved: Option<Improved> = None;
    loop {
        let round = restriction.round(most_entries, limits).ok().flatten();
        let Some((strategies, responses)) = round else { return improved };
        let [to_first, to_second] = &responses;
        let enclosure = Enclosure { low: to_first.payoff.clone(), high: to_second.payoff.clone() };
        let added: usize = [0, 1]
            .iter()
            .map(|&holder| restriction.add(holder, &strategies[holder], &responses[holder]))
            .sum();
        let now = Improved { strategies, enclosure };
        let now = match improved {
            Some(before) => now.or_better(before),
            None => now,
        };
        let exact = now.enclosure.is_exact();
        improved = Some(now);
        if exact || added == 0 {
            return improved;
        }
    }
}

impl Improved {
    /// Returns for each player the strategy of the two that guarantees more.
    fn or_better(mut self, before: Improved) -> Improved {
        let [first, second] = before.strategies;
        if before.enclosure.low > self.enclosure.low {
            (self.strategies[0], self.enclosure.low) = (first, before.enclosure.low);
        }
        if before.enclosure.high < self.enclosure.high {
            (self.strategies[1], self.enclosure.high) = (second, before.enclosure.high);
        }
        self
    }
}

/// A game in which each player has some of his actions.
struct Restriction<'t> {
    tree: &'t GameTree,
    /// For each information set of a player, which of its actions he has; at least one.
    kept: [Vec<Vec<bool>>; PLAYERS],
    /// The proposed strategies, rounded: the players follow them where the restricted game does not lead.
    proposed: [Behaviour; PLAYERS],
}

/// The strategies of a round, and the best response of the other player to each.
type Round = ([Behaviour; PLAYERS], [BestResponse; PLAYERS]);

impl<'t> Restriction<'t> {
    /// Keeps the actions that proposed strategies play.
    fn to_played(tree: &'t GameTree, proposal: &Proposal) -> Restriction<'t> {
        let proposed = proposal.averages.each_ref().map(|sets| {
            sets.iter().map(|shares| short_probabilities(shares, TOLERANCE)).collect::<Behaviour>()
        });
        let kept = proposal.averages.each_ref().map(|sets| {
            let played = |shares: &Vec<f64>| {
                let most = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
                (0..shares.len()).map(|action| Some(action) == most || shares[action] > LEAST_SHARE).collect()
            };
            sets.iter().map(played).collect()
        });
        Restriction { tree, kept, proposed }
    }

    /// Solves the restricted game, and computes best responses in the whole game; `None` if its program has too many
    /// entries or rounding errors prevented a solution.
    fn round(&self, most_entries: usize, limits: &Limits) -> Result<Option<Round>, LimitHit> {
        let (part, origins) = self.tree.restricted(&self.kept);
        if sequence_form::entries(&part) > most_entries {
            return Ok(None);
        }
        let Some(found) = sequence_form::solve(&part, limits)? else { return Ok(None) };
        let strategies = [0, 1].map(|player| self.extended(player, &found[player], &origins[player]));
        let to_first = best_response(self.tree, 0, &strategies[0], limits)?;
        let to_second = best_response(self.tree, 1, &strategies[1], limits)?;
        Ok(Some((strategies, [to_first, to_second])))
    }

    /// Makes a strategy of the whole game; `origins` are the sets of the whole game from which those of the restricted
    /// game come.
    fn extended(&self, player: usize, of_part: &Behaviour, origins: &[u32]) -> Behaviour {
        let mut strategy = self.proposed[player].clone();
        for (shares, &set) in of_part.iter().zip(origins) {
            let mut shares = shares.iter();
            let kept = &self.kept[player][set as usize];
            strategy[set as usize] = kept
                .iter()
                .map(|&kept| if kept { shares.next().cloned() } else { None }.unwrap_or_default())
                .collect();
        }
        strategy
    }

    /// Adds the actions of a best response to the strategy of `holder`, where both lead, and returns how many were new.
    fn add(&mut self, holder: usize, strategy: &Behaviour, response: &BestResponse) -> usize {
        let responder = 1 - holder;
        let mut reached = vec![false; self.tree.nodes.len()];
        reached[0] = true;
        let mut added = 0;
        for at in 0..self.tree.nodes.len() as u32 {
            if !reached[at as usize] {
                continue;
            }
            let sets = self.tree.nodes[at as usize].sets;
            let chosen = match sets[responder] {
                NONE => None,
                set => {
                    let action = response.actions[set as usize];
                    let kept = &mut self.kept[responder][set as usize][action as usize];
                    added += usize::from(!std::mem::replace(kept, true));
                    Some(action)
                }
            };
            for edge in self.tree.edges_of(at) {
                let held = |set: u32| {
                    set == NONE || !strategy[set as usize][edge.actions[holder] as usize].is_zero()
                };
                let responds = chosen.is_none_or(|action| edge.actions[responder] == action);
                reached[edge.to as usize] |= responds && held(sets[holder]);
            }
        }
        added
    }
}
