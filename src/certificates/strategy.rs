//! The common parts of lemma kinds that list a strategy: a bound, and a reply for each position that needs one.

use num_rational::Rational64;

use super::{PositionKey, numbers};

/// A bound on the payoff of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PayoffBound {
    /// The player whose strategy it is, who gets at least the payoff. `None`, for a game of one player: no play gives
    /// more.
    pub holder: Option<u32>,
    pub payoff: Rational64,
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

/// The words for a bound of the only player from above.
const ANY_PLAY: &str = "any-play at-most";

impl PayoffBound {
    /// Renders the bound as `X at-least 1`.
    pub(super) fn head(&self, players: &[String]) -> String {
        match self.holder {
            None => format!("{ANY_PLAY} {}", self.payoff),
            Some(player) => {
                let name = players.get(player as usize).map_or("?", String::as_str);
                format!("{name} at-least {}", self.payoff)
            }
        }
    }

    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<PayoffBound> {
        let &[who, how, payoff] = words else { return None };
        let holder = if format!("{who} {how}") == ANY_PLAY {
            None
        } else {
            let place = players.iter().position(|p| p == who).filter(|_| how == "at-least")?;
            Some(u32::try_from(place).ok()?)
        };
        Some(PayoffBound { holder, payoff: numbers::parse_ratio(payoff)? })
    }
}

impl StrategyReply {
    pub(super) fn line(&self) -> String {
        match self.rank {
            Some(rank) => format!("{} {rank} {}", self.key, self.reply),
            None => format!("{} {}", self.key, self.reply),
        }
    }
}

/// Parses the line of a reply and appends it; positions must be in strict order.
pub(super) fn parse_reply(answers: &mut Vec<StrategyReply>, line: &str, ranked: bool) -> Result<(), String> {
    let wrong =
        || format!("`{line}` is no {}", if ranked { "position, rank and move" } else { "position and move" });
    let (key, rest) = line.split_once(' ').ok_or_else(wrong)?;
    let key = PositionKey::parse(key).ok_or_else(wrong)?;
    let (rank, reply) = if ranked {
        let (rank, reply) = rest.split_once(' ').ok_or_else(wrong)?;
        (Some(rank.parse().map_err(|_| wrong())?), reply)
    } else {
        (None, rest)
    };
    if reply.is_empty() {
        return Err(wrong());
    }
    if answers.last().is_some_and(|last| last.key >= key) {
        return Err(format!("the position {key} is out of order"));
    }
    answers.push(StrategyReply { key, rank, reply: reply.to_owned() });
    Ok(())
}
