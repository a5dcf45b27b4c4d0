//! `bouton test FILE...`: decides every expectation and test.

use clap::Args;

use super::Global;
use super::common::{budget, load};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::budget::Budget;
use bouton_driver::load::GameSource;
use bouton_driver::test::{self, TestOptions, TestRunReport};
use bouton_report::test::TestReport;
use bouton_syntax::diag::to_json;

/// Decide every expectation and test of a file
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton test games/*.bou\n  bouton test nine_mens_morris.bou --all --time 2h"
)]
pub struct TestArgs {
    /// The files; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Also decide expectations that cite a source
    #[arg(long)]
    all: bool,
}

/// Tests the files.
pub fn run(args: &TestArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut total = TestReport::default();
    let mut exit = Exit::Done;
    for file in &args.files {
        let mut text = load(file, global, &budget.limits(None))?;
        let found = one(&mut text, args, &budget, global, terminal);
        total.files += 1;
        total.expectations += found.expectations();
        total.passed += found.passed;
        total.failed += found.failed;
        total.unknown += found.unknown.len() as u64;
        let slow = found.runs_on.iter().filter(|on| on.is_slow).map(|on| on.sentence.clone());
        total.runs_slowly.extend(slow);
        total.failures.extend(found.errors.iter().chain(&found.failures).map(|d| to_json(&text.sources, d)));
        exit = worse(exit, &found);
    }
    if budget.stop.is_cancelled() {
        exit = Exit::Unknown;
    }
    if global.json {
        terminal.json(&total);
    } else if args.files.len() > 1 {
        terminal
            .line(&format!("{} passed, {} failed, {} unknown", total.passed, total.failed, total.unknown));
    }
    Ok(exit)
}

/// The worse of two exit codes: errors of a file count more than expectations that fail.
fn worse(exit: Exit, found: &TestRunReport) -> Exit {
    if exit == Exit::Errors || !found.errors.is_empty() {
        Exit::Errors
    } else if exit == Exit::Failed || found.failed > 0 {
        Exit::Failed
    } else {
        exit
    }
}

fn one(
    text: &mut GameSource,
    args: &TestArgs,
    budget: &Budget,
    global: &Global,
    terminal: &Console,
) -> TestRunReport {
    let progress = terminal.progress(&text.path);
    let mut report = test::test(text, &TestOptions { all: args.all, budget, progress: &progress });
    report.silence(text);
    progress.finish();
    report.runs_on.iter().for_each(|on| terminal.runs_on(on));
    if global.json {
        return report;
    }
    terminal.diagnostics(&text.sources, &report.errors);
    terminal.diagnostics(&text.sources, &report.failures);
    terminal.diagnostics(&text.sources, &report.notes);
    for undecided in &report.unknown {
        let place = text.sources.location(undecided.span).map(|place| format!("{place}: "));
        let place = place.unwrap_or_default();
        terminal.note(&format!("unknown: {place}`{}`: {}", undecided.text, undecided.reason));
    }
    if report.errors.is_empty() {
        let (passed, failed, unknown) = (report.passed, report.failed, report.unknown.len());
        terminal.line(&format!("{}: {passed} passed, {failed} failed, {unknown} unknown", text.path));
    } else {
        terminal.line(&format!("{}: the file has errors; nothing was decided", text.path));
    }
    report
}
