//! Positions: the packed values of all cells, and the history that the rules read.

use super::compact::Compact;
use super::history::HistoryEntry;
use super::node::KeyIndex;
use super::pack::{BitReader, BitWriter, ValueCode};
use bouton_base::id::{Id, IdVec};
use bouton_rules::{FieldId, MOVER, PHASE, PhaseId, Rules};

/// A position. [`Interpreter::cells`](super::Interpreter::cells) gives the values of its cells.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The values of all fields, in the order of their declaration, the last key fastest, without gaps.
    pub(super) words: Box<[u64]>,
    /// The earlier entries of each watch in this play, in the order of `forbid repeat` and then the counted `repeat`.
    /// Empty if the rules read no history.
    pub history: Vec<Vec<HistoryEntry>>,
}

/// The places of the cells of all fields in a position.
#[derive(Debug)]
pub struct Layout {
    fields: IdVec<FieldId, FieldLayout>,
    /// The number of cells.
    pub cells: usize,
    /// The number of words.
    pub words: usize,
    /// The cells that return to their initial value after a move that does not set them, with that value.
    pub transient: Vec<(usize, Compact)>,
}

/// The places of the cells of a field.
#[derive(Debug)]
pub struct FieldLayout {
    /// The index of the first cell among all cells.
    first: usize,
    /// The first bit of the first cell.
    bit: usize,
    /// The number of bits of a cell.
    bits: usize,
    /// The encoding of the values.
    pub code: ValueCode,
    pub keys: Vec<KeyIndex>,
}

impl FieldLayout {
    /// The value of a cell.
    #[inline]
    pub fn read(&self, state: &State, cell: usize) -> Compact {
        self.code.read(&mut BitReader { words: &state.words, at: self.bit + cell * self.bits })
    }
}

impl Layout {
    /// Lays the fields out one after another.
    pub fn new(rules: &Rules) -> Layout {
        let mut layout = Layout { fields: IdVec::new(), cells: 0, words: 0, transient: Vec::new() };
        let mut bit = 0;
        for field in &rules.fields {
            let first = layout.cells;
            let code = ValueCode::of(rules, &field.ty);
            let (bits, keys) =
                (code.bits(), field.keys.iter().map(|key| KeyIndex::of(&key.values)).collect());
            layout.fields.push(FieldLayout { first, bit, bits, code, keys });
            layout.cells += field.cells();
            bit += field.cells() * bits;
            if field.transient {
                layout.transient.extend((first..layout.cells).zip(field.init.iter().map(Compact::from)));
            }
        }
        // At least one word, so that the key of every position has words.
        layout.words = bit.div_ceil(64).max(1);
        layout
    }

    #[cfg(test)]
    pub fn fields(&self) -> impl Iterator<Item = &FieldLayout> {
        self.fields.iter()
    }

    /// The places of the cells of a field.
    #[inline]
    pub fn of(&self, field: FieldId) -> &FieldLayout {
        &self.fields[field]
    }

    /// The cell of a field with these keys; `None` if a key is outside its domain.
    pub fn cell(&self, field: FieldId, keys: &[Compact]) -> Option<usize> {
        KeyIndex::cell(&self.fields[field].keys, keys)
    }

    /// The index of a cell of a field among all cells.
    pub fn index(&self, field: FieldId, cell: usize) -> usize {
        self.fields[field].first + cell
    }

    /// The field of a cell, and the index of the cell in the field.
    pub fn field(&self, index: usize) -> (FieldId, usize) {
        let after = self.fields.as_slice().partition_point(|field| field.first <= index);
        // A field without cells begins where the next one does, so the last that begins there is the right one.
        let field = FieldId::new(after.saturating_sub(1));
        (field, index - self.fields[field].first)
    }

    /// The value of a cell of a field.
    pub fn read(&self, state: &State, field: FieldId, cell: usize) -> Compact {
        self.fields[field].read(state, cell)
    }

    /// Gives a cell of a field a value.
    pub fn write(&self, state: &mut State, field: FieldId, cell: usize, value: &Compact) {
        let field = &self.fields[field];
        let at = field.bit + cell * field.bits;
        field.code.write(&mut BitWriter { words: &mut state.words, at }, Some(value));
    }

    /// The player to move.
    pub fn mover(&self, state: &State) -> u32 {
        self.read(state, MOVER, 0).as_sym().map_or(0, |(_, player)| player)
    }

    pub fn phase(&self, state: &State) -> PhaseId {
        let index = self.read(state, PHASE, 0).as_int().and_then(|i| u32::try_from(i).ok());
        PhaseId(index.unwrap_or(0))
    }

    pub fn set_mover(&self, state: &mut State, player: &Compact) {
        self.write(state, MOVER, 0, player);
    }

    pub fn set_phase(&self, state: &mut State, phase: PhaseId) {
        self.write(state, PHASE, 0, &Compact::Int(i64::from(phase.0)));
    }
}
