//! Facts that are functions: `(plus 3 4 7)` is a sum, `(add 3 left 2)` the sum of a number and the step that a name stands
//! for, and `(step north 0 up)` gives two values for each name. In the text, they are terms: `x + y`, `x + add(d)`, `dx(d)`.

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::in_range;
use super::types::{Kind, Place};
use super::{Importer, Static};
use crate::sheet::{Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// A function of one argument as a definition: its name, its parameter, and its values.
#[derive(Clone, Debug)]
pub struct Function {
    name: String,
    values: Vec<(String, String)>,
}

/// The sums or differences of all numbers of two sets, as far as they are in a third one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arithmetic {
    /// True if the third argument is the first minus the second.
    subtracts: bool,
    /// The numbers that occur as each argument.
    numbers: [BTreeSet<i64>; 3],
}

impl Arithmetic {
    /// Reads the operation off all its triples; `None` if they are not all sums, or not all differences, that there are
    /// between the least and the greatest result.
    fn of(triples: &BTreeSet<[i64; 3]>) -> Option<Arithmetic> {
        let at = |place: usize| triples.iter().map(|triple| triple[place]).collect::<BTreeSet<i64>>();
        let numbers = [0, 1, 2].map(at);
        let (least, most) = (*numbers[2].first()?, *numbers[2].last()?);
        let is = |subtracts: bool| {
            let result = |a: i64, b: i64| if subtracts { a - b } else { a + b };
            let inside = |a: i64, b: &&i64| (least..=most).contains(&result(a, **b));
            let count =
                numbers[0].iter().map(|&a| numbers[1].iter().filter(|b| inside(a, b)).count()).sum::<usize>();
            count == triples.len() && triples.iter().all(|&[a, b, c]| c == result(a, b))
        };
        let subtracts = [false, true].into_iter().find(|&subtracts| is(subtracts))?;
        Some(Arithmetic { subtracts, numbers })
    }

    /// The only argument that is not given, and its term: `m - s` for the first of `(plus ?r ?s ?m)`.
    pub(super) fn open_term(&self, terms: &[Option<String>]) -> Option<(usize, String)> {
        // What follows a minus keeps its own sum together.
        let last = |term: &String| if term.contains(' ') { format!("({term})") } else { term.clone() };
        match (terms, self.subtracts) {
            ([Some(a), Some(b), None], false) if a.parse::<i64>().is_ok() => Some((2, format!("{b} + {a}"))),
            ([Some(a), Some(b), None], false) => Some((2, format!("{a} + {b}"))),
            ([Some(a), Some(b), None], true) => Some((2, format!("{a} - {}", last(b)))),
            ([Some(a), None, Some(c)], false) => Some((1, format!("{c} - {}", last(a)))),
            ([Some(a), None, Some(c)], true) => Some((1, format!("{a} - {}", last(c)))),
            ([None, Some(b), Some(c)], false) => Some((0, format!("{c} - {}", last(b)))),
            ([None, Some(b), Some(c)], true) => Some((0, format!("{c} + {b}"))),
            _ => None,
        }
    }

    /// The conditions that the third of these terms is the result of the others.
    pub(super) fn conditions(&self, terms: &[String], ranges: &[Option<(i64, i64)>]) -> Vec<String> {
        let all = [Some(terms[0].clone()), Some(terms[1].clone()), None];
        let result = self.open_term(&all).map_or(String::new(), |(_, term)| term);
        let mut parts = vec![format!("{} = {result}", terms[2])];
        parts.extend(self.bounds(terms, ranges, None));
        parts
    }

    /// The conditions that these terms are among the numbers of their places, where neither their types nor the operation
    /// and the other conditions show it. `open`: the place of a term that is the result, with true if it is a key, which has
    /// no values outside its type.
    pub(super) fn bounds(
        &self,
        terms: &[String],
        ranges: &[Option<(i64, i64)>],
        open: Option<(usize, bool)>,
    ) -> Vec<String> {
        let mut known: [Option<(i64, i64)>; 3] = [0, 1, 2].map(|at| match terms[at].parse::<i64>() {
            Ok(number) => Some((number, number)),
            // A sum may be outside of the type of the place.
            Err(_) => {
                ranges[at].filter(|_| !terms[at].contains(' ') && open.is_none_or(|(open, _)| open != at))
            }
        });
        let mut parts = Vec::new();
        // What is required of the result, and of the number that is added, restricts the others.
        let first = open.map(|(at, _)| at);
        for at in first.into_iter().chain([1, 2, 0].into_iter().filter(|at| Some(*at) != first)) {
            let numbers = &self.numbers[at];
            let (Some(&least), Some(&most)) = (numbers.first(), numbers.last()) else { continue };
            let is_interval = most - least + 1 == numbers.len() as i64;
            // A key has the type of the place, which may have further numbers.
            let needs_none = open == Some((at, true)) && is_interval && ranges[at] == Some((least, most));
            let fits = match (terms[at].parse::<i64>(), self.implied(at, &known)) {
                (Ok(number), _) => numbers.contains(&number),
                (Err(_), Some((low, high))) => is_interval && least <= low && high <= most,
                (Err(_), None) => false,
            };
            if !fits && !needs_none {
                let listed = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                parts.push(match is_interval {
                    true => in_range(&terms[at], (least, most)),
                    false => format!("{} in {{ {listed} }}", terms[at]),
                });
            }
            if !fits || needs_none {
                known[at] = Some((least, most));
            }
        }
        parts
    }

    /// The numbers that one place may have by its own range and by the ranges of the others; `None` if they are not known.
    fn implied(&self, at: usize, known: &[Option<(i64, i64)>; 3]) -> Option<(i64, i64)> {
        let [a, b, c] = *known;
        let add = |x: (i64, i64), y: (i64, i64)| (x.0 + y.0, x.1 + y.1);
        let subtract = |x: (i64, i64), y: (i64, i64)| (x.0 - y.1, x.1 - y.0);
        let by_others = match (at, self.subtracts) {
            (0, false) => c.zip(b).map(|(c, b)| subtract(c, b)),
            (0, true) => c.zip(b).map(|(c, b)| add(c, b)),
            (1, false) => c.zip(a).map(|(c, a)| subtract(c, a)),
            (1, true) => a.zip(c).map(|(a, c)| subtract(a, c)),
            (_, false) => a.zip(b).map(|(a, b)| add(a, b)),
            (_, true) => a.zip(b).map(|(a, b)| subtract(a, b)),
        };
        match (by_others, known[at]) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))),
            (one, other) => one.or(other),
        }
    }
}

impl Importer<'_> {
    /// The form of facts of three arguments that are sums or differences.
    pub(super) fn arithmetic_form(&self, relation: Symbol) -> Option<Static> {
        let number = |of: &String| of.parse::<i64>().ok();
        let triple = |tuple: Vec<String>| {
            <[i64; 3]>::try_from(tuple.iter().map(number).collect::<Option<Vec<i64>>>()?).ok()
        };
        let triples: Option<BTreeSet<[i64; 3]>> = self.tuples(relation).into_iter().map(triple).collect();
        let are_numbers = self.ranges(relation).iter().all(Option::is_some);
        Arithmetic::of(&triples.filter(|all| all.len() > 1 && are_numbers)?).map(Static::Arithmetic)
    }

    /// The types of the three arguments of a relation, as far as they are ranges of numbers.
    pub(super) fn ranges(&self, relation: Symbol) -> [Option<(i64, i64)>; 3] {
        [0, 1, 2].map(|at| match self.types.kind(Place::Relation(relation, at)) {
            Some(Kind::Numbers(least, most)) => Some((*least, *most)),
            _ => None,
        })
    }

    /// The form of facts of three arguments or more that are functions.
    pub(super) fn function_form(&self, relation: Symbol) -> Option<Static> {
        let tuples = self.tuples(relation);
        let arity = tuples.first()?.len();
        if arity < 3 || !self.is_list_of_facts(relation) {
            return None;
        }
        self.sum_form(relation, &tuples).or_else(|| {
            let keys: BTreeMap<&String, usize> = tuples.iter().map(|tuple| (&tuple[0], 1)).collect();
            let members = self.members(Place::Relation(relation, 0))?;
            (keys.len() == tuples.len() && members.iter().all(|member| keys.contains_key(member)))
                .then_some(Static::Functions)
        })
    }

    /// The names of the values of an enumeration.
    fn members(&self, place: Place) -> Option<&[String]> {
        let Some(Kind::Enum(name)) = self.types.kind(place) else { return None };
        self.types.enums.iter().find(|(of, _)| of == name).map(|(_, members)| &members[..])
    }

    fn is_list_of_facts(&self, relation: Symbol) -> bool {
        self.clauses_of(relation).iter().all(|(_, clause)| clause.body.is_empty())
    }

    /// The form of facts whose third argument is the sum of the first and a number for the second.
    fn sum_form(&self, relation: Symbol, tuples: &[Vec<String>]) -> Option<Static> {
        let steps = self.steps(tuples)?;
        let members = self.members(Place::Relation(relation, 1))?;
        let [first, _, third] = self.ranges(relation);
        let ((least, most), to) = (first?, third?);
        let sums = (least..=most).flat_map(|a| steps.values().map(move |step| a + step));
        let count = sums.filter(|sum| (to.0..=to.1).contains(sum)).count();
        let is_total = members.iter().all(|member| steps.contains_key(member));
        (is_total && count == tuples.len()).then_some(Static::Sum { least: to.0, most: to.1 })
    }

    /// The number that each second argument adds to the first one.
    fn steps(&self, tuples: &[Vec<String>]) -> Option<BTreeMap<String, i64>> {
        let mut steps: BTreeMap<String, i64> = BTreeMap::new();
        for tuple in tuples {
            let [a, step, b] = &tuple[..] else { return None };
            let by = b.parse::<i64>().ok()? - a.parse::<i64>().ok()?;
            if *steps.entry(step.clone()).or_insert(by) != by {
                return None;
            }
        }
        Some(steps)
    }

    /// Names the functions of all relations that are functions.
    pub(super) fn name_functions(&mut self) {
        let relations: Vec<(Symbol, Static)> =
            self.statics.iter().map(|(relation, form)| (*relation, form.clone())).collect();
        for (relation, form) in relations {
            let tuples = self.tuples(relation);
            let found = match form {
                Static::Sum { .. } => {
                    let steps = self.steps(&tuples).unwrap_or_default();
                    let values = steps.into_iter().map(|(step, by)| (step, by.to_string())).collect();
                    vec![Function { name: self.definitions[&relation].clone(), values }]
                }
                Static::Functions => {
                    let arity = tuples.first().map_or(0, Vec::len);
                    let make = |at: usize, name: String| {
                        let value = |tuple: &Vec<String>| (tuple[0].clone(), tuple[at].clone());
                        Function { name, values: tuples.iter().map(value).collect() }
                    };
                    let names: Vec<String> = (1..arity).map(|at| self.argument_name(relation, at)).collect();
                    let names: Vec<String> = names.iter().map(|name| self.types.fresh(name)).collect();
                    (1..).zip(names).map(|(at, name)| make(at, name)).collect()
                }
                _ => continue,
            };
            self.functions.insert(relation, found);
        }
    }

    /// The name that rules have for an argument of a relation.
    fn argument_name(&self, relation: Symbol, at: usize) -> String {
        for (_, clause) in &self.clauses {
            for literal in &clause.body {
                if let Literal::Positive(of) = literal
                    && of.relation == relation
                    && let Pattern::Var(var) = of.args[at]
                {
                    return clause.vars[var as usize].trim_start_matches('?').to_owned();
                }
            }
        }
        format!("{}_{}", self.symbol(relation), at + 1)
    }

    /// The values of the functions of a relation for its first argument, as terms.
    pub(super) fn values_of(&self, relation: Symbol, first: &str) -> Vec<String> {
        let functions = self.functions.get(&relation).into_iter().flatten();
        functions.map(|function| format!("{}({first})", function.name)).collect()
    }

    /// The number that the second argument of a sum adds, as a term.
    pub(super) fn step(&self, sentence: &Sentence, second: &str) -> String {
        self.values_of(sentence.relation, second).into_iter().next().unwrap_or_default()
    }

    /// Writes the functions that the text calls.
    pub(super) fn write_functions(&mut self) {
        let functions: Vec<(Symbol, Function)> = self
            .functions
            .iter()
            .flat_map(|(relation, functions)| functions.iter().map(|function| (*relation, function.clone())))
            .collect();
        for (relation, function) in functions {
            if !super::formulas::mentions(&self.out, &function.name) {
                continue;
            }
            let at = usize::from(matches!(self.statics.get(&relation), Some(Static::Sum { .. })));
            let Ok(of) = self.types.written(Place::Relation(relation, at)) else { continue };
            let param = self.types.unused("d");
            let arms: Vec<String> =
                function.values.iter().map(|(from, to)| format!("{from} => {to}")).collect();
            let name = &function.name;
            self.line(&format!("def {name}({param}: {of}) = match {param} {{ {} }};", arms.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(terms: [&str; 3]) -> Vec<String> {
        terms.map(str::to_owned).to_vec()
    }

    #[test]
    fn bounds_are_written_where_nothing_implies_them() {
        let all = |least: i64, most: i64| {
            let pairs = (0..=12).flat_map(move |a| (least..=most).map(move |b| [a, b, a + b]));
            pairs.filter(|triple| triple[2] <= 12).collect::<BTreeSet<[i64; 3]>>()
        };
        let plus = Arithmetic::of(&all(1, 4)).expect("sums");
        assert!(!plus.subtracts && Arithmetic::of(&BTreeSet::from([[1, 1, 2], [2, 2, 5]])).is_none());
        // One sum is missing.
        let mut others = all(1, 4);
        others.remove(&[3, 2, 5]);
        assert!(Arithmetic::of(&others).is_none());
        let ranges = [Some((0, 12)); 3];
        // The types and the sum imply the rest.
        assert_eq!(plus.conditions(&words(["x", "1", "y"]), &ranges), ["y = x + 1"]);
        assert_eq!(plus.conditions(&words(["x", "k", "y"]), &ranges), ["y = x + k", "k in 1..4"]);
        let given = [None, Some("k".to_owned()), Some("m".to_owned())];
        assert_eq!(plus.open_term(&given), Some((0, "m - k".to_owned())));
        let bounds = |is_key: bool| plus.bounds(&words(["m - k", "k", "m"]), &ranges, Some((0, is_key)));
        assert_eq!(bounds(false), ["m - k in 0..11", "k in 1..4"]);
        // A key of the type 0..12 may be 12, which is no first argument.
        assert_eq!(bounds(true), bounds(false));
    }
}
