//! The passes over a table: what moves lead to decides what a position is worth.

use std::ops::Range;

use num_rational::Rational64;
use rayon::prelude::*;

use super::kept::{Kept, Stage};
use super::{AGAIN, DRAW, FARTHEST, FIRST, Failed, LOWER, Worth};
use crate::base::limits::{Limits, Progress};
use crate::base::mem::hash;
use crate::circuit::ControlId;
use crate::exec::Ending;
use crate::game::closure::{Closure, Expander, Odd, Room};

/// How many slots of a part one piece of work has.
const SLOTS: usize = 1 << 13;
/// So many pieces are worked at before what they found is written down.
const AT_ONCE: usize = 32;
/// The moves of so many positions are fetched together.
const TOGETHER: usize = 16;

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
    /// Where what is known is kept.
    pub kept: Option<Kept<'a>>,
}

/// What a pass looks for.
#[derive(Clone, Copy)]
struct Pass<'a> {
    /// Only positions that come first at this ply.
    ply: Option<u32>,
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
    pub fn run(&mut self, stage: Stage) -> Result<Option<u32>, Failed> {
        let passes = match stage {
            Stage::Done { passes } => return Ok(passes),
            Stage::Plies(plies) => {
                self.by_plies(plies)?;
                None
            }
            Stage::Passes { next, controls } => Some(self.by_passes(next, controls)?),
        };
        self.keep(&Stage::Done { passes })?;
        Ok(passes)
    }

    /// Where labelling begins, if so many plies were gathered.
    pub fn first_stage(&mut self, plies: u32) -> Stage {
        let mut marks = self.closure.parts.iter().flat_map(|part| part.values());
        if !marks.any(|mark| mark.0 & AGAIN != 0) {
            return Stage::Plies(plies);
        }
        // Positions come back: from which ply they were reached tells nothing.
        for part in &mut self.closure.parts {
            for mark in part.values_mut().iter_mut().filter(|mark| mark.0 != 0) {
                mark.0 = mark.0 & FIRST | 1;
            }
        }
        let controls = self.expander.machine().runner().circuit().controls.len();
        Stage::Passes { next: 0, controls: vec![true; controls] }
    }

    /// Keeps what is known at a stage.
    pub fn keep(&mut self, stage: &Stage) -> Result<(), Failed> {
        match &mut self.kept {
            Some(kept) => kept.keep(&self.closure, stage).map_err(Failed::File),
            None => Ok(()),
        }
    }

    fn keep_if_due(&mut self, stage: impl FnOnce() -> Stage) -> Result<(), Failed> {
        match self.kept.as_mut().is_some_and(|kept| kept.keeper.is_due()) {
            true => self.keep(&stage()),
            false => Ok(()),
        }
    }

    /// Every move leads from a ply to the next: one look at each position, the last ply first.
    fn by_plies(&mut self, plies: u32) -> Result<(), Failed> {
        let all = vec![true; self.expander.machine().runner().circuit().controls.len()];
        for ply in (0..plies).rev() {
            self.progress.phase(&format!("labelling ply {ply}"));
            let pass = Pass { ply: Some(ply), controls: &all, below: u16::MAX, ends: false, draws: false };
            self.pass(pass)?;
            self.keep_if_due(|| Stage::Plies(ply))?;
        }
        Ok(())
    }

    /// Positions come back: passes, as long as they find something. Gives their number.
    fn by_passes(&mut self, first: u16, mut controls: Vec<bool>) -> Result<u32, Failed> {
        let circuit = self.expander.machine().runner().circuit();
        let leads: Vec<Vec<ControlId>> = circuit
            .controls
            .iter()
            .map(|control| {
                let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body);
                let blocks = bodies.chain([&control.stuck]);
                blocks.flat_map(|block| block.yields()).map(|after| after.to).collect()
            })
            .collect();
        for n in first..=FARTHEST / 2 {
            self.progress.phase(&format!("pass {n}"));
            let pass = Pass { ply: None, controls: &controls, below: n, ends: n == 0, draws: self.draws };
            let found = self.pass(pass)?;
            controls = leads.iter().map(|to| to.iter().any(|to| found[to.0 as usize])).collect();
            if !controls.contains(&true) {
                return Ok(u32::from(n) + 1);
            }
            self.keep_if_due(|| Stage::Passes { next: n + 1, controls: controls.clone() })?;
        }
        Err(Failed::Far)
    }

    /// One pass over the table. Of which controls positions were decided.
    fn pass(&mut self, pass: Pass<'_>) -> Result<Vec<bool>, Failed> {
        let mut found = vec![false; pass.controls.len()];
        let pieces: Vec<(usize, Range<usize>)> = self
            .closure
            .parts
            .iter()
            .enumerate()
            .flat_map(|(i, part)| {
                let ends = (0..part.capacity()).step_by(SLOTS);
                ends.map(move |from| (i, from..part.capacity().min(from + SLOTS)))
            })
            .collect();
        for pieces in pieces.chunks(AT_ONCE) {
            if let Some(hit) = self.limits.check() {
                return Err(Failed::Limit(hit));
            }
            let run = |(part, slots): &(usize, Range<usize>)| -> Result<Found, Failed> {
                let mut piece = Piece::new(&self.expander, &self.closure, pass, found.len());
                piece.run(*part, slots.clone())?;
                Ok(Found { seen: piece.seen, controls: piece.found, decided: piece.decided })
            };
            let done: Vec<Found> = pieces.par_iter().map(run).collect::<Result<_, Failed>>()?;
            for ((part, _), of) in pieces.iter().zip(done) {
                self.done += of.seen;
                found.iter_mut().zip(of.controls).for_each(|(found, here)| *found |= here);
                let values = self.closure.parts[*part].values_mut();
                for (slot, worth) in of.decided {
                    values[slot].0 = worth.0 | values[slot].0 & FIRST;
                }
            }
            self.progress.positions(self.done, self.closure.held_bytes());
        }
        Ok(found)
    }
}

/// What a part of a pass found.
struct Found {
    /// How many positions it looked at.
    seen: u64,
    /// The controls of those that were decided.
    controls: Vec<bool>,
    /// Their slots and what they are worth.
    decided: Vec<(usize, Worth)>,
}

/// A part of a pass that one thread does.
struct Piece<'a> {
    expander: &'a Expander,
    closure: &'a Closure<Worth>,
    pass: Pass<'a>,
    room: Room,
    /// Positions that wait for what their moves lead to: the slot, the control, where the keys of the moves end.
    waiting: Vec<(usize, ControlId, usize)>,
    /// Those keys, and their hashes.
    keys: Vec<u64>,
    hashes: Vec<u64>,
    seen: u64,
    found: Vec<bool>,
    decided: Vec<(usize, Worth)>,
}

impl<'a> Piece<'a> {
    fn new(
        expander: &'a Expander,
        closure: &'a Closure<Worth>,
        pass: Pass<'a>,
        controls: usize,
    ) -> Piece<'a> {
        Piece {
            expander,
            closure,
            pass,
            room: Room::default(),
            waiting: Vec::new(),
            keys: Vec::new(),
            hashes: Vec::new(),
            seen: 0,
            found: vec![false; controls],
            decided: Vec::new(),
        }
    }

    fn run(&mut self, part: usize, slots: Range<usize>) -> Result<(), Failed> {
        let (table, pass) = (&self.closure.parts[part], self.pass);
        let wanted = |mark: Worth| match pass.ply {
            Some(ply) => !mark.is_known() && u32::from(mark.0 & LOWER) == ply + 1,
            None => mark.0 != 0 && !mark.is_known(),
        };
        for slot in slots {
            if !wanted(table.values()[slot]) {
                continue;
            }
            let key = table.key(slot).expect("a mark belongs to a key");
            let control = self.expander.control(key, &mut self.room);
            if !pass.controls[control.0 as usize] {
                continue;
            }
            self.seen += 1;
            let Piece { room, keys, hashes, .. } = self;
            let ends = pass.ends;
            let over = self.expander.children(key, room, |key| {
                if !ends {
                    let hash = hash(key);
                    self.closure.prefetch(hash);
                    hashes.push(hash);
                    keys.extend_from_slice(key);
                }
            });
            match over {
                Err(Odd) => return Err(Failed::Odd),
                Ok(Some(ending)) => self.decide(slot, control, self.ended(&ending)),
                Ok(None) if ends => {}
                Ok(None) => self.waiting.push((slot, control, self.hashes.len())),
            }
            if self.waiting.len() == TOGETHER {
                self.settle()?;
            }
        }
        self.settle()
    }

    fn decide(&mut self, slot: usize, control: ControlId, worth: Worth) {
        self.found[control.0 as usize] |= !worth.is_draw() || self.pass.draws;
        self.decided.push((slot, worth));
    }

    fn ended(&self, ending: &Ending) -> Worth {
        let outcome = self.expander.machine().outcome(ending);
        let first = outcome.payoffs.first().copied().unwrap_or_default();
        match first.cmp(&Rational64::default()) {
            std::cmp::Ordering::Greater => Worth::won(0, 0),
            std::cmp::Ordering::Less => Worth::won(1, 0),
            std::cmp::Ordering::Equal => DRAW,
        }
    }

    /// What the positions that wait are worth by what their moves lead to.
    fn settle(&mut self) -> Result<(), Failed> {
        let width = self.expander.keys().width();
        let mut from = 0;
        for (slot, control, to) in std::mem::take(&mut self.waiting) {
            let keys = self.keys[from * width..to * width].chunks_exact(width);
            let player = self.expander.machine().actor(control);
            let (mut soonest, mut latest, mut drawn, mut open) = (None, None, false, false);
            for (key, &hash) in keys.zip(&self.hashes[from..to]) {
                let worth = self.closure.get(hash, key).ok_or(Failed::Odd)?;
                match worth.win() {
                    Some((_, plies)) if plies >= self.pass.below => open = true,
                    Some((winner, plies)) if winner == player => {
                        soonest = Some(soonest.map_or(plies, |other: u16| other.min(plies)));
                    }
                    Some((_, plies)) => latest = Some(latest.map_or(plies, |other: u16| other.max(plies))),
                    None if worth.is_draw() => drawn = true,
                    None => open = true,
                }
            }
            from = to;
            let won = |player, plies: u16| match plies + 1 {
                plies if plies < FARTHEST / 2 => Ok(Worth::won(player, plies)),
                _ => Err(Failed::Far),
            };
            match (soonest, latest) {
                (Some(plies), _) => self.decide(slot, control, won(player, plies)?),
                _ if open => {}
                (None, Some(plies)) if !drawn => self.decide(slot, control, won(1 - player, plies)?),
                _ => self.decide(slot, control, DRAW),
            }
        }
        self.keys.clear();
        self.hashes.clear();
        Ok(())
    }
}
