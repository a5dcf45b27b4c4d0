//! Constant propagation for slots: a slot that has the same constant value on every path to a control is replaced by
//! that value. So a slot that is used only during a turn costs nothing outside of it.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::rewrite::Rewriter;
use crate::draft::Draft;
use crate::{ControlId, Op, SlotId, StmtBlock, ValueId};
use bouton_base::bits::BitSet;
use bouton_base::id::{Id, IdVec};

/// The known contents of slots; absent slots may hold anything.
type ConstantSlots = BTreeMap<SlotId, BitSet>;

pub(super) fn run(draft: &mut Draft) {
    let held = propagate_constants(draft);
    let controls: Vec<ControlId> = draft.controls.ids().collect();
    for id in controls {
        let Some(held) = &held[id] else { continue };
        let read = slots_read(draft, id);
        let held: ConstantSlots =
            held.iter().filter(|(slot, _)| read.contains(slot)).map(|(&s, b)| (s, b.clone())).collect();
        let build = &mut draft.build;
        let mut known = Rewriter::new();
        for (&slot, bits) in &held {
            let (value, bits) = (build.slot(slot), build.bits(bits.clone()));
            known.replace(value, bits);
        }
        let control = &mut draft.controls[id];
        control.before = known.block(build, &control.before);
        control.stuck = known.block(build, &control.stuck);
        for &group in &control.groups {
            let group = &mut draft.groups[group];
            group.set = known.value(build, group.set);
            group.body = known.block(build, &group.body);
        }
        control.constant_slots = held.into_iter().collect();
    }
}

/// Computes for each control the slots that are constant on every path to it; `None` for unreachable controls. A
/// worklist iteration to the fixpoint.
fn propagate_constants(draft: &Draft) -> IdVec<ControlId, Option<ConstantSlots>> {
    let layout = &draft.build.layout;
    let mut held: IdVec<ControlId, Option<ConstantSlots>> = draft.controls.iter().map(|_| None).collect();
    let first = layout.slots.ids().map(|slot| (slot, layout.get(slot, &draft.initial.words))).collect();
    held[draft.initial.control] = Some(first);
    let mut open = vec![draft.initial.control];
    while let Some(from) = open.pop() {
        let before = held[from].clone().unwrap_or_default();
        let control = &draft.controls[from];
        let bodies = control.groups.iter().map(|&group| &draft.groups[group].body);
        for after in bodies.chain([&control.stuck]).flat_map(StmtBlock::yields) {
            let mut left = before.clone();
            for &(slot, value) in &after.slots {
                match draft.build.constant(value) {
                    Some(bits) => left.insert(slot, bits.clone()),
                    None => left.remove(&slot),
                };
            }
            let there = match &held[after.to] {
                None => left,
                Some(known) => known
                    .iter()
                    .filter(|(slot, bits)| left.get(slot) == Some(bits))
                    .map(|(&s, b)| (s, b.clone()))
                    .collect(),
            };
            if held[after.to].as_ref() != Some(&there) {
                held[after.to] = Some(there);
                open.push(after.to);
            }
        }
    }
    held
}

/// Returns the slots that a control reads.
fn slots_read(draft: &Draft, id: ControlId) -> FxHashSet<SlotId> {
    let control = &draft.controls[id];
    let mut open: Vec<ValueId> = Vec::new();
    let mut add = |block: &StmtBlock| super::visit_used_values(block, &mut |value| open.push(value));
    add(&control.before);
    add(&control.stuck);
    control.groups.iter().for_each(|&group| add(&draft.groups[group].body));
    open.extend(control.groups.iter().map(|&group| draft.groups[group].set));
    let mut seen = vec![false; draft.build.values.len()];
    let mut slots = FxHashSet::default();
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut seen[value.index()], true) {
            continue;
        }
        match &draft.build.values[value].op {
            Op::Slot(slot) => {
                slots.insert(*slot);
            }
            // Fixpoints stay unchanged, and so do their operands.
            Op::Fixed(..) => {}
            op => op.each_operand(|operand| open.push(operand)),
        }
    }
    slots
}
