//! `bouton dump FILE --stage S`: prints the output of a stage for a file.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{budget, load, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::dump as driver;
use bouton_rules::print;

/// Print the output of a stage for a file
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton dump hex.bou --stage rules --set n=3\n  bouton dump hex.bou --stage layout"
)]
pub struct DumpArgs {
    /// The file, or - for standard input
    file: String,
    /// The stage
    #[arg(long, value_enum)]
    stage: DumpStage,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
}

/// The stages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum DumpStage {
    /// The syntax tree.
    Ast,
    /// The typed rules with parameters substituted.
    Rules,
    /// The bit layout of a state.
    Layout,
    /// The rules as operations on bits.
    Circuit,
    /// The circuit after the passes of the optimiser.
    CircuitOpt,
    /// The functions of the circuit in Cranelift's intermediate representation.
    Clif,
    /// The machine code.
    Asm,
    /// The symmetries of the rules that fix the initial position.
    Symmetry,
    /// The components of the initial position.
    Sum,
}

/// Prints the stage.
pub fn run(args: &DumpArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let stage = match args.stage {
        DumpStage::Ast | DumpStage::Rules => None,
        DumpStage::Layout => Some(driver::CompilationStage::Layout),
        DumpStage::Circuit => Some(driver::CompilationStage::Circuit),
        DumpStage::Clif => Some(driver::CompilationStage::Clif),
        DumpStage::Asm => Some(driver::CompilationStage::Asm),
        DumpStage::CircuitOpt => Some(driver::CompilationStage::CircuitOpt),
        DumpStage::Symmetry => Some(driver::CompilationStage::Symmetry),
        DumpStage::Sum => Some(driver::CompilationStage::Sum),
    };
    let limits = budget(global, terminal)?.command_limits(None);
    let mut text = load(&args.file, global, &limits)?;
    if args.stage == DumpStage::Ast {
        terminal.diagnostics(&text.sources, &text.diagnostics);
        terminal.write(args.output.as_deref(), &text.dump_tree())?;
        return Ok(if text.has_parse_errors() { Exit::Errors } else { Exit::Done });
    }
    let game = text.game(Some(0)).map_err(|refused| refusal(&mut text, refused))?;
    let shown = match stage {
        None => print(&game.rules),
        Some(stage) => {
            driver::dump(&text, &game, stage, &limits).map_err(|refused| refusal(&mut text, refused))?
        }
    };
    terminal.write(args.output.as_deref(), &shown)?;
    Ok(Exit::Done)
}
