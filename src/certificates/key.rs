//! The text form of packed positions.

use std::fmt;

/// A packed position: its cells in the order of declaration, packed by `reference` into words; its text form is
/// hexadecimal with points between the words. It does not depend on the compilation of the rules.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PositionKey(pub Box<[u64]>);

/// The maximal number of words of a position; a longer key is a sign of damage.
const MAX_KEY_WORDS: usize = 1 << 16;

impl PositionKey {
    /// Parses the `Display` form.
    pub fn parse(text: &str) -> Option<PositionKey> {
        if text.len() > 17 * MAX_KEY_WORDS {
            return None;
        }
        let word = |digits: &str| {
            let small = digits.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
            (small && !digits.is_empty()).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
        };
        Some(PositionKey(text.split('.').map(word).collect::<Option<_>>()?))
    }
}

impl fmt::Display for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, word) in self.0.iter().enumerate() {
            write!(f, "{}{word:x}", if i == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}
