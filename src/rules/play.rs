//! What playing by rules gives: moves that are made, results, and faults in the rules.
//!
//! Every machine that runs rules speaks in these words.

use num_rational::Rational64;

use super::{MoveId, Value};
use crate::source::Span;

/// Who acts in a position.
#[derive(Clone, PartialEq, Debug)]
pub enum Turn {
    /// The game is over.
    Over(Outcome),
    /// This player chooses.
    Player(u32),
    /// All players choose at once.
    Each,
    /// Chance.
    Chance,
}

/// What a finished game gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Each player's payoff; a win, draw, loss are 1, 0, -1.
    pub payoffs: Vec<Rational64>,
    /// What the rule was: it decides the words, not the value.
    pub kind: OutcomeKind,
    /// The scores that `highest` and `lowest` compared, for `--margin`.
    pub scores: Option<Vec<i64>>,
    /// The end rule, by its place in the rules (those of `ends`, then those of `repeats`; `usize::MAX`: the end of
    /// infinite play).
    pub rule: usize,
}

/// How an outcome is told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutcomeKind {
    /// One player wins.
    Win,
    /// Nobody wins.
    Draw,
    /// Payoffs.
    Payoff,
}

/// A move that was chosen: which, with which arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Play {
    /// A move or chance event of the rules.
    Move(MoveId, Vec<Value>),
    /// A pass.
    Pass,
    /// The moves of all players in a phase `by each`, with the player of each.
    Joint(Vec<(u32, Play)>),
}

/// The rules have no meaning in a position that play reached: the user's mistake, found by exploring.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind:?}")]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The clause.
    pub span: Span,
    /// The move that was being made, if one was.
    pub play: Option<Box<Play>>,
}

/// What can go wrong in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// E0310, or E0506 where two simultaneous moves are at odds: two clauses of one stage that cannot both be done.
    Conflict { clash: Clash, other: Span, joint: bool },
    /// E0503: a value outside the field's range.
    OutOfRange { cell: String, value: Value, range: String },
    /// E0330: the target or the value of an effect is undefined.
    Undefined { what: String },
    /// E0324: all weights are 0, or one is negative.
    Weights,
    /// E0502: an end rule holds and gives no result.
    NoResult,
}

/// What two clauses of one stage contradict each other in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clash {
    /// Both set a cell, to different values.
    Cell { cell: String, first: Value, second: Value },
    /// The one puts these elements into a set, the other takes them out.
    Elements { cell: String, elements: Value },
    /// Both say who moves next, or in which phase, and not the same.
    Turn { first: String, second: String },
}
