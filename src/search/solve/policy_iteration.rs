//! Policy iteration: exact means where positions can come back; bounds very close to them where fractions grow too long.
//!
//! Technique: the strongly connected components of the graph, each after those that it leads to. In a component, sweeps
//! in floating point propose a move for each position; a linear system gives the exact values of these policies, and
//! exact comparisons improve them: first the second player's, until it answers best, then the first player's.
//! Infinite play has its value: positions that the policies never leave are worth it, and a player who likes infinite
//! play better than the value of his position stays where moves that keep the value allow it. Fractions that become too
//! long are rounded between components, down for a lower bound and up for an upper one.
//! Source: Howard (1960); Hoffman and Karp (1966) for two players; de Alfaro (1997) for end components, positions that
//! players can stay in for ever; Everett (1957) for the value of infinite play.
//! Cost: linear in moves besides the linear systems; few rounds, since the proposed policies are nearly always best.
//! Invariant: the labels satisfy the equation of each position, and each player has ranks: they decrease along the play
//! of his policy as long as the value stays the same, so that infinite play does not take from him what his position is
//! worth. Without ranks there is no answer.
//! Not taken: floating-point values, and removing end components before the iteration (where both players move, they
//! depend on the values).

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;

use super::components::Components;
use super::graph::{GameGraph, GraphNode};
use super::graph_labelling::{GraphSolver, LabellingTask};
use super::labels::{BoundLabels, Labels, NO_LABEL};
use super::linear_system::{self, Equation};
use super::retrograde::Predecessors;
use bouton_base::rational::Rational;

/// The number of bits above which a fraction makes exact values too costly.
const MAX_BITS: u64 = 1024;
/// The number of bits of all exact values past 63 bits together, from which on they are too costly.
const MAX_TOTAL_BITS: u64 = 1 << 30;
/// The number of binary digits after the point of rounded values.
const FRACTION_BITS: u32 = 60;
/// The maximal number of sweeps that propose policies for a component.
const MAX_SWEEPS: u32 = 200;
/// The change of a sweep at which the proposal is taken.
const SETTLED: f64 = 1e-11;
/// The difference of values in floating point from which on it decides a comparison.
const CLEAR_DIFFERENCE: f64 = 1e-9;
/// The maximal number of improvements in a component.
const MAX_ROUNDS: u32 = 1000;

/// The reason for policy iteration over a finite game.
pub(super) const FALLBACK_REASON: &str = "chance acts and exact means are too long, so they are enclosed";

/// Policy iteration.
pub const POLICY: GraphSolver = GraphSolver {
    name: "policy",
    description: "policy iteration: exact means, also where positions come back",
    misfit: |_| None,
    picked: |shape| {
        (shape.chance && shape.endless).then_some(
            "chance acts and positions can come back, so policies are improved until none is better",
        )
    },
    labels: label,
    stops_at_win: false,
    open_reason: |_| Some("the value is enclosed, not exact".into()),
};

fn label(task: &LabellingTask<'_>) -> Option<BoundLabels> {
    let components = Components::of(task.graph);
    let infinite = infinite_value(task);
    let pass = |open, rounding| {
        let infinite = infinite.as_ref();
        PolicyPass { task, components: &components, infinite, open, rounding, bits: 0 }.run()
    };
    let complete = task.graph.is_complete();
    if let Some(values) = pass(&task.low, None) {
        let mut low = labels(&values);
        if complete {
            low.progress = Some(progress(task, &values, infinite.as_ref())?);
            return Some(BoundLabels { low, high: None, horizon: None });
        }
        if let Some(high) = pass(&task.high, None) {
            return Some(BoundLabels { low, high: Some(labels(&high)), horizon: None });
        }
    }
    let bounds = [pass(&task.low, Some(Rounding::Down))?, pass(&task.high, Some(Rounding::Up))?];
    let mut both = bounds.each_ref().map(|values| labels(values));
    if complete {
        let predecessors = Predecessors::of(task.graph);
        let alone = task.stakes.players == 1;
        for (player, (labels, values)) in (0..).zip(both.iter_mut().zip(&bounds)) {
            let guarantee = PolicyGuarantee { player, infinite: infinite.as_ref(), alone };
            // Each player is sure of one of the bounds, and only a certificate needs the ranks.
            labels.progress = guarantee.ranks(task.graph, values, &predecessors).map(|ranks| {
                let none = vec![NO_LABEL; ranks.len()];
                if player == 0 { [ranks, none] } else { [none, ranks] }
            });
        }
    }
    let [low, high] = both;
    Some(BoundLabels { low, high: Some(high), horizon: None })
}

fn labels(values: &[Rational]) -> Labels {
    let mut labels = Labels::new(values.len(), Vec::new());
    for (position, value) in values.iter().enumerate() {
        labels.set(position as u32, value, NO_LABEL);
    }
    labels
}

#[derive(Clone, Copy)]
enum Rounding {
    Down,
    Up,
}

impl Rounding {
    /// Returns the number with few digits, at most or at least as large.
    fn round(self, number: &Rational) -> Rational {
        let scaled = number.numerator() << FRACTION_BITS;
        let denominator = number.denominator();
        let whole = match self {
            Rounding::Down => scaled.div_floor(&denominator),
            Rounding::Up => scaled.div_ceil(&denominator),
        };
        Rational::from(whole) / Rational::from(BigInt::from(1) << FRACTION_BITS)
    }
}

/// A computation of values with these worths of open positions and of infinite play.
struct PolicyPass<'a> {
    task: &'a LabellingTask<'a>,
    components: &'a Components,
    infinite: Option<&'a Rational>,
    open: &'a Rational,
    /// The direction to round; `None` for exact values.
    rounding: Option<Rounding>,
    /// The bits of all values so far.
    bits: u64,
}

/// The values of the positions so far, and their policies.
struct PolicyValues {
    exact: Vec<Rational>,
    float: Vec<f64>,
    /// By position of a player: the index of the move of his policy.
    choice: Vec<u32>,
}

impl PolicyValues {
    fn set(&mut self, position: u32, value: Rational) {
        self.float[position as usize] = value.to_f64();
        self.exact[position as usize] = value;
    }

    /// Compares the values of two positions.
    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        let difference = self.float[a] - self.float[b];
        if difference.abs() > CLEAR_DIFFERENCE * (1.0 + self.float[a].abs()) {
            return difference.total_cmp(&0.0);
        }
        self.exact[a].cmp(&self.exact[b])
    }

    /// Compares two positions by their worth to a player.
    fn compare_for(&self, player: u32, a: u32, b: u32) -> Ordering {
        if player == 0 { self.compare(a, b) } else { self.compare(b, a) }
    }
}

impl PolicyPass<'_> {
    /// Returns the values of all positions; `None` if numbers become too long or a limit is reached, or if there is no
    /// answer.
    fn run(mut self) -> Option<Vec<Rational>> {
        let positions = self.task.graph.len();
        let mut values = PolicyValues {
            exact: vec![Rational::ZERO; positions],
            float: vec![0.0; positions],
            choice: vec![0; positions],
        };
        for component in self.components.iter() {
            if self.task.limits.check().is_some() {
                return None;
            }
            match *component {
                [only] if !self.task.graph.successors(only).contains(&only) => {
                    let value = self.value_by_successors(&values, only)?;
                    values.set(only, value);
                }
                _ => {
                    self.solve_component(&mut values, component)?;
                    self.check_guarantees(&values, component)?;
                }
            }
            for &position in component {
                if !matches!(self.task.graph.node(position), GraphNode::Over(_)) {
                    self.shorten(&mut values, position)?;
                }
            }
        }
        Some(values.exact)
    }

    /// Rounds the value of a position if it is too long; `None` if exact values are required.
    fn shorten(&mut self, values: &mut PolicyValues, position: u32) -> Option<()> {
        let bits = values.exact[position as usize].bits();
        match self.rounding {
            Some(rounding) if bits > u64::from(FRACTION_BITS) => {
                let rounded = rounding.round(&values.exact[position as usize]);
                values.set(position, rounded);
                Some(())
            }
            Some(_) => Some(()),
            None => {
                self.bits += if bits > 63 { bits } else { 0 };
                (bits <= MAX_BITS && self.bits <= MAX_TOTAL_BITS).then_some(())
            }
        }
    }

    fn value_by_successors(&self, values: &PolicyValues, position: u32) -> Option<Rational> {
        let graph = self.task.graph;
        let next = graph.successors(position);
        match graph.node(position) {
            GraphNode::Over(outcome) => Some(self.task.stakes.ends[outcome as usize].clone()),
            GraphNode::Open => Some(self.open.clone()),
            GraphNode::Each => None,
            GraphNode::Player(player) => {
                let best = next
                    .iter()
                    .copied()
                    .reduce(|best, to| if values.compare_for(player, to, best).is_gt() { to } else { best });
                Some(values.exact[best? as usize].clone())
            }
            GraphNode::Chance => {
                let shares = graph.probabilities(position);
                let values = next.iter().map(|&to| &values.exact[to as usize]);
                Some(Rational::sum_of_products(values.zip(shares)))
            }
        }
    }

    /// Computes the values in a component, once those of the positions behind it are known.
    fn solve_component(&self, values: &mut PolicyValues, component: &[u32]) -> Option<()> {
        self.propose(values, component);
        for _ in 0..MAX_ROUNDS {
            if self.task.limits.check().is_some() {
                return None;
            }
            self.evaluate(values, component)?;
            // The second player answers as well as he can before the first player improves.
            let improved = [1, 0].into_iter().any(|player| {
                self.improve(values, component, player) || self.stall(values, component, player)
            });
            if !improved {
                return Some(());
            }
        }
        None
    }

    /// Returns `None` if endless play in a component could take its value from a player whom the bounds concern. The
    /// ranks of the whole graph show this for exact values of a complete one.
    fn check_guarantees(&self, values: &PolicyValues, component: &[u32]) -> Option<()> {
        let players: &[u32] = match self.rounding {
            None if self.task.graph.is_complete() => &[],
            None => &[0, 1],
            Some(Rounding::Down) => &[0],
            Some(Rounding::Up) => &[1],
        };
        let (infinite, alone) = (self.infinite, self.task.stakes.players == 1);
        let leads =
            |&player: &u32| self.leads_on(values, component, PolicyGuarantee { player, infinite, alone });
        players.iter().all(leads).then_some(())
    }

    /// Returns true if moves of the guarantee's player that keep the value lead, with positive probability at each chance
    /// node, to another value or out of the component, wherever endless play would be worse for him.
    fn leads_on(&self, values: &PolicyValues, component: &[u32], guarantee: PolicyGuarantee<'_>) -> bool {
        let graph = self.task.graph;
        let opposes =
            |at: u32| matches!(graph.node(at), GraphNode::Player(owner) if owner != guarantee.player);
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); component.len()];
        let mut waiting = vec![0u32; component.len()];
        let mut ranked = vec![false; component.len()];
        for (from, &position) in component.iter().enumerate() {
            let (mut changes, mut leaves) = (false, false);
            for &to in graph.successors(position) {
                if values.compare(position, to).is_ne() {
                    changes = true;
                } else if let Some(place) = self.components.place(position, to) {
                    before[place].push(from as u32);
                    waiting[from] += 1;
                } else {
                    leaves = true;
                }
            }
            ranked[from] = match graph.node(position) {
                GraphNode::Chance => changes || leaves,
                _ if opposes(position) => waiting[from] == 0,
                _ => leaves,
            };
        }
        let mut ahead: Vec<usize> = (0..component.len()).filter(|&place| ranked[place]).collect();
        while let Some(place) = ahead.pop() {
            for &from in &before[place] {
                let from = from as usize;
                waiting[from] -= 1;
                if !ranked[from] && (waiting[from] == 0 || !opposes(component[from])) {
                    ranked[from] = true;
                    ahead.push(from);
                }
            }
        }
        let holds =
            |(place, &at): (usize, &u32)| ranked[place] || !guarantee.needs_end(&values.exact[at as usize]);
        component.iter().enumerate().all(holds)
    }

    /// Chooses moves by sweeps in floating point.
    fn propose(&self, values: &mut PolicyValues, component: &[u32]) {
        let graph = self.task.graph;
        let start = self.infinite.map_or(0.0, Rational::to_f64);
        for &position in component {
            values.float[position as usize] = start;
        }
        let shares = |&at: &u32| graph.probabilities(at).iter().map(Rational::to_f64).collect();
        let shares: Vec<Vec<f64>> = component.iter().map(shares).collect();
        for _ in 0..MAX_SWEEPS {
            let mut change: f64 = 0.0;
            for (&position, shares) in component.iter().zip(&shares) {
                let worth = graph.successors(position).iter().map(|&to| values.float[to as usize]);
                let new = match graph.node(position) {
                    GraphNode::Player(0) => worth.fold(f64::NEG_INFINITY, f64::max),
                    GraphNode::Player(_) => worth.fold(f64::INFINITY, f64::min),
                    _ => worth.zip(shares).map(|(worth, share)| worth * share).sum(),
                };
                change = change.max((new - values.float[position as usize]).abs());
                values.float[position as usize] = new;
            }
            if change < SETTLED {
                break;
            }
        }
        for &position in component {
            let GraphNode::Player(player) = graph.node(position) else { continue };
            let next = graph.successors(position);
            let key =
                |to: u32| if player == 0 { values.float[to as usize] } else { -values.float[to as usize] };
            let most = next.iter().map(|&to| key(to)).fold(f64::NEG_INFINITY, f64::max);
            // Of moves that look equal, one that leaves the component ends sooner.
            let equal = |&edge: &usize| key(next[edge]) >= most - CLEAR_DIFFERENCE;
            let leaves = |&edge: &usize| !self.components.same(position, next[edge]);
            let choice = (0..next.len()).filter(equal).find(leaves).or((0..next.len()).find(equal));
            values.choice[position as usize] = choice.unwrap_or(0) as u32;
        }
    }

    /// Returns the successors that play by the policies can reach from a position.
    fn followed<'s>(&'s self, values: &PolicyValues, position: u32) -> &'s [u32] {
        let next = self.task.graph.successors(position);
        match self.task.graph.node(position) {
            GraphNode::Player(_) => {
                let choice = values.choice[position as usize] as usize;
                &next[choice..=choice]
            }
            _ => next,
        }
    }

    /// Computes the exact values of the policies.
    fn evaluate(&self, values: &mut PolicyValues, component: &[u32]) -> Option<()> {
        let graph = self.task.graph;
        let leaving = self.leaving(values, component);
        let mut unknown = vec![NO_LABEL; component.len()];
        let mut listed = Vec::new();
        for (place, &position) in component.iter().enumerate() {
            if leaving[place] {
                unknown[place] = listed.len() as u32;
                listed.push(position);
            }
        }
        let worth = self.infinite.cloned().unwrap_or_else(|| self.middle());
        let mut equations = Vec::with_capacity(listed.len());
        for &position in &listed {
            let mut equation = Equation::default();
            let shares = graph.probabilities(position);
            for (edge, &to) in self.followed(values, position).iter().enumerate() {
                let share = shares.get(edge).cloned().unwrap_or(Rational::ONE);
                match self.components.place(position, to) {
                    Some(place) if leaving[place] => equation.terms.push((unknown[place], share)),
                    Some(_) => equation.constant += &worth * share,
                    None => equation.constant += &values.exact[to as usize] * share,
                }
            }
            equations.push(equation);
        }
        let solution = linear_system::solve(&equations, self.task.limits)?;
        for (place, &position) in component.iter().enumerate() {
            if !leaving[place] {
                values.set(position, worth.clone());
            }
        }
        for (position, value) in listed.into_iter().zip(solution) {
            values.set(position, value);
        }
        Some(())
    }

    /// Returns a value between the least and the greatest payoff.
    fn middle(&self) -> Rational {
        (&self.task.low + &self.task.high) / Rational::from_integer(2)
    }

    /// Returns by place in the component: true if play by the policies may leave it from there.
    fn leaving(&self, values: &PolicyValues, component: &[u32]) -> Vec<bool> {
        let mut leaving = vec![false; component.len()];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); component.len()];
        let mut ahead = Vec::new();
        for (from, &position) in component.iter().enumerate() {
            for &to in self.followed(values, position) {
                match self.components.place(position, to) {
                    Some(place) => before[place].push(from as u32),
                    None if !leaving[from] => {
                        leaving[from] = true;
                        ahead.push(from as u32);
                    }
                    None => {}
                }
            }
        }
        while let Some(place) = ahead.pop() {
            for &from in &before[place as usize] {
                if !std::mem::replace(&mut leaving[from as usize], true) {
                    ahead.push(from);
                }
            }
        }
        leaving
    }

    /// Changes the moves of a player that are not best; returns true if there were any.
    fn improve(&self, values: &mut PolicyValues, component: &[u32], player: u32) -> bool {
        let mut changed = false;
        for &position in component.iter().filter(|&&at| self.task.graph.node(at) == GraphNode::Player(player))
        {
            let next = self.task.graph.successors(position);
            let mut best = values.choice[position as usize];
            for (edge, &to) in next.iter().enumerate() {
                if values.compare_for(player, to, next[best as usize]).is_gt() {
                    best = edge as u32;
                }
            }
            if values.compare_for(player, next[best as usize], position).is_gt() {
                values.choice[position as usize] = best;
                changed = true;
            }
        }
        changed
    }

    /// Makes a player stay where moves that keep the value allow him to play for ever, although he likes infinite play
    /// better than the value; returns true if that changes a move.
    fn stall(&self, values: &mut PolicyValues, component: &[u32], player: u32) -> bool {
        let Some(infinite) = self.infinite else { return false };
        let wanted = if player == 0 { Ordering::Less } else { Ordering::Greater };
        let inside = |values: &PolicyValues, position: u32, to: u32| {
            let place = self.components.place(position, to)?;
            values.compare(position, to).is_eq().then_some(place)
        };
        let mut staying: Vec<bool> =
            component.iter().map(|&at| values.exact[at as usize].cmp(infinite) == wanted).collect();
        loop {
            let mut changed = false;
            for (place, &position) in component.iter().enumerate() {
                if !staying[place] {
                    continue;
                }
                let stays =
                    |staying: &[bool], to: u32| inside(values, position, to).is_some_and(|to| staying[to]);
                let keeps = match self.task.graph.node(position) {
                    GraphNode::Player(owner) if owner == player => {
                        self.task.graph.successors(position).iter().any(|&to| stays(&staying, to))
                    }
                    _ => self.followed(values, position).iter().all(|&to| stays(&staying, to)),
                };
                if !keeps {
                    staying[place] = false;
                    changed = true;
                }
            }
            if !changed || self.task.limits.check().is_some() {
                break;
            }
        }
        let mut changed = false;
        for (_, &position) in component.iter().enumerate().filter(|&(place, _)| staying[place]) {
            if self.task.graph.node(position) != GraphNode::Player(player) {
                continue;
            }
            let next = self.task.graph.successors(position);
            let stays = |&edge: &usize| inside(values, position, next[edge]).is_some_and(|to| staying[to]);
            if !stays(&(values.choice[position as usize] as usize))
                && let Some(edge) = (0..next.len()).find(stays)
            {
                values.choice[position as usize] = edge as u32;
                changed = true;
            }
        }
        changed
    }
}

/// Returns by player the ranks of the positions: along the play of his policy a rank decreases as long as the value
/// stays the same, whatever the other does, with positive probability at each chance node. Positions where infinite
/// play is as good for him as the value have none. Returns `None` if another position has none either.
fn progress(
    task: &LabellingTask<'_>,
    values: &[Rational],
    infinite: Option<&Rational>,
) -> Option<[Vec<u32>; 2]> {
    let predecessors = Predecessors::of(task.graph);
    let alone = task.stakes.players == 1;
    let [first, second] = [0, 1]
        .map(|player| PolicyGuarantee { player, infinite, alone }.ranks(task.graph, values, &predecessors));
    Some([first?, second?])
}

/// The guarantee of a player that his position is worth its value to him, whatever infinite play is worth.
struct PolicyGuarantee<'v> {
    player: u32,
    infinite: Option<&'v Rational>,
    /// True if there is one player; then nobody opposes him, and without a rule, infinite play does not give him more than
    /// any bound.
    alone: bool,
}

impl PolicyGuarantee<'_> {
    /// Returns true if infinite play from a position of this value would be worse for the player.
    fn needs_end(&self, value: &Rational) -> bool {
        if self.alone && self.player == 1 && self.infinite.is_none() {
            return false;
        }
        let worse = if self.player == 0 { Ordering::Greater } else { Ordering::Less };
        self.infinite.is_none_or(|infinite| value.cmp(infinite) == worse)
    }

    /// Returns the ranks of all positions; `None` if one that needs an end has none.
    fn ranks(&self, graph: &GameGraph, values: &[Rational], predecessors: &Predecessors) -> Option<Vec<u32>> {
        let ranks = self.ranks_of_known(graph, &|at| Some(&values[at as usize]), predecessors);
        let unranked = |at: usize| ranks[at] == NO_LABEL && self.needs_end(&values[at]);
        (0..values.len()).all(|at| !unranked(at)).then_some(ranks)
    }

    /// Returns the ranks of the positions with known values; [`NO_LABEL`] for those that need none, and for those
    /// without.
    fn ranks_of_known<'r>(
        &self,
        graph: &GameGraph,
        value: &impl Fn(u32) -> Option<&'r Rational>,
        predecessors: &Predecessors,
    ) -> Vec<u32> {
        let positions = graph.len();
        let mut ranks = vec![NO_LABEL; positions];
        let mut waiting = vec![0u32; positions];
        let mut queue: Vec<u32> = Vec::new();
        for position in 0..positions as u32 {
            let Some(here) = value(position) else { continue };
            let next = graph.successors(position);
            let equal = next.iter().filter(|&&to| value(to) == Some(here)).count();
            waiting[position as usize] = equal as u32;
            let first = match graph.node(position) {
                GraphNode::Over(_) | GraphNode::Open => true,
                GraphNode::Chance => equal < next.len(),
                GraphNode::Player(_) | GraphNode::Each => false,
            };
            if first && self.needs_end(here) {
                ranks[position as usize] = 0;
                queue.push(position);
            }
        }
        let mut done = 0;
        while done < queue.len() {
            let position = queue[done];
            done += 1;
            for &before in predecessors.of_position(position) {
                let at = before as usize;
                if ranks[at] != NO_LABEL || value(before) != value(position) {
                    continue;
                }
                let ranked = match graph.node(before) {
                    GraphNode::Player(owner) if owner != self.player => {
                        waiting[at] -= 1;
                        waiting[at] == 0
                    }
                    _ => true,
                };
                if ranked {
                    ranks[at] = ranks[position as usize] + 1;
                    queue.push(before);
                }
            }
        }
        ranks
    }
}

/// Returns by player the ranks of the positions whose bounds meet, as [`progress`] does: a move that keeps the value
/// and does not decrease the rank may put off the end for ever. Where no rank is found, no move decreases it.
pub(super) fn progress_within_bounds(task: &LabellingTask<'_>, low: &Labels, high: &Labels) -> [Vec<u32>; 2] {
    let graph = task.graph;
    let predecessors = Predecessors::of(graph);
    let infinite = infinite_value(task);
    let alone = task.stakes.players == 1;
    let exact = |at: u32| low.value(at).filter(|value| high.value(at) == Some(value));
    [0, 1].map(|player| {
        let guarantee = PolicyGuarantee { player, infinite: infinite.as_ref(), alone };
        let mut ranks = guarantee.ranks_of_known(graph, &exact, &predecessors);
        for (at, rank) in (0..).zip(&mut ranks) {
            if *rank == NO_LABEL && exact(at).is_some_and(|value| guarantee.needs_end(value)) {
                *rank = NO_LABEL - 1;
            }
        }
        ranks
    })
}

/// Returns the worth of infinite play, if a rule gives it one; a single player who never wins has lost.
fn infinite_value(task: &LabellingTask<'_>) -> Option<Rational> {
    let alone = (task.stakes.players == 1 && task.stakes.win_loss).then(|| Rational::from_integer(-1));
    task.stakes.infinite.clone().or(alone)
}

#[cfg(test)]
mod tests;
