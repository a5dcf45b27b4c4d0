//! SUM: a game whose positions split into independent components, with the Grundy value of each.
//!
//! The checker grounds the rules, verifies that both players have the same moves and that the player without a move
//! loses, and tests each listed component in the position that it is listed with: each move on it must lead to
//! components listed before it. Components that are the same game up to a renaming of fluents are one. The player to
//! move wins if and only if the exclusive or (nim sum) of the values of the position's components is not 0 (Charles
//! Bouton 1901; Roland Sprague 1935; Patrick Grundy 1939).

use super::codec::{Line, Record, Word, Words, lemma_form, record};
use super::{PayoffBound, PositionKey};

/// The data of a SUM lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SumLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The components, each after those that moves on it lead to.
    pub components: Vec<ValuedComponent>,
}

/// A component with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuedComponent {
    pub component: ListedComponent,
    pub nimber: u32,
}

/// A component, which represents every component that is the same game up to a renaming of fluents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListedComponent {
    /// A set of fluents that no move reads or changes together with others.
    Region {
        /// A position of which it is a component, with the same player to move as in the position of the claim.
        position: PositionKey,
        /// The fluents, in order. Fluents are numbered as the state declares them: cell by cell, a cell that holds a
        /// set element by element.
        fluents: Vec<u32>,
    },
    /// A heap of a kind that a fluent counts.
    Heap {
        /// The fluent.
        fluent: u32,
    },
}

record!(ValuedComponent { component, nimber });

/// The word before a fluent that counts heaps.
const HEAP: &str = "heap";

/// A component as `1c0 2,3,4`, or a heap as `heap 7`.
impl Record for ListedComponent {
    fn write(&self, line: &mut Line<'_>) {
        match self {
            ListedComponent::Region { position, fluents } => line.record(position).record(fluents),
            ListedComponent::Heap { fluent } => line.word(HEAP).record(fluent),
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        Some(match words.next()? {
            HEAP => ListedComponent::Heap { fluent: Record::read(words)? },
            position => ListedComponent::Region {
                position: PositionKey::parse(position)?,
                fluents: Record::read(words)?,
            },
        })
    }
}

lemma_form!(SumLemma { statement "" bound, records "" components });
