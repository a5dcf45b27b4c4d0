//! The check of SUM: on the grounded rules.

use rustc_hash::FxHashSet;

use super::{Checked, Checker, Fact, PayoffSum, reject};
use bouton_base::id::Id;
use bouton_certificates as cert;
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound: the nim sum of the values is 0 if the opponent is to move, and
    /// nonzero if the holder is.
    pub(super) fn sum(&mut self, start: &State, sum: &cert::SumLemma) -> Checked<Fact> {
        let (mut ground, holder, position) = self.grounded_for(&sum.bound, start)?;
        let possible = ground.delete_relaxation(&position);
        self.check_ends_when_stuck(&mut ground, &possible, 1 - holder, &sum.bound)?;
        let listed: Vec<_> = sum.components.iter().map(|of| &of.component).collect();
        let checked = self.components(&mut ground, &position, &possible, &listed)?;
        let worth = |components: &[u32]| {
            components.iter().fold(0, |total, &number| total ^ sum.components[number as usize].nimber)
        };
        for (options, component) in checked.options.iter().zip(&sum.components) {
            let options: FxHashSet<u32> = options.iter().map(|option| worth(option)).collect();
            let nimber = component.nimber;
            // The nimber is at most the number of options, so the loop over smaller values is short.
            let least = nimber as usize <= options.len() && (0..nimber).all(|less| options.contains(&less));
            if options.contains(&nimber) || !least {
                return reject(format!("{nimber} is not the least value that no move leads to"));
            }
        }
        let total = worth(&checked.start);
        let to_move = u32::from(position[ground.fluents.turn().index()]);
        if (total != 0) != (to_move == holder) {
            return reject(format!("the values add up to {total} without carrying: the other player wins"));
        }
        Ok(Fact::Bound { bound: sum.bound.clone(), plies: None, sum: PayoffSum::default() })
    }
}
