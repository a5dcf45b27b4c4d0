//! Checks a certificate from a file against rules from a file, or against its own copy of them.
//!
//! *Invariant:* this crate depends on the checker and on those that give a file its meaning; nothing that compiles,
//! searches or finds proofs is linked into `bouton-verify`.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::cancel;
use bouton_base::limits::Limits;
use bouton_certificates::{self as cert, Certificate};
use bouton_checker::{Rejection, Verdict, Verifier};
use bouton_project::files::{self, Content, FileError};
use bouton_project::{LoadError, LoadRequest, RuleFiles};
use bouton_rules::Rules;
use bouton_syntax::diag::{Diagnostic, Severity};

mod family;
mod words;

pub use family::SourceFamily;
pub use words::{describe_accepted, describe_rejected};

/// A certificate to check, with the rules.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// The path of the certificate.
    pub certificate: &'a str,
    /// The path of the rules; if `None`, the copy in the certificate.
    pub file: Option<&'a str>,
    /// Settings that replace the certificate's own, `name=value` each.
    pub settings: &'a [String],
    /// A preset that replaces them.
    pub preset: Option<&'a str>,
}

/// The rules to check a certificate against.
#[derive(Clone, Copy)]
pub enum RulesSource<'a> {
    /// The copy in the certificate.
    Certificate,
    /// The file at this path.
    Path(&'a str),
    /// A file that was read, without settings.
    Files(&'a RuleFiles),
}

/// Rules with the settings that replace the certificate's own.
#[derive(Clone, Copy)]
pub struct RulesRequest<'a> {
    pub source: RulesSource<'a>,
    /// Settings, `name=value` each.
    pub settings: &'a [String],
    pub preset: Option<&'a str>,
}

/// The result of a check.
pub struct VerifyOutcome {
    /// The certificate, if the file held one.
    pub certificate: Option<Arc<Certificate>>,
    /// The verdict of the checker.
    pub verdict: Verdict,
    /// The source of the rules, for messages.
    pub text: Option<RuleFiles>,
}

impl VerifyOutcome {
    fn rejected(
        certificate: Option<Arc<Certificate>>,
        step: impl Into<String>,
        reason: impl Into<String>,
    ) -> VerifyOutcome {
        let rejection = Rejection { step: step.into(), position: None, reason: reason.into() };
        VerifyOutcome { certificate, verdict: Verdict::Rejected(rejection), text: None }
    }
}

/// The reason why nothing was checked.
pub enum VerifyError {
    /// The request itself is wrong: a sentence.
    Usage(String),
    /// The file of the rules has errors.
    Errors(Box<RuleFiles>, Vec<Diagnostic>),
}

impl From<FileError> for VerifyError {
    fn from(why: FileError) -> VerifyError {
        VerifyError::Usage(why.to_string())
    }
}

impl From<LoadError> for VerifyError {
    fn from(why: LoadError) -> VerifyError {
        VerifyError::Usage(why.to_string())
    }
}

/// Reads a certificate and checks it.
pub fn check(check: &VerifyRequest<'_>, limits: &Limits) -> Result<VerifyOutcome, VerifyError> {
    match files::read_up_to(check.certificate, cert::MAX_FILE_BYTES)? {
        Content::Text(written) => {
            let source = check.file.map_or(RulesSource::Certificate, RulesSource::Path);
            let rules = RulesRequest { source, settings: check.settings, preset: check.preset };
            check_text(written, &rules, limits)
        }
        Content::InvalidUtf8(..) => {
            Ok(VerifyOutcome::rejected(None, "text", "the certificate is not UTF-8 text"))
        }
        Content::TooLarge => {
            let reason = format!("the certificate has more than {} MiB", cert::MAX_FILE_BYTES >> 20);
            Ok(VerifyOutcome::rejected(None, "text", reason))
        }
    }
}

/// Checks a certificate in its text format. Reading and checking run on threads of their own, so that limits hold even
/// where a hostile certificate demands endless arithmetic between two checks of the clock.
pub fn check_text(
    written: String,
    request: &RulesRequest<'_>,
    limits: &Limits,
) -> Result<VerifyOutcome, VerifyError> {
    let limit = |certificate, hit| VerifyOutcome { certificate, verdict: Verdict::Limit(hit), text: None };
    let certificate = match cancel::run_apart(limits, move || cert::parse(&written)) {
        Ok(Ok(certificate)) => Arc::new(certificate),
        Ok(Err(damage)) => {
            return Ok(VerifyOutcome::rejected(None, format!("line {}", damage.line), damage.why));
        }
        Err(hit) => return Ok(limit(None, hit)),
    };
    let (rules, mut text) = match rules(request, &certificate)? {
        Ok(read) => read,
        Err(reason) => return Ok(VerifyOutcome::rejected(Some(certificate), "rules", reason)),
    };
    let (own, within) = (certificate.clone(), limits.clone());
    let checked = cancel::run_apart(limits, move || {
        let family = SourceFamily::new(&mut text, &rules);
        let verdict = Verifier::of_family(&Arc::new(rules), &family).verify(&own, &within, None);
        (verdict, text)
    });
    Ok(match checked {
        Ok((verdict, text)) => VerifyOutcome { certificate: Some(certificate), verdict, text: Some(text) },
        Err(hit) => limit(Some(certificate), hit),
    })
}

/// Returns the rules with the parameters of the certificate, or the reason why the certificate fits no rules.
fn rules(
    request: &RulesRequest<'_>,
    certificate: &Certificate,
) -> Result<Result<(Rules, RuleFiles), String>, VerifyError> {
    let given = !request.settings.is_empty() || request.preset.is_some();
    let own: Vec<String> =
        certificate.header.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    // A certificate names values, and no files that hold them.
    let names_file = |setting: &String| setting.split('=').any(|part| part.trim().starts_with('@'));
    if own.iter().any(names_file) {
        return Ok(Err("a parameter of it has no value".into()));
    }
    let settings = if given { request.settings } else { &own };
    let read = |settings: &[String]| -> Result<RuleFiles, VerifyError> {
        let files = match (request.source, &certificate.text) {
            (RulesSource::Path(path), _) => {
                return Ok(RuleFiles::read(&LoadRequest { path, settings, preset: request.preset })?);
            }
            (RulesSource::Files(files), _) => files.clone(),
            (RulesSource::Certificate, Some(copy)) => {
                RuleFiles::from_string("the certificate's copy of the rules", copy)
            }
            (RulesSource::Certificate, None) => {
                return Err(VerifyError::Usage(
                    "the certificate has no copy of the rules, since they lie in several files: name the \
                     game's file"
                        .into(),
                ));
            }
        };
        Ok(files.with_settings(settings, request.preset)?)
    };
    let mut text = read(settings)?;
    if let Ok(rules) = rules_of(&mut text) {
        return Ok(Ok((rules, text)));
    }
    // Either the source is wrong, or only the parameters that the certificate sets.
    let mut plain = if given { text } else { read(&[])? };
    match rules_of(&mut plain) {
        Ok(_) => Ok(Err("the rules do not have the parameters that it names".into())),
        Err(_) if matches!(request.source, RulesSource::Certificate) => {
            Ok(Err("its copy of the rules has errors".into()))
        }
        Err(errors) => Err(VerifyError::Errors(Box::new(plain), errors)),
    }
}

fn rules_of(text: &mut RuleFiles) -> Result<Rules, Vec<Diagnostic>> {
    let analysis = text.analyze(None);
    let mut errors = text.diagnostics.clone();
    errors.extend(analysis.diagnostics);
    errors.retain(|d| d.severity() == Severity::Error);
    analysis.rules.filter(|_| errors.is_empty()).ok_or(errors)
}
