//! Blanks between the words of a line.

use super::{Line, Word};
use crate::syntax::lex::Kind;
use crate::syntax::words;

/// Sets the blanks before each word.
pub(super) fn space(lines: &mut [Line]) {
    // the word before, across lines, tells whether a sign is a prefix
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

/// Whether a sign stands before its only operand.
fn is_prefix(word: &Word, last: &str) -> bool {
    word.text == "#" || word.text == "-" && (last.is_empty() || words::awaits_operand(last))
}

/// Blanks between two words.
fn between(before: &Word, word: &Word, after_prefix: bool) -> usize {
    let (left, right) = (before.text.as_str(), word.text.as_str());
    let is_comment = |word: &Word| word.kind == Kind::BlockComment;
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
        // tables and heads that the author has set in columns stay so
        ("," | ";" | "if", _) | (_, "{" | "as") => word.given.max(1),
        _ if word.kind == Kind::Str => word.given.max(1),
        _ => 1,
    }
}

/// Whether a bracket after the word opens its arguments or keys.
fn ends_operand(word: &Word) -> bool {
    match word.kind {
        Kind::Word => !words::is_reserved(&word.text),
        Kind::Close | Kind::Number | Kind::Str => word.text != "}",
        _ => false,
    }
}

/// Words that are names when a parenthesis follows at once.
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
