//! Backward induction for any number of players and any payoffs, in games of turns.
//!
//! Technique: in a finite game, each position gets the set of the payoffs of all its subgame-perfect equilibria in pure
//! strategies: a result of a move is one if the player who moves gets no less by it than by the least result of each
//! other move. The coalition of all others gives each player what he is sure of: the others choose what is worst for him
//! (paranoid search). Games whose positions come back are left to `stationary_equilibria`.
//! Source: Zermelo (1913), Kuhn (1953) for backward induction; Luckhardt and Irani, "An algorithmic solution of N-person
//! games" (1986) for max^n; Sturtevant and Korf, "On pruning techniques for multi-player games" (2000) for paranoid.
//! Cost: one pass over the graph.
//! Invariant: where ties decide between several values, all are reported and none is chosen.
//! Not taken: equilibria in mixed strategies, of which there may be infinitely many.

use std::collections::HashSet;

use bouton_base::rational::Rational;

use super::equilibrium::{can_list, pure_lemma};
use super::graph::{EnumerationScope, GameGraph, GraphNode};
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::{
    Bounds, ComparedEquilibria, Inapplicable, MoveValue, Solution, Status, Value, ValueKind, WrittenMove,
    stationary_equilibria,
};
use crate::game::explore::FaultyPosition;
use bouton_rules::OutcomeKind;

/// The maximal number of values of a position.
pub(super) const MAX_VALUES: usize = 256;

/// The payoffs of all players.
pub(super) type Payoffs = Vec<Rational>;

/// Backward induction for several players.
pub struct MaxN;

/// Each player against all others.
pub struct Paranoid;

/// Returns the reason why backward induction does not fit rules; `at_once` is true for the method of players who choose at
/// once.
pub(super) fn misfit(request: &SolveRequest<'_>, at_once: bool) -> Option<&'static str> {
    let rules = &request.game.rules;
    if rules.has_hidden_information() {
        return Some("backward induction needs positions that all players see");
    }
    match (rules.phases.iter().any(|phase| matches!(phase.actor, bouton_rules::Actor::Each)), at_once) {
        (true, false) => {
            return Some(
                "backward induction needs players who move in turn: `--method matrix` or `pure-equilibrium` fits",
            );
        }
        (false, true) => return Some("nobody chooses at once: `--method max-n` fits"),
        _ => {}
    }
    if rules.players().len() < 2 {
        return Some("backward induction for several players needs at least two");
    }
    request.options.margin.then_some("a margin is for two players: leave `--margin` out")
}

impl Solver for MaxN {
    fn name(&self) -> &'static str {
        "max-n"
    }

    fn description(&self) -> &'static str {
        "backward induction: each of several players wants the most for himself"
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        misfit(request, false).map_or(Ok(()), |reason| Err(reason.into()))
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        with_graph(self, request, &|graph| match graph.topological() {
            Some(order) => equilibria(graph, &order, request),
            None => stationary_equilibria::stationary(graph, request),
        })
    }
}

impl Solver for Paranoid {
    fn name(&self) -> &'static str {
        "paranoid"
    }

    fn description(&self) -> &'static str {
        "the payoff that each player is sure of against all others together"
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        MaxN.applies(request)
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        with_graph(self, request, &|graph| {
            let order =
                graph.topological().ok_or("positions can come back: this method needs a finite game")?;
            Ok(guarantees(graph, &order, request))
        })
    }
}

/// The computation of a solution from a complete graph.
pub(super) type GraphComputation<'c> = dyn Fn(&GameGraph) -> Result<Solution, Inapplicable> + 'c;

/// Enumerates all positions, and computes a solution from their graph.
pub(super) fn with_graph(
    solver: &dyn Solver,
    request: &SolveRequest<'_>,
    compute: &GraphComputation<'_>,
) -> Result<Solution, Box<FaultyPosition>> {
    let &SolveRequest { game, state, limits, progress, .. } = request;
    if let Err(reason) = solver.applies(request) {
        return Ok(Solution::inapplicable(solver.name(), "", reason));
    }
    let from = std::slice::from_ref(state);
    let graph = GameGraph::build(game, from, EnumerationScope::default(), limits, progress)?;
    let computed = match graph.limit() {
        Some(hit) => Err(hit.into()),
        None => compute(&graph),
    };
    let mut solution = computed.unwrap_or_else(|reason| Solution::inapplicable(solver.name(), "", reason));
    solution.method = solver.name();
    solution.positions = graph.expanded() as u64;
    solution.memory_bytes = graph.held_bytes();
    Ok(solution)
}

/// Returns the payoffs of all players at an end.
pub(super) fn payoffs_of(graph: &GameGraph, outcome: u32) -> Payoffs {
    graph.outcomes()[outcome as usize].payoffs.clone()
}

/// The reason where nobody chooses.
pub(super) const CHANCE_ALONE: &str = "nobody ever has a choice: chance alone decides";
/// The reason for backward induction.
const BEST_MOVES: &str = "each player chooses the move that is best for himself, from the ends backwards";

/// Returns the payoffs of all subgame-perfect equilibria of each position of a finite game; `None` if they are too many.
fn all_results(
    graph: &GameGraph,
    order: &[u32],
    request: &SolveRequest<'_>,
) -> Result<Option<Vec<Vec<Payoffs>>>, Inapplicable> {
    let mut values: Vec<Vec<Payoffs>> = vec![Vec::new(); graph.len()];
    for &at in order.iter().rev() {
        if let Some(hit) = request.limits.check() {
            return Err(hit.into());
        }
        let of = |to: &u32| &values[*to as usize];
        let mut found: Vec<Payoffs> = match graph.node(at) {
            GraphNode::Over(outcome) => vec![payoffs_of(graph, outcome)],
            GraphNode::Player(player) => {
                let results: Vec<&Vec<Payoffs>> = graph.successors(at).iter().map(of).collect();
                rational_results(&results, player as usize).concat()
            }
            GraphNode::Chance => {
                let Some(means) = means(graph.successors(at).iter().map(of), graph.probabilities(at)) else {
                    return Ok(None);
                };
                means
            }
            GraphNode::Each | GraphNode::Open => return Err("players choose simultaneously".into()),
        };
        found.sort_unstable();
        found.dedup();
        if found.len() > MAX_VALUES {
            return Ok(None);
        }
        values[at as usize] = found;
    }
    Ok(Some(values))
}

/// Describes one equilibrium of a finite game, of too many to list, with bounds of the first player's payoff in all.
fn one_of_many(graph: &GameGraph, order: &[u32], request: &SolveRequest<'_>) -> Solution {
    let (choice, payoffs) = first_equilibrium(graph, order);
    let told = describe(request, &payoffs[0]);
    let reason = format!(
        "players are indifferent between moves, which leaves more than {MAX_VALUES} results; one equilibrium gives {told}"
    );
    let mut solution = Solution::unknown("", BEST_MOVES, reason);
    (solution.status, solution.bounds) = (Status::Bounded, Some(first_player_bounds(graph, order)));
    add_line(&mut solution, graph, &choice, request);
    if can_list(request, graph.len()) {
        solution.strategy.extend(pure_lemma(request, graph, &choice, &payoffs));
    }
    solution
}

/// Computes the values of all subgame-perfect equilibria of a finite game.
fn equilibria(
    graph: &GameGraph,
    order: &[u32],
    request: &SolveRequest<'_>,
) -> Result<Solution, Inapplicable> {
    let Some(values) = all_results(graph, order, request)? else {
        return Ok(one_of_many(graph, order, request));
    };
    let (compared, why) = match nobody_chooses(graph) {
        true => (ComparedEquilibria::NoChoice, CHANCE_ALONE),
        false => (ComparedEquilibria::Pure, BEST_MOVES),
    };
    let mut solution = Solution { compared, ..Solution::unknown("", why, "") };
    let first = &values[0];
    if let GraphNode::Player(player) = graph.node(0) {
        let results: Vec<&Vec<Payoffs>> =
            graph.successors(0).iter().map(|to| &values[*to as usize]).collect();
        let best = rational_results(&results, player as usize);
        solution.best_moves = best_moves(request, &|number| !best[number].is_empty());
        solution.best_moves_complete = true;
    }
    solution.moves = move_values(graph, request, &|to| match &values[to][..] {
        [only] => Some(only.clone()),
        _ => None,
    });
    let (choice, payoffs) = first_equilibrium(graph, order);
    add_line(&mut solution, graph, &choice, request);
    if can_list(request, graph.len()) {
        solution.strategy.extend(pure_lemma(request, graph, &choice, &payoffs));
    }
    let why = "players are indifferent between moves, and this decides";
    let bounds = (first.len() > 1).then(|| first_player_bounds(graph, order));
    Ok(with_results(solution, graph, request, Results { payoffs: first, why, bounds }))
}

/// Returns bounds of what the first player gets in any equilibrium without empty threats of a finite game, also in those
/// in which players draw lots among moves that are equally good. Each player makes moves only that may give him no less
/// than the least that each other move gives him.
fn first_player_bounds(graph: &GameGraph, order: &[u32]) -> Bounds {
    let players = graph.outcomes().first().map_or(1, |end| end.payoffs.len());
    let mut bounds: Vec<Vec<(Rational, Rational)>> = vec![Vec::new(); graph.len()];
    for &at in order.iter().rev() {
        let next = || graph.successors(at).iter().map(|to| &bounds[*to as usize]);
        let found: Vec<(Rational, Rational)> = match graph.node(at) {
            GraphNode::Over(outcome) => {
                payoffs_of(graph, outcome).into_iter().map(|payoff| (payoff.clone(), payoff)).collect()
            }
            GraphNode::Chance => (0..players)
                .map(|player| {
                    let mean = |end: fn(&(Rational, Rational)) -> &Rational| {
                        let ends = next().map(|of| end(&of[player]));
                        Rational::sum_of_products(ends.zip(graph.probabilities(at)))
                    };
                    (mean(|of| &of.0), mean(|of| &of.1))
                })
                .collect(),
            GraphNode::Player(mover) => {
                let mover = mover as usize;
                let sure = next().map(|of| &of[mover].0).max().cloned().unwrap_or_default();
                let rational: Vec<_> = next().filter(|of| of[mover].1 >= sure).collect();
                let least = |player: usize| rational.iter().map(|of| &of[player].0).min().cloned();
                let most = |player: usize| rational.iter().map(|of| &of[player].1).max().cloned();
                (0..players)
                    .map(|player| {
                        let low = if player == mover { Some(sure.clone()) } else { least(player) };
                        (low.unwrap_or_default(), most(player).unwrap_or_default())
                    })
                    .collect()
            }
            GraphNode::Each | GraphNode::Open => return Bounds { low: None, high: None },
        };
        bounds[at as usize] = found;
    }
    let (low, high) = bounds[0].swap_remove(0);
    Bounds { low: Some(low), high: Some(high) }
}

/// Returns the chosen move and the payoffs of each position of a finite game, if players choose the first of their best
/// moves.
fn first_equilibrium(graph: &GameGraph, order: &[u32]) -> (Vec<usize>, Vec<Payoffs>) {
    let mut choice = vec![0; graph.len()];
    let mut payoffs: Vec<Payoffs> = vec![Payoffs::new(); graph.len()];
    for &at in order.iter().rev() {
        let next = graph.successors(at);
        payoffs[at as usize] = match graph.node(at) {
            GraphNode::Over(outcome) => payoffs_of(graph, outcome),
            GraphNode::Player(player) => {
                let best = best_number(next, &payoffs, player as usize);
                choice[at as usize] = best;
                payoffs[next[best] as usize].clone()
            }
            _ => mean_payoffs(graph, at, &payoffs),
        };
    }
    (choice, payoffs)
}

/// Adds play by an equilibrium, up to the first event of chance or the first position that comes back.
pub(super) fn add_line(
    solution: &mut Solution,
    graph: &GameGraph,
    choice: &[usize],
    request: &SolveRequest<'_>,
) {
    let mut seen = HashSet::new();
    let mut at = 0;
    let acts = |at: u32| matches!(graph.node(at), GraphNode::Player(_) | GraphNode::Each);
    while acts(at) && seen.insert(at) && solution.line.len() < request.options.max_line_moves {
        let state = graph.explored.arena.state(at);
        let made = request.game.machine.successors(&state).unwrap_or_default();
        let Some(made) = made.into_iter().nth(choice[at as usize]) else { break };
        let written = request.game.notation(&state, &made.play);
        solution.line.push(WrittenMove { written, play: made.play });
        at = graph.successors(at)[choice[at as usize]];
    }
    solution.line_complete = !acts(at) || seen.contains(&at);
}

/// Returns the number of the first of the moves after which a player gets the most.
pub(super) fn best_number(next: &[u32], payoffs: &[Payoffs], player: usize) -> usize {
    let worth = |number: &usize| &payoffs[next[*number] as usize][player];
    (0..next.len()).rev().max_by(|a, b| worth(a).cmp(worth(b))).unwrap_or(0)
}

/// Returns the mean of the payoffs after an event of chance.
pub(super) fn mean_payoffs(graph: &GameGraph, at: u32, payoffs: &[Payoffs]) -> Payoffs {
    let mut sums = Payoffs::new();
    for (to, share) in graph.successors(at).iter().zip(graph.probabilities(at)) {
        let of = &payoffs[*to as usize];
        sums.resize(of.len(), Rational::ZERO);
        sums.iter_mut().zip(of).for_each(|(sum, payoff)| *sum += payoff * share);
    }
    sums
}

/// The payoffs of all compared equilibria, with the reason why there are several if there are.
pub(super) struct Results<'r> {
    pub payoffs: &'r [Payoffs],
    pub why: &'r str,
    /// Bounds of the first player's payoff in any equilibrium, if there are several.
    pub bounds: Option<Bounds>,
}

/// Adds the value to a solution, or bounds and a list of the results if there are several.
pub(super) fn with_results(
    solution: Solution,
    graph: &GameGraph,
    request: &SolveRequest<'_>,
    results: Results<'_>,
) -> Solution {
    match results.payoffs {
        [only] => with_value(solution, graph, only),
        several => {
            let each: Vec<String> = several.iter().map(|value| describe(request, value)).collect();
            let reason = format!("{} between {} results: {}", results.why, several.len(), each.join("; "));
            Solution {
                status: if results.bounds.is_some() { Status::Bounded } else { Status::Unknown },
                bounds: results.bounds,
                reason: Some(reason),
                ..solution
            }
        }
    }
}

/// Adds the payoffs of all compared equilibria as the value of a solution.
pub(super) fn with_value(solution: Solution, graph: &GameGraph, payoffs: &Payoffs) -> Solution {
    let value = Some(Value { kind: kind(graph, payoffs), payoffs: payoffs.clone() });
    Solution { status: Status::Solved, value, reason: None, ..solution }
}

/// Returns the kind of a value: a win or a draw, if no end has payoffs.
fn kind(graph: &GameGraph, value: &Payoffs) -> ValueKind {
    let one = Rational::from_integer(1);
    // Where one player loses, several others win.
    let mut winners = (0..value.len()).filter(|&player| value[player] == one);
    let winner = winners.next().filter(|_| winners.next().is_none());
    match winner {
        _ if graph.outcomes().iter().any(|end| end.kind == OutcomeKind::Payoff) => ValueKind::Payoff,
        Some(winner) => ValueKind::Win(winner as u32),
        None if !graph.has_chance() && value.iter().all(|payoff| *payoff == Rational::default()) => {
            ValueKind::Draw
        }
        None => ValueKind::Payoff,
    }
}

/// Returns for each move the results that may follow from it if the player wants the most for himself: those that give
/// him no less than the least result of each other move.
fn rational_results(results: &[&Vec<Payoffs>], player: usize) -> Vec<Vec<Payoffs>> {
    let least: Vec<Option<&Rational>> =
        results.iter().map(|of| of.iter().map(|value| &value[player]).min()).collect();
    let keeps = |number: usize, value: &Payoffs| {
        let mut others = least.iter().enumerate().filter(|(other, _)| *other != number);
        others.all(|(_, least)| least.is_none_or(|least| value[player] >= *least))
    };
    let of = |number: usize| results[number].iter().filter(|value| keeps(number, value)).cloned().collect();
    (0..results.len()).map(of).collect()
}

/// Returns the means of all combinations of the successors' values; `None` if they are too many.
fn means<'v>(
    values: impl Iterator<Item = &'v Vec<Payoffs>>,
    probabilities: &[Rational],
) -> Option<Vec<Payoffs>> {
    let mut sums: Vec<Payoffs> = Vec::new();
    for (place, (of, share)) in values.zip(probabilities).enumerate() {
        let scaled = of.iter().map(|value| value.iter().map(|payoff| payoff * share).collect::<Payoffs>());
        sums = match place {
            0 => scaled.collect(),
            _ => scaled
                .flat_map(|value| {
                    let add = move |sum: &Payoffs| sum.iter().zip(&value).map(|(a, b)| a + b).collect();
                    sums.iter().map(add).collect::<Vec<Payoffs>>()
                })
                .collect(),
        };
        sums.sort_unstable();
        sums.dedup();
        if sums.len() > MAX_VALUES {
            return None;
        }
    }
    Some(sums)
}

/// Returns the moves of the first position with numbers that satisfy a condition.
pub(super) fn best_moves(request: &SolveRequest<'_>, is_best: &dyn Fn(usize) -> bool) -> Vec<WrittenMove> {
    let moves = request.game.machine.successors(request.state).unwrap_or_default();
    let best = moves.into_iter().enumerate().filter(|(number, _)| is_best(*number));
    best.map(|(_, made)| WrittenMove {
        written: request.game.notation(request.state, &made.play),
        play: made.play,
    })
    .collect()
}

/// Returns the moves of the first position with their values, if they are requested; `value` has that of a position.
pub(super) fn move_values(
    graph: &GameGraph,
    request: &SolveRequest<'_>,
    value: &dyn Fn(usize) -> Option<Payoffs>,
) -> Vec<MoveValue> {
    if !request.options.all_moves {
        return Vec::new();
    }
    let moves = best_moves(request, &|_| true).into_iter().zip(graph.successors(0));
    let of = |to: &u32| value(*to as usize).map(|payoffs| Value { kind: kind(graph, &payoffs), payoffs });
    moves
        .map(|(made, to)| MoveValue { made, value: of(to), bounds: None, remoteness: None, nimber: None })
        .collect()
}

/// Describes the payoffs of all players.
pub(super) fn describe(request: &SolveRequest<'_>, value: &Payoffs) -> String {
    let players = request.game.rules.players().iter().zip(value);
    players.map(|(name, payoff)| format!("{name} {payoff}")).collect::<Vec<_>>().join(", ")
}

/// Computes the payoff of each player if all others play against him.
fn guarantees(graph: &GameGraph, order: &[u32], request: &SolveRequest<'_>) -> Solution {
    let players = request.game.rules.players().len();
    let mut sure: Payoffs = Vec::with_capacity(players);
    let mut best = Vec::new();
    for holder in 0..players {
        let mut values = vec![Rational::default(); graph.len()];
        for &at in order.iter().rev() {
            let next = || graph.successors(at).iter().map(|to| &values[*to as usize]);
            let value = match graph.node(at) {
                GraphNode::Over(outcome) => payoffs_of(graph, outcome)[holder].clone(),
                GraphNode::Player(player) if player as usize == holder => {
                    next().max().cloned().unwrap_or_default()
                }
                GraphNode::Chance => Rational::sum_of_products(next().zip(graph.probabilities(at))),
                _ => next().min().cloned().unwrap_or_default(),
            };
            values[at as usize] = value;
        }
        if graph.node(0) == GraphNode::Player(holder as u32) {
            let kept: Vec<bool> =
                graph.successors(0).iter().map(|to| values[*to as usize] == values[0]).collect();
            best = best_moves(request, &|number| kept[number]);
        }
        sure.push(values[0].clone());
    }
    let mut solution =
        Solution::unknown("", "each player is alone against all others, who want his least", "");
    solution.status = Status::Bounded;
    solution.bounds = Some(Bounds { low: sure.first().cloned(), high: None });
    solution.best_moves = best;
    let all = describe(request, &sure);
    solution.reason = Some(format!("against all others together, each player is sure of: {all}"));
    solution
}

/// Returns true if no position leaves a player more than one move.
pub(super) fn nobody_chooses(graph: &GameGraph) -> bool {
    (0..graph.len() as u32).all(|at| match graph.node(at) {
        GraphNode::Player(_) | GraphNode::Each => graph.successors(at).len() == 1,
        _ => true,
    })
}
