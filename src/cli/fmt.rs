//! `bouton fmt FILE...`: formats files in one style.

use std::path::Path;

use clap::Args;

use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::source::Sources;
use bouton_driver::files;
use bouton_project::{is_sheet, shell_quote};
use bouton_syntax::format;

/// Format files in one style and keep their comments
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton fmt games/*.bou\n  bouton fmt --check games/*.bou    only list the files that would change (exit code 1)"
)]
pub struct FmtArgs {
    /// The files; - reads standard input and writes standard output
    #[arg(required = true)]
    files: Vec<String>,
    /// Change nothing; list the files that would change
    #[arg(long)]
    check: bool,
}

/// Formats the files; leaves a damaged one unchanged.
pub fn run(args: &FmtArgs, terminal: &Console) -> Result<Exit, CommandError> {
    let mut exit = Exit::Done;
    for path in &args.files {
        if !one(path, args.check, terminal)? {
            exit = Exit::Errors;
        }
    }
    Ok(exit)
}

/// Formats a file; returns false if it is damaged, or if `--check` would change it.
fn one(path: &str, check: bool, terminal: &Console) -> Result<bool, CommandError> {
    if is_sheet(path) {
        let why = format!(
            "{path} is a sheet in GDL: `fmt` formats texts; `bouton import {}` writes one",
            shell_quote(path)
        );
        return Err(CommandError::Usage(why));
    }
    let content = files::read(path).map_err(CommandError::usage)?;
    let text = match content.into_text(path, files::SIZE_LIMIT) {
        Ok(text) => text,
        Err(why) => {
            terminal.error(&why.to_string());
            return Ok(false);
        }
    };
    let new = match format(&text) {
        Ok(new) => new,
        Err(found) => {
            let mut sources = Sources::new();
            sources.add(path, text);
            terminal.diagnostics(&sources, &found);
            return Ok(false);
        }
    };
    if check {
        if new != text {
            terminal.line(path);
        }
        return Ok(new == text);
    }
    if path == "-" {
        terminal.print(&new);
    } else if new != text {
        files::replace(Path::new(path), &new).map_err(CommandError::usage)?;
        terminal.note(&format!("formatted {path}"));
    }
    Ok(true)
}
