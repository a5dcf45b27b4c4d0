//! Loads games: rule files with the options of their compilation.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use super::budget::Budget;
use super::files::FileError;
use bouton_base::clock::Instant;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Span;
use bouton_project::{Analysis, RuleFiles, WordsError};
pub use bouton_project::{LoadError, LoadRequest, shell_quote};
use bouton_rules::{Rules, Violation};
use bouton_search::game::{Backend, CompiledGames, Game};
use bouton_syntax::diag::{self, Diagnostic, Severity};

/// Compiling the rules may take one part in this number of the time, if there is a time limit.
const COMPILE_TIME_DIVISOR: u32 = 2;

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

impl From<WordsError> for DriverError {
    fn from(why: WordsError) -> DriverError {
        match why {
            WordsError::Syntax(found) => DriverError::Errors(found),
            WordsError::OtherLanguage => DriverError::Usage(
                "the rules are not in the language of `.bou` files: it has no names for them".into(),
            ),
        }
    }
}

/// The back end that a game runs on.
#[derive(Clone, Debug)]
pub struct RunsOn {
    /// The back end, and the reason why it is not the requested one, in a sentence without its full stop.
    pub sentence: String,
    /// True if it is not the requested one, but a slower one.
    pub is_slow: bool,
}

/// The source of a game: its files, with the options of compilation.
pub struct GameSource {
    files: RuleFiles,
    /// The back end of its game.
    pub backend: Backend,
    /// The passes of the optimiser to skip.
    pub skipped_passes: Vec<String>,
    /// The games that are compiled.
    pub compiled_games: CompiledGames,
    /// The duration of the last compilation, from the rules to the machine that runs them.
    pub compile_time: Cell<Duration>,
}

impl From<RuleFiles> for GameSource {
    fn from(files: RuleFiles) -> GameSource {
        GameSource {
            files,
            backend: Backend::default(),
            skipped_passes: Vec::new(),
            compiled_games: CompiledGames::Large,
            compile_time: Cell::default(),
        }
    }
}

impl From<GameSource> for RuleFiles {
    fn from(source: GameSource) -> RuleFiles {
        source.files
    }
}

impl Deref for GameSource {
    type Target = RuleFiles;

    fn deref(&self) -> &RuleFiles {
        &self.files
    }
}

impl DerefMut for GameSource {
    fn deref_mut(&mut self) -> &mut RuleFiles {
        &mut self.files
    }
}

impl GameSource {
    /// Reads and parses a file and the settings, as [`RuleFiles::read`] does.
    pub fn read(request: &LoadRequest<'_>) -> Result<GameSource, LoadError> {
        RuleFiles::read(request).map(GameSource::from)
    }

    /// Same as [`GameSource::read`] within limits, which also apply to the analysis.
    pub fn read_within(
        request: &LoadRequest<'_>,
        limits: &Limits,
    ) -> Result<Result<GameSource, LoadError>, LimitHit> {
        Ok(RuleFiles::read_within(request, limits)?.map(GameSource::from))
    }

    /// Parses a string under a name, without settings.
    pub fn from_string(name: &str, text: &str) -> GameSource {
        RuleFiles::from_string(name, text).into()
    }

    /// Takes rules that another front end made, as [`RuleFiles::of_rules`] does.
    pub fn of_rules(path: &str, text: &str, rules: Rules) -> Result<GameSource, Vec<Violation>> {
        RuleFiles::of_rules(path, text, rules).map(GameSource::from)
    }

    /// Adds settings and a preset.
    pub fn with_settings(self, settings: &[String], preset: Option<&str>) -> Result<GameSource, LoadError> {
        let files = self.files.with_settings(settings, preset)?;
        Ok(GameSource { files, ..self })
    }

    /// Returns the game with further settings, `name=value` each, which take precedence over those given before.
    pub fn game_with(&mut self, settings: &[String]) -> Result<Game, DriverError> {
        let mark = self.files.add_settings(settings)?;
        let game = self.game(None);
        self.files.remove_settings(mark);
        game
    }

    /// Sets the back end of the budget for games compiled from now on, and the limits of an answer that begins now;
    /// `default` applies if the budget has no time limit.
    pub fn set_backend(&mut self, budget: &Budget, default: Option<Duration>) {
        self.backend = budget.backend;
        self.limits = budget.limits(default);
    }

    /// The words of a place of the text, on one line.
    pub fn words(&self, span: Span) -> String {
        self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Adds an invariant, which is an expression given with a flag. Compilation from now on skips the passes that
    /// assume facts about reachable positions.
    pub fn add_invariant(&mut self, flag: &str, words: &str) -> Result<(), DriverError> {
        self.files.add_invariant(flag, words)?;
        self.compiled_games = CompiledGames::All;
        self.skipped_passes.extend(["constant_propagation".to_owned(), "dead_terminals".to_owned()]);
        Ok(())
    }

    /// The back end that a game runs on, and the reason why that is not the requested one.
    pub fn runs_on(&self, game: &Game) -> RunsOn {
        let on = format!("{} runs on {}", game.rules.name, game.backend());
        let Some(fallback) = game.fallback() else { return RunsOn { sentence: on, is_slow: false } };
        let place = fallback.span.and_then(|span| self.sources.location(span));
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        let (name, backend, reason) = (&game.rules.name, game.backend(), &fallback.reason);
        let sentence =
            format!("{name} runs slowly, on {backend}, for lack of a faster form: {reason}{place}");
        RunsOn { sentence, is_slow: true }
    }

    /// Compiles the game with its settings and the claims of a group.
    pub fn game(&mut self, group: Option<usize>) -> Result<Game, DriverError> {
        let analysis = self.analyze(group);
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
                // Where compiling takes longer, the definition has the rest of the time.
                let share = self.limits.with_time_share(COMPILE_TIME_DIVISOR);
                let game =
                    Game::compiled_if(rules, self.backend, &self.skipped_passes, &share, self.compiled_games);
                self.compile_time.set(clock.elapsed());
                Ok(game)
            }
            _ => Err(DriverError::Errors(errors)),
        }
    }
}
