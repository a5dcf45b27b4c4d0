//! Ground sentences, those that have been derived, and indices over them by parts of their arguments.

use std::hash::{Hash, Hasher};

use bouton_base::define_id;
use bouton_base::id::IdVec;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::terms::{Symbol, TermId, Terms};

define_id!(AtomId, "a", "A ground sentence.");
define_id!(IndexId, "i", "An index over the facts of a relation.");

/// A part of a sentence by which facts are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    /// A whole argument.
    Arg(u8),
    /// The name of the function in an argument.
    Function(u8),
    /// An argument of the function in an argument.
    Inner(u8, u8),
}

/// The order of a fact that has not been derived.
const NEVER: u32 = u32::MAX;

/// A ground sentence.
#[derive(Clone, Copy, Debug)]
struct Atom {
    relation: Symbol,
    first_arg: u32,
    args: u8,
    /// The number of facts that were derived before it; [`NEVER`] if it is no fact so far.
    order: u32,
}

/// The facts of a relation with certain parts, in the order in which they were derived.
#[derive(Debug)]
struct Index {
    paths: Vec<Path>,
    facts: FxHashMap<Box<[u32]>, Vec<AtomId>>,
}

/// Ground sentences and facts.
#[derive(Debug, Default)]
pub struct Facts {
    atoms: IdVec<AtomId, Atom>,
    args: Vec<TermId>,
    table: HashTable<AtomId>,
    /// All facts, in order.
    derived: Vec<AtomId>,
    indices: IdVec<IndexId, Index>,
    /// The indices of each relation.
    of_relation: FxHashMap<Symbol, Vec<IndexId>>,
    /// The number of facts of each relation.
    counts: FxHashMap<Symbol, usize>,
}

fn hash(relation: Symbol, args: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    (relation, args).hash(&mut hasher);
    hasher.finish()
}

impl Facts {
    /// Returns the atom of a ground sentence, new or old.
    pub fn intern(&mut self, relation: Symbol, args: &[TermId]) -> AtomId {
        if let Some(known) = self.find(relation, args) {
            return known;
        }
        let first_arg = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let atom = self.atoms.push(Atom { relation, first_arg, args: args.len() as u8, order: NEVER });
        let (atoms, all) = (&self.atoms, &self.args);
        self.table.insert_unique(hash(relation, args), atom, |&other| {
            let of = &atoms[other];
            hash(of.relation, &all[of.first_arg as usize..][..usize::from(of.args)])
        });
        atom
    }

    /// Returns the atom of a ground sentence that occurred before.
    pub fn find(&self, relation: Symbol, args: &[TermId]) -> Option<AtomId> {
        let same = |&atom: &AtomId| self.relation(atom) == relation && self.args(atom) == args;
        self.table.find(hash(relation, args), same).copied()
    }

    pub fn relation(&self, atom: AtomId) -> Symbol {
        self.atoms[atom].relation
    }

    pub fn args(&self, atom: AtomId) -> &[TermId] {
        let of = &self.atoms[atom];
        &self.args[of.first_arg as usize..][..usize::from(of.args)]
    }

    /// The number of atoms, facts or not.
    pub fn atoms(&self) -> usize {
        self.atoms.len()
    }

    pub fn is_fact(&self, atom: AtomId) -> bool {
        self.atoms[atom].order != NEVER
    }

    /// The place of a fact in the order of derivation.
    pub fn order(&self, atom: AtomId) -> u32 {
        self.atoms[atom].order
    }

    /// The facts in the order in which they were derived.
    pub fn derived(&self) -> &[AtomId] {
        &self.derived
    }

    /// The number of facts of a relation.
    pub fn count(&self, relation: Symbol) -> usize {
        self.counts.get(&relation).copied().unwrap_or(0)
    }

    /// Makes an atom a fact; returns false if it was one.
    pub fn derive(&mut self, terms: &Terms, atom: AtomId) -> bool {
        if self.is_fact(atom) {
            return false;
        }
        self.atoms[atom].order = self.derived.len() as u32;
        self.derived.push(atom);
        let relation = self.relation(atom);
        *self.counts.entry(relation).or_default() += 1;
        for index in self.of_relation.get(&relation).cloned().unwrap_or_default() {
            self.add_to(terms, index, atom);
        }
        true
    }

    fn add_to(&mut self, terms: &Terms, index: IndexId, atom: AtomId) {
        let key: Option<Box<[u32]>> =
            self.indices[index].paths.iter().map(|&path| part(terms, self.args(atom), path)).collect();
        if let Some(key) = key {
            self.indices[index].facts.entry(key).or_default().push(atom);
        }
    }

    /// Returns the index of a relation by these parts, new or old.
    pub fn index(&mut self, terms: &Terms, relation: Symbol, paths: Vec<Path>) -> IndexId {
        let known = self.of_relation.entry(relation).or_default();
        if let Some(&index) = known.iter().find(|&&index| self.indices[index].paths == paths) {
            return index;
        }
        let index = self.indices.push(Index { paths, facts: FxHashMap::default() });
        known.push(index);
        for place in 0..self.derived.len() {
            let atom = self.derived[place];
            if self.relation(atom) == relation {
                self.add_to(terms, index, atom);
            }
        }
        index
    }

    /// The facts with this key in an index, in the order in which they were derived.
    pub fn lookup(&self, index: IndexId, key: &[u32]) -> &[AtomId] {
        self.indices[index].facts.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The part of a sentence at a path, as a number.
fn part(terms: &Terms, args: &[TermId], path: Path) -> Option<u32> {
    Some(match path {
        Path::Arg(arg) => args.get(usize::from(arg))?.0,
        Path::Function(arg) => terms.get(*args.get(usize::from(arg))?).name.0,
        Path::Inner(arg, inner) => terms.get(*args.get(usize::from(arg))?).args.get(usize::from(inner))?.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Symbols;

    #[test]
    fn facts_are_found_by_their_parts() {
        let (mut symbols, mut terms, mut facts) = (Symbols::default(), Terms::default(), Facts::default());
        let (cell, fluent, x, y) =
            (symbols.intern("cell"), symbols.intern("true"), symbols.intern("x"), symbols.intern("y"));
        let [x, y] = [x, y].map(|name| terms.intern(name, &[]).expect("a constant"));
        let cells = [[x, x], [x, y], [y, y]].map(|args| terms.intern(cell, &args).expect("a flat term"));
        let by_first = facts.index(&terms, fluent, vec![Path::Function(0), Path::Inner(0, 0)]);
        let atoms = cells.map(|term| facts.intern(fluent, &[term]));
        assert!(facts.derive(&terms, atoms[1]) && facts.derive(&terms, atoms[0]));
        assert!(!facts.derive(&terms, atoms[0]));
        assert_eq!(facts.lookup(by_first, &[cell.0, x.0]), [atoms[1], atoms[0]]);
        assert!(facts.lookup(by_first, &[cell.0, y.0]).is_empty());
        let later = facts.index(&terms, fluent, vec![Path::Arg(0)]);
        assert_eq!(facts.lookup(later, &[cells[0].0]), [atoms[0]]);
        assert_eq!((facts.count(fluent), facts.is_fact(atoms[2])), (2, false));
    }
}
