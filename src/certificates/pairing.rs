//! PAIRING: a strategy that replies to a claim of one cell of a pair by a claim of the other, from the start or after
//! some listed moves.
//!
//! If every winning line of the opponent needs both cells of some pair, he never wins (the pairing strategies of
//! Alfred Hales and Robert Jewett 1963). The checker grounds the rules and verifies that a move only claims a free
//! cell, that the openings cover every way of the opponent to begin, and that after each opening every end with less
//! than the bound needs both cells of a pair.

use super::{LemmaBody, PayoffBound};

/// The data of a PAIRING lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairingLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The openings, in order of their moves.
    pub openings: Vec<PairingOpening>,
}

/// An opening: some moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PairingOpening {
    /// The moves of both players, as `name(arguments)`.
    pub moves: Vec<String>,
    /// The pairs of fluents, the smaller first, in order. Fluents are numbered as the state declares them: cell by
    /// cell, a cell that holds a set element by element.
    pub pairs: Vec<(u32, u32)>,
}

impl PairingLemma {
    /// Makes a strategy; sorts the openings.
    pub fn new(bound: PayoffBound, mut beginnings: Vec<PairingOpening>) -> PairingLemma {
        beginnings.sort_unstable();
        PairingLemma { bound, openings: beginnings }
    }

    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<PairingLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| PairingLemma { bound, openings: Vec::new() })
    }
}

/// The word before the moves of an opening; `MOVE_SEPARATOR` separates the moves.
const OPENING_PREFIX: &str = "after ";
const MOVE_SEPARATOR: &str = "; ";
/// The words for an opening without moves.
const NO_OPENING: &str = "at once";

impl PairingOpening {
    fn head(&self) -> String {
        if self.moves.is_empty() {
            NO_OPENING.into()
        } else {
            format!("{OPENING_PREFIX}{}", self.moves.join(MOVE_SEPARATOR))
        }
    }

    fn of_head(line: &str) -> Option<PairingOpening> {
        let moves = match line.strip_prefix(OPENING_PREFIX) {
            Some(moves) => moves.split(MOVE_SEPARATOR).map(String::from).collect(),
            None if line == NO_OPENING => Vec::new(),
            None => return None,
        };
        Some(PairingOpening { moves, pairs: Vec::new() })
    }
}

impl LemmaBody for PairingLemma {
    fn head(&self, players: &[String]) -> String {
        format!("pairing {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.openings.iter().map(|beginning| 1 + beginning.pairs.len()).sum()
    }

    fn line(&self, mut number: usize) -> String {
        for beginning in &self.openings {
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

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if let Some(beginning) = PairingOpening::of_head(line) {
            if self.openings.last().is_some_and(|last| last.moves >= beginning.moves) {
                return Err(format!("the beginning `{line}` is out of order"));
            }
            self.openings.push(beginning);
            return Ok(());
        }
        let pair =
            line.split_once(' ').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
        let pair = pair.filter(|(one, other): &(u32, u32)| one < other);
        let pair = pair.ok_or_else(|| format!("`{line}` is no pair"))?;
        let Some(beginning) = self.openings.last_mut() else {
            return Err("a beginning is expected here".into());
        };
        if beginning.pairs.last().is_some_and(|last| *last >= pair) {
            return Err(format!("the pair `{line}` is out of order"));
        }
        beginning.pairs.push(pair);
        Ok(())
    }
}
