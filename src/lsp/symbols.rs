//! The outline of a document, and the parts of it that can be folded.

use bouton_base::source::Span;
use bouton_syntax::ast::{EndRule, FieldDecl, Item, ItemKind, Name};
use bouton_syntax::lex::{Token, TokenKind};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeKind,
    FoldingRangeParams, SymbolKind,
};

use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;

/// `textDocument/documentSymbol`
pub(crate) fn symbols(
    server: &mut Server,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, RequestError> {
    let snapshot = server.document(params.text_document.uri.as_str())?;
    let outline = Outliner { snapshot: &snapshot };
    let items = snapshot.tree().items.iter().filter_map(|item| outline.item(item));
    Ok(Some(DocumentSymbolResponse::Nested(items.collect())))
}

/// The maker of the symbols of a document.
struct Outliner<'s> {
    snapshot: &'s Snapshot,
}

impl Outliner<'_> {
    fn item(&self, item: &Item) -> Option<DocumentSymbol> {
        use SymbolKind as S;
        let named = |name: &Name, kind| self.symbol(&name.text, kind, item.span, name.span);
        Some(match &item.kind {
            ItemKind::Game(name) => self.symbol(&name.text, S::MODULE, item.span, name.span),
            ItemKind::Use { path, .. } => self.symbol(&path.text, S::NAMESPACE, item.span, path.span),
            ItemKind::Param { name, .. } | ItemKind::Const { name, .. } => named(name, S::CONSTANT),
            ItemKind::Preset { name, .. } => named(name, S::OBJECT),
            ItemKind::Players(names) => {
                self.with(self.clause(item, "players", S::ENUM), names, S::ENUM_MEMBER)
            }
            ItemKind::Enum { name, members } => self.with(named(name, S::ENUM), members, S::ENUM_MEMBER),
            ItemKind::Record { name, parts } => {
                let parts: Vec<Name> = parts.iter().map(|part| part.name.clone()).collect();
                self.with(named(name, S::STRUCT), &parts, S::PROPERTY)
            }
            ItemKind::TypeAlias { name, .. } => named(name, S::TYPE_PARAMETER),
            ItemKind::Board { name, .. } => named(name, S::CLASS),
            ItemKind::Phases(phases) => {
                let names: Vec<Name> = phases.iter().map(|phase| phase.name.clone()).collect();
                self.with(self.clause(item, "phases", S::ENUM), &names, S::ENUM_MEMBER)
            }
            ItemKind::State(fields) => {
                let fields = fields.iter().map(|field| self.field(field)).collect();
                DocumentSymbol { children: Some(fields), ..self.clause(item, "state", S::STRUCT) }
            }
            ItemKind::Def { name, .. } | ItemKind::Inductive { name, .. } => named(name, S::FUNCTION),
            ItemKind::Move(made) => named(&made.name, S::EVENT),
            ItemKind::Effect { name, .. } => named(name, S::METHOD),
            ItemKind::End(rules) => {
                let rules = rules.iter().map(|rule| self.end_rule(rule)).collect();
                DocumentSymbol { children: Some(rules), ..self.clause(item, "end", S::STRUCT) }
            }
            ItemKind::Invariant { name: Some(name), .. } => named(name, S::BOOLEAN),
            ItemKind::Expect(_) => self.clause(item, &self.snapshot.squeezed(item.span), S::BOOLEAN),
            ItemKind::Test(test) => self.symbol(&test.name.text, S::BOOLEAN, item.span, test.name.span),
            ItemKind::EveryMove(_) => self.clause(item, "every move", S::EVENT),
            _ => return None,
        })
    }

    fn field(&self, field: &FieldDecl) -> DocumentSymbol {
        let symbol = self.symbol(&field.name.text, SymbolKind::FIELD, field.span, field.name.span);
        DocumentSymbol { detail: Some(self.snapshot.squeezed(field.ty.span)), ..symbol }
    }

    fn end_rule(&self, rule: &EndRule) -> DocumentSymbol {
        let name = self.snapshot.squeezed(rule.span);
        self.symbol(&name, SymbolKind::BOOLEAN, rule.span, rule.span)
    }

    /// A symbol for an item without a name of its own.
    fn clause(&self, item: &Item, name: &str, kind: SymbolKind) -> DocumentSymbol {
        self.symbol(name, kind, item.span, item.span)
    }

    fn with(&self, symbol: DocumentSymbol, names: &[Name], kind: SymbolKind) -> DocumentSymbol {
        let children = names.iter().map(|name| self.symbol(&name.text, kind, name.span, name.span));
        DocumentSymbol { children: Some(children.collect()), ..symbol }
    }

    #[allow(deprecated, reason = "the protocol's type has a field that is deprecated, and no constructor")]
    fn symbol(&self, name: &str, kind: SymbolKind, whole: Span, selected: Span) -> DocumentSymbol {
        let range = |span| self.snapshot.lines.range_of(self.snapshot.text(), span);
        // The protocol demands a name, and a selection inside of the whole.
        let name = if name.trim().is_empty() { "(no name)" } else { name };
        let selected = if whole.covers(selected) { selected } else { whole };
        DocumentSymbol {
            name: name.to_owned(),
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range: range(whole),
            selection_range: range(selected),
            children: None,
        }
    }
}

/// `textDocument/foldingRange`
pub(crate) fn folding(
    server: &mut Server,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, RequestError> {
    let snapshot = server.document(params.text_document.uri.as_str())?;
    Ok(Some(folds(&snapshot)))
}

/// Brackets, comments and diagrams of more than one line, and runs of comments on lines of their own.
fn folds(snapshot: &Snapshot) -> Vec<FoldingRange> {
    let mut found = Vec::new();
    let line = |offset: usize| snapshot.lines.line(offset);
    let mut fold = |start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>| {
        if start_line < end_line {
            found.push(FoldingRange { start_line, end_line, kind, ..FoldingRange::default() });
        }
    };
    let mut open: Vec<&Token> = Vec::new();
    let mut comments: Option<(u32, u32)> = None;
    for token in &snapshot.tokens {
        let (first, last) = (line(token.start), line(token.end));
        let is_line_comment = matches!(token.kind, TokenKind::LineComment | TokenKind::Doc);
        match comments.filter(|_| is_line_comment) {
            Some((start, end)) if end + 1 == first => comments = Some((start, first)),
            _ => {
                if let Some((start, end)) = comments {
                    fold(start, end, Some(FoldingRangeKind::Comment));
                }
                comments = is_line_comment.then_some((first, first));
            }
        }
        match token.kind {
            TokenKind::Open => open.push(token),
            TokenKind::Close => {
                if let Some(opening) = open.pop() {
                    // The line of the closing bracket stays visible.
                    fold(line(opening.start), first.saturating_sub(1), None);
                }
            }
            TokenKind::BlockComment => fold(first, last, Some(FoldingRangeKind::Comment)),
            TokenKind::Text => fold(first, last, None),
            _ => {}
        }
    }
    if let Some((start, end)) = comments {
        fold(start, end, Some(FoldingRangeKind::Comment));
    }
    found.sort_by_key(|fold| (fold.start_line, fold.end_line));
    found.dedup_by_key(|fold| (fold.start_line, fold.end_line));
    found
}
