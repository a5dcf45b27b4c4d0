//! Laws of integer sequences: periods with a preperiod, steady growth over a period, polynomials, powers, counts of
//! digits, linear recurrences.
//!
//! Technique: the least preperiod and period by comparing the sequence with its shift; polynomials by differences
//! (Newton 1687); recurrences by Berlekamp and Massey (1969), in exact fractions.
//! Invariant: a law fits every given term, and far more terms are given than its statement takes.

use super::formulas::sum;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, One, Zero};

/// The highest degree of a polynomial.
const MAX_DEGREE: usize = 3;
/// The least number of terms of any law.
const MIN_TERMS: usize = 6;
/// The maximal number of terms to which a law about numbers that stand apart is continued.
const MAX_CONTINUED: usize = 1000;
/// The least number of terms of a law about digits.
const MIN_DIGIT_TERMS: usize = 8;

/// A law that all given terms obey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SequenceLaw {
    /// From the term of this index on, a(i + period) = a(i) + step.
    Periodic {
        /// The number of terms before it.
        preperiod: usize,
        /// The least period.
        period: usize,
        /// The increment of each period.
        step: i64,
    },
    /// The sum of the powers of n, from the 0th on, times these factors, divided by a number.
    Polynomial { factors: Vec<i128>, divisor: i128 },
    /// The term of index i is (factor * base^i + plus) / divisor.
    Power { factor: i128, base: i128, plus: i128, divisor: i128 },
    /// From n = 1 on, this count in the digits of n, plus a number.
    Digits(DigitCount, i64),
    /// Each term is the sum of the terms before it, the nearest first, times these factors.
    Recurrence(Vec<i64>),
}

/// A number that the digits of n show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DigitCount {
    /// The number of times that a base divides n: the zeros at the end.
    Divisions(i64),
    /// The number of binary digits, less one.
    Logarithm,
    /// The number of ones among the binary digits.
    Ones,
    /// The greatest power of a base that divides n.
    GreatestPower(i64),
}

impl DigitCount {
    /// The count for a positive number.
    fn of(self, n: i64) -> i64 {
        match self {
            DigitCount::Divisions(base) => {
                std::iter::successors(Some(n), |n| (n % base == 0).then_some(n / base)).count() as i64 - 1
            }
            DigitCount::Logarithm => i64::from(n.ilog2()),
            DigitCount::Ones => i64::from(n.count_ones()),
            DigitCount::GreatestPower(base) => base.pow(DigitCount::Divisions(base).of(n) as u32),
        }
    }
}

impl SequenceLaw {
    /// Describes the law: the terms are `a(n)`, and `first` is the number of the first.
    pub fn describe(&self, name: &str, first: i64, terms: &[i64]) -> String {
        match self {
            SequenceLaw::Periodic { preperiod: 0, period: 1, step: 0 } => format!("always {}", terms[0]),
            SequenceLaw::Periodic { preperiod, period: 1, step: 0 } => {
                format!("{} from {name} = {} on", terms[*preperiod], first + *preperiod as i64)
            }
            SequenceLaw::Periodic { preperiod, period: 1, step } => {
                let at = i128::from(first) + *preperiod as i128;
                let plus = i128::from(terms[*preperiod]) - i128::from(*step) * at;
                let line = sum([(i128::from(*step), name.to_owned())], plus);
                let from = if *preperiod == 0 { String::new() } else { format!(" from {name} = {at} on") };
                format!("{line}{from}")
            }
            SequenceLaw::Periodic { preperiod, period, step } => {
                let from = if *preperiod == 0 {
                    String::new()
                } else {
                    format!(" from {name} = {} on", first + *preperiod as i64)
                };
                let grows = match step {
                    0 => String::new(),
                    step => format!(", {step:+} each time"),
                };
                format!("period {period}{grows}{from}")
            }
            SequenceLaw::Polynomial { factors, divisor } => {
                let powers = (1..factors.len()).rev().map(|power| match power {
                    1 => (factors[power], name.to_owned()),
                    power => (factors[power], format!("{name}^{power}")),
                });
                divided(sum(powers, factors[0]), *divisor)
            }
            SequenceLaw::Power { factor, base, plus, divisor } => {
                let (mut factor, mut offset) = (*factor, -i128::from(first));
                while factor % base == 0 {
                    (factor, offset) = (factor / base, offset + 1);
                }
                let power = match offset {
                    0 => format!("{base}^{name}"),
                    offset if offset > 0 => format!("{base}^({name} + {offset})"),
                    offset => format!("{base}^({name} - {})", offset.unsigned_abs()),
                };
                let power = if factor.abs() == 1 { power } else { format!("* {power}") };
                divided(sum([(factor, power)], *plus), *divisor)
            }
            SequenceLaw::Digits(count, plus) => {
                let count = match count {
                    DigitCount::Divisions(base) => format!("the number of times {base} divides {name}"),
                    DigitCount::Logarithm => format!("floor(log2 {name})"),
                    DigitCount::Ones => format!("the number of ones of {name} in binary"),
                    DigitCount::GreatestPower(base) => {
                        format!("the greatest power of {base} that divides {name}")
                    }
                };
                let from = if first < 1 { format!(" from {name} = 1 on") } else { String::new() };
                let count = if *plus == 0 { count } else { format!("{plus} + {count}") };
                format!("{count}{from}")
            }
            SequenceLaw::Recurrence(factors) => {
                let before = factors.iter().enumerate();
                let before = before.map(|(back, f)| (i128::from(*f), format!("a({name} - {})", back + 1)));
                format!("a({name}) = {}", sum(before, 0))
            }
        }
    }
}

impl SequenceLaw {
    /// The term that comes after all given ones, the first of which is `a(first)`; `None` for laws about periods and
    /// digits, and if it overflows.
    fn next(&self, terms: &[i64], first: i64) -> Option<i128> {
        let n = i128::from(first) + terms.len() as i128;
        match self {
            SequenceLaw::Periodic { .. } | SequenceLaw::Digits(..) => None,
            SequenceLaw::Polynomial { factors, divisor } => {
                let add = |sum: i128, factor: &i128| sum.checked_mul(n)?.checked_add(*factor);
                Some(factors.iter().rev().try_fold(0, add)? / divisor)
            }
            SequenceLaw::Power { factor, base, plus, divisor } => {
                let power = base.checked_pow(terms.len() as u32)?;
                Some(factor.checked_mul(&power)?.checked_add(*plus)? / divisor)
            }
            SequenceLaw::Recurrence(factors) => {
                let before = terms.iter().rev().map(|term| i128::from(*term));
                Some(before.zip(factors).map(|(term, factor)| term * i128::from(*factor)).sum())
            }
        }
    }
}

/// Describes numbers that stand apart, such as those of lost positions: which they are among all numbers up to `last`.
/// `None` if they follow no law, if they come with a period, or if the law gives one more number up to `last`.
pub fn describe_positions(positions: &[i64], name: &str, last: i64) -> Option<String> {
    let index = if name == "k" { "i" } else { "k" };
    let told = |first: i64| {
        let law = find(positions, first)?;
        // Laws that come down again would give more numbers.
        let mut terms = positions.to_vec();
        for more in 0..MAX_CONTINUED {
            match law.next(&terms, first) {
                Some(next) if next <= i128::from(last) => return None,
                Some(next) if let Ok(next) = i64::try_from(next) => terms.push(next),
                Some(_) => break,
                None if more == 0 => return None,
                None => break,
            }
        }
        let told = law.describe(index, first, positions);
        Some((law, first, told))
    };
    let (law, first, told) = (0..3).filter_map(told).min_by_key(|(_, _, told)| told.len())?;
    Some(match law {
        SequenceLaw::Recurrence(_) => {
            let listed: Vec<String> = positions.iter().map(i64::to_string).collect();
            format!("{name} is one of {}, with {told}", listed.join(", "))
        }
        _ => format!("{name} = {told} with {index} = {first}, {}, ...", first + 1),
    })
}

/// A sum divided by a number.
fn divided(sum: String, by: i128) -> String {
    if by == 1 { sum } else { format!("({sum}) / {by}") }
}

/// Finds the simplest law of the terms, the first of which is `a(first)`; `None` if there is none, or there are too few
/// terms to trust it.
pub fn find(terms: &[i64], first: i64) -> Option<SequenceLaw> {
    if terms.len() < MIN_TERMS {
        return None;
    }
    let growing = || polynomial(terms, first).or_else(|| power(terms)).or_else(|| digits(terms, first));
    periodic(terms).or_else(growing).or_else(|| recurrence(terms))
}

/// Finds a polynomial of degree 2 or more that as many terms confirm as it has factors, the first difference of which is
/// not 0.
fn polynomial(terms: &[i64], first: i64) -> Option<SequenceLaw> {
    let mut row: Vec<i128> = terms.iter().map(|term| i128::from(*term)).collect();
    let mut heads = Vec::new();
    for degree in 0..=MAX_DEGREE {
        heads.push(row[0]);
        if row.iter().all(|difference| difference == &row[0]) {
            let is_confirmed = degree >= 2 && terms.len() >= 2 * heads.len();
            return is_confirmed.then(|| interpolated(&heads, first))?;
        }
        row = row.windows(2).map(|pair| pair[1] - pair[0]).collect();
    }
    None
}

/// The polynomial with these first differences of each order at `first`; `None` if a number overflows.
fn interpolated(heads: &[i128], first: i64) -> Option<SequenceLaw> {
    let mut divisor: i128 = (1..heads.len() as i128).product();
    let mut factors = vec![0i128; heads.len()];
    // The product of (n - first - i) for the i below the order, by powers of n.
    let mut product = vec![1i128];
    let mut scale = divisor;
    for (order, head) in heads.iter().enumerate() {
        for (factor, part) in factors.iter_mut().zip(&product) {
            *factor = factor.checked_add(head.checked_mul(&scale)?.checked_mul(*part)?)?;
        }
        let zero = i128::from(first) + order as i128;
        let mut next = vec![0; product.len() + 1];
        for (power, &part) in product.iter().enumerate() {
            next[power + 1] += part;
            next[power] = next[power].checked_sub(part.checked_mul(zero)?)?;
        }
        product = next;
        scale /= order as i128 + 1;
    }
    let common = factors.iter().fold(divisor, |common, factor| common.gcd(factor));
    factors.iter_mut().for_each(|factor| *factor /= common);
    divisor /= common;
    Some(SequenceLaw::Polynomial { factors, divisor })
}

/// Finds a multiple of a power with a number added: each difference is the one before it times the base.
fn power(terms: &[i64]) -> Option<SequenceLaw> {
    let terms: Vec<i128> = terms.iter().map(|term| i128::from(*term)).collect();
    let differences: Vec<i128> = terms.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let base = differences[1].checked_div(differences[0])?;
    let grows = |pair: &[i128]| pair[0].checked_mul(base) == Some(pair[1]);
    if base < 2 || !differences.windows(2).all(grows) {
        return None;
    }
    let common = differences[0].gcd(&(base - 1));
    let (factor, divisor) = (differences[0] / common, (base - 1) / common);
    let plus = terms[0].checked_mul(divisor)?.checked_sub(factor)?;
    Some(SequenceLaw::Power { factor, base, plus, divisor })
}

/// Finds a count of digits that all terms from a(1) on give.
fn digits(terms: &[i64], first: i64) -> Option<SequenceLaw> {
    let skipped = usize::try_from(1i64.checked_sub(first)?).unwrap_or(0);
    let terms = terms.get(skipped..).filter(|terms| terms.len() >= MIN_DIGIT_TERMS)?;
    let first = first.max(1);
    let counts = [
        DigitCount::Divisions(2),
        DigitCount::Divisions(3),
        DigitCount::Logarithm,
        DigitCount::Ones,
        DigitCount::GreatestPower(2),
        DigitCount::GreatestPower(3),
    ];
    counts.into_iter().find_map(|count| {
        let plus = terms[0].checked_sub(count.of(first))?;
        let is_given = |(n, &term): (i64, &i64)| term.checked_sub(plus) == Some(count.of(n));
        let given = (first..).zip(terms).all(is_given);
        given.then_some(SequenceLaw::Digits(count, plus))
    })
}

/// Finds a period that holds for at least two whole periods beyond the one that states it, and for as many terms more as
/// the preperiod has: a law that leaves out more terms than confirm it may be the chance end of an irregular sequence.
fn periodic(terms: &[i64]) -> Option<SequenceLaw> {
    for period in 1..=terms.len() / 3 {
        let step = terms[terms.len() - 1].checked_sub(terms[terms.len() - 1 - period])?;
        let keeps = |i: &usize| terms[*i].checked_add(step) == Some(terms[i + period]);
        let run = (0..terms.len() - period).rev().take_while(keeps).count();
        let preperiod = terms.len() - period - run;
        if run >= 2 * period + preperiod.max(2) {
            return Some(SequenceLaw::Periodic { preperiod, period, step });
        }
    }
    None
}

/// Finds the shortest linear recurrence, if its factors are integers and more than twice as many terms confirm it as it
/// has factors; for the sum of the two terms before, fewer are enough.
fn recurrence(terms: &[i64]) -> Option<SequenceLaw> {
    let factors = shortest(terms)?;
    let order = factors.len();
    let is_plain = order == 2 && factors.iter().all(|factor| factor.is_one());
    if order == 0 || terms.len() < 3 * order + 2 && !is_plain {
        return None;
    }
    let whole = |f: &Ratio<i128>| f.is_integer().then(|| i64::try_from(f.to_integer()).ok())?;
    Some(SequenceLaw::Recurrence(factors.iter().map(whole).collect::<Option<_>>()?))
}

/// The Berlekamp-Massey algorithm in fractions; `None` if they overflow.
fn shortest(terms: &[i64]) -> Option<Vec<Ratio<i128>>> {
    type Q = Ratio<i128>;
    let term = |i: usize| Q::from_integer(i128::from(terms[i]));
    let (mut now, mut before): (Vec<Q>, Vec<Q>) = (Vec::new(), Vec::new());
    let (mut failed, mut by) = (None::<usize>, Q::one());
    for i in 0..terms.len() {
        let mut off = term(i);
        for (j, factor) in now.iter().enumerate().filter(|(j, _)| *j < i) {
            off = off.checked_sub(&factor.checked_mul(&term(i - 1 - j))?)?;
        }
        if off.is_zero() {
            continue;
        }
        let Some(at) = failed else {
            now = vec![Q::zero(); i + 1];
            (failed, by) = (Some(i), off);
            continue;
        };
        let scale = off.checked_div(&by)?;
        let mut next = vec![Q::zero(); i - at - 1];
        next.push(scale);
        for factor in &before {
            next.push(Q::zero().checked_sub(&factor.checked_mul(&scale)?)?);
        }
        if next.len() < now.len() {
            next.resize(now.len(), Q::zero());
        }
        for (j, factor) in now.iter().enumerate() {
            next[j] = next[j].checked_add(factor)?;
        }
        // The next correction uses whichever of the two recurrences then gives the shorter one.
        if i - at + before.len() >= now.len() {
            before = std::mem::replace(&mut now, next);
            (failed, by) = (Some(i), off);
        } else {
            now = next;
        }
    }
    Some(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(terms: &[i64]) -> Option<String> {
        let law = find(terms, 1)?;
        assert!(
            law.next(&terms[..terms.len() - 1], 1).is_none_or(|next| next == terms[terms.len() - 1].into())
        );
        if let SequenceLaw::Recurrence(factors) = &law {
            let next = |before: &[i64]| before.iter().rev().zip(factors).map(|(a, f)| a * f).sum::<i64>();
            let order = factors.len();
            assert!((order..terms.len()).all(|i| next(&terms[i - order..i]) == terms[i]), "{law:?}");
        }
        Some(law.describe("n", 1, terms))
    }

    #[test]
    fn periods_with_and_without_a_preperiod() {
        let terms: Vec<i64> = (0..20).map(|n| n % 4).collect();
        assert_eq!(find(&terms, 1), Some(SequenceLaw::Periodic { preperiod: 0, period: 4, step: 0 }));
        let mut late = vec![9, 9, 7];
        late.extend(&terms);
        assert_eq!(find(&late, 1), Some(SequenceLaw::Periodic { preperiod: 3, period: 4, step: 0 }));
        assert_eq!(told(&late).unwrap(), "period 4 from n = 4 on");
        assert_eq!(told(&[5; 8]).unwrap(), "always 5");
        assert_eq!(told(&[3, 5, 7, 9, 11, 13, 15]).unwrap(), "2 n + 1");
        let far = 1_000_000_000;
        let large: Vec<i64> = (0..9).map(|n| 1_000_000_000_000 * n).collect();
        let line = find(&large, far).unwrap().describe("n", far, &large);
        assert_eq!(line, "1000000000000 n - 1000000000000000000000");
        assert_eq!(told(&[0, 3, 2, 5, 4, 7, 6, 9, 8, 11]).unwrap(), "period 2, +2 each time");
    }

    #[test]
    fn recurrences() {
        assert_eq!(told(&[1, 1, 2, 3, 5, 8, 13, 21, 34]).unwrap(), "a(n) = a(n - 1) + a(n - 2)");
        assert_eq!(told(&[1, 2, 5, 12, 29, 70, 169, 408]).unwrap(), "a(n) = 2 a(n - 1) + a(n - 2)");
    }

    #[test]
    fn polynomials() {
        let of = |term: fn(i64) -> i64, last: i64| told(&(1..=last).map(term).collect::<Vec<_>>());
        assert_eq!(of(|n| n * (n + 2), 6).unwrap(), "n^2 + 2 n");
        assert_eq!(of(|n| n * (n + 1) / 2, 6).unwrap(), "(n^2 + n) / 2");
        assert_eq!(of(|n| 7 - 2 * n * n, 6).unwrap(), "-2 n^2 + 7");
        assert_eq!(of(|n| n * (n + 1) * (2 * n + 1) / 6, 8).unwrap(), "(2 n^3 + 3 n^2 + n) / 6");
        assert_eq!(of(|n| n * n * n, 7), None);
        assert_eq!(of(|n| n * n, 5), None);
    }

    #[test]
    fn powers() {
        assert_eq!(told(&[2, 4, 8, 16, 32, 64]).unwrap(), "2^n");
        assert_eq!(told(&[2, 8, 26, 80, 242, 728]).unwrap(), "3^n - 1");
        assert_eq!(told(&[1, 4, 13, 40, 121, 364]).unwrap(), "(3^n - 1) / 2");
        assert_eq!(told(&[5, 8, 14, 26, 50, 98]).unwrap(), "3 * 2^(n - 1) + 2");
        assert_eq!(told(&[3, -1, -9, -25, -57, -121]).unwrap(), "-2^(n + 1) + 7");
        assert_eq!(told(&[2, 8, 26, 80, 242, 729]), None);
    }

    #[test]
    fn digits_of_the_number() {
        let of = |term: fn(i64) -> i64| told(&(1..=12).map(term).collect::<Vec<_>>());
        assert_eq!(of(|n| i64::from(n.trailing_zeros())).unwrap(), "the number of times 2 divides n");
        assert_eq!(of(|n| 1 + i64::from(n.trailing_zeros())).unwrap(), "1 + the number of times 2 divides n");
        assert_eq!(of(|n| i64::from(n.count_ones())).unwrap(), "the number of ones of n in binary");
        assert_eq!(of(|n| i64::from(n.ilog2()) - 1).unwrap(), "-1 + floor(log2 n)");
        assert_eq!(of(|n| n & -n).unwrap(), "the greatest power of 2 that divides n");
        let ruler = [0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1];
        let from_zero = find(&ruler, 0).unwrap().describe("n", 0, &ruler);
        assert_eq!(from_zero, "the number of times 2 divides n from n = 1 on");
    }

    #[test]
    fn numbers_that_stand_apart() {
        let told = |positions: &[i64], last| describe_positions(positions, "n", last);
        let fibonacci = [2, 3, 5, 8, 13, 21, 34];
        let words = "n is one of 2, 3, 5, 8, 13, 21, 34, with a(k) = a(k - 1) + a(k - 2)";
        assert_eq!(told(&fibonacci, 54).unwrap(), words);
        // The law would give 55 as well.
        assert_eq!(told(&fibonacci, 55), None);
        assert_eq!(told(&[1, 2, 4, 8, 16, 32], 60).unwrap(), "n = 2^k with k = 0, 1, ...");
        assert_eq!(told(&[1, 4, 9, 16, 25, 36], 40).unwrap(), "n = k^2 with k = 1, 2, ...");
        assert_eq!(told(&[3, 7, 11, 15, 19, 23, 27], 30), None);
        // (37 k - 3 k^2) / 2 comes down to 52.
        assert_eq!(told(&[0, 17, 31, 42, 50, 55], 55), None);
    }

    #[test]
    fn too_little_is_nothing() {
        assert_eq!(find(&[1, 2, 1, 2, 1], 1), None);
        // Kayles up to 24: its period of 12 begins at 71.
        let kayles = [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4];
        assert_eq!(find(&kayles, 1), None);
        // Dawson's Kayles on a ring of 3 to 16 cells: the next nimber is 1.
        assert_eq!(find(&[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0], 1), None);
        assert_eq!(find(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37], 1), None);
        assert_eq!(find(&[i64::MAX, i64::MIN, i64::MAX, i64::MIN, 0, 1, i64::MAX, 3], 1), None);
    }
}
