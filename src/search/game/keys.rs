//! The encoding of a circuit's positions as keys of a fixed number of words.
//!
//! Plain keys are the words of the position. If one of them has free bits, it also stores the number of the control
//! plus 1, and then comes last; otherwise that number is a word of its own. If a position has just two slots whose
//! places fill columns from the bottom, as discs fall onto each other, one word encodes both: the first slot, and the
//! lowest free place of each column. Packed keys leave out the bits that no position of a set has: a word stores only
//! the bits that may be 1, or, if few of many are set, such as the squares of a queen, the numbers of the set bits.
//! Source of the word for two slots: Pons, "Solving Connect Four" (2015), for columns of one length.
//! *Invariant:* the last word of a key is never 0.

use serde::{Deserialize, Serialize};

use bouton_circuit::{Circuit, ControlId, Layout, SlotId, Stacking};

/// The number of bits that encode the number of a bit of a word, or its absence.
const BITS_PER_NUMBER: u32 = 7;

/// The common properties of a set of positions: for each word the bits that may be 1, and the maximal number of bits
/// set at once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeyShape {
    words: Vec<(u64, u32)>,
}

impl KeyShape {
    /// Creates the shape of positions whose set bits lie in these masks, with no bit set so far.
    pub fn within(masks: &[u64]) -> KeyShape {
        KeyShape { words: masks.iter().map(|&mask| (mask, 0)).collect() }
    }

    /// Returns true if the shape fits the positions of this circuit.
    pub fn fits(&self, circuit: &Circuit) -> bool {
        let fits = |(n, &(mask, most)): (usize, &(u64, u32))| {
            mask & !used(&circuit.layout, n as u32) == 0 && most <= u64::BITS
        };
        self.words.len() == circuit.layout.words as usize && self.words.iter().enumerate().all(fits)
    }

    /// Widens the shape to include a position. A word with a new bit may then have any bits that belong to a slot,
    /// since later positions are likely to go further.
    fn take_in(&mut self, layout: &Layout, words: &[u64]) {
        for (n, ((mask, most), &word)) in self.words.iter_mut().zip(words).enumerate() {
            if word & !*mask != 0 {
                *mask |= used(layout, n as u32);
            }
            *most = (*most).max(word.count_ones());
        }
    }
}

/// The encoding of one circuit's positions as keys.
#[derive(Clone, Debug)]
pub struct KeyEncoding {
    /// The number of words of a position.
    words: usize,
    /// The number of controls.
    controls: u64,
    form: KeyForm,
}

#[derive(Clone, Debug)]
enum KeyForm {
    /// The words of the position; the word that also stores the control, with the bit where the control begins; `None`
    /// if the control has a word of its own.
    Plain(Option<(usize, u32)>),
    Piled(StackedKeys),
    Packed(PackedKeys),
}

/// One word for two slots whose places fill columns from the bottom: the first slot, a bit above the highest taken
/// place of each column, and the control.
#[derive(Clone, Copy, Debug)]
struct StackedKeys {
    places: u64,
    /// The lowest place of each column.
    lowest: u64,
    /// The distance in bits from a place to the next one of its column.
    step: u32,
    /// The bit where the control begins.
    tag: u32,
}

impl StackedKeys {
    /// Returns the encoding for a circuit that has just two slots, which stack in columns.
    fn of(circuit: &Circuit) -> Option<StackedKeys> {
        let [Stacking { slots, places, step }] = &circuit.stackings[..] else { return None };
        let layout = &circuit.layout;
        let whole = |(word, &slot): (usize, &SlotId)| {
            let slot = &layout.slots[slot];
            slot.word as usize == word && slot.bit == 0 && slot.maybe.is_subset(places)
        };
        let two = (layout.words, layout.slots.len(), slots.len()) == (2, 2, 2);
        if !two || !slots.iter().enumerate().all(whole) {
            return None;
        }
        let (&[places], step) = (places.words(), u32::try_from(*step).ok()?) else { return None };
        let tag = u64::BITS - tag_bits(circuit);
        let room = step > 0 && places.checked_ilog2()? + step < tag;
        room.then_some(StackedKeys { places, lowest: places & !(places << step), step, tag })
    }

    /// Returns the key with this tag; `None` if a place is taken twice or lies above a free one.
    #[inline]
    fn pack(&self, tag: u64, words: &[u64]) -> Option<u64> {
        let (first, second) = (words[0], words[1]);
        let taken = first | second;
        let above = taken << self.step | self.lowest;
        let stands = first & second | taken & !(above & self.places) == 0;
        stands.then_some(tag << self.tag | first | above & !taken)
    }

    #[inline]
    fn unpack(&self, key: u64, words: &mut [u64]) {
        let key = key & ((1 << self.tag) - 1);
        // Sets all bits below each bit of the key in its column.
        let (mut below, mut through, mut step) = (key, self.places, self.step);
        while through != 0 && step < u64::BITS {
            below |= below >> step & through;
            through &= through >> step;
            step *= 2;
        }
        let taken = below >> self.step & self.places;
        (words[0], words[1]) = (key & taken, taken & !key);
    }
}

/// The layout of a packed key.
#[derive(Clone, Debug)]
struct PackedKeys {
    shape: KeyShape,
    fields: Vec<KeyField>,
    width: usize,
    /// The bit of the last word where the control begins.
    tag: u32,
}

/// The layout of one word of the position in a packed key.
#[derive(Clone, Copy, Debug)]
struct KeyField {
    word: usize,
    /// The bits of the word that may be 1.
    mask: u64,
    /// The word of the key, and the bit where this field begins.
    to: usize,
    shift: u32,
    /// The maximal number of set bits, if the key stores the numbers of set bits.
    few: Option<u32>,
}

impl KeyField {
    /// Returns the number of bits of the field in the key.
    fn bits(&self) -> u32 {
        match self.few {
            Some(most) => most * BITS_PER_NUMBER,
            None => span(self.mask),
        }
    }
}

/// Returns the number of bits from the lowest 1 to the highest one.
fn span(mask: u64) -> u32 {
    if mask == 0 { 0 } else { u64::BITS - mask.leading_zeros() - mask.trailing_zeros() }
}

/// Returns the bits of a word that belong to a slot and may be 1.
fn used(layout: &Layout, word: u32) -> u64 {
    let part = |slot: &bouton_circuit::Slot| {
        let words = slot.maybe.words();
        let of = word.checked_sub(slot.word).and_then(|i| words.get(i as usize));
        of.map_or(0, |bits| bits << slot.bit)
    };
    layout.slots.iter().map(part).fold(0, |all, bits| all | bits)
}

/// Returns the number of bits that encode a control, and the presence of a key.
fn tag_bits(circuit: &Circuit) -> u32 {
    u64::BITS - (circuit.controls.len() as u64).leading_zeros()
}

impl PackedKeys {
    /// Lays out a packed key: fields with the most bits come first, each in the first word with enough free bits.
    fn of(circuit: &Circuit, shape: &KeyShape) -> PackedKeys {
        let mut shape = shape.clone();
        let field = |(word, (mask, most)): (usize, &mut (u64, u32))| {
            let few = (*most * BITS_PER_NUMBER < span(*mask)).then_some(*most);
            // If the field stores all bits, it does not depend on the number of set bits, so the shape need not limit
            // it.
            *most = few.unwrap_or(mask.count_ones());
            KeyField { word, mask: *mask, to: 0, shift: 0, few }
        };
        let mut fields: Vec<KeyField> = shape.words.iter_mut().enumerate().map(field).collect();
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(fields[i].bits()));
        // The first word stores the control at its top, and becomes the last one.
        let tag = u64::BITS - tag_bits(circuit);
        let mut taken = vec![(0, tag)];
        for i in order {
            let bits = fields[i].bits();
            let to = taken.iter().position(|&(used, room)| used + bits <= room);
            let to = to.unwrap_or_else(|| {
                taken.push((0, u64::BITS));
                taken.len() - 1
            });
            (fields[i].to, fields[i].shift) = (to, taken[to].0);
            taken[to].0 += bits;
        }
        for field in &mut fields {
            field.to = taken.len() - 1 - field.to;
            // A field without bits could otherwise begin past the last one.
            field.shift = if field.bits() == 0 { 0 } else { field.shift };
        }
        PackedKeys { shape, fields, width: taken.len(), tag }
    }
}

impl PackedKeys {
    /// Writes the key with this tag; returns true if there is one.
    #[inline(never)]
    fn pack(&self, tag: u64, words: &[u64], key: &mut [u64]) -> bool {
        key.fill(0);
        key[self.width - 1] = tag << self.tag;
        self.fields.iter().all(|field| pack(field, words[field.word], &mut key[field.to]))
    }

    /// Writes the words of the position with this key.
    #[inline(never)]
    fn unpack(&self, key: &[u64], words: &mut [u64]) {
        self.fields.iter().for_each(|field| words[field.word] = unpack(field, key[field.to]));
    }
}

impl KeyEncoding {
    /// Returns the encoding for all positions that a circuit admits.
    pub fn of(circuit: &Circuit) -> KeyEncoding {
        if let Some(piled) = StackedKeys::of(circuit) {
            let words = circuit.layout.words as usize;
            return KeyEncoding {
                words,
                controls: circuit.controls.len() as u64,
                form: KeyForm::Piled(piled),
            };
        }
        KeyEncoding::plain(circuit)
    }

    fn plain(circuit: &Circuit) -> KeyEncoding {
        let bits = tag_bits(circuit);
        let words = circuit.layout.words;
        let fits = |&(_, free): &(u32, u32)| free >= bits;
        let room =
            (0..words).rev().map(|word| (word, used(&circuit.layout, word).leading_zeros())).find(fits);
        let room = room.map(|(word, _)| (word as usize, u64::BITS - bits));
        KeyEncoding {
            words: words as usize,
            controls: circuit.controls.len() as u64,
            form: KeyForm::Plain(room),
        }
    }

    /// Returns the encoding for a circuit's positions of this shape: packed if that takes fewer words.
    pub fn packed(circuit: &Circuit, shape: &KeyShape) -> KeyEncoding {
        let plain = KeyEncoding::of(circuit);
        let packed = PackedKeys::of(circuit, shape);
        if packed.width < plain.width() {
            KeyEncoding { form: KeyForm::Packed(packed), ..plain }
        } else {
            plain
        }
    }

    /// Returns an encoding that also holds these positions, given as their words, one position after the other. It may
    /// call `held` for all positions encoded so far.
    pub fn wider(
        &self,
        circuit: &Circuit,
        positions: &[u64],
        held: impl FnOnce(&mut dyn FnMut(&[u64])),
    ) -> KeyEncoding {
        let packed = match &self.form {
            KeyForm::Plain(_) => return self.clone(),
            KeyForm::Piled(_) => return KeyEncoding::plain(circuit),
            KeyForm::Packed(packed) => packed,
        };
        let mut shape = packed.shape.clone();
        let outside = || positions.chunks_exact(self.words);
        outside().for_each(|words| shape.take_in(&circuit.layout, words));
        // If a word stored all its bits, the shape has no count of its set bits; with more possible bits the count
        // matters.
        let grew =
            |field: &&KeyField| field.few.is_none() && ![0, shape.words[field.word].0].contains(&field.mask);
        let grown: Vec<usize> = packed.fields.iter().filter(grew).map(|field| field.word).collect();
        if !grown.is_empty() {
            grown.iter().for_each(|&word| shape.words[word].1 = 0);
            let mut count = |words: &[u64]| {
                for &word in &grown {
                    let most = &mut shape.words[word].1;
                    *most = (*most).max(words[word].count_ones());
                }
            };
            outside().for_each(&mut count);
            held(&mut count);
        }
        KeyEncoding::packed(circuit, &shape)
    }

    /// Returns the shape that positions must have; `None` if the shape does not limit them.
    pub fn shape(&self) -> Option<&KeyShape> {
        if let KeyForm::Packed(packed) = &self.form { Some(&packed.shape) } else { None }
    }

    /// Returns the number of words of a position.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of words of a key.
    pub fn width(&self) -> usize {
        match &self.form {
            KeyForm::Plain(room) => self.words + usize::from(room.is_none()),
            KeyForm::Piled(_) => 1,
            KeyForm::Packed(packed) => packed.width,
        }
    }

    /// Writes the key of a position; returns true if there is one. Plain keys encode every position, and one word for
    /// two slots encodes those that stack in columns.
    // Called for each generated move.
    #[inline(always)]
    #[must_use]
    pub fn pack(&self, control: ControlId, words: &[u64], key: &mut [u64]) -> bool {
        let tag = u64::from(control.0) + 1;
        match &self.form {
            KeyForm::Plain(room) => {
                copy(words, &mut key[..self.words]);
                match *room {
                    Some((word, shift)) => {
                        debug_assert!(words[word] >> shift == 0, "a bit that belongs to no slot");
                        key[word] |= tag << shift;
                        key.swap(word, self.words - 1);
                    }
                    None => key[self.words] = tag,
                }
                true
            }
            KeyForm::Piled(piled) => piled.pack(tag, words).inspect(|word| key[0] = *word).is_some(),
            KeyForm::Packed(packed) => packed.pack(tag, words, key),
        }
    }

    /// Returns true if these words are the key of a position; writes the words of the position and its key again.
    pub fn is_key(&self, key: &[u64], words: &mut [u64], again: &mut [u64]) -> bool {
        let tag = self.tag_of(key, words);
        let known = (1..=self.controls).contains(&tag);
        known && self.pack(ControlId((tag - 1) as u32), words, again) && again == key
    }

    /// Writes the words of the position with this key, and returns its control.
    #[inline(always)]
    pub fn unpack(&self, key: &[u64], words: &mut [u64]) -> ControlId {
        ControlId((self.tag_of(key, words) - 1) as u32)
    }

    #[inline(always)]
    fn tag_of(&self, key: &[u64], words: &mut [u64]) -> u64 {
        match &self.form {
            KeyForm::Plain(room) => {
                copy(&key[..self.words], words);
                match *room {
                    Some((word, shift)) => {
                        words.swap(word, self.words - 1);
                        let tag = words[word] >> shift;
                        words[word] &= (1 << shift) - 1;
                        tag
                    }
                    None => key[self.words],
                }
            }
            KeyForm::Piled(piled) => {
                piled.unpack(key[0], words);
                key[0] >> piled.tag
            }
            KeyForm::Packed(packed) => {
                packed.unpack(key, words);
                key[packed.width - 1] >> packed.tag
            }
        }
    }
}

/// Writes a word into its field; returns false if the field cannot encode it.
#[inline]
fn pack(field: &KeyField, mut word: u64, to: &mut u64) -> bool {
    if word & !field.mask != 0 {
        return false;
    }
    match field.few {
        None if word == 0 => true,
        None => {
            *to |= word >> field.mask.trailing_zeros() << field.shift;
            true
        }
        Some(most) => {
            let mut shift = field.shift;
            for _ in 0..most {
                if word == 0 {
                    break;
                }
                *to |= u64::from(word.trailing_zeros() + 1) << shift;
                word &= word - 1;
                shift += BITS_PER_NUMBER;
            }
            word == 0
        }
    }
}

#[inline]
fn unpack(field: &KeyField, from: u64) -> u64 {
    let from = from >> field.shift;
    match field.few {
        None if field.mask == 0 => 0,
        None => from << field.mask.trailing_zeros() & field.mask,
        Some(most) => {
            let number = |i: u32| (from >> (i * BITS_PER_NUMBER)) & ((1 << BITS_PER_NUMBER) - 1);
            (0..most).map(number).take_while(|&n| n != 0).fold(0, |word, n| word | 1 << ((n - 1) & 63))
        }
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
    use bouton_base::bits::BitSet;
    use bouton_base::id::IdVec;
    use bouton_circuit::{Control, Position, Slot};

    /// A circuit with `controls` controls whose words have these widths in bits.
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
            constant_slots: Vec::new(),
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
            stackings: Vec::new(),
            initial: Position { control: ControlId(0), words: vec![0; widths.len()].into() },
        }
    }

    #[test]
    fn keys_are_positions_again_and_never_end_in_0() {
        for (widths, controls, width) in
            [(&[62][..], 3, 1), (&[63], 2, 2), (&[64], 1, 2), (&[60, 64], 9, 2), (&[64, 64, 63], 1, 3)]
        {
            let keys = KeyEncoding::of(&circuit(controls, widths));
            assert_eq!(keys.width(), width, "{widths:?}");
            for control in 0..controls as u32 {
                for fill in [0, 1, u64::MAX] {
                    let words: Vec<u64> = widths.iter().map(|w| fill & u64::MAX >> (64 - w)).collect();
                    let mut key = vec![9; width];
                    assert!(keys.pack(ControlId(control), &words, &mut key));
                    assert_ne!(key[width - 1], 0);
                    let mut back = vec![9; words.len()];
                    assert_eq!(keys.unpack(&key, &mut back), ControlId(control));
                    assert_eq!(back, words);
                }
            }
        }
    }

    #[test]
    fn what_is_piled_up_takes_one_word() {
        let mut circuit = circuit(2, &[47, 47]);
        let column = |x: u32| (0..6).fold(0, |all, y| all | 1u64 << (8 * y + x));
        let places = BitSet::from_words(47, &[(0..7).map(column).sum()]);
        let slots: Vec<_> = circuit.layout.slots.ids().collect();
        slots.iter().for_each(|&slot| circuit.layout.slots[slot].maybe = places.clone());
        circuit.stackings = vec![Stacking { slots, places, step: 8 }];
        let keys = KeyEncoding::of(&circuit);
        assert_eq!((keys.width(), keys.shape()), (1, None));
        let (mut key, mut back, mut all) = ([0], [0, 0], std::collections::BTreeSet::new());
        // All fillings of the first and the last column together.
        let fillings = || (0..=6u32).flat_map(|height| (0..1u64 << height).map(move |owner| (height, owner)));
        let disc = |(height, owner): (u32, u64), x: u32, who: u64| {
            (0..height).filter(|y| owner >> y & 1 == who).fold(0, |all, y| all | 1u64 << (8 * y + x))
        };
        for (first, last) in fillings().flat_map(|first| fillings().map(move |last| (first, last))) {
            let words = [0, 1].map(|who| disc(first, 0, who) | disc(last, 6, who));
            assert!(keys.pack(ControlId(1), &words, &mut key) && key[0] != 0 && all.insert(key[0]));
            assert_eq!((keys.unpack(&key, &mut back), back), (ControlId(1), words));
        }
        assert_eq!(all.len(), 127 * 127);
        for strange in [[1, 1], [1 << 8, 0], [1 | 1 << 16, 1 << 9], [1 << 7, 0], [1 << 48, 0]] {
            assert!(!keys.pack(ControlId(0), &strange, &mut key), "{strange:?}");
            let wider = keys.wider(&circuit, &strange, |_| {});
            assert!(wider.width() == 2);
        }
    }

    #[test]
    fn packed_keys_hold_what_has_their_shape_and_grow_by_the_rest() {
        let circuit = circuit(3, &[64, 64, 20, 64]);
        let first = [1 << 63, 0, 0b1010 << 6, 0];
        let keys = KeyEncoding::packed(&circuit, &KeyShape::within(&[u64::MAX, 0, 0xff << 4, 0]));
        assert_eq!(keys.width(), 1);
        let mut key = vec![9; 1];
        assert!(!keys.pack(ControlId(2), &first, &mut key), "no bit of the first word may be 1 yet");
        let keys = keys.wider(&circuit, &first, |_| {});
        let back = |keys: &KeyEncoding, words: &[u64], control: u32| {
            let (mut key, mut back) = (vec![9; keys.width()], vec![9; 4]);
            let held = keys.pack(ControlId(control), words, &mut key);
            if held {
                assert_ne!(key[keys.width() - 1], 0);
                assert_eq!((keys.unpack(&key, &mut back), &back[..]), (ControlId(control), words));
            }
            held
        };
        for square in 0..64 {
            assert!(back(&keys, &[1 << square, 0, square << 4 & 0xff0, 0], square as u32 % 3));
        }
        let strange = [[3, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 7]];
        assert!(strange.iter().all(|words| !back(&keys, words, 0)));
        let wider = keys.wider(&circuit, &strange.concat(), |each| each(&first));
        assert!(wider.shape().is_some_and(|_| wider.width() < KeyEncoding::of(&circuit).width()));
        assert!(
            strange
                .iter()
                .chain([&first, &[1 << 40 | 1 << 2, 1 << 63, 3 << 18, 7 << 61]])
                .all(|words| { back(&wider, words, 2) })
        );
        let all = wider.wider(&circuit, &[u64::MAX, u64::MAX, 0xfffff, u64::MAX], |_| {});
        assert!(
            all.shape().is_none() && back(&all, &[u64::MAX, 5, 0, u64::MAX], 1),
            "plain keys are no longer"
        );
    }
}
