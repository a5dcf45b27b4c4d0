//! Tables of many keys: sets and maps whose keys are a fixed number of words, laid out for the processor's memory.
//!
//! Technique: open addressing with linear probing. A key's place is the upper half of its hash times the capacity, so
//! that the table may have any size and a growing one is copied in order. Keys come in batches; the lines of those to
//! come are fetched while one is looked for, so that the processor waits for many at once.
//! Source: Knuth, "The Art of Computer Programming 3", 6.4 (linear probing); Chen, Ailamaki, Gibbons, Mowry,
//! "Improving hash join performance through prefetching" (2004); Lemire, "Fast random integer generation in an
//! interval" (2019) for the place.
//! Cost: about one line of memory for each key; between a third and seven tenths of the slots are taken, and nearly
//! seven tenths where it is known how many keys will come.
//! *Invariants:* the last word of a key is never 0, which marks a free slot. What is in a table does not depend on the
//! order in which keys came, where they lie does.

use std::mem::size_of;
use std::sync::atomic::AtomicU64;

/// The lines of so many keys to come are being fetched.
const AHEAD: usize = 24;
/// How many words a line of memory has.
const LINE: usize = 8;
/// How many slots there are at first.
const FIRST: usize = 64;
/// How large an ordinary page is, at least.
const PAGE: usize = 4 << 10;
/// How large a large page is.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// A number for a key; all its bits depend on all of the key's, the upper ones most.
#[inline]
pub fn hash(key: &[u64]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: &u64| {
        let mixed = (hash ^ word).wrapping_mul(ODD);
        mixed ^ mixed >> 32
    };
    key.iter().fold(ODD, mix).wrapping_mul(ODD)
}

/// Keys of one width, each with a value.
#[derive(Clone, Debug)]
pub struct Table<V> {
    width: usize,
    /// How many of the upper bits of the hash all keys here have in common.
    common: u32,
    capacity: usize,
    len: usize,
    slots: Vec<u64>,
    values: Vec<V>,
}

impl<V: Copy + Default> Table<V> {
    /// An empty table of keys of so many words, at least one, whose hashes agree in so many of their upper bits.
    pub fn new(width: usize, common: u32) -> Table<V> {
        assert!(width > 0 && common < u64::BITS, "a key has words, and a hash has bits");
        Table { width, common, capacity: 0, len: 0, slots: Vec::new(), values: Vec::new() }
    }

    /// How many words a key has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many slots there are. They are numbered from 0.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The key in a slot; none where it is free.
    #[inline]
    pub fn key(&self, slot: usize) -> Option<&[u64]> {
        let key = &self.slots[slot * self.width..(slot + 1) * self.width];
        (key[self.width - 1] != 0).then_some(key)
    }

    /// The values of all slots, those of free ones among them.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// See [`values`](Self::values).
    pub fn values_mut(&mut self) -> &mut [V] {
        &mut self.values
    }

    /// The bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.bytes(self.capacity)
    }

    /// The bytes held once so many more keys came, and those of the old slots that are held besides while they are
    /// copied.
    pub fn held_with(&self, extra: usize) -> (u64, u64) {
        let mut capacity = self.capacity;
        while self.len + extra > most(capacity) {
            capacity = larger(capacity);
        }
        self.held_at(capacity)
    }

    /// The same where room for so many more was made at once.
    pub fn held_reserved(&self, extra: usize) -> (u64, u64) {
        self.held_at(self.reserved(extra))
    }

    fn held_at(&self, capacity: usize) -> (u64, u64) {
        (self.bytes(capacity), if capacity == self.capacity { 0 } else { self.held_bytes() })
    }

    /// Makes room for so many more keys, and hardly more: who knows how many will come saves the half of a table.
    pub fn reserve(&mut self, extra: usize) {
        let capacity = self.reserved(extra);
        if capacity > self.capacity {
            match self.width {
                1 => self.grow::<1>(capacity),
                2 => self.grow::<2>(capacity),
                _ => self.grow::<0>(capacity),
            }
        }
    }

    fn reserved(&self, extra: usize) -> usize {
        let keys = self.len + extra;
        if keys <= most(self.capacity) { self.capacity } else { keys / 7 * 10 + FIRST }
    }

    fn bytes(&self, capacity: usize) -> u64 {
        capacity as u64 * (8 * self.width + size_of::<V>()) as u64
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash << self.common) * self.capacity as u128) >> 64) as usize
    }

    /// Begins to fetch what is known of the key with this hash.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        if self.capacity > 0 {
            let place = self.place(hash);
            prefetch(&self.slots[place * self.width]);
            // Where slots are mostly taken, the way to a key's slot goes on to the next line more often than not.
            self.slots.get(place * self.width + LINE).inspect(|next| prefetch(*next));
            if size_of::<V>() > 0 {
                prefetch(&self.values[place]);
            }
        }
    }

    /// The slot of a key; none where it never came.
    #[inline]
    pub fn find(&self, hash: u64, key: &[u64]) -> Option<usize> {
        if self.capacity == 0 {
            return None;
        }
        match self.width {
            1 => self.probe::<1>(hash, key),
            2 => self.probe::<2>(hash, key),
            _ => self.probe::<0>(hash, key),
        }
        .ok()
    }

    /// The slot of a key, or the free one where it would come; `W` is the width, or 0 where it is another.
    #[inline]
    fn probe<const W: usize>(&self, hash: u64, key: &[u64]) -> Result<usize, usize> {
        let width = if W == 0 { self.width } else { W };
        let mut at = self.place(hash);
        loop {
            let slot = &self.slots[at * width..at * width + width];
            if slot[width - 1] == 0 {
                return Err(at);
            }
            if slot == key {
                return Ok(at);
            }
            at += 1;
            if at == self.capacity {
                at = 0;
            }
        }
    }

    /// Takes in keys, one behind the other in `keys`, in their order. `each` is given every one with its value and
    /// whether it is new.
    pub fn insert_all(&mut self, keys: &[u64], each: impl FnMut(&[u64], &mut V, bool)) {
        match self.width {
            1 => self.insert_wide::<1>(keys, each),
            2 => self.insert_wide::<2>(keys, each),
            _ => self.insert_wide::<0>(keys, each),
        }
    }

    fn insert_wide<const W: usize>(&mut self, keys: &[u64], mut each: impl FnMut(&[u64], &mut V, bool)) {
        let width = if W == 0 { self.width } else { W };
        let mut hashes = [0; AHEAD];
        let ahead = keys.chunks_exact(width).skip(AHEAD).map(Some).chain(std::iter::repeat(None));
        for (key, place) in keys.chunks_exact(width).zip(&mut hashes) {
            *place = hash(key);
            self.prefetch(*place);
        }
        for (i, (key, later)) in keys.chunks_exact(width).zip(ahead).enumerate() {
            let now = std::mem::take(&mut hashes[i % AHEAD]);
            if let Some(later) = later {
                hashes[i % AHEAD] = hash(later);
                self.prefetch(hashes[i % AHEAD]);
            }
            assert!(key[width - 1] != 0, "the last word of a key marks its slot");
            if self.len >= most(self.capacity) {
                self.grow::<W>(larger(self.capacity));
            }
            match self.probe::<W>(now, key) {
                Ok(slot) => each(key, &mut self.values[slot], false),
                Err(slot) => {
                    self.slots[slot * width..slot * width + width].copy_from_slice(key);
                    self.len += 1;
                    each(key, &mut self.values[slot], true);
                }
            }
        }
    }

    /// Makes room for more keys. The old ones come in the order of their places, so that both tables are gone through
    /// from one end to the other.
    fn grow<const W: usize>(&mut self, capacity: usize) {
        let width = if W == 0 { self.width } else { W };
        let old = std::mem::replace(&mut self.slots, zeroed(capacity * width));
        let values = std::mem::replace(&mut self.values, defaults(capacity));
        self.capacity = capacity;
        for (key, value) in old.chunks_exact(width).zip(values).filter(|(key, _)| key[width - 1] != 0) {
            if let Err(slot) = self.probe::<W>(hash(key), key) {
                self.slots[slot * width..slot * width + width].copy_from_slice(key);
                self.values[slot] = value;
            }
        }
    }
}

/// How many keys so many slots take before there are to be more.
fn most(capacity: usize) -> usize {
    capacity / 10 * 7
}

/// The next capacity.
fn larger(capacity: usize) -> usize {
    (2 * capacity).max(FIRST)
}

/// So many words that are 0, in large pages where the system has them: a table that is asked all over would otherwise
/// wait for the addresses of its pages as long as for its lines.
fn zeroed(words: usize) -> Vec<u64> {
    let mut words = vec![0; words];
    in_large_pages(&words);
    // Each page is written to before it is read. A page that is read first is one that all such pages share, of the
    // ordinary size, and comes anew when it is written to.
    let words_now = std::hint::black_box(&mut words[..]);
    words_now.iter_mut().step_by(PAGE / size_of::<u64>()).for_each(|word| *word = 0);
    words
}

/// So many values that are the default, in large pages where the system has them.
fn defaults<V: Copy + Default>(count: usize) -> Vec<V> {
    let mut values = Vec::with_capacity(count);
    in_large_pages(values.spare_capacity_mut());
    values.resize(count, V::default());
    values
}

/// Asks the system for large pages where this memory fills them.
fn in_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        let first = memory.as_ptr() as usize;
        let from = first.next_multiple_of(HUGE_PAGE);
        let to = (first + std::mem::size_of_val(memory)) / HUGE_PAGE * HUGE_PAGE;
        if from < to {
            // SAFETY: the range lies in the memory given. The advice changes how it is mapped, never what it holds;
            // where the system does not take it, all stays as it is.
            unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// `zeroed`, for words that threads share.
pub fn zeroed_shared(words: usize) -> Vec<AtomicU64> {
    let mut words = std::mem::ManuallyDrop::new(zeroed(words));
    // SAFETY: an `AtomicU64` lies in memory as a `u64` does, and the vector that had this memory is not used any more.
    unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) }
}

/// Asks the processor to fetch what will soon be read.
#[inline]
pub fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has the instruction, and it reads nothing: it is a hint.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Keys that are few, so that they come again, with extreme words among them.
    fn keys(width: usize) -> impl Strategy<Value = Vec<Vec<u64>>> {
        let word = prop_oneof![0..20u64, Just(u64::MAX), Just(1 << 63)];
        let last = prop_oneof![1..20u64, Just(u64::MAX)];
        let key = (prop::collection::vec(word, width - 1), last).prop_map(|(mut key, last)| {
            key.push(last);
            key
        });
        prop::collection::vec(key, 0..400)
    }

    proptest! {
        #[test]
        fn a_table_is_a_map(
            (width, keys) in (1..5usize).prop_flat_map(|width| (Just(width), keys(width))),
            batch in 1..70usize,
        ) {
            let mut table = Table::<u16>::new(width, 0);
            let mut map: BTreeMap<Vec<u64>, u16> = BTreeMap::new();
            for keys in keys.chunks(batch) {
                let mut expected = keys.iter();
                table.insert_all(&keys.concat(), |key, value, new| {
                    assert_eq!(Some(key), expected.next().map(|key| &key[..]));
                    assert_eq!(new, !map.contains_key(key));
                    assert_eq!(*value, map.get(key).copied().unwrap_or(0));
                    *value += 1;
                    *map.entry(key.to_vec()).or_default() += 1;
                });
                prop_assert!(expected.next().is_none());
            }
            prop_assert_eq!(table.len(), map.len());
            for (key, value) in &map {
                let slot = table.find(hash(key), key);
                prop_assert_eq!(slot.map(|slot| (table.key(slot), table.values()[slot])), Some((Some(&key[..]), *value)));
            }
            let listed = (0..table.capacity()).filter_map(|slot| table.key(slot)).count();
            prop_assert_eq!(listed, map.len());
            let strange = vec![77; width];
            prop_assert_eq!(table.find(hash(&strange), &strange), None);
        }
    }

    #[test]
    fn keys_of_one_part_of_the_hashes_spread_over_the_table() {
        let part: Vec<u64> = (1..200_000).filter(|&key| hash(&[key]) >> 58 == 5).collect();
        let mut table = Table::<()>::new(1, 6);
        let (held, old) = table.held_with(part.len());
        table.insert_all(&part, |_, (), new| assert!(new));
        assert!(table.len() > 3000 && table.held_bytes() == held && old == 0);
        assert!(part.iter().all(|&key| table.find(hash(&[key]), &[key]).is_some()));
        // Were they in one corner, the way from the place of a key to its slot would be long.
        let far = |slot: usize| {
            let key = table.key(slot)?;
            Some((slot + table.capacity() - table.place(hash(key))) % table.capacity())
        };
        let way: usize = (0..table.capacity()).filter_map(far).sum();
        assert!(way < 3 * part.len(), "{way}");
        assert_eq!(table.held_with(table.len()).1, held, "the old slots are held while they are copied");
    }

    #[test]
    fn an_empty_table_has_no_key() {
        let table = Table::<u8>::new(2, 0);
        table.prefetch(hash(&[0, 1]));
        assert_eq!((table.find(hash(&[0, 1]), &[0, 1]), table.len(), table.held_bytes()), (None, 0, 0));
    }
}
