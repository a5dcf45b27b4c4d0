//! The `!` of other languages before a field that is no condition: `!at[c]` for `at[c] = none`.

use std::cell::OnceCell;

use super::outline::Outline;
use crate::lex::{Token, TokenKind};

/// The comparison that a negated field stands for.
pub(super) struct NegatedField<'a> {
    /// The byte after the field.
    pub end: usize,
    /// The field, as it is written.
    pub field: &'a str,
    /// The value that counts as false.
    pub value: &'static str,
}

/// Reads the field after the `!` at this byte, if its type is declared and is not `bool`.
pub(super) fn negated_field<'a>(
    text: &'a str,
    tokens: &[Token],
    at: usize,
    outline: &OnceCell<Outline<'a>>,
) -> Option<NegatedField<'a>> {
    let first = tokens.partition_point(|token| token.start <= at);
    let name = tokens.get(first).filter(|token| token.kind == TokenKind::Word && token.start == at + 1)?;
    let mut last = first;
    if tokens.get(first + 1).is_some_and(|token| token.start == name.end && token.text(text) == "[") {
        let mut depth = 0_usize;
        for (index, token) in tokens.iter().enumerate().skip(first + 1) {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::Word | TokenKind::Number | TokenKind::Punctuation => {}
                _ => return None,
            }
            if depth == 0 {
                last = index;
                break;
            }
        }
    }
    let next = tokens.get(last + 1).map_or("", |token| token.text(text));
    let is_whole =
        matches!(next, "" | "&" | "&&" | "|" | "||" | ")" | ";" | "and" | "or" | "," | "{" | "=>" | "then");
    let outline = outline.get_or_init(|| Outline::of(text));
    let field = outline
        .field(name.text(text))
        .filter(|field| is_whole && field.keys.is_empty() == (last == first))?;
    let value = match field.ty[..] {
        ["set", ..] => "{}",
        [.., "?"] => "none",
        ["0", "..", ..] => "0",
        _ => return None,
    };
    let end = tokens[last].end;
    Some(NegatedField { end, field: &text[name.start..end], value })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    const STATE: &str =
        "state { at[c: Cell]: Player? = none; n: 0..9 = 9; hand: set of Card = {}; done: bool = false; }\n";

    #[test]
    fn values_are_compared_and_conditions_negated() {
        for (theirs, ours) in [
            ("!at[to] && n > 0", "at[to] = none and n > 0"),
            ("!n", "n = 0"),
            ("!hand", "hand = {}"),
            ("!done", "not done"),
            ("(!at[c + N] || done)", "(at[c + N] = none or done)"),
        ] {
            let text = format!("{STATE}def f(c: Cell) = {theirs};");
            let whole = mended(&text);
            assert!(
                whole.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(&format!("{ours};")),
                "{whole}"
            );
        }
        let text = format!("{STATE}def f(c: Cell) = !at[c];");
        assert_eq!(titles(&text), ["`!` negates conditions, and this is a value"]);
    }
}
