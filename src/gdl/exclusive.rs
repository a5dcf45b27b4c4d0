//! Proofs that of some fluents at most one holds, such as those that say what stands on a square.
//!
//! Technique: by induction over the moves. At first at most one holds; if so before a move of all roles, two of them
//! cannot both hold after it, since the conditions of their rules contradict each other: they need two such fluents, two
//! moves of one role, a sentence and its negation, or a move that is not legal. Conditions are propagated, and derived
//! sentences are replaced by their rules, within a budget. All families are assumed together, and those whose proof fails
//! are dropped, until those that are left prove each other.
//! Source: the mutual exclusions of planning, as in Blum and Furst, "Fast planning through planning graph analysis"
//! (1995), for invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bouton_base::cancel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::{AtomId, GroundLiteral};
use crate::sheet::Keywords;
use crate::simplify::{Body, Propositions};
use crate::terms::{Symbol, TermId};
use crate::turns::{is_initial, next_of};

mod at_ends;
mod remains;

pub use at_ends::{Reached, go_round};
pub use remains::{Proved, remaining};

/// The maximal number of literals that are looked at in one round of proofs about groups of fluents.
const MAX_STEPS: u64 = 60_000_000;
/// The same for a round of proofs about pairs of fluents, of which there are more rounds.
const MAX_STEPS_OF_PAIRS: u64 = 3_000_000;
/// The same for a round of proofs about turns.
const MAX_STEPS_OF_TURNS: u64 = 10_000_000;
/// The maximal number of them for two fluents by one rule each.
const MAX_STEPS_OF_PAIR: u64 = 20_000;
/// The maximal number of sentences that are replaced by their rules, one after the other.
const MAX_DEPTH: usize = 6;
/// The maximal number of rules of a sentence that is replaced by them.
const MAX_BRANCHES: usize = 24;

/// The maximal number of fluents in a family that a proof about turns tries.
const MAX_FAMILY: usize = 12;
/// The maximal number of fluents in a family that a proof about turns pairs with those of turns.
const MAX_PAIRED_FAMILY: usize = 40;
/// The maximal number of fluents of which all pairs are tried.
const MAX_PAIRED_FLUENTS: usize = 200;
/// The maximal number of moves of which all pairs are tried.
const MAX_PAIRED_MOVES: usize = 600;
/// The maximal number of arguments of which all sets are tried as keys.
const MAX_KEY_ARGUMENTS: usize = 4;

/// Returns the functions of these of whose fluents at most one holds for each value of the arguments but the last, also
/// by proofs for fewer arguments: a piece that stands on one square has one row in each column. Samples are positions
/// that can be reached.
pub fn exclusive(
    game: &Propositions,
    keywords: &Keywords,
    functions: &BTreeSet<Symbol>,
    samples: &[Vec<AtomId>],
) -> BTreeSet<Symbol> {
    let fluents: Vec<AtomId> = game.possible(keywords.true_);
    let term = |fluent: AtomId| game.terms.get(game.facts.args(fluent)[0]);
    let arities: BTreeSet<(Symbol, usize)> =
        fluents.iter().map(|&of| (term(of).name, term(of).args.len())).collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut claims: Vec<Option<Symbol>> = Vec::new();
    for (function, arity) in arities.into_iter().filter(|(function, _)| functions.contains(function)) {
        let own = |all: &[AtomId], keys: u32| {
            let mut found: BTreeMap<Vec<TermId>, Vec<AtomId>> = BTreeMap::new();
            for &fluent in all.iter().filter(|&&fluent| term(fluent).name == function) {
                let key = (0..arity).filter(|at| keys >> at & 1 == 1).map(|at| term(fluent).args[at]);
                found.entry(key.collect()).or_default().push(fluent);
            }
            found
        };
        let all_but_last = (1u32 << (arity - 1)) - 1;
        let all =
            if arity <= MAX_KEY_ARGUMENTS { 0..(1 << arity) - 1 } else { all_but_last..all_but_last + 1 };
        for keys in all {
            let is_alone = |sample: &Vec<AtomId>| own(sample, keys).values().all(|held| held.len() == 1);
            if samples.iter().all(is_alone) {
                let made = own(&fluents, keys).into_values();
                groups.extend(made.map(|fluents| Group { claim: claims.len(), fluents }));
                // Where it holds for each value alone, a key may have several.
                claims.push((keys & !all_but_last == 0).then_some(function));
            }
        }
    }
    // Claims of few fluents cost little, and others need them.
    let mut sizes = vec![0; claims.len()];
    groups.iter().for_each(|group| sizes[group.claim] += group.fluents.len());
    groups.sort_by_key(|group| (sizes[group.claim], group.claim));
    let begins = |group: &Group| {
        group.fluents.iter().filter(|&&fluent| is_initial(game, keywords, fluent)).count() <= 1
    };
    let mut assumed = Assumed { claims: (0..claims.len()).collect(), ..Assumed::default() };
    groups.iter().filter(|group| !begins(group)).for_each(|group| {
        assumed.claims.remove(&group.claim);
    });
    // Of few fluents that a rule such as "the turn goes to whoever does not have it" sets, exactly one holds.
    for group in groups.iter().filter(|group| sizes[group.claim] == group.fluents.len()) {
        if (2..=MAX_FAMILY).contains(&group.fluents.len()) && exactly_one_holds(game, keywords, group) {
            assumed.proved.insert(group.claim);
        }
    }
    prove(game, keywords, &groups, &mut assumed, MAX_STEPS);
    let functions_of = |proved: &BTreeSet<usize>| -> BTreeSet<Symbol> {
        proved.iter().filter_map(|&claim| claims[claim]).collect()
    };
    let mut found = functions_of(&assumed.claims);
    let open: BTreeSet<Symbol> = functions.difference(&found).copied().collect();
    if open.is_empty() || fluents.len() > MAX_PAIRED_FLUENTS {
        return found;
    }
    // Of two fluents of different functions as well, never both may hold: a block is on the table or on another.
    let together = |one: AtomId, other: AtomId| {
        let both = |all: &dyn Fn(AtomId) -> bool| all(one) && all(other);
        both(&|of| is_initial(game, keywords, of))
            || samples.iter().any(|sample| both(&|of| sample.contains(&of)))
    };
    for (number, &one) in fluents.iter().enumerate() {
        let others = fluents[number + 1..].iter().filter(|&&other| !together(one, other));
        assumed.pairs.extend(others.map(|&other| pair(one, other)));
    }
    prove(game, keywords, &groups, &mut assumed, MAX_STEPS_OF_PAIRS);
    for function in open {
        let own = |group: &&Group| claims[group.claim] == Some(function);
        let all_but_last = |group: &Group| {
            let key = |of: AtomId| term(of).args.split_last().map(|(_, key)| key.to_vec());
            group.fluents.windows(2).all(|two| key(two[0]) == key(two[1]))
        };
        let pairs = |group: &Group| {
            let fluents = &group.fluents;
            (fluents.iter().enumerate()).all(|(at, &one)| {
                fluents[at + 1..].iter().all(|&two| assumed.pairs.contains(&pair(one, two)))
            })
        };
        let mut finest = groups.iter().filter(own).filter(|group| all_but_last(group)).peekable();
        if finest.peek().is_some() && finest.all(pairs) {
            found.insert(function);
        }
    }
    found
}

/// The number of the fluents of turns that hold in each position, as far as it is proved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holding {
    /// Several of them may hold.
    Unknown,
    AtMostOne,
    ExactlyOne,
}

/// Returns how many of these fluents hold in each position, by a proof together with families of fluents that hold alone:
/// the values of functions of one argument, such as the phase of a turn.
pub fn holding(game: &Propositions, keywords: &Keywords, fluents: &[AtomId]) -> Holding {
    let initial = |of: &[AtomId]| of.iter().filter(|&&of| is_initial(game, keywords, of)).count();
    if initial(fluents) > 1 {
        return Holding::Unknown;
    }
    let mut families: BTreeMap<Symbol, Vec<AtomId>> = BTreeMap::new();
    for fluent in game.possible(keywords.true_) {
        let term = game.terms.get(game.facts.args(fluent)[0]);
        if term.args.len() == 1 {
            families.entry(term.name).or_default().push(fluent);
        }
    }
    let small = families.into_values().filter(|of| of.len() <= MAX_FAMILY && of.as_slice() != fluents);
    let mut groups = vec![Group { claim: 0, fluents: fluents.to_vec() }];
    groups.extend(small.enumerate().map(|(number, fluents)| Group { claim: number + 1, fluents }));
    let claims =
        groups.iter().filter(|group| initial(&group.fluents) <= 1).map(|group| group.claim).collect();
    let mut assumed = Assumed { claims, ..Assumed::default() };
    prove(game, keywords, &groups, &mut assumed, MAX_STEPS_OF_TURNS);
    let at_most_one = assumed.claims.contains(&0);
    // The proof for exactly one may assume it, and whatever needs no proof about these fluents.
    assumed.claims.insert(0);
    let mut refuter = Refuter::new(game, keywords, &groups, assumed, MAX_STEPS_OF_TURNS);
    match initial(fluents) == 1 && refuter.one_follows_one(fluents) {
        true => Holding::ExactlyOne,
        false if at_most_one => Holding::AtMostOne,
        false => Holding::Unknown,
    }
}

/// Returns true if no sentence can hold together with the fluent beside it, in any position. Of the fluents `alone`, at
/// most one holds. The proof goes by induction over pairs of a fluent beside a sentence and one of a small family, such as
/// those of the number of a step.
pub fn exclude_pairs(
    game: &Propositions,
    keywords: &Keywords,
    alone: &[AtomId],
    pairs: &[(AtomId, AtomId)],
) -> bool {
    let groups = [Group { claim: 0, fluents: alone.to_vec() }];
    let of_alone = BTreeSet::from([0]);
    let mut assumed = Assumed { claims: of_alone.clone(), proved: of_alone, ..Assumed::default() };
    let refutes = |assumed: &Assumed| {
        let mut refuter = Refuter::new(game, keywords, &groups, assumed.clone(), MAX_STEPS_OF_TURNS);
        pairs.iter().all(|&(one, other)| {
            !refuter.can_hold(&[GroundLiteral::new(one, true), GroundLiteral::new(other, true)])
        })
    };
    if refutes(&assumed) {
        return true;
    }
    let mut families: BTreeMap<Symbol, Vec<AtomId>> = BTreeMap::new();
    for fluent in game.possible(keywords.true_) {
        families.entry(game.terms.get(game.facts.args(fluent)[0]).name).or_default().push(fluent);
    }
    let beside: BTreeSet<AtomId> =
        pairs.iter().map(|&(_, fluent)| fluent).chain(alone.iter().copied()).collect();
    for &one in families.values().filter(|of| of.len() <= MAX_PAIRED_FAMILY).flatten() {
        let is_initial = |of: AtomId| is_initial(game, keywords, of);
        let others = beside.iter().filter(|&&other| other != one && !(is_initial(one) && is_initial(other)));
        assumed.pairs.extend(others.map(|&other| pair(one, other)));
    }
    prove(game, keywords, &groups, &mut assumed, MAX_STEPS_OF_PAIRS);
    refutes(&assumed)
}

/// Returns true if these conditions cannot hold together in one position, by a proof without moves: a goal on condition that
/// the board has a free place and nobody a line, and the end on the opposite conditions. Of the fluents `alone`, at most
/// one holds.
pub fn contradict_each_other(
    game: &Propositions,
    keywords: &Keywords,
    alone: &[AtomId],
    conditions: &[GroundLiteral],
) -> bool {
    let groups = [Group { claim: 0, fluents: alone.to_vec() }];
    let assumed = Assumed { claims: BTreeSet::from([0]), ..Assumed::default() };
    !Refuter::new(game, keywords, &groups, assumed, MAX_STEPS_OF_PAIR).can_hold(conditions)
}

/// Returns true if exactly one fluent of a group holds in each position, by a proof that assumes nothing else.
fn exactly_one_holds(game: &Propositions, keywords: &Keywords, group: &Group) -> bool {
    let initial = group.fluents.iter().filter(|&&fluent| is_initial(game, keywords, fluent)).count();
    let alone = [Group { claim: 0, fluents: group.fluents.clone() }];
    let assumed = Assumed { claims: BTreeSet::from([0]), ..Assumed::default() };
    initial == 1
        && Refuter::new(game, keywords, &alone, assumed, MAX_STEPS_OF_TURNS).one_follows_one(&group.fluents)
}

/// The assumptions before a move, which are shown to hold after it.
#[derive(Clone, PartialEq, Default)]
struct Assumed {
    /// The claims of groups.
    claims: BTreeSet<usize>,
    /// Those of these claims that need no proof any more.
    proved: BTreeSet<usize>,
    /// Pairs of fluents that never hold both, the one with the lower number first.
    pairs: FxHashSet<(AtomId, AtomId)>,
}

/// A pair of fluents in order.
fn pair(one: AtomId, other: AtomId) -> (AtomId, AtomId) {
    if one < other { (one, other) } else { (other, one) }
}

/// Drops assumptions until those that are left prove each other; each round drops one at least, and takes no more than
/// these steps.
fn prove(game: &Propositions, keywords: &Keywords, groups: &[Group], assumed: &mut Assumed, steps: u64) {
    loop {
        let mut refuter = Refuter::new(game, keywords, groups, assumed.clone(), steps);
        let before = assumed.clone();
        for group in groups {
            let is_open = assumed.claims.contains(&group.claim) && !assumed.proved.contains(&group.claim);
            if is_open && !refuter.excludes(&group.fluents) {
                assumed.claims.remove(&group.claim);
            }
        }
        let mut pairs: Vec<(AtomId, AtomId)> = assumed.pairs.iter().copied().collect();
        pairs.sort_unstable();
        for (one, other) in pairs {
            if !refuter.excludes(&[one, other]) {
                assumed.pairs.remove(&(one, other));
            }
        }
        if *assumed == before {
            return;
        }
    }
}

/// The fluents of a function with the same arguments at some places, of which at most one is claimed to hold.
struct Group {
    claim: usize,
    fluents: Vec<AtomId>,
}

/// A search for contradictions in what holds before a move.
struct Refuter<'g> {
    game: &'g Propositions,
    keywords: &'g Keywords,
    /// The groups of each fluent in which it is assumed to hold alone.
    groups_of: FxHashMap<AtomId, Vec<usize>>,
    /// The pairs of fluents that are assumed not to hold both.
    pairs: FxHashSet<(AtomId, AtomId)>,
    /// The fluents that are known to hold, in order.
    held: Vec<AtomId>,
    /// The truth values of atoms that are known.
    known: FxHashMap<AtomId, bool>,
    /// The atoms that are known, in order.
    trail: Vec<AtomId>,
    /// The number of atoms that were known when nothing more could follow from each of them; `None` before that.
    exhausted: Vec<Option<usize>>,
    /// All moves.
    moves: Rc<Vec<AtomId>>,
    /// The moves that may be made together with some moves.
    beside: FxHashMap<AtomId, Rc<Vec<AtomId>>>,
    /// The fluent of each group that holds.
    holder: FxHashMap<usize, AtomId>,
    /// The move of each role.
    made: FxHashMap<TermId, AtomId>,
    steps: u64,
    /// The number of steps of the round.
    budget: u64,
    /// The number of steps after which two fluents count as possible together.
    most: u64,
    /// True if it is followed up that each role makes a move.
    moves_are_made: bool,
    /// The sets of which one atom holds.
    remaining: remains::Remaining,
}

/// A contradiction.
struct Contradiction;

impl<'g> Refuter<'g> {
    fn new(
        game: &'g Propositions,
        keywords: &'g Keywords,
        groups: &[Group],
        assumed: Assumed,
        budget: u64,
    ) -> Refuter<'g> {
        let mut groups_of: FxHashMap<AtomId, Vec<usize>> = FxHashMap::default();
        for (number, group) in groups.iter().enumerate() {
            if assumed.claims.contains(&group.claim) {
                group.fluents.iter().for_each(|&fluent| groups_of.entry(fluent).or_default().push(number));
            }
        }
        Refuter {
            game,
            keywords,
            groups_of,
            pairs: assumed.pairs,
            held: Vec::new(),
            known: FxHashMap::default(),
            trail: Vec::new(),
            exhausted: Vec::new(),
            moves: Rc::new(game.possible(keywords.does)),
            beside: FxHashMap::default(),
            holder: FxHashMap::default(),
            made: FxHashMap::default(),
            steps: 0,
            budget,
            most: 0,
            moves_are_made: false,
            remaining: remains::Remaining::default(),
        }
    }

    /// Returns true if exactly one of these fluents holds after a move, wherever one does before it.
    fn one_follows_one(&mut self, fluents: &[AtomId]) -> bool {
        let nexts = fluents.iter().filter_map(|&fluent| next_of(self.game, self.keywords, fluent));
        let nexts: Vec<AtomId> = nexts.collect();
        let none: Body = nexts.iter().map(|&next| GroundLiteral::new(next, false)).collect();
        self.moves_are_made = self.moves.len() <= MAX_PAIRED_MOVES;
        fluents.iter().all(|&fluent| {
            let held: Body = Box::new([GroundLiteral::new(fluent, true)]);
            let mut excluded = !self.is_possible(&[&held, &none]);
            for (at, &one) in nexts.iter().enumerate() {
                for &other in &nexts[..at] {
                    let both: Body = [one, other].map(|next| GroundLiteral::new(next, true)).into();
                    excluded = excluded && !self.is_possible(&[&held, &both]);
                }
            }
            excluded
        })
    }

    /// Returns true if no two of these fluents hold after a move.
    fn excludes(&mut self, fluents: &[AtomId]) -> bool {
        let always: Body = Box::new([]);
        let mut of_fluents: Vec<BTreeMap<Option<AtomId>, Vec<&Body>>> = Vec::new();
        for &fluent in fluents {
            let mut of_fluent: BTreeMap<Option<AtomId>, Vec<&Body>> = BTreeMap::new();
            if let Some(next) = next_of(self.game, self.keywords, fluent) {
                match self.game.certain(next) {
                    Some(true) => of_fluent.entry(None).or_default().push(&always),
                    Some(false) => {}
                    None => {
                        for body in self.game.bodies(next) {
                            of_fluent.entry(self.move_of(body)).or_default().push(body);
                        }
                    }
                }
            }
            of_fluents.push(of_fluent);
        }
        for (number, own) in of_fluents.iter().enumerate() {
            for (made, bodies) in own {
                let beside = made.map(|made| self.moves_beside(made));
                for other in &of_fluents[number + 1..] {
                    let others: Vec<&Body> = match &beside {
                        None => other.values().flatten().copied().collect(),
                        Some(beside) => {
                            let keys = beside.iter().map(|&made| Some(made)).chain([None]);
                            keys.filter_map(|key| other.get(&key)).flatten().copied().collect()
                        }
                    };
                    for (one, two) in bodies.iter().flat_map(|one| others.iter().map(move |two| (one, two))) {
                        if self.steps > self.budget || self.is_possible(&[one, two]) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// Returns the first move that a body needs.
    fn move_of(&self, body: &Body) -> Option<AtomId> {
        let is_move = |literal: &&GroundLiteral| {
            literal.holds() && self.game.facts.relation(literal.atom()) == self.keywords.does
        };
        body.iter().find(is_move).map(|literal| literal.atom())
    }

    /// Returns the moves that may be made together with a move, itself among them.
    fn moves_beside(&mut self, made: AtomId) -> Rc<Vec<AtomId>> {
        if let Some(known) = self.beside.get(&made) {
            return known.clone();
        }
        let role = self.game.facts.args(made)[0];
        let mut found = vec![made];
        for other in self.moves.clone().iter().copied() {
            let is_own = self.game.facts.args(other)[0] == role;
            let together = [made, other].map(|one| GroundLiteral::new(one, true));
            if !is_own && (self.moves.len() > MAX_PAIRED_MOVES || self.can_hold(&together)) {
                found.push(other);
            }
        }
        let found = Rc::new(found);
        self.beside.insert(made, found.clone());
        found
    }

    /// Returns false if these conditions cannot hold together before a move.
    fn is_possible(&mut self, bodies: &[&Body]) -> bool {
        let mut literals: Vec<GroundLiteral> = bodies.iter().flat_map(|body| body.iter().copied()).collect();
        if !self.can_hold(&literals) {
            return false;
        }
        // The game goes on. Often the ends have many rules, and few proofs need them.
        let Some(end) = self.game.find(self.keywords.terminal, &[]) else { return true };
        literals.push(GroundLiteral::new(end, false));
        self.can_hold(&literals)
    }

    /// Returns false if these literals contradict each other, by a proof with a limited number of steps.
    fn can_hold(&mut self, literals: &[GroundLiteral]) -> bool {
        self.most = self.budget.min(self.steps + MAX_STEPS_OF_PAIR);
        let possible = self.holds_with(literals, MAX_DEPTH);
        self.forget(0);
        possible
    }

    /// Returns false if these literals contradict what is known, or each other.
    fn holds_with(&mut self, literals: &[GroundLiteral], depth: usize) -> bool {
        cancel::step();
        if literals.iter().any(|&literal| self.add(literal).is_err()) {
            return false;
        }
        // Consequences of what is known, until there are no more.
        loop {
            let before = self.trail.len();
            for at in 0..before {
                if self.exhausted[at].is_some() {
                    continue;
                }
                match self.follow(self.trail[at]) {
                    Err(Contradiction) => return false,
                    Ok(is_exhausted) => self.exhausted[at] = is_exhausted.then_some(self.trail.len()),
                }
            }
            if self.trail.len() == before && self.moves_are_made && self.follow_moves().is_err() {
                return false;
            }
            if self.trail.len() == before {
                break;
            }
        }
        if self.steps > self.most || depth == 0 {
            return true;
        }
        let Some(atom) = self.open_sentence() else { return true };
        let game = self.game;
        let mark = self.trail.len();
        for body in game.bodies(atom) {
            let possible = self.holds_with(body, depth - 1);
            self.forget(mark);
            if possible {
                return true;
            }
        }
        false
    }

    /// Returns a sentence that holds and that no rule is known to derive, with few rules.
    fn open_sentence(&self) -> Option<AtomId> {
        let is_open = |&&atom: &&AtomId| {
            let bodies = self.game.bodies(atom);
            let derives = |body: &Body| body.iter().all(|&literal| self.agrees(literal) == Some(true));
            self.known[&atom] && (2..=MAX_BRANCHES).contains(&bodies.len()) && !bodies.iter().any(derives)
        };
        self.trail.iter().filter(is_open).min_by_key(|&&atom| self.game.bodies(atom).len()).copied()
    }

    /// The truth value of an atom, as far as it is known.
    fn value(&self, atom: AtomId) -> Option<bool> {
        if let Some(known) = self.game.certain(atom).or_else(|| self.known.get(&atom).copied()) {
            return Some(known);
        }
        let relation = self.game.facts.relation(atom);
        let other = if relation == self.keywords.does {
            self.made.contains_key(&self.game.facts.args(atom)[0])
        } else if relation == self.keywords.true_ {
            let groups = self.groups_of.get(&atom);
            groups.into_iter().flatten().any(|group| self.holder.contains_key(group))
                || !self.pairs.is_empty()
                    && self.held.iter().any(|&one| self.pairs.contains(&pair(one, atom)))
        } else {
            false
        };
        other.then_some(false)
    }

    /// Returns true if a literal is known to hold, and false if its opposite is.
    fn agrees(&self, literal: GroundLiteral) -> Option<bool> {
        self.value(literal.atom()).map(|value| value == literal.holds())
    }

    /// Adds a literal to what is known.
    fn add(&mut self, literal: GroundLiteral) -> Result<(), Contradiction> {
        let (atom, holds) = (literal.atom(), literal.holds());
        self.steps += 1;
        match self.value(atom) {
            Some(known) if known == holds => return Ok(()),
            Some(_) => return Err(Contradiction),
            None => {}
        }
        if holds && let Some(groups) = self.groups_of.get(&atom) {
            groups.iter().for_each(|&group| {
                self.holder.insert(group, atom);
            });
        }
        let relation = self.game.facts.relation(atom);
        if holds && relation == self.keywords.does {
            self.made.insert(self.game.facts.args(atom)[0], atom);
        }
        if holds && relation == self.keywords.true_ {
            self.held.push(atom);
        }
        self.known.insert(atom, holds);
        self.trail.push(atom);
        self.exhausted.push(None);
        Ok(())
    }

    /// Adds what follows from an atom that is known. Returns true if nothing more can follow from it.
    fn follow(&mut self, atom: AtomId) -> Result<bool, Contradiction> {
        let game = self.game;
        let holds = self.known[&atom];
        if !holds {
            self.follow_sets(atom)?;
        }
        if holds && game.facts.relation(atom) == self.keywords.does {
            // Whoever makes a move may.
            let legal = game.find(self.keywords.legal, game.facts.args(atom));
            legal.map_or(Ok(()), |legal| self.add(GroundLiteral::new(legal, true)))?;
            return Ok(true);
        }
        let bodies = game.bodies(atom);
        self.steps += 1 + bodies.iter().map(|body| body.len() as u64).sum::<u64>();
        if !holds {
            // No rule derives it.
            let mut is_exhausted = true;
            for body in bodies {
                if body.iter().any(|&literal| self.agrees(literal) == Some(false)) {
                    continue;
                }
                let mut open = body.iter().filter(|&&literal| self.agrees(literal).is_none());
                match (open.next(), open.next()) {
                    (None, _) => return Err(Contradiction),
                    (Some(&literal), None) => {
                        self.add(GroundLiteral::new(literal.atom(), !literal.holds()))?;
                    }
                    _ => is_exhausted = false,
                }
            }
            return Ok(is_exhausted);
        }
        // Some rule derives it: the only one that is left applies.
        let is_left = |body: &&Body| !body.iter().any(|&literal| self.agrees(literal) == Some(false));
        let mut left = bodies.iter().filter(is_left);
        match (left.next(), left.next()) {
            (None, _) if !bodies.is_empty() => Err(Contradiction),
            (None, _) => Ok(true),
            (Some(only), None) => {
                only.iter().try_for_each(|&literal| self.add(literal))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Adds the only move that is left to a role; each role makes one.
    fn follow_moves(&mut self) -> Result<(), Contradiction> {
        let moves = self.moves.clone();
        let mut left: BTreeMap<TermId, Vec<AtomId>> = BTreeMap::new();
        for &made in moves.iter() {
            let args = self.game.facts.args(made);
            let of_role = left.entry(args[0]).or_default();
            self.steps += 1;
            let legal = self.game.find(self.keywords.legal, args);
            if self.value(made) != Some(false)
                && !legal.is_some_and(|legal| self.is_refuted(legal, MAX_DEPTH))
            {
                of_role.push(made);
            }
        }
        for (role, moves) in left {
            match moves[..] {
                [] => return Err(Contradiction),
                [only] if !self.made.contains_key(&role) => self.add(GroundLiteral::new(only, true))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns true if each rule of a sentence has a condition that is known to fail.
    fn is_refuted(&mut self, atom: AtomId, depth: usize) -> bool {
        if let Some(known) = self.value(atom) {
            return !known;
        }
        let game = self.game;
        let bodies = game.bodies(atom);
        self.steps += 1 + bodies.len() as u64;
        let derived = game.facts.relation(atom) != self.keywords.true_
            && game.facts.relation(atom) != self.keywords.does;
        derived
            && depth > 0
            && self.steps <= self.most
            && bodies.iter().all(|body| {
                body.iter().any(|&literal| match self.agrees(literal) {
                    Some(agrees) => !agrees,
                    None => literal.holds() && self.is_refuted(literal.atom(), depth - 1),
                })
            })
    }

    /// Takes back what was added after this many atoms.
    fn forget(&mut self, mark: usize) {
        self.exhausted.truncate(mark);
        let late = self.exhausted.iter_mut().filter(|when| when.is_some_and(|known| known > mark));
        late.for_each(|when| *when = None);
        for atom in self.trail.drain(mark..).rev() {
            self.known.remove(&atom);
            if self.held.last() == Some(&atom) {
                self.held.pop();
            }
            for group in self.groups_of.get(&atom).into_iter().flatten() {
                if self.holder.get(group) == Some(&atom) {
                    self.holder.remove(group);
                }
            }
            if self.game.facts.relation(atom) == self.keywords.does {
                let role = self.game.facts.args(atom)[0];
                if self.made.get(&role) == Some(&atom) {
                    self.made.remove(&role);
                }
            }
        }
    }
}
