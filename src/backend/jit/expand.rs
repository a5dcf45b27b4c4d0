//! The function that generates the children of a position, one for each control.
//!
//! It reads the words of the position and writes records, one after another: the move's site and lane, then the child's
//! words. It returns the number of bytes written, or a code below 0 for other outcomes.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::lanes::Lane;
use super::outlining::OutlinedCircuit;
use super::translate::{KernelGoal, TurnTranslator, words_of_block};
use super::values::JitScope;
use bouton_base::id::{Id, IdVec};
use bouton_circuit::{Circuit, Control, ControlId, GroupId, StateUpdate, StmtBlock, TerminalTest};

/// The result for a fault.
pub(super) const FAULT: i64 = -1;

/// The result for an end, minus the index of the end in [`SiteTable::ends`].
pub(super) const OVER: i64 = -2;

/// The meaning of the numbers in records and codes.
#[derive(Debug, Default)]
pub(super) struct SiteTable {
    /// The group and the next control of each `Yield`. In a record, the number is in the lower half of the first
    /// word; the lane is in the upper half.
    pub yields: Vec<(GroupId, ControlId)>,
    /// The end of each `Over`, and the number of scores at the front of the records.
    pub ends: Vec<(u32, usize)>,
}

impl SiteTable {
    /// Writes the scores of an end; returns its index in [`ends`](Self::ends).
    pub fn end(&mut self, b: &mut FunctionBuilder, out: Value, scope: &JitScope, over: &TerminalTest) -> i64 {
        for (i, &score) in over.scores.iter().enumerate() {
            let score = scope.int(b, score);
            b.ins().store(MemFlagsData::trusted(), score, out, 8 * i as i32);
        }
        self.ends.push((over.ending, over.scores.len()));
        self.ends.len() as i64 - 1
    }
}

/// Returns the maximal number of words of a control's records.
pub(super) fn max_output_words(circuit: &Circuit, control: &Control) -> usize {
    let records = (circuit.max_moves(control) + 1) * record_words_of(circuit, control);
    records.max(max_scores(&control.before)).max(max_scores(&control.stuck))
}

/// Returns the number of words of a control's record. For chance, the weight comes last.
pub(super) fn record_words_of(circuit: &Circuit, control: &Control) -> usize {
    record_words(circuit) + usize::from(control.chance)
}

/// Returns the number of words of a record of a player's move.
pub(super) fn record_words(circuit: &Circuit) -> usize {
    circuit.layout.words as usize + 1
}

/// Returns the maximal number of scores of an end in a block.
pub(super) fn max_scores(block: &StmtBlock) -> usize {
    use bouton_circuit::Stmt;
    let of = |stmt: &Stmt| match stmt {
        Stmt::Over(over) => over.scores.len(),
        Stmt::If(_, yes, no) => max_scores(yes).max(max_scores(no)),
        _ => 0,
    };
    block.stmts.iter().map(of).max().unwrap_or(0)
}

/// Returns the number of words of a control's values.
pub(super) fn control_size(circuit: &Circuit, id: ControlId) -> usize {
    let scope = JitScope::new(circuit, Vec::new());
    let control = &circuit.controls[id];
    let groups = control.groups.iter().map(|&group| {
        let group = &circuit.groups[group];
        words_of_block(&scope, &group.lets)
            + words_of_block(&scope, &group.setup)
            + words_of_block(&scope, &group.body)
    });
    words_of_block(&scope, &control.before) + groups.sum::<usize>() + words_of_block(&scope, &control.stuck)
}

/// Builds the function of a control. Its parameters are the addresses of the words and of the records.
pub(super) fn build(
    b: &mut FunctionBuilder,
    outlined: OutlinedCircuit,
    id: ControlId,
    sites: &mut SiteTable,
) {
    let entry = b.current_block().expect("the entry");
    let (from, out) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let words = load_words(b, outlined.circuit, from);
    let end = b.declare_var(I64);
    b.def_var(end, out);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let mut goal = ExpandGoal { sites, out, end, code };
    let done = b.create_block();
    let scope = outlined.scope(words);
    TurnTranslator::new(scope, &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let end = b.use_var(end);
    let bytes = b.ins().isub(end, out);
    b.ins().return_(&[bytes]);
}

/// Loads the words of a state from an address.
pub(super) fn load_words(b: &mut FunctionBuilder, circuit: &Circuit, from: Value) -> Vec<Value> {
    let words = 0..circuit.layout.words as i32;
    words.map(|i| b.ins().load(I64, MemFlagsData::trusted(), from, 8 * i)).collect()
}

struct ExpandGoal<'a> {
    sites: &'a mut SiteTable,
    out: Value,
    /// The address of the next record.
    end: Variable,
    /// The result if the mover is not stuck and an end is pending.
    code: Variable,
}

impl ExpandGoal<'_> {
    /// Writes the scores of an end; returns its code.
    fn end(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) -> Value {
        let site = self.sites.end(b, self.out, scope, over);
        b.ins().iconst(I64, OVER - site)
    }
}

impl KernelGoal for ExpandGoal<'_> {
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

    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        let site = self.sites.yields.len() as i64;
        self.sites.yields.push((lane.group, after.to));
        let place = lane.place(b);
        let place = b.ins().ishl_imm_u(place, 32);
        let head = b.ins().bor_imm_u(place, site);
        let words = scope.replaced(b, &after.slots);
        let end = b.use_var(self.end);
        let weight = after.weight.map(|weight| scope.int(b, weight));
        let record: Vec<Value> = [head].into_iter().chain(words).chain(weight).collect();
        for (i, &word) in record.iter().enumerate() {
            b.ins().store(MemFlagsData::trusted(), word, end, 8 * i as i32);
        }
        let end = b.ins().iadd_imm_s(end, 8 * record.len() as i64);
        b.def_var(self.end, end);
        b.ins().jump(lane.next, &[]);
    }

    fn fault(&mut self, b: &mut FunctionBuilder) {
        let code = b.ins().iconst(I64, FAULT);
        b.ins().return_(&[code]);
    }
}

/// Returns the name of a control's function.
pub(super) fn name(kernel: &str, id: ControlId) -> String {
    format!("{kernel}_{}", id.index())
}

/// Makes something for each control.
pub(super) fn each<T, E>(
    circuit: &Circuit,
    make: impl FnMut(ControlId) -> Result<T, E>,
) -> Result<IdVec<ControlId, T>, E> {
    circuit.controls.ids().map(make).collect()
}
