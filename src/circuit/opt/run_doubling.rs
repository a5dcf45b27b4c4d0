//! Run doubling: an intersection of a set with its own copies at even distances, `x & x>>d & x>>2d & x>>3d`, is
//! computed as pairs first and then pairs of pairs. A line of k places takes log k steps.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::rewrite::Rewriter;
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{Op, ValueId};

/// The maximal number of copies in an intersection.
const MAX_COPIES: usize = 32;

pub(super) fn run(draft: &mut Draft) {
    let mut uses: FxHashMap<ValueId, u32> = FxHashMap::default();
    for node in draft.build.values.iter() {
        node.op.each_operand(|operand| *uses.entry(operand).or_default() += 1);
    }
    let build = &mut draft.build;
    let mut rewriter = Rewriter::with_peephole(Rc::new(move |build, value| run_of(build, value, &uses)));
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let control = &mut draft.controls[id];
        control.before = rewriter.block(build, &control.before);
        control.stuck = rewriter.block(build, &control.stuck);
        for &group in &control.groups {
            let group = &mut draft.groups[group];
            group.set = rewriter.value(build, group.set);
            group.body = rewriter.block(build, &group.body);
        }
    }
}

/// Rewrites an intersection of copies by doubling; returns any other value unchanged.
fn run_of(build: &mut CircuitBuilder, value: ValueId, uses: &FxHashMap<ValueId, u32>) -> ValueId {
    if !matches!(build.values[value].op, Op::And(..)) {
        return value;
    }
    let mut copies = BTreeSet::new();
    if !copies_of(build, value, 0, uses, &mut copies) {
        return value;
    }
    let shifts: Vec<i32> = copies.iter().map(|&(_, by)| by).collect();
    let Some(&(base, _)) = copies.first() else { return value };
    if copies.len() < 4 || copies.iter().any(|&(of, _)| of != base) {
        return value;
    }
    let step = shifts[1] - shifts[0];
    // All shifts have one direction, so the two forms lose the same bits.
    let one_side = shifts[0] >= 0 || shifts[shifts.len() - 1] <= 0;
    if !one_side || shifts.windows(2).any(|pair| pair[1] - pair[0] != step) {
        return value;
    }
    let (near, away) = if shifts[0] >= 0 { (shifts[0], step) } else { (shifts[shifts.len() - 1], -step) };
    // `run` covers `done` copies, then twice as many; the last part overlaps.
    let (mut run, mut done) = (build.shift(base, near), 1);
    while done < shifts.len() as i32 {
        let more = done.min(shifts.len() as i32 - done);
        let other = build.shift(run, away * more);
        run = build.and(run, other);
        done += more;
    }
    run
}

/// Collects the shifted copies whose intersection is the value; returns false if the value is something else or has too
/// many.
fn copies_of(
    build: &CircuitBuilder,
    value: ValueId,
    by: i32,
    uses: &FxHashMap<ValueId, u32>,
    out: &mut BTreeSet<(ValueId, i32)>,
) -> bool {
    match build.values[value].op {
        Op::And(a, b) => [a, b].into_iter().all(|part| {
            // An operand with other users is computed anyway.
            let own = !matches!(build.values[part].op, Op::And(..)) || uses.get(&part) == Some(&1);
            own && copies_of(build, part, by, uses, out)
        }),
        // Only shifts in one direction combine: a bit that leaves does not come back.
        Op::Shift(a, more) if by == 0 || (by < 0) == (more < 0) => copies_of(build, a, by + more, uses, out),
        _ => {
            out.insert((value, by));
            out.len() <= MAX_COPIES
        }
    }
}
