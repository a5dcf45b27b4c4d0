//! Simplification of ground rules: what is certain is removed, until only what can change is left.
//!
//! Certain are sentences that nothing derives, those that follow from nothing, fluents that never change, and the moves
//! of roles that have only one. GDL requires that each role always has a legal move; this is relied on here.
//! Fluents of a function that neither moves nor ends, goals or percepts depend on, now or later, are left out.

use std::collections::VecDeque;

use bouton_base::cancel;
use bouton_base::id::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::{AtomId, Facts, GroundLiteral, Grounding, Instances};
use crate::program::Rule;
use crate::sheet::Keywords;
use crate::terms::{Symbol, TermId, Terms};

/// The conditions of a rule, in order, each once.
pub type Body = Box<[GroundLiteral]>;

/// A game in propositions: ground sentences with the bodies that derive them.
#[derive(Debug)]
pub struct Propositions {
    pub terms: Terms,
    pub facts: Facts,
    /// The rules with variables, of what changes.
    pub rules: Vec<Rule>,
    /// The bodies of each atom that can change; fluents and moves have none.
    bodies: IdVec<AtomId, Vec<Body>>,
    /// The atoms that are certainly true (or, with false, never).
    certain: IdVec<AtomId, Option<bool>>,
    /// The fluents that change, and that play does not depend on: they count as never true.
    pub unread: Vec<AtomId>,
}

/// The atoms of one argument, by that argument.
type ByTerm = FxHashMap<TermId, AtomId>;

impl Propositions {
    /// Simplifies the instances of a sheet.
    pub fn new(grounding: Grounding, keywords: &Keywords) -> Propositions {
        let Grounding { terms, facts, instances, rules: of_sheet } = grounding;
        let mut rules = Instances::default();
        let mut sorted: Vec<GroundLiteral> = Vec::new();
        for (head, literals) in instances.iter() {
            cancel::step();
            sorted.clear();
            sorted.extend_from_slice(literals);
            sorted.sort_unstable();
            sorted.dedup();
            // A sentence does not support itself, and a body may contradict itself.
            let circular = sorted.binary_search(&GroundLiteral::new(head, true)).is_ok();
            let contradicts = sorted.windows(2).any(|pair| pair[0].atom() == pair[1].atom());
            if !circular && !contradicts {
                rules.push(head, &sorted);
            }
        }
        drop(instances);
        let mut simplifier = Simplifier::new(&terms, &facts, keywords, rules);
        simplifier.run();
        let Simplified { bodies, certain, unread } = simplifier.finish();
        Propositions { terms, facts, rules: of_sheet, bodies, certain, unread }
    }

    /// The truth value of an atom that never changes.
    pub fn certain(&self, atom: AtomId) -> Option<bool> {
        self.certain.get(atom).copied().flatten()
    }

    /// The bodies that derive an atom; empty for fluents, moves and atoms that are certain.
    pub fn bodies(&self, atom: AtomId) -> &[Body] {
        self.bodies.get(atom).map_or(&[], Vec::as_slice)
    }

    /// The atoms of a relation that can be true, in the order in which they were derived.
    pub fn possible(&self, relation: Symbol) -> Vec<AtomId> {
        let facts = self.facts.derived().iter().copied();
        facts
            .filter(|&atom| self.facts.relation(atom) == relation && self.certain(atom) != Some(false))
            .collect()
    }

    /// The atom of a relation with these arguments, if it occurs.
    pub fn find(&self, relation: Symbol, args: &[TermId]) -> Option<AtomId> {
        self.facts.find(relation, args)
    }
}

/// The rules of each atom, in one vector: those of an atom stand together.
struct RulesByAtom {
    /// The first place of each atom, and the end of the last one.
    starts: Vec<u32>,
    rules: Vec<u32>,
}

impl RulesByAtom {
    /// Lists pairs of an atom and a rule by the atom, in the given order.
    fn new(atoms: usize, pairs: impl Iterator<Item = (AtomId, u32)> + Clone) -> RulesByAtom {
        let mut starts = vec![0u32; atoms + 1];
        for (atom, _) in pairs.clone() {
            starts[atom.index() + 1] += 1;
        }
        for at in 0..atoms {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut rules) = (starts.clone(), vec![0; starts[atoms] as usize]);
        for (atom, rule) in pairs {
            let place = &mut next[atom.index()];
            rules[*place as usize] = rule;
            *place += 1;
        }
        RulesByAtom { starts, rules }
    }

    fn of(&self, atom: AtomId) -> &[u32] {
        let [start, end] = [0, 1].map(|next| self.starts[atom.index() + next] as usize);
        &self.rules[start..end]
    }
}

/// The state of the simplification.
struct Simplifier<'g> {
    terms: &'g Terms,
    facts: &'g Facts,
    keywords: &'g Keywords,
    rules: Instances,
    /// The number of conditions that are left of each rule: they stand first in its body.
    lengths: Vec<u32>,
    alive: Vec<bool>,
    /// The rules of each head.
    of_head: RulesByAtom,
    /// The number of rules of each head that are alive.
    live: IdVec<AtomId, u32>,
    /// The rules that have an atom in their body.
    occurrences: RulesByAtom,
    certain: IdVec<AtomId, Option<bool>>,
    queue: VecDeque<AtomId>,
    /// All fluents, and all moves.
    fluents: Vec<AtomId>,
    moves: Vec<AtomId>,
    /// For each fluent, the sentence that it is true next.
    next: ByTerm,
    /// The fluents that are true in the first position.
    init: FxHashSet<TermId>,
}

impl<'g> Simplifier<'g> {
    fn new(terms: &'g Terms, facts: &'g Facts, keywords: &'g Keywords, rules: Instances) -> Simplifier<'g> {
        let atoms = facts.atoms();
        let numbered = || (0u32..).zip(rules.iter());
        let of_head = RulesByAtom::new(atoms, numbered().map(|(rule, (head, _))| (head, rule)));
        let in_bodies =
            numbered().flat_map(|(rule, (_, body))| body.iter().map(move |literal| (literal.atom(), rule)));
        let occurrences = RulesByAtom::new(atoms, in_bodies);
        let mut of = Simplifier {
            terms,
            facts,
            keywords,
            lengths: rules.iter().map(|(_, body)| body.len() as u32).collect(),
            alive: vec![true; rules.count()],
            rules,
            live: IdVec::new(),
            of_head,
            occurrences,
            certain: IdVec::new(),
            queue: VecDeque::new(),
            fluents: Vec::new(),
            moves: Vec::new(),
            next: FxHashMap::default(),
            init: FxHashSet::default(),
        };
        for atom in (0..atoms).map(AtomId::new) {
            of.certain.push(None);
            of.live.push(of.of_head.of(atom).len() as u32);
            let relation = facts.relation(atom);
            if relation == keywords.next {
                of.next.insert(facts.args(atom)[0], atom);
            } else if relation == keywords.init && facts.is_fact(atom) {
                of.init.insert(facts.args(atom)[0]);
            } else if relation == keywords.true_ {
                of.fluents.push(atom);
            } else if relation == keywords.does {
                of.moves.push(atom);
            }
        }
        of
    }

    /// The conditions that are left of a rule.
    fn body(&self, rule: u32) -> &[GroundLiteral] {
        &self.rules.body(rule as usize)[..self.lengths[rule as usize] as usize]
    }

    /// Returns true for atoms that rules derive.
    fn is_derived(&self, atom: AtomId) -> bool {
        let relation = self.facts.relation(atom);
        relation != self.keywords.true_ && relation != self.keywords.does
    }

    fn run(&mut self) {
        for atom in self.certain.ids() {
            if self.is_derived(atom) && self.live[atom] == 0 {
                self.decide(atom, false);
            }
        }
        for rule in 0..self.lengths.len() {
            if self.lengths[rule] == 0 {
                self.decide(self.rules.head(rule), true);
            }
        }
        loop {
            self.propagate();
            self.decide_fluents();
            self.decide_moves();
            if self.queue.is_empty() {
                return;
            }
        }
    }

    fn decide(&mut self, atom: AtomId, value: bool) {
        if self.certain[atom].is_none() {
            self.certain[atom] = Some(value);
            self.queue.push_back(atom);
        }
    }

    /// Removes atoms that became certain from all bodies.
    fn propagate(&mut self) {
        while let Some(atom) = self.queue.pop_front() {
            let Some(value) = self.certain[atom] else { continue };
            let satisfied = GroundLiteral::new(atom, value);
            for at in 0..self.occurrences.of(atom).len() {
                cancel::step();
                let rule = self.occurrences.of(atom)[at] as usize;
                if !self.alive[rule] {
                    continue;
                }
                let body = &mut self.rules.body_mut(rule)[..self.lengths[rule] as usize];
                match body.iter().position(|&literal| literal == satisfied) {
                    Some(place) => {
                        body[place..].rotate_left(1);
                        self.lengths[rule] -= 1;
                        if self.lengths[rule] == 0 {
                            self.decide(self.rules.head(rule), true);
                        }
                    }
                    None => self.kill(rule),
                }
            }
            // The rules of an atom that is certain say nothing more.
            for &rule in self.of_head.of(atom) {
                self.alive[rule as usize] = false;
            }
        }
    }

    fn kill(&mut self, rule: usize) {
        self.alive[rule] = false;
        let head = self.rules.head(rule);
        self.live[head] = self.live[head].saturating_sub(1);
        if self.live[head] == 0 {
            self.decide(head, false);
        }
    }

    /// Decides fluents that never change.
    fn decide_fluents(&mut self) {
        for at in 0..self.fluents.len() {
            let atom = self.fluents[at];
            if self.certain[atom].is_some() {
                continue;
            }
            let term = self.facts.args(atom)[0];
            let first = self.init.contains(&term);
            let Some(&next) = self.next.get(&term) else {
                if !first {
                    self.decide(atom, false);
                }
                continue;
            };
            let itself = GroundLiteral::new(atom, true);
            let rules = self.of_head.of(next).iter();
            let mut bodies = rules.filter(|&&rule| self.alive[rule as usize]).map(|&rule| self.body(rule));
            let stays = match self.certain[next] {
                Some(value) => value == first,
                None if first => bodies.any(|body| body == [itself]),
                None => bodies.all(|body| body.contains(&itself)),
            };
            if stays {
                self.decide(atom, first);
            }
        }
    }

    /// Decides moves that are never legal, and the only move of a role.
    fn decide_moves(&mut self) {
        let mut possible: FxHashMap<TermId, Vec<AtomId>> = FxHashMap::default();
        for at in 0..self.moves.len() {
            let atom = self.moves[at];
            let args = self.facts.args(atom);
            let legal = self.facts.find(self.keywords.legal, args);
            if legal.is_none_or(|legal| self.certain[legal] == Some(false)) {
                self.decide(atom, false);
            } else {
                possible.entry(args[0]).or_default().push(atom);
            }
        }
        for only in possible.into_values().filter(|moves| moves.len() == 1) {
            self.decide(only[0], true);
        }
    }

    fn finish(mut self) -> Simplified {
        // The atoms that the game depends on.
        let of = self.keywords;
        let roots = [of.legal, of.goal, of.terminal, of.sees];
        let mut needed: FxHashSet<AtomId> = FxHashSet::default();
        let mut todo: Vec<AtomId> = Vec::new();
        for head in self.certain.ids().filter(|&atom| self.certain[atom].is_none()) {
            let is_root = roots.contains(&self.facts.relation(head)) && !self.of_head.of(head).is_empty();
            if is_root && needed.insert(head) {
                todo.push(head);
            }
        }
        // A fluent depends on the rules that make it true; those of one function are kept together.
        let fluents = &self.fluents;
        let function = |fluent: AtomId| self.terms.get(self.facts.args(fluent)[0]).name;
        let mut of_function: FxHashMap<Symbol, Vec<AtomId>> = FxHashMap::default();
        for &fluent in fluents {
            of_function.entry(function(fluent)).or_default().push(fluent);
        }
        let by_term: ByTerm = fluents.iter().map(|&fluent| (self.facts.args(fluent)[0], fluent)).collect();
        while let Some(head) = todo.pop() {
            cancel::step();
            let relation = self.facts.relation(head);
            if relation == of.true_ {
                let next = self.next.get(&self.facts.args(head)[0]).copied();
                let others = of_function.remove(&function(head)).unwrap_or_default();
                todo.extend(next.into_iter().chain(others).filter(|&other| needed.insert(other)));
            } else if relation == of.next {
                let fluent = by_term.get(&self.facts.args(head)[0]).copied();
                todo.extend(fluent.filter(|&fluent| needed.insert(fluent)));
            }
            if self.certain[head].is_some() {
                continue;
            }
            for &rule in self.of_head.of(head) {
                if self.alive[rule as usize] {
                    for literal in self.body(rule) {
                        if needed.insert(literal.atom()) {
                            todo.push(literal.atom());
                        }
                    }
                }
            }
        }
        let mut bodies: IdVec<AtomId, Vec<Body>> = IdVec::new();
        for atom in self.certain.ids() {
            let is_open = self.certain[atom].is_none() && needed.contains(&atom);
            let rules = if is_open { self.of_head.of(atom) } else { &[] };
            let alive = rules.iter().filter(|&&rule| self.alive[rule as usize]);
            let mut of_atom: Vec<Body> = alive.map(|&rule| self.body(rule).into()).collect();
            of_atom.sort_unstable();
            of_atom.dedup();
            bodies.push(of_atom);
        }
        let mut unread = Vec::new();
        let atoms: Vec<AtomId> = self.certain.ids().collect();
        for atom in atoms.into_iter().filter(|atom| !needed.contains(atom)) {
            let relation = self.facts.relation(atom);
            if self.certain[atom].is_none() && (relation == of.true_ || relation == of.next) {
                self.certain[atom] = Some(false);
                unread.extend((relation == of.true_).then_some(atom));
            }
        }
        Simplified { bodies, certain: self.certain, unread }
    }
}

/// The result of the simplification, by the fields of [`Propositions`].
struct Simplified {
    bodies: IdVec<AtomId, Vec<Body>>,
    certain: IdVec<AtomId, Option<bool>>,
    unread: Vec<AtomId>,
}

impl Propositions {
    /// The atoms with bodies, in the order of their ids.
    pub fn heads(&self) -> Vec<AtomId> {
        self.bodies.entries().filter(|(_, bodies)| !bodies.is_empty()).map(|(atom, _)| atom).collect()
    }
}
