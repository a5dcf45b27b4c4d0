//! Equilibria of games of turns whose positions come back, in strategies that depend on the position alone.
//!
//! Technique: all such strategies are tried: they are an equilibrium if no player gains by another move in any position. If
//! they are too many, they are improved until no player gains, which shows one result of perhaps several.
//! Cost: a system of linear equations for each choice of strategies.
//! Invariant: no player may gain from play that never ends, so that strategies that no single change improves are best
//! responses.

use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_base::rational::Rational;

use super::equilibrium::pure_lemma;
use super::graph::{GameGraph, GraphNode};
use super::linear_system::{Equation, solve};
use super::payoffs::{NO_ENDLESS_VALUE, constant_infinite_payoffs, ends_almost_surely};
use super::several_players::{
    CHANCE_ALONE, MAX_VALUES, Payoffs, Results, add_line, best_moves, describe, move_values, nobody_chooses,
    payoffs_of, with_results,
};
use super::solver::SolveRequest;
use super::{ComparedEquilibria, Inapplicable, Solution};

/// The maximal number of positions of a game with cycles.
const MAX_CYCLIC_POSITIONS: usize = 3000;
/// The maximal number of positions of all strategies together that are tried one by one.
const MAX_TRIED_POSITIONS: usize = 50_000;
/// The maximal number of improvements of strategies.
const MAX_IMPROVEMENTS: usize = 2_000;
/// The maximal number of improvements before others begin.
const MAX_IMPROVEMENTS_OF_A_START: usize = 250;

/// Finds strategies that depend on the position alone, in a game of turns whose positions come back.
pub(super) fn stationary(graph: &GameGraph, request: &SolveRequest<'_>) -> Result<Solution, Inapplicable> {
    let infinite = endless_payoffs(graph, request)?;
    match StationaryStrategies::all(graph) {
        Some(all) => every_equilibrium(graph, all, &infinite, request),
        None => one_equilibrium(graph, &infinite, request),
    }
}

/// Returns the payoffs of play without end in a game whose positions come back; the error is the reason why strategies
/// that depend on the position alone do not fit.
pub(super) fn endless_payoffs(
    graph: &GameGraph,
    request: &SolveRequest<'_>,
) -> Result<Payoffs, Inapplicable> {
    if graph.len() > MAX_CYCLIC_POSITIONS {
        let reason = format!(
            "positions can come back, and the method for several players takes up to {MAX_CYCLIC_POSITIONS} of them, not {}",
            graph.len()
        );
        return Err(reason.into());
    }
    let always_ends = ends_almost_surely(graph);
    let infinite = match constant_infinite_payoffs(&request.game.rules)? {
        Some(infinite) => infinite,
        // The value of play that has probability 0 does not matter.
        None if always_ends => request.game.rules.players().iter().map(|_| Rational::default()).collect(),
        None => return Err(NO_ENDLESS_VALUE.into()),
    };
    // Nobody may gain from play that never ends: then a strategy that no single change improves is a best response.
    let ends = graph
        .outcomes()
        .iter()
        .all(|end| end.payoffs.iter().zip(&infinite).all(|(end, endless)| end >= endless));
    if !ends && !always_ends {
        return Err("positions can come back, and some player may gain from play that never ends".into());
    }
    Ok(infinite)
}

/// All strategies that depend on the position alone, of all players together, one after the other.
struct StationaryStrategies {
    /// For each position in which a player moves, one move to each position after it.
    moves: Vec<(u32, Vec<usize>)>,
    /// The place of the next strategies' move at each of them; `None` at the end.
    next: Option<Vec<usize>>,
}

impl StationaryStrategies {
    /// All strategies; `None` if they are too many to try.
    fn all(graph: &GameGraph) -> Option<StationaryStrategies> {
        let mut moves = Vec::new();
        let mut effort = graph.len();
        for at in (0..graph.len() as u32).filter(|&at| matches!(graph.node(at), GraphNode::Player(_))) {
            let next = graph.successors(at);
            let first = |&number: &usize| !next[..number].contains(&next[number]);
            let different: Vec<usize> = (0..next.len()).filter(first).collect();
            effort = effort.checked_mul(different.len()).filter(|effort| *effort <= MAX_TRIED_POSITIONS)?;
            moves.push((at, different));
        }
        let next = Some(vec![0; moves.len()]);
        Some(StationaryStrategies { moves, next })
    }

    /// Writes the next strategies into the choices of all positions; returns false if there are no more.
    fn advance(&mut self, choice: &mut [usize]) -> bool {
        let Some(places) = &mut self.next else { return false };
        for ((at, different), place) in self.moves.iter().zip(places.iter()) {
            choice[*at as usize] = different[*place];
        }
        match (0..places.len()).rev().find(|&number| places[number] + 1 < self.moves[number].1.len()) {
            Some(number) => {
                places[number] += 1;
                places[number + 1..].fill(0);
            }
            None => self.next = None,
        }
        true
    }
}

/// Tries all strategies that depend on the position alone: there is a value if all equilibria among them have it.
fn every_equilibrium(
    graph: &GameGraph,
    mut all: StationaryStrategies,
    infinite: &[Rational],
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let mut choice = vec![0usize; graph.len()];
    let mut found: Vec<Vec<Payoffs>> = Vec::new();
    let mut first = Vec::new();
    while all.advance(&mut choice) {
        let values = values_of(graph, &choice, infinite, request.limits)?;
        if improvements(graph, &choice, &values, &own_moves(graph)).is_empty() && !found.contains(&values) {
            if found.is_empty() {
                first.clone_from(&choice);
            }
            found.push(values);
        }
        if found.len() > MAX_VALUES {
            return Err("there are too many equilibria".into());
        }
    }
    let mut payoffs: Vec<Payoffs> = found.iter().map(|values| values[0].clone()).collect();
    payoffs.sort_unstable();
    payoffs.dedup();
    let Some(values) = found.first() else {
        return Err("no strategies were found from which nobody gains by another move".into());
    };
    let mut solution = stationary_solution(graph, values, request);
    add_line(&mut solution, graph, &first, request);
    solution.strategy.extend(pure_lemma(request, graph, &first, values));
    if found.iter().any(|other| other[1..] != values[1..]) {
        solution.moves.clear();
    }
    let why = "positions come back, and what players expect of each other decides";
    Ok(with_results(solution, graph, request, Results { payoffs: &payoffs, why, bounds: None }))
}

/// One equilibrium in strategies that depend on the position alone; others may have other results.
fn one_equilibrium(
    graph: &GameGraph,
    infinite: &[Rational],
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let StationaryEquilibrium { choice, values } = improved(graph, infinite, request, &own_moves(graph))?;
    let mut solution = stationary_solution(graph, &values, request);
    add_line(&mut solution, graph, &choice, request);
    solution.strategy.extend(pure_lemma(request, graph, &choice, &values));
    let payoffs = describe(request, &values[0]);
    solution.reason = Some(format!(
        "positions come back, and other strategies from which nobody gains may have another result than {payoffs}"
    ));
    Ok(solution)
}

/// The choice of a move in each position, from which nobody gains by another one.
pub(super) struct StationaryEquilibrium {
    /// The number of the move in each position.
    pub choice: Vec<usize>,
    /// The payoffs of all players from each position on.
    pub values: Vec<Payoffs>,
}

/// The ways to leave a choice alone: for a position and the number of the move that is made, the players who choose
/// there, each with the moves that he can have made instead, if the others make the same choices.
pub(super) type Alternatives<'a> = dyn Fn(u32, usize) -> Vec<(usize, Vec<usize>)> + 'a;

/// The alternatives of players who move in turn; none in other positions.
pub(super) fn own_moves(graph: &GameGraph) -> impl Fn(u32, usize) -> Vec<(usize, Vec<usize>)> + '_ {
    |at, _| match graph.node(at) {
        GraphNode::Player(player) => vec![(player as usize, (0..graph.successors(at).len()).collect())],
        _ => Vec::new(),
    }
}

/// Improves strategies until nobody gains. After some improvements in vain it begins again, from strategies drawn at
/// random, with one position at a time.
pub(super) fn improved(
    graph: &GameGraph,
    infinite: &[Rational],
    request: &SolveRequest<'_>,
    alternatives: &Alternatives<'_>,
) -> Result<StationaryEquilibrium, Inapplicable> {
    let mut choice = vec![0usize; graph.len()];
    let mut random = SplitMix::new(0);
    for step in 0..MAX_IMPROVEMENTS {
        let is_first = step < MAX_IMPROVEMENTS_OF_A_START;
        if !is_first && step % MAX_IMPROVEMENTS_OF_A_START == 0 {
            for (at, chosen) in (0..).zip(&mut choice) {
                *chosen = below(&mut random, graph.successors(at).len());
            }
        }
        let values = values_of(graph, &choice, infinite, request.limits)?;
        let mut better = improvements(graph, &choice, &values, alternatives);
        let Some(first) = better.first().map(|of| of.player) else {
            return Ok(StationaryEquilibrium { choice, values });
        };
        if is_first {
            // All positions of one player: policy iteration against the others.
            better.retain(|of| of.player == first);
        } else {
            let drawn = below(&mut random, better.len());
            better.swap(0, drawn);
            better.truncate(1);
        }
        better.into_iter().for_each(|of| choice[of.position as usize] = of.best);
    }
    Err("no strategies were found from which nobody gains by another move".into())
}

/// A gain of a player by another move.
struct Improvement {
    position: u32,
    player: usize,
    /// The number of the best move.
    best: usize,
}

/// Returns a random number below `bound`, or 0.
fn below(random: &mut SplitMix, bound: usize) -> usize {
    (random.word() % bound.max(1) as u64) as usize
}

/// The positions in which a player gains by another move.
fn improvements(
    graph: &GameGraph,
    choice: &[usize],
    values: &[Payoffs],
    alternatives: &Alternatives<'_>,
) -> Vec<Improvement> {
    let mut found = Vec::new();
    for position in 0..graph.len() as u32 {
        let now = choice[position as usize];
        for (player, moves) in alternatives(position, now) {
            let worth = |number: usize| &values[graph.successors(position)[number] as usize][player];
            let best = moves.into_iter().rev().max_by_key(|number| worth(*number));
            let better = best.filter(|best| worth(*best) > worth(now));
            found.extend(better.map(|best| Improvement { position, player, best }));
        }
    }
    found
}

/// Makes a solution without a value, with the best moves and the values of moves by these strategies.
fn stationary_solution(graph: &GameGraph, values: &[Payoffs], request: &SolveRequest<'_>) -> Solution {
    let (compared, why) = match nobody_chooses(graph) {
        true => (ComparedEquilibria::NoChoice, CHANCE_ALONE),
        false => (
            ComparedEquilibria::PureStationary,
            "positions come back: with these strategies, which depend on the position alone, nobody gains by another one",
        ),
    };
    let mut solution = Solution { compared, ..Solution::unknown("", why, "") };
    if let GraphNode::Player(player) = graph.node(0) {
        let worth = |number: usize| &values[graph.successors(0)[number] as usize][player as usize];
        let most = values[0][player as usize].clone();
        solution.best_moves = best_moves(request, &|number| *worth(number) == most);
    }
    solution.moves = move_values(graph, request, &|to| Some(values[to].clone()));
    solution
}

/// Returns the payoffs of all players in each position, if each player makes his chosen move.
fn values_of(
    graph: &GameGraph,
    choice: &[usize],
    infinite: &[Rational],
    limits: &Limits,
) -> Result<Vec<Payoffs>, Inapplicable> {
    let one = Rational::from_integer(1);
    let followed = |at: u32| -> Vec<(u32, Rational)> {
        match graph.node(at) {
            GraphNode::Player(_) | GraphNode::Each => {
                vec![(graph.successors(at)[choice[at as usize]], one.clone())]
            }
            GraphNode::Chance => {
                graph.successors(at).iter().copied().zip(graph.probabilities(at).iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    };
    // From the positions that never come to an end, play is infinite.
    let mut ends: Vec<bool> =
        (0..graph.len() as u32).map(|at| matches!(graph.node(at), GraphNode::Over(_))).collect();
    loop {
        let more: Vec<u32> = (0..graph.len() as u32)
            .filter(|at| !ends[*at as usize] && followed(*at).iter().any(|(to, _)| ends[*to as usize]))
            .collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|at| ends[at as usize] = true);
    }
    let mut values = vec![Payoffs::new(); graph.len()];
    for (player, endless) in infinite.iter().enumerate() {
        let equation = |at: u32| match graph.node(at) {
            GraphNode::Over(outcome) => {
                Equation { terms: Vec::new(), constant: payoffs_of(graph, outcome)[player].clone() }
            }
            _ if !ends[at as usize] => Equation { terms: Vec::new(), constant: endless.clone() },
            _ => Equation { terms: followed(at), constant: Rational::default() },
        };
        let equations: Vec<Equation> = (0..graph.len() as u32).map(equation).collect();
        let solved = solve(&equations, limits).ok_or_else(|| match limits.check() {
            Some(hit) => hit.into(),
            None => Inapplicable::from("the exact values have too many digits"),
        })?;
        values.iter_mut().zip(solved).for_each(|(all, value)| all.push(value));
    }
    Ok(values)
}
