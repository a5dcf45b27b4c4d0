//! Immediate wins: the moves that win at once, for all lanes of a set together.
//!
//! Technique: evaluates the end rules symbolically after a move, for all lanes at once. A move adds the bit of its lane
//! `b` somewhere. So a vector after the move differs from the vector before it only in a few places at fixed distances
//! from `b`; for each such distance a vector over the lanes holds the bits there. Shifts change the distances,
//! conjunctions and disjunctions work distance by distance, and `Any` becomes the vector of the lanes after whose move
//! a bit is set. In games of lines these are the cells that complete a line, found by a few shifts.
//! Source: the cells that complete a line in Pons, "Solving Connect Four" (2015), here derived from any circuit.
//! Cost: the operations of the end rules, once for each distance; conditions without such a form, or with a long one,
//! are left out.
//! Invariant: each lane in the result wins, in a position where the game is not over and the lane is a legal move.
//! Lanes may be missing: an empty result is a proof only if every end has such a form and no condition holds without
//! touching the bits of the move. If another end precedes a win, the lanes for which that end may hold do not count as
//! wins.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use bouton_base::bits::BitSet;
use bouton_base::id::IdVec;
use bouton_circuit::build::CircuitBuilder;
use bouton_circuit::{
    Circuit, ControlId, GroupId, MoveGroup, Op, SlotId, StateUpdate, Stmt, TerminalTest, Ty, ValueId,
    ValueNode,
};

/// The maximal number of distances of a lifted vector.
const MAX_DISTANCES: usize = 48;
/// The maximal number of values beyond those of the circuit.
const MAX_EXTRA_VALUES: usize = 6_000;

/// For each control and end of the game, true if that end is the best possible result for the player who acts in that
/// control.
pub type WinningEnds = [Vec<bool>];

/// The hint about a move before it is searched.
pub(super) struct MoveHint {
    /// The parameter for the bit of its lane.
    pub bit: ValueId,
    /// True if the next player wins at once after the move. A false value proves nothing unless `sure` holds.
    pub reply_wins: Option<ValueId>,
    /// True if `falls` is exact, so that a false `falls` proves that the next player has no immediate win; `None` if
    /// that is never known.
    pub reply_wins_is_exact: Option<ValueId>,
    /// By group of the mover, the lanes that would win if it were the same player's turn again; they include some that
    /// are not yet legal.
    pub follow_up_wins: Vec<ValueId>,
}

/// The hints of a circuit.
pub(super) struct MoveHints {
    /// A circuit that holds the hints' values and nothing else.
    pub circuit: Circuit,
    /// The hint of each group.
    pub by_group: IdVec<GroupId, Option<MoveHint>>,
    /// For each group and lane, the number of winning patterns that the lane could ever complete.
    pub completions: IdVec<GroupId, Vec<u32>>,
    /// For each control, the lanes by which the mover wins at once.
    pub immediate_wins: IdVec<ControlId, Vec<ValueId>>,
}

impl MoveHints {
    /// Derives the hints of a circuit; `best` as in [`WinningEnds`].
    pub fn of(circuit: &Circuit, best: &WinningEnds) -> MoveHints {
        let mut finder = HintFinder {
            circuit,
            best,
            build: CircuitBuilder::new(circuit.layout.clone()),
            ends: FxHashMap::default(),
        };
        let mut of: Vec<Option<MoveHint>> = circuit.groups.iter().map(|_| None).collect();
        let mut ways: Vec<Vec<u32>> = vec![Vec::new(); circuit.groups.len()];
        let mut now = IdVec::new();
        for (id, control) in circuit.controls.entries() {
            let mut here = Vec::new();
            for &group in &control.groups {
                of[group.0 as usize] = finder.hint(id, group);
                ways[group.0 as usize] = finder.ways(id, group).unwrap_or_default();
                here.extend(finder.now(id, group));
            }
            now.push(here);
        }
        let CircuitBuilder { layout, values, .. } = finder.build;
        let initial = circuit.initial.clone();
        let (fixes, controls, groups) = (IdVec::new(), IdVec::new(), IdVec::new());
        let circuit = Circuit { layout, values, fixes, controls, groups, stackings: Vec::new(), initial };
        MoveHints {
            circuit,
            by_group: of.into_iter().collect(),
            completions: ways.into_iter().collect(),
            immediate_wins: now,
        }
    }

    /// Returns the transitive operands of these values and the values themselves, in an order in which they can be
    /// computed.
    pub fn needed(&self, values: impl IntoIterator<Item = ValueId>) -> Vec<ValueId> {
        let mut seen = FxHashSet::default();
        let mut open: Vec<ValueId> = values.into_iter().collect();
        while let Some(value) = open.pop() {
            let node = &self.circuit.values[value];
            if !matches!(node.op, Op::Bits(_) | Op::Int(_) | Op::Param(_)) && seen.insert(value) {
                node.op.each_operand(|operand| open.push(operand));
            }
        }
        let mut order: Vec<ValueId> = seen.into_iter().collect();
        order.sort_unstable();
        order
    }

    /// Returns those of some ordered values that depend on a parameter.
    pub fn varying(&self, order: &[ValueId], bit: ValueId) -> FxHashSet<ValueId> {
        let mut found = FxHashSet::from_iter([bit]);
        for &value in order {
            let mut varies = false;
            self.circuit.values[value].op.each_operand(|operand| varies |= found.contains(&operand));
            if varies {
                found.insert(value);
            }
        }
        found
    }
}

/// A state, before or after a move, as values under construction.
struct SymbolicState {
    slots: IdVec<SlotId, ValueId>,
    /// A parameter of the circuit with its value.
    bound: Option<(ValueId, ValueId)>,
    made: FxHashMap<ValueId, Option<ValueId>>,
}

/// A value after one more move, for every lane of that move.
#[derive(Clone)]
enum LiftedValue {
    /// A vector: its value apart from the lane, and by distance from the lane the bits there.
    Near(ValueId, BTreeMap<i32, ValueId>),
    /// A truth value: the lanes for which it provably holds.
    Lanes(ValueId),
}

/// The winning lanes of a group.
struct WinningLanes {
    /// The known winning lanes.
    lanes: Option<ValueId>,
    /// The condition under which there are no others; `None` if that is never known.
    all: Option<ValueId>,
}

/// The ends of the game that a move into a control may reach, as its mover sees them.
struct EndTests<'c> {
    /// The statements that may end the game, up to the last one by which the mover wins, in order.
    tests: Vec<&'c Stmt>,
    /// True if the mover does not win where the next player cannot move.
    stuck_never_wins: bool,
}

struct HintFinder<'c> {
    circuit: &'c Circuit,
    best: &'c WinningEnds,
    build: CircuitBuilder,
    /// The ends by the mover's control and the next one: they serve all pairs of groups.
    ends: FxHashMap<(ControlId, ControlId), Rc<EndTests<'c>>>,
}

/// Returns the successor of a group that yields for every lane of its set without conditions; `None` for other groups.
fn unconditional_successor(group: &MoveGroup) -> Option<&StateUpdate> {
    let mut rest = group.body.stmts.iter().filter(|stmt| !matches!(stmt, Stmt::Let(_)));
    match (rest.next(), rest.next()) {
        (Some(Stmt::Yield(after)), None) if !group.pass => Some(after),
        _ => None,
    }
}

/// Returns true if the statement ends the game with the best result of a player.
fn is_win(stmt: &Stmt, best: &[bool]) -> bool {
    matches!(stmt, Stmt::Over(over) if best[over.ending as usize])
}

/// Returns a value and its transitive operands, in order.
fn parts(values: &IdVec<ValueId, ValueNode>, value: ValueId) -> Vec<ValueId> {
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if seen.insert(value) {
            values[value].op.each_operand(|operand| open.push(operand));
        }
    }
    let mut order: Vec<ValueId> = seen.into_iter().collect();
    order.sort_unstable();
    order
}

impl<'c> HintFinder<'c> {
    /// Returns the ends after a move of the player of `control` into the control `to`.
    fn ends(&mut self, control: ControlId, to: ControlId) -> Rc<EndTests<'c>> {
        let (circuit, best) = (self.circuit, &self.best[control.0 as usize]);
        let find = || {
            let next = &circuit.controls[to];
            let wins = |stmt: &Stmt| is_win(stmt, best);
            let no_win = |stmt: &Stmt| !wins(stmt);
            let last = next.before.stmts.iter().rposition(|stmt| !stmt.all(&no_win)).map_or(0, |at| at + 1);
            let tests = next.before.stmts[..last].iter().filter(|stmt| {
                let dead = matches!(stmt, Stmt::Over(TerminalTest { dead_after_move: true, .. }));
                !dead && !matches!(stmt, Stmt::Let(_) | Stmt::Fix(..))
            });
            Rc::new(EndTests { tests: tests.collect(), stuck_never_wins: next.stuck.all(&no_win) })
        };
        self.ends.entry((control, to)).or_insert_with(find).clone()
    }

    fn hint(&mut self, control: ControlId, id: GroupId) -> Option<MoveHint> {
        let group = &self.circuit.groups[id];
        let after = unconditional_successor(group)?;
        let mut here = self.here();
        let set = self.value(&mut here, group.set)?;
        let bit = self.build.subset_param(set);
        here.bound = Some((group.bit, bit));
        here.made.clear();
        let mut slots = here.slots.clone();
        for &(slot, value) in &after.slots {
            slots[slot] = self.value(&mut here, value)?;
        }
        let mut then = SymbolicState { slots, bound: None, made: FxHashMap::default() };
        let mut falls: Option<ValueId> = None;
        let next = &self.circuit.controls[after.to];
        let mut sure =
            next.stuck.all(&|stmt| !matches!(stmt, Stmt::Yield(_))).then(|| self.build.truth(true));
        for &reply in &next.groups {
            let WinningLanes { lanes, all } = self.winning(after.to, reply, &mut then);
            let set = self.value(&mut then, self.circuit.groups[reply].set);
            sure = all
                .filter(|_| set.is_some() || lanes.is_none())
                .and_then(|all| Some(self.build.and(sure?, all)));
            let (Some(set), Some(lanes)) = (set, lanes) else { continue };
            let won = self.build.and(set, lanes);
            let any = self.build.any(won);
            falls = Some(falls.map_or(any, |so_far| self.build.or(so_far, any)));
        }
        let falls = falls.filter(|&falls| self.build.constant_truth(falls) != Some(false));
        let mut wins = Vec::new();
        for &own in &self.circuit.controls[control].groups {
            let open = self.loosely(self.circuit.groups[own].set);
            let Some(open) = self.value(&mut then, open) else { continue };
            let Some(lanes) = self.winning(control, own, &mut then).lanes else { continue };
            let won = self.build.and(open, lanes);
            if !self.build.maybe(won).is_empty() {
                wins.push(won);
            }
        }
        Some(MoveHint { bit, reply_wins: falls, reply_wins_is_exact: sure, follow_up_wins: wins })
    }

    /// Computes the lanes of a group that win at once.
    fn now(&mut self, control: ControlId, id: GroupId) -> Option<ValueId> {
        let mut here = self.here();
        let lanes = self.winning(control, id, &mut here).lanes?;
        let set = self.value(&mut here, self.circuit.groups[id].set)?;
        let won = self.build.and(set, lanes);
        (!self.build.maybe(won).is_empty()).then_some(won)
    }

    /// Returns the present state.
    fn here(&mut self) -> SymbolicState {
        let slots = self.circuit.layout.slots.ids().map(|slot| self.build.slot(slot)).collect();
        SymbolicState { slots, bound: None, made: FxHashMap::default() }
    }

    /// Counts for each lane the winning patterns that it may complete: those whose bits may all be set at some time.
    fn ways(&mut self, control: ControlId, id: GroupId) -> Option<Vec<u32>> {
        let mut here = self.here();
        let won = self.winning(control, id, &mut here).lanes?;
        let mut ways: FxHashMap<ValueId, Vec<u32>> = FxHashMap::default();
        for value in parts(&self.build.values, won) {
            let Ty::Bits(width) = self.build.values[value].ty else { return None };
            let maybe = self.build.maybe(value);
            let each = |count: &dyn Fn(u32) -> u32| -> Vec<u32> {
                (0..width).map(|lane| if maybe.contains(lane) { count(lane) } else { 0 }).collect()
            };
            let of = |x: ValueId, lane: u32| ways[&x].get(lane as usize).copied().unwrap_or(0);
            // The counts are numbers of terms in disjunctive normal form.
            let counts = match self.build.values[value].op {
                Op::Or(x, y) => each(&|lane| of(x, lane).saturating_add(of(y, lane))),
                Op::And(x, y) => each(&|lane| of(x, lane).saturating_mul(of(y, lane))),
                Op::AndNot(x, _) | Op::Resize(x) => each(&|lane| of(x, lane)),
                Op::Shift(x, by) => {
                    each(&|lane| u32::try_from(i64::from(lane) - i64::from(by)).map_or(0, |l| of(x, l)))
                }
                _ => each(&|_| 1),
            };
            ways.insert(value, counts);
        }
        ways.remove(&won)
    }

    /// Widens a set by the lanes that a temporary condition excludes.
    fn loosely(&self, mut set: ValueId) -> ValueId {
        while let Op::AndNot(all, _) = self.circuit.values[set].op
            && !matches!(self.circuit.values[all].op, Op::Bits(_))
        {
            set = all;
        }
        set
    }

    /// Rebuilds a value of the circuit in a state; `None` if it depends on an unbound parameter or a fixpoint, or if
    /// there are too many values.
    fn value(&mut self, state: &mut SymbolicState, value: ValueId) -> Option<ValueId> {
        if let Some(made) = state.made.get(&value) {
            return *made;
        }
        for part in parts(&self.circuit.values, value) {
            if state.made.contains_key(&part) {
                continue;
            }
            let ValueNode { op, ty } = &self.circuit.values[part];
            let made = match op {
                _ if self.build.values.len() > self.circuit.values.len() + MAX_EXTRA_VALUES => None,
                Op::Bits(bits) => Some(self.build.bits(bits.clone())),
                Op::Int(n) => Some(self.build.int(*n)),
                Op::Slot(slot) => Some(state.slots[*slot]),
                Op::Param(_) => state.bound.filter(|(of, _)| *of == part).map(|(_, value)| value),
                Op::Fixed(..) => None,
                _ => {
                    let mut all = true;
                    op.each_operand(|operand| all &= state.made[&operand].is_some());
                    let node = ValueNode { op: op.clone(), ty: *ty };
                    let of = |operand: ValueId| state.made[&operand].expect("it was asked");
                    if all { self.build.rebuild(&node, &of) } else { None }
                }
            };
            state.made.insert(part, made);
        }
        state.made[&value]
    }

    /// Computes the lanes of a group that win for the mover in a state.
    fn winning(&mut self, control: ControlId, id: GroupId, state: &mut SymbolicState) -> WinningLanes {
        const UNKNOWN: WinningLanes = WinningLanes { lanes: None, all: None };
        let group = &self.circuit.groups[id];
        let Some(after) = unconditional_successor(group) else { return UNKNOWN };
        let Ty::Bits(width) = self.circuit.values[group.set].ty else { return UNKNOWN };
        let (slots, made, doubts) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        let mut lift = LaneEvaluator { width, group, state, slots, made, doubts };
        let mut slots = FxHashMap::default();
        for &(slot, value) in &after.slots {
            let Some(lifted) = lift.value(self, value) else { return UNKNOWN };
            slots.insert(slot, lifted);
        }
        (lift.slots, lift.made) = (slots, FxHashMap::default());
        let ends = self.ends(control, after.to);
        let best = &self.best[control.0 as usize];
        let (mut won, mut whole): (Option<ValueId>, bool) = (None, ends.stuck_never_wins);
        // The lanes for which another end may come first.
        let mut barred: Option<ValueId> = None;
        for stmt in &ends.tests {
            match stmt {
                Stmt::Over(over) if !over.unless_stuck && is_win(stmt, best) => {
                    let lanes = lift.lanes(self, over.when);
                    whole &= lanes.is_some();
                    let Some(mut lanes) = lanes else { continue };
                    if let Some(barred) = barred {
                        lanes = self.build.and_not(lanes, barred);
                    }
                    won = Some(won.map_or(lanes, |so_far| self.build.or(so_far, lanes)));
                }
                Stmt::Over(over) if !is_win(stmt, best) => {
                    let Some(mut lanes) = lift.lanes(self, over.when) else {
                        whole = false;
                        break;
                    };
                    // A memoized value reports its doubts only once, so any doubt so far may concern this condition.
                    for &doubt in &lift.doubts {
                        let all = self.build.spread(doubt, width);
                        lanes = self.build.or(lanes, all);
                    }
                    barred = Some(barred.map_or(lanes, |so_far| self.build.or(so_far, lanes)));
                }
                // The analysis does not follow statements that may end the game before the win.
                _ => {
                    whole = false;
                    break;
                }
            }
        }
        let doubts = lift.doubts;
        let all = whole.then(|| {
            doubts.into_iter().fold(self.build.truth(true), |all, doubt| {
                let not = self.build.not(doubt);
                self.build.and(all, not)
            })
        });
        WinningLanes { lanes: won.filter(|&won| !self.build.maybe(won).is_empty()), all }
    }
}

/// The evaluator of values after a move, for every lane of it.
struct LaneEvaluator<'c, 's> {
    /// The number of lanes.
    width: u32,
    group: &'c MoveGroup,
    state: &'s mut SymbolicState,
    /// The slots that the move changes.
    slots: FxHashMap<SlotId, LiftedValue>,
    made: FxHashMap<ValueId, Option<LiftedValue>>,
    /// The conditions that must be false for the lanes to be complete: bits that are set for every lane.
    doubts: Vec<ValueId>,
}

impl LaneEvaluator<'_, '_> {
    /// Computes the lanes for which a condition provably holds.
    fn lanes(&mut self, finder: &mut HintFinder, when: ValueId) -> Option<ValueId> {
        match self.value(finder, when)? {
            LiftedValue::Lanes(lanes) => Some(lanes),
            near => self.any(finder, &near),
        }
    }

    fn value(&mut self, finder: &mut HintFinder, value: ValueId) -> Option<LiftedValue> {
        for part in parts(&finder.circuit.values, value) {
            if !self.made.contains_key(&part) {
                let made = self.make(finder, part);
                self.made.insert(part, made);
            }
        }
        self.made[&value].clone()
    }

    fn make(&mut self, finder: &mut HintFinder, value: ValueId) -> Option<LiftedValue> {
        let node = &finder.circuit.values[value];
        if value == self.group.bit {
            let zero = finder.build.zero(self.width);
            let ones = finder.build.bits(BitSet::full(self.width));
            return Some(LiftedValue::Near(zero, BTreeMap::from([(0, ones)])));
        }
        if let Op::Slot(slot) = node.op
            && let Some(changed) = self.slots.get(&slot)
        {
            return Some(changed.clone());
        }
        let mut operands = Vec::new();
        node.op.each_operand(|operand| operands.push(operand));
        let same =
            |made: &Option<LiftedValue>| matches!(made, Some(LiftedValue::Near(_, near)) if near.is_empty());
        if operands.iter().all(|operand| same(&self.made[operand])) {
            // The move changes none of its operands.
            return Some(LiftedValue::Near(finder.value(self.state, value)?, BTreeMap::new()));
        }
        let of: Vec<LiftedValue> = operands.iter().map(|o| self.made[o].clone()).collect::<Option<_>>()?;
        match (&node.op, &of[..]) {
            (Op::And(..) | Op::Or(..), [x, y]) => self.both(finder, node, x, y),
            (Op::Xor(..) | Op::AndNot(..), [x @ LiftedValue::Near(..), y @ LiftedValue::Near(..)]) => {
                self.both(finder, node, x, y)
            }
            (Op::Not(_), [x @ LiftedValue::Near(..)]) => self.each(finder, x, &|build, x, _| build.not(x)),
            (Op::Shift(_, by), [LiftedValue::Near(base, near)]) => {
                let width = finder.build.width(*base);
                let base = finder.build.shift(*base, *by);
                let moved = near.iter().map(|(&o, &bits)| (o + by, bits));
                let moved: Vec<_> = moved.map(|(o, bits)| (o, self.inside(finder, bits, o, width))).collect();
                Some(LiftedValue::Near(base, moved.into_iter().collect()))
            }
            (Op::Resize(_), [LiftedValue::Near(base, near)]) => {
                let Ty::Bits(width) = node.ty else { return None };
                let base = finder.build.resize(*base, width);
                let cut: Vec<_> =
                    near.iter().map(|(&o, &bits)| (o, self.inside(finder, bits, o, width))).collect();
                Some(LiftedValue::Near(base, cut.into_iter().collect()))
            }
            (&Op::Any(x), [LiftedValue::Near(..)]) => Some(LiftedValue::Lanes(self.any_of(finder, x)?)),
            _ => None,
        }
    }

    /// Masks the bits at a distance to the lanes whose place at that distance lies in the vector.
    fn inside(&self, finder: &mut HintFinder, bits: ValueId, distance: i32, width: u32) -> ValueId {
        let place = |lane: u32| (0..i64::from(width)).contains(&(i64::from(lane) + i64::from(distance)));
        let mask = finder.build.bits(BitSet::of(self.width, (0..self.width).filter(|&lane| place(lane))));
        finder.build.and(bits, mask)
    }

    /// Returns the bits at a distance from each lane.
    fn at(
        &self,
        finder: &mut HintFinder,
        base: ValueId,
        near: &BTreeMap<i32, ValueId>,
        distance: i32,
    ) -> ValueId {
        if let Some(&bits) = near.get(&distance) {
            return bits;
        }
        let wide = finder.build.width(base).max(self.width);
        let base = finder.build.resize(base, wide);
        let moved = finder.build.shift(base, -distance);
        finder.build.resize(moved, self.width)
    }

    fn each(
        &self,
        finder: &mut HintFinder,
        x: &LiftedValue,
        make: &dyn Fn(&mut CircuitBuilder, ValueId, u32) -> ValueId,
    ) -> Option<LiftedValue> {
        let LiftedValue::Near(base, near) = x else { return None };
        let width = finder.build.width(*base);
        let made = make(&mut finder.build, *base, width);
        let near: Vec<_> =
            near.iter().map(|(&o, &bits)| (o, make(&mut finder.build, bits, self.width))).collect();
        let near = near.into_iter().map(|(o, bits)| (o, self.inside(finder, bits, o, width)));
        Some(LiftedValue::Near(made, near.collect()))
    }

    fn both(
        &mut self,
        finder: &mut HintFinder,
        node: &ValueNode,
        x: &LiftedValue,
        y: &LiftedValue,
    ) -> Option<LiftedValue> {
        let combine = |build: &mut CircuitBuilder, x: ValueId, y: ValueId| match node.op {
            Op::And(..) => build.and(x, y),
            Op::Or(..) => build.or(x, y),
            Op::Xor(..) => build.xor(x, y),
            _ => build.and_not(x, y),
        };
        let (LiftedValue::Near(a, near), LiftedValue::Near(b, far)) = (x, y) else {
            // Truth values combine lane by lane.
            let mut lanes = |of: &LiftedValue| match of {
                LiftedValue::Lanes(lanes) => Some(*lanes),
                LiftedValue::Near(base, near) if near.is_empty() && finder.build.width(*base) == 1 => {
                    Some(finder.build.spread(*base, self.width))
                }
                near => self.any(finder, near),
            };
            let (x, y) = (lanes(x)?, lanes(y)?);
            return Some(LiftedValue::Lanes(combine(&mut finder.build, x, y)));
        };
        let distances: BTreeSet<i32> = near.keys().chain(far.keys()).copied().collect();
        let mut all = BTreeMap::new();
        for distance in distances {
            let (p, q) = (self.at(finder, *a, near, distance), self.at(finder, *b, far, distance));
            all.insert(distance, combine(&mut finder.build, p, q));
        }
        let full = all.len() > MAX_DISTANCES
            || finder.build.values.len() > finder.circuit.values.len() + MAX_EXTRA_VALUES;
        (!full).then(|| LiftedValue::Near(combine(&mut finder.build, *a, *b), all))
    }

    /// Computes the lanes for which a vector has a bit near them. A union splits into its parts, because the doubts of
    /// one part do not concern the lanes of the others.
    fn any_of(&mut self, finder: &mut HintFinder, value: ValueId) -> Option<ValueId> {
        if let Op::Or(x, y) = finder.circuit.values[value].op {
            let (x, y) = (self.any_of(finder, x)?, self.any_of(finder, y)?);
            return Some(finder.build.or(x, y));
        }
        let lifted = self.made.get(&value)?.clone()?;
        self.any(finder, &lifted)
    }

    /// Computes the lanes for which a vector has a bit near them.
    fn any(&mut self, finder: &mut HintFinder, of: &LiftedValue) -> Option<ValueId> {
        let LiftedValue::Near(base, near) = of else { return None };
        let width = finder.build.width(*base);
        let anyway = finder.build.any(*base);
        if finder.build.constant_truth(anyway) != Some(false) {
            self.doubts.push(anyway);
        }
        let mut any = finder.build.zero(self.width);
        for (&distance, &bits) in near {
            let bits = self.inside(finder, bits, distance, width);
            any = finder.build.or(any, bits);
        }
        Some(any)
    }
}
