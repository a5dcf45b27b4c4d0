//! TABLE: the value of every reachable position of a finite game.
//!
//! Backward induction (Zermelo 1913; Michie 1966 for means) made checkable: in an acyclic game graph, values that are
//! right at the ends, the best move's at decision nodes and the mean at chance nodes are the values of optimal play.

use bouton_base::rational::Rational;

use super::PositionKey;
use super::codec::{lemma_form, record};

/// The data of a TABLE lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableLemma {
    /// All reachable positions that are not terminal, in order.
    pub values: Vec<ValuedPosition>,
}

/// A position with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuedPosition {
    pub key: PositionKey,
    /// The payoff of the first player; in a game of two players, the second gets the constant sum of all ends minus
    /// it.
    pub value: Rational,
}

record!(ValuedPosition { key, value });

lemma_form!(TableLemma { records "" values });
