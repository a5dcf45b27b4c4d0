//! The question "does the first player get at least t?" as an And-Or tree, and the expansion of its positions.
//!
//! Technique: an expansion covers the position and the terminals that its moves reach (a one-ply lookahead), so a
//! position that one move decides needs no subtree. One winning move answers for the mover; an expansion drops moves
//! that end the game against him.
//! Invariant: an answer of an expansion rests on terminals alone, so it is correct whatever path led to the position.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::game::Game;
use crate::solve::Inapplicable;
use crate::solve::depth_limited::evaluation;
use crate::solve::extract::SearchInterrupted;
use crate::solve::leaf_value::{LeafValues, SearchObjective, best_endings};
use crate::solve::ranking_function::{RankViolation, RankingFunction};
use bouton_backend::lookahead::{POSITION_WORD, ReplyHint};
use bouton_backend::{Lookahead, LookaheadRecord, LookaheadResult, PositionRef};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::{ControlId, Position};

/// The number of expansions between two checks of the limits.
const POLL_INTERVAL: u64 = 1 << 10;

/// The result of an expansion.
pub enum ExpansionResult {
    /// The expansion answers the question.
    Answered(bool),
    /// The number of moves that the search must follow.
    Open(usize),
}

/// The expander of positions of one game. It counts its expansions.
pub struct PositionExpander<'a> {
    scout: Arc<dyn Lookahead + 'a>,
    /// The values of terminals.
    pub worth: LeafValues<'a>,
    /// The ranking function that increases along every play; `None` where positions may repeat.
    measure: Option<RankingFunction>,
    /// The payoff of infinite play to the first player; or the reason why it is unknown.
    endless: Result<i32, Inapplicable>,
    pub limits: &'a Limits,
    progress: &'a dyn Progress,
    /// The number of words of a state.
    size: usize,
    /// The records that the lookahead wrote last.
    records: Vec<u64>,
    /// For each open move of the last expansion: the number of ways in which its mover could win if he moved again. A
    /// hint for the move order and the initial numbers only.
    pub hints: Vec<u32>,
    /// True if the game has such hints.
    pub has_hints: bool,
    /// The game, if the search uses the evaluation of its rules.
    pub evaluating_game: Option<&'a Game>,
    /// True if the one-ply lookahead may answer moves; false for delayed evaluation.
    pub one_ply_lookahead: bool,
    /// The corresponding control with the other player to move, by control.
    passed: Vec<Option<ControlId>>,
    /// True if the first player acts, by control.
    first: Vec<bool>,
    /// The number of expansions so far.
    pub nodes: u64,
    /// The maximal number of expansions.
    pub max_nodes: u64,
}

impl<'a> PositionExpander<'a> {
    /// Creates an expander with a ranking function, or else with the payoff of infinite play.
    pub fn new(
        asked: SearchObjective<'a>,
        measure: Option<RankingFunction>,
        endless: Result<i32, Inapplicable>,
        limits: &'a Limits,
        progress: &'a dyn Progress,
    ) -> PositionExpander<'a> {
        let runner = asked.machine.runner();
        let first = runner.circuit().controls.ids().map(|id| asked.machine.actor(id) == 0).collect();
        let scout = runner.lookahead(&best_endings(asked));
        let hinted = runner.circuit().groups.ids().any(|group| !scout.completions(group).is_empty());
        let turns = &asked.machine.lowered().turns;
        let other =
            |&(player, phase): &(u32, u32)| turns.iter().position(|&turn| turn == (1 - player, phase));
        let passed = turns.iter().map(|turn| other(turn).map(|control| ControlId(control as u32))).collect();
        PositionExpander {
            scout,
            worth: LeafValues::new(asked),
            measure,
            endless,
            limits,
            progress,
            size: runner.circuit().layout.words as usize,
            records: Vec::new(),
            hints: Vec::new(),
            has_hints: hinted,
            evaluating_game: None,
            one_ply_lookahead: true,
            passed,
            first,
            nodes: 0,
            max_nodes: u64::MAX,
        }
    }

    /// Returns true if the first player moves at this control.
    pub fn is_first(&self, control: u32) -> bool {
        self.first[control as usize]
    }

    /// The number of words of a state.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Expands the position whose words, with its control behind them, begin at index `at` of `out`; appends the words
    /// of the open moves. `held_bytes` is the memory of the caller.
    pub fn expand(
        &mut self,
        out: &mut Vec<u64>,
        at: usize,
        t: i32,
        held_bytes: u64,
    ) -> Result<ExpansionResult, SearchInterrupted> {
        self.count(held_bytes)?;
        let size = self.size;
        let control = ControlId(out[at + size] as u32);
        let room = self.scout.max_output_words(control);
        if self.records.len() < room {
            self.records.resize(room, 0);
        }
        let position = PositionRef { control, words: &out[at..at + size] };
        let children = match self.scout.look_ahead(position, &mut self.records) {
            Ok(LookaheadResult::Over(end)) => {
                return Ok(ExpansionResult::Answered(self.worth(end.ending, &end.scores)? >= t));
            }
            Ok(LookaheadResult::Open(children)) if children > 0 => children,
            _ => return Err(SearchInterrupted::RulesFault(from_words(&out[at..=at + size]))),
        };
        self.hints.clear();
        let (first, before, length) = (self.is_first(control.0), out.len(), self.scout.record_words());
        for index in 0..children {
            let record = LookaheadRecord(&self.records[index * length..(index + 1) * length]);
            let child = &record.0[POSITION_WORD..][..=size];
            let next = record.reply_hint(size);
            let answer = if !self.one_ply_lookahead {
                None
            } else if let Some(end) = record.end(size) {
                let (ending, scores) = self.scout.ends()[end];
                let scores: SmallVec<[i64; 4]> = record.scores(size).take(scores).collect();
                Some(self.worth.of(ending, &scores)? >= t)
            } else if next == ReplyHint::Wins {
                // The player to move there gets the best value for him.
                Some(self.is_first(child[size] as u32))
            } else {
                None
            };
            match answer {
                Some(yes) if yes == first => {
                    out.truncate(before);
                    return Ok(ExpansionResult::Answered(yes));
                }
                Some(_) => {}
                None => {
                    self.hints.push(if let ReplyHint::Plays { threats, .. } = next { threats } else { 0 });
                    out.extend_from_slice(child);
                }
            }
        }
        match (out.len() - before) / (size + 1) {
            0 => Ok(ExpansionResult::Answered(!first)),
            open => Ok(ExpansionResult::Open(open)),
        }
    }

    /// Returns the position after a pass; `None` if the rules have no such position.
    pub fn after_pass(&self, at: &[u64]) -> Option<Vec<u64>> {
        let control = self.passed[at[self.size] as usize]?;
        let passed = Position { control, words: at[..self.size].into() };
        self.worth.asked.machine.runner().circuit().admits(&passed).then(|| to_words(&passed))
    }

    /// Returns the evaluation of a position by the rules, for the first player or for the other one.
    pub fn evaluate(&self, at: &[u64], first: bool) -> Option<f64> {
        let state = self.worth.asked.machine.state(&from_words(at));
        Some(evaluation::evaluate_by_rules(self.evaluating_game?, &state, u32::from(!first))?.to_f64())
    }

    /// Returns the answer if one expansion gives it.
    pub fn answer_by_expansion(
        &mut self,
        at: &mut Vec<u64>,
        t: i32,
    ) -> Result<Option<bool>, SearchInterrupted> {
        Ok(match self.expand(at, 0, t, 0)? {
            ExpansionResult::Answered(yes) => Some(yes),
            ExpansionResult::Open(_) => None,
        })
    }

    fn worth(&mut self, ending: u32, scores: &[i64]) -> Result<i32, SearchInterrupted> {
        Ok(self.worth.of(ending, scores)?)
    }

    /// Checks that a move does not repeat a position: see [`RankingFunction::follow`]. If it may repeat one after all,
    /// and the rules give a payoff of infinite play, the search restarts and tracks repetitions: the results so far
    /// rest on play that ended.
    pub fn check_rank(&mut self, from: &[u64], to: &[u64], turns: u64) -> Result<u64, SearchInterrupted> {
        let Some(measure) = &mut self.measure else { return Ok(0) };
        match measure.check_move(&from[..=self.size], &to[..=self.size], turns) {
            Ok(turns) => Ok(turns),
            Err(RankViolation::Learned) => Err(SearchInterrupted::Restart),
            Err(RankViolation::NoRankingFunction) => match &self.endless {
                Ok(_) => {
                    self.measure = None;
                    Err(SearchInterrupted::Restart)
                }
                Err(why) => Err(why.clone().into()),
            },
        }
    }

    /// Returns the payoff of infinite play to the first player, if positions may repeat.
    pub fn infinite_payoff(&self) -> Option<i32> {
        if self.measure.is_some() { None } else { self.endless.as_ref().ok().copied() }
    }

    /// Counts one more expansion, unless a limit is reached.
    fn count(&mut self, held_bytes: u64) -> Result<(), SearchInterrupted> {
        if self.nodes >= self.max_nodes {
            return Err(SearchInterrupted::BudgetExhausted);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(SearchInterrupted::Limit(LimitHit::Positions));
        }
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            if let Some(hit) = self.limits.check_held(held_bytes) {
                return Err(SearchInterrupted::Limit(hit));
            }
            self.progress.positions(self.nodes, held_bytes);
        }
        self.nodes += 1;
        Ok(())
    }
}

/// Converts words with the control behind them to a position.
pub fn from_words(at: &[u64]) -> Position {
    let (&control, words) = at.split_last().expect("a control is there");
    Position { control: ControlId(control as u32), words: words.into() }
}

/// Converts a position to words with the control behind them.
pub fn to_words(at: &Position) -> Vec<u64> {
    at.words.iter().copied().chain([u64::from(at.control.0)]).collect()
}
