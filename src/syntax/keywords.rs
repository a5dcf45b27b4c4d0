//! The keywords of the language, for nesting limits, repair, the formatter and editors. The grammar is the authority.

/// The reserved words: they cannot be names.
pub const RESERVED_WORDS: [&str; 45] = [
    "when",
    "then",
    "else",
    "and",
    "or",
    "not",
    "implies",
    "iff",
    "in",
    "is",
    "if",
    "match",
    "let",
    "for",
    "where",
    "some",
    "all",
    "no",
    "one",
    "count",
    "sum",
    "mod",
    "true",
    "false",
    "none",
    "ensure",
    "again",
    "continue",
    "wins",
    "loses",
    "draw",
    "end",
    "move",
    "chance",
    "state",
    "def",
    "inductive",
    "with",
    "diagram",
    "each",
    "as",
    "by",
    "set",
    "list",
    "bool",
];

/// The words that begin an item.
pub const ITEM_KEYWORDS: [&str; 33] = [
    "game",
    "use",
    "param",
    "preset",
    "const",
    "players",
    "player",
    "enum",
    "record",
    "type",
    "board",
    "phases",
    "state",
    "def",
    "inductive",
    "move",
    "mandatory",
    "private",
    "forcing",
    "chance",
    "effect",
    "evaluate",
    "pass",
    "every",
    "forbid",
    "end",
    "play",
    "invariant",
    "symmetry",
    "sees",
    "display",
    "expect",
    "test",
];

/// The words that begin a clause of a move.
pub const STATEMENT_KEYWORDS: [&str; 10] =
    ["when", "let", "ensure", "weight", "then", "if", "for", "again", "continue", "next"];

/// The other words that have a meaning somewhere.
pub const OTHER_KEYWORDS: [&str; 41] = [
    "else",
    "and",
    "or",
    "not",
    "implies",
    "iff",
    "in",
    "is",
    "match",
    "where",
    "some",
    "all",
    "no",
    "one",
    "count",
    "sum",
    "min",
    "max",
    "union",
    "mod",
    "true",
    "false",
    "none",
    "wins",
    "loses",
    "draw",
    "diagram",
    "each",
    "as",
    "by",
    "set",
    "list",
    "bool",
    "transient",
    "hidden",
    "visible",
    "repeat",
    "highest",
    "lowest",
    "payoff",
    "with",
];

/// Returns true if the word is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.contains(&word)
}

/// Returns true if the construct that the word begins extends to the end of the clause.
pub(super) fn extends_to_clause_end(word: &str) -> bool {
    matches!(word, "if" | "let" | "some" | "all" | "no" | "one" | "count" | "sum" | "min" | "max" | "union")
}

/// Returns true if the word is an operator: it stands between or before operands.
pub fn is_operator(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "implies" | "iff" | "in" | "is" | "mod")
}

/// Returns true if a token cannot end an operand, so that an operand must follow.
pub(super) fn awaits_operand(word: &str) -> bool {
    match word {
        ")" | "]" | "}" | "?" | "true" | "false" | "none" | "bool" | "wins" | "loses" | "draw" => false,
        _ if word.starts_with(|c: char| c == '"' || c.is_ascii_digit()) => false,
        _ if starts_with_letter(word) => is_reserved(word),
        _ => true,
    }
}

/// Returns true if an expression may continue with this word after a closing bracket.
pub(super) fn follows_bracket(word: &str) -> bool {
    is_operator(word)
        || matches!(
            word,
            "then" | "else" | "where" | "for" | "wins" | "loses" | "when" | "with" | "cite" | "as" | "by"
        )
}

/// Returns true if the token is a word and not punctuation.
pub(super) fn starts_with_letter(word: &str) -> bool {
    word.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
}

/// Returns true if a word that begins an item also begins a step of a test.
pub(super) fn begins_step(word: &str) -> bool {
    matches!(word, "play" | "expect" | "position")
}
