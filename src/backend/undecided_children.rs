//! Generates children for retrograde analysis, skipping those that a one-ply lookahead decides: a caller that labels
//! positions needs the value of every other child.

use super::{CircuitEnding, PositionRef, RulesFault, Runner, Status};
use bouton_circuit::ControlId;

/// A generator of the children that a one-ply lookahead does not decide.
pub trait UndecidedChildren: Send + Sync {
    /// Expands a position: appends a record for each undecided child, the number of its control and then the words of
    /// its state.
    fn expand_undecided(
        &self,
        at: PositionRef,
        records: &mut Vec<u64>,
    ) -> Result<UndecidedExpansion, RulesFault>;
}

/// The result of such an expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UndecidedExpansion {
    Over(CircuitEnding),
    /// The mover wins by a move; there are no records.
    Wins,
    /// Play goes on.
    Open {
        /// True if moves were skipped. After each of them the game is not over, and the next player wins at once.
        losing_moves: bool,
    },
}

/// The generic generator, which skips nothing.
pub(super) struct UnfilteredChildren<R> {
    runner: R,
    sites: Vec<ControlId>,
}

impl<R: std::ops::Deref<Target: Runner>> UnfilteredChildren<R> {
    pub fn new(runner: R) -> UnfilteredChildren<R> {
        let sites = runner.sites();
        UnfilteredChildren { runner, sites }
    }
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> UndecidedChildren for UnfilteredChildren<R> {
    fn expand_undecided(
        &self,
        at: PositionRef,
        records: &mut Vec<u64>,
    ) -> Result<UndecidedExpansion, RulesFault> {
        let before = records.len();
        if let Status::Over(ending) = self.runner.records(at, records)? {
            return Ok(UndecidedExpansion::Over(ending));
        }
        for record in records[before..].chunks_exact_mut(at.words.len() + 1) {
            record[0] = u64::from(self.sites[record[0] as u32 as usize].0);
        }
        Ok(UndecidedExpansion::Open { losing_moves: false })
    }
}
