//! Rows of every length: finds and proves the period of their Grundy values.

use std::cell::RefCell;
use std::sync::Arc;

use super::load::GameSource;
use super::parametric::FamilyProofError;
use super::proof::source_copy;
use bouton_analysis::{schema, uniform_rows};
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_certificates::{Certificate, Claim, Lemma, PeriodicLemma, Tier};
use bouton_checker::{RulesFamily, Verdict, Verifier};
use bouton_detect::periods::{self, Period};
use bouton_grounding::{GroundingError, ground};
use bouton_rules::parametric::ParametricRules;
use bouton_rules::{Rules, Value};
use bouton_search::solve::certify::header;

/// A family of rules for the checker: a source with some parameters set, and all others as they are.
pub struct SourceFamily<'t> {
    text: RefCell<&'t mut GameSource>,
    rules: Rules,
    /// All parameters with their values as written; settings replace them.
    params: Vec<(String, String)>,
    numbers: Vec<(String, i64)>,
}

impl<'t> SourceFamily<'t> {
    /// The family of a source with the parameter values of `rules`.
    pub fn new(text: &'t mut GameSource, rules: &Rules) -> SourceFamily<'t> {
        let number = |(name, value): &(String, Value)| match value {
            Value::Int(number) => Some((name.clone(), *number)),
            _ => None,
        };
        SourceFamily {
            text: RefCell::new(text),
            rules: rules.clone(),
            params: rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect(),
            numbers: rules.params.iter().filter_map(number).collect(),
        }
    }
}

impl RulesFamily for SourceFamily<'_> {
    fn rules(&self, param: &str, value: i64) -> Result<Arc<Rules>, String> {
        self.instance(&[format!("{param}={value}")])
    }

    fn instance(&self, settings: &[String]) -> Result<Arc<Rules>, String> {
        let given = |name: &str| settings.iter().any(|setting| setting.split('=').next() == Some(name));
        let others = self.params.iter().filter(|(name, _)| !given(name));
        let mut all: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        all.extend_from_slice(settings);
        let mut text = self.text.borrow_mut();
        text.rules_with(&all).map(Arc::new).ok_or_else(|| "the rules have errors".into())
    }

    fn schema(&self, free: &[String]) -> Result<ParametricRules, String> {
        let schema = schema::read(&self.text.borrow().ast, &self.rules, free);
        schema.map_err(|refusal| refusal.to_string())
    }

    fn window(&self, param: &str) -> Result<u32, String> {
        let others: Vec<(String, i64)> =
            self.numbers.iter().filter(|(name, _)| name != param).cloned().collect();
        let window = uniform_rows::window(&self.text.borrow().ast, param, &others);
        window.map_err(|error| error.to_string())
    }
}

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
    certificate.text = source_copy(text);
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
