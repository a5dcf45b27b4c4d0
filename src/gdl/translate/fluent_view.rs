//! Effects seen from the places of fluents: all fluents of a family change in one effect, instead of one effect for
//! each distance from the move.
//!
//! This serves families for which what depends on the move has no place (a number of stones, say) or spreads over the
//! board, as the lines of a capture do. Families that depend on themselves through the move, such as those lines, are
//! unfolded as often as the longest chain of their sentences needs.

use std::rc::Rc;

use bouton_base::cancel;
use bouton_rules::builder::{e, for_, if_, let_, over, set, truth, var};
use bouton_rules::{Expr, ExprKind, Stmt, Value};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Translator;
use super::cases::{Cases, FamilyCases, Origin, Part, Scope, Target, in_lanes};
use super::effects::{Affected, Change};
use super::of_move::{BlockContext, BodiesByMove, MoveDefs, OfHead, Seen};
use crate::grids::GridPlace;
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;
use crate::turns;

/// The minimal number of distances from the move at which fluents of a family change, for effects that are seen from
/// the fluents although all that depends on the move has a place.
const MIN_DISTANCES: usize = 8;
/// The maximal number of stages in which families that depend on themselves through the move are unfolded.
const MAX_STAGES: u32 = 32;
/// The maximal number of conditions of a family with those that it depends on, unfolded.
const MAX_UNFOLDED: usize = 4096;

/// The dependencies of a family through the move.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct FamilyView {
    /// True if some sentence depends on one that has no place.
    has_unplaced: bool,
    /// The families with the sentences that they depend on.
    families: Vec<u32>,
}

impl<'g> Translator<'g> {
    /// Returns true if the conditions of a fluent are better seen from its place than from that of the move.
    pub(super) fn is_seen_from_fluent(
        &mut self,
        place: GridPlace,
        affected: &Affected,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<bool, Box<Diagnostic>> {
        let fluent = self.fluent_of(place);
        let next = fluent.and_then(|fluent| turns::next_of(self.game, &self.sheet.keywords, fluent));
        let Some(bodies) = next.and_then(|next| all.get(&next)) else { return Ok(false) };
        if !bodies.changes || !self.is_of_grid(place, of) || of.of.moves.len() < 2 {
            return Ok(false);
        }
        let (Some(next), Some(grid)) = (next, of.of.grid) else { return Ok(false) };
        let view = all.views.borrow().get(&(next, grid)).cloned();
        let view = view.unwrap_or_else(|| {
            let view = self.view_of(&bodies.changing, of).map(Rc::new);
            all.views.borrow_mut().insert((next, grid), view.clone());
            view
        });
        let Some(view) = view else { return Ok(false) };
        let key = (place.family, view);
        if let Some(&known) = of.seen_from_own_place.get(&key) {
            return Ok(known);
        }
        let found = self.is_view_from_fluent(place.family, &key.1, affected, all, of)?;
        of.seen_from_own_place.insert(key, found);
        Ok(found)
    }

    /// Returns true if fluents of a family with these dependencies are better seen from their places.
    fn is_view_from_fluent(
        &mut self,
        of_fluents: u32,
        view: &FamilyView,
        affected: &Affected,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<bool, Box<Diagnostic>> {
        // All families that it depends on, those of other families included.
        let mut has_unplaced = view.has_unplaced;
        let mut todo = view.families.clone();
        let mut families: FxHashSet<u32> = FxHashSet::default();
        while let Some(family) = todo.pop() {
            cancel::step();
            if families.insert(family) {
                let Some(inner) = self.family_view(family, all, of) else { return Ok(false) };
                has_unplaced |= inner.has_unplaced;
                todo.extend(&inner.families);
            }
        }
        if !has_unplaced && !self.changes_at_many_distances(of_fluents, affected, all, of) {
            return Ok(false);
        }
        let mut families: Vec<u32> = families.into_iter().collect();
        families.sort_unstable();
        for &family in &families {
            self.see_family(family, all, of)?;
        }
        // All families that these depend on have been seen, so that their sizes stay.
        let BlockContext { families: seen, sizes, .. } = of;
        let fits = |family: &u32| {
            let depth = seen[family].depth;
            depth <= MAX_STAGES && unfolded(seen, *family, depth, sizes) <= MAX_UNFOLDED
        };
        Ok(families.iter().all(fits))
    }

    /// The fluent at a place.
    fn fluent_of(&self, place: GridPlace) -> Option<AtomId> {
        let lanes = &self.grids.families[place.family as usize].lanes;
        let at = lanes.binary_search_by_key(&place.lane, |(lane, _)| *lane).ok()?;
        Some(lanes[at].1)
    }

    fn is_of_grid(&self, place: GridPlace, of: &BlockContext) -> bool {
        Some(self.grids.families[place.family as usize].grid) == of.of.grid
    }

    /// The dependencies through these sentences; `None` if one of them is a move.
    fn view_of(&self, changing: &[AtomId], of: &BlockContext) -> Option<FamilyView> {
        let mut view = FamilyView::default();
        for &atom in changing {
            if !self.changing.contains(atom) {
                return None;
            }
            match self.place(atom).filter(|place| self.is_of_grid(*place, of)) {
                Some(place) => view.families.push(place.family),
                None => view.has_unplaced = true,
            }
        }
        view.families.sort_unstable();
        view.families.dedup();
        Some(view)
    }

    /// The dependencies of a family; `None` if one of its sentences is seen from the place of the move alone.
    fn family_view(&self, family: u32, all: &BodiesByMove<'g>, of: &BlockContext) -> Option<Rc<FamilyView>> {
        let key = (family, of.of.grid?);
        if let Some(known) = all.family_views.borrow().get(&key) {
            return known.clone();
        }
        let members = self.grids.families[family as usize].lanes.iter();
        let mut changing: Vec<AtomId> =
            members.filter_map(|(_, member)| all.get(member)).flat_map(|of| &of.changing).copied().collect();
        changing.sort_unstable();
        changing.dedup();
        let view = self.view_of(&changing, of).map(Rc::new);
        all.family_views.borrow_mut().insert(key, view.clone());
        view
    }

    /// Returns true if fluents of a family change at many distances from the move.
    fn changes_at_many_distances(
        &self,
        family: u32,
        affected: &Affected,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> bool {
        if let Some(&known) = of.spreads.get(&family) {
            return known;
        }
        let mut distances: FxHashSet<i32> = FxHashSet::default();
        for &(lane, fluent) in &self.grids.families[family as usize].lanes {
            cancel::step();
            let Some(next) = turns::next_of(self.game, &self.sheet.keywords, fluent) else { continue };
            let moves = match self.stays(fluent, next, all, affected) {
                true => affected.lanes(next, all),
                false => &affected.all,
            };
            distances.extend(moves.iter().map(|&from| lane as i32 - from as i32));
            if distances.len() >= MIN_DISTANCES {
                break;
            }
        }
        let spreads = distances.len() >= MIN_DISTANCES;
        of.spreads.insert(family, spreads);
        spreads
    }

    /// The cases in which a sentence about a place is true after a move, seen from this place.
    pub(super) fn fluent_cases(
        &mut self,
        bodies: &OfHead<'g>,
        origin: Origin,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<Vec<Vec<Part>>, Box<Diagnostic>> {
        let mut found = Vec::new();
        'bodies: for (chosen, body) in self.bodies_of_block(bodies, of) {
            cancel::step();
            let mut parts: Vec<Part> =
                chosen.map(|lane| Part::Moved(lane as i32 - origin.lane as i32)).into_iter().collect();
            for &literal in &body {
                let atom = literal.atom();
                if self.changing.contains(atom) && self.game.certain(atom).is_none() && chosen.is_none() {
                    parts.push(self.seen_from_fluent(literal, origin, all, of)?);
                    continue;
                }
                let lane = chosen.unwrap_or(of.of.moves[0].0);
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

    /// The bodies of a sentence for the moves of a block, each with the place of the move that it needs. A body for each
    /// move, with the same conditions after all of them, needs none.
    fn bodies_of_block(
        &self,
        bodies: &OfHead<'g>,
        of: &BlockContext,
    ) -> Vec<(Option<u32>, Vec<GroundLiteral>)> {
        let mut found: Vec<(Option<u32>, Vec<GroundLiteral>)> =
            bodies.general.iter().map(|body| (None, body.to_vec())).collect();
        let own = of
            .of
            .moves
            .iter()
            .filter_map(|(lane, choice)| Some((*lane, *choice, bodies.by_move.get(choice)?)));
        let own: Vec<(u32, AtomId, &Body)> = own
            .flat_map(|(lane, choice, bodies)| bodies.iter().map(move |body| (lane, choice, *body)))
            .collect();
        let rest = |choice: AtomId, body: &Body| {
            let mut rest: Vec<GroundLiteral> =
                body.iter().copied().filter(|literal| literal.atom() != choice).collect();
            rest.sort_unstable();
            rest
        };
        let mut alike: FxHashMap<Vec<GroundLiteral>, FxHashSet<u32>> = FxHashMap::default();
        for &(lane, choice, body) in own.iter().filter(|_| own.len() >= of.of.moves.len()) {
            alike.entry(rest(choice, body)).or_default().insert(lane);
        }
        let names_move = |literal: &GroundLiteral| self.moves.contains(literal.atom());
        let is_general = |rest: &Vec<GroundLiteral>, lanes: &FxHashSet<u32>| {
            lanes.len() == of.of.moves.len() && !rest.iter().any(names_move)
        };
        let mut made: FxHashSet<Vec<GroundLiteral>> = FxHashSet::default();
        for (lane, choice, body) in own {
            let rest = rest(choice, body);
            match alike.get(&rest) {
                Some(lanes) if is_general(&rest, lanes) => {
                    if made.insert(rest.clone()) {
                        found.push((None, rest));
                    }
                }
                _ => found.push((Some(lane), body.to_vec())),
            }
        }
        found
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
        let Some(place) = self.place(atom).filter(|place| self.is_of_grid(*place, of)) else {
            self.make_total(atom, all, of)?;
            return Ok(Part::OfMove(Target::Atom(atom), holds));
        };
        self.see_family(place.family, all, of)?;
        let offset = place.lane as i32 - origin.lane as i32;
        Ok(Part::OfFluent { family: place.family, offset, holds })
    }

    /// Finds the cases of a family that depends on the move, seen from the places of its sentences.
    fn see_family(
        &mut self,
        family: u32,
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<(), Box<Diagnostic>> {
        if of.families.contains_key(&family) {
            return Ok(());
        }
        // It may depend on itself.
        of.families.insert(family, FamilyCases::default());
        let mut found = FamilyCases::default();
        for (lane, member) in self.grids.families[family as usize].lanes.clone() {
            let Some(bodies) = all.get(&member) else { continue };
            found.present.push(lane);
            found.depth = found.depth.max(self.changing.get(member).copied().unwrap_or(0));
            let origin = Origin { grid: of.of.grid, lane };
            for parts in self.fluent_cases(bodies, origin, all, of)? {
                self.count(1)?;
                found.cases.add(parts, lane);
            }
        }
        of.families.insert(family, found);
        Ok(())
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

    /// The changes of fluents that are seen from their places: what depends on the move is bound to variables first.
    pub(super) fn seen_from_fluents(
        &mut self,
        changes: Vec<(u32, Change)>,
        of: &BlockContext,
        made: &MoveDefs,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts = Vec::new();
        let mut lets: FxHashMap<Target, Expr> = FxHashMap::default();
        let cases = changes.iter().flat_map(|(_, change)| [&change.becomes, &change.is]);
        let mut families: Vec<(&u32, &FamilyCases)> = of.families.iter().collect();
        families.sort_unstable_by_key(|(family, _)| **family);
        let cases = cases.chain(families.into_iter().map(|(_, of)| &of.cases));
        for part in cases.flat_map(|cases| cases.iter().flat_map(|(parts, _)| parts)) {
            // What no lane makes true has no definition.
            if let Part::OfMove(target, _) = part
                && let Some(&def) = made.defs.get(target)
                && !lets.contains_key(target)
            {
                let call = e(ExprKind::Call(def, vec![var(0)]));
                if made.quantified.contains(target) {
                    lets.insert(*target, call);
                    continue;
                }
                let bound = stmts.len() as u32 + 2;
                stmts.push(let_(bound, call));
                lets.insert(*target, var(bound));
            }
        }
        for (family, change) in changes {
            let Some(&(field, table)) = self.family_fields.get(&family) else { continue };
            let cell = [e(ExprKind::Table(table, vec![var(1)]))];
            let width = i64::from(self.grids.families[family as usize].width);
            let mut inner = Vec::new();
            let none = FxHashMap::default();
            let scope = Scope {
                present: &[],
                lane: (1, 0),
                defs: &none,
                lets: &lets,
                families: &of.families,
                depth: None,
            };
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
}

/// The number of conditions of a family in this many stages, with those of the families that it depends on.
fn unfolded(
    families: &FxHashMap<u32, FamilyCases>,
    family: u32,
    depth: u32,
    sizes: &mut FxHashMap<(u32, u32), usize>,
) -> usize {
    if let Some(&known) = sizes.get(&(family, depth)) {
        return known;
    }
    let Some(of) = families.get(&family) else { return 0 };
    let mut size: usize = 1;
    for part in of.cases.iter().flat_map(|(parts, _)| parts) {
        cancel::step();
        let of_part = match *part {
            Part::OfFluent { family, .. } if depth > 0 => {
                let inner = families.get(&family).map_or(0, |of| of.depth).min(depth - 1);
                unfolded(families, family, inner, sizes)
            }
            _ => 1,
        };
        size = size.saturating_add(of_part);
    }
    sizes.insert((family, depth), size);
    size
}
