//! AUTOMATON: a game whose position is a row of cells, for which a small automaton that reads the row from left to
//! right decides whether the player to move loses.
//!
//! The checker enumerates all reachable positions and verifies that the automaton calls a position lost if and only if
//! no move leads to a position that it calls lost; so by induction on the longest play its verdicts are right (Zermelo
//! 1913). The certificate lists only the automaton.

use super::{Body, Bound, numbers};
use crate::base::automaton::Automaton as Reader;

/// The data of an AUTOMATON lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The bound that the strategy guarantees.
    pub bound: Bound,
    /// The automaton, which reads the values of all fluents except turn and phase, in order, and accepts lost
    /// positions.
    pub lost: Reader,
}

impl Automaton {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Automaton> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Automaton { bound, lost: Reader::default() })
    }
}

/// Renders a state and its transitions by letter: `lost 1,2,0` or `won 1,2,0`.
pub(super) fn line(of: &Reader, state: usize) -> String {
    format!("{} {}", if of.says[state] { "lost" } else { "won" }, numbers::listed(&of.next[state]))
}

/// Parses the next state.
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
