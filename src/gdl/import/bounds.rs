//! The bounds of keys and numbers. Outside of a field's keys a cell is undefined: `f[x] = c` is false there, but
//! `f[x] != c` is true, where the sheet has no fluent. So a condition that takes the value of a cell bounds its keys,
//! unless the ranges of the terms, or another condition, show that the cell exists.

use std::collections::BTreeSet;

use super::formulas::{Scope, mentions};
use super::types::{Kind, Place, places};
use super::{Fluent, Importer, Static, head_of};
use crate::sheet::{Literal, Pattern};
use crate::terms::Symbol;

/// The least and the greatest value of a term.
pub type Range = (i64, i64);

/// The numbers that two ranges share.
fn intersection(a: Range, b: Range) -> Range {
    (a.0.max(b.0), a.1.min(b.1))
}

/// Returns true if a range is a part of another one.
pub(super) fn is_within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// A range as written, `1..4`.
fn parse(written: &str) -> Option<Range> {
    let (least, most) = written.split_once("..")?;
    Some((least.parse().ok()?, most.parse().ok()?))
}

/// The condition that a term is in a range, where its values are known as far as `known` says; `None` if they are in it,
/// and `false` if none of them is.
fn bound(term: &str, wanted: Range, known: Option<Range>) -> Option<String> {
    let (least, most) = wanted;
    if known.is_some_and(|(low, high)| high < least || most < low) {
        return Some("false".to_owned());
    }
    let (has_least, has_most) = known.map_or((false, false), |(low, high)| (least <= low, high <= most));
    match (has_least, has_most) {
        (true, true) => None,
        (true, false) => Some(format!("{term} <= {most}")),
        (false, true) => Some(format!("{term} >= {least}")),
        (false, false) => Some(in_range(term, wanted)),
    }
}

/// The condition that a term is in a range.
pub(super) fn in_range(term: &str, range: Range) -> String {
    let (least, most) = range;
    if least == most { format!("{term} = {least}") } else { format!("{term} in {least}..{most}") }
}

impl Scope {
    /// The range of a number; `None` if it is not known.
    pub(super) fn range_of(&self, term: &str) -> Option<Range> {
        if let Ok(number) = term.parse::<i64>() {
            return Some((number, number));
        }
        if let Some(&range) = self.ranges.get(term) {
            return Some(range);
        }
        let shifted = |sign: &str, by: i64| {
            let (base, number) = term.rsplit_once(sign)?;
            let number = by * number.parse::<i64>().ok()?;
            self.range_of(base).map(|(least, most)| (least + number, most + number))
        };
        shifted(" + ", 1).or_else(|| shifted(" - ", -1))
    }

    /// Notes that a term has values of this type.
    pub(super) fn note_type(&mut self, term: &str, written: &str) {
        if let Some(range) = parse(written) {
            self.ranges.entry(term.to_owned()).or_insert(range);
        }
        if written.ends_with('?') {
            self.optional.insert(term.to_owned());
        }
    }
}

impl Importer<'_> {
    /// The range of a key of a field or of a parameter of a move; `None` if it is no number.
    pub(super) fn range_at(&self, name: Symbol, at: usize) -> Option<Range> {
        parse(&self.type_of_argument(name, at).ok()?)
    }

    /// Notes the type of a parameter at a place.
    pub(super) fn note_place(&self, scope: &mut Scope, name: &str, place: Place) {
        // Other terms have the ranges of their parts.
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return;
        }
        let written = match place {
            Place::Function(function, at) => self.type_of_argument(function, at),
            place => self.type_of_parameter(place),
        };
        if let Ok(written) = written {
            scope.note_type(name, &written);
        }
    }

    /// The range of a variable that these conditions, all of which hold, leave: as a key of a cell it has no others.
    pub(super) fn range_as_key(&self, literals: &[&Literal], var: u32, whole: Range) -> Range {
        let mut found = whole;
        for literal in literals {
            if let Some(range) = self.key_range(literal, var) {
                found = intersection(found, range);
            }
        }
        if found.0 <= found.1 { found } else { whole }
    }

    /// The range of a variable as a key of a cell that a condition is about; `None` if it is none, or no number.
    pub(super) fn key_range(&self, literal: &Literal, var: u32) -> Option<Range> {
        let Literal::Positive(sentence) = literal else { return None };
        if sentence.relation != self.sheet.keywords.true_ {
            return None;
        }
        let (Pattern::Const(name) | Pattern::Compound(name, _)) = sentence.args.first()? else { return None };
        let args = places(&self.sheet.keywords, sentence);
        let keys = match self.fluents.get(name)? {
            Fluent::Truth(_) => args.len(),
            Fluent::Value { .. } => args.len().saturating_sub(1),
            Fluent::Constant | Fluent::Control => 0,
        };
        let own = (0..keys).filter(|&at| *args[at].1 == Pattern::Var(var));
        own.filter_map(|at| self.range_at(*name, at)).reduce(intersection)
    }

    /// The conditions that a cell of a field exists for these keys, besides other conditions among these that say so.
    pub(super) fn key_bounds(
        &self,
        fluent: &Pattern,
        keys: &[String],
        among: &[&Literal],
        scope: &Scope,
    ) -> Vec<String> {
        let Pattern::Compound(name, args) = fluent else { return Vec::new() };
        let mut parts = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let Some(wanted) = self.range_at(*name, at) else {
                let is_role = self.type_of_argument(*name, at).is_ok_and(|of| of == "Player");
                if is_role && (scope.optional.contains(key) || key.contains('[')) {
                    parts.push(format!("{key} != none"));
                }
                continue;
            };
            let is_bound = |literal: &&Literal| match args[at] {
                Pattern::Var(var) => {
                    self.is_false_outside(literal, scope)
                        && self.key_range(literal, var).is_some_and(|range| is_within(range, wanted))
                }
                _ => false,
            };
            if !among.iter().any(is_bound) {
                parts.extend(bound(key, wanted, scope.range_of(key)));
            }
        }
        parts
    }

    /// Returns true if the game is over where a fluent without other arguments has this number.
    pub(super) fn ends_with(&self, name: Symbol, number: i64) -> bool {
        let of = &self.sheet.keywords;
        let is_number = |arg: &Pattern| match arg {
            Pattern::Const(value) => self.symbol(*value).parse() == Ok(number),
            _ => false,
        };
        self.clauses_of(of.terminal).iter().any(|(_, clause)| match &clause.body[..] {
            [Literal::Positive(only)] if only.relation == of.true_ => match &only.args[0] {
                Pattern::Compound(function, args) => {
                    *function == name && args.len() == 1 && is_number(&args[0])
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// The condition that a cell of a field is no hole; `None` if the field has no holes that look like empty cells.
    pub(super) fn no_hole(&self, field: &str, keys: &[String]) -> Option<String> {
        self.holes.get(field).map(|name| format!("{name}({})", keys.join(", ")))
    }

    /// Writes the definitions of the cells that exist.
    pub(super) fn write_holes(&mut self) {
        for (&fluent, form) in &self.fluents.clone() {
            let Fluent::Value { field, .. } = form else { continue };
            let Some(name) = self.holes.get(field).filter(|name| mentions(&self.out, name)).cloned() else {
                continue;
            };
            let count = self.types.arity(fluent).saturating_sub(1);
            let keys: Vec<String> = (1..=count).map(|at| self.types.unused(&format!("k{at}"))).collect();
            let types = (0..count).map(|at| self.type_of_argument(fluent, at).unwrap_or_default());
            let params: Vec<String> =
                keys.iter().zip(types).map(|(key, of)| format!("{key}: {of}")).collect();
            let all = self.names.fluents.iter().map(|of| &of.term).chain(&self.names.constants);
            let own = all.filter(|term| head_of(term) == self.symbol(fluent));
            let mut cells: BTreeSet<Vec<String>> = own.map(|term| self.written_args(fluent, term)).collect();
            cells = cells.into_iter().map(|cell| cell[..count].to_vec()).collect();
            let cells: Vec<&[String]> = cells.iter().map(Vec::as_slice).collect();
            let sizes: Vec<Option<usize>> = (0..count).map(|at| self.key_size(fluent, at)).collect();
            let condition = super::first_values::among(&cells, &sizes);
            self.line(&format!("def {name}({}) = {condition};", params.join(", ")));
        }
    }

    /// Returns true if the condition on a cell is false where the cell does not exist: if it takes no value.
    fn is_false_outside(&self, literal: &Literal, scope: &Scope) -> bool {
        let Literal::Positive(sentence) = literal else { return false };
        match sentence.args.first().and_then(|fluent| self.fluent(fluent)) {
            Some(Fluent::Truth(_)) => true,
            Some(Fluent::Value { .. }) => match &sentence.args[0] {
                Pattern::Compound(_, args) => match args.last() {
                    Some(Pattern::Const(_)) => true,
                    // A variable that the mover or a parameter is.
                    Some(Pattern::Var(var)) => scope.terms.get(var).is_some_and(|term| !term.contains('[')),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// The condition that a known number and the one a step further are a fact of a relation of successors or
    /// predecessors. `open`: the argument that the step determines, which is `term`.
    pub(super) fn step_bound(
        &self,
        relation: Symbol,
        open: (usize, &Pattern),
        term: &str,
        among: &[&Literal],
        scope: &Scope,
    ) -> Option<String> {
        let (at, pattern) = open;
        // The least and the greatest number of the argument in the facts.
        let wanted = match self.statics.get(&relation)? {
            Static::Successor { most, count } if at == 1 => (most - count + 1, *most),
            Static::Successor { most, count } => (most - count, most - 1),
            Static::Predecessor { least, count } if at == 1 => (*least, least + count - 1),
            Static::Predecessor { least, count } => (least + 1, least + count),
            _ => return None,
        };
        let is_up = matches!(self.statics.get(&relation), Some(Static::Successor { .. })) == (at == 1);
        let step = if is_up { 1 } else { -1 };
        let of_type = match self.types.kind(Place::Relation(relation, 1 - at)) {
            Some(Kind::Numbers(least, most)) => Some((least + step, most + step)),
            _ => None,
        };
        let mut known = scope.range_of(term).or(of_type)?;
        if let Pattern::Var(var) = pattern {
            for range in among.iter().filter_map(|literal| self.key_range(literal, *var)) {
                known = intersection(known, range);
            }
        }
        bound(term, wanted, Some(known))
    }
}
