//! Values and tables of values.

use indexmap::IndexMap;

use super::quoted;
use crate::{Enum, KeyDomain, Rules, Type, Value};

/// The precedence of an expression's text; see `expr`.
pub(super) type Precedence = u8;

/// Prints a value, with the precedence of the text.
pub(super) fn value(rules: &Rules, value: &Value) -> (String, Precedence) {
    match value {
        Value::Int(i) => (i.to_string(), if *i < 0 { 8 } else { 9 }),
        Value::Ratio(r) => (r.to_string(), 7),
        Value::Text(text) => (quoted(text), 9),
        Value::Set(items) => set(rules, items),
        Value::List(items) => (format!("[{}]", list(rules, items)), 9),
        Value::Tuple(tuple) => {
            let record =
                tuple.record.map(|r| rules.records.get(r).map_or(r.to_string(), |known| known.name.clone()));
            (format!("{}({})", record.unwrap_or_default(), list(rules, &tuple.parts)), 9)
        }
        Value::Sym(id, index) => {
            let name = rules.enums.get(*id).and_then(|e| e.members.get(*index as usize));
            (name.cloned().unwrap_or_else(|| format!("{id}#{index}")), 9)
        }
        Value::None | Value::Bool(_) => (rules.show(value), 9),
    }
}

/// Prints values, separated by commas.
pub(super) fn list(rules: &Rules, values: &[Value]) -> String {
    values.iter().map(|v| value(rules, v).0).collect::<Vec<_>>().join(", ")
}

/// Prints the values of a set or domain: the name of an enum for all its members, a range for consecutive numbers.
pub(super) fn set(rules: &Rules, values: &[Value]) -> (String, Precedence) {
    if let Some(whole) = whole_enum(rules, values) {
        return (whole.name.clone(), 9);
    }
    if let [Value::Int(first), .., Value::Int(last)] = values {
        let follows = |pair: &[Value]| match pair {
            [Value::Int(a), Value::Int(b)] => a.checked_add(1) == Some(*b),
            _ => false,
        };
        let run = values.windows(2).all(follows);
        if run && values.len() > 2 {
            return (format!("{first}..{last}"), 5);
        }
    }
    if values.is_empty() { ("{}".into(), 9) } else { (format!("{{ {} }}", list(rules, values)), 9) }
}

fn whole_enum<'a>(rules: &'a Rules, values: &[Value]) -> Option<&'a Enum> {
    let Some(Value::Sym(id, 0)) = values.first() else { return None };
    let known = rules.enums.get(*id)?;
    let all = values.iter().enumerate().all(|(i, v)| *v == Value::Sym(*id, i as u32));
    (all && values.len() == known.members.len()).then_some(known)
}

/// Prints `c: Cell`, or `c: Cell in { a1, b2 }` if the domain is not the whole type.
pub(super) fn named(rules: &Rules, name: &str, ty: &Type, values: &[Value]) -> String {
    let ty = rules.show_type(ty);
    let domain = set(rules, values).0;
    if domain == ty || ty == "bool" && values.len() == 2 {
        format!("{name}: {ty}")
    } else {
        format!("{name}: {ty} in {domain}")
    }
}

/// Prints `[c: Cell, p: Player]`, or nothing if there is no key.
pub(super) fn keys(rules: &Rules, keys: &[KeyDomain]) -> String {
    let texts: Vec<String> = keys.iter().map(|k| named(rules, &k.name, &k.ty, &k.values)).collect();
    if texts.is_empty() { String::new() } else { format!("[{}]", texts.join(", ")) }
}

/// Prints the entries of a table, in row-major order: the most frequent text (the first of those) as the default, then
/// the others with their keys: `none but White at a1, b1; Black at a8`.
pub(super) fn entries(rules: &Rules, keys: &[KeyDomain], texts: &[String]) -> String {
    let mut places: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (cell, text) in texts.iter().enumerate() {
        places.entry(text).or_default().push(cell);
    }
    let most = places.values().map(Vec::len).max().unwrap_or(0);
    let Some(common) = places.iter().find(|(_, cells)| cells.len() == most).map(|(text, _)| *text) else {
        return "nothing".into();
    };
    let rest = places.iter().filter(|(text, _)| **text != common).map(|(text, cells)| {
        let at: Vec<String> = cells.iter().map(|&cell| key_text(rules, keys, cell)).collect();
        format!("{text} at {}", at.join(", "))
    });
    let rest: Vec<String> = rest.collect();
    if rest.is_empty() { common.to_string() } else { format!("{common} but {}", rest.join("; ")) }
}

/// Prints the keys of a cell.
fn key_text(rules: &Rules, keys: &[KeyDomain], mut cell: usize) -> String {
    let mut parts = Vec::new();
    for key in keys.iter().rev() {
        let len = key.values.len().max(1);
        parts.push(key.values.get(cell % len).map_or(String::new(), |v| value(rules, v).0));
        cell /= len;
    }
    parts.reverse();
    if parts.len() == 1 { parts.remove(0) } else { format!("({})", parts.join(", ")) }
}
