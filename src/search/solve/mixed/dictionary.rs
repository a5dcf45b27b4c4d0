//! Linear programs in dictionary form, and the simplex method on them.
//!
//! Technique: the simplex method. Exact dictionaries have whole entries over one common denominator, the last pivot, so
//! that each division leaves no remainder and no fraction is ever reduced.
//! Source: Dantzig (1947); Chvatal (1983) for dictionaries; Edmonds (1967) and Bareiss (1968) for integer pivoting;
//! Bland (1977) for the rule that ends cycles. Lemke (1965) for complementary pivots; Dantzig, Orden, Wolfe (1955) for
//! the lexicographic rule that ends cycles there.
//! Cost: rows times columns for each pivot; entries are determinants of submatrices, so their length grows with the
//! number of pivots, at most.
//! Invariant: every constant is at least 0, so the point where all columns are 0 is feasible.
//! Not taken: sparse revised simplex, interior points (their results are no vertices).

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use bouton_base::limits::{LimitHit, Limits};

/// A number of a dictionary.
pub trait Entry: Clone {
    /// True if the arithmetic has no rounding errors.
    const EXACT: bool;
    /// The number 0.
    fn nothing() -> Self;
    /// The common denominator of the first dictionary.
    fn unit() -> Self;
    /// The sign; numbers within the error of the arithmetic are 0.
    fn sign(&self) -> Ordering;
    /// The number with the other sign.
    fn negated(&self) -> Self;
    /// Compares `a / b` with `c / d`, where b and d are positive.
    fn compare_ratios(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;
    /// Returns true if the first number is less.
    fn is_less(&self, other: &Self) -> bool;
    /// An entry of the pivot row, or one of the pivot column with the other sign, after the pivot.
    fn pivoted(self, pivot: &Self) -> Self;
    /// Any other entry after the pivot: `(entry * pivot + factor * of_row) / denominator`, in exact dictionaries.
    fn eliminated(entry: &Self, factor: &Self, of_row: &Self, step: &PivotStep<Self>) -> Self;
    /// The denominator after a pivot.
    fn next_denominator(pivot: &Self) -> Self;
}

/// The numbers of a pivot: the pivot entry, made positive, and the common denominator before it.
pub struct PivotStep<E> {
    pivot: E,
    denominator: E,
}

impl Entry for BigInt {
    const EXACT: bool = true;

    fn nothing() -> Self {
        BigInt::zero()
    }
    fn unit() -> Self {
        BigInt::one()
    }
    fn sign(&self) -> Ordering {
        self.cmp(&BigInt::zero())
    }
    fn negated(&self) -> Self {
        -self
    }
    fn compare_ratios(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (a * d).cmp(&(c * b))
    }
    fn is_less(&self, other: &Self) -> bool {
        self < other
    }
    fn pivoted(self, _pivot: &Self) -> Self {
        self
    }
    fn eliminated(entry: &Self, factor: &Self, of_row: &Self, step: &PivotStep<Self>) -> Self {
        let product = if of_row.is_zero() { BigInt::zero() } else { factor * of_row };
        let sum = if entry.is_zero() { product } else { entry * &step.pivot + product };
        if step.denominator.is_one() { sum } else { sum / &step.denominator }
    }
    fn next_denominator(pivot: &Self) -> Self {
        pivot.clone()
    }
}

/// Numbers of a floating-point dictionary below this are 0.
const ROUNDING_ERROR: f64 = 1e-11;

impl Entry for f64 {
    const EXACT: bool = false;

    fn nothing() -> Self {
        0.0
    }
    fn unit() -> Self {
        1.0
    }
    fn sign(&self) -> Ordering {
        if self.abs() < ROUNDING_ERROR { Ordering::Equal } else { self.total_cmp(&0.0) }
    }
    fn negated(&self) -> Self {
        -self
    }
    fn compare_ratios(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (a / b).total_cmp(&(c / d))
    }
    fn is_less(&self, other: &Self) -> bool {
        self < other
    }
    fn pivoted(self, pivot: &Self) -> Self {
        self / pivot
    }
    fn eliminated(entry: &Self, factor: &Self, of_row: &Self, step: &PivotStep<Self>) -> Self {
        let new = entry + factor * of_row / step.pivot;
        if new.abs() < ROUNDING_ERROR / 100.0 { 0.0 } else { new }
    }
    fn next_denominator(_pivot: &Self) -> Self {
        1.0
    }
}

/// A linear program: maximize the objective, where every variable is at least 0.
#[derive(Clone, Debug)]
pub struct Dictionary<E> {
    /// For each row, the constant and then the coefficients of the columns: the row's variable is their sum over the
    /// common denominator.
    rows: Vec<Vec<E>>,
    /// The objective, in the same form.
    objective: Vec<E>,
    denominator: E,
    /// The variable of each row.
    basic: Vec<usize>,
    /// The variable of each column.
    nonbasic: Vec<usize>,
}

/// The reason why a program has no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoOptimum {
    /// The objective has no bound.
    Unbounded,
    /// A limit was reached first.
    Limit(LimitHit),
    /// Rounding errors kept the method from its end.
    Stalled,
}

/// The number of pivots in a row without progress after which the rule that ends cycles takes over.
const MAX_DEGENERATE_PIVOTS: usize = 40;
/// The number of pivots, for each row and column, after which floating point counts as stalled.
const MAX_PIVOTS_PER_LINE: usize = 60;

impl<E: Entry> Dictionary<E> {
    /// Makes a program. Each row is a constant, which must not be negative, and the coefficients of the columns; the
    /// variables of the columns are numbered from 0 on, those of the rows after them.
    pub fn new(rows: Vec<Vec<E>>, objective: Vec<E>) -> Dictionary<E> {
        let columns = objective.len().saturating_sub(1);
        let basic = (columns..columns + rows.len()).collect();
        Dictionary { rows, objective, denominator: E::unit(), basic, nonbasic: (0..columns).collect() }
    }

    /// Maximizes the objective.
    pub fn solve(&mut self, limits: &Limits) -> Result<(), NoOptimum> {
        let mut degenerate = 0;
        let mut pivots = 0;
        let most = MAX_PIVOTS_PER_LINE * (self.rows.len() + self.nonbasic.len() + 1);
        while let Some(column) = self.entering(degenerate > MAX_DEGENERATE_PIVOTS) {
            let Some(row) = self.leaving(column) else { return Err(NoOptimum::Unbounded) };
            let stays = self.rows[row][0].sign() == Ordering::Equal;
            degenerate = if stays { degenerate + 1 } else { 0 };
            self.pivot(row, column);
            pivots += 1;
            if let Some(hit) = limits.check() {
                return Err(NoOptimum::Limit(hit));
            }
            // Exact pivoting with the rule against cycles always ends.
            if pivots > most && !E::EXACT {
                return Err(NoOptimum::Stalled);
            }
        }
        Ok(())
    }

    /// Selects the column with the largest coefficient in the objective, or the positive one of the first variable.
    fn entering(&self, first: bool) -> Option<usize> {
        let positive = (1..self.objective.len()).filter(|&j| self.objective[j].sign() == Ordering::Greater);
        if first {
            return positive.min_by_key(|&j| self.nonbasic[j - 1]);
        }
        positive.reduce(|best, j| if self.objective[best].is_less(&self.objective[j]) { j } else { best })
    }

    /// Selects the row that bounds the column's variable first; of several, that of the first variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, E)> = None;
        for (row, entries) in self.rows.iter().enumerate() {
            if entries[column].sign() != Ordering::Less {
                continue;
            }
            let slope = entries[column].negated();
            let before = match &best {
                None => true,
                Some((other, their)) => {
                    match E::compare_ratios(&entries[0], &slope, &self.rows[*other][0], their) {
                        Ordering::Less => true,
                        Ordering::Equal => self.basic[row] < self.basic[*other],
                        Ordering::Greater => false,
                    }
                }
            };
            if before {
                best = Some((row, slope));
            }
        }
        best.map(|(row, _)| row)
    }

    /// Follows a path of complementary pivots: the variable `start` enters, and after each pivot the complement of the
    /// variable that left. Returns true as soon as the variable `end` leaves, which is then 0, and false if the path
    /// ends elsewhere: at a ray, or where `start` leaves.
    ///
    /// Numbers are compared as if the variables of `small` were greater than they are: each by a positive number that is as
    /// small as one likes against those before it. Variables of columns among them stay there.
    pub fn follow_complements(
        &mut self,
        start: usize,
        end: usize,
        complement: impl Fn(usize) -> usize,
        small: &[usize],
        limits: &Limits,
    ) -> Result<bool, LimitHit> {
        let mut entering = start;
        loop {
            let Some(column) = self.nonbasic.iter().position(|&variable| variable == entering) else {
                return Ok(false);
            };
            let Some(row) = self.leaving_lexicographically(column + 1, small) else { return Ok(false) };
            let leaving = self.basic[row];
            if let Some(hit) = limits.check() {
                return Err(hit);
            }
            self.pivot(row, column + 1);
            if leaving == end || leaving == start {
                return Ok(leaving == end);
            }
            entering = complement(leaving);
        }
    }

    /// Returns true if no row is negative where all columns are 0, but for the small numbers of these variables.
    pub fn is_feasible(&self, small: &[usize]) -> bool {
        let places = self.places();
        (0..self.rows.len()).all(|row| {
            let parts = small.iter().map(|&variable| self.small_part(row, variable, places[variable]));
            let signs = [self.rows[row][0].sign()].into_iter().chain(parts.map(|part| part.sign()));
            signs.into_iter().find(|sign| *sign != Ordering::Equal) != Some(Ordering::Less)
        })
    }

    /// Selects the row that bounds the column's variable first, where the variables of `small` are greater by small
    /// numbers.
    fn leaving_lexicographically(&self, column: usize, small: &[usize]) -> Option<usize> {
        let slope = |row: usize| self.rows[row][column].negated();
        let falls = |&row: &usize| self.rows[row][column].sign() == Ordering::Less;
        let mut tied =
            self.least((0..self.rows.len()).filter(falls), &slope, &|row| self.rows[row][0].clone());
        if tied.len() > 1 {
            let places = self.places();
            for &variable in small {
                if tied.len() <= 1 {
                    break;
                }
                let part = |row: usize| self.small_part(row, variable, places[variable]);
                tied = self.least(tied.into_iter(), &slope, &part);
            }
        }
        tied.first().copied()
    }

    /// The rows with the least ratio of their number to their slope.
    fn least(
        &self,
        rows: impl Iterator<Item = usize>,
        slope: &dyn Fn(usize) -> E,
        number: &dyn Fn(usize) -> E,
    ) -> Vec<usize> {
        let mut least: Vec<usize> = Vec::new();
        for row in rows {
            let order = least.first().map_or(Ordering::Less, |&best| {
                E::compare_ratios(&number(row), &slope(row), &number(best), &slope(best))
            });
            if order == Ordering::Less {
                least.clear();
            }
            if order != Ordering::Greater {
                least.push(row);
            }
        }
        least
    }

    /// For each variable its column, if it has one.
    fn places(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.nonbasic.len() + self.rows.len()];
        self.nonbasic.iter().enumerate().for_each(|(at, &variable)| places[variable] = Some(at + 1));
        places
    }

    /// The part of a row's variable that comes from the small number of another variable, in whose column it may stand,
    /// times the common denominator. Variables of the first columns add it to what the row is a function of; those of the
    /// first rows have it as a part of their own.
    fn small_part(&self, row: usize, variable: usize, column: Option<usize>) -> E {
        match column {
            Some(column) if variable < self.nonbasic.len() => self.rows[row][column].clone(),
            Some(column) => self.rows[row][column].negated(),
            None if self.basic[row] == variable => self.denominator.clone(),
            None => E::nothing(),
        }
    }

    /// For each variable its value and the parts from the small numbers of others, in this order, times the common
    /// denominator. The small numbers of columns are no part of those themselves.
    pub fn parts(&self, small: &[usize]) -> Vec<Vec<E>> {
        let places = self.places();
        let mut parts = vec![vec![E::nothing(); small.len() + 1]; places.len()];
        for (row, &variable) in self.basic.iter().enumerate() {
            let of = small.iter().map(|&other| self.small_part(row, other, places[other]));
            parts[variable] = [self.rows[row][0].clone()].into_iter().chain(of).collect();
        }
        parts
    }

    /// Returns the rows that bound the variable of a column first, all of them.
    pub fn blocking_rows(&self, column: usize) -> Vec<usize> {
        let Some(first) = self.leaving(column) else { return Vec::new() };
        let slope = |row: usize| self.rows[row][column].negated();
        let same = |&row: &usize| {
            self.rows[row][column].sign() == Ordering::Less
                && E::compare_ratios(&self.rows[row][0], &slope(row), &self.rows[first][0], &slope(first))
                    == Ordering::Equal
        };
        (0..self.rows.len()).filter(same).collect()
    }

    /// The number of columns; the first is 1.
    pub fn columns(&self) -> usize {
        self.nonbasic.len()
    }

    /// The variables of the columns.
    pub fn nonbasic(&self) -> &[usize] {
        &self.nonbasic
    }

    /// The variables of the columns after a pivot.
    pub fn nonbasic_after(&self, row: usize, column: usize) -> Vec<usize> {
        let mut after = self.nonbasic.clone();
        after[column - 1] = self.basic[row];
        after
    }

    /// Exchanges the variables of a row and a column.
    pub fn pivot(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column].negated();
        let step = PivotStep { pivot, denominator: self.denominator.clone() };
        let leaving = std::mem::take(&mut self.rows[row]);
        // In floating point, entries without a product stay as they are.
        let touched = |&j: &usize| j != column && (E::EXACT || leaving[j].sign() != Ordering::Equal);
        let touched: Vec<usize> = (0..leaving.len()).filter(touched).collect();
        let others = self.rows.iter_mut().filter(|entries| !entries.is_empty());
        for entries in others.chain([&mut self.objective]) {
            if !E::EXACT && entries[column].sign() == Ordering::Equal {
                entries[column] = E::nothing();
                continue;
            }
            let factor = entries[column].clone();
            for &j in &touched {
                entries[j] = E::eliminated(&entries[j], &factor, &leaving[j], &step);
            }
            entries[column] = factor.negated().pivoted(&step.pivot);
        }
        let denominator = self.denominator.negated();
        let entries = leaving.into_iter().enumerate();
        self.rows[row] = entries
            .map(|(j, entry)| if j == column { denominator.clone() } else { entry }.pivoted(&step.pivot))
            .collect();
        self.denominator = E::next_denominator(&step.pivot);
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column - 1]);
    }

    /// The common denominator of all results.
    pub fn denominator(&self) -> &E {
        &self.denominator
    }

    /// The objective, times the common denominator.
    pub fn optimum(&self) -> &E {
        &self.objective[0]
    }

    /// The variables, times the common denominator, in the order of [`Dictionary::new`].
    pub fn primal(&self) -> Vec<E> {
        let mut values = vec![E::nothing(); self.basic.len() + self.nonbasic.len()];
        for (&variable, entries) in self.basic.iter().zip(&self.rows) {
            values[variable] = entries[0].clone();
        }
        values
    }

    /// The multipliers of the variables' bounds, times the common denominator: the loss of the objective for each unit
    /// by which a variable must be above 0.
    pub fn dual(&self) -> Vec<E> {
        let mut values = vec![E::nothing(); self.basic.len() + self.nonbasic.len()];
        for (&variable, entry) in self.nonbasic.iter().zip(&self.objective[1..]) {
            values[variable] = entry.negated();
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(rows: &[&[i64]], objective: &[i64]) -> Dictionary<BigInt> {
        let line = |line: &[i64]| line.iter().map(|&n| BigInt::from(n)).collect::<Vec<_>>();
        Dictionary::new(rows.iter().map(|row| line(row)).collect(), line(objective))
    }

    #[test]
    fn a_program_of_chvatal_is_solved_exactly() {
        // Maximize 5x + 4y + 3z; 2x + 3y + z <= 5, 4x + y + 2z <= 11, 3x + 4y + 2z <= 8: 13 at (2, 0, 1).
        let rows: [&[i64]; 3] = [&[5, -2, -3, -1], &[11, -4, -1, -2], &[8, -3, -4, -2]];
        let mut program = exact(&rows, &[0, 5, 4, 3]);
        program.solve(&Limits::default()).expect("an optimum");
        let over = program.denominator().clone();
        assert_eq!(program.optimum(), &(&over * 13));
        assert_eq!(program.primal()[..3], [&over * 2, BigInt::zero(), over.clone()]);
        assert_eq!(program.dual()[3..], [over.clone(), BigInt::zero(), over]);

        let line = |line: &[i64]| line.iter().map(|&n| n as f64).collect::<Vec<_>>();
        let mut rounded = Dictionary::new(rows.iter().map(|row| line(row)).collect(), line(&[0, 5, 4, 3]));
        rounded.solve(&Limits::default()).expect("an optimum");
        assert!((rounded.optimum() - 13.0).abs() < 1e-9);
    }

    #[test]
    fn a_program_on_which_the_largest_coefficient_cycles_ends() {
        // Chvatal (1983), page 31, times 2.
        let rows: [&[i64]; 3] = [&[0, -1, 11, 5, -18], &[0, -1, 3, 1, -2], &[2, -2, 0, 0, 0]];
        let mut program = exact(&rows, &[0, 10, -57, -9, -24]);
        program.solve(&Limits::default()).expect("an optimum");
        assert_eq!(program.optimum(), &(program.denominator() * 1));
    }

    #[test]
    fn a_path_of_complements_ends_at_an_equilibrium() {
        // Matching pennies: the first player wants the same side as the second. At first each expects heads and tails
        // alike from the other, with weights 1 and 1; plans have the weight 2u, and the expectation the rest.
        // Columns: the first player's tails, his loss by heads, the same of the second player, and u.
        let rows: [&[i64]; 5] = [
            &[0, -1, 0, 0, 0, 2], // the first player's heads
            &[0, 0, 1, -4, 0, 4], // his loss by tails
            &[0, 0, 0, -1, 0, 2], // the second player's heads
            &[0, 4, 0, 0, 1, -4], // his loss by tails
            &[1, 0, 0, 0, 0, -1], // the rest of the expectation
        ];
        let mut problem = exact(&rows, &[0; 6]);
        // An action is played only if it loses nothing.
        let complement = |variable: usize| [6, 5, 8, 7, 9, 1, 0, 3, 2, 4][variable];
        let small = [6, 8, 5, 7];
        assert_eq!(problem.follow_complements(4, 9, complement, &small, &Limits::default()), Ok(true));
        let over = problem.denominator().clone();
        let values = problem.primal();
        assert_eq!([&values[0], &values[2], &values[4]], [&over; 3], "both mix evenly");
        assert!(problem.parts(&small).iter().zip(&values).all(|(parts, value)| parts[0] == *value));
    }

    #[test]
    fn an_unbounded_program_and_a_limit_are_told_apart() {
        let mut program = exact(&[&[1, 1]], &[0, 1]);
        assert_eq!(program.solve(&Limits::default()), Err(NoOptimum::Unbounded));
        let limits = Limits::default();
        limits.cancel.cancel();
        let mut program = exact(&[&[1, -1]], &[0, 1]);
        assert_eq!(program.solve(&limits), Err(NoOptimum::Limit(LimitHit::Interrupted)));
    }
}
