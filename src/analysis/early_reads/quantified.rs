//! Conditions on all elements of a set that an effect above makes true on its own cell.

use super::{Earlier, Key, Reader};
use crate::move_terms::{has_value, present, same};
use bouton_rules::{Binder, Domain, Effect, EffectOp, Expr, ExprKind, Pattern, Quant, Value, VarId};

impl<'r> Reader<'r, '_> {
    /// Looks for a condition on all elements of a set, among them the key of an effect above that makes it true there.
    pub(super) fn quantified(&mut self, quant: Quant, binders: &'r [Binder], body: &'r Expr) {
        let is_universal = match quant {
            Quant::All => !self.is_negated,
            Quant::Some => self.is_negated,
            Quant::No => !self.is_negated,
        };
        let [binder] = binders else { return };
        let Pattern::Var(var) = binder.pattern else { return };
        if !is_universal || self.found.is_some() {
            return;
        }
        let is_any = self.is_any_element(binder);
        let reaches = |effect: &Effect| match effect.keys.last() {
            Some(_) if is_any => effect.keys.len() == 1,
            Some(key) => effect.keys.len() == 1 && self.is_element(binder, var, key),
            None => false,
        };
        let is_true = quant == Quant::All;
        for (field, effects) in &self.above.effects {
            let makes = |(effect, _): &&Earlier<'r>| {
                reaches(effect) && self.own != Some(*field) && self.makes_true(effect, var, body, is_true)
            };
            if let Some((_, place)) = effects.iter().find(makes) {
                self.found = Some((*field, *place, false));
                return;
            }
        }
    }

    /// Returns true if an element is one of the set of a binder, since it differs in nothing that the filter compares:
    /// `x in Cell where x.row = c.row` for c.
    fn is_element(&self, binder: &Binder, var: VarId, element: &Expr) -> bool {
        let mut conditions: Vec<(&Expr, VarId)> = Vec::new();
        let is_known = match &binder.domain {
            Domain::Fixed(_) => true,
            Domain::Set(set) => match &*set.kind {
                ExprKind::Collect(inner, value) => match &inner[..] {
                    [Binder { pattern: Pattern::Var(of), domain: Domain::Fixed(_), condition }] => {
                        conditions.extend(condition.iter().map(|condition| (condition, *of)));
                        matches!(&*value.kind, ExprKind::Var(var) if var == of)
                    }
                    _ => false,
                },
                _ => false,
            },
        };
        conditions.extend(binder.condition.iter().map(|condition| (condition, var)));
        is_known && conditions.iter().all(|(condition, var)| self.is_same_in_all(condition, *var, element))
    }

    /// Returns true if a condition compares a variable with an element in such a way that it holds for the element.
    fn is_same_in_all(&self, condition: &Expr, var: VarId, element: &Expr) -> bool {
        match &*condition.kind {
            ExprKind::And(parts) => parts.iter().all(|part| self.is_same_in_all(part, var, element)),
            ExprKind::Equal(a, b) => {
                self.is_renamed(a, b, (var, element)) || self.is_renamed(b, a, (var, element))
            }
            _ => false,
        }
    }

    /// Returns true if the second term is the first with an element in place of a variable.
    fn is_renamed(&self, term: &Expr, other: &Expr, of: (VarId, &Expr)) -> bool {
        let (var, element) = of;
        let all = |a: &[Expr], b: &[Expr]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_renamed(a, b, of))
        };
        match (&*term.kind, &*other.kind) {
            (ExprKind::Present(a), _) => self.is_renamed(a, other, of),
            (_, ExprKind::Present(b)) => self.is_renamed(term, b, of),
            (ExprKind::Var(a), _) if *a == var => self.is_move_term(other, element),
            (ExprKind::Board(_, a, keys), ExprKind::Board(_, b, others)) => a == b && all(keys, others),
            (ExprKind::Table(a, keys), ExprKind::Table(b, others)) => a == b && all(keys, others),
            (ExprKind::Part(a, part), ExprKind::Part(b, other)) => part == other && self.is_renamed(a, b, of),
            _ => false,
        }
    }

    /// Returns true if a term is this one of the move, also by a parameter of a definition.
    fn is_move_term(&self, term: &Expr, of: &Expr) -> bool {
        matches!(self.key(term), Key::Term(term) if same(term, of))
    }

    /// Returns true if an effect makes a condition on one element, or a part that must hold, come to be `is_true`:
    /// `at[x] = me` after `at[c] := me`, or `at[x] != none`.
    fn makes_true(&self, effect: &Effect, var: VarId, body: &Expr, is_true: bool) -> bool {
        let is_cell = |term: &Expr| match &*present(term).kind {
            ExprKind::Field(field, keys) => {
                *field == effect.field
                    && matches!(&keys[..], [key] if matches!(&*present(key).kind, ExprKind::Var(of) if *of == var))
            }
            _ => false,
        };
        let parts = match (&*body.kind, is_true) {
            (ExprKind::Not(inner), _) => return self.makes_true(effect, var, inner, !is_true),
            (ExprKind::And(parts), true) | (ExprKind::Or(parts), false) => parts,
            (ExprKind::Equal(a, b), _) => {
                let other = match (is_cell(a), is_cell(b)) {
                    (true, false) => b,
                    (false, true) => a,
                    _ => return false,
                };
                let is_none = matches!(other.constant(), Some(Value::None));
                let is_plain = effect.op == EffectOp::Set && effect.path.is_empty();
                return is_plain
                    && match is_true {
                        true => !is_none && self.is_move_term(other, &effect.value),
                        false => is_none && has_value(&effect.value),
                    };
            }
            _ => return false,
        };
        parts.iter().any(|part| self.makes_true(effect, var, part, is_true))
    }
}
