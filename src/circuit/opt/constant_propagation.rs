//! Constant propagation for slots: a slot that has the same constant value on every path to a control is replaced by
//! that value. So a slot that is used only during a turn costs nothing outside of it. A position that is set up must have
//! these values too, also where only a later control reads them.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::rewrite::Rewriter;
use crate::draft::Draft;
use crate::{ControlId, Op, SlotId, StateUpdate, StmtBlock, ValueId};
use bouton_base::bits::BitSet;
use bouton_base::id::{Id, IdVec};

/// The known contents of slots; absent slots may hold anything.
type ConstantSlots = BTreeMap<SlotId, BitSet>;

pub(super) fn run(draft: &mut Draft) {
    let held = propagate_constants(draft);
    let relied = relied_slots(draft, &held);
    let controls: Vec<ControlId> = draft.controls.ids().collect();
    for id in controls {
        let held = held[id].iter().flatten().filter(|(slot, _)| relied[id].contains(slot));
        let held: ConstantSlots = held.map(|(&slot, bits)| (slot, bits.clone())).collect();
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

/// Computes for each control the slots that are constant on every path to it. Positions may also be set up at controls
/// that play does not reach; there the slots must be constant that the successors expect to be.
fn propagate_constants(draft: &Draft) -> IdVec<ControlId, Option<ConstantSlots>> {
    let layout = &draft.build.layout;
    let mut held: IdVec<ControlId, Option<ConstantSlots>> = draft.controls.iter().map(|_| None).collect();
    let first = layout.slots.ids().map(|slot| (slot, layout.get(slot, &draft.initial.words))).collect();
    held[draft.initial.control] = Some(first);
    propagate_from(draft, draft.initial.control, &mut held);
    loop {
        let unreached = || draft.controls.ids().filter(|&id| held[id].is_none());
        let leads_back = |&id: &ControlId| yields(draft, id).iter().any(|after| held[after.to].is_some());
        let Some(id) = unreached().find(leads_back).or_else(|| unreached().next()) else { return held };
        held[id] = Some(expected_constants(draft, id, &held));
        propagate_from(draft, id, &mut held);
    }
}

/// Propagates the constants of a control to those that it leads to, until nothing changes.
fn propagate_from(draft: &Draft, start: ControlId, held: &mut IdVec<ControlId, Option<ConstantSlots>>) {
    let mut open = vec![start];
    while let Some(from) = open.pop() {
        let before = held[from].clone().unwrap_or_default();
        for after in yields(draft, from) {
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
}

/// Returns the constants that the successors of a control expect and its moves do not set, where all agree.
fn expected_constants(
    draft: &Draft,
    id: ControlId,
    held: &IdVec<ControlId, Option<ConstantSlots>>,
) -> ConstantSlots {
    let mut expected: BTreeMap<SlotId, Option<&BitSet>> = BTreeMap::new();
    for after in yields(draft, id) {
        for (slot, bits) in held[after.to].iter().flatten().filter(|(slot, _)| !sets(after, **slot)) {
            let agreed = expected.entry(*slot).or_insert(Some(bits));
            *agreed = agreed.filter(|other| *other == bits);
        }
    }
    expected.into_iter().filter_map(|(slot, bits)| Some((slot, bits?.clone()))).collect()
}

/// Returns the successors that a control yields.
fn yields(draft: &Draft, id: ControlId) -> Vec<&StateUpdate> {
    let control = &draft.controls[id];
    let bodies = control.groups.iter().map(|&group| &draft.groups[group].body);
    bodies.chain([&control.stuck]).flat_map(StmtBlock::yields).collect()
}

fn sets(after: &StateUpdate, slot: SlotId) -> bool {
    after.slots.iter().any(|&(of, _)| of == slot)
}

/// Computes for each control the constant slots that it reads, or that a control after it reads as constants before a
/// move sets them.
fn relied_slots(
    draft: &Draft,
    held: &IdVec<ControlId, Option<ConstantSlots>>,
) -> IdVec<ControlId, FxHashSet<SlotId>> {
    let constants = |id: ControlId| {
        let mut slots = slots_read(draft, id);
        slots.retain(|slot| held[id].as_ref().is_some_and(|held| held.contains_key(slot)));
        slots
    };
    let mut relied: IdVec<ControlId, FxHashSet<SlotId>> = draft.controls.ids().map(constants).collect();
    loop {
        let mut changed = false;
        for id in draft.controls.ids() {
            for after in yields(draft, id) {
                let later = relied[after.to].clone();
                for slot in later.into_iter().filter(|&slot| !sets(after, slot)) {
                    changed |= relied[id].insert(slot);
                }
            }
        }
        if !changed {
            return relied;
        }
    }
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
