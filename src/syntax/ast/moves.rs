//! Moves and chance events, and the statements in them.

use super::{Actor, Bind, Binder, Expr, Name, Pattern};
use bouton_base::source::Span;

/// A move or a chance event.
#[derive(Clone, Debug)]
pub struct MoveDecl {
    /// True if the keyword is `chance`.
    pub chance: bool,
    /// True if only mandatory moves are legal while such a move is legal.
    pub mandatory: bool,
    /// True if only the mover sees which move was made.
    pub private: bool,
    /// True if lookahead does not stop after this move.
    pub forcing: bool,
    pub name: Name,
    pub params: Vec<Bind>,
    /// `by e`
    pub by: Option<Actor>,
    /// `in P, Q`
    pub phases: Vec<Name>,
    /// `as "..."`
    pub template: Option<Template>,
    /// `prefer max e`
    pub prefer: Option<Expr>,
    pub body: StmtBlock,
}

impl MoveDecl {
    /// Returns true if nothing but the turn restricts the move: every mover may make it in every phase, and it has
    /// neither priority nor privacy.
    pub fn is_unrestricted(&self) -> bool {
        let alike = !self.chance && !self.mandatory && !self.private && self.prefer.is_none();
        alike && self.by.is_none() && self.phases.is_empty()
    }
}

/// A string with placeholders: the notation of a move.
#[derive(Clone, Debug)]
pub struct Template {
    /// Literal text and placeholders, in order.
    pub parts: Vec<TemplatePart>,
    /// The span of the string, quotes included.
    pub span: Span,
}

/// A piece of a template.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// `{e}`
    Placeholder(Expr),
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct StmtBlock {
    pub stmts: Vec<Stmt>,
    /// The span, braces included.
    pub span: Span,
}

/// A statement of a move.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `when e;`
    When(Expr),
    /// `let x = e;`
    Let(Pattern, Expr),
    /// `ensure e;`
    Ensure(Expr),
    /// `weight e;`
    Weight(Expr),
    /// `then { ... }`
    Then(StmtBlock),
    /// `if e { ... } else ...`; an `else if` is a block of one `if`.
    If(Expr, StmtBlock, Option<StmtBlock>),
    /// `for x in S where e { ... }`
    For(Vec<Binder>, StmtBlock),
    /// `again;`
    Again,
    /// `continue P;`
    Continue(Name),
    /// `next e;`
    Next(Expr),
    /// `name(e, ...);`: a call of an `effect`; the name may have the prefix of a library, as in `l.name`.
    Call(Name, Vec<Expr>),
    /// `at[c] := e;`
    Effect(Effect),
}

/// A change of the state.
#[derive(Clone, Debug)]
pub struct Effect {
    pub target: Target,
    pub op: EffectOp,
    /// The span of the operator.
    pub op_span: Span,
    pub value: Expr,
}

/// The target of an effect: a field or a part of one.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name of the field.
    pub name: Name,
    /// The accesses `[i, j]` and `.part`, in order.
    pub path: Vec<Access>,
    /// The span of the whole target.
    pub span: Span,
}

/// An access to a part of a value.
#[derive(Clone, Debug)]
pub enum Access {
    /// `[e, ...]`
    Index(Vec<Expr>),
    /// `.name`
    Part(Name),
}

/// The operators of effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectOp {
    /// `:=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `|=`
    Insert,
    /// `<-`
    Move,
}
