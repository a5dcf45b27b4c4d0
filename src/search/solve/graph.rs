//! The graph of all reachable positions, as arrays.
//!
//! Technique: breadth-first enumeration into compressed sparse rows: for each position the indices of its successors,
//! in the machine's order of moves, so that the i-th edge is the i-th move.
//! Source: Gasser, "Solving Nine Men's Morris" (1996) for enumerate-then-label; the row form is common property.
//! Cost: time and bytes linear in moves; about 4 bytes a move and 30 a position besides its words.
//! Invariant: positions are numbered in the order of discovery; the first `expanded()` have their edges, the others
//! are open. The same game gives the same arrays at any number of threads.
//! Not taken: storing the moves themselves (the machine can generate them again), un-moves (not every rule has them),
//! and layers on disk.

use std::hash::BuildHasher;
use std::ops::{ControlFlow, Range};

use bouton_base::key_table::prefetch;
use bouton_base::rational::Rational;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::game::explore::{
    ExplorationRequest, ExploreEnd, Explored, ExploredPlace, FaultyPosition, IndexVisitor, IndexedPosition,
    SymmetryReduction, explore_indices,
};
use crate::game::{Game, Outcome, State, ToMove};
use bouton_base::limits::{LimitHit, Limits, Progress, bytes_after_growth};

/// The number of positions after which a pass over a graph reads what it prefetches.
const PREFETCH_DISTANCE: usize = 16;

/// The kind of a position in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphNode {
    /// The game is over; the index of the outcome.
    Over(u32),
    /// This player chooses.
    Player(u32),
    /// All players choose at once.
    Each,
    /// Chance acts.
    Chance,
    /// The position was reached but not expanded: a limit came first.
    Open,
}

/// The condition that ends the enumeration early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StopCondition {
    /// Never.
    #[default]
    Never,
    /// After the first ply with a win: for the fewest moves of one player.
    FirstWin,
}

/// The extent of an enumeration; by default all positions.
#[derive(Clone, Copy, Default)]
pub struct EnumerationScope<'a> {
    pub until: StopCondition,
    /// The symmetry reduction, if there is one.
    pub folding: Option<&'a SymmetryReduction<'a>>,
}

/// A graph of positions, with the edges of those that were expanded.
#[derive(Clone)]
pub struct GameGraph {
    /// The positions, in the order of discovery.
    pub explored: Explored,
    arrays: Arrays,
}

/// The arrays of the graph. A code in `nodes` has two bits of kind, the rest is a number: of the outcome, the player, or
/// the list of probabilities.
#[derive(Clone, Default)]
struct Arrays {
    nodes: Vec<u32>,
    row_starts: Vec<u32>,
    successors: Vec<u32>,
    /// By edge, a bit each: 1 if the successor stands for one with exchanged players. The last words may be missing.
    exchanged: Vec<u64>,
    /// The different lists of probabilities, one after another.
    probabilities: Vec<Rational>,
    /// The offset and the length of each of these lists.
    distributions: Vec<(u32, u32)>,
    /// The indices of these lists, by their probabilities.
    distribution_index: HashTable<u32>,
    outcomes: Vec<Outcome>,
    outcome_index: HashTable<u32>,
    /// True if players choose at once in some position.
    simultaneous: bool,
    overflowed: bool,
    /// The number of positions reached.
    reached: u32,
    until_win: bool,
    won: bool,
}

/// The bytes per position to reserve from the start for labelling, so that an enumerated graph can also be solved.
const LABEL_BYTES_PER_POSITION: u64 = 48;
const KIND_SHIFT: u32 = 30;
const OVER: u32 = 0;
const PLAYER: u32 = 1;
const CHANCE: u32 = 2;
const EACH: u32 = 3;

impl GameGraph {
    /// Enumerates the positions that play reaches from these, as far as the scope goes. A limit leaves open positions
    /// behind.
    pub fn build(
        game: &Game,
        from: &[State],
        scope: EnumerationScope<'_>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<GameGraph, Box<FaultyPosition>> {
        progress.phase("enumerating positions");
        let until_win = scope.until == StopCondition::FirstWin;
        let mut arrays = Arrays { row_starts: vec![0], until_win, ..Arrays::default() };
        let request = ExplorationRequest { game, from, limits, progress };
        let explored = explore_indices(request, scope.folding, &mut arrays);
        if let ExploreEnd::Broken(broken) = explored.ended {
            return Err(broken);
        }
        Ok(GameGraph { explored, arrays })
    }

    /// Returns the number of positions, the open ones included.
    pub fn len(&self) -> usize {
        self.explored.arena.len()
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of positions that have their edges.
    pub fn expanded(&self) -> usize {
        self.arrays.nodes.len()
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.arrays.successors.len()
    }

    /// Returns true if no position is open.
    pub fn is_complete(&self) -> bool {
        self.expanded() == self.len()
    }

    /// Returns the limit that ended the enumeration.
    pub fn limit(&self) -> Option<LimitHit> {
        match self.explored.ended {
            ExploreEnd::Limit(hit) => Some(hit),
            _ if self.arrays.overflowed => Some(LimitHit::Memory),
            _ => None,
        }
    }

    /// Returns true if players choose at once in some position.
    pub fn is_simultaneous(&self) -> bool {
        self.arrays.simultaneous
    }

    /// Returns true if chance acts in some position.
    pub fn has_chance(&self) -> bool {
        !self.arrays.distributions.is_empty()
    }

    /// Returns the kind of a position.
    pub fn node(&self, index: u32) -> GraphNode {
        match self.arrays.code(index) {
            None => GraphNode::Open,
            Some((OVER, outcome)) => GraphNode::Over(outcome),
            Some((PLAYER, player)) => GraphNode::Player(player),
            Some((CHANCE, _)) => GraphNode::Chance,
            Some(_) => GraphNode::Each,
        }
    }

    /// Returns the successors of a position, in the machine's order of moves.
    pub fn successors(&self, index: u32) -> &[u32] {
        &self.arrays.successors[self.row(index)]
    }

    /// Returns the successors of a position like [`successors`](Self::successors), as places.
    pub fn places(&self, index: u32) -> impl Iterator<Item = ExploredPlace> + '_ {
        let row = self.row(index);
        let is_set = |edge: usize| {
            self.arrays.exchanged.get(edge / 64).is_some_and(|bits| bits >> (edge % 64) & 1 == 1)
        };
        let place =
            move |edge| ExploredPlace { index: self.arrays.successors[edge], exchanged: is_set(edge) };
        row.map(place)
    }

    /// Returns the probabilities of a chance position's edges; none for other positions.
    pub fn probabilities(&self, index: u32) -> &[Rational] {
        match self.arrays.code(index) {
            Some((CHANCE, distribution)) => self.arrays.distribution(distribution),
            _ => &[],
        }
    }

    fn row(&self, index: u32) -> Range<usize> {
        self.arrays.row(index)
    }

    /// Returns the distinct outcomes of the game, by index.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.arrays.outcomes
    }

    /// Returns all positions in topological order, each before its successors; `None` if there is a cycle.
    /// Kahn, "Topological sorting of large networks" (1962).
    pub fn topological(&self) -> Option<Vec<u32>> {
        self.arrays.topological(self.len())
    }

    /// Prefetches what a pass over positions in any order reads: `ahead(n)` is the position `n` positions later, and
    /// `prefetch_of` prefetches what the pass reads of a successor.
    #[inline]
    pub(super) fn prefetch(&self, ahead: impl Fn(usize) -> Option<u32>, prefetch_of: impl Fn(u32)) {
        self.arrays.prefetch(ahead, prefetch_of);
    }

    /// Returns the bytes held, with those that labelling will need.
    pub fn held_bytes(&self) -> u64 {
        self.explored.held_bytes() + self.arrays.held_bytes(0)
    }
}

impl Arrays {
    /// Returns the kind and the number of a position; `None` for an open one.
    fn code(&self, index: u32) -> Option<(u32, u32)> {
        let code = self.nodes.get(index as usize)?;
        Some((code >> KIND_SHIFT, code & ((1 << KIND_SHIFT) - 1)))
    }

    /// Returns the list of probabilities with this index.
    fn distribution(&self, index: u32) -> &[Rational] {
        let (offset, length) = self.distributions[index as usize];
        &self.probabilities[offset as usize..(offset + length) as usize]
    }

    /// Returns the edges of a position; none of an open one.
    fn row(&self, index: u32) -> Range<usize> {
        match self.row_starts.get(index as usize..index as usize + 2) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => 0..0,
        }
    }

    /// Returns the first `len` positions, all that were reached, in topological order; `None` if there is a cycle.
    fn topological(&self, len: usize) -> Option<Vec<u32>> {
        let successors = |from: u32| &self.successors[self.row(from)];
        if (0..len as u32).all(|from| successors(from).iter().all(|&to| to > from)) {
            return Some((0..len as u32).collect());
        }
        let mut waiting = vec![0u32; len];
        for &to in &self.successors {
            waiting[to as usize] += 1;
        }
        let mut order: Vec<u32> = (0..len as u32).filter(|&i| waiting[i as usize] == 0).collect();
        order.reserve(len - order.len());
        let mut done = 0;
        while done < order.len() {
            self.prefetch(|ahead| order.get(done + ahead).copied(), |to| prefetch(&waiting[to as usize]));
            for &to in successors(order[done]) {
                waiting[to as usize] -= 1;
                if waiting[to as usize] == 0 {
                    order.push(to);
                }
            }
            done += 1;
        }
        (order.len() == len).then_some(order)
    }

    /// See [`GameGraph::prefetch`]. Each step reads what an earlier one prefetched: the start of a row, the row, the
    /// successors.
    #[inline]
    fn prefetch(&self, ahead: impl Fn(usize) -> Option<u32>, prefetch_of: impl Fn(u32)) {
        if let Some(later) = ahead(3 * PREFETCH_DISTANCE) {
            self.row_starts.get(later as usize).inspect(|start| prefetch(*start));
            self.nodes.get(later as usize).inspect(|node| prefetch(*node));
        }
        if let Some(later) = ahead(2 * PREFETCH_DISTANCE) {
            self.successors.get(self.row(later).start).inspect(|first| prefetch(*first));
        }
        if let Some(later) = ahead(PREFETCH_DISTANCE) {
            self.successors[self.row(later)].iter().for_each(|&to| prefetch_of(to));
        }
    }

    fn outcome(&mut self, outcome: &Outcome) -> u32 {
        let hash = |o: &Outcome| FxBuildHasher.hash_one((&o.payoffs, &o.scores, o.rule));
        let outcomes = &mut self.outcomes;
        let same = |&i: &u32| outcomes[i as usize] == *outcome;
        if let Some(&known) = self.outcome_index.find(hash(outcome), same) {
            return known;
        }
        let new = outcomes.len() as u32;
        outcomes.push(outcome.clone());
        self.outcome_index.insert_unique(hash(outcome), new, |&i| hash(&outcomes[i as usize]));
        new
    }

    /// Returns the index of a list of probabilities, a new one for a new list.
    fn distribution_of(&mut self, shares: &[Rational]) -> u32 {
        let hash = FxBuildHasher.hash_one(shares);
        let same = |&index: &u32| self.distribution(index) == shares;
        if let Some(&known) = self.distribution_index.find(hash, same) {
            return known;
        }
        debug_assert!(shares.iter().sum::<Rational>() == Rational::ONE);
        let new = self.distributions.len() as u32;
        self.distributions.push((self.probabilities.len() as u32, shares.len() as u32));
        self.probabilities.extend_from_slice(shares);
        let mut index = std::mem::take(&mut self.distribution_index);
        index.insert_unique(hash, new, |&of| FxBuildHasher.hash_one(self.distribution(of)));
        self.distribution_index = index;
        new
    }
}

impl IndexVisitor for Arrays {
    fn mark(&mut self, mark: &IndexedPosition<'_>) -> ControlFlow<()> {
        if self.successors.len() + mark.next.len() >= u32::MAX as usize {
            self.overflowed = true;
            return ControlFlow::Break(());
        }
        let code = match mark.turn {
            ToMove::Terminal(outcome) => {
                self.won |= outcome.payoffs.first().is_some_and(Rational::is_positive);
                OVER << KIND_SHIFT | self.outcome(outcome)
            }
            ToMove::Player(player) => PLAYER << KIND_SHIFT | player,
            ToMove::Simultaneous => EACH << KIND_SHIFT,
            ToMove::Chance => CHANCE << KIND_SHIFT | self.distribution_of(mark.probabilities),
        };
        self.nodes.push(code);
        self.reached = mark.next.iter().fold(self.reached.max(mark.index + 1), |r, &to| r.max(to + 1));
        for (edge, _) in (self.successors.len()..).zip(mark.exchanged).filter(|(_, exchanged)| **exchanged) {
            self.exchanged.resize(edge / 64 + 1, 0);
            self.exchanged[edge / 64] |= 1 << (edge % 64);
        }
        self.successors.extend_from_slice(mark.next);
        self.row_starts.push(self.successors.len() as u32);
        self.simultaneous |= *mark.turn == ToMove::Simultaneous;
        ControlFlow::Continue(())
    }

    fn restart(&mut self) {
        *self = Arrays { row_starts: vec![0], until_win: self.until_win, ..Arrays::default() };
    }

    fn has_cycle(&self) -> bool {
        self.topological(self.reached as usize).is_none()
    }

    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        if self.until_win && self.won { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        let branching = self.successors.len() / self.nodes.len().max(1) + 1;
        bytes_after_growth(&self.nodes, extra)
            + bytes_after_growth(&self.row_starts, extra)
            + bytes_after_growth(&self.successors, extra * branching)
            + bytes_after_growth(&self.exchanged, 0)
            + bytes_after_growth(&self.probabilities, 0)
            + bytes_after_growth(&self.distributions, 0)
            + LABEL_BYTES_PER_POSITION * (u64::from(self.reached) + (extra * branching) as u64)
            + 4 * self.successors.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::limits::NoProgress;
    use bouton_base::random::SplitMix;

    use super::*;
    use crate::game::toy::ToyGame;

    fn graph(edges: &[Vec<usize>]) -> GameGraph {
        let mut toy = ToyGame::new(2);
        for (from, next) in edges.iter().enumerate() {
            match next.is_empty() {
                true => toy.over(from, 1),
                false => next.iter().for_each(|&to| toy.edge(from, to)),
            }
        }
        let game = toy.game();
        let scope = EnumerationScope::default();
        GameGraph::build(&game, &[game.machine.initial()], scope, &Limits::default(), &NoProgress)
            .expect("no position is faulty")
    }

    fn check_order(edges: &[Vec<usize>]) {
        let graph = graph(edges);
        let order = graph.topological().expect("the graph has no cycle");
        let mut places = vec![None; graph.len()];
        for (place, &position) in order.iter().enumerate() {
            assert_eq!(places[position as usize].replace(place), None);
        }
        for from in 0..graph.len() as u32 {
            for &to in graph.successors(from) {
                assert!(places[from as usize].unwrap() < places[to as usize].unwrap());
            }
        }
    }

    #[test]
    fn positions_come_before_their_successors() {
        // All lower numbers, from the greatest or from the least: a heap whose positions are discovered in order, and
        // one whose positions are discovered after their successors.
        let nodes = 200;
        check_order(&(0..nodes).map(|n| (n + 1..nodes).collect()).collect::<Vec<_>>());
        check_order(&(0..nodes).map(|n| (n + 1..nodes).rev().collect()).collect::<Vec<_>>());
        let mut random = SplitMix::new(7);
        for _ in 0..50 {
            let edges = (0..nodes).map(|n| {
                let count = if n + 1 == nodes { 0 } else { 1 + random.word() % 3 };
                let to = |_| n + 1 + random.word() as usize % (nodes - n - 1);
                (0..count).map(to).collect()
            });
            check_order(&edges.collect::<Vec<Vec<usize>>>());
        }
    }

    #[test]
    fn cycles_have_no_order() {
        assert!(graph(&[vec![1], vec![2, 3], vec![1], vec![]]).topological().is_none());
        assert!(graph(&[vec![0, 1], vec![]]).topological().is_none());
    }
}
