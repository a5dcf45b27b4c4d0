//! Lowering of one effect: the cells that change, their new values, and the condition.

use super::BodyRun;
use crate::cx::{Cx, Number, Static, Term};
use crate::state::FieldLayout;
use crate::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::{SlotId, StmtBlock, ValueId};
use bouton_rules::{Effect, EffectOp, FieldId, MOVER, PHASE, Type, Value};

/// A change of a position.
#[derive(Clone, Debug)]
pub(super) struct FieldChange {
    pub field: FieldId,
    pub op: EffectOp,
    /// The part of the cell's value that changes; the whole value if `None`.
    pub part: Option<u32>,
    pub kind: ChangeKind,
    /// For a change in the lane of the move: the cell that it changes in each lane.
    pub cells: Option<Vec<Option<usize>>>,
    /// The new value, if it is known and the same for all cells.
    pub known: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) enum ChangeKind {
    /// In the target cells, each of these planes becomes the given one.
    Planes { target: ValueId, puts: Vec<(SlotId, ValueId)> },
    /// The number of a slot changes under a condition.
    Code { slot: SlotId, when: ValueId, value: ValueId, low: i64, high: i64 },
    /// These elements change; with `:=`, so do all places of the cell.
    Members { slot: SlotId, places: ValueId, elements: ValueId },
}

impl<'r> Lower<'r> {
    pub(super) fn effect(
        &mut self,
        effect: &'r Effect,
        cx: &Cx,
        active: ValueId,
        run: &mut BodyRun<'r>,
        span: Span,
    ) -> Result<()> {
        let field = effect.field;
        if field == MOVER || field == PHASE {
            return unsupported("setting the turn", span);
        }
        let keys: Result<Vec<Term>> = effect.keys.iter().map(|key| self.term(key, cx)).collect();
        let keys = keys?;
        if effect.path.is_empty()
            && effect.op == EffectOp::Set
            && let Some(bits) = self.chosen_cell(field, &keys)?
        {
            return self.choice_effect(effect, bits, cx, active, run);
        }
        let cells = self.cells(field, &keys, cx, span)?;
        let mut target = self.build.truth(false);
        for (cell, condition) in &cells {
            let there = self.known_truth(cx, |lane| cell[lane].is_some());
            let there = self.both(there, *condition);
            target = self.either(target, there);
        }
        let nowhere = self.unless(active, target);
        let nowhere = self.any_lane(cx, nowhere);
        self.fault(nowhere, &mut run.wrong);
        if matches!(self.state.fields[field], FieldLayout::Members(_)) {
            for (cell, there) in &cells {
                let here = self.both(active, *there);
                self.member_effect(effect, cx, here, cell, run)?;
            }
            return Ok(());
        }
        let value = self.term(&effect.value, cx)?;
        let defined = self.defined(&value, cx);
        let undefined = self.unless(active, defined);
        let undefined = self.any_lane(cx, undefined);
        self.fault(undefined, &mut run.wrong);
        let known = match &value {
            Term::Static(Static::One(value)) => value.clone(),
            _ => None,
        };
        let part = match effect.path[..] {
            [] => None,
            [part] => Some(part),
            _ => return unsupported("a part of a part", span),
        };
        let Some(ty) = self.changed_type(effect, part) else {
            return unsupported("a part of a value of a type that lists its values", span);
        };
        if let Some(ty) = ty.filter(|ty| !self.surely_fits(&effect.value, ty)) {
            let inside = self.within(&value, &ty, cx, span)?;
            self.outside(active, defined, inside, cx, &mut run.wrong);
        }
        match &self.state.fields[field] {
            FieldLayout::Constant(_) => Ok(()),
            FieldLayout::Planes(planes) => {
                if effect.op != EffectOp::Set {
                    return Err(LowerError::Varies);
                }
                let (places, width, product, option) =
                    (planes.places.clone(), planes.width, planes.product, planes.option);
                let parts: Vec<_> =
                    planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
                let present = if option { self.present(&value)? } else { value.clone() };
                let mut target = self.build.zero(width);
                let mut puts: Vec<(SlotId, ValueId)> = Vec::new();
                for (cell, condition) in &cells {
                    let point: Vec<Option<u32>> = cell.iter().map(|c| c.map(|c| places[c])).collect();
                    let here = self.both(active, *condition);
                    let here = self.in_lane(cx, here);
                    let at = self.scatter(cx, here, &point, width);
                    target = self.build.or(target, at);
                    for (i, (values, slots)) in parts.iter().enumerate() {
                        let of = match (part, product) {
                            (Some(part), _) if part as usize != i => continue,
                            (Some(_), _) | (None, None) => present.clone(),
                            (None, Some(_)) => self.part(&present, i as u32, cx, span)?,
                        };
                        for (value, slot) in values.iter().zip(slots) {
                            let Some(slot) = slot else { continue };
                            let wanted = Term::Static(Static::One(Some(value.clone())));
                            let equal = self.equal_terms(&of, &wanted, cx, span)?;
                            let here = self.both(here, equal);
                            let put = self.scatter(cx, here, &point, width);
                            match puts.iter_mut().find(|(s, _)| s == slot) {
                                Some((_, bits)) => *bits = self.build.or(*bits, put),
                                None => puts.push((*slot, put)),
                            }
                        }
                    }
                }
                let lanes = match &cells[..] {
                    [(cell, _)] if cx.lane.is_some() || cx.is_unit() => Some(cell.clone()),
                    _ => None,
                };
                if cx.lane.is_none() && !cx.is_unit() && known.is_none() {
                    // Several lanes that change one cell would have to agree.
                    let mut seen = std::collections::BTreeSet::new();
                    let alone =
                        |(cell, _): &(Vec<Option<usize>>, _)| cell.iter().flatten().all(|c| seen.insert(*c));
                    if cells.len() > 1 || !cells.iter().all(alone) {
                        return Err(LowerError::Varies);
                    }
                }
                run.changes.push(FieldChange {
                    field,
                    op: effect.op,
                    part,
                    kind: ChangeKind::Planes { target, puts },
                    cells: lanes,
                    known,
                });
                Ok(())
            }
            FieldLayout::Codes(codes) => {
                if part.is_some() {
                    return unsupported("a part of a number", span);
                }
                let slots = codes.slots.clone();
                for (cell, condition) in &cells {
                    let mut distinct: Vec<usize> = cell.iter().flatten().copied().collect();
                    distinct.sort_unstable();
                    distinct.dedup();
                    for of in distinct {
                        let here = self.known_truth(cx, |lane| cell[lane] == Some(of));
                        let here = self.both(here, *condition);
                        let here = self.both(here, active);
                        if cx.lane.is_none() && !cx.is_unit() {
                            // Lanes of a `for` that change the same number would have to be summed.
                            return Err(LowerError::Varies);
                        }
                        let when = self.any_lane(cx, here);
                        if self.build.maybe(when).is_empty() {
                            continue;
                        }
                        let (value, low, high) = self.code_of(field, effect.op, &value, cx, span)?;
                        run.changes.push(FieldChange {
                            field,
                            op: effect.op,
                            part,
                            kind: ChangeKind::Code { slot: slots[of], when, value, low, high },
                            cells: None,
                            known: known.clone(),
                        });
                    }
                }
                Ok(())
            }
            FieldLayout::Control | FieldLayout::Members(_) => unsupported("setting this field", span),
        }
    }

    /// Returns the type that the operand of an effect must have, if that must be checked here: a number that is added
    /// is checked with the sum. `None` if the type of a part does not determine the values that fit.
    fn changed_type(&self, effect: &'r Effect, part: Option<u32>) -> Option<Option<Type>> {
        let ty = &self.rules.fields[effect.field].ty;
        let adds = matches!(effect.op, EffectOp::Add | EffectOp::Subtract);
        match (&self.state.fields[effect.field], part) {
            (FieldLayout::Constant(_), None) if adds => Some(Some(Type::Int(0, 0))),
            (FieldLayout::Codes(codes), _) if codes.low.is_some() || adds => Some(None),
            (_, None) => Some(Some(ty.clone())),
            (_, Some(part)) => match (ty.is_listed(), ty.present()) {
                (false, Type::Record(record)) => {
                    Some(Some(self.rules.records[*record].parts.get(part as usize)?.1.clone()))
                }
                (false, Type::Tuple(parts)) => Some(Some(parts.get(part as usize)?.clone())),
                _ => None,
            },
        }
    }

    /// Adds a fault if a defined value is outside its type.
    fn outside(&mut self, active: ValueId, defined: ValueId, inside: ValueId, cx: &Cx, out: &mut StmtBlock) {
        let defined = self.both(active, defined);
        let outside = self.unless(defined, inside);
        let outside = self.any_lane(cx, outside);
        self.fault(outside, out);
    }

    /// Lowers the assignment to a cell that is a scalar of the position.
    fn choice_effect(
        &mut self,
        effect: &'r Effect,
        bits: ValueId,
        cx: &Cx,
        active: ValueId,
        run: &mut BodyRun<'r>,
    ) -> Result<()> {
        let active = match (cx.lane, cx.is_unit()) {
            (None, false) => return Err(LowerError::Varies),
            _ => self.any_lane(cx, active),
        };
        let there = self.build.any(bits);
        let nowhere = self.unless(active, there);
        self.fault(nowhere, &mut run.wrong);
        let value = self.term(&effect.value, cx)?;
        let value = self.project_to_lane(cx, &value)?;
        let unit = Cx { lane: None, ..Cx::empty() };
        let defined = self.defined(&value, &unit);
        let undefined = self.unless(active, defined);
        self.fault(undefined, &mut run.wrong);
        let FieldLayout::Planes(planes) = &self.state.fields[effect.field] else {
            return Err(LowerError::Varies);
        };
        let (width, product, option) = (planes.width, planes.product, planes.option);
        let parts: Vec<_> = planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
        let present = if option { self.present(&value)? } else { value.clone() };
        let spread = self.build.spread(active, width);
        let target = self.build.and(bits, spread);
        let mut puts = Vec::new();
        for (i, (values, slots)) in parts.iter().enumerate() {
            let of = if product.is_some() {
                self.part(&present, i as u32, &unit, effect.value.span)?
            } else {
                present.clone()
            };
            for (value, slot) in values.iter().zip(slots) {
                let Some(slot) = slot else { continue };
                let wanted = Term::Static(Static::One(Some(value.clone())));
                let equal = self.equal_terms(&of, &wanted, &unit, effect.value.span)?;
                let spread = self.build.spread(equal, width);
                puts.push((*slot, self.build.and(target, spread)));
            }
        }
        let ty = &self.rules.fields[effect.field].ty;
        if !self.surely_fits(&effect.value, ty) {
            let inside = self.within(&value, ty, &unit, effect.value.span)?;
            self.outside(active, defined, inside, &unit, &mut run.wrong);
        }
        let known = match value {
            Term::Static(Static::One(value)) => value,
            _ => None,
        };
        run.changes.push(FieldChange {
            field: effect.field,
            op: EffectOp::Set,
            part: None,
            kind: ChangeKind::Planes { target, puts },
            cells: None,
            known,
        });
        Ok(())
    }

    /// Returns a condition in the lane of the move, as a vector.
    fn in_lane(&mut self, cx: &Cx, condition: ValueId) -> ValueId {
        match cx.lane {
            Some(lane) => self.both(condition, lane),
            None => self.vector(cx, condition),
        }
    }

    /// Returns a value as its stored number: integers as they are, others by their codes.
    fn code_of(
        &mut self,
        field: FieldId,
        op: EffectOp,
        value: &Term,
        cx: &Cx,
        span: Span,
    ) -> Result<(ValueId, i64, i64)> {
        let FieldLayout::Codes(codes) = &self.state.fields[field] else { return Err(LowerError::Varies) };
        if codes.low.is_some() {
            let value = self.project_to_lane(cx, value)?;
            let n: Number = self.number(&value, cx, span)?;
            return Ok((n.value, n.low, n.high));
        }
        if op != EffectOp::Set {
            return unsupported("a change of something that is no number", span);
        }
        let codes = codes.domain.clone();
        let value = self.project_to_lane(cx, value)?;
        let most = i64::from(codes.width) - 1;
        if let Term::Choice(domain, bits) = &value {
            let table: Vec<i64> = {
                let mut table = vec![0; domain.width as usize];
                for (value, &place) in domain.values.iter().zip(&domain.places) {
                    table[place as usize] = codes.place(value).map_or(0, i64::from);
                }
                table
            };
            let place = self.build.first(*bits);
            let places = domain.places.iter().map(|&place| place as usize);
            let consecutive = places.into_iter().all(|i| table[i] == i as i64);
            let code = if consecutive { place } else { self.build.lookup(place, table) };
            return Ok((code, 0, most));
        }
        let cases = self.case_list(&value, &Cx { lane: None, ..Cx::empty() })?;
        let mut code = None;
        for (of, condition) in cases {
            let Some(place) = of.at(0).and_then(|v| codes.place(v)) else { continue };
            let place = self.build.int(i64::from(place));
            code = Some(match code {
                None => place,
                Some(other) => self.build.select(condition, place, other),
            });
        }
        let code = code.unwrap_or_else(|| self.build.int(0));
        Ok((code, 0, most))
    }

    /// Lowers a change of the set in one cell, which is given for each lane.
    fn member_effect(
        &mut self,
        effect: &'r Effect,
        cx: &Cx,
        active: ValueId,
        cell: &[Option<usize>],
        run: &mut BodyRun<'r>,
    ) -> Result<()> {
        // The operand must belong to the set's type; if a type lists its sets, only the reference interpreter can
        // compare the whole set.
        let ty = &self.rules.fields[effect.field].ty;
        let fits = self.surely_fits(&effect.value, ty);
        if ty.is_listed() && !(fits && effect.op == EffectOp::Set) {
            return unsupported("a change of a set of a type that lists its sets", effect.value.span);
        }
        let FieldLayout::Members(members) = &self.state.fields[effect.field] else {
            return Err(LowerError::Varies);
        };
        let (domain, slot, width) = (members.elements.clone(), members.slot, members.width);
        let Some(&first) = cell.first() else { return Ok(()) };
        if cell.iter().any(|other| *other != first) {
            return Err(LowerError::Varies);
        }
        // No cell: a key outside its type, which is a fault already.
        let Some(cell) = first else { return Ok(()) };
        if effect.op == EffectOp::Set && cx.lane.is_none() && !cx.is_unit() {
            // In the lanes of a `for`, the sets may differ.
            return Err(LowerError::Varies);
        }
        let defined = self.set_defined(&effect.value, cx)?;
        let undefined = self.unless(active, defined);
        let undefined = self.any_lane(cx, undefined);
        self.fault(undefined, &mut run.wrong);
        if !fits && effect.op != EffectOp::Remove {
            let inside = self.has_only(&effect.value, &domain, cx)?;
            self.outside(active, defined, inside, cx, &mut run.wrong);
        }
        let elements = if self.is_known(&effect.value, cx) && !cx.is_unit() {
            // Known in each lane: the lanes point at their elements.
            let sets = self.known_term(&effect.value, cx)?;
            let here = self.in_lane(cx, active);
            let mut found = self.build.zero(domain.width);
            let most =
                (0..cx.len()).filter_map(|l| sets.at(l)?.as_set().map(<[Value]>::len)).max().unwrap_or(0);
            for n in 0..most {
                let point: Vec<Option<u32>> =
                    (0..cx.len()).map(|lane| domain.place(sets.at(lane)?.as_set()?.get(n)?)).collect();
                let at = self.scatter(cx, here, &point, domain.width);
                found = self.build.or(found, at);
            }
            found
        } else if cx.lane.is_none() && !cx.is_unit() {
            // In the lanes of a `for`: the union of the elements of all active lanes.
            let values = domain.values.clone();
            if values.len() > 64 {
                return Err(LowerError::Varies);
            }
            let mut found = self.build.zero(domain.width);
            for (value, &place) in values.iter().zip(&domain.places) {
                let term = Term::Static(Static::One(Some(value.clone())));
                let inside = self.member(&term, &effect.value, cx)?;
                let inside = self.both(inside, active);
                let inside = self.any_lane(cx, inside);
                let bit = self.build.resize(inside, domain.width);
                let bit = self.build.shift(bit, place as i32);
                found = self.build.or(found, bit);
            }
            found
        } else {
            let (of, bits) = self.set_bits(&effect.value, cx)?;
            let bits = self.recast(&of, bits, &domain);
            let active = self.any_lane(cx, active);
            let spread = self.build.spread(active, domain.width);
            self.build.and(bits, spread)
        };
        let active = self.any_lane(cx, active);
        let spread = self.build.spread(active, domain.width);
        let mask = self.build.bits(domain.mask());
        let places = self.build.and(spread, mask);
        let place = |lower: &mut Self, bits| {
            let wide = lower.build.resize(bits, width);
            lower.build.shift(wide, (cell as u32 * domain.width) as i32)
        };
        let (places, elements) = (place(self, places), place(self, elements));
        run.changes.push(FieldChange {
            field: effect.field,
            op: effect.op,
            part: None,
            kind: ChangeKind::Members { slot, places, elements },
            cells: None,
            known: None,
        });
        Ok(())
    }
}
