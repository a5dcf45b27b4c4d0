//! Random simulation: the values of a circuit on a few random states. A claim that fails on one of them is false, so
//! the builder need not search for a proof (the filter of SAT sweeping: Kuehlmann, Krohn 1997).
//!
//! *Invariant:* a sampled state respects the builder's declarations about slots and parameters: disjoint slots, owned
//! slots, subsets. Everything that the builder can prove therefore holds on all samples.

use std::collections::BTreeMap;

use super::CircuitBuilder;
use crate::{Op, SlotId, Ty, ValueId};
use bouton_base::bits::{BitSet, words_for};
use bouton_base::id::Id;
use bouton_base::random::SplitMix;

/// The number of sampled states.
const SAMPLE_STATES: usize = 4;

/// The values on the sampled states.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// For each slot of the layout, its samples.
    slots: Vec<Vec<BitSet>>,
    /// All samples of all values, one after the other.
    words: Vec<u64>,
    /// The start of each value's samples in `words`.
    starts: Vec<usize>,
}

/// Returns the random generator for the value, slot or family with this number on the n-th state.
fn random(number: u32, n: usize) -> SplitMix {
    SplitMix::new(u64::from(number) << 32 | n as u64)
}

/// Returns a random subset of the bits that may be 1.
fn random_subset(maybe: &BitSet, random: &mut SplitMix) -> BitSet {
    let words: Vec<u64> = maybe.words().iter().map(|word| word & random.word()).collect();
    BitSet::from_words(maybe.len(), &words)
}

impl Samples {
    /// Computes the samples of all values that the builder added since the last call.
    pub fn extend(&mut self, build: &CircuitBuilder) {
        if self.starts.len() == build.values.len() {
            return;
        }
        if self.slots.is_empty() {
            self.slots = slots(build);
        }
        for id in (self.starts.len()..build.values.len()).map(|n| ValueId(n as u32)) {
            self.starts.push(self.words.len());
            if let Ty::Bits(_) = build.ty(id) {
                (0..SAMPLE_STATES).for_each(|n| {
                    let sample = self.sample(build, id, n);
                    self.words.extend_from_slice(sample.words());
                });
            }
        }
    }

    /// Returns true if the first is a subset of the second on every state.
    pub fn is_subset(&self, a: ValueId, b: ValueId) -> bool {
        self.of(a).iter().zip(self.of(b)).all(|(a, b)| a & !b == 0)
    }

    /// Returns true if the two share no bit on any state.
    pub fn are_disjoint(&self, a: ValueId, b: ValueId) -> bool {
        self.of(a).iter().zip(self.of(b)).all(|(a, b)| a & b == 0)
    }

    fn of(&self, value: ValueId) -> &[u64] {
        let end = self.starts.get(value.0 as usize + 1).copied().unwrap_or(self.words.len());
        &self.words[self.starts[value.0 as usize]..end]
    }

    /// Computes a vector on the n-th state. Operations that the subset and disjointness proofs do not look into get
    /// random bits.
    fn sample(&self, build: &CircuitBuilder, value: ValueId, n: usize) -> BitSet {
        let maybe = build.maybe(value);
        let of = |operand: ValueId| {
            let words = words_for(build.width(operand));
            BitSet::from_words(build.width(operand), &self.of(operand)[n * words..][..words])
        };
        let mut random = random(value.0, n);
        match build.values[value].op {
            Op::Bits(ref bits) => bits.clone(),
            Op::Slot(slot) => self.slots[slot.index()][n].clone(),
            Op::And(a, b) => of(a).and(&of(b)),
            Op::Or(a, b) => of(a).or(&of(b)),
            Op::AndNot(a, b) => of(a).minus(&of(b)),
            Op::Not(a) => of(a).not(),
            Op::Shift(a, by) => of(a).shift(by),
            Op::Lowest(a) => BitSet::of(maybe.len(), of(a).first()),
            Op::Highest(a) => BitSet::of(maybe.len(), of(a).iter().last()),
            Op::Param(_) => match build.parts.get(&value) {
                Some(whole) if n.is_multiple_of(2) => of(*whole),
                Some(whole) => random_subset(&of(*whole), &mut random),
                None => random_subset(maybe, &mut random),
            },
            _ => random_subset(maybe, &mut random),
        }
    }
}

/// Returns the samples of all slots, by slot and state.
fn slots(build: &CircuitBuilder) -> Vec<Vec<BitSet>> {
    let layout = &build.layout.slots;
    let mut samples: Vec<Vec<BitSet>> = layout
        .entries()
        .map(|(id, slot)| {
            let each = 0..SAMPLE_STATES;
            each.map(|n| random_subset(&slot.maybe, &mut random(id.0, n))).collect()
        })
        .collect();
    let mut families: BTreeMap<u32, Vec<SlotId>> = BTreeMap::new();
    layout.ids().for_each(|slot| {
        build
            .families
            .get(&slot)
            .into_iter()
            .for_each(|&family| families.entry(family).or_default().push(slot));
    });
    for (family, slots) in families {
        let width = slots.iter().map(|&slot| layout[slot].maybe.len()).max().unwrap_or(0);
        (0..SAMPLE_STATES).for_each(|n| {
            slots.iter().for_each(|slot| samples[slot.index()][n] = BitSet::empty(layout[*slot].maybe.len()));
            let mut random = random(family, n);
            for place in 0..width {
                // Half of the places hold one of two slots, so that conjunctions over several places of one kind often
                // hold.
                let chosen = random.word() as usize;
                let among = if chosen & 1 == 0 { n + (chosen >> 1 & 1) } else { chosen >> 8 };
                let Some(&slot) = slots.get(among % (slots.len() + 1)) else { continue };
                if place < layout[slot].maybe.len() && layout[slot].maybe.contains(place) {
                    samples[slot.index()][n].insert(place);
                }
            }
        });
    }
    // Removing bits keeps slots disjoint. The loop ends because the number of bits is finite.
    loop {
        let mut changed = false;
        for slot in layout.ids() {
            let Some(owners) = build.owners.get(&slot) else { continue };
            for n in 0..samples[slot.index()].len() {
                let none = BitSet::empty(layout[slot].maybe.len());
                let owned = owners.iter().fold(none, |all, &owner| match build.values[owner].op {
                    Op::Slot(owner) => all.or(&samples[owner.index()][n]),
                    _ => all,
                });
                let less = samples[slot.index()][n].and(&owned);
                changed |= less != samples[slot.index()][n];
                samples[slot.index()][n] = less;
            }
        }
        if !changed {
            return samples;
        }
    }
}
