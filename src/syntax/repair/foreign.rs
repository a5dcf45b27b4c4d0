//! Tokens of other languages, with their translations.

/// The translation of one or two words, and the number of words that it replaces; `touching` if no blank separates
/// them.
pub(super) fn translate(word: &str, next: &str, touching: bool) -> Option<(&'static str, usize)> {
    let two = match (word, next) {
        ("|", "|") => Some("or"),
        ("<", ">") => Some("!="),
        ("=", "<") => Some("<="),
        ("<", "=>") => Some("iff"),
        ("*", "*") => None,
        _ => None,
    };
    if let Some(ours) = two.filter(|_| touching) {
        return Some((ours, 2));
    }
    let two = match (word, next) {
        ("else", "then") => Some("else"),
        ("such", "that") => Some(":"),
        ("for", "all" | "each" | "every") => Some("all"),
        ("there", "is" | "exists") => Some("some"),
        _ => None,
    };
    if let Some(ours) = two {
        return Some((ours, 2));
    }
    let ours = match word {
        "elif" | "elsif" | "elseif" => "else if",
        "forall" | "every" | "any" | "each" => "all",
        "exists" => "some",
        "xor" => "!=",
        "nil" | "null" | "None" | "empty" | "nothing" => "none",
        "True" => "true",
        "False" => "false",
        "AND" => "and",
        "OR" => "or",
        "NOT" => "not",
        "return" => "",
        "=>" => ">=",
        "require" | "requires" | "assert" | "where" | "provided" => "when",
        "foreach" => "for",
        "function" | "fn" | "fun" | "define" => "def",
        "var" | "int" | "integer" => "",
        "size" | "len" => "#",
        "such" => "where",
        _ => return None,
    };
    (!ours.is_empty()).then_some((ours, 1))
}
