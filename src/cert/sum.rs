//! SUM: a game whose positions fall apart into independent components, with the Grundy value of each.
//!
//! The checker writes the rules out, makes sure that both players have the same moves and that who cannot move loses,
//! and takes the position apart itself: components, what moves make of them, and what those fall apart into, until nothing
//! new comes. Components that are the same game with fluents renamed are one. From here it takes only what they are worth.
//! The player to move wins where the values of the components of the position, added in binary without carrying, are not
//! 0 (Charles Bouton 1901; Roland Sprague 1935; Patrick Grundy 1939).

use super::{Body, Bound, numbers};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    /// What is made sure of.
    pub bound: Bound,
    /// The components in the order in which the checker has worked them out: each after those that come of it.
    pub components: Vec<Valued>,
}

/// A component with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valued {
    /// The component.
    pub component: Component,
    /// Its Grundy value.
    pub nimber: u32,
}

/// A component: of those that are the same game the first that is met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its fluents, in order. Fluents are numbered as the state declares them: cell by cell, a cell that holds a set
    /// element by element. Of a heap that is counted it is the count.
    pub fluents: Vec<u32>,
    /// The numbers of their values.
    pub values: Vec<u8>,
}

impl Sum {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Sum> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Sum { bound, components: Vec::new() })
    }
}

impl Body for Sum {
    fn head(&self, players: &[String]) -> String {
        format!("sum {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.components.len()
    }

    fn line(&self, number: usize) -> String {
        let Valued { component, nimber } = &self.components[number];
        format!("{} {nimber}", component.line())
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let read = || {
            let (component, nimber) = line.rsplit_once(' ')?;
            Some(Valued { component: Component::read(component)?, nimber: nimber.parse().ok()? })
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its value"))?);
        Ok(())
    }
}

impl Component {
    /// `2,3,4 1,1,1`
    pub(super) fn line(&self) -> String {
        format!("{} {}", numbers::listed(&self.fluents), numbers::listed(&self.values))
    }

    pub(super) fn read(line: &str) -> Option<Component> {
        let (fluents, values) = line.split_once(' ')?;
        let read = Component { fluents: numbers::list(fluents)?, values: numbers::list(values)? };
        (read.fluents.len() == read.values.len()).then_some(read)
    }
}
