//! The check of VALUES: the traversal under the policy, then the inequality and the rank of each position.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::strategy::ListedKeys;
use super::visit::{Follow, PositionVisit, VisitedGraph};
use super::{CheckError, Checked, Checker, Fact, PayoffSum, reject};
use bouton_certificates::values::NO_MOVE;
use bouton_certificates::{Convention, PolicyValue, StrategyReply, ValuesLemma};
use bouton_reference::State;
use bouton_rules::ToMove;

/// A visited position.
struct ValuedNode {
    /// The guaranteed payoff of the holder; with the other sign for an upper bound.
    gain: Rational,
    rank: Option<u64>,
    /// The probabilities of the events, if chance acts.
    shares: Option<Vec<Rational>>,
}

impl Checker<'_> {
    /// Proves the bound in the position of the certificate, in the mean.
    pub(super) fn values(&mut self, start: &State, lemma: &ValuesLemma) -> Checked<Fact> {
        let (bound, values) = (&lemma.bound, &lemma.values);
        self.check_holder(bound)?;
        let keys = ListedKeys::of(values.iter().map(|value| &value.key))?;
        if values.iter().any(|value| value.rank.is_some_and(|rank| rank > u64::from(u32::MAX))) {
            return reject("a rank is larger than any play is long");
        }
        let signed = |value: &Rational| if bound.holder.is_some() { value.clone() } else { -value };
        let mut used = vec![false; values.len()];
        let mut sum = PayoffSum::default();
        let mut nodes: Vec<ValuedNode> = Vec::new();
        let walk = self.visit_positions(start, &mut |checker, here| {
            if let ToMove::Terminal(outcome) = here.turn {
                sum.record(&outcome.payoffs);
                let Some(payoff) = outcome.payoffs.get(bound.holder.unwrap_or(0) as usize) else {
                    return checker.reject_at(here.state, "the end gives no payoff");
                };
                nodes.push(ValuedNode { gain: signed(payoff), rank: Some(0), shares: None });
                return Ok(Follow::All);
            }
            let Some(number) = keys.find(here.key) else {
                return checker.reject_at(here.state, "the position is not listed");
            };
            let listed = &values[number];
            used[number] = true;
            if listed.rank.is_none() {
                checker.check_infinite_gain(here, lemma, listed, &mut sum)?;
            }
            let shares = (*here.turn == ToMove::Chance)
                .then(|| here.moves.iter().map(|(_, _, share)| share.clone()).collect());
            nodes.push(ValuedNode { gain: signed(&listed.value), rank: listed.rank, shares });
            checker.followed_moves(here, bound.holder, listed)
        })?;
        if let Some(number) = used.iter().position(|used| !used) {
            let key = &values[number].key;
            return reject(format!("play by the policy never reaches the position {key} that it lists"));
        }
        if nodes[0].gain != signed(&bound.payoff) {
            return reject(format!("the first position has another value than {}", bound.payoff));
        }
        for at in 0..walk.len() as u32 {
            self.tick()?;
            self.check_value(&walk, &nodes, at)?;
        }
        Ok(Fact::Bound { bound: bound.clone(), plies: None, sum })
    }

    /// Returns the moves that play by the policy may make in a position.
    fn followed_moves(
        &self,
        here: &PositionVisit<'_>,
        holder: Option<u32>,
        listed: &PolicyValue,
    ) -> Checked<Follow> {
        match here.turn {
            ToMove::Simultaneous => {
                self.reject_at(here.state, "players choose simultaneously, which this kind does not support")
            }
            ToMove::Player(player) if holder == Some(*player) => {
                let (key, reply) = (listed.key.clone(), listed.reply.clone());
                Ok(Follow::One(self.legal_index(here, &StrategyReply { key, rank: None, reply })?))
            }
            _ if listed.reply != NO_MOVE => {
                self.reject_at(here.state, "an answer is listed where the holder does not move")
            }
            _ => Ok(Follow::All),
        }
    }

    /// Checks that infinite play through this position is as good for the holder as its value. A single player who
    /// never wins has lost, and gains nothing where payoffs count.
    fn check_infinite_gain(
        &self,
        here: &PositionVisit<'_>,
        lemma: &ValuesLemma,
        listed: &PolicyValue,
        sum: &mut PayoffSum,
    ) -> Checked<()> {
        let outcome = self.interpreter.infinite_outcome(here.state);
        let outcome = self.interpreter.unless_limited(outcome).map_err(CheckError::Limit)?;
        let alone = self.rules.players().len() == 1;
        let payoff = match (outcome, lemma.bound.holder) {
            (Some(outcome), holder) => {
                sum.record(&outcome.payoffs);
                outcome.payoffs.get(holder.unwrap_or(0) as usize).cloned()
            }
            (None, None) => return Ok(()),
            (None, _) if alone && Convention::of(self.rules) != Convention::Payoff => {
                Some(Rational::from_integer(-1))
            }
            (None, _) => None,
        };
        let Some(payoff) = payoff else {
            return self.reject_at(here.state, "no rule gives the value of infinite play");
        };
        let worse = if lemma.bound.holder.is_some() { Ordering::Less } else { Ordering::Greater };
        if payoff.cmp(&listed.value) == worse {
            return self.reject_at(
                here.state,
                format!("infinite play gives {payoff}, and there is no rank to exclude it"),
            );
        }
        Ok(())
    }

    /// Checks that no move, and chance in the mean, makes the value of a position smaller, and that its rank is exact.
    fn check_value(&self, walk: &VisitedGraph, nodes: &[ValuedNode], at: u32) -> Checked<()> {
        let here = &nodes[at as usize];
        let next: Vec<&ValuedNode> = walk.next(at).iter().map(|&to| &nodes[to as usize]).collect();
        if next.is_empty() {
            return Ok(());
        }
        let least = match &here.shares {
            Some(shares) => next.iter().zip(shares).map(|(to, share)| &to.gain * share).sum(),
            None => next.iter().map(|to| &to.gain).min().cloned().unwrap_or_default(),
        };
        if least < here.gain {
            let what = if here.shares.is_some() { "the mean" } else { "a move" };
            let reason = format!("the value {} is listed, and {what} gives {least}", here.gain);
            return self.reject_node(walk, at, reason);
        }
        let Some(rank) = here.rank else { return Ok(()) };
        let equal = || next.iter().filter(|to| to.gain == here.gain);
        // A rank that is missing is larger than any other.
        let after = |to: &&&ValuedNode| to.rank.map_or(u64::MAX, |rank| rank + 1);
        let exact = match &here.shares {
            Some(_) if equal().count() < next.len() => 0,
            Some(_) => equal().map(|to| after(&to)).min().unwrap_or(0),
            None => equal().map(|to| after(&to)).max().unwrap_or(0),
        };
        if rank != exact {
            return self.reject_node(walk, at, "the rank does not show that play leaves the value");
        }
        Ok(())
    }
}
