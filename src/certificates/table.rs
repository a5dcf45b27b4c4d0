//! TABLE: the value of every reachable position of a finite game.
//!
//! Backward induction (Zermelo 1913; Michie 1966 for means) made checkable: in an acyclic game graph, values that are
//! right at the ends, the best move's at decision nodes and the mean at chance nodes are the values of optimal play.

use num_rational::Rational64;

use super::{LemmaBody, PositionKey, numbers};

/// The data of a TABLE lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableLemma {
    /// All reachable positions that are not terminal, in order.
    pub values: Vec<ValuedPosition>,
}

/// A position with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuedPosition {
    pub key: PositionKey,
    /// The payoff of the first player; in a game of two players, the second gets the constant sum of all ends minus
    /// it.
    pub value: Rational64,
}

impl LemmaBody for TableLemma {
    fn head(&self, _players: &[String]) -> String {
        "table".into()
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn line(&self, number: usize) -> String {
        let ValuedPosition { key, value } = &self.values[number];
        format!("{key} {value}")
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = line.split_once(' ').and_then(|(key, value)| {
            Some(ValuedPosition { key: PositionKey::parse(key)?, value: numbers::parse_ratio(value)? })
        });
        let valued = read.ok_or_else(|| format!("`{line}` is no position and value"))?;
        if self.values.last().is_some_and(|last| last.key >= valued.key) {
            return Err(format!("the position {} is out of order", valued.key));
        }
        self.values.push(valued);
        Ok(())
    }
}
