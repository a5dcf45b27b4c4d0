//! What a term is in all positions at once: its values with the formulas under which it has them.

use std::collections::BTreeMap;

use super::formula::{FALSE, Formula, Formulas, TRUE};
use crate::rules::Value;

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// Each value with when it is this one, in the order of the values; no two at once. Where none holds the term is
    /// undefined.
    Cases(Vec<(Value, Formula)>),
    /// A set, element by element.
    Set(SetTerm),
}

/// A set: which elements are in it when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetTerm {
    /// When it is defined at all.
    pub defined: Formula,
    /// When each element is in it, in the order of the elements; others never are.
    pub members: Vec<(Value, Formula)>,
}

/// Sets of more uncertain elements are not listed one by one.
const UNCERTAIN: usize = 8;

impl Term {
    /// A value that is the same in all positions.
    pub fn constant(value: Value) -> Term {
        Term::Cases(vec![(value, TRUE)])
    }

    /// A term without a value.
    pub fn undefined() -> Term {
        Term::Cases(Vec::new())
    }

    /// A formula as a term.
    pub fn of_formula(formulas: &mut Formulas, formula: Formula) -> Term {
        let not = formulas.not(formula);
        Term::cases(formulas, [(Value::Bool(false), not), (Value::Bool(true), formula)])
    }

    /// Values with their conditions, equal ones joined.
    pub fn cases(formulas: &mut Formulas, cases: impl IntoIterator<Item = (Value, Formula)>) -> Term {
        Term::Cases(joined(formulas, cases))
    }

    /// The value, where it is the same in all positions.
    pub fn known(&self) -> Option<&Value> {
        match self {
            Term::Cases(cases) => match &cases[..] {
                [(value, TRUE)] => Some(value),
                _ => None,
            },
            Term::Set(_) => None,
        }
    }

    /// When it has a value.
    pub fn defined(&self, formulas: &mut Formulas) -> Formula {
        match self {
            Term::Cases(cases) => formulas.or(cases.iter().map(|(_, when)| *when)),
            Term::Set(set) => set.defined,
        }
    }

    /// The term where the condition holds; undefined elsewhere.
    pub fn when(self, formulas: &mut Formulas, condition: Formula) -> Term {
        if condition == TRUE {
            return self;
        }
        let mut under = |list: Vec<(Value, Formula)>| {
            list.into_iter()
                .map(|(value, when)| (value, formulas.and([when, condition])))
                .filter(|(_, when)| *when != FALSE)
                .collect()
        };
        match self {
            Term::Cases(cases) => Term::Cases(under(cases)),
            Term::Set(SetTerm { defined, members }) => {
                let members = under(members);
                Term::Set(SetTerm { defined: formulas.and([defined, condition]), members })
            }
        }
    }

    /// One of several terms, no two of which are defined at once.
    pub fn either(formulas: &mut Formulas, terms: Vec<Term>) -> Term {
        if terms.iter().any(|term| matches!(term, Term::Set(_))) {
            let mut defined = Vec::new();
            let mut members = Vec::new();
            for term in terms {
                let set = term.into_set(formulas);
                defined.push(set.defined);
                members.extend(set.members);
            }
            let members = joined(formulas, members);
            return Term::Set(SetTerm { defined: formulas.or(defined), members });
        }
        let cases = terms.into_iter().flat_map(|term| match term {
            Term::Cases(cases) => cases,
            Term::Set(_) => Vec::new(),
        });
        Term::cases(formulas, cases)
    }

    /// The term as a set; what is no set is undefined.
    pub fn into_set(self, formulas: &mut Formulas) -> SetTerm {
        match self {
            Term::Set(set) => set,
            Term::Cases(cases) => {
                let (mut defined, mut members) = (Vec::new(), Vec::new());
                for (value, when) in cases {
                    if let Value::Set(elements) | Value::List(elements) = &value {
                        defined.push(when);
                        members.extend(elements.iter().map(|element| (element.clone(), when)));
                    }
                }
                let members = joined(formulas, members);
                SetTerm { defined: formulas.or(defined), members }
            }
        }
    }

    /// The term value by value; none for a set of too many uncertain elements.
    pub fn into_cases(self, formulas: &mut Formulas) -> Option<Vec<(Value, Formula)>> {
        let set = match self {
            Term::Cases(cases) => return Some(cases),
            Term::Set(set) => set,
        };
        if set.members.iter().filter(|(_, when)| *when != set.defined).count() > UNCERTAIN {
            return None;
        }
        let mut sets = vec![(Vec::new(), set.defined)];
        for (element, when) in set.members {
            let mut longer = Vec::new();
            for (elements, so_far) in sets {
                let with = formulas.and([so_far, when]);
                let without = formulas.without(so_far, when);
                if with != FALSE {
                    let mut elements = elements.clone();
                    elements.push(element.clone());
                    longer.push((elements, with));
                }
                if without != FALSE {
                    longer.push((elements, without));
                }
            }
            sets = longer;
        }
        Some(joined(formulas, sets.into_iter().map(|(elements, when)| (Value::set(elements), when))))
    }
}

impl SetTerm {
    /// When this element is in the set.
    pub fn has(&self, element: &Value) -> Formula {
        match self.members.binary_search_by(|(member, _)| member.cmp(element)) {
            Ok(place) => self.members[place].1,
            Err(_) => FALSE,
        }
    }
}

/// Values with conditions, in order, equal ones joined; those that never are left out.
pub(super) fn joined(
    formulas: &mut Formulas,
    cases: impl IntoIterator<Item = (Value, Formula)>,
) -> Vec<(Value, Formula)> {
    let mut by_value: BTreeMap<Value, Vec<Formula>> = BTreeMap::new();
    for (value, when) in cases {
        if when != FALSE {
            by_value.entry(value).or_default().push(when);
        }
    }
    by_value.into_iter().map(|(value, when)| (value, formulas.or(when))).collect()
}
