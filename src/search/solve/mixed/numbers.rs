//! Rationals of any length, which mixed strategies and their values need.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use bouton_base::rational::Rational;

/// The denominator of bounds that are not exact, which would be long fractions.
const BOUND_DENOMINATOR: i64 = 1_000_000_000_000;

/// Returns the largest multiple of `1 / denominator` that is at most the number.
pub fn multiple_below(number: &BigRational, denominator: i64) -> BigRational {
    let scale = BigRational::from_integer(denominator.into());
    (number * &scale).floor() / scale
}

/// Returns a short fraction that is at most the number.
pub fn rounded_down(number: &BigRational) -> Rational {
    Rational::from(multiple_below(number, BOUND_DENOMINATOR))
}

/// Returns a short fraction that is at least the number.
pub fn rounded_up(number: &BigRational) -> Rational {
    -rounded_down(&-number)
}

/// Converts to floating point, also if numerator and denominator are long.
pub fn float(number: &BigRational) -> f64 {
    if let (Some(above), Some(below)) = (number.numer().to_f64(), number.denom().to_f64())
        && above.is_finite()
        && below.is_finite()
    {
        return above / below;
    }
    let shift = number.denom().bits().max(number.numer().bits()).saturating_sub(1000);
    let (above, below) = (number.numer() >> shift, number.denom() >> shift);
    above.to_f64().unwrap_or(0.0) / below.to_f64().unwrap_or(1.0)
}

/// Returns the least common multiple of the denominators.
pub fn common_denominator<'a>(numbers: impl Iterator<Item = &'a BigRational>) -> BigInt {
    numbers.fold(BigInt::one(), |common, number| common.lcm(number.denom()))
}

/// Converts numbers that are not negative to the nearest probabilities of this denominator, with the sum 1.
/// The remainders go to the largest errors first (Hamilton's method); numbers below `1 / denominator` become 0.
pub fn probabilities(weights: &[f64], denominator: u64) -> Vec<BigRational> {
    let total: f64 = weights.iter().sum();
    let share = |weight: &f64| {
        if total > 0.0 { weight / total } else { 1.0 / weights.len() as f64 }
    };
    let exact: Vec<f64> = weights.iter().map(|weight| share(weight) * denominator as f64).collect();
    let mut parts: Vec<u64> = exact.iter().map(|part| part.floor() as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let error = |i: usize| exact[i] - exact[i].floor();
    order.sort_by(|&a, &b| error(b).total_cmp(&error(a)).then(a.cmp(&b)));
    let missing = denominator.saturating_sub(parts.iter().sum());
    for &i in order.iter().cycle().take(missing as usize) {
        parts[i] += 1;
    }
    parts.into_iter().map(|part| BigRational::new(part.into(), denominator.into())).collect()
}

/// Returns the fraction of the least denominator within `tolerance` of the number (Stern and Brocot).
pub fn simplest_near(number: f64, tolerance: f64) -> BigRational {
    let (low, high) = (number - tolerance, number + tolerance);
    let whole = |n: f64| BigInt::from(n as i64);
    // The convergents of the continued fraction of the interval.
    let (mut low, mut high, mut terms) = (low, high, Vec::new());
    loop {
        let floor = low.floor();
        if floor >= low || floor + 1.0 <= high || terms.len() > 40 {
            terms.push(whole(if floor >= low { floor } else { floor + 1.0 }));
            break;
        }
        terms.push(whole(floor));
        (low, high) = (1.0 / (high - floor), 1.0 / (low - floor));
    }
    let mut found = BigRational::zero();
    for (place, term) in terms.iter().rev().enumerate() {
        let rest = if place == 0 || found.is_zero() { BigRational::zero() } else { found.recip() };
        found = BigRational::from_integer(term.clone()) + rest;
    }
    found
}

/// Returns short rationals near these probabilities, with the sum 1: each but the largest is the simplest fraction
/// within the tolerance.
pub fn short_probabilities(weights: &[f64], tolerance: f64) -> Vec<BigRational> {
    let total: f64 = weights.iter().sum();
    let share = |weight: f64| if total > 0.0 { weight / total } else { 1.0 / weights.len() as f64 };
    let largest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let mut short: Vec<BigRational> = weights
        .iter()
        .map(|&weight| match share(weight) {
            none if none <= tolerance => BigRational::zero(),
            share => simplest_near(share, tolerance),
        })
        .collect();
    if let Some(largest) = largest {
        short[largest] = BigRational::zero();
        let rest = BigRational::one() - short.iter().sum::<BigRational>();
        if rest.is_negative() {
            return probabilities(weights, 1 << 20);
        }
        short[largest] = rest;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> BigRational {
        BigRational::new(above.into(), below.into())
    }

    #[test]
    fn bounds_are_rounded_outwards() {
        let long = BigRational::new(BigInt::from(10).pow(40), BigInt::from(3) * BigInt::from(10).pow(40) + 1);
        assert!(rounded_down(&long).to_big() < long && long < rounded_up(&long).to_big());
        assert!((float(&long) - 1.0 / 3.0).abs() < 1e-15);
        assert!(rounded_down(&-&long).to_big() < -&long);
        assert_eq!(rounded_up(&ratio(1, 4)), Rational::new(1, 4));
    }

    #[test]
    fn rounded_probabilities_sum_to_one() {
        for weights in [&[0.1, 0.2, 0.7][..], &[1.0, 1.0, 1.0], &[0.0, 0.0], &[5.0], &[1e-12, 1.0]] {
            for made in [probabilities(weights, 1 << 20), short_probabilities(weights, 1e-6)] {
                assert_eq!(made.iter().sum::<BigRational>(), ratio(1, 1), "{weights:?}");
                assert!(made.iter().all(|part| !part.is_negative()), "{weights:?}");
            }
        }
        assert_eq!(short_probabilities(&[1.0, 2.0, 0.0], 1e-6), [ratio(1, 3), ratio(2, 3), ratio(0, 1)]);
        assert_eq!(simplest_near(0.34, 0.01), ratio(1, 3));
        assert_eq!(simplest_near(0.5, 0.0), ratio(1, 2));
    }
}
