//! Lowering of terms to numbers with lower and upper bounds.

use super::cx::{Cx, Number, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::arith;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{Arith, Value};

impl<'r> Lower<'r> {
    /// Lowers a term to a number; `none` is no number, so it is undefined.
    pub(super) fn number(&mut self, term: &Term, cx: &Cx, span: Span) -> Result<Number> {
        match term {
            Term::Number(n) => Ok(*n),
            Term::Static(Static::One(Some(Value::Int(n)))) => {
                let (value, defined) = (self.build.int(*n), self.build.truth(true));
                Ok(Number { value, defined, low: *n, high: *n })
            }
            Term::Static(Static::One(None | Some(Value::None))) => {
                let (value, defined) = (self.build.int(0), self.build.truth(false));
                Ok(Number { value, defined, low: 0, high: 0 })
            }
            Term::Static(Static::Each(_)) | Term::Cases(_) if cx.lane.is_some() => {
                let settled = self.project_to_lane(cx, term)?;
                let cases = self.case_list(&settled, &Cx { lane: None, ..Cx::empty() })?;
                self.number_of_cases(&cases, span)
            }
            Term::Cases(cases) if !self.varies(term) => self.number_of_cases(&cases.to_vec(), span),
            Term::Choice(domain, bits) => {
                let some: Vec<Value> =
                    domain.values.iter().filter(|value| **value != Value::None).cloned().collect();
                let table: Option<Vec<i64>> = some.iter().map(Value::as_int).collect();
                let Some(table) = table else { return unsupported("a number", span) };
                let bits = match some.len() < domain.values.len() {
                    true => self.recast(domain, *bits, &BitDomain::new(self.rules, some)),
                    false => *bits,
                };
                let (low, high) = (*table.iter().min().unwrap_or(&0), *table.iter().max().unwrap_or(&0));
                let place = self.build.first(bits);
                let value = self.build.lookup(place, table);
                let defined = self.build.any(bits);
                Ok(Number { value, defined, low, high })
            }
            _ => Err(LowerError::Varies),
        }
    }

    fn number_of_cases(&mut self, cases: &[(Static, ValueId)], span: Span) -> Result<Number> {
        let (mut value, mut defined) = (None, self.build.truth(false));
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for (of, condition) in cases {
            let n = match of.at(0) {
                Some(Value::Int(n)) => *n,
                None | Some(Value::None) => continue,
                Some(_) => return unsupported("a number", span),
            };
            (low, high) = (low.min(n), high.max(n));
            let n = self.build.int(n);
            value = Some(match value {
                None => n,
                Some(other) => self.build.select(*condition, n, other),
            });
            defined = self.either(defined, *condition);
        }
        let value = value.unwrap_or_else(|| self.build.int(0));
        Ok(Number { value, defined, low: low.min(high), high: high.max(low) })
    }

    pub(super) fn arith(&mut self, op: Arith, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<Term> {
        // Known numbers of lanes, and a few cases of them, stay cases.
        let few = |lower: &Self, t: &Term| match t {
            Term::Static(_) => true,
            Term::Cases(cases) => lower.varies(t) || cases.len() <= 4,
            _ => false,
        };
        if few(self, a) && few(self, b) {
            return self.applied(&[a.clone(), b.clone()], cx, span, &|_, values| match values {
                [Value::Int(a), Value::Int(b)] => arith(op, *a, *b),
                [a, b] if op == Arith::Min => Some(a.clone().min(b.clone())),
                [a, b] if op == Arith::Max => Some(a.clone().max(b.clone())),
                _ => None,
            });
        }
        // Values other than numbers have a least and a greatest one too.
        if matches!(op, Arith::Min | Arith::Max) && !(is_numeric(a) && is_numeric(b)) {
            return Err(LowerError::Varies);
        }
        let (x, y) = (self.number(a, cx, span)?, self.number(b, cx, span)?);
        let mut defined = self.both(x.defined, y.defined);
        let [xs, ys] = [[x.low, x.high], [y.low, y.high]].map(|ends| ends.map(i128::from));
        let wide = |f: fn(i128, i128) -> i128| xs.into_iter().flat_map(|x| ys.map(|y| f(x, y))).collect();
        let most = |ends: [i128; 2]| ends[0].abs().max(ends[1].abs());
        let build = &mut self.build;
        let (value, ends): (ValueId, Vec<i128>) = match op {
            Arith::Add => (build.plus(x.value, y.value), wide(|x, y| x + y)),
            Arith::Sub => (build.minus(x.value, y.value), wide(|x, y| x - y)),
            Arith::Mul => (build.times(x.value, y.value), wide(|x, y| x * y)),
            Arith::Min => (build.min(x.value, y.value), wide(i128::min)),
            Arith::Max => (build.max(x.value, y.value), wide(i128::max)),
            Arith::Div => (build.div(x.value, y.value), vec![-most(xs) - 1, most(xs)]),
            Arith::Mod => (build.modulo(x.value, y.value), vec![0, most(ys)]),
        };
        let (low, high) = bounds(ends, span)?;
        if matches!(op, Arith::Div | Arith::Mod) {
            let zero = self.build.int(0);
            let none = self.build.equal(y.value, zero);
            defined = self.unless(defined, none);
        }
        Ok(Term::Number(Number { value, defined, low, high }))
    }

    /// Returns the condition that a number lies in a range; constant if its bounds decide it.
    pub(super) fn inside(&mut self, n: &Number, low: i64, high: i64) -> ValueId {
        let mut inside = self.build.truth(true);
        if n.low < low {
            let low = self.build.int(low);
            let under = self.build.less(n.value, low);
            inside = self.unless(inside, under);
        }
        if n.high > high {
            let high = self.build.int(high);
            let over = self.build.less(high, n.value);
            inside = self.unless(inside, over);
        }
        inside
    }
}

/// Returns the bounds of a number, which must have at most 64 bits: circuits would give a larger one the value of its
/// last 64 bits, and the definition gives it none.
pub(super) fn bounds(ends: impl IntoIterator<Item = i128>, span: Span) -> Result<(i64, i64)> {
    let ends: Vec<i128> = ends.into_iter().collect();
    let bound = |end: Option<&i128>| i64::try_from(end.copied().unwrap_or(0)).ok();
    match (bound(ends.iter().min()), bound(ends.iter().max())) {
        (Some(low), Some(high)) => Ok((low, high)),
        _ => unsupported("a number that may have more than 64 bits", span),
    }
}

/// Returns true if all values of a term are numbers or `none`.
fn is_numeric(term: &Term) -> bool {
    let number = |value: &Value| *value == Value::None || value.as_int().is_some();
    let known = |of: &Static| match of {
        Static::One(value) => value.iter().all(number),
        Static::Each(values) => values.iter().flatten().all(number),
    };
    match term {
        Term::Number(_) => true,
        Term::Static(of) => known(of),
        Term::Cases(cases) => cases.iter().all(|(of, _)| known(of)),
        Term::Choice(domain, _) => domain.values.iter().all(number),
        _ => false,
    }
}
