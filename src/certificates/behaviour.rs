//! BEHAVIOUR: a behaviour strategy, that is, probabilities of the actions in each information set of a player.
//!
//! The checker enumerates the histories of the game ply by ply. Histories of one ply are in one information set of a
//! player if he cannot tell them apart: they agree step by step in the moves and in the observations that he saw
//! (perfect recall). If nothing is hidden, a position at a ply is an information set. Sets are numbered by their first
//! histories, in the order of the moves. The bound holds if it holds against a best response of the other player, which
//! chooses, from the last ply to the first, the action that is best on average over the histories of a set (Kuhn 1953).

use bouton_base::rational::Rational;

use super::PayoffBound;
use super::codec::lemma_form;

/// The data of a BEHAVIOUR lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BehaviourLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// For each information set of the holder, the probability of each of his moves, in the order of the moves. A
    /// single player whose payoff is bounded from above has no choices here.
    pub choices: Vec<Vec<Rational>>,
}

lemma_form!(BehaviourLemma { statement "" bound, records "" choices });
