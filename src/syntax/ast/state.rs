//! What positions are made of: boards, phases, fields.

use super::{Bind, Expr, Name, Type};
use crate::source::Span;

/// How a board is given.
#[derive(Clone, Debug)]
pub enum BoardForm {
    /// `grid(3, 3)` and the like: a call, resolved by analysis.
    Expr(Expr),
    /// `graph { line a - b - c; e -> f; }`
    Graph(Vec<GraphLine>),
}

/// One clause of a graph.
#[derive(Clone, Debug)]
pub struct GraphLine {
    /// Whether it began with `line`.
    pub is_line: bool,
    /// The first point.
    pub first: Name,
    /// The other points; true where the arrow before it is one-way.
    pub rest: Vec<(bool, Name)>,
    /// The clause.
    pub span: Span,
}

/// A phase of a turn.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The `///` lines.
    pub doc: Vec<String>,
    /// Whether it comes once, before play.
    pub setup: bool,
    /// Its name.
    pub name: Name,
    /// Who acts in it; the mover where nothing is said.
    pub actor: Option<Actor>,
}

/// Who acts.
#[derive(Clone, Debug)]
pub enum Actor {
    /// All players at once.
    Each(Span),
    /// Chance.
    Chance(Span),
    /// The player, or one of the set of players, that the expression gives.
    Player(Expr),
}

/// A field of the state.
#[derive(Clone, Debug)]
pub struct Field {
    /// The `///` lines.
    pub doc: Vec<String>,
    /// Whether it goes back to its initial value by itself.
    pub transient: bool,
    /// Its name.
    pub name: Name,
    /// Its keys; empty for a single cell.
    pub keys: Vec<Bind>,
    /// What a cell holds.
    pub ty: Type,
    /// The initial value; the keys are in scope.
    pub init: Option<Expr>,
    /// Who sees it.
    pub visibility: Visibility,
    /// The clause.
    pub span: Span,
}

/// Who sees a field.
#[derive(Clone, Debug, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Nobody.
    Hidden,
    /// The player or set of players.
    To(Expr),
}
