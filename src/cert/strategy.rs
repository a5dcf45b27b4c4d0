//! What the kinds that list a strategy have in common: a bound, and an answer for each position where one is needed.

use num_rational::Rational64;

use super::{Key, numbers};

/// What is made sure of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The player whose strategy it is: he gets at least the payoff. None, of one player: no play gives him more.
    pub holder: Option<u32>,
    /// How much.
    pub payoff: Rational64,
}

/// What the holder of a strategy does in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// A position where he moves.
    pub key: Key,
    /// The plies that play takes from here at most, where the kind ranks positions.
    pub rank: Option<u64>,
    /// His move, as `name(arguments)`.
    pub reply: String,
}

/// How the text says that no play gives more.
const ANY_PLAY: &str = "any-play at-most";

impl Bound {
    /// `X at-least 1`
    pub(super) fn head(&self, players: &[String]) -> String {
        match self.holder {
            None => format!("{ANY_PLAY} {}", self.payoff),
            Some(player) => {
                let name = players.get(player as usize).map_or("?", String::as_str);
                format!("{name} at-least {}", self.payoff)
            }
        }
    }

    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Bound> {
        let &[who, how, payoff] = words else { return None };
        let holder = if format!("{who} {how}") == ANY_PLAY {
            None
        } else {
            let place = players.iter().position(|p| p == who).filter(|_| how == "at-least")?;
            Some(u32::try_from(place).ok()?)
        };
        Some(Bound { holder, payoff: numbers::ratio(payoff)? })
    }
}

impl Answer {
    pub(super) fn line(&self) -> String {
        match self.rank {
            Some(rank) => format!("{} {rank} {}", self.key, self.reply),
            None => format!("{} {}", self.key, self.reply),
        }
    }
}

/// Takes in the line of an answer; positions come in order, each once.
pub(super) fn take(answers: &mut Vec<Answer>, line: &str, ranked: bool) -> Result<(), String> {
    let wrong =
        || format!("`{line}` is no {}", if ranked { "position, rank and move" } else { "position and move" });
    let (key, rest) = line.split_once(' ').ok_or_else(wrong)?;
    let key = Key::parse(key).ok_or_else(wrong)?;
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
    answers.push(Answer { key, rank, reply: reply.to_owned() });
    Ok(())
}
