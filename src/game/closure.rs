//! All positions that moves lead to from some, as a set of keys: for who needs neither their numbers nor the moves.
//!
//! The set is in parts, by the hash of the keys; `gathering` has how it comes about.

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

/// The set has so many parts, by the upper bits of the hash.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 6;

/// What is looked up together in a table shall lie in so many bytes, as far as keys may be parted.
const NEAR: u64 = 1 << 19;
/// Keys are parted by at most so many bits more than the set is: with many more, the ends of so many lists would not be
/// near the processor themselves.
const MOST_FINER: u32 = 3;

/// What is kept of a position.
pub trait Mark: Copy + Default + Send + Sync {
    /// The position was reached by so many moves, for the first time or again.
    fn reached(&mut self, ply: u32, new: bool);

    /// By how many moves it was reached first, where the mark tells that.
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
    /// How positions are keys.
    pub keys: Keys,
    /// The parts, by the upper bits of the hash; so for each ply where plies are apart, one behind the other.
    pub parts: Vec<Table<M>>,
    /// Whether plies are apart: each position comes at one of them only.
    apart: bool,
}

/// What was met while positions were gathered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Met {
    /// How many positions come first at each ply; those of the last may not have been looked at.
    pub plies: Vec<u64>,
    /// How many positions were looked at.
    pub expanded: u64,
    /// How many moves they have together.
    pub moves: u64,
    /// How often the game is over there, by the end.
    pub endings: FxHashMap<Ending, u64>,
    /// The most bytes held.
    pub held_bytes: u64,
}

/// Counts how games end. Most that are over one after another have ended alike, and are counted without a look at the
/// others.
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

    /// Adds what was counted to other counts; none is left.
    pub fn drain_to(&mut self, counts: &mut FxHashMap<Ending, u64>) {
        self.put(None);
        self.counts.drain().for_each(|(ending, n)| *counts.entry(ending).or_default() += n);
    }
}

/// How far gathering got: what moves lead to is known of the positions that come first at earlier plies, and of those
/// of this ply that lie in the parts before this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reached {
    /// The ply that is looked at.
    pub ply: u32,
    /// The part of the set.
    pub part: usize,
}

/// Why positions were not all gathered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// They were, as far as was asked.
    Complete,
    /// A limit was reached.
    Limit(LimitHit),
    /// Who was told at rest wanted no more.
    Left,
    /// A position was met of which the circuit does not know enough: nobody can move, or the rules have no meaning, or it
    /// cannot hold it.
    Odd,
}

/// The part of the set that a key with this hash belongs to.
#[inline]
fn part(hash: u64) -> usize {
    list(hash, 0)
}

/// The list that a key with this hash belongs to where keys are parted by so many bits more than the set is.
#[inline]
pub fn list(hash: u64, finer: u32) -> usize {
    (hash >> (u64::BITS - PART_BITS - finer)) as usize
}

/// Appends a key; those of a word or two without a call.
// Called for each move that is made.
#[inline(always)]
pub fn append(to: &mut Vec<u64>, key: &[u64]) {
    match *key {
        [a] => to.push(a),
        // As one write of two words it would wait for the two writes that made the key.
        [a, b] => {
            to.reserve(2);
            to.push(a);
            to.push(b);
        }
        _ => to.extend_from_slice(key),
    }
}

impl<M: Mark> Closure<M> {
    /// No positions, which have such keys. Where each comes at one ply only, there are parts for so many plies.
    pub fn empty(keys: Keys, plies_apart: Option<u32>) -> Closure<M> {
        let mut closure = Closure { keys, parts: Vec::new(), apart: plies_apart.is_some() };
        closure.open(plies_apart.map_or(0, |plies| plies.saturating_sub(1)));
        closure
    }

    /// For how many plies there are parts, where plies are apart.
    pub fn plies_apart(&self) -> Option<u32> {
        self.apart.then_some((self.parts.len() / PARTS) as u32)
    }

    /// The parts of what comes at a ply: all of them, where plies are not apart.
    pub fn of_ply(&self, ply: u32) -> Range<usize> {
        let first = if self.apart { ply as usize * PARTS } else { 0 };
        first..first + PARTS
    }

    /// The same, which are made where there are none yet.
    pub fn open(&mut self, ply: u32) -> Range<usize> {
        let parts = self.of_ply(ply);
        let width = self.keys.width();
        let wanted = self.parts.len().max(parts.end);
        self.parts.resize_with(wanted, || Table::new(width, PART_BITS));
        parts
    }

    /// Whether keys in one run, in ascending order, are such as a part may have, by its number.
    pub fn holds(&self, of: usize, keys: &[u64]) -> bool {
        let width = self.keys.width();
        let (mut words, mut again) = (vec![0; self.keys.words()], vec![0; width]);
        let all = || keys.chunks_exact(width);
        all().all(|key| part(hash(key)) == of % PARTS && self.keys.is_key(key, &mut words, &mut again))
            && all().zip(all().skip(1)).all(|(a, b)| a < b)
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.parts.iter().map(Table::held_bytes).sum()
    }

    /// The bytes held by some parts.
    pub fn held_by(&self, parts: Range<usize>) -> u64 {
        self.parts[parts].iter().map(Table::held_bytes).sum()
    }

    /// By how many bits keys that are looked up in such parts are parted more than the set is: places in a part follow the
    /// hash, so what is looked up together then lies together, and is near the processor when it is asked for again.
    pub fn finer(&self, parts: Range<usize>) -> u32 {
        let near = self.held_by(parts) / (PARTS as u64 * NEAR);
        near.max(1).ilog2().min(MOST_FINER)
    }

    /// Where a position lies, by its key and the hash of that: the part and the slot; none where it is not in the set.
    pub fn find(&self, hash: u64, key: &[u64]) -> Option<(usize, usize)> {
        let mut parts = (part(hash)..self.parts.len()).step_by(PARTS);
        parts.find_map(|part| Some((part, self.parts[part].find(hash, key)?)))
    }

    /// The mark of a position by its key and the hash of that; none where it is not in the set.
    pub fn get(&self, hash: u64, key: &[u64]) -> Option<M> {
        let (part, slot) = self.find(hash, key)?;
        Some(self.parts[part].values()[slot])
    }

    /// Gathers what moves lead to from these positions, and from there, up to so many plies.
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

/// What gives the moves of positions by their keys.
pub struct Expander {
    machine: Arc<CompiledMachine>,
    /// Which positions stand for others, where some do.
    canonical: Option<Canonical>,
    /// The control that each site leads to.
    sites: Vec<ControlId>,
}

/// What [`Expander::children`] needs to write, kept from one position to the next.
#[derive(Clone, Default, Debug)]
pub struct Room {
    words: Vec<u64>,
    key: Vec<u64>,
    records: Vec<u64>,
}

impl Room {
    /// The words of the positions that the moves led to, one behind the other.
    fn positions(&self) -> impl Iterator<Item = u64> {
        let of = |record: &[u64]| record[1..].to_vec();
        self.records.chunks_exact(self.words.len() + 1).flat_map(of)
    }
}

/// Why the moves of a position are not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strange {
    /// The circuit does not know enough of it.
    Odd,
    /// A move leads to a position that has no such key.
    Outside,
}

impl Expander {
    /// For the positions of this machine.
    pub fn new(machine: &Arc<CompiledMachine>) -> Expander {
        Expander { machine: machine.clone(), canonical: None, sites: machine.runner().sites() }
    }

    /// For those that stand for the others.
    pub fn folded(machine: &Arc<CompiledMachine>, canonical: Canonical) -> Expander {
        Expander { canonical: Some(canonical), ..Expander::new(machine) }
    }

    /// Which positions stand for others, where some do.
    pub fn canonical(&self) -> Option<&Canonical> {
        self.canonical.as_ref()
    }

    /// How many symmetries there are, the one that changes nothing among them.
    pub fn symmetries(&self) -> usize {
        self.canonical.as_ref().map_or(1, Canonical::order)
    }

    /// The key of a position, or of the one that stands for it; none where these keys do not hold it.
    pub fn key(&self, keys: &Keys, control: ControlId, words: &[u64]) -> Option<Vec<u64>> {
        let (mut words, mut key) = (words.to_vec(), vec![0; keys.width()]);
        if let Some(canonical) = &self.canonical {
            canonical.least(&mut words);
        }
        keys.pack(control, &words, &mut key).then_some(key)
    }

    /// How many positions the one stands for whose words [`control`](Self::control) has put into the room.
    pub fn orbit(&self, room: &Room) -> u64 {
        self.canonical.as_ref().map_or(1, |canonical| canonical.orbit_of(&room.words))
    }

    /// The machine.
    pub fn machine(&self) -> &Arc<CompiledMachine> {
        &self.machine
    }

    fn circuit(&self) -> &Circuit {
        self.machine.runner().circuit()
    }

    /// Who moves in the position of this key, and in which phase; the words of it come into the room.
    #[inline]
    pub fn control(&self, keys: &Keys, key: &[u64], room: &mut Room) -> ControlId {
        room.words.resize(keys.words(), 0);
        keys.unpack(key, &mut room.words)
    }

    /// Gives the keys of the positions that the moves lead to, in the order of groups and lanes; or how the game has
    /// ended.
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

    /// The same of the position whose words [`control`](Self::control) has put into the room.
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

    /// The same, but for the moves that a sieve leaves out.
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

    /// Gives the keys of the positions in the records of the room. Of the first word of a record, the lower half tells the
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
        // Not in chunks: to count them would take a division, which is as long as to find a move.
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
