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

use super::numbers::{AggregatedNumbers, Aggregation, INFINITE, PhiDelta};

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

/// The fraction by which thresholds rise (epsilon): numerator and denominator.
type Fraction = (u32, u32);

/// A position that the search does not leave, as its mover sees it.
#[derive(Clone, Copy)]
pub struct OpenNode {
    /// True if the mover wants a yes.
    pub proves: bool,
    /// The numbers of its moves together.
    pub total: AggregatedNumbers,
    pub thresholds: PhiDelta,
}

impl ThresholdRule {
    /// Returns true if the search leaves a position with these numbers.
    #[inline]
    pub fn leaves(self, numbers: PhiDelta, thresholds: PhiDelta) -> bool {
        let reached = (numbers.phi >= thresholds.phi, numbers.delta >= thresholds.delta);
        match self {
            ThresholdRule::Both => reached == (true, true) || numbers.phi == 0 || numbers.delta == 0,
            ThresholdRule::NextBest | ThresholdRule::Proof => reached.0 || reached.1,
        }
    }

    /// Selects the move to search next in a position that the search does not leave, with its thresholds. `together` is
    /// the rule that gave the total.
    #[inline]
    pub fn select_move(
        self,
        moves: impl Iterator<Item = (usize, PhiDelta)>,
        node: OpenNode,
        together: Aggregation,
        epsilon: Fraction,
    ) -> Option<(usize, PhiDelta)> {
        let OpenNode { proves, total, thresholds } = node;
        let (part, whole) = epsilon;
        let more = |number: u32| {
            let number = u64::from(number);
            let more = number + number * u64::from(part) / u64::from(whole.max(1)) + 1;
            more.min(u64::from(INFINITE)) as u32
        };
        // The delta threshold that remains for a move after the cost of the other moves.
        let rest = |delta: u32| match thresholds.delta {
            INFINITE => INFINITE,
            most => (u64::from(most) - together.contribution_of_others(total, delta)) as u32,
        };
        match self {
            ThresholdRule::NextBest => {
                let ((best, numbers), second) = best_two(moves)?;
                let phi = more(second).min(thresholds.phi);
                Some((best, PhiDelta { phi, delta: rest(numbers.delta) }))
            }
            ThresholdRule::Both => {
                let ((best, PhiDelta { phi, delta }), _) = best_two(moves)?;
                let here = total.saturated();
                let (phi_due, delta_due) = (here.phi < thresholds.phi, here.delta < thresholds.delta);
                let by_phi = phi_due && (!delta_due || phi <= delta);
                let (phi, delta) = if by_phi { (more(phi), delta) } else { (phi, more(delta)) };
                Some((best, PhiDelta { phi, delta }))
            }
            ThresholdRule::Proof if proves => {
                let ((best, numbers), _) = best_two(moves)?;
                let phi = more(numbers.phi).min(thresholds.phi);
                Some((best, PhiDelta { phi, delta: INFINITE }))
            }
            ThresholdRule::Proof => {
                // The first of the moves with the largest delta.
                let most = moves.reduce(|most, one| if one.1.delta > most.1.delta { one } else { most })?;
                Some((most.0, PhiDelta { phi: INFINITE, delta: rest(most.1.delta) }))
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
            Some((_, least)) if (one.1.phi, one.1.delta) >= (least.phi, least.delta) => {
                second = second.min(one.1.phi)
            }
            _ => {
                second = best.map_or(second, |(_, least)| least.phi.min(second));
                best = Some(one);
            }
        }
    }
    best.map(|best| (best, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(of: [u32; 2]) -> PhiDelta {
        PhiDelta { phi: of[0], delta: of[1] }
    }

    /// Returns the next move and its thresholds; `of` is true if the mover wants a yes, and epsilon.
    fn next(
        how: ThresholdRule,
        moves: &[[u32; 2]],
        of: (bool, Fraction),
        thresholds: [u32; 2],
    ) -> Option<(usize, [u32; 2])> {
        let moves: Vec<PhiDelta> = moves.iter().copied().map(numbers).collect();
        let total = Aggregation::Sum.aggregate(moves.iter().copied());
        let node = OpenNode { proves: of.0, total, thresholds: numbers(thresholds) };
        let next = how.select_move(moves.into_iter().enumerate(), node, Aggregation::Sum, of.1);
        next.map(|(number, PhiDelta { phi, delta })| (number, [phi, delta]))
    }

    fn leaves(how: ThresholdRule, of: [u32; 2], thresholds: [u32; 2]) -> bool {
        how.leaves(numbers(of), numbers(thresholds))
    }

    #[test]
    fn moves_are_searched_until_another_one_is_due() {
        let (moves, open) = ([[5, 2], [2, 3], [4, 1]], [INFINITE, INFINITE]);
        let (first, second) = ((true, (0, 1)), (false, (0, 1)));
        assert_eq!(next(ThresholdRule::NextBest, &moves, first, open), Some((1, [5, INFINITE])));
        assert_eq!(next(ThresholdRule::NextBest, &moves, first, [3, 9]), Some((1, [3, 6])));
        assert_eq!(next(ThresholdRule::NextBest, &moves, (true, (1, 2)), open), Some((1, [7, INFINITE])));
        // The smaller of the two thresholds of the move rises, or the one that the position has not reached.
        assert_eq!(next(ThresholdRule::Both, &moves, first, open), Some((1, [3, 3])));
        assert_eq!(next(ThresholdRule::Both, &moves, first, [2, 9]), Some((1, [2, 4])));
        assert_eq!(next(ThresholdRule::Both, &[[4, 3]], first, [9, 9]), Some((0, [4, 4])));
        assert_eq!(next(ThresholdRule::Both, &[[4, 8]], (true, (1, 4)), [9, 9]), Some((0, [6, 8])));
        // The proof number is phi of the side that proves, and delta of the other side.
        assert_eq!(next(ThresholdRule::Proof, &moves, first, open), Some((1, [3, INFINITE])));
        assert_eq!(next(ThresholdRule::Proof, &moves, second, [INFINITE, 9]), Some((1, [INFINITE, 6])));
    }

    #[test]
    fn positions_are_left_by_one_number_or_by_both() {
        assert!(leaves(ThresholdRule::NextBest, [3, 1], [3, 9]));
        assert!(leaves(ThresholdRule::Proof, [1, 9], [INFINITE, 9]));
        assert!(!leaves(ThresholdRule::Both, [3, 1], [3, 9]) && leaves(ThresholdRule::Both, [3, 9], [3, 9]));
        let open = [INFINITE, INFINITE];
        for how in [ThresholdRule::NextBest, ThresholdRule::Both, ThresholdRule::Proof] {
            assert!(leaves(how, [0, INFINITE], open) && leaves(how, [INFINITE, 0], open));
            assert!(!leaves(how, [1, 1], open));
        }
    }
}
