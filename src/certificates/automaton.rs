//! AUTOMATON: a game whose position is a row of cells, for which a small automaton that reads the row from left to
//! right decides whether the player to move loses.
//!
//! The checker enumerates all reachable positions and verifies that the automaton calls a position lost if and only if
//! no move leads to a position that it calls lost; so by induction on the longest play its verdicts are right (Zermelo
//! 1913). The certificate lists only the automaton.

use super::{LemmaBody, PayoffBound, numbers};
use bouton_base::automaton::Automaton as Reader;

/// The data of an AUTOMATON lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The automaton, which reads the values of all fluents except turn and phase, in order, and accepts lost
    /// positions.
    pub lost: Reader,
}

impl AutomatonLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<AutomatonLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| AutomatonLemma { bound, lost: Reader::default() })
    }
}

/// Renders a state and its transitions by letter: `lost 1,2,0` or `won 1,2,0`.
pub(super) fn render_state(of: &Reader, state: usize) -> String {
    format!("{} {}", if of.accepting[state] { "lost" } else { "won" }, numbers::render_list(&of.next[state]))
}

/// Parses the next state.
pub(super) fn parse_state(of: &mut Reader, line: &str) -> Option<()> {
    let (says, next) = line.split_once(' ')?;
    let lost = says == "lost";
    (lost || says == "won").then_some(())?;
    of.next.push(numbers::parse_list(next)?);
    of.accepting.push(lost);
    Some(())
}

impl LemmaBody for AutomatonLemma {
    fn head(&self, players: &[String]) -> String {
        format!("automaton {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.lost.next.len()
    }

    fn line(&self, number: usize) -> String {
        render_state(&self.lost, number)
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        parse_state(&mut self.lost, line).ok_or_else(|| format!("`{line}` is no state"))
    }
}
