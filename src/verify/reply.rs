//! The check of REPLY: the traversal under the strategy, and the proof that no position recurs.

use super::order::{Cycle, longest};
use super::{Checker, Proven, Stop};
use crate::cert::{Ending, Reply};
use crate::reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound in the position of the certificate.
    pub(super) fn reply(&mut self, start: &State, reply: &Reply) -> Result<Proven, Stop> {
        if reply.answers.iter().any(|answer| answer.rank.is_some()) {
            return self.reject("an answer has a rank, which this kind does not have");
        }
        let walked = self.strategy(start, reply.bound, &reply.answers, Ending::Ranked)?;
        match longest(&walked.walk, &|_| None) {
            Ok(plies) => {
                Ok(Proven::Bound { bound: reply.bound, plies: plies.first().copied(), sum: walked.sum })
            }
            Err(Cycle(at)) => {
                let state = self.interpreter.unpack(walked.walk.key(at));
                self.reject_at(&state, "play by the strategy can come back to this position")
            }
        }
    }
}
