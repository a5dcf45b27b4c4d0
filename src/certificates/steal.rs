//! STEAL: strategy stealing: a player can force a bound, without an explicit strategy.
//!
//! *By absorption*: if all answers to a first move lead to positions that the player could have moved to at once, one
//! of these moves is good: the first move if no answer to it is, and otherwise that answer, made at once (as David
//! Gale used it for Chomp 1974). The checker grounds the rules, verifies that both players have the same moves and the
//! same conditions of winning, and examines the moves of the one position.
//!
//! *By exchange*: if moves claim cells, both players have the same goal, and an additional cell never hurts, the first
//! player claims any cell and then plays as the second player would (John Nash 1949, of Hex). The certificate holds
//! the symmetry that exchanges the players.

use super::codec::{LemmaReader, LemmaWriter, ReadResult};
use super::mirror::FluentImage;
use super::{LemmaKind, PayoffBound};

/// The data of a STEAL lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StealLemma {
    /// The bound that the holder can force.
    pub bound: PayoffBound,
    pub by: StealArgument,
}

/// The reason why the holder can use a strategy of the opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StealArgument {
    /// The first move, as `name(arguments)`; it may be a bad one.
    Absorption(String),
    /// The images of the fluents that the symmetry moves or changes, in order.
    Exchange(Vec<FluentImage>),
}

impl LemmaKind for StealLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement("", &self.bound);
        match &self.by {
            StealArgument::Absorption(first) => lemma.record("first", first),
            StealArgument::Exchange(images) => lemma.records("", images),
        }
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let bound = lemma.statement("")?;
        let by = match lemma.next_is("first") {
            true => StealArgument::Absorption(lemma.record("first")?),
            false => StealArgument::Exchange(lemma.records("")?),
        };
        Ok(StealLemma { bound, by })
    }
}
