//! EXCHANGE: the game has the value 0 for both players, because the players may change places.
//!
//! A symmetry of the rules that exchanges the players and keeps the position maps each strategy of one player to a
//! strategy of the other; so in a zero-sum game neither can force more than 0 (Nash 1951, on symmetric games). The
//! checker grounds the rules and applies the symmetry to every move and every end. Players may move simultaneously.

use super::Body;
use super::mirror::Image;
use super::numbers::{list, listed};

/// The data of an EXCHANGE lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    /// The images of the fluents that the symmetry moves or changes, in order.
    pub images: Vec<Image>,
    /// By player, in order: his moves, as `name(arguments)`, each with its image among the opponent's moves.
    pub moves: [Vec<(String, String)>; 2],
    /// The fluents with the numbers of their values that weigh 1, as in [`Parity`](super::Parity). The invariant
    /// parity shows that no reachable position without moves fails to be an end.
    pub odd: Vec<(u32, Vec<u8>)>,
}

impl Exchange {
    pub(super) fn of_head(words: &[&str]) -> Option<Exchange> {
        words.is_empty().then(Exchange::default)
    }
}

/// The separator of a move and its image.
const TO: &str = " -> ";

/// A parsed line, by its first word.
enum Line {
    Image(Image),
    Move(usize, String, String),
    Odd(u32, Vec<u8>),
}

impl Line {
    fn read(line: &str) -> Option<Line> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "image" => Image::read(rest).map(Line::Image),
            "first" | "second" => {
                let (made, becomes) = rest.split_once(TO)?;
                Some(Line::Move(usize::from(word == "second"), made.to_owned(), becomes.to_owned()))
            }
            "odd" => {
                let (fluent, values) = rest.split_once(' ')?;
                Some(Line::Odd(fluent.parse().ok()?, list(values)?))
            }
            _ => None,
        }
    }
}

impl Body for Exchange {
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
                return format!("{word} {made}{TO}{becomes}");
            }
            number -= moves.len();
        }
        let (fluent, values) = &self.odd[number];
        format!("odd {fluent} {}", listed(values))
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let read = Line::read(line).ok_or_else(|| format!("`{line}` is no image, move or weight"))?;
        // The comparison with the canonical form checks that the lines come in this order and each once.
        match read {
            Line::Image(image) => self.images.push(image),
            Line::Move(player, made, becomes) => self.moves[player].push((made, becomes)),
            Line::Odd(fluent, values) => self.odd.push((fluent, values)),
        }
        Ok(())
    }
}
