//! The check of heaps that are stored as counts: a fluent has the number of heaps of a kind, and each move on it
//! replaces one heap by others. Then each heap is a component of its own.
//!
//! Conditions, where every fluent has all values that a delete relaxation from the position gives it: a move that may
//! be legal and reads or changes a count is legal exactly if there is a heap of one kind; it lowers the count of that
//! kind by 1 and raises the counts of others by constants, does nothing else, and the others are listed before. No
//! fluent may have to count more heaps than it can.
//!
//! For the last condition, let the weight of a heap be the maximal number of heaps of a certain kind that it can
//! become. A move never raises the sum of the weights, since the heaps that replace one weigh no more together. So
//! there are never more heaps of that kind than the weights of the position add up to. Moves that raise a count in any
//! other way would break this; all of them are refused.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::impartial_board::ImpartialBoard;
use super::{Checked, reject, reject_if};
use bouton_base::id::Id;
use bouton_grounding::{FluentId, ThreeValued, Values, all_values, value_numbers};

/// The components that moves on a component lead to, by number and in order.
pub(super) type OptionSet = BTreeSet<Vec<u32>>;

/// A kind of heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HeapKind {
    /// The fluent that counts the heaps.
    pub fluent: FluentId,
    /// The number of its component in the certificate.
    pub number: u32,
}

/// The refusal of a move on a count.
const NOT_A_REPLACEMENT: &str = "a move on heaps does something else than replace one by others";

impl ImpartialBoard<'_> {
    /// Checks that these fluents, in the order of their numbers, count heaps. Returns the options of each; the board
    /// takes note of the counts and of the moves on them.
    pub(super) fn check_heaps(&mut self, start: &[u8], kinds: &[HeapKind]) -> Checked<Vec<OptionSet>> {
        let places: FxHashMap<FluentId, usize> = kinds.iter().map(|kind| kind.fluent).zip(0..).collect();
        if places.len() != kinds.len() || places.keys().any(|fluent| fluent.index() >= self.sizes.len()) {
            return reject("a kind of heap is listed twice, or is no fluent");
        }
        self.evaluator.set_position(start);
        let all = self.region_moves.clone();
        let mut replacements: Vec<Vec<Vec<usize>>> = vec![Vec::new(); kinds.len()];
        for number in self.relax(&all) {
            let touched = self.touched(number);
            if !touched.iter().any(|fluent| places.contains_key(fluent)) {
                continue;
            }
            let touched = touched.iter().map(|fluent| places.get(fluent).copied());
            let touched: Vec<usize> = touched.collect::<Option<_>>().ok_or(NOT_A_REPLACEMENT)?;
            let (taken, given) = self.replacement(number, kinds, touched).ok_or(NOT_A_REPLACEMENT)?;
            if given.iter().any(|&kind| kind >= taken) {
                return reject("a heap is listed before one that replaces it");
            }
            replacements[taken].push(given);
            self.region_moves.retain(|&other| other != number);
        }
        for (place, kind) in kinds.iter().enumerate() {
            let most = most_heaps(kinds, &replacements, start, place);
            let size = self.sizes[kind.fluent.index()];
            reject_if(most >= u64::from(size), "there may be more heaps than their fluent can count")?;
            let values = self.evaluator.possible(kind.fluent) & all_values(most as u32 + 1);
            self.counts.push((kind.fluent, values));
        }
        let numbers = |given: &Vec<usize>| {
            let mut numbers: Vec<u32> = given.iter().map(|&kind| kinds[kind].number).collect();
            numbers.sort_unstable();
            numbers
        };
        Ok(replacements.iter().map(|of| of.iter().map(numbers).collect()).collect())
    }

    /// Returns the heap that a move takes and those that it gives; `None` if it does anything else. The move touches
    /// these kinds alone.
    fn replacement(
        &mut self,
        number: u32,
        kinds: &[HeapKind],
        touched: Vec<usize>,
    ) -> Option<(usize, Vec<usize>)> {
        let taken = touched.iter().copied().find(|&kind| self.needs_one(number, kinds[kind].fluent))?;
        let fluent = kinds[taken].fluent;
        let counts = self.evaluator.possible(fluent);
        self.evaluator.set_values(fluent, counts & !1);
        let mut given = Vec::new();
        let mut fits = self.count_change(number, fluent) == Some(-1);
        for kind in touched.into_iter().filter(|&kind| kind != taken) {
            match self.count_change(number, kinds[kind].fluent) {
                Some(more @ 1..) => given.extend(std::iter::repeat_n(kind, more as usize)),
                _ => fits = false,
            }
        }
        self.evaluator.set_values(fluent, counts);
        fits.then_some((taken, given))
    }

    /// Returns true if a move is legal exactly where a count is not 0.
    fn needs_one(&mut self, number: u32, fluent: FluentId) -> bool {
        let legal = self.moves[number as usize].legal;
        let counts = self.evaluator.possible(fluent);
        self.evaluator.set_values(fluent, 1);
        let without = self.evaluator.evaluate(legal);
        self.evaluator.set_values(fluent, counts & !1);
        let with = self.evaluator.evaluate(legal);
        self.evaluator.set_values(fluent, counts);
        (without, with) == (ThreeValued::Never, ThreeValued::Always)
    }

    /// Returns the constant by which a move changes a count, wherever the sum fits.
    fn count_change(&mut self, number: u32, fluent: FluentId) -> Option<i64> {
        let size = i64::from(self.sizes[fluent.index()]);
        let counts = self.evaluator.possible(fluent);
        let mut by = None;
        let mut constant = true;
        for count in value_numbers(counts) {
            self.evaluator.set_values(fluent, (1 as Values) << count);
            let count = i64::from(count);
            match (self.count_after(number, fluent), by) {
                (Some(after), None) => by = Some(after - count),
                (Some(after), Some(by)) if after - count == by => {}
                (None, Some(by)) if count + by >= size => {}
                _ => constant = false,
            }
        }
        self.evaluator.set_values(fluent, counts);
        by.filter(|_| constant)
    }

    /// Returns the count after a move, if a single one is certain.
    fn count_after(&mut self, number: u32, fluent: FluentId) -> Option<i64> {
        let mut after = None;
        for &(of, value, when) in &self.moves[number as usize].effects {
            if of != fluent {
                continue;
            }
            match self.evaluator.evaluate(when) {
                ThreeValued::Never => {}
                ThreeValued::Always if after.is_none() => after = Some(i64::from(value)),
                _ => return None,
            }
        }
        after
    }
}

/// Returns an upper bound of the number of heaps of the kind at this place: the sum of the weights of all heaps of the
/// position.
fn most_heaps(kinds: &[HeapKind], replacements: &[Vec<Vec<usize>>], start: &[u8], place: usize) -> u64 {
    let mut weights: Vec<u64> = Vec::with_capacity(kinds.len());
    for (kind, of) in replacements.iter().enumerate() {
        let weigh =
            |given: &Vec<usize>| given.iter().fold(0u64, |sum, &kind| sum.saturating_add(weights[kind]));
        let most = of.iter().map(weigh).max().unwrap_or(0);
        weights.push(most.max(u64::from(kind == place)));
    }
    let weight =
        |(kind, weight): (&HeapKind, &u64)| weight.saturating_mul(u64::from(start[kind.fluent.index()]));
    kinds.iter().zip(&weights).map(weight).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::super::CheckError;
    use super::super::grounded::TurnlessMove;
    use super::super::impartial_board::tests::literal;
    use super::*;
    use bouton_grounding::{Formulas, TRUE};

    /// Makes the move that takes a heap counted by one fluent, and gives heaps counted by others, of fluents that count
    /// to 3.
    fn replace(formulas: &mut Formulas, taken: u32, given: &[(u32, u8)]) -> TurnlessMove {
        let mut effects = Vec::new();
        for count in 1..4 {
            effects.push((FluentId(taken), count - 1, literal(formulas, taken, 4, 1 << count)));
        }
        for &(fluent, more) in given {
            for count in 0..4 - more {
                effects.push((FluentId(fluent), count + more, literal(formulas, fluent, 4, 1 << count)));
            }
        }
        TurnlessMove { legal: literal(formulas, taken, 4, 0b1110), effects }
    }

    fn kinds(fluents: &[u32]) -> Vec<HeapKind> {
        fluents
            .iter()
            .zip(0..)
            .map(|(&fluent, number)| HeapKind { fluent: FluentId(fluent), number })
            .collect()
    }

    /// Checks that fluents 0 and 1 count heaps, from this position.
    fn check(more: &dyn Fn(&mut Formulas) -> Vec<TurnlessMove>, start: &[u8]) -> Checked<Vec<OptionSet>> {
        let mut formulas = Formulas::default();
        let mut moves = vec![replace(&mut formulas, 0, &[]), replace(&mut formulas, 1, &[(0, 2)])];
        moves.extend(more(&mut formulas));
        ImpartialBoard::new(&formulas, vec![4; start.len()], moves).check_heaps(start, &kinds(&[0, 1]))
    }

    #[test]
    fn heaps_have_the_options_of_their_replacements() {
        let options = check(&|_| Vec::new(), &[1, 1]).expect("heaps");
        let expected: [OptionSet; 2] = [BTreeSet::from([Vec::new()]), BTreeSet::from([vec![0, 0]])];
        assert_eq!(options, expected);
    }

    #[test]
    fn counts_past_their_fluents_are_refused() {
        let reason = CheckError::from("there may be more heaps than their fluent can count");
        assert_eq!(check(&|_| Vec::new(), &[2, 1]).as_ref(), Err(&reason));
        assert_eq!(check(&|_| Vec::new(), &[0, 2]), Err(reason));
    }

    #[test]
    fn other_moves_on_counts_are_refused() {
        let refused = |more: &dyn Fn(&mut Formulas) -> Vec<TurnlessMove>| {
            check(more, &[1, 1, 1]).is_err_and(|why| why == CheckError::from(NOT_A_REPLACEMENT))
        };
        // Another fluent changes as well.
        assert!(refused(&|formulas| vec![replace(formulas, 1, &[(2, 1)])]));
        // A count is read only.
        assert!(refused(&|formulas| {
            let (heap, lamp) = (literal(formulas, 0, 4, 0b1110), literal(formulas, 2, 4, 0b0010));
            vec![TurnlessMove { legal: formulas.and([heap, lamp]), effects: vec![(FluentId(2), 0, TRUE)] }]
        }));
        // A count is raised without taking a heap.
        assert!(refused(&|formulas| {
            let legal = literal(formulas, 0, 4, 0b0011);
            vec![TurnlessMove { legal, effects: vec![(FluentId(0), 2, TRUE)] }]
        }));
        // Two heaps are taken.
        assert!(refused(&|formulas| {
            let legal = literal(formulas, 0, 4, 0b1100);
            let two = literal(formulas, 0, 4, 0b0100);
            let three = literal(formulas, 0, 4, 0b1000);
            vec![TurnlessMove { legal, effects: vec![(FluentId(0), 0, two), (FluentId(0), 1, three)] }]
        }));
        assert!(check(&|_| Vec::new(), &[1, 1, 1]).is_ok());
    }

    #[test]
    fn heaps_that_come_back_are_refused() {
        let again = |formulas: &mut Formulas| vec![replace(formulas, 0, &[(1, 1)])];
        let reason = CheckError::from("a heap is listed before one that replaces it");
        assert_eq!(check(&again, &[1, 0]), Err(reason));
    }
}
