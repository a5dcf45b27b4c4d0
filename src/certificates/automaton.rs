//! AUTOMATON: a game whose position is a row of cells, for which a small automaton that reads the row from left to
//! right decides whether the player to move loses.
//!
//! The checker enumerates all reachable positions and verifies that the automaton calls a position lost if and only if
//! no move leads to a position that it calls lost; so by induction on the longest play its verdicts are right (Zermelo
//! 1913). The certificate lists only the automaton.

use super::codec::{LemmaReader, LemmaWriter, ReadResult, Word};
use super::{LemmaKind, PayoffBound};
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

/// A verdict on the rows that end in a state: `lost` if it is accepting, otherwise `won`.
impl Word for bool {
    fn render(&self) -> String {
        if *self { "lost".into() } else { "won".into() }
    }

    fn parse(text: &str) -> Option<Self> {
        [true, false].into_iter().find(|lost| lost.render() == text)
    }
}

/// Writes the states of an automaton, each after this tag: its verdict and its transitions by letter.
pub(super) fn write_states(of: &Reader, tag: &str, lemma: &mut LemmaWriter<'_>) {
    for (&lost, next) in of.accepting.iter().zip(&of.next) {
        lemma.record(tag, &(lost, next.clone()));
    }
}

/// Reads the form of [`write_states`].
pub(super) fn read_states(tag: &str, lemma: &mut LemmaReader<'_>) -> ReadResult<Reader> {
    let states: Vec<(bool, Vec<u32>)> = lemma.records(tag)?;
    let (accepting, next) = states.into_iter().unzip();
    Ok(Reader { accepting, next })
}

impl LemmaKind for AutomatonLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement("", &self.bound);
        write_states(&self.lost, "", lemma);
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        Ok(AutomatonLemma { bound: lemma.statement("")?, lost: read_states("", lemma)? })
    }
}
