//! Conditions of moves that hold in every position: W0533.
//!
//! Each condition is evaluated for all instances of its move at once, as `some parameters: not condition`. The first
//! position where it fails removes it, so that few conditions remain in the long run. Conditions that read no state are
//! left to the analyser. Conditions that mention `me` or `stuck` are skipped: outside a move they have no meaning.

use std::sync::Arc;

use bouton_base::limits::LimitHit;
use bouton_base::source::Span;
use bouton_rules::{
    Binder, Domain, Expr, ExprKind, PHASE, Pattern, PhaseId, Quant, Rules, StmtKind, Type, Value,
};
use bouton_search::game::{Game, State};

/// The conditions that have held so far.
#[derive(Debug)]
pub struct AlwaysTrueConditions {
    remaining: Vec<Clause>,
}

/// A condition of a move that has not failed so far.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The location of the condition.
    pub span: Span,
    /// The number of positions in which it was evaluated.
    pub evaluations: u64,
    phases: Vec<PhaseId>,
    /// True in a position where some instance of the move violates the condition.
    fails: Expr,
}

impl AlwaysTrueConditions {
    /// The conditions of the first stages of all moves, if they are worth evaluating.
    pub fn new(rules: &Rules) -> AlwaysTrueConditions {
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
                            evaluations: 0,
                            phases: mv.phases.clone(),
                            fails,
                        });
                    }
                    _ => {}
                }
            }
        }
        AlwaysTrueConditions { remaining: left }
    }

    /// Removes the conditions that fail in this position.
    pub fn evaluate(&mut self, game: &Game, state: &State) -> Result<(), LimitHit> {
        let Some(Value::Int(phase)) =
            (!self.remaining.is_empty()).then(|| game.machine.read(state, PHASE, 0))
        else {
            return Ok(());
        };
        let mut done = Ok(());
        self.remaining.retain_mut(|clause| {
            if done.is_err() || !clause.phases.is_empty() && !clause.phases.contains(&PhaseId(phase as u32)) {
                return true;
            }
            clause.evaluations += 1;
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

    /// The conditions that were evaluated and never failed.
    pub fn never_failed(&self) -> impl Iterator<Item = &Clause> {
        self.remaining.iter().filter(|clause| clause.evaluations > 0)
    }
}

/// The expression `some parameters: let a = e: not condition`.
fn fails(mv: &bouton_rules::Move, lets: &[(&Pattern, &Expr)], condition: &Expr) -> Expr {
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

/// Returns true if a condition is worth evaluating: it reads the state, but neither `me` nor the legal moves.
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
        // A definition may read constants only; then it has the same value in every position.
        ExprKind::Call(def, _) => {
            any(&rules.defs[*def].body, &mut |inner| matches!(&*inner.kind, ExprKind::Field(..)))
        }
        _ => false,
    })
}

/// Returns true if some part of an expression satisfies `is`.
fn any(expr: &Expr, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut found = is(expr);
    expr.each_part(&mut |part| found = found || any(part, is));
    found
}
