//! Fluents that no rule changes: the walls of a maze, for example. What the first position says of them holds for ever,
//! so conditions on them, negated ones too, are decided when a sheet is grounded.

use rustc_hash::FxHashSet;

use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The clauses of a sheet, in which conditions on lasting fluents ask for the first position.
pub fn with_lasting_fluents(sheet: &Sheet) -> Vec<Clause> {
    let of = &sheet.keywords;
    let Some(changing) = changing_functions(sheet) else { return sheet.clauses.clone() };
    let is_lasting = |sentence: &Sentence| {
        let function = sentence.args.first().and_then(function);
        sentence.relation == of.true_ && function.is_some_and(|function| !changing.contains(&function))
    };
    let rewrite = |clause: &Clause| {
        let mut clause = clause.clone();
        if clause.head.relation != of.next || !is_frame_axiom(sheet, &clause) {
            for literal in &mut clause.body {
                each_sentence(literal, &mut |sentence| {
                    if is_lasting(sentence) {
                        sentence.relation = of.init;
                    }
                });
            }
        }
        clause
    };
    sheet.clauses.iter().map(rewrite).collect()
}

/// The functions of fluents that some rule may make true, or fail to keep; `None` if a rule is about any fluent.
fn changing_functions(sheet: &Sheet) -> Option<FxHashSet<Symbol>> {
    let of = &sheet.keywords;
    let mut kept: FxHashSet<Symbol> = FxHashSet::default();
    let mut changing: FxHashSet<Symbol> = FxHashSet::default();
    for clause in &sheet.clauses {
        let about = |relation| clause.head.relation == relation;
        if !about(of.next) && !about(of.init) {
            continue;
        }
        let function = clause.head.args.first().and_then(function)?;
        match () {
            () if about(of.init) => {}
            () if is_frame_axiom(sheet, clause) => {
                kept.insert(function);
            }
            () => {
                changing.insert(function);
            }
        }
    }
    // What no rule keeps ends after the first move.
    let inits = sheet.clauses.iter().filter(|clause| clause.head.relation == of.init);
    let inits = inits.filter_map(|clause| clause.head.args.first().and_then(function));
    changing.extend(inits.filter(|function| !kept.contains(function)));
    // A fluent that is never true is none of these: its conditions fail as they are.
    Some(changing)
}

/// Returns true if the clause says that each fluent of a function stays true: `(<= (next (f ?x)) (true (f ?x)))`.
fn is_frame_axiom(sheet: &Sheet, clause: &Clause) -> bool {
    let [Literal::Positive(condition)] = &clause.body[..] else { return false };
    let mut vars = Vec::new();
    clause.head.each_var(&mut |var| vars.push(var));
    let flat = match clause.head.args.first() {
        Some(Pattern::Compound(_, args)) => args.iter().all(|arg| matches!(arg, Pattern::Var(_))),
        Some(Pattern::Const(_)) => true,
        _ => false,
    };
    let different = vars.iter().collect::<FxHashSet<_>>().len() == vars.len();
    condition.relation == sheet.keywords.true_ && condition.args == clause.head.args && flat && different
}

/// The name of the function of a fluent.
fn function(fluent: &Pattern) -> Option<Symbol> {
    match fluent {
        Pattern::Const(name) | Pattern::Compound(name, _) => Some(*name),
        Pattern::Var(_) => None,
    }
}

/// Visits the sentences of a literal.
fn each_sentence(literal: &mut Literal, visit: &mut dyn FnMut(&mut Sentence)) {
    match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) => visit(sentence),
        Literal::Distinct(..) | Literal::Same(..) => {}
        Literal::Or(branches, _) => {
            branches.iter_mut().flatten().for_each(|part| each_sentence(part, visit));
        }
    }
}
