//! Merges groups of one move each that do the same with different bits, such as a disc dropped into each column, into
//! one group with a lane for each bit that may be set. The lowest free places of all columns are computed at once.

use std::collections::BTreeMap;

use super::rewrite::Rewriter;
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{GroupId, MoveGroup, Op, StmtBlock, ValueId};
use bouton_base::bits::BitSet;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let mut groups: Vec<GroupId> = Vec::new();
        // The key is the kind of moves and the width of the bits: groups of one key could be one vector.
        let mut columns: BTreeMap<(u32, u32), Vec<(GroupId, ValueId)>> = BTreeMap::new();
        for &group in &draft.controls[id].groups {
            match single_move_bit(draft, group) {
                Some(bit) => {
                    let like = (draft.kinds[group], draft.build.width(bit));
                    columns.entry(like).or_default().push((group, bit));
                }
                None => groups.push(group),
            }
        }
        for columns in columns.into_values() {
            match merged(draft, &columns) {
                Some(group) => groups.push(group),
                None => groups.extend(columns.iter().map(|(group, _)| group)),
            }
        }
        groups.sort_unstable();
        draft.controls[id].groups = groups;
    }
}

/// Returns the bit that is set exactly if the one move of a group is legal.
pub(super) fn single_move_bit(draft: &Draft, group: GroupId) -> Option<ValueId> {
    let MoveGroup { set, pass, .. } = draft.groups[group];
    let Op::Any(bit) = draft.build.values[set].op else { return None };
    let single = matches!(draft.build.values[bit].op, Op::Lowest(_) | Op::Highest(_) | Op::OneHot(_));
    (single && !pass).then_some(bit)
}

/// Merges groups into one, if they differ only in their bits and no two have a bit in common.
fn merged(draft: &mut Draft, columns: &[(GroupId, ValueId)]) -> Option<GroupId> {
    let (&(first, bit), others) = columns.split_first()?;
    let build = &mut draft.build;
    let mut all = build.maybe(bit).clone();
    for &(_, bit) in others {
        if !build.maybe(bit).and(&all).is_empty() {
            return None;
        }
        all = all.or(build.maybe(bit));
    }
    if others.is_empty() {
        return None;
    }
    let set = match column_set(build, columns.iter().map(|&(_, bit)| bit)) {
        Some(columns) => columns.lowest(build),
        None => columns.iter().map(|&(_, bit)| bit).fold(bit, |set, bit| build.or(set, bit)),
    };
    let lane = build.subset_param(set);
    let mut body: Option<StmtBlock> = None;
    for &(group, bit) in columns {
        let mut rewriter = Rewriter::new();
        rewriter.replace(bit, lane);
        let of = rewriter.block(build, &draft.groups[group].body);
        if body.as_ref().is_some_and(|body| *body != of) {
            return None;
        }
        body = Some(of);
    }
    let place = |place: u32| {
        let of = columns.iter().find(|&&(_, bit)| build.maybe(bit).contains(place));
        of.map(|&(group, _)| (group, 0))
    };
    let origins = (0..build.width(set)).map(place).collect();
    let like = draft.groups[first].clone();
    Some(draft.add_derived_group(first, MoveGroup { set, bit: lane, body: body?, ..like }, origins))
}

/// Columns: disjoint sets of evenly spaced places in one vector, with one distance for all columns. No step from the
/// last place of a column leads into another.
#[derive(PartialEq)]
pub(super) struct ColumnSet {
    /// The vector, restricted to the columns.
    pub among: ValueId,
    /// The places of all columns.
    pub places: BitSet,
    /// The distance between the places of a column.
    pub step: i32,
    /// The number of places of the longest column.
    length: u32,
}

impl ColumnSet {
    /// Builds the lowest bits of all columns at once: a doubling fill marks every place above a bit of its column.
    pub fn lowest(&self, build: &mut CircuitBuilder) -> ValueId {
        let mask = build.bits(self.places.clone());
        let up = build.shift(self.among, self.step);
        let mut above = build.and(up, mask);
        let mut filled = 1;
        while filled < self.length - 1 {
            let up = build.shift(above, self.step * filled as i32);
            let up = build.and(up, mask);
            above = build.or(above, up);
            filled *= 2;
        }
        build.and_not(self.among, above)
    }
}

/// Recognizes the columns of which these values are the lowest bits.
pub(super) fn column_set(
    build: &mut CircuitBuilder,
    bits: impl Iterator<Item = ValueId>,
) -> Option<ColumnSet> {
    let mut whole: Option<ValueId> = None;
    let mut parts: Vec<BitSet> = Vec::new();
    for bit in bits {
        let Op::Lowest(among) = build.values[bit].op else { return None };
        let Op::And(of, mask) = build.values[among].op else { return None };
        let mask = build.constant(mask)?.clone();
        if *whole.get_or_insert(of) != of {
            return None;
        }
        parts.push(mask);
    }
    let longest = parts.iter().max_by_key(|part| part.count())?;
    let length = longest.count();
    let mut places = longest.iter();
    let step = -(places.next()? as i32) + places.next()? as i32;
    let all = parts.iter().skip(1).fold(parts[0].clone(), |all, part| all.or(part));
    for part in &parts {
        let places: Vec<u32> = part.iter().collect();
        let even = places.windows(2).all(|pair| pair[1] - pair[0] == step as u32);
        // From the last place no number of steps leads into any column.
        let beyond = |by: u32| places.last().map_or(0, |last| last + by * step as u32);
        let ends = (1..length).all(|by| beyond(by) >= all.len() || !all.contains(beyond(by)));
        if !even || !ends {
            return None;
        }
    }
    let mask = build.bits(all.clone());
    let among = build.and(whole?, mask);
    Some(ColumnSet { among, places: all, step, length })
}
