//! (m, n)-averaging: a position with several good moves is worth more than one with a single good move, where values
//! are guesses.
//!
//! Technique: the value backed up to a node is a mean of its m best moves where the first player chooses, and of its
//! n best where the second does; each move counts half as much as the one before it.
//! Source: Slagle and Dixon, "Experiments with the M & N tree-searching program" (1970), who leave open which
//! function of the best values to take.
//! Cost: the search has to find the whole values of all moves of a node: there are no cutoffs.
//! Invariant: a certain best move counts alone, as no choice among others makes it less certain. (1, 1) is minimax.

/// Returns the value to back up, given the worth of each move to the first player and a flag for certain ones; `None`
/// if there is no move.
pub fn back_up(mut moves: Vec<(f64, bool)>, highest: bool, count: usize) -> Option<f64> {
    moves.sort_by(|(a, _), (b, _)| if highest { b.total_cmp(a) } else { a.total_cmp(b) });
    let &(most, certain) = moves.first()?;
    if certain {
        return Some(most);
    }
    let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
    // The certain ones among the worse moves are ends of the game: no guess may be mixed with them.
    for (worth, _) in moves.iter().filter(|(_, certain)| !certain).take(count.max(1)) {
        sum += weight * worth;
        weights += weight;
        weight /= 2.0;
    }
    Some(sum / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_good_moves_are_better_than_one() {
        let guesses = |worth: &[f64]| worth.iter().map(|&worth| (worth, false)).collect::<Vec<_>>();
        assert_eq!(back_up(guesses(&[0.0, 4.0]), true, 1), Some(4.0), "minimax");
        assert!(back_up(guesses(&[4.0, 4.0]), true, 2) > back_up(guesses(&[4.0, 0.0]), true, 2));
        // The least two, the least counting twice: (2 * 1 + 4) / 3.
        assert_eq!(back_up(guesses(&[4.0, 9.0, 1.0]), false, 2), Some(2.0));
        assert_eq!(back_up(vec![(9.0, false), (1e6, true)], true, 2), Some(1e6), "a win is a win");
        assert_eq!(back_up(vec![(9.0, false), (-1e6, true)], true, 2), Some(9.0), "and a loss is avoided");
        assert_eq!(back_up(Vec::new(), true, 2), None);
    }
}
