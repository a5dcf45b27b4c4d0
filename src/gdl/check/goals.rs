//! Goals that are no numbers from 0 to 100: written in the rules for `goal`, or brought to them by a
//! variable.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;

use super::Checker;
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::simplify::Propositions;
use crate::terms::Symbol;

/// The help against such a goal.
const RANGE: &str = "the best result is 100, the worst one 0";

fn is_goal(name: &str) -> bool {
    name.parse().is_ok_and(|goal: u32| goal <= 100)
}

fn title(name: &str) -> String {
    format!("the goal `{name}` is no whole number from 0 to 100")
}

impl Checker<'_> {
    /// The goals that the rules for `goal` name are numbers from 0 to 100.
    pub(super) fn goals(&mut self) {
        let sheet = self.sheet;
        let heads = sheet.clauses.iter().map(|clause| &clause.head);
        let mut heads = heads.filter(|head| head.relation == sheet.keywords.goal);
        let other = heads.find_map(|head| match head.args.get(1) {
            Some(Pattern::Const(goal)) if !is_goal(self.name(*goal)) => Some((*goal, head.span)),
            _ => None,
        });
        if let Some((goal, span)) = other {
            self.report(Code::W0710, title(self.name(goal)), span, "", RANGE);
        }
    }
}

/// The message for a goal that a variable brings, and that is no number from 0 to 100: at the fact or
/// conclusion that states the number. A fluent that counts up to more than it reaches in play states none.
pub fn goals_by_variables(sheet: &Sheet, game: &Propositions) -> Option<Diagnostic> {
    let goal = sheet.keywords.goal;
    let name = |symbol: Symbol| sheet.symbols.name(symbol);
    let possible: FxHashSet<Symbol> = game
        .possible(goal)
        .into_iter()
        .map(|atom| game.terms.get(game.facts.args(atom)[1]).name)
        .filter(|&value| !is_goal(name(value)))
        .collect();
    if possible.is_empty() {
        return None;
    }
    for rule in sheet.clauses.iter().filter(|clause| clause.head.relation == goal) {
        let Some(Pattern::Var(var)) = rule.head.args.get(1) else { continue };
        let mut search = Sources { sheet, known: FxHashSet::default(), found: Vec::new() };
        search.of_variable(rule, *var);
        if let Some((value, span)) = search.found.into_iter().find(|(value, _)| possible.contains(value)) {
            let found = Diagnostic::new(Code::W0710, title(name(value)), span, "its number is here");
            return Some(found.label(rule.head.span, "and this makes it a goal").help(RANGE));
        }
    }
    None
}

/// The search for the constants that a variable may stand for.
struct Sources<'s> {
    sheet: &'s Sheet,
    /// The arguments of relations that were visited.
    known: FxHashSet<(Symbol, usize)>,
    /// The constants with the places of the conclusions that state them.
    found: Vec<(Symbol, Span)>,
}

impl Sources<'_> {
    /// Collects the constants that positive conditions of a rule give to a variable.
    fn of_variable(&mut self, rule: &Clause, var: u32) {
        let mut conditions: Vec<&Sentence> = Vec::new();
        for literal in &rule.body {
            literal.each_sentence(&mut |sentence, positive| conditions.extend(positive.then_some(sentence)));
            if let Literal::Same(Pattern::Var(one), Pattern::Const(value), span)
            | Literal::Same(Pattern::Const(value), Pattern::Var(one), span) = literal
                && *one == var
            {
                self.found.push((*value, *span));
            }
        }
        for sentence in conditions {
            for (at, arg) in sentence.args.iter().enumerate() {
                match arg {
                    Pattern::Var(of) if *of == var => self.of_relation(sentence.relation, at),
                    Pattern::Compound(fluent, args) if sentence.relation == self.sheet.keywords.true_ => {
                        let places = (0..).zip(args).filter(|(_, arg)| **arg == Pattern::Var(var));
                        places.for_each(|(at, _)| self.of_fluent(*fluent, at));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Collects the constants that conclusions about a relation have as this argument.
    fn of_relation(&mut self, relation: Symbol, at: usize) {
        if !self.known.insert((relation, at)) {
            return;
        }
        let sheet = self.sheet;
        for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == relation) {
            match clause.head.args.get(at) {
                Some(Pattern::Const(value)) => self.found.push((*value, clause.head.span)),
                Some(Pattern::Var(var)) => self.of_variable(clause, *var),
                _ => {}
            }
        }
    }

    /// Collects the constants that `init` and `next` name as this argument of a fluent.
    fn of_fluent(&mut self, fluent: Symbol, at: usize) {
        let of = &self.sheet.keywords;
        let heads = self.sheet.clauses.iter().map(|clause| &clause.head);
        for head in heads.filter(|head| head.relation == of.init || head.relation == of.next) {
            if let Some(Pattern::Compound(function, args)) = head.args.first()
                && *function == fluent
                && let Some(Pattern::Const(value)) = args.get(at)
            {
                self.found.push((*value, head.span));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// One who takes a prize.
    const PRIZES: &str = "(role ann) (init (stage 1)) (legal ann a) (legal ann b) (pay a -10) (pay b 50)
        (succ 1 2) (succ 2 250)
        (<= (next (did ?m)) (does ann ?m)) (<= (next (stage ?n)) (true (stage ?m)) (succ ?m ?n))
        (<= terminal (true (did ?m)))
        (<= (goal ann ?g) (true (did ?m)) (pay ?m ?g))";

    /// The texts at the places of the messages about goals in the sheet with one text for another, with their
    /// titles.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(PRIZES.contains(from), "{from}");
        let text = PRIZES.replacen(from, to, 1);
        let found = crate::read(FileId(0), &text).diagnostics;
        let shown = found.iter().map(|of| format!("{} at {}", of.title, &text[of.span().range()]));
        shown.collect()
    }

    #[test]
    fn a_goal_that_a_variable_brings_is_told_at_its_number() {
        let low = "the goal `-10` is no whole number from 0 to 100 at (pay a -10)";
        assert_eq!(found("", ""), [low]);
        let by_rule = "(prize -10 a) (<= (pay ?m ?g) (prize ?g ?m))";
        let low_by_rule = "the goal `-10` is no whole number from 0 to 100 at (prize -10 a)";
        assert_eq!(found("(pay a -10)", by_rule), [low_by_rule]);
        let high = "the goal `101` is no whole number from 0 to 100 at (next (won 101))";
        let by_fluent = "(true (did ?m)) (true (won ?g))) (<= (next (won 101)) (does ann a)) (<= (next \
                         (won 0)) (does ann b)";
        assert_eq!(found("(true (did ?m)) (pay ?m ?g)", by_fluent), [high]);
    }

    #[test]
    fn goals_that_do_not_come_are_not_told() {
        let [] = found("-10", "0")[..] else { panic!("{:?}", found("-10", "0")) };
        // This one is no goal.
        let guarded = "(pay ?m ?g) (distinct ?m a)) (<= (goal ann 0) (true (did a))";
        let [] = found("(pay ?m ?g)", guarded)[..] else { panic!("{:?}", found("(pay ?m ?g)", guarded)) };
        // A step may count on behind the end.
        let [] = found("(true (did ?m)) (pay ?m ?g)", "(true (stage ?g))")[..] else {
            panic!("{:?}", found("(true (did ?m)) (pay ?m ?g)", "(true (stage ?g))"))
        };
    }
}
