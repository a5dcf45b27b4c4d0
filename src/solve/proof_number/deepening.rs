//! How long a search depth first stays below a move: what tells df-pn, PDS and PN* apart.
//!
//! Technique: a position is left once its numbers reach thresholds, and what it knows by then is in the table; so a search
//! comes back to it with higher ones, again and again. The numbers of moves are as the mover of the position sees them.
//! Source: PN*: Seo, Iida, Uiterwijk, "The PN*-search algorithm: application to tsume-shogi" (2001); PDS: Nagai, "A new
//! depth-first-search algorithm for AND/OR trees" (1999); df-pn: Nagai (2002), and with 1 + epsilon Pawlewicz and Lew
//! (2007).
//! Cost: thresholds that rise by themselves come back more often than those of df-pn, which go up to the next best move.
//! Where they rise by one, as in the sources, numbers that count a position twice, as they do where positions come back,
//! may never end; so all of them rise by a part of what they are, too (1 + epsilon).
//! Invariant: a move that was searched comes back with a number raised and the other one not lowered past its threshold,
//! or answered.
//! Not taken: that PN* keeps the order of moves below a side that has to refute them all, which it has from the game it
//! was made for; here the one comes first that takes most, for it is the likeliest not to be refuted.

use super::numbers::{INFINITE, Together, Total};

/// When a position is left, and with which thresholds a move is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deepening {
    /// Df-pn: once a number reaches its threshold; a move until it takes more than the next best.
    NextBest,
    /// PDS: once both numbers reach their thresholds, of which one rises each time a move is searched.
    Both,
    /// PN*: by the proof number alone, which rises each time a move of the first player is searched.
    Proof,
}

/// How much of a number is added to it: so many of so many parts.
type Part = (u32, u32);

/// Phi and delta, as the mover sees them.
type Pair = (u32, u32);

impl Deepening {
    /// Whether a position with these numbers is left.
    #[inline]
    pub fn leaves(self, (phi, delta): Pair, thresholds: Pair) -> bool {
        let reached = (phi >= thresholds.0, delta >= thresholds.1);
        match self {
            Deepening::Both => reached == (true, true) || phi == 0 || delta == 0,
            Deepening::NextBest | Deepening::Proof => reached.0 || reached.1,
        }
    }

    /// The move to be searched next in a position that is not left, and its thresholds. `proves` says whether the mover
    /// wants a yes, `epsilon` by which part thresholds rise, `together` how the numbers of all moves came to the total.
    #[inline]
    pub fn next(
        self,
        moves: impl Iterator<Item = (usize, Pair)>,
        (proves, (part, whole)): (bool, Part),
        (together, total): (Together, Total),
        thresholds: Pair,
    ) -> Option<(usize, Pair)> {
        let more = |number: u32| {
            let number = u64::from(number);
            let more = number + number * u64::from(part) / u64::from(whole.max(1)) + 1;
            more.min(u64::from(INFINITE)) as u32
        };
        // What is left for a move where the others take so much already.
        let rest = |delta: u32| match thresholds.1 {
            INFINITE => INFINITE,
            most => (u64::from(most) - together.beside(total, delta)) as u32,
        };
        match self {
            Deepening::NextBest => {
                let ((best, (_, delta)), second) = best_two(moves)?;
                Some((best, (more(second).min(thresholds.0), rest(delta))))
            }
            Deepening::Both => {
                let ((best, (phi, delta)), _) = best_two(moves)?;
                let here = total.held();
                let (phi_due, delta_due) = (here.0 < thresholds.0, here.1 < thresholds.1);
                let by_phi = phi_due && (!delta_due || phi <= delta);
                Some((best, if by_phi { (more(phi), delta) } else { (phi, more(delta)) }))
            }
            Deepening::Proof if proves => {
                let ((best, (phi, _)), _) = best_two(moves)?;
                Some((best, (more(phi).min(thresholds.0), INFINITE)))
            }
            Deepening::Proof => {
                // The first of those that take most.
                let most = moves.reduce(|most, one| if one.1.1 > most.1.1 { one } else { most })?;
                Some((most.0, (INFINITE, rest(most.1.1))))
            }
        }
    }
}

/// The move with the least phi, and the phi of the next best.
#[inline]
fn best_two(moves: impl Iterator<Item = (usize, Pair)>) -> Option<((usize, Pair), u32)> {
    let mut best: Option<(usize, Pair)> = None;
    let mut second = INFINITE;
    for one in moves {
        match best {
            // Of two as good, the one that is less to be done with for the other side.
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

    fn next(how: Deepening, moves: &[Pair], of: (bool, Part), thresholds: Pair) -> Option<(usize, Pair)> {
        let total = Together::Sum.of(moves.iter().copied());
        how.next(moves.iter().copied().enumerate(), of, (Together::Sum, total), thresholds)
    }

    #[test]
    fn moves_are_searched_until_another_one_is_due() {
        let (moves, open) = ([(5, 2), (2, 3), (4, 1)], (INFINITE, INFINITE));
        let (first, second) = ((true, (0, 1)), (false, (0, 1)));
        assert_eq!(next(Deepening::NextBest, &moves, first, open), Some((1, (5, INFINITE))));
        assert_eq!(next(Deepening::NextBest, &moves, first, (3, 9)), Some((1, (3, 6))));
        assert_eq!(next(Deepening::NextBest, &moves, (true, (1, 2)), open), Some((1, (7, INFINITE))));
        // What is nearer to be done with rises, or what the position is left by.
        assert_eq!(next(Deepening::Both, &moves, first, open), Some((1, (3, 3))));
        assert_eq!(next(Deepening::Both, &moves, first, (2, 9)), Some((1, (2, 4))));
        assert_eq!(next(Deepening::Both, &[(4, 3)], first, (9, 9)), Some((0, (4, 4))));
        assert_eq!(next(Deepening::Both, &[(4, 8)], (true, (1, 4)), (9, 9)), Some((0, (6, 8))));
        // The proof number is phi of who proves, and delta of the other side.
        assert_eq!(next(Deepening::Proof, &moves, first, open), Some((1, (3, INFINITE))));
        assert_eq!(next(Deepening::Proof, &moves, second, (INFINITE, 9)), Some((1, (INFINITE, 6))));
    }

    #[test]
    fn positions_are_left_by_one_number_or_by_both() {
        assert!(Deepening::NextBest.leaves((3, 1), (3, 9)) && Deepening::Proof.leaves((1, 9), (INFINITE, 9)));
        assert!(!Deepening::Both.leaves((3, 1), (3, 9)) && Deepening::Both.leaves((3, 9), (3, 9)));
        let open = (INFINITE, INFINITE);
        for how in [Deepening::NextBest, Deepening::Both, Deepening::Proof] {
            assert!(
                how.leaves((0, INFINITE), open)
                    && how.leaves((INFINITE, 0), open)
                    && !how.leaves((1, 1), open)
            );
        }
    }
}
