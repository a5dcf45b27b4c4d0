//! REPLY: a strategy with one reply to every move, for which all plays are finite.
//!
//! The listed positions are those in which the holder moves; between them the opponents move freely, and the checker
//! makes their moves itself. The reply theorem (Zermelo 1913 in this form): if all moves of the opponents lead to a
//! listed position or to an end that satisfies the bound, and no play is infinite, the holder can force the bound.

use super::{LemmaBody, PayoffBound, StrategyReply, strategy};

/// The data of a REPLY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplyLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The replies, in the order of their positions; without ranks.
    pub answers: Vec<StrategyReply>,
}

impl ReplyLemma {
    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<ReplyLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| ReplyLemma { bound, answers: Vec::new() })
    }
}

impl LemmaBody for ReplyLemma {
    fn head(&self, players: &[String]) -> String {
        format!("reply {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn line(&self, number: usize) -> String {
        self.answers[number].line()
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        strategy::parse_reply(&mut self.answers, line, false)
    }
}
