//! REPLY: a strategy with one reply to every move, for which all plays are finite.
//!
//! The listed positions are those in which the holder moves; between them the opponents move freely, and the checker
//! makes their moves itself. The reply theorem (Zermelo 1913 in this form): if all moves of the opponents lead to a
//! listed position or to an end that satisfies the bound, and no play is infinite, the holder can force the bound.

use super::{Answer, Body, Bound, strategy};

/// The data of a REPLY lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The bound that the strategy guarantees.
    pub bound: Bound,
    /// The replies, in the order of their positions; without ranks.
    pub answers: Vec<Answer>,
}

impl Reply {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Reply> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Reply { bound, answers: Vec::new() })
    }
}

impl Body for Reply {
    fn head(&self, players: &[String]) -> String {
        format!("reply {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn line(&self, number: usize) -> String {
        self.answers[number].line()
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        strategy::take(&mut self.answers, line, false)
    }
}
