//! Sampling of lanes: counts the lanes, draws an index among all of them, and finds the lane at that index.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Place, InstBuilder, TrapCode, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::{PassTest, PlayoutBuilder, PlayoutGoal};
use crate::jit::exclusive_groups::{self, GroupRun, GuardedGroups};
use crate::jit::lanes::Lane;
use crate::jit::select;
use crate::jit::translate::TurnTranslator;
use crate::jit::values::KnownWord;
use bouton_circuit::ControlId;

/// The number of lanes in a set, or behind a condition.
struct LaneCount {
    set: Vec<KnownWord>,
    /// The counts of the words that may be nonzero.
    counts: Vec<Value>,
    /// The sum; `None` if there can be no lane.
    total: Option<Value>,
}

impl LaneCount {
    fn of(b: &mut FunctionBuilder, set: Vec<KnownWord>) -> LaneCount {
        let some = set.iter().filter(|word| word.maybe != 0);
        let counts: Vec<Value> = some.map(|word| b.ins().popcnt(word.value)).collect();
        let total = counts.iter().copied().reduce(|x, y| b.ins().iadd(x, y));
        LaneCount { set, counts, total }
    }
}

/// The runs of some groups, with the number of lanes in each.
struct CountedRuns<'r> {
    runs: &'r [GroupRun],
    counts: Vec<LaneCount>,
}

/// Adds up the lanes; `None` if there can be none.
fn sum(b: &mut FunctionBuilder, drawn: &[LaneCount]) -> Option<Value> {
    drawn.iter().filter_map(|counted| counted.total).reduce(|x, y| b.ins().iadd(x, y))
}

/// Finds the set to which an index among all lanes belongs; `here` takes the number of that set and the index in it,
/// and ends the block.
fn among(
    b: &mut FunctionBuilder,
    drawn: &[LaneCount],
    mut place: Value,
    mut here: impl FnMut(&mut FunctionBuilder, usize, Value),
) {
    let mut some = drawn.iter().enumerate().filter_map(|(i, counted)| Some((i, counted.total?))).peekable();
    while let Some((i, own)) = some.next() {
        if some.peek().is_none() {
            return here(b, i, place);
        }
        let (inside, other) = (b.create_block(), b.create_block());
        let is_inside = b.ins().icmp(IntCC::UnsignedLessThan, place, own);
        let beyond = b.ins().isub(place, own);
        b.ins().brif(is_inside, inside, &[], other, &[]);
        b.switch_to_block(inside);
        here(b, i, place);
        b.switch_to_block(other);
        place = beyond;
    }
}

impl PlayoutBuilder<'_> {
    /// Draws a lane, for controls in which every lane yields.
    pub(super) fn draw_surely(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        id: ControlId,
        stuck: Place,
    ) {
        let runs = exclusive_groups::arrange(self.circuit, &self.circuit.controls[id].groups, |gate| {
            turn.scope.knows(gate)
        });
        let counted = self.count(b, turn, id, &runs);
        if let Some(place) = self.place(b, &counted.counts, stuck) {
            self.pick(b, turn, id, &counted, place);
        }
    }

    /// Draws an index among all lanes; jumps to `stuck` if there are none. Returns `None` if there can be none.
    fn place(&self, b: &mut FunctionBuilder, drawn: &[LaneCount], stuck: Place) -> Option<Value> {
        let Some(total) = sum(b, drawn) else {
            b.ins().jump(stuck, &[]);
            return None;
        };
        let some = b.create_block();
        b.ins().brif(total, some, &[], stuck, &[]);
        b.switch_to_block(some);
        Some(self.below(b, total))
    }

    /// Counts the lanes of some groups. Groups behind a condition that does not hold are skipped at once.
    fn count<'r>(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        id: ControlId,
        runs: &'r [GroupRun],
    ) -> CountedRuns<'r> {
        let count = |run: &GroupRun| match run {
            GroupRun::One(i) => {
                let group = &self.circuit.groups[self.circuit.controls[id].groups[*i]];
                turn.main(b, &group.lets);
                let set = turn.scope.masked_words(b, group.set);
                LaneCount::of(b, set)
            }
            GroupRun::Guarded(behind) => {
                let on = b.create_block();
                let total = b.append_block_param(on, I64);
                self.divided(b, turn, id, behind, |b, turn, runs| {
                    let counted = self.count(b, turn, id, runs);
                    let none = b.ins().iconst(I64, 0);
                    let own = sum(b, &counted.counts).unwrap_or(none);
                    b.ins().jump(on, &[own.into()]);
                });
                b.switch_to_block(on);
                LaneCount { set: Vec::new(), counts: Vec::new(), total: Some(total) }
            }
        };
        let counts = runs.iter().map(count).collect();
        CountedRuns { runs, counts }
    }

    /// Translates both branches of a condition that divides groups.
    fn divided(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        id: ControlId,
        behind: &GuardedGroups,
        mut each: impl FnMut(&mut FunctionBuilder, &mut TurnTranslator<PlayoutGoal>, &[GroupRun]),
    ) {
        let groups = &self.circuit.controls[id].groups;
        let (open, shut) = (b.create_block(), b.create_block());
        turn.scope.branch(b, behind.gate, open, shut);
        for (here, holds) in [(open, true), (shut, false)] {
            b.switch_to_block(here);
            let mark = turn.scope.mark();
            turn.assume_gate(b, groups, behind, holds);
            each(b, turn, behind.runs_if(holds));
            turn.scope.restore(mark);
        }
    }

    /// Makes the move at an index among the lanes of some groups.
    fn pick(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        id: ControlId,
        counted: &CountedRuns,
        place: Value,
    ) {
        among(b, &counted.counts, place, |b, n, place| match &counted.runs[n] {
            GroupRun::One(i) => {
                let LaneCount { set, counts, .. } = &counted.counts[n];
                let bit = select::nth(b, self.select, set, counts, place);
                let next = b.create_block();
                let lane =
                    Lane { group: self.circuit.controls[id].groups[*i], bit, filler_count: None, next };
                // No group here is a pass.
                let test = PassTest { control: id, sets: &[], stuck: next };
                self.lane(b, turn, &lane, test);
                b.switch_to_block(next);
                // Every lane yields.
                b.ins().trap(TrapCode::unwrap_user(1));
            }
            GroupRun::Guarded(behind) => self.divided(b, turn, id, behind, |b, turn, runs| {
                let counted = self.count(b, turn, id, runs);
                match sum(b, &counted.counts) {
                    Some(_) => self.pick(b, turn, id, &counted, place),
                    // The drawn lane exists, so this is unreachable.
                    None => {
                        b.ins().trap(TrapCode::unwrap_user(1));
                    }
                }
            }),
        });
    }

    /// Draws lanes until one yields.
    pub(super) fn draw(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        id: ControlId,
        sets: Vec<Vec<KnownWord>>,
        stuck: Place,
    ) {
        let control = &self.circuit.controls[id];
        // The lanes that may still be drawn.
        let rest: Vec<Vec<(Variable, u64)>> = sets
            .iter()
            .map(|set| {
                let keep = |word: &KnownWord| {
                    let var = b.declare_var(I64);
                    b.def_var(var, word.value);
                    (var, word.maybe)
                };
                set.iter().map(keep).collect()
            })
            .collect();
        let draw = b.create_block();
        b.ins().jump(draw, &[]);
        b.switch_to_block(draw);
        let sets: Vec<Vec<KnownWord>> = rest
            .iter()
            .map(|set| set.iter().map(|&(var, maybe)| KnownWord { value: b.use_var(var), maybe }).collect())
            .collect();
        let drawn: Vec<LaneCount> = sets.iter().map(|set| LaneCount::of(b, set.clone())).collect();
        let Some(place) = self.place(b, &drawn, stuck) else { return };
        among(b, &drawn, place, |b, i, place| {
            let bit = select::nth(b, self.select, &sets[i], &drawn[i].counts, place);
            let next = b.create_block();
            let lane = Lane { group: control.groups[i], bit, filler_count: None, next };
            self.lane(b, turn, &lane, PassTest { control: id, sets: &sets, stuck });
            b.switch_to_block(next);
            for (&(var, _), bit) in rest[i].iter().zip(&lane.bit).filter(|((_, maybe), _)| *maybe != 0) {
                let before = b.use_var(var);
                let less = b.ins().bxor(before, bit.value);
                b.def_var(var, less);
            }
            b.ins().jump(draw, &[]);
        });
    }
}
