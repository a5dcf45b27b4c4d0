//! Results as data, then as words. The keys of the data are fixed: scripts rely on them.
//!
//! *Invariant:* a report contains results, and does not compute them.

#![forbid(unsafe_code)]

pub mod bench;
pub mod check;
pub mod decision_tree;
pub mod export;
pub mod gdl;
pub mod mixed;
pub mod numbers;
pub mod page;
pub mod perft;
pub mod policy;
pub mod positions;
pub mod proof;
pub mod solve;
pub mod table;
pub mod test;
pub mod trace;
pub mod verdict;
pub mod verify;
pub mod words;

/// The rate per second; 0 if no time passed.
pub fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
