//! Compiles a circuit to lists of operations on one array of words.
//!
//! The state comes first, then every value has a fixed place. Constants are stored at the start. A vector that consists
//! of whole words of the state shares their place, and the result of a fixpoint shares the place of its variable.

use super::words::{Inst, Opcode};
use bouton_base::bits::words_for;
use bouton_base::id::IdVec;
use bouton_circuit::{Circuit, ControlId, FixId, GroupId, Op, SlotId, Stmt, StmtBlock, Ty, ValueId};

/// A compiled circuit.
#[derive(Debug)]
pub(super) struct InterpProgram {
    /// The initial contents of the words.
    pub fresh: Vec<u64>,
    pub controls: IdVec<ControlId, InterpControl>,
    pub insts: Vec<Inst>,
    pub fixes: IdVec<FixId, InterpFixpoint>,
    /// The place of each value.
    pub values: IdVec<ValueId, WordSpan>,
}

#[derive(Debug)]
pub(super) struct InterpControl {
    pub chance: bool,
    pub before: Vec<InterpStmt>,
    pub groups: Vec<InterpGroup>,
    pub stuck: Vec<InterpStmt>,
}

#[derive(Debug)]
pub(super) struct InterpGroup {
    pub id: GroupId,
    pub pass: bool,
    pub lets: Vec<InterpStmt>,
    pub set: WordSpan,
    pub bit: WordSpan,
    pub setup: Vec<InterpStmt>,
    pub body: Vec<InterpStmt>,
}

/// A range of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordSpan {
    pub at: usize,
    pub words: usize,
}

/// The variables of a fixpoint. A round gathers the next values behind all other values, because one variable may read
/// another.
#[derive(Debug)]
pub(super) struct InterpFixpoint {
    pub vars: Vec<FixpointVar>,
    /// The maximal number of rounds: one for each bit that can be added, and one that adds nothing.
    pub rounds: u32,
}

#[derive(Debug)]
pub(super) struct FixpointVar {
    pub var: WordSpan,
    pub first: usize,
    pub next: usize,
    pub gathered: usize,
}

/// A compiled statement. Truth values are single words.
#[derive(Debug)]
pub(super) enum InterpStmt {
    /// Runs the instructions of a half-open range.
    Compute(usize, usize),
    Fix(FixId, Vec<InterpStmt>),
    Over {
        when: usize,
        unless_stuck: bool,
        ending: u32,
        scores: Vec<usize>,
    },
    If(usize, Vec<InterpStmt>, Vec<InterpStmt>),
    Require(usize),
    Fault(usize),
    /// Yields: the changed slots, the next control, and the place of the weight.
    Yield(Vec<SlotStore>, ControlId, Option<usize>),
}

/// A write to a slot.
#[derive(Debug)]
pub(super) enum SlotStore {
    /// A write of some bits of a word: the index, the mask, the source, and the shift.
    Part { word: usize, mask: u64, from: usize, bit: u32 },
    /// A write of whole words of the state from this index on.
    Whole { word: usize, from: WordSpan },
}

pub(super) fn compile(circuit: &Circuit) -> InterpProgram {
    let mut compiler = Compiler { circuit, places: IdVec::new(), insts: Vec::new() };
    let mut fresh = vec![0; circuit.layout.words as usize];
    for value in circuit.values.ids() {
        let place = compiler.place(value, &mut fresh);
        compiler.places.push(place);
    }
    let fixes = circuit.fixes.iter().map(|fix| compiler.fix(fix, &mut fresh)).collect();
    let controls = circuit.controls.iter().map(|control| compiler.control(control)).collect();
    let values = circuit.values.ids().map(|value| compiler.span(value)).collect();
    InterpProgram { fresh, controls, insts: compiler.insts, fixes, values }
}

struct Compiler<'a> {
    circuit: &'a Circuit,
    places: IdVec<ValueId, usize>,
    insts: Vec<Inst>,
}

impl Compiler<'_> {
    /// Returns the number of bits of a value.
    fn width(&self, value: ValueId) -> u32 {
        match self.circuit.values[value].ty {
            Ty::Bits(width) => width,
            Ty::Int => 64,
        }
    }

    fn span(&self, value: ValueId) -> WordSpan {
        WordSpan { at: self.places[value], words: words_for(self.width(value)) }
    }

    /// Returns the place of a value; allocates one at the end unless the value shares another's place.
    fn place(&self, value: ValueId, fresh: &mut Vec<u64>) -> usize {
        let end = fresh.len();
        match &self.circuit.values[value].op {
            Op::Slot(slot) if self.whole(*slot) => return self.circuit.layout.slots[*slot].word as usize,
            Op::Fixed(fix, i) => return self.places[self.circuit.fixes[*fix].vars[*i as usize].0],
            Op::Bits(bits) => fresh.extend_from_slice(bits.words()),
            Op::Int(n) => fresh.push(*n as u64),
            _ => fresh.resize(end + words_for(self.width(value)), 0),
        }
        end
    }

    /// Returns true if a slot consists of whole words of the state.
    fn whole(&self, slot: SlotId) -> bool {
        self.circuit.layout.slots[slot].width() > 64
    }

    fn fix(&self, fix: &bouton_circuit::Fixpoint, fresh: &mut Vec<u64>) -> InterpFixpoint {
        let each = fix.vars.iter().zip(&fix.next);
        let vars: Vec<FixpointVar> = each
            .map(|(&(var, first), &next)| {
                let var = self.span(var);
                let gathered = fresh.len();
                fresh.resize(gathered + var.words, 0);
                FixpointVar { var, first: self.places[first], next: self.places[next], gathered }
            })
            .collect();
        let rounds = fix.vars.iter().map(|&(var, _)| self.width(var)).sum::<u32>() + 1;
        InterpFixpoint { vars, rounds }
    }

    fn control(&mut self, control: &bouton_circuit::Control) -> InterpControl {
        let before = self.block(&control.before);
        let groups = control.groups.iter().map(|&id| self.group(id)).collect();
        InterpControl { chance: control.chance, before, groups, stuck: self.block(&control.stuck) }
    }

    fn group(&mut self, id: GroupId) -> InterpGroup {
        let group = &self.circuit.groups[id];
        InterpGroup {
            id,
            pass: group.pass,
            lets: self.block(&group.lets),
            set: self.span(group.set),
            bit: self.span(group.bit),
            setup: self.block(&group.setup),
            body: self.block(&group.body),
        }
    }

    fn block(&mut self, block: &StmtBlock) -> Vec<InterpStmt> {
        let mut steps = Vec::new();
        for stmt in &block.stmts {
            let step = match stmt {
                Stmt::Let(value) => {
                    let first = self.insts.len();
                    self.insts.extend(self.inst(*value));
                    let end = self.insts.len();
                    // Adjacent computations share one step.
                    if let Some(InterpStmt::Compute(_, last)) = steps.last_mut()
                        && *last == first
                    {
                        *last = end;
                        continue;
                    }
                    InterpStmt::Compute(first, end)
                }
                Stmt::Fix(fix, block) => InterpStmt::Fix(*fix, self.block(block)),
                Stmt::Over(over) => InterpStmt::Over {
                    when: self.places[over.when],
                    unless_stuck: over.unless_stuck,
                    ending: over.ending,
                    scores: over.scores.iter().map(|&score| self.places[score]).collect(),
                },
                Stmt::If(value, yes, no) => {
                    InterpStmt::If(self.places[*value], self.block(yes), self.block(no))
                }
                Stmt::Require(value) => InterpStmt::Require(self.places[*value]),
                Stmt::Fault(value) => InterpStmt::Fault(self.places[*value]),
                Stmt::Yield(to) => InterpStmt::Yield(
                    to.slots.iter().map(|&(slot, value)| self.store(slot, value)).collect(),
                    to.to,
                    to.weight.map(|weight| self.places[weight]),
                ),
            };
            steps.push(step);
        }
        steps
    }

    fn store(&self, id: SlotId, value: ValueId) -> SlotStore {
        let slot = &self.circuit.layout.slots[id];
        let (word, from) = (slot.word as usize, self.span(value));
        if self.whole(id) {
            return SlotStore::Whole { word, from };
        }
        let mask = (!0 >> (64 - slot.width())) << slot.bit;
        SlotStore::Part { word, mask, from: from.at, bit: slot.bit }
    }

    /// Returns the instruction of a value; `None` if the value needs none.
    fn inst(&self, value: ValueId) -> Option<Inst> {
        let op = &self.circuit.values[value].op;
        let mut operands = Vec::new();
        op.each_operand(|operand| operands.push(operand));
        let code = match op {
            Op::Bits(_) | Op::Int(_) | Op::Param(_) | Op::Fixed(..) => return None,
            Op::Slot(slot) if self.whole(*slot) => return None,
            Op::Slot(slot) => Opcode::Extract(self.circuit.layout.slots[*slot].bit),
            Op::And(..) => Opcode::And,
            Op::Or(..) => Opcode::Or,
            Op::Xor(..) => Opcode::Xor,
            Op::AndNot(..) => Opcode::AndNot,
            Op::Not(_) => Opcode::Not,
            Op::Shift(_, by) => Opcode::Shift(*by),
            Op::Resize(_) => Opcode::Resize,
            Op::Spread(_) => Opcode::Spread,
            Op::Any(_) => Opcode::Any,
            Op::Count(_) => Opcode::Count,
            Op::First(_) => Opcode::First,
            Op::Lowest(_) => Opcode::Lowest,
            Op::Highest(_) => Opcode::Highest,
            Op::Below(_) => Opcode::Below,
            Op::Above(_) => Opcode::Above,
            Op::OneHot(_) => Opcode::OneHot,
            Op::Select(..) => Opcode::Select,
            Op::Pack(_) => Opcode::Pack,
            Op::Unpack(_) => Opcode::Copy,
            Op::Add(..) => Opcode::Add,
            Op::Sub(..) => Opcode::Sub,
            Op::Mul(..) => Opcode::Mul,
            Op::Div(..) => Opcode::Div,
            Op::Mod(..) => Opcode::Mod,
            Op::Min(..) => Opcode::Min,
            Op::Max(..) => Opcode::Max,
            Op::Less(..) => Opcode::Less,
            Op::Equal(..) => Opcode::Equal,
            Op::Lookup(_, table) => Opcode::Lookup(table.clone()),
        };
        let from = operands.first().map_or(0, |&first| self.width(first));
        let counted = matches!(op, Op::Any(_) | Op::Count(_) | Op::First(_));
        let width = if counted { from } else { self.width(value) };
        let place = |i: usize| operands.get(i).map_or(0, |&operand| self.places[operand] as u32);
        let a = match op {
            Op::Slot(slot) => self.circuit.layout.slots[*slot].word,
            _ => place(0),
        };
        let narrow = width <= 64 && from <= 64;
        let to = self.places[value] as u32;
        Some(Inst { code, to, a, b: place(1), c: place(2), width, from, narrow })
    }
}
