//! Certificates, and their check by the independent checker.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use bouton_certificates::MAX_FILE_BYTES;
use bouton_checker::Verdict as Checked;
use bouton_project::files;
use bouton_report::verify::VerifyReport;
use bouton_verify::{
    RulesRequest, RulesSource, VerifyError, check_text, describe_accepted, describe_rejected,
};
use serde::{Serialize, Serializer};

use crate::project::with_deep_stack;
use crate::{Error, Limits};

/// A certificate in its text format: a claim with its proof, and a copy of the rules that it is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Certificate {
    text: String,
}

impl Certificate {
    /// Reads a file. Damage is found by the check.
    pub fn open(path: impl AsRef<Path>) -> Result<Certificate, Error> {
        let path = path.as_ref().to_string_lossy();
        let text = files::read_up_to(&path, MAX_FILE_BYTES)?.into_text(&path, MAX_FILE_BYTES)?;
        Ok(Certificate { text })
    }

    /// Writes a file, which `bouton verify` and `bouton-verify` check.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(files::write(path.as_ref(), &self.text)?)
    }
}

/// Takes a certificate from a text. Damage is found by the check.
impl From<String> for Certificate {
    fn from(text: String) -> Certificate {
        Certificate { text }
    }
}

impl From<&str> for Certificate {
    fn from(text: &str) -> Certificate {
        Certificate::from(text.to_owned())
    }
}

/// The text, as `bouton solve --certificate` writes it.
impl AsRef<str> for Certificate {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// The verdict of the checker; it serialises to the JSON of `bouton verify`, and is displayed as that prints it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// True if the claim is proved.
    pub accepted: bool,
    /// The claim in words; `None` if the certificate is damaged.
    pub claim: Option<String>,
    /// The reason why the certificate was not accepted.
    pub reason: Option<String>,
    report: VerifyReport,
    words: String,
}

/// Checks a certificate against its own copy of the rules, by the definition of the language. The checker shares no
/// code with the solvers. A damaged or false certificate is refused; only a limit, or a certificate without a copy of the
/// rules, is an error.
///
/// ```
/// use bouton::{Certificate, Limits, Project, SolveOptions, verify};
///
/// let solution = Project::open("games/nim.bou")?.load()?.solve(&SolveOptions::default())?;
/// let certificate = solution.certificate().expect("the game is small");
/// let verdict = verify(certificate, &Limits::default())?;
/// assert_eq!((verdict.accepted, verdict.claim.as_deref()), (true, Some("First wins within 11 plies")));
///
/// let damaged = Certificate::from(certificate.as_ref().replace("First", "Third"));
/// assert!(!verify(&damaged, &Limits::default())?.accepted);
/// # Ok::<(), bouton::Error>(())
/// ```
pub fn verify(certificate: &Certificate, limits: &Limits) -> Result<Verdict, Error> {
    let rules = RulesRequest { source: RulesSource::Certificate, settings: &[], preset: None };
    check(certificate, &rules, "the certificate's own copy", limits)
}

/// Checks a certificate against rules with this name.
pub(crate) fn check(
    certificate: &Certificate,
    rules: &RulesRequest<'_>,
    name: &str,
    limits: &Limits,
) -> Result<Verdict, Error> {
    let limits = limits.begin();
    let outcome = with_deep_stack(|| check_text(certificate.text.clone(), rules, &limits))?;
    let outcome = outcome.map_err(|why| match why {
        VerifyError::Usage(why) => Error::Usage(why),
        VerifyError::Errors(files, found) => Error::of_rules(&found, &files.sources),
    })?;
    let read = outcome.certificate.as_deref();
    let words = match &outcome.verdict {
        Checked::Accepted(accepted) => describe_accepted(read, accepted, name, false),
        Checked::Rejected(rejection) => describe_rejected(read, rejection),
        Checked::Limit(hit) => return Err(Error::of_limit(*hit)),
    };
    let report = VerifyReport::new(read, &outcome.verdict);
    let (accepted, claim, reason) = (report.accepted, report.claim.clone(), report.reason.clone());
    Ok(Verdict { accepted, claim, reason, report, words })
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report.serialize(serializer)
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
