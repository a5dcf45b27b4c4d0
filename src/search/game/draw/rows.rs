//! Tables of fields over numbers or names: a column for each value of the last key, a row for each field or entry of
//! the other key. A set of numbers is a row with a mark under each of its elements.

use bouton_base::id::Id;
use bouton_rules::{DisplaySource, EnumKind, FieldId, Rules, Type, Value};

use super::super::{Game, State};
use super::{EMPTY_CELL, default_symbol, first_letter, signs};

/// The maximal number of columns of a table.
const MAX_COLUMNS: usize = 40;
/// The maximal number of characters of a line of a table.
const MAX_LINE: usize = 100;
/// The maximal number of rows for one field.
const MAX_ROWS: usize = 8;
/// The character under an element of a set whose field has no name to take it from.
const MARK: &str = "x";

/// A field as rows of a table.
pub(super) struct FieldRows<'a> {
    rules: &'a Rules,
    field: FieldId,
    /// The values that the columns stand for.
    columns: Vec<Value>,
    /// True if the field is a set, whose elements the columns are.
    is_set: bool,
    signs: Vec<(Value, String)>,
}

impl<'a> FieldRows<'a> {
    /// The rows of a field: of a set of numbers, of one over numbers, or of one with two keys, the second of which has a
    /// few values.
    pub fn of(rules: &'a Rules, id: FieldId) -> Option<FieldRows<'a>> {
        let field = &rules.fields[id];
        let (columns, is_set) = match (&field.keys[..], field.ty.base()) {
            ([], Type::Set(inner)) if is_number(inner) => (rules.type_values(inner, MAX_COLUMNS)?, true),
            ([key], _) if is_number(&key.ty) => (key.values.to_vec(), false),
            ([first, second], _) if first.values.len() <= MAX_ROWS && !is_cell(rules, &second.ty) => {
                (second.values.to_vec(), false)
            }
            _ => return None,
        };
        let fits = (2..=MAX_COLUMNS).contains(&columns.len()) && (is_set || is_short(&field.ty));
        fits.then(|| FieldRows {
            rules,
            field: id,
            columns,
            is_set,
            signs: if is_set { Vec::new() } else { signs(rules, DisplaySource::Field(id)) },
        })
    }

    /// The name and the entries of each row.
    fn rows(&self, game: &Game, state: &State) -> Vec<(String, Vec<String>)> {
        let field = &self.rules.fields[self.field];
        if self.is_set {
            let set = game.machine.read(state, self.field, 0);
            let letter = first_letter(&field.name).to_lowercase();
            let mark = if letter.is_empty() { MARK.to_owned() } else { letter };
            let entry = |value: &Value| match set.as_set().is_some_and(|set| set.binary_search(value).is_ok())
            {
                true => mark.clone(),
                false => EMPTY_CELL.to_owned(),
            };
            return vec![(field.name.clone(), self.columns.iter().map(entry).collect())];
        }
        let heads: Vec<String> = match &field.keys[..] {
            [first, _] => {
                first.values.iter().map(|key| format!("{}[{}]", field.name, self.rules.show(key))).collect()
            }
            _ => vec![field.name.clone()],
        };
        let width = self.columns.len();
        let entry = |cell: usize| {
            let value = game.machine.read(state, self.field, cell);
            let sign = self.signs.iter().find(|(of, _)| *of == value).map(|(_, sign)| sign.clone());
            sign.unwrap_or_else(|| default_symbol(self.rules, &field.name, &value))
        };
        let row = |(at, head): (usize, String)| (head, (at * width..(at + 1) * width).map(entry).collect());
        heads.into_iter().enumerate().map(row).collect()
    }
}

/// Draws fields with the same columns as one table; `None` if its lines would be too long.
pub(super) fn table(game: &Game, state: &State, fields: &[FieldRows<'_>]) -> Option<String> {
    let first = fields.first()?;
    let heads: Vec<String> = first.columns.iter().map(|value| first.rules.show(value)).collect();
    let rows: Vec<(String, Vec<String>)> = fields.iter().flat_map(|field| field.rows(game, state)).collect();
    let length = |text: &String| text.chars().count();
    let longest = rows.iter().map(|(name, _)| length(name)).max()?;
    let width = |at: usize| rows.iter().map(|(_, row)| length(&row[at])).fold(length(&heads[at]), usize::max);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    if longest + 1 + widths.iter().map(|width| width + 1).sum::<usize>() > MAX_LINE {
        return None;
    }
    let mut text = String::new();
    for (name, row) in std::iter::once((String::new(), heads)).chain(rows) {
        let mut line = format!("{name:<longest$} ");
        for (entry, width) in row.iter().zip(&widths) {
            line += &format!(" {entry:>width$}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    Some(text)
}

/// Returns true if both fields have the same columns.
pub(super) fn same_columns(one: &FieldRows<'_>, other: &FieldRows<'_>) -> bool {
    one.columns == other.columns
}

fn is_number(ty: &Type) -> bool {
    matches!(ty.base(), Type::Int(..))
}

fn is_cell(rules: &Rules, ty: &Type) -> bool {
    matches!(ty.base(), Type::Sym(of) if of.index() < rules.enums.len()
        && matches!(rules.enums[*of].kind, EnumKind::Cells(_) | EnumKind::Sides(_)))
}

/// Returns true if a value of the type is a number, a name, or nothing.
fn is_short(ty: &Type) -> bool {
    match ty.base() {
        Type::Int(..) | Type::Sym(_) | Type::Bool => true,
        Type::Option(inner) => is_short(inner),
        _ => false,
    }
}
