//! The kernel that gives the children of a position with how each of them stands.
//!
//! A function for each control writes the records of [`expand`](super::expand), each followed by what another function,
//! which it calls with the words of the child, says of it: 0 where the game goes on, otherwise one more than the number
//! of its end in [`Sites::ends`], and then the scores.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;

use super::code::{Assembler, Calls, Code};
use super::control::{Goal, Lane, Turn, always_yields, may_fault, may_wait};
use super::expand::{self, FAULT, OVER, Sites};
use super::values::{Scope, Word};
use super::{JitError, Options};
use crate::base::id::IdVec;
use crate::circuit::{Circuit, Control, ControlId, GroupId, Over, Position, Yield};
use crate::exec::{Ahead, Ending, Faulted, Status};

/// Compiled functions that look one move ahead.
pub(super) struct Kernel {
    pub code: Code,
    sites: Sites,
    functions: IdVec<ControlId, Function>,
    /// How many words a record has.
    record: usize,
}

/// The one of a control.
struct Function {
    call: AheadFn,
    /// How many words of records it may write.
    room: usize,
}

/// Words of the state, room for records: how many bytes of records there are, or a code below 0.
type AheadFn = unsafe extern "C" fn(*const u64, *mut u64) -> i64;

/// How many words a record has: one that `expand` writes, how the child stands, its scores.
fn record(circuit: &Circuit) -> usize {
    let scores = |control: &Control| expand::scores(&control.before).max(expand::scores(&control.stuck));
    expand::record(circuit) + 1 + circuit.controls.iter().map(scores).max().unwrap_or(0)
}

impl Kernel {
    /// Compiles the kernel.
    pub fn new(circuit: &Circuit, options: &Options, size: usize) -> Result<Kernel, JitError> {
        let mut assembler = Assembler::new(options, size)?;
        let words = circuit.layout.words as usize;
        let mut declare = |name: &str, params: usize| {
            expand::each(circuit, |id| assembler.declare(&expand::name(name, id), params, 1))
        };
        let (stands, ahead) = (declare("stands", words + 1)?, declare("ahead", 2)?);
        let mut sites = Sites::default();
        for id in circuit.controls.ids() {
            assembler.define(stands[id], |b, _| build_stands(b, circuit, id, &mut sites))?;
            assembler.define(ahead[id], |b, calls| {
                build_ahead(b, circuit, id, (&mut sites, calls, &stands));
            })?;
        }
        let code = assembler.finish()?;
        let record = record(circuit);
        let functions = expand::each(circuit, |id| {
            // SAFETY: the function was declared with two words as parameters and one as its result.
            let call = unsafe { std::mem::transmute::<*const u8, AheadFn>(code.address(ahead[id])) };
            let records = expand::lanes(circuit, &circuit.controls[id]) + 1;
            Ok::<_, JitError>(Function { call, room: records * record })
        })?;
        Ok(Kernel { code, sites, functions, record })
    }

    /// Looks ahead from a position of as many words as the layout has, and puts what there is into `ahead`. `records` is
    /// room for the function.
    pub fn run(&self, at: &Position, records: &mut Vec<u64>, ahead: &mut Ahead) -> Result<Status, Faulted> {
        let words = at.words.len();
        let Function { call, room } = self.functions[at.control];
        records.resize(room.max(records.len()), 0);
        // SAFETY: the code lives as long as `self`; it reads as many words as the layout has (the caller checks it), and
        // writes no more than `room` words: a record for each bit that the sets of the control have, and one for a pass.
        let given = unsafe { call(at.words.as_ptr(), records.as_mut_ptr()) };
        if given == FAULT {
            return Err(Faulted);
        }
        if given < 0 {
            let (ending, scores) = self.sites.ends[(OVER - given) as usize];
            let scores = records[..scores].iter().map(|&score| score as i64).collect();
            return Ok(Status::Over(Ending { ending, scores }));
        }
        for record in records[..given as usize / 8].chunks_exact(self.record) {
            let (group, control) = self.sites.yields[record[0] as u32 as usize];
            let end = (record[words + 1] as usize).checked_sub(1).map(|site| self.sites.ends[site]);
            let scores = record[words + 2..].iter().map(|&score| score as i64);
            let end = end.map(|(ending, count)| (ending, scores.take(count)));
            ahead.push((group, (record[0] >> 32) as u32), (control, &record[1..=words]), end);
        }
        Ok(Status::Open)
    }
}

/// Writes the scores of an end; gives its number among the sites.
fn end(b: &mut FunctionBuilder, sites: &mut Sites, out: Value, scope: &Scope, over: &Over) -> i64 {
    for (i, &score) in over.scores.iter().enumerate() {
        let score = scope.int(b, score);
        b.ins().store(MemFlagsData::trusted(), score, out, 8 * i as i32);
    }
    sites.ends.push((over.ending, over.scores.len()));
    sites.ends.len() as i64 - 1
}

/// Writes the function that says how a position stands that a move has led to: its parameters are the words and where
/// scores go.
fn build_stands(b: &mut FunctionBuilder, circuit: &Circuit, id: ControlId, sites: &mut Sites) {
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
    let mut turn = Turn::after_a_move(Scope::new(circuit, words), &mut goal);
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

/// Whether the rules may have no meaning in a move of this group.
fn faults(circuit: &Circuit, group: GroupId) -> bool {
    let group = &circuit.groups[group];
    [&group.lets, &group.setup, &group.body].into_iter().any(may_fault)
}

struct Stands<'a> {
    circuit: &'a Circuit,
    sites: &'a mut Sites,
    out: Value,
    /// What is given if the mover is not stuck and an end is pending.
    code: Variable,
    /// Whether it matters that the mover can move.
    moves: bool,
}

impl Goal for Stands<'_> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = end(b, self.sites, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = end(b, self.sites, self.out, scope, over);
        let code = b.ins().iconst(I64, site + 1);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Moves that are sure to be moves are not looked at one by one.
    fn group(&mut self, _: &mut FunctionBuilder, group: GroupId, _: &[Word]) -> bool {
        let unsure = !always_yields(&self.circuit.groups[group].body);
        self.moves && unsure || faults(self.circuit, group)
    }

    fn child(&mut self, b: &mut FunctionBuilder, _: &Scope, lane: &Lane, _: &Yield) {
        b.ins().jump(lane.next, &[]);
    }

    /// Whoever goes on to the position will see it.
    fn fault(&mut self, b: &mut FunctionBuilder) {
        let open = b.ins().iconst(I64, 0);
        b.ins().return_(&[open]);
    }
}

/// Writes the function of a control: its parameters are the addresses of the words and of the records.
fn build_ahead(
    b: &mut FunctionBuilder,
    circuit: &Circuit,
    id: ControlId,
    (sites, calls, stands): (&mut Sites, &mut Calls, &IdVec<ControlId, FuncId>),
) {
    let entry = b.current_block().expect("the entry");
    let (from, out) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let words = expand::load_words(b, circuit, from);
    let end = b.declare_var(I64);
    b.def_var(end, out);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let mut goal = Looking { sites, calls, stands, out, end, code };
    let done = b.create_block();
    Turn::new(Scope::new(circuit, words), &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let end = b.use_var(end);
    let bytes = b.ins().isub(end, out);
    b.ins().return_(&[bytes]);
}

struct Looking<'a, 'm> {
    sites: &'a mut Sites,
    calls: &'a mut Calls<'m>,
    stands: &'a IdVec<ControlId, FuncId>,
    out: Value,
    /// Where the next record comes.
    end: Variable,
    /// What is given if the mover is not stuck and an end is pending.
    code: Variable,
}

impl Goal for Looking<'_, '_> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = end(b, self.sites, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let site = end(b, self.sites, self.out, scope, over);
        let code = b.ins().iconst(I64, OVER - site);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &Scope, lane: &Lane, after: &Yield) {
        let site = self.sites.yields.len() as i64;
        self.sites.yields.push((lane.group, after.to));
        let place = lane.place(b);
        let place = b.ins().ishl_imm_u(place, 32);
        let head = b.ins().bor_imm_u(place, site);
        let words = scope.replaced(b, &after.slots);
        let flags = MemFlagsData::trusted();
        let end = b.use_var(self.end);
        for (i, &word) in [head].iter().chain(&words).enumerate() {
            b.ins().store(flags, word, end, 8 * i as i32);
        }
        let stands = 8 * expand::record(scope.circuit) as i32;
        let scores = b.ins().iadd_imm_s(end, i64::from(stands) + 8);
        let function = self.calls.get(b, self.stands[after.to]);
        let args: Vec<Value> = words.into_iter().chain([scores]).collect();
        let call = b.ins().call(function, &args);
        let said = b.inst_results(call)[0];
        b.ins().store(flags, said, end, stands);
        let end = b.ins().iadd_imm_s(end, 8 * record(scope.circuit) as i64);
        b.def_var(self.end, end);
        b.ins().jump(lane.next, &[]);
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        let code = b.ins().iconst(I64, FAULT);
        b.ins().return_(&[code]);
    }
}
