//! Mutually exclusive move groups: conditions (gates) that disable several groups at once. No placing move exists once
//! all men are placed, no flying one while there are many. One branch then replaces many sets. Other groups have moves
//! only if the condition does not hold, as with captures that exclude all other moves: of the two kinds only one runs.
//!
//! *Invariant:* if the condition does not hold, the set of each group behind it is empty; if it does, that of each of
//! the other groups.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use bouton_circuit::{Circuit, GroupId, Op, Ty, ValueId};

/// The maximal depth of the search through the operands of a set.
const MAX_OPERAND_DEPTH: u32 = 12;

/// Move groups in order, with mutually exclusive groups placed next to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GroupRun {
    /// One group, by its index among the groups of the control.
    One(usize),
    /// Several groups that a condition guards.
    Guarded(GuardedGroups),
}

/// The groups that a condition divides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GuardedGroups {
    pub gate: ValueId,
    /// The groups that have no moves unless it holds.
    pub if_true: Vec<GroupRun>,
    /// The groups that have no moves if it holds.
    pub if_false: Vec<GroupRun>,
}

impl GuardedGroups {
    /// Returns the runs that may have moves if the condition has this outcome.
    pub fn runs_if(&self, holds: bool) -> &[GroupRun] {
        if holds { &self.if_true } else { &self.if_false }
    }
}

/// Arranges the groups of a control by the conditions that they share, using only conditions that `may_ask` accepts.
pub(super) fn arrange(
    circuit: &Circuit,
    groups: &[GroupId],
    may_ask: impl Fn(ValueId) -> bool,
) -> Vec<GroupRun> {
    let sets: Vec<ValueId> = groups.iter().map(|&group| circuit.groups[group].set).collect();
    let of = |&set: &ValueId| {
        let mut found = gates(circuit, set, MAX_OPERAND_DEPTH);
        found.retain(|&gate| may_ask(gate));
        found
    };
    let gates: Vec<Vec<ValueId>> = sets.iter().map(of).collect();
    let mut shut = FxHashMap::default();
    for &gate in gates.iter().flatten() {
        if let Op::Not(some) = circuit.values[gate].op {
            shut.entry(gate).or_insert_with(|| parts(circuit, some));
        }
    }
    ExclusionFinder { circuit, sets, gates, shut }.within(0..groups.len(), &mut Vec::new())
}

/// Returns the indices of the groups in some runs.
pub(super) fn all(runs: &[GroupRun]) -> Vec<usize> {
    let of = |run: &GroupRun| match run {
        GroupRun::One(group) => vec![*group],
        GroupRun::Guarded(behind) => [all(&behind.if_true), all(&behind.if_false)].concat(),
    };
    runs.iter().flat_map(of).collect()
}

/// The search for shared conditions.
struct ExclusionFinder<'a> {
    circuit: &'a Circuit,
    sets: Vec<ValueId>,
    /// The conditions without which each group has no moves.
    gates: Vec<Vec<ValueId>>,
    /// The sets that are empty if a condition holds.
    shut: FxHashMap<ValueId, FxHashSet<ValueId>>,
}

impl ExclusionFinder<'_> {
    /// Arranges some groups, behind some conditions.
    fn within(&self, groups: Range<usize>, behind: &mut Vec<ValueId>) -> Vec<GroupRun> {
        let mut runs: Vec<GroupRun> = Vec::new();
        let mut at = groups.start;
        while at < groups.end {
            // The condition of this group that covers the most following groups.
            let own = self.gates[at].iter().filter(|gate| !behind.contains(gate));
            let end_of = |from: usize, holds: &dyn Fn(usize) -> bool| {
                from + (from..groups.end).take_while(|&group| holds(group)).count()
            };
            let reach = |&gate: &ValueId| {
                let end = end_of(at, &|group| self.gates[group].contains(&gate));
                (end, end_of(end, &|group| self.is_shut(group, gate)), gate)
            };
            let best =
                own.map(reach).max_by_key(|&(end, others, gate)| (end, others, std::cmp::Reverse(gate)));
            let Some((end, others, gate)) = best else {
                runs.push(GroupRun::One(at));
                at += 1;
                continue;
            };
            let shut = |run: &&GroupRun| matches!(run, GroupRun::One(group) if self.is_shut(*group, gate));
            let before = runs.iter().rev().take_while(shut).count();
            if end == at + 1 && others == end && before == 0 {
                runs.push(GroupRun::One(at));
                at += 1;
                continue;
            }
            let mut other_runs = runs.split_off(runs.len() - before);
            behind.push(gate);
            let inner = self.within(at..end, behind);
            behind.pop();
            let opposite = self.opposite(end..others, gate);
            behind.extend(opposite);
            other_runs.extend(self.within(end..others, behind));
            behind.truncate(behind.len() - usize::from(opposite.is_some()));
            runs.push(GroupRun::Guarded(GuardedGroups { gate, if_true: inner, if_false: other_runs }));
            at = others;
        }
        runs
    }

    /// Returns true if a group provably has no moves if a condition holds.
    fn is_shut(&self, group: usize, gate: ValueId) -> bool {
        self.opposite(group..group + 1, gate).is_some()
            || self
                .shut
                .get(&gate)
                .is_some_and(|empty| is_of(self.circuit, self.sets[group], empty, MAX_OPERAND_DEPTH))
    }

    /// Returns the negation of a condition, if one of the groups has no moves without it.
    fn opposite(&self, mut groups: Range<usize>, gate: ValueId) -> Option<ValueId> {
        let not = |a: ValueId, b: ValueId| matches!(self.circuit.values[a].op, Op::Not(of) if of == b);
        groups.find_map(|group| {
            self.gates[group].iter().copied().find(|&other| not(other, gate) || not(gate, other))
        })
    }
}

/// Returns values that are empty whenever `whole` is: its parts, each once.
fn parts(circuit: &Circuit, whole: ValueId) -> FxHashSet<ValueId> {
    let (mut found, mut ahead) = (FxHashSet::default(), vec![(whole, MAX_OPERAND_DEPTH)]);
    while let Some((value, depth)) = ahead.pop() {
        if !found.insert(value) || depth == 0 {
            continue;
        }
        match circuit.values[value].op {
            Op::Or(a, b) => ahead.extend([(a, depth - 1), (b, depth - 1)]),
            Op::Any(a) => ahead.push((a, depth - 1)),
            Op::Resize(a) if circuit.width(a) <= circuit.width(value) => ahead.push((a, depth - 1)),
            _ => {}
        }
    }
    found
}

/// Returns true if a set is empty whenever all values in `empty` are.
fn is_of(circuit: &Circuit, set: ValueId, empty: &FxHashSet<ValueId>, depth: u32) -> bool {
    if empty.contains(&set) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let of = |value| is_of(circuit, value, empty, depth);
    match circuit.values[set].op {
        Op::And(a, b) => of(a) || of(b),
        Op::AndNot(a, _) | Op::Shift(a, _) | Op::Resize(a) | Op::Spread(a) => of(a),
        _ => false,
    }
}

/// Returns the truth values without which a set is empty.
fn gates(circuit: &Circuit, set: ValueId, depth: u32) -> Vec<ValueId> {
    let node = &circuit.values[set];
    let of = |value: ValueId| if depth == 0 { Vec::new() } else { gates(circuit, value, depth - 1) };
    let mut found = match node.op {
        Op::And(a, b) => {
            let mut both = of(a);
            both.extend(of(b));
            both
        }
        Op::Or(a, b) => {
            let other = of(b);
            of(a).into_iter().filter(|gate| other.contains(gate)).collect()
        }
        Op::AndNot(a, _) | Op::Shift(a, _) | Op::Resize(a) | Op::Spread(a) => of(a),
        _ => Vec::new(),
    };
    if node.ty == Ty::TRUTH {
        found.push(set);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the values in the sets behind a condition that change once it is known, operands first.
pub(super) fn dependent_values(
    circuit: &Circuit,
    gate: ValueId,
    sets: impl Iterator<Item = ValueId>,
) -> Vec<ValueId> {
    let mut search = DependencySearch { circuit, gate, seen: FxHashMap::default(), found: Vec::new() };
    for set in sets {
        search.depends(set, MAX_OPERAND_DEPTH);
    }
    search.found
}

/// The search for the values that depend on a condition.
struct DependencySearch<'a> {
    circuit: &'a Circuit,
    gate: ValueId,
    /// For each value met, true if it depends on the condition.
    seen: FxHashMap<ValueId, bool>,
    /// The values that do, operands first.
    found: Vec<ValueId>,
}

impl DependencySearch<'_> {
    /// Returns true if a value depends on the condition within this depth of operands.
    fn depends(&mut self, value: ValueId, depth: u32) -> bool {
        if value == self.gate {
            return true;
        }
        if let Some(&known) = self.seen.get(&value) {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let circuit = self.circuit;
        let mut of = |value: ValueId| self.depends(value, depth);
        let depends = match circuit.values[value].op {
            Op::And(a, b) | Op::Or(a, b) | Op::AndNot(a, b) => of(a) | of(b),
            Op::Shift(a, _) | Op::Resize(a) | Op::Spread(a) | Op::Not(a) => of(a),
            _ => false,
        };
        self.seen.insert(value, depends);
        if depends {
            self.found.push(value);
        }
        depends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::id::Id;
    use bouton_circuit::ControlId;
    use bouton_circuit::parse::parse;

    const PLAY: &str = "\
words 1
slot s0 \"men\" 0:0 bits<4> 0xf
slot s1 \"hand\" 0:4 bits<1> 0x1
slot s2 \"few\" 0:5 bits<1> 0x1

v0: bits<4> = slot s0
v1: bits<1> = slot s1
v2: bits<1> = slot s2
v3: bits<4> = spread v1
v4: bits<4> = and v0, v3
v5: bits<1> = not v1
v6: bits<4> = spread v5
v7: bits<4> = and v0, v6
v8: bits<4> = shift v7, 1
v9: bits<4> = spread v2
v10: bits<4> = and v7, v9
v11: bits<4> = and v8, v9
v12: bits<4> = or v10, v11
v13: bits<4> = or v10, v8
v14: bits<4> = param 0
v15: bits<4> = param 1
v16: bits<4> = param 2
v17: bits<4> = param 3
v18: bits<4> = param 4

control k0 \"turn\" mover 0 {
  before {
    let v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13
  }
  group g0 {
    set v4 bit v14
    body { yield k0 with s0 = v14 }
  }
  group g1 {
    set v7 bit v15
    body { yield k0 with s0 = v15 }
  }
  group g2 {
    set v10 bit v16
    body { yield k0 with s0 = v16 }
  }
  group g3 {
    set v12 bit v17
    body { yield k0 with s0 = v17 }
  }
  group g4 {
    set v13 bit v18
    body { yield k0 with s0 = v18 }
  }
}

initial k0 0x1f
";

    #[test]
    fn groups_stand_behind_what_shuts_them_all() {
        let circuit = parse(PLAY).expect("a circuit");
        let groups = &circuit.controls[ControlId::new(0)].groups;
        let of = |may_ask: &dyn Fn(ValueId) -> bool| arrange(&circuit, groups, may_ask);
        let (hand, few, no_hand) = (ValueId::new(1), ValueId::new(2), ValueId::new(5));
        let behind =
            |gate, inner, others| GroupRun::Guarded(GuardedGroups { gate, if_true: inner, if_false: others });
        let flying = behind(few, vec![GroupRun::One(2), GroupRun::One(3)], Vec::new());
        let placed = vec![GroupRun::One(1), flying.clone(), GroupRun::One(4)];
        let all = behind(hand, vec![GroupRun::One(0)], placed.clone());
        assert_eq!(of(&|_| true), [all]);
        assert_eq!(of(&|value| value != hand), [behind(no_hand, placed, vec![GroupRun::One(0)])]);
        assert_eq!(of(&|value| value == few), [GroupRun::One(0), GroupRun::One(1), flying, GroupRun::One(4)]);
        assert_eq!(of(&|_| false), (0..5).map(GroupRun::One).collect::<Vec<GroupRun>>());
    }
}
