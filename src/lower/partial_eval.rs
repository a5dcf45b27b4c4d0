//! Partial evaluation before play, in Kleene's three-valued logic: the value of an expression that does not depend on
//! the position, and often the truth of a condition although parts of it do. It decides which moves and which pairs of
//! cells matter at all.

use rustc_hash::FxHashMap;

use super::Lower;
use super::board_fn;
use super::call_cache::{PartialCallCache, PartialCallKey, cache_insert};
use bouton_base::cancel;
use bouton_rules::{
    Arith, Arm, ArmPattern, Binder, DefId, Domain, Expr, ExprKind, Fold, MOVER, PHASE, Pattern, SetOp, Tuple,
    Type, Value, VarId,
};

mod binders;

/// The known value of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PartialValue {
    /// It has this value.
    Value(Value),
    /// It is known to be undefined.
    Undefined,
    /// Nothing is known.
    Unknown,
}

use PartialValue::{Undefined, Unknown};
use binders::VisitEnd;

/// A result of partial evaluation about something made of a term whose value is unknown, so that the term may be
/// undefined.
trait PartialResult: Clone {
    /// Returns true for a truth or a value, which an undefined term would not give.
    fn is_positive(&self) -> bool;
    /// The result that says nothing.
    const NOTHING: Self;
    /// Returns the cached results of calls.
    fn memory(calls: &mut PartialCallCache) -> &mut FxHashMap<PartialCallKey, Self>;

    /// Weakens the result for a term that may be undefined: keeps it if the term is sure to be defined, otherwise only
    /// if it also holds for an undefined term.
    fn where_defined(self, sure: impl FnOnce() -> bool) -> Self {
        if self.is_positive() && !sure() { Self::NOTHING } else { self }
    }
}

impl PartialResult for Option<bool> {
    const NOTHING: Self = None;

    fn memory(calls: &mut PartialCallCache) -> &mut FxHashMap<PartialCallKey, Self> {
        &mut calls.truths
    }

    fn is_positive(&self) -> bool {
        *self == Some(true)
    }
}

impl PartialResult for PartialValue {
    const NOTHING: Self = Unknown;

    fn memory(calls: &mut PartialCallCache) -> &mut FxHashMap<PartialCallKey, Self> {
        &mut calls.values
    }

    fn is_positive(&self) -> bool {
        matches!(self, PartialValue::Value(_))
    }
}

impl PartialValue {
    fn of(value: Option<Value>) -> PartialValue {
        value.map_or(Undefined, PartialValue::Value)
    }
}

/// The known values of the variables of a definition, move or rule, by their ids.
pub type PartialEnv = Vec<PartialValue>;

/// The number of arguments that most functions do not exceed.
const MAX_INLINE_ARGS: usize = 3;

/// The known parts of the turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KnownTurn {
    /// The player who makes the move.
    pub me: Option<u32>,
    /// The player to move.
    pub mover: Option<u32>,
    pub phase: Option<u32>,
}

/// The maximal number of elements to enumerate if a set is unknown.
const MAX_ELEMENTS: usize = 4096;

/// A partial evaluator.
pub struct PartialEvaluator<'a, 'r> {
    /// The rules with their tables.
    pub lower: &'a Lower<'r>,
    pub turn: KnownTurn,
}

/// A question about a definition: its value, or whether an element is in that.
#[derive(Clone, Copy)]
struct DefQuery<'a> {
    def: DefId,
    /// The element, if the question is about one.
    element: Option<&'a PartialValue>,
}

impl DefQuery<'_> {
    /// Asks for the value.
    fn value(def: DefId) -> Self {
        Self { def, element: None }
    }
}

impl<'r> PartialEvaluator<'_, 'r> {
    /// Returns the truth of a formula; `None` if it is unknown.
    pub fn truth(&self, expr: &Expr, env: &mut PartialEnv) -> Option<bool> {
        match &*expr.kind {
            ExprKind::Not(a) => self.truth(a, env).map(|t| !t),
            ExprKind::And(parts) => self.all(parts.iter().map(|part| self.truth(part, env))),
            ExprKind::Or(parts) => self.all(parts.iter().map(|p| self.truth(p, env).map(|t| !t))).map(|t| !t),
            ExprKind::Implies(a, b) => match self.truth(a, env) {
                Some(false) => Some(true),
                Some(true) => self.truth(b, env),
                None => self.truth(b, env).filter(|&t| t),
            },
            ExprKind::Iff(a, b) => Some(self.truth(a, env)? == self.truth(b, env)?),
            ExprKind::Equal(a, b) => self.compare(a, b, env, |a, b| a == b),
            ExprKind::Less(a, b) => self.compare(a, b, env, |a, b| ordered(a, b) && a < b),
            ExprKind::LessEqual(a, b) => self.compare(a, b, env, |a, b| ordered(a, b) && a <= b),
            ExprKind::In(a, set) => match self.value(a, env) {
                Undefined => Some(false),
                a => self.member(&a, set, env),
            },
            ExprKind::Subset(a, b) => self.compare(a, b, env, |a, b| match (a, b) {
                (Value::Set(a), Value::Set(b)) => a.iter().all(|x| b.binary_search(x).is_ok()),
                _ => false,
            }),
            ExprKind::Defined(a) => match self.value(a, env) {
                PartialValue::Value(_) => Some(true),
                Undefined => Some(false),
                Unknown => None,
            },
            ExprKind::Quant(quant, binders, body) => self.quant(*quant, binders, body, env),
            ExprKind::Stuck | ExprKind::StuckPlayer(_) => None,
            ExprKind::Call(def, args) => {
                let of = &self.lower.rules.defs[*def];
                let asked = |inner: &mut PartialEnv| {
                    if of.group.is_some() { None } else { self.truth(&of.body, inner) }
                };
                self.inside(DefQuery::value(*def), args, env, asked).unwrap_or(Some(false))
            }
            ExprKind::If(c, a, b) => match self.truth(c, env) {
                Some(true) => self.truth(a, env),
                Some(false) => self.truth(b, env),
                None => {
                    let a = self.truth(a, env)?;
                    (self.truth(b, env)? == a).then_some(a)
                }
            },
            ExprKind::Match(scrutinee, arms) => match self.value(scrutinee, env) {
                Undefined => Some(false),
                PartialValue::Value(value) => {
                    self.arm(&value, arms, env).map_or(Some(false), |arm| self.truth(arm, env))
                }
                Unknown => arms.iter().all(|arm| self.truth(&arm.value, env) == Some(false)).then_some(false),
            },
            ExprKind::Let(pattern, bound, body) => match self.value(bound, env) {
                Undefined => Some(false),
                known => {
                    bind(pattern, &known, env);
                    self.truth(body, env).where_defined(|| self.is_defined(bound, &known, env))
                }
            },
            _ => match self.value(expr, env) {
                PartialValue::Value(value) => Some(value == Value::Bool(true)),
                Undefined => Some(false),
                Unknown => None,
            },
        }
    }

    fn all(&self, parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
        let mut known = Some(true);
        for part in parts {
            match part {
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = None,
            }
        }
        known
    }

    fn compare(
        &self,
        a: &Expr,
        b: &Expr,
        env: &mut PartialEnv,
        holds: fn(&Value, &Value) -> bool,
    ) -> Option<bool> {
        match (self.value(a, env), self.value(b, env)) {
            (Undefined, _) | (_, Undefined) => Some(false),
            (PartialValue::Value(a), PartialValue::Value(b)) => Some(holds(&a, &b)),
            _ => None,
        }
    }

    /// Returns the value of a term, if it is known.
    pub fn value(&self, expr: &Expr, env: &mut PartialEnv) -> PartialValue {
        cancel::step();
        let rules = self.lower.rules;
        match &*expr.kind {
            ExprKind::Const(value) => PartialValue::Value(value.clone()),
            ExprKind::Undefined => Undefined,
            ExprKind::Var(var) => env.get(var.0 as usize).cloned().unwrap_or(Unknown),
            ExprKind::Me => self.turn.me.map_or(Unknown, |me| PartialValue::Value(rules.player(me))),
            ExprKind::Field(MOVER, _) => {
                self.turn.mover.map_or(Unknown, |p| PartialValue::Value(rules.player(p)))
            }
            ExprKind::Field(PHASE, _) => {
                self.turn.phase.map_or(Unknown, |p| PartialValue::Value(Value::Int(i64::from(p))))
            }
            ExprKind::Field(field, keys) => {
                match self.strict(keys, env, |keys| rules.fields[*field].cell(keys).is_some()) {
                    Ok(false) => Undefined,
                    Ok(true) => Unknown,
                    Err(known) => known,
                }
            }
            ExprKind::Table(table, keys) => {
                let table = &rules.tables[*table];
                self.apply(keys, env, |keys| {
                    table.values.get(bouton_rules::cell_of(&table.keys, keys)?)?.clone()
                })
            }
            ExprKind::Call(def, args) => {
                let of = &rules.defs[*def];
                let asked = |inner: &mut PartialEnv| {
                    if of.group.is_some() {
                        return Unknown;
                    }
                    match self.value(&of.body, inner) {
                        PartialValue::Value(value) if !in_range(&of.ty, &value) => Undefined,
                        known => known,
                    }
                };
                self.inside(DefQuery::value(*def), args, env, asked).unwrap_or(Undefined)
            }
            ExprKind::Board(function, board, args) => {
                match self.apply(args, env, |args| self.lower.boards.apply(rules, *function, *board, args)) {
                    Undefined if board_fn::is_formula(*function) => PartialValue::Value(Value::Bool(false)),
                    known => known,
                }
            }
            ExprKind::Flood(..) => Unknown,
            ExprKind::Arith { op, exact, left, right } => {
                match (self.value(left, env), self.value(right, env)) {
                    (Undefined, _) | (_, Undefined) => Undefined,
                    (PartialValue::Value(Value::Int(a)), PartialValue::Value(Value::Int(b))) if !exact => {
                        PartialValue::of(arith(*op, a, b))
                    }
                    (PartialValue::Value(a), PartialValue::Value(b))
                        if matches!(op, Arith::Min | Arith::Max) =>
                    {
                        let least = (*op == Arith::Min) == (a <= b);
                        PartialValue::Value(if least { a } else { b })
                    }
                    _ => Unknown,
                }
            }
            ExprKind::Negate(a) => match self.value(a, env) {
                PartialValue::Value(Value::Int(a)) => PartialValue::of(a.checked_neg().map(Value::Int)),
                Undefined => Undefined,
                _ => Unknown,
            },
            ExprKind::Card(set) => match self.value(set, env) {
                PartialValue::Value(Value::Set(items) | Value::List(items)) => {
                    PartialValue::Value(Value::Int(items.len() as i64))
                }
                Undefined => Undefined,
                _ => Unknown,
            },
            ExprKind::SetOp(op, a, b) => match (self.value(a, env), self.value(b, env)) {
                (Undefined, _) | (_, Undefined) => Undefined,
                (PartialValue::Value(Value::Set(a)), PartialValue::Value(Value::Set(b))) => {
                    PartialValue::Value(Value::set(match op {
                        SetOp::Union => a.iter().chain(b.iter()).cloned().collect::<Vec<_>>(),
                        SetOp::Intersect => {
                            a.iter().filter(|x| b.binary_search(x).is_ok()).cloned().collect()
                        }
                        SetOp::Minus => a.iter().filter(|x| b.binary_search(x).is_err()).cloned().collect(),
                    }))
                }
                _ => Unknown,
            },
            ExprKind::SetOf(items) => self.apply(items, env, |items| Some(Value::set(items.iter().cloned()))),
            ExprKind::Range(a, b) => match (self.value(a, env), self.value(b, env)) {
                (Undefined, _) | (_, Undefined) => Undefined,
                (PartialValue::Value(Value::Int(a)), PartialValue::Value(Value::Int(b)))
                    if b.saturating_sub(a) < 1 << 20 =>
                {
                    PartialValue::Value(Value::Set((a..=b).map(Value::Int).collect::<Vec<_>>().into()))
                }
                _ => Unknown,
            },
            ExprKind::Tuple(record, parts) => self.apply(parts, env, |parts| {
                let made = Value::Tuple(Tuple { record: *record, parts: parts.to_vec() }.into());
                record.is_none_or(|of| self.lower.rules.has_value(&Type::Record(of), &made)).then_some(made)
            }),
            ExprKind::List(items) => self.apply(items, env, |items| Some(Value::List(items.to_vec().into()))),
            ExprKind::Part(whole, n) => match self.value(whole, env) {
                PartialValue::Value(Value::Tuple(tuple)) => {
                    PartialValue::of(tuple.parts.get(*n as usize).cloned())
                }
                PartialValue::Value(_) | Undefined => Undefined,
                Unknown => Unknown,
            },
            ExprKind::Present(a) => match self.value(a, env) {
                PartialValue::Value(Value::None) => Undefined,
                known => known,
            },
            ExprKind::Fold(fold, binders, body) => self.fold(*fold, binders, body, env),
            ExprKind::Collect(binders, body) => {
                let mut items = Vec::new();
                let known = self.each(binders, env, &mut |env| match self.value(body, env) {
                    PartialValue::Value(value) => {
                        items.push(value);
                        true
                    }
                    Undefined => true,
                    Unknown => false,
                });
                match known {
                    VisitEnd::Done => PartialValue::Value(Value::set(items)),
                    VisitEnd::Undefined => Undefined,
                    VisitEnd::Unknown => Unknown,
                }
            }
            ExprKind::If(c, a, b) => match self.truth(c, env) {
                Some(true) => self.value(a, env),
                Some(false) => self.value(b, env),
                None => {
                    let (a, b) = (self.value(a, env), self.value(b, env));
                    if a == b { a } else { Unknown }
                }
            },
            ExprKind::Match(scrutinee, arms) => match self.value(scrutinee, env) {
                Undefined => Undefined,
                PartialValue::Value(value) => {
                    self.arm(&value, arms, env).map_or(Undefined, |arm| self.value(arm, env))
                }
                Unknown => Unknown,
            },
            ExprKind::Let(pattern, bound, body) => match self.value(bound, env) {
                Undefined => Undefined,
                known => {
                    bind(pattern, &known, env);
                    self.value(body, env).where_defined(|| self.is_defined(bound, &known, env))
                }
            },
            _ => self.truth(expr, env).map_or(Unknown, |t| PartialValue::Value(Value::Bool(t))),
        }
    }

    /// Applies `then` to the values of terms; if a term has no known value, the error says whether it is undefined or
    /// unknown.
    fn strict<T>(
        &self,
        exprs: &[Expr],
        env: &mut PartialEnv,
        then: impl FnOnce(&[Value]) -> T,
    ) -> Result<T, PartialValue> {
        // Few values need no heap allocation.
        let (mut few, mut many) = ([const { Value::None }; MAX_INLINE_ARGS], Vec::new());
        let values = match few.get_mut(..exprs.len()) {
            Some(few) => few,
            None => {
                many.resize(exprs.len(), Value::None);
                &mut many[..]
            }
        };
        let mut unknown = false;
        for (to, expr) in values.iter_mut().zip(exprs) {
            match self.value(expr, env) {
                PartialValue::Value(value) => *to = value,
                Undefined => return Err(Undefined),
                Unknown => unknown = true,
            }
        }
        if unknown { Err(Unknown) } else { Ok(then(values)) }
    }

    fn apply(
        &self,
        exprs: &[Expr],
        env: &mut PartialEnv,
        then: impl Fn(&[Value]) -> Option<Value>,
    ) -> PartialValue {
        match self.strict(exprs, env, then) {
            Ok(value) => PartialValue::of(value),
            Err(known) => known,
        }
    }

    /// Returns true if a term with this known value is sure to be defined.
    fn is_defined(&self, term: &Expr, known: &PartialValue, env: &mut PartialEnv) -> bool {
        match (known, &*term.kind) {
            (PartialValue::Value(_), _) => true,
            (Undefined, _) => false,
            (Unknown, ExprKind::Var(_) | ExprKind::Me | ExprKind::Field(MOVER | PHASE, _)) => true,
            (Unknown, ExprKind::Field(field, keys)) => {
                self.strict(keys, env, |keys| self.lower.rules.fields[*field].cell(keys).is_some())
                    == Ok(true)
            }
            _ => false,
        }
    }

    /// Evaluates with the parameters of a definition bound, about an element if there is one; `None` if an argument is
    /// undefined or outside its type.
    fn inside<T: PartialResult>(
        &self,
        query: DefQuery,
        args: &[Expr],
        env: &mut PartialEnv,
        asked: impl FnOnce(&mut PartialEnv) -> T,
    ) -> Option<T> {
        cancel::step();
        let def = &self.lower.rules.defs[query.def];
        // Definitions are entered a million times: their environments are reused.
        let mut inner = self.lower.envs.borrow_mut().pop().unwrap_or_default();
        inner.resize(def.vars.len(), Unknown);
        let fits = def.params.iter().zip(args).all(|(&param, arg)| {
            let known = self.value(arg, env);
            let fits = match &known {
                Undefined => false,
                PartialValue::Value(value) => self.lower.rules.has_value(&def.vars[param].ty, value),
                Unknown => true,
            };
            inner[param.0 as usize] = known;
            fits
        });
        let said = fits.then(|| {
            self.memoised(query, &mut inner, asked).where_defined(|| {
                def.params.iter().zip(args).all(|(&param, arg)| match self.value(arg, env) {
                    PartialValue::Value(_) => true,
                    known => {
                        self.is_defined(arg, &known, env) && self.lower.surely_fits(arg, &def.vars[param].ty)
                    }
                })
            })
        });
        inner.clear();
        self.lower.envs.borrow_mut().push(inner);
        said
    }

    /// Evaluates a definition with its parameters bound, or returns the cached result.
    fn memoised<T: PartialResult>(
        &self,
        query: DefQuery,
        inner: &mut PartialEnv,
        asked: impl FnOnce(&mut PartialEnv) -> T,
    ) -> T {
        let DefQuery { def: id, element } = query;
        if !self.lower.is_memoised(id) && !self.lower.is_long(id) {
            return asked(inner);
        }
        let params = &self.lower.rules.defs[id].params;
        let args = params.iter().map(|param| inner[param.0 as usize].clone()).collect();
        let call = PartialCallKey { def: id, turn: self.turn, args, element: element.cloned() };
        if let Some(said) = T::memory(&mut self.lower.known_calls.borrow_mut()).get(&call) {
            return said.clone();
        }
        let said = asked(inner);
        cache_insert(T::memory(&mut self.lower.known_calls.borrow_mut()), call, said.clone());
        said
    }

    /// Returns the first arm that a value fits.
    pub fn arm<'e>(&self, value: &Value, arms: &'e [Arm], env: &mut PartialEnv) -> Option<&'e Expr> {
        arms.iter().find(|arm| self.fits(&arm.pattern, value, env)).map(|arm| &arm.value)
    }

    /// Returns true if a value fits a pattern, whose parts are constant.
    pub fn fits(&self, pattern: &ArmPattern, value: &Value, env: &mut PartialEnv) -> bool {
        match pattern {
            ArmPattern::Any => true,
            ArmPattern::Value(expr) => {
                matches!(self.value(expr, env), PartialValue::Value(of) if of == *value)
            }
            ArmPattern::OneOf(set) => match self.value(set, env) {
                PartialValue::Value(Value::Set(items)) => items.binary_search(value).is_ok(),
                _ => false,
            },
            ArmPattern::Tuple(patterns) => match value {
                Value::Tuple(tuple) => {
                    patterns.len() == tuple.parts.len()
                        && patterns.iter().zip(&tuple.parts).all(|(p, v)| self.fits(p, v, env))
                }
                _ => false,
            },
        }
    }

    /// Returns true or false if it is known whether an element belongs to a set, even if the set itself is not known.
    pub fn member(&self, element: &PartialValue, set: &Expr, env: &mut PartialEnv) -> Option<bool> {
        match (&*set.kind, element) {
            (_, Undefined) => Some(false),
            (ExprKind::SetOp(op, a, b), _) => {
                let x = self.member(element, a, env);
                let y = self.member(element, b, env);
                let inside = match op {
                    SetOp::Union => self.all([x, y].into_iter().map(|t| t.map(|t| !t))).map(|t| !t),
                    SetOp::Intersect => self.all([x, y].into_iter()),
                    SetOp::Minus => self.all([x, y.map(|t| !t)].into_iter()),
                };
                // No element belongs to a set with an undefined part. A set that is known to contain the element is
                // defined.
                let mut sure =
                    |set, has| has == Some(true) || matches!(self.value(set, env), PartialValue::Value(_));
                inside.filter(|&inside| !inside || sure(a, x) && sure(b, y))
            }
            (ExprKind::Collect(binders, body), PartialValue::Value(value)) => {
                match (&binders[..], &*body.kind) {
                    ([Binder { pattern: Pattern::Var(var), domain, condition }], ExprKind::Var(of))
                        if var == of =>
                    {
                        let inside = match domain {
                            Domain::Fixed(values) => Some(values.contains(value)),
                            Domain::Set(set) => self.member(element, set, env),
                        };
                        if inside == Some(false) {
                            return Some(false);
                        }
                        set_variable(*var, element, env);
                        let kept = condition.as_ref().map_or(Some(true), |c| self.truth(c, env));
                        self.all([inside, kept].into_iter())
                    }
                    _ => self.contains(set, value, env),
                }
            }
            (ExprKind::Fold(Fold::Union, binders, body), PartialValue::Value(_)) => {
                let mut any = Some(false);
                // If an inner domain is undefined, so is the union, and it has no elements: then one element is not
                // enough.
                let inner = binders.iter().skip(1).any(|binder| matches!(binder.domain, Domain::Set(_)));
                let walk = self.each_possible(binders, env, &mut |env, possible| {
                    let inside = self.member(element, body, env);
                    match (possible, inside) {
                        (_, Some(false)) => true,
                        (true, Some(true)) => {
                            any = Some(true);
                            inner
                        }
                        _ => {
                            any = any.filter(|&any| any);
                            true
                        }
                    }
                });
                if walk { any } else { any.filter(|&any| any && !inner) }
            }
            (ExprKind::Call(def, args), _) => {
                let body = &self.lower.rules.defs[*def].body;
                let asked = |inner: &mut PartialEnv| self.member(element, body, inner);
                let query = DefQuery { def: *def, element: Some(element) };
                self.inside(query, args, env, asked).unwrap_or(Some(false))
            }
            (ExprKind::If(c, a, b), _) => match self.truth(c, env) {
                Some(true) => self.member(element, a, env),
                Some(false) => self.member(element, b, env),
                None => {
                    let a = self.member(element, a, env)?;
                    (self.member(element, b, env)? == a).then_some(a)
                }
            },
            (ExprKind::Let(pattern, bound, body), _) => {
                let known = self.value(bound, env);
                if known == Undefined {
                    return Some(false);
                }
                bind(pattern, &known, env);
                self.member(element, body, env).where_defined(|| self.is_defined(bound, &known, env))
            }
            (_, PartialValue::Value(value)) => self.contains(set, value, env),
            (_, Unknown) => match self.value(set, env) {
                PartialValue::Value(Value::Set(items)) if items.is_empty() => Some(false),
                Undefined => Some(false),
                _ => None,
            },
        }
    }

    fn contains(&self, set: &Expr, value: &Value, env: &mut PartialEnv) -> Option<bool> {
        match self.value(set, env) {
            PartialValue::Value(Value::Set(items)) => Some(items.binary_search(value).is_ok()),
            PartialValue::Value(Value::List(items)) => Some(items.contains(value)),
            PartialValue::Value(_) | Undefined => Some(false),
            Unknown => None,
        }
    }
}

/// Sets a variable. The environment grows: the variables of the term for the player of a phase are listed nowhere.
fn set_variable(var: VarId, known: &PartialValue, env: &mut PartialEnv) {
    let place = var.0 as usize;
    if env.len() <= place {
        env.resize(place + 1, Unknown);
    }
    env[place] = known.clone();
}

/// Binds the variables of a pattern.
pub fn bind(pattern: &Pattern, known: &PartialValue, env: &mut PartialEnv) {
    match (pattern, known) {
        (Pattern::Var(var), _) => set_variable(*var, known, env),
        (Pattern::Tuple(patterns), PartialValue::Value(Value::Tuple(tuple))) => {
            for (pattern, part) in patterns.iter().zip(&tuple.parts) {
                bind(pattern, &PartialValue::Value(part.clone()), env);
            }
        }
        (Pattern::Tuple(patterns), _) => patterns.iter().for_each(|p| bind(p, &Unknown, env)),
    }
}

fn ordered(a: &Value, b: &Value) -> bool {
    *a != Value::None && *b != Value::None
}

/// Returns true if a number is in the declared range of a definition.
pub fn in_range(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Int(low, high), Value::Int(n)) => low <= n && n <= high,
        _ => true,
    }
}

/// Integer arithmetic; `None` for a zero divisor and for overflow.
pub fn arith(op: Arith, a: i64, b: i64) -> Option<Value> {
    let n = match op {
        Arith::Add => a.checked_add(b)?,
        Arith::Sub => a.checked_sub(b)?,
        Arith::Mul => a.checked_mul(b)?,
        Arith::Div | Arith::Mod if b == 0 => return None,
        Arith::Div => bouton_circuit::build::floor_div(a, b),
        Arith::Mod => bouton_circuit::build::floor_mod(a, b),
        Arith::Min => a.min(b),
        Arith::Max => a.max(b),
    };
    Some(Value::Int(n))
}
