//! PAIRING: a strategy that replies to a claim of one cell of a pair by a claim of the other, from the start or after
//! some listed moves.
//!
//! If every winning line of the opponent needs both cells of some pair, he never wins (the pairing strategies of
//! Alfred Hales and Robert Jewett 1963). The checker grounds the rules and verifies that a move only claims a free
//! cell, that the openings cover every way of the opponent to begin, and that after each opening every end with less
//! than the bound needs both cells of a pair.

use super::codec::{LemmaReader, LemmaWriter, Line, ReadResult, Record, Words};
use super::{LemmaKind, PayoffBound};

/// The data of a PAIRING lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairingLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The openings, in order of their moves.
    pub openings: Vec<PairingOpening>,
}

/// An opening: some moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PairingOpening {
    /// The moves of both players, as `name(arguments)`.
    pub moves: Vec<String>,
    /// The pairs of fluents, the smaller first, in order. Fluents are numbered as the state declares them: cell by
    /// cell, a cell that holds a set element by element.
    pub pairs: Vec<(u32, u32)>,
}

impl PairingLemma {
    /// Makes a strategy; sorts the openings.
    pub fn new(bound: PayoffBound, mut beginnings: Vec<PairingOpening>) -> PairingLemma {
        beginnings.sort_unstable();
        PairingLemma { bound, openings: beginnings }
    }
}

/// The separator of the moves of an opening.
const MOVE_SEPARATOR: &str = "; ";

/// The moves of an opening: `after put(a1); put(b2)`, or `at once`.
impl Record for PairingOpening {
    fn write(&self, line: &mut Line<'_>) {
        match self.moves[..] {
            [] => line.word("at once"),
            _ => line.word("after").word(self.moves.join(MOVE_SEPARATOR)),
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let moves = match words.choice(&["at", "after"])? {
            0 => words.skip("once").map(|()| Vec::new())?,
            _ => words.rest.take()?.split(MOVE_SEPARATOR).map(String::from).collect(),
        };
        Some(PairingOpening { moves, pairs: Vec::new() })
    }
}

impl LemmaKind for PairingLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement("", &self.bound);
        for opening in &self.openings {
            lemma.record("", opening);
            lemma.records("", &opening.pairs);
        }
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let (bound, mut openings) = (lemma.statement("")?, Vec::new());
        while lemma.next_is("a") {
            let opening: PairingOpening = lemma.record("")?;
            let pairs = lemma.records_while(|line| !line.starts_with('a'), "")?;
            openings.push(PairingOpening { pairs, ..opening });
        }
        Ok(PairingLemma { bound, openings })
    }
}
