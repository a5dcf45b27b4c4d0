//! Heaps stored as counts: a fluent holds the number of heaps of one kind, and a move replaces one heap by others.
//! Such a position is the sum of its heaps, for any number of each kind.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decomposition::BoardMove;
use super::formula::{Values, all_values};
use super::three_valued::{ThreeValued, ThreeValuedEvaluator};
use super::{FluentId, Ground};
use bouton_base::id::Id;
use bouton_rules::Value;

/// The moves that replace one heap by others.
#[derive(Default)]
pub(super) struct Heaps {
    /// By kind of heap: the replacements of one heap by a move, as kinds in order.
    options: FxHashMap<FluentId, Vec<Vec<FluentId>>>,
    /// The numbers of these moves.
    moves: FxHashSet<u32>,
    /// The class of each kind: kinds of one class are the same game.
    class: FxHashMap<FluentId, u32>,
    /// The maximal number of heaps of each kind.
    max_counts: Vec<(FluentId, u64)>,
}

impl Heaps {
    /// Finds the heaps of a position. The evaluator holds the values that fluents may take in reachable positions. The
    /// result is empty if a kind can recur or if more heaps of a kind could arise than its fluent can count.
    pub(super) fn of(
        ground: &Ground,
        moves: &[BoardMove],
        live: &[u32],
        judge: &mut ThreeValuedEvaluator<'_>,
        start: &[u8],
    ) -> Heaps {
        let mut heaps = Heaps::default();
        for (number, from, to) in replacements(ground, moves, live, judge) {
            heaps.options.entry(from).or_default().push(to);
            heaps.moves.insert(number);
        }
        let mut kinds: Vec<FluentId> = heaps.options.values().flatten().flatten().copied().collect();
        kinds.extend(heaps.options.keys());
        kinds.sort_unstable();
        kinds.dedup();
        let Some(order) = heaps.order(&kinds) else { return Heaps::default() };
        match heaps.count(ground, start, &order) {
            Some(most) => {
                heaps.max_counts = most;
                heaps.classify(&order);
                heaps
            }
            None => Heaps::default(),
        }
    }

    /// Assigns equal classes to kinds with equal options.
    fn classify(&mut self, order: &[FluentId]) {
        let mut known: FxHashMap<Vec<Vec<u32>>, u32> = FxHashMap::default();
        for &kind in order {
            let classes = |to: &Vec<FluentId>| {
                let mut classes: Vec<u32> = to.iter().map(|other| self.class[other]).collect();
                classes.sort_unstable();
                classes
            };
            let mut options: Vec<Vec<u32>> = self.options(kind).iter().map(classes).collect();
            options.sort_unstable();
            options.dedup();
            let next = known.len() as u32;
            let class = *known.entry(options).or_insert(next);
            self.class.insert(kind, class);
        }
    }

    /// Returns the class of a heap's game.
    pub(super) fn class(&self, heap: FluentId) -> u32 {
        self.class.get(&heap).copied().unwrap_or(u32::MAX)
    }

    /// Returns true if each of these moves replaces one heap by others.
    pub(super) fn are_heaps(&self, moves: &[u32]) -> bool {
        moves.iter().all(|number| self.moves.contains(number))
    }

    /// Returns the replacements of a heap.
    pub(super) fn options(&self, heap: FluentId) -> &[Vec<FluentId>] {
        self.options.get(&heap).map_or(&[], Vec::as_slice)
    }

    /// Restricts the evaluator to the possible numbers of heaps of each kind.
    pub(super) fn restrict(&self, judge: &mut ThreeValuedEvaluator<'_>) {
        for (fluent, most) in &self.max_counts {
            let possible = judge.possible(*fluent);
            judge.set_values(*fluent, possible & all_values(*most as u32 + 1));
        }
    }

    /// Returns the maximal number of heaps of each kind, if each heap of the start yields as many as it can. `None` if
    /// a fluent cannot count that many.
    fn count(&self, ground: &Ground, start: &[u8], order: &[FluentId]) -> Option<Vec<(FluentId, u64)>> {
        let mut most = Vec::new();
        for &kind in order {
            // For each kind the maximal number of heaps of `kind` that one heap of it yields, computed in topological
            // order.
            let mut from: FxHashMap<FluentId, u64> = FxHashMap::default();
            for heap in order {
                let made = |to: &Vec<FluentId>| {
                    to.iter().try_fold(0u64, |sum, other| sum.checked_add(*from.get(other).unwrap_or(&0)))
                };
                let best = self.options(*heap).iter().map(made).try_fold(0, |most, n| Some(n?.max(most)))?;
                from.insert(*heap, best.max(u64::from(*heap == kind)));
            }
            let each = |heap: &FluentId| from[heap].checked_mul(u64::from(start[heap.index()]));
            let sum = order.iter().try_fold(0u64, |sum, heap| sum.checked_add(each(heap)?))?;
            let written = ground.fluents.get(kind).values.len() as u64 - 1;
            if sum > written {
                return None;
            }
            most.push((kind, sum));
        }
        Some(most)
    }

    /// Sorts the kinds topologically, each after its replacements; `None` if there is a cycle.
    fn order(&self, kinds: &[FluentId]) -> Option<Vec<FluentId>> {
        let mut order = Vec::with_capacity(kinds.len());
        let mut done: FxHashSet<FluentId> = FxHashSet::default();
        while order.len() < kinds.len() {
            let before = order.len();
            for &kind in kinds {
                let ready = self.options(kind).iter().flatten().all(|to| done.contains(to));
                if ready && done.insert(kind) {
                    order.push(kind);
                }
            }
            if order.len() == before {
                return None;
            }
        }
        Some(order)
    }
}

/// Finds the moves that replace a heap: the number of each, the kind it takes away and the kinds it adds. No other move
/// increases the count of such a kind, so these moves bound it.
fn replacements(
    ground: &Ground,
    moves: &[BoardMove],
    live: &[u32],
    judge: &mut ThreeValuedEvaluator<'_>,
) -> Vec<(u32, FluentId, Vec<FluentId>)> {
    let mut found = Vec::new();
    let mut unbounded: FxHashSet<FluentId> = FxHashSet::default();
    for &number in live {
        let of = &moves[number as usize];
        match replaces(ground, of, judge) {
            Some((from, to)) => found.push((number, from, to)),
            None => add_increased(of, judge, &mut unbounded),
        }
    }
    loop {
        let before = found.len();
        found.retain(|(_, from, to)| {
            let bounded = !unbounded.contains(from) && to.iter().all(|kind| !unbounded.contains(kind));
            if !bounded {
                unbounded.extend(to);
            }
            bounded
        });
        if found.len() == before {
            return found;
        }
    }
}

/// Adds the fluents that a move may change to a value of a greater number.
fn add_increased(of: &BoardMove, judge: &mut ThreeValuedEvaluator<'_>, to: &mut FxHashSet<FluentId>) {
    for &(fluent, value, when) in &of.updates {
        let possible = judge.possible(fluent);
        let increases = (0..value).filter(|from| possible >> from & 1 == 1).any(|from| {
            judge.set_values(fluent, (1 as Values) << from);
            judge.evaluate(of.legal) != ThreeValued::Never && judge.evaluate(when) != ThreeValued::Never
        });
        judge.set_values(fluent, possible);
        if increases {
            to.insert(fluent);
        }
    }
}

/// Returns the heap that a move removes and those that it adds; `None` if the move does anything else.
fn replaces(
    ground: &Ground,
    of: &BoardMove,
    judge: &mut ThreeValuedEvaluator<'_>,
) -> Option<(FluentId, Vec<FluentId>)> {
    let mut fluents: Vec<FluentId> = of.updates.iter().map(|(fluent, ..)| *fluent).collect();
    fluents.sort_unstable();
    fluents.dedup();
    fluents.retain(|fluent| judge.may_change(*fluent));
    let counts = |fluent: &FluentId| {
        let values = &ground.fluents.get(*fluent).values;
        values.iter().zip(0..).all(|(value, number)| *value == Value::Int(number))
    };
    if !fluents.iter().all(counts) {
        return None;
    }
    let mut taken = None;
    let mut given = Vec::new();
    for &fluent in &fluents {
        let possible = judge.possible(fluent);
        let change = changes_by(ground, of, fluent, judge);
        judge.set_values(fluent, possible);
        match change? {
            -1 if taken.is_none() => taken = Some(fluent),
            more @ 1.. => given.extend(std::iter::repeat_n(fluent, more as usize)),
            _ => return None,
        }
    }
    // The move must be legal exactly if there is a heap to remove.
    let taken = taken?;
    let possible = judge.possible(taken);
    judge.set_values(taken, 1);
    let without = judge.evaluate(of.legal);
    judge.set_values(taken, possible & !1);
    let with = judge.evaluate(of.legal);
    judge.set_values(taken, possible);
    (without == ThreeValued::Never && with == ThreeValued::Always).then_some((taken, given))
}

/// Returns the constant by which a move changes a count, for all values for which the sum fits.
fn changes_by(
    ground: &Ground,
    of: &BoardMove,
    fluent: FluentId,
    judge: &mut ThreeValuedEvaluator<'_>,
) -> Option<i64> {
    let size = ground.fluents.get(fluent).values.len() as i64;
    let becomes: Vec<_> = of.updates.iter().filter(|(other, ..)| *other == fluent).collect();
    let mut by = None;
    let mut unknown = false;
    for from in 0..size {
        judge.set_values(fluent, (1 as Values) << from);
        if judge.evaluate(of.legal) == ThreeValued::Never {
            continue;
        }
        let mut to = None;
        for (_, value, when) in &becomes {
            match judge.evaluate(*when) {
                ThreeValued::Never => {}
                ThreeValued::Always if to.is_none() => to = Some(i64::from(*value)),
                _ => return None,
            }
        }
        match (to, by) {
            (Some(to), None) if !unknown => by = Some(to - from),
            (Some(to), Some(by)) if to - from == by => {}
            // A sum past the largest number has no value.
            (None, Some(by)) if from + by >= size => {}
            (None, None) => unknown = true,
            _ => return None,
        }
    }
    by
}
