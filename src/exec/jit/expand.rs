//! The function that gives the children of a position, one for each control.
//!
//! It reads the words of the position and writes records, one after another: where the child comes from, then its
//! words. It gives the number of children, or a code below 0 for what else may be.

use std::rc::Rc;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::control::{Goal, Turn, size};
use super::lanes::Lane;
use super::parts::Called;
use super::values::Scope;
use crate::base::id::{Id, IdVec};
use crate::circuit::{Block, Circuit, Control, ControlId, GroupId, Over, Yield};

/// What the function gives where the rules have no meaning.
pub(super) const FAULT: i64 = -1;

/// What the function gives where the game is over, less the number of the end in [`Sites::ends`].
pub(super) const OVER: i64 = -2;

/// What the numbers in records and codes stand for.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// Each `Yield`: of which group, and who moves then. In a record, the number is in the lower half of the first
    /// word; in the upper half is the lane.
    pub yields: Vec<(GroupId, ControlId)>,
    /// Each `Over`: which end, and how many scores lie at the front of the records.
    pub ends: Vec<(u32, usize)>,
}

impl Sites {
    /// Writes the scores of an end; gives its number in [`ends`](Self::ends).
    pub fn end(&mut self, b: &mut FunctionBuilder, out: Value, scope: &Scope, over: &Over) -> i64 {
        for (i, &score) in over.scores.iter().enumerate() {
            let score = scope.int(b, score);
            b.ins().store(MemFlagsData::trusted(), score, out, 8 * i as i32);
        }
        self.ends.push((over.ending, over.scores.len()));
        self.ends.len() as i64 - 1
    }
}

/// How many words the records of a control take at most.
pub(super) fn room(circuit: &Circuit, control: &Control) -> usize {
    let records = (circuit.lanes(control) + 1) * record_of(circuit, control);
    records.max(scores(&control.before)).max(scores(&control.stuck))
}

/// How many words a record of a control has: last, where chance acts, the weight.
pub(super) fn record_of(circuit: &Circuit, control: &Control) -> usize {
    record(circuit) + usize::from(control.chance)
}

/// How many words a record has where a player moves.
pub(super) fn record(circuit: &Circuit) -> usize {
    circuit.layout.words as usize + 1
}

/// How many scores an end of a block has at most.
pub(super) fn scores(block: &Block) -> usize {
    use crate::circuit::Stmt;
    let of = |stmt: &Stmt| match stmt {
        Stmt::Over(over) => over.scores.len(),
        Stmt::If(_, yes, no) => scores(yes).max(scores(no)),
        _ => 0,
    };
    block.stmts.iter().map(of).max().unwrap_or(0)
}

/// How many words the values of a control have.
pub(super) fn control_size(circuit: &Circuit, id: ControlId) -> usize {
    let scope = Scope::new(circuit, Vec::new());
    let control = &circuit.controls[id];
    let groups = control.groups.iter().map(|&group| {
        let group = &circuit.groups[group];
        size(&scope, &group.lets) + size(&scope, &group.setup) + size(&scope, &group.body)
    });
    size(&scope, &control.before) + groups.sum::<usize>() + size(&scope, &control.stuck)
}

/// Writes the function of a control: its parameters are the addresses of the words and of the records.
pub(super) fn build(
    b: &mut FunctionBuilder,
    (circuit, parts): (&Circuit, Option<Rc<Called>>),
    id: ControlId,
    sites: &mut Sites,
) {
    let entry = b.current_block().expect("the entry");
    let (from, out) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let words = load_words(b, circuit, from);
    let end = b.declare_var(I64);
    b.def_var(end, out);
    let code = b.declare_var(I64);
    let open = b.ins().iconst(I64, 0);
    b.def_var(code, open);
    let mut goal = Children { sites, out, end, code };
    let done = b.create_block();
    let scope = Scope::new(circuit, words).calling(parts);
    Turn::new(scope, &mut goal).control(b, id, done);
    b.switch_to_block(done);
    let end = b.use_var(end);
    let bytes = b.ins().isub(end, out);
    b.ins().return_(&[bytes]);
}

/// The words of a state at an address.
pub(super) fn load_words(b: &mut FunctionBuilder, circuit: &Circuit, from: Value) -> Vec<Value> {
    let words = 0..circuit.layout.words as i32;
    words.map(|i| b.ins().load(I64, MemFlagsData::trusted(), from, 8 * i)).collect()
}

struct Children<'a> {
    sites: &'a mut Sites,
    out: Value,
    /// Where the next record comes.
    end: Variable,
    /// What is given if the mover is not stuck and an end is pending.
    code: Variable,
}

impl Children<'_> {
    /// Writes the scores of an end; gives its code.
    fn end(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) -> Value {
        let site = self.sites.end(b, self.out, scope, over);
        b.ins().iconst(I64, OVER - site)
    }
}

impl Goal for Children<'_> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let code = self.end(b, scope, over);
        b.ins().return_(&[code]);
    }

    fn pending(&mut self, b: &mut FunctionBuilder, scope: &Scope, over: &Over) {
        let code = self.end(b, scope, over);
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

/// Names of the functions of controls.
pub(super) fn name(kernel: &str, id: ControlId) -> String {
    format!("{kernel}_{}", id.index())
}

/// Something for each control.
pub(super) fn each<T, E>(
    circuit: &Circuit,
    make: impl FnMut(ControlId) -> Result<T, E>,
) -> Result<IdVec<ControlId, T>, E> {
    circuit.controls.ids().map(make).collect()
}
