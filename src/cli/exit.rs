//! Ends of commands: the exit codes, and the reasons to stop early.

use std::fmt::Display;
use std::panic::PanicHookInfo;

use super::terminal::Console;
use bouton_base::source::Sources;
use bouton_project::are_settings_wrong;
use bouton_syntax::diag::Diagnostic;

/// The exit codes; scripts rely on them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// Done, all expectations hold.
    Done = 0,
    /// The file has errors.
    Errors = 1,
    /// The command was not understood.
    Usage = 2,
    /// An expectation, an invariant or a semantic check failed.
    Failed = 3,
    /// A limit was hit and the answer is unknown.
    Unknown = 4,
}

/// The reason why a command stopped early.
#[derive(Debug)]
pub enum CommandError {
    /// The command cannot run as given, for this reason.
    Usage(String),
    /// The file has errors: the diagnostics, with the sources that they refer to.
    SourceErrors(Box<Sources>, Vec<Diagnostic>),
    /// The rules have no meaning in a position that was reached: the diagnostic, with the sources.
    RulesFault(Box<Sources>, Box<Diagnostic>),
    /// A limit was hit, with the message.
    LimitReached(String),
}

impl CommandError {
    /// The command cannot run as given, for the reason of an error below the command line.
    pub fn usage(why: impl Display) -> CommandError {
        CommandError::Usage(why.to_string())
    }

    /// Reports the reason on standard error and returns the exit code.
    pub fn report(self, terminal: &Console) -> Exit {
        match self {
            CommandError::Usage(why) => {
                terminal.error(&why);
                Exit::Usage
            }
            CommandError::SourceErrors(sources, diagnostics) => {
                terminal.diagnostics(&sources, &diagnostics);
                if are_settings_wrong(&sources, &diagnostics) { Exit::Usage } else { Exit::Errors }
            }
            CommandError::RulesFault(sources, found) => {
                terminal.diagnostics(&sources, &[*found]);
                Exit::Failed
            }
            CommandError::LimitReached(why) => {
                terminal.error(&why);
                Exit::Unknown
            }
        }
    }
}

/// Reports a panic as a bug of bouton, and asks for a bug report.
pub fn report_bug(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
    eprintln!("\nbouton has a bug: {what}{place}");
    eprintln!("Please send the command, the file, and these lines (bouton {}).", env!("CARGO_PKG_VERSION"));
}
