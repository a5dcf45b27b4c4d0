//! The check of AUTOMATON: in each reachable position, the automaton's verdict agrees with its verdicts on the
//! successors; and play is finite.

use super::visit::Follow;
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates as cert;
use bouton_grounding::Ground;
use bouton_reference::State;
use bouton_rules::ToMove;

impl Checker<'_> {
    /// Proves that the holder can force the bound.
    pub(super) fn automaton(&mut self, start: &State, of: &cert::AutomatonLemma) -> Checked<Fact> {
        let ground = self.grounded()?;
        let holder = self.holder_of_two(&of.bound)?;
        if !of.lost.is_well_formed() || of.lost.minimized() != of.lost {
            return reject("it is not a minimal automaton with its states in the order of their words");
        }
        // For each position: the player to move, or `None` at an end, and the winner according to the automaton.
        let mut said: Vec<(Option<u32>, u32)> = Vec::new();
        let mut sum = PayoffSum::default();
        let walk = self.visit_positions(start, &mut |checker, here| {
            let lost = of.lost.accepts(checker.letters(&ground, here.state)?);
            let Some(lost) = lost else {
                return checker.reject_at(here.state, "the automaton cannot read this position");
            };
            let mover = match here.turn {
                ToMove::Player(player) => *player,
                ToMove::Terminal(_) => checker.interpreter.mover(here.state),
                _ => return checker.reject_at(here.state, "it is not the turn of one player"),
            };
            let winner = if lost { 1 - mover.min(1) } else { mover };
            if let ToMove::Terminal(outcome) = here.turn {
                sum.record(&outcome.payoffs);
                let gets = outcome.payoffs.get(holder as usize).is_some_and(|gets| *gets >= of.bound.payoff);
                if gets != (winner == holder) {
                    return checker.reject_at(here.state, "the automaton does not say how the game ended");
                }
                said.push((None, winner));
            } else {
                said.push((Some(mover), winner));
            }
            Ok(Follow::All)
        })?;
        self.finite_plays(&walk, &|_| None, "play can come back to this position")?;
        for (at, &(mover, winner)) in said.iter().enumerate() {
            let Some(mover) = mover else { continue };
            let wins = walk.next(at as u32).iter().any(|&to| said[to as usize].1 == mover);
            if wins != (winner == mover) {
                let (says, moves) = if wins { ("lost", "a move leads") } else { ("won", "no move leads") };
                let reason =
                    format!("the automaton says that it is {says}, and {moves} to what it says is lost");
                return self.reject_node(&walk, at as u32, reason);
            }
        }
        reject_if(said[0].1 != holder, "the automaton says that the other player wins")?;
        Ok(Fact::Bound { bound: of.bound.clone(), plies: None, sum })
    }

    /// Returns a position as letters: the value numbers of all fluents except turn and phase.
    fn letters(&self, ground: &Ground, state: &State) -> Checked<Vec<u8>> {
        let numbers = self.fluent_position(ground, state)?;
        let (turn, phase) = (ground.fluents.turn().index(), ground.fluents.phase().index());
        let own = numbers.into_iter().enumerate().filter(|(place, _)| *place != turn && *place != phase);
        Ok(own.map(|(_, number)| number).collect())
    }
}
