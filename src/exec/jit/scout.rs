//! The kernel for the one-ply lookahead of a search: a [`Scout`].
//!
//! A function for each control writes a [`Record`](crate::exec::Record) for each child. It calls another function with
//! the words of the child to get the child's status. Hints about the next move are computed inline; values that all
//! moves of a group share are computed before them.

use std::rc::Rc;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;

use super::code::{Assembler, Calls, Code};
use super::control::{Goal, Turn, always_yields, may_fault, may_wait};
use super::expand::{self, FAULT, OVER, Sites};
use super::hinted::Hinted;
use super::lanes::Lane;
use super::parts::{Called, Parts};
use super::values::{Scope, Word};
use super::{JitError, Options};
use crate::base::id::IdVec;
use crate::circuit::{Circuit, ControlId, GroupId, Over, Yield};
use crate::exec::scout::{FALLS, HEAD, Looked, SAFE, Scout, record};
use crate::exec::threats::Hints;
use crate::exec::{Ending, Faulted};

/// Compiled functions that look one move ahead, with hints about immediate wins of the next move.
pub(super) struct Kernel {
    /// The owner of the functions' code; nothing reads it.
    _code: Code,
    sites: Sites,
    functions: IdVec<ControlId, Function>,
    ways: IdVec<GroupId, Vec<u32>>,
    /// The number of words of a state; then that of a record.
    words: usize,
    record: usize,
}

/// The function of one control.
struct Function {
    call: ScoutFn,
    /// The maximal number of words of records that it writes.
    room: usize,
}

/// Takes the words of the state and a buffer for records. Returns the number of bytes of records, or a code below 0.
type ScoutFn = unsafe extern "C" fn(*const u64, *mut u64) -> i64;

impl Kernel {
    pub fn new(circuit: &Circuit, hints: &Hints, options: &Options) -> Result<Kernel, JitError> {
        let (code, sites, scout) =
            compile(circuit, options, "scout", |b, circuit, id, (sites, calls, stands)| {
                build_scout(b, circuit, id, (sites, calls, stands, hints));
            })?;
        let words = circuit.layout.words as usize;
        let record = record(circuit);
        let functions = expand::each(circuit, |id| {
            // SAFETY: the function was declared with two words as parameters and one as its result.
            let call = unsafe { std::mem::transmute::<*const u8, ScoutFn>(code.address(scout[id])) };
            let records = circuit.lanes(&circuit.controls[id]) + 1;
            Ok::<_, JitError>(Function { call, room: records * record })
        })?;
        Ok(Kernel { _code: code, sites, functions, ways: hints.ways.clone(), words, record })
    }
}

impl Scout for Kernel {
    fn record(&self) -> usize {
        self.record
    }

    fn room(&self, control: ControlId) -> usize {
        self.functions[control].room
    }

    fn ends(&self) -> &[(u32, usize)] {
        &self.sites.ends
    }

    fn ways(&self, group: GroupId) -> &[u32] {
        self.ways.get(group).map_or(&[], Vec::as_slice)
    }

    fn look(&self, (control, words): (ControlId, &[u64]), out: &mut [u64]) -> Result<Looked, Faulted> {
        let Function { call, room } = self.functions[control];
        assert!(
            words.len() == self.words && out.len() >= room,
            "a position of this game, and room for what it leads to"
        );
        // SAFETY: the code lives as long as `self`; it reads as many words as the layout has, and writes no more than
        // `room` words (both were asserted): a record for each bit that the sets of the control have, and one for a
        // pass.
        let given = unsafe { call(words.as_ptr(), out.as_mut_ptr()) };
        if given == FAULT {
            return Err(Faulted);
        }
        if given < 0 {
            let (ending, scores) = self.sites.ends[(OVER - given) as usize];
            let scores = out[..scores].iter().map(|&score| score as i64).collect();
            return Ok(Looked::Over(Ending { ending, scores }));
        }
        Ok(Looked::Open(given as usize / 8 / self.record))
    }
}

/// Compiles a function with this name for each control, whose parameters are the addresses of the words and of a
/// buffer; and for each control the function that computes the [status](build_stands) of a position, which the others
/// may call.
pub(super) fn compile(
    circuit: &Circuit,
    options: &Options,
    name: &str,
    build: impl Fn(
        &mut FunctionBuilder,
        (&Circuit, Option<Rc<Called>>),
        ControlId,
        (&mut Sites, &mut Calls, &IdVec<ControlId, FuncId>),
    ),
) -> Result<(Code, Sites, IdVec<ControlId, FuncId>), JitError> {
    let parts = Parts::of(circuit, options);
    let mut assembler = Assembler::new(options, parts.largest())?;
    let parts = parts.define(&mut assembler, circuit)?;
    let mut declare = |name: &str, params: usize| {
        expand::each(circuit, |id| assembler.declare(&expand::name(name, id), params, 1))
    };
    let (stands, functions) = (declare("stands", circuit.layout.words as usize + 1)?, declare(name, 2)?);
    let mut sites = Sites::default();
    for id in circuit.controls.ids() {
        assembler.define(stands[id], |b, calls| {
            let parts = parts.called(b, circuit, calls, Some(id));
            build_stands(b, (circuit, parts), id, &mut sites);
        })?;
        assembler.define(functions[id], |b, calls| {
            let parts = parts.called(b, circuit, calls, Some(id));
            build(b, (circuit, parts), id, (&mut sites, calls, &stands));
        })?;
    }
    Ok((assembler.finish()?, sites, functions))
}

/// Builds the function that computes the status of a position that a move has led to: 0 if the game is open, otherwise
/// the index of the end plus 1. Its parameters are the words and the address for scores.
fn build_stands(
    b: &mut FunctionBuilder,
    (circuit, parts): (&Circuit, Option<Rc<Called>>),
    id: ControlId,
    sites: &mut Sites,
) {
    let entry = b.current_block().expect("the entry");
    let (words, out) = b.block_params(entry).split_at(circuit.layout.words as usize);
    let (words, out) = (words.to_vec(), out[0]);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let control = &circuit.controls[id];
    let moves = !control.stuck.stmts.is_empty() || may_wait(&control.before);
    let faults = control.groups.iter().any(|&group| faults(circuit, group));
    let mut goal = Stands { circuit, sites, out, code, moves };
    let scope = Scope::new(circuit, words).calling(parts);
    let mut turn = Turn::after_a_move(scope, &mut goal);
    if moves || faults {
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

struct Stands<'a> {
    circuit: &'a Circuit,
    sites: &'a mut Sites,
    out: Value,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
    /// True if the status depends on the existence of a move.
    moves: bool,
}

impl Goal for Stands<'_> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Skips the lanes of a group that all yield.
    fn group(&mut self, _: &mut FunctionBuilder, group: GroupId, _: &[Word]) -> bool {
        let unsure = !always_yields(&self.circuit.groups[group].body);
        self.moves && unsure || faults(self.circuit, group)
    }

    fn child(&mut self, b: &mut FunctionBuilder, _: &Scope, lane: &Lane, _: &Yield) {
        b.ins().jump(lane.next, &[]);
    }

    /// Counts as open: a search that goes on to the position meets the fault.
    fn fault(&mut self, b: &mut FunctionBuilder) {
        let open = b.ins().iconst(I64, 0);
        b.ins().return_(&[open]);
    }
}

/// Builds the function of a control. Its parameters are the addresses of the words and of the records.
fn build_scout(
    b: &mut FunctionBuilder,
    (circuit, parts): (&Circuit, Option<Rc<Called>>),
    id: ControlId,
    (sites, calls, stands, hints): (&mut Sites, &mut Calls, &IdVec<ControlId, FuncId>, &Hints),
) {
    let entry = b.current_block().expect("the entry");
    let (from, out) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let words = expand::load_words(b, circuit, from);
    let end = b.declare_var(I64);
    b.def_var(end, out);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let hinted = Hinted::new(hints, words.clone());
    let mut goal = Looking { sites, calls, stands, hinted, out, end, code };
    let done = b.create_block();
    let scope = Scope::new(circuit, words).calling(parts);
    Turn::new(scope, &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let end = b.use_var(end);
    let bytes = b.ins().isub(end, out);
    b.ins().return_(&[bytes]);
}

struct Looking<'a, 'm> {
    sites: &'a mut Sites,
    calls: &'a mut Calls<'m>,
    stands: &'a IdVec<ControlId, FuncId>,
    hinted: Hinted<'a>,
    out: Value,
    /// The address of the next record.
    end: Variable,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
}

impl Looking<'_, '_> {
    /// Computes the hint about the next move after a move.
    fn hint(&mut self, b: &mut FunctionBuilder, lane: &Lane, store: impl Fn(&mut FunctionBuilder, Value)) {
        let Some(hint) = self.hinted.of(lane.group) else {
            let nothing = b.ins().iconst(I64, 0);
            return store(b, nothing);
        };
        let hinted = &mut self.hinted;
        let mark = hinted.enter(b, hint, lane);
        let after = hint.falls.map(|falls| {
            hinted.compute(b, [falls]);
            let (lost, on, after) = (b.create_block(), b.create_block(), b.create_block());
            let flag = hinted.known.flag(b, falls);
            b.ins().brif(flag, lost, &[], on, &[]);
            b.switch_to_block(lost);
            let falls = b.ins().iconst(I64, FALLS as i64);
            store(b, falls);
            b.ins().jump(after, &[]);
            b.switch_to_block(on);
            after
        });
        hinted.compute(b, hint.wins.iter().copied());
        let mut count = b.ins().iconst(I64, 0);
        for &won in &hint.wins {
            for word in hinted.words(b, won) {
                let ones = b.ins().popcnt(word.value);
                count = b.ins().iadd(count, ones);
            }
        }
        if let Some(sure) = hint.sure {
            hinted.compute(b, [sure]);
            let flag = hinted.known.flag(b, sure);
            let (safe, unknown) = (b.ins().iconst(I64, SAFE as i64), b.ins().iconst(I64, 0));
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

impl Goal for Looking<'_, '_> {
    /// Hint values computed for a group are used by later groups.
    const KEEPS: bool = true;

    fn over(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = self.sites.end(b, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Computes the operands of hints that all moves of the group share.
    fn group(&mut self, b: &mut FunctionBuilder, group: GroupId, _: &[Word]) -> bool {
        if let Some(hint) = self.hinted.of(group) {
            let all = hint.falls.iter().chain(&hint.sure).chain(&hint.wins);
            self.hinted.group(b, hint, all.copied());
        }
        true
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &Scope, lane: &Lane, after: &Yield) {
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
        let scores = b.ins().iadd_imm_s(end, i64::from(at(size + HEAD)));
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
