//! The kernel that generates children for retrograde analysis, skipping those that a one-ply lookahead decides: a
//! [`UndecidedChildren`].
//!
//! A function for each control tests first whether a move wins at once. If none does, it writes a record for each move
//! except those after which the next player wins: where a hint claims such a win, another function checks that the game
//! is not over there already.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;

use super::expand::{self, FAULT, OVER, SiteTable};
use super::hint_values::HintValues;
use super::lanes::Lane;
use super::lookahead::{LookaheadTables, compile};
use super::machine_code::{FunctionRefs, MachineCode};
use super::outlining::OutlinedCircuit;
use super::translate::{KernelGoal, TurnTranslator};
use super::values::{JitScope, KnownWord};
use super::{JitError, JitSource};
use crate::lookahead::ends;
use crate::threats::MoveHints;
use crate::undecided_children::{UndecidedChildren, UndecidedExpansion};
use crate::{CircuitEnding, PositionRef, RulesFault};
use bouton_base::id::IdVec;
use bouton_circuit::{ControlId, GroupId, StateUpdate, TerminalTest, ValueId};

/// The result if the mover wins at once.
const MOVER_WINS: i64 = i64::MIN;
/// The bit that is set in the number of bytes if moves were skipped.
const LOSING_MOVES_BIT: i64 = 1;

/// Compiled functions that generate the undecided children.
pub(super) struct UndecidedKernel {
    /// The owner of the functions' code; nothing reads it.
    _code: MachineCode,
    sites: SiteTable,
    functions: IdVec<ControlId, UndecidedFunction>,
    /// The number of words of a state.
    words: usize,
}

/// The function of one control.
struct UndecidedFunction {
    call: UndecidedFn,
    /// The maximal number of words that it writes.
    room: usize,
}

/// Takes the words of the state and a buffer for records. Returns the number of bytes of records, with
/// [`LOSING_MOVES_BIT`], or a code below 0.
type UndecidedFn = unsafe extern "C" fn(*const u64, *mut u64) -> i64;

impl UndecidedKernel {
    pub fn new(source: &JitSource, hints: &MoveHints) -> Result<UndecidedKernel, JitError> {
        let circuit = &*source.circuit;
        let (code, sites, sieve) = compile(source, "sieve", |b, outlined, id, tables| {
            build(b, outlined, id, tables, hints);
        })?;
        let words = circuit.layout.words as usize;
        // The status function writes scores after the records.
        let scores = ends(circuit).iter().map(|&(_, scores)| scores).max().unwrap_or(0);
        let functions = expand::each(circuit, |id| {
            // SAFETY: the function was declared with two words as parameters and one as its result.
            let call = unsafe { std::mem::transmute::<*const u8, UndecidedFn>(code.address(sieve[id])) };
            let room = expand::max_output_words(circuit, &circuit.controls[id]) + scores;
            Ok::<_, JitError>(UndecidedFunction { call, room })
        })?;
        Ok(UndecidedKernel { _code: code, sites, functions, words })
    }
}

impl UndecidedChildren for UndecidedKernel {
    fn expand_undecided(
        &self,
        at: PositionRef,
        records: &mut Vec<u64>,
    ) -> Result<UndecidedExpansion, RulesFault> {
        let PositionRef { control, words } = at;
        assert_eq!(words.len(), self.words, "a position of another game");
        let UndecidedFunction { call, room } = self.functions[control];
        let had = records.len();
        records.reserve(room);
        // SAFETY: the code lives as long as `self`; it reads as many words as the layout has, and writes no more than
        // `room` words after the present contents of the vector: a record for each bit that the sets of the control
        // have, one for a pass, and the scores of an end.
        let given = unsafe { call(words.as_ptr(), records.as_mut_ptr().add(had)) };
        if given == MOVER_WINS {
            return Ok(UndecidedExpansion::Wins);
        }
        if given == FAULT {
            return Err(RulesFault);
        }
        if given < 0 {
            let (ending, scores) = self.sites.ends[(OVER - given) as usize];
            // SAFETY: this number of words was reserved and has been written.
            unsafe { records.set_len(had + scores) };
            let scores = records.drain(had..).map(|score| score as i64).collect();
            return Ok(UndecidedExpansion::Over(CircuitEnding { ending, scores }));
        }
        // SAFETY: this number of words was reserved and has been written.
        unsafe { records.set_len(had + given as usize / 8) };
        Ok(UndecidedExpansion::Open { losing_moves: given & LOSING_MOVES_BIT != 0 })
    }
}

/// Builds the function of a control. Its parameters are the addresses of the words and of the records.
fn build(
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
    let zero = b.ins().iconst(I64, 0);
    let [end, falls, code] = [out, zero, zero].map(|first| {
        let variable = b.declare_var(I64);
        b.def_var(variable, first);
        variable
    });
    let hinted = HintValues::new(hints, words.clone());
    let now = Some(&hints.immediate_wins[id][..]);
    let mut goal = UndecidedGoal { sites, calls, stands, hinted, now, out, end, falls, code };
    let done = b.create_block();
    let scope = outlined.scope(words);
    TurnTranslator::new(scope, &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let (end, falls) = (b.use_var(end), b.use_var(falls));
    let bytes = b.ins().isub(end, out);
    let bytes = b.ins().bor(bytes, falls);
    b.ins().return_(&[bytes]);
}

struct UndecidedGoal<'a, 'm> {
    sites: &'a mut SiteTable,
    calls: &'a mut FunctionRefs<'m>,
    stands: &'a IdVec<ControlId, FuncId>,
    hinted: HintValues<'a>,
    /// The lanes that win at once; `None` once the test for them was built.
    now: Option<&'a [ValueId]>,
    out: Value,
    /// The address of the next record.
    end: Variable,
    /// [`LOSING_MOVES_BIT`] if moves were skipped.
    falls: Variable,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
}

impl UndecidedGoal<'_, '_> {
    fn end(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) -> Value {
        let site = self.sites.end(b, self.out, scope, over);
        b.ins().iconst(I64, OVER - site)
    }

    /// Returns from the function if the mover wins at once.
    fn wins(&mut self, b: &mut FunctionBuilder, now: &[ValueId]) {
        self.hinted.compute(b, now.iter().copied());
        let mut any: Option<Value> = None;
        for &lanes in now {
            for word in self.hinted.words(b, lanes) {
                any = Some(any.map_or(word.value, |any| b.ins().bor(any, word.value)));
            }
        }
        if let Some(any) = any {
            let (won, on) = (b.create_block(), b.create_block());
            b.ins().brif(any, won, &[], on, &[]);
            b.switch_to_block(won);
            let wins = b.ins().iconst(I64, MOVER_WINS);
            b.ins().return_(&[wins]);
            b.switch_to_block(on);
        }
    }
}

impl KernelGoal for UndecidedGoal<'_, '_> {
    /// Hint values computed for a group are used by later groups.
    const REUSES_GROUP_VALUES: bool = true;

    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let code = self.end(b, scope, over);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        let code = self.end(b, scope, over);
        b.def_var(self.code, code);
    }

    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        let code = b.use_var(self.code);
        b.ins().return_(&[code]);
    }

    /// Builds the test for immediate wins before the first group: the game is not over there.
    fn group(&mut self, b: &mut FunctionBuilder, group: GroupId, _: &[KnownWord]) -> bool {
        if let Some(now) = self.now.take() {
            self.wins(b, now);
        }
        if let Some(hint) = self.hinted.of(group) {
            self.hinted.group(b, hint, hint.reply_wins);
        }
        true
    }

    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        let words = scope.replaced(b, &after.slots);
        let end = b.use_var(self.end);
        if let Some(hint) = self.hinted.of(lane.group)
            && let Some(falls) = hint.reply_wins
        {
            let mark = self.hinted.enter(b, hint, lane);
            self.hinted.compute(b, [falls]);
            let flag = self.hinted.known.flag(b, falls);
            self.hinted.leave(mark);
            let (ask, lost, keep) = (b.create_block(), b.create_block(), b.create_block());
            b.ins().brif(flag, ask, &[], keep, &[]);
            b.switch_to_block(ask);
            let function = self.calls.get(b, self.stands[after.to]);
            let args: Vec<Value> = words.iter().copied().chain([end]).collect();
            let call = b.ins().call(function, &args);
            let over = b.inst_results(call)[0];
            b.ins().brif(over, keep, &[], lost, &[]);
            b.switch_to_block(lost);
            let falls = b.ins().iconst(I64, LOSING_MOVES_BIT);
            b.def_var(self.falls, falls);
            b.ins().jump(lane.next, &[]);
            b.switch_to_block(keep);
        }
        let control = b.ins().iconst(I64, i64::from(after.to.0));
        let size = words.len() as i64 + 1;
        for (i, word) in [control].into_iter().chain(words).enumerate() {
            b.ins().store(MemFlagsData::trusted(), word, end, 8 * i as i32);
        }
        let end = b.ins().iadd_imm_s(end, 8 * size);
        b.def_var(self.end, end);
        b.ins().jump(lane.next, &[]);
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        let code = b.ins().iconst(I64, FAULT);
        b.ins().return_(&[code]);
    }
}
