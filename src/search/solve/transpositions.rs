//! A transposition table of bounds and best moves.
//!
//! Technique: buckets of two entries. One keeps the result of the most work, the other the latest one.
//! Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes and memory" (1994): their scheme `TwoBig1`.
//! Cost: one bucket, one or two cache lines, for each lookup.
//! Invariant: an entry holds the whole key, so it belongs to this position and no other. The table never exceeds its
//! memory budget.

use bouton_base::key_table;

/// The multiplier of the hash: odd, with bits all over, from the golden ratio.
const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// The initial number of buckets.
const INITIAL_BUCKETS: usize = 1 << 10;
/// The table grows once it has dropped this many times its entries. Most of them are cheap to search again: on Connect
/// Four, 6 columns of 5, a table of a twentieth of the size costs 4 % more positions and a third less time.
const GROWTH_TURNOVER: usize = 4;

/// The minimal bound that an entry holds; it stands for no bound.
pub const SCORE_MIN: i32 = i16::MIN as i32;
/// The maximal bound that an entry holds; it stands for no bound.
pub const SCORE_MAX: i32 = i16::MAX as i32;
/// The exclusive upper bound of controls that fit in an entry.
pub const MAX_CONTROLS: usize = 1 << 12;
/// The exclusive upper bound of move numbers that fit in an entry.
const MAX_MOVES: u32 = (1 << 13) - 1;

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
    entries: Vec<u64>,
    /// The number of words of a key.
    words: usize,
    buckets: usize,
    /// The number of entries dropped since the table grew or a question began.
    lost: usize,
    /// The memory budget in bytes, which also covers growth.
    most: u64,
    /// True if it may still grow.
    grows: bool,
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
            best: (word >> 50) as u32,
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

/// The two entries of a bucket: the words of each key, with the last word of its entry behind them.
struct Bucket<'t> {
    entries: [&'t mut [u64]; 2],
}

/// Returns the bounds of an entry, if it belongs to this position.
fn bounds_of(entry: &[u64], words: &[u64], control: u32) -> Option<PackedBounds> {
    let (&tail, key) = entry.split_last()?;
    let bounds = PackedBounds::of(tail);
    (tail != 0 && bounds.control == control && key == words).then_some(bounds)
}

impl Bucket<'_> {
    /// The effort of an entry; 0 if it is empty.
    fn effort(&self, entry: usize) -> u32 {
        let tail = self.entries[entry].last().copied().unwrap_or(0);
        if tail == 0 { 0 } else { PackedBounds::of(tail).effort }
    }

    fn set(&mut self, entry: usize, words: &[u64], tail: PackedBounds) {
        let (key, last) = self.entries[entry].split_at_mut(words.len());
        key.copy_from_slice(words);
        last[0] = tail.word();
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
            let [first, second] = &mut self.entries;
            second.copy_from_slice(first);
        }
        self.set(0, words, tail);
        lost && moves
    }
}

impl TranspositionTable {
    /// Creates an empty table for states of `words` words within a budget of `most` bytes; `None` if the budget is too
    /// small.
    pub fn new(words: usize, most: u64) -> Option<TranspositionTable> {
        let size = INITIAL_BUCKETS * 2 * (words + 1);
        (8 * size as u64 <= most).then(|| TranspositionTable {
            entries: key_table::zeroed(size),
            words,
            buckets: INITIAL_BUCKETS,
            lost: 0,
            most,
            grows: true,
        })
    }

    /// Begins a new question: entries dropped before it do not count towards growth.
    pub fn begin_question(&mut self) {
        self.lost = 0;
    }

    /// The allocated size in bytes.
    pub fn held_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// Returns the index of the first word of a bucket.
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize * 2 * (self.words + 1)
    }

    fn bucket(&mut self, hash: u64) -> Bucket<'_> {
        let (at, size) = (self.place(hash), self.words + 1);
        let (first, second) = self.entries[at..at + 2 * size].split_at_mut(size);
        Bucket { entries: [first, second] }
    }

    /// Prefetches the bucket of a hash.
    pub fn prefetch(&self, hash: u64) {
        let at = self.place(hash);
        key_table::prefetch(&self.entries[at]);
        key_table::prefetch(&self.entries[at + 2 * self.words + 1]);
    }

    /// Returns the entry of a position.
    pub fn get(&self, hash: u64, words: &[u64], control: u32) -> Option<TranspositionEntry> {
        let (at, size) = (self.place(hash), self.words + 1);
        let mut entries = self.entries[at..at + 2 * size].chunks_exact(size);
        let tail = entries.find_map(|entry| bounds_of(entry, words, control))?;
        Some(TranspositionEntry {
            low: tail.low.into(),
            high: tail.high.into(),
            best: tail.best.checked_sub(1),
        })
    }

    /// Stores the bounds of a position, merged with known ones; may replace another entry.
    pub fn put(&mut self, hash: u64, words: &[u64], control: u32, known: TranspositionEntry, positions: u64) {
        let mut tail = PackedBounds {
            low: known.low.clamp(SCORE_MIN, SCORE_MAX) as i16,
            high: known.high.clamp(SCORE_MIN, SCORE_MAX) as i16,
            control,
            effort: 1 + positions.max(1).ilog2().min(62),
            best: known.best.filter(|&best| best < MAX_MOVES).map_or(0, |best| best + 1),
        };
        let mut bucket = self.bucket(hash);
        for entry in &mut bucket.entries {
            if let Some(old) = bounds_of(entry, words, control) {
                tail.low = tail.low.max(old.low);
                tail.high = tail.high.min(old.high);
                tail.effort = tail.effort.max(old.effort);
                tail.best = if tail.best == 0 { old.best } else { tail.best };
                entry[words.len()] = tail.word();
                return;
            }
        }
        let lost = bucket.insert(words, tail);
        self.lost += usize::from(lost && self.grows);
    }

    /// Returns true if the table has dropped so many entries that it should grow, and can.
    pub fn is_crowded(&self) -> bool {
        self.grows && self.lost > 2 * self.buckets * GROWTH_TURNOVER
    }

    /// Grows the table, as long as the old and the new one fit in the budget together.
    pub fn grow(&mut self) {
        self.lost = 0;
        let size = self.words + 1;
        let room = self.most.saturating_sub(self.held_bytes()) / (2 * size as u64 * 8);
        // Doubles the size; takes all the budget if it could not double once more.
        let buckets = if room < 4 * self.buckets as u64 { room } else { 2 * self.buckets as u64 };
        if buckets < self.buckets as u64 + self.buckets as u64 / 4 {
            self.grows = false;
            return;
        }
        let old = std::mem::replace(&mut self.entries, key_table::zeroed(buckets as usize * 2 * size));
        self.buckets = buckets as usize;
        for entry in old.chunks_exact(size) {
            let (key, tail) = (&entry[..size - 1], entry[size - 1]);
            if tail != 0 {
                let tail = PackedBounds::of(tail);
                self.bucket(hash(key, tail.control)).insert(key, tail);
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
    fn what_earlier_questions_forgot_is_no_reason_to_grow() {
        let mut table = TranspositionTable::new(1, 1 << 20).expect("room");
        let known = TranspositionEntry { low: 0, high: SCORE_MAX, best: None };
        let fill = |table: &mut TranspositionTable, from: u64| {
            (from..from + 12_000).for_each(|n| table.put(hash(&[n], 0), &[n], 0, known, 1));
        };
        fill(&mut table, 0);
        assert!(table.is_crowded());
        table.begin_question();
        assert!(!table.is_crowded());
        fill(&mut table, 12_000);
        assert!(table.is_crowded());
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let mut table = TranspositionTable::new(1, 1 << 20).expect("room");
        let key = hash(&[5], 0);
        table.put(key, &[5], 0, TranspositionEntry { low: 0, high: SCORE_MAX, best: Some(3) }, 1);
        table.put(key, &[5], 0, TranspositionEntry { low: SCORE_MIN, high: 0, best: None }, 9);
        assert_eq!(table.get(key, &[5], 0), Some(TranspositionEntry { low: 0, high: 0, best: Some(3) }));
    }
}
