//! PAIRING: a strategy that answers a claim of one cell of a pair by claiming the other, from the beginning or after some
//! moves that are listed.
//!
//! Where every way of the other player to win needs both cells of some pair, he never wins (the pairing strategies of
//! Alfred Hales and Robert Jewett 1963). The checker writes the rules out and makes sure that a move does nothing but
//! claim a free cell, that the beginnings have one for each way the other player may begin, and that after each no end
//! that gives the holder too little comes without both cells of a pair.

use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// What is made sure of.
    pub bound: Bound,
    /// The beginnings, in order of their moves.
    pub beginnings: Vec<Beginning>,
}

/// Moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Beginning {
    /// The moves that are made, of both players, as `name(arguments)`.
    pub moves: Vec<String>,
    /// The pairs of fluents, the smaller first, in order. Fluents are numbered as the state declares them: cell by
    /// cell, a cell that holds a set element by element.
    pub pairs: Vec<(u32, u32)>,
}

impl Pairing {
    /// A strategy; the beginnings are put in order.
    pub fn new(bound: Bound, mut beginnings: Vec<Beginning>) -> Pairing {
        beginnings.sort_unstable();
        Pairing { bound, beginnings }
    }

    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Pairing> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Pairing { bound, beginnings: Vec::new() })
    }
}

/// What stands before the moves of a beginning, and between them.
const AFTER: &str = "after ";
const AND: &str = "; ";
/// How a beginning without moves is told.
const AT_ONCE: &str = "at once";

impl Beginning {
    fn head(&self) -> String {
        if self.moves.is_empty() { AT_ONCE.into() } else { format!("{AFTER}{}", self.moves.join(AND)) }
    }

    fn of_head(line: &str) -> Option<Beginning> {
        let moves = match line.strip_prefix(AFTER) {
            Some(moves) => moves.split(AND).map(String::from).collect(),
            None if line == AT_ONCE => Vec::new(),
            None => return None,
        };
        Some(Beginning { moves, pairs: Vec::new() })
    }
}

impl Body for Pairing {
    fn head(&self, players: &[String]) -> String {
        format!("pairing {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.beginnings.iter().map(|beginning| 1 + beginning.pairs.len()).sum()
    }

    fn line(&self, mut number: usize) -> String {
        for beginning in &self.beginnings {
            match number.checked_sub(1) {
                None => return beginning.head(),
                Some(place) if place < beginning.pairs.len() => {
                    let (one, other) = beginning.pairs[place];
                    return format!("{one} {other}");
                }
                Some(place) => number = place - beginning.pairs.len(),
            }
        }
        String::new()
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if let Some(beginning) = Beginning::of_head(line) {
            if self.beginnings.last().is_some_and(|last| last.moves >= beginning.moves) {
                return Err(format!("the beginning `{line}` is out of order"));
            }
            self.beginnings.push(beginning);
            return Ok(());
        }
        let pair =
            line.split_once(' ').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
        let pair = pair.filter(|(one, other): &(u32, u32)| one < other);
        let pair = pair.ok_or_else(|| format!("`{line}` is no pair"))?;
        let Some(beginning) = self.beginnings.last_mut() else {
            return Err("a beginning is expected here".into());
        };
        if beginning.pairs.last().is_some_and(|last| *last >= pair) {
            return Err(format!("the pair `{line}` is out of order"));
        }
        beginning.pairs.push(pair);
        Ok(())
    }
}
