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
pub struct ProofNumbers {
    /// The proof number: the cost of the answer yes.
    pub proof: u32,
    /// The disproof number: the cost of the answer no.
    pub disproof: u32,
}

impl ProofNumbers {
    /// The numbers of an answered question.
    pub fn answered(yes: bool) -> ProofNumbers {
        let (proof, disproof) = if yes { (0, INFINITE) } else { (INFINITE, 0) };
        ProofNumbers { proof, disproof }
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
    pub fn phi_delta(self, by_proof: bool) -> (u32, u32) {
        if by_proof { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    /// The inverse of [`phi_delta`](Self::phi_delta): the numbers with this phi and delta for one side.
    pub fn from_phi_delta((phi, delta): (u32, u32), by_proof: bool) -> ProofNumbers {
        let (proof, disproof) = if by_proof { (phi, delta) } else { (delta, phi) };
        ProofNumbers { proof, disproof }
    }
}

/// The rule that aggregates delta over several moves, all of which must be refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aggregation {
    /// The sum of the numbers, as if no two moves led to a common position.
    Sum,
    /// The maximum, plus 1 for each other unrefuted move (weak proof numbers): a sum counts transpositions twice.
    #[default]
    Weak,
}

/// The aggregated numbers of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AggregatedNumbers {
    /// The cost for the mover to prove his goal.
    pub phi: u32,
    /// The cost to stop him; it may exceed the range of [`ProofNumbers`].
    pub delta: u64,
    /// The number of unrefuted moves.
    pub unrefuted: u64,
}

impl Aggregation {
    /// Aggregates phi and delta of the moves, all as the mover of the position sees them: one move must succeed
    /// (minimum of phi), or all must be refuted (sum or weak sum of delta).
    pub fn aggregate(self, moves: impl Iterator<Item = (u32, u32)>) -> AggregatedNumbers {
        let (mut phi, mut sum, mut most, mut left) = (INFINITE, 0u64, 0u32, 0u64);
        for (move_phi, move_delta) in moves {
            phi = phi.min(move_phi);
            sum += u64::from(move_delta);
            most = most.max(move_delta);
            left += u64::from(move_delta > 0);
        }
        let delta = match self {
            Aggregation::Sum => sum,
            Aggregation::Weak => u64::from(most) + left.saturating_sub(1),
        };
        AggregatedNumbers { phi, delta, unrefuted: left }
    }

    /// Returns the contribution to the total delta of all moves except one with this delta.
    pub fn contribution_of_others(self, total: AggregatedNumbers, delta: u32) -> u64 {
        match self {
            Aggregation::Sum => total.delta - u64::from(delta),
            Aggregation::Weak => total.unrefuted.saturating_sub(1),
        }
    }
}

impl AggregatedNumbers {
    /// Returns phi and delta saturated to the range of [`ProofNumbers`].
    pub fn saturated(self) -> (u32, u32) {
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
        for together in [Aggregation::Sum, Aggregation::Weak] {
            assert_eq!(together.aggregate([(3, 4), (0, INFINITE)].into_iter()).saturated(), (0, INFINITE));
            assert_eq!(
                together.aggregate([(INFINITE, 0), (INFINITE, 0)].into_iter()).saturated(),
                (INFINITE, 0)
            );
            let large = together.aggregate([(1, INFINITE - 1), (2, INFINITE - 1)].into_iter());
            assert_eq!(large.saturated(), (1, INFINITE - 1), "not an answer");
        }
        let moves = [(3, 4), (2, 6), (INFINITE, 0)];
        let (sum, weak) =
            (Aggregation::Sum.aggregate(moves.into_iter()), Aggregation::Weak.aggregate(moves.into_iter()));
        assert_eq!((sum.saturated(), weak.saturated()), ((2, 10), (2, 7)));
        assert_eq!(
            (
                Aggregation::Sum.contribution_of_others(sum, 6),
                Aggregation::Weak.contribution_of_others(weak, 6)
            ),
            (4, 1)
        );
    }
}
