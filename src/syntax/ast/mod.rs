//! The abstract syntax tree of a file: nothing is resolved, nothing is desugared, every node has its span.

use bouton_base::source::Span;

mod claims;
mod ends;
mod exprs;
mod moves;
mod state;

pub use claims::{Claim, ClaimKind, Expect, Test, TestStep};
pub use ends::{DisplayHint, EndCondition, EndRule, HintArm, OutcomeClause, OutcomeKind, SymmetryClause};
pub use exprs::{
    Arm, BinaryOp, Binder, CmpOp, Expr, ExprKind, Pattern, Picture, Quantifier, Type, TypeKind, UnaryOp,
};
pub use moves::{
    Access, Effect, EffectOp, MoveDecl, Stmt, StmtBlock, StmtKind, Target, Template, TemplatePart,
};
pub use state::{Actor, BoardForm, FieldDecl, GraphLine, PhaseDecl, Visibility};

/// A file: a game or a library.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The `//!` lines, without the marker.
    pub doc: Vec<String>,
    /// The items in the order of the file.
    pub items: Vec<Item>,
}

/// A name with its span.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A string or a `"""text"""` with its span.
#[derive(Clone, Debug)]
pub struct Str {
    /// The characters between the quotes, escapes resolved.
    pub text: String,
    /// The span, quotes included.
    pub span: Span,
}

/// A number as written. Analysis converts it, since the user chooses its size.
#[derive(Clone, Debug)]
pub struct Number {
    /// The digits, with a decimal point if there is one.
    pub text: String,
    pub span: Span,
}

/// A declaration with its `///` lines.
#[derive(Clone, Debug)]
pub struct Item {
    /// The `///` lines, without the marker.
    pub doc: Vec<String>,
    pub kind: ItemKind,
    /// The span from the keyword to the end.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `game "Nim";`
    Game(Str),
    /// `use "std/lines" as l;`
    Use { path: Str, prefix: Option<Name> },
    /// `param n: 1..9 = 3 where n != 4;`
    Param { name: Name, ty: Type, default: Expr, condition: Option<Expr> },
    /// `preset small "Small" { n = 3; }`
    Preset { name: Name, title: Option<Str>, settings: Vec<Setting> },
    /// `const up[p: Player]: Dir = ...;` (no keys: a plain constant)
    Const { name: Name, keys: Vec<Bind>, ty: Option<Type>, value: Expr },
    /// `players A, B;`
    Players(Vec<Name>),
    /// `enum Kind { man, king }`
    Enum { name: Name, members: Vec<Name> },
    /// `record Piece(owner: Player, kind: Kind);`
    Record { name: Name, parts: Vec<Bind> },
    /// `type Col = 1..7;`
    TypeAlias { name: Name, ty: Type },
    /// `board Cell = grid(3, 3) where col != 2;`
    Board { name: Name, form: BoardForm, condition: Option<Expr> },
    /// `phases { setup deal by chance; bet; }`
    Phases(Vec<PhaseDecl>),
    /// `state { ... }`
    State(Vec<FieldDecl>),
    /// `def f(x: T): U = e;`; `formals` is `None` if there are no parentheses.
    Def { name: Name, formals: Option<Vec<Bind>>, ty: Option<Type>, body: Expr },
    /// `inductive f(x: T) = e;`
    Inductive { name: Name, formals: Vec<Bind>, body: Expr },
    /// `move m(x: T) ... { ... }` and `chance c(...) ... { ... }`
    Move(MoveDecl),
    /// `effect e(x: T) { ... }`
    Effect { name: Name, formals: Vec<Bind>, body: StmtBlock },
    /// `evaluate p: e;`
    Evaluate { player: Name, value: Expr },
    /// `pass when stuck;` (`None`: `pass always;`)
    Pass(Option<Expr>),
    /// `every move { ... }`
    EveryMove(StmtBlock),
    /// `forbid repeat of e within 8;`
    ForbidRepeat { of: Option<Expr>, within: Option<Number> },
    /// `end { ... }`
    End(Vec<EndRule>),
    /// `play normal;` (true) and `play misere;` (false)
    Play { normal: bool },
    /// `invariant name: e;`
    Invariant { name: Option<Name>, value: Expr },
    /// `symmetry auto;`
    Symmetry(SymmetryClause),
    /// `sees p: e when f;`
    Sees { player: Expr, value: Expr, condition: Option<Expr> },
    /// `display { ... }`
    Display(Vec<DisplayHint>),
    /// `expect ...;`
    Expect(Expect),
    /// `test "name" with n = 3 { ... }`
    Test(Test),
}

/// `n = 3`
#[derive(Clone, Debug)]
pub struct Setting {
    /// The parameter, possibly with the prefix of its library, as in `l.n`.
    pub name: Name,
    pub value: Expr,
}

/// `x: T`
#[derive(Clone, Debug)]
pub struct Bind {
    pub name: Name,
    pub ty: Type,
}
