//! `bouton export FILE --to FORMAT`: the game in a format of Gambit, or as a sheet in GDL.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::Limits;
use bouton_driver::position::StartPosition;
use bouton_report::export::{self, ExportError};
use bouton_report::gdl::{self, GdlError};
use bouton_search::solve::mixed::game_tree::{GameTree, NoTree};

/// Write a game in a format of Gambit, or in the Game Description Language
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton export kuhn_poker.bou --to efg > kuhn.efg\n  bouton export stag_hunt.bou --to nfg\n  bouton export nim.bou --to gdl > nim.kif"
)]
pub struct ExportArgs {
    /// The file, or - for standard input
    file: String,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Format,
    #[command(flatten)]
    at: PositionArgs,
}

/// The formats.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// The extensive form of one or two players: the tree of histories with information sets.
    Efg,
    /// The strategic form of a single simultaneous choice.
    Nfg,
    /// A sheet in the Game Description Language, for any number of players.
    Gdl,
}

/// Writes the game.
pub fn run(args: &ExportArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let limits = budget.command_limits(None);
    if args.to == Format::Gdl {
        let written = sheet(&begin, &limits, terminal)?;
        terminal.print(&written);
        return Ok(Exit::Done);
    }
    let tree = GameTree::build(&begin.game, &begin.state, &limits).map_err(|why| match why {
        NoTree::Faulty(met) => position_fault(&mut text, &begin.game, &begin.state, &met),
        NoTree::Inapplicable(reason) => match limits.check() {
            Some(_) => CommandError::LimitReached(format!("nothing was written: {reason}")),
            None => CommandError::Usage(format!("the game cannot be written: {reason}")),
        },
    })?;
    let written = match args.to {
        Format::Efg => export::extensive_form(&begin.game, &begin.state, &tree, &limits),
        _ => export::strategic_form(&begin.game, &begin.state, &tree),
    };
    let written = written.map_err(|why| match why {
        ExportError::Limit(hit) => CommandError::LimitReached(format!("nothing was written: {hit}")),
        why => CommandError::Usage(why.to_string()),
    })?;
    terminal.print(&written);
    Ok(Exit::Done)
}

/// Writes the sheet, and says on standard error what it does not have.
fn sheet(begin: &StartPosition, limits: &Limits, terminal: &Console) -> Result<String, CommandError> {
    let written = gdl::sheet(&begin.game, &begin.state, limits).map_err(|why| match why {
        GdlError::Limit(hit) => CommandError::LimitReached(format!("nothing was written: {hit}")),
        why => CommandError::Usage(format!("the game cannot be written as a sheet: {why}")),
    })?;
    written.notes.iter().for_each(|note| terminal.detail(note));
    Ok(written.text)
}
