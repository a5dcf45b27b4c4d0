//! Advice on a list that is shorter than the keys that count its elements: `[3, 1]` for three keys.

use std::cell::RefCell;

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{KeyDomain, Value};
use bouton_syntax::ast::{self, ItemKind, TypeKind};
use bouton_syntax::diag::Diagnostic;
use bouton_syntax::print_expr;

/// A list without an element for a key.
pub(super) struct ShortList {
    name: String,
    declared: Span,
    length: usize,
    key: String,
    /// The type of the key as it is written, or its range.
    of: String,
    keys: usize,
}

impl ShortList {
    /// Adds the length of the list to the report of an entry without a value.
    pub(super) fn add_to(self, found: Diagnostic) -> Diagnostic {
        let ShortList { name, declared, length, key, of, keys } = self;
        let elements = if length == 1 { "1 element".to_owned() } else { format!("{length} elements") };
        found.label(declared, format!("`{name}` has {elements}, `{of}` has {keys}")).help(format!(
            "give `{name}` an element for each `{key}`, {keys} in all, or let `{of}` end with {length}"
        ))
    }
}

impl Analyzer<'_> {
    /// The list of the game's own file that an entry reads by one of its keys, `start[s]`, where this key is
    /// greater than the length of the list, and where the keys begin with 1.
    pub(super) fn list_without_the_key(
        &self,
        keys: &[(&KeyDomain, Value)],
        entry: Span,
    ) -> Option<ShortList> {
        let found = RefCell::new(None);
        let is_short = |term: &ast::Expr| {
            let short = self.short_list_of(term, keys, entry);
            let is_one = short.is_some();
            if is_one {
                *found.borrow_mut() = short;
            }
            is_one
        };
        self.has_part(entry, &is_short);
        found.into_inner()
    }

    fn short_list_of(
        &self,
        term: &ast::Expr,
        keys: &[(&KeyDomain, Value)],
        entry: Span,
    ) -> Option<ShortList> {
        let ast::ExprKind::Index(list, by) = &*term.kind else { return None };
        let ([by], Some(name)) = (&by[..], list.as_name()) else { return None };
        let key = by.as_name()?;
        let (domain, value) = keys.iter().find(|(domain, _)| &*domain.name == key)?;
        let (first, n) = (domain.values.first()?.as_int()?, value.as_int()?);
        let (declared, length) = self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Const { name: of, keys, value, .. } if own && of.text == name && keys.is_empty() => {
                match &*value.bare().kind {
                    ast::ExprKind::List(elements) => Some((value.span, elements.len())),
                    _ => None,
                }
            }
            _ => None,
        })?;
        let is_short = first == 1 && length > 0 && i64::try_from(length).is_ok_and(|length| n > length);
        is_short.then(|| ShortList {
            name: name.to_owned(),
            declared,
            length,
            key: key.to_owned(),
            of: self.key_type_in_words(key, entry).unwrap_or_else(|| self.rules.show_type(&domain.ty)),
            keys: domain.values.len(),
        })
    }

    /// The type of a key as the declaration around a place writes it.
    fn key_type_in_words(&self, key: &str, entry: Span) -> Option<String> {
        let (item, _) = self.items().find(|(item, _)| item.span.covers(entry))?;
        let keys = match &item.kind {
            ItemKind::State(fields) => {
                let is_around = |init: &ast::Expr| init.span.covers(entry);
                &fields.iter().find(|field| field.init.as_ref().is_some_and(is_around))?.keys
            }
            ItemKind::Const { keys, .. } => keys,
            _ => return None,
        };
        match &keys.iter().find(|of| of.name.text == key)?.ty.kind {
            TypeKind::Expr(words) => Some(print_expr(words)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    /// The labels and the help.
    fn told(list: &str, field: &str) -> (Vec<String>, String) {
        let text = format!(
            "game \"Silos\"; players A, B; type Silo = 1..3; const start = {list}; state {{ {field} }}
             move cart(s: Silo) as \"{{s}}\" {{ when grain[s] > 0; grain[s] -= 1; }} play normal;"
        );
        let found = found(&text, Code::E0301).remove(0);
        (found.labels.iter().map(|label| label.text.clone()).collect(), found.help.unwrap_or_default())
    }

    #[test]
    fn lists_have_an_element_for_each_key() {
        let (labels, help) = told("[3, 1]", "grain[s: Silo]: 0..6 = start[s];");
        assert_eq!(labels[1], "`start` has 2 elements, `Silo` has 3");
        assert_eq!(help, "give `start` an element for each `s`, 3 in all, or let `Silo` end with 2");
        let (labels, _) = told("[3]", "grain[i: 1..3]: 0..6 = 2 * start[i];");
        assert_eq!(labels[1], "`start` has 1 element, `1..3` has 3");
        for field in ["grain[s: 0..3]: 0..6 = start[s];", "grain[s: Silo]: 0..6 = start[s + 1];"] {
            let (labels, help) = told("[3, 1]", field);
            assert!(
                labels.len() == 1 && help.contains("`start[s + 1]`") || help.starts_with("a list is counted")
            );
        }
    }
}
