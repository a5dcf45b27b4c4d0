//! STEAL: strategy stealing: a player can force a bound, without an explicit strategy.
//!
//! *By absorption*: if all answers to a first move lead to positions that the player could have moved to at once, one
//! of these moves is good: the first move if no answer to it is, and otherwise that answer, made at once (as David
//! Gale used it for Chomp 1974). The checker grounds the rules, verifies that both players have the same moves and the
//! same conditions of winning, and examines the moves of the one position.
//!
//! *By exchange*: if moves claim cells, both players have the same goal, and an additional cell never hurts, the first
//! player claims any cell and then plays as the second player would (John Nash 1949, of Hex). The certificate holds
//! the symmetry that exchanges the players.

use super::mirror::FluentImage;
use super::{LemmaBody, PayoffBound};

/// The data of a STEAL lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StealLemma {
    /// The bound that the holder can force.
    pub bound: PayoffBound,
    /// The argument; `None` until its first line is parsed.
    pub by: Option<StealArgument>,
}

/// The reason why the holder can use a strategy of the opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StealArgument {
    /// The first move, as `name(arguments)`; it may be a bad one.
    Absorption(String),
    /// The images of the fluents that the symmetry moves or changes, in order.
    Exchange(Vec<FluentImage>),
}

impl StealLemma {
    pub fn new(bound: PayoffBound, by: StealArgument) -> StealLemma {
        StealLemma { bound, by: Some(by) }
    }

    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<StealLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| StealLemma { bound, by: None })
    }
}

impl LemmaBody for StealLemma {
    fn head(&self, players: &[String]) -> String {
        format!("steal {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        match &self.by {
            None => 0,
            Some(StealArgument::Absorption(_)) => 1,
            Some(StealArgument::Exchange(images)) => images.len(),
        }
    }

    fn line(&self, number: usize) -> String {
        match &self.by {
            Some(StealArgument::Absorption(first)) => format!("first {first}"),
            Some(StealArgument::Exchange(images)) => {
                images.get(number).map_or(String::new(), FluentImage::line)
            }
            None => String::new(),
        }
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        match (line.strip_prefix("first "), &mut self.by) {
            (Some(first), None) if !first.is_empty() => {
                self.by = Some(StealArgument::Absorption(first.to_owned()))
            }
            (None, by @ (None | Some(StealArgument::Exchange(_)))) => {
                let image = FluentImage::read(line).ok_or_else(|| format!("`{line}` is no image"))?;
                match by {
                    Some(StealArgument::Exchange(images)) => images.push(image),
                    _ => *by = Some(StealArgument::Exchange(vec![image])),
                }
            }
            _ => return Err("one first move is expected here, or images".into()),
        }
        Ok(())
    }
}
