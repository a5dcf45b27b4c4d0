//! Simultaneous effects: the new value of each cell (LANGUAGE.md section 6).
//!
//! All `:=` on a cell must agree; they may set parts of a record side by side. Then `+=` and `-=` add to the assigned
//! value, or to the old one. On a set, no element may be both inserted and removed.

use super::Interpreter;
use super::compact::Compact;
use super::eval::fits;
use super::number::arith;
use super::state::State;
use bouton_base::source::Span;
use bouton_rules::{Arith, ConflictKind, EffectOp, Fault, FaultKind, SetOp, Tuple, Value};

/// A change of a cell, with target and operand evaluated.
pub struct CellChange<'r> {
    /// The index among all cells.
    pub cell: usize,
    /// The path to a part of the record in the cell.
    pub path: &'r [u32],
    pub op: EffectOp,
    /// The operand.
    pub value: Compact,
    /// The span of the clause.
    pub span: Span,
    /// The index of its move among simultaneous moves.
    pub move_index: usize,
}

impl Interpreter {
    /// Applies simultaneous changes. Each cell depends only on its own old value, since the operands are values. If
    /// several cells are at fault, reports the first.
    pub(super) fn apply(&self, state: &mut State, mut changes: Vec<CellChange>) -> Result<(), Fault> {
        changes.sort_by_key(|change| change.cell);
        for changes in changes.chunk_by(|a, b| a.cell == b.cell) {
            let index = changes[0].cell;
            let layout = &self.prepared.layout;
            let (id, cell) = layout.field(index);
            let value = match changes {
                [only] if only.op == EffectOp::Set && only.path.is_empty() => only.value.clone(),
                _ => self.combine(layout.read(state, id, cell), changes)?,
            };
            let ty = &self.rules.fields[id].ty;
            if !fits(&self.rules, ty, &value) {
                let (cell, range) = (self.cell_name(index), self.rules.show_type(ty));
                let (value, span) = (value.to_value(), changes[changes.len() - 1].span);
                return Err(Fault { kind: FaultKind::OutOfRange { cell, value, range }, span, play: None });
            }
            layout.write(state, id, cell, &value);
        }
        Ok(())
    }

    /// The new value of one cell under its changes.
    fn combine(&self, old: Compact, changes: &[CellChange]) -> Result<Compact, Fault> {
        let mut value = self.assign(old, changes)?;
        for change in changes {
            let op = match change.op {
                EffectOp::Add => Arith::Add,
                EffectOp::Subtract => Arith::Sub,
                EffectOp::Set | EffectOp::Insert | EffectOp::Remove => continue,
            };
            let sum = part(&value, change.path).and_then(|old| arith(op, false, &old, &change.value));
            value = self.replace(value, change, sum)?;
        }
        self.insert_and_remove(value, changes)
    }

    /// Applies `:=`, the whole before its parts.
    fn assign(&self, old: Compact, changes: &[CellChange]) -> Result<Compact, Fault> {
        let mut sets: Vec<&CellChange> = changes.iter().filter(|change| change.op == EffectOp::Set).collect();
        sets.sort_by_key(|change| change.path.len());
        let mut value = old;
        for (i, set) in sets.iter().enumerate() {
            for earlier in &sets[..i] {
                let rest = set.path.strip_prefix(earlier.path);
                let overlap = rest.map(|rest| part(&earlier.value, rest));
                if overlap.is_some_and(|there| there.as_ref() != Some(&set.value)) {
                    let (first, second) = (earlier.value.to_value(), set.value.to_value());
                    let clash = ConflictKind::Cell { cell: self.cell_name(set.cell), first, second };
                    return Err(conflict(clash, earlier, set));
                }
            }
            value = self.replace(value, set, Some(set.value.clone()))?;
        }
        Ok(value)
    }

    /// Applies `|=` and `-=` on sets.
    fn insert_and_remove(&self, mut value: Compact, changes: &[CellChange]) -> Result<Compact, Fault> {
        let with = |op: EffectOp| changes.iter().filter(move |change| change.op == op);
        for put in with(EffectOp::Insert) {
            for taken in with(EffectOp::Remove).filter(|taken| taken.path == put.path) {
                let both = put.value.set_op(SetOp::Intersect, &taken.value);
                if let Some(both) = both.filter(|both| both.len() != Some(0)) {
                    let elements = both.to_value();
                    let clash = ConflictKind::Elements { cell: self.cell_name(put.cell), elements };
                    return Err(conflict(clash, put, taken));
                }
            }
        }
        for (op, set_op) in [(EffectOp::Insert, SetOp::Union), (EffectOp::Remove, SetOp::Minus)] {
            for change in with(op) {
                let set = part(&value, change.path).and_then(|old| match change.value.is_set() {
                    true => old.set_op(set_op, &change.value),
                    false => Some(old).filter(Compact::is_set),
                });
                value = self.replace(value, change, set)?;
            }
        }
        Ok(value)
    }

    /// The value with the part at the path of the change replaced; a fault if there is no such part or no new value.
    fn replace(&self, value: Compact, change: &CellChange, part: Option<Compact>) -> Result<Compact, Fault> {
        let replaced = part.and_then(|part| match change.path {
            [] => Some(part),
            path => with_part(&value.to_value(), path, part.to_value()).map(Compact::from),
        });
        replaced.ok_or_else(|| Fault {
            kind: FaultKind::Undefined {
                what: format!("the new value of `{}`", self.cell_name(change.cell)),
            },
            span: change.span,
            play: None,
        })
    }

    /// The name of a cell in the syntax of the language: `at[a1]`.
    pub(super) fn cell_name(&self, index: usize) -> String {
        let (field, mut cell) = self.prepared.layout.field(index);
        let field = &self.rules.fields[field];
        let mut keys = Vec::new();
        for key in field.keys.iter().rev() {
            keys.push(self.rules.show(&key.values[cell % key.values.len()]));
            cell /= key.values.len();
        }
        keys.reverse();
        if keys.is_empty() { field.name.clone() } else { format!("{}[{}]", field.name, keys.join(", ")) }
    }
}

fn conflict(clash: ConflictKind, a: &CellChange, b: &CellChange) -> Fault {
    let kind = FaultKind::Conflict { clash, other: a.span, joint: a.move_index != b.move_index };
    Fault { kind, span: b.span, play: None }
}

fn part(value: &Compact, path: &[u32]) -> Option<Compact> {
    let Some((&n, rest)) = path.split_first() else { return Some(value.clone()) };
    match value {
        Compact::Tuple(tuple) => part(&tuple.parts.get(n as usize)?.into(), rest),
        _ => None,
    }
}

/// The value with one part replaced; `None` if there is no such part.
pub fn with_part(value: &Value, path: &[u32], new: Value) -> Option<Value> {
    let Some((&n, rest)) = path.split_first() else { return Some(new) };
    let Value::Tuple(tuple) = value else { return None };
    let mut parts = tuple.parts.clone();
    let slot = parts.get_mut(n as usize)?;
    *slot = with_part(slot, rest, new)?;
    Some(Value::Tuple(Tuple { record: tuple.record, parts }.into()))
}
