//! PRODUCT: the value of a conjunctive compound, several games played in step, with the value of each.
//!
//! The checker grounds the rules and verifies that every condition and every effect of a move is about one of the
//! listed components, that a move is any choice of a move for each unfinished component, that the game is over where
//! all components are, and that the ends give a sum. It enumerates the positions of each component alone. Optimal play
//! in each component then is optimal play (for zero-sum components; von Neumann 1928), and the values add up.

use bouton_base::rational::Rational;

use super::codec::{lemma_form, record};

/// The data of a PRODUCT lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProductLemma {
    /// The components, in the order of their first fluents.
    pub components: Vec<ProductComponent>,
}

/// A component of the position with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductComponent {
    /// The fluents, in order, numbered as in [`ListedComponent`](super::sum::ListedComponent).
    pub fluents: Vec<u32>,
    /// The value to the first player. The payoffs are shared out so that the best and the worst share of a component
    /// are at equal distances from 0, except for the first component, which has the rest.
    pub value: Rational,
}

record!(ProductComponent { fluents, value });

lemma_form!(ProductLemma { records "" components });
