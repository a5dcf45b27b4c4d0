//! Declarations of types and values in the form of other languages: `class Stone { low, high }`,
//! `place[Player][Sled]: 0..9`, `def rest: n - 1;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of such declarations.
    pub fn foreign_types(&self, fixes: &mut Vec<Fix>) {
        let all =
            [self.class(), self.enum_in_place(), self.keys_without_names(), self.definition_behind_a_colon()];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `class Stone { low, high }` to `enum Stone { low, high }`, and `struct Piece { owner: Player,
    /// kind: Kind }` to a `record`.
    fn class(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word = self.layout.text(first);
        let is_class = matches!(word, "class" | "struct" | "interface" | "object" | "trait")
            && self.bounds.place == ClauseContext::Top
            && self.is_name(first + 1);
        let open = first + 2;
        let close = self.layout.partner(open).filter(|_| is_class && self.layout.text(open) == "{")?;
        let name = self.layout.text(first + 1);
        let end = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(first).0, self.range(end).1);
        let title = "there are no classes: a game is its state and its moves";
        let label = self.range(first);
        let is_list = close > open + 1
            && (open + 1..close).all(|at| match (at - open) % 2 {
                1 => self.is_name(at),
                _ => self.layout.text(at) == ",",
            });
        if is_list {
            let new = format!("enum {name} {}", self.text(open, close + 1));
            let fix = Fix::new(range, &new, Code::E0013, title).at(label);
            return Some(fix.help(format!("write `enum {name} {{ ... }}`: a type with these values")));
        }
        if let Some(parts) = self.parts_of_a_class(open, close) {
            let new = format!("record {name}({});", parts.join(", "));
            let fix = Fix::new(range, &new, Code::E0013, title).at(label);
            return Some(fix.help(format!("write `{new}`: values with these parts")));
        }
        let help = format!(
            "write `enum {name} {{ low, high }}` for a list of values, `record {name}(owner: Player, size: 1..3);` for values \
             with parts; what changes is `state {{ ... }}`, what players do is `move name() {{ ... }}`"
        );
        (close == open + 1).then(|| explained(range, "", title, help).at(label))
    }

    /// Rewrites `const plan[c: Cell]: enum { wall, floor } = ...` to `enum Plan { wall, floor }` before it and the name of
    /// that type.
    fn enum_in_place(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let begins = |at: &usize| {
            self.layout.text(*at) == "enum"
                && self.layout.text(at + 1) == "{"
                && self.layout.text(at - 1) == ":"
        };
        let word = (at.saturating_sub(2).max(first + 2)..=at).find(begins)?;
        let owner = match self.layout.text(word - 2) {
            "]" | ")" => self.layout.partner(word - 2)?.checked_sub(1)?,
            _ => word - 2,
        };
        let close = self.layout.partner(word + 1).filter(|_| self.is_name(owner))?;
        let is_list = close > word + 2
            && (word + 2..close).all(|at| match (at - word) % 2 {
                0 => self.is_name(at),
                _ => self.layout.text(at) == ",",
            });
        let mut letters = self.layout.text(owner).chars();
        let mut name = letters.next().filter(|_| is_list)?.to_ascii_uppercase().to_string();
        name.push_str(letters.as_str());
        if self.outline().declares_type(&name) {
            name.push_str("Kind");
        }
        let declared = format!("enum {name} {}", self.text(word + 1, close + 1));
        let new = format!("{declared}\n{} {name}", self.text(first, word));
        let label = (self.range(word).0, self.range(close).1);
        let title = "an enumeration is declared on its own, with a name";
        let fix = Fix::new((self.range(first).0, label.1), &new, Code::E0013, title).at(label);
        Some(fix.help(format!("write `{declared}` before it, and `: {name}` here")))
    }

    /// The parts `owner: Player` of a class between two braces.
    fn parts_of_a_class(&self, open: usize, close: usize) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            let is_type =
                self.layout.text(at + 2).starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
                    || self.layout.text(at + 2) == "bool";
            if !self.is_name(at) || self.layout.text(at + 1) != ":" || !is_type {
                return None;
            }
            if (at..end).any(|at| matches!(self.layout.text(at), "=" | "{" | "(")) {
                return None;
            }
            parts.push(self.text(at, end).to_owned());
            at = end + 1;
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Rewrites `place[Player][Sled]: T` to `place[p: Player, s: Sled]: T`.
    fn keys_without_names(&self) -> Option<Fix> {
        let (first, clause) = (self.bounds.first, self.bounds.clause);
        let start = match self.bounds.place {
            ClauseContext::State => clause,
            ClauseContext::Top if self.layout.text(first) == "const" => first + 1,
            _ => return None,
        };
        let mut types = Vec::new();
        let mut at = start + 1;
        while self.layout.text(at) == "[" {
            let close = self.layout.partner(at)?;
            types.extend(self.parts_between(at + 1, close));
            at = close + 1;
        }
        let is_type = |ty: &&str| {
            ty.starts_with(|c: char| c.is_ascii_uppercase())
                && ty.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let is_known = |ty: &&str| **ty == *"Player" || self.outline().declares_type(ty);
        if types.len() < 2 || !types.iter().all(is_type) || !types.iter().all(is_known) {
            return None;
        }
        if !matches!(self.layout.text(at), ":" | "=")
            || !(start..at).contains(&self.bounds.at)
            || !self.is_name(start)
        {
            return None;
        }
        let mut names: Vec<char> = Vec::new();
        for ty in &types {
            let letter = ty.chars().next()?.to_ascii_lowercase();
            let name = (letter..='z').chain('a'..letter).find(|name| !names.contains(name))?;
            names.push(name);
        }
        let keys: Vec<String> = names.iter().zip(&types).map(|(name, ty)| format!("{name}: {ty}")).collect();
        let new = format!("[{}]", keys.join(", "));
        let range = (self.range(start + 1).0, self.range(at - 1).1);
        let title = "all keys of a field stand in one pair of brackets, each with a name";
        let fix = Fix::new(range, &new, Code::E0013, title);
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{}{new}`", self.layout.text(start))) })
    }

    /// Rewrites `def rest: n - 1;` to `def rest = n - 1;`.
    fn definition_behind_a_colon(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let colon = first + 2;
        let is_definition = self.layout.text(first) == "def" && self.layout.text(colon) == ":";
        let end = self.outside_brackets(colon, &[";"]).filter(|_| is_definition && self.bounds.at > colon)?;
        let has_value = self.outside_brackets(colon, &["=", ":=", "=>", ";"]) != Some(end);
        let is_type = self.layout.text(colon + 1).starts_with(|c: char| c.is_ascii_uppercase())
            || matches!(self.layout.text(colon + 1), "bool" | "set" | "list")
            || self.text(colon, end).contains("..");
        if has_value || is_type || self.bounds.at > end || end == colon + 1 {
            return None;
        }
        let (name, value) = (self.layout.text(first + 1), self.text(colon + 1, end));
        let before = if self.touches(first + 1) { " =" } else { "=" };
        let title = "what a definition stands for follows `=`; behind `:` stands a type";
        let fix = Fix::new(self.range(colon), before, Code::E0013, title);
        Some(fix.help(format!("write `def {name} = {value};`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn check(old: &str, new: &str) {
        let text = |items: &str| format!("players A, B;\nenum Sled {{ l, r }}\n{items}\n");
        assert_eq!(mended(&text(old)), text(new), "{old}: {:?}", titles(&text(old)));
        assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
    }

    #[test]
    fn classes_are_lists_or_records() {
        check("class Stone { low, high }", "enum Stone { low, high }");
        check("class Stone { low, high };", "enum Stone { low, high }");
        check("struct Stone { owner: Player, size: 1..3 }", "record Stone(owner: Player, size: 1..3);");
        check("struct Stone { owner: Player; size: 1..3; }", "record Stone(owner: Player, size: 1..3);");
        let empty = "players A, B;\nclass Stone {}\nstate { n: 0..3 = 3; }\n";
        assert_eq!(titles(empty), ["there are no classes: a game is its state and its moves"]);
        assert!(helps(empty)[0].starts_with("write `enum Stone { low, high }`"), "{:?}", helps(empty));
    }

    #[test]
    fn enumerations_have_names() {
        check(
            "const plan[c: Cell]: enum { wall, floor } = wall;\n",
            "enum Plan { wall, floor }\nconst plan[c: Cell]: Plan = wall;\n",
        );
        check(
            "state { n: 0..3 = 0; k: enum { lo, hi } = lo; }\n",
            "enum K { lo, hi }\nstate { n: 0..3 = 0; k: K = lo; }\n",
        );
    }

    #[test]
    fn keys_have_names() {
        let text = |keys: &str| format!("state {{ place{keys}: 0..4 = 0; n: 0..3 = 1; }}");
        check(&text("[Player][Sled]"), &text("[p: Player, s: Sled]"));
        check(&text("[Player, Sled]"), &text("[p: Player, s: Sled]"));
        check(&text("[Sled][Sled]"), &text("[s: Sled, t: Sled]"));
    }

    #[test]
    fn values_of_definitions_follow_their_sign() {
        let text = |item: &str| format!("state {{ n: 0..5 = 0; }}\n{item}");
        check(&text("def rest: n - 1;"), &text("def rest = n - 1;"));
        check(&text("def low : n < 3;"), &text("def low = n < 3;"));
    }
}
