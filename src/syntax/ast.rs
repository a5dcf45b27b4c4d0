//! The tree of a text, as written: nothing is resolved, nothing is removed, every node has its span.

use crate::source::Span;

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The `//!` lines, without their sign.
    pub doc: Vec<String>,
    /// The items in the order of the text.
    pub items: Vec<Item>,
}

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A string or a `"""text"""` with its place.
#[derive(Clone, Debug)]
pub struct Str {
    /// What stands between the quotes, escapes undone.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A number as written; analysis reads it, since its size is the user's.
#[derive(Clone, Debug)]
pub struct Number {
    /// The digits, with a point where there is one.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// One declaration with its `///` lines.
#[derive(Clone, Debug)]
pub struct Item {
    /// The `///` lines, without their sign.
    pub doc: Vec<String>,
    /// What is declared.
    pub kind: ItemKind,
    /// From its keyword to its end.
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
    Phases(Vec<Phase>),
    /// `state { ... }`
    State(Vec<Field>),
    /// `def f(x: T): U = e;`; `formals` is none where there are no parentheses.
    Def { name: Name, formals: Option<Vec<Bind>>, ty: Option<Type>, body: Expr },
    /// `inductive f(x: T) = e;`
    Inductive { name: Name, formals: Vec<Bind>, body: Expr },
    /// `move m(x: T) ... { ... }` and `chance c(...) ... { ... }`
    Move(Move),
    /// `effect e(x: T) { ... }`
    Effect { name: Name, formals: Vec<Bind>, body: Block },
    /// `evaluate p: e;`
    Evaluate { player: Name, value: Expr },
    /// `pass when stuck;` (`None`: `pass always;`)
    Pass(Option<Expr>),
    /// `every move { ... }`
    EveryMove(Block),
    /// `forbid repeat of e within 8;`
    ForbidRepeat { of: Option<Expr>, within: Option<Number> },
    /// `end { ... }`
    End(Vec<EndRule>),
    /// `play normal;` (true) and `play misere;` (false)
    Play { normal: bool },
    /// `invariant name: e;`
    Invariant { name: Option<Name>, value: Expr },
    /// `symmetry auto;`
    Symmetry(Symmetry),
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
    /// The parameter.
    pub name: Name,
    /// Its value.
    pub value: Expr,
}

/// `x: T`
#[derive(Clone, Debug)]
pub struct Bind {
    /// The variable.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

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

/// A move or a chance event.
#[derive(Clone, Debug)]
pub struct Move {
    /// Whether it was written `chance`.
    pub chance: bool,
    /// While a mandatory move is legal, only such moves are.
    pub mandatory: bool,
    /// Only the mover sees which one was made.
    pub private: bool,
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
    /// `name(e, ...);`: a call of an `effect`.
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

/// `expect CLAIM with ... cite "...";`
#[derive(Clone, Debug)]
pub struct Expect {
    /// What is claimed.
    pub claim: Claim,
    /// The parameters it speaks of.
    pub settings: Vec<Setting>,
    /// Where it was published, where it is only cited.
    pub cite: Option<Str>,
    /// The clause, from `expect`.
    pub span: Span,
}

/// What an expectation claims.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which.
    pub kind: ClaimKind,
    /// Its words.
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
    /// Any condition of the position.
    Holds(Expr),
}

/// `test "name" with ... { ... }`
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: Str,
    /// The parameters it speaks of.
    pub settings: Vec<Setting>,
    /// What is done, in order.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum TestStep {
    /// `position { ... }`: effects on the initial state.
    Position(Vec<Effect>, Span),
    /// `play m, n;`
    Play(Vec<Expr>, Span),
    /// A claim on the position reached.
    Expect(Expect),
}

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

    /// The name, where the expression is one.
    pub fn as_name(&self) -> Option<&str> {
        match &*self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }
}
