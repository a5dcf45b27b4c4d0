//! Proof and disproof numbers, and how a position has its own from those of its moves.
//!
//! Source: Allis, van der Meulen, van den Herik, "Proof-number search" (1994); weak numbers: Ueda, Hashimoto, Hashimoto,
//! Iida, "Weak proof-number search" (2008).
//! Invariant: a number is [`INFINITE`] only where it stands for something that cannot be; finite ones stop short of it.

/// Stands for what cannot be proved.
pub const INFINITE: u32 = (1 << 26) - 1;

/// What it takes to answer a question about a position: so many positions at least have to be found to stand well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// To answer it with yes: the proof number.
    pub proof: u32,
    /// To answer it with no: the disproof number.
    pub disproof: u32,
}

impl Numbers {
    /// Of a question with this answer.
    pub fn answered(yes: bool) -> Numbers {
        let (proof, disproof) = if yes { (0, INFINITE) } else { (INFINITE, 0) };
        Numbers { proof, disproof }
    }

    /// The answer, if these are the numbers of one.
    pub fn answer(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }

    /// As one side sees them: phi, what it takes for this side to have its way, and delta, what it takes to stop it.
    pub fn seen(self, by_proof: bool) -> (u32, u32) {
        if by_proof { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    /// The numbers that one side sees so.
    pub fn from_seen((phi, delta): (u32, u32), by_proof: bool) -> Numbers {
        let (proof, disproof) = if by_proof { (phi, delta) } else { (delta, phi) };
        Numbers { proof, disproof }
    }
}

/// How numbers of several moves, all of which have to be refuted, are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Together {
    /// They are added, as if no two moves led to a common position.
    Sum,
    /// The greatest, and 1 for each other move that is not refuted: where plays transpose, a sum counts twice.
    #[default]
    Weak,
}

/// The numbers of a position, from those of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// What it takes for the mover to have his way.
    pub phi: u32,
    /// What it takes to stop him; this may exceed what [`Numbers`] hold.
    pub delta: u64,
    /// How many moves are not refuted.
    pub left: u64,
}

impl Together {
    /// The numbers of a position from phi and delta of its moves, all as its mover sees them: one move has to succeed, or
    /// all have to be stopped.
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

    /// What the moves beside one of this delta add to the total.
    pub fn beside(self, total: Total, delta: u32) -> u64 {
        match self {
            Together::Sum => total.delta - u64::from(delta),
            Together::Weak => total.left.saturating_sub(1),
        }
    }
}

impl Total {
    /// Phi and delta as [`Numbers`] hold them.
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
        // One move that is done decides for the mover; with all refuted he is stopped.
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
