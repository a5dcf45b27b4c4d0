//! Groups whose bodies ask of each lane whether it is in a part of the state, such as the kings: the lanes in it and
//! those outside become two groups where each of them has less to do.

use super::rewrite::Rewriter;
use super::{grows_from_lane, of_lanes};
use crate::circuit::draft::Draft;
use crate::circuit::{Group, GroupId, Op, ValueId};

/// Longer bodies are not made twice.
const LONGEST: usize = 200;

/// A group is parted if the lanes outside need no more than so much of what all lanes need.
const LESS: f64 = 0.75;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let groups = draft.controls[id].groups.clone();
        draft.controls[id].groups =
            groups.into_iter().flat_map(|group| parted(draft, group).unwrap_or(vec![group])).collect();
    }
}

/// Two groups for one, the lanes outside first.
fn parted(draft: &mut Draft, id: GroupId) -> Option<Vec<GroupId>> {
    let group = draft.groups[id].clone();
    let whole = of_lanes(draft, &group);
    let one = draft.build.width(group.set) == 1;
    if group.pass || one || whole.len() > LONGEST || grows_from_lane(draft, &group) {
        return None;
    }
    let asked = whole.iter().filter_map(|&value| match draft.build.values[value].op {
        Op::And(a, b) if a == group.bit => Some((b, value)),
        Op::And(a, b) if b == group.bit => Some((a, value)),
        _ => None,
    });
    let asked: Vec<(ValueId, ValueId)> =
        asked.filter(|(of, _)| matches!(draft.build.values[*of].op, Op::Slot(_))).collect();
    let longest = (LESS * whole.len() as f64) as usize;
    let lengths = asked.into_iter().map(|(of, inside)| (length_outside(draft, &group, inside), of));
    let (length, asked) = lengths.min_by_key(|&(length, _)| length)?;
    if length > longest {
        return None;
    }
    let build = &mut draft.build;
    let sets = [build.and_not(group.set, asked), build.and(group.set, asked)];
    let best = sets.map(|set| {
        let bit = build.part_of(set);
        let mut rewriter = Rewriter::new();
        rewriter.replace(group.bit, bit);
        let body = rewriter.block(build, &group.body);
        Group { set, bit, body, ..group.clone() }
    });
    let lengths = best.each_ref().map(|half| of_lanes(draft, half).len());
    let less = lengths[0] <= longest && lengths[1] <= whole.len();
    let some = best.iter().all(|half| !draft.build.maybe(half.set).is_empty());
    if !less || !some {
        return None;
    }
    let made = best.map(|half| {
        let maybe = draft.build.maybe(half.set).clone();
        let origins = (0..maybe.len()).map(|place| maybe.contains(place).then_some((id, place))).collect();
        draft.regroup(id, half, origins)
    });
    Some(made.to_vec())
}

/// How much a lane needs that is known not to be in a part of the state. The bit stays what it is, so that only what
/// speaks of that part is made again: it is asked of many parts, and few are worth two groups.
fn length_outside(draft: &mut Draft, group: &Group, inside: ValueId) -> usize {
    let build = &mut draft.build;
    let mut rewriter = Rewriter::new();
    let nothing = build.zero(build.width(inside));
    rewriter.replace(inside, nothing);
    let body = rewriter.block(build, &group.body);
    of_lanes(draft, &Group { body, ..group.clone() }).len()
}
