//! Nimbers: the Grundy values of impartial games.
//!
//! Technique: the value of a position is the least number that none of its options has (mex), in reverse topological
//! order.
//! Source: Sprague (1935), Grundy (1939); Bouton (1901) for heaps.
//! Cost: twice the graph (each position with either player to move), then linear in moves.
//! Invariant: a nimber is returned only where the theory applies, and a check of every position shows that: both
//! players have the same options in every position, moves alternate, the game is finite, and the player who cannot
//! move loses.
//! Not taken: deciding impartiality from the rules alone (a sound criterion misses many games), and splitting a
//! position into a sum first (that is a detector's work).

use bouton_base::rational::Rational;

use super::graph::{EnumerationScope, GameGraph, GraphNode};
use super::payoffs;
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::value::{Inapplicable, MoveValue, Solution, Status, Value, ValueKind, WrittenMove};
use crate::game::explore::FaultyPosition;
use crate::game::{Game, OutcomeKind, State, Successor};
use bouton_rules::MOVER;

/// Grundy values of impartial games.
pub struct Grundy;

impl Solver for Grundy {
    fn name(&self) -> &'static str {
        "grundy"
    }

    fn description(&self) -> &'static str {
        "Grundy values of impartial games in which the player who cannot move loses"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        if request.game.rules.players().len() != 2 {
            return Err("nimbers are for two players".into());
        }
        payoffs::check_supported(&request.game.rules)
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    /// The mover wins exactly where the nimber is not 0.
    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        let SolveRequest { game, state, .. } = request;
        let Nimber { value, options, positions, memory_bytes } = match nimber(request)? {
            Ok(nimber) => nimber,
            Err(reason) => return Ok(Solution::inapplicable(self.name(), "", reason)),
        };
        let why = "both players have the same moves and the player who cannot move loses, so each position has \
                   a nimber";
        let mover = game.machine.read(state, MOVER, 0).as_sym().unwrap_or(0);
        let moves = moves(game, state, mover, &options);
        let keeps = |(_, n): &(&MoveValue, &u32)| value == 0 || **n == 0;
        Ok(Solution {
            status: Status::Solved,
            value: Some(win(if value == 0 { 1 - mover } else { mover })),
            nimber: Some(value),
            best_moves_complete: true,
            best_moves: moves.iter().zip(&options).filter(keeps).map(|(m, _)| m.made.clone()).collect(),
            moves,
            positions,
            memory_bytes,
            reason: None,
            ..Solution::unknown(self.name(), why, "")
        })
    }
}

/// The nimber of a position.
struct Nimber {
    value: u32,
    /// The nimbers of its successors, in the machine's order of the moves.
    options: Vec<u32>,
    /// The number of positions visited, each with either player to move.
    positions: u64,
    /// The bytes held.
    memory_bytes: u64,
}

/// Computes the nimber of a position; the inner error is the reason why it has none.
fn nimber(request: &SolveRequest<'_>) -> Result<Result<Nimber, Inapplicable>, Box<FaultyPosition>> {
    let &SolveRequest { game, state, limits, progress, .. } = request;
    if let Err(reason) = Grundy.applies(request) {
        return Ok(Err(reason));
    }
    let no = |reason: &str| Ok(Err(reason.into()));
    let Some(exchanged) = exchange(game, state) else {
        return no("the position with the other player to move has no meaning");
    };
    let scope = EnumerationScope::default();
    let graph = match GameGraph::build(game, &[state.clone(), exchanged], scope, limits, progress) {
        Ok(graph) => graph,
        Err(_) => {
            // A faulty position that play itself cannot reach is no mistake of the rules.
            GameGraph::build(game, std::slice::from_ref(state), scope, limits, progress)?;
            return no("with the players exchanged, the rules have no meaning in some position");
        }
    };
    if let Some(hit) = graph.limit() {
        return Ok(Err(hit.into()));
    }
    let Some(order) = graph.topological() else {
        return no("positions can come back");
    };
    if let Some(reason) = not_impartial(game, &graph) {
        return no(reason);
    }
    let values = label(&graph, &order);
    Ok(Ok(Nimber {
        value: values[0],
        options: graph.successors(0).iter().map(|&to| values[to as usize]).collect(),
        positions: graph.len() as u64,
        memory_bytes: graph.held_bytes() + 4 * values.len() as u64,
    }))
}

/// Returns the same position with the other player to move.
fn exchange(game: &Game, state: &State) -> Option<State> {
    let mover = game.machine.read(state, MOVER, 0).as_sym()?;
    game.machine.with_mover(state, 1 - mover.min(1)).filter(|other| other != state)
}

/// Returns the reason why the game is not impartial with normal play; `None` if it is.
fn not_impartial(game: &Game, graph: &GameGraph) -> Option<&'static str> {
    const OPTIONS: &str = "the two players do not have the same moves in every position";
    let mut partner = Vec::with_capacity(graph.len());
    for position in 0..graph.len() as u32 {
        let state = graph.explored.arena.state(position);
        let Some(other) = exchange(game, &state).and_then(|s| graph.explored.arena.find(&s)) else {
            return Some(OPTIONS);
        };
        partner.push(other);
    }
    for position in 0..graph.len() as u32 {
        match graph.node(position) {
            GraphNode::Over(outcome) => {
                if let Some(reason) = not_normal(game, graph, position, outcome) {
                    return Some(reason);
                }
            }
            GraphNode::Player(player) => {
                if mover(game, graph, position) != Some(player) {
                    return Some("in some position the mover does not choose");
                }
                if graph.successors(position).iter().any(|&to| mover(game, graph, to) != Some(1 - player)) {
                    return Some("moves do not alternate");
                }
            }
            GraphNode::Each | GraphNode::Chance | GraphNode::Open => {
                return Some("chance or simultaneous moves decide");
            }
        }
        let mut own: Vec<u32> = graph.successors(position).iter().map(|&to| partner[to as usize]).collect();
        let mut others = graph.successors(partner[position as usize]).to_vec();
        own.sort_unstable();
        own.dedup();
        others.sort_unstable();
        others.dedup();
        if own != others {
            return Some(OPTIONS);
        }
    }
    None
}

fn mover(game: &Game, graph: &GameGraph, position: u32) -> Option<u32> {
    game.machine.read(&graph.explored.arena.state(position), MOVER, 0).as_sym()
}

/// Returns the reason why an end is not one of normal play, in which the mover loses; `None` if it is one. The rules
/// may well end the game while a move is left on the board: such a position has no options and has value 0 like any
/// other.
fn not_normal(game: &Game, graph: &GameGraph, position: u32, outcome: u32) -> Option<&'static str> {
    let outcome = &graph.outcomes()[outcome as usize];
    let lost = mover(game, graph, position).and_then(|m| outcome.payoffs.get(m as usize));
    let normal = outcome.kind == OutcomeKind::Win && lost == Some(&Rational::from_integer(-1));
    (!normal).then_some("the game does not always end with a loss of the mover: it is not normal play")
}

fn label(graph: &GameGraph, order: &[u32]) -> Vec<u32> {
    let mut values = vec![0u32; graph.len()];
    let mut options = Vec::new();
    for &position in order.iter().rev() {
        options.clear();
        options.extend(graph.successors(position).iter().map(|&to| values[to as usize]));
        values[position as usize] = mex(&mut options);
    }
    values
}

/// Returns the least number that is not among these.
fn mex(numbers: &mut [u32]) -> u32 {
    numbers.sort_unstable();
    numbers.iter().fold(0, |least, &n| if n == least { least + 1 } else { least })
}

fn win(winner: u32) -> Value {
    let payoff = |player| Rational::from_integer(if player == winner { 1 } else { -1 });
    Value { payoffs: vec![payoff(0), payoff(1)], kind: ValueKind::Win(winner) }
}

fn moves(game: &Game, state: &State, mover: u32, nimbers: &[u32]) -> Vec<MoveValue> {
    let successors = game.machine.successors(state).unwrap_or_default();
    let worth = |(successor, &nimber): (Successor, &u32)| MoveValue {
        made: WrittenMove { written: game.notation(state, &successor.play), play: successor.play },
        bounds: None,
        value: Some(win(if nimber == 0 { mover } else { 1 - mover })),
        remoteness: None,
        nimber: Some(nimber),
    };
    successors.into_iter().zip(nimbers).map(worth).collect()
}
