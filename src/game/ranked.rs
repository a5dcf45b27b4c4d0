//! All positions that moves lead to, where positions are [numbers](super::ranking): a bit for each number.
//!
//! Technique: breadth first; the numbers of a ply are gone through in their order, and the bit of each position that a
//! move leads to is set in the next ply. What follows one another has moves to what lies together, so nearly all of it
//! is near the processor.
//! Source: Korf, "Minimizing disk I/O in two-bit breadth-first search" (2008), and those named with the numbers.
//! Cost: a bit for each number of a ply, whether play reaches it or not; a few steps a move.
//! *Invariant:* what is set does not depend on who comes first, so the result does not on the number of threads.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::closure::{Ended, Endings, Met};
use super::compiled::CompiledMachine;
use super::ranking::{Cursor, Ranking};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::base::mem::zeroed_shared;
use crate::exec::Status;

/// A task has at most so many words of bits.
const WORDS: usize = 1 << 12;
/// At least so many tasks, where there are as many words.
const TASKS: usize = 64;
/// So many tasks are done between two looks at the limits.
pub const AT_ONCE: usize = 16;
/// So many numbers may be there that no position has, besides those that are allowed for each position.
const SPARE: u64 = 1 << 22;

/// Positions by their numbers.
#[derive(Debug)]
pub struct Ranked {
    /// How positions are numbers.
    pub ranking: Ranking,
    /// For each ply a bit for each number; none where it is not held.
    pub plies: Vec<Vec<u64>>,
}

/// What is gathered.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What moves lead to is asked up to so many plies.
    pub plies: Option<u32>,
    /// Whether all plies are held; otherwise only the last one that was looked at and the next.
    pub all: bool,
    /// How many numbers there may be for each position that is found.
    pub sparse: u64,
}

impl Wanted {
    /// For who only counts: what is not looked at any more is not held, and a number takes a bit where a hash takes ten
    /// bytes.
    pub const ONCE: Wanted = Wanted { plies: None, all: false, sparse: 64 };
}

/// Why positions were not all gathered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unranked {
    /// A limit was reached, or who was told at rest wanted no more, or the circuit does not know enough.
    Ended(Ended),
    /// There are too many numbers for the positions that are found.
    Sparse,
}

impl From<LimitHit> for Unranked {
    fn from(hit: LimitHit) -> Unranked {
        Unranked::Ended(Ended::Limit(hit))
    }
}

/// Told of what was gathered while all threads are at rest, and which ply is looked at next.
pub type AtRest<'r> = dyn FnMut(&Ranked, u32) -> ControlFlow<()> + 'r;

/// How many of so many words a task has.
pub fn stretch(words: usize) -> usize {
    (words / TASKS).clamp(1, WORDS)
}

/// Gives the numbers whose bits are set in some words, of which the first is that of so many before.
#[inline]
pub fn each_number<E>(
    words: &[u64],
    before: usize,
    mut each: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    for (i, &word) in words.iter().enumerate() {
        let (mut left, first) = (word, (before + i) as u64 * u64::from(u64::BITS));
        while left != 0 {
            each(first + u64::from(left.trailing_zeros()))?;
            left &= left - 1;
        }
    }
    Ok(())
}

fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// What was met in a task.
#[derive(Default)]
struct Piece {
    positions: u64,
    moves: u64,
    endings: Endings,
}

impl Ranked {
    /// Nothing but the first position.
    pub fn begin(ranking: Ranking) -> Ranked {
        Ranked { ranking, plies: vec![vec![1]] }
    }

    /// How many positions there are in the plies that are held.
    pub fn len(&self) -> u64 {
        self.plies.iter().map(|ply| count(ply)).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.plies.iter().map(|ply| 8 * ply.len() as u64).sum()
    }

    /// Gathers what moves lead to from the last ply that is held, and from there.
    pub fn gather(
        &mut self,
        machine: &Arc<CompiledMachine>,
        wanted: Wanted,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut AtRest<'_>,
    ) -> Result<Met, (Unranked, Met)> {
        let mut met = Met { plies: self.plies.iter().map(|ply| count(ply)).collect(), ..Met::default() };
        match self.go_on(machine, wanted, limits, progress, (&mut met, at_rest)) {
            Ok(()) => Ok(met),
            Err(why) => Err((why, met)),
        }
    }

    fn go_on(
        &mut self,
        machine: &Arc<CompiledMachine>,
        wanted: Wanted,
        limits: &Limits,
        progress: &dyn Progress,
        (met, at_rest): (&mut Met, &mut AtRest<'_>),
    ) -> Result<(), Unranked> {
        let mut found = met.plies.iter().sum::<u64>();
        // What is gone on with has had its numbers before.
        let before = (1..self.plies.len()).filter_map(|ply| self.ranking.size(ply));
        let mut numbers = before.sum::<u64>();
        for ply in self.plies.len() - 1.. {
            if wanted.plies.is_some_and(|plies| ply as u32 >= plies) {
                return Ok(());
            }
            // Behind the last ply there is nothing for moves to lead to.
            let size = if ply + 1 < self.ranking.plies() { self.ranking.size(ply + 1) } else { Some(0) };
            let size = size.ok_or(Unranked::Sparse)?;
            numbers += size;
            if numbers > found * wanted.sparse + SPARE {
                return Err(Unranked::Sparse);
            }
            let words = size.div_ceil(u64::from(u64::BITS)) as usize;
            let held = self.held_bytes() + 8 * words as u64;
            if let Some(hit) = limits.check_held(held) {
                return Err(hit.into());
            }
            met.held_bytes = met.held_bytes.max(held);
            let next = zeroed_shared(words);
            self.expand(machine, (ply, &next), met, limits, progress)?;
            let next: Vec<u64> = next.into_iter().map(AtomicU64::into_inner).collect();
            let positions = count(&next);
            if !wanted.all {
                self.plies[ply] = Vec::new();
            }
            if positions == 0 {
                return Ok(());
            }
            found += positions;
            met.plies.push(positions);
            self.plies.push(next);
            if at_rest(self, ply as u32 + 1).is_break() {
                return Err(Unranked::Ended(Ended::Left));
            }
        }
        Ok(())
    }

    /// Sets the bits of what the moves of a ply lead to.
    fn expand(
        &self,
        machine: &Arc<CompiledMachine>,
        (ply, next): (usize, &[AtomicU64]),
        met: &mut Met,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<(), Unranked> {
        let words = &self.plies[ply];
        let each = stretch(words.len());
        let begin = || (self.ranking.cursor(ply), Vec::new());
        for (group, words) in words.chunks(each * AT_ONCE).enumerate() {
            if let Some(hit) = limits.check() {
                return Err(hit.into());
            }
            let run = |(cursor, records): &mut (Cursor<'_>, Vec<u64>), (i, words): (usize, &[u64])| {
                let mut piece = Piece::default();
                each_number(words, (group * AT_ONCE + i) * each, |number| {
                    piece.look(machine, (cursor, number), records, next)
                })?;
                Ok(piece)
            };
            let tasks = words.par_chunks(each).enumerate().with_max_len(1);
            let done: Result<Vec<Piece>, Ended> = tasks.map_init(begin, run).collect();
            for mut piece in done.map_err(Unranked::Ended)? {
                met.expanded += piece.positions;
                met.moves += piece.moves;
                piece.endings.drain_to(&mut met.endings);
            }
            progress.positions(met.expanded, met.held_bytes);
        }
        Ok(())
    }
}

impl Piece {
    #[inline]
    fn look(
        &mut self,
        machine: &CompiledMachine,
        (cursor, number): (&mut Cursor<'_>, u64),
        records: &mut Vec<u64>,
        next: &[AtomicU64],
    ) -> Result<(), Ended> {
        records.clear();
        let (control, words) = cursor.at(number);
        let step = words.len() + 1;
        self.positions += 1;
        match machine.runner().records((control, words), records).map_err(|_| Ended::Odd)? {
            Status::Over(ending) => self.endings.add(ending),
            Status::Open if records.is_empty() => return Err(Ended::Odd),
            Status::Open => {}
        }
        let mut records = &records[..];
        while let Some((record, others)) = records.split_at_checked(step) {
            let number = cursor.after(&record[1..]).ok_or(Ended::Odd)?;
            let (word, bit) = (&next[(number / 64) as usize], 1 << (number % 64));
            // Most have been found before, and to look is cheaper than to write.
            if word.load(Relaxed) & bit == 0 {
                word.fetch_or(bit, Relaxed);
            }
            self.moves += 1;
            records = others;
        }
        Ok(())
    }
}
