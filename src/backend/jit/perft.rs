//! The perft kernel, which counts sequences of moves: the whole recursion in machine code.
//!
//! Each control has three functions, by the remaining depth: `one` ply, `two`, or `many`. The last ply makes no call,
//! and if it is short it is inlined in `two`, so that calls occur only where a position has three plies below it. Words
//! and counts stay in registers.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Place, InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;

use super::lanes::Lane;
use super::machine_code::{Assembler, FunctionRefs, MachineCode};
use super::outlining::OutlinedParts;
use super::translate::{KernelGoal, TurnTranslator, always_yields, may_fault};
use super::values::{JitScope, KnownWord};
use super::{JitError, JitSource, expand};
use crate::traversal::PerftRequest;
use crate::{MAX_TURN_MOVES, Perft, RulesFault};
use bouton_base::id::IdVec;
use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, ControlId, GroupId, StateUpdate, StmtBlock, TerminalTest};

/// The maximal number of words of values that inlining the last ply may add.
const MAX_INLINE_WORDS: usize = 400;

/// The maximal depth of the recursion in the stack of the caller.
const MAX_STACK_BYTES: usize = 512 << 10;

/// The variant of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PerftVariant {
    /// True if the moves of one turn are one ply.
    pub by_turn: bool,
    /// True to add up the checksums of the last positions, false to count only.
    pub checksum: bool,
}

pub(super) struct PerftKernel {
    pub code: MachineCode,
    enter: IdVec<ControlId, EnterFn>,
}

/// Takes the words of the state, the plies, the moves that the first turn has had, the control block for early ends,
/// and the sums of leaves and checksums.
type EnterFn = unsafe extern "C" fn(*const u64, u64, u64, *mut HaltState, *mut [u64; 2]);

/// The control block for early ends of a count.
#[repr(C)]
struct HaltState {
    stop: *const AtomicBool,
    /// The lowest stack address that the recursion may reach.
    lowest: usize,
    halted: u64,
    /// Not 0 if the mover was stuck somewhere.
    stuck: u64,
}

/// The offsets of the fields of a [`HaltState`].
const STOP: i32 = std::mem::offset_of!(HaltState, stop) as i32;
const LOWEST: i32 = std::mem::offset_of!(HaltState, lowest) as i32;
const HALTED: i32 = std::mem::offset_of!(HaltState, halted) as i32;
const STUCK: i32 = std::mem::offset_of!(HaltState, stuck) as i32;

/// The reasons for an early end.
const FAULT: i64 = 1;
const DEEP: i64 = 2;

/// The outcome of a count.
pub(super) enum PerftOutcome {
    All(Perft),
    Stopped,
    /// The stack is too small.
    TooDeep,
}

impl PerftKernel {
    pub fn new(source: &JitSource, kind: PerftVariant) -> Result<PerftKernel, JitError> {
        let circuit = &*source.circuit;
        let parts = OutlinedParts::of(source);
        let mut assembler = Assembler::new(&source.options, parts.largest())?;
        let parts = parts.define(&mut assembler, circuit)?;
        let words = circuit.layout.words as usize;
        let mut declare = |name: &str, params: usize, results: usize| {
            expand::each(circuit, |id| assembler.declare(&expand::name(name, id), params, results))
        };
        let turn = usize::from(kind.by_turn);
        let (one, two) = (declare("one", words + turn + 1, 2)?, declare("two", words + turn + 1, 2)?);
        let (many, enter) = (declare("many", words + turn + 2, 2)?, declare("perft", 5, 0)?);
        let functions = PerftFunctions { circuit, parts, kind, one, two, many };
        for id in circuit.controls.ids() {
            let mut part = |function: FuncId, plies: PliesLeft<()>| {
                assembler.define(function, |b, calls| functions.build(b, calls, id, plies))
            };
            part(functions.one[id], PliesLeft::One)?;
            part(functions.two[id], PliesLeft::Two)?;
            part(functions.many[id], PliesLeft::Many(()))?;
            assembler.define(enter[id], |b, calls| functions.enter(b, calls, id))?;
        }
        let code = assembler.finish()?;
        let enter = enter
            .iter()
            .map(|&id| {
                // SAFETY: the function was declared with five words as parameters and no result.
                unsafe { std::mem::transmute::<*const u8, EnterFn>(code.address(id)) }
            })
            .collect();
        Ok(PerftKernel { code, enter })
    }

    /// Counts from a position with at least one ply.
    pub fn run(&self, request: PerftRequest, stop: &CancelToken) -> Result<PerftOutcome, RulesFault> {
        let PerftRequest { at, depth, ply } = request;
        let begun = u64::from(ply.moves_begun());
        let mut sums = [0; 2];
        let here = (&raw const sums).addr();
        let lowest = here.saturating_sub(MAX_STACK_BYTES);
        let mut watch = HaltState { stop: stop.flag(), lowest, halted: 0, stuck: 0 };
        // SAFETY: the code lives as long as `self`, the position has as many words as the layout (the caller checks
        // it), and the targets of the other addresses live until the function returns.
        unsafe {
            let enter = self.enter[at.control];
            enter(at.words.as_ptr(), u64::from(depth), begun, &mut watch, &mut sums);
        }
        match watch.halted as i64 {
            FAULT => Err(RulesFault),
            _ if stop.is_cancelled() => Ok(PerftOutcome::Stopped),
            DEEP => Ok(PerftOutcome::TooDeep),
            _ => Ok(PerftOutcome::All(Perft { leaves: sums[0], checksum: sums[1], stuck: watch.stuck != 0 })),
        }
    }
}

/// The number of remaining plies: one, two, or more (with that number).
#[derive(Clone, Copy)]
enum PliesLeft<T> {
    One,
    Two,
    Many(T),
}

/// The functions of the kernel under construction.
struct PerftFunctions<'c> {
    circuit: &'c Circuit,
    parts: Rc<OutlinedParts>,
    kind: PerftVariant,
    /// The functions of each control: for one ply, for two, and for more.
    one: IdVec<ControlId, FuncId>,
    two: IdVec<ControlId, FuncId>,
    many: IdVec<ControlId, FuncId>,
}

impl PerftFunctions<'_> {
    /// Builds the entry point: it loads the words from memory and calls the right function.
    fn enter(&self, b: &mut FunctionBuilder, calls: &mut FunctionRefs, id: ControlId) {
        let entry = b.current_block().expect("the entry");
        let [from, depth, begun, watch, out] = b.block_params(entry)[..] else { panic!("five parameters") };
        let mut args = expand::load_words(b, self.circuit, from);
        if self.kind.by_turn {
            args.push(begun);
        }
        let done = b.create_block();
        let results: Vec<Value> = (0..2).map(|_| b.append_block_param(done, I64)).collect();
        for (plies, function) in [(1, self.one[id]), (2, self.two[id])] {
            let (here, on) = (b.create_block(), b.create_block());
            let is = b.ins().icmp_imm_u(IntCC::Equal, depth, plies);
            b.ins().brif(is, here, &[], on, &[]);
            b.switch_to_block(here);
            let mut args = args.clone();
            args.push(watch);
            call(b, calls, function, &args, done);
            b.switch_to_block(on);
        }
        args.extend([depth, watch]);
        call(b, calls, self.many[id], &args, done);
        b.switch_to_block(done);
        for (result, at) in results.into_iter().zip([0, 8]) {
            b.ins().store(MemFlagsData::trusted(), result, out, at);
        }
        b.ins().return_(&[]);
    }

    /// Builds one of the three functions of a control.
    fn build(&self, b: &mut FunctionBuilder, calls: &mut FunctionRefs, id: ControlId, plies: PliesLeft<()>) {
        let outlined = self.parts.called(b, self.circuit, calls, Some(id));
        let entry = b.current_block().expect("the entry");
        let params = b.block_params(entry).to_vec();
        let (words, rest) = params.split_at(self.circuit.layout.words as usize);
        let (moves, rest) = if self.kind.by_turn { (Some(rest[0]), &rest[1..]) } else { (None, rest) };
        let (plies, watch) = match plies {
            PliesLeft::One => (PliesLeft::One, rest[0]),
            PliesLeft::Two => (PliesLeft::Two, rest[0]),
            PliesLeft::Many(()) => (PliesLeft::Many(rest[0]), rest[1]),
        };
        let words = words.to_vec();
        let (leaves, checksum) = (b.declare_var(I64), b.declare_var(I64));
        let zero = b.ins().iconst(I64, 0);
        b.def_var(leaves, zero);
        b.def_var(checksum, zero);
        let done = b.create_block();
        let scope = outlined.scope(words.clone());
        let mut count = PerftGoal {
            functions: self,
            calls,
            control: id,
            plies,
            words,
            moves,
            watch,
            leaves,
            checksum,
            done,
        };
        match moves {
            _ if matches!(plies, PliesLeft::Many(_)) => count.poll(b),
            // At the start of a turn the caller has polled already.
            Some(moves) if count.turn_goes_on(id) => {
                let (amid, on) = (b.create_block(), b.create_block());
                b.ins().brif(moves, amid, &[], on, &[]);
                b.switch_to_block(amid);
                count.poll(b);
                b.ins().jump(on, &[]);
                b.switch_to_block(on);
            }
            _ => {}
        }
        TurnTranslator::after_a_move(scope, &mut count).control(b, id, done);
        b.switch_to_block(done);
        let results = [b.use_var(leaves), b.use_var(checksum)];
        b.ins().return_(&results);
    }
}

/// Calls a function and jumps to a block with its results.
fn call(b: &mut FunctionBuilder, calls: &mut FunctionRefs, function: FuncId, args: &[Value], to: Place) {
    let function = calls.get(b, function);
    let call = b.ins().call(function, args);
    let results: Vec<_> = b.inst_results(call).iter().map(|&result| result.into()).collect();
    b.ins().jump(to, &results);
}

/// The goal of counting: children are leaves, or other functions count them.
struct PerftGoal<'a, 'm> {
    functions: &'a PerftFunctions<'a>,
    calls: &'a mut FunctionRefs<'m>,
    control: ControlId,
    plies: PliesLeft<Value>,
    /// The words of the position.
    words: Vec<Value>,
    /// The number of moves that its turn has had, if turns are counted and the number may not be 0.
    moves: Option<Value>,
    watch: Value,
    leaves: Variable,
    checksum: Variable,
    /// The block that continues after this position.
    done: Place,
}

impl PerftGoal<'_, '_> {
    /// Jumps to `done` if a stop was requested or the stack is low.
    fn poll(&self, b: &mut FunctionBuilder) {
        let (halt, deep, deeper, on) =
            (b.create_block(), b.create_block(), b.create_block(), b.create_block());
        [halt, deep].into_iter().for_each(|block| b.set_cold_block(block));
        let flags = MemFlagsData::trusted();
        let stop = b.ins().load(I64, flags, self.watch, STOP);
        let stop = b.ins().uload8(I64, flags, stop, 0);
        let halted = b.ins().load(I64, flags, self.watch, HALTED);
        let stop = b.ins().bor(stop, halted);
        b.ins().brif(stop, halt, &[], deeper, &[]);
        b.switch_to_block(deeper);
        let lowest = b.ins().load(I64, flags, self.watch, LOWEST);
        let here = b.ins().get_stack_pointer(I64);
        let low = b.ins().icmp(IntCC::UnsignedLessThan, here, lowest);
        b.ins().brif(low, deep, &[], on, &[]);
        b.switch_to_block(deep);
        let why = b.ins().iconst(I64, DEEP);
        b.ins().store(flags, why, self.watch, HALTED);
        b.ins().jump(halt, &[]);
        b.switch_to_block(halt);
        b.ins().jump(self.done, &[]);
        b.switch_to_block(on);
    }

    /// Returns true if a move from one control to another costs no ply.
    fn same_turn(&self, from: ControlId, to: ControlId) -> bool {
        self.functions.kind.by_turn
            && self.functions.circuit.controls[from].mover == self.functions.circuit.controls[to].mover
    }

    /// Returns true if a control has moves that cost no ply.
    fn turn_goes_on(&self, id: ControlId) -> bool {
        self.yields(id).iter().any(|&to| self.same_turn(id, to))
    }

    fn yields(&self, id: ControlId) -> Vec<ControlId> {
        yields_of(self.functions.circuit, id)
    }

    fn add(&self, b: &mut FunctionBuilder, sum: Variable, more: Value) {
        let before = b.use_var(sum);
        let sum_now = b.ins().iadd(before, more);
        b.def_var(sum, sum_now);
    }

    /// Returns true if all lanes of a group are leaves, so that a population count suffices.
    fn counted(&self, group: GroupId) -> bool {
        let group = &self.functions.circuit.groups[group];
        matches!(self.plies, PliesLeft::One)
            && always_yields(&group.body)
            && ![&group.setup, &group.body].into_iter().any(may_fault)
            && !group.body.yields().into_iter().any(|after| self.same_turn(self.control, after.to))
    }

    fn call(&mut self, b: &mut FunctionBuilder, function: FuncId, args: &[Value], next: Place) {
        let after = b.create_block();
        let results = [self.leaves, self.checksum].map(|sum| (sum, b.append_block_param(after, I64)));
        call(b, self.calls, function, args, after);
        b.switch_to_block(after);
        for (sum, more) in results {
            self.add(b, sum, more);
        }
        b.ins().jump(next, &[]);
    }

    /// Inlines the last ply of a position.
    fn inline(&mut self, b: &mut FunctionBuilder, to: ControlId, words: Vec<Value>, next: Place) {
        let scope = JitScope::new(self.functions.circuit, words.clone());
        let mut last = PerftGoal {
            functions: self.functions,
            calls: &mut *self.calls,
            control: to,
            plies: PliesLeft::One,
            words,
            moves: None,
            watch: self.watch,
            leaves: self.leaves,
            checksum: self.checksum,
            done: next,
        };
        TurnTranslator::after_a_move(scope, &mut last).control(b, to, next);
    }

    /// Handles the end of the game: within a turn, it ends the turn.
    fn end(&mut self, b: &mut FunctionBuilder) {
        if let (PliesLeft::One, Some(moves)) = (self.plies, self.moves) {
            let (leaf, on) = (b.create_block(), b.create_block());
            b.ins().brif(moves, leaf, &[], on, &[]);
            b.switch_to_block(leaf);
            self.leaf(b, &self.words.clone());
            b.ins().jump(on, &[]);
            b.switch_to_block(on);
        }
        b.ins().jump(self.done, &[]);
    }

    /// Counts one more sequence, which ends here.
    fn leaf(&mut self, b: &mut FunctionBuilder, words: &[Value]) {
        let one = b.ins().iconst(I64, 1);
        self.add(b, self.leaves, one);
        self.sum(b, words, None);
    }

    /// Adds a position to the checksum, or for a filler lane subtracts it as often as it will be added.
    fn sum(&mut self, b: &mut FunctionBuilder, words: &[Value], beside: Option<Value>) {
        if self.functions.kind.checksum {
            let mut sum = checksum(b, words);
            if let Some(times) = beside {
                let all = b.ins().imul(sum, times);
                sum = b.ins().ineg(all);
            }
            self.add(b, self.checksum, sum);
        }
    }

    /// Returns the number of moves in the turn of a child: one more in the same turn, with a fault if the turn is too
    /// long.
    fn moves_of_child(&mut self, b: &mut FunctionBuilder, same_turn: bool) -> Value {
        let Some(moves) = self.moves.filter(|_| same_turn) else {
            return b.ins().iconst(I64, i64::from(same_turn));
        };
        let more = b.ins().iadd_imm_s(moves, 1);
        let (endless, on) = (b.create_block(), b.create_block());
        b.set_cold_block(endless);
        let long = b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, more, i64::from(MAX_TURN_MOVES));
        b.ins().brif(long, endless, &[], on, &[]);
        b.switch_to_block(endless);
        self.fault(b);
        b.switch_to_block(on);
        more
    }
}

/// Builds the checksum of a position: the xor of its words, each rotated by its index.
pub(super) fn checksum(b: &mut FunctionBuilder, words: &[Value]) -> Value {
    let mut sum: Option<Value> = None;
    for (&word, i) in words.iter().zip(0i64..) {
        let turn = 21 * i % 64;
        let word = if turn == 0 { word } else { b.ins().rotl_imm_u(word, turn) };
        sum = Some(sum.map_or(word, |sum| b.ins().bxor(sum, word)));
    }
    sum.unwrap_or_else(|| b.ins().iconst(I64, 0))
}

/// Returns the controls that may follow a control, with repetitions.
pub(super) fn yields_of(circuit: &Circuit, id: ControlId) -> Vec<ControlId> {
    let control = &circuit.controls[id];
    let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body);
    bodies.chain([&control.stuck]).flat_map(StmtBlock::yields).map(|after| after.to).collect()
}

impl KernelGoal for PerftGoal<'_, '_> {
    const DETECTS_STUCK: bool = true;

    fn stuck(&mut self, b: &mut FunctionBuilder) {
        let yes = b.ins().iconst(I64, 1);
        b.ins().store(MemFlagsData::trusted(), yes, self.watch, STUCK);
    }

    fn over(&mut self, b: &mut FunctionBuilder, _: &JitScope, _: &TerminalTest) {
        self.end(b);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        self.end(b);
    }

    fn allows_filler_lanes(&self, group: GroupId) -> bool {
        self.counted(group)
    }

    fn group(&mut self, b: &mut FunctionBuilder, group: GroupId, set: &[KnownWord]) -> bool {
        if !self.counted(group) {
            return true;
        }
        for word in set.iter().filter(|word| word.maybe != 0) {
            let lanes = b.ins().popcnt(word.value);
            self.add(b, self.leaves, lanes);
        }
        self.functions.kind.checksum
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        let mut args = scope.replaced(b, &after.slots);
        let to = after.to;
        let same_turn = self.same_turn(self.control, to);
        let moves = self.functions.kind.by_turn.then(|| self.moves_of_child(b, same_turn));
        match self.plies {
            PliesLeft::One if same_turn => {
                args.extend(moves);
                args.push(self.watch);
                self.call(b, self.functions.one[to], &args, lane.next);
            }
            PliesLeft::One => {
                if lane.bit.is_empty() || !self.counted(lane.group) {
                    self.leaf(b, &args);
                } else {
                    self.sum(b, &args, lane.filler_count);
                }
                b.ins().jump(lane.next, &[]);
            }
            PliesLeft::Two => {
                let function = if same_turn { self.functions.two[to] } else { self.functions.one[to] };
                let added =
                    self.yields(self.control).len() * expand::control_size(self.functions.circuit, to);
                if !same_turn && !self.turn_goes_on(to) && added <= MAX_INLINE_WORDS {
                    return self.inline(b, to, args, lane.next);
                }
                args.extend(moves);
                args.push(self.watch);
                self.call(b, function, &args, lane.next);
            }
            PliesLeft::Many(depth) if same_turn => {
                args.extend(moves);
                args.extend([depth, self.watch]);
                self.call(b, self.functions.many[to], &args, lane.next);
            }
            PliesLeft::Many(depth) => {
                args.extend(moves);
                let (two, many) = (b.create_block(), b.create_block());
                let rest = b.ins().iadd_imm_s(depth, -1);
                let is_two = b.ins().icmp_imm_u(IntCC::Equal, rest, 2);
                b.ins().brif(is_two, two, &[], many, &[]);
                b.switch_to_block(two);
                let mut short = args.clone();
                short.push(self.watch);
                self.call(b, self.functions.two[to], &short, lane.next);
                b.switch_to_block(many);
                args.extend([rest, self.watch]);
                self.call(b, self.functions.many[to], &args, lane.next);
            }
        }
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        let why = b.ins().iconst(I64, FAULT);
        b.ins().store(MemFlagsData::trusted(), why, self.watch, HALTED);
        b.ins().jump(self.done, &[]);
    }
}
