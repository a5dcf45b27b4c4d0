//! Loads the rules of a game: the file, the libraries it uses, and the settings of the command line.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::files::{self, Content, FileError};
use bouton_analysis::{self as analyze, Analysis, AnalysisOptions};
use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::{FileId, Sources, Span};
use bouton_rules::Rules;
use bouton_search::game::{Backend, Game};
use bouton_syntax::ast::{self, Item, ItemKind, Name};
use bouton_syntax::diag::{self, Code, Diagnostic, Severity, nearest};
use bouton_syntax::{Parsed, parse, parse_expr};

/// A file to load, with its settings.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequest<'a> {
    /// The path of the file, or `-` for standard input.
    pub path: &'a str,
    /// The settings, `name=value` each.
    pub settings: &'a [String],
    /// The name of a preset of the file.
    pub preset: Option<&'a str>,
}

/// The reason why a source was not read, or its settings cannot be used: a sentence.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file is in the Knowledge Interchange Format.
    #[error("this version does not read KIF files yet")]
    Kif,
    #[error(transparent)]
    File(#[from] FileError),
    /// The file has no preset of the requested name.
    #[error("there is no preset `{preset}` in {path}{hint}")]
    NoPreset {
        preset: String,
        path: String,
        /// The presets that there are, after a semicolon.
        hint: String,
    },
    /// A setting has no equals sign; it is kept as given.
    #[error("`--set {0}`: write a setting as name=value")]
    Setting(String),
}

/// The reason why a request about a game was not fulfilled.
#[derive(Debug)]
pub enum DriverError {
    /// The request itself is wrong: a sentence.
    Usage(String),
    /// The source has errors.
    Errors(Vec<Diagnostic>),
    /// The rules have a fault in a position that was reached.
    RulesFault(Box<Diagnostic>),
    /// A limit was reached first.
    Limit(String),
}

impl From<FileError> for DriverError {
    fn from(why: FileError) -> DriverError {
        DriverError::Usage(why.to_string())
    }
}

impl From<LoadError> for DriverError {
    fn from(why: LoadError) -> DriverError {
        DriverError::Usage(why.to_string())
    }
}

/// A parameter with the expression of its value.
type Setting = (Name, ast::Expr);

/// The source of a game, read and parsed, with its settings.
pub struct GameSource {
    /// All source files; the spans of diagnostics refer to them.
    pub sources: Sources,
    /// The game's file in `sources`.
    pub file: FileId,
    /// The path of the file as given.
    pub path: String,
    /// The syntax tree of the game's file.
    pub ast: ast::File,
    /// The diagnostics of parsing the file, its libraries and the settings.
    pub diagnostics: Vec<Diagnostic>,
    /// The settings as given, for command lines shown to the user.
    pub flags: Vec<String>,
    /// The back end of its game.
    pub backend: Backend,
    /// The passes of the optimiser to skip.
    pub skipped_passes: Vec<String>,
    /// The limits of analysis and compilation.
    pub limits: Limits,
    /// The duration of the last compilation, from the rules to the machine that runs them.
    pub compile_time: Cell<Duration>,
    settings: Vec<Setting>,
    preset: Option<String>,
    libraries: HashMap<String, Option<ast::File>>,
}

impl GameSource {
    /// Reads and parses a file and the settings. Mistakes in the source become diagnostics.
    pub fn read(request: &LoadRequest<'_>) -> Result<GameSource, LoadError> {
        if Path::new(request.path).extension().is_some_and(|e| e == "kif") {
            return Err(LoadError::Kif);
        }
        let content = files::read(request.path)?;
        let name = if request.path == "-" { "standard input" } else { request.path };
        let mut text = GameSource::with(name, request.path, content);
        text.apply_settings(request)?;
        Ok(text)
    }

    /// Same as [`GameSource::read`] within limits, which also apply to the analysis.
    pub fn read_within(
        request: &LoadRequest<'_>,
        limits: &Limits,
    ) -> Result<Result<GameSource, LoadError>, LimitHit> {
        cancel::run_within(limits, || {
            let text = GameSource::read(request)?;
            Ok(GameSource { limits: limits.clone(), ..text })
        })
    }

    /// Parses a string under a name, without settings.
    pub fn from_string(name: &str, text: &str) -> GameSource {
        GameSource::with(name, name, Content::Text(text.to_string()))
    }

    /// Adds settings and a preset.
    pub fn with_settings(
        mut self,
        settings: &[String],
        preset: Option<&str>,
    ) -> Result<GameSource, LoadError> {
        let path = self.path.clone();
        self.apply_settings(&LoadRequest { path: &path, settings, preset })?;
        Ok(self)
    }

    fn with(name: &str, path: &str, content: Content) -> GameSource {
        let mut sources = Sources::new();
        let (file, parsed) = parse_content(&mut sources, name, content);
        GameSource {
            sources,
            file,
            path: path.to_string(),
            ast: parsed.file,
            diagnostics: parsed.diagnostics,
            flags: Vec::new(),
            backend: Backend::default(),
            skipped_passes: Vec::new(),
            limits: Limits::default(),
            compile_time: Cell::default(),
            settings: Vec::new(),
            preset: None,
            libraries: HashMap::new(),
        }
    }

    fn apply_settings(&mut self, request: &LoadRequest<'_>) -> Result<(), LoadError> {
        if let Some(preset) = request.preset {
            let names = self.presets();
            if !names.iter().any(|n| n == preset) {
                let near = nearest(preset, names.iter().map(String::as_str));
                let hint = match (near, names.is_empty()) {
                    (Some(near), _) => format!("; did you mean `{near}`?"),
                    (None, true) => "; the file has no presets".into(),
                    (None, false) => format!("; there are {}", names.join(", ")),
                };
                return Err(LoadError::NoPreset {
                    preset: preset.to_string(),
                    path: self.path.clone(),
                    hint,
                });
            }
            self.preset = Some(preset.to_string());
            self.flags.push(format!("--preset {preset}"));
        }
        for setting in request.settings {
            let (read, mut found) = self.setting(setting)?;
            self.diagnostics.append(&mut found);
            self.settings.extend(read);
            self.flags.push(format!("--set {}", shell_quote(setting)));
        }
        Ok(())
    }

    /// Parses `name=value`; returns no setting, but the diagnostics, if the value cannot be parsed.
    fn setting(&mut self, setting: &str) -> Result<(Option<Setting>, Vec<Diagnostic>), LoadError> {
        let Some((name, value)) = setting.split_once('=') else {
            return Err(LoadError::Setting(setting.to_string()));
        };
        let name = name.trim();
        let file = self.sources.add(format!("--set {name}=..."), value.trim());
        let (expr, found) = parse_expr(&self.sources, file);
        let span = Span::new(file, 0, value.trim().len());
        Ok((expr.map(|e| (Name { text: name.to_string(), span }, e)), found))
    }

    /// Returns the rules with further settings, `name=value` each, which take precedence over those given before;
    /// `None` if one cannot be parsed or the rules have errors with them.
    pub fn rules_with(&mut self, settings: &[String]) -> Option<Rules> {
        let before = self.settings.len();
        let read: Option<Vec<Setting>> =
            settings.iter().map(|setting| self.setting(setting).ok()?.0).collect();
        self.settings.extend(read?);
        let analysis = self.analyze(None, Vec::new());
        self.settings.truncate(before);
        analysis.rules
    }

    /// Returns the game with further settings, `name=value` each, which take precedence over those given before.
    pub fn game_with(&mut self, settings: &[String]) -> Result<Game, DriverError> {
        let before = (self.settings.len(), self.diagnostics.len());
        for setting in settings {
            let (read, mut found) = self.setting(setting)?;
            self.diagnostics.append(&mut found);
            self.settings.extend(read);
        }
        let game = self.game(None);
        self.settings.truncate(before.0);
        self.diagnostics.truncate(before.1);
        game
    }

    /// The names of the presets.
    pub fn presets(&self) -> Vec<String> {
        let name = |item: &ast::Item| match &item.kind {
            ItemKind::Preset { name, .. } => Some(name.text.clone()),
            _ => None,
        };
        self.ast.items.iter().filter_map(name).collect()
    }

    /// Returns true if parsing found errors.
    pub fn has_parse_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity() == Severity::Error)
    }

    /// Analyses the source with its settings, with the claims of a group and the effects of a position.
    pub fn analyze(&mut self, group: Option<usize>, position: Vec<ast::Effect>) -> Analysis {
        self.analyze_preset(self.preset.clone(), group, position)
    }

    /// Same as [`GameSource::analyze`] for another preset than the requested one.
    pub fn analyze_preset(
        &mut self,
        preset: Option<String>,
        group: Option<usize>,
        position: Vec<ast::Effect>,
    ) -> Analysis {
        let damaged = self.has_parse_errors();
        let options = AnalysisOptions { settings: self.settings.clone(), preset, group, position, damaged };
        let folder = Path::new(&self.path).parent().map(Path::to_path_buf).unwrap_or_default();
        let mut library = LibraryLoader {
            folder,
            sources: &mut self.sources,
            known: &mut self.libraries,
            diagnostics: &mut self.diagnostics,
        };
        let analysis = || analyze::analyze(&self.ast, &mut library, &options);
        cancel::run_within(&self.limits, analysis).unwrap_or_else(Analysis::stopped)
    }

    /// Sets the back end of the budget for games compiled from now on, and the limits of an answer that begins now;
    /// `default` applies if the budget has no time limit.
    pub fn set_backend(&mut self, budget: &Budget, default: Option<Duration>) {
        self.backend = budget.backend;
        self.limits = budget.limits(default);
    }

    /// Adds an invariant, which is an expression given with a flag. Compilation from now on skips the passes that
    /// assume facts about reachable positions.
    pub fn add_invariant(&mut self, flag: &str, words: &str) -> Result<(), DriverError> {
        let file = self.sources.add(flag, words);
        let (value, found) = parse_expr(&self.sources, file);
        match value {
            Some(value) if found.iter().all(|d| d.severity() < Severity::Error) => {
                let span = value.span;
                let kind = ItemKind::Invariant { name: None, value };
                self.ast.items.push(Item { doc: Vec::new(), kind, span });
                self.skipped_passes.extend(["constants".to_owned(), "settled".to_owned()]);
                Ok(())
            }
            _ => Err(DriverError::Errors(found)),
        }
    }

    /// A sentence that says which back end a game runs on, and why that is not the requested one.
    pub fn describe_backend(&self, game: &Game) -> String {
        let on = format!("{} runs on {}", game.rules.name, game.backend());
        let Some(fallback) = game.fallback() else { return on };
        let place = fallback.span.map(|span| {
            let source = self.sources.get(span.file);
            format!(" ({}:{})", source.name, source.line_column(span.start).line)
        });
        format!("{on}: {}{}", fallback.reason, place.unwrap_or_default())
    }

    /// Compiles the game with its settings and the claims of a group.
    pub fn game(&mut self, group: Option<usize>) -> Result<Game, DriverError> {
        let analysis = self.analyze(group, Vec::new());
        self.game_of(analysis)
    }

    /// Compiles the game of an analysis, or returns all errors.
    pub fn game_of(&self, analysis: Analysis) -> Result<Game, DriverError> {
        if let Some(hit) = analysis.stopped {
            return Err(DriverError::Limit(format!("the rules were not compiled: {hit}")));
        }
        let mut errors: Vec<Diagnostic> = self.diagnostics.clone();
        errors.extend(analysis.diagnostics);
        errors.retain(|d| d.severity() == Severity::Error);
        diag::sort(&mut errors);
        match analysis.rules {
            Some(rules) if errors.is_empty() => {
                let clock = Instant::now();
                let game = Game::on_backend(rules, self.backend, &self.skipped_passes, &self.limits);
                self.compile_time.set(clock.elapsed());
                Ok(game)
            }
            _ => Err(DriverError::Errors(errors)),
        }
    }
}

/// Parses content; content that is unreadable gives an empty tree and a diagnostic.
fn parse_content(sources: &mut Sources, name: &str, content: Content) -> (FileId, Parsed) {
    match content {
        Content::Text(text) => {
            let file = sources.add(name, text);
            (file, parse(sources, file))
        }
        Content::InvalidUtf8(text, at) => {
            let file = sources.add(name, text);
            let span = Span::new(file, at, at + '\u{fffd}'.len_utf8());
            let found = Diagnostic::new(
                Code::E0012,
                "this file is not UTF-8 text",
                span,
                "this byte is invalid here",
            )
            .help("save the file as UTF-8");
            (file, Parsed { file: ast::File::default(), diagnostics: vec![found] })
        }
        Content::TooLarge => {
            let file = sources.add(name, "");
            let title = format!("this file has more than {} MiB", files::SIZE_LIMIT >> 20);
            let found = Diagnostic::new(Code::E0012, title, Span::new(file, 0, 0), "")
                .help("rules are short: replace repetition by a parameter or a `const`");
            (file, Parsed { file: ast::File::default(), diagnostics: vec![found] })
        }
    }
}

/// The libraries of `use "file"`: source files relative to the folder of the game's file, each read once.
struct LibraryLoader<'a> {
    folder: PathBuf,
    sources: &'a mut Sources,
    known: &'a mut HashMap<String, Option<ast::File>>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl LibraryLoader<'_> {
    fn keep(&mut self, path: &str, name: &str, content: Content) -> ast::File {
        let (_, parsed) = parse_content(self.sources, name, content);
        self.diagnostics.extend(parsed.diagnostics);
        self.known.insert(path.to_string(), Some(parsed.file.clone()));
        parsed.file
    }
}

impl analyze::Library for LibraryLoader<'_> {
    fn load(&mut self, path: &str) -> Option<ast::File> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let with_ending = |p: PathBuf| if p.extension().is_some() { p } else { p.with_extension("bou") };
        let full = with_ending(self.folder.join(path));
        let name = full.display().to_string();
        // The analyser reports a missing library, at the `use` that names it.
        let Ok(content) = files::read(&name) else {
            self.known.insert(path.to_string(), None);
            return None;
        };
        Some(self.keep(path, &name, content))
    }

    fn embedded(&mut self, path: &str, text: &str) -> ast::File {
        match self.known.get(path) {
            Some(Some(known)) => known.clone(),
            _ => self.keep(path, path, Content::Text(text.to_string())),
        }
    }
}

/// Quotes an argument for a shell.
pub fn shell_quote(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_string()
    } else if argument.contains('\'') {
        format!(
            "\"{}\"",
            argument.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`")
        )
    } else {
        format!("'{argument}'")
    }
}
