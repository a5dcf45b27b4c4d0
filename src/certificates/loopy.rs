//! LOOPY: a strategy for a game in which positions can recur.
//!
//! Either each listed position has a rank, the maximal length of play by the strategy from there, and every move
//! decreases it: then play is finite, and the reply theorem holds as in REPLY. Or play may be infinite and the listed
//! positions are a safe set: closed under the opponents' moves and the holder's replies, no end in it gives less than
//! the bound, and neither does infinite play. A draw is two safe sets, one for each player.

use super::codec::{lemma_form, named_words};
use super::{PayoffBound, StrategyReply};

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

named_words!(InfinitePlay { Ranked "ranked", Safe "safe" });
lemma_form!(LoopyLemma { statement "" ending, statement "" bound, records "" answers });
