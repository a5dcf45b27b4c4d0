//! Moves and chance events, and the statements in them.

use super::{Actor, Bind, Binder, Expr, Name, Pattern};
use crate::source::Span;

/// A move or a chance event.
#[derive(Clone, Debug)]
pub struct Move {
    /// Whether it was written `chance`.
    pub chance: bool,
    /// While a mandatory move is legal, only such moves are.
    pub mandatory: bool,
    /// Only the mover sees which one was made.
    pub private: bool,
    /// A look ahead does not stop after it.
    pub forcing: bool,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Bind>,
    /// `by e`
    pub by: Option<Actor>,
    /// `in P, Q`
    pub phases: Vec<Name>,
    /// `as "..."`
    pub template: Option<Template>,
    /// `prefer max e`
    pub prefer: Option<Expr>,
    /// What it does.
    pub body: Block,
}

impl Move {
    /// Whether it is always there for whose turn it is, and no move goes before another.
    pub fn is_plain(&self) -> bool {
        let alike = !self.chance && !self.mandatory && !self.private && self.prefer.is_none();
        alike && self.by.is_none() && self.phases.is_empty()
    }
}

/// A string with holes.
#[derive(Clone, Debug)]
pub struct Template {
    /// Words and holes in order.
    pub parts: Vec<TemplatePart>,
    /// The string, quotes included.
    pub span: Span,
}

/// A piece of a template.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Words as they are.
    Text(String),
    /// `{e}`
    Hole(Expr),
}

/// `{ ... }` of statements.
#[derive(Clone, Debug)]
pub struct Block {
    /// In the order of the text.
    pub stmts: Vec<Stmt>,
    /// Braces included.
    pub span: Span,
}

/// A statement of a move.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// The clause.
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
    Then(Block),
    /// `if e { ... } else ...`; an `else if` is a block of one `if`.
    If(Expr, Block, Option<Block>),
    /// `for x in S where e { ... }`
    For(Vec<Binder>, Block),
    /// `again;`
    Again,
    /// `continue P;`
    Continue(Name),
    /// `next e;`
    Next(Expr),
    /// `name(e, ...);`: a call of an `effect`, its name perhaps with the prefix of a library, `l.name`.
    Call(Name, Vec<Expr>),
    /// `at[c] := e;`
    Effect(Effect),
}

/// A change of the state.
#[derive(Clone, Debug)]
pub struct Effect {
    /// What is changed.
    pub target: Target,
    /// How.
    pub op: EffectOp,
    /// The place of the operator.
    pub op_span: Span,
    /// The operand.
    pub value: Expr,
}

/// What an effect changes.
#[derive(Clone, Debug)]
pub struct Target {
    /// The field.
    pub name: Name,
    /// `[i, j]` and `.part`, in order.
    pub path: Vec<Access>,
    /// All of it.
    pub span: Span,
}

/// A step into a value.
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
