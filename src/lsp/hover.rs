//! Hover: the declaration of a name with its type, its value and its documentation.

use bouton_base::source::Span;
use bouton_project::{Definition, DefinitionKind};
use bouton_syntax::ast::ItemKind;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::navigation::Cursor;
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;
use crate::{built_ins, keywords};

/// The maximal number of characters of a declaration that is shown whole.
const MAX_DECLARATION: usize = 200;

/// `textDocument/hover`
pub(crate) fn hover(server: &mut Server, params: HoverParams) -> Result<Option<Hover>, RequestError> {
    let cursor = server.cursor(&params.text_document_position_params)?;
    let snapshot = &cursor.snapshot;
    let Some(word) = snapshot.word_at(cursor.offset) else { return Ok(None) };
    let value = match cursor.definition() {
        Some(definition) => describe(snapshot, definition),
        None => match describe_word(&cursor, word.text(snapshot.text())) {
            Some(value) => value,
            None => return Ok(None),
        },
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    let range = Some(snapshot.lines.range(snapshot.text(), word.start..word.end));
    Ok(Some(Hover { contents, range }))
}

/// The declaration of a name, its documentation, and its value.
fn describe(snapshot: &Snapshot, definition: &Definition) -> String {
    let mut parts = vec![code(&declaration(snapshot, definition))];
    if !definition.doc.is_empty() {
        parts.push(definition.doc.join("\n"));
    }
    if let Some(value) = &definition.value {
        parts.push(match definition.kind {
            DefinitionKind::Board => value.replace('\n', "  \n"),
            _ if value.contains('\n') => code(value),
            _ => format!("Value: `{value}`"),
        });
    }
    parts.join("\n\n")
}

fn code(text: &str) -> String {
    format!("```bou\n{text}\n```")
}

/// The head of the declaration of a name, with the type that analysis gave it.
fn declaration(snapshot: &Snapshot, definition: &Definition) -> String {
    let (name, ty) = (&definition.name, definition.ty.as_deref());
    let typed = |head: &str| ty.map_or(head.to_owned(), |ty| format!("{head}: {ty}"));
    let item = snapshot.item_around(definition.span);
    let Some(item) = item.filter(|_| !is_inner(definition.kind)) else {
        return match definition.kind {
            DefinitionKind::Phase => format!("phase {name}"),
            DefinitionKind::Member => format!("{}.{name}", ty.unwrap_or_default()),
            _ => typed(name),
        };
    };
    let upto = |end: Span| snapshot.squeezed(Span { end: end.start, ..item.span });
    match &item.kind {
        ItemKind::Def { body, ty: None, .. } => typed(upto(body.span).trim_end_matches([' ', '='])),
        ItemKind::Def { body, .. } | ItemKind::Inductive { body, .. } => {
            upto(body.span).trim_end_matches([' ', '=']).to_owned()
        }
        ItemKind::Const { value, ty: None, .. } => typed(upto(value.span).trim_end_matches([' ', '='])),
        ItemKind::Const { value, .. } => upto(value.span).trim_end_matches([' ', '=']).to_owned(),
        ItemKind::Move(made) => upto(made.body.span),
        ItemKind::Effect { body, .. } => upto(body.span),
        ItemKind::State(fields) => {
            let field = fields.iter().find(|field| field.name.span == definition.span);
            let end = |field: &bouton_syntax::ast::FieldDecl| Span { end: field.ty.span.end, ..field.span };
            field.map_or(typed(name), |field| snapshot.squeezed(end(field)))
        }
        _ => {
            let whole = snapshot.squeezed(item.span);
            if whole.chars().count() <= MAX_DECLARATION { whole } else { typed(name) }
        }
    }
}

/// True for names that are no item of their own.
fn is_inner(kind: DefinitionKind) -> bool {
    use DefinitionKind as D;
    matches!(kind, D::Part | D::Member | D::Phase | D::Key | D::Variable)
}

/// The meaning of a word that nobody declares: a built-in name, a part of a cell, a keyword.
fn describe_word(cursor: &Cursor, word: &str) -> Option<String> {
    let snapshot = &cursor.snapshot;
    let at = snapshot.word_at(cursor.offset)?.start;
    let is_part = snapshot.text()[..at].trim_end().ends_with('.');
    let built_in = if is_part { built_ins::find_part(word) } else { built_ins::find(word) };
    if let Some(known) = built_in {
        return Some(format!("{}\n\n{}", code(known.form), known.meaning));
    }
    keywords::find(word).map(|known| format!("`{}`\n\n{}", known.word, known.meaning))
}
