//! Positions of a circuit as keys of a fixed number of words.
//!
//! A key is the words of the position and, where they leave room for it, the number of the control and 1 more in one of
//! them, which then comes last; otherwise that number is a word of its own. So the last word of a key is never 0.

use crate::circuit::{Circuit, ControlId, Layout};

/// How positions of one circuit are keys.
#[derive(Clone, Debug)]
pub struct Keys {
    /// How many words a position has.
    words: usize,
    /// The word with the control, and where it begins there; none where it has a word of its own.
    room: Option<(usize, u32)>,
}

/// The bits of a word that may be 1.
fn used(layout: &Layout, word: u32) -> u64 {
    let part = |slot: &crate::circuit::Slot| {
        let words = slot.maybe.words();
        let of = word.checked_sub(slot.word).and_then(|i| words.get(i as usize));
        of.map_or(0, |bits| bits << slot.bit)
    };
    layout.slots.iter().map(part).fold(0, |all, bits| all | bits)
}

impl Keys {
    /// The keys of a circuit's positions.
    pub fn of(circuit: &Circuit) -> Keys {
        let bits = u64::BITS - (circuit.controls.len() as u64).leading_zeros();
        let words = circuit.layout.words;
        let fits = |&(_, free): &(u32, u32)| free >= bits;
        let room =
            (0..words).rev().map(|word| (word, used(&circuit.layout, word).leading_zeros())).find(fits);
        Keys { words: words as usize, room: room.map(|(word, _)| (word as usize, u64::BITS - bits)) }
    }

    /// How many words a key has.
    pub fn width(&self) -> usize {
        self.words + usize::from(self.room.is_none())
    }

    /// Writes the key of a position.
    #[inline]
    pub fn pack(&self, control: ControlId, words: &[u64], key: &mut [u64]) {
        let tag = u64::from(control.0) + 1;
        copy(words, &mut key[..self.words]);
        match self.room {
            Some((word, shift)) => {
                debug_assert!(words[word] >> shift == 0, "a bit that belongs to no slot");
                key[word] |= tag << shift;
                key.swap(word, self.words - 1);
            }
            None => key[self.words] = tag,
        }
    }

    /// Writes the words of the position with this key, and gives its control.
    #[inline]
    pub fn unpack(&self, key: &[u64], words: &mut [u64]) -> ControlId {
        copy(&key[..self.words], words);
        let tag = match self.room {
            Some((word, shift)) => {
                words.swap(word, self.words - 1);
                let tag = words[word] >> shift;
                words[word] &= (1 << shift) - 1;
                tag
            }
            None => key[self.words],
        };
        ControlId((tag - 1) as u32)
    }
}

/// Copies words; one or two without a call.
#[inline]
fn copy(from: &[u64], to: &mut [u64]) {
    match (from, &mut *to) {
        (&[a], [x]) => *x = a,
        (&[a, b], [x, y]) => (*x, *y) = (a, b),
        _ => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::bits::BitSet;
    use crate::base::id::IdVec;
    use crate::circuit::{Control, Position, Slot};

    /// A circuit of so many controls whose words have so many bits each.
    fn circuit(controls: usize, widths: &[u32]) -> Circuit {
        let slot = |(word, &width): (usize, &u32)| Slot {
            name: String::new(),
            word: word as u32,
            bit: 0,
            maybe: BitSet::full(width),
        };
        let control = Control {
            name: String::new(),
            mover: 0,
            chance: false,
            holds: Vec::new(),
            before: Default::default(),
            groups: Vec::new(),
            stuck: Default::default(),
        };
        Circuit {
            layout: Layout {
                slots: widths.iter().enumerate().map(slot).collect(),
                words: widths.len() as u32,
            },
            values: IdVec::new(),
            fixes: IdVec::new(),
            controls: (0..controls).map(|_| control.clone()).collect(),
            groups: IdVec::new(),
            piles: Vec::new(),
            initial: Position { control: ControlId(0), words: vec![0; widths.len()].into() },
        }
    }

    #[test]
    fn keys_are_positions_again_and_never_end_in_0() {
        for (widths, controls, width) in
            [(&[62][..], 3, 1), (&[63], 2, 2), (&[64], 1, 2), (&[60, 64], 9, 2), (&[64, 64, 63], 1, 3)]
        {
            let keys = Keys::of(&circuit(controls, widths));
            assert_eq!(keys.width(), width, "{widths:?}");
            for control in 0..controls as u32 {
                for fill in [0, 1, u64::MAX] {
                    let words: Vec<u64> = widths.iter().map(|w| fill & u64::MAX >> (64 - w)).collect();
                    let mut key = vec![9; width];
                    keys.pack(ControlId(control), &words, &mut key);
                    assert_ne!(key[width - 1], 0);
                    let mut back = vec![9; words.len()];
                    assert_eq!(keys.unpack(&key, &mut back), ControlId(control));
                    assert_eq!(back, words);
                }
            }
        }
    }
}
