//! The result of `verify` as data, `bouton-verify/1`.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use bouton_certificates::Certificate;
use bouton_checker::Verdict;

/// The object that `verify --json` prints; every key is always present.
#[derive(Serialize, Clone, Debug)]
pub struct VerifyReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// True if the claim is proved.
    pub accepted: bool,
    /// The claim in words; `None` if the certificate could not be read.
    pub claim: Option<String>,
    /// The key of the position that the claim is about; `None` for the first one, or if the certificate could not be
    /// read.
    pub position: Option<String>,
    /// The parameters of the game that the claim is about; `None` if the certificate could not be read.
    pub params: Option<Map<String, Json>>,
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
        let mut words = certificate.map(claim);
        match verdict {
            Verdict::Accepted(accepted) => {
                steps = Some(accepted.steps);
                words = Some(accepted.claim.clone());
            }
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
            claim: words,
            position: header.and_then(|header| header.position.as_ref()).map(ToString::to_string),
            params: header.map(|header| {
                header.params.iter().map(|(name, words)| (name.clone(), value(words))).collect()
            }),
            tier: header.map(|h| h.tier.name()),
            steps,
            failed_step,
            reason,
        }
    }
}

/// The value of a parameter as data, where its words are those of JSON as well.
fn value(words: &str) -> Json {
    serde_json::from_str(words).unwrap_or_else(|_| words.into())
}

/// The claim in words.
fn claim(certificate: &Certificate) -> String {
    let header = &certificate.header;
    header.claim.describe(&header.players, header.convention)
}
