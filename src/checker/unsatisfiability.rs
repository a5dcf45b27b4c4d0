//! A proof that a formula never holds, if its form does not show it: evaluation for all values of the fluents that it
//! reads, if these are few; otherwise enumeration of the values of variables one after the other that keeps, of a partial
//! assignment, only the part that the remaining constraints can read.
//!
//! Technique: dynamic programming along an order of the variables (bucket elimination: Dechter 1999). The conjuncts of
//! the formula are constraints; so are, for each name, the implications from each disjunct of its body to the name,
//! since a least fixpoint is closed under its rules, and from the name to the literals of its body. A constraint is
//! checked once all its variables have a value, and a variable is dropped after its last constraint.
//! Cost: variables times the maximal number of different partial assignments. On a board whose cells are connected to
//! their neighbours these are the states of a row of it: so the check proves for boards of Hex of up to eight cells a
//! side that one player always connects.
//! Invariant: if the budget runs out, the result is false, that is, unproved.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grounded::ANALYSIS_BUDGET;
use super::{Checked, Checker};
use bouton_base::id::Id;
use bouton_grounding::{
    DeleteRelaxation, FluentId, Formula, FormulaEvaluator, FormulaNode, Ground, NameId, Subject, Values,
    value_numbers,
};

/// A variable of the enumeration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Variable {
    Fluent(FluentId),
    /// A named formula, with the values 0 and 1.
    Name(NameId),
}

/// The maximal number of evaluated nodes of formulas if all values are tried.
const MAX_EVALUATED_NODES: usize = 50_000_000;

/// The maximal number of partial assignments at a time.
const MAX_ASSIGNMENTS: usize = 2_000_000;

/// The maximal number of variables of a constraint.
const MAX_CONSTRAINT_VARIABLES: usize = 64;

impl Checker<'_> {
    /// Returns true if the formula is proved never to hold for the possible values of fluents; false means unproved.
    pub(super) fn is_unsatisfiable(
        &self,
        ground: &mut Ground,
        formula: Formula,
        possible: &DeleteRelaxation,
    ) -> Checked<bool> {
        match self.never_holds_for_any_values(ground, formula, possible)? {
            Some(never) => Ok(never),
            None => self.is_excluded_by_constraints(ground, formula, possible),
        }
    }

    /// Returns true if the constraints of the formula are proved to have no common solution.
    fn is_excluded_by_constraints(
        &self,
        ground: &mut Ground,
        formula: Formula,
        possible: &DeleteRelaxation,
    ) -> Checked<bool> {
        let constraints = constraints(ground, formula);
        let of: Vec<Vec<Variable>> = constraints.iter().map(|of| variables(ground, *of)).collect();
        if of.iter().any(|of| of.len() > MAX_CONSTRAINT_VARIABLES) {
            return Ok(false);
        }
        let order = order(ground, of.iter().flatten().copied().collect());
        let places: FxHashMap<Variable, usize> =
            order.iter().enumerate().map(|(place, of)| (*of, place)).collect();
        // By place: the constraints whose last variable it is, and the place of the last constraint that reads it.
        let mut asked: Vec<Vec<Formula>> = vec![Vec::new(); order.len()];
        let mut until = vec![0; order.len()];
        for (constraint, of) in constraints.iter().zip(&of) {
            let Some(last) = of.iter().map(|of| places[of]).max() else {
                match ground.formulas.node(*constraint) {
                    FormulaNode::False => return Ok(true),
                    _ => continue,
                }
            };
            asked[last].push(*constraint);
            of.iter().for_each(|of| until[places[of]] = until[places[of]].max(last));
        }
        let mut budget = ANALYSIS_BUDGET;
        let mut held: Vec<usize> = Vec::new();
        let mut choices: FxHashSet<Box<[u8]>> = FxHashSet::from_iter([Box::default()]);
        let mut chosen = vec![0; order.len()];
        for (place, variable) in order.iter().enumerate() {
            let values: Vec<u8> = match variable {
                Variable::Fluent(fluent) => {
                    value_numbers(possible.values[fluent.index()]).map(|value| value as u8).collect()
                }
                Variable::Name(_) => vec![0, 1],
            };
            let next: Vec<usize> =
                held.iter().copied().chain([place]).filter(|&of| until[of] > place).collect();
            let mut left: FxHashSet<Box<[u8]>> = FxHashSet::default();
            for choice in &choices {
                held.iter().zip(choice).for_each(|(of, value)| chosen[*of] = *value);
                for &value in &values {
                    let cost = 1 + asked[place].len() as u64;
                    let Some(rest) = budget.checked_sub(cost) else { return Ok(false) };
                    budget = rest;
                    chosen[place] = value;
                    let holds =
                        |of: &Formula| Assignment { ground, places: &places, chosen: &chosen }.holds(*of);
                    if asked[place].iter().all(holds) {
                        left.insert(next.iter().map(|of| chosen[*of]).collect());
                    }
                }
            }
            self.tick()?;
            if left.is_empty() {
                return Ok(true);
            }
            if left.len() > MAX_ASSIGNMENTS {
                return Ok(false);
            }
            (held, choices) = (next, left);
        }
        Ok(false)
    }
}

impl Checker<'_> {
    /// Returns true if the formula holds for no possible values of the fluents that it reads, by evaluation; `None` if
    /// these are too many.
    fn never_holds_for_any_values(
        &self,
        ground: &mut Ground,
        formula: Formula,
        possible: &DeleteRelaxation,
    ) -> Checked<Option<bool>> {
        let fluents = fluents_of(ground, formula);
        let mut values: Vec<Values> = fluents.iter().map(|of| possible.values[of.index()]).collect();
        for part in ground.formulas.conjuncts(formula) {
            let FormulaNode::Lit(subject, of) = ground.formulas.node(part) else { continue };
            let Subject::Fluent(fluent) = &ground.formulas.subject(*subject).0 else { continue };
            let place = fluents.binary_search(fluent).ok();
            place.into_iter().for_each(|place| values[place] &= of);
        }
        let values: Vec<Vec<u8>> =
            values.iter().map(|of| value_numbers(*of).map(|value| value as u8).collect()).collect();
        let all = values.iter().map(Vec::len).try_fold(1, usize::checked_mul);
        let cost = all.and_then(|all| all.checked_mul(ground.formulas.len()));
        if cost.is_none_or(|cost| cost > MAX_EVALUATED_NODES) {
            return Ok(None);
        }
        let mut position = ground.initial.clone();
        for number in 0..all.unwrap_or(0) {
            self.tick()?;
            let mut rest = number;
            for (fluent, values) in fluents.iter().zip(&values) {
                position[fluent.index()] = values[rest % values.len()];
                rest /= values.len();
            }
            if FormulaEvaluator::new(&ground.formulas, &position).holds(formula) {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }
}

/// Returns the fluents that a formula reads, also in the definitions of names, in their order.
fn fluents_of(ground: &Ground, formula: Formula) -> Vec<FluentId> {
    let (mut found, mut names, mut waiting) = (Vec::new(), FxHashSet::default(), vec![formula]);
    while let Some(formula) = waiting.pop() {
        for of in variables(ground, formula) {
            match of {
                Variable::Fluent(fluent) => found.push(fluent),
                Variable::Name(name) if names.insert(name) => waiting.push(ground.formulas.definition(name)),
                Variable::Name(_) => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns necessary conditions of the formula, with names as variables.
fn constraints(ground: &mut Ground, formula: Formula) -> Vec<Formula> {
    let mut constraints = ground.formulas.conjuncts(formula);
    let mut seen = FxHashSet::default();
    let mut place = 0;
    while place < constraints.len() {
        for of in variables(ground, constraints[place]) {
            let Variable::Name(name) = of else { continue };
            if seen.insert(name) {
                let body = ground.formulas.definition(name);
                let [not, named] = [false, true].map(|holds| ground.formulas.name_literal(name, holds));
                for way in disjuncts(ground, body) {
                    constraints.push(ground.formulas.implies(way, named));
                }
                for part in ground.formulas.conjuncts(body) {
                    if let FormulaNode::Lit(..) = ground.formulas.node(part) {
                        constraints.push(ground.formulas.or([not, part]));
                    }
                }
            }
        }
        place += 1;
    }
    constraints
}

/// Splits a formula into disjuncts, as far as its first disjunction shows: each of them reads fewer variables.
fn disjuncts(ground: &mut Ground, formula: Formula) -> Vec<Formula> {
    let parts = match ground.formulas.node(formula) {
        FormulaNode::Or(parts) => return parts.to_vec(),
        FormulaNode::And(parts) => parts.to_vec(),
        _ => return vec![formula],
    };
    let is_or = |of: &Formula| matches!(ground.formulas.node(*of), FormulaNode::Or(_));
    let Some(place) = parts.iter().position(is_or) else { return vec![formula] };
    let FormulaNode::Or(each) = ground.formulas.node(parts[place]).clone() else { return vec![formula] };
    let with = |one: &Formula| {
        let mut all = parts.clone();
        all[place] = *one;
        ground.formulas.and(all)
    };
    each.iter().map(with).collect()
}

/// Returns the variables of a formula; names count as variables.
fn variables(ground: &Ground, formula: Formula) -> Vec<Variable> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut waiting = vec![formula];
    while let Some(formula) = waiting.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match ground.formulas.node(formula) {
            FormulaNode::False | FormulaNode::True => {}
            FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
            FormulaNode::Name(name, _) => found.push(Variable::Name(*name)),
            FormulaNode::Lit(subject, _) => match ground.formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => found.push(Variable::Fluent(*fluent)),
                Subject::Count(of) => waiting.extend(of.iter().copied()),
            },
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Sorts the variables for the enumeration: fluents as the state declares them, and each name after the last of the
/// fluents in its own body.
fn order(ground: &Ground, all: Vec<Variable>) -> Vec<Variable> {
    let place = |of: Variable| match of {
        Variable::Fluent(fluent) => (fluent.index(), 0, 0),
        Variable::Name(name) => {
            let own = variables(ground, ground.formulas.definition(name)).into_iter();
            let fluents = own.filter_map(|of| match of {
                Variable::Fluent(fluent) => Some(fluent.index()),
                Variable::Name(_) => None,
            });
            (fluents.max().unwrap_or(usize::MAX), 1, name.index())
        }
    };
    let mut all = all;
    all.sort_by_cached_key(|of| place(*of));
    all.dedup();
    all
}

/// Evaluation of formulas whose variables all have a value.
struct Assignment<'c> {
    ground: &'c Ground,
    places: &'c FxHashMap<Variable, usize>,
    chosen: &'c [u8],
}

impl Assignment<'_> {
    fn value(&self, of: Variable) -> u8 {
        self.chosen[self.places[&of]]
    }

    fn holds(&self, formula: Formula) -> bool {
        match self.ground.formulas.node(formula) {
            FormulaNode::False => false,
            FormulaNode::True => true,
            FormulaNode::And(parts) => parts.iter().all(|part| self.holds(*part)),
            FormulaNode::Or(parts) => parts.iter().any(|part| self.holds(*part)),
            FormulaNode::Name(name, holds) => (self.value(Variable::Name(*name)) == 1) == *holds,
            FormulaNode::Lit(subject, values) => {
                let number = match self.ground.formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) => u32::from(self.value(Variable::Fluent(*fluent))),
                    Subject::Count(of) => of.iter().filter(|part| self.holds(**part)).count() as u32,
                };
                values >> number & 1 == 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::OnceCell;
    use std::sync::Arc;

    use bouton_base::limits::Limits;
    use bouton_base::random::SplitMix;
    use bouton_grounding::{all_values, ground};
    use bouton_project::RuleFiles;
    use bouton_reference::Interpreter;

    use super::*;

    /// The number of fluents of the game, each with three values.
    const CELLS: usize = 5;

    /// Grounds a game with some fluents, and returns it with their ids.
    fn game() -> (Ground, Vec<FluentId>) {
        let source = "game \"g\"; players You; state { level[c: 1..5]: 0..2 = 0; }
            move raise(c: 1..5) { when level[c] < 2; level[c] += 1; }
            end { when stuck => win; }";
        let analysis = RuleFiles::from_string("g.bou", source).analyze(None);
        let rules = Arc::new(analysis.rules.expect("rules without errors"));
        let ground = ground(&rules, &Limits::default()).expect("rules that can be grounded");
        let fluents = ground.fluents.iter().filter(|(_, fluent)| fluent.values.len() == 3);
        let fluents: Vec<FluentId> = fluents.map(|(id, _)| id).collect();
        assert_eq!(fluents.len(), CELLS);
        (ground, fluents)
    }

    /// All values of all fluents.
    fn anywhere(ground: &Ground) -> DeleteRelaxation {
        let all = ground.fluents.iter().map(|(_, fluent)| all_values(fluent.values.len() as u32));
        ground.relaxation_of(all.collect())
    }

    fn check(ground: &mut Ground, formula: Formula, possible: &DeleteRelaxation) -> bool {
        let (rules, limits) = (ground.rules.clone(), Limits::default());
        let checker = Checker {
            rules: &rules,
            family: None,
            grounded: &OnceCell::new(),
            interpreter: Interpreter::new(rules.clone()),
            limits: &limits,
            step: String::new(),
            visited: 0,
        };
        let [by_values, by_constraints] = [
            checker.is_unsatisfiable(ground, formula, possible),
            checker.is_excluded_by_constraints(ground, formula, possible),
        ]
        .map(|answer| answer.unwrap_or_else(|_| panic!("there is no limit")));
        assert_eq!(by_values, by_constraints);
        by_values
    }

    /// Returns a random conjunction of clauses over these fluents.
    fn clauses(ground: &mut Ground, fluents: &[FluentId], random: &mut SplitMix) -> Formula {
        let mut below = |end: u64| (random.word() % end) as usize;
        let mut all = Vec::new();
        for _ in 0..4 + below(14) {
            let mut literal = || {
                let subject = ground.formulas.fluent(fluents[below(CELLS as u64)], 3);
                ground.formulas.lit(subject, 1 + below(6) as Values)
            };
            let literals = [literal(), literal()];
            all.push(ground.formulas.or(literals));
        }
        ground.formulas.and(all)
    }

    #[test]
    fn formulas_are_unsatisfiable_if_no_values_satisfy_them() {
        let (mut ground, fluents) = game();
        let (mut random, mut counts) = (SplitMix::new(1), [0, 0]);
        for _ in 0..300 {
            let formula = clauses(&mut ground, &fluents, &mut random);
            let mut possible = anywhere(&ground);
            for fluent in &fluents {
                possible.values[fluent.index()] = 1 + (random.word() % 7) as Values;
            }
            let mut position = ground.initial.clone();
            let satisfied = (0..3usize.pow(CELLS as u32)).any(|number| {
                let digit = |place: usize| (number / 3usize.pow(place as u32) % 3) as u8;
                let values = fluents.iter().enumerate().map(|(place, fluent)| (fluent.index(), digit(place)));
                values.clone().for_each(|(fluent, value)| position[fluent] = value);
                values.clone().all(|(fluent, value)| possible.values[fluent] >> value & 1 == 1)
                    && FormulaEvaluator::new(&ground.formulas, &position).holds(formula)
            });
            assert_eq!(check(&mut ground, formula, &possible), !satisfied);
            counts[usize::from(satisfied)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }

    #[test]
    fn names_are_variables_of_the_proof() {
        let (mut ground, fluents) = game();
        let subject = ground.formulas.fluent(fluents[0], 3);
        let [low, high] = [0b001, 0b100].map(|values| ground.formulas.lit(subject, values));
        let (first, first_holds) = ground.formulas.name();
        let body = ground.formulas.or([low, first_holds]);
        ground.formulas.define(first, body);
        let everything = anywhere(&ground);
        // A name need not hold, and it holds wherever a disjunct of its body does.
        let denied = ground.formulas.not(first_holds);
        let contradiction = ground.formulas.and([low, denied]);
        assert!(check(&mut ground, contradiction, &everything));
        let possible = ground.formulas.and([high, denied]);
        assert!(!check(&mut ground, possible, &everything));
        let possible = ground.formulas.and([low, first_holds]);
        assert!(!check(&mut ground, possible, &everything));
    }
}
