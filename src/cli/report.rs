//! `bouton report FILE`: writes a report on a game.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, open_table, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::load::shell_quote;
use bouton_driver::report::{self, ReportRequest};

/// Write a report: the result, its proof, pictures and example games
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton report tictactoe.bou\n  bouton report hex.bou --set n=3 --format html -o hex.html\n\nA report takes at most --time (default 60s). The HTML page is one file that loads nothing from\nthe network."
)]
pub struct ReportArgs {
    /// The file, or - for standard input
    file: String,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// The output format [default: from the extension of OUT, else text]
    #[arg(long, value_enum, value_name = "FORM")]
    format: Option<ReportFormat>,
    /// Report on the table that `solve --strong --table FILE` stored
    #[arg(long, value_name = "FILE")]
    table: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
}

/// The output format of a report.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ReportFormat {
    /// For a terminal.
    Text,
    /// Markdown.
    Md,
    /// A page for a browser.
    Html,
    /// Data.
    Json,
}

/// Writes the report.
pub fn run(args: &ReportArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let form = form(args, global)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let table = open_table(&mut text, args.table.as_deref())?;
    let start = begin(&mut text, &args.at, &budget, terminal)?;
    let flags = [("--position", &args.at.position), ("--moves", &args.at.moves), ("--table", &args.table)];
    let given =
        flags.iter().filter_map(|(flag, value)| Some(format!("{flag} {}", shell_quote(value.as_ref()?))));
    let progress = terminal.progress("solving");
    let made = report::report(
        &mut text,
        &start,
        &ReportRequest {
            budget: &budget,
            position: given.collect(),
            table: table.as_ref().map(|(table, _)| table),
            progress: &progress,
        },
    );
    progress.finish();
    let made = made.map_err(|refused| refusal(&mut text, refused))?;
    let written = match form {
        ReportFormat::Text => made.page.text(),
        ReportFormat::Md => made.page.markdown(),
        ReportFormat::Html => made.page.html(),
        ReportFormat::Json => made.page.json() + "\n",
    };
    terminal.write(args.output.as_deref(), &written)?;
    Ok(if made.solved { Exit::Done } else { Exit::Unknown })
}

/// The format of the report; a file with the ending of another format is refused.
fn form(args: &ReportArgs, global: &Global) -> Result<ReportFormat, CommandError> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let ending = args.output.as_ref().and_then(|out| Path::new(out).extension()).and_then(|e| e.to_str());
    Ok(match ending {
        _ if global.json => ReportFormat::Json,
        Some("html" | "htm") => ReportFormat::Html,
        Some("md") => ReportFormat::Md,
        Some("json") => ReportFormat::Json,
        Some(
            other @ ("pdf" | "doc" | "docx" | "odt" | "tex" | "rtf" | "xml" | "csv" | "svg" | "png" | "jpg"),
        ) => {
            return Err(CommandError::Usage(format!(
                "no report is written as `.{other}`, but as `.txt`, `.md`, `.html` or `.json`; a browser prints the page"
            )));
        }
        _ => ReportFormat::Text,
    })
}
