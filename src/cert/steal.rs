//! STEAL: that a player wins, without how.
//!
//! Where all answers to a first move lead to what could have been moved to at once, one of these moves is good: the first
//! move if no answer to it is, and otherwise that answer, made at once (John Nash's argument for Hex 1949, as David Gale
//! used it for Chomp 1974). The checker writes the rules out, makes sure that both players have the same moves and lose
//! or win alike, and looks at the moves of the one position.

use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steal {
    /// What is made sure of.
    pub bound: Bound,
    /// The first move, as `name(arguments)`; it may be a bad one.
    pub first: String,
}

impl Steal {
    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Steal> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Steal { bound, first: String::new() })
    }
}

impl Body for Steal {
    fn head(&self, players: &[String]) -> String {
        format!("steal {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        1
    }

    fn line(&self, _: usize) -> String {
        format!("first {}", self.first)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        match line.strip_prefix("first ") {
            Some(first) if self.first.is_empty() && !first.is_empty() => {
                self.first = first.to_owned();
                Ok(())
            }
            _ => Err("one first move is expected here".into()),
        }
    }
}
