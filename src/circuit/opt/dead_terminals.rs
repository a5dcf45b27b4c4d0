//! Finds dead terminal tests. If the test failed before the move, and the move changes no slot that the condition
//! reads, it fails after the move as well: in Connect Four, only the player who has just moved can have four in line.

use rustc_hash::FxHashSet;

use crate::draft::Draft;
use crate::{ControlId, Op, SlotId, Stmt, StmtBlock, ValueId};

pub(super) fn run(draft: &mut Draft) {
    // The edges between controls, with the slots that change.
    let mut edges: Vec<(ControlId, ControlId, Vec<SlotId>)> = Vec::new();
    for (id, control) in draft.controls.entries() {
        let mut add = |block: &StmtBlock| {
            for after in block.yields() {
                edges.push((id, after.to, after.slots.iter().map(|(slot, _)| *slot).collect()));
            }
        };
        control.groups.iter().for_each(|&group| add(&draft.groups[group].body));
        add(&control.stuck);
    }
    let tested: Vec<Vec<ValueId>> =
        draft.controls.iter().map(|control| aledges_tested_conditions(&control.before)).collect();
    let controls: Vec<ControlId> = draft.controls.ids().collect();
    for (id, before) in controls.into_iter().zip(&tested) {
        let dead: Vec<ValueId> = before
            .iter()
            .copied()
            .filter(|&when| {
                let reads = reads(draft, when);
                edges.iter().filter(|(_, to, _)| *to == id).all(|(from, _, slots)| {
                    tested[from.0 as usize].contains(&when) && !slots.iter().any(|slot| reads.contains(slot))
                })
            })
            .collect();
        for stmt in &mut draft.controls[id].before.stmts {
            if let Stmt::Over(over) = stmt
                && !over.unless_stuck
            {
                over.dead_after_move = dead.contains(&over.when);
            }
        }
    }
}

/// Returns the conditions that are tested in every position where the game goes on.
fn aledges_tested_conditions(before: &StmtBlock) -> Vec<ValueId> {
    let over = |stmt: &Stmt| match stmt {
        Stmt::Over(over) if !over.unless_stuck => Some(over.when),
        _ => None,
    };
    before.stmts.iter().filter_map(over).collect()
}

/// Returns the slots that a value depends on.
fn reads(draft: &Draft, value: ValueId) -> FxHashSet<SlotId> {
    let mut seen = FxHashSet::default();
    draft.build.add_transitive_operands(value, &mut seen);
    let slot = |value: &ValueId| match draft.build.values[*value].op {
        Op::Slot(slot) => Some(slot),
        _ => None,
    };
    seen.iter().filter_map(slot).collect()
}
