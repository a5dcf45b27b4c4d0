//! SHA-256 (FIPS 180-4), in the output format of `sha256sum`.

use std::fmt;

use sha2::{Digest as _, Sha256};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the hash of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses 64 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> Option<Digest> {
        let digit = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let digits: Vec<u8> = text.bytes().map(digit).collect::<Option<_>>()?;
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Some(Digest(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An incremental hash of lines.
#[derive(Default)]
pub(super) struct LineHasher(Sha256);

impl LineHasher {
    /// Adds a line and its newline.
    pub(super) fn add(&mut self, line: &str) {
        self.0.update(line.as_bytes());
        self.0.update(b"\n");
    }

    /// Returns the hash of all lines.
    pub(super) fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}
