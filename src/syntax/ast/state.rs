//! The parts of positions: boards, phases, fields.

use super::{Bind, Expr, Name, Type};
use bouton_base::source::Span;

/// The right side of a `board` declaration.
#[derive(Clone, Debug)]
pub enum BoardForm {
    /// `grid(3, 3)` and similar: a call that analysis resolves.
    Expr(Expr),
    /// `graph { line a - b - c; e -> f; }`
    Graph(Vec<GraphLine>),
}

/// A clause of a graph.
#[derive(Clone, Debug)]
pub struct GraphLine {
    /// True if the clause begins with `line`.
    pub is_line: bool,
    /// The first point.
    pub first: Name,
    /// The other points; true if the edge to the point is one-way.
    pub rest: Vec<(bool, Name)>,
    pub span: Span,
}

/// A phase of a turn.
#[derive(Clone, Debug)]
pub struct PhaseDecl {
    /// The `///` lines.
    pub doc: Vec<String>,
    /// True if the phase occurs once, before play.
    pub setup: bool,
    pub name: Name,
    /// The actor; `None` for the mover.
    pub actor: Option<Actor>,
}

/// The actor of a phase, or the players who may make a move.
#[derive(Clone, Debug)]
pub enum Actor {
    /// All players at once.
    Each(Span),
    Chance(Span),
    /// The player, or one of the set of players, that the expression gives.
    Player(Expr),
}

/// A field of the state.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// The `///` lines.
    pub doc: Vec<String>,
    /// True if the field returns to its initial value after a move that does not set it.
    pub transient: bool,
    pub name: Name,
    /// The keys; empty for a single cell.
    pub keys: Vec<Bind>,
    /// The type of a cell's value.
    pub ty: Type,
    /// The initial value; the keys are in scope.
    pub init: Option<Expr>,
    pub visibility: Visibility,
    pub span: Span,
}

/// The players who see a field.
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
