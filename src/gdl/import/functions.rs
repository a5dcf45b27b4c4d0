//! Facts that are functions: `(add 3 left 2)` is the sum of a number and the step that a name stands for, and
//! `(step north 0 up)` gives two values for each name. In the text, they are terms: `x + add(d)`, `dx(d)`.

use std::collections::BTreeMap;

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

impl Importer<'_> {
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
        let range = |at: usize| match self.types.kind(Place::Relation(relation, at)) {
            Some(Kind::Numbers(least, most)) => Some((*least, *most)),
            _ => None,
        };
        let ((least, most), to) = (range(0)?, range(2)?);
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
