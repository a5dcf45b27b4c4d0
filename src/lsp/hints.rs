//! Inlay hints (the types that analysis found) and code lenses (the commands over claims and the game's name).

use bouton_base::source::Span;
use bouton_project::DefinitionKind;
use bouton_syntax::ast::{Item, ItemKind};
use bouton_syntax::lex::{Token, TokenKind};
use lsp_types::{
    CodeLens, CodeLensParams, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams,
};
use serde_json::json;

use crate::commands::{PLAY, REPORT, SOLVE, TEST};
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;

/// `textDocument/inlayHint`
pub(crate) fn hints(
    server: &mut Server,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, RequestError> {
    let snapshot = server.document(params.text_document.uri.as_str())?;
    let shown = snapshot.lines.bytes(snapshot.text(), params.range);
    let types = types(&snapshot).into_iter().filter(|(at, _)| shown.contains(at) || *at == shown.end);
    let hint = |(at, ty): (usize, String)| InlayHint {
        position: snapshot.lines.position(snapshot.text(), at),
        label: InlayHintLabel::String(format!(": {ty}")),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    };
    Ok(Some(types.map(hint).collect()))
}

/// The types of `let`, and of definitions and constants without a written one, each with the byte behind which it
/// belongs.
fn types(snapshot: &Snapshot) -> Vec<(usize, String)> {
    let text = snapshot.text();
    let code: Vec<Token> = snapshot.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
    let index_of = |offset: usize| code.partition_point(|token| token.start < offset);
    let mut found = Vec::new();
    for definition in snapshot.index.definitions().filter(|of| of.span.file == snapshot.file()) {
        let Some(ty) = &definition.ty else { continue };
        let name = index_of(definition.span.range().start);
        let at = match definition.kind {
            DefinitionKind::Variable if is_let(&code[..name], text) => Some(definition.span.range().end),
            DefinitionKind::Definition | DefinitionKind::Constant => untyped_head(snapshot, definition.span)
                .and_then(|value| {
                    // The equals sign is the last token before the value, and the head ends before it.
                    let equals = index_of(value.range().start).checked_sub(1)?;
                    (code[equals].text(text) == "=")
                        .then(|| equals.checked_sub(1).map(|last| code[last].end))?
                }),
            _ => None,
        };
        found.extend(at.map(|at| (at, ty.clone())));
    }
    found.sort();
    found
}

/// True if a name after these tokens is declared by `let`, alone or in a pattern.
fn is_let(before: &[Token], text: &str) -> bool {
    let mut rest = before.iter().rev();
    let in_pattern = |token: &&Token| {
        let word = token.text(text);
        word == "(" || word == "," || token.kind == TokenKind::Word && word != "let"
    };
    match rest.next().map(|token| token.text(text)) {
        Some("let") => true,
        Some("(" | ",") => {
            rest.find(|token| !in_pattern(token)).is_some_and(|token| token.text(text) == "let")
        }
        _ => false,
    }
}

/// The span of the value of a definition or constant without a written type.
fn untyped_head(snapshot: &Snapshot, name: Span) -> Option<Span> {
    match &snapshot.item_around(name)?.kind {
        ItemKind::Def { name: of, ty: None, body, .. } if of.span == name => Some(body.span),
        ItemKind::Const { name: of, ty: None, value, .. } if of.span == name => Some(value.span),
        _ => None,
    }
}

/// `textDocument/codeLens`
pub(crate) fn lenses(
    server: &mut Server,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, RequestError> {
    let uri = params.text_document.uri.as_str().to_owned();
    let snapshot = server.document(&uri)?;
    let lenses =
        LensMaker { uri: &uri, snapshot: &snapshot, has_client_commands: server.options.client_commands };
    Ok(Some(snapshot.tree().items.iter().flat_map(|item| lenses.of_item(item)).collect()))
}

/// The maker of the lenses of a document.
struct LensMaker<'l> {
    uri: &'l str,
    snapshot: &'l Snapshot,
    /// True if the client has the commands to play and to report.
    has_client_commands: bool,
}

impl LensMaker<'_> {
    fn of_item(&self, item: &Item) -> Vec<CodeLens> {
        let lens = |title: &str, command: &str, about: Option<&str>| {
            let mut argument = json!({ "uri": self.uri });
            if let Some(test) = about {
                argument["test"] = json!(test);
            }
            if command == TEST && item.kind_is_claim() {
                argument["line"] = json!(self.snapshot.lines.line(item.span.range().start));
            }
            let command = Command {
                title: title.to_owned(),
                command: command.to_owned(),
                arguments: Some(vec![argument]),
            };
            let range = self.snapshot.lines.range_of(self.snapshot.text(), item.span.at_start());
            CodeLens { range, command: Some(command), data: None }
        };
        let mut lenses = Vec::new();
        match &item.kind {
            ItemKind::Game(_) => {
                lenses.push(lens("Solve", SOLVE, None));
                if self.has_client_commands {
                    lenses.push(lens("Play", PLAY, None));
                    lenses.push(lens("Report", REPORT, None));
                }
                if !self.snapshot.files.outline.claims.is_empty() {
                    lenses.push(lens("Test all", TEST, None));
                }
            }
            ItemKind::Expect(_) => lenses.push(lens("Decide", TEST, None)),
            ItemKind::Test(test) => {
                lenses.push(lens("Run test", TEST, None));
                lenses.push(lens("Solve from here", SOLVE, Some(&test.name.text)));
                if self.has_client_commands {
                    lenses.push(lens("Play from here", PLAY, Some(&test.name.text)));
                }
            }
            _ => {}
        }
        lenses
    }
}

/// The kinds of items with commands of their own.
trait ClaimItem {
    /// True for expectations and tests.
    fn kind_is_claim(&self) -> bool;
}

impl ClaimItem for Item {
    fn kind_is_claim(&self) -> bool {
        matches!(self.kind, ItemKind::Expect(_) | ItemKind::Test(_))
    }
}
