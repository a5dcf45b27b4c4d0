//! A table of what was found out about positions, which forgets.
//!
//! Technique: buckets of two entries. One keeps what took the most work, the other what came last. A bit of each bucket is
//! its lock, so that threads that share the table wait for no more than a line of memory that they need anyway. A thread
//! that has the table for itself locks nothing: a lock waits until all that was written before has reached the memory.
//! Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes and memory" (1994): their scheme `TwoBig1`.
//! Cost: one bucket, one or two lines of the processor's memory, for each question.
//! Invariant: an entry has the whole key, so what it says is said of this position and no other, and it is never half of
//! one thread's and half of another's. The table never holds more bytes than it may. It grows only while one thread has it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::base::mem;

/// Odd, with bits all over: the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// How many buckets there are at first.
const FIRST: usize = 1 << 10;
/// Once one entry in so many was forgotten, the table grows.
const LOST: usize = 8;

/// The least and the greatest number that an entry holds.
pub const LEAST: i32 = i16::MIN as i32;
/// See [`LEAST`].
pub const GREATEST: i32 = i16::MAX as i32;
/// A control of this number or a greater one has no place in an entry.
pub const CONTROLS: usize = 1 << 12;
/// A move of this number or a greater one is not remembered.
const MOVES: u32 = (1 << 13) - 1;
/// The bit of the last word of a bucket's first entry that is set while a thread is at it.
const LOCK: u64 = 1 << 63;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// It is worth at least this.
    pub low: i32,
    /// It is worth at most this.
    pub high: i32,
    /// The move that was best, by its number.
    pub best: Option<u32>,
}

/// The table.
pub struct Transpositions {
    /// Of each entry the words of the state, then all else in one word, which is 0 where there is no entry.
    entries: Vec<AtomicU64>,
    /// How many words a key has.
    words: usize,
    buckets: usize,
    /// How many entries were forgotten since the table grew.
    lost: AtomicUsize,
    /// How many bytes it may hold, also while it grows.
    most: u64,
    /// Whether it may become larger.
    grows: bool,
    /// Whether threads share it, so that buckets have to be locked.
    shared: bool,
}

/// The last word of an entry, taken apart.
#[derive(Clone, Copy)]
struct Tail {
    low: i16,
    high: i16,
    control: u32,
    /// The logarithm of the positions looked at for it, and 1 more.
    effort: u32,
    /// 0, or the number of the best move and 1 more.
    best: u32,
}

impl Tail {
    fn of(word: u64) -> Tail {
        Tail {
            low: word as u16 as i16,
            high: (word >> 16) as u16 as i16,
            control: (word >> 32) as u32 & 0xfff,
            effort: (word >> 44) as u32 & 0x3f,
            best: ((word & !LOCK) >> 50) as u32,
        }
    }

    fn word(self) -> u64 {
        let bounds = u64::from(self.low as u16) | u64::from(self.high as u16) << 16;
        bounds | u64::from(self.control) << 32 | u64::from(self.effort) << 44 | u64::from(self.best) << 50
    }
}

/// A number for a position: where its bucket is.
pub fn hash(words: &[u64], control: u32) -> u64 {
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(SPREAD);
        mixed ^ mixed >> 32
    };
    mix(words.iter().fold(u64::from(control) + 1, |hash, &word| mix(hash, word)), SPREAD)
}

/// A bucket that no other thread is at, until it is dropped.
struct Bucket<'t> {
    table: &'t Transpositions,
    /// Its first word.
    at: usize,
    /// The last words of its entries.
    tails: [u64; 2],
    /// Whether they are to be written.
    changed: bool,
}

impl Drop for Bucket<'_> {
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

impl Bucket<'_> {
    fn key(&self, entry: usize) -> &[AtomicU64] {
        let words = self.table.words;
        &self.table.entries[self.at + entry * (words + 1)..][..words]
    }

    /// The entry of a position; none where there is none.
    fn find(&self, words: &[u64], control: u32) -> Option<(usize, Tail)> {
        (0..2).find_map(|entry| {
            let tail = Tail::of(self.tails[entry]);
            let same = || self.key(entry).iter().zip(words).all(|(a, &b)| a.load(Ordering::Relaxed) == b);
            (self.tails[entry] != 0 && tail.control == control && same()).then_some((entry, tail))
        })
    }

    /// How much work was put into an entry; 0 where there is none.
    fn effort(&self, entry: usize) -> u32 {
        if self.tails[entry] == 0 { 0 } else { Tail::of(self.tails[entry]).effort }
    }

    fn set(&mut self, entry: usize, words: &[u64], tail: Tail) {
        self.key(entry).iter().zip(words).for_each(|(to, &word)| to.store(word, Ordering::Relaxed));
        self.set_tail(entry, tail.word());
    }

    fn set_tail(&mut self, entry: usize, word: u64) {
        self.tails[entry] = word;
        self.changed = true;
    }

    /// Puts in an entry of a position that has none; whether another one is forgotten for it.
    fn insert(&mut self, words: &[u64], tail: Tail) -> bool {
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

/// Waits until a bucket is free, and takes it; the word of its first entry that says so, as it was.
fn locked(lock: &AtomicU64) -> u64 {
    loop {
        let had = lock.fetch_or(LOCK, Ordering::Acquire);
        if had & LOCK == 0 {
            return had;
        }
        std::hint::spin_loop();
    }
}

impl Transpositions {
    /// An empty table for states of so many words that may hold so many bytes; none where that is too few.
    pub fn new(words: usize, most: u64) -> Option<Transpositions> {
        let size = FIRST * 2 * (words + 1);
        (8 * size as u64 <= most).then(|| Transpositions {
            entries: mem::zeroed_shared(size),
            words,
            buckets: FIRST,
            lost: AtomicUsize::new(0),
            most,
            grows: true,
            shared: false,
        })
    }

    /// Says whether threads share it from now on.
    pub fn set_shared(&mut self, shared: bool) {
        self.shared = shared;
    }

    /// A new question: what was forgotten before is no reason to be larger.
    pub fn begin(&self) {
        self.lost.store(0, Ordering::Relaxed);
    }

    /// How many bytes it holds.
    pub fn held_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// The first word of the bucket for a hash.
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize * 2 * (self.words + 1)
    }

    fn bucket(&self, hash: u64) -> Bucket<'_> {
        let at = self.place(hash);
        let first = &self.entries[at + self.words];
        let first = if self.shared { locked(first) } else { first.load(Ordering::Relaxed) };
        let second = self.entries[at + 2 * self.words + 1].load(Ordering::Relaxed);
        Bucket { table: self, at, tails: [first, second], changed: false }
    }

    /// Begins to fetch what is known of the position with this hash.
    pub fn prefetch(&self, hash: u64) {
        let at = self.place(hash);
        mem::prefetch(&self.entries[at]);
        mem::prefetch(&self.entries[at + 2 * self.words + 1]);
    }

    /// What is known of a position.
    pub fn get(&self, hash: u64, words: &[u64], control: u32) -> Option<Known> {
        let (_, tail) = self.bucket(hash).find(words, control)?;
        Some(Known { low: tail.low.into(), high: tail.high.into(), best: tail.best.checked_sub(1) })
    }

    /// Keeps what is known of a position, together with what was known, and forgets something else for it.
    pub fn put(&self, hash: u64, (words, control): (&[u64], u32), known: Known, positions: u64) {
        let mut tail = Tail {
            low: known.low.clamp(LEAST, GREATEST) as i16,
            high: known.high.clamp(LEAST, GREATEST) as i16,
            control,
            effort: 1 + positions.max(1).ilog2().min(62),
            best: known.best.filter(|&best| best < MOVES).map_or(0, |best| best + 1),
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

    /// Whether it has forgotten so much that it ought to be larger, and may become so.
    pub fn is_crowded(&self) -> bool {
        self.grows && self.lost.load(Ordering::Relaxed) > 2 * self.buckets / LOST
    }

    /// Makes the table larger, as long as the old one and the new one may be held together.
    pub fn grow(&mut self) {
        *self.lost.get_mut() = 0;
        let size = self.words + 1;
        let room = self.most.saturating_sub(self.held_bytes()) / (2 * size as u64 * 8);
        // Twice as large, unless it could not be made twice as large once more.
        let buckets = if room < 4 * self.buckets as u64 { room } else { 2 * self.buckets as u64 };
        if buckets < self.buckets as u64 + self.buckets as u64 / 4 {
            self.grows = false;
            return;
        }
        let old = std::mem::replace(&mut self.entries, mem::zeroed_shared(buckets as usize * 2 * size));
        self.buckets = buckets as usize;
        let mut key = vec![0; size];
        for entry in old.chunks_exact(size) {
            key.iter_mut().zip(entry).for_each(|(to, word)| *to = word.load(Ordering::Relaxed));
            let (words, tail) = (&key[..size - 1], key[size - 1]);
            if tail != 0 {
                let tail = Tail::of(tail);
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
        let mut table = Transpositions::new(2, 200_000).expect("room");
        assert!(Transpositions::new(2, 1000).is_none());
        let mut all = HashMap::new();
        let known = |low, high, best| Known { low, high, best };
        for n in 0..20_000u64 {
            let (words, control) = ([n % 5000, n / 7], (n % 3) as u32);
            let said = known(n as i32 % 90 - 100, n as i32 % 70, Some(n as u32));
            table.put(hash(&words, control), (&words, control), said, n);
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
                let best = said.best.filter(|&best| best < MOVES);
                here == Known { best, ..said }
            }));
        }
        assert!(found > 3000, "{found}");
        assert_eq!(table.get(hash(&[1, 9], 7), &[1, 9], 7), None);
    }

    #[test]
    fn threads_share_what_they_know() {
        let most = 1 << 22;
        let mut table = Transpositions::new(1, most).expect("room");
        (0..7).for_each(|_| table.grow());
        table.set_shared(true);
        let mean = |n: u64| Known { low: n as i32 % 50, high: 60, best: None };
        let write = |from: u64| {
            (from..40_000).step_by(2).for_each(|n| table.put(hash(&[n], 0), (&[n], 0), mean(n), n));
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
        let table = Transpositions::new(1, 1 << 20).expect("room");
        let known = Known { low: 0, high: GREATEST, best: None };
        let fill = |from: u64| {
            (from..from + 4000).for_each(|n| table.put(hash(&[n], 0), (&[n], 0), known, 1));
        };
        fill(0);
        assert!(table.is_crowded());
        table.begin();
        assert!(!table.is_crowded());
        fill(4000);
        assert!(table.is_crowded());
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let table = Transpositions::new(1, 1 << 20).expect("room");
        let key = hash(&[5], 0);
        table.put(key, (&[5], 0), Known { low: 0, high: GREATEST, best: Some(3) }, 1);
        table.put(key, (&[5], 0), Known { low: LEAST, high: 0, best: None }, 9);
        assert_eq!(table.get(key, &[5], 0), Some(Known { low: 0, high: 0, best: Some(3) }));
    }
}
