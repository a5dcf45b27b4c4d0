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
    /// The name that `--skip-pass` had for it before.
    alias: Option<&'static str>,
    run: fn(&mut Draft),
}

impl CircuitPass {
    const fn new(name: &'static str, alias: Option<&'static str>, run: fn(&mut Draft)) -> CircuitPass {
        CircuitPass { name, alias, run }
    }

    /// Runs the pass.
    pub fn run(&self, draft: &mut Draft) {
        (self.run)(draft);
    }

    /// Returns true if this is a name of the pass.
    pub fn is_named(&self, name: &str) -> bool {
        name == self.name || self.alias == Some(name)
    }
}

/// All passes, in the order in which they run.
pub const PASSES: &[CircuitPass] = &[
    CircuitPass::new("constant_propagation", Some("constants"), constant_propagation::run),
    CircuitPass::new("condition_propagation", Some("facts"), condition_propagation::run),
    CircuitPass::new("column_merging", Some("columns"), column_merging::run),
    CircuitPass::new("stacking", None, stacking::run),
    CircuitPass::new("lane_split", Some("parted"), lane_split::run),
    CircuitPass::new("group_fusion", Some("woven"), group_fusion::run),
    CircuitPass::new("run_doubling", Some("doubling"), run_doubling::run),
    CircuitPass::new("dead_terminals", Some("settled"), dead_terminals::run),
    CircuitPass::new("short_circuit", Some("lazy"), short_circuit::run),
];

/// Runs all passes except those in `skipped`, by name.
pub fn optimise(draft: &mut Draft, skipped: &[String]) {
    for pass in PASSES.iter().filter(|pass| !skipped.iter().any(|name| pass.is_named(name))) {
        cancel::poll();
        pass.run(draft);
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
