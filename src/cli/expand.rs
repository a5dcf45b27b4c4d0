//! `bouton expand FILE`: the rules with all sugar removed.

use clap::Args;

use super::Global;
use super::common::{budget, load, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_rules::print;

/// Print the rules without syntactic sugar
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton expand kalah.bou --set m=4")]
pub struct ExpandArgs {
    /// The file, or - for standard input
    file: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
}

/// Prints the rules.
pub fn run(args: &ExpandArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let limits = budget(global, terminal)?.command_limits(None);
    let mut text = load(&args.file, global, &limits)?;
    let game = text.game(Some(0)).map_err(|refused| refusal(&mut text, refused))?;
    terminal.write(args.output.as_deref(), &print(&game.rules))?;
    Ok(Exit::Done)
}
