//! Classes of positions with the same value, up to an exchange of the players, and a representative of each.
//!
//! A representative is the least image under the symmetries that keep the players. Where an exchange of the players is
//! known, representatives have one player as the mover; a position with the other mover stands for the image that
//! exchanges the players, whose value is what the first player's value leaves of the sum.

use super::canonical::Canonicalizer;
use super::compiled::{CompiledMachine, circuit_part};
use super::{Machine, Outcome, State, ToMove};
use bouton_base::bits::BitSet;
use bouton_circuit::{Circuit, ControlId, SlotId};
use bouton_rules::MOVER;
use rustc_hash::FxHashMap;

/// The classes of positions, by symmetries and an exchange of the players; at least one of them is there.
#[derive(Clone, Debug)]
pub struct PositionClasses {
    symmetries: Option<Canonicalizer>,
    exchange: Option<PositionExchange>,
}

/// A symmetry that exchanges the two players: as a permutation of bits its own inverse.
#[derive(Clone, Debug)]
pub struct PositionExchange {
    images: Canonicalizer,
    /// By control: the control of the image, if the position is to be exchanged.
    controls: Vec<Option<ControlId>>,
    /// By control of a representative: the control of the image.
    back: Vec<Option<ControlId>>,
}

impl PositionExchange {
    /// Creates an exchange from the target of each bit; representatives have the mover of `state`. `None` if some
    /// control has no counterpart, the permutation is not its own inverse, or the circuit may not hold an image.
    pub fn new(machine: &CompiledMachine, state: &State, targets: Vec<u32>) -> Option<PositionExchange> {
        let inverse = targets.iter().enumerate().all(|(from, &to)| targets[to as usize] == from as u32);
        let kept = machine.read(state, MOVER, 0).as_sym()?;
        let turns = &machine.lowered().turns;
        let image = |&(mover, phase): &(u32, u32)| {
            if mover == kept {
                return Some(None);
            }
            let to = turns.iter().position(|turn| *turn == (kept, phase))?;
            Some(Some(ControlId(to as u32)))
        };
        let controls = turns.iter().map(image).collect::<Option<Vec<_>>>().filter(|_| inverse)?;
        if !admits_images(machine.runner().circuit(), &controls, &targets) {
            return None;
        }
        let mut back = vec![None; controls.len()];
        for (from, to) in controls.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?))) {
            back[to.0 as usize] = Some(ControlId(from as u32));
        }
        let words = targets.len() / 64;
        Some(PositionExchange { images: Canonicalizer::new(words, &[targets]), controls, back })
    }
}

/// Returns true if the circuit holds the image of every position that it holds: images may be unreachable, and a
/// circuit relies on what is constant in all reachable positions.
fn admits_images(circuit: &Circuit, controls: &[Option<ControlId>], targets: &[u32]) -> bool {
    let bits = |slot: SlotId| {
        let of = &circuit.layout.slots[slot];
        (0..of.width()).map(move |i| (i, 64 * of.word + of.bit + i))
    };
    let mut maybe = BitSet::empty(targets.len() as u32);
    for (slot, of) in circuit.layout.slots.entries() {
        bits(slot).filter(|&(i, _)| of.maybe.contains(i)).for_each(|(_, bit)| maybe.insert(bit));
    }
    let constants = |control: ControlId| {
        let slots = circuit.controls[control].constant_slots.iter();
        let values = slots.flat_map(|(slot, value)| {
            bits(*slot).map(|(i, bit)| (bit, value.contains(i))).collect::<Vec<(u32, bool)>>()
        });
        values.collect::<FxHashMap<u32, bool>>()
    };
    let pairs = circuit.controls.ids().zip(controls).filter_map(|(from, to)| Some((from, (*to)?)));
    let constants_agree = |(from, to): (ControlId, ControlId)| {
        let known = constants(from);
        let of_image = |(bit, value): (u32, bool)| known.get(&targets[bit as usize]) == Some(&value);
        constants(to).into_iter().all(of_image)
    };
    circuit.stackings.is_empty()
        && maybe.iter().all(|bit| maybe.contains(targets[bit as usize]))
        && pairs.into_iter().all(constants_agree)
}

impl PositionClasses {
    /// Creates classes; `None` if neither symmetries nor an exchange are given.
    pub fn new(
        symmetries: Option<Canonicalizer>,
        exchange: Option<PositionExchange>,
    ) -> Option<PositionClasses> {
        (symmetries.is_some() || exchange.is_some()).then_some(PositionClasses { symmetries, exchange })
    }

    /// Returns the classes by symmetries that keep the players; `None` if there are no such symmetries.
    pub fn without_exchange(self) -> Option<PositionClasses> {
        PositionClasses::new(self.symmetries, None)
    }

    /// Returns true if a representative may stand for positions with exchanged players.
    pub fn exchanges_players(&self) -> bool {
        self.exchange.is_some()
    }

    /// Returns the greatest size of a class.
    pub fn order(&self) -> usize {
        let symmetries = self.symmetries.as_ref().map_or(1, Canonicalizer::order);
        if self.exchanges_players() { 2 * symmetries } else { symmetries }
    }

    pub fn held_bytes(&self) -> u64 {
        let exchange = self.exchange.iter().map(|exchange| &exchange.images);
        self.symmetries.iter().chain(exchange).map(Canonicalizer::held_bytes).sum()
    }

    /// Replaces a state by the representative of its class, control included; returns true if that exchanges the
    /// players. A state that the circuit cannot represent is unchanged.
    #[inline]
    pub fn represent(&self, state: &mut [u64]) -> bool {
        let exchanged = self.exchange.as_ref().is_some_and(|exchange| exchange.apply(state));
        if let Some(symmetries) = &self.symmetries {
            symmetries.canonicalize(state);
        }
        exchanged
    }

    /// Returns true if the ending of a representative is that of its image with exchanged players, or if players are not
    /// exchanged: the symmetries of rules do not tell this of ends that could hold at once.
    pub fn exchanges_payoffs(&self, machine: &CompiledMachine, state: &[u64], outcome: &Outcome) -> bool {
        let Some(exchange) = &self.exchange else { return true };
        let mut image = state.to_vec();
        let there = match exchange.apply_by(&exchange.back, &mut image) {
            true => machine.turn(&State(image.into())),
            false => return false,
        };
        matches!(there, Ok(ToMove::Terminal(there)) if there.payoffs.iter().eq(outcome.payoffs.iter().rev()))
    }

    /// Returns the number of positions with the same players that a state represents.
    pub fn orbit(&self, state: &State) -> u64 {
        self.symmetries.as_ref().map_or(1, |symmetries| symmetries.orbit(state))
    }
}

impl PositionExchange {
    /// Replaces a state by its image if its mover is not the one of representatives; returns true if it does.
    #[inline]
    fn apply(&self, state: &mut [u64]) -> bool {
        self.apply_by(&self.controls, state)
    }

    /// Replaces a state by its image if its control has an image among these; returns true if it does.
    #[inline]
    fn apply_by(&self, controls: &[Option<ControlId>], state: &mut [u64]) -> bool {
        let image = circuit_part(state).and_then(|(control, _)| controls[control.0 as usize]);
        if let (Some(image), Some((control, words))) = (image, state.split_last_mut()) {
            *control = u64::from(image.0);
            self.images.permute(words);
        }
        image.is_some()
    }
}
