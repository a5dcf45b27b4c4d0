//! Short-circuit evaluation of terminal tests: of two conjuncts, the expensive one is computed only if the cheap one
//! holds.

use rustc_hash::FxHashSet;

use crate::circuit::build::Builder;
use crate::circuit::draft::Draft;
use crate::circuit::{Block, Op, Over, Stmt, ValueId};

/// The number of values below which computing a condition beats branching over it.
const SHORT: usize = 12;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let control = &draft.controls[id];
        // The sets of the groups need these values anyway.
        let mut needed = FxHashSet::default();
        control.groups.iter().for_each(|&group| draft.build.reach(draft.groups[group].set, &mut needed));
        let mut before = Block::default();
        for stmt in control.before.stmts.clone() {
            before.stmts.push(match stmt {
                Stmt::Over(over) => in_turn(&mut draft.build, over, &needed),
                other => other,
            });
        }
        draft.controls[id].before = before;
    }
}

/// Splits a conjunction into nested tests, the cheaper operand first.
fn in_turn(build: &mut Builder, over: Over, needed: &FxHashSet<ValueId>) -> Stmt {
    let (a, b) = match build.values[over.when].op {
        Op::And(a, b) => (a, b),
        Op::AndNot(a, b) => (a, build.not(b)),
        _ => return alone(build, over, needed),
    };
    let cost = |build: &Builder, value: ValueId| {
        let mut all = needed.clone();
        build.reach(value, &mut all);
        all.len() - needed.len()
    };
    let (x, y) = (cost(build, a), cost(build, b));
    let (first, then, rest) = if x <= y { (a, b, y) } else { (b, a, x) };
    if rest < SHORT {
        return alone(build, over, needed);
    }
    let inner = alone(build, Over { when: then, ..over }, needed);
    Stmt::If(first, Block { stmts: vec![inner] }, Block::default())
}

/// Computes the scores of a terminal test only in the case that it holds.
fn alone(build: &mut Builder, over: Over, needed: &FxHashSet<ValueId>) -> Stmt {
    let mut all = needed.clone();
    build.reach(over.when, &mut all);
    let known = all.len();
    over.scores.iter().for_each(|&score| build.reach(score, &mut all));
    if all.len() - known < SHORT {
        return Stmt::Over(over);
    }
    let when = over.when;
    let yes = build.truth(true);
    let inner = Stmt::Over(Over { when: yes, ..over });
    Stmt::If(when, Block { stmts: vec![inner] }, Block::default())
}
