//! The effects of a block of moves: fluents of the next position as formulas of the place of the move, or, where what
//! depends on the move has no place, of the place of the fluent.

use std::cell::RefCell;

use bouton_base::cancel;
use bouton_rules::builder::{e, for_, if_, over, set, truth, var};
use bouton_rules::{DefId, Expr, ExprKind, Stmt, Type, Value, Var, Vars};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::{Cases, Origin, Part, Target, in_lanes, lane};
use super::counters::CounterSteps;
use super::moves::Nexts;
use super::of_move::{BlockContext, BodiesByMove, MoveDefs, Seen};
use super::{FluentPlace, Translator};
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;

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
    counters: CounterSteps,
}

/// The change of a fluent.
#[derive(Default)]
pub(super) struct Change {
    /// The lanes in which the fluent stays true, and the cases in which it becomes true.
    pub stays: Vec<u32>,
    pub becomes: Cases,
    /// The lanes in which the fluent is true in these cases alone.
    pub is_set: Vec<u32>,
    pub is: Cases,
}

/// The sentences that the moves of a block may affect.
///
/// Most moves make most sentences true that say which places they leave alone. So those that are certainly true after
/// more than half of the moves are assumed to be true, all others that depend on the move are assumed to be false, and a
/// move affects what depends on one for which it is otherwise.
pub(super) struct Affected {
    /// The places of all moves.
    pub all: Vec<u32>,
    /// The sentences that are assumed to be true.
    usual: FxHashSet<AtomId>,
    /// The places of the moves that may affect a sentence, beside those that every move may affect.
    lanes: FxHashMap<AtomId, Vec<u32>>,
    /// The places of those moves that it has other conditions on than the move that a body needs.
    read: FxHashMap<AtomId, Vec<u32>>,
    /// The sentences with a body that needs one of the moves.
    own: FxHashSet<AtomId>,
    /// By the sentence about the next position, what its bodies give under the assumptions that need no move of the role.
    usually: RefCell<FxHashMap<AtomId, Usually>>,
    role: usize,
}

/// The truth of a fluent by its bodies that need no move of the role, where the conditions that depend on the move are as
/// usual.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usually {
    /// The fluent stays as it is.
    Stays,
    /// They do not make it true, unless it is.
    Quiet,
    Changes,
}

impl Affected {
    /// The places of the moves that may affect a sentence, in order.
    pub fn lanes(&self, atom: AtomId, all: &BodiesByMove<'_>) -> &[u32] {
        match all.is_always_affected(self.role, atom) {
            true => &self.all,
            false => self.lanes.get(&atom).map_or(&[], Vec::as_slice),
        }
    }

    /// Returns true if the conditions of a sentence that depend on the move are as usual after the move at a place.
    fn is_as_usual(&self, atom: AtomId, lane: u32, all: &BodiesByMove<'_>) -> bool {
        !all.is_always_affected(self.role, atom)
            && self.read.get(&atom).is_none_or(|lanes| lanes.binary_search(&lane).is_err())
    }
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
        let affected = self.affected(&choices, all, of.of.role);
        let stays = |fluent: AtomId, next: AtomId| {
            affected.lanes(next, all).is_empty() && self.stays(fluent, next, all, &affected)
        };
        // The families of which some fluent may change.
        let mut changing: FxHashSet<u32> = FxHashSet::default();
        for &(fluent, next) in &nexts {
            if let (Some(place), Some(next)) = (self.place(fluent), next)
                && !changing.contains(&place.family)
                && !stays(fluent, next)
            {
                changing.insert(place.family);
            }
        }
        for (fluent, next) in nexts {
            let certain = next.map_or(Some(false), |next| self.game.certain(next));
            let bodies = next.and_then(|next| all.get(&next));
            let has_own = next.is_some_and(|next| affected.own.contains(&next));
            let depends = certain.is_none() && bodies.is_some_and(|bodies| bodies.changes || has_own);
            if self.counter_of(fluent).is_some() {
                self.counter_steps(&mut effects.counters, (fluent, next, depends), all, of)?;
                continue;
            }
            let place = self.place(fluent);
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
            if place.is_some_and(|place| !changing.contains(&place.family)) {
                continue;
            }
            if let (Some(place), Some(bodies)) = (place, bodies)
                && self.is_seen_from_fluent(place, &affected, all, of)?
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
            let lanes = match self.stays(fluent, next, all, &affected) {
                true => affected.lanes(next, all),
                false => &affected.all,
            };
            for &lane in lanes {
                if let Some(choice) = of.choice(lane)
                    && self.is_kept(fluent, next, (lane, choice), (all, &affected))
                {
                    continue;
                }
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

    /// The sentences that the moves of a block may affect.
    fn affected(&self, choices: &[(u32, AtomId)], all: &BodiesByMove<'g>, role: usize) -> Affected {
        let certain: Vec<FxHashSet<AtomId>> =
            choices.iter().map(|&(_, choice)| self.certain_after(choice, all, role)).collect();
        let mut counts: FxHashMap<AtomId, usize> = FxHashMap::default();
        certain.iter().flatten().for_each(|&atom| *counts.entry(atom).or_default() += 1);
        let is_usual = |&(_, count): &(AtomId, usize)| 2 * count > choices.len();
        let mut found = Affected {
            all: choices.iter().map(|&(lane, _)| lane).collect(),
            usual: counts.into_iter().filter(is_usual).map(|(atom, _)| atom).collect(),
            lanes: FxHashMap::default(),
            read: FxHashMap::default(),
            own: FxHashSet::default(),
            usually: RefCell::default(),
            role,
        };
        for (&(lane, choice), certain) in choices.iter().zip(&certain) {
            cancel::step();
            let as_usual = |atom: &AtomId| found.usual.contains(atom) && certain.contains(atom);
            let mut unusual = all.possible_after(role, Some(choice));
            unusual.retain(|atom| !as_usual(atom));
            unusual.extend(found.usual.difference(certain));
            let mut affected = all.readers(choice, &unusual);
            for &atom in &affected {
                found.read.entry(atom).or_default().push(lane);
            }
            affected.extend(all.needing(choice));
            for atom in affected {
                found.lanes.entry(atom).or_default().push(lane);
            }
            found.own.extend(all.needing(choice));
        }
        found
    }

    /// The sentences that need nothing but a move.
    fn certain_after(&self, choice: AtomId, all: &BodiesByMove<'g>, role: usize) -> FxHashSet<AtomId> {
        let holds = |literal: &GroundLiteral| {
            let atom = literal.atom();
            let is_turn = || {
                self.control_of(atom) == Some(role)
                    && matches!(self.fluents.get(atom), Some(FluentPlace::Mover(_)))
            };
            literal.holds() && (atom == choice || is_turn())
        };
        let is_certain = |atom: &AtomId| {
            let bodies = all.get(atom).and_then(|of| of.by_move.get(&choice));
            bodies.is_some_and(|bodies| bodies.iter().any(|body| body.iter().all(holds)))
        };
        all.needing(choice).filter(is_certain).collect()
    }

    /// Returns true if a fluent stays as it is after a move, where the conditions that depend on the move are as usual.
    pub(super) fn stays(
        &self,
        fluent: AtomId,
        next: AtomId,
        all: &BodiesByMove<'g>,
        affected: &Affected,
    ) -> bool {
        self.usually(fluent, next, all, affected) == Usually::Stays
    }

    /// Returns the truth that the bodies of a fluent that need no move of the role usually give.
    fn usually(&self, fluent: AtomId, next: AtomId, all: &BodiesByMove<'g>, affected: &Affected) -> Usually {
        let Some(bodies) = all.get(&next) else { return Usually::Changes };
        *affected.usually.borrow_mut().entry(next).or_insert_with(|| {
            let itself = GroundLiteral::new(fluent, true);
            let mut found = Usually::Quiet;
            for body in &bodies.general {
                cancel::step();
                let mut open: Vec<GroundLiteral> = Vec::new();
                let mut fails = false;
                for &literal in body.iter() {
                    match self.as_usual(literal.atom(), affected) {
                        Some(value) => fails |= value != literal.holds(),
                        None => open.push(literal),
                    }
                }
                if !fails && !open.contains(&itself) {
                    return Usually::Changes;
                }
                if !fails && open == [itself] {
                    found = Usually::Stays;
                }
            }
            found
        })
    }

    /// Returns true if a fluent certainly stays as it is after the move at a place, by a body that needs this move and
    /// the fluent alone, or by another one.
    fn is_kept(
        &self,
        fluent: AtomId,
        next: AtomId,
        of_move: (u32, AtomId),
        of: (&BodiesByMove<'g>, &Affected),
    ) -> bool {
        let ((lane, choice), (all, affected)) = (of_move, of);
        let usually = self.usually(fluent, next, all, affected);
        if usually == Usually::Changes || !affected.is_as_usual(next, lane, all) {
            return false;
        }
        let itself = GroundLiteral::new(fluent, true);
        let own = all.get(&next).and_then(|bodies| bodies.by_move.get(&choice));
        let own = own.map_or(&[][..], Vec::as_slice);
        let is_frame =
            |body: &&Body| body.iter().all(|&literal| literal == itself || literal.atom() == choice);
        own.iter().all(|body| body.contains(&itself))
            && (usually == Usually::Stays || own.iter().any(is_frame))
    }

    /// The truth value of a condition after any move of a role after which the sentences that depend on the move are as
    /// usual; `None` if the position decides.
    fn as_usual(&self, atom: AtomId, affected: &Affected) -> Option<bool> {
        let role = affected.role;
        if let Some(value) = self.game.certain(atom) {
            return Some(value);
        }
        if let Some(place) = self.moves.get(atom) {
            return Some(place.role != role && self.waits(place.role) == Some(atom));
        }
        match self.control_of(atom) {
            Some(player) if player != role => return Some(false),
            Some(_) if matches!(self.fluents.get(atom), Some(FluentPlace::Mover(_))) => return Some(true),
            _ => {}
        }
        self.changing.contains(atom).then(|| affected.usual.contains(&atom))
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

    /// The changes as statements.
    pub(super) fn effect_stmts(
        &mut self,
        effects: Effects,
        of: &BlockContext,
        made: &MoveDefs,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts = self.seen_from_fluents(effects.seen_from_fluents, of, made)?;
        stmts.extend(self.counter_stmts(effects.counters, of, made)?);
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
            let FluentPlace::Cell(field, key) = self.fluents[fluent] else { continue };
            let cell = Self::keys(key);
            self.change_stmts(change, &[0], &none, &mut stmts, |value| set(field, &cell, value))?;
        }
        let present = of.present();
        for (target, change) in effects.of_move {
            let put: Box<dyn Fn(Expr) -> Stmt> = match target {
                Target::Atom(atom) => {
                    let FluentPlace::Cell(field, key) = self.fluents[atom] else { continue };
                    let cell = Self::keys(key);
                    Box::new(move |value| set(field, &cell, value))
                }
                Target::Family(family, by) => {
                    let Some(&(field, table)) = self.family_fields.get(&family) else { continue };
                    let cell = [e(ExprKind::Table(table, vec![lane((0, 0), by)]))];
                    Box::new(move |value| set(field, &cell, value))
                }
            };
            self.change_stmts(change, &present, &made.defs, &mut stmts, put)?;
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
