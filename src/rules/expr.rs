//! Typed expressions over finite domains.
//!
//! A *formula* is an expression of type `bool`. Formulas are two-valued: an atomic formula with an undefined part is
//! false (`!=` and `not in` are the negations of `=` and `in`, hence true). A *term* may be undefined.

use super::{BoardId, DefId, EnumId, FieldId, RecordId, TableId, Type, Value, VarId};
use bouton_base::source::Span;

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Box<ExprKind>,
    /// The type, as narrow as analysis could make it.
    pub ty: Type,
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant value.
    Const(Value),
    /// A term that is certainly undefined (an index outside a table, `one` of no element).
    Undefined,
    /// A parameter, a bound variable or a `let`.
    Var(VarId),
    /// `me`: the maker of the move. Only in moves and in definitions used by moves alone.
    Me,
    /// A cell of the state; undefined where a key is undefined or outside its domain.
    Field(FieldId, Vec<Expr>),
    /// A constant table; undefined like a field, or where the table has no entry.
    Table(TableId, Vec<Expr>),
    /// A definition applied; strict in its arguments.
    Call(DefId, Vec<Expr>),
    /// A constant function of a board; undefined if an argument is undefined or the board has no value for them.
    Board(BoardFn, BoardId, Vec<Expr>),
    /// `flood(from, within)`: the cells of `within` that neighbours in `within` connect to cells of `from`, the cells
    /// of `from` in `within` included.
    Flood(BoardId, Expr, Expr),
    /// `stuck`: the mover has no legal move but passing.
    Stuck,
    /// `stuck(p)`: p would have no legal move but passing if it were to move in this phase.
    StuckPlayer(Expr),

    /// Negation of a formula.
    Not(Expr),
    /// Conjunction, evaluated from the left.
    And(Vec<Expr>),
    /// Disjunction, evaluated from the left.
    Or(Vec<Expr>),
    /// Implication.
    Implies(Expr, Expr),
    /// Equivalence.
    Iff(Expr, Expr),
    /// `a = b`
    Equal(Expr, Expr),
    /// `a < b`, by the order of the type
    Less(Expr, Expr),
    /// `a <= b`
    LessEqual(Expr, Expr),
    /// `x in S`
    In(Expr, Expr),
    /// `S in T` for sets: every element of S is one of T
    Subset(Expr, Expr),
    /// The term has a value: the reading of `one x in S: f` as a formula.
    Defined(Expr),
    /// `some`, `all`, `no` over binders; false if a domain is undefined.
    Quant(Quant, Vec<Binder>, Expr),

    /// Arithmetic on two numbers. With `exact`, division gives a rational, otherwise it floors.
    Arith { op: Arith, exact: bool, left: Expr, right: Expr },
    /// `-a`
    Negate(Expr),
    /// `#S`
    Card(Expr),
    /// `a | b`, `a & b`, `a - b` of sets
    SetOp(SetOp, Expr, Expr),
    /// `{ a, b }`; strict
    SetOf(Vec<Expr>),
    /// `a..b` as a set; empty where a > b
    Range(Expr, Expr),
    /// `(a, b)` or `Piece(a, b)`; strict
    Tuple(Option<RecordId>, Vec<Expr>),
    /// `[a, b]`, in claims; strict
    List(Vec<Expr>),
    /// The n-th part of a tuple or record.
    Part(Expr, u32),
    /// The value of a `T?` as a `T`; undefined for `none`.
    Present(Expr),
    /// `count`, `sum`, `min`, `max`, `union`, `one` over binders. Elements with an undefined value are skipped. `min`
    /// and `max` of no element are undefined, and so is `one` of none or of several.
    Fold(Fold, Vec<Binder>, Expr),
    /// `{ e for x in S }`; elements with an undefined value are skipped
    Collect(Vec<Binder>, Expr),
    /// `if c then a else b`
    If(Expr, Expr, Expr),
    /// `match e { ... }`: the first arm that fits; undefined if `e` is undefined or no arm fits
    Match(Expr, Vec<Arm>),
    /// `let p = e: body`; undefined (false) if `e` is undefined
    Let(Pattern, Expr, Expr),
}

/// Quantifiers of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quant {
    /// At least one.
    Some,
    /// Every one.
    All,
    /// None.
    No,
}

/// Folds of terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// The number of elements that satisfy the body (a formula).
    Count,
    /// The sum of the body.
    Sum,
    /// The least value of the body.
    Min,
    /// The greatest value of the body.
    Max,
    /// The union of the body.
    Union,
    /// The one element (tuple of elements) that satisfies the body, a formula; undefined for none or several.
    One,
}

impl Fold {
    /// The word for it in a text: `count`.
    pub fn word(self) -> &'static str {
        match self {
            Fold::Count => "count",
            Fold::Sum => "sum",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::Union => "union",
            Fold::One => "one",
        }
    }
}

/// Arithmetic on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arith {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: floors, or exact; undefined for a zero divisor
    Div,
    /// `mod`: never negative; undefined for a zero divisor
    Mod,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

/// Operations on sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetOp {
    /// `|`
    Union,
    /// `&`
    Intersect,
    /// `-`
    Minus,
}

/// Constant functions of a board. `c`, `a`, `b` are cells, `d` a direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardFn {
    /// `c + d`: the cell one step away; undefined off the board.
    Step,
    /// `c.col`, from 1
    Col,
    /// `c.row`, from 1
    Row,
    /// `c.level`, from 1 (cubes)
    Level,
    /// `c.index`, from 1
    Index,
    /// `c.reading`: from 1, from the top row, left to right
    Reading,
    /// `c.neighbors`
    Neighbors,
    /// `c.diagonals`
    Diagonals,
    /// `c.around`: neighbours and diagonals
    Around,
    /// `c.leap(i, j)`: the cells at a distance of i along one axis and j along the other
    Leap,
    /// `c.transpose`: column and row exchanged
    Transpose,
    /// `Cell(col, row)`
    At,
    /// `dir(a, b)`: the direction from a to b
    Dir,
    /// `aligned(a, b)`: on a straight line, a != b
    Aligned,
    /// `diagonal(a, b)`: aligned by a diagonal
    Diagonal,
    /// `orthogonal(a, b)`: aligned by a row or a column
    Orthogonal,
    /// `between(a, b)`: the cells strictly between aligned cells
    Between,
    /// `beyond(a, b)`: the cell after b going straight from a through b
    Beyond,
    /// `ray(c, d)`: the cells from c in direction d, in order, without c
    Ray,
    /// `b.sides` of a box
    Sides,
    /// `s.boxes` of a side
    Boxes,
    /// `e.ends` of an edge
    Ends,
    /// `c.edges` of a cell
    Edges,
}

impl BoardFn {
    /// The number of arguments; [`BoardFn::At`] has two or three, whichever is nearer to `given`.
    pub fn arity(self, given: usize) -> usize {
        match self {
            BoardFn::At => given.clamp(2, 3),
            BoardFn::Leap => 3,
            BoardFn::Step
            | BoardFn::Dir
            | BoardFn::Aligned
            | BoardFn::Diagonal
            | BoardFn::Orthogonal
            | BoardFn::Between
            | BoardFn::Beyond
            | BoardFn::Ray => 2,
            _ => 1,
        }
    }
}

/// `x in S where f`: variables, their domain, and a filter.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The bound variables.
    pub pattern: Pattern,
    /// The domain, in order.
    pub domain: Domain,
    /// The filter; `None` for all values.
    pub condition: Option<Expr>,
}

/// The domain of a binder.
#[derive(Clone, Debug)]
pub enum Domain {
    /// These values, in order.
    Fixed(std::sync::Arc<Vec<Value>>),
    /// The elements of a set that depends on the state or on other variables.
    Set(Expr),
}

/// The pattern of a binder or a `let`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A variable.
    Var(VarId),
    /// The parts of a tuple.
    Tuple(Vec<Pattern>),
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern; `_` is [`ArmPattern::Any`]. A tuple pattern compares part by part.
    pub pattern: ArmPattern,
    pub value: Expr,
}

/// The pattern of an arm.
#[derive(Clone, Debug)]
pub enum ArmPattern {
    /// `_`: fits everything
    Any,
    /// Fits this value.
    Value(Expr),
    /// Fits the elements of this set.
    OneOf(Expr),
    /// Fits a tuple whose parts fit.
    Tuple(Vec<ArmPattern>),
}

/// Visits the direct subexpressions of an expression, by shared or by mutable reference.
macro_rules! each_part {
    ($expr:ident, $visit:ident, $each_pattern:ident $(, $mutable:tt)?) => {
        match &$($mutable)? *$expr.kind {
            ExprKind::Const(_) | ExprKind::Undefined | ExprKind::Var(_) | ExprKind::Me | ExprKind::Stuck => {}
            ExprKind::Field(_, args)
            | ExprKind::Table(_, args)
            | ExprKind::Call(_, args)
            | ExprKind::Board(_, _, args)
            | ExprKind::And(args)
            | ExprKind::Or(args)
            | ExprKind::SetOf(args)
            | ExprKind::Tuple(_, args)
            | ExprKind::List(args) => {
                for part in args {
                    $visit(part);
                }
            }
            ExprKind::StuckPlayer(a)
            | ExprKind::Not(a)
            | ExprKind::Defined(a)
            | ExprKind::Negate(a)
            | ExprKind::Card(a)
            | ExprKind::Part(a, _)
            | ExprKind::Present(a) => $visit(a),
            ExprKind::Flood(_, a, b)
            | ExprKind::Implies(a, b)
            | ExprKind::Iff(a, b)
            | ExprKind::Equal(a, b)
            | ExprKind::Less(a, b)
            | ExprKind::LessEqual(a, b)
            | ExprKind::In(a, b)
            | ExprKind::Subset(a, b)
            | ExprKind::SetOp(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::Let(_, a, b) => [a, b].into_iter().for_each($visit),
            ExprKind::Arith { left, right, .. } => [left, right].into_iter().for_each($visit),
            ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each($visit),
            ExprKind::Quant(_, binders, body)
            | ExprKind::Fold(_, binders, body)
            | ExprKind::Collect(binders, body) => {
                for binder in binders {
                    if let Domain::Set(set) = &$($mutable)? binder.domain {
                        $visit(set);
                    }
                    if let Some(condition) = &$($mutable)? binder.condition {
                        $visit(condition);
                    }
                }
                $visit(body);
            }
            ExprKind::Match(scrutinee, arms) => {
                $visit(scrutinee);
                for arm in arms {
                    $each_pattern(&$($mutable)? arm.pattern, $visit);
                    $visit(&$($mutable)? arm.value);
                }
            }
        }
    };
}

impl Expr {
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Expr { kind: Box::new(kind), ty, span }
    }

    /// `let p = e: self`
    pub fn with(self, pattern: Pattern, value: Expr) -> Self {
        let (ty, span) = (self.ty.clone(), self.span);
        Expr::new(ExprKind::Let(pattern, value, self), ty, span)
    }

    /// The value, if the expression is a constant.
    pub fn constant(&self) -> Option<&Value> {
        match &*self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Visits the direct subexpressions, those of binders and arms included.
    pub fn each_part<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        each_part!(self, visit, each_pattern)
    }

    /// Same as [`Expr::each_part`], to change them.
    pub fn each_part_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        each_part!(self, visit, each_pattern_mut, mut)
    }
}

fn each_pattern<'e>(pattern: &'e ArmPattern, visit: &mut dyn FnMut(&'e Expr)) {
    match pattern {
        ArmPattern::Any => {}
        ArmPattern::Value(e) | ArmPattern::OneOf(e) => visit(e),
        ArmPattern::Tuple(parts) => parts.iter().for_each(|p| each_pattern(p, visit)),
    }
}

fn each_pattern_mut(pattern: &mut ArmPattern, visit: &mut dyn FnMut(&mut Expr)) {
    match pattern {
        ArmPattern::Any => {}
        ArmPattern::Value(e) | ArmPattern::OneOf(e) => visit(e),
        ArmPattern::Tuple(parts) => parts.iter_mut().for_each(|p| each_pattern_mut(p, visit)),
    }
}

/// The kind of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnumKind {
    /// The players.
    Player,
    /// The directions of the boards.
    Dir,
    /// Declared by `enum`.
    User,
    /// The cells of a board.
    Cells(BoardId),
    /// The sides of a board's cells.
    Sides(BoardId),
    /// The edges between a board's neighbours.
    Edges(BoardId),
}

/// A finite type with named, ordered members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: String,
    pub kind: EnumKind,
    /// The members' names, in order.
    pub members: Vec<String>,
}

impl Enum {
    /// Returns the index of the member with this name.
    pub fn member(&self, name: &str) -> Option<u32> {
        self.members.iter().position(|m| m == name).map(|i| i as u32)
    }
}

/// The enum of the players, the first of every game.
pub const PLAYER: EnumId = EnumId(0);
/// The enum of the directions, the second of every game; it has no members if no board has directions.
pub const DIR: EnumId = EnumId(1);
