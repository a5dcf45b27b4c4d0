//! The moves of many positions at once, bit by bit: who goes through positions whose bits are all combinations needs no
//! machine code for each of them.
//!
//! Technique: bit-slicing. A control becomes a net of gates, each a word with one bit of 64 positions. The body of a
//! group is written out for each lane, whose bit is then known, so that little of it is left: of the boxes of Dots and
//! Boxes the one or two that a side belongs to.
//! Source: Biham, "A fast new DES implementation in software" (1997); Warren, "Hacker's Delight" (2002) for numbers.
//! Cost: a few instructions a gate for 256 positions; the net takes as many gates as the bodies have bits, once for each
//! lane.
//! *Invariant:* for each position the moves are those that a [`Runner`](super::Runner) gives. Where that cannot be
//! written as gates (fixpoints, chance, ends that wait for the moves, divisions by what is not known), there is no net.

use rustc_hash::FxHashMap;

use self::values::Values;
use crate::base::id::IdVec;
use crate::circuit::{Block, Circuit, ControlId, SlotId, Stmt};

mod gates;
mod values;

use gates::Net;
pub use gates::{Bit, Lanes, ONE, Program, WORDS, ZERO};

/// What the gates of a control say of each position.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The game is over.
    pub over: Bit,
    /// The rules have no meaning.
    pub fault: Bit,
    /// The moves where neither is so.
    pub moves: Vec<Move>,
}

/// A move to one control, of one lane.
#[derive(Clone, Debug)]
pub struct Move {
    /// In which positions it is a move.
    pub when: Bit,
    /// Who moves then.
    pub to: ControlId,
    /// What the slots hold then that may change.
    pub slots: Vec<(SlotId, Vec<Bit>)>,
}

/// A circuit as gates.
#[derive(Clone, Debug)]
pub struct Sliced {
    /// What computes them.
    pub program: Program,
    /// By control.
    pub turns: IdVec<ControlId, Turn>,
}

/// The inputs that a slot has for its bits; 0 is what has none.
pub type Inputs = FxHashMap<(SlotId, u32), u32>;

impl Sliced {
    /// The gates of a scheduled circuit, from so many inputs; none where it has none.
    pub fn of(circuit: &Circuit, inputs: &Inputs) -> Option<Sliced> {
        let net = Net::new(inputs.len() as u32);
        let bits = |(id, width): (SlotId, u32)| -> Vec<Bit> {
            (0..width).map(|bit| inputs.get(&(id, bit)).map_or(ZERO, |&input| net.input(input))).collect()
        };
        let slots = circuit.layout.slots.entries().map(|(id, slot)| bits((id, slot.width()))).collect();
        let mut slicing = Slicing { circuit, values: Values::new(circuit, net, slots) };
        let turns: Option<Vec<Turn>> = circuit.controls.ids().map(|id| slicing.turn(id)).collect();
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
        Some(Sliced { program, turns: turns.into_iter().collect() })
    }

    /// The input of this number as a gate.
    pub fn input(number: u32) -> Bit {
        number + 2
    }
}

struct Slicing<'c> {
    circuit: &'c Circuit,
    values: Values<'c>,
}

impl Slicing<'_> {
    fn turn(&mut self, id: ControlId) -> Option<Turn> {
        let control = &self.circuit.controls[id];
        if control.chance {
            return None;
        }
        let mut turn = Turn { over: ZERO, fault: ZERO, moves: Vec::new() };
        let mut open = self.block(&control.before, ONE, &mut turn)?;
        let mut moved = ZERO;
        for &id in &control.groups {
            let group = &self.circuit.groups[id];
            self.lets(&group.lets)?;
            let set = self.values.of(group.set)?;
            let any = self.values.net.any(&set);
            let some = self.values.net.and(open, any);
            // What is set up for the lanes may be without meaning.
            let set_up = self.block(&group.setup, some, &mut turn)?;
            for (lane, &bit) in (0..).zip(set.iter()) {
                let when = self.values.net.and(set_up, bit);
                if when == ZERO {
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

    /// Values that statements will need, in an order in which none waits for many others.
    fn lets(&mut self, block: &Block) -> Option<()> {
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

    /// Runs statements where this holds. Where what comes next is run.
    fn block(&mut self, block: &Block, mut when: Bit, turn: &mut Turn) -> Option<Bit> {
        for stmt in &block.stmts {
            if when == ZERO {
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
                    turn.moves.push(Move { when, to: after.to, slots });
                    when = ZERO;
                }
            }
        }
        Some(when)
    }
}

#[cfg(test)]
mod tests;
