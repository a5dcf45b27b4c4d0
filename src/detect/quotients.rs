//! Quotients for misere play: components as elements of a small monoid whose product determines the winner.
//!
//! Technique: the tame quotients (Plambeck and Siegel 2008), which are those of misere Nim: the parity of the number
//! of heaps determines positions without a heap of two or more, the nim sum all others. Elements are assigned to
//! components one by one, with backtracking, as long as no sum of components contradicts.
//! Cost: exponential in the worst case, so the number of steps is limited. All other quotients, called wild, have to be
//! computed from the game ([`general`]); many small games have them (Kayles from five pins on).

mod general;

pub use general::general;

use rustc_hash::FxHashSet;

use crate::decomposition::ComponentTypes;
use bouton_base::limits::Limits;

/// A monoid with an assignment of its elements to component types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quotient {
    /// The multiplication table, by row and column; 0 is the unit.
    pub products: Vec<Vec<u8>>,
    /// The elements that are lost for the player to move.
    pub lost: Vec<u8>,
    /// The element of each component type.
    pub elements: Vec<u8>,
}

/// The maximal size of the quotient: that of Nim with heaps below 2 to this power.
const MAX_HEAP_BITS: u32 = 4;

/// The maximal number of pairs of product and options in a search.
const MAX_SEARCH_STEPS: u64 = 300_000;

/// Searches for a tame quotient of misere play for these types.
pub fn tame(types: &ComponentTypes, limits: &Limits) -> Option<Quotient> {
    (1..=MAX_HEAP_BITS).find_map(|bits| {
        let size = 2 + (1u8 << bits);
        let row = |a| (0..size).map(|b| times(a, b)).collect();
        let mut search =
            QuotientSearch { types, size, elements: Vec::new(), steps: MAX_SEARCH_STEPS, limits };
        let found = search.rest();
        found.then(|| Quotient {
            products: (0..size).map(row).collect(),
            lost: vec![1, 2],
            elements: search.elements,
        })
    })
}

/// Multiplies two elements. 0 and 1 are an even and an odd number of heaps of one, 2 and above the nim sums with a
/// heap of two or more.
fn times(a: u8, b: u8) -> u8 {
    match (a < 2, b < 2) {
        (true, true) => a ^ b,
        (true, false) => 2 + ((b - 2) ^ a),
        (false, true) => 2 + ((a - 2) ^ b),
        (false, false) => 2 + ((a - 2) ^ (b - 2)),
    }
}

struct QuotientSearch<'t> {
    types: &'t ComponentTypes,
    size: u8,
    elements: Vec<u8>,
    steps: u64,
    limits: &'t Limits,
}

impl QuotientSearch<'_> {
    /// Assigns elements to the remaining types; returns true on success.
    fn rest(&mut self) -> bool {
        if self.elements.len() == self.types.list.len() {
            return true;
        }
        for element in 0..self.size {
            self.elements.push(element);
            if self.holds() && self.rest() {
                return true;
            }
            self.elements.pop();
            if self.steps == 0 {
                return false;
            }
        }
        false
    }

    /// Returns true if no sum of the types so far contradicts the quotient.
    fn holds(&mut self) -> bool {
        let product =
            |types: &[u32]| types.iter().fold(0, |all, &number| times(all, self.elements[number as usize]));
        let letters: FxHashSet<(u8, u32)> = self
            .elements
            .iter()
            .zip(&self.types.list)
            .map(|(&element, of)| {
                (element, of.options.iter().fold(0u32, |all, option| all | 1 << product(option)))
            })
            .collect();
        let moved = |set: u32, by: u8| {
            let here = (0..self.size).filter(|element| set >> element & 1 == 1);
            here.fold(0u32, |all, element| all | 1 << times(element, by))
        };
        let lost = 0b110u32;
        let mut met: FxHashSet<(u8, u32)> = FxHashSet::from_iter([(0, 0)]);
        let mut waiting = vec![(0u8, 0u32)];
        while let Some((here, options)) = waiting.pop() {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 || self.limits.check().is_some() {
                self.steps = 0;
                return false;
            }
            let should = options != 0 && options & lost == 0;
            if (lost >> here & 1 == 1) != should {
                return false;
            }
            for &(element, own) in &letters {
                let next = (times(here, element), moved(options, element) | moved(own, here));
                if met.insert(next) {
                    waiting.push(next);
                }
            }
        }
        true
    }
}

impl Quotient {
    /// Returns true if a position with these component types is lost for the player to move.
    pub fn is_lost(&self, types: &[u32]) -> bool {
        let times = |all: u8, number: &u32| {
            self.products[usize::from(all)][usize::from(self.elements[*number as usize])]
        };
        let product = types.iter().fold(0, times);
        self.lost.contains(&product)
    }
}
