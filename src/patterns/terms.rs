//! Integers computed from a tuple: sums, differences, remainders, digit-wise sums (xor), golden pairs.

use std::fmt;

/// A number computed from the coordinates of a tuple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TupleTerm {
    /// A coordinate, by its index.
    Coordinate(usize),
    /// The sum of two.
    Sum(usize, usize),
    /// The first less the second.
    Difference(usize, usize),
    /// The absolute difference of two.
    Distance(usize, usize),
    /// The product of two.
    Product(usize, usize),
    /// The minimum of two.
    Min(usize, usize),
    /// The maximum of two.
    Max(usize, usize),
    /// The first modulo the second plus a nonnegative constant.
    Remainder(usize, usize, i64),
    /// The bitwise xor (nim sum) of the coordinates of a set, which has one bit for each.
    Xor(u32),
    /// 1 if the two are `floor(d phi)` and `floor(d phi) + d` for some d, in any order, with the golden ratio phi: the
    /// losing pairs of Wythoff (1907). Otherwise 0.
    Golden(usize, usize),
    /// 1 if the greater of two is less than phi times the lesser, with the golden ratio phi: the winning condition of
    /// Euclid's game (Cole and Davie 1969). Otherwise 0.
    GoldenRatio(usize, usize),
}

impl TupleTerm {
    /// All terms over tuples of this many coordinates, the simplest first.
    pub fn all(coordinates: usize) -> Vec<TupleTerm> {
        let mut terms: Vec<TupleTerm> = (0..coordinates).map(TupleTerm::Coordinate).collect();
        let pairs = || (0..coordinates).flat_map(move |i| (i + 1..coordinates).map(move |j| (i, j)));
        for (i, j) in pairs() {
            terms.extend([
                TupleTerm::Sum(i, j),
                TupleTerm::Difference(i, j),
                TupleTerm::Distance(i, j),
                TupleTerm::Xor(1 << i | 1 << j),
            ]);
            terms.extend([
                TupleTerm::Product(i, j),
                TupleTerm::Min(i, j),
                TupleTerm::Max(i, j),
                TupleTerm::Golden(i, j),
                TupleTerm::GoldenRatio(i, j),
            ]);
            for plus in 0..=2 {
                terms.extend([TupleTerm::Remainder(i, j, plus), TupleTerm::Remainder(j, i, plus)]);
            }
        }
        // Xors of three and more coordinates; tables do not have more than eight heaps.
        let sets = (1u32..1 << coordinates.min(8)).filter(|set| set.count_ones() > 2);
        terms.extend(sets.map(TupleTerm::Xor));
        terms
    }

    /// The value; `None` if there is none (a remainder by a number that is not positive, an xor of negative numbers) or
    /// it overflows.
    pub fn value(self, tuple: &[i64]) -> Option<i64> {
        let at = |i: usize| tuple.get(i).copied();
        match self {
            TupleTerm::Coordinate(i) => at(i),
            TupleTerm::Sum(i, j) => at(i)?.checked_add(at(j)?),
            TupleTerm::Difference(i, j) => at(i)?.checked_sub(at(j)?),
            TupleTerm::Distance(i, j) => at(i)?.checked_sub(at(j)?)?.checked_abs(),
            TupleTerm::Product(i, j) => at(i)?.checked_mul(at(j)?),
            TupleTerm::Min(i, j) => Some(at(i)?.min(at(j)?)),
            TupleTerm::Max(i, j) => Some(at(i)?.max(at(j)?)),
            TupleTerm::Remainder(i, j, plus) => {
                let by = at(j)?.checked_add(plus)?;
                (by > 0).then(|| at(i).map(|n| n.rem_euclid(by)))?
            }
            TupleTerm::Xor(set) => {
                let chosen = tuple.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
                chosen.map(|(_, &n)| n).try_fold(0, |sum, n| (n >= 0).then_some(sum ^ n))
            }
            TupleTerm::Golden(i, j) => {
                let (low, high) = (at(i)?.min(at(j)?), at(i)?.max(at(j)?));
                let apart = high.checked_sub(low)?;
                Some(i64::from(low == golden(apart)?))
            }
            TupleTerm::GoldenRatio(i, j) => {
                let (low, high) = (at(i)?.min(at(j)?), at(i)?.max(at(j)?));
                // For positive numbers, high < phi low exactly if (high / low)^2 < high / low + 1.
                let squares = (high.checked_mul(high)?, low.checked_mul(low)?);
                Some(i64::from(low > 0 && squares.0 < high.checked_mul(low)?.checked_add(squares.1)?))
            }
        }
    }

    /// The description length of the term, in bits: more for less plausible terms.
    pub fn bits(self) -> f64 {
        match self {
            TupleTerm::Coordinate(_) => 1.0,
            TupleTerm::Sum(..) | TupleTerm::Difference(..) | TupleTerm::Xor(_) | TupleTerm::Distance(..) => {
                3.0
            }
            TupleTerm::Product(..)
            | TupleTerm::Min(..)
            | TupleTerm::Max(..)
            | TupleTerm::Golden(..)
            | TupleTerm::GoldenRatio(..) => 4.0,
            TupleTerm::Remainder(_, _, plus) => 4.0 + plus as f64,
        }
    }

    /// Describes the term with the names of the coordinates.
    pub fn describe<'a>(self, names: &'a [String]) -> impl fmt::Display + 'a {
        let name = |i: usize| names.get(i).map_or("?", String::as_str);
        match self {
            TupleTerm::Coordinate(i) => name(i).to_string(),
            TupleTerm::Sum(i, j) => format!("{} + {}", name(i), name(j)),
            TupleTerm::Difference(i, j) => format!("{} - {}", name(i), name(j)),
            TupleTerm::Distance(i, j) => format!("|{} - {}|", name(i), name(j)),
            TupleTerm::Product(i, j) => format!("{} * {}", name(i), name(j)),
            TupleTerm::Min(i, j) => format!("min({}, {})", name(i), name(j)),
            TupleTerm::Max(i, j) => format!("max({}, {})", name(i), name(j)),
            TupleTerm::Remainder(i, j, 0) => format!("{} mod {}", name(i), name(j)),
            TupleTerm::Remainder(i, j, plus) => format!("{} mod ({} + {plus})", name(i), name(j)),
            TupleTerm::Xor(set) => {
                let chosen = names.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
                chosen.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" xor ")
            }
            TupleTerm::Golden(i, j) => format!("golden({}, {})", name(i), name(j)),
            TupleTerm::GoldenRatio(i, j) => format!("golden_ratio({}, {})", name(i), name(j)),
        }
    }
}

/// `floor(d phi)`, exactly: (d + floor(sqrt(5 d d))) / 2, since d and the root are halved together.
fn golden(apart: i64) -> Option<i64> {
    let square = apart.checked_mul(apart)?.checked_mul(5)?;
    Some(apart.checked_add(square.isqrt())? / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_pairs_are_those_of_wythoff() {
        let pairs = [(0, 0), (1, 2), (3, 5), (4, 7), (6, 10), (8, 13), (9, 15), (11, 18), (12, 20), (14, 23)];
        for n in 0..=14 {
            for m in n..=23 {
                let found = TupleTerm::Golden(1, 0).value(&[n, m]);
                assert_eq!(found, Some(i64::from(pairs.contains(&(n, m)))), "{n}, {m}");
            }
        }
    }

    #[test]
    fn ratios_below_the_golden_one_are_those_of_fibonacci_numbers() {
        let below = |n, m| TupleTerm::GoldenRatio(0, 1).value(&[n, m]);
        // Consecutive Fibonacci numbers lie on either side of the ratio in turn.
        assert_eq!(
            (below(5, 8), below(8, 13), below(21, 13), below(21, 34)),
            (Some(1), Some(0), Some(1), Some(0))
        );
        assert_eq!(
            (below(4, 4), below(0, 0), below(0, 3), below(-2, -1)),
            (Some(1), Some(0), Some(0), Some(0))
        );
        assert_eq!(below(1, i64::MAX), None);
    }

    #[test]
    fn terms_without_a_value_have_none() {
        assert_eq!(TupleTerm::Remainder(0, 1, 0).value(&[5, 0]), None);
        assert_eq!(TupleTerm::Remainder(0, 1, 1).value(&[5, 1]), Some(1));
        assert_eq!(TupleTerm::Xor(3).value(&[-1, 2]), None);
        assert_eq!(TupleTerm::Xor(5).value(&[6, 9, 3]), Some(5));
        assert_eq!(TupleTerm::Product(0, 1).value(&[i64::MAX, 2]), None);
        assert_eq!(TupleTerm::Golden(0, 1).value(&[0, i64::MAX]), None);
        assert_eq!(TupleTerm::Xor(5).describe(&["a".into(), "b".into(), "c".into()]).to_string(), "a xor c");
    }
}
