//! Limits of long work, its cancellation, and reports of its progress.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bouton_base::clock::Instant;
use bouton_base::limits;
use bouton_driver::budget::half_of_memory;

/// The limits of a piece of work; each call that takes them starts its own clock.
///
/// ```
/// use std::time::Duration;
///
/// let limits = bouton::Limits { time: Some(Duration::from_secs(5)), ..Default::default() };
/// let game = bouton::Project::open("games/nim.bou")?.limits(limits).load()?;
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time that the work may take; `None` for no limit.
    pub time: Option<Duration>,
    /// The bytes that a search may hold; `None` for half of the machine's memory.
    pub memory: Option<u64>,
    /// The positions that a search may visit. Unlike a time, it ends the work at the same place on every machine.
    pub positions: Option<u64>,
    /// The token that cancels the work.
    pub cancel: CancelToken,
}

impl Limits {
    /// The limits of work that begins now.
    pub(crate) fn begin(&self) -> limits::Limits {
        limits::Limits {
            // A deadline that the clock cannot represent is as good as none.
            deadline: self.time.and_then(|time| Instant::now().checked_add(time)),
            memory_bytes: self.memory.or_else(half_of_memory),
            positions: self.positions,
            cancel: self.token(),
        }
    }

    pub(crate) fn token(&self) -> limits::CancelToken {
        self.cancel.0.clone()
    }
}

/// A token that cancels work on other threads; all clones are one token.
///
/// ```
/// use bouton::{CancelToken, Error, Limit, Limits, Project};
///
/// let cancel = CancelToken::default();
/// let project = Project::open("games/nim.bou")?.limits(Limits { cancel: cancel.clone(), ..Limits::default() });
/// cancel.cancel();
/// assert!(matches!(project.load(), Err(Error::Limit { limit: Limit::Cancelled, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken(pub(crate) limits::CancelToken);

impl CancelToken {
    /// Cancels the work; there is no way back.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns true if the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// The progress of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// The phase, such as `labelling positions`; empty before the first one.
    pub phase: String,
    /// The positions searched so far.
    pub positions: u64,
    /// The bytes in use.
    pub memory: u64,
}

/// A function that is called with the progress of a search now and then, from any thread.
type ProgressFn = Arc<dyn Fn(&Progress) + Send + Sync>;

/// A listener that calls a function with the progress so far.
pub(crate) struct ProgressListener {
    report: ProgressFn,
    now: Mutex<Progress>,
}

impl ProgressListener {
    pub(crate) fn new(report: ProgressFn) -> ProgressListener {
        ProgressListener { report, now: Mutex::default() }
    }

    /// Changes the progress and reports it. The lock is free again when the function is called.
    fn update(&self, change: impl FnOnce(&mut Progress)) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut now);
        let now = now.clone();
        (self.report)(&now);
    }
}

impl limits::Progress for ProgressListener {
    fn phase(&self, name: &str) {
        self.update(|now| now.phase = name.to_owned());
    }

    fn positions(&self, positions: u64, held_bytes: u64) {
        self.update(|now| (now.positions, now.memory) = (positions, held_bytes));
    }
}
