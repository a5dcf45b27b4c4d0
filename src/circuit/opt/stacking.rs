//! Stacking (gravity columns): if every move adds a bit at the lowest free place of a column, and no move removes one,
//! then the free places of a column lie above the taken ones. This holds in all reachable positions if it holds in the
//! initial one. It gives the lowest free places in two operations.

use std::collections::BTreeSet;

use super::column_merging::ColumnSet;
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{GroupId, Op, SlotId, Stacking, ValueId};

/// Simplifies the sets of groups whose lanes are the lowest places of columns.
pub(super) fn run(draft: &mut Draft, stacked: &[(GroupId, ColumnSet)]) {
    for (id, of) in stacked {
        let Some(slots) = occupied_slots(&draft.build, of) else { continue };
        let pile = Stacking { slots, places: of.places.clone(), step: of.step };
        let lowest: Vec<GroupId> = stacked.iter().filter(|(_, o)| o == of).map(|(group, _)| *group).collect();
        if !pile.is_satisfied(&draft.build.layout, &draft.initial.words)
            || !only_adds_at_lowest(draft, &pile, &lowest)
        {
            continue;
        }
        let build = &mut draft.build;
        let above = build.shift(of.among, of.step);
        draft.groups[*id].set = build.and_not(of.among, above);
        if !draft.piles.contains(&pile) {
            draft.piles.push(pile);
        }
    }
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
fn only_adds_at_lowest(draft: &Draft, pile: &Stacking, lowest: &[GroupId]) -> bool {
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
                let mut changed = after.slots.iter().filter(|(slot, _)| pile.slots.contains(slot));
                changed.all(|&(slot, value)| puts(slot, value, bit))
            },
        )
    })
}
