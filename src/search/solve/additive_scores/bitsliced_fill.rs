//! The bitsliced fill of the table: 64 indices at a time, and independent zones in parallel.
//!
//! Technique: the bits of consecutive indices are fixed patterns, so the gates of a [bitsliced
//! circuit](bouton_backend::sliced) compute the moves of 256 indices without any position. A move changes the same bits of
//! all indices of a block in which it is legal: its successors are mostly a block as well, which is merged as a whole.
//! A zone depends on the zones that its moves lead to; zones with dependency chains of equal length are filled in
//! parallel.
//! Cost: a few nanoseconds an entry. *Invariant:* the result does not depend on the number of threads, and equals that
//! of the entry-by-entry fill.

use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

use super::table::{
    BLOCK, BLOCK_BITS, DIFFERENCE_BIAS, MIN_ZONE_BITS, ScoreBlock, ScoreTable, ScoreZone, StoredScore,
    UNKNOWN_SCORE,
};
use super::{AdditiveGame, ScorelessIndex};
use bouton_backend::bitslice::{
    BitsliceCircuit, GateId, GateWords, LANE_WORDS, MoveGates, ONE_GATE, SlotInputs, ZERO_GATE,
};
use bouton_base::id::Id;
use bouton_base::limits::{LimitHit, Limits, Progress};

/// The bits of the indices of a block, by bit of the index.
const PATTERNS: [u64; BLOCK_BITS as usize] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];
/// The number of indices between two checks of the limits.
const POLL_INTERVAL: u64 = 1 << 16;

/// The effect of a move.
#[derive(Clone, Copy, Default, Debug)]
struct IndexEffect {
    /// The bits of the index that it sets, and those that it clears.
    set: u64,
    clear: u64,
    gains: [u64; 2],
}

/// The conditional effect of a gate: a gain if it is 1, or a bit that takes its value.
#[derive(Clone, Copy, Debug)]
enum ConditionalEffect {
    Gain(usize, u64),
    Bit(u64),
}

/// A bitsliced move of a control.
#[derive(Debug)]
struct SlicedStep {
    when: GateId,
    to: usize,
    sure: IndexEffect,
    /// The effects that depend on the index.
    rest: Vec<(GateId, ConditionalEffect)>,
}

/// The bitsliced moves of a control.
struct SlicedControl {
    over: GateId,
    fault: GateId,
    /// True if the first player moves.
    first: bool,
    steps: Vec<SlicedStep>,
}

/// The bitsliced fill of a table.
pub(super) struct BitslicedFill {
    sliced: BitsliceCircuit,
    turns: Vec<SlicedControl>,
    /// The number of bits of an index.
    bits: u32,
    way: i64,
}

impl BitslicedFill {
    /// Returns `None` if the moves have no gates.
    pub fn of(fit: &AdditiveGame) -> Option<BitslicedFill> {
        let circuit = fit.machine.runner().circuit();
        let inputs: SlotInputs = fit.numbers.slots.iter().copied().zip(0..).collect();
        let sliced = BitsliceCircuit::of(circuit, &inputs)?;
        let numbers = &fit.numbers;
        let turn = |(id, turn): (_, &bouton_backend::bitslice::ControlGates)| SlicedControl {
            over: turn.over,
            fault: turn.fault,
            first: fit.machine.actor(id) == 0,
            steps: turn.moves.iter().map(|one| SlicedStep::of(one, fit, numbers, &inputs)).collect(),
        };
        let turns = sliced.turns.entries().map(turn).collect();
        Some(BitslicedFill { turns, bits: numbers.slots.len() as u32, way: fit.score_sign, sliced })
    }

    /// Fills a table, for moves that lead to greater indices (`up`) or to smaller ones. Returns the number of known
    /// entries.
    pub fn run(
        &self,
        up: bool,
        table: &mut ScoreTable,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<u64, LimitHit> {
        let (mut known, mut done) = (0, 0);
        for mut level in self.levels(up, table) {
            let mut zones: Vec<(usize, ScoreZone)> =
                level.drain(..).map(|zone| (zone, std::mem::take(&mut table.zones[zone]))).collect();
            let fill = |(number, zone): &mut (usize, ScoreZone)| {
                ZoneFill::new(self, table, up, *number).zone(zone, limits)
            };
            let filled: Result<Vec<u64>, LimitHit> = zones.par_iter_mut().with_max_len(1).map(fill).collect();
            known += filled?.into_iter().sum::<u64>();
            done += zones.len() as u64;
            for (number, zone) in zones {
                table.zones[number] = zone;
            }
            progress.positions((done << table.zone_bits()) * table.controls() as u64, table.held_bytes());
        }
        Ok(known)
    }

    /// Returns the zones in dependency order, grouped in levels of independent zones.
    fn levels(&self, up: bool, table: &ScoreTable) -> Vec<Vec<usize>> {
        let zones = table.zones.len();
        let mut changes: Vec<(usize, usize)> = Vec::new();
        let mut all = false;
        for step in self.turns.iter().flat_map(|turn| &turn.steps) {
            let upper = |bits: u64| (bits >> table.zone_bits()) as usize;
            let computed = |(_, adds): &(GateId, ConditionalEffect)| {
                if let ConditionalEffect::Bit(bit) = *adds { upper(bit) } else { 0 }
            };
            all |= step.rest.iter().any(|adds| computed(adds) != 0);
            changes.push((upper(step.sure.set), upper(step.sure.clear)));
        }
        changes.sort_unstable();
        changes.dedup();
        let mut levels: Vec<Vec<usize>> = Vec::new();
        let mut level = vec![0; zones];
        for i in 0..zones {
            let zone = if up { zones - 1 - i } else { i };
            let later = |to: &usize| if up { *to > zone } else { *to < zone };
            let next = changes.iter().map(|(set, clear)| zone & !clear | set).filter(later);
            let own = if all { i } else { next.map(|to| level[to] + 1).max().unwrap_or(0) };
            level[zone] = own;
            levels.resize_with(levels.len().max(own + 1), Vec::new);
            levels[own].push(zone);
        }
        levels
    }
}

impl SlicedStep {
    fn of(one: &MoveGates, fit: &AdditiveGame, numbers: &ScorelessIndex, inputs: &SlotInputs) -> SlicedStep {
        let mut step =
            SlicedStep { when: one.when, to: one.to.index(), sure: IndexEffect::default(), rest: Vec::new() };
        for (slot, bits) in &one.slots {
            let player = fit.tallies.slots.iter().position(|score| score == slot);
            for (&gate, place) in bits.iter().zip(0..) {
                match (player, gate) {
                    (Some(_), ZERO_GATE) => {}
                    (Some(player), ONE_GATE) => step.sure.gains[player] += 1 << place,
                    (Some(player), _) => step.rest.push((gate, ConditionalEffect::Gain(player, 1 << place))),
                    (None, _) => {
                        let Some(&input) = inputs.get(&(*slot, place)) else { continue };
                        debug_assert_eq!(numbers.slots[input as usize], (*slot, place));
                        match gate {
                            ZERO_GATE => step.sure.clear |= 1 << input,
                            ONE_GATE => step.sure.set |= 1 << input,
                            _ if gate == BitsliceCircuit::input(input) => {}
                            _ => step.rest.push((gate, ConditionalEffect::Bit(1 << input))),
                        }
                    }
                }
            }
        }
        step
    }
}

/// A move within its block: the mask of its indices, the next control, and its effect.
struct BlockMove {
    mask: u64,
    to: usize,
    outcome: IndexEffect,
}

/// A block that is being filled: its control, and its first index.
#[derive(Clone, Copy)]
struct OpenBlock {
    control: usize,
    /// True if the first player moves at the control.
    first: bool,
    from: u64,
}

/// The values of all gates for the indices of one block: a part of each computed word.
#[derive(Clone, Copy)]
struct BlockGates<'r> {
    words: &'r [GateWords],
    part: usize,
}

impl BlockGates<'_> {
    #[inline]
    fn word(self, gate: GateId) -> u64 {
        self.words[gate as usize][self.part]
    }
}

/// The fill of one zone.
struct ZoneFill<'f> {
    filling: &'f BitslicedFill,
    table: &'f ScoreTable,
    up: bool,
    zone: usize,
    /// The block under construction, by control, and the moves within it.
    found: Vec<ScoreBlock>,
    inner: Vec<Vec<BlockMove>>,
}

/// Expands a bit mask of a block to bytes of all ones or zeros.
fn bytes(mask: u64) -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    for (eight, byte) in bytes.chunks_exact_mut(8).zip(mask.to_le_bytes()) {
        // Each of the eight copies of the byte keeps its own bit, and carries it up to the highest one.
        let own = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let high = (own + 0x0040_6070_787c_7e7f) & 0x8080_8080_8080_8080;
        let ones = (high >> 7).wrapping_mul(0xff);
        eight.copy_from_slice(&ones.to_le_bytes());
    }
    bytes
}

impl<'f> ZoneFill<'f> {
    fn new(filling: &'f BitslicedFill, table: &'f ScoreTable, up: bool, zone: usize) -> ZoneFill<'f> {
        let found = vec![ScoreBlock::of(DIFFERENCE_BIAS, UNKNOWN_SCORE); table.controls()];
        let inner = (0..table.controls()).map(|_| Vec::new()).collect();
        ZoneFill { filling, table, up, zone, found, inner }
    }

    /// Fills the zone. Returns the number of known entries.
    fn zone(&mut self, own: &mut ScoreZone, limits: &Limits) -> Result<u64, LimitHit> {
        let program = &self.filling.sliced.program;
        let mut room = program.buffer();
        let mut known = 0;
        let numbers = self.table.numbers(self.zone);
        let stretches = (numbers.end - numbers.start) >> MIN_ZONE_BITS;
        let valid = match self.filling.bits {
            bits @ 0..BLOCK_BITS => (1 << (1 << bits)) - 1,
            _ => u64::MAX,
        };
        for i in 0..stretches {
            let stretch = if self.up { stretches - 1 - i } else { i };
            let from = numbers.start + (stretch << MIN_ZONE_BITS);
            if (i << MIN_ZONE_BITS).is_multiple_of(POLL_INTERVAL)
                && let Some(hit) = limits.check()
            {
                return Err(hit);
            }
            for (bit, input) in program.inputs(&mut room).iter_mut().enumerate() {
                for (word, part) in input.iter_mut().zip((from..).step_by(BLOCK)) {
                    let all = (part >> bit & 1).wrapping_neg();
                    *word = PATTERNS.get(bit).copied().unwrap_or(all);
                }
            }
            program.run(&mut room);
            for part in 0..LANE_WORDS {
                let part = if self.up { LANE_WORDS - 1 - part } else { part };
                let from = from + (part * BLOCK) as u64;
                if from >> self.filling.bits == 0 {
                    known += self.block(own, BlockGates { words: &room, part }, from, valid);
                }
            }
        }
        Ok(known)
    }

    /// Fills the blocks of all controls that begin with an index, as far as the mask `valid` has their entries. Returns
    /// the number of known entries there.
    fn block(&mut self, own: &mut ScoreZone, gates: BlockGates<'_>, from: u64, valid: u64) -> u64 {
        let filling = self.filling;
        let mut any = false;
        for (control, turn) in filling.turns.iter().enumerate() {
            let (over, fault) = (gates.word(turn.over), gates.word(turn.fault));
            let open = valid & !over & !fault;
            self.found[control] = ScoreBlock::of(if turn.first { 0 } else { u8::MAX }, 0);
            self.inner[control].clear();
            let mut some = 0;
            for step in &turn.steps {
                let mask = gates.word(step.when) & open;
                if mask != 0 {
                    some |= mask;
                    self.merge_split(own, OpenBlock { control, first: turn.first, from }, step, gates, mask);
                }
            }
            // A finished game has no remaining score; a position without moves is unknown.
            let (over, unknown) = (bytes(over), bytes(open & !some | fault));
            let ScoreBlock { difference, most } = &mut self.found[control];
            for i in 0..BLOCK {
                difference[i] = difference[i] & !over[i] | DIFFERENCE_BIAS & over[i];
            }
            for most in most {
                for i in 0..BLOCK {
                    most[i] = most[i] & !over[i] | unknown[i];
                }
            }
            any |= !self.inner[control].is_empty();
        }
        if any {
            self.merge_inner_moves();
        }
        let mut known = 0;
        for (control, found) in self.found.iter().enumerate() {
            known += u64::from((found.known() & valid).count_ones());
            *own.block_mut(self.table.place(control, from).1) = *found;
        }
        known
    }

    /// Merges a move of some entries of a block: splits the mask until the effect is the same for each part.
    fn merge_split(
        &mut self,
        own: &ScoreZone,
        at: OpenBlock,
        step: &SlicedStep,
        gates: BlockGates<'_>,
        mask: u64,
    ) {
        if step.rest.is_empty() {
            return self.merge_move(own, at, step.to, mask, step.sure);
        }
        // The masks to split further: the indices, the effects known so far, and the number of gates tested.
        let mut open: SmallVec<[_; 8]> = smallvec![(mask, step.sure, 0)];
        while let Some((mask, mut outcome, mut asked)) = open.pop() {
            while let Some(&(gate, adds)) = step.rest.get(asked) {
                asked += 1;
                let word = gates.word(gate);
                let (yes, no) = (mask & word, mask & !word);
                if yes != 0 && no != 0 {
                    // Both parts test this gate again.
                    open.push((no, outcome, asked - 1));
                    open.push((yes, outcome, asked - 1));
                    asked = usize::MAX;
                    break;
                }
                match adds {
                    ConditionalEffect::Gain(player, n) => {
                        outcome.gains[player] += if yes != 0 { n } else { 0 }
                    }
                    ConditionalEffect::Bit(bit) if yes != 0 => outcome.set |= bit,
                    ConditionalEffect::Bit(bit) => outcome.clear |= bit,
                }
            }
            if asked != usize::MAX {
                self.merge_move(own, at, step.to, mask, outcome);
            }
        }
    }

    /// Merges a move with the same effect for all entries of a mask.
    fn merge_move(&mut self, own: &ScoreZone, at: OpenBlock, to: usize, mask: u64, outcome: IndexEffect) {
        let OpenBlock { control, first, from } = at;
        let lower = BLOCK as u64 - 1;
        let there = (from & !outcome.clear | outcome.set) & !lower;
        if there == from {
            return self.inner[control].push(BlockMove { mask, to, outcome });
        }
        let (zone, place) = self.table.place(to, there);
        let child = match (there > from) == self.up {
            false => None,
            true if zone == self.zone => Some(own.block(place)),
            true => Some(self.table.zones[zone].block(place)),
        };
        let found = &mut self.found[control];
        let adds = ScoreGain::of(&outcome, self.filling.way);
        match child {
            None => {
                let mask = bytes(mask);
                (0..BLOCK).for_each(|i| found.most[0][i] |= mask[i]);
            }
            Some(child) if (outcome.set | outcome.clear) & lower == 0 => {
                adds.merge_block(found, child, &bytes(mask), first);
            }
            Some(child) => each_bit(mask, |i| {
                adds.merge_entry(found, i, child.get_raw(outcome.within(i)), first);
            }),
        }
    }

    /// Merges the moves within blocks, in dependency order.
    fn merge_inner_moves(&mut self) {
        let adding = |one: &BlockMove| ScoreGain::of(&one.outcome, self.filling.way);
        // A bit mask of the moves by entry: a test of each move for each entry would mispredict half the time.
        let row = |some: &[BlockMove]| {
            let mut row = [0u64; BLOCK];
            for (n, one) in some.iter().enumerate() {
                each_bit(one.mask, |i| row[i] |= 1 << n);
            }
            (some.iter().map(adding).collect(), row)
        };
        let rows = |inner: &Vec<BlockMove>| inner.chunks(u64::BITS as usize).map(row).collect();
        let rows: Vec<Vec<(Vec<ScoreGain>, [u64; BLOCK])>> = self.inner.iter().map(rows).collect();
        let controls = self.found.len();
        for step in 0..BLOCK {
            let i = if self.up { BLOCK - 1 - step } else { step };
            for control in 0..controls {
                let control = if self.up { controls - 1 - control } else { control };
                let first = self.filling.turns[control].first;
                let some = self.inner[control].chunks(u64::BITS as usize);
                for (some, (adds, row)) in some.zip(&rows[control]) {
                    each_bit(row[i], |n| {
                        let (to, outcome) = (some[n].to, some[n].outcome);
                        let there = (outcome.within(i), to);
                        if there != (i, control) && (there > (i, control)) == self.up {
                            let child = self.found[to].get_raw(there.0);
                            adds[n].merge_entry(&mut self.found[control], i, child, first);
                        } else {
                            self.found[control].most[0][i] = UNKNOWN_SCORE;
                        }
                    });
                }
            }
        }
    }
}

impl IndexEffect {
    /// Returns the index within its block after the move.
    #[inline]
    fn within(&self, i: usize) -> usize {
        (i & !(self.clear as usize) | self.set as usize) & (BLOCK - 1)
    }
}

fn each_bit(mut mask: u64, mut each: impl FnMut(usize)) {
    while mask != 0 {
        each(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// The score gains of a move, as bytes.
#[derive(Clone, Copy)]
struct ScoreGain {
    difference: u8,
    most: [u8; 2],
}

impl ScoreGain {
    fn of(outcome: &IndexEffect, way: i64) -> ScoreGain {
        let [a, b] = outcome.gains.map(|gain| gain as i64);
        // A gain beyond a byte saturates, which makes the entry unknown; the difference then does not matter.
        ScoreGain { difference: (way * (a - b)) as u8, most: [a, b].map(|gain| gain.min(255) as u8) }
    }

    /// Merges the successors of a move of all entries of the mask.
    #[inline]
    fn merge_block(&self, found: &mut ScoreBlock, child: &ScoreBlock, mask: &[u8; BLOCK], first: bool) {
        let each = found.difference.iter_mut().zip(child.difference.iter().zip(mask));
        if first {
            for (found, (child, mask)) in each {
                *found = (child.wrapping_add(self.difference) & mask).max(*found);
            }
        } else {
            for (found, (child, mask)) in each {
                *found = (child.wrapping_add(self.difference) | !mask).min(*found);
            }
        }
        for player in 0..2 {
            let (found, child, adds) = (&mut found.most[player], &child.most[player], self.most[player]);
            for i in 0..BLOCK {
                found[i] = found[i].max(child[i].saturating_add(adds) & mask[i]);
            }
        }
    }

    /// Merges the successor of a move of one entry.
    #[inline]
    fn merge_entry(&self, found: &mut ScoreBlock, i: usize, child: StoredScore, first: bool) {
        let difference = child.difference.wrapping_add(self.difference);
        let held = &mut found.difference[i];
        *held = if first { difference.max(*held) } else { difference.min(*held) };
        for (held, (most, adds)) in found.most.iter_mut().zip(child.most.into_iter().zip(self.most)) {
            held[i] = most.saturating_add(adds).max(held[i]);
        }
    }
}
