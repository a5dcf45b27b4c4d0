//! Numbers: exact arithmetic, with intervals as types.

use num_rational::Rational64;

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{Arith, Expr, ExprKind, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// A number literal: whole, or with a decimal point.
    pub fn number(&mut self, digits: &str, span: Span) -> Expr {
        let value = match digits.split_once('.') {
            None => digits.parse::<i64>().ok().map(Value::Int),
            Some((whole, part)) => decimal(whole, part).map(Value::ratio),
        };
        match value {
            Some(Value::Int(i)) => self.value(Value::Int(i), Type::Int(i, i), span),
            Some(value) => self.value(value, Type::Ratio, span),
            None => {
                let title = "this number is too large";
                let found = Diagnostic::new(Code::E0210, title, span, format!("at most {}", i64::MAX));
                self.report(found.help("games with fewer than 2^63 of anything are meant"));
                self.poison(span)
            }
        }
    }

    /// `-e`
    pub fn negate(&mut self, inner: &ast::Expr, span: Span, locals: &mut Locals) -> Expr {
        let inner = self.numeric(inner, locals);
        let ty = match inner.ty.interval() {
            Some((a, b)) => Type::Int(b.saturating_neg(), a.saturating_neg()),
            None => inner.ty.clone(),
        };
        self.node(ExprKind::Negate(inner), ty, span)
    }

    /// An operand of arithmetic.
    fn numeric(&mut self, expr: &ast::Expr, locals: &mut Locals) -> Expr {
        let made = self.expr(expr, None, locals);
        self.as_number(made)
    }

    /// An expression as a number; reports any other type.
    pub fn as_number(&mut self, made: Expr) -> Expr {
        let made = self.present(made);
        match made.ty.base() {
            Type::Int(..) | Type::Ratio | Type::Error => made,
            _ => {
                self.wrong_type(made.span, "a number", &made.ty.clone());
                self.poison(made.span)
            }
        }
    }

    /// Elaborates arithmetic on two numbers.
    pub fn arith(&mut self, op: Arith, left: Expr, right: Expr, span: Span, locals: &Locals) -> Expr {
        let (left, right) = (self.as_number(left), self.as_number(right));
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        if matches!(op, Arith::Div | Arith::Mod)
            && let Some((lo, hi)) = right.ty.interval()
            && lo <= 0
            && 0 <= hi
        {
            let word = if op == Arith::Div { "division" } else { "`mod`" };
            let title = format!("{word} by what can be 0 has no value there");
            let found = Diagnostic::new(Code::E0212, title, right.span, format!("{lo}..{hi}"));
            self.report(found.help("give the divisor a range without 0, or write `max(1, ...)` around it"));
            return self.poison(span);
        }
        let exact = op == Arith::Div && locals.exact;
        let ty = match (left.ty.interval(), right.ty.interval()) {
            (Some(a), Some(b)) if !exact => interval(op, a, b),
            _ => Type::Ratio,
        };
        self.node(ExprKind::Arith { op, exact, left, right }, ty, span)
    }
}

/// The interval that contains the results of an operation on two intervals, each given by its ends.
fn interval(op: Arith, left: (i64, i64), right: (i64, i64)) -> Type {
    let ((a, b), (c, d)) = (left, right);
    let corners = |f: fn(i64, i64) -> i64| {
        let all = [f(a, c), f(a, d), f(b, c), f(b, d)];
        let min = all.iter().copied().fold(i64::MAX, i64::min);
        let max = all.iter().copied().fold(i64::MIN, i64::max);
        Type::Int(min, max)
    };
    match op {
        Arith::Add => Type::Int(a.saturating_add(c), b.saturating_add(d)),
        Arith::Sub => Type::Int(a.saturating_sub(d), b.saturating_sub(c)),
        Arith::Mul => corners(i64::saturating_mul),
        Arith::Min => Type::Int(a.min(c), b.min(d)),
        Arith::Max => Type::Int(a.max(c), b.max(d)),
        // Monotone in each operand if the divisor keeps its sign, so the corners are the extremes.
        Arith::Div if c > 0 || d < 0 => corners(floor_div),
        // The divisor may be 0 between its ends: the quotient is no larger than the dividend.
        Arith::Div => {
            let most = a.saturating_abs().max(b.saturating_abs());
            Type::Int(most.saturating_neg().min(a), most)
        }
        Arith::Mod if c > 0 && 0 <= a && b < c => Type::Int(a, b),
        Arith::Mod => Type::Int(0, c.saturating_abs().max(d.saturating_abs()).saturating_sub(1).max(0)),
    }
}

/// Returns the quotient, rounded down; the largest number for the one quotient that does not fit.
fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a.checked_div(b).unwrap_or(i64::MAX);
    if a.checked_rem(b).unwrap_or(0) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn decimal(whole: &str, part: &str) -> Option<Rational64> {
    let scale = 10i64.checked_pow(u32::try_from(part.len()).ok()?)?;
    let value = whole.parse::<i64>().ok()?.checked_mul(scale)?.checked_add(part.parse().ok()?)?;
    Some(Rational64::new(value, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_every_result() {
        let ranges = [(-3, 2), (0, 4), (1, 3), (-2, -1), (5, 5)];
        type Exact = fn(i64, i64) -> Option<i64>;
        let ops: [(Arith, Exact); 6] = [
            (Arith::Add, |x, y| Some(x + y)),
            (Arith::Sub, |x, y| Some(x - y)),
            (Arith::Mul, |x, y| Some(x * y)),
            (Arith::Div, |x, y| (y != 0).then(|| (x as f64 / y as f64).floor() as i64)),
            (Arith::Mod, |x, y| (y != 0).then(|| x.rem_euclid(y))),
            (Arith::Max, |x, y| Some(x.max(y))),
        ];
        for a in ranges {
            for b in ranges {
                for (op, f) in ops {
                    let Type::Int(lo, hi) = interval(op, a, b) else { panic!("a whole number") };
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            if let Some(z) = f(x, y) {
                                assert!(lo <= z && z <= hi, "{op:?} {x} {y} = {z} outside {lo}..{hi}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_of_the_smallest_number_hold_every_result() {
        let quotients = |of: (i64, i64), by: (i64, i64)| interval(Arith::Div, of, by).interval().unwrap();
        // The smallest number divided by -1 has no value; the next one divided by it is the largest.
        assert_eq!(quotients((i64::MIN, -5), (-1, -1)), (5, i64::MAX));
        assert_eq!(quotients((i64::MIN, 0), (-1, 1)), (i64::MIN, i64::MAX));
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0", "5"), Some(Rational64::new(1, 2)));
        assert_eq!(decimal("1", "25"), Some(Rational64::new(5, 4)));
    }
}
