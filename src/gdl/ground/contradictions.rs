//! Instances that contradict themselves: a rule with the condition `(not facing-wall)` and the conditions of a rule for
//! `facing-wall` never applies.
//!
//! The delete relaxation ignores negated conditions, so it would let a walker go on behind the wall, and derive places
//! without end. Where the conditions of a rule for the negated sentence unify with conditions of the rule that negates
//! it, the rest of them is about relations that never change: a relation of its own has the values for which all of them
//! hold, and the rule gets its negation, which grounding decides.

use bouton_base::cancel;
use rustc_hash::FxHashSet;

use super::Strata;
use crate::check::bound_by;
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The maximal number of ways to unify the conditions of one rule with those of another.
const MAX_UNIFIERS: usize = 16;

/// The maximal number of relations that are added to a sheet.
const MAX_RELATIONS: usize = 500;

/// Adds to rules that negate a sentence what contradicts it, with relations of their own at the end.
pub fn exclude_contradictions(sheet: &mut Sheet) {
    let strata = Strata::of(sheet, &FxHashSet::default());
    let constant: FxHashSet<Symbol> = strata.constant.into_iter().flatten().chain(strata.empty).collect();
    let (mut excluded, mut relations) = (Vec::new(), Vec::new());
    for (at, clause) in sheet.clauses.iter().enumerate() {
        for literal in &clause.body {
            let Literal::Negative(negated) = literal else { continue };
            let is_reason = |of: &&Clause| {
                of.head.relation == negated.relation
                    && !of.body.iter().any(|part| matches!(part, Literal::Or(..)))
            };
            if constant.contains(&negated.relation) || is_keyword(sheet, negated.relation) {
                continue;
            }
            for reason in sheet.clauses.iter().filter(is_reason) {
                let found = Unifiers::of(clause, negated, reason, &constant);
                excluded.extend(found.into_iter().map(|found| (at, negated.span, found)));
            }
        }
    }
    for (at, span, Contradiction { args, body, vars }) in excluded.into_iter().take(MAX_RELATIONS) {
        // No name of a sheet has a parenthesis or a blank.
        let relation = sheet.symbols.intern(&format!("(never {})", sheet.symbols.len()));
        let own = args.iter().map(|&(var, _)| Pattern::Var(var)).collect();
        sheet.clauses[at].body.push(Literal::Negative(Sentence { relation, args: own, span }));
        let head = Sentence { relation, args: args.into_iter().map(|(_, value)| value).collect(), span };
        relations.push(Clause { head, body, vars, span });
    }
    sheet.clauses.extend(relations);
}

/// Returns true for the relations whose rules do not say when they are true in a position.
fn is_keyword(sheet: &Sheet, relation: Symbol) -> bool {
    [sheet.keywords.true_, sheet.keywords.does].contains(&relation)
}

/// Values of some variables of a rule for which it never applies.
struct Contradiction {
    /// The variables with their values, as patterns over both rules.
    args: Vec<(u32, Pattern)>,
    /// The conditions of the values.
    body: Vec<Literal>,
    /// The names of the variables of both rules.
    vars: Vec<String>,
}

/// The search for unifiers of the conditions of a reason with those of a rule.
struct Unifiers<'s> {
    clause: &'s Clause,
    /// The conditions of the reason that must be among those of the rule, with the variables of the reason behind
    /// those of the rule.
    needed: Vec<Sentence>,
    /// The other conditions of the reason.
    constant: Vec<Literal>,
    found: Vec<Contradiction>,
}

impl<'s> Unifiers<'s> {
    /// The contradictions of a rule that come from one reason for a sentence that it negates.
    fn of(
        clause: &'s Clause,
        negated: &Sentence,
        reason: &Clause,
        constant: &FxHashSet<Symbol>,
    ) -> Vec<Contradiction> {
        let first = clause.vars.len() as u32;
        let mut of = Unifiers { clause, needed: Vec::new(), constant: Vec::new(), found: Vec::new() };
        for literal in &reason.body {
            let literal = shifted(literal, first);
            match literal {
                Literal::Positive(sentence) if !constant.contains(&sentence.relation) => {
                    of.needed.push(sentence)
                }
                Literal::Negative(sentence) if !constant.contains(&sentence.relation) => return Vec::new(),
                other => of.constant.push(other),
            }
        }
        let mut values = Values(vec![None; clause.vars.len() + reason.vars.len()]);
        let head: Vec<Pattern> = reason.head.args.iter().map(|arg| shift(arg, first)).collect();
        if values.unify_all(&negated.args, &head) {
            of.search(0, &values);
        }
        of.found
    }

    /// Unifies the needed conditions from this one on with conditions of the rule, in all ways.
    fn search(&mut self, at: usize, values: &Values) {
        cancel::step();
        if self.found.len() >= MAX_UNIFIERS {
            return;
        }
        let Some(needed) = self.needed.get(at).cloned() else {
            self.found.extend(self.contradiction(values));
            return;
        };
        let clause = self.clause;
        for literal in &clause.body {
            let Literal::Positive(own) = literal else { continue };
            if own.relation == needed.relation {
                let mut values = values.clone();
                if values.unify_all(&own.args, &needed.args) {
                    self.search(at + 1, &values);
                }
            }
        }
    }

    /// The contradiction for a unifier; `None` if its values are not given by conditions that never change.
    fn contradiction(&self, values: &Values) -> Option<Contradiction> {
        let mut body = Vec::new();
        for literal in &self.constant {
            match values.in_literal(literal) {
                Literal::Distinct(a, b, _) if a == b => return None,
                Literal::Distinct(a, b, _) if a.is_ground() && b.is_ground() => {}
                literal => body.push(literal),
            }
        }
        let own = self.clause.vars.len() as u32;
        let mut asked: FxHashSet<u32> = FxHashSet::default();
        let mut ask = |var| {
            asked.insert(var);
        };
        for var in 0..own {
            let value = values.resolved(&Pattern::Var(var));
            if value != Pattern::Var(var) {
                ask(var);
                value.each_var(&mut ask);
            }
        }
        body.iter().for_each(|literal| literal.each_var(&mut ask));
        let mut args: Vec<(u32, Pattern)> = asked
            .iter()
            .filter(|&&var| var < own)
            .map(|&var| (var, values.resolved(&Pattern::Var(var))))
            .collect();
        args.sort_unstable_by_key(|&(var, _)| var);
        let bound = bound_by(&body, &FxHashSet::default());
        let mut is_safe = true;
        let mut needs = |var| is_safe &= bound.contains(&var);
        args.iter().for_each(|(_, value)| value.each_var(&mut needs));
        body.iter().for_each(|literal| literal.each_var(&mut needs));
        let vars = (0..values.0.len()).map(|var| format!("?{var}")).collect();
        is_safe.then_some(Contradiction { args, body, vars })
    }
}

/// The values of the variables of two rules, as far as unification gives them.
#[derive(Clone)]
struct Values(Vec<Option<Pattern>>);

impl Values {
    fn unify_all(&mut self, a: &[Pattern], b: &[Pattern]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(a, b))
    }

    /// Unifies two terms, the first of which is one of the rule; its variables stay free where they can.
    fn unify(&mut self, a: &Pattern, b: &Pattern) -> bool {
        match (self.resolved(a), self.resolved(b)) {
            (a, b) if a == b => true,
            (other, Pattern::Var(var)) | (Pattern::Var(var), other) => {
                let mut occurs = false;
                other.each_var(&mut |inner| occurs |= inner == var);
                if !occurs {
                    self.0[var as usize] = Some(other);
                }
                !occurs
            }
            (Pattern::Compound(f, a), Pattern::Compound(g, b)) => f == g && self.unify_all(&a, &b),
            _ => false,
        }
    }

    /// A term with the values of its variables.
    fn resolved(&self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Var(var) => match &self.0[*var as usize] {
                Some(value) => self.resolved(value),
                None => pattern.clone(),
            },
            Pattern::Const(_) => pattern.clone(),
            Pattern::Compound(name, args) => {
                Pattern::Compound(*name, args.iter().map(|arg| self.resolved(arg)).collect())
            }
        }
    }

    fn in_literal(&self, literal: &Literal) -> Literal {
        mapped(literal, &|pattern| self.resolved(pattern))
    }
}

/// A literal without disjunctions, with its terms replaced.
fn mapped(literal: &Literal, map: &dyn Fn(&Pattern) -> Pattern) -> Literal {
    let of = |sentence: &Sentence| Sentence {
        args: sentence.args.iter().map(map).collect(),
        relation: sentence.relation,
        span: sentence.span,
    };
    match literal {
        Literal::Positive(sentence) => Literal::Positive(of(sentence)),
        Literal::Negative(sentence) => Literal::Negative(of(sentence)),
        Literal::Distinct(a, b, span) => Literal::Distinct(map(a), map(b), *span),
        Literal::Same(a, b, span) => Literal::Same(map(a), map(b), *span),
        Literal::Or(..) => literal.clone(),
    }
}

fn shifted(literal: &Literal, by: u32) -> Literal {
    mapped(literal, &|pattern| shift(pattern, by))
}

fn shift(pattern: &Pattern, by: u32) -> Pattern {
    match pattern {
        Pattern::Var(var) => Pattern::Var(var + by),
        Pattern::Const(_) => pattern.clone(),
        Pattern::Compound(name, args) => {
            Pattern::Compound(*name, args.iter().map(|arg| shift(arg, by)).collect())
        }
    }
}
