//! Filling the table by gates: 64 numbers at a time, as many zones at once as do not wait for one another.
//!
//! Technique: the bits of numbers that follow one another are patterns, so that the gates of a
//! [circuit in slices](crate::exec::sliced) tell the moves of 256 numbers with no position made. A move changes the same
//! bits of all numbers of a block that it is a move of: what they lead to is mostly a block, too, which is taken in as
//! a whole. A zone waits for those that its moves lead to, and the zones that wait for as many others, one behind the
//! other, are filled together.
//! Cost: a few nanoseconds a number. *Invariant:* what is found does not depend on the number of threads, and is what
//! one number after the other would tell.

use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

use super::table::{BLOCK, BLOCK_BITS, Block, EVEN, STRETCH_BITS, Table, UNKNOWN, Zone};
use super::{Fit, Numbers};
use crate::base::id::Id;
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::exec::sliced::{Bit, Inputs, Lanes, Move, ONE, Sliced, WORDS, ZERO};

/// The bits of the numbers of a block.
const PATTERNS: [u64; BLOCK_BITS as usize] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];
/// Limits are asked after so many numbers.
const GLANCE: u64 = 1 << 16;

/// What a move comes to.
#[derive(Clone, Copy, Default, Debug)]
struct Outcome {
    /// The bits of the number that it sets, and those that it clears.
    set: u64,
    clear: u64,
    gains: [u64; 2],
}

/// What a gate adds to the outcome where it is 1, or is 0.
#[derive(Clone, Copy, Debug)]
enum Adds {
    Gain(usize, u64),
    Bit(u64),
}

/// A move of some control.
#[derive(Debug)]
struct Step {
    when: Bit,
    to: usize,
    sure: Outcome,
    /// What depends on the number.
    rest: Vec<(Bit, Adds)>,
}

/// The moves of a control.
struct Turn {
    over: Bit,
    fault: Bit,
    /// Whether the first player moves.
    first: bool,
    steps: Vec<Step>,
}

/// What fills a table.
pub(super) struct Filling {
    sliced: Sliced,
    turns: Vec<Turn>,
    /// How many bits a number has.
    bits: u32,
    way: i64,
}

impl Filling {
    /// None where the moves have no gates.
    pub fn of(fit: &Fit) -> Option<Filling> {
        let circuit = fit.machine.runner().circuit();
        let inputs: Inputs = fit.numbers.slots.iter().copied().zip(0..).collect();
        let sliced = Sliced::of(circuit, &inputs)?;
        let numbers = &fit.numbers;
        let turn = |(id, turn): (_, &crate::exec::sliced::Turn)| Turn {
            over: turn.over,
            fault: turn.fault,
            first: fit.machine.actor(id) == 0,
            steps: turn.moves.iter().map(|one| Step::of(one, fit, numbers, &inputs)).collect(),
        };
        let turns = sliced.turns.entries().map(turn).collect();
        Some(Filling { turns, bits: numbers.slots.len() as u32, way: fit.way, sliced })
    }

    /// Fills a table, where moves lead to greater numbers or to smaller ones. Gives how many numbers are known.
    pub fn run(
        &self,
        up: bool,
        table: &mut Table,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<u64, LimitHit> {
        let (mut known, mut done) = (0, 0);
        for mut level in self.levels(up, table) {
            let mut zones: Vec<(usize, Zone)> =
                level.drain(..).map(|zone| (zone, std::mem::take(&mut table.zones[zone]))).collect();
            let fill =
                |(number, zone): &mut (usize, Zone)| Filler::new(self, table, up, *number).zone(zone, limits);
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

    /// The zones in the order in which they can be filled, those together that do not wait for one another.
    fn levels(&self, up: bool, table: &Table) -> Vec<Vec<usize>> {
        let zones = table.zones.len();
        let mut changes: Vec<(usize, usize)> = Vec::new();
        let mut all = false;
        for step in self.turns.iter().flat_map(|turn| &turn.steps) {
            let upper = |bits: u64| (bits >> table.zone_bits()) as usize;
            let computed = |(_, adds): &(Bit, Adds)| if let Adds::Bit(bit) = *adds { upper(bit) } else { 0 };
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

impl Step {
    fn of(one: &Move, fit: &Fit, numbers: &Numbers, inputs: &Inputs) -> Step {
        let mut step =
            Step { when: one.when, to: one.to.index(), sure: Outcome::default(), rest: Vec::new() };
        for (slot, bits) in &one.slots {
            let player = fit.tallies.slots.iter().position(|score| score == slot);
            for (&gate, place) in bits.iter().zip(0..) {
                match (player, gate) {
                    (Some(_), ZERO) => {}
                    (Some(player), ONE) => step.sure.gains[player] += 1 << place,
                    (Some(player), _) => step.rest.push((gate, Adds::Gain(player, 1 << place))),
                    (None, _) => {
                        let Some(&input) = inputs.get(&(*slot, place)) else { continue };
                        debug_assert_eq!(numbers.slots[input as usize], (*slot, place));
                        match gate {
                            ZERO => step.sure.clear |= 1 << input,
                            ONE => step.sure.set |= 1 << input,
                            _ if gate == Sliced::input(input) => {}
                            _ => step.rest.push((gate, Adds::Bit(1 << input))),
                        }
                    }
                }
            }
        }
        step
    }
}

/// A move to a number of the same block: of which numbers, by which bits, to which control.
struct Inner {
    mask: u64,
    to: usize,
    outcome: Outcome,
}

/// What fills a zone.
struct Filler<'f> {
    filling: &'f Filling,
    table: &'f Table,
    up: bool,
    zone: usize,
    /// What is found of a block, by control, and moves within it.
    found: Vec<Block>,
    inner: Vec<Vec<Inner>>,
}

/// A bit of each number of a block as a byte of ones.
fn bytes(mask: u64) -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    for (eight, byte) in bytes.chunks_exact_mut(8).zip(mask.to_le_bytes()) {
        // Each of eight copies of the byte keeps a bit of its own, and carries it up to the highest one.
        let own = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let high = (own + 0x0040_6070_787c_7e7f) & 0x8080_8080_8080_8080;
        let ones = (high >> 7).wrapping_mul(0xff);
        eight.copy_from_slice(&ones.to_le_bytes());
    }
    bytes
}

impl<'f> Filler<'f> {
    fn new(filling: &'f Filling, table: &'f Table, up: bool, zone: usize) -> Filler<'f> {
        let found = vec![Block::of(EVEN, UNKNOWN); table.controls()];
        let inner = (0..table.controls()).map(|_| Vec::new()).collect();
        Filler { filling, table, up, zone, found, inner }
    }

    /// Fills the zone. Gives how many numbers are known.
    fn zone(&mut self, own: &mut Zone, limits: &Limits) -> Result<u64, LimitHit> {
        let program = &self.filling.sliced.program;
        let mut room = program.room();
        let mut known = 0;
        let numbers = self.table.numbers(self.zone);
        let stretches = (numbers.end - numbers.start) >> STRETCH_BITS;
        let valid = match self.filling.bits {
            bits @ 0..BLOCK_BITS => (1 << (1 << bits)) - 1,
            _ => u64::MAX,
        };
        for i in 0..stretches {
            let stretch = if self.up { stretches - 1 - i } else { i };
            let from = numbers.start + (stretch << STRETCH_BITS);
            if (i << STRETCH_BITS).is_multiple_of(GLANCE)
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
            for part in 0..WORDS {
                let part = if self.up { WORDS - 1 - part } else { part };
                let from = from + (part * BLOCK) as u64;
                if from >> self.filling.bits == 0 {
                    known += self.block(own, &room, part, (from, valid));
                }
            }
        }
        Ok(known)
    }

    /// Fills the blocks of all controls that begin with a number. How many of the numbers there are known.
    fn block(&mut self, own: &mut Zone, room: &[Lanes], part: usize, (from, valid): (u64, u64)) -> u64 {
        let filling = self.filling;
        let mut any = false;
        for (control, turn) in filling.turns.iter().enumerate() {
            let word = |bit: Bit| room[bit as usize][part];
            let (over, fault) = (word(turn.over), word(turn.fault));
            let open = valid & !over & !fault;
            self.found[control] = Block::of(if turn.first { 0 } else { u8::MAX }, 0);
            self.inner[control].clear();
            let mut some = 0;
            for step in &turn.steps {
                let mask = word(step.when) & open;
                if mask != 0 {
                    some |= mask;
                    self.parted(own, (control, turn.first, from), step, room, part, mask);
                }
            }
            // Where the game is over nothing is to come, and where nobody can move nothing is known.
            let (over, unknown) = (bytes(over), bytes(open & !some | fault));
            let Block { difference, most } = &mut self.found[control];
            for i in 0..BLOCK {
                difference[i] = difference[i] & !over[i] | EVEN & over[i];
            }
            for most in most {
                for i in 0..BLOCK {
                    most[i] = most[i] & !over[i] | unknown[i];
                }
            }
            any |= !self.inner[control].is_empty();
        }
        if any {
            self.settle();
        }
        let mut known = 0;
        for (control, found) in self.found.iter().enumerate() {
            known += u64::from((found.known() & valid).count_ones());
            *own.block_mut(self.table.place(control, from).1) = *found;
        }
        known
    }

    /// Takes in a move of some numbers of a block, by what it comes to.
    fn parted(
        &mut self,
        own: &Zone,
        at: (usize, bool, u64),
        step: &Step,
        room: &[Lanes],
        part: usize,
        mask: u64,
    ) {
        if step.rest.is_empty() {
            return self.take(own, at, step.to, mask, step.sure);
        }
        // The parts still to be parted: their numbers, what is known of their outcomes, by how many gates.
        let mut open: SmallVec<[_; 8]> = smallvec![(mask, step.sure, 0)];
        while let Some((mask, mut outcome, mut asked)) = open.pop() {
            while let Some(&(gate, adds)) = step.rest.get(asked) {
                asked += 1;
                let word = room[gate as usize][part];
                let (yes, no) = (mask & word, mask & !word);
                if yes != 0 && no != 0 {
                    // Asked again of each of the two.
                    open.push((no, outcome, asked - 1));
                    open.push((yes, outcome, asked - 1));
                    asked = usize::MAX;
                    break;
                }
                match adds {
                    Adds::Gain(player, n) => outcome.gains[player] += if yes != 0 { n } else { 0 },
                    Adds::Bit(bit) if yes != 0 => outcome.set |= bit,
                    Adds::Bit(bit) => outcome.clear |= bit,
                }
            }
            if asked != usize::MAX {
                self.take(own, at, step.to, mask, outcome);
            }
        }
    }

    /// Takes in a move of some numbers of a block that comes to the same for all of them.
    fn take(
        &mut self,
        own: &Zone,
        (control, first, from): (usize, bool, u64),
        to: usize,
        mask: u64,
        outcome: Outcome,
    ) {
        let lower = BLOCK as u64 - 1;
        let there = (from & !outcome.clear | outcome.set) & !lower;
        if there == from {
            return self.inner[control].push(Inner { mask, to, outcome });
        }
        let (zone, place) = self.table.place(to, there);
        let child = match (there > from) == self.up {
            false => None,
            true if zone == self.zone => Some(own.block(place)),
            true => Some(self.table.zones[zone].block(place)),
        };
        let found = &mut self.found[control];
        let adds = Adding::of(&outcome, self.filling.way);
        match child {
            None => {
                let mask = bytes(mask);
                (0..BLOCK).for_each(|i| found.most[0][i] |= mask[i]);
            }
            Some(child) if (outcome.set | outcome.clear) & lower == 0 => {
                adds.take_in(found, child, &bytes(mask), first);
            }
            Some(child) => each_bit(mask, |i| {
                adds.take_one(found, i, child.get_raw(outcome.within(i)), first);
            }),
        }
    }

    /// Takes in the moves within blocks, in order.
    fn settle(&mut self) {
        let adding = |one: &Inner| Adding::of(&one.outcome, self.filling.way);
        // The moves of each number, a bit each: to ask each move of each number is to guess wrong half the time.
        let row = |some: &[Inner]| {
            let mut row = [0u64; BLOCK];
            for (n, one) in some.iter().enumerate() {
                each_bit(one.mask, |i| row[i] |= 1 << n);
            }
            (some.iter().map(adding).collect(), row)
        };
        let rows = |inner: &Vec<Inner>| inner.chunks(u64::BITS as usize).map(row).collect();
        let rows: Vec<Vec<(Vec<Adding>, [u64; BLOCK])>> = self.inner.iter().map(rows).collect();
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
                            adds[n].take_one(&mut self.found[control], i, child, first);
                        } else {
                            self.found[control].most[0][i] = UNKNOWN;
                        }
                    });
                }
            }
        }
    }
}

impl Outcome {
    /// Where in its block a number comes.
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

/// What a move adds.
#[derive(Clone, Copy)]
struct Adding {
    difference: u8,
    most: [u8; 2],
}

impl Adding {
    fn of(outcome: &Outcome, way: i64) -> Adding {
        let [a, b] = outcome.gains.map(|gain| gain as i64);
        // Where more is scored than a byte tells, nothing is known, and the difference does not count.
        Adding { difference: (way * (a - b)) as u8, most: [a, b].map(|gain| gain.min(255) as u8) }
    }

    /// Takes in what a move of all these numbers leads to.
    #[inline]
    fn take_in(&self, found: &mut Block, child: &Block, mask: &[u8; BLOCK], first: bool) {
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

    /// The same for one number.
    #[inline]
    fn take_one(&self, found: &mut Block, i: usize, (difference, most): (u8, [u8; 2]), first: bool) {
        let difference = difference.wrapping_add(self.difference);
        let held = &mut found.difference[i];
        *held = if first { difference.max(*held) } else { difference.min(*held) };
        for (held, (most, adds)) in found.most.iter_mut().zip(most.into_iter().zip(self.most)) {
            held[i] = most.saturating_add(adds).max(held[i]);
        }
    }
}
