//! Sentences that depend on the move, as formulas of the place of the move in its block.

use std::cell::RefCell;
use std::rc::Rc;

use bouton_base::cancel;
use bouton_rules::{DefId, Type, Var, Vars};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::{Cases, FamilyCases, Origin, Part, Target};
use super::fluent_view::FamilyView;
use super::{FluentPlace, MoveBlock, Translator};
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;
use crate::turns::{self, Turns};

/// The dependencies of sentences or families, by grid.
type Views<T> = RefCell<FxHashMap<(T, u32), Option<Rc<FamilyView>>>>;

/// The bodies of sentences that depend on moves, by the move that they need.
#[derive(Default)]
pub(super) struct BodiesByMove<'g> {
    heads: FxHashMap<AtomId, OfHead<'g>>,
    /// By role, what all its moves have in common.
    of_role: Vec<OfRole>,
    /// For each move, the sentences with a body that needs it.
    of_choice: FxHashMap<AtomId, Vec<AtomId>>,
    /// For each sentence that depends on the move, those with a general body in which it is to be true.
    needed_by: FxHashMap<AtomId, Vec<AtomId>>,
    /// For each sentence that depends on the move, and each move, those with a body that has it as a condition.
    read_by: FxHashMap<AtomId, Vec<AtomId>>,
    /// By sentence and grid, the families that it depends on through the move.
    pub(super) views: Views<AtomId>,
    /// The same for all sentences of a family.
    pub(super) family_views: Views<u32>,
}

/// The properties that all moves of a role have in common.
#[derive(Default)]
struct OfRole {
    /// The sentences with a general body in which no condition that depends on the move is to be true.
    unbound: Vec<AtomId>,
    /// The sentences that may be true after every move, and those that every move may affect.
    always: FxHashSet<AtomId>,
    always_affected: FxHashSet<AtomId>,
}

impl<'g> BodiesByMove<'g> {
    pub(super) fn get(&self, head: &AtomId) -> Option<&OfHead<'g>> {
        self.heads.get(head)
    }

    /// Finds what all moves of a role have in common.
    fn close(&mut self) {
        for role in 0..self.of_role.len() {
            let always = self.reached(role, self.of_role[role].unbound.iter().copied());
            let readers = always.iter().filter_map(|atom| self.read_by.get(atom)).flatten();
            self.of_role[role].always_affected = readers.copied().collect();
            self.of_role[role].always = always;
        }
    }

    /// These sentences and those that may be true if they are, but not those that may be true after every move of a
    /// role.
    fn reached(&self, role: usize, from: impl Iterator<Item = AtomId>) -> FxHashSet<AtomId> {
        let always = &self.of_role[role].always;
        let mut ahead: Vec<AtomId> = from.filter(|atom| !always.contains(atom)).collect();
        let mut reached: FxHashSet<AtomId> = ahead.iter().copied().collect();
        while let Some(atom) = ahead.pop() {
            cancel::step();
            for &head in self.needed_by.get(&atom).into_iter().flatten() {
                if !always.contains(&head) && reached.insert(head) {
                    ahead.push(head);
                }
            }
        }
        reached
    }

    /// The sentences that may be true after a move of a role, beside those that may be after every one: each body of the
    /// other ones has a condition that is false then.
    pub(super) fn possible_after(&self, role: usize, choice: Option<AtomId>) -> FxHashSet<AtomId> {
        let own = choice.and_then(|choice| self.of_choice.get(&choice)).into_iter().flatten();
        self.reached(role, own.copied())
    }

    /// Returns true if a sentence may be true after every move of a role.
    pub(super) fn is_always_possible(&self, role: usize, atom: AtomId) -> bool {
        self.of_role[role].always.contains(&atom)
    }

    /// The sentences with a condition on a move or on one of these sentences.
    pub(super) fn readers(&self, choice: AtomId, unusual: &FxHashSet<AtomId>) -> FxHashSet<AtomId> {
        let readers = unusual.iter().chain([&choice]).filter_map(|atom| self.read_by.get(atom)).flatten();
        readers.copied().collect()
    }

    /// Returns true if every move of a role may affect a sentence.
    pub(super) fn is_always_affected(&self, role: usize, atom: AtomId) -> bool {
        self.of_role[role].always_affected.contains(&atom)
    }

    /// The sentences with a body that needs a move.
    pub(super) fn needing(&self, choice: AtomId) -> impl Iterator<Item = AtomId> {
        self.of_choice.get(&choice).into_iter().flatten().copied()
    }
}

/// The bodies of one sentence.
#[derive(Debug, Default)]
pub(super) struct OfHead<'g> {
    /// The bodies that need no move of a player who chooses.
    pub(super) general: Vec<&'g Body>,
    pub(super) by_move: FxHashMap<AtomId, Vec<&'g Body>>,
    /// True if a general body depends on the move all the same.
    pub(super) changes: bool,
    /// The sentences in the bodies that depend on the move, and the moves in general bodies.
    pub(super) changing: Vec<AtomId>,
}

/// A block while its moves are translated.
pub(super) struct BlockContext {
    pub(super) block: usize,
    pub(super) of: MoveBlock,
    /// The move at each place.
    choices: FxHashMap<u32, AtomId>,
    /// True if the sentences of a family at one distance from the move are one definition.
    pub(super) by_family: bool,
    /// The sentences that depend on the move, by the place of the move: their truth values, if they are certain there.
    pub(super) known: FxHashMap<(AtomId, u32), Option<bool>>,
    /// By the place of the move, the sentences that may be true after it, beside those that may be after every one.
    pub(super) possible: FxHashMap<u32, FxHashSet<AtomId>>,
    /// The definitions to be made.
    pub(super) made: FxHashMap<Target, Cases>,
    pub(super) order: Vec<Target>,
    /// The sentences whose definitions have all lanes, those in which they are certain included.
    pub(super) total: FxHashSet<AtomId>,
    /// The families that depend on the move, seen from their own places.
    pub(super) families: FxHashMap<u32, FamilyCases>,
    /// By the family of a fluent and the families that it depends on: true if it is seen from its own place.
    pub(super) seen_from_own_place: FxHashMap<(u32, Rc<FamilyView>), bool>,
    /// The numbers of conditions of families in so many stages ([`unfolded`](super::fluent_view)).
    pub(super) sizes: FxHashMap<(u32, u32), usize>,
    /// For families of fluents, true if they change at many distances from the move.
    pub(super) spreads: FxHashMap<u32, bool>,
}

impl BlockContext {
    pub fn new(block: usize, of: &MoveBlock, by_family: bool) -> BlockContext {
        BlockContext {
            block,
            of: of.clone(),
            choices: of.moves.iter().copied().collect(),
            by_family,
            known: FxHashMap::default(),
            possible: FxHashMap::default(),
            made: FxHashMap::default(),
            order: Vec::new(),
            total: FxHashSet::default(),
            families: FxHashMap::default(),
            seen_from_own_place: FxHashMap::default(),
            sizes: FxHashMap::default(),
            spreads: FxHashMap::default(),
        }
    }

    /// The move at a place.
    pub(super) fn choice(&self, lane: u32) -> Option<AtomId> {
        self.choices.get(&lane).copied()
    }

    /// The places of the moves.
    pub fn present(&self) -> Vec<u32> {
        self.of.moves.iter().map(|&(lane, _)| lane).collect()
    }
}

/// The place of the move that is made, and the place from which conditions are seen.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) lane: u32,
    pub(super) origin: Origin,
}

impl<'g> Translator<'g> {
    /// The bodies of sentences that depend on the move, and of those about the next position.
    pub(super) fn bodies_by_move(&self) -> BodiesByMove<'g> {
        let mut found = BodiesByMove::default();
        found.of_role.resize_with(self.roles.len(), OfRole::default);
        if self.stores_choices {
            return found;
        }
        let game = self.game;
        let of = &self.sheet.keywords;
        let waits: Vec<AtomId> = match &self.turns {
            Turns::Alternating(turns) => turns.iter().filter_map(|turn| turn.waits).collect(),
            Turns::Simultaneous => Vec::new(),
        };
        // A waiting move may be one of several that its role chooses from in its turn.
        let is_chosen = |atom: &AtomId| {
            self.moves.get(*atom).is_some_and(|place| self.blocks[place.block].moves.len() > 1)
        };
        for head in game.heads() {
            let relation = game.facts.relation(head);
            if !(self.changing.contains(head) || relation == of.next || relation == of.sees) {
                continue;
            }
            let mut of_head = OfHead::default();
            for body in game.bodies(head) {
                let is_choice = |literal: &&GroundLiteral| {
                    literal.holds() && self.moves.contains(literal.atom()) && !waits.contains(&literal.atom())
                };
                match body.iter().find(is_choice) {
                    Some(literal) => of_head.by_move.entry(literal.atom()).or_default().push(body),
                    None => {
                        of_head.changes |= body.iter().any(|literal| {
                            let atom = literal.atom();
                            self.changing.contains(atom)
                                || self.moves.contains(atom) && (!waits.contains(&atom) || is_chosen(&atom))
                        });
                        of_head.general.push(body);
                    }
                }
            }
            of_head.changing = self.changing_conditions(&of_head);
            for atom in &of_head.changing {
                found.read_by.entry(*atom).or_default().push(head);
            }
            for choice in of_head.by_move.keys() {
                found.of_choice.entry(*choice).or_default().push(head);
            }
            for body in &of_head.general {
                let needs = |literal: &&GroundLiteral| {
                    let atom = literal.atom();
                    literal.holds()
                        && self.changing.contains(atom)
                        && game.certain(atom).is_none()
                        && !self.moves.contains(atom)
                        && self.control_of(atom).is_none()
                };
                let mut needed = body.iter().filter(needs).map(|literal| literal.atom()).peekable();
                if needed.peek().is_none() {
                    // The role whose waiting move it is may also choose that move.
                    let own = body.iter().filter(|literal| literal.holds()).map(|literal| literal.atom());
                    own.filter(|atom| self.moves.contains(*atom))
                        .for_each(|choice| found.of_choice.entry(choice).or_default().push(head));
                    for (role, of_role) in found.of_role.iter_mut().enumerate() {
                        if !body.iter().any(|&literal| self.fails_for(literal, role)) {
                            of_role.unbound.push(head);
                        }
                    }
                }
                needed.for_each(|atom| found.needed_by.entry(atom).or_default().push(head));
            }
            found.heads.insert(head, of_head);
        }
        found.close();
        found
    }

    /// Returns true if a condition on a turn or on waiting is false after every move of a role, but for the one that it
    /// names.
    fn fails_for(&self, literal: GroundLiteral, role: usize) -> bool {
        let atom = literal.atom();
        if self.game.certain(atom).is_some() || !literal.holds() {
            return false;
        }
        match self.moves.get(atom) {
            Some(place) => place.role == role || self.waits(place.role) != Some(atom),
            None => self.control_of(atom).is_some_and(|player| player != role),
        }
    }

    /// The cases in which one of the bodies holds after the move at a place; `None` if one certainly holds.
    pub(super) fn residual<'b>(
        &mut self,
        bodies: impl Iterator<Item = &'b Body>,
        seen: Seen,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Option<Vec<Vec<Part>>>, Box<Diagnostic>> {
        let mut found = Vec::new();
        'bodies: for body in bodies {
            cancel::step();
            let mut parts = Vec::new();
            for &literal in body.iter() {
                match self.after_move(literal, seen, all, of)? {
                    Ok(true) => {}
                    Ok(false) => continue 'bodies,
                    Err(part) => parts.push(part),
                }
            }
            if parts.is_empty() {
                return Ok(None);
            }
            found.push(parts);
        }
        Ok(Some(found))
    }

    /// The truth value of a condition after the move at a place, or what remains of it.
    pub(super) fn after_move(
        &mut self,
        literal: GroundLiteral,
        seen: Seen,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Result<bool, Part>, Box<Diagnostic>> {
        let atom = literal.atom();
        let known = |value: bool| Ok(Ok(value == literal.holds()));
        if let Some(value) = self.game.certain(atom) {
            return known(value);
        }
        if let Some(place) = self.moves.get(atom) {
            let waits = place.role != of.of.role && self.waits(place.role) == Some(atom);
            return known(waits || place.block == of.block && place.lane == seen.lane);
        }
        if let Some(player) = self.control_of(atom) {
            if player != of.of.role {
                return known(false);
            }
            if matches!(self.fluents.get(atom), Some(FluentPlace::Mover(_))) {
                return known(true);
            }
        }
        if !self.changing.contains(atom) {
            return Ok(Err(self.part(literal, seen.origin)));
        }
        match self.of_move(atom, seen.lane, all, of)? {
            Some(value) => known(value),
            None => Ok(Err(Part::OfMove(self.target(atom, seen.lane, of), literal.holds()))),
        }
    }

    /// The truth value of a sentence that depends on the move, after the move at a place; `None` if it is open there:
    /// then a definition of the block has it.
    pub(super) fn of_move(
        &mut self,
        atom: AtomId,
        lane: u32,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Option<bool>, Box<Diagnostic>> {
        if !of.possible.contains_key(&lane) {
            of.possible.insert(lane, all.possible_after(of.of.role, of.choice(lane)));
        }
        if !all.is_always_possible(of.of.role, atom) && !of.possible[&lane].contains(&atom) {
            return Ok(Some(false));
        }
        if let Some(known) = of.known.get(&(atom, lane)) {
            return Ok(*known);
        }
        let origin = Origin { grid: of.of.grid, lane };
        let value = match self.next_cases(atom, Seen { lane, origin }, all, of)? {
            None => Some(true),
            Some(cases) if cases.is_empty() => Some(false),
            Some(cases) => {
                let target = self.target(atom, lane, of);
                self.count(cases.len())?;
                let order = &mut of.order;
                let made = of.made.entry(target).or_insert_with(|| {
                    order.push(target);
                    Cases::default()
                });
                cases.into_iter().for_each(|parts| made.add(parts, lane));
                None
            }
        };
        of.known.insert((atom, lane), value);
        Ok(value)
    }

    /// The cases in which a sentence is true after the move at a place; `None` if it certainly is.
    pub(super) fn next_cases(
        &mut self,
        head: AtomId,
        seen: Seen,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Option<Vec<Vec<Part>>>, Box<Diagnostic>> {
        let Some(bodies) = all.get(&head) else { return Ok(Some(Vec::new())) };
        let choice = of.choice(seen.lane);
        let own = choice.and_then(|choice| bodies.by_move.get(&choice)).into_iter().flatten();
        self.residual(bodies.general.iter().chain(own).copied(), seen, all, of)
    }

    pub(super) fn target(&self, atom: AtomId, lane: u32, of: &BlockContext) -> Target {
        let place = self.place(atom).filter(|place| {
            of.by_family && Some(self.grids.families[place.family as usize].grid) == of.of.grid
        });
        match place {
            Some(place) => Target::Family(place.family, place.lane as i32 - lane as i32),
            None => Target::Atom(atom),
        }
    }

    /// The role whose turn a fluent says it is, so that it does not hold when another one moves.
    pub(super) fn control_of(&self, atom: AtomId) -> Option<usize> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        turns.iter().position(|turn| !turn.yields && turn.controls.contains(&atom))
    }

    pub(super) fn waits(&self, role: usize) -> Option<AtomId> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        turns[role].waits
    }

    /// The cases in which the moves of a block are legal.
    pub(super) fn legal_cases(
        &mut self,
        of: &mut BlockContext,
        all: &BodiesByMove<'g>,
    ) -> Result<Cases, Box<Diagnostic>> {
        let (legal, mut cases) = (self.sheet.keywords.legal, Cases::default());
        for (lane, atom) in of.of.moves.clone() {
            let Some(legal) = self.game.find(legal, self.game.facts.args(atom)) else { continue };
            let origin = Origin { grid: of.of.grid, lane };
            let game = self.game;
            let found = match game.certain(legal) {
                Some(true) => None,
                Some(false) => Some(Vec::new()),
                None => self.residual(game.bodies(legal).iter(), Seen { lane, origin }, all, of)?,
            };
            match found {
                None => cases.add(Vec::new(), lane),
                Some(found) => found.into_iter().for_each(|parts| cases.add(parts, lane)),
            }
        }
        Ok(cases)
    }

    /// The cases in which each role is next to choose.
    pub(super) fn next_turns(
        &mut self,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Vec<(u32, Cases)>, Box<Diagnostic>> {
        let Turns::Alternating(turns) = &self.turns else { return Ok(Vec::new()) };
        let turns = turns.clone();
        let mut found = Vec::new();
        for (role, turn) in (0u32..).zip(&turns) {
            let nexts = turns::nexts_of(self.game, &self.sheet.keywords, &turn.controls);
            if nexts.is_empty() {
                continue;
            }
            let mut cases = Cases::default();
            for (lane, _) in of.of.moves.clone() {
                let origin = Origin { grid: of.of.grid, lane };
                for &next in &nexts {
                    let here = match self.game.certain(next) {
                        Some(true) => None,
                        Some(false) => Some(Vec::new()),
                        None => self.next_cases(next, Seen { lane, origin }, all, of)?,
                    };
                    match here {
                        None => cases.add(Vec::new(), lane),
                        Some(here) => here.into_iter().for_each(|parts| cases.add(parts, lane)),
                    }
                }
            }
            found.push((role, cases));
        }
        Ok(found)
    }

    /// The sentences in the bodies of a sentence that depend on the move, and the moves in its general bodies.
    fn changing_conditions(&self, bodies: &OfHead<'g>) -> Vec<AtomId> {
        let atoms = |bodies: &[&Body]| -> Vec<AtomId> {
            bodies.iter().flat_map(|body| body.iter()).map(|literal| literal.atom()).collect()
        };
        let is_open = |atom: &AtomId| self.game.certain(*atom).is_none();
        let mut found = atoms(&bodies.general);
        found.retain(|atom| self.changing.contains(*atom) || self.moves.contains(*atom));
        let own = bodies.by_move.values().flat_map(|bodies| atoms(bodies));
        found.extend(own.filter(|atom| self.changing.contains(*atom)));
        found.retain(is_open);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Makes the definitions of a block, those that others need first; `None` if they depend on each other in a circle.
    pub(super) fn move_defs(&mut self, of: &BlockContext) -> Result<Option<MoveDefs>, Box<Diagnostic>> {
        let Some(order) = dependency_order(of) else { return Ok(None) };
        let present = of.present();
        let mut made = MoveDefs::default();
        for target in order {
            let cases = &of.made[&target];
            let found = match target {
                Target::Atom(_) if present.len() > 1 => self.somewhere(cases, &present, &made.defs)?,
                _ => None,
            };
            let quantifies = found.is_some();
            let body = match found {
                Some(body) => body,
                None => self.cases_formula(cases, &present, &made.defs)?,
            };
            let name = match target {
                Target::Atom(atom) => {
                    let relation = self.sheet.symbols.name(self.game.facts.relation(atom)).to_owned();
                    let args: Vec<String> =
                        self.game.facts.args(atom).iter().map(|&arg| self.render(arg)).collect();
                    format!("{relation} {} of block {}", args.join(" "), of.block + 1)
                }
                Target::Family(family, by) => {
                    let first = self.grids.families[family as usize].lanes[0].1;
                    let relation = self.sheet.symbols.name(self.game.facts.relation(first));
                    format!("{relation} {family} at {by} of block {}", of.block + 1)
                }
            };
            let mut vars = Vars::new();
            if present.len() > 1 {
                vars.push(Var { name: "k".into(), ty: Type::Int(0, i64::from(of.of.width) - 1) });
            }
            let params = vars.ids().collect();
            if quantifies {
                vars.push(Var { name: "t".into(), ty: Type::Int(0, i64::from(of.of.width) - 1) });
                made.quantified.insert(target);
            }
            let def = self.truth_def(name, vars, body, None);
            self.builder.rules.defs[def].params = params;
            made.defs.insert(target, def);
        }
        Ok(Some(made))
    }
}

/// The definitions of a block.
#[derive(Default)]
pub(super) struct MoveDefs {
    pub defs: FxHashMap<Target, DefId>,
    /// Those that ask whether something is true at one of many distances from the move: some place is one of these.
    pub quantified: FxHashSet<Target>,
}

/// The definitions of a block, those that others need first; `None` if they depend on each other in a circle.
fn dependency_order(of: &BlockContext) -> Option<Vec<Target>> {
    let needs = |target: &Target| -> Vec<Target> {
        let parts = of.made[target].iter().flat_map(|(parts, _)| parts);
        let needed = parts.filter_map(|part| match part {
            Part::OfMove(other, _) => Some(*other),
            _ => None,
        });
        needed.collect()
    };
    let (mut order, mut done) = (Vec::new(), FxHashSet::default());
    let mut open: FxHashSet<Target> = FxHashSet::default();
    for &root in &of.order {
        // The path from the root, each with what it still needs.
        let mut path: Vec<(Target, Vec<Target>)> = Vec::new();
        if !done.contains(&root) {
            open.insert(root);
            path.push((root, needs(&root)));
        }
        while let Some((target, rest)) = path.last_mut() {
            cancel::step();
            match rest.pop() {
                Some(next) if open.contains(&next) => return None,
                Some(next) if done.contains(&next) || !of.made.contains_key(&next) => {}
                Some(next) => {
                    open.insert(next);
                    path.push((next, needs(&next)));
                }
                None => {
                    open.remove(target);
                    done.insert(*target);
                    order.push(*target);
                    path.pop();
                }
            }
        }
    }
    Some(order)
}
