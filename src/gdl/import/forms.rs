//! The forms of fluents: fields of values or of truth values, and the turn.

use std::collections::BTreeSet;

use super::types::{Kind, Place};
use super::{Fluent, Importer, head_of, key_of};
use crate::terms::Symbol;

impl Importer<'_> {
    /// The form of the fluents of a function; `None` if none of them can be true.
    pub(super) fn form(&mut self, name: Symbol, arity: usize) -> Option<Fluent> {
        let original = self.symbol(name).to_owned();
        let is_own = |term: &String| head_of(term) == original;
        if self.names.controls.iter().any(|(term, _)| is_own(term)) {
            return Some(Fluent::Control);
        }
        let cells: Vec<&str> =
            self.names.fluents.iter().map(|of| of.term.as_str()).filter(|t| head_of(t) == original).collect();
        if cells.is_empty() {
            return self.names.constants.iter().any(is_own).then_some(Fluent::Constant);
        }
        let key = |term: &str| key_of(term).to_owned();
        let mut keys: BTreeSet<String> = cells.iter().map(|term| key(term)).collect();
        keys.extend(self.names.constants.iter().filter(|term| is_own(term)).map(|term| key(term)));
        let single = self.exclusive.contains(&name);
        let total = self.remaining.contains(&name);
        let sizes = (0..arity.saturating_sub(1)).map(|at| self.key_size(name, at));
        let all: Option<usize> = sizes.into_iter().try_fold(1usize, |all, one| all.checked_mul(one?));
        let has_holes = all != Some(keys.len());
        // One value only is a truth value.
        let last = Place::Function(name, arity.saturating_sub(1));
        let several =
            arity > 0 && cells.iter().any(|term| term.rsplit(' ').next() != cells[0].rsplit(' ').next());
        let optional = self.types.has_empty_value(last);
        let field = self.types.fresh(&original);
        if !single || !several || !total && optional {
            return Some(Fluent::Truth(field));
        }
        if has_holes && optional {
            // A hole is no empty cell.
            let name = self.types.fresh(&format!("is_{field}"));
            self.holes.insert(field.clone(), name);
        }
        if total && has_holes {
            self.full.insert(field.clone());
        }
        Some(Fluent::Value { field, total: total && (optional || !has_holes) })
    }

    /// The number of values of a key of a field.
    pub(super) fn key_size(&self, name: Symbol, at: usize) -> Option<usize> {
        let written = self.type_of_argument(name, at).ok()?;
        match written.split_once("..") {
            Some((least, most)) => {
                usize::try_from(most.parse::<i64>().ok()? - least.parse::<i64>().ok()? + 1).ok()
            }
            None if written == "Player" => Some(self.names.roles.len()),
            None if written == "Player?" => Some(self.names.roles.len() + 1),
            None => self.size(Place::Function(name, at)),
        }
    }

    /// The number of values of the type of a place.
    pub(super) fn size(&self, place: Place) -> Option<usize> {
        match self.types.kind(place)? {
            Kind::Player => Some(self.names.roles.len()),
            Kind::Numbers(least, most) => usize::try_from(most - least + 1).ok(),
            Kind::Enum(name) => {
                self.types.enums.iter().find(|(of, _)| of == name).map(|(_, members)| members.len())
            }
            Kind::OptionalPlayer(_) => None,
        }
    }
}
