//! STEAL: that a player makes sure of something, without how.
//!
//! *By absorption*: where all answers to a first move lead to what could have been moved to at once, one of these moves is
//! good: the first move if no answer to it is, and otherwise that answer, made at once (as David Gale used it for Chomp
//! 1974). The checker writes the rules out, makes sure that both players have the same moves and lose or win alike, and
//! looks at the moves of the one position.
//!
//! *By exchange*: where cells are claimed, both play for the same, and a cell more never hurts, who moves first claims any
//! cell and then plays as the second player would (John Nash 1949, of Hex). The certificate has how the players change
//! places.

use super::mirror::Image;
use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steal {
    /// What is made sure of.
    pub bound: Bound,
    /// The argument; none until its first line was read.
    pub by: Option<Theft>,
}

/// Why a strategy of the other player would do for the holder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Theft {
    /// The first move, as `name(arguments)`; it may be a bad one.
    Absorption(String),
    /// Where the fluents go that do not stay as they are, in order.
    Exchange(Vec<Image>),
}

impl Steal {
    /// A claim with its argument.
    pub fn new(bound: Bound, by: Theft) -> Steal {
        Steal { bound, by: Some(by) }
    }

    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Steal> {
        let bound = Bound::of_head(words, players)?;
        bound.holder.map(|_| Steal { bound, by: None })
    }
}

impl Body for Steal {
    fn head(&self, players: &[String]) -> String {
        format!("steal {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        match &self.by {
            None => 0,
            Some(Theft::Absorption(_)) => 1,
            Some(Theft::Exchange(images)) => images.len(),
        }
    }

    fn line(&self, number: usize) -> String {
        match &self.by {
            Some(Theft::Absorption(first)) => format!("first {first}"),
            Some(Theft::Exchange(images)) => images.get(number).map_or(String::new(), Image::line),
            None => String::new(),
        }
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        match (line.strip_prefix("first "), &mut self.by) {
            (Some(first), None) if !first.is_empty() => self.by = Some(Theft::Absorption(first.to_owned())),
            (None, by @ (None | Some(Theft::Exchange(_)))) => {
                let image = Image::read(line).ok_or_else(|| format!("`{line}` is no image"))?;
                match by {
                    Some(Theft::Exchange(images)) => images.push(image),
                    _ => *by = Some(Theft::Exchange(vec![image])),
                }
            }
            _ => return Err("one first move is expected here, or images".into()),
        }
        Ok(())
    }
}
