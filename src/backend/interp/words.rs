//! The operations of a circuit on an array of words.
//!
//! A vector takes as many words as it needs, the lowest first; bits above its width are 0. A number is one word. If an
//! operation touches only single words, a faster path runs it.

use bouton_base::bits::words_for;
use bouton_circuit::build::{floor_div, floor_mod};

/// An operation with its operands and its result. Places are indices of words.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    pub code: Opcode,
    pub to: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// The width that determines the number of processed words: that of the result, or of the operand if the result is
    /// a number or a single bit.
    pub width: u32,
    /// The width of the first operand, for a `Resize`.
    pub from: u32,
    pub narrow: bool,
}

/// An operation code with its constants. `a`, `b`, `c` are the operands in order.
#[derive(Clone, Debug)]
pub(super) enum Opcode {
    /// The bits of one word from this index on.
    Extract(u32),
    And,
    Or,
    Xor,
    AndNot,
    Not,
    Shift(i32),
    Resize,
    Spread,
    Any,
    Count,
    First,
    Lowest,
    Highest,
    Below,
    Above,
    OneHot,
    /// Selection between vectors of any width, or numbers.
    Select,
    Pack,
    /// A copy of a word: a narrow vector as a number.
    Copy,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
    Less,
    Equal,
    Lookup(std::sync::Arc<[i64]>),
}

/// The words of a run.
pub(super) type Words = [u64];

/// Returns the mask of the highest word of a vector.
fn top_mask(width: u32) -> u64 {
    !0 >> ((64 - width % 64) % 64)
}

/// Returns the places above the highest one of a word; all if there is none.
fn above(word: u64) -> u64 {
    word.checked_ilog2().map_or(!0, |place| !1 << place)
}

impl Inst {
    pub fn run(&self, words: &mut Words) {
        if self.narrow { self.run_narrow(words) } else { self.run_wide(words) }
    }

    fn run_narrow(&self, words: &mut Words) {
        let word = |place: u32| words[place as usize];
        let number = |place: u32| words[place as usize] as i64;
        let (a, b, c) = (self.a, self.b, self.c);
        let mask = top_mask(self.width);
        let result = match &self.code {
            Opcode::Extract(bit) => word(a) >> bit & mask,
            Opcode::And => word(a) & word(b),
            Opcode::Or => word(a) | word(b),
            Opcode::Xor => word(a) ^ word(b),
            Opcode::AndNot => word(a) & !word(b),
            Opcode::Not => !word(a) & mask,
            Opcode::Shift(by) if *by >= 0 => word(a).checked_shl(by.unsigned_abs()).unwrap_or(0) & mask,
            Opcode::Shift(by) => word(a).checked_shr(by.unsigned_abs()).unwrap_or(0),
            Opcode::Resize | Opcode::Pack => word(a) & mask,
            Opcode::Spread => word(a).wrapping_neg() & mask,
            Opcode::Any => u64::from(word(a) != 0),
            Opcode::Count => u64::from(word(a).count_ones()),
            Opcode::First => u64::from(word(a).trailing_zeros().min(self.width)),
            Opcode::Lowest => word(a) & word(a).wrapping_neg(),
            Opcode::Highest => word(a).checked_ilog2().map_or(0, |place| 1 << place),
            Opcode::Below => word(a).wrapping_sub(1) & !word(a) & mask,
            Opcode::Above => above(word(a)) & mask,
            Opcode::OneHot => self.hot(word(a)).map_or(0, |place| 1 << place),
            Opcode::Select => {
                if word(a) != 0 {
                    word(b)
                } else {
                    word(c)
                }
            }
            Opcode::Copy => word(a),
            Opcode::Add => word(a).wrapping_add(word(b)),
            Opcode::Sub => word(a).wrapping_sub(word(b)),
            Opcode::Mul => word(a).wrapping_mul(word(b)),
            Opcode::Div => floor_div(number(a), number(b)) as u64,
            Opcode::Mod => floor_mod(number(a), number(b)) as u64,
            Opcode::Min => number(a).min(number(b)) as u64,
            Opcode::Max => number(a).max(number(b)) as u64,
            Opcode::Less => u64::from(number(a) < number(b)),
            Opcode::Equal => u64::from(word(a) == word(b)),
            Opcode::Lookup(table) => {
                let entry = usize::try_from(number(a)).ok().and_then(|place| table.get(place));
                entry.map_or(0, |&entry| entry as u64)
            }
        };
        words[self.to as usize] = result;
    }

    /// Returns the index of the one bit of a one-hot vector of this width; `None` if the number is out of range.
    fn hot(&self, number: u64) -> Option<u32> {
        u32::try_from(number).ok().filter(|&place| place < self.width)
    }

    fn run_wide(&self, words: &mut Words) {
        let count = words_for(self.width);
        let (to, a) = (self.to as usize, self.a as usize);
        match self.code {
            Opcode::And => self.each(words, |a, b| a & b),
            Opcode::Or => self.each(words, |a, b| a | b),
            Opcode::Xor => self.each(words, |a, b| a ^ b),
            Opcode::AndNot => self.each(words, |a, b| a & !b),
            Opcode::Not => {
                (0..count).for_each(|i| words[to + i] = !words[a + i]);
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::Shift(by) => {
                shift(words, to, a, count, by);
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::Resize => {
                let given = words_for(self.from);
                (0..count).for_each(|i| words[to + i] = if i < given { words[a + i] } else { 0 });
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::Spread => {
                let all = words[a].wrapping_neg();
                words[to..to + count].fill(all);
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::Any => words[to] = u64::from(words[a..a + count].iter().any(|&word| word != 0)),
            Opcode::Count => {
                words[to] = words[a..a + count].iter().map(|word| u64::from(word.count_ones())).sum();
            }
            Opcode::First => {
                let set = words[a..a + count].iter().zip(0u64..).find(|(word, _)| **word != 0);
                words[to] =
                    set.map_or(u64::from(self.width), |(word, i)| 64 * i + u64::from(word.trailing_zeros()));
            }
            Opcode::Lowest | Opcode::Highest => {
                let mut set = (0..count).filter(|i| words[a + i] != 0);
                let found = if matches!(self.code, Opcode::Lowest) { set.next() } else { set.next_back() };
                let word = found.map_or(0, |i| words[a + i]);
                let bit = match self.code {
                    Opcode::Lowest => word & word.wrapping_neg(),
                    _ => word.checked_ilog2().map_or(0, |place| 1 << place),
                };
                words[to..to + count].fill(0);
                if let Some(i) = found {
                    words[to + i] = bit;
                }
            }
            Opcode::Below => {
                let mut all = true;
                for i in 0..count {
                    let word = words[a + i];
                    words[to + i] = if all { word.wrapping_sub(1) & !word } else { 0 };
                    all &= word == 0;
                }
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::Above => {
                let mut all = true;
                for i in (0..count).rev() {
                    let word = words[a + i];
                    words[to + i] = if all { above(word) } else { 0 };
                    all &= word == 0;
                }
                words[to + count - 1] &= top_mask(self.width);
            }
            Opcode::OneHot => {
                let place = self.hot(words[a]);
                words[to..to + count].fill(0);
                if let Some(place) = place {
                    words[to + place as usize / 64] = 1 << (place % 64);
                }
            }
            Opcode::Select => {
                let chosen = if words[a] != 0 { self.b } else { self.c } as usize;
                words.copy_within(chosen..chosen + count, to);
            }
            // A number has 64 bits; the vector is 0 above them.
            Opcode::Pack => {
                words[to] = words[a];
                words[to + 1..to + count].fill(0);
            }
            Opcode::Extract(_)
            | Opcode::Copy
            | Opcode::Add
            | Opcode::Sub
            | Opcode::Mul
            | Opcode::Div
            | Opcode::Mod
            | Opcode::Min
            | Opcode::Max
            | Opcode::Less
            | Opcode::Equal
            | Opcode::Lookup(_) => unreachable!("an operation on single words"),
        }
    }

    fn each(&self, words: &mut Words, combine: impl Fn(u64, u64) -> u64) {
        for i in 0..words_for(self.width) {
            words[self.to as usize + i] = combine(words[self.a as usize + i], words[self.b as usize + i]);
        }
    }
}

/// Shifts `count` words up by `by` places, down where negative.
fn shift(words: &mut Words, to: usize, from: usize, count: usize, by: i32) {
    let (far, near) = (by.unsigned_abs() as usize / 64, by.unsigned_abs() % 64);
    for i in 0..count {
        let at = |place: Option<usize>| place.filter(|&p| p < count).map_or(0, |p| words[from + p]);
        // The word that lands here, and the adjacent one, whose bits cross the boundary.
        let (main, beyond) = if by >= 0 {
            (at(i.checked_sub(far)) << near, at(i.checked_sub(far + 1)).checked_shr(64 - near))
        } else {
            (at(i.checked_add(far)) >> near, at(i.checked_add(far + 1)).checked_shl(64 - near))
        };
        words[to + i] = main | beyond.unwrap_or(0);
    }
}
