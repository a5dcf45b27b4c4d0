//! The check of PARITY: on the grounded rules.
//!
//! Values of fluents have weights. The check verifies for every possible combination of old and new values that no move
//! changes the total weight modulo a number. So the initial total is invariant, and an end with another one is
//! unreachable.

use rustc_hash::FxHashMap;

use super::grounded::ANALYSIS_BUDGET;
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::ParityLemma;
use bouton_certificates::parity::Modulus;
use bouton_grounding::{
    FALSE, FluentId, Formula, FormulaNode, Ground, PairwiseReachability, Subject, Transition, value_numbers,
    values_after,
};
use bouton_reference::State;

/// The weight of each value, by fluent, modulo a number.
pub(super) struct ParityWeights {
    modulus: u64,
    of: FxHashMap<FluentId, Vec<u64>>,
}

impl Checker<'_> {
    /// Proves that the holder gets the bound, for all choices of both players; or that no play of the only player
    /// gives him more.
    pub(super) fn parity(&mut self, start: &State, parity: &ParityLemma) -> Checked<Fact> {
        let (mut ground, holder, position) = match parity.bound.holder {
            Some(_) => self.grounded_for(&parity.bound, start)?,
            None => {
                let ground = self.grounded_for_any_play(&parity.bound)?;
                let position = self.fluent_position(&ground, start)?;
                (ground, 0, position)
            }
        };
        let any_play = parity.bound.holder.is_none();
        let weights = self.weights(&ground, parity.modulus, &parity.weights)?;
        // A single player gains nothing where he is stuck, or where play does not end.
        if !any_play {
            self.check_stuck_is_end(&mut ground)?;
        }
        let mut budget = ANALYSIS_BUDGET;
        let (joint, live) = self.reachable_moves(&ground, &position, &mut budget)?;
        let live: Vec<(String, Transition)> = live.into_iter().map(|(_, name, step)| (name, step)).collect();
        self.check_parity_kept(&ground, &joint, &live, &weights, &mut budget)?;
        if !any_play {
            self.check_irreversible_within(&ground, &joint, &live, &mut budget)?;
        }
        let sum = weights.sum(&position);
        let mut met = PayoffSum::default();
        for end in &ground.ends {
            met.record(&end.payoffs);
            let payoff = &end.payoffs[holder as usize];
            let enough =
                if any_play { *payoff <= parity.bound.payoff } else { *payoff >= parity.bound.payoff };
            if !enough && !weights.excludes(&ground, &joint, end.when, sum) {
                return reject("the sum does not rule out an end that gives the holder less");
            }
        }
        Ok(Fact::Bound { bound: parity.bound.clone(), plies: None, sum: met })
    }

    /// Returns the weights that a certificate lists.
    pub(super) fn weights(
        &self,
        ground: &Ground,
        modulus: Modulus,
        listed: &[(u32, Vec<u8>)],
    ) -> Checked<ParityWeights> {
        reject_if(modulus.0 == 0, "a sum is taken modulo 0")?;
        let mut weights = ParityWeights { modulus: modulus.0.into(), of: FxHashMap::default() };
        for (fluent, values) in listed {
            let id = FluentId(*fluent);
            reject_if(id.index() >= ground.fluents.len(), "a weight is of a fluent that does not exist")?;
            let size = ground.fluents.get(id).values.len();
            if values.iter().any(|value| usize::from(*value) >= size) {
                return reject("a weight is of a value that does not exist");
            }
            let weight = |number| values.iter().filter(|value| usize::from(**value) == number).count() as u64;
            weights.of.insert(id, (0..size).map(|number| weight(number) % weights.modulus).collect());
        }
        Ok(weights)
    }

    /// Checks that no step changes the sum of the weights.
    pub(super) fn check_parity_kept(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        steps: &[(String, Transition)],
        weights: &ParityWeights,
        budget: &mut u64,
    ) -> Checked<()> {
        for (name, step) in steps {
            if !self.within_budget(weights.are_kept(ground, joint, step, budget))? {
                return reject(format!("`{name}` changes the sum"));
            }
        }
        Ok(())
    }
}

impl ParityWeights {
    /// Returns the sum of the weights in a position.
    pub(super) fn sum(&self, position: &[u8]) -> u64 {
        let weight = |(fluent, of): (&FluentId, &Vec<u64>)| of[usize::from(position[fluent.index()])];
        self.of.iter().map(weight).sum::<u64>() % self.modulus
    }

    /// Returns true if a step keeps the sum wherever it can be made.
    fn are_kept(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        step: &Transition,
        budget: &mut u64,
    ) -> Option<bool> {
        let changed: Vec<_> = step.becomes.iter().filter(|of| self.of.contains_key(&of.fluent)).collect();
        let whens: Vec<Formula> =
            changed.iter().flat_map(|of| of.values.iter().map(|(_, when)| *when)).collect();
        let mut of = ground.support(step.legal, &whens);
        let more: Vec<FluentId> =
            changed.iter().map(|becomes| becomes.fluent).filter(|id| !of.contains(id)).collect();
        of.extend(more);
        let mut kept = true;
        joint.cases(&ground.formulas, step.legal, &of, budget, &mut |here| {
            let mut change = 0;
            for becomes in &changed {
                let weights = &self.of[&becomes.fluent];
                let from = weights[here[becomes.fluent.index()].trailing_zeros() as usize];
                let to: Vec<u64> = values_after(&ground.formulas, &becomes.values, here)
                    .iter()
                    .map(|to| weights[usize::from(*to)])
                    .collect();
                kept &= to.windows(2).all(|pair| pair[0] == pair[1]);
                change += to.first().map_or(0, |to| to + self.modulus - from);
            }
            kept &= change % self.modulus == 0;
        })?;
        Some(kept)
    }

    /// Returns true if a formula holds only in positions with another sum.
    pub(super) fn excludes(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        formula: Formula,
        sum: u64,
    ) -> bool {
        if formula == FALSE {
            return true;
        }
        let parts: &[Formula] = match ground.formulas.node(formula) {
            FormulaNode::Or(parts) => {
                return parts.iter().all(|part| self.excludes(ground, joint, *part, sum));
            }
            FormulaNode::And(parts) => parts,
            _ => &[formula],
        };
        let mut here = joint.values.clone();
        for part in parts {
            if let FormulaNode::Lit(subject, values) = ground.formulas.node(*part)
                && let Subject::Fluent(fluent) = ground.formulas.subject(*subject).0
            {
                here[fluent.index()] &= values;
            }
        }
        if here.contains(&0) {
            return true;
        }
        let mut total = 0;
        for (fluent, of) in &self.of {
            let mut weights = value_numbers(here[fluent.index()]).map(|value| of[value as usize]);
            let first = weights.next().unwrap_or(0);
            if weights.any(|other| other != first) {
                return false;
            }
            total += first;
        }
        total % self.modulus != sum
    }
}
