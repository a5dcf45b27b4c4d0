use std::sync::Arc;

use super::*;
use crate::interp::Interpreter;
use crate::{Runner, Status};
use bouton_circuit::parse::parse;
use bouton_circuit::{Position, verify};

/// Returns an input for each bit of the slots that may be 1, with the list of these bits.
fn inputs(circuit: &Circuit) -> (SlotInputs, Vec<(SlotId, u32)>) {
    let mut bits = Vec::new();
    for (id, slot) in circuit.layout.slots.entries() {
        bits.extend(slot.maybe.iter().map(|bit| (id, bit)));
    }
    (bits.iter().copied().zip(0..).collect(), bits)
}

/// Checks that the gates and the interpreter agree on some positions.
fn same_moves(text: &str, positions: &[Vec<u64>]) {
    let circuit = Arc::new(parse(text).unwrap());
    verify::verify(&circuit, verify::CircuitForm::Scheduled).unwrap();
    let (inputs, bits) = inputs(&circuit);
    let sliced = BitsliceCircuit::of(&circuit, &inputs).expect("a circuit of gates");
    let runner = Interpreter::new(circuit.clone());
    let mut room = sliced.program.buffer();
    for some in positions.chunks(64 * LANE_WORDS) {
        let given = sliced.program.inputs(&mut room);
        for (given, &(slot, bit)) in given.iter_mut().zip(&bits) {
            *given = [0; LANE_WORDS];
            for (i, words) in some.iter().enumerate() {
                let one = circuit.layout.get(slot, words).contains(bit);
                given[i / 64] |= u64::from(one) << (i % 64);
            }
        }
        sliced.program.run(&mut room);
        for (i, words) in some.iter().enumerate() {
            let is = |bit: GateId| room[bit as usize][i / 64] >> (i % 64) & 1 == 1;
            for (control, turn) in sliced.turns.entries() {
                let at = Position { control, words: words.clone().into() };
                let mut children = Vec::new();
                let expected = runner.expand(&at, &mut children);
                assert_eq!(is(turn.fault), expected.is_err(), "{at:?}");
                assert_eq!(is(turn.over), matches!(expected, Ok(Status::Over(_))), "{at:?}");
                if !matches!(expected, Ok(Status::Open)) {
                    continue;
                }
                let moves = turn.moves.iter().filter(|one| is(one.when)).map(|one| {
                    let mut words = words.clone();
                    for (slot, bits) in &one.slots {
                        let ones = bits.iter().zip(0..).filter(|(bit, _)| is(**bit)).map(|(_, place)| place);
                        let held = bouton_base::bits::BitSet::of(bits.len() as u32, ones);
                        circuit.layout.set(*slot, &mut words, &held);
                    }
                    Position { control: one.to, words: words.into() }
                });
                let expected: Vec<Position> = children.into_iter().map(|child| child.position).collect();
                assert_eq!(moves.collect::<Vec<_>>(), expected, "{at:?}");
            }
        }
    }
}

/// Players mark cells that no player has marked; three in a row, or a full board, end the game.
#[test]
fn gates_give_the_moves_of_tic_tac_toe() {
    let text = include_str!("../../../tests/circuits/tic_tac_toe.circuit");
    let positions: Vec<Vec<u64>> = (0..1 << 18).step_by(37).map(|bits| vec![bits]).collect();
    same_moves(text, &positions);
}

/// Every operation, with faults, requirements and a stuck mover.
#[test]
fn gates_do_what_operations_do() {
    let lookups = "[3, -1, 7, 0, 12, -70000000000]";
    let text = format!(
        r#"
words 1
slot s0 "set" 0:0 bits<5> 0x1f
slot s1 "number" 0:5 bits<4> 0xf
slot s2 "result" 0:9 bits<20> 0xfffff
slot s3 "truth" 0:29 bits<5> 0x1f
v0: bits<5> = slot s0
v1: bits<4> = slot s1
v2: bits<5> = param 0
v3: int = unpack v0
v4: int = unpack v1
v5: int = int -5
v6: int = int 3
v7: int = sub v4, v3
v8: int = mul v7, v5
v9: int = add v8, v6
v10: int = first v0
v11: int = count v0
v12: int = min v9, v11
v13: int = max v8, v10
v14: int = lookup v7, {lookups}
v15: int = first v2
v16: int = mul v15, v13
v17: int = add v16, v12
v18: int = add v17, v14
v19: bits<20> = pack v18
v20: bits<1> = less v13, v16
v21: bits<1> = equal v12, v15
v22: bits<5> = lowest v0
v23: bits<5> = highest v0
v24: bits<5> = below v0
v25: bits<5> = above v0
v26: bits<5> = one_hot v4
v27: bits<5> = spread v20
v28: bits<5> = xor v22, v26
v29: bits<5> = or v24, v25
v30: bits<5> = and v29, v27
v31: bits<5> = xor v30, v28
v32: bits<5> = shift v31, 2
v33: bits<5> = select v21, v32, v23
v34: bits<5> = or v33, v2
v35: bits<5> = not v0
v36: bits<1> = any v0
v37: bits<1> = not v36
v38: int = int 14
v39: bits<1> = less v38, v4
v40: int = int 9
v41: bits<1> = equal v4, v40
v42: int = select v41, v8, v6
v43: int = div v38, v5
v44: int = mod v5, v6
v45: int = add v43, v44
v46: int = add v42, v45
v47: bits<1> = less v46, v3
v48: int = int 8
v49: int = div v14, v48
v50: int = mod v14, v48
v51: int = add v49, v50
v52: bits<20> = pack v51
control k0 "one" mover 0 {{
  before {{ let v0, v1, v36, v37 over v37 ending 0 }}
  group g0 {{
    lets {{ let v35 }}
    set v35 bit v2
    setup {{ let v3, v4, v7, v8, v9, v10, v11, v12, v13, v14, v39, v49, v50, v51, v52 }}
    body {{
      fault v39
      let v15, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34
      let v41, v42, v43, v44, v45, v46, v47
      require v47
      if v20 {{ yield k0 with s2 = v19, s3 = v34 }} else {{ yield k0 with s2 = v52 }}
    }}
  }}
  stuck {{ let v4, v35, v41 over v41 ending 1 yield k0 with s0 = v35 }}
}}
initial k0 0x1
"#
    );
    let positions: Vec<Vec<u64>> = (0..1 << 9).map(|bits| vec![bits]).collect();
    same_moves(&text, &positions);
}

#[test]
fn what_is_no_net_is_refused() {
    let circuit = parse(include_str!("../../../tests/circuits/crossing.circuit")).unwrap();
    let fixpoint = !circuit.fixes.is_empty();
    let (inputs, _) = inputs(&circuit);
    assert_eq!(BitsliceCircuit::of(&circuit, &inputs).is_none(), fixpoint);
}
