//! Lowering of fractions: exact quotients in the weights of chance and in payoffs, as integers over a denominator that
//! is known before play.

use super::cx::{Cx, Static, Term};
use super::{Lower, Result, unsupported};
use bouton_base::source::Span;
use bouton_rules::{Arith, Expr, ExprKind, Value};

/// The maximal denominator.
const MAX_DENOMINATOR: i64 = 1 << 40;

/// A number with a denominator that is known before play.
pub(super) struct ScaledTerm {
    pub term: Term,
    pub denominator: i64,
}

impl<'r> Lower<'r> {
    /// Lowers a term with an exact `/`, if divisors are known before play.
    pub(super) fn ratio(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ScaledTerm> {
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Arith { op, exact, left, right } => {
                let (a, b) = (self.ratio(left, cx)?, self.ratio(right, cx)?);
                let times = |lower: &mut Self, term: &Term, by: i64| {
                    let by = Term::Static(Static::One(Some(Value::Int(by))));
                    lower.arith(Arith::Mul, term, &by, cx, span)
                };
                match op {
                    Arith::Mul => {
                        let denominator = product(a.denominator, b.denominator, span)?;
                        Ok(ScaledTerm { term: self.arith(*op, &a.term, &b.term, cx, span)?, denominator })
                    }
                    Arith::Div if *exact => {
                        // Multiplies by the least common multiple of the divisors, divided by the divisor.
                        let Term::Static(divisors) = &b.term else {
                            return unsupported("a division by a number that is not known before play", span);
                        };
                        let mut whole = 1;
                        for divisor in divisors.distinct() {
                            let divisor = divisor.as_int().unwrap_or(0);
                            whole = if divisor == 0 { whole } else { lcm(whole, divisor.abs(), span)? };
                        }
                        let over = |value: &Option<Value>| {
                            let divisor = value.as_ref()?.as_int().filter(|&n| n != 0)?;
                            Some(Value::Int(whole / divisor))
                        };
                        let factors = match divisors {
                            Static::One(value) => Static::One(over(value)),
                            Static::Each(values) => Static::each(values.iter().map(over).collect()),
                        };
                        let term = self.arith(Arith::Mul, &a.term, &Term::Static(factors), cx, span)?;
                        let term = times(self, &term, b.denominator)?;
                        Ok(ScaledTerm { term, denominator: product(a.denominator, whole, span)? })
                    }
                    _ => {
                        let denominator = lcm(a.denominator, b.denominator, span)?;
                        let a = times(self, &a.term, denominator / a.denominator)?;
                        let b = times(self, &b.term, denominator / b.denominator)?;
                        let term = self.arith(*op, &a, &b, cx, span)?;
                        let denominator = if *op == Arith::Div { 1 } else { denominator };
                        Ok(ScaledTerm { term, denominator })
                    }
                }
            }
            ExprKind::Negate(a) => {
                let a = self.ratio(a, cx)?;
                let zero = Term::Static(Static::One(Some(Value::Int(0))));
                Ok(ScaledTerm { term: self.arith(Arith::Sub, &zero, &a.term, cx, span)?, ..a })
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
        self.arith(Arith::Mul, &ratio.term, &by, cx, span)
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
