//! Comparisons of the terms of a move, for the lints about stages.

use super::locals::Locals;
use bouton_rules::{Expr, ExprKind, FieldId, PLAYER, Type, Value, VarId};

/// Returns true if two terms name the same variable of the move.
pub(super) fn share_variable(a: &Expr, b: &Expr) -> bool {
    has_part(a, &|kind| match kind {
        ExprKind::Var(var) => has_part(b, &|of| matches!(of, ExprKind::Var(other) if other == var)),
        _ => false,
    })
}

/// The term whose value is used.
pub(super) fn present(term: &Expr) -> &Expr {
    match &*term.kind {
        ExprKind::Present(inner) => present(inner),
        _ => term,
    }
}

pub(super) fn is_field(term: &Expr) -> bool {
    matches!(&*present(term).kind, ExprKind::Field(..))
}

/// Returns true for a term that is never `none`.
pub(super) fn has_value(term: &Expr) -> bool {
    match &*term.kind {
        ExprKind::Me | ExprKind::Present(_) => true,
        ExprKind::Const(value) => *value != Value::None,
        _ => !matches!(term.ty, Type::Option(_) | Type::Never | Type::Error),
    }
}

pub(super) fn is_mover_and_player(a: &Expr, b: &Expr) -> bool {
    let is_player = |e: &Expr| matches!(e.constant(), Some(Value::Sym(PLAYER, _)));
    let is_me = |e: &Expr| matches!(&*e.kind, ExprKind::Me);
    is_player(a) && is_me(b) || is_me(a) && is_player(b)
}

pub(super) fn reads(expr: &Expr, field: FieldId) -> bool {
    has_part(expr, &|kind| matches!(kind, ExprKind::Field(of, _) if *of == field))
}

/// Returns true if an expression has a part of this kind, definitions left out.
pub(super) fn has_part(expr: &Expr, is_it: &dyn Fn(&ExprKind) -> bool) -> bool {
    let mut has = is_it(&expr.kind);
    expr.each_part(&mut |part| has = has || has_part(part, is_it));
    has
}

/// Collects the variables that an expression binds.
pub(super) fn bound_variables(expr: &Expr, found: &mut Vec<VarId>) {
    match &*expr.kind {
        ExprKind::Quant(_, binders, _) | ExprKind::Fold(_, binders, _) | ExprKind::Collect(binders, _) => {
            binders.iter().for_each(|binder| Locals::pattern_vars(&binder.pattern, found));
        }
        ExprKind::Let(pattern, ..) => Locals::pattern_vars(pattern, found),
        _ => {}
    }
    expr.each_part(&mut |part| bound_variables(part, found));
}

/// Returns true if two terms of a move are alike.
pub(super) fn same(a: &Expr, b: &Expr) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (&*a.kind, &*b.kind) {
        (ExprKind::Present(a), _) => same(a, b),
        (_, ExprKind::Present(b)) => same(a, b),
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Me, ExprKind::Me) => true,
        (ExprKind::Field(a, keys), ExprKind::Field(b, others)) => a == b && all(keys, others),
        (ExprKind::Table(a, keys), ExprKind::Table(b, others)) => a == b && all(keys, others),
        (ExprKind::Tuple(a, parts), ExprKind::Tuple(b, others)) => a == b && all(parts, others),
        _ => false,
    }
}
