//! Lane splitting: if the body of a group tests each lane against a slot, such as the kings, the lanes inside and
//! outside of the slot become two groups, provided each of them computes less.

use super::rewrite::Rewriter;
use super::{fixpoint_depends_on_lane, lane_values};
use crate::draft::Draft;
use crate::{GroupId, MoveGroup, Op, ValueId};

/// The maximal number of values per lane of a group to split; splitting copies the body.
const MAX_LANE_VALUES: usize = 200;

/// The maximal cost of the lanes outside, as a share of the cost of all lanes.
const MAX_COST_RATIO: f64 = 0.75;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let groups = draft.controls[id].groups.clone();
        draft.controls[id].groups =
            groups.into_iter().flat_map(|group| split_lanes(draft, group).unwrap_or(vec![group])).collect();
    }
}

/// Splits a group in two, the lanes outside first.
fn split_lanes(draft: &mut Draft, id: GroupId) -> Option<Vec<GroupId>> {
    let group = draft.groups[id].clone();
    let whole = lane_values(draft, &group);
    let one = draft.build.width(group.set) == 1;
    if group.pass || one || whole.len() > MAX_LANE_VALUES || fixpoint_depends_on_lane(draft, &group) {
        return None;
    }
    let asked = whole.iter().filter_map(|&value| match draft.build.values[value].op {
        Op::And(a, b) if a == group.bit => Some((b, value)),
        Op::And(a, b) if b == group.bit => Some((a, value)),
        _ => None,
    });
    let asked: Vec<(ValueId, ValueId)> =
        asked.filter(|(of, _)| matches!(draft.build.values[*of].op, Op::Slot(_))).collect();
    let longest = (MAX_COST_RATIO * whole.len() as f64) as usize;
    let lengths = asked.into_iter().map(|(of, inside)| (length_outside(draft, &group, inside), of));
    let (length, asked) = lengths.min_by_key(|&(length, _)| length)?;
    if length > longest {
        return None;
    }
    let build = &mut draft.build;
    let sets = [build.and_not(group.set, asked), build.and(group.set, asked)];
    let best = sets.map(|set| {
        let bit = build.subset_param(set);
        let mut rewriter = Rewriter::new();
        rewriter.replace(group.bit, bit);
        let body = rewriter.block(build, &group.body);
        MoveGroup { set, bit, body, ..group.clone() }
    });
    let lengths = best.each_ref().map(|half| lane_values(draft, half).len());
    let less = lengths[0] <= longest && lengths[1] <= whole.len();
    let some = best.iter().all(|half| !draft.build.maybe(half.set).is_empty());
    if !less || !some {
        return None;
    }
    let made = best.map(|half| {
        let maybe = draft.build.maybe(half.set).clone();
        let origins = (0..maybe.len()).map(|place| maybe.contains(place).then_some((id, place))).collect();
        draft.add_derived_group(id, half, origins)
    });
    Some(made.to_vec())
}

/// Estimates the cost of a lane outside of the slot, by replacing its test `inside` with the empty set. The bit stays
/// the same, so only the values that depend on the test are rebuilt. The estimate is cheap because there are many slots
/// to try, and few are worth two groups.
fn length_outside(draft: &mut Draft, group: &MoveGroup, inside: ValueId) -> usize {
    let build = &mut draft.build;
    let mut rewriter = Rewriter::new();
    let nothing = build.zero(build.width(inside));
    rewriter.replace(inside, nothing);
    let body = rewriter.block(build, &group.body);
    lane_values(draft, &MoveGroup { body, ..group.clone() }).len()
}
