//! Proofs that of some fluents one always holds, such as those for the number of a step: no move takes the
//! last one away.
//!
//! Technique: by induction over the moves, as for fluents that exclude each other. One holds at first. If
//! the one before a move is known, and none held after it, the rules for all of them would fail, which
//! contradicts what is known: some rule applies, or a role has no move left. Cases are told apart by the
//! rules of a sentence, by the moves of a role, and by the fluents of another family of which one holds.
//! All families are assumed together, and those whose proof fails are dropped, until those that are left
//! prove each other.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;
use rustc_hash::FxHashMap;

use super::{Assumed, Contradiction, Group, Refuter};
use crate::ground::{AtomId, GroundLiteral};
use crate::sheet::Keywords;
use crate::simplify::Propositions;
use crate::terms::{Symbol, TermId};
use crate::turns::{is_initial, next_of};

/// The maximal number of literals that are looked at in one round of proofs.
const MAX_STEPS: u64 = 20_000_000;
/// The maximal number of them for one fluent that held before a move.
const MAX_STEPS_OF_FLUENT: u64 = 400_000;
/// The maximal number of fluents of a function of which those are sought that never hold.
const MAX_ABSENT: usize = 100;
/// The maximal number of cases that are told apart, one inside the other.
const MAX_DEPTH: usize = 8;
/// The maximal number of cases beside each other.
const MAX_CASES: usize = 200;

/// Sets of atoms of which one holds in each position, or is done by its role.
#[derive(Default)]
pub(super) struct Remaining {
    sets: Vec<Vec<AtomId>>,
    /// The sets in which an atom is.
    of: FxHashMap<AtomId, Vec<usize>>,
}

impl Remaining {
    fn add(&mut self, set: Vec<AtomId>) {
        set.iter().for_each(|&atom| self.of.entry(atom).or_default().push(self.sets.len()));
        self.sets.push(set);
    }
}

/// Returns the functions of these of whose fluents one always holds for each value of the arguments but the
/// last that occurs. Of the fluents of functions that are `alone`, at most one holds for each.
pub fn remaining(
    game: &Propositions,
    keywords: &Keywords,
    functions: &BTreeSet<Symbol>,
    alone: &BTreeSet<Symbol>,
) -> BTreeSet<Symbol> {
    let mut families = families(game, keywords);
    let groups = alone_in(&families, alone);
    // Where one certainly holds, nothing has to be proved.
    let is_open = |fluents: &Vec<AtomId>| !fluents.iter().any(|&fluent| game.certain(fluent) == Some(true));
    families.retain(|(function, _), fluents| functions.contains(function) && is_open(fluents));
    let mut found = functions.clone();
    let begins = |fluents: &Vec<AtomId>| fluents.iter().any(|&fluent| is_initial(game, keywords, fluent));
    for ((function, _), _) in families.iter().filter(|(_, fluents)| !begins(fluents)) {
        found.remove(function);
    }
    let mut sizes: BTreeMap<Symbol, usize> = BTreeMap::new();
    families
        .iter()
        .for_each(|((function, _), fluents)| *sizes.entry(*function).or_default() += fluents.len());
    let mut order: Vec<_> = families.iter().collect();
    // Proofs for few fluents cost little, and others need them.
    order.sort_by_key(|((function, _), _)| (sizes[function], *function));
    loop {
        let mut refuter = Refuter::new(game, keywords, &groups, all_claims(), MAX_STEPS);
        let assumed = order.iter().filter(|((function, _), _)| found.contains(function));
        assumed.for_each(|(_, fluents)| refuter.remaining.add(fluents.to_vec()));
        refuter.add_moves();
        let before = found.len();
        let mut absent: BTreeMap<Symbol, Vec<AtomId>> = BTreeMap::new();
        for ((function, _), fluents) in &order {
            if !found.contains(function) || refuter.one_remains(fluents, &[]) {
                continue;
            }
            let absent = absent.entry(*function).or_insert_with(|| {
                let own = order.iter().filter(|((other, _), _)| other == function);
                refuter.absent(&own.flat_map(|(_, fluents)| fluents.iter().copied()).collect::<Vec<_>>())
            });
            if absent.is_empty() || !refuter.one_remains(fluents, absent) {
                found.remove(function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The fluents of each function by all arguments but the last.
type Families = BTreeMap<(Symbol, Vec<TermId>), Vec<AtomId>>;

fn families(game: &Propositions, keywords: &Keywords) -> Families {
    let mut found = Families::new();
    for fluent in game.possible(keywords.true_) {
        let term = game.terms.get(game.facts.args(fluent)[0]);
        if let Some((_, key)) = term.args.split_last() {
            found.entry((term.name, key.to_vec())).or_default().push(fluent);
        }
    }
    found
}

/// The families of functions of whose fluents at most one holds for each key.
fn alone_in(families: &Families, alone: &BTreeSet<Symbol>) -> Vec<Group> {
    let own = families.iter().filter(|((function, _), _)| alone.contains(function));
    own.map(|(_, fluents)| Group { claim: 0, fluents: fluents.clone() }).collect()
}

/// The assumption that groups with the claim 0 are as they are claimed to be.
fn all_claims() -> Assumed {
    Assumed { claims: BTreeSet::from([0]), ..Assumed::default() }
}

/// The functions about whose fluents something is proved.
#[derive(Clone, Copy)]
pub struct Proved<'a> {
    /// Those of which at most one holds for each value of the arguments but the last.
    pub alone: &'a BTreeSet<Symbol>,
    /// Those of which one at least holds there.
    pub remaining: &'a BTreeSet<Symbol>,
}

impl<'g> Refuter<'g> {
    /// A search that knows what is proved.
    pub(super) fn with(game: &'g Propositions, keywords: &'g Keywords, proved: Proved<'_>) -> Refuter<'g> {
        let families = families(game, keywords);
        let groups = alone_in(&families, proved.alone);
        let mut refuter = Refuter::new(game, keywords, &groups, all_claims(), MAX_STEPS);
        let own = families.into_iter().filter(|((function, _), _)| proved.remaining.contains(function));
        own.for_each(|(_, fluents)| refuter.remaining.add(fluents));
        refuter
    }

    /// Adds that each role makes a move.
    pub(super) fn add_moves(&mut self) {
        self.moves_are_made = self.moves.len() <= super::MAX_PAIRED_MOVES;
        let mut of_roles: BTreeMap<TermId, Vec<AtomId>> = BTreeMap::new();
        for &made in self.moves.iter() {
            of_roles.entry(self.game.facts.args(made)[0]).or_default().push(made);
        }
        of_roles.into_values().for_each(|moves| self.remaining.add(moves));
    }

    /// Returns false if these conditions cannot hold together, by a proof that tells cases apart.
    pub(super) fn can_hold_in_cases(&mut self, literals: &[GroundLiteral]) -> bool {
        self.most = self.budget.min(self.steps + MAX_STEPS_OF_FLUENT);
        let possible = self.holds_in_cases(literals, MAX_DEPTH);
        self.forget(0);
        possible
    }

    /// Returns those of these fluents that hold in no position from which a move leads on or to which one leads: none
    /// of them holds at first, and if none holds before a move, none does after it.
    fn absent(&mut self, fluents: &[AtomId]) -> Vec<AtomId> {
        if fluents.len() > MAX_ABSENT {
            return Vec::new();
        }
        let mut absent: Vec<AtomId> =
            fluents.iter().copied().filter(|&fluent| !is_initial(self.game, self.keywords, fluent)).collect();
        let end = self.game.find(self.keywords.terminal, &[]);
        loop {
            let before: Vec<GroundLiteral> =
                absent.iter().copied().chain(end).map(|atom| GroundLiteral::new(atom, false)).collect();
            let comes = |fluent: &AtomId| {
                let Some(next) = next_of(self.game, self.keywords, *fluent) else { return false };
                let mut all = vec![GroundLiteral::new(next, true)];
                all.extend(&before);
                self.game.certain(next) == Some(true) || self.can_hold_in_cases(&all)
            };
            let (come, rest): (Vec<AtomId>, Vec<AtomId>) = absent.into_iter().partition(comes);
            absent = rest;
            if come.is_empty() {
                return absent;
            }
        }
    }

    /// Returns true if one of these fluents holds after a move, wherever one does before it and the game
    /// goes on; those that are `absent` never hold.
    fn one_remains(&mut self, fluents: &[AtomId], absent: &[AtomId]) -> bool {
        let nexts: Vec<AtomId> =
            fluents.iter().filter_map(|&fluent| next_of(self.game, self.keywords, fluent)).collect();
        if nexts.iter().any(|&next| self.game.certain(next) == Some(true)) {
            return true;
        }
        let end = self.game.find(self.keywords.terminal, &[]);
        let none: Vec<GroundLiteral> =
            nexts.into_iter().chain(end).map(|atom| GroundLiteral::new(atom, false)).collect();
        let never = absent.iter().map(|&fluent| GroundLiteral::new(fluent, false));
        let none: Vec<GroundLiteral> = none.into_iter().chain(never).collect();
        fluents.iter().filter(|fluent| !absent.contains(fluent)).all(|&fluent| {
            let mut all = vec![GroundLiteral::new(fluent, true)];
            all.extend(&none);
            !self.can_hold_in_cases(&all)
        })
    }

    /// Returns false if these literals contradict what is known, or each other, in all cases.
    fn holds_in_cases(&mut self, literals: &[GroundLiteral], depth: usize) -> bool {
        if !self.holds_with(literals, 0) {
            return false;
        }
        if self.steps > self.most || depth == 0 {
            return true;
        }
        let mark = self.trail.len();
        let Some(cases) = self.cases() else { return true };
        for case in cases {
            cancel::step();
            let possible = self.holds_in_cases(&case, depth - 1);
            self.forget(mark);
            if possible {
                return true;
            }
        }
        false
    }

    /// The fewest cases of which one is that of the position: the rules of a sentence that holds, or the
    /// atoms of a set of which one does and that rules which fail are about.
    fn cases(&mut self) -> Option<Vec<Vec<GroundLiteral>>> {
        self.steps += self.size_of_failing_rules();
        let by_rules = self.open_sentence().map(|atom| self.game.bodies(atom));
        let possible = |set: &[AtomId]| -> Vec<AtomId> {
            set.iter().copied().filter(|&atom| self.value(atom) != Some(false)).collect()
        };
        let is_open =
            |set: &usize| !self.remaining.sets[*set].iter().any(|&atom| self.value(atom) == Some(true));
        let by_sets = self.sets_of_failing_rules().into_iter().filter(is_open);
        let by_sets = by_sets.map(|set| possible(&self.remaining.sets[set]));
        let by_set = by_sets.min_by_key(Vec::len).filter(|set| set.len() <= MAX_CASES);
        match (by_rules, by_set) {
            (Some(rules), Some(set)) if set.len() < rules.len() => Some(of_set(set)),
            (Some(rules), _) => Some(rules.iter().map(|body| body.to_vec()).collect()),
            (None, Some(set)) => Some(of_set(set)),
            (None, None) => self.undecided().map(|atom| {
                [true, false].into_iter().map(|holds| vec![GroundLiteral::new(atom, holds)]).collect()
            }),
        }
    }

    /// The number of conditions of rules that are known to fail: the work of a search for cases.
    fn size_of_failing_rules(&self) -> u64 {
        let failing = self.trail.iter().filter(|atom| !self.known[atom]);
        failing.flat_map(|&atom| self.game.bodies(atom)).map(|body| body.len() as u64).sum()
    }

    /// The atom on which most of the rules depend that fail, and not by any condition that is known.
    fn undecided(&self) -> Option<AtomId> {
        let mut counts: BTreeMap<AtomId, usize> = BTreeMap::new();
        let failing = self.trail.iter().filter(|atom| !self.known[atom]);
        for body in failing.flat_map(|&atom| self.game.bodies(atom)) {
            if body.iter().any(|&literal| self.agrees(literal) == Some(false)) {
                continue;
            }
            let open = body.iter().filter(|&&literal| self.agrees(literal).is_none());
            open.for_each(|literal| *counts.entry(literal.atom()).or_default() += 1);
        }
        // One rule alone fails by either of its conditions.
        let most = counts.into_iter().max_by_key(|&(atom, count)| (count, std::cmp::Reverse(atom)));
        most.filter(|&(_, count)| count > 1).map(|(atom, _)| atom)
    }

    /// The sets with an atom that a condition of a rule is about, where the rule is known to fail, and not
    /// by which condition.
    fn sets_of_failing_rules(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let failing = self.trail.iter().filter(|atom| !self.known[atom]);
        for body in failing.flat_map(|&atom| self.game.bodies(atom)) {
            if body.iter().any(|&literal| self.agrees(literal) == Some(false)) {
                continue;
            }
            for literal in body.iter().filter(|&&literal| self.agrees(literal).is_none()) {
                found.extend(self.remaining.of.get(&literal.atom()).into_iter().flatten());
            }
        }
        found
    }

    /// Adds what follows from an atom that does not hold: the only one that is left of a set of which one
    /// holds.
    pub(super) fn follow_sets(&mut self, atom: AtomId) -> Result<(), Contradiction> {
        let Some(sets) = self.remaining.of.get(&atom).cloned() else { return Ok(()) };
        for set in sets {
            let atoms = &self.remaining.sets[set];
            let mut left = atoms.iter().copied().filter(|&atom| self.value(atom) != Some(false));
            match (left.next(), left.next()) {
                (None, _) => return Err(Contradiction),
                (Some(only), None) => self.add(GroundLiteral::new(only, true))?,
                _ => {}
            }
            self.steps += self.remaining.sets[set].len() as u64;
        }
        Ok(())
    }
}

/// A case for each of these atoms.
fn of_set(set: Vec<AtomId>) -> Vec<Vec<GroundLiteral>> {
    set.into_iter().map(|atom| vec![GroundLiteral::new(atom, true)]).collect()
}
