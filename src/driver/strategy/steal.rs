//! Strategy stealing: shows that there is a good move, without naming it.

use bouton_base::rational::Rational;

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_certificates::{Claim, Convention, Lemma, PayoffBound, StealArgument, StealLemma};
use bouton_detect::{absorption, stealing};
use bouton_grounding::Renaming;
use bouton_rules::MoveInstance;
use bouton_search::solve::{Bounds, Solution, Status};

/// Strategy stealing.
pub const STEAL: StrategySolver = StrategySolver {
    name: "steal",
    description: "strategy stealing: some first move is good, without saying which",
    search: |search| search.by_stealing(),
};

impl StrategySearch<'_> {
    /// Shows that the player to move does as well as any strategy of the other player would.
    pub(super) fn by_stealing(&self) -> Result<AcceptedStrategy, Inapplicable> {
        if self.game.rules.players().len() != 2 {
            return Err("strategy stealing is for two players".into());
        }
        match (self.by_absorption(), Convention::of(&self.game.rules)) {
            (Err(Inapplicable::Reason(_)), Convention::Goal | Convention::Score | Convention::Payoff) => {
                self.by_stolen_cells()
            }
            (found, _) => found,
        }
    }

    /// Finds a first move after which every answer leads to a position that the mover could have reached at once.
    fn by_absorption(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let holder = self.mover().min(1);
        let none = "every first move has an answer that leads where no first move leads";
        let proposed = absorption::moves(&self.ground, &self.position);
        let (first, proof) = self.first(proposed, none, |play: &MoveInstance| {
            let by = StealArgument::Absorption(self.interpreter.call_form(play));
            let lemma = Lemma::Steal(StealLemma { bound: Self::win(holder), by });
            (Claim::Wins { player: holder, plies: None }, vec![lemma])
        })?;
        let (name, other) = (self.player(holder), self.player(1 - holder));
        let first = self.made(&first).written;
        let how = format!("{name} has a winning first move, though this argument does not show which");
        let why = format!(
            "if {first} is not one, {other} has a good answer to it, and wherever that leads, {name} could have moved \
             there at once"
        );
        Ok(self.accept(StrategyDescription::without_moves(self.won(holder), how, why, proof)))
    }

    /// Uses cells of which one more never hurts: shows a win if no end is a draw, and otherwise that the player who
    /// moves first need not lose.
    fn by_stolen_cells(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let holder = self.mover().min(1);
        let zero = Rational::default();
        let draws = self.ground.ends.iter().any(|end| end.payoffs.iter().all(|payoff| *payoff == zero));
        let payoff = if draws { zero } else { Rational::from_integer(1) };
        let bound = PayoffBound { holder: Some(holder), payoff: payoff.clone() };
        let none = "no symmetry of the board exchanges the goals of the players";
        let proposed = stealing::exchanges(&self.ground, &self.position, payoff.clone());
        let (_, proof) = self.first(proposed, none, |renaming: &Renaming| {
            let by = StealArgument::Exchange(super::symmetry::images(renaming));
            let claim = match draws {
                true => Claim::AtLeast { player: holder, payoff: payoff.clone() },
                false => Claim::Wins { player: holder, plies: None },
            };
            (claim, vec![Lemma::Steal(StealLemma { bound: bound.clone(), by })])
        })?;
        let (name, other) = (self.player(holder), self.player(1 - holder));
        let well = if draws { "need not lose" } else { "wins" };
        let how = format!("{name} {well}, though this argument does not show by which moves");
        let why = format!(
            "{other} could do no better than {name}, who moves first and plays as {other} would: an extra claim \
             never hurts"
        );
        let found = self.accept(StrategyDescription::without_moves(self.won(holder), how, why, proof));
        if !draws {
            return Ok(found);
        }
        let bounds = match holder {
            0 => Bounds { low: Some(payoff), high: None },
            _ => Bounds { low: None, high: Some(-payoff) },
        };
        let reason = Some(format!("a stolen strategy shows that {name} need not lose, and no more"));
        let (status, bounds) = (Status::Bounded, Some(bounds));
        let solution = Solution { status, bounds, reason, value: None, ..found.solution };
        Ok(AcceptedStrategy { solution, ..found })
    }
}
