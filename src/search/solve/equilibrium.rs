//! Equilibria as lemmas: the strategies of all players in every position, with the ranks that show that play ends.
//!
//! Technique: if nobody gains by infinite play, the rank of a position is the least number of moves to an end by the
//! strategies; otherwise it is the number of moves to an end if players delay it and chance does not. Both are found
//! backwards from the ends.
//! Cost: linear in moves.
//! Invariant: positions and moves are written in the terms of the definition, as in `certify`.

use std::collections::VecDeque;

use bouton_base::rational::Rational;

use super::certify::key;
use super::graph::{GameGraph, GraphNode};
use super::pure_equilibrium::JointChoices;
use super::solver::SolveRequest;
use crate::game::State;
use bouton_certificates::{ChoiceProbabilities, EquilibriumLemma, EquilibriumPosition, Lemma};
use bouton_reference::Interpreter;

/// A position with the strategies of all players in it.
pub struct ProfileNode {
    pub state: State,
    /// The payoffs of all players by the strategies.
    pub payoffs: Vec<Rational>,
    /// The choices of each player who chooses here, in the order of the players.
    pub choices: Vec<ChoiceProbabilities>,
    /// The number of the position after each move, and true if the strategies, or chance, may make the move.
    pub moves: Vec<(u32, bool)>,
}

impl ProfileNode {
    fn is_over(&self) -> bool {
        self.moves.is_empty()
    }

    fn is_chance(&self) -> bool {
        self.choices.is_empty() && !self.is_over()
    }
}

/// Returns true if this many positions are few enough to list their strategies.
pub fn can_list(request: &SolveRequest<'_>, positions: usize) -> bool {
    positions <= request.options.max_strategy_positions
}

/// Returns the lemma that strategies are an equilibrium from the first position on; `None` if a limit is reached, or play
/// by the strategies may never end.
pub fn lemma(request: &SolveRequest<'_>, nodes: &[ProfileNode]) -> Option<Lemma> {
    let interpreter = Interpreter::new(request.game.rules.clone());
    let open = || nodes.iter().enumerate().filter(|(_, node)| !node.is_over());
    let mut positions = Vec::new();
    for (number, node) in open() {
        if request.limits.check().is_some() {
            return None;
        }
        positions.push((number, key(request.game, &interpreter, &node.state).ok()?));
    }
    let harmless = positions.iter().all(|(number, key)| {
        let outcome = interpreter.infinite_outcome(&interpreter.unpack(&key.0));
        let listed = &nodes[*number].payoffs;
        outcome.is_some_and(|of| of.payoffs.iter().zip(listed).all(|(of, listed)| of <= listed))
    });
    let ranks = ranks(&nodes.iter().map(|node| groups(node, harmless)).collect::<Vec<_>>());
    let ranks: Vec<u64> = ranks.into_iter().collect::<Option<_>>()?;
    let list = positions.into_iter().map(|(number, key)| EquilibriumPosition {
        key,
        rank: ranks[number],
        payoffs: nodes[number].payoffs.clone(),
        choices: nodes[number].choices.clone(),
    });
    let mut positions: Vec<EquilibriumPosition> = list.collect();
    positions.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    // A position that occurs at several plies is several nodes of a tree.
    positions.dedup();
    Some(Lemma::Equilibrium(EquilibriumLemma { payoffs: nodes.first()?.payoffs.clone(), positions }))
}

/// Returns the positions that may follow, in groups: one rank after each group must be smaller. With `harmless`, nobody
/// gains by infinite play, and only moves by the strategies count.
fn groups(node: &ProfileNode, harmless: bool) -> Vec<Vec<u32>> {
    let counted = node.moves.iter().filter(|(_, made)| *made || !harmless).map(|(to, _)| *to);
    match harmless || node.is_chance() {
        _ if node.is_over() => Vec::new(),
        true => vec![counted.collect()],
        false => counted.map(|to| vec![to]).collect(),
    }
}

/// Returns the rank of each position, given the groups of positions after it: 0 without groups, else one more than the
/// largest of the smallest ranks of each group; `None` if a group has no rank.
pub fn ranks(groups: &[Vec<Vec<u32>>]) -> Vec<Option<u64>> {
    // The position and the place of each group that a position is in.
    let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); groups.len()];
    let mut missing: Vec<Vec<bool>> = Vec::with_capacity(groups.len());
    for (at, of) in groups.iter().enumerate() {
        for (place, group) in of.iter().enumerate() {
            group.iter().for_each(|&to| before[to as usize].push((at as u32, place as u32)));
        }
        missing.push(vec![true; of.len()]);
    }
    let is_ranked = |missing: &[bool]| !missing.contains(&true);
    let mut ranks: Vec<Option<u64>> = missing.iter().map(|of| is_ranked(of).then_some(0)).collect();
    let mut ahead: VecDeque<u32> =
        (0..groups.len() as u32).filter(|&at| ranks[at as usize].is_some()).collect();
    while let Some(at) = ahead.pop_front() {
        for &(from, place) in &before[at as usize] {
            let missing = &mut missing[from as usize];
            missing[place as usize] = false;
            if is_ranked(missing) && ranks[from as usize].is_none() {
                ranks[from as usize] = ranks[at as usize].map(|rank| rank + 1);
                ahead.push_back(from);
            }
        }
    }
    ranks
}

/// Returns the probabilities of choices of which one is certain.
pub(super) fn pure_choice(count: usize, chosen: usize) -> Vec<Rational> {
    let share = |choice: usize| if choice == chosen { Rational::ONE } else { Rational::ZERO };
    (0..count).map(share).collect()
}

/// Returns the lemma that the strategies that make one chosen move in each position of a graph are an equilibrium, given
/// the payoffs that they lead to; `None` if there are too many positions to list.
pub fn pure_lemma(
    request: &SolveRequest<'_>,
    graph: &GameGraph,
    choice: &[usize],
    payoffs: &[Vec<Rational>],
) -> Option<Lemma> {
    if !can_list(request, graph.len()) {
        return None;
    }
    let node = |at: u32| -> Option<ProfileNode> {
        let chosen = choice[at as usize];
        let next = graph.successors(at);
        let state = graph.explored.arena.state(at);
        let choices: Vec<Vec<Rational>> = match graph.node(at) {
            GraphNode::Player(_) => vec![pure_choice(next.len(), chosen)],
            GraphNode::Each => {
                let moves = request.game.machine.successors(&state).ok()?;
                JointChoices::of(moves.iter().map(|made| &made.play))?.shares(chosen)
            }
            _ => Vec::new(),
        };
        let made = |number: usize| choices.is_empty() || number == chosen;
        Some(ProfileNode {
            moves: next.iter().enumerate().map(|(number, &to)| (to, made(number))).collect(),
            state,
            payoffs: payoffs[at as usize].clone(),
            choices: choices.into_iter().map(ChoiceProbabilities).collect(),
        })
    };
    lemma(request, &(0..graph.len() as u32).map(node).collect::<Option<Vec<_>>>()?)
}
