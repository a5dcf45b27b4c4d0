//! The keys of a field behind its type: `plant: Player?[Bed] = none;`, `n: 0..3[Cell];`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The title of the messages.
const TITLE: &str = "the keys of a field stand behind its name, and its type behind the `:`";

impl FixFinder<'_> {
    /// Rewrites `plant: Player?[Bed] = none;` in a state to `plant[b: Bed]: Player? = none;`.
    pub(super) fn keys_behind_the_type(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = clause + usize::from(self.layout.text(clause) == "transient");
        let is_field = self.bounds.place == ClauseContext::State
            && self.is_name(name)
            && self.layout.text(name + 1) == ":";
        let ends = ["[", "=", ";", "visible", "hidden"];
        let open = self.outside_brackets(name + 2, &ends).filter(|&open| is_field && open > name + 2)?;
        let mut types = Vec::new();
        let mut at = open;
        while self.layout.text(at) == "[" {
            let close = self.layout.partner(at)?;
            types.extend(self.parts_between(at + 1, close));
            at = close + 1;
        }
        let ty = self.text(name + 2, open);
        let is_whole = trial_parse(Rule::one_type, ty).is_ok_and(|length| length == ty.len());
        let is_ended = matches!(self.layout.text(at), "=" | ";" | "visible" | "hidden");
        let is_near = (name + 1..=at).contains(&self.bounds.at);
        if types.is_empty() || !types.iter().all(|ty| self.is_type_of_keys(ty)) {
            return None;
        }
        (is_whole && is_ended && is_near).then_some(())?;
        let mut letters: Vec<char> = Vec::new();
        for ty in &types {
            let letter = ty.chars().next()?.to_ascii_lowercase();
            let letter = if letter.is_ascii_lowercase() { letter } else { 'i' };
            let is_free = |name: &char| !letters.contains(name) && !self.is_taken(&name.to_string(), at);
            letters.push((letter..='z').chain('a'..letter).find(is_free)?);
        }
        let keys: Vec<String> = letters.iter().zip(&types).map(|(key, ty)| format!("{key}: {ty}")).collect();
        let new = format!("{}[{}]: {ty}", self.layout.text(name), keys.join(", "));
        let end = self.outside_brackets(at, &[";"])?;
        let rest = self.text(at, end);
        let blank = if rest.is_empty() { "" } else { " " };
        let range = (self.range(name).0, self.range(at - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, TITLE).at((self.range(open).0, range.1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}{blank}{rest};`")) })
    }

    /// Returns true for a name that the file declares, or that the words from this one to the end of the field use.
    fn is_taken(&self, name: &str, from: usize) -> bool {
        let outline = self.outline();
        let end = self.outside_brackets(from, &[";"]).unwrap_or(from);
        let is_used = (from..end).any(|at| self.layout.text(at) == name);
        is_used || outline.field(name).is_some() || outline.declares(name)
    }

    /// Returns true for the name of a type and for a range of numbers.
    fn is_type_of_keys(&self, ty: &str) -> bool {
        let is_range = ty.split_once("..").is_some_and(|(low, high)| {
            let is_end = |end: &str| !end.is_empty() && end.chars().all(|c| c == '_' || c.is_alphanumeric());
            is_end(low.trim()) && is_end(high.trim())
        });
        is_range || ty == "Player" || self.outline().declares_type(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn keys_stand_behind_the_name() {
        let text = |field: &str| {
            format!(
                "players A, B;\nboard Bed = grid(2, 2);\nstate {{ m: 0..2 = 0; {field} l: 0..3 = 0; }}\n\
                 move m() {{ m := 1; }}\n"
            )
        };
        for (theirs, ours) in [
            ("plant: Player?[Bed] = none;", "plant[b: Bed]: Player? = none;"),
            ("plant: Player?[Bed];", "plant[b: Bed]: Player?;"),
            ("plant: Player?[Bed, 1..2] = none;", "plant[b: Bed, i: 1..2]: Player? = none;"),
            ("plant: Player?[Bed][Bed] = none;", "plant[b: Bed, c: Bed]: Player? = none;"),
            ("plant: bool[Bed] = false;", "plant[b: Bed]: bool = false;"),
        ] {
            let (theirs, ours) = (text(theirs), text(ours));
            let found = titles(&theirs);
            assert_eq!(found, [super::TITLE], "{theirs}");
            assert_eq!(mended(&theirs), ours, "{:?}", helps(&theirs));
        }
    }

    #[test]
    fn numbers_are_no_keys() {
        let text = "players A, B;\nstate { n: 0..3[4] = 0; }\nmove m() { n := 1; }\n";
        assert!(titles(text).iter().all(|title| title != super::TITLE));
        for sound in ["at[c: Cell]: Kind? = none;", "n: 0..legs[2] = 1;"] {
            assert_eq!(titles(&format!("state {{ {sound} }}\n")), [""; 0]);
        }
    }
}
