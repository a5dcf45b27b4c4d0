//! Numbers: integers of 64 bits and exact rationals. A result that does not fit is undefined.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::compact::Compact;
use bouton_rules::{Arith, Value};

/// The maximal number of bits of a result that 64 bits do not hold; longer operands come from long literals alone.
const MAX_BITS: u64 = 1 << 14;

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
            rational(op, exact, &a, &b).map(|ratio| Value::ratio(ratio).into())
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

/// `a op b` of rationals. Undefined if it does not fit, or with longer operands if it is far too long.
fn rational(op: Arith, exact: bool, a: &Rational, b: &Rational) -> Option<Rational> {
    let result = match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Div if exact => a.checked_div(b)?,
        Arith::Div => a.checked_div(b)?.floor(),
        Arith::Mod => a - b.abs() * a.checked_div(&b.abs())?.floor(),
        Arith::Min => a.min(b).clone(),
        Arith::Max => a.max(b).clone(),
    };
    let all_fit = a.as_small().is_some() && b.as_small().is_some();
    let fits = if all_fit { result.as_small().is_some() } else { result.bits() <= MAX_BITS };
    fits.then_some(result)
}

/// The greatest integer not above `a / b`.
fn floor(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div_euclid(b)?;
    // The Euclidean remainder is never negative, so under a negative divisor the Euclidean quotient is rounded up.
    if b < 0 && a.checked_rem_euclid(b)? != 0 { quotient.checked_sub(1) } else { Some(quotient) }
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
        assert_eq!(half.to_value().as_ratio(), Some(Rational::new(1, 2)));
        assert_eq!(arith(Arith::Add, false, &half, &half), Some(Compact::Int(1)));
        assert_eq!(arith(Arith::Div, true, &Compact::Int(4), &Compact::Int(-2)), Some(Compact::Int(-2)));
        assert_eq!(order(&half, &Compact::Int(1)), Ordering::Less);
        assert_eq!(order(&half, &Compact::Int(0)), Ordering::Greater);
        assert_eq!(less(&half, &Compact::None), None);
    }
}
