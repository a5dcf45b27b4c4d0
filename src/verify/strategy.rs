//! The common part of the checks of kinds that list a strategy: the traversal of the positions under it.
//!
//! In the holder's positions the traversal follows the reply, which must be a legal move; in all others it follows
//! every legal move. Each end must satisfy the bound. A reply that is never needed is rejected as well: a certificate
//! states only facts that the checker verifies.

use super::walk::{Follow, Here, Walk};
use super::{Checker, Stop, Sum};
use crate::cert::{Answer, Bound, Ending};
use crate::reference::Next;
use crate::rules::Turn;
use crate::rules::play::Outcome;

/// The result of the traversal under a strategy.
pub(super) struct Walked {
    pub walk: Walk,
    /// The index of the reply, by position.
    pub answer: Vec<Option<u32>>,
    pub sum: Sum,
}

impl Checker<'_> {
    /// Traverses the positions under a strategy. With [`Ending::Safe`], infinite play must satisfy the bound in every
    /// position that is not terminal.
    pub(super) fn strategy(
        &mut self,
        start: &crate::reference::State,
        bound: Bound,
        answers: &[Answer],
        ending: Ending,
    ) -> Result<Walked, Stop> {
        let players = self.rules.players().len() as u32;
        match bound.holder {
            Some(holder) if holder >= players => return self.reject("there is no such player"),
            None if players != 1 => return self.reject("that no play gives more is said of one player only"),
            _ => {}
        }
        if !answers.windows(2).all(|pair| pair[0].key < pair[1].key) {
            return self.reject("its positions are not in order");
        }
        let mut answer = Vec::new();
        let mut used = vec![false; answers.len()];
        let mut sum = Sum::default();
        let walk = self.walk(start, &mut |checker, here| {
            let mut own = None;
            let follow = match here.turn {
                Turn::Over(outcome) => {
                    checker.end(here, bound, outcome, "the end")?;
                    sum.meet(&outcome.payoffs);
                    Follow::All
                }
                Turn::Each => {
                    return checker
                        .reject_at(here.state, "players choose at once, which this kind does not speak of");
                }
                Turn::Player(player) if bound.holder == Some(*player) => {
                    let number = checker.listed(here, answers)?;
                    used[number] = true;
                    own = Some(number as u32);
                    Follow::One(checker.legal(here, &answers[number])?)
                }
                Turn::Player(_) | Turn::Chance => Follow::All,
            };
            if ending == Ending::Safe && !matches!(here.turn, Turn::Over(_)) {
                checker.endless(here, bound, &mut sum)?;
            }
            answer.push(own);
            Ok(follow)
        })?;
        if let Some(number) = used.iter().position(|used| !used) {
            let key = &answers[number].key;
            return self
                .reject(format!("play by the strategy never comes to the position {key} that it lists"));
        }
        Ok(Walked { walk, answer, sum })
    }

    /// Returns the index of the reply in a position of the holder.
    fn listed(&self, here: &Here<'_>, answers: &[Answer]) -> Result<usize, Stop> {
        match answers.binary_search_by(|answer| (*answer.key.0).cmp(here.key)) {
            Ok(number) => Ok(number),
            Err(_) => self.reject_at(here.state, "the strategy has no answer here"),
        }
    }

    /// Returns the index of the reply among the legal moves.
    fn legal(&self, here: &Here<'_>, answer: &Answer) -> Result<usize, Stop> {
        let is_it = |(play, _, _): &Next| self.interpreter.call_form(play) == answer.reply;
        match here.moves.iter().position(is_it) {
            Some(number) => Ok(number),
            None => self.reject_at(here.state, format!("the answer `{}` is not a legal move", answer.reply)),
        }
    }

    /// Checks that an end, or infinite play, satisfies the bound.
    fn end(&self, here: &Here<'_>, bound: Bound, outcome: &Outcome, what: &str) -> Result<(), Stop> {
        let holder = bound.holder.unwrap_or(0);
        let Some(payoff) = outcome.payoffs.get(holder as usize) else {
            return self.reject_at(here.state, format!("{what} gives no payoff"));
        };
        let kept = if bound.holder.is_some() { *payoff >= bound.payoff } else { *payoff <= bound.payoff };
        if kept {
            return Ok(());
        }
        let (name, more) =
            (self.player(holder), if bound.holder.is_some() { "not at least" } else { "more than" });
        self.reject_at(here.state, format!("{what} gives {name} {payoff}, {more} {}", bound.payoff))
    }

    /// Checks that infinite play through this position satisfies the bound. For an upper bound of a single player,
    /// infinite play without a value in the rules counts as no gain.
    fn endless(&self, here: &Here<'_>, bound: Bound, sum: &mut Sum) -> Result<(), Stop> {
        let outcome = self.interpreter.infinite_outcome(here.state);
        match self.interpreter.meant(outcome).map_err(Stop::Limit)? {
            Some(outcome) => {
                sum.meet(&outcome.payoffs);
                self.end(here, bound, &outcome, "play that goes on for ever")
            }
            None if bound.holder.is_none() => Ok(()),
            None => self.reject_at(here.state, "no rule says what play that goes on for ever gives"),
        }
    }
}
