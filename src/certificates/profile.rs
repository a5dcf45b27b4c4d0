//! PROFILE: behaviour strategies of two to six players from which none gains by leaving his own.
//!
//! Information sets are those of BEHAVIOUR. The payoffs are those of the strategies, and a best response of each
//! player to the others' strategies gives him no more (Nash 1950; with perfect recall, mixed responses give no more than
//! such a response: Kuhn 1953).

use bouton_base::rational::Rational;

use super::ChoiceProbabilities;
use super::codec::{lemma_form, record};

/// The data of a PROFILE lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileLemma {
    /// The payoffs of the players by their strategies.
    pub payoffs: Vec<Rational>,
    /// The information sets of the first player, in order, then those of the next ones.
    pub sets: Vec<ProfileSet>,
}

/// The probabilities of a player's moves in an information set of his, in the order of the moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileSet {
    pub player: u32,
    pub choices: ChoiceProbabilities,
}

record!(ProfileSet { player, choices });

lemma_form!(ProfileLemma { statement "" payoffs, records "" sets });
