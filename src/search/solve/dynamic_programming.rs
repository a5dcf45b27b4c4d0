//! Dynamic programming on acyclic graphs: one pass in reverse topological order.
//!
//! Technique: backward induction in reverse topological order; the best move's value, the mean where chance acts. If
//! there are two results only, the And-Or form: the first player wins a position if some (at his positions) or all
//! (at the other's) of its successors are won.
//! Source: Zermelo (1913); Bellman (1957); Michie (1966) for means at chance positions.
//! Cost: time linear in moves; 4 bytes a position besides labels and graph.
//! Invariant: a position is labelled after all its successors. Means are exact.
//! Not taken: recursion (plays can be long), floating-point means.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::graph::{GameGraph, GraphNode};
use super::graph_labelling::{GraphSolver, LabellingTask};
use super::labels::{BoundLabels, Labels, NO_LABEL};
use super::payoffs::PayoffModel;

/// The number of bits above which a mean is too long.
const MAX_BITS: u64 = 1 << 16;
/// The number of bits of all means that do not fit integers of 64 bits, from which on they are too long.
const MAX_TOTAL_BITS: u64 = 1 << 31;

/// The share of their size from which two approximations differ clearly.
const CLEARLY_DIFFERENT: f64 = 1e-12;

/// Dynamic programming.
pub const DP: GraphSolver = GraphSolver {
    name: "dp",
    description: "dynamic programming: one pass over the graph of a finite game, also with chance",
    misfit: |shape| shape.needs_finite(),
    picked: |shape| {
        Some(match shape.chance {
            true => "the game is finite and chance acts, so one pass from the ends gives exact means",
            false => "the game is finite, so one pass from the ends gives every value",
        })
    },
    labels: dp,
    stops_at_win: false,
    open_reason: |_| None,
};

/// And-Or.
pub const AND_OR: GraphSolver = GraphSolver {
    name: "and-or",
    description: "And-Or: one pass over the graph of a finite game with two results",
    misfit: |shape| {
        let reason = "the game does not have exactly two results, or not all positions were searched";
        shape.needs_finite().or((!shape.two_results).then_some(reason))
    },
    picked: |shape| {
        (shape.two_results && !shape.endless && !shape.one_player)
            .then_some("the game is finite and has two results, so one And-Or pass from the ends decides")
    },
    labels: |task| task.both(|_| and_or(task.graph, task.stakes, task.order?)),
    ..DP
};

/// Labels every position by dynamic programming.
///
/// The order of the task is [`GameGraph::topological`]; there are no simultaneous moves. Returns `None` if means become
/// too long or a limit is reached.
/// Steps: plies if all ends are wins, losses or draws and there is no chance; otherwise none.
fn dp(task: &LabellingTask<'_>) -> Option<BoundLabels> {
    let (graph, order) = (task.graph, task.order?);
    let open = if graph.is_complete() { vec![&task.low] } else { vec![&task.low, &task.high] };
    let mut pass = BackwardPass::new(task, open);
    for (place, &position) in order.iter().enumerate().rev() {
        pass.sides.iter().for_each(|side| prefetch_before(graph, &side.labels, order, place));
        for side in 0..pass.sides.len() {
            pass.label(side, position)?;
        }
    }
    let mut sides = pass.sides.into_iter().map(|side| side.labels);
    Some(BoundLabels { low: sides.next()?, high: sides.next(), horizon: None })
}

/// A pass of dynamic programming over a graph.
struct BackwardPass<'g> {
    task: &'g LabellingTask<'g>,
    /// True if plies are counted.
    plies: bool,
    /// The labels with open positions as bad for the first player as they can be, then, if there are any, those with
    /// open positions as good as they can be.
    sides: Vec<BackwardPassSide<'g>>,
    /// The number of bits of the means that do not fit integers of 64 bits.
    bits: u64,
    /// The indices of the values of a position's successors.
    next: Vec<u32>,
}

/// The labels for one worth of open positions.
struct BackwardPassSide<'g> {
    open: &'g Rational,
    labels: Labels,
    /// By index of a value: the value in floating point.
    approximations: Vec<f64>,
    /// By index of a value among those of the opposite side: the index of what it leaves of the sum; [`NO_LABEL`] if it
    /// was not needed yet.
    rest: Vec<u32>,
}

impl<'g> BackwardPass<'g> {
    fn new(task: &'g LabellingTask<'g>, open: Vec<&'g Rational>) -> BackwardPass<'g> {
        let plies = task.stakes.win_loss && !task.graph.has_chance();
        let side = |open| BackwardPassSide {
            open,
            labels: Labels::new(task.graph.len(), Vec::new()),
            approximations: Vec::new(),
            rest: Vec::new(),
        };
        let sides = open.into_iter().map(side).collect();
        BackwardPass { task, plies, sides, bits: 0, next: Vec::new() }
    }

    /// Labels a position whose successors have their labels; `None` if its mean is too long or a limit is reached.
    fn label(&mut self, side: usize, position: u32) -> Option<()> {
        let &LabellingTask { graph, stakes, limits, .. } = self.task;
        match graph.node(position) {
            GraphNode::Over(outcome) => {
                let payoff = &stakes.ends[outcome as usize];
                self.sides[side].labels.set(position, payoff, end_steps(self.plies));
            }
            GraphNode::Open => {
                let BackwardPassSide { open, labels, .. } = &mut self.sides[side];
                labels.set(position, open, end_steps(self.plies));
            }
            GraphNode::Chance => {
                self.read_next(side, position);
                let values = self.sides[side].labels.values();
                let values = self.next.iter().map(|&number| values.get(number as usize));
                let values: Vec<&Rational> = values.collect::<Option<_>>()?;
                let mean = Rational::sum_of_products(values.into_iter().zip(graph.probabilities(position)));
                self.bits += if mean.as_small().is_some() { 0 } else { mean.bits() };
                if mean.bits() > MAX_BITS || self.bits > MAX_TOTAL_BITS || limits.check().is_some() {
                    return None;
                }
                self.sides[side].labels.set(position, &mean, NO_LABEL);
            }
            GraphNode::Player(player) => {
                self.read_next(side, position);
                let BackwardPassSide { labels, approximations, .. } = &mut self.sides[side];
                let best = best(labels, approximations, &self.next, player)?;
                let next = graph.successors(position);
                let steps = if self.plies { steps(stakes, labels, next, player, best) } else { NO_LABEL };
                labels.set_number(position, best, steps);
            }
            GraphNode::Each => return None,
        }
        Some(())
    }

    /// Reads the values of a position's successors into `next`.
    fn read_next(&mut self, side: usize, position: u32) {
        let (graph, mut next) = (self.task.graph, std::mem::take(&mut self.next));
        next.clear();
        next.extend(graph.places(position).map(|place| match place.exchanged {
            true => self.rest_of(side, place.index),
            false => self.sides[side].labels.number(place.index),
        }));
        self.next = next;
    }

    /// Returns the index of what the value of a position leaves of the sum. Where the position is worth the least that
    /// it can be, the rest is the most that it can be, so the values are those of the opposite side.
    fn rest_of(&mut self, side: usize, position: u32) -> u32 {
        let opposite = &self.sides[self.sides.len() - 1 - side].labels;
        let number = opposite.number(position);
        if let Some(&known) = self.sides[side].rest.get(number as usize).filter(|known| **known != NO_LABEL) {
            return known;
        }
        let Some(value) = opposite.value(position) else { return NO_LABEL };
        let rest = &self.task.stakes.sum - value;
        let BackwardPassSide { labels, rest: known, .. } = &mut self.sides[side];
        let found = labels.number_of(&rest);
        known.resize(known.len().max(number as usize + 1), NO_LABEL);
        known[number as usize] = found;
        found
    }
}

/// Prefetches the labels that the pass over `order` from its end reads some positions after this place.
fn prefetch_before(graph: &GameGraph, labels: &Labels, order: &[u32], place: usize) {
    let ahead = |positions| Some(order[place.checked_sub(positions)?]);
    graph.prefetch(ahead, |to| labels.prefetch(to));
}

fn end_steps(plies: bool) -> u32 {
    if plies { 0 } else { NO_LABEL }
}

/// Returns the index of the value of the player's best move; `next` are the indices of the values of all moves.
fn best(labels: &Labels, approximations: &mut Vec<f64>, next: &[u32], player: u32) -> Option<u32> {
    let wanted = if player == 0 { Ordering::Greater } else { Ordering::Less };
    let known = labels.values();
    approximations.extend(known[approximations.len()..].iter().map(Rational::to_f64));
    let compare = |a: u32, b: u32| {
        let [a, b] = [a as usize, b as usize];
        let (difference, size) =
            (approximations[a] - approximations[b], approximations[a].abs() + approximations[b].abs());
        // Each approximation is off by less than 2^-50 of its size.
        match difference.abs() > size * CLEARLY_DIFFERENT {
            true => difference.total_cmp(&0.0),
            false => known[a].cmp(&known[b]),
        }
    };
    let values = next.iter().copied().filter(|&number| number != NO_LABEL);
    values.reduce(|best, v| if v != best && compare(v, best) == wanted { v } else { best })
}

/// Returns one ply more than the player's move that wins soonest or loses latest; [`NO_LABEL`] for draws. `next` are
/// the successors, `value` is the index of the best of theirs.
fn steps(stakes: &PayoffModel, labels: &Labels, next: &[u32], player: u32, value: u32) -> u32 {
    let kept = next.iter().filter(|&&to| labels.number(to) == value);
    let plies = kept.filter_map(|&to| labels.steps(to));
    let plies = match stakes.favoured(&labels.values()[value as usize]) {
        None => return NO_LABEL,
        Some(favoured) if favoured == player => plies.min(),
        Some(_) => plies.max(),
    };
    plies.map_or(NO_LABEL, |p| p + 1)
}

/// Labels every position of a game with two results, by And-Or.
///
/// Precondition: two different ends, no chance, no open positions, no exchanged players, `order` as for dynamic
/// programming; otherwise the result is `None`.
pub fn and_or(graph: &GameGraph, stakes: &PayoffModel, order: &[u32]) -> Option<Labels> {
    let (lost, won) = two_results(stakes)?;
    let mut labels = Labels::new(graph.len(), vec![lost, won.clone()]);
    for (place, &position) in order.iter().enumerate().rev() {
        prefetch_before(graph, &labels, order, place);
        let next = graph.successors(position);
        let is_won = |&to: &u32| labels.number(to) == 1;
        let (won_here, owner) = match graph.node(position) {
            GraphNode::Over(outcome) => (stakes.ends[outcome as usize] == won, NO_LABEL),
            GraphNode::Player(0) => (next.iter().any(is_won), 0),
            GraphNode::Player(_) => (next.iter().all(is_won), 1),
            GraphNode::Each | GraphNode::Chance | GraphNode::Open => return None,
        };
        let plies = next.iter().filter(|to| is_won(to) == won_here).filter_map(|&to| labels.steps(to));
        let hurries = (owner == 0) == won_here;
        let plies = if hurries { plies.min() } else { plies.max() };
        labels.set_number(position, u32::from(won_here), plies.map_or(0, |p| p + 1));
    }
    Some(labels)
}

/// Returns the worse and the better of two results; `None` if there are not exactly two.
pub fn two_results(stakes: &PayoffModel) -> Option<(Rational, Rational)> {
    let low = stakes.ends.iter().min()?;
    let high = stakes.ends.iter().max()?;
    let two = low < high && stakes.ends.iter().all(|v| v == low || v == high);
    (two && stakes.win_loss).then(|| (low.clone(), high.clone()))
}
