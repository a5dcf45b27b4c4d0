//! A drawing of a layout: the bits of each word, and a legend below.
//!
//! ```text
//! word 0     63                                                             0
//!            ...............................................bbbbbbbbbaaaaaaaaa
//!   a  s0    0:0   bits<9>   x
//!   b  s1    0:9   bits<9>   o
//! ```
//!
//! A bit that belongs to a slot and is always 0 is a `-`, a bit that belongs to no slot is a point.

use std::fmt::Write;

use super::{Layout, Slot};

/// The letters of slots, reused cyclically.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// The width of the margin before the bits.
const MARGIN_COLUMNS: usize = 11;

pub fn draw(layout: &Layout) -> String {
    let bits: u32 = layout.slots.iter().map(Slot::width).sum();
    let maybe: u32 = layout.slots.iter().map(|slot| slot.maybe.count()).sum();
    // Writing to a string never fails.
    let mut text = String::new();
    let _ = writeln!(text, "{bits} bits, {maybe} of which may be 1, in words of 64: {}", layout.words);
    for word in 0..layout.words {
        let _ = writeln!(text, "\n{:MARGIN_COLUMNS$}63{:61}0", format!("word {word}"), "");
        let mut signs = [b'.'; 64];
        let mut legend = String::new();
        for ((id, slot), place) in layout.slots.entries().zip(0..) {
            let letter = LETTERS[place % LETTERS.len()];
            let mut met = false;
            for bit in 0..slot.width() {
                let at = slot.bit + bit;
                if slot.word + at / 64 == word {
                    met = true;
                    signs[63 - at as usize % 64] = if slot.maybe.contains(bit) { letter } else { b'-' };
                }
            }
            if met {
                let (at, ty) = (format!("{}:{}", slot.word, slot.bit), format!("bits<{}>", slot.width()));
                let id = id.to_string();
                let _ = writeln!(legend, "  {}  {id:<6}{at:<8}{ty:<11}{}", letter as char, slot.name);
            }
        }
        let signs: String = signs.iter().map(|&sign| sign as char).collect();
        let _ = writeln!(text, "{:MARGIN_COLUMNS$}{signs}", "");
        text += &legend;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::bits::BitSet;

    #[test]
    fn every_word_shows_its_parts() {
        let mut layout = Layout { words: 3, ..Layout::default() };
        let part = |name: &str, word, bit, maybe| Slot { name: name.into(), word, bit, maybe };
        layout.slots.push(part("board", 0, 0, BitSet::of(70, (0..70).filter(|i| i % 10 != 9))));
        layout.slots.push(part("pile", 2, 0, BitSet::full(3)));
        layout.slots.push(part("turn", 2, 3, BitSet::full(1)));
        let text = draw(&layout);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "74 bits, 67 of which may be 1, in words of 64: 3");
        assert_eq!(lines[2].len(), MARGIN_COLUMNS + 64);
        assert!(
            lines[3].ends_with("a-aaaaaaaaa-aaaaaaaaa") && lines[3].len() == MARGIN_COLUMNS + 64,
            "{text}"
        );
        assert!(
            lines[7].ends_with("....-aaaaa"),
            "the ninth of the seventh ten is in the second word: {text}"
        );
        assert_eq!(lines[11].trim(), format!("{}cbbb", ".".repeat(60)));
        assert_eq!(lines[13], "  c  s2    2:3     bits<1>    turn");
    }
}
