//! Fluents: the variables of a position. A cell of the state is a fluent whose values are those of its type. A cell
//! that holds a set has one Boolean fluent (false, true) for each possible element.

use super::formula::MAX_VALUES;
use super::{FluentId, GroundingError};
use bouton_base::id::{Id, IdVec};
use bouton_rules::{FieldId, MOVER, PHASE, Rules, Type, Value};

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fluent {
    pub field: FieldId,
    /// The index of the cell within the field.
    pub cell: usize,
    /// The element that the fluent is about, if the cell holds a set.
    pub element: Option<Value>,
    /// The values in order; false, true for an element of a set.
    pub values: Vec<Value>,
}

/// All fluents of a game, with indices by cell and by field.
#[derive(Clone, Debug)]
pub struct Fluents {
    list: IdVec<FluentId, Fluent>,
    /// The first fluent of each cell, with cells counted over all fields.
    first: Vec<FluentId>,
    /// The first cell of each field.
    cells: IdVec<FieldId, usize>,
}

impl Fluents {
    /// Makes the fluents of these rules.
    pub(super) fn of(rules: &Rules) -> Result<Fluents, GroundingError> {
        let mut fluents = Fluents { list: IdVec::new(), first: Vec::new(), cells: IdVec::new() };
        for (id, field) in rules.fields.entries() {
            fluents.cells.push(fluents.first.len());
            let base = field.ty.base();
            let elements = match base {
                Type::Set(of) => Some(
                    rules
                        .type_values(of, MAX_SET_ELEMENTS)
                        .ok_or_else(|| too_many(&field.name, field.span))?,
                ),
                _ => None,
            };
            let values = match elements {
                Some(_) => vec![Value::Bool(false), Value::Bool(true)],
                None => rules
                    .type_values(&field.ty, MAX_VALUES)
                    .ok_or_else(|| too_many(&field.name, field.span))?,
            };
            for cell in 0..field.cells() {
                let next = fluents.list.next_id();
                fluents.first.push(next);
                let fluent =
                    |element: Option<Value>| Fluent { field: id, cell, element, values: values.clone() };
                match &elements {
                    Some(elements) => {
                        elements.iter().for_each(|element| {
                            fluents.list.push(fluent(Some(element.clone())));
                        });
                    }
                    None => {
                        fluents.list.push(fluent(None));
                    }
                }
            }
        }
        Ok(fluents)
    }

    /// Returns the number of fluents.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is no fluent. It never does: the mover always is one.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, id: FluentId) -> &Fluent {
        &self.list[id]
    }

    /// Iterates over all fluents in the order of the fields, their cells and their elements.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (FluentId, &Fluent)> + ExactSizeIterator {
        self.list.entries()
    }

    /// Returns the index over all cells of a field's cell.
    pub fn cell(&self, field: FieldId, cell: usize) -> usize {
        self.cells[field] + cell
    }

    /// The fluent that holds the player to move.
    pub fn turn(&self) -> FluentId {
        self.first[self.cell(MOVER, 0)]
    }

    /// The fluent that holds the phase.
    pub fn phase(&self) -> FluentId {
        self.first[self.cell(PHASE, 0)]
    }

    /// Iterates over the fluents of a cell, in order.
    pub fn of_cell(&self, cell: usize) -> impl Iterator<Item = FluentId> + use<> {
        let first = self.first[cell].index();
        let end = self.first.get(cell + 1).map_or(self.list.len(), |next| next.index());
        (first..end).map(FluentId::new)
    }

    /// Converts a position from the values of all cells to the value numbers of all fluents. Returns `None` if a cell
    /// holds a value outside its type.
    pub fn position(&self, cells: &[Value]) -> Option<Vec<u8>> {
        let mut numbers = Vec::with_capacity(self.list.len());
        for (cell, value) in cells.iter().enumerate() {
            for id in self.of_cell(cell) {
                let fluent = &self.list[id];
                let number = match &fluent.element {
                    Some(element) => usize::from(value.as_set()?.binary_search(element).is_ok()),
                    None => fluent.values.binary_search(value).ok()?,
                };
                numbers.push(number as u8);
            }
        }
        Some(numbers)
    }

    /// Converts a position to the values of all cells; the inverse of [`position`](Self::position).
    pub fn cells(&self, position: &[u8]) -> Vec<Value> {
        let cell = |cell: usize| {
            let mut elements = Vec::new();
            for id in self.of_cell(cell) {
                let fluent = &self.list[id];
                let number = usize::from(position[id.index()]);
                match &fluent.element {
                    None => return fluent.values[number].clone(),
                    Some(element) if number == 1 => elements.push(element.clone()),
                    Some(_) => {}
                }
            }
            Value::set(elements)
        };
        (0..self.first.len()).map(cell).collect()
    }

    /// Renders a fluent in the syntax of the rules: `size[2]`, `a1 in shaded`.
    pub fn show(&self, rules: &Rules, id: FluentId) -> String {
        let fluent = &self.list[id];
        let field = &rules.fields[fluent.field];
        let keys: Vec<String> =
            bouton_rules::keys_of(&field.keys, fluent.cell).iter().map(|key| rules.show(key)).collect();
        let cell =
            if keys.is_empty() { field.name.clone() } else { format!("{}[{}]", field.name, keys.join(", ")) };
        match &fluent.element {
            Some(element) => format!("{} in {cell}", rules.show(element)),
            None => cell,
        }
    }
}

/// The maximal number of elements of a set that is split into fluents.
const MAX_SET_ELEMENTS: usize = 1024;

fn too_many(name: &str, span: bouton_base::source::Span) -> GroundingError {
    GroundingError::new(format!("`{name}` has too many values"), Some(span))
}
