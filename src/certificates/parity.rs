//! PARITY: an invariant parity decides the game, whatever the players choose.
//!
//! Some values of fluents weigh 1. The checker grounds the rules and verifies that no move changes the parity of the
//! total weight, that play is finite, and that every end with less than the bound would need the other parity (the
//! colouring argument; with the player to move among the weights: the parity of the length of play).

use super::numbers::{parse_list, render_list};
use super::{LemmaBody, PayoffBound};

/// The data of a PARITY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParityLemma {
    /// The bound that the holder gets.
    pub bound: PayoffBound,
    /// The fluents with the numbers of their values that weigh 1, in order. Fluents are numbered as the state declares
    /// them: cell by cell, a cell that holds a set element by element.
    pub weights: Vec<(u32, Vec<u8>)>,
}

impl ParityLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<ParityLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| ParityLemma { bound, weights: Vec::new() })
    }
}

impl LemmaBody for ParityLemma {
    fn head(&self, players: &[String]) -> String {
        format!("parity {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn line(&self, number: usize) -> String {
        let (fluent, values) = &self.weights[number];
        format!("{fluent} {}", render_list(values))
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = line
            .split_once(' ')
            .and_then(|(fluent, values)| Some((fluent.parse().ok()?, parse_list(values)?)));
        let odd: (u32, Vec<u8>) = read.ok_or_else(|| format!("`{line}` is no fluent with its values"))?;
        let after = self.weights.last().is_none_or(|last| last.0 < odd.0);
        if !after || odd.1.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(format!("`{line}` is out of order"));
        }
        self.weights.push(odd);
        Ok(())
    }
}
