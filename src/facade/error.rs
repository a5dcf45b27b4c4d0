//! Errors, with the diagnostics of rules as data and as text.

use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Sources;
use bouton_driver::load::DriverError;
use bouton_project::LoadError;
use bouton_project::files::FileError;
use bouton_search::game::names::NameError;
use bouton_syntax::diag::{self, Place};
use serde::Serialize;

/// The error of every function of this crate.
///
/// It is displayed as the command `bouton` prints it, without colour.
///
/// ```
/// use bouton::{Error, Project};
///
/// let error = Project::from_text("x.bou", "game \"X\"; players A, B; move m() { when q; } play normal;").load();
/// let Err(Error::Rules(found)) = error else { panic!("`q` is unknown") };
/// assert_eq!((found[0].code.as_str(), found[0].line, found[0].column), ("E0101", Some(1), Some(41)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(Box<dyn std::error::Error + Send + Sync>),
    /// The request cannot be fulfilled as given, such as an unknown preset or method: a sentence.
    #[error("{0}")]
    Usage(String),
    /// The rules, or the settings of their parameters, have errors.
    #[error("{}", rendered(.0))]
    Rules(Vec<Diagnostic>),
    /// The rules have no meaning in a position that was reached.
    #[error("{}", .0.rendered)]
    Fault(Box<Diagnostic>),
    /// A text names no legal move, or more than one.
    #[error("{message}")]
    IllegalMove {
        message: String,
        /// The nearest names of legal moves, or the names that it may mean.
        suggestions: Vec<String>,
    },
    /// A limit was reached before there was an answer.
    #[error("{message}")]
    Limit { limit: Limit, message: String },
    /// No method that applies gives the requested answer: the reason, in one sentence.
    #[error("{0}")]
    NotSolved(String),
}

/// A limit that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Limit {
    Time,
    Memory,
    Positions,
    /// A [`CancelToken`](crate::CancelToken) was cancelled.
    Cancelled,
}

/// A diagnostic of rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code, such as `E0101`; `bouton explain CODE` explains it.
    pub code: String,
    /// The fact, in one sentence.
    pub message: String,
    /// The file, the library, or the setting that has the mistake; `None` for a mistake without a place.
    pub file: Option<String>,
    /// The line of the mistake, from 1.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// The suggested correction.
    pub help: Option<String>,
    /// The diagnostic with the source under it, as the command prints it, without colour.
    pub rendered: String,
}

impl Error {
    /// Returns the diagnostics of errors of the rules; empty for other errors.
    ///
    /// ```
    /// let error = bouton::Project::open("games/nim.bou")?.set("heapz", "[1, 2]").load().unwrap_err();
    /// let [found] = error.diagnostics() else { panic!("{error}") };
    /// assert_eq!(found.message, "there is no parameter `heapz`");
    /// assert_eq!(found.help.as_deref(), Some("did you mean `heaps`?"));
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Error::Rules(found) => found,
            Error::Fault(found) => std::slice::from_ref(found),
            _ => &[],
        }
    }

    /// An error of the driver within these limits; diagnostics are rendered with these sources.
    pub(crate) fn of_driver(why: DriverError, sources: &Sources, limits: &Limits) -> Error {
        match why {
            DriverError::Usage(why) => Error::Usage(why),
            DriverError::Errors(found) => Error::of_rules(&found, sources),
            DriverError::RulesFault(found) => Error::of_fault(&found, sources),
            DriverError::Limit(message) => {
                Error::Limit { limit: limits.check().unwrap_or(LimitHit::Memory).into(), message }
            }
        }
    }

    pub(crate) fn of_rules(found: &[diag::Diagnostic], sources: &Sources) -> Error {
        Error::Rules(found.iter().map(|found| Diagnostic::new(found, sources)).collect())
    }

    pub(crate) fn of_fault(found: &diag::Diagnostic, sources: &Sources) -> Error {
        Error::Fault(Box::new(Diagnostic::new(found, sources)))
    }

    /// An error of a name of a move that is neither a fault nor a limit.
    pub(crate) fn of_name(why: NameError) -> Error {
        let message = why.to_string();
        let suggestions = match why {
            NameError::Unknown { nearest, .. } => nearest,
            NameError::Ambiguous { among, .. } => among,
            _ => Vec::new(),
        };
        Error::IllegalMove { message, suggestions }
    }

    pub(crate) fn of_limit(hit: LimitHit) -> Error {
        Error::Limit { limit: hit.into(), message: hit.to_string() }
    }
}

fn rendered(found: &[Diagnostic]) -> String {
    found.iter().map(|found| found.rendered.as_str()).collect::<Vec<_>>().join("\n")
}

impl From<FileError> for Error {
    fn from(why: FileError) -> Error {
        Error::File(Box::new(why))
    }
}

impl From<LoadError> for Error {
    fn from(why: LoadError) -> Error {
        match why {
            LoadError::File(why) => why.into(),
            other => Error::Usage(other.to_string()),
        }
    }
}

impl From<LimitHit> for Limit {
    fn from(hit: LimitHit) -> Limit {
        match hit {
            LimitHit::Time => Limit::Time,
            LimitHit::Memory => Limit::Memory,
            LimitHit::Positions => Limit::Positions,
            LimitHit::Interrupted => Limit::Cancelled,
        }
    }
}

impl Diagnostic {
    fn new(found: &diag::Diagnostic, sources: &Sources) -> Diagnostic {
        let place = Place::of(sources, found.span());
        let place = place.as_ref();
        Diagnostic {
            code: found.code.name().into(),
            message: found.title.clone(),
            file: place.map(|place| place.file.to_owned()),
            line: place.map(|place| place.start.line),
            column: place.map(|place| place.start.column),
            help: found.help.clone(),
            rendered: diag::render(sources, found, false),
        }
    }
}
