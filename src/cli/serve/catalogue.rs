//! The games that are served, found once at the start.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::answers::Refusal;
use crate::cli::exit::CommandError;
use bouton::{Error, Project};
use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_driver::load::GameSource;
use bouton_project::files::{self, Content};
use bouton_project::{LoadError, LoadRequest, RuleFiles};
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
    pub rules: RulesText,
}

/// The place of the rules of a game.
#[derive(Clone, Debug)]
pub enum RulesText {
    /// A file, read anew for each request.
    File(PathBuf),
    /// A text from the editor. It comes from a stranger: nothing of it is looked up in files.
    Draft(Arc<str>),
}

/// The name of a text from the editor in diagnostics and certificates.
pub const DRAFT_NAME: &str = "rules.bou";

impl CatalogueEntry {
    /// Reads and parses the rules with settings, `name=value` each.
    pub fn source(
        &self,
        settings: &[String],
        preset: Option<&str>,
        limits: &Limits,
    ) -> Result<Result<GameSource, LoadError>, LimitHit> {
        match &self.rules {
            RulesText::File(path) => {
                let path = path.display().to_string();
                GameSource::read_within(&LoadRequest { path: &path, settings, preset }, limits)
            }
            RulesText::Draft(text) => {
                let read = || draft_files(text).with_settings(settings, preset).map(GameSource::from);
                let mut read = cancel::run_within(limits, read)?;
                read.iter_mut().for_each(|source| source.limits = limits.clone());
                Ok(read)
            }
        }
    }

    /// The text of the rules in the language of `.bou` files.
    pub fn text(&self) -> Result<String, Refusal> {
        let path = match &self.rules {
            RulesText::Draft(text) => return Ok(text.to_string()),
            RulesText::File(path) => path.display().to_string(),
        };
        if !path.ends_with(".bou") {
            return Err(Refusal::unfit("these rules are not in the language of the editor"));
        }
        match files::read(&path).map_err(|why| Refusal::unfit(why.to_string()))? {
            Content::Text(text) => Ok(text),
            _ => Err(Refusal::unfit(format!("{path} is no text"))),
        }
    }

    /// The rules as a project of the library.
    pub fn project(&self) -> Result<Project, Error> {
        match &self.rules {
            RulesText::File(path) => Project::open(path),
            RulesText::Draft(text) => Ok(Project::from_text(DRAFT_NAME, text).without_files()),
        }
    }
}

/// Parses a text from the editor, for which no file is read.
pub fn draft_files(text: &str) -> RuleFiles {
    RuleFiles::from_string(DRAFT_NAME, text).without_files()
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
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let entry = entry_of(id, &mut files, RulesText::File(path.to_path_buf()));
    entry.ok_or_else(|| format!("{name} has errors; `bouton check` shows them"))
}

/// The entry of rules without errors; `None` if there are errors, or a limit was reached.
pub fn entry_of(id: String, files: &mut RuleFiles, text: RulesText) -> Option<CatalogueEntry> {
    let rules = files.analyze(None).rules?;
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
    Some(CatalogueEntry {
        id,
        name: name.clone(),
        about: doc.clone(),
        players: rules.players().to_vec(),
        params: params.iter().map(param).collect(),
        presets: files.outline.presets.clone(),
        hides: rules.has_hidden_information(),
        table: false,
        rules: text,
    })
}
