//! `bouton verify CERT [FILE]`: the independent check of a certificate.

use clap::Args;

use super::Global;
use super::common::budget;
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_checker::Verdict;
use bouton_project::{is_rule_file, shell_quote};
use bouton_report::verify::VerifyReport;
use bouton_verify::{VerifyError, VerifyRequest, check, describe_accepted, describe_rejected};

/// Check a certificate by the definition of the language
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton solve nim.bou --certificate nim.cert\n  bouton verify nim.cert\n  bouton verify nim.cert nim.bou"
)]
pub struct VerifyArgs {
    /// The certificate, or - for standard input
    certificate: String,
    /// The game's file; without it, the copy of the rules in the certificate
    file: Option<String>,
}

/// Checks the certificate.
pub fn run(args: &VerifyArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let asked = VerifyRequest {
        certificate: &args.certificate,
        file: args.file.as_deref(),
        settings: &global.set,
        preset: global.preset.as_deref(),
    };
    let checked = check(&asked, &budget.limits(None)).map_err(|failed| match failed {
        VerifyError::Usage(why) => CommandError::Usage(why),
        VerifyError::Errors(files, found) => CommandError::SourceErrors(Box::new(files.sources), found),
    })?;
    if checked.certificate.is_none() && !global.json && is_rule_file(&args.certificate) {
        let certificate = &args.certificate;
        return Err(CommandError::Usage(match &args.file {
            Some(file) if !is_rule_file(file) => {
                format!(
                    "the certificate comes first: `bouton verify {} {}`",
                    shell_quote(file),
                    shell_quote(certificate)
                )
            }
            _ => format!(
                "{certificate} is a game, not a certificate: `bouton solve {} --certificate FILE` writes one",
                shell_quote(certificate)
            ),
        }));
    }
    let source = args.file.as_deref().unwrap_or("the certificate's own copy");
    let exit = match &checked.verdict {
        Verdict::Accepted(_) => Exit::Done,
        Verdict::Rejected(_) => Exit::Failed,
        Verdict::Limit(_) => Exit::Unknown,
    };
    let certificate = checked.certificate.as_deref();
    if global.json {
        terminal.json(&VerifyReport::new(certificate, &checked.verdict));
        return Ok(exit);
    }
    match &checked.verdict {
        Verdict::Accepted(accepted) => {
            terminal.print(&describe_accepted(certificate, accepted, source, global.quiet))
        }
        Verdict::Rejected(rejection) => terminal.print(&describe_rejected(certificate, rejection)),
        Verdict::Limit(hit) => terminal.error(&format!("the check of the certificate did not finish: {hit}")),
    }
    Ok(exit)
}
