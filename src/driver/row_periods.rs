//! Rows of every length: finds and proves the period of their Grundy values.

use std::sync::Arc;

use super::load::GameSource;
use super::parametric::FamilyProofError;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_certificates::{Certificate, Claim, Lemma, PeriodicLemma, Tier};
use bouton_checker::{RulesFamily, Verdict, Verifier};
use bouton_detect::periods::{self, Period};
use bouton_grounding::{GroundingError, ground};
use bouton_rules::Rules;
use bouton_search::solve::certify::header;
use bouton_verify::SourceFamily;

/// A proof for rows of every length.
pub struct PeriodProof {
    /// The Grundy values with their period.
    pub period: Period,
    /// The certificate, which the checker accepted.
    pub certificate: Certificate,
}

/// Proves the period of the Grundy values if the parameter is the length of a row.
pub fn prove(text: &mut GameSource, param: &str, limits: &Limits) -> Result<PeriodProof, FamilyProofError> {
    let rules = text.rules_with(&[]).ok_or(FamilyProofError::InvalidRules)?;
    let family = SourceFamily::new(text, &rules);
    let window = family.window(param).map_err(FamilyProofError::Family)?;
    let short = family.rules(param, 4 * i64::from(window) + 1).map_err(FamilyProofError::Family)?;
    let blocks = blocks(&short, limits)?;
    let period = periods::period(&blocks, limits).ok_or(FamilyProofError::NoPeriod)?;
    let Period { from, period: every, values } = period.clone();
    let lemma = PeriodicLemma { param: param.to_owned(), from, period: every, blocks, values };
    let claim = Claim::Period { param: param.to_owned(), from, period: every };
    let header = header(&rules, None, claim, Tier::Parametric);
    let mut certificate = Certificate { header, lemmas: vec![Lemma::Periodic(lemma)], text: None };
    let verdict = Verifier::of_family(&Arc::new(rules), &family).verify(&certificate, limits, None);
    drop(family);
    certificate.text = text.complete_text().map(str::to_owned);
    match verdict {
        Verdict::Accepted(_) => Ok(PeriodProof { period, certificate }),
        Verdict::Rejected(rejection) => Err(FamilyProofError::Rejected(rejection)),
        Verdict::Limit(hit) => Err(FamilyProofError::Limit(hit)),
    }
}

/// The numbers of cells that moves change on a board, in ascending order.
fn blocks(rules: &Arc<Rules>, limits: &Limits) -> Result<Vec<u32>, GroundingError> {
    let ground = ground(rules, limits)?;
    let turn = ground.fluents.turn();
    let possible = ground.delete_relaxation(&ground.initial);
    let live = ground.actions.iter().zip(&possible.actions).filter(|(_, live)| **live);
    let mut lengths: Vec<u32> = live
        .map(|(action, _)| {
            let changed = |fluent: bouton_grounding::FluentId| {
                fluent != turn && possible.values[fluent.index()].count_ones() > 1
            };
            action.updates.iter().filter(|becomes| changed(becomes.fluent)).count() as u32
        })
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    Ok(lengths)
}
