//! Long work for Python: without the GIL, and cancelled by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use bouton::{CancelToken, Error, Limits};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// The time between two looks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// Runs work on a thread of its own and waits for it without the GIL. An exception of a signal handler, such as
/// `KeyboardInterrupt`, cancels the work and is raised once it has stopped.
pub fn run<T: Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let done = py.detach(|| {
        thread::scope(|scope| {
            let (finished, wait) = channel();
            let work = move || {
                let done = work();
                // The receiver lives until this thread is joined.
                let _ = finished.send(());
                done
            };
            let thread = thread::Builder::new().spawn_scoped(scope, work);
            let thread = thread.map_err(|why| PyOSError::new_err(why.to_string()))?;
            let mut signal = None;
            // A panic of the work disconnects the channel.
            while wait.recv_timeout(SIGNAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let (None, Err(raised)) = (&signal, Python::attach(|py| py.check_signals())) {
                    cancel.cancel();
                    signal = Some(raised);
                }
            }
            let done = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            signal.map_or(Ok(done), Err)
        })
    });
    done?.or_raise(py)
}

/// The limits of a piece of work: seconds, bytes, positions.
pub fn limits(time: Option<f64>, memory: Option<u64>, positions: Option<u64>) -> PyResult<Limits> {
    let seconds = |seconds: f64| {
        let wrong = |_| PyValueError::new_err(format!("`time` is a number of seconds, not {seconds}"));
        // Infinity is no limit.
        Some(seconds)
            .filter(|s| *s != f64::INFINITY)
            .map(Duration::try_from_secs_f64)
            .transpose()
            .map_err(wrong)
    };
    let time = time.map(seconds).transpose()?.flatten();
    Ok(Limits { time, memory, positions, cancel: CancelToken::default() })
}
