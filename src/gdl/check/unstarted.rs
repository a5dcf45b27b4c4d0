//! Fluents that nothing begins: each rule for `next` needs one of them before, and no `init` states any.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use super::misspelt::name_of;
use crate::sheet::{Clause, Literal, Sheet};
use crate::terms::Symbol;

/// The functions of the fluents that only keep themselves; none if a variable stands for some fluent.
pub fn functions(sheet: &Sheet) -> FxHashSet<Symbol> {
    let of = &sheet.keywords;
    let mut only_next: FxHashMap<Symbol, bool> = FxHashMap::default();
    for clause in &sheet.clauses {
        let is_init = clause.head.relation == of.init;
        if !is_init && clause.head.relation != of.next {
            continue;
        }
        let Some(function) = name_of(clause.head.args.first()) else { return FxHashSet::default() };
        *only_next.entry(function).or_insert(true) &= !is_init && needs(sheet, clause, function);
    }
    only_next.into_iter().filter(|(_, unstarted)| *unstarted).map(|(function, _)| function).collect()
}

/// Returns true if a rule has a condition that a fluent of this function holds.
fn needs(sheet: &Sheet, clause: &Clause, function: Symbol) -> bool {
    clause.body.iter().any(|literal| match literal {
        Literal::Positive(sentence) => {
            sentence.relation == sheet.keywords.true_ && name_of(sentence.args.first()) == Some(function)
        }
        _ => false,
    })
}

/// The messages for fluents that nothing begins and that another rule reads: each once, at a condition.
pub fn unstarted(sheet: &Sheet) -> Vec<Diagnostic> {
    let functions = functions(sheet);
    let of = &sheet.keywords;
    let mut told = FxHashSet::default();
    let mut found: Vec<(Symbol, Span)> = Vec::new();
    for clause in &sheet.clauses {
        let own = (clause.head.relation == of.next).then(|| name_of(clause.head.args.first())).flatten();
        for literal in &clause.body {
            literal.each_sentence(&mut |sentence, _| {
                if sentence.relation == of.true_
                    && let Some(function) = name_of(sentence.args.first())
                    && functions.contains(&function)
                    && own != Some(function)
                    && told.insert(function)
                {
                    found.push((function, sentence.span));
                }
            });
        }
    }
    let message = |(function, span): (Symbol, Span)| {
        let name = sheet.symbols.name(function);
        let title = format!("no fluent `{name}` ever holds");
        let label = "each rule for its `next` needs one that holds before";
        let help = format!("state by `init` which `{name}` holds at first, or remove what reads it");
        Diagnostic::new(Code::W0714, title, span, label).help(help)
    };
    found.into_iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// One who walks for three steps.
    const WALK: &str = "(role ann) (init (step 1)) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (legal ann walk) (legal ann stay)
        (<= (next (at ?n)) (true (at ?m)) (does ann walk) (succ ?m ?n))
        (<= (next (at ?m)) (true (at ?m)) (does ann stay))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (at 3))) (<= terminal (true (step 4)))
        (<= (goal ann 100) (true (at 3))) (<= (goal ann 0) (not (true (at 3))))";

    /// The findings in the sheet with one text for another: titles, the texts at their places, and help.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(WALK.contains(from), "{from}");
        let text = WALK.replacen(from, to, 1);
        let found = crate::read(FileId(0), &text).diagnostics;
        let shown = |of: &super::Diagnostic| {
            let help = of.help.clone().unwrap_or_default();
            format!("{} at {}; {help}", of.title, &text[of.span().range()])
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn fluents_without_a_beginning_are_told() {
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let told = "no fluent `step` ever holds at (true (step 4)); state by `init` which `step` holds at \
                    first, or \
                    remove what reads it";
        assert_eq!(found("(init (step 1))", ""), [told]);
        let told = "nothing reads `initial` at (initial (step 1)); did you mean `init`?";
        assert_eq!(found("(init (step 1))", "(initial (step 1))"), [told]);
        // Another rule may begin it.
        let begun = "(<= (next (step 1)) (true (at 0)))";
        let [] = found("(init (step 1))", begun)[..] else { panic!("{:?}", found("(init (step 1))", begun)) };
        // A list of fluents may have any name.
        let listed = "(init (step 1)) (fluent (step 1)) (fluent (at 0))";
        let [] = found("(init (step 1))", listed)[..] else {
            panic!("{:?}", found("(init (step 1))", listed))
        };
    }
}
