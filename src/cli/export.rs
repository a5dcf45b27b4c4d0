//! `bouton export FILE --to FORMAT`: the game in a format of Gambit, or as a sheet in GDL.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::{LimitHit, Limits};
use bouton_driver::position::StartPosition;
use bouton_report::export::{self, ExportError, MAX_HISTORIES};
use bouton_report::gdl::{self, GdlError};
use bouton_report::words::group_digits;
use bouton_search::game::ToMove;
use bouton_search::solve::Inapplicable;
use bouton_search::solve::mixed::game_tree::{GameTree, NoTree};

/// Write a game in a format of Gambit, or in the Game Description Language
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton export kuhn_poker.bou --to efg -o kuhn.efg\n  bouton export stag_hunt.bou --to nfg\n  bouton export nim.bou --to gdl -o nim.kif"
)]
pub struct ExportArgs {
    /// The file, or - for standard input
    file: String,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
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
    let mut limits = budget.command_limits(None);
    if args.to == Format::Gdl {
        let written = sheet(&begin, &limits, terminal)?;
        terminal.write(args.output.as_deref(), &written)?;
        return Ok(Exit::Done);
    }
    if begin.game.rules.players().len() > 2 {
        let reason = "the formats of Gambit are written for one or two players; `--to gdl` writes a sheet for any number";
        return Err(CommandError::Usage(format!("the game cannot be written: {reason}")));
    }
    if args.to == Format::Nfg && !matches!(begin.game.machine.turn(&begin.state), Ok(ToMove::Simultaneous)) {
        return Err(CommandError::Usage(ExportError::SeveralChoices.to_string()));
    }
    // Each node of the tree has a history of its own.
    limits.positions = Some(MAX_HISTORIES);
    let tree = GameTree::with_all_memory(&begin.game, &begin.state, &limits).map_err(|why| match why {
        NoTree::Faulty(met) => position_fault(&mut text, &begin.game, &begin.state, &met),
        NoTree::Inapplicable(Inapplicable::Limit(LimitHit::Positions)) => too_many_histories(),
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
        ExportError::TooLarge => too_many_histories(),
        why => CommandError::Usage(why.to_string()),
    })?;
    terminal.write(args.output.as_deref(), &written)?;
    Ok(Exit::Done)
}

/// The error for a game whose histories are too many for a file, as those of each game are in which play comes back to
/// a position.
fn too_many_histories() -> CommandError {
    CommandError::LimitReached(format!(
        "nothing was written: the game has more than {} histories, which this format lists one by one; `--to gdl` lists \
         none, and `--set` or `--moves` may make the game smaller",
        group_digits(MAX_HISTORIES)
    ))
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
