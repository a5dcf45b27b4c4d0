//! Retrograde analysis: values of games whose positions can repeat, one or two players, no chance.
//!
//! Technique: backward induction from the ends of the game with a count of the moves not yet refuted; layer by layer
//! the *attractor* of each result, best first for the first player, then worst first for the second; the rest is
//! infinite play.
//! Source: Zermelo (1913) for the idea; Bellman (1965) and Thompson (1986) for the tables; Zielonka (1998) for
//! attractors as the general form.
//! Cost: time linear in moves plus results, whatever the number of results; 4 bytes a move and 12 a position besides
//! the graph.
//! Invariant: when a position gets a result, the player whom it favours can force at least that in as many plies as
//! its label says, and cannot force a better one (settled before).
//! Not taken: one pass for each result (a factor of the number of results), and value iteration until a fixpoint (a
//! factor of the longest play).

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::graph::{GameGraph, GraphNode};
use super::graph_labelling::GraphSolver;
use super::labels::{Labels, NO_LABEL};
use super::payoffs::PayoffModel;

/// Retrograde analysis.
pub const RETROGRADE: GraphSolver = GraphSolver {
    name: "retrograde",
    description: "retrograde analysis: backward induction from the ends, also where positions come back",
    misfit: |shape| {
        let reason = "chance acts: this method computes no means";
        shape.needs_finite_chance().or(shape.chance.then_some(reason))
    },
    picked: |shape| {
        (shape.endless && !shape.chance)
            .then_some("positions can come back, so the solver computes values backwards from the ends")
    },
    labels: |task| task.both(|open| Some(label(task.graph, task.stakes, open))),
    stops_at_win: false,
    open_reason: |_| None,
};

/// Labels every position with its value for the first player. Open positions count as ends worth `open`.
///
/// Precondition: no chance, no simultaneous moves; with two players, `stakes.infinite` is known or there is no cycle.
/// A position stays without a value if no end can be forced from it and infinite play has no known worth: a single
/// player who can never finish. Steps: plies to the forced end; none for results of infinite play.
pub fn label(graph: &GameGraph, stakes: &PayoffModel, open: &Rational) -> Labels {
    let rest = infinite_play_value(stakes);
    let mut values: Vec<Rational> = stakes.ends.clone();
    values.extend(rest.clone());
    if !graph.is_complete() {
        values.push(open.clone());
    }
    values.sort_unstable();
    values.dedup();
    let number = |v: &Rational| values.binary_search(v).expect("a value collected above") as u32;
    let half = &stakes.sum / Rational::from_integer(2);
    let side = rest.as_ref().map(|v| (number(v), v.cmp(&half)));
    let rest = rest.as_ref().map(number);
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); values.len()];
    for position in 0..graph.len() as u32 {
        match graph.node(position) {
            GraphNode::Over(outcome) => ends[number(&stakes.ends[outcome as usize]) as usize].push(position),
            GraphNode::Open => ends[number(open) as usize].push(position),
            _ => {}
        }
    }
    let labels = Labels::new(graph.len(), values);
    let mut pass = AttractorPass {
        graph,
        predecessors: Predecessors::of(graph),
        unrefuted: unrefuted_moves(graph),
        labels,
    };
    let results = ends.len() as u32;
    let (low, high) = bounds(side, results);
    for result in (high..results).rev() {
        pass.attract(result, 0, &ends[result as usize]);
    }
    for result in 0..low {
        pass.attract(result, 1, &ends[result as usize]);
    }
    let mut labels = pass.labels;
    if let Some(rest) = rest {
        for &end in &ends[rest as usize] {
            labels.set_number(end, rest, 0);
        }
        for position in 0..graph.len() as u32 {
            if labels.number(position) == NO_LABEL {
                labels.set_number(position, rest, NO_LABEL);
            }
        }
    }
    labels
}

/// Returns the worth of the positions from which neither player forces better: that of infinite play. If the game is
/// finite, any number will do; the middle separates the results that each player hurries to.
fn infinite_play_value(stakes: &PayoffModel) -> Option<Rational> {
    stakes.infinite.clone().or((stakes.players == 2).then(|| &stakes.sum / Rational::from_integer(2)))
}

/// Returns two indices of results: the second player forces results below the first index, the first player those
/// from the second index on. If infinite play is the best result for a player, the analysis also settles whether he
/// can force that result in finite time, so that a win that can be finished has its plies.
fn bounds(rest: Option<(u32, Ordering)>, results: u32) -> (u32, u32) {
    match rest {
        None => (0, 0),
        Some((v, Ordering::Greater)) if v + 1 == results => (v, v),
        Some((0, Ordering::Less)) => (1, 1),
        Some((v, _)) => (v, v + 1),
    }
}

/// Returns for each position the number of moves not yet known to lead to the current result, or to one worse for its
/// mover: at first, all of them.
fn unrefuted_moves(graph: &GameGraph) -> Vec<u32> {
    (0..graph.len() as u32).map(|p| graph.successors(p).len() as u32).collect()
}

struct AttractorPass<'a> {
    graph: &'a GameGraph,
    predecessors: Predecessors,
    unrefuted: Vec<u32>,
    labels: Labels,
}

impl AttractorPass<'_> {
    /// Labels all positions from which `player` forces this result, once the better results are labelled.
    fn attract(&mut self, result: u32, player: u32, ends: &[u32]) {
        let mut queue: Vec<(u32, u32)> = Vec::with_capacity(ends.len());
        for &end in ends {
            self.labels.set_number(end, result, 0);
            queue.push((end, 0));
        }
        let mut done = 0;
        while done < queue.len() {
            let (position, steps) = queue[done];
            done += 1;
            for &before in self.predecessors.of_position(position) {
                if self.labels.number(before) != NO_LABEL {
                    continue;
                }
                let forced = match self.graph.node(before) {
                    GraphNode::Player(owner) if owner == player => true,
                    GraphNode::Player(_) => {
                        self.unrefuted[before as usize] -= 1;
                        self.unrefuted[before as usize] == 0
                    }
                    _ => false,
                };
                if forced {
                    self.labels.set_number(before, result, steps + 1);
                    queue.push((before, steps + 1));
                }
            }
        }
    }
}

/// The predecessors of each position, once for each move.
pub(super) struct Predecessors {
    first: Vec<u32>,
    from: Vec<u32>,
}

impl Predecessors {
    pub(super) fn of(graph: &GameGraph) -> Self {
        let mut first = vec![0u32; graph.len() + 1];
        let each =
            || (0..graph.len() as u32).flat_map(|p| graph.successors(p).iter().map(move |&to| (p, to)));
        for (_, to) in each() {
            first[to as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut from = vec![0u32; graph.edges()];
        let mut room = first.clone();
        for (p, to) in each() {
            from[room[to as usize] as usize] = p;
            room[to as usize] += 1;
        }
        Predecessors { first, from }
    }

    pub(super) fn of_position(&self, position: u32) -> &[u32] {
        let p = position as usize;
        &self.from[self.first[p] as usize..self.first[p + 1] as usize]
    }
}
