//! The effects of a block of moves: sentences that depend on the move, and fluents of the next position, as formulas of
//! the place of the move.

use std::cell::RefCell;

use bouton_base::cancel;
use bouton_rules::builder::{e, for_, if_, let_, over, set, truth, var};
use bouton_rules::{DefId, Expr, ExprKind, Stmt, Type, Value, Var, Vars};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::{Cases, FamilyCases, Origin, Part, Scope, Target, in_lanes, lane};
use super::moves::Nexts;
use super::{FluentPlace, MoveBlock, Translator};
use crate::grids::GridPlace;
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;
use crate::turns::{self, Turns};

/// The bodies of sentences that depend on moves, by the move that they need.
#[derive(Default)]
pub(super) struct BodiesByMove<'g> {
    heads: FxHashMap<AtomId, OfHead<'g>>,
    /// The sentences with a general body in which no condition that depends on the move is to be true.
    unbound: Vec<AtomId>,
    /// For each move, the sentences with a body that needs it.
    of_choice: FxHashMap<AtomId, Vec<AtomId>>,
    /// For each sentence that depends on the move, those with a general body in which it is to be true.
    needed_by: FxHashMap<AtomId, Vec<AtomId>>,
}

impl<'g> BodiesByMove<'g> {
    fn get(&self, head: &AtomId) -> Option<&OfHead<'g>> {
        self.heads.get(head)
    }

    /// The sentences that may be true after a move: each body of the other ones has a condition that is false then.
    fn possible_after(&self, choice: Option<AtomId>) -> FxHashSet<AtomId> {
        let own = choice.and_then(|choice| self.of_choice.get(&choice)).into_iter().flatten();
        let mut ahead: Vec<AtomId> = self.unbound.iter().chain(own).copied().collect();
        let mut possible: FxHashSet<AtomId> = ahead.iter().copied().collect();
        while let Some(atom) = ahead.pop() {
            cancel::step();
            for &head in self.needed_by.get(&atom).into_iter().flatten() {
                if possible.insert(head) {
                    ahead.push(head);
                }
            }
        }
        possible
    }
}

/// The bodies of one sentence.
#[derive(Debug, Default)]
pub(super) struct OfHead<'g> {
    /// The bodies that need no move of a player who chooses.
    general: Vec<&'g Body>,
    by_move: FxHashMap<AtomId, Vec<&'g Body>>,
    /// True if a general body depends on the move all the same.
    changes: bool,
    /// The sentences in the bodies that depend on the move, and the moves in general bodies.
    changing: Vec<AtomId>,
}

/// A block while its moves are translated.
pub(super) struct BlockContext {
    block: usize,
    of: MoveBlock,
    /// True if the sentences of a family at one distance from the move are one definition.
    by_family: bool,
    /// The sentences that depend on the move, by the place of the move: their truth values, if they are certain there.
    known: FxHashMap<(AtomId, u32), Option<bool>>,
    /// By the place of the move, the sentences that may be true after it.
    possible: FxHashMap<u32, FxHashSet<AtomId>>,
    /// The definitions to be made.
    made: FxHashMap<Target, Cases>,
    order: Vec<Target>,
    /// The sentences whose definitions have all lanes, those in which they are certain included.
    total: FxHashSet<AtomId>,
    /// The families that depend on the move, seen from their own places.
    families: FxHashMap<u32, FamilyCases>,
    /// For each family, `Some` if its sentences depend on sentences without places alone, and true if on any.
    seen: RefCell<FxHashMap<u32, Option<bool>>>,
}

impl BlockContext {
    pub fn new(block: usize, of: &MoveBlock, by_family: bool) -> BlockContext {
        BlockContext {
            block,
            of: of.clone(),
            by_family,
            known: FxHashMap::default(),
            possible: FxHashMap::default(),
            made: FxHashMap::default(),
            order: Vec::new(),
            total: FxHashSet::default(),
            families: FxHashMap::default(),
            seen: RefCell::default(),
        }
    }

    /// The move at a place.
    fn choice(&self, lane: u32) -> Option<AtomId> {
        self.of.moves.iter().find(|&&(of, _)| of == lane).map(|&(_, atom)| atom)
    }

    /// The places of the moves.
    pub fn present(&self) -> Vec<u32> {
        self.of.moves.iter().map(|&(lane, _)| lane).collect()
    }
}

/// The changes of fluents by the moves of a block.
#[derive(Default)]
pub(super) struct Effects {
    /// The fluents that change alike, whatever the move: their values, by the place of the fluent.
    uniform: Vec<(u32, Change)>,
    /// The fluents that change alike, but for the place of the move and for sentences without places.
    seen_from_fluents: Vec<(u32, Change)>,
    /// The fluents that change alike and have no place.
    single: Vec<(AtomId, Change)>,
    /// The fluents whose change depends on the move, by the place of the move.
    of_move: Vec<(Target, Change)>,
}

/// The change of a fluent.
#[derive(Default)]
struct Change {
    /// The lanes in which the fluent stays true, and the cases in which it becomes true.
    stays: Vec<u32>,
    becomes: Cases,
    /// The lanes in which the fluent is true in these cases alone.
    is_set: Vec<u32>,
    is: Cases,
}

/// The place of the move that is made, and the place from which conditions are seen.
#[derive(Clone, Copy)]
struct Seen {
    lane: u32,
    origin: Origin,
}

/// A fluent after a move.
enum Next {
    /// As before.
    Same,
    /// True if it was, and in these cases.
    Grows(Vec<Vec<Part>>),
    /// True in these cases.
    Is(Vec<Vec<Part>>),
}

impl Change {
    fn add(&mut self, next: Next, lane: u32) {
        match next {
            Next::Same => {}
            Next::Grows(cases) => {
                self.stays.push(lane);
                cases.into_iter().for_each(|parts| self.becomes.add(parts, lane));
            }
            Next::Is(cases) => {
                self.is_set.push(lane);
                cases.into_iter().for_each(|parts| self.is.add(parts, lane));
            }
        }
    }
}

impl<'g> Translator<'g> {
    /// The bodies of sentences that depend on the move, and of those about the next position.
    pub(super) fn bodies_by_move(&self) -> BodiesByMove<'g> {
        let mut found = BodiesByMove::default();
        if self.stores_choices {
            return found;
        }
        let game = self.game;
        let of = &self.sheet.keywords;
        let waits: Vec<AtomId> = match &self.turns {
            Turns::Alternating(turns) => turns.iter().filter_map(|turn| turn.waits).collect(),
            Turns::Simultaneous => Vec::new(),
        };
        for head in game.heads() {
            let relation = game.facts.relation(head);
            if !(self.changing.contains(&head) || relation == of.next || relation == of.sees) {
                continue;
            }
            let mut of_head = OfHead::default();
            for body in game.bodies(head) {
                let is_choice = |literal: &&GroundLiteral| {
                    literal.holds()
                        && self.moves.contains_key(&literal.atom())
                        && !waits.contains(&literal.atom())
                };
                match body.iter().find(is_choice) {
                    Some(literal) => of_head.by_move.entry(literal.atom()).or_default().push(body),
                    None => {
                        of_head.changes |= body.iter().any(|literal| {
                            let atom = literal.atom();
                            self.changing.contains(&atom)
                                || self.moves.contains_key(&atom) && !waits.contains(&atom)
                        });
                        of_head.general.push(body);
                    }
                }
            }
            of_head.changing = self.changing_conditions(&of_head);
            for choice in of_head.by_move.keys() {
                found.of_choice.entry(*choice).or_default().push(head);
            }
            for body in &of_head.general {
                let needs = |literal: &&GroundLiteral| {
                    let atom = literal.atom();
                    literal.holds()
                        && self.changing.contains(&atom)
                        && game.certain(atom).is_none()
                        && !self.moves.contains_key(&atom)
                        && self.control_of(atom).is_none()
                };
                let mut needed = body.iter().filter(needs).map(|literal| literal.atom()).peekable();
                if needed.peek().is_none() {
                    found.unbound.push(head);
                }
                needed.for_each(|atom| found.needed_by.entry(atom).or_default().push(head));
            }
            found.heads.insert(head, of_head);
        }
        found
    }

    /// The cases in which one of the bodies holds after the move at a place; `None` if one certainly holds.
    fn residual<'b>(
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
    fn after_move(
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
        if let Some(place) = self.moves.get(&atom) {
            let waits = place.role != of.of.role && self.waits(place.role) == Some(atom);
            return known(waits || place.block == of.block && place.lane == seen.lane);
        }
        if let Some(player) = self.control_of(atom) {
            if player != of.of.role {
                return known(false);
            }
            if matches!(self.fluents.get(&atom), Some(FluentPlace::Mover(_))) {
                return known(true);
            }
        }
        if !self.changing.contains(&atom) {
            return Ok(Err(self.part(literal, seen.origin)));
        }
        match self.of_move(atom, seen.lane, all, of)? {
            Some(value) => known(value),
            None => Ok(Err(Part::OfMove(self.target(atom, seen.lane, of), literal.holds()))),
        }
    }

    /// The truth value of a sentence that depends on the move, after the move at a place; `None` if it is open there:
    /// then a definition of the block has it.
    fn of_move(
        &mut self,
        atom: AtomId,
        lane: u32,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Option<bool>, Box<Diagnostic>> {
        if !of.possible.contains_key(&lane) {
            of.possible.insert(lane, all.possible_after(of.choice(lane)));
        }
        if !of.possible[&lane].contains(&atom) {
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
    fn next_cases(
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

    fn target(&self, atom: AtomId, lane: u32, of: &BlockContext) -> Target {
        let place = self.place(atom).filter(|place| {
            of.by_family && Some(self.grids.families[place.family as usize].grid) == of.of.grid
        });
        match place {
            Some(place) => Target::Family(place.family, place.lane as i32 - lane as i32),
            None => Target::Atom(atom),
        }
    }

    /// The role whose turn a fluent says it is.
    fn control_of(&self, atom: AtomId) -> Option<usize> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        turns.iter().position(|turn| turn.control == Some(atom))
    }

    fn waits(&self, role: usize) -> Option<AtomId> {
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
            let next =
                turn.control.and_then(|control| turns::next_of(self.game, &self.sheet.keywords, control));
            let Some(next) = next else { continue };
            let mut cases = Cases::default();
            for (lane, _) in of.of.moves.clone() {
                let origin = Origin { grid: of.of.grid, lane };
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
            found.push((role, cases));
        }
        Ok(found)
    }

    /// The changes of all fluents by the moves of a block.
    pub(super) fn effects(
        &mut self,
        nexts: &Nexts,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Effects, Box<Diagnostic>> {
        let mut effects = Effects::default();
        let mut uniform: FxHashMap<u32, usize> = FxHashMap::default();
        let mut seen_from_fluents: FxHashMap<u32, usize> = FxHashMap::default();
        let mut of_move: FxHashMap<Target, usize> = FxHashMap::default();
        // Cases come in the order of lanes.
        let mut nexts = nexts.clone();
        nexts.sort_by_key(|&(fluent, _)| self.place(fluent).map(|place| (place.family, place.lane)));
        let choices: Vec<(u32, AtomId)> = of.of.moves.clone();
        for (fluent, next) in nexts {
            let place = self.place(fluent);
            let certain = next.map_or(Some(false), |next| self.game.certain(next));
            let bodies = next.and_then(|next| all.get(&next));
            let depends = certain.is_none()
                && bodies.is_some_and(|bodies| {
                    bodies.changes || choices.iter().any(|(_, choice)| bodies.by_move.contains_key(choice))
                });
            if !depends {
                let lane = place.map_or(0, |place| place.lane);
                let grid = place.map(|place| self.grids.families[place.family as usize].grid);
                let origin = Origin { grid, lane };
                let cases = match (certain, next) {
                    (Some(true), _) => None,
                    (Some(false), _) | (None, None) => Some(Vec::new()),
                    (None, Some(next)) => {
                        let seen = Seen { lane: choices[0].0, origin };
                        self.next_cases(next, seen, all, of)?
                    }
                };
                let next = self.change(fluent, origin, cases);
                if matches!(next, Next::Same) {
                    continue;
                }
                self.count(1)?;
                match place {
                    Some(place) => {
                        let at = *uniform.entry(place.family).or_insert_with(|| {
                            effects.uniform.push((place.family, Change::default()));
                            effects.uniform.len() - 1
                        });
                        effects.uniform[at].1.add(next, lane);
                    }
                    None => {
                        let mut change = Change::default();
                        change.add(next, 0);
                        effects.single.push((fluent, change));
                    }
                }
                continue;
            }
            let Some(next) = next else { continue };
            if let (Some(place), Some(bodies)) = (place, bodies)
                && self.is_seen_from_fluent(place, bodies, all, of)
            {
                let origin = Origin { grid: of.of.grid, lane: place.lane };
                let cases = self.fluent_cases(bodies, origin, all, of)?;
                let next = self.change(fluent, origin, Some(cases));
                self.count(1)?;
                let at = *seen_from_fluents.entry(place.family).or_insert_with(|| {
                    effects.seen_from_fluents.push((place.family, Change::default()));
                    effects.seen_from_fluents.len() - 1
                });
                effects.seen_from_fluents[at].1.add(next, place.lane);
                continue;
            }
            for &(lane, _) in &choices {
                let origin = Origin { grid: of.of.grid, lane };
                let cases = self.next_cases(next, Seen { lane, origin }, all, of)?;
                let next = self.change(fluent, origin, cases);
                if matches!(next, Next::Same) {
                    continue;
                }
                self.count(1)?;
                let target = self.target(fluent, lane, of);
                let at = *of_move.entry(target).or_insert_with(|| {
                    effects.of_move.push((target, Change::default()));
                    effects.of_move.len() - 1
                });
                effects.of_move[at].1.add(next, lane);
            }
        }
        Ok(effects)
    }

    /// Returns true if the conditions of a fluent are better seen from its place than from that of the move: sentences
    /// that depend on the move, but have no place, change it wherever the move is.
    fn is_seen_from_fluent(
        &self,
        place: GridPlace,
        bodies: &OfHead<'g>,
        all: &BodiesByMove<'g>,
        of: &BlockContext,
    ) -> bool {
        let is_of_grid =
            |place: GridPlace| Some(self.grids.families[place.family as usize].grid) == of.of.grid;
        let has_no_place =
            |atom: AtomId| self.changing.contains(&atom) && !self.place(atom).is_some_and(is_of_grid);
        if !bodies.changes || !is_of_grid(place) || of.of.moves.len() < 2 {
            return false;
        }
        let mut found = false;
        for &atom in &bodies.changing {
            if has_no_place(atom) {
                found = true;
                continue;
            }
            // A family whose sentences depend on those without places alone.
            let Some(place) = self.place(atom).filter(|place| is_of_grid(*place)) else { return false };
            let family = *of.seen.borrow_mut().entry(place.family).or_insert_with(|| {
                cancel::step();
                let members = self.grids.families[place.family as usize].lanes.iter();
                let inner: Vec<AtomId> = members
                    .filter_map(|(_, member)| all.get(member))
                    .flat_map(|of| &of.changing)
                    .copied()
                    .collect();
                inner.iter().all(|&atom| has_no_place(atom)).then_some(!inner.is_empty())
            });
            match family {
                Some(depends) if self.changing.contains(&atom) => found |= depends,
                _ => return false,
            }
        }
        found
    }

    /// The sentences in the bodies of a sentence that depend on the move, and the moves in its general bodies.
    fn changing_conditions(&self, bodies: &OfHead<'g>) -> Vec<AtomId> {
        let atoms = |bodies: &[&Body]| -> Vec<AtomId> {
            bodies.iter().flat_map(|body| body.iter()).map(|literal| literal.atom()).collect()
        };
        let is_open = |atom: &AtomId| self.game.certain(*atom).is_none();
        let mut found = atoms(&bodies.general);
        found.retain(|atom| self.changing.contains(atom) || self.moves.contains_key(atom));
        let own = bodies.by_move.values().flat_map(|bodies| atoms(bodies));
        found.extend(own.filter(|atom| self.changing.contains(atom)));
        found.retain(is_open);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The cases in which a fluent is true next, seen from its place.
    fn fluent_cases(
        &mut self,
        bodies: &OfHead<'g>,
        origin: Origin,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Vec<Vec<Part>>, Box<Diagnostic>> {
        let mut found = Vec::new();
        let choices = of.of.moves.clone();
        let own = choices.iter().filter_map(|(lane, choice)| Some((*lane, bodies.by_move.get(choice)?)));
        let own = own.flat_map(|(lane, bodies)| bodies.iter().map(move |body| (Some(lane), *body)));
        let general = bodies.general.iter().map(|body| (None, *body));
        'bodies: for (chosen, body) in general.chain(own) {
            cancel::step();
            let mut parts: Vec<Part> =
                chosen.map(|lane| Part::Moved(lane as i32 - origin.lane as i32)).into_iter().collect();
            for &literal in body.iter() {
                let atom = literal.atom();
                if self.changing.contains(&atom) && self.game.certain(atom).is_none() && chosen.is_none() {
                    parts.push(self.seen_from_fluent(literal, origin, all, of)?);
                    continue;
                }
                let lane = chosen.unwrap_or(choices[0].0);
                match self.after_move(literal, Seen { lane, origin }, all, of)? {
                    Ok(true) => {}
                    Ok(false) => continue 'bodies,
                    Err(Part::OfMove(..)) => parts.push(self.seen_from_fluent(literal, origin, all, of)?),
                    Err(part) => parts.push(part),
                }
            }
            found.push(parts);
        }
        Ok(found)
    }

    /// A condition that depends on the move, seen from the place of a fluent.
    fn seen_from_fluent(
        &mut self,
        literal: GroundLiteral,
        origin: Origin,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Part, Box<Diagnostic>> {
        let (atom, holds) = (literal.atom(), literal.holds());
        let place = self
            .place(atom)
            .filter(|place| Some(self.grids.families[place.family as usize].grid) == of.of.grid);
        let Some(place) = place else {
            self.make_total(atom, all, of)?;
            return Ok(Part::OfMove(Target::Atom(atom), holds));
        };
        if !of.families.contains_key(&place.family) {
            // Its sentences depend on sentences without places alone, so this ends.
            of.families.insert(place.family, FamilyCases::default());
            let mut found = FamilyCases::default();
            let members = self.grids.families[place.family as usize].lanes.clone();
            for (lane, member) in members {
                let Some(bodies) = all.get(&member) else { continue };
                found.present.push(lane);
                let origin = Origin { lane, ..origin };
                for parts in self.fluent_cases(bodies, origin, all, of)? {
                    found.cases.add(parts, lane);
                }
            }
            of.families.insert(place.family, found);
        }
        let offset = place.lane as i32 - origin.lane as i32;
        Ok(Part::OfFluent { family: place.family, offset, holds })
    }

    /// Lets the definition of a sentence that has no place hold for all moves.
    fn make_total(
        &mut self,
        atom: AtomId,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<(), Box<Diagnostic>> {
        if !of.total.insert(atom) {
            return Ok(());
        }
        let target = Target::Atom(atom);
        for (lane, _) in of.of.moves.clone() {
            if self.of_move(atom, lane, all, of)? == Some(true) {
                let order = &mut of.order;
                let made = of.made.entry(target).or_insert_with(|| {
                    order.push(target);
                    Cases::default()
                });
                made.add(Vec::new(), lane);
            }
        }
        Ok(())
    }

    /// The change of a fluent that is true next in these cases, or certainly.
    fn change(&self, fluent: AtomId, origin: Origin, cases: Option<Vec<Vec<Part>>>) -> Next {
        let itself = self.part(GroundLiteral::new(fluent, true), origin);
        match cases {
            None => Next::Grows(vec![Vec::new()]),
            Some(mut cases) if cases.iter().any(|parts| parts[..] == [itself]) => {
                cases.retain(|parts| !parts.contains(&itself));
                if cases.is_empty() { Next::Same } else { Next::Grows(cases) }
            }
            Some(cases) => Next::Is(cases),
        }
    }

    /// Makes the definitions of a block, those that others need first; `None` if they depend on each other in a circle.
    pub(super) fn move_defs(
        &mut self,
        of: &BlockContext,
    ) -> Result<Option<FxHashMap<Target, DefId>>, Box<Diagnostic>> {
        let Some(order) = dependency_order(of) else { return Ok(None) };
        let present = of.present();
        let mut defs = FxHashMap::default();
        for target in order {
            let body = self.cases_formula(&of.made[&target], &present, &defs)?;
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
            defs.insert(target, self.truth_def(name, vars, body, None));
        }
        Ok(Some(defs))
    }

    /// The changes as statements.
    pub(super) fn effect_stmts(
        &mut self,
        effects: Effects,
        of: &BlockContext,
        defs: &FxHashMap<Target, DefId>,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts = self.seen_from_fluents(effects.seen_from_fluents, of, defs)?;
        let none = FxHashMap::default();
        for (family, change) in effects.uniform {
            let Some(&(field, table)) = self.family_fields.get(&family) else { continue };
            let cell = [e(ExprKind::Table(table, vec![var(1)]))];
            let width = i64::from(self.grids.families[family as usize].width);
            let each = |stmts| for_(over(1, (0..width).map(Value::Int).collect()), stmts);
            if !change.stays.is_empty() {
                let becomes = self.cases_formula(&change.becomes, &[], &none)?;
                let becomes = self.uniform_def(family, of, becomes);
                stmts.push(each(vec![if_(becomes, vec![set(field, &cell, truth(true))])]));
            }
            if !change.is_set.is_empty() {
                let is = self.cases_formula(&change.is, &change.is_set, &none)?;
                let value = self.uniform_def(family, of, is);
                let effect = set(field, &cell, value);
                stmts.push(each(match change.is_set.len() == width as usize {
                    true => vec![effect],
                    false => vec![if_(in_lanes(var(1), &change.is_set, &[]), vec![effect])],
                }));
            }
        }
        for (fluent, change) in effects.single {
            let FluentPlace::Cell(field, key) = self.fluents[&fluent] else { continue };
            let cell = Self::keys(key);
            self.change_stmts(change, &[0], &none, &mut stmts, |value| set(field, &cell, value))?;
        }
        let present = of.present();
        for (target, change) in effects.of_move {
            let put: Box<dyn Fn(Expr) -> Stmt> = match target {
                Target::Atom(atom) => {
                    let FluentPlace::Cell(field, key) = self.fluents[&atom] else { continue };
                    let cell = Self::keys(key);
                    Box::new(move |value| set(field, &cell, value))
                }
                Target::Family(family, by) => {
                    let Some(&(field, table)) = self.family_fields.get(&family) else { continue };
                    let cell = [e(ExprKind::Table(table, vec![lane((0, 0), by)]))];
                    Box::new(move |value| set(field, &cell, value))
                }
            };
            self.change_stmts(change, &present, defs, &mut stmts, put)?;
        }
        Ok(stmts)
    }

    /// The changes of fluents that are seen from their places: what depends on the move is bound to variables first.
    fn seen_from_fluents(
        &mut self,
        changes: Vec<(u32, Change)>,
        of: &BlockContext,
        defs: &FxHashMap<Target, DefId>,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts = Vec::new();
        let mut lets: FxHashMap<Target, u32> = FxHashMap::default();
        let cases = changes.iter().flat_map(|(_, change)| [&change.becomes, &change.is]);
        let mut families: Vec<(&u32, &FamilyCases)> = of.families.iter().collect();
        families.sort_unstable_by_key(|(family, _)| **family);
        let cases = cases.chain(families.into_iter().map(|(_, of)| &of.cases));
        for part in cases.flat_map(|cases| cases.iter().flat_map(|(parts, _)| parts)) {
            // What no lane makes true has no definition.
            if let Part::OfMove(target, _) = part
                && let Some(&def) = defs.get(target)
                && !lets.contains_key(target)
            {
                let bound = lets.len() as u32 + 2;
                stmts.push(let_(bound, e(ExprKind::Call(def, vec![var(0)]))));
                lets.insert(*target, bound);
            }
        }
        for (family, change) in changes {
            let Some(&(field, table)) = self.family_fields.get(&family) else { continue };
            let cell = [e(ExprKind::Table(table, vec![var(1)]))];
            let width = i64::from(self.grids.families[family as usize].width);
            let mut inner = Vec::new();
            let none = FxHashMap::default();
            let scope =
                Scope { present: &[], lane: (1, 0), defs: &none, lets: &lets, families: &of.families };
            if !change.stays.is_empty() {
                let becomes = self.cases_in(&change.becomes, scope)?;
                inner.push(if_(becomes, vec![set(field, &cell, truth(true))]));
            }
            if !change.is_set.is_empty() {
                let value = self.cases_in(&change.is, Scope { present: &change.is_set, ..scope })?;
                let effect = set(field, &cell, value);
                inner.push(match change.is_set.len() == width as usize {
                    true => effect,
                    false => if_(in_lanes(var(1), &change.is_set, &[]), vec![effect]),
                });
            }
            stmts.push(for_(over(1, (0..width).map(Value::Int).collect()), inner));
        }
        Ok(stmts)
    }

    /// The statements of a change in lanes of the first variable.
    fn change_stmts(
        &mut self,
        change: Change,
        present: &[u32],
        defs: &FxHashMap<Target, DefId>,
        stmts: &mut Vec<Stmt>,
        put: impl Fn(Expr) -> Stmt,
    ) -> Result<(), Box<Diagnostic>> {
        let under = |condition: Expr, effect: Stmt| match condition.constant() {
            Some(Value::Bool(true)) => effect,
            _ => if_(condition, vec![effect]),
        };
        if !change.stays.is_empty() {
            let becomes = self.cases_formula(&change.becomes, present, defs)?;
            stmts.push(under(becomes, put(truth(true))));
        }
        if !change.is_set.is_empty() {
            let value = self.cases_formula(&change.is, present, defs)?;
            let here = match change.is_set.len() == present.len() {
                true => truth(true),
                false => in_lanes(var(0), &change.is_set, present),
            };
            stmts.push(under(here, put(value)));
        }
        Ok(())
    }

    /// A definition of the place of a fluent, applied to the second variable.
    fn uniform_def(&mut self, family: u32, of: &BlockContext, body: Expr) -> Expr {
        if body.constant().is_some() {
            return body;
        }
        let mut vars = Vars::new();
        let width = self.grids.families[family as usize].width;
        vars.push(Var { name: "k".into(), ty: Type::Int(0, i64::from(width) - 1) });
        let name = format!("next {family} of block {}", of.block + 1);
        let def = self.truth_def(name, vars, body, None);
        e(ExprKind::Call(def, vec![var(1)]))
    }
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
