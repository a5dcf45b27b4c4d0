//! Turns a solution into a proof: makes the certificate, writes it on request, and checks it.
//!
//! The checker receives the certificate as it would be read back from its text.

use std::path::Path;

use super::agreement::contradicts;
use super::files::{self, FileError};
use super::load::GameSource;
use super::parametric;
use super::planner::Answer;
use super::position::StartPosition;
use bouton_base::cancel;
use bouton_base::limits::Limits;
use bouton_certificates::{self as cert, Certificate, Claim, Tier};
use bouton_checker::{Verdict, verify};
use bouton_report::proof::{AcceptedProof, Proof};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::mixed::hidden::COMMON_PLAN;
use bouton_search::solve::{ComparedEquilibria, Solution, Solver, ValueKind};

/// The maximal number of positions that a certificate may list if nobody requested it. A count, not a time, makes the
/// same results proved on every machine.
pub const MAX_UNREQUESTED_POSITIONS: usize = 50_000;
/// The maximal number of steps of checking a certificate that nobody requested.
const MAX_UNREQUESTED_STEPS: u64 = 30_000_000;

/// The options of a proof whose certificate is written to a file on request.
#[derive(Clone, Copy, Debug)]
pub struct ProofRequest<'a> {
    /// The path to write the certificate to; if `None`, only small certificates are made and checked.
    pub out: Option<&'a str>,
    /// True if the proof must cover the value of every position.
    pub strong: bool,
    /// The limits of making and checking the certificate.
    pub limits: &'a Limits,
}

/// The options of a proof.
#[derive(Clone, Copy, Debug)]
pub struct ProofOptions<'a> {
    /// True if the certificate was requested; if not, only small certificates are made and checked.
    pub requested: bool,
    /// True if the proof must cover the value of every position.
    pub strong: bool,
    /// The limits of making and checking the certificate.
    pub limits: &'a Limits,
}

impl<'a> ProofOptions<'a> {
    /// The options of a proof of one value that nobody requested.
    pub fn in_passing(limits: &'a Limits) -> ProofOptions<'a> {
        ProofOptions { requested: false, strong: false, limits }
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
    let ProofRequest { out, strong, limits } = *request;
    let options = ProofOptions { requested: out.is_some(), strong, limits };
    let proof = prove_in_memory(text, start, answer, &options);
    // A certificate that was not checked in time can still be checked elsewhere.
    match (out, &proof.text) {
        (Some(out), Some(written)) => {
            files::write(Path::new(out), written)?;
            Ok(Proof { certificate: Some(out.into()), ..proof })
        }
        _ => Ok(proof),
    }
}

/// Same as [`prove`] without a file.
pub fn prove_in_memory(
    text: &GameSource,
    start: &StartPosition,
    answer: &Answer,
    request: &ProofOptions<'_>,
) -> Proof {
    let proof = prove_solution(text, start, answer, request);
    let unproved = proof.result.is_err() && (proof.text.is_none() || !request.requested);
    match answer.strategy.as_ref().filter(|_| unproved && !request.strong) {
        // The strategy in words proves the value as well.
        Some(found) if answer.solution.strategy.is_empty() && !found.contradicts(&answer.solution) => {
            prove_solution(text, start, &Answer::from(found.clone()), request)
        }
        _ => proof,
    }
}

/// Proves the solution itself.
fn prove_solution(
    text: &GameSource,
    start: &StartPosition,
    answer: &Answer,
    request: &ProofOptions<'_>,
) -> Proof {
    let solution = &answer.solution;
    if let Some(proof) = prove_for_all(text, start, solution, request) {
        return proof;
    }
    let asked = request.requested;
    let positions = (!asked).then_some(MAX_UNREQUESTED_POSITIONS);
    let wanted = CertificateOptions { strong: request.strong, positions, limits: request.limits };
    let mut made = match certificate(&start.game, &start.state, solution, &wanted) {
        Ok(made) => made,
        Err(reason) => return Proof::unproved(reason.to_string()),
    };
    // The certificate includes the source even if nobody requested it, so that the reported hash is that of the file
    // that would be written.
    made.text = text.complete_text().map(str::to_owned);
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
        Err(damage) => return Proof::unproved(format!("a bug of bouton: its certificate has {damage}")),
    };
    let result = match verdict {
        Verdict::Accepted(_) if !start.is_subject_of(&made.header) => {
            return Proof::unproved("a bug of bouton: its certificate is about another position");
        }
        Verdict::Accepted(accepted) if contradicts(&made.header.claim, solution) => {
            return Proof::unproved(format!(
                "a bug of bouton: the computed value contradicts the accepted claim: {}",
                accepted.claim
            ));
        }
        Verdict::Accepted(accepted) => Ok(AcceptedProof {
            claim: accepted.claim,
            computed: computed(&made.header.claim, solution),
            tier: accepted.tier,
            scope: None,
            kinds: kinds(&made),
            listed: made.lemmas.iter().map(|lemma| lemma.positions() as u64).sum(),
            steps: accepted.steps,
            root: made.root(),
        }),
        Verdict::Rejected(rejection) => {
            return Proof::unproved(format!(
                "a bug of bouton: the checker refuses its certificate: {rejection}"
            ));
        }
        Verdict::Limit(_) if !asked => {
            Err("the check takes too long to run here; `--certificate OUT` runs it".into())
        }
        Verdict::Limit(hit) => Err(format!("{hit} before the certificate was checked")),
    };
    Proof { result, certificate: None, text: Some(written) }
}

/// A proof for all values of the parameters, if the solution is a strategy that can be described and the winner agrees.
pub fn prove_for_all(
    text: &GameSource,
    start: &StartPosition,
    solution: &Solution,
    request: &ProofOptions<'_>,
) -> Option<Proof> {
    let rules = &start.game.rules;
    let is_told =
        |lemma: &cert::Lemma| lemma.tier() == Tier::Ground || matches!(lemma, cert::Lemma::Automaton(_));
    let told = !solution.strategy.is_empty() && solution.strategy.iter().all(is_told);
    if !told || request.strong || start.state != start.game.machine.initial() {
        return None;
    }
    let settings: Vec<String> =
        rules.params.iter().map(|(name, value)| format!("{name}={}", rules.show(value))).collect();
    let whole = text.complete_text()?;
    let mut again = GameSource::from_string(&text.path, whole).with_settings(&settings, None).ok()?;
    let proved = parametric::prove(&mut again, request.limits).ok()?;
    let wins = match solution.value.as_ref().map(|value| value.kind) {
        Some(ValueKind::Win(winner)) => Some(winner),
        _ => None,
    };
    if wins.is_none() || proved.winner(rules) != wins {
        return None;
    }
    let result = AcceptedProof {
        claim: proved.claim(),
        computed: None,
        tier: proved.accepted.tier,
        scope: Some(proved.scope()),
        kinds: kinds(&proved.certificate),
        listed: 0,
        steps: proved.accepted.steps,
        root: proved.certificate.root(),
    };
    Some(Proof { result: Ok(result), certificate: None, text: Some(cert::write(&proved.certificate)) })
}

/// Returns the part of a result that a claim leaves out: the fewest moves of a single player, where he is only said to
/// win; or the value, where there is only said to be an equilibrium.
fn computed(claim: &Claim, solution: &Solution) -> Option<&'static str> {
    let value = solution.value.as_ref()?;
    let moves = solution.remoteness.is_some_and(|moves| moves > 0);
    match claim {
        Claim::Equilibria(_) if solution.method == COMMON_PLAN.name() => {
            Some("that no other plans give more")
        }
        Claim::Equilibria(_) => Some(match solution.compared {
            ComparedEquilibria::All => {
                "that every other equilibrium without empty threats (subgame-perfect) has the same payoffs"
            }
            ComparedEquilibria::Pure => {
                "that every other equilibrium without empty threats (subgame-perfect) in which nobody draws lots has \
                 the same payoffs"
            }
            ComparedEquilibria::PureStationary => {
                "that every other equilibrium without empty threats (subgame-perfect) in which nobody draws lots and \
                 each choice depends on the position alone has the same payoffs"
            }
            ComparedEquilibria::NoChoice => "that nobody ever has a choice",
        }),
        Claim::SolvedIn(_) => None,
        _ => (value.kind == ValueKind::Solved && moves).then_some("that no plan is shorter"),
    }
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
