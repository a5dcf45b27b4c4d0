//! The games that are served, found once at the start.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::exit::CommandError;
use bouton_base::limits::Limits;
use bouton_project::{LoadRequest, RuleFiles};
use bouton_rules::{Rules, Value};

/// The maximal number of games of a folder.
const MAX_GAMES: usize = 1000;
/// The time limit of reading a game for the catalogue.
const READ_TIME: Duration = Duration::from_secs(10);

/// A game of the catalogue.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogueEntry {
    /// The name of the file without its ending.
    pub id: String,
    pub name: String,
    /// The author's description.
    pub about: Vec<String>,
    pub players: Vec<String>,
    pub params: Vec<Parameter>,
    pub presets: Vec<String>,
    /// True if the rules hide something from players.
    pub hides: bool,
    /// True if a table with the values of all positions is served.
    pub table: bool,
    #[serde(skip)]
    pub path: PathBuf,
}

/// A parameter of a game, in the syntax of the language.
#[derive(Clone, Debug, Serialize)]
pub struct Parameter {
    pub name: String,
    /// The default value.
    pub value: String,
    /// The declared type, such as `3..6`; null if the language of the file has none.
    #[serde(rename = "type")]
    pub ty: Option<String>,
}

/// The games by their ids.
#[derive(Debug)]
pub struct Catalogue(Vec<CatalogueEntry>);

impl Catalogue {
    /// Reads a file, or all games of a folder; libraries and files with errors are left out of a folder.
    pub fn read(path: &str) -> Result<Catalogue, CommandError> {
        let is_folder = Path::new(path).is_dir();
        let paths = if is_folder { files_of(path)? } else { vec![PathBuf::from(path)] };
        let mut games = Vec::new();
        for path in paths {
            match entry(&path) {
                Ok(game) => games.push(game),
                Err(why) if !is_folder => return Err(CommandError::Usage(why)),
                Err(_) => {}
            }
        }
        if games.is_empty() {
            return Err(CommandError::Usage(format!("{path} has no games; name a folder with .bou files")));
        }
        Ok(Catalogue(games))
    }

    /// The games, in the order of their ids.
    pub fn games(&self) -> &[CatalogueEntry] {
        &self.0
    }

    /// Notes that a table of the game with this id is served.
    pub fn note_table(&mut self, id: &str) {
        self.0.iter_mut().filter(|game| game.id == id).for_each(|game| game.table = true);
    }

    /// The game with this id.
    pub fn find(&self, id: &str) -> Option<&CatalogueEntry> {
        self.0.iter().find(|game| game.id == id)
    }
}

/// The `.bou` files of a folder, in order.
fn files_of(folder: &str) -> Result<Vec<PathBuf>, CommandError> {
    let entries = fs::read_dir(folder);
    let entries = entries.map_err(|why| CommandError::Usage(format!("{folder} cannot be read: {why}")))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "bou"));
    paths.sort();
    paths.truncate(MAX_GAMES);
    Ok(paths)
}

/// The entry of a game; the error is a sentence.
fn entry(path: &Path) -> Result<CatalogueEntry, String> {
    let limits = Limits { deadline: Some(Instant::now() + READ_TIME), ..Limits::default() };
    let name = path.display().to_string();
    let request = LoadRequest { path: &name, settings: &[], preset: None };
    let files = RuleFiles::read_within(&request, &limits);
    let mut files = files.map_err(|hit| format!("{name}: {hit}"))?.map_err(|why| why.to_string())?;
    let Some(rules) = files.analyze(None).rules else {
        return Err(format!("{name} has errors; `bouton check` shows them"));
    };
    let Rules { name, doc, params, .. } = &rules;
    let ty = |name: &str| {
        let (_, span) = files.outline.params.iter().find(|(param, _)| param == name)?;
        Some(files.sources.slice(*span).to_owned())
    };
    let param = |(name, value): &(String, Value)| Parameter {
        name: name.clone(),
        value: rules.show(value),
        ty: ty(name),
    };
    Ok(CatalogueEntry {
        id: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        name: name.clone(),
        about: doc.clone(),
        players: rules.players().to_vec(),
        params: params.iter().map(param).collect(),
        presets: files.outline.presets.clone(),
        hides: rules.has_hidden_information(),
        table: false,
        path: path.to_path_buf(),
    })
}
