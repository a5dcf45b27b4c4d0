//! A labelled graph with queries: the value of a position, the best moves, the principal variation.
//!
//! *Invariant:* answers are certain. If the graph has open positions, a position has a value only if it is the same
//! whether the open ones are as good or as bad for the first player as the rules allow.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{GameGraph, GraphNode};
use super::histogram::ValueHistogram;
use super::labels::{BoundLabels, Labels, NO_LABEL};
use super::payoffs::PayoffModel;
use super::value::{Bounds, MoveValue, Value, ValueKind, WrittenMove};
use crate::game::explore::ExploredPlace;
use crate::game::{Game, State, Successor};
use bouton_rules::MOVER;

/// The values of all positions of a graph.
#[derive(Clone)]
pub struct SolvedGraph {
    game: Game,
    graph: GameGraph,
    stakes: PayoffModel,
    /// The labels with open positions as bad as possible for the first player, or lower bounds.
    low: Labels,
    /// The labels with open positions as good as possible, or upper bounds; `None` if every label is exact.
    high: Option<Labels>,
    /// The ply of the first win, if enumeration stopped there: values of longer play are unknown.
    horizon: Option<u32>,
    /// By player and position with an exact value among bounds: the rank that his best moves decrease, as
    /// [`Labels::progress`]; `None` if the labels tell which moves come nearer to the end.
    ranks: Option<[Vec<u32>; 2]>,
}

impl std::fmt::Debug for SolvedGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table of {} positions", self.graph.len())
    }
}

impl SolvedGraph {
    /// Creates a table of these labels.
    pub(super) fn new(game: &Game, graph: GameGraph, stakes: PayoffModel, labels: BoundLabels) -> Self {
        let BoundLabels { low, high, horizon } = labels;
        SolvedGraph { game: game.clone(), graph, stakes, low, high, horizon, ranks: None }
    }

    /// Adds the ranks that the best moves of each player decrease where bounds meet.
    pub(super) fn with_ranks(self, ranks: Option<[Vec<u32>; 2]>) -> Self {
        SolvedGraph { ranks, ..self }
    }

    /// The number of positions, including those without a value.
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Returns true if it holds no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if positions can come back.
    pub fn has_cycles(&self) -> bool {
        self.graph.topological().is_none()
    }

    /// Returns true if each position represents its orbit under symmetry.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.graph.explored.is_up_to_symmetry()
    }

    /// Returns the positions with their values, in the order of discovery.
    pub fn positions(&self) -> impl Iterator<Item = (State, Option<Value>)> + '_ {
        (0..self.len() as u32).map(|i| (self.graph.explored.arena.state(i), self.value_at(i)))
    }

    /// Returns the histogram of the positions by mover and value; `None` if the value of a reachable position is
    /// unknown. The mover of a terminal is the player who would move.
    pub fn tally(&self) -> Option<ValueHistogram> {
        let mut tally = ValueHistogram::default();
        for i in 0..self.len() as u32 {
            let value = self.value_at(i)?;
            let mover = match self.graph.node(i) {
                GraphNode::Player(player) => Some(player),
                GraphNode::Over(_) => {
                    let state = self.graph.explored.arena.state(i);
                    self.game.machine.read(&state, MOVER, 0).as_sym()
                }
                GraphNode::Each | GraphNode::Chance | GraphNode::Open => None,
            };
            tally.add(mover, &value, self.remoteness_at(i), self.graph.explored.orbit(i));
        }
        tally.sort();
        Some(tally)
    }

    /// Returns true if every reachable position is expanded and labelled.
    pub fn is_complete(&self) -> bool {
        self.graph.is_complete() && self.high.is_none() && self.horizon.is_none()
    }

    /// Returns the number of positions by value, and by plies to the end if they are counted: the best value for the
    /// first player first, then the nearest end. Empty if positions may stand for those with exchanged players, of which
    /// not all need be reachable.
    pub fn histogram(&self) -> Vec<(Value, Option<u32>, u64)> {
        if self.graph.explored.exchanges_players() {
            return Vec::new();
        }
        let mut counts: FxHashMap<(Rational, Option<u32>), u64> = FxHashMap::default();
        for index in 0..self.len() as u32 {
            if let Some(value) = self.number(index) {
                *counts.entry((value, self.remoteness_at(index))).or_default() +=
                    self.graph.explored.orbit(index);
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|((a, near), _), ((b, far), _)| b.cmp(a).then(near.cmp(far)));
        counts.into_iter().map(|((value, remoteness), n)| (self.told(value), remoteness, n)).collect()
    }

    /// Returns the number of moves in a position that give a player at least this payoff, and the number of all moves;
    /// `None` if the position is not in the table.
    pub fn keeping(&self, state: &State, player: u32, payoff: Rational) -> Option<(usize, usize)> {
        let next = self.next(self.graph.explored.find(state)?);
        let keeps = |to: &&ExploredPlace| {
            self.number_at(**to).is_some_and(|value| self.stakes.payoff(value, player) >= payoff)
        };
        Some((next.iter().filter(keeps).count(), next.len()))
    }

    /// Returns the value of a position; `None` if it is not in the table or unknown.
    pub fn value(&self, state: &State) -> Option<Value> {
        self.value_of(self.graph.explored.find(state)?)
    }

    /// Returns the plies to the end under best play; `None` for draws, payoffs and unknown values.
    pub fn remoteness(&self, state: &State) -> Option<u32> {
        self.remoteness_at(self.graph.explored.find(state)?.index)
    }

    /// Returns the first player's score minus the second's, in a table for the margin.
    pub fn margin(&self, state: &State) -> Option<Rational> {
        let way = self.stakes.margin?;
        Some(self.number_at(self.graph.explored.find(state)?)? * Rational::from(way))
    }

    /// Returns the moves that keep the value and, if plies are counted, win soonest or lose latest; none if the value
    /// is unknown or nobody chooses.
    pub fn best_moves(&self, state: &State) -> Vec<WrittenMove> {
        let Some(at) = self.at(state) else { return Vec::new() };
        self.best_edges(&at).into_iter().map(|edge| self.made(state, &at, edge)).collect()
    }

    /// Returns true if the value of every move of a position is known.
    pub fn knows_moves(&self, state: &State) -> bool {
        let known = |at: PositionMoves| at.next.iter().all(|to| self.value_at(to.index).is_some());
        self.is_complete() || self.at(state).is_some_and(known)
    }

    /// Returns true if moves that keep the value of a position are not among its best ones only because they come no
    /// nearer to the end, though no plies are counted.
    pub(super) fn leaves_out_equal_moves(&self, state: &State) -> bool {
        let Some(at) = self.at(state) else { return false };
        let GraphNode::Player(player) = self.graph.node(at.place.index) else { return false };
        let best = self.best_edges(&at);
        let value = self.number_at(at.place);
        let keeps = |edge: usize| self.number_at(at.next[edge]) == value;
        self.best_move_ranks(player).is_some()
            && (0..at.next.len()).any(|edge| !best.contains(&edge) && keeps(edge))
    }

    /// Returns every legal move with its value.
    pub fn moves(&self, state: &State) -> Vec<MoveValue> {
        let Some(at) = self.at(state) else { return Vec::new() };
        let bounds = |to: ExploredPlace| {
            let (low, high) = self.bounds_of(to);
            Some(Bounds { low, high }).filter(|bounds| self.number(to.index).is_none() && bounds.are_close())
        };
        let worth = |(edge, &to): (usize, &ExploredPlace)| MoveValue {
            made: self.made(state, &at, edge),
            value: self.value_of(to),
            bounds: bounds(to),
            remoteness: self.remoteness_at(to.index).map(|r| r + 1),
            nimber: None,
        };
        at.next.iter().enumerate().map(worth).collect()
    }

    /// Returns the principal variation from a position: always the first best move, to the end, to a repetition, to
    /// chance or to an unknown value, at most `limit` moves.
    pub fn line(&self, state: &State, limit: usize) -> PrincipalVariation {
        let mut moves = Vec::new();
        let mut seen = FxHashSet::default();
        let mut state = state.clone();
        loop {
            let Some(at) = self.at(&state) else { return PrincipalVariation { moves, complete: false } };
            let index = at.place.index;
            let Some(&edge) = self.best_edges(&at).first().filter(|_| seen.insert(index)) else {
                // Without a best move: an end, or a position of chance; or a position whose value is not known.
                let open = matches!(self.graph.node(index), GraphNode::Player(_) | GraphNode::Open);
                return PrincipalVariation { complete: !open || seen.contains(&index), moves };
            };
            if moves.len() == limit {
                return PrincipalVariation { moves, complete: false };
            }
            moves.push(self.made(&state, &at, edge));
            state = at.successors[edge].state.clone();
        }
    }

    /// Returns a position with its moves; `None` if it is not in the table. If it represents itself, its moves have the
    /// order of the graph; otherwise they have another order.
    fn at(&self, state: &State) -> Option<PositionMoves> {
        let place = self.graph.explored.find(state)?;
        let mut successors = self.game.machine.successors(state).unwrap_or_default();
        let next = if self.graph.explored.arena.words(place.index) == &*state.0 {
            self.next(place)
        } else {
            successors.iter().map_while(|to| self.graph.explored.find(&to.state)).collect()
        };
        // An open position has no moves in the graph.
        successors.truncate(next.len());
        Some(PositionMoves { place, next, successors })
    }

    /// Returns the places of the successors, in the order of the graph.
    fn next(&self, place: ExploredPlace) -> Vec<ExploredPlace> {
        let seen_from_here =
            |to: ExploredPlace| ExploredPlace { exchanged: to.exchanged != place.exchanged, ..to };
        self.graph.places(place.index).map(seen_from_here).collect()
    }

    fn made(&self, state: &State, at: &PositionMoves, edge: usize) -> WrittenMove {
        let play = at.successors[edge].play.clone();
        let written = self.game.notation(state, &play);
        WrittenMove { play, written }
    }

    /// Returns the value for the first player, if certain.
    pub(super) fn number(&self, index: u32) -> Option<Rational> {
        let low = self.low.value(index)?;
        let certain = match (&self.horizon, &self.high) {
            (Some(horizon), _) => {
                self.low.steps(index).is_some_and(|s| self.graph.explored.ply(index) + s <= *horizon)
                    && low.is_positive()
            }
            (None, Some(high)) => high.value(index) == Some(low),
            (None, None) => true,
        };
        certain.then_some(low.clone())
    }

    /// Returns the first player's payoff at a place, if certain.
    fn number_at(&self, place: ExploredPlace) -> Option<Rational> {
        let value = self.number(place.index)?;
        Some(if place.exchanged { &self.stakes.sum - value } else { value })
    }

    /// Returns the bounds of the first player's payoff at a place.
    fn bounds_of(&self, place: ExploredPlace) -> (Option<Rational>, Option<Rational>) {
        let (low, high) = self.bounds_at(place.index);
        let rest = |bound: Option<Rational>| Some(&self.stakes.sum - bound?);
        if place.exchanged { (rest(high), rest(low)) } else { (low, high) }
    }

    /// Returns the value at a place, if certain.
    fn value_of(&self, place: ExploredPlace) -> Option<Value> {
        match place.exchanged {
            true => self.number_at(place).map(|value| self.told(value)),
            false => self.value_at(place.index),
        }
    }

    /// Returns the bounds of the first player's payoff in the position with this index.
    pub(super) fn bounds_at(&self, index: u32) -> (Option<Rational>, Option<Rational>) {
        let high = self.high.as_ref().unwrap_or(&self.low);
        (self.low.value(index).cloned(), high.value(index).cloned())
    }

    /// Returns the index of the first best move of a position; `None` if no player moves there or its value is unknown.
    pub(super) fn first_best_edge(&self, index: u32) -> Option<usize> {
        let next = self.graph.successors(index);
        self.number(index)?;
        self.advancing_edges(&self.low, index, next).first().copied()
    }

    /// Returns the ranks that a player's best moves decrease, if there are any.
    fn best_move_ranks(&self, player: u32) -> Option<&[u32]> {
        match &self.ranks {
            Some(ranks) => Some(&ranks[player as usize]),
            None => self.low.progress(player),
        }
    }

    /// Returns the best moves of a position by these labels without those that may put off the end for ever.
    fn advancing_edges(&self, labels: &Labels, index: u32, next: &[u32]) -> Vec<usize> {
        let mut edges = labels.best_edges(&self.graph, &self.stakes, index, next);
        if let GraphNode::Player(player) = self.graph.node(index)
            && let Some(ranks) = self.best_move_ranks(player)
            && ranks[index as usize] != NO_LABEL
        {
            edges.retain(|&edge| ranks[next[edge] as usize] < ranks[index as usize]);
        }
        edges
    }

    /// Returns the ranks of the positions for a player, as [`Labels::progress`] does, by the bound that he is sure of.
    pub(super) fn progress(&self, player: u32) -> Option<&[u32]> {
        let bound = if player == 0 { &self.low } else { self.high.as_ref().unwrap_or(&self.low) };
        bound.progress(player)
    }

    pub(super) fn graph(&self) -> &GameGraph {
        &self.graph
    }

    pub(super) fn stakes(&self) -> &PayoffModel {
        &self.stakes
    }

    /// Returns the payoff that a player can guarantee, with open positions as bad for him as possible; and the plies,
    /// if the method counts them.
    pub(super) fn guaranteed(&self, index: u32, player: u32) -> Option<(Rational, Option<u32>)> {
        let labels = if player == 0 { &self.low } else { self.high.as_ref().unwrap_or(&self.low) };
        Some((self.stakes.payoff(labels.value(index)?.clone(), player), labels.steps(index)))
    }

    pub(super) fn value_at(&self, index: u32) -> Option<Value> {
        match self.number(index) {
            Some(value) => Some(self.told(value)),
            // A single player who can reach no end: certain once the graph is complete. Where ends have payoffs, play
            // without an end has none.
            None if self.stakes.win_loss && self.graph.is_complete() && self.low.value(index).is_none() => {
                Some(Value { payoffs: vec![Rational::from_integer(-1)], kind: ValueKind::Unsolvable })
            }
            None => None,
        }
    }

    pub(super) fn remoteness_at(&self, index: u32) -> Option<u32> {
        let value = self.number(index)?;
        let counted = self.stakes.win_loss && (self.high.is_none() || self.horizon.is_some());
        let decided = !value.is_zero() && (self.stakes.players == 2 || value.is_positive());
        if counted && decided { self.low.steps(index) } else { None }
    }

    fn told(&self, value: Rational) -> Value {
        self.stakes.describe(value, self.graph.has_chance())
    }

    /// Returns the move that is better than all others, if bounds alone show that.
    fn separated_edge(&self, player: u32, next: &[ExploredPlace]) -> Option<usize> {
        let bounds = |edge: usize| {
            let (low, high) = self.bounds_of(next[edge]);
            if player == 0 { Some((low?, high?)) } else { Some((-high?, -low?)) }
        };
        let best = (0..next.len()).max_by_key(|&edge| bounds(edge))?;
        let least = bounds(best)?.0;
        let mut others = (0..next.len()).filter(|&edge| edge != best);
        others.all(|edge| bounds(edge).is_some_and(|(_, high)| high < least)).then_some(best)
    }

    fn best_edges(&self, at: &PositionMoves) -> Vec<usize> {
        let &PositionMoves { place, ref next, .. } = at;
        let index = place.index;
        let GraphNode::Player(player) = self.graph.node(index) else { return Vec::new() };
        let player = if place.exchanged { 1 - player } else { player };
        if self.number(index).is_none() && self.high.is_some() {
            return self.separated_edge(player, next).into_iter().collect();
        }
        let Some(value) = self.number_at(place) else { return Vec::new() };
        if self.graph.explored.exchanges_players() {
            // Chance acts, so no plies are counted.
            let keeps = |&edge: &usize| self.number_at(next[edge]).as_ref() == Some(&value);
            return (0..next.len()).filter(keeps).collect();
        }
        let next: Vec<u32> = next.iter().map(|to| to.index).collect();
        let next = &*next;
        let Some(high) = &self.high else {
            return self.advancing_edges(&self.low, index, next);
        };
        // The plies of the side that forces the value avoid open positions; those of the other side may not.
        let order =
            if self.stakes.favoured(&value) == Some(1) { [high, &self.low] } else { [&self.low, high] };
        let number = self.low.number(index);
        let certain = |labels: &&Labels| {
            let mut edges = self.advancing_edges(labels, index, next);
            edges.retain(|&e| self.low.number(next[e]) == number && self.number(next[e]).is_some());
            edges
        };
        let found = order.iter().map(certain).find(|edges| !edges.is_empty());
        if self.ranks.is_some() {
            return found.unwrap_or_default();
        }
        found.unwrap_or_else(|| {
            (0..next.len())
                .filter(|&e| self.low.number(next[e]) == number && self.number(next[e]).is_some())
                .collect()
        })
    }
}

/// The moves of best play.
pub struct PrincipalVariation {
    pub moves: Vec<WrittenMove>,
    /// True if it leads to an end, to a repetition or to a chance node.
    pub complete: bool,
}

/// A position with its moves.
struct PositionMoves {
    place: ExploredPlace,
    /// The places of the successors, or of their representatives.
    next: Vec<ExploredPlace>,
    successors: Vec<Successor>,
}
