//! Runs plans: matches the conditions of a rule one after the other with facts.

use bouton_base::cancel;

use super::facts::{AtomId, Facts};
use super::plan::{KeyPart, Plan, Range, Step};
use crate::program::{Condition, Rule};
use crate::sheet::{Pattern, Sentence};
use crate::terms::{TermId, Terms};

/// The value of a variable that has none.
const FREE: TermId = TermId(u32::MAX);

/// The values of the variables of a rule.
pub type Binding<'b> = &'b [TermId];

/// The bindings that satisfy the conditions of a rule, one after the other.
#[derive(Debug, Default)]
pub struct Found {
    values: Vec<TermId>,
    /// The number of bindings of a rule without variables.
    without_vars: usize,
    /// The number of partial bindings that were tried.
    pub tried: usize,
    /// True if a limit ended the search: there are more bindings, or too many partial ones.
    pub is_partial: bool,
}

impl Found {
    /// The bindings, for a rule with this number of variables.
    pub fn bindings(&self, vars: usize) -> impl Iterator<Item = Binding<'_>> {
        (0..self.len(vars)).map(move |at| &self.values[at * vars..(at + 1) * vars])
    }

    /// The number of bindings.
    pub fn len(&self, vars: usize) -> usize {
        self.values.len().checked_div(vars).unwrap_or(self.without_vars)
    }
}

/// Returns the term that a pattern is for a binding; `None` if it would be nested too deeply.
pub fn instantiate(terms: &mut Terms, pattern: &Pattern, binding: Binding<'_>) -> Option<TermId> {
    match pattern {
        Pattern::Var(var) => Some(binding[*var as usize]),
        Pattern::Const(name) => terms.intern(*name, &[]),
        Pattern::Compound(name, args) => {
            let args: Option<Vec<TermId>> = args.iter().map(|arg| instantiate(terms, arg, binding)).collect();
            terms.intern(*name, &args?)
        }
    }
}

/// The facts and rules that plans are run on.
#[derive(Clone, Copy)]
pub struct Ground<'j> {
    pub facts: &'j Facts,
    pub terms: &'j Terms,
    pub rules: &'j [Rule],
}

/// The maximal numbers of bindings that a run finds, and of partial ones that it tries.
#[derive(Clone, Copy)]
pub struct MaxBindings {
    pub found: usize,
    pub tried: usize,
}

/// Runs a plan; `fact` is the fact that triggers it.
pub fn run(of: Ground<'_>, plan: &Plan, fact: Option<AtomId>, max: MaxBindings) -> Found {
    let Ground { facts, terms, rules } = of;
    let rule = &rules[plan.rule];
    let order = fact.map_or(0, |fact| facts.order(fact));
    let binding = vec![FREE; rule.vars];
    let found = Found::default();
    let mut join = Join { facts, terms, rule, plan, order, binding, found, max };
    // A relation without facts would be met after all combinations of those before it.
    let is_empty = |step: &Step| match step {
        Step::Join { condition, .. } => match &rule.body[*condition] {
            Condition::Positive(sentence) => facts.count(sentence.relation) == 0,
            _ => false,
        },
        _ => false,
    };
    if plan.steps.iter().any(is_empty) {
        return join.found;
    }
    if let Some(fact) = fact
        && let Some(Condition::Positive(sentence)) = plan.trigger.map(|at| &rule.body[at])
        && !join.matches(sentence, fact, &mut Vec::new())
    {
        return join.found;
    }
    join.step(0);
    join.found
}

/// The state of running a plan.
struct Join<'j> {
    facts: &'j Facts,
    terms: &'j Terms,
    rule: &'j Rule,
    plan: &'j Plan,
    /// The order of the trigger.
    order: u32,
    binding: Vec<TermId>,
    found: Found,
    max: MaxBindings,
}

impl Join<'_> {
    fn step(&mut self, at: usize) {
        cancel::step();
        self.found.tried += 1;
        if self.found.without_vars > self.max.found || self.found.tried > self.max.tried {
            self.found.is_partial = true;
            return;
        }
        let Some(step) = self.plan.steps.get(at) else {
            self.found.values.extend_from_slice(&self.binding);
            self.found.without_vars += 1;
            return;
        };
        match step {
            Step::Join { condition, index, key, range } => {
                let Condition::Positive(sentence) = &self.rule.body[*condition] else { return };
                let key: Option<Vec<u32>> = key
                    .iter()
                    .map(|part| match part {
                        KeyPart::Known(number) => Some(*number),
                        KeyPart::Term(pattern) => Some(self.lookup(pattern)?.0),
                    })
                    .collect();
                let Some(key) = key else { return };
                let facts = self.facts;
                let mut trail = Vec::new();
                for &fact in facts.lookup(*index, &key) {
                    let order = facts.order(fact);
                    let inside = match range {
                        Range::Before => order < self.order,
                        Range::UpTo => order <= self.order,
                        Range::All => true,
                    };
                    if !inside {
                        break;
                    }
                    if self.matches(sentence, fact, &mut trail) {
                        self.step(at + 1);
                    }
                    for var in trail.drain(..) {
                        self.binding[var as usize] = FREE;
                    }
                    if self.found.is_partial {
                        return;
                    }
                }
            }
            Step::Compare { condition } => {
                let Condition::Compare(a, b, differ) = &self.rule.body[*condition] else { return };
                // A term that has not occurred equals only itself.
                let same = match (self.lookup(a), self.lookup(b)) {
                    (Some(a), Some(b)) => a == b,
                    (None, None) => self.same_structure(a, b),
                    _ => false,
                };
                if same != *differ {
                    self.step(at + 1);
                }
            }
            Step::Equate { known, open } => {
                let Some(known) = self.lookup(known) else { return };
                let mut trail = Vec::new();
                if self.fits(open, known, &mut trail) {
                    self.step(at + 1);
                }
                for var in trail {
                    self.binding[var as usize] = FREE;
                }
            }
            Step::Absent { condition } => {
                let Condition::Negative(sentence) = &self.rule.body[*condition] else { return };
                let args: Option<Vec<TermId>> = sentence.args.iter().map(|arg| self.lookup(arg)).collect();
                let atom = args.and_then(|args| self.facts.find(sentence.relation, &args));
                if !atom.is_some_and(|atom| self.facts.is_fact(atom)) {
                    self.step(at + 1);
                }
            }
        }
    }

    /// The term that a pattern is, if that term has occurred.
    fn lookup(&self, pattern: &Pattern) -> Option<TermId> {
        match pattern {
            Pattern::Var(var) => Some(self.binding[*var as usize]).filter(|&value| value != FREE),
            Pattern::Const(name) => self.terms.find(*name, &[]),
            Pattern::Compound(name, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.lookup(arg)).collect();
                self.terms.find(*name, &args?)
            }
        }
    }

    /// Compares two terms part by part.
    fn same_structure(&self, a: &Pattern, b: &Pattern) -> bool {
        match (a, b) {
            (Pattern::Const(a), Pattern::Const(b)) => a == b,
            (Pattern::Compound(f, a), Pattern::Compound(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_structure(a, b))
            }
            _ => match (self.lookup(a), self.lookup(b)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// Matches the arguments of a sentence with those of a fact; the trail gets the variables that it binds.
    fn matches(&mut self, sentence: &Sentence, fact: AtomId, trail: &mut Vec<u32>) -> bool {
        let facts = self.facts;
        sentence.args.iter().zip(facts.args(fact)).all(|(pattern, &term)| self.fits(pattern, term, trail))
    }

    fn fits(&mut self, pattern: &Pattern, term: TermId, trail: &mut Vec<u32>) -> bool {
        match pattern {
            Pattern::Var(var) => {
                let value = &mut self.binding[*var as usize];
                if *value == FREE {
                    *value = term;
                    trail.push(*var);
                    return true;
                }
                *value == term
            }
            Pattern::Const(name) => {
                let term = self.terms.get(term);
                term.name == *name && term.args.is_empty()
            }
            Pattern::Compound(name, args) => {
                let terms = self.terms;
                let term = terms.get(term);
                term.name == *name
                    && term.args.len() == args.len()
                    && args.iter().zip(&term.args).all(|(pattern, &part)| self.fits(pattern, part, trail))
            }
        }
    }
}
