//! The threshold rules of depth-first proof-number search: they distinguish df-pn, PDS and PN*.
//!
//! Technique: the search leaves a position once its numbers reach the thresholds, and stores its knowledge in the
//! table; later visits come with higher thresholds. The numbers of moves are as the mover of the position sees them.
//! Source: PN*: Seo, Iida, Uiterwijk, "The PN*-search algorithm: application to tsume-shogi" (2001); PDS: Nagai, "A new
//! depth-first-search algorithm for AND/OR trees" (1999); df-pn: Nagai (2002), and with 1 + epsilon Pawlewicz and Lew
//! (2007).
//! Cost: thresholds that rise by a fixed step (PDS, PN*) revisit positions more often than those of df-pn, which rise
//! to the next best move. With steps of one, as in the sources, numbers that count a position twice, as they do where
//! positions repeat, may never end; so all thresholds also rise by a fraction of themselves (1 + epsilon).
//! Invariant: a searched move comes back either answered, or with one number raised and the other one not lowered past
//! its threshold.
//! Not taken: PN* keeps the move order below a side that must refute all moves, and has that order from the game that
//! it was made for. Here the move with the largest delta comes first, since it is the likeliest not to be refuted.

use super::numbers::{AggregatedNumbers, Aggregation, INFINITE};

/// The rule that ends the search of a position and sets the thresholds of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThresholdRule {
    /// Df-pn: leaves a position once one number reaches its threshold; searches a move until it costs more than the
    /// next best.
    NextBest,
    /// PDS: leaves a position once both numbers reach their thresholds; each search of a move raises one of the two.
    Both,
    /// PN*: uses the proof number alone; each search of a move of the first player raises its threshold.
    Proof,
}

/// The fraction by which thresholds rise: numerator and denominator.
type Fraction = (u32, u32);

/// Phi and delta, as the mover sees them.
type PhiDelta = (u32, u32);

impl ThresholdRule {
    /// Returns true if the search leaves a position with these numbers.
    #[inline]
    pub fn leaves(self, (phi, delta): PhiDelta, thresholds: PhiDelta) -> bool {
        let reached = (phi >= thresholds.0, delta >= thresholds.1);
        match self {
            ThresholdRule::Both => reached == (true, true) || phi == 0 || delta == 0,
            ThresholdRule::NextBest | ThresholdRule::Proof => reached.0 || reached.1,
        }
    }

    /// Selects the move to search next in a position that the search does not leave, with its thresholds. `proves` is
    /// true if the mover wants a yes, the fraction after it is epsilon, and `together` is the rule that gave the total.
    #[inline]
    pub fn select_move(
        self,
        moves: impl Iterator<Item = (usize, PhiDelta)>,
        (proves, (part, whole)): (bool, Fraction),
        (together, total): (Aggregation, AggregatedNumbers),
        thresholds: PhiDelta,
    ) -> Option<(usize, PhiDelta)> {
        let more = |number: u32| {
            let number = u64::from(number);
            let more = number + number * u64::from(part) / u64::from(whole.max(1)) + 1;
            more.min(u64::from(INFINITE)) as u32
        };
        // The delta threshold that remains for a move after the cost of the other moves.
        let rest = |delta: u32| match thresholds.1 {
            INFINITE => INFINITE,
            most => (u64::from(most) - together.contribution_of_others(total, delta)) as u32,
        };
        match self {
            ThresholdRule::NextBest => {
                let ((best, (_, delta)), second) = best_two(moves)?;
                Some((best, (more(second).min(thresholds.0), rest(delta))))
            }
            ThresholdRule::Both => {
                let ((best, (phi, delta)), _) = best_two(moves)?;
                let here = total.saturated();
                let (phi_due, delta_due) = (here.0 < thresholds.0, here.1 < thresholds.1);
                let by_phi = phi_due && (!delta_due || phi <= delta);
                Some((best, if by_phi { (more(phi), delta) } else { (phi, more(delta)) }))
            }
            ThresholdRule::Proof if proves => {
                let ((best, (phi, _)), _) = best_two(moves)?;
                Some((best, (more(phi).min(thresholds.0), INFINITE)))
            }
            ThresholdRule::Proof => {
                // The first of the moves with the largest delta.
                let most = moves.reduce(|most, one| if one.1.1 > most.1.1 { one } else { most })?;
                Some((most.0, (INFINITE, rest(most.1.1))))
            }
        }
    }
}

/// Returns the move with the least phi, and the phi of the next best move.
#[inline]
fn best_two(moves: impl Iterator<Item = (usize, PhiDelta)>) -> Option<((usize, PhiDelta), u32)> {
    let mut best: Option<(usize, PhiDelta)> = None;
    let mut second = INFINITE;
    for one in moves {
        match best {
            // Of two moves with equal phi, the one with the smaller delta is the best.
            Some((_, least)) if one.1 >= least => second = second.min(one.1.0),
            _ => {
                second = best.map_or(second, |(_, least)| least.0.min(second));
                best = Some(one);
            }
        }
    }
    best.map(|best| (best, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(
        how: ThresholdRule,
        moves: &[PhiDelta],
        of: (bool, Fraction),
        thresholds: PhiDelta,
    ) -> Option<(usize, PhiDelta)> {
        let total = Aggregation::Sum.aggregate(moves.iter().copied());
        how.select_move(moves.iter().copied().enumerate(), of, (Aggregation::Sum, total), thresholds)
    }

    #[test]
    fn moves_are_searched_until_another_one_is_due() {
        let (moves, open) = ([(5, 2), (2, 3), (4, 1)], (INFINITE, INFINITE));
        let (first, second) = ((true, (0, 1)), (false, (0, 1)));
        assert_eq!(next(ThresholdRule::NextBest, &moves, first, open), Some((1, (5, INFINITE))));
        assert_eq!(next(ThresholdRule::NextBest, &moves, first, (3, 9)), Some((1, (3, 6))));
        assert_eq!(next(ThresholdRule::NextBest, &moves, (true, (1, 2)), open), Some((1, (7, INFINITE))));
        // The smaller of the two thresholds of the move rises, or the one that the position has not reached.
        assert_eq!(next(ThresholdRule::Both, &moves, first, open), Some((1, (3, 3))));
        assert_eq!(next(ThresholdRule::Both, &moves, first, (2, 9)), Some((1, (2, 4))));
        assert_eq!(next(ThresholdRule::Both, &[(4, 3)], first, (9, 9)), Some((0, (4, 4))));
        assert_eq!(next(ThresholdRule::Both, &[(4, 8)], (true, (1, 4)), (9, 9)), Some((0, (6, 8))));
        // The proof number is phi of the side that proves, and delta of the other side.
        assert_eq!(next(ThresholdRule::Proof, &moves, first, open), Some((1, (3, INFINITE))));
        assert_eq!(next(ThresholdRule::Proof, &moves, second, (INFINITE, 9)), Some((1, (INFINITE, 6))));
    }

    #[test]
    fn positions_are_left_by_one_number_or_by_both() {
        assert!(
            ThresholdRule::NextBest.leaves((3, 1), (3, 9))
                && ThresholdRule::Proof.leaves((1, 9), (INFINITE, 9))
        );
        assert!(!ThresholdRule::Both.leaves((3, 1), (3, 9)) && ThresholdRule::Both.leaves((3, 9), (3, 9)));
        let open = (INFINITE, INFINITE);
        for how in [ThresholdRule::NextBest, ThresholdRule::Both, ThresholdRule::Proof] {
            assert!(
                how.leaves((0, INFINITE), open)
                    && how.leaves((INFINITE, 0), open)
                    && !how.leaves((1, 1), open)
            );
        }
    }
}
