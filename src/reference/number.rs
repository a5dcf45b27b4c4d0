//! Numbers: integers of 64 bits and exact rationals. A result that does not fit is undefined.

use std::cmp::Ordering;

use num_rational::Rational64;

use super::compact::Compact;
use bouton_rules::{Arith, Value};

/// `a op b`. Undefined if the divisor is zero, if an operand is no number, or if the result does not fit.
///
/// `/` floors unless it is `exact`; `mod` is never negative (LANGUAGE.md section 3).
pub fn arith(op: Arith, exact: bool, a: &Compact, b: &Compact) -> Option<Compact> {
    match (op, a, b) {
        (Arith::Min, ..) => Some(if less(b, a)? { b.clone() } else { a.clone() }),
        (Arith::Max, ..) => Some(if less(a, b)? { b.clone() } else { a.clone() }),
        (_, Compact::Int(a), Compact::Int(b)) if !(exact && op == Arith::Div) => {
            whole(op, i128::from(*a), i128::from(*b)).map(Compact::Int)
        }
        _ => {
            let (a, b) = (a.to_value().as_ratio()?, b.to_value().as_ratio()?);
            rational(op, exact, a, b).map(|ratio| Value::ratio(ratio).into())
        }
    }
}

/// `-a`
pub fn negate(a: &Compact) -> Option<Compact> {
    arith(Arith::Sub, false, &Compact::Int(0), a)
}

/// The order of two values of one type: numbers by size, integers or not; all others by their own order.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Ratio(_), _) | (_, Value::Ratio(_)) => match (a.as_ratio(), b.as_ratio()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.cmp(b),
        },
        _ => a.cmp(b),
    }
}

/// The same order of values in their compact form.
pub fn order(a: &Compact, b: &Compact) -> Ordering {
    match (a, b) {
        (Compact::Ratio(_), _) | (_, Compact::Ratio(_)) => compare(&a.to_value(), &b.to_value()),
        _ => a.cmp(b),
    }
}

/// `a < b`; undefined if one is `none`.
pub fn less(a: &Compact, b: &Compact) -> Option<bool> {
    match (a, b) {
        (Compact::None, _) | (_, Compact::None) => None,
        _ => Some(order(a, b) == Ordering::Less),
    }
}

/// The rational `numerator / denominator` in lowest terms; `None` if it does not fit or the denominator is 0.
pub fn ratio(numerator: i128, denominator: i128) -> Option<Rational64> {
    if denominator == 0 {
        return None;
    }
    let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
    let divisor = i128::try_from(divisor).ok()? * denominator.signum();
    let numerator = i64::try_from(numerator.checked_div(divisor)?).ok()?;
    let denominator = i64::try_from(denominator.checked_div(divisor)?).ok()?;
    Some(Rational64::new_raw(numerator, denominator))
}

/// The sum of two rationals, if it fits.
pub fn sum(a: Rational64, b: Rational64) -> Option<Rational64> {
    rational(Arith::Add, true, a, b)
}

/// The quotient of two rationals, if it fits and the divisor is not 0.
pub fn quotient(a: Rational64, b: Rational64) -> Option<Rational64> {
    rational(Arith::Div, true, a, b)
}

fn whole(op: Arith, a: i128, b: i128) -> Option<i64> {
    let result = match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Div => floor(a, b)?,
        Arith::Mod => a.checked_rem_euclid(b)?,
        Arith::Min => a.min(b),
        Arith::Max => a.max(b),
    };
    i64::try_from(result).ok()
}

fn rational(op: Arith, exact: bool, a: Rational64, b: Rational64) -> Option<Rational64> {
    let (n, d) = (i128::from(*a.numer()), i128::from(*a.denom()));
    let (m, e) = (i128::from(*b.numer()), i128::from(*b.denom()));
    match op {
        Arith::Add => ratio((n * e).checked_add(m * d)?, d * e),
        Arith::Sub => ratio((n * e).checked_sub(m * d)?, d * e),
        Arith::Mul => ratio(n * m, d * e),
        Arith::Div if exact => ratio(n * e, d * m),
        Arith::Div => ratio(floor(n * e, d * m)?, 1),
        Arith::Mod => ratio((n * e).checked_rem_euclid(m * d)?, d * e),
        Arith::Min => Some(a.min(b)),
        Arith::Max => Some(a.max(b)),
    }
}

/// The greatest integer not above `a / b`.
fn floor(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div_euclid(b)?;
    // The Euclidean remainder is never negative, so under a negative divisor the Euclidean quotient is rounded up.
    if b < 0 && a.checked_rem_euclid(b)? != 0 { quotient.checked_sub(1) } else { Some(quotient) }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Arith, a: i64, b: i64) -> Option<i64> {
        arith(op, false, &Compact::Int(a), &Compact::Int(b))?.as_int()
    }

    #[test]
    fn division_floors_and_mod_is_never_negative() {
        let pairs = [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, 1), (-7, -2, 3, 1), (6, -2, -3, 0)];
        for (a, b, quotient, rest) in pairs {
            assert_eq!(int(Arith::Div, a, b), Some(quotient), "{a} / {b}");
            assert_eq!(int(Arith::Mod, a, b), Some(rest), "{a} mod {b}");
        }
        assert_eq!(int(Arith::Div, 1, 0), None);
        assert_eq!(int(Arith::Mod, 1, 0), None);
    }

    #[test]
    fn what_does_not_fit_is_undefined() {
        assert_eq!(int(Arith::Add, i64::MAX, 1), None);
        assert_eq!(int(Arith::Mul, i64::MAX, 2), None);
        assert_eq!(int(Arith::Div, i64::MIN, -1), None);
        assert_eq!(int(Arith::Mod, i64::MIN, -1), Some(0));
        assert_eq!(negate(&Compact::Int(i64::MIN)), None);
    }

    #[test]
    fn exact_division_gives_rationals_ordered_by_size() {
        let half = arith(Arith::Div, true, &Compact::Int(1), &Compact::Int(2)).unwrap();
        assert_eq!(half.to_value().as_ratio(), ratio(1, 2));
        assert_eq!(arith(Arith::Add, false, &half, &half), Some(Compact::Int(1)));
        assert_eq!(arith(Arith::Div, true, &Compact::Int(4), &Compact::Int(-2)), Some(Compact::Int(-2)));
        assert_eq!(order(&half, &Compact::Int(1)), Ordering::Less);
        assert_eq!(order(&half, &Compact::Int(0)), Ordering::Greater);
        assert_eq!(less(&half, &Compact::None), None);
    }
}
