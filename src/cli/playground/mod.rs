//! `bouton playground [PATH] -o FOLDER`: writes the explorer as static files that need no server.
//!
//! A module of WebAssembly in the folder answers the requests of the page. `.ci/playground` builds it: this program is
//! compiled for the machine that it runs on, and cannot have it inside.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::assets::{self, MODULE_FILE};
use super::exit::{CommandError, Exit};
use super::games::read_catalogue;
use super::terminal::Console;
use bouton_driver::files;

/// Write the explorer and its editor as static files, which work in the browser without a server
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton playground games -o site   the games of a folder\n  bouton playground hex.bou -o site --module bouton.wasm\n\nAny server of static files serves the folder; the page sends nothing anywhere."
)]
pub struct PlaygroundArgs {
    /// A file, or a folder with .bou files
    #[arg(default_value = ".")]
    path: String,
    /// The folder to write to; it is made if it is missing
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The module that `.ci/playground` builds; by default bouton.wasm beside the program
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
}

/// The first bytes of a module of WebAssembly.
const MODULE_MARK: &[u8] = b"\0asm";

/// Writes the folder. Files of other names in it stay.
pub fn run(args: &PlaygroundArgs, terminal: &Console) -> Result<Exit, CommandError> {
    let module = read_module(args.module.as_deref())?;
    let catalogue = read_catalogue(&args.path)?;
    let (games, left_out) = catalogue.export();
    let folder = &args.output;
    fs::create_dir_all(folder).map_err(|why| {
        CommandError::Usage(format!("{} cannot be made: {}", folder.display(), files::describe_error(&why)))
    })?;
    for asset in assets::of_playground(&games) {
        files::replace(&folder.join(asset.name), &asset.text).map_err(CommandError::usage)?;
    }
    let written = files::replace_with(&folder.join(MODULE_FILE), &mut |to| to.write_all(&module));
    written.map_err(CommandError::usage)?;
    for id in left_out {
        terminal.note(&format!("left out: {id}, whose rules need other files"));
    }
    terminal.note(&format!("wrote {}; any server of static files serves it", folder.display()));
    Ok(Exit::Done)
}

/// Reads the module.
fn read_module(path: Option<&Path>) -> Result<Vec<u8>, CommandError> {
    let beside = || std::env::current_exe().ok().map(|own| own.with_file_name(MODULE_FILE));
    let path = path.map(Path::to_path_buf).or_else(beside).unwrap_or_else(|| PathBuf::from(MODULE_FILE));
    let hint = "`.ci/playground` in the source of bouton builds the module; --module names it";
    let unread = |why: String| CommandError::Usage(format!("{} {why}; {hint}", path.display()));
    let module = fs::read(&path);
    let module = module.map_err(|why| unread(format!("cannot be read: {}", files::describe_error(&why))))?;
    if !module.starts_with(MODULE_MARK) {
        return Err(unread("is no module of WebAssembly".into()));
    }
    Ok(module)
}
