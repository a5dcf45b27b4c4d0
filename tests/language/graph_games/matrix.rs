//! Matrix games and linear equations over fractions, by the plainest methods.

use bouton_base::rational::Rational;

/// Solves equations, one row each with the constant last, by elimination; `None` if there is no single solution.
pub fn solve_equations(mut rows: Vec<Vec<Rational>>) -> Option<Vec<Rational>> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).find(|&row| !rows[row][column].is_zero())?;
        rows.swap(column, pivot);
        let scale = rows[column][column].clone();
        rows[column].iter_mut().for_each(|entry| *entry = &*entry / &scale);
        let base = rows[column].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[column].clone();
            if number != column && !factor.is_zero() {
                row.iter_mut().zip(&base).for_each(|(entry, of)| *entry = &*entry - &(of * &factor));
            }
        }
    }
    Some(rows.into_iter().map(|row| row[size].clone()).collect())
}

/// Returns the value of a matrix game to the player who chooses the row, by the simplex method with Bland's rule.
pub fn value(payoffs: &[Vec<Rational>]) -> Rational {
    let least = payoffs.iter().flatten().min().expect("a matrix").clone();
    // All entries are positive: the second player chooses weights of columns, with sums of rows at most 1.
    let shift = Rational::ONE - &least;
    let (rows, columns) = (payoffs.len(), payoffs[0].len());
    let mut table: Vec<Vec<Rational>> =
        payoffs.iter().map(|row| row.iter().map(|of| of + &shift).collect()).collect();
    for (number, row) in table.iter_mut().enumerate() {
        row.extend((0..rows).map(|of| Rational::from_integer((of == number) as i64)));
        row.push(Rational::ONE);
    }
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    let mut gain: Vec<Rational> =
        (0..=columns + rows).map(|of| Rational::from_integer((of < columns) as i64)).collect();
    let last = columns + rows;
    while let Some(enter) = (0..last).find(|&of| gain[of].is_positive()) {
        let ratio = |row: usize| &table[row][last] / &table[row][enter];
        let leave = (0..rows)
            .filter(|&row| table[row][enter].is_positive())
            .min_by(|&a, &b| ratio(a).cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))
            .expect("weights are bounded");
        let scale = table[leave][enter].clone();
        table[leave].iter_mut().for_each(|entry| *entry = &*entry / &scale);
        let base = table[leave].clone();
        let others = table.iter_mut().enumerate().filter(|(row, _)| *row != leave).map(|(_, row)| row);
        for row in others.chain([&mut gain]) {
            let factor = row[enter].clone();
            row.iter_mut().zip(&base).for_each(|(entry, of)| *entry = &*entry - &(of * &factor));
        }
        basis[leave] = enter;
    }
    // The last entry is the negative total weight.
    Rational::ONE / -gain[last].clone() - shift
}

#[test]
fn small_matrices_have_their_values() {
    let of = |rows: &[&[i64]]| {
        let line = |row: &&[i64]| row.iter().map(|&n| Rational::from_integer(n)).collect();
        value(&rows.iter().map(line).collect::<Vec<Vec<Rational>>>())
    };
    assert_eq!(of(&[&[0, -1, 1], &[1, 0, -1], &[-1, 1, 0]]), Rational::default());
    assert_eq!(of(&[&[3, -1], &[-2, 4]]), Rational::new(1, 1));
    assert_eq!(of(&[&[5, 4], &[3, 2]]), Rational::from_integer(4));
    assert_eq!(of(&[&[-7]]), Rational::from_integer(-7));
    // A quarter of the time the first row: 0 and 2 against 3 and 1.
    assert_eq!(of(&[&[0, 3], &[2, 1]]), Rational::new(3, 2));
}
