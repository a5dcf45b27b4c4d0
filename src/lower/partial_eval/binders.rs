//! Partial evaluation of quantifiers and folds.

use super::PartialValue::{self, Undefined, Unknown};
use super::{MAX_ELEMENTS, PartialEnv, PartialEvaluator, bind};
use bouton_rules::{Binder, Domain, Expr, Fold, Pattern, Quant, Value};

pub(super) enum VisitEnd {
    Done,
    Undefined,
    Unknown,
}

impl PartialEvaluator<'_, '_> {
    pub(super) fn quant(
        &self,
        quant: Quant,
        binders: &[Binder],
        body: &Expr,
        env: &mut PartialEnv,
    ) -> Option<bool> {
        // `all` and `no` search for a counterexample.
        let wanted = quant != Quant::All;
        let mut found = Some(false);
        let complete = self.each_possible(binders, env, &mut |env, certain| match self.truth(body, env) {
            Some(t) if t != wanted => true,
            Some(_) if certain => {
                found = Some(true);
                false
            }
            _ => {
                found = None;
                true
            }
        });
        match (quant, found) {
            (_, None) => None,
            (Quant::Some, Some(true)) => Some(true),
            (Quant::Some, Some(false)) => Some(false),
            (_, Some(true)) => Some(false),
            (_, Some(false)) => complete.then_some(true),
        }
    }

    pub(super) fn fold(
        &self,
        fold: Fold,
        binders: &[Binder],
        body: &Expr,
        env: &mut PartialEnv,
    ) -> PartialValue {
        let mut values: Vec<Value> = Vec::new();
        let mut count = 0i64;
        let walk = self.each(binders, env, &mut |env| match fold {
            Fold::Count | Fold::One => match self.truth(body, env) {
                Some(true) => {
                    count += 1;
                    if let [Binder { pattern: Pattern::Var(var), .. }] = binders
                        && let PartialValue::Value(value) = &env[var.0 as usize]
                    {
                        values.push(value.clone());
                    }
                    true
                }
                Some(false) => true,
                None => false,
            },
            _ => match self.value(body, env) {
                PartialValue::Value(value) => {
                    values.push(value);
                    true
                }
                Undefined => true,
                Unknown => false,
            },
        });
        match walk {
            VisitEnd::Unknown => return Unknown,
            VisitEnd::Undefined => return Undefined,
            VisitEnd::Done => {}
        }
        match fold {
            Fold::Count => PartialValue::Value(Value::Int(count)),
            Fold::One if count != 1 => Undefined,
            Fold::One => values.pop().map_or(Unknown, PartialValue::Value),
            Fold::Sum => values
                .iter()
                .try_fold(0i64, |sum, v| sum.checked_add(v.as_int()?))
                .map_or(Unknown, |sum| PartialValue::Value(Value::Int(sum))),
            Fold::Min => PartialValue::of(values.into_iter().min()),
            Fold::Max => PartialValue::of(values.into_iter().max()),
            Fold::Union => {
                let items = values.iter().filter_map(Value::as_set).flatten().cloned();
                PartialValue::Value(Value::set(items))
            }
        }
    }

    /// Visits every combination; stops if the visitor returns false, or if a domain or condition is unknown.
    pub(super) fn each(
        &self,
        binders: &[Binder],
        env: &mut PartialEnv,
        visit: &mut dyn FnMut(&mut PartialEnv) -> bool,
    ) -> VisitEnd {
        let Some((binder, rest)) = binders.split_first() else {
            return if visit(env) { VisitEnd::Done } else { VisitEnd::Unknown };
        };
        let values = match &binder.domain {
            Domain::Fixed(values) => values.clone(),
            Domain::Set(set) => match self.value(set, env) {
                PartialValue::Value(Value::Set(items) | Value::List(items)) => items,
                Undefined => return VisitEnd::Undefined,
                _ => return VisitEnd::Unknown,
            },
        };
        let mut undefined = false;
        for value in values.iter() {
            bind(&binder.pattern, &PartialValue::Value(value.clone()), env);
            match binder.condition.as_ref().map_or(Some(true), |c| self.truth(c, env)) {
                Some(true) => match self.each(rest, env, visit) {
                    VisitEnd::Done => {}
                    VisitEnd::Undefined => undefined = true,
                    VisitEnd::Unknown => return VisitEnd::Unknown,
                },
                Some(false) => {}
                None => return VisitEnd::Unknown,
            }
        }
        if undefined { VisitEnd::Undefined } else { VisitEnd::Done }
    }

    /// Visits every combination that is not known to be excluded, and tells the visitor whether it is certain to be
    /// included. Returns false if a domain is unknown or undefined: then nothing follows for all combinations.
    pub(super) fn each_possible(
        &self,
        binders: &[Binder],
        env: &mut PartialEnv,
        visit: &mut dyn FnMut(&mut PartialEnv, bool) -> bool,
    ) -> bool {
        let mut complete = true;
        self.possible(binders, env, true, &mut complete, visit);
        complete
    }

    fn possible(
        &self,
        binders: &[Binder],
        env: &mut PartialEnv,
        certain: bool,
        complete: &mut bool,
        visit: &mut dyn FnMut(&mut PartialEnv, bool) -> bool,
    ) -> bool {
        let Some((binder, rest)) = binders.split_first() else { return visit(env, certain) };
        let (values, set) = match &binder.domain {
            Domain::Fixed(values) => (values.clone(), None),
            Domain::Set(set) => match self.value(set, env) {
                PartialValue::Value(Value::Set(items) | Value::List(items)) => (items, None),
                Undefined => {
                    *complete = false;
                    return true;
                }
                _ => {
                    *complete = false;
                    let values =
                        set.ty.element().and_then(|ty| self.lower.rules.type_values(ty, MAX_ELEMENTS));
                    match values {
                        Some(values) => (values.into(), Some(set)),
                        None => {
                            bind(&binder.pattern, &Unknown, env);
                            return self.possible(rest, env, false, complete, visit);
                        }
                    }
                }
            },
        };
        for value in values.iter() {
            let value = PartialValue::Value(value.clone());
            let inside = set.map_or(Some(true), |set| self.member(&value, set, env));
            if inside == Some(false) {
                continue;
            }
            bind(&binder.pattern, &value, env);
            let kept = match binder.condition.as_ref().map_or(Some(true), |c| self.truth(c, env)) {
                Some(false) => continue,
                kept => kept.is_some() && inside.is_some(),
            };
            if !self.possible(rest, env, certain && kept, complete, visit) {
                return false;
            }
        }
        true
    }
}
