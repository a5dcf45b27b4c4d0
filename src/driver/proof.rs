//! Turns a solution into a proof: makes the certificate, writes it on request, and checks it.
//!
//! The checker receives the certificate as it would be read back from its text.

use std::path::Path;

use super::files::{self, FileError};
use super::load::GameSource;
use super::parametric;
use super::planner::Answer;
use super::position::StartPosition;
use bouton_base::cancel;
use bouton_base::limits::Limits;
use bouton_certificates::{self as cert, Certificate, Tier};
use bouton_checker::{Verdict, verify};
use bouton_report::proof::{AcceptedProof, Proof};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Solution, ValueKind};
use bouton_syntax::ast::ItemKind;

/// The maximal number of positions that a certificate may list if nobody requested it. A count, not a time, makes the
/// same results proved on every machine.
pub const MAX_UNREQUESTED_POSITIONS: usize = 50_000;
/// The maximal number of steps of checking a certificate that nobody requested.
const MAX_UNREQUESTED_STEPS: u64 = 10_000_000;

/// The options of a proof.
#[derive(Clone, Copy, Debug)]
pub struct ProofRequest<'a> {
    /// The path to write the certificate to; if `None`, only small certificates are made and checked.
    pub out: Option<&'a str>,
    /// True if the proof must cover the value of every position.
    pub strong: bool,
    /// The limits of making and checking the certificate.
    pub limits: &'a Limits,
}

impl<'a> ProofRequest<'a> {
    /// The options of a proof of one value that nobody requested.
    pub fn in_passing(limits: &'a Limits) -> ProofRequest<'a> {
        ProofRequest { out: None, strong: false, limits }
    }
}

/// Proves the answer for a position. It is an error if the certificate cannot be written.
///
/// A strategy that the checker accepted when it was found is not checked again, if its certificate reads back as the
/// accepted one.
pub fn prove(
    text: &GameSource,
    start: &StartPosition,
    answer: &Answer,
    request: &ProofRequest<'_>,
) -> Result<Proof, FileError> {
    let solution = &answer.solution;
    if let Some(proof) = prove_for_all(text, start, solution, request)? {
        return Ok(proof);
    }
    let asked = request.out.is_some();
    let positions = (!asked).then_some(MAX_UNREQUESTED_POSITIONS);
    let wanted = CertificateOptions { strong: request.strong, positions, limits: request.limits };
    let mut made = match certificate(&start.game, &start.state, solution, &wanted) {
        Ok(made) => made,
        Err(reason) => return Ok(Proof::unproved(reason.to_string())),
    };
    // The certificate includes the source even if nobody requested it, so that the reported hash is that of the file
    // that would be written.
    made.text = source_copy(text);
    let written = cert::write(&made);
    let read = cert::parse(&written);
    let checked = |read| answer.strategy.as_ref()?.proof.verdict_on(read);
    let verdict = match &read {
        Ok(read) if let Some(accepted) = checked(read) => Verdict::Accepted(accepted.clone()),
        Ok(read) => {
            let effort = (!asked).then_some(MAX_UNREQUESTED_STEPS);
            // A budget of steps does not observe the clock; the code around the check does.
            let check = || verify(&start.game.rules, read, request.limits, effort);
            cancel::run_within(request.limits, check).unwrap_or_else(Verdict::Limit)
        }
        // Every written certificate must be readable; a failure is a bug of this program, reported like a rejection.
        Err(damage) => return Ok(Proof::unproved(format!("a bug of bouton: its certificate has {damage}"))),
    };
    let result = match verdict {
        Verdict::Accepted(accepted) => Ok(AcceptedProof {
            claim: accepted.claim,
            tier: accepted.tier,
            scope: None,
            kinds: kinds(&made),
            listed: made.lemmas.iter().map(|lemma| lemma.positions() as u64).sum(),
            steps: accepted.steps,
            root: made.root(),
        }),
        Verdict::Rejected(rejection) => {
            return Ok(Proof::unproved(format!(
                "a bug of bouton: the checker refuses its certificate: {rejection}"
            )));
        }
        Verdict::Limit(_) if !asked => {
            Err("the check takes too long to run here; `--certificate OUT` runs it".into())
        }
        Verdict::Limit(hit) => Err(format!("{hit} before the certificate was checked")),
    };
    // A certificate that was not checked in time can still be checked elsewhere.
    if let Some(out) = request.out {
        files::write(Path::new(out), &written)?;
    }
    Ok(Proof { result, certificate: request.out.map(String::from) })
}

/// A proof for all values of the parameters, if the solution is a strategy that can be described and the winner agrees.
pub fn prove_for_all(
    text: &GameSource,
    start: &StartPosition,
    solution: &Solution,
    request: &ProofRequest<'_>,
) -> Result<Option<Proof>, FileError> {
    let rules = &start.game.rules;
    let is_told =
        |lemma: &cert::Lemma| lemma.tier() == Tier::Ground || matches!(lemma, cert::Lemma::Automaton(_));
    let told = !solution.strategy.is_empty() && solution.strategy.iter().all(is_told);
    if !told || request.strong || start.state != start.game.machine.initial() {
        return Ok(None);
    }
    let settings: Vec<String> =
        rules.params.iter().map(|(name, value)| format!("{name}={}", rules.show(value))).collect();
    let Some(whole) = source_copy(text) else { return Ok(None) };
    let Ok(mut again) = GameSource::from_string(&text.path, &whole).with_settings(&settings, None) else {
        return Ok(None);
    };
    let Ok(proved) = parametric::prove(&mut again, request.limits) else { return Ok(None) };
    let wins = match solution.value.as_ref().map(|value| value.kind) {
        Some(ValueKind::Win(winner)) => Some(winner),
        _ => None,
    };
    if wins.is_none() || proved.winner(rules) != wins {
        return Ok(None);
    }
    if let Some(out) = request.out {
        files::write(Path::new(out), &cert::write(&proved.certificate))?;
    }
    let result = AcceptedProof {
        claim: proved.accepted.claim.clone(),
        tier: proved.accepted.tier,
        scope: Some(proved.scope()),
        kinds: kinds(&proved.certificate),
        listed: 0,
        steps: proved.accepted.steps,
        root: proved.certificate.root(),
    };
    Ok(Some(Proof { result: Ok(result), certificate: request.out.map(String::from) }))
}

fn kinds(certificate: &Certificate) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for kind in certificate.lemmas.iter().map(cert::Lemma::kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(" and ")
}

/// The source of the game's file; `None` if a part of the rules lies in another file.
pub(super) fn source_copy(text: &GameSource) -> Option<String> {
    let elsewhere =
        |kind: &ItemKind| matches!(kind, ItemKind::Use { path, .. } if !path.text.starts_with("std/"));
    if text.ast.items.iter().any(|item| elsewhere(&item.kind)) {
        return None;
    }
    Some(text.sources.get(text.file).text.to_string())
}
