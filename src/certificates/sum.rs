//! SUM: a game whose positions split into independent components, with the Grundy value of each.
//!
//! The checker grounds the rules, verifies that both players have the same moves and that the player without a move
//! loses, and tests each listed component in the position that it is listed with: each move on it must lead to
//! components listed before it. Components that are the same game up to a renaming of fluents are one. The player to
//! move wins if and only if the exclusive or (nim sum) of the values of the position's components is not 0 (Charles
//! Bouton 1901; Roland Sprague 1935; Patrick Grundy 1939).

use super::{LemmaBody, PayoffBound, PositionKey, numbers};

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

impl SumLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<SumLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| SumLemma { bound, components: Vec::new() })
    }
}

impl LemmaBody for SumLemma {
    fn head(&self, players: &[String]) -> String {
        format!("sum {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.components.len()
    }

    fn line(&self, number: usize) -> String {
        let ValuedComponent { component, nimber } = &self.components[number];
        format!("{} {nimber}", component.line())
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = || {
            let (component, nimber) = line.rsplit_once(' ')?;
            Some(ValuedComponent {
                component: ListedComponent::read(component)?,
                nimber: nimber.parse().ok()?,
            })
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its value"))?);
        Ok(())
    }
}

/// The word before a fluent that counts heaps.
const HEAP: &str = "heap";

impl ListedComponent {
    /// Renders the component as `1c0 2,3,4`, or a heap as `heap 7`.
    pub(super) fn line(&self) -> String {
        match self {
            ListedComponent::Region { position, fluents } => {
                format!("{position} {}", numbers::render_list(fluents))
            }
            ListedComponent::Heap { fluent } => format!("{HEAP} {fluent}"),
        }
    }

    /// Parses the form of [`line`](Self::line).
    pub(super) fn read(line: &str) -> Option<ListedComponent> {
        let (position, fluents) = line.split_once(' ')?;
        Some(match position {
            HEAP => ListedComponent::Heap { fluent: fluents.parse().ok()? },
            _ => ListedComponent::Region {
                position: PositionKey::parse(position)?,
                fluents: numbers::parse_list(fluents)?,
            },
        })
    }
}
