//! Terms in terms that nothing brings to their places: a misspelt function, `(cell ?c (peice white pawn))`,
//! or two arguments in each other's place, `(piece pawn white)`.

use bouton_syntax::diag::{Code, Diagnostic, nearest};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sheet::{Clause, Pattern, Sheet};
use crate::simplify::Propositions;
use crate::terms::{Symbol, TermId};

/// The messages for terms in fluents and moves of conditions that no fluent or move has in this place,
/// where a likely one is near: each once.
pub fn nested_terms(sheet: &Sheet, game: &Propositions) -> Vec<Diagnostic> {
    let of = &sheet.keywords;
    let mut found = Vec::new();
    let mut told: FxHashSet<String> = FxHashSet::default();
    for (relation, at) in [(of.true_, 0), (of.does, 1)] {
        let mut terms: FxHashMap<(Symbol, usize), FxHashSet<TermId>> = FxHashMap::default();
        // Fluents that always hold are no longer conditions of the rules, but they are in the first position.
        let first = if relation == of.true_ { game.possible(of.init) } else { Vec::new() };
        for atom in game.possible(relation).into_iter().chain(first) {
            let term = game.terms.get(game.facts.args(atom)[at]);
            let places = (0..).map(|place| (term.name, place)).zip(&term.args);
            places.for_each(|(place, &arg)| {
                terms.entry(place).or_default().insert(arg);
            });
        }
        for clause in &sheet.clauses {
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, _| {
                    let Some(Pattern::Compound(name, args)) = sentence.args.get(at) else { return };
                    if sentence.relation != relation {
                        return;
                    }
                    for (place, arg) in args.iter().enumerate() {
                        let Some(known) = terms.get(&(*name, place)) else { continue };
                        let near = Nested { sheet, game, clause, known }.near(arg);
                        let Some((meant, own)) = near.filter(|(_, own)| told.insert(own.clone())) else {
                            continue;
                        };
                        let kind = if relation == of.true_ { "fluent" } else { "move" };
                        let of = sheet.symbols.name(*name);
                        let title = format!("no {kind} `{of}` has `{own}` as argument {}", place + 1);
                        let label = "so this never holds";
                        found.push(
                            Diagnostic::new(Code::W0714, title, sentence.span, label)
                                .help(format!("did you mean `{meant}`?")),
                        );
                    }
                });
            }
        }
    }
    found
}

/// A place inside of a fluent or a move, with the terms that may stand there.
struct Nested<'s> {
    sheet: &'s Sheet,
    game: &'s Propositions,
    clause: &'s Clause,
    known: &'s FxHashSet<TermId>,
}

impl Nested<'_> {
    /// The term that is most likely meant by one that cannot stand here, and this one, as written.
    fn near(&self, pattern: &Pattern) -> Option<(String, String)> {
        let Pattern::Compound(name, args) = pattern else { return None };
        if self.is_possible(pattern) {
            return None;
        }
        let own = written(self.sheet, self.clause, pattern);
        let functions: FxHashSet<Symbol> =
            self.known.iter().map(|&term| self.game.terms.get(term).name).collect();
        if !functions.contains(name) {
            let mut names: Vec<&str> =
                functions.iter().map(|&function| self.sheet.symbols.name(function)).collect();
            names.sort_unstable();
            let near = nearest(self.sheet.symbols.name(*name), names)?;
            let meant = Pattern::Compound(self.sheet.symbols.find(near)?, args.clone());
            return self.is_possible(&meant).then(|| (written(self.sheet, self.clause, &meant), own));
        }
        // Two arguments in each other's place, if there is one such pair.
        let mut swapped = Vec::new();
        for (at, one) in (0..args.len()).flat_map(|at| (0..at).map(move |one| (at, one))) {
            let mut other = args.clone();
            other.swap(at, one);
            let other = Pattern::Compound(*name, other);
            if args[at] != args[one] && self.is_possible(&other) {
                swapped.push(other);
            }
        }
        let [meant] = &swapped[..] else { return None };
        Some((written(self.sheet, self.clause, meant), own))
    }

    fn is_possible(&self, pattern: &Pattern) -> bool {
        self.known.iter().any(|&term| self.fits(pattern, term, &mut FxHashMap::default()))
    }

    /// Returns true if a term is an instance of a pattern.
    fn fits(&self, pattern: &Pattern, term: TermId, values: &mut FxHashMap<u32, TermId>) -> bool {
        let of = self.game.terms.get(term);
        match pattern {
            Pattern::Var(var) => *values.entry(*var).or_insert(term) == term,
            Pattern::Const(name) => of.args.is_empty() && of.name == *name,
            Pattern::Compound(name, args) => {
                of.name == *name
                    && of.args.len() == args.len()
                    && args.iter().zip(&of.args).all(|(arg, &part)| self.fits(arg, part, values))
            }
        }
    }
}

/// A pattern of a clause as it is written.
pub(super) fn written(sheet: &Sheet, clause: &Clause, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Var(var) => clause.vars[*var as usize].clone(),
        Pattern::Const(name) => sheet.symbols.name(*name).to_owned(),
        Pattern::Compound(name, args) => {
            let args: Vec<String> = args.iter().map(|arg| written(sheet, clause, arg)).collect();
            format!("({} {})", sheet.symbols.name(*name), args.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// One who may take a pawn.
    const PAWN: &str = "(role a) (init (cell 1 (piece white pawn))) (init (step 1)) (succ 1 2) (succ 2 3)
        (<= (legal a (take ?c)) (true (cell ?c (piece white pawn)))) (legal a stay)
        (<= (next (cell ?c ?x)) (true (cell ?c ?x)) (not (does a (take ?c))))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (step 3)))
        (<= (goal a 0) (true (cell 1 (piece white pawn))))
        (<= (goal a 100) (not (true (cell 1 (piece white pawn)))))";

    /// The findings in the sheet with one text for another: titles, and help.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(PAWN.contains(from), "{from}");
        let found = crate::read(FileId(0), &PAWN.replacen(from, to, 1)).diagnostics;
        let shown = |of: &super::Diagnostic| {
            format!("{} {}; {}", of.code, of.title, of.help.clone().unwrap_or_default())
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn terms_that_never_stand_in_their_places_are_told() {
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let here = "(true (cell ?c (piece white pawn)))";
        for (to, own) in [
            ("(true (cell ?c (peice white pawn)))", "(peice white pawn)"),
            ("(true (cell ?c (piece pawn white)))", "(piece pawn white)"),
        ] {
            let told = format!(
                "W0714 no fluent `cell` has `{own}` as argument 2; did you mean `(piece white pawn)`?"
            );
            assert_eq!(found(here, to), [told]);
        }
        let by_var = found(here, "(true (cell ?c (peice ?who pawn)))");
        assert!(by_var[0].ends_with("did you mean `(piece ?who pawn)`?"), "{by_var:?}");
        // Nothing moves the pawn where no move reads it.
        let text = PAWN.replace("(not (does a (take ?c)))", "").replacen("piece", "peice", 2);
        let text = text.replacen("peice", "piece", 1);
        let found_there = crate::read(FileId(0), &text).diagnostics;
        assert!(found_there.iter().any(|of| of.title.contains("(peice white pawn)")), "{found_there:?}");
        // Variables may stand for anything.
        let free = found(here, "(true (cell ?c (piece ?who ?what)))");
        assert!(free.is_empty(), "{free:?}");
    }
}
