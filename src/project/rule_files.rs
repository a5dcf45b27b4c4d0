//! The files of a game: the file of its rules, the libraries it uses, and settings that replace its parameters.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bouton_analysis::schema::{self, Refusal};
use bouton_analysis::uniform_rows::{self, UniformityError};
use bouton_analysis::{self as analysis, Analysis, AnalysisOptions, Outline};
use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::{FileId, Sources, Span};
use bouton_gdl::{Names, Reading, Translation};
use bouton_rules::parametric::ParametricRules;
use bouton_rules::{Rules, Violation, verify};
use bouton_syntax::ast::{self, Item, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic, Severity, nearest};
use bouton_syntax::{Parsed, dump, guess_encoding, parse, parse_effects, parse_expr};

use crate::files::{self, Content, FileError};
use crate::fixes;
use crate::settings;

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
    /// A setting that is written in another form.
    #[error("`--set {setting}`: {advice}")]
    Setting {
        /// The setting as given.
        setting: String,
        /// The form that it should have.
        advice: String,
    },
    /// A front end other than the reader of `.bou` files made the rules, with fixed parameters.
    #[error("the rules of {0} have no parameters that could be set")]
    FixedRules(String),
    /// A setting `name=@path` of rules that read no files.
    #[error("`--set {0}=@...`: these rules may not read files")]
    NoFiles(String),
}

/// The beginning of the name under which the value of a setting is a source.
const SETTING_NAME: &str = "--set ";

/// Returns true if a diagnostic is about a setting of the command line, not about a file.
pub fn is_about_setting(sources: &Sources, found: &Diagnostic) -> bool {
    sources.source_of(found.span()).is_some_and(|source| source.name.starts_with(SETTING_NAME))
}

/// Returns true if there are errors and all of them are about values of flags, such as settings and positions.
pub fn are_settings_wrong(sources: &Sources, found: &[Diagnostic]) -> bool {
    let is_about_flag = |found: &Diagnostic| {
        sources.source_of(found.span()).is_some_and(|source| source.name.starts_with("--"))
    };
    let mut errors = found.iter().filter(|d| d.severity() == Severity::Error).peekable();
    errors.peek().is_some() && errors.all(is_about_flag)
}

/// The reason why an expression or effects in the language were not read.
#[derive(Debug)]
pub enum WordsError {
    /// They cannot be parsed.
    Syntax(Vec<Diagnostic>),
    /// The rules were made by a front end for another language, so their names are not known.
    OtherLanguage,
}

/// The settings and diagnostics before further settings were added.
#[derive(Clone, Copy, Debug)]
pub struct SettingsMark {
    settings: usize,
    diagnostics: usize,
}

/// The rules that another front end made.
#[derive(Clone)]
struct Made {
    /// The rules; `None` if the text has errors.
    rules: Option<Rules>,
    /// The names of a sheet in the Game Description Language.
    names: Option<Arc<Names>>,
}

/// Texts that stand for the files at their paths, such as the unsaved documents of an editor.
pub type UnsavedTexts = Arc<HashMap<PathBuf, String>>;

/// A parameter with the expression of its value.
type Setting = (Name, ast::Expr);

/// The files of a game, read and parsed, with its settings.
#[derive(Clone)]
pub struct RuleFiles {
    /// All source files; the spans of diagnostics refer to them.
    pub sources: Sources,
    /// The game's file in `sources`.
    pub file: FileId,
    /// The path of the file as given.
    pub path: String,
    /// The facts about the file's items that need no analysis.
    pub outline: Outline,
    /// The diagnostics of parsing the file, its libraries and the settings.
    pub diagnostics: Vec<Diagnostic>,
    /// The settings as given, for command lines shown to the user.
    pub flags: Vec<String>,
    /// The limits of analysis and of the work that follows it.
    pub limits: Limits,
    /// The syntax tree of the game's file; empty for rules that another front end made.
    ast: ast::File,
    /// The rules that another front end made.
    made: Option<Made>,
    settings: Vec<Setting>,
    preset: Option<String>,
    libraries: HashMap<String, Option<ast::File>>,
    unsaved: UnsavedTexts,
    /// False if libraries and settings may not be read from files.
    reads_files: bool,
    /// False if analyses offer suggested fixes without a trial.
    tries_fixes: bool,
}

impl RuleFiles {
    /// Reads and parses a file and the settings. Mistakes in the source become diagnostics.
    pub fn read(request: &LoadRequest<'_>) -> Result<RuleFiles, LoadError> {
        let content = files::read(request.path)?;
        let name = if request.path == "-" { "standard input" } else { request.path };
        let mut files = match content {
            Content::Text(text) if is_sheet(request.path) => RuleFiles::of_kif(request.path, &text),
            content => RuleFiles::with(name, request.path, content),
        };
        files.apply_settings(request)?;
        Ok(files)
    }

    /// Same as [`RuleFiles::read`] within limits, which also apply to the analysis.
    pub fn read_within(
        request: &LoadRequest<'_>,
        limits: &Limits,
    ) -> Result<Result<RuleFiles, LoadError>, LimitHit> {
        cancel::run_within(limits, || {
            let files = RuleFiles::read(request)?;
            Ok(RuleFiles { limits: limits.clone(), ..files })
        })
    }

    /// Parses a string under a name, without settings.
    pub fn from_string(name: &str, text: &str) -> RuleFiles {
        if is_sheet(name) {
            return RuleFiles::of_kif(name, text);
        }
        let is_too_large = text.len() as u64 > files::SIZE_LIMIT;
        let content = if is_too_large { Content::TooLarge } else { Content::Text(text.to_string()) };
        RuleFiles::with(name, name, content)
    }

    /// Takes these texts for the libraries at their paths, in place of the files.
    #[must_use]
    pub fn with_unsaved(self, unsaved: UnsavedTexts) -> RuleFiles {
        RuleFiles { unsaved, ..self }
    }

    /// Offers suggested fixes without a trial, which takes an analysis for each of them; see
    /// [`withdraw_unsound_fixes`](Self::withdraw_unsound_fixes).
    #[must_use]
    pub fn without_trials(self) -> RuleFiles {
        RuleFiles { tries_fixes: false, ..self }
    }

    /// Reads no file from now on, for rules of strangers: libraries in files are missing, and settings that name files
    /// are refused. The libraries of the language stay.
    #[must_use]
    pub fn without_files(self) -> RuleFiles {
        RuleFiles { reads_files: false, ..self }
    }

    /// The syntax trees of the game's file and of the libraries that analyses have read so far; libraries in the order
    /// of their paths.
    pub fn trees(&self) -> Vec<&ast::File> {
        let mut libraries: Vec<_> = self.libraries.iter().collect();
        libraries.sort_unstable_by_key(|(path, _)| *path);
        let libraries = libraries.into_iter().filter_map(|(_, tree)| tree.as_ref());
        std::iter::once(&self.ast).chain(libraries).collect()
    }

    /// Reads a sheet in the Game Description Language. Mistakes in it become diagnostics.
    fn of_kif(path: &str, text: &str) -> RuleFiles {
        let files = RuleFiles::with(path, path, Content::Text(String::new()));
        let mut sources = Sources::new();
        let file = sources.add(path, text);
        let Reading { translation, diagnostics } = bouton_gdl::read(file, text);
        let (mut rules, names) = match translation {
            Some(Translation { rules, names }) => (Some(rules), Some(Arc::new(names))),
            None => (None, None),
        };
        if let Some(rules) = &mut rules
            && rules.name.is_empty()
        {
            let stem = Path::new(path).file_stem();
            rules.name = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        }
        let no_rules = || Outline { is_game: true, ..Outline::default() };
        let mut outline = rules.as_ref().map_or_else(no_rules, Outline::of_rules);
        if let (Some(rules), Some(names)) = (&rules, &names) {
            outline.players = rules.players().iter().cloned().zip(names.role_spans.iter().copied()).collect();
        }
        let made = Made { rules, names };
        RuleFiles { sources, file, outline, made: Some(made), diagnostics, ..files }
    }

    /// The names of the sheet for the parts of the rules, if the file is in the Game Description Language.
    pub fn gdl_names(&self) -> Option<&Arc<Names>> {
        self.made.as_ref()?.names.as_ref()
    }

    /// Takes the rules that another front end made of a text, if they are well-formed. Spans of the first file, if the
    /// rules have some, are places of the text.
    pub fn of_rules(path: &str, text: &str, rules: Rules) -> Result<RuleFiles, Vec<Violation>> {
        let violations = verify(&rules);
        if !violations.is_empty() {
            return Err(violations);
        }
        let files = RuleFiles::with(path, path, Content::Text(String::new()));
        let mut sources = Sources::new();
        let file = sources.add(path, text);
        Ok(RuleFiles {
            sources,
            file,
            outline: Outline::of_rules(&rules),
            made: Some(Made { rules: Some(rules), names: None }),
            diagnostics: Vec::new(),
            ..files
        })
    }

    /// Adds settings and a preset.
    pub fn with_settings(
        mut self,
        settings: &[String],
        preset: Option<&str>,
    ) -> Result<RuleFiles, LoadError> {
        let path = self.path.clone();
        self.apply_settings(&LoadRequest { path: &path, settings, preset })?;
        Ok(self)
    }

    fn with(name: &str, path: &str, content: Content) -> RuleFiles {
        let mut sources = Sources::new();
        let (file, parsed) = parse_content(&mut sources, name, content);
        RuleFiles {
            sources,
            file,
            path: path.to_string(),
            outline: Outline::of_file(&parsed.file),
            ast: parsed.file,
            made: None,
            diagnostics: parsed.diagnostics,
            flags: Vec::new(),
            limits: Limits::default(),
            settings: Vec::new(),
            preset: None,
            libraries: HashMap::new(),
            unsaved: UnsavedTexts::default(),
            reads_files: true,
            tries_fixes: true,
        }
    }

    fn apply_settings(&mut self, request: &LoadRequest<'_>) -> Result<(), LoadError> {
        if let Some(preset) = request.preset {
            let names = &self.outline.presets;
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
        if self.made.is_some() && setting.contains('=') {
            return Err(LoadError::FixedRules(self.path.clone()));
        }
        let wrong_form = |advice| LoadError::Setting { setting: setting.to_string(), advice };
        if let Some(advice) = settings::other_form(setting) {
            return Err(wrong_form(advice));
        }
        let (name, value) =
            setting.split_once('=').ok_or_else(|| wrong_form("write a setting as name=value".to_owned()))?;
        let name = name.trim();
        if let Some(path) = value.trim().strip_prefix('@') {
            return self.setting_of_file(name, path);
        }
        if let Some(advice) = settings::form_by_type(&self.ast, name, value) {
            return Err(wrong_form(advice));
        }
        let file = self.sources.add(format!("{SETTING_NAME}{name}=..."), value.trim());
        let (expr, found) = parse_expr(&self.sources, file);
        let span = Span::new(file, 0, value.trim().len());
        Ok((expr.map(|e| (Name { text: name.to_string(), span }, e)), found))
    }

    /// The setting `name=@PATH`: the content of a file as a string.
    fn setting_of_file(
        &mut self,
        name: &str,
        path: &str,
    ) -> Result<(Option<Setting>, Vec<Diagnostic>), LoadError> {
        if !self.reads_files {
            return Err(LoadError::NoFiles(name.to_string()));
        }
        let text = files::read_text(path)?;
        let file = self.sources.add(format!("{SETTING_NAME}{name}=@{path}"), text.clone());
        let span = Span::new(file, 0, text.len());
        let expr = ast::Expr::new(ast::ExprKind::Text(text), span);
        Ok((Some((Name { text: name.to_string(), span }, expr)), Vec::new()))
    }

    /// Returns the rules with further settings, `name=value` each, which take precedence over those given before;
    /// `None` if one cannot be parsed or the rules have errors with them.
    pub fn rules_with(&mut self, settings: &[String]) -> Option<Rules> {
        let before = self.settings.len();
        let read: Option<Vec<Setting>> =
            settings.iter().map(|setting| self.setting(setting).ok()?.0).collect();
        self.settings.extend(read?);
        let analysis = self.analyze(None);
        self.settings.truncate(before);
        analysis.rules
    }

    /// Adds further settings, `name=value` each, which take precedence over those given before, until
    /// [`RuleFiles::remove_settings`]. Their mistakes become diagnostics.
    pub fn add_settings(&mut self, settings: &[String]) -> Result<SettingsMark, LoadError> {
        let mark = SettingsMark { settings: self.settings.len(), diagnostics: self.diagnostics.len() };
        for setting in settings {
            match self.setting(setting) {
                Ok((read, mut found)) => {
                    self.diagnostics.append(&mut found);
                    self.settings.extend(read);
                }
                Err(why) => {
                    self.remove_settings(mark);
                    return Err(why);
                }
            }
        }
        Ok(mark)
    }

    /// Removes the settings that were added since the mark, and all later diagnostics.
    pub fn remove_settings(&mut self, mark: SettingsMark) {
        self.settings.truncate(mark.settings);
        self.diagnostics.truncate(mark.diagnostics);
    }

    /// Adds an invariant: an expression given under a name.
    pub fn add_invariant(&mut self, name: &str, words: &str) -> Result<(), WordsError> {
        if self.made.is_some() {
            return Err(WordsError::OtherLanguage);
        }
        let file = self.sources.add(name, words);
        let (value, found) = parse_expr(&self.sources, file);
        match value {
            Some(value) if found.iter().all(|d| d.severity() < Severity::Error) => {
                let span = value.span;
                let kind = ItemKind::Invariant { name: None, value };
                self.ast.items.push(Item { doc: Vec::new(), kind, span });
                Ok(())
            }
            _ => Err(WordsError::Syntax(found)),
        }
    }

    /// The game's own text; `None` if a part of the rules lies in another file, or if the text is in another language.
    pub fn complete_text(&self) -> Option<&str> {
        let complete =
            self.made.is_none() && self.outline.libraries.iter().all(|path| path.starts_with("std/"));
        complete.then(|| self.sources.get(self.file).text.as_str())
    }

    /// The syntax tree as text, for `bouton dump --stage ast`.
    pub fn dump_tree(&self) -> String {
        dump(&self.ast)
    }

    /// The rules with the parameters `free` symbolic; the others have their values from `rules`.
    pub fn schema(&self, rules: &Rules, free: &[String]) -> Result<ParametricRules, Refusal> {
        if self.made.is_some() {
            return Err("the rules have fixed parameters".into());
        }
        schema::read(&self.ast, rules, free)
    }

    /// The distance that moves look in rows of every length, as [`uniform_rows::window`] finds it.
    pub fn window(&self, length: &str, values: &[(String, i64)]) -> Result<u32, UniformityError> {
        if self.made.is_some() {
            return Err(UniformityError::NotARow { length: length.to_owned() });
        }
        uniform_rows::window(&self.ast, length, values)
    }

    /// Returns true if parsing found errors.
    pub fn has_parse_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity() == Severity::Error)
    }

    /// Analyses the source with its settings and the claims of a group.
    pub fn analyze(&mut self, group: Option<usize>) -> Analysis {
        self.analyze_with(self.preset.clone(), group, Vec::new())
    }

    /// Same as [`RuleFiles::analyze`] without claims, for a preset in place of the requested one.
    pub fn analyze_preset(&mut self, preset: String) -> Analysis {
        self.analyze_with(Some(preset), None, Vec::new())
    }

    /// Analyses the source with its settings and the effects of a position, which are given under a name.
    pub fn analyze_position(&mut self, name: &str, words: &str) -> Result<Analysis, WordsError> {
        if self.made.is_some() {
            return Err(WordsError::OtherLanguage);
        }
        let file = self.sources.add(name, words);
        let (effects, found) = parse_effects(&self.sources, file);
        if found.iter().any(|d| d.severity() == Severity::Error) {
            return Err(WordsError::Syntax(found));
        }
        Ok(self.analyze_with(self.preset.clone(), None, effects))
    }

    fn analyze_with(
        &mut self,
        preset: Option<String>,
        group: Option<usize>,
        position: Vec<ast::Effect>,
    ) -> Analysis {
        if let Some(made) = &self.made {
            let mut rules = made.rules.clone();
            if let Some(rules) = rules.as_mut().filter(|_| group.is_none()) {
                rules.expectations.clear();
                rules.tests.clear();
            }
            return Analysis { rules, ..Analysis::default() };
        }
        let damaged = self.has_parse_errors();
        let options = AnalysisOptions { settings: self.settings.clone(), preset, group, position, damaged };
        let folder = Path::new(&self.path).parent().map(Path::to_path_buf).unwrap_or_default();
        let mut library = LibraryLoader {
            folder,
            sources: &mut self.sources,
            known: &mut self.libraries,
            diagnostics: &mut self.diagnostics,
            unsaved: &self.unsaved,
            reads_files: self.reads_files,
        };
        let analyze = || analysis::analyze(&self.ast, &mut library, &options);
        let mut analysis = cancel::run_within(&self.limits, analyze).unwrap_or_else(Analysis::stopped);
        // A parameter without a value makes errors in the file, which is not at fault.
        let is_wrong = |found: &Diagnostic| {
            found.severity() == Severity::Error && is_about_setting(&self.sources, found)
        };
        if analysis.diagnostics.iter().chain(&self.diagnostics).any(is_wrong) {
            analysis.diagnostics.retain(|found| is_about_setting(&self.sources, found));
        }
        self.drop_errors_of_guesses(&mut analysis.diagnostics);
        if self.tries_fixes {
            let mut of_files = std::mem::take(&mut self.diagnostics);
            let mut all: Vec<&mut Diagnostic> =
                of_files.iter_mut().chain(&mut analysis.diagnostics).collect();
            self.withdraw_unsound_fixes(&mut all);
            self.diagnostics = of_files;
        }
        analysis
    }

    /// Drops the errors of items with a mistake of the syntax that only the writer can correct: the terms there are
    /// guesses of the repair.
    fn drop_errors_of_guesses(&self, found: &mut Vec<Diagnostic>) {
        let is_open = |of: &&Diagnostic| of.severity() == Severity::Error && of.edits.is_empty();
        let open = self.diagnostics.iter().filter(is_open).map(Diagnostic::span);
        let around = |span: Span| self.ast.items.iter().map(|item| item.span).find(|item| item.covers(span));
        let guessed: Vec<Span> = open.filter_map(around).collect();
        found.retain(|found| {
            found.severity() != Severity::Error || !guessed.iter().any(|item| item.covers(found.span()))
        });
    }

    /// Tries the fixes that these diagnostics of the game's file suggest, and withdraws those that only make another
    /// mistake.
    pub fn withdraw_unsound_fixes(&self, diagnostics: &mut [&mut Diagnostic]) {
        let text = self.sources.get(self.file).text.to_string();
        let (path, unsaved, limits) = (self.path.clone(), self.unsaved.clone(), self.limits.clone());
        let reads_files = self.reads_files;
        let findings = |text: &str| {
            let files = RuleFiles::with(&path, &path, Content::Text(text.to_owned()));
            let (unsaved, limits) = (unsaved.clone(), limits.clone());
            let mut trial = RuleFiles { tries_fixes: false, reads_files, unsaved, limits, ..files };
            let mut found = trial.analyze(None).diagnostics;
            found.append(&mut trial.diagnostics);
            (found, trial.file)
        };
        fixes::withdraw_unsound(&text, self.file, diagnostics, findings);
    }
}

/// Returns true if the name of a file says that it has rules: a text or a sheet.
pub fn is_rule_file(path: &str) -> bool {
    path.ends_with(".bou") || is_sheet(path)
}

/// Returns true if a path is that of a sheet in the Game Description Language: it ends in `.kif` or `.gdl`.
pub fn is_sheet(path: &str) -> bool {
    let is_ending =
        |ending: &std::ffi::OsStr| ["kif", "gdl"].iter().any(|of| ending.eq_ignore_ascii_case(of));
    Path::new(path).extension().is_some_and(is_ending)
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
            let encoding = guess_encoding(&sources.get(file).text);
            let label = "this byte is invalid in UTF-8";
            let found = Diagnostic::new(Code::E0012, encoding.title(), span, label).help(encoding.help());
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
    unsaved: &'a UnsavedTexts,
    reads_files: bool,
}

impl LibraryLoader<'_> {
    fn keep(&mut self, path: &str, name: &str, content: Content) -> ast::File {
        let (_, parsed) = parse_content(self.sources, name, content);
        self.diagnostics.extend(parsed.diagnostics);
        self.known.insert(path.to_string(), Some(parsed.file.clone()));
        parsed.file
    }
}

impl analysis::Library for LibraryLoader<'_> {
    fn load(&mut self, path: &str) -> Option<ast::File> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        if !self.reads_files {
            return None;
        }
        let with_ending = |p: PathBuf| if p.extension().is_some() { p } else { p.with_extension("bou") };
        let full = with_ending(self.folder.join(path));
        let name = full.display().to_string();
        let unsaved = self.unsaved.get(&without_dots(&full)).cloned().map(Content::Text);
        // The analyser reports a missing library, at the `use` that names it.
        let Ok(content) = unsaved.map_or_else(|| files::read(&name), Ok) else {
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

/// The path without `.` and `..`, resolved by its words alone.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if result.file_name().is_some() => {
                result.pop();
            }
            _ => result.push(component),
        }
    }
    result
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
