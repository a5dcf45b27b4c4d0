//! A solved graph that can be asked: the value of a position, the best moves, best play to the end.
//!
//! *Invariant:* it answers only what is certain. Where positions were left open, a position has a value only if it is
//! the same whether the open ones are as good or as bad for the first player as the rules allow.

use num_rational::Rational64;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Node};
use super::labels::Labels;
use super::stakes::Stakes;
use super::tally::Tally;
use super::value::{Made, MoveValue, Value, ValueKind};
use crate::game::{Game, State, Successor};
use crate::rules::MOVER;

/// The values of all positions of a graph.
#[derive(Clone)]
pub struct Table {
    game: Game,
    graph: Graph,
    stakes: Stakes,
    /// Open positions as bad as can be for the first player, or lower bounds.
    low: Labels,
    /// As good as can be, or upper bounds; none where every label is the value.
    high: Option<Labels>,
    /// Where enumeration stopped at the first win: the ply of that win. What takes longer is not known.
    horizon: Option<u32>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table of {} positions", self.graph.len())
    }
}

impl Table {
    /// A table of these labels; `high` where positions are open, `horizon` where only the nearest wins are known.
    pub(super) fn new(
        game: &Game,
        graph: Graph,
        stakes: Stakes,
        labels: (Labels, Option<Labels>),
        horizon: Option<u32>,
    ) -> Self {
        Table { game: game.clone(), graph, stakes, low: labels.0, high: labels.1, horizon }
    }

    /// How many positions it holds, those without a value among them.
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether each of its positions stands for those that symmetry takes it to.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.graph.explored.is_up_to_symmetry()
    }

    /// The positions with their values, in the order in which they were found.
    pub fn positions(&self) -> impl Iterator<Item = (State, Option<Value>)> + '_ {
        (0..self.len() as u32).map(|i| (self.graph.explored.arena.state(i), self.value_at(i)))
    }

    /// The positions by who is to move and what they are worth; none where that is not known of all that can be reached.
    /// Where the game is over, it is who would move.
    pub fn tally(&self) -> Option<Tally> {
        let mut tally = Tally::default();
        for i in 0..self.len() as u32 {
            let value = self.value_at(i)?;
            let mover = match self.graph.node(i) {
                Node::Player(player) => Some(player),
                Node::Over(_) => {
                    let state = self.graph.explored.arena.state(i);
                    self.game.machine.read(&state, MOVER, 0).as_sym()
                }
                Node::Each | Node::Chance | Node::Open => None,
            };
            tally.add(mover, &value, self.remoteness_at(i), self.graph.explored.orbit(i));
        }
        tally.sort();
        Some(tally)
    }

    /// Whether every position that can be reached has its moves in it, and was labelled.
    pub fn is_complete(&self) -> bool {
        self.graph.is_complete() && self.high.is_none() && self.horizon.is_none()
    }

    /// How many positions have each value, by the plies to the end where they are counted: the best value for the first
    /// player first, then the nearest end.
    pub fn histogram(&self) -> Vec<(Value, Option<u32>, u64)> {
        let mut counts: FxHashMap<(Rational64, Option<u32>), u64> = FxHashMap::default();
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

    /// Of the moves in a position, how many are worth at least this to a player, and how many there are; none where
    /// the position is not in the table.
    pub fn keeping(&self, state: &State, player: u32, payoff: Rational64) -> Option<(usize, usize)> {
        let next = self.graph.next(self.graph.explored.find(state)?);
        let keeps =
            |&&to: &&u32| self.number(to).is_some_and(|value| self.stakes.payoff(value, player) >= payoff);
        Some((next.iter().filter(keeps).count(), next.len()))
    }

    /// The value of a position; none where it is not in the table or not known.
    pub fn value(&self, state: &State) -> Option<Value> {
        self.value_at(self.graph.explored.find(state)?)
    }

    /// Plies to the end under best play; none for draws, payoffs and what is not known.
    pub fn remoteness(&self, state: &State) -> Option<u32> {
        self.remoteness_at(self.graph.explored.find(state)?)
    }

    /// The first player's score minus the second's, in a table for the difference.
    pub fn margin(&self, state: &State) -> Option<Rational64> {
        let way = self.stakes.margin?;
        Some(self.number(self.graph.explored.find(state)?)? * way)
    }

    /// The moves that keep the value and, where plies are counted, win soonest or lose latest; none where the value
    /// is not known or nobody chooses.
    pub fn best_moves(&self, state: &State) -> Vec<Made> {
        let Some(at) = self.at(state) else { return Vec::new() };
        self.best_edges(&at).into_iter().map(|edge| self.made(state, &at, edge)).collect()
    }

    /// Every legal move with its value.
    pub fn moves(&self, state: &State) -> Vec<MoveValue> {
        let Some(at) = self.at(state) else { return Vec::new() };
        let worth = |(edge, &to): (usize, &u32)| MoveValue {
            made: self.made(state, &at, edge),
            value: self.value_at(to),
            remoteness: self.remoteness_at(to).map(|r| r + 1),
        };
        at.next.iter().enumerate().map(worth).collect()
    }

    /// Best play from a position: always the first best move, to the end, to a repetition, to chance or to what is
    /// not known, at most `limit` moves.
    pub fn line(&self, state: &State, limit: usize) -> Vec<Made> {
        let mut line = Vec::new();
        let mut seen = FxHashSet::default();
        let mut state = state.clone();
        while line.len() < limit
            && let Some(at) = self.at(&state)
            && seen.insert(at.index)
            && let Some(&edge) = self.best_edges(&at).first()
        {
            line.push(self.made(&state, &at, edge));
            state = at.successors[edge].state.clone();
        }
        line
    }

    /// A position with its moves; none where it is not in the table. Where it stands for itself, its moves are those of
    /// the graph; otherwise they come in another order.
    fn at(&self, state: &State) -> Option<At> {
        let index = self.graph.explored.find(state)?;
        let mut successors = self.game.machine.successors(state).unwrap_or_default();
        let next = if self.graph.explored.arena.words(index) == &*state.0 {
            self.graph.next(index).to_vec()
        } else {
            successors.iter().map_while(|to| self.graph.explored.find(&to.state)).collect()
        };
        // Where positions are open, the graph has no moves.
        successors.truncate(next.len());
        Some(At { index, next, successors })
    }

    fn made(&self, state: &State, at: &At, edge: usize) -> Made {
        let play = at.successors[edge].play.clone();
        let written = self.game.written(state, &play);
        Made { play, written }
    }

    /// The value for the first player, where certain.
    pub(super) fn number(&self, index: u32) -> Option<Rational64> {
        let low = self.low.value(index)?;
        let certain = match (&self.horizon, &self.high) {
            (Some(horizon), _) => {
                self.low.steps(index).is_some_and(|s| self.graph.explored.ply(index) + s <= *horizon)
                    && low > Rational64::default()
            }
            (None, Some(high)) => high.value(index) == Some(low),
            (None, None) => true,
        };
        certain.then_some(low)
    }

    /// What the first player gets at least and at most in the position of this number.
    pub(super) fn bounds_at(&self, index: u32) -> (Option<Rational64>, Option<Rational64>) {
        let high = self.high.as_ref().unwrap_or(&self.low);
        (self.low.value(index), high.value(index))
    }

    /// The graph that was labelled.
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// What is at stake in it.
    pub(super) fn stakes(&self) -> &Stakes {
        &self.stakes
    }

    /// What a player can make sure of, open positions being as bad for him as can be; and in how many plies, where
    /// the method counts them.
    pub(super) fn sure(&self, index: u32, player: u32) -> Option<(Rational64, Option<u32>)> {
        let labels = if player == 0 { &self.low } else { self.high.as_ref().unwrap_or(&self.low) };
        Some((self.stakes.payoff(labels.value(index)?, player), labels.steps(index)))
    }

    pub(super) fn value_at(&self, index: u32) -> Option<Value> {
        match self.number(index) {
            Some(value) => Some(self.told(value)),
            // One player for whom no end is left: certain once everything was seen.
            None if self.graph.is_complete() && self.low.value(index).is_none() => {
                Some(Value { payoffs: vec![Rational64::from_integer(-1)], kind: ValueKind::Unsolvable })
            }
            None => None,
        }
    }

    pub(super) fn remoteness_at(&self, index: u32) -> Option<u32> {
        let value = self.number(index)?;
        let counted = self.stakes.win_loss && (self.high.is_none() || self.horizon.is_some());
        let decided =
            value != Rational64::default() && (self.stakes.players == 2 || value > Rational64::default());
        if counted && decided { self.low.steps(index) } else { None }
    }

    fn told(&self, value: Rational64) -> Value {
        self.stakes.told(value, self.graph.has_chance())
    }

    fn best_edges(&self, at: &At) -> Vec<usize> {
        let &At { index, ref next, .. } = at;
        let (Some(value), Node::Player(_)) = (self.number(index), self.graph.node(index)) else {
            return Vec::new();
        };
        let Some(high) = &self.high else {
            return self.low.best_edges(&self.graph, &self.stakes, index, next);
        };
        // The plies of the side that forces the value lead past no open position; the other side's may.
        let order =
            if self.stakes.favoured(value) == Some(1) { [high, &self.low] } else { [&self.low, high] };
        let certain = |labels: &&Labels| {
            let mut edges = labels.best_edges(&self.graph, &self.stakes, index, next);
            edges.retain(|&e| self.number(next[e]) == Some(value));
            edges
        };
        order
            .iter()
            .map(certain)
            .find(|edges| !edges.is_empty())
            .unwrap_or_else(|| (0..next.len()).filter(|&e| self.number(next[e]) == Some(value)).collect())
    }
}

/// A position with its moves.
struct At {
    index: u32,
    /// The numbers of the positions that they lead to, or of those that stand for these.
    next: Vec<u32>,
    successors: Vec<Successor>,
}
