//! Delete relaxation: an upper bound of the reachable positions, fluent by fluent (from planning: Drew McDermott 1996;
//! Blai Bonet and Héctor Geffner 2001).

use super::formula::Values;
use super::{Ground, ThreeValuedEvaluator};
use bouton_base::cancel;
use bouton_base::id::Id;

/// The relaxed reachability of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeleteRelaxation {
    /// The values that each fluent may take, the present one among them, by fluent.
    pub values: Vec<Values>,
    /// True if the action may ever be legal, by action.
    pub actions: Vec<bool>,
}

impl Ground {
    /// Returns the relaxed reachability of a position. All positions reachable from it have only such values, and all
    /// moves legal in them are such actions.
    pub fn delete_relaxation(&self, position: &[u8]) -> DeleteRelaxation {
        self.relaxation_of(position.iter().map(|&value| 1 << value).collect())
    }

    /// Returns the relaxed reachability of the positions with any of these values of each fluent.
    pub fn relaxation_of(&self, values: Vec<Values>) -> DeleteRelaxation {
        let mut possible = DeleteRelaxation { values, actions: vec![false; self.actions.len()] };
        loop {
            let mut more = possible.values.clone();
            let mut reading = self.relaxed_evaluator(&possible);
            for (action, legal) in self.actions.iter().zip(&mut possible.actions) {
                cancel::step();
                *legal = *legal || reading.may_hold(action.legal);
                if !*legal {
                    continue;
                }
                for becomes in &action.updates {
                    for (value, when) in &becomes.values {
                        if reading.may_hold(*when) {
                            more[becomes.fluent.index()] |= 1 << value;
                        }
                    }
                }
            }
            if more == possible.values {
                return possible;
            }
            possible.values = more;
        }
    }

    /// Evaluates formulas in this relaxation.
    pub fn relaxed_evaluator(&self, possible: &DeleteRelaxation) -> ThreeValuedEvaluator<'_> {
        ThreeValuedEvaluator::new(&self.formulas, possible.values.clone())
    }
}
