//! `bouton dump FILE --stage S`: prints the output of a stage for a file.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::driver::dump as driver;
use crate::rules::print;
use crate::syntax::dump;

/// Show what a stage makes of a file
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton dump hex.bou --stage rules --set n=3\n  bouton dump hex.bou --stage layout"
)]
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
    /// How a state lies in words.
    Layout,
    /// The rules as operations on bits.
    Circuit,
    /// The same after the passes of the optimiser.
    CircuitOpt,
    /// The functions of the circuit before they become machine code.
    Clif,
    /// The machine code.
    Asm,
    /// The symmetries of the rules that keep the first position.
    Symmetry,
    /// The components that the first position is made of.
    Sum,
}

/// Prints the stage.
pub fn run(args: &DumpArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    let stage = match args.stage {
        Stage::Ast | Stage::Rules => None,
        Stage::Layout => Some(driver::Stage::Layout),
        Stage::Circuit => Some(driver::Stage::Circuit),
        Stage::Clif => Some(driver::Stage::Clif),
        Stage::Asm => Some(driver::Stage::Asm),
        Stage::CircuitOpt => Some(driver::Stage::CircuitOpt),
        Stage::Symmetry => Some(driver::Stage::Symmetry),
        Stage::Sum => Some(driver::Stage::Sum),
    };
    let limits = budget(global, terminal)?.whole(None);
    let mut text = load(&args.file, global, &limits)?;
    if args.stage == Stage::Ast {
        terminal.diagnostics(&text.sources, &text.diagnostics);
        terminal.print(&dump(&text.ast));
        return Ok(if text.is_damaged() { Exit::Errors } else { Exit::Done });
    }
    let game = text.game(Some(0)).map_err(|refused| stop(&mut text, refused))?;
    let shown = match stage {
        None => print(&game.rules),
        Some(stage) => {
            driver::dump(&text, &game, stage, &limits).map_err(|refused| stop(&mut text, refused))?
        }
    };
    terminal.print(&shown);
    Ok(Exit::Done)
}
