//! The games that are explored, found once at the start.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::refusal::Refusal;
use crate::{Error, Project};
use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_driver::load::GameSource;
use bouton_project::files::{self, Content};
use bouton_project::{LoadError, LoadRequest, RuleFiles};
use bouton_rules::{Rules, Value};

/// A game of the catalogue.
#[derive(Clone, Debug, Deserialize, Serialize)]
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
    /// A text, as from the editor. It may come from a stranger: nothing of it is looked up in files.
    Text(Arc<str>),
}

impl Default for RulesText {
    fn default() -> RulesText {
        RulesText::Text(Arc::from(""))
    }
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
            RulesText::Text(text) => {
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
            RulesText::Text(text) => return Ok(text.to_string()),
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
            RulesText::Text(text) => Ok(Project::from_text(DRAFT_NAME, text).without_files()),
        }
    }
}

/// Parses a text from the editor, for which no file is read.
pub fn draft_files(text: &str) -> RuleFiles {
    RuleFiles::from_string(DRAFT_NAME, text).without_files()
}

/// A parameter of a game, in the syntax of the language.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Parameter {
    pub name: String,
    /// The default value.
    pub value: String,
    /// The declared type, such as `3..6`; null if the language of the file has none.
    #[serde(rename = "type")]
    pub ty: Option<String>,
}

/// A game with the text of its rules.
#[derive(Deserialize, Serialize)]
struct ExportedGame {
    game: CatalogueEntry,
    text: String,
}

/// The games by their ids.
#[derive(Debug)]
pub struct Catalogue(Vec<CatalogueEntry>);

impl Catalogue {
    /// The games in the order of their ids.
    pub fn new(games: Vec<CatalogueEntry>) -> Catalogue {
        Catalogue(games)
    }

    /// Reads what [`export`](Self::export) gave.
    pub fn from_export(exported: &[u8]) -> Result<Catalogue, serde_json::Error> {
        let games: Vec<ExportedGame> = serde_json::from_slice(exported)?;
        let entry =
            |ExportedGame { game, text }| CatalogueEntry { rules: RulesText::Text(text.into()), ..game };
        Ok(Catalogue(games.into_iter().map(entry).collect()))
    }

    /// The games with their rules, as JSON. Returns also the ids of the games that are left out, since their rules need
    /// other files.
    pub fn export(&self) -> (Json, Vec<&str>) {
        let (mut games, mut left_out) = (Vec::new(), Vec::new());
        for game in &self.0 {
            let text = game.text().ok().filter(|text| draft_files(text).analyze(None).rules.is_some());
            match text {
                Some(text) => games.push(ExportedGame { game: game.clone(), text }),
                None => left_out.push(game.id.as_str()),
            }
        }
        (json!(games), left_out)
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

/// Makes the entry of rules without errors; `None` if there are errors, or a limit was reached.
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
