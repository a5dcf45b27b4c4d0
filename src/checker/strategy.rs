//! The common part of the checks of kinds that list a strategy: the traversal of the positions under it.
//!
//! In the holder's positions the traversal follows the reply, which must be a legal move; in all others it follows
//! every legal move. Each end must satisfy the bound. A reply that is never needed is rejected as well: a certificate
//! states only facts that the checker verifies.

use super::visit::{Follow, PositionVisit, VisitedGraph};
use super::{CheckError, Checked, Checker, PayoffSum, reject, reject_if};
use bouton_certificates::{InfinitePlay, PayoffBound, PositionKey, StrategyReply};
use bouton_reference::LegalSuccessor;
use bouton_rules::ToMove;
use bouton_rules::play::Outcome;

/// The keys of listed positions, in strict order.
pub(super) struct ListedKeys<'l> {
    keys: Vec<&'l [u64]>,
    /// The first word of each. They lie side by side, so that a search reads few cache lines.
    firsts: Vec<u64>,
}

impl<'l> ListedKeys<'l> {
    /// Takes the keys; rejects them if they are not in order.
    pub(super) fn of(keys: impl Iterator<Item = &'l PositionKey>) -> Checked<ListedKeys<'l>> {
        let keys: Vec<&[u64]> = keys.map(|key| &*key.0).collect();
        reject_if(!keys.windows(2).all(|pair| pair[0] < pair[1]), "its positions are not in order")?;
        let firsts = keys.iter().map(|key| first_word(key)).collect();
        Ok(ListedKeys { keys, firsts })
    }

    /// Returns the number of a listed position.
    pub(super) fn find(&self, key: &[u64]) -> Option<usize> {
        let first = first_word(key);
        let start = self.firsts.partition_point(|&word| word < first);
        let end = start + self.firsts[start..].partition_point(|&word| word == first);
        self.keys[start..end].binary_search(&key).ok().map(|number| start + number)
    }
}

fn first_word(key: &[u64]) -> u64 {
    key.first().copied().unwrap_or(0)
}

/// The result of the traversal under a strategy.
pub(super) struct VisitedStrategy {
    pub walk: VisitedGraph,
    /// The index of the reply, by position.
    pub answer: Vec<Option<u32>>,
    pub sum: PayoffSum,
}

impl Checker<'_> {
    /// Traverses the positions under a strategy. With [`InfinitePlay::Safe`], infinite play must satisfy the bound in
    /// every position that is not terminal.
    pub(super) fn visit_strategy(
        &mut self,
        start: &bouton_reference::State,
        bound: &PayoffBound,
        answers: &[StrategyReply],
        ending: InfinitePlay,
    ) -> Checked<VisitedStrategy> {
        self.check_holder(bound)?;
        let keys = ListedKeys::of(answers.iter().map(|answer| &answer.key))?;
        let mut answer = Vec::new();
        let mut used = vec![false; answers.len()];
        let mut sum = PayoffSum::default();
        let walk = self.visit_positions(start, &mut |checker, here| {
            let mut own = None;
            let follow = match here.turn {
                ToMove::Terminal(outcome) => {
                    checker.check_end(here, bound, outcome, "the end")?;
                    sum.record(&outcome.payoffs);
                    Follow::All
                }
                ToMove::Simultaneous => {
                    return checker.reject_at(
                        here.state,
                        "players choose simultaneously, which this kind does not support",
                    );
                }
                ToMove::Player(player) if bound.holder == Some(*player) => {
                    let Some(number) = keys.find(here.key) else {
                        return checker.reject_at(here.state, "the strategy has no answer here");
                    };
                    used[number] = true;
                    own = Some(number as u32);
                    Follow::One(checker.legal_index(here, &answers[number])?)
                }
                ToMove::Player(_) | ToMove::Chance => Follow::All,
            };
            if ending == InfinitePlay::Safe && !matches!(here.turn, ToMove::Terminal(_)) {
                checker.check_infinite_play(here, bound, &mut sum)?;
            }
            answer.push(own);
            Ok(follow)
        })?;
        if let Some(number) = used.iter().position(|used| !used) {
            let key = &answers[number].key;
            return reject(format!("play by the strategy never reaches the position {key} that it lists"));
        }
        Ok(VisitedStrategy { walk, answer, sum })
    }

    /// Checks that there is such a player, or a single one for an upper bound.
    pub(super) fn check_holder(&self, bound: &PayoffBound) -> Checked<()> {
        let players = self.rules.players().len() as u32;
        match bound.holder {
            Some(holder) if holder >= players => reject("there is no such player"),
            None if players != 1 => reject("the claim that no play gives more is for one player only"),
            _ => Ok(()),
        }
    }

    /// Returns the index of the reply among the legal moves.
    pub(super) fn legal_index(&self, here: &PositionVisit<'_>, answer: &StrategyReply) -> Checked<usize> {
        let is_it = |(play, _, _): &LegalSuccessor| self.interpreter.call_form(play) == answer.reply;
        match here.moves.iter().position(is_it) {
            Some(number) => Ok(number),
            None => self.reject_at(here.state, format!("the answer `{}` is not a legal move", answer.reply)),
        }
    }

    /// Checks that an end, or infinite play, satisfies the bound.
    fn check_end(
        &self,
        here: &PositionVisit<'_>,
        bound: &PayoffBound,
        outcome: &Outcome,
        what: &str,
    ) -> Checked<()> {
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
    fn check_infinite_play(
        &self,
        here: &PositionVisit<'_>,
        bound: &PayoffBound,
        sum: &mut PayoffSum,
    ) -> Checked<()> {
        let outcome = self.interpreter.infinite_outcome(here.state);
        match self.interpreter.unless_limited(outcome).map_err(CheckError::Limit)? {
            Some(outcome) => {
                sum.record(&outcome.payoffs);
                self.check_end(here, bound, &outcome, "infinite play")
            }
            None if bound.holder.is_none() => Ok(()),
            None => self.reject_at(here.state, "no rule gives the value of infinite play"),
        }
    }
}
