//! PERIODIC: the Grundy values of a row of n cells for every n, in a game in which a move fills a block of free cells
//! of one of a few lengths and the player without a move loses.
//!
//! The checker asks the parser of the rules whether they are uniform in the length of the row, and how far a move
//! looks; then it grounds the rules of all rows that are short enough to contain every case, and examines each move.
//! The certificate supplies the lengths, the values up to one period, and the period; the checker recomputes the
//! values as far as the theorem of Guy and Smith (1956) requires.

use super::{LemmaBody, numbers};

/// The data of a PERIODIC lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeriodicLemma {
    /// The parameter that is the length of the row.
    pub param: String,
    /// The least length for which the period holds...
    pub from: u32,
    /// ... and the period: a row longer by it has the same value.
    pub period: u32,
    /// The lengths of the blocks that a move may fill, in order.
    pub blocks: Vec<u32>,
    /// The values of rows of 0, 1, ... cells, up to the end of the first period.
    pub values: Vec<u32>,
}

impl PeriodicLemma {
    pub(super) fn parse_head(words: &[&str]) -> Option<PeriodicLemma> {
        let &[param, "period", period, "from", from, "blocks", blocks] = words else { return None };
        Some(PeriodicLemma {
            param: param.to_owned(),
            from: from.parse().ok()?,
            period: period.parse().ok()?,
            blocks: numbers::parse_list(blocks)?,
            values: Vec::new(),
        })
    }
}

impl LemmaBody for PeriodicLemma {
    fn head(&self, _: &[String]) -> String {
        let PeriodicLemma { param, from, period, blocks, .. } = self;
        format!("periodic {param} period {period} from {from} blocks {}", numbers::render_list(blocks))
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn line(&self, number: usize) -> String {
        format!("{number} {}", self.values[number])
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
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
