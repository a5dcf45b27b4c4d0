//! Games of two players in matrix form with any payoffs: all equilibria, dominance and security levels.
//!
//! Technique: each player's best-response polytope is enumerated vertex by vertex, by exact pivots from one feasible
//! basis to its neighbours. Two vertices that together have every label are an extreme equilibrium; all equilibria are
//! the convex hulls of extreme ones that can be exchanged with each other (maximal Nash subsets).
//! Source: Mangasarian (1964) for extreme equilibria as pairs of vertices; Winkels (1979) and Jansen (1981) for the
//! subsets; Avis, Rosenberg, Savani, von Stengel (2010) for the method as a whole.
//! Cost: exponential in the number of strategies; a random game of 8 by 8 has some hundred vertices on each side.
//! Invariant: in a degenerate game, a vertex has several bases; all feasible ones are visited, and it counts once.
//! Not taken: support enumeration, which misses components of degenerate games; reverse search, which needs no memory
//! and visits bases again and again.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashSet;

use super::dictionary::Dictionary;
use super::matrix_game::{self, Matrix};
use super::numbers::common_denominator;
use bouton_base::limits::{LimitHit, Limits};

/// A game in matrix form: the payoffs of both players, by rows of the first.
#[derive(Clone, Debug)]
pub struct Bimatrix {
    pub first: Matrix,
    pub second: Matrix,
}

/// An extreme equilibrium: a mixed strategy of each player, with their payoffs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equilibrium {
    pub rows: Vec<BigRational>,
    pub columns: Vec<BigRational>,
    pub payoffs: [BigRational; 2],
}

/// A maximal set of equilibria in which the players' strategies can be exchanged: each mixture of these strategies of
/// the first player is in equilibrium with each mixture of those of the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NashSubset {
    /// The extreme strategies of the first player.
    pub rows: Vec<Vec<BigRational>>,
    /// The extreme strategies of the second player.
    pub columns: Vec<Vec<BigRational>>,
}

/// All equilibria of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equilibria {
    /// The extreme equilibria, in order of the strategies, the first pure strategies first.
    pub extreme: Vec<Equilibrium>,
    /// The connected components of the set of all equilibria, each as the union of maximal subsets.
    pub components: Vec<Vec<NashSubset>>,
}

/// A strategy that is dominated strictly, in the order of removal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dominated {
    /// The player: 0 or 1.
    pub player: u32,
    pub strategy: usize,
}

/// The maximal number of bases of one polytope.
const MAX_BASES: usize = 2_000_000;
/// The maximal number of maximal subsets of one component.
const MAX_SUBSETS: usize = 10_000;

impl Bimatrix {
    /// The number of rows and of columns.
    pub fn size(&self) -> (usize, usize) {
        (self.first.len(), self.first.first().map_or(0, Vec::len))
    }

    /// Computes all equilibria.
    pub fn equilibria(&self, limits: &Limits) -> Result<Equilibria, LimitHit> {
        let (rows, columns) = self.size();
        // Labels: rows first, then columns. The first player's strategy has the label of a row that it does not use,
        // and of a column that is a best response to it.
        let shift_rows: Vec<usize> = (0..rows).chain(rows..rows + columns).collect();
        let shift_columns: Vec<usize> = (rows..rows + columns).chain(0..rows).collect();
        let ours = vertices(&transposed(&self.second), &shift_rows, limits)?;
        let theirs = vertices(&self.first, &shift_columns, limits)?;
        let all = label_set(0..rows + columns, rows + columns);
        let mut pairs = Vec::new();
        for (i, x) in ours.iter().enumerate() {
            if let Some(hit) = limits.check() {
                return Err(hit);
            }
            for (j, y) in theirs.iter().enumerate() {
                if x.labels.iter().zip(&y.labels).zip(&all).all(|((x, y), all)| x | y == *all) {
                    pairs.push((i, j));
                }
            }
        }
        let extreme = pairs.iter().map(|&(i, j)| self.equilibrium(&ours[i].strategy, &theirs[j].strategy));
        let extreme = extreme.collect();
        let components = components(&pairs, limits)?.into_iter().map(|subsets| {
            let named = |(is, js): (Vec<usize>, Vec<usize>)| NashSubset {
                rows: is.iter().map(|&i| ours[i].strategy.clone()).collect(),
                columns: js.iter().map(|&j| theirs[j].strategy.clone()).collect(),
            };
            subsets.into_iter().map(named).collect()
        });
        Ok(Equilibria { extreme, components: components.collect() })
    }

    fn equilibrium(&self, rows: &[BigRational], columns: &[BigRational]) -> Equilibrium {
        let payoffs = [expected(&self.first, rows, columns), expected(&self.second, rows, columns)];
        Equilibrium { rows: rows.to_vec(), columns: columns.to_vec(), payoffs }
    }

    /// Removes strictly dominated strategies until none is left, and returns them in order. A strategy is dominated if
    /// some mixture of the others is better against everything that the other player has left. The order of removal
    /// does not change the rest.
    pub fn iterated_dominance(&self, limits: &Limits) -> Result<Vec<Dominated>, LimitHit> {
        let (rows, columns) = self.size();
        let (mut left_rows, mut left_columns): (Vec<usize>, Vec<usize>) =
            ((0..rows).collect(), (0..columns).collect());
        let mut removed = Vec::new();
        let second = transposed(&self.second);
        loop {
            let found = match dominated(&self.first, &left_rows, &left_columns, limits)? {
                Some(row) => Some((0, row)),
                None => dominated(&second, &left_columns, &left_rows, limits)?.map(|column| (1, column)),
            };
            let Some((player, strategy)) = found else { return Ok(removed) };
            let left = if player == 0 { &mut left_rows } else { &mut left_columns };
            left.retain(|&other| other != strategy);
            removed.push(Dominated { player, strategy });
        }
    }

    /// Returns the payoff that each player can guarantee himself whatever the other does, in mixed strategies; `None`
    /// where it was only enclosed.
    pub fn security_levels(&self, limits: &Limits) -> Result<[Option<BigRational>; 2], LimitHit> {
        let first = matrix_game::solve(&self.first, limits)?;
        let second = matrix_game::solve(&transposed(&self.second), limits)?;
        Ok([first.value().cloned(), second.value().cloned()])
    }

    /// Returns the pure outcomes, as row and column, that no other pure outcome improves for one player without being
    /// worse for the other.
    pub fn pareto_efficient(&self) -> Vec<(usize, usize)> {
        let (rows, columns) = self.size();
        let all = || (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let better = |(i, j): (usize, usize), (k, l): (usize, usize)| {
            let (a, b) = (&self.first[k][l] - &self.first[i][j], &self.second[k][l] - &self.second[i][j]);
            !(a.is_negative() || b.is_negative() || a.is_zero() && b.is_zero())
        };
        all().filter(|&cell| !all().any(|other| better(cell, other))).collect()
    }

    /// Returns true if this row is a best response to this column.
    pub fn is_best_row(&self, row: usize, column: usize) -> bool {
        self.first.iter().all(|line| line[column] <= self.first[row][column])
    }

    /// Returns true if this column is a best response to this row.
    pub fn is_best_column(&self, row: usize, column: usize) -> bool {
        self.second[row].iter().all(|payoff| *payoff <= self.second[row][column])
    }
}

fn transposed(matrix: &Matrix) -> Matrix {
    let columns = matrix.first().map_or(0, Vec::len);
    (0..columns).map(|j| matrix.iter().map(|line| line[j].clone()).collect()).collect()
}

fn expected(payoffs: &Matrix, rows: &[BigRational], columns: &[BigRational]) -> BigRational {
    let mut sum = BigRational::zero();
    for (line, x) in payoffs.iter().zip(rows).filter(|(_, x)| !x.is_zero()) {
        for (payoff, y) in line.iter().zip(columns).filter(|(_, y)| !y.is_zero()) {
            sum += payoff * x * y;
        }
    }
    sum
}

/// Returns a row that some mixture of the other rows strictly dominates.
fn dominated(
    payoffs: &Matrix,
    rows: &[usize],
    columns: &[usize],
    limits: &Limits,
) -> Result<Option<usize>, LimitHit> {
    if rows.len() < 2 {
        return Ok(None);
    }
    for &row in rows {
        let others = rows.iter().filter(|&&other| other != row);
        let gain = |&other: &usize| {
            columns.iter().map(|&j| &payoffs[other][j] - &payoffs[row][j]).collect::<Vec<_>>()
        };
        let gains: Matrix = others.map(gain).collect();
        if matrix_game::solve(&gains, limits)?.low.is_positive() {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// A vertex of a best-response polytope: a mixed strategy with its labels.
struct Vertex {
    strategy: Vec<BigRational>,
    /// The set of its labels.
    labels: Vec<u64>,
}

/// Returns a set of labels as bits.
fn label_set(members: impl IntoIterator<Item = usize>, all: usize) -> Vec<u64> {
    let mut words = vec![0; all.div_ceil(64)];
    members.into_iter().for_each(|label| words[label / 64] |= 1 << (label % 64));
    words
}

/// Enumerates the vertices but 0 of the polytope of the points x, none negative, with `payoffs x <= 1`; the payoffs are
/// first made whole and positive, which changes no best response. `labels` has the label of each variable and then of
/// each inequality.
fn vertices(payoffs: &Matrix, labels: &[usize], limits: &Limits) -> Result<Vec<Vertex>, LimitHit> {
    let scale = BigRational::from_integer(common_denominator(payoffs.iter().flatten()));
    let least = payoffs.iter().flatten().min().cloned().unwrap_or_default();
    let whole = |payoff: &BigRational| ((payoff - &least) * &scale).to_integer() + BigInt::one();
    let row = |line: &Vec<BigRational>| {
        [BigInt::one()].into_iter().chain(line.iter().map(|payoff| -whole(payoff))).collect()
    };
    let variables = payoffs.first().map_or(0, Vec::len);
    let start = Dictionary::new(payoffs.iter().map(row).collect(), vec![BigInt::zero(); variables + 1]);
    let mut seen_bases = FxHashSet::default();
    let mut seen_vertices = FxHashSet::default();
    let mut found = Vec::new();
    seen_bases.insert(sorted(start.nonbasic()));
    let mut waiting = vec![start];
    while let Some(program) = waiting.pop() {
        if let Some(hit) = limits.check() {
            return Err(hit);
        }
        if seen_bases.len() > MAX_BASES {
            return Err(LimitHit::Memory);
        }
        let values = program.primal();
        let tight: Vec<usize> =
            (0..values.len()).filter(|&v| values[v].is_zero()).map(|v| labels[v]).collect();
        let total: BigInt = values[..variables].iter().sum();
        if !total.is_zero() && seen_vertices.insert(sorted(&tight)) {
            let share = |value: &BigInt| BigRational::new(value.clone(), total.clone());
            let strategy = values[..variables].iter().map(share).collect();
            found.push(Vertex { strategy, labels: label_set(tight, labels.len()) });
        }
        for column in 1..=program.columns() {
            for row in program.blocking_rows(column) {
                let basis = program.nonbasic_after(row, column);
                if seen_bases.insert(sorted(&basis)) {
                    let mut next = program.clone();
                    next.pivot(row, column);
                    waiting.push(next);
                }
            }
        }
    }
    found.sort_by(|a, b| b.strategy.cmp(&a.strategy));
    Ok(found)
}

fn sorted(numbers: &[usize]) -> Vec<usize> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted
}

/// A maximal subset as indices of the first and the second player's extreme strategies.
type Subset = (Vec<usize>, Vec<usize>);

/// Returns the connected components of extreme equilibria, each as its maximal subsets: the maximal complete bipartite
/// subgraphs of the graph with an edge for each extreme equilibrium.
fn components(pairs: &[(usize, usize)], limits: &Limits) -> Result<Vec<Vec<Subset>>, LimitHit> {
    let mut left: Vec<(usize, usize)> = pairs.to_vec();
    let mut components = Vec::new();
    while let Some(&first) = left.first() {
        let mut group = vec![first];
        loop {
            let joins = |pair: &(usize, usize)| group.iter().any(|of| of.0 == pair.0 || of.1 == pair.1);
            let more: Vec<_> = left.iter().copied().filter(|p| joins(p) && !group.contains(p)).collect();
            if more.is_empty() {
                break;
            }
            group.extend(more);
        }
        left.retain(|pair| !group.contains(pair));
        group.sort_unstable();
        components.push(maximal_subsets(&group, limits)?);
    }
    Ok(components)
}

/// Enumerates the maximal complete bipartite subgraphs: their second sides are the intersections of neighbourhoods.
fn maximal_subsets(group: &[(usize, usize)], limits: &Limits) -> Result<Vec<Subset>, LimitHit> {
    let ours: BTreeSet<usize> = group.iter().map(|pair| pair.0).collect();
    let near = |i: usize| -> BTreeSet<usize> { group.iter().filter(|p| p.0 == i).map(|p| p.1).collect() };
    let mut closed: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
    for &i in &ours {
        let near = near(i);
        let meets: Vec<BTreeSet<usize>> = closed.iter().map(|other| other & &near).collect();
        closed.extend(meets.into_iter().chain([near]).filter(|set| !set.is_empty()));
        if let Some(hit) = limits.check() {
            return Err(hit);
        }
        if closed.len() > MAX_SUBSETS {
            return Err(LimitHit::Memory);
        }
    }
    let subset = |theirs: BTreeSet<usize>| {
        let fits = |&i: &usize| theirs.is_subset(&near(i));
        (ours.iter().copied().filter(fits).collect(), theirs.iter().copied().collect())
    };
    let mut subsets: Vec<Subset> = closed.into_iter().map(subset).collect();
    subsets.sort();
    Ok(subsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> BigRational {
        BigRational::new(above.into(), below.into())
    }

    /// A game from its cells, row by row: the payoffs of both players.
    fn game(rows: &[&[(i64, i64)]]) -> Bimatrix {
        let side = |of: fn(&(i64, i64)) -> i64| {
            let line = |row: &&[(i64, i64)]| row.iter().map(|cell| ratio(of(cell), 1)).collect();
            rows.iter().map(line).collect()
        };
        Bimatrix { first: side(|cell| cell.0), second: side(|cell| cell.1) }
    }

    fn equilibria(game: &Bimatrix) -> Equilibria {
        game.equilibria(&Limits::default()).expect("no limit")
    }

    fn payoffs(found: &Equilibria) -> Vec<[BigRational; 2]> {
        found.extreme.iter().map(|of| of.payoffs.clone()).collect()
    }

    #[test]
    fn the_prisoners_dilemma_has_one_equilibrium_and_is_solved_by_dominance() {
        let years = game(&[&[(-1, -1), (-10, 0)], &[(0, -10), (-5, -5)]]);
        let found = equilibria(&years);
        assert_eq!(payoffs(&found), [[ratio(-5, 1), ratio(-5, 1)]]);
        assert_eq!(found.components.len(), 1);
        let removed = years.iterated_dominance(&Limits::default()).expect("no limit");
        assert_eq!(
            removed,
            [Dominated { player: 0, strategy: 0 }, Dominated { player: 1, strategy: 0 }],
            "to stay silent is dominated for both"
        );
        assert_eq!(years.pareto_efficient(), [(0, 0), (0, 1), (1, 0)], "all but the equilibrium");
        assert_eq!(years.security_levels(&Limits::default()), Ok([Some(ratio(-5, 1)), Some(ratio(-5, 1))]));
    }

    #[test]
    fn the_stag_hunt_and_chicken_have_three() {
        let stag = equilibria(&game(&[&[(4, 4), (1, 3)], &[(3, 1), (3, 3)]]));
        assert_eq!(
            payoffs(&stag),
            [[ratio(4, 1), ratio(4, 1)], [ratio(3, 1), ratio(3, 1)], [ratio(3, 1), ratio(3, 1)]]
        );
        assert_eq!(stag.extreme[1].rows, [ratio(2, 3), ratio(1, 3)]);
        assert_eq!(stag.components.len(), 3);

        let chicken = equilibria(&game(&[&[(0, 0), (-1, 1)], &[(1, -1), (-10, -10)]]));
        assert_eq!(chicken.extreme.len(), 3);
        let mixed = chicken.extreme.iter().find(|of| of.rows[0] == ratio(9, 10)).expect("a mixed one");
        assert_eq!(mixed.payoffs, [ratio(-1, 10), ratio(-1, 10)]);
    }

    #[test]
    fn the_equilibria_of_morra_are_one_component() {
        let wins = [[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]];
        let row = |line: [i64; 4]| line.map(|n| (n, -n));
        let rows = wins.map(row);
        let found = equilibria(&game(&rows.each_ref().map(|row| &row[..])));
        assert_eq!(found.extreme.len(), 4);
        assert_eq!(found.components.len(), 1);
        let subset = &found.components[0][..];
        let ends =
            vec![[0, 3, 2, 0].map(|n| ratio(n, 5)).to_vec(), [0, 4, 3, 0].map(|n| ratio(n, 7)).to_vec()];
        assert_eq!(subset, [NashSubset { rows: ends.clone(), columns: ends }]);
    }

    #[test]
    fn a_degenerate_game_has_components_of_several_subsets() {
        // Every row is a best response to the first column, every column to the second row.
        let found = equilibria(&game(&[&[(1, 1), (0, 0)], &[(1, 1), (1, 1)]]));
        assert_eq!(found.components.len(), 1);
        assert_eq!(found.components[0].len(), 2);
        // All payoffs equal: every pair of strategies.
        let found = equilibria(&game(&[&[(2, 3); 3], &[(2, 3); 3]]));
        assert_eq!((found.extreme.len(), found.components.len(), found.components[0].len()), (6, 1, 1));
    }

    #[test]
    fn mixtures_dominate_and_order_does_not_matter() {
        let middle = game(&[&[(4, 0), (0, 0)], &[(0, 0), (4, 0)], &[(1, 0), (1, 0)]]);
        let removed = middle.iterated_dominance(&Limits::default()).expect("no limit");
        assert_eq!(removed, [Dominated { player: 0, strategy: 2 }]);
    }

    /// All equilibria of a nondegenerate game, by equal supports: the definition.
    fn by_supports(game: &Bimatrix) -> Vec<(Vec<BigRational>, Vec<BigRational>)> {
        let (rows, columns) = game.size();
        let second = transposed(&game.second);
        let mut found = Vec::new();
        for ours in 1u32..1 << rows {
            for theirs in (1u32..1 << columns).filter(|theirs| theirs.count_ones() == ours.count_ones()) {
                let members = |set: u32, all: usize| (0..all).filter(|&i| set >> i & 1 == 1).collect();
                let (ours, theirs): (Vec<usize>, Vec<usize>) =
                    (members(ours, rows), members(theirs, columns));
                let y = indifferent(&game.first, &ours, &theirs, columns);
                let x = indifferent(&second, &theirs, &ours, rows);
                let (Some(x), Some(y)) = (x, y) else { continue };
                let best = |payoffs: &Matrix, support: &[usize], other: &[BigRational]| {
                    let worth = |line: &Vec<BigRational>| {
                        line.iter().zip(other).map(|(a, b)| a * b).sum::<BigRational>()
                    };
                    let most = payoffs.iter().map(worth).max();
                    support.iter().all(|&i| Some(worth(&payoffs[i])) == most)
                };
                if best(&game.first, &ours, &y) && best(&second, &theirs, &x) {
                    found.push((x, y));
                }
            }
        }
        found
    }

    /// The mixture of `support`, all positive, that makes these rows equally good.
    fn indifferent(
        payoffs: &Matrix,
        rows: &[usize],
        support: &[usize],
        all: usize,
    ) -> Option<Vec<BigRational>> {
        let size = support.len();
        let mut system: Matrix = rows[1..]
            .iter()
            .map(|&row| {
                let gap = |&j: &usize| &payoffs[row][j] - &payoffs[rows[0]][j];
                support.iter().map(gap).chain([ratio(0, 1)]).collect()
            })
            .collect();
        system.push(vec![ratio(1, 1); size + 1]);
        for column in 0..size {
            let pivot = (column..size).find(|&i| !system[i][column].is_zero())?;
            system.swap(column, pivot);
            let lead = system[column].clone();
            for i in (0..size).filter(|&i| i != column) {
                let factor = &system[i][column] / &lead[column];
                for (entry, of) in system[i].iter_mut().zip(&lead) {
                    *entry -= &factor * of;
                }
            }
        }
        let mut mixture = vec![ratio(0, 1); all];
        for (i, &j) in support.iter().enumerate() {
            mixture[j] = &system[i][size] / &system[i][i];
            if !mixture[j].is_positive() {
                return None;
            }
        }
        Some(mixture)
    }

    fn random_game(random: &mut bouton_base::random::SplitMix, size: usize) -> Bimatrix {
        let mut side = || {
            let mut line = || (0..size).map(|_| ratio((random.word() % 2001) as i64 - 1000, 1)).collect();
            (0..size).map(|_| line()).collect()
        };
        Bimatrix { first: side(), second: side() }
    }

    #[test]
    fn random_games_have_the_equilibria_of_the_definition() {
        let sizes: &[(usize, usize)] = if cfg!(debug_assertions) { &[(3, 20), (5, 6)] } else { &[(5, 50)] };
        let mut random = bouton_base::random::SplitMix::new(3);
        for &(size, count) in sizes {
            for _ in 0..count {
                let game = random_game(&mut random, size);
                let found = equilibria(&game);
                let mut pairs: Vec<_> = found.extreme.into_iter().map(|of| (of.rows, of.columns)).collect();
                let mut wanted = by_supports(&game);
                pairs.sort();
                wanted.sort();
                assert_eq!(pairs, wanted);
                assert_eq!(found.components.len(), wanted.len(), "each is isolated");
            }
        }
    }

    #[test]
    fn random_games_of_8_by_8_have_an_odd_number_of_equilibria() {
        let count = if cfg!(debug_assertions) { 3 } else { 50 };
        let mut random = bouton_base::random::SplitMix::new(5);
        for _ in 0..count {
            assert_eq!(equilibria(&random_game(&mut random, 8)).extreme.len() % 2, 1);
        }
    }
}
