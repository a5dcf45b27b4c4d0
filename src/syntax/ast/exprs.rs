//! Types and expressions.

use super::{Name, Str};
use crate::source::Span;

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Its words.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `set of T`
    Set(Box<Type>),
    /// `list of T`
    List(Box<Type>),
    /// `T?`
    Option(Box<Type>),
    /// `(T, U)`
    Tuple(Vec<Type>),
    /// A type's name or a constant set: `Player`, `1..n`, `{ NE, NW }`.
    Expr(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: Box<ExprKind>,
    /// Its words.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// `12`, `0.5`
    Number(String),
    /// `"..."`
    Str(String),
    /// `"""..."""`
    Text(String),
    /// `true`, `false`
    Bool(bool),
    /// `none`
    None,
    /// `not e`, `-e`, `#e`
    Unary(UnaryOp, Expr),
    /// `a + b`, `a and b`
    Binary(BinaryOp, Expr, Expr),
    /// `a < b <= c`: each comparison holds.
    Compare(Expr, Vec<(CmpOp, Expr)>),
    /// `a..b`
    Range(Expr, Expr),
    /// `f(e, ...)`
    Call(Expr, Vec<Expr>),
    /// `f[e, ...]`
    Index(Expr, Vec<Expr>),
    /// `e.name`
    Part(Expr, Name),
    /// `some x in S: e`
    Quant(Quantifier, Vec<Binder>, Expr),
    /// `if c then a else b`
    If(Expr, Expr, Expr),
    /// `match e { p => a, _ => b }`
    Match(Expr, Vec<Arm>),
    /// `let x = e: body`
    Let(Pattern, Expr, Expr),
    /// `diagram """...""" { "X" => X, ... }`
    Diagram(Str, Vec<(Str, Expr)>),
    /// `{ a, b }`, `{}`
    Set(Vec<Expr>),
    /// `{ x in S where e }`
    Filter(Binder),
    /// `{ e for x in S, y in T }`
    Comprehension(Expr, Vec<Binder>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `(a, b)`; two at least
    Tuple(Vec<Expr>),
    /// `(e)`, kept so that printing keeps it
    Paren(Expr),
    /// Damage that was reported already.
    Error,
}

/// The prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Negate,
    /// `#`: how many
    Count,
}

/// The infix operators, comparisons apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `implies`
    Implies,
    /// `iff`
    Iff,
    /// `or`
    Or,
    /// `and`
    And,
    /// `+`: sum, or a step on a board
    Add,
    /// `-`: difference, also of sets
    Subtract,
    /// `|`: union
    Union,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `mod`
    Mod,
    /// `&`: intersection
    Intersect,
}

/// The comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CmpOp {
    /// `=`
    Equal,
    /// `==`: understood, written `=` by `fmt`
    DoubleEqual,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `is`: the same as `=`
    Is,
}

/// The words that bind variables over a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// at least one
    Some,
    /// each
    All,
    /// none
    No,
    /// exactly one; as a term, that one
    One,
    /// how many
    Count,
    /// the sum of the values
    Sum,
    /// the least value
    Min,
    /// the greatest value
    Max,
    /// the union of the sets
    Union,
}

/// `x in S where e`
#[derive(Clone, Debug)]
pub struct Binder {
    /// What is bound.
    pub pattern: Pattern,
    /// Over what.
    pub domain: Expr,
    /// Which of them.
    pub condition: Option<Expr>,
    /// The clause.
    pub span: Span,
}

/// What a binder or a `let` binds.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x`
    Name(Name),
    /// `(x, y)`
    Tuple(Vec<Pattern>, Span),
}

impl Pattern {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Pattern::Name(name) => name.span,
            Pattern::Tuple(_, span) => *span,
        }
    }
}

/// An arm of a `match`; no pattern is `_`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The value or tuple of values it is for.
    pub pattern: Option<Expr>,
    /// What it gives.
    pub value: Expr,
    /// The arm.
    pub span: Span,
}

impl Expr {
    /// Makes a node.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind: Box::new(kind), span }
    }

    /// The expression inside any parentheses.
    pub fn bare(&self) -> &Expr {
        let mut expr = self;
        while let ExprKind::Paren(inner) = &*expr.kind {
            expr = inner;
        }
        expr
    }

    /// Whether it is `{}`.
    pub fn is_empty_set(&self) -> bool {
        matches!(&*self.bare().kind, ExprKind::Set(elements) if elements.is_empty())
    }

    /// The name, where the expression is one.
    pub fn as_name(&self) -> Option<&str> {
        match &*self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }
}
