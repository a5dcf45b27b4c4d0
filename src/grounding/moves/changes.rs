//! Simultaneous changes: their combined effect on cells, and the conditions under which they contradict each other.

use rustc_hash::FxHashMap;

use super::MoveProgress;
use crate::GroundingError;
use crate::eval::{Grounder, Result};
use crate::formula::{FALSE, Formula, TRUE};
use crate::term::{SetTerm, SymbolicTerm, merge_cases};
use bouton_reference::with_part;
use bouton_rules::{Arith, Effect, EffectOp, Type, Value};

/// A change of a cell by one statement.
pub(super) struct CellChange<'r> {
    /// The cells that it may change, each with the condition under which it does.
    pub cells: Vec<(usize, Formula)>,
    pub effect: &'r Effect,
    pub value: SymbolicTerm,
}

impl<'r> Grounder<'r> {
    /// Combines simultaneous changes into the new term of each cell.
    pub(super) fn apply(
        &mut self,
        changes: Vec<CellChange<'r>>,
        progress: &mut MoveProgress,
    ) -> Result<Vec<(usize, SymbolicTerm)>> {
        let mut by_cell: FxHashMap<usize, Vec<(usize, Formula)>> = FxHashMap::default();
        let mut order = Vec::new();
        for (number, change) in changes.iter().enumerate() {
            for &(cell, when) in &change.cells {
                let list = by_cell.entry(cell).or_default();
                if list.is_empty() {
                    order.push(cell);
                }
                list.push((number, when));
            }
        }
        order.sort_unstable();
        let mut made = Vec::new();
        for cell in order {
            let list = by_cell.remove(&cell).unwrap_or_default();
            let touched = self.formulas.or(list.iter().map(|(_, when)| *when));
            let there = progress.assigned.entry(cell).or_insert(FALSE);
            *there = self.formulas.or([*there, touched]);
            let list: Vec<(&CellChange<'r>, Formula)> =
                list.into_iter().map(|(number, when)| (&changes[number], when)).collect();
            made.push((cell, self.combine(cell, &list, progress)?));
        }
        Ok(made)
    }

    fn combine(
        &mut self,
        cell: usize,
        changes: &[(&CellChange<'r>, Formula)],
        progress: &mut MoveProgress,
    ) -> Result<SymbolicTerm> {
        let old = self.read(cell);
        let field = &self.rules.fields[changes[0].0.effect.field];
        let at = &changes[0].0.effect.value;
        let (parts, changes): (Vec<_>, Vec<_>) =
            changes.iter().copied().partition(|(change, _)| !change.effect.path.is_empty());
        let changes = &changes[..];
        let mut set = Vec::new();
        for (change, when) in changes.iter().filter(|(change, _)| change.effect.op == EffectOp::Set) {
            set.push(change.value.clone().when(&mut self.formulas, *when));
        }
        if matches!(field.ty.base(), Type::Set(_)) {
            return self.combine_sets(old, set, changes, progress);
        }
        let mut cases: Vec<(Value, Formula)> = Vec::new();
        for term in set {
            cases.extend(self.cases(term, at)?);
        }
        let cases = merge_cases(&mut self.formulas, cases);
        let clash = self.clash(&cases);
        self.mistake(clash, progress);
        let whole = cases.clone();
        let assigned = self.formulas.or(cases.iter().map(|(_, when)| *when));
        let stays = self.formulas.not(assigned);
        let kept = old.when(&mut self.formulas, stays);
        let kept = self.cases(kept, at)?;
        let mut now = merge_cases(&mut self.formulas, kept.into_iter().chain(cases));
        for (change, when) in changes {
            let op = match change.effect.op {
                EffectOp::Add => Arith::Add,
                EffectOp::Subtract => Arith::Sub,
                EffectOp::Set => continue,
                EffectOp::Insert | EffectOp::Remove => {
                    let reason = "grounding does not support this change of an optional set";
                    return Err(GroundingError::new(reason, Some(at.span)));
                }
            };
            let operand = self.cases(change.value.clone(), at)?;
            let mut next = Vec::new();
            for (value, here) in now {
                next.push((value.clone(), self.formulas.and_not(here, *when)));
                for (by, there) in &operand {
                    let both = self.formulas.and([here, *when, *there]);
                    if both == FALSE {
                        continue;
                    }
                    match self.arith(op, &value, by, at) {
                        Some(sum) => next.push((sum, both)),
                        None => self.mistake(both, progress),
                    }
                }
            }
            now = merge_cases(&mut self.formulas, next);
        }
        let now = self.set_parts(now, &whole, &parts, progress)?;
        let (fit, off): (Vec<_>, Vec<_>) =
            now.into_iter().partition(|(value, _)| self.rules.has_value(&field.ty, value));
        let off = self.formulas.or(off.iter().map(|(_, when)| *when));
        self.mistake(off, progress);
        Ok(SymbolicTerm::Cases(fit))
    }

    /// Records a fault of the stage under this condition.
    fn mistake(&mut self, when: Formula, progress: &mut MoveProgress) {
        progress.mistake = self.formulas.or([progress.mistake, when]);
    }

    /// Sets parts of a record side by side. `whole`: the values assigned to the record as a whole, which must agree
    /// with the value of each part.
    fn set_parts(
        &mut self,
        mut now: Vec<(Value, Formula)>,
        whole: &[(Value, Formula)],
        parts: &[(&CellChange<'r>, Formula)],
        progress: &mut MoveProgress,
    ) -> Result<Vec<(Value, Formula)>> {
        for (place, (change, when)) in parts.iter().enumerate() {
            let CellChange { effect, value, .. } = change;
            let overlaps = |(other, _): &(&CellChange<'r>, Formula)| {
                let (one, other) = (&effect.path, &other.effect.path);
                one.starts_with(other) || other.starts_with(one)
            };
            if effect.op != EffectOp::Set || parts[..place].iter().any(overlaps) {
                let reason = "grounding does not support this change of a part of a record";
                return Err(GroundingError::new(reason, Some(effect.value.span)));
            }
            let operand = self.cases(value.clone(), &effect.value)?;
            for (record, here) in whole {
                for (part, there) in &operand {
                    if with_part(record, &effect.path, part.clone()).as_ref() != Some(record) {
                        let clash = self.formulas.and([*here, *when, *there]);
                        self.mistake(clash, progress);
                    }
                }
            }
            let mut next = Vec::new();
            for (value, here) in now {
                next.push((value.clone(), self.formulas.and_not(here, *when)));
                for (part, there) in &operand {
                    let both = self.formulas.and([here, *when, *there]);
                    match with_part(&value, &effect.path, part.clone()) {
                        Some(value) => next.push((value, both)),
                        None => self.mistake(both, progress),
                    }
                }
            }
            now = merge_cases(&mut self.formulas, next);
        }
        Ok(now)
    }

    fn combine_sets(
        &mut self,
        old: SymbolicTerm,
        set: Vec<SymbolicTerm>,
        changes: &[(&CellChange<'r>, Formula)],
        progress: &mut MoveProgress,
    ) -> Result<SymbolicTerm> {
        let assigned: Vec<SetTerm> = set.into_iter().map(|term| term.into_set(&mut self.formulas)).collect();
        for (i, a) in assigned.iter().enumerate() {
            for b in &assigned[..i] {
                let equal = self.equal(SymbolicTerm::Set(a.clone()), SymbolicTerm::Set(b.clone()));
                let both = self.formulas.and([a.defined, b.defined]);
                let clash = self.formulas.and_not(both, equal);
                self.mistake(clash, progress);
            }
        }
        let any = self.formulas.or(assigned.iter().map(|set| set.defined));
        let stays = self.formulas.not(any);
        let kept = old.when(&mut self.formulas, stays).into_set(&mut self.formulas).members;
        let members = kept.into_iter().chain(assigned.into_iter().flat_map(|set| set.members));
        let mut members = merge_cases(&mut self.formulas, members);
        let (mut put_in, mut taken_out) = (Vec::new(), Vec::new());
        for (change, when) in changes {
            let list = match change.effect.op {
                EffectOp::Insert => &mut put_in,
                EffectOp::Remove => &mut taken_out,
                _ => continue,
            };
            let operand = change.value.clone().when(&mut self.formulas, *when);
            list.extend(operand.into_set(&mut self.formulas).members);
        }
        let put_in = SetTerm { defined: TRUE, members: merge_cases(&mut self.formulas, put_in) };
        let taken_out = SetTerm { defined: TRUE, members: merge_cases(&mut self.formulas, taken_out) };
        for (element, when) in &put_in.members {
            let clash = self.formulas.and([*when, taken_out.has(element)]);
            self.mistake(clash, progress);
        }
        members = merge_cases(&mut self.formulas, members.into_iter().chain(put_in.members));
        let members: Vec<(Value, Formula)> = members
            .into_iter()
            .map(|(element, when)| {
                let stays = self.formulas.and_not(when, taken_out.has(&element));
                (element, stays)
            })
            .collect();
        let now = SetTerm { defined: TRUE, members: merge_cases(&mut self.formulas, members) };
        let off = self.outside(&now, changes[0].0)?;
        self.mistake(off, progress);
        Ok(SymbolicTerm::Set(now))
    }

    /// Returns the condition under which a set is no value of the changed field: it has an element outside the element
    /// type, or the type does not list it.
    fn outside(&mut self, set: &SetTerm, change: &CellChange<'r>) -> Result<Formula> {
        let ty = &self.rules.fields[change.effect.field].ty;
        let Type::Subset(among) = ty else {
            let foreign = set
                .members
                .iter()
                .filter(|(element, _)| !self.rules.has_value(ty, &Value::set([element.clone()])));
            return Ok(self.formulas.or(foreign.map(|(_, when)| *when)));
        };
        if among.values.len() > MAX_LISTED_SETS {
            let reason = "grounding does not support sets of a type with so many sets";
            return Err(GroundingError::new(reason, Some(change.effect.value.span)));
        }
        let mut listed = Vec::new();
        for value in &among.values {
            let constant = SymbolicTerm::constant(value.clone());
            listed.push(self.equal(SymbolicTerm::Set(set.clone()), constant));
        }
        let listed = self.formulas.or(listed);
        Ok(self.formulas.not(listed))
    }
}

/// The maximal number of listed sets of a type that are compared one by one.
const MAX_LISTED_SETS: usize = 256;
