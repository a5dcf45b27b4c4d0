//! The other of two values: `(opp left right) (opp right left)` turns a side into the other one. In the text
//! this is one value, `if side = left then right else left`, and no loop over both.

use super::Importer;

impl Importer<'_> {
    /// Puts the other of two values in place of a variable for it: the last of these terms, of which one
    /// condition says that it is not a certain term. Where that term may be `none`, a condition must say that
    /// it is not.
    pub(super) fn put_other(&self, binders: &mut Vec<String>, parts: &mut Vec<String>, terms: &mut [String]) {
        let Some((value, keys)) = terms.split_last_mut() else { return };
        let is_own = |binder: &String| binder.split(" in ").next() == Some(value.as_str());
        let Some(at) = binders.iter().position(is_own) else { return };
        let of = binders[at].split(" in ").nth(1).unwrap_or_default();
        let Some((_, members)) = self.types.enums.iter().find(|(name, _)| name == of) else { return };
        let [one, other] = &members[..] else { return };
        let (before, behind) = (format!("{value} != "), format!(" != {value}"));
        let here: Vec<usize> = (0..parts.len()).filter(|&part| has_word(&parts[part], value)).collect();
        let ([part], false) = (&here[..], keys.iter().any(|key| has_word(key, value))) else { return };
        let term = parts[*part].strip_suffix(&behind).or_else(|| parts[*part].strip_prefix(&before));
        let Some(term) = term.filter(|term| is_simple(term) && !has_word(term, value)) else { return };
        let field = term.split('[').next().unwrap_or_default();
        let is_total = self.fluents.values().any(|fluent| match fluent {
            super::Fluent::Value { field: of, total } => of == field && *total,
            _ => false,
        });
        if !is_total && !parts.contains(&format!("{term} != none")) {
            return;
        }
        *value = format!("if {term} = {one} then {other} else {one}");
        parts.remove(*part);
        binders.remove(at);
    }
}

/// Returns true for one word with its arguments: `side[boat]`.
fn is_simple(term: &str) -> bool {
    !term.is_empty() && !term.contains(['(', '{', ' ', '='])
}

/// Returns true if a text has this word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|of| of == word)
}
