//! Symmetry reduction: canonicalizes a position to the least of its images under a group of permutations of its bits.
//!
//! Technique: tables, one for each byte of the position that play can change, give the parts of an image; the bytes
//! that come first in the order, such as the men of one player, mostly decide the comparison, so the rest is skipped.
//! Cost: for each element of the group, one lookup for each such byte that is compared, in a table of 256 entries.
//! *Invariant:* the permutations form a group, so all images of a position have the same least one.

use std::ops::Range;

use super::State;
use super::compiled::circuit_part;

/// The permutations of a group, without the identity.
#[derive(Clone, Debug)]
pub struct Canonicalizer {
    /// The number of words of the circuit's part of a position.
    words: usize,
    /// The bytes that some permutation moves, by the number of their first bit, in the order of comparison: words from
    /// the first, in each word from the upper end.
    bytes: Vec<u32>,
    /// The number of bytes at the start of `bytes` whose bits only change places with each other.
    leading: usize,
    /// The bits of these leading bytes, by word.
    lead: Vec<u64>,
    /// The bits that all permutations fix, by word.
    staying: Vec<u64>,
    /// For each permutation, each byte and each of its values, the image.
    images: Vec<u64>,
    order: usize,
}

impl Canonicalizer {
    /// Creates the group of these permutations (the target of each bit), the identity excluded, on `words` words.
    pub fn new(words: usize, renamings: &[Vec<u32>]) -> Canonicalizer {
        let bits = 64 * words as u32;
        let stays = |bit: u32| renamings.iter().all(|to| to[bit as usize] == bit);
        let mut bytes: Vec<u32> =
            (0..bits).step_by(8).filter(|&first| !(first..first + 8).all(stays)).collect();
        let moved = |bit: u32| bytes.binary_search(&(bit / 8 * 8)).is_ok();
        let staying = (0..words as u32)
            .map(|word| (0..64).filter(|bit| !moved(64 * word + bit)).fold(0, |all, bit| all | 1 << bit));
        let staying = staying.collect();
        bytes.sort_by_key(|byte| (byte / 64, std::cmp::Reverse(*byte)));
        let keep_to = |some: &[u32]| {
            let inside = |to: &Vec<u32>, bit: u32| some.contains(&(to[bit as usize] / 8 * 8));
            let all = |&first: &u32| (first..first + 8).all(|bit| renamings.iter().all(|to| inside(to, bit)));
            some.iter().all(all)
        };
        let leading = (1..bytes.len()).find(|&n| keep_to(&bytes[..n])).unwrap_or(bytes.len());
        let mut lead = vec![0; words];
        bytes[..leading].iter().for_each(|first| lead[(first / 64) as usize] |= 0xff << (first % 64));
        let mut images = Vec::with_capacity(renamings.len() * bytes.len() * 256 * words);
        for to in renamings {
            for &first in &bytes {
                for value in 0..256u32 {
                    let mut image = vec![0u64; words];
                    for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                        let to = to[(first + bit) as usize];
                        image[(to / 64) as usize] |= 1 << (to % 64);
                    }
                    images.extend(image);
                }
            }
        }
        Canonicalizer { words, bytes, leading, lead, staying, images, order: renamings.len() + 1 }
    }

    /// Returns the number of permutations, the identity included.
    pub fn order(&self) -> usize {
        self.order
    }

    pub fn held_bytes(&self) -> u64 {
        8 * self.images.len() as u64
    }

    /// Iterates over the image tables of the permutations.
    fn renamings(&self) -> impl Iterator<Item = &[u64]> {
        self.images.chunks_exact(self.bytes.len().max(1) * 256 * self.words)
    }

    /// Writes the image of a position's words under a permutation.
    #[inline]
    fn image(&self, renaming: &[u64], words: &[u64], image: &mut [u64]) {
        let stay = words.iter().zip(&self.staying).map(|(word, stay)| word & stay);
        image.iter_mut().zip(stay).for_each(|(to, stay)| *to = stay);
        self.add(renaming, words, 0..self.bytes.len(), image);
    }

    /// Adds the images of some bytes.
    #[inline]
    fn add(&self, renaming: &[u64], words: &[u64], bytes: Range<usize>, image: &mut [u64]) {
        let width = words.len();
        let tables = renaming[bytes.start * 256 * width..].chunks_exact(256 * width);
        for (&first, table) in self.bytes[bytes].iter().zip(tables) {
            let value = (words[(first / 64) as usize] >> (first % 64)) as u8;
            let part = &table[usize::from(value) * width..][..width];
            image.iter_mut().zip(part).for_each(|(word, part)| *word |= part);
        }
    }

    /// Iterates over the images of a position's words, except under the identity.
    fn images<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = Vec<u64>> + 'a {
        self.renamings().map(|renaming| {
            let mut image = vec![0; words.len()];
            self.image(renaming, words, &mut image);
            image
        })
    }

    /// Replaces a position's words by its least image.
    pub fn canonicalize_words(&self, words: &mut [u64]) {
        match words {
            [word] => [*word] = self.least_of([*word]),
            [a, b] => [*a, *b] = self.least_of([*a, *b]),
            _ => {
                if let Some(least) = self.images(words).min().filter(|least| least[..] < *words) {
                    words.copy_from_slice(&least);
                }
            }
        }
    }

    /// Returns the least image like [`least`](Self::least), for few words, which stay in registers.
    #[inline]
    fn least_of<const W: usize>(&self, words: [u64; W]) -> [u64; W] {
        let lead: [u64; W] = std::array::from_fn(|i| self.lead[i]);
        let stay: [u64; W] = std::array::from_fn(|i| self.staying[i] & words[i]);
        self.renamings().fold(words, |least, renaming| {
            let mut image = [0; W];
            self.add(renaming, &words, 0..self.leading, &mut image);
            // An image whose leading bytes are greater is greater.
            if image > std::array::from_fn(|i| least[i] & lead[i]) {
                return least;
            }
            (0..W).for_each(|i| image[i] |= stay[i]);
            self.add(renaming, &words, self.leading..self.bytes.len(), &mut image);
            least.min(image)
        })
    }

    /// Returns true if the circuit represents a state, whose last word is the control.
    fn holds(&self, state: &[u64]) -> bool {
        circuit_part(state).is_some() && state.len() == self.words + 1
    }

    /// Replaces a position's words by its image under the first permutation that is not the identity.
    pub fn permute(&self, words: &mut [u64]) {
        match words {
            [word] => [*word] = self.first_image([*word]),
            [a, b] => [*a, *b] = self.first_image([*a, *b]),
            _ => {
                let image = self.images(words).next();
                image.iter().for_each(|image| words.copy_from_slice(image));
            }
        }
    }

    /// Returns the image under the first permutation, for few words, which stay in registers.
    #[inline]
    fn first_image<const W: usize>(&self, words: [u64; W]) -> [u64; W] {
        let mut image = [0; W];
        match self.renamings().next() {
            Some(renaming) => self.image(renaming, &words, &mut image),
            None => image = words,
        }
        image
    }

    /// Returns true if a permutation other than the identity fixes the words of a position.
    pub fn is_symmetric(&self, words: &[u64]) -> bool {
        self.images(words).any(|image| image == words)
    }

    /// Canonicalizes a state, control included. A state that the circuit cannot represent is unchanged.
    pub fn canonicalize(&self, state: &mut [u64]) {
        if self.holds(state) {
            self.canonicalize_words(&mut state[..self.words]);
        }
    }

    /// Returns the number of positions that a state represents.
    pub fn orbit(&self, state: &State) -> u64 {
        if self.holds(&state.0) { self.orbit_of(&state.0[..self.words]) } else { 1 }
    }

    /// Returns the size of the orbit of a position with these words.
    pub fn orbit_of(&self, words: &[u64]) -> u64 {
        let mut image = vec![0; words.len()];
        let fixed = self.renamings().filter(|renaming| {
            self.image(renaming, words, &mut image);
            image == words
        });
        (self.order / (fixed.count() + 1)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four cells in a ring, a bit each, at these places of `words` words.
    fn ring(words: usize, places: [u32; 4]) -> Canonicalizer {
        let turned = |by: usize| {
            let mut to: Vec<u32> = (0..64 * words as u32).collect();
            (0..4).for_each(|i| to[places[i] as usize] = places[(i + by) % 4]);
            to
        };
        Canonicalizer::new(words, &[turned(1), turned(2), turned(3)])
    }

    #[test]
    fn positions_of_one_orbit_have_one_least() {
        for (words, places) in
            [(1, [0, 1, 2, 3]), (1, [5, 17, 40, 63]), (2, [3, 64, 70, 127]), (3, [0, 64, 128, 191])]
        {
            let ring = ring(words, places);
            let least = |cells: u32| {
                let mut state = vec![0; words + 1];
                state[0] |= 1 << 30; // a bit that stays
                (0..4).filter(|i| cells >> i & 1 == 1).for_each(|i| {
                    state[(places[i] / 64) as usize] |= 1 << (places[i] % 64);
                });
                let mut canonical = state.clone();
                ring.canonicalize(&mut canonical);
                assert_eq!(canonical[0] >> 30 & 1, 1);
                (canonical, ring.orbit(&State(state.into())))
            };
            let mut classes = std::collections::BTreeMap::new();
            for cells in 0..16 {
                let (class, size) = least(cells);
                let turned = (cells << 1 | cells >> 3) & 15;
                assert_eq!(least(turned).0, class);
                classes.entry(class).or_insert_with(Vec::new).push(size);
            }
            assert_eq!(classes.len(), 6, "necklaces of four beads in two colours");
            assert!(classes.values().all(|sizes| sizes.iter().all(|&size| size == sizes.len() as u64)));
        }
    }

    #[test]
    fn what_the_circuit_does_not_hold_stands_for_itself() {
        let ring = ring(1, [0, 1, 2, 3]);
        let mut foreign = [8, u64::MAX];
        ring.canonicalize(&mut foreign);
        assert_eq!((foreign, ring.orbit(&State(foreign.into()))), ([8, u64::MAX], 1));
    }
}
