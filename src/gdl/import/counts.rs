//! Relations that count: `(stones 8 8 black 12)` if 12 cells are black, found cell by cell from the first one. In the
//! text, such a condition on the last cell is a comparison with `count`.
//!
//! That the cells are all cells is not proved, only that there are as many: the comparison of the text with the sheet
//! shows where it is wrong.

use std::collections::BTreeSet;

use super::types::Place;
use super::{Fluent, Importer, Static};
use crate::sheet::{Clause, Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// A relation that counts the fluents of a function that hold. Its last argument is the number.
#[derive(Clone, Debug)]
pub struct Count {
    fluent: Symbol,
    /// For each argument of the fluent, the argument of the relation that it is in all rules; `None` for those that
    /// differ from cell to cell.
    same: Vec<Option<usize>>,
}

impl Importer<'_> {
    /// Finds the relations that count.
    pub(super) fn find_counts(&self) -> std::collections::BTreeMap<Symbol, Count> {
        let relations = self.recursive.iter().filter(|relation| {
            !self.statics.contains_key(relation)
                && !self.of_moves.contains(relation)
                && self.definitions.contains_key(relation)
        });
        relations.filter_map(|&relation| Some((relation, self.count_of(relation)?))).collect()
    }

    /// The form of a relation that counts: each rule is about one fluent, and adds one where it holds.
    fn count_of(&self, relation: Symbol) -> Option<Count> {
        let mut found: Option<Count> = None;
        for (_, clause) in self.clauses_of(relation) {
            let (fluent, holds) = self.fluent_of(clause)?;
            let (Pattern::Compound(name, args), last) = (fluent, clause.head.args.len().checked_sub(1)?)
            else {
                return None;
            };
            let before = self.before(clause, relation)?;
            let number = &clause.head.args[last];
            match before {
                None => {
                    let Pattern::Const(number) = number else { return None };
                    let wanted = if holds { "1" } else { "0" };
                    (self.symbol(*number) == wanted).then_some(())?;
                }
                Some(before) if holds => self.has_step(clause, &before.args[last], number).then_some(())?,
                Some(before) => (before.args[last] == *number).then_some(())?,
            }
            // An argument that is the same in the cell before.
            let same = |arg: &Pattern| {
                let is_same = |at: &usize| {
                    clause.head.args[*at] == *arg
                        && matches!(arg, Pattern::Var(_))
                        && before.is_none_or(|before| before.args[*at] == *arg)
                };
                (0..last).find(is_same)
            };
            let here: Vec<Option<usize>> = args.iter().map(same).collect();
            found = Some(match found {
                None => Count { fluent: *name, same: here },
                Some(of) if of.fluent == *name && of.same.len() == here.len() => {
                    let both = of.same.iter().zip(&here).map(|(a, b)| a.filter(|_| a == b));
                    Count { fluent: *name, same: both.collect() }
                }
                Some(_) => return None,
            });
        }
        found.filter(|of| of.same.iter().any(Option::is_none))
    }

    /// The only fluent that a rule is about, and true if it is to hold.
    fn fluent_of<'c>(&self, clause: &'c Clause) -> Option<(&'c Pattern, bool)> {
        let mut fluents = clause.body.iter().filter_map(|literal| match literal {
            Literal::Positive(of) if of.relation == self.sheet.keywords.true_ => Some((&of.args[0], true)),
            Literal::Negative(of) if of.relation == self.sheet.keywords.true_ => Some((&of.args[0], false)),
            _ => None,
        });
        fluents.next().filter(|_| fluents.next().is_none())
    }

    /// The condition of a rule on its own relation, if it has one; `None` if it has several.
    fn before<'c>(&self, clause: &'c Clause, relation: Symbol) -> Option<Option<&'c Sentence>> {
        let mut own = clause.body.iter().filter_map(|literal| match literal {
            Literal::Positive(of) if of.relation == relation => Some(of),
            _ => None,
        });
        let first = own.next();
        own.next().is_none().then_some(first)
    }

    /// Returns true if a rule has the condition that one number is the successor of another.
    fn has_step(&self, clause: &Clause, from: &Pattern, to: &Pattern) -> bool {
        clause.body.iter().any(|literal| match literal {
            Literal::Positive(of) => {
                matches!(self.statics.get(&of.relation), Some(Static::Successor { .. }))
                    && of.args.len() == 2
                    && of.args[0] == *from
                    && of.args[1] == *to
            }
            _ => false,
        })
    }

    /// The number that a condition on a counting relation is about, as a term; `None` if it is not about the last cell.
    pub(super) fn count(&self, sentence: &Sentence, terms: &[Option<String>]) -> Option<String> {
        let of = self.counts.get(&sentence.relation)?;
        let last = sentence.args.len().checked_sub(1)?;
        let is_same = |at: usize| of.same.contains(&Some(at));
        let cell = (0..last).filter(|&at| !is_same(at));
        if !cell.clone().all(|at| matches!(sentence.args[at], Pattern::Const(_))) {
            return None;
        }
        // As many cells as the greatest number that is possible for this cell.
        let tuples = self.possible(sentence.relation);
        let is_here = |tuple: &&Vec<String>| cell.clone().all(|at| tuple.get(at) == terms[at].as_ref());
        let numbers =
            tuples.iter().filter(is_here).filter_map(|tuple| tuple.get(last)?.parse::<usize>().ok());
        let most = numbers.max()?;
        let fluents = self.names.fluents.iter().map(|name| &name.term).chain(&self.names.constants);
        let cells: BTreeSet<Vec<&str>> = fluents
            .filter(|term| super::head_of(term) == self.symbol(of.fluent))
            .map(|term| {
                let args = term.trim_end_matches(')').split(' ').skip(1);
                args.zip(&of.same).filter(|(_, same)| same.is_none()).map(|(arg, _)| arg).collect()
            })
            .collect();
        if cells.len() != most {
            return None;
        }
        let (mut binders, mut args) = (Vec::new(), Vec::new());
        for (at, same) in of.same.iter().enumerate() {
            match same {
                Some(known) => args.push(terms[*known].clone()?),
                None => {
                    let name = self.types.unused(&format!("k{}", at + 1));
                    binders.push(format!("{name} in {}", self.type_of_argument(of.fluent, at).ok()?));
                    args.push(name);
                }
            }
        }
        let condition = match self.fluents.get(&of.fluent)? {
            Fluent::Value { field, .. } if self.holes.contains_key(field) => return None,
            Fluent::Truth(field) => super::formulas::cell(field, &args),
            Fluent::Value { field, .. } => {
                let (value, keys) = args.split_last()?;
                // Each value counts where the value differs from cell to cell.
                of.same.last().copied().flatten()?;
                format!("{} = {value}", super::formulas::cell(field, keys))
            }
            Fluent::Constant | Fluent::Control => return None,
        };
        Some(format!("(count {}: {condition})", binders.join(", ")))
    }

    /// The possible sentences of a relation, as written values.
    fn possible(&self, relation: Symbol) -> Vec<Vec<String>> {
        let written = |atom: crate::ground::AtomId| {
            let value = |(at, term): (usize, &crate::terms::TermId)| {
                let name = self.game.terms.get(*term).name;
                self.types.value(Place::Relation(relation, at), name).unwrap_or_default().to_owned()
            };
            self.game.facts.args(atom).iter().enumerate().map(value).collect()
        };
        self.game.possible(relation).into_iter().map(written).collect()
    }
}
