//! Unfolding: conditions of `next` on relations that depend on moves are replaced by the conditions of their rules, with
//! a copy of the rule for each of them. So `(next (p ?x))` on condition `(pushed ?x)`, where the move `(push ?x)` makes
//! `(pushed ?x)` true, is about that move directly. In the same way, facts give the values of goals.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::depending;
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The maximal number of rules that one rule may become.
const MAX_COPIES: usize = 128;

/// Unfolds the rules of `next`; those with too many copies stay as they are.
pub fn unfold(sheet: &mut Sheet) {
    let of = sheet.keywords;
    let mut relations = depending(sheet, &[of.does]);
    for keyword in [of.does, of.next, of.sees] {
        relations.remove(&keyword);
    }
    let recursive: Vec<Symbol> =
        relations.iter().copied().filter(|&relation| is_recursive(sheet, relation)).collect();
    relations.retain(|relation| !recursive.contains(relation));
    let clauses = std::mem::take(&mut sheet.clauses);
    for clause in &clauses {
        let copies = match () {
            () if clause.head.relation == of.next => {
                let of_moves = |sentence: &Sentence| relations.contains(&sentence.relation);
                copies(clause, &clauses, &of_moves)
            }
            () if clause.head.relation == of.goal => {
                let value = &clause.head.args[1];
                let gives_value = |sentence: &Sentence| {
                    let mut rules = clauses.iter().filter(|rule| rule.head.relation == sentence.relation);
                    let is_free = matches!(value, Pattern::Var(_)) && sentence.args.contains(value);
                    let keyword = [of.true_, of.role, of.goal].contains(&sentence.relation);
                    is_free && !keyword && rules.all(|rule| rule.body.is_empty())
                };
                copies(clause, &clauses, &gives_value)
            }
            () => None,
        };
        match copies {
            Some(copies) => sheet.clauses.extend(copies),
            None => sheet.clauses.push(clause.clone()),
        }
    }
}

/// Makes a rule of each branch of a disjunction that has a move as a condition, so that each rule is about one move. Rules
/// that would become too many stay as they are.
pub fn split_moves(sheet: &mut Sheet) {
    let does = sheet.keywords.does;
    let has_move = |branch: &Vec<Literal>| {
        let mut found = false;
        branch.iter().for_each(|part| part.each_sentence(&mut |of, _| found |= of.relation == does));
        found
    };
    let place = |clause: &Clause| {
        let has = |part: &Literal| matches!(part, Literal::Or(branches, _) if branches.iter().any(has_move));
        clause.body.iter().position(has)
    };
    for clause in std::mem::take(&mut sheet.clauses) {
        let (mut made, mut todo) = (Vec::new(), vec![clause.clone()]);
        while made.len() + todo.len() < MAX_COPIES
            && let Some(next) = todo.pop()
        {
            match place(&next).map(|place| (place, &next.body[place])) {
                Some((place, Literal::Or(branches, _))) => todo.extend(branches.iter().rev().map(|branch| {
                    let mut copy = next.clone();
                    copy.body.splice(place..=place, branch.iter().cloned());
                    copy
                })),
                _ => made.push(next),
            }
        }
        match todo.is_empty() {
            true => sheet.clauses.extend(made),
            false => sheet.clauses.push(clause),
        }
    }
}

/// The minimal number of arguments of relations that are unfolded as steps on a board.
const MIN_STEP_ARGUMENTS: usize = 5;

/// Unfolds relations of many arguments with one rule, whose conditions are facts: steps on a board, such as the next
/// place in a direction. Then the place is a term of the conditions.
pub fn unfold_steps(sheet: &mut Sheet) {
    let clauses = std::mem::take(&mut sheet.clauses);
    let rules = |relation: Symbol| clauses.iter().filter(move |clause| clause.head.relation == relation);
    let of = sheet.keywords;
    let is_list = |relation: Symbol| {
        ![of.true_, of.does, of.role].contains(&relation)
            && rules(relation).next().is_some()
            && rules(relation).all(|rule| rule.body.is_empty())
    };
    let is_step = |sentence: &Sentence| {
        let mut own = rules(sentence.relation);
        let (Some(rule), None) = (own.next(), own.next()) else { return false };
        let is_fact = |literal: &Literal| match literal {
            Literal::Positive(of) => is_list(of.relation),
            _ => false,
        };
        sentence.args.len() >= MIN_STEP_ARGUMENTS
            && rule.head.args.iter().all(|arg| matches!(arg, Pattern::Var(_)))
            && !rule.body.is_empty()
            && rule.body.iter().all(is_fact)
    };
    for clause in &clauses {
        match copies(clause, &clauses, &is_step) {
            Some(copies) => sheet.clauses.extend(copies),
            None => sheet.clauses.push(clause.clone()),
        }
    }
}

/// Returns true if a relation depends on itself.
fn is_recursive(sheet: &Sheet, relation: Symbol) -> bool {
    let mut used: BTreeSet<Symbol> = BTreeSet::new();
    let mut todo = vec![relation];
    while let Some(next) = todo.pop() {
        for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == next) {
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, _| {
                    if used.insert(sentence.relation) {
                        todo.push(sentence.relation);
                    }
                });
            }
        }
    }
    used.contains(&relation)
}

/// The rules that a rule becomes where conditions on these sentences are unfolded; `None` if there are too many.
fn copies(
    clause: &Clause,
    clauses: &[Clause],
    is_unfolded: &dyn Fn(&Sentence) -> bool,
) -> Option<Vec<Clause>> {
    let (mut done, mut todo) = (Vec::new(), vec![clause.clone()]);
    while let Some(mut clause) = todo.pop() {
        cancel::step();
        let is_here = |literal: &Literal| match literal {
            Literal::Positive(sentence) => is_unfolded(sentence),
            _ => false,
        };
        let Some(at) = clause.body.iter().position(is_here) else {
            done.push(clause);
            continue;
        };
        let Literal::Positive(sentence) = clause.body.remove(at) else { continue };
        let rules = clauses.iter().filter(|rule| rule.head.relation == sentence.relation);
        todo.extend(rules.rev().filter_map(|rule| resolvent(&clause, at, &sentence, rule)));
        if done.len() + todo.len() > MAX_COPIES {
            return None;
        }
    }
    Some(done)
}

/// The values of variables.
pub type Substitution = BTreeMap<u32, Pattern>;

/// A clause in which a condition, which was at this place, is replaced by the conditions of a rule for it; `None` if the
/// rule is about other terms.
fn resolvent(clause: &Clause, at: usize, condition: &Sentence, rule: &Clause) -> Option<Clause> {
    let first = clause.vars.len() as u32;
    let mut made = clause.clone();
    made.vars.extend(rule.vars.iter().cloned());
    let renamed: Substitution =
        (0..rule.vars.len() as u32).map(|var| (var, Pattern::Var(first + var))).collect();
    made.body.splice(at..at, rule.body.iter().map(|literal| literal_with(literal, &renamed)));
    let mut values = Substitution::new();
    for (a, b) in condition.args.iter().zip(&rule.head.args) {
        unify(a, &with(b, &renamed), &mut values)?;
    }
    made.head = sentence_with(&made.head, &values);
    for literal in &mut made.body {
        *literal = literal_with(literal, &values);
    }
    Some(made)
}

/// Makes two patterns equal; `None` if no values do.
fn unify(a: &Pattern, b: &Pattern, values: &mut Substitution) -> Option<()> {
    match (with(a, values), with(b, values)) {
        (a, b) if a == b => Some(()),
        (pattern, Pattern::Var(var)) | (Pattern::Var(var), pattern) => {
            let mut occurs = false;
            pattern.each_var(&mut |other| occurs |= other == var);
            if occurs {
                return None;
            }
            let value = Substitution::from([(var, pattern.clone())]);
            values.values_mut().for_each(|old| *old = with(old, &value));
            values.insert(var, pattern);
            Some(())
        }
        (Pattern::Compound(f, a), Pattern::Compound(g, b)) if f == g && a.len() == b.len() => {
            a.iter().zip(&b).try_for_each(|(a, b)| unify(a, b, values))
        }
        _ => None,
    }
}

fn with(pattern: &Pattern, values: &Substitution) -> Pattern {
    match pattern {
        Pattern::Var(var) => values.get(var).cloned().unwrap_or_else(|| pattern.clone()),
        Pattern::Const(_) => pattern.clone(),
        Pattern::Compound(name, args) => {
            Pattern::Compound(*name, args.iter().map(|arg| with(arg, values)).collect())
        }
    }
}

pub fn sentence_with(sentence: &Sentence, values: &Substitution) -> Sentence {
    let args = sentence.args.iter().map(|arg| with(arg, values)).collect();
    Sentence { relation: sentence.relation, args, span: sentence.span }
}

pub fn literal_with(literal: &Literal, values: &Substitution) -> Literal {
    match literal {
        Literal::Positive(sentence) => Literal::Positive(sentence_with(sentence, values)),
        Literal::Negative(sentence) => Literal::Negative(sentence_with(sentence, values)),
        Literal::Distinct(a, b, span) => Literal::Distinct(with(a, values), with(b, values), *span),
        Literal::Same(a, b, span) => Literal::Same(with(a, values), with(b, values), *span),
        Literal::Or(branches, span) => {
            let branch =
                |branch: &Vec<Literal>| branch.iter().map(|part| literal_with(part, values)).collect();
            Literal::Or(branches.iter().map(branch).collect(), *span)
        }
    }
}
