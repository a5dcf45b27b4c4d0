//! Linear programs with few entries, and exact solutions of a basis that floating point found.
//!
//! Technique: the simplex method in floating point finds an optimal basis. Its equations are solved exactly by p-adic
//! lifting: one inverse modulo a prime, then a digit of every unknown at a time, until the digits determine fractions.
//! Source: Dixon (1982) for lifting; Wang (1981) for the reconstruction of fractions; Applegate, Cook, Dash and
//! Espinoza (2007) for exact linear programming by way of floating point.
//! Cost: the cube of the number of exchanged variables for the inverse, its square for each digit.
//! Invariant: nothing is assumed of the result; the callers compute its exact guarantees.
//! Not taken: rational elimination, whose numbers grow with every step.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rayon::prelude::*;

use super::dictionary::{Dictionary, NoOptimum};
use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;

/// The size of random constants that are added to those of a program in floating point, whose entries are at most 1.
const PERTURBATION: f64 = 1e-7;

/// A linear function of the columns of a program.
#[derive(Clone, Default, Debug)]
pub struct Affine {
    pub constant: BigInt,
    pub terms: BTreeMap<usize, BigInt>,
}

impl Affine {
    /// The variable of a column.
    pub fn variable(column: usize) -> Affine {
        Affine { constant: BigInt::zero(), terms: [(column, BigInt::one())].into_iter().collect() }
    }

    /// A constant.
    pub fn constant(number: impl Into<BigInt>) -> Affine {
        Affine { constant: number.into(), terms: BTreeMap::new() }
    }

    /// Adds a multiple of another function.
    pub fn add(&mut self, other: &Affine, factor: &BigInt) {
        self.constant += &other.constant * factor;
        for (&column, coefficient) in &other.terms {
            let sum = self.terms.entry(column).or_default();
            *sum += coefficient * factor;
            if sum.is_zero() {
                self.terms.remove(&column);
            }
        }
    }
}

/// A program: maximize the objective where all columns and all rows are at least 0. All constants of rows are at least 0.
#[derive(Clone, Debug)]
pub struct LinearProgram {
    pub columns: usize,
    pub rows: Vec<Affine>,
    pub objective: Affine,
}

/// A solution: the values of columns and rows, and the multipliers of their bounds.
#[derive(Clone, Debug)]
pub struct ProgramSolution {
    pub primal: Vec<BigRational>,
    pub dual: Vec<BigRational>,
}

impl LinearProgram {
    /// The number of entries of its dictionary.
    pub fn entries(&self) -> usize {
        self.rows.len() * self.columns
    }

    /// Solves the program by exact pivoting.
    pub fn solve_exactly(&self, limits: &Limits) -> Result<ProgramSolution, NoOptimum> {
        let line = |of: &Affine| {
            let mut line = vec![BigInt::zero(); self.columns + 1];
            line[0] = of.constant.clone();
            of.terms.iter().for_each(|(&column, entry)| line[column + 1] = entry.clone());
            line
        };
        let mut dictionary = Dictionary::new(self.rows.iter().map(line).collect(), line(&self.objective));
        dictionary.solve(limits)?;
        let over = |all: Vec<BigInt>| {
            all.into_iter().map(|n| BigRational::new(n, dictionary.denominator().clone())).collect()
        };
        Ok(ProgramSolution { primal: over(dictionary.primal()), dual: over(dictionary.dual()) })
    }

    /// Solves the program in floating point, then the equations of its basis exactly.
    pub fn solve_by_basis(&self, limits: &Limits) -> Result<ProgramSolution, NoOptimum> {
        // Rows and the objective are scaled by their largest entry, so that one tolerance fits all.
        let line = |of: &Affine| {
            let mut line = vec![0.0; self.columns + 1];
            let number = |n: &BigInt| n.to_f64().unwrap_or(f64::MAX);
            let most = of.terms.values().map(|n| number(n).abs()).fold(number(&of.constant).abs(), f64::max);
            let scale = if most > 0.0 { most } else { 1.0 };
            line[0] = number(&of.constant) / scale;
            of.terms.iter().for_each(|(&column, entry)| line[column + 1] = number(entry) / scale);
            line
        };
        // Many constants are 0. Small random ones instead keep the method from pivots without progress; the basis is
        // optimal for the true constants as well, unless they are nearly as small.
        let mut random = SplitMix::new(1);
        let mut perturbed = |of: &Affine| {
            let mut line = line(of);
            line[0] += PERTURBATION * (1.0 + random.word() as f64 / u64::MAX as f64);
            line
        };
        let rows = self.rows.iter().map(&mut perturbed).collect();
        let mut dictionary = Dictionary::new(rows, line(&self.objective));
        dictionary.solve(limits)?;
        let mut columns = vec![true; self.columns];
        let mut rows = Vec::new();
        for &variable in dictionary.nonbasic() {
            match variable.checked_sub(self.columns) {
                None => columns[variable] = false,
                Some(row) => rows.push(row),
            }
        }
        rows.sort_unstable();
        let columns: Vec<usize> = (0..self.columns).filter(|&column| columns[column]).collect();
        self.at_basis(&columns, &rows, limits)
    }

    /// Solves for the point where these rows are 0 and all columns but these are, and for its multipliers.
    fn at_basis(
        &self,
        columns: &[usize],
        rows: &[usize],
        limits: &Limits,
    ) -> Result<ProgramSolution, NoOptimum> {
        let place: BTreeMap<usize, usize> = columns.iter().enumerate().map(|(i, &c)| (c, i)).collect();
        let entries = |of: &Affine| -> Vec<(usize, BigInt)> {
            of.terms.iter().filter_map(|(c, n)| Some((*place.get(c)?, n.clone()))).collect()
        };
        let system = SparseSystem { rows: rows.iter().map(|&row| entries(&self.rows[row])).collect() };
        let right: Vec<BigInt> = rows.iter().map(|&row| -&self.rows[row].constant).collect();
        let free = |column: &usize| self.objective.terms.get(column).map_or(BigInt::zero(), |n| -n);
        let costs: Vec<BigInt> = columns.iter().map(free).collect();
        let solved = system.solve(&right, limits)?;
        let prices = system.transposed().solve(&costs, limits)?;
        let mut primal = vec![BigRational::zero(); self.columns + self.rows.len()];
        for (&column, value) in columns.iter().zip(solved) {
            primal[column] = value;
        }
        for (row, of) in self.rows.iter().enumerate() {
            let terms = of.terms.iter().map(|(&column, n)| &primal[column] * n);
            let sum: BigRational = terms.sum();
            primal[self.columns + row] = sum + &of.constant;
        }
        let mut dual = vec![BigRational::zero(); self.columns + self.rows.len()];
        for (column, price) in dual.iter_mut().enumerate().take(self.columns) {
            *price = BigRational::from_integer(free(&column));
        }
        for (&row, price) in rows.iter().zip(prices) {
            for (&column, n) in &self.rows[row].terms {
                dual[column] -= &price * n;
            }
            dual[self.columns + row] = price;
        }
        Ok(ProgramSolution { primal, dual })
    }
}

/// A square system of equations with whole coefficients.
struct SparseSystem {
    /// For each equation the unknowns with their coefficients.
    rows: Vec<Vec<(usize, BigInt)>>,
}

/// The prime for lifting: the largest below 2^31, so that products of two digits fit a word.
const PRIME: u64 = 2_147_483_647;
/// The maximal number of digits: beyond, the system counts as singular.
const MAX_DIGITS: usize = 20_000;

impl SparseSystem {
    fn transposed(&self) -> SparseSystem {
        let mut rows = vec![Vec::new(); self.rows.len()];
        for (i, row) in self.rows.iter().enumerate() {
            for (j, n) in row {
                rows[*j].push((i, n.clone()));
            }
        }
        SparseSystem { rows }
    }

    /// Solves the system for this right side.
    fn solve(&self, right: &[BigInt], limits: &Limits) -> Result<Vec<BigRational>, NoOptimum> {
        let inverse = self.inverse_modulo(limits)?;
        let prime = BigInt::from(PRIME);
        let residue = |n: &BigInt| n.mod_floor(&prime).to_u64().unwrap_or(0);
        let mut rest = right.to_vec();
        let mut digits: Vec<Vec<u64>> = Vec::new();
        let mut wanted = 8;
        loop {
            if let Some(hit) = limits.check() {
                return Err(NoOptimum::Limit(hit));
            }
            if rest.iter().all(Zero::is_zero) || digits.len() == wanted {
                if let Some(found) = reconstruct(&digits, right.len(), limits)? {
                    return Ok(found);
                }
                wanted *= 2;
                if wanted > MAX_DIGITS {
                    return Err(NoOptimum::Stalled);
                }
            }
            let residues: Vec<u64> = rest.iter().map(residue).collect();
            let digit: Vec<u64> = inverse
                .par_iter()
                .map(|row| {
                    let products = row.iter().zip(&residues).map(|(a, b)| a * b % PRIME);
                    products.fold(0, |sum, product| (sum + product) % PRIME)
                })
                .collect();
            for (left, row) in rest.iter_mut().zip(&self.rows) {
                for (j, n) in row {
                    *left -= n * digit[*j];
                }
                *left /= &prime;
            }
            digits.push(digit);
        }
    }

    /// The inverse of the matrix modulo the prime, by Gauss-Jordan elimination.
    fn inverse_modulo(&self, limits: &Limits) -> Result<Vec<Vec<u64>>, NoOptimum> {
        let size = self.rows.len();
        let prime = BigInt::from(PRIME);
        let mut lines: Vec<Vec<u64>> = vec![vec![0; 2 * size]; size];
        for (i, row) in self.rows.iter().enumerate() {
            for (j, n) in row {
                lines[i][*j] = n.mod_floor(&prime).to_u64().unwrap_or(0);
            }
            lines[i][size + i] = 1;
        }
        for column in 0..size {
            if let Some(hit) = limits.check() {
                return Err(NoOptimum::Limit(hit));
            }
            let pivot = (column..size).find(|&i| lines[i][column] != 0).ok_or(NoOptimum::Stalled)?;
            lines.swap(column, pivot);
            let factor = inverse(lines[column][column]);
            let mut line = std::mem::take(&mut lines[column]);
            line.iter_mut().for_each(|n| *n = *n * factor % PRIME);
            lines.par_iter_mut().filter(|other| other.get(column).is_some_and(|&n| n != 0)).for_each(
                |other| {
                    let factor = PRIME - other[column];
                    for (n, of) in other.iter_mut().zip(&line).filter(|(_, of)| **of != 0) {
                        *n = (*n + factor * of) % PRIME;
                    }
                },
            );
            lines[column] = line;
        }
        Ok(lines.into_iter().map(|line| line[size..].to_vec()).collect())
    }
}

/// The inverse of a number modulo the prime (Fermat).
fn inverse(number: u64) -> u64 {
    let (mut power, mut square, mut rest) = (1, number, PRIME - 2);
    while rest > 0 {
        if rest & 1 == 1 {
            power = power * square % PRIME;
        }
        square = square * square % PRIME;
        rest >>= 1;
    }
    power
}

/// Returns the fractions with these digits; `None` if there are too few digits to be sure of them.
fn reconstruct(
    digits: &[Vec<u64>],
    unknowns: usize,
    limits: &Limits,
) -> Result<Option<Vec<BigRational>>, NoOptimum> {
    let modulus = BigInt::from(PRIME).pow(digits.len() as u32);
    let mut common = BigInt::one();
    let mut found = Vec::with_capacity(unknowns);
    for unknown in 0..unknowns {
        if let Some(hit) = limits.check() {
            return Err(NoOptimum::Limit(hit));
        }
        let mut number = BigInt::zero();
        for digit in digits.iter().rev() {
            number = number * PRIME + digit[unknown];
        }
        // Most denominators divide those before them.
        let Some(fraction) = fraction(&(number * &common).mod_floor(&modulus), &modulus) else {
            return Ok(None);
        };
        let value = fraction / BigRational::from_integer(common.clone());
        common = common.lcm(value.denom());
        found.push(value);
    }
    Ok(Some(found))
}

/// The digits, as bits, by which a modulus must exceed numerator and denominator together to be sure of a fraction.
const SPARE_BITS: u64 = 40;

/// Returns the fraction of small numerator and denominator with this residue, by Euclid's algorithm.
fn fraction(residue: &BigInt, modulus: &BigInt) -> Option<BigRational> {
    let half = modulus.bits() / 2;
    let (mut before, mut now) = (modulus.clone(), residue.clone());
    let (mut cofactor_before, mut cofactor) = (BigInt::zero(), BigInt::one());
    while now.bits() > half {
        let (quotient, rest) = before.div_rem(&now);
        (before, now) = (now, rest);
        let next = cofactor_before - &quotient * &cofactor;
        (cofactor_before, cofactor) = (cofactor, next);
    }
    let sure = now.bits() + cofactor.bits() + SPARE_BITS <= modulus.bits();
    if !sure || cofactor.is_zero() {
        return None;
    }
    let sign = if cofactor.is_negative() { BigInt::from(-1) } else { BigInt::one() };
    Some(BigRational::new(now * &sign, cofactor * sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_exactly() {
        let mut random = SplitMix::new(1);
        let size = 12;
        let mut entry = || BigInt::from((random.word() % 200) as i64 - 100);
        let rows: Vec<Vec<(usize, BigInt)>> =
            (0..size).map(|_| (0..size).map(|j| (j, entry())).collect()).collect();
        let right: Vec<BigInt> = (0..size).map(|_| entry()).collect();
        let system = SparseSystem { rows: rows.clone() };
        let found = system.solve(&right, &Limits::default()).expect("a regular system");
        for (row, wanted) in rows.iter().zip(right) {
            let sum: BigRational = row.iter().map(|(j, n)| &found[*j] * n).sum();
            assert_eq!(sum, BigRational::from_integer(wanted));
        }
        let singular = SparseSystem { rows: vec![vec![(0, BigInt::one())], vec![(0, BigInt::one())]] };
        let right = [BigInt::one(), BigInt::one()];
        assert_eq!(singular.solve(&right, &Limits::default()), Err(NoOptimum::Stalled));
    }

    #[test]
    fn both_ways_to_solve_a_program_agree() {
        let mut random = SplitMix::new(2);
        for _ in 0..10 {
            let mut affine = |constant: i64| {
                let terms = (0..6).map(|column| (column, BigInt::from((random.word() % 9) as i64 - 7)));
                Affine { constant: constant.into(), terms: terms.collect() }
            };
            let rows: Vec<Affine> = (1..8).map(&mut affine).collect();
            let mut objective = affine(0);
            objective.terms.values_mut().for_each(|n| *n = -&*n);
            let program = LinearProgram { columns: 6, rows, objective };
            let (exact, by_basis) =
                (program.solve_exactly(&Limits::default()), program.solve_by_basis(&Limits::default()));
            let (Ok(exact), Ok(by_basis)) = (exact, by_basis) else { continue };
            let worth = |of: &ProgramSolution| -> BigRational {
                program.objective.terms.iter().map(|(&c, n)| &of.primal[c] * n).sum()
            };
            assert_eq!(worth(&exact), worth(&by_basis));
            assert!(by_basis.primal.iter().chain(&by_basis.dual).all(|n| !n.is_negative()));
        }
    }
}
