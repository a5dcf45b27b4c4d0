//! The order of the effects of a move. All effects of a stage read the position before it, so the order has no meaning; but
//! an effect that reads a field below one that changes it reads as if it saw the new value.

use super::formulas::mentions;
use super::items::Bodies;
use super::{Fluent, Importer};

/// An effect with the fields that it changes and those that it reads.
struct Effect {
    text: String,
    changes: Vec<String>,
    reads: Vec<String>,
}

impl Importer<'_> {
    /// Orders effects so that those that read a field stand before those that change it, as far as that is possible. Of
    /// effects that change the same field, the order stays.
    pub(super) fn in_order(&self, effects: Vec<String>, bodies: &Bodies) -> Vec<String> {
        let mut open: Vec<Effect> = effects.into_iter().map(|text| self.effect(text, bodies)).collect();
        let mut ordered = Vec::new();
        while !open.is_empty() {
            let is_free = |at: &usize| {
                let changes = |of: &Effect| of.changes.iter().any(|field| open[*at].changes.contains(field));
                let reads = |of: &Effect| of.reads.iter().any(|field| open[*at].changes.contains(field));
                // What changes the same field as well stays behind, even if it reads it.
                let others = open.iter().enumerate().filter(|(other, of)| other != at && !changes(of));
                !open[..*at].iter().any(changes) && !others.map(|(_, of)| of).any(reads)
            };
            let next = (0..open.len()).find(is_free).unwrap_or(0);
            ordered.push(open.remove(next).text);
        }
        ordered
    }

    fn effect(&self, text: String, bodies: &Bodies) -> Effect {
        let (changes, rest) = targets(&text);
        let fields = self.fluents.values().filter_map(|fluent| match fluent {
            Fluent::Truth(field) | Fluent::Value { field, .. } => Some(field.clone()),
            Fluent::Constant | Fluent::Control => None,
        });
        let choices = self.choices.iter().flatten().map(|(_, choice)| choice.field().to_owned());
        let fields = fields.chain(choices);
        let texts = self.called_texts(&rest, bodies);
        let reads = fields.filter(|field| texts.iter().any(|text| mentions(text, field))).collect();
        Effect { text, changes, reads }
    }
}

/// The fields that an effect changes, and its text without their names: `f[x] := y;` changes `f` and reads `x` and `y`.
fn targets(text: &str) -> (Vec<String>, String) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut fields, mut rest) = (Vec::new(), String::new());
    let mut parts = text.split(" := ").peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            rest += part;
            break;
        }
        let mut depth = 0;
        let opens = part.char_indices().rev().find(|&(_, c)| {
            depth += i32::from(c == ']') - i32::from(c == '[');
            depth == 0
        });
        let end = match opens {
            Some((at, '[')) => at,
            _ => part.len(),
        };
        let start = part[..end].rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
        fields.push(part[start..end].to_owned());
        rest += &part[..start];
        rest += &part[end..];
        rest += " := ";
    }
    (fields, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_what_an_effect_changes_is_not_read() {
        let (fields, rest) = targets("if a { f[x, g[y]] := f[z]; } else { h := 1; }");
        assert_eq!(fields, ["f", "h"]);
        assert_eq!(rest, "if a { [x, g[y]] := f[z]; } else {  := 1; }");
    }
}
