//! Proofs for all values of the parameters of a game.

use std::sync::Arc;

use super::load::GameSource;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::linear::Problem;
use bouton_certificates::{self as cert, Certificate, CertificateError, Claim, Lemma, ParamLemma, Tier};
use bouton_checker::{Accepted, FamilyError, Rejection, RulesFamily, Verdict, Verifier, check_refutation};
use bouton_detect::parametric::{ProvedPlan, plans};
use bouton_detect::prover::refute;
use bouton_grounding::GroundingError;
use bouton_obligations::gap_problem;
use bouton_rules::parametric::{Atom, ParamRange};
use bouton_rules::{Rules, Value};
use bouton_search::solve::certify::header;
use bouton_verify::SourceFamily;

/// The reason why nothing was proved for all values of parameters: a sentence without its full stop.
#[derive(Debug, thiserror::Error)]
pub enum FamilyProofError {
    #[error("the rules have errors")]
    InvalidRules,
    #[error("no parameter is a whole number")]
    NoParameter,
    #[error("no plan for all values was found")]
    NoPlan,
    /// The Grundy values of rows have no period within the limit.
    #[error("no period was found")]
    NoPeriod,
    /// The rules with other values of the parameters, or a scheme of all of them, are not supported.
    #[error(transparent)]
    Family(#[from] FamilyError),
    #[error(transparent)]
    Grounding(#[from] GroundingError),
    /// The certificate cannot be read back.
    #[error("a bug of bouton: its certificate has {0}")]
    Unreadable(CertificateError),
    #[error("{0}")]
    Rejected(Rejection),
    #[error("{0}")]
    Limit(LimitHit),
}

/// A parametric certificate that the checker accepted.
pub struct ParametricProof {
    /// The certificate, with a copy of the source.
    pub certificate: Certificate,
    /// The report of the checker.
    pub accepted: Accepted,
}

impl ParametricProof {
    /// The winner for the parameter values of `rules`; `None` if the claim does not cover them.
    pub fn winner(&self, rules: &Rules) -> Option<u32> {
        self.winner_where(&|range| value(rules, range))
    }

    /// Same as [`ParametricProof::winner`] for values by the names of parameters, `heaps[1]` and the like; parameters
    /// without a value have that of the header.
    pub fn winner_for(&self, value: &dyn Fn(&str) -> Option<i64>) -> Option<u32> {
        let header = &self.certificate.header;
        let own = |range: &ParamRange| {
            let (_, words) = header.params.iter().find(|(name, _)| *name == range.param)?;
            let words = words.trim_matches(['[', ']']);
            match range.element {
                None => words.parse().ok(),
                Some(element) => words.split(", ").nth(element as usize - 1)?.parse().ok(),
            }
        };
        self.winner_where(&|range| {
            value(&cert::describe_parameter(range)).map(i128::from).or_else(|| own(range))
        })
    }

    fn winner_where(&self, value: &dyn Fn(&ParamRange) -> Option<i128>) -> Option<u32> {
        let Claim::Always { over, cases } = &self.certificate.header.claim else { return None };
        let of = |var: u32| value(over.get(var as usize)?);
        let spoken = over.iter().all(|range| {
            let fits = |value: i128| range.low <= value && range.high.is_none_or(|high| value <= high);
            value(range).is_some_and(fits)
        });
        let holds = |(when, _): &&(Vec<Atom>, u32)| when.iter().all(|atom| atom.holds(&of));
        cases.iter().find(holds).filter(|_| spoken).map(|(_, player)| *player)
    }

    /// The parameter values that the claim covers, in words: all values in the ranges if the cases cover every one.
    pub fn scope(&self) -> String {
        let Claim::Always { over, cases } = &self.certificate.header.claim else { return String::new() };
        let fixed = self.certificate.header.params.iter();
        let fixed = fixed.filter(|(name, _)| !over.iter().any(|range| range.param == *name));
        let fixed: String = fixed.map(|(name, value)| format!(", {name} = {value}")).collect();
        let all = format!("all {}{fixed}", cert::describe_ranges(over));
        if covers_all(over, cases) {
            return all;
        }
        let some: Vec<String> = cases.iter().map(|(when, _)| cert::describe_conditions(when, over)).collect();
        format!("{all}, where {}", some.join(", or "))
    }

    /// The player who wins in every case, if the cases cover every value of the parameters.
    pub fn sole_winner(&self) -> Option<&str> {
        let header = &self.certificate.header;
        let Claim::Always { over, cases } = &header.claim else { return None };
        let (_, player) = cases.first()?;
        let sole = cases.iter().all(|(_, other)| other == player) && covers_all(over, cases);
        header.players.get(*player as usize).filter(|_| sole).map(String::as_str)
    }

    /// The claim in words; cases with the same winner are not told apart if they cover everything.
    pub fn claim(&self) -> String {
        match (&self.certificate.header.claim, self.sole_winner()) {
            (Claim::Always { over, .. }, Some(winner)) => {
                format!("for all {}: {winner} wins", cert::describe_ranges(over))
            }
            _ => self.accepted.claim.clone(),
        }
    }
}

/// Returns true if the cases cover every value of the parameters, by refutations that the proof checker has accepted.
fn covers_all(over: &[ParamRange], cases: &[(Vec<Atom>, u32)]) -> bool {
    // The ways to miss all cases: one condition of each.
    let mut ways: Vec<Vec<&Atom>> = vec![Vec::new()];
    for (case, _) in cases {
        let longer = |atom| ways.iter().map(move |way| [&way[..], &[atom]].concat());
        ways = case.iter().flat_map(longer).collect();
        if ways.len() > MAX_GAPS {
            return false;
        }
    }
    let proved = |problem: &Problem| {
        refute(problem, &Limits::default()).is_ok_and(|steps| check_refutation(problem, &steps).is_ok())
    };
    ways.iter().all(|way| gap_problem(over, way).is_ok_and(|problem| proved(&problem)))
}

/// The maximal number of ways to miss all cases.
const MAX_GAPS: usize = 256;

/// The value of a parameter, or of one of its elements.
fn value(rules: &Rules, range: &ParamRange) -> Option<i128> {
    let (_, value) = rules.params.iter().find(|(name, _)| *name == range.param)?;
    match (value, range.element) {
        (Value::Int(number), None) => Some(i128::from(*number)),
        (Value::List(elements), Some(element)) => {
            elements.get(element.checked_sub(1)? as usize).and_then(Value::as_int).map(i128::from)
        }
        _ => None,
    }
}

/// Proves who wins for all values of as many parameters as possible.
pub fn prove(text: &mut GameSource, limits: &Limits) -> Result<ParametricProof, FamilyProofError> {
    let rules = text.rules_with(&[]).ok_or(FamilyProofError::InvalidRules)?;
    let candidates = text.outline.symbolic_params.clone();
    let mut why = FamilyProofError::NoParameter;
    for free in subsets(&candidates) {
        match prove_over(text, &rules, &free, limits) {
            Ok(proved) => return Ok(proved),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

/// The nonempty subsets of the first four parameters, the largest first.
fn subsets(all: &[String]) -> Vec<Vec<String>> {
    let few = &all[..all.len().min(4)];
    let chosen =
        |set: u32| few.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1).map(|(_, n)| n.clone());
    let mut sets: Vec<Vec<String>> = (1..1u32 << few.len()).map(|set| chosen(set).collect()).collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    sets
}

/// Proves who wins for all values of the parameters in `free`.
fn prove_over(
    text: &mut GameSource,
    rules: &Rules,
    free: &[String],
    limits: &Limits,
) -> Result<ParametricProof, FamilyProofError> {
    let whole = text.complete_text().map(str::to_owned);
    let family = SourceFamily::new(text, rules);
    let schema = family.schema(free)?;
    let found = plans(&schema, limits);
    let Some(first) = found.first() else { return Err(FamilyProofError::NoPlan) };
    let over = first.over.clone();
    let players = |found: &ProvedPlan| {
        let player = |begins: bool| u32::from(!begins);
        found.cases.iter().map(|case| (case.when.clone(), player(case.first_player_wins))).collect::<Vec<_>>()
    };
    let claim = Claim::Always { over, cases: found.iter().flat_map(players).collect() };
    let lemma = |ProvedPlan { over, cases, plan, proofs }: ProvedPlan| {
        Lemma::Param(ParamLemma { over, cases, plan, proofs })
    };
    let lemmas = found.into_iter().map(lemma).collect();
    let header = header(rules, None, claim, Tier::Parametric);
    let certificate = Certificate { header, lemmas, text: whole };
    // The checker receives the certificate as it would be read back.
    let certificate = cert::parse(&cert::write(&certificate)).map_err(FamilyProofError::Unreadable)?;
    let verdict = Verifier::of_family(&Arc::new(rules.clone()), &family).verify(&certificate, limits, None);
    match verdict {
        Verdict::Accepted(accepted) => Ok(ParametricProof { certificate, accepted }),
        Verdict::Rejected(rejection) => Err(FamilyProofError::Rejected(rejection)),
        Verdict::Limit(hit) => Err(FamilyProofError::Limit(hit)),
    }
}
