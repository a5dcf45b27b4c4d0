//! The check of EXCHANGE: on the grounded rules.
//!
//! The symmetry maps a position to one in which the players have changed places: a move is legal in one if and only if
//! its image is legal in the other, it leads to the image of its successor, and each end maps to one with exchanged
//! payoffs. Players who choose simultaneously still choose independently: the image of a player's part of a move
//! depends on that part alone. Play is finite, and every end is zero-sum, so there is a value (von Neumann 1928; move
//! by move from the ends), and it is its own negative.

use num_rational::Rational64;
use rustc_hash::{FxHashMap, FxHashSet};

use super::grounded::ANALYSIS_BUDGET;
use super::{CheckError, Checker, Fact, position};
use bouton_base::id::Id;
use bouton_certificates::ExchangeLemma;
use bouton_certificates::mirror::FluentImage;
use bouton_grounding::{
    Action, ActionMaker, FALSE, FluentId, Formula, Ground, PairwiseReachability, Renaming, Transition,
};
use bouton_reference::State;
use bouton_rules::MoveInstance;

/// The image of each move, by player.
type MoveImages = [FxHashMap<String, String>; 2];

/// The effects of a move: by fluent and new value, the condition for it.
type FluentEffects = FxHashMap<(FluentId, u8), Formula>;

impl Checker<'_> {
    /// Proves that the position has the value 0 for both players.
    pub(super) fn exchange(&mut self, start: &State, exchange: &ExchangeLemma) -> Result<Fact, CheckError> {
        let mut ground = self.grounded()?;
        if self.rules.players().len() != 2 {
            return self.reject("it is for two players");
        }
        let position = self.fluent_position(&ground, start)?;
        let renaming = self.permutation(&ground, &exchange.images)?;
        if renaming.image(&position) != position {
            return self.reject("the position is not as it was after the exchange");
        }
        let moves: MoveImages = [0, 1].map(|player: usize| exchange.moves[player].iter().cloned().collect());
        let mut budget = ANALYSIS_BUDGET;
        let all: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
        let joint = self.within_budget(ground.pairwise_reachability(&position, &all, &mut budget))?;
        self.check_faultless_within(&ground, &joint, &mut budget)?;
        let mut live = Vec::new();
        for (number, step) in all.into_iter().enumerate() {
            if self.within_budget(joint.may_hold(&ground, step.legal, &mut budget))? {
                live.push((number, self.interpreter.call_form(&ground.actions[number].play), step));
            }
        }
        let mut images = FxHashSet::default();
        for (number, name, _) in &live {
            self.visited += 1;
            let image = self.image(&mut ground, *number, &renaming, &moves)?;
            if !images.insert(image) || !live.iter().any(|(other, ..)| *other == image) {
                return self.reject(format!("`{name}` becomes what another move becomes, or never is legal"));
            }
        }
        let steps: Vec<(String, Transition)> = live.into_iter().map(|(_, name, step)| (name, step)).collect();
        self.ends_exchanged(&mut ground, &renaming)?;
        self.check_irreversible_within(&ground, &joint, &steps, &mut budget)?;
        self.no_dead_ends(&mut ground, &joint, (&position, &steps), exchange, &mut budget)?;
        Ok(Fact::Values(vec![Rational64::default(); 2]))
    }

    /// Returns the renaming that a certificate lists, if it is a permutation of fluents and values.
    pub(super) fn permutation(
        &self,
        ground: &Ground,
        images: &[FluentImage],
    ) -> Result<Renaming, CheckError> {
        let mut renaming = Renaming {
            fluents: ground.fluents.iter().map(|(id, _)| id).collect(),
            values: ground.fluents.iter().map(|(_, f)| (0..f.values.len() as u8).collect()).collect(),
        };
        for image in images {
            let (from, to) = (image.from as usize, image.to as usize);
            if from >= renaming.fluents.len() || to >= renaming.fluents.len() {
                return self.reject("an image is of a fluent that does not exist");
            }
            renaming.fluents[from] = FluentId::new(to);
            renaming.values[from] = image.values.clone();
        }
        let once: FxHashSet<FluentId> = renaming.fluents.iter().copied().collect();
        let fits = |(id, _): (FluentId, _)| {
            let size = ground.fluents.get(renaming.fluents[id.index()]).values.len();
            let values: FxHashSet<u8> = renaming.values[id.index()].iter().copied().collect();
            renaming.values[id.index()].len() == ground.fluents.get(id).values.len()
                && values.len() == size
                && values.iter().all(|value| usize::from(*value) < size)
        };
        if once.len() != renaming.fluents.len() || !ground.fluents.iter().all(fits) {
            return self.reject("the symmetry sends two fluents or values to one");
        }
        Ok(renaming)
    }

    /// Returns the number of the image of a move, which must have the images of its conditions and effects.
    fn image(
        &self,
        ground: &mut Ground,
        number: usize,
        renaming: &Renaming,
        moves: &MoveImages,
    ) -> Result<usize, CheckError> {
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
            return self.reject(format!("`{name}` becomes no move of the other player"));
        };
        let itself = || format!("`{name}` depends on a recursive definition");
        let Some(legal) = ground.formulas.rename(action.legal, renaming) else {
            return self.reject(itself());
        };
        let mut renamed = FluentEffects::default();
        for ((fluent, value), when) in effects(ground, &action) {
            let Some(when) = ground.formulas.rename(when, renaming) else { return self.reject(itself()) };
            let there = renaming.fluents[fluent.index()];
            renamed.insert((there, renaming.values[fluent.index()][usize::from(value)]), when);
        }
        let other = ground.actions[image].clone();
        if legal != other.legal || renamed != effects(ground, &other) {
            return self.reject(format!("`{name}` does something else after the exchange"));
        }
        Ok(image)
    }

    /// Checks that each end maps to one with exchanged payoffs, and that the payoffs sum to 0.
    fn ends_exchanged(&self, ground: &mut Ground, renaming: &Renaming) -> Result<(), CheckError> {
        let mut when: FxHashMap<Vec<Rational64>, Vec<Formula>> = FxHashMap::default();
        let mut there: FxHashMap<Vec<Rational64>, Vec<Formula>> = FxHashMap::default();
        for end in ground.ends.clone() {
            if position::payoff_sum(&end.payoffs) != Some(Rational64::default()) {
                return self.reject("the payoffs of an end do not add up to 0");
            }
            let Some(image) = ground.formulas.rename(end.when, renaming) else {
                return self.reject("an end depends on a recursive definition");
            };
            let changed: Vec<Rational64> = end.payoffs.iter().rev().copied().collect();
            when.entry(end.payoffs).or_default().push(end.when);
            there.entry(changed).or_default().push(image);
        }
        for (payoffs, ends) in when {
            let images = there.remove(&payoffs).unwrap_or_default();
            if ground.formulas.or(ends) != ground.formulas.or(images) {
                return self.reject("an end gives something else after the exchange");
            }
        }
        if there.is_empty() { Ok(()) } else { self.reject("an end gives something else after the exchange") }
    }

    /// Checks that every reachable position without moves is an end.
    fn no_dead_ends(
        &self,
        ground: &mut Ground,
        joint: &PairwiseReachability,
        (position, steps): (&[u8], &[(String, Transition)]),
        exchange: &ExchangeLemma,
        budget: &mut u64,
    ) -> Result<(), CheckError> {
        let weights = self.weights(ground, &exchange.odd)?;
        self.check_parity_kept(ground, joint, steps, &weights, budget)?;
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let either = ground.formulas.or([free, ground.over]);
        let dead = ground.formulas.not(either);
        if weights.excludes(ground, joint, dead, weights.sum(position)) {
            return Ok(());
        }
        self.reject("the rules alone do not show that the game is over where nobody can move")
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
