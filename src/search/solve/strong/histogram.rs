//! The histogram of a strong solution: the number of positions by value.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{PACKED_DRAW, PackedValue, SEED_BIT, StrongSolution, StrongStore};
use crate::game::reachable_set::{ExpandScratch, ReachableSet};
use crate::solve::histogram::ValueHistogram;
use bouton_base::key_table::KeyTable;
use bouton_circuit::ControlId;

impl StrongSolution {
    /// Returns the histogram of all positions by value; for a universe only of those that satisfy the invariants.
    pub(super) fn count(&self) -> ValueHistogram {
        let mut tally = ValueHistogram::default();
        let mut add = |control: ControlId, worth: PackedValue, positions: u64| {
            let (value, plies) = self.told(worth);
            tally.add(Some(self.expander.machine().actor(control)), &value, plies, positions);
        };
        match &self.set {
            StrongStore::Hashed(closure) => {
                let parts: Vec<_> =
                    closure.parts.par_iter().map(|part| self.count_part(closure, part)).collect();
                for counts in parts {
                    for (control, counts) in counts.into_iter().enumerate() {
                        let mut counts: Vec<(u16, u64)> = counts.into_iter().collect();
                        counts.sort_unstable();
                        counts
                            .into_iter()
                            .for_each(|(worth, n)| add(ControlId(control as u32), PackedValue(worth), n));
                    }
                }
            }
            StrongStore::Indexed(numbered) => {
                for ply in 0..numbered.plies() {
                    let control = numbered.ranking().control(ply);
                    numbered.counts(ply).into_iter().for_each(|(worth, n)| add(control, worth, n));
                }
            }
        }
        tally.sort();
        tally
    }

    /// Returns the number of positions of a part by control and value; a won terminal counts as a win in 0 plies, and a
    /// drawn one counts as a draw of its mover.
    fn count_part(
        &self,
        closure: &ReachableSet<PackedValue>,
        part: &KeyTable<PackedValue>,
    ) -> Vec<FxHashMap<u16, u64>> {
        let controls = self.expander.machine().runner().circuit().controls.len();
        let mut counts = vec![FxHashMap::<u16, u64>::default(); controls];
        let mut room = ExpandScratch::default();
        for slot in 0..part.capacity() {
            if let Some(key) = part.key(slot) {
                let worth = part.values()[slot];
                if self.only_seeds && worth.0 & SEED_BIT == 0 {
                    continue;
                }
                let worth = if worth.is_known() { PackedValue(worth.0 & !SEED_BIT) } else { PACKED_DRAW };
                let control = self.expander.control(&closure.keys, key, &mut room);
                let positions = self.expander.orbit(&room);
                *counts[control.0 as usize].entry(worth.0).or_default() += positions;
            }
        }
        counts
    }
}
