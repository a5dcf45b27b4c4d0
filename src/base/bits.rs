//! Bit sets of fixed length, stored as 64-bit words.

use std::fmt;

use smallvec::{SmallVec, smallvec};

/// A set of positions below a fixed length.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitSet {
    len: u32,
    words: SmallVec<[u64; 1]>,
}

/// The number of words that hold `bits` bits.
pub fn words_for(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

impl BitSet {
    /// The empty set of length `len`.
    pub fn empty(len: u32) -> BitSet {
        BitSet { len, words: smallvec![0; words_for(len)] }
    }

    /// The set of all positions below `len`.
    pub fn full(len: u32) -> BitSet {
        let mut set = BitSet { len, words: smallvec![!0; words_for(len)] };
        set.trim();
        set
    }

    /// The set with these words, lowest first, cut off at `len`.
    pub fn from_words(len: u32, words: &[u64]) -> BitSet {
        let mut set = BitSet::empty(len);
        for (to, from) in set.words.iter_mut().zip(words) {
            *to = *from;
        }
        set.trim();
        set
    }

    /// The set of these positions, all below `len`.
    pub fn of(len: u32, positions: impl IntoIterator<Item = u32>) -> BitSet {
        let mut set = BitSet::empty(len);
        for position in positions {
            set.insert(position);
        }
        set
    }

    /// The length: the number of positions, in the set or not.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// The words, lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns true if the position is in the set; false past the end.
    pub fn contains(&self, position: u32) -> bool {
        position < self.len && self.words[position as usize / 64] >> (position % 64) & 1 == 1
    }

    /// Adds a position. It must be below the length.
    pub fn insert(&mut self, position: u32) {
        assert!(position < self.len, "position {position} of {}", self.len);
        self.words[position as usize / 64] |= 1 << (position % 64);
    }

    /// Returns true if no position is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns true if all positions are in the set.
    pub fn is_full(&self) -> bool {
        self.count() == self.len
    }

    /// The number of positions in the set.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The least position in the set.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// The positions in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(i as u32 * 64 + bit)
            })
        })
    }

    /// Returns true if every position of this set is in the other.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Combines two sets of one length word by word.
    pub fn zip(&self, other: &BitSet, combine: impl Fn(u64, u64) -> u64) -> BitSet {
        assert_eq!(self.len, other.len, "sets of one length");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        let mut set = BitSet { len: self.len, words };
        set.trim();
        set
    }

    /// The intersection.
    pub fn and(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & b)
    }

    /// The union.
    pub fn or(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a | b)
    }

    /// The difference: the positions of this set that are not in the other.
    pub fn minus(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & !b)
    }

    /// The complement.
    pub fn not(&self) -> BitSet {
        BitSet::full(self.len).minus(self)
    }

    /// Moves every position up by `by` (down if negative); positions that leave the range are dropped.
    pub fn shift(&self, by: i32) -> BitSet {
        let (far, near) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
        let word = |i: Option<usize>| i.and_then(|i| self.words.get(i)).copied().unwrap_or(0);
        // The word that gives most of the bits, and the one beyond it that gives the rest.
        let moved = |i: usize| {
            let (main, beyond) = if by < 0 {
                (word(i.checked_add(far)), word(i.checked_add(far + 1)))
            } else {
                (word(i.checked_sub(far)), word(i.checked_sub(far + 1)))
            };
            match (near, by < 0) {
                (0, _) => main,
                (_, true) => main >> near | beyond << (64 - near),
                (_, false) => main << near | beyond >> (64 - near),
            }
        };
        let mut set = BitSet { len: self.len, words: (0..self.words.len()).map(moved).collect() };
        set.trim();
        set
    }

    /// The same positions with another length; drops the positions past it.
    pub fn resize(&self, len: u32) -> BitSet {
        BitSet::from_words(len, &self.words)
    }

    fn trim(&mut self) {
        if !self.len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

/// Prints hexadecimal digits, the highest word first, like a number.
impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x")?;
        let mut words = self.words.iter().rev().skip_while(|&&word| word == 0);
        match words.next() {
            None => write!(f, "0"),
            Some(top) => {
                write!(f, "{top:x}")?;
                words.try_for_each(|word| write!(f, "_{word:016x}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_move_across_words_and_are_cut_off() {
        let set = BitSet::of(70, [0, 63, 69]);
        assert_eq!(set.shift(1), BitSet::of(70, [1, 64]));
        assert_eq!(set.shift(-1), BitSet::of(70, [62, 68]));
        for by in -140..140 {
            let moved = set.iter().map(|p| p as i32 + by).filter(|p| (0..70).contains(p));
            assert_eq!(set.shift(by), BitSet::of(70, moved.map(|p| p as u32)), "{by}");
        }
        assert_eq!(set.not().count(), 67);
        assert_eq!(set.resize(64), BitSet::of(64, [0, 63]));
        assert_eq!(format!("{set:?}"), "0x20_8000000000000001");
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 69]);
    }
}
