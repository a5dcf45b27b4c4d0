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

/// The numbers of a question as one side sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhiDelta {
    /// The cost for this side to prove its goal.
    pub phi: u32,
    /// The cost to stop it.
    pub delta: u32,
}

impl PhiDelta {
    /// Infinite thresholds: no unanswered question reaches them.
    pub const INFINITE: PhiDelta = PhiDelta { phi: INFINITE, delta: INFINITE };
    /// The numbers of a side whose goal is refuted.
    pub const REFUTED: PhiDelta = PhiDelta { phi: INFINITE, delta: 0 };

    /// The same numbers as the other side sees them.
    pub fn exchanged(self) -> PhiDelta {
        PhiDelta { phi: self.delta, delta: self.phi }
    }
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

    /// Returns phi and delta as one side sees them.
    pub fn phi_delta(self, by_proof: bool) -> PhiDelta {
        let (phi, delta) = if by_proof { (self.proof, self.disproof) } else { (self.disproof, self.proof) };
        PhiDelta { phi, delta }
    }

    /// The inverse of [`phi_delta`](Self::phi_delta): the numbers with this phi and delta for one side.
    pub fn from_phi_delta(numbers: PhiDelta, by_proof: bool) -> ProofNumbers {
        let PhiDelta { phi, delta } = numbers;
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
    pub fn aggregate(self, moves: impl Iterator<Item = PhiDelta>) -> AggregatedNumbers {
        let (mut phi, mut sum, mut most, mut left) = (INFINITE, 0u64, 0u32, 0u64);
        for one in moves {
            phi = phi.min(one.phi);
            sum += u64::from(one.delta);
            most = most.max(one.delta);
            left += u64::from(one.delta > 0);
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
    pub fn saturated(self) -> PhiDelta {
        let delta = if self.phi == 0 { INFINITE } else { self.delta.min(u64::from(INFINITE) - 1) as u32 };
        PhiDelta { phi: self.phi, delta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_literature() {
        let numbers = |phi, delta| PhiDelta { phi, delta };
        // One move that succeeds decides for the mover; if all moves are refuted, he is stopped.
        for together in [Aggregation::Sum, Aggregation::Weak] {
            let one = together.aggregate([numbers(3, 4), numbers(0, INFINITE)].into_iter());
            assert_eq!(one.saturated(), numbers(0, INFINITE));
            let none = together.aggregate([PhiDelta::REFUTED, PhiDelta::REFUTED].into_iter());
            assert_eq!(none.saturated(), PhiDelta::REFUTED);
            let large = together.aggregate([numbers(1, INFINITE - 1), numbers(2, INFINITE - 1)].into_iter());
            assert_eq!(large.saturated(), numbers(1, INFINITE - 1), "not an answer");
        }
        let moves = [numbers(3, 4), numbers(2, 6), PhiDelta::REFUTED];
        let (sum, weak) =
            (Aggregation::Sum.aggregate(moves.into_iter()), Aggregation::Weak.aggregate(moves.into_iter()));
        assert_eq!((sum.saturated(), weak.saturated()), (numbers(2, 10), numbers(2, 7)));
        assert_eq!(
            (
                Aggregation::Sum.contribution_of_others(sum, 6),
                Aggregation::Weak.contribution_of_others(weak, 6)
            ),
            (4, 1)
        );
    }
}
