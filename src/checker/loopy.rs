//! The check of LOOPY: the traversal under the strategy; then the ranks, or that infinite play satisfies the bound.

use super::{Checked, Checker, Fact, reject};
use bouton_certificates::{InfinitePlay, LoopyLemma};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves the bound in the position of the certificate.
    pub(super) fn loopy(&mut self, start: &State, loopy: &LoopyLemma) -> Checked<Fact> {
        let ranked = loopy.ending == InfinitePlay::Ranked;
        if loopy.answers.iter().any(|answer| answer.rank.is_some() != ranked) {
            return reject("either every answer has a rank or none has");
        }
        // Larger ranks could come close to the limit of the integers, where adding one saturates.
        if loopy.answers.iter().any(|answer| answer.rank.is_some_and(|rank| rank > u64::from(u32::MAX))) {
            return reject("a rank is larger than any play is long");
        }
        let walked = self.visit_strategy(start, &loopy.bound, &loopy.answers, loopy.ending)?;
        if !ranked {
            return Ok(Fact::Bound { bound: loopy.bound.clone(), plies: None, sum: walked.sum });
        }
        let rank = |at: u32| {
            let number = walked.answer.get(at as usize).copied().flatten()?;
            loopy.answers[number as usize].rank
        };
        // Between two replies the opponents cannot cycle, and the next reply has a smaller rank: a rank is one more
        // than the longest play after its reply. So ranks decrease, and play is finite.
        let back = "without an answer of the strategy, play can come back to this position";
        let plies = self.finite_plays(&walked.walk, &rank, back)?;
        for (at, &longest) in plies.iter().enumerate() {
            if let Some(rank) = rank(at as u32).filter(|&rank| rank != longest) {
                let reason = if rank < longest {
                    format!(
                        "the rank {rank} does not fall: after the answer play can take {longest} plies from here"
                    )
                } else {
                    format!("the rank is {rank}, and play takes at most {longest} plies from here")
                };
                return self.reject_node(&walked.walk, at as u32, reason);
            }
        }
        Ok(Fact::Bound { bound: loopy.bound.clone(), plies: plies.first().copied(), sum: walked.sum })
    }
}
