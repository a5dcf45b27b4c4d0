//! A transposition table of bounds and best moves, shared between threads.
//!
//! Technique: buckets of two entries. One keeps the result of the most work, the other the latest one. A bit of each
//! bucket is its lock, so threads that share the table contend only for a cache line that they need anyway. A thread
//! with exclusive access takes no locks: a locked operation waits for all earlier writes to reach memory.
//! Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes and memory" (1994): their scheme `TwoBig1`.
//! Cost: one bucket, one or two cache lines, for each lookup.
//! Invariant: an entry holds the whole key, so it belongs to this position and no other, and never mixes the writes of
//! two threads. The table never exceeds its memory budget. It grows only under exclusive access.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use bouton_base::key_table;

/// The multiplier of the hash: odd, with bits all over, from the golden ratio.
const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// The initial number of buckets.
const INITIAL_BUCKETS: usize = 1 << 10;
/// The table grows once it has dropped one entry in this many.
const GROWTH_LOSS_DIVISOR: usize = 8;

/// The minimal bound that an entry holds; it stands for no bound.
pub const SCORE_MIN: i32 = i16::MIN as i32;
/// The maximal bound that an entry holds; it stands for no bound.
pub const SCORE_MAX: i32 = i16::MAX as i32;
/// The exclusive upper bound of controls that fit in an entry.
pub const MAX_CONTROLS: usize = 1 << 12;
/// The exclusive upper bound of move numbers that fit in an entry.
const MAX_MOVES: u32 = (1 << 13) - 1;
/// The lock of a bucket: a bit of the last word of its first entry.
const LOCK_BIT: u64 = 1 << 63;

/// The table entry of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TranspositionEntry {
    /// A lower bound of the value.
    pub low: i32,
    /// An upper bound of the value.
    pub high: i32,
    /// The number of the best move.
    pub best: Option<u32>,
}

/// A bucketed transposition table.
pub struct TranspositionTable {
    /// By entry: the words of the state, then all else in one word, which is 0 for an empty entry.
    entries: Vec<AtomicU64>,
    /// The number of words of a key.
    words: usize,
    buckets: usize,
    /// The number of entries dropped since the table grew or a question began.
    lost: AtomicUsize,
    /// The memory budget in bytes, which also covers growth.
    most: u64,
    /// True if it may still grow.
    grows: bool,
    /// True if threads share it, so that buckets need locks.
    shared: bool,
}

/// The last word of an entry, unpacked.
#[derive(Clone, Copy)]
struct PackedBounds {
    low: i16,
    high: i16,
    control: u32,
    /// 1 plus the binary logarithm of the positions visited for it.
    effort: u32,
    /// 0, or 1 plus the number of the best move.
    best: u32,
}

impl PackedBounds {
    fn of(word: u64) -> PackedBounds {
        PackedBounds {
            low: word as u16 as i16,
            high: (word >> 16) as u16 as i16,
            control: (word >> 32) as u32 & 0xfff,
            effort: (word >> 44) as u32 & 0x3f,
            best: ((word & !LOCK_BIT) >> 50) as u32,
        }
    }

    fn word(self) -> u64 {
        let bounds = u64::from(self.low as u16) | u64::from(self.high as u16) << 16;
        bounds | u64::from(self.control) << 32 | u64::from(self.effort) << 44 | u64::from(self.best) << 50
    }
}

/// Returns the hash of a position.
pub fn hash(words: &[u64], control: u32) -> u64 {
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(HASH_MULTIPLIER);
        mixed ^ mixed >> 32
    };
    mix(words.iter().fold(u64::from(control) + 1, |hash, &word| mix(hash, word)), HASH_MULTIPLIER)
}

/// A locked bucket, until it is dropped.
struct LockedBucket<'t> {
    table: &'t TranspositionTable,
    /// The index of its first word.
    at: usize,
    /// The last words of its entries.
    tails: [u64; 2],
    /// True if they must be written back.
    changed: bool,
}

impl Drop for LockedBucket<'_> {
    fn drop(&mut self) {
        let words = self.table.words;
        if self.changed {
            self.table.entries[self.at + 2 * words + 1].store(self.tails[1], Ordering::Relaxed);
        }
        if self.changed || self.table.shared {
            self.table.entries[self.at + words].store(self.tails[0], Ordering::Release);
        }
    }
}

impl LockedBucket<'_> {
    fn key(&self, entry: usize) -> &[AtomicU64] {
        let words = self.table.words;
        &self.table.entries[self.at + entry * (words + 1)..][..words]
    }

    /// Returns the entry of a position.
    fn find(&self, words: &[u64], control: u32) -> Option<(usize, PackedBounds)> {
        (0..2).find_map(|entry| {
            let tail = PackedBounds::of(self.tails[entry]);
            let same = || self.key(entry).iter().zip(words).all(|(a, &b)| a.load(Ordering::Relaxed) == b);
            (self.tails[entry] != 0 && tail.control == control && same()).then_some((entry, tail))
        })
    }

    /// The effort of an entry; 0 if it is empty.
    fn effort(&self, entry: usize) -> u32 {
        if self.tails[entry] == 0 { 0 } else { PackedBounds::of(self.tails[entry]).effort }
    }

    fn set(&mut self, entry: usize, words: &[u64], tail: PackedBounds) {
        self.key(entry).iter().zip(words).for_each(|(to, &word)| to.store(word, Ordering::Relaxed));
        self.set_tail(entry, tail.word());
    }

    fn set_tail(&mut self, entry: usize, word: u64) {
        self.tails[entry] = word;
        self.changed = true;
    }

    /// Inserts the entry of a new position; returns true if that drops another one.
    fn insert(&mut self, words: &[u64], tail: PackedBounds) -> bool {
        let lost = self.effort(1) > 0;
        if tail.effort < self.effort(0) {
            self.set(1, words, tail);
            return lost;
        }
        let moves = self.effort(0) > 0;
        if moves {
            let (from, to) = (self.key(0), self.key(1));
            from.iter()
                .zip(to)
                .for_each(|(from, to)| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed));
            self.set_tail(1, self.tails[0]);
        }
        self.set(0, words, tail);
        lost && moves
    }
}

/// Spins until a bucket is free, and locks it; returns the word with its lock bit as it was before.
fn locked(lock: &AtomicU64) -> u64 {
    loop {
        let had = lock.fetch_or(LOCK_BIT, Ordering::Acquire);
        if had & LOCK_BIT == 0 {
            return had;
        }
        std::hint::spin_loop();
    }
}

impl TranspositionTable {
    /// Creates an empty table for states of `words` words within a budget of `most` bytes; `None` if the budget is too
    /// small.
    pub fn new(words: usize, most: u64) -> Option<TranspositionTable> {
        let size = INITIAL_BUCKETS * 2 * (words + 1);
        (8 * size as u64 <= most).then(|| TranspositionTable {
            entries: key_table::zeroed_shared(size),
            words,
            buckets: INITIAL_BUCKETS,
            lost: AtomicUsize::new(0),
            most,
            grows: true,
            shared: false,
        })
    }

    /// Sets if threads share the table from now on.
    pub fn set_shared(&mut self, shared: bool) {
        self.shared = shared;
    }

    /// Begins a new question: entries dropped before it do not count towards growth.
    pub fn begin_question(&self) {
        self.lost.store(0, Ordering::Relaxed);
    }

    /// The allocated size in bytes.
    pub fn held_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// Returns the index of the first word of a bucket.
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize * 2 * (self.words + 1)
    }

    fn bucket(&self, hash: u64) -> LockedBucket<'_> {
        let at = self.place(hash);
        let first = &self.entries[at + self.words];
        let first = if self.shared { locked(first) } else { first.load(Ordering::Relaxed) };
        let second = self.entries[at + 2 * self.words + 1].load(Ordering::Relaxed);
        LockedBucket { table: self, at, tails: [first, second], changed: false }
    }

    /// Prefetches the bucket of a hash.
    pub fn prefetch(&self, hash: u64) {
        let at = self.place(hash);
        key_table::prefetch(&self.entries[at]);
        key_table::prefetch(&self.entries[at + 2 * self.words + 1]);
    }

    /// Returns the entry of a position.
    pub fn get(&self, hash: u64, words: &[u64], control: u32) -> Option<TranspositionEntry> {
        let (_, tail) = self.bucket(hash).find(words, control)?;
        Some(TranspositionEntry {
            low: tail.low.into(),
            high: tail.high.into(),
            best: tail.best.checked_sub(1),
        })
    }

    /// Stores the bounds of a position, merged with known ones; may replace another entry.
    pub fn put(&self, hash: u64, words: &[u64], control: u32, known: TranspositionEntry, positions: u64) {
        let mut tail = PackedBounds {
            low: known.low.clamp(SCORE_MIN, SCORE_MAX) as i16,
            high: known.high.clamp(SCORE_MIN, SCORE_MAX) as i16,
            control,
            effort: 1 + positions.max(1).ilog2().min(62),
            best: known.best.filter(|&best| best < MAX_MOVES).map_or(0, |best| best + 1),
        };
        let mut bucket = self.bucket(hash);
        if let Some((entry, old)) = bucket.find(words, control) {
            tail.low = tail.low.max(old.low);
            tail.high = tail.high.min(old.high);
            tail.effort = tail.effort.max(old.effort);
            tail.best = if tail.best == 0 { old.best } else { tail.best };
            bucket.set_tail(entry, tail.word());
        } else if bucket.insert(words, tail) && self.grows {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns true if the table has dropped so many entries that it should grow, and can.
    pub fn is_crowded(&self) -> bool {
        self.grows && self.lost.load(Ordering::Relaxed) > 2 * self.buckets / GROWTH_LOSS_DIVISOR
    }

    /// Grows the table, as long as the old and the new one fit in the budget together.
    pub fn grow(&mut self) {
        *self.lost.get_mut() = 0;
        let size = self.words + 1;
        let room = self.most.saturating_sub(self.held_bytes()) / (2 * size as u64 * 8);
        // Doubles the size; takes all the budget if it could not double once more.
        let buckets = if room < 4 * self.buckets as u64 { room } else { 2 * self.buckets as u64 };
        if buckets < self.buckets as u64 + self.buckets as u64 / 4 {
            self.grows = false;
            return;
        }
        let old = std::mem::replace(&mut self.entries, key_table::zeroed_shared(buckets as usize * 2 * size));
        self.buckets = buckets as usize;
        let mut key = vec![0; size];
        for entry in old.chunks_exact(size) {
            key.iter_mut().zip(entry).for_each(|(to, word)| *to = word.load(Ordering::Relaxed));
            let (words, tail) = (&key[..size - 1], key[size - 1]);
            if tail != 0 {
                let tail = PackedBounds::of(tail);
                self.bucket(hash(words, tail.control)).insert(words, tail);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_is_said_is_said_of_this_position() {
        let mut table = TranspositionTable::new(2, 200_000).expect("room");
        assert!(TranspositionTable::new(2, 1000).is_none());
        let mut all = HashMap::new();
        let known = |low, high, best| TranspositionEntry { low, high, best };
        for n in 0..20_000u64 {
            let (words, control) = ([n % 5000, n / 7], (n % 3) as u32);
            let said = known(n as i32 % 90 - 100, n as i32 % 70, Some(n as u32));
            table.put(hash(&words, control), &words, control, said, n);
            if table.is_crowded() {
                table.grow();
            }
            all.insert((words, control), said);
        }
        assert!(table.held_bytes() > 90_000 && table.held_bytes() <= 200_000, "{}", table.held_bytes());
        let mut found = 0;
        for (&(words, control), &said) in &all {
            let here = table.get(hash(&words, control), &words, control);
            found += usize::from(here.is_some());
            assert!(here.is_none_or(|here| {
                let best = said.best.filter(|&best| best < MAX_MOVES);
                here == TranspositionEntry { best, ..said }
            }));
        }
        assert!(found > 3000, "{found}");
        assert_eq!(table.get(hash(&[1, 9], 7), &[1, 9], 7), None);
    }

    #[test]
    fn threads_share_what_they_know() {
        let most = 1 << 22;
        let mut table = TranspositionTable::new(1, most).expect("room");
        (0..7).for_each(|_| table.grow());
        table.set_shared(true);
        let mean = |n: u64| TranspositionEntry { low: n as i32 % 50, high: 60, best: None };
        let write = |from: u64| {
            (from..40_000).step_by(2).for_each(|n| table.put(hash(&[n], 0), &[n], 0, mean(n), n));
        };
        rayon::join(|| write(0), || write(1));
        let found = (0..40_000u64).filter_map(|n| Some((n, table.get(hash(&[n], 0), &[n], 0)?)));
        let found: Vec<_> = found.collect();
        assert!(found.len() > 35_000, "{}", found.len());
        assert!(found.iter().all(|&(n, known)| known == mean(n)));
        assert!(table.held_bytes() <= most);
    }

    #[test]
    fn what_earlier_questions_forgot_is_no_reason_to_grow() {
        let table = TranspositionTable::new(1, 1 << 20).expect("room");
        let known = TranspositionEntry { low: 0, high: SCORE_MAX, best: None };
        let fill = |from: u64| {
            (from..from + 4000).for_each(|n| table.put(hash(&[n], 0), &[n], 0, known, 1));
        };
        fill(0);
        assert!(table.is_crowded());
        table.begin_question();
        assert!(!table.is_crowded());
        fill(4000);
        assert!(table.is_crowded());
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let table = TranspositionTable::new(1, 1 << 20).expect("room");
        let key = hash(&[5], 0);
        table.put(key, &[5], 0, TranspositionEntry { low: 0, high: SCORE_MAX, best: Some(3) }, 1);
        table.put(key, &[5], 0, TranspositionEntry { low: SCORE_MIN, high: 0, best: None }, 9);
        assert_eq!(table.get(key, &[5], 0), Some(TranspositionEntry { low: 0, high: 0, best: Some(3) }));
    }
}
