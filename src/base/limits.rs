//! Limits of long work, and how it tells of its progress.
//!
//! *Invariant:* memory is counted by those who hold it, never asked of the system: the same work with the same limit
//! ends at the same place on every machine.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// A wish to stop that any thread may utter: Ctrl-C, or a caller that lost interest.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the work to stop soon.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Where machine code looks whether somebody asked.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// How far work may go. The default is without end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// When it must be over.
    pub deadline: Option<Instant>,
    /// How many bytes it may hold.
    pub memory_bytes: Option<u64>,
    /// How many positions it may look at.
    pub positions: Option<u64>,
    /// Whether somebody wants it to stop.
    pub stop: Stop,
}

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitHit {
    /// The time is over.
    Time,
    /// The bytes allowed are held, or the next step would need more.
    Memory,
    /// The positions allowed were looked at.
    Positions,
    /// Somebody asked to stop.
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
    /// Whether the work was interrupted or its time is over.
    pub fn check(&self) -> Option<LimitHit> {
        if self.stop.requested() {
            return Some(LimitHit::Interrupted);
        }
        self.deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| LimitHit::Time)
    }

    /// The same for work that may have one part in so many of the time that is left.
    pub fn part(&self, parts: u32) -> Limits {
        let now = Instant::now();
        let deadline = self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts);
        Limits { deadline, ..self.clone() }
    }

    /// Does work that hears a wish to stop and nothing else, such as machine code: somebody else watches the clock
    /// meanwhile, and utters the wish when the time is over.
    pub fn watched<T>(&self, work: impl FnOnce(&Stop) -> T) -> T {
        if self.deadline.is_none() {
            return work(&self.stop);
        }
        let stop = Stop::default();
        thread::scope(|scope| {
            let (working, over) = mpsc::channel::<()>();
            let own = stop.clone();
            let watch = move || {
                while over.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                    if self.check().is_some() {
                        return own.request();
                    }
                }
            };
            // The thread's end is the end of the scope. Where none can be had, the work still hears an interruption.
            let result = match thread::Builder::new().spawn_scoped(scope, watch) {
                Ok(_) => work(&stop),
                Err(_) => work(&self.stop),
            };
            drop(working);
            result
        })
    }

    /// [`check`](Self::check), and whether this many bytes are more than may be held.
    pub fn check_held(&self, bytes: u64) -> Option<LimitHit> {
        self.check().or_else(|| self.memory_bytes.filter(|&limit| bytes > limit).map(|_| LimitHit::Memory))
    }
}

/// How often somebody looks at the clock for work that cannot.
const GLANCE: Duration = Duration::from_millis(10);

/// After how many steps [`Patience`] looks at the clock.
const LOOK: u64 = 256;

thread_local! {
    /// The steps of this thread since a clock was looked at, whoever made them: much work may be many short pieces, and
    /// a count shared by threads would cost more than the steps.
    static SINCE: Cell<u64> = const { Cell::new(0) };
}

/// How long an evaluation may go on: asked at each step of its loops, so it costs next to nothing and looks at the
/// clock only now and then. Once it is over it stays over, and what was evaluated since has no meaning.
#[derive(Debug, Default)]
pub struct Patience {
    limits: Limits,
    /// How many steps are left; none: as many as it takes.
    left: Option<AtomicU64>,
    over: AtomicBool,
}

impl Patience {
    /// Until these limits say stop.
    pub fn within(limits: &Limits) -> Patience {
        Patience { limits: limits.clone(), ..Patience::default() }
    }

    /// For so many steps: the same on every machine.
    pub fn of_steps(steps: u64) -> Patience {
        Patience { left: Some(AtomicU64::new(steps)), ..Patience::default() }
    }

    /// Counts steps that were made, and says whether it is over.
    pub fn spend(&self, steps: u64) -> bool {
        if self.is_over() {
            return true;
        }
        if let Some(left) = &self.left {
            super::cancel::step();
            let now = left.load(Ordering::Relaxed);
            left.store(now.saturating_sub(steps), Ordering::Relaxed);
            if now < steps {
                self.over.store(true, Ordering::Relaxed);
            }
            return now < steps;
        }
        let since = SINCE.get().saturating_add(steps);
        SINCE.set(if since < LOOK { since } else { 0 });
        if since >= LOOK && self.limits.check().is_some() {
            self.over.store(true, Ordering::Relaxed);
        }
        self.is_over()
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// How many steps are left; none where they are not counted.
    pub fn left(&self) -> Option<u64> {
        self.left.as_ref().map(|left| left.load(Ordering::Relaxed))
    }

    /// The limit that ended it; steps that were counted pass for time.
    pub fn hit(&self) -> Option<LimitHit> {
        // What is past stays past, and a wish to stop is not taken back.
        self.is_over().then(|| self.limits.check().unwrap_or(LimitHit::Time))
    }
}

/// Who wants to hear how the work goes. Rates are the listener's business: it has a clock.
pub trait Progress: Send + Sync {
    /// A part of the work begins.
    fn phase(&self, _name: &str) {}
    /// This many positions were looked at so far and this many bytes are held.
    fn positions(&self, _positions: u64, _held_bytes: u64) {}
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// The bytes a vector holds once it has room for `extra` more entries; vectors double.
pub fn held_with<T>(vec: &Vec<T>, extra: usize) -> u64 {
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
        let patience = Patience::within(&limits);
        assert!(!(0..10 * LOOK).any(|_| patience.spend(1)));
        limits.stop.request();
        assert!((0..LOOK).any(|_| patience.spend(1)));
        assert_eq!((patience.spend(0), patience.hit()), (true, Some(LimitHit::Interrupted)));
        let counted = Patience::of_steps(10);
        assert!(!counted.spend(4) && !counted.spend(6) && counted.left() == Some(0));
        assert!(counted.spend(1) && counted.is_over());
        assert!(
            Patience::within(&Limits { deadline: Some(Instant::now()), ..Limits::default() }).spend(LOOK)
        );
    }

    #[test]
    fn a_part_of_the_time_is_over_before_all_of_it() {
        let limits =
            Limits { deadline: Some(Instant::now() + Duration::from_secs(3600)), ..Limits::default() };
        let left = |limits: &Limits| limits.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        assert!(left(&limits.part(4)) <= Some(Duration::from_secs(900)));
        assert!(left(&limits.part(4)) > Some(Duration::from_secs(800)));
        assert_eq!(Limits::default().part(4).deadline, None);
        let over = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        assert_eq!(over.part(2).check(), Some(LimitHit::Time));
    }

    #[test]
    fn watched_work_is_stopped_when_its_time_is_over_or_somebody_asks() {
        let until_stopped = |stop: &Stop| {
            while !stop.requested() {
                thread::yield_now();
            }
            true
        };
        let soon = || Some(Instant::now() + Duration::from_millis(30));
        let limits = Limits { deadline: soon(), ..Limits::default() };
        assert!(limits.watched(until_stopped) && limits.check() == Some(LimitHit::Time));
        assert!(!limits.stop.requested(), "whoever else heeds the wish goes on");
        let late = Some(Instant::now() + Duration::from_secs(3600));
        let limits = Limits { deadline: late, ..Limits::default() };
        assert!(!limits.watched(Stop::requested));
        limits.stop.request();
        assert!(limits.watched(until_stopped));
        assert!(Limits { stop: limits.stop, ..Limits::default() }.watched(until_stopped));
    }

    #[test]
    fn limits_are_reported_in_order() {
        let mut limits = Limits { memory_bytes: Some(10), ..Limits::default() };
        assert_eq!(limits.check_held(10), None);
        assert_eq!(limits.check_held(11), Some(LimitHit::Memory));
        limits.deadline = Some(Instant::now());
        assert_eq!(limits.check_held(11), Some(LimitHit::Time));
        limits.stop.request();
        assert_eq!(limits.check(), Some(LimitHit::Interrupted));
    }
}
