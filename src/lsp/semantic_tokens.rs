//! Semantic tokens: names by the kind of their definition, keywords where they are keywords.

use std::collections::BTreeMap;

use bouton_project::DefinitionKind;
use bouton_syntax::keywords::is_reserved;
use bouton_syntax::lex::TokenKind;
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensResult,
};

use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;
use crate::{built_ins, keywords};

/// The types of the tokens, in the order of their numbers.
const TYPES: [SemanticTokenType; 15] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::TYPE,
    SemanticTokenType::STRUCT,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::CLASS,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::EVENT,
    SemanticTokenType::METHOD,
];
/// The modifiers, in the order of their bits.
const MODIFIERS: [SemanticTokenModifier; 4] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::DOCUMENTATION,
    SemanticTokenModifier::DEFAULT_LIBRARY,
];
const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const DOCUMENTATION: u32 = 4;
const DEFAULT_LIBRARY: u32 = 8;

/// The types and modifiers of the tokens.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// `textDocument/semanticTokens/full`
pub(crate) fn tokens(
    server: &mut Server,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, RequestError> {
    let snapshot = server.document(params.text_document.uri.as_str())?;
    let data = Painter::new(&snapshot).paint();
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
}

/// The type and modifiers of a piece of text.
type Paint = (SemanticTokenType, u32);

/// The maker of the tokens of a document.
struct Painter<'s> {
    snapshot: &'s Snapshot,
    /// The names by their first byte, each with its last.
    names: BTreeMap<usize, (usize, Paint)>,
    /// The pieces so far: bytes with their paint.
    pieces: Vec<(std::ops::Range<usize>, Paint)>,
}

impl Painter<'_> {
    fn new(snapshot: &Snapshot) -> Painter<'_> {
        let index = &snapshot.index;
        let mut names = BTreeMap::new();
        let file = snapshot.file();
        let kinds: BTreeMap<_, _> = index.definitions().map(|of| (of.span, of.kind)).collect();
        for reference in index.references().filter(|of| of.span.file == file) {
            let Some(&kind) = kinds.get(&reference.definition) else { continue };
            let span = snapshot.name_span(reference.span).range();
            names.insert(span.start, (span.end, paint(kind, 0)));
            // The prefix of a library.
            let whole = reference.span.range();
            if whole.start < span.start {
                names.insert(whole.start, (span.start - 1, (SemanticTokenType::NAMESPACE, 0)));
            }
        }
        for definition in index.definitions().filter(|of| of.span.file == file) {
            let span = definition.span.range();
            names.insert(span.start, (span.end, paint(definition.kind, DECLARATION)));
        }
        Painter { snapshot, names, pieces: Vec::new() }
    }

    fn paint(mut self) -> Vec<SemanticToken> {
        let snapshot = self.snapshot;
        let text = snapshot.text();
        let mut before = "";
        for token in &snapshot.tokens {
            let bytes = token.start..token.end;
            let word = token.text(text);
            match token.kind {
                TokenKind::Word => {
                    let known = self.names.get(&token.start).filter(|(end, _)| *end == token.end);
                    let paint = known.map(|(_, paint)| paint.clone()).or_else(|| of_word(word, before));
                    self.pieces.extend(paint.map(|paint| (bytes, paint)));
                }
                TokenKind::Number => self.pieces.push((bytes, (SemanticTokenType::NUMBER, 0))),
                TokenKind::Doc => self.pieces.push((bytes, (SemanticTokenType::COMMENT, DOCUMENTATION))),
                TokenKind::Str | TokenKind::UnclosedStr => self.string(bytes),
                TokenKind::Text | TokenKind::UnclosedText => {
                    self.pieces.push((bytes, (SemanticTokenType::STRING, 0)))
                }
                _ if token.is_comment() => self.pieces.push((bytes, (SemanticTokenType::COMMENT, 0))),
                _ => {}
            }
            if !token.is_comment() {
                before = word;
            }
        }
        self.encode()
    }

    /// Adds a string; the names in its placeholders are tokens of their own.
    fn string(&mut self, bytes: std::ops::Range<usize>) {
        let mut at = bytes.start;
        let inside: Vec<_> =
            self.names.range(bytes.clone()).map(|(start, of)| (*start, of.clone())).collect();
        for (start, (end, paint)) in inside {
            if start >= at && end <= bytes.end {
                self.pieces.push((at..start, (SemanticTokenType::STRING, 0)));
                self.pieces.push((start..end, paint));
                at = end;
            }
        }
        self.pieces.push((at..bytes.end, (SemanticTokenType::STRING, 0)));
    }

    /// The pieces in the form of the protocol: line by line, each relative to the one before.
    fn encode(self) -> Vec<SemanticToken> {
        let (text, lines) = (self.snapshot.text(), &self.snapshot.lines);
        let mut data = Vec::new();
        let (mut line, mut column) = (0, 0);
        for (bytes, (kind, token_modifiers_bitset)) in self.pieces {
            let Some(number) = TYPES.iter().position(|of| *of == kind) else { continue };
            let mut start = bytes.start;
            while start < bytes.end {
                let next_line = lines.start(text, lines.line(start) + 1);
                let piece = text[start..bytes.end.min(next_line)].trim_end_matches(['\n', '\r']);
                let position = lines.position(text, start);
                let length = piece.chars().map(char::len_utf16).sum::<usize>() as u32;
                if length > 0 {
                    let delta_line = position.line - line;
                    let delta_start =
                        if delta_line == 0 { position.character - column } else { position.character };
                    let token_type = number as u32;
                    data.push(SemanticToken {
                        delta_line,
                        delta_start,
                        length,
                        token_type,
                        token_modifiers_bitset,
                    });
                    (line, column) = (position.line, position.character);
                }
                if next_line <= start {
                    break;
                }
                start = next_line;
            }
        }
        data
    }
}

fn paint(kind: DefinitionKind, modifiers: u32) -> Paint {
    use DefinitionKind as D;
    use SemanticTokenType as T;
    match kind {
        D::Parameter | D::Constant => (T::VARIABLE, modifiers | READONLY),
        D::Type => (T::TYPE, modifiers),
        D::Record => (T::STRUCT, modifiers),
        D::Part | D::Field => (T::PROPERTY, modifiers),
        D::Board => (T::CLASS, modifiers),
        D::Member | D::Phase => (T::ENUM_MEMBER, modifiers),
        D::Definition => (T::FUNCTION, modifiers),
        D::Move => (T::EVENT, modifiers),
        D::Effect => (T::METHOD, modifiers),
        D::Key | D::Variable => (T::PARAMETER, modifiers),
    }
}

/// The paint of a word that names nothing declared.
fn of_word(word: &str, before: &str) -> Option<Paint> {
    if before == "." {
        return built_ins::find_part(word).map(|_| (SemanticTokenType::PROPERTY, DEFAULT_LIBRARY));
    }
    if is_reserved(word) {
        return Some((SemanticTokenType::KEYWORD, 0));
    }
    if let Some(known) = built_ins::find(word) {
        let kind = match known.arguments() {
            Some(_) => SemanticTokenType::FUNCTION,
            None if word.starts_with(|c: char| c.is_ascii_uppercase()) => SemanticTokenType::TYPE,
            None => SemanticTokenType::VARIABLE,
        };
        return Some((kind, DEFAULT_LIBRARY));
    }
    keywords::find(word).map(|_| (SemanticTokenType::KEYWORD, 0))
}
