//! EXCHANGE: the game has the value 0 for both players, because the players may change places.
//!
//! A symmetry of the rules that exchanges the players and keeps the position maps each strategy of one player to a
//! strategy of the other; so in a zero-sum game neither can force more than 0 (Nash 1951, on symmetric games). The
//! checker grounds the rules and applies the symmetry to every move and every end. Players may move simultaneously.

use super::LemmaKind;
use super::codec::{LemmaReader, LemmaWriter, ReadResult};
use super::mirror::FluentImage;

/// The data of an EXCHANGE lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExchangeLemma {
    /// The images of the fluents that the symmetry moves or changes, in order.
    pub images: Vec<FluentImage>,
    /// By player, in order: his moves, as `name(arguments)`, each with its image among the opponent's moves.
    pub moves: [Vec<(String, String)>; 2],
    /// The fluents with the numbers of their values that weigh 1, as in [`ParityLemma`](super::ParityLemma). The
    /// invariant parity shows that no reachable position without moves fails to be an end.
    pub odd: Vec<(u32, Vec<u8>)>,
}

impl LemmaKind for ExchangeLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.records("image", &self.images);
        lemma.records("first", &self.moves[0]);
        lemma.records("second", &self.moves[1]);
        lemma.records("odd", &self.odd);
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let images = lemma.records("image")?;
        let moves = [lemma.records("first")?, lemma.records("second")?];
        Ok(ExchangeLemma { images, moves, odd: lemma.records("odd")? })
    }
}
