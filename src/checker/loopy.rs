//! The check of LOOPY: the traversal under the strategy; then the ranks, or that infinite play satisfies the bound.

use super::longest_play::{Cycle, longest_plays};
use super::{CheckError, Checker, Fact};
use bouton_certificates::{InfinitePlay, LoopyLemma};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves the bound in the position of the certificate.
    pub(super) fn loopy(&mut self, start: &State, loopy: &LoopyLemma) -> Result<Fact, CheckError> {
        let ranked = loopy.ending == InfinitePlay::Ranked;
        if loopy.bound.holder.is_none() && ranked {
            return self.reject("the claim that no play gives more takes no ranks");
        }
        if loopy.answers.iter().any(|answer| answer.rank.is_some() != ranked) {
            return self.reject("either every answer has a rank or none has");
        }
        // Larger ranks could come close to the limit of the integers, where adding one saturates.
        if loopy.answers.iter().any(|answer| answer.rank.is_some_and(|rank| rank > u64::from(u32::MAX))) {
            return self.reject("a rank is larger than any play is long");
        }
        let walked = self.visit_strategy(start, loopy.bound, &loopy.answers, loopy.ending)?;
        if !ranked {
            return Ok(Fact::Bound { bound: loopy.bound, plies: None, sum: walked.sum });
        }
        let rank = |at: u32| {
            let number = walked.answer.get(at as usize).copied().flatten()?;
            loopy.answers[number as usize].rank
        };
        // Between two replies the opponents cannot cycle, and the next reply has a smaller rank: a rank is one more
        // than the longest play after its reply. So ranks decrease, and play is finite.
        let plies = match longest_plays(&walked.walk, &rank) {
            Ok(plies) => plies,
            Err(Cycle(at)) => {
                let state = self.interpreter.unpack(walked.walk.key(at));
                return self.reject_at(
                    &state,
                    "without an answer of the strategy, play can come back to this position",
                );
            }
        };
        for (at, &longest) in plies.iter().enumerate() {
            if let Some(rank) = rank(at as u32).filter(|&rank| rank != longest) {
                let state = self.interpreter.unpack(walked.walk.key(at as u32));
                let reason = if rank < longest {
                    format!(
                        "the rank {rank} does not fall: after the answer play can take {longest} plies from here"
                    )
                } else {
                    format!("the rank is {rank}, and play takes at most {longest} plies from here")
                };
                return self.reject_at(&state, reason);
            }
        }
        Ok(Fact::Bound { bound: loopy.bound, plies: plies.first().copied(), sum: walked.sum })
    }
}
