//! Condition propagation: after a terminal test that failed, after a condition that held, in the branch of an `If`, and
//! for a lane of its set, the condition is a constant. Values that follow from it need no computation.

use super::rewrite::Rewriter;
use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{Op, Stmt, StmtBlock, ValueId};

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let build = &mut draft.build;
        let mut known = Rewriter::new();
        let before = draft.controls[id].before.clone();
        let before = block(build, &mut known, &before);
        for group in draft.controls[id].groups.clone() {
            let of = &mut draft.groups[group];
            of.set = known.value(build, of.set);
            let mut inside = known.clone();
            assume(build, &mut inside, of.set, true);
            assume(build, &mut inside, of.bit, true);
            if build.width(of.set) == 1 {
                let yes = build.truth(true);
                inside.replace(of.bit, yes);
            }
            of.body = block(build, &mut inside, &of.body.clone());
        }
        let stuck = block(build, &mut known, &draft.controls[id].stuck.clone());
        let control = &mut draft.controls[id];
        (control.before, control.stuck) = (before, stuck);
    }
}

/// Records that a condition holds or does not; for a vector, that it is nonempty or empty.
fn assume(build: &mut CircuitBuilder, known: &mut Rewriter, value: ValueId, holds: bool) {
    let width = build.width(value);
    if build.constant(value).is_some() {
        return;
    }
    if width > 1 {
        if holds {
            let any = build.any(value);
            if build.constant(any).is_none() {
                let yes = build.truth(true);
                known.replace(any, yes);
            }
        } else {
            let zero = build.zero(width);
            known.replace(value, zero);
        }
        return;
    }
    match (build.values[value].op.clone(), holds) {
        (Op::Not(a), _) => assume(build, known, a, !holds),
        (Op::And(a, b), true) | (Op::Or(a, b), false) => {
            assume(build, known, a, holds);
            assume(build, known, b, holds);
        }
        (Op::AndNot(a, b), true) => {
            assume(build, known, a, true);
            assume(build, known, b, false);
        }
        (Op::Any(a), false) => assume(build, known, a, false),
        _ => {}
    }
    let truth = build.truth(holds);
    known.replace(value, truth);
}

/// Rewrites the reachable statements of a block under the known conditions. Afterwards `known` includes those that hold
/// after the block.
fn block(build: &mut CircuitBuilder, known: &mut Rewriter, block: &StmtBlock) -> StmtBlock {
    let mut out = StmtBlock::default();
    let mut stmts: Vec<Stmt> = block.stmts.iter().rev().cloned().collect();
    while let Some(stmt) = stmts.pop() {
        match stmt {
            Stmt::Over(over) => {
                let made = known.over(build, &over);
                let constant = build.constant_truth(made.when);
                let waits = made.unless_stuck;
                if constant != Some(false) {
                    out.stmts.push(Stmt::Over(made));
                }
                if constant == Some(true) && !waits {
                    break;
                }
                if !waits {
                    assume(build, known, over.when, false);
                }
            }
            Stmt::Require(holds) => {
                let made = known.value(build, holds);
                if build.constant_truth(made) != Some(true) {
                    out.stmts.push(Stmt::Require(made));
                }
                if build.constant_truth(made) == Some(false) {
                    break;
                }
                assume(build, known, holds, true);
            }
            Stmt::Fault(holds) => {
                let made = known.value(build, holds);
                if build.constant_truth(made) != Some(false) {
                    out.stmts.push(Stmt::Fault(made));
                }
                if build.constant_truth(made) == Some(true) {
                    break;
                }
                assume(build, known, holds, false);
            }
            Stmt::If(when, yes, no) => {
                let made = known.value(build, when);
                if let Some(holds) = build.constant_truth(made) {
                    stmts.extend(if holds { yes } else { no }.stmts.into_iter().rev());
                    continue;
                }
                let branch = |build: &mut CircuitBuilder, holds: bool, of: &StmtBlock| {
                    let mut inside = known.clone();
                    assume(build, &mut inside, when, holds);
                    self::block(build, &mut inside, of)
                };
                let (yes, no) = (branch(build, true, &yes), branch(build, false, &no));
                out.stmts.push(Stmt::If(made, yes, no));
            }
            Stmt::Yield(after) => {
                out.stmts.push(Stmt::Yield(known.yields(build, &after)));
                break;
            }
            Stmt::Let(_) | Stmt::Fix(..) => out.stmts.push(stmt),
        }
    }
    out
}
