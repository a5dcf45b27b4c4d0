//! Braces in other notations: `case p of A => 4; B => 1`, `match p with A => 4 | B => 1`,
//! `set(pier)`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes of choices and sets without braces.
    pub fn brace_forms(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.choice_without_braces());
        fixes.extend(self.elements_in_a_call());
    }

    /// Rewrites `set(pier)` to `{ pier }`.
    fn elements_in_a_call(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_call = |&word: &usize| self.layout.text(word) == "set" && self.layout.text(word + 1) == "(";
        let word = (at.saturating_sub(2)..=at).find(is_call).filter(|&word| word > self.bounds.first)?;
        let close = self.layout.partner(word + 1)?;
        let is_value = matches!(self.layout.text(word - 1), "=" | ":=" | "|=" | "-=" | "in");
        let outline = self.outline();
        // A set may be made of a list or of another set.
        let name = self.layout.text(word + 2);
        let is_element = |at: usize| self.is_name(at) || self.is_number(at) || self.layout.text(at) == ",";
        let is_many = outline.is_set(name) || outline.is_list(name) || outline.declares_type(name);
        let are_elements = close > word + 2 && (word + 2..close).all(is_element) && !is_many;
        (is_value && are_elements).then(|| {
            let new = format!("{{ {} }}", self.text(word + 2, close));
            let range = (self.range(word).0, self.range(close).1);
            let title = "the elements of a set stand in braces";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// Rewrites `case p of A => 4; B => 1` and `match p with A => 4 | B => 1` to `match p { A => 4, B => 1 }`.
    fn choice_without_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |&word: &usize| matches!(self.layout.text(word), "case" | "match");
        let word = (self.bounds.clause..at).rev().find(is_word).filter(|&word| word > self.bounds.clause)?;
        let joint = self.end_of_operand(word + 1)?;
        if !matches!(self.layout.text(joint), "of" | "with") || at > joint {
            return None;
        }
        let mut arms = Vec::new();
        let mut from = joint + 1 + usize::from(self.layout.text(joint + 1) == "|");
        let mut last = joint;
        loop {
            let is_rest = self.layout.text(from) == "_";
            let arrow = if is_rest { Some(from + 1) } else { self.end_of_operand(from) };
            let arrow = arrow.filter(|&arrow| matches!(self.layout.text(arrow), "=>" | "->"));
            let Some(arrow) = arrow else { break };
            let end = self.outside_brackets(arrow + 1, &["|", ",", ";", "=>", "->"])?;
            if matches!(self.layout.text(end), "=>" | "->") || end == arrow + 1 {
                return None;
            }
            arms.push(format!("{} => {}", self.text(from, arrow), self.text(arrow + 1, end)));
            (last, from) = (end - 1, end + 1);
        }
        (arms.len() > 1).then(|| {
            let new = format!("match {} {{ {} }}", self.text(word + 1, joint), arms.join(", "));
            let range = (self.range(word).0, self.range(last).1);
            let title = "the values of a `match` stand in braces, with commas between them";
            let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(joint).1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn values_of_a_match_stand_in_braces() {
        let text = |value: &str| format!("players A, B;\nconst goal[p: Player]: 1..4 = {value};\n");
        for value in [
            "case p of A => 4; B => 1",
            "case p of A -> 4; B -> 1",
            "match p with A => 4 | B => 1",
            "match p with | A => 4 | B => 1",
        ] {
            assert_eq!(titles(&text(value)).len(), 1, "{value}: {:?}", titles(&text(value)));
            assert_eq!(mended(&text(value)), text("match p { A => 4, B => 1 }"), "{value}");
        }
    }

    #[test]
    fn elements_of_a_set_stand_in_braces() {
        let text = |value: &str| format!("state {{ seen: set of 1..3 = {value}; n: 0..2 = 0; }}\n");
        for (old, new) in [("set(1)", "{ 1 }"), ("set(1, 2)", "{ 1, 2 }")] {
            assert_eq!(titles(&text(old)), ["the elements of a set stand in braces"], "{old}");
            assert_eq!(mended(&text(old)), text(new));
        }
    }
}
