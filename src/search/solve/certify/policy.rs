//! Certificates for chance with positions that recur: the values under a policy of each player, with ranks.

use super::{GraphCertifier, GraphStrategy, NoCertificate};
use crate::solve::graph::GraphNode;
use crate::solve::labels::NO_LABEL;
use crate::solve::value::ValueKind;
use bouton_base::rational::Rational;
use bouton_certificates::{Claim, Lemma, PayoffBound, PolicyReply, PolicyValue, ValuesLemma};

impl GraphCertifier<'_> {
    /// Builds the claim of a value with the bounds that prove it.
    pub(super) fn policies(
        &self,
        kind: ValueKind,
        payoffs: &[Rational],
    ) -> Result<(Claim, Vec<Lemma>), NoCertificate> {
        let claim = match kind {
            ValueKind::Win(player) => Claim::Wins { player, plies: None },
            ValueKind::Solved => Claim::Wins { player: 0, plies: None },
            ValueKind::Unsolvable => Claim::Unsolvable,
            ValueKind::Draw | ValueKind::Payoff => Claim::Value(payoffs.to_vec()),
        };
        let holders: Vec<Option<u32>> = match (kind, payoffs.len()) {
            (ValueKind::Win(player), _) => vec![Some(player)],
            (ValueKind::Solved, _) => vec![Some(0)],
            (ValueKind::Unsolvable, _) => vec![None],
            (_, 1) => vec![Some(0), None],
            (..) => vec![Some(0), Some(1)],
        };
        let lemmas = holders.into_iter().map(|holder| self.policy(holder)).collect::<Result<_, _>>()?;
        Ok((claim, lemmas))
    }

    /// Builds the claim of the bounds of the value, with the policies that guarantee them.
    pub(super) fn enclosure(&self) -> Result<(Claim, Vec<Lemma>), NoCertificate> {
        let (Some(low), Some(high)) = self.table.bounds_at(0) else {
            return Err(NoCertificate::InexactValue);
        };
        let opponent = (self.table.stakes().players > 1).then_some(1);
        let lemmas = vec![self.policy(Some(0))?, self.policy(opponent)?];
        Ok((Claim::Between { low, high }, lemmas))
    }

    /// Returns the first player's payoff in a position by the bound that this holder is sure of.
    fn sure_value(&self, at: u32, holder: Option<u32>) -> Option<Rational> {
        let (low, high) = self.table.bounds_at(at);
        if holder == Some(0) { low } else { high }
    }

    /// Builds the bound of this holder, or the bound that no play passes.
    fn policy(&self, holder: Option<u32>) -> Result<Lemma, NoCertificate> {
        // The ranks of an upper bound are those of an opponent.
        let ranks = self.table.progress(holder.unwrap_or(1)).ok_or(NoCertificate::InexactValue)?;
        let payoff = |at: u32| {
            let value = self.sure_value(at, holder).ok_or(NoCertificate::InexactValue)?;
            Ok(self.table.stakes().payoff(value, holder.unwrap_or(0)))
        };
        let policy = self.policy_positions(holder, ranks)?;
        let mut values = Vec::with_capacity(policy.len());
        for (at, edge) in policy {
            let state = self.graph.explored.arena.state(at);
            let reply = match edge {
                None => PolicyReply::None,
                Some(edge) => {
                    let successors = self.game.machine.successors(&state).map_err(NoCertificate::Halt)?;
                    let made = successors.get(edge).ok_or(NoCertificate::OtherMoves)?;
                    PolicyReply::Move(self.interpreter.call_form(&made.play))
                }
            };
            let rank = ranks[at as usize];
            let rank = (rank != NO_LABEL).then_some(u64::from(rank));
            values.push(PolicyValue { key: self.key(&state)?, value: payoff(at)?, rank, reply });
            self.check(values.len())?;
        }
        values.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let bound = PayoffBound { holder, payoff: payoff(0)? };
        Ok(Lemma::Values(ValuesLemma { bound, values }))
    }

    /// Returns the positions that a policy reaches and that are not terminal, with the holder's moves: those that keep
    /// the value and decrease the rank, where there is one.
    fn policy_positions(&self, holder: Option<u32>, ranks: &[u32]) -> Result<GraphStrategy, NoCertificate> {
        let mut policy = GraphStrategy::default();
        let mut ahead = vec![0];
        while let Some(at) = ahead.pop() {
            let node = self.graph.node(at);
            if matches!(node, GraphNode::Over(_)) || policy.contains_key(&at) {
                continue;
            }
            let next = self.graph.successors(at);
            let edge = match node {
                GraphNode::Player(player) if holder == Some(player) => {
                    let (here, rank) = (self.sure_value(at, holder), ranks[at as usize]);
                    let keeps = |&edge: &usize| {
                        self.sure_value(next[edge], holder) == here
                            && (rank == NO_LABEL || ranks[next[edge] as usize] + 1 == rank)
                    };
                    let edges = (0..next.len()).filter(keeps);
                    let known = |&edge: &usize| !policy.contains_key(&next[edge]);
                    Some(edges.min_by_key(known).ok_or(NoCertificate::NoAnswer)?)
                }
                GraphNode::Open | GraphNode::Each => return Err(NoCertificate::OpenStrategy),
                _ => None,
            };
            policy.insert(at, edge);
            self.check(policy.len())?;
            match edge {
                Some(edge) => ahead.push(next[edge]),
                None => ahead.extend(next.iter().rev()),
            }
        }
        Ok(policy)
    }
}
