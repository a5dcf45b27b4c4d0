//! Values made again from changed operands, and the statements that use them: what the passes have in common.
//!
//! *Invariant:* operands have smaller ids than what is made of them, so that no value changes whose id is below those of
//! all that is replaced: what a lane of a group shares with all others is not walked again for each group.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::build::Builder;
use crate::circuit::{Block, Op, Over, Stmt, ValueId, Yield};

/// Replaces values, and with them all that is made of them.
#[derive(Clone)]
pub(super) struct Rewriter {
    /// What was asked to be replaced.
    replaced: FxHashMap<ValueId, ValueId>,
    /// What each value became with that.
    became: FxHashMap<ValueId, ValueId>,
    /// What else becomes of a value that was made again.
    peephole: Option<Peephole>,
    /// Values below this one stay as they are; none where all may change.
    least: Option<ValueId>,
}

/// Looks at a value and gives it or a better one.
type Peephole = Rc<dyn Fn(&mut Builder, ValueId) -> ValueId>;

impl Rewriter {
    /// Nothing is replaced yet.
    pub fn new() -> Rewriter {
        Rewriter {
            replaced: FxHashMap::default(),
            became: FxHashMap::default(),
            peephole: None,
            least: Some(ValueId(u32::MAX)),
        }
    }

    /// Every value goes through this once its operands went through it.
    pub fn with(peephole: Peephole) -> Rewriter {
        Rewriter { peephole: Some(peephole), least: None, ..Rewriter::new() }
    }

    /// From here on the first is the second.
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

    /// What a value becomes.
    pub fn value(&mut self, build: &mut Builder, value: ValueId) -> ValueId {
        if let Some(became) = self.known(value) {
            return became;
        }
        // A stack of its own: chains of operands may be long. Operands have smaller ids.
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

    fn make(&self, b: &mut Builder, old: ValueId) -> ValueId {
        let node = b.values[old].clone();
        let mut same = true;
        node.op.each_operand(|operand| same &= self.known(operand) == Some(operand));
        // A fixpoint is left as it is: it would need variables of its own.
        if same {
            return old;
        }
        let of = |value: ValueId| self.known(value).expect("operands come first");
        if let Op::OneHot(place) = node.op {
            let maybe = b.maybe(old).clone();
            return b.one_hot(of(place), maybe);
        }
        b.again(&node, &of).unwrap_or(old)
    }

    /// Statements of which only the values change.
    pub fn block(&mut self, build: &mut Builder, block: &Block) -> Block {
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
        Block { stmts: stmts.collect() }
    }

    /// An end with changed values.
    pub fn over(&mut self, build: &mut Builder, over: &Over) -> Over {
        let when = self.value(build, over.when);
        Over { when, scores: over.scores.iter().map(|&v| self.value(build, v)).collect(), ..over.clone() }
    }

    /// A position after a move with changed values.
    pub fn yields(&mut self, build: &mut Builder, after: &Yield) -> Yield {
        let slots = after.slots.iter().map(|&(slot, v)| (slot, self.value(build, v))).collect();
        let weight = after.weight.map(|weight| self.value(build, weight));
        Yield { slots, to: after.to, weight }
    }
}
