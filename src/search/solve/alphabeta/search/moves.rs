//! The moves of a position: the bounds that follow without a search, and the order of the other moves.
//!
//! Order: the move of the transposition table; captures; moves with the most threats, then with the most ways to
//! complete a win; killers; then the history heuristic. If the search of a position visits many others, two more
//! steps come first: a lookup of the positions after all its moves in the table (enhanced transposition cutoffs); and
//! the rules' `evaluate` of each, which then comes before all but the table's move.
//! Source: Schaeffer, "The history heuristic" (1983); killers: Akl and Newborn (1977); enhanced transposition
//! cutoffs: Plaat, Schaeffer, Pijls, de Bruin, "Exploiting graph properties of game trees" (1996).
//! Invariant: every returned bound is true of its position; the order affects only the duration of the search.

use super::{AlphaBetaFrame, AlphaBetaSearch, Candidate, decides};
use crate::solve::depth_limited::evaluation;
use crate::solve::extract::SearchInterrupted;
use crate::solve::leaf_value::WIN_SCORE;
use crate::solve::transpositions::hash;
use bouton_backend::lookahead::{POSITION_WORD, ReplyHint};
use bouton_backend::{LookaheadRecord, PASS_GROUP};
use bouton_circuit::GroupId;

/// The mean number of positions per search at a ply above which the search first probes the table for all successors.
pub(super) const ETC_MIN_NODES: u64 = 128;

/// The mean number of positions per search at a ply above which the rules' `evaluate` sorts the moves.
pub(super) const EVALUATE_MIN_NODES: u64 = 1 << 12;

impl AlphaBetaSearch<'_> {
    /// Collects the moves that need a search; returns the bound if one follows without a search.
    pub(super) fn moves_of(
        &mut self,
        frame: &mut AlphaBetaFrame,
        children: usize,
    ) -> Result<Option<i32>, SearchInterrupted> {
        let enough = |bound: i32| frame.maximises == (bound >= frame.t);
        let killers = self.killers.get(self.frames.len()).copied().unwrap_or([(PASS_GROUP, 0); 2]);
        let mut safe = false;
        for index in 0..children {
            let at = frame.records + index * self.record;
            let record = LookaheadRecord(&self.words[at..at + self.record]);
            let worth = if let Some(end) = record.end(self.size) {
                let (ending, scores) = self.scout.ends()[end];
                let scores: Vec<i64> = record.scores(self.size).take(scores).collect();
                self.worth(ending, &scores)?
            } else if let ReplyHint::Plays { safe: this, threats } = record.reply_hint(self.size) {
                safe |= this;
                let made = record.last_move();
                let (group, lane) = (made.0.0 as usize, made.1 as usize);
                let past = self.history.get(group).and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0);
                let ways = self.scout.completions(made.0).get(lane).copied().unwrap_or(0);
                // Captures first, then threats, then moves with the most ways to complete a win, then killers, then
                // the history.
                let promise = u64::from(self.is_capture(frame.offset, at + POSITION_WORD)) << 62
                    | u64::from(threats.min(62)) << 56
                    | u64::from(ways.min(255)) << 48
                    | u64::from(killers.contains(&made)) << 47
                    | past;
                self.moves.push(Candidate {
                    offset: at + POSITION_WORD,
                    priority: promise,
                    index: index as u32,
                    made,
                });
                continue;
            } else {
                let control = self.words[at + POSITION_WORD + self.size];
                let won = if self.turns[control as usize] {
                    self.worth.asked.range.1
                } else {
                    self.worth.asked.range.0
                };
                self.parent_value(won)
            };
            let worth = self.parent_value(worth);
            if enough(worth) {
                return Ok(Some(worth));
            }
            frame.best = if frame.maximises { frame.best.max(worth) } else { frame.best.min(worth) };
        }
        if self.moves.len() == frame.first {
            return Ok(Some(frame.best));
        }
        if self.worth.asked.win_loss_draw {
            let (win, loss) = match self.wins_are_own {
                true => (3, if safe { 4 } else { 2 }),
                false => (2, 2),
            };
            let left = self.measure.plies_left(&self.words[frame.offset..frame.offset + self.size]);
            // A result that needs more plies than are left cannot occur.
            let in_plies = |plies: u32| match left.is_none_or(|left| plies <= left) {
                true if self.worth.asked.plies => WIN_SCORE - plies as i32,
                true => 1,
                false => 0,
            };
            if let Some(bound) = frame.answer(-in_plies(loss), in_plies(win)) {
                return Ok(Some(bound));
            }
        }
        Ok(None)
    }

    /// Returns true if a move captures.
    #[inline]
    fn is_capture(&self, from: usize, to: usize) -> bool {
        let taken = &self.captured_bits[self.words[from + self.size] as usize];
        let lost = |(i, mask): (usize, &u64)| self.words[from + i] & !self.words[to + i] & mask != 0;
        taken.iter().enumerate().any(lost)
    }

    /// Looks up the positions after all moves of a frame in the table. Returns the frame's bound, with the move that
    /// gives it, if one follows; otherwise keeps only the moves that need a search.
    pub(super) fn probe_successors(&mut self, frame: &mut AlphaBetaFrame) -> Option<(i32, Option<u32>)> {
        let (size, t) = (self.size, self.child_threshold(frame.t));
        let (words, hashes) = &mut self.probe_buffer;
        words.clear();
        hashes.clear();
        for candidate in &self.moves[frame.first..] {
            let from = words.len();
            words.extend_from_slice(&self.words[candidate.offset..=candidate.offset + size]);
            if let Some(symmetries) = self.symmetries.active() {
                symmetries.canonicalize_words(&mut words[from..from + size]);
            }
            hashes.push(hash(&words[from..from + size], words[from + size] as u32));
            self.table.prefetch(hashes[hashes.len() - 1]);
        }
        let mut left = frame.first;
        for (index, key) in (frame.first..).zip(self.probe_buffer.0.chunks_exact(size + 1)) {
            let known =
                self.table.get(self.probe_buffer.1[index - frame.first], &key[..size], key[size] as u32);
            let Some(bound) = known.and_then(|known| decides(known, t)) else {
                self.moves[left] = self.moves[index];
                left += 1;
                continue;
            };
            let bound = self.parent_value(bound);
            if frame.maximises == (bound >= frame.t) {
                return Some((bound, Some(self.moves[index].index)));
            }
            frame.best = if frame.maximises { frame.best.max(bound) } else { frame.best.min(bound) };
        }
        self.moves.truncate(left);
        (left == frame.first).then_some((frame.best, None))
    }

    /// Sorts the moves of a frame by the rules' `evaluate` of the positions after them, the table's move first.
    pub(super) fn order_by_evaluation(&mut self, frame: &AlphaBetaFrame) {
        let Some(game) = self.guesses else { return };
        let guess = |candidate: &Candidate| {
            let state = self.machine.state(&self.position(candidate.offset));
            evaluation::evaluate_by_rules(game, &state, u32::from(!frame.maximises))
        };
        // Equal guesses keep their previous order.
        let keyed = self.moves[frame.first..].iter().map(|c| ((c.priority == u64::MAX, guess(c)), *c));
        let mut keyed: Vec<_> = keyed.collect();
        keyed.sort_by(|(a, _), (b, _)| b.cmp(a));
        self.moves.truncate(frame.first);
        self.moves.extend(keyed.into_iter().map(|(_, candidate)| candidate));
    }

    /// Records a move that caused a cutoff, so that other positions try it early.
    pub(super) fn reward(&mut self, made: (GroupId, u32)) {
        let Some(frame) = self.frames.last() else { return };
        let effort = self.nodes - frame.nodes_before;
        let ply = self.frames.len() - 1;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [(PASS_GROUP, 0); 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != made {
            *killers = [made, killers[0]];
        }
        let (group, lane) = (made.0.0 as usize, made.1 as usize);
        if made.0 == PASS_GROUP {
            return;
        }
        self.history.resize(self.history.len().max(group + 1), Vec::new());
        let lanes = &mut self.history[group];
        lanes.resize(lanes.len().max(lane + 1), 0);
        lanes[lane] = lanes[lane].saturating_add(effort).min((1 << 47) - 1);
    }
}
