//! Abstractions of a grounded game: the values of each fluent are merged into blocks (domain abstraction).
//!
//! A position of the abstraction has a block for each fluent. A move may be made there if it is legal for some values
//! of the blocks, and leads to every block that the new values may have. So each play of the game is a play of the
//! abstraction, whatever the blocks are: distances in the abstraction are lower bounds by construction. With a block
//! for each value, the abstraction is the game itself.
//! Source: Culberson and Schaeffer (1998) for pattern databases; Hernádvölgyi and Holte (2000) for domain abstraction.

use bouton_grounding::{Values, value_numbers};

/// The block of a value that the fluent never has.
const NO_BLOCK: u8 = u8::MAX;

/// A partition of the possible values of each fluent into blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The values in each block, by fluent.
    pub sets: Vec<Vec<Values>>,
}

impl Partition {
    /// Makes the partition in which each possible value is a block.
    pub fn identity(possible: &[Values]) -> Partition {
        let singletons = |values: &Values| value_numbers(*values).map(|value| 1 << value).collect();
        Partition { sets: possible.iter().map(singletons).collect() }
    }
}

/// The place of a fluent's block in the words of a position.
#[derive(Clone, Copy, Debug)]
struct Place {
    fluent: u32,
    word: u32,
    shift: u32,
    mask: u64,
}

/// The layout of positions of an abstraction in words. Fluents with one block take no bits.
#[derive(Clone, Debug)]
pub struct Layout {
    places: Vec<Place>,
    /// The index of the place of each fluent; `None` for a fluent with one block.
    place_of: Vec<Option<u32>>,
    /// The block of each value, by fluent.
    block_of: Vec<Vec<u8>>,
    /// The first value of each block, by fluent.
    first_values: Vec<Vec<u8>>,
    width: usize,
}

impl Layout {
    /// Lays out the positions of an abstraction.
    pub fn new(partition: &Partition) -> Layout {
        let mut layout = Layout {
            places: Vec::new(),
            place_of: Vec::new(),
            block_of: Vec::new(),
            first_values: Vec::new(),
            width: 1,
        };
        let (mut word, mut shift) = (0, 0);
        for (fluent, sets) in partition.sets.iter().enumerate() {
            let mut block_of = vec![NO_BLOCK; Values::BITS as usize];
            for (block, set) in sets.iter().enumerate() {
                value_numbers(*set).for_each(|value| block_of[value as usize] = block as u8);
            }
            layout.block_of.push(block_of);
            layout.first_values.push(sets.iter().map(|set| set.trailing_zeros() as u8).collect());
            if sets.len() <= 1 {
                layout.place_of.push(None);
                continue;
            }
            let bits = usize::BITS - (sets.len() - 1).leading_zeros();
            if shift + bits > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            layout.place_of.push(Some(layout.places.len() as u32));
            layout.places.push(Place { fluent: fluent as u32, word, shift, mask: (1 << bits) - 1 });
            shift += bits;
        }
        layout.width = word as usize + 1;
        layout
    }

    /// Returns the number of words of a position.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Iterates over the fluents with several blocks, each with its block in a position.
    pub fn blocks<'k>(&'k self, key: &'k [u64]) -> impl Iterator<Item = (usize, usize)> + 'k {
        let block = |place: &Place| (key[place.word as usize] >> place.shift & place.mask) as usize;
        self.places.iter().map(move |place| (place.fluent as usize, block(place)))
    }

    /// Replaces the block of a fluent that has several.
    pub fn set_block(&self, key: &mut [u64], fluent: usize, block: u8) {
        if let Some(place) = self.place_of[fluent].map(|place| self.places[place as usize]) {
            let word = &mut key[place.word as usize];
            *word = *word & !(place.mask << place.shift) | u64::from(block) << place.shift;
        }
    }

    /// Returns the position that holds these values of all fluents.
    pub fn key_of_values(&self, values: &[u8]) -> Vec<u64> {
        let mut key = vec![0; self.width];
        for place in &self.places {
            let fluent = place.fluent as usize;
            let block = self.block_of[fluent][usize::from(values[fluent])];
            key[place.word as usize] |= u64::from(block) << place.shift;
        }
        key
    }

    /// Returns a value of each fluent that a position allows: its value if each block is a value.
    pub fn values(&self, key: &[u64]) -> Vec<u8> {
        let first = |of: &Vec<u8>| of.first().copied().unwrap_or(0);
        let mut values: Vec<u8> = self.first_values.iter().map(first).collect();
        for (fluent, block) in self.blocks(key) {
            values[fluent] = self.first_values[fluent][block];
        }
        values
    }
}

/// A map of positions of one abstraction to those of a coarser one.
#[derive(Clone, Debug)]
pub struct Projection {
    steps: Vec<ProjectionStep>,
    width: usize,
}

/// The part of a projection for one fluent.
#[derive(Clone, Debug)]
struct ProjectionStep {
    from: Place,
    /// The word of the coarser position, and the shifted bits there, by block of the finer one.
    word: u32,
    bits: Vec<u64>,
}

impl Projection {
    /// Makes the map from the positions of one layout to those of a coarser one.
    pub fn new(fine: &Layout, coarse: &Layout) -> Projection {
        let step = |from: &Place| {
            let fluent = from.fluent as usize;
            let to = coarse.places[coarse.place_of[fluent]? as usize];
            let bits = |value: &u8| u64::from(coarse.block_of[fluent][usize::from(*value)]) << to.shift;
            let bits = fine.first_values[fluent].iter().map(bits).collect();
            Some(ProjectionStep { from: *from, word: to.word, bits })
        };
        Projection { steps: fine.places.iter().filter_map(step).collect(), width: coarse.width }
    }

    /// Writes the coarser position of a position.
    pub fn apply(&self, key: &[u64], coarse: &mut Vec<u64>) {
        coarse.clear();
        coarse.resize(self.width, 0);
        for ProjectionStep { from, word, bits } in &self.steps {
            let block = (key[from.word as usize] >> from.shift & from.mask) as usize;
            coarse[*word as usize] |= bits[block];
        }
    }
}
