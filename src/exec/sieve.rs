//! The moves of a position without those whose outcome is seen at once: for who labels positions, and asks of each move
//! what the position after it is worth.

use super::{Ending, Faulted, Runner, Status};
use crate::circuit::ControlId;

/// Leaves out moves whose outcome is seen at once.
pub trait Sieve: Send + Sync {
    /// Looks at a position, and appends a record for each move that is not left out: the number of the control of the
    /// position after it, then the words of that.
    fn sift(&self, at: (ControlId, &[u64]), records: &mut Vec<u64>) -> Result<Sifted, Faulted>;
}

/// What was seen of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sifted {
    /// The game is over.
    Over(Ending),
    /// Who is to move wins by a move; there are no records.
    Wins,
    /// Play goes on.
    Open {
        /// Whether moves were left out. After each of them the game is not over, and the next to move wins at once.
        falls: bool,
    },
}

/// Leaves out nothing.
pub(super) struct Plain<R> {
    runner: R,
    sites: Vec<ControlId>,
}

impl<R: std::ops::Deref<Target: Runner>> Plain<R> {
    pub fn new(runner: R) -> Plain<R> {
        let sites = runner.sites();
        Plain { runner, sites }
    }
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> Sieve for Plain<R> {
    fn sift(&self, at: (ControlId, &[u64]), records: &mut Vec<u64>) -> Result<Sifted, Faulted> {
        let before = records.len();
        if let Status::Over(ending) = self.runner.records(at, records)? {
            return Ok(Sifted::Over(ending));
        }
        for record in records[before..].chunks_exact_mut(at.1.len() + 1) {
            record[0] = u64::from(self.sites[record[0] as u32 as usize].0);
        }
        Ok(Sifted::Open { falls: false })
    }
}
