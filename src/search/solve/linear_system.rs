//! Exact solutions of sparse systems `x = P x + c` of rational numbers.
//!
//! Technique: sparse elimination modulo a prime, once, in an order that keeps rows short; then the digits of the
//! solution to that prime as base, one multiplication by the inverse each (p-adic lifting), until rational numbers with
//! the same digits satisfy the system.
//! Source: Markowitz (1957) for the order; Dixon (1982) for the lifting; Wang (1981) and Monagan (2004) for the
//! reconstruction of rational numbers.
//! Cost: the elimination, and for each 61 bits of the solution one pass over the factors.
//! Invariant: a solution is returned only if it satisfies the system exactly.
//! Not taken: elimination over rationals, whose intermediate numbers are longer than the solution's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;

/// The Mersenne prime `2^61 - 1`.
const PRIME: u64 = (1 << 61) - 1;
/// The bound on the coefficients of a row of whole numbers.
const MAX_COEFFICIENT: i64 = 1 << 40;
/// The maximal number of digits to the base [`PRIME`].
const MAX_DIGITS: usize = 160;
/// The number of bits by which digits must exceed the number that they stand for, so that they are no coincidence.
const SPARE_BITS: u64 = 64;

/// An equation `x_i = sum of p_j x_j + constant`.
#[derive(Clone, Debug, Default)]
pub struct Equation {
    /// The unknowns with their coefficients; an unknown may occur several times.
    pub terms: Vec<(u32, Rational)>,
    pub constant: Rational,
}

/// Solves the system in which equation i is that of unknown i. Returns `None` if it has no single solution, a
/// coefficient does not fit, the solution is too long, or a limit is reached.
pub fn solve(equations: &[Equation], limits: &Limits) -> Option<Vec<Rational>> {
    let system = WholeSystem::of(equations)?;
    let factors = Factors::of(&system, limits)?;
    let rest_bits = system.constants.iter().map(BigInt::bits).max().unwrap_or(0);
    let mut lifting =
        Lifting { system: &system, factors: &factors, rest: system.constants.clone(), digits: Vec::new() };
    let mut wanted = rest_bits as usize / 61 + 4;
    loop {
        lifting.extend(wanted, limits)?;
        if let Some(found) = lifting.reconstruct() {
            return Some(found);
        }
        if wanted >= MAX_DIGITS {
            return None;
        }
        wanted = (wanted + wanted / 2 + 1).min(MAX_DIGITS);
    }
}

/// The system with whole numbers: `A y = b` with `y = scale * x`.
struct WholeSystem {
    /// The rows of A, sorted by unknown, each once.
    rows: Vec<Vec<(u32, i64)>>,
    constants: Vec<BigInt>,
    scale: BigInt,
}

impl WholeSystem {
    fn of(equations: &[Equation]) -> Option<WholeSystem> {
        let mut scale = BigInt::one();
        for equation in equations {
            let below = equation.constant.denominator();
            if !(&scale % &below).is_zero() {
                scale = scale.lcm(&below);
            }
        }
        let mut system = WholeSystem { rows: Vec::new(), constants: Vec::new(), scale };
        for (own, equation) in equations.iter().enumerate() {
            let mut whole: i64 = 1;
            for (_, share) in &equation.terms {
                let (_, below) = share.as_small()?;
                whole = (whole / whole.gcd(&below)).checked_mul(below)?;
            }
            let mut row = vec![(own as u32, whole)];
            for (unknown, share) in &equation.terms {
                let (above, below) = share.as_small()?;
                row.push((*unknown, above.checked_mul(-(whole / below))?));
            }
            row.sort_unstable_by_key(|&(unknown, _)| unknown);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = kept.1.saturating_add(next.1);
                }
                same
            });
            row.retain(|&(_, coefficient)| coefficient != 0);
            if row.iter().any(|(_, coefficient)| coefficient.abs() > MAX_COEFFICIENT) {
                return None;
            }
            let constant = &equation.constant;
            let scaled = constant.numerator() * (&system.scale / constant.denominator()) * whole;
            system.rows.push(row);
            system.constants.push(scaled);
        }
        Some(system)
    }
}

/// The inverse of a matrix modulo [`PRIME`], as the steps of its elimination.
struct Factors {
    steps: Vec<EliminationStep>,
}

/// The elimination of an unknown by its own row.
struct EliminationStep {
    unknown: u32,
    /// The inverse of the coefficient on the diagonal.
    inverse: u64,
    /// The rows to which a multiple of this row was added, with the factor.
    below: Vec<(u32, u64)>,
    /// The other unknowns of the row; all are eliminated later.
    row: Vec<(u32, u64)>,
}

impl Factors {
    fn of(system: &WholeSystem, limits: &Limits) -> Option<Factors> {
        let size = system.rows.len();
        let mut rows: Vec<FxHashMap<u32, u64>> = Vec::with_capacity(size);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); size];
        for (own, row) in system.rows.iter().enumerate() {
            for &(unknown, _) in row {
                columns[unknown as usize].push(own as u32);
            }
            rows.push(row.iter().map(|&(unknown, coefficient)| (unknown, residue(coefficient))).collect());
        }
        let mut queue = EliminationQueue::of(&rows, &columns);
        let mut steps = Vec::with_capacity(size);
        while let Some(unknown) = queue.next(&rows, &columns) {
            if limits.check().is_some() {
                return None;
            }
            let mut row: Vec<(u32, u64)> = std::mem::take(&mut rows[unknown as usize]).into_iter().collect();
            row.sort_unstable();
            let diagonal = row.iter().position(|&(of, _)| of == unknown)?;
            let inverse = invert(row.swap_remove(diagonal).1)?;
            let mut below = Vec::new();
            for other in std::mem::take(&mut columns[unknown as usize]) {
                let Some(coefficient) = rows[other as usize].remove(&unknown) else { continue };
                let factor = negate(multiply(coefficient, inverse));
                for &(of, value) in &row {
                    let added = multiply(factor, value);
                    match rows[other as usize].entry(of) {
                        Entry::Occupied(mut entry) => {
                            let sum = add(*entry.get(), added);
                            if sum == 0 {
                                entry.remove();
                            } else {
                                entry.insert(sum);
                            }
                        }
                        Entry::Vacant(entry) => {
                            entry.insert(added);
                            columns[of as usize].push(other);
                        }
                    }
                }
                below.push((other, factor));
            }
            steps.push(EliminationStep { unknown, inverse, below, row });
        }
        (steps.len() == size).then_some(Factors { steps })
    }

    /// Solves the system modulo the prime; `right` becomes the solution.
    fn solve(&self, right: &mut [u64]) {
        for step in &self.steps {
            let own = right[step.unknown as usize];
            if own != 0 {
                for &(other, factor) in &step.below {
                    right[other as usize] = add(right[other as usize], multiply(factor, own));
                }
            }
        }
        for step in self.steps.iter().rev() {
            let mut sum = right[step.unknown as usize];
            for &(of, value) in &step.row {
                sum = add(sum, negate(multiply(value, right[of as usize])));
            }
            right[step.unknown as usize] = multiply(sum, step.inverse);
        }
    }
}

/// The order of elimination: the unknown whose elimination adds the fewest coefficients, as far as that is known.
struct EliminationQueue {
    /// Unknowns with the cost when they were entered; the least comes first.
    waiting: BinaryHeap<Reverse<(usize, u32)>>,
}

impl EliminationQueue {
    fn of(rows: &[FxHashMap<u32, u64>], columns: &[Vec<u32>]) -> EliminationQueue {
        let unknowns = 0..rows.len() as u32;
        let waiting = unknowns.map(|unknown| Reverse((cost(rows, columns, unknown), unknown))).collect();
        EliminationQueue { waiting }
    }

    fn next(&mut self, rows: &[FxHashMap<u32, u64>], columns: &[Vec<u32>]) -> Option<u32> {
        loop {
            let Reverse((entered, unknown)) = self.waiting.pop()?;
            // The cost may have risen since the unknown was entered.
            let now = cost(rows, columns, unknown);
            if now <= entered {
                return Some(unknown);
            }
            self.waiting.push(Reverse((now, unknown)));
        }
    }
}

fn cost(rows: &[FxHashMap<u32, u64>], columns: &[Vec<u32>], unknown: u32) -> usize {
    let (row, column) = (rows[unknown as usize].len(), columns[unknown as usize].len());
    row.saturating_sub(1) * column.saturating_sub(1)
}

/// The solution to the base of the prime, digit by digit.
struct Lifting<'s> {
    system: &'s WholeSystem,
    factors: &'s Factors,
    /// The right side that remains.
    rest: Vec<BigInt>,
    /// The digits of all unknowns, the lowest first.
    digits: Vec<Vec<u64>>,
}

impl Lifting<'_> {
    /// Computes digits until there are this many.
    fn extend(&mut self, wanted: usize, limits: &Limits) -> Option<()> {
        while self.digits.len() < wanted {
            if limits.check().is_some() {
                return None;
            }
            let mut digit: Vec<u64> = self.rest.iter().map(big_residue).collect();
            self.factors.solve(&mut digit);
            for (row, rest) in self.system.rows.iter().zip(&mut self.rest) {
                let product: i128 = row
                    .iter()
                    .map(|&(of, coefficient)| i128::from(coefficient) * i128::from(digit[of as usize]))
                    .sum();
                *rest -= product;
                *rest /= PRIME;
            }
            self.digits.push(digit);
        }
        Some(())
    }

    /// Returns the solution, if rational numbers with these digits satisfy the system.
    fn reconstruct(&self) -> Option<Vec<Rational>> {
        let size = self.system.rows.len();
        let modulus = num_traits::pow(BigInt::from(PRIME), self.digits.len());
        let largest = modulus.bits().checked_sub(SPARE_BITS)?;
        // All numbers have one denominator, as far as it is known.
        let mut denominator = BigInt::one();
        let mut numerators: Vec<(BigInt, BigInt)> = Vec::with_capacity(size);
        for unknown in 0..size {
            let mut scaled = symmetric(&self.value(unknown) * &denominator, &modulus);
            if scaled.bits() > largest {
                let (numerator, factor) = fraction(&scaled, &modulus)?;
                denominator *= factor;
                scaled = numerator;
            }
            numerators.push((scaled, denominator.clone()));
        }
        let numerators: Vec<BigInt> =
            numerators.into_iter().map(|(numerator, below)| numerator * (&denominator / below)).collect();
        if !self.satisfies(&numerators, &denominator) {
            return None;
        }
        let below = &denominator * &self.system.scale;
        let ratio = |above| Rational::from(num_rational::BigRational::new_raw(above, below.clone()));
        Some(numerators.into_iter().map(ratio).collect())
    }

    fn value(&self, unknown: usize) -> BigInt {
        // Digits of 61 bits to the base `2^61 - 1`, by Horner's scheme in halves.
        fn horner(digits: &[Vec<u64>], unknown: usize) -> BigInt {
            match digits {
                [] => BigInt::zero(),
                [digit] => BigInt::from(digit[unknown]),
                _ => {
                    let (low, high) = digits.split_at(digits.len() / 2);
                    let base = num_traits::pow(BigInt::from(PRIME), low.len());
                    horner(low, unknown) + horner(high, unknown) * base
                }
            }
        }
        horner(&self.digits, unknown)
    }

    /// Returns true if `numerators / denominator` solves the system.
    fn satisfies(&self, numerators: &[BigInt], denominator: &BigInt) -> bool {
        self.system.rows.iter().zip(&self.system.constants).all(|(row, constant)| {
            let mut sum = -(constant * denominator);
            for &(of, coefficient) in row {
                sum += &numerators[of as usize] * coefficient;
            }
            sum.is_zero()
        })
    }
}

/// Returns the residue between `-modulus / 2` and `modulus / 2`.
fn symmetric(number: BigInt, modulus: &BigInt) -> BigInt {
    let residue = number.mod_floor(modulus);
    if &residue + &residue > *modulus { residue - modulus } else { residue }
}

/// Returns the numerator and the positive denominator of a fraction with this residue, both together clearly shorter
/// than the modulus.
fn fraction(residue: &BigInt, modulus: &BigInt) -> Option<(BigInt, BigInt)> {
    let (mut previous, mut current) = (modulus.clone(), residue.mod_floor(modulus));
    let (mut before, mut factor) = (BigInt::zero(), BigInt::one());
    let mut best: Option<(u64, BigInt, BigInt)> = None;
    while !current.is_zero() {
        let (quotient, rest) = previous.div_rem(&current);
        // The fraction is where the next quotient is longest by far.
        if best.as_ref().is_none_or(|(bits, ..)| quotient.bits() > *bits) {
            best = Some((quotient.bits(), current.clone(), factor.clone()));
        }
        let next = &before - &quotient * &factor;
        (previous, current) = (current, rest);
        (before, factor) = (factor, next);
    }
    let (bits, numerator, denominator) = best?;
    if bits < SPARE_BITS / 2 || denominator.is_zero() {
        return None;
    }
    Some(if denominator.is_negative() { (-numerator, -denominator) } else { (numerator, denominator) })
}

fn residue(number: i64) -> u64 {
    number.rem_euclid(PRIME as i64) as u64
}

fn big_residue(number: &BigInt) -> u64 {
    let size = (number.magnitude() % PRIME).to_u64().unwrap_or(0);
    if number.sign() == Sign::Minus { negate(size) } else { size }
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn negate(a: u64) -> u64 {
    if a == 0 { 0 } else { PRIME - a }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add((product & u128::from(PRIME)) as u64, (product >> 61) as u64)
}

/// Returns the inverse by Fermat's little theorem; `None` for 0.
fn invert(a: u64) -> Option<u64> {
    let (mut power, mut result, mut exponent) = (a, 1, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, power);
        }
        power = multiply(power, power);
        exponent >>= 1;
    }
    (a != 0).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::random::SplitMix;

    fn equation(terms: &[(u32, (i64, i64))], constant: (i64, i64)) -> Equation {
        let terms = terms.iter().map(|&(of, (a, b))| (of, Rational::new(a, b))).collect();
        Equation { terms, constant: Rational::new(constant.0, constant.1) }
    }

    #[test]
    fn small_systems() {
        let solved = |equations: &[Equation]| solve(equations, &Limits::default());
        assert_eq!(solved(&[]), Some(vec![]));
        // A fair coin: won with heads, again with tails.
        assert_eq!(solved(&[equation(&[(0, (1, 2))], (1, 2))]), Some(vec![Rational::ONE]));
        let two = [equation(&[(1, (1, 3))], (2, 3)), equation(&[(0, (1, 4)), (0, (1, 4))], (-1, 2))];
        assert_eq!(solved(&two), Some(vec![Rational::new(3, 5), Rational::new(-1, 5)]));
        // Nothing ever ends.
        assert_eq!(solved(&[equation(&[(1, (1, 1))], (0, 1)), equation(&[(0, (1, 1))], (0, 1))]), None);
    }

    #[test]
    fn solutions_satisfy_random_systems() {
        let mut random = SplitMix::new(7);
        let mut below = |n: u64| random.word() % n;
        for size in [1, 2, 5, 20, 60] {
            let equations: Vec<Equation> = (0..size)
                .map(|_| {
                    let many = 1 + below(3);
                    let terms: Vec<_> =
                        (0..many).map(|_| (below(size) as u32, (1, 5 + below(4) as i64))).collect();
                    equation(&terms, (below(9) as i64 - 4, 1 + below(1000) as i64))
                })
                .collect();
            let solution = solve(&equations, &Limits::default()).expect("a contraction has a solution");
            for (value, of) in solution.iter().zip(&equations) {
                let sum: Rational = of.terms.iter().map(|(j, share)| &solution[*j as usize] * share).sum();
                assert_eq!(*value, sum + &of.constant);
            }
        }
    }
}
