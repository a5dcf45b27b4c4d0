//! NIM-SUM: a game that is a sum of independent parts, with the Grundy value of every position of each part.
//!
//! The checker writes the rules out and makes sure that both players have the same moves, that each is in one part and
//! asks nothing of the others, and that who cannot move loses; then it works out every value again from the values of
//! what moves lead to. The player to move wins where the values together, added in binary without carrying, are not 0
//! (Charles Bouton 1901; Roland Sprague 1935; Patrick Grundy 1939).

use super::numbers::{list, listed};
use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NimSum {
    /// What is made sure of.
    pub bound: Bound,
    /// The parts, in the order of their first fluents.
    pub parts: Vec<Part>,
}

/// A part of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its fluents, in order. Fluents are numbered as the state declares them: cell by cell, a cell that holds a set
    /// element by element.
    pub fluents: Vec<u32>,
    /// Positions, as the numbers of the fluents' values, each with its Grundy value; in order.
    pub values: Vec<(Vec<u8>, u32)>,
}

impl NimSum {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<NimSum> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| NimSum { bound, parts: Vec::new() })
    }
}

impl Body for NimSum {
    fn head(&self, players: &[String]) -> String {
        format!("nim-sum {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|part| 1 + part.values.len()).sum()
    }

    fn line(&self, mut number: usize) -> String {
        for part in &self.parts {
            match number.checked_sub(1) {
                None => return format!("part {}", listed(&part.fluents)),
                Some(place) if place < part.values.len() => {
                    let (values, nimber) = &part.values[place];
                    return format!("{} {nimber}", listed(values));
                }
                Some(place) => number = place - part.values.len(),
            }
        }
        String::new()
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if let Some(fluents) = line.strip_prefix("part ") {
            let fluents: Vec<u32> = list(fluents).ok_or_else(|| format!("`{fluents}` are no fluents"))?;
            if fluents.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err("the fluents of the part are not in order".into());
            }
            self.parts.push(Part { fluents, values: Vec::new() });
            return Ok(());
        }
        let read =
            line.split_once(' ').and_then(|(values, nimber)| Some((list(values)?, nimber.parse().ok()?)));
        let value: (Vec<u8>, u32) = read.ok_or_else(|| format!("`{line}` is no position with its value"))?;
        let Some(part) = self.parts.last_mut() else { return Err("a part is expected here".into()) };
        if part.values.last().is_some_and(|last| last.0 >= value.0) {
            return Err("the position is out of order".into());
        }
        part.values.push(value);
        Ok(())
    }
}
