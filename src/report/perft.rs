//! The result of `perft`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use bouton_search::game::perft::Perft;

/// The report of perft: `bouton-perft/1`.
#[derive(Serialize, Debug)]
pub struct PerftReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The depth in moves.
    pub depth: u32,
    /// The number of sequences of that length.
    pub leaves: u64,
    /// The number of sequences of each length.
    pub by_depth: Vec<u64>,
    /// The duration.
    pub seconds: f64,
    /// Leaves per second.
    pub leaves_per_second: f64,
    /// The number of sequences that begin with each first move.
    pub divide: Map<String, Value>,
}

impl PerftReport {
    /// The report of a count.
    pub fn new(perft: &Perft, depth: u32, time: Duration) -> PerftReport {
        let leaves = perft.by_depth.last().copied().unwrap_or(0);
        let seconds = time.as_secs_f64();
        let mut divide = Map::new();
        for (name, count) in &perft.divide {
            // Moves with the same name are counted together; `check` warns of them.
            let sum = divide.get(name).and_then(Value::as_u64).unwrap_or(0) + count;
            divide.insert(name.clone(), json!(sum));
        }
        PerftReport {
            schema: "bouton-perft/1",
            depth,
            leaves,
            by_depth: perft.by_depth.clone(),
            seconds,
            leaves_per_second: super::rate(leaves, seconds),
            divide,
        }
    }
}
