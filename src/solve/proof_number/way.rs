//! The way to the position looked at, and what rests on it, where positions come back.
//!
//! Technique: a move back to a position on the way is worth what play without end is. An answer that this gives rests on
//! that position, and is sound as long as it stands on the way; an answer that rests on nothing before its own position
//! is true of the position however play came there. The others are kept as *twins* beside what is true, each with the
//! number of the beginning of the way that ends with the last position it rests on: so they are found again just where all
//! that they rest on is on the way.
//! Source: Palay, "Searching with probabilities" (1983), and Campbell, "The graph-history interaction: on ignoring position
//! history" (1985), for the problem; Kishimoto and Mueller, "A general solution to the graph history interaction problem"
//! (2004), for twins. They tell ways apart by 64 bits of a hash; here beginnings are told apart by their positions.
//! Cost: a look for each move into a set of the positions on the way, and a name for each beginning that something rests on.
//! Invariant: what a beginning was called is never the name of another one.

use rustc_hash::FxHashMap;

/// About how many bytes an entry takes, besides its words.
const ENTRY: usize = 64;
/// There are fewer numbers of beginnings than this.
const NUMBERS: u32 = (1 << 26) - 1;

/// The positions on the way that an answer rests on: places on the way, of which the first and the last are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rests {
    /// The first of them.
    pub first: u32,
    /// The last of them, or one after it.
    pub last: u32,
}

impl Rests {
    /// On this place alone.
    pub fn on(place: u32) -> Rests {
        Rests { first: place, last: place }
    }

    /// On what is before a place. What rests on the place itself is true there.
    pub fn before(self, place: u32) -> Option<Rests> {
        (self.first < place).then(|| Rests { first: self.first, last: self.last.min(place - 1) })
    }

    /// On what either does.
    pub fn or(self, other: Rests) -> Rests {
        Rests { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// The way to the position looked at.
#[derive(Default)]
pub struct Way {
    places: FxHashMap<Box<[u64]>, u32>,
    /// The positions in their order.
    positions: Vec<Box<[u64]>>,
    /// The numbers of its beginnings, shortest first, as far as they were asked for. Each is greater than the one before.
    numbers: Vec<u32>,
}

/// The beginnings of ways that something rests on.
#[derive(Default)]
pub struct Beginnings {
    /// By the number of the beginning that is one shorter, followed by the last position.
    known: FxHashMap<Box<[u64]>, u32>,
    next: u32,
    /// How many may be known at once.
    most: usize,
    words: usize,
}

impl Way {
    pub fn clear(&mut self) {
        self.places.clear();
        self.positions.clear();
        self.numbers.clear();
    }

    /// How many positions are on the way.
    pub fn len(&self) -> u32 {
        self.positions.len() as u32
    }

    pub fn push(&mut self, at: &[u64]) {
        let place = self.len();
        self.places.insert(at.into(), place);
        self.positions.push(at.into());
    }

    pub fn pop(&mut self) {
        if let Some(at) = self.positions.pop() {
            self.places.remove(&at);
        }
        self.numbers.truncate(self.positions.len());
    }

    /// Where a position stands on the way.
    pub fn place(&self, at: &[u64]) -> Option<u32> {
        self.places.get(at).copied()
    }

    /// The place that the beginning of this number ends with, if the way begins so.
    pub fn ends_at(&self, number: u32) -> Option<u32> {
        self.numbers.binary_search(&number).ok().map(|place| place as u32)
    }

    pub fn held_bytes(&self) -> u64 {
        let words = self.positions.first().map_or(0, |at| 16 * at.len());
        (self.positions.capacity() * (words + ENTRY) + 4 * self.numbers.capacity()) as u64
    }
}

impl Beginnings {
    /// For positions of so many words, in about so many bytes.
    pub fn new(words: usize, bytes: u64) -> Beginnings {
        let most = bytes / (8 * (words as u64 + 1) + ENTRY as u64);
        Beginnings { most: most as usize, words, ..Beginnings::default() }
    }

    /// The number of the beginning that ends at a place of the way; none where numbers or room ran out.
    pub fn number(&mut self, way: &mut Way, place: u32) -> Option<u32> {
        let missing = (place as usize + 1).saturating_sub(way.numbers.len());
        if self.known.len() + missing > self.most {
            // What rests on these is not found again.
            self.known.clear();
            way.numbers.clear();
            if place as usize >= self.most {
                return None;
            }
        }
        while way.numbers.len() <= place as usize {
            let shorter = way.numbers.last().map_or(u64::MAX, |&number| u64::from(number));
            let last = way.positions.get(way.numbers.len())?;
            let beginning: Box<[u64]> = std::iter::once(shorter).chain(last.iter().copied()).collect();
            let next = self.next;
            let number = *self.known.entry(beginning).or_insert(next);
            if number == next {
                self.next = next.checked_add(1).filter(|&next| next < NUMBERS)?;
            }
            way.numbers.push(number);
        }
        way.numbers.get(place as usize).copied()
    }

    pub fn held_bytes(&self) -> u64 {
        (self.known.capacity() * (8 * (self.words + 1) + ENTRY)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(positions: &[u64]) -> Way {
        let mut way = Way::default();
        positions.iter().for_each(|&at| way.push(&[at, 0]));
        way
    }

    #[test]
    fn beginnings_are_known_again_and_their_numbers_are_not_used_twice() {
        let mut all = Beginnings::new(2, 8 * (8 * 3 + 64));
        let mut one = way(&[5, 6, 7]);
        let number = all.number(&mut one, 1).expect("room");
        assert_eq!((one.ends_at(number), one.place(&[6, 0]), one.place(&[9, 0])), (Some(1), Some(1), None));
        one.pop();
        one.push(&[8, 0]);
        assert_eq!(all.number(&mut one, 1), Some(number));
        // Another way has the position at the same place.
        let mut other = way(&[4, 6, 7]);
        assert_ne!(all.number(&mut other, 1), Some(number));
        assert_eq!(other.ends_at(number), None);
        // Where they are too many all are forgotten, and what they were called is nobody's name.
        let mut long = way(&(10..18).collect::<Vec<_>>());
        let last = all.number(&mut long, 7).expect("room");
        assert_eq!(long.ends_at(last), Some(7));
        let mut again = way(&[5, 6, 7]);
        let later = all.number(&mut again, 1).expect("room");
        assert!(later > last, "{later} {last}");
        assert_eq!(again.ends_at(number), None);
        // A way that goes on has its own names still.
        assert_eq!(long.ends_at(last), Some(7));
    }

    #[test]
    fn what_rests_on_its_own_place_is_true() {
        let rests = Rests::on(4).or(Rests::on(2));
        assert_eq!(rests, Rests { first: 2, last: 4 });
        assert_eq!(rests.before(4), Some(Rests { first: 2, last: 3 }));
        assert_eq!(rests.before(2), None);
    }
}
