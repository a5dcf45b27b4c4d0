//! `bouton dump FILE --stage S`: what a stage makes of a file.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::rules::print;
use crate::syntax::dump;

/// Show what a stage makes of a file
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton dump hex.bou --stage rules --set n=3")]
pub struct DumpArgs {
    /// The file, or - for standard input
    file: String,
    /// The stage
    #[arg(long, value_enum)]
    stage: Stage,
}

/// The stages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The tree of the text as written.
    Ast,
    /// The typed rules, parameters substituted.
    Rules,
    /// Not in this version.
    Layout,
    /// Not in this version.
    Circuit,
    /// Not in this version.
    CircuitOpt,
    /// Not in this version.
    Clif,
    /// Not in this version.
    Asm,
    /// Not in this version.
    Symmetry,
    /// Not in this version.
    Sum,
}

/// Prints the stage.
pub fn run(args: &DumpArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    if !matches!(args.stage, Stage::Ast | Stage::Rules) {
        return Err(Stop::Usage("this stage is not in this version yet; there are ast and rules".into()));
    }
    let mut text = load(&args.file, global)?;
    if args.stage == Stage::Ast {
        terminal.diagnostics(&text.sources, &text.diagnostics);
        terminal.print(&dump(&text.ast));
        return Ok(if text.is_damaged() { Exit::Errors } else { Exit::Done });
    }
    let game = text.game(Some(0)).map_err(|refused| stop(&mut text, refused))?;
    terminal.print(&print(&game.rules));
    Ok(Exit::Done)
}
