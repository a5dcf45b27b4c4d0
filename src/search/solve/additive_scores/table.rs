//! The table of remaining scores: three bytes an entry, in blocks of 64 indices, and blocks in zones.
//!
//! *Invariant:* a zone holds the indices with the same upper bits, for all controls. An unknown entry is marked by a
//! maximal score that no player can reach, so the maximum over several entries is marked if one of them is.

use std::ops::Range;

/// The number of entries of a block.
pub(super) const BLOCK: usize = 1 << BLOCK_BITS;
pub(super) const BLOCK_BITS: u32 = 6;
/// The number of index bits of a stretch, the smallest zone: four blocks of a control.
pub(super) const MIN_ZONE_BITS: u32 = BLOCK_BITS + 2;
/// The binary logarithm of the maximal number of zones.
const MAX_ZONES_LOG2: u32 = 8;
/// The minimal number of index bits of a zone, if there are several zones.
const PREFERRED_ZONE_BITS: u32 = 12;
/// The stored byte of a difference of 0: differences are biased by it.
pub(super) const DIFFERENCE_BIAS: u8 = 1 << 7;
/// The stored maximal score of an unknown entry; no player can reach it.
pub(super) const UNKNOWN_SCORE: u8 = u8::MAX;

/// The remaining score of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RemainingScore {
    /// The score difference that the first player still gains, at most `most` in absolute value.
    pub difference: i8,
    /// The most that each player can still score on any path.
    pub max_scores: [u8; 2],
}

/// The stored bytes of an entry: the difference, biased by [`DIFFERENCE_BIAS`], and the most that each player can
/// still score.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredScore {
    pub difference: u8,
    pub most: [u8; 2],
}

/// A block of entries in columns: the differences, biased by [`DIFFERENCE_BIAS`], and the most that each player can
/// still score.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoreBlock {
    pub difference: [u8; BLOCK],
    pub most: [[u8; BLOCK]; 2],
}

impl ScoreBlock {
    /// Creates a block of equal entries.
    pub fn of(difference: u8, most: u8) -> ScoreBlock {
        ScoreBlock { difference: [difference; BLOCK], most: [[most; BLOCK]; 2] }
    }

    /// Returns an entry; `None` if it is unknown.
    pub fn get(&self, i: usize) -> Option<RemainingScore> {
        let most = self.most.map(|most| most[i]);
        let known = most.iter().all(|&most| most < DIFFERENCE_BIAS);
        known.then(|| RemainingScore {
            difference: (self.difference[i] ^ DIFFERENCE_BIAS) as i8,
            max_scores: most,
        })
    }

    /// Returns the stored bytes of an entry.
    #[inline]
    pub fn get_raw(&self, i: usize) -> StoredScore {
        StoredScore { difference: self.difference[i], most: [self.most[0][i], self.most[1][i]] }
    }

    pub fn set(&mut self, i: usize, rest: Option<RemainingScore>) {
        self.difference[i] = rest.map_or(DIFFERENCE_BIAS, |rest| rest.difference as u8 ^ DIFFERENCE_BIAS);
        for player in 0..2 {
            self.most[player][i] = rest.map_or(UNKNOWN_SCORE, |rest| rest.max_scores[player]);
        }
    }

    /// Returns the known entries as a bit mask.
    pub fn known(&self) -> u64 {
        let [a, b] = &self.most;
        (0..BLOCK).fold(0, |known, i| known | u64::from((a[i] | b[i]) < DIFFERENCE_BIAS) << i)
    }
}

/// The blocks of a zone, those of all controls next to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoreZone(Vec<ScoreBlock>);

/// A table of remaining scores by control and index.
#[derive(Clone, Debug)]
pub(super) struct ScoreTable {
    controls: usize,
    /// The number of bits of an index, and of those that identify it within its zone.
    bits: u32,
    zone_bits: u32,
    pub zones: Vec<ScoreZone>,
}

impl ScoreTable {
    /// Creates a table of unknown entries for indices of `bits` bits and this number of controls.
    pub fn new(bits: u32, controls: usize) -> ScoreTable {
        let (bits, zone_bits) = ScoreTable::bits(bits);
        let blocks = controls << (zone_bits - BLOCK_BITS);
        let zone = ScoreZone(vec![ScoreBlock::of(DIFFERENCE_BIAS, UNKNOWN_SCORE); blocks]);
        ScoreTable { controls, bits, zone_bits, zones: vec![zone; 1 << (bits - zone_bits)] }
    }

    /// Returns the number of bits of an index, and of those within a zone.
    fn bits(bits: u32) -> (u32, u32) {
        let bits = bits.max(MIN_ZONE_BITS);
        (bits, bits.saturating_sub(MAX_ZONES_LOG2).max(PREFERRED_ZONE_BITS).min(bits))
    }

    /// Returns the size in bytes of a table with these parameters.
    pub fn bytes(bits: u32, controls: usize) -> u64 {
        ((controls * size_of::<ScoreBlock>()) as u64) << (ScoreTable::bits(bits).0 - BLOCK_BITS)
    }

    pub fn held_bytes(&self) -> u64 {
        ScoreTable::bytes(self.bits, self.controls)
    }

    pub fn controls(&self) -> usize {
        self.controls
    }

    /// The number of bits that identify an index within its zone.
    pub fn zone_bits(&self) -> u32 {
        self.zone_bits
    }

    /// Returns the indices of a zone.
    pub fn numbers(&self, zone: usize) -> Range<u64> {
        (zone as u64) << self.zone_bits..(zone as u64 + 1) << self.zone_bits
    }

    /// Returns the zone of an index, and the place of its block there.
    #[inline]
    pub fn place(&self, control: usize, number: u64) -> (usize, usize) {
        let block = (number & ((1 << self.zone_bits) - 1)) >> BLOCK_BITS;
        ((number >> self.zone_bits) as usize, block as usize * self.controls + control)
    }

    /// Returns the remaining score of an index; `None` if it is unknown.
    pub fn get(&self, control: usize, number: u64) -> Option<RemainingScore> {
        let (zone, block) = self.place(control, number);
        self.zones[zone].block(block).get(number as usize % BLOCK)
    }

    pub fn set(&mut self, control: usize, number: u64, rest: Option<RemainingScore>) {
        let (zone, block) = self.place(control, number);
        self.zones[zone].block_mut(block).set(number as usize % BLOCK, rest);
    }
}

impl ScoreZone {
    #[inline]
    pub fn block(&self, place: usize) -> &ScoreBlock {
        &self.0[place]
    }

    #[inline]
    pub fn block_mut(&mut self, place: usize) -> &mut ScoreBlock {
        &mut self.0[place]
    }
}
