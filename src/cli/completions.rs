//! `bouton completions SHELL`: prints a completion script.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::exit::{CommandError, Exit};
use super::terminal::Console;

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  bouton completions bash > ~/.local/share/bash-completion/completions/bouton"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs, terminal: &Console) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "bouton", &mut script);
    terminal.write(args.output.as_deref(), &String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
