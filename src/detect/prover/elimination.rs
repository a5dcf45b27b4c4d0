//! Integer feasibility of linear conditions by Fourier-Motzkin elimination.
//!
//! A variable with the factor 1 in an equation is substituted; any other is eliminated by adding each row that bounds
//! it from above to each that bounds it from below (Fourier 1827, Motzkin 1936). Every row is divided by the common
//! divisor of its factors and rounded, which loses no integer solution. If no row is contradictory in the end, values
//! are chosen by back substitution.

use std::collections::BTreeMap;

use super::{FactId, Unproved};
use bouton_base::linear::{Linear, Overflow};

/// The result of elimination.
pub(super) enum Elimination {
    /// The derived rows, the last of which is a constant above 0.
    Contradiction(Vec<RowSum>),
    /// Integers that satisfy all conditions.
    Values(BTreeMap<u32, i128>),
    /// No integer was found for this variable with the values chosen for the others: all solutions lie between this
    /// number and the next.
    Between(u32, i128),
}

/// The summands of a derived row, before its division.
pub(super) type RowSum = Vec<(Parent, i128)>;

/// A row that another is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parent {
    Fact(FactId),
    /// An earlier derived row.
    Row(usize),
}

/// The maximal number of rows.
const MAX_ROWS: usize = 2500;

struct EliminationRow {
    term: Linear,
    /// The rows that it is derived from; empty for a fact.
    from: Vec<(usize, i128)>,
    fact: Option<FactId>,
}

#[derive(Default)]
struct EliminationRows {
    all: Vec<EliminationRow>,
    /// The rows that are not yet eliminated, by their terms: only the strongest of equal terms stays.
    live: BTreeMap<Vec<(u32, i128)>, usize>,
    /// A contradictory row.
    wrong: Option<usize>,
}

/// Eliminates all variables, or finds a contradiction.
pub(super) fn eliminate(facts: &[(FactId, Linear)]) -> Result<Elimination, Unproved> {
    let mut rows = EliminationRows::default();
    for (id, fact) in facts {
        rows.all.push(EliminationRow { term: fact.clone(), from: Vec::new(), fact: Some(*id) });
        let number = rows.all.len() - 1;
        let divided = divided(fact)?;
        if divided == *fact {
            rows.enter(number);
        } else {
            rows.add(divided, vec![(number, 1)])?;
        }
    }
    // The eliminated variables, each with the rows that contained it.
    let mut done: Vec<(u32, Vec<usize>)> = Vec::new();
    while rows.wrong.is_none() {
        let Some((var, bounds, rest)) = rows.next() else { break };
        done.push((var, bounds.clone()));
        for (a, b) in rest {
            let (up, down) = (rows.all[a].term.factor(var), rows.all[b].term.factor(var));
            let common = gcd(up.unsigned_abs(), down.unsigned_abs());
            let part = |of: i128| i128::try_from(of.unsigned_abs() / common).map_err(|_| Overflow);
            let (by_a, by_b) = (part(down)?, part(up)?);
            let sum = rows.all[a].term.times(by_a)?.plus(by_b, &rows.all[b].term)?;
            rows.add(divided(&sum)?, vec![(a, by_a), (b, by_b)])?;
            if rows.wrong.is_some() {
                break;
            }
        }
    }
    match rows.wrong {
        Some(wrong) => Ok(Elimination::Contradiction(rows.derivation(wrong))),
        None => rows.values(&done),
    }
}

impl EliminationRows {
    fn add(&mut self, term: Linear, from: Vec<(usize, i128)>) -> Result<(), Unproved> {
        if self.all.len() >= MAX_ROWS {
            return Err(Unproved::TooHard);
        }
        self.all.push(EliminationRow { term, from, fact: None });
        self.enter(self.all.len() - 1);
        Ok(())
    }

    fn enter(&mut self, number: usize) {
        let term = &self.all[number].term;
        match term.constant() {
            Some(0) => {}
            Some(constant) if constant > 0 => self.wrong = Some(number),
            Some(_) => {}
            None => {
                let weaker = |other: &usize| self.all[*other].term.constant < term.constant;
                if self.live.get(&term.terms).is_none_or(weaker) {
                    let (terms, constant) = (term.terms.clone(), term.constant);
                    let opposite: Vec<(u32, i128)> =
                        terms.iter().map(|&(v, f)| (v, f.wrapping_neg())).collect();
                    self.live.insert(terms, number);
                    let sum = |other: usize| self.all[other].term.constant.saturating_add(constant);
                    if let Some(&other) = self.live.get(&opposite)
                        && sum(other) > 0
                    {
                        let term = Linear::number(sum(other));
                        self.all.push(EliminationRow {
                            term,
                            from: vec![(number, 1), (other, 1)],
                            fact: None,
                        });
                        self.wrong = Some(self.all.len() - 1);
                    }
                }
            }
        }
    }

    /// Selects the next variable to eliminate; returns it with the rows that contain it, which are no longer live, and
    /// the pairs to add.
    #[allow(clippy::type_complexity)]
    fn next(&mut self) -> Option<(u32, Vec<usize>, Vec<(usize, usize)>)> {
        let (var, equation) = self.equation().or_else(|| self.cheapest().map(|var| (var, None)))?;
        let mut bounds = Vec::new();
        self.live.retain(|_, &mut number| {
            let has = self.all[number].term.factor(var) != 0;
            if has {
                bounds.push(number);
            }
            !has
        });
        let above = |number: usize| self.all[number].term.factor(var) > 0;
        let pairs = match equation {
            Some((up, down)) => {
                let others = bounds.iter().filter(|&&n| n != up && n != down);
                others.map(|&n| if above(n) { (n, down) } else { (up, n) }).collect()
            }
            None => {
                let (ups, downs): (Vec<usize>, Vec<usize>) = bounds.iter().partition(|&&n| above(n));
                ups.iter().flat_map(|&a| downs.iter().map(move |&b| (a, b))).collect()
            }
        };
        Some((var, bounds, pairs))
    }

    /// Returns a variable of factor 1 in an equation, that is in two opposite rows, with these rows.
    #[allow(clippy::type_complexity)]
    fn equation(&self) -> Option<(u32, Option<(usize, usize)>)> {
        for (terms, &number) in &self.live {
            let opposite: Vec<(u32, i128)> = terms.iter().map(|&(v, f)| (v, f.wrapping_neg())).collect();
            let Some(&other) = self.live.get(&opposite) else { continue };
            if self.all[number].term.constant != -self.all[other].term.constant {
                continue;
            }
            if let Some(&(var, factor)) = terms.iter().rev().find(|(_, factor)| factor.abs() == 1) {
                let (up, down) = if factor > 0 { (number, other) } else { (other, number) };
                return Some((var, Some((up, down))));
            }
        }
        None
    }

    /// Returns the variable whose elimination leaves the fewest rows, preferably one with the factor 1 in all rows:
    /// then no integer solution is lost, and divisibility of other variables shows in the remaining rows.
    fn cheapest(&self) -> Option<u32> {
        let mut counts: BTreeMap<u32, (usize, usize, bool)> = BTreeMap::new();
        for terms in self.live.keys() {
            for &(var, factor) in terms {
                let count = counts.entry(var).or_default();
                *(if factor > 0 { &mut count.0 } else { &mut count.1 }) += 1;
                count.2 |= factor.unsigned_abs() != 1;
            }
        }
        let cost = |&(_, &(up, down, multiple)): &(&u32, &(usize, usize, bool))| {
            (multiple, (up * down) as i64 - up as i64 - down as i64, up + down)
        };
        counts.iter().min_by_key(cost).map(|(var, _)| *var)
    }

    /// Returns the derivation of a row: all rows that it depends on, in order, and itself last.
    fn derivation(&self, wrong: usize) -> Vec<RowSum> {
        let mut needed = vec![false; self.all.len()];
        needed[wrong] = true;
        for number in (0..self.all.len()).rev().filter(|&n| n <= wrong) {
            if needed[number] {
                self.all[number].from.iter().for_each(|&(parent, _)| needed[parent] = true);
            }
        }
        let mut place = vec![0; self.all.len()];
        let mut told = Vec::new();
        for number in (0..=wrong).filter(|&n| needed[n]) {
            let row = &self.all[number];
            if row.fact.is_some() && number != wrong {
                continue;
            }
            let parent = |number: usize| match self.all[number].fact {
                Some(id) => Parent::Fact(id),
                None => Parent::Row(place[number]),
            };
            let derived: RowSum = match row.fact {
                Some(id) => vec![(Parent::Fact(id), 1)],
                None => row.from.iter().map(|&(from, times)| (parent(from), times)).collect(),
            };
            place[number] = told.len();
            told.push(derived);
        }
        told
    }

    /// Assigns values to the eliminated variables, the last one first.
    fn values(&self, done: &[(u32, Vec<usize>)]) -> Result<Elimination, Unproved> {
        let mut values: BTreeMap<u32, i128> = BTreeMap::new();
        for (var, bounds) in done.iter().rev() {
            let (mut low, mut high) = (None::<i128>, None::<i128>);
            for &number in bounds {
                let term = &self.all[number].term;
                let factor = term.factor(*var);
                let rest = term.plus(-factor, &Linear::var(*var))?;
                // A variable that no longer occurs in any row is free.
                let rest = rest.value(&|var| Some(values.get(&var).copied().unwrap_or(0))).ok_or(Overflow)?;
                if factor > 0 {
                    let most = (-rest).div_euclid(factor);
                    high = Some(high.map_or(most, |h| h.min(most)));
                } else {
                    let least = -(-rest).div_euclid(-factor);
                    low = Some(low.map_or(least, |l| l.max(least)));
                }
            }
            let value = match (low, high) {
                (Some(low), Some(high)) if low > high => return Ok(Elimination::Between(*var, high)),
                (Some(low), Some(high)) => 0.clamp(low, high),
                (Some(low), None) => low.max(0),
                (None, Some(high)) => high.min(0),
                (None, None) => 0,
            };
            values.insert(*var, value);
        }
        Ok(Elimination::Values(values))
    }
}

/// Divides a row by the common divisor of its factors and rounds the constant up.
fn divided(term: &Linear) -> Result<Linear, Overflow> {
    let divisor = term.terms.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor.unsigned_abs()));
    let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
    if divisor <= 1 {
        return Ok(term.clone());
    }
    let terms = term.terms.iter().map(|&(var, factor)| (var, factor / divisor)).collect();
    Ok(Linear { terms, constant: -(-term.constant).div_euclid(divisor) })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
