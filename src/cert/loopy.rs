//! LOOPY: a strategy where positions can come back.
//!
//! Either each listed position has a rank, the longest that play by the strategy can take from there, and every move
//! of play brings it down: then play ends, and the reply theorem holds as in REPLY. Or play may go on for ever and
//! the listed positions are a safe set: closed under what the others do and the holder's answers, no end in it gives
//! less than the bound, and neither does play that never ends. A draw is two safe sets, one a player.

use super::{Answer, Body, Bound, strategy};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loopy {
    /// What is made sure of.
    pub bound: Bound,
    /// Why play that goes on for ever takes nothing from it.
    pub ending: Ending,
    /// The answers, in the order of their positions.
    pub answers: Vec<Answer>,
}

/// Why infinite play does no harm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// There is none: each answer has its rank.
    Ranked,
    /// It gives enough; there are no ranks.
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
        // That no play gives more than so much is no strategy, so there is nothing to rank.
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
