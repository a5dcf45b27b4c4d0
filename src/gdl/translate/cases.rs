//! Conditions of many sentences at once: what is the same in several lanes of a grid becomes one formula of the lane.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bouton_base::cancel;
use bouton_rules::builder::{add, e, eq, get, int, not, over, truth, val, var};
use bouton_rules::{DefId, Expr, ExprKind, Quant, Type, Value, Var, Vars};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Derived, Translator, all_of, any_of, negation};
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;

/// A condition, seen from a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Part {
    /// The same sentence in all lanes.
    Fixed(GroundLiteral),
    /// The sentence of a family at a distance from the lane.
    Lane { family: u32, offset: i32, holds: bool },
    /// A sentence that depends on the move; the lane is that of the move.
    OfMove(Target, bool),
    /// The place of the move is at this distance from the lane, which is that of a fluent.
    Moved(i32),
    /// The sentence of a family at a distance from the lane, which is that of a fluent, where it depends on the move.
    OfFluent { family: u32, offset: i32, holds: bool },
}

/// The sentences of a family that depend on the move, seen from their own lanes.
#[derive(Debug, Default)]
pub(super) struct FamilyCases {
    pub present: Vec<u32>,
    pub cases: Cases,
    /// The number of stages after which all of its sentences are known.
    pub depth: u32,
}

/// The variables of a formula of cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'s> {
    /// The lanes that matter; all if there are none.
    pub present: &'s [u32],
    /// The variable of the lane, and a number that is added to it.
    pub lane: (u32, i32),
    /// The definitions of what depends on the move.
    pub defs: &'s FxHashMap<Target, DefId>,
    /// The formulas of what depends on the move, where the lane is not that of the move.
    pub lets: &'s FxHashMap<Target, Expr>,
    /// The families that depend on the move, where the lane is that of a fluent.
    pub families: &'s FxHashMap<u32, FamilyCases>,
    /// In the cases of such a family, the number of stages for the families that it depends on.
    pub depth: Option<u32>,
}

/// Sentences, seen from the lane of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Target {
    Atom(AtomId),
    /// The sentence of a family at a distance from the lane.
    Family(u32, i32),
}

/// The lane from which conditions are seen; without a grid, sentences are as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub grid: Option<u32>,
    pub lane: u32,
}

/// The lanes in which sentences are true, with the conditions there.
#[derive(Debug, Default)]
pub(super) struct Cases {
    lanes: FxHashMap<Vec<Part>, Vec<u32>>,
    order: Vec<Vec<Part>>,
}

impl Cases {
    /// Adds a conjunction in a lane; lanes come in order.
    pub fn add(&mut self, mut parts: Vec<Part>, lane: u32) {
        parts.sort_unstable();
        parts.dedup();
        let order = &mut self.order;
        let lanes = self.lanes.entry(parts).or_insert_with_key(|parts| {
            order.push(parts.clone());
            Vec::new()
        });
        if lanes.last() != Some(&lane) {
            lanes.push(lane);
        }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The conjunctions with their lanes.
    pub fn iter(&self) -> impl Iterator<Item = (&[Part], &[u32])> {
        self.order.iter().map(|parts| (&parts[..], &self.lanes[parts][..]))
    }
}

/// Conditions in order.
type Conjunction = Vec<GroundLiteral>;

/// The lane from which a body is seen, and the number of the body.
type LaneOfBody = (u32, usize);

/// A distance from the move, with the lanes of the moves.
type Distance<'l> = (i32, &'l [u32]);

/// A family and further conditions, with the distances at which a sentence of the family is to be true.
type OfFamily<'l> = ((u32, Vec<Part>), Vec<Distance<'l>>);

/// The minimal number of conjunctions of one form that become a formula with a variable.
const MIN_ALIKE: usize = 4;

/// The conditions that many cases have in common: the one of the most cases is taken first, with its cases.
struct CommonParts {
    /// The cases with each condition, if they are many.
    cases: FxHashMap<Part, Vec<usize>>,
    /// The conditions by the number of cases that had them; the numbers only fall.
    order: BinaryHeap<(usize, Reverse<Part>)>,
    taken: Vec<bool>,
}

impl CommonParts {
    fn new(cases: &[(Vec<Part>, &[u32])]) -> CommonParts {
        let mut of_part: FxHashMap<Part, Vec<usize>> = FxHashMap::default();
        if cases.len() >= MIN_ALIKE {
            for (at, (parts, _)) in cases.iter().enumerate() {
                parts.iter().for_each(|part| of_part.entry(*part).or_default().push(at));
            }
            of_part.retain(|_, cases| cases.len() >= MIN_ALIKE);
        }
        let order = of_part.iter().map(|(part, cases)| (cases.len(), Reverse(*part))).collect();
        CommonParts { cases: of_part, order, taken: vec![false; cases.len()] }
    }

    /// The condition that the most of the cases that are left have, if they are many.
    fn most(&mut self) -> Option<Part> {
        while let Some((count, Reverse(part))) = self.order.pop() {
            let Some(cases) = self.cases.get_mut(&part) else { continue };
            cases.retain(|&at| !self.taken[at]);
            if cases.len() == count {
                return Some(part);
            }
            if cases.len() >= MIN_ALIKE {
                self.order.push((cases.len(), Reverse(part)));
            }
        }
        None
    }

    /// Takes the cases that are left with a condition.
    fn take(&mut self, part: Part) -> Vec<usize> {
        let mut cases = self.cases.remove(&part).unwrap_or_default();
        cases.retain(|&at| !std::mem::replace(&mut self.taken[at], true));
        cases
    }
}

impl Translator<'_> {
    /// A condition that does not depend on the move, seen from a lane.
    pub(super) fn part(&self, literal: GroundLiteral, origin: Origin) -> Part {
        let literal = self.resolve(literal);
        let place = self.place(literal.atom());
        match (origin.grid, place) {
            (Some(grid), Some(place)) if self.grids.families[place.family as usize].grid == grid => {
                let offset = place.lane as i32 - origin.lane as i32;
                Part::Lane { family: place.family, offset, holds: literal.holds() }
            }
            _ => Part::Fixed(literal),
        }
    }

    /// The condition that a condition is the same as.
    fn resolve(&self, mut literal: GroundLiteral) -> GroundLiteral {
        while let Some(Derived::Alias(other)) = self.derived.get(literal.atom()) {
            literal = GroundLiteral::new(other.atom(), other.holds() == literal.holds());
        }
        literal
    }

    pub(super) fn parts(&self, body: &[GroundLiteral], origin: Origin) -> Vec<Part> {
        body.iter().map(|&literal| self.part(literal, origin)).collect()
    }

    /// The cases as a formula with the lane as its first variable. `present` are the lanes that matter, all if there are
    /// none; `defs` has the definitions of what depends on the move.
    pub(super) fn cases_formula(
        &mut self,
        cases: &Cases,
        present: &[u32],
        defs: &FxHashMap<Target, DefId>,
    ) -> Result<Expr, Box<Diagnostic>> {
        let (lets, families) = (FxHashMap::default(), FxHashMap::default());
        let scope = Scope { present, lane: (0, 0), defs, lets: &lets, families: &families, depth: None };
        self.cases_in(cases, scope)
    }

    /// The cases of a sentence that has no place as a formula of the place of the move: cases that differ in a distance
    /// alone become one formula of some place, which is at one of the distances. `None` if there are no such cases.
    ///
    /// Thereby the places around a move are found once, and not anew for each family that the cases ask about.
    pub(super) fn somewhere(
        &mut self,
        cases: &Cases,
        present: &[u32],
        defs: &FxHashMap<Target, DefId>,
    ) -> Result<Option<Expr>, Box<Diagnostic>> {
        // By family and further conditions: the distances, with the lanes of the moves.
        let mut alike: Vec<OfFamily<'_>> = Vec::new();
        let mut rest = Cases::default();
        for (parts, lanes) in cases.iter() {
            cancel::step();
            let at = parts.iter().position(|part| matches!(part, Part::Lane { holds: true, .. }));
            let others: Vec<Part> = parts
                .iter()
                .enumerate()
                .filter(|(other, _)| Some(*other) != at)
                .map(|(_, part)| *part)
                .collect();
            let has_place = |part: &Part| !matches!(part, Part::Fixed(_) | Part::OfMove(..));
            match at.map(|at| parts[at]) {
                Some(Part::Lane { family, offset, .. }) if !others.iter().any(has_place) => {
                    let key = (family, others);
                    match alike.iter_mut().find(|(of, _)| *of == key) {
                        Some((_, distances)) => distances.push((offset, lanes)),
                        None => alike.push((key, vec![(offset, lanes)])),
                    }
                }
                _ => lanes.iter().for_each(|lane| rest.add(parts.to_vec(), *lane)),
            }
        }
        if alike.iter().all(|(_, distances)| distances.len() < MIN_ALIKE) {
            return Ok(None);
        }
        let (lets, families) = (FxHashMap::default(), FxHashMap::default());
        let scope = Scope { present, lane: (0, 0), defs, lets: &lets, families: &families, depth: None };
        let mut found = Vec::new();
        for ((family, others), distances) in alike {
            self.count(others.len() + 3 * distances.len())?;
            let others: Result<Vec<Expr>, _> =
                others.into_iter().map(|part| self.part_formula(part, scope)).collect();
            let mut all = others?;
            let near = distances.iter().map(|&(offset, lanes)| {
                let places: Vec<u32> =
                    lanes.iter().filter_map(|lane| lane.checked_add_signed(offset)).collect();
                all_of(vec![in_lanes(var(1), &places, &[]), eq(lane((1, 0), -offset), var(0))])
            });
            let near = any_of(near.collect());
            let width = i64::from(self.grids.families[family as usize].width);
            let inside = all_of(vec![near, self.in_family(family, var(1))]);
            let binder = over(1, (0..width).map(Value::Int).collect());
            all.push(e(ExprKind::Quant(Quant::Some, vec![binder], inside)));
            found.push(all_of(all));
        }
        if rest.len() > 0 {
            found.push(self.cases_in(&rest, scope)?);
        }
        Ok(Some(any_of(found)))
    }

    /// A condition as a formula of the place of the move.
    pub(super) fn move_part(
        &mut self,
        part: Part,
        present: &[u32],
        defs: &FxHashMap<Target, DefId>,
    ) -> Result<Expr, Box<Diagnostic>> {
        let (lets, families) = (FxHashMap::default(), FxHashMap::default());
        let scope = Scope { present, lane: (0, 0), defs, lets: &lets, families: &families, depth: None };
        self.part_formula(part, scope)
    }

    /// The cases as a formula of the variables of a scope.
    pub(super) fn cases_in(&mut self, cases: &Cases, scope: Scope<'_>) -> Result<Expr, Box<Diagnostic>> {
        let cases: Vec<(Vec<Part>, &[u32])> =
            cases.iter().map(|(parts, lanes)| (parts.to_vec(), lanes)).collect();
        self.count(cases.iter().map(|(parts, _)| parts.len() + 2).sum())?;
        self.any_case(cases, scope)
    }

    /// The formula that one of the cases holds. What many cases have in common stands before the rest of them.
    fn any_case(
        &mut self,
        mut cases: Vec<(Vec<Part>, &[u32])>,
        scope: Scope<'_>,
    ) -> Result<Expr, Box<Diagnostic>> {
        let mut found = Vec::new();
        let mut common = CommonParts::new(&cases);
        while let Some(part) = common.most() {
            cancel::step();
            let having = common.take(part);
            let rest = |at: usize| {
                let (parts, lanes) = &mut cases[at];
                parts.retain(|other| *other != part);
                (std::mem::take(parts), *lanes)
            };
            let inner = self.any_case(having.into_iter().map(rest).collect(), scope)?;
            let outer = self.part_formula(part, scope)?;
            found.push(all_of(vec![outer, inner]));
        }
        for (at, (parts, lanes)) in cases.into_iter().enumerate() {
            if common.taken[at] {
                continue;
            }
            let mut all: Vec<Expr> = Vec::new();
            if lanes.len() != scope.present.len() {
                all.push(in_lanes(lane(scope.lane, 0), lanes, scope.present));
            }
            for part in parts {
                all.push(self.part_formula(part, scope)?);
            }
            found.push(all_of(all));
        }
        Ok(any_of(found))
    }

    fn part_formula(&mut self, part: Part, scope: Scope<'_>) -> Result<Expr, Box<Diagnostic>> {
        let (formula, holds) = match part {
            Part::Fixed(literal) => return Ok(self.literal(literal)),
            Part::Lane { family, offset, holds } => (self.in_family(family, lane(scope.lane, offset)), holds),
            Part::OfMove(target, holds) => match (scope.lets.get(&target), scope.defs.get(&target)) {
                (Some(of), _) => (of.clone(), holds),
                (None, Some(&def)) => {
                    let args = if scope.present.len() > 1 { vec![var(0)] } else { Vec::new() };
                    (e(ExprKind::Call(def, args)), holds)
                }
                (None, None) => (truth(false), holds),
            },
            Part::Moved(offset) => return Ok(eq(lane(scope.lane, offset), var(0))),
            Part::OfFluent { family, offset, holds } => match (scope.families.get(&family), scope.depth) {
                // No sentence depends on others at the last stage.
                (None, _) | (_, Some(0)) => (truth(false), holds),
                (Some(of), depth) => {
                    let lane = (scope.lane.0, scope.lane.1 + offset);
                    let depth = Some(depth.map_or(of.depth, |depth| of.depth.min(depth - 1)));
                    (self.cases_in(&of.cases, Scope { present: &of.present, lane, depth, ..scope })?, holds)
                }
            },
        };
        Ok(if holds { formula } else { negation(formula) })
    }

    /// The sentence of a family in a lane.
    pub(super) fn in_family(&self, family: u32, lane: Expr) -> Expr {
        if let Some(&counter) = self.counters.get(&family) {
            return self.counts(counter, lane);
        }
        if let Some(&(field, table)) = self.family_fields.get(&family) {
            return get(field, &[e(ExprKind::Table(table, vec![lane]))]);
        }
        match self.family_defs.get(&family) {
            Some(&def) => e(ExprKind::Call(def, vec![lane])),
            None => truth(false),
        }
    }

    /// The formula that one of the bodies holds.
    pub(super) fn disjunction(&mut self, bodies: &[Body]) -> Result<Expr, Box<Diagnostic>> {
        let resolved = |body: &Body| {
            let mut body: Vec<GroundLiteral> = body.iter().map(|&literal| self.resolve(literal)).collect();
            body.sort_unstable();
            body.dedup();
            body
        };
        let mut bodies: Vec<Vec<GroundLiteral>> = bodies.iter().map(resolved).collect();
        bodies.sort_unstable();
        bodies.dedup();
        self.any_body(bodies)
    }

    /// The formula that one of these bodies holds: what all of them have in common comes first, and those that are all
    /// combinations of two sets of conditions are the conjunction of two formulas.
    fn any_body(&mut self, mut bodies: Vec<Vec<GroundLiteral>>) -> Result<Expr, Box<Diagnostic>> {
        cancel::step();
        if bodies.len() >= MIN_ALIKE {
            let mut common = bodies[0].clone();
            common.retain(|literal| bodies.iter().all(|body| body.binary_search(literal).is_ok()));
            if !common.is_empty() && bodies.iter().all(|body| body.len() > common.len()) {
                bodies.iter_mut().for_each(|body| body.retain(|literal| !common.contains(literal)));
                let (common, rest) = (self.conjunction(&common)?, self.any_body(bodies)?);
                return Ok(all_of(vec![common, rest]));
            }
            if let Some((some, others)) = product(&bodies) {
                let (some, others) = (self.any_body(some)?, self.any_body(others)?);
                return Ok(all_of(vec![some, others]));
            }
        }
        self.any_alike(&bodies)
    }

    /// The formula that one of these bodies holds. Bodies that are alike but for their places become one formula.
    fn any_alike(&mut self, bodies: &[Vec<GroundLiteral>]) -> Result<Expr, Box<Diagnostic>> {
        // By the family of the first place, and the conditions seen from it: the lanes and the bodies.
        let mut alike: FxHashMap<(u32, Vec<Part>), Vec<LaneOfBody>> = FxHashMap::default();
        for (at, body) in bodies.iter().enumerate() {
            let places = body.iter().filter_map(|literal| self.place(literal.atom()));
            let Some(anchor) = places.min_by_key(|place| (place.family, place.lane)) else { continue };
            let grid = self.grids.families[anchor.family as usize].grid;
            let mut parts = self.parts(body, Origin { grid: Some(grid), lane: anchor.lane });
            parts.sort_unstable();
            alike.entry((anchor.family, parts)).or_default().push((anchor.lane, at));
        }
        let mut groups: Vec<(usize, u32, Vec<Part>, Vec<u32>)> = Vec::new();
        let mut grouped = vec![false; bodies.len()];
        for ((family, parts), members) in alike {
            if members.len() >= MIN_ALIKE {
                members.iter().for_each(|&(_, at)| grouped[at] = true);
                let mut lanes: Vec<u32> = members.iter().map(|&(lane, _)| lane).collect();
                lanes.sort_unstable();
                groups.push((members[0].1, family, parts, lanes));
            }
        }
        groups.sort_unstable_by_key(|group| group.0);
        let mut found = Vec::new();
        for (_, family, parts, lanes) in groups {
            self.count(parts.len() + 3)?;
            let (defs, lets, families) = Default::default();
            let scope = Scope {
                present: &[],
                lane: (0, 0),
                defs: &defs,
                lets: &lets,
                families: &families,
                depth: None,
            };
            let all: Result<Vec<Expr>, _> =
                parts.iter().map(|&part| self.part_formula(part, scope)).collect();
            found.push(self.quantified(Quant::Some, family, &lanes, all_of(all?)));
        }
        for (body, _) in bodies.iter().zip(&grouped).filter(|(_, grouped)| !**grouped) {
            found.push(self.conjunction(body)?);
        }
        Ok(any_of(found))
    }

    /// The formula that all conditions hold. Those of many sentences of one family become one formula.
    pub(super) fn conjunction(&mut self, body: &[GroundLiteral]) -> Result<Expr, Box<Diagnostic>> {
        self.count(body.len() + 1)?;
        let mut of_family: Vec<((u32, bool), Vec<u32>)> = Vec::new();
        let mut parts: Vec<Expr> = Vec::new();
        for &literal in body {
            let literal = self.resolve(literal);
            let Some(place) = self.place(literal.atom()) else {
                parts.push(self.literal(literal));
                continue;
            };
            let key = (place.family, literal.holds());
            match of_family.iter_mut().find(|(of, _)| *of == key) {
                Some((_, lanes)) => lanes.push(place.lane),
                None => of_family.push((key, vec![place.lane])),
            }
        }
        for ((family, holds), mut lanes) in of_family {
            if lanes.len() >= MIN_ALIKE {
                lanes.sort_unstable();
                let quant = if holds { Quant::All } else { Quant::No };
                let inside = self.in_family(family, var(0));
                parts.push(self.quantified(quant, family, &lanes, inside));
            } else {
                for lane in lanes {
                    let formula = self.in_family(family, int(i64::from(lane)));
                    parts.push(if holds { formula } else { negation(formula) });
                }
            }
        }
        Ok(all_of(parts))
    }

    /// The formula that some, all or none of the lanes satisfy a formula of the first variable, as a definition.
    fn quantified(&mut self, quant: Quant, family: u32, lanes: &[u32], body: Expr) -> Expr {
        let width = self.grids.families[family as usize].width;
        let values = (0..i64::from(width)).map(Value::Int).collect();
        let inside = (lanes.len() != width as usize).then(|| in_lanes(var(0), lanes, &[]));
        let mut binder = over(0, values);
        binder.condition = inside;
        let mut vars = Vars::new();
        vars.push(Var { name: "k".into(), ty: Type::Int(0, i64::from(width) - 1) });
        let word = match quant {
            Quant::Some => "some",
            Quant::All => "all",
            Quant::No => "no",
        };
        self.quantifiers += 1;
        let name = format!("{word} place {}", self.quantifiers);
        let body = e(ExprKind::Quant(quant, vec![binder], body));
        let def = self.truth_def(name, vars, body, None);
        self.builder.rules.defs[def].params = Vec::new();
        e(ExprKind::Call(def, Vec::new()))
    }
}

/// Two sets of conditions whose combinations are these bodies, if there are such sets.
fn product(bodies: &[Conjunction]) -> Option<(Vec<Conjunction>, Vec<Conjunction>)> {
    bodies[0].iter().find_map(|first| {
        let without = |literal: &GroundLiteral| -> Vec<Conjunction> {
            let having = bodies.iter().filter(|body| body.contains(literal));
            having.map(|body| body.iter().copied().filter(|other| other != literal).collect()).collect()
        };
        let rest = without(first);
        if rest.len() < 2 || rest.iter().any(Vec::is_empty) || !bodies.len().is_multiple_of(rest.len()) {
            return None;
        }
        let count = bodies.len() / rest.len();
        let mut some: Vec<GroundLiteral> = vec![*first];
        let inside: FxHashSet<GroundLiteral> = rest.iter().flatten().copied().collect();
        for body in bodies {
            cancel::step();
            let mut own = body.iter().filter(|literal| !inside.contains(literal));
            match (own.next(), own.next()) {
                (Some(literal), None) if some.contains(literal) => {}
                (Some(literal), None) if some.len() < count => some.push(*literal),
                _ => return None,
            }
        }
        let all_alike = some.len() == count && some.iter().all(|literal| without(literal) == rest);
        (count > 1 && all_alike).then(|| (some.into_iter().map(|literal| vec![literal]).collect(), rest))
    })
}

/// The place at a distance from the lane: the sum of a variable and a number.
pub(super) fn lane(from: (u32, i32), offset: i32) -> Expr {
    let (variable, from) = from;
    match from + offset {
        0 => var(variable),
        sum => add(var(variable), int(i64::from(sum))),
    }
}

/// The condition that a place is one of these lanes; it may have any value where no lane is present.
pub(super) fn in_lanes(place: Expr, lanes: &[u32], present: &[u32]) -> Expr {
    let absent = || present.iter().filter(|lane| !lanes.contains(lane));
    match lanes {
        [] => truth(false),
        [lane] => eq(place, int(i64::from(*lane))),
        _ if absent().count() == 1 => {
            let other = absent().next().copied().unwrap_or(0);
            not(eq(place, int(i64::from(other))))
        }
        _ => {
            let set = Value::set(lanes.iter().map(|&lane| Value::Int(i64::from(lane))));
            e(ExprKind::In(place, val(set)))
        }
    }
}
