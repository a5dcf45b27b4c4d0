//! A transposition table of proof numbers and proved bounds, with replacement of the smallest subtree.
//!
//! Technique: buckets of four entries; the entry with the smallest subtree is replaced. Proved bounds of a position
//! hold for every question; its numbers belong to one question and are useless for another.
//! Source: Nagai, "A new depth-first-search algorithm for AND/OR trees" (1999): SmallTreeReplacement, which needs no
//! pauses, in place of his SmallTreeGC, restricted to a bucket here.
//! Cost: one bucket, two or three cache lines, for each lookup.
//! Invariant: an entry holds the whole key. The table never exceeds its memory budget.

use super::numbers::ProofNumbers;
use crate::solve::transpositions::{SCORE_MAX, SCORE_MIN, hash};
use bouton_base::key_table::prefetch;

/// The number of entries of a bucket.
const BUCKET_ENTRIES: usize = 4;
/// The initial number of buckets.
const INITIAL_BUCKETS: usize = 1 << 9;
/// The table grows once it has dropped one entry in this many.
const GROWTH_LOSS_DIVISOR: usize = 8;
/// The exclusive upper bound of question numbers that fit in an entry.
pub const MAX_QUESTIONS: u32 = (1 << 12) - 1;
/// The number of low bits of a key's control field that hold the control; the rest distinguishes several trees of one
/// position.
pub const CONTROL_BITS: u32 = 12;
/// The number of bits of the control field.
const CONTROL_FIELD_BITS: u32 = 20;

/// The table entry of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DfpnEntry {
    /// A lower bound of the first player's payoff.
    pub low: i32,
    /// An upper bound of it.
    pub high: i32,
    /// The number of the last question.
    pub question: u32,
    /// The proof and disproof number for that question.
    pub numbers: ProofNumbers,
}

/// The lookup key of a position.
#[derive(Clone, Copy)]
pub struct DfpnKey<'a> {
    pub hash: u64,
    pub words: &'a [u64],
    /// The number of its control, less than [`MAX_CONTROLS`](crate::solve::transpositions::MAX_CONTROLS), and above
    /// [`CONTROL_BITS`] the number of one of several trees of the position.
    pub control: u32,
}

impl<'a> DfpnKey<'a> {
    pub fn of(words: &'a [u64], control: u32) -> DfpnKey<'a> {
        DfpnKey { hash: hash(words, control), words, control }
    }
}

/// A bucketed transposition table.
pub struct DfpnTable {
    /// By entry: the words of the state; then bounds, control and effort in one word, which is 0 for an empty entry;
    /// then numbers and question in another.
    entries: Vec<u64>,
    /// The number of words of a state.
    words: usize,
    buckets: usize,
    lost: usize,
    /// The memory budget in bytes; 0 once the table can no longer grow.
    most: u64,
}

impl DfpnTable {
    /// Creates an empty table for states of `words` words within a budget of `most` bytes; `None` if the budget is too
    /// small.
    pub fn new(words: usize, most: u64) -> Option<DfpnTable> {
        let entries = INITIAL_BUCKETS * BUCKET_ENTRIES * (words + 2);
        (8 * entries as u64 <= most).then(|| DfpnTable {
            entries: vec![0; entries],
            words,
            buckets: INITIAL_BUCKETS,
            lost: 0,
            most,
        })
    }

    /// The allocated size in bytes.
    pub fn held_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// The number of words of an entry.
    fn size(&self) -> usize {
        self.words + 2
    }

    /// Returns the indices of the entries of a bucket.
    fn bucket(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let size = self.size();
        let first = ((u128::from(hash) * self.buckets as u128) >> 64) as usize * BUCKET_ENTRIES * size;
        (0..BUCKET_ENTRIES).map(move |way| first + way * size)
    }

    fn find(&self, key: DfpnKey<'_>) -> Option<usize> {
        self.bucket(key.hash).find(|&at| {
            let head = self.entries[at + self.words];
            head != 0
                && head >> 32 & ((1 << CONTROL_FIELD_BITS) - 1) == u64::from(key.control)
                && self.entries[at..at + self.words] == *key.words
        })
    }

    fn read(&self, at: usize) -> (DfpnEntry, u32) {
        let (head, tail) = (self.entries[at + self.words], self.entries[at + self.words + 1]);
        let number = |shift: u32| (tail >> shift) as u32 & ((1 << 26) - 1);
        let known = DfpnEntry {
            low: i32::from(head as u16 as i16),
            high: i32::from((head >> 16) as u16 as i16),
            question: (tail >> 52) as u32,
            numbers: ProofNumbers { proof: number(0), disproof: number(26) },
        };
        (known, (head >> (32 + CONTROL_FIELD_BITS)) as u32)
    }

    fn write(&mut self, at: usize, key: DfpnKey<'_>, known: DfpnEntry, effort: u32) {
        let bound = |bound: i32| u64::from(bound.clamp(SCORE_MIN, SCORE_MAX) as i16 as u16);
        let numbers = known.numbers;
        self.entries[at..at + self.words].copy_from_slice(key.words);
        self.entries[at + self.words] = bound(known.low)
            | bound(known.high) << 16
            | u64::from(key.control) << 32
            | u64::from(effort) << (32 + CONTROL_FIELD_BITS);
        self.entries[at + self.words + 1] =
            u64::from(numbers.proof) | u64::from(numbers.disproof) << 26 | u64::from(known.question) << 52;
    }

    /// Returns the entry of a position.
    pub fn get(&self, key: DfpnKey<'_>) -> Option<DfpnEntry> {
        self.find(key).map(|at| self.read(at).0)
    }

    /// Prefetches the bucket of a position.
    pub fn prefetch(&self, key: DfpnKey<'_>) {
        if let Some(first) = self.bucket(key.hash).next() {
            prefetch(&self.entries[first]);
            prefetch(&self.entries[first + 2 * self.size()]);
        }
    }

    /// Returns the approximate number of positions spent on the entry of a position; 0 if there is none.
    pub fn effort(&self, key: DfpnKey<'_>) -> u64 {
        self.find(key).map_or(0, |at| (f64::from(self.read(at).1) / 4.0).exp2() as u64)
    }

    /// Stores the result of a position, merged with its known bounds; may replace another entry. `positions` is the
    /// size of its subtree.
    pub fn put(&mut self, key: DfpnKey<'_>, mut known: DfpnEntry, positions: u64) {
        // Effort is quantized to quarters of a binary order of magnitude, so subtrees of similar size tie.
        let effort = (4.0 * (positions.max(1) as f64).log2()) as u32 + 1;
        if let Some(at) = self.find(key) {
            let (old, before) = self.read(at);
            known.low = known.low.max(old.low);
            known.high = known.high.min(old.high);
            return self.write(at, key, known, effort.max(before));
        }
        self.insert(key, known, effort);
        if self.lost > BUCKET_ENTRIES * self.buckets / GROWTH_LOSS_DIVISOR {
            self.grow();
        }
    }

    fn insert(&mut self, key: DfpnKey<'_>, known: DfpnEntry, effort: u32) {
        let small = |&at: &usize| match self.entries[at + self.words] {
            0 => 0,
            head => head >> (32 + CONTROL_FIELD_BITS),
        };
        let Some(at) = self.bucket(key.hash).min_by_key(small) else { return };
        self.lost += usize::from(self.entries[at + self.words] != 0);
        self.write(at, key, known, effort);
    }

    /// Grows the table by up to a factor of two, as long as the old and the new one fit in the budget together.
    fn grow(&mut self) {
        self.lost = 0;
        let size = self.size();
        let bucket = (8 * BUCKET_ENTRIES * size) as u64;
        let buckets = (2 * self.buckets as u64).min(self.most.saturating_sub(self.held_bytes()) / bucket);
        if buckets < self.buckets as u64 + self.buckets as u64 / 4 {
            // It can never grow again.
            self.most = 0;
            return;
        }
        let old = std::mem::take(&mut self.entries);
        let entries = buckets as usize * BUCKET_ENTRIES * size;
        let mut larger = DfpnTable { entries: vec![0; entries], buckets: buckets as usize, lost: 0, ..*self };
        let before = DfpnTable { entries: old, ..*self };
        for at in (0..before.entries.len()).step_by(size).filter(|at| before.entries[at + self.words] != 0) {
            let control = (before.entries[at + self.words] >> 32 & ((1 << CONTROL_FIELD_BITS) - 1)) as u32;
            let (known, effort) = before.read(at);
            larger.insert(DfpnKey::of(&before.entries[at..at + self.words], control), known, effort);
        }
        *self = DfpnTable { lost: 0, ..larger };
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::INFINITE;
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_took_most_work_stays_and_is_said_of_its_position() {
        assert!(DfpnTable::new(2, 1000).is_none());
        let mut table = DfpnTable::new(2, 200_000).expect("room");
        let mut all = HashMap::new();
        for n in 0..20_000u64 {
            let (words, control) = ([n % 5000, n / 7], (n % 3) as u32);
            let numbers = ProofNumbers { proof: n as u32, disproof: INFINITE - n as u32 };
            let question = n as u32 % MAX_QUESTIONS;
            let known = DfpnEntry { low: n as i32 % 90 - 100, high: n as i32 % 70, question, numbers };
            table.put(DfpnKey::of(&words, control), known, if n % 16 == 0 { 100_000 } else { n % 10 });
            all.insert((words, control), (known, n % 16 == 0));
        }
        assert!(table.held_bytes() > 90_000 && table.held_bytes() <= 200_000, "{}", table.held_bytes());
        let mut kept = [0; 2];
        for (&(words, control), &(known, large)) in &all {
            let here = table.get(DfpnKey::of(&words, control));
            assert!(here.is_none_or(|here| here == known));
            kept[usize::from(large)] += usize::from(here.is_some());
        }
        // About an eighth of the others fits.
        assert!(kept[1] > 1100 && kept[0] > 1000, "{kept:?}");
        assert_eq!(table.get(DfpnKey::of(&[1, 9], 7)), None);
    }

    #[test]
    fn bounds_stay_while_questions_change() {
        let mut table = DfpnTable::new(1, 1 << 20).expect("room");
        let key = DfpnKey::of(&[5], 0);
        let open = ProofNumbers { proof: 2, disproof: 3 };
        table.put(
            key,
            DfpnEntry { low: 0, high: SCORE_MAX, question: 1, numbers: ProofNumbers::answered(true) },
            1,
        );
        table.put(key, DfpnEntry { low: SCORE_MIN, high: 7, question: 2, numbers: open }, 9);
        assert_eq!(table.get(key), Some(DfpnEntry { low: 0, high: 7, question: 2, numbers: open }));
    }
}
