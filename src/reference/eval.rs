//! The meaning of expressions in a position (LANGUAGE.md section 3).
//!
//! A *formula* is true or false: an atomic formula (comparison, membership, quantifier, call) with an undefined part
//! is false. A *term* has a value or is undefined. A term of type `bool` (a cell, a table, a variable, a call, `if`,
//! `match`, `let`) counts as false where it is undefined; a formula used as a term is always defined.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustc_hash::FxHashMap;

use super::env::Env;
use super::fixpoint::FixpointGroup;
use super::number::{arith, less, negate};
use super::{board_fn, stack};
use bouton_base::limits::Fuel;
use bouton_rules::{
    Arm, ArmPattern, Def, DefId, Expr, ExprKind, FieldId, PLAYER, Rules, SetOp, Tuple, Type, Value, VarId,
    cell_of,
};

/// The position that expressions read.
pub trait Position: Sync {
    /// The value of a cell of a field.
    fn cell(&self, field: FieldId, cell: usize) -> Option<&Value>;
    /// Returns true if the mover, or `player` if it were to move in this phase, has no legal move but passing. `None`
    /// where the question has no meaning: inside the rule of a move.
    fn stuck(&self, player: Option<u32>) -> Option<bool>;
}

/// The context of an evaluation: one position and one actor. Each fixpoint is computed once per context.
pub struct Context<'a> {
    pub rules: &'a Rules,
    /// The position; `None` for constants.
    position: Option<&'a dyn Position>,
    /// The player who makes the move.
    pub me: Option<u32>,
    /// The fuel of the evaluation. Once it is exhausted, loops end early and values have no meaning.
    pub(super) patience: &'a Fuel,
    pub(super) groups: Mutex<FxHashMap<u32, FixpointGroup>>,
    /// True if an expression read something that is unknown without a position.
    unknown: AtomicBool,
}

/// The value of an expression that reads no field and whose free variables are bound by `env`. `None` if it is
/// undefined, or if it reads the position, `me`, or another variable. The value has no meaning once `patience` is
/// exhausted.
pub fn eval_const(rules: &Rules, env: &[(VarId, Value)], expr: &Expr, patience: &Fuel) -> Option<Value> {
    eval_partial(rules, env, expr, patience).flatten()
}

/// Like [`eval_const`], but distinguishes undefined, `Some(None)`, from unknown without a position, `None`.
pub fn eval_partial(
    rules: &Rules,
    env: &[(VarId, Value)],
    expr: &Expr,
    patience: &Fuel,
) -> Option<Option<Value>> {
    if patience.spend(1) {
        return None;
    }
    let context = Context::new(rules, None, None, patience);
    let mut bound = Env::new(0);
    for (var, value) in env {
        bound.set(*var, value.clone());
    }
    let value = context.value(&mut bound, expr);
    (!context.unknown.load(Relaxed)).then_some(value)
}

impl<'a> Context<'a> {
    /// The context of a position, with `me` as the actor.
    pub fn new(
        rules: &'a Rules,
        position: Option<&'a dyn Position>,
        me: Option<u32>,
        patience: &'a Fuel,
    ) -> Context<'a> {
        Context { rules, position, me, patience, groups: Mutex::default(), unknown: AtomicBool::new(false) }
    }

    /// Returns true if a formula holds.
    pub fn truth(&self, env: &mut Env, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Not(a) => !self.truth(env, a),
            ExprKind::And(parts) => parts.iter().all(|part| self.truth(env, part)),
            ExprKind::Or(parts) => parts.iter().any(|part| self.truth(env, part)),
            ExprKind::Implies(a, b) => !self.truth(env, a) || self.truth(env, b),
            ExprKind::Iff(a, b) => self.truth(env, a) == self.truth(env, b),
            ExprKind::Equal(a, b) => self.both(env, a, b).is_some_and(|(a, b)| a == b),
            ExprKind::Less(a, b) => self.both(env, a, b).and_then(|(a, b)| less(&a, &b)) == Some(true),
            ExprKind::LessEqual(a, b) => self.both(env, a, b).and_then(|(a, b)| less(&b, &a)) == Some(false),
            ExprKind::In(a, set) => self.both(env, a, set).is_some_and(|(a, set)| contains(&set, &a)),
            ExprKind::Subset(a, b) => {
                self.both(env, a, b).is_some_and(|(a, b)| self.spend_traversal(&a) && subset(&a, &b))
            }
            ExprKind::Defined(a) => self.value(env, a).is_some(),
            ExprKind::Quant(quant, binders, body) => self.quantify(env, *quant, binders, body),
            ExprKind::Stuck => self.stuck(None),
            ExprKind::StuckPlayer(player) => match self.value(env, player) {
                Some(Value::Sym(PLAYER, player)) => self.stuck(Some(player)),
                _ => false,
            },
            _ => self.value(env, expr) == Some(Value::Bool(true)),
        }
    }

    /// The value of a term; `None` if it is undefined.
    pub fn value(&self, env: &mut Env, expr: &Expr) -> Option<Value> {
        match &*expr.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Undefined => None,
            ExprKind::Var(var) => self.known_or_flag(env.get(*var).cloned()),
            ExprKind::Me => self.known_or_flag(self.me.map(|me| self.rules.player(me))),
            ExprKind::Field(field, keys) => {
                self.strict(env, keys, |context, keys| context.field(*field, keys)).flatten()
            }
            ExprKind::Table(table, keys) => {
                let table = &self.rules.tables[*table];
                self.strict(env, keys, |_, keys| table.values.get(cell_of(&table.keys, keys)?)?.clone())
                    .flatten()
            }
            ExprKind::Call(def, args) => self.call(env, *def, args),
            ExprKind::Board(function, board, args) => self
                .strict(env, args, |context, args| board_fn::apply(context.rules, *function, *board, args))
                .flatten()
                // `aligned` and its like are formulas, hence false if an argument is undefined.
                .or(board_fn::is_formula(*function).then_some(Value::Bool(false))),
            ExprKind::Flood(board, from, within) => {
                let (from, within) = self.both(env, from, within)?;
                if !self.spend_traversal(&within) {
                    return None;
                }
                board_fn::flood(self.rules, *board, &from, &within)
            }
            ExprKind::Arith { op, exact, left, right } => {
                let (a, b) = self.both(env, left, right)?;
                arith(*op, *exact, &a, &b)
            }
            ExprKind::Negate(a) => negate(&self.value(env, a)?),
            ExprKind::Card(set) => Some(Value::Int(elements(&self.value(env, set)?)?.len() as i64)),
            ExprKind::SetOp(op, a, b) => {
                let (a, b) = self.both(env, a, b)?;
                if !self.spend_traversal(&a) || !self.spend_traversal(&b) {
                    return None;
                }
                set_op(*op, a.as_set()?, b.as_set()?)
            }
            ExprKind::SetOf(items) => self.strict(env, items, |_, items| Value::set(items.iter().cloned())),
            ExprKind::Range(a, b) => {
                let (a, b) = self.both(env, a, b)?;
                let (a, b) = (a.as_int()?, b.as_int()?);
                if self.patience.spend(b.saturating_sub(a).clamp(0, MAX_RANGE_LEN) as u64) {
                    return None;
                }
                range(a, b)
            }
            ExprKind::Tuple(record, parts) => self.strict(env, parts, |_, parts| {
                Value::Tuple(Tuple { record: *record, parts: parts.to_vec() }.into())
            }),
            ExprKind::List(items) => self.strict(env, items, |_, items| Value::List(items.to_vec().into())),
            ExprKind::Part(whole, n) => match self.value(env, whole)? {
                Value::Tuple(tuple) => tuple.parts.get(*n as usize).cloned(),
                _ => None,
            },
            ExprKind::Present(a) => self.value(env, a).filter(|value| *value != Value::None),
            ExprKind::Fold(fold, binders, body) => self.fold(env, *fold, binders, body),
            ExprKind::Collect(binders, body) => self.collect(env, binders, body),
            ExprKind::If(c, a, b) => {
                if self.truth(env, c) {
                    self.value(env, a)
                } else {
                    self.value(env, b)
                }
            }
            ExprKind::Match(scrutinee, arms) => self.choose(env, scrutinee, arms),
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.value(env, bound)?;
                if env.bind(pattern, &bound) { self.value(env, body) } else { None }
            }
            ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Implies(..)
            | ExprKind::Iff(..)
            | ExprKind::Equal(..)
            | ExprKind::Less(..)
            | ExprKind::LessEqual(..)
            | ExprKind::In(..)
            | ExprKind::Subset(..)
            | ExprKind::Defined(_)
            | ExprKind::Quant(..)
            | ExprKind::Stuck
            | ExprKind::StuckPlayer(_) => Some(Value::Bool(self.truth(env, expr))),
        }
    }

    /// Evaluates terms that must all be defined, and passes their values to a function.
    fn strict<R>(&self, env: &mut Env, exprs: &[Expr], then: impl FnOnce(&Self, &[Value]) -> R) -> Option<R> {
        match exprs {
            [] => Some(then(self, &[])),
            // One or two terms are by far the most frequent case; they need no list.
            [one] => Some(then(self, &[self.value(env, one)?])),
            [one, two] => Some(then(self, &[self.value(env, one)?, self.value(env, two)?])),
            _ => {
                let values: Option<Vec<Value>> = exprs.iter().map(|expr| self.value(env, expr)).collect();
                Some(then(self, &values?))
            }
        }
    }

    /// Spends the fuel for one traversal of a set; returns true if fuel is left.
    fn spend_traversal(&self, set: &Value) -> bool {
        !self.patience.spend(elements(set).map_or(0, |elements| elements.len() as u64))
    }

    fn both(&self, env: &mut Env, a: &Expr, b: &Expr) -> Option<(Value, Value)> {
        Some((self.value(env, a)?, self.value(env, b)?))
    }

    /// The value of a cell of the state; undefined if a key is outside its domain.
    fn field(&self, field: FieldId, keys: &[Value]) -> Option<Value> {
        let Some(position) = self.position else { return self.known_or_flag(None) };
        position.cell(field, self.rules.fields[field].cell(keys)?).cloned()
    }

    fn stuck(&self, player: Option<u32>) -> bool {
        match self.position {
            Some(position) => position.stuck(player) == Some(true),
            None => self.known_or_flag(None::<Value>).is_some(),
        }
    }

    /// Passes a value on; without a value, marks the result of the evaluation as unknown.
    fn known_or_flag(&self, value: Option<Value>) -> Option<Value> {
        if value.is_none() {
            self.unknown.store(true, Relaxed);
        }
        value
    }

    /// Applies a definition. Undefined if an argument is undefined or is no value of the parameter's type (LANGUAGE.md
    /// section 12, "Undefined is strict").
    fn call(&self, env: &mut Env, def: DefId, args: &[Expr]) -> Option<Value> {
        // Definitions that call others twice take long without any loop.
        if self.patience.spend(1) {
            return None;
        }
        let body = &self.rules.defs[def];
        let mut inner = Env::on_stack(body.vars.len(), env.base);
        for (&param, arg) in body.params.iter().zip(args) {
            self.pass_argument(env, body, param, arg, &mut inner)?;
        }
        stack::with_stack(env.base, |base| {
            inner.base = base;
            match body.group {
                Some(group) => self.inductive_holds(group, def, &inner).map(Value::Bool),
                None => self.value(&mut inner, &body.body).filter(|value| in_range(&body.ty, value)),
            }
        })
    }

    /// Binds a parameter of a definition; `None` if the argument is undefined or outside its domain.
    pub(super) fn pass_argument(
        &self,
        env: &mut Env,
        def: &Def,
        param: VarId,
        arg: &Expr,
        inner: &mut Env,
    ) -> Option<()> {
        let value = self.value(env, arg)?;
        self.rules.has_value(&def.vars[param].ty, &value).then(|| inner.set(param, value))
    }

    /// `match`: the value of the first arm that matches; undefined if the scrutinee is, or if no arm matches.
    fn choose(&self, env: &mut Env, scrutinee: &Expr, arms: &[Arm]) -> Option<Value> {
        let value = self.value(env, scrutinee)?;
        for arm in arms {
            if self.fits(env, &arm.pattern, &value) {
                return self.value(env, &arm.value);
            }
        }
        None
    }

    fn fits(&self, env: &mut Env, pattern: &ArmPattern, value: &Value) -> bool {
        match (pattern, value) {
            (ArmPattern::Any, _) => true,
            (ArmPattern::Value(expr), _) => self.value(env, expr).as_ref() == Some(value),
            (ArmPattern::OneOf(set), _) => self.value(env, set).is_some_and(|set| contains(&set, value)),
            (ArmPattern::Tuple(patterns), Value::Tuple(tuple)) => {
                patterns.len() == tuple.parts.len()
                    && patterns.iter().zip(&tuple.parts).all(|(pattern, part)| self.fits(env, pattern, part))
            }
            (ArmPattern::Tuple(_), _) => false,
        }
    }
}

/// Returns true if a number is in the declared range of a definition; analysis checks all other types.
fn in_range(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Int(lo, hi), Value::Int(i)) => lo <= i && i <= hi,
        _ => true,
    }
}

/// The elements of a set or list.
pub(super) fn elements(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Set(items) | Value::List(items) => Some(items),
        _ => None,
    }
}

fn contains(set: &Value, element: &Value) -> bool {
    match set {
        Value::Set(items) => items.binary_search(element).is_ok(),
        Value::List(items) => items.contains(element),
        _ => false,
    }
}

fn subset(a: &Value, b: &Value) -> bool {
    elements(a).is_some_and(|items| items.iter().all(|item| contains(b, item))) && elements(b).is_some()
}

fn set_op(op: SetOp, a: &[Value], b: &[Value]) -> Option<Value> {
    let in_b = |item: &&Value| b.binary_search(item).is_ok();
    Some(match op {
        SetOp::Union => Value::set(a.iter().chain(b).cloned()),
        SetOp::Intersect => Value::set(a.iter().filter(in_b).cloned()),
        SetOp::Minus => Value::set(a.iter().filter(|item| !in_b(item)).cloned()),
    })
}

/// The maximal number of elements of a range. No rule of a game needs more, and memory holds few ranges of this size.
const MAX_RANGE_LEN: i64 = 1 << 24;

/// `a..b`; undefined beyond the maximal size.
fn range(a: i64, b: i64) -> Option<Value> {
    (i128::from(b) - i128::from(a) < i128::from(MAX_RANGE_LEN))
        .then(|| Value::Set((a..=b).map(Value::Int).collect::<Vec<_>>().into()))
}
