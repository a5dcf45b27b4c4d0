//! Work on threads of its own, whose results return through a channel.

use std::thread;
use std::time::{Duration, Instant};

use bouton_base::limits::{CancelToken, LimitHit, Limits, NoProgress};
use bouton_driver::check::{self, CheckOptions};
use bouton_driver::load::GameSource;
use bouton_project::RuleFiles;
use bouton_syntax::diag::Diagnostic;
use crossbeam_channel::Sender;
use lsp_server::{RequestId, Response};
use lsp_types::MessageType;

/// The stack of a thread that analyses or solves: rules may be deeply nested. Only the used part takes memory.
const STACK_BYTES: usize = 512 << 20;
/// The time between two looks at the cancel token before an exploration begins.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The maximal number of bytes that an exploration may hold.
const EXPLORATION_BYTES: u64 = 1 << 30;

/// A result of work that ran behind.
pub(crate) enum TaskResult {
    /// The diagnostics of a text and of its positions.
    Explored {
        uri: String,
        /// The version of the text.
        version: i32,
        /// The token that cancelled the exploration if the text or a library of it changed meanwhile.
        cancel: CancelToken,
        /// The files that the spans of the diagnostics refer to.
        files: Box<RuleFiles>,
        diagnostics: Vec<Diagnostic>,
    },
    /// The answer to a command.
    Commanded {
        id: RequestId,
        response: Response,
        /// The message to show to the user.
        message: Option<(MessageType, String)>,
    },
}

/// Runs work on a thread with a deep stack; without such a thread, the work is not done.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    thread::Builder::new().name("behind".into()).stack_size(STACK_BYTES).spawn(work).is_ok()
}

/// The positions of a document to explore.
pub(crate) struct Exploration {
    pub uri: String,
    pub version: i32,
    pub files: RuleFiles,
    /// The maximal number of positions.
    pub positions: u64,
    /// The time before it begins, so that typing does not start one exploration a key.
    pub delay: Duration,
    pub cancel: CancelToken,
    pub results: Sender<TaskResult>,
}

/// Checks a text with its positions on a thread of its own; a cancelled exploration has no result.
pub(crate) fn explore(work: Exploration) {
    spawn(move || {
        let begin = Instant::now() + work.delay;
        while Instant::now() < begin && !work.cancel.is_cancelled() {
            thread::sleep(POLL_INTERVAL.min(work.delay));
        }
        if work.cancel.is_cancelled() {
            return;
        }
        let limits = Limits {
            deadline: Some(Instant::now() + check::DEFAULT_TIME),
            memory_bytes: Some(EXPLORATION_BYTES),
            cancel: work.cancel.clone(),
            ..Limits::default()
        };
        let mut source = GameSource::from(work.files);
        source.limits = limits.clone();
        let options = CheckOptions { explore: work.positions, limits: &limits, progress: &NoProgress };
        let report = check::check(&mut source, &options);
        if report.limit == Some(LimitHit::Interrupted) || report.unread {
            return;
        }
        let mut files = RuleFiles::from(source);
        files.limits = Limits::default();
        let diagnostics = report.diagnostics;
        let Exploration { uri, version, cancel, results, .. } = work;
        // The session may be over.
        let files = Box::new(files);
        let _ = results.send(TaskResult::Explored { uri, version, cancel, files, diagnostics });
    });
}
