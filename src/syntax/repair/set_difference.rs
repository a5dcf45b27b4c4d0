//! The difference of sets by the sign of mathematics, `Cell \ taken`.

use std::cell::OnceCell;

use super::outline::Outline;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::Token;
use bouton_base::source::{FileId, Span};

/// The replacement of a `\` between two terms, and its diagnostic; with a fix where one of them is a set.
pub(super) fn set_difference<'a>(
    file: FileId,
    text: &'a str,
    token: Token,
    outline: &OnceCell<Outline<'a>>,
) -> Option<(String, Diagnostic)> {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let rest = &text[token.end..];
    let before = text[..token.start].trim_end_matches([' ', '\t']);
    let after = rest.trim_start_matches([' ', '\t']);
    let ends_term = before.ends_with(|c: char| is_part(c) || matches!(c, ')' | ']' | '}'));
    let begins_term = after.starts_with(|c: char| is_part(c) || matches!(c, '(' | '{'));
    if token.text(text) != "\\" || !ends_term || !begins_term {
        return None;
    }
    let left = &before[before.trim_end_matches(is_part).len()..];
    let right = &after[..after.len() - after.trim_start_matches(is_part).len()];
    let outline = outline.get_or_init(|| Outline::of(text));
    let is_set = |name: &str| {
        let is_name = keywords::starts_with_letter(name);
        let is_field = outline.field(name).is_some_and(|field| field.ty.first() == Some(&"set"));
        is_name && (is_field || name.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    // `1..4 - s` is a range up to a difference, and `a | b - c` may be read in two ways.
    let around = (before[..before.len() - left.len()].trim_end(), after[right.len()..].trim_start());
    let is_alone = !around.0.ends_with(['.', '|', '&']) && !around.1.starts_with(['.', '|', '&']);
    let is_sure = before.ends_with('}') || after.starts_with('{') || is_set(left) || is_set(right);
    let span = Span::new(file, token.start, token.end);
    let found = Diagnostic::new(Code::E0013, "the difference of two sets is written `-`", span, "");
    let found = match is_sure && is_alone {
        true => found.help("write `-`").edit(span, "-"),
        false if is_sure => found.help("write `-`, with brackets around each of the two sets"),
        false => found.help("write `-` between sets; a quotient of numbers is written `/`"),
    };
    Some(("-".to_owned(), found))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn sets_are_subtracted() {
        let text = |term: &str| {
            format!(
                "state {{ cut: set of Cell = {{}}; }}\nmove m(c: Cell) as \"{{c}}\" {{ when c in {term}; n := 1; }}\n"
            )
        };
        for (old, new) in [
            (r"Cell \ cut", "Cell - cut"),
            (r"Cell \ (cut | { c })", "Cell - (cut | { c })"),
            (r"cut \ { c }", "cut - { c }"),
            (r"f(2)\cut", "f(2)-cut"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
    }

    #[test]
    fn sets_of_several_parts_have_brackets() {
        let text = "def f(c: 1..9) = c in 1..4 \\ Taken;\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].contains("brackets"), "{:?}", helps(text));
    }

    #[test]
    fn numbers_have_a_quotient() {
        let text = "def f(n: 1..9, m: 1..9) = n \\ m;\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].contains("`/`"), "{:?}", helps(text));
    }
}
