//! The results of play: moves that are made, outcomes, and faults in the rules.
//!
//! Every executor of rules uses these types.

use bouton_base::rational::Rational;

use super::{MoveId, Value};
use bouton_base::source::Span;

/// The player to move, chance, or the outcome of a terminal position.
#[derive(Clone, PartialEq, Debug)]
pub enum ToMove {
    /// The position is terminal.
    Terminal(Outcome),
    /// This player moves.
    Player(u32),
    /// All players move simultaneously.
    Simultaneous,
    /// Chance moves.
    Chance,
}

/// The outcome of a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Each player's payoff; a win, draw, loss are 1, 0, -1.
    pub payoffs: Vec<Rational>,
    /// The kind of the rule's outcome: it decides the wording, not the value.
    pub kind: OutcomeKind,
    /// The scores that `highest` and `lowest` compared, for `--margin`.
    pub scores: Option<Vec<i64>>,
    /// The index of the end rule (those of `ends`, then those of `repeats`); `usize::MAX` for the end of infinite play.
    pub rule: usize,
}

/// The wording of an outcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutcomeKind {
    /// One player wins.
    Win,
    /// Nobody wins.
    Draw,
    Payoff,
}

/// A move with its arguments, as made in play.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MoveInstance {
    /// A move or chance event of the rules.
    Move(MoveId, Vec<Value>),
    Pass,
    /// The simultaneous moves of all players in a phase `by each`, with the player of each.
    Joint(Vec<(u32, MoveInstance)>),
}

/// A position reached in play where the rules have no meaning: a mistake of the rules' author, found by exploration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind:?}")]
pub struct Fault {
    pub kind: FaultKind,
    /// The span of the faulty clause.
    pub span: Span,
    /// The move that was being made, if there was one.
    pub play: Option<Box<MoveInstance>>,
}

/// The kinds of faults in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// E0310, or E0506 for two conflicting simultaneous moves: two clauses of one stage that cannot both take effect.
    Conflict { clash: ConflictKind, other: Span, joint: bool },
    /// E0503: a value outside the field's range.
    OutOfRange { cell: String, value: Value, range: String },
    /// E0330: the target or the value of an effect is undefined.
    Undefined { what: String },
    /// E0324: all weights are 0, or one is negative.
    Weights,
    /// E0502: the condition of an end rule holds, but its outcome is undefined.
    NoResult,
}

/// The kinds of conflicts between two clauses of one stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConflictKind {
    /// Both assign a cell, with different values.
    Cell { cell: String, first: Value, second: Value },
    /// One inserts these elements into a set, the other removes them.
    Elements { cell: String, elements: Value },
    /// Both choose the next player or the phase, but differently.
    Turn { first: String, second: String },
}
