//! That a formula never holds, where its form does not show it: by going through the values of fluents one after the
//! other and keeping, of what was chosen, only what the rest of the formula may still ask about.
//!
//! Technique: dynamic programming along an order of the variables (bucket elimination: Dechter 1999). The parts of the
//! formula are constraints; so is, for each name, that what derives it makes it hold, since a least fixpoint is closed
//! under its rules, and that where it holds something derives it. A constraint is asked once all its variables have a
//! value, and a variable is forgotten once no constraint has it any more.
//! Cost: steps times the number of different choices that are remembered at once. On a board whose cells are joined to
//! their neighbours these are what a row of it can be: that one side of Hex is always joined is shown so up to eight cells
//! a side.
//! Invariant: what is not shown within the budget is not shown.

use rustc_hash::{FxHashMap, FxHashSet};

use super::written::BUDGET;
use super::{Checker, Stop};
use crate::base::id::Id;
use crate::ground::{FluentId, Formula, Ground, NameId, Node, Possible, Subject, numbers};

/// What has a value of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Variable {
    Fluent(FluentId),
    /// Whether it holds.
    Name(NameId),
}

/// No more choices are remembered at once.
const MOST_CHOICES: usize = 2_000_000;

/// So many variables a constraint may have.
const MOST_VARIABLES: usize = 64;

impl Checker<'_> {
    /// Whether a formula never holds where fluents have the values that are possible: true only where that was shown.
    pub(super) fn never(
        &self,
        ground: &mut Ground,
        formula: Formula,
        possible: &Possible,
    ) -> Result<bool, Stop> {
        let constraints = constraints(ground, formula);
        let of: Vec<Vec<Variable>> = constraints.iter().map(|of| variables(ground, *of)).collect();
        if of.iter().any(|of| of.len() > MOST_VARIABLES) {
            return Ok(false);
        }
        let order = order(ground, of.iter().flatten().copied().collect());
        let places: FxHashMap<Variable, usize> =
            order.iter().enumerate().map(|(place, of)| (*of, place)).collect();
        // By place: the constraints whose last variable it is, and the last place where it is asked about.
        let mut asked: Vec<Vec<Formula>> = vec![Vec::new(); order.len()];
        let mut until = vec![0; order.len()];
        for (constraint, of) in constraints.iter().zip(&of) {
            let Some(last) = of.iter().map(|of| places[of]).max() else {
                match ground.formulas.node(*constraint) {
                    Node::False => return Ok(true),
                    _ => continue,
                }
            };
            asked[last].push(*constraint);
            of.iter().for_each(|of| until[places[of]] = until[places[of]].max(last));
        }
        let mut budget = BUDGET;
        let mut held: Vec<usize> = Vec::new();
        let mut choices: FxHashSet<Box<[u8]>> = FxHashSet::from_iter([Box::default()]);
        let mut chosen = vec![0; order.len()];
        for (place, variable) in order.iter().enumerate() {
            let values: Vec<u8> = match variable {
                Variable::Fluent(fluent) => {
                    numbers(possible.values[fluent.index()]).map(|value| value as u8).collect()
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
                    let holds = |of: &Formula| Chosen { ground, places: &places, chosen: &chosen }.holds(*of);
                    if asked[place].iter().all(holds) {
                        left.insert(next.iter().map(|of| chosen[*of]).collect());
                    }
                }
            }
            if let Some(hit) = self.limits.check() {
                return Err(Stop::Limit(hit));
            }
            if left.is_empty() {
                return Ok(true);
            }
            if left.len() > MOST_CHOICES {
                return Ok(false);
            }
            (held, choices) = (next, left);
        }
        Ok(false)
    }
}

/// What all must hold where the formula does, names being variables.
fn constraints(ground: &mut Ground, formula: Formula) -> Vec<Formula> {
    let mut constraints = match ground.formulas.node(formula) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![formula],
    };
    let mut seen = FxHashSet::default();
    let mut place = 0;
    while place < constraints.len() {
        for of in variables(ground, constraints[place]) {
            let Variable::Name(name) = of else { continue };
            if seen.insert(name) {
                let body = ground.formulas.named(name);
                let [not, named] = [false, true].map(|holds| ground.formulas.named_so(name, holds));
                for way in ways(ground, body) {
                    constraints.push(ground.formulas.implies(way, named));
                }
                let parts = match ground.formulas.node(body) {
                    Node::And(parts) => parts.to_vec(),
                    _ => vec![body],
                };
                for part in parts {
                    if let Node::Lit(..) = ground.formulas.node(part) {
                        constraints.push(ground.formulas.or([not, part]));
                    }
                }
            }
        }
        place += 1;
    }
    constraints
}

/// The ways in which a formula may hold, as far as they show at first sight: each by itself speaks of less.
fn ways(ground: &mut Ground, formula: Formula) -> Vec<Formula> {
    let parts = match ground.formulas.node(formula) {
        Node::Or(parts) => return parts.to_vec(),
        Node::And(parts) => parts.to_vec(),
        _ => return vec![formula],
    };
    let is_or = |of: &Formula| matches!(ground.formulas.node(*of), Node::Or(_));
    let Some(place) = parts.iter().position(is_or) else { return vec![formula] };
    let Node::Or(each) = ground.formulas.node(parts[place]).clone() else { return vec![formula] };
    let with = |one: &Formula| {
        let mut all = parts.clone();
        all[place] = *one;
        ground.formulas.and(all)
    };
    each.iter().map(with).collect()
}

/// What a formula asks about, names standing for themselves.
fn variables(ground: &Ground, formula: Formula) -> Vec<Variable> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut waiting = vec![formula];
    while let Some(formula) = waiting.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match ground.formulas.node(formula) {
            Node::False | Node::True => {}
            Node::And(parts) | Node::Or(parts) => waiting.extend(parts.iter().copied()),
            Node::Name(name, _) => found.push(Variable::Name(*name)),
            Node::Lit(subject, _) => match ground.formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => found.push(Variable::Fluent(*fluent)),
                Subject::Count(of) => waiting.extend(of.iter().copied()),
            },
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The order in which values are chosen: fluents as the state declares them, and each name with the last of the fluents
/// that its formula itself speaks of.
fn order(ground: &Ground, all: Vec<Variable>) -> Vec<Variable> {
    let place = |of: Variable| match of {
        Variable::Fluent(fluent) => (fluent.index(), 0, 0),
        Variable::Name(name) => {
            let own = variables(ground, ground.formulas.named(name)).into_iter();
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

/// Formulas where all that they ask about has a value.
struct Chosen<'c> {
    ground: &'c Ground,
    places: &'c FxHashMap<Variable, usize>,
    chosen: &'c [u8],
}

impl Chosen<'_> {
    fn value(&self, of: Variable) -> u8 {
        self.chosen[self.places[&of]]
    }

    fn holds(&self, formula: Formula) -> bool {
        match self.ground.formulas.node(formula) {
            Node::False => false,
            Node::True => true,
            Node::And(parts) => parts.iter().all(|part| self.holds(*part)),
            Node::Or(parts) => parts.iter().any(|part| self.holds(*part)),
            Node::Name(name, holds) => (self.value(Variable::Name(*name)) == 1) == *holds,
            Node::Lit(subject, values) => {
                let number = match self.ground.formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) => u32::from(self.value(Variable::Fluent(*fluent))),
                    Subject::Count(of) => of.iter().filter(|part| self.holds(**part)).count() as u32,
                };
                values >> number & 1 == 1
            }
        }
    }
}
