//! Rules without `or`: a disjunction becomes a relation of its own where each branch binds its variables, and copies of
//! the rule elsewhere.

use bouton_base::cancel;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;

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
