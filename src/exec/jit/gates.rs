//! Groups of moves that a condition shuts all at once: none of the placing moves once all men are placed, none of the
//! flying ones while there are many. One branch then stands for many sets.
//!
//! *Invariant:* where the condition does not hold, the set of each group behind it is empty.

use std::ops::Range;

use crate::circuit::{Circuit, GroupId, Op, Ty, ValueId};

/// So deep one looks into what a set is made of.
const DEPTH: u32 = 12;

/// Groups of a control, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Run {
    /// One, by its number among the groups of the control.
    One(usize),
    /// Several that have no moves unless this holds.
    Behind(ValueId, Vec<Run>),
}

/// The groups of a control by the conditions that they share, of those that may be asked.
pub(super) fn runs(circuit: &Circuit, groups: &[GroupId], may_ask: impl Fn(ValueId) -> bool) -> Vec<Run> {
    let of = |group: &GroupId| {
        let mut found = gates(circuit, circuit.groups[*group].set, DEPTH);
        found.retain(|&gate| may_ask(gate));
        found
    };
    let gates: Vec<Vec<ValueId>> = groups.iter().map(of).collect();
    within(0..groups.len(), &gates, &mut Vec::new())
}

/// The same of some groups, behind some conditions.
fn within(groups: Range<usize>, gates: &[Vec<ValueId>], behind: &mut Vec<ValueId>) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = groups.start;
    while at < groups.end {
        // How far each condition of this group reaches; the one that reaches farthest.
        let own = gates[at].iter().filter(|gate| !behind.contains(gate));
        let reach =
            |gate: &ValueId| at + gates[at..groups.end].iter().take_while(|of| of.contains(gate)).count();
        let best =
            own.map(|&gate| (reach(&gate), gate)).max_by_key(|&(end, gate)| (end, std::cmp::Reverse(gate)));
        match best {
            Some((end, gate)) if end > at + 1 => {
                behind.push(gate);
                runs.push(Run::Behind(gate, within(at..end, gates, behind)));
                behind.pop();
                at = end;
            }
            _ => {
                runs.push(Run::One(at));
                at += 1;
            }
        }
    }
    runs
}

/// Truth values without which a set is empty.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::Id;
    use crate::circuit::ControlId;
    use crate::circuit::read::read;

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
        let circuit = read(PLAY).expect("a circuit");
        let groups = &circuit.controls[ControlId::new(0)].groups;
        let of = |may_ask: &dyn Fn(ValueId) -> bool| runs(&circuit, groups, may_ask);
        let (few, no_hand) = (ValueId::new(2), ValueId::new(5));
        let flying = Run::Behind(few, vec![Run::One(2), Run::One(3)]);
        let all = Run::Behind(no_hand, vec![Run::One(1), flying.clone(), Run::One(4)]);
        assert_eq!(of(&|_| true), [Run::One(0), all]);
        assert_eq!(of(&|value| value == few), [Run::One(0), Run::One(1), flying, Run::One(4)]);
        assert_eq!(of(&|_| false), (0..5).map(Run::One).collect::<Vec<Run>>());
    }
}
