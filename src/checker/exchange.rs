//! The check of EXCHANGE: on the grounded rules.
//!
//! The symmetry maps a position to one in which the players have changed places: a move is legal in one if and only if
//! its image is legal in the other, it leads to the image of its successor, and each end maps to one with exchanged
//! payoffs. Players who choose simultaneously still choose independently: the image of a player's part of a move
//! depends on that part alone. Play is finite, and every end is zero-sum, so there is a value (von Neumann 1928; move
//! by move from the ends), and it is its own negative.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

use super::grounded::{ANALYSIS_BUDGET, FluentEffects, renamed_effects};
use super::{Checked, Checker, Fact, reject, reject_if};
use bouton_certificates::ExchangeLemma;
use bouton_certificates::parity::Modulus;
use bouton_grounding::{
    Action, ActionMaker, FALSE, Formula, Ground, PairwiseReachability, Renaming, Transition,
};
use bouton_reference::State;
use bouton_rules::MoveInstance;

/// The image of each move, by player.
type MoveImages = [FxHashMap<String, String>; 2];

impl Checker<'_> {
    /// Proves that the position has the value 0 for both players.
    pub(super) fn exchange(&mut self, start: &State, exchange: &ExchangeLemma) -> Checked<Fact> {
        let mut ground = self.grounded()?;
        reject_if(self.rules.players().len() != 2, "it is for two players")?;
        let position = self.fluent_position(&ground, start)?;
        let renaming = self.permutation(&ground, &exchange.images)?;
        reject_if(renaming.image(&position) != position, "the position is not as it was after the exchange")?;
        let moves: MoveImages = [0, 1].map(|player: usize| exchange.moves[player].iter().cloned().collect());
        let mut budget = ANALYSIS_BUDGET;
        let (joint, live) = self.reachable_moves(&ground, &position, &mut budget)?;
        let mut images = FxHashSet::default();
        for (number, name, _) in &live {
            let image = self.image(&mut ground, *number, &renaming, &moves)?;
            if !images.insert(image) || !live.iter().any(|(other, ..)| *other == image) {
                return reject(format!("`{name}` becomes what another move becomes, or never is legal"));
            }
        }
        let steps: Vec<(String, Transition)> = live.into_iter().map(|(_, name, step)| (name, step)).collect();
        self.ends_exchanged(&mut ground, &renaming)?;
        self.check_irreversible_within(&ground, &joint, &steps, &mut budget)?;
        self.no_dead_ends(&mut ground, &joint, (&position, &steps), exchange, &mut budget)?;
        Ok(Fact::Values(vec![Rational::default(); 2]))
    }

    /// Returns the number of the image of a move, which must have the images of its conditions and effects.
    fn image(
        &self,
        ground: &mut Ground,
        number: usize,
        renaming: &Renaming,
        moves: &MoveImages,
    ) -> Checked<usize> {
        let action = ground.actions[number].clone();
        let name = self.interpreter.call_form(&action.play);
        let becomes = |player: u32, play: &MoveInstance| {
            moves.get(player as usize)?.get(&self.interpreter.call_form(play)).cloned()
        };
        let is_image = |other: &Action| match (&action.maker, &action.play, &other.maker, &other.play) {
            (ActionMaker::All, MoveInstance::Joint(parts), ActionMaker::All, MoveInstance::Joint(others)) => {
                parts.len() == others.len()
                    && parts.iter().all(|(player, play)| {
                        let there = others.iter().find(|(other, _)| *other == 1 - player.min(&1));
                        let wanted = becomes(*player, play);
                        there.is_some_and(|(_, play)| Some(self.interpreter.call_form(play)) == wanted)
                    })
            }
            (ActionMaker::Player(player), play, ActionMaker::Player(other), there) => {
                *player != *other && becomes(*player, play) == Some(self.interpreter.call_form(there))
            }
            _ => false,
        };
        let Some(image) = ground.actions.iter().position(is_image) else {
            return reject(format!("`{name}` becomes no move of the other player"));
        };
        let legal = ground.formulas.rename(action.legal, renaming);
        let own = effects(ground, &action);
        let renamed = renamed_effects(ground, &own, renaming)?;
        let other = ground.actions[image].clone();
        if legal != Some(other.legal) || renamed != effects(ground, &other) {
            return reject(format!("`{name}` does something else after the exchange"));
        }
        Ok(image)
    }

    /// Checks that each end maps to one with exchanged payoffs, and that the payoffs sum to 0.
    fn ends_exchanged(&self, ground: &mut Ground, renaming: &Renaming) -> Checked<()> {
        let mut when: FxHashMap<Vec<Rational>, Vec<Formula>> = FxHashMap::default();
        let mut there: FxHashMap<Vec<Rational>, Vec<Formula>> = FxHashMap::default();
        for end in ground.ends.clone() {
            if !end.payoffs.iter().sum::<Rational>().is_zero() {
                return reject("the payoffs of an end do not add up to 0");
            }
            let image = ground
                .formulas
                .rename(end.when, renaming)
                .ok_or("an end depends on a recursive definition")?;
            let changed: Vec<Rational> = end.payoffs.iter().rev().cloned().collect();
            when.entry(end.payoffs).or_default().push(end.when);
            there.entry(changed).or_default().push(image);
        }
        for (payoffs, ends) in when {
            let images = there.remove(&payoffs).unwrap_or_default();
            if ground.formulas.or(ends) != ground.formulas.or(images) {
                return reject("an end gives something else after the exchange");
            }
        }
        if there.is_empty() { Ok(()) } else { reject("an end gives something else after the exchange") }
    }

    /// Checks that every reachable position without moves is an end.
    fn no_dead_ends(
        &self,
        ground: &mut Ground,
        joint: &PairwiseReachability,
        (position, steps): (&[u8], &[(String, Transition)]),
        exchange: &ExchangeLemma,
        budget: &mut u64,
    ) -> Checked<()> {
        let weights = self.weights(ground, Modulus(2), &exchange.odd)?;
        self.check_parity_kept(ground, joint, steps, &weights, budget)?;
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let either = ground.formulas.or([free, ground.over]);
        let dead = ground.formulas.not(either);
        if weights.excludes(ground, joint, dead, weights.sum(position)) {
            return Ok(());
        }
        reject("the rules alone do not show that the game is over where nobody can move")
    }
}

/// Returns the effects of a move that are possible where it is legal.
fn effects(ground: &mut Ground, action: &Action) -> FluentEffects {
    let mut effects = FluentEffects::default();
    for becomes in &action.updates {
        for (value, when) in &becomes.values {
            let when = ground.formulas.and([action.legal, *when]);
            if when != FALSE {
                effects.insert((becomes.fluent, *value), when);
            }
        }
    }
    effects
}
