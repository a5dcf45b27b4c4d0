//! Counters: families of fluents of which at most one holds, such as `(step 7)`, as fields of numbers.
//!
//! So a counter of 200 steps takes 8 bits of a position instead of 200, and a step is an addition. A family is a counter
//! if at most one of its fluents holds at first, if each rule for one of them in the next position needs exactly one of
//! the present position, and if no two rules that need the same one and lead to different ones apply together: they
//! need different moves of one role, or the moves of different roles of which one waits.

use std::collections::BTreeMap;
use std::rc::Rc;

use bouton_base::cancel;
use bouton_rules::builder::{add, at, e, eq, get, int, set, val};
use bouton_rules::{Expr, ExprKind, Field, FieldId, Stmt, Type, Value};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::{Origin, Part, in_lanes};
use super::of_move::{BlockContext, BodiesByMove, MoveDefs, Seen};
use super::{FluentPlace, Translator, all_of};
use crate::ground::{AtomId, GroundLiteral};
use crate::names::FluentName;
use crate::turns::{self, Turns};

/// The minimal number of fluents of a counter.
const MIN_VALUES: usize = 8;

/// The number of rules, one on another, through which the choices that a body needs are followed.
const MAX_DEPTH: usize = 3;

/// The choices of which sentences need one; `None` for those that need none.
type Needed = FxHashMap<AtomId, Option<Rc<Vec<AtomId>>>>;

/// The field of a counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub field: FieldId,
    /// The number of the fluent in lane 0.
    base: i64,
    /// The value that stands for no fluent.
    none: i64,
}

/// The changes of a counter by the moves of a block: by the conditions and the distance from the old lane to the new
/// one, the old lanes with the places of the moves.
type Steps = BTreeMap<(Vec<Part>, i32), BTreeMap<u32, Vec<u32>>>;

/// The changes of counters by the moves of a block, by family.
pub(super) type CounterSteps = BTreeMap<u32, Steps>;

impl<'g> Translator<'g> {
    /// Finds the families of fluents that are counters.
    pub(super) fn find_counters(&self) -> FxHashSet<u32> {
        let of = &self.sheet.keywords;
        let mut found = FxHashSet::default();
        for family in 0..self.grids.families.len() as u32 {
            let lanes = &self.grids.families[family as usize].lanes;
            let is_fluent = |atom: AtomId| {
                self.game.facts.relation(atom) == of.true_
                    && self.place(atom).is_some_and(|place| place.family == family)
            };
            let initial = lanes.iter().filter(|(_, atom)| turns::is_initial(self.game, of, *atom)).count();
            if lanes.len() >= MIN_VALUES
                && lanes.iter().all(|(_, atom)| is_fluent(*atom))
                && initial <= 1
                && self.steps_alone(lanes)
            {
                found.insert(family);
            }
        }
        found
    }

    /// Returns true if each of these fluents leads to at most one of them in any step of the game.
    fn steps_alone(&self, lanes: &[(u32, AtomId)]) -> bool {
        let of = &self.sheet.keywords;
        let members: FxHashSet<AtomId> = lanes.iter().map(|(_, atom)| *atom).collect();
        let alternates = matches!(self.turns, Turns::Alternating(_));
        // By the old fluent: the new ones by the move that they need, and those that need none.
        let mut by_move: FxHashMap<(AtomId, AtomId), AtomId> = FxHashMap::default();
        let mut targets: FxHashMap<AtomId, FxHashSet<AtomId>> = FxHashMap::default();
        let mut needs_none: FxHashSet<AtomId> = FxHashSet::default();
        let mut role: Option<usize> = None;
        let mut needed = Needed::default();
        for &(_, target) in lanes {
            let Some(next) = turns::next_of(self.game, of, target) else { continue };
            match self.game.certain(next) {
                Some(true) => return false,
                Some(false) => continue,
                None => {}
            }
            for body in self.game.bodies(next) {
                cancel::step();
                let mut sources = body
                    .iter()
                    .filter(|literal| literal.holds() && members.contains(&literal.atom()))
                    .map(|literal| literal.atom());
                let (Some(source), None) = (sources.next(), sources.next()) else { return false };
                targets.entry(source).or_default().insert(target);
                let Some(choices) = self.needed_choices(body, MAX_DEPTH, &mut needed) else {
                    needs_none.insert(source);
                    continue;
                };
                for &choice in choices.iter() {
                    // Choices of several roles exclude each other in turns alone.
                    let of_role = self.moves[choice].role;
                    if !alternates && *role.get_or_insert(of_role) != of_role {
                        return false;
                    }
                    if *by_move.entry((source, choice)).or_insert(target) != target {
                        return false;
                    }
                }
            }
        }
        needs_none.iter().all(|source| targets[source].len() == 1)
    }

    /// The choices of which a body needs one; `None` if it needs none, or if they are not found.
    fn needed_choices(
        &self,
        body: &[GroundLiteral],
        depth: usize,
        known: &mut Needed,
    ) -> Option<Rc<Vec<AtomId>>> {
        let positive = || body.iter().filter(|literal| literal.holds()).map(|literal| literal.atom());
        let is_choice =
            |atom: &AtomId| self.moves.get(*atom).is_some_and(|place| self.waits(place.role) != Some(*atom));
        if let Some(choice) = positive().find(is_choice) {
            return Some(Rc::new(vec![choice]));
        }
        for atom in positive().filter(|_| depth > 0) {
            if !known.contains_key(&atom) {
                let mut choices = Some(Vec::new());
                for body in self.game.bodies(atom) {
                    cancel::step();
                    match (&mut choices, self.needed_choices(body, depth - 1, known)) {
                        (Some(all), Some(own)) => all.extend(own.iter().copied()),
                        _ => choices = None,
                    }
                    if choices.is_none() {
                        break;
                    }
                }
                // A sentence without rules needs nothing.
                let choices = choices.filter(|choices| !choices.is_empty()).map(|mut choices| {
                    choices.sort_unstable();
                    choices.dedup();
                    Rc::new(choices)
                });
                known.insert(atom, choices);
            }
            if let Some(Some(choices)) = known.get(&atom) {
                return Some(choices.clone());
            }
        }
        None
    }

    /// Makes the field of a counter.
    pub(super) fn counter_field(&mut self, name: String, family: u32, lanes: &[(u32, AtomId)]) {
        let width = i64::from(self.grids.families[family as usize].width);
        let number = |&(lane, atom): &(u32, AtomId)| {
            let term = self.game.terms.get(self.game.facts.args(atom)[0]);
            let numbers = term.args.iter().map(|&arg| self.render(arg).parse::<i64>());
            Some(numbers.flatten().next_back()? - i64::from(lane))
        };
        // The numbers of the sheet, where the fluents have some.
        let bases: Option<FxHashSet<i64>> = lanes.iter().map(number).collect();
        let base = match bases {
            Some(bases) if bases.len() == 1 => bases.into_iter().next().unwrap_or(0),
            _ => 0,
        };
        let none = base + width;
        let is_first = |(_, atom): &&(u32, AtomId)| turns::is_initial(self.game, &self.sheet.keywords, *atom);
        let first = lanes.iter().find(is_first).map_or(none, |(lane, _)| base + i64::from(*lane));
        let visibility = self.visibility();
        let field = self.builder.rules.fields.push(Field {
            name,
            keys: Vec::new(),
            ty: Type::Int(base, none),
            init: vec![Value::Int(first)],
            transient: false,
            visibility,
            doc: Vec::new(),
            span: at(0),
        });
        self.counters.insert(family, Counter { field, base, none });
        for &(lane, atom) in lanes {
            self.fluents.insert(atom, FluentPlace::Counter(family, lane));
            let term = self.render(self.game.facts.args(atom)[0]);
            let value = Value::Int(base + i64::from(lane));
            self.names.fluents.push(FluentName { term, field, cell: 0, value });
        }
    }

    /// The fluent of a counter in a lane as a formula.
    pub(super) fn counts(&self, of: Counter, lane: Expr) -> Expr {
        let number = match (lane.constant(), of.base) {
            (_, 0) => lane,
            (Some(Value::Int(lane)), base) => int(lane + base),
            (_, base) => add(lane, int(base)),
        };
        eq(get(of.field, &[]), number)
    }

    /// The family of a fluent and its lane there, if it is one of a counter.
    pub(super) fn counter_of(&self, fluent: AtomId) -> Option<(u32, u32)> {
        match self.fluents.get(fluent) {
            Some(FluentPlace::Counter(family, lane)) => Some((*family, *lane)),
            _ => None,
        }
    }

    /// Adds the cases in which a fluent of a counter is true after the moves of a block.
    pub(super) fn counter_steps(
        &mut self,
        steps: &mut CounterSteps,
        change: (AtomId, Option<AtomId>, bool),
        all: &BodiesByMove<'g>,
        of: &mut BlockContext,
    ) -> Result<(), Box<Diagnostic>> {
        let (fluent, next, depends_on_move) = change;
        let Some((family, to)) = self.counter_of(fluent) else { return Ok(()) };
        let steps = steps.entry(family).or_default();
        let Some(next) = next.filter(|&next| self.game.certain(next).is_none()) else { return Ok(()) };
        let moves = of.of.moves.clone();
        let different = if depends_on_move { moves.len() } else { 1 };
        for &(lane, _) in &moves[..different] {
            let seen = Seen { lane, origin: Origin { grid: None, lane } };
            for parts in self.next_cases(next, seen, all, of)?.unwrap_or_default() {
                self.count(1)?;
                let source = |part: &Part| match part {
                    Part::Fixed(literal) if literal.holds() => {
                        self.counter_of(literal.atom()).filter(|(other, _)| *other == family)
                    }
                    _ => None,
                };
                let Some((_, from)) = parts.iter().find_map(source) else { continue };
                let mut rest: Vec<Part> = parts.into_iter().filter(|part| source(part).is_none()).collect();
                rest.sort_unstable();
                let lanes =
                    steps.entry((rest, to as i32 - from as i32)).or_default().entry(from).or_default();
                match depends_on_move {
                    true => lanes.push(lane),
                    false => lanes.extend(moves.iter().map(|(lane, _)| lane)),
                }
            }
        }
        Ok(())
    }

    /// The effects on counters of the moves of a block.
    pub(super) fn counter_stmts(
        &mut self,
        steps: CounterSteps,
        of: &BlockContext,
        made: &MoveDefs,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let present = of.present();
        let mut stmts = Vec::new();
        for (family, steps) in steps {
            let counter = self.counters[&family];
            let mut found = Vec::new();
            for ((rest, offset), by_source) in steps {
                // The old lanes in which the same moves make the step.
                let mut alike: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
                for (from, mut lanes) in by_source {
                    lanes.sort_unstable();
                    lanes.dedup();
                    alike.entry(lanes).or_default().push(from);
                }
                for (lanes, sources) in alike {
                    let mut parts = Vec::new();
                    if lanes.len() != present.len() {
                        parts.push(in_lanes(bouton_rules::builder::var(0), &lanes, &present));
                    }
                    for &part in &rest {
                        parts.push(self.move_part(part, &present, &made.defs)?);
                    }
                    found.push((sources, offset, parts));
                }
            }
            stmts.push(self.counter_stmt(counter, found));
        }
        Ok(stmts)
    }

    /// The effects of all choices together on counters.
    pub(super) fn joint_counter_stmts(&mut self) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut families: Vec<u32> = self.counters.keys().copied().collect();
        families.sort_unstable();
        let mut stmts = Vec::new();
        for family in families {
            let counter = self.counters[&family];
            // By the conditions and the distance: the old lanes.
            let mut steps: BTreeMap<(Vec<GroundLiteral>, i32), Vec<u32>> = BTreeMap::new();
            for (to, fluent) in self.grids.families[family as usize].lanes.clone() {
                let next = turns::next_of(self.game, &self.sheet.keywords, fluent);
                let Some(next) = next.filter(|&next| self.game.certain(next).is_none()) else { continue };
                for body in self.game.bodies(next) {
                    cancel::step();
                    let source = |literal: &GroundLiteral| {
                        let of = self.counter_of(literal.atom()).filter(|(other, _)| *other == family);
                        of.filter(|_| literal.holds())
                    };
                    let Some((_, from)) = body.iter().find_map(source) else { continue };
                    let mut rest: Vec<GroundLiteral> =
                        body.iter().copied().filter(|literal| source(literal).is_none()).collect();
                    rest.sort_unstable();
                    steps.entry((rest, to as i32 - from as i32)).or_default().push(from);
                }
            }
            let mut found = Vec::new();
            for ((rest, offset), mut sources) in steps {
                sources.sort_unstable();
                sources.dedup();
                let condition = self.conjunction(&rest)?;
                found.push((sources, offset, vec![condition]));
            }
            stmts.push(self.counter_stmt(counter, found));
        }
        Ok(stmts)
    }

    /// The effect that moves a counter from old lanes by a distance under conditions, the first that hold; otherwise no
    /// fluent holds.
    fn counter_stmt(&self, of: Counter, steps: Vec<(Vec<u32>, i32, Vec<Expr>)>) -> Stmt {
        let old = || get(of.field, &[]);
        let mut value = int(of.none);
        for (sources, offset, mut parts) in steps.into_iter().rev() {
            let (first, last) = (sources[0], sources[sources.len() - 1]);
            let number = |lane: u32| i64::from(lane) + of.base;
            let inside = match last - first + 1 == sources.len() as u32 {
                _ if sources.len() == 1 => eq(old(), int(number(first))),
                true if number(last) + 1 == of.none && first == 0 => {
                    bouton_rules::builder::not(eq(old(), int(of.none)))
                }
                true if first == 0 => e(ExprKind::LessEqual(old(), int(number(last)))),
                true => bouton_rules::builder::and(&[
                    e(ExprKind::LessEqual(int(number(first)), old())),
                    e(ExprKind::LessEqual(old(), int(number(last)))),
                ]),
                false => {
                    let members = sources.iter().map(|&lane| Value::Int(number(lane)));
                    e(ExprKind::In(old(), val(Value::set(members))))
                }
            };
            parts.push(inside);
            let new = match offset {
                0 => old(),
                offset => add(old(), int(i64::from(offset))),
            };
            value = e(ExprKind::If(all_of(parts), new, value));
        }
        set(of.field, &[], value)
    }
}
