//! SUM: a game whose positions split into independent components, with the Grundy value of each.
//!
//! The checker grounds the rules, verifies that both players have the same moves and that the player without a move
//! loses, and decomposes the position itself: components, the results of moves on them, and the components of these,
//! until the set is closed. Components that are the same game up to a renaming of fluents are one. The certificate
//! supplies only their values. The player to move wins if and only if the exclusive or (nim sum) of the values of the
//! position's components is not 0 (Charles Bouton 1901; Roland Sprague 1935; Patrick Grundy 1939).

use super::{LemmaBody, PayoffBound, numbers};

/// The data of a SUM lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SumLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The components in the order in which the checker finds them: each after its options.
    pub components: Vec<ValuedComponent>,
}

/// A component with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuedComponent {
    pub component: ListedComponent,
    pub nimber: u32,
}

/// A component, represented by the first one found of the same game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedComponent {
    /// The fluents, in order. Fluents are numbered as the state declares them: cell by cell, a cell that holds a set
    /// element by element. For a heap it is the fluent that counts it.
    pub fluents: Vec<u32>,
    /// The value numbers of these fluents.
    pub values: Vec<u8>,
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

impl ListedComponent {
    /// Renders the component as `2,3,4 1,1,1`.
    pub(super) fn line(&self) -> String {
        format!("{} {}", numbers::render_list(&self.fluents), numbers::render_list(&self.values))
    }

    pub(super) fn read(line: &str) -> Option<ListedComponent> {
        let (fluents, values) = line.split_once(' ')?;
        let read =
            ListedComponent { fluents: numbers::parse_list(fluents)?, values: numbers::parse_list(values)? };
        (read.fluents.len() == read.values.len()).then_some(read)
    }
}
