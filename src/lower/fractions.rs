//! Lowering of fractions: exact quotients in the weights of chance and in payoffs, as integers over a denominator that
//! is known before play.

use super::cx::{Cx, Static, Term};
use super::{Lower, Result, unsupported};
use bouton_base::source::Span;
use bouton_rules::{Arith, Expr, ExprKind, Type, Value};

/// The maximal denominator.
const MAX_DENOMINATOR: i64 = 1 << 40;
/// The maximal absolute value of a number over its denominator.
const MAX_NUMERATOR: i128 = 1 << 62;

/// A number with a denominator that is known before play.
pub(super) struct ScaledTerm {
    pub term: Term,
    pub denominator: i64,
}

impl<'r> Lower<'r> {
    /// Lowers a term with an exact `/`, if divisors have few values.
    pub(super) fn ratio(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ScaledTerm> {
        let span = expr.span;
        // What is whole has the meaning of whole numbers: a result that does not fit is undefined.
        if matches!(expr.ty.base(), Type::Int(..)) {
            return Ok(ScaledTerm { term: self.term(expr, cx)?, denominator: 1 });
        }
        match &*expr.kind {
            ExprKind::Arith { op, exact, left, right } => {
                let (a, b) = (self.ratio(left, cx)?, self.ratio(right, cx)?);
                let times = |lower: &mut Self, term: &Term, by: i64| {
                    let by = Term::Static(Static::One(Some(Value::Int(by))));
                    lower.scaled_arith(Arith::Mul, term, &by, cx, span)
                };
                match op {
                    Arith::Mul => {
                        let denominator = product(a.denominator, b.denominator, span)?;
                        Ok(ScaledTerm {
                            term: self.scaled_arith(*op, &a.term, &b.term, cx, span)?,
                            denominator,
                        })
                    }
                    Arith::Div if *exact => {
                        // Multiplies by the least common multiple of the divisors, divided by the divisor.
                        let Ok(cases) = self.case_list(&b.term, cx) else {
                            return unsupported("a division by a number with very many values", span);
                        };
                        let mut whole = 1;
                        for divisor in cases.iter().flat_map(|(divisors, _)| divisors.distinct()) {
                            let divisor = divisor.as_int().unwrap_or(0);
                            let Some(size) = divisor.checked_abs() else {
                                return unsupported("a fraction of more than 64 bits", span);
                            };
                            whole = if size == 0 { whole } else { lcm(whole, size, span)? };
                        }
                        let over = |value: &Option<Value>| {
                            let divisor = value.as_ref()?.as_int().filter(|&n| n != 0)?;
                            Some(Value::Int(whole / divisor))
                        };
                        let factors = |divisors: &Static| match divisors {
                            Static::One(value) => Static::One(over(value)),
                            Static::Each(values) => Static::each(values.iter().map(over).collect()),
                        };
                        let factors = match &b.term {
                            Term::Static(divisors) => Term::Static(factors(divisors)),
                            _ => self.cases(cases.iter().map(|(of, when)| (factors(of), *when)).collect()),
                        };
                        let term = self.scaled_arith(Arith::Mul, &a.term, &factors, cx, span)?;
                        let term = times(self, &term, b.denominator)?;
                        Ok(ScaledTerm { term, denominator: product(a.denominator, whole, span)? })
                    }
                    _ => {
                        let denominator = lcm(a.denominator, b.denominator, span)?;
                        let a = times(self, &a.term, denominator / a.denominator)?;
                        let b = times(self, &b.term, denominator / b.denominator)?;
                        let term = self.scaled_arith(*op, &a, &b, cx, span)?;
                        let denominator = if *op == Arith::Div { 1 } else { denominator };
                        Ok(ScaledTerm { term, denominator })
                    }
                }
            }
            ExprKind::Negate(a) => {
                let a = self.ratio(a, cx)?;
                let zero = Term::Static(Static::One(Some(Value::Int(0))));
                Ok(ScaledTerm { term: self.scaled_arith(Arith::Sub, &zero, &a.term, cx, span)?, ..a })
            }
            ExprKind::If(c, a, b) => {
                let c = self.formula(c, cx)?;
                let (a, b) = (self.ratio(a, cx)?, self.ratio(b, cx)?);
                let denominator = lcm(a.denominator, b.denominator, span)?;
                let a = self.scaled(&a, denominator, cx, span)?;
                let b = self.scaled(&b, denominator, cx, span)?;
                Ok(ScaledTerm { term: self.chosen(c, &a, &b, cx, span)?, denominator })
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, span)?;
                let body = self.ratio(body, &inner)?;
                Ok(ScaledTerm { term: self.only_where(fits, &body.term, cx)?, ..body })
            }
            _ => {
                let term = self.term(expr, cx)?;
                let Term::Static(values) = &term else { return Ok(ScaledTerm { term, denominator: 1 }) };
                let mut denominator = 1;
                for value in values.distinct() {
                    let part = value.as_ratio().map_or(Some(1), |ratio| Some(ratio.as_small()?.1));
                    let Some(part) = part else {
                        return unsupported("a fraction of more than 64 bits", span);
                    };
                    denominator = lcm(denominator, part, span)?;
                }
                let fits = |value: &&Value| {
                    let small = value.as_ratio().and_then(|ratio| ratio.as_small());
                    small.is_none_or(|(above, below)| above.checked_mul(denominator / below).is_some())
                };
                if !values.distinct().iter().all(fits) {
                    return unsupported("a fraction of more than 64 bits", span);
                }
                let whole = |value: &Option<Value>| {
                    let (above, below) = value.as_ref()?.as_ratio()?.as_small()?;
                    let whole = above.checked_mul(denominator / below)?;
                    Some(Value::Int(whole))
                };
                let values = match values {
                    Static::One(value) => Static::One(whole(value)),
                    Static::Each(values) => Static::each(values.iter().map(whole).collect()),
                };
                Ok(ScaledTerm { term: Term::Static(values), denominator })
            }
        }
    }

    /// Lowers arithmetic on numbers over one denominator. Fractions have no bound, so it must not come near that of
    /// integers.
    fn scaled_arith(&mut self, op: Arith, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<Term> {
        let most = match (size(a), size(b)) {
            (Some(a), Some(b)) if op == Arith::Mul => a.checked_mul(b),
            (Some(a), Some(b)) => a.checked_add(b),
            _ => None,
        };
        if most.is_none_or(|most| most > MAX_NUMERATOR) {
            return unsupported("a fraction of more than 64 bits", span);
        }
        self.arith(op, a, b, cx, span)
    }

    /// Returns the number over another denominator, a multiple of its own.
    pub(super) fn scaled(
        &mut self,
        ratio: &ScaledTerm,
        denominator: i64,
        cx: &Cx,
        span: Span,
    ) -> Result<Term> {
        if denominator == ratio.denominator {
            return Ok(ratio.term.clone());
        }
        let by = Term::Static(Static::One(Some(Value::Int(denominator / ratio.denominator))));
        self.scaled_arith(Arith::Mul, &ratio.term, &by, cx, span)
    }
}

/// Returns a bound of the absolute values of an integer; `None` if none is known, or if it may be another value.
fn size(term: &Term) -> Option<i128> {
    fn largest<'v>(values: impl IntoIterator<Item = &'v Value>) -> Option<i128> {
        values.into_iter().try_fold(0, |most: i128, value| match value {
            Value::Int(n) => Some(most.max(i128::from(*n).abs())),
            Value::None => Some(most),
            _ => None,
        })
    }
    match term {
        Term::Number(number) => Some(i128::from(number.low).abs().max(i128::from(number.high).abs())),
        Term::Static(values) => largest(values.distinct()),
        Term::Cases(cases) => largest(cases.iter().flat_map(|(values, _)| values.distinct())),
        Term::Choice(domain, _) => largest(&domain.values),
        Term::Product(_) | Term::Set(_) => None,
    }
}

/// Returns the least common multiple of positive numbers.
pub(super) fn lcm(a: i64, b: i64, span: Span) -> Result<i64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    product(a / divisor.max(1), b, span)
}

fn product(a: i64, b: i64, span: Span) -> Result<i64> {
    match a.checked_mul(b).filter(|&n| n <= MAX_DENOMINATOR) {
        Some(n) => Ok(n),
        None => unsupported("fractions with too large a common denominator", span),
    }
}
