//! Subset and disjointness proofs for vectors, from their operations and from the declared properties of the slots.

use std::cell::{Ref, RefCell};
use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::CircuitBuilder;
use super::random_simulation::Samples;
use crate::{Op, SlotId, ValueId};

/// The maximal recursion depth of a proof.
const MAX_PROOF_DEPTH: u32 = 12;
/// The maximal depth to which [`Builder::simplify_for_intersection`] simplifies a vector.
const MAX_SIMPLIFY_DEPTH: u32 = 3;
/// The least remaining depth at which a result is cached.
const MIN_CACHED_DEPTH: u32 = 3;

/// The cache of results for pairs of vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofCache {
    /// Pairs for which the first is tested to be a subset of the second.
    inside: RefCell<PairCache>,
    /// Pairs tested for disjointness, smaller id first.
    apart: RefCell<PairCache>,
    samples: RefCell<Samples>,
}

/// The remaining depth at which each pair was tested, and the result.
#[derive(Clone, Debug, Default)]
struct PairCache(HashMap<(ValueId, ValueId), (u32, bool), FxBuildHasher>);

impl PairCache {
    /// Returns the cached result for a pair at this depth or deeper; a positive result counts at any depth.
    fn get(&self, pair: (ValueId, ValueId), depth: u32) -> Option<bool> {
        self.0.get(&pair).filter(|&&(deep, so)| so || deep >= depth).map(|&(_, so)| so)
    }
}

impl CircuitBuilder {
    /// Returns true if the slot has owners and `such` holds for each of them.
    fn owners_are(&self, slot: SlotId, such: impl Fn(ValueId) -> bool) -> bool {
        self.owners.get(&slot).is_some_and(|owners| owners.iter().all(|&owner| such(owner)))
    }

    /// Returns true if the first is provably a subset of the second.
    pub(super) fn is_subset(&self, a: ValueId, b: ValueId) -> bool {
        self.is_subset_to_depth(a, b, MAX_PROOF_DEPTH)
    }

    /// Returns true if the two provably share no bit.
    pub(super) fn are_disjoint(&self, a: ValueId, b: ValueId) -> bool {
        self.are_disjoint_to_depth(a, b, MAX_PROOF_DEPTH)
    }

    /// Simplifies `of` under the assumption that only its intersection with `part` matters: drops operands that are
    /// disjoint from `part` or contain it.
    pub(super) fn simplify_for_intersection(&mut self, part: ValueId, of: ValueId) -> ValueId {
        self.within(part, of, MAX_SIMPLIFY_DEPTH)
    }

    fn is_subset_to_depth(&self, a: ValueId, b: ValueId, depth: u32) -> bool {
        if a == b {
            return true;
        }
        if depth == 0 || !self.maybe(a).is_subset(self.maybe(b)) {
            return false;
        }
        if !self.samples().is_subset(a, b) {
            return false;
        }
        if depth < MIN_CACHED_DEPTH {
            return self.prove_subset(a, b, depth);
        }
        let known = self.found.inside.borrow().get((a, b), depth);
        known.unwrap_or_else(|| {
            let found = self.prove_subset(a, b, depth);
            self.found.inside.borrow_mut().0.insert((a, b), (depth, found));
            found
        })
    }

    fn prove_subset(&self, a: ValueId, b: ValueId, depth: u32) -> bool {
        if let Op::Or(x, y) = self.values[b].op
            && (self.is_subset_to_depth(a, x, depth - 1) || self.is_subset_to_depth(a, y, depth - 1))
        {
            return true;
        }
        if let Op::And(x, y) = self.values[b].op
            && self.is_subset_to_depth(a, x, depth - 1)
            && self.is_subset_to_depth(a, y, depth - 1)
        {
            return true;
        }
        if let Op::AndNot(x, y) = self.values[b].op
            && self.is_subset_to_depth(a, x, depth - 1)
            && self.are_disjoint_to_depth(a, y, depth - 1)
        {
            return true;
        }
        if let (&Op::Shift(x, by), &Op::Shift(y, other)) = (&self.values[a].op, &self.values[b].op)
            && by == other
            && self.is_subset_to_depth(x, y, depth - 1)
        {
            return true;
        }
        if let Op::Shift(x, by) = self.values[a].op
            && self.steps_into(x, by, depth, &mut |y| self.is_subset_to_depth(y, b, depth - 1))
        {
            return true;
        }
        match self.values[a].op {
            Op::And(x, y) => {
                self.is_subset_to_depth(x, b, depth - 1) || self.is_subset_to_depth(y, b, depth - 1)
            }
            Op::AndNot(x, _) | Op::Lowest(x) | Op::Highest(x) => self.is_subset_to_depth(x, b, depth - 1),
            Op::Or(x, y) => {
                self.is_subset_to_depth(x, b, depth - 1) && self.is_subset_to_depth(y, b, depth - 1)
            }
            Op::Slot(slot) => self.owners_are(slot, |owner| self.is_subset_to_depth(owner, b, depth - 1)),
            Op::Param(_) => {
                self.parts.get(&a).is_some_and(|&whole| self.is_subset_to_depth(whole, b, depth - 1))
            }
            _ => false,
        }
    }

    fn are_disjoint_to_depth(&self, a: ValueId, b: ValueId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        if let (Op::Slot(x), Op::Slot(y)) = (&self.values[a].op, &self.values[b].op) {
            return x != y && self.families.get(x).is_some_and(|f| self.families.get(y) == Some(f));
        }
        if !self.samples().are_disjoint(a, b) {
            return false;
        }
        if depth < MIN_CACHED_DEPTH {
            return self.prove_disjoint(a, b, depth);
        }
        let pair = if a < b { (a, b) } else { (b, a) };
        let known = self.found.apart.borrow().get(pair, depth);
        known.unwrap_or_else(|| {
            let found = self.prove_disjoint(a, b, depth);
            self.found.apart.borrow_mut().0.insert(pair, (depth, found));
            found
        })
    }

    fn prove_disjoint(&self, a: ValueId, b: ValueId, depth: u32) -> bool {
        let one_way = |a: ValueId, b: ValueId| match self.values[a].op {
            Op::And(x, y) => {
                self.are_disjoint_to_depth(x, b, depth - 1) || self.are_disjoint_to_depth(y, b, depth - 1)
            }
            Op::AndNot(x, y) => {
                self.is_subset_to_depth(b, y, depth) || self.are_disjoint_to_depth(x, b, depth - 1)
            }
            Op::Not(x) => self.is_subset_to_depth(b, x, depth),
            Op::Lowest(x) | Op::Highest(x) => self.are_disjoint_to_depth(x, b, depth - 1),
            Op::Or(x, y) => {
                self.are_disjoint_to_depth(x, b, depth - 1) && self.are_disjoint_to_depth(y, b, depth - 1)
            }
            Op::Slot(slot) => self.owners_are(slot, |owner| self.are_disjoint_to_depth(owner, b, depth - 1)),
            Op::Param(_) => {
                self.parts.get(&a).is_some_and(|&whole| self.are_disjoint_to_depth(whole, b, depth - 1))
            }
            Op::Shift(x, by) => {
                self.steps_beside(x, by, b, depth)
                    || self.steps_into(x, by, depth, &mut |y| self.are_disjoint_to_depth(y, b, depth - 1))
            }
            _ => false,
        };
        one_way(a, b) || one_way(b, a)
    }

    /// Returns true if every bit of `a`, shifted by `by`, provably lands in a vector that satisfies `wanted`, because
    /// `a` was masked by that vector shifted back.
    fn steps_into(&self, a: ValueId, by: i32, depth: u32, wanted: &mut dyn FnMut(ValueId) -> bool) -> bool {
        if depth == 0 {
            return false;
        }
        match self.values[a].op {
            Op::Shift(y, back) if back == -by => wanted(y),
            Op::And(x, y) => [x, y].into_iter().any(|of| self.steps_into(of, by, depth - 1, wanted)),
            Op::AndNot(x, _) => self.steps_into(x, by, depth - 1, wanted),
            Op::Param(_) => {
                self.parts.get(&a).is_some_and(|&whole| self.steps_into(whole, by, depth - 1, wanted))
            }
            _ => false,
        }
    }

    /// Returns true if no bit of `a`, shifted by `by`, provably lands in `b`, because `a` excludes a superset of `b`
    /// shifted back.
    fn steps_beside(&self, a: ValueId, by: i32, b: ValueId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.values[a].op {
            Op::And(x, y) => [x, y].into_iter().any(|of| self.steps_beside(of, by, b, depth - 1)),
            Op::AndNot(x, y) => {
                let beside = matches!(self.values[y].op, Op::Shift(q, back) if back == -by && self.is_subset_to_depth(b, q, depth - 1));
                beside || self.steps_beside(x, by, b, depth - 1)
            }
            Op::Param(_) => {
                self.parts.get(&a).is_some_and(|&whole| self.steps_beside(whole, by, b, depth - 1))
            }
            _ => false,
        }
    }

    fn within(&mut self, part: ValueId, of: ValueId, depth: u32) -> ValueId {
        if depth == 0 {
            return of;
        }
        match self.values[of].op {
            Op::Or(x, y) => {
                if self.are_disjoint(part, x) {
                    return self.within(part, y, depth - 1);
                }
                if self.are_disjoint(part, y) {
                    return self.within(part, x, depth - 1);
                }
                of
            }
            Op::And(x, y) if self.constant(y).is_none() => {
                if self.is_subset(part, x) {
                    return self.within(part, y, depth - 1);
                }
                if self.is_subset(part, y) {
                    return self.within(part, x, depth - 1);
                }
                let (p, q) = (self.within(part, x, depth - 1), self.within(part, y, depth - 1));
                if (p, q) == (x, y) { of } else { self.and(p, q) }
            }
            Op::AndNot(x, y) => {
                if self.is_subset(part, x) {
                    return self.not(y);
                }
                let p = self.within(part, x, depth - 1);
                if p == x { of } else { self.and_not(p, y) }
            }
            _ => of,
        }
    }

    /// Returns the random samples, extended to all values.
    fn samples(&self) -> Ref<'_, Samples> {
        self.found.samples.borrow_mut().extend(self);
        self.found.samples.borrow()
    }
}
