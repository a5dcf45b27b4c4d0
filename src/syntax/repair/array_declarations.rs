//! Lists declared as in C, Java or Rust: `const int start[3] = {3, 1, 2};`, `let start: [i32; 3] = [3, 1, 2];`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The title of the messages.
const TITLE: &str = "a list is its elements in square brackets, without a type or a length";

/// The maximal length that is filled up with zeros.
const MAX_LENGTH: usize = 16;

/// The words before a constant of other languages.
const MARKS: [&str; 10] =
    ["const", "final", "static", "constexpr", "let", "var", "public", "private", "mut", "unsigned"];

/// The types of elements of other languages.
const TYPES: [&str; 22] = [
    "int", "integer", "Integer", "Int", "number", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "usize", "isize", "uint", "byte", "short", "long", "char", "auto", "bool",
];

impl FixFinder<'_> {
    /// Rewrites `const int start[3] = {3, 1, 2};` to `const start = [3, 1, 2];`.
    pub(super) fn array_declaration(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let mut name = first;
        let (mut is_fixed, mut is_typed) = (false, false);
        while MARKS.contains(&self.layout.text(name)) {
            let mark = self.layout.text(name);
            let is_changed = self.layout.text(name + 1) == "mut";
            is_fixed |= matches!(mark, "const" | "final" | "constexpr") || mark == "let" && !is_changed;
            name += 1;
        }
        let mut has_brackets = false;
        if TYPES.contains(&self.layout.text(name)) && self.layout.text(name + 1) != "=" {
            is_typed = true;
            name += 1;
            if self.layout.text(name) == "[" && self.layout.text(name + 1) == "]" {
                has_brackets = true;
                name += 2;
            }
        }
        if self.bounds.place != ClauseContext::Top || !self.is_name(name) || name == first {
            return None;
        }
        let mut sign = name + 1;
        let mut length = None;
        if self.layout.text(sign) == "[" {
            let close = self.layout.partner(sign).filter(|close| close - sign <= 2)?;
            let is_length = close == sign + 1 || self.is_number(sign + 1) || self.is_name(sign + 1);
            length = self.layout.text(sign + 1).parse::<usize>().ok();
            has_brackets = is_length;
            sign = is_length.then_some(close + 1)?;
        } else if self.layout.text(sign) == ":" {
            let equals = self.outside_brackets(sign + 1, &["=", ";"])?;
            has_brackets |= self.is_type_of_array(sign + 1, equals);
            is_typed = true;
            sign = equals;
        }
        let open = sign + 1;
        let close = self.layout.partner(open).filter(|_| self.layout.text(sign) == "=" && has_brackets)?;
        let is_list = matches!(self.layout.text(open), "{" | "[")
            && matches!(self.layout.text(close + 1), ";" | "")
            && (first..=close + 1).contains(&self.bounds.at)
            && (is_typed || self.layout.text(name + 1) == "[");
        let mut elements = self.parts_between(open + 1, close);
        let is_term = |text: &&str| trial_parse(Rule::one_expr, text).is_ok_and(|end| end == text.len());
        if !is_list || elements.is_empty() || !elements.iter().all(is_term) {
            return None;
        }
        // C fills the rest with zeros.
        let is_of_c =
            self.layout.text(open) == "{" && elements.iter().all(|text| text.parse::<i64>().is_ok());
        if let Some(length) =
            length.filter(|&length| length > elements.len() && length <= MAX_LENGTH && is_of_c)
        {
            elements.resize(length, "0");
        }
        let (word, list) = (self.layout.text(name), elements.join(", "));
        let new = format!("const {word} = [{list}]");
        let range = (self.range(first).0, self.range(close).1);
        if is_fixed {
            let fix = Fix::new(range, &new, Code::E0013, TITLE).at((range.0, self.range(sign - 1).1));
            return Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new};`")) });
        }
        let most = elements.iter().filter_map(|text| text.parse::<u32>().ok()).max().unwrap_or(0).max(9);
        let arms: Vec<String> =
            elements.iter().enumerate().map(|(at, value)| format!("{} => {value}", at + 1)).collect();
        let value = match elements.iter().all(|value| *value == elements[0]) {
            true => elements[0].to_owned(),
            false => format!("match i {{ {} }}", arms.join(", ")),
        };
        let help = format!(
            "write `{new};` if it stays, `state {{ {word}[i: 1..{}]: 0..{most} = {value}; }}` if it changes in play",
            elements.len()
        );
        let fix = explained(range, &new, TITLE, help).at((range.0, self.range(sign - 1).1));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Returns true for `[i32; 3]` and `[i32]`.
    fn is_type_of_array(&self, from: usize, to: usize) -> bool {
        let words: Vec<&str> = (from..to).map(|at| self.layout.text(at)).collect();
        let is_element = |word: &str| TYPES.contains(&word);
        matches!(words[..], ["[", of, ";", _, "]"] | ["[", of, "]"] if is_element(of))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn lists_have_no_type_and_no_length() {
        let text = |item: &str| format!("players A, B;\n{item}\nstate {{ n: 0..9 = 9; }}\n");
        for theirs in [
            "const int start[3] = {3, 1, 2};",
            "const int start[] = {3, 1, 2};",
            "static const int start[] = {3, 1, 2};",
            "const start[3] = {3, 1, 2};",
            "const start[3] = [3, 1, 2];",
            "const int[] start = {3, 1, 2};",
            "final int[] start = {3, 1, 2};",
            "let start: [i32; 3] = [3, 1, 2];",
            "const start: [i32; 3] = [3, 1, 2];",
        ] {
            assert_eq!(titles(&text(theirs)), [super::TITLE], "{theirs}: {:?}", helps(&text(theirs)));
            assert_eq!(mended(&text(theirs)), text("const start = [3, 1, 2];"), "{theirs}");
        }
        assert_eq!(mended(&text("const int n[3] = {7};")), text("const n = [7, 0, 0];"));
    }

    #[test]
    fn a_list_that_may_change_has_two_readings() {
        let text = "players A, B;\nint heap[3] = {3, 1, 2};\nmove m(i: 1..3) { heap[i] -= 1; }\n";
        assert_eq!(titles(text), [super::TITLE]);
        assert_eq!(mended(text), text);
        let help = "write `const heap = [3, 1, 2];` if it stays, `state { heap[i: 1..3]: 0..9 = match i { 1 => 3, 2 => 1, \
                    3 => 2 }; }` if it changes in play";
        assert_eq!(helps(text), [help]);
    }

    #[test]
    fn tables_keep_their_reading() {
        for sound in
            ["const worth[k: 1..3] = k * k;", "const start = [3, 1];", "const start: list of 0..9 = [3];"]
        {
            assert_eq!(titles(&format!("{sound}\n")), [""; 0]);
        }
        let table = "const worth[3] = 4;\n";
        assert!(titles(table).iter().all(|title| title != super::TITLE));
    }
}
