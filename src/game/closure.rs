//! The set of reachable positions, stored as packed keys. Use it when neither indices nor edges are needed.
//!
//! The set is partitioned by the hash of the keys; `gathering` computes it.

mod gathering;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::State;
use super::canonical::Canonical;
use super::compiled::CompiledMachine;
use super::keys::Keys;
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::base::mem::{Table, hash};
use crate::circuit::{Circuit, ControlId};
use crate::exec::{Ending, Faulted, Sieve, Sifted, Status};
pub use gathering::{AtRest, First, Gathering};

/// The number of parts of the set, selected by the upper bits of the hash.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 6;

/// The number of bytes of a table that the keys of one list should look up, as far as keys may be partitioned.
const NEAR: u64 = 1 << 19;
/// The maximal number of bits by which keys are partitioned more finely than the set: with many more, the ends of the
/// lists themselves would not stay in the cache.
const MOST_FINER: u32 = 3;

/// The value stored for a position.
pub trait Mark: Copy + Default + Send + Sync {
    /// Records that the position was reached at this ply, for the first time (`new`) or again.
    fn reached(&mut self, ply: u32, new: bool);

    /// Returns the ply at which the position was first reached, if the mark stores it.
    fn ply(self) -> Option<u32>;
}

impl Mark for () {
    fn reached(&mut self, _ply: u32, _new: bool) {}

    fn ply(self) -> Option<u32> {
        None
    }
}

/// A set of positions, each with its mark.
#[derive(Debug)]
pub struct Closure<M> {
    /// The encoding of positions as keys.
    pub keys: Keys,
    /// The parts, by the upper bits of the hash. If each ply has its own parts, [`PARTS`] of them for each ply, one ply
    /// after the other.
    pub parts: Vec<Table<M>>,
    /// True if each ply has its own parts: then each position comes at one ply only.
    apart: bool,
}

/// Statistics of a search for reachable positions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Met {
    /// The number of positions first reached at each ply; those of the last ply may not be expanded.
    pub plies: Vec<u64>,
    /// The number of expanded positions.
    pub expanded: u64,
    /// The number of moves of the expanded positions.
    pub moves: u64,
    /// The number of terminal positions, by ending.
    pub endings: FxHashMap<Ending, u64>,
    /// The maximal number of bytes held.
    pub held_bytes: u64,
}

/// A histogram of endings. Most consecutive terminal positions end alike, and are counted without a hash lookup.
#[derive(Default)]
pub(super) struct Endings {
    counts: FxHashMap<Ending, u64>,
    last: Option<(Ending, u64)>,
}

impl Endings {
    #[inline]
    pub fn add(&mut self, ending: Ending) {
        match &mut self.last {
            Some((of, n)) if of.is(&ending) => *n += 1,
            _ => self.put(Some((ending, 1))),
        }
    }

    fn put(&mut self, next: Option<(Ending, u64)>) {
        if let Some((ending, n)) = std::mem::replace(&mut self.last, next) {
            *self.counts.entry(ending).or_default() += n;
        }
    }

    /// Adds the counts to another histogram and clears this one.
    pub fn drain_to(&mut self, counts: &mut FxHashMap<Ending, u64>) {
        self.put(None);
        self.counts.drain().for_each(|(ending, n)| *counts.entry(ending).or_default() += n);
    }
}

/// The progress of a search: positions first reached at earlier plies are expanded, and so are those of this ply in the
/// parts before this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reached {
    /// The ply whose positions are being expanded.
    pub ply: u32,
    /// The part of the set.
    pub part: usize,
}

/// The reason why a search for reachable positions ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All positions up to the requested ply were found.
    Complete,
    /// A limit was reached.
    Limit(LimitHit),
    /// The callback at a barrier stopped the search.
    Left,
    /// The circuit cannot decide a position: nobody can move, or the rules have no meaning, or the circuit cannot
    /// represent it.
    Odd,
}

/// Returns the part of the set that a key with this hash belongs to.
#[inline]
fn part(hash: u64) -> usize {
    list(hash, 0)
}

/// Returns the list that a key with this hash belongs to, if keys are partitioned by `finer` more bits than the set.
#[inline]
pub fn list(hash: u64, finer: u32) -> usize {
    (hash >> (u64::BITS - PART_BITS - finer)) as usize
}

/// Appends a key; keys of one or two words need no call.
// Called for each generated move.
#[inline(always)]
pub fn append(to: &mut Vec<u64>, key: &[u64]) {
    match *key {
        [a] => to.push(a),
        // Written as one pair of words, it would wait for the two stores that made the key.
        [a, b] => {
            to.reserve(2);
            to.push(a);
            to.push(b);
        }
        _ => to.extend_from_slice(key),
    }
}

impl<M: Mark> Closure<M> {
    /// Creates an empty set with such keys. `plies_apart` gives each ply its own parts, for this number of plies at
    /// first.
    pub fn empty(keys: Keys, plies_apart: Option<u32>) -> Closure<M> {
        let mut closure = Closure { keys, parts: Vec::new(), apart: plies_apart.is_some() };
        closure.open(plies_apart.map_or(0, |plies| plies.saturating_sub(1)));
        closure
    }

    /// Returns the number of plies that have parts; `None` if plies share the parts.
    pub fn plies_apart(&self) -> Option<u32> {
        self.apart.then_some((self.parts.len() / PARTS) as u32)
    }

    /// Returns the parts for the positions of a ply: all parts if plies share them.
    pub fn of_ply(&self, ply: u32) -> Range<usize> {
        let first = if self.apart { ply as usize * PARTS } else { 0 };
        first..first + PARTS
    }

    /// Returns the parts of a ply like [`of_ply`](Self::of_ply), and creates those that do not exist.
    pub fn open(&mut self, ply: u32) -> Range<usize> {
        let parts = self.of_ply(ply);
        let width = self.keys.width();
        let wanted = self.parts.len().max(parts.end);
        self.parts.resize_with(wanted, || Table::new(width, PART_BITS));
        parts
    }

    /// Returns true if these consecutive keys are strictly ascending and valid for the part with this index.
    pub fn holds(&self, of: usize, keys: &[u64]) -> bool {
        let width = self.keys.width();
        let (mut words, mut again) = (vec![0; self.keys.words()], vec![0; width]);
        let all = || keys.chunks_exact(width);
        all().all(|key| part(hash(key)) == of % PARTS && self.keys.is_key(key, &mut words, &mut again))
            && all().zip(all().skip(1)).all(|(a, b)| a < b)
    }

    /// Returns the number of positions.
    pub fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn held_bytes(&self) -> u64 {
        self.parts.iter().map(Table::held_bytes).sum()
    }

    /// Returns the number of bytes held by some parts.
    pub fn held_by(&self, parts: Range<usize>) -> u64 {
        self.parts[parts].iter().map(Table::held_bytes).sum()
    }

    /// Returns the number of bits by which keys looked up in these parts are partitioned more finely than the set.
    /// Slots in a part follow the hash, so keys of one list lie close together and stay in the cache until the next
    /// lookup.
    pub fn finer(&self, parts: Range<usize>) -> u32 {
        let near = self.held_by(parts) / (PARTS as u64 * NEAR);
        near.max(1).ilog2().min(MOST_FINER)
    }

    /// Finds the part and the slot of a position by its key and the hash of the key; `None` if it is not in the set.
    pub fn find(&self, hash: u64, key: &[u64]) -> Option<(usize, usize)> {
        let mut parts = (part(hash)..self.parts.len()).step_by(PARTS);
        parts.find_map(|part| Some((part, self.parts[part].find(hash, key)?)))
    }

    /// Returns the mark of a position by its key and the hash of the key; `None` if it is not in the set.
    pub fn get(&self, hash: u64, key: &[u64]) -> Option<M> {
        let (part, slot) = self.find(hash, key)?;
        Some(self.parts[part].values()[slot])
    }

    /// Computes the set of positions reachable from these in up to `plies` plies.
    pub fn gather(
        expander: &Expander,
        from: &[State],
        plies: Option<u32>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> (Closure<M>, Met, Ended) {
        let mut gathering = Gathering::new(expander, None);
        for state in from {
            match expander.machine.position(state) {
                Some(at) => gathering.begin(at.control, &at.words),
                None => return (gathering.closure, gathering.met, Ended::Odd),
            }
        }
        gathering.run(plies, limits, progress, &mut |_, _| ControlFlow::Continue(()))
    }
}

/// A generator of successors by key.
pub struct Expander {
    machine: Arc<CompiledMachine>,
    /// The symmetries, if positions represent their orbits.
    canonical: Option<Canonical>,
    /// The control that each site leads to.
    sites: Vec<ControlId>,
}

/// Scratch memory for [`Expander::children`], reused from one position to the next.
#[derive(Clone, Default, Debug)]
pub struct Room {
    words: Vec<u64>,
    key: Vec<u64>,
    records: Vec<u64>,
}

impl Room {
    /// Returns the words of the positions after the moves, one position after the other.
    fn positions(&self) -> impl Iterator<Item = u64> {
        let of = |record: &[u64]| record[1..].to_vec();
        self.records.chunks_exact(self.words.len() + 1).flat_map(of)
    }
}

/// The reason why a position has no successors as keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strange {
    /// The circuit cannot decide the position.
    Odd,
    /// A move leads to a position that has no key of this encoding.
    Outside,
}

impl Expander {
    /// Creates a generator for the positions of this machine.
    pub fn new(machine: &Arc<CompiledMachine>) -> Expander {
        Expander { machine: machine.clone(), canonical: None, sites: machine.runner().sites() }
    }

    /// Creates a generator for the representatives under these symmetries.
    pub fn folded(machine: &Arc<CompiledMachine>, canonical: Canonical) -> Expander {
        Expander { canonical: Some(canonical), ..Expander::new(machine) }
    }

    /// Returns the symmetries, if positions represent their orbits.
    pub fn canonical(&self) -> Option<&Canonical> {
        self.canonical.as_ref()
    }

    /// Returns the number of symmetries, the identity included.
    pub fn symmetries(&self) -> usize {
        self.canonical.as_ref().map_or(1, Canonical::order)
    }

    /// Returns the key of a position or of its representative; `None` if these keys cannot encode it.
    pub fn key(&self, keys: &Keys, control: ControlId, words: &[u64]) -> Option<Vec<u64>> {
        let (mut words, mut key) = (words.to_vec(), vec![0; keys.width()]);
        if let Some(canonical) = &self.canonical {
            canonical.least(&mut words);
        }
        keys.pack(control, &words, &mut key).then_some(key)
    }

    /// Returns the number of positions that one represents, whose words [`control`](Self::control) has put into the
    /// scratch memory.
    pub fn orbit(&self, room: &Room) -> u64 {
        self.canonical.as_ref().map_or(1, |canonical| canonical.orbit_of(&room.words))
    }

    pub fn machine(&self) -> &Arc<CompiledMachine> {
        &self.machine
    }

    fn circuit(&self) -> &Circuit {
        self.machine.runner().circuit()
    }

    /// Unpacks a key: returns the control (the mover and the phase), and writes the words into the scratch memory.
    #[inline]
    pub fn control(&self, keys: &Keys, key: &[u64], room: &mut Room) -> ControlId {
        room.words.resize(keys.words(), 0);
        keys.unpack(key, &mut room.words)
    }

    /// Passes the keys of the successors to `each`, in the order of groups and lanes, or returns the ending of a
    /// finished game.
    #[inline]
    pub fn children(
        &self,
        (keys, key): (&Keys, &[u64]),
        room: &mut Room,
        each: impl FnMut(&[u64]),
    ) -> Result<Option<Ending>, Strange> {
        let control = self.control(keys, key, room);
        self.children_there(keys, control, room, each)
    }

    /// Expands, like [`children`](Self::children), the position whose words [`control`](Self::control) has put into the
    /// scratch memory.
    #[inline]
    pub fn children_there(
        &self,
        keys: &Keys,
        control: ControlId,
        room: &mut Room,
        each: impl FnMut(&[u64]),
    ) -> Result<Option<Ending>, Strange> {
        room.records.clear();
        match self.machine.runner().records((control, &room.words), &mut room.records) {
            Err(Faulted) => return Err(Strange::Odd),
            Ok(Status::Over(ending)) => return Ok(Some(ending)),
            Ok(Status::Open) if room.records.is_empty() => return Err(Strange::Odd),
            Ok(Status::Open) => {}
        }
        self.pack(keys, room, |site| self.sites[site as usize], each)?;
        Ok(None)
    }

    /// Expands a position like [`children_there`](Self::children_there), without the moves that a one-ply lookahead
    /// decides.
    #[inline]
    pub fn sifted_there(
        &self,
        sieve: &dyn Sieve,
        (keys, control): (&Keys, ControlId),
        room: &mut Room,
        each: impl FnMut(&[u64]),
    ) -> Result<Sifted, Strange> {
        room.records.clear();
        let sifted = sieve.sift((control, &room.words), &mut room.records).map_err(|Faulted| Strange::Odd)?;
        match sifted {
            Sifted::Open { falls: false } if room.records.is_empty() => Err(Strange::Odd),
            Sifted::Open { .. } => {
                self.pack(keys, room, ControlId, each)?;
                Ok(sifted)
            }
            _ => Ok(sifted),
        }
    }

    /// Passes the keys of the positions in the records to `each`. The lower half of a record's first word selects the
    /// control.
    #[inline]
    fn pack(
        &self,
        keys: &Keys,
        room: &mut Room,
        control: impl Fn(u32) -> ControlId,
        mut each: impl FnMut(&[u64]),
    ) -> Result<(), Strange> {
        room.key.resize(keys.width(), 0);
        // Not `chunks_exact`: computing the number of chunks takes a division, which costs as much as finding a move.
        let mut records = &mut room.records[..];
        while let Some((record, others)) = records.split_at_mut_checked(room.words.len() + 1) {
            if let Some(canonical) = &self.canonical {
                canonical.least(&mut record[1..]);
            }
            if !keys.pack(control(record[0] as u32), &record[1..], &mut room.key) {
                return Err(Strange::Outside);
            }
            each(&room.key);
            records = others;
        }
        Ok(())
    }
}
