//! The expected length of play where chance acts: of the best moves, or the least of a single player.
//!
//! Technique: one linear system for each strongly connected component, as in policy iteration; a single player improves
//! his policy among the moves that keep the value until none ends sooner in the mean.
//! Source: Howard (1960); Bertsekas and Tsitsiklis (1991) for stochastic shortest paths.
//! Cost: that of the linear systems.
//! Invariant: a length is exact, and of policies that get the value; without a length, play may never end, or a number
//! became too long.
//! Not taken: the length when both of two players choose among best moves by it, whom to hurry is open where values are
//! means.

use super::components::Components;
use super::graph::GraphNode;
use super::linear_system::{self, Equation};
use super::solved_graph::SolvedGraph;
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;

/// The maximal number of bits of a length.
const MAX_BITS: u64 = 1 << 12;
/// The maximal number of improvements in a component.
const MAX_ROUNDS: u32 = 1000;

/// Returns the expected number of plies to the end of play from the first position; `None` if some value is not exact,
/// since its move may be one of the best.
pub(super) fn expected_length(table: &SolvedGraph, limits: &Limits) -> Option<Rational> {
    let components = Components::of(table.graph());
    let positions = table.graph().len();
    if (0..positions as u32).any(|position| table.number(position).is_none()) {
        return None;
    }
    let mut lengths = Lengths {
        table,
        components: &components,
        limits,
        lengths: vec![None; positions],
        choice: vec![None; positions],
    };
    for component in components.iter() {
        lengths.solve(component)?;
    }
    lengths.lengths.swap_remove(0)
}

struct Lengths<'a> {
    table: &'a SolvedGraph,
    components: &'a Components,
    limits: &'a Limits,
    /// By position: the expected length; `None` if play may never end.
    lengths: Vec<Option<Rational>>,
    /// By position of a player: his move.
    choice: Vec<Option<usize>>,
}

impl Lengths<'_> {
    /// Computes the lengths in a component; `None` if a number is too long or a limit is reached.
    fn solve(&mut self, component: &[u32]) -> Option<()> {
        for &position in component {
            self.choice[position as usize] = self.table.first_best_edge(position);
        }
        for _ in 0..MAX_ROUNDS {
            if self.limits.check().is_some() {
                return None;
            }
            self.evaluate(component)?;
            if self.table.stakes().players != 1 || !self.improve(component) {
                return Some(());
            }
        }
        None
    }

    /// Returns the successors that play may reach; none where nobody has a best move.
    fn followed(&self, position: u32) -> &[u32] {
        let next = self.table.graph().successors(position);
        match (self.table.graph().node(position), self.choice[position as usize]) {
            (GraphNode::Chance, _) => next,
            (GraphNode::Player(_), Some(edge)) => &next[edge..=edge],
            _ => &[],
        }
    }

    fn evaluate(&mut self, component: &[u32]) -> Option<()> {
        let finite = self.finite(component);
        let mut unknown = vec![0; component.len()];
        let mut listed = Vec::new();
        for (place, &position) in component.iter().enumerate() {
            self.lengths[position as usize] = None;
            if finite[place] {
                unknown[place] = listed.len() as u32;
                listed.push(position);
            }
        }
        let mut equations = Vec::with_capacity(listed.len());
        for &position in &listed {
            let followed = self.followed(position);
            let over = matches!(self.table.graph().node(position), GraphNode::Over(_));
            let constant = if over { Rational::ZERO } else { Rational::ONE };
            let mut equation = Equation { terms: Vec::new(), constant };
            let shares = self.table.graph().probabilities(position);
            for (edge, &to) in followed.iter().enumerate() {
                let share = shares.get(edge).cloned().unwrap_or(Rational::ONE);
                match self.components.place(position, to) {
                    Some(place) => equation.terms.push((unknown[place], share)),
                    None => equation.constant += share * self.lengths[to as usize].as_ref()?,
                }
            }
            equations.push(equation);
        }
        let solution = linear_system::solve(&equations, self.limits)?;
        for (position, length) in listed.into_iter().zip(solution) {
            if length.bits() > MAX_BITS {
                return None;
            }
            self.lengths[position as usize] = Some(length);
        }
        Some(())
    }

    /// Returns by place in the component: true if play from there ends with probability 1.
    fn finite(&self, component: &[u32]) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); component.len()];
        let (mut leaves, mut fails) = (Vec::new(), Vec::new());
        for (from, &position) in component.iter().enumerate() {
            let over = matches!(self.table.graph().node(position), GraphNode::Over(_));
            let followed = self.followed(position);
            let outside = |to: &&u32| !self.components.same(position, **to);
            let known = |to: &u32| self.lengths[*to as usize].is_some();
            if over || followed.iter().filter(outside).any(known) {
                leaves.push(from);
            }
            if !over && (followed.is_empty() || followed.iter().filter(outside).any(|to| !known(to))) {
                fails.push(from);
            }
            for place in followed.iter().filter_map(|&to| self.components.place(position, to)) {
                before[place].push(from);
            }
        }
        let reaching = |mut ahead: Vec<usize>| {
            let mut reaching = vec![false; component.len()];
            ahead.iter().for_each(|&place| reaching[place] = true);
            while let Some(place) = ahead.pop() {
                for &from in &before[place] {
                    if !std::mem::replace(&mut reaching[from], true) {
                        ahead.push(from);
                    }
                }
            }
            reaching
        };
        let leaving = reaching(leaves);
        fails.extend((0..component.len()).filter(|&place| !leaving[place]));
        reaching(fails).into_iter().map(|fails| !fails).collect()
    }

    /// Changes the moves of the only player that do not end soonest in the mean; returns true if there were any.
    fn improve(&mut self, component: &[u32]) -> bool {
        let mut changed = false;
        for &position in component {
            let Some(chosen) = self.choice[position as usize] else { continue };
            let next = self.table.graph().successors(position);
            let value = self.table.number(position);
            let mut best = chosen;
            for edge in (0..next.len()).filter(|&edge| self.table.number(next[edge]) == value) {
                let better = match (&self.lengths[next[edge] as usize], &self.lengths[next[best] as usize]) {
                    (Some(length), Some(least)) => length < least,
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                if better {
                    best = edge;
                }
            }
            if best != chosen {
                self.choice[position as usize] = Some(best);
                changed = true;
            }
        }
        changed
    }
}
