//! The kernel for random games: one function with a block for each control; a move jumps to the next block.
//!
//! The state, the generator and the number of remaining moves stay in registers; data that changes once a game is in
//! memory. A move is drawn among the lanes of all sets by counting ones, and only its body runs.

use std::sync::atomic::AtomicBool;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block as Place, BlockArg, BlockCall, InstBuilder, JumpTableData, MemFlagsData, Signature, Value,
    types::{I32, I64},
};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::lanes::Lane;
use super::machine_code::{Assembler, MachineCode};
use super::outlining::{OutlinedCircuit, OutlinedParts};
use super::perft::checksum;
use super::translate::{KernelGoal, TurnTranslator, always_yields, may_fault};
use super::values::{JitScope, KnownWord, or_all};
use super::{ExpandFunctions, JitError, JitSource, expand};
use crate::traversal::{PlayoutRequest, Xorshift};
use crate::{Playouts, RulesFault};
use bouton_base::id::{Id, IdVec};
use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, ControlId, GroupId, StateUpdate, TerminalTest, Ty};

mod lane_sampling;

/// The number of moves between two polls of the stop flag.
const POLL_INTERVAL: i64 = 4096;

pub(super) struct PlayoutKernel {
    pub code: MachineCode,
    play: PlayFn,
    /// The number of words of the scratch buffer: a state, and the records of its children.
    room: usize,
}

type PlayFn = unsafe extern "C" fn(*mut PlayoutState);

/// The input and output of the kernel.
#[repr(C)]
struct PlayoutState {
    stop: *const AtomicBool,
    random: u64,
    games: u64,
    longest: u64,
    /// The moves that are still allowed in addition to those counted in the register.
    rest: u64,
    states: u64,
    checksum: u64,
    unfinished: u64,
    halted: u64,
    control: u64,
    start: *const u64,
    /// The buffer for the words of a state, and for the records of its children.
    scratch: *mut u64,
}

const STOP: i32 = 0;
const RANDOM: i32 = 8;
const GAMES: i32 = 16;
const LONGEST: i32 = 24;
const REST: i32 = 32;
const STATES: i32 = 40;
const CHECKSUM: i32 = 48;
const UNFINISHED: i32 = 56;
const HALTED: i32 = 64;
const CONTROL: i32 = 72;
const START: i32 = 80;
const SCRATCH: i32 = 88;

/// The reasons for an early end.
const FAULT: i64 = 1;
const STOPPED: i64 = 2;

impl PlayoutKernel {
    pub fn new(source: &JitSource, expand: &ExpandFunctions) -> Result<PlayoutKernel, JitError> {
        let circuit = &*source.circuit;
        let parts = OutlinedParts::of(source);
        let mut assembler = Assembler::new(&source.options, parts.sum())?;
        let parts = parts.define(&mut assembler, circuit)?;
        let function = assembler.declare("play", 1, 0)?;
        let select = assembler.signature(2, 1);
        assembler.define(function, |b, calls| {
            let outlined = parts.called(b, circuit, calls, None);
            build(b, &outlined, expand, &select);
        })?;
        let code = assembler.finish()?;
        // SAFETY: the function was declared with one word as its parameter and no result.
        let play = unsafe { std::mem::transmute::<*const u8, PlayFn>(code.address(function)) };
        let room = circuit
            .controls
            .iter()
            .map(|control| expand::max_output_words(circuit, control))
            .max()
            .unwrap_or(0);
        Ok(PlayoutKernel { code, play, room: circuit.layout.words as usize + room })
    }

    /// Plays games from a position. Returns `None` if stopped.
    pub fn run(&self, request: PlayoutRequest, stop: &CancelToken) -> Result<Option<Playouts>, RulesFault> {
        let PlayoutRequest { at, games, seed, longest } = request;
        let mut scratch = vec![0; self.room];
        let mut games = PlayoutState {
            stop: stop.flag(),
            random: Xorshift::new(seed).state(),
            games,
            longest: u64::from(longest),
            rest: 0,
            states: 0,
            checksum: 0,
            unfinished: 0,
            halted: 0,
            control: at.control.index() as u64,
            start: at.words.as_ptr(),
            scratch: scratch.as_mut_ptr(),
        };
        // SAFETY: the code lives as long as `self`, the position has as many words as the layout (the caller checks
        // it), the scratch buffer has `room` words, which suffice for a state and the records of any control, and all
        // pointers are valid until the end.
        unsafe { (self.play)(&mut games) };
        match games.halted as i64 {
            FAULT => Err(RulesFault),
            STOPPED => Ok(None),
            _ => Ok(Some(Playouts {
                states: games.states,
                checksum: games.checksum,
                unfinished: games.unfinished,
            })),
        }
    }
}

/// The constants of the whole function.
struct PlayoutBuilder<'a> {
    circuit: &'a Circuit,
    outlined: &'a OutlinedCircuit<'a>,
    expand: &'a ExpandFunctions,
    select: &'a Signature,
    /// The address of the [`PlayoutState`].
    games: Value,
    random: Variable,
    /// The moves allowed before the next poll.
    left: Variable,
    /// The first block of each control, with the words of the state as parameters.
    heads: IdVec<ControlId, Place>,
    /// The block at the end of a game, with the words of the last state as parameters.
    end: Place,
}

/// The test after a drawn pass: it is a move only if a lane of another group yields.
#[derive(Clone, Copy)]
struct PassTest<'a> {
    control: ControlId,
    /// The sets of the control's groups; only their lanes are tested.
    sets: &'a [Vec<KnownWord>],
    /// The block that handles a stuck mover.
    stuck: Place,
}

fn build(b: &mut FunctionBuilder, outlined: &OutlinedCircuit, expand: &ExpandFunctions, select: &Signature) {
    let circuit = outlined.circuit;
    let entry = b.current_block().expect("the entry");
    let games = b.block_params(entry)[0];
    let with_words = |b: &mut FunctionBuilder| {
        let block = b.create_block();
        (0..circuit.layout.words).for_each(|_| {
            b.append_block_param(block, I64);
        });
        block
    };
    let heads = circuit.controls.ids().map(|_| with_words(b)).collect();
    let end = with_words(b);
    let (random, left) = (b.declare_var(I64), b.declare_var(I64));
    let frame = PlayoutBuilder { circuit, outlined, expand, select, games, random, left, heads, end };
    let seed = frame.load(b, RANDOM);
    b.def_var(random, seed);
    let game = b.create_block();
    b.ins().jump(game, &[]);
    b.switch_to_block(game);
    frame.begin(b);
    for id in circuit.controls.ids() {
        frame.control(b, id);
    }
    b.switch_to_block(end);
    frame.finish(b, game);
}

impl PlayoutBuilder<'_> {
    fn load(&self, b: &mut FunctionBuilder, field: i32) -> Value {
        b.ins().load(I64, MemFlagsData::trusted(), self.games, field)
    }

    fn store(&self, b: &mut FunctionBuilder, field: i32, value: Value) {
        b.ins().store(MemFlagsData::trusted(), value, self.games, field);
    }

    fn add(&self, b: &mut FunctionBuilder, field: i32, more: Value) {
        let before = self.load(b, field);
        let sum = b.ins().iadd(before, more);
        self.store(b, field, sum);
    }

    /// Stores the reason and returns from the kernel.
    fn halt(&self, b: &mut FunctionBuilder, why: i64) {
        let why = b.ins().iconst(I64, why);
        self.store(b, HALTED, why);
        b.ins().return_(&[]);
    }

    /// Leaves if a stop was requested; otherwise moves up to one poll interval of the allowed moves to the register.
    fn poll(&self, b: &mut FunctionBuilder, moves: Value) {
        let (halt, on) = (b.create_block(), b.create_block());
        b.set_cold_block(halt);
        let stop = self.load(b, STOP);
        let stop = b.ins().uload8(I64, MemFlagsData::trusted(), stop, 0);
        b.ins().brif(stop, halt, &[], on, &[]);
        b.switch_to_block(halt);
        self.halt(b, STOPPED);
        b.switch_to_block(on);
        let some = b.ins().iconst(I64, POLL_INTERVAL);
        let left = b.ins().umin(moves, some);
        let rest = b.ins().isub(moves, left);
        self.store(b, REST, rest);
        b.def_var(self.left, left);
    }

    /// Starts the next game, if there is one.
    fn begin(&self, b: &mut FunctionBuilder) {
        let (all, on) = (b.create_block(), b.create_block());
        let games = self.load(b, GAMES);
        b.ins().brif(games, on, &[], all, &[]);
        b.switch_to_block(all);
        b.ins().return_(&[]);
        b.switch_to_block(on);
        let games = b.ins().iadd_imm_s(games, -1);
        self.store(b, GAMES, games);
        let longest = self.load(b, LONGEST);
        self.poll(b, longest);
        let start = self.load(b, START);
        let words = expand::load_words(b, self.circuit, start);
        let control = self.load(b, CONTROL);
        let to: Vec<ControlId> = self.circuit.controls.ids().collect();
        self.switch(b, control, &to, &words);
    }

    /// Jumps to one of some controls, by its index in the list.
    fn switch(&self, b: &mut FunctionBuilder, number: Value, to: &[ControlId], words: &[Value]) {
        let args: Vec<BlockArg> = words.iter().map(|&word| word.into()).collect();
        let Some((&last, others)) = to.split_last() else {
            b.ins().jump(self.end, &args);
            return;
        };
        if others.is_empty() {
            b.ins().jump(self.heads[last], &args);
            return;
        }
        let pool = &mut b.func.dfg.value_lists;
        let others: Vec<BlockCall> =
            others.iter().map(|&id| BlockCall::new(self.heads[id], args.iter().copied(), pool)).collect();
        let last = BlockCall::new(self.heads[last], args.iter().copied(), pool);
        let table = b.create_jump_table(JumpTableData::new(last, &others));
        // Jump tables take an index of 32 bits.
        let number = b.ins().ireduce(I32, number);
        b.ins().br_table(number, table);
    }

    /// Adds a finished game to the statistics.
    fn finish(&self, b: &mut FunctionBuilder, game: Place) {
        let words = b.block_params(self.end).to_vec();
        let sum = checksum(b, &words);
        self.add(b, CHECKSUM, sum);
        let longest = self.load(b, LONGEST);
        let rest = self.load(b, REST);
        let left = b.use_var(self.left);
        let left = b.ins().iadd(rest, left);
        let moves = b.ins().isub(longest, left);
        self.add(b, STATES, moves);
        b.ins().jump(game, &[]);
    }

    /// Draws a number below `bound`.
    fn below(&self, b: &mut FunctionBuilder, bound: Value) -> Value {
        let random = self.word(b);
        let upper = b.ins().ushr_imm_u(random, 32);
        let product = b.ins().imul(upper, bound);
        b.ins().ushr_imm_u(product, 32)
    }

    /// Draws the next word of the generator.
    fn word(&self, b: &mut FunctionBuilder) -> Value {
        let mut random = b.use_var(self.random);
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            let moved = if left { b.ins().ishl_imm_u(random, by) } else { b.ins().ushr_imm_u(random, by) };
            random = b.ins().bxor(random, moved);
        }
        b.def_var(self.random, random);
        random
    }

    /// Makes a move: counts it and jumps to the next control.
    fn go(&self, b: &mut FunctionBuilder, to: ControlId, words: &[Value]) {
        let left = b.use_var(self.left);
        let left = b.ins().iadd_imm_s(left, -1);
        b.def_var(self.left, left);
        self.switch(b, left, &[to], words);
    }

    /// Ends the game in this state.
    fn end(&self, b: &mut FunctionBuilder, words: &[Value]) {
        let args: Vec<BlockArg> = words.iter().map(|&word| word.into()).collect();
        b.ins().jump(self.end, &args);
    }

    /// Builds the turn of a control.
    fn control(&self, b: &mut FunctionBuilder, id: ControlId) {
        let control = &self.circuit.controls[id];
        b.switch_to_block(self.heads[id]);
        let words = b.block_params(self.heads[id]).to_vec();
        self.poll_if_due(b, &words);
        if control.chance {
            return self.play_chance(b, id, &words);
        }

        let mut goal = PlayoutGoal { frame: self, words: words.clone(), passes: None };
        let scope = self.outlined.scope(words.clone());
        let mut turn = TurnTranslator::after_a_move(scope, &mut goal);
        turn.before(b, id);
        let moves = |group: &GroupId| {
            let group = &self.circuit.groups[*group];
            always_yields(&group.body) && !group.pass && !may_fault(&group.setup)
        };
        if turn.waiting().is_none() && control.groups.iter().all(moves) {
            let stuck = b.create_block();
            self.draw_surely(b, &mut turn, id, stuck);
            b.switch_to_block(stuck);
            self.stuck(b, &mut turn, id);
            return;
        }
        let mut sets: Vec<Vec<KnownWord>> = Vec::new();
        for &group in &control.groups {
            let group = &self.circuit.groups[group];
            turn.main(b, &group.lets);
            let set = turn.scope.masked_words(b, group.set);
            if may_fault(&group.setup) {
                let (some, on) = (b.create_block(), b.create_block());
                let any = or_all(b, &set);
                b.ins().brif(any.value, some, &[], on, &[]);
                b.switch_to_block(some);
                let mark = turn.scope.mark();
                turn.main(b, &group.setup);
                turn.scope.restore(mark);
                b.ins().jump(on, &[]);
                b.switch_to_block(on);
            }
            sets.push(set);
        }
        let stuck = b.create_block();
        if let Some(waits) = turn.waiting() {
            let (wait, over, open) = (b.create_block(), b.create_block(), b.create_block());
            let waiting = b.use_var(waits);
            b.ins().brif(waiting, wait, &[], open, &[]);
            b.switch_to_block(wait);
            let moved = turn.can_move(b, id, Some(&sets));
            b.ins().brif(moved, over, &[], stuck, &[]);
            b.switch_to_block(over);
            self.end(b, &words);
            b.switch_to_block(open);
        }
        self.draw(b, &mut turn, id, sets, stuck);
        b.switch_to_block(stuck);
        self.stuck(b, &mut turn, id);
    }

    /// Refills the register of allowed moves if it is 0, with a poll of the stop flag; ends the game if no moves are
    /// left.
    fn poll_if_due(&self, b: &mut FunctionBuilder, words: &[Value]) {
        let (look, unfinished, more, go) =
            (b.create_block(), b.create_block(), b.create_block(), b.create_block());
        [look, unfinished, more].into_iter().for_each(|block| b.set_cold_block(block));
        let left = b.use_var(self.left);
        b.ins().brif(left, go, &[], look, &[]);
        b.switch_to_block(look);
        let rest = self.load(b, REST);
        b.ins().brif(rest, more, &[], unfinished, &[]);
        b.switch_to_block(unfinished);
        let one = b.ins().iconst(I64, 1);
        self.add(b, UNFINISHED, one);
        self.end(b, words);
        b.switch_to_block(more);
        self.poll(b, rest);
        b.ins().jump(go, &[]);
        b.switch_to_block(go);
    }

    /// Runs the body of a drawn lane.
    fn lane(
        &self,
        b: &mut FunctionBuilder,
        turn: &mut TurnTranslator<PlayoutGoal>,
        lane: &Lane,
        test: PassTest,
    ) {
        let group = &self.circuit.groups[lane.group];
        let mark = turn.scope.mark();
        turn.main(b, &group.setup);
        turn.bind(b, lane.group, self.circuit.values[group.bit].ty == Ty::TRUTH, &lane.bit);
        turn.goal.passes = group.pass.then(Vec::new);
        if turn.block(b, &group.body, lane) {
            b.ins().jump(lane.next, &[]);
        }
        // A pass counts as a move only if there is another move.
        for (passed, to) in turn.goal.passes.take().unwrap_or_default() {
            b.switch_to_block(passed);
            let words = b.block_params(passed).to_vec();
            let go = b.create_block();
            let moved = turn.can_move(b, test.control, Some(test.sets));
            b.ins().brif(moved, go, &[], test.stuck, &[]);
            b.switch_to_block(go);
            self.go(b, to, &words);
        }
        turn.scope.restore(mark);
    }

    /// Handles a stuck mover.
    fn stuck(&self, b: &mut FunctionBuilder, turn: &mut TurnTranslator<PlayoutGoal>, id: ControlId) {
        let control = &self.circuit.controls[id];
        let words = turn.scope.words.clone();
        if !control.groups.iter().any(|&group| self.circuit.groups[group].pass) {
            let nothing = b.create_block();
            turn.stuck(b, id, nothing);
            b.switch_to_block(nothing);
            self.end(b, &words);
            return;
        }
        // Here passes and the `stuck` block interact, so the function that expands positions decides.
        let (records, given) = self.expanded(b, id, &words);
        let bytes = 8 * expand::record_words_of(self.circuit, control) as i64;
        let count = b.ins().udiv_imm_u(given, bytes);
        let drawn = self.below(b, count);
        let offset = b.ins().imul_imm_s(drawn, bytes);
        let record = b.ins().iadd(records, offset);
        self.go_to_record(b, id, record);
    }

    /// Draws a chance move: a child by its weight.
    fn play_chance(&self, b: &mut FunctionBuilder, id: ControlId, words: &[Value]) {
        let (records, given) = self.expanded(b, id, words);
        let bytes = 8 * expand::record_words_of(self.circuit, &self.circuit.controls[id]) as i64;
        let behind = b.ins().iadd(records, given);
        let weight = |b: &mut FunctionBuilder, record: Value| {
            b.ins().load(I64, MemFlagsData::trusted(), record, bytes as i32 - 8)
        };
        let (add, drawn, look, on, found) =
            (b.create_block(), b.create_block(), b.create_block(), b.create_block(), b.create_block());
        for block in [add, look] {
            b.append_block_param(block, I64);
            b.append_block_param(block, I64);
        }
        let zero = b.ins().iconst(I64, 0);
        b.ins().jump(add, &[records.into(), zero.into()]);
        b.switch_to_block(add);
        let (record, sum) = (b.block_params(add)[0], b.block_params(add)[1]);
        let own = weight(b, record);
        let sum = b.ins().iadd(sum, own);
        let next = b.ins().iadd_imm_s(record, bytes);
        let more = b.ins().icmp(IntCC::UnsignedLessThan, next, behind);
        b.ins().brif(more, add, &[next.into(), sum.into()], drawn, &[]);
        b.switch_to_block(drawn);
        let random = self.word(b);
        let place = b.ins().umulhi(random, sum);
        b.ins().jump(look, &[records.into(), place.into()]);
        b.switch_to_block(look);
        let (record, place) = (b.block_params(look)[0], b.block_params(look)[1]);
        let own = weight(b, record);
        let here = b.ins().icmp(IntCC::UnsignedLessThan, place, own);
        b.ins().brif(here, found, &[], on, &[]);
        b.switch_to_block(on);
        let (next, less) = (b.ins().iadd_imm_s(record, bytes), b.ins().isub(place, own));
        b.ins().jump(look, &[next.into(), less.into()]);
        b.switch_to_block(found);
        self.go_to_record(b, id, record);
    }

    /// Calls the function that expands the position. Returns the address of the records and their number of bytes,
    /// which is above 0. If there are no children, the game ends.
    fn expanded(&self, b: &mut FunctionBuilder, id: ControlId, words: &[Value]) -> (Value, Value) {
        let flags = MemFlagsData::trusted();
        let scratch = self.load(b, SCRATCH);
        for (i, &word) in words.iter().enumerate() {
            b.ins().store(flags, word, scratch, 8 * i as i32);
        }
        let records = b.ins().iadd_imm_s(scratch, 8 * words.len() as i64);
        let function = &self.expand.functions[id];
        let address = b.ins().iconst(I64, function.call as usize as i64);
        let signature = b.import_signature(self.select.clone());
        let call = b.ins().call_indirect(signature, address, &[scratch, records]);
        let given = b.inst_results(call)[0];
        let (fault, sound, some, over) =
            (b.create_block(), b.create_block(), b.create_block(), b.create_block());
        let faulted = b.ins().icmp_imm_s(IntCC::Equal, given, expand::FAULT);
        b.ins().brif(faulted, fault, &[], sound, &[]);
        b.switch_to_block(fault);
        self.halt(b, FAULT);
        b.switch_to_block(sound);
        let children = b.ins().icmp_imm_s(IntCC::SignedGreaterThan, given, 0);
        b.ins().brif(children, some, &[], over, &[]);
        b.switch_to_block(over);
        self.end(b, words);
        b.switch_to_block(some);
        (records, given)
    }

    /// Makes the move of a record.
    fn go_to_record(&self, b: &mut FunctionBuilder, id: ControlId, record: Value) {
        let function = &self.expand.functions[id];
        let site = b.ins().uload32(MemFlagsData::trusted(), record, 0);
        let first = function.yields.start;
        let site = b.ins().iadd_imm_s(site, -(first as i64));
        let record = b.ins().iadd_imm_s(record, 8);
        let words = expand::load_words(b, self.circuit, record);
        let to: Vec<ControlId> =
            self.expand.sites.yields[function.yields.clone()].iter().map(|&(_, to)| to).collect();
        let left = b.use_var(self.left);
        let left = b.ins().iadd_imm_s(left, -1);
        b.def_var(self.left, left);
        self.switch(b, site, &to, &words);
    }
}

/// The goal of random games: makes the drawn move.
struct PlayoutGoal<'a> {
    frame: &'a PlayoutBuilder<'a>,
    words: Vec<Value>,
    /// In the body of a pass, the targets of its moves: blocks with the words as parameters, and the next control.
    passes: Option<Vec<(Place, ControlId)>>,
}

impl KernelGoal for PlayoutGoal<'_> {
    fn over(&mut self, b: &mut FunctionBuilder, _: &JitScope, _: &TerminalTest) {
        self.frame.end(b, &self.words);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        self.frame.end(b, &self.words);
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        let words = scope.replaced(b, &after.slots);
        if let Some(passes) = &mut self.passes {
            let passed = b.create_block();
            let args: Vec<BlockArg> = words.iter().map(|&word| word.into()).collect();
            args.iter().for_each(|_| {
                b.append_block_param(passed, I64);
            });
            b.ins().jump(passed, &args);
            passes.push((passed, after.to));
            return;
        }
        if lane.bit.is_empty() {
            // The only child of a stuck mover takes a draw as well.
            let one = b.ins().iconst(I64, 1);
            self.frame.below(b, one);
        }
        self.frame.go(b, after.to, &words);
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        self.frame.halt(b, FAULT);
    }
}
