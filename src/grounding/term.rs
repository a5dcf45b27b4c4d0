//! Symbolic terms: the values of an expression in all positions at once, each with its condition.

use std::collections::BTreeMap;

use super::formula::{FALSE, Formula, Formulas, TRUE};
use bouton_rules::Value;

/// A symbolic value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SymbolicTerm {
    /// Each value with its condition, in the order of the values; at most one condition holds. Where none holds the
    /// term is undefined.
    Cases(Vec<(Value, Formula)>),
    /// A set, element by element.
    Set(SetTerm),
}

/// A set as the condition of each element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetTerm {
    /// Holds where the set is defined.
    pub defined: Formula,
    /// The condition of each element, in the order of the elements; all others never belong to the set.
    pub members: Vec<(Value, Formula)>,
}

/// The maximal number of uncertain elements of a set that is expanded into its subsets.
const MAX_UNCERTAIN_ELEMENTS: usize = 8;

impl SymbolicTerm {
    /// Returns a value that is the same in all positions.
    pub fn constant(value: Value) -> SymbolicTerm {
        SymbolicTerm::Cases(vec![(value, TRUE)])
    }

    /// Returns the undefined term.
    pub fn undefined() -> SymbolicTerm {
        SymbolicTerm::Cases(Vec::new())
    }

    /// Returns a formula as a Boolean term.
    pub fn of_formula(formulas: &mut Formulas, formula: Formula) -> SymbolicTerm {
        let not = formulas.not(formula);
        SymbolicTerm::cases(formulas, [(Value::Bool(false), not), (Value::Bool(true), formula)])
    }

    /// Returns a term of values with conditions; equal values are merged.
    pub fn cases(formulas: &mut Formulas, cases: impl IntoIterator<Item = (Value, Formula)>) -> SymbolicTerm {
        SymbolicTerm::Cases(merge_cases(formulas, cases))
    }

    /// Returns the value, if it is the same in all positions.
    pub fn known(&self) -> Option<&Value> {
        match self {
            SymbolicTerm::Cases(cases) => match &cases[..] {
                [(value, TRUE)] => Some(value),
                _ => None,
            },
            SymbolicTerm::Set(_) => None,
        }
    }

    /// Returns the condition under which the term has a value.
    pub fn defined(&self, formulas: &mut Formulas) -> Formula {
        match self {
            SymbolicTerm::Cases(cases) => formulas.or(cases.iter().map(|(_, when)| *when)),
            SymbolicTerm::Set(set) => set.defined,
        }
    }

    /// Returns the term restricted to a condition; undefined elsewhere.
    pub fn when(self, formulas: &mut Formulas, condition: Formula) -> SymbolicTerm {
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
            SymbolicTerm::Cases(cases) => SymbolicTerm::Cases(under(cases)),
            SymbolicTerm::Set(SetTerm { defined, members }) => {
                let members = under(members);
                SymbolicTerm::Set(SetTerm { defined: formulas.and([defined, condition]), members })
            }
        }
    }

    /// Returns the union of several terms, at most one of which is defined in a position.
    pub fn either(formulas: &mut Formulas, terms: Vec<SymbolicTerm>) -> SymbolicTerm {
        if terms.iter().any(|term| matches!(term, SymbolicTerm::Set(_))) {
            let mut defined = Vec::new();
            let mut members = Vec::new();
            for term in terms {
                let set = term.into_set(formulas);
                defined.push(set.defined);
                members.extend(set.members);
            }
            let members = merge_cases(formulas, members);
            return SymbolicTerm::Set(SetTerm { defined: formulas.or(defined), members });
        }
        let cases = terms.into_iter().flat_map(|term| match term {
            SymbolicTerm::Cases(cases) => cases,
            SymbolicTerm::Set(_) => Vec::new(),
        });
        SymbolicTerm::cases(formulas, cases)
    }

    /// Returns the term as a set; values that are no sets become undefined.
    pub fn into_set(self, formulas: &mut Formulas) -> SetTerm {
        match self {
            SymbolicTerm::Set(set) => set,
            SymbolicTerm::Cases(cases) => {
                let (mut defined, mut members) = (Vec::new(), Vec::new());
                for (value, when) in cases {
                    if let Value::Set(elements) | Value::List(elements) = &value {
                        defined.push(when);
                        members.extend(elements.iter().map(|element| (element.clone(), when)));
                    }
                }
                let members = merge_cases(formulas, members);
                SetTerm { defined: formulas.or(defined), members }
            }
        }
    }

    /// Returns the term as cases; `None` for a set with too many uncertain elements.
    pub fn into_cases(self, formulas: &mut Formulas) -> Option<Vec<(Value, Formula)>> {
        let set = match self {
            SymbolicTerm::Cases(cases) => return Some(cases),
            SymbolicTerm::Set(set) => set,
        };
        if set.members.iter().filter(|(_, when)| *when != set.defined).count() > MAX_UNCERTAIN_ELEMENTS {
            return None;
        }
        let mut sets = vec![(Vec::new(), set.defined)];
        for (element, when) in set.members {
            let mut longer = Vec::new();
            for (elements, so_far) in sets {
                let with = formulas.and([so_far, when]);
                let without = formulas.and_not(so_far, when);
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
        Some(merge_cases(formulas, sets.into_iter().map(|(elements, when)| (Value::set(elements), when))))
    }
}

impl SetTerm {
    /// Returns the condition under which the set contains an element.
    pub fn has(&self, element: &Value) -> Formula {
        match self.members.binary_search_by(|(member, _)| member.cmp(element)) {
            Ok(place) => self.members[place].1,
            Err(_) => FALSE,
        }
    }
}

/// Sorts values with conditions, merges equal ones and drops impossible ones.
pub(super) fn merge_cases(
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
