//! Short-circuit evaluation of terminal tests: of two conjuncts, the expensive one is computed only if the cheap one
//! holds.

use rustc_hash::FxHashSet;

use crate::build::CircuitBuilder;
use crate::draft::Draft;
use crate::{Op, Stmt, StmtBlock, TerminalTest, ValueId};

/// The number of values below which computing a condition beats branching over it.
const MIN_DEFERRED_VALUES: usize = 12;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let control = &draft.controls[id];
        // The sets of the groups need these values anyway.
        let mut needed = FxHashSet::default();
        control
            .groups
            .iter()
            .for_each(|&group| draft.build.add_transitive_operands(draft.groups[group].set, &mut needed));
        let mut before = StmtBlock::default();
        for stmt in control.before.stmts.clone() {
            before.stmts.push(match stmt {
                Stmt::Over(over) => nest_conditions(&mut draft.build, over, &needed),
                other => other,
            });
        }
        draft.controls[id].before = before;
    }
}

/// Splits a conjunction into nested tests, the cheaper operand first.
fn nest_conditions(build: &mut CircuitBuilder, over: TerminalTest, needed: &FxHashSet<ValueId>) -> Stmt {
    let (a, b) = match build.values[over.when].op {
        Op::And(a, b) => (a, b),
        Op::AndNot(a, b) => (a, build.not(b)),
        _ => return defer_scores(build, over, needed),
    };
    let cost = |build: &CircuitBuilder, value: ValueId| {
        let mut all = needed.clone();
        build.add_transitive_operands(value, &mut all);
        all.len() - needed.len()
    };
    let (x, y) = (cost(build, a), cost(build, b));
    let (first, then, rest) = if x <= y { (a, b, y) } else { (b, a, x) };
    if rest < MIN_DEFERRED_VALUES {
        return defer_scores(build, over, needed);
    }
    let inner = defer_scores(build, TerminalTest { when: then, ..over }, needed);
    Stmt::If(first, StmtBlock { stmts: vec![inner] }, StmtBlock::default())
}

/// Computes the scores of a terminal test only in the case that it holds.
fn defer_scores(build: &mut CircuitBuilder, over: TerminalTest, needed: &FxHashSet<ValueId>) -> Stmt {
    let mut all = needed.clone();
    build.add_transitive_operands(over.when, &mut all);
    let known = all.len();
    over.scores.iter().for_each(|&score| build.add_transitive_operands(score, &mut all));
    if all.len() - known < MIN_DEFERRED_VALUES {
        return Stmt::Over(over);
    }
    let when = over.when;
    let yes = build.truth(true);
    let inner = Stmt::Over(TerminalTest { when: yes, ..over });
    Stmt::If(when, StmtBlock { stmts: vec![inner] }, StmtBlock::default())
}
