//! The indexed table: values of positions with a dense index, a byte for each index, with the plies of a win.
//!
//! Technique: each move leads from a ply to the next, so labelling processes the plies from the last to the first. The
//! successors of consecutive indices are close together, so lookups go directly to their bytes, move by move.
//! Source: Bellman (1965), as cited in the parent module; the indices are those of [`ranking`](crate::game::ranking).
//! Cost: a byte for each index of a ply, reachable or not, and a bit before labelling.
//! *Invariant:* a byte is 0 exactly for unreachable indices.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use super::kept::{Held, Kept, Labelled, Stage};
use super::passes::wins;
use super::{DRAW, Failed, KNOWN, LOWER, LastEnd, Of, Resting, Set, Strong, Worth};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::Position;
use crate::exec::{Sieve, Sifted};
use crate::game::CompiledMachine;
use crate::game::closure::{Ended, Expander, Met, Reached};
use crate::game::ranked::{AT_ONCE, AtRest, Ranked, Unranked, Wanted, each_number, stretch};
use crate::game::ranking::{Cursor, Ranking};
use crate::solve::tally::Tally;

/// The maximal number of indices for each byte that a hashed position would take.
const SPARSE: u64 = 12;
/// The byte of a draw; 0 stands for no position.
const DRAWN: u8 = 1;
/// The offset of the byte of a win, which adds twice the plies, and 1 for the second player.
const WON: u8 = 2;
/// The number of indices that share a word of bits.
const TOGETHER: usize = u64::BITS as usize;

/// Positions by their dense indices, with their values.
#[derive(Debug)]
pub(super) struct Numbered {
    /// By ply, the set of reachable positions; empty once the ply is labelled.
    pub gathered: Ranked,
    /// By ply, the values; empty before the ply is labelled.
    pub values: Vec<Vec<u8>>,
}

fn byte(worth: Worth) -> u8 {
    if worth.is_draw() { DRAWN } else { (worth.0 & LOWER) as u8 + WON }
}

#[inline]
fn worth(byte: u8) -> Option<Worth> {
    match byte {
        0 => None,
        DRAWN => Some(DRAW),
        _ => Some(Worth(KNOWN | u16::from(byte - WON))),
    }
}

/// The number of positions.
pub(super) fn len(gathered: &Ranked, values: &[Vec<u8>]) -> u64 {
    let labelled = values.iter().flatten().filter(|&&value| value != 0).count();
    gathered.len() + labelled as u64
}

impl Numbered {
    /// Begins with one position, if all that is reachable from it has a dense index.
    pub fn begin(machine: &CompiledMachine, of: Of<'_>) -> Option<Numbered> {
        let Of::Position(state) = of else { return None };
        let ranking = Ranking::of(machine.runner().circuit(), &machine.position(state)?)?;
        Some(Numbered { gathered: Ranked::begin(ranking), values: Vec::new() })
    }

    pub fn ranking(&self) -> &Ranking {
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
        let few = usize::from(WON) + 2 * self.ranking().plies();
        let sound = |ply: usize| {
            let size = self.ranking().size(ply).unwrap_or(0) as usize;
            let (bits, values) =
                (&self.gathered.plies[ply], self.values.get(ply).map_or(&[][..], Vec::as_slice));
            let beyond = (TOGETHER - size % TOGETHER) % TOGETHER;
            bits.last().is_none_or(|last| last & !(u64::MAX >> beyond) == 0)
                && values.iter().all(|&value| usize::from(value) < few)
                && values.iter().skip(size).all(|&value| value == 0)
        };
        (0..self.plies()).all(sound)
    }

    /// The part of it that a checkpoint stores.
    pub fn held(&self) -> Held<'_> {
        Held::Numbered(&self.gathered, &self.values)
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
        at_rest: &mut AtRest<'_>,
    ) -> Result<Met, (Unranked, Met)> {
        let wanted = Wanted { plies: None, all: true, sparse: SPARSE };
        self.gathered.gather(machine, wanted, limits, progress, at_rest)
    }

    /// Labels the plies below `plies`; calls `at_rest` after each.
    pub fn label(
        &mut self,
        machine: &CompiledMachine,
        plies: u32,
        (limits, progress): (&Limits, &dyn Progress),
        at_rest: &mut dyn FnMut(&Numbered, u32) -> Result<(), Failed>,
    ) -> Result<u64, Failed> {
        let sieve = machine.runner().sieve(&wins(machine));
        self.values.resize(self.plies(), Vec::new());
        let (mut done, mut held) = (0, self.held_bytes());
        for ply in (0..plies as usize).rev() {
            progress.phase(&format!("labelling ply {ply}"));
            let bits = &self.gathered.plies[ply];
            held = held.max(self.held_bytes() + (TOGETHER * bits.len()) as u64);
            if let Some(hit) = limits.check_held(held) {
                return Err(Failed::Limit(hit));
            }
            let mut values = vec![0; TOGETHER * bits.len()];
            let after = self.values.get(ply + 1).map_or(&[][..], Vec::as_slice);
            let each = stretch(bits.len());
            let begin = || Labelling {
                machine,
                sieve: &*sieve,
                cursor: self.ranking().cursor(ply),
                after,
                records: Vec::new(),
                last: LastEnd::default(),
            };
            let groups = bits.chunks(each * AT_ONCE).zip(values.chunks_mut(TOGETHER * each * AT_ONCE));
            for (group, (bits, values)) in groups.enumerate() {
                if let Some(hit) = limits.check() {
                    return Err(Failed::Limit(hit));
                }
                let tasks = bits.par_chunks(each).zip(values.par_chunks_mut(TOGETHER * each)).enumerate();
                let run = |labelling: &mut Labelling<'_>,
                           (i, (bits, values)): (usize, (&[u64], &mut [u8]))| {
                    let before = (group * AT_ONCE + i) * each;
                    let mut labelled = 0;
                    each_number(bits, before, |number| {
                        values[number as usize - TOGETHER * before] = byte(labelling.look(number)?);
                        labelled += 1;
                        Ok(())
                    })?;
                    Ok(labelled)
                };
                let labelled: Result<Vec<u64>, Failed> = tasks.with_max_len(1).map_init(begin, run).collect();
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
    pub fn get(&self, at: &Position) -> Option<Worth> {
        let (ply, number) = self.ranking().number(at)?;
        worth(*self.values.get(ply)?.get(number as usize)?)
    }

    /// Returns the number of positions of a ply by value.
    pub fn counts(&self, ply: usize) -> Vec<(Worth, u64)> {
        let mut counts = [0; 1 << u8::BITS];
        self.values[ply].iter().for_each(|&value| counts[usize::from(value)] += 1);
        (0..=u8::MAX)
            .filter_map(|value| Some((worth(value)?, counts[usize::from(value)])))
            .filter(|(_, n)| *n > 0)
            .collect()
    }
}

impl Strong {
    /// Solves by dense indices, from the stage of an earlier run on; `None` if there are too many of them.
    pub(super) fn by_numbers(
        machine: &Arc<CompiledMachine>,
        (mut numbered, stage): (Numbered, Option<Stage>),
        kept: &mut Option<Kept<'_>>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Option<Strong>, Failed> {
        let mut resting = Resting { kept: kept.as_mut(), symmetries: 1, failed: None };
        let (mut held_bytes, stage) = match stage {
            Some(Stage::Labelling(stage)) => (numbered.held_bytes(), stage),
            _ => {
                progress.phase("enumerating positions");
                let mut at_rest = |ranked: &Ranked, ply: u32| {
                    resting.rest(Held::Numbered(ranked, &[]), || Stage::Gathering(Reached { ply, part: 0 }))
                };
                // Labelling takes a byte in place of a bit for each index, so gathering gets an eighth of the memory.
                let memory_bytes = limits.memory_bytes.map(|bytes| bytes / u64::from(u8::BITS));
                let fewer = Limits { memory_bytes, ..limits.clone() };
                let held_bytes = match numbered.gather(machine, &fewer, progress, &mut at_rest) {
                    Ok(met) => met.held_bytes,
                    // By keys the positions may still fit, with symmetry reduction.
                    Err((Unranked::Sparse | Unranked::Ended(Ended::Limit(LimitHit::Memory)), _)) => {
                        return Ok(None);
                    }
                    Err((Unranked::Ended(Ended::Limit(hit)), met)) => {
                        let (positions, held_bytes) = (met.plies.iter().sum(), met.held_bytes);
                        return Err(Failed::Unsettled { hit, positions, held_bytes });
                    }
                    Err((Unranked::Ended(Ended::Left), _)) => return Err(resting.failed()),
                    Err((Unranked::Ended(Ended::Complete | Ended::Odd), _)) => return Err(Failed::Odd),
                };
                let stage = Labelled::Plies(numbered.plies() as u32);
                resting.keep(&numbered, &stage)?;
                (held_bytes, stage)
            }
        };
        if let Labelled::Plies(plies) = stage {
            let mut at_rest = |numbered: &Numbered, ply: u32| match resting
                .rest(numbered.held(), || Stage::Labelling(Labelled::Plies(ply)))
            {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(resting.failed()),
            };
            match numbered.label(machine, plies, (limits, progress), &mut at_rest) {
                Ok(held) => held_bytes = held_bytes.max(held),
                Err(Failed::Limit(LimitHit::Memory)) => return Ok(None),
                Err(why) => return Err(why),
            }
            resting.keep(&numbered, &Labelled::Done { passes: None })?;
        }
        let (expander, set, tally) = (Expander::new(machine), Set::Numbered(numbered), Tally::default());
        let mut strong = Strong { expander, set, passes: None, held_bytes, tally, only_first: false };
        strong.tally = strong.count();
        Ok(Some(strong))
    }
}

/// The state of one thread that labels positions of a ply.
struct Labelling<'a> {
    machine: &'a CompiledMachine,
    sieve: &'a dyn Sieve,
    cursor: Cursor<'a>,
    /// The values of the next ply.
    after: &'a [u8],
    records: Vec<u64>,
    last: LastEnd,
}

impl Labelling<'_> {
    /// Returns the value of the position with this index.
    #[inline]
    fn look(&mut self, number: u64) -> Result<Worth, Failed> {
        self.records.clear();
        let (control, words) = self.cursor.at(number);
        let step = words.len() + 1;
        let player = self.machine.actor(control);
        let others = match self.sieve.sift((control, words), &mut self.records).map_err(|_| Failed::Odd)? {
            Sifted::Over(ending) => return Ok(self.last.worth(self.machine, &ending)),
            Sifted::Wins => return Worth::won_in(player, 1),
            Sifted::Open { falls } => falls.then(|| Worth::won(1 - player, 1)),
        };
        // A table read from a file may lack entries.
        let mut unknown = false;
        let to = self.records.chunks_exact(step).map(|record| {
            let value =
                self.cursor.after(&record[1..]).and_then(|number| worth(*self.after.get(number as usize)?));
            unknown |= value.is_none();
            value.unwrap_or_default()
        });
        let known = Worth::by_moves(player, to.chain(others), u16::MAX)?;
        known.filter(|_| !unknown && (others.is_some() || !self.records.is_empty())).ok_or(Failed::Odd)
    }
}
