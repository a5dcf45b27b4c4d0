//! Proof and disproof numbers, and their aggregation from moves to a position.
//!
//! Source: Allis, van der Meulen, van den Herik, "Proof-number search" (1994); weak numbers: Ueda, Hashimoto,
//! Hashimoto, Iida, "Weak proof-number search" (2008).
//! Invariant: a number is [`INFINITE`] only if it stands for an impossible proof; finite numbers saturate below it.

/// The number of an impossible proof or disproof.
pub const INFINITE: u32 = (1 << 26) - 1;

/// The proof and disproof number of a question about a position: the minimal number of leaf positions that must still
/// be proved to answer it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// The proof number: the cost of the answer yes.
    pub proof: u32,
    /// The disproof number: the cost of the answer no.
    pub disproof: u32,
}

impl Numbers {
    /// The numbers of an answered question.
    pub fn answered(yes: bool) -> Numbers {
        let (proof, disproof) = if yes { (0, INFINITE) } else { (INFINITE, 0) };
        Numbers { proof, disproof }
    }

    /// Returns the answer, if these are the numbers of an answered question.
    pub fn answer(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }

    /// Returns phi and delta as one side sees them: phi is the cost for this side to prove its goal, delta the cost to
    /// stop it.
    pub fn seen(self, by_proof: bool) -> (u32, u32) {
        if by_proof { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    /// The inverse of [`seen`](Self::seen): the numbers with this phi and delta for one side.
    pub fn from_seen((phi, delta): (u32, u32), by_proof: bool) -> Numbers {
        let (proof, disproof) = if by_proof { (phi, delta) } else { (delta, phi) };
        Numbers { proof, disproof }
    }
}

/// The rule that aggregates delta over several moves, all of which must be refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Together {
    /// The sum of the numbers, as if no two moves led to a common position.
    Sum,
    /// The maximum, plus 1 for each other unrefuted move (weak proof numbers): a sum counts transpositions twice.
    #[default]
    Weak,
}

/// The aggregated numbers of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// The cost for the mover to prove his goal.
    pub phi: u32,
    /// The cost to stop him; it may exceed the range of [`Numbers`].
    pub delta: u64,
    /// The number of unrefuted moves.
    pub left: u64,
}

impl Together {
    /// Aggregates phi and delta of the moves, all as the mover of the position sees them: one move must succeed
    /// (minimum of phi), or all must be refuted (sum or weak sum of delta).
    pub fn of(self, moves: impl Iterator<Item = (u32, u32)>) -> Total {
        let (mut phi, mut sum, mut most, mut left) = (INFINITE, 0u64, 0u32, 0u64);
        for (move_phi, move_delta) in moves {
            phi = phi.min(move_phi);
            sum += u64::from(move_delta);
            most = most.max(move_delta);
            left += u64::from(move_delta > 0);
        }
        let delta = match self {
            Together::Sum => sum,
            Together::Weak => u64::from(most) + left.saturating_sub(1),
        };
        Total { phi, delta, left }
    }

    /// Returns the contribution to the total delta of all moves except one with this delta.
    pub fn beside(self, total: Total, delta: u32) -> u64 {
        match self {
            Together::Sum => total.delta - u64::from(delta),
            Together::Weak => total.left.saturating_sub(1),
        }
    }
}

impl Total {
    /// Returns phi and delta saturated to the range of [`Numbers`].
    pub fn held(self) -> (u32, u32) {
        let delta = if self.phi == 0 { INFINITE } else { self.delta.min(u64::from(INFINITE) - 1) as u32 };
        (self.phi, delta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_literature() {
        // One move that succeeds decides for the mover; if all moves are refuted, he is stopped.
        for together in [Together::Sum, Together::Weak] {
            assert_eq!(together.of([(3, 4), (0, INFINITE)].into_iter()).held(), (0, INFINITE));
            assert_eq!(together.of([(INFINITE, 0), (INFINITE, 0)].into_iter()).held(), (INFINITE, 0));
            let large = together.of([(1, INFINITE - 1), (2, INFINITE - 1)].into_iter());
            assert_eq!(large.held(), (1, INFINITE - 1), "not an answer");
        }
        let moves = [(3, 4), (2, 6), (INFINITE, 0)];
        let (sum, weak) = (Together::Sum.of(moves.into_iter()), Together::Weak.of(moves.into_iter()));
        assert_eq!((sum.held(), weak.held()), ((2, 10), (2, 7)));
        assert_eq!((Together::Sum.beside(sum, 6), Together::Weak.beside(weak, 6)), (4, 1));
    }
}
