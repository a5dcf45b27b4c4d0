//! The reachable set: all positions that moves lead to, as packed keys, without indices and edges.
//!
//! The set is partitioned by the hash of the keys; `breadth_first` computes it.

mod breadth_first;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::State;
use super::canonical::Canonicalizer;
use super::compiled::CompiledMachine;
use super::keys::KeyEncoding;
use bouton_backend::{CircuitEnding, PositionRef, RulesFault, Status, UndecidedChildren, UndecidedExpansion};
use bouton_base::key_table::{KeyTable, hash};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::{Circuit, ControlId};
pub use breadth_first::{BarrierCallback, ReachabilitySearch, StartReceiver};

/// The number of parts of the set, selected by the upper bits of the hash.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 6;

/// The number of bytes of a table that the keys of one list should look up, as far as keys may be partitioned.
const LIST_LOOKUP_BYTES: u64 = 1 << 19;
/// The maximal number of bits by which keys are partitioned more finely than the set: with many more, the ends of the
/// lists themselves would not stay in the cache.
const MAX_EXTRA_BITS: u32 = 3;

/// The value stored for a position.
pub trait PositionMark: Copy + Default + Send + Sync {
    /// Records that the position was reached at this ply, for the first time (`new`) or again.
    fn reached(&mut self, ply: u32, new: bool);

    /// Returns the ply at which the position was first reached, if the mark stores it.
    fn ply(self) -> Option<u32>;
}

impl PositionMark for () {
    fn reached(&mut self, _ply: u32, _new: bool) {}

    fn ply(self) -> Option<u32> {
        None
    }
}

/// A set of positions, each with its mark.
#[derive(Debug)]
pub struct ReachableSet<M> {
    /// The encoding of positions as keys.
    pub keys: KeyEncoding,
    /// The parts, by the upper bits of the hash. If each ply has its own parts, [`PARTS`] of them for each ply, one ply
    /// after the other.
    pub parts: Vec<KeyTable<M>>,
    /// True if each ply has its own parts: then each position comes at one ply only.
    apart: bool,
}

/// Statistics of a search for reachable positions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReachStats {
    /// The number of positions first reached at each ply; those of the last ply may not be expanded.
    pub plies: Vec<u64>,
    /// The number of expanded positions.
    pub expanded: u64,
    /// The number of moves of the expanded positions.
    pub moves: u64,
    /// The number of terminal positions, by ending.
    pub endings: FxHashMap<CircuitEnding, u64>,
    /// The maximal number of bytes held.
    pub held_bytes: u64,
}

/// A histogram of endings. Most consecutive terminal positions end alike, and are counted without a hash lookup.
#[derive(Default)]
pub(super) struct EndingHistogram {
    counts: FxHashMap<CircuitEnding, u64>,
    last: Option<(CircuitEnding, u64)>,
}

impl EndingHistogram {
    #[inline]
    pub fn add(&mut self, ending: CircuitEnding) {
        match &mut self.last {
            Some((of, n)) if of.equals(&ending) => *n += 1,
            _ => self.put(Some((ending, 1))),
        }
    }

    fn put(&mut self, next: Option<(CircuitEnding, u64)>) {
        if let Some((ending, n)) = std::mem::replace(&mut self.last, next) {
            *self.counts.entry(ending).or_default() += n;
        }
    }

    /// Adds the counts to another histogram and clears this one.
    pub fn drain_to(&mut self, counts: &mut FxHashMap<CircuitEnding, u64>) {
        self.put(None);
        self.counts.drain().for_each(|(ending, n)| *counts.entry(ending).or_default() += n);
    }
}

/// The progress of a search: positions first reached at earlier plies are expanded, and so are those of this ply in the
/// parts before this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchProgress {
    /// The ply whose positions are being expanded.
    pub ply: u32,
    /// The part of the set.
    pub part: usize,
}

/// The reason why a search for reachable positions ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchEnd {
    /// All positions up to the requested ply were found.
    Complete,
    /// A limit was reached.
    Limit(LimitHit),
    /// The callback at a barrier stopped the search.
    Stopped,
    /// The circuit cannot decide a position: nobody can move, or the rules have no meaning, or the circuit cannot
    /// represent it.
    Undecided,
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

impl<M: PositionMark> ReachableSet<M> {
    /// Creates an empty set with such keys. `plies_apart` gives each ply its own parts, for this number of plies at
    /// first.
    pub fn empty(keys: KeyEncoding, plies_apart: Option<u32>) -> ReachableSet<M> {
        let mut closure = ReachableSet { keys, parts: Vec::new(), apart: plies_apart.is_some() };
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
        self.parts.resize_with(wanted, || KeyTable::new(width, PART_BITS));
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
        self.parts.iter().map(KeyTable::held_bytes).sum()
    }

    /// Returns the number of bytes held by some parts.
    pub fn held_by(&self, parts: Range<usize>) -> u64 {
        self.parts[parts].iter().map(KeyTable::held_bytes).sum()
    }

    /// Returns the number of bits by which keys looked up in these parts are partitioned more finely than the set.
    /// Slots in a part follow the hash, so keys of one list lie close together and stay in the cache until the next
    /// lookup.
    pub fn extra_bits(&self, parts: Range<usize>) -> u32 {
        let near = self.held_by(parts) / (PARTS as u64 * LIST_LOOKUP_BYTES);
        near.max(1).ilog2().min(MAX_EXTRA_BITS)
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
    pub fn search(
        expander: &Expander,
        from: &[State],
        plies: Option<u32>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> (ReachableSet<M>, ReachStats, SearchEnd) {
        let mut gathering = ReachabilitySearch::new(expander, None);
        for state in from {
            match expander.machine.position(state) {
                Some(at) => gathering.add_start(at.control, &at.words),
                None => return (gathering.closure, gathering.met, SearchEnd::Undecided),
            }
        }
        gathering.run(plies, limits, progress, &mut |_, _| ControlFlow::Continue(()))
    }
}

/// A generator of successors by key.
pub struct Expander {
    machine: Arc<CompiledMachine>,
    /// The symmetries, if positions represent their orbits.
    canonical: Option<Canonicalizer>,
    /// The control that each site leads to.
    sites: Vec<ControlId>,
}

/// Scratch memory for [`Expander::children`], reused from one position to the next.
#[derive(Clone, Default, Debug)]
pub struct ExpandScratch {
    words: Vec<u64>,
    key: Vec<u64>,
    records: Vec<u64>,
}

impl ExpandScratch {
    /// Returns the words of the positions after the moves, one position after the other.
    fn positions(&self) -> impl Iterator<Item = u64> {
        let of = |record: &[u64]| record[1..].to_vec();
        self.records.chunks_exact(self.words.len() + 1).flat_map(of)
    }
}

/// The reason why a position has no successors as keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpandError {
    /// The circuit cannot decide the position.
    Undecided,
    /// A move leads to a position that has no key of this encoding.
    NoKey,
}

impl Expander {
    /// Creates a generator for the positions of this machine.
    pub fn new(machine: &Arc<CompiledMachine>) -> Expander {
        Expander { machine: machine.clone(), canonical: None, sites: machine.runner().sites() }
    }

    /// Creates a generator for the representatives under these symmetries.
    pub fn with_symmetries(machine: &Arc<CompiledMachine>, canonical: Canonicalizer) -> Expander {
        Expander { canonical: Some(canonical), ..Expander::new(machine) }
    }

    /// Returns the symmetries, if positions represent their orbits.
    pub fn canonical(&self) -> Option<&Canonicalizer> {
        self.canonical.as_ref()
    }

    /// Returns the number of symmetries, the identity included.
    pub fn symmetries(&self) -> usize {
        self.canonical.as_ref().map_or(1, Canonicalizer::order)
    }

    /// Returns the key of a position or of its representative; `None` if these keys cannot encode it.
    pub fn key(&self, keys: &KeyEncoding, control: ControlId, words: &[u64]) -> Option<Vec<u64>> {
        let (mut words, mut key) = (words.to_vec(), vec![0; keys.width()]);
        if let Some(canonical) = &self.canonical {
            canonical.canonicalize_words(&mut words);
        }
        keys.pack(control, &words, &mut key).then_some(key)
    }

    /// Returns the number of positions that one represents, whose words [`control`](Self::control) has put into the
    /// scratch memory.
    pub fn orbit(&self, room: &ExpandScratch) -> u64 {
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
    pub fn control(&self, keys: &KeyEncoding, key: &[u64], room: &mut ExpandScratch) -> ControlId {
        room.words.resize(keys.words(), 0);
        keys.unpack(key, &mut room.words)
    }

    /// Passes the keys of the successors to `each`, in the order of groups and lanes, or returns the ending of a
    /// finished game.
    #[inline]
    pub fn children(
        &self,
        keys: &KeyEncoding,
        key: &[u64],
        room: &mut ExpandScratch,
        each: impl FnMut(&[u64]),
    ) -> Result<Option<CircuitEnding>, ExpandError> {
        let control = self.control(keys, key, room);
        self.children_of_unpacked(keys, control, room, each)
    }

    /// Expands, like [`children`](Self::children), the position whose words [`control`](Self::control) has put into the
    /// scratch memory.
    #[inline]
    pub fn children_of_unpacked(
        &self,
        keys: &KeyEncoding,
        control: ControlId,
        room: &mut ExpandScratch,
        each: impl FnMut(&[u64]),
    ) -> Result<Option<CircuitEnding>, ExpandError> {
        room.records.clear();
        match self.machine.runner().records(PositionRef { control, words: &room.words }, &mut room.records) {
            Err(RulesFault) => return Err(ExpandError::Undecided),
            Ok(Status::Over(ending)) => return Ok(Some(ending)),
            Ok(Status::Open) if room.records.is_empty() => return Err(ExpandError::Undecided),
            Ok(Status::Open) => {}
        }
        self.pack(keys, room, |site| self.sites[site as usize], each)?;
        Ok(None)
    }

    /// Expands a position like [`children_of_unpacked`](Self::children_of_unpacked), without the moves that a one-ply
    /// lookahead decides.
    #[inline]
    pub fn undecided_children(
        &self,
        sieve: &dyn UndecidedChildren,
        keys: &KeyEncoding,
        control: ControlId,
        room: &mut ExpandScratch,
        each: impl FnMut(&[u64]),
    ) -> Result<UndecidedExpansion, ExpandError> {
        room.records.clear();
        let sifted = sieve
            .expand_undecided(PositionRef { control, words: &room.words }, &mut room.records)
            .map_err(|RulesFault| ExpandError::Undecided)?;
        match sifted {
            UndecidedExpansion::Open { losing_moves: false } if room.records.is_empty() => {
                Err(ExpandError::Undecided)
            }
            UndecidedExpansion::Open { .. } => {
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
        keys: &KeyEncoding,
        room: &mut ExpandScratch,
        control: impl Fn(u32) -> ControlId,
        mut each: impl FnMut(&[u64]),
    ) -> Result<(), ExpandError> {
        room.key.resize(keys.width(), 0);
        // Not `chunks_exact`: computing the number of chunks takes a division, which costs as much as finding a move.
        let mut records = &mut room.records[..];
        while let Some((record, others)) = records.split_at_mut_checked(room.words.len() + 1) {
            if let Some(canonical) = &self.canonical {
                canonical.canonicalize_words(&mut record[1..]);
            }
            if !keys.pack(control(record[0] as u32), &record[1..], &mut room.key) {
                return Err(ExpandError::NoKey);
            }
            each(&room.key);
            records = others;
        }
        Ok(())
    }
}
