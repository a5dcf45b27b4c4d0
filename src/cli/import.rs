//! `bouton import FILE.kif`: a sheet in the Game Description Language as a text in the language of Bouton.

use std::time::Duration;

use clap::Args;

use super::Global;
use super::common::{budget, load, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::LimitHit;
use bouton_driver::gdl_import::{self, NotImported};
use bouton_driver::load::DriverError;
use bouton_syntax::diag::Severity;

/// The time limit if the user sets none.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Write a sheet in the Game Description Language as a .bou file
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  bouton import game.kif -o game.bou\n\nThe text is compared with the sheet on first positions and random plays before it is written, within a minute unless\n`--time` says otherwise. A sheet without such a text still works\nas it is, with all commands."
)]
pub struct ImportArgs {
    /// The sheet
    file: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
}

/// Writes the text.
pub fn run(args: &ImportArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let limits = budget.command_limits(Some(DEFAULT_TIME));
    let mut text = load(&args.file, global, &limits)?;
    text.backend = budget.backend;
    let errors: Vec<_> =
        text.diagnostics.iter().filter(|found| found.severity() == Severity::Error).cloned().collect();
    if !errors.is_empty() {
        return Err(refusal(&mut text, DriverError::Errors(errors)));
    }
    let written = gdl_import::import(&mut text, &limits).map_err(|why| match why {
        NotImported::Limit(hit) => {
            let more = if hit == LimitHit::Time { "; give it more with `--time`" } else { "" };
            CommandError::LimitReached(format!("{} is not imported: {hit}{more}", args.file))
        }
        NotImported::NoSheet => CommandError::Usage(format!("{} is not imported: {why}", args.file)),
        why => CommandError::Usage(format!(
            "{} is not imported; the sheet still works as it is\n{why}",
            args.file
        )),
    })?;
    let written = bouton_syntax::format(&written).unwrap_or(written);
    terminal.write(args.output.as_deref(), &written)?;
    Ok(Exit::Done)
}
