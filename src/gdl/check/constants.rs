//! Constants that most likely are mistakes: one in a place where neither facts nor rules bring it, and one
//! that only positions have and that no condition reads.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, nearest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::sheet::{Clause, Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// The minimal number of letters of a constant that may be misspelt in a position.
const MIN_LETTERS: usize = 4;

/// The maximal number of constants that a message lists.
const MAX_LISTED: usize = 8;

/// A place of a term in a sheet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Role,
    Fluent,
    Move,
    /// An argument of a relation.
    Relation(Symbol, usize),
    /// An argument of a function.
    Function(Symbol, usize),
    /// A variable of the clause with this number.
    Var(usize, u32),
}

/// The classes of places between which variables carry constants, with the constants that conclusions have
/// there.
#[derive(Default)]
struct Constants {
    parents: FxHashMap<Place, Place>,
    concluded: FxHashMap<Place, FxHashSet<Symbol>>,
}

impl Constants {
    fn root(&self, mut place: Place) -> Place {
        while let Some(&parent) = self.parents.get(&place) {
            place = parent;
        }
        place
    }

    fn join(&mut self, one: Place, other: Place) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents.insert(one, other);
        }
    }

    /// Visits the terms in a pattern with their places, and joins those of variables with them.
    fn visit(&mut self, place: Place, pattern: &Pattern, clause: usize, found: &mut Vec<(Place, Symbol)>) {
        match pattern {
            Pattern::Var(var) => self.join(Place::Var(clause, *var), place),
            Pattern::Const(name) => found.push((place, *name)),
            Pattern::Compound(name, args) => {
                for (at, arg) in args.iter().enumerate() {
                    self.visit(Place::Function(*name, at), arg, clause, found);
                }
            }
        }
    }
}

/// A constant in a condition.
#[derive(Clone, Copy)]
struct Condition {
    place: Place,
    name: Symbol,
    relation: Symbol,
    /// The number of the clause.
    clause: usize,
    /// True if the rule applies only where the condition holds.
    is_needed: bool,
    span: Span,
}

/// The constants of a sheet, by how they occur.
#[derive(Default)]
struct Occurrences {
    conditions: Vec<Condition>,
    /// The constants of conclusions.
    concluded: Vec<(Place, Symbol)>,
    /// Those of `init` and `next`, with their places in the text.
    in_positions: Vec<(Place, Symbol, Span)>,
    /// The number of times that each constant is written.
    counts: FxHashMap<Symbol, usize>,
}

impl Checker<'_> {
    /// The place of an argument of a relation.
    fn place(&self, relation: Symbol, at: usize) -> Place {
        let of = &self.sheet.keywords;
        match at {
            0 if [of.init, of.true_, of.next, of.base].contains(&relation) => Place::Fluent,
            0 if [of.role, of.legal, of.does, of.goal, of.input, of.sees].contains(&relation) => Place::Role,
            1 if [of.legal, of.does, of.input].contains(&relation) => Place::Move,
            _ => Place::Relation(relation, at),
        }
    }

    /// The constants in conditions and conclusions, and the classes of places.
    fn constants(&self) -> (Constants, Occurrences) {
        let of = &self.sheet.keywords;
        let (mut constants, mut found) = (Constants::default(), Occurrences::default());
        for (number, clause) in self.sheet.clauses.iter().enumerate() {
            let head = &clause.head;
            let mut own = Vec::new();
            for (at, arg) in head.args.iter().enumerate() {
                constants.visit(self.place(head.relation, at), arg, number, &mut own);
            }
            if head.relation == of.init || head.relation == of.next {
                found.in_positions.extend(own.iter().map(|&(place, name)| (place, name, head.span)));
            }
            found.concluded.extend(own);
            for literal in &clause.body {
                self.join_equal(literal, number, &mut constants, &mut found.concluded);
                let is_single = matches!(literal, Literal::Positive(_));
                literal.each_sentence(&mut |sentence, _| {
                    let mut own = Vec::new();
                    for (at, arg) in sentence.args.iter().enumerate() {
                        constants.visit(self.place(sentence.relation, at), arg, number, &mut own);
                    }
                    let (relation, span, clause) = (sentence.relation, sentence.span, number);
                    let condition = |(place, name)| Condition {
                        place,
                        name,
                        relation,
                        clause,
                        is_needed: is_single,
                        span,
                    };
                    found.conditions.extend(own.into_iter().map(condition));
                });
            }
            each_constant(clause, &mut |name| *found.counts.entry(name).or_default() += 1);
        }
        for &(place, name) in &found.concluded {
            let root = constants.root(place);
            constants.concluded.entry(root).or_default().insert(name);
        }
        (constants, found)
    }

    /// A constant in a condition that no conclusion can bring to its place: it is spelt nearly as one that is
    /// there or as a variable of the rule, or occurs once in the sheet, or a relation never holds for this
    /// reason. Others may be meant, as in a sheet that a program wrote for all cells of a board.
    pub(super) fn unknown_constants(&mut self) {
        let (constants, found) = self.constants();
        let elsewhere: FxHashSet<Symbol> = found.concluded.iter().map(|(_, name)| *name).collect();
        let known = |of: &Condition| constants.concluded.get(&constants.root(of.place));
        // Another message tells of names that differ in upper and lower case.
        let is_missing = |of: &Condition| {
            let there = known(of).into_iter().flatten();
            let mut same = there.filter(|&&known| self.name(known).eq_ignore_ascii_case(self.name(of.name)));
            matches!(of.place, Place::Function(..) | Place::Relation(..))
                && known(of).is_some()
                && same.next().is_none()
        };
        let missing: Vec<Condition> =
            found.conditions.iter().copied().filter(is_missing).filter(|of| self.may_be_told(of)).collect();
        let dead: FxHashSet<usize> = missing.iter().filter(|of| of.is_needed).map(|of| of.clause).collect();
        let mut reported = FxHashSet::default();
        let mut told = Vec::new();
        for of in &missing {
            let known: FxHashSet<Symbol> = known(of).cloned().unwrap_or_default();
            let written = self.name(of.name);
            let clause = &self.sheet.clauses[of.clause];
            let variable = clause.vars.iter().find(|var| var[1..].eq_ignore_ascii_case(written));
            let bare = written.trim_matches('"');
            let unquoted = known.iter().map(|&name| self.name(name)).find(|name| *name == bare);
            let near = self.nearest_constant(written, &known).filter(|_| !elsewhere.contains(&of.name));
            let help = match (variable, unquoted.or(near)) {
                _ if written.starts_with('_') => {
                    let fresh =
                        if clause.vars.iter().any(|var| var == "?any") { "?anything" } else { "?any" };
                    format!(
                        "a variable begins with `?`: write one that occurs nowhere else, such as `{fresh}`"
                    )
                }
                (Some(var), _) => format!("did you mean `{var}`?"),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) if found.counts[&of.name] == 1 || self.is_dead(of, &dead) => {
                    let rest = if known.len() == 1 { "this" } else { "one of them" };
                    format!("it has {} there: write {rest}", self.listed(&known))
                }
                _ => continue,
            };
            if reported.insert((of.place, of.name)) {
                told.push((self.title(of), of.span, help));
            }
        }
        for (title, span, help) in told {
            self.report(Code::W0714, title, span, "no fact, `init` or `next` brings it there", &help);
        }
        self.commas(&found);
        self.unread_constants(&constants, &found);
    }

    /// Returns false for goals, and for relations about which another message tells that nothing makes them
    /// true.
    fn may_be_told(&self, of: &Condition) -> bool {
        let has_rule = |relation| self.sheet.clauses.iter().any(|clause| clause.head.relation == relation);
        let keywords = &self.sheet.keywords;
        match of.place {
            Place::Function(..) => [keywords.true_, keywords.does].contains(&of.relation),
            Place::Relation(relation, _) => relation != keywords.goal && has_rule(relation),
            _ => false,
        }
    }

    /// Returns true if no rule for the conclusion of a condition ever applies.
    fn is_dead(&self, of: &Condition, dead: &FxHashSet<usize>) -> bool {
        let relation = self.sheet.clauses[of.clause].head.relation;
        let mut clauses = self.sheet.clauses.iter().enumerate();
        of.is_needed
            && clauses.all(|(number, clause)| clause.head.relation != relation || dead.contains(&number))
    }

    fn title(&self, of: &Condition) -> String {
        let written = self.name(of.name);
        match of.place {
            Place::Function(function, at) => {
                let kind = if of.relation == self.sheet.keywords.does { "move" } else { "fluent" };
                format!("no {kind} `{}` has `{written}` as argument {}", self.name(function), at + 1)
            }
            Place::Relation(relation, at) => {
                format!("no `{}` has `{written}` as argument {}", self.name(relation), at + 1)
            }
            _ => format!("nothing has `{written}` here"),
        }
    }

    fn nearest_constant(&self, written: &str, known: &FxHashSet<Symbol>) -> Option<&str> {
        let mut names: Vec<&str> = known.iter().map(|&other| self.name(other)).collect();
        names.sort_unstable();
        nearest(written, names)
    }

    /// The names of constants, in order, a few of them.
    fn listed(&self, known: &FxHashSet<Symbol>) -> String {
        let mut names: Vec<&str> = known.iter().map(|&other| self.name(other)).collect();
        names.sort_by_key(|name| (name.parse::<i64>().ok(), *name));
        let rest = if names.len() > MAX_LISTED { ", ..." } else { "" };
        names.truncate(MAX_LISTED);
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        quoted.join(", ") + rest
    }

    /// A constant that ends in a comma.
    fn commas(&mut self, found: &Occurrences) {
        let places = found.conditions.iter().map(|of| (of.name, of.span));
        let mut all: Vec<(Symbol, Span)> = places.collect();
        for clause in &self.sheet.clauses {
            let mut of_head =
                |pattern: &Pattern| each_constant_in(pattern, &mut |name| all.push((name, clause.head.span)));
            clause.head.args.iter().for_each(&mut of_head);
        }
        let mut reported = FxHashSet::default();
        for (name, span) in all {
            let written = self.name(name);
            let bare = written.trim_matches(',');
            if bare != written && !bare.is_empty() && reported.insert(name) {
                let help = format!("blanks separate the parts of a list: write `{bare}`");
                self.report(
                    Code::W0714,
                    format!("the comma is part of the name `{written}`"),
                    span,
                    "",
                    &help,
                );
            }
        }
    }

    /// A constant that only `init` and `next` have, spelt nearly as one that conditions or other facts have
    /// there.
    fn unread_constants(&mut self, constants: &Constants, found: &Occurrences) {
        let mut in_positions: FxHashMap<Symbol, usize> = FxHashMap::default();
        found.in_positions.iter().for_each(|(_, name, _)| *in_positions.entry(*name).or_default() += 1);
        let is_read = |name: Symbol| found.counts.get(&name) > in_positions.get(&name);
        let mut reported = FxHashSet::default();
        for &(place, name, span) in &found.in_positions {
            let written = self.name(name);
            let is_word = written.len() >= MIN_LETTERS && written.bytes().all(|of| of.is_ascii_alphabetic());
            if !is_word || !matches!(place, Place::Function(..)) || is_read(name) {
                continue;
            }
            let known = constants.concluded.get(&constants.root(place)).into_iter().flatten();
            let read: FxHashSet<Symbol> = known.copied().filter(|&other| is_read(other)).collect();
            if let Some(near) = self.nearest_constant(written, &read)
                && !near.eq_ignore_ascii_case(written)
                && reported.insert(name)
            {
                let help = format!("did you mean `{near}`?");
                let title = format!("nothing reads `{written}`");
                self.report(Code::W0714, title, span, "no condition and no fact has this name", &help);
            }
        }
    }

    /// Joins the variables that a condition makes equal; a constant comes to the place of its variable.
    fn join_equal(
        &self,
        literal: &Literal,
        clause: usize,
        constants: &mut Constants,
        concluded: &mut Vec<(Place, Symbol)>,
    ) {
        match literal {
            Literal::Same(Pattern::Var(var), other, _) | Literal::Same(other, Pattern::Var(var), _) => {
                constants.visit(Place::Var(clause, *var), other, clause, concluded);
            }
            Literal::Or(branches, _) => {
                branches
                    .iter()
                    .flatten()
                    .for_each(|part| self.join_equal(part, clause, constants, concluded));
            }
            _ => {}
        }
    }
}

/// Visits the constants of a clause, each occurrence.
fn each_constant(clause: &Clause, visit: &mut dyn FnMut(Symbol)) {
    fn of_literal(literal: &Literal, visit: &mut dyn FnMut(Symbol)) {
        match literal {
            Literal::Positive(Sentence { args, .. }) | Literal::Negative(Sentence { args, .. }) => {
                args.iter().for_each(|arg| each_constant_in(arg, visit));
            }
            Literal::Distinct(a, b, _) | Literal::Same(a, b, _) => {
                [a, b].into_iter().for_each(|of| each_constant_in(of, visit));
            }
            Literal::Or(branches, _) => branches.iter().flatten().for_each(|part| of_literal(part, visit)),
        }
    }
    clause.head.args.iter().for_each(|arg| each_constant_in(arg, visit));
    clause.body.iter().for_each(|literal| of_literal(literal, visit));
}

fn each_constant_in(pattern: &Pattern, visit: &mut dyn FnMut(Symbol)) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Const(name) => visit(*name),
        Pattern::Compound(_, args) => args.iter().for_each(|arg| each_constant_in(arg, visit)),
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    use crate::{check, clauses};

    /// A walker who lights lamps.
    const LAMPS: &str =
        "(role ann) (role bobby) (init (turn ann)) (init (step 1)) (init (lamp 1 off)) (init (lamp 2 off))
        (succ 1 2) (succ 2 3)
        (<= (legal ?p (light ?n)) (true (turn ?p)) (true (lamp ?n off)))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= (next (lamp ?n on)) (does ?p (light ?n)))
        (<= (next (lamp ?n ?s)) (true (lamp ?n ?s)) (not (lit ?n)))
        (<= (lit ?n) (does ?p (light ?n)))
        (<= (next (turn bobby)) (true (turn ann))) (<= (next (turn ann)) (true (turn bobby)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= both (true (lamp 1 on)) (true (lamp 2 on)))
        (<= terminal both) (<= terminal late) (<= late (true (step 3)))
        (<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

    /// The findings in the sheet with one text for another: their titles and their help.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(LAMPS.contains(from), "{from}");
        let parsed = clauses::parse(FileId(0), &LAMPS.replacen(from, to, 1));
        let found = check::check(&parsed.sheet, FileId(0));
        found
            .into_iter()
            .map(|found| format!("{}; {}", found.title, found.help.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn constants_without_a_source_are_told() {
        assert_eq!(found("", ""), [""; 0]);
        for (from, to, told) in [
            (
                "(true (lamp ?n ?s)) (not",
                "(true (lamp n ?s)) (lit ?n) (not",
                "no fluent `lamp` has `n` as argument 1; did you mean `?n`?",
            ),
            (
                "(does ?p (light ?n)))",
                "(does ?p (light n)) (lit ?n))",
                "no move `light` has `n` as argument 1; did you mean `?n`?",
            ),
            (
                "(true (step 3))",
                "(true (step 9))",
                "no fluent `step` has `9` as argument 1; it has `1`, `2`, `3` there: write one of them",
            ),
            (
                "(true (step 3))",
                "(true (step \"3\"))",
                "no fluent `step` has `\"3\"` as argument 1; did you mean `3`?",
            ),
            (
                "(succ 1 2)",
                "(succ 1, 2)",
                "the comma is part of the name `1,`; blanks separate the parts of a list: write `1`",
            ),
            (
                "(true (step 3))",
                "(true (step _))",
                "no fluent `step` has `_` as argument 1; a variable begins with `?`: write one that occurs \
                 nowhere \
                 else, such as `?any`",
            ),
            (
                "(succ ?m ?n)",
                "(succ ?m ?n) (succ ?m m)",
                "no `succ` has `m` as argument 2; did you mean `?m`?",
            ),
            ("(next (turn bobby))", "(next (turn boby))", "nothing reads `boby`; did you mean `bobby`?"),
        ] {
            assert!(found(from, to).iter().any(|of| of == told), "{told}: {:?}", found(from, to));
        }
    }
}
