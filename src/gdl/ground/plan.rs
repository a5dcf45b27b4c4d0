//! Plans of joins: the order in which the conditions of a rule are matched, and the index for each.
//!
//! The next condition is the one with the fewest expected matches, by the size of its relation and the number of its
//! parts that are known (Selinger et al., 1979, in its greedy form); tests come as soon as their variables are bound.

use rustc_hash::FxHashSet;

use super::facts::{Facts, IndexId, Path};
use crate::program::{Condition, Rule};
use crate::sheet::{Pattern, Sentence};
use crate::terms::{Symbol, Terms};

/// The facts that a condition may match, by their order relative to the fact that triggers the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// Those before the trigger.
    Before,
    /// Those up to the trigger.
    UpTo,
    /// All: the relation is complete.
    All,
}

/// A step of a plan; it refers to a condition of the rule by its index.
#[derive(Debug)]
pub enum Step {
    /// Matches the facts that an index gives for a key.
    Join { condition: usize, index: IndexId, key: Vec<KeyPart>, range: Range },
    /// Tests that two terms differ (true) or are the same (false).
    Compare { condition: usize },
    /// Matches one side of an equality with the other side, which is ground.
    Equate { known: Pattern, open: Pattern },
    /// Tests that a sentence of a complete relation is no fact.
    Absent { condition: usize },
}

/// A part of a key.
#[derive(Debug)]
pub enum KeyPart {
    Known(u32),
    /// The value of a term whose variables are bound.
    Term(Pattern),
}

/// The order of the conditions of one rule for one trigger.
#[derive(Debug)]
pub struct Plan {
    pub rule: usize,
    /// The condition that the new fact matches; `None` if no fact triggers the rule.
    pub trigger: Option<usize>,
    pub steps: Vec<Step>,
}

/// The facts that a plan is made for.
pub struct Planner<'p> {
    pub facts: &'p mut Facts,
    pub terms: &'p Terms,
    /// Returns true for relations whose facts are all known.
    pub is_complete: &'p dyn Fn(Symbol) -> bool,
}

/// The assumed number of facts of a relation that is not complete yet.
const ASSUMED_FACTS: f64 = 400.0;

impl Planner<'_> {
    /// Makes the plan of a rule for a trigger.
    pub fn plan(&mut self, rules: &[Rule], rule: usize, trigger: Option<usize>) -> Plan {
        let of = &rules[rule];
        let mut bound: FxHashSet<u32> = FxHashSet::default();
        let mut todo: Vec<usize> = (0..of.body.len()).filter(|&at| Some(at) != trigger).collect();
        if let Some(Condition::Positive(sentence)) = trigger.map(|at| &of.body[at]) {
            sentence.each_var(&mut |var| {
                bound.insert(var);
            });
        }
        let mut steps = Vec::new();
        loop {
            self.tests(of, &mut todo, &mut bound, &mut steps);
            let positive = |at: &&usize| matches!(of.body[**at], Condition::Positive(_));
            let cost = |at: &usize| match &of.body[*at] {
                Condition::Positive(sentence) => self.expected_matches(sentence, &bound),
                _ => f64::INFINITY,
            };
            let best = todo.iter().filter(positive).min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
            let Some(&best) = best else { break };
            todo.retain(|&at| at != best);
            let Condition::Positive(sentence) = &of.body[best] else { continue };
            let range = match trigger {
                _ if (self.is_complete)(sentence.relation) => Range::All,
                Some(trigger) if best < trigger => Range::Before,
                Some(_) => Range::UpTo,
                None => Range::All,
            };
            let (paths, key) = self.key(sentence, &bound);
            let index = self.facts.index(self.terms, sentence.relation, paths);
            steps.push(Step::Join { condition: best, index, key, range });
            sentence.each_var(&mut |var| {
                bound.insert(var);
            });
        }
        Plan { rule, trigger, steps }
    }

    /// Adds the tests whose variables are bound.
    fn tests(&self, of: &Rule, todo: &mut Vec<usize>, bound: &mut FxHashSet<u32>, steps: &mut Vec<Step>) {
        let ready = |pattern: &Pattern, bound: &FxHashSet<u32>| {
            let mut all = true;
            pattern.each_var(&mut |var| all &= bound.contains(&var));
            all
        };
        loop {
            let before = todo.len();
            todo.retain(|&condition| match &of.body[condition] {
                Condition::Compare(a, b, _) if ready(a, bound) && ready(b, bound) => {
                    steps.push(Step::Compare { condition });
                    false
                }
                Condition::Compare(a, b, false) if ready(a, bound) || ready(b, bound) => {
                    let (known, open) = if ready(a, bound) { (a, b) } else { (b, a) };
                    open.each_var(&mut |var| {
                        bound.insert(var);
                    });
                    steps.push(Step::Equate { known: known.clone(), open: open.clone() });
                    false
                }
                Condition::Negative(sentence)
                    if (self.is_complete)(sentence.relation)
                        && sentence.args.iter().all(|arg| ready(arg, bound)) =>
                {
                    steps.push(Step::Absent { condition });
                    false
                }
                _ => true,
            });
            if todo.len() == before {
                return;
            }
        }
    }

    /// The parts of a sentence that are known, with their values.
    fn key(&self, sentence: &Sentence, bound: &FxHashSet<u32>) -> (Vec<Path>, Vec<KeyPart>) {
        let (mut paths, mut key) = (Vec::new(), Vec::new());
        let known = |pattern: &Pattern| {
            let mut all = true;
            pattern.each_var(&mut |var| all &= bound.contains(&var));
            all
        };
        for (arg, pattern) in (0u8..).zip(&sentence.args) {
            if known(pattern) {
                paths.push(Path::Arg(arg));
                key.push(KeyPart::Term(pattern.clone()));
            } else if let Pattern::Compound(name, inner) = pattern {
                paths.push(Path::Function(arg));
                key.push(KeyPart::Known(name.0));
                for (place, pattern) in (0u8..).zip(inner) {
                    if known(pattern) {
                        paths.push(Path::Inner(arg, place));
                        key.push(KeyPart::Term(pattern.clone()));
                    }
                }
            }
        }
        (paths, key)
    }

    /// The expected number of facts that match a sentence.
    fn expected_matches(&self, sentence: &Sentence, bound: &FxHashSet<u32>) -> f64 {
        let size = match (self.is_complete)(sentence.relation) {
            true => self.facts.count(sentence.relation) as f64,
            false => ASSUMED_FACTS,
        };
        let (mut parts, mut known) = (0.0, 0.0);
        let mut count = |pattern: &Pattern| {
            let mut all = true;
            pattern.each_var(&mut |var| all &= bound.contains(&var));
            parts += 1.0;
            known += f64::from(u8::from(all));
        };
        for arg in &sentence.args {
            match arg {
                Pattern::Compound(_, inner) => inner.iter().for_each(&mut count),
                _ => count(arg),
            }
        }
        if known == parts { 0.5 } else { size.max(1.0).powf((parts - known) / parts) }
    }
}
