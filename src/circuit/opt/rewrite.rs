//! The rewriter that the passes share: rebuilds values from changed operands, and the statements that use them.
//!
//! *Invariant:* operands have smaller ids than their users, so no value changes whose id is below those of all replaced
//! values. The traversal for a group therefore skips the values that its lanes share with all others.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::CircuitBuilder;
use crate::{Op, StateUpdate, Stmt, StmtBlock, TerminalTest, ValueId};

/// Replaces values, and rebuilds all values that depend on them.
#[derive(Clone)]
pub(super) struct Rewriter {
    /// The requested replacements.
    replaced: FxHashMap<ValueId, ValueId>,
    /// The memo of rewritten values.
    became: FxHashMap<ValueId, ValueId>,
    /// The peephole optimisation that every rebuilt value passes through.
    peephole: Option<Peephole>,
    /// The lower bound of changing values: those below it stay the same. `None` if all may change.
    least: Option<ValueId>,
}

/// A local rewrite: returns the value or a better one.
type Peephole = Rc<dyn Fn(&mut CircuitBuilder, ValueId) -> ValueId>;

impl Rewriter {
    /// Returns a rewriter without replacements.
    pub fn new() -> Rewriter {
        Rewriter {
            replaced: FxHashMap::default(),
            became: FxHashMap::default(),
            peephole: None,
            least: Some(ValueId(u32::MAX)),
        }
    }

    /// Returns a rewriter that applies `peephole` to every value, operands first.
    pub fn with_peephole(peephole: Peephole) -> Rewriter {
        Rewriter { peephole: Some(peephole), least: None, ..Rewriter::new() }
    }

    /// Replaces the first by the second from now on.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        if self.replaced.insert(old, new) != Some(new) {
            self.became.clear();
        }
        self.least = self.least.map(|least| least.min(old));
    }

    fn known(&self, value: ValueId) -> Option<ValueId> {
        if self.least.is_some_and(|least| value < least) {
            return Some(value);
        }
        self.replaced.get(&value).or_else(|| self.became.get(&value)).copied()
    }

    /// Rewrites a value.
    pub fn value(&mut self, build: &mut CircuitBuilder, value: ValueId) -> ValueId {
        if let Some(became) = self.known(value) {
            return became;
        }
        // An explicit stack, because chains of operands may be long. Operands have smaller ids.
        let mut open = vec![value];
        let mut needed = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some(next) = open.pop() {
            if self.known(next).is_none() && seen.insert(next) {
                needed.push(next);
                build.values[next].op.each_operand(|operand| open.push(operand));
            }
        }
        needed.sort_unstable();
        for old in needed {
            let made = self.make(build, old);
            let made = match &self.peephole {
                Some(peephole) => peephole(build, made),
                None => made,
            };
            self.became.insert(old, made);
        }
        self.became[&value]
    }

    fn make(&self, b: &mut CircuitBuilder, old: ValueId) -> ValueId {
        let node = b.values[old].clone();
        let mut same = true;
        node.op.each_operand(|operand| same &= self.known(operand) == Some(operand));
        // A fixpoint stays unchanged: a copy would need variables of its own.
        if same {
            return old;
        }
        let of = |value: ValueId| self.known(value).expect("operands come first");
        if let Op::OneHot(place) = node.op {
            let maybe = b.maybe(old).clone();
            return b.one_hot(of(place), maybe);
        }
        b.rebuild(&node, &of).unwrap_or(old)
    }

    /// Rewrites the values in a block.
    pub fn block(&mut self, build: &mut CircuitBuilder, block: &StmtBlock) -> StmtBlock {
        let stmts = block.stmts.iter().map(|stmt| match stmt {
            Stmt::Let(_) | Stmt::Fix(..) => stmt.clone(),
            Stmt::Over(over) => Stmt::Over(self.over(build, over)),
            Stmt::If(when, yes, no) => {
                let when = self.value(build, *when);
                Stmt::If(when, self.block(build, yes), self.block(build, no))
            }
            Stmt::Require(value) => Stmt::Require(self.value(build, *value)),
            Stmt::Fault(value) => Stmt::Fault(self.value(build, *value)),
            Stmt::Yield(after) => Stmt::Yield(self.yields(build, after)),
        });
        StmtBlock { stmts: stmts.collect() }
    }

    /// Rewrites the values in a terminal test.
    pub fn over(&mut self, build: &mut CircuitBuilder, over: &TerminalTest) -> TerminalTest {
        let when = self.value(build, over.when);
        TerminalTest {
            when,
            scores: over.scores.iter().map(|&v| self.value(build, v)).collect(),
            ..over.clone()
        }
    }

    /// Rewrites the values in a successor.
    pub fn yields(&mut self, build: &mut CircuitBuilder, after: &StateUpdate) -> StateUpdate {
        let slots = after.slots.iter().map(|&(slot, v)| (slot, self.value(build, v))).collect();
        let weight = after.weight.map(|weight| self.value(build, weight));
        StateUpdate { slots, to: after.to, weight }
    }
}
