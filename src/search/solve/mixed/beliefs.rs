//! Information sets of a single player in which he believes the same: the same positions with the same probabilities.
//!
//! Technique: what follows an information set of a player who is alone with chance depends on his belief and on nothing
//! else that he remembers. Sets of one ply with equal beliefs are one set, and the tree grows with the beliefs and no
//! longer with the histories.
//! Source: Åström (1965) for beliefs as states.
//! Cost: a rational number for each node of a ply.
//! Not taken: beliefs of several players, whose later choices also depend on what the others believe of them.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use bouton_base::rational::Rational;

/// Returns, for each class of histories that the player cannot tell apart, the first class in which he believes the same.
///
/// The histories are given as class, position and the probability that chance leads there by the player's own choices.
///
/// ```
/// use bouton_base::rational::Rational;
/// use bouton_search::solve::mixed::beliefs::first_alike;
///
/// let share = |n, of| Rational::new(n, of);
/// let (half, quarter) = (share(1, 2), share(1, 4));
/// let histories = [(0, "a", &half), (0, "b", &quarter), (1, "b", &quarter), (1, "a", &half), (2, "a", &half)];
/// let alike = first_alike(histories);
/// assert_eq!((alike[&0], alike[&1], alike[&2]), (0, 0, 2));
/// ```
pub fn first_alike<'h, P: Hash + Ord + 'h>(
    histories: impl IntoIterator<Item = (u32, P, &'h Rational)>,
) -> FxHashMap<u32, u32> {
    let mut beliefs: BTreeMap<u32, Vec<(P, Rational)>> = BTreeMap::new();
    for (class, position, weight) in histories {
        beliefs.entry(class).or_default().push((position, weight.clone()));
    }
    let mut first: FxHashMap<Vec<(P, Rational)>, u32> = FxHashMap::default();
    let mut alike = FxHashMap::default();
    for (class, mut belief) in beliefs {
        let total: Rational = belief.iter().map(|(_, weight)| weight).sum();
        belief.iter_mut().for_each(|(_, weight)| *weight = weight.checked_div(&total).unwrap_or_default());
        belief.sort();
        alike.insert(class, *first.entry(belief).or_insert(class));
    }
    alike
}
