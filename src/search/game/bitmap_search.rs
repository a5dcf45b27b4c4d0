//! The reachable positions as a bitmap over [dense indices](super::dense_index).
//!
//! Technique: breadth-first search. It visits the indices of a ply in order, and sets the bit of each successor in the
//! bitmap of the next ply. Neighbouring indices have neighbouring successors, so nearly all accesses hit the cache.
//! Source: Korf, "Minimizing disk I/O in two-bit breadth-first search" (2008), and those named with the indices.
//! Cost: a bit for each index of a ply, reachable or not; a few steps a move.
//! *Invariant:* the bits do not depend on the order of the writes, so the result does not depend on the number of
//! threads.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::compiled::CompiledMachine;
use super::dense_index::{DenseCursor, DenseIndex};
use super::reachable_set::{EndingHistogram, ReachStats, SearchEnd};
use bouton_backend::{PositionRef, Status};
use bouton_base::key_table::zeroed_shared;
use bouton_base::limits::{LimitHit, Limits, Progress};

/// The maximal number of words of a task.
const MAX_TASK_WORDS: usize = 1 << 12;
/// The minimal number of tasks, if there are as many words.
const MIN_TASKS: usize = 64;
/// The number of tasks between two checks of the limits.
pub const TASKS_PER_CHECK: usize = 16;
/// The number of indices without a position that a search allows, besides those that it allows for each position.
const SPARE_INDICES: u64 = 1 << 22;

/// Positions as bitmaps over their dense indices.
#[derive(Debug)]
pub struct ReachableBitmap {
    /// The dense indices.
    pub ranking: DenseIndex,
    /// For each ply a bit for each index; empty if the ply is not held.
    pub plies: Vec<Vec<u64>>,
}

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct BitmapSearchOptions {
    /// The number of plies to expand, if there is a bound.
    pub plies: Option<u32>,
    /// True if all plies are held; otherwise only the last expanded one and the next.
    pub all: bool,
    /// The number of indices allowed for each position found.
    pub sparse: u64,
}

impl BitmapSearchOptions {
    /// The options for counting: plies are dropped after their expansion. An index takes a bit where a hash table takes
    /// ten bytes.
    pub const COUNT_ONLY: BitmapSearchOptions = BitmapSearchOptions { plies: None, all: false, sparse: 64 };
}

/// The reason why not all positions were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitmapSearchEnd {
    /// A limit was reached, or the callback stopped the search, or the circuit cannot decide a position.
    Ended(SearchEnd),
    /// There are too many indices for the positions found.
    Sparse,
}

impl From<LimitHit> for BitmapSearchEnd {
    fn from(hit: LimitHit) -> BitmapSearchEnd {
        BitmapSearchEnd::Ended(SearchEnd::Limit(hit))
    }
}

/// A callback at a barrier, where all threads are at rest: it receives the positions found and the next ply to expand.
pub type PlyCallback<'r> = dyn FnMut(&ReachableBitmap, u32) -> ControlFlow<()> + 'r;

/// Returns the number of words of a task, out of `words` words.
pub fn task_words(words: usize) -> usize {
    (words / MIN_TASKS).clamp(1, MAX_TASK_WORDS)
}

/// Calls `each` for the indices whose bits are set in some words; `before` is the number of words before the first.
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

/// The results of a task.
#[derive(Default)]
struct TaskStats {
    positions: u64,
    moves: u64,
    endings: EndingHistogram,
}

impl ReachableBitmap {
    /// Creates a search that holds only the start position.
    pub fn begin(ranking: DenseIndex) -> ReachableBitmap {
        ReachableBitmap { ranking, plies: vec![vec![1]] }
    }

    /// Returns the number of positions in the plies that are held.
    pub fn len(&self) -> u64 {
        self.plies.iter().map(|ply| count(ply)).sum()
    }

    /// Returns true if no positions are held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn held_bytes(&self) -> u64 {
        self.plies.iter().map(|ply| 8 * ply.len() as u64).sum()
    }

    /// Finds the positions reachable from the last ply that is held.
    pub fn search(
        &mut self,
        machine: &Arc<CompiledMachine>,
        wanted: BitmapSearchOptions,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut PlyCallback<'_>,
    ) -> Result<ReachStats, (BitmapSearchEnd, ReachStats)> {
        let mut met =
            ReachStats { plies: self.plies.iter().map(|ply| count(ply)).collect(), ..ReachStats::default() };
        let search = BitmapSearch { machine, wanted, limits, progress };
        match search.run(self, &mut met, at_rest) {
            Ok(()) => Ok(met),
            Err(why) => Err((why, met)),
        }
    }
}

/// A search that expands the plies of a bitmap one after another.
#[derive(Clone, Copy)]
struct BitmapSearch<'a> {
    machine: &'a CompiledMachine,
    wanted: BitmapSearchOptions,
    limits: &'a Limits,
    progress: &'a dyn Progress,
}

/// The buffers of one thread that expands positions of a ply.
struct PlyScratch<'a> {
    cursor: DenseCursor<'a>,
    /// The records of the moves of a position.
    records: Vec<u64>,
}

impl BitmapSearch<'_> {
    fn run(
        self,
        bitmap: &mut ReachableBitmap,
        met: &mut ReachStats,
        at_rest: &mut PlyCallback<'_>,
    ) -> Result<(), BitmapSearchEnd> {
        let BitmapSearch { wanted, limits, .. } = self;
        let mut found = met.plies.iter().sum::<u64>();
        // The plies of a resumed search count as well.
        let before = (1..bitmap.plies.len()).filter_map(|ply| bitmap.ranking.size(ply));
        let mut numbers = before.sum::<u64>();
        for ply in bitmap.plies.len() - 1.. {
            if wanted.plies.is_some_and(|plies| ply as u32 >= plies) {
                return Ok(());
            }
            // The last ply has no successors.
            let size = if ply + 1 < bitmap.ranking.plies() { bitmap.ranking.size(ply + 1) } else { Some(0) };
            let size = size.ok_or(BitmapSearchEnd::Sparse)?;
            numbers += size;
            if numbers > found * wanted.sparse + SPARE_INDICES {
                return Err(BitmapSearchEnd::Sparse);
            }
            let words = size.div_ceil(u64::from(u64::BITS)) as usize;
            let held = bitmap.held_bytes() + 8 * words as u64;
            if let Some(hit) = limits.check_held(held) {
                return Err(hit.into());
            }
            met.held_bytes = met.held_bytes.max(held);
            let next = zeroed_shared(words);
            self.expand(bitmap, ply, &next, met)?;
            let next: Vec<u64> = next.into_iter().map(AtomicU64::into_inner).collect();
            let positions = count(&next);
            if !wanted.all {
                bitmap.plies[ply] = Vec::new();
            }
            if positions == 0 {
                return Ok(());
            }
            found += positions;
            met.plies.push(positions);
            bitmap.plies.push(next);
            if at_rest(bitmap, ply as u32 + 1).is_break() {
                return Err(BitmapSearchEnd::Ended(SearchEnd::Stopped));
            }
        }
        Ok(())
    }

    /// Sets the bits of the successors of a ply.
    fn expand(
        self,
        bitmap: &ReachableBitmap,
        ply: usize,
        next: &[AtomicU64],
        met: &mut ReachStats,
    ) -> Result<(), BitmapSearchEnd> {
        let BitmapSearch { machine, limits, progress, .. } = self;
        let words = &bitmap.plies[ply];
        let each = task_words(words.len());
        let begin = || PlyScratch { cursor: bitmap.ranking.cursor(ply), records: Vec::new() };
        for (group, words) in words.chunks(each * TASKS_PER_CHECK).enumerate() {
            if let Some(hit) = limits.check() {
                return Err(hit.into());
            }
            let run = |scratch: &mut PlyScratch<'_>, (i, words): (usize, &[u64])| {
                let mut piece = TaskStats::default();
                each_number(words, (group * TASKS_PER_CHECK + i) * each, |number| {
                    piece.look(machine, scratch, number, next)
                })?;
                Ok(piece)
            };
            let tasks = words.par_chunks(each).enumerate().with_max_len(1);
            let done: Result<Vec<TaskStats>, SearchEnd> = tasks.map_init(begin, run).collect();
            for mut piece in done.map_err(BitmapSearchEnd::Ended)? {
                met.expanded += piece.positions;
                met.moves += piece.moves;
                piece.endings.drain_to(&mut met.endings);
            }
            progress.positions(met.expanded, met.held_bytes);
        }
        Ok(())
    }
}

impl TaskStats {
    #[inline]
    fn look(
        &mut self,
        machine: &CompiledMachine,
        scratch: &mut PlyScratch<'_>,
        number: u64,
        next: &[AtomicU64],
    ) -> Result<(), SearchEnd> {
        let PlyScratch { cursor, records } = scratch;
        records.clear();
        let (control, words) = cursor.at(number);
        let step = words.len() + 1;
        self.positions += 1;
        match machine
            .runner()
            .records(PositionRef { control, words }, records)
            .map_err(|_| SearchEnd::Undecided)?
        {
            Status::Over(ending) => self.endings.add(ending),
            Status::Open if records.is_empty() => return Err(SearchEnd::Undecided),
            Status::Open => {}
        }
        let mut records = &records[..];
        while let Some((record, others)) = records.split_at_checked(step) {
            let number = cursor.after(&record[1..]).ok_or(SearchEnd::Undecided)?;
            let (word, bit) = (&next[(number / 64) as usize], 1 << (number % 64));
            // Most bits are set already, and a load is cheaper than a write.
            if word.load(Relaxed) & bit == 0 {
                word.fetch_or(bit, Relaxed);
            }
            self.moves += 1;
            records = others;
        }
        Ok(())
    }
}
