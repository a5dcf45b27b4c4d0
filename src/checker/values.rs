//! The check of VALUES: the traversal under the policy, then the inequality and the rank of each position.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::behaviour::{choices_of, is_mixture, own_part};
use super::equilibrium::MoveShares;
use super::strategy::ListedKeys;
use super::visit::{Follow, PositionVisit, VisitedGraph};
use super::{CheckError, Checked, Checker, Fact, PayoffSum, reject};
use bouton_certificates::{Convention, PolicyReply, PolicyValue, StrategyReply, ValuesLemma};
use bouton_reference::State;
use bouton_rules::{MoveInstance, ToMove};

/// A visited position.
struct ValuedNode {
    /// The guaranteed payoff of the holder; with the other sign for an upper bound.
    gain: Rational,
    rank: Option<u64>,
    /// The followed moves in groups: the others choose a group, chance or the holder's mixture a move in it. If chance acts,
    /// all are one group; without groups each move is one.
    groups: Vec<MoveShares>,
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
                nodes.push(ValuedNode { gain: signed(payoff), rank: Some(0), groups: Vec::new() });
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
            let groups = match here.turn {
                ToMove::Chance => {
                    vec![here.moves.iter().map(|(_, _, share)| share.clone()).enumerate().collect()]
                }
                ToMove::Simultaneous => checker.groups(here, bound.holder, &listed.reply)?,
                _ => Vec::new(),
            };
            nodes.push(ValuedNode { gain: signed(&listed.value), rank: listed.rank, groups });
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

    /// Returns the moves that play by the policy may make in a position; all where players choose simultaneously.
    fn followed_moves(
        &self,
        here: &PositionVisit<'_>,
        holder: Option<u32>,
        listed: &PolicyValue,
    ) -> Checked<Follow> {
        match (here.turn, &listed.reply) {
            (ToMove::Simultaneous, _) => Ok(Follow::All),
            (ToMove::Player(player), PolicyReply::Move(reply)) if holder == Some(*player) => {
                let (key, reply) = (listed.key.clone(), reply.clone());
                Ok(Follow::One(self.legal_index(here, &StrategyReply { key, rank: None, reply })?))
            }
            (ToMove::Player(player), _) if holder == Some(*player) => {
                self.reject_at(here.state, "the policy has no move here")
            }
            (_, PolicyReply::None) => Ok(Follow::All),
            _ => self.reject_at(here.state, "an answer is listed where the holder does not move"),
        }
    }

    /// Returns the moves of positive probability after each combination of choices of the other players.
    fn groups(
        &self,
        here: &PositionVisit<'_>,
        holder: Option<u32>,
        reply: &PolicyReply,
    ) -> Checked<Vec<MoveShares>> {
        let own = |play| holder.and_then(|holder| own_part(here.turn, play, holder as usize));
        let choices = holder.map_or_else(Vec::new, |holder| choices_of(here, holder as usize));
        let shares = match reply {
            PolicyReply::None if choices.is_empty() => &[],
            PolicyReply::Mixed(shares) if is_mixture(shares, choices.len()) => &shares[..],
            _ => return self.reject_at(here.state, "the answer is no mixture of the choices"),
        };
        let mut groups: Vec<(Vec<&MoveInstance>, MoveShares)> = Vec::new();
        for (number, (play, _, _)) in here.moves.iter().enumerate() {
            let parts = if let MoveInstance::Joint(parts) = play { &parts[..] } else { &[] };
            let others = parts.iter().filter(|(who, _)| Some(*who) != holder).map(|(_, part)| part);
            let others: Vec<&MoveInstance> = others.collect();
            let share = match choices.iter().position(|choice| Some(choice) == own(play)) {
                Some(choice) => shares[choice].clone(),
                None if choices.is_empty() => Rational::ONE,
                None => Rational::ZERO,
            };
            let place = groups.iter().position(|(of, _)| *of == others).unwrap_or_else(|| {
                groups.push((others, Vec::new()));
                groups.len() - 1
            });
            if !share.is_zero() {
                groups[place].1.push((number, share));
            }
        }
        let groups: Vec<MoveShares> = groups.into_iter().map(|(_, group)| group).collect();
        let whole =
            |group: &MoveShares| group.iter().map(|(_, share)| share).sum::<Rational>() == Rational::ONE;
        if !groups.iter().all(whole) {
            return self.reject_at(here.state, "some choices are not legal together");
        }
        Ok(groups)
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

    /// Checks that no group of moves makes the value of a position smaller in the mean, and that its rank is exact.
    fn check_value(&self, walk: &VisitedGraph, nodes: &[ValuedNode], at: u32) -> Checked<()> {
        let (here, next) = (&nodes[at as usize], walk.next(at));
        let each =
            (0..next.len()).filter(|_| here.groups.is_empty()).map(|number| vec![(number, Rational::ONE)]);
        let mut exact = 0;
        for group in here.groups.iter().cloned().chain(each) {
            let to = || group.iter().map(|(number, _)| &nodes[next[*number] as usize]);
            let mean = to().zip(&group).map(|(to, (_, share))| &to.gain * share).sum::<Rational>();
            if mean < here.gain {
                let reason = format!("the value {} is listed, and what follows gives {mean}", here.gain);
                return self.reject_node(walk, at, reason);
            }
            if to().all(|to| to.gain == here.gain) {
                // A rank that is missing is larger than any other.
                let after = to().map(|to| to.rank.map_or(u64::MAX, |rank| rank + 1)).min();
                exact = after.unwrap_or(0).max(exact);
            }
        }
        if !next.is_empty() && here.rank.is_some_and(|rank| rank != exact) {
            return self.reject_node(walk, at, "the rank does not show that play leaves the value");
        }
        Ok(())
    }
}
