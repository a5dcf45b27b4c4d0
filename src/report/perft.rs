//! The result of `perft`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::game::perft::Perft;

/// `bouton-perft/1`
#[derive(Serialize, Debug)]
pub struct PerftReport {
    /// The name of this form of data.
    pub schema: &'static str,
    /// How many moves.
    pub depth: u32,
    /// How many sequences of that length.
    pub leaves: u64,
    /// How many sequences of each length.
    pub by_depth: Vec<u64>,
    /// How long it took.
    pub seconds: f64,
    /// Leaves a second.
    pub leaves_per_second: f64,
    /// For each first move, how many sequences begin with it.
    pub divide: Map<String, Value>,
}

impl PerftReport {
    /// The report of a count.
    pub fn new(perft: &Perft, depth: u32, time: Duration) -> PerftReport {
        let leaves = perft.by_depth.last().copied().unwrap_or(0);
        let seconds = time.as_secs_f64();
        let mut divide = Map::new();
        for (name, count) in &perft.divide {
            // Moves of one name are counted together; `check` warns of them.
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
