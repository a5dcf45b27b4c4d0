//! Plans for all values of the parameters: proposals, with proofs by the prover.
//!
//! Technique: for boards, mirrors in every axis or some, directly or after an opening in the middle, for each
//! combination of parities of the sides; for numbers, positions that are lost by a residue of one number or because
//! two are equal, as small positions suggest; for rows of cells, an automaton learned from short rows. The proof
//! obligations of a plan are defined in `ground`, which the checker uses, too.
//! Cost: a few hundred small proofs. Not taken: three and more heaps, whose nim sums are not linear.

use crate::base::limits::Limits;
use crate::base::linear::{Linear, Literal, Problem, Step};
use crate::detect::prover::refute;
use crate::ground::obligations;
use crate::rules::schema::{Atom, Case, PARAM, Plan, Ranged, Schema, first_values};

mod lost;
mod mirrors;
mod rows;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The parameters with the ranges of the claim.
    pub over: Vec<Ranged>,
    /// The cases with their winners.
    pub cases: Vec<Case>,
    /// The plan of the winner.
    pub plan: Plan,
    /// The proofs of the obligations, in order.
    pub proofs: Vec<Vec<Step>>,
}

/// Returns plans for as many values of the parameters as possible: beyond the ranges of the source, if there are any.
pub fn plans(schema: &Schema, limits: &Limits) -> Vec<Found> {
    let open = schema.over.iter().cloned().map(|range| Ranged { high: None, ..range }).collect::<Vec<_>>();
    for over in [open, schema.over.clone()] {
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
fn proved(schema: &Schema, over: &[Ranged], plan: Plan, cases: Vec<Case>, limits: &Limits) -> Option<Found> {
    let all = obligations(schema, over, &plan, &cases).ok()?;
    let mut proofs = Vec::new();
    for obligation in &all {
        proofs.push(refute(&obligation.problem, limits).ok()?);
    }
    Some(Found { over: over.to_vec(), cases, plan, proofs })
}

/// Returns true if some small values of the parameters satisfy the first conditions and none of the other cases.
fn leaves_some(over: &[Ranged], when: &[Atom], cases: &[Vec<Atom>], limits: &Limits) -> bool {
    // This tries all small values: a miss only makes a claim weaker than possible.
    let near = |range: &Ranged| range.low..=range.high.unwrap_or(i128::MAX).min(range.low.saturating_add(7));
    let all = first_values(over.iter().map(near), 5000);
    let holds = |atoms: &[Atom], values: &[i128]| atoms.iter().all(|atom| atom.holds_of(values));
    limits.check().is_none()
        && all.iter().any(|values| holds(when, values) && !cases.iter().any(|case| holds(case, values)))
}

/// Returns true if the term is proved to be at most 0 wherever the parameters are in their ranges.
fn always(over: &[Ranged], term: &Linear, limits: &Limits) -> bool {
    let mut problem = Problem::default();
    let mut add = |literal: Result<Literal, _>| literal.map(|literal| problem.clauses.push(vec![literal]));
    for (place, range) in over.iter().enumerate() {
        let var = Linear::var(PARAM + place as u32);
        let _ = add(Literal::at_most(&Linear::number(range.low), &var));
        if let Some(high) = range.high {
            let _ = add(Literal::at_most(&var, &Linear::number(high)));
        }
    }
    add(Literal::at_most(&Linear::number(1), term)).is_ok() && refute(&problem, limits).is_ok()
}
