//! REPLY: a strategy with one reply to every move, for which all plays are finite.
//!
//! The listed positions are those in which the holder moves; between them the opponents move freely, and the checker
//! makes their moves itself. The reply theorem (Zermelo 1913 in this form): if all moves of the opponents lead to a
//! listed position or to an end that satisfies the bound, and no play is infinite, the holder can force the bound.

use super::codec::lemma_form;
use super::{PayoffBound, StrategyReply};

/// The data of a REPLY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplyLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The replies, in the order of their positions; without ranks.
    pub answers: Vec<StrategyReply>,
}

lemma_form!(ReplyLemma { statement "" bound, records "" answers });
