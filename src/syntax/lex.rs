//! The lexer: words and punctuation with their spans. The grammar does not need tokens; spans, nesting limits, repair,
//! the formatter and editors do.
//!
//! The lexer never fails: a character outside the language is a token of its own kind.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// `12`, `0.5`
    Number,
    /// `"..."`
    Str,
    /// `"""..."""`
    Text,
    /// `( [ {`
    Open,
    /// `) ] }`
    Close,
    /// Any other punctuation of the language.
    Punctuation,
    /// `///` and `//!` lines.
    Doc,
    /// `// ...`
    LineComment,
    /// `/* ... */`
    BlockComment,
    /// A string without its closing quote.
    UnclosedStr,
    /// A `"""` without its closing `"""`.
    UnclosedText,
    /// A `/*` without its closing `*/`.
    UnclosedComment,
    /// A character outside the language.
    Unknown,
}

/// A token: a kind and a byte range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    /// The characters of the token.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        &source[self.start..self.end]
    }

    /// Returns true if the token is a comment and no documentation.
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnclosedComment)
    }
}

/// Punctuation of more than one character; a token is the first that fits.
const MULTI_CHAR_PUNCTUATION: [&str; 13] =
    [":=", "+=", "-=", "|=", "<-", "->", "=>", "==", "!=", "<=", ">=", "..", "&&"];

/// Splits a file into tokens, comments included.
pub fn lex(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(token) = next_token(source, at) {
        at = token.end;
        tokens.push(token);
    }
    tokens
}

/// Returns the first token at or after a byte.
fn next_token(source: &str, from: usize) -> Option<Token> {
    let bytes = source.as_bytes();
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let start = from + bytes[from..].iter().take_while(|b| blank(b)).count();
    let first = *bytes.get(start)?;
    let rest = &source[start..];
    let (kind, length) = match first {
        b'/' if rest.starts_with("//") => comment_line(rest),
        b'/' if rest.starts_with("/*") => comment_block(rest),
        b'"' if rest.starts_with("\"\"\"") => text(rest),
        b'"' => string(rest),
        b'0'..=b'9' => (TokenKind::Number, number(rest)),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (TokenKind::Word, word(rest)),
        b'(' | b'[' | b'{' => (TokenKind::Open, 1),
        b')' | b']' | b'}' => (TokenKind::Close, 1),
        _ => sign(rest),
    };
    Some(Token { kind, start, end: start + length })
}

fn comment_line(rest: &str) -> (TokenKind, usize) {
    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let is_doc = rest.starts_with("//!") || rest.starts_with("///") && !rest.starts_with("////");
    (if is_doc { TokenKind::Doc } else { TokenKind::LineComment }, length)
}

fn comment_block(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (2, 1);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (at, depth) = (at + 2, depth + 1),
            b"*/" => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return (TokenKind::BlockComment, at);
        }
    }
    (TokenKind::UnclosedComment, rest.len())
}

fn text(rest: &str) -> (TokenKind, usize) {
    match rest[3..].find("\"\"\"") {
        Some(length) => (TokenKind::Text, length + 6),
        None => (TokenKind::UnclosedText, rest.len()),
    }
}

fn string(rest: &str) -> (TokenKind, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return (TokenKind::UnclosedStr, at),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (TokenKind::Str, at + 1),
            _ => {}
        }
    }
    (TokenKind::UnclosedStr, rest.len())
}

fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    match bytes.get(whole) {
        Some(b'.') if digits(whole + 1) > 0 => whole + 1 + digits(whole + 1),
        _ => whole,
    }
}

fn word(rest: &str) -> usize {
    rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

fn sign(rest: &str) -> (TokenKind, usize) {
    if let Some(sign) = MULTI_CHAR_PUNCTUATION.iter().find(|sign| rest.starts_with(**sign)) {
        return (if *sign == "&&" { TokenKind::Unknown } else { TokenKind::Punctuation }, sign.len());
    }
    let first = rest.chars().next().unwrap_or(' ');
    let kind = if ";,:=<>+-*/|&.#?".contains(first) { TokenKind::Punctuation } else { TokenKind::Unknown };
    (kind, first.len_utf8())
}

/// The end of the last token that starts before `limit`, comments ignored; `from` if there is none.
pub(super) fn end_before(tokens: &[Token], from: usize, limit: usize) -> usize {
    let after = tokens.partition_point(|t| t.start < limit);
    let last = tokens[..after].iter().rev().find(|t| !t.is_comment());
    last.map_or(from, |t| t.end.min(limit).max(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        lex(source).iter().map(|t| t.text(source)).collect()
    }

    #[test]
    fn signs_are_as_long_as_can_be() {
        assert_eq!(words("at[c]:=1..5 // x"), ["at", "[", "c", "]", ":=", "1", "..", "5", "// x"]);
        assert_eq!(words("a-->b=>0.5"), ["a", "-", "->", "b", "=>", "0.5"]);
    }

    #[test]
    fn comments_nest_and_strings_escape() {
        assert_eq!(words(r#"/* a /* b */ */ "x\"y" z"#), ["/* a /* b */ */", r#""x\"y""#, "z"]);
        assert_eq!(lex("/* a /* b */").last().map(|t| t.kind), Some(TokenKind::UnclosedComment));
        assert_eq!(lex("\"abc\n").last().map(|t| t.kind), Some(TokenKind::UnclosedStr));
    }

    #[test]
    fn any_character_is_a_token() {
        let source = "\u{0}\u{e9}\u{2028}$";
        assert_eq!(lex(source).len(), 4);
        assert!(lex(source).iter().all(|t| t.kind == TokenKind::Unknown));
    }
}
