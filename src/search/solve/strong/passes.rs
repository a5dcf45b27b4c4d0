//! The labelling of a table by keys: ply by ply, by lists of reverse edges, or in passes.

use std::ops::Range;

use rayon::prelude::*;

use super::batched_lookup::{BatchedLookup, LookupBuffers, PartSlots, TableSlot, TableVisitor};
use super::reverse_edges::ReverseEdges;
use super::table_file::{Checkpointing, LabellingStage, StoreView, TableStage};
use super::{EndingCache, KNOWN_BIT, LOW_BITS, MAX_STAMP, PackedValue, REPEATED_BIT, SEED_BIT, StrongError};
use crate::game::CompiledMachine;
use crate::game::reachable_set::{Expander, ReachableSet};
use bouton_backend::CircuitEnding;
use bouton_base::limits::{Limits, Progress};
use bouton_circuit::{Control, ControlId};
use bouton_lower::EndingOutcome;

/// The number of slots of a piece.
const PIECE_SLOTS: usize = 1 << 15;
/// The initial number of pieces between two write-backs of the results.
const INITIAL_ROUND_PIECES: usize = 64;
/// The target size of a later round of pieces, in lookup batches of one thread.
const ROUND_BATCHES: usize = 4;

/// A table under labelling.
pub(super) struct StrongLabelling<'a> {
    pub expander: Expander,
    pub closure: ReachableSet<PackedValue>,
    pub limits: &'a Limits,
    pub progress: &'a dyn Progress,
    /// True if draws must be distinguished from infinite play, for which no rule gives a payoff.
    pub draws: bool,
    /// The number of visits so far.
    pub done: u64,
    /// The peak memory in bytes.
    pub held: u64,
    /// The checkpointing, if on.
    pub kept: Option<Checkpointing<'a>>,
    /// The buffers of the threads, reused from pass to pass.
    pub lists: Vec<LookupBuffers>,
}

/// A pass over the table.
#[derive(Clone)]
struct LabellingPass<'a> {
    /// The parts to visit.
    parts: Range<usize>,
    /// The parts that their moves lead to.
    successor_parts: Range<usize>,
    /// The pass visits positions whose mark, masked with the first, equals the second.
    marks: (u16, u16),
    /// True for each control to visit.
    controls: &'a [bool],
    /// The pass uses only wins in fewer plies than this.
    below: u16,
    /// True if the pass only detects terminals.
    ends: bool,
    /// True if a new draw counts as progress.
    draws: bool,
}

impl StrongLabelling<'_> {
    /// Labels all positions, from the stage of an earlier run on. Returns the number of passes, if labelling was by
    /// passes.
    pub fn run(&mut self, stage: LabellingStage) -> Result<Option<u32>, StrongError> {
        let passes = match stage {
            LabellingStage::Done { passes } => return Ok(passes),
            LabellingStage::Plies(plies) => {
                self.by_plies(plies)?;
                None
            }
            LabellingStage::Passes { next, controls } => Some(self.by_passes(next, controls)?),
        };
        self.keep(&LabellingStage::Done { passes })?;
        Ok(passes)
    }

    /// Returns the first stage of labelling after a gathering of this number of plies.
    pub fn first_stage(&mut self, plies: u32) -> LabellingStage {
        if self.closure.plies_apart().is_some() {
            return LabellingStage::Plies(plies);
        }
        let mut marks = self.closure.parts.iter().flat_map(|part| part.values());
        if !marks.any(|mark| mark.0 & REPEATED_BIT != 0) {
            return LabellingStage::Plies(plies);
        }
        // Positions repeat, so first plies are useless.
        for part in &mut self.closure.parts {
            for mark in part.values_mut().iter_mut().filter(|mark| mark.0 != 0) {
                mark.0 = mark.0 & SEED_BIT | 1;
            }
        }
        let controls = self.expander.machine().runner().circuit().controls.len();
        LabellingStage::Passes { next: 0, controls: vec![true; controls] }
    }

    /// Writes a checkpoint at a stage, if checkpointing is on.
    pub fn keep(&mut self, stage: &LabellingStage) -> Result<(), StrongError> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        let stage = TableStage::Labelling(stage.clone());
        kept.keep(self.expander.symmetries(), StoreView::Hashed(&self.closure), stage)
            .map_err(StrongError::Checkpoint)
    }

    /// Returns true if a checkpoint is due.
    pub fn is_due(&mut self) -> bool {
        let held = self.closure.held_bytes();
        self.kept.as_mut().is_some_and(|kept| kept.store.is_due(held))
    }

    fn keep_if_due(&mut self, stage: impl FnOnce() -> LabellingStage) -> Result<(), StrongError> {
        if self.is_due() { self.keep(&stage()) } else { Ok(()) }
    }

    /// Labels the plies from the last to the first: every move leads from a ply to the next, so one visit of each
    /// position is enough.
    fn by_plies(&mut self, plies: u32) -> Result<(), StrongError> {
        let all = vec![true; self.expander.machine().runner().circuit().controls.len()];
        for ply in (0..plies).rev() {
            self.progress.phase(&format!("labelling ply {ply}"));
            let to = self.closure.open(ply + 1);
            let pass = LabellingPass {
                parts: self.closure.of_ply(ply),
                successor_parts: to,
                marks: (KNOWN_BIT | LOW_BITS, ply as u16 + 1),
                controls: &all,
                below: u16::MAX,
                ends: false,
                draws: false,
            };
            self.pass(pass)?;
            self.keep_if_due(|| LabellingStage::Plies(ply))?;
        }
        Ok(())
    }

    /// Labels positions that may repeat, in passes as long as they make progress. Returns their number. After the first
    /// pass, which detects terminals, reverse edges replace the passes if memory suffices for their lists.
    fn by_passes(&mut self, mut first: u16, mut controls: Vec<bool>) -> Result<u32, StrongError> {
        if first == 0 {
            self.numbered_pass(0, &mut controls)?;
            first = 1;
        }
        let passes = match ReverseEdges::of(self, first)? {
            Some(backwards) => backwards.run(self, first)?,
            None => self.forwards(first, controls)?,
        };
        // The final state must not depend on the method.
        let open = |worth: &&mut PackedValue| worth.0 != 0 && !worth.is_known();
        for part in &mut self.closure.parts {
            part.values_mut().iter_mut().filter(open).for_each(|worth| worth.0 = worth.0 & SEED_BIT | 1);
        }
        Ok(passes)
    }

    /// Makes passes from `first` on; the first one visits these controls.
    fn forwards(&mut self, first: u16, mut controls: Vec<bool>) -> Result<u32, StrongError> {
        for n in first..=MAX_STAMP / 2 {
            if !controls.contains(&true) {
                return Ok(u32::from(n));
            }
            self.numbered_pass(n, &mut controls)?;
        }
        Err(StrongError::TooManyPlies)
    }

    /// Makes a pass over some controls, and replaces them by those that the next pass must visit.
    fn numbered_pass(&mut self, n: u16, controls: &mut Vec<bool>) -> Result<(), StrongError> {
        self.progress.phase(&format!("pass {n}"));
        let parts = || 0..self.closure.parts.len();
        let pass = LabellingPass {
            parts: parts(),
            successor_parts: parts(),
            marks: (KNOWN_BIT, 0),
            controls,
            below: n,
            ends: n == 0,
            draws: self.draws,
        };
        let found = self.pass(pass)?;
        *controls = self.leads().iter().map(|to| to.iter().any(|to| found[to.0 as usize])).collect();
        self.keep_if_due(|| LabellingStage::Passes { next: n + 1, controls: controls.clone() })
    }

    /// Takes the buffers of all threads; the caller returns them.
    pub fn lists(&mut self) -> Vec<LookupBuffers> {
        let mut lists = std::mem::take(&mut self.lists);
        lists.resize_with(rayon::current_num_threads(), LookupBuffers::default);
        lists
    }

    /// Returns the controls that the moves of each control lead to.
    fn leads(&self) -> Vec<Vec<ControlId>> {
        let circuit = self.expander.machine().runner().circuit();
        let of = |control: &Control| {
            let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body);
            let blocks = bodies.chain([&control.stuck]);
            blocks.flat_map(|block| block.yields()).map(|after| after.to).collect()
        };
        circuit.controls.iter().map(of).collect()
    }

    /// Makes one pass over the table. Returns true for each control with newly decided positions.
    fn pass(&mut self, pass: LabellingPass<'_>) -> Result<Vec<bool>, StrongError> {
        let mut found = vec![false; pass.controls.len()];
        let (mut pieces, mut lists) =
            (PieceRounds::of(&self.closure, pass.parts.clone(), &pass.successor_parts), self.lists());
        // A pass for terminals tests the positions themselves, without lookahead.
        let machine = self.expander.machine().clone();
        let sieve = (!pass.ends).then(|| machine.runner().undecided_children(&wins(&machine)));
        while let Some(tasks) = pieces.next() {
            if let Some(hit) = self.limits.check() {
                return Err(StrongError::Limit(hit));
            }
            let run =
                |(pieces, lists): (&&[PartSlots], &mut LookupBuffers)| -> Result<PassResult, StrongError> {
                    let (expander, closure) = (&self.expander, &self.closure);
                    let mut piece = PassVisitor {
                        expander,
                        pass: &pass,
                        seen: 0,
                        found: vec![false; found.len()],
                        decided: Vec::new(),
                        last: EndingCache::default(),
                    };
                    let walk =
                        BatchedLookup::new(expander, sieve.as_deref(), closure, &pass.successor_parts, lists);
                    let met = walk.over(pieces, &mut piece, self.limits)?;
                    Ok(PassResult { met, seen: piece.seen, controls: piece.found, decided: piece.decided })
                };
            let done: Vec<PassResult> =
                tasks.par_iter().zip(&mut lists).map(run).collect::<Result<_, StrongError>>()?;
            pieces.met(done.iter().map(|of| of.met).sum());
            for of in done {
                self.done += of.seen;
                found.iter_mut().zip(of.controls).for_each(|(found, here)| *found |= here);
                for ((part, slot), worth) in of.decided {
                    let mark = &mut self.closure.parts[part as usize].values_mut()[slot as usize];
                    mark.0 = worth.0 | mark.0 & SEED_BIT;
                }
            }
            self.progress.positions(self.done, self.closure.held_bytes());
        }
        self.lists = lists;
        Ok(found)
    }
}

/// Returns by control and ending: true if the ending is a win for the player who acts there.
pub(super) fn wins(machine: &CompiledMachine) -> Vec<Vec<bool>> {
    let winner = |verdict: &EndingOutcome| match verdict {
        EndingOutcome::Payoffs(payoffs, _) if payoffs[0].is_positive() => Some(0),
        EndingOutcome::Payoffs(payoffs, _) if payoffs[0].is_negative() => Some(1),
        _ => None,
    };
    let winners: Vec<_> = machine.lowered().endings.iter().map(|ending| winner(&ending.verdict)).collect();
    let of = |id| winners.iter().map(|&winner| winner == Some(machine.actor(id))).collect();
    machine.runner().circuit().controls.ids().map(of).collect()
}

/// The pieces of a table: parts, with some slots of each. Rounds of pieces go to the threads, large enough that each
/// thread has work.
/// *Invariant:* the size of a round does not depend on the number of threads, since results are written back between
/// rounds, and later rounds use a draw that was written back.
pub(super) struct PieceRounds {
    all: Vec<PartSlots>,
    given: usize,
    at_once: usize,
    /// The target number of positions and moves of a round.
    wanted: usize,
}

impl PieceRounds {
    /// Divides some parts into pieces; `to` are the parts that their moves lead to.
    pub fn of(closure: &ReachableSet<PackedValue>, parts: Range<usize>, to: &Range<usize>) -> PieceRounds {
        let of = |i: usize| {
            let capacity = closure.parts[i].capacity();
            let ends = (0..capacity).step_by(PIECE_SLOTS);
            ends.map(move |from| (i, from..capacity.min(from + PIECE_SLOTS)))
        };
        let all = parts.flat_map(of).collect();
        PieceRounds {
            all,
            given: 0,
            at_once: INITIAL_ROUND_PIECES,
            wanted: ROUND_BATCHES * BatchedLookup::batch_size(closure, to),
        }
    }

    /// Returns the next round of pieces, a slice for each thread.
    pub fn next(&mut self) -> Option<Vec<&[PartSlots]>> {
        let (from, to) = (self.given, self.all.len().min(self.given + self.at_once));
        self.given = to;
        let each = (to - from).div_ceil(rayon::current_num_threads()).max(1);
        (from < to).then(|| self.all[from..to].chunks(each).collect())
    }

    /// Adapts the size of the next round to the number of positions and moves of the last one.
    pub fn met(&mut self, met: usize) {
        let wanted = self.at_once as f64 * self.wanted as f64 / met.max(1) as f64;
        self.at_once = (wanted as usize).clamp(self.at_once.div_ceil(2), 2 * self.at_once);
    }
}

/// The result of a thread's share of a round.
struct PassResult {
    /// The number of visited positions.
    seen: u64,
    /// The number of positions and moves met.
    met: usize,
    /// True for each control with newly decided positions.
    controls: Vec<bool>,
    /// The locations and values of the decided positions.
    decided: Vec<(TableSlot, PackedValue)>,
}

/// A thread's share of a round.
struct PassVisitor<'a> {
    expander: &'a Expander,
    pass: &'a LabellingPass<'a>,
    seen: u64,
    found: Vec<bool>,
    decided: Vec<(TableSlot, PackedValue)>,
    last: EndingCache,
}

impl PassVisitor<'_> {
    fn decide(&mut self, at: TableSlot, control: ControlId, worth: PackedValue) {
        self.found[control.0 as usize] |= !worth.is_draw() || self.pass.draws;
        self.decided.push((at, worth));
    }
}

impl TableVisitor for PassVisitor<'_> {
    fn marked(&self, mark: PackedValue) -> bool {
        let (bits, wanted) = self.pass.marks;
        (mark.0 & bits == wanted) & (mark.0 != 0)
    }

    fn visits_control(&mut self, control: ControlId) -> (bool, bool) {
        let looks = self.pass.controls[control.0 as usize];
        self.seen += u64::from(looks);
        (looks, !self.pass.ends)
    }

    fn visit_terminal(&mut self, at: TableSlot, control: ControlId, ending: &CircuitEnding) {
        let worth = self.last.worth(self.expander.machine(), ending);
        self.decide(at, control, worth);
    }

    fn visit_moves(
        &mut self,
        at: TableSlot,
        control: ControlId,
        to: impl Iterator<Item = (TableSlot, PackedValue)>,
        others: Option<PackedValue>,
    ) -> Result<(), StrongError> {
        let player = self.expander.machine().actor(control);
        let to = to.map(|(_, worth)| worth).chain(others);
        if let Some(worth) = PackedValue::by_moves(player, to, self.pass.below)? {
            self.decide(at, control, worth);
        }
        Ok(())
    }
}
