//! Linear terms and conditions over whole numbers, and proofs that conditions cannot all hold.
//!
//! Data alone: who looks for proofs and who checks them share what is here and nothing else.

/// A linear term over numbered variables that stand for whole numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// Variables with their factors: in order, each once, no factor 0.
    pub terms: Vec<(u32, i128)>,
    /// What is added.
    pub constant: i128,
}

/// Numbers grew past what is calculated with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

impl Linear {
    /// A number.
    pub fn number(constant: i128) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    /// A variable.
    pub fn var(var: u32) -> Linear {
        Linear { terms: vec![(var, 1)], constant: 0 }
    }

    /// This and `factor` times the other.
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

    /// So many times this.
    pub fn times(&self, factor: i128) -> Result<Linear, Overflow> {
        Linear::default().plus(factor, self)
    }

    /// This and a number.
    pub fn and(&self, number: i128) -> Result<Linear, Overflow> {
        self.plus(1, &Linear::number(number))
    }

    /// This less the other.
    pub fn minus(&self, other: &Linear) -> Result<Linear, Overflow> {
        self.plus(-1, other)
    }

    /// With terms in the places of variables; those that have none stay.
    pub fn with(&self, value: &dyn Fn(u32) -> Option<Linear>) -> Result<Linear, Overflow> {
        let mut whole = Linear::number(self.constant);
        for &(var, factor) in &self.terms {
            whole = whole.plus(factor, &value(var).unwrap_or_else(|| Linear::var(var)))?;
        }
        Ok(whole)
    }

    /// Its value, where every variable has one.
    pub fn value(&self, of: &dyn Fn(u32) -> Option<i128>) -> Option<i128> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, &(var, factor)| sum.checked_add(factor.checked_mul(of(var)?)?))
    }

    /// The number it is, where it has no variables.
    pub fn constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The factor of a variable.
    pub fn factor(&self, var: u32) -> i128 {
        self.terms.binary_search_by_key(&var, |term| term.0).map_or(0, |place| self.terms[place].1)
    }
}

/// What may hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Literal {
    /// The term is at most 0.
    AtMost(Linear),
    /// The cell with these coordinates is in a set (true), or is not. Nothing else is known of the set.
    Cell(Vec<Linear>, bool),
}

/// Literals of which one holds.
pub type Clause = Vec<Literal>;

impl Literal {
    /// `a <= b`
    pub fn at_most(a: &Linear, b: &Linear) -> Result<Literal, Overflow> {
        Ok(Literal::AtMost(a.minus(b)?))
    }

    /// `a < b`
    pub fn less(a: &Linear, b: &Linear) -> Result<Literal, Overflow> {
        Ok(Literal::AtMost(a.minus(b)?.and(1)?))
    }

    /// That it does not hold.
    pub fn negated(&self) -> Result<Literal, Overflow> {
        Ok(match self {
            Literal::AtMost(term) => Literal::AtMost(term.times(-1)?.and(1)?),
            Literal::Cell(place, held) => Literal::Cell(place.clone(), !held),
        })
    }

    /// With terms in the places of variables.
    pub fn with(&self, value: &dyn Fn(u32) -> Option<Linear>) -> Result<Literal, Overflow> {
        Ok(match self {
            Literal::AtMost(term) => Literal::AtMost(term.with(value)?),
            Literal::Cell(place, held) => {
                let place: Result<_, _> = place.iter().map(|term| term.with(value)).collect();
                Literal::Cell(place?, *held)
            }
        })
    }
}

/// A clause that holds whatever these variables stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Universal {
    /// The variables.
    pub bound: Vec<u32>,
    /// The clause.
    pub clause: Clause,
}

impl Universal {
    /// The clause with these terms for the variables.
    pub fn instance(&self, terms: &[Linear]) -> Result<Clause, Overflow> {
        let value = |var| self.bound.iter().position(|&b| b == var).and_then(|i| terms.get(i).cloned());
        self.clause.iter().map(|literal| literal.with(&value)).collect()
    }
}

/// Conditions that are to be shown not to hold all at once, whatever whole numbers the variables stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problem {
    /// Each holds.
    pub clauses: Vec<Clause>,
    /// Each holds.
    pub universals: Vec<Universal>,
    /// Places that are worth a look: what the variables of universals may well stand for. Nothing rests on them.
    pub places: Vec<Vec<Linear>>,
}

/// A step of a proof. Before the first step each clause of one literal has been asserted, in order. What is asserted is a
/// *fact* where it is linear, and a *cell* else; both are numbered along the way from the root, clauses likewise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Facts times positive numbers are added; the sum is divided by what divides all its factors, its constant rounded
    /// up. The new fact is asserted: a number above 0 ends the branch.
    Derive(Vec<(u32, i128)>),
    /// A branch for each literal of a clause, in order.
    Split(u32),
    /// A branch where the term is at most 0, and one where it is at least 1.
    Cut(Linear),
    /// An instance of a universal is a new clause.
    Instance(u32, Vec<Linear>),
    /// A cell in the set is not one outside it: that some coordinate is smaller or larger is a new clause.
    Apart(u32, u32),
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
        let with = a.with(&|var| (var == 3).then(|| b.clone()));
        assert_eq!(with, Ok(term(&[(0, 1), (1, -4), (7, -1)], 6)));
        assert_eq!(a.value(&|var| Some(i128::from(var) + 1)), Some(3));
        assert_eq!(term(&[(0, i128::MAX)], 0).times(2), Err(Overflow));
        assert_eq!(Linear::number(i128::MAX).and(1), Err(Overflow));
    }

    #[test]
    fn a_literal_and_its_negation_differ_by_one() {
        let literal = Literal::less(&Linear::var(0), &Linear::number(4)).expect("small numbers");
        assert_eq!(literal, Literal::AtMost(term(&[(0, 1)], -3)));
        assert_eq!(literal.negated(), Ok(Literal::AtMost(term(&[(0, -1)], 4))));
    }
}
