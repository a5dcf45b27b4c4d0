//! Binders: quantifiers, folds and comprehensions (LANGUAGE.md sections 2 and 3).

use super::compact::{Compact, SetBuilder};
use super::eval::Context;
use super::node::{BinderNode, DomainNode, Loop, PatternNode, Values};
use super::number::{arith, order};
use bouton_rules::{Arith, Fold, Quant, Value};

/// The elements to which the enclosing binders are bound, the innermost first.
#[derive(Clone, Copy)]
pub struct BoundElements<'a> {
    element: BoundElement<'a>,
    outer: Option<&'a BoundElements<'a>>,
}

/// An element: the value of the variable in a slot, or a tuple whose parts are bound.
#[derive(Clone, Copy)]
enum BoundElement<'a> {
    Slot(usize),
    Parts(&'a Compact),
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
type Visitor<'v, 'a> = &'v mut dyn FnMut(&mut Context<'a>, Option<&BoundElements>) -> bool;

impl<'a> Context<'a> {
    /// Visits every combination of elements that satisfies the conditions, the last binder fastest, domains in order.
    pub fn for_each_binding(&mut self, binders: &[BinderNode], visit: Visitor<'_, 'a>) -> EnumerationResult {
        self.enumerate_bindings(binders, None, visit)
    }

    fn enumerate_bindings(
        &mut self,
        binders: &[BinderNode],
        outer: Option<&BoundElements>,
        visit: Visitor<'_, 'a>,
    ) -> EnumerationResult {
        let Some((binder, rest)) = binders.split_first() else {
            return EnumerationResult { stopped: !visit(self, outer), undefined: false };
        };
        let mut result = EnumerationResult::default();
        let mut each = |context: &mut Self, element: Compact| {
            if context.patience.spend(1) {
                result = EnumerationResult { stopped: true, undefined: true };
                return false;
            }
            let whole;
            let element = match &binder.pattern {
                PatternNode::Var(slot) => {
                    context.set(*slot, element);
                    BoundElement::Slot(*slot)
                }
                pattern if context.bind(pattern, &element) => {
                    whole = element;
                    BoundElement::Parts(&whole)
                }
                PatternNode::Tuple(_) => return true,
            };
            if binder.condition.as_ref().is_none_or(|condition| context.truth(condition)) {
                let bound = BoundElements { element, outer };
                if rest.is_empty() {
                    result.stopped = !visit(context, Some(&bound));
                    return !result.stopped;
                }
                let inner = context.enumerate_bindings(rest, Some(&bound), visit);
                result.undefined |= inner.undefined;
                result.stopped = inner.stopped;
            }
            !result.stopped
        };
        match &binder.domain {
            DomainNode::Fixed(Values::Listed(values)) => {
                values.iter().all(|value| each(self, value.clone()));
            }
            DomainNode::Fixed(Values::Members(of, members)) => {
                members.iter().all(|number| each(self, Compact::sym(*of, number)));
            }
            DomainNode::Set(node) => {
                let set = self.value(node);
                if !set.is_some_and(|set| set.each_element(&mut |element| each(self, element))) {
                    result.undefined = true;
                }
            }
        }
        result
    }

    /// `some`: true if one combination satisfies the body. `all`, `no`: true if no combination is an exception and
    /// every domain reached is defined.
    pub(super) fn quantify(&mut self, quant: Quant, of: &Loop) -> bool {
        let go_on = quant == Quant::All;
        let walk = self.for_each_binding(&of.binders, &mut |context, _| context.truth(&of.body) == go_on);
        match quant {
            Quant::Some => walk.stopped,
            Quant::All | Quant::No => !walk.stopped && !walk.undefined,
        }
    }

    /// The value of a fold; undefined if a domain is. Elements with an undefined body are skipped.
    pub(super) fn fold(&mut self, fold: Fold, of: &Loop) -> Option<Compact> {
        match fold {
            Fold::Count => self.count(of),
            Fold::One => self.one(of),
            Fold::Union => {
                let values = self.bodies(of)?;
                if self.patience.spend(values.iter().filter_map(Compact::len).map(|len| len as u64).sum()) {
                    return None;
                }
                let mut union = SetBuilder::default();
                for value in &values {
                    value.each_element(&mut |element| {
                        union.insert(element);
                        true
                    });
                }
                Some(union.finish())
            }
            Fold::Sum => {
                let mut values = self.bodies(of)?.into_iter();
                values.try_fold(Compact::Int(0), |sum, value| arith(Arith::Add, false, &sum, &value))
            }
            Fold::Min => self.bodies(of)?.into_iter().min_by(order),
            Fold::Max => self.bodies(of)?.into_iter().max_by(order),
        }
    }

    /// `{ e for x in S }`
    pub(super) fn collect(&mut self, of: &Loop) -> Option<Compact> {
        let mut set = SetBuilder::default();
        let walk = self.for_each_binding(&of.binders, &mut |context, _| {
            if let Some(element) = context.value(&of.body) {
                set.insert(element);
            }
            true
        });
        (!walk.undefined).then(|| set.finish())
    }

    fn bodies(&mut self, of: &Loop) -> Option<Vec<Compact>> {
        let mut values = Vec::new();
        let walk = self.for_each_binding(&of.binders, &mut |context, _| {
            values.extend(context.value(&of.body));
            true
        });
        (!walk.undefined).then_some(values)
    }

    fn count(&mut self, of: &Loop) -> Option<Compact> {
        let mut count = 0;
        let walk = self.for_each_binding(&of.binders, &mut |context, _| {
            count += i64::from(context.truth(&of.body));
            true
        });
        (!walk.undefined).then_some(Compact::Int(count))
    }

    /// The only element that satisfies the body; for several binders, the tuple of their elements.
    fn one(&mut self, of: &Loop) -> Option<Compact> {
        let mut found: Option<Compact> = None;
        let walk = self.for_each_binding(&of.binders, &mut |context, trail| {
            let second = found.is_some();
            if context.truth(&of.body) {
                found = trail.and_then(|trail| bound(context, trail));
                return !second;
            }
            true
        });
        if walk.stopped || walk.undefined { None } else { found }
    }
}

fn bound(context: &Context, trail: &BoundElements) -> Option<Compact> {
    let element = |trail: &BoundElements| match trail.element {
        BoundElement::Slot(slot) => context.get(slot).cloned(),
        BoundElement::Parts(whole) => Some(whole.clone()),
    };
    if trail.outer.is_none() {
        return element(trail);
    }
    let trail = std::iter::successors(Some(trail), |trail| trail.outer);
    let elements: Option<Vec<Value>> = trail.map(|trail| Some(element(trail)?.to_value())).collect();
    let mut elements = elements?;
    elements.reverse();
    Some(Value::tuple(elements).into())
}
