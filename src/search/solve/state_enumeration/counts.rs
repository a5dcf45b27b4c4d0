//! Cardinality constraints from invariants: bounds on the number of elements of a domain that satisfy a condition on
//! one cell each.

use super::{CellDomains, EnumerationError, with};
use crate::game::{CompiledMachine, Machine};
use bouton_base::limits::Limits;
use bouton_rules::{Domain, Expr, ExprKind, FieldId, Fold, Pattern, Quant, Type, Value, VarId, keys_of};

/// A bound on the number of elements of a domain that satisfy a condition on one cell each.
struct CountConstraint<'r> {
    var: VarId,
    domain: &'r [Value],
    /// The conjunction of conditions on an element.
    conditions: Vec<&'r Expr>,
    low: u32,
    high: u32,
}

/// Collects the cardinality constraints of a formula.
fn bounds<'r>(formula: &'r Expr, found: &mut Vec<CountConstraint<'r>>) {
    let number = |expr: &Expr| expr.constant().and_then(Value::as_int);
    let mut set = |expr: &'r Expr, low: i64, high: i64| {
        let Some((var, domain, conditions)) = counted(expr) else { return };
        let limit = |n: i64| u32::try_from(n.max(0)).unwrap_or(u32::MAX);
        if high >= 0 {
            found.push(CountConstraint { var, domain, conditions, low: limit(low), high: limit(high) });
        }
    };
    const ALL: i64 = i64::MAX;
    match &*formula.kind {
        ExprKind::And(parts) => parts.iter().for_each(|part| bounds(part, found)),
        ExprKind::Equal(a, b) => match (number(a), number(b)) {
            (_, Some(n)) => set(a, n, n),
            (Some(n), _) => set(b, n, n),
            _ => {}
        },
        ExprKind::LessEqual(a, b) => match (number(a), number(b)) {
            (_, Some(n)) => set(a, 0, n),
            (Some(n), _) => set(b, n, ALL),
            _ => {}
        },
        ExprKind::Less(a, b) => match (number(a), number(b)) {
            (_, Some(n)) => set(a, 0, n.saturating_sub(1)),
            (Some(n), _) => set(b, n.saturating_add(1), ALL),
            _ => {}
        },
        // For a set with gaps, only its range is used; the invariant itself tests the gaps.
        ExprKind::In(a, of) => match &*of.kind {
            ExprKind::Range(low, high) => {
                if let (Some(low), Some(high)) = (number(low), number(high)) {
                    set(a, low, high);
                }
            }
            _ => {
                let elements = of.constant().and_then(Value::as_set).unwrap_or_default();
                let ends = (elements.first(), elements.last());
                if let (Some(Value::Int(low)), Some(Value::Int(high))) = ends {
                    set(a, *low, *high);
                }
            }
        },
        ExprKind::Quant(Quant::No, ..) => set(formula, 0, 0),
        ExprKind::Quant(Quant::Some, ..) => set(formula, 1, ALL),
        _ => {}
    }
}

/// Returns the variable, its domain and the conditions, if an expression counts the elements that satisfy them.
fn counted(expr: &Expr) -> Option<(VarId, &[Value], Vec<&Expr>)> {
    let (binders, body) = match &*expr.kind {
        ExprKind::Fold(Fold::Count, binders, body) | ExprKind::Quant(_, binders, body) => {
            (binders, Some(body))
        }
        ExprKind::Card(set) => match &*set.kind {
            // The variable itself is collected, so each element counts once.
            ExprKind::Collect(binders, of) => match (&*of.kind, binders.as_slice()) {
                (ExprKind::Var(var), [one]) if matches!(one.pattern, Pattern::Var(bound) if bound == *var) => {
                    (binders, None)
                }
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let [binder] = binders.as_slice() else { return None };
    let (Pattern::Var(var), Domain::Fixed(domain)) = (&binder.pattern, &binder.domain) else { return None };
    Some((*var, domain, binder.condition.iter().chain(body).collect()))
}

/// Returns the field if the conditions read no state but its cell at the variable.
fn field_of(conditions: &[&Expr], var: VarId) -> Option<FieldId> {
    fn reads(expr: &Expr, var: VarId, field: &mut Option<FieldId>) -> bool {
        let own = match &*expr.kind {
            ExprKind::Field(read, keys) => {
                let key = |key: &Expr| matches!(*key.kind, ExprKind::Var(v) if v == var);
                let same = field.is_none_or(|field| field == *read) && keys.len() == 1 && key(&keys[0]);
                *field = Some(*read);
                same
            }
            ExprKind::Call(..) | ExprKind::Stuck | ExprKind::StuckPlayer(_) | ExprKind::Flood(..) => false,
            ExprKind::Me => false,
            _ => true,
        };
        let mut all = own;
        expr.each_part(&mut |part| all = all && reads(part, var, field));
        all
    }
    let mut field = None;
    conditions.iter().all(|condition| reads(condition, var, &mut field)).then_some(field)?
}

/// By count: its bounds, and the contribution of each value of each cell.
pub(super) type CountContributions = Vec<CountContribution>;
pub(super) type CountContribution = ((u32, u32), Vec<Vec<u32>>);

/// Returns the counts that the invariants bound.
pub(super) fn counts(
    machine: &CompiledMachine,
    places: &CellDomains,
    limits: &Limits,
) -> Result<CountContributions, EnumerationError> {
    let rules = machine.rules();
    let machine = machine.with_limits(limits);
    let mut all = CountContributions::new();
    for invariant in &rules.invariants {
        let mut found = Vec::new();
        bounds(&invariant.value, &mut found);
        for constraint in found {
            let Some(field) = field_of(&constraint.conditions, constraint.var) else { continue };
            let mut adds = Vec::new();
            for (of, cell, values) in places {
                let keys = keys_of(&rules.fields[*of].keys, *cell);
                let element = (*of == field).then(|| keys[0].clone());
                let element = element.filter(|key| constraint.domain.contains(key));
                let add = |value: &Value| match &element {
                    None => Ok(0),
                    Some(key) => holds(&machine, field, key, value, &constraint),
                };
                adds.push(values.iter().map(add).collect::<Result<Vec<u32>, EnumerationError>>()?);
            }
            all.push(((constraint.low, constraint.high), adds));
        }
    }
    Ok(all)
}

/// Returns 1 if the conditions of a constraint hold for this key when its cell holds this value, otherwise 0.
fn holds(
    machine: &CompiledMachine,
    field: FieldId,
    key: &Value,
    value: &Value,
    constraint: &CountConstraint<'_>,
) -> Result<u32, EnumerationError> {
    let of = &machine.rules().fields[field];
    // A value that the cell cannot hold contributes nothing.
    let Some(state) = with(machine, field, std::slice::from_ref(key), value) else { return Ok(0) };
    let key = Expr::new(ExprKind::Const(key.clone()), of.keys[0].ty.clone(), of.span);
    for condition in &constraint.conditions {
        let bound = ExprKind::Let(Pattern::Var(constraint.var), key.clone(), (*condition).clone());
        let bound = Expr::new(bound, Type::Bool, of.span);
        match machine.eval(&state, &bound) {
            Ok(Some(Value::Bool(true))) => {}
            Ok(_) => return Ok(0),
            Err(hit) => return Err(EnumerationError::Limit(hit)),
        }
    }
    Ok(1)
}

/// Derives the bound of a count on values outside of other counts, which are parts of it and each have a lower bound:
/// of three pieces, with three that must be present, none is left for a fourth.
pub(super) fn derive_remainder(
    whole: &CountContribution,
    counts: &CountContributions,
) -> Option<CountContribution> {
    let ((_, high), adds) = whole;
    let (mut high, mut adds) = (*high, adds.clone());
    let mut parts = 0;
    for ((low, _), part) in counts.iter().filter(|part| part.0.0 > 0 && !std::ptr::eq(*part, whole)) {
        let all = || adds.iter().flatten().zip(part.iter().flatten());
        if all().all(|(left, add)| add <= left) && *low <= high {
            let less = |(cell, part): (&mut Vec<u32>, &Vec<u32>)| {
                cell.iter_mut().zip(part).for_each(|(left, add)| *left -= add);
            };
            adds.iter_mut().zip(part).for_each(less);
            high -= low;
            parts += 1;
        }
    }
    (parts > 0).then_some(((0, high), adds))
}
