//! Packed states: words in the order of declaration. They are keys for tables that must not depend on how rules are
//! compiled.
//!
//! Each cell takes ceil(log2 n) bits, n the number of values of its type, and holds the index of the value in the order
//! of the type; a set takes one bit for each possible element. Types of very many values are written part by part. The
//! cells follow each other without gaps; the last word is filled with 0. For each history there follow a word with the
//! number of its entries, and the entries.

use super::Interpreter;
use super::state::State;
use bouton_rules::{EnumId, Expr, ExprKind, RecordId, Rules, Type, Value};

/// The maximal number of values of a product or option that is written as one number.
const MAX_INDEXED_VALUES: usize = 1 << 12;

/// The maximal number of possible elements of a set. The analyser refuses more.
const MAX_SET_ELEMENTS: usize = 1 << 20;

/// The encoding of the values of a type.
#[derive(Clone, Debug)]
pub enum ValueCode {
    /// An integer, counted from the least.
    Int { low: i64, bits: usize },
    /// A member of an enum.
    Sym { of: EnumId, bits: usize },
    /// The index in this list.
    Indexed { values: Vec<Value>, bits: usize },
    /// A bit for each of these elements.
    Set { elements: Vec<Value> },
    /// One part after the other.
    Parts { record: Option<RecordId>, parts: Vec<ValueCode> },
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
            Type::Sym(of) => ValueCode::Sym { of: *of, bits },
            Type::Subset(among) => ValueCode::Indexed { values: among.values.clone(), bits },
            Type::Bool => ValueCode::Indexed { values: vec![Value::Bool(false), Value::Bool(true)], bits },
            Type::Set(inner) => {
                ValueCode::Set { elements: rules.type_values(inner, MAX_SET_ELEMENTS).unwrap_or_default() }
            }
            Type::Tuple(_) | Type::Record(_) | Type::Option(_) => {
                match rules.type_values(ty, MAX_INDEXED_VALUES) {
                    Some(values) => ValueCode::Indexed { values, bits },
                    None => ValueCode::in_parts(rules, ty),
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
            ValueCode::Int { bits, .. } | ValueCode::Sym { bits, .. } | ValueCode::Indexed { bits, .. } => {
                *bits
            }
            ValueCode::Set { elements } => elements.len(),
            ValueCode::Parts { parts, .. } => parts.iter().map(ValueCode::bits).sum(),
            ValueCode::Maybe(inner) => 1 + inner.bits(),
            ValueCode::Empty => 0,
        }
    }

    /// Writes a value. A missing value, or one not of the type, is written as `none` or the first value.
    pub fn write(&self, writer: &mut BitWriter, value: Option<&Value>) {
        match (self, value) {
            (ValueCode::Int { low, bits }, Some(Value::Int(i))) => {
                writer.put(i.wrapping_sub(*low) as u64, *bits)
            }
            (ValueCode::Sym { bits, .. }, Some(Value::Sym(_, index))) => writer.put(u64::from(*index), *bits),
            (ValueCode::Indexed { values, bits }, Some(value)) => {
                writer.put(values.binary_search(value).unwrap_or(0) as u64, *bits);
            }
            (ValueCode::Set { elements }, Some(Value::Set(set))) => {
                for element in elements {
                    writer.put(u64::from(set.binary_search(element).is_ok()), 1);
                }
            }
            (ValueCode::Parts { parts, .. }, Some(Value::Tuple(tuple))) => {
                write_all(writer, parts, &tuple.parts)
            }
            (ValueCode::Parts { parts, .. }, Some(Value::List(items))) => write_all(writer, parts, items),
            (ValueCode::Maybe(inner), Some(value)) if *value != Value::None => {
                writer.put(1, 1);
                inner.write(writer, Some(value));
            }
            _ => writer.skip(self.bits()),
        }
    }

    pub fn read(&self, reader: &mut BitReader) -> Value {
        match self {
            ValueCode::Int { low, bits } => Value::Int(low.wrapping_add(reader.take(*bits) as i64)),
            ValueCode::Sym { of, bits } => Value::Sym(*of, reader.take(*bits) as u32),
            ValueCode::Indexed { values, bits } => {
                values.get(reader.take(*bits) as usize).cloned().unwrap_or(Value::None)
            }
            ValueCode::Set { elements } => Value::Set(
                elements.iter().filter(|_| reader.take(1) == 1).cloned().collect::<Vec<_>>().into(),
            ),
            ValueCode::Parts { record, parts } => {
                let parts = parts.iter().map(|part| part.read(reader)).collect();
                match record {
                    Some(record) => Value::record(*record, parts),
                    None => Value::tuple(parts),
                }
            }
            ValueCode::Maybe(inner) => {
                let present = reader.take(1) == 1;
                let value = inner.read(reader);
                if present { value } else { Value::None }
            }
            ValueCode::Empty => Value::None,
        }
    }
}

fn write_all(writer: &mut BitWriter, parts: &[ValueCode], values: &[Value]) {
    for (part, value) in parts.iter().zip(values) {
        part.write(writer, Some(value));
    }
}

/// The number of bits that distinguish `size` values.
fn bits_for(size: u128) -> usize {
    (128 - size.saturating_sub(1).leading_zeros()) as usize
}

/// A bit writer; it fills each word from the lowest bit.
#[derive(Default)]
pub struct BitWriter {
    words: Vec<u64>,
    bits: usize,
}

impl BitWriter {
    /// Writes the lowest `bits` bits of a number.
    pub fn put(&mut self, number: u64, bits: usize) {
        let (word, shift) = (self.bits / 64, self.bits % 64);
        self.skip(bits);
        if bits == 0 {
            return;
        }
        let number = if bits >= 64 { number } else { number & ((1 << bits) - 1) };
        self.words[word] |= number << shift;
        if shift + bits > 64 {
            self.words[word + 1] |= number >> (64 - shift);
        }
    }

    /// Writes zeros.
    pub fn skip(&mut self, bits: usize) {
        self.bits += bits;
        self.words.resize(self.bits.div_ceil(64), 0);
    }

    /// The words, filled with 0 up to `width`.
    pub fn finish(mut self, width: usize) -> Box<[u64]> {
        self.words.resize(width.max(self.words.len()), 0);
        self.words.into()
    }
}

/// A bit reader; it gives zeros past the end.
pub struct BitReader<'a> {
    words: &'a [u64],
    bits: usize,
}

impl BitReader<'_> {
    /// The next bits, at most 64.
    pub fn take(&mut self, bits: usize) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (word, shift) = (self.bits / 64, self.bits % 64);
        self.bits += bits;
        let at = |word: usize| self.words.get(word).copied().unwrap_or(0);
        let high = if shift == 0 { 0 } else { at(word + 1) << (64 - shift) };
        let number = at(word) >> shift | high;
        if bits >= 64 { number } else { number & ((1 << bits) - 1) }
    }
}

impl Interpreter {
    /// The packed form of a state. Equal states have equal words, different states different ones.
    pub fn pack(&self, state: &State) -> Box<[u64]> {
        self.patience.spend(state.cells.len() as u64 / 16);
        let mut words = self.packed_cells(state).into_vec();
        for entries in &state.history {
            words.push(entries.len() as u64);
            words.extend(entries.iter().flatten());
        }
        words.into()
    }

    /// The state of this packed form.
    pub fn unpack(&self, words: &[u64]) -> State {
        let mut reader = BitReader { words, bits: 0 };
        let fields = self.rules.fields.iter().zip(&self.codes);
        let cells = fields
            .flat_map(|(field, code)| (0..field.cells()).map(move |_| code))
            .map(|code| code.read(&mut reader));
        let cells = cells.collect();
        let mut rest = words.get(self.words..).unwrap_or_default();
        let mut history = Vec::new();
        for watch in &self.watches {
            let entries = rest.get(1..).unwrap_or_default();
            let count = rest.first().map_or(0, |&count| count as usize).min(entries.len() / watch.width);
            let (entries, after) = entries.split_at(count * watch.width);
            history.push(entries.chunks(watch.width).map(Into::into).collect());
            rest = after;
        }
        State { cells, history }
    }

    /// The packed cells of a state, without the histories.
    pub(super) fn packed_cells(&self, state: &State) -> Box<[u64]> {
        let mut writer = BitWriter::default();
        self.write_cells(&mut writer, state);
        writer.finish(self.words)
    }

    pub(super) fn write_cells(&self, writer: &mut BitWriter, state: &State) {
        let mut cells = state.cells.iter();
        for (field, code) in self.rules.fields.iter().zip(&self.codes) {
            for value in cells.by_ref().take(field.cells()) {
                code.write(writer, Some(value));
            }
        }
    }
}
