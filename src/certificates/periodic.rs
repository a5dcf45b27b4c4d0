//! PERIODIC: the Grundy values of a row of n cells for every n, in a game in which a move fills a block of free cells
//! of one of a few lengths and the player without a move loses.
//!
//! The checker asks the parser of the rules whether they are uniform in the length of the row, and how far a move
//! looks; then it grounds the rules of all rows that are short enough to contain every case, and examines each move.
//! The certificate supplies the lengths, the values up to one period, and the period; the checker recomputes the
//! values as far as the theorem of Guy and Smith (1956) requires.

use super::LemmaKind;
use super::codec::{LemmaReader, LemmaWriter, ReadResult};

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

impl LemmaKind for PeriodicLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement.word(&self.param);
        lemma.statement("period", &self.period);
        lemma.statement("from", &self.from);
        lemma.statement("blocks", &self.blocks);
        (0..).zip(&self.values).for_each(|(cells, &value): (u32, _)| lemma.record("", &(cells, value)));
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let param = lemma.statement.next().unwrap_or_default().to_owned();
        let (period, from) = (lemma.statement("period")?, lemma.statement("from")?);
        let blocks = lemma.statement("blocks")?;
        let values: Vec<(u32, u32)> = lemma.records("")?;
        let values = values.into_iter().map(|(_, value)| value).collect();
        Ok(PeriodicLemma { param, from, period, blocks, values })
    }
}
