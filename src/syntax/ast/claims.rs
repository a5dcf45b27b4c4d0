//! Expectations and tests.

use super::{CmpOp, Effect, Expr, Number, Setting, Str};
use bouton_base::source::Span;

/// The item `expect CLAIM with ... cite "...";`
#[derive(Clone, Debug)]
pub struct Expect {
    pub claim: Claim,
    /// The parameter values that the claim is about.
    pub settings: Vec<Setting>,
    /// The publication, if the claim is only cited.
    pub cite: Option<Str>,
    /// The clause, from `expect` on.
    pub span: Span,
}

/// The claim of an expectation.
#[derive(Clone, Debug)]
pub struct Claim {
    pub kind: ClaimKind,
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
    /// Any condition on the position.
    Holds(Expr),
}

/// The item `test "name" with ... { ... }`
#[derive(Clone, Debug)]
pub struct Test {
    pub name: Str,
    /// The parameter values that the test is about.
    pub settings: Vec<Setting>,
    /// The steps, in order.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum TestStep {
    /// `position { ... }`: effects on the initial state.
    Position(Vec<Effect>, Span),
    /// `play m, n;`
    Play(Vec<Expr>, Span),
    /// A claim about the position reached.
    Expect(Expect),
}
