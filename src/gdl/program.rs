//! Rules without `or`: a disjunction becomes a relation of its own where each branch binds its variables, and copies of
//! the rule elsewhere.

use bouton_base::cancel;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::bound_by;
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// A condition of a rule.
#[derive(Clone, Debug)]
pub enum Condition {
    Positive(Sentence),
    Negative(Sentence),
    /// The terms differ (true) or are the same (false).
    Compare(Pattern, Pattern, bool),
}

/// A rule whose body is a conjunction.
#[derive(Clone, Debug)]
pub struct Rule {
    pub head: Sentence,
    pub body: Vec<Condition>,
    /// The number of variables.
    pub vars: usize,
    /// The index of the clause of the sheet that it is part of.
    pub clause: usize,
}

/// The maximal number of copies of one rule.
const MAX_COPIES: usize = 1024;

/// The rules of a sheet, and the relations that stand for disjunctions.
pub struct Program<'s> {
    sheet: &'s mut Sheet,
    rules: Vec<Rule>,
}

/// Makes rules without `or` of the clauses of these relations.
pub fn rules_of(sheet: &mut Sheet, relations: &FxHashSet<Symbol>) -> Result<Vec<Rule>, Box<Diagnostic>> {
    let clauses = sheet.clauses.clone();
    let mut program = Program { sheet, rules: Vec::new() };
    for (index, clause) in clauses.iter().enumerate() {
        if relations.contains(&clause.head.relation) {
            program.add(clause, index, &clause.head, clause.body.clone())?;
        }
    }
    Ok(program.rules)
}

/// Splits rules with many variables: those that occur in some of the conditions only are eliminated, by relations of
/// their own.
pub fn split(sheet: &mut Sheet, rules: Vec<Rule>) -> Vec<Rule> {
    let mut splitter = Splitter { sheet, rules: Vec::new(), known: FxHashMap::default() };
    rules.into_iter().for_each(|rule| splitter.split(rule));
    splitter.rules
}

/// Splits rules by eliminating variables, one after the other: the conditions that have a variable become a relation
/// without it. So a rule with many variables becomes several with few, as in the elimination of variables in joins
/// (Dechter, 1999). The variable with the fewest others in its conditions comes first.
struct Splitter<'s> {
    sheet: &'s mut Sheet,
    rules: Vec<Rule>,
    /// The relations that were made, by the conditions that they stand for.
    known: FxHashMap<String, Symbol>,
}

impl Splitter<'_> {
    fn split(&mut self, mut rule: Rule) {
        while let Some(Elimination { var, inside, guard }) = best_elimination(&rule) {
            cancel::step();
            let guard = guard.map(|(at, vars)| self.guard(&rule, at, &vars));
            let (inner, outer): (Vec<_>, Vec<_>) =
                rule.body.into_iter().enumerate().partition(|(at, _)| inside.contains(at));
            let inner = inner.into_iter().map(|(_, condition)| condition).chain(guard);
            let inner: Vec<Condition> = inner.collect();
            let outer: Vec<Condition> = outer.into_iter().map(|(_, condition)| condition).collect();
            let mut needed = FxHashSet::default();
            let mut need = |var| {
                needed.insert(var);
            };
            rule.head.each_var(&mut need);
            outer.iter().for_each(|condition| condition.each_var(&mut need));
            let mut exported: Vec<u32> = Vec::new();
            inner.iter().for_each(|condition| {
                condition.each_var(&mut |other| {
                    if other != var && needed.contains(&other) && !exported.contains(&other) {
                        exported.push(other);
                    }
                });
            });
            let span = rule.head.span;
            let (relation, is_new) = self.relation(&inner, &exported);
            let args = exported.iter().map(|&var| Pattern::Var(var)).collect();
            let sentence = Sentence { relation, args, span };
            if is_new {
                let inner =
                    Rule { head: sentence.clone(), body: inner, vars: rule.vars, clause: rule.clause };
                self.split(inner);
            }
            rule.body = outer;
            rule.body.push(Condition::Positive(sentence));
        }
        self.rules.push(rule);
    }

    /// The values that a condition of a rule gives to some of its variables, as a condition of its own.
    fn guard(&mut self, rule: &Rule, at: usize, vars: &[u32]) -> Condition {
        let condition = rule.body[at].clone();
        let (relation, is_new) = self.relation(std::slice::from_ref(&condition), vars);
        let args = vars.iter().map(|&var| Pattern::Var(var)).collect();
        let head = Sentence { relation, args, span: rule.head.span };
        if is_new {
            let body = vec![condition];
            self.rules.push(Rule { head: head.clone(), body, vars: rule.vars, clause: rule.clause });
        }
        Condition::Positive(head)
    }

    /// The relation that stands for these conditions; true if it is new.
    fn relation(&mut self, conditions: &[Condition], exported: &[u32]) -> (Symbol, bool) {
        // Conditions that differ in the names of variables are the same.
        let mut numbers: Vec<u32> = exported.to_vec();
        let mut key = String::new();
        for condition in conditions {
            condition.write(&mut numbers, &mut key);
        }
        let key = format!("{} {key}", exported.len());
        if let Some(&known) = self.known.get(&key) {
            return (known, false);
        }
        // No name of a sheet has a parenthesis or a blank.
        let relation = self.sheet.symbols.intern(&format!("(some {})", self.sheet.symbols.len()));
        self.known.insert(key, relation);
        (relation, true)
    }
}

/// The elimination of a variable.
struct Elimination {
    var: u32,
    /// The conditions that have it.
    inside: Vec<usize>,
    /// Another condition that gives values to variables of tests among them, with these variables.
    guard: Option<(usize, Vec<u32>)>,
}

/// The elimination that gives the smallest relation; `None` if none makes the rule smaller.
fn best_elimination(rule: &Rule) -> Option<Elimination> {
    let vars_of = |condition: &Condition| {
        let mut vars = FxHashSet::default();
        condition.each_var(&mut |var| {
            vars.insert(var);
        });
        vars
    };
    let vars: Vec<FxHashSet<u32>> = rule.body.iter().map(vars_of).collect();
    let is_positive = |&at: &usize| matches!(rule.body[at], Condition::Positive(_));
    let all: FxHashSet<u32> = vars.iter().flatten().copied().collect();
    let mut in_head = FxHashSet::default();
    rule.head.each_var(&mut |var| {
        in_head.insert(var);
    });
    let mut candidates: Vec<u32> = all.iter().copied().filter(|var| !in_head.contains(var)).collect();
    candidates.sort_unstable();
    let mut best: Option<(usize, Elimination)> = None;
    for var in candidates {
        let inside: Vec<usize> = (0..rule.body.len()).filter(|&at| vars[at].contains(&var)).collect();
        let here: FxHashSet<u32> = inside.iter().flat_map(|&at| &vars[at]).copied().collect();
        let bound: FxHashSet<u32> =
            inside.iter().copied().filter(is_positive).flat_map(|at| &vars[at]).copied().collect();
        let mut missing: Vec<u32> = here.difference(&bound).copied().collect();
        missing.sort_unstable();
        let gives = |at: &usize| {
            is_positive(at) && !inside.contains(at) && missing.iter().all(|var| vars[*at].contains(var))
        };
        let guard = match missing.is_empty() {
            true => None,
            false => match (0..rule.body.len()).find(gives) {
                // What has no other variable is no smaller without them.
                Some(at) if vars[at].len() > missing.len() => Some((at, missing)),
                _ => continue,
            },
        };
        let smaller = here.len() < all.len() && inside.len() < rule.body.len();
        if smaller && best.as_ref().is_none_or(|(size, _)| here.len() < *size) {
            best = Some((here.len(), Elimination { var, inside, guard }));
        }
    }
    best.map(|(_, elimination)| elimination)
}

impl Condition {
    /// Visits the variables, each occurrence.
    pub fn each_var(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Condition::Positive(sentence) | Condition::Negative(sentence) => sentence.each_var(visit),
            Condition::Compare(a, b, _) => [a, b].into_iter().for_each(|pattern| pattern.each_var(visit)),
        }
    }

    /// Writes the condition with its variables numbered by their first occurrence.
    fn write(&self, numbers: &mut Vec<u32>, out: &mut String) {
        let (word, relation, args) = match self {
            Condition::Positive(sentence) => ('+', Some(sentence.relation), sentence.args.iter().collect()),
            Condition::Negative(sentence) => ('-', Some(sentence.relation), sentence.args.iter().collect()),
            Condition::Compare(a, b, differ) => (if *differ { '/' } else { '=' }, None, vec![a, b]),
        };
        out.push(word);
        if let Some(relation) = relation {
            out.push_str(&relation.0.to_string());
        }
        args.into_iter().for_each(|arg| write_pattern(arg, numbers, out));
    }
}

fn write_pattern(pattern: &Pattern, numbers: &mut Vec<u32>, out: &mut String) {
    out.push(' ');
    match pattern {
        Pattern::Var(var) => {
            let at = numbers.iter().position(|other| other == var).unwrap_or_else(|| {
                numbers.push(*var);
                numbers.len() - 1
            });
            out.push_str(&format!("?{at}"));
        }
        Pattern::Const(name) => out.push_str(&name.0.to_string()),
        Pattern::Compound(name, args) => {
            out.push_str(&format!("({}", name.0));
            args.iter().for_each(|arg| write_pattern(arg, numbers, out));
            out.push(')');
        }
    }
}

impl Program<'_> {
    /// Adds the rules that say the same as a head with this body.
    fn add(
        &mut self,
        clause: &Clause,
        index: usize,
        head: &Sentence,
        body: Vec<Literal>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut bodies: Vec<Vec<Literal>> = vec![body];
        // Each round removes one disjunction from each body.
        while let Some(at) = bodies.iter().position(|body| body.iter().any(is_or)) {
            cancel::step();
            let mut body = bodies.swap_remove(at);
            let Some(place) = body.iter().position(is_or) else { continue };
            let Literal::Or(branches, span) = body.remove(place) else { continue };
            let mut shared = FxHashSet::default();
            let mut note = |var| {
                shared.insert(var);
            };
            head.each_var(&mut note);
            body.iter().for_each(|literal| literal.each_var(&mut note));
            let mut exported: Vec<u32> = Vec::new();
            branches.iter().flatten().for_each(|literal| {
                literal.each_var(&mut |var| {
                    if shared.contains(&var) && !exported.contains(&var) {
                        exported.push(var);
                    }
                });
            });
            exported.sort_unstable();
            let binds = |branch: &Vec<Literal>| {
                let bound = bound_by(branch, &FxHashSet::default());
                exported.iter().all(|var| bound.contains(var))
            };
            if branches.len() > 1 && branches.iter().all(binds) {
                // No name of a sheet has a parenthesis or a blank, and each new name has another number.
                let relation = self.sheet.symbols.intern(&format!("(or {})", self.sheet.symbols.len()));
                let args = exported.iter().map(|&var| Pattern::Var(var)).collect();
                let sentence = Sentence { relation, args, span };
                for branch in branches {
                    self.add(clause, index, &sentence, branch)?;
                }
                body.insert(place, Literal::Positive(sentence));
                bodies.push(body);
                continue;
            }
            if bodies.len() + branches.len() > MAX_COPIES {
                let title = format!("the disjunctions of this rule have more than {MAX_COPIES} combinations");
                return Err(Box::new(
                    Diagnostic::new(Code::E0712, title, clause.span, "")
                        .help("give each `or` a relation of its own, with a rule for each branch"),
                ));
            }
            for branch in branches {
                let mut copy = body.clone();
                copy.splice(place..place, branch);
                bodies.push(copy);
            }
        }
        for body in bodies {
            let body = body.into_iter().filter_map(condition).collect();
            self.rules.push(Rule { head: head.clone(), body, vars: clause.vars.len(), clause: index });
        }
        Ok(())
    }
}

fn is_or(literal: &Literal) -> bool {
    matches!(literal, Literal::Or(..))
}

fn condition(literal: Literal) -> Option<Condition> {
    match literal {
        Literal::Positive(sentence) => Some(Condition::Positive(sentence)),
        Literal::Negative(sentence) => Some(Condition::Negative(sentence)),
        Literal::Distinct(a, b, _) => Some(Condition::Compare(a, b, true)),
        Literal::Same(a, b, _) => Some(Condition::Compare(a, b, false)),
        Literal::Or(..) => None,
    }
}
