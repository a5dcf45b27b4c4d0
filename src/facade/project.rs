//! Rules with the settings of their parameters.

use std::fmt::{self, Debug, Display, Formatter};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use bouton_base::limits::LimitHit;
use bouton_driver::load::GameSource;
use bouton_project::{LoadRequest, RuleFiles};
use bouton_search::game::Backend;
use bouton_verify::{RulesRequest, RulesSource};

use crate::certificate::{self, Certificate, Verdict};
use crate::{Error, Game, Limits};

/// The rules of a game in a file or a text, with the settings of their parameters.
///
/// ```
/// use bouton::Project;
///
/// let project = Project::open("games/subtraction.bou")?;
/// for n in 1..=4 {
///     let game = project.clone().set("n", n).load()?;
///     assert_eq!(game.params()[0], ("n".to_owned(), n.to_string()));
/// }
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone)]
pub struct Project {
    files: RuleFiles,
    settings: Vec<String>,
    preset: Option<String>,
    limits: Limits,
}

impl Project {
    /// Reads a file, or standard input for `-`. Mistakes in the rules are reported by [`load`](Project::load).
    ///
    /// ```
    /// let error = bouton::Project::open("games/checkers.bou").unwrap_err();
    /// assert_eq!(error.to_string(), "games/checkers.bou cannot be read: there is no such file or folder");
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Project, Error> {
        let path = path.as_ref().to_string_lossy();
        let request = LoadRequest { path: &path, settings: &[], preset: None };
        Ok(Project::new(with_deep_stack(|| RuleFiles::read(&request))??))
    }

    /// Takes rules from a text; diagnostics call it by `name`, and libraries are searched in the folder of `name`.
    ///
    /// ```
    /// let rules = "game \"One\"; players A, B; state { left: 0..1 = 1; } \
    ///              move take() as \"take\" { when left = 1; left := 0; } play normal;";
    /// let solution = bouton::Project::from_text("one.bou", rules).load()?.solve(&Default::default())?;
    /// assert_eq!(solution.to_string(), "One: the first player, A, wins in 1 ply.");
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn from_text(name: &str, text: &str) -> Project {
        let parse = || RuleFiles::from_string(name, text);
        Project::new(with_deep_stack(parse).unwrap_or_else(|_| parse()))
    }

    /// Reads no file from now on, for rules of strangers: libraries in files are missing, and settings that name files
    /// are refused.
    ///
    /// ```
    /// let project = bouton::Project::from_text("x.bou", "use \"/etc/hostname\"; game \"X\";").without_files();
    /// assert!(project.set("n", "@/etc/hostname").load().is_err());
    /// ```
    #[must_use]
    pub fn without_files(self) -> Project {
        Project { files: self.files.without_files(), ..self }
    }

    fn new(files: RuleFiles) -> Project {
        Project { files, settings: Vec::new(), preset: None, limits: Limits::default() }
    }

    /// Sets a parameter, in the syntax of the language: `5`, `true`, `[3, 4, 5]`. A later setting replaces an earlier
    /// one.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Display) -> Project {
        self.settings.push(format!("{name}={value}"));
        self
    }

    /// Selects a preset of the file.
    #[must_use]
    pub fn preset(mut self, name: &str) -> Project {
        self.preset = Some(name.to_owned());
        self
    }

    /// Limits the time of [`load`](Project::load) and of [`verify`](Project::verify).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Project {
        self.limits = limits;
        self
    }

    /// Analyses the rules with these settings and compiles them to machine code. Rules that have no machine code run
    /// on the interpreter, with the same results.
    ///
    /// ```
    /// let game = bouton::Project::open("games/hex.bou")?.set("n", 3).load()?;
    /// assert_eq!((game.name(), game.players()), ("Hex", &["Red".to_owned(), "Blue".to_owned()][..]));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn load(&self) -> Result<Game, Error> {
        let limits = self.limits.begin();
        with_deep_stack(|| {
            let mut source = self.source()?;
            source.backend = Backend::Jit;
            source.limits = limits.clone();
            let game = source.game(None).map_err(|why| Error::of_driver(why, &source.sources, &limits))?;
            // A limit during compilation leaves a game without machine code.
            limits.check().map_or_else(|| Ok(Game::new(source, game)), |hit| Err(Error::of_limit(hit)))
        })?
    }

    /// The files with these settings.
    pub(crate) fn source(&self) -> Result<GameSource, Error> {
        let source = GameSource::from(self.files.clone());
        Ok(source.with_settings(&self.settings, self.preset.as_deref())?)
    }

    pub(crate) fn own_limits(&self) -> &Limits {
        &self.limits
    }

    /// Checks a certificate against these rules, as [`verify`](crate::verify) does against its own copy. Settings
    /// replace the parameters that the certificate names.
    pub fn verify(&self, certificate: &Certificate) -> Result<Verdict, Error> {
        let request = RulesRequest {
            source: RulesSource::Files(&self.files),
            settings: &self.settings,
            preset: self.preset.as_deref(),
        };
        certificate::check(certificate, &request, &self.files.path, &self.limits)
    }
}

impl Debug for Project {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Project { files, settings, preset, .. } = self;
        let mut shown = f.debug_struct("Project");
        shown.field("path", &files.path).field("settings", settings).field("preset", preset).finish()
    }
}

/// The stack of threads that analyse, solve or verify: rules may be deeply nested. Only the used part takes memory.
pub(crate) const STACK_BYTES: usize = 512 << 20;

/// Runs work on a thread whose stack suffices for deeply nested rules. If the system gives no thread, this counts as a
/// lack of memory; machines without threads run it on this one.
pub(crate) fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    if cfg!(target_family = "wasm") {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(|_| Error::of_limit(LimitHit::Memory))?;
        thread.join().map_err(|panic| resume_unwind(panic))
    })
}
