//! Values of a circuit as gates: a vector is one gate for each bit, a number its bits in two's complement with the sign
//! last.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::gates::{GateId, Netlist, ONE_GATE, ZERO_GATE};
use bouton_base::id::{Id, IdVec};
use bouton_circuit::{Circuit, Op, SlotId, Ty, ValueId};

/// The maximal number of bits of a number; arithmetic wraps.
const NUMBER_BITS: usize = i64::BITS as usize;

/// The gates of values, built on first use.
pub(super) struct GateValues<'c> {
    circuit: &'c Circuit,
    pub net: Netlist,
    /// The gates of each slot's bits.
    slots: IdVec<SlotId, Vec<GateId>>,
    /// True for values that depend on the lane.
    varies: Vec<bool>,
    known: FxHashMap<ValueId, Rc<[GateId]>>,
    /// The values that depend on the lane, and the parameter.
    of_lane: FxHashMap<ValueId, Rc<[GateId]>>,
}

impl<'c> GateValues<'c> {
    pub fn new(circuit: &'c Circuit, net: Netlist, slots: IdVec<SlotId, Vec<GateId>>) -> GateValues<'c> {
        let mut varies = vec![false; circuit.values.len()];
        for (id, node) in circuit.values.entries() {
            let mut with = matches!(node.op, Op::Param(_));
            node.op.each_operand(|operand| with |= varies[operand.index()]);
            varies[id.index()] = with;
        }
        let (known, of_lane) = Default::default();
        GateValues { circuit, net, slots, varies, known, of_lane }
    }

    /// Binds the parameter of a group to the bit of this lane.
    pub fn bind(&mut self, param: ValueId, lane: u32) {
        self.of_lane.clear();
        let bit = (0..self.circuit.width(param)).map(|i| GateId::from(i == lane)).collect();
        self.of_lane.insert(param, bit);
    }

    /// Returns the gates of a value; `None` if it has no form as gates.
    pub fn of(&mut self, value: ValueId) -> Option<Rc<[GateId]>> {
        let varies = self.varies[value.index()];
        let known = if varies { &self.of_lane } else { &self.known };
        if let Some(bits) = known.get(&value) {
            return Some(bits.clone());
        }
        let bits: Rc<[GateId]> = self.make(value)?.into();
        if self.net.is_full() {
            return None;
        }
        let known = if varies { &mut self.of_lane } else { &mut self.known };
        known.insert(value, bits.clone());
        Some(bits)
    }

    /// Returns the gate of a truth value.
    pub fn truth(&mut self, value: ValueId) -> Option<GateId> {
        Some(self.of(value)?[0])
    }

    fn make(&mut self, value: ValueId) -> Option<Vec<GateId>> {
        let circuit = self.circuit;
        let node = &circuit.values[value];
        let width = match node.ty {
            Ty::Bits(width) => width as usize,
            Ty::Int => 0,
        };
        Some(match node.op {
            Op::Bits(ref bits) => (0..bits.len()).map(|i| GateId::from(bits.contains(i))).collect(),
            Op::Int(n) => number(n),
            Op::Slot(slot) => self.slots[slot].clone(),
            Op::Param(_) | Op::Fixed(..) => return None,
            Op::And(a, b) => self.each(a, b, Netlist::and)?,
            Op::Or(a, b) => self.each(a, b, Netlist::or)?,
            Op::Xor(a, b) => self.each(a, b, Netlist::xor)?,
            Op::AndNot(a, b) => self.each(a, b, Netlist::and_not)?,
            Op::Not(a) => self.of(a)?.iter().map(|&bit| self.net.not(bit)).collect(),
            Op::Shift(a, by) => {
                let bits = self.of(a)?;
                let from = |i: usize| usize::try_from(i as i64 - i64::from(by)).ok();
                (0..width).map(|i| from(i).and_then(|i| bits.get(i)).copied().unwrap_or(ZERO_GATE)).collect()
            }
            Op::Resize(a) => {
                let bits = self.of(a)?;
                (0..width).map(|i| bits.get(i).copied().unwrap_or(ZERO_GATE)).collect()
            }
            Op::Spread(a) => vec![self.truth(a)?; width],
            Op::Any(a) => {
                let bits = self.of(a)?;
                vec![self.net.any(&bits)]
            }
            Op::Count(a) => {
                let bits = self.of(a)?;
                let ones = bits.iter().filter(|&&bit| bit != ZERO_GATE);
                ones.fold(number(0), |sum, &bit| self.add(&sum, &[bit, ZERO_GATE], ZERO_GATE))
            }
            Op::First(a) => {
                let bits = self.of(a)?;
                let (lowest, none) = self.lowest(bits.iter());
                let mut place = self.chosen(&lowest, &|i| i as i64);
                let all = number(bits.len() as i64);
                let all: Vec<GateId> = all.iter().map(|&bit| self.net.and(bit, none)).collect();
                place = self.add(&place, &all, ZERO_GATE);
                place
            }
            Op::Lowest(a) => {
                let bits = self.of(a)?;
                self.lowest(bits.iter()).0
            }
            Op::Highest(a) => {
                let bits = self.of(a)?;
                reversed(self.lowest(bits.iter().rev()).0)
            }
            Op::Below(a) => {
                let bits = self.of(a)?;
                self.before(bits.iter())
            }
            Op::Above(a) => {
                let bits = self.of(a)?;
                reversed(self.before(bits.iter().rev()))
            }
            Op::OneHot(a) => {
                let place = self.of(a)?;
                (0..width).map(|i| self.equal(&place, &number(i as i64))).collect()
            }
            Op::Select(which, yes, no) => {
                let (which, yes, no) = (self.truth(which)?, self.of(yes)?, self.of(no)?);
                self.select(which, &yes, &no)
            }
            Op::Pack(a) => {
                let bits = self.of(a)?;
                (0..width).map(|i| if i < NUMBER_BITS { bit_or_sign(&bits, i) } else { ZERO_GATE }).collect()
            }
            Op::Unpack(a) => trimmed(self.of(a)?.iter().copied().chain([ZERO_GATE]).collect()),
            Op::Add(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.add(&a, &b, ZERO_GATE)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.sub(&a, &b)
            }
            Op::Mul(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.mul(&a, &b)
            }
            Op::Div(a, b) => match self.power_of_two_exponent(b)? {
                Some(by) => {
                    let a = self.of(a)?;
                    a[by.min(a.len() - 1)..].to_vec()
                }
                None => self.constants(a, b, quotient)?,
            },
            Op::Mod(a, b) => match self.power_of_two_exponent(b)? {
                Some(by) => {
                    let a = self.of(a)?;
                    trimmed((0..by).map(|i| bit_or_sign(&a, i)).chain([ZERO_GATE]).collect())
                }
                None => self.constants(a, b, |a, b| if b == 0 { 0 } else { a.rem_euclid(b) })?,
            },
            Op::Min(a, b) | Op::Max(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                let less = self.less(&a, &b);
                let least = matches!(node.op, Op::Min(..));
                let (yes, no) = if least { (&a, &b) } else { (&b, &a) };
                self.select(less, yes, no)
            }
            Op::Less(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                vec![self.less(&a, &b)]
            }
            Op::Equal(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                vec![self.equal(&a, &b)]
            }
            Op::Lookup(a, ref entries) => {
                let place = self.of(a)?;
                let places = 0..entries.len() as i64;
                let hits: Vec<GateId> = places.map(|i| self.equal(&place, &number(i))).collect();
                self.chosen(&hits, &|i| entries[i])
            }
        })
    }

    fn each(
        &mut self,
        a: ValueId,
        b: ValueId,
        gate: impl Fn(&mut Netlist, GateId, GateId) -> GateId,
    ) -> Option<Vec<GateId>> {
        let (a, b) = (self.of(a)?, self.of(b)?);
        Some(a.iter().zip(b.iter()).map(|(&a, &b)| gate(&mut self.net, a, b)).collect())
    }

    /// Returns the first bit that is 1, alone, and a gate that is 1 if there is none.
    fn lowest<'b>(&mut self, bits: impl Iterator<Item = &'b GateId>) -> (Vec<GateId>, GateId) {
        let mut none = ONE_GATE;
        let lowest = bits.map(|&bit| {
            let lowest = self.net.and(bit, none);
            none = self.net.and_not(none, bit);
            lowest
        });
        (lowest.collect(), none)
    }

    /// Returns the places before the first bit that is 1.
    fn before<'b>(&mut self, bits: impl Iterator<Item = &'b GateId>) -> Vec<GateId> {
        let mut none = ONE_GATE;
        let before = bits.map(|&bit| {
            none = self.net.and_not(none, bit);
            none
        });
        before.collect()
    }

    /// Returns the number that belongs to the one hit; 0 if there is none.
    fn chosen(&mut self, hits: &[GateId], of: &dyn Fn(usize) -> i64) -> Vec<GateId> {
        let width = (0..hits.len()).map(|i| number(of(i)).len()).max().unwrap_or(1);
        let bit = |k: usize| {
            let with = |&(i, _): &(usize, &GateId)| of(i) >> k & 1 == 1;
            hits.iter().enumerate().filter(with).fold(ZERO_GATE, |any, (_, &hit)| self.net.or(any, hit))
        };
        trimmed((0..width).map(bit).collect())
    }

    fn add(&mut self, a: &[GateId], b: &[GateId], mut carry: GateId) -> Vec<GateId> {
        let width = (a.len().max(b.len()) + 1).min(NUMBER_BITS);
        let mut sum = Vec::with_capacity(width);
        for i in 0..width {
            let (a, b) = (bit_or_sign(a, i), bit_or_sign(b, i));
            let (both, one) = (self.net.and(a, b), self.net.xor(a, b));
            sum.push(self.net.xor(one, carry));
            let carried = self.net.and(one, carry);
            carry = self.net.or(both, carried);
        }
        trimmed(sum)
    }

    fn sub(&mut self, a: &[GateId], b: &[GateId]) -> Vec<GateId> {
        let not: Vec<GateId> = b.iter().map(|&bit| self.net.not(bit)).collect();
        self.add(a, &not, ONE_GATE)
    }

    fn mul(&mut self, a: &[GateId], b: &[GateId]) -> Vec<GateId> {
        let width = (a.len() + b.len()).min(NUMBER_BITS);
        let mut sum = number(0);
        for i in 0..width {
            let with = bit_or_sign(b, i);
            if with != ZERO_GATE {
                let shifted = (0..width).map(|k| if k < i { ZERO_GATE } else { bit_or_sign(a, k - i) });
                let part: Vec<GateId> = shifted.map(|bit| self.net.and(bit, with)).collect();
                sum = self.add(&sum, &part, ZERO_GATE);
                // The product of two signed numbers needs only these bits of the sum.
                sum.truncate(width);
            }
        }
        trimmed(sum)
    }

    /// Compares two signed numbers.
    fn less(&mut self, a: &[GateId], b: &[GateId]) -> GateId {
        // A comparison as unsigned numbers of one length, with the sign bits swapped.
        let width = a.len().max(b.len());
        let mut less = ZERO_GATE;
        for i in 0..width {
            let (mut a, mut b) = (bit_or_sign(a, i), bit_or_sign(b, i));
            if i + 1 == width {
                (a, b) = (b, a);
            }
            let (below, same) = (self.net.and_not(b, a), self.net.xor(a, b));
            let same = self.net.and_not(less, same);
            less = self.net.or(below, same);
        }
        less
    }

    fn equal(&mut self, a: &[GateId], b: &[GateId]) -> GateId {
        let width = a.len().max(b.len());
        (0..width).fold(ONE_GATE, |all, i| {
            let differ = self.net.xor(bit_or_sign(a, i), bit_or_sign(b, i));
            self.net.and_not(all, differ)
        })
    }

    /// Selects between vectors of one width, or between numbers.
    fn select(&mut self, which: GateId, yes: &[GateId], no: &[GateId]) -> Vec<GateId> {
        let width = yes.len().max(no.len());
        (0..width).map(|i| self.net.select(which, bit_or_sign(yes, i), bit_or_sign(no, i))).collect()
    }

    /// Returns the exponent if a number is a constant power of two. The outer option is `None` if the number has no
    /// gates.
    fn power_of_two_exponent(&mut self, value: ValueId) -> Option<Option<usize>> {
        let known = constant(&self.of(value)?).and_then(|n| u64::try_from(n).ok());
        Some(known.filter(|n| n.is_power_of_two()).map(|n| n.trailing_zeros() as usize))
    }

    /// Applies a function to two constant numbers.
    fn constants(&mut self, a: ValueId, b: ValueId, of: impl Fn(i128, i128) -> i128) -> Option<Vec<GateId>> {
        let (a, b) = (constant(&self.of(a)?)?, constant(&self.of(b)?)?);
        Some(number(of(i128::from(a), i128::from(b)) as i64))
    }
}

/// Returns the bits of a constant number.
fn number(n: i64) -> Vec<GateId> {
    trimmed((0..NUMBER_BITS).map(|i| GateId::from(n >> i & 1 == 1)).collect())
}

/// Returns the number if it is constant.
fn constant(bits: &[GateId]) -> Option<i64> {
    let known = bits.iter().all(|&bit| bit == ZERO_GATE || bit == ONE_GATE);
    known.then(|| (0..NUMBER_BITS).fold(0, |n, i| n | i64::from(bit_or_sign(bits, i)) << i))
}

/// Returns a bit of a number. Beyond the last bit it is the sign.
fn bit_or_sign(bits: &[GateId], i: usize) -> GateId {
    bits[i.min(bits.len() - 1)]
}

/// Removes the bits that only repeat the sign.
fn trimmed(mut bits: Vec<GateId>) -> Vec<GateId> {
    bits.truncate(NUMBER_BITS);
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

fn reversed(mut bits: Vec<GateId>) -> Vec<GateId> {
    bits.reverse();
    bits
}

fn quotient(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    a.div_euclid(b)
}
