//! Tables and types in the form of other languages: facts `over(near, far).`, arrays `[1..3; 3]`, records
//! without names of their parts, and item words in full.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// Item words in full, with those of the language.
const FULL_WORDS: [(&str, &str); 9] = [
    ("parameter", "param"),
    ("parameters", "param"),
    ("constant", "const"),
    ("definition", "def"),
    ("define", "def"),
    ("enumeration", "enum"),
    ("inv", "invariant"),
    ("assertion", "invariant"),
    ("expectation", "expect"),
];

impl FixFinder<'_> {
    /// Fixes and explanations of tables and types of other languages.
    pub fn foreign_tables(&self, fixes: &mut Vec<Fix>) {
        let all = [self.facts(), self.array_type(), self.parts_without_names(), self.item_word_in_full()];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `parameter n: 0..4 = 2;` to `param n: 0..4 = 2;`.
    fn item_word_in_full(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word = self.layout.text(first);
        let (_, ours) = FULL_WORDS.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(word))?;
        let is_head = self.bounds.at <= first + 1 && (self.is_name(first + 1) || *ours == "invariant");
        is_head.then(|| {
            let title = format!("`{word}` is not a keyword: did you mean `{ours}`?");
            let fix = Fix::new(self.range(first), ours, Code::E0004, title).help(format!("write `{ours}`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// The arguments of the fact `name(a, b).` at this word, and the word after it.
    fn fact_at(&self, at: usize) -> Option<(Vec<&str>, usize)> {
        let close = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "(")?;
        let is_end = self.layout.text(close + 1) == "." && self.is_name(at);
        let arguments: Vec<&str> =
            (at + 2..close).map(|at| self.layout.text(at)).filter(|word| *word != ",").collect();
        let is_plain = (at + 2..close).step_by(2).all(|at| self.is_name(at) || self.is_number(at));
        (is_end && is_plain && !arguments.is_empty()).then_some((arguments, close + 2))
    }

    /// Explains the facts `over(near, far). over(far, near).`
    fn facts(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let name = self.layout.text(first);
        if keywords::ITEM_KEYWORDS.contains(&name) || self.outline().declares(name) {
            return None;
        }
        let (mut facts, mut at) = (Vec::new(), first);
        while let Some((arguments, end)) = self.fact_at(at).filter(|_| self.layout.text(at) == name) {
            facts.push(arguments);
            at = end;
        }
        let count = facts.first()?.len();
        let range = (self.range(first).0, self.range(at - 1).1);
        let fact = format!("{name}({})", facts[0].join(", "));
        if facts.iter().any(|fact| fact.len() != count) {
            return None;
        }
        let column = |at: usize| facts.iter().map(|fact| fact[at]).collect::<Vec<_>>();
        let keys = column(0);
        let is_table = count == 2 && (1..keys.len()).all(|at| !keys[..at].contains(&keys[at]));
        let outline = self.outline();
        let ty = |values: &[&str]| match outline.enum_of(values) {
            Some((ty, _)) => Some(ty.to_owned()),
            None => range_of_numbers(values),
        };
        let (title, new, help) = match (count, is_table) {
            (1, _) => {
                let new = format!("const {name} = {{ {} }};", keys.join(", "));
                (
                    "facts of one thing are a set",
                    new.clone(),
                    format!("write `{new}`, and `x in {name}` for `{name}(x)`"),
                )
            }
            (2, true) => {
                let (key, value) = (ty(&keys), ty(&column(1)));
                let variable =
                    key.as_deref().and_then(|ty| ty.chars().next()).map_or('x', |c| c.to_ascii_lowercase());
                let variable = if variable.is_ascii_lowercase() { variable } else { 'i' };
                let is_known = key.is_some();
                let key = key.unwrap_or_else(|| "TYPE".to_owned());
                let arms: Vec<String> =
                    facts.iter().map(|fact| format!("{} => {}", fact[0], fact[1])).collect();
                // A table of which the file speaks as of a function stays one.
                let called = self.is_called_with_one_argument(name);
                let table = match (called, value) {
                    (true, _) => format!("def {name}({variable}: {key})"),
                    (false, Some(value)) => format!("const {name}[{variable}: {key}]: {value}"),
                    (false, None) => format!("const {name}[{variable}: {key}]"),
                };
                let new = format!("{table} = match {variable} {{ {} }};", arms.join(", "));
                let help = format!("write `{new}`");
                ("facts of a key and its value are a table", if is_known { new } else { String::new() }, help)
            }
            _ => {
                let pairs: Vec<String> = facts.iter().map(|fact| format!("({})", fact.join(", "))).collect();
                let new = format!("const {name} = {{ {} }};", pairs.join(", "));
                let help = format!("write `{new}`, and `({}) in {name}` for `{fact}`", facts[0].join(", "));
                ("facts are a set of tuples", new, help)
            }
        };
        Some(explained(range, &new, title, help).at(self.range(first)))
    }

    /// Returns true if the file calls this name with one argument, other than in a fact.
    fn is_called_with_one_argument(&self, name: &str) -> bool {
        let source = self.layout.whole;
        let call = format!("{name}(");
        source.match_indices(&call).any(|(at, _)| {
            let is_start = !source[..at].ends_with(|c: char| c == '_' || c.is_ascii_alphanumeric());
            let rest = &source[at + call.len()..];
            let inner = rest.split(')').next().unwrap_or_default();
            is_start && !inner.contains(',') && !inner.is_empty()
        })
    }

    /// Explains the type `[T; n]` of a table.
    fn array_type(&self) -> Option<Fix> {
        let sign = self.bounds.at;
        let open = self.bracket_around(sign, sign).filter(|&open| self.layout.text(open) == "[")?;
        let close = self.layout.partner(open)?;
        let is_type = self.word == ";" && self.layout.text(open.checked_sub(1)?) == ":" && close > sign + 1;
        let name = self.layout.text(open.checked_sub(2).filter(|_| is_type && sign > open + 1)?);
        let (ty, count) = (self.text(open + 1, sign), self.text(sign + 1, close));
        let is_matched = self.layout.text(close + 1) == "=" && self.layout.text(close + 2) == "match";
        let is_list = self.layout.text(close + 1) == "=" && self.layout.text(close + 2) == "[";
        if !keywords::starts_with_letter(name) {
            return None;
        }
        let key = if is_matched && self.is_name(close + 3) { self.layout.text(close + 3) } else { "i" };
        let range = (self.range(open - 1).0, self.range(close).1);
        if is_list {
            let new = format!(": list of {ty}");
            let title = "a list tells its length by its elements";
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(open).0, range.1));
            return Some(fix.help(format!("write `{name}{new}`")));
        }
        let head = format!("{name}[{key}: 1..{count}]: {ty}");
        let rest = match is_matched {
            true => format!(" = match {key} {{ ... }}"),
            false => String::new(),
        };
        let title = "a table has a key, and its type is that of one value";
        let help = format!("write `{head}{rest}`, where `1..{count}` may be any type");
        let start = self.range(open - 2).0;
        Some(explained((start, range.1), &head, title, help).at((self.range(open).0, range.1)))
    }

    /// Explains `record Card(Suit, 1..3);`: each part has a name.
    fn parts_without_names(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let (record, open) = (self.layout.text(first + 1), first + 2);
        let is_record = self.layout.text(first) == "record" && self.layout.text(open) == "(";
        let close = self.layout.partner(open).filter(|&close| is_record && self.bounds.at <= close)?;
        let mut types = Vec::new();
        let mut from = open + 1;
        while from < close {
            let end = self.outside_brackets(from, &[","]).filter(|&end| end < close).unwrap_or(close);
            let is_type =
                self.layout.text(from).starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
                    || matches!(self.layout.text(from), "bool" | "set" | "{");
            let is_one = end == from + 1
                || (from..end).any(|at| matches!(self.layout.text(at), ".." | "of" | "{" | "?"));
            if !is_type || !is_one || (from..end).any(|at| self.layout.text(at) == ":") {
                return None;
            }
            types.push(self.text(from, end));
            from = end + 1;
        }
        let mut names: Vec<String> = types.iter().map(|ty| part_of_type(ty)).collect();
        // The names that the file uses and no type tells.
        let used = self.parts_in_use();
        let unknown: Vec<usize> = (0..names.len()).filter(|&at| names[at].is_empty()).collect();
        let free: Vec<&str> = used.into_iter().filter(|name| !names.iter().any(|own| own == name)).collect();
        for (order, &at) in unknown.iter().enumerate() {
            names[at] = match free.get(order).filter(|_| free.len() == unknown.len()) {
                Some(name) => (*name).to_owned(),
                None if order == 0 => "number".to_owned(),
                None => format!("number{}", order + 1),
            };
        }
        for at in 1..names.len() {
            if names[..at].contains(&names[at]) {
                names[at] = format!("{}{}", names[at], at + 1);
            }
        }
        let parts: Vec<String> = names.iter().zip(&types).map(|(name, ty)| format!("{name}: {ty}")).collect();
        let new = parts.join(", ");
        let range = (self.range(open + 1).0, self.range(close - 1).1);
        let help = format!("write `record {record}({new});`, with names of your choice");
        (!types.is_empty())
            .then(|| explained(range, &new, "each part of a record has a name", help).at(range))
    }

    /// The names behind a dot in the file that the language does not know.
    fn parts_in_use(&self) -> Vec<&str> {
        let source = self.layout.whole;
        let mut names: Vec<&str> = Vec::new();
        for (at, _) in source.match_indices('.') {
            let rest = &source[at + 1..];
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let name = &rest[..end];
            let is_part = name.starts_with(|c: char| c.is_ascii_lowercase())
                && source[..at].ends_with(|c: char| c == ']' || c == ')' || c.is_ascii_alphanumeric())
                && !matches!(
                    name,
                    "neighbors" | "diagonals" | "around" | "row" | "col" | "sides" | "leap" | "bou"
                );
            if is_part && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The range of numbers in digits.
fn range_of_numbers(values: &[&str]) -> Option<String> {
    let numbers: Option<Vec<u32>> = values.iter().map(|value| value.parse().ok()).collect();
    let numbers = numbers?;
    Some(format!("{}..{}", numbers.iter().min()?, numbers.iter().max()?))
}

/// The name of a part after its type; empty for a range and the like.
fn part_of_type(ty: &str) -> String {
    let name = ty.trim_end_matches('?');
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    let lower = name.to_ascii_lowercase();
    match is_name {
        true if keywords::is_reserved(&lower) || lower == name => format!("{lower}_"),
        true => lower,
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn facts_are_tables() {
        let head = "enum Bank { near, far }\n";
        let text = format!("{head}over(near, far).\nover(far, near).\n");
        assert_eq!(titles(&text), ["facts of a key and its value are a table"]);
        assert_eq!(
            helps(&text),
            ["write `const over[b: Bank]: Bank = match b { near => far, far => near };`"]
        );
        let text = format!("{text}def f = over(near) = far;\n");
        assert_eq!(helps(&text), ["write `def over(b: Bank) = match b { near => far, far => near };`"]);
        assert_eq!(mended(&text), text);
        let text = format!("{head}wet(near).\n");
        assert_eq!(helps(&text), ["write `const wet = { near };`, and `x in wet` for `wet(x)`"]);
        let text = format!("{head}road(near, far).\nroad(near, near).\n");
        assert_eq!(titles(&text), ["facts are a set of tuples"]);
    }

    #[test]
    fn tables_have_keys() {
        let text = "const worth: [1..3; 3] = match l { 1 => 1, 2 => 3, 3 => 2 };\n";
        assert_eq!(titles(text), ["a table has a key, and its type is that of one value"]);
        assert!(helps(text)[0].starts_with("write `worth[l: 1..3]: 1..3 = match l { ... }`"));
        assert_eq!(mended(text), text);
        let text = "state { heap: [0..5; 3] = 2; }\n";
        assert!(helps(text)[0].starts_with("write `heap[i: 1..3]: 0..5`"));
    }

    #[test]
    fn parts_of_records_have_names() {
        let text = "record Card(Suit, 1..3);\ndef f(c: Card) = c.rank + 1;\n";
        assert_eq!(titles(text), ["each part of a record has a name"]);
        let help = "write `record Card(suit: Suit, rank: 1..3);`, with names of your choice";
        assert_eq!(helps(text), [help]);
        assert_eq!(mended(text), text);
    }

    #[test]
    fn item_words_are_short() {
        assert_eq!(mended("parameter n: 0..4 = 2;\n"), "param n: 0..4 = 2;\n");
        assert_eq!(mended("constant n = 2;\n"), "const n = 2;\n");
    }
}
