//! Retrograde analysis by lists of reverse edges: it visits a position when successors become known, not in every pass.
//!
//! Technique: moves are generated twice, once to count the predecessors of each position and once to list them. Then
//! the positions decided in n plies update their predecessors, each of which counts its moves that are not yet known to
//! lose.
//! Source: Thompson, "Retrograde analysis of certain endgames" (1986), with lists in place of unmoves, which not every
//! game has.
//! Cost: four bytes a move and four a slot; about two passes and one update for each move.
//! *Invariant:* a position is decided in n plies here exactly if the n-th pass would decide it.

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::batched_lookup::{BatchedLookup, LookupBuffers, PartSlots, TableSlot, TableVisitor};
use super::passes::{PieceRounds, StrongLabelling};
use super::table_file::LabellingStage;
use super::{MAX_STAMP, PACKED_DRAW, PackedValue, SEED_BIT, StrongError};
use crate::game::reachable_set::Expander;
use bouton_backend::CircuitEnding;
use bouton_base::key_table::prefetch;
use bouton_circuit::ControlId;

/// The bit of the mark of an undecided position with the second player to move.
const SECOND_MOVER_BIT: u16 = 0x1000;
/// The mask of the number of moves that are not yet known to lose, at least one, in the mark of an undecided position.
const OPEN_MOVES_MASK: u16 = SECOND_MOVER_BIT - 1;
/// The number of positions between two checks of the limits.
const POLL_INTERVAL: usize = 1 << 16;
/// The number of positions of a parallel task.
const TASK_POSITIONS: usize = 1 << 12;
/// The number of updates that form a batch; then the prefetch distance in positions.
const UPDATE_BATCH: usize = 64;
const PREFETCH_DISTANCE: usize = 8;

/// Decides a predecessor from the value after the move, the mover, and the number of moves left; `None` if it stays
/// open.
type DecidePredecessor<'d> =
    dyn Fn(PackedValue, u32, u16) -> Option<Result<PackedValue, StrongError>> + Sync + 'd;

/// The reverse edges of the game graph, as adjacency lists.
pub(super) struct ReverseEdges {
    /// The start of each slot's list.
    first: Vec<u32>,
    /// The slots of the predecessors.
    from: Vec<u32>,
    /// The marks of all slots.
    marks: Vec<AtomicU16>,
}

/// The visitor that counts and lists reverse edges.
struct EdgeVisitor<'a> {
    expander: &'a Expander,
    base: &'a [usize],
    /// The plies of the latest wins: only positions decided in this number of plies still have updates to deliver.
    latest: u16,
    draws: bool,
    /// The number of predecessors of each slot; then the place of its next list entry.
    next: &'a [AtomicU32],
    /// The predecessors; empty in the counting visit.
    from: &'a [AtomicU32],
    /// The pending edges: from slot, to slot. Their counters are being prefetched.
    waiting: Vec<(u32, u32)>,
    /// The marks of the visited positions; then true if one has too many moves.
    marks: Vec<(TableSlot, u16)>,
    many: bool,
    edges: u64,
}

impl TableVisitor for EdgeVisitor<'_> {
    fn marked(&self, mark: PackedValue) -> bool {
        (mark.0 != 0) & !mark.is_known()
    }

    fn visits_control(&mut self, _control: ControlId) -> (bool, bool) {
        (true, true)
    }

    fn visit_terminal(&mut self, _at: TableSlot, _control: ControlId, _ending: &CircuitEnding) {}

    fn visit_moves(
        &mut self,
        at: TableSlot,
        control: ControlId,
        to: impl Iterator<Item = (TableSlot, PackedValue)>,
        _others: Option<PackedValue>,
    ) -> Result<(), StrongError> {
        let mover = self.expander.machine().actor(control);
        let mut left = 0;
        for ((part, there), worth) in to {
            let (listed, counts) = match worth.win() {
                Some((_, plies)) if plies == self.latest => (true, true),
                Some((winner, _)) => (false, winner == mover),
                None => (self.draws || !worth.is_draw(), true),
            };
            left += u64::from(counts);
            if listed {
                let there = self.base[part as usize] + there as usize;
                prefetch(&self.next[there]);
                self.waiting.push(((self.base[at.0 as usize] + at.1 as usize) as u32, there as u32));
            }
        }
        if self.waiting.len() >= UPDATE_BATCH {
            self.put();
        }
        self.many |= left > u64::from(OPEN_MOVES_MASK);
        let second = if mover == 1 { SECOND_MOVER_BIT } else { 0 };
        self.marks.push((at, second | left.min(u64::from(OPEN_MOVES_MASK)) as u16));
        Ok(())
    }
}

impl EdgeVisitor<'_> {
    /// Counts the pending edges, or lists them.
    fn put(&mut self) {
        self.edges += self.waiting.len() as u64;
        for (_, to) in &mut self.waiting {
            *to = self.next[*to as usize].fetch_add(1, Relaxed);
            self.from.get(*to as usize).inspect(|place| prefetch(*place));
        }
        for (from, at) in self.waiting.drain(..) {
            self.from.get(at as usize).inspect(|place| place.store(from, Relaxed));
        }
    }
}

impl ReverseEdges {
    /// Lists the reverse edges after `n` passes, and stores the number of open moves of each position; `None` if memory
    /// or the counters do not suffice.
    pub fn of(work: &mut StrongLabelling<'_>, n: u16) -> Result<Option<ReverseEdges>, StrongError> {
        let capacities = work.closure.parts.iter().map(|part| part.capacity());
        let base: Vec<usize> = capacities
            .scan(0, |sum, capacity| {
                *sum += capacity;
                Some(*sum - capacity)
            })
            .collect();
        let slots = work.closure.parts.iter().map(|part| part.capacity()).sum::<usize>();
        let table = work.closure.held_bytes();
        let held = |edges: u64| table + 10 * slots as u64 + 4 * edges;
        if slots > u32::MAX as usize || work.limits.check_held(held(0)).is_some() {
            return Ok(None);
        }
        let zeros = |n: usize| (0..n).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let next = zeros(slots);
        work.progress.phase("counting moves");
        let Some(edges) = work.list(n - 1, &base, &next, &[])? else { return Ok(None) };
        if edges > u64::from(u32::MAX) || work.limits.check_held(held(edges)).is_some() {
            return Ok(None);
        }
        // The start of each list, which is also the place of its first entry.
        let mut sum = 0;
        let mut first: Vec<u32> = Vec::with_capacity(slots + 1);
        for next in &next {
            first.push(sum);
            sum += next.swap(sum, Relaxed);
        }
        first.push(sum);
        work.held = work.held.max(held(edges));
        work.progress.phase("listing moves backwards");
        let from = zeros(edges as usize);
        work.list(n - 1, &base, &next, &from)?;
        drop(next);
        work.lists = Vec::new();
        let from = from.into_iter().map(AtomicU32::into_inner).collect();
        let values = work.closure.parts.iter().flat_map(|part| part.values());
        let marks = values.map(|worth| AtomicU16::new(worth.0)).collect();
        Ok(Some(ReverseEdges { first, from, marks }))
    }

    /// Decides all positions from those decided in `n - 1` plies on. Returns the number of equivalent passes.
    pub fn run(&self, work: &mut StrongLabelling<'_>, n: u16) -> Result<u32, StrongError> {
        let mut decided = self.where_worth(|worth| worth.win().is_some_and(|(_, plies)| plies == n - 1));
        let mut passes = u32::from(n);
        let controls = work.expander.machine().runner().circuit().controls.len();
        for n in n..=MAX_STAMP / 2 {
            work.progress.phase(&format!("pass {n}"));
            decided = self.update_predecessors(work, &decided, &|after, mover, left| match after.win() {
                Some((winner, _)) if winner == mover || left == 1 => Some(PackedValue::won_in(winner, n)),
                _ => None,
            })?;
            passes += 1;
            if decided.is_empty() {
                break;
            }
            if work.is_due() {
                self.write_back(work);
                work.keep(&LabellingStage::Passes { next: n + 1, controls: vec![true; controls] })?;
            }
        }
        if work.draws {
            // The remaining positions have no winning move, and their losing moves are already counted.
            decided = self.where_worth(PackedValue::is_draw);
            while !decided.is_empty() {
                decided = self.update_predecessors(work, &decided, &|_, _, left| {
                    (left == 1).then_some(Ok(PACKED_DRAW))
                })?;
            }
        }
        self.write_back(work);
        Ok(passes)
    }

    /// Writes the marks back to the table.
    fn write_back(&self, work: &mut StrongLabelling<'_>) {
        let values = work.closure.parts.iter_mut().flat_map(|part| part.values_mut());
        values.zip(&self.marks).for_each(|(worth, mark)| worth.0 = mark.load(Relaxed));
    }

    /// Returns the slots whose value satisfies a condition.
    fn where_worth(&self, wanted: impl Fn(PackedValue) -> bool) -> Vec<u32> {
        let slots = self.marks.iter().enumerate().filter(|(_, mark)| wanted(PackedValue(mark.load(Relaxed))));
        slots.map(|(slot, _)| slot as u32).collect()
    }

    /// Updates the predecessors of these positions: `decide` gets the value after the move, the mover, and the number
    /// of open moves, this one included. Returns the newly decided positions.
    fn update_predecessors(
        &self,
        work: &mut StrongLabelling<'_>,
        decided: &[u32],
        decide: &DecidePredecessor<'_>,
    ) -> Result<Vec<u32>, StrongError> {
        let mut now = Vec::new();
        for some in decided.chunks(POLL_INTERVAL) {
            if let Some(hit) = work.limits.check() {
                return Err(StrongError::Limit(hit));
            }
            let pieces = some.par_chunks(TASK_POSITIONS).map(|piece| self.tell_some(piece, decide));
            let pieces: Vec<Vec<u32>> = pieces.collect::<Result<_, StrongError>>()?;
            pieces.into_iter().for_each(|piece| now.extend(piece));
            work.done += some.len() as u64;
            work.progress.positions(work.done, work.closure.held_bytes() + self.held_bytes());
        }
        // In slot order, predecessors are mostly close together; and the order does not depend on the threads.
        now.sort_unstable();
        Ok(now)
    }

    fn tell_some(&self, decided: &[u32], decide: &DecidePredecessor<'_>) -> Result<Vec<u32>, StrongError> {
        let (mut now, mut waiting) = (Vec::new(), Vec::new());
        let list = |after: u32| self.first[after as usize] as usize..self.first[after as usize + 1] as usize;
        for (i, &after) in decided.iter().enumerate() {
            // Prefetches the start of a list, then the list, then the marks.
            decided.get(i + 2 * PREFETCH_DISTANCE).inspect(|&&later| prefetch(&self.first[later as usize]));
            let later =
                decided.get(i + PREFETCH_DISTANCE).and_then(|&later| self.from.get(list(later).start));
            later.inspect(|place| prefetch(*place));
            let worth = PackedValue(self.marks[after as usize].load(Relaxed));
            for &before in &self.from[list(after)] {
                prefetch(&self.marks[before as usize]);
                waiting.push((before, worth));
            }
            if waiting.len() >= UPDATE_BATCH || i + 1 == decided.len() {
                for (before, after) in waiting.drain(..) {
                    if self.tell_one(before, after, decide)? {
                        now.push(before);
                    }
                }
            }
        }
        Ok(now)
    }

    /// Updates one position; returns true if that decides it. The updates of one round commute.
    fn tell_one(
        &self,
        before: u32,
        after: PackedValue,
        decide: &DecidePredecessor<'_>,
    ) -> Result<bool, StrongError> {
        let mark = &self.marks[before as usize];
        let mut old = mark.load(Relaxed);
        loop {
            if PackedValue(old).is_known() {
                return Ok(false);
            }
            let worth =
                decide(after, u32::from(old & SECOND_MOVER_BIT != 0), old & OPEN_MOVES_MASK).transpose()?;
            let new = worth.map_or(old - 1, |worth| worth.0 | old & SEED_BIT);
            match mark.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                Ok(_) => return Ok(worth.is_some()),
                Err(now) => old = now,
            }
        }
    }

    fn held_bytes(&self) -> u64 {
        (4 * (self.first.len() + self.from.len()) + 2 * self.marks.len()) as u64
    }
}

impl StrongLabelling<'_> {
    /// Visits the moves of all undecided positions, and stores the number of open moves of each: counts the
    /// predecessors of each slot, or lists them if `from` has room. Returns the number of edges; `None` if a position
    /// has too many moves.
    fn list(
        &mut self,
        latest: u16,
        base: &[usize],
        next: &[AtomicU32],
        from: &[AtomicU32],
    ) -> Result<Option<u64>, StrongError> {
        let mut edges = 0;
        let all = || 0..self.closure.parts.len();
        let (mut pieces, to) = (PieceRounds::of(&self.closure, all(), &all()), all());
        let mut lists = self.lists();
        while let Some(tasks) = pieces.next() {
            if let Some(hit) = self.limits.check() {
                return Err(StrongError::Limit(hit));
            }
            let (expander, closure, draws, limits) = (&self.expander, &self.closure, self.draws, self.limits);
            let run = |(pieces, lists): (&&[PartSlots], &mut LookupBuffers)| -> Result<_, StrongError> {
                let mut listing = EdgeVisitor {
                    expander,
                    base,
                    latest,
                    draws,
                    next,
                    from,
                    waiting: Vec::new(),
                    marks: Vec::new(),
                    many: false,
                    edges: 0,
                };
                let met = BatchedLookup::new(expander, None, closure, &to, lists).over(
                    pieces,
                    &mut listing,
                    limits,
                )?;
                listing.put();
                Ok((met, listing.edges, listing.many, listing.marks))
            };
            let done: Vec<_> =
                tasks.par_iter().zip(&mut lists).map(run).collect::<Result<_, StrongError>>()?;
            pieces.met(done.iter().map(|(met, ..)| met).sum());
            for (_, listed, many, marks) in done {
                if many {
                    return Ok(None);
                }
                edges += listed;
                for &((part, slot), mark) in &marks {
                    let worth = &mut self.closure.parts[part as usize].values_mut()[slot as usize];
                    worth.0 = worth.0 & SEED_BIT | mark;
                }
                self.done += marks.len() as u64;
            }
            self.progress.positions(self.done, self.closure.held_bytes());
        }
        self.lists = lists;
        Ok(Some(edges))
    }
}
