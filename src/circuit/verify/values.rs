//! Items 4 to 10 of the checklist: values and fixpoints.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::{InvalidCircuit, ensure, exists};
use crate::{Circuit, FixId, Fixpoint, Op, Ty, ValueId, ValueNode};

pub(super) fn check(circuit: &Circuit) -> Result<(), InvalidCircuit> {
    let mut seen: HashMap<(&Op, Ty), ValueId, FxBuildHasher> = HashMap::default();
    for (id, node) in circuit.values.entries() {
        ensure(node.ty != Ty::Bits(0), id, || "a vector without a bit".into())?;
        let mut later = None;
        node.op.each_operand(|operand| later = later.or((operand >= id).then_some(operand)));
        ensure(later.is_none(), id, || {
            let operand = later.map(|operand| operand.to_string()).unwrap_or_default();
            format!("it needs {operand}, which comes later or not at all")
        })?;
        types(circuit, id, node)?;
        let twin = seen.insert((&node.op, node.ty), id);
        ensure(twin.is_none(), id, || {
            format!("the same as {}", twin.map(|twin| twin.to_string()).unwrap_or_default())
        })?;
    }
    let mut bound = HashMap::default();
    for (id, fix) in circuit.fixes.entries() {
        fixpoint(circuit, id, fix, &mut bound)?;
    }
    for (id, group) in circuit.groups.entries() {
        exists(group.bit, circuit.values.len(), id)?;
        bind(circuit, group.bit, id.to_string(), &mut bound)?;
    }
    Ok(())
}

/// The owner of each parameter: a group or a fixpoint.
type ParamOwners = HashMap<ValueId, String, FxBuildHasher>;

fn bind(
    circuit: &Circuit,
    param: ValueId,
    owner: String,
    bound: &mut ParamOwners,
) -> Result<(), InvalidCircuit> {
    ensure(matches!(circuit.values[param].op, Op::Param(_)), &owner, || format!("{param} is no parameter"))?;
    let other = bound.insert(param, owner.clone());
    ensure(other.is_none(), owner, || format!("{param} is a parameter of {}, too", other.unwrap_or_default()))
}

fn fixpoint(
    circuit: &Circuit,
    id: FixId,
    fix: &Fixpoint,
    bound: &mut ParamOwners,
) -> Result<(), InvalidCircuit> {
    let count = fix.vars.len();
    ensure(count > 0 && fix.next.len() == count, id, || {
        format!("{count} variables and {} next values", fix.next.len())
    })?;
    for (&(var, first), &next) in fix.vars.iter().zip(&fix.next) {
        for value in [var, first, next] {
            exists(value, circuit.values.len(), id)?;
        }
        bind(circuit, var, id.to_string(), bound)?;
        let ty = circuit.values[var].ty;
        for value in [first, next] {
            let other = circuit.values[value].ty;
            ensure(other == ty, id, || format!("{var} has {ty}, but {value} has {other}"))?;
        }
    }
    Ok(())
}

/// Checks that operands and result have the types that the operation requires.
fn types(circuit: &Circuit, id: ValueId, node: &ValueNode) -> Result<(), InvalidCircuit> {
    let ty = node.ty;
    let is = |value: ValueId, wanted: Ty| {
        let given = circuit.values[value].ty;
        ensure(given == wanted, id, || format!("{value} should have {wanted}, but has {given}"))
    };
    let vector = |value: ValueId| match circuit.values[value].ty {
        Ty::Bits(width) => Ok(width),
        Ty::Int => {
            Err(InvalidCircuit { at: id.to_string(), violation: format!("{value} should be a vector") })
        }
    };
    let gives = |wanted: Ty| ensure(ty == wanted, id, || format!("it should have {wanted}, but has {ty}"));
    let gives_vector = || ensure(ty != Ty::Int, id, || "it should be a vector".into());
    match node.op {
        Op::Bits(ref bits) => gives(Ty::Bits(bits.len())),
        Op::Int(_) => gives(Ty::Int),
        Op::Slot(slot) => {
            exists(slot, circuit.layout.slots.len(), id)?;
            gives(Ty::Bits(circuit.layout.slots[slot].width()))
        }
        Op::Param(_) => gives_vector(),
        Op::And(a, b) | Op::Or(a, b) | Op::Xor(a, b) | Op::AndNot(a, b) => {
            gives_vector()?;
            is(a, ty)?;
            is(b, ty)
        }
        Op::Not(a) | Op::Shift(a, _) | Op::Lowest(a) | Op::Highest(a) | Op::Below(a) | Op::Above(a) => {
            gives_vector()?;
            is(a, ty)
        }
        Op::Resize(a) => {
            vector(a)?;
            gives_vector()
        }
        Op::Spread(a) => {
            is(a, Ty::TRUTH)?;
            gives_vector()
        }
        Op::Any(a) => {
            vector(a)?;
            gives(Ty::TRUTH)
        }
        Op::Count(a) | Op::First(a) => {
            vector(a)?;
            gives(Ty::Int)
        }
        Op::OneHot(a) | Op::Pack(a) => {
            is(a, Ty::Int)?;
            gives_vector()
        }
        Op::Select(choice, a, b) => {
            is(choice, Ty::TRUTH)?;
            is(a, ty)?;
            is(b, ty)
        }
        Op::Unpack(a) => {
            let width = vector(a)?;
            ensure(width <= 63, id, || format!("{a} has {width} bits, more than 63"))?;
            gives(Ty::Int)
        }
        Op::Add(a, b)
        | Op::Sub(a, b)
        | Op::Mul(a, b)
        | Op::Div(a, b)
        | Op::Mod(a, b)
        | Op::Min(a, b)
        | Op::Max(a, b) => {
            is(a, Ty::Int)?;
            is(b, Ty::Int)?;
            gives(Ty::Int)
        }
        Op::Less(a, b) | Op::Equal(a, b) => {
            is(a, Ty::Int)?;
            is(b, Ty::Int)?;
            gives(Ty::TRUTH)
        }
        Op::Lookup(a, _) => {
            is(a, Ty::Int)?;
            gives(Ty::Int)
        }
        Op::Fixed(fix, i) => fixed(circuit, id, ty, fix, i),
    }
}

fn fixed(circuit: &Circuit, id: ValueId, ty: Ty, fix: FixId, i: u32) -> Result<(), InvalidCircuit> {
    exists(fix, circuit.fixes.len(), id)?;
    let Fixpoint { vars, next } = &circuit.fixes[fix];
    let var = vars.get(i as usize).map(|&(var, _)| var);
    ensure(var.is_some(), id, || format!("{fix} has no variable {i}"))?;
    let inner = vars.iter().flat_map(|&(var, first)| [var, first]).chain(next.iter().copied());
    let greatest = inner.max();
    ensure(greatest < Some(id), id, || format!("{fix} needs values that come later"))?;
    let wanted = var.map(|var| circuit.values[var].ty);
    ensure(wanted == Some(ty), id, || format!("it has not the type of the variable of {fix}"))
}
