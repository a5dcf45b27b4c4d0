//! df-pn: proof-number search depth first, in a table.
//!
//! Technique: a position is searched until one of its numbers reaches a threshold, beyond which the best-first search of
//! [PNS](super::pns) would turn elsewhere; so the tree is never held, only the way to the position looked at. Both sides
//! are one case: phi is what it takes for the mover to have his way, delta what it takes to stop him.
//! Source: Nagai, "Df-pn algorithm for searching AND/OR trees and its applications" (2002); thresholds of 1 + epsilon
//! times the second best: Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick" (2007); initial numbers
//! by mobility: Allis (1994) and, as df-pn+, Nagai (2002); weak numbers: Ueda and others (2008).
//! Cost: as many positions as best first, and those that were forgotten or left too early once more.
//! Invariant: what the table says is proved rests on ends of the game, whatever was forgotten. Each time a move is searched
//! its numbers come back at the threshold or beyond, so the search ends where play does; a [measure](super::super::measure)
//! sees to that.
//! Not taken: recursion, since play may be longer than a stack is deep; df-pn(r) (Kishimoto and Mueller 2003) for
//! positions that come back: such games are refused.

use super::numbers::{INFINITE, Numbers};
use super::question::{Eyes, Seen, position, words};
use super::table::{Key, Known, QUESTIONS, Table};
use super::{Initial, Prover, Tuning};
use crate::circuit::Position;
use crate::solve::telling::{ENDLESS, Halted};
use crate::solve::transpositions::{GREATEST, LEAST};

/// A move of a position being searched.
#[derive(Clone, Copy)]
struct Move {
    /// Where the words of the position it leads to begin.
    at: usize,
    numbers: Numbers,
}

/// A position being searched.
struct Frame {
    /// Where its words begin.
    at: usize,
    /// Its first move and the first words of its moves.
    moves: usize,
    words: usize,
    /// Whether its mover wants the answer to be yes.
    proves: bool,
    /// At which phi and delta it is left.
    thresholds: (u32, u32),
    /// The move that is searched.
    current: usize,
    /// The positions looked at before it.
    began: u64,
    /// The controls of the positions before it since the measure last rose.
    turns: u64,
}

/// The search.
pub struct Dfpn<'a> {
    eyes: Eyes<'a>,
    table: Table,
    tuning: Tuning,
    /// The questions asked so far. Numbers in the table belong to one.
    questions: Vec<i32>,
    frames: Vec<Frame>,
    moves: Vec<Move>,
    words: Vec<u64>,
}

impl<'a> Dfpn<'a> {
    /// A search with an empty table of at most so many bytes; none where that is too few.
    pub fn new(eyes: Eyes<'a>, tuning: Tuning, most: u64) -> Option<Dfpn<'a>> {
        let table = Table::new(eyes.size(), most)?;
        let (questions, frames) = (Vec::new(), Vec::new());
        Some(Dfpn { eyes, table, tuning, questions, frames, moves: Vec::new(), words: Vec::new() })
    }

    fn question(&mut self, t: i32) -> Result<u32, Halted> {
        let known = self.questions.iter().position(|&asked| asked == t);
        let number = known.unwrap_or_else(|| {
            self.questions.push(t);
            self.questions.len() - 1
        });
        let most = u32::try_from(number).ok().filter(|&number| number < QUESTIONS);
        most.ok_or_else(|| Halted::Wrong("there are too many different results for this method".into()))
    }

    fn search(&mut self, t: i32, question: u32) -> Result<Numbers, Halted> {
        let size = self.eyes.size();
        let mut done = self.enter(0, (t, question), (INFINITE, INFINITE), 0)?;
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Ok(done.unwrap_or(Numbers::answered(false)));
            };
            if let Some(numbers) = done.take() {
                self.moves[frame.current].numbers = numbers;
            }
            let moves = &self.moves[frame.moves..];
            let seen = moves.iter().map(|one| one.numbers.seen(frame.proves));
            let total = self.tuning.together.of(seen.clone());
            let here = total.held();
            if here.0 >= frame.thresholds.0 || here.1 >= frame.thresholds.1 {
                done = Some(self.leave(here, (t, question)));
                continue;
            }
            let Some((best, second)) = best_two(seen) else {
                return Err(Halted::Wrong(ENDLESS.into()));
            };
            let chosen = moves[best];
            let (_, delta) = chosen.numbers.seen(frame.proves);
            let beside = self.tuning.together.beside(total, delta);
            let thresholds = self.tuning.thresholds(frame.thresholds, second, beside);
            frame.current = frame.moves + best;
            let proves = self.eyes.is_first(self.words[chosen.at + size] as u32);
            let thresholds = if proves == frame.proves { thresholds } else { (thresholds.1, thresholds.0) };
            let (from, turns) = (frame.at, frame.turns);
            let turns = self.eyes.follow(&self.words[from..], &self.words[chosen.at..], turns)?;
            done = self.enter(chosen.at, (t, question), thresholds, turns)?;
        }
    }

    /// Begins to search a position whose words are there; or the numbers where there is no need to.
    fn enter(
        &mut self,
        at: usize,
        (t, question): (i32, u32),
        thresholds: (u32, u32),
        turns: u64,
    ) -> Result<Option<Numbers>, Halted> {
        let proves = self.eyes.is_first(self.words[at + self.eyes.size()] as u32);
        if let Some(numbers) = self.known(at, (t, question)) {
            let (phi, delta) = numbers.seen(proves);
            if phi >= thresholds.0 || delta >= thresholds.1 {
                return Ok(Some(numbers));
            }
        }
        let (began, first) = (self.eyes.nodes, self.words.len());
        let held_bytes = self.held_bytes();
        let open = match self.eyes.look(&mut self.words, at, t, held_bytes)? {
            Seen::Open(open) => open,
            Seen::Answered(yes) => {
                self.keep(at, Numbers::answered(yes), (t, question), 1);
                return Ok(Some(Numbers::answered(yes)));
            }
        };
        let frame = Frame {
            at,
            moves: self.moves.len(),
            words: first,
            proves,
            thresholds,
            current: self.moves.len(),
            began,
            turns,
        };
        for child in 0..open {
            let at = first + child * (self.eyes.size() + 1);
            let numbers = match self.known(at, (t, question)) {
                Some(numbers) => numbers,
                None => self.initial(at, (t, question))?,
            };
            self.moves.push(Move { at, numbers });
        }
        self.frames.push(frame);
        Ok(None)
    }

    /// What the table knows of a position.
    fn known(&self, at: usize, (t, question): (i32, u32)) -> Option<Numbers> {
        let known = self.table.get(self.key(at))?;
        if known.low >= t {
            return Some(Numbers::answered(true));
        }
        if known.high < t {
            return Some(Numbers::answered(false));
        }
        (known.question == question).then_some(known.numbers)
    }

    /// The numbers of a position that was never looked at.
    fn initial(&mut self, at: usize, (t, question): (i32, u32)) -> Result<Numbers, Halted> {
        if self.tuning.initial == Initial::One {
            return Ok(Numbers { proof: 1, disproof: 1 });
        }
        let (top, held_bytes) = (self.words.len(), self.held_bytes());
        let seen = self.eyes.look(&mut self.words, at, t, held_bytes)?;
        self.words.truncate(top);
        match seen {
            Seen::Open(moves) => {
                let proves = self.eyes.is_first(self.words[at + self.eyes.size()] as u32);
                Ok(Numbers::from_seen((1, moves as u32), proves))
            }
            Seen::Answered(yes) => {
                self.keep(at, Numbers::answered(yes), (t, question), 1);
                Ok(Numbers::answered(yes))
            }
        }
    }

    /// Is done with the last position for now.
    fn leave(&mut self, here: (u32, u32), asked: (i32, u32)) -> Numbers {
        let Some(frame) = self.frames.pop() else { return Numbers::answered(false) };
        let numbers = Numbers::from_seen(here, frame.proves);
        self.keep(frame.at, numbers, asked, self.eyes.nodes - frame.began);
        self.moves.truncate(frame.moves);
        self.words.truncate(frame.words);
        numbers
    }

    fn keep(&mut self, at: usize, numbers: Numbers, (t, question): (i32, u32), positions: u64) {
        let (low, high) = match numbers.answer() {
            Some(true) => (t, GREATEST),
            Some(false) => (LEAST, t - 1),
            None => (LEAST, GREATEST),
        };
        let size = self.eyes.size();
        let key = Key::of(&self.words[at..at + size], self.words[at + size] as u32);
        self.table.put(key, Known { low, high, question, numbers }, positions);
    }

    fn key(&self, at: usize) -> Key<'_> {
        let size = self.eyes.size();
        Key::of(&self.words[at..at + size], self.words[at + size] as u32)
    }
}

/// The move with the least phi, and the phi of the next best.
fn best_two(moves: impl Iterator<Item = (u32, u32)>) -> Option<(usize, u32)> {
    let mut best: Option<(usize, (u32, u32))> = None;
    let mut second = INFINITE;
    for (index, seen) in moves.enumerate() {
        match best {
            // Of two as good, the one that is less to be done with for the other side.
            Some((_, least)) if seen >= least => second = second.min(seen.0),
            _ => {
                second = best.map_or(second, |(_, least)| least.0.min(second));
                best = Some((index, seen));
            }
        }
    }
    best.map(|(index, _)| (index, second))
}

impl<'a> Prover<'a> for Dfpn<'a> {
    fn ask(&mut self, at: &Position, t: i32) -> Result<bool, Halted> {
        let question = self.question(t)?;
        loop {
            self.frames.clear();
            self.moves.clear();
            self.words = words(at);
            match self.search(t, question) {
                Err(Halted::Learned) => {}
                result => return result.map(|numbers| numbers.answer() == Some(true)),
            }
        }
    }

    fn eyes(&self) -> &Eyes<'a> {
        &self.eyes
    }

    fn eyes_mut(&mut self) -> &mut Eyes<'a> {
        &mut self.eyes
    }

    fn held_bytes(&self) -> u64 {
        let arenas = 8 * self.words.capacity() + size_of::<Move>() * self.moves.capacity();
        self.table.held_bytes() + (arenas + size_of::<Frame>() * self.frames.capacity()) as u64
    }

    fn way(&self) -> Vec<Position> {
        let size = self.eyes.size();
        self.frames.iter().map(|frame| position(&self.words[frame.at..=frame.at + size])).collect()
    }
}
