//! Items 11 to 20 of the checklist: controls, groups, statements and the availability of values.

use std::fmt;
use std::rc::Rc;

use super::{CircuitForm, InvalidCircuit, ensure, exists};
use crate::{
    Circuit, Control, ControlId, FixId, Fixpoint, GroupId, Op, SlotId, StateUpdate, Stmt, StmtBlock,
    TerminalTest, Ty, ValueId,
};
use bouton_base::bits::BitSet;

pub(super) fn check(circuit: &Circuit, form: CircuitForm) -> Result<(), InvalidCircuit> {
    let known = match form {
        CircuitForm::Lowered => {
            AvailableValues::Depending { on: Rc::new(dependencies(circuit)), allowed: None }
        }
        CircuitForm::Scheduled => AvailableValues::Computed {
            values: BitSet::empty(circuit.values.len() as u32),
            fixes: BitSet::empty(circuit.fixes.len() as u32),
        },
    };
    let mut checker = BlockChecker { circuit, form, known, chance: false };
    owners(circuit)?;
    circuit.controls.entries().try_for_each(|(id, control)| checker.control(id, control))
}

/// Checks that each group belongs to one control.
fn owners(circuit: &Circuit) -> Result<(), InvalidCircuit> {
    let mut owners = vec![None; circuit.groups.len()];
    for (id, control) in circuit.controls.entries() {
        let mut last = None;
        for &group in &control.groups {
            exists(group, circuit.groups.len(), id)?;
            ensure(last < Some(group), id, || format!("{group} is out of order"))?;
            last = Some(group);
            let owner = owners[group.0 as usize].replace(id);
            let told = || owner.map_or_else(String::new, |owner: ControlId| owner.to_string());
            ensure(owner.is_none(), id, || format!("{group} belongs to {}, too", told()))?;
        }
    }
    let without = owners.iter().zip(0..).find(|(owner, _)| owner.is_none());
    let at = without.map_or_else(String::new, |(_, group)| GroupId(group).to_string());
    ensure(without.is_none(), at, || "it belongs to no control".into())
}

/// The values that a statement may use.
#[derive(Clone)]
enum AvailableValues {
    /// After scheduling: the values and fixpoints computed so far.
    Computed { values: BitSet, fixes: BitSet },
    /// Before scheduling: values that depend on no parameter except `allowed`; `on` holds the parameters of each value.
    Depending { on: Rc<Vec<Vec<ValueId>>>, allowed: Option<ValueId> },
}

/// Returns the parameters that each value depends on. A result of a fixpoint does not depend on its variables.
fn dependencies(circuit: &Circuit) -> Vec<Vec<ValueId>> {
    let mut on: Vec<Vec<ValueId>> = Vec::new();
    for (id, node) in circuit.values.entries() {
        let mut own = Vec::new();
        match node.op {
            Op::Param(_) => own.push(id),
            Op::Fixed(fix, _) => {
                let Fixpoint { vars, next } = &circuit.fixes[fix];
                for value in next.iter().copied().chain(vars.iter().map(|&(_, first)| first)) {
                    own.extend_from_slice(&on[value.0 as usize]);
                }
                own.retain(|param| vars.iter().all(|(var, _)| var != param));
            }
            _ => node.op.each_operand(|operand| own.extend_from_slice(&on[operand.0 as usize])),
        }
        own.sort_unstable();
        own.dedup();
        on.push(own);
    }
    on
}

/// The location of a block.
#[derive(Clone, Copy)]
enum BlockPlace {
    Before(ControlId),
    Stuck(ControlId),
    Lets(GroupId),
    Setup(GroupId),
    Body(GroupId),
    /// The rounds of a fixpoint, in any block.
    Rounds(FixId),
}

impl fmt::Display for BlockPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockPlace::Before(control) => write!(f, "{control} before"),
            BlockPlace::Stuck(control) => write!(f, "{control} stuck"),
            BlockPlace::Lets(group) => write!(f, "{group} lets"),
            BlockPlace::Setup(group) => write!(f, "{group} setup"),
            BlockPlace::Body(group) => write!(f, "{group} body"),
            BlockPlace::Rounds(fix) => write!(f, "{fix} rounds"),
        }
    }
}

struct BlockChecker<'a> {
    circuit: &'a Circuit,
    form: CircuitForm,
    known: AvailableValues,
    /// True if chance acts in the current control.
    chance: bool,
}

impl BlockChecker<'_> {
    fn control(&mut self, id: ControlId, control: &Control) -> Result<(), InvalidCircuit> {
        let outside = self.known.clone();
        self.chance = control.chance;
        self.block(&control.before, BlockPlace::Before(id))?;
        let after = self.known.clone();
        self.block(&control.stuck, BlockPlace::Stuck(id))?;
        for &group in &control.groups {
            self.known = after.clone();
            self.group(group)?;
        }
        self.known = outside;
        Ok(())
    }

    fn group(&mut self, id: GroupId) -> Result<(), InvalidCircuit> {
        let group = &self.circuit.groups[id];
        self.block(&group.lets, BlockPlace::Lets(id))?;
        self.uses(group.set, id)?;
        let (set, bit) = (self.circuit.values[group.set].ty, self.circuit.values[group.bit].ty);
        ensure(set == bit, id, || format!("the set has {set}, but the bit has {bit}"))?;
        self.block(&group.setup, BlockPlace::Setup(id))?;
        match &mut self.known {
            AvailableValues::Computed { values, .. } => values.insert(group.bit.0),
            AvailableValues::Depending { allowed, .. } => *allowed = Some(group.bit),
        }
        self.block(&group.body, BlockPlace::Body(id))?;
        ensure(self.ends(&group.body), BlockPlace::Body(id), || "a way through it has no Yield".into())
    }

    /// Returns true if each path through a block ends in it.
    fn ends(&self, block: &StmtBlock) -> bool {
        block.stmts.iter().any(|stmt| match stmt {
            Stmt::Yield(_) => true,
            Stmt::If(_, yes, no) => self.ends(yes) && self.ends(no),
            Stmt::Require(value) => {
                matches!(&self.circuit.values[*value].op, Op::Bits(bits) if bits.is_empty())
            }
            Stmt::Fault(value) => {
                matches!(&self.circuit.values[*value].op, Op::Bits(bits) if !bits.is_empty())
            }
            Stmt::Let(_) | Stmt::Fix(..) | Stmt::Over(_) => false,
        })
    }

    fn block(&mut self, block: &StmtBlock, place: BlockPlace) -> Result<(), InvalidCircuit> {
        for (i, stmt) in block.stmts.iter().enumerate() {
            let (name, allowed) = match (stmt, place) {
                (Stmt::Let(_), _) => ("Let", true),
                (Stmt::Fix(..), _) => ("Fix", true),
                (Stmt::Over(_), _) => ("Over", matches!(place, BlockPlace::Before(_) | BlockPlace::Stuck(_))),
                (Stmt::Require(_), _) => ("Require", matches!(place, BlockPlace::Body(_))),
                (Stmt::Yield(_), _) => ("Yield", matches!(place, BlockPlace::Body(_) | BlockPlace::Stuck(_))),
                (Stmt::If(..), _) => (
                    "If",
                    !matches!(place, BlockPlace::Lets(_) | BlockPlace::Setup(_) | BlockPlace::Rounds(_)),
                ),
                (Stmt::Fault(_), _) => (
                    "Fault",
                    !matches!(place, BlockPlace::Lets(_) | BlockPlace::Setup(_) | BlockPlace::Rounds(_)),
                ),
            };
            ensure(allowed, place, || format!("no place for {name}"))?;
            self.stmt(stmt, place)?;
            let last = i + 1 == block.stmts.len();
            ensure(last || !matches!(stmt, Stmt::Yield(_)), place, || "something follows a Yield".into())?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, place: BlockPlace) -> Result<(), InvalidCircuit> {
        match stmt {
            Stmt::Let(value) => self.compute(*value, place),
            Stmt::Fix(fix, rounds) => self.fix(*fix, rounds, place),
            Stmt::Over(TerminalTest { when, scores, .. }) => {
                self.condition(*when, place)?;
                scores.iter().try_for_each(|&score| self.typed(score, Ty::Int, place))
            }
            Stmt::If(when, yes, no) => {
                self.condition(*when, place)?;
                for block in [yes, no] {
                    let outside = self.known.clone();
                    self.block(block, place)?;
                    self.known = outside;
                }
                Ok(())
            }
            Stmt::Require(value) | Stmt::Fault(value) => self.condition(*value, place),
            Stmt::Yield(after) => self.after(after, place),
        }
    }

    fn after(&self, after: &StateUpdate, place: BlockPlace) -> Result<(), InvalidCircuit> {
        let slots = &self.circuit.layout.slots;
        let mut changed: Vec<SlotId> = Vec::new();
        for &(slot, value) in &after.slots {
            exists(slot, slots.len(), place)?;
            ensure(!changed.contains(&slot), place, || format!("{slot} is changed twice"))?;
            changed.push(slot);
            self.typed(value, Ty::Bits(slots[slot].width()), place)?;
        }
        exists(after.to, self.circuit.controls.len(), place)?;
        match (self.chance, place, after.weight) {
            (true, BlockPlace::Stuck(_), _) => ensure(false, place, || "chance does not pass".into()),
            (true, _, None) => ensure(false, place, || "a move of chance has a weight".into()),
            (true, _, Some(weight)) => self.typed(weight, Ty::Int, place),
            (false, _, weight) => ensure(weight.is_none(), place, || "only chance has weights".into()),
        }
    }

    fn condition(&self, value: ValueId, place: BlockPlace) -> Result<(), InvalidCircuit> {
        self.typed(value, Ty::TRUTH, place)
    }

    fn typed(&self, value: ValueId, wanted: Ty, place: BlockPlace) -> Result<(), InvalidCircuit> {
        self.uses(value, place)?;
        let given = self.circuit.values[value].ty;
        ensure(given == wanted, place, || format!("{value} should have {wanted}, but has {given}"))
    }

    /// Checks that a value exists and is available.
    fn uses(&self, value: ValueId, at: impl fmt::Display) -> Result<(), InvalidCircuit> {
        exists(value, self.circuit.values.len(), &at)?;
        match &self.known {
            AvailableValues::Computed { .. } => {
                ensure(self.computed(value), at, || format!("{value} is not known here"))
            }
            AvailableValues::Depending { on, allowed } => {
                let mut on = on[value.0 as usize].iter().copied();
                let foreign = on.find(|&param| Some(param) != *allowed);
                ensure(foreign.is_none(), at, || {
                    let param = foreign.unwrap_or(value);
                    format!("{value} depends on {param}, which is not known here")
                })
            }
        }
    }

    fn computed(&self, value: ValueId) -> bool {
        let AvailableValues::Computed { values, fixes } = &self.known else { return true };
        match self.circuit.values[value].op {
            Op::Bits(_) | Op::Int(_) => true,
            Op::Fixed(fix, _) => fixes.contains(fix.0),
            _ => values.contains(value.0),
        }
    }

    fn compute(&mut self, value: ValueId, place: BlockPlace) -> Result<(), InvalidCircuit> {
        ensure(self.form == CircuitForm::Scheduled, place, || "a Let where nothing is scheduled".into())?;
        exists(value, self.circuit.values.len(), place)?;
        let op = &self.circuit.values[value].op;
        let given = matches!(op, Op::Bits(_) | Op::Int(_) | Op::Param(_) | Op::Fixed(..));
        ensure(!given, place, || format!("{value} is not to be computed"))?;
        ensure(!self.computed(value), place, || format!("{value} is known already"))?;
        let mut operands = Vec::new();
        op.each_operand(|operand| operands.push(operand));
        for operand in operands {
            ensure(self.computed(operand), place, || {
                format!("{value} needs {operand}, which is not known here")
            })?;
        }
        if let AvailableValues::Computed { values, .. } = &mut self.known {
            values.insert(value.0);
        }
        Ok(())
    }

    fn fix(&mut self, id: FixId, rounds: &StmtBlock, place: BlockPlace) -> Result<(), InvalidCircuit> {
        ensure(self.form == CircuitForm::Scheduled, place, || "a Fix where nothing is scheduled".into())?;
        exists(id, self.circuit.fixes.len(), place)?;
        let fix = &self.circuit.fixes[id];
        for &(_, first) in &fix.vars {
            self.uses(first, place)?;
        }
        let outside = self.known.clone();
        if let AvailableValues::Computed { values, fixes } = &mut self.known {
            ensure(!fixes.contains(id.0), place, || format!("{id} is known already"))?;
            fix.vars.iter().for_each(|&(var, _)| values.insert(var.0));
        }
        self.block(rounds, BlockPlace::Rounds(id))?;
        for &next in &fix.next {
            self.uses(next, BlockPlace::Rounds(id))?;
        }
        self.known = outside;
        if let AvailableValues::Computed { fixes, .. } = &mut self.known {
            fixes.insert(id.0);
        }
        Ok(())
    }
}
