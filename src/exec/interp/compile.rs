//! A circuit as lists of operations on one array of words.
//!
//! The state lies at the front, then every value has its place for good. Constants are there from the beginning; a vector
//! that is a whole number of words of the state lies where the state has it, and what a fixpoint gives lies where its
//! variable is.

use super::words::{Code, Inst};
use crate::base::bits::words_for;
use crate::base::id::IdVec;
use crate::circuit::{Block, Circuit, ControlId, FixId, GroupId, Op, SlotId, Stmt, Ty, ValueId};

/// A circuit, ready to run.
#[derive(Debug)]
pub(super) struct Program {
    /// The words when nothing has run.
    pub fresh: Vec<u64>,
    pub controls: IdVec<ControlId, Control>,
    pub insts: Vec<Inst>,
    pub fixes: IdVec<FixId, Fix>,
}

#[derive(Debug)]
pub(super) struct Control {
    pub chance: bool,
    pub before: Vec<Step>,
    pub groups: Vec<Group>,
    pub stuck: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct Group {
    pub id: GroupId,
    pub pass: bool,
    pub lets: Vec<Step>,
    pub set: Span,
    pub bit: Span,
    pub setup: Vec<Step>,
    pub body: Vec<Step>,
}

/// Words that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub at: usize,
    pub words: usize,
}

/// The variables of a fixpoint. What they become is gathered behind all values, since one may read another.
#[derive(Debug)]
pub(super) struct Fix {
    pub vars: Vec<Var>,
    /// A bound for the rounds: one for each bit that can come in, and one in which nothing does.
    pub rounds: u32,
}

#[derive(Debug)]
pub(super) struct Var {
    pub var: Span,
    pub first: usize,
    pub next: usize,
    pub gathered: usize,
}

/// Statements. Truth values are single words.
#[derive(Debug)]
pub(super) enum Step {
    /// The instructions from the first to before the second.
    Compute(usize, usize),
    Fix(FixId, Vec<Step>),
    Over {
        when: usize,
        unless_stuck: bool,
        ending: u32,
        scores: Vec<usize>,
    },
    If(usize, Vec<Step>, Vec<Step>),
    Require(usize),
    Fault(usize),
    /// With what changes, who moves then, and where the weight is.
    Yield(Vec<Store>, ControlId, Option<usize>),
}

/// A slot that changes.
#[derive(Debug)]
pub(super) enum Store {
    /// Bits of the word: which, from what, moved by how much.
    Part { word: usize, mask: u64, from: usize, bit: u32 },
    /// Words of the state from this one on.
    Whole { word: usize, from: Span },
}

pub(super) fn compile(circuit: &Circuit) -> Program {
    let mut compiler = Compiler { circuit, places: IdVec::new(), insts: Vec::new() };
    let mut fresh = vec![0; circuit.layout.words as usize];
    for value in circuit.values.ids() {
        let place = compiler.place(value, &mut fresh);
        compiler.places.push(place);
    }
    let fixes = circuit.fixes.iter().map(|fix| compiler.fix(fix, &mut fresh)).collect();
    let controls = circuit.controls.iter().map(|control| compiler.control(control)).collect();
    Program { fresh, controls, insts: compiler.insts, fixes }
}

struct Compiler<'a> {
    circuit: &'a Circuit,
    places: IdVec<ValueId, usize>,
    insts: Vec<Inst>,
}

impl Compiler<'_> {
    /// How many bits a value has.
    fn width(&self, value: ValueId) -> u32 {
        match self.circuit.values[value].ty {
            Ty::Bits(width) => width,
            Ty::Int => 64,
        }
    }

    fn span(&self, value: ValueId) -> Span {
        Span { at: self.places[value], words: words_for(self.width(value)) }
    }

    /// Where a value lies; what lies nowhere yet gets a place at the end.
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

    /// Whether a slot has whole words of the state.
    fn whole(&self, slot: SlotId) -> bool {
        self.circuit.layout.slots[slot].width() > 64
    }

    fn fix(&self, fix: &crate::circuit::Fix, fresh: &mut Vec<u64>) -> Fix {
        let each = fix.vars.iter().zip(&fix.next);
        let vars: Vec<Var> = each
            .map(|(&(var, first), &next)| {
                let var = self.span(var);
                let gathered = fresh.len();
                fresh.resize(gathered + var.words, 0);
                Var { var, first: self.places[first], next: self.places[next], gathered }
            })
            .collect();
        let rounds = fix.vars.iter().map(|&(var, _)| self.width(var)).sum::<u32>() + 1;
        Fix { vars, rounds }
    }

    fn control(&mut self, control: &crate::circuit::Control) -> Control {
        let before = self.block(&control.before);
        let groups = control.groups.iter().map(|&id| self.group(id)).collect();
        Control { chance: control.chance, before, groups, stuck: self.block(&control.stuck) }
    }

    fn group(&mut self, id: GroupId) -> Group {
        let group = &self.circuit.groups[id];
        Group {
            id,
            pass: group.pass,
            lets: self.block(&group.lets),
            set: self.span(group.set),
            bit: self.span(group.bit),
            setup: self.block(&group.setup),
            body: self.block(&group.body),
        }
    }

    fn block(&mut self, block: &Block) -> Vec<Step> {
        let mut steps = Vec::new();
        for stmt in &block.stmts {
            let step = match stmt {
                Stmt::Let(value) => {
                    let first = self.insts.len();
                    self.insts.extend(self.inst(*value));
                    let end = self.insts.len();
                    // Values that follow each other are computed in one go.
                    if let Some(Step::Compute(_, last)) = steps.last_mut()
                        && *last == first
                    {
                        *last = end;
                        continue;
                    }
                    Step::Compute(first, end)
                }
                Stmt::Fix(fix, block) => Step::Fix(*fix, self.block(block)),
                Stmt::Over(over) => Step::Over {
                    when: self.places[over.when],
                    unless_stuck: over.unless_stuck,
                    ending: over.ending,
                    scores: over.scores.iter().map(|&score| self.places[score]).collect(),
                },
                Stmt::If(value, yes, no) => Step::If(self.places[*value], self.block(yes), self.block(no)),
                Stmt::Require(value) => Step::Require(self.places[*value]),
                Stmt::Fault(value) => Step::Fault(self.places[*value]),
                Stmt::Yield(to) => Step::Yield(
                    to.slots.iter().map(|&(slot, value)| self.store(slot, value)).collect(),
                    to.to,
                    to.weight.map(|weight| self.places[weight]),
                ),
            };
            steps.push(step);
        }
        steps
    }

    fn store(&self, id: SlotId, value: ValueId) -> Store {
        let slot = &self.circuit.layout.slots[id];
        let (word, from) = (slot.word as usize, self.span(value));
        if self.whole(id) {
            return Store::Whole { word, from };
        }
        let mask = (!0 >> (64 - slot.width())) << slot.bit;
        Store::Part { word, mask, from: from.at, bit: slot.bit }
    }

    /// The instruction of a value; none for what is there without one.
    fn inst(&self, value: ValueId) -> Option<Inst> {
        let op = &self.circuit.values[value].op;
        let mut operands = Vec::new();
        op.each_operand(|operand| operands.push(operand));
        let code = match op {
            Op::Bits(_) | Op::Int(_) | Op::Param(_) | Op::Fixed(..) => return None,
            Op::Slot(slot) if self.whole(*slot) => return None,
            Op::Slot(slot) => Code::Cut(self.circuit.layout.slots[*slot].bit),
            Op::And(..) => Code::And,
            Op::Or(..) => Code::Or,
            Op::Xor(..) => Code::Xor,
            Op::AndNot(..) => Code::AndNot,
            Op::Not(_) => Code::Not,
            Op::Shift(_, by) => Code::Shift(*by),
            Op::Resize(_) => Code::Resize,
            Op::Spread(_) => Code::Spread,
            Op::Any(_) => Code::Any,
            Op::Count(_) => Code::Count,
            Op::First(_) => Code::First,
            Op::Lowest(_) => Code::Lowest,
            Op::Highest(_) => Code::Highest,
            Op::Below(_) => Code::Below,
            Op::Above(_) => Code::Above,
            Op::OneHot(_) => Code::OneHot,
            Op::Select(..) => Code::Select,
            Op::Pack(_) => Code::Pack,
            Op::Unpack(_) => Code::Copy,
            Op::Add(..) => Code::Add,
            Op::Sub(..) => Code::Sub,
            Op::Mul(..) => Code::Mul,
            Op::Div(..) => Code::Div,
            Op::Mod(..) => Code::Mod,
            Op::Min(..) => Code::Min,
            Op::Max(..) => Code::Max,
            Op::Less(..) => Code::Less,
            Op::Equal(..) => Code::Equal,
            Op::Lookup(_, table) => Code::Lookup(table.clone()),
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
