//! Schedules the values of a circuit: each is computed once, at a point that dominates all its uses, outside of loops
//! that do not change it (loop-invariant code motion), and inside a branch if only that branch needs it.
//!
//! Values that several groups of a control need come before the groups. Values that one group needs and all its lanes
//! share come before its loop: beside the set if the set needs them, otherwise only if the set is not empty.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Circuit, FixId, Op, Stmt, StmtBlock, ValueId};
use bouton_base::cancel;
use bouton_base::id::Id;

/// Inserts a `Let` for every used value and a `Fix` for every used fixpoint, in all controls.
pub fn schedule(circuit: &mut Circuit) {
    let params = params(circuit);
    let controls: Vec<_> = circuit.controls.entries().map(|(id, _)| id).collect();
    for control in controls {
        let mut placer = Scheduler { circuit, params: &params };
        let placed = placer.control(control);
        placed.into(circuit);
    }
}

/// The parameters that each value depends on.
type ParamDeps = Vec<Vec<ValueId>>;

fn params(circuit: &Circuit) -> ParamDeps {
    let mut found: ParamDeps = Vec::with_capacity(circuit.values.len());
    // Operands have smaller ids, and so have all values of a fixpoint.
    for (id, node) in circuit.values.entries() {
        let mut of: Vec<ValueId> = Vec::new();
        let mut add = |value: ValueId| {
            for &param in &found[value.index()] {
                if !of.contains(&param) {
                    of.push(param);
                }
            }
        };
        node.op.each_operand(&mut add);
        match node.op {
            Op::Param(_) => of.push(id),
            Op::Fixed(fix, _) => {
                let fix = &circuit.fixes[fix];
                fix.next.iter().for_each(|&v| add(v));
                fix.vars.iter().for_each(|&(_, first)| add(first));
                of.retain(|param| fix.vars.iter().all(|(var, _)| var != param));
            }
            _ => {}
        }
        found.push(of);
    }
    found
}

/// The scheduled blocks of a control.
struct ScheduledControl {
    control: super::ControlId,
    before: StmtBlock,
    stuck: StmtBlock,
    groups: Vec<(super::GroupId, StmtBlock, StmtBlock, StmtBlock)>,
}

impl ScheduledControl {
    fn into(self, circuit: &mut Circuit) {
        for (id, lets, setup, body) in self.groups {
            let group = &mut circuit.groups[id];
            (group.lets, group.setup, group.body) = (lets, setup, body);
        }
        let control = &mut circuit.controls[self.control];
        (control.before, control.stuck) = (self.before, self.stuck);
    }
}

struct Scheduler<'a> {
    circuit: &'a Circuit,
    params: &'a ParamDeps,
}

/// The values that are computed before the current statement.
type ComputedValues = FxHashSet<ValueId>;

impl Scheduler<'_> {
    fn control(&mut self, id: super::ControlId) -> ScheduledControl {
        let control = &self.circuit.controls[id];
        let mut seen = ComputedValues::default();
        let mut before = StmtBlock::default();
        self.block(&control.before, &mut seen, &mut before);

        // The owner of each value. A value that two groups need, or a group and the `stuck` block, has none and is
        // computed before the groups.
        let mut owner: FxHashMap<ValueId, Option<usize>> = FxHashMap::default();
        let mut order: Vec<ValueId> = Vec::new();
        let mut claim = |needed: NeededValues, who: usize| {
            for value in needed.order {
                match owner.get_mut(&value) {
                    None => {
                        owner.insert(value, Some(who));
                        order.push(value);
                    }
                    Some(of) if *of != Some(who) => *of = None,
                    Some(_) => {}
                }
            }
        };
        for (who, &group) in control.groups.iter().enumerate() {
            let group = &self.circuit.groups[group];
            let mut needed = NeededValues::default();
            self.need(group.set, &seen, &mut needed);
            self.need_block(&group.body, &seen, &mut needed);
            claim(needed, who);
        }
        let mut needed = NeededValues::default();
        self.need_block(&control.stuck, &seen, &mut needed);
        claim(needed, control.groups.len());
        order.sort_unstable();
        for value in order {
            if owner[&value].is_none() && self.params[value.index()].is_empty() {
                self.place(value, &mut seen, &mut before);
            }
        }

        let mut groups = Vec::new();
        for &id in &control.groups {
            let group = &self.circuit.groups[id];
            let (mut lets, mut setup, mut body) =
                (StmtBlock::default(), StmtBlock::default(), StmtBlock::default());
            let mut seen = seen.clone();
            self.place(group.set, &mut seen, &mut lets);
            let mut needed = NeededValues::default();
            self.need_block(&group.body, &seen, &mut needed);
            needed.order.sort_unstable();
            // A value that only a branch needs stays there, unless the loop would repeat it.
            for value in needed.order {
                if self.params[value.index()].is_empty() {
                    self.place(value, &mut seen, &mut setup);
                }
            }
            seen.insert(group.bit);
            self.block(&group.body, &mut seen, &mut body);
            groups.push((id, lets, setup, body));
        }
        let mut stuck = StmtBlock::default();
        self.block(&control.stuck, &mut seen, &mut stuck);
        ScheduledControl { control: id, before, stuck, groups }
    }

    /// Schedules a block: appends its statements to `out`, each after the values that it needs.
    fn block(&mut self, block: &StmtBlock, seen: &mut ComputedValues, out: &mut StmtBlock) {
        for (i, stmt) in block.stmts.iter().enumerate() {
            self.operands(stmt, &mut |placer, value| placer.place(value, seen, out));
            match stmt {
                Stmt::If(when, then, otherwise) => {
                    // Values that two of the three parts (both branches, the rest of the block) need are computed
                    // before the branch.
                    let needs = |placer: &Scheduler, blocks: &[&StmtBlock], rest: &[Stmt]| {
                        let mut needed = NeededValues::default();
                        blocks.iter().for_each(|block| placer.need_block(block, seen, &mut needed));
                        rest.iter().for_each(|stmt| placer.need_stmt(stmt, seen, &mut needed));
                        needed
                    };
                    let first = needs(self, &[then], &[]);
                    let second = needs(self, &[otherwise], &[]);
                    let after = needs(self, &[], &block.stmts[i + 1..]);
                    let mut shared: Vec<ValueId> = first
                        .order
                        .iter()
                        .chain(&second.order)
                        .filter(|v| {
                            [&first, &second, &after].iter().filter(|n| n.seen.contains(v)).count() > 1
                        })
                        .copied()
                        .collect();
                    shared.sort_unstable();
                    for value in shared {
                        self.place(value, seen, out);
                    }
                    let (mut yes, mut no) = (StmtBlock::default(), StmtBlock::default());
                    self.block(then, &mut seen.clone(), &mut yes);
                    self.block(otherwise, &mut seen.clone(), &mut no);
                    out.stmts.push(Stmt::If(*when, yes, no));
                }
                _ => out.stmts.push(stmt.clone()),
            }
        }
    }

    /// Visits the values that a statement uses itself.
    fn operands(&mut self, stmt: &Stmt, visit: &mut dyn FnMut(&mut Self, ValueId)) {
        each_use(stmt, &mut |value| visit(self, value));
    }

    /// Appends the computation of a value, after its operands.
    fn place(&mut self, value: ValueId, seen: &mut ComputedValues, out: &mut StmtBlock) {
        if seen.contains(&value) {
            return;
        }
        let circuit = self.circuit;
        let op = &circuit.values[value].op;
        match op {
            // Constants need no `Let`; parameters are bound where they are used.
            Op::Bits(_) | Op::Int(_) | Op::Param(_) => return,
            Op::Fixed(fix, _) => return self.place_fix(*fix, seen, out),
            _ => {}
        }
        let mut operands = Vec::new();
        op.each_operand(|operand| operands.push(operand));
        for operand in operands {
            self.place(operand, seen, out);
        }
        seen.insert(value);
        out.stmts.push(Stmt::Let(value));
    }

    fn place_fix(&mut self, id: FixId, seen: &mut ComputedValues, out: &mut StmtBlock) {
        let circuit = self.circuit;
        let fix = &circuit.fixes[id];
        for &(_, first) in &fix.vars {
            self.place(first, seen, out);
        }
        let mut outer = NeededValues::default();
        fix.next.iter().for_each(|&next| self.need(next, seen, &mut outer));
        outer.order.sort_unstable();
        for value in outer.order {
            if !self.varies(value, id) {
                self.place(value, seen, out);
            }
        }
        let mut inner = seen.clone();
        let mut round = StmtBlock::default();
        for &next in &fix.next {
            self.place(next, &mut inner, &mut round);
        }
        out.stmts.push(Stmt::Fix(id, round));
        for (value, node) in circuit.values.entries() {
            if matches!(node.op, Op::Fixed(of, _) if of == id) {
                seen.insert(value);
            }
        }
    }

    /// Returns true if a value depends on the variables of a fixpoint.
    fn varies(&self, value: ValueId, fix: FixId) -> bool {
        let vars = &self.circuit.fixes[fix].vars;
        self.params[value.index()].iter().any(|param| vars.iter().any(|(var, _)| var == param))
    }

    /// Adds a value and its transitive operands, except those in `seen`.
    fn need(&self, value: ValueId, seen: &ComputedValues, needed: &mut NeededValues) {
        cancel::step();
        if seen.contains(&value) || needed.seen.contains(&value) {
            return;
        }
        let op = &self.circuit.values[value].op;
        match op {
            Op::Bits(_) | Op::Int(_) | Op::Param(_) => return,
            Op::Fixed(id, _) => {
                let fix = &self.circuit.fixes[*id];
                fix.vars.iter().for_each(|&(_, first)| self.need(first, seen, needed));
                // Values that the rounds recompute have no use outside of the fixpoint.
                let mut all = NeededValues::default();
                fix.next.iter().for_each(|&next| self.need(next, seen, &mut all));
                for inner in all.order {
                    if !self.varies(inner, *id) && needed.seen.insert(inner) {
                        needed.order.push(inner);
                    }
                }
            }
            _ => op.each_operand(|operand| self.need(operand, seen, needed)),
        }
        if needed.seen.insert(value) {
            needed.order.push(value);
        }
    }

    fn need_block(&self, block: &StmtBlock, seen: &ComputedValues, needed: &mut NeededValues) {
        block.stmts.iter().for_each(|stmt| self.need_stmt(stmt, seen, needed));
    }

    fn need_stmt(&self, stmt: &Stmt, seen: &ComputedValues, needed: &mut NeededValues) {
        each_use(stmt, &mut |value| self.need(value, seen, needed));
        if let Stmt::If(_, then, otherwise) = stmt {
            self.need_block(then, seen, needed);
            self.need_block(otherwise, seen, needed);
        }
    }
}

/// Visits the values that a statement uses itself, not those of its blocks.
pub fn each_use(stmt: &Stmt, visit: &mut dyn FnMut(ValueId)) {
    match stmt {
        Stmt::Let(_) | Stmt::Fix(..) => {}
        Stmt::Over(over) => {
            visit(over.when);
            over.scores.iter().for_each(|&score| visit(score));
        }
        Stmt::If(value, ..) | Stmt::Require(value) | Stmt::Fault(value) => visit(*value),
        Stmt::Yield(yielded) => {
            yielded.slots.iter().for_each(|&(_, value)| visit(value));
            yielded.weight.iter().for_each(|&weight| visit(weight));
        }
    }
}

/// A set of needed values, with an order in which operands come first.
#[derive(Default)]
struct NeededValues {
    seen: ComputedValues,
    order: Vec<ValueId>,
}
