//! What perfect play gives, and what a solver says of a position.
//!
//! A *value* is what perfect play gives; an [`Outcome`](crate::game::Outcome) is what the rules give at the end; a
//! bound is neither.

use std::sync::Arc;

use num_rational::Rational64;

use super::table::Table;
use super::tally::Tally;
use crate::base::limits::LimitHit;
use crate::cert::{Ending, Lemma};
use crate::game::{Play, State};

/// A payoff or a probability, to be set beside guesses.
pub(super) fn float(ratio: Rational64) -> f64 {
    *ratio.numer() as f64 / *ratio.denom() as f64
}

/// What perfect play gives each player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Each player's payoff; a win, draw, loss are 1, 0, -1.
    pub payoffs: Vec<Rational64>,
    /// How it is told.
    pub kind: ValueKind,
}

/// How a value is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// This player wins.
    Win(u32),
    /// Nobody can win.
    Draw,
    /// Payoffs, or a mean of results where chance has a say.
    Payoff,
    /// The only player wins; the remoteness is the fewest moves.
    Solved,
    /// The only player cannot win.
    Unsolvable,
}

/// What the first player gets at least and at most; none where nothing is known on that side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// He can make sure of this much.
    pub low: Option<Rational64>,
    /// He can be kept to this much.
    pub high: Option<Rational64>,
}

/// How much is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The value.
    Solved,
    /// Bounds that say more than the rules do.
    Bounded,
    /// Nothing; the reason is given.
    Unknown,
}

/// A move with its written form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The move.
    pub play: Play,
    /// Its written form in the position it is made in.
    pub written: String,
}

/// What a move is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub made: Made,
    /// The value of the position after it; none where it is not known.
    pub value: Option<Value>,
    /// Plies to the end under best play, the move itself among them.
    pub remoteness: Option<u32>,
}

/// A position of a player that play by his strategy comes to, with his move.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The position.
    pub at: State,
    /// The move.
    pub play: Play,
    /// Where he has to force an end: the plies to it at most.
    pub rank: Option<u64>,
}

/// A strategy of a player as answers to whatever the other does.
#[derive(Clone, Debug)]
pub struct Replies {
    /// Whose.
    pub player: u32,
    /// What he makes sure of.
    pub payoff: Rational64,
    /// Where positions come back: why play that goes on for ever takes nothing from it.
    pub ending: Option<Ending>,
    /// His answers.
    pub answers: Vec<Answered>,
}

/// What a solver says of a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How much is known.
    pub status: Status,
    /// The value, where solved.
    pub value: Option<Value>,
    /// What the first player gets, where not solved and something is known; in play for the difference of the scores, the
    /// first player's less the second's.
    pub bounds: Option<Bounds>,
    /// True if the players play for the difference of the scores.
    pub by_margin: bool,
    /// Plies under best play: the winner hurries, the loser delays. None for draws and payoffs.
    pub remoteness: Option<u32>,
    /// The first player's score minus the second's under best play for the difference, where asked for.
    pub margin: Option<Rational64>,
    /// The Grundy value, where the method gives it.
    pub nimber: Option<u32>,
    /// The moves that keep the value and, where remoteness is known, win soonest or lose latest.
    pub best_moves: Vec<Made>,
    /// Every legal move with its value.
    pub moves: Vec<MoveValue>,
    /// Best play to the end, to a repetition or to the first throw of chance; always the same one.
    pub line: Vec<Made>,
    /// The method, as on the command line.
    pub method: &'static str,
    /// Why this method, in one sentence.
    pub why: String,
    /// How many positions were looked at.
    pub positions: u64,
    /// The most bytes held.
    pub memory_bytes: u64,
    /// The limit that was reached, if one was.
    pub limit: Option<LimitHit>,
    /// Why it is not solved, in one sentence.
    pub reason: Option<String>,
    /// The values of all positions looked at, where the graph was labelled.
    pub table: Option<Arc<Table>>,
    /// Whether each position looked at stands for all that symmetry takes to each other.
    pub folded: bool,
    /// The positions by their values, of a strong solution.
    pub tally: Option<Tally>,
    /// The strategies that show the value, of a search that does not keep the positions it looked at; or why there are none.
    /// None where they were not asked for.
    pub replies: Option<Result<Vec<Replies>, String>>,
    /// The strategies that prove the value, where some were found that are told without positions. The checker accepted
    /// them.
    pub strategy: Vec<Lemma>,
}

impl Bounds {
    /// Returns the bounds of the number with the other sign.
    pub fn negated(self) -> Bounds {
        Bounds { low: self.high.map(|high| -high), high: self.low.map(|low| -low) }
    }
}

impl Solution {
    /// Nothing is known, for this reason.
    pub fn unknown(method: &'static str, why: &str, reason: impl Into<String>) -> Solution {
        Solution {
            status: Status::Unknown,
            value: None,
            bounds: None,
            by_margin: false,
            remoteness: None,
            margin: None,
            nimber: None,
            best_moves: Vec::new(),
            moves: Vec::new(),
            line: Vec::new(),
            method,
            why: why.into(),
            positions: 0,
            memory_bytes: 0,
            limit: None,
            reason: Some(reason.into()),
            table: None,
            folded: false,
            tally: None,
            replies: None,
            strategy: Vec::new(),
        }
    }
}
