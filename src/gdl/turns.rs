//! Turns: a game is played in turns if in each position at most one role has a choice.
//!
//! GDL lets all roles move at once; who does not choose has one move, such as `noop`. This module finds, for each role,
//! a fluent that all its moves but one need (`(control white)`), or a few fluents of which they need one each: of one
//! function (`(turn white move)` and `(turn white shoot)`, or `(step 1)` and `(step 3)`), or with the role among the
//! arguments (`(moves white)` and `(shoots white)`). It proves by induction that no two of these fluents hold at once:
//! not in the first position, and no two rules for the next position that would make two of them true can apply
//! together; where a comparison of these rules does not show it, a longer proof may (`exclusive`).

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exclusive::{Holding, holding};
use crate::ground::{AtomId, GroundLiteral};
use crate::sheet::Keywords;
use crate::simplify::{Body, Propositions};
use crate::terms::{Symbol, TermId};

mod by_proof;

/// The turns of a game.
#[derive(Clone, Debug)]
pub enum Turns {
    /// In each position at most one role has a choice.
    Alternating(Vec<Turn>),
    /// Several roles may have a choice at once, or there is no proof that they do not.
    Simultaneous,
}

/// The turn of one role in a game played in turns.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The fluents of which one holds when the role chooses; empty if the role never chooses, or always, or where no
    /// fluent of another role holds.
    pub controls: Vec<AtomId>,
    /// The move of the role when it does not choose; `None` if it always chooses.
    pub waits: Option<AtomId>,
    /// True if the role may have a choice.
    pub chooses: bool,
    /// True if the fluents may also hold while chance moves, which goes first.
    pub yields: bool,
}

/// The moves of a role, as atoms of `does`, with the atoms of `legal`.
#[derive(Clone, Debug, Default)]
pub struct RoleMoves {
    pub does: Vec<AtomId>,
    pub legal: Vec<AtomId>,
}

/// The maximal number of pairs of bodies that the proof compares.
const MAX_PAIRS: usize = 4_000_000;

/// The maximal number of fluents that say that it is one role's turn.
const MAX_CONTROLS: usize = 64;

/// The maximal number of choices of a candidate for each role that are tried.
const MAX_CHOICES: usize = 64;

/// The maximal number of sentences that are replaced by their rules, one after the other, to find the fluents they need.
const MAX_DEPTH: usize = 4;

/// Fluents of which all moves of a role but one need one, with that move.
#[derive(Clone, Debug)]
struct Candidate {
    controls: Vec<AtomId>,
    waits: AtomId,
}

/// Finds the turns of a game.
pub fn turns(game: &Propositions, keywords: &Keywords, roles: &[RoleMoves]) -> Turns {
    let choosing: Vec<usize> = (0..roles.len()).filter(|&role| roles[role].does.len() > 1).collect();
    let alone = |role: usize, chooses: bool| {
        let waits = if chooses { None } else { roles[role].does.first().copied() };
        Turn { controls: Vec::new(), waits, chooses, yields: false }
    };
    if choosing.len() <= 1 {
        return Turns::Alternating(
            (0..roles.len()).map(|role| alone(role, choosing.contains(&role))).collect(),
        );
    }
    let mut implied = Implied { game, keywords, known: FxHashMap::default() };
    let found: Vec<Vec<Candidate>> =
        choosing.iter().map(|&role| candidates(&roles[role], &mut implied)).collect();
    for chosen in choices(game, &found) {
        let fluents: Vec<AtomId> = chosen.iter().flat_map(|of| of.controls.iter().copied()).collect();
        if exclude_each_other(&fluents, &mut implied) || holding(game, keywords, &fluents) != Holding::Unknown
        {
            let turn = |role: usize| match choosing.iter().position(|&other| other == role) {
                Some(at) => {
                    let Candidate { controls, waits } = chosen[at].clone();
                    Turn { controls, waits: Some(waits), chooses: true, yields: false }
                }
                None => alone(role, false),
            };
            return Turns::Alternating((0..roles.len()).map(turn).collect());
        }
    }
    let moves: Vec<&RoleMoves> = choosing.iter().map(|&role| &roles[role]).collect();
    let is_chance = |role: &&RoleMoves| {
        let first = role.does.first().map(|&does| game.terms.get(game.facts.args(does)[0]).name);
        first == Some(keywords.random)
    };
    match by_proof::find(&mut implied, &moves, moves.iter().position(is_chance)) {
        Some(mut found) => {
            let turn = |role: usize| match choosing.contains(&role) {
                true => found.remove(0),
                false => alone(role, false),
            };
            Turns::Alternating((0..roles.len()).map(turn).collect())
        }
        None => Turns::Simultaneous,
    }
}

/// Returns choices of one candidate for each role that have no fluent in common, those of one function first.
fn choices(game: &Propositions, found: &[Vec<Candidate>]) -> Vec<Vec<Candidate>> {
    let mut chosen: Vec<Vec<Candidate>> = vec![Vec::new()];
    for of_role in found {
        let fits = |taken: &[Candidate], of: &&Candidate| {
            taken.iter().all(|one| of.controls.iter().all(|own| !one.controls.contains(own)))
        };
        let extended = chosen.iter().flat_map(|taken| {
            let more = of_role.iter().filter(|of| fits(taken, of));
            more.map(|of| taken.iter().chain([of]).cloned().collect::<Vec<Candidate>>())
        });
        chosen = extended.take(MAX_CHOICES * MAX_CHOICES).collect();
    }
    let functions = |of: &Vec<Candidate>| {
        let all = of.iter().flat_map(|of| &of.controls).map(|&control| function(game, control));
        all.collect::<FxHashSet<_>>().len()
    };
    chosen.sort_by_cached_key(functions);
    chosen.truncate(MAX_CHOICES);
    chosen
}

/// Returns true if exactly one of the fluents holds in each position: one holds at first, and each of them makes one
/// of them true next, whatever the moves.
pub fn one_always_holds(game: &Propositions, keywords: &Keywords, fluents: &[AtomId]) -> bool {
    let is_first = |&fluent: &AtomId| is_initial(game, keywords, fluent);
    if fluents.iter().filter(|&fluent| is_first(fluent)).count() != 1 {
        return false;
    }
    let nexts = nexts_of(game, keywords, fluents);
    let is_plain = fluents.iter().all(|&fluent| {
        let assumed = GroundLiteral::new(fluent, true);
        let follows = |body: &Body| {
            body.iter().all(|&literal| {
                literal == assumed
                    || !literal.holds() && literal.atom() != fluent && fluents.contains(&literal.atom())
            })
        };
        nexts.iter().any(|&next| game.certain(next) == Some(true) || game.bodies(next).iter().any(follows))
    });
    is_plain || holding(game, keywords, fluents) == Holding::ExactlyOne
}

/// Returns true if a fluent is true in the first position.
pub fn is_initial(game: &Propositions, keywords: &Keywords, fluent: AtomId) -> bool {
    let init = game.find(keywords.init, game.facts.args(fluent));
    init.is_some_and(|init| game.facts.is_fact(init))
}

/// The sentence that a fluent is true next, if a rule has it.
pub fn next_of(game: &Propositions, keywords: &Keywords, fluent: AtomId) -> Option<AtomId> {
    game.find(keywords.next, game.facts.args(fluent))
}

/// The sentences that one of these fluents is true next, of those that a rule has.
pub fn nexts_of(game: &Propositions, keywords: &Keywords, fluents: &[AtomId]) -> Vec<AtomId> {
    fluents.iter().filter_map(|&fluent| next_of(game, keywords, fluent)).collect()
}

/// The name of the function of a fluent.
fn function(game: &Propositions, fluent: AtomId) -> Option<Symbol> {
    game.facts.args(fluent).first().map(|&term: &TermId| game.terms.get(term).name)
}

/// The fluents that all moves of a role but one need; then those of which they need one each.
fn candidates(moves: &RoleMoves, implied: &mut Implied<'_>) -> Vec<Candidate> {
    let mut counts: FxHashMap<AtomId, usize> = FxHashMap::default();
    let needs: Vec<Vec<AtomId>> = moves.legal.iter().map(|&legal| implied.by(legal).to_vec()).collect();
    needs.iter().flatten().for_each(|&fluent| *counts.entry(fluent).or_default() += 1);
    let mut single: Vec<(AtomId, AtomId)> = Vec::new();
    for (fluent, _) in counts.into_iter().filter(|&(_, count)| count + 1 == moves.legal.len()) {
        let waits = needs.iter().position(|needed| !needed.contains(&fluent));
        single.extend(waits.map(|at| (fluent, moves.does[at])));
    }
    single.sort_unstable();
    let single = single.into_iter().map(|(fluent, waits)| Candidate { controls: vec![fluent], waits });
    single.chain(of_one_kind(moves, implied)).collect()
}

/// A kind of fluents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum FluentKind {
    /// Those of a function.
    Function(Symbol),
    /// Those that have this role among their arguments.
    OfRole(TermId),
}

/// The fluents of each kind of which all moves of a role but one need one.
fn of_one_kind(moves: &RoleMoves, implied: &mut Implied<'_>) -> Vec<Candidate> {
    let game = implied.game;
    let Some(role) = moves.does.first().map(|&does| game.facts.args(does)[0]) else { return Vec::new() };
    let needs: Vec<NeededKinds> =
        moves.legal.iter().map(|&legal| implied.one_of(legal, role, MAX_DEPTH)).collect();
    let kinds: BTreeSet<FluentKind> = needs.iter().flat_map(|needed| needed.keys().copied()).collect();
    let mut found: Vec<Candidate> = Vec::new();
    for kind in kinds {
        cancel::step();
        let missing: Vec<usize> = (0..needs.len()).filter(|&at| !needs[at].contains_key(&kind)).collect();
        let mut counts: BTreeMap<AtomId, usize> = BTreeMap::new();
        needs.iter().filter_map(|needed| needed.get(&kind)).flatten().for_each(|&of| {
            *counts.entry(of).or_default() += 1;
        });
        // The move that is made while others choose needs no such fluent, or none that another move of the role needs.
        let is_apart = |at: &usize| needs[*at][&kind].iter().all(|of| counts[of] == 1);
        let waits = match missing[..] {
            [] => (0..needs.len()).find(is_apart),
            [only] => Some(only),
            _ => None,
        };
        let Some(at) = waits else { continue };
        let own = needs[at].get(&kind);
        let is_control = |of: &AtomId| own.is_none_or(|own| !own.contains(of));
        let controls: Vec<AtomId> = counts.into_keys().filter(is_control).collect();
        if (1..=MAX_CONTROLS).contains(&controls.len()) {
            found.push(Candidate { controls, waits: moves.does[at] });
        }
    }
    found.sort_by(|a, b| a.controls.cmp(&b.controls));
    found
}

/// Proves that no two of the fluents hold at once.
fn exclude_each_other(fluents: &[AtomId], implied: &mut Implied<'_>) -> bool {
    let (game, keywords) = (implied.game, implied.keywords);
    if fluents.iter().filter(|&&fluent| is_initial(game, keywords, fluent)).count() > 1 {
        return false;
    }
    let causes: Vec<Vec<Cause>> = fluents
        .iter()
        .map(|&fluent| {
            let Some(next) = next_of(game, keywords, fluent) else { return Vec::new() };
            if game.certain(next) == Some(true) {
                return vec![Cause::default()];
            }
            game.bodies(next).iter().map(|body| Cause::of(body, implied)).collect()
        })
        .collect();
    let mut pairs = 0;
    for (at, some) in causes.iter().enumerate() {
        for others in &causes[..at] {
            pairs += some.len() * others.len();
            if pairs > MAX_PAIRS {
                return false;
            }
            for a in some {
                if others.iter().any(|b| !a.contradicts(b, fluents, implied)) {
                    return false;
                }
            }
        }
    }
    true
}

/// The conditions under which a fluent becomes true: what holds before, and what is done.
#[derive(Debug, Default)]
struct Cause {
    holds: Vec<AtomId>,
    fails: Vec<AtomId>,
    does: Vec<AtomId>,
}

impl Cause {
    fn of(body: &Body, implied: &mut Implied<'_>) -> Cause {
        let mut cause = Cause::default();
        for literal in body {
            let atom = literal.atom();
            if !literal.holds() {
                cause.fails.push(atom);
                continue;
            }
            cause.holds.push(atom);
            if implied.is_move(atom) {
                cause.does.push(atom);
            }
            let further = implied.by_condition(atom);
            cause.holds.extend(further);
        }
        cause
    }

    /// Returns true if both cannot apply in one position where at most one of the fluents holds.
    fn contradicts(&self, other: &Cause, fluents: &[AtomId], implied: &Implied<'_>) -> bool {
        cancel::step();
        let game = implied.game;
        let holds = |atom: &AtomId| self.holds.contains(atom) || other.holds.contains(atom);
        let both_ways = self.fails.iter().chain(&other.fails).any(holds);
        let of_one_role = |a: &AtomId, b: &AtomId| a != b && game.facts.args(*a)[0] == game.facts.args(*b)[0];
        let two_moves = self.does.iter().any(|a| other.does.iter().any(|b| of_one_role(a, b)));
        both_ways || two_moves || fluents.iter().filter(|&fluent| holds(fluent)).count() > 1
    }
}

/// Fluents by their kinds, of each of which one must hold where a sentence is true.
type NeededKinds = BTreeMap<FluentKind, BTreeSet<AtomId>>;

/// The fluents that must hold where a sentence is true.
struct Implied<'g> {
    game: &'g Propositions,
    keywords: &'g Keywords,
    known: FxHashMap<AtomId, Vec<AtomId>>,
}

impl Implied<'_> {
    fn is_fluent(&self, atom: AtomId) -> bool {
        self.game.facts.relation(atom) == self.keywords.true_
    }

    fn is_move(&self, atom: AtomId) -> bool {
        self.game.facts.relation(atom) == self.keywords.does
    }

    /// The fluents that hold where a condition does.
    fn by_condition(&mut self, atom: AtomId) -> Vec<AtomId> {
        if self.is_fluent(atom) {
            return vec![atom];
        }
        if self.is_move(atom) {
            let legal = self.game.find(self.keywords.legal, self.game.facts.args(atom));
            return legal.map_or(Vec::new(), |legal| self.by(legal).to_vec());
        }
        self.by(atom).to_vec()
    }

    /// The kinds of fluents of which one holds where a sentence is true, with those that may. Sentences that its rules need
    /// are replaced by their rules, up to this depth.
    fn one_of(&mut self, atom: AtomId, role: TermId, depth: usize) -> NeededKinds {
        cancel::step();
        let game = self.game;
        if self.is_fluent(atom) {
            let term = game.terms.get(game.facts.args(atom)[0]);
            let of_role = term.args.contains(&role).then_some(FluentKind::OfRole(role));
            let kinds = [Some(FluentKind::Function(term.name)), of_role];
            return kinds.into_iter().flatten().map(|kind| (kind, BTreeSet::from([atom]))).collect();
        }
        let mut common: Option<NeededKinds> = None;
        for body in game.bodies(atom).iter().take(if depth == 0 { 0 } else { usize::MAX }) {
            // Of several conditions of a kind, the one with the fewest fluents says the most.
            let mut here = NeededKinds::new();
            for literal in body.iter().filter(|literal| literal.holds()) {
                for (kind, fluents) in self.one_of(literal.atom(), role, depth - 1) {
                    let old = here.entry(kind).or_insert_with(|| fluents.clone());
                    if fluents.len() < old.len() {
                        *old = fluents;
                    }
                }
            }
            common = Some(match common {
                None => here,
                Some(mut common) => {
                    common.retain(|kind, fluents| {
                        here.get(kind).is_some_and(|more| {
                            fluents.extend(more);
                            fluents.len() <= MAX_CONTROLS
                        })
                    });
                    common
                }
            });
            if common.as_ref().is_some_and(NeededKinds::is_empty) {
                break;
            }
        }
        common.unwrap_or_default()
    }

    /// The fluents that hold where a derived sentence is true; in order.
    fn by(&mut self, atom: AtomId) -> &[AtomId] {
        if !self.known.contains_key(&atom) {
            // In a cycle nothing is known of a sentence while its own conditions are examined.
            self.known.insert(atom, Vec::new());
            let mut common: Option<FxHashSet<AtomId>> = None;
            for body in self.game.bodies(atom) {
                cancel::step();
                let mut here = FxHashSet::default();
                for literal in body.iter().filter(|literal| literal.holds()) {
                    here.extend(self.by_condition(literal.atom()));
                }
                common = Some(match common {
                    Some(common) => common.intersection(&here).copied().collect(),
                    None => here,
                });
                if common.as_ref().is_some_and(FxHashSet::is_empty) {
                    break;
                }
            }
            let mut common: Vec<AtomId> = common.unwrap_or_default().into_iter().collect();
            common.sort_unstable();
            self.known.insert(atom, common);
        }
        &self.known[&atom]
    }
}
