//! The first values of fields as conditions on their keys, and the functions that samples show to have one
//! value each.

use std::collections::{BTreeMap, BTreeSet};

use super::{head_of, key_of};
use crate::sheet::Sheet;
use crate::simplify::Propositions;
use crate::terms::Symbol;

/// The first values of a field of truth values, by the keys of those that are true; each key has so many values.
pub(super) fn truth(initial: &[Vec<String>], sizes: &[Option<usize>]) -> String {
    let cells: Vec<&[String]> = initial.iter().map(Vec::as_slice).collect();
    match initial {
        [] => String::new(),
        _ => among(&cells, sizes),
    }
}

/// The condition that the keys `k1`, `k2`, ... of a field, each with so many values, are among these.
pub(super) fn among(cells: &[&[String]], sizes: &[Option<usize>]) -> String {
    let keys: Vec<String> = (1..=sizes.len()).map(|at| format!("k{at}")).collect();
    let mut values: Vec<Vec<&String>> = vec![Vec::new(); sizes.len()];
    for cell in cells {
        for (values, value) in values.iter_mut().zip(*cell) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    let cells: BTreeSet<&[String]> = cells.iter().copied().collect();
    let all = values.iter().try_fold(1usize, |all, of_key| all.checked_mul(of_key.len()));
    if all != Some(cells.len()) {
        let cells: Vec<String> = cells.iter().map(|keys| format!("({})", keys.join(", "))).collect();
        return format!("({}) in {{ {} }}", keys.join(", "), cells.join(", "));
    }
    // Each key has its own values, whatever the others are.
    let mut parts = Vec::new();
    for ((key, values), size) in keys.iter().zip(values).zip(sizes) {
        let numbers: Option<BTreeSet<i64>> = values.iter().map(|value| value.parse().ok()).collect();
        let range = numbers.as_ref().and_then(|numbers| {
            let (first, last) = (*numbers.first()?, *numbers.last()?);
            (last - first + 1 == numbers.len() as i64).then(|| format!("{first}..{last}"))
        });
        match (&values[..], range) {
            (values, _) if *size == Some(values.len()) => {}
            ([only], _) => parts.push(format!("{key} = {only}")),
            (_, Some(range)) => parts.push(format!("{key} in {range}")),
            (values, None) => {
                let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
                parts.push(format!("{key} in {{ {} }}", values.join(", ")));
            }
        }
    }
    if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") }
}

/// The first values of a field with values, whose keys have so many values: the most common one stands last.
pub(super) fn values(initial: &[Vec<String>], sizes: &[Option<usize>], total: bool) -> String {
    let mut by_value: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    for args in initial {
        if let Some((value, keys)) = args.split_last() {
            by_value.entry(value).or_default().push(keys);
        }
    }
    let rest = match total {
        true => by_value.iter().max_by_key(|(_, keys)| keys.len()).map(|(value, _)| (*value).to_owned()),
        false => None,
    };
    if let Some(rest) = &rest {
        by_value.remove(rest.as_str());
    }
    let rest = rest.unwrap_or_else(|| "none".to_owned());
    by_value.remove(rest.as_str());
    if by_value.is_empty() {
        return rest;
    }
    if sizes.is_empty() {
        return by_value.keys().next().map(|value| (*value).to_owned()).unwrap_or(rest);
    }
    let arms = by_value.iter().map(|(value, cells)| (among(cells, sizes), value));
    let mut written = String::new();
    for (condition, value) in arms {
        if condition == "true" {
            return written + value;
        }
        written += &format!("if {condition} then {value} else ");
    }
    written + &rest
}

/// The functions of fluents with arguments of which at most one holds for each key in all samples.
pub(super) fn exclusive_in(samples: &[Vec<String>], sheet: &Sheet, game: &Propositions) -> BTreeSet<Symbol> {
    let fluents = game.possible(sheet.keywords.true_);
    let terms = fluents.into_iter().map(|fluent| game.terms.get(game.facts.args(fluent)[0]));
    let mut found: BTreeSet<Symbol> =
        terms.filter(|term| !term.args.is_empty()).map(|term| term.name).collect();
    for sample in samples {
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        for term in sample {
            if !keys.insert(key_of(term))
                && let Some(name) = sheet.symbols.find(head_of(term))
            {
                found.remove(&name);
            }
        }
    }
    found
}

/// The functions of these with a fluent for each key in all samples.
pub(super) fn total_in(
    functions: &BTreeSet<Symbol>,
    samples: &[Vec<String>],
    sheet: &Sheet,
    game: &Propositions,
) -> BTreeSet<Symbol> {
    let mut keys: BTreeMap<Symbol, BTreeSet<String>> = BTreeMap::new();
    for fluent in game.possible(sheet.keywords.true_) {
        let term = game.facts.args(fluent)[0];
        let name = game.terms.get(term).name;
        if functions.contains(&name) {
            let written = game.terms.render(&sheet.symbols, term);
            keys.entry(name).or_default().insert(key_of(&written).to_owned());
        }
    }
    let mut found: BTreeSet<Symbol> = keys.keys().copied().collect();
    for sample in samples {
        let mut here: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for term in sample {
            here.entry(head_of(term)).or_default().insert(key_of(term));
        }
        found.retain(|function| {
            here.get(sheet.symbols.name(*function)).is_some_and(|here| here.len() == keys[function].len())
        });
    }
    found
}
