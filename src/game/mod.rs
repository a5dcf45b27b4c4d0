//! The Position API: games, states, moves and their names. Backend-neutral.
//!
//! *Invariant:* nobody above this room knows which machine runs the rules.

use std::sync::Arc;

use num_rational::Rational64;

use crate::rules::{MoveId, Rules, Value};
use crate::source::Span;

/// A position: words whose meaning is the machine's. Equal positions have equal words, history included where the
/// rules make it part of the position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub Box<[u64]>);

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
    /// The end rule, by its place in the rules (`usize::MAX`: the end of infinite play).
    pub rule: usize,
}

/// How an outcome is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// A legal move with what it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    /// The move.
    pub play: Play,
    /// The position after it.
    pub state: State,
    /// For chance, its probability; otherwise 1.
    pub probability: Rational64,
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
    pub play: Option<Play>,
}

/// What can go wrong in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// E0310: two effects set one cell to different values (the cell, the two values, the other clause).
    Conflict { cell: String, first: Value, second: Value, other: Span },
    /// E0506: the same, by two simultaneous moves.
    JointConflict { cell: String, first: Value, second: Value, other: Span },
    /// E0503: a value outside the field's range.
    OutOfRange { cell: String, value: Value, range: String },
    /// E0330: the target or the value of an effect is undefined.
    Undefined { what: String },
    /// E0324: all weights are 0, or one is negative.
    Weights,
    /// E0502: an end rule holds and gives no result.
    NoResult,
}

/// Something that runs rules: the reference interpreter, a circuit interpreter, machine code.
pub trait Machine: Send + Sync {
    /// The first position.
    fn initial(&self) -> State;
    /// Who acts, or how the game ended.
    fn turn(&self, state: &State) -> Result<Turn, Fault>;
    /// All legal moves in a fixed order: moves as declared, arguments in order, the pass last. Empty where the game
    /// is over, and where nobody can move though it is not.
    fn successors(&self, state: &State) -> Result<Vec<Successor>, Fault>;
    /// The written form of a move in the position it is made in (the template, or `name(arguments)`).
    fn written(&self, state: &State, play: &Play) -> String;
    /// A cell of a field (cells as in [`crate::rules::Field`], the last key fastest).
    fn read(&self, state: &State, field: crate::rules::FieldId, cell: usize) -> Value;
    /// The value of a condition without variables, or of a term; none where undefined.
    fn eval(&self, state: &State, expr: &crate::rules::Expr) -> Option<Value>;
    /// The position that effects in one stage make of this one (a `position { }`).
    fn edit(
        &self,
        state: &State,
        block: &crate::rules::Block,
        vars: &crate::rules::Vars,
    ) -> Result<State, Fault>;
    /// What this player sees in this position: visible fields and `sees`, as a value that can be compared.
    fn observation(&self, state: &State, player: u32) -> Value;
}

/// Rules with a machine that runs them.
#[derive(Clone)]
pub struct Game {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What runs them.
    pub machine: Arc<dyn Machine>,
}

pub mod arena;
pub mod draw;
pub mod explore;
pub mod names;
pub mod perft;
pub mod random;
#[cfg(test)]
pub(crate) mod toy;
