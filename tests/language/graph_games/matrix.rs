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

/// Returns the payoffs of the equilibria of two matrices of payoffs in which both players mix equally many choices.
pub fn equilibria(first: &[Vec<Rational>], second: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
    let (rows, columns) = (first.len(), first[0].len());
    let subsets =
        |of: usize| (1u32..1 << of).map(move |set| (0..of).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>());
    let mut found = Vec::new();
    for own in subsets(rows) {
        for other in subsets(columns).filter(|other| other.len() == own.len()) {
            // The mixture over `own` that makes the choices of `other` equally good for the second player, and vice versa.
            let of_rows = indifferent(&own, &other, &|i, j| second[i][j].clone());
            let of_columns = indifferent(&other, &own, &|j, i| first[i][j].clone());
            let (Some((x, w)), Some((y, v))) = (of_rows, of_columns) else { continue };
            let gain =
                |i: usize| other.iter().zip(&y).map(|(&j, share)| &first[i][j] * share).sum::<Rational>();
            let reply =
                |j: usize| own.iter().zip(&x).map(|(&i, share)| &second[i][j] * share).sum::<Rational>();
            if (0..rows).all(|i| gain(i) <= v) && (0..columns).all(|j| reply(j) <= w) {
                found.push(vec![v, w]);
            }
        }
    }
    found
}

/// Returns the mixture over some choices for which these replies are equally good, with their worth, if it is one.
fn indifferent(
    own: &[usize],
    replies: &[usize],
    worth: &dyn Fn(usize, usize) -> Rational,
) -> Option<(Vec<Rational>, Rational)> {
    let mut rows: Vec<Vec<Rational>> = replies
        .iter()
        .map(|&j| own.iter().map(|&i| worth(i, j)).chain([-Rational::ONE, Rational::default()]).collect())
        .collect();
    let sum = own.iter().map(|_| Rational::ONE);
    rows.push(sum.chain([Rational::default(), Rational::ONE]).collect());
    let mut solution = solve_equations(rows)?;
    let value = solution.pop()?;
    solution.iter().all(|share| !share.is_negative()).then_some((solution, value))
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
    let matrix = |rows: [[i64; 2]; 2]| rows.map(|row| row.map(Rational::from_integer).to_vec()).to_vec();
    let mut found = equilibria(&matrix([[2, 0], [0, 1]]), &matrix([[1, 0], [0, 2]]));
    found.sort();
    let pair = |a, b| vec![Rational::from(a), Rational::from(b)];
    let mixed = vec![Rational::new(2, 3), Rational::new(2, 3)];
    assert_eq!(found, [mixed, pair(1, 2), pair(2, 1)]);
}
