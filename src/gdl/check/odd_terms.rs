//! Terms that most likely are mistakes: a variable that occurs once and is spelt nearly as another one of its rule,
//! `distinct` with the same term twice, and a role that is stated twice.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::sheet::{Clause, Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// The minimal number of letters of a variable that may be misspelt: `?x1` and `?x2` are meant.
const MIN_LETTERS: usize = 3;

impl Checker<'_> {
    /// A variable that occurs once, and nearly as another one of its rule.
    pub(super) fn lone_variables(&mut self) {
        let sheet = self.sheet;
        for clause in &sheet.clauses {
            let mut counts = vec![0usize; clause.vars.len()];
            let mut visit = |var: u32| counts[var as usize] += 1;
            clause.head.each_var(&mut visit);
            clause.body.iter().for_each(|literal| literal.each_var(&mut visit));
            let lone = (0..counts.len()).filter(|&var| counts[var] == 1);
            for var in lone {
                let name = &clause.vars[var];
                // Of two that occur once each, the longer one or the later one is told.
                let near = |&other: &usize| {
                    let is_pair =
                        counts[other] == 1 && (other < var || is_doubled(name, &clause.vars[other]));
                    counts[other] > 1 || is_pair
                };
                let mut others = (0..counts.len()).filter(|&other| other != var).filter(near);
                let is_meant = |other: &usize| {
                    is_slip(name, &clause.vars[*other])
                        || is_doubled(name, &clause.vars[*other])
                            && (is_odd_in_column(clause, var, *other) || is_next_step(clause, var, *other))
                };
                let Some(other) = others.find(is_meant).map(|of| &clause.vars[of]) else { continue };
                let title = format!("the variable `{name}` occurs once in its rule");
                let span = var_span(clause, var as u32);
                let help = format!("did you mean `{other}`?");
                self.report(Code::W0714, title, span, "it stands for anything here", &help);
            }
        }
    }

    /// `distinct` with the same term twice never holds.
    pub(super) fn same_terms(&mut self) {
        let sheet = self.sheet;
        for literal in sheet.clauses.iter().flat_map(|clause| &clause.body) {
            self.same_terms_in(literal);
        }
    }

    fn same_terms_in(&mut self, literal: &Literal) {
        match literal {
            Literal::Distinct(a, b, span) if a == b => {
                let title = "`distinct` of the same term twice is never true".to_owned();
                self.report(Code::W0714, title, *span, "", "write another term on one side");
            }
            Literal::Or(branches, _) => {
                branches.iter().flatten().for_each(|part| self.same_terms_in(part));
            }
            _ => {}
        }
    }

    /// A role that two facts state is one role.
    pub(super) fn doubled_roles(&mut self) {
        let sheet = self.sheet;
        let mut first: FxHashMap<&Pattern, Span> = FxHashMap::default();
        for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == sheet.keywords.role) {
            let Some(role @ Pattern::Const(name)) = clause.head.args.first() else { continue };
            match first.get(role) {
                None => {
                    first.insert(role, clause.span);
                }
                Some(&span) => {
                    let title = format!("the role `{}` is stated twice", self.name(*name));
                    let found = Diagnostic::new(Code::W0714, title, clause.span, "").label(span, "and here");
                    self.found.push(found.help("name each player once; this one is the same player"));
                }
            }
        }
    }
}

/// The place of the sentence or condition with a variable, which occurs once.
fn var_span(clause: &Clause, var: u32) -> Span {
    let has = |sentence: &Sentence| {
        let mut found = false;
        sentence.each_var(&mut |of| found |= of == var);
        found
    };
    let in_literal = |literal: &&Literal| {
        let mut found = false;
        literal.each_var(&mut |of| found |= of == var);
        found
    };
    match has(&clause.head) {
        true => clause.head.span,
        false => clause.body.iter().find(in_literal).map_or(clause.span, Literal::span),
    }
}

/// Returns true if a name is the other one with a letter doubled: `?bb` and `?b`.
fn is_doubled(name: &str, other: &str) -> bool {
    let letters = name.as_bytes();
    letters.len() == other.len() + 1
        && (1..letters.len() - 1).any(|at| {
            letters[at] == letters[at + 1]
                && letters[at].is_ascii_alphabetic()
                && [&letters[..at], &letters[at + 1..]].concat() == other.as_bytes()
        })
}

/// Returns true if two variables that occur once each stand in two conditions of one relation, in different
/// places: the second goes on where the first one ends, as in `(st ?y ?z) (st ?zz ?v)`.
fn is_next_step(clause: &Clause, lone: usize, other: usize) -> bool {
    let mut counts = [0; 2];
    let mut places: [Option<(Symbol, usize)>; 2] = [None; 2];
    for (number, var) in [lone, other].into_iter().enumerate() {
        clause.head.each_var(&mut |of| counts[number] += usize::from(of as usize == var));
        for literal in &clause.body {
            literal.each_var(&mut |of| counts[number] += usize::from(of as usize == var));
            if let Literal::Positive(sentence) = literal
                && let Some(at) = sentence.args.iter().position(|arg| *arg == Pattern::Var(var as u32))
            {
                places[number] = Some((sentence.relation, at));
            }
        }
    }
    match (counts, places) {
        ([1, 1], [Some((one, at)), Some((two, place))]) => one == two && at != place,
        _ => false,
    }
}

/// The only variable of a rule that has values and occurs once, if another one has none: most likely one is
/// meant.
pub(super) fn only_lone<'c>(clause: &'c Clause, bound: &FxHashSet<u32>) -> Option<&'c str> {
    let mut counts = vec![0usize; clause.vars.len()];
    clause.head.each_var(&mut |var| counts[var as usize] += 1);
    clause.body.iter().for_each(|literal| literal.each_var(&mut |var| counts[var as usize] += 1));
    let mut lone = bound.iter().filter(|&&var| counts[var as usize] == 1);
    match (lone.next(), lone.next()) {
        (Some(&only), None) => Some(&clause.vars[only as usize]),
        _ => None,
    }
}

/// Returns true if a variable that occurs once stands in a place of a relation or function that has another
/// variable in all other conditions of the rule, at least in two of them.
fn is_odd_in_column(clause: &Clause, lone: usize, other: usize) -> bool {
    let mut columns: FxHashMap<(Vec<Symbol>, usize), Vec<&Pattern>> = FxHashMap::default();
    fn visit<'p>(
        path: &[Symbol],
        args: &'p [Pattern],
        columns: &mut FxHashMap<(Vec<Symbol>, usize), Vec<&'p Pattern>>,
    ) {
        for (at, arg) in args.iter().enumerate() {
            columns.entry((path.to_vec(), at)).or_default().push(arg);
            if let Pattern::Compound(name, args) = arg {
                visit(&[path, &[*name]].concat(), args, columns);
            }
        }
    }
    for literal in &clause.body {
        literal.each_sentence(&mut |sentence, _| visit(&[sentence.relation], &sentence.args, &mut columns));
    }
    let (lone, other) = (Pattern::Var(lone as u32), Pattern::Var(other as u32));
    columns.values().any(|column| {
        let others = column.iter().filter(|of| ***of == other).count();
        column.contains(&&lone) && others > 1 && others + 1 == column.len()
    })
}

/// Returns true if one name of a variable is most likely the other, misspelt: with two letters exchanged, or one left out
/// or doubled inside. Names that differ at their ends, `?posx` and `?posy`, are meant.
fn is_slip(name: &str, other: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> { name.trim_start_matches('?').to_ascii_lowercase().into_bytes() };
    let (a, b) = (letters(name), letters(other));
    let are_words = [&a, &b].iter().all(|of| of.iter().all(u8::is_ascii_alphabetic));
    if a.len().min(b.len()) < MIN_LETTERS || !are_words {
        return false;
    }
    if a.len() == b.len() {
        let differing: Vec<usize> = (0..a.len()).filter(|&at| a[at] != b[at]).collect();
        return match differing[..] {
            [one, two] => two == one + 1 && a[one] == b[two] && a[two] == b[one],
            [one] => one > 0 && one + 1 < a.len() && a.len() > MIN_LETTERS,
            _ => false,
        };
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let without = |at: usize| [&long[..at], &long[at + 1..]].concat() == short;
    long.len() == short.len() + 1 && (1..long.len() - 1).any(without) && short.len() > MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    use super::*;
    use crate::{check, clauses};

    /// A sheet of pearls in two rows, of which each takes some.
    const PEARLS: &str =
        "(role white) (role black) (init (turn white)) (init (row one 2)) (less 2 1) (less 1 0)
        (<= (legal ?p (take ?row ?n)) (true (turn ?p)) (true (row ?row ?m)) (less ?m ?n))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= (next (row ?row ?n)) (does ?p (take ?row ?n)))
        (<= (next (turn white)) (true (turn black))) (<= (next (turn black)) (true (turn white)))
        (<= terminal (true (row one 0)))
        (<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

    /// The titles of the findings in the sheet with one text for another.
    fn titles(from: &str, to: &str) -> Vec<String> {
        let parsed = clauses::parse(FileId(0), &PEARLS.replacen(from, to, 1));
        check::check(&parsed.sheet, FileId(0)).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn odd_terms_are_told() {
        assert_eq!(titles("", ""), [""; 0]);
        for (from, to, title) in [
            (
                "(true (row ?row ?m))",
                "(true (row ?rwo ?m)) (row_of ?row)",
                "the variable `?rwo` occurs once in its rule",
            ),
            ("(true (turn black))", "(true (turn blak))", "no fluent `turn` has `blak` as argument 1"),
            (
                "(true (turn ?p)) (true",
                "(distinct ?p ?p) (true",
                "`distinct` of the same term twice is never true",
            ),
            (
                "(<= terminal (true (row one 0)))",
                "(<= terminal (true (row one ?n)) (true (row two ?n)) (true (row two ?nn)) (less ?n 0))",
                "the variable `?nn` occurs once in its rule",
            ),
            ("(role black)", "(role black) (role white)", "the role `white` is stated twice"),
        ] {
            assert!(titles(from, to).iter().any(|found| found == title), "{title}: {:?}", titles(from, to));
        }
    }

    #[test]
    fn another_variable_of_a_pair_is_meant() {
        let pair = "(<= terminal (true (row one ?n)) (true (row two ?nn)) (less ?n 0))";
        let found = titles("(<= terminal (true (row one 0)))", pair);
        assert!(!found.iter().any(|title| title.contains("occurs once")), "{found:?}");
    }

    #[test]
    fn a_step_goes_on_where_the_last_one_ends() {
        let two = "(<= (two ?x ?y) (less ?x ?z) (less ?zz ?y)) (<= terminal (true (row one 0)))";
        let found = titles("(<= terminal (true (row one 0)))", two);
        assert!(found.contains(&"the variable `?zz` occurs once in its rule".to_owned()), "{found:?}");
        let meant = two.replace("?zz", "?z");
        let found = titles("(<= terminal (true (row one 0)))", &meant);
        assert!(!found.iter().any(|title| title.contains("occurs once")), "{found:?}");
    }

    #[test]
    fn a_variable_without_values_is_most_likely_the_one_that_occurs_once() {
        let rule = "(<= (next (row ?row ?n)) (does ?p (take ?row ?n)))";
        for (to, named) in [
            ("(<= (next (row ?r ?n)) (does white (take ?row ?n)))", true),
            ("(<= (next (row ?r ?n)) (does ?p (take ?row ?n)))", false),
        ] {
            let parsed = clauses::parse(FileId(0), &PEARLS.replacen(rule, to, 1));
            let found = check::check(&parsed.sheet, FileId(0));
            let help: Vec<String> = found.into_iter().filter_map(|of| of.help).collect();
            assert_eq!(help.iter().any(|help| help.starts_with("`?row` occurs once")), named, "{help:?}");
        }
    }

    #[test]
    fn slips_are_told_from_names_that_are_meant() {
        for (name, other) in
            [("?rwo", "?row"), ("?colum", "?column"), ("?plaer", "?player"), ("?stap", "?step")]
        {
            assert!(is_slip(name, other) != (name == "?colum"), "{name} {other}");
        }
        for (name, other) in [("?x1", "?x2"), ("?posx", "?posy"), ("?steps", "?step"), ("?row", "?col")] {
            assert!(!is_slip(name, other), "{name} {other}");
        }
    }
}
