//! Rows of any length: a check that the moves of a file are the same whatever the number of cells in a row.
//!
//! The check works on the syntax tree, where the length is still a name. The length may occur only in the type of the
//! cells, `1..n`, and as the last cell in comparisons. Moves use one chosen cell and those at a fixed distance from it,
//! and only test if these are in the one set that is the state, by definitions of one such cell as well. Then a move depends only on the distances of its cell
//! from either end of the row, and distances beyond the furthest one in a move make no difference. A proof for all
//! short rows is a proof for all rows. Anything not listed here is refused.

use bouton_syntax::ast::{
    BinaryOp, Bind, CmpOp, EffectOp, Expr, ExprKind, FieldDecl, File, ItemKind, MoveDecl, Pattern, Stmt,
    StmtKind, Type, TypeKind, UnaryOp,
};

/// The window of the moves of a file: the maximal distance, for every length of the row, between the chosen cell of a
/// move and a cell that it uses. `values` holds the values of the other integer parameters.
pub fn window(file: &File, length: &str, values: &[(String, i64)]) -> Result<u32, UniformityError> {
    let row = RowGame::of(file, length, values)?;
    let mut furthest = 0;
    for item in &file.items {
        if let ItemKind::Move(of) = &item.kind {
            furthest = furthest.max(row.of_move(of)?);
        }
    }
    u32::try_from(furthest).map_err(|_| UniformityError::DistantCell)
}

/// The reason why the moves of a file are not known to be the same in rows of every length. As text, each is a sentence
/// without its full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UniformityError {
    /// The rules are not those of a row of cells under normal play.
    #[error("it is not a row of cells `1..{length}` in which who cannot move loses")]
    NotARow {
        /// The name of the parameter that is the length.
        length: String,
    },
    /// There is a declaration that rows do not need.
    #[error("the file declares more than a row of cells and its moves")]
    OtherDeclaration,
    /// The state has several fields.
    #[error("the state is not one set of cells")]
    SeveralFields,
    /// The only field is no set of cells, or some cells are in it at first and some are not.
    #[error("the state is not one set of cells, all or none at first")]
    NotASetOfCells,
    /// A move has several chosen cells, or none.
    #[error("a move is not of one cell that is chosen")]
    NotOneChosenCell,
    /// A move uses a cell further away than `MAX_DISTANCE`.
    #[error("a move looks too far")]
    DistantCell,
    /// A move uses a number above `MAX_DISTANCE`.
    #[error("a number is too large")]
    LargeNumber,
    /// A part of a move is not among those whose meaning is known to be uniform.
    #[error("what its moves say is not known to be the same in rows of every length")]
    UnknownMeaning,
}

/// The names of the file with their meaning.
struct RowGame<'t> {
    length: &'t str,
    cells: &'t str,
    field: &'t str,
    values: &'t [(String, i64)],
    /// The greatest length, if the file gives one.
    longest: Option<i64>,
    /// The definitions with a parameter: their names, parameters and bodies.
    defs: Vec<(&'t str, &'t Bind, &'t Expr)>,
}

/// The sort of an expression, with its least and its greatest value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ExprSort {
    /// A number that does not depend on the cell of the move.
    Number(i64, i64),
    /// A cell, by its distance from the cell of the move.
    Cell(i64, i64),
    /// The last cell of the row.
    Last,
    /// Cells, by their distances from the cell of the move.
    Cells(i64, i64),
    /// The set that is the state.
    State,
    /// All cells.
    Row,
    /// True or false.
    Truth,
}

impl<'t> RowGame<'t> {
    fn of(
        file: &'t File,
        length: &'t str,
        values: &'t [(String, i64)],
    ) -> Result<RowGame<'t>, UniformityError> {
        let (mut cells, mut field, mut normal) = (None, None, false);
        let (mut known, mut longest, mut defs) = (false, None, Vec::new());
        for item in &file.items {
            match &item.kind {
                ItemKind::Game(_)
                | ItemKind::Preset { .. }
                | ItemKind::Players(_)
                | ItemKind::Move(_)
                | ItemKind::Invariant { .. }
                | ItemKind::Symmetry(_)
                | ItemKind::Display(_)
                | ItemKind::Expect(_)
                | ItemKind::Test(_) => {}
                // The value of another parameter must not depend on the length.
                ItemKind::Param { name, condition: None, default, ty, .. }
                    if name.text == length || is_plain(default) =>
                {
                    if name.text == length {
                        (known, longest) = (true, range(ty).map(|(_, high)| high));
                    }
                }
                // A definition counts where a move uses it. One with a declared range is undefined outside of it.
                ItemKind::Def { name, formals: Some(formals), ty, body } => {
                    if let ([formal], None) = (&formals[..], ty) {
                        defs.push((name.text.as_str(), formal, body));
                    }
                }
                ItemKind::TypeAlias { name, ty } if cells.is_none() && goes_to(ty, length) => {
                    cells = Some(name.text.as_str());
                }
                ItemKind::State(fields) => match &fields[..] {
                    [only] if field.is_none() => field = Some(only),
                    _ => return Err(UniformityError::SeveralFields),
                },
                ItemKind::Play { normal: true } => normal = true,
                _ => return Err(UniformityError::OtherDeclaration),
            }
        }
        let (Some(cells), Some(field), true, true) = (cells, field, known, normal) else {
            return Err(UniformityError::NotARow { length: length.to_owned() });
        };
        // The cells near the last one are numbers of 64 bits.
        if longest.is_some_and(|longest| longest > i64::MAX - MAX_DISTANCE) {
            return Err(UniformityError::LargeNumber);
        }
        if !holds_cells(field, cells) {
            return Err(UniformityError::NotASetOfCells);
        }
        Ok(RowGame { length, cells, field: &field.name.text, values, longest, defs })
    }

    fn of_move(&self, of: &MoveDecl) -> Result<i64, UniformityError> {
        if !of.is_unrestricted() {
            return Err(UniformityError::UnknownMeaning);
        }
        let mut reading = RowMoveReader { row: self, scope: Vec::new(), furthest: 0, depth: 0 };
        let mut chosen = 0;
        for param in &of.params {
            let TypeKind::Expr(ty) = &param.ty.kind else { return Err(UniformityError::UnknownMeaning) };
            let sort = match &*ty.bare().kind {
                ExprKind::Name(name) if name == self.cells => {
                    chosen += 1;
                    ExprSort::Cell(0, 0)
                }
                ExprKind::Range(from, to) => match (reading.sort(from)?, reading.sort(to)?) {
                    (ExprSort::Number(low, _), ExprSort::Number(_, high)) => ExprSort::Number(low, high),
                    _ => return Err(UniformityError::UnknownMeaning),
                },
                _ => return Err(UniformityError::UnknownMeaning),
            };
            reading.bind(&param.name.text, sort)?;
        }
        // Two chosen cells may be at any distance.
        if chosen != 1 {
            return Err(UniformityError::NotOneChosenCell);
        }
        of.body.stmts.iter().try_for_each(|stmt| reading.stmt(stmt))?;
        Ok(reading.furthest)
    }
}

/// Returns true if an expression is a literal (a number, a truth value, or a list of these) and so mentions no name.
fn is_plain(expr: &Expr) -> bool {
    match &*expr.bare().kind {
        ExprKind::Number(_) | ExprKind::Bool(_) => true,
        ExprKind::List(elements) => elements.iter().all(is_plain),
        _ => false,
    }
}

/// `1..n`
fn goes_to(ty: &Type, length: &str) -> bool {
    let TypeKind::Expr(of) = &ty.kind else { return false };
    match &*of.bare().kind {
        ExprKind::Range(from, to) => {
            matches!(&*from.bare().kind, ExprKind::Number(one) if one == "1")
                && to.bare().as_name() == Some(length)
        }
        _ => false,
    }
}

/// `up: set of Cell = Cell` or `= {}`
fn holds_cells(field: &FieldDecl, cells: &str) -> bool {
    let named = |of: &Expr| of.bare().as_name() == Some(cells);
    let of_cells = match &field.ty.kind {
        TypeKind::Set(of) => matches!(&of.kind, TypeKind::Expr(of) if named(of)),
        _ => false,
    };
    let begins = field.init.as_ref().is_some_and(|init| named(init) || init.is_empty_set());
    of_cells && begins && !field.transient && field.keys.is_empty()
}

/// The analysis of one move.
struct RowMoveReader<'r, 't> {
    row: &'r RowGame<'t>,
    scope: Vec<(&'r str, ExprSort)>,
    furthest: i64,
    /// The number of calls around this place.
    depth: usize,
}

impl<'r> RowMoveReader<'r, '_> {
    fn bind(&mut self, name: &'r str, sort: ExprSort) -> Result<(), UniformityError> {
        let row = self.row;
        let taken = [row.length, row.cells, row.field].contains(&name)
            || row.values.iter().any(|(other, _)| other == name)
            || self.scope.iter().any(|(other, _)| *other == name);
        if taken {
            return Err(UniformityError::UnknownMeaning);
        }
        self.scope.push((name, sort));
        Ok(())
    }

    fn stmt(&mut self, stmt: &'r Stmt) -> Result<(), UniformityError> {
        match &stmt.kind {
            StmtKind::When(holds) => match self.sort(holds)? {
                ExprSort::Truth => Ok(()),
                _ => Err(UniformityError::UnknownMeaning),
            },
            StmtKind::Let(Pattern::Name(name), value) => {
                let sort = self.sort(value)?;
                self.bind(&name.text, sort)
            }
            StmtKind::Effect(effect) => {
                let own = effect.target.name.text == self.row.field && effect.target.path.is_empty();
                let changes = matches!(effect.op, EffectOp::Insert | EffectOp::Subtract);
                match self.sort(&effect.value)? {
                    ExprSort::Cells(..) if own && changes => Ok(()),
                    _ => Err(UniformityError::UnknownMeaning),
                }
            }
            _ => Err(UniformityError::UnknownMeaning),
        }
    }

    fn sort(&mut self, expr: &Expr) -> Result<ExprSort, UniformityError> {
        use ExprSort::{Cell, Cells, Number, State, Truth};
        let sort = match &*expr.bare().kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Number(digits) => digits.parse().ok().map(|n| Number(n, n)),
            ExprKind::Unary(UnaryOp::Not, of) => (self.sort(of)? == Truth).then_some(Truth),
            ExprKind::Binary(op, a, b) => match (op, self.sort(a)?, self.sort(b)?) {
                (BinaryOp::Add, Number(a, b), Number(c, d)) => {
                    sum(a, c).zip(sum(b, d)).map(|(l, h)| Number(l, h))
                }
                (BinaryOp::Add, Cell(a, b), Number(c, d)) | (BinaryOp::Add, Number(a, b), Cell(c, d)) => {
                    sum(a, c).zip(sum(b, d)).map(|(l, h)| Cell(l, h))
                }
                (BinaryOp::Subtract, Number(a, b), Number(c, d)) => {
                    sum(a, -d).zip(sum(b, -c)).map(|(l, h)| Number(l, h))
                }
                (BinaryOp::Subtract, Cell(a, b), Number(c, d)) => {
                    sum(a, -d).zip(sum(b, -c)).map(|(l, h)| Cell(l, h))
                }
                (BinaryOp::Union, Cells(a, b), Cells(c, d)) => Some(Cells(a.min(c), b.max(d))),
                (BinaryOp::Subtract | BinaryOp::Intersect, Cells(a, b), Cells(..) | State)
                | (BinaryOp::Intersect, State, Cells(a, b)) => Some(Cells(a, b)),
                (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff, Truth, Truth) => {
                    Some(Truth)
                }
                _ => None,
            },
            ExprKind::Compare(first, rest) => {
                let mut left = self.sort(first)?;
                let mut all = Some(Truth);
                for (op, next) in rest {
                    let right = self.sort(next)?;
                    if !may_compare(left, *op, right) {
                        all = None;
                    }
                    left = right;
                }
                all
            }
            ExprKind::Range(from, to) => match (self.sort(from)?, self.sort(to)?) {
                (Cell(a, _), Cell(_, b)) => Some(Cells(a, b.max(a))),
                _ => None,
            },
            ExprKind::Set(elements) => {
                let mut all = Some(Cells(0, 0));
                for element in elements {
                    all = match (all, self.sort(element)?) {
                        (Some(Cells(a, b)), Cell(c, d)) => Some(Cells(a.min(c), b.max(d))),
                        _ => None,
                    };
                }
                all
            }
            ExprKind::Call(of, args) => match (of.bare().as_name(), &args[..]) {
                (Some(name), [arg]) => {
                    let arg = self.sort(arg)?;
                    Some(self.call(name, arg)?)
                }
                _ => None,
            },
            _ => None,
        };
        let sort = sort.ok_or(UniformityError::UnknownMeaning)?;
        if let Cell(low, high) | Cells(low, high) = sort {
            self.furthest = self.furthest.max(low.abs()).max(high.abs());
        }
        if let Number(low, high) = sort
            && low.abs().max(high.abs()) > MAX_DISTANCE
        {
            return Err(UniformityError::LargeNumber);
        }
        if self.furthest > MAX_DISTANCE { Err(UniformityError::DistantCell) } else { Ok(sort) }
    }

    /// Returns the sort of a call with a cell. The cell must be in the range of the definition's parameter in rows of
    /// every length, since a call is undefined outside.
    fn call(&mut self, name: &str, arg: ExprSort) -> Result<ExprSort, UniformityError> {
        let row = self.row;
        let def = row.defs.iter().find(|(other, ..)| *other == name);
        let (Some((_, formal, body)), ExprSort::Cell(low, high)) = (def, arg) else {
            return Err(UniformityError::UnknownMeaning);
        };
        let fits = range(&formal.ty).zip(row.longest).is_some_and(|((least, most), longest)| {
            least <= 1 + low && longest.checked_add(high).is_some_and(|last| last <= most)
        });
        if !fits || self.depth >= MAX_CALL_DEPTH {
            return Err(UniformityError::UnknownMeaning);
        }
        let mut inner = RowMoveReader { row, scope: Vec::new(), furthest: 0, depth: self.depth + 1 };
        inner.bind(&formal.name.text, arg)?;
        let sort = inner.sort(body)?;
        self.furthest = self.furthest.max(inner.furthest);
        Ok(sort)
    }

    fn name(&self, name: &str) -> Option<ExprSort> {
        if name == self.row.length {
            return Some(ExprSort::Last);
        }
        if name == self.row.field {
            return Some(ExprSort::State);
        }
        if name == self.row.cells {
            return Some(ExprSort::Row);
        }
        let bound = self.scope.iter().find(|(other, _)| *other == name).map(|(_, sort)| *sort);
        bound.or_else(|| {
            let value = self.row.values.iter().find(|(other, _)| other == name)?.1;
            Some(ExprSort::Number(value, value))
        })
    }
}

/// The range `low..high` of a type, if both are numbers.
fn range(ty: &Type) -> Option<(i64, i64)> {
    fn number(of: &Expr) -> Option<i64> {
        match &*of.bare().kind {
            ExprKind::Number(digits) => digits.parse().ok(),
            ExprKind::Unary(UnaryOp::Negate, of) => Some(-number(of)?),
            _ => None,
        }
    }
    let TypeKind::Expr(of) = &ty.kind else { return None };
    let ExprKind::Range(low, high) = &*of.bare().kind else { return None };
    Some((number(low)?, number(high)?))
}

/// The maximal depth of calls within calls.
const MAX_CALL_DEPTH: usize = 8;

/// The maximal distance in a move, and the maximal number.
const MAX_DISTANCE: i64 = 1000;

fn sum(a: i64, b: i64) -> Option<i64> {
    a.checked_add(b)
}

/// Returns true if a move may compare expressions of these sorts.
fn may_compare(left: ExprSort, op: CmpOp, right: ExprSort) -> bool {
    use ExprSort::{Cell, Cells, Last, Number, Row, State};
    let within = matches!(op, CmpOp::In | CmpOp::NotIn);
    let equal = matches!(op, CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::NotEqual | CmpOp::Is);
    match (left, right) {
        (Number(..), Number(..)) | (Cell(..), Cell(..)) | (Cell(..), Last) | (Last, Cell(..)) => !within,
        (Cell(..), Cells(..) | State | Row) => within,
        (Cells(..), State) => within,
        (Cells(..), Cells(..)) => within || equal,
        _ => false,
    }
}
