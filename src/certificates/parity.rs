//! PARITY: an invariant sum decides the game, whatever the players choose.
//!
//! Values of fluents have weights. The checker grounds the rules and verifies that no move changes the total weight modulo
//! a number, that play is finite, and that every end with less than the bound would need another total (the colouring
//! argument; with the player to move among the weights and modulo 2: the parity of the length of play).

use super::PayoffBound;
use super::codec::{Line, Record, Words, lemma_form};

/// The data of a PARITY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParityLemma {
    /// The bound that the holder gets.
    pub bound: PayoffBound,
    /// The number modulo which weights are added.
    pub modulus: Modulus,
    /// The fluents with the numbers of their values that weigh something, each as often as it weighs, in order. Fluents
    /// are numbered as the state declares them: cell by cell, a cell that holds a set element by element.
    pub weights: Vec<(u32, Vec<u8>)>,
}

/// A modulus: 2 unless the statement says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modulus(pub u32);

impl Record for Modulus {
    fn write(&self, line: &mut Line<'_>) {
        if self.0 != 2 {
            line.word("modulo").record(&self.0);
        }
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        match words.rest {
            None => Some(Modulus(2)),
            Some(_) => words.skip("modulo").and_then(|()| u32::read(words)).map(Modulus),
        }
    }
}

lemma_form!(ParityLemma { statement "" bound, statement "" modulus, in_order "" weights });
