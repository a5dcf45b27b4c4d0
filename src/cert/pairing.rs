//! PAIRING: a strategy that replies to a claim of one cell of a pair by a claim of the other, from the start or after
//! some listed moves.
//!
//! If every winning line of the opponent needs both cells of some pair, he never wins (the pairing strategies of
//! Alfred Hales and Robert Jewett 1963). The checker grounds the rules and verifies that a move only claims a free
//! cell, that the openings cover every way of the opponent to begin, and that after each opening every end with less
//! than the bound needs both cells of a pair.

use super::{Body, Bound};

/// The data of a PAIRING lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The bound that the strategy guarantees.
    pub bound: Bound,
    /// The openings, in order of their moves.
    pub beginnings: Vec<Beginning>,
}

/// An opening: some moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Beginning {
    /// The moves of both players, as `name(arguments)`.
    pub moves: Vec<String>,
    /// The pairs of fluents, the smaller first, in order. Fluents are numbered as the state declares them: cell by
    /// cell, a cell that holds a set element by element.
    pub pairs: Vec<(u32, u32)>,
}

impl Pairing {
    /// Makes a strategy; sorts the openings.
    pub fn new(bound: Bound, mut beginnings: Vec<Beginning>) -> Pairing {
        beginnings.sort_unstable();
        Pairing { bound, beginnings }
    }

    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Pairing> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Pairing { bound, beginnings: Vec::new() })
    }
}

/// The word before the moves of an opening; `AND` separates the moves.
const AFTER: &str = "after ";
const AND: &str = "; ";
/// The words for an opening without moves.
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
