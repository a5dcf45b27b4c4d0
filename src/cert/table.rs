//! TABLE: what every position that can be reached is worth, where play always ends.
//!
//! Backward induction (Zermelo 1913; Michie 1966 for means) made checkable: where nothing comes back, values that
//! are right at the ends, the best move's elsewhere and the mean where chance acts, are the values of perfect play.

use num_rational::Rational64;

use super::{Body, Key, numbers};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// All positions that can be reached and where the game goes on, in order.
    pub values: Vec<Valued>,
}

/// A position with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valued {
    /// The position.
    pub key: Key,
    /// What the first player gets; of two players, the other gets the rest of what all ends have in common.
    pub value: Rational64,
}

impl Body for Table {
    fn head(&self, _players: &[String]) -> String {
        "table".into()
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn line(&self, number: usize) -> String {
        let Valued { key, value } = &self.values[number];
        format!("{key} {value}")
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let read = line
            .split_once(' ')
            .and_then(|(key, value)| Some(Valued { key: Key::parse(key)?, value: numbers::ratio(value)? }));
        let valued = read.ok_or_else(|| format!("`{line}` is no position and value"))?;
        if self.values.last().is_some_and(|last| last.key >= valued.key) {
            return Err(format!("the position {} is out of order", valued.key));
        }
        self.values.push(valued);
        Ok(())
    }
}
