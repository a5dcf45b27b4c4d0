//! `bouton man [COMMAND]`: prints a manual page.

use clap::Args;

use super::exit::{CommandError, Exit};
use super::terminal::Console;
use super::{USED_FLAGS, command_with_used_flags};

/// Print a manual page, of `bouton` or of one of its commands
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton man solve | man -l -\n  bouton man -o ~/.local/share/man/man1/bouton.1"
)]
pub struct ManArgs {
    /// The command; without it, the page of `bouton` itself
    #[arg(value_parser = commands())]
    command: Option<String>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
}

/// The names of the commands.
fn commands() -> clap::builder::PossibleValuesParser {
    USED_FLAGS.iter().map(|(name, _)| *name).into()
}

/// Prints the page.
pub fn run(args: &ManArgs, terminal: &Console) -> Result<Exit, CommandError> {
    let mut of = command_with_used_flags();
    of.build();
    let page = match &args.command {
        Some(name) => of.find_subcommand(name).expect("the names are those of commands").clone(),
        None => of,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).expect("memory takes everything");
    terminal.write(args.output.as_deref(), &String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
