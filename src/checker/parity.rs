//! The check of PARITY: on the grounded rules.
//!
//! Some values of fluents have the weight 1, all others 0. The check verifies for every possible combination of old
//! and new values that no move changes the parity of the total weight. So the initial parity is invariant, and an end
//! with the other parity is unreachable.

use rustc_hash::FxHashMap;

use super::grounded::ANALYSIS_BUDGET;
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::ParityLemma;
use bouton_grounding::{
    FALSE, FluentId, Formula, FormulaNode, Ground, PairwiseReachability, Subject, Transition, Values,
    value_numbers, values_after,
};
use bouton_reference::State;

/// The set of values of weight 1, by fluent.
#[derive(Default)]
pub(super) struct ParityWeights(FxHashMap<FluentId, Values>);

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
        let weights = self.weights(&ground, &parity.weights)?;
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
                return reject("the parity does not rule out an end that gives the holder less");
            }
        }
        Ok(Fact::Bound { bound: parity.bound.clone(), plies: None, sum: met })
    }

    /// Returns the weights that a certificate lists.
    pub(super) fn weights(&self, ground: &Ground, odd: &[(u32, Vec<u8>)]) -> Checked<ParityWeights> {
        let mut weights = ParityWeights::default();
        for (fluent, values) in odd {
            let id = FluentId(*fluent);
            reject_if(id.index() >= ground.fluents.len(), "a weight is of a fluent that does not exist")?;
            let size = ground.fluents.get(id).values.len();
            if values.iter().any(|value| usize::from(*value) >= size) {
                return reject("a weight is of a value that does not exist");
            }
            weights.0.insert(id, values.iter().fold(0, |all, value| all | 1 << value));
        }
        Ok(weights)
    }

    /// Checks that no step changes the parity of the weights.
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
                return reject(format!("`{name}` changes whether the sum is even"));
            }
        }
        Ok(())
    }
}

impl ParityWeights {
    /// Returns the parity of the weights in a position: true if it is odd.
    pub(super) fn sum(&self, position: &[u8]) -> bool {
        self.0.iter().filter(|(fluent, odd)| *odd >> position[fluent.index()] & 1 == 1).count() % 2 == 1
    }

    /// Returns true if a step keeps the parity wherever it can be made.
    fn are_kept(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        step: &Transition,
        budget: &mut u64,
    ) -> Option<bool> {
        let changed: Vec<_> = step.becomes.iter().filter(|of| self.0.contains_key(&of.fluent)).collect();
        let whens: Vec<Formula> =
            changed.iter().flat_map(|of| of.values.iter().map(|(_, when)| *when)).collect();
        let mut of = ground.support(step.legal, &whens);
        let more: Vec<FluentId> =
            changed.iter().map(|becomes| becomes.fluent).filter(|id| !of.contains(id)).collect();
        of.extend(more);
        let mut kept = true;
        joint.cases(&ground.formulas, step.legal, &of, budget, &mut |here| {
            let mut change = false;
            for becomes in &changed {
                let weight = |value: u32| self.0[&becomes.fluent] >> value & 1 == 1;
                let from = weight(here[becomes.fluent.index()].trailing_zeros());
                let to: Vec<bool> = values_after(&ground.formulas, &becomes.values, here)
                    .iter()
                    .map(|to| weight(u32::from(*to)))
                    .collect();
                kept &= to.windows(2).all(|pair| pair[0] == pair[1]);
                change ^= to.first().is_some_and(|to| *to != from);
            }
            kept &= !change;
        })?;
        Some(kept)
    }

    /// Returns true if a formula holds only in positions with the other parity.
    pub(super) fn excludes(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        formula: Formula,
        sum: bool,
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
        let mut total = false;
        for (fluent, odd) in &self.0 {
            let mut weighs = value_numbers(here[fluent.index()]).map(|value| odd >> value & 1 == 1);
            let first = weighs.next().unwrap_or(false);
            if weighs.any(|other| other != first) {
                return false;
            }
            total ^= first;
        }
        total != sum
    }
}
