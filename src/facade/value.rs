//! The values of perfect play, and the outcomes of finished games.

use std::fmt::{self, Display, Formatter};

use bouton_base::rational::Rational;

use bouton_report::page::MoveOutcome;
use bouton_rules::Rules;
use bouton_search::game;
use bouton_search::solve::{self, ValueKind};

/// The result of a game under perfect play, or of a finished one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Value {
    pub outcome: Outcome,
    /// Each player's payoff by his name; a win, draw, loss are 1, 0, -1.
    pub payoffs: Vec<(String, Number)>,
    /// Plies to the end: the winner hurries, the loser delays. `None` for draws and payoffs, and if they were not
    /// counted.
    pub plies: Option<u32>,
    /// The first player's score less the second's, if the players play for it.
    pub margin: Option<Number>,
}

/// The kind of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The player of this name wins.
    Win(String),
    Draw,
    /// The players get their payoffs; with chance, on average.
    Payoff,
    /// The only player wins.
    Solved,
    /// The only player cannot win.
    Unsolvable,
}

/// A rational number; it may have more digits than integers of 64 bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(Rational);

/// The nearest number in floating point; `Display` gives the exact one.
impl From<&Number> for f64 {
    fn from(number: &Number) -> f64 {
        number.0.to_f64()
    }
}

impl From<Rational> for Number {
    fn from(number: Rational) -> Number {
        Number(number)
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value in a few words, such as `X wins in 5 plies`.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Win(winner) => write!(f, "{winner} wins")?,
            Outcome::Draw => f.write_str("draw")?,
            Outcome::Solved => f.write_str("solved")?,
            Outcome::Unsolvable => f.write_str("cannot be solved")?,
            Outcome::Payoff => {
                let each: Vec<String> =
                    self.payoffs.iter().map(|(name, payoff)| format!("{name} gets {payoff}")).collect();
                f.write_str(&each.join(", "))?;
            }
        }
        match self.plies {
            Some(1) => f.write_str(" in 1 ply"),
            Some(plies) => write!(f, " in {plies} plies"),
            None => Ok(()),
        }
    }
}

impl Value {
    pub(crate) fn payoff(&self, player: usize) -> Option<&Number> {
        self.payoffs.get(player).map(|(_, payoff)| payoff)
    }

    /// The value for a player who makes a move to it, among moves with payoffs between these.
    pub(crate) fn worth(&self, player: usize, least: Option<&Number>, most: Option<&Number>) -> MoveOutcome {
        let own = self.payoff(player);
        let name = self.payoffs.get(player).map(|(name, _)| name);
        match &self.outcome {
            Outcome::Win(winner) if Some(winner) == name => MoveOutcome::Win,
            Outcome::Solved => MoveOutcome::Win,
            Outcome::Win(_) | Outcome::Unsolvable => MoveOutcome::Loss,
            Outcome::Payoff if least != most && own == most => MoveOutcome::Win,
            Outcome::Payoff if least != most && own == least => MoveOutcome::Loss,
            Outcome::Draw | Outcome::Payoff => MoveOutcome::Draw,
        }
    }

    pub(crate) fn of_play(rules: &Rules, value: &solve::Value, plies: Option<u32>) -> Value {
        let outcome = match value.kind {
            ValueKind::Win(winner) => Outcome::Win(name(rules, winner as usize)),
            ValueKind::Draw => Outcome::Draw,
            ValueKind::Payoff => Outcome::Payoff,
            ValueKind::Solved => Outcome::Solved,
            ValueKind::Unsolvable => Outcome::Unsolvable,
        };
        Value { outcome, payoffs: payoffs(rules, &value.payoffs), plies, margin: None }
    }

    pub(crate) fn of_end(rules: &Rules, end: &game::Outcome) -> Value {
        let wins = |&(_, payoff): &(usize, &Rational)| payoff.is_positive();
        let winners: Vec<usize> =
            end.payoffs.iter().enumerate().filter(wins).map(|(player, _)| player).collect();
        let outcome = match (end.kind, &winners[..]) {
            (game::OutcomeKind::Draw, _) => Outcome::Draw,
            (game::OutcomeKind::Win, []) => Outcome::Unsolvable,
            (game::OutcomeKind::Win, _) if end.payoffs.len() == 1 => Outcome::Solved,
            (game::OutcomeKind::Win, &[winner]) => Outcome::Win(name(rules, winner)),
            // Several players win together.
            (game::OutcomeKind::Win | game::OutcomeKind::Payoff, _) => Outcome::Payoff,
        };
        Value { outcome, payoffs: payoffs(rules, &end.payoffs), plies: None, margin: None }
    }
}

fn name(rules: &Rules, player: usize) -> String {
    rules.players().get(player).cloned().unwrap_or_default()
}

fn payoffs(rules: &Rules, payoffs: &[Rational]) -> Vec<(String, Number)> {
    rules.players().iter().zip(payoffs).map(|(name, payoff)| (name.clone(), payoff.clone().into())).collect()
}
