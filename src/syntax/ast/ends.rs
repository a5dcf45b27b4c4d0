//! What speaks of whole positions: end rules, symmetries, how boards are drawn.

use super::{Binder, Expr, Name, Number};
use crate::source::Span;

/// A rule of `end`.
#[derive(Clone, Debug)]
pub struct EndRule {
    /// The `///` lines.
    pub doc: Vec<String>,
    /// When it holds.
    pub condition: EndCondition,
    /// What it gives.
    pub outcome: Outcome,
    /// The clause.
    pub span: Span,
}

/// When an end rule holds.
#[derive(Clone, Debug)]
pub enum EndCondition {
    /// `when e`, or `for x in S when e`
    When { binder: Option<Binder>, condition: Expr },
    /// `repeat`, `repeat 3`, `repeat 3 when e` (a constant condition)
    Repeat { count: Option<Number>, condition: Option<Expr> },
}

/// What an end rule gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which.
    pub kind: OutcomeKind,
    /// Its words.
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

/// What `symmetry` claims.
#[derive(Clone, Debug)]
pub enum Symmetry {
    /// Find them.
    Auto,
    /// Use none.
    None,
    /// The symmetries of these boards.
    Of(Vec<Expr>),
}

/// A line of `display`.
#[derive(Clone, Debug)]
pub struct DisplayHint {
    /// The first word: `cell`, `line`, ...
    pub kind: Name,
    /// What is shown.
    pub subject: Option<Expr>,
    /// How each value looks.
    pub arms: Vec<(Expr, Expr)>,
    /// The clause.
    pub span: Span,
}
