//! The check of QUOTIENT: on the grounded rules, with an automaton that reads components.

use rustc_hash::FxHashSet;

use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::{Convention, QuotientLemma};
use bouton_reference::State;

/// A set of elements, as a bit set.
type ElementSet = u64;

impl Checker<'_> {
    /// Proves that the holder can force the bound: the product is lost if the opponent is to move, and won if the
    /// holder is.
    pub(super) fn quotient(&mut self, start: &State, quotient: &QuotientLemma) -> Checked<Fact> {
        let (mut ground, holder, position) = self.grounded_for(&quotient.bound, start)?;
        let possible = ground.delete_relaxation(&position);
        let misere = Convention::of(self.rules) == Convention::Misere;
        // In normal play the player without a move loses, and that product is lost; in misere play he wins, and it is
        // not.
        let stuck = if misere { holder } else { 1 - holder };
        self.check_ends_when_stuck(&mut ground, &possible, stuck, &quotient.bound)?;
        let listed: Vec<_> = quotient.components.iter().map(|of| &of.component).collect();
        let checked = self.components(&mut ground, &position, &possible, &listed)?;
        let lost = self.monoid(quotient)?;
        let product = |components: &[u32]| {
            components.iter().fold(0u8, |all, &number| {
                quotient.products[usize::from(all)][usize::from(quotient.components[number as usize].element)]
            })
        };
        let mut letters: Vec<(u8, ElementSet)> = Vec::new();
        for (options, counted) in checked.options.iter().zip(&quotient.components) {
            let options = options.iter().fold(0, |all, option| all | 1 << product(option));
            letters.push((counted.element, options));
        }
        letters.sort_unstable();
        letters.dedup();
        self.check_all_multisets(quotient, &letters, lost, misere)?;
        let here_lost = lost >> product(&checked.start) & 1 == 1;
        let to_move = u32::from(position[ground.fluents.turn().index()]);
        if here_lost == (to_move == holder) {
            return reject("the other player wins by the product of the components");
        }
        Ok(Fact::Bound { bound: quotient.bound.clone(), plies: None, sum: PayoffSum::default() })
    }

    /// Checks that the products form a commutative monoid with the unit 0 and contain all elements in use. Returns the
    /// set of lost elements.
    fn monoid(&self, quotient: &QuotientLemma) -> Checked<ElementSet> {
        let size = quotient.products.len();
        let there = |element: &u8| usize::from(*element) < size;
        let whole = (1..=MAX_ELEMENTS).contains(&size)
            && quotient.products.iter().all(|row| row.len() == size && row.iter().all(there))
            && quotient.lost.iter().all(there)
            && quotient.lost.windows(2).all(|pair| pair[0] < pair[1])
            && quotient.components.iter().all(|of| there(&of.element));
        reject_if(!whole, "there is no such element")?;
        let times = |a: usize, b: usize| usize::from(quotient.products[a][b]);
        let all = || 0..size;
        let sound = all().all(|a| times(0, a) == a)
            && all().all(|a| all().all(|b| times(a, b) == times(b, a)))
            && all().all(|a| all().all(|b| all().all(|c| times(times(a, b), c) == times(a, times(b, c)))));
        reject_if(!sound, "the products are not those of a commutative monoid with identity 0")?;
        Ok(quotient.lost.iter().fold(0, |all, element| all | 1 << element))
    }

    /// Checks that for all multisets of components the product is lost if and only if no move leads to a lost one; a
    /// product without any move is lost in normal play and won in misere play.
    fn check_all_multisets(
        &mut self,
        quotient: &QuotientLemma,
        letters: &[(u8, ElementSet)],
        lost: ElementSet,
        misere: bool,
    ) -> Checked<()> {
        let times = |a: u8, b: u8| quotient.products[usize::from(a)][usize::from(b)];
        let moved = |set: ElementSet, by: u8| {
            let here = (0..quotient.products.len() as u8).filter(|element| set >> element & 1 == 1);
            here.fold(0, |all, element| all | 1 << times(element, by))
        };
        let mut met: FxHashSet<(u8, ElementSet)> = FxHashSet::default();
        let mut waiting = vec![(0u8, 0 as ElementSet)];
        met.insert(waiting[0]);
        while let Some((product, options)) = waiting.pop() {
            self.step_done()?;
            let is_lost = lost >> product & 1 == 1;
            let should = if options == 0 { !misere } else { options & lost == 0 };
            if is_lost != should {
                let which = if is_lost { "lost" } else { "won" };
                let reason = match options {
                    0 => "where no component can move",
                    _ if should => "though no move leads to a lost one",
                    _ => "though a move leads to a lost one",
                };
                return reject(format!("the certificate marks the product {product} as {which} {reason}"));
            }
            for &(element, own) in letters {
                let next = (times(product, element), moved(options, element) | moved(own, product));
                if met.insert(next) {
                    waiting.push(next);
                }
            }
            if met.len() > MAX_PRODUCT_PAIRS {
                return reject("the components make too many pairs of product and options");
            }
        }
        Ok(())
    }
}

/// The maximal number of elements of a monoid, so that a set of them fits into a word.
const MAX_ELEMENTS: usize = 64;

/// The maximal number of pairs of a product and the products of its options.
const MAX_PRODUCT_PAIRS: usize = 1 << 20;
