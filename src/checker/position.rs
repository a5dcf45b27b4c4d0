//! Descriptions of positions.

use bouton_reference::{Interpreter, State};
use bouton_rules::{Field, FieldId, PHASE, Rules, Value, keys_of};

/// The maximal number of cells in a description.
const MAX_SHOWN_CELLS: usize = 40;

/// Describes a position by its cells: those of fields without keys, and the others that differ from the initial
/// position.
pub(super) fn describe(rules: &Rules, interpreter: &Interpreter, state: &State) -> String {
    let mut told = Vec::new();
    for (id, field) in rules.fields.entries() {
        if id == PHASE && rules.phases.len() < 2 {
            continue;
        }
        for cell in 0..field.cells() {
            let value = interpreter.read(state, id, cell);
            if field.keys.is_empty() || field.init.get(cell) != Some(&value) {
                told.push(format!("{} = {}", name(rules, field, cell), show(rules, id, &value)));
            }
        }
    }
    let more = told.len().saturating_sub(MAX_SHOWN_CELLS);
    told.truncate(MAX_SHOWN_CELLS);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", told.join(", "))
}

fn name(rules: &Rules, field: &Field, cell: usize) -> String {
    if field.keys.is_empty() {
        return field.name.clone();
    }
    let keys: Vec<String> = keys_of(&field.keys, cell).iter().map(|key| rules.show(key)).collect();
    format!("{}[{}]", field.name, keys.join(", "))
}

fn show(rules: &Rules, id: FieldId, value: &Value) -> String {
    let phase = value.as_int().filter(|_| id == PHASE).and_then(|i| usize::try_from(i).ok());
    match phase.and_then(|i| rules.phases.as_slice().get(i)) {
        Some(phase) => phase.name.clone(),
        None => rules.show(value),
    }
}
