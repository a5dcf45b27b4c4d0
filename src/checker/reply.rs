//! The check of REPLY: the traversal under the strategy, and the proof that no position recurs.

use super::{Checked, Checker, Fact, reject};
use bouton_certificates::{InfinitePlay, ReplyLemma};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound in the position of the certificate.
    pub(super) fn reply(&mut self, start: &State, reply: &ReplyLemma) -> Checked<Fact> {
        if reply.answers.iter().any(|answer| answer.rank.is_some()) {
            return reject("an answer has a rank, which this kind does not have");
        }
        let walked = self.visit_strategy(start, &reply.bound, &reply.answers, InfinitePlay::Ranked)?;
        let back = "play by the strategy can come back to this position";
        let plies = self.finite_plays(&walked.walk, &|_| None, back)?;
        Ok(Fact::Bound { bound: reply.bound.clone(), plies: plies.first().copied(), sum: walked.sum })
    }
}
