//! PERIODIC: the Grundy values of a row of n cells for every n, in a game in which a move fills a block of free cells
//! of one of a few lengths and the player without a move loses.
//!
//! The checker asks the parser of the rules whether they are uniform in the length of the row, and how far a move
//! looks; then it grounds the rules of all rows that are short enough to contain every case, and examines each move.
//! The certificate supplies the lengths, the values up to one period, and the period; the checker recomputes the
//! values as far as the theorem of Guy and Smith (1956) requires.

use super::LemmaKind;
use super::codec::{LemmaReader, LemmaWriter, ReadResult};

/// The digit of a length of which blocks may be filled anywhere.
const ANYWHERE: u32 = 7;

/// The data of a PERIODIC lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeriodicLemma {
    /// The parameter that is the length of the row.
    pub param: String,
    /// The least length for which the period holds...
    pub from: u32,
    /// ... and the period: a row longer by it has the same value.
    pub period: u32,
    /// The digits of the octal game (Guy and Smith 1956) for blocks of 1, 2, ... cells. A digit is a sum of 1 if a
    /// block may be filled that has no free neighbour, 2 if one with one free neighbour, 4 if one with two.
    pub digits: Vec<u32>,
    /// The values of rows of 0, 1, ... cells, up to the end of the first period.
    pub values: Vec<u32>,
}

impl PeriodicLemma {
    /// Returns the lengths of blocks, if each may be filled anywhere.
    fn blocks(&self) -> Option<Vec<u32>> {
        let anywhere = self.digits.iter().all(|digit| [0, ANYWHERE].contains(digit));
        anywhere.then(|| (1..).zip(&self.digits).filter(|(_, digit)| **digit > 0).map(|(n, _)| n).collect())
    }
}

impl LemmaKind for PeriodicLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement.word(&self.param);
        lemma.statement("period", &self.period);
        lemma.statement("from", &self.from);
        match self.blocks() {
            Some(blocks) => lemma.statement("blocks", &blocks),
            None => lemma.statement("octal", &self.digits),
        }
        (0..).zip(&self.values).for_each(|(cells, &value): (u32, _)| lemma.record("", &(cells, value)));
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let param = lemma.statement.next().unwrap_or_default().to_owned();
        let (period, from) = (lemma.statement("period")?, lemma.statement("from")?);
        let is_octal = lemma.statement.choice(&["blocks", "octal"]) == Some(1);
        let listed: Vec<u32> = lemma.statement("")?;
        let digits = if is_octal {
            listed
        } else {
            // A length past this limit is not written back as it was read, and so refused.
            let longest = listed.iter().copied().max().unwrap_or(0).min(MAX_BLOCK);
            (1..=longest).map(|n| if listed.contains(&n) { ANYWHERE } else { 0 }).collect()
        };
        let values: Vec<(u32, u32)> = lemma.records("")?;
        let values = values.into_iter().map(|(_, value)| value).collect();
        Ok(PeriodicLemma { param, from, period, digits, values })
    }
}

/// The maximal length of a block in a certificate.
const MAX_BLOCK: u32 = 1 << 12;
