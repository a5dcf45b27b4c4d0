//! One equilibrium in pure strategies of any number of players who choose at once.
//!
//! Technique: backward induction. Where players choose at once, each combination of their choices is worth the payoffs
//! after it. A combination is stable if no player gains by another choice of his own; of the stable ones the first is
//! taken that no other one is better than for all, without weakly dominated choices if there is one. If that leaves no stable one before it, others are tried (see
//! `pure_continuations`). Where positions come back, choices that depend on the position alone
//! are improved until nobody gains by another one.
//! Source: Nash, "Non-cooperative games" (1951); Selten (1965) for subgame perfection.
//! Cost: one pass over the graph, with each combination of choices looked at once for each player.
//! Invariant: what is found is an equilibrium and not the value, since others may have other payoffs; unless all choices
//! but one combination are dominated, in each position.
//! Not taken: mixed strategies of three and more players, whose probabilities may be irrational (Nash 1951).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bouton_base::cancel;
use bouton_base::rational::Rational;

use super::equilibrium::{can_list, pure_choice, pure_lemma};
use super::graph::{GameGraph, GraphNode};
use super::pure_continuations::{self, NoProfile, PureProfile};
use super::several_players::{
    Payoffs, add_line, best_number, describe, mean_payoffs, misfit, payoffs_of, with_graph, with_value,
};
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::stationary_equilibria::{StationaryEquilibrium, endless_payoffs, improved, own_moves};
use super::{Inapplicable, Solution};
use crate::game::explore::FaultyPosition;
use bouton_rules::MoveInstance;

/// The reason for a value where no other choices are left.
const ONLY_CHOICES: &str = "from the ends backwards, choices that are worse than another one whatever the others choose are \
                            left out, until one combination is left";

/// The reason for one equilibrium.
const BACKWARDS: &str = "from the ends backwards, players who choose at once take a combination from which nobody \
    gains by another choice";
const OTHERS_GIVE: &str = "other equilibria give other payoffs or the same";
const OTHERS_MAY_GIVE: &str = "others, in which players throw dice, may give other payoffs";
/// The reason why no strategies without chance are an equilibrium.
const NO_STABLE_CHOICES: &str =
    "no equilibrium was found: in some position each combination of choices tempts a player to another one";
/// The reason where equilibria of later positions were left out.
const NO_STABLE_CHOICES_FOUND: &str = "no equilibrium was found: after the equilibria tried for later positions, in \
    some position each combination of choices tempts a player to another one";

/// One equilibrium of players who choose at once.
pub struct PureEquilibrium;

/// True if no equilibrium was found since each combination of choices in some position tempts a player to another one.
pub(super) fn tempts_somebody(solution: &Solution) -> bool {
    matches!(solution.reason.as_deref(), Some(NO_STABLE_CHOICES | NO_STABLE_CHOICES_FOUND))
}

impl Solver for PureEquilibrium {
    fn name(&self) -> &'static str {
        "pure-equilibrium"
    }

    fn description(&self) -> &'static str {
        "one equilibrium without chance of several players who choose at once"
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        misfit(request, true).map_or(Ok(()), |reason| Err(reason.into()))
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        with_graph(self, request, &|graph| match graph.topological() {
            Some(order) => equilibrium(graph, &order, request),
            None => endless_equilibrium(graph, request),
        })
    }
}

/// The choices that another one of the same player dominates.
#[derive(Clone, Copy)]
enum Dominance {
    /// Worse than another one whatever the others choose: each equilibrium goes without them, also in mixed strategies
    /// (Luce and Raiffa, 1957).
    Strict,
    /// Never better than another one, and worse for some choices of the others: an equilibrium that goes without them has
    /// no choice that only an error of its own could explain (Moulin, 1979, for votes).
    Weak,
}

/// The combinations of the choices of players who choose at once, in the order of the moves.
pub(super) struct JointChoices {
    /// The players who choose.
    players: Vec<usize>,
    /// The number of choices of each of them.
    counts: Vec<usize>,
    /// For each combination, the number of the choice of each of them.
    combinations: Vec<Vec<usize>>,
}

impl JointChoices {
    /// The combinations of these moves; `None` if some choices are not legal together.
    pub fn of<'m>(moves: impl Iterator<Item = &'m MoveInstance>) -> Option<JointChoices> {
        let mut players: Vec<usize> = Vec::new();
        let mut choices: Vec<Vec<&MoveInstance>> = Vec::new();
        let mut combinations = Vec::new();
        for made in moves {
            let MoveInstance::Joint(parts) = made else { return None };
            if players.is_empty() {
                players = parts.iter().map(|(player, _)| *player as usize).collect();
                choices.resize(players.len(), Vec::new());
            }
            let mut numbers = Vec::with_capacity(parts.len());
            for ((_, part), known) in parts.iter().zip(&mut choices) {
                numbers.push(known.iter().position(|of| *of == part).unwrap_or_else(|| {
                    known.push(part);
                    known.len() - 1
                }));
            }
            combinations.push(numbers);
        }
        let counts: Vec<usize> = choices.iter().map(Vec::len).collect();
        let all = counts.iter().try_fold(1usize, |product, count| product.checked_mul(*count));
        (all == Some(combinations.len())).then_some(JointChoices { players, counts, combinations })
    }

    /// The probability of each choice of each player, if a combination is made.
    pub fn shares(&self, made: usize) -> Vec<Vec<Rational>> {
        let chosen = self.counts.iter().zip(&self.combinations[made]);
        chosen.map(|(count, own)| pure_choice(*count, *own)).collect()
    }

    /// The players with the combinations that differ from one of them in the choice of that player alone, and that one.
    pub fn alternatives(&self, made: usize) -> Vec<(usize, Vec<usize>)> {
        let own = &self.combinations[made];
        let is_alternative =
            |place: usize, other: &Vec<usize>| (0..own.len()).all(|at| at == place || own[at] == other[at]);
        let of = |(place, &player): (usize, &usize)| {
            let numbers = (0..self.combinations.len())
                .filter(|&number| is_alternative(place, &self.combinations[number]));
            (player, numbers.collect())
        };
        self.players.iter().enumerate().map(of).collect()
    }

    /// The combinations that are left when dominated choices are left out again and again, those of all players at once; but
    /// only as long as one of `kept` is left, unless it is empty.
    fn undominated(&self, payoffs: &[&Payoffs], dominance: Dominance, kept: &[usize]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.combinations.len()).collect();
        loop {
            let dominated: Vec<BTreeSet<usize>> = (0..self.players.len())
                .map(|place| self.dominated(place, &left, payoffs, dominance))
                .collect();
            let mut next = left.clone();
            next.retain(|&number| {
                let mut own = self.combinations[number].iter().zip(&dominated);
                own.all(|(choice, dominated)| !dominated.contains(choice))
            });
            let has_kept = kept.is_empty() || next.iter().any(|number| kept.contains(number));
            if next.len() == left.len() || !has_kept {
                return left;
            }
            left = next;
        }
    }

    /// The choices of the player at this place that another one dominates, in the combinations that are left.
    fn dominated(
        &self,
        place: usize,
        left: &[usize],
        payoffs: &[&Payoffs],
        dominance: Dominance,
    ) -> BTreeSet<usize> {
        let player = self.players[place];
        // By the choices of all others, the payoff of each own choice.
        let mut rows: BTreeMap<Vec<usize>, BTreeMap<usize, &Rational>> = BTreeMap::new();
        for &number in left {
            let mut others = self.combinations[number].clone();
            let own = others.remove(place);
            rows.entry(others).or_default().insert(own, &payoffs[number][player]);
        }
        cancel::step();
        let own: BTreeSet<usize> = left.iter().map(|&at| self.combinations[at][place]).collect();
        let is_worse = |of: &usize, than: &usize| match dominance {
            Dominance::Strict => rows.values().all(|row| row[of] < row[than]),
            Dominance::Weak => {
                rows.values().all(|row| row[of] <= row[than]) && rows.values().any(|row| row[of] < row[than])
            }
        };
        own.iter().filter(|of| own.iter().any(|than| is_worse(of, than))).copied().collect()
    }

    /// The combinations from which no player gains by another choice of his own, given the payoffs after each.
    fn stable(&self, payoffs: &[&Payoffs]) -> Vec<usize> {
        let mut stable = vec![true; self.combinations.len()];
        for (place, &player) in self.players.iter().enumerate() {
            let others = |number: usize| {
                let mut of = self.combinations[number].clone();
                of.remove(place);
                of
            };
            let mut best: HashMap<Vec<usize>, &Rational> = HashMap::new();
            for (number, payoffs) in payoffs.iter().enumerate() {
                let most = best.entry(others(number)).or_insert(&payoffs[player]);
                *most = (*most).max(&payoffs[player]);
            }
            for (number, payoffs) in payoffs.iter().enumerate() {
                stable[number] &= best.get(&others(number)).is_some_and(|most| payoffs[player] >= **most);
            }
        }
        (0..stable.len()).filter(|&number| stable[number]).collect()
    }
}

/// Returns the first of the combinations that no other one is better than for all players.
fn first_efficient(stable: &[usize], payoffs: &[&Payoffs]) -> Option<usize> {
    let is_better = |of: usize, than: usize| {
        payoffs[of] != payoffs[than] && payoffs[of].iter().zip(payoffs[than]).all(|(a, b)| a >= b)
    };
    stable.iter().copied().find(|&number| !stable.iter().any(|&other| is_better(other, number)))
}

/// Computes an equilibrium of a finite game.
fn equilibrium(
    graph: &GameGraph,
    order: &[u32],
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let mut choice = vec![0; graph.len()];
    let mut worth: Vec<Payoffs> = vec![Payoffs::new(); graph.len()];
    let mut are_several = false;
    // True for positions after which all equilibria without empty threats have the same payoffs.
    let mut is_only = vec![false; graph.len()];
    let mut most: Option<Payoffs> = None;
    for &at in order.iter().rev() {
        if let Some(hit) = request.limits.check() {
            return Err(hit.into());
        }
        let next = graph.successors(at);
        let mut one_is_best = true;
        worth[at as usize] = match graph.node(at) {
            GraphNode::Over(outcome) => {
                let payoffs = payoffs_of(graph, outcome);
                let most = most.get_or_insert_with(|| payoffs.clone());
                most.iter_mut()
                    .zip(&payoffs)
                    .for_each(|(most, own)| *most = (*most).clone().max(own.clone()));
                payoffs
            }
            GraphNode::Player(player) => {
                choice[at as usize] = best_number(next, &worth, player as usize);
                let best = &worth[next[choice[at as usize]] as usize];
                let is_tied = |to: &Payoffs| to[player as usize] == best[player as usize] && to != best;
                one_is_best = !next.iter().any(|&to| is_tied(&worth[to as usize]));
                are_several |= !one_is_best;
                best.clone()
            }
            GraphNode::Chance => mean_payoffs(graph, at, &worth),
            GraphNode::Each => {
                let after: Vec<&Payoffs> = next.iter().map(|to| &worth[*to as usize]).collect();
                let joint = joint_choices(graph, at, request)?;
                let stable = joint.stable(&after);
                let left = joint.undominated(&after, Dominance::Strict, &[]);
                one_is_best = left.iter().all(|&number| after[number] == after[left[0]]);
                are_several |= stable.len() > 1;
                let mut preferred = joint.undominated(&after, Dominance::Weak, &stable);
                preferred.retain(|number| stable.contains(number));
                let Some(chosen) = first_efficient(&preferred, &after) else {
                    return with_other_continuations(graph, order, request);
                };
                choice[at as usize] = chosen;
                after[choice[at as usize]].clone()
            }
            GraphNode::Open => return Err("not all positions were searched".into()),
        };
        is_only[at as usize] = one_is_best && next.iter().all(|&to| is_only[to as usize]);
    }
    let told = describe(request, &worth[0]);
    let others = match are_several {
        _ if most.as_ref() == Some(&worth[0]) => "no end gives anybody more".to_owned(),
        true => other_results(pure_continuations::search(graph, order, request).ok(), request),
        false => OTHERS_MAY_GIVE.to_owned(),
    };
    let mut solution = match is_only[0] {
        true => with_value(Solution::unknown("", ONLY_CHOICES, ""), graph, &worth[0]),
        false => Solution::unknown("", BACKWARDS, format!("one equilibrium gives {told}; {others}")),
    };
    add_line(&mut solution, graph, &choice, request);
    if can_list(request, graph.len()) {
        solution.strategy.extend(pure_lemma(request, graph, &choice, &worth));
    }
    Ok(solution)
}

/// Computes an equilibrium of a finite game in which the first equilibria of later positions leave a player tempted
/// before them.
fn with_other_continuations(
    graph: &GameGraph,
    order: &[u32],
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let profile = match pure_continuations::search(graph, order, request) {
        Ok(profile) => profile,
        Err(NoProfile::None) => return Err(NO_STABLE_CHOICES.into()),
        Err(NoProfile::Open) => return Err(NO_STABLE_CHOICES_FOUND.into()),
        Err(NoProfile::Inapplicable(reason)) => return Err(reason),
    };
    let told = describe(request, &profile.payoffs[0]);
    let PureProfile { choice, payoffs, .. } = &profile;
    let mut solution = Solution::unknown("", BACKWARDS, "");
    add_line(&mut solution, graph, choice, request);
    solution.strategy.extend(pure_lemma(request, graph, choice, payoffs));
    let others = other_results(Some(profile), request);
    solution.reason = Some(format!("one equilibrium gives {told}; {others}"));
    Ok(solution)
}

/// The maximal number of results that are listed.
const MAX_TOLD_RESULTS: usize = 12;

/// Tells the payoffs of other equilibria without chance, if all of them were found.
fn other_results(found: Option<PureProfile>, request: &SolveRequest<'_>) -> String {
    match found {
        Some(PureProfile { results, is_complete: true, .. }) if results.len() > 1 => {
            let told: Vec<String> =
                results.iter().take(MAX_TOLD_RESULTS).map(|payoffs| describe(request, payoffs)).collect();
            let more = match results.len() - told.len() {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            format!("all without chance have {} results: {}{more}", results.len(), told.join("; "))
        }
        Some(PureProfile { is_complete: true, .. }) => OTHERS_MAY_GIVE.to_owned(),
        _ => OTHERS_GIVE.to_owned(),
    }
}

/// Computes an equilibrium of a game whose positions come back, in strategies that depend on the position alone.
pub(super) fn endless_equilibrium(
    graph: &GameGraph,
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let infinite = endless_payoffs(graph, request)?;
    let mut joint: HashMap<u32, JointChoices> = HashMap::new();
    for at in (0..graph.len() as u32).filter(|&at| graph.node(at) == GraphNode::Each) {
        joint.insert(at, joint_choices(graph, at, request)?);
    }
    let in_turn = own_moves(graph);
    let alternatives = |at: u32, made: usize| match joint.get(&at) {
        Some(choices) => choices.alternatives(made),
        None => in_turn(at, made),
    };
    let StationaryEquilibrium { choice, values } = improved(graph, &infinite, request, &alternatives)?;
    let why = "positions come back: from these choices, which depend on the position alone, nobody gains by another one";
    let told = describe(request, &values[0]);
    let mut solution = Solution::unknown(
        PureEquilibrium.name(),
        why,
        format!("one equilibrium gives {told}; others may give other payoffs"),
    );
    add_line(&mut solution, graph, &choice, request);
    solution.strategy.extend(pure_lemma(request, graph, &choice, &values));
    Ok(solution)
}

/// The combinations of choices in a position; the error says that some are not legal together.
pub(super) fn joint_choices(
    graph: &GameGraph,
    at: u32,
    request: &SolveRequest<'_>,
) -> Result<JointChoices, Inapplicable> {
    let state = graph.explored.arena.state(at);
    let moves = request.game.machine.successors(&state).unwrap_or_default();
    JointChoices::of(moves.iter().map(|made| &made.play))
        .ok_or_else(|| "some simultaneous choices are not legal together".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(choices: &[u32]) -> MoveInstance {
        let part = |(player, choice): (usize, &u32)| {
            (player as u32, MoveInstance::Move(bouton_rules::MoveId(*choice), Vec::new()))
        };
        MoveInstance::Joint(choices.iter().enumerate().map(part).collect())
    }

    #[test]
    fn of_the_stable_combinations_the_better_is_taken() {
        // Three players get 1 each if all make the first choice, 2 if all make the second, and nothing otherwise.
        let moves: Vec<MoveInstance> = (0..8u32).map(|n| joint(&[n >> 2, n >> 1 & 1, n & 1])).collect();
        let choices = JointChoices::of(moves.iter()).expect("all are legal together");
        let of = |number: usize| match number {
            0 => 1,
            7 => 2,
            _ => 0,
        };
        let payoffs: Vec<Payoffs> = (0..8).map(|n| vec![Rational::from_integer(of(n)); 3]).collect();
        let payoffs: Vec<&Payoffs> = payoffs.iter().collect();
        assert_eq!(choices.stable(&payoffs), [0, 7]);
        assert_eq!(first_efficient(&[0, 7], &payoffs), Some(7));
        let strict = |payoffs: &[&Payoffs]| choices.undominated(payoffs, Dominance::Strict, &[]);
        assert_eq!(strict(&payoffs).len(), 8, "no choice is worse whatever the others choose");
        let own: Vec<Payoffs> =
            (0..8).map(|n| [n >> 2, n >> 1 & 1, n & 1].map(Rational::from_integer).to_vec()).collect();
        assert_eq!(strict(&own.iter().collect::<Vec<_>>()), [7]);
        // The second choice of the first two players is never better, and each combination that is left in the end is none
        // of those to keep.
        let tied: Vec<Payoffs> = (0..8)
            .map(|n| [i64::from(n < 4), i64::from(n & 2 == 0), 0].map(Rational::from_integer).to_vec())
            .collect();
        let tied: Vec<&Payoffs> = tied.iter().collect();
        assert_eq!(choices.undominated(&tied, Dominance::Weak, &[]), [0, 1]);
        assert_eq!(choices.undominated(&tied, Dominance::Weak, &[7]).len(), 8);
        assert!(JointChoices::of(moves[..7].iter()).is_none());
        let [zero, one] = [Rational::ZERO, Rational::ONE];
        assert_eq!(choices.shares(5)[1], [one, zero]);
    }
}
