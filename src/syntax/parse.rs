//! Parses files into trees.

use pest::Parser;

use super::build::{Builder, RulePair, doc_line};
use super::grammar::{Grammar, Rule};
use super::lex::{Token, TokenKind, lex};
use super::offsets::OffsetMap;
use super::repair::{self, LexicalRepair, RepairSession, StopDetails, TextLayout, try_rule, unreadable};
use super::{ast, document, limits, quantifier_scope};
use crate::diag::{self, Code, Diagnostic};
use bouton_base::cancel;
use bouton_base::source::{FileId, Sources, Span};

/// A tree with the diagnostics of its file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The readable part of the file, with likely repairs of damaged parts.
    pub file: ast::File,
    /// The diagnostics, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a game or a library.
pub fn parse(sources: &Sources, file: FileId) -> Parsed {
    let text = &sources.get(file).text;
    if let Err(found) = check_readable(file, text) {
        return Parsed { file: ast::File::default(), diagnostics: vec![*found] };
    }
    let mut sound = repair::repair_tokens(file, text);
    let depth = match depth(file, &sound.text, &sound.tokens, &sound.offsets) {
        Ok(depth) => depth,
        Err(found) => {
            sound.diagnostics.push(*found);
            return Parsed { file: ast::File::default(), diagnostics: sound.diagnostics };
        }
    };
    let mut parsed = with_stack(depth, || items(file, sound));
    if !parsed.diagnostics.is_empty()
        && let Some(document) = document::recognize(text, !parsed.file.items.is_empty())
    {
        let span = Span::new(file, document.range.start, document.range.end);
        let found = Diagnostic::new(Code::E0012, document.title, span, "").help(document.help);
        return Parsed { file: ast::File::default(), diagnostics: vec![found] };
    }
    parsed.diagnostics.append(&mut quantifier_scope::check(sources, &parsed.file));
    diag::sort(&mut parsed.diagnostics);
    parsed
}

/// The number of diagnostics after which the parser skips the rest of a file.
const MAX_DIAGNOSTICS: usize = 200;

/// Parses item by item, and repairs damaged items.
fn items(file: FileId, mut sound: LexicalRepair) -> Parsed {
    let text = &sound.text;
    let layout = TextLayout::new(text, &sound.tokens);
    let mut parsed = ast::File::default();
    let mut at = 0;
    while let Some(line) =
        layout.words.get(at).filter(|t| t.kind == TokenKind::Doc && t.text(text).starts_with("//!"))
    {
        parsed.doc.push(doc_line(line.text(text)));
        at += 1;
    }
    let mut repairs = RepairSession::new(file, std::mem::take(&mut sound.diagnostics));
    while let Some(word) = layout.words.get(at).filter(|_| repairs.diagnostics.len() < MAX_DIAGNOSTICS) {
        cancel::poll();
        let end = match Grammar::parse(Rule::item, &text[word.start..]) {
            Ok(mut pairs) => {
                let Some(node) = pairs.next() else { break };
                let end = word.start + node.as_span().end();
                let mut builder = Builder::new(file, &sound.tokens, word.start, &sound.offsets);
                repairs.items.push(builder.item(node));
                repairs.diagnostics.append(&mut builder.diagnostics);
                end
            }
            Err(_) => {
                let last = layout.item_end(at);
                let end = layout.words.get(last).map_or(text.len(), |next| next.start);
                let is_cut = sound.is_incomplete && last >= layout.words.len();
                let known = repairs.diagnostics.len();
                repairs.items(text, word.start..end, sound.offsets.from(word.start));
                if is_cut {
                    repairs.diagnostics.truncate(known);
                }
                end
            }
        };
        at = layout.words.partition_point(|t| t.start < end).max(at + 1);
    }
    repairs.gather_missing_semicolons();
    repairs.gather_comments();
    repairs.gather_values();
    repairs.mend_extremes();
    repairs.mend_repetitions();
    repairs.mend_hidden_fields();
    repairs.mend_displays();
    repairs.mend_counted_moves();
    repairs.mend_claims_about_all();
    repairs.mend_lengths_of_solutions();
    repairs.mend_values_of_players();
    repairs.mend_weights();
    repairs.mend_ranges();
    repairs.mend_absent_values();
    repairs.mend_tables_without_keys();
    repairs.mend_named_weights();
    repairs.mend_last_arms();
    repairs.mend_called_graphs();
    repairs.mend_values_as_types();
    repairs.mend_types();
    repairs.mend_lists_of_lines();
    repairs.mend_phases_of_chance();
    repairs.mend_terms();
    repairs.mend_sets();
    repairs.mend_values();
    parsed.items = repairs.items;
    crate::diag::drop_nested_edits(&mut repairs.diagnostics);
    Parsed { file: parsed, diagnostics: repairs.diagnostics }
}

/// Returns an error if the file is unreadable: too long, with a byte 0, or with a lone carriage return.
fn check_readable(file: FileId, text: &str) -> Result<(), Box<Diagnostic>> {
    let refuse = |at: usize, title: String, help: &str| {
        let length = text[at..].chars().next().map_or(0, char::len_utf8);
        Err(Box::new(Diagnostic::new(Code::E0012, title, Span::new(file, at, at + length), "").help(help)))
    };
    if text.len() > limits::MAX_FILE_BYTES {
        let mut at = limits::MAX_FILE_BYTES;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let title = format!(
            "this file is too long: {} bytes, where {} can be read",
            text.len(),
            limits::MAX_FILE_BYTES
        );
        return refuse(
            at,
            title,
            "a game is rules, not data: large tables belong into a definition that computes them",
        );
    }
    if let Some(at) = text.find('\0') {
        let encoding = document::guess_encoding(text);
        if encoding == document::Encoding::Utf16 {
            return refuse(at, encoding.title().to_owned(), encoding.help());
        }
        return refuse(
            at,
            "this is not a text file: it contains a null byte".to_owned(),
            "a `.bou` file is plain text in UTF-8",
        );
    }
    let lone = text.match_indices('\r').map(|(at, _)| at).find(|&at| !text[at + 1..].starts_with('\n'));
    if let Some(at) = lone {
        let title = "a line ends in a carriage return without a line feed".to_owned();
        return refuse(at, title, "save the file with line ends as Unix or Windows has them");
    }
    Ok(())
}

/// Returns the nesting depth of a file, or a diagnostic if it exceeds a limit of the parser.
fn depth(file: FileId, text: &str, tokens: &[Token], offsets: &OffsetMap) -> Result<usize, Box<Diagnostic>> {
    let excess = match limits::nesting_depth(text, tokens) {
        Ok(depth) => return Ok(depth),
        Err(excess) => excess,
    };
    let (token, title, help) = match excess {
        limits::NestingError::TooDeep(token) => (
            token,
            format!("this is nested deeper than {} levels", limits::MAX_DEPTH),
            "give parts of it a name with `def`",
        ),
        limits::NestingError::ChainTooLong(token) => (
            token,
            format!("this expression has more than {} operators in a row", limits::MAX_HEIGHT),
            "use `some x in S: ...`, `all`, `sum` or `union`, or give parts of it a name with `def`",
        ),
    };
    let start = offsets.start(token.start);
    let length = if token.is_comment() { 2 } else { token.end - token.start };
    let span = Span::new(file, start, (start + length).max(start));
    Err(Box::new(Diagnostic::new(Code::E0011, title, span, "here it goes too far").help(help)))
}

/// The maximal depth of a file that is parsed on the caller's stack.
const MAX_INLINE_DEPTH: usize = 24;
/// The size of the parser's own stack in bytes: twenty times the measured need of the deepest file.
const PARSER_STACK_BYTES: usize = 16 << 20;

/// Runs `read` on a thread with enough stack for a file of this depth.
fn with_stack<T: Send>(depth: usize, read: impl FnOnce() -> T + Send) -> T {
    if depth <= MAX_INLINE_DEPTH {
        return read();
    }
    let mut result = None;
    let mut read = Some(read);
    std::thread::scope(|scope| {
        let run = || result = read.take().map(|read| read());
        // if no thread is available, the current stack must suffice; pest stops before it overflows
        let _ = std::thread::Builder::new().stack_size(PARSER_STACK_BYTES).spawn_scoped(scope, run);
    });
    match (result, read) {
        (Some(result), _) => result,
        (None, Some(read)) => read(),
        (None, None) => unreachable!("a reader that ran gave a tree"),
    }
}

/// Decodes a file as UTF-8, without a byte order mark at the start.
pub fn decode(bytes: Vec<u8>) -> Result<String, InvalidUtf8> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        InvalidUtf8 { line, byte: error.as_bytes().get(valid).copied().unwrap_or(0), offset: valid }
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// The error for a file that is not UTF-8.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("E0012: this file is not UTF-8 text: byte {byte:#04x} at offset {offset}, line {line}")]
pub struct InvalidUtf8 {
    /// The line, from 1, of the first invalid byte.
    pub line: usize,
    /// The invalid byte.
    pub byte: u8,
    /// The number of bytes before it.
    pub offset: usize,
}

/// Parses a text that holds only effects, such as `at[a1] := X; mover := O;`.
pub fn parse_effects(sources: &Sources, file: FileId) -> (Vec<ast::Effect>, Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    // The last `;` ends nothing that could go on.
    let trimmed = text.trim_end();
    let closed = match trimmed.is_empty() || trimmed.ends_with([';', '}']) {
        true => trimmed.to_owned(),
        false => format!("{trimmed};"),
    };
    let effects = parse_whole(file, &closed, Rule::effects, &OffsetMap::default(), |builder, node| {
        builder.effects(node)
    });
    match effects {
        Ok(found) => found,
        Err(found) => (Vec::new(), vec![*found]),
    }
}

/// Parses a text that is one expression: a move such as `mark(a1)`, a value such as `[1, 4, 5]`.
pub fn parse_expr(sources: &Sources, file: FileId) -> (Option<ast::Expr>, Vec<Diagnostic>) {
    match expression(file, &sources.get(file).text, &OffsetMap::default()) {
        Ok((expr, found)) => (Some(expr), found),
        Err(found) => (None, vec![*found]),
    }
}

/// Parses a text that is one type.
pub fn parse_type(sources: &Sources, file: FileId) -> (Option<ast::Type>, Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    match parse_whole(file, text, Rule::one_type, &OffsetMap::default(), |builder, node| {
        builder.one_type(node)
    }) {
        Ok((ty, found)) => (Some(ty), found),
        Err(found) => (None, vec![*found]),
    }
}

/// Parses an expression from a larger text; `offsets` maps its offsets to that text.
pub(super) fn expression(
    file: FileId,
    text: &str,
    offsets: &OffsetMap,
) -> Result<(ast::Expr, Vec<Diagnostic>), Box<Diagnostic>> {
    parse_whole(file, text, Rule::one_expr, offsets, |builder, node| builder.one_expr(node))
}

/// Parses all of `text` by a rule, and builds the result.
fn parse_whole<T: Send>(
    file: FileId,
    text: &str,
    rule: Rule,
    offsets: &OffsetMap,
    build: impl FnOnce(&mut Builder, RulePair) -> T + Send,
) -> Result<(T, Vec<Diagnostic>), Box<Diagnostic>> {
    check_readable(file, text)?;
    let tokens = lex(text);
    let depth = depth(file, text, &tokens, offsets)?;
    with_stack(depth, || {
        let mut pairs =
            Grammar::parse(rule, text).map_err(|_| Box::new(explain(file, text, &tokens, rule, offsets)))?;
        let mut builder = Builder::new(file, &tokens, 0, offsets);
        let node = pairs.next().unwrap_or_else(|| unreachable!("a parse gives a pair"));
        let built = build(&mut builder, node);
        Ok((built, builder.diagnostics))
    })
}

/// Diagnoses the first unreadable place of a short text.
fn explain(file: FileId, text: &str, tokens: &[Token], rule: Rule, offsets: &OffsetMap) -> Diagnostic {
    let _details = StopDetails::enable();
    let stop = match try_rule(rule, text) {
        Err(stop) => stop,
        Ok(_) => unreachable!("a text that was refused is refused again"),
    };
    let layout = TextLayout::new(text, tokens);
    unreadable(file, &layout, &stop, offsets)
}
