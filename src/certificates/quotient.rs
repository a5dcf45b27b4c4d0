//! QUOTIENT: a game whose positions split into independent components, each mapped to an element of a small
//! commutative monoid; the product determines the winner, in normal play as in misere play.
//!
//! The checker tests the components as for SUM. Then it adds components one by one, in any number: a multiset of
//! components matters only by its product and the set of products that moves lead to, and these are finitely many
//! pairs. In each pair the product must be lost for the player to move if and only if no move leads to a lost product.
//! (Thane Plambeck and Aaron Siegel 2008 on misere quotients; as a check of all multisets it is an automaton that
//! reads components.)

use super::PayoffBound;
use super::codec::{lemma_form, record};
use super::sum::ListedComponent;

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

record!(ComponentElement { component, element });

lemma_form!(QuotientLemma {
    statement "" bound,
    statement "lost" lost,
    records "products" products,
    records "" components
});
