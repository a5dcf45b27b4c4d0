//! Placement games: each move takes a free place for good, so at most as many plies remain as places are free.
//!
//! Technique: tests some slots of one width together. If every move sets the bit of its lane in one of them, the set of
//! its lanes is disjoint from all of them, and no move ever removes a bit from them, then every ply lowers the number
//! of free places. Each condition is read off the circuit: a proof, not a guess.
//! Cost: one pass over the moves of the circuit; a few operations for a position.
//! Invariant: if [`PlacementGame::of`] finds a filling, no play from a position is longer than
//! [`PlacementGame::free_places`] plies, and no position repeats.
//! Not covered: moves that take several places at once, or move pieces. For these the solvers search for a ranking
//! function and test it on every move.

use super::{Circuit, ControlId, GroupId, Op, SlotId, StateUpdate, Ty, ValueId};
use bouton_base::bits::{BitSet, words_for};

/// The slots that fill up in a placement game.
#[derive(Clone, Debug)]
pub struct PlacementGame {
    slots: Vec<SlotId>,
    /// For each slot, its first word and its lowest bit there.
    parts: Vec<(usize, u32)>,
    /// The existing places, as words.
    places: Vec<u64>,
    /// True if no move takes more than one place.
    single_placement: bool,
}

impl PlacementGame {
    /// Proves that a game is a placement game; `None` if the proof fails.
    pub fn of(circuit: &Circuit) -> Option<PlacementGame> {
        let moves = || {
            let groups = circuit.controls.iter().flat_map(|control| &control.groups);
            groups.flat_map(|&id| circuit.groups[id].body.yields().into_iter().map(move |after| (id, after)))
        };
        let mut slots: Vec<SlotId> =
            moves().filter_map(|(id, after)| placed_slot(circuit, id, after)).collect();
        slots.sort_unstable();
        slots.dedup();
        let width = circuit.layout.slots[*slots.first()?].width();
        let fills = |(id, after): (GroupId, &StateUpdate)| {
            let set = circuit.groups[id].set;
            let takes = placed_slot(circuit, id, after).is_some_and(|slot| slots.contains(&slot));
            let free = slots
                .iter()
                .all(|&slot| circuit.width(set) == width && is_disjoint_from_slot(circuit, set, slot));
            let kept = after
                .slots
                .iter()
                .all(|&(slot, value)| !slots.contains(&slot) || contains_slot(circuit, value, slot));
            takes && free && kept
        };
        let alone = |(id, after): (GroupId, &StateUpdate)| {
            let taken = placed_slot(circuit, id, after);
            let mut others =
                after.slots.iter().filter(|&&(slot, _)| slots.contains(&slot) && Some(slot) != taken);
            others.all(|&(slot, value)| is_slot(circuit, value, slot))
        };
        let takes_one = moves().all(alone);
        let passes = circuit.controls.iter().any(|control| !control.stuck.yields().is_empty());
        let same = slots.iter().all(|&slot| circuit.layout.slots[slot].width() == width);
        if passes || !same || !moves().all(fills) {
            return None;
        }
        let mut places = BitSet::empty(width);
        let mut parts = Vec::new();
        for &slot in &slots {
            let slot = &circuit.layout.slots[slot];
            places = places.or(&slot.maybe);
            parts.push((slot.word as usize, slot.bit));
        }
        Some(PlacementGame {
            slots,
            parts,
            places: places.words()[..words_for(width)].to_vec(),
            single_placement: takes_one,
        })
    }

    /// Returns true if each move takes exactly one place. Then a position determines the number of moves that led to
    /// it.
    pub fn single_placement(&self) -> bool {
        self.single_placement
    }

    /// Returns the slots, in ascending order.
    pub fn slots(&self) -> &[SlotId] {
        &self.slots
    }

    /// Returns the existing places, as words: in each slot, the bits from its lowest one.
    pub fn places(&self) -> &[u64] {
        &self.places
    }

    /// Returns the slot that every move of this control writes, and the next control; `None` if moves differ.
    pub fn uniform_move(&self, circuit: &Circuit, control: ControlId) -> Option<(SlotId, ControlId)> {
        let groups = circuit.controls[control].groups.iter();
        let mut moves = groups.flat_map(|&id| {
            let yields = circuit.groups[id].body.yields().into_iter();
            yields.map(move |after| Some((placed_slot(circuit, id, after)?, after.to)))
        });
        let first = moves.next()?;
        if moves.all(|other| other == first) { first } else { None }
    }

    /// Returns the number of free places in a state: the maximal number of remaining plies.
    pub fn free_places(&self, words: &[u64]) -> u32 {
        let free = |(i, places): (usize, &u64)| {
            let taken = self.parts.iter().fold(0, |taken, &(word, bit)| taken | words[word + i] >> bit);
            (places & !taken).count_ones()
        };
        self.places.iter().enumerate().map(free).sum()
    }
}

/// Returns the slot to which a move adds the bit of its lane.
fn placed_slot(circuit: &Circuit, id: GroupId, after: &StateUpdate) -> Option<SlotId> {
    let bit = circuit.groups[id].bit;
    let adds = |&&(slot, value): &&(SlotId, ValueId)| match circuit.values[value].op {
        Op::Or(x, y) => is_slot(circuit, x, slot) && y == bit || is_slot(circuit, y, slot) && x == bit,
        _ => false,
    };
    after.slots.iter().find(adds).map(|&(slot, _)| slot)
}

fn is_slot(circuit: &Circuit, value: ValueId, slot: SlotId) -> bool {
    matches!(circuit.values[value].op, Op::Slot(of) if of == slot)
}

/// Returns true if a vector provably has all bits of a slot.
fn contains_slot(circuit: &Circuit, value: ValueId, slot: SlotId) -> bool {
    is_slot(circuit, value, slot)
        || match circuit.values[value].op {
            Op::Or(x, y) => contains_slot(circuit, x, slot) || contains_slot(circuit, y, slot),
            Op::And(x, y) => contains_slot(circuit, x, slot) && contains_slot(circuit, y, slot),
            _ => false,
        }
}

/// Returns true if a vector provably has no bit of a slot.
fn is_disjoint_from_slot(circuit: &Circuit, value: ValueId, slot: SlotId) -> bool {
    if !matches!(circuit.values[value].ty, Ty::Bits(_)) {
        return false;
    }
    match circuit.values[value].op {
        Op::And(x, y) => is_disjoint_from_slot(circuit, x, slot) || is_disjoint_from_slot(circuit, y, slot),
        Op::AndNot(x, y) => is_disjoint_from_slot(circuit, x, slot) || contains_slot(circuit, y, slot),
        Op::Or(x, y) => is_disjoint_from_slot(circuit, x, slot) && is_disjoint_from_slot(circuit, y, slot),
        Op::Not(x) => contains_slot(circuit, x, slot),
        Op::Lowest(x) => is_disjoint_from_slot(circuit, x, slot),
        _ => false,
    }
}
