//! Bitslice evaluation: the moves of many positions at once, one bit of a word for each position. For enumerations of
//! all combinations of some bits it replaces a run of machine code for each position.
//!
//! Technique: bit-slicing. A control becomes a netlist of gates, and each gate a word with one bit for each of 64
//! positions. The body of a group is unrolled for each lane. The lane's bit is then constant, so little of the body
//! remains: of the boxes of Dots and Boxes the one or two that a side belongs to.
//! Source: Biham, "A fast new DES implementation in software" (1997); Warren, "Hacker's Delight" (2002) for numbers.
//! Cost: a few instructions a gate for 256 positions; the netlist has as many gates as the bodies have bits, once for
//! each lane.
//! *Invariant:* for each position the moves are those that a [`Runner`](super::Runner) gives. If a control has no form
//! as gates (fixpoints, chance, ends that wait for the moves, divisions of non-constants), there is no netlist.

use rustc_hash::FxHashMap;

use self::values::GateValues;
use bouton_base::id::IdVec;
use bouton_circuit::{Circuit, ControlId, SlotId, Stmt, StmtBlock};

mod gates;
mod values;

use gates::Netlist;
pub use gates::{GateId, GateProgram, GateWords, LANE_WORDS, ONE_GATE, ZERO_GATE};

/// The outputs of a control's gates for each position.
#[derive(Clone, Debug)]
pub struct ControlGates {
    /// True if the game is over.
    pub over: GateId,
    /// True if the rules have no meaning.
    pub fault: GateId,
    /// The moves, valid if neither holds.
    pub moves: Vec<MoveGates>,
}

/// A move of one lane to one control.
#[derive(Clone, Debug)]
pub struct MoveGates {
    /// True in the positions where the move exists.
    pub when: GateId,
    /// The control after the move.
    pub to: ControlId,
    /// The new contents of the slots that may change.
    pub slots: Vec<(SlotId, Vec<GateId>)>,
}

/// A circuit as gates.
#[derive(Clone, Debug)]
pub struct BitsliceCircuit {
    /// The program that computes the gates.
    pub program: GateProgram,
    /// The outputs of each control.
    pub turns: IdVec<ControlId, ControlGates>,
}

/// The input number of each slot bit; bits without an input are 0.
pub type SlotInputs = FxHashMap<(SlotId, u32), u32>;

impl BitsliceCircuit {
    /// Compiles a scheduled circuit to gates over these inputs; `None` if it has no form as gates.
    pub fn of(circuit: &Circuit, inputs: &SlotInputs) -> Option<BitsliceCircuit> {
        let net = Netlist::new(inputs.len() as u32);
        let bits = |(id, width): (SlotId, u32)| -> Vec<GateId> {
            (0..width)
                .map(|bit| inputs.get(&(id, bit)).map_or(ZERO_GATE, |&input| net.input(input)))
                .collect()
        };
        let slots = circuit.layout.slots.entries().map(|(id, slot)| bits((id, slot.width()))).collect();
        let mut slicing = BitsliceCompiler { circuit, values: GateValues::new(circuit, net, slots) };
        let turns: Option<Vec<ControlGates>> = circuit.controls.ids().map(|id| slicing.turn(id)).collect();
        let mut turns = turns?;
        let mut wanted = Vec::new();
        for turn in &mut turns {
            wanted.extend([&mut turn.over, &mut turn.fault]);
            for one in &mut turn.moves {
                wanted.push(&mut one.when);
                wanted.extend(one.slots.iter_mut().flat_map(|(_, bits)| bits));
            }
        }
        let program = slicing.values.net.program(wanted.into_iter());
        Some(BitsliceCircuit { program, turns: turns.into_iter().collect() })
    }

    /// Returns the gate of the input with this number.
    pub fn input(number: u32) -> GateId {
        number + 2
    }
}

struct BitsliceCompiler<'c> {
    circuit: &'c Circuit,
    values: GateValues<'c>,
}

impl BitsliceCompiler<'_> {
    fn turn(&mut self, id: ControlId) -> Option<ControlGates> {
        let control = &self.circuit.controls[id];
        if control.chance {
            return None;
        }
        let mut turn = ControlGates { over: ZERO_GATE, fault: ZERO_GATE, moves: Vec::new() };
        let mut open = self.block(&control.before, ONE_GATE, &mut turn)?;
        let mut moved = ZERO_GATE;
        for &id in &control.groups {
            let group = &self.circuit.groups[id];
            self.lets(&group.lets)?;
            let set = self.values.of(group.set)?;
            let any = self.values.net.any(&set);
            let some = self.values.net.and(open, any);
            // The setup of the lanes may fault.
            let set_up = self.block(&group.setup, some, &mut turn)?;
            for (lane, &bit) in (0..).zip(set.iter()) {
                let when = self.values.net.and(set_up, bit);
                if when == ZERO_GATE {
                    continue;
                }
                self.values.bind(group.bit, lane);
                let before = turn.moves.len();
                self.block(&group.body, when, &mut turn)?;
                for one in turn.moves[before..].iter().filter(|_| !group.pass) {
                    moved = self.values.net.or(moved, one.when);
                }
            }
        }
        open = self.values.net.and_not(open, moved);
        open = self.values.net.and_not(open, turn.fault);
        self.block(&control.stuck, open, &mut turn)?;
        Some(turn)
    }

    /// Computes the `Let` values of a block in order, which keeps the recursion over operands shallow.
    fn lets(&mut self, block: &StmtBlock) -> Option<()> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(value) => {
                    self.values.of(*value)?;
                }
                Stmt::Fix(..) => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// Translates statements under the condition `when`. Returns the condition under which the next statement runs.
    fn block(&mut self, block: &StmtBlock, mut when: GateId, turn: &mut ControlGates) -> Option<GateId> {
        for stmt in &block.stmts {
            if when == ZERO_GATE {
                break;
            }
            match stmt {
                Stmt::Let(value) => {
                    self.values.of(*value)?;
                }
                Stmt::Fix(..) => return None,
                Stmt::Over(over) if over.unless_stuck => return None,
                Stmt::Over(over) => {
                    let holds = self.values.truth(over.when)?;
                    let net = &mut self.values.net;
                    let here = net.and(when, holds);
                    turn.over = net.or(turn.over, here);
                    when = net.and_not(when, holds);
                }
                Stmt::If(value, yes, no) => {
                    let holds = self.values.truth(*value)?;
                    let net = &mut self.values.net;
                    let (then, otherwise) = (net.and(when, holds), net.and_not(when, holds));
                    let then = self.block(yes, then, turn)?;
                    let otherwise = self.block(no, otherwise, turn)?;
                    when = self.values.net.or(then, otherwise);
                }
                Stmt::Require(value) => {
                    let holds = self.values.truth(*value)?;
                    when = self.values.net.and(when, holds);
                }
                Stmt::Fault(value) => {
                    let holds = self.values.truth(*value)?;
                    let net = &mut self.values.net;
                    let here = net.and(when, holds);
                    turn.fault = net.or(turn.fault, here);
                    when = net.and_not(when, holds);
                }
                Stmt::Yield(after) => {
                    if after.weight.is_some() {
                        return None;
                    }
                    let bits = |&(slot, value)| Some((slot, self.values.of(value)?.to_vec()));
                    let slots = after.slots.iter().map(bits).collect::<Option<_>>()?;
                    turn.moves.push(MoveGates { when, to: after.to, slots });
                    when = ZERO_GATE;
                }
            }
        }
        Some(when)
    }
}

#[cfg(test)]
mod tests;
