//! The checker of refutations of systems of conditions over integers.
//!
//! A proof is a tree in depth-first order: each step adds a consequence of the known facts, or splits into branches
//! one of which must hold. Each branch has to derive a positive number that would have to be at most 0. A consequence
//! is a sum of facts times positive numbers (Farkas 1902), rounded to integers (Gomory 1958, Chvatal 1973).

use bouton_base::linear::{Clause, Linear, Literal, Overflow, Problem, ProofStep};
use bouton_obligations::PlanError;

/// The facts on the path from the root to the current branch.
#[derive(Default)]
struct ProofBranch {
    facts: Vec<Linear>,
    cells: Vec<(Vec<Linear>, bool)>,
    clauses: Vec<Clause>,
}

/// A split with the branches still to come, and the numbers of facts at the split.
struct Fork {
    branches: std::vec::IntoIter<Literal>,
    facts: usize,
    cells: usize,
    clauses: usize,
}

/// Checks that these steps, and all of them, refute the conditions.
pub fn check_refutation(problem: &Problem, steps: &[ProofStep]) -> Result<(), PlanError> {
    let mut way = ProofBranch { clauses: problem.clauses.clone(), ..ProofBranch::default() };
    let mut forks: Vec<Fork> = Vec::new();
    let mut closed = false;
    for clause in &problem.clauses {
        match &clause[..] {
            [] => closed = true,
            [only] => closed |= way.assert(only.clone()),
            _ => {}
        }
    }
    let mut steps = steps.iter();
    loop {
        // Backtrack to the last fork with a branch left, and enter it.
        while closed {
            let Some(fork) = forks.last_mut() else {
                return if steps.next().is_none() { Ok(()) } else { Err("steps are left over".into()) };
            };
            way.facts.truncate(fork.facts);
            way.cells.truncate(fork.cells);
            way.clauses.truncate(fork.clauses);
            match fork.branches.next() {
                Some(literal) => closed = way.assert(literal),
                None => drop(forks.pop()),
            }
        }
        let step = steps.next().ok_or("a branch is not closed")?;
        let branches = match step {
            ProofStep::Split(clause) => {
                way.clauses.get(*clause as usize).ok_or("there is no such clause")?.clone()
            }
            ProofStep::Cut(term) => {
                let low = Literal::AtMost(term.clone());
                let high = low.negated()?;
                vec![low, high]
            }
            ProofStep::Derive(sum) => {
                let fact = way.derived(sum)?;
                closed = way.assert(Literal::AtMost(fact));
                continue;
            }
            ProofStep::Instance(number, terms) => {
                let universal =
                    problem.universals.get(*number as usize).ok_or("there is no such universal")?;
                if terms.len() != universal.bound.len() {
                    return Err("an instance has too few terms, or too many".into());
                }
                way.clauses.push(universal.instance(terms)?);
                continue;
            }
            ProofStep::Distinct(held, free) => {
                way.clauses.push(way.apart(*held, *free)?);
                continue;
            }
        };
        let ProofBranch { facts, cells, clauses } = &way;
        let branches = branches.into_iter();
        forks.push(Fork { branches, facts: facts.len(), cells: cells.len(), clauses: clauses.len() });
        closed = true;
    }
}

impl ProofBranch {
    /// Adds a literal to the facts; returns true if it is contradictory.
    fn assert(&mut self, literal: Literal) -> bool {
        match literal {
            Literal::AtMost(term) => {
                let never = term.constant().is_some_and(|number| number > 0);
                self.facts.push(term);
                never
            }
            Literal::Cell(place, held) => {
                self.cells.push((place, held));
                false
            }
        }
    }

    fn derived(&self, sum: &[(u32, i128)]) -> Result<Linear, PlanError> {
        let mut whole = Linear::default();
        for &(fact, times) in sum {
            let fact = self.facts.get(fact as usize).ok_or("there is no such fact")?;
            if times <= 0 {
                return Err("a fact is taken no times, or fewer".into());
            }
            whole = whole.plus(times, fact)?;
        }
        let divisor = whole.terms.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor.unsigned_abs()));
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
        if divisor > 1 {
            whole.terms.iter_mut().for_each(|(_, factor)| *factor /= divisor);
            // Round up: the terms are a multiple of the divisor and at most the negated constant.
            let most = whole.constant.checked_neg().ok_or(Overflow)?;
            whole.constant = -most.div_euclid(divisor);
        }
        Ok(whole)
    }

    fn apart(&self, held: u32, free: u32) -> Result<Clause, PlanError> {
        let (Some((here, true)), Some((there, false))) =
            (self.cells.get(held as usize), self.cells.get(free as usize))
        else {
            return Err("these are not a cell of the set and one outside".into());
        };
        if here.len() != there.len() {
            return Err("these cells are not of one board".into());
        }
        let mut clause = Vec::new();
        for (a, b) in here.iter().zip(there) {
            clause.push(Literal::less(a, b)?);
            clause.push(Literal::less(b, a)?);
        }
        Ok(clause)
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::linear::Universal;

    fn at_most(terms: &[(u32, i128)], constant: i128) -> Clause {
        vec![Literal::AtMost(Linear { terms: terms.to_vec(), constant })]
    }

    #[test]
    fn a_sum_of_facts_closes_and_nothing_else_does() {
        // x <= 2 and x >= 3
        let problem =
            Problem { clauses: vec![at_most(&[(0, 1)], -2), at_most(&[(0, -1)], 3)], ..Problem::default() };
        assert_eq!(check_refutation(&problem, &[ProofStep::Derive(vec![(0, 1), (1, 1)])]), Ok(()));
        let open = "a branch is not closed";
        let no_fact = "there is no such fact";
        let few = "a fact is taken no times, or fewer";
        let sum = |sum: &[(u32, i128)]| ProofStep::Derive(sum.to_vec());
        for (reason, wrong) in [
            (open, vec![]),
            (open, vec![sum(&[(0, 1), (1, 2)])]),
            (few, vec![sum(&[(0, -1), (1, 1)])]),
            (few, vec![sum(&[(0, 0), (1, 0)])]),
            (no_fact, vec![sum(&[(0, 1), (2, 1)])]),
            (open, vec![sum(&[])]),
            ("there is no such clause", vec![ProofStep::Split(2)]),
            ("these are not a cell of the set and one outside", vec![ProofStep::Distinct(0, 1)]),
            ("there is no such universal", vec![ProofStep::Instance(0, vec![])]),
            ("its numbers are too large", vec![sum(&[(0, i128::MAX), (1, 1)])]),
            ("steps are left over", vec![sum(&[(0, 1), (1, 1)]), sum(&[(0, 1)])]),
            // Only the first branch is closed.
            (open, vec![ProofStep::Cut(Linear::var(1)), sum(&[(0, 1), (1, 1)])]),
        ] {
            assert_eq!(check_refutation(&problem, &wrong), Err(reason.into()), "{wrong:?}");
        }
        let universals = vec![Universal { bound: vec![7], clause: vec![Literal::AtMost(Linear::var(7))] }];
        let problem = Problem { universals, ..problem };
        let few_terms = check_refutation(&problem, &[ProofStep::Instance(0, vec![])]);
        assert_eq!(few_terms, Err("an instance has too few terms, or too many".into()));
    }

    #[test]
    fn rounding_sees_that_an_even_number_is_not_odd() {
        // 2 x = 2 y + 1
        let problem = Problem {
            clauses: vec![at_most(&[(0, 2), (1, -2)], -1), at_most(&[(0, -2), (1, 2)], 1)],
            ..Problem::default()
        };
        let steps = [
            ProofStep::Derive(vec![(0, 1)]),
            ProofStep::Derive(vec![(1, 1)]),
            ProofStep::Derive(vec![(2, 1), (3, 1)]),
        ];
        assert_eq!(check_refutation(&problem, &steps), Ok(()));
        // 2 x <= 2 y + 1 alone implies x <= y, and no more.
        let half = Problem { clauses: problem.clauses[..1].to_vec(), ..Problem::default() };
        assert!(check_refutation(&half, &steps[..1]).is_err());
    }

    #[test]
    fn rounding_does_not_overflow() {
        // 1 <= x <= 40 has solutions; the facts x <= 2^126 and 2 x <= 2^127 change nothing.
        let problem =
            Problem { clauses: vec![at_most(&[(0, -1)], 1), at_most(&[(0, 1)], -40)], ..Problem::default() };
        let far = Linear { terms: vec![(0, 1)], constant: -(1 << 126) };
        let forged = [
            ProofStep::Cut(far),
            ProofStep::Derive(vec![(2, 2)]),
            ProofStep::Derive(vec![(0, 1), (3, 1)]),
            ProofStep::Derive(vec![(1, 1), (2, 1)]),
        ];
        assert_eq!(check_refutation(&problem, &forged), Err("its numbers are too large".into()));
    }

    #[test]
    fn a_cell_is_not_in_the_set_and_outside() {
        let cell = |constant, held| vec![Literal::Cell(vec![Linear { terms: vec![(0, 1)], constant }], held)];
        let problem = Problem { clauses: vec![cell(2, true), cell(2, false)], ..Problem::default() };
        assert_eq!(check_refutation(&problem, &[ProofStep::Distinct(0, 1), ProofStep::Split(2)]), Ok(()));
        assert!(check_refutation(&problem, &[ProofStep::Distinct(1, 0), ProofStep::Split(2)]).is_err());
        let plane = vec![Literal::Cell(vec![Linear::number(1), Linear::number(1)], false)];
        let mixed = Problem { clauses: vec![cell(2, true), plane], ..Problem::default() };
        let two_boards = check_refutation(&mixed, &[ProofStep::Distinct(0, 1)]);
        assert_eq!(two_boards, Err("these cells are not of one board".into()));
        let other = Problem { clauses: vec![cell(2, true), cell(3, false)], ..Problem::default() };
        assert!(check_refutation(&other, &[ProofStep::Distinct(0, 1), ProofStep::Split(2)]).is_err());
    }
}
