//! A question about positions, "does the first player get at least t?", as an And-Or tree that a search may look into.
//!
//! Technique: a position is looked at together with the ends that its moves may bring, so that what is decided by one
//! move has no tree. The mover is answered by one move; moves that end the game against him are left out.
//! Invariant: an answer of a look rests on ends of the game alone, so it is right however a search comes to the position.

use std::sync::Arc;

use num_traits::ToPrimitive;
use smallvec::SmallVec;

use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::{ControlId, Position};
use crate::exec::scout::{Next, POSITION};
use crate::exec::{Looked, Record, Scout};
use crate::game::Game;
use crate::solve::ahead::guess;
use crate::solve::measure::{Measure, Strayed};
use crate::solve::telling::Halted;
use crate::solve::worth::{Asked, Worth, best};

/// How many positions are looked at between two looks at the limits.
const GLANCE: u64 = 1 << 10;

/// What is seen of a position.
pub enum Seen {
    /// The answer.
    Answered(bool),
    /// So many moves have to be searched.
    Open(usize),
}

/// Looks at positions of one game, and counts them.
pub struct Eyes<'a> {
    scout: Arc<dyn Scout + 'a>,
    /// What ends are worth.
    pub worth: Worth<'a>,
    /// What play raises; none where positions come back.
    measure: Option<Measure>,
    /// What play without end is worth to the first player; or why nobody knows.
    endless: Result<i32, String>,
    /// The limits of the work.
    pub limits: &'a Limits,
    progress: &'a dyn Progress,
    /// How many words a state has.
    size: usize,
    /// What the scout wrote last.
    records: Vec<u64>,
    /// Of each move that has to be searched after the last look, in how many ways who made it could win if he moved again;
    /// a number to choose by.
    pub hints: Vec<u32>,
    /// Whether these numbers are known.
    pub hinted: bool,
    /// The game, where what its rules guess is asked for.
    pub guesses: Option<&'a Game>,
    /// Whether moves that are answered by what the scout says of them are not searched.
    pub ahead: bool,
    /// By control: that in which the other player is to move.
    passed: Vec<Option<ControlId>>,
    /// By control: whether the first player acts.
    first: Vec<bool>,
    /// How many positions were looked at, and how many may be.
    pub nodes: u64,
    /// See [`nodes`](Self::nodes).
    pub most: u64,
}

impl<'a> Eyes<'a> {
    /// Eyes for play from a position, in which the measure rises, or which is worth so much where it never ends.
    pub fn new(
        asked: Asked<'a>,
        (from, measure, endless): (&Position, Option<Measure>, Result<i32, String>),
        (limits, progress): (&'a Limits, &'a dyn Progress),
    ) -> Eyes<'a> {
        let runner = asked.machine.runner();
        let first = runner.circuit().controls.ids().map(|id| asked.machine.actor(id) == 0).collect();
        let scout = runner.scout(&best(asked));
        let hinted = runner.circuit().groups.ids().any(|group| !scout.ways(group).is_empty());
        let turns = &asked.machine.lowered().turns;
        let other =
            |&(player, phase): &(u32, u32)| turns.iter().position(|&turn| turn == (1 - player, phase));
        let passed = turns.iter().map(|turn| other(turn).map(|control| ControlId(control as u32))).collect();
        Eyes {
            scout,
            worth: Worth::new(asked),
            measure,
            endless,
            limits,
            progress,
            size: from.words.len(),
            records: Vec::new(),
            hints: Vec::new(),
            hinted,
            guesses: None,
            ahead: true,
            passed,
            first,
            nodes: 0,
            most: u64::MAX,
        }
    }

    /// Whether the first player moves in positions of a control.
    pub fn is_first(&self, control: u32) -> bool {
        self.first[control as usize]
    }

    /// How many words a state has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Looks at the position whose words, with its control behind them, begin at a place; appends those of the moves that
    /// have to be searched. Who asks holds so many bytes.
    pub fn look(&mut self, out: &mut Vec<u64>, at: usize, t: i32, held_bytes: u64) -> Result<Seen, Halted> {
        self.count(held_bytes)?;
        let size = self.size;
        let control = ControlId(out[at + size] as u32);
        let room = self.scout.room(control);
        if self.records.len() < room {
            self.records.resize(room, 0);
        }
        let children = match self.scout.look((control, &out[at..at + size]), &mut self.records) {
            Ok(Looked::Over(end)) => return Ok(Seen::Answered(self.worth(end.ending, &end.scores)? >= t)),
            Ok(Looked::Open(children)) if children > 0 => children,
            _ => return Err(Halted::Broken(position(&out[at..=at + size]))),
        };
        self.hints.clear();
        let (first, before, length) = (self.is_first(control.0), out.len(), self.scout.record());
        for index in 0..children {
            let record = Record(&self.records[index * length..(index + 1) * length]);
            let child = &record.0[POSITION..][..=size];
            let next = record.next(size);
            let answer = if !self.ahead {
                None
            } else if let Some(end) = record.end(size) {
                let (ending, scores) = self.scout.ends()[end];
                let scores: SmallVec<[i64; 4]> = record.scores(size).take(scores).collect();
                Some(self.worth.of(ending, &scores).map_err(Halted::Wrong)? >= t)
            } else if next == Next::Wins {
                // Who is to move there gets what is best for him.
                Some(self.is_first(child[size] as u32))
            } else {
                None
            };
            match answer {
                Some(yes) if yes == first => {
                    out.truncate(before);
                    return Ok(Seen::Answered(yes));
                }
                Some(_) => {}
                None => {
                    self.hints.push(if let Next::Plays { threats, .. } = next { threats } else { 0 });
                    out.extend_from_slice(child);
                }
            }
        }
        match (out.len() - before) / (size + 1) {
            0 => Ok(Seen::Answered(!first)),
            open => Ok(Seen::Open(open)),
        }
    }

    /// The position as it would be if who is to move passed; none where the rules know no such position.
    pub fn passed(&self, at: &[u64]) -> Option<Vec<u64>> {
        let control = self.passed[at[self.size] as usize]?;
        let passed = Position { control, words: at[..self.size].into() };
        self.worth.asked.machine.runner().circuit().admits(&passed).then(|| words(&passed))
    }

    /// What the rules guess that a position is worth to the first player or the other one.
    pub fn guess(&self, at: &[u64], first: bool) -> Option<f64> {
        let state = self.worth.asked.machine.state(&position(at));
        guess::by_rules(self.guesses?, &state, u32::from(!first))?.to_f64()
    }

    /// The answer, if a look is enough for it.
    pub fn answered(&mut self, at: &mut Vec<u64>, t: i32) -> Result<Option<bool>, Halted> {
        Ok(match self.look(at, 0, t, 0)? {
            Seen::Answered(yes) => Some(yes),
            Seen::Open(_) => None,
        })
    }

    fn worth(&mut self, ending: u32, scores: &[i64]) -> Result<i32, Halted> {
        self.worth.of(ending, scores).map_err(Halted::Wrong)
    }

    /// Makes sure that a move does not come back to a position: see [`Measure::follow`]. Where it may after all, and the
    /// rules say what that is worth, the search begins again and looks out for it: what was found so far rests on play
    /// that ended.
    pub fn follow(&mut self, from: &[u64], to: &[u64], turns: u64) -> Result<u64, Halted> {
        let Some(measure) = &mut self.measure else { return Ok(0) };
        match measure.follow(&from[..=self.size], &to[..=self.size], turns) {
            Ok(turns) => Ok(turns),
            Err(Strayed::Learned) => Err(Halted::Learned),
            Err(Strayed::Endless) => match &self.endless {
                Ok(_) => {
                    self.measure = None;
                    Err(Halted::Learned)
                }
                Err(why) => Err(Halted::Wrong(why.clone())),
            },
        }
    }

    /// Where positions come back: what play without end is worth to the first player.
    pub fn endless(&self) -> Option<i32> {
        if self.measure.is_some() { None } else { self.endless.as_ref().ok().copied() }
    }

    /// One more position, unless a limit is reached.
    fn count(&mut self, held_bytes: u64) -> Result<(), Halted> {
        if self.nodes >= self.most {
            return Err(Halted::Enough);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(Halted::Limit(LimitHit::Positions));
        }
        if self.nodes.is_multiple_of(GLANCE) {
            if let Some(hit) = self.limits.check_held(held_bytes) {
                return Err(Halted::Limit(hit));
            }
            self.progress.positions(self.nodes, held_bytes);
        }
        self.nodes += 1;
        Ok(())
    }
}

/// A position from its words with its control behind them.
pub fn position(at: &[u64]) -> Position {
    let (&control, words) = at.split_last().expect("a control is there");
    Position { control: ControlId(control as u32), words: words.into() }
}

/// The words of a position with its control behind them.
pub fn words(at: &Position) -> Vec<u64> {
    at.words.iter().copied().chain([u64::from(at.control.0)]).collect()
}
