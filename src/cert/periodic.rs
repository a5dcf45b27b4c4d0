//! PERIODIC: the Grundy values of a row of n cells for every n, where a move fills a block of free cells of one of a few
//! lengths and who cannot move loses.
//!
//! The checker asks the reader of the text whether it says the same of rows of every length, and how far a move looks;
//! then it writes out the rules of all rows that are short enough to have every case, and looks at each move. From here
//! it takes the lengths, the values up to one period, and the period, and works the values out again as far as the
//! theorem of Guy and Smith (1956) asks.

use super::{Body, numbers};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Periodic {
    /// The parameter that is the length of the row.
    pub param: String,
    /// From this length on...
    pub from: u32,
    /// ... the value of a row is that of a row so much longer.
    pub period: u32,
    /// The lengths of the blocks that a move may fill, in order.
    pub blocks: Vec<u32>,
    /// The values of rows of 0, 1, ... cells, up to the first period.
    pub values: Vec<u32>,
}

impl Periodic {
    pub(super) fn of_head(words: &[&str]) -> Option<Periodic> {
        let &[param, "period", period, "from", from, "blocks", blocks] = words else { return None };
        Some(Periodic {
            param: param.to_owned(),
            from: from.parse().ok()?,
            period: period.parse().ok()?,
            blocks: numbers::list(blocks)?,
            values: Vec::new(),
        })
    }
}

impl Body for Periodic {
    fn head(&self, _: &[String]) -> String {
        let Periodic { param, from, period, blocks, .. } = self;
        format!("periodic {param} period {period} from {from} blocks {}", numbers::listed(blocks))
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn line(&self, number: usize) -> String {
        format!("{number} {}", self.values[number])
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let read: Option<(usize, u32)> =
            line.split_once(' ').and_then(|(n, value)| Some((n.parse().ok()?, value.parse().ok()?)));
        match read {
            Some((n, value)) if n == self.values.len() => {
                self.values.push(value);
                Ok(())
            }
            _ => Err(format!("`{line}` is not the value of the next row")),
        }
    }
}
