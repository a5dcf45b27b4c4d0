//! Standard output and standard error: colour, quiet mode, pipes that close, progress.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::exit::CommandError;
use super::{ColorChoice, Global};
use bouton_base::limits::Progress;
use bouton_base::source::Sources;
use bouton_driver::files::{self, describe_error};
use bouton_driver::load::RunsOn;
use bouton_report::words::group_digits;
use bouton_syntax::diag::{Diagnostic, Severity, render, to_json};

/// The maximal number of diagnostics that are printed; the rest are only counted.
const MAX_PRINTED_DIAGNOSTICS: usize = 20;

/// The duration of a command from which it is told that rules run slowly: below, it costs nobody anything.
const SLOW_COMMAND: Duration = Duration::from_secs(2);

/// The narrowest width at which texts are wrapped.
const MIN_WIDTH: usize = 40;

/// The columns of standard output: those that `COLUMNS` tells, or of the terminal; `None` for files and pipes.
fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = told.or_else(|| {
        let (_, columns) = console::Term::stdout().size_checked()?;
        Some(usize::from(columns))
    })?;
    Some(width.max(MIN_WIDTH))
}

/// The output of a command.
#[derive(Debug)]
pub struct Console {
    /// When the command began.
    started: Instant,
    /// The back ends of games that run slowly, to be told if the command takes long.
    slow: Mutex<Vec<String>>,
    color: bool,
    quiet: bool,
    json: bool,
    verbose: bool,
}

impl Console {
    /// The output that the flags and the environment select.
    pub fn new(global: &Global) -> Console {
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                std::io::stderr().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        };
        Console {
            started: Instant::now(),
            slow: Mutex::default(),
            color,
            quiet: global.quiet,
            json: global.json,
            verbose: global.verbose,
        }
    }

    /// Prints a result. If the reader has closed the pipe, the process ends quietly.
    pub fn print(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written {
            if error.kind() == ErrorKind::BrokenPipe {
                std::process::exit(0);
            }
            self.error(&format!("cannot write to standard output: {}", describe_error(&error)));
            std::process::exit(2);
        }
    }

    /// Prints a result, or writes it to the file of `-o`.
    pub fn write(&self, output: Option<&str>, text: &str) -> Result<(), CommandError> {
        match output {
            Some(out) => {
                files::write(Path::new(out), text).map_err(CommandError::usage)?;
                self.note(&format!("wrote {out}"));
            }
            None => self.print(text),
        }
        Ok(())
    }

    /// Prints a result and ends its line.
    pub fn line(&self, text: &str) {
        self.print(&format!("{text}\n"));
    }

    /// Prints lines of a name and a text each, such as `  line        2 1 3`. Texts that are longer than a line of the
    /// terminal go on below their beginning.
    pub fn fields(&self, text: &str) {
        let Some(width) = width() else { return self.print(text) };
        for line in text.lines() {
            let Some(name) = line.strip_prefix("  ").filter(|name| !name.starts_with(' ')) else {
                self.line(line);
                continue;
            };
            let after = name.find("  ").map_or("", |end| name[end..].trim_start());
            let indent = " ".repeat(line.chars().count() - after.chars().count());
            self.line(&textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(&indent)));
        }
    }

    /// Prints a JSON object on one line.
    pub fn json(&self, value: &impl serde::Serialize) {
        self.print(&json_line(value));
    }

    /// Prints a note that is no result, except with `-q`.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Prints a detail, only with `-v`.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            self.say(text);
        }
    }

    /// Prints the back end that a game runs on, with `-v`. Without it a slow one is kept for the end of the command.
    pub fn runs_on(&self, on: &RunsOn) {
        if on.is_slow && !self.verbose {
            self.slow.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(on.sentence.clone());
        } else {
            self.detail(&if on.is_slow { format!("note: {}", on.sentence) } else { on.sentence.clone() });
        }
    }

    /// Prints at the end of a command which games ran slowly, if it took so long that somebody waited for it.
    pub fn tell_what_was_slow(&self) {
        let slow = std::mem::take(&mut *self.slow.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        if self.started.elapsed() >= SLOW_COMMAND {
            slow.iter().for_each(|sentence| self.note(&format!("note: {sentence}")));
        }
    }

    /// Prints the reason why the command cannot go on.
    pub fn error(&self, text: &str) {
        let head = if self.color { "\u{1b}[31merror:\u{1b}[0m" } else { "error:" };
        self.say(&format!("{head} {text}"));
    }

    fn say(&self, text: &str) {
        // Standard error may be closed as well; then the message is lost.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Prints diagnostics for people on standard error: the first twenty, then a count. With `-q` only the errors.
    pub fn diagnostics(&self, sources: &Sources, diagnostics: &[Diagnostic]) {
        let least = if self.quiet { Severity::Error } else { Severity::Note };
        let told: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.severity() >= least).collect();
        for diagnostic in told.iter().take(MAX_PRINTED_DIAGNOSTICS) {
            self.say(&render(sources, diagnostic, self.color));
        }
        if told.len() > MAX_PRINTED_DIAGNOSTICS {
            self.say(&format!("... and {} more", told.len() - MAX_PRINTED_DIAGNOSTICS));
        }
    }

    /// Prints diagnostics for tools on standard output, one object on each line.
    pub fn diagnostics_json(&self, sources: &Sources, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.json(&to_json(sources, diagnostic));
        }
    }

    /// Shows a progress line: only on a terminal, never with `-q` or `--json`.
    pub fn progress(&self, what: &str) -> ProgressLine {
        if self.quiet || self.json || !std::io::stderr().is_terminal() {
            return ProgressLine(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {prefix}: {human_pos} positions, {rate} a second, {msg}, {elapsed}",
        ) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // A progress line that cannot be written is ignored.
                let _ = out.write_str(&group_digits(state.per_sec() as u64));
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.set_prefix(what.to_string());
        ProgressLine(bar)
    }
}

/// A JSON object on one line.
pub fn json_line(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}")) + "\n"
}

/// A progress line.
pub struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Removes the line.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for ProgressLine {
    fn phase(&self, name: &str) {
        self.0.set_prefix(name.to_string());
    }

    fn positions(&self, positions: u64, held_bytes: u64) {
        self.0.set_position(positions);
        self.0.set_message(HumanBytes(held_bytes).to_string());
    }
}
