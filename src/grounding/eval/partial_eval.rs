//! Partial evaluation by the definition: expressions that do not depend on the position are evaluated at once, and
//! operators for each combination of the values that their operands may have.

use std::sync::Arc;

use by_address::ByAddress;
use rustc_hash::FxHashSet;

use super::{Grounder, Result, SymbolicEnv};
use crate::formula::FALSE;
use crate::term::SymbolicTerm;
use bouton_reference::eval_partial;
use bouton_rules::{BoardFn, DefId, Expr, ExprKind, Pattern, Rules, Value, VarId};

/// The dependencies of an expression.
#[derive(Clone)]
pub(super) struct Dependencies {
    /// True if it depends on the position or the maker of the move.
    position: bool,
    /// The variables in it that are bound outside it.
    vars: Arc<Vec<VarId>>,
}

impl<'r> Grounder<'r> {
    /// Returns the value of an expression that does not depend on the position.
    pub(super) fn eval_constant(&mut self, env: &SymbolicEnv, expr: &'r Expr) -> Option<SymbolicTerm> {
        if let ExprKind::Const(value) = &*expr.kind {
            return Some(SymbolicTerm::constant(value.clone()));
        }
        let needs = self.needs(expr);
        if needs.position {
            return None;
        }
        let mut bound = Vec::new();
        for &var in needs.vars.iter() {
            match env.get(var) {
                Some(term) => bound.push((var, term.known()?.clone())),
                None => return Some(SymbolicTerm::undefined()),
            }
        }
        let value = eval_partial(self.rules, &bound, expr, &self.patience)?;
        Some(value.map_or_else(SymbolicTerm::undefined, SymbolicTerm::constant))
    }

    fn needs(&mut self, expr: &'r Expr) -> Dependencies {
        if let Some(known) = self.needs.get(&ByAddress(expr)) {
            return known.clone();
        }
        let mut found = DependencyCollector::default();
        found.visit(self.rules, expr, &mut FxHashSet::default());
        let mut vars: Vec<VarId> = found.used.difference(&found.bound).copied().collect();
        vars.sort_unstable();
        let needs = Dependencies { position: found.position, vars: Arc::new(vars) };
        self.needs.insert(ByAddress(expr), needs.clone());
        needs
    }

    /// Evaluates a strict operator by the definition, for each combination of values.
    pub(super) fn pointwise(
        &mut self,
        env: &mut SymbolicEnv,
        expr: &Expr,
        parts: &[&'r Expr],
    ) -> Result<SymbolicTerm> {
        let mut cases = Vec::new();
        for (row, when) in self.rows(env, parts.iter().copied(), expr)? {
            let given = with_values(expr, parts, row);
            if let Some(Some(value)) = eval_partial(self.rules, &[], &given, &self.patience) {
                cases.push((value, when));
            }
        }
        let term = SymbolicTerm::cases(&mut self.formulas, cases);
        Ok(match (&*expr.kind, term) {
            // `aligned` and its like are formulas, hence false where an argument is undefined.
            (
                ExprKind::Board(BoardFn::Aligned | BoardFn::Diagonal | BoardFn::Orthogonal, ..),
                SymbolicTerm::Cases(cases),
            )
            | (ExprKind::Less(..) | ExprKind::LessEqual(..), SymbolicTerm::Cases(cases)) => {
                let holds = cases.into_iter().find(|(value, _)| *value == Value::Bool(true));
                let holds = holds.map_or(FALSE, |(_, when)| when);
                SymbolicTerm::of_formula(&mut self.formulas, holds)
            }
            (_, term) => term,
        })
    }
}

/// Returns the expression with values in place of its parts.
fn with_values(expr: &Expr, parts: &[&Expr], values: Vec<Value>) -> Expr {
    let constant =
        |(part, value): (&&Expr, Value)| Expr::new(ExprKind::Const(value), part.ty.clone(), part.span);
    let mut given: Vec<Expr> = parts.iter().zip(values).map(constant).collect();
    let kind = match &*expr.kind {
        ExprKind::Table(table, _) => ExprKind::Table(*table, given),
        ExprKind::Board(function, board, _) => ExprKind::Board(*function, *board, given),
        ExprKind::Tuple(record, _) => ExprKind::Tuple(*record, given),
        ExprKind::List(_) => ExprKind::List(given),
        kind => {
            let second = if given.len() == 2 { given.pop() } else { None };
            match (kind, given.pop(), second) {
                (ExprKind::Arith { op, exact, .. }, Some(left), Some(right)) => {
                    ExprKind::Arith { op: *op, exact: *exact, left, right }
                }
                (ExprKind::Range(..), Some(a), Some(b)) => ExprKind::Range(a, b),
                (ExprKind::Less(..), Some(a), Some(b)) => ExprKind::Less(a, b),
                (ExprKind::LessEqual(..), Some(a), Some(b)) => ExprKind::LessEqual(a, b),
                (ExprKind::Negate(_), Some(a), None) => ExprKind::Negate(a),
                (ExprKind::Part(_, n), Some(a), None) => ExprKind::Part(a, *n),
                _ => ExprKind::Undefined,
            }
        }
    };
    Expr::new(kind, expr.ty.clone(), expr.span)
}

/// A collector of the dependencies of an expression.
#[derive(Default)]
struct DependencyCollector {
    position: bool,
    used: FxHashSet<VarId>,
    bound: FxHashSet<VarId>,
}

impl DependencyCollector {
    fn visit(&mut self, rules: &Rules, expr: &Expr, defs: &mut FxHashSet<DefId>) {
        match &*expr.kind {
            ExprKind::Field(..) | ExprKind::Me | ExprKind::Stuck | ExprKind::StuckPlayer(_) => {
                self.position = true;
            }
            ExprKind::Var(var) => {
                self.used.insert(*var);
            }
            ExprKind::Call(def, _) if defs.insert(*def) => {
                let mut inside = DependencyCollector::default();
                inside.visit(rules, &rules.defs[*def].body, defs);
                self.position |= inside.position;
            }
            ExprKind::Quant(_, binders, _)
            | ExprKind::Fold(_, binders, _)
            | ExprKind::Collect(binders, _) => {
                binders.iter().for_each(|binder| self.bind(&binder.pattern));
            }
            ExprKind::Let(pattern, ..) => self.bind(pattern),
            _ => {}
        }
        expr.each_part(&mut |part| self.visit(rules, part, defs));
    }

    fn bind(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Var(var) => {
                self.bound.insert(*var);
            }
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| self.bind(pattern)),
        }
    }
}
