//! Linear terms and conditions over integers, and proofs that conditions are jointly unsatisfiable.
//!
//! Only data: provers and checkers share this module and nothing else.

/// A linear term over numbered integer variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// The variables with their factors: sorted, each once, no factor 0.
    pub terms: Vec<(u32, i128)>,
    /// The constant summand.
    pub constant: i128,
}

/// The error that a number exceeds the range of `i128`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

impl Linear {
    /// The constant term with this value.
    pub fn number(constant: i128) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    /// The term that is this variable.
    pub fn var(var: u32) -> Linear {
        Linear { terms: vec![(var, 1)], constant: 0 }
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: i128, other: &Linear) -> Result<Linear, Overflow> {
        let times = |n: i128| n.checked_mul(factor).ok_or(Overflow);
        let constant = self.constant.checked_add(times(other.constant)?).ok_or(Overflow)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut own, mut others) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let term = match (own.peek(), others.peek()) {
                (None, None) => break,
                (Some(&&(var, a)), Some(&&(same, b))) if var == same => {
                    own.next();
                    others.next();
                    (var, a.checked_add(times(b)?).ok_or(Overflow)?)
                }
                (Some(&&term), next) if next.is_none_or(|&&(var, _)| term.0 < var) => {
                    own.next();
                    term
                }
                (_, Some(&&(var, b))) => {
                    others.next();
                    (var, times(b)?)
                }
                (Some(_), None) => unreachable!("taken above"),
            };
            if term.1 != 0 {
                terms.push(term);
            }
        }
        Ok(Linear { terms, constant })
    }

    /// `factor * self`
    pub fn times(&self, factor: i128) -> Result<Linear, Overflow> {
        Linear::default().plus(factor, self)
    }

    /// `self + number`
    pub fn plus_constant(&self, number: i128) -> Result<Linear, Overflow> {
        self.plus(1, &Linear::number(number))
    }

    /// `self - other`
    pub fn minus(&self, other: &Linear) -> Result<Linear, Overflow> {
        self.plus(-1, other)
    }

    /// Substitutes terms for variables; variables without one stay.
    pub fn substitute(&self, value: &dyn Fn(u32) -> Option<Linear>) -> Result<Linear, Overflow> {
        let mut whole = Linear::number(self.constant);
        for &(var, factor) in &self.terms {
            whole = whole.plus(factor, &value(var).unwrap_or_else(|| Linear::var(var)))?;
        }
        Ok(whole)
    }

    /// The value under an assignment; `None` if a variable has no value or a number overflows.
    pub fn value(&self, of: &dyn Fn(u32) -> Option<i128>) -> Option<i128> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, &(var, factor)| sum.checked_add(factor.checked_mul(of(var)?)?))
    }

    /// The constant, if the term has no variables.
    pub fn constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The factor of a variable; 0 if it does not occur.
    pub fn factor(&self, var: u32) -> i128 {
        self.terms.binary_search_by_key(&var, |term| term.0).map_or(0, |place| self.terms[place].1)
    }
}

/// An atomic condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Literal {
    /// The term is at most 0.
    AtMost(Linear),
    /// The cell with these coordinates is in a set (true), or is not. The set is otherwise arbitrary.
    Cell(Vec<Linear>, bool),
}

/// A disjunction of literals.
pub type Clause = Vec<Literal>;

impl Literal {
    /// `a <= b`
    pub fn at_most(a: &Linear, b: &Linear) -> Result<Literal, Overflow> {
        Ok(Literal::AtMost(a.minus(b)?))
    }

    /// `a < b`
    pub fn less(a: &Linear, b: &Linear) -> Result<Literal, Overflow> {
        Ok(Literal::AtMost(a.minus(b)?.plus_constant(1)?))
    }

    /// The negation.
    pub fn negated(&self) -> Result<Literal, Overflow> {
        Ok(match self {
            Literal::AtMost(term) => Literal::AtMost(term.times(-1)?.plus_constant(1)?),
            Literal::Cell(place, held) => Literal::Cell(place.clone(), !held),
        })
    }

    /// Substitutes terms for variables.
    pub fn substitute(&self, value: &dyn Fn(u32) -> Option<Linear>) -> Result<Literal, Overflow> {
        Ok(match self {
            Literal::AtMost(term) => Literal::AtMost(term.substitute(value)?),
            Literal::Cell(place, held) => {
                let place: Result<_, _> = place.iter().map(|term| term.substitute(value)).collect();
                Literal::Cell(place?, *held)
            }
        })
    }
}

/// A clause that holds for all values of the bound variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Universal {
    pub bound: Vec<u32>,
    pub clause: Clause,
}

impl Universal {
    /// The clause with these terms in place of the bound variables.
    pub fn instance(&self, terms: &[Linear]) -> Result<Clause, Overflow> {
        let value = |var| self.bound.iter().position(|&b| b == var).and_then(|i| terms.get(i).cloned());
        self.clause.iter().map(|literal| literal.substitute(&value)).collect()
    }
}

/// Conditions whose joint unsatisfiability over the integers is to be proved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problem {
    /// Clauses that all hold.
    pub clauses: Vec<Clause>,
    /// Universal clauses that all hold.
    pub universals: Vec<Universal>,
    /// Hints: terms that are promising instances for the variables of universals. Soundness does not depend on them.
    pub hints: Vec<Vec<Linear>>,
}

/// A step of a proof. Before the first step each clause of one literal is asserted, in order. An asserted literal is a
/// *fact* if it is linear, else a *cell*. Facts, cells and clauses are numbered along the path from the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// Adds facts times positive numbers, divides the sum by the greatest common divisor of its factors and rounds its
    /// constant up. Asserts the new fact; a number above 0 closes the branch.
    Derive(Vec<(u32, i128)>),
    /// Opens a branch for each literal of a clause, in order.
    Split(u32),
    /// Opens a branch where the term is at most 0, and one where it is at least 1.
    Cut(Linear),
    /// Adds an instance of a universal as a new clause.
    Instance(u32, Vec<Linear>),
    /// Adds a new clause: a cell in the set differs from one outside it, so some coordinate is smaller or larger.
    Distinct(u32, u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(terms: &[(u32, i128)], constant: i128) -> Linear {
        Linear { terms: terms.to_vec(), constant }
    }

    #[test]
    fn terms_are_added_and_replaced() {
        let a = term(&[(0, 2), (3, -1)], 5);
        let b = term(&[(0, 1), (1, 4), (7, 1)], -1);
        assert_eq!(a.plus(-2, &b), Ok(term(&[(1, -8), (3, -1), (7, -2)], 7)));
        assert_eq!(a.minus(&a), Ok(Linear::number(0)));
        let with = a.substitute(&|var| (var == 3).then(|| b.clone()));
        assert_eq!(with, Ok(term(&[(0, 1), (1, -4), (7, -1)], 6)));
        assert_eq!(a.value(&|var| Some(i128::from(var) + 1)), Some(3));
        assert_eq!(term(&[(0, i128::MAX)], 0).times(2), Err(Overflow));
        assert_eq!(Linear::number(i128::MAX).plus_constant(1), Err(Overflow));
    }

    #[test]
    fn a_literal_and_its_negation_differ_by_one() {
        let literal = Literal::less(&Linear::var(0), &Linear::number(4)).expect("small numbers");
        assert_eq!(literal, Literal::AtMost(term(&[(0, 1)], -3)));
        assert_eq!(literal.negated(), Ok(Literal::AtMost(term(&[(0, -1)], 4))));
    }
}
