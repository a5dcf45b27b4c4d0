//! The kernel for the one-ply lookahead of a search: a [`Lookahead`].
//!
//! A function for each control writes a [`LookaheadRecord`](crate::LookaheadRecord) for each child. It calls
//! another function with the words of the child to get the child's status. Hints about the next move are computed
//! inline; values that all moves of a group share are computed before them.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;

use super::expand::{self, FAULT, OVER, SiteTable};
use super::hint_values::HintValues;
use super::lanes::Lane;
use super::machine_code::{Assembler, FunctionRefs, MachineCode};
use super::outlining::{OutlinedCircuit, OutlinedParts};
use super::translate::{KernelGoal, TurnTranslator, always_yields, may_be_pending, may_fault};
use super::values::{JitScope, KnownWord};
use super::{JitError, JitSource};
use crate::lookahead::{HEADER_WORDS, Lookahead, LookaheadResult, NO_WINNING_REPLY, REPLY_WINS, record};
use crate::threats::MoveHints;
use crate::{CircuitEnding, PASS_GROUP, PositionRef, RulesFault};
use bouton_base::id::IdVec;
use bouton_circuit::{Circuit, ControlId, GroupId, StateUpdate, TerminalTest};

/// Compiled functions that look one move ahead, with hints about immediate wins of the next move.
pub(super) struct LookaheadKernel {
    /// The owner of the functions' code; nothing reads it.
    _code: MachineCode,
    sites: SiteTable,
    functions: IdVec<ControlId, LookaheadFunction>,
    ways: IdVec<GroupId, Vec<u32>>,
    /// The number of words of a state; then that of a record.
    words: usize,
    record: usize,
}

/// The function of one control.
struct LookaheadFunction {
    call: LookaheadFn,
    /// The maximal number of words of records that it writes.
    room: usize,
}

/// Takes the words of the state and a buffer for records. Returns the number of bytes of records, or a code below 0.
type LookaheadFn = unsafe extern "C" fn(*const u64, *mut u64) -> i64;

impl LookaheadKernel {
    pub fn new(source: &JitSource, hints: &MoveHints) -> Result<LookaheadKernel, JitError> {
        let circuit = &*source.circuit;
        let (code, sites, scout) = compile(source, "scout", |b, outlined, id, tables| {
            build_lookahead(b, outlined, id, tables, hints);
        })?;
        let words = circuit.layout.words as usize;
        let record = record(circuit);
        let functions = expand::each(circuit, |id| {
            // SAFETY: the function was declared with two words as parameters and one as its result.
            let call = unsafe { std::mem::transmute::<*const u8, LookaheadFn>(code.address(scout[id])) };
            let records = circuit.max_moves(&circuit.controls[id]) + 1;
            Ok::<_, JitError>(LookaheadFunction { call, room: records * record })
        })?;
        Ok(LookaheadKernel { _code: code, sites, functions, ways: hints.completions.clone(), words, record })
    }
}

impl Lookahead for LookaheadKernel {
    fn record_words(&self) -> usize {
        self.record
    }

    fn max_output_words(&self, control: ControlId) -> usize {
        self.functions[control].room
    }

    fn ends(&self) -> &[(u32, usize)] {
        &self.sites.ends
    }

    fn completions(&self, group: GroupId) -> &[u32] {
        self.ways.get(group).map_or(&[], Vec::as_slice)
    }

    fn look_ahead(&self, at: PositionRef, out: &mut [u64]) -> Result<LookaheadResult, RulesFault> {
        let PositionRef { control, words } = at;
        let LookaheadFunction { call, room } = self.functions[control];
        assert!(
            words.len() == self.words && out.len() >= room,
            "a position of this game, and room for what it leads to"
        );
        // SAFETY: the code lives as long as `self`; it reads as many words as the layout has, and writes no more than
        // `room` words (both were asserted): a record for each bit that the sets of the control have, and one for a
        // pass.
        let given = unsafe { call(words.as_ptr(), out.as_mut_ptr()) };
        if given == FAULT {
            return Err(RulesFault);
        }
        if given < 0 {
            let (ending, scores) = self.sites.ends[(OVER - given) as usize];
            let scores = out[..scores].iter().map(|&score| score as i64).collect();
            return Ok(LookaheadResult::Over(CircuitEnding { ending, scores }));
        }
        Ok(LookaheadResult::Open(given as usize / 8 / self.record))
    }
}

/// The tables that the functions of a lookahead kernel share while they are built.
pub(super) struct LookaheadTables<'a, 'm> {
    pub sites: &'a mut SiteTable,
    pub calls: &'a mut FunctionRefs<'m>,
    /// For each control, the function that computes the [status](build_status) of a position.
    pub stands: &'a IdVec<ControlId, FuncId>,
}

/// Compiles a function with this name for each control, whose parameters are the addresses of the words and of a
/// buffer; and for each control the function that computes the [status](build_status) of a position, which the others
/// may call.
pub(super) fn compile(
    source: &JitSource,
    name: &str,
    build: impl Fn(&mut FunctionBuilder, OutlinedCircuit, ControlId, LookaheadTables),
) -> Result<(MachineCode, SiteTable, IdVec<ControlId, FuncId>), JitError> {
    let circuit = &*source.circuit;
    let parts = OutlinedParts::of(source);
    let mut assembler = Assembler::new(&source.options, parts.largest())?;
    let parts = parts.define(&mut assembler, circuit)?;
    let mut declare = |name: &str, params: usize| {
        expand::each(circuit, |id| assembler.declare(&expand::name(name, id), params, 1))
    };
    let (stands, functions) = (declare("stands", circuit.layout.words as usize + 1)?, declare(name, 2)?);
    let mut sites = SiteTable::default();
    for id in circuit.controls.ids() {
        assembler.define(stands[id], |b, calls| {
            let outlined = parts.called(b, circuit, calls, Some(id));
            build_status(b, outlined, id, &mut sites);
        })?;
        assembler.define(functions[id], |b, calls| {
            let outlined = parts.called(b, circuit, calls, Some(id));
            build(b, outlined, id, LookaheadTables { sites: &mut sites, calls, stands: &stands });
        })?;
    }
    Ok((assembler.finish()?, sites, functions))
}

/// Builds the function that computes the status of a position that a move has led to: 0 if the game is open, otherwise
/// the index of the end plus 1. Its parameters are the words and the address for scores.
fn build_status(b: &mut FunctionBuilder, outlined: OutlinedCircuit, id: ControlId, sites: &mut SiteTable) {
    let circuit = outlined.circuit;
    let entry = b.current_block().expect("the entry");
    let (words, out) = b.block_params(entry).split_at(circuit.layout.words as usize);
    let (words, out) = (words.to_vec(), out[0]);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let control = &circuit.controls[id];
    // Without an end that depends on the moves the position is open, whatever they do.
    let moves = !control.stuck.stmts.is_empty() || may_be_pending(&control.before);
    let mut goal = StatusGoal { circuit, sites, out, code };
    let scope = outlined.scope(words);
    let mut turn = TurnTranslator::after_a_move(scope, &mut goal);
    if moves {
        let done = b.create_block();
        turn.control(b, id, done);
        b.switch_to_block(done);
    } else {
        turn.before(b, id);
    }
    let open = b.ins().iconst(I64, 0);
    b.ins().return_(&[open]);
}

/// Returns true if a move of this group may fault.
fn faults(circuit: &Circuit, group: GroupId) -> bool {
    let group = &circuit.groups[group];
    [&group.lets, &group.setup, &group.body].into_iter().any(may_fault)
}

struct StatusGoal<'a> {
    circuit: &'a Circuit,
    sites: &'a mut SiteTable,
    out: Value,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
}

impl KernelGoal for StatusGoal<'_> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Skips the lanes of a group that all yield. A pass leaves the mover stuck, unless it faults.
    fn group(&mut self, _: &mut FunctionBuilder, group: GroupId, _: &[KnownWord]) -> bool {
        let unsure = !always_yields(&self.circuit.groups[group].body);
        unsure || self.circuit.groups[group].pass && faults(self.circuit, group)
    }

    /// A mover who has a move is not stuck, and a fault of another move would leave the position open as well.
    fn child(&mut self, b: &mut FunctionBuilder, _: &JitScope, lane: &Lane, _: &StateUpdate) {
        if lane.group == PASS_GROUP || self.circuit.groups[lane.group].pass {
            b.ins().jump(lane.next, &[]);
            return;
        }
        let open = b.ins().iconst(I64, 0);
        b.ins().return_(&[open]);
    }

    /// Counts as open: a search that goes on to the position meets the fault.
    fn fault(&mut self, b: &mut FunctionBuilder) {
        let open = b.ins().iconst(I64, 0);
        b.ins().return_(&[open]);
    }
}

/// Builds the function of a control. Its parameters are the addresses of the words and of the records.
fn build_lookahead(
    b: &mut FunctionBuilder,
    outlined: OutlinedCircuit,
    id: ControlId,
    tables: LookaheadTables,
    hints: &MoveHints,
) {
    let LookaheadTables { sites, calls, stands } = tables;
    let entry = b.current_block().expect("the entry");
    let (from, out) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let words = expand::load_words(b, outlined.circuit, from);
    let end = b.declare_var(I64);
    b.def_var(end, out);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let hinted = HintValues::new(hints, words.clone());
    let mut goal = LookaheadGoal { sites, calls, stands, hinted, out, end, code };
    let done = b.create_block();
    let scope = outlined.scope(words);
    TurnTranslator::new(scope, &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let end = b.use_var(end);
    let bytes = b.ins().isub(end, out);
    b.ins().return_(&[bytes]);
}

struct LookaheadGoal<'a, 'm> {
    sites: &'a mut SiteTable,
    calls: &'a mut FunctionRefs<'m>,
    stands: &'a IdVec<ControlId, FuncId>,
    hinted: HintValues<'a>,
    out: Value,
    /// The address of the next record.
    end: Variable,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
}

impl LookaheadGoal<'_, '_> {
    /// Computes the hint about the next move after a move.
    fn hint(&mut self, b: &mut FunctionBuilder, lane: &Lane, store: impl Fn(&mut FunctionBuilder, Value)) {
        let Some(hint) = self.hinted.of(lane.group) else {
            let nothing = b.ins().iconst(I64, 0);
            return store(b, nothing);
        };
        let hinted = &mut self.hinted;
        let mark = hinted.enter(b, hint, lane);
        let after = hint.reply_wins.map(|falls| {
            hinted.compute(b, [falls]);
            let (lost, on, after) = (b.create_block(), b.create_block(), b.create_block());
            let flag = hinted.known.flag(b, falls);
            b.ins().brif(flag, lost, &[], on, &[]);
            b.switch_to_block(lost);
            let falls = b.ins().iconst(I64, REPLY_WINS as i64);
            store(b, falls);
            b.ins().jump(after, &[]);
            b.switch_to_block(on);
            after
        });
        hinted.compute(b, hint.follow_up_wins.iter().copied());
        let mut count = b.ins().iconst(I64, 0);
        for &won in &hint.follow_up_wins {
            for word in hinted.words(b, won) {
                let ones = b.ins().popcnt(word.value);
                count = b.ins().iadd(count, ones);
            }
        }
        if let Some(sure) = hint.reply_wins_is_exact {
            hinted.compute(b, [sure]);
            let flag = hinted.known.flag(b, sure);
            let (safe, unknown) = (b.ins().iconst(I64, NO_WINNING_REPLY as i64), b.ins().iconst(I64, 0));
            let safe = b.ins().select(flag, safe, unknown);
            count = b.ins().bor(count, safe);
        }
        store(b, count);
        if let Some(after) = after {
            b.ins().jump(after, &[]);
            b.switch_to_block(after);
        }
        hinted.leave(mark);
    }
}

impl KernelGoal for LookaheadGoal<'_, '_> {
    /// Hint values computed for a group are used by later groups.
    const REUSES_GROUP_VALUES: bool = true;

    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Computes the operands of hints that all moves of the group share.
    fn group(&mut self, b: &mut FunctionBuilder, group: GroupId, _: &[KnownWord]) -> bool {
        if let Some(hint) = self.hinted.of(group) {
            let all = hint.reply_wins.iter().chain(&hint.reply_wins_is_exact).chain(&hint.follow_up_wins);
            self.hinted.group(b, hint, all.copied());
        }
        true
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        let place = lane.place(b);
        let head = b.ins().iconst(I64, (u64::from(lane.group.0) << 32) as i64);
        let head = b.ins().bor(head, place);
        let words = scope.replaced(b, &after.slots);
        let control = b.ins().iconst(I64, i64::from(after.to.0));
        let flags = MemFlagsData::trusted();
        let end = b.use_var(self.end);
        for (i, &word) in [head].iter().chain(&words).chain([&control]).enumerate() {
            b.ins().store(flags, word, end, 8 * i as i32);
        }
        let size = words.len();
        let at = |word: usize| 8 * word as i32;
        let scores = b.ins().iadd_imm_s(end, i64::from(at(size + HEADER_WORDS)));
        let function = self.calls.get(b, self.stands[after.to]);
        let args: Vec<Value> = words.into_iter().chain([scores]).collect();
        let call = b.ins().call(function, &args);
        let said = b.inst_results(call)[0];
        b.ins().store(flags, said, end, at(size + 2));
        self.hint(b, lane, |b, hint| {
            b.ins().store(flags, hint, end, at(size + 3));
        });
        let end = b.ins().iadd_imm_s(end, 8 * record(scope.circuit) as i64);
        b.def_var(self.end, end);
        b.ins().jump(lane.next, &[]);
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        let code = b.ins().iconst(I64, FAULT);
        b.ins().return_(&[code]);
    }
}
