//! Packed states: words in the order of declaration. They are keys for tables that must not depend on how rules are
//! compiled.
//!
//! Each cell takes ceil(log2 n) bits, n the number of values of its type, and holds the index of the value in the order
//! of the type; a set takes one bit for each possible element. Types of very many values are written part by part. The
//! cells follow each other without gaps; the last word is filled with 0. For each history there follow a word with the
//! number of its entries, and the entries.

use std::borrow::Cow;

use super::Interpreter;
use super::compact::{Compact, Members, SetBuilder};
use super::state::State;
use bouton_rules::{EnumId, Expr, ExprKind, RecordId, Rules, Tuple, Type, Value};

/// The maximal number of values of a product or option that is written as one number.
const MAX_INDEXED_VALUES: usize = 1 << 12;

/// The maximal number of possible elements of a set. The analyser refuses more.
const MAX_SET_ELEMENTS: usize = 1 << 20;

/// The encoding of the values of a type.
#[derive(Clone, Debug)]
pub enum ValueCode {
    Bool,
    /// An integer, counted from the least.
    Int {
        low: i64,
        bits: usize,
    },
    /// A member of an enum; if `optional`, `none` is 0 and the members follow.
    Sym {
        of: EnumId,
        optional: bool,
        bits: usize,
    },
    /// The index in this list.
    Indexed {
        values: Vec<Compact>,
        bits: usize,
    },
    /// A bit for each member of an enum of at most 128 members.
    Members {
        of: EnumId,
        bits: usize,
    },
    /// A bit for each of these elements.
    Set {
        elements: Vec<Compact>,
    },
    /// One part after the other.
    Parts {
        record: Option<RecordId>,
        parts: Vec<ValueCode>,
    },
    /// A bit that is 1 if there is a value, then the value.
    Maybe(Box<ValueCode>),
    /// No bits: no state holds a value of this type.
    Empty,
}

impl ValueCode {
    /// The encoding of the values of this type.
    pub fn of(rules: &Rules, ty: &Type) -> ValueCode {
        let size = rules.type_size(ty);
        let bits = size.map_or(0, bits_for);
        match ty {
            Type::Int(low, _) => ValueCode::Int { low: *low, bits },
            Type::Sym(of) => ValueCode::Sym { of: *of, optional: false, bits },
            Type::Subset(among) => {
                ValueCode::Indexed { values: among.values.iter().map(Compact::from).collect(), bits }
            }
            Type::Bool => ValueCode::Bool,
            Type::Set(inner) => match **inner {
                Type::Sym(of) if rules.enums[of].members.len() <= Members::LIMIT as usize => {
                    ValueCode::Members { of, bits: rules.enums[of].members.len() }
                }
                _ => {
                    let elements = rules.type_values(inner, MAX_SET_ELEMENTS).unwrap_or_default();
                    ValueCode::Set { elements: elements.iter().map(Compact::from).collect() }
                }
            },
            Type::Tuple(_) | Type::Record(_) | Type::Option(_) => {
                match (ty, rules.type_values(ty, MAX_INDEXED_VALUES)) {
                    (Type::Option(inner), Some(_)) if let Type::Sym(of) = **inner => {
                        ValueCode::Sym { of, optional: true, bits }
                    }
                    (_, Some(values)) => {
                        ValueCode::Indexed { values: values.iter().map(Compact::from).collect(), bits }
                    }
                    (_, None) => ValueCode::in_parts(rules, ty),
                }
            }
            Type::Never | Type::List(_) | Type::Ratio | Type::Text | Type::Error => ValueCode::Empty,
        }
    }

    /// The encoding of the values of this term; a list of terms, which represents a whole field, item by item.
    pub fn of_term(rules: &Rules, term: &Expr) -> ValueCode {
        match &*term.kind {
            ExprKind::List(items) => ValueCode::Parts {
                record: None,
                parts: items.iter().map(|item| ValueCode::of_term(rules, item)).collect(),
            },
            _ => ValueCode::of(rules, &term.ty),
        }
    }

    fn in_parts(rules: &Rules, ty: &Type) -> ValueCode {
        match ty {
            Type::Tuple(types) => ValueCode::Parts {
                record: None,
                parts: types.iter().map(|ty| ValueCode::of(rules, ty)).collect(),
            },
            Type::Record(id) => {
                let parts = rules.records[*id].parts.iter().map(|(_, ty)| ValueCode::of(rules, ty)).collect();
                ValueCode::Parts { record: Some(*id), parts }
            }
            Type::Option(inner) => ValueCode::Maybe(Box::new(ValueCode::of(rules, inner))),
            _ => ValueCode::Empty,
        }
    }

    /// The number of bits of a value.
    pub fn bits(&self) -> usize {
        match self {
            ValueCode::Bool => 1,
            ValueCode::Int { bits, .. }
            | ValueCode::Sym { bits, .. }
            | ValueCode::Indexed { bits, .. }
            | ValueCode::Members { bits, .. } => *bits,
            ValueCode::Set { elements } => elements.len(),
            ValueCode::Parts { parts, .. } => parts.iter().map(ValueCode::bits).sum(),
            ValueCode::Maybe(inner) => 1 + inner.bits(),
            ValueCode::Empty => 0,
        }
    }

    /// Writes a value. A missing value, or one not of the type, is written as `none` or the first value.
    pub fn write(&self, writer: &mut BitWriter, value: Option<&Compact>) {
        match (self, value) {
            (ValueCode::Bool, Some(value)) => writer.put(u64::from(*value == Compact::True), 1),
            (ValueCode::Int { low, bits }, Some(Compact::Int(i))) => {
                writer.put(i.wrapping_sub(*low) as u64, *bits);
            }
            (ValueCode::Sym { of, optional, bits }, Some(Compact::Sym(member))) if *of == member.of() => {
                writer.put(u64::from(member.number()) + u64::from(*optional), *bits);
            }
            (ValueCode::Indexed { values, bits }, Some(value)) => {
                writer.put(values.binary_search(value).unwrap_or(0) as u64, *bits);
            }
            (ValueCode::Members { of, bits }, Some(set)) => {
                let members = set.as_members().filter(|(id, _)| id == of).map_or(0, |(_, set)| set.bits());
                writer.put(members as u64, (*bits).min(64));
                writer.put((members >> 64) as u64, bits.saturating_sub(64));
            }
            (ValueCode::Set { elements }, Some(set)) => {
                for element in elements {
                    writer.put(u64::from(set.contains(element)), 1);
                }
            }
            (ValueCode::Parts { parts, .. }, Some(Compact::Tuple(tuple))) => {
                write_all(writer, parts, &tuple.parts);
            }
            (ValueCode::Parts { parts, .. }, Some(Compact::List(items))) => {
                write_all(writer, parts, items);
            }
            (ValueCode::Maybe(inner), Some(value)) if *value != Compact::None => {
                writer.put(1, 1);
                inner.write(writer, Some(value));
            }
            _ => writer.clear(self.bits()),
        }
    }

    pub fn read(&self, reader: &mut BitReader) -> Compact {
        match self {
            ValueCode::Bool => Compact::bool(reader.take(1) == 1),
            ValueCode::Int { low, bits } => Compact::Int(low.wrapping_add(reader.take(*bits) as i64)),
            ValueCode::Sym { of, optional, bits } => {
                match reader.take(*bits).checked_sub(u64::from(*optional)) {
                    Some(number) => Compact::sym(*of, number as u32),
                    None => Compact::None,
                }
            }
            ValueCode::Indexed { values, bits } => {
                values.get(reader.take(*bits) as usize).cloned().unwrap_or(Compact::None)
            }
            ValueCode::Members { of, bits } => {
                let low = u128::from(reader.take((*bits).min(64)));
                let high = u128::from(reader.take(bits.saturating_sub(64)));
                Compact::of_members(*of, Members::from_bits(low | high << 64))
            }
            ValueCode::Set { elements } => {
                let mut set = SetBuilder::default();
                for element in elements {
                    if reader.take(1) == 1 {
                        set.insert(element.clone());
                    }
                }
                set.finish()
            }
            ValueCode::Parts { record, parts } => {
                let parts = parts.iter().map(|part| part.read(reader).to_value()).collect();
                Compact::Tuple(Tuple { record: *record, parts }.into())
            }
            ValueCode::Maybe(inner) => {
                let present = reader.take(1) == 1;
                let value = inner.read(reader);
                if present { value } else { Compact::None }
            }
            ValueCode::Empty => Compact::None,
        }
    }
}

fn write_all(writer: &mut BitWriter, parts: &[ValueCode], values: &[Value]) {
    for (part, value) in parts.iter().zip(values) {
        part.write(writer, Some(&value.into()));
    }
}

/// The number of bits that distinguish `size` values.
fn bits_for(size: u128) -> usize {
    (128 - size.saturating_sub(1).leading_zeros()) as usize
}

/// A writer of bits over those of words, each word from the lowest bit.
pub struct BitWriter<'w> {
    pub words: &'w mut [u64],
    /// The next bit.
    pub at: usize,
}

impl BitWriter<'_> {
    /// Writes the lowest `bits` bits of a number, at most 64.
    pub fn put(&mut self, number: u64, bits: usize) {
        if bits == 0 {
            return;
        }
        let (word, shift) = (self.at / 64, self.at % 64);
        self.at += bits;
        let mask = u64::MAX >> (64 - bits);
        let number = number & mask;
        self.words[word] = self.words[word] & !(mask << shift) | number << shift;
        if shift + bits > 64 {
            let rest = 64 - shift;
            self.words[word + 1] = self.words[word + 1] & !(mask >> rest) | number >> rest;
        }
    }

    /// Writes zeros.
    pub fn clear(&mut self, bits: usize) {
        (0..bits).step_by(64).for_each(|done| self.put(0, (bits - done).min(64)));
    }
}

/// A bit reader; it gives zeros past the end.
pub struct BitReader<'a> {
    pub words: &'a [u64],
    /// The next bit.
    pub at: usize,
}

impl BitReader<'_> {
    /// The next bits, at most 64.
    #[inline]
    pub fn take(&mut self, bits: usize) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (word, shift) = (self.at / 64, self.at % 64);
        self.at += bits;
        let at = |word: usize| self.words.get(word).copied().unwrap_or(0);
        let mut number = at(word) >> shift;
        if shift + bits > 64 {
            number |= at(word + 1) << (64 - shift);
        }
        number & (u64::MAX >> (64 - bits))
    }
}

impl Interpreter {
    /// The packed form of a state. Equal states have equal words, different states different ones.
    pub fn pack(&self, state: &State) -> Box<[u64]> {
        self.key(state).into_owned().into()
    }

    /// The packed form of a state, without a copy if the state has no history.
    pub fn key<'s>(&self, state: &'s State) -> Cow<'s, [u64]> {
        self.patience.spend(self.prepared.layout.cells as u64 / 16);
        if state.history.is_empty() {
            return Cow::Borrowed(&state.words);
        }
        let mut words = state.words.to_vec();
        for entries in &state.history {
            words.push(entries.len() as u64);
            words.extend(entries.iter().flatten());
        }
        words.into()
    }

    /// The state of this packed form. Words that [`pack`](Self::pack) did not give may be no position
    /// ([`unpack_checked`](Self::unpack_checked)).
    pub fn unpack(&self, words: &[u64]) -> State {
        let width = self.prepared.layout.words;
        let mut cells: Box<[u64]> = words.get(..width).unwrap_or(words).into();
        if cells.len() < width {
            cells = cells.iter().copied().chain(std::iter::repeat(0)).take(width).collect();
        }
        let mut rest = words.get(width..).unwrap_or_default();
        let mut history = Vec::new();
        for watch in &self.prepared.watches {
            let entries = rest.get(1..).unwrap_or_default();
            let count = rest.first().map_or(0, |&count| count as usize).min(entries.len() / watch.width);
            let (entries, after) = entries.split_at(count * watch.width);
            history.push(entries.chunks(watch.width).map(Into::into).collect());
            rest = after;
        }
        State { words: cells, history }
    }

    /// The state of this packed form; `None` if the words encode no position, or one in a second way.
    pub fn unpack_checked(&self, words: &[u64]) -> Option<State> {
        let state = self.unpack(words);
        let cells = self.cells(&state);
        let types = self.rules.fields.iter().flat_map(|field| (0..field.cells()).map(move |_| &field.ty));
        let fit = types
            .zip(&cells)
            .all(|(ty, value)| self.rules.has_value(ty, value) && is_whole(&self.rules, value));
        let same = State { history: state.history.clone(), ..self.with_cells(&cells) } == state;
        (fit && same && *self.pack(&state) == *words).then_some(state)
    }

    /// The values of all cells of a state, in the order of their declaration, the last key fastest.
    pub fn cells(&self, state: &State) -> Vec<Value> {
        let fields = self.rules.fields.entries();
        let cells = fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell)));
        cells.map(|(id, cell)| self.prepared.layout.read(state, id, cell).to_value()).collect()
    }

    /// The state with these values of all cells and no history.
    pub fn with_cells(&self, cells: &[Value]) -> State {
        let layout = &self.prepared.layout;
        let mut state = State { words: vec![0; layout.words].into(), history: Vec::new() };
        for (index, value) in cells.iter().enumerate().take(layout.cells) {
            let (field, cell) = layout.field(index);
            layout.write(&mut state, field, cell, &value.into());
        }
        state
    }
}

/// Returns true if all enum members in a value exist.
fn is_whole(rules: &Rules, value: &Value) -> bool {
    match value {
        Value::Sym(id, index) => rules.enums.get(*id).is_some_and(|e| (*index as usize) < e.members.len()),
        Value::Tuple(tuple) => tuple.parts.iter().all(|part| is_whole(rules, part)),
        Value::Set(items) | Value::List(items) => items.iter().all(|item| is_whole(rules, item)),
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Ratio(_) | Value::Text(_) => true,
    }
}
