//! Function outlining: long runs of computations in the bodies of groups of large controls become functions of their
//! own.
//!
//! Technique: a run of `Let`s has no effect but its values. Its function takes the inputs as arguments and writes the
//! outputs to a slot on its caller's stack. So it does not depend on the goal of a kernel, and all functions of a
//! kernel share it. The time of good register allocation grows faster than the length of a function, and more so with
//! long live ranges: for short functions it is small.
//!
//! *Invariant:* after the call, the caller knows the values of the part, except those without other uses.

use std::rc::Rc;
use std::sync::Arc;

use cranelift_codegen::ir::{
    FuncRef, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value, types::I64,
};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::expand::control_size;
use super::guarded_runs::GuardedRuns;
use super::machine_code::{Assembler, FunctionRefs};
use super::translate::words_of;
use super::values::{BindingKey, JitScope, JitValue, KnownWord, mask, vector};
use super::{JitError, JitSource, OutlineOptions};
use bouton_base::bits::words_for;
use bouton_base::id::IdVec;
use bouton_circuit::schedule::each_use;
use bouton_circuit::{Circuit, ControlId, Op, Stmt, StmtBlock, Ty, ValueId};

/// The number of words of values at which a part ends.
const MAX_PART_WORDS: usize = 500;

/// A block by its address in the circuit, and the index of the statement in it where a part begins.
pub(super) type PartStart = (usize, usize);

/// The outlined parts of a circuit's controls.
#[derive(Default)]
pub(super) struct OutlinedParts {
    parts: Vec<OutlinedPart>,
    places: FxHashMap<PartStart, usize>,
    /// The words of values that remain in the functions of each control.
    rests: IdVec<ControlId, usize>,
    guards: Arc<GuardedRuns>,
}

struct OutlinedPart {
    control: ControlId,
    /// The index of the statement after it.
    end: usize,
    lets: Vec<ValueId>,
    /// The values that it takes.
    inputs: Vec<ValueId>,
    /// The values that it returns.
    outputs: Vec<ValueId>,
    function: Option<FuncId>,
}

/// Returns the key of a part or run.
pub(super) fn place(block: &StmtBlock, at: usize) -> PartStart {
    (std::ptr::from_ref(block).addr(), at)
}

/// Returns the words of a value, to pass it to or from a part.
fn part_words(b: &mut FunctionBuilder, scope: &JitScope, value: ValueId) -> Vec<Value> {
    match scope.circuit.values[value].ty {
        Ty::Int => vec![scope.int(b, value)],
        Ty::Bits(_) => scope.masked_words(b, value).into_iter().map(|word| word.value).collect(),
    }
}

/// Binds a value to words that were passed.
fn bind_part_words(
    b: &mut FunctionBuilder,
    scope: &mut JitScope,
    value: ValueId,
    next: &mut dyn FnMut(&mut FunctionBuilder) -> Value,
) {
    let val = match scope.circuit.values[value].ty {
        Ty::Int => JitValue::Int(next(b)),
        Ty::Bits(width) => {
            let words = (0..words_for(width)).map(|i| KnownWord { value: next(b), maybe: mask(width, i) });
            let words = words.collect();
            vector(b, width, words)
        }
    };
    scope.bind(BindingKey::Value(value), val);
}

fn all_words(circuit: &Circuit, values: &[ValueId]) -> usize {
    values.iter().map(|&value| words_of(circuit, value)).sum()
}

impl OutlinedParts {
    /// Finds the parts of the controls that exceed the size in the options.
    pub fn of(source: &JitSource) -> OutlinedParts {
        let JitSource { circuit, options, guards } = source;
        let mut parts = OutlinedParts { guards: guards.clone(), ..OutlinedParts::default() };
        let OutlineOptions { min_control_words: above, min_part_words: least, min_work_ratio: worth } =
            options.outline;
        for (id, control) in circuit.controls.entries() {
            let size = control_size(circuit, id);
            let first = parts.parts.len();
            let groups = control.groups.iter().filter(|_| size > above);
            for group in groups.map(|&group| &circuit.groups[group]) {
                let (blocks, first) = ([&group.setup, &group.body], parts.parts.len());
                blocks.into_iter().for_each(|block| parts.find(circuit, id, block, least));
                parts.join(circuit, blocks, first);
                parts.keep_worthy(circuit, blocks, first, worth);
            }
            let own = &parts.parts[first..];
            let inside: usize = own.iter().map(|part| all_words(circuit, &part.lets)).sum();
            let passed: usize = own.iter().map(|part| part.passed(circuit)).sum();
            parts.rests.push((size + passed).saturating_sub(inside));
        }
        parts
    }

    /// Finds long runs of `Let`s in a block.
    fn find(&mut self, circuit: &Circuit, control: ControlId, block: &StmtBlock, least: usize) {
        let mut at = 0;
        while at < block.stmts.len() {
            if let Stmt::If(_, yes, no) = &block.stmts[at] {
                [yes, no].into_iter().for_each(|block| self.find(circuit, control, block, least));
            }
            let (mut lets, mut words) = (Vec::new(), 0);
            while let Some(&Stmt::Let(value)) = block.stmts.get(at + lets.len())
                && !matches!(circuit.values[value].op, Op::Fixed(..))
                && words < MAX_PART_WORDS
            {
                lets.push(value);
                words += words_of(circuit, value);
            }
            let end = at + lets.len();
            if words >= least.max(1) {
                self.places.insert(place(block, at), self.parts.len());
                let (inputs, outputs) = (Vec::new(), Vec::new());
                self.parts.push(OutlinedPart { control, end, lets, inputs, outputs, function: None });
            }
            at = end.max(at + 1);
        }
    }

    /// Determines the inputs and outputs of a group's parts, from `first` on.
    fn join(&mut self, circuit: &Circuit, blocks: [&StmtBlock; 2], first: usize) {
        let mut asked = FxHashSet::default();
        blocks.into_iter().for_each(|block| self.asked(circuit, block, &mut asked));
        for part in &mut self.parts[first..] {
            let own: FxHashSet<ValueId> = part.computed(circuit).collect();
            let mut inputs = Vec::new();
            for value in part.computed(circuit) {
                circuit.values[value].op.each_operand(|operand| {
                    let constant = matches!(circuit.values[operand].op, Op::Bits(_) | Op::Int(_));
                    if !constant && !own.contains(&operand) && !inputs.contains(&operand) {
                        inputs.push(operand);
                    }
                });
            }
            asked.extend(&inputs);
            part.inputs = inputs;
        }
        for part in &mut self.parts[first..] {
            part.outputs = part.computed(circuit).filter(|value| asked.contains(value)).collect();
        }
    }

    /// Drops the parts of a group, from `first` on, whose inputs and outputs are many compared with the values that
    /// they compute.
    fn keep_worthy(&mut self, circuit: &Circuit, blocks: [&StmtBlock; 2], first: usize, worth: usize) {
        let own = self.parts.split_off(first);
        let pays = |part: &OutlinedPart| all_words(circuit, &part.lets) >= worth * part.passed(circuit);
        let kept: Vec<bool> = own.iter().map(pays).collect();
        let number = |n: usize| first + kept[..n - first].iter().filter(|&&kept| kept).count();
        self.places.retain(|_, n| *n < first || kept[*n - first]);
        self.places.values_mut().filter(|n| **n >= first).for_each(|n| *n = number(*n));
        self.parts.extend(own.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(part, _)| part));
        self.join(circuit, blocks, first);
    }

    /// Collects the values that a block uses outside of its parts.
    fn asked(&self, circuit: &Circuit, block: &StmtBlock, asked: &mut FxHashSet<ValueId>) {
        let mut at = 0;
        while let Some(stmt) = block.stmts.get(at) {
            if let Some(&part) = self.places.get(&place(block, at)) {
                at = self.parts[part].end;
                continue;
            }
            each_use(stmt, &mut |value| {
                asked.insert(value);
            });
            match stmt {
                Stmt::Let(value) => circuit.values[*value].op.each_operand(|operand| {
                    asked.insert(operand);
                }),
                Stmt::Fix(fix, inner) => {
                    let fix = &circuit.fixes[*fix];
                    asked.extend(fix.vars.iter().map(|&(_, first)| first).chain(fix.next.iter().copied()));
                    self.asked(circuit, inner, asked);
                }
                Stmt::If(_, yes, no) => {
                    [yes, no].into_iter().for_each(|block| self.asked(circuit, block, asked));
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Returns true if no control is split.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the maximal number of words of values in the functions of one control.
    pub fn largest(&self) -> usize {
        self.rests.iter().copied().max().unwrap_or(0)
    }

    /// Returns the number of words of values in the functions of all controls.
    pub fn sum(&self) -> usize {
        self.rests.iter().sum()
    }

    /// Defines a function for each part.
    pub fn define(
        mut self,
        assembler: &mut Assembler,
        circuit: &Circuit,
    ) -> Result<Rc<OutlinedParts>, JitError> {
        for (n, part) in self.parts.iter_mut().enumerate() {
            let params = 1 + all_words(circuit, &part.inputs);
            let function = assembler.declare(&format!("part_{n}"), params, 0)?;
            assembler.define(function, |b, _| part.build(b, circuit))?;
            part.function = Some(function);
        }
        Ok(Rc::new(self))
    }

    /// Imports the parts of a control, or of all, into the function under construction.
    pub fn called<'c>(
        self: &Rc<OutlinedParts>,
        b: &mut FunctionBuilder,
        circuit: &'c Circuit,
        calls: &mut FunctionRefs,
        control: Option<ControlId>,
    ) -> OutlinedCircuit<'c> {
        OutlinedCircuit {
            circuit,
            parts: self.callable(b, circuit, calls, control),
            guards: self.guards.clone(),
        }
    }

    /// Imports the parts of a control, or of all; `None` if there are none.
    fn callable(
        self: &Rc<OutlinedParts>,
        b: &mut FunctionBuilder,
        circuit: &Circuit,
        calls: &mut FunctionRefs,
        control: Option<ControlId>,
    ) -> Option<Rc<CallableParts>> {
        let own = |n: usize| control.is_none_or(|control| control == self.parts[n].control);
        let mut places: Vec<(usize, PartStart)> = self.places.iter().map(|(&at, &n)| (n, at)).collect();
        places.retain(|&(n, _)| own(n));
        // The order makes the code the same in every run.
        places.sort_unstable();
        // One stack slot serves all calls, because the outputs are read right after each call.
        let room = places.iter().map(|&(n, _)| all_words(circuit, &self.parts[n].outputs)).max()?;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * room as u32, 3);
        let room = b.create_sized_stack_slot(slot);
        let called = |(n, at): (usize, PartStart)| {
            let function = self.parts[n].function.expect("parts are defined before they are called");
            (at, (n, calls.get(b, function)))
        };
        let functions = places.into_iter().map(called).collect();
        Some(Rc::new(CallableParts { functions, parts: self.clone(), room }))
    }
}

impl OutlinedPart {
    /// Returns the number of words that it takes and returns.
    fn passed(&self, circuit: &Circuit) -> usize {
        all_words(circuit, &self.inputs) + all_words(circuit, &self.outputs)
    }

    /// Returns the values that its function computes. The caller reads slots, because it has the state in registers.
    fn computed(&self, circuit: &Circuit) -> impl Iterator<Item = ValueId> {
        self.lets.iter().copied().filter(|&value| !matches!(circuit.values[value].op, Op::Slot(_)))
    }

    /// Builds the function. Its parameters are the address for the outputs, and the words of the inputs.
    fn build(&self, b: &mut FunctionBuilder, circuit: &Circuit) {
        let entry = b.current_block().expect("the entry");
        let params = b.block_params(entry).to_vec();
        let (out, mut words) = (params[0], params[1..].iter().copied());
        let mut scope = JitScope::new(circuit, Vec::new());
        for &input in &self.inputs {
            bind_part_words(b, &mut scope, input, &mut |_| words.next().expect("a parameter for each word"));
        }
        self.computed(circuit).for_each(|value| scope.compute(b, value));
        let given = self.outputs.iter().flat_map(|&output| part_words(b, &scope, output)).collect::<Vec<_>>();
        for (word, i) in given.into_iter().zip(0..) {
            b.ins().store(MemFlagsData::trusted(), word, out, 8 * i);
        }
        b.ins().return_(&[]);
    }
}

/// A circuit, with the outlined parts that the function under construction can call.
pub(super) struct OutlinedCircuit<'c> {
    pub circuit: &'c Circuit,
    /// The parts; `None` if there are none.
    pub parts: Option<Rc<CallableParts>>,
    pub guards: Arc<GuardedRuns>,
}

impl<'c> OutlinedCircuit<'c> {
    /// Returns a scope that calls the parts and guards runs, with a state in these words.
    pub fn scope(&self, words: Vec<Value>) -> JitScope<'c> {
        JitScope::new(self.circuit, words).calling(self.parts.clone(), self.guards.clone())
    }
}

/// The parts that one function can call.
pub(super) struct CallableParts {
    parts: Rc<OutlinedParts>,
    functions: FxHashMap<PartStart, (usize, FuncRef)>,
    /// The stack slot for their outputs.
    room: StackSlot,
}

impl CallableParts {
    /// Calls the part that begins at the statement `at` of a block, if one does; returns the index of the statement
    /// after it.
    pub fn call(
        &self,
        b: &mut FunctionBuilder,
        scope: &mut JitScope,
        block: &StmtBlock,
        at: usize,
    ) -> Option<usize> {
        let &(n, function) = self.functions.get(&place(block, at))?;
        let part = &self.parts.parts[n];
        let slots = part.lets.iter().filter(|&&value| matches!(scope.circuit.values[value].op, Op::Slot(_)));
        slots.for_each(|&slot| scope.compute(b, slot));
        let mut args = vec![b.ins().stack_addr(I64, self.room, 0)];
        args.extend(part.inputs.iter().flat_map(|&input| part_words(b, scope, input)));
        b.ins().call(function, &args);
        let mut i = 0;
        for &output in &part.outputs {
            bind_part_words(b, scope, output, &mut |b| {
                i += 8;
                b.ins().stack_load(I64, I64, self.room, i - 8)
            });
        }
        Some(part.end)
    }
}
