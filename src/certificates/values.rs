//! VALUES: bounds on the values of the positions that play by a policy reaches, where chance acts and positions recur.
//!
//! The list of values is a submartingale under the holder's policy: no move of the others makes it smaller, and neither
//! do events of chance in the mean. It is bounded, so it converges (Doob 1953), and play that ends gives the holder at
//! least the first value in the mean. Infinite play does not give him less: a position where it could has a rank, and
//! play from there leaves its value, or comes to a smaller rank, with a positive probability (progress measures; see
//! de Alfaro 1997 for the end components that they exclude).

use bouton_base::rational::Rational;

use super::codec::{lemma_form, record};
use super::{PayoffBound, PositionKey};

/// The data of a VALUES lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuesLemma {
    /// The bound that the policy guarantees, in the mean.
    pub bound: PayoffBound,
    /// The positions that play by the policy reaches and that are not terminal, in order.
    pub values: Vec<PolicyValue>,
}

/// A position with its value under the policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyValue {
    pub key: PositionKey,
    /// The payoff of the holder, or of the only player, that is guaranteed from here.
    pub value: Rational,
    /// The number of moves, at the best chances, to a position of another value or to the end; `None` if infinite play
    /// does not violate the value.
    pub rank: Option<u64>,
    /// The holder's move, as `name(arguments)`; [`NO_MOVE`] where he does not move.
    pub reply: String,
}

/// The reply in positions in which the holder does not move.
pub const NO_MOVE: &str = "-";

record!(PolicyValue { key, value, rank, reply });

lemma_form!(ValuesLemma { statement "" bound, records "" values });
