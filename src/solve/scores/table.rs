//! The table of what is still to be scored: three bytes a number, in blocks of 64 numbers, and blocks in zones.
//!
//! *Invariant:* a zone has the numbers whose upper bits are its own, of all controls. What is not known is marked by a
//! most that no player may score, so that the greatest of several is marked if one of them is.

use std::ops::Range;

/// How many numbers a block has.
pub(super) const BLOCK: usize = 1 << BLOCK_BITS;
pub(super) const BLOCK_BITS: u32 = 6;
/// So many blocks at least a zone has of a control.
pub(super) const STRETCH_BITS: u32 = BLOCK_BITS + 2;
/// A table has at most two to this power of zones.
const ZONE_BITS: u32 = 8;
/// The zones have at least two to this power of numbers, if there are several.
const LEAST_ZONE_BITS: u32 = 12;
/// What stands for a difference of 0.
pub(super) const EVEN: u8 = 1 << 7;
/// More than any player may score: what is still to come is not known.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// What is still to come from a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rest {
    /// By how much the first player does better than the second, at most `most`.
    pub difference: i8,
    /// The most that each may score.
    pub most: [u8; 2],
}

/// The numbers of a block: by how much more than [`EVEN`] the difference is, and the most that each may score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub difference: [u8; BLOCK],
    pub most: [[u8; BLOCK]; 2],
}

impl Block {
    /// The same of all numbers.
    pub fn of(difference: u8, most: u8) -> Block {
        Block { difference: [difference; BLOCK], most: [[most; BLOCK]; 2] }
    }

    /// What is known of a number; none where nothing is.
    pub fn get(&self, i: usize) -> Option<Rest> {
        let most = self.most.map(|most| most[i]);
        let known = most.iter().all(|&most| most < EVEN);
        known.then(|| Rest { difference: (self.difference[i] ^ EVEN) as i8, most })
    }

    /// What is kept of a number.
    #[inline]
    pub fn get_raw(&self, i: usize) -> (u8, [u8; 2]) {
        (self.difference[i], [self.most[0][i], self.most[1][i]])
    }

    pub fn set(&mut self, i: usize, rest: Option<Rest>) {
        self.difference[i] = rest.map_or(EVEN, |rest| rest.difference as u8 ^ EVEN);
        for player in 0..2 {
            self.most[player][i] = rest.map_or(UNKNOWN, |rest| rest.most[player]);
        }
    }

    /// Those that are known, a bit each.
    pub fn known(&self) -> u64 {
        let [a, b] = &self.most;
        (0..BLOCK).fold(0, |known, i| known | u64::from((a[i] | b[i]) < EVEN) << i)
    }
}

/// The blocks of a zone: those of all controls next to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Zone(Vec<Block>);

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    controls: usize,
    /// The bits of a number, and those that tell a number within a zone.
    bits: u32,
    zone_bits: u32,
    pub zones: Vec<Zone>,
}

impl Table {
    /// Nothing is known of so many bits for so many controls.
    pub fn new(bits: u32, controls: usize) -> Table {
        let (bits, zone_bits) = Table::bits(bits);
        let blocks = controls << (zone_bits - BLOCK_BITS);
        let zone = Zone(vec![Block::of(EVEN, UNKNOWN); blocks]);
        Table { controls, bits, zone_bits, zones: vec![zone; 1 << (bits - zone_bits)] }
    }

    /// The bits of a number, and those within a zone.
    fn bits(bits: u32) -> (u32, u32) {
        let bits = bits.max(STRETCH_BITS);
        (bits, bits.saturating_sub(ZONE_BITS).max(LEAST_ZONE_BITS).min(bits))
    }

    /// The bytes that it would hold.
    pub fn bytes(bits: u32, controls: usize) -> u64 {
        ((controls * size_of::<Block>()) as u64) << (Table::bits(bits).0 - BLOCK_BITS)
    }

    pub fn held_bytes(&self) -> u64 {
        Table::bytes(self.bits, self.controls)
    }

    pub fn controls(&self) -> usize {
        self.controls
    }

    /// The bits that tell a number within a zone.
    pub fn zone_bits(&self) -> u32 {
        self.zone_bits
    }

    /// The numbers of a zone.
    pub fn numbers(&self, zone: usize) -> Range<u64> {
        (zone as u64) << self.zone_bits..(zone as u64 + 1) << self.zone_bits
    }

    /// The zone of a number, and the place of its block there.
    #[inline]
    pub fn place(&self, control: usize, number: u64) -> (usize, usize) {
        let block = (number & ((1 << self.zone_bits) - 1)) >> BLOCK_BITS;
        ((number >> self.zone_bits) as usize, block as usize * self.controls + control)
    }

    /// What is known of a number.
    pub fn get(&self, control: usize, number: u64) -> Option<Rest> {
        let (zone, block) = self.place(control, number);
        self.zones[zone].block(block).get(number as usize % BLOCK)
    }

    pub fn set(&mut self, control: usize, number: u64, rest: Option<Rest>) {
        let (zone, block) = self.place(control, number);
        self.zones[zone].block_mut(block).set(number as usize % BLOCK, rest);
    }
}

impl Zone {
    #[inline]
    pub fn block(&self, place: usize) -> &Block {
        &self.0[place]
    }

    #[inline]
    pub fn block_mut(&mut self, place: usize) -> &mut Block {
        &mut self.0[place]
    }
}
