//! Types and expressions.

use super::{Name, Str};
use bouton_base::source::Span;

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
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
    /// A type name or a constant set: `Player`, `1..n`, `{ NE, NW }`.
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Box<ExprKind>,
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
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
    Diagram(Picture, Vec<(Str, Expr)>),
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
    /// `(e)`: a node of its own, so that printing preserves the parentheses
    Paren(Expr),
    /// A damaged expression that a diagnostic already covers.
    Error,
}

/// The prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Negate,
    /// `#`: the number of elements
    Count,
}

/// The infix operators except the comparisons.
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
    /// `==`: accepted; `fmt` writes `=`
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
    /// exactly one; as a term, this element
    One,
    /// the number of elements
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
    /// The bound variables.
    pub pattern: Pattern,
    pub domain: Expr,
    /// The filter.
    pub condition: Option<Expr>,
    pub span: Span,
}

/// The pattern of a binder or a `let`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x`
    Name(Name),
    /// `(x, y)`
    Tuple(Vec<Pattern>, Span),
}

impl Pattern {
    /// The span of the pattern.
    pub fn span(&self) -> Span {
        match self {
            Pattern::Name(name) => name.span,
            Pattern::Tuple(_, span) => *span,
        }
    }
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The value, or the tuple of values, that the arm fits; `None` for `_`.
    pub pattern: Option<Expr>,
    pub value: Expr,
    pub span: Span,
}

impl Expr {
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

    /// Returns true if the expression is `{}`.
    pub fn is_empty_set(&self) -> bool {
        matches!(&*self.bare().kind, ExprKind::Set(elements) if elements.is_empty())
    }

    /// The name, if the expression is one.
    pub fn as_name(&self) -> Option<&str> {
        match &*self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// The picture of a diagram.
#[derive(Clone, Debug)]
pub enum Picture {
    /// `"""..."""`
    Text(Str),
    /// The name of a parameter or constant that holds a string.
    Named(Name),
}
