//! Hash tables of many keys: sets and maps whose keys have a fixed number of words, laid out for the memory hierarchy.
//!
//! Technique: open addressing in groups of slots. Each slot has a tag of one byte, so that the tags of a group are
//! compared at once and a lookup hardly ever reads another key. The group of a key is the upper half of the product of
//! its hash and the number of groups. The table may thus have any size, a growing one is copied in order, and keys with
//! close hashes lie close together. Keys come in batches: if a batch fills a stretch of the table, the stretch is read
//! sequentially first; otherwise the cache lines of later keys are prefetched during each lookup.
//! Source: Knuth, "The Art of Computer Programming 3", 6.4 (linear probing); Kulukundis, "Designing a fast, efficient,
//! cache-friendly hash table, step by step" (2017) for tags; Chen, Ailamaki, Gibbons, Mowry, "Improving hash join
//! performance through prefetching" (2004); Lemire, "Fast random integer generation in an interval" (2019) for the
//! choice of the group.
//! Cost: about two cache lines for each key. Between four and eight tenths of the slots are taken, and eight if the
//! number of keys is known in advance.
//! *Invariants:* a slot is free if its tag is 0. No key lies beyond a group with a free slot if it belongs to that
//! group or to one before it. The contents of a table do not depend on the order in which keys came; their slots do.

use std::mem::size_of;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicU64;

/// The number of later keys whose tags are being prefetched; the slots of half as many are prefetched too.
const PREFETCH_DISTANCE: usize = 32;
/// The number of words in a cache line.
const CACHE_LINE_WORDS: usize = 8;
/// The number of slots in a group.
const GROUP_SLOTS: usize = 16;
/// The initial number of slots.
const INITIAL_CAPACITY: usize = 4 * GROUP_SLOTS;
/// A batch fills a stretch of the table if the stretch has at most this many slots for each key.
const MAX_STREAMED_SLOTS_PER_KEY: usize = 8;
/// A key is usually put fewer slots behind the first one of its group than this.
const MAX_PASSED_SLOTS: usize = 64 * GROUP_SLOTS;
/// The minimal size of an ordinary page, in bytes.
const PAGE_BYTES: usize = 4 << 10;
/// The size of a huge page, in bytes.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The hash of a key. Each of its bits depends on all bits of the key, the upper ones most.
#[inline]
pub fn hash(key: &[u64]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: &u64| {
        let mixed = (hash ^ word).wrapping_mul(ODD);
        mixed ^ mixed >> 32
    };
    key.iter().fold(ODD, mix).wrapping_mul(ODD)
}

/// A hash table of keys of one width, each with a value.
#[derive(Clone, Debug)]
pub struct KeyTable<V> {
    width: usize,
    /// The number of upper bits of the hash that all keys of this table share.
    common: u32,
    capacity: usize,
    len: usize,
    slots: Vec<u64>,
    tags: Vec<u8>,
    values: Vec<V>,
}

impl<V: Copy + Default> KeyTable<V> {
    /// An empty table of keys of `width` words, at least one, whose hashes agree in their `common` upper bits.
    pub fn new(width: usize, common: u32) -> KeyTable<V> {
        assert!(width > 0 && common < u64::BITS, "a key has words, and a hash has bits");
        KeyTable {
            width,
            common,
            capacity: 0,
            len: 0,
            slots: Vec::new(),
            tags: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The number of words in a key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there is no key.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of slots. They are numbered from 0.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The key in a slot; `None` if the slot is free.
    #[inline]
    pub fn key(&self, slot: usize) -> Option<&[u64]> {
        (self.tags[slot] != 0).then(|| &self.slots[slot * self.width..(slot + 1) * self.width])
    }

    /// The key in a slot that is not free.
    #[inline]
    pub fn occupied_key(&self, slot: usize) -> &[u64] {
        debug_assert!(self.tags[slot] != 0, "a slot with a key");
        &self.slots[slot * self.width..(slot + 1) * self.width]
    }

    /// Prefetches the key in a slot.
    #[inline]
    pub fn prefetch_key(&self, slot: usize) {
        prefetch(&self.slots[slot * self.width]);
    }

    /// The values of all slots, including free ones.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// See [`values`](Self::values).
    pub fn values_mut(&mut self) -> &mut [V] {
        &mut self.values
    }

    /// The number of bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.bytes(self.capacity)
    }

    /// The number of bytes held once `extra` more keys have come, and of those in the old slots, which are held as well
    /// during the copy.
    pub fn held_with(&self, extra: usize) -> (u64, u64) {
        let mut capacity = self.capacity;
        while self.len + extra > max_keys(capacity) {
            capacity = grown_capacity(capacity);
        }
        self.held_at(capacity)
    }

    /// The same if [`reserve`](Self::reserve) makes room for the `extra` keys at once.
    pub fn held_reserved(&self, extra: usize) -> (u64, u64) {
        self.held_at(self.reserved(extra))
    }

    fn held_at(&self, capacity: usize) -> (u64, u64) {
        (self.bytes(capacity), if capacity == self.capacity { 0 } else { self.held_bytes() })
    }

    /// Makes room for `extra` more keys and hardly more: a caller that knows the number of keys saves half a table.
    pub fn reserve(&mut self, extra: usize) {
        let capacity = self.reserved(extra);
        if capacity > self.capacity {
            self.move_to(capacity);
        }
    }

    /// Frees room that was reserved for keys that did not come, if that is more than an eighth of the table.
    pub fn shrink_to_fit(&mut self) {
        let capacity = capacity_for(self.len);
        if capacity < self.capacity - self.capacity / 8 {
            self.move_to(capacity);
        }
    }

    fn reserved(&self, extra: usize) -> usize {
        let keys = self.len + extra;
        if keys <= max_keys(self.capacity) { self.capacity } else { capacity_for(keys) }
    }

    fn move_to(&mut self, capacity: usize) {
        match self.width {
            1 => self.grow::<1>(capacity),
            2 => self.grow::<2>(capacity),
            _ => self.grow::<0>(capacity),
        }
    }

    fn bytes(&self, capacity: usize) -> u64 {
        capacity as u64 * (8 * self.width + 1 + size_of::<V>()) as u64
    }

    /// The first slot of the group of keys with this hash.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let groups = (self.capacity / GROUP_SLOTS) as u128;
        ((u128::from(hash << self.common) * groups) >> 64) as usize * GROUP_SLOTS
    }

    /// The tags of the group that begins with this slot.
    #[inline]
    fn tags(&self, first: usize) -> Tags {
        Tags(self.tags[first..first + GROUP_SLOTS].try_into().expect("as many slots as a group has"))
    }

    /// Prefetches the tags of the group of this hash.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.tags.get(self.place(hash)).inspect(|tag| prefetch(*tag));
    }

    /// Prefetches the slot that the tags suggest for this hash. Call it some time after [`prefetch`](Self::prefetch).
    #[inline]
    pub fn prefetch_slot(&self, hash: u64) {
        if self.capacity > 0 {
            let first = self.place(hash);
            let tags = self.tags(first);
            let (same, free) = (tags.matching(tag(hash)), tags.free());
            let slot = first
                + (if same != 0 { same } else { free | 1 << (GROUP_SLOTS - 1) }).trailing_zeros() as usize;
            prefetch(&self.slots[slot * self.width]);
            if size_of::<V>() > 0 {
                prefetch(&self.values[slot]);
            }
        }
    }

    /// The slots of the groups of this range of hashes: the first one, and the end.
    fn stretch(&self, hashes: &RangeInclusive<u64>) -> (usize, usize) {
        (self.place(*hashes.start()), self.place(*hashes.end()) + GROUP_SLOTS)
    }

    /// Returns true if so many keys of a range of hashes have come, and were put so far from their groups, that they fill
    /// their stretch of the table while others are free.
    fn is_crowded(&self, hashes: &RangeInclusive<u64>, hash: u64, slot: usize, came: usize) -> bool {
        let place = self.place(hash);
        let passed = if slot >= place { slot - place } else { slot + self.capacity - place };
        if passed < MAX_PASSED_SLOTS {
            return false;
        }
        let (from, to) = self.stretch(hashes);
        came >= (to - from) / 4
    }

    /// Reads the stretch of the table for this range of hashes into the cache if this number of keys fills it. Returns
    /// true if it does.
    fn stream_into_cache(&self, hashes: &RangeInclusive<u64>, keys: usize) -> bool {
        if self.capacity == 0 {
            return true;
        }
        let (from, to) = self.stretch(hashes);
        let fills = keys * MAX_STREAMED_SLOTS_PER_KEY >= to - from;
        if fills {
            let lines =
                |slots: &[u64]| slots.iter().step_by(CACHE_LINE_WORDS).fold(0, |sum, word| sum ^ word);
            std::hint::black_box(lines(&self.slots[from * self.width..to * self.width]));
            std::hint::black_box(
                self.tags[from..to].iter().step_by(8 * CACHE_LINE_WORDS).fold(0, |sum, tag| sum ^ tag),
            );
        }
        fills
    }

    /// The slot of a key; `None` if the table does not contain it.
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

    /// Calls `each` with the slots of contiguous keys, in their order; `None` for a key that the table does not
    /// contain.
    pub fn find_all(&self, keys: &[u64], mut each: impl FnMut(Option<usize>)) {
        let mut coming = PrefetchQueue::of(self, keys);
        for (i, key) in keys.chunks_exact(self.width).enumerate() {
            let hash = coming.hash(self, keys, i);
            each(self.find(hash, key));
        }
    }

    /// The slot of a key, or else the free slot for it; `W` is the width, or 0 for any other width.
    #[inline]
    fn probe<const W: usize>(&self, hash: u64, key: &[u64]) -> Result<usize, usize> {
        let width = if W == 0 { self.width } else { W };
        let mut first = self.place(hash);
        loop {
            let tags = self.tags(first);
            let mut same = tags.matching(tag(hash));
            while same != 0 {
                let slot = first + same.trailing_zeros() as usize;
                if equal::<W>(&self.slots[slot * width..(slot + 1) * width], key) {
                    return Ok(slot);
                }
                same &= same - 1;
            }
            let free = tags.free();
            if free != 0 {
                return Err(first + free.trailing_zeros() as usize);
            }
            first += GROUP_SLOTS;
            if first == self.capacity {
                first = 0;
            }
        }
    }

    /// Puts a key into a free slot.
    #[inline]
    fn put<const W: usize>(&mut self, slot: usize, hash: u64, key: &[u64]) {
        let width = if W == 0 { self.width } else { W };
        self.tags[slot] = tag(hash);
        match (&mut self.slots[slot * width..(slot + 1) * width], key) {
            ([x], [a]) => *x = *a,
            ([x, y], [a, b]) => (*x, *y) = (*a, *b),
            (to, key) => to.copy_from_slice(key),
        }
    }

    /// Inserts keys whose hashes lie in this range. The keys of each run are contiguous. Calls `each` for every key, in
    /// order, with its value and true if the key is new.
    ///
    /// Ranges may come one after the other, in their order: if the keys of one fill their stretch, those of the others
    /// are likely to do so as well, so the table grows, although it has room for more keys.
    pub fn insert_all<'k>(
        &mut self,
        hashes: RangeInclusive<u64>,
        runs: impl Iterator<Item = &'k [u64]> + Clone,
        mut each: impl FnMut(&[u64], &mut V, bool),
    ) {
        let near =
            self.stream_into_cache(&hashes, runs.clone().map(<[u64]>::len).sum::<usize>() / self.width);
        match self.width {
            1 => self.insert_wide::<1>(near, &hashes, runs, &mut each),
            2 => self.insert_wide::<2>(near, &hashes, runs, &mut each),
            _ => self.insert_wide::<0>(near, &hashes, runs, &mut each),
        }
    }

    fn insert_wide<'k, const W: usize>(
        &mut self,
        near: bool,
        hashes: &RangeInclusive<u64>,
        runs: impl Iterator<Item = &'k [u64]>,
        each: &mut impl FnMut(&[u64], &mut V, bool),
    ) {
        let width = if W == 0 { self.width } else { W };
        let mut came = 0;
        for keys in runs {
            let mut coming = (!near).then(|| PrefetchQueue::of(self, keys));
            for (i, key) in keys.chunks_exact(width).enumerate() {
                let now = coming.as_mut().map_or_else(|| hash(key), |coming| coming.hash(self, keys, i));
                if self.len >= max_keys(self.capacity) {
                    self.grow::<W>(grown_capacity(self.capacity));
                }
                match self.probe::<W>(now, key) {
                    Ok(slot) => each(key, &mut self.values[slot], false),
                    Err(mut slot) => {
                        if self.is_crowded(hashes, now, slot, came) {
                            self.grow::<W>(grown_capacity(self.capacity));
                            slot = self.probe::<W>(now, key).expect_err("a key that did not come before");
                        }
                        self.put::<W>(slot, now, key);
                        (self.len, came) = (self.len + 1, came + 1);
                        each(key, &mut self.values[slot], true);
                    }
                }
            }
        }
    }

    /// Moves to a table of `capacity` slots. The keys come in the order of their groups, so both tables are traversed
    /// sequentially.
    fn grow<const W: usize>(&mut self, capacity: usize) {
        let width = if W == 0 { self.width } else { W };
        let old = std::mem::replace(&mut self.slots, zeroed(capacity * width));
        let tags = std::mem::replace(&mut self.tags, defaults(capacity));
        let values = std::mem::replace(&mut self.values, defaults(capacity));
        self.capacity = capacity;
        for (key, (tag, value)) in old.chunks_exact(width).zip(tags.into_iter().zip(values)) {
            let hash = if tag == 0 { continue } else { hash(key) };
            if let Err(slot) = self.probe::<W>(hash, key) {
                self.put::<W>(slot, hash, key);
                self.values[slot] = value;
            }
        }
    }
}

/// The hashes of later keys. The tags of all of them are being prefetched, and the slots of half of them.
struct PrefetchQueue([u64; PREFETCH_DISTANCE]);

impl PrefetchQueue {
    /// Starts with the first of these contiguous keys.
    fn of<V: Copy + Default>(table: &KeyTable<V>, keys: &[u64]) -> PrefetchQueue {
        let mut hashes = [0; PREFETCH_DISTANCE];
        hashes.iter_mut().zip(keys.chunks_exact(table.width)).for_each(|(to, key)| *to = hash(key));
        hashes.iter().for_each(|&hash| table.prefetch(hash));
        PrefetchQueue(hashes)
    }

    /// The hash of key `i`, the next one. Replaces it by the hash of a later key.
    #[inline]
    fn hash<V: Copy + Default>(&mut self, table: &KeyTable<V>, keys: &[u64], i: usize) -> u64 {
        let now = self.0[i % PREFETCH_DISTANCE];
        table.prefetch_slot(self.0[(i + PREFETCH_DISTANCE / 2) % PREFETCH_DISTANCE]);
        if let Some(later) =
            keys.get((i + PREFETCH_DISTANCE) * table.width..(i + PREFETCH_DISTANCE + 1) * table.width)
        {
            self.0[i % PREFETCH_DISTANCE] = hash(later);
            table.prefetch(self.0[i % PREFETCH_DISTANCE]);
        }
        now
    }
}

/// The tag for a hash, from bits that say nothing about the group.
#[inline]
fn tag(hash: u64) -> u8 {
    (hash >> 16) as u8 | 0x80
}

/// Returns true if two keys are equal.
#[inline]
fn equal<const W: usize>(a: &[u64], b: &[u64]) -> bool {
    match W {
        1 => a[0] == b[0],
        2 => (a[0] ^ b[0]) | (a[1] ^ b[1]) == 0,
        _ => a == b,
    }
}

/// The tags of a group.
#[derive(Clone, Copy)]
struct Tags([u8; GROUP_SLOTS]);

impl Tags {
    /// The slots with this tag, as a bit mask.
    #[inline]
    fn matching(self, tag: u8) -> u32 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every processor of this architecture has these instructions.
        unsafe {
            use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set1_epi8};
            _mm_movemask_epi8(_mm_cmpeq_epi8(self.lanes(), _mm_set1_epi8(tag as i8))) as u32
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.those(|other| other == tag)
    }

    /// The free slots, as a bit mask.
    #[inline]
    fn free(self) -> u32 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above. The top bit of a byte marks it as the tag of a key.
        unsafe {
            !(std::arch::x86_64::_mm_movemask_epi8(self.lanes()) as u32) & ((1 << GROUP_SLOTS) - 1)
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.those(|tag| tag == 0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn lanes(self) -> std::arch::x86_64::__m128i {
        // SAFETY: the pointer refers to sixteen readable bytes, which need not be aligned.
        unsafe { std::arch::x86_64::_mm_loadu_si128(self.0.as_ptr().cast()) }
    }

    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn those(self, which: impl Fn(u8) -> bool) -> u32 {
        self.0.iter().enumerate().fold(0, |all, (i, &tag)| all | u32::from(which(tag)) << i)
    }
}

/// The maximal number of keys in a table of this capacity; beyond it the table grows.
fn max_keys(capacity: usize) -> usize {
    capacity / 10 * 8
}

/// The capacity for this number of keys, with little slack.
fn capacity_for(keys: usize) -> usize {
    (keys / 8 * 10 + INITIAL_CAPACITY).next_multiple_of(GROUP_SLOTS)
}

/// The next capacity.
fn grown_capacity(capacity: usize) -> usize {
    (2 * capacity).max(INITIAL_CAPACITY)
}

/// A vector of zeros, in huge pages if the system has them: random accesses to a table would otherwise wait for the
/// addresses of its pages as long as for its cache lines.
pub fn zeroed(words: usize) -> Vec<u64> {
    let mut words = vec![0; words];
    advise_huge_pages(&words);
    // Writes to each page before anything reads it. A page that is read first maps to the shared zero page of ordinary
    // size, and is allocated only when it is written.
    let words_now = std::hint::black_box(&mut words[..]);
    words_now.iter_mut().step_by(PAGE_BYTES / size_of::<u64>()).for_each(|word| *word = 0);
    words
}

/// A vector of default values, in huge pages if the system has them.
fn defaults<V: Copy + Default>(count: usize) -> Vec<V> {
    let mut values = Vec::with_capacity(count);
    advise_huge_pages(values.spare_capacity_mut());
    values.resize(count, V::default());
    values
}

/// Requests huge pages from the system for the part of this memory that fills them.
fn advise_huge_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        let first = memory.as_ptr() as usize;
        let from = first.next_multiple_of(HUGE_PAGE_BYTES);
        let to = (first + std::mem::size_of_val(memory)) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if from < to {
            // SAFETY: the range lies in the given memory. The advice changes how it is mapped, never its contents; if
            // the system refuses the advice, nothing changes.
            unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// `zeroed` for words that threads share.
pub fn zeroed_shared(words: usize) -> Vec<AtomicU64> {
    let mut words = std::mem::ManuallyDrop::new(zeroed(words));
    // SAFETY: an `AtomicU64` has the memory layout of a `u64`, and the vector that owned this memory is not used any
    // more.
    unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) }
}

/// Prefetches a value that will soon be read.
#[inline]
pub fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction, and it reads nothing: it is a hint.
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

    /// A strategy for keys from a small range, so that they repeat, with extreme words among them.
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
            let mut table = KeyTable::<u16>::new(width, 0);
            let mut map: BTreeMap<Vec<u64>, u16> = BTreeMap::new();
            for keys in keys.chunks(batch) {
                let mut expected = keys.iter();
                let (all, half) = (keys.concat(), keys.len() / 2 * width);
                table.insert_all(0..=u64::MAX, [&all[..half], &all[half..]].into_iter(), |key, value, new| {
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
            let asked: Vec<Vec<u64>> = keys.iter().flat_map(|key| [key.clone(), vec![77; width]]).collect();
            let mut expected = asked.iter().map(|key| table.find(hash(key), key));
            table.find_all(&asked.concat(), |slot| assert_eq!(Some(slot), expected.next()));
            prop_assert!(expected.next().is_none());
            let listed = (0..table.capacity()).filter_map(|slot| table.key(slot)).count();
            prop_assert_eq!(listed, map.len());
            let strange = vec![77; width];
            prop_assert_eq!(table.find(hash(&strange), &strange), None);
        }
    }

    #[test]
    fn keys_of_one_part_of_the_hashes_spread_over_the_table() {
        let part: Vec<u64> = (1..200_000).filter(|&key| hash(&[key]) >> 58 == 5).collect();
        let mut table = KeyTable::<()>::new(1, 6);
        let (held, old) = table.held_with(part.len());
        table.insert_all(5 << 58..=u64::MAX, [&part[..]].into_iter(), |_, (), new| assert!(new));
        assert!(table.len() > 3000 && table.held_bytes() == held && old == 0);
        assert!(part.iter().all(|&key| table.find(hash(&[key]), &[key]).is_some()));
        // If they all lay in one corner, the distance from the group of a key to its slot would be large.
        assert!(groups_passed(&table) < part.len() / 4);
        assert_eq!(table.held_with(table.len()).1, held, "the old slots are held while they are copied");
        table.reserve(5 * part.len());
        assert!(table.held_bytes() > 4 * held);
        table.shrink_to_fit();
        assert!(table.held_bytes() <= held && table.len() == part.len());
        assert!(part.iter().all(|&key| table.find(hash(&[key]), &[key]).is_some()));
    }

    /// Returns the number of groups that the lookups of all keys pass on their way.
    fn groups_passed(table: &KeyTable<()>) -> usize {
        let passed = |slot: usize| {
            let key = table.key(slot)?;
            Some((slot + table.capacity() - table.place(hash(key))) % table.capacity() / GROUP_SLOTS)
        };
        (0..table.capacity()).filter_map(passed).sum()
    }

    #[test]
    fn ranges_of_hashes_that_come_in_their_order_spread_over_the_table() {
        const RANGES: u64 = 64;
        let mut ranges = vec![Vec::new(); RANGES as usize];
        (1..200_000u64).for_each(|key| ranges[(hash(&[key]) >> 58) as usize].push(key));
        let mut table = KeyTable::<()>::new(1, 0);
        // Room for a tenth of the keys: each range fills ten times its stretch.
        table.reserve(20_000);
        let mut passed = 0;
        for (first, keys) in (0..RANGES).zip(&ranges) {
            let range = first << 58..=first << 58 | u64::MAX >> 6;
            table.insert_all(range, [&keys[..]].into_iter(), |_, (), new| assert!(new));
            passed = passed.max(groups_passed(&table));
        }
        assert_eq!(table.len(), 199_999);
        assert!(table.held_bytes() <= table.bytes(4 * 200_000), "{}", table.held_bytes());
        // Without growth in time the keys of the first ranges would lie in one heap, each at the end of it.
        assert!(passed < 10 * table.len(), "{passed}");
    }

    #[test]
    fn keys_that_are_far_from_one_another_and_keys_that_fill_a_stretch_come_the_same_way() {
        let keys: Vec<u64> = (1..40_000u64).map(|i| i.wrapping_mul(0x2545_f491_4f6c_dd1d)).collect();
        let mut table = KeyTable::<u32>::new(1, 0);
        table.insert_all(0..=u64::MAX, [&keys[..]].into_iter(), |_, value, new| {
            assert!(new);
            *value = 1;
        });
        for some in keys.chunks(100) {
            assert!(!table.stream_into_cache(&(0..=u64::MAX), some.len()));
            table.insert_all(0..=u64::MAX, [some].into_iter(), |_, value, new| {
                assert!(!new);
                *value += 1;
            });
        }
        let range = 1 << 62..=(1 << 62) + (1 << 56);
        let near: Vec<u64> = keys.iter().copied().filter(|&key| range.contains(&hash(&[key]))).collect();
        assert!(near.len() > 20 && table.stream_into_cache(&range, near.len()));
        table.insert_all(range, [&near[..]].into_iter(), |_, value, new| {
            assert!(!new);
            *value += 1;
        });
        assert_eq!(table.values().iter().sum::<u32>() as usize, 2 * keys.len() + near.len());
    }

    #[test]
    fn tags_are_compared_as_one_by_one() {
        let mut tags = [0; GROUP_SLOTS];
        for i in 0..256u32 {
            tags[i as usize % GROUP_SLOTS] = if i % 3 == 0 { 0 } else { tag(u64::from(i) << 16) };
            let of = Tags(tags);
            assert_eq!(of.free(), of.those(|tag| tag == 0));
            assert_eq!(of.matching(0x85), of.those(|tag| tag == 0x85));
        }
    }

    #[test]
    fn an_empty_table_has_no_key() {
        let table = KeyTable::<u8>::new(2, 0);
        table.prefetch(hash(&[0, 1]));
        assert_eq!((table.find(hash(&[0, 1]), &[0, 1]), table.len(), table.held_bytes()), (None, 0, 0));
    }
}
