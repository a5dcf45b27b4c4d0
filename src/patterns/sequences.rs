//! Laws of integer sequences: periods with a preperiod, steady growth over a period, linear recurrences.
//!
//! Technique: the least preperiod and period by comparing the sequence with its shift; recurrences by Berlekamp and
//! Massey (1969), in exact fractions.
//! Invariant: a law fits every given term, and far more terms are given than its statement takes.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, One, Zero};

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
    /// Each term is the sum of the terms before it, the nearest first, times these factors.
    Recurrence(Vec<i64>),
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
                let at = first + *preperiod as i64;
                let plus = terms[*preperiod] - step * at;
                let factor = match step {
                    1 => String::new(),
                    -1 => "-".into(),
                    step => format!("{step} "),
                };
                let plus = match plus {
                    0 => String::new(),
                    plus if plus > 0 => format!(" + {plus}"),
                    plus => format!(" - {}", plus.unsigned_abs()),
                };
                let from = if *preperiod == 0 { String::new() } else { format!(" from {name} = {at} on") };
                format!("{factor}{name}{plus}{from}")
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
            SequenceLaw::Recurrence(factors) => {
                let mut words = String::new();
                for (back, factor) in factors.iter().enumerate().filter(|(_, f)| **f != 0) {
                    let sign = match (words.is_empty(), *factor < 0) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => " + ",
                        (false, true) => " - ",
                    };
                    let times = match factor.unsigned_abs() {
                        1 => String::new(),
                        n => format!("{n} "),
                    };
                    words += &format!("{sign}{times}a({name} - {})", back + 1);
                }
                format!("a({name}) = {words}")
            }
        }
    }
}

/// Finds the simplest law of the terms; `None` if there is none, or there are too few terms to trust it.
pub fn find(terms: &[i64]) -> Option<SequenceLaw> {
    if terms.len() < 6 {
        return None;
    }
    periodic(terms).or_else(|| recurrence(terms))
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
/// has factors.
fn recurrence(terms: &[i64]) -> Option<SequenceLaw> {
    let factors = shortest(terms)?;
    let order = factors.len();
    if order == 0 || terms.len() < 3 * order + 2 {
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
        let law = find(terms)?;
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
        assert_eq!(find(&terms), Some(SequenceLaw::Periodic { preperiod: 0, period: 4, step: 0 }));
        let mut late = vec![9, 9, 7];
        late.extend(&terms);
        assert_eq!(find(&late), Some(SequenceLaw::Periodic { preperiod: 3, period: 4, step: 0 }));
        assert_eq!(told(&late).unwrap(), "period 4 from n = 4 on");
        assert_eq!(told(&[5; 8]).unwrap(), "always 5");
        assert_eq!(told(&[3, 5, 7, 9, 11, 13, 15]).unwrap(), "2 n + 1");
        assert_eq!(told(&[0, 3, 2, 5, 4, 7, 6, 9, 8, 11]).unwrap(), "period 2, +2 each time");
    }

    #[test]
    fn recurrences() {
        assert_eq!(told(&[1, 1, 2, 3, 5, 8, 13, 21, 34]).unwrap(), "a(n) = a(n - 1) + a(n - 2)");
        assert_eq!(told(&[2, 4, 8, 16, 32, 64]).unwrap(), "a(n) = 2 a(n - 1)");
        assert_eq!(told(&[1, 3, 7, 15, 31, 63, 127, 255]).unwrap(), "a(n) = 3 a(n - 1) - 2 a(n - 2)");
        let squares: Vec<i64> = (1..=14).map(|n| n * n).collect();
        assert_eq!(told(&squares).unwrap(), "a(n) = 3 a(n - 1) - 3 a(n - 2) + a(n - 3)");
    }

    #[test]
    fn too_little_is_nothing() {
        assert_eq!(find(&[1, 2, 1, 2, 1]), None);
        // Kayles up to 24: its period of 12 begins at 71.
        let kayles = [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4];
        assert_eq!(find(&kayles), None);
        // Dawson's Kayles on a ring of 3 to 16 cells: the next nimber is 1.
        assert_eq!(find(&[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]), None);
        assert_eq!(find(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]), None);
        assert_eq!(find(&[i64::MAX, i64::MIN, i64::MAX, i64::MIN, 0, 1, i64::MAX, 3]), None);
    }
}
