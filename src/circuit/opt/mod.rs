//! The optimisation passes over circuits, one a file: each keeps the game and makes it run faster.
//!
//! *Invariant:* a pass knows circuits and no rules. It may change the order of moves (the code that names moves
//! restores their order) and the set of computed values, but never the successors of a position.

use rustc_hash::FxHashSet;

use crate::draft::Draft;
use crate::schedule::each_use;
use crate::{MoveGroup, Op, Stmt, StmtBlock, ValueId};
use bouton_base::cancel;

mod column_merging;
mod condition_propagation;
mod constant_propagation;
mod dead_terminals;
mod group_fusion;
mod lane_split;
mod rewrite;
mod run_doubling;
mod short_circuit;
mod stacking;

pub struct CircuitPass {
    /// The name for `--skip-pass`.
    pub name: &'static str,
    run: fn(&mut Draft),
}

/// All passes, in the order in which they run.
pub const PASSES: &[CircuitPass] = &[
    CircuitPass { name: "constants", run: constant_propagation::run },
    CircuitPass { name: "facts", run: condition_propagation::run },
    CircuitPass { name: "columns", run: column_merging::run },
    CircuitPass { name: "parted", run: lane_split::run },
    CircuitPass { name: "woven", run: group_fusion::run },
    CircuitPass { name: "doubling", run: run_doubling::run },
    CircuitPass { name: "settled", run: dead_terminals::run },
    CircuitPass { name: "lazy", run: short_circuit::run },
];

/// Runs all passes except those in `skipped`, by name.
pub fn optimise(draft: &mut Draft, skipped: &[String]) {
    for pass in PASSES.iter().filter(|pass| !skipped.iter().any(|name| name == pass.name)) {
        cancel::poll();
        (pass.run)(draft);
    }
}

/// Visits the values that the statements of a block use, nested statements included.
fn visit_used_values(block: &StmtBlock, visit: &mut dyn FnMut(ValueId)) {
    for stmt in &block.stmts {
        each_use(stmt, visit);
        if let Stmt::If(_, yes, no) = stmt {
            [yes, no].into_iter().for_each(|block| visit_used_values(block, visit));
        }
    }
}

/// Returns the values that are computed for each lane of a group, in order.
fn lane_values(draft: &Draft, group: &MoveGroup) -> Vec<ValueId> {
    let mut all: Vec<ValueId> = body_values(draft, group).into_iter().collect();
    all.sort_unstable();
    let mut varies = FxHashSet::from_iter([group.bit]);
    all.retain(|&value| {
        let mut with = false;
        draft.build.values[value].op.each_operand(|operand| with |= varies.contains(&operand));
        with && varies.insert(value)
    });
    all
}

/// Returns true if a fixpoint depends on the lane of a group. Then a pass cannot copy the body for another bit, because
/// the fixpoint would need variables of its own.
fn fixpoint_depends_on_lane(draft: &Draft, group: &MoveGroup) -> bool {
    let build = &draft.build;
    let reach = |value: ValueId| {
        let mut all = FxHashSet::default();
        build.add_transitive_operands_from(value, group.bit, &mut all);
        all
    };
    body_values(draft, group)
        .into_iter()
        .filter(|&value| matches!(build.values[value].op, Op::Fixed(..)))
        .any(|fixed| reach(fixed).contains(&group.bit))
}

/// Returns the transitive operands of a group's body, except values older than the bit of its lane, which cannot depend
/// on it.
fn body_values(draft: &Draft, group: &MoveGroup) -> FxHashSet<ValueId> {
    let mut all = FxHashSet::default();
    visit_used_values(&group.body, &mut |value| {
        draft.build.add_transitive_operands_from(value, group.bit, &mut all)
    });
    all
}
