//! The words of the language, for limits, repair and the formatter; the grammar is the authority.

/// The words that cannot be names.
pub(super) const RESERVED: [&str; 45] = [
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
pub(super) const ITEMS: [&str; 33] = [
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
pub(super) const STATEMENTS: [&str; 10] =
    ["when", "let", "ensure", "weight", "then", "if", "for", "again", "continue", "next"];

/// The other words that have a meaning somewhere.
pub(super) const OTHERS: [&str; 41] = [
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

/// Whether the word cannot be a name.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether all that follows in its clause stands inside what the word begins.
pub(super) fn holds_rest(word: &str) -> bool {
    matches!(word, "if" | "let" | "some" | "all" | "no" | "one" | "count" | "sum" | "min" | "max" | "union")
}

/// Whether the word stands between two operands.
pub(super) fn is_operator(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "implies" | "iff" | "in" | "is" | "mod")
}

/// Whether a sign or word cannot end an operand, so that one must follow.
pub(super) fn awaits_operand(word: &str) -> bool {
    match word {
        ")" | "]" | "}" | "?" | "true" | "false" | "none" | "bool" | "wins" | "loses" | "draw" => false,
        _ if word.starts_with(|c: char| c == '"' || c.is_ascii_digit()) => false,
        _ if starts_with_letter(word) => is_reserved(word),
        _ => true,
    }
}

/// Whether an expression may go on with the word after a closed bracket.
pub(super) fn follows_bracket(word: &str) -> bool {
    is_operator(word)
        || matches!(
            word,
            "then" | "else" | "where" | "for" | "wins" | "loses" | "when" | "with" | "cite" | "as" | "by"
        )
}

/// Whether it is a word, not a sign.
pub(super) fn starts_with_letter(word: &str) -> bool {
    word.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
}

/// Whether a word that begins an item begins a step of a test as well.
pub(super) fn begins_step(word: &str) -> bool {
    matches!(word, "play" | "expect" | "position")
}
