//! MTD(f): alpha-beta whose null windows follow the bound that the last test gave.
//!
//! Technique: the first test asks whether the value is at least a guess f. A test that says yes gives a lower bound,
//! and the next one asks for more than that; one that says no gives an upper bound, and the next one asks for that. So
//! the thresholds walk from the guess to the value, where bisection jumps. The tests, the table and the lookahead are
//! those of [alpha-beta](super::alphabeta).
//! Source: Plaat, Schaeffer, Pijls, de Bruin, "Best-first fixed-depth minimax algorithms" (1996).
//! Cost: at most one test for each result between the guess and the value: few where the players are nearly even.
//! Invariant: that of alpha-beta.
//! Not taken: a guess from a shallower search (iterative deepening), since only the end of the game has a value; the
//! guess is 0, an even game.

use super::alphabeta::null_windows::{NullWindowDriver, WindowStart};
use super::alphabeta::{self, AlphaBeta};
use super::solver::{SolveRequest, Solver};
use super::{Inapplicable, Solution};
use crate::game::explore::FaultyPosition;

/// MTD(f).
pub struct MtdF;

impl Solver for MtdF {
    fn name(&self) -> &'static str {
        "mtd-f"
    }

    fn description(&self) -> &'static str {
        "MTD(f): alpha-beta whose null windows walk from a guess to the value"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        AlphaBeta.applies(request)
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        alphabeta::solve(request, self.name(), Walk::begin)
    }
}

/// The walk of the thresholds from an even game.
struct Walk;

impl Walk {
    fn begin(_start: WindowStart) -> Box<dyn NullWindowDriver> {
        Box::new(Walk)
    }
}

impl NullWindowDriver for Walk {
    fn threshold(&mut self, bounds: (i32, i32), last: Option<bool>) -> i32 {
        match last {
            None => 0,
            Some(true) => bounds.0.saturating_add(1),
            Some(false) => bounds.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Tests that give the best bound, or none better than their threshold, lead to the value; no threshold comes
        /// twice.
        #[test]
        fn the_walk_ends_at_the_value(
            low in -50..0i32,
            width in 1..100i32,
            at in 0..=100i32,
            sharp in any::<bool>(),
        ) {
            let high = low + width;
            let value = low + at.min(width);
            let (mut bounds, mut last, mut tested) = ((low, high), None, Vec::new());
            while bounds.0 < bounds.1 {
                let t = Walk.threshold(bounds, last).clamp(bounds.0 + 1, bounds.1);
                prop_assert!(!tested.contains(&t), "{} twice", t);
                tested.push(t);
                match value >= t {
                    true => bounds.0 = if sharp { value } else { t },
                    false => bounds.1 = if sharp { value } else { t - 1 },
                }
                last = Some(value >= t);
            }
            prop_assert_eq!(bounds, (value, value));
            prop_assert!(!sharp || tested.len() <= 2, "{:?}", tested);
        }
    }
}
