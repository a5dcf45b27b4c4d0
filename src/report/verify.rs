//! The result of `verify` as data, `bouton-verify/1`, and in words.

use std::fmt::Write as _;

use serde::Serialize;

use super::words::count_with_noun;
use bouton_certificates::{Certificate, Tier};
use bouton_checker::{Accepted, Rejection, Verdict};

/// The object that `verify --json` prints; every key is always present.
#[derive(Serialize, Clone, Debug)]
pub struct VerifyReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// True if the claim is proved.
    pub accepted: bool,
    /// The claim in words; `None` if the certificate could not be read.
    pub claim: Option<String>,
    /// One of `explicit`, `ground`, `parametric`; `None` if the certificate could not be read.
    pub tier: Option<&'static str>,
    /// The number of steps of a check that accepted: positions, moves or proof steps, depending on the tier.
    pub steps: Option<u64>,
    /// The step that fails.
    pub failed_step: Option<String>,
    /// The reason why it was not accepted.
    pub reason: Option<String>,
}

impl VerifyReport {
    /// The report of a verdict; `certificate` is `None` if it is damaged.
    pub fn new(certificate: Option<&Certificate>, verdict: &Verdict) -> VerifyReport {
        let header = certificate.map(|c| &c.header);
        let (mut steps, mut failed_step, mut reason) = (None, None, None);
        match verdict {
            Verdict::Accepted(accepted) => steps = Some(accepted.steps),
            Verdict::Rejected(rejection) => {
                failed_step = Some(rejection.step.clone());
                reason = Some(match &rejection.position {
                    Some(position) => format!("{} [{position}]", rejection.reason),
                    None => rejection.reason.clone(),
                });
            }
            Verdict::Limit(hit) => reason = Some(hit.to_string()),
        }
        VerifyReport {
            schema: "bouton-verify/1",
            accepted: matches!(verdict, Verdict::Accepted(_)),
            claim: certificate.map(claim),
            tier: header.map(|h| h.tier.name()),
            steps,
            failed_step,
            reason,
        }
    }
}

/// Describes a certificate that was accepted.
pub fn describe_accepted(
    certificate: Option<&Certificate>,
    accepted: &Accepted,
    rules: &str,
    brief: bool,
) -> String {
    let Some(certificate) = certificate else { return String::new() };
    let mut out = format!("accepted: {}: {}\n", subject(certificate), accepted.claim);
    if brief {
        return out;
    }
    let mut line = |head: &str, words: &str| {
        let _ = writeln!(out, "  {head:<12}{words}");
    };
    line("rules", rules);
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let listed = match lemma.tier() {
            Tier::Explicit => {
                format!(", {} listed", count_with_noun(lemma.positions() as u64, "position", "positions"))
            }
            Tier::Ground | Tier::Parametric => String::new(),
        };
        line(&format!("lemma {}", i + 1), &format!("{}{listed}", lemma.kind()));
    }
    let checked = match accepted.tier {
        Tier::Explicit => {
            format!("{} visited by the definition", count_with_noun(accepted.steps, "position", "positions"))
        }
        Tier::Ground => {
            format!("{} of the rules written out", count_with_noun(accepted.steps, "move", "moves"))
        }
        Tier::Parametric => {
            format!("{} of proofs and of small cases", count_with_noun(accepted.steps, "step", "steps"))
        }
    };
    line("checked", &checked);
    line("root", &certificate.root());
    out
}

/// Describes a certificate that was refused.
pub fn describe_rejected(certificate: Option<&Certificate>, rejection: &Rejection) -> String {
    let mut out = match certificate {
        Some(certificate) => {
            format!("refused: {}: not proved: {}\n", subject(certificate), claim(certificate))
        }
        None => "refused: this is not a complete certificate\n".into(),
    };
    let mut line = |head: &str, words: &str| {
        let _ = writeln!(out, "  {head:<12}{words}");
    };
    line("step", &rejection.step);
    if let Some(position) = &rejection.position {
        line("position", position);
    }
    line("reason", &rejection.reason);
    out
}

/// The game with its parameters: `Nim (heaps = [3, 4, 5])`.
fn subject(certificate: &Certificate) -> String {
    let header = &certificate.header;
    let params: Vec<String> = header.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let game = if params.is_empty() {
        header.game.clone()
    } else {
        format!("{} ({})", header.game, params.join(", "))
    };
    match &header.position {
        None => game,
        Some(key) => format!("{game}, position {key}"),
    }
}

/// The claim in words.
fn claim(certificate: &Certificate) -> String {
    let header = &certificate.header;
    header.claim.describe(&header.players, header.convention)
}
