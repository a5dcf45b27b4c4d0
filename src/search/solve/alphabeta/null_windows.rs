//! Drivers of null-window tests: each chooses the sequence of thresholds by which the bounds of a value meet.
//!
//! Technique: a test with a memory (MT) answers "is the value at least t?"; drivers differ in the next t alone.
//! Source: Plaat, Schaeffer, Pijls, de Bruin, "Best-first fixed-depth minimax algorithms" (1996).
//! Invariant: the bounds hold whatever the thresholds, so a driver decides the cost and never the value.

use crate::solve::leaf_value::WIN_SCORE;
use crate::solve::transpositions::{SCORE_MAX, SCORE_MIN};

/// A driver of null-window tests.
pub trait NullWindowDriver {
    /// The next threshold, by the bounds of the value and by the answer of the last test; one outside of the bounds is
    /// moved into them.
    fn threshold(&mut self, bounds: (i32, i32), last: Option<bool>) -> i32;
}

/// The facts that a driver begins with.
#[derive(Clone, Copy, Debug)]
pub struct WindowStart {
    /// True if values count plies.
    pub plies: bool,
    /// If plies count: their mean number in random games.
    pub usual_plies: i32,
}

/// A function that makes a driver for a position.
pub type DriverFactory = fn(WindowStart) -> Box<dyn NullWindowDriver>;

/// Bisection, short wins first where plies count: the entries that they leave in the table help with the rest.
pub(super) struct Bisection {
    start: WindowStart,
    /// The distance from the known bound, while the value is unbounded on the other side: it doubles (exponential
    /// search).
    step: i32,
    /// The plies of the next early win or loss to test for; at most 1 for none.
    sooner: i32,
    /// True if the next such test is for a loss.
    lost: bool,
}

impl Bisection {
    /// Makes the driver.
    pub fn begin(start: WindowStart) -> Box<dyn NullWindowDriver> {
        Box::new(Bisection { start, step: 1, sooner: start.usual_plies, lost: true })
    }
}

impl NullWindowDriver for Bisection {
    fn threshold(&mut self, bounds: (i32, i32), _last: Option<bool>) -> i32 {
        let ((low, high), WindowStart { plies, usual_plies: usual }) = (bounds, self.start);
        let step = self.step;
        self.step = step.saturating_mul(2);
        match (low == SCORE_MIN, high == SCORE_MAX) {
            (true, true) => 0,
            (true, false) => high.saturating_sub(step - 1),
            (false, true) => low.saturating_add(step),
            _ if self.sooner > 1 => {
                let t = if self.lost { self.sooner + 1 - WIN_SCORE } else { WIN_SCORE - self.sooner };
                self.lost = !self.lost;
                self.sooner = if self.lost { (self.sooner + 2 * usual + 1) / 2 } else { self.sooner };
                if self.sooner >= 2 * usual - 1 || low > 0 || high < 0 {
                    self.sooner = 0;
                }
                t
            }
            _ if plies && low < 0 && high >= 0 => 0,
            _ if plies && low < 1 && high >= 1 => 1,
            (false, false) => low + (high - low + 1) / 2,
        }
    }
}
