//! The result of `positions`.

use std::time::Duration;

use serde::Serialize;

use crate::game::explore::Count;

/// `bouton-positions/1`
#[derive(Serialize, Debug)]
pub struct PositionsReport {
    /// The name of this form of data.
    pub schema: &'static str,
    /// How many positions; none where a limit came first.
    pub positions: Option<u64>,
    /// How many up to symmetry; none where that was not counted.
    pub orbits: Option<u64>,
    /// How many of them are finished.
    pub terminal: Option<u64>,
    /// The greatest number of moves that a position needs.
    pub max_ply: Option<u32>,
    /// How long it took.
    pub seconds: f64,
}

impl PositionsReport {
    /// The report of a count.
    pub fn new(count: &Count, orbits: Option<u64>, time: Duration) -> PositionsReport {
        PositionsReport {
            schema: "bouton-positions/1",
            positions: count.complete.then_some(count.positions),
            orbits,
            terminal: count.complete.then_some(count.terminal),
            max_ply: count.complete.then_some(count.max_ply),
            seconds: time.as_secs_f64(),
        }
    }
}
