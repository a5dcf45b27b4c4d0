//! The indexed table: values of positions with a dense index, a byte for each index, with the plies of a win.
//!
//! Technique: each move leads from a ply to the next, so labelling processes the plies from the last to the first. The
//! successors of consecutive indices are close together, so lookups go directly to their bytes, move by move.
//! Source: Bellman (1965), as cited in the parent module; the indices are those of [`ranking`](crate::game::ranking).
//! Cost: a byte for each index of a ply, reachable or not, and a bit before labelling.
//! *Invariant:* a byte is 0 exactly for unreachable indices.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::passes::wins;
use super::table_file::{Checkpointing, LabellingStage, StoreView, TableStage};
use super::{
    CheckpointBarrier, EndingCache, KNOWN_BIT, LOW_BITS, PACKED_DRAW, PackedValue, PositionSet, StrongError,
    StrongSolution, StrongStore,
};
use crate::game::CompiledMachine;
use crate::game::bitmap_search::{
    BitmapSearchEnd, BitmapSearchOptions, PlyCallback, ReachableBitmap, TASKS_PER_CHECK, each_number,
    task_words,
};
use crate::game::dense_index::{DenseCursor, DenseIndex};
use crate::game::reachable_set::{Expander, ReachStats, SearchEnd, SearchProgress};
use crate::solve::histogram::ValueHistogram;
use bouton_backend::{PositionRef, UndecidedChildren, UndecidedExpansion};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::Position;

/// The maximal number of indices for each byte that a hashed position would take.
const MAX_INDICES_PER_HASHED_BYTE: u64 = 12;
/// The byte of a draw; 0 stands for no position.
const DRAW_BYTE: u8 = 1;
/// The offset of the byte of a win, which adds twice the plies, and 1 for the second player.
const WIN_BYTE_OFFSET: u8 = 2;
/// The number of indices that share a word of bits.
const WORD_INDICES: usize = u64::BITS as usize;

/// Positions by their dense indices, with their values.
#[derive(Debug)]
pub(super) struct IndexedTable {
    /// By ply, the set of reachable positions; empty once the ply is labelled.
    pub gathered: ReachableBitmap,
    /// By ply, the values; empty before the ply is labelled.
    pub values: Vec<Vec<u8>>,
}

fn byte(worth: PackedValue) -> u8 {
    if worth.is_draw() { DRAW_BYTE } else { (worth.0 & LOW_BITS) as u8 + WIN_BYTE_OFFSET }
}

#[inline]
fn worth(byte: u8) -> Option<PackedValue> {
    match byte {
        0 => None,
        DRAW_BYTE => Some(PACKED_DRAW),
        _ => Some(PackedValue(KNOWN_BIT | u16::from(byte - WIN_BYTE_OFFSET))),
    }
}

/// The number of positions.
pub(super) fn len(gathered: &ReachableBitmap, values: &[Vec<u8>]) -> u64 {
    let labelled = values.iter().flatten().filter(|&&value| value != 0).count();
    gathered.len() + labelled as u64
}

impl IndexedTable {
    /// Begins with one position, if all that is reachable from it has a dense index.
    pub fn begin(machine: &CompiledMachine, of: PositionSet<'_>) -> Option<IndexedTable> {
        let PositionSet::Position(state) = of else { return None };
        let ranking = DenseIndex::of(machine.runner().circuit(), &machine.position(state)?)?;
        Some(IndexedTable { gathered: ReachableBitmap::begin(ranking), values: Vec::new() })
    }

    pub fn ranking(&self) -> &DenseIndex {
        &self.gathered.ranking
    }

    /// The number of plies.
    pub fn plies(&self) -> usize {
        self.gathered.plies.len()
    }

    pub fn len(&self) -> u64 {
        len(&self.gathered, &self.values)
    }

    /// Returns true if only valid indices have entries, and all bytes are valid.
    pub fn is_sound(&self) -> bool {
        let few = usize::from(WIN_BYTE_OFFSET) + 2 * self.ranking().plies();
        let sound = |ply: usize| {
            let size = self.ranking().size(ply).unwrap_or(0) as usize;
            let (bits, values) =
                (&self.gathered.plies[ply], self.values.get(ply).map_or(&[][..], Vec::as_slice));
            let beyond = (WORD_INDICES - size % WORD_INDICES) % WORD_INDICES;
            bits.last().is_none_or(|last| last & !(u64::MAX >> beyond) == 0)
                && values.iter().all(|&value| usize::from(value) < few)
                && values.iter().skip(size).all(|&value| value == 0)
        };
        (0..self.plies()).all(sound)
    }

    /// The part of it that a checkpoint stores.
    pub fn held(&self) -> StoreView<'_> {
        StoreView::Indexed(&self.gathered, &self.values)
    }

    pub fn held_bytes(&self) -> u64 {
        self.held().bytes()
    }

    /// Gathers the reachable set, from the last gathered ply on.
    pub fn gather(
        &mut self,
        machine: &Arc<CompiledMachine>,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut PlyCallback<'_>,
    ) -> Result<ReachStats, (BitmapSearchEnd, ReachStats)> {
        let wanted = BitmapSearchOptions { plies: None, all: true, sparse: MAX_INDICES_PER_HASHED_BYTE };
        self.gathered.search(machine, wanted, limits, progress, at_rest)
    }

    /// Labels the plies below `plies`; calls `at_rest` after each.
    pub fn label(
        &mut self,
        machine: &CompiledMachine,
        plies: u32,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut dyn FnMut(&IndexedTable, u32) -> Result<(), StrongError>,
    ) -> Result<u64, StrongError> {
        let sieve = machine.runner().undecided_children(&wins(machine));
        self.values.resize(self.plies(), Vec::new());
        let (mut done, mut held) = (0, self.held_bytes());
        for ply in (0..plies as usize).rev() {
            progress.phase(&format!("labelling ply {ply}"));
            let bits = &self.gathered.plies[ply];
            held = held.max(self.held_bytes() + (WORD_INDICES * bits.len()) as u64);
            if let Some(hit) = limits.check_held(held) {
                return Err(StrongError::Limit(hit));
            }
            let mut values = vec![0; WORD_INDICES * bits.len()];
            let after = self.values.get(ply + 1).map_or(&[][..], Vec::as_slice);
            let each = task_words(bits.len());
            let begin = || PlyLabeller {
                machine,
                sieve: &*sieve,
                cursor: self.ranking().cursor(ply),
                after,
                records: Vec::new(),
                last: EndingCache::default(),
            };
            let groups = bits
                .chunks(each * TASKS_PER_CHECK)
                .zip(values.chunks_mut(WORD_INDICES * each * TASKS_PER_CHECK));
            for (group, (bits, values)) in groups.enumerate() {
                if let Some(hit) = limits.check() {
                    return Err(StrongError::Limit(hit));
                }
                let tasks = bits.par_chunks(each).zip(values.par_chunks_mut(WORD_INDICES * each)).enumerate();
                let run = |labelling: &mut PlyLabeller<'_>,
                           (i, (bits, values)): (usize, (&[u64], &mut [u8]))| {
                    let before = (group * TASKS_PER_CHECK + i) * each;
                    let mut labelled = 0;
                    each_number(bits, before, |number| {
                        values[number as usize - WORD_INDICES * before] = byte(labelling.look(number)?);
                        labelled += 1;
                        Ok(())
                    })?;
                    Ok(labelled)
                };
                let labelled: Result<Vec<u64>, StrongError> =
                    tasks.with_max_len(1).map_init(begin, run).collect();
                done += labelled?.iter().sum::<u64>();
                progress.positions(done, held);
            }
            self.values[ply] = values;
            self.gathered.plies[ply] = Vec::new();
            at_rest(self, ply as u32)?;
        }
        Ok(held)
    }

    /// Returns the value of a position; `None` if it is not in the set, or not labelled yet.
    pub fn get(&self, at: &Position) -> Option<PackedValue> {
        let (ply, number) = self.ranking().index_of(at)?;
        worth(*self.values.get(ply)?.get(number as usize)?)
    }

    /// Returns the number of positions of a ply by value.
    pub fn counts(&self, ply: usize) -> Vec<(PackedValue, u64)> {
        let mut counts = [0; 1 << u8::BITS];
        self.values[ply].iter().for_each(|&value| counts[usize::from(value)] += 1);
        (0..=u8::MAX)
            .filter_map(|value| Some((worth(value)?, counts[usize::from(value)])))
            .filter(|(_, n)| *n > 0)
            .collect()
    }

    /// Solves by dense indices, from the stage of an earlier run on; `None` if there are too many of them.
    pub fn solve(
        mut self,
        machine: &Arc<CompiledMachine>,
        stage: Option<TableStage>,
        kept: &mut Option<Checkpointing<'_>>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Option<StrongSolution>, StrongError> {
        let mut resting = CheckpointBarrier { kept: kept.as_mut(), symmetries: 1, failed: None };
        let (mut held_bytes, stage) = match stage {
            Some(TableStage::Labelling(stage)) => (self.held_bytes(), stage),
            _ => {
                progress.phase("enumerating positions");
                let mut at_rest = |ranked: &ReachableBitmap, ply: u32| {
                    resting.rest(StoreView::Indexed(ranked, &[]), || {
                        TableStage::Gathering(SearchProgress { ply, part: 0 })
                    })
                };
                // Labelling takes a byte in place of a bit for each index, so gathering gets an eighth of the memory.
                let memory_bytes = limits.memory_bytes.map(|bytes| bytes / u64::from(u8::BITS));
                let fewer = Limits { memory_bytes, ..limits.clone() };
                let held_bytes = match self.gather(machine, &fewer, progress, &mut at_rest) {
                    Ok(met) => met.held_bytes,
                    // By keys the positions may still fit, with symmetry reduction.
                    Err((
                        BitmapSearchEnd::Sparse | BitmapSearchEnd::Ended(SearchEnd::Limit(LimitHit::Memory)),
                        _,
                    )) => {
                        return Ok(None);
                    }
                    Err((BitmapSearchEnd::Ended(SearchEnd::Limit(hit)), met)) => {
                        let (positions, held_bytes) = (met.plies.iter().sum(), met.held_bytes);
                        return Err(StrongError::Unfinished { hit, positions, held_bytes });
                    }
                    Err((BitmapSearchEnd::Ended(SearchEnd::Stopped), _)) => return Err(resting.failed()),
                    Err((BitmapSearchEnd::Ended(SearchEnd::Complete | SearchEnd::Undecided), _)) => {
                        return Err(StrongError::RulesFault);
                    }
                };
                let stage = LabellingStage::Plies(self.plies() as u32);
                resting.keep(&self, &stage)?;
                (held_bytes, stage)
            }
        };
        if let LabellingStage::Plies(plies) = stage {
            let mut at_rest = |numbered: &IndexedTable, ply: u32| match resting
                .rest(numbered.held(), || TableStage::Labelling(LabellingStage::Plies(ply)))
            {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(resting.failed()),
            };
            match self.label(machine, plies, limits, progress, &mut at_rest) {
                Ok(held) => held_bytes = held_bytes.max(held),
                Err(StrongError::Limit(LimitHit::Memory)) => return Ok(None),
                Err(why) => return Err(why),
            }
            resting.keep(&self, &LabellingStage::Done { passes: None })?;
        }
        let (expander, set, tally) =
            (Expander::new(machine), StrongStore::Indexed(self), ValueHistogram::default());
        let mut strong = StrongSolution {
            expander,
            set,
            passes: None,
            held_bytes,
            tally,
            only_seeds: false,
            size: OnceLock::new(),
        };
        strong.tally = strong.count();
        Ok(Some(strong))
    }
}

/// The state of one thread that labels positions of a ply.
struct PlyLabeller<'a> {
    machine: &'a CompiledMachine,
    sieve: &'a dyn UndecidedChildren,
    cursor: DenseCursor<'a>,
    /// The values of the next ply.
    after: &'a [u8],
    records: Vec<u64>,
    last: EndingCache,
}

impl PlyLabeller<'_> {
    /// Returns the value of the position with this index.
    #[inline]
    fn look(&mut self, number: u64) -> Result<PackedValue, StrongError> {
        self.records.clear();
        let (control, words) = self.cursor.at(number);
        let step = words.len() + 1;
        let player = self.machine.actor(control);
        let others = match self
            .sieve
            .expand_undecided(PositionRef { control, words }, &mut self.records)
            .map_err(|_| StrongError::RulesFault)?
        {
            UndecidedExpansion::Over(ending) => return Ok(self.last.worth(self.machine, &ending)),
            UndecidedExpansion::Wins => return PackedValue::won_in(player, 1),
            UndecidedExpansion::Open { losing_moves: falls } => {
                falls.then(|| PackedValue::won(1 - player, 1))
            }
        };
        // A table read from a file may lack entries.
        let mut unknown = false;
        let to = self.records.chunks_exact(step).map(|record| {
            let value =
                self.cursor.after(&record[1..]).and_then(|number| worth(*self.after.get(number as usize)?));
            unknown |= value.is_none();
            value.unwrap_or_default()
        });
        let known = PackedValue::by_moves(player, to.chain(others), u16::MAX)?;
        known
            .filter(|_| !unknown && (others.is_some() || !self.records.is_empty()))
            .ok_or(StrongError::RulesFault)
    }
}
