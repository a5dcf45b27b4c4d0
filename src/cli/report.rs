//! `bouton report FILE`: writes a report on a game.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, asked, begin, budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::driver::files;
use crate::driver::load::quoted;
use crate::driver::report::{self, Asked};

/// Tell who wins, how and why, with pictures and games played out
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton report tictactoe.bou\n  bouton report hex.bou --set n=3 --format html -o hex.html\n\nA report takes at most --time (60s unless it is given). The page in HTML is one file: it has no scripts and\nasks nothing of the network."
)]
pub struct ReportArgs {
    /// The file, or - for standard input
    file: String,
    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// How to write it [default: what the name of OUT says, else text]
    #[arg(long, value_enum, value_name = "FORM")]
    format: Option<Format>,
    /// Tell what the table says that `solve --strong --table FILE` has kept
    #[arg(long, value_name = "FILE")]
    table: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
}

/// The output format of a report.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
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
pub fn run(args: &ReportArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.whole(None))?;
    let table = asked(&mut text, args.table.as_deref())?;
    let start = begin(&mut text, &args.at, &budget, terminal)?;
    let flags = [("--position", &args.at.position), ("--moves", &args.at.moves), ("--table", &args.table)];
    let given = flags.iter().filter_map(|(flag, value)| Some(format!("{flag} {}", quoted(value.as_ref()?))));
    let progress = terminal.progress("solving");
    let made = report::report(
        &mut text,
        &start,
        &Asked {
            budget: &budget,
            position: given.collect(),
            table: table.as_ref().map(|(table, _)| table),
            progress: &progress,
        },
    );
    progress.finish();
    let made = made.map_err(|refused| stop(&mut text, refused))?;
    let written = match form(args, global) {
        Format::Text => made.page.text(),
        Format::Md => made.page.markdown(),
        Format::Html => made.page.html(),
        Format::Json => made.page.json() + "\n",
    };
    match &args.output {
        Some(out) => {
            files::write(Path::new(out), &written).map_err(Stop::Usage)?;
            terminal.note(&format!("{out} is written"));
        }
        None => terminal.print(&written),
    }
    Ok(if made.solved { Exit::Done } else { Exit::Unknown })
}

fn form(args: &ReportArgs, global: &Global) -> Format {
    if let Some(format) = args.format {
        return format;
    }
    let ending = args.output.as_ref().and_then(|out| Path::new(out).extension()).and_then(|e| e.to_str());
    match ending {
        _ if global.json => Format::Json,
        Some("html" | "htm") => Format::Html,
        Some("md") => Format::Md,
        Some("json") => Format::Json,
        _ => Format::Text,
    }
}
