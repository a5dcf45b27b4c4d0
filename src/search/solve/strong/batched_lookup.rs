//! Batched lookup: visits positions of a table together with the entries of their successors.
//!
//! Technique: radix-partitioned hash join. The successors of many positions are partitioned by hash, then looked up
//! partition by partition, and delivered position by position: lookups of one batch are close together in memory.
//! Source: Manegold, Boncz, Kersten, "Optimizing main-memory join on modern hardware" (2002).
//! Cost: a key, a partition number and an answer for each pending move.

use std::ops::Range;

use super::{PackedValue, StrongError};
use crate::game::reachable_set::{ExpandError, ExpandScratch, Expander, PARTS, ReachableSet, append, list};
use bouton_backend::{CircuitEnding, UndecidedChildren, UndecidedExpansion};
use bouton_base::key_table::{KeyTable, hash};
use bouton_base::limits::Limits;
use bouton_circuit::ControlId;

/// The number of positions whose keys are prefetched together.
const PREFETCH_BATCH: usize = 32;
/// The number of marks tested together.
const MARK_BATCH: usize = 64;
/// The minimal number of pending moves of a batch.
const MIN_PENDING_MOVES: u64 = 1 << 12;
/// The maximal number of pending moves of a batch.
const MAX_PENDING_MOVES: u64 = 1 << 21;
/// The number of table bytes for each pending move.
const TABLE_BYTES_PER_PENDING_MOVE: u64 = 1 << 9;

/// The location of a position: the part and the slot there.
pub(super) type TableSlot = (u32, u32);
/// A part of the table, and some slots of it.
pub(super) type PartSlots = (usize, Range<usize>);

/// A visitor of positions.
pub(super) trait TableVisitor {
    /// Returns true if the visitor wants a position, by its mark alone.
    fn marked(&self, mark: PackedValue) -> bool;
    /// The same by its control. The second result is true if the visitor also wants the moves of nonterminal positions.
    fn visits_control(&mut self, control: ControlId) -> (bool, bool);
    /// Visits a terminal.
    fn visit_terminal(&mut self, at: TableSlot, control: ControlId, ending: &CircuitEnding);
    /// Visits a position with the location and the state of each successor; `others` is the value of the moves that a
    /// one-ply lookahead pruned, if any.
    fn visit_moves(
        &mut self,
        at: TableSlot,
        control: ControlId,
        to: impl Iterator<Item = (TableSlot, PackedValue)>,
        others: Option<PackedValue>,
    ) -> Result<(), StrongError>;
}

/// A position with pending lookups.
struct PendingLookup {
    at: TableSlot,
    control: ControlId,
    moves: u32,
    /// The value of the pruned moves.
    others: Option<PackedValue>,
}

/// A partition of pending lookups.
#[derive(Default)]
struct LookupPartition {
    keys: Vec<u64>,
    /// The slots of those keys, and their states.
    answers: Vec<(u32, PackedValue)>,
    /// The number of answers delivered so far.
    told: usize,
}

/// The buffers of a thread, reused by later walks: their memory is allocated once.
#[derive(Default)]
pub(super) struct LookupBuffers {
    room: ExpandScratch,
    /// Slots whose keys are being prefetched.
    found: Vec<usize>,
    waiting: Vec<PendingLookup>,
    /// The partition of each pending move.
    moves: Vec<u16>,
    lists: Vec<LookupPartition>,
}

/// A batched visit of a table.
pub(super) struct BatchedLookup<'a> {
    expander: &'a Expander,
    closure: &'a ReachableSet<PackedValue>,
    /// A one-ply lookahead that prunes moves, if the visit may use one.
    sieve: Option<&'a dyn UndecidedChildren>,
    /// The first of the parts that moves lead to.
    to: usize,
    of: &'a mut LookupBuffers,
    /// The binary logarithm of the number of partitions for each part.
    finer: u32,
    /// The number of pending moves that triggers the lookups of a batch.
    most: usize,
    /// The number of positions and moves met.
    met: usize,
}

impl<'a> BatchedLookup<'a> {
    /// Creates a visit of positions whose moves lead to these parts; the buffers must be empty, as a visit leaves them.
    pub fn new(
        expander: &'a Expander,
        sieve: Option<&'a dyn UndecidedChildren>,
        closure: &'a ReachableSet<PackedValue>,
        to: &Range<usize>,
        of: &'a mut LookupBuffers,
    ) -> BatchedLookup<'a> {
        let small = |part: &KeyTable<PackedValue>| u32::try_from(part.capacity()).is_ok();
        assert!(closure.parts.iter().all(small), "a part has no more slots than four bytes count");
        let (finer, most) = (closure.extra_bits(to.clone()), BatchedLookup::batch_size(closure, to));
        of.lists.resize_with(PARTS << finer, LookupPartition::default);
        BatchedLookup { expander, closure, sieve, to: to.start, of, finer, most, met: 0 }
    }

    /// The batch size in moves, for moves that lead to these parts.
    pub fn batch_size(closure: &ReachableSet<PackedValue>, to: &Range<usize>) -> usize {
        (closure.held_by(to.clone()) / TABLE_BYTES_PER_PENDING_MOVE)
            .clamp(MIN_PENDING_MOVES, MAX_PENDING_MOVES) as usize
    }

    /// Visits some pieces of the table. Returns the number of positions and moves met there.
    pub fn over(
        mut self,
        pieces: &[PartSlots],
        look: &mut impl TableVisitor,
        limits: &Limits,
    ) -> Result<usize, StrongError> {
        for (part, slots) in pieces {
            if let Some(hit) = limits.check() {
                return Err(StrongError::Limit(hit));
            }
            self.run(*part, slots.clone(), look)?;
        }
        self.settle(look)?;
        Ok(self.met)
    }

    /// Visits some slots of a part; the delivery of their moves may be deferred.
    fn run(
        &mut self,
        part: usize,
        slots: Range<usize>,
        look: &mut impl TableVisitor,
    ) -> Result<(), StrongError> {
        let table = &self.closure.parts[part];
        for from in slots.clone().step_by(MARK_BATCH) {
            let marks = &table.values()[from..slots.end.min(from + MARK_BATCH)];
            let mut marked = marked(marks, look);
            while marked != 0 {
                let slot = from + marked.trailing_zeros() as usize;
                marked &= marked - 1;
                table.prefetch_key(slot);
                self.of.found.push(slot);
            }
            if self.of.found.len() >= PREFETCH_BATCH {
                self.look_at_all(part, look)?;
            }
        }
        self.look_at_all(part, look)
    }

    fn look_at_all(&mut self, part: usize, look: &mut impl TableVisitor) -> Result<(), StrongError> {
        let found = std::mem::take(&mut self.of.found);
        found.iter().try_for_each(|&slot| self.look_at((part as u32, slot as u32), look))?;
        self.of.found = found;
        self.of.found.clear();
        Ok(())
    }

    fn look_at(&mut self, at: TableSlot, look: &mut impl TableVisitor) -> Result<(), StrongError> {
        let (table, keys_of) = (&self.closure.parts[at.0 as usize], &self.closure.keys);
        let control = self.expander.control(keys_of, table.occupied_key(at.1 as usize), &mut self.of.room);
        let (looks, asks) = look.visits_control(control);
        if !looks {
            return Ok(());
        }
        let finer = self.finer;
        let LookupBuffers { room, lists, moves, waiting, .. } = &mut *self.of;
        let before = moves.len();
        let each = |key: &[u64]| {
            if asks {
                let list = list(hash(key), finer);
                moves.push(list as u16);
                append(&mut lists[list].keys, key);
            }
        };
        let sifted = match self.sieve {
            Some(sieve) => self.expander.undecided_children(sieve, keys_of, control, room, each),
            None => self.expander.children_of_unpacked(keys_of, control, room, each).map(|over| match over {
                Some(ending) => UndecidedExpansion::Over(ending),
                None => UndecidedExpansion::Open { losing_moves: false },
            }),
        };
        self.met += 1 + moves.len() - before;
        let mover = || self.expander.machine().actor(control);
        let others = match sifted {
            Err(ExpandError::Undecided | ExpandError::NoKey) => return Err(StrongError::RulesFault),
            Ok(UndecidedExpansion::Over(ending)) => {
                look.visit_terminal(at, control, &ending);
                return Ok(());
            }
            Ok(UndecidedExpansion::Wins) => {
                return look.visit_moves(at, control, std::iter::empty(), Some(PackedValue::won(mover(), 0)));
            }
            Ok(UndecidedExpansion::Open { .. }) if !asks => return Ok(()),
            Ok(UndecidedExpansion::Open { losing_moves: falls }) => {
                falls.then(|| PackedValue::won(1 - mover(), 1))
            }
        };
        waiting.push(PendingLookup { at, control, moves: (moves.len() - before) as u32, others });
        if moves.len() >= self.most { self.settle(look) } else { Ok(()) }
    }

    /// Looks up all pending moves, and delivers them.
    fn settle(&mut self, look: &mut impl TableVisitor) -> Result<(), StrongError> {
        let LookupBuffers { lists, moves, waiting, .. } = &mut *self.of;
        for (i, list) in lists.iter_mut().enumerate() {
            let part = &self.closure.parts[self.to + (i >> self.finer)];
            list.answers.clear();
            list.told = 0;
            let mut all = true;
            part.find_all(&list.keys, |slot| match slot {
                Some(slot) => list.answers.push((slot as u32, part.values()[slot])),
                None => all = false,
            });
            if !all {
                return Err(StrongError::RulesFault);
            }
            list.keys.clear();
        }
        let mut moves = moves.drain(..);
        for PendingLookup { at, control, moves: count, others } in waiting.drain(..) {
            let mut told = moves.by_ref().take(count as usize).map(|of| {
                let list = &mut lists[usize::from(of)];
                let (slot, worth) = list.answers[list.told];
                list.told += 1;
                (((self.to + (usize::from(of) >> self.finer)) as u32, slot), worth)
            });
            look.visit_moves(at, control, &mut told, others)?;
            debug_assert!(told.next().is_none(), "all moves are heard of");
        }
        Ok(())
    }
}

/// Returns the bit mask of the wanted ones among at most 64 marks. All are tested without branches, for vectorization.
#[inline(always)]
fn marked(marks: &[PackedValue], look: &impl TableVisitor) -> u64 {
    let mut each = [0u8; MARK_BATCH];
    each.iter_mut().zip(marks).for_each(|(each, &mark)| *each = u8::from(look.marked(mark)));
    // The multiplication gathers the lowest bits of eight bytes in the highest byte, the first one lowest.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = each.as_chunks::<8>();
    let bits = words.iter().map(|&word| u64::from_le_bytes(word).wrapping_mul(TOGETHER) >> 56);
    bits.enumerate().fold(0, |all, (i, bits)| all | bits << (8 * i))
}
