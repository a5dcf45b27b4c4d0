//! EQUILIBRIUM: strategies of all players from which nobody gains by leaving his own, in any position.
//!
//! Every position that play can reach is listed with the payoffs that the strategies give from there and with the
//! probability of each choice. In each position the payoffs are the mean over the positions after it, and no player
//! gets more by another choice there while all others keep theirs. Then nobody gains by changing any number of his
//! choices either, since such a change gives payoffs that fall in the mean (the one-shot deviation principle: Blackwell
//! 1965; Selten 1965 for subgame perfection). The ranks show that play ends with probability 1.

use bouton_base::rational::Rational;

use super::PositionKey;
use super::codec::{Word, lemma_form, record};

/// The data of an EQUILIBRIUM lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EquilibriumLemma {
    /// The payoffs of all players in the position of the certificate.
    pub payoffs: Vec<Rational>,
    /// All positions that play can reach and that are not terminal, in order.
    pub positions: Vec<EquilibriumPosition>,
}

/// A position with the choices of the players in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EquilibriumPosition {
    pub key: PositionKey,
    /// The least number of moves to the end by the strategies, if infinite play gives no player more than they do, in any
    /// position; otherwise the greatest number of moves to the end at the best chances, whatever the players choose.
    pub rank: u64,
    /// The payoffs of all players by the strategies from here on.
    pub payoffs: Vec<Rational>,
    /// The choices of each player who chooses here, in the order of the players.
    pub choices: Vec<ChoiceProbabilities>,
}

/// The probability of each choice of a player in a position, in the order of the moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChoiceProbabilities(pub Vec<Rational>);

/// The probabilities as `1/3,2/3`; those of several players as `1/3,2/3;0,1`.
impl Word for ChoiceProbabilities {
    const SEPARATOR: &'static str = ";";

    fn render(&self) -> String {
        self.0.iter().map(Word::render).collect::<Vec<_>>().join(",")
    }

    fn parse(text: &str) -> Option<Self> {
        text.split(',').map(Word::parse).collect::<Option<_>>().map(ChoiceProbabilities)
    }
}

record!(EquilibriumPosition { key, rank, payoffs, choices });

lemma_form!(EquilibriumLemma { statement "" payoffs, records "" positions });
