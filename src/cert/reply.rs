//! REPLY: a strategy with one answer to everything, where play by it always ends.
//!
//! The positions listed are those where the holder moves; between them the others do what they like, and the checker
//! makes their moves itself. The reply theorem (Zermelo 1913 in this form): if whatever the others do leads to a listed
//! position or to an end that gives the holder enough, and no play goes on for ever, he makes sure of that much.

use super::{Answer, Body, Bound, strategy};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// What is made sure of.
    pub bound: Bound,
    /// The answers, in the order of their positions; without ranks.
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
