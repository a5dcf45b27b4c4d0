//! The check of EQUILIBRIUM: in each position the payoffs are those of the strategies, no player gains by another
//! choice there, and play ends.

use bouton_base::rational::Rational;

use super::behaviour::{choices_of, is_mixture, own_part};
use super::strategy::ListedKeys;
use super::visit::{Follow, PositionVisit, VisitedGraph};
use super::{CheckError, Checked, Checker, Fact, reject, reject_if};
use bouton_certificates::{EquilibriumLemma, EquilibriumPosition};
use bouton_reference::State;
use bouton_rules::{MoveInstance, ToMove};

/// The moves that have a positive probability, with it.
pub(super) type MoveShares = Vec<(usize, Rational)>;

/// A visited position.
struct EquilibriumNode {
    payoffs: Vec<Rational>,
    rank: u64,
    chance: bool,
    /// The moves by the strategies.
    by_strategies: MoveShares,
    /// The moves if this player makes another choice here, for each choice.
    by_others: Vec<(usize, MoveShares)>,
    /// True if infinite play through the position gives no player more than the strategies do; at an end there is none.
    infinite_play_gains_nothing: bool,
}

impl Checker<'_> {
    /// Proves that the strategies are an equilibrium with these payoffs.
    pub(super) fn equilibrium(&mut self, start: &State, lemma: &EquilibriumLemma) -> Checked<Fact> {
        let (players, listed) = (self.rules.players().len(), &lemma.positions);
        reject_if(players < 2, "an equilibrium has at least two players")?;
        let keys = ListedKeys::of(listed.iter().map(|position| &position.key))?;
        if listed.iter().any(|position| position.rank > u64::from(u32::MAX)) {
            return reject("a rank is larger than any play is long");
        }
        let mut nodes: Vec<EquilibriumNode> = Vec::new();
        let walk = self.visit_positions(start, &mut |checker, here| {
            if let ToMove::Terminal(outcome) = here.turn {
                nodes.push(EquilibriumNode {
                    payoffs: outcome.payoffs.clone(),
                    rank: 0,
                    chance: false,
                    by_strategies: Vec::new(),
                    by_others: Vec::new(),
                    infinite_play_gains_nothing: true,
                });
            } else {
                let Some(number) = keys.find(here.key) else {
                    return checker.reject_at(here.state, "the position is not listed");
                };
                nodes.push(checker.equilibrium_node(here, &listed[number])?);
            }
            let payoffs = nodes.last().map_or(0, |node| node.payoffs.len());
            if payoffs != players {
                return checker.reject_at(here.state, "there is not one payoff for each player");
            }
            Ok(Follow::All)
        })?;
        self.all_reached(listed.iter().map(|position| &position.key), &walk)?;
        reject_if(nodes[0].payoffs != lemma.payoffs, "the first position has other payoffs")?;
        let harmless = nodes.iter().all(|node| node.infinite_play_gains_nothing);
        for at in 0..walk.len() as u32 {
            self.tick()?;
            self.check_equilibrium(&walk, &nodes, at)?;
            self.check_equilibrium_rank(&walk, &nodes, at, harmless)?;
        }
        Ok(Fact::Equilibrium(lemma.payoffs.clone()))
    }

    /// Reads a listed position: the moves by the strategies, and those by each other choice.
    fn equilibrium_node(
        &self,
        here: &PositionVisit<'_>,
        listed: &EquilibriumPosition,
    ) -> Checked<EquilibriumNode> {
        let chance = *here.turn == ToMove::Chance;
        let all: Vec<(usize, Vec<MoveInstance>)> = (0..self.rules.players().len())
            .map(|player| (player, choices_of(here, player)))
            .filter(|(_, choices)| !choices.is_empty())
            .collect();
        let fits = all.len() == listed.choices.len()
            && all.iter().zip(&listed.choices).all(|((_, of), listed)| is_mixture(&listed.0, of.len()));
        if !fits {
            return self.reject_at(here.state, "the numbers are no probabilities of the choices");
        }
        // The moves if one of the players who choose makes a certain choice; without one, by the strategies.
        let moves = |changed: Option<(usize, usize)>| -> Checked<MoveShares> {
            let mut shares = MoveShares::new();
            for (number, (play, _, event)) in here.moves.iter().enumerate() {
                let mut share = if chance { event.clone() } else { Rational::ONE };
                for (place, (player, choices)) in all.iter().enumerate() {
                    let own = own_part(here.turn, play, *player);
                    let choice = choices.iter().position(|choice| Some(choice) == own);
                    share = match (choice, changed) {
                        (Some(choice), Some((of, to))) if of == place && choice == to => share,
                        (Some(choice), changed) if changed.is_none_or(|(of, _)| of != place) => {
                            &share * &listed.choices[place].0[choice]
                        }
                        _ => Rational::ZERO,
                    };
                }
                if !share.is_zero() {
                    shares.push((number, share));
                }
            }
            if shares.iter().map(|(_, share)| share).sum::<Rational>() != Rational::ONE {
                return self.reject_at(here.state, "some choices are not legal together");
            }
            Ok(shares)
        };
        let mut by_others = Vec::new();
        for (place, (player, choices)) in all.iter().enumerate() {
            for choice in 0..choices.len() {
                by_others.push((*player, moves(Some((place, choice)))?));
            }
        }
        Ok(EquilibriumNode {
            payoffs: listed.payoffs.clone(),
            rank: listed.rank,
            chance,
            by_strategies: moves(None)?,
            by_others,
            infinite_play_gains_nothing: self.infinite_play_gains_nothing(here, listed)?,
        })
    }

    /// Returns true if infinite play through a position has a value, and gives no player more than the strategies do.
    fn infinite_play_gains_nothing(
        &self,
        here: &PositionVisit<'_>,
        listed: &EquilibriumPosition,
    ) -> Checked<bool> {
        let outcome = self.interpreter.infinite_outcome(here.state);
        let outcome = self.interpreter.unless_limited(outcome).map_err(CheckError::Limit)?;
        Ok(outcome.is_some_and(|of| of.payoffs.iter().zip(&listed.payoffs).all(|(of, listed)| of <= listed)))
    }

    /// Checks that the payoffs of a position are those of the strategies, and that no player gains by another choice.
    fn check_equilibrium(&self, walk: &VisitedGraph, nodes: &[EquilibriumNode], at: u32) -> Checked<()> {
        let (here, next) = (&nodes[at as usize], walk.next(at));
        if next.is_empty() {
            return Ok(());
        }
        let mean = |shares: &MoveShares, player: usize| -> Rational {
            shares.iter().map(|(number, share)| &nodes[next[*number] as usize].payoffs[player] * share).sum()
        };
        for (player, listed) in here.payoffs.iter().enumerate() {
            let payoff = mean(&here.by_strategies, player);
            if payoff != *listed {
                let name = self.player(player as u32);
                let reason =
                    format!("the payoff {listed} of {name} is listed, and the strategies give {payoff}");
                return self.reject_node(walk, at, reason);
            }
        }
        match here.by_others.iter().find(|(player, shares)| mean(shares, *player) > here.payoffs[*player]) {
            None => Ok(()),
            Some((player, _)) => {
                let reason = format!("{} gains by another choice", self.player(*player as u32));
                self.reject_node(walk, at, reason)
            }
        }
    }

    /// Checks the rank of a position: it is one more than the least rank after it by the strategies, if nobody
    /// gains by infinite play; otherwise than the greatest rank after it, or the least one if chance acts.
    fn check_equilibrium_rank(
        &self,
        walk: &VisitedGraph,
        nodes: &[EquilibriumNode],
        at: u32,
        harmless: bool,
    ) -> Checked<()> {
        let (here, next) = (&nodes[at as usize], walk.next(at));
        let by_strategies =
            here.by_strategies.iter().map(|(number, _)| nodes[next[*number] as usize].rank).min();
        let by_any = || next.iter().map(|&to| nodes[to as usize].rank).max();
        let after = if harmless || here.chance { by_strategies } else { by_any() };
        if after.is_some_and(|after| here.rank != after + 1) {
            return self.reject_node(walk, at, "the rank does not show that play ends");
        }
        Ok(())
    }
}
