//! Relations that depend on their own negation by name, though no sentence does: `(grade some)` on condition
//! `(not (grade rich))`. Each constant of an argument gets a relation of its own, `grade_some` and
//! `grade_rich`.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::unfold::{Substitution, literal_with, sentence_with};
use crate::sheet::{CONNECTIVES, Clause, Keywords, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The maximal number of constants of an argument.
const MAX_CONSTANTS: usize = 16;

/// The maximal number of copies of one rule.
const MAX_COPIES: usize = 64;

/// Splits relations that depend on their own negation by name, as far as all their rules have a constant in
/// one place.
pub fn split_by_constants(sheet: &mut Sheet) {
    // Each split leaves relations with an argument less.
    while let Some((relation, at)) = circular(sheet).into_iter().find_map(|relation| {
        let arity = sheet.clauses.iter().find(|clause| clause.head.relation == relation)?.head.args.len();
        (0..arity).find(|&at| constants(sheet, relation, at).is_some()).map(|at| (relation, at))
    }) {
        cancel::step();
        let Some(constants) = constants(sheet, relation, at) else { return };
        let Some(clauses) = split(sheet, (relation, at), &constants) else { return };
        sheet.clauses = clauses;
    }
}

/// The relations that depend on their own negation by name.
fn circular(sheet: &Sheet) -> BTreeSet<Symbol> {
    let mut uses: BTreeMap<Symbol, BTreeSet<Symbol>> = BTreeMap::new();
    let mut negated: BTreeSet<(Symbol, Symbol)> = BTreeSet::new();
    for clause in &sheet.clauses {
        for literal in &clause.body {
            literal.each_sentence(&mut |sentence, positive| {
                uses.entry(clause.head.relation).or_default().insert(sentence.relation);
                if !positive {
                    negated.insert((clause.head.relation, sentence.relation));
                }
            });
        }
    }
    let reached = |from: Symbol| {
        let (mut found, mut todo) = (BTreeSet::from([from]), vec![from]);
        while let Some(next) = todo.pop() {
            let more = uses.get(&next).into_iter().flatten().copied();
            todo.extend(more.filter(|&used| found.insert(used)));
        }
        found
    };
    let mut circular = BTreeSet::new();
    for (head, used) in negated {
        let below = reached(used);
        if below.contains(&head) {
            circular.extend(below.into_iter().filter(|&other| reached(other).contains(&head)));
        }
    }
    let of: &Keywords = &sheet.keywords;
    let keywords = [of.role, of.init, of.true_, of.does, of.next, of.legal, of.goal, of.terminal, of.sees];
    circular.retain(|relation| !keywords.contains(relation));
    circular
}

/// The constants of an argument of a relation; `None` if a rule has none there, or a negated condition a
/// variable that may have other values.
fn constants(sheet: &Sheet, relation: Symbol, at: usize) -> Option<BTreeSet<Symbol>> {
    let mut found = BTreeSet::new();
    for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == relation) {
        let Pattern::Const(name) = clause.head.args.get(at)? else { return None };
        found.insert(*name);
    }
    for clause in &sheet.clauses {
        for literal in &clause.body {
            // A variable of a condition has the values of the rules, and one for a role those of roles.
            let is_known = match literal {
                Literal::Positive(_) => true,
                Literal::Negative(sentence) if sentence.relation == relation => match sentence.args.get(at) {
                    Some(Pattern::Var(var)) => is_role_among(sheet, clause, *var, &found),
                    Some(Pattern::Const(_)) => true,
                    _ => false,
                },
                _ => {
                    let mut is_known = true;
                    literal.each_sentence(&mut |sentence, _| {
                        let is_variable = !matches!(sentence.args.get(at), Some(Pattern::Const(_)));
                        is_known &= sentence.relation != relation || !is_variable;
                    });
                    is_known
                }
            };
            if !is_known {
                return None;
            }
        }
    }
    (found.len() <= MAX_CONSTANTS).then_some(found)
}

/// Returns true if a condition says that a variable is a role, and all roles are among these constants.
fn is_role_among(sheet: &Sheet, clause: &Clause, var: u32, constants: &BTreeSet<Symbol>) -> bool {
    let role = sheet.keywords.role;
    let says = |literal: &Literal| match literal {
        Literal::Positive(sentence) => sentence.relation == role && sentence.args[..] == [Pattern::Var(var)],
        _ => false,
    };
    let mut roles = sheet.clauses.iter().filter(|clause| clause.head.relation == role);
    clause.body.iter().any(says)
        && roles.all(|clause| match clause.head.args[..] {
            [Pattern::Const(name)] => constants.contains(&name),
            _ => false,
        })
}

/// The clauses with a relation for each constant; `None` if a rule would have too many copies.
fn split(sheet: &mut Sheet, of: (Symbol, usize), constants: &BTreeSet<Symbol>) -> Option<Vec<Clause>> {
    let (relation, at) = of;
    let mut clauses = Vec::new();
    for clause in &sheet.clauses {
        let (mut todo, mut copies) = (vec![clause.clone()], 0);
        while let Some(next) = todo.pop() {
            let Some(var) = variable(&next, of) else {
                clauses.push(next);
                continue;
            };
            copies += constants.len();
            if copies > MAX_COPIES {
                return None;
            }
            todo.extend(constants.iter().rev().map(|&constant| {
                let values = Substitution::from([(var, Pattern::Const(constant))]);
                let body = next.body.iter().map(|literal| literal_with(literal, &values)).collect();
                Clause { head: sentence_with(&next.head, &values), body, ..next.clone() }
            }));
        }
    }
    let mut names: BTreeMap<Symbol, Symbol> = BTreeMap::new();
    let known = |sheet: &Sheet, name: &str| sheet.symbols.find(name).is_some() || CONNECTIVES.contains(&name);
    let all: BTreeSet<Symbol> = constants_of(&clauses, of);
    for constant in all {
        let mut name = format!("{}_{}", sheet.symbols.name(relation), sheet.symbols.name(constant));
        while known(sheet, &name) {
            name.push('_');
        }
        names.insert(constant, sheet.symbols.intern(&name));
    }
    let renamed = |sentence: &Sentence| -> Sentence {
        match sentence.args.get(at) {
            Some(Pattern::Const(constant)) if sentence.relation == relation => {
                let mut args = sentence.args.clone();
                args.remove(at);
                Sentence { relation: names[constant], args, span: sentence.span }
            }
            _ => sentence.clone(),
        }
    };
    let made = clauses.iter().map(|clause| Clause {
        head: renamed(&clause.head),
        body: clause.body.iter().map(|literal| with_sentences(literal, &renamed)).collect(),
        ..clause.clone()
    });
    Some(made.collect())
}

/// The constants that sentences of a relation have as an argument.
fn constants_of(clauses: &[Clause], argument: (Symbol, usize)) -> BTreeSet<Symbol> {
    let (relation, at) = argument;
    let mut found = BTreeSet::new();
    for clause in clauses {
        clause.each_sentence(&mut |sentence| {
            if sentence.relation == relation
                && let Some(Pattern::Const(constant)) = sentence.args.get(at)
            {
                found.insert(*constant);
            }
        });
    }
    found
}

/// A variable that a condition of a clause has as an argument of a relation.
fn variable(clause: &Clause, argument: (Symbol, usize)) -> Option<u32> {
    let (relation, at) = argument;
    clause.body.iter().find_map(|literal| match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) if sentence.relation == relation => {
            match sentence.args.get(at) {
                Some(Pattern::Var(var)) => Some(*var),
                _ => None,
            }
        }
        _ => None,
    })
}

/// A literal with other sentences.
fn with_sentences(literal: &Literal, change: &dyn Fn(&Sentence) -> Sentence) -> Literal {
    match literal {
        Literal::Positive(sentence) => Literal::Positive(change(sentence)),
        Literal::Negative(sentence) => Literal::Negative(change(sentence)),
        Literal::Or(branches, span) => {
            let branch =
                |branch: &Vec<Literal>| branch.iter().map(|part| with_sentences(part, change)).collect();
            Literal::Or(branches.iter().map(branch).collect(), *span)
        }
        Literal::Distinct(..) | Literal::Same(..) => literal.clone(),
    }
}
