//! Fluents: what a position is made of. A cell of the state is a fluent with the values of its type; of a cell that holds
//! a set each element that may be in it is one, with the values false and true.

use super::formula::MOST_VALUES;
use super::{FluentId, Refusal};
use crate::base::id::{Id, IdVec};
use crate::rules::{FieldId, MOVER, PHASE, Rules, Type, Value};

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fluent {
    /// The field it belongs to.
    pub field: FieldId,
    /// Which of the field's cells.
    pub cell: usize,
    /// Of a cell that holds a set: the element it speaks of.
    pub element: Option<Value>,
    /// Its values in order; of an element: false, true.
    pub values: Vec<Value>,
}

/// All fluents of a game and where they are.
#[derive(Clone, Debug)]
pub struct Fluents {
    list: IdVec<FluentId, Fluent>,
    /// By cell, counted over all fields: its first fluent.
    first: Vec<FluentId>,
    /// By field: its first cell.
    cells: IdVec<FieldId, usize>,
}

impl Fluents {
    /// The fluents of these rules.
    pub(super) fn of(rules: &Rules) -> Result<Fluents, Refusal> {
        let mut fluents = Fluents { list: IdVec::new(), first: Vec::new(), cells: IdVec::new() };
        for (id, field) in rules.fields.entries() {
            fluents.cells.push(fluents.first.len());
            let base = field.ty.base();
            let elements = match base {
                Type::Set(of) => Some(
                    rules.type_values(of, MOST_ELEMENTS).ok_or_else(|| too_many(&field.name, field.span))?,
                ),
                _ => None,
            };
            let values = match elements {
                Some(_) => vec![Value::Bool(false), Value::Bool(true)],
                None => rules
                    .type_values(&field.ty, MOST_VALUES)
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none; never, the mover always is one.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A fluent.
    pub fn get(&self, id: FluentId) -> &Fluent {
        &self.list[id]
    }

    /// All, in the order of the fields, their cells and their elements.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (FluentId, &Fluent)> + ExactSizeIterator {
        self.list.entries()
    }

    /// Which of all cells this one of a field is.
    pub fn cell(&self, field: FieldId, cell: usize) -> usize {
        self.cells[field] + cell
    }

    /// Whose turn it is.
    pub fn turn(&self) -> FluentId {
        self.first[self.cell(MOVER, 0)]
    }

    /// In which phase.
    pub fn phase(&self) -> FluentId {
        self.first[self.cell(PHASE, 0)]
    }

    /// The fluents of a cell, in order.
    pub fn of_cell(&self, cell: usize) -> impl Iterator<Item = FluentId> + use<> {
        let first = self.first[cell].index();
        let end = self.first.get(cell + 1).map_or(self.list.len(), |next| next.index());
        (first..end).map(FluentId::new)
    }

    /// The numbers of the fluents' values in a position given as the values of all cells. None where a cell holds what
    /// it cannot hold.
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

    /// The values of all cells in a position: the inverse of [`position`](Self::position).
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

    /// A fluent as a person would write it: `size[2]`, `a1 in shaded`.
    pub fn show(&self, rules: &Rules, id: FluentId) -> String {
        let fluent = &self.list[id];
        let field = &rules.fields[fluent.field];
        let keys: Vec<String> =
            crate::rules::keys_of(&field.keys, fluent.cell).iter().map(|key| rules.show(key)).collect();
        let cell =
            if keys.is_empty() { field.name.clone() } else { format!("{}[{}]", field.name, keys.join(", ")) };
        match &fluent.element {
            Some(element) => format!("{} in {cell}", rules.show(element)),
            None => cell,
        }
    }
}

/// No set of more elements is taken apart.
const MOST_ELEMENTS: usize = 1024;

fn too_many(name: &str, span: crate::source::Span) -> Refusal {
    Refusal::new(format!("`{name}` has too many values"), Some(span))
}
