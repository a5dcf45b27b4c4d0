//! Values made again from changed operands, and the statements that use them: what the passes have in common.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::build::Builder;
use crate::circuit::{Block, Op, Over, Stmt, Ty, ValueId, Yield};

/// Replaces values, and with them all that is made of them.
#[derive(Clone)]
pub(super) struct Rewriter {
    /// What was asked to be replaced.
    replaced: FxHashMap<ValueId, ValueId>,
    /// What each value became with that.
    became: FxHashMap<ValueId, ValueId>,
    /// What else becomes of a value that was made again.
    peephole: Peephole,
}

/// Looks at a value and gives it or a better one.
type Peephole = Rc<dyn Fn(&mut Builder, ValueId) -> ValueId>;

impl Rewriter {
    /// Nothing is replaced yet.
    pub fn new() -> Rewriter {
        Rewriter::with(Rc::new(|_, value| value))
    }

    /// Every value goes through this once its operands went through it.
    pub fn with(peephole: Peephole) -> Rewriter {
        Rewriter { replaced: FxHashMap::default(), became: FxHashMap::default(), peephole }
    }

    /// From here on the first is the second.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        if self.replaced.insert(old, new) != Some(new) {
            self.became.clear();
        }
    }

    fn known(&self, value: ValueId) -> Option<ValueId> {
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
            let made = (self.peephole)(build, made);
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
        let of = |value: &ValueId| self.known(*value).expect("operands come first");
        let width = match node.ty {
            Ty::Bits(width) => width,
            Ty::Int => 0,
        };
        match &node.op {
            Op::Bits(_) | Op::Int(_) | Op::Slot(_) | Op::Param(_) | Op::Fixed(..) => old,
            Op::And(x, y) => b.and(of(x), of(y)),
            Op::Or(x, y) => b.or(of(x), of(y)),
            Op::Xor(x, y) => b.xor(of(x), of(y)),
            Op::AndNot(x, y) => b.and_not(of(x), of(y)),
            Op::Not(x) => b.not(of(x)),
            Op::Shift(x, by) => b.shift(of(x), *by),
            Op::Resize(x) => b.resize(of(x), width),
            Op::Spread(x) => b.spread(of(x), width),
            Op::Any(x) => b.any(of(x)),
            Op::Count(x) => b.count(of(x)),
            Op::First(x) => b.first(of(x)),
            Op::Lowest(x) => b.lowest(of(x)),
            Op::Highest(x) => b.highest(of(x)),
            Op::Below(x) => b.below(of(x)),
            Op::Above(x) => b.above(of(x)),
            Op::OneHot(x) => {
                let maybe = b.maybe(old).clone();
                b.one_hot(of(x), maybe)
            }
            Op::Select(c, x, y) => b.select(of(c), of(x), of(y)),
            Op::Pack(x) => b.pack(of(x), width),
            Op::Unpack(x) => b.unpack(of(x)),
            Op::Add(x, y) => b.plus(of(x), of(y)),
            Op::Sub(x, y) => b.minus(of(x), of(y)),
            Op::Mul(x, y) => b.times(of(x), of(y)),
            Op::Div(x, y) => b.div(of(x), of(y)),
            Op::Mod(x, y) => b.modulo(of(x), of(y)),
            Op::Min(x, y) => b.min(of(x), of(y)),
            Op::Max(x, y) => b.max(of(x), of(y)),
            Op::Less(x, y) => b.less(of(x), of(y)),
            Op::Equal(x, y) => b.equal(of(x), of(y)),
            Op::Lookup(x, table) => b.lookup(of(x), table.to_vec()),
        }
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
