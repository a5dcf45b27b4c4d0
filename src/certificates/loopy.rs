//! LOOPY: a strategy for a game in which positions can recur.
//!
//! Either each listed position has a rank, the maximal length of play by the strategy from there, and every move
//! decreases it: then play is finite, and the reply theorem holds as in REPLY. Or play may be infinite and the listed
//! positions are a safe set: closed under the opponents' moves and the holder's replies, no end in it gives less than
//! the bound, and neither does infinite play. A draw is two safe sets, one for each player.

use super::{LemmaBody, PayoffBound, StrategyReply, strategy};

/// The data of a LOOPY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopyLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The reason why infinite play does not violate the bound.
    pub ending: InfinitePlay,
    /// The replies, in the order of their positions.
    pub answers: Vec<StrategyReply>,
}

/// The reason why infinite play does not violate a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InfinitePlay {
    /// Infinite play is impossible: each reply has a rank.
    Ranked,
    /// Infinite play satisfies the bound; there are no ranks.
    Safe,
}

impl LoopyLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<LoopyLemma> {
        let (ending, rest) = words.split_first()?;
        let ending = match *ending {
            "ranked" => InfinitePlay::Ranked,
            "safe" => InfinitePlay::Safe,
            _ => return None,
        };
        let bound = PayoffBound::parse_head(rest, players)?;
        // An upper bound on all plays is no strategy, so there is nothing to rank.
        let fits = bound.holder.is_some() || ending == InfinitePlay::Safe;
        fits.then_some(LoopyLemma { bound, ending, answers: Vec::new() })
    }
}

impl LemmaBody for LoopyLemma {
    fn head(&self, players: &[String]) -> String {
        let ending = match self.ending {
            InfinitePlay::Ranked => "ranked",
            InfinitePlay::Safe => "safe",
        };
        format!("loopy {ending} {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn line(&self, number: usize) -> String {
        self.answers[number].line()
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        strategy::parse_reply(&mut self.answers, line, self.ending == InfinitePlay::Ranked)
    }
}
