//! Demand: rules restricted to the instances that other rules ask for (magic sets; Bancilhon, Maier, Sagiv, Ullman,
//! 1986), so that grounding is directed by what moves, ends and goals need.
//!
//! A relation is restricted at the arguments that are known wherever it occurs in a body. A relation of its own collects
//! the values that are asked for; each rule that concludes the restricted relation has it as a condition. Any subset of
//! the other conditions of a body gives a sound demand: fewer conditions ask for more. These relations are part of the
//! grounding only, never of the game.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Condition, Rule};
use crate::sheet::{Keywords, Pattern, Sentence};
use crate::terms::{Symbol, Symbols};

/// Rules with their demand.
pub struct Restricted {
    pub rules: Vec<Rule>,
    /// The rules that conclude what is asked for.
    pub asking: Vec<Rule>,
    /// The relations of demand: neither they nor conditions on them are parts of instances.
    pub demands: FxHashSet<Symbol>,
}

/// Restricts rules whose instances are recorded.
pub fn restrict(symbols: &mut Symbols, keywords: &Keywords, rules: Vec<Rule>) -> Restricted {
    let of = keywords;
    let roots = [of.next, of.legal, of.goal, of.terminal, of.sees, of.init, of.role];
    let mut arities: FxHashMap<Symbol, usize> = FxHashMap::default();
    for rule in &rules {
        if !roots.contains(&rule.head.relation) {
            arities.insert(rule.head.relation, rule.head.args.len());
        }
    }
    let mut known = Known(arities.into_iter().map(|(name, arity)| (name, vec![true; arity])).collect());
    known.shrink(&rules);
    let mut names: Vec<Symbol> = known.0.keys().copied().collect();
    names.sort_unstable();
    // No name of a sheet has a parenthesis.
    let demands: FxHashMap<Symbol, Symbol> =
        names.into_iter().map(|name| (name, symbols.intern(&format!("(demand {})", name.0)))).collect();
    let (mut restricted, mut asking) = (Vec::new(), Vec::new());
    for mut rule in rules {
        known.ask(&rule, &demands, &mut asking);
        if let Some(demand) = known.demand(&rule.head, &demands) {
            rule.body.insert(0, Condition::Positive(demand));
        }
        restricted.push(rule);
    }
    Restricted { rules: restricted, asking, demands: demands.into_values().collect() }
}

/// For each relation that can be restricted, the arguments that are known wherever it occurs in a body.
struct Known(FxHashMap<Symbol, Vec<bool>>);

impl Known {
    /// Finds the greatest solution: the arguments of one occurrence are known by those of the head, among others.
    fn shrink(&mut self, rules: &[Rule]) {
        loop {
            let mut changed = false;
            for rule in rules {
                for (sentence, known) in self.occurrences(rule) {
                    let Some(of) = self.0.get_mut(&sentence.relation) else { continue };
                    for (of, known) in of.iter_mut().zip(known) {
                        changed |= *of && !known;
                        *of &= known;
                    }
                }
            }
            self.0.retain(|_, known| known.contains(&true));
            if !changed {
                return;
            }
        }
    }

    fn is_restricted(&self, sentence: &Sentence) -> bool {
        self.0.contains_key(&sentence.relation)
    }

    /// The demand for a sentence; `None` if its relation is not restricted.
    fn demand(&self, sentence: &Sentence, demands: &FxHashMap<Symbol, Symbol>) -> Option<Sentence> {
        let known = self.0.get(&sentence.relation)?;
        let args = sentence.args.iter().zip(known).filter(|&(_, &known)| known);
        let args = args.map(|(arg, _)| arg.clone()).collect();
        Some(Sentence { relation: *demands.get(&sentence.relation)?, args, span: sentence.span })
    }

    /// The variables that the demand for the head of a rule gives.
    fn of_head(&self, rule: &Rule) -> FxHashSet<u32> {
        let mut vars = FxHashSet::default();
        let known = self.0.get(&rule.head.relation).map_or(&[][..], Vec::as_slice);
        for (arg, _) in rule.head.args.iter().zip(known).filter(|&(_, &known)| known) {
            arg.each_var(&mut |var| {
                vars.insert(var);
            });
        }
        vars
    }

    /// The restricted positive conditions of a rule, in the order in which they are asked for: the one with the most
    /// known arguments comes first.
    fn order(&self, rule: &Rule) -> Vec<usize> {
        let mut vars = self.of_head(rule);
        let restricted = |condition: &Condition| match condition {
            Condition::Positive(sentence) => self.is_restricted(sentence),
            _ => false,
        };
        let (mut todo, others): (Vec<usize>, Vec<usize>) =
            (0..rule.body.len()).partition(|&at| restricted(&rule.body[at]));
        for at in others {
            if let Condition::Positive(sentence) = &rule.body[at] {
                sentence.each_var(&mut |var| {
                    vars.insert(var);
                });
            }
        }
        let mut order = Vec::new();
        while !todo.is_empty() {
            let open = |at: &usize| match &rule.body[*at] {
                Condition::Positive(sentence) => {
                    let free = sentence.args.iter().filter(|arg| !within(arg, &vars)).count();
                    (free, *at)
                }
                _ => (usize::MAX, *at),
            };
            let Some(next) = todo.iter().copied().min_by_key(open) else { break };
            todo.retain(|&at| at != next);
            order.push(next);
            if let Condition::Positive(sentence) = &rule.body[next] {
                sentence.each_var(&mut |var| {
                    vars.insert(var);
                });
            }
        }
        order
    }

    /// The occurrences of restricted relations in a body, with the arguments that are known there.
    fn occurrences<'r>(&self, rule: &'r Rule) -> Vec<(&'r Sentence, Vec<bool>)> {
        let order = self.order(rule);
        let mut vars = self.of_head(rule);
        for (at, condition) in rule.body.iter().enumerate() {
            if let Condition::Positive(sentence) = condition
                && !order.contains(&at)
            {
                sentence.each_var(&mut |var| {
                    vars.insert(var);
                });
            }
        }
        let mut found = Vec::new();
        for at in order {
            if let Condition::Positive(sentence) = &rule.body[at] {
                found.push((sentence, sentence.args.iter().map(|arg| within(arg, &vars)).collect()));
                sentence.each_var(&mut |var| {
                    vars.insert(var);
                });
            }
        }
        for condition in &rule.body {
            if let Condition::Negative(sentence) = condition
                && self.is_restricted(sentence)
            {
                found.push((sentence, sentence.args.iter().map(|arg| within(arg, &vars)).collect()));
            }
        }
        found
    }

    /// Adds the rules by which the body of a rule asks for restricted relations.
    fn ask(&self, rule: &Rule, demands: &FxHashMap<Symbol, Symbol>, out: &mut Vec<Rule>) {
        let order = self.order(rule);
        let head = self.demand(&rule.head, demands).map(Condition::Positive);
        let mut before: Vec<Condition> = head.into_iter().collect();
        let later = |at: &usize| order.contains(at);
        before.extend((0..rule.body.len()).filter(|at| !later(at)).map(|at| rule.body[at].clone()));
        let mut push = |asked: &Sentence, before: &[Condition]| {
            let Some(head) = self.demand(asked, demands) else { return };
            let body = supporting(&head, before);
            let trivial = body.iter().any(|condition| match condition {
                Condition::Positive(other) => other.relation == head.relation && other.args == head.args,
                _ => false,
            });
            if !trivial {
                out.push(Rule { head, body, vars: rule.vars, clause: rule.clause });
            }
        };
        for at in order {
            if let Condition::Positive(sentence) = &rule.body[at] {
                push(sentence, &before);
            }
            before.push(rule.body[at].clone());
        }
        for condition in &rule.body {
            if let Condition::Negative(sentence) = condition {
                push(sentence, &before);
            }
        }
    }
}

/// Some of these conditions that give values to all variables of a head, few variables beside, and all tests on them.
fn supporting(head: &Sentence, conditions: &[Condition]) -> Vec<Condition> {
    let vars_of = |condition: &Condition| {
        let mut vars = FxHashSet::default();
        condition.each_var(&mut |var| {
            vars.insert(var);
        });
        vars
    };
    let mut needed = FxHashSet::default();
    head.each_var(&mut |var| {
        needed.insert(var);
    });
    let positive: Vec<(usize, FxHashSet<u32>)> = conditions
        .iter()
        .enumerate()
        .filter(|(_, condition)| matches!(condition, Condition::Positive(_)))
        .map(|(at, condition)| (at, vars_of(condition)))
        .collect();
    let mut bound: FxHashSet<u32> = FxHashSet::default();
    let mut chosen: Vec<usize> = Vec::new();
    while let Some((at, vars)) = positive
        .iter()
        .filter(|(at, vars)| {
            !chosen.contains(at) && vars.iter().any(|var| needed.contains(var) && !bound.contains(var))
        })
        .min_by_key(|(at, vars)| {
            let gained = vars.iter().filter(|var| needed.contains(var) && !bound.contains(var)).count();
            (vars.difference(&needed).count(), std::cmp::Reverse(gained), *at)
        })
    {
        chosen.push(*at);
        bound.extend(vars);
    }
    // What has no further variables only restricts.
    for (at, condition) in conditions.iter().enumerate() {
        let tests = match condition {
            Condition::Positive(_) => !chosen.contains(&at),
            Condition::Compare(..) => true,
            Condition::Negative(_) => false,
        };
        if tests && vars_of(condition).is_subset(&bound) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| conditions[at].clone()).collect()
}

/// Returns true if all variables of a pattern are among these.
fn within(pattern: &Pattern, vars: &FxHashSet<u32>) -> bool {
    let mut all = true;
    pattern.each_var(&mut |var| all &= vars.contains(&var));
    all
}
