//! The optimisation passes over circuits, one a file: each keeps the game and makes it run faster.
//!
//! *Invariant:* a pass knows circuits and no rules. It may change the order of moves (the code that names moves
//! restores their order) and the set of computed values, but never the successors of a position.

use rustc_hash::FxHashSet;

use crate::base::cancel;
use crate::circuit::draft::Draft;
use crate::circuit::schedule::each_use;
use crate::circuit::{Block, Group, Op, Stmt, ValueId};

mod columns;
mod constants;
mod doubling;
mod facts;
mod lazy;
mod parted;
mod piled;
mod rewrite;
mod settled;
mod woven;

pub struct Pass {
    /// The name for `--skip-pass`.
    pub name: &'static str,
    run: fn(&mut Draft),
}

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    Pass { name: "constants", run: constants::run },
    Pass { name: "facts", run: facts::run },
    Pass { name: "columns", run: columns::run },
    Pass { name: "parted", run: parted::run },
    Pass { name: "woven", run: woven::run },
    Pass { name: "doubling", run: doubling::run },
    Pass { name: "settled", run: settled::run },
    Pass { name: "lazy", run: lazy::run },
];

/// Runs all passes except those in `skipped`, by name.
pub fn optimise(draft: &mut Draft, skipped: &[String]) {
    for pass in PASSES.iter().filter(|pass| !skipped.iter().any(|name| name == pass.name)) {
        cancel::poll();
        (pass.run)(draft);
    }
}

/// Visits the values that the statements of a block use, nested statements included.
fn values_of(block: &Block, visit: &mut dyn FnMut(ValueId)) {
    for stmt in &block.stmts {
        each_use(stmt, visit);
        if let Stmt::If(_, yes, no) = stmt {
            [yes, no].into_iter().for_each(|block| values_of(block, visit));
        }
    }
}

/// Returns the values that are computed for each lane of a group, in order.
fn of_lanes(draft: &Draft, group: &Group) -> Vec<ValueId> {
    let mut all: Vec<ValueId> = reached_from(draft, group).into_iter().collect();
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
fn grows_from_lane(draft: &Draft, group: &Group) -> bool {
    let build = &draft.build;
    let reach = |value: ValueId| {
        let mut all = FxHashSet::default();
        build.reach_from(value, group.bit, &mut all);
        all
    };
    reached_from(draft, group)
        .into_iter()
        .filter(|&value| matches!(build.values[value].op, Op::Fixed(..)))
        .any(|fixed| reach(fixed).contains(&group.bit))
}

/// Returns the transitive operands of a group's body, except values older than the bit of its lane, which cannot depend
/// on it.
fn reached_from(draft: &Draft, group: &Group) -> FxHashSet<ValueId> {
    let mut all = FxHashSet::default();
    values_of(&group.body, &mut |value| draft.build.reach_from(value, group.bit, &mut all));
    all
}
