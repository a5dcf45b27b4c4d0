//! The check of REPLY: the traversal under the strategy, and the proof that no position recurs.

use super::longest_play::{Cycle, longest_plays};
use super::{CheckError, Checker, Fact};
use bouton_certificates::{InfinitePlay, ReplyLemma};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound in the position of the certificate.
    pub(super) fn reply(&mut self, start: &State, reply: &ReplyLemma) -> Result<Fact, CheckError> {
        if reply.answers.iter().any(|answer| answer.rank.is_some()) {
            return self.reject("an answer has a rank, which this kind does not have");
        }
        let walked = self.visit_strategy(start, reply.bound, &reply.answers, InfinitePlay::Ranked)?;
        match longest_plays(&walked.walk, &|_| None) {
            Ok(plies) => {
                Ok(Fact::Bound { bound: reply.bound, plies: plies.first().copied(), sum: walked.sum })
            }
            Err(Cycle(at)) => {
                let state = self.interpreter.unpack(walked.walk.key(at));
                self.reject_at(&state, "play by the strategy can come back to this position")
            }
        }
    }
}
