//! The path from the root to the current position, and the answers that depend on it, where positions repeat: the
//! graph-history interaction problem.
//!
//! Technique: a move back to a position on the path gets the payoff of infinite play. An answer that follows from it
//! depends on that position, and is sound while the position is on the path; an answer that depends on nothing before
//! its own position is true of the position whatever the history. The table stores the other answers as *twins* beside
//! the true bounds. A twin carries the number of the path prefix that ends with the last position it depends on, so a
//! lookup finds it exactly if all that it depends on is on the current path.
//! Source: Palay, "Searching with probabilities" (1983), and Campbell, "The graph-history interaction: on ignoring
//! position history" (1985), for the problem; Kishimoto and Mueller, "A general solution to the graph history
//! interaction problem" (2004), for twins. They distinguish paths by a 64-bit hash; here prefixes are distinguished by
//! their positions.
//! Cost: one lookup for each move in a hash map of the positions on the path, and a number for each prefix that an
//! answer depends on.
//! Invariant: a number of a prefix is never reused for another prefix.

use rustc_hash::FxHashMap;

/// The approximate overhead of an entry in bytes, without its words.
const ENTRY_OVERHEAD_BYTES: usize = 64;
/// The exclusive upper bound of the numbers of prefixes.
const MAX_PREFIX_NUMBERS: u32 = (1 << 26) - 1;

/// The positions on the path that an answer depends on: indices on the path, of which the first and the last are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathDependency {
    /// The first index.
    pub first: u32,
    /// The last index, or an upper bound of it.
    pub last: u32,
}

impl PathDependency {
    /// The dependency on this index alone.
    pub fn on(place: u32) -> PathDependency {
        PathDependency { first: place, last: place }
    }

    /// The part of the dependency that lies before an index; `None` if there is none. An answer that depends only on
    /// its own position is true there.
    pub fn before(self, place: u32) -> Option<PathDependency> {
        (self.first < place).then(|| PathDependency { first: self.first, last: self.last.min(place - 1) })
    }

    /// The union of two dependencies.
    pub fn union(self, other: PathDependency) -> PathDependency {
        PathDependency { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// The path from the root to the current position.
#[derive(Default)]
pub struct SearchPath {
    places: FxHashMap<Box<[u64]>, u32>,
    /// The positions in path order.
    positions: Vec<Box<[u64]>>,
    /// The numbers of its prefixes, shortest first, as far as they were requested. They increase strictly.
    numbers: Vec<u32>,
}

/// The interned path prefixes that an answer depends on.
#[derive(Default)]
pub struct PathPrefixes {
    /// From the number of the prefix that is one shorter, followed by the last position, to the number.
    known: FxHashMap<Box<[u64]>, u32>,
    next: u32,
    /// The maximal number of entries.
    most: usize,
    words: usize,
}

impl SearchPath {
    pub fn clear(&mut self) {
        self.places.clear();
        self.positions.clear();
        self.numbers.clear();
    }

    /// The number of positions on the path.
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

    /// The index of a position on the path.
    pub fn place(&self, at: &[u64]) -> Option<u32> {
        self.places.get(at).copied()
    }

    /// The index of the last position of the prefix with this number, if the path begins with that prefix.
    pub fn ends_at(&self, number: u32) -> Option<u32> {
        self.numbers.binary_search(&number).ok().map(|place| place as u32)
    }

    pub fn held_bytes(&self) -> u64 {
        let words = self.positions.first().map_or(0, |at| 16 * at.len());
        (self.positions.capacity() * (words + ENTRY_OVERHEAD_BYTES) + 4 * self.numbers.capacity()) as u64
    }
}

impl PathPrefixes {
    /// Creates an empty table for positions of `words` words that takes about `bytes` bytes.
    pub fn new(words: usize, bytes: u64) -> PathPrefixes {
        let most = bytes / (8 * (words as u64 + 1) + ENTRY_OVERHEAD_BYTES as u64);
        PathPrefixes { most: most as usize, words, ..PathPrefixes::default() }
    }

    /// Returns the number of the prefix that ends at an index of the path; `None` if the numbers or the space ran out.
    pub fn number(&mut self, way: &mut SearchPath, place: u32) -> Option<u32> {
        let missing = (place as usize + 1).saturating_sub(way.numbers.len());
        if self.known.len() + missing > self.most {
            // Lookups no longer find twins that depend on the dropped prefixes.
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
                self.next = next.checked_add(1).filter(|&next| next < MAX_PREFIX_NUMBERS)?;
            }
            way.numbers.push(number);
        }
        way.numbers.get(place as usize).copied()
    }

    pub fn held_bytes(&self) -> u64 {
        (self.known.capacity() * (8 * (self.words + 1) + ENTRY_OVERHEAD_BYTES)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(positions: &[u64]) -> SearchPath {
        let mut way = SearchPath::default();
        positions.iter().for_each(|&at| way.push(&[at, 0]));
        way
    }

    #[test]
    fn beginnings_are_known_again_and_their_numbers_are_not_used_twice() {
        let mut all = PathPrefixes::new(2, 8 * (8 * 3 + 64));
        let mut one = way(&[5, 6, 7]);
        let number = all.number(&mut one, 1).expect("room");
        assert_eq!((one.ends_at(number), one.place(&[6, 0]), one.place(&[9, 0])), (Some(1), Some(1), None));
        one.pop();
        one.push(&[8, 0]);
        assert_eq!(all.number(&mut one, 1), Some(number));
        // Another path has the position at the same index.
        let mut other = way(&[4, 6, 7]);
        assert_ne!(all.number(&mut other, 1), Some(number));
        assert_eq!(other.ends_at(number), None);
        // A full table drops all prefixes, and never reuses their numbers.
        let mut long = way(&(10..18).collect::<Vec<_>>());
        let last = all.number(&mut long, 7).expect("room");
        assert_eq!(long.ends_at(last), Some(7));
        let mut again = way(&[5, 6, 7]);
        let later = all.number(&mut again, 1).expect("room");
        assert!(later > last, "{later} {last}");
        assert_eq!(again.ends_at(number), None);
        // A path that goes on keeps its own numbers.
        assert_eq!(long.ends_at(last), Some(7));
    }

    #[test]
    fn what_rests_on_its_own_place_is_true() {
        let rests = PathDependency::on(4).union(PathDependency::on(2));
        assert_eq!(rests, PathDependency { first: 2, last: 4 });
        assert_eq!(rests.before(4), Some(PathDependency { first: 2, last: 3 }));
        assert_eq!(rests.before(2), None);
    }
}
