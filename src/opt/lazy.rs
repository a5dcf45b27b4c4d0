//! Ends that need two conditions: what takes long to find out is only looked at where the other holds.

use rustc_hash::FxHashSet;

use crate::circuit::build::Builder;
use crate::circuit::draft::Draft;
use crate::circuit::{Block, Op, Over, Stmt, ValueId};

/// A condition of fewer values is rather computed than jumped over.
const SHORT: usize = 12;

pub(super) fn run(draft: &mut Draft) {
    let controls: Vec<_> = draft.controls.ids().collect();
    for id in controls {
        let control = &draft.controls[id];
        // What the moves need is computed anyway.
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

/// An end whose conditions are asked one after the other, the cheaper first.
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

/// An end whose scores are only computed where it comes.
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
