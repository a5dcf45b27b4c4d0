//! Texts to trees.

use pest::Parser;

use super::ast;
use super::build::{Builder, Node, doc_line};
use super::grammar::{Grammar, Rule};
use super::lex::{Kind, Token, lex};
use super::offsets::Offsets;
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Sources, Span};

/// A tree, and what is wrong with the text it was made from.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// All that could be understood, with likely repairs made where a text is damaged.
    pub file: ast::File,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a game or a library.
pub fn parse(sources: &Sources, file: FileId) -> Parsed {
    let text = &sources.get(file).text;
    let tokens = lex(text);
    let words: Vec<Token> = tokens.iter().filter(|t| !t.is_comment()).copied().collect();
    let mut parsed = Parsed { file: ast::File::default(), diagnostics: Vec::new() };
    let mut at = 0;
    while let Some(line) = words.get(at).filter(|t| t.kind == Kind::Doc && t.text(text).starts_with("//!")) {
        parsed.file.doc.push(doc_line(line.text(text)));
        at += 1;
    }
    let offsets = Offsets::default();
    while let Some(word) = words.get(at) {
        let end = match Grammar::parse(Rule::item, &text[word.start..]) {
            Ok(mut pairs) => {
                let Some(node) = pairs.next() else { break };
                let end = word.start + node.as_span().end();
                let mut builder = Builder::new(file, &tokens, word.start, &offsets);
                parsed.file.items.push(builder.item(node));
                parsed.diagnostics.append(&mut builder.diagnostics);
                end
            }
            Err(error) => {
                let start = word.start + error_position(&error);
                let span = Span::new(file, start, (start + 1).min(text.len()));
                parsed.diagnostics.push(Diagnostic::new(Code::E0013, "this cannot be read", span, ""));
                text.len()
            }
        };
        at = words.partition_point(|t| t.start < end);
    }
    parsed
}

/// Reads a text that holds only effects, such as `at[a1] := X; mover := O;`.
pub fn parse_effects(sources: &Sources, file: FileId) -> (Vec<ast::Effect>, Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    let effects =
        whole(file, text, Rule::effects, &Offsets::default(), |builder, node| builder.effects(node));
    match effects {
        Ok(found) => found,
        Err(found) => (Vec::new(), vec![*found]),
    }
}

/// Reads a text that is one expression: a move such as `mark(a1)`, a value such as `[1, 4, 5]`.
pub fn parse_expr(sources: &Sources, file: FileId) -> (Option<ast::Expr>, Vec<Diagnostic>) {
    match expression(file, &sources.get(file).text, &Offsets::default()) {
        Ok((expr, found)) => (Some(expr), found),
        Err(found) => (None, vec![*found]),
    }
}

/// Reads a text that is one type.
pub fn parse_type(sources: &Sources, file: FileId) -> (Option<ast::Type>, Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    match whole(file, text, Rule::one_type, &Offsets::default(), |builder, node| builder.one_type(node)) {
        Ok((ty, found)) => (Some(ty), found),
        Err(found) => (None, vec![*found]),
    }
}

/// Where pest gave up.
fn error_position(error: &pest::error::Error<Rule>) -> usize {
    match error.location {
        pest::error::InputLocation::Pos(at) => at,
        pest::error::InputLocation::Span((at, _)) => at,
    }
}

/// Reads an expression out of a larger text; `offsets` says where it stands there.
pub(super) fn expression(
    file: FileId,
    text: &str,
    offsets: &Offsets,
) -> Result<(ast::Expr, Vec<Diagnostic>), Box<Diagnostic>> {
    whole(file, text, Rule::one_expr, offsets, |builder, node| builder.one_expr(node))
}

/// Reads all of `text` by a rule, and builds what it says.
fn whole<T>(
    file: FileId,
    text: &str,
    rule: Rule,
    offsets: &Offsets,
    build: impl FnOnce(&mut Builder, Node) -> T,
) -> Result<(T, Vec<Diagnostic>), Box<Diagnostic>> {
    let tokens = lex(text);
    match Grammar::parse(rule, text) {
        Ok(mut pairs) => {
            let mut builder = Builder::new(file, &tokens, 0, offsets);
            let node = pairs.next().unwrap_or_else(|| unreachable!("a parse gives a pair"));
            let built = build(&mut builder, node);
            Ok((built, builder.diagnostics))
        }
        Err(error) => {
            let at = error_position(&error).min(text.len());
            let span = Span::new(file, offsets.start(at), offsets.end(text.len()));
            Err(Box::new(Diagnostic::new(Code::E0013, "this cannot be read", span, "")))
        }
    }
}
