//! Limits of long work (time, memory, positions, cancellation), and reports of its progress.
//!
//! *Invariant:* the owners of memory count it themselves and never query the system: the same work with the same limit
//! ends at the same place on every machine.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::clock::Instant;

/// A cancel token. Any thread may set it: the handler of Ctrl-C, or a caller that no longer needs the result.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Requests cancellation.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag that machine code polls.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// The limits of a piece of work. By default there are none.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time when the work must end.
    pub deadline: Option<Instant>,
    /// The maximal number of bytes that it may hold. Reading, analysis and compilation are held to it only in programs
    /// that install [`CountingAllocator`](crate::heap::CountingAllocator).
    pub memory_bytes: Option<u64>,
    /// The maximal number of positions that it may search.
    pub positions: Option<u64>,
    /// The cancel token.
    pub cancel: CancelToken,
}

/// The limit that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitHit {
    /// The deadline has passed.
    Time,
    /// The work holds all the bytes that it may, or its next step would need more.
    Memory,
    /// The maximal number of positions was searched.
    Positions,
    /// Cancellation was requested.
    Interrupted,
}

impl std::fmt::Display for LimitHit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LimitHit::Time => "the time limit was reached",
            LimitHit::Memory => "the memory limit was reached",
            LimitHit::Positions => "the limit of positions was reached",
            LimitHit::Interrupted => "it was interrupted",
        })
    }
}

impl Limits {
    /// Returns the limit that was reached if the work was cancelled or its deadline has passed.
    pub fn check(&self) -> Option<LimitHit> {
        if self.cancel.is_cancelled() {
            return Some(LimitHit::Interrupted);
        }
        self.deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| LimitHit::Time)
    }

    /// The same limits with one `parts`-th of the remaining time.
    pub fn with_time_share(&self, parts: u32) -> Limits {
        let now = Instant::now();
        let deadline = self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts);
        Limits { deadline, ..self.clone() }
    }

    /// The same limits without one `parts`-th of the remaining time, which is left to other work.
    pub fn without_time_share(&self, parts: u32) -> Limits {
        let now = Instant::now();
        let left = |deadline: Instant| deadline.saturating_duration_since(now) / parts;
        let deadline = self.deadline.map(|deadline| deadline.checked_sub(left(deadline)).unwrap_or(deadline));
        Limits { deadline, ..self.clone() }
    }

    /// Runs `work` under a watchdog thread that sets the cancel token at the deadline, for code that cannot read the
    /// clock, such as machine code.
    pub fn run_with_watchdog<T>(&self, work: impl FnOnce(&CancelToken) -> T) -> T {
        if self.deadline.is_none() {
            return work(&self.cancel);
        }
        let stop = CancelToken::default();
        thread::scope(|scope| {
            let (working, over) = mpsc::channel::<()>();
            let own = stop.clone();
            let watch = move || {
                while over.recv_timeout(WATCH_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    if self.check().is_some() {
                        return own.cancel();
                    }
                }
            };
            // The scope joins the thread. If the system gives none, the work still notices an interruption.
            let result = match thread::Builder::new().spawn_scoped(scope, watch) {
                Ok(_) => work(&stop),
                Err(_) => work(&self.cancel),
            };
            drop(working);
            result
        })
    }

    /// Does [`check`](Self::check), then compares `bytes` with the memory limit.
    pub fn check_held(&self, bytes: u64) -> Option<LimitHit> {
        self.check().or_else(|| self.memory_bytes.filter(|&limit| bytes > limit).map(|_| LimitHit::Memory))
    }
}

/// The time between two checks of the limits by the watchdog thread.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);

/// The number of steps between two checks of the clock by [`Fuel`].
const POLL_INTERVAL: u64 = 256;

thread_local! {
    /// The steps of this thread since its last check of a clock, summed over all [`Fuel`] values: work may consist
    /// of many short pieces, and a counter shared by threads would cost more than the steps.
    static STEPS_SINCE_POLL: Cell<u64> = const { Cell::new(0) };
}

/// The fuel of an evaluation. The evaluation spends it at each step of its loops; a step costs next to nothing, since
/// few steps check the clock. Fuel that is exhausted stays exhausted, and values evaluated since then have no meaning.
#[derive(Debug, Default)]
pub struct Fuel {
    limits: Limits,
    /// The remaining steps; `None` if they are unlimited.
    left: Option<AtomicU64>,
    exhausted: AtomicBool,
}

impl Fuel {
    /// Fuel that lasts until one of these limits is reached.
    pub fn within(limits: &Limits) -> Fuel {
        Fuel { limits: limits.clone(), ..Fuel::default() }
    }

    /// Fuel for `steps` steps: it ends at the same place on every machine.
    pub fn with_steps(steps: u64) -> Fuel {
        Fuel { left: Some(AtomicU64::new(steps)), ..Fuel::default() }
    }

    /// Spends `steps` steps and returns true if the fuel is exhausted.
    #[inline]
    pub fn spend(&self, steps: u64) -> bool {
        if self.is_exhausted() {
            return true;
        }
        if self.left.is_some() {
            return self.spend_counted(steps);
        }
        let since = STEPS_SINCE_POLL.get().saturating_add(steps);
        if since < POLL_INTERVAL {
            STEPS_SINCE_POLL.set(since);
            return false;
        }
        self.poll()
    }

    fn spend_counted(&self, steps: u64) -> bool {
        super::cancel::step();
        let Some(left) = &self.left else { return false };
        let now = left.load(Ordering::Relaxed);
        left.store(now.saturating_sub(steps), Ordering::Relaxed);
        if now < steps {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        now < steps
    }

    #[cold]
    fn poll(&self) -> bool {
        STEPS_SINCE_POLL.set(0);
        if self.limits.check().is_some() {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        self.is_exhausted()
    }

    /// Returns true if the fuel is exhausted.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    /// The remaining steps; `None` if they are unlimited.
    pub fn left(&self) -> Option<u64> {
        self.left.as_ref().map(|left| left.load(Ordering::Relaxed))
    }

    /// The limit that exhausted the fuel; a number of steps counts as time.
    pub fn hit(&self) -> Option<LimitHit> {
        // A deadline that has passed stays passed, and a cancel token is never reset.
        self.is_exhausted().then(|| self.limits.check().unwrap_or(LimitHit::Time))
    }
}

/// A listener for the progress of work. It has a clock, so it computes rates itself.
pub trait Progress: Send + Sync {
    /// Reports that a phase of the work begins.
    fn phase(&self, _name: &str) {}
    /// Reports the number of positions searched so far and of bytes held now.
    fn positions(&self, _positions: u64, _held_bytes: u64) {}
}

/// A listener that ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}

/// The number of bytes that a vector holds once it has room for `extra` more entries; vectors double.
pub fn bytes_after_growth<T>(vec: &Vec<T>, extra: usize) -> u64 {
    let entries = if vec.len() + extra <= vec.capacity() {
        vec.capacity()
    } else {
        (vec.len() + extra).max(2 * vec.capacity())
    };
    (entries * size_of::<T>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_with_its_limits_or_its_steps_and_stays_ended() {
        let limits = Limits::default();
        let patience = Fuel::within(&limits);
        assert!(!(0..10 * POLL_INTERVAL).any(|_| patience.spend(1)));
        limits.cancel.cancel();
        assert!((0..POLL_INTERVAL).any(|_| patience.spend(1)));
        assert_eq!((patience.spend(0), patience.hit()), (true, Some(LimitHit::Interrupted)));
        let counted = Fuel::with_steps(10);
        assert!(!counted.spend(4) && !counted.spend(6) && counted.left() == Some(0));
        assert!(counted.spend(1) && counted.is_exhausted());
        assert!(
            Fuel::within(&Limits { deadline: Some(Instant::now()), ..Limits::default() })
                .spend(POLL_INTERVAL)
        );
    }

    #[test]
    fn a_part_of_the_time_is_over_before_all_of_it() {
        let limits =
            Limits { deadline: Some(Instant::now() + Duration::from_secs(3600)), ..Limits::default() };
        let left = |limits: &Limits| limits.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        assert!(left(&limits.with_time_share(4)) <= Some(Duration::from_secs(900)));
        assert!(left(&limits.with_time_share(4)) > Some(Duration::from_secs(800)));
        assert_eq!(Limits::default().with_time_share(4).deadline, None);
        assert!(left(&limits.without_time_share(4)) <= Some(Duration::from_secs(2700)));
        assert!(left(&limits.without_time_share(4)) > Some(Duration::from_secs(2600)));
        assert_eq!(Limits::default().without_time_share(4).deadline, None);
        let over = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        assert_eq!(over.with_time_share(2).check(), Some(LimitHit::Time));
    }

    #[test]
    fn watched_work_is_stopped_when_its_time_is_over_or_somebody_asks() {
        let until_stopped = |stop: &CancelToken| {
            while !stop.is_cancelled() {
                thread::yield_now();
            }
            true
        };
        let soon = || Some(Instant::now() + Duration::from_millis(30));
        let limits = Limits { deadline: soon(), ..Limits::default() };
        assert!(limits.run_with_watchdog(until_stopped) && limits.check() == Some(LimitHit::Time));
        assert!(!limits.cancel.is_cancelled(), "whoever else heeds the wish goes on");
        let late = Some(Instant::now() + Duration::from_secs(3600));
        let limits = Limits { deadline: late, ..Limits::default() };
        assert!(!limits.run_with_watchdog(CancelToken::is_cancelled));
        limits.cancel.cancel();
        assert!(limits.run_with_watchdog(until_stopped));
        assert!(Limits { cancel: limits.cancel, ..Limits::default() }.run_with_watchdog(until_stopped));
    }

    #[test]
    fn limits_are_reported_in_order() {
        let mut limits = Limits { memory_bytes: Some(10), ..Limits::default() };
        assert_eq!(limits.check_held(10), None);
        assert_eq!(limits.check_held(11), Some(LimitHit::Memory));
        limits.deadline = Some(Instant::now());
        assert_eq!(limits.check_held(11), Some(LimitHit::Time));
        limits.cancel.cancel();
        assert_eq!(limits.check(), Some(LimitHit::Interrupted));
    }
}
