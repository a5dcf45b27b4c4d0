//! Comparisons of the terms of a move, for the lints about stages.

use std::collections::HashMap;

use super::locals::Locals;
use bouton_rules::{
    Binder, Domain, Effect, EffectOp, Expr, ExprKind, FieldId, PLAYER, Pattern, Type, Value, VarId,
};

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

/// Returns true for `choice[me] := k`: the cell of a player takes a value that the move chooses. The cell of a board may
/// be read for what stood there.
pub(super) fn is_choice_of_a_player(effect: &Effect) -> bool {
    let is_open = |kind: &ExprKind| {
        matches!(kind, ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Call(..) | ExprKind::Board(..))
    };
    let reads_state = |kind: &ExprKind| matches!(kind, ExprKind::Field(..) | ExprKind::Call(..));
    let is_chosen = |kind: &ExprKind| matches!(kind, ExprKind::Var(_));
    let is_player = |key: &Expr| *key.ty.present().base() == Type::Sym(PLAYER);
    effect.op == EffectOp::Set
        && effect.path.is_empty()
        && effect.keys.iter().any(is_player)
        && !effect.keys.iter().any(|key| has_part(key, &is_open))
        && has_part(&effect.value, &is_chosen)
        && !has_part(&effect.value, &reads_state)
}

/// A term that stands beside a part in a sum, or in a comparison.
pub(super) struct Beside<'r> {
    pub term: &'r Expr,
    pub is_sum: bool,
}

/// Returns true if a term beside a read makes the new value of the old one, or the old one of the new: `left - k` or
/// `left = k` below `left -= k`, `count + 1`.
pub(super) fn is_step(Beside { term, is_sum }: &Beside, effect: &Effect) -> bool {
    let is_shared = |kind: &ExprKind| match kind {
        ExprKind::Var(var) => {
            has_part(&effect.value, &|of| matches!(of, ExprKind::Var(other) if other == var))
        }
        ExprKind::Field(field, _) => *field != effect.field && reads(&effect.value, *field),
        _ => false,
    };
    let is_number = matches!(term.constant(), Some(Value::Int(_)));
    let is_alike = effect.op != EffectOp::Set && term.constant() == effect.value.constant();
    is_number && (*is_sum || is_alike) || has_part(term, &is_shared)
}

/// The names of a move for other terms: those of `let`, and of the elements of a `for`.
#[derive(Clone, Default)]
pub(super) struct Aliases<'r> {
    /// The values of `let`s that read no state, so they are the same in all stages.
    lets: HashMap<VarId, &'r Expr>,
    /// Elements of the sets of `for`: the first and the last of a range, and those of a list.
    elements: HashMap<VarId, Vec<&'r Expr>>,
}

impl<'r> Aliases<'r> {
    pub fn add_let(&mut self, pattern: &Pattern, value: &'r Expr) {
        let reads_state = |kind: &ExprKind| matches!(kind, ExprKind::Field(..) | ExprKind::Call(..));
        if let Pattern::Var(var) = pattern
            && !has_part(value, &reads_state)
        {
            self.lets.insert(*var, value);
        }
    }

    pub fn add_elements(&mut self, binder: &'r Binder) {
        let (Pattern::Var(var), Domain::Set(set), None) =
            (&binder.pattern, &binder.domain, &binder.condition)
        else {
            return;
        };
        let elements = match &*set.kind {
            ExprKind::Range(low, high) => vec![low, high],
            ExprKind::SetOf(elements) => elements.iter().collect(),
            _ => return,
        };
        self.elements.insert(*var, elements);
    }

    /// Returns true if a key names a cell that an effect with the other key changes, also under another name, or as one
    /// of the cells of a `for`.
    pub fn is_changed(&self, key: &Expr, of: &Expr) -> bool {
        if same(key, of) {
            return true;
        }
        let all = |a: &[Expr], b: &[Expr]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_changed(a, b))
        };
        match (&*key.kind, &*of.kind) {
            (ExprKind::Present(a), _) => self.is_changed(a, of),
            (_, ExprKind::Present(b)) => self.is_changed(key, b),
            (ExprKind::Var(var), _) if let Some(value) = self.lets.get(var) => self.is_changed(value, of),
            (_, ExprKind::Var(var)) if let Some(value) = self.lets.get(var) => self.is_changed(key, value),
            (_, ExprKind::Var(var)) => {
                self.elements.get(var).is_some_and(|elements| elements.iter().any(|e| same(key, e)))
            }
            (
                ExprKind::Arith { op, left, right, .. },
                ExprKind::Arith { op: other, left: other_left, right: other_right, .. },
            ) => op == other && self.is_changed(left, other_left) && self.is_changed(right, other_right),
            (ExprKind::Board(a, id, keys), ExprKind::Board(b, other, others)) => {
                a == b && id == other && all(keys, others)
            }
            (ExprKind::Table(a, keys), ExprKind::Table(b, others)) => a == b && all(keys, others),
            (ExprKind::Tuple(a, parts), ExprKind::Tuple(b, others)) => a == b && all(parts, others),
            _ => false,
        }
    }
}
