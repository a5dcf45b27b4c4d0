//! The games of a file or a folder, for the explorer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::exit::CommandError;
use bouton::explorer::catalogue::{Catalogue, CatalogueEntry, RulesText, entry_of};
use bouton_base::limits::Limits;
use bouton_project::{LoadRequest, RuleFiles};

/// The maximal number of games of a folder.
const MAX_GAMES: usize = 1000;
/// The time limit of reading a game for the catalogue.
const READ_TIME: Duration = Duration::from_secs(10);

/// Reads a file, or all games of a folder; libraries and files with errors are left out of a folder.
pub fn read_catalogue(path: &str) -> Result<Catalogue, CommandError> {
    let is_folder = Path::new(path).is_dir();
    let paths = if is_folder { files_of(path)? } else { vec![PathBuf::from(path)] };
    let mut games = Vec::new();
    for path in &paths {
        // Two files of one name differ in their endings.
        let stem = path.file_stem();
        let is_shared = paths.iter().filter(|other| other.file_stem() == stem).count() > 1;
        let name = if is_shared { path.file_name() } else { stem };
        match entry(path, name.unwrap_or_default().to_string_lossy().into_owned()) {
            Ok(game) => games.push(game),
            Err(why) if !is_folder => return Err(CommandError::Usage(why)),
            Err(_) => {}
        }
    }
    if games.is_empty() {
        return Err(CommandError::Usage(format!(
            "{path} has no games; name a folder with .bou or .kif files"
        )));
    }
    Ok(Catalogue::new(games))
}

/// The `.bou` and `.kif` files of a folder, in order.
fn files_of(folder: &str) -> Result<Vec<PathBuf>, CommandError> {
    let entries = fs::read_dir(folder);
    let entries = entries.map_err(|why| CommandError::Usage(format!("{folder} cannot be read: {why}")))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "bou" || ending == "kif"));
    paths.sort();
    paths.truncate(MAX_GAMES);
    Ok(paths)
}

/// The entry of a game with an id; the error is a sentence.
fn entry(path: &Path, id: String) -> Result<CatalogueEntry, String> {
    let limits = Limits { deadline: Some(Instant::now() + READ_TIME), ..Limits::default() };
    let name = path.display().to_string();
    let request = LoadRequest { path: &name, settings: &[], preset: None };
    let files = RuleFiles::read_within(&request, &limits);
    let mut files = files.map_err(|hit| format!("{name}: {hit}"))?.map_err(|why| why.to_string())?;
    let entry = entry_of(id, &mut files, RulesText::File(path.to_path_buf()));
    entry.ok_or_else(|| format!("{name} has errors; `bouton check` shows them"))
}
