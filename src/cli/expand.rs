//! `bouton expand FILE`: the rules with all sugar removed.

use clap::Args;

use super::Global;
use super::common::{budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::rules::print;

/// Print the rules with all sugar removed
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton expand kalah.bou --set m=4")]
pub struct ExpandArgs {
    /// The file, or - for standard input
    file: String,
}

/// Prints the rules.
pub fn run(args: &ExpandArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    let limits = budget(global, terminal)?.whole(None);
    let mut text = load(&args.file, global, &limits)?;
    let game = text.game(Some(0)).map_err(|refused| stop(&mut text, refused))?;
    terminal.print(&print(&game.rules));
    Ok(Exit::Done)
}
