//! `bouton table FILE --over n=1..20`: solves a game for many values of its parameters.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{budget, load, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::{Console, json_line};
use bouton_driver::table::{self, Axis, TableOptions};
use bouton_report::table::{TableQuantity, TableRow};

/// Solve a game for many values of its parameters and search for a pattern
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton table kayles.bou --over n=1..20 --show nimber\n  bouton table hatch.bou --over n=1..12 --over k=1..12\n  bouton table nim.bou --set heaps=[0,0,3] --over 'heaps[1]=0..7' --over 'heaps[2]=0..7'\n\nEach cell is solved within --time (default 10s). A pattern fits the cells shown; it is only observed, unless\nthe line says *proved*: then the checker accepted a certificate, which --certificate writes."
)]
pub struct TableArgs {
    /// The file, or - for standard input
    file: String,
    /// A parameter with its values: n=1..20, n=1,2,4, or heaps[1]=0..7 for an element of a list; repeatable
    #[arg(long, value_name = "NAME=A..B", required = true)]
    over: Vec<String>,
    /// The quantity to show
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = ShownQuantity::Outcome)]
    show: ShownQuantity,
    /// The output format
    #[arg(long, value_enum, value_name = "FORM", default_value_t = TableFormat::Text)]
    format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Write the certificate of a proved pattern, which `bouton verify` can check
    #[arg(long, value_name = "OUT")]
    certificate: Option<String>,
}

/// The quantity to show.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ShownQuantity {
    /// The winner, or a draw.
    Outcome,
    /// The Grundy value.
    Nimber,
    /// Plies to the end under best play.
    Remoteness,
    /// The number of reachable positions.
    Positions,
    /// The outcome class of normal play: N, P, L or R.
    Class,
    /// The value as a game, whoever is to move.
    Value,
    /// The mean of that value.
    Mean,
    /// The temperature of that value.
    Temperature,
}

/// The output format of a table.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum TableFormat {
    /// For a terminal.
    Text,
    /// Comma-separated values, one line per cell.
    Csv,
    /// Markdown.
    Md,
    /// A page for a browser.
    Html,
    /// A b-file of the OEIS: a line `n a(n)` for each value of one parameter.
    Bfile,
}

/// Writes the table.
pub fn run(args: &TableArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let axes: Vec<Axis> = args
        .over
        .iter()
        .map(|over| Axis::read(over))
        .collect::<Result<_, _>>()
        .map_err(CommandError::usage)?;
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    text.set_backend(&budget, Some(table::DEFAULT_CELL_TIME));
    let show = match args.show {
        ShownQuantity::Outcome => TableQuantity::Outcome,
        ShownQuantity::Nimber => TableQuantity::Nimber,
        ShownQuantity::Remoteness => TableQuantity::Remoteness,
        ShownQuantity::Positions => TableQuantity::Positions,
        ShownQuantity::Class => TableQuantity::Class,
        ShownQuantity::Value => TableQuantity::GameValue,
        ShownQuantity::Mean => TableQuantity::Mean,
        ShownQuantity::Temperature => TableQuantity::Temperature,
    };
    let progress = terminal.progress("tabulating");
    let made = table::table(&mut text, &axes, &TableOptions { show, budget: &budget, progress: &progress });
    progress.finish();
    let report = made.map_err(|refused| refusal(&mut text, refused))?;
    let written = match args.format {
        _ if global.json => json_line(&report),
        TableFormat::Text => report.text(),
        TableFormat::Csv => report.csv(),
        TableFormat::Md => report.markdown(),
        TableFormat::Html => report.html(),
        TableFormat::Bfile => {
            let what =
                "--format bfile needs one parameter with consecutive values and a whole number in each cell";
            report.b_file().ok_or_else(|| CommandError::Usage(what.into()))?
        }
    };
    terminal.write(args.output.as_deref(), &written)?;
    if let Some(out) = &args.certificate {
        let Some(certificate) = &report.certificate else {
            terminal.error("no certificate was written: nothing is proved for every value");
            return Ok(Exit::Failed);
        };
        table::write_certificate(certificate, out).map_err(CommandError::usage)?;
    }
    Ok(if report.rows.iter().any(TableRow::is_open) { Exit::Unknown } else { Exit::Done })
}
