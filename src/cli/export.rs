//! `bouton export FILE --to FORMAT`: the game in a format of Gambit.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_report::export::{self, ExportError};
use bouton_search::solve::mixed::game_tree::{GameTree, NoTree};

/// Write a game of one or two players in a format of Gambit
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton export kuhn_poker.bou --to efg > kuhn.efg\n  bouton export stag_hunt.bou --to nfg"
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
    /// The extensive form: the tree of histories with information sets.
    Efg,
    /// The strategic form of a single simultaneous choice.
    Nfg,
}

/// Writes the game.
pub fn run(args: &ExportArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let limits = budget.command_limits(None);
    let tree = GameTree::build(&begin.game, &begin.state, &limits).map_err(|why| match why {
        NoTree::Faulty(met) => position_fault(&mut text, &begin.game, &begin.state, &met),
        NoTree::Inapplicable(reason) => match limits.check() {
            Some(_) => CommandError::LimitReached(format!("nothing was written: {reason}")),
            None => CommandError::Usage(format!("the game cannot be written: {reason}")),
        },
    })?;
    let written = match args.to {
        Format::Efg => export::extensive_form(&begin.game, &begin.state, &tree, &limits),
        Format::Nfg => export::strategic_form(&begin.game, &begin.state, &tree),
    };
    let written = written.map_err(|why| match why {
        ExportError::Limit(hit) => CommandError::LimitReached(format!("nothing was written: {hit}")),
        why => CommandError::Usage(why.to_string()),
    })?;
    terminal.print(&written);
    Ok(Exit::Done)
}
