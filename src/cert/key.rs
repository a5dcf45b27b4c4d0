//! The text form of packed positions.

use std::fmt;

/// A packed position: its cells in the order of declaration, packed by `reference` into words; its text form is
/// hexadecimal with points between the words. It does not depend on the compilation of the rules.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub Box<[u64]>);

/// The maximal number of words of a position; a longer key is a sign of damage.
const WORDS: usize = 1 << 16;

impl Key {
    /// Parses the `Display` form.
    pub fn parse(text: &str) -> Option<Key> {
        if text.len() > 17 * WORDS {
            return None;
        }
        let word = |digits: &str| {
            let small = digits.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
            (small && !digits.is_empty()).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
        };
        Some(Key(text.split('.').map(word).collect::<Option<_>>()?))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, word) in self.0.iter().enumerate() {
            write!(f, "{}{word:x}", if i == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}
