//! The passes over a table: what moves lead to decides what a position is worth.

use std::ops::Range;

use num_traits::Signed;
use rayon::prelude::*;

use super::backwards::Backwards;
use super::kept::{Held, Kept, Labelled, Stage};
use super::walk::{At, Lists, Look, Slots, Walk};
use super::{AGAIN, FARTHEST, FIRST, Failed, KNOWN, LOWER, LastEnd, Worth};
use crate::base::limits::{Limits, Progress};
use crate::circuit::{Control, ControlId};
use crate::exec::Ending;
use crate::game::CompiledMachine;
use crate::game::closure::{Closure, Expander};
use crate::lower::Verdict;

/// How many slots of a part one piece of work has.
const SLOTS: usize = 1 << 15;
/// So many pieces are worked at before what they found is written down, at first.
const AT_FIRST: usize = 64;
/// Later pieces with so many times the moves that a thread looks up together.
const BATCHES: usize = 4;

/// A table being solved.
pub(super) struct Work<'a> {
    pub expander: Expander,
    pub closure: Closure<Worth>,
    pub limits: &'a Limits,
    pub progress: &'a dyn Progress,
    /// Whether draws are to be told from play without end, of which no rule speaks.
    pub draws: bool,
    /// How many positions were looked at.
    pub done: u64,
    /// The most bytes held.
    pub held: u64,
    /// Where what is known is kept.
    pub kept: Option<Kept<'a>>,
    /// The lists of the threads, kept from one pass to the next.
    pub lists: Vec<Lists>,
}

/// What a pass looks for.
#[derive(Clone)]
struct Pass<'a> {
    /// Only these parts, whose moves lead to those.
    parts: (Range<usize>, Range<usize>),
    /// Only positions whose marks are this one where these bits are 1.
    marks: (u16, u16),
    /// Only of these controls.
    controls: &'a [bool],
    /// Only what takes fewer plies is heeded.
    below: u16,
    /// Whether it is asked only which games are over.
    ends: bool,
    /// Whether a draw is something found.
    draws: bool,
}

impl Work<'_> {
    /// Labels all positions, from where an earlier run had got to. Gives the number of passes, if it was by passes.
    pub fn run(&mut self, stage: Labelled) -> Result<Option<u32>, Failed> {
        let passes = match stage {
            Labelled::Done { passes } => return Ok(passes),
            Labelled::Plies(plies) => {
                self.by_plies(plies)?;
                None
            }
            Labelled::Passes { next, controls } => Some(self.by_passes(next, controls)?),
        };
        self.keep(&Labelled::Done { passes })?;
        Ok(passes)
    }

    /// Where labelling begins, if so many plies were gathered.
    pub fn first_stage(&mut self, plies: u32) -> Labelled {
        if self.closure.plies_apart().is_some() {
            return Labelled::Plies(plies);
        }
        let mut marks = self.closure.parts.iter().flat_map(|part| part.values());
        if !marks.any(|mark| mark.0 & AGAIN != 0) {
            return Labelled::Plies(plies);
        }
        // Positions come back: from which ply they were reached tells nothing.
        for part in &mut self.closure.parts {
            for mark in part.values_mut().iter_mut().filter(|mark| mark.0 != 0) {
                mark.0 = mark.0 & FIRST | 1;
            }
        }
        let controls = self.expander.machine().runner().circuit().controls.len();
        Labelled::Passes { next: 0, controls: vec![true; controls] }
    }

    /// Keeps what is known at a stage.
    pub fn keep(&mut self, stage: &Labelled) -> Result<(), Failed> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        let stage = Stage::Labelling(stage.clone());
        kept.keep(self.expander.symmetries(), Held::Hashed(&self.closure), stage).map_err(Failed::File)
    }

    /// Whether it is time to keep what is known.
    pub fn is_due(&mut self) -> bool {
        let held = self.closure.held_bytes();
        self.kept.as_mut().is_some_and(|kept| kept.keeper.is_due(held))
    }

    fn keep_if_due(&mut self, stage: impl FnOnce() -> Labelled) -> Result<(), Failed> {
        if self.is_due() { self.keep(&stage()) } else { Ok(()) }
    }

    /// Every move leads from a ply to the next: one look at each position, the last ply first.
    fn by_plies(&mut self, plies: u32) -> Result<(), Failed> {
        let all = vec![true; self.expander.machine().runner().circuit().controls.len()];
        for ply in (0..plies).rev() {
            self.progress.phase(&format!("labelling ply {ply}"));
            let to = self.closure.open(ply + 1);
            let pass = Pass {
                parts: (self.closure.of_ply(ply), to),
                marks: (KNOWN | LOWER, ply as u16 + 1),
                controls: &all,
                below: u16::MAX,
                ends: false,
                draws: false,
            };
            self.pass(pass)?;
            self.keep_if_due(|| Labelled::Plies(ply))?;
        }
        Ok(())
    }

    /// Positions come back: passes, as long as they find something. Gives their number. After the first one, which finds
    /// where the game is over, moves are gone backwards where there is room to list them.
    fn by_passes(&mut self, mut first: u16, mut controls: Vec<bool>) -> Result<u32, Failed> {
        if first == 0 {
            self.numbered_pass(0, &mut controls)?;
            first = 1;
        }
        let passes = match Backwards::of(self, first)? {
            Some(backwards) => backwards.run(self, first)?,
            None => self.forwards(first, controls)?,
        };
        // What is known in the end does not depend on how it was found.
        let open = |worth: &&mut Worth| worth.0 != 0 && !worth.is_known();
        for part in &mut self.closure.parts {
            part.values_mut().iter_mut().filter(open).for_each(|worth| worth.0 = worth.0 & FIRST | 1);
        }
        Ok(passes)
    }

    /// Passes from this one on, which look at these controls.
    fn forwards(&mut self, first: u16, mut controls: Vec<bool>) -> Result<u32, Failed> {
        for n in first..=FARTHEST / 2 {
            if !controls.contains(&true) {
                return Ok(u32::from(n));
            }
            self.numbered_pass(n, &mut controls)?;
        }
        Err(Failed::Far)
    }

    /// A pass that looks at some controls; they become those that the next one has to look at.
    fn numbered_pass(&mut self, n: u16, controls: &mut Vec<bool>) -> Result<(), Failed> {
        self.progress.phase(&format!("pass {n}"));
        let parts = || 0..self.closure.parts.len();
        let parts = (parts(), parts());
        let pass = Pass { parts, marks: (KNOWN, 0), controls, below: n, ends: n == 0, draws: self.draws };
        let found = self.pass(pass)?;
        *controls = self.leads().iter().map(|to| to.iter().any(|to| found[to.0 as usize])).collect();
        self.keep_if_due(|| Labelled::Passes { next: n + 1, controls: controls.clone() })
    }

    /// Lists for each thread, to be given back.
    pub fn lists(&mut self) -> Vec<Lists> {
        let mut lists = std::mem::take(&mut self.lists);
        lists.resize_with(rayon::current_num_threads(), Lists::default);
        lists
    }

    /// The controls that the moves of each one lead to.
    fn leads(&self) -> Vec<Vec<ControlId>> {
        let circuit = self.expander.machine().runner().circuit();
        let of = |control: &Control| {
            let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body);
            let blocks = bodies.chain([&control.stuck]);
            blocks.flat_map(|block| block.yields()).map(|after| after.to).collect()
        };
        circuit.controls.iter().map(of).collect()
    }

    /// One pass over the table. Of which controls positions were decided.
    fn pass(&mut self, pass: Pass<'_>) -> Result<Vec<bool>, Failed> {
        let mut found = vec![false; pass.controls.len()];
        let (mut pieces, mut lists) = (Pieces::of(&self.closure, &pass.parts), self.lists());
        // What the game's ends are is asked of the positions themselves.
        let machine = self.expander.machine().clone();
        let sieve = (!pass.ends).then(|| machine.runner().sieve(&wins(&machine)));
        while let Some(tasks) = pieces.next() {
            if let Some(hit) = self.limits.check() {
                return Err(Failed::Limit(hit));
            }
            let run = |(pieces, lists): (&&[Slots], &mut Lists)| -> Result<Found, Failed> {
                let (expander, closure) = (&self.expander, &self.closure);
                let mut piece = Piece {
                    expander,
                    pass: &pass,
                    seen: 0,
                    found: vec![false; found.len()],
                    decided: Vec::new(),
                    last: LastEnd::default(),
                };
                let walk = Walk::new((expander, sieve.as_deref()), (closure, &pass.parts.1), lists);
                let met = walk.over(pieces, &mut piece, self.limits)?;
                Ok(Found { met, seen: piece.seen, controls: piece.found, decided: piece.decided })
            };
            let done: Vec<Found> =
                tasks.par_iter().zip(&mut lists).map(run).collect::<Result<_, Failed>>()?;
            pieces.met(done.iter().map(|of| of.met).sum());
            for of in done {
                self.done += of.seen;
                found.iter_mut().zip(of.controls).for_each(|(found, here)| *found |= here);
                for ((part, slot), worth) in of.decided {
                    let mark = &mut self.closure.parts[part as usize].values_mut()[slot as usize];
                    mark.0 = worth.0 | mark.0 & FIRST;
                }
            }
            self.progress.positions(self.done, self.closure.held_bytes());
        }
        self.lists = lists;
        Ok(found)
    }
}

/// By control and end: whether who acts there wins by it.
pub(super) fn wins(machine: &CompiledMachine) -> Vec<Vec<bool>> {
    let winner = |verdict: &Verdict| match verdict {
        Verdict::Payoffs(payoffs, _) if payoffs[0].is_positive() => Some(0),
        Verdict::Payoffs(payoffs, _) if payoffs[0].is_negative() => Some(1),
        _ => None,
    };
    let winners: Vec<_> = machine.lowered().endings.iter().map(|ending| winner(&ending.verdict)).collect();
    let of = |id| winners.iter().map(|&winner| winner == Some(machine.actor(id))).collect();
    machine.runner().circuit().controls.ids().map(of).collect()
}

/// The table in pieces: parts, with some slots of each. They are given to the threads by and by, about so many at once
/// that there is enough to do for each of them.
/// *Invariant:* how many are given at once does not depend on the number of threads, for what a pass finds is written
/// down in between, and a draw that was written down is heeded.
pub(super) struct Pieces {
    all: Vec<Slots>,
    given: usize,
    at_once: usize,
    /// So much shall be met at once.
    wanted: usize,
}

impl Pieces {
    /// Of some parts, whose moves lead to those.
    pub fn of(closure: &Closure<Worth>, (parts, to): &(Range<usize>, Range<usize>)) -> Pieces {
        let of = |i: usize| {
            let capacity = closure.parts[i].capacity();
            let ends = (0..capacity).step_by(SLOTS);
            ends.map(move |from| (i, from..capacity.min(from + SLOTS)))
        };
        let all = parts.clone().flat_map(of).collect();
        Pieces { all, given: 0, at_once: AT_FIRST, wanted: BATCHES * Walk::most(closure, to) }
    }

    /// The next ones: those of each thread.
    pub fn next(&mut self) -> Option<Vec<&[Slots]>> {
        let (from, to) = (self.given, self.all.len().min(self.given + self.at_once));
        self.given = to;
        let each = (to - from).div_ceil(rayon::current_num_threads()).max(1);
        (from < to).then(|| self.all[from..to].chunks(each).collect())
    }

    /// So many positions and moves were met in what was given last.
    pub fn met(&mut self, met: usize) {
        let wanted = self.at_once as f64 * self.wanted as f64 / met.max(1) as f64;
        self.at_once = (wanted as usize).clamp(self.at_once.div_ceil(2), 2 * self.at_once);
    }
}

/// What a part of a pass found.
struct Found {
    /// How many positions it looked at.
    seen: u64,
    /// How many positions and moves were met.
    met: usize,
    /// The controls of those that were decided.
    controls: Vec<bool>,
    /// Where they lie and what they are worth.
    decided: Vec<(At, Worth)>,
}

/// A part of a pass that one thread does.
struct Piece<'a> {
    expander: &'a Expander,
    pass: &'a Pass<'a>,
    seen: u64,
    found: Vec<bool>,
    decided: Vec<(At, Worth)>,
    last: LastEnd,
}

impl Piece<'_> {
    fn decide(&mut self, at: At, control: ControlId, worth: Worth) {
        self.found[control.0 as usize] |= !worth.is_draw() || self.pass.draws;
        self.decided.push((at, worth));
    }
}

impl Look for Piece<'_> {
    fn marked(&self, mark: Worth) -> bool {
        let (bits, wanted) = self.pass.marks;
        (mark.0 & bits == wanted) & (mark.0 != 0)
    }

    fn looks(&mut self, control: ControlId) -> (bool, bool) {
        let looks = self.pass.controls[control.0 as usize];
        self.seen += u64::from(looks);
        (looks, !self.pass.ends)
    }

    fn over(&mut self, at: At, control: ControlId, ending: &Ending) {
        let worth = self.last.worth(self.expander.machine(), ending);
        self.decide(at, control, worth);
    }

    fn moves(
        &mut self,
        at: At,
        control: ControlId,
        to: impl Iterator<Item = (At, Worth)>,
        others: Option<Worth>,
    ) -> Result<(), Failed> {
        let player = self.expander.machine().actor(control);
        let to = to.map(|(_, worth)| worth).chain(others);
        if let Some(worth) = Worth::by_moves(player, to, self.pass.below)? {
            self.decide(at, control, worth);
        }
        Ok(())
    }
}
