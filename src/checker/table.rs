//! The check of TABLE: every reachable position is listed, no position recurs, the ends have one sum, and each value
//! is the best move's, or the mean at a chance node.

use bouton_base::rational::Rational;

use super::strategy::ListedKeys;
use super::visit::{Follow, VisitedGraph};
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_certificates::{PositionKey, TableLemma};
use bouton_reference::State;
use bouton_rules::ToMove;

/// The relation of a position's value to those of its successors.
enum ValueRule {
    /// Terminal: the value of the end.
    End,
    /// The best value for this player.
    Player(u32),
    /// The mean with these probabilities.
    Chance(Vec<Rational>),
}

/// The visited positions with their values.
struct ValuedNodes {
    nodes: Vec<ValueRule>,
    values: Vec<Rational>,
}

impl Checker<'_> {
    /// Proves the payoffs of the players in the position of the certificate.
    pub(super) fn table(&mut self, start: &State, table: &TableLemma) -> Checked<Fact> {
        let players = self.rules.players().len();
        reject_if(!(1..=2).contains(&players), "perfect play has a single value only for one player or two")?;
        let keys = ListedKeys::of(table.values.iter().map(|valued| &valued.key))?;
        let mut labelled = ValuedNodes { nodes: Vec::new(), values: Vec::new() };
        let mut sum = PayoffSum::default();
        let walk = self.visit_positions(start, &mut |checker, here| {
            let listed = keys.find(here.key).map(|number| &table.values[number]);
            let (node, value) = match (here.turn, listed) {
                (ToMove::Terminal(outcome), listed) => {
                    if listed.is_some() {
                        return checker
                            .reject_at(here.state, "the game is over here, and the position is listed");
                    }
                    sum.record(&outcome.payoffs);
                    let Some(payoff) = outcome.payoffs.first() else {
                        return checker.reject_at(here.state, "the end gives no payoff");
                    };
                    (ValueRule::End, payoff.clone())
                }
                (_, None) => return checker.reject_at(here.state, "the position is not listed"),
                (ToMove::Simultaneous, _) => {
                    return checker.reject_at(
                        here.state,
                        "players choose simultaneously, which this kind does not support",
                    );
                }
                (ToMove::Player(player), Some(listed)) => (ValueRule::Player(*player), listed.value.clone()),
                (ToMove::Chance, Some(listed)) => {
                    let shares = here.moves.iter().map(|(_, _, share)| share.clone()).collect();
                    (ValueRule::Chance(shares), listed.value.clone())
                }
            };
            labelled.nodes.push(node);
            labelled.values.push(value);
            Ok(Follow::All)
        })?;
        self.all_reached(table.values.iter().map(|valued| &valued.key), &walk)?;
        let back = "play can come back to this position, and a table needs a finite game";
        self.finite_plays(&walk, &|_| None, back)?;
        let rest = match (sum, players) {
            (_, 1) => None,
            (PayoffSum::Always(sum), _) => Some(sum),
            _ => return reject("the payoffs of the ends do not add up to one sum"),
        };
        for at in 0..walk.len() {
            self.value(&walk, &labelled, at)?;
        }
        let first = &labelled.values[0];
        let second = rest.map(|sum| sum - first);
        Ok(Fact::Values(std::iter::once(first.clone()).chain(second).collect()))
    }

    /// Checks that play reaches all positions that a lemma lists.
    pub(super) fn all_reached<'k>(
        &self,
        mut listed: impl Iterator<Item = &'k PositionKey>,
        walk: &VisitedGraph,
    ) -> Checked<()> {
        let mut reached: Vec<&[u64]> = (0..walk.len() as u32).map(|at| walk.key(at)).collect();
        reached.sort_unstable();
        let is_not = |key: &[u64]| reached.binary_search(&key).is_err();
        match listed.find(|key| is_not(&key.0)) {
            None => Ok(()),
            Some(key) => reject(format!("play never reaches the position {key} that it lists")),
        }
    }

    fn value(&self, walk: &VisitedGraph, labelled: &ValuedNodes, at: usize) -> Checked<()> {
        let next = walk.next(at as u32).iter().map(|&to| &labelled.values[to as usize]);
        let (right, what) = match &labelled.nodes[at] {
            ValueRule::End => return Ok(()),
            ValueRule::Player(0) => (next.max().cloned(), "the best move"),
            ValueRule::Player(_) => (next.min().cloned(), "the best move"),
            ValueRule::Chance(shares) => {
                (Some(next.zip(shares).map(|(value, share)| value * share).sum()), "the mean")
            }
        };
        match right {
            None => self.reject_node(walk, at as u32, "there is no move"),
            Some(right) if right == labelled.values[at] => Ok(()),
            Some(right) => {
                let listed = &labelled.values[at];
                let reason = format!("the value {listed} is listed, and {what} gives {right}");
                self.reject_node(walk, at as u32, reason)
            }
        }
    }
}
