//! EXCHANGE: the game has the value 0 for both players, because the players may change places.
//!
//! A symmetry of the rules that exchanges the players and keeps the position maps each strategy of one player to a
//! strategy of the other; so in a zero-sum game neither can force more than 0 (Nash 1951, on symmetric games). The
//! checker grounds the rules and applies the symmetry to every move and every end. Players may move simultaneously.

use super::LemmaBody;
use super::mirror::FluentImage;
use super::numbers::{parse_list, render_list};

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

impl ExchangeLemma {
    pub(super) fn parse_head(words: &[&str]) -> Option<ExchangeLemma> {
        words.is_empty().then(ExchangeLemma::default)
    }
}

/// The separator of a move and its image.
const IMAGE_SEPARATOR: &str = " -> ";

/// A parsed line, by its first word.
enum ExchangeLine {
    Image(FluentImage),
    Move(usize, String, String),
    Odd(u32, Vec<u8>),
}

impl ExchangeLine {
    fn read(line: &str) -> Option<ExchangeLine> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "image" => FluentImage::read(rest).map(ExchangeLine::Image),
            "first" | "second" => {
                let (made, becomes) = rest.split_once(IMAGE_SEPARATOR)?;
                Some(ExchangeLine::Move(usize::from(word == "second"), made.to_owned(), becomes.to_owned()))
            }
            "odd" => {
                let (fluent, values) = rest.split_once(' ')?;
                Some(ExchangeLine::Odd(fluent.parse().ok()?, parse_list(values)?))
            }
            _ => None,
        }
    }
}

impl LemmaBody for ExchangeLemma {
    fn head(&self, _: &[String]) -> String {
        "exchange".into()
    }

    fn len(&self) -> usize {
        self.images.len() + self.moves[0].len() + self.moves[1].len() + self.odd.len()
    }

    fn line(&self, mut number: usize) -> String {
        if let Some(image) = self.images.get(number) {
            return format!("image {}", image.line());
        }
        number -= self.images.len();
        for (word, moves) in ["first", "second"].iter().zip(&self.moves) {
            if let Some((made, becomes)) = moves.get(number) {
                return format!("{word} {made}{IMAGE_SEPARATOR}{becomes}");
            }
            number -= moves.len();
        }
        let (fluent, values) = &self.odd[number];
        format!("odd {fluent} {}", render_list(values))
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = ExchangeLine::read(line).ok_or_else(|| format!("`{line}` is no image, move or weight"))?;
        // The comparison with the canonical form checks that the lines come in this order and each once.
        match read {
            ExchangeLine::Image(image) => self.images.push(image),
            ExchangeLine::Move(player, made, becomes) => self.moves[player].push((made, becomes)),
            ExchangeLine::Odd(fluent, values) => self.odd.push((fluent, values)),
        }
        Ok(())
    }
}
