//! Cancellation of deep work that has no useful partial results, such as analysing and compiling rules.
//!
//! Loops call [`step`]. Inside of [`run_within`] it regularly compares the time, the memory and the cancel token with
//! the limits of the innermost call, and unwinds the stack to that call if one is reached. Outside it does nothing.
//! Unwinding frees all intermediate data, and the functions in between need no error paths.
//! Technique: as `Cancelled` of salsa, the query engine of rust-analyzer: a panic without a message, caught at the
//! edge.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::heap;
use super::limits::{LimitHit, Limits};

/// The number of steps between two checks of the limits.
const POLL_INTERVAL: u32 = 128;
/// The time between two checks of the limits of work on another thread.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
/// The time that another thread has to notice that its limits are reached, before its caller abandons it.
const GRACE: Duration = Duration::from_millis(250);
/// The stack of such a thread, for deeply nested rules. Only the used part takes memory.
const STACK_BYTES: usize = 512 << 20;

/// The panic payload that unwinds the stack.
struct Cancelled(LimitHit);

/// The panic payload that unwinds the stack to [`run_in_steps`].
struct OutOfSteps;

/// The limits of the work in progress on a thread.
struct Scope {
    limits: Limits,
    /// The bytes that the thread held when the work began.
    held_before: i64,
}

thread_local! {
    static SCOPE: RefCell<Option<Scope>> = const { RefCell::new(None) };
    static STEPS_LEFT: Cell<u32> = const { Cell::new(POLL_INTERVAL) };
    /// The number of checks until [`run_in_steps`] gives up; `None` outside of it.
    static POLLS_LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Counts a step of a loop. Unwinds to the innermost [`run_within`] if its limits are reached.
#[inline]
pub fn step() {
    match STEPS_LEFT.get() {
        0 => poll(),
        left => STEPS_LEFT.set(left - 1),
    }
}

/// Checks the limits of the innermost [`run_within`] immediately. Call it before long work that has no steps.
#[cold]
pub fn poll() {
    STEPS_LEFT.set(POLL_INTERVAL);
    if let Some(left) = POLLS_LEFT.get() {
        if left == 0 && !thread::panicking() {
            resume_unwind(Box::new(OutOfSteps));
        }
        POLLS_LEFT.set(Some(left.saturating_sub(1)));
    }
    // A destructor that runs while the stack unwinds must not unwind once more.
    if let Some(hit) = SCOPE.with_borrow(|scope| scope.as_ref().and_then(Scope::hit))
        && !thread::panicking()
    {
        resume_unwind(Box::new(Cancelled(hit)));
    }
}

impl Scope {
    fn hit(&self) -> Option<LimitHit> {
        let held = heap::held().wrapping_sub(self.held_before);
        self.limits.check_held(u64::try_from(held).unwrap_or(0))
    }
}

/// Runs `work`, whose loops call [`step`], on this thread until it is done or a limit is reached.
pub fn run_within<T>(limits: &Limits, work: impl FnOnce() -> T) -> Result<T, LimitHit> {
    let scope = Scope { limits: limits.clone(), held_before: heap::held() };
    let outer = SCOPE.replace(Some(scope));
    STEPS_LEFT.set(0);
    let result = catch_unwind(AssertUnwindSafe(work));
    SCOPE.set(outer);
    match result {
        Ok(done) => Ok(done),
        Err(payload) => match payload.downcast::<Cancelled>() {
            Ok(cancelled) => Err(cancelled.0),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Runs `work`, whose loops call [`step`], on this thread; `None` if it takes more than about this number of steps. It
/// gives up at the same place on every machine.
pub fn run_in_steps<T>(steps: u64, work: impl FnOnce() -> T) -> Option<T> {
    let outer = POLLS_LEFT.replace(Some(steps / u64::from(POLL_INTERVAL)));
    STEPS_LEFT.set(POLL_INTERVAL);
    let result = catch_unwind(AssertUnwindSafe(work));
    POLLS_LEFT.set(outer);
    match result {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<OutOfSteps>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs `work` on a thread of its own, as [`run_within`] does. If the thread does not notice its limits in time,
/// because it is in code that has no steps, the caller abandons it: it ends at its next check, and its result is
/// dropped. Machines without threads run it on this one.
pub fn run_apart<T: Send + 'static>(
    limits: &Limits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, LimitHit> {
    if cfg!(target_family = "wasm") {
        return run_within(limits, work);
    }
    let (done, result) = mpsc::channel();
    // If the system gives no further thread, the work does not run; this counts as a lack of memory.
    let own = limits.clone();
    let body = move || {
        let ended = catch_unwind(AssertUnwindSafe(|| run_within(&own, work)));
        // The receiver may have abandoned this thread.
        let _ = done.send(ended);
    };
    let spawned = thread::Builder::new().name("compile".into()).stack_size(STACK_BYTES).spawn(body);
    if spawned.is_err() {
        return Err(LimitHit::Memory);
    }
    let mut patience = GRACE;
    loop {
        match result.recv_timeout(WATCH_INTERVAL) {
            Ok(ended) => return ended.unwrap_or_else(|panic| resume_unwind(panic)),
            Err(RecvTimeoutError::Disconnected) => panic!("a thread ended without a result"),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(hit) = limits.check() {
                    patience = patience.saturating_sub(WATCH_INTERVAL);
                    if patience.is_zero() {
                        return Err(hit);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn for_ever() {
        loop {
            step();
        }
    }

    fn over() -> Limits {
        Limits { deadline: Some(Instant::now()), ..Limits::default() }
    }

    #[test]
    fn steps_end_where_time_is_over_or_somebody_asks() {
        assert_eq!(run_within(&over(), for_ever), Err(LimitHit::Time));
        let limits = Limits::default();
        limits.cancel.cancel();
        assert_eq!(run_within(&limits, for_ever), Err(LimitHit::Interrupted));
        assert_eq!(run_apart(&limits, for_ever), Err(LimitHit::Interrupted));
        // Without limits a step does nothing.
        (0..10_000).for_each(|_| step());
        assert_eq!(run_within(&Limits::default(), || 7), Ok(7));
    }

    #[test]
    fn work_ends_after_as_many_steps_everywhere() {
        let count = |most: u64| {
            let made = Cell::new(0u64);
            let ended = run_in_steps(10_000, || {
                run_within(&Limits::default(), || {
                    (0..most).for_each(|_| {
                        step();
                        made.set(made.get() + 1);
                    })
                })
            });
            (ended, made.get())
        };
        assert_eq!(count(5_000), (Some(Ok(())), 5_000));
        let (ended, made) = count(u64::MAX);
        assert_eq!(ended, None);
        assert!((5_000..=11_000).contains(&made), "{made}");
        assert_eq!(count(u64::MAX), (None, made));
        // Outside the number of steps is free again.
        (0..20_000).for_each(|_| step());
    }

    #[test]
    fn steps_end_where_more_memory_is_held_than_may_be() {
        let limits = Limits { memory_bytes: Some(1 << 20), ..Limits::default() };
        let hoard = || {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                step();
                held.push(vec![0; 1000]);
            }
        };
        let before = heap::held();
        assert_eq!(run_within(&limits, hoard), Err::<(), _>(LimitHit::Memory));
        assert_eq!(run_apart(&limits, hoard), Err::<(), _>(LimitHit::Memory));
        assert!(heap::held() - before < 1 << 16, "unwinding frees what was made");
    }

    #[test]
    fn inner_limits_end_inner_work_and_outer_ones_go_on_after_it() {
        let both = run_within(&Limits::default(), || {
            let inner = run_within(&over(), for_ever);
            step();
            inner
        });
        assert_eq!(both, Ok(Err(LimitHit::Time)));
    }

    #[test]
    fn what_hears_nothing_is_left_behind() {
        let deaf = || thread::sleep(Duration::from_secs(3600));
        assert_eq!(run_apart(&over(), deaf), Err(LimitHit::Time));
    }

    #[test]
    fn panics_pass_through() {
        let panics = || run_within(&Limits::default(), || std::panic::panic_any(3));
        let caught = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(caught.downcast_ref(), Some(&3));
    }
}
