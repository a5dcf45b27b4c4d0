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
    let halves = |draft: &mut Draft, asked: ValueId| {
        let build = &mut draft.build;
        let sets = [build.and_not(group.set, asked), build.and(group.set, asked)];
        sets.map(|set| {
            let bit = build.part_of(set);
            let mut rewriter = Rewriter::new();
            rewriter.replace(group.bit, bit);
            let body = rewriter.block(build, &group.body);
            Group { set, bit, body, ..group.clone() }
        })
    };
    let asked = whole.iter().filter_map(|&value| match draft.build.values[value].op {
        Op::And(a, b) if a == group.bit => Some(b),
        Op::And(a, b) if b == group.bit => Some(a),
        _ => None,
    });
    let asked: Vec<ValueId> = asked.filter(|&of| matches!(draft.build.values[of].op, Op::Slot(_))).collect();
    let halves = asked.into_iter().map(|asked| halves(draft, asked)).collect::<Vec<_>>();
    let best = halves.into_iter().min_by_key(|[outside, _]| of_lanes(draft, outside).len())?;
    let lengths = best.each_ref().map(|half| of_lanes(draft, half).len());
    let less = lengths[0] as f64 <= LESS * whole.len() as f64 && lengths[1] <= whole.len();
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
