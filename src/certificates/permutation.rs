//! PERMUTATION: a puzzle whose moves exchange a hole with a thing beside it cannot be won, since a parity differs.
//!
//! The cells hold different things, one of them the hole. A move exchanges the hole with the content of one other cell,
//! of the other colour, so it changes both the sign of the permutation and the colour of the hole's cell (Johnson and
//! Story 1879). The checker grounds the rules, verifies this for every move and every place of the hole, and compares
//! the parity of the position with that of each win.

use super::PayoffBound;
use super::codec::lemma_form;

/// The data of a PERMUTATION lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PermutationLemma {
    /// The bound that no play exceeds.
    pub bound: PayoffBound,
    /// The number of the value that stands for the hole.
    pub hole: u32,
    /// The fluents that hold things, in order, each with the colour of its cell, 0 or 1. Fluents are numbered as the
    /// state declares them: cell by cell, a cell that holds a set element by element.
    pub cells: Vec<(u32, u8)>,
}

lemma_form!(PermutationLemma { statement "" bound, statement "hole" hole, in_order "" cells });
