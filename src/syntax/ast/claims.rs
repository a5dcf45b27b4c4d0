//! Expectations and tests.

use super::{CmpOp, Effect, Expr, Number, Setting, Str};
use crate::source::Span;

/// `expect CLAIM with ... cite "...";`
#[derive(Clone, Debug)]
pub struct Expect {
    /// What is claimed.
    pub claim: Claim,
    /// The parameters it speaks of.
    pub settings: Vec<Setting>,
    /// Where it was published, where it is only cited.
    pub cite: Option<Str>,
    /// The clause, from `expect`.
    pub span: Span,
}

/// What an expectation claims.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which.
    pub kind: ClaimKind,
    /// Its words.
    pub span: Span,
}

/// The kinds of claims.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// `perft 3 = 504`, `perft 3 by turn = 302`
    Perft { depth: Number, by_turn: bool, count: Number },
    /// `positions = 5478`, or another comparison
    Positions(CmpOp, Expr),
    /// `nimber = 2`
    Nimber(CmpOp, Expr),
    /// `value > 0`
    Value(CmpOp, Expr),
    /// `moves = { ... }`
    Moves(Expr),
    /// `legal m`
    Legal(Expr),
    /// `illegal m`
    Illegal(Expr),
    /// `draw`
    Draw,
    /// `X wins`, `first wins in 7`
    Wins { player: Expr, plies: Option<Number> },
    /// `X loses`
    Loses { player: Expr, plies: Option<Number> },
    /// `solved in 31`
    SolvedIn(Number),
    /// Any condition of the position.
    Holds(Expr),
}

/// `test "name" with ... { ... }`
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: Str,
    /// The parameters it speaks of.
    pub settings: Vec<Setting>,
    /// What is done, in order.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum TestStep {
    /// `position { ... }`: effects on the initial state.
    Position(Vec<Effect>, Span),
    /// `play m, n;`
    Play(Vec<Expr>, Span),
    /// A claim on the position reached.
    Expect(Expect),
}
