//! `bouton bench FILE...`: measures the speed of games.

use clap::Args;

use super::Global;
use super::common::{budget, load, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::bench::{RUNS, baseline, bench};
use bouton_report::bench::BenchReport;

/// Measure the speed of games and the time to compile them
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton bench games/*.bou\n  bouton bench games/hex.bou --json > before.json\n  bouton bench games/hex.bou --against before.json"
)]
pub struct BenchArgs {
    /// The files; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Compare with the output of an earlier run with `--json`
    #[arg(long, value_name = "BASELINE.json")]
    against: Option<String>,
}

/// Runs the measurements.
pub fn run(args: &BenchArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let before = args.against.as_deref().map(baseline).transpose().map_err(CommandError::usage)?;
    let budget = budget(global, terminal)?;
    let mut games = Vec::new();
    let mut exit = Exit::Done;
    for file in &args.files {
        let limits = budget.limits(None);
        let mut text = load(file, global, &limits)?;
        match bench(&mut text, global.seed.unwrap_or(0), &limits) {
            Ok(Ok(measured)) => games.push(measured),
            Ok(Err(hit)) => {
                terminal.note(&format!("{file} was not measured: {hit}"));
                exit = Exit::Unknown;
            }
            Err(refused) => return Err(refusal(&mut text, refused)),
        }
        if budget.stop.is_cancelled() {
            break;
        }
    }
    let mut report = BenchReport::new(RUNS, games);
    if let Some(before) = &before {
        report.compare(before);
    }
    if global.json {
        terminal.json(&report);
    } else {
        terminal.print(&report.text());
    }
    Ok(exit)
}
