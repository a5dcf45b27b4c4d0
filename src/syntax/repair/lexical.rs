//! Lexical repair of damage that no grammar can read: unknown characters, strings and comments without an end, brackets
//! without a partner. It runs first, so that later stages can rely on tokens and brackets.

use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, lex};
use crate::offsets::OffsetMap;
use bouton_base::source::{FileId, Span};

use super::balance;

/// A text with sound tokens and balanced brackets.
pub(crate) struct LexicalRepair {
    /// The repaired text.
    pub text: String,
    pub tokens: Vec<Token>,
    /// Maps offsets in the repaired text to offsets in the user's text.
    pub offsets: OffsetMap,
    /// The diagnostics of the repaired damage.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the text is incomplete: its rest is one long string or comment, or has too many unbalanced brackets.
    pub is_incomplete: bool,
}

/// The maximal number of diagnostics about unreadable tokens.
const MAX_TOKEN_DIAGNOSTICS: usize = 100;

/// Repairs the unreadable tokens and the brackets of a text.
pub(crate) fn repair_tokens(file: FileId, text: &str) -> LexicalRepair {
    let mut sound = LexicalRepair {
        text: text.to_owned(),
        tokens: lex(text),
        offsets: OffsetMap::default(),
        diagnostics: Vec::new(),
        is_incomplete: false,
    };
    if sound.tokens.iter().any(is_damaged) {
        mend_signs(file, &mut sound);
    }
    balance::balance(file, &mut sound);
    sound
}

fn is_damaged(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::UnclosedStr | TokenKind::UnclosedText | TokenKind::UnclosedComment | TokenKind::Unknown
    )
}

impl LexicalRepair {
    /// Replaces a range and lexes the text again.
    pub(super) fn replace(&mut self, range: std::ops::Range<usize>, new: &str) {
        self.offsets = self.offsets.replaced(range.clone(), new.len());
        self.text.replace_range(range, new);
        self.tokens = lex(&self.text);
    }
}

fn mend_signs(file: FileId, sound: &mut LexicalRepair) {
    let text = sound.text.clone();
    let damaged: Vec<Token> = sound.tokens.iter().filter(|t| is_damaged(t)).copied().collect();
    let quotes = paired_quotes(&text, &damaged);
    let mut new = String::with_capacity(text.len());
    let mut offsets = OffsetMap::default();
    let (mut done, mut last_end) = (0, usize::MAX);
    for token in damaged {
        new.push_str(&text[done..token.start]);
        done = token.end;
        let follows = token.kind == TokenKind::Unknown && token.start == last_end;
        last_end = token.end;
        let quote = quotes.iter().find(|pair| pair.contains(&token)).copied();
        let (replacement, finding) = match quote {
            Some(pair) => ("\"".to_owned(), nonstraight_quotes(file, pair)),
            None => mend(file, &text, token),
        };
        let at = new.len();
        new.push_str(&replacement);
        if replacement.len() != token.end - token.start {
            offsets.note(at..at + replacement.len(), token.start..token.end);
        }
        let told = quote.is_some_and(|[_, second]| second == token);
        if !follows && !told && sound.diagnostics.len() < MAX_TOKEN_DIAGNOSTICS {
            sound.diagnostics.push(finding);
        }
        sound.is_incomplete |= matches!(token.kind, TokenKind::UnclosedText | TokenKind::UnclosedComment);
    }
    new.push_str(&text[done..]);
    sound.tokens = lex(&new);
    sound.text = new;
    sound.offsets = offsets;
}

/// The pairs of quotation marks that are not straight, on lines with an even number of them.
fn paired_quotes(text: &str, damaged: &[Token]) -> Vec<[Token; 2]> {
    let quotes: Vec<Token> = damaged.iter().filter(|t| is_quote(t.text(text))).copied().collect();
    let same_line = |a: &Token, b: &Token| !text[a.start..b.start].contains('\n');
    let lines = quotes.chunk_by(same_line).filter(|line| line.len() % 2 == 0);
    lines.flat_map(|line| line.chunks(2)).map(|pair| [pair[0], pair[1]]).collect()
}

fn is_quote(word: &str) -> bool {
    matches!(word, "\u{201c}" | "\u{201d}" | "\u{201e}" | "\u{ab}" | "\u{bb}" | "'" | "`")
}

/// Diagnoses a string between quotation marks that are not straight.
fn nonstraight_quotes(file: FileId, [first, second]: [Token; 2]) -> Diagnostic {
    let place = |quote: Token| Span::new(file, quote.start, quote.end);
    Diagnostic::new(Code::E0013, "strings stand between straight quotes", place(first), "")
        .label(place(second), "")
        .help("write `\"...\"`")
        .edit(place(first), "\"")
        .edit(place(second), "\"")
}

/// The replacement of an unreadable token, and its diagnostic.
fn mend(file: FileId, text: &str, token: Token) -> (String, Diagnostic) {
    let span = Span::new(file, token.start, token.end);
    let word = token.text(text);
    let start = |length: usize| Span::new(file, token.start, token.start + length);
    match token.kind {
        TokenKind::UnclosedComment => {
            let title = "this comment is never closed";
            let found = Diagnostic::new(
                Code::E0003,
                title,
                start(2),
                "it begins here and runs to the end of the file",
            );
            (String::new(), found.help("close it with `*/`; comments nest, so each `/*` needs its own"))
        }
        TokenKind::UnclosedText => {
            let title = "this string is never closed";
            let found = Diagnostic::new(
                Code::E0003,
                title,
                start(3),
                "it begins here and runs to the end of the file",
            );
            (String::new(), found.help("close it with `\"\"\"`"))
        }
        TokenKind::UnclosedStr => {
            let length = string_length(word);
            let title = "this string is never closed";
            let at = Span::new(file, token.start + length, token.start + length);
            let found =
                Diagnostic::new(Code::E0003, title, start(1), "it begins here and must end on this line")
                    .help("close it with `\"`")
                    .edit(at, "\"");
            (format!("{}\"{}", &word[..length], &word[length..]), found)
        }
        _ => unknown(word, span),
    }
}

/// The likely length of an unclosed string, without the punctuation that ends most clauses.
fn string_length(word: &str) -> usize {
    let mut length = word.trim_end().len();
    while let Some(c) = word[..length].chars().next_back().filter(|c| ";,){ ".contains(*c)) {
        length -= c.len_utf8();
    }
    // a backslash before the new quotation mark would escape it
    let strokes = word[..length].len() - word[..length].trim_end_matches('\\').len();
    (length - strokes % 2).max(1)
}

/// Characters of other languages and mathematics, with their translations.
const FOREIGN_CHARACTERS: [(&str, &str); 16] = [
    ("&&", "and"),
    ("!", "not"),
    ("%", "mod"),
    ("\u{2264}", "<="),
    ("\u{2265}", ">="),
    ("\u{2260}", "!="),
    ("\u{2192}", "->"),
    ("\u{21d2}", "=>"),
    ("\u{2190}", "<-"),
    ("\u{d7}", "*"),
    ("\u{2212}", "-"),
    ("\u{2013}", "-"),
    ("\u{2026}", ".."),
    ("\u{2208}", "in"),
    ("\u{2227}", "and"),
    ("\u{2228}", "or"),
];

fn unknown(word: &str, span: Span) -> (String, Diagnostic) {
    if let Some((_, ours)) = FOREIGN_CHARACTERS.iter().find(|(theirs, _)| *theirs == word) {
        let found = Diagnostic::new(Code::E0013, format!("`{word}` is written `{ours}` here"), span, "")
            .help(format!("write `{ours}`"))
            .edit(span, format!(" {ours} "));
        return (format!(" {ours} "), found);
    }
    if word == "^" {
        let found = Diagnostic::new(Code::E0013, "there are no powers in this language", span, "")
            .help("write the product, or a table: `const square[k: 0..9] = k * k;`");
        // With another operator, the term parses.
        return ("*".into(), found);
    }
    let c = word.chars().next().unwrap_or(' ');
    if c == '\u{feff}' {
        let found =
            Diagnostic::new(Code::E0012, "this file contains a byte order mark", span, "it cannot be seen")
                .help("save the file as UTF-8 without it")
                .edit(span, "");
        return (" ".repeat(word.len()), found);
    }
    let shown = if c.is_control() { format!("U+{:04X}", c as u32) } else { format!("`{c}`") };
    let found = Diagnostic::new(Code::E0013, format!("the character {shown} has no meaning here"), span, "");
    let found = if c.is_alphabetic() {
        found.help("names are made of the letters a to z, digits and `_`; any letter may appear in strings and comments")
    } else if matches!(c, '\u{201c}' | '\u{201d}' | '\u{201e}' | '\'' | '`') {
        found.help("strings stand between straight quotes: `\"...\"`")
    } else {
        found.help("it may appear only in strings and comments")
    };
    (" ".repeat(word.len()), found)
}
