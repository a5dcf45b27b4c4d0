//! `bouton check FILE...`: reports all errors of files.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{budget, load, whole_number};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::{LimitHit, Limits};
use bouton_driver::budget::Budget;
use bouton_driver::check::{self, CheckOptions, CheckReport};
use bouton_driver::files;
use bouton_driver::load::GameSource;
use bouton_project::are_settings_wrong;
use bouton_report::check as report;
use bouton_report::words::count_with_noun;
use bouton_syntax::diag::{Diagnostic, Severity, apply_edits, to_json};

/// Find the mistakes in files and explore their positions
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton check hex.bou\n  bouton check games/*.bou\n  bouton check hex.bou --explore 0    check only the file\n  bouton check hex.bou --fix          apply suggested fixes"
)]
pub struct CheckArgs {
    /// The files; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Explore up to N positions; 0: check only the file
    #[arg(long, value_name = "N", default_value_t = check::DEFAULT_POSITIONS, value_parser = whole_number::<u64>)]
    explore: u64,
    /// Apply suggested fixes to the file
    #[arg(long)]
    fix: bool,
    /// Take warnings about the form of a sheet in GDL (W0710, W0711, W0714, W0715) for errors
    #[arg(long)]
    strict: bool,
    /// The format of diagnostics
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = MessageFormat::Human)]
    message_format: MessageFormat,
}

/// The output format of diagnostics.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum MessageFormat {
    /// With the source, on standard error.
    Human,
    /// One JSON object per line, on standard output.
    Json,
}

/// Checks the files; a file that cannot be read does not stop the others.
pub fn run(args: &CheckArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut whole = report::CheckReport::default();
    let mut exit = Exit::Done;
    for file in &args.files {
        let found = match one(file, args, &budget, global, terminal) {
            Ok((found, report)) => {
                whole.files.extend(report);
                found
            }
            Err(stop) if args.files.len() > 1 => stop.report(terminal),
            Err(stop) => return Err(stop),
        };
        exit = worse(exit, found);
        if budget.stop.is_cancelled() {
            break;
        }
    }
    if global.json {
        terminal.json(&whole);
    }
    Ok(exit)
}

/// The worse of two exit codes: errors count more than failures, and these more than a file that was not checked.
fn worse(one: Exit, two: Exit) -> Exit {
    const ORDER: [Exit; 4] = [Exit::Errors, Exit::Failed, Exit::Usage, Exit::Unknown];
    ORDER.into_iter().find(|exit| [one, two].contains(exit)).unwrap_or(Exit::Done)
}

/// Checks a file; returns its report for `--json`.
fn one(
    file: &str,
    args: &CheckArgs,
    budget: &Budget,
    global: &Global,
    terminal: &Console,
) -> Result<(Exit, Option<report::FileReport>), CommandError> {
    // The time that the user gives is that of the command, the default that of a file.
    let whole = match budget.time {
        Some(_) => budget.command_limits(None),
        None => budget.limits(Some(check::DEFAULT_TIME)),
    };
    let mut text = load(file, global, &whole)?;
    if args.fix {
        text = fix(text, file, global, &whole, terminal)?;
    }
    let progress = terminal.progress("exploring");
    text.backend = budget.backend;
    let options = CheckOptions { explore: args.explore, limits: &whole, progress: &progress };
    let report = check::check(&mut text, &options);
    progress.finish();
    report.runs_on.iter().for_each(|on| terminal.runs_on(on));
    let mut data = None;
    if args.message_format == MessageFormat::Json {
        terminal.diagnostics_json(&text.sources, &report.diagnostics);
    } else if global.json {
        data = Some(file_report(&text, &report));
    } else {
        terminal.diagnostics(&text.sources, &report.diagnostics);
        if !global.quiet {
            terminal.line(&summary(&text, &report));
        }
    }
    if are_settings_wrong(&text.sources, &report.diagnostics) {
        return Ok((Exit::Usage, data));
    }
    let is_lenient = |found: &Diagnostic| found.code.to_string().starts_with("W07");
    if args.strict && report.diagnostics.iter().any(is_lenient) {
        return Ok((worse(Exit::Errors, exit(&report)), data));
    }
    Ok((exit(&report), data))
}

fn exit(report: &CheckReport) -> Exit {
    if report.has_errors {
        Exit::Errors
    } else if report.failed {
        Exit::Failed
    } else if report.unread || report.limit == Some(LimitHit::Interrupted) {
        Exit::Unknown
    } else {
        Exit::Done
    }
}

/// The number of diagnostics of this severity.
fn count(report: &CheckReport, severity: Severity) -> u64 {
    report.diagnostics.iter().filter(|d| d.severity() == severity).count() as u64
}

fn file_report(text: &GameSource, report: &CheckReport) -> report::FileReport {
    report::FileReport {
        file: text.path.clone(),
        errors: count(report, Severity::Error),
        warnings: count(report, Severity::Warning),
        notes: count(report, Severity::Note),
        library: report.library,
        explored: report.explored.clone(),
        unexplored: report.unexplored.clone(),
        limit: report.limit.map(|hit| hit.to_string()),
        runs_on: report.runs_on.as_ref().map(|on| on.sentence.clone()),
        diagnostics: report.diagnostics.iter().map(|found| to_json(&text.sources, found)).collect(),
    }
}

fn summary(text: &GameSource, report: &CheckReport) -> String {
    let mut parts = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let number = count(report, severity);
        if number > 0 {
            parts.push(count_with_noun(number, one, many));
        }
    }
    let found = match (parts.is_empty(), &report.unexplored) {
        (true, Some(_)) => "no mistakes found in the text".into(),
        (true, None) => "no mistakes found".into(),
        (false, _) => parts.join(", "),
    };
    let explored = match (&report.explored, &report.unexplored) {
        (Some(extent), _) => format!("; explored {extent}"),
        (None, Some(reason)) => format!("; not checked by play: {reason}"),
        (None, None) => String::new(),
    };
    format!("{}: {found}{explored}", text.path)
}

/// Applies the edits of the diagnostics and reads the file again, until no edit is left. Undoes edits that add errors,
/// unless fewer errors of the syntax are left: these hide others.
fn fix(
    text: GameSource,
    file: &str,
    global: &Global,
    limits: &Limits,
    terminal: &Console,
) -> Result<GameSource, CommandError> {
    if file == "-" {
        return Err(CommandError::Usage("--fix needs a file to write to".into()));
    }
    let mut text = text;
    let mut mended = 0;
    for _ in 0..10 {
        let found = findings(&mut text);
        let old = text.sources.get(text.file).text.clone();
        let (new, count) = apply_edits(&old, text.file, &found);
        if count == 0 {
            break;
        }
        files::replace(Path::new(file), &new).map_err(CommandError::usage)?;
        let mut next = load(file, global, limits)?;
        let uncovers = errors(&next.diagnostics) < errors(&text.diagnostics);
        if errors(&findings(&mut next)) > errors(&found) && !uncovers {
            files::replace(Path::new(file), &old).map_err(CommandError::usage)?;
            terminal.note("the suggested fixes would add errors and were not applied");
            return load(file, global, limits);
        }
        mended += count;
        text = next;
    }
    let what = count_with_noun(mended as u64, "mistake", "mistakes");
    terminal.note(&if mended == 0 { "nothing to fix".into() } else { format!("{what} fixed in {file}") });
    Ok(text)
}

/// The diagnostics of parsing and analysis with the current settings.
fn findings(text: &mut GameSource) -> Vec<Diagnostic> {
    let mut found = text.analyze(Some(0)).diagnostics;
    found.extend(text.diagnostics.iter().cloned());
    bouton_syntax::diag::sort(&mut found);
    found
}

fn errors(found: &[Diagnostic]) -> usize {
    found.iter().filter(|d| d.severity() == Severity::Error).count()
}
