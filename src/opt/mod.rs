//! Floor 7: passes over circuits, one a file: each gives a circuit that plays the same games in less time.
//!
//! *Invariant:* a pass knows circuits and no rules. It may change the order of moves (who names them puts them in
//! order), and which values are computed, but never what a position leads to.

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

/// A pass.
pub struct Pass {
    /// Its name for `--skip-pass`.
    pub name: &'static str,
    run: fn(&mut Draft),
}

/// The passes in the order they run.
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

/// Runs the passes but those named.
pub fn optimise(draft: &mut Draft, skipped: &[String]) {
    for pass in PASSES.iter().filter(|pass| !skipped.iter().any(|name| name == pass.name)) {
        cancel::poll();
        (pass.run)(draft);
    }
}

/// The values that the statements of a block use.
fn values_of(block: &Block, visit: &mut dyn FnMut(ValueId)) {
    for stmt in &block.stmts {
        each_use(stmt, visit);
        if let Stmt::If(_, yes, no) = stmt {
            [yes, no].into_iter().for_each(|block| values_of(block, visit));
        }
    }
}

/// The values that are computed for each lane of a group, in order.
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

/// Whether a fixpoint depends on the lane of a group: its body cannot be made again with another bit, for the fixpoint
/// would need variables of its own.
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

/// What the body of a group is made of, but for what is older than the bit of its lane and cannot depend on it.
fn reached_from(draft: &Draft, group: &Group) -> FxHashSet<ValueId> {
    let mut all = FxHashSet::default();
    values_of(&group.body, &mut |value| draft.build.reach_from(value, group.bit, &mut all));
    all
}
