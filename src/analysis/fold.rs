//! Constructors of nodes with constant folding: an expression that reads no state and no free variable is evaluated at
//! once, by the definition of the language.

use super::analyzer::Analyzer;
use bouton_base::cancel;
use bouton_base::limits::Fuel;
use bouton_base::source::Span;
use bouton_reference as reference;
use bouton_rules::{Arm, ArmPattern, Binder, Domain, Expr, ExprKind, Quant, Type, Value, VarId};
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of combinations of variables of a term that is folded; a larger term is evaluated in play.
const FOLD_LIMIT: u64 = 1 << 20;
/// The same in evaluation steps, which include the steps in called definitions.
const FOLD_STEPS: u64 = 2 * FOLD_LIMIT;
/// The number of steps that one analysis spends on values that must be known before play, and again on those that may
/// be. Steps, not time: a file has the same diagnostics on every machine.
const ANALYSIS_STEPS: u64 = 1 << 23;
/// The number of steps that a term may take even when all steps are spent: literals are not the terms that spent them.
const MIN_FOLD_STEPS: u64 = 64;

/// The fuel of an analysis: its remaining evaluation steps.
pub(super) struct EvaluationFuel {
    /// For terms that could as well be evaluated in play.
    folding: u64,
    /// For constants, tables, initial values, and values that are listed.
    constants: u64,
    /// True if the exhaustion has been reported; its consequences are not.
    reported: bool,
}

impl EvaluationFuel {
    /// The full fuel.
    pub fn new() -> EvaluationFuel {
        EvaluationFuel { folding: ANALYSIS_STEPS, constants: ANALYSIS_STEPS, reported: false }
    }

    /// Spends one step for each stored value; returns true if enough steps were left.
    pub fn spend(&mut self, values: usize) -> bool {
        let left = self.constants.checked_sub(values as u64);
        self.constants = left.unwrap_or(0);
        left.is_some()
    }
}

/// The error that an evaluation took too many steps.
pub(super) struct TooLong;

impl<'a> Analyzer<'a> {
    /// A node, folded to a constant or to an undefined node if its value can be computed.
    pub fn node(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        cancel::step();
        let expr = simplify(Expr::new(kind, ty, span));
        if expr.constant().is_some() || expr.ty == Type::Error {
            return expr;
        }
        let scan = self.scan(&expr);
        if scan.free || scan.state || scan.cost > FOLD_LIMIT {
            return expr;
        }
        let steps = FOLD_STEPS.min(self.steps.folding).max(MIN_FOLD_STEPS);
        let (value, spent) = self.evaluate(&[], &expr, steps);
        self.steps.folding = self.steps.folding.saturating_sub(spent);
        match value {
            Ok(value) => with_value(expr, value),
            Err(TooLong) => expr,
        }
    }

    /// Evaluates a closed expression that was left for play but must be known before; leaves any other unchanged.
    pub fn evaluate_closed(&mut self, expr: Expr) -> Result<Expr, TooLong> {
        let scan = self.scan(&expr);
        if scan.free || scan.state || expr.constant().is_some() || matches!(*expr.kind, ExprKind::Undefined) {
            return Ok(expr);
        }
        let value = self.constant_value(&[], &expr)?;
        Ok(with_value(expr, value))
    }

    /// The value of an expression before play, with these variables bound.
    pub fn constant_value(&mut self, env: &[(VarId, Value)], expr: &Expr) -> Result<Option<Value>, TooLong> {
        let (value, spent) = self.evaluate(env, expr, self.steps.constants);
        self.steps.constants -= spent;
        value
    }

    /// The value, if it takes no more than `steps` steps, and the number of steps spent.
    fn evaluate(
        &self,
        env: &[(VarId, Value)],
        expr: &Expr,
        steps: u64,
    ) -> (Result<Option<Value>, TooLong>, u64) {
        let patience = Fuel::with_steps(steps);
        let value = reference::eval_const(&self.rules, env, expr, &patience);
        let spent = steps - patience.left().unwrap_or(0);
        (if patience.is_exhausted() { Err(TooLong) } else { Ok(value) }, spent)
    }

    /// Reports E0403 for a value that takes too long to compute before play.
    pub fn too_long(&mut self, span: Span, label: impl Into<String>) {
        if std::mem::replace(&mut self.steps.reported, true) {
            return;
        }
        let title = "this takes too long to work out before play begins";
        let found = Diagnostic::new(Code::E0403, title, span, label).note(format!(
            "all constants of a file together may take {ANALYSIS_STEPS} steps, and this takes more"
        ));
        self.report(found.help(
            "let it go through fewer values, or make it a `def`, which is worked out where it is needed",
        ));
    }

    fn scan(&self, expr: &Expr) -> DependencyScan<'_, 'a> {
        let mut scan = DependencyScan { cx: self, bound: Vec::new(), cost: 1, free: false, state: false };
        scan.expr(expr);
        scan
    }

    /// Returns true if an expression reads no state; its variables may be free.
    pub fn is_static(&self, expr: &Expr) -> bool {
        !self.scan(expr).state
    }
}

/// A term replaced by its value; undefined without one.
fn with_value(expr: Expr, value: Option<Value>) -> Expr {
    let Expr { ty, span, .. } = expr;
    match value {
        Some(value) => {
            let ty = match (&value, &ty) {
                (Value::Int(i), Type::Int(..)) => Type::Int(*i, *i),
                _ => ty,
            };
            Expr::new(ExprKind::Const(value), ty, span)
        }
        None => Expr::new(ExprKind::Undefined, ty, span),
    }
}

struct DependencyScan<'c, 'a> {
    cx: &'c Analyzer<'a>,
    bound: Vec<bouton_rules::VarId>,
    cost: u64,
    free: bool,
    state: bool,
}

impl DependencyScan<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        cancel::step();
        if self.state {
            return;
        }
        if expr.ty == Type::Error {
            self.state = true;
            return;
        }
        match &*expr.kind {
            ExprKind::Var(var) => self.free |= !self.bound.contains(var),
            ExprKind::Me | ExprKind::Field(..) | ExprKind::Stuck | ExprKind::StuckPlayer(_) => {
                self.state = true
            }
            ExprKind::Call(def, args) => {
                self.state |= !self.cx.static_defs.get(def).copied().unwrap_or(false);
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Quant(_, binders, body)
            | ExprKind::Fold(_, binders, body)
            | ExprKind::Collect(binders, body) => {
                self.under(binders, body);
            }
            ExprKind::Let(pattern, value, body) => {
                self.expr(value);
                let depth = self.bound.len();
                super::locals::Locals::pattern_vars(pattern, &mut self.bound);
                self.expr(body);
                self.bound.truncate(depth);
            }
            _ => expr.each_part(&mut |part| self.expr(part)),
        }
    }

    fn under(&mut self, binders: &[Binder], body: &Expr) {
        let (depth, cost) = (self.bound.len(), self.cost);
        for binder in binders {
            match &binder.domain {
                Domain::Fixed(values) => self.cost = self.cost.saturating_mul(values.len().max(1) as u64),
                Domain::Set(set) => {
                    self.expr(set);
                    self.cost = self.cost.saturating_mul(64);
                }
            }
            super::locals::Locals::pattern_vars(&binder.pattern, &mut self.bound);
            if let Some(condition) = &binder.condition {
                self.expr(condition);
            }
        }
        self.expr(body);
        self.bound.truncate(depth);
        // The greatest cost so far is the cost of the whole.
        self.cost = self.cost.max(cost);
    }
}

/// Removes the parts that a constant decides, so that parameters leave no trace.
fn simplify(expr: Expr) -> Expr {
    let (ty, span) = (expr.ty.clone(), expr.span);
    let truth = |value: bool| Expr::new(ExprKind::Const(Value::Bool(value)), Type::Bool, span);
    match *expr.kind {
        ExprKind::And(parts) => junction(parts, true, span),
        ExprKind::Or(parts) => junction(parts, false, span),
        ExprKind::Not(inner) => match inner.constant() {
            Some(Value::Bool(b)) => truth(!b),
            _ => Expr::new(ExprKind::Not(inner), ty, span),
        },
        ExprKind::Implies(a, b) => match (a.constant(), b.constant()) {
            (Some(Value::Bool(false)), _) | (_, Some(Value::Bool(true))) => truth(true),
            (Some(Value::Bool(true)), _) => junction(vec![a, Expr { span, ..b }], true, span),
            _ => Expr::new(ExprKind::Implies(a, b), ty, span),
        },
        ExprKind::Quant(quant, binders, body) => {
            let empty = binders.iter().any(|b| matches!(&b.domain, Domain::Fixed(v) if v.is_empty()));
            // A domain before the empty one might be undefined, so all must be fixed.
            let fixed = binders.iter().all(|b| matches!(b.domain, Domain::Fixed(_)));
            if empty && fixed {
                return truth(quant != Quant::Some);
            }
            Expr::new(ExprKind::Quant(quant, binders, body), ty, span)
        }
        ExprKind::Match(scrutinee, arms) => match_constant(scrutinee, arms, ty, span),
        kind => Expr::new(kind, ty, span),
    }
}

/// The condition that a formula is where nothing but its truth counts: there, `f or false` is `f`, also where f is undefined.
pub(super) fn as_condition(mut expr: Expr) -> Expr {
    let unit = matches!(&*expr.kind, ExprKind::And(_));
    match &mut *expr.kind {
        ExprKind::And(parts) | ExprKind::Or(parts)
            if parts.len() == 2 && parts[1].constant() == Some(&Value::Bool(unit)) =>
        {
            parts.swap_remove(0)
        }
        _ => expr,
    }
}

/// Returns true if a formula has a value whatever its parts are: if an undefined part makes it false.
fn always_has_a_value(formula: &Expr) -> bool {
    use ExprKind as K;
    match &*formula.kind {
        K::Const(_) | K::Var(_) | K::And(_) | K::Or(_) | K::Not(_) | K::Implies(..) | K::Iff(..) => true,
        K::Equal(..) | K::Less(..) | K::LessEqual(..) | K::In(..) | K::Subset(..) => true,
        K::Defined(_) | K::Quant(..) => true,
        K::Field(_, keys) => keys.is_empty(),
        _ => false,
    }
}

/// `and` (`unit` true) or `or`: flattened, without neutral parts. One stays beside a single part that may be undefined, since
/// `f or false` is false where f has no value.
fn junction(parts: Vec<Expr>, unit: bool, span: Span) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    let mut neutral = None;
    for part in parts {
        if part.ty == Type::Error {
            return Expr::new(ExprKind::Undefined, Type::Error, span);
        }
        match *part.kind {
            ExprKind::And(inner) if unit => flat.extend(inner),
            ExprKind::Or(inner) if !unit => flat.extend(inner),
            ExprKind::Const(Value::Bool(b)) if b == unit => neutral = Some(part),
            _ => flat.push(part),
        }
    }
    let decided = flat.iter().any(|p| p.constant() == Some(&Value::Bool(!unit)));
    if decided || flat.is_empty() {
        return Expr::new(ExprKind::Const(Value::Bool(unit != decided)), Type::Bool, span);
    }
    if let [only] = &flat[..] {
        match neutral.filter(|_| !always_has_a_value(only)) {
            Some(neutral) => flat.push(neutral),
            None => return flat.remove(0),
        }
    }
    let kind = if unit { ExprKind::And(flat) } else { ExprKind::Or(flat) };
    Expr::new(kind, Type::Bool, span)
}

/// Replaces a `match` on a constant by the arm that matches, if the patterns before it are constants.
fn match_constant(scrutinee: Expr, mut arms: Vec<Arm>, ty: Type, span: Span) -> Expr {
    if let Some(value) = scrutinee.constant() {
        for (i, arm) in arms.iter().enumerate() {
            match &arm.pattern {
                ArmPattern::Any => return Expr { span, ..arms.swap_remove(i).value },
                ArmPattern::Value(e) => match e.constant() {
                    Some(v) if v == value => return Expr { span, ..arms.swap_remove(i).value },
                    Some(_) => {}
                    None => break,
                },
                _ => break,
            }
        }
    }
    Expr::new(ExprKind::Match(scrutinee, arms), ty, span)
}
