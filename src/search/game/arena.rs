//! An arena that interns positions: each is stored once, with an index in the order of first arrival.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::State;
use bouton_base::index_table::IndexTable;
use bouton_base::key_table::prefetch;
use bouton_base::limits::bytes_after_growth;

/// The number of positions whose cache lines are prefetched together.
const PREFETCHED_POSITIONS: usize = 64;

/// Interned positions, stored in one vector of words. Indices follow the order of first arrival, so they are the same
/// in every run that interns the positions in the same order.
#[derive(Clone, Debug, Default)]
pub struct PositionArena {
    words: Vec<u64>,
    len: usize,
    /// The number of words of a position, while all positions have the same number.
    width: usize,
    /// The offset of each position, once two different lengths exist; one entry more than positions.
    starts: Vec<u64>,
    index: IndexTable,
}

/// Returns the hash of a position's words.
pub fn hash(words: &[u64]) -> u32 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish() as u32
}

impl PositionArena {
    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the words of a position.
    pub fn words(&self, index: u32) -> &[u64] {
        words_of(&self.words, &self.starts, self.width, index as usize)
    }

    /// Returns a copy of a position.
    pub fn state(&self, index: u32) -> State {
        State(self.words(index).into())
    }

    /// Returns the index of a position; `None` if it was never interned.
    pub fn find(&self, state: &State) -> Option<u32> {
        self.find_words(hash(&state.0), &state.0)
    }

    /// Returns the index of the position with these words and this hash; `None` if it was never interned.
    pub fn find_words(&self, hash: u32, wanted: &[u64]) -> Option<u32> {
        self.index.find(hash, |index| equal(self.words(index), wanted))
    }

    /// Returns for each of some positions of `width` words, given one after another, its hash and, if it was interned,
    /// its index.
    ///
    /// The cache misses of many positions overlap: first all look for an index with their hash, then all compare words.
    pub fn find_all(&self, positions: &[u64], width: usize) -> Vec<(u32, Option<u32>)> {
        let each = |words: &[u64]| (hash(words), None);
        let mut found: Vec<(u32, Option<u32>)> = positions.chunks_exact(width).map(each).collect();
        let parts = positions.chunks(width * PREFETCHED_POSITIONS);
        for (found, positions) in found.chunks_mut(PREFETCHED_POSITIONS).zip(parts) {
            found.iter().for_each(|&(hash, _)| self.index.prefetch(hash));
            for (hash, candidate) in found.iter_mut() {
                *candidate = self.index.find(*hash, |_| true);
                if let Some(first) = candidate.and_then(|index| self.words(index).first()) {
                    prefetch(first);
                }
            }
            for ((hash, candidate), wanted) in found.iter_mut().zip(positions.chunks_exact(width)) {
                if candidate.is_some_and(|index| !equal(self.words(index), wanted)) {
                    *candidate = self.find_words(*hash, wanted);
                }
            }
        }
        found
    }

    /// Prefetches what [`intern_words`](Self::intern_words) will read for this hash of a new position.
    pub fn prefetch(&self, hash: u32) {
        self.index.prefetch(hash);
    }

    /// Interns a position and returns its index, a new one on first arrival; `None` if all indices are in use.
    pub fn intern(&mut self, state: &State) -> Option<u32> {
        self.intern_words(hash(&state.0), &state.0)
    }

    /// Interns a position given as words and their hash, like [`intern`](Self::intern).
    pub fn intern_words(&mut self, hash: u32, wanted: &[u64]) -> Option<u32> {
        let new = u32::try_from(self.len).ok().filter(|&i| i < u32::MAX)?;
        let PositionArena { words, starts, width, index, .. } = self;
        let same = |i: u32| equal(words_of(words, starts, *width, i as usize), wanted);
        let found = index.find_or_insert(hash, new, same);
        if found.is_none() {
            self.append(wanted);
        }
        found.or(Some(new))
    }

    fn append(&mut self, words: &[u64]) {
        if self.len == 0 {
            self.width = words.len();
        } else if self.starts.is_empty() && words.len() != self.width {
            self.starts = (0..=self.len).map(|i| (i * self.width) as u64).collect();
        }
        self.words.extend_from_slice(words);
        self.len += 1;
        if !self.starts.is_empty() {
            self.starts.push(self.words.len() as u64);
        }
    }

    /// Returns the peak number of bytes held while `extra` more positions are interned.
    pub fn held_bytes(&self, extra: usize) -> u64 {
        let words = extra * (self.words.len() / self.len.max(1) + 1);
        let starts = if self.starts.is_empty() { 0 } else { bytes_after_growth(&self.starts, extra) };
        bytes_after_growth(&self.words, words) + starts + self.index.held_bytes(extra)
    }
}

/// Returns true if the words are equal. For the few words of a position this takes less than the call of a function
/// that compares memory.
fn equal(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

fn words_of<'a>(words: &'a [u64], starts: &[u64], width: usize, i: usize) -> &'a [u64] {
    if starts.is_empty() {
        &words[i * width..(i + 1) * width]
    } else {
        &words[starts[i] as usize..starts[i + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_any_length_keep_their_numbers() {
        let mut arena = PositionArena::default();
        let states: Vec<State> =
            (0..500u64).map(|i| State((0..1 + i / 100).map(|k| i * 7 + k).collect())).collect();
        for (i, state) in states.iter().enumerate() {
            assert_eq!(arena.intern(state), Some(i as u32));
        }
        for (i, state) in states.iter().enumerate() {
            assert_eq!(arena.intern(state), Some(i as u32));
            assert_eq!(&arena.state(i as u32), state);
        }
        assert_eq!(arena.len(), 500);
        assert_eq!(arena.find(&State([3, 4].into())), None);
        let found = arena.find_all(&[0, 7, 14, 99], 1);
        assert_eq!(
            found.iter().map(|&(_, index)| index).collect::<Vec<_>>(),
            [Some(0), Some(1), Some(2), None]
        );
        assert!(arena.held_bytes(0) > 500 * 8);
    }
}
