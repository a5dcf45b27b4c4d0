//! The result of `positions`.

use std::time::Duration;

use serde::Serialize;

use bouton_search::game::explore::PositionCount;

/// The report of a count of positions: `bouton-positions/1`.
#[derive(Serialize, Debug)]
pub struct PositionsReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The number of reachable positions; `None` if a limit came first.
    pub positions: Option<u64>,
    /// The number of positions up to symmetry; `None` if it was not counted.
    pub orbits: Option<u64>,
    /// The number of finished positions.
    pub terminal: Option<u64>,
    /// The maximal number of moves that reaching a position needs.
    pub max_ply: Option<u32>,
    /// The duration.
    pub seconds: f64,
}

impl PositionsReport {
    /// The report of a count.
    pub fn new(count: &PositionCount, orbits: Option<u64>, time: Duration) -> PositionsReport {
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
