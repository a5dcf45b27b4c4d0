//! Solves a game by enumerating its positions: values, plies and counts, as simply as possible.

use crate::eval::{FaultCodes, GameModel, Pos};
use crate::game::{End, Game};
use crate::meaning::{Edge, View};
use crate::rat::Rat;
use std::collections::{BTreeMap, HashMap};

/// The target of a move: the index of a position, or a fault.
pub type MoveTarget = Result<usize, FaultCodes>;

/// The number of occurrences of each position, by index; empty where the rules do not count.
type OccurrenceCounts = BTreeMap<usize, u8>;

/// A position of the graph: a `View` with indices in place of positions.
pub enum PositionNode {
    End(Vec<i64>),
    Fault(FaultCodes),
    Turn(u8, Vec<(String, MoveTarget)>),
    Chance(Vec<(Rat, MoveTarget)>),
    Each(Vec<u8>, Vec<usize>, Vec<MoveTarget>),
}

/// The reachable positions; the first has index 0.
pub struct PositionGraph {
    pub players: usize,
    pub nodes: Vec<PositionNode>,
    /// The fewest plies to each position.
    pub depth: Vec<usize>,
    /// True if a position can repeat.
    pub cyclic: bool,
    pub repeat_draw: bool,
    /// True if the history is part of a position.
    pub counts_repetitions: bool,
    /// The positions in reverse topological order, each after its successors; contains all of them if the graph is
    /// acyclic.
    order: Vec<usize>,
}

/// The order in which one player and the others choose in simultaneous moves, for bounds on a value with mixed choices.
#[derive(Clone, Copy, PartialEq)]
pub enum ChoiceOrder {
    /// The player chooses first, and the others know his choice.
    First,
    /// The others choose first, and the player knows their choice.
    Last,
}

impl PositionGraph {
    /// Builds the graph. Returns an error if there are more positions than `cap`, or if the reference leaves the
    /// meaning open.
    pub fn of(g: &Game, w: &GameModel, cap: usize) -> Result<PositionGraph, &'static str> {
        let third = g.ends.contains(&End::RepeatThird);
        let mut seen: HashMap<Pos, usize> = HashMap::new();
        let first = (w.first(), OccurrenceCounts::from([(0, 1)]));
        seen.insert(first.0.clone(), 0);
        let first = if third { first } else { (first.0, OccurrenceCounts::new()) };
        let mut number: HashMap<(Pos, OccurrenceCounts), usize> = HashMap::from([(first.clone(), 0)]);
        let mut all = vec![first];
        let mut gr = PositionGraph {
            players: g.players,
            nodes: vec![],
            depth: vec![0],
            cyclic: false,
            repeat_draw: g.ends.contains(&End::RepeatDraw),
            counts_repetitions: third,
            order: vec![],
        };
        let mut edges = 0;
        while gr.nodes.len() < all.len() {
            let n = gr.nodes.len();
            let (pos, past) = all[n].clone();
            let mut view = w.view(&pos);
            if third && past[&seen[&pos]] >= 3 && !matches!(view, View::End(_)) {
                view = View::End(vec![0; g.players]);
            }
            if let Some(why) = w.unclear.get() {
                return Err(why);
            }
            let mut place = |e: Edge| -> MoveTarget {
                edges += 1;
                let p = e.to?;
                let mut past = past.clone();
                if third {
                    let new = seen.len();
                    *past.entry(*seen.entry(p.clone()).or_insert(new)).or_default() += 1;
                }
                let p = (p, past);
                let k = *number.entry(p.clone()).or_insert(all.len());
                if k == all.len() {
                    all.push(p);
                    gr.depth.push(gr.depth[n] + 1);
                }
                Ok(k)
            };
            let node = match view {
                View::End(v) => PositionNode::End(v),
                View::Fault(c) => PositionNode::Fault(c),
                View::Turn(p, e) => {
                    PositionNode::Turn(p, e.into_iter().map(|e| (e.name.clone(), place(e))).collect())
                }
                View::Each(p, c, e) => PositionNode::Each(p, c, e.into_iter().map(place).collect()),
                View::Chance(e) => {
                    let sum: i64 = e.iter().map(|e| e.weight).sum();
                    let of = |e: &Edge| Rat::new(e.weight as i128, sum as i128);
                    PositionNode::Chance(e.into_iter().map(|e| (of(&e), place(e))).collect())
                }
            };
            gr.nodes.push(node);
            if all.len() > cap || edges > 20 * cap {
                return Err("too many positions");
            }
        }
        gr.sort();
        Ok(gr)
    }

    /// Returns the successors of a position.
    pub fn next(&self, n: usize) -> Vec<&MoveTarget> {
        match &self.nodes[n] {
            PositionNode::End(_) | PositionNode::Fault(_) => vec![],
            PositionNode::Turn(_, e) => e.iter().map(|e| &e.1).collect(),
            PositionNode::Chance(e) => e.iter().map(|e| &e.1).collect(),
            PositionNode::Each(_, _, e) => e.iter().collect(),
        }
    }

    /// Sorts the positions after their successors, and detects cycles.
    fn sort(&mut self) {
        let mut state = vec![0u8; self.nodes.len()];
        let mut stack = vec![(0usize, 0usize)];
        let mut order = vec![];
        state[0] = 1;
        while let Some((n, i)) = stack.pop() {
            let next = self.next(n);
            if i == next.len() {
                state[n] = 2;
                order.push(n);
                continue;
            }
            let to = next[i].as_ref().ok().copied();
            stack.push((n, i + 1));
            match to {
                Some(k) if state[k] == 1 => self.cyclic = true,
                Some(k) if state[k] == 0 => {
                    state[k] = 1;
                    stack.push((k, 0));
                }
                _ => {}
            }
        }
        self.order = order;
    }

    /// Returns all reachable faults, and the fewest moves that show one.
    pub fn faults(&self) -> (FaultCodes, Option<usize>) {
        self.faults_within(usize::MAX)
    }

    /// Returns the faults of positions up to a depth and of moves made before it, and the least depth of one.
    pub fn faults_within(&self, depth: usize) -> (FaultCodes, Option<usize>) {
        let mut all = FaultCodes::new();
        let mut least: Option<usize> = None;
        for (n, node) in self.nodes.iter().enumerate() {
            let d = self.depth[n];
            if let PositionNode::Fault(c) = node
                && d <= depth
            {
                all.extend(c);
                least = Some(least.map_or(d, |l| l.min(d)));
            }
            if d < depth {
                for c in self.next(n).into_iter().filter_map(|t| t.as_ref().err()) {
                    all.extend(c);
                    least = Some(least.map_or(d, |l| l.min(d)));
                }
            }
        }
        (all, least)
    }

    /// Returns the payoffs of all reachable ends.
    pub fn ends(&self) -> Vec<&Vec<i64>> {
        self.nodes.iter().filter_map(|n| if let PositionNode::End(v) = n { Some(v) } else { None }).collect()
    }

    pub fn zero_sum(&self) -> bool {
        self.ends().iter().all(|v| v.iter().sum::<i64>() == 0)
    }

    pub fn has_each(&self) -> bool {
        self.nodes.iter().any(|n| matches!(n, PositionNode::Each(..)))
    }

    pub fn has_chance(&self) -> bool {
        self.nodes.iter().any(|n| matches!(n, PositionNode::Chance(_)))
    }

    /// Returns the payoff that one player can force from each position against all others; a fault counts as the worst
    /// payoff of any end. `None` if chance acts in a cyclic graph, or if infinite play has no payoff.
    pub fn security_level(&self, p: u8, each: ChoiceOrder) -> Option<Vec<Rat>> {
        let mut pays: Vec<i64> = self.ends().iter().map(|v| v[p as usize]).collect();
        pays.extend([-1, 0]);
        pays.sort();
        pays.dedup();
        let worst = Rat::int(pays[0]);
        let end = |v: &Vec<i64>| Rat::int(v[p as usize]);
        let mut val = vec![worst; self.nodes.len()];
        if !self.cyclic {
            for &n in &self.order {
                val[n] = match &self.nodes[n] {
                    PositionNode::End(v) => end(v),
                    _ => self.backed_up_value(n, p, each, worst, &val),
                };
            }
            return Some(val);
        }
        if self.has_chance() || !self.repeat_draw && self.players > 1 {
            return None;
        }
        // Infinite play is worth 0, for a single player less than anything: a payoff above that must be forced (a least
        // fixpoint); up to it, never being forced below suffices (a greatest fixpoint).
        for &v in &pays[1..] {
            let goal = v > 0 || self.players == 1;
            let t = Rat::int(v);
            let mut yes: Vec<bool> = self
                .nodes
                .iter()
                .map(|n| match n {
                    PositionNode::End(e) => end(e) >= t,
                    PositionNode::Fault(_) => false,
                    _ => !goal,
                })
                .collect();
            let mut as_val: Vec<Rat> = yes.iter().map(|y| Rat::int(*y as i64)).collect();
            loop {
                let mut changed = false;
                for &n in &self.order {
                    if matches!(self.nodes[n], PositionNode::End(_) | PositionNode::Fault(_))
                        || yes[n] == goal
                    {
                        continue;
                    }
                    if (self.backed_up_value(n, p, each, Rat::int(0), &as_val) > Rat::int(0)) == goal {
                        yes[n] = goal;
                        as_val[n] = Rat::int(goal as i64);
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            for n in 0..yes.len() {
                if yes[n] {
                    val[n] = t;
                }
            }
        }
        Some(val)
    }

    /// Returns the value of a position from the values of its successors.
    fn backed_up_value(&self, n: usize, p: u8, each: ChoiceOrder, worst: Rat, val: &[Rat]) -> Rat {
        let of = |t: &MoveTarget| t.as_ref().map_or(worst, |k| val[*k]);
        match &self.nodes[n] {
            PositionNode::End(_) | PositionNode::Fault(_) => worst,
            PositionNode::Turn(q, e) if *q == p => e.iter().map(|e| of(&e.1)).max().unwrap_or(worst),
            PositionNode::Turn(_, e) => e.iter().map(|e| of(&e.1)).min().unwrap_or(worst),
            PositionNode::Chance(e) => e.iter().fold(Rat::int(0), |s, (w, t)| s.add(w.mul(of(t)))),
            PositionNode::Each(who, counts, e) => {
                let Some(i) = who.iter().position(|q| *q == p) else {
                    return e.iter().map(of).min().unwrap_or(worst);
                };
                let own = counts[i];
                let after: usize = counts[i + 1..].iter().product();
                let rest = e.len() / own;
                let place = |a: usize, r: usize| (r / after * own + a) * after + r % after;
                match each {
                    ChoiceOrder::First => {
                        (0..own).map(|a| (0..rest).map(|r| of(&e[place(a, r)])).min().unwrap()).max().unwrap()
                    }
                    ChoiceOrder::Last => {
                        (0..rest).map(|r| (0..own).map(|a| of(&e[place(a, r)])).max().unwrap()).min().unwrap()
                    }
                }
            }
        }
    }

    /// Returns, for each position, the number of plies in which a player can force an end that gives him at least
    /// `least`.
    pub fn plies(&self, p: u8, least: i64) -> Vec<Option<usize>> {
        let mut at: Vec<Option<usize>> = self
            .nodes
            .iter()
            .map(|n| match n {
                PositionNode::End(v) if v[p as usize] >= least => Some(0),
                _ => None,
            })
            .collect();
        for round in 1.. {
            let mut new = vec![];
            for n in 0..at.len() {
                if at[n].is_some() {
                    continue;
                }
                let done = |t: &MoveTarget| t.as_ref().is_ok_and(|k| at[*k].is_some());
                let yes = match &self.nodes[n] {
                    PositionNode::End(_) | PositionNode::Fault(_) => false,
                    PositionNode::Turn(q, e) if *q == p => e.iter().any(|e| done(&e.1)),
                    PositionNode::Turn(_, e) => e.iter().all(|e| done(&e.1)),
                    PositionNode::Chance(e) => e.iter().all(|e| done(&e.1)),
                    PositionNode::Each(..) => {
                        let val: Vec<Rat> = at.iter().map(|a| Rat::int(a.is_some() as i64)).collect();
                        self.backed_up_value(n, p, ChoiceOrder::First, Rat::int(0), &val) > Rat::int(0)
                    }
                };
                if yes {
                    new.push(n);
                }
            }
            if new.is_empty() {
                return at;
            }
            for n in new {
                at[n] = Some(round);
            }
        }
        unreachable!()
    }

    /// Returns the number of plays of 0, 1, ..., `depth` moves.
    pub fn perft(&self, depth: usize) -> Vec<u128> {
        let mut ways: Vec<u128> = vec![0; self.nodes.len()];
        ways[0] = 1;
        let mut all = vec![1];
        for _ in 0..depth {
            let mut new: Vec<u128> = vec![0; ways.len()];
            for (n, &here) in ways.iter().enumerate().filter(|(_, here)| **here > 0) {
                for k in self.next(n).into_iter().flatten() {
                    new[*k] += here;
                }
            }
            ways = new;
            all.push(ways.iter().sum());
        }
        all
    }
}
