//! Whether a circuit is one: what its types and its blocks promise, looked through after every pass.
//!
//! The checklist. Of the state:
//! 1. A slot has a bit. It lies within the words of the layout: in one word, or from bit 0 on if it has more than 64.
//! 2. No two slots share a bit, and a slot of more than 64 bits no word.
//! 3. The first position has an existing control, as many words as the layout, and ones only where slots may have them.
//!    What is piled up stands in it; the slots of a pile exist and have the width of its places.
//!
//! Of the values:
//! 4. A vector has a bit.
//! 5. The operands exist and have smaller ids.
//! 6. Operands and result have the types that the operation asks for.
//! 7. No two values have one operation, operands and type.
//! 8. A parameter belongs to one group or to one variable of one fixpoint.
//! 9. A fixpoint has variables, which are parameters, as many next values, and all three of each have one type.
//! 10. What a fixpoint gives has the type of the variable, and a greater id than the fixpoint's values.
//!
//! Of the controls:
//! 11. Each group belongs to one control, which has its groups in the order of their ids.
//! 12. The bit of a group is a parameter of the type of its set.
//! 13. `lets`, `setup` and the rounds of a fixpoint have nothing but `Let` and `Fix`; an `Over` stands in `before` or
//!     `stuck`, a `Require` in a body, a `Yield` in a body or in `stuck`; the others anywhere.
//! 14. Conditions are one bit, scores are numbers.
//! 15. Nothing follows a `Yield`, and each way through a body comes to one, or to a `Require` of constant 0
//!     or a `Fault` of constant 1.
//! 16. A `Yield` names each slot once, with a value of its width, and an existing control. It has a weight, a number, where
//!     chance acts, and only there; `stuck` has none there.
//!
//! Where nothing is scheduled ([`Form::Lowered`]):
//! 17. There is no `Let` and no `Fix`.
//! 18. What depends on the bit of a group is used in its body, what depends on a variable in its fixpoint.
//!
//! Where everything is ([`Form::Scheduled`]):
//! 19. A `Let` is of a value that is neither constant nor a parameter nor given by a fixpoint, and not known yet; its
//!     operands are known. Likewise a `Fix` with the first values; at the end of its block the next values are known.
//! 20. What a statement uses, or a group as its set, is known. Known are constants; what stands before in the same block
//!     or one around it; in groups and in `stuck` what `before` has let, in the set what `lets` has, in the body this,
//!     what `setup` has, and the bit; in the rounds of a fixpoint its variables.

mod blocks;
mod values;

use std::fmt::Display;

use super::{Circuit, Layout, Slot};
use crate::base::bits::BitSet;
use crate::base::id::Id;

/// Whether values have their places yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As lowering makes it and passes change it: statements name values, nothing says when they are computed.
    Lowered,
    /// As runners take it.
    Scheduled,
}

/// What is wrong with a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{at}: {what}")]
pub struct Invalid {
    /// Where: the ids of a slot, value, fixpoint, group or control, with the name of the block.
    pub at: String,
    /// What does not hold.
    pub what: String,
}

/// Goes through the checklist; gives the first that is wrong.
pub fn verify(circuit: &Circuit, form: Form) -> Result<(), Invalid> {
    layout(&circuit.layout)?;
    values::check(circuit)?;
    blocks::check(circuit, form)?;
    initial(circuit)
}

/// Gives an error unless it holds. What is wrong is only put into words where something is.
fn ensure(holds: bool, at: impl Display, what: impl FnOnce() -> String) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(Invalid { at: at.to_string(), what: what() }) }
}

/// Gives an error unless an id names something.
fn exists<I: Id + Display>(id: I, len: usize, at: impl Display) -> Result<(), Invalid> {
    ensure(id.index() < len, at, || format!("there is no {id}"))
}

fn layout(layout: &Layout) -> Result<(), Invalid> {
    let mut taken = vec![0; layout.words as usize];
    for (id, slot) in layout.slots.entries() {
        let width = u64::from(slot.width());
        ensure(width > 0, id, || "a slot without a bit".into())?;
        let one_word = u64::from(slot.bit) + width <= 64;
        ensure(one_word || width > 64 && slot.bit == 0, id, || "it lies across words".into())?;
        let end = u64::from(slot.word) + width.div_ceil(64);
        ensure(end <= taken.len() as u64, id, || format!("it lies outside of {} words", layout.words))?;
        for (word, ones) in room(slot) {
            ensure(taken[word] & ones == 0, id, || "it shares bits with another slot".into())?;
            taken[word] |= ones;
        }
    }
    Ok(())
}

/// The bits that a slot keeps from others: its own, and whole words if it has more than one.
fn room(slot: &Slot) -> impl Iterator<Item = (usize, u64)> {
    let own = if slot.width() > 64 {
        BitSet::full(slot.width().next_multiple_of(64))
    } else {
        BitSet::full(slot.width())
    };
    let (word, bit) = (slot.word as usize, slot.bit);
    own.words().to_vec().into_iter().enumerate().map(move |(i, ones)| (word + i, ones << bit))
}

fn initial(circuit: &Circuit) -> Result<(), Invalid> {
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
    for pile in &circuit.piles {
        for &slot in &pile.slots {
            exists(slot, circuit.layout.slots.len(), "pile")?;
            let same = circuit.layout.slots[slot].width() == pile.places.len();
            ensure(same, "pile", || format!("{slot} has another width"))?;
        }
        ensure(pile.stands(&circuit.layout, &first.words), "initial", || "a pile does not stand".into())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
