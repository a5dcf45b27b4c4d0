//! Rows of every length: finds and proves the period of their Grundy values.

use std::sync::Arc;

use super::load::GameSource;
use super::parametric::FamilyProofError;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_certificates::{Certificate, Claim, Lemma, PeriodicLemma, Tier};
use bouton_checker::{RulesFamily, Verdict, Verifier};
use bouton_detect::periods::{self, Period};
use bouton_grounding::{ActionMaker, FluentId, FormulaEvaluator, GroundingError, ground};
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
    let window = family.window(param)?;
    let short = family.rules(param, 4 * i64::from(window.max(1)) + 1)?;
    let digits = digits(&short, limits)?;
    let period = periods::period(&digits, limits).ok_or(FamilyProofError::NoPeriod)?;
    let Period { from, period: every, values } = period.clone();
    let lemma = PeriodicLemma { param: param.to_owned(), from, period: every, digits, values };
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

/// The digits of the octal game, for blocks of 1, 2, ... cells: for each number of free neighbours, whether such a block
/// can be filled in the middle of a row of free cells, or where its neighbours are not free.
fn digits(rules: &Arc<Rules>, limits: &Limits) -> Result<Vec<u32>, GroundingError> {
    let ground = ground(rules, limits)?;
    let (turn, phase) = (ground.fluents.turn(), ground.fluents.phase());
    let board: Vec<FluentId> =
        ground.fluents.iter().map(|(id, _)| id).filter(|id| *id != turn && *id != phase).collect();
    let mut digits: Vec<u32> = Vec::new();
    for action in &ground.actions {
        let mut block: Vec<FluentId> = action.updates.iter().map(|update| update.fluent).collect();
        block.retain(|fluent| *fluent != turn && *fluent != phase);
        let (Some(&low), Some(&high)) = (block.iter().min(), block.iter().max()) else { continue };
        let places = [low, high].map(|cell| board.iter().position(|of| *of == cell));
        let [Some(low), Some(high)] = places else { continue };
        let length = high - low + 1;
        digits.resize(digits.len().max(length), 0);
        let neighbours: Vec<usize> =
            low.checked_sub(1).into_iter().chain((high + 1 < board.len()).then_some(high + 1)).collect();
        for chosen in 0..1u32 << neighbours.len() {
            let mut position = ground.initial.clone();
            position[turn.index()] = match action.maker {
                ActionMaker::Player(player) => player as u8,
                ActionMaker::All => 0,
            };
            for (place, &cell) in neighbours.iter().enumerate() {
                // A cell has two values: that of the first position is free.
                position[board[cell].index()] ^= u8::from(chosen >> place & 1 == 0);
            }
            if FormulaEvaluator::new(&ground.formulas, &position).holds(action.legal) {
                digits[length - 1] |= 1 << chosen.count_ones();
            }
        }
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    Ok(digits)
}
