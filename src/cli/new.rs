//! `bouton new NAME`: writes a commented starter file.

use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton::explorer::templates::starter;
use bouton_driver::files;
use bouton_driver::load::shell_quote;

/// Write NAME.bou, a commented starter file
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton new nim && bouton solve nim.bou")]
pub struct NewArgs {
    /// The name of the game; the file is NAME.bou
    name: String,
}

/// Writes the file; leaves an existing one unchanged.
pub fn run(args: &NewArgs, terminal: &Console) -> Result<Exit, CommandError> {
    let stem = args.name.strip_suffix(".bou").unwrap_or(&args.name);
    let title = title(stem).ok_or_else(|| {
        CommandError::Usage(format!("`{}` is not a valid name: use letters, digits, `_` and `-`", args.name))
    })?;
    let path = PathBuf::from(format!("{stem}.bou"));
    files::create(&path, &starter(&title)).map_err(CommandError::usage)?;
    terminal.note(&format!("wrote {}", path.display()));
    let file = shell_quote(&path.display().to_string());
    terminal.note(&format!("next: bouton solve {file}; bouton play {file}"));
    Ok(Exit::Done)
}

/// The game's name: that of the file, with blanks for `_` and a capital. `None` if it has other characters.
fn title(stem: &str) -> Option<String> {
    let name = Path::new(stem).file_name()?.to_str()?;
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '\'');
    if !name.chars().all(allowed) || !name.chars().any(char::is_alphanumeric) {
        return None;
    }
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn the_title_comes_from_the_file() {
        assert_eq!(title("games/dots_and_boxes").as_deref(), Some("Dots and boxes"));
        assert_eq!(title("a\"b"), None);
        assert_eq!(title(""), None);
    }
}
