//! The binary `bouton-verify`: checks a certificate, with nothing of the solver linked in.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use bouton_base::limits::Limits;
use bouton_checker::Verdict;
use bouton_syntax::diag::render;
use bouton_verify::{VerifyError, VerifyRequest, check, describe_accepted, describe_rejected};

/// The help that `--help` prints.
const HELP: &str = "Check a certificate by the definition of the language

Usage: bouton-verify <CERTIFICATE> [FILE]

Arguments:
  <CERTIFICATE>  The certificate, or - for standard input
  [FILE]         The game's file; without it, the copy of the rules in the certificate

Exit codes: 0 accepted, 1 the rules have errors, 2 wrong usage, 3 refused, 4 a limit was reached

Examples:
  bouton-verify nim.cert
  bouton-verify nim.cert nim.bou
";

/// The exit codes, as `bouton verify` has them.
const ERRORS: u8 = 1;
const USAGE: u8 = 2;
const REFUSED: u8 = 3;
const UNKNOWN: u8 = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print(HELP);
        return ExitCode::SUCCESS;
    }
    let (certificate, file) = match &arguments[..] {
        [certificate] => (certificate, None),
        [certificate, file] => (certificate, Some(file.as_str())),
        _ => return usage("give a certificate, and the game's file if it is not in the certificate"),
    };
    if let Some(option) = arguments.iter().find(|argument| argument.len() > 1 && argument.starts_with('-')) {
        return usage(&format!("there is no option `{option}`"));
    }
    let request = VerifyRequest { certificate, file, settings: &[], preset: None };
    match check(&request, &Limits::default()) {
        Ok(outcome) => {
            let certificate = outcome.certificate.as_deref();
            match &outcome.verdict {
                Verdict::Accepted(accepted) => {
                    let source = file.unwrap_or("the certificate's own copy");
                    print(&describe_accepted(certificate, accepted, source, false));
                    ExitCode::SUCCESS
                }
                Verdict::Rejected(rejection) => {
                    print(&describe_rejected(certificate, rejection));
                    REFUSED.into()
                }
                Verdict::Limit(hit) => {
                    eprintln!("error: the check of the certificate did not finish: {hit}");
                    UNKNOWN.into()
                }
            }
        }
        Err(VerifyError::Usage(why)) => usage(&why),
        Err(VerifyError::Errors(files, found)) => {
            for diagnostic in &found {
                eprintln!("{}", render(&files.sources, diagnostic, false));
            }
            ERRORS.into()
        }
    }
}

/// Reports wrong usage.
fn usage(why: &str) -> ExitCode {
    eprintln!("error: {why}\n\nFor more information, try '--help'.");
    USAGE.into()
}

/// Prints to standard output. A closed pipe is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
