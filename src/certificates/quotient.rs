//! QUOTIENT: a game whose positions split into independent components, each mapped to an element of a small
//! commutative monoid; the product determines the winner, in normal play as in misere play.
//!
//! The checker tests the components as for SUM. Then it adds components one by one, in any number: a multiset of
//! components matters only by its product and the set of products that moves lead to, and these are finitely many
//! pairs. In each pair the product must be lost for the player to move if and only if no move leads to a lost product.
//! (Thane Plambeck and Aaron Siegel 2008 on misere quotients; as a check of all multisets it is an automaton that
//! reads components.)

use super::sum::ListedComponent;
use super::{LemmaBody, PayoffBound, numbers};

/// The data of a QUOTIENT lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuotientLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The multiplication table, by row and column; element 0 is the unit, the product of no component.
    pub products: Vec<Vec<u8>>,
    /// The elements that are lost for the player to move, in order.
    pub lost: Vec<u8>,
    /// The components, each after those that moves on it lead to, with their elements.
    pub components: Vec<ComponentElement>,
}

/// A component with its element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentElement {
    pub component: ListedComponent,
    /// The element of the monoid that it maps to.
    pub element: u8,
}

impl QuotientLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<QuotientLemma> {
        let [bound @ .., "lost", lost] = words else { return None };
        let bound = PayoffBound::parse_head(bound, players)?;
        let lost = numbers::parse_list(lost)?;
        bound.holder.map(|_| QuotientLemma { bound, lost, products: Vec::new(), components: Vec::new() })
    }
}

impl LemmaBody for QuotientLemma {
    fn head(&self, players: &[String]) -> String {
        format!("quotient {} lost {}", self.bound.head(players), numbers::render_list(&self.lost))
    }

    fn len(&self) -> usize {
        self.products.len() + self.components.len()
    }

    fn line(&self, number: usize) -> String {
        match number.checked_sub(self.products.len()) {
            None => format!("products {}", numbers::render_list(&self.products[number])),
            Some(number) => {
                let ComponentElement { component, element } = &self.components[number];
                format!("{} {element}", component.line())
            }
        }
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if let Some(row) = line.strip_prefix("products ").filter(|_| self.components.is_empty()) {
            let row = numbers::parse_list(row).ok_or_else(|| format!("`{row}` are no elements"))?;
            self.products.push(row);
            return Ok(());
        }
        let read = || {
            let (component, element) = line.rsplit_once(' ')?;
            Some(ComponentElement {
                component: ListedComponent::read(component)?,
                element: element.parse().ok()?,
            })
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its element"))?);
        Ok(())
    }
}
