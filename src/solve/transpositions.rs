//! A table of what was found out about positions, which forgets.
//!
//! Technique: buckets of two entries. One keeps what took the most work, the other what came last.
//! Source: Breuker, Uiterwijk, van den Herik, "Replacement schemes and memory" (1994): their scheme `TwoBig1`.
//! Cost: one bucket, mostly one line of the processor's memory, for each question.
//! Invariant: an entry has the whole key, so what it says is said of this position and no other. The table never holds
//! more bytes than it may. Threads share a table in parts, each behind its lock: an entry is never half of one thread's
//! and half of another's.

use std::sync::{Mutex, MutexGuard, PoisonError};

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
const MOVES: u32 = (1 << 14) - 1;

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

/// A table in parts, which threads may share.
pub struct Shared {
    parts: Vec<Mutex<Transpositions>>,
}

/// So many parts a table has that may hold as many bytes as [`DIVIDED`] says.
const PARTS: usize = 64;
/// See [`PARTS`].
const DIVIDED: u64 = 256 << 20;

impl Shared {
    /// An empty table for states of so many words that may hold so many bytes; none where that is too few.
    pub fn new(words: usize, most: u64) -> Option<Shared> {
        let (parts, each) = match most < DIVIDED {
            true => (1, most),
            // Two of them may be growing: then they are there twice.
            false => (PARTS, most / (PARTS as u64 + 2)),
        };
        let part = |_| Some(Mutex::new(Transpositions::new(words, each, parts == 1)?));
        Some(Shared { parts: (0..parts).map(part).collect::<Option<_>>()? })
    }

    fn part(&self, hash: u64) -> MutexGuard<'_, Transpositions> {
        self.parts[hash as usize % self.parts.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes it holds.
    pub fn held_bytes(&self) -> u64 {
        (0..self.parts.len() as u64).map(|part| self.part(part).held_bytes()).sum()
    }

    /// What is known of a position.
    pub fn get(&self, hash: u64, words: &[u64], control: u32) -> Option<Known> {
        self.part(hash).get(hash, words, control)
    }

    /// Keeps what is known of a position, together with what was known, and forgets something else for it.
    pub fn put(&self, hash: u64, key: (&[u64], u32), known: Known, positions: u64) {
        self.part(hash).put(hash, key, known, positions);
    }
}

/// The table, or a part of one.
pub struct Transpositions {
    /// Of each entry the words of the state, then all else in one word, which is 0 where there is no entry.
    entries: Vec<u64>,
    /// How many words a key has.
    words: usize,
    buckets: usize,
    lost: usize,
    /// How many bytes it may hold.
    most: u64,
    /// Whether it holds no more than that while it grows, too.
    always: bool,
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
            best: (word >> 50) as u32,
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

impl Transpositions {
    /// An empty table for states of so many words that may hold so many bytes (`always`, also while it grows); none where
    /// that is too few.
    fn new(words: usize, most: u64, always: bool) -> Option<Transpositions> {
        let bytes = (FIRST * 2 * (words + 1) * 8) as u64;
        let entries = vec![0; FIRST * 2 * (words + 1)];
        (bytes <= most).then_some(Transpositions { entries, words, buckets: FIRST, lost: 0, most, always })
    }

    /// How many bytes it holds.
    pub fn held_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// The first word of a bucket.
    fn bucket(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize * 2 * (self.words + 1)
    }

    /// The entry of a position in its bucket; none where there is none.
    fn find(&self, bucket: usize, words: &[u64], control: u32) -> Option<(usize, Tail)> {
        let size = self.words + 1;
        [bucket, bucket + size].into_iter().find_map(|at| {
            let entry = &self.entries[at..at + size];
            let tail = Tail::of(entry[self.words]);
            let same = entry[self.words] != 0 && tail.control == control && &entry[..self.words] == words;
            same.then_some((at, tail))
        })
    }

    /// What is known of a position.
    pub fn get(&self, hash: u64, words: &[u64], control: u32) -> Option<Known> {
        let (_, tail) = self.find(self.bucket(hash), words, control)?;
        Some(Known { low: tail.low.into(), high: tail.high.into(), best: tail.best.checked_sub(1) })
    }

    /// Keeps what is known of a position, together with what was known, and forgets something else for it.
    pub fn put(&mut self, hash: u64, (words, control): (&[u64], u32), known: Known, positions: u64) {
        let mut tail = Tail {
            low: known.low.clamp(LEAST, GREATEST) as i16,
            high: known.high.clamp(LEAST, GREATEST) as i16,
            control,
            effort: 1 + positions.max(1).ilog2().min(62),
            best: known.best.filter(|&best| best < MOVES).map_or(0, |best| best + 1),
        };
        let bucket = self.bucket(hash);
        if let Some((at, old)) = self.find(bucket, words, control) {
            tail.low = tail.low.max(old.low);
            tail.high = tail.high.min(old.high);
            tail.effort = tail.effort.max(old.effort);
            tail.best = if tail.best == 0 { old.best } else { tail.best };
            self.entries[at + self.words] = tail.word();
            return;
        }
        self.insert(bucket, words, tail);
        if self.lost > 2 * self.buckets / LOST {
            self.grow();
        }
    }

    fn insert(&mut self, bucket: usize, words: &[u64], tail: Tail) {
        let size = self.words + 1;
        let (deep, recent) = (bucket, bucket + size);
        let effort = |at: usize| match self.entries[at + self.words] {
            0 => 0,
            word => Tail::of(word).effort,
        };
        let at = if tail.effort >= effort(deep) {
            self.lost += usize::from(effort(recent) > 0 && effort(deep) > 0);
            if effort(deep) > 0 {
                self.entries.copy_within(deep..deep + size, recent);
            }
            deep
        } else {
            self.lost += usize::from(effort(recent) > 0);
            recent
        };
        self.entries[at..at + self.words].copy_from_slice(words);
        self.entries[at + self.words] = tail.word();
    }

    /// Makes the table up to twice as large, as long as the old one and the new one may be held together.
    fn grow(&mut self) {
        self.lost = 0;
        let size = self.words + 1;
        let bucket = 2 * size as u64 * 8;
        let beside = if self.always { self.held_bytes() } else { 0 };
        let buckets = (2 * self.buckets as u64).min(self.most.saturating_sub(beside) / bucket);
        if buckets < self.buckets as u64 + self.buckets as u64 / 4 {
            // It never will be larger.
            self.lost = 0;
            self.most = 0;
            return;
        }
        let old = std::mem::replace(&mut self.entries, vec![0; buckets as usize * 2 * size]);
        self.buckets = buckets as usize;
        let tail = size - 1;
        for entry in old.chunks_exact(size).filter(|entry| entry[tail] != 0) {
            let (words, tail) = (&entry[..tail], Tail::of(entry[tail]));
            let bucket = self.bucket(hash(words, tail.control));
            self.insert(bucket, words, tail);
        }
        self.lost = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_is_said_is_said_of_this_position() {
        let table = Shared::new(2, 200_000).expect("room");
        assert!(Shared::new(2, 1000).is_none());
        let mut all = HashMap::new();
        let known = |low, high, best| Known { low, high, best };
        for n in 0..20_000u64 {
            let (words, control) = ([n % 5000, n / 7], (n % 3) as u32);
            let said = known(n as i32 % 90 - 100, n as i32 % 70, Some(n as u32));
            table.put(hash(&words, control), (&words, control), said, n);
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
        let table = Shared::new(1, DIVIDED).expect("room");
        let mean = |n: u64| Known { low: n as i32 % 50, high: 60, best: None };
        let write = |from: u64| {
            (from..40_000).step_by(2).for_each(|n| table.put(hash(&[n], 0), (&[n], 0), mean(n), n));
        };
        rayon::join(|| write(0), || write(1));
        let found = (0..40_000u64).filter_map(|n| Some((n, table.get(hash(&[n], 0), &[n], 0)?)));
        let found: Vec<_> = found.collect();
        assert!(found.len() > 35_000, "{}", found.len());
        assert!(found.iter().all(|&(n, known)| known == mean(n)));
        assert!(table.held_bytes() <= DIVIDED);
    }

    #[test]
    fn bounds_of_one_position_are_put_together() {
        let table = Shared::new(1, 1 << 20).expect("room");
        let key = hash(&[5], 0);
        table.put(key, (&[5], 0), Known { low: 0, high: GREATEST, best: Some(3) }, 1);
        table.put(key, (&[5], 0), Known { low: LEAST, high: 0, best: None }, 9);
        assert_eq!(table.get(key, &[5], 0), Some(Known { low: 0, high: 0, best: Some(3) }));
    }
}
