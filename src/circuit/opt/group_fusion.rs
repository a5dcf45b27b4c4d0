//! Group fusion: groups that do the same with disjoint bits, such as steps to the left and to the right, become one.
//! Shifts move their lanes into disjoint places of one set. Operations that differ are computed for both, where the bit
//! of the other group is empty. So one loop generates the moves of two, and its exit, which branch prediction misses,
//! happens once instead of twice.

use rustc_hash::FxHashMap;

use super::rewrite::Rewriter;
use super::{fixpoint_depends_on_lane, lane_values};
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{GroupId, MoveGroup, Op, StateUpdate, Stmt, StmtBlock, ValueId};
use bouton_base::bits::BitSet;

/// The maximal width of a set of lanes: one word.
const MAX_SET_LANES: u32 = 64;

/// The maximal number of values per lane by which the fused group may exceed the longer of the two.
const MAX_EXTRA_VALUES: usize = 8;

/// The maximal number of values per lane of a group to fuse; for longer bodies the cost of a loop matters little.
const MAX_LANE_VALUES: usize = 60;

/// A group that may be fused with another.
#[derive(Clone, Copy)]
struct FusionCandidate {
    group: GroupId,
    /// The number of values per lane; `None` if the group is unfit for fusion.
    length: Option<usize>,
}

impl FusionCandidate {
    fn new(draft: &Draft, group: GroupId) -> FusionCandidate {
        FusionCandidate { group, length: length(draft, group) }
    }
}

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let mut groups: Vec<FusionCandidate> = Vec::new();
        for group in draft.controls[id].groups.clone() {
            let next = FusionCandidate::new(draft, group);
            let fused = (0..groups.len()).find_map(|i| Some((i, fuse(draft, groups[i], next)?)));
            match fused {
                Some((i, both)) => groups[i] = FusionCandidate::new(draft, both),
                None => groups.push(next),
            }
        }
        draft.controls[id].groups = groups.into_iter().map(|candidate| candidate.group).collect();
    }
}

/// Returns the number of values per lane of a group; `None` if the group is unfit for fusion.
fn length(draft: &Draft, id: GroupId) -> Option<usize> {
    let group = &draft.groups[id];
    let some = draft.build.maybe(group.set).count() > 1;
    let length = lane_values(draft, group).len();
    (!group.pass && some && length <= MAX_LANE_VALUES && !fixpoint_depends_on_lane(draft, group))
        .then_some(length)
}

/// Fuses two groups, if their lanes fit into disjoint places of one word and their bodies differ only in the use of
/// their bits.
fn fuse(draft: &mut Draft, first: FusionCandidate, second: FusionCandidate) -> Option<GroupId> {
    let longer = first.length?.max(second.length?);
    let (first, second) = (first.group, second.group);
    if draft.kinds[first] != draft.kinds[second] {
        return None;
    }
    let (one, two) = (draft.groups[first].clone(), draft.groups[second].clone());
    let widths = [one.set, two.set].map(|set| draft.build.width(set));
    let build = &mut draft.build;
    let lanes = [one.set, two.set].map(|set| build.maybe(set).clone());
    let by = disjoint_shift(&lanes[0], &lanes[1])?;
    let moves = [0.min(by).abs(), 0.max(by)];
    let ends =
        lanes.iter().zip(moves).map(|(lanes, by)| lanes.iter().last().map_or(0, |p| p + 1 + by as u32));
    let width = ends.max()?;
    let parts = [one.set, two.set].into_iter().zip(moves).map(|(set, by)| {
        let wide = width.max(build.width(set));
        let set = build.resize(set, wide);
        let set = build.shift(set, by);
        build.resize(set, width)
    });
    let parts: Vec<ValueId> = parts.collect();
    let set = build.or(parts[0], parts[1]);
    let bit = build.subset_param(set);
    let mut own = Vec::new();
    for ((part, by), of) in parts.into_iter().zip(moves).zip(widths) {
        let mask = build.maybe(part).clone();
        let mask = build.bits(mask);
        let of_part = build.and(bit, mask);
        let wide = build.resize(of_part, width.max(of));
        let there = build.shift(wide, -by);
        own.push(build.resize(there, of));
    }
    let mut fusion =
        BodyFusion { build, bits: [one.bit, two.bit], own: [own[0], own[1]], made: FxHashMap::default() };
    let body = fusion.block(&one.body, &two.body)?;
    let both = MoveGroup { set, bit, body, ..one.clone() };
    if lane_values(draft, &both).len() > longer + MAX_EXTRA_VALUES {
        return None;
    }
    let place = |place: u32| {
        let mut of = [(first, &lanes[0], moves[0]), (second, &lanes[1], moves[1])].into_iter();
        of.find_map(|(group, lanes, by)| {
            let place = place.checked_sub(by as u32)?;
            (place < lanes.len() && lanes.contains(place)).then_some((group, place))
        })
    };
    let origins = (0..width).map(place).collect();
    Some(draft.add_derived_group(first, both, origins))
}

/// Returns the shift of the second lanes, or of the first where negative, that makes the lanes disjoint.
fn disjoint_shift(first: &BitSet, second: &BitSet) -> Option<i32> {
    let end = |lanes: &BitSet| lanes.iter().last().map_or(0, |place| place + 1);
    if first.len() > MAX_SET_LANES || second.len() > MAX_SET_LANES {
        return None;
    }
    let free = |by: u32, still: &BitSet, moved: &BitSet| {
        end(moved) + by <= MAX_SET_LANES
            && moved.iter().all(|place| place + by >= still.len() || !still.contains(place + by))
    };
    (0..MAX_SET_LANES as i32).flat_map(|by| [by, -by]).find(|&by| {
        let (still, moved) = if by < 0 { (second, first) } else { (first, second) };
        free(by.unsigned_abs(), still, moved)
    })
}

struct BodyFusion<'a> {
    build: &'a mut CircuitBuilder,
    /// The bits of the two original groups.
    bits: [ValueId; 2],
    /// The bit of the fused group as the bit of each original group; empty if the lane belongs to the other.
    own: [ValueId; 2],
    /// The memo of fused pairs.
    made: FxHashMap<(ValueId, ValueId), Option<ValueId>>,
}

impl BodyFusion<'_> {
    fn block(&mut self, one: &StmtBlock, two: &StmtBlock) -> Option<StmtBlock> {
        if one.stmts.len() != two.stmts.len() {
            return None;
        }
        let stmts = one.stmts.iter().zip(&two.stmts).map(|(one, two)| self.stmt(one, two));
        Some(StmtBlock { stmts: stmts.collect::<Option<_>>()? })
    }

    fn stmt(&mut self, one: &Stmt, two: &Stmt) -> Option<Stmt> {
        Some(match (one, two) {
            (Stmt::If(x, yes, no), Stmt::If(y, also, else_)) => {
                Stmt::If(self.value(*x, *y)?, self.block(yes, also)?, self.block(no, else_)?)
            }
            (Stmt::Require(x), Stmt::Require(y)) => Stmt::Require(self.value(*x, *y)?),
            (Stmt::Fault(x), Stmt::Fault(y)) => Stmt::Fault(self.value(*x, *y)?),
            (Stmt::Yield(x), Stmt::Yield(y))
                if x.to == y.to
                    && x.slots.len() == y.slots.len()
                    && x.weight.is_none()
                    && y.weight.is_none() =>
            {
                let slots = x.slots.iter().zip(&y.slots).map(|(&(slot, v), &(other, w))| {
                    if slot == other { Some((slot, self.value(v, w)?)) } else { None }
                });
                Stmt::Yield(StateUpdate { slots: slots.collect::<Option<_>>()?, to: x.to, weight: None })
            }
            _ => return None,
        })
    }

    /// Returns a value that equals `one` for the lanes of the first group and `two` for those of the second.
    fn value(&mut self, one: ValueId, two: ValueId) -> Option<ValueId> {
        if let Some(&made) = self.made.get(&(one, two)) {
            return made;
        }
        let made = self.make(one, two);
        self.made.insert((one, two), made);
        made
    }

    fn make(&mut self, one: ValueId, two: ValueId) -> Option<ValueId> {
        if one == two {
            return Some(one);
        }
        if self.build.ty(one) != self.build.ty(two) {
            return None;
        }
        self.alike(one, two).or_else(|| self.beside(one, two))
    }

    /// Fuses two equal operations, operand by operand.
    fn alike(&mut self, one: ValueId, two: ValueId) -> Option<ValueId> {
        let ops = [one, two].map(|value| self.build.values[value].op.clone());
        if let [Op::And(x, m), Op::And(y, n)] = ops
            && let Some(mask) = self.mask_of_both([x, y], [m, n])
        {
            let of = self.value(x, y)?;
            return Some(self.build.and(of, mask));
        }
        let either = |fusion: &mut Self, (a, b): (ValueId, ValueId), (c, d): (ValueId, ValueId)| {
            let mut pairs = |p: (ValueId, ValueId), q: (ValueId, ValueId)| {
                Some((fusion.value(p.0, p.1)?, fusion.value(q.0, q.1)?))
            };
            // A shared operand is paired with itself.
            if a == d || b == c { pairs((a, d), (b, c)) } else { pairs((a, c), (b, d)) }
        };
        match ops {
            [Op::And(a, b), Op::And(c, d)] => {
                let (x, y) = either(self, (a, b), (c, d))?;
                Some(self.build.and(x, y))
            }
            [Op::Or(a, b), Op::Or(c, d)] => {
                let (x, y) = either(self, (a, b), (c, d))?;
                Some(self.build.or(x, y))
            }
            [Op::AndNot(a, b), Op::AndNot(c, d)] => {
                let (x, y) = (self.value(a, c)?, self.value(b, d)?);
                Some(self.build.and_not(x, y))
            }
            [Op::Not(a), Op::Not(b)] => {
                let of = self.value(a, b)?;
                Some(self.build.not(of))
            }
            [Op::Any(a), Op::Any(b)] => {
                let of = self.value(a, b)?;
                Some(self.build.any(of))
            }
            [Op::First(a), Op::First(b)] => {
                let of = self.value(a, b)?;
                Some(self.build.first(of))
            }
            [Op::Shift(a, by), Op::Shift(b, other)] if by == other => {
                let of = self.value(a, b)?;
                Some(self.build.shift(of, by))
            }
            _ => None,
        }
    }

    /// Returns one mask that can replace the mask of each value.
    fn mask_of_both(&mut self, values: [ValueId; 2], masks: [ValueId; 2]) -> Option<ValueId> {
        let ([x, y], [m, n]) = (values, masks);
        let (m, n) = (self.build.constant(m)?, self.build.constant(n)?);
        let both = m.or(n);
        let same = |of: ValueId, mask: &BitSet| self.build.maybe(of).and(&both).is_subset(mask);
        (same(x, m) && same(y, n)).then(|| self.build.bits(both))
    }

    /// Returns the union of both values, each computed from its own bit, if each is empty without its bit.
    fn beside(&mut self, one: ValueId, two: ValueId) -> Option<ValueId> {
        let values = [one, two];
        if !(0..2).all(|i| self.needs(values[i], self.bits[i])) {
            return None;
        }
        let parts = [0, 1].map(|i| {
            let mut rewriter = Rewriter::new();
            rewriter.replace(self.bits[i], self.own[i]);
            rewriter.value(self.build, values[i])
        });
        Some(self.build.or(parts[0], parts[1]))
    }

    /// Returns true if the value is empty whenever the bit is empty.
    fn needs(&self, value: ValueId, bit: ValueId) -> bool {
        let needs = |value: ValueId| self.needs(value, bit);
        match self.build.values[value].op {
            _ if value == bit => true,
            Op::And(x, y) => needs(x) || needs(y),
            Op::Or(x, y) | Op::Xor(x, y) => needs(x) && needs(y),
            Op::AndNot(x, _)
            | Op::Shift(x, _)
            | Op::Resize(x)
            | Op::Spread(x)
            | Op::Any(x)
            | Op::Lowest(x)
            | Op::Highest(x) => needs(x),
            _ => false,
        }
    }
}
