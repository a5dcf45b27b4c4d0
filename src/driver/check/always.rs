//! Conditions of moves that hold in every position: W0533.
//!
//! A condition is asked for every instance of its move at once, as `some parameters: not condition`; the first
//! position where it fails strikes it off, so that in the long run few are left to ask. Conditions that read no state
//! are left to analysis, and those that speak of `me` are left out: outside a move there is none.

use std::sync::Arc;

use crate::base::limits::LimitHit;
use crate::game::{Game, State};
use crate::rules::{
    Binder, Domain, Expr, ExprKind, PHASE, Pattern, PhaseId, Quant, Rules, StmtKind, Type, Value,
};
use crate::source::Span;

/// The conditions that held so far.
#[derive(Debug)]
pub struct Always {
    left: Vec<Clause>,
}

/// A condition of a move.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Where.
    pub span: Span,
    /// In how many positions it was asked.
    pub asked: u64,
    phases: Vec<PhaseId>,
    /// Some instance does not satisfy it.
    fails: Expr,
}

impl Always {
    /// All conditions of the first stages of all moves.
    pub fn new(rules: &Rules) -> Always {
        let mut left = Vec::new();
        for mv in &rules.moves {
            let mut lets: Vec<(&Pattern, &Expr)> = Vec::new();
            for stmt in &mv.body.stmts {
                match &stmt.kind {
                    StmtKind::Let(pattern, value) => lets.push((pattern, value)),
                    StmtKind::Require(condition) if asks(rules, condition) => {
                        if lets.iter().any(|(_, value)| !speaks_of_state_alone(rules, value)) {
                            continue;
                        }
                        let fails = fails(mv, &lets, condition);
                        left.push(Clause {
                            span: condition.span,
                            asked: 0,
                            phases: mv.phases.clone(),
                            fails,
                        });
                    }
                    _ => {}
                }
            }
        }
        Always { left }
    }

    /// Strikes off what fails in this position.
    pub fn look(&mut self, game: &Game, state: &State) -> Result<(), LimitHit> {
        let Some(Value::Int(phase)) = (!self.left.is_empty()).then(|| game.machine.read(state, PHASE, 0))
        else {
            return Ok(());
        };
        let mut done = Ok(());
        self.left.retain_mut(|clause| {
            if done.is_err() || !clause.phases.is_empty() && !clause.phases.contains(&PhaseId(phase as u32)) {
                return true;
            }
            clause.asked += 1;
            match game.machine.eval(state, &clause.fails) {
                Ok(fails) => fails == Some(Value::Bool(false)),
                Err(hit) => {
                    done = Err(hit);
                    true
                }
            }
        });
        done
    }

    /// The conditions that were asked and never failed.
    pub fn held(&self) -> impl Iterator<Item = &Clause> {
        self.left.iter().filter(|clause| clause.asked > 0)
    }
}

/// `some parameters: let a = e: not condition`
fn fails(mv: &crate::rules::Move, lets: &[(&Pattern, &Expr)], condition: &Expr) -> Expr {
    let make = |kind| Expr::new(kind, Type::Bool, condition.span);
    let mut body = make(ExprKind::Not(condition.clone()));
    for (pattern, value) in lets.iter().rev() {
        body = body.with((*pattern).clone(), (*value).clone());
    }
    let binders: Vec<Binder> = mv
        .params
        .iter()
        .map(|p| Binder {
            pattern: Pattern::Var(p.var),
            domain: Domain::Fixed(Arc::clone(&p.values)),
            condition: None,
        })
        .collect();
    if binders.is_empty() { body } else { make(ExprKind::Quant(Quant::Some, binders, body)) }
}

/// Whether a condition is worth asking: it reads the state, and not `me`.
fn asks(rules: &Rules, condition: &Expr) -> bool {
    speaks_of_state_alone(rules, condition) && reads_state(rules, condition)
}

fn speaks_of_state_alone(rules: &Rules, expr: &Expr) -> bool {
    !any(expr, &mut |e| match &*e.kind {
        ExprKind::Me | ExprKind::Stuck | ExprKind::StuckPlayer(_) => true,
        ExprKind::Call(def, _) => rules.defs[*def].uses_me,
        _ => false,
    })
}

fn reads_state(rules: &Rules, expr: &Expr) -> bool {
    any(expr, &mut |e| match &*e.kind {
        ExprKind::Field(..) => true,
        // A definition may be a view of constants only; then it says the same everywhere.
        ExprKind::Call(def, _) => {
            any(&rules.defs[*def].body, &mut |inner| matches!(&*inner.kind, ExprKind::Field(..)))
        }
        _ => false,
    })
}

/// Whether some part of an expression satisfies `is`.
fn any(expr: &Expr, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut found = is(expr);
    expr.each_part(&mut |part| found = found || any(part, is));
    found
}
