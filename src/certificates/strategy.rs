//! The common parts of lemma kinds that list a strategy: a bound, and a reply for each position that needs one.

use bouton_base::rational::Rational;

use super::PositionKey;
use super::codec::{Line, Record, Words, record};

/// A bound on the payoff of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PayoffBound {
    /// The player whose strategy it is, who gets at least the payoff. `None`, for a game of one player: no play gives
    /// more.
    pub holder: Option<u32>,
    pub payoff: Rational,
}

/// The reply of a strategy in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyReply {
    /// A position in which the holder moves.
    pub key: PositionKey,
    /// The maximal number of plies from here, if the kind ranks positions.
    pub rank: Option<u64>,
    /// The holder's move, as `name(arguments)`.
    pub reply: String,
}

record!(StrategyReply { key, rank, reply });

/// The word for the only player, whose payoff is bounded from above.
const ANY_PLAY: &str = "any-play";

/// A bound in the form `X at-least 1` or `any-play at-most 1`.
impl Record for PayoffBound {
    fn write(&self, line: &mut Line<'_>) {
        match self.holder {
            None => line.word(ANY_PLAY).word("at-most"),
            Some(player) => line.player(player).word("at-least"),
        };
        line.record(&self.payoff);
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let who = words.next()?;
        let holder = match words.choice(&["at-most", "at-least"])? {
            0 => (who == ANY_PLAY).then_some(None)?,
            _ => Some(words.player(who)?),
        };
        Some(PayoffBound { holder, payoff: Record::read(words)? })
    }
}

/// A rank, or none: moves do not begin with a digit.
impl Record for Option<u64> {
    fn write(&self, line: &mut Line<'_>) {
        self.iter().for_each(|rank| rank.write(line));
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        match words.rest?.starts_with(|c: char| c.is_ascii_digit()) {
            true => u64::read(words).map(Some),
            false => Some(None),
        }
    }
}
