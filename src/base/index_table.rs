//! Hash tables of the indices of keys that are stored elsewhere.
//!
//! Technique: open addressing with linear probing. A slot holds an index and all 32 bits of the hash of its key. So a
//! lookup reads one cache line of the table and hardly ever another key, a growing table reads no keys, and slots can be
//! prefetched. The first slot of a key is the upper half of the product of its hash and the number of slots: the table
//! may have any size, and a growing one is copied in order.
//! Source: Knuth, "The Art of Computer Programming 3", 6.4 (linear probing); Lemire, "Fast random integer generation in
//! an interval" (2019) for the choice of the slot.
//! Cost: 8 bytes a slot; between half and three quarters of the slots are taken.
//! *Invariants:* a slot is free if it is 0. No free slot lies between the first slot of a key and the slot of its index.

use super::key_table::{prefetch, zeroed};

/// The initial number of slots.
const INITIAL_CAPACITY: usize = 64;
/// The part of the slots that may be taken, as a fraction.
const MAX_LOAD: (usize, usize) = (3, 4);

/// A hash table of indices below `u32::MAX`.
#[derive(Clone, Debug, Default)]
pub struct IndexTable {
    /// For each slot the hash in the upper half and one more than the index in the lower half; 0 if the slot is free.
    slots: Vec<u64>,
    len: usize,
}

impl IndexTable {
    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no indices.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the first index with this hash for which `same` returns true.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = home(hash, self.slots.len());
        loop {
            match self.slots[at] {
                0 => return None,
                slot if hash_of(slot) == hash && same(index_of(slot)) => return Some(index_of(slot)),
                _ => at = after(at, self.slots.len()),
            }
        }
    }

    /// Returns the first index with this hash for which `same` returns true; if there is none, adds `new`.
    #[inline]
    pub fn find_or_insert(&mut self, hash: u32, new: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        debug_assert!(new < u32::MAX, "an index needs a successor");
        if is_full(self.len + 1, self.slots.len()) {
            self.grow();
        }
        let mut at = home(hash, self.slots.len());
        loop {
            match self.slots[at] {
                0 => break,
                slot if hash_of(slot) == hash && same(index_of(slot)) => return Some(index_of(slot)),
                _ => at = after(at, self.slots.len()),
            }
        }
        self.slots[at] = u64::from(hash) << 32 | (u64::from(new) + 1);
        self.len += 1;
        None
    }

    /// Prefetches the first slot of a hash.
    #[inline]
    pub fn prefetch(&self, hash: u32) {
        if let Some(slot) = self.slots.get(home(hash, self.slots.len())) {
            prefetch(slot);
        }
    }

    /// Returns the peak number of bytes held while `extra` more indices come: while a table grows, the old and the new
    /// one exist together.
    pub fn held_bytes(&self, extra: usize) -> u64 {
        let (mut before, mut capacity) = (0, self.slots.len());
        while is_full(self.len + extra, capacity) {
            (before, capacity) = (capacity, grown(capacity));
        }
        8 * (before + capacity) as u64
    }

    /// Moves to a table with half as many slots again.
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = zeroed(grown(old.len()));
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = home(hash_of(slot), self.slots.len());
            while self.slots[at] != 0 {
                at = after(at, self.slots.len());
            }
            self.slots[at] = slot;
        }
    }
}

/// Returns true if this many indices need more slots.
fn is_full(indices: usize, capacity: usize) -> bool {
    indices * MAX_LOAD.1 > capacity * MAX_LOAD.0
}

fn grown(capacity: usize) -> usize {
    (capacity + capacity / 2).max(INITIAL_CAPACITY)
}

/// Returns the first slot of a hash.
#[inline]
fn home(hash: u32, capacity: usize) -> usize {
    // An odd factor moves what only lower bits distinguish into the upper ones.
    let spread = hash.wrapping_mul(0x9e37_79b9);
    ((u64::from(spread) * capacity as u64) >> 32) as usize
}

#[inline]
fn after(slot: usize, capacity: usize) -> usize {
    if slot + 1 == capacity { 0 } else { slot + 1 }
}

#[inline]
fn hash_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

#[inline]
fn index_of(slot: u64) -> u32 {
    slot as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Few hashes, so that many keys share one, and the greatest ones, whose slots wrap around.
        #[test]
        fn a_table_finds_what_was_inserted(keys in proptest::collection::vec(0u32..400, 0..600)) {
            let hash = |key: u32| if key.is_multiple_of(3) { u32::MAX - key % 5 } else { key / 4 };
            let (mut table, mut stored, mut known) = (IndexTable::default(), Vec::new(), HashMap::new());
            for key in keys {
                let new = stored.len() as u32;
                let found = table.find_or_insert(hash(key), new, |index| stored[index as usize] == key);
                prop_assert_eq!(found, known.get(&key).copied());
                if found.is_none() {
                    stored.push(key);
                    known.insert(key, new);
                }
            }
            prop_assert_eq!((table.len(), table.is_empty()), (known.len(), known.is_empty()));
            for key in 0..400 {
                table.prefetch(hash(key));
                let found = table.find(hash(key), |index| stored[index as usize] == key);
                prop_assert_eq!(found, known.get(&key).copied());
            }
            prop_assert!(table.held_bytes(0) >= 8 * known.len() as u64);
            prop_assert!(table.held_bytes(1000) >= 8 * 1000);
        }
    }
}
