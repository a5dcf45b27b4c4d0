//! Heaps stored as counts: a fluent holds the number of heaps of one kind, and a move replaces one heap by others.
//! Such a position is the sum of its heaps, for any number of each kind.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decomposer::BoardMove;
use bouton_base::id::Id;
use bouton_grounding::{FluentId, Ground, ThreeValued, ThreeValuedEvaluator, Values};
use bouton_rules::Value;

/// A move that may be legal, with the fluents that it reads or changes.
pub(super) struct TouchingMove {
    pub number: u32,
    pub touched: Vec<FluentId>,
}

/// A move that takes a heap of one kind and puts others in its place.
struct HeapReplacement {
    number: u32,
    from: FluentId,
    to: Vec<FluentId>,
}

/// The moves that replace one heap by others.
#[derive(Default)]
pub(super) struct Heaps {
    /// By kind of heap: the replacements of one heap by a move, as kinds in order.
    options: FxHashMap<FluentId, Vec<Vec<FluentId>>>,
    /// The numbers of these moves.
    moves: FxHashSet<u32>,
}

impl Heaps {
    /// Finds the heaps of a position. The evaluator holds the values that fluents may take in reachable positions. The
    /// result is empty if a kind can recur or if more heaps of a kind could arise than its fluent can count.
    pub(super) fn of(
        ground: &Ground,
        moves: &[BoardMove],
        live: &[TouchingMove],
        judge: &mut ThreeValuedEvaluator<'_>,
        start: &[u8],
    ) -> Heaps {
        let mut heaps = Heaps::default();
        for HeapReplacement { number, from, to } in replacements(ground, moves, live, judge) {
            heaps.options.entry(from).or_default().push(to);
            heaps.moves.insert(number);
        }
        let mut kinds: Vec<FluentId> = heaps.options.values().flatten().flatten().copied().collect();
        kinds.extend(heaps.options.keys());
        kinds.sort_unstable();
        kinds.dedup();
        match heaps.order(&kinds) {
            Some(order) if heaps.fits(ground, start, &order) => heaps,
            _ => Heaps::default(),
        }
    }

    /// Returns true if each of these moves replaces one heap by others.
    pub(super) fn are_heaps(&self, moves: &[u32]) -> bool {
        moves.iter().all(|number| self.moves.contains(number))
    }

    /// Returns the replacements of a heap.
    pub(super) fn options(&self, heap: FluentId) -> &[Vec<FluentId>] {
        self.options.get(&heap).map_or(&[], Vec::as_slice)
    }

    /// Returns true if each fluent can count as many heaps as the heaps of the start can become.
    fn fits(&self, ground: &Ground, start: &[u8], order: &[FluentId]) -> bool {
        order.iter().all(|&kind| {
            let most = self.count(start, order, kind);
            most.is_some_and(|most| most < ground.fluents.get(kind).values.len() as u64)
        })
    }

    /// Returns the maximal number of heaps of a kind, if each heap of the start yields as many as it can; `None` if it
    /// is too large.
    fn count(&self, start: &[u8], order: &[FluentId], kind: FluentId) -> Option<u64> {
        // The maximal number of heaps of `kind` that one heap yields, computed in topological order.
        let mut from: FxHashMap<FluentId, u64> = FxHashMap::default();
        for heap in order {
            let made = |to: &Vec<FluentId>| {
                to.iter().try_fold(0u64, |sum, other| sum.checked_add(*from.get(other).unwrap_or(&0)))
            };
            let best = self.options(*heap).iter().map(made).try_fold(0, |most, n| Some(n?.max(most)))?;
            from.insert(*heap, best.max(u64::from(*heap == kind)));
        }
        let each = |heap: &FluentId| from[heap].checked_mul(u64::from(start[heap.index()]));
        order.iter().try_fold(0u64, |sum, heap| sum.checked_add(each(heap)?))
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

/// Finds the moves that replace a heap. No other move reads or changes the count of such a kind, so these moves bound
/// it. A count whose heaps are only taken away one by one is left to the moves on it, as a component like any other.
fn replacements(
    ground: &Ground,
    moves: &[BoardMove],
    live: &[TouchingMove],
    judge: &mut ThreeValuedEvaluator<'_>,
) -> Vec<HeapReplacement> {
    let mut found = Vec::new();
    let mut others: FxHashSet<FluentId> = FxHashSet::default();
    for TouchingMove { number, touched } in live {
        match replaces(ground, &moves[*number as usize], judge) {
            Some((from, to)) => found.push(HeapReplacement { number: *number, from, to }),
            None => others.extend(touched),
        }
    }
    loop {
        let before = found.len();
        found.retain(|of| {
            let apart = !others.contains(&of.from) && of.to.iter().all(|kind| !others.contains(kind));
            if !apart {
                others.insert(of.from);
                others.extend(&of.to);
            }
            apart
        });
        if found.len() == before {
            break;
        }
    }
    let splitting = found.iter().filter(|of| !of.to.is_empty());
    let kinds: FxHashSet<FluentId> =
        splitting.flat_map(|of| of.to.iter().copied().chain([of.from])).collect();
    found.retain(|of| kinds.contains(&of.from));
    found
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
