//! Simplification of ground rules: what is certain is removed, until only what can change is left.
//!
//! Certain are sentences that nothing derives, those that follow from nothing, fluents that never change, and the moves
//! of roles that have only one. GDL requires that each role always has a legal move; this is relied on here.
//! Fluents of a function that neither moves nor ends, goals or percepts depend on, now or later, are left out.

use std::collections::VecDeque;

use bouton_base::cancel;
use bouton_base::id::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::{AtomId, Facts, GroundLiteral, Grounding};
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
    pub bodies: FxHashMap<AtomId, Vec<Body>>,
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
        let mut rules: Vec<(AtomId, Body)> = Vec::with_capacity(instances.count());
        let mut seen: FxHashSet<(AtomId, Body)> = FxHashSet::default();
        for (head, literals) in instances.iter() {
            cancel::step();
            let mut body = literals.to_vec();
            body.sort_unstable();
            body.dedup();
            // A sentence does not support itself, and a body may contradict itself.
            let circular = body.contains(&GroundLiteral::new(head, true));
            let contradicts = body.windows(2).any(|pair| pair[0].atom() == pair[1].atom());
            let rule = (head, body.into_boxed_slice());
            if !circular && !contradicts && seen.insert(rule.clone()) {
                rules.push(rule);
            }
        }
        drop(seen);
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
        self.bodies.get(&atom).map_or(&[], Vec::as_slice)
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

/// The state of the simplification.
struct Simplifier<'g> {
    terms: &'g Terms,
    facts: &'g Facts,
    keywords: &'g Keywords,
    heads: Vec<AtomId>,
    bodies: Vec<Vec<GroundLiteral>>,
    alive: Vec<bool>,
    /// The rules of each head.
    of_head: FxHashMap<AtomId, Vec<u32>>,
    /// The number of rules of each head that are alive.
    live: FxHashMap<AtomId, u32>,
    /// The rules that have an atom in their body.
    occurrences: FxHashMap<AtomId, Vec<u32>>,
    certain: IdVec<AtomId, Option<bool>>,
    queue: VecDeque<AtomId>,
    /// For each fluent, the sentence that it is true next.
    next: ByTerm,
    /// The fluents that are true in the first position.
    init: FxHashSet<TermId>,
}

impl<'g> Simplifier<'g> {
    fn new(
        terms: &'g Terms,
        facts: &'g Facts,
        keywords: &'g Keywords,
        rules: Vec<(AtomId, Body)>,
    ) -> Simplifier<'g> {
        let mut of = Simplifier {
            terms,
            facts,
            keywords,
            heads: Vec::new(),
            bodies: Vec::new(),
            alive: vec![true; rules.len()],
            of_head: FxHashMap::default(),
            live: FxHashMap::default(),
            occurrences: FxHashMap::default(),
            certain: IdVec::new(),
            queue: VecDeque::new(),
            next: FxHashMap::default(),
            init: FxHashSet::default(),
        };
        for _ in 0..facts.atoms() {
            of.certain.push(None);
        }
        for (rule, (head, body)) in (0u32..).zip(rules) {
            of.of_head.entry(head).or_default().push(rule);
            *of.live.entry(head).or_default() += 1;
            for literal in &body {
                of.occurrences.entry(literal.atom()).or_default().push(rule);
            }
            of.heads.push(head);
            of.bodies.push(body.into_vec());
        }
        for atom in of.certain.ids() {
            let relation = facts.relation(atom);
            if relation == keywords.next {
                of.next.insert(facts.args(atom)[0], atom);
            } else if relation == keywords.init && facts.is_fact(atom) {
                of.init.insert(facts.args(atom)[0]);
            }
        }
        of
    }

    /// Returns true for atoms that rules derive.
    fn is_derived(&self, atom: AtomId) -> bool {
        let relation = self.facts.relation(atom);
        relation != self.keywords.true_ && relation != self.keywords.does
    }

    fn run(&mut self) {
        let atoms: Vec<AtomId> = self.certain.ids().collect();
        for &atom in &atoms {
            if self.is_derived(atom) && !self.live.contains_key(&atom) {
                self.decide(atom, false);
            }
        }
        for rule in 0..self.bodies.len() {
            if self.bodies[rule].is_empty() {
                self.decide(self.heads[rule], true);
            }
        }
        loop {
            self.propagate();
            self.fluents(&atoms);
            self.moves(&atoms);
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
            for rule in self.occurrences.remove(&atom).unwrap_or_default() {
                cancel::step();
                let rule = rule as usize;
                if !self.alive[rule] {
                    continue;
                }
                let satisfied = GroundLiteral::new(atom, value);
                if self.bodies[rule].contains(&satisfied) {
                    self.bodies[rule].retain(|&literal| literal != satisfied);
                    if self.bodies[rule].is_empty() {
                        self.decide(self.heads[rule], true);
                    }
                } else {
                    self.kill(rule);
                }
            }
            // The rules of an atom that is certain say nothing more.
            for rule in self.of_head.remove(&atom).unwrap_or_default() {
                self.alive[rule as usize] = false;
            }
        }
    }

    fn kill(&mut self, rule: usize) {
        self.alive[rule] = false;
        let head = self.heads[rule];
        if let Some(live) = self.live.get_mut(&head) {
            *live -= 1;
            if *live == 0 {
                self.decide(head, false);
            }
        }
    }

    /// Decides fluents that never change.
    fn fluents(&mut self, atoms: &[AtomId]) {
        for &atom in atoms {
            if self.facts.relation(atom) != self.keywords.true_ || self.certain[atom].is_some() {
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
            let rules = self.of_head.get(&next).map_or(&[][..], Vec::as_slice);
            let mut bodies = rules
                .iter()
                .filter(|&&rule| self.alive[rule as usize])
                .map(|&rule| &self.bodies[rule as usize]);
            let stays = match self.certain[next] {
                Some(value) => value == first,
                None if first => bodies.any(|body| body[..] == [itself]),
                None => bodies.all(|body| body.contains(&itself)),
            };
            if stays {
                self.decide(atom, first);
            }
        }
    }

    /// Decides moves that are never legal, and the only move of a role.
    fn moves(&mut self, atoms: &[AtomId]) {
        let mut possible: FxHashMap<TermId, Vec<AtomId>> = FxHashMap::default();
        for &atom in atoms {
            if self.facts.relation(atom) != self.keywords.does {
                continue;
            }
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
        for &head in self.of_head.keys() {
            if roots.contains(&self.facts.relation(head)) && needed.insert(head) {
                todo.push(head);
            }
        }
        // A fluent depends on the rules that make it true; those of one function are kept together.
        let is_fluent = |&atom: &AtomId| self.facts.relation(atom) == of.true_;
        let fluents: Vec<AtomId> = self.certain.ids().filter(is_fluent).collect();
        let function = |fluent: AtomId| self.terms.get(self.facts.args(fluent)[0]).name;
        let mut of_function: FxHashMap<Symbol, Vec<AtomId>> = FxHashMap::default();
        for &fluent in &fluents {
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
            for &rule in self.of_head.get(&head).into_iter().flatten() {
                if self.alive[rule as usize] {
                    for literal in &self.bodies[rule as usize] {
                        if needed.insert(literal.atom()) {
                            todo.push(literal.atom());
                        }
                    }
                }
            }
        }
        let mut bodies: FxHashMap<AtomId, Vec<Body>> = FxHashMap::default();
        for (rule, body) in self.bodies.into_iter().enumerate() {
            let head = self.heads[rule];
            if self.alive[rule] && needed.contains(&head) {
                bodies.entry(head).or_default().push(body.into_boxed_slice());
            }
        }
        for of_head in bodies.values_mut() {
            of_head.sort_unstable();
            of_head.dedup();
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
    bodies: FxHashMap<AtomId, Vec<Body>>,
    certain: IdVec<AtomId, Option<bool>>,
    unread: Vec<AtomId>,
}

impl Propositions {
    /// The atoms with bodies, in the order of their ids.
    pub fn heads(&self) -> Vec<AtomId> {
        let mut heads: Vec<AtomId> = self.bodies.keys().copied().collect();
        heads.sort_unstable_by_key(|atom| atom.index());
        heads
    }
}
