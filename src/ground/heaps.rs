//! Heaps that are kept as counts: a fluent says how many heaps of one kind there are, and a move takes one heap away and
//! puts others in its place. Such a position is the sum of its heaps, whatever number of each there is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::apart::BoardMove;
use super::formula::{Values, all};
use super::judge::{Judge, Truth};
use super::{FluentId, Ground};
use crate::base::id::Id;
use crate::rules::Value;

/// The moves that replace one heap by others.
#[derive(Default)]
pub(super) struct Heaps {
    /// By kind of heap: what a move may put in the place of one, as kinds in order.
    options: FxHashMap<FluentId, Vec<Vec<FluentId>>>,
    /// The moves, by number.
    moves: FxHashSet<u32>,
    /// By kind: kinds with one number are the same game.
    class: FxHashMap<FluentId, u32>,
    /// By kind: how many there can ever be.
    most: Vec<(FluentId, u64)>,
}

impl Heaps {
    /// The heaps of a position. The judge knows the values that fluents may take in what comes of it. There are none where
    /// kinds come back or where more heaps of a kind could come than can be counted.
    pub(super) fn of(
        ground: &Ground,
        moves: &[BoardMove],
        live: &[u32],
        judge: &mut Judge<'_>,
        start: &[u8],
    ) -> Heaps {
        let mut heaps = Heaps::default();
        for &number in live {
            if let Some((from, to)) = replaces(ground, &moves[number as usize], judge) {
                heaps.options.entry(from).or_default().push(to);
                heaps.moves.insert(number);
            }
        }
        let mut kinds: Vec<FluentId> = heaps.options.values().flatten().flatten().copied().collect();
        kinds.extend(heaps.options.keys());
        kinds.sort_unstable();
        kinds.dedup();
        let Some(order) = heaps.order(&kinds) else { return Heaps::default() };
        match heaps.count(ground, start, &order) {
            Some(most) => {
                heaps.most = most;
                heaps.classify(&order);
                heaps
            }
            None => Heaps::default(),
        }
    }

    /// Kinds from which the same comes are the same.
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

    /// Which game a heap is.
    pub(super) fn class(&self, heap: FluentId) -> u32 {
        self.class.get(&heap).copied().unwrap_or(u32::MAX)
    }

    /// Whether all of these moves replace one heap by others.
    pub(super) fn are_heaps(&self, moves: &[u32]) -> bool {
        moves.iter().all(|number| self.moves.contains(number))
    }

    /// What may come in the place of a heap.
    pub(super) fn options(&self, heap: FluentId) -> &[Vec<FluentId>] {
        self.options.get(&heap).map_or(&[], Vec::as_slice)
    }

    /// The judge knows how many heaps of each kind there can be.
    pub(super) fn limit(&self, judge: &mut Judge<'_>) {
        for (fluent, most) in &self.most {
            let possible = judge.possible(*fluent);
            judge.set(*fluent, possible & all(*most as u32 + 1));
        }
    }

    /// For each kind how many heaps of it can come at most, each heap of the start making as many as it can.
    fn count(&self, ground: &Ground, start: &[u8], order: &[FluentId]) -> Option<Vec<(FluentId, u64)>> {
        let mut most = Vec::new();
        for &kind in order {
            // From each heap, those that come last first.
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

    /// The kinds, each after all that may come of it; none where one may come of itself.
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

/// The heap that a move takes away and those that it puts there; none where that is not all it does.
fn replaces(ground: &Ground, of: &BoardMove, judge: &mut Judge<'_>) -> Option<(FluentId, Vec<FluentId>)> {
    let mut fluents: Vec<FluentId> = of.becomes.iter().map(|(fluent, ..)| *fluent).collect();
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
        judge.set(fluent, possible);
        match change? {
            -1 if taken.is_none() => taken = Some(fluent),
            more @ 1.. => given.extend(std::iter::repeat_n(fluent, more as usize)),
            _ => return None,
        }
    }
    // It may be made just where there is a heap to take away.
    let taken = taken?;
    let possible = judge.possible(taken);
    judge.set(taken, 1);
    let without = judge.of(of.legal);
    judge.set(taken, possible & !1);
    let with = judge.of(of.legal);
    judge.set(taken, possible);
    (without == Truth::Never && with == Truth::Always).then_some((taken, given))
}

/// By how much a move changes a count, whatever it is, as far as the sum can be written.
fn changes_by(ground: &Ground, of: &BoardMove, fluent: FluentId, judge: &mut Judge<'_>) -> Option<i64> {
    let size = ground.fluents.get(fluent).values.len() as i64;
    let becomes: Vec<_> = of.becomes.iter().filter(|(other, ..)| *other == fluent).collect();
    let mut by = None;
    let mut unknown = false;
    for from in 0..size {
        judge.set(fluent, (1 as Values) << from);
        if judge.of(of.legal) == Truth::Never {
            continue;
        }
        let mut to = None;
        for (_, value, when) in &becomes {
            match judge.of(*when) {
                Truth::Never => {}
                Truth::Always if to.is_none() => to = Some(i64::from(*value)),
                _ => return None,
            }
        }
        match (to, by) {
            (Some(to), None) if !unknown => by = Some(to - from),
            (Some(to), Some(by)) if to - from == by => {}
            // Past the largest number nothing is written.
            (None, Some(by)) if from + by >= size => {}
            (None, None) => unknown = true,
            _ => return None,
        }
    }
    by
}
