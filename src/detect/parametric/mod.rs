//! Plans for all values of the parameters: proposals, with proofs by the prover.
//!
//! Technique: for boards, mirrors in every axis or some, directly or after an opening in the middle, for each
//! combination of parities of the sides; for numbers, positions that are lost by a residue of one number or because
//! two are equal, as small positions suggest; for rows of cells, an automaton learned from short rows. The proof
//! obligations of a plan are those of the checker, which alone decides what has to be proved.
//! Cost: a few hundred small proofs. Not taken: three and more heaps, whose nim sums are not linear.

use crate::prover::refute;
use bouton_base::limits::Limits;
use bouton_base::linear::{Linear, Literal, Problem, ProofStep};
use bouton_obligations::obligations;
use bouton_rules::parametric::{
    Atom, PARAM_BASE, ParamRange, ParametricRules, ParametricStrategy, WinnerCase, first_values,
};

mod lost;
mod mirrors;
mod rows;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedPlan {
    /// The parameters with the ranges of the claim.
    pub over: Vec<ParamRange>,
    /// The cases with their winners.
    pub cases: Vec<WinnerCase>,
    /// The plan of the winner.
    pub plan: ParametricStrategy,
    /// The proofs of the obligations, in order.
    pub proofs: Vec<Vec<ProofStep>>,
}

/// Returns plans for as many values of the parameters as possible: beyond the ranges of the source, if there are any.
pub fn plans(schema: &ParametricRules, limits: &Limits) -> Vec<ProvedPlan> {
    let open =
        schema.params.iter().cloned().map(|range| ParamRange { high: None, ..range }).collect::<Vec<_>>();
    for over in [open, schema.params.clone()] {
        let found = if schema.board.is_empty() {
            lost::plans(schema, &over, limits)
        } else {
            let found = mirrors::plans(schema, &over, limits);
            if found.is_empty() { rows::plans(schema, &over, limits) } else { found }
        };
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the plan with its proofs, if all obligations are proved.
fn proved(
    schema: &ParametricRules,
    over: &[ParamRange],
    plan: ParametricStrategy,
    cases: Vec<WinnerCase>,
    limits: &Limits,
) -> Option<ProvedPlan> {
    let all = obligations(schema, over, &plan, &cases).ok()?;
    let mut proofs = Vec::new();
    for obligation in &all {
        proofs.push(refute(&obligation.problem, limits).ok()?);
    }
    Some(ProvedPlan { over: over.to_vec(), cases, plan, proofs })
}

/// Returns true if some small values of the parameters satisfy the first conditions and none of the other cases.
fn leaves_some(over: &[ParamRange], when: &[Atom], cases: &[Vec<Atom>], limits: &Limits) -> bool {
    // This tries all small values: a miss only makes a claim weaker than possible.
    let near =
        |range: &ParamRange| range.low..=range.high.unwrap_or(i128::MAX).min(range.low.saturating_add(7));
    let all = first_values(over.iter().map(near), 5000);
    let holds = |atoms: &[Atom], values: &[i128]| atoms.iter().all(|atom| atom.holds_of(values));
    limits.check().is_none()
        && all.iter().any(|values| holds(when, values) && !cases.iter().any(|case| holds(case, values)))
}

/// Returns true if the term is proved to be at most 0 wherever the parameters are in their ranges.
fn always(over: &[ParamRange], term: &Linear, limits: &Limits) -> bool {
    let mut problem = Problem::default();
    let mut add = |literal: Result<Literal, _>| literal.map(|literal| problem.clauses.push(vec![literal]));
    for (place, range) in over.iter().enumerate() {
        let var = Linear::var(PARAM_BASE + place as u32);
        let _ = add(Literal::at_most(&Linear::number(range.low), &var));
        if let Some(high) = range.high {
            let _ = add(Literal::at_most(&var, &Linear::number(high)));
        }
    }
    add(Literal::at_most(&Linear::number(1), term)).is_ok() && refute(&problem, limits).is_ok()
}
