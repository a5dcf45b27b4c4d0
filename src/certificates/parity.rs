//! PARITY: an invariant parity decides the game, whatever the players choose.
//!
//! Some values of fluents weigh 1. The checker grounds the rules and verifies that no move changes the parity of the
//! total weight, that play is finite, and that every end with less than the bound would need the other parity (the
//! colouring argument; with the player to move among the weights: the parity of the length of play).

use super::PayoffBound;
use super::codec::lemma_form;

/// The data of a PARITY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParityLemma {
    /// The bound that the holder gets.
    pub bound: PayoffBound,
    /// The fluents with the numbers of their values that weigh 1, in order. Fluents are numbered as the state declares
    /// them: cell by cell, a cell that holds a set element by element.
    pub weights: Vec<(u32, Vec<u8>)>,
}

lemma_form!(ParityLemma { statement "" bound, in_order "" weights });
