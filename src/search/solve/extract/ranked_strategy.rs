//! Strategies of a search where positions may repeat: with ranks if the player must force an end, or safe ones.
//!
//! Technique: a player who reaches his goal only if play ends needs more than moves that keep the value, since these
//! may cycle. So extraction gathers all moves that are known to keep it (if these do not suffice, all that keep it),
//! with all replies, and computes the plies to the end by retrograde analysis; his answer is the move with the fewest.
//! If infinite play is good enough, any moves that keep the value suffice.
//! Source: Thompson, "Retrograde analysis of certain endgames" (1986), on the results in the table of a search.
//! Cost: one expansion of each position that moves known to be good lead to.
//! Invariant: ranks decrease along each play by the answers, so such play ends.

use rustc_hash::FxHashMap;

use super::{POSITION_OVERHEAD_BYTES, SearchEngine, SearchInterrupted, SolutionBuilder, StrategyRequest};
use crate::game::MoveInstance;
use bouton_circuit::Position;

/// The subgraph of moves that keep a value.
#[derive(Default)]
pub(super) struct KeepingGraph {
    numbers: FxHashMap<Position, u32>,
    at: Vec<Position>,
    next: Vec<Vec<u32>>,
    /// True for a position with the strategy's player to move; then true if all his moves that keep the value are
    /// present.
    own: Vec<bool>,
    all: Vec<bool>,
    /// The plies to the end, if the subgraph forces it.
    plies: Vec<Option<u32>>,
}

impl<S: SearchEngine> SolutionBuilder<'_, S> {
    /// Returns the player who must force an end for a value, if positions may repeat; `None` if nobody must.
    pub(super) fn player_forcing_end(&self, value: i32) -> Option<u32> {
        let endless = self.search.infinite_payoff()?;
        (value != endless).then(|| u32::from(value < endless))
    }

    /// Gathers the subgraph of moves that keep a value for a player: those that are known to keep it, and where these
    /// reach no end, all that do.
    pub(super) fn gather(&mut self, wanted: StrategyRequest) -> Result<KeepingGraph, SearchInterrupted> {
        let mut found = KeepingGraph::default();
        found.number(wanted.from.clone());
        loop {
            self.explore(&mut found, wanted)?;
            found.count();
            let stuck = |at: &u32| {
                let place = *at as usize;
                found.own[place] && !found.all[place] && found.plies[place].is_none()
            };
            let stuck: Vec<u32> = (0..found.at.len() as u32).filter(stuck).collect();
            if found.plies[0].is_some() || stuck.is_empty() {
                return Ok(found);
            }
            for at in stuck {
                let mut kept = Vec::new();
                for to in self.after(&found.at[at as usize].clone()) {
                    if self.search.keeps_value(&to, wanted.maximises(), wanted.value)? {
                        kept.push(found.number(to));
                    }
                }
                found.next[at as usize] = kept;
                found.all[at as usize] = true;
            }
        }
    }

    /// Expands all gathered positions.
    fn explore(
        &mut self,
        found: &mut KeepingGraph,
        wanted: StrategyRequest,
    ) -> Result<(), SearchInterrupted> {
        while found.next.len() < found.at.len() {
            let at = found.at[found.next.len()].clone();
            let each = 2 * (size_of::<Position>() + 8 * at.words.len() + POSITION_OVERHEAD_BYTES);
            let held = (found.at.len() * each) as u64;
            if let Some(hit) = self.search.limits().check_held(held + self.search.held_bytes()) {
                return Err(SearchInterrupted::Limit(hit));
            }
            if found.at.len() > wanted.most {
                return Err(SearchInterrupted::BudgetExhausted);
            }
            let own = self.search.machine().actor(at.control) == wanted.player;
            let mut children = self.after(&at);
            if own {
                let kept = self.known_keeping_moves(&at, &children, wanted)?;
                children = kept.into_iter().map(|(number, _)| children[number].clone()).collect();
            }
            let next = children.into_iter().map(|to| found.number(to)).collect();
            found.next.push(next);
            found.own.push(own);
            found.all.push(false);
        }
        Ok(())
    }

    /// Returns the indices of moves that are known to keep a value, each with the effort after which that was known; a
    /// move to a terminal alone if one does. If the table dropped the answers, it searches the position again first,
    /// and then each move.
    pub(super) fn known_keeping_moves(
        &mut self,
        at: &Position,
        children: &[Position],
        wanted: StrategyRequest,
    ) -> Result<Vec<(usize, u64)>, SearchInterrupted> {
        let (maximises, value) = (wanted.maximises(), wanted.value);
        for (number, to) in children.iter().enumerate() {
            if self.is_over(to) && self.search.keeps_value(to, maximises, value)? {
                return Ok(vec![(number, 0)]);
            }
        }
        for forgotten in [false, true] {
            if forgotten && !children.is_empty() {
                self.search.re_search(at, maximises, value)?;
            }
            let looked =
                |(number, to)| Some((number, self.search.known_to_keep_value(to, maximises, value)?));
            let known: Vec<_> = children.iter().enumerate().filter_map(looked).collect();
            if !known.is_empty() {
                return Ok(known);
            }
        }
        for (number, to) in children.iter().enumerate() {
            if self.search.keeps_value(to, maximises, value)? {
                return Ok(vec![(number, 0)]);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the line by which the end comes soonest for the player who forces it, and latest for the other among the
    /// moves that keep the value for him.
    pub(super) fn forced_line(
        &mut self,
        found: &KeepingGraph,
        wanted: StrategyRequest,
        most: usize,
    ) -> Result<Vec<(Position, MoveInstance)>, SearchInterrupted> {
        let (mut line, mut at) = (Vec::new(), 0);
        while line.len() < most {
            let mut chosen = None;
            for to in found.ordered(at) {
                let keeps = found.own[at as usize]
                    || self.search.keeps_value(&found.at[to as usize], !wanted.maximises(), wanted.value)?;
                if keeps {
                    chosen = Some(to);
                    break;
                }
            }
            let Some(to) = chosen else { break };
            let here = &found.at[at as usize];
            let Some((play, _)) =
                self.children(here).into_iter().find(|(_, after)| *after == found.at[to as usize])
            else {
                break;
            };
            line.push((here.clone(), play));
            at = to;
        }
        Ok(line)
    }

    /// Returns the answers by which a player forces an end, each with the plies to it; `None` if the subgraph does not
    /// force it.
    pub(super) fn ranked_answers(&self, found: &KeepingGraph) -> Option<Vec<(Position, MoveInstance, u64)>> {
        found.plies[0]?;
        let (mut answers, mut met, mut ahead) = (Vec::new(), vec![false; found.at.len()], vec![0u32]);
        while let Some(at) = ahead.pop() {
            if std::mem::replace(&mut met[at as usize], true) {
                continue;
            }
            if !found.own[at as usize] {
                ahead.extend(&found.next[at as usize]);
                continue;
            }
            let Some(to) = found.best(at) else { continue };
            let here = &found.at[at as usize];
            let mut named = self.children(here).into_iter();
            let (play, _) = named.find(|(_, after)| *after == found.at[to as usize])?;
            answers.push((here.clone(), play, u64::from(found.plies[at as usize]?)));
            ahead.push(to);
        }
        Some(answers)
    }
}

impl KeepingGraph {
    /// Returns the index of a position, which it adds if it is new.
    /// Returns true if a move from the first position to this one brings the end nearer, as far as the subgraph shows it.
    pub(super) fn brings_nearer(&self, to: &Position) -> bool {
        let plies = |number: u32| self.plies.get(number as usize).copied().flatten();
        let after = self.numbers.get(to).and_then(|&number| plies(number));
        after.zip(plies(0)).is_some_and(|(after, here)| after < here)
    }

    fn number(&mut self, at: Position) -> u32 {
        let next = self.at.len() as u32;
        let number = *self.numbers.entry(at.clone()).or_insert(next);
        if number == next {
            self.at.push(at);
        }
        number
    }

    /// Computes the plies to the end by retrograde analysis.
    fn count(&mut self) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.at.len()];
        for (at, next) in self.next.iter().enumerate() {
            next.iter().for_each(|&to| before[to as usize].push(at as u32));
        }
        let mut left: Vec<usize> = self.next.iter().map(Vec::len).collect();
        self.plies = left.iter().map(|&left| (left == 0).then_some(0)).collect();
        let ends = |at: &u32| self.plies[*at as usize].is_some();
        let mut layer: Vec<u32> = (0..self.at.len() as u32).filter(ends).collect();
        let mut plies = 0;
        while !layer.is_empty() {
            plies += 1;
            let mut later = Vec::new();
            for &to in &layer {
                for &at in &before[to as usize] {
                    left[at as usize] -= 1;
                    let at_once = self.own[at as usize] || left[at as usize] == 0;
                    if at_once && self.plies[at as usize].is_none() {
                        self.plies[at as usize] = Some(plies);
                        later.push(at);
                    }
                }
            }
            layer = later;
        }
    }

    /// Returns the best successor: with the fewest plies to the end where the player moves, otherwise with the most.
    fn best(&self, at: u32) -> Option<u32> {
        self.ordered(at).first().copied()
    }

    /// Returns the successors from the best one on; none where the subgraph forces no end.
    fn ordered(&self, at: u32) -> Vec<u32> {
        if self.plies[at as usize].is_none() {
            return Vec::new();
        }
        let mut next = self.next[at as usize].clone();
        let plies = |to: &u32| self.plies[*to as usize].map_or(u32::MAX, |plies| plies);
        match self.own[at as usize] {
            true => next.sort_by_key(plies),
            false => next.sort_by_key(|to| std::cmp::Reverse(plies(to))),
        }
        next
    }
}
