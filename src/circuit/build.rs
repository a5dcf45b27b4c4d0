//! The circuit builder: hash-consed values, folded and simplified by the known bits of their operands.
//!
//! For every vector the builder knows the bits that may be 1 (a known-bits analysis). A mask that covers all of them
//! costs nothing; a vector that has none is the constant 0. This removes wrapped-around rows, sentinels and borders
//! from the code.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::{FixId, Fixpoint, Layout, Op, SlotId, Ty, ValueId, ValueNode};
use bouton_base::bits::BitSet;
use bouton_base::cancel;
use bouton_base::id::IdVec;

mod numbers;
mod random_simulation;
mod subset_proofs;

pub use numbers::{floor_div, floor_mod};

/// Values under construction.
#[derive(Clone, Debug, Default)]
pub struct CircuitBuilder {
    /// The layout of the state that the values read.
    pub layout: Layout,
    pub values: IdVec<ValueId, ValueNode>,
    pub fixes: IdVec<FixId, Fixpoint>,
    /// The bits of each vector that may be 1; `None` for numbers.
    maybe: IdVec<ValueId, Option<BitSet>>,
    /// The values by operation and type, for hash consing.
    made: HashTable<ValueId>,
    params: u32,
    /// Parameters that are a subset of another vector, with that vector: the bit of a lane is one of the lanes.
    parts: HashMap<ValueId, ValueId, FxBuildHasher>,
    /// The cache of subset and disjointness tests for pairs of vectors.
    found: subset_proofs::ProofCache,
    /// Slots of which no two have a bit in common, with the number of their family.
    families: HashMap<SlotId, u32, FxBuildHasher>,
    /// Slots with their owners: each bit of the slot is a bit of one of the owners.
    owners: HashMap<SlotId, Vec<ValueId>, FxBuildHasher>,
}

/// Returns the hash of an operation with its result type.
fn hash(op: &Op, ty: Ty) -> u64 {
    FxBuildHasher.hash_one((op, ty))
}

impl CircuitBuilder {
    /// Returns an empty builder over a state of this layout.
    pub fn new(layout: Layout) -> CircuitBuilder {
        CircuitBuilder { layout, ..CircuitBuilder::default() }
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> Ty {
        self.values[value].ty
    }

    /// Returns the width of a vector.
    ///
    /// Panics if the value is a number.
    pub fn width(&self, value: ValueId) -> u32 {
        match self.ty(value) {
            Ty::Bits(n) => n,
            Ty::Int => panic!("{value} is a number"),
        }
    }

    /// Returns the bits of a vector that may be 1.
    pub fn maybe(&self, value: ValueId) -> &BitSet {
        self.maybe[value].as_ref().expect("a vector")
    }

    /// Returns the bits of a vector if it is constant.
    pub fn constant(&self, value: ValueId) -> Option<&BitSet> {
        match &self.values[value].op {
            Op::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// Returns a number if it is constant.
    pub fn constant_int(&self, value: ValueId) -> Option<i64> {
        match self.values[value].op {
            Op::Int(n) => Some(n),
            _ => None,
        }
    }

    /// Returns a truth value if it is constant.
    pub fn constant_truth(&self, value: ValueId) -> Option<bool> {
        self.constant(value).filter(|bits| bits.len() == 1).map(|bits| !bits.is_empty())
    }

    fn add(&mut self, op: Op, ty: Ty, maybe: Option<BitSet>) -> ValueId {
        cancel::step();
        let hash = hash(&op, ty);
        if let Some(value) = self.find(&op, ty, hash) {
            return value;
        }
        if let Some(bits) = &maybe
            && bits.is_empty()
            && !matches!(op, Op::Bits(_) | Op::Param(_))
        {
            return self.bits(bits.clone());
        }
        let value = self.values.push(ValueNode { op, ty });
        self.maybe.push(maybe);
        let values = &self.values;
        self.made.insert_unique(hash, value, |&value| self::hash(&values[value].op, values[value].ty));
        value
    }

    /// Returns the value of this operation if it exists.
    fn find(&self, op: &Op, ty: Ty, hash: u64) -> Option<ValueId> {
        let is = |&value: &ValueId| self.values[value].ty == ty && self.values[value].op == *op;
        self.made.find(hash, is).copied()
    }

    fn vector(&mut self, op: Op, maybe: BitSet) -> ValueId {
        self.add(op, Ty::Bits(maybe.len()), Some(maybe))
    }

    /// Returns a constant vector.
    pub fn bits(&mut self, bits: BitSet) -> ValueId {
        self.vector(Op::Bits(bits.clone()), bits)
    }

    /// Returns the empty vector of this width.
    pub fn zero(&mut self, width: u32) -> ValueId {
        self.bits(BitSet::empty(width))
    }

    /// Returns a constant truth value.
    pub fn truth(&mut self, holds: bool) -> ValueId {
        self.bits(BitSet::of(1, holds.then_some(0)))
    }

    /// Returns a constant number.
    pub fn int(&mut self, n: i64) -> ValueId {
        self.add(Op::Int(n), Ty::Int, None)
    }

    /// Returns the content of a slot.
    pub fn slot(&mut self, slot: SlotId) -> ValueId {
        let maybe = self.layout.slots[slot].maybe.clone();
        self.vector(Op::Slot(slot), maybe)
    }

    /// Adds a parameter of a group or a variable of a fixpoint; `maybe` are the bits that may be 1.
    pub fn param(&mut self, maybe: BitSet) -> ValueId {
        self.params += 1;
        self.vector(Op::Param(self.params - 1), maybe)
    }

    /// Adds a parameter that is a subset of a vector.
    pub fn subset_param(&mut self, whole: ValueId) -> ValueId {
        let maybe = self.maybe(whole).clone();
        let param = self.param(maybe);
        self.parts.insert(param, whole);
        param
    }

    /// Adds a value and all its transitive operands to `seen`.
    pub fn add_transitive_operands(&self, value: ValueId, seen: &mut FxHashSet<ValueId>) {
        self.add_transitive_operands_from(value, ValueId(0), seen);
    }

    /// Adds a value and its transitive operands to `seen`, visiting only ids from `least` up: operands have smaller ids
    /// than their users.
    pub fn add_transitive_operands_from(
        &self,
        value: ValueId,
        least: ValueId,
        seen: &mut FxHashSet<ValueId>,
    ) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            cancel::step();
            if value < least || !seen.insert(value) {
                continue;
            }
            match &self.values[value].op {
                Op::Fixed(fix, _) => {
                    let fix = &self.fixes[*fix];
                    open.extend(fix.next.iter().copied().chain(fix.vars.iter().map(|&(_, first)| first)));
                }
                op => op.each_operand(|operand| open.push(operand)),
            }
        }
    }

    /// Declares that no two of these slots ever have a bit in common.
    pub fn declare_disjoint(&mut self, slots: impl IntoIterator<Item = SlotId>) {
        let family = self.families.len() as u32;
        self.families.extend(slots.into_iter().map(|slot| (slot, family)));
    }

    /// Declares that each bit of this slot is always a bit of one of the owners.
    pub fn declare_owned(&mut self, slot: SlotId, owners: impl IntoIterator<Item = SlotId>) {
        let owners = owners.into_iter().map(|owner| self.slot(owner)).collect();
        self.owners.insert(slot, owners);
    }

    /// Returns the intersection.
    pub fn and(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b {
            return a;
        }
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                let both = x.and(y);
                return self.bits(both);
            }
            (Some(_), None) => return self.and(b, a),
            (None, Some(mask)) => {
                if self.maybe(a).is_subset(mask) {
                    return a;
                }
                // Masks combine: (x & m) & n is x & (m & n).
                if let Op::And(x, m) = self.values[a].op
                    && let Some(inner) = self.constant(m)
                {
                    let mask = inner.and(mask);
                    let mask = self.bits(mask);
                    return self.and(x, mask);
                }
            }
            (None, None) => {
                if matches!(self.values[a].op, Op::Not(x) if x == b)
                    || matches!(self.values[b].op, Op::Not(x) if x == a)
                {
                    return self.zero(self.width(a));
                }
                if let Op::Not(x) = self.values[b].op {
                    return self.and_not(a, x);
                }
                if let Op::Not(x) = self.values[a].op {
                    return self.and_not(b, x);
                }
                // a & (mask & !x) is (a & mask) & !x.
                for (a, b) in [(a, b), (b, a)] {
                    if let Op::AndNot(mask, x) = self.values[b].op
                        && self.constant(mask).is_some()
                    {
                        let a = self.and(a, mask);
                        return self.and_not(a, x);
                    }
                }
            }
        }
        let maybe = self.maybe(a).and(self.maybe(b));
        if self.constant(b).is_none() {
            if self.is_subset(a, b) {
                return a;
            }
            if self.is_subset(b, a) {
                return b;
            }
            if self.are_disjoint(a, b) {
                return self.zero(maybe.len());
            }
            for (a, b) in [(a, b), (b, a)] {
                let less = self.simplify_for_intersection(a, b);
                if less != b {
                    return self.and(a, less);
                }
            }
        }
        let (a, b) = if self.constant(b).is_some() || a < b { (a, b) } else { (b, a) };
        self.vector(Op::And(a, b), maybe)
    }

    /// Returns the union.
    pub fn or(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b || self.maybe(b).is_empty() {
            return a;
        }
        if self.maybe(a).is_empty() {
            return b;
        }
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                let either = x.or(y);
                return self.bits(either);
            }
            (Some(x), _) if self.maybe(b).is_subset(x) => return a,
            (_, Some(y)) if self.maybe(a).is_subset(y) => return b,
            _ => {}
        }
        // a | (x & !a) is a | x.
        if let Op::AndNot(x, y) = self.values[b].op
            && y == a
        {
            return self.or(a, x);
        }
        if let Op::AndNot(x, y) = self.values[a].op
            && y == b
        {
            return self.or(x, b);
        }
        // Any(x) | Any(y) is Any(x | y).
        if let (&Op::Any(x), &Op::Any(y)) = (&self.values[a].op, &self.values[b].op)
            && self.ty(x) == self.ty(y)
        {
            let either = self.or(x, y);
            return self.any(either);
        }
        let maybe = self.maybe(a).or(self.maybe(b));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.vector(Op::Or(a, b), maybe)
    }

    /// Returns the symmetric difference.
    pub fn xor(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b {
            return self.zero(self.width(a));
        }
        if self.maybe(b).is_empty() {
            return a;
        }
        if self.maybe(a).is_empty() {
            return b;
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let bits = x.zip(y, |x, y| x ^ y);
            return self.bits(bits);
        }
        let maybe = self.maybe(a).or(self.maybe(b));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.vector(Op::Xor(a, b), maybe)
    }

    /// Returns the difference `a & !b`.
    pub fn and_not(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b {
            return self.zero(self.width(a));
        }
        if self.maybe(a).and(self.maybe(b)).is_empty() {
            return a;
        }
        if let Some(bits) = self.constant(b) {
            let mask = bits.not();
            let mask = self.bits(mask);
            return self.and(a, mask);
        }
        if let Op::Not(x) = self.values[b].op {
            return self.and(a, x);
        }
        if self.constant(a).is_some_and(BitSet::is_full) {
            return self.not(b);
        }
        if self.are_disjoint(a, b) {
            return a;
        }
        let maybe = self.maybe(a).clone();
        if self.is_subset(a, b) {
            return self.zero(maybe.len());
        }
        self.vector(Op::AndNot(a, b), maybe)
    }

    /// Returns the complement within the width.
    pub fn not(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let bits = bits.not();
            return self.bits(bits);
        }
        if let Op::Not(x) = self.values[a].op {
            return x;
        }
        let full = BitSet::full(self.width(a));
        self.vector(Op::Not(a), full)
    }

    /// Returns `a` shifted up by `by` places, down where negative.
    pub fn shift(&mut self, a: ValueId, by: i32) -> ValueId {
        if by == 0 {
            return a;
        }
        let maybe = self.maybe(a).shift(by);
        if maybe.is_empty() {
            return self.bits(maybe);
        }
        if let Some(bits) = self.constant(a) {
            let bits = bits.shift(by);
            return self.bits(bits);
        }
        // Two shifts combine if the first loses no bit.
        if let Op::Shift(x, first) = self.values[a].op
            && self.maybe(x).count() == self.maybe(a).count()
        {
            return self.shift(x, first + by);
        }
        // (x & mask) << by is (x << by) & (mask << by). This pays if the shift of x exists anyway.
        if let Op::And(x, mask) = self.values[a].op
            && let Some(mask) = self.constant(mask)
            && let shift = Op::Shift(x, by)
            && let Some(whole) = self.find(&shift, self.ty(a), hash(&shift, self.ty(a)))
        {
            let mask = mask.shift(by);
            let mask = self.bits(mask);
            return self.and(whole, mask);
        }
        self.vector(Op::Shift(a, by), maybe)
    }

    /// Returns `a` zero-extended or truncated to a width.
    pub fn resize(&mut self, a: ValueId, width: u32) -> ValueId {
        if self.width(a) == width {
            return a;
        }
        let maybe = self.maybe(a).resize(width);
        if let Some(bits) = self.constant(a) {
            let bits = bits.resize(width);
            return self.bits(bits);
        }
        // Truncating a one-hot vector drops its bit if that is out of range.
        if let Op::OneHot(place) = self.values[a].op
            && width < self.width(a)
        {
            return self.one_hot(place, maybe);
        }
        if let Op::Resize(x) = self.values[a].op
            && self.maybe(x).count() == self.maybe(a).count()
        {
            return self.resize(x, width);
        }
        self.vector(Op::Resize(a), maybe)
    }

    /// Returns a vector with all bits equal to the one bit of `a`.
    pub fn spread(&mut self, a: ValueId, width: u32) -> ValueId {
        match self.constant_truth(a) {
            Some(true) => self.bits(BitSet::full(width)),
            Some(false) => self.zero(width),
            None if width == 1 => a,
            None => self.vector(Op::Spread(a), BitSet::full(width)),
        }
    }

    /// Returns one bit: 1 if any bit of `a` is 1.
    pub fn any(&mut self, a: ValueId) -> ValueId {
        if self.width(a) == 1 {
            return a;
        }
        if let Some(bits) = self.constant(a) {
            let any = !bits.is_empty();
            return self.truth(any);
        }
        match self.values[a].op {
            // A shift or resize that loses no bit does not change the result.
            Op::Shift(x, _) | Op::Resize(x) if self.maybe(x).count() == self.maybe(a).count() => self.any(x),
            Op::Spread(x) => x,
            _ => self.vector(Op::Any(a), BitSet::full(1)),
        }
    }

    /// Returns the number of ones.
    pub fn count(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let n = bits.count();
            return self.int(i64::from(n));
        }
        match self.values[a].op {
            Op::Shift(x, _) | Op::Resize(x) if self.maybe(x).count() == self.maybe(a).count() => {
                self.count(x)
            }
            _ => self.add(Op::Count(a), Ty::Int, None),
        }
    }

    /// Returns the index of the lowest one; the width if there is none.
    pub fn first(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let n = bits.first().unwrap_or(bits.len());
            return self.int(i64::from(n));
        }
        self.add(Op::First(a), Ty::Int, None)
    }

    /// Returns the lowest one alone.
    pub fn lowest(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let bit = BitSet::of(bits.len(), bits.first());
            return self.bits(bit);
        }
        if self.maybe(a).count() == 1 {
            return a;
        }
        let maybe = self.maybe(a).clone();
        self.vector(Op::Lowest(a), maybe)
    }

    /// Returns the highest one alone.
    pub fn highest(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let bit = BitSet::of(bits.len(), bits.iter().last());
            return self.bits(bit);
        }
        if self.maybe(a).count() == 1 {
            return a;
        }
        let maybe = self.maybe(a).clone();
        self.vector(Op::Highest(a), maybe)
    }

    /// Returns the places below the lowest one; all if there is none.
    pub fn below(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let end = bits.first().unwrap_or(bits.len());
            let below = BitSet::of(bits.len(), 0..end);
            return self.bits(below);
        }
        let maybe = BitSet::full(self.width(a));
        self.vector(Op::Below(a), maybe)
    }

    /// Returns the places above the highest one; all if there is none.
    pub fn above(&mut self, a: ValueId) -> ValueId {
        if let Some(bits) = self.constant(a) {
            let start = bits.iter().last().map_or(0, |place| place + 1);
            let above = BitSet::of(bits.len(), start..bits.len());
            return self.bits(above);
        }
        let maybe = BitSet::full(self.width(a));
        self.vector(Op::Above(a), maybe)
    }

    /// Returns the bit at this index; `maybe` are the bits that it may be.
    pub fn one_hot(&mut self, place: ValueId, maybe: BitSet) -> ValueId {
        if let Some(n) = self.constant_int(place) {
            let bits = BitSet::of(maybe.len(), u32::try_from(n).ok().filter(|&n| n < maybe.len()));
            return self.bits(bits);
        }
        self.vector(Op::OneHot(place), maybe)
    }

    /// Returns `a` if `choice` is 1, otherwise `b`.
    pub fn select(&mut self, choice: ValueId, a: ValueId, b: ValueId) -> ValueId {
        if a == b {
            return a;
        }
        match self.constant_truth(choice) {
            Some(true) => return a,
            Some(false) => return b,
            None => {}
        }
        let ty = self.ty(a);
        if ty == Ty::TRUTH {
            let (yes, no) = (self.and(choice, a), self.and_not(b, choice));
            return self.or(yes, no);
        }
        if let Ty::Bits(width) = ty {
            if self.maybe(b).is_empty() {
                let spread = self.spread(choice, width);
                return self.and(a, spread);
            }
            if self.maybe(a).is_empty() {
                let spread = self.spread(choice, width);
                return self.and_not(b, spread);
            }
        }
        let maybe = match ty {
            Ty::Bits(_) => Some(self.maybe(a).or(self.maybe(b))),
            Ty::Int => None,
        };
        self.add(Op::Select(choice, a, b), ty, maybe)
    }

    /// Adds a fixpoint of sets: each variable with its initial value, and its next value, which contains the present
    /// one. Returns the final values of the variables.
    pub fn fix(&mut self, vars: Vec<(ValueId, ValueId)>, next: Vec<ValueId>) -> Vec<ValueId> {
        let types: Vec<BitSet> = next.iter().map(|&v| self.maybe(v).clone()).collect();
        let fix = self.fixes.push(Fixpoint { vars, next });
        let each = types.into_iter().enumerate();
        each.map(|(i, maybe)| self.vector(Op::Fixed(fix, i as u32), maybe)).collect()
    }

    /// Returns the same operation on other operands, simplified anew; `None` if it has no operands or belongs to a
    /// fixpoint.
    pub fn rebuild(&mut self, node: &ValueNode, of: &dyn Fn(ValueId) -> ValueId) -> Option<ValueId> {
        let width = match node.ty {
            Ty::Bits(width) => width,
            Ty::Int => 0,
        };
        Some(match &node.op {
            Op::Bits(_) | Op::Int(_) | Op::Slot(_) | Op::Param(_) | Op::Fixed(..) => return None,
            Op::And(x, y) => self.and(of(*x), of(*y)),
            Op::Or(x, y) => self.or(of(*x), of(*y)),
            Op::Xor(x, y) => self.xor(of(*x), of(*y)),
            Op::AndNot(x, y) => self.and_not(of(*x), of(*y)),
            Op::Not(x) => self.not(of(*x)),
            Op::Shift(x, by) => self.shift(of(*x), *by),
            Op::Resize(x) => self.resize(of(*x), width),
            Op::Spread(x) => self.spread(of(*x), width),
            Op::Any(x) => self.any(of(*x)),
            Op::Count(x) => self.count(of(*x)),
            Op::First(x) => self.first(of(*x)),
            Op::Lowest(x) => self.lowest(of(*x)),
            Op::Highest(x) => self.highest(of(*x)),
            Op::Below(x) => self.below(of(*x)),
            Op::Above(x) => self.above(of(*x)),
            Op::OneHot(x) => self.one_hot(of(*x), BitSet::full(width)),
            Op::Select(c, x, y) => self.select(of(*c), of(*x), of(*y)),
            Op::Pack(x) => self.pack(of(*x), width),
            Op::Unpack(x) => self.unpack(of(*x)),
            Op::Add(x, y) => self.plus(of(*x), of(*y)),
            Op::Sub(x, y) => self.minus(of(*x), of(*y)),
            Op::Mul(x, y) => self.times(of(*x), of(*y)),
            Op::Div(x, y) => self.div(of(*x), of(*y)),
            Op::Mod(x, y) => self.modulo(of(*x), of(*y)),
            Op::Min(x, y) => self.min(of(*x), of(*y)),
            Op::Max(x, y) => self.max(of(*x), of(*y)),
            Op::Less(x, y) => self.less(of(*x), of(*y)),
            Op::Equal(x, y) => self.equal(of(*x), of(*y)),
            Op::Lookup(x, table) => self.lookup(of(*x), table.to_vec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slot;

    fn board() -> CircuitBuilder {
        let mut layout = Layout { words: 1, ..Layout::default() };
        // Three rows of three, each followed by a sentinel.
        let maybe = BitSet::of(12, [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        layout.slots.push(Slot { name: "x".into(), word: 0, bit: 0, maybe });
        CircuitBuilder::new(layout)
    }

    #[test]
    fn masks_that_change_nothing_cost_nothing() {
        let mut b = board();
        let x = b.slot(SlotId(0));
        let east = b.shift(x, -1);
        let pairs = b.and(x, east);
        let windows = b.bits(BitSet::of(12, [0, 1, 4, 5, 8, 9]));
        assert_eq!(b.and(pairs, windows), pairs);
        let twice = b.shift(east, -1);
        assert_ne!(b.values[twice].op, Op::Shift(x, -2), "the first step has lost a bit");
        let up = b.shift(x, 1);
        assert_eq!(b.shift(up, -1), x);
    }

    #[test]
    fn equal_operations_are_one_value() {
        let mut b = board();
        let x = b.slot(SlotId(0));
        let y = b.shift(x, 4);
        assert_eq!(b.and(x, y), b.and(y, x));
        let not = b.not(y);
        assert_eq!(b.and(x, not), b.and_not(x, y));
        assert_eq!(b.not(not), y);
        let any = b.any(y);
        assert_eq!(b.width(any), 1);
        let n = b.count(x);
        let one = b.int(1);
        let m = b.plus(n, one);
        assert_eq!(b.minus(m, one), n);
    }

    #[test]
    fn division_floors_and_a_zero_divisor_gives_zero() {
        assert_eq!((floor_div(-7, 2), floor_mod(-7, 2)), (-4, 1));
        assert_eq!((floor_div(7, -2), floor_mod(7, -2)), (-4, 1));
        assert_eq!((floor_div(7, 0), floor_mod(7, 0)), (0, 0));
    }
}
