//! PAIRING: a strategy that answers a claim of one cell of a pair by claiming the other.
//!
//! Where every way of the other player to win needs both cells of some pair, he never wins (the pairing strategies of
//! Alfred Hales and Robert Jewett 1963). The checker writes the rules out and makes sure that a move does nothing but
//! claim a free cell, and that no end that gives the holder too little comes without both cells of a pair.

use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// What is made sure of.
    pub bound: Bound,
    /// The pairs of fluents, the smaller first, in order. Fluents are numbered as the state declares them: cell by
    /// cell, a cell that holds a set element by element.
    pub pairs: Vec<(u32, u32)>,
}

impl Pairing {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Pairing> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Pairing { bound, pairs: Vec::new() })
    }
}

impl Body for Pairing {
    fn head(&self, players: &[String]) -> String {
        format!("pairing {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn line(&self, number: usize) -> String {
        let (one, other) = self.pairs[number];
        format!("{one} {other}")
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let pair =
            line.split_once(' ').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
        let pair = pair.filter(|(one, other): &(u32, u32)| one < other);
        let pair = pair.ok_or_else(|| format!("`{line}` is no pair"))?;
        if self.pairs.last().is_some_and(|last| *last >= pair) {
            return Err(format!("the pair `{line}` is out of order"));
        }
        self.pairs.push(pair);
        Ok(())
    }
}
