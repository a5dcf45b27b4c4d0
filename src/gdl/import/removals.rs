//! Removals: the fluents that no frame axiom keeps, where a move has effects.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::{Addition, Moved, is_repeated, negated};
use super::formulas::{Scope, any_of, cell};
use super::items::move_args;
use super::types::Place;
use super::{Fluent, ImportError, Importer};
use crate::sheet::{Clause, Literal};
use crate::terms::Symbol;

/// The removal of fluents by a move.
#[derive(Default)]
pub(super) struct Removal {
    pub statements: Vec<String>,
    /// The effect where the condition of the only addition fails.
    pub otherwise: Option<String>,
}

impl Importer<'_> {
    /// The statements that remove fluents which no frame axiom keeps.
    pub(super) fn removals<'i>(
        &self,
        name: Symbol,
        moved: Option<Moved<'_>>,
        frames: &[(usize, &'i Clause)],
        additions: &[Addition],
    ) -> Result<Removal, ImportError> {
        let Some(fluent) = self.fluents.get(&name) else { return Ok(Removal::default()) };
        let arity = (0..).take_while(|&at| self.types.kind(Place::Function(name, at)).is_some()).count();
        let (field, is_value) = match fluent {
            Fluent::Truth(field) => (field, false),
            Fluent::Value { field, .. } => (field, true),
            _ => return Ok(Removal::default()),
        };
        let empty = if is_value { "none" } else { "false" };
        let count = arity - usize::from(is_value);
        let keys: Vec<String> = (1..=count).map(|at| self.types.unused(&format!("k{at}"))).collect();
        let here = cell(field, &keys);
        let mut kept = Vec::new();
        let mut simple: Option<Vec<(usize, String)>> = None;
        let by_maker = |&(number, clause): &(usize, &'i Clause)| {
            self.makers_of(clause, moved).iter().map(move |&maker| (number, clause, maker))
        };
        for (number, clause, maker) in frames.iter().flat_map(by_maker) {
            let mut scope = Scope::new(number, clause, Self::context_of(moved));
            scope.names.extend(keys.iter().chain(moved.iter().flat_map(|of| of.1)).cloned());
            // The variables of the fluent are the cell.
            let args = move_args(&clause.head.args[0]);
            let mut terms = keys.clone();
            if is_value {
                terms.push(here.clone());
            }
            let mut parts = self.unify(&mut scope, &terms, args, |at| Place::Function(name, at));
            let rest = self
                .of_move(clause, (moved, maker), &mut scope, &mut parts)
                .map_err(|why| why.at(clause.span))?;
            let Some(rest) = rest else { continue };
            let rest: Vec<&Literal> =
                rest.into_iter().filter(|literal| !is_repeated(self, clause, literal)).collect();
            let formula =
                self.formula(&rest, &mut scope, &BTreeSet::new()).map_err(|why| why.at(clause.span))?;
            parts.extend(formula.parts);
            if parts.iter().any(|part| part == "false") || self.clash(&parts) {
                continue;
            }
            if parts.is_empty() {
                return Ok(Removal::default());
            }
            simple = match kept.is_empty() {
                true => differences(&parts, &keys),
                false => None,
            };
            kept.push(parts.join(" and "));
        }
        if any_of(&kept) == "true" {
            return Ok(Removal::default());
        }
        let types = (0..count).map(|at| self.type_of_argument(name, at));
        let types: Vec<String> = types.collect::<Result<_, _>>()?;
        // Of two players, each is the one or the other.
        let is_kept_by = |who: &str, key: &str| {
            kept.iter().any(|part| *part == format!("{who} = {key}") || *part == format!("{key} = {who}"))
        };
        let is_kept_by_both = |(key, of): (&String, &String)| {
            of == "Player" && is_kept_by("me", key) && is_kept_by("opponent", key)
        };
        if self.names.roles.len() == 2 && keys.iter().zip(&types).any(is_kept_by_both) {
            return Ok(Removal::default());
        }
        let certain = |addition: &Addition| addition.binders.is_empty() && addition.parts.is_empty();
        if count == 0 && additions.iter().any(certain) {
            return Ok(Removal::default());
        }
        // All cells but those with certain keys are kept.
        if let Some(fixed) = simple {
            let term = |at: usize| fixed.iter().find(|(key, _)| *key == at).map(|(_, term)| term.clone());
            let target: Vec<String> =
                (0..count).map(|at| term(at).unwrap_or_else(|| keys[at].clone())).collect();
            let open = (0..count).filter(|at| fixed.iter().all(|(key, _)| key != at));
            let binders: Vec<(&str, &str)> = open.map(|at| (keys[at].as_str(), types[at].as_str())).collect();
            let set = format!("{} := {empty};", cell(field, &target));
            let is_same = |addition: &Addition| addition.keys == target && addition.binders.is_empty();
            let is_cleared = |a: &Addition| fixed.iter().all(|(at, term)| a.keys[*at] == *term);
            match additions {
                [only] if is_same(only) && binders.is_empty() => {
                    return Ok(Removal { statements: Vec::new(), otherwise: Some(set) });
                }
                _ if additions.iter().all(|a| a.binders.is_empty() && !is_cleared(a)) => {
                    return Ok(Removal { statements: for_each(&binders, &set), otherwise: None });
                }
                _ => {}
            }
        }
        let mut conditions = vec![if is_value { format!("{here} != none") } else { here.clone() }];
        match &kept[..] {
            [] => {}
            [only] if only.starts_with("not ") && !only.contains(" and ") && !only.contains(" or ") => {
                conditions.push(only["not ".len()..].to_owned());
            }
            kept => conditions.push(negated(&any_of(kept))),
        }
        // What the conditions imply about the stored move.
        let implied: Vec<String> = conditions.iter().filter_map(|part| self.implied_choice(part)).collect();
        for addition in additions {
            let mut names: BTreeMap<&str, &str> = BTreeMap::new();
            for (binder, at) in addition.binders.iter().filter_map(|binder| {
                let name = binder.split(' ').next()?;
                Some((name, addition.keys.iter().position(|key| key == name)?))
            }) {
                names.insert(binder, &keys[at]);
            }
            // Where the variables are the cell, the condition is about this cell.
            let is_here = names.len() == addition.binders.len();
            let with = |part: &String| if is_here { substitute(part, &names) } else { part.clone() };
            let equal = keys.iter().zip(&addition.keys).filter(|(a, b)| **a != with(b));
            let equal: Vec<String> = equal.map(|(a, b)| format!("{a} = {}", with(b))).collect();
            let parts = addition.parts.iter().map(with);
            let both: Vec<String> = equal.into_iter().chain(parts).collect();
            let both: Vec<String> = match is_here {
                true => {
                    both.into_iter().filter(|p| !conditions.contains(p) && !implied.contains(p)).collect()
                }
                false => both,
            };
            let written = if both.is_empty() { "true".to_owned() } else { both.join(" and ") };
            match &both[..] {
                // Whatever is removed is set.
                [] if is_here => return Ok(Removal::default()),
                [only] if is_here && is_atom(only) => conditions.push(format!("not {only}")),
                [only] if is_here && only.strip_prefix("not ").is_some_and(is_atom) => {
                    let holds = only["not ".len()..].to_owned();
                    if !conditions.contains(&holds) {
                        conditions.push(holds);
                    }
                }
                _ if is_here => conditions.push(negated(&written)),
                _ => conditions.push(format!("(no {}: {written})", addition.binders.join(", "))),
            }
        }
        let condition = conditions.join(" and ");
        let set = format!("if {condition} {{ {here} := {empty}; }}");
        let binders = keys.iter().zip(&types).map(|(key, of)| (key.as_str(), of.as_str()));
        let statements = for_each(&binders.collect::<Vec<_>>(), &set);
        Ok(Removal { statements, otherwise: None })
    }
}

/// A statement for all values of these variables, by their types: one for the values, and one for `none` where that is one.
fn for_each(binders: &[(&str, &str)], statement: &str) -> Vec<String> {
    let Some(at) = binders.iter().position(|(_, of)| of.ends_with('?')) else {
        let binders: Vec<String> = binders.iter().map(|(name, of)| format!("{name} in {of}")).collect();
        return vec![match binders.is_empty() {
            true => statement.to_owned(),
            false => format!("for {} {{ {statement} }}", binders.join(", ")),
        }];
    };
    let (name, of) = binders[at];
    let (mut some, mut rest) = (binders.to_vec(), binders.to_vec());
    some[at].1 = of.trim_end_matches('?');
    rest.remove(at);
    let none = substitute(statement, &BTreeMap::from([(name, "none")]));
    [for_each(&some, statement), for_each(&rest, &none)].concat()
}

/// Returns true if a condition is a cell or a call, so that `not` may stand before it.
fn is_atom(condition: &str) -> bool {
    let operators = [" and ", " or ", " = ", " != ", " < ", " <= ", " >= ", " in ", ": "];
    condition.starts_with(char::is_alphabetic)
        && !condition.starts_with("not ")
        && !operators.iter().any(|operator| condition.contains(operator))
}

/// A text with other words for some of its words.
pub(super) fn substitute(text: &str, names: &BTreeMap<&str, &str>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        // What follows a full stop is a part of a record.
        let is_name = !rest[..start].ends_with('.') && !found.ends_with('.');
        found += &rest[..start];
        found += names.get(word).filter(|_| is_name).unwrap_or(&word);
        rest = &rest[end..];
    }
    found + rest
}

/// The keys that a cell must not have to be kept, where that is the whole condition: `k1 != x`, or a disjunction of such
/// differences in parentheses.
fn differences(parts: &[String], keys: &[String]) -> Option<Vec<(usize, String)>> {
    let [only] = parts else { return None };
    if let Some(inner) = only.strip_prefix("not (").and_then(|rest| rest.strip_suffix(')')) {
        let equal = |part: &str| {
            let (a, b) = part.split_once(" = ")?;
            let at = |text: &str| keys.iter().position(|key| key == text);
            let is_term = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_+- ".contains(c));
            match (at(a), at(b)) {
                (Some(at), None) if is_term(b) => Some((at, b.to_owned())),
                (None, Some(at)) if is_term(a) => Some((at, a.to_owned())),
                _ => None,
            }
        };
        return inner.split(" and ").map(equal).collect();
    }
    let inner = only.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(only);
    let difference = |part: &str| {
        let (a, b) = part.split_once(" != ")?;
        let is_term = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_+- ".contains(c));
        if !is_term(a) || !is_term(b) || part.contains(" and ") {
            return None;
        }
        let at = |text: &str| keys.iter().position(|key| key == text);
        match (at(a), at(b)) {
            (Some(at), None) => Some((at, b.to_owned())),
            (None, Some(at)) => Some((at, a.to_owned())),
            _ => None,
        }
    };
    inner.split(" or ").map(difference).collect()
}
