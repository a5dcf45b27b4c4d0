//! An arena that interns positions: each is stored once, with an index in the order of first arrival.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::State;
use bouton_base::limits::bytes_after_growth;

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
    index: HashTable<ArenaEntry>,
}

/// A table entry with its hash: a growing table need not visit the positions, which are scattered in memory.
#[derive(Clone, Copy, Debug)]
struct ArenaEntry {
    hash: u32,
    index: u32,
}

/// Returns the hash of a position's words.
pub fn hash(words: &[u64]) -> u32 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish() as u32
}

/// Spreads a hash over 64 bits, since the table also uses the upper bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        let same = |entry: &ArenaEntry| entry.hash == hash && equal(self.words(entry.index), wanted);
        self.index.find(spread(hash), same).map(|entry| entry.index)
    }

    /// Returns for each of some positions of `width` words, given one after another, its hash and, if it was interned,
    /// its index.
    ///
    /// The cache misses of the positions overlap: first all look for an entry with their hash, then all compare words.
    pub fn find_all(&self, positions: &[u64], width: usize) -> Vec<(u32, Option<u32>)> {
        let each = || positions.chunks_exact(width);
        let mut found: Vec<(u32, Option<u32>)> = each().map(|words| (hash(words), None)).collect();
        for (hash, candidate) in &mut found {
            *candidate = self.index.find(spread(*hash), |entry| entry.hash == *hash).map(|entry| entry.index);
        }
        for ((hash, candidate), wanted) in found.iter_mut().zip(each()) {
            if candidate.is_some_and(|index| !equal(self.words(index), wanted)) {
                *candidate = self.find_words(*hash, wanted);
            }
        }
        found
    }

    /// Interns a position and returns its index, a new one on first arrival; `None` if all indices are in use.
    pub fn intern(&mut self, state: &State) -> Option<u32> {
        self.intern_words(hash(&state.0), &state.0)
    }

    /// Interns a position given as words and their hash, like [`intern`](Self::intern).
    pub fn intern_words(&mut self, hash: u32, wanted: &[u64]) -> Option<u32> {
        let new = u32::try_from(self.len).ok().filter(|&i| i < u32::MAX)?;
        let PositionArena { words, starts, width, index, .. } = self;
        let at = |i: u32| words_of(words, starts, *width, i as usize);
        let same = |entry: &ArenaEntry| entry.hash == hash && equal(at(entry.index), wanted);
        match index.entry(spread(hash), same, |entry| spread(entry.hash)) {
            hashbrown::hash_table::Entry::Occupied(old) => Some(old.get().index),
            hashbrown::hash_table::Entry::Vacant(room) => {
                room.insert(ArenaEntry { hash, index: new });
                self.append(wanted);
                Some(new)
            }
        }
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
        // While a table grows, the old and the new one exist together: three times the old one.
        let table = self.index.allocation_size() as u64;
        let grows = self.index.len() + extra > self.index.capacity();
        bytes_after_growth(&self.words, words) + starts + if grows { 3 * table } else { table }
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
