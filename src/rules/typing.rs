//! The types of expressions, computed from the types of their parts.
//!
//! A front end that reads types from a text may find narrower ones; [`verify`](crate::verify) tests that they agree with
//! these. [`RulesBuilder`](crate::builder::RulesBuilder) takes these.

use std::sync::Arc;

use crate::{
    Arith, ArmPattern, Binder, Board, BoardFn, DIR, Domain, EnumId, Expr, ExprKind, Fold, PLAYER, Pattern,
    Rules, SetOp, Type, Value, Var, VarId, Vars,
};

/// The reason why an expression has no type: a sentence without its full stop.
pub(crate) type Mismatch = String;

type Result<T> = std::result::Result<T, Mismatch>;

/// The types of one item's expressions. The ids in types must be in range.
#[derive(Clone, Copy)]
pub(crate) struct Typing<'r> {
    pub rules: &'r Rules,
    pub vars: &'r Vars,
}

impl Typing<'_> {
    /// The type of an expression whose parts have their types.
    pub fn type_of(&self, kind: &ExprKind) -> Result<Type> {
        Ok(match kind {
            ExprKind::Const(value) => type_of_value(value),
            ExprKind::Undefined => Type::Never,
            ExprKind::Var(var) => self.var(*var)?.ty.clone(),
            ExprKind::Me => Type::Sym(PLAYER),
            ExprKind::Field(field, keys) => {
                let field = known(self.rules.fields.get(*field))?;
                self.arguments(keys, field.keys.iter().map(|key| &key.ty))?;
                field.ty.clone()
            }
            ExprKind::Table(table, keys) => {
                let table = known(self.rules.tables.get(*table))?;
                self.arguments(keys, table.keys.iter().map(|key| &key.ty))?;
                table.ty.clone()
            }
            ExprKind::Call(def, args) => {
                let def = known(self.rules.defs.get(*def))?;
                self.arguments(args, def.params.iter().map(|&param| &def.vars[param].ty))?;
                def.ty.clone()
            }
            ExprKind::Board(function, board, args) => {
                self.board_function(*function, known(self.rules.boards.get(*board))?, args)?
            }
            ExprKind::Flood(board, from, within) => {
                let board = known(self.rules.boards.get(*board))?;
                let cells = Type::set(Type::Sym(board.cells));
                self.must_be(from, &cells)?;
                self.must_be(within, &cells)?;
                cells
            }
            ExprKind::StuckPlayer(player) => self.formula_of(&[player], &Type::Sym(PLAYER))?,
            ExprKind::Stuck => Type::Bool,
            ExprKind::Not(a) => self.formula_of(&[a], &Type::Bool)?,
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => self.formula_of(&[a, b], &Type::Bool)?,
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                self.formula_of(&parts.iter().collect::<Vec<_>>(), &Type::Bool)?
            }
            ExprKind::Defined(_) => Type::Bool,
            ExprKind::Quant(_, _, body) => self.formula_of(&[body], &Type::Bool)?,
            ExprKind::Equal(a, b) => {
                self.joined([a, b])?;
                Type::Bool
            }
            ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => match self.joined([a, b])? {
                Type::Set(_) | Type::List(_) | Type::Option(_) => return Err("these have no order".into()),
                _ => Type::Bool,
            },
            ExprKind::In(element, set) => {
                let of = self.element(set)?;
                Type::join(&element.ty, &of).ok_or_else(|| self.differ(&element.ty, &of))?;
                Type::Bool
            }
            ExprKind::Subset(part, whole) => {
                Type::join(&self.element(part)?, &self.element(whole)?)
                    .ok_or_else(|| self.differ(&part.ty, &whole.ty))?;
                Type::Bool
            }
            ExprKind::Card(set) => {
                let size = self.rules.type_size(&self.element(set)?);
                Type::Int(0, size.and_then(|n| i64::try_from(n).ok()).unwrap_or(i64::MAX))
            }
            ExprKind::Arith { op, exact, left, right } => match (self.number(left)?, self.number(right)?) {
                (Some(a), Some(b)) if !(*exact && *op == Arith::Div) => op.interval(a, b),
                _ => Type::Ratio,
            },
            ExprKind::Negate(a) => match self.number(a)? {
                Some((low, high)) => Type::Int(high.saturating_neg(), low.saturating_neg()),
                None => Type::Ratio,
            },
            ExprKind::Range(low, high) => match (self.number(low)?, self.number(high)?) {
                (Some((low, _)), Some((_, high))) => Type::set(Type::Int(low, high)),
                _ => return Err("a range has whole numbers as ends".into()),
            },
            ExprKind::SetOp(op, a, b) => {
                let (a, b) = (self.element(a)?, self.element(b)?);
                let joined = Type::join(&a, &b).ok_or_else(|| self.differ(&a, &b))?;
                // Only a union has elements that the first set does not have.
                Type::set(if *op == SetOp::Union { joined } else { a })
            }
            ExprKind::SetOf(items) => Type::set(self.joined(items)?),
            ExprKind::List(items) => Type::List(Arc::new(self.joined(items)?)),
            ExprKind::Tuple(None, parts) => {
                Type::Tuple(Arc::new(parts.iter().map(|part| part.ty.clone()).collect()))
            }
            ExprKind::Tuple(Some(record), parts) => {
                let of = known(self.rules.records.get(*record))?;
                self.arguments(parts, of.parts.iter().map(|(_, ty)| ty))?;
                Type::Record(*record)
            }
            ExprKind::Part(whole, index) => self.part_at(&whole.ty, &[*index])?,
            ExprKind::Present(inner) => inner.ty.present().clone(),
            ExprKind::Fold(fold, binders, body) => self.fold(*fold, binders, body)?,
            ExprKind::Collect(_, body) => Type::set(body.ty.clone()),
            ExprKind::If(condition, yes, no) => {
                self.formula_of(&[condition], &Type::Bool)?;
                self.joined([yes, no])?
            }
            ExprKind::Match(scrutinee, arms) => {
                for arm in arms {
                    self.arm(&arm.pattern, &scrutinee.ty)?;
                }
                self.joined(arms.iter().map(|arm| &arm.value))?
            }
            ExprKind::Let(_, _, body) => body.ty.clone(),
        })
    }

    /// Tests that an expression may occur where a type is required.
    pub fn must_be(&self, expr: &Expr, ty: &Type) -> Result<()> {
        if expr.ty.is_assignable_to(ty) {
            return Ok(());
        }
        Err(format!("expected {}, found {}", self.rules.show_type(ty), self.rules.show_type(&expr.ty)))
    }

    /// Tests that an expression is a number, and returns its interval; `None` for a rational.
    pub fn number(&self, expr: &Expr) -> Result<Option<(i64, i64)>> {
        match expr.ty.base() {
            Type::Int(..) | Type::Never => Ok(Some(expr.ty.interval().unwrap_or((0, 0)))),
            Type::Ratio => Ok(None),
            _ => Err(format!("expected a number, found {}", self.rules.show_type(&expr.ty))),
        }
    }

    /// Tests that an expression is a player or a set of players.
    pub fn players(&self, expr: &Expr) -> Result<()> {
        let player = Type::Sym(PLAYER);
        self.must_be(expr, &player).or_else(|_| self.must_be(expr, &Type::set(player)))
    }

    /// Tests that a set of cells or the like is one, and returns the type of its elements.
    pub fn element(&self, set: &Expr) -> Result<Type> {
        match set.ty.base() {
            Type::Set(element) => Ok(element.as_ref().clone()),
            Type::Never => Ok(Type::Never),
            other => Err(format!("expected a set, found {}", self.rules.show_type(other))),
        }
    }

    /// The type of the elements of a binder's domain.
    pub fn domain(&self, domain: &Domain) -> Result<Type> {
        match domain {
            Domain::Fixed(values) if !values.iter().all(|value| self.rules.knows(value)) => {
                Err("a value mentions what does not exist".into())
            }
            Domain::Fixed(values) => {
                let mut joined = Type::Never;
                for ty in values.iter().map(type_of_value) {
                    joined = Type::join(&joined, &ty).ok_or_else(|| self.differ(&joined, &ty))?;
                }
                Ok(joined)
            }
            Domain::Set(set) => self.element(set),
        }
    }

    /// The variables of a pattern with the types of the parts that they take.
    pub fn bindings(&self, pattern: &Pattern, ty: &Type, out: &mut Vec<(VarId, Type)>) -> Result<()> {
        match pattern {
            Pattern::Var(var) => out.push((*var, ty.clone())),
            Pattern::Tuple(patterns) if *ty == Type::Never => {
                patterns.iter().try_for_each(|part| self.bindings(part, ty, out))?;
            }
            Pattern::Tuple(patterns) => {
                let parts = self.parts(ty)?;
                if parts.len() != patterns.len() {
                    return Err(format!("{} parts are taken as {}", parts.len(), patterns.len()));
                }
                for (pattern, part) in patterns.iter().zip(&parts) {
                    self.bindings(pattern, part, out)?;
                }
            }
        }
        Ok(())
    }

    /// The type of the part of a record that a path leads to.
    pub fn part_at(&self, ty: &Type, path: &[u32]) -> Result<Type> {
        path.iter().try_fold(ty.clone(), |ty, index| {
            let part = self.parts(&ty)?.into_iter().nth(*index as usize);
            part.ok_or_else(|| format!("there is no part {index}"))
        })
    }

    /// The types of the parts of a tuple or record.
    fn parts(&self, ty: &Type) -> Result<Vec<Type>> {
        match ty.present().base() {
            Type::Tuple(types) => Ok(types.to_vec()),
            Type::Record(record) => {
                Ok(self.rules.records[*record].parts.iter().map(|(_, ty)| ty.clone()).collect())
            }
            _ => Err(format!("expected a tuple or a record, found {}", self.rules.show_type(ty))),
        }
    }

    /// The type `bool`, after a test that all of these are of a type.
    fn formula_of(&self, parts: &[&Expr], ty: &Type) -> Result<Type> {
        parts.iter().try_for_each(|part| self.must_be(part, ty))?;
        Ok(Type::Bool)
    }

    fn arguments<'t>(&self, args: &[Expr], types: impl Iterator<Item = &'t Type>) -> Result<()> {
        args.iter().zip(types).try_for_each(|(arg, ty)| self.must_be(arg, ty))
    }

    /// The type that all of these have in common.
    fn joined<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<Type> {
        let mut joined = Type::Never;
        for expr in exprs {
            joined = Type::join(&joined, &expr.ty).ok_or_else(|| self.differ(&joined, &expr.ty))?;
        }
        Ok(joined)
    }

    fn differ(&self, a: &Type, b: &Type) -> Mismatch {
        format!("{} and {} have no value in common", self.rules.show_type(a), self.rules.show_type(b))
    }

    fn arm(&self, pattern: &ArmPattern, ty: &Type) -> Result<()> {
        let fits = |other: &Type| Type::join(other, ty).map(drop).ok_or_else(|| self.differ(other, ty));
        match pattern {
            ArmPattern::Any => Ok(()),
            ArmPattern::Value(value) => fits(&value.ty),
            ArmPattern::OneOf(set) => fits(&self.element(set)?),
            ArmPattern::Tuple(patterns) => {
                let parts = self.parts(ty)?;
                if parts.len() != patterns.len() {
                    return Err(format!("{} parts are compared with {}", parts.len(), patterns.len()));
                }
                patterns.iter().zip(&parts).try_for_each(|(pattern, part)| self.arm(pattern, part))
            }
        }
    }

    fn fold(&self, fold: Fold, binders: &[Binder], body: &Expr) -> Result<Type> {
        if matches!(fold, Fold::Count | Fold::One) {
            self.must_be(body, &Type::Bool)?;
        }
        Ok(match fold {
            Fold::Count => Type::Int(0, self.combinations(binders)?),
            Fold::One => {
                let mut types = Vec::new();
                for binder in binders {
                    types.push(self.pattern_type(&binder.pattern)?);
                }
                if types.len() == 1 { types.remove(0) } else { Type::Tuple(Arc::new(types)) }
            }
            Fold::Sum => match self.number(body)? {
                Some((low, high)) => {
                    let rounds = self.combinations(binders)?;
                    Type::Int(low.min(0).saturating_mul(rounds), high.max(0).saturating_mul(rounds))
                }
                None => Type::Ratio,
            },
            Fold::Union => Type::set(self.element(body)?),
            Fold::Min | Fold::Max => body.ty.clone(),
        })
    }

    /// The type of the value that a pattern takes apart.
    fn pattern_type(&self, pattern: &Pattern) -> Result<Type> {
        match pattern {
            Pattern::Var(var) => Ok(self.var(*var)?.ty.clone()),
            Pattern::Tuple(parts) => {
                let types: Result<_> = parts.iter().map(|part| self.pattern_type(part)).collect();
                Ok(Type::Tuple(Arc::new(types?)))
            }
        }
    }

    fn var(&self, var: VarId) -> Result<&Var> {
        known(self.vars.get(var))
    }

    /// The maximal number of combinations of the binders.
    fn combinations(&self, binders: &[Binder]) -> Result<i64> {
        let mut rounds = 1i64;
        for binder in binders {
            let size = match &binder.domain {
                Domain::Fixed(values) => Some(values.len() as u128),
                Domain::Set(set) => self.rules.type_size(&self.element(set)?),
            };
            rounds = rounds.saturating_mul(size.and_then(|n| i64::try_from(n).ok()).unwrap_or(i64::MAX));
        }
        Ok(rounds)
    }

    fn board_function(&self, function: BoardFn, board: &Board, args: &[Expr]) -> Result<Type> {
        let cell = Type::Sym(board.cells);
        let number = Type::Int(i64::MIN, i64::MAX);
        let of = |members: Option<EnumId>| {
            members.map(Type::Sym).ok_or_else(|| format!("`{}` has no such enumeration", board.name))
        };
        let (params, ty) = match function {
            BoardFn::Step => (vec![cell.clone(), Type::Sym(DIR)], cell),
            BoardFn::Col => (vec![cell], board.col.clone()),
            BoardFn::Row => (vec![cell], board.row.clone()),
            BoardFn::Level => (vec![cell], board.level.clone()),
            BoardFn::Index | BoardFn::Reading => (vec![cell], Type::Int(1, board.len() as i64)),
            BoardFn::Neighbors | BoardFn::Diagonals | BoardFn::Around => {
                (vec![cell.clone()], Type::set(cell))
            }
            BoardFn::Leap => (vec![cell.clone(), number.clone(), number], Type::set(cell)),
            BoardFn::Transpose => (vec![cell.clone()], cell),
            BoardFn::At => (vec![number; args.len().clamp(2, 3)], cell),
            BoardFn::Dir => (vec![cell.clone(), cell], Type::Sym(DIR)),
            BoardFn::Aligned | BoardFn::Diagonal | BoardFn::Orthogonal => {
                (vec![cell.clone(), cell], Type::Bool)
            }
            BoardFn::Between => (vec![cell.clone(), cell.clone()], Type::set(cell)),
            BoardFn::Beyond => (vec![cell.clone(), cell.clone()], cell),
            BoardFn::Ray => (vec![cell.clone(), Type::Sym(DIR)], Type::set(cell)),
            BoardFn::Sides => (vec![cell], Type::set(of(board.sides)?)),
            BoardFn::Boxes => (vec![of(board.sides)?], Type::set(cell)),
            BoardFn::Ends => (vec![of(board.edges)?], Type::set(cell)),
            BoardFn::Edges => (vec![cell], Type::set(of(board.edges)?)),
        };
        self.arguments(args, params.iter())?;
        Ok(ty)
    }
}

/// Returns the entry of an id.
fn known<T>(entry: Option<&T>) -> Result<&T> {
    entry.ok_or_else(|| "it mentions what does not exist".into())
}

/// The least type of a value.
pub(crate) fn type_of_value(value: &Value) -> Type {
    let joined = |items: &[Value]| {
        items.iter().map(type_of_value).reduce(|a, b| Type::join(&a, &b).unwrap_or(Type::Error))
    };
    match value {
        Value::None => Type::option(Type::Never),
        Value::Bool(_) => Type::Bool,
        Value::Int(i) => Type::Int(*i, *i),
        Value::Sym(id, _) => Type::Sym(*id),
        Value::Tuple(tuple) => match tuple.record {
            Some(record) => Type::Record(record),
            None => Type::Tuple(Arc::new(tuple.parts.iter().map(type_of_value).collect())),
        },
        Value::Set(items) => Type::set(joined(items).unwrap_or(Type::Never)),
        Value::List(items) => Type::List(Arc::new(joined(items).unwrap_or(Type::Never))),
        Value::Ratio(_) => Type::Ratio,
        Value::Text(_) => Type::Text,
    }
}

impl Arith {
    /// The interval that contains the results of the operation on two intervals, each given by its ends.
    pub fn interval(self, left: (i64, i64), right: (i64, i64)) -> Type {
        let ((a, b), (c, d)) = (left, right);
        let corners = |f: fn(i64, i64) -> i64| {
            let all = [f(a, c), f(a, d), f(b, c), f(b, d)];
            let min = all.iter().copied().fold(i64::MAX, i64::min);
            let max = all.iter().copied().fold(i64::MIN, i64::max);
            Type::Int(min, max)
        };
        match self {
            Arith::Add => Type::Int(a.saturating_add(c), b.saturating_add(d)),
            Arith::Sub => Type::Int(a.saturating_sub(d), b.saturating_sub(c)),
            Arith::Mul => corners(i64::saturating_mul),
            Arith::Min => Type::Int(a.min(c), b.min(d)),
            Arith::Max => Type::Int(a.max(c), b.max(d)),
            // Monotone in each operand if the divisor keeps its sign, so the corners are the extremes.
            Arith::Div if c > 0 || d < 0 => corners(floor_div),
            // The divisor may be 0 between its ends: the quotient is no larger than the dividend.
            Arith::Div => {
                let most = a.saturating_abs().max(b.saturating_abs());
                Type::Int(most.saturating_neg().min(a), most)
            }
            Arith::Mod if c > 0 && 0 <= a && b < c => Type::Int(a, b),
            Arith::Mod => Type::Int(0, c.saturating_abs().max(d.saturating_abs()).saturating_sub(1).max(0)),
        }
    }
}

/// Returns the quotient, rounded down; the largest number for the one quotient that does not fit.
fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a.checked_div(b).unwrap_or(i64::MAX);
    if a.checked_rem(b).unwrap_or(0) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_every_result() {
        let ranges = [(-3, 2), (0, 4), (1, 3), (-2, -1), (5, 5)];
        type Exact = fn(i64, i64) -> Option<i64>;
        let ops: [(Arith, Exact); 6] = [
            (Arith::Add, |x, y| Some(x + y)),
            (Arith::Sub, |x, y| Some(x - y)),
            (Arith::Mul, |x, y| Some(x * y)),
            (Arith::Div, |x, y| (y != 0).then(|| (x as f64 / y as f64).floor() as i64)),
            (Arith::Mod, |x, y| (y != 0).then(|| x.rem_euclid(y))),
            (Arith::Max, |x, y| Some(x.max(y))),
        ];
        for a in ranges {
            for b in ranges {
                for (op, f) in ops {
                    let Type::Int(lo, hi) = op.interval(a, b) else { panic!("a whole number") };
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            if let Some(z) = f(x, y) {
                                assert!(lo <= z && z <= hi, "{op:?} {x} {y} = {z} outside {lo}..{hi}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_of_the_smallest_number_hold_every_result() {
        let quotients = |of: (i64, i64), by: (i64, i64)| Arith::Div.interval(of, by).interval().unwrap();
        // The smallest number divided by -1 has no value; the next one divided by it is the largest.
        assert_eq!(quotients((i64::MIN, -5), (-1, -1)), (5, i64::MAX));
        assert_eq!(quotients((i64::MIN, 0), (-1, 1)), (i64::MIN, i64::MAX));
    }
}
