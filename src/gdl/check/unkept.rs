//! Fluents that nothing keeps: a move makes one true and bars the same move while it holds, and a goal or
//! the end reads it, but it holds for one position alone, since no rule for `next` needs it.

use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;

use super::misspelt::name_of;
use super::nested::written;
use crate::sheet::{Clause, Literal, Pattern, Sheet};
use crate::terms::Symbol;

/// The messages for fluents that nothing keeps, each at its first rule.
pub fn unkept(sheet: &Sheet) -> Vec<Diagnostic> {
    let of = &sheet.keywords;
    let mut order: Vec<Symbol> = Vec::new();
    for clause in &sheet.clauses {
        if clause.head.relation != of.next && clause.head.relation != of.init {
            continue;
        }
        let Some(function) = name_of(clause.head.args.first()) else { return Vec::new() };
        if !order.contains(&function) {
            order.push(function);
        }
    }
    let uses = Uses { sheet };
    let is_unkept = |function: &Symbol| {
        let rules = uses.rules(*function);
        let has_init = sheet.clauses.iter().any(|clause| {
            clause.head.relation == of.init && name_of(clause.head.args.first()) == Some(*function)
        });
        let reading = uses.reading(*function);
        let is_kept = |rule: &&Clause| uses.reads(rule, *function, &reading);
        !has_init
            && !rules.is_empty()
            && !rules.iter().any(is_kept)
            && [of.goal, of.terminal].iter().any(|end| reading.contains(end))
            && rules.iter().any(|rule| uses.bars_its_move(rule, *function))
    };
    let unkept = order.into_iter().filter(is_unkept);
    unkept.filter_map(|function| Some(message(sheet, uses.rules(function).first()?))).collect()
}

fn message(sheet: &Sheet, rule: &Clause) -> Diagnostic {
    let fluent = rule.head.args.first().map(|of| written(sheet, rule, of)).unwrap_or_default();
    let name = fluent.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default().to_owned();
    let title = format!("nothing keeps the fluent `{name}`");
    let label = "it holds only until the next move";
    let help = format!("keep it by a rule: `(<= (next {fluent}) (true {fluent}))`");
    Diagnostic::new(Code::W0714, title, rule.head.span, label).help(help)
}

/// The uses of fluents in the rules of a sheet.
struct Uses<'s> {
    sheet: &'s Sheet,
}

impl<'s> Uses<'s> {
    /// The rules that make fluents of a function true.
    fn rules(&self, function: Symbol) -> Vec<&'s Clause> {
        let of = &self.sheet.keywords;
        let is_own = |clause: &&Clause| {
            clause.head.relation == of.next && name_of(clause.head.args.first()) == Some(function)
        };
        self.sheet.clauses.iter().filter(is_own).collect()
    }

    /// The relations that depend on fluents of a function in the position.
    fn reading(&self, function: Symbol) -> FxHashSet<Symbol> {
        let mut found = FxHashSet::default();
        loop {
            let before = found.len();
            for clause in &self.sheet.clauses {
                if clause.head.relation != self.sheet.keywords.next && self.reads(clause, function, &found) {
                    found.insert(clause.head.relation);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Returns true if a rule has a condition about a fluent of a function, or about one of these relations.
    fn reads(&self, clause: &Clause, function: Symbol, relations: &FxHashSet<Symbol>) -> bool {
        let mut found = false;
        clause.body.iter().for_each(|literal| {
            literal.each_sentence(&mut |sentence, _| {
                found |= relations.contains(&sentence.relation)
                    || sentence.relation == self.sheet.keywords.true_
                        && name_of(sentence.args.first()).is_none_or(|name| name == function);
            });
        });
        found
    }

    /// Returns true if a rule gives an argument of a move to the fluent, and a rule for the same move to be
    /// legal negates the fluent, or a relation that is true for it, with the same argument of the move.
    fn bars_its_move(&self, rule: &Clause, function: Symbol) -> bool {
        let of = &self.sheet.keywords;
        let made = rule.body.iter().find_map(|literal| match literal {
            Literal::Positive(sentence) if sentence.relation == of.does => sentence.args.get(1),
            _ => None,
        });
        let (Some(Pattern::Compound(made, args)), Some(Pattern::Compound(_, own))) =
            (made, rule.head.args.first())
        else {
            return false;
        };
        let shared =
            (0..args.len()).filter(|&at| matches!(args[at], Pattern::Var(_)) && own.contains(&args[at]));
        let shared: Vec<usize> = shared.collect();
        let by_relation: FxHashSet<Symbol> = self
            .sheet
            .clauses
            .iter()
            .filter_map(|clause| {
                let reads = clause.body.iter().any(|literal| match literal {
                    Literal::Positive(sentence) => {
                        sentence.relation == of.true_ && name_of(sentence.args.first()) == Some(function)
                    }
                    _ => false,
                });
                reads.then_some(clause.head.relation)
            })
            .collect();
        let legal = self.sheet.clauses.iter().filter(|clause| clause.head.relation == of.legal);
        legal.into_iter().any(|clause| {
            let Some(Pattern::Compound(name, params)) = clause.head.args.get(1) else { return false };
            name == made
                && clause.body.iter().any(|literal| {
                    let Literal::Negative(sentence) = literal else { return false };
                    let terms = match sentence.args.first() {
                        Some(Pattern::Compound(name, terms))
                            if sentence.relation == of.true_ && *name == function =>
                        {
                            terms
                        }
                        _ if by_relation.contains(&sentence.relation) => &sentence.args,
                        _ => return false,
                    };
                    shared.iter().any(|&at| params.get(at).is_some_and(|param| terms.contains(param)))
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// Two who put stones on fields.
    const FIELDS: &str = "(role a) (role b) (init (ctl a)) (init (k 0)) (s 0 1) (s 1 2) (s 2 3) (s 3 4)
        (<= (legal ?p (put ?x)) (true (ctl ?p)) (cell ?x) (not (taken ?x))) (cell 1) (cell 2) (cell 3) (cell 4)
        (<= (taken ?x) (true (at ?p ?x)))
        (<= (legal a noop) (true (ctl b))) (<= (legal b noop) (true (ctl a)))
        (<= (next (at ?p ?x)) (does ?p (put ?x)))
        (<= (next (at ?p ?x)) (true (at ?p ?x)))
        (<= (next (ctl a)) (true (ctl b))) (<= (next (ctl b)) (true (ctl a)))
        (<= (next (k ?b)) (true (k ?a)) (s ?a ?b))
        (<= terminal (true (k 4)))
        (<= (goal a 100) (true (at a 1))) (<= (goal a 0) (not (true (at a 1))))
        (<= (goal b 100) (not (true (at a 1)))) (<= (goal b 0) (true (at a 1)))";

    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(FIELDS.contains(from), "{from}");
        let found = crate::read(FileId(0), &FIELDS.replacen(from, to, 1)).diagnostics;
        found.iter().map(|of| format!("{}; {}", of.title, of.help.clone().unwrap_or_default())).collect()
    }

    #[test]
    fn fluents_that_nothing_keeps_are_told() {
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let frame = "(<= (next (at ?p ?x)) (true (at ?p ?x)))";
        let told = format!("nothing keeps the fluent `at`; keep it by a rule: `{frame}`");
        assert_eq!(found(frame, ""), [told]);
        // What the goals do not read may be about the last move alone.
        let last = "(<= (goal a 100) (true (ctl a))) (<= (goal a 0) (true (ctl b)))
            (<= (goal b 100) (true (ctl b))) (<= (goal b 0) (true (ctl a)))";
        let text = FIELDS.replacen(frame, "", 1);
        let text = format!("{}{last}", &text[..text.find("(<= (goal a 100)").unwrap_or(0)]);
        let found = crate::read(FileId(0), &text).diagnostics;
        assert!(found.iter().all(|of| !of.title.contains("keeps")), "{found:?}");
    }
}
