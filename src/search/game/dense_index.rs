//! Dense indices of positions (the combinatorial number system), for placement games in which each ply has a fixed
//! number of stones of each kind.
//!
//! Technique: if each move takes one free place for good, and a ply always has the same number of stones of each
//! player, a position is the set of taken places and the subset that the first kind of stones takes. The sets of taken
//! places of a ply are indexed: by the heights of columns if stones fall onto each other, otherwise as combinations.
//! All positions with the same set form a block, in which the combinations of the first kind's stones are indexed. A
//! move inserts one bit into such a combination, at an index that is the same for the whole block: so the index of a
//! successor takes a few table lookups.
//! Source: Lehmer, "Teaching combinatorial tricks to a computer" (1960) for the indices of combinations; Gosper in
//! Beeler, Gosper, Schroeppel, "HAKMEM" (1972), item 175, for the next combination; Gasser, "Harnessing computational
//! resources for efficient exhaustive search" (1995) for positions by sets of stones.
//! Cost: a few lookups for a position and a move, in tables of some hundred kilobytes; preparing a block takes as many
//! steps as it has moves, and 256 for each eight stones.
//! *Invariant:* the positions of a ply correspond one to one to the indices below its [`size`](DenseIndex::size). Not
//! all of them are reachable.
//! Not taken: symmetry reduction, since representatives have no dense indices.

use smallvec::SmallVec;

use bouton_circuit::placement::PlacementGame;
use bouton_circuit::{Circuit, ControlId, Position, Stacking};

/// The number of stones that one table lookup covers.
const STONES_PER_LOOKUP: u32 = 8;
/// The entry of a place that cannot be taken next.
const NO_INDEX: u64 = u64::MAX;

/// The dense indices of the positions reachable from one position.
#[derive(Clone, Debug)]
pub struct DenseIndex {
    /// The word and the lowest bit of the stones of each kind. One kind or two.
    parts: SmallVec<[(usize, u32); 2]>,
    /// The start position.
    begin: Position,
    /// All places, as bits from the lowest of each kind; and the places taken at the start.
    places: u64,
    begun: u64,
    taken: PlaceSets,
    plies: Vec<PlyInfo>,
    /// `binomials[n][k]`, saturating at the largest number.
    binomials: Vec<Vec<u64>>,
    /// For each eight stones, the number of stones of the first kind below, and the subset of the eight that is of that
    /// kind: the lower 32 bits are the subset's contribution to the index of the combination, the bits above are its
    /// size.
    combinations: Vec<u64>,
    /// The first entry of each eight stones in `combinations`.
    chunks: Vec<usize>,
}

/// The common properties of all positions of a ply.
#[derive(Clone, Copy, Debug)]
struct PlyInfo {
    control: ControlId,
    /// The number of stones of the first kind that were put since the start.
    first: u32,
    /// The number of positions with the same taken places, and the number of such sets; 0 if they are too many.
    block: u64,
    blocks: u64,
}

/// The indices of sets of taken places.
#[derive(Clone, Debug)]
enum PlaceSets {
    /// The places of each column, in the order in which they are taken; and the number of ways in which a given number
    /// of stones lies in the columns from each one on.
    Columns { columns: Vec<Vec<u32>>, ways: Vec<Vec<u64>> },
    /// Any subset of these places.
    Any(Vec<u32>),
}

fn binomials(most: usize) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = vec![vec![1]];
    for n in 1..=most {
        let above = &all[n - 1];
        let of = |k: usize| above.get(k).copied().unwrap_or(0);
        all.push((0..=n).map(|k| of(k).saturating_add(if k > 0 { of(k - 1) } else { 0 })).collect());
    }
    all
}

/// Returns the number of combinations of `k` out of `n`.
fn choose(binomials: &[Vec<u64>], n: usize, k: usize) -> u64 {
    binomials[n].get(k).copied().unwrap_or(0)
}

/// Iterates over the bits of a set, from the lowest.
fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        (set != 0).then(|| {
            set &= set - 1;
            lowest
        })
    })
}

impl PlaceSets {
    /// Returns the indices of sets of the places that are free at the start.
    fn of(pile: Option<&Stacking>, places: u64) -> PlaceSets {
        if let Some(columns) = pile.and_then(|pile| columns(pile, places)) {
            let all = places.count_ones() as usize;
            // From the last column on: the stones in it, and those in the columns after it.
            let mut ways = vec![vec![0; all + 1]; columns.len() + 1];
            ways[columns.len()][0] = 1;
            for (c, column) in columns.iter().enumerate().rev() {
                for stones in 0..=all {
                    let here = 0..=column.len().min(stones);
                    ways[c][stones] = here.fold(0u64, |sum, n| sum.saturating_add(ways[c + 1][stones - n]));
                }
            }
            return PlaceSets::Columns { columns, ways };
        }
        PlaceSets::Any(bits(places).collect())
    }

    /// Returns the number of sets of `stones` places.
    fn count(&self, binomials: &[Vec<u64>], stones: usize) -> u64 {
        match self {
            PlaceSets::Columns { ways, .. } => ways[0][stones],
            PlaceSets::Any(places) => choose(binomials, places.len(), stones),
        }
    }

    /// Returns the index of a set among those with as many places; `None` if the set cannot occur.
    fn index(&self, binomials: &[Vec<u64>], set: u64) -> Option<u64> {
        let mut left = set.count_ones() as usize;
        match self {
            PlaceSets::Columns { columns, ways } => {
                let mut index = 0;
                for (c, column) in columns.iter().enumerate() {
                    let height = column.iter().take_while(|&&place| set >> place & 1 != 0).count();
                    let all = column.iter().filter(|&&place| set >> place & 1 != 0).count();
                    if height < all || all > left {
                        return None;
                    }
                    index += (0..height).map(|n| ways[c + 1][left - n]).sum::<u64>();
                    left -= height;
                }
                (left == 0).then_some(index)
            }
            PlaceSets::Any(places) => {
                let (mut index, mut seen) = (0, 0);
                for (i, &place) in places.iter().enumerate() {
                    if set >> place & 1 != 0 {
                        seen += 1;
                        index += choose(binomials, i, seen);
                    }
                }
                (seen == left).then_some(index)
            }
        }
    }

    /// Returns the set of `stones` places with this index.
    fn set(&self, binomials: &[Vec<u64>], stones: usize, mut index: u64) -> u64 {
        match self {
            PlaceSets::Columns { columns, ways } => {
                let (mut set, mut left) = (0, stones);
                for (c, column) in columns.iter().enumerate() {
                    let mut height = 0;
                    while index >= ways[c + 1][left - height] {
                        index -= ways[c + 1][left - height];
                        height += 1;
                    }
                    column[..height].iter().for_each(|&place| set |= 1 << place);
                    left -= height;
                }
                set
            }
            PlaceSets::Any(places) => bits(combination(binomials, places.len(), stones, index))
                .fold(0, |set, i| set | 1 << places[i as usize]),
        }
    }
}

/// Returns the free places of a pile's columns, from the lowest; `None` if there are free places outside the pile.
fn columns(pile: &Stacking, places: u64) -> Option<Vec<Vec<u32>>> {
    let all = *pile.places.words().first()?;
    let next = |place: u32| {
        place.checked_add_signed(pile.step).filter(|&next| next < u64::BITS && all >> next & 1 != 0)
    };
    let before = |place: u32| {
        place
            .checked_add_signed(-pile.step)
            .is_some_and(|before| before < u64::BITS && all >> before & 1 != 0)
    };
    let columns: Vec<Vec<u32>> = bits(all)
        .filter(|&place| !before(place))
        .map(|lowest| {
            std::iter::successors(Some(lowest), |&place| next(place))
                .filter(|&place| places >> place & 1 != 0)
                .collect()
        })
        .filter(|column: &Vec<u32>| !column.is_empty())
        .collect();
    (pile.places.words().len() == 1 && pile.step != 0 && places & !all == 0).then_some(columns)
}

/// Returns the combination of `k` out of `n` with this index.
fn combination(binomials: &[Vec<u64>], n: usize, k: usize, mut index: u64) -> u64 {
    let (mut set, mut k) = (0, k);
    for place in (0..n).rev() {
        if k == 0 {
            break;
        }
        let without = choose(binomials, place, k);
        if index >= without {
            index -= without;
            set |= 1 << place;
            k -= 1;
        }
    }
    set
}

/// Returns a word with the lowest `bits` bits set.
#[inline]
fn lowest(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |next| next - 1)
}

/// Returns the next greater number with as many bits set.
#[inline]
fn next_combination(set: u64) -> u64 {
    let below = set | set.wrapping_sub(1);
    let above = below.wrapping_add(1);
    above | ((!below & above).wrapping_sub(1) >> (set.trailing_zeros() + 1).min(63))
}

impl DenseIndex {
    /// Returns dense indices for the positions reachable from this one; `None` if the circuit is not proved to be such
    /// a placement game.
    pub fn of(circuit: &Circuit, begin: &Position) -> Option<DenseIndex> {
        let filling = PlacementGame::of(circuit).filter(PlacementGame::single_placement)?;
        let slots = filling.slots();
        let &[places] = filling.places() else { return None };
        if slots.len() > 2 || circuit.layout.slots.len() != slots.len() || !circuit.admits(begin) {
            return None;
        }
        let parts: SmallVec<[(usize, u32); 2]> = slots
            .iter()
            .map(|&slot| (circuit.layout.slots[slot].word as usize, circuit.layout.slots[slot].bit))
            .collect();
        let begun = parts.iter().fold(0, |all, &(word, bit)| all | begin.words[word] >> bit & places);
        let free = places & !begun;
        let pile = match &circuit.stackings[..] {
            [pile] if slots.iter().all(|slot| pile.slots.contains(slot)) => Some(pile),
            _ => None,
        };
        let taken = PlaceSets::of(pile, free);
        let all = free.count_ones() as usize;
        let binomials = binomials(all);
        let (mut plies, mut control, mut first) = (Vec::new(), begin.control, 0);
        for stones in 0..=all {
            let block = choose(&binomials, stones, first as usize);
            let blocks = taken.count(&binomials, stones);
            let fits = block <= u64::from(u32::MAX) && block.checked_mul(blocks).is_some();
            let (block, blocks) = if fits { (block, blocks) } else { (0, 0) };
            plies.push(PlyInfo { control, first, block, blocks });
            if stones < all {
                let (slot, to) = filling.uniform_move(circuit, control)?;
                first += u32::from(slot == slots[0]);
                control = to;
            }
        }
        let mut ranking = DenseIndex {
            parts,
            begin: begin.clone(),
            places,
            begun,
            taken,
            plies,
            binomials,
            combinations: Vec::new(),
            chunks: Vec::new(),
        };
        ranking.fill_combinations(all);
        Some(ranking)
    }

    fn fill_combinations(&mut self, all: usize) {
        for begins in (0..all).step_by(STONES_PER_LOOKUP as usize) {
            self.chunks.push(self.combinations.len());
            for below in 0..=begins {
                for some in 0..1u64 << STONES_PER_LOOKUP {
                    let added = bits(some).zip(below + 1..).map(|(at, k)| {
                        self.binomials
                            .get(begins + at as usize)
                            .and_then(|row| row.get(k))
                            .copied()
                            .unwrap_or(0)
                    });
                    // A value that does not fit belongs to no ply that has indices.
                    let added = added.fold(0u64, u64::saturating_add).min(u64::from(u32::MAX));
                    self.combinations.push(added | u64::from(some.count_ones()) << 32);
                }
            }
        }
    }

    /// Returns the number of plies, the start included.
    pub fn plies(&self) -> usize {
        self.plies.len()
    }

    /// Returns the number of indices of a ply; `None` if they are too many.
    pub fn size(&self, ply: usize) -> Option<u64> {
        let PlyInfo { block, blocks, .. } = self.plies.get(ply)?;
        Some(block * blocks).filter(|&size| size > 0)
    }

    /// Returns the control of all positions of a ply.
    pub fn control(&self, ply: usize) -> ControlId {
        self.plies[ply].control
    }

    /// Returns the start position.
    pub fn begin(&self) -> &Position {
        &self.begin
    }

    /// Returns the ply and the index of a position; `None` if it has none.
    pub fn index_of(&self, at: &Position) -> Option<(usize, u64)> {
        let put = |&(word, bit): &(usize, u32)| at.words[word] >> bit & self.places & !self.begun;
        let (first, taken) = (put(&self.parts[0]), self.parts.iter().fold(0, |all, part| all | put(part)));
        let ply = taken.count_ones() as usize;
        let of = self.plies.get(ply).filter(|of| of.control == at.control && of.block > 0)?;
        let mut words = self.begin.words.to_vec();
        self.write(first, taken, &mut words);
        if words != *at.words || first.count_ones() != of.first {
            return None;
        }
        let combination = bits(taken).enumerate().filter(|(_, place)| first >> place & 1 != 0);
        let combination = combination.fold(0, |set, (i, _)| set | 1 << i);
        let block = self.taken.index(&self.binomials, taken)?;
        Some((ply, block * of.block + self.index(combination)))
    }

    /// Adds the stones that were put since the start to words that hold those of the start.
    #[inline]
    fn write(&self, first: u64, taken: u64, words: &mut [u64]) {
        let (word, bit) = self.parts[0];
        words[word] |= first << bit;
        if let Some(&(word, bit)) = self.parts.get(1) {
            words[word] |= (taken & !first) << bit;
        }
    }

    /// Returns the index of a combination.
    #[inline]
    fn index(&self, mut combination: u64) -> u64 {
        let (mut index, mut below, mut chunk) = (0, 0, 0);
        while combination != 0 {
            let entry = self.combinations
                [self.chunks[chunk] + (below << STONES_PER_LOOKUP | combination as usize & 0xff)];
            index += entry & 0xffff_ffff;
            below += (entry >> 32) as usize;
            combination >>= STONES_PER_LOOKUP;
            chunk += 1;
        }
        index
    }

    /// Returns a cursor over the positions of a ply.
    pub fn cursor(&self, ply: usize) -> DenseCursor<'_> {
        let PlyInfo { control, first, block, .. } = self.plies[ply];
        // True if the next stone is of the first kind.
        let next = self.plies.get(ply + 1).is_some_and(|after| after.first > first);
        let words = self.begin.words.to_vec();
        let after = [(NO_INDEX, 0); 64];
        DenseCursor {
            ranking: self,
            ply,
            control,
            block,
            next,
            from: 1,
            to: 0,
            taken: 0,
            stones: Vec::new(),
            after,
            number: 0,
            combination: 0,
            words,
        }
    }
}

/// A cursor over the positions of one ply, fastest in the order of their indices.
#[derive(Debug)]
pub struct DenseCursor<'r> {
    ranking: &'r DenseIndex,
    ply: usize,
    control: ControlId,
    /// The number of positions of a block.
    block: u64,
    /// True if a move puts a stone of the first kind.
    next: bool,
    /// The range of indices of the block; empty at first.
    from: u64,
    to: u64,
    /// The places taken in the block, without those of the start.
    taken: u64,
    /// For each eight stones, and each subset of the first kind among them: the places of that subset.
    stones: Vec<[u64; 1 << STONES_PER_LOOKUP]>,
    /// For each place that may be taken next: the first index of the block after that move, and the number of taken
    /// places below it.
    after: [(u64, u32); 64],
    number: u64,
    combination: u64,
    words: Vec<u64>,
}

impl DenseCursor<'_> {
    /// Moves to an index and returns its position.
    #[inline]
    pub fn at(&mut self, number: u64) -> (ControlId, &[u64]) {
        /// The maximal distance over which the cursor steps through the combinations instead of computing one.
        const MAX_STEPS: u64 = 8;
        if number < self.from || number >= self.to {
            self.enter(number);
        }
        if number > self.number && number - self.number <= MAX_STEPS {
            while self.number < number {
                self.combination = next_combination(self.combination);
                self.number += 1;
            }
        } else if number != self.number {
            let PlyInfo { first, .. } = self.ranking.plies[self.ply];
            self.combination =
                combination(&self.ranking.binomials, self.ply, first as usize, number - self.from);
            self.number = number;
        }
        let (mut first, mut rest) = (0, self.combination);
        for places in &self.stones {
            first |= places[rest as usize & 0xff];
            rest >>= STONES_PER_LOOKUP;
        }
        self.words.copy_from_slice(&self.ranking.begin.words);
        self.ranking.write(first, self.taken, &mut self.words);
        (self.control, &self.words)
    }

    /// Prepares the block that contains an index, and moves to the block's first position.
    #[inline(never)]
    fn enter(&mut self, number: u64) {
        let DenseIndex { taken, binomials, plies, places, begun, .. } = self.ranking;
        let index = number / self.block;
        (self.from, self.to, self.number) =
            (index * self.block, (index + 1) * self.block, index * self.block);
        self.combination = lowest(plies[self.ply].first);
        self.taken = taken.set(binomials, self.ply, index);
        let all: SmallVec<[u32; 64]> = bits(self.taken).collect();
        self.stones.resize(all.len().div_ceil(STONES_PER_LOOKUP as usize), [0; 1 << STONES_PER_LOOKUP]);
        for (stones, places) in self.stones.iter_mut().zip(all.chunks(STONES_PER_LOOKUP as usize)) {
            for some in 1..1usize << places.len() {
                stones[some] = stones[some & (some - 1)] | 1 << places[some.trailing_zeros() as usize];
            }
        }
        let size = plies.get(self.ply + 1).map_or(0, |after| after.block);
        self.after = [(NO_INDEX, 0); 64];
        for place in bits(places & !begun & !self.taken).filter(|_| size > 0) {
            if let Some(index) = taken.index(binomials, self.taken | 1 << place) {
                self.after[place as usize] = (index * size, (self.taken & lowest(place)).count_ones());
            }
        }
    }

    /// Returns the index in the next ply of the position with these words, which a move from this one leads to; `None`
    /// if it has none.
    #[inline]
    pub fn after(&self, words: &[u64]) -> Option<u64> {
        let (word, bit) = self.ranking.parts[0];
        let mut taken = words[word] >> bit;
        if let Some(&(word, bit)) = self.ranking.parts.get(1) {
            taken |= words[word] >> bit;
        }
        let place = (taken & self.ranking.places & !self.ranking.begun ^ self.taken).trailing_zeros();
        let (from, below) = *self.after.get(place as usize)?;
        let low = lowest(below);
        let combination =
            self.combination & low | u64::from(self.next) << below | (self.combination & !low) << 1;
        (from != NO_INDEX).then(|| from + self.ranking.index(combination))
    }
}
