//! Dynamic programming on acyclic graphs: one pass in reverse topological order.
//!
//! Technique: backward induction in reverse topological order; the best move's value, the mean where chance acts. If
//! there are two results only, the And-Or form: the first player wins a position if some (at his positions) or all
//! (at the other's) of its successors are won.
//! Source: Zermelo (1913); Bellman (1957); Michie (1966) for means at chance positions.
//! Threads find the labels of the next positions together; those with a successor among these, few in this order, wait
//! for the thread that then writes all labels in order, and numbers new values.
//! Cost: time linear in moves; 4 bytes a position besides labels and graph.
//! Invariant: a position is labelled after all its successors. Means are exact. Labels and the numbers of values are the
//! same at any number of threads.
//! Not taken: recursion (plays can be long), floating-point means.

use std::cmp::Ordering;
use std::ops::Range;

use bouton_base::rational::Rational;
use rayon::prelude::*;

use super::graph::{GameGraph, GraphNode};
use super::graph_labelling::{GraphSolver, LabellingTask};
use super::labels::{BoundLabels, Labels, NO_LABEL};
use super::payoffs::PayoffModel;

/// The number of bits above which a mean is too long.
const MAX_BITS: u64 = 1 << 16;
/// The number of bits of all means that do not fit integers of 64 bits, from which on they are too long.
const MAX_TOTAL_BITS: u64 = 1 << 31;

/// The number of positions whose labels all threads find together.
const BATCH: usize = 1 << 15;
/// The number of positions that one thread takes at a time.
const CHUNK: usize = 1 << 9;
/// The number of labels that are written before the one that is prefetched.
const WRITTEN_AHEAD: usize = 16;

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
    let mut end = order.len();
    while end > 0 {
        let begin = end.saturating_sub(BATCH);
        pass.label_batch(order, begin..end)?;
        end = begin;
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
}

/// A label that is found, or what it waits for.
#[derive(Clone, Copy)]
enum FoundLabel {
    /// The index of a value, and the plies.
    Number(u32, u32),
    /// The value of this end, or of open positions.
    End(Option<u32>),
    /// The mean of a chance position: the next one of the list of means.
    Mean,
    /// Something that it depends on is not known yet.
    Waits,
}

/// The labels of a chunk of positions: for each position those of each side, one after another.
#[derive(Default)]
struct FoundLabels {
    labels: Vec<FoundLabel>,
    means: Vec<Rational>,
    /// A buffer: the indices of the values of a position's successors.
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
        BackwardPass { task, plies, sides, bits: 0 }
    }

    /// Labels the positions at these places of an order, the last one first; `None` if a mean is too long or a limit is
    /// reached.
    fn label_batch(&mut self, order: &[u32], batch: Range<usize>) -> Option<()> {
        self.approximate();
        let sides = self.sides.len();
        let find = |chunk: usize| {
            let end = batch.end - chunk * CHUNK;
            let mut found = FoundLabels::default();
            for place in (batch.start.max(end.saturating_sub(CHUNK))..end).rev() {
                let (order, place) = (&order[batch.start..], place - batch.start);
                for (number, side) in self.sides.iter().enumerate() {
                    prefetch_before(self.task.graph, &side.labels, order, place);
                    let label = self.find(number, order[place], &mut found);
                    found.labels.push(label);
                }
            }
            found
        };
        let chunks = (0..batch.len().div_ceil(CHUNK)).into_par_iter().map(find);
        let mut places = batch.clone().rev();
        for FoundLabels { labels, means, .. } in chunks.collect::<Vec<_>>() {
            let mut means = means.into_iter();
            for (labels, place) in labels.chunks_exact(sides).zip(&mut places) {
                if let Some(ahead) = place.checked_sub(WRITTEN_AHEAD) {
                    self.sides.iter().for_each(|side| side.labels.prefetch(order[ahead]));
                }
                for (side, label) in labels.iter().enumerate() {
                    match *label {
                        FoundLabel::Waits => self.label(side, order[place])?,
                        label => self.set(side, order[place], label, &mut means)?,
                    }
                }
            }
        }
        Some(())
    }

    /// Labels a position whose successors have their labels; `None` if its mean is too long or a limit is reached.
    fn label(&mut self, side: usize, position: u32) -> Option<()> {
        for place in self.task.graph.places(position).filter(|place| place.exchanged) {
            self.rest_of(side, place.index);
        }
        self.approximate();
        let mut found = FoundLabels::default();
        let label = self.find(side, position, &mut found);
        self.set(side, position, label, &mut found.means.into_iter())
    }

    /// Finds the label of a position; a mean is added to the list of means.
    fn find(&self, side: usize, position: u32, found: &mut FoundLabels) -> FoundLabel {
        let &LabellingTask { graph, stakes, .. } = self.task;
        let BackwardPassSide { labels, approximations, rest, .. } = &self.sides[side];
        let node = graph.node(position);
        let next = &mut found.next;
        if let GraphNode::Player(_) | GraphNode::Chance = node {
            let opposite = &self.sides[self.sides.len() - 1 - side].labels;
            next.clear();
            next.extend(graph.places(position).map(|place| match place.exchanged {
                true => rest.get(opposite.number(place.index) as usize).copied().unwrap_or(NO_LABEL),
                false => labels.number(place.index),
            }));
            if next.contains(&NO_LABEL) {
                return FoundLabel::Waits;
            }
        }
        match node {
            GraphNode::Over(outcome) => FoundLabel::End(Some(outcome)),
            GraphNode::Open => FoundLabel::End(None),
            GraphNode::Chance => {
                let values = next.iter().map(|&number| &labels.values()[number as usize]);
                found.means.push(Rational::sum_of_products(values.zip(graph.probabilities(position))));
                FoundLabel::Mean
            }
            GraphNode::Player(player) => {
                let Some(best) = best(labels, approximations, next, player) else { return FoundLabel::Waits };
                let to = graph.successors(position);
                let steps = if self.plies { steps(stakes, labels, to, player, best) } else { NO_LABEL };
                FoundLabel::Number(best, steps)
            }
            GraphNode::Each => FoundLabel::Waits,
        }
    }

    /// Writes a label, with the next of these means; `None` if it still waits, its mean is too long, or a limit is
    /// reached.
    fn set(
        &mut self,
        side: usize,
        position: u32,
        label: FoundLabel,
        means: &mut impl Iterator<Item = Rational>,
    ) -> Option<()> {
        let BackwardPassSide { open, labels, .. } = &mut self.sides[side];
        match label {
            FoundLabel::Number(number, steps) => labels.set_number(position, number, steps),
            FoundLabel::End(outcome) => {
                let payoff = outcome.map_or(*open, |outcome| &self.task.stakes.ends[outcome as usize]);
                labels.set(position, payoff, end_steps(self.plies));
            }
            FoundLabel::Mean => {
                let mean = means.next()?;
                self.bits += if mean.as_small().is_some() { 0 } else { mean.bits() };
                if mean.bits() > MAX_BITS || self.bits > MAX_TOTAL_BITS || self.task.limits.check().is_some()
                {
                    return None;
                }
                labels.set(position, &mean, NO_LABEL);
            }
            FoundLabel::Waits => return None,
        }
        Some(())
    }

    /// Approximates the values that are new.
    fn approximate(&mut self) {
        for BackwardPassSide { labels, approximations, .. } in &mut self.sides {
            approximations.extend(labels.values()[approximations.len()..].iter().map(Rational::to_f64));
        }
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
fn best(labels: &Labels, approximations: &[f64], next: &[u32], player: u32) -> Option<u32> {
    let wanted = if player == 0 { Ordering::Greater } else { Ordering::Less };
    let known = labels.values();
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
    next.iter().copied().reduce(|best, v| if v != best && compare(v, best) == wanted { v } else { best })
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
