//! Builder operations on numbers. The only known property of a number is a constant value.

use std::sync::Arc;

use super::CircuitBuilder;
use crate::{Op, Ty, ValueId};
use bouton_base::bits::BitSet;

impl CircuitBuilder {
    /// Returns the low bits of a number.
    pub fn pack(&mut self, a: ValueId, width: u32) -> ValueId {
        if let Some(n) = self.constant_int(a) {
            return self.bits(BitSet::from_words(width, &[n as u64]));
        }
        if let Op::Unpack(x) = self.values[a].op
            && self.width(x) == width
        {
            return x;
        }
        self.vector(Op::Pack(a), BitSet::full(width))
    }

    /// Returns bits, at most 63, as a nonnegative number.
    pub fn unpack(&mut self, a: ValueId) -> ValueId {
        assert!(self.width(a) <= 63, "a number has 63 bits and a sign");
        if let Some(bits) = self.constant(a) {
            let n = bits.words().first().copied().unwrap_or(0) as i64;
            return self.int(n);
        }
        self.add(Op::Unpack(a), Ty::Int, None)
    }

    /// Builds a binary operation of numbers, folded if both operands are constant.
    fn arith(
        &mut self,
        op: fn(ValueId, ValueId) -> Op,
        a: ValueId,
        b: ValueId,
        fold: impl Fn(i64, i64) -> i64,
    ) -> ValueId {
        if let (Some(x), Some(y)) = (self.constant_int(a), self.constant_int(b)) {
            return self.int(fold(x, y));
        }
        self.add(op(a, b), Ty::Int, None)
    }

    /// `a + b`
    pub fn plus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        match (self.constant_int(a), self.constant_int(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), None) => self.plus(b, a),
            (None, Some(n))
                if let Op::Add(x, m) = self.values[a].op
                    && let Some(m) = self.constant_int(m) =>
            {
                let n = self.int(n.wrapping_add(m));
                self.plus(x, n)
            }
            _ => self.arith(Op::Add, a, b, i64::wrapping_add),
        }
    }

    /// `a - b`
    pub fn minus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        match self.constant_int(b) {
            Some(n) => {
                let n = self.int(n.wrapping_neg());
                self.plus(a, n)
            }
            None if a == b => self.int(0),
            None => self.arith(Op::Sub, a, b, i64::wrapping_sub),
        }
    }

    /// `a * b`
    pub fn times(&mut self, a: ValueId, b: ValueId) -> ValueId {
        match (self.constant_int(a), self.constant_int(b)) {
            (Some(0), _) | (_, Some(1)) => a,
            (_, Some(0)) | (Some(1), _) => b,
            _ => self.arith(Op::Mul, a, b, i64::wrapping_mul),
        }
    }

    /// Returns the floored quotient; 0 where `b` is 0.
    pub fn div(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if self.constant_int(b) == Some(1) {
            return a;
        }
        self.arith(Op::Div, a, b, floor_div)
    }

    /// Returns the Euclidean remainder, never negative; 0 where `b` is 0.
    pub fn modulo(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.arith(Op::Mod, a, b, floor_mod)
    }

    pub fn min(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b { a } else { self.arith(Op::Min, a, b, i64::min) }
    }

    pub fn max(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if a == b { a } else { self.arith(Op::Max, a, b, i64::max) }
    }

    /// `a < b` of numbers
    pub fn less(&mut self, a: ValueId, b: ValueId) -> ValueId {
        match (self.constant_int(a), self.constant_int(b)) {
            (Some(x), Some(y)) => self.truth(x < y),
            _ if a == b => self.truth(false),
            _ => self.add(Op::Less(a, b), Ty::TRUTH, Some(BitSet::full(1))),
        }
    }

    /// `a = b` of numbers
    pub fn equal(&mut self, a: ValueId, b: ValueId) -> ValueId {
        match (self.constant_int(a), self.constant_int(b)) {
            (Some(x), Some(y)) => self.truth(x == y),
            _ if a == b => self.truth(true),
            _ => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.add(Op::Equal(a, b), Ty::TRUTH, Some(BitSet::full(1)))
            }
        }
    }

    /// Returns the table entry at this index; 0 where there is none.
    pub fn lookup(&mut self, place: ValueId, table: Vec<i64>) -> ValueId {
        if let Some(n) = self.constant_int(place) {
            let entry = usize::try_from(n).ok().and_then(|n| table.get(n).copied());
            return self.int(entry.unwrap_or(0));
        }
        self.add(Op::Lookup(place, Arc::from(table)), Ty::Int, None)
    }
}

/// Returns the floored quotient; 0 where the divisor is 0.
pub fn floor_div(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Returns the Euclidean remainder, never negative; 0 where the divisor is 0. With a negative divisor it does not match
/// [`floor_div`].
pub fn floor_mod(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_rem_euclid(b) }
}
