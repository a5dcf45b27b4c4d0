//! The text form of packed positions.

use std::fmt;

use super::codec::Word;

/// A packed position: its cells in the order of declaration, packed by `reference` into words; its text form is
/// hexadecimal with points between the words. It does not depend on the compilation of the rules.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PositionKey(pub Box<[u64]>);

impl Word for PositionKey {
    fn render(&self) -> String {
        self.to_string()
    }

    fn parse(text: &str) -> Option<PositionKey> {
        let words = text.split('.').map(|digits| u64::from_str_radix(digits, 16).ok());
        words.collect::<Option<_>>().map(PositionKey)
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
