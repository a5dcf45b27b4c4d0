//! Reads fields of a position in cells that are known, that differ from lane to lane, or that a scalar selects.

use std::rc::Rc;

use super::cx::{Cx, Lanes, Number, Product, Static, Term};
use super::lanes::MAX_LISTED_CASES;
use super::state::{FieldLayout, MAX_CODED_CELLS};
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::bits::BitSet;
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{FieldId, MOVER, PHASE, Rules, Value};

/// The maximal number of values of a number for which planes are built from it. A condition over a number with more
/// values is smaller as one on numbers, lane by lane or move by move.
const MAX_DECODED_VALUES: u64 = 16;

impl<'r> Lower<'r> {
    /// Reads a cell of a field.
    pub(super) fn field(&mut self, field: FieldId, keys: &[Term], cx: &Cx, span: Span) -> Result<Term> {
        let rules = self.rules;
        let of = &rules.fields[field];
        match &self.state.fields[field] {
            FieldLayout::Control => {
                let known = match (field, cx.turn.mover, cx.turn.phase) {
                    (MOVER, Some(mover), _) => rules.player(mover),
                    (PHASE, _, Some(phase)) => Value::Int(i64::from(phase)),
                    _ => return unsupported("the turn", span),
                };
                return Ok(Term::Static(Static::One(Some(known))));
            }
            FieldLayout::Constant(value) => {
                let value = value.clone();
                return self.applied(keys, cx, span, &|_, keys| of.cell(keys).map(|_| value.clone()));
            }
            FieldLayout::Members(_) => return Err(LowerError::Varies),
            FieldLayout::Codes(_) | FieldLayout::Planes(_) => {}
        }
        if let Some(bits) = self.chosen_cell(field, keys)? {
            return self.cell_of_choice(field, bits, cx, span);
        }
        let cells = self.cells(field, keys, cx, span)?;
        if let [(cell, condition)] = &cells[..] {
            let term = self.cell(field, cell, cx)?;
            return self.only_where(*condition, &term, cx);
        }
        let mut result: Option<Term> = None;
        for (cell, condition) in cells {
            let term = self.cell(field, &cell, cx)?;
            let term = self.only_where(condition, &term, cx)?;
            result = Some(match result {
                None => term,
                Some(other) => self.chosen(condition, &term, &other, cx, span)?,
            });
        }
        Ok(result.unwrap_or(Term::Static(Static::One(None))))
    }

    /// Returns the cell that a scalar key selects in a field stored as planes, as the bit of its place.
    pub(super) fn chosen_cell(&mut self, field: FieldId, keys: &[Term]) -> Result<Option<ValueId>> {
        let FieldLayout::Planes(planes) = &self.state.fields[field] else { return Ok(None) };
        let (places, width) = (planes.places.clone(), planes.width);
        let choices: Vec<usize> = (0..keys.len()).filter(|&i| matches!(keys[i], Term::Choice(..))).collect();
        let [choice] = choices[..] else { return Ok(None) };
        let Term::Choice(domain, bits) = &keys[choice] else { return Ok(None) };
        let (domain, bits) = (domain.clone(), *bits);
        let mut rest = Vec::new();
        for (i, key) in keys.iter().enumerate() {
            match key {
                Term::Static(Static::One(Some(value))) => rest.push(value.clone()),
                _ if i == choice => rest.push(Value::None),
                _ => return Ok(None),
            }
        }
        let of = &self.rules.fields[field];
        let point: Vec<Option<u32>> = domain
            .values
            .iter()
            .map(|value| {
                rest[choice] = value.clone();
                of.cell(&rest).map(|cell| places[cell])
            })
            .collect();
        let inner = self.over(&domain, &Cx::empty());
        Ok(Some(self.scatter(&inner, bits, &point, width)))
    }

    /// Reads a field in the cell whose place is the bit.
    fn cell_of_choice(&mut self, field: FieldId, bits: ValueId, cx: &Cx, span: Span) -> Result<Term> {
        // Every place is a lane, and the bit is the one that matters.
        let FieldLayout::Planes(planes) = &self.state.fields[field] else {
            return unsupported("a field", span);
        };
        let lanes = Lanes::new(planes.places.clone(), planes.width, None);
        let cells: Vec<Option<usize>> = (0..planes.places.len()).map(Some).collect();
        let inner = Cx { lanes: Rc::new(lanes), lane: Some(bits), ..cx.clone() };
        let term = self.cell(field, &cells, &inner)?;
        if inner.is_unit() {
            return self.only_where(bits, &term, cx);
        }
        let settled = self.project_to_lane(&inner, &term)?;
        // A value that is the same in all lanes does not show whether any lane matters.
        Ok(match settled {
            _ if !self.varies(&term) => {
                let there = self.build.any(bits);
                self.only_where(there, &settled, cx)?
            }
            Term::Product(p) => {
                let there = self.build.any(bits);
                let (defined, present) = (self.both(p.defined, there), self.both(p.present, there));
                Term::Product(Rc::new(Product { defined, present, ..(*p).clone() }))
            }
            settled => settled,
        })
    }

    /// Returns the cells that keys may select, lane by lane, each with its condition.
    #[allow(clippy::type_complexity)]
    pub(super) fn cells(
        &mut self,
        field: FieldId,
        keys: &[Term],
        cx: &Cx,
        span: Span,
    ) -> Result<Vec<(Vec<Option<usize>>, ValueId)>> {
        let of = &self.rules.fields[field];
        // A cell is a number here, since `applied` makes cases of numbers.
        let place =
            self.applied_cases(keys, cx, span, &|_, keys| of.cell(keys).map(|c| Value::Int(c as i64)))?;
        Ok(place
            .into_iter()
            .map(|(value, condition)| {
                let cell = |lane: usize| value.at(lane).and_then(Value::as_int).map(|c| c as usize);
                ((0..cx.len()).map(cell).collect(), condition)
            })
            .collect())
    }

    fn applied_cases(
        &mut self,
        args: &[Term],
        cx: &Cx,
        span: Span,
        function: &dyn Fn(&Rules, &[Value]) -> Option<Value>,
    ) -> Result<Vec<(Static, ValueId)>> {
        let term = self.applied(args, cx, span, function)?;
        self.case_list(&term, cx)
    }

    /// Reads a field in the cell that each lane looks at.
    fn cell(&mut self, field: FieldId, cells: &[Option<usize>], cx: &Cx) -> Result<Term> {
        match &self.state.fields[field] {
            FieldLayout::Codes(codes) => {
                let Some(first) = cells.iter().flatten().next().copied() else {
                    return Ok(Term::Static(Static::One(None)));
                };
                if cells.iter().any(|c| c.is_some_and(|c| c != first)) {
                    return self.cells_of_codes(field, cells, cx);
                }
                let (domain, low, count) = (codes.domain.clone(), codes.low, codes.count);
                let bits = cx.state[codes.slots[first].0 as usize];
                let code = self.build.unpack(bits);
                let there = self.known_truth(cx, |lane| cells[lane].is_some());
                if let Some(low) = low {
                    let offset = self.build.int(low);
                    let value = self.build.plus(code, offset);
                    let high = low + (count - 1) as i64;
                    return Ok(Term::Number(Number { value, defined: there, low, high }));
                }
                let term = if domain.values.len() > MAX_LISTED_CASES {
                    let bits = self.build.one_hot(code, domain.mask());
                    Term::Choice(domain, bits)
                } else {
                    let mut cases = Vec::new();
                    for (value, &place) in domain.values.iter().zip(&domain.places) {
                        let place = self.build.int(i64::from(place));
                        let equal = self.build.equal(code, place);
                        cases.push((Static::One(Some(value.clone())), equal));
                    }
                    self.cases(cases)
                };
                self.only_where(there, &term, cx)
            }
            FieldLayout::Planes(planes) => {
                let look: Vec<Option<u32>> = cells.iter().map(|c| c.map(|c| planes.places[c])).collect();
                let (option, product) = (planes.option, planes.product);
                let parts: Vec<_> =
                    planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
                let mask = self.plane_mask(field);
                let defined = self.known_truth(cx, |lane| cells[lane].is_some());
                let mut present = defined;
                let mut terms = Vec::new();
                for (i, (values, slots)) in parts.into_iter().enumerate() {
                    let planes: Vec<Option<ValueId>> =
                        slots.iter().map(|s| s.map(|s| cx.state[s.0 as usize])).collect();
                    let mut taken = self.build.zero(self.build.width(mask));
                    for plane in planes.iter().flatten() {
                        taken = self.build.or(taken, *plane);
                    }
                    let mut cases = Vec::new();
                    if i == 0 && option {
                        present = self.gather(cx, taken, &look);
                        if product.is_none() {
                            let none = self.build.and_not(mask, taken);
                            let none = self.gather(cx, none, &look);
                            cases.push((Static::One(Some(Value::None)), none));
                        }
                    }
                    for (value, plane) in values.iter().zip(&planes) {
                        let here = match plane {
                            Some(plane) => self.gather(cx, *plane, &look),
                            None => {
                                // The cells that the other planes leave, among those that hold anything.
                                let whole = if option && i > 0 { self.taken(field, cx) } else { mask };
                                let rest = self.build.and_not(whole, taken);
                                self.gather(cx, rest, &look)
                            }
                        };
                        cases.push((Static::One(Some(value.clone())), here));
                    }
                    terms.push(self.cases(cases));
                }
                Ok(match product {
                    None => terms.swap_remove(0),
                    Some(record) => {
                        Term::Product(Rc::new(Product { record, defined, present, parts: terms }))
                    }
                })
            }
            _ => Err(LowerError::Varies),
        }
    }

    /// Reads a field stored as numbers in cells that differ from lane to lane: for each value, builds the plane of the
    /// cells that hold it from the numbers.
    fn cells_of_codes(&mut self, field: FieldId, cells: &[Option<usize>], cx: &Cx) -> Result<Term> {
        let FieldLayout::Codes(codes) = &self.state.fields[field] else { return Err(LowerError::Varies) };
        let slots = codes.slots.clone();
        if codes.count > MAX_DECODED_VALUES || slots.len() <= MAX_CODED_CELLS {
            return Err(LowerError::Varies);
        }
        let values: Vec<(Value, i64)> = match codes.low {
            Some(_) => (0..codes.count).map(|code| (codes.value(code), code as i64)).collect(),
            None => {
                let places = codes.domain.values.iter().zip(&codes.domain.places);
                places.map(|(value, &place)| (value.clone(), i64::from(place))).collect()
            }
        };
        let mut met: Vec<usize> = cells.iter().flatten().copied().collect();
        met.sort_unstable();
        met.dedup();
        let look: Vec<Option<u32>> = cells.iter().map(|c| c.map(|c| c as u32)).collect();
        let width = slots.len() as u32;
        let mut cases = Vec::new();
        for (value, code) in values {
            let code = self.build.int(code);
            let mut plane = self.build.zero(width);
            for &cell in &met {
                let held = self.build.unpack(cx.state[slots[cell].0 as usize]);
                let equal = self.build.equal(held, code);
                let wide = self.build.resize(equal, width);
                let bit = self.build.shift(wide, cell as i32);
                plane = self.build.or(plane, bit);
            }
            let here = self.gather(cx, plane, &look);
            cases.push((Static::One(Some(value)), here));
        }
        Ok(self.cases(cases))
    }

    /// Returns the places of a field's cells.
    pub(super) fn plane_mask(&mut self, field: FieldId) -> ValueId {
        let FieldLayout::Planes(planes) = &self.state.fields[field] else { panic!("a field held in planes") };
        let mask = BitSet::of(planes.width, planes.places.iter().copied());
        self.build.bits(mask)
    }

    /// Returns the cells of a field that hold something.
    fn taken(&mut self, field: FieldId, cx: &Cx) -> ValueId {
        let FieldLayout::Planes(planes) = &self.state.fields[field] else { panic!("a field held in planes") };
        let slots: Vec<_> = planes.parts[0].slots.iter().flatten().copied().collect();
        let mut taken = self.build.zero(planes.width);
        for slot in slots {
            taken = self.build.or(taken, cx.state[slot.0 as usize]);
        }
        taken
    }
}
