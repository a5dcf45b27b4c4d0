//! The check of PRODUCT: on the grounded rules, and on the positions of each component alone.

use num_rational::Rational64;
use num_traits::CheckedAdd;

use super::{CheckError, Checker, Fact};
use bouton_base::id::Id;
use bouton_certificates as cert;
use bouton_grounding::{FormulaEvaluator, NotApplicable};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the value of the position is the sum of the values of its components.
    pub(super) fn product(
        &mut self,
        start: &State,
        product: &cert::ProductLemma,
    ) -> Result<Fact, CheckError> {
        let mut ground = self.grounded()?;
        if self.rules.players().len() != 2 {
            return self.reject("it is for two players");
        }
        let position = self.fluent_position(&ground, start)?;
        if FormulaEvaluator::new(&ground.formulas, &position).holds(ground.over) {
            return self.reject("the game is over where it begins");
        }
        let possible = ground.delete_relaxation(&position);
        let turn = ground.fluents.turn();
        // The players must alternate.
        self.checked_board_moves(&mut ground, &possible, turn)?;
        let found = match ground.factorize(&position) {
            Ok(found) => found,
            Err(reason) => return self.reject(reason),
        };
        let same = |(fluents, (listed, _)): (
            &Vec<bouton_grounding::FluentId>,
            &(cert::sum::ListedComponent, Rational64),
        )| {
            fluents.iter().map(|fluent| fluent.0).eq(listed.fluents.iter().copied())
                && fluents.iter().map(|fluent| position[fluent.index()]).eq(listed.values.iter().copied())
        };
        let listed = &product.components;
        if found.components.len() != listed.len() || !found.components.iter().zip(listed).all(same) {
            return self.reject("its components are not those of the position");
        }
        let worths = match found.component_values(&mut ground, &position, self.limits) {
            Ok(worths) => worths,
            Err(NotApplicable::Limit(hit)) => return Err(CheckError::Limit(hit)),
            Err(NotApplicable::Reason(reason)) => return self.reject(reason),
        };
        if let Some((worth, _)) = worths.iter().zip(listed).find(|(worth, (_, listed))| *worth != listed) {
            return self.reject(format!("a component is worth {worth} to the first player"));
        }
        let total = worths.iter().try_fold(Rational64::default(), |all, worth| all.checked_add(worth));
        match total {
            Some(total) => Ok(Fact::Values(vec![total, -total])),
            None => self.reject("the values are too large to be added"),
        }
    }
}
