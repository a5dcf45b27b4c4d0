//! The check of REPLY: the walk along the strategy, and that it never comes back.

use super::order::{Cycle, longest};
use super::{Checker, Proven, Stop};
use crate::cert::{Ending, Reply};
use crate::reference::State;

impl Checker<'_> {
    /// The holder makes sure of the bound in the position of the certificate.
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
