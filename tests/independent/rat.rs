//! Exact fractions.

use std::cmp::Ordering;
use std::fmt;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rat(pub i128, pub i128);

impl Rat {
    pub fn int(n: i64) -> Rat {
        Rat(n as i128, 1)
    }

    pub fn new(n: i128, d: i128) -> Rat {
        let (mut a, mut b) = (n.abs(), d.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let s = if d < 0 { -1 } else { 1 };
        Rat(s * n / a.max(1), s * d / a.max(1))
    }

    /// Reads `3`, `-1/18` and the like.
    pub fn parse(s: &str) -> Option<Rat> {
        let (n, d) = s.split_once('/').unwrap_or((s, "1"));
        let (n, d) = (n.trim().parse().ok()?, d.trim().parse().ok()?);
        (d != 0).then(|| Rat::new(n, d))
    }

    pub fn add(self, o: Rat) -> Rat {
        Rat::new(self.0 * o.1 + o.0 * self.1, self.1 * o.1)
    }

    pub fn mul(self, o: Rat) -> Rat {
        Rat::new(self.0 * o.0, self.1 * o.1)
    }

    pub fn neg(self) -> Rat {
        Rat(-self.0, self.1)
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, o: &Rat) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Rat {
    fn cmp(&self, o: &Rat) -> Ordering {
        (self.0 * o.1).cmp(&(o.0 * self.1))
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.1 == 1 { write!(f, "{}", self.0) } else { write!(f, "{}/{}", self.0, self.1) }
    }
}
