//! The circuit verifier: checks the invariants of types and blocks after every pass.
//!
//! The checklist. For the state:
//! 1. A slot has a bit. It lies within the words of the layout: in one word, or from bit 0 on if it has more than 64.
//! 2. No two slots share a bit, and a slot of more than 64 bits shares no word.
//! 3. The initial position has an existing control, as many words as the layout, and ones only where slots may have
//!    them. The stacking invariants hold in it. The slots of a stacking exist and have the width of its places.
//!
//! For the values:
//! 4. A vector has a bit.
//! 5. The operands exist and have smaller ids.
//! 6. Operands and result have the types that the operation requires.
//! 7. No two values have the same operation, operands and type.
//! 8. A parameter belongs to one group or to one variable of one fixpoint.
//! 9. A fixpoint has variables, which are parameters, and as many next values. A variable, its initial value and its
//!    next value have one type.
//! 10. A result of a fixpoint has the type of its variable, and a greater id than the fixpoint's values.
//!
//! For the controls:
//! 11. Each group belongs to one control, which has its groups in the order of their ids.
//! 12. The bit of a group is a parameter of the type of its set.
//! 13. `lets`, `setup` and the rounds of a fixpoint contain only `Let` and `Fix`. An `Over` occurs in
//!     `before` or `stuck`, a `Require` in a body, a `Yield` in a body or in `stuck`; the others anywhere.
//! 14. Conditions are one bit, scores are numbers.
//! 15. Nothing follows a `Yield`. Each path through a body ends in one, or in a `Require` of constant 0 or a
//!     `Fault` of constant 1.
//! 16. A `Yield` names each slot once, with a value of its width, and an existing control. It has a weight, a
//!     number, exactly where chance acts; there `stuck` has no `Yield`.
//!
//! Before scheduling ([`CircuitForm::Lowered`]):
//! 17. There is no `Let` and no `Fix`.
//! 18. A value that depends on the bit of a group is used only in its body, one that depends on a variable only in its
//!     fixpoint.
//!
//! After scheduling ([`CircuitForm::Scheduled`]):
//! 19. A `Let` computes a value that is neither a constant nor a parameter nor a result of a fixpoint, and not yet
//!     computed; its operands are available. Likewise a `Fix` with the initial values; at the end of its block the
//!     next values are available.
//! 20. Every value that a statement uses, or a group as its set, is available. Available are: constants; values
//!     computed earlier in the same block or an enclosing one; in groups and in `stuck` those of `before`; in the set
//!     those of `lets`; in the body these, those of `setup`, and the bit; in the rounds of a fixpoint its variables.

mod blocks;
mod values;

use std::fmt::Display;

use super::{Circuit, Layout, Slot};
use bouton_base::bits::BitSet;
use bouton_base::id::Id;

/// The stage of a circuit: before or after scheduling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CircuitForm {
    /// The output of lowering and of the passes: statements name values, and nothing fixes the point where they are
    /// computed.
    Lowered,
    /// The input of the back ends: `Let` and `Fix` compute every value.
    Scheduled,
}

/// A violation of the checklist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{at}: {violation}")]
pub struct InvalidCircuit {
    /// The location: the id of a slot, value, fixpoint, group or control, with the name of the block.
    pub at: String,
    /// The violated condition.
    pub violation: String,
}

/// Checks the whole list; returns the first violation.
pub fn verify(circuit: &Circuit, form: CircuitForm) -> Result<(), InvalidCircuit> {
    layout(&circuit.layout)?;
    values::check(circuit)?;
    blocks::check(circuit, form)?;
    initial(circuit)
}

/// Returns an error unless `holds`; `what` builds the message only in that case.
fn ensure(holds: bool, at: impl Display, what: impl FnOnce() -> String) -> Result<(), InvalidCircuit> {
    if holds { Ok(()) } else { Err(InvalidCircuit { at: at.to_string(), violation: what() }) }
}

/// Returns an error unless the id is in range.
fn exists<I: Id + Display>(id: I, len: usize, at: impl Display) -> Result<(), InvalidCircuit> {
    ensure(id.index() < len, at, || format!("there is no {id}"))
}

fn layout(layout: &Layout) -> Result<(), InvalidCircuit> {
    let mut taken = vec![0; layout.words as usize];
    for (id, slot) in layout.slots.entries() {
        let width = u64::from(slot.width());
        ensure(width > 0, id, || "a slot without a bit".into())?;
        let one_word = u64::from(slot.bit) + width <= 64;
        ensure(one_word || width > 64 && slot.bit == 0, id, || "it lies across words".into())?;
        let end = u64::from(slot.word) + width.div_ceil(64);
        ensure(end <= taken.len() as u64, id, || format!("it lies outside of {} words", layout.words))?;
        for (word, ones) in reserved_bits(slot) {
            ensure(taken[word] & ones == 0, id, || "it shares bits with another slot".into())?;
            taken[word] |= ones;
        }
    }
    Ok(())
}

/// Returns the bits that a slot reserves, by word: its own, and whole words if it has more than one.
fn reserved_bits(slot: &Slot) -> impl Iterator<Item = (usize, u64)> {
    let own = if slot.width() > 64 {
        BitSet::full(slot.width().next_multiple_of(64))
    } else {
        BitSet::full(slot.width())
    };
    let (word, bit) = (slot.word as usize, slot.bit);
    own.words().to_vec().into_iter().enumerate().map(move |(i, ones)| (word + i, ones << bit))
}

fn initial(circuit: &Circuit) -> Result<(), InvalidCircuit> {
    let first = &circuit.initial;
    exists(first.control, circuit.controls.len(), "initial")?;
    let words = circuit.layout.words as usize;
    ensure(first.words.len() == words, "initial", || {
        format!("{} words where there should be {words}", first.words.len())
    })?;
    let mut held = vec![0; words];
    for (id, slot) in circuit.layout.slots.entries() {
        let bits = circuit.layout.get(id, &first.words);
        ensure(bits.is_subset(&slot.maybe), "initial", || format!("{id} holds {bits:?}, which it may not"))?;
        circuit.layout.set(id, &mut held, &bits);
    }
    ensure(*held == *first.words, "initial", || "ones outside of the slots".into())?;
    for stacking in &circuit.stackings {
        for &slot in &stacking.slots {
            exists(slot, circuit.layout.slots.len(), "stacking")?;
            let same = circuit.layout.slots[slot].width() == stacking.places.len();
            ensure(same, "stacking", || format!("{slot} has another width"))?;
        }
        ensure(stacking.is_satisfied(&circuit.layout, &first.words), "initial", || {
            "a stacking invariant does not hold".into()
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
