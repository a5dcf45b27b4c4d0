//! Lowering of the folds `count`, `sum`, `min`, `max` and `one`.

use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use super::cx::{Cx, Number, Static, Term};
use super::domain::BitDomain;
use super::numbers::bounds;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{Binder, Domain as Range, Expr, ExprKind, Fold, Pattern, Value};

impl<'r> Lower<'r> {
    /// Lowers a fold that gives no set.
    pub(super) fn fold(
        &mut self,
        fold: Fold,
        binders: &'r [Binder],
        body: &'r Expr,
        expr: &'r Expr,
        cx: &Cx,
    ) -> Result<Term> {
        let vars = self.info(expr).vars;
        if self.varies_any(&vars, cx) {
            let settled = self.project_cx(cx, &vars)?;
            return self.fold(fold, binders, body, expr, &settled);
        }
        let unit = Cx { lanes: Rc::new(super::cx::Lanes::unit()), lane: None, ..cx.clone() };
        let defined = self.domains_defined(binders, &unit)?;
        let term = match fold {
            Fold::Count => {
                let mut sum = BoundedSum::new(self);
                self.count(binders, body, &unit, &mut sum)?;
                Term::Number(sum.number(defined, expr.span)?)
            }
            Fold::Sum => {
                let mut sum = BoundedSum::new(self);
                self.sum(binders, body, &unit, &mut sum)?;
                Term::Number(sum.number(defined, expr.span)?)
            }
            Fold::Min | Fold::Max => self.extreme(fold == Fold::Max, binders, body, expr, &unit)?,
            Fold::One => self.the_one(binders, body, expr, &unit)?,
            Fold::Union => return unsupported("a union", expr.span),
        };
        self.only_where(defined, &term, &unit)
    }

    /// Returns the domain of a binder's single variable, and the vector of the values that satisfy the conditions and
    /// the body.
    fn satisfying(
        &mut self,
        binder: &'r Binder,
        body: Option<&'r Expr>,
        cx: &Cx,
    ) -> Result<Option<(Arc<BitDomain>, ValueId)>> {
        let Pattern::Var(var) = binder.pattern else { return Ok(None) };
        let values = match &binder.domain {
            Range::Fixed(values) => values.to_vec(),
            Range::Set(set) => self.elements(set)?,
        };
        if values.is_empty()
            || values.iter().any(|v| matches!(v, Value::Set(_) | Value::Tuple(_) | Value::None))
        {
            return Ok(None);
        }
        let domain = Arc::new(BitDomain::new(self.rules, values));
        let mut inner = self.over(&domain, cx);
        let element = Term::Static(Static::each(domain.values.iter().cloned().map(Some).collect()));
        inner.bind(var, element.clone());
        let mut holds = self.build.truth(true);
        if let Range::Set(set) = &binder.domain {
            holds = self.member(&element, set, &inner)?;
        }
        for condition in binder.condition.iter().chain(body) {
            let here = self.formula(condition, &inner)?;
            holds = self.both(holds, here);
        }
        let holds = self.vector(&inner, holds);
        Ok(Some((domain, holds)))
    }

    fn count(&mut self, binders: &'r [Binder], body: &'r Expr, cx: &Cx, sum: &mut BoundedSum) -> Result<()> {
        if let [binder] = binders {
            match self.satisfying(binder, Some(body), cx) {
                Ok(Some((domain, holds))) => {
                    let n = self.build.count(holds);
                    sum.add(self, n, 0..=domain.values.len() as i128);
                    return Ok(());
                }
                Ok(None) | Err(LowerError::Varies) => {}
                Err(stop) => return Err(stop),
            }
        }
        self.each_combination(binders, cx, &mut |lower, condition, cx| {
            let holds = lower.formula(body, cx)?;
            let holds = lower.both(holds, condition);
            let n = lower.as_number(holds);
            sum.add(lower, n, 0..=1);
            Ok(())
        })
    }

    /// Returns 1 if a condition holds, otherwise 0.
    fn as_number(&mut self, holds: ValueId) -> ValueId {
        match self.build.constant_truth(holds) {
            Some(t) => self.build.int(i64::from(t)),
            None => self.build.unpack(holds),
        }
    }

    fn sum(&mut self, binders: &'r [Binder], body: &'r Expr, cx: &Cx, sum: &mut BoundedSum) -> Result<()> {
        if let [binder] = binders
            && let Pattern::Var(var) = binder.pattern
        {
            match self.satisfying(binder, None, cx) {
                Ok(Some((domain, holds))) => {
                    let mut inner = self.over(&domain, cx);
                    let values = domain.values.iter().cloned().map(Some).collect();
                    inner.bind(var, Term::Static(Static::each(values)));
                    if let Ok(cases) = self.term(body, &inner).and_then(|term| self.case_list(&term, &inner))
                    {
                        // For each value, the number of its occurrences.
                        for (of, condition) in cases {
                            let weights: Vec<Value> = of.distinct().into_iter().cloned().collect();
                            for weight in weights {
                                let Some(n) = weight.as_int() else { return Err(LowerError::Varies) };
                                let places = inner.lanes.set(|lane| of.at(lane) == Some(&weight));
                                let places = self.build.bits(places);
                                let here = self.both(places, condition);
                                let here = self.build.and(here, holds);
                                let count = self.build.count(here);
                                let factor = self.build.int(n);
                                let part = self.build.times(count, factor);
                                let most = i128::from(n) * domain.values.len() as i128;
                                sum.add(self, part, most.min(0)..=most.max(0));
                            }
                        }
                        return Ok(());
                    }
                }
                Ok(None) | Err(LowerError::Varies) => {}
                Err(stop) => return Err(stop),
            }
        }
        self.each_combination(binders, cx, &mut |lower, condition, cx| {
            let term = lower.term(body, cx)?;
            let n = lower.number(&term, cx, body.span)?;
            let counts = lower.both(condition, n.defined);
            let zero = lower.build.int(0);
            let part = lower.build.select(counts, n.value, zero);
            sum.add(lower, part, n.low.min(0).into()..=n.high.max(0).into());
            Ok(())
        })
    }

    /// Visits every combination of values, each with the condition that it occurs.
    fn each_combination(
        &mut self,
        binders: &'r [Binder],
        cx: &Cx,
        visit: &mut dyn FnMut(&mut Self, ValueId, &Cx) -> Result<()>,
    ) -> Result<()> {
        let always = self.build.truth(true);
        self.combinations(binders, always, cx, visit)
    }

    fn combinations(
        &mut self,
        binders: &'r [Binder],
        so_far: ValueId,
        cx: &Cx,
        visit: &mut dyn FnMut(&mut Self, ValueId, &Cx) -> Result<()>,
    ) -> Result<()> {
        let Some((binder, rest)) = binders.split_first() else { return visit(self, so_far, cx) };
        let (values, set) = match &binder.domain {
            Range::Fixed(values) => (values.to_vec(), None),
            Range::Set(set) => (self.elements(set)?, Some(set)),
        };
        for value in values {
            let term = Term::Static(Static::One(Some(value)));
            let mut inner = cx.clone();
            let span = set.map_or(self.rules.fields[bouton_rules::MOVER].span, |s| s.span);
            self.bind(&binder.pattern, &term, &mut inner, span)?;
            let mut condition = so_far;
            if let Some(set) = set {
                let inside = self.member(&term, set, &inner)?;
                condition = self.both(condition, inside);
            }
            if let Some(kept) = &binder.condition {
                let kept = self.formula(kept, &inner)?;
                condition = self.both(condition, kept);
            }
            if !self.build.maybe(condition).is_empty() {
                self.combinations(rest, condition, &inner, visit)?;
            }
        }
        Ok(())
    }

    /// Lowers `min` and `max`.
    fn extreme(
        &mut self,
        greatest: bool,
        binders: &'r [Binder],
        body: &'r Expr,
        expr: &'r Expr,
        cx: &Cx,
    ) -> Result<Term> {
        if let ([binder], ExprKind::Var(var)) = (binders, &*body.kind)
            && matches!(binder.pattern, Pattern::Var(of) if of == *var)
            && let Some((domain, holds)) = self.satisfying(binder, None, cx)?
        {
            // Places increase with the values.
            let bit = if greatest { self.build.highest(holds) } else { self.build.lowest(holds) };
            return Ok(Term::Choice(domain, bit));
        }
        // The values that occur, each with its condition; the first in order counts.
        let mut met: std::collections::BTreeMap<Value, ValueId> = Default::default();
        let mut numbers: Vec<Number> = Vec::new();
        self.each_combination(binders, cx, &mut |lower, condition, cx| {
            let term = lower.term(body, cx)?;
            if let Term::Number(n) = &term
                && n.high.saturating_sub(n.low) > 64
            {
                let defined = lower.both(n.defined, condition);
                numbers.push(Number { defined, ..*n });
                return Ok(());
            }
            for (value, of) in lower.case_list(&term, cx)? {
                let Static::One(Some(value)) = value else { continue };
                let of = lower.both(of, condition);
                let entry = *met.entry(value.clone()).or_insert(of);
                let either = lower.either(entry, of);
                met.insert(value, either);
            }
            Ok(())
        })?;
        if !numbers.is_empty() {
            if !met.is_empty() {
                return unsupported("the least of values of several kinds", expr.span);
            }
            let mut best = numbers[0];
            for n in &numbers[1..] {
                let better = if greatest {
                    self.build.less(best.value, n.value)
                } else {
                    self.build.less(n.value, best.value)
                };
                let first = self.build.not(best.defined);
                let better = self.both(better, n.defined);
                let instead = self.either(better, first);
                let instead = self.both(instead, n.defined);
                best = Number {
                    value: self.build.select(instead, n.value, best.value),
                    defined: self.either(best.defined, n.defined),
                    low: best.low.min(n.low),
                    high: best.high.max(n.high),
                };
            }
            return Ok(Term::Number(best));
        }
        let mut order: Vec<(Value, ValueId)> = met.into_iter().collect();
        if greatest {
            order.reverse();
        }
        let mut earlier = self.build.truth(false);
        let mut cases = Vec::new();
        for (value, condition) in order {
            let here = self.unless(condition, earlier);
            earlier = self.either(earlier, condition);
            cases.push((Static::One(Some(value)), here));
        }
        Ok(self.cases(cases))
    }

    /// Lowers `one`: the only element.
    fn the_one(&mut self, binders: &'r [Binder], body: &'r Expr, expr: &'r Expr, cx: &Cx) -> Result<Term> {
        let [binder] = binders else { return unsupported("`one` of several variables", expr.span) };
        if let Some((domain, holds)) = self.satisfying(binder, Some(body), cx)? {
            let bit = self.build.lowest(holds);
            let others = self.build.xor(holds, bit);
            let several = self.build.any(others);
            let several = self.build.spread(several, domain.width);
            let bits = self.build.and_not(holds, several);
            return Ok(Term::Choice(domain, bits));
        }
        let (mut one, mut two) = (self.build.truth(false), self.build.truth(false));
        let mut cases = Vec::new();
        let var = binder.pattern.clone();
        self.each_combination(binders, cx, &mut |lower, condition, cx| {
            let holds = lower.formula(body, cx)?;
            let here = lower.both(condition, holds);
            let both = lower.both(one, here);
            two = lower.either(two, both);
            one = lower.either(one, here);
            let Pattern::Var(var) = var else { return Err(LowerError::Varies) };
            let Some(Some(Term::Static(value))) = cx.env.get(var.0 as usize).cloned() else {
                return Err(LowerError::Varies);
            };
            cases.push((value, here));
            Ok(())
        })?;
        let cases = cases.into_iter().map(|(value, here)| (value, self.unless(here, two))).collect();
        Ok(self.cases(cases))
    }
}

/// A sum with its bounds.
struct BoundedSum {
    value: ValueId,
    low: i128,
    high: i128,
}

impl BoundedSum {
    fn new(lower: &mut Lower) -> BoundedSum {
        BoundedSum { value: lower.build.int(0), low: 0, high: 0 }
    }

    /// Adds a number between these bounds.
    fn add(&mut self, lower: &mut Lower, part: ValueId, bounds: RangeInclusive<i128>) {
        self.value = lower.build.plus(self.value, part);
        self.low += bounds.start();
        self.high += bounds.end();
    }

    fn number(self, defined: ValueId, span: Span) -> Result<Number> {
        let (low, high) = bounds([self.low, self.high], span)?;
        Ok(Number { value: self.value, defined, low, high })
    }
}
