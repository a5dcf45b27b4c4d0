//! LOOPY: a strategy for a game in which positions can recur.
//!
//! Either each listed position has a rank, the maximal length of play by the strategy from there, and every move
//! decreases it: then play is finite, and the reply theorem holds as in REPLY. Or play may be infinite and the listed
//! positions are a safe set: closed under the opponents' moves and the holder's replies, no end in it gives less than
//! the bound, and neither does infinite play. A draw is two safe sets, one for each player.

use super::{Answer, Body, Bound, strategy};

/// The data of a LOOPY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loopy {
    /// The bound that the strategy guarantees.
    pub bound: Bound,
    /// The reason why infinite play does not violate the bound.
    pub ending: Ending,
    /// The replies, in the order of their positions.
    pub answers: Vec<Answer>,
}

/// The reason why infinite play does not violate a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Infinite play is impossible: each reply has a rank.
    Ranked,
    /// Infinite play satisfies the bound; there are no ranks.
    Safe,
}

impl Loopy {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Loopy> {
        let (ending, rest) = words.split_first()?;
        let ending = match *ending {
            "ranked" => Ending::Ranked,
            "safe" => Ending::Safe,
            _ => return None,
        };
        let bound = Bound::of_head(rest, players)?;
        // An upper bound on all plays is no strategy, so there is nothing to rank.
        let fits = bound.holder.is_some() || ending == Ending::Safe;
        fits.then_some(Loopy { bound, ending, answers: Vec::new() })
    }
}

impl Body for Loopy {
    fn head(&self, players: &[String]) -> String {
        let ending = match self.ending {
            Ending::Ranked => "ranked",
            Ending::Safe => "safe",
        };
        format!("loopy {ending} {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn line(&self, number: usize) -> String {
        self.answers[number].line()
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        strategy::take(&mut self.answers, line, self.ending == Ending::Ranked)
    }
}
