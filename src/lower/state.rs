//! The layout of the fields of a game in the words of a state, with encoding and decoding.

use std::sync::Arc;

use super::CellLayout;
use super::domain::BitDomain;
use bouton_base::bits::BitSet;
use bouton_base::id::IdVec;
use bouton_circuit::{Layout, Slot, SlotId};
use bouton_rules::{
    Block, EffectOp, Field, FieldId, MOVER, PHASE, RecordId, Rules, StmtKind, Type, Value, keys_of,
};

/// The maximal number of cells of a field that is stored as numbers in any case, not as planes.
pub(super) const MAX_CODED_CELLS: usize = 3;
/// The number of values of a type above which it is stored as a number.
const MAX_PLANE_VALUES: usize = 64;
/// The maximal number of bits of a number in a state.
const MAX_CODE_BITS: u32 = 40;
/// The maximal width of a vector.
const MAX_VECTOR_WIDTH: u64 = 4096;

/// The representation of a field.
#[derive(Debug)]
pub enum FieldLayout {
    /// It is part of the control.
    Control,
    /// It has only one value.
    Constant(Value),
    /// A number for each cell.
    Codes(Codes),
    /// A set of cells for each value.
    Planes(Planes),
    /// A set for each cell, stored as one set of pairs.
    Members(Members),
}

/// A number for each cell.
#[derive(Debug)]
pub struct Codes {
    /// The values, with their codes as places: the codes of cells are their places on the board. Empty for integers.
    pub domain: Arc<BitDomain>,
    /// The integer with code 0, for integers.
    pub low: Option<i64>,
    /// One more than the greatest code.
    pub count: u64,
    /// The slot of each cell's number.
    pub slots: Vec<SlotId>,
}

/// Sets of cells (planes), one for each value of each part.
#[derive(Debug)]
pub struct Planes {
    /// The place of each cell.
    pub places: Vec<u32>,
    /// The width of a plane.
    pub width: u32,
    /// True if a cell may hold `none`: then all values of the first part have planes, and none of them is `none`.
    pub option: bool,
    /// The value that the parts form: a record, a tuple, or (`None`) the value of the only part itself.
    pub product: Option<Option<RecordId>>,
    pub parts: Vec<PlanePart>,
}

/// A part of the value of a cell.
#[derive(Debug)]
pub struct PlanePart {
    pub values: Vec<Value>,
    /// The plane of each value; one value may have none: it holds in the cells that the others leave.
    pub slots: Vec<Option<SlotId>>,
}

/// Sets as one set of pairs.
#[derive(Debug)]
pub struct Members {
    /// The possible elements.
    pub elements: Arc<BitDomain>,
    pub slot: SlotId,
    /// The width of the slot.
    pub width: u32,
    /// The number of cells.
    pub cells: usize,
}

impl Members {
    /// Returns the place of an element in the set of a cell.
    pub fn place(&self, cell: usize, element: &Value) -> Option<u32> {
        Some(cell as u32 * self.elements.width + self.elements.place(element)?)
    }
}

/// The layout of a game's fields in the words of a state.
#[derive(Debug)]
pub struct StateLayout {
    /// The representation of each field.
    pub fields: IdVec<FieldId, FieldLayout>,
    /// The layout of the words.
    pub layout: Layout,
}

/// The error of rules with a field that is too large for the words of a state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the field `{name}` is too large")]
pub struct OversizedField {
    pub name: String,
}

/// A state as words, with its turn, which the words do not hold.
#[derive(Clone, Copy, Debug)]
pub struct EncodedState<'w> {
    pub words: &'w [u64],
    /// The player to move and the phase.
    pub turn: (u32, u32),
}

impl StateLayout {
    /// Computes the layout of these rules' states.
    pub fn new(rules: &Rules, cells: CellLayout) -> Result<StateLayout, OversizedField> {
        let mut layout = Layout::default();
        let mut held = IdVec::new();
        for (id, field) in rules.fields.entries() {
            let oversized = || OversizedField { name: field.name.clone() };
            held.push(hold(rules, id, cells, &mut layout.slots).ok_or_else(oversized)?);
        }
        place(&mut layout);
        Ok(StateLayout { fields: held, layout })
    }

    /// Returns the groups of mutually exclusive planes: those of one part.
    pub fn families(&self) -> Vec<Vec<SlotId>> {
        let planes = self.fields.iter().filter_map(|held| match held {
            FieldLayout::Planes(planes) => Some(planes),
            _ => None,
        });
        planes.flat_map(|p| &p.parts).map(|part| part.slots.iter().flatten().copied().collect()).collect()
    }

    /// Returns the planes that contain a cell only if one of some other planes does: for fields whose cells may hold
    /// `none`, the planes of all parts but the first.
    pub fn owned(&self) -> Vec<(SlotId, Vec<SlotId>)> {
        let options = self.fields.iter().filter_map(|held| match held {
            FieldLayout::Planes(planes) if planes.option => planes.parts.split_first(),
            _ => None,
        });
        let slots = |part: &PlanePart| part.slots.iter().flatten().copied().collect::<Vec<SlotId>>();
        options
            .flat_map(|(first, others)| others.iter().flat_map(slots).map(|slot| (slot, slots(first))))
            .collect()
    }

    /// Reads a cell of a field.
    pub fn read(&self, rules: &Rules, state: EncodedState, field: FieldId, cell: usize) -> Value {
        let EncodedState { words, turn: (mover, phase) } = state;
        let has = |slot: SlotId, place: u32| self.layout.get(slot, words).contains(place);
        match &self.fields[field] {
            FieldLayout::Control if field == MOVER => rules.player(mover),
            FieldLayout::Control => Value::Int(i64::from(phase)),
            FieldLayout::Constant(value) => value.clone(),
            FieldLayout::Codes(codes) => {
                let code = self.layout.get(codes.slots[cell], words).words().first().copied().unwrap_or(0);
                codes.value(code)
            }
            FieldLayout::Planes(planes) => {
                let place = planes.places[cell];
                let mut parts = Vec::new();
                for (i, part) in planes.parts.iter().enumerate() {
                    let found = part.slots.iter().position(|slot| slot.is_some_and(|slot| has(slot, place)));
                    match found.or_else(|| part.slots.iter().position(Option::is_none)) {
                        Some(value) => parts.push(part.values[value].clone()),
                        None if i == 0 && planes.option => return Value::None,
                        None => parts.push(part.values[0].clone()),
                    }
                }
                match planes.product {
                    None => parts.swap_remove(0),
                    Some(Some(record)) => Value::record(record, parts),
                    Some(None) => Value::tuple(parts),
                }
            }
            FieldLayout::Members(members) => {
                let set = self.layout.get(members.slot, words);
                let elements = members.elements.values.iter();
                Value::set(
                    elements.filter(|e| members.place(cell, e).is_some_and(|p| set.contains(p))).cloned(),
                )
            }
        }
    }

    /// Encodes a state as words, given the values of its cells.
    pub fn write(&self, read: &dyn Fn(FieldId, usize) -> Value) -> Vec<u64> {
        let mut words = vec![0; self.layout.words as usize];
        let mut put = |slot: SlotId, place: u32| {
            let mut bits = self.layout.get(slot, &words);
            bits.insert(place);
            self.layout.set(slot, &mut words, &bits);
        };
        for (field, held) in self.fields.entries() {
            match held {
                FieldLayout::Control | FieldLayout::Constant(_) => {}
                FieldLayout::Codes(codes) => {
                    for (cell, &slot) in codes.slots.iter().enumerate() {
                        let code = codes.code(&read(field, cell)).unwrap_or(0);
                        (0..64).filter(|&bit| code >> bit & 1 == 1).for_each(|bit| put(slot, bit));
                    }
                }
                FieldLayout::Planes(planes) => {
                    for (cell, &place) in planes.places.iter().enumerate() {
                        let value = read(field, cell);
                        for (slot, holds) in planes.each_plane(&value) {
                            if holds {
                                put(slot, place);
                            }
                        }
                    }
                }
                FieldLayout::Members(members) => {
                    for cell in 0..members.cells {
                        if let Value::Set(elements) = read(field, cell) {
                            let places = elements.iter().filter_map(|e| members.place(cell, e));
                            places.for_each(|place| put(members.slot, place));
                        }
                    }
                }
            }
        }
        words
    }
}

impl Codes {
    /// Returns the value of a code.
    pub fn value(&self, code: u64) -> Value {
        match self.low {
            Some(low) => Value::Int(low.wrapping_add(code as i64)),
            None => {
                let of = self.domain.places.iter().position(|&place| u64::from(place) == code);
                of.map_or(Value::None, |i| self.domain.values[i].clone())
            }
        }
    }

    /// Returns the code of a value.
    pub fn code(&self, value: &Value) -> Option<u64> {
        match (self.low, value) {
            (Some(low), Value::Int(n)) => u64::try_from(n.checked_sub(low)?).ok().filter(|&c| c < self.count),
            (Some(_), _) => None,
            (None, _) => self.domain.place(value).map(u64::from),
        }
    }
}

impl Planes {
    /// Returns each plane, with true if a cell with this value is in it.
    pub fn each_plane(&self, value: &Value) -> Vec<(SlotId, bool)> {
        let mut planes = Vec::new();
        for (i, part) in self.parts.iter().enumerate() {
            let of_part = match (self.product, value) {
                (_, Value::None) if self.option => None,
                (Some(_), Value::Tuple(tuple)) => tuple.parts.get(i),
                _ => Some(value),
            };
            for (v, slot) in part.values.iter().zip(&part.slots) {
                if let Some(slot) = slot {
                    planes.push((*slot, of_part == Some(v)));
                }
            }
        }
        planes
    }
}

fn hold(
    rules: &Rules,
    id: FieldId,
    as_cells: CellLayout,
    slots: &mut IdVec<SlotId, Slot>,
) -> Option<FieldLayout> {
    let field = &rules.fields[id];
    if id == MOVER || id == PHASE {
        return Some(FieldLayout::Control);
    }
    if let Some([value]) = rules.type_values(&field.ty, 1).as_deref() {
        return Some(FieldLayout::Constant(value.clone()));
    }
    let cells = field.cells();
    if let Type::Set(inner) = field.ty.base() {
        let elements = BitDomain::new(rules, rules.type_values(inner, MAX_VECTOR_WIDTH as usize)?);
        let width = u32::try_from(cells as u64 * u64::from(elements.width)).ok()?;
        if u64::from(width) > MAX_VECTOR_WIDTH {
            return None;
        }
        let all = (0..cells as u32).flat_map(|c| elements.places.iter().map(move |p| (c, *p)));
        let maybe = BitSet::of(width, all.map(|(c, p)| c * elements.width + p));
        let slot = slots.push(Slot { name: field.name.clone(), word: 0, bit: 0, maybe });
        return Some(FieldLayout::Members(Members { elements: elements.into(), slot, width, cells }));
    }
    // A field that moves add to is stored as numbers: planes can only be set.
    let wanted = as_cells == CellLayout::Planes && !is_counted(rules, id);
    let planes = if wanted { planes(rules, field, cells, slots) } else { None };
    planes.map(FieldLayout::Planes).or_else(|| codes(rules, field, cells, slots).map(FieldLayout::Codes))
}

/// Returns true if a move adds to cells of a field or subtracts from them.
fn is_counted(rules: &Rules, field: FieldId) -> bool {
    fn counts(block: &Block, field: FieldId) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Effect(effect) => {
                effect.field == field && matches!(effect.op, EffectOp::Add | EffectOp::Subtract)
            }
            StmtKind::If(_, a, b) => counts(a, field) || counts(b, field),
            StmtKind::For(_, body) | StmtKind::Then(body) => counts(body, field),
            StmtKind::Require(_) | StmtKind::Let(..) | StmtKind::Stay(_) | StmtKind::Next(_) => false,
        })
    }
    rules.moves.iter().any(|of| counts(&of.body, field))
}

fn codes(rules: &Rules, field: &Field, cells: usize, slots: &mut IdVec<SlotId, Slot>) -> Option<Codes> {
    let count = u64::try_from(rules.type_size(&field.ty)?).ok()?;
    if cells > 1 << 12 {
        return None;
    }
    let (domain, low, count) = match field.ty {
        Type::Int(low, _) => (BitDomain::new(rules, Vec::new()), Some(low), count),
        _ => {
            let domain = BitDomain::of_codes(rules, rules.type_values(&field.ty, 1 << 12)?);
            let count = u64::from(domain.width);
            (domain, None, count)
        }
    };
    let bits = u64::BITS - (count - 1).leading_zeros();
    if bits > MAX_CODE_BITS {
        return None;
    }
    let slot = |cell: usize| {
        let keys: Vec<String> = keys_of(&field.keys, cell).iter().map(|k| rules.show(k)).collect();
        let name =
            if keys.is_empty() { field.name.clone() } else { format!("{}[{}]", field.name, keys.join(", ")) };
        Slot { name, word: 0, bit: 0, maybe: BitSet::full(bits) }
    };
    let slots = (0..cells).map(|cell| slots.push(slot(cell))).collect();
    Some(Codes { domain: domain.into(), low, count, slots })
}

fn planes(rules: &Rules, field: &Field, cells: usize, slots: &mut IdVec<SlotId, Slot>) -> Option<Planes> {
    if cells <= MAX_CODED_CELLS || matches!(field.ty.base(), Type::Int(low, high) if high - low > 15) {
        return None;
    }
    let option = field.ty.is_option();
    let inner = field.ty.present();
    let small = |ty: &Type| rules.type_values(ty, MAX_PLANE_VALUES);
    let (product, parts) = match inner {
        Type::Record(record) => {
            let parts: Option<Vec<_>> =
                rules.records[*record].parts.iter().map(|(_, ty)| small(ty)).collect();
            (Some(Some(*record)), parts?)
        }
        Type::Tuple(types) => (Some(None), types.iter().map(small).collect::<Option<Vec<_>>>()?),
        ty => (None, vec![small(ty)?]),
    };
    if parts.iter().any(Vec::is_empty) {
        return None;
    }
    let domains: Vec<BitDomain> =
        field.keys.iter().map(|key| BitDomain::new(rules, key.values.to_vec())).collect();
    let width = domains.iter().try_fold(1u64, |w, d| w.checked_mul(u64::from(d.width)))?;
    if width > MAX_VECTOR_WIDTH {
        return None;
    }
    let place = |cell: usize| {
        let keys = keys_of(&field.keys, cell);
        domains.iter().zip(&keys).fold(0, |at, (d, key)| at * d.width + d.place(key).unwrap_or(0))
    };
    let places: Vec<u32> = (0..cells).map(place).collect();
    let width = width as u32;
    let maybe = BitSet::of(width, places.iter().copied());
    let parts = parts
        .into_iter()
        .enumerate()
        .map(|(i, values)| {
            // In a part that is always present, one value needs no plane.
            let rest = (!(option && i == 0)).then_some(0);
            let slots = values
                .iter()
                .enumerate()
                .map(|(v, value)| {
                    let name = format!("{}={}", field.name, rules.show(value));
                    (rest != Some(v))
                        .then(|| slots.push(Slot { name, word: 0, bit: 0, maybe: maybe.clone() }))
                })
                .collect();
            PlanePart { values, slots }
        })
        .collect();
    Some(Planes { places, width, option, product, parts })
}

/// Gives each slot its place: wide ones have words of their own, then each goes into the first word with enough free
/// bits.
fn place(layout: &mut Layout) {
    let mut order: Vec<SlotId> = layout.slots.entries().map(|(id, _)| id).collect();
    order.sort_by_key(|&id| std::cmp::Reverse(layout.slots[id].width().max(33)));
    let mut used: Vec<u32> = Vec::new();
    // Words before that of the last slot have no room for another slot of the same width.
    let (mut last_width, mut first) = (0, 0);
    for id in order {
        let width = layout.slots[id].width();
        if width != last_width {
            (last_width, first) = (width, 0);
        }
        let room =
            used[first..].iter().position(|&u| width <= 64 && u + width <= 64).map(|room| first + room);
        if width <= 64 {
            first = room.unwrap_or(used.len());
        }
        let word = room.unwrap_or(used.len());
        if room.is_none() {
            used.extend(std::iter::repeat_n(
                if width > 64 { 64 } else { 0 },
                width.div_ceil(64).max(1) as usize,
            ));
        }
        let slot = &mut layout.slots[id];
        (slot.word, slot.bit) = (word as u32, if width > 64 { 0 } else { used[word] });
        if width <= 64 {
            used[word] += width;
        }
    }
    layout.words = used.len().max(1) as u32;
}
