//! Items about whole positions: end rules, symmetries, the display of boards.

use super::{Binder, Expr, Name, Number};
use bouton_base::source::Span;

/// A rule of `end`.
#[derive(Clone, Debug)]
pub struct EndRule {
    /// The `///` lines.
    pub doc: Vec<String>,
    pub condition: EndCondition,
    pub outcome: OutcomeClause,
    pub span: Span,
}

/// The condition of an end rule.
#[derive(Clone, Debug)]
pub enum EndCondition {
    /// `when e`, or `for x in S when e`
    When { binder: Option<Binder>, condition: Expr },
    /// `repeat`, `repeat 3`, `repeat 2 of at`, `repeat 3 when e` (a constant condition)
    Repeat { count: Option<Number>, of: Option<Expr>, condition: Option<Expr> },
}

/// The outcome of an end rule.
#[derive(Clone, Debug)]
pub struct OutcomeClause {
    pub kind: OutcomeKind,
    pub span: Span,
}

/// The kinds of outcomes.
#[derive(Clone, Debug)]
pub enum OutcomeKind {
    /// `draw`
    Draw,
    /// `win` (one player)
    Win,
    /// `lose` (one player)
    Lose,
    /// `e wins`
    Wins(Expr),
    /// `e loses`
    Loses(Expr),
    /// `highest score`
    Highest(Expr),
    /// `lowest score`
    Lowest(Expr),
    /// `payoff p: e`
    Payoff(Name, Expr),
}

/// The claim of a `symmetry` item.
#[derive(Clone, Debug)]
pub enum SymmetryClause {
    /// `auto`: the symmetries are searched for
    Auto,
    /// `none`: use no symmetry
    None,
    /// The symmetries of these boards.
    Of(Vec<Expr>),
}

/// A line of `display`.
#[derive(Clone, Debug)]
pub struct DisplayHint {
    /// The first word: `cell`, `line`, ...
    pub kind: Name,
    /// The displayed term.
    pub subject: Option<Expr>,
    /// The values with the characters for each.
    pub arms: Vec<HintArm>,
    pub span: Span,
}

/// The characters of a value in `display`, and the look of its piece.
#[derive(Clone, Debug)]
pub struct HintArm {
    pub value: Expr,
    pub sign: Expr,
    /// The words of a shape and a colour, at most two.
    pub look: Vec<Name>,
}
