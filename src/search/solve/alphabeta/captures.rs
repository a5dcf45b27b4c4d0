//! Captures: parts of the state that the moves of a player only ever make smaller.
//!
//! Technique: in capture games the moves of one player change the pieces of the other in one way only: they remove
//! some. So if every move of a control leaves a part of the state unchanged or clears some of its bits, a move that
//! clears one is a capture. Such moves are worth trying first, as most captures are.
//! Cost: one pass over the moves of the circuit; an operation for each word and move.
//! Invariant: a heuristic for the order of moves; no claim rests on it.

use bouton_circuit::{Circuit, Control, Op, SlotId, StateUpdate, ValueId};

/// Returns, by control and word of the state, the bits that its moves clear and never set; empty if there are none.
pub(super) fn only_cleared(circuit: &Circuit) -> Vec<Vec<u64>> {
    circuit.controls.iter().map(|control| of_control(circuit, control)).collect()
}

fn of_control(circuit: &Circuit, control: &Control) -> Vec<u64> {
    let groups = control.groups.iter().map(|&id| &circuit.groups[id].body);
    let yields: Vec<&StateUpdate> = groups.flat_map(|body| body.yields()).collect();
    let of =
        |after: &StateUpdate, slot: SlotId| after.slots.iter().find(|(of, _)| *of == slot).map(|&(_, to)| to);
    let clears = |slot: SlotId| {
        let mut values = yields.iter().filter_map(|after| of(after, slot)).peekable();
        values.peek().is_some() && values.all(|value| is_within(circuit, value, slot))
    };
    let mut words = vec![0; circuit.layout.words as usize];
    for (_, slot) in circuit.layout.slots.entries().filter(|&(id, _)| clears(id)) {
        for bit in slot.bit..slot.bit + slot.width() {
            words[(slot.word + bit / 64) as usize] |= 1 << (bit % 64);
        }
    }
    if words.iter().all(|&word| word == 0) { Vec::new() } else { words }
}

/// Returns true if the bits of a vector are certainly a subset of a part of the state.
fn is_within(circuit: &Circuit, value: ValueId, slot: SlotId) -> bool {
    match circuit.values[value].op {
        Op::Slot(of) => of == slot,
        Op::And(x, y) => is_within(circuit, x, slot) || is_within(circuit, y, slot),
        Op::AndNot(x, _) => is_within(circuit, x, slot),
        Op::Or(x, y) => is_within(circuit, x, slot) && is_within(circuit, y, slot),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::only_cleared;
    use bouton_circuit::parse::parse;

    #[test]
    fn what_a_player_only_takes_away_is_found_and_nothing_else() {
        // The first player places a stone and captures the second's stone there, if any; the second moves his own.
        let circuit = parse(
            r#"
words 1
slot s0 "first" 0:0 bits<4> 0xf
slot s1 "second" 0:8 bits<4> 0xf
v0: bits<4> = slot s0
v1: bits<4> = slot s1
v2: bits<4> = bits 0xf
v3: bits<4> = param 0
v4: bits<4> = and_not v2, v0
v5: bits<4> = or v0, v3
v6: bits<4> = and_not v1, v3
v7: bits<4> = shift v3, 1
v8: bits<4> = or v6, v7
control k0 "first" mover 0 {
  group g0 {
    lets { let v0, v1, v4 }
    set v4 bit v3
    body {
      let v5, v6
      yield k1 with s0 = v5, s1 = v6
    }
  }
}
control k1 "second" mover 1 {
  group g1 {
    lets { let v1 }
    set v1 bit v3
    body {
      let v6, v7, v8
      yield k0 with s1 = v8
    }
  }
}
initial k0 0xf00
"#,
        );
        assert_eq!(only_cleared(&circuit.expect("a circuit")), [vec![0xf00], vec![]]);
    }
}
