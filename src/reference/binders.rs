//! Binders: quantifiers, folds and comprehensions (LANGUAGE.md sections 2 and 3).

use super::env::Env;
use super::eval::{Context, elements};
use super::number::{arith, compare};
use bouton_rules::{Arith, Binder, Domain, Expr, Fold, Quant, Value};

/// The elements to which the enclosing binders are bound, the innermost first.
#[derive(Clone, Copy)]
pub struct BoundElements<'a> {
    element: &'a Value,
    outer: Option<&'a BoundElements<'a>>,
}

/// The result of enumerating the elements of binders.
#[derive(Clone, Copy, Default)]
pub struct EnumerationResult {
    /// True if the visitor asked to stop, or the fuel is exhausted.
    pub stopped: bool,
    /// True if a domain was undefined; its elements were not visited.
    pub undefined: bool,
}

/// A callback for each combination of elements; it returns false to stop the enumeration.
type Visitor<'v> = &'v mut dyn FnMut(&mut Env, Option<&BoundElements>) -> bool;

impl Context<'_> {
    /// Visits every combination of elements that satisfies the conditions, the last binder fastest, domains in order.
    pub fn for_each_binding(&self, env: &mut Env, binders: &[Binder], visit: Visitor) -> EnumerationResult {
        self.enumerate_bindings(env, binders, None, visit)
    }

    fn enumerate_bindings(
        &self,
        env: &mut Env,
        binders: &[Binder],
        outer: Option<&BoundElements>,
        visit: Visitor,
    ) -> EnumerationResult {
        let Some((binder, rest)) = binders.split_first() else {
            return EnumerationResult { stopped: !visit(env, outer), undefined: false };
        };
        let set;
        let domain = match &binder.domain {
            Domain::Fixed(values) => values.as_slice(),
            Domain::Set(expr) => {
                set = self.value(env, expr);
                match set.as_ref().and_then(elements) {
                    Some(elements) => elements,
                    None => return EnumerationResult { stopped: false, undefined: true },
                }
            }
        };
        let mut undefined = false;
        for element in domain {
            if self.patience.spend(1) {
                return EnumerationResult { stopped: true, undefined: true };
            }
            let kept = env.bind(&binder.pattern, element)
                && binder.condition.as_ref().is_none_or(|condition| self.truth(env, condition));
            if kept {
                let inner =
                    self.enumerate_bindings(env, rest, Some(&BoundElements { element, outer }), visit);
                undefined |= inner.undefined;
                if inner.stopped {
                    return EnumerationResult { stopped: true, undefined };
                }
            }
        }
        EnumerationResult { stopped: false, undefined }
    }

    /// `some`: true if one combination satisfies the body. `all`, `no`: true if no combination is an exception and
    /// every domain reached is defined.
    pub(super) fn quantify(&self, env: &mut Env, quant: Quant, binders: &[Binder], body: &Expr) -> bool {
        let walk = match quant {
            Quant::All => self.for_each_binding(env, binders, &mut |env, _| self.truth(env, body)),
            Quant::Some | Quant::No => {
                self.for_each_binding(env, binders, &mut |env, _| !self.truth(env, body))
            }
        };
        match quant {
            Quant::Some => walk.stopped,
            Quant::All | Quant::No => !walk.stopped && !walk.undefined,
        }
    }

    /// The value of a fold; undefined if a domain is. Elements with an undefined body are skipped.
    pub(super) fn fold(&self, env: &mut Env, fold: Fold, binders: &[Binder], body: &Expr) -> Option<Value> {
        match fold {
            Fold::Count => self.count(env, binders, body),
            Fold::One => self.one(env, binders, body),
            Fold::Union => {
                let values = self.bodies(env, binders, body)?;
                if self.patience.spend(values.iter().filter_map(elements).map(|e| e.len() as u64).sum()) {
                    return None;
                }
                Some(Value::set(values.iter().filter_map(elements).flatten().cloned()))
            }
            Fold::Sum => {
                let mut values = self.bodies(env, binders, body)?.into_iter();
                values.try_fold(Value::Int(0), |sum, value| arith(Arith::Add, false, &sum, &value))
            }
            Fold::Min => self.bodies(env, binders, body)?.into_iter().min_by(compare),
            Fold::Max => self.bodies(env, binders, body)?.into_iter().max_by(compare),
        }
    }

    /// `{ e for x in S }`
    pub(super) fn collect(&self, env: &mut Env, binders: &[Binder], body: &Expr) -> Option<Value> {
        self.bodies(env, binders, body).map(Value::set)
    }

    fn bodies(&self, env: &mut Env, binders: &[Binder], body: &Expr) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        let walk = self.for_each_binding(env, binders, &mut |env, _| {
            values.extend(self.value(env, body));
            true
        });
        (!walk.undefined).then_some(values)
    }

    fn count(&self, env: &mut Env, binders: &[Binder], body: &Expr) -> Option<Value> {
        let mut count = 0;
        let walk = self.for_each_binding(env, binders, &mut |env, _| {
            count += i64::from(self.truth(env, body));
            true
        });
        (!walk.undefined).then_some(Value::Int(count))
    }

    /// The only element that satisfies the body; for several binders, the tuple of their elements.
    fn one(&self, env: &mut Env, binders: &[Binder], body: &Expr) -> Option<Value> {
        let mut found: Option<Value> = None;
        let walk = self.for_each_binding(env, binders, &mut |env, trail| {
            let second = found.is_some();
            if self.truth(env, body) {
                found = trail.map(bound);
                return !second;
            }
            true
        });
        if walk.stopped || walk.undefined { None } else { found }
    }
}

fn bound(trail: &BoundElements) -> Value {
    let mut elements: Vec<Value> =
        std::iter::successors(Some(trail), |trail| trail.outer).map(|trail| trail.element.clone()).collect();
    elements.reverse();
    match elements.pop() {
        Some(single) if elements.is_empty() => single,
        last => Value::tuple(elements.into_iter().chain(last).collect()),
    }
}
