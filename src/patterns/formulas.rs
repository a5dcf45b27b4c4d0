//! Formulas for numbers: a linear function of a term, a remainder of a term, a linear combination of all coordinates.

use super::terms::TupleTerm;

/// The greatest factor of a coordinate to try.
const MAX_FACTOR: i64 = 3;
/// The greatest modulus to try.
const MAX_MODULUS: i64 = 16;

/// A formula for the number of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The formula `factor * term + plus`.
    Linear(TupleTerm, i64, i64),
    /// The formula `term mod by`.
    Remainder(TupleTerm, i64),
    /// The coordinates times these factors, plus a number.
    Sum(Vec<i64>, i64),
}

impl Formula {
    /// The value; `None` if a part has none or it overflows.
    pub fn value(&self, tuple: &[i64]) -> Option<i64> {
        match self {
            Formula::Linear(term, factor, plus) => {
                term.value(tuple)?.checked_mul(*factor)?.checked_add(*plus)
            }
            Formula::Remainder(term, by) => term.value(tuple)?.checked_rem_euclid(*by),
            Formula::Sum(factors, plus) => {
                let mut terms = factors.iter().zip(tuple);
                terms.try_fold(*plus, |sum, (factor, n)| sum.checked_add(factor.checked_mul(*n)?))
            }
        }
    }

    /// Describes the formula with the names of the coordinates.
    pub fn describe(&self, names: &[String]) -> String {
        let bracketed = |term: &TupleTerm| match term {
            TupleTerm::Coordinate(_) => term.describe(names).to_string(),
            _ => format!("({})", term.describe(names)),
        };
        match self {
            Formula::Linear(term, 1, 0) => term.describe(names).to_string(),
            Formula::Linear(term, factor, plus) => {
                sum([(i128::from(*factor), bracketed(term))], i128::from(*plus))
            }
            Formula::Remainder(term, by) => format!("{} mod {by}", bracketed(term)),
            Formula::Sum(factors, plus) => {
                let factors = factors.iter().map(|factor| i128::from(*factor));
                sum(factors.zip(names.iter().cloned()), i128::from(*plus))
            }
        }
    }
}

/// The sum of terms with factors, and of a number: `2 x - y + 1`.
pub(crate) fn sum(parts: impl IntoIterator<Item = (i128, String)>, plus: i128) -> String {
    let mut words = String::new();
    for (factor, part) in parts.into_iter().chain([(plus, String::new())]).filter(|(factor, _)| *factor != 0)
    {
        words += match (words.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        words += &match (factor.unsigned_abs(), part.as_str()) {
            (n, "") => n.to_string(),
            (1, part) => part.to_owned(),
            (n, part) => format!("{n} {part}"),
        };
    }
    if words.is_empty() { "0".into() } else { words }
}

/// Finds the simplest formula that gives the number of every case; `None` if there is none, if there are too few cases
/// to trust it, or if the number is constant.
pub fn find(cases: &[(Vec<i64>, i64)]) -> Option<Formula> {
    let (first, number) = cases.first()?;
    let enough = 3 * first.len() + 4;
    if first.is_empty() || cases.len() < enough || cases.iter().all(|(_, n)| n == number) {
        return None;
    }
    let fits = |formula: &Formula| cases.iter().all(|(tuple, n)| formula.value(tuple) == Some(*n));
    let terms = TupleTerm::all(first.len());
    let linear = terms.iter().filter_map(|&term| Some(slope(term, cases)?).filter(&fits));
    // A modulus that exceeds every value of the term gives the term itself, which comes earlier.
    let remainders =
        terms.iter().flat_map(|&term| (2..=MAX_MODULUS).map(move |by| Formula::Remainder(term, by)));
    linear.chain(sums(cases)).chain(remainders).find(|formula| fits(formula))
}

/// The line through two cases with different values of the term.
fn slope(term: TupleTerm, cases: &[(Vec<i64>, i64)]) -> Option<Formula> {
    let (tuple, number) = &cases[0];
    let here = term.value(tuple)?;
    let (other, there) =
        cases.iter().find_map(|(t, n)| Some((*n, term.value(t)?)).filter(|(_, v)| *v != here))?;
    let (rise, run) = (other.checked_sub(*number)?, there.checked_sub(here)?);
    if rise == 0 || rise.checked_rem(run)? != 0 {
        return None;
    }
    let factor = rise / run;
    Some(Formula::Linear(term, factor, number.checked_sub(factor.checked_mul(here)?)?))
}

/// Linear combinations of two or three coordinates with small factors; the constant follows from the first case.
fn sums(cases: &[(Vec<i64>, i64)]) -> Vec<Formula> {
    let (tuple, number) = &cases[0];
    if !(2..=3).contains(&tuple.len()) {
        return Vec::new();
    }
    let mut factors = vec![Vec::new()];
    for _ in tuple {
        let more = |f: Vec<i64>| (-MAX_FACTOR..=MAX_FACTOR).map(move |n| [f.clone(), vec![n]].concat());
        factors = factors.into_iter().flat_map(more).collect();
    }
    let with_constant = |factors: Vec<i64>| {
        let rest = Formula::Sum(factors.clone(), 0).value(tuple)?;
        Some(Formula::Sum(factors, number.checked_sub(rest)?))
    };
    factors.into_iter().filter_map(with_constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(value: impl Fn(i64, i64) -> i64) -> Option<String> {
        let cases: Vec<_> = (0..6).flat_map(|x| (0..5).map(move |y| (x, y))).collect();
        let cases: Vec<_> = cases.into_iter().map(|(x, y)| (vec![x, y], value(x, y))).collect();
        let formula = find(&cases)?;
        assert!(cases.iter().all(|(tuple, n)| formula.value(tuple) == Some(*n)));
        Some(formula.describe(&["x".into(), "y".into()]))
    }

    #[test]
    fn formulas_are_found() {
        assert_eq!(told(|x, y| x ^ y).unwrap(), "x xor y");
        assert_eq!(told(|x, y| x + y).unwrap(), "x + y");
        assert_eq!(told(|x, y| 2 * x - 3 * y + 1).unwrap(), "2 x - 3 y + 1");
        assert_eq!(told(|x, y| 2 * (x * y) - 1).unwrap(), "2 (x * y) - 1");
        assert_eq!(told(|x, y| (x + y) % 3).unwrap(), "(x + y) mod 3");
        assert_eq!(told(|x, y| x % (y + 1)).unwrap(), "x mod (y + 1)");
        assert_eq!(told(|_, y| -y).unwrap(), "-y");
        assert_eq!(told(|x, y| (x * 7 + y * 5 + x * x * y) % 11), None);
        assert_eq!(told(|_, _| 4), None);
    }
}
