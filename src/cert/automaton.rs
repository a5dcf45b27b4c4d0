//! AUTOMATON: a game whose position is a row of cells, in which a small automaton that reads the row from left to right
//! says of every position whether it is lost for whoever is to move.
//!
//! The checker goes through all positions that can be reached, and asks of each that the automaton says lost just where
//! no move leads to a position that it says is lost; so by induction on the longest play it says what is so (Zermelo
//! 1913). Nothing is listed but the automaton.

use super::{Body, Bound, numbers};
use crate::base::automaton::Automaton as Reader;

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// What is made sure of.
    pub bound: Bound,
    /// What reads the fluents of the state but turn and phase, in order, and says whether the position is lost.
    pub lost: Reader,
}

impl Automaton {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Automaton> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Automaton { bound, lost: Reader::default() })
    }
}

/// `lost 1,2,0` or `won 1,2,0`: a state with where each letter leads.
pub(super) fn line(of: &Reader, state: usize) -> String {
    format!("{} {}", if of.says[state] { "lost" } else { "won" }, numbers::listed(&of.next[state]))
}

/// Reads the next state.
pub(super) fn take(of: &mut Reader, line: &str) -> Option<()> {
    let (says, next) = line.split_once(' ')?;
    let lost = says == "lost";
    (lost || says == "won").then_some(())?;
    of.next.push(numbers::list(next)?);
    of.says.push(lost);
    Some(())
}

impl Body for Automaton {
    fn head(&self, players: &[String]) -> String {
        format!("automaton {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.lost.next.len()
    }

    fn line(&self, number: usize) -> String {
        line(&self.lost, number)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        take(&mut self.lost, line).ok_or_else(|| format!("`{line}` is no state"))
    }
}
