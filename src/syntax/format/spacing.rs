//! Blanks between the tokens of a line.

use super::{Line, SpacedToken};
use crate::keywords;
use crate::lex::TokenKind;

/// Sets the number of blanks before each token.
pub(super) fn space(lines: &mut [Line]) {
    // the previous token, across lines, decides whether an operator is a prefix
    let mut last = String::new();
    let mut last_is_prefix = false;
    for line in lines {
        for at in 0..line.words.len() {
            let is_prefix = is_prefix(&line.words[at], &last);
            if at > 0 {
                let (before, word) = (&line.words[at - 1], &line.words[at]);
                line.words[at].blanks = between(before, word, last_is_prefix);
            }
            last.clone_from(&line.words[at].text);
            last_is_prefix = is_prefix;
        }
    }
}

/// Returns true if an operator is a prefix.
fn is_prefix(word: &SpacedToken, last: &str) -> bool {
    word.text == "#" || word.text == "-" && (last.is_empty() || keywords::awaits_operand(last))
}

/// The number of blanks between two tokens.
fn between(before: &SpacedToken, word: &SpacedToken, after_prefix: bool) -> usize {
    let (left, right) = (before.text.as_str(), word.text.as_str());
    let is_comment = |word: &SpacedToken| word.kind == TokenKind::BlockComment;
    if is_comment(before) || is_comment(word) {
        return word.given.max(1);
    }
    if after_prefix
        || matches!(left, "(" | "[" | ".")
        || matches!(right, ")" | "]" | ";" | "," | ":" | "?" | ".")
    {
        return 0;
    }
    match (left, right) {
        ("{", "}") | ("..", _) | (_, "..") => word.given.min(1),
        (_, "(" | "[") if ends_operand(before) => match left {
            // the word may begin a binder: `min (x, y) in S: x`
            _ if right == "(" && is_optional_keyword(left) => word.given.min(1),
            _ => 0,
        },
        // tables and heads that the author has aligned stay aligned
        ("," | ";" | "if", _) | (_, "{" | "as") => word.given.max(1),
        _ if word.kind == TokenKind::Str => word.given.max(1),
        _ => 1,
    }
}

/// Returns true if a bracket after the token opens its arguments or keys.
fn ends_operand(word: &SpacedToken) -> bool {
    match word.kind {
        TokenKind::Word => !keywords::is_reserved(&word.text),
        TokenKind::Close | TokenKind::Number | TokenKind::Str => word.text != "}",
        _ => false,
    }
}

/// Returns true for keywords that are names if a parenthesis follows immediately.
fn is_optional_keyword(word: &str) -> bool {
    matches!(
        word,
        "min"
            | "max"
            | "union"
            | "highest"
            | "lowest"
            | "legal"
            | "illegal"
            | "next"
            | "weight"
            | "play"
            | "invariant"
            | "symmetry"
            | "sees"
            | "to"
            | "of"
            | "expect"
    )
}
