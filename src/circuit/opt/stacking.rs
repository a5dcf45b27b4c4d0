//! Stacking (gravity columns): if every move adds a bit at the lowest free place of a column, and no move removes one,
//! then the free places of a column lie above the taken ones. This holds in all reachable positions if it holds in the
//! initial one. It gives the lowest free places in two operations.

use std::collections::BTreeSet;

use super::column_merging::{ColumnSet, column_set, single_move_bit};
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{GroupId, Op, SlotId, Stacking, ValueId};

/// Simplifies the sets of merged groups whose lanes are the lowest places of columns.
pub(super) fn run(draft: &mut Draft) {
    let groups: Vec<GroupId> = draft.controls.iter().flat_map(|control| &control.groups).copied().collect();
    let merged: Vec<(GroupId, ColumnSet)> =
        groups.into_iter().filter_map(|group| Some((group, merged_columns(draft, group)?))).collect();
    for (id, of) in &merged {
        let Some(slots) = occupied_slots(&draft.build, of) else { continue };
        let stacking = Stacking { slots, places: of.places.clone(), step: of.step };
        let lowest: Vec<GroupId> = merged.iter().filter(|(_, o)| o == of).map(|(group, _)| *group).collect();
        if !stacking.is_satisfied(&draft.build.layout, &draft.initial.words)
            || !only_adds_at_lowest(draft, &stacking, &lowest)
        {
            continue;
        }
        let build = &mut draft.build;
        let above = build.shift(of.among, of.step);
        draft.groups[*id].set = build.and_not(of.among, above);
        if !draft.stackings.contains(&stacking) {
            draft.stackings.push(stacking);
        }
    }
}

/// Returns the columns of a group that merges groups with the lowest place of one column each.
fn merged_columns(draft: &mut Draft, group: GroupId) -> Option<ColumnSet> {
    let parts: BTreeSet<GroupId> =
        draft.origins.get(&group)?.iter().flatten().map(|&(part, _)| part).collect();
    let bits: Option<Vec<ValueId>> = parts.into_iter().map(|part| single_move_bit(draft, part)).collect();
    column_set(&mut draft.build, bits?.into_iter())
}

/// Returns the slots whose complement, within all places of the columns, is the vector of free places.
fn occupied_slots(build: &CircuitBuilder, columns: &ColumnSet) -> Option<Vec<SlotId>> {
    let free = match build.values[columns.among].op {
        Op::And(of, mask) if build.constant(mask).is_some() => of,
        _ => columns.among,
    };
    let Op::AndNot(all, taken) = build.values[free].op else { return None };
    if !columns.places.is_subset(build.constant(all)?) {
        return None;
    }
    let mut slots = BTreeSet::new();
    let mut open = vec![taken];
    while let Some(value) = open.pop() {
        match build.values[value].op {
            Op::Or(a, b) => open.extend([a, b]),
            Op::Slot(slot) => {
                slots.insert(slot);
            }
            _ => return None,
        }
    }
    Some(slots.into_iter().collect())
}

/// Returns true if the only change that moves make to the slots is that these groups add their bits to one of them.
fn only_adds_at_lowest(draft: &Draft, stacking: &Stacking, lowest: &[GroupId]) -> bool {
    let puts = |slot: SlotId, value: ValueId, bit: Option<ValueId>| match draft.build.values[value].op {
        Op::Or(a, b) => [(a, b), (b, a)].into_iter().any(|(old, new)| {
            matches!(draft.build.values[old].op, Op::Slot(of) if of == slot) && Some(new) == bit
        }),
        Op::Slot(of) => of == slot,
        _ => false,
    };
    draft.controls.iter().all(|control| {
        let bodies = control.groups.iter().map(|id| {
            let group = &draft.groups[*id];
            (&group.body, lowest.contains(id).then_some(group.bit))
        });
        let all = bodies.chain([(&control.stuck, None)]);
        all.flat_map(|(block, bit)| block.yields().into_iter().map(move |after| (after, bit))).all(
            |(after, bit)| {
                let mut changed = after.slots.iter().filter(|(slot, _)| stacking.slots.contains(slot));
                changed.all(|&(slot, value)| puts(slot, value, bit))
            },
        )
    })
}
