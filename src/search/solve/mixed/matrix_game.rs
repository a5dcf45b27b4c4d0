//! Zero-sum matrix games: the value and an optimal mixed strategy of each player.
//!
//! Technique: the linear program of the column player, solved by exact pivoting; its multipliers are the strategy of the
//! row player. Games with more rows or columns are solved by a basis from floating point, exactly; if the probabilities are
//! long fractions, they are rounded, and the two guarantees of the rounded strategies are computed exactly.
//! Source: von Neumann (1928) for the value; Dantzig (1951) and Gale, Kuhn, Tucker (1951) for the linear program.
//! Cost: rows times columns for each pivot, and usually at most as many pivots as rows and columns.
//! Invariant: the row player's strategy gives him at least `low` against every column, the column player's at most
//! `high` against every row: the value lies between them, however the strategies were found.
//! Not taken: fictitious play (Brown 1951), which needs very many rounds for a few digits.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::dictionary::{Dictionary, NoOptimum};
use super::numbers::{common_denominator, float, probabilities};
use super::program::{Affine, LinearProgram};
use bouton_base::limits::{LimitHit, Limits};

/// The payoffs of the row player, by rows.
pub type Matrix = Vec<Vec<BigRational>>;

/// The maximal number of rows and of columns for exact pivoting.
const MAX_EXACT_SIDE: usize = 60;
/// The maximal number of entries of larger matrices that are solved exactly.
const MAX_BASIS_ENTRIES: usize = 250_000;
/// The maximal number of bits of their value, above and below the line.
const MAX_VALUE_BITS: u64 = 128;
/// The denominator of strategies rounded from floating point.
const ROUNDED_DENOMINATOR: u64 = 1 << 40;

/// A solution of a matrix game.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixSolution {
    /// The probability of each row.
    pub rows: Vec<BigRational>,
    /// The probability of each column.
    pub columns: Vec<BigRational>,
    /// The payoff that the row player's strategy guarantees.
    pub low: BigRational,
    /// The payoff to which the column player's strategy limits the row player.
    pub high: BigRational,
}

impl MatrixSolution {
    /// The value, if both guarantees meet.
    pub fn value(&self) -> Option<&BigRational> {
        (self.low == self.high).then_some(&self.low)
    }
}

/// Solves a matrix game with at least one row and one column, in which all rows have the same length.
pub fn solve(matrix: &Matrix, limits: &Limits) -> Result<MatrixSolution, LimitHit> {
    let columns = matrix.first().map_or(0, Vec::len);
    if let Some(pure) = saddle_point(matrix) {
        return Ok(pure);
    }
    let strategies = if matrix.len().max(columns) <= MAX_EXACT_SIDE {
        let program = exact_program(matrix);
        optimum(program, limits)?.map(|program| exact_strategies(&program, matrix.len(), columns))
    } else if let Some(found) = by_basis(matrix, limits)? {
        return Ok(found);
    } else {
        let floats: Vec<Vec<f64>> = matrix.iter().map(|line| line.iter().map(float).collect()).collect();
        let program = rounded_program(&floats);
        optimum(program, limits)?.map(|program| rounded_strategies(&program, matrix.len(), columns))
    };
    let (rows, columns) = strategies.unwrap_or_else(|| (uniform(matrix.len()), uniform(columns)));
    Ok(guarantees(matrix, rows, columns))
}

/// Solves a large game by a basis from floating point; `None` if that does not give its value as a short fraction.
fn by_basis(matrix: &Matrix, limits: &Limits) -> Result<Option<MatrixSolution>, LimitHit> {
    let columns = matrix[0].len();
    if matrix.len() * columns > MAX_BASIS_ENTRIES {
        return Ok(None);
    }
    let whole = WholePayoffs::of(matrix);
    let row = |line: &Vec<BigRational>| Affine {
        constant: BigInt::one(),
        terms: line.iter().map(|payoff| -whole.payoff(payoff)).enumerate().collect(),
    };
    let objective = Affine {
        constant: BigInt::zero(),
        terms: (0..columns).map(|column| (column, BigInt::one())).collect(),
    };
    let program = LinearProgram { columns, rows: matrix.iter().map(row).collect(), objective };
    let solution = match program.solve_by_basis(limits) {
        Ok(solution) => solution,
        Err(NoOptimum::Limit(hit)) => return Err(hit),
        Err(NoOptimum::Unbounded | NoOptimum::Stalled) => return Ok(None),
    };
    let (weights, prices) = (&solution.primal[..columns], &solution.dual[columns..]);
    let total: BigRational = weights.iter().sum();
    if total.numer().bits().max(total.denom().bits()) > MAX_VALUE_BITS
        || weights.iter().chain(prices).any(|weight| weight.is_negative())
        || prices.iter().sum::<BigRational>() != total
        || total.is_zero()
    {
        return Ok(None);
    }
    let shares = |weights: &[BigRational]| weights.iter().map(|weight| weight / &total).collect();
    let found = guarantees(matrix, shares(prices), shares(weights));
    Ok(found.value().is_some().then_some(found))
}

/// Solves a program; `None` if rounding errors kept it from its end.
fn optimum<E: super::dictionary::Entry>(
    mut program: Dictionary<E>,
    limits: &Limits,
) -> Result<Option<Dictionary<E>>, LimitHit> {
    match program.solve(limits) {
        Ok(()) => Ok(Some(program)),
        Err(NoOptimum::Limit(hit)) => Err(hit),
        Err(NoOptimum::Unbounded | NoOptimum::Stalled) => Ok(None),
    }
}

/// Computes the exact guarantees of two strategies.
pub fn guarantees(matrix: &Matrix, rows: Vec<BigRational>, columns: Vec<BigRational>) -> MatrixSolution {
    let mut against_columns = vec![BigRational::zero(); columns.len()];
    let mut against_rows = vec![BigRational::zero(); rows.len()];
    for (i, line) in matrix.iter().enumerate() {
        for (j, payoff) in line.iter().enumerate() {
            if !rows[i].is_zero() {
                against_columns[j] += payoff * &rows[i];
            }
            if !columns[j].is_zero() {
                against_rows[i] += payoff * &columns[j];
            }
        }
    }
    let low = against_columns.into_iter().min().unwrap_or_default();
    let high = against_rows.into_iter().max().unwrap_or_default();
    MatrixSolution { rows, columns, low, high }
}

fn uniform(count: usize) -> Vec<BigRational> {
    let share = BigRational::new(BigInt::one(), BigInt::from(count.max(1)));
    vec![share; count]
}

/// Returns a solution in pure strategies, if there is one: the best row and column for certain.
fn saddle_point(matrix: &Matrix) -> Option<MatrixSolution> {
    let columns = matrix.first()?.len();
    let worst = |i: usize| matrix[i].iter().min();
    let best = |j: usize| matrix.iter().map(|line| &line[j]).max();
    let row = (0..matrix.len()).rev().max_by_key(|&i| worst(i))?;
    let column = (0..columns).min_by_key(|&j| best(j))?;
    let (low, high) = (worst(row)?, best(column)?);
    let pure = |chosen: usize, count: usize| {
        (0..count).map(|i| if i == chosen { BigRational::one() } else { BigRational::zero() }).collect()
    };
    (low == high).then(|| MatrixSolution {
        rows: pure(row, matrix.len()),
        columns: pure(column, columns),
        low: low.clone(),
        high: high.clone(),
    })
}

/// Makes payoffs whole and positive.
struct WholePayoffs {
    least: BigRational,
    scale: BigRational,
}

impl WholePayoffs {
    fn of(matrix: &Matrix) -> WholePayoffs {
        WholePayoffs {
            least: matrix.iter().flatten().min().cloned().unwrap_or_default(),
            scale: BigRational::from_integer(common_denominator(matrix.iter().flatten())),
        }
    }

    fn payoff(&self, payoff: &BigRational) -> BigInt {
        ((payoff - &self.least) * &self.scale).to_integer() + 1u32
    }
}

/// The program of the column player over payoffs made whole and positive: maximize the sum of weights by which no row
/// gets more than 1. The value is one over that sum, and the weights over the sum are his strategy.
fn exact_program(matrix: &Matrix) -> Dictionary<BigInt> {
    let whole = WholePayoffs::of(matrix);
    let row = |line: &Vec<BigRational>| {
        [BigInt::one()].into_iter().chain(line.iter().map(|payoff| -whole.payoff(payoff))).collect()
    };
    let columns = matrix.first().map_or(0, Vec::len);
    let objective = [BigInt::zero()].into_iter().chain(vec![BigInt::one(); columns]).collect();
    Dictionary::new(matrix.iter().map(row).collect(), objective)
}

fn exact_strategies(
    program: &Dictionary<BigInt>,
    rows: usize,
    columns: usize,
) -> (Vec<BigRational>, Vec<BigRational>) {
    let total = program.optimum();
    let shares = |weights: &[BigInt]| {
        weights.iter().map(|weight| BigRational::new(weight.clone(), total.clone())).collect()
    };
    let (primal, dual) = (program.primal(), program.dual());
    (shares(&dual[columns..columns + rows]), shares(&primal[..columns]))
}

/// Returns the approximate value of a matrix game in floating point; `None` if a limit is reached, or rounding errors kept
/// the program from its end.
pub fn approximate_value(matrix: &[Vec<f64>], limits: &Limits) -> Option<f64> {
    let (least, most) = float_range(matrix);
    let (lows, columns) =
        (matrix.iter().map(|line| line.iter().copied().fold(most, f64::min)), matrix[0].len());
    let highs = (0..columns).map(|j| matrix.iter().map(|line| line[j]).fold(least, f64::max));
    let (low, high) = (lows.fold(least, f64::max), highs.fold(most, f64::min));
    if low >= high {
        return Some(low);
    }
    let program = optimum(rounded_program(matrix), limits).ok()??;
    Some(least + (1.0 / program.optimum() - 1.0) * (most - least))
}

fn float_range(matrix: &[Vec<f64>]) -> (f64, f64) {
    let all = || matrix.iter().flatten().copied();
    (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
}

/// The same program in floating point, over payoffs between 1 and 2.
fn rounded_program(matrix: &[Vec<f64>]) -> Dictionary<f64> {
    let (least, most) = float_range(matrix);
    let row = |line: &Vec<f64>| {
        let scaled = |payoff: &f64| -1.0 - (payoff - least) / (most - least);
        [1.0].into_iter().chain(line.iter().map(scaled)).collect()
    };
    let columns = matrix.first().map_or(0, Vec::len);
    let objective = [0.0].into_iter().chain(vec![1.0; columns]).collect();
    Dictionary::new(matrix.iter().map(row).collect(), objective)
}

fn rounded_strategies(
    program: &Dictionary<f64>,
    rows: usize,
    columns: usize,
) -> (Vec<BigRational>, Vec<BigRational>) {
    let positive = |weights: &[f64]| {
        let weights: Vec<f64> = weights.iter().map(|weight| weight.max(0.0)).collect();
        probabilities(&weights, ROUNDED_DENOMINATOR)
    };
    let (primal, dual) = (program.primal(), program.dual());
    (positive(&dual[columns..columns + rows]), positive(&primal[..columns]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::random::SplitMix;

    fn matrix(rows: &[&[i64]]) -> Matrix {
        let line = |row: &&[i64]| row.iter().map(|&n| BigRational::from_integer(n.into())).collect();
        rows.iter().map(line).collect()
    }

    fn ratio(above: i64, below: i64) -> BigRational {
        BigRational::new(above.into(), below.into())
    }

    fn solved(rows: &[&[i64]]) -> MatrixSolution {
        solve(&matrix(rows), &Limits::default()).expect("no limit")
    }

    #[test]
    fn small_games_have_their_values() {
        let pennies = solved(&[&[1, -1], &[-1, 1]]);
        assert_eq!((pennies.value(), &pennies.rows), (Some(&ratio(0, 1)), &vec![ratio(1, 2); 2]));
        let scissors = solved(&[&[0, -1, 1], &[1, 0, -1], &[-1, 1, 0]]);
        assert_eq!((scissors.value(), &scissors.columns), (Some(&ratio(0, 1)), &vec![ratio(1, 3); 3]));
        // Two-finger Morra: each shows one or two fingers and guesses the other's.
        let morra = solved(&[&[0, 2, -3, 0], &[-2, 0, 0, 3], &[3, 0, 0, -4], &[0, -3, 4, 0]]);
        assert_eq!(morra.value(), Some(&ratio(0, 1)));
        let saddle = solved(&[&[3, 5], &[1, 9]]);
        assert_eq!((saddle.value(), &saddle.rows), (Some(&ratio(3, 1)), &vec![ratio(1, 1), ratio(0, 1)]));
        let mixed = solved(&[&[2, -1, 6], &[0, 1, -1], &[-2, 2, 1]]);
        assert_eq!(mixed.value(), Some(&ratio(1, 2)));
    }

    #[test]
    fn random_games_are_solved_exactly() {
        let mut random = SplitMix::new(7);
        for size in [(1, 5), (5, 1), (3, 7), (12, 12), (20, 9)] {
            let mut line = || (0..size.1).map(|_| ratio((random.word() % 41) as i64 - 20, 3)).collect();
            let game: Matrix = (0..size.0).map(|_| line()).collect();
            let found = solve(&game, &Limits::default()).expect("no limit");
            assert!(found.value().is_some(), "{size:?}");
            assert_eq!(found.rows.iter().sum::<BigRational>(), ratio(1, 1));
            let floats: Vec<Vec<f64>> = game.iter().map(|line| line.iter().map(float).collect()).collect();
            let near = approximate_value(&floats, &Limits::default()).expect("a value");
            assert!((near - float(&found.low)).abs() < 1e-12, "{size:?}");
        }
    }

    #[test]
    fn a_large_game_is_enclosed() {
        let mut random = SplitMix::new(11);
        let mut line = || (0..70).map(|_| ratio((random.word() % 2001) as i64 - 1000, 1)).collect();
        let game: Matrix = (0..61).map(|_| line()).collect();
        let found = solve(&game, &Limits::default()).expect("no limit");
        assert!(found.low <= found.high && &found.high - &found.low < ratio(1, 1_000_000));
    }

    /// Colonel Blotto: six soldiers against six on four fields, a point for each field with more.
    #[test]
    fn a_large_game_with_a_short_value_is_solved_exactly() {
        let mut ways: Vec<[i64; 4]> = Vec::new();
        for at in 0..7i64.pow(3) {
            let [a, b, c] = [at / 49, at / 7 % 7, at % 7];
            if a + b + c <= 6 {
                ways.push([a, b, c, 6 - a - b - c]);
            }
        }
        let payoff = |ours: &[i64; 4], theirs: &[i64; 4]| {
            ratio(ours.iter().zip(theirs).map(|(a, b)| (a - b).signum()).sum(), 1)
        };
        let game: Matrix =
            ways.iter().map(|ours| ways.iter().map(|theirs| payoff(ours, theirs)).collect()).collect();
        assert_eq!(game.len(), 84);
        let found = solve(&game, &Limits::default()).expect("no limit");
        assert_eq!(found.value(), Some(&ratio(0, 1)));
    }
}
