//! The requests and notifications of the protocol, each with its function.

use lsp_server::{ErrorCode, Notification, Request, Response};
use lsp_types::notification::{self as notified, Notification as _};
use lsp_types::request::{self as asked, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability, InitializeParams,
    InitializeResult, MessageType, OneOf, RenameOptions, SemanticTokensFullOptions, SemanticTokensOptions,
    ServerCapabilities, ServerInfo, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::server::{ClientOptions, Server, SessionState};
use crate::{
    actions, commands, completion, hints, hover, navigation, rename, semantic_tokens, signatures, symbols,
    uris,
};

/// The reason why a request has no answer, with its code in the protocol.
#[derive(Debug)]
pub(crate) struct RequestError {
    code: ErrorCode,
    message: String,
}

impl RequestError {
    /// The request is well-formed, and it cannot be answered.
    pub fn failed(message: impl Into<String>) -> RequestError {
        RequestError { code: ErrorCode::RequestFailed, message: message.into() }
    }

    /// The request lacks something, or names something that there is not.
    pub fn invalid(message: impl Into<String>) -> RequestError {
        RequestError { code: ErrorCode::InvalidParams, message: message.into() }
    }
}

/// The function of a request.
type Handler<R> =
    fn(&mut Server, <R as asked::Request>::Params) -> Result<<R as asked::Request>::Result, RequestError>;

/// A request that waits for its function.
struct Dispatch<'s> {
    server: &'s mut Server,
    request: Option<Request>,
    response: Option<Response>,
}

impl Dispatch<'_> {
    /// Answers the request if it has this method.
    fn on<R: asked::Request>(&mut self, handler: Handler<R>) -> &mut Self {
        let Some(request) = self.request.take_if(|request| request.method == R::METHOD) else { return self };
        let answer = params::<R::Params>(&request.method, request.params)
            .and_then(|params| handler(self.server, params));
        self.response = Some(match answer {
            Ok(result) => Response::new_ok(request.id, result),
            Err(error) => Response::new_err(request.id, error.code as i32, error.message),
        });
        self
    }
}

fn params<P: DeserializeOwned>(method: &str, params: Value) -> Result<P, RequestError> {
    serde_json::from_value(params).map_err(|error| {
        RequestError::invalid(format!("the parameters of `{method}` are not as they should be: {error}"))
    })
}

/// Answers a request; `None` if the answer comes later.
pub(crate) fn answer(server: &mut Server, request: Request) -> Option<Response> {
    let is_initialize = request.method == asked::Initialize::METHOD;
    let refusal = match server.state {
        SessionState::New if !is_initialize => {
            Some((ErrorCode::ServerNotInitialized, "`initialize` comes before all other requests"))
        }
        SessionState::Running if is_initialize => {
            Some((ErrorCode::InvalidRequest, "the server is initialized already"))
        }
        SessionState::ShutDown => {
            Some((ErrorCode::InvalidRequest, "after `shutdown` the server awaits `exit` alone"))
        }
        _ => None,
    };
    if let Some((code, why)) = refusal {
        return Some(Response::new_err(request.id, code as i32, why.to_owned()));
    }
    if request.method == asked::ExecuteCommand::METHOD {
        let id = request.id.clone();
        let asked = params(&request.method, request.params);
        return match asked.and_then(|asked| commands::start(server, id.clone(), asked)) {
            Ok(()) => None,
            Err(error) => Some(Response::new_err(id, error.code as i32, error.message)),
        };
    }
    let mut dispatch = Dispatch { server, request: Some(request), response: None };
    dispatch
        .on::<asked::Initialize>(initialize)
        .on::<asked::Shutdown>(shutdown)
        .on::<asked::HoverRequest>(hover::hover)
        .on::<asked::GotoDefinition>(navigation::definition)
        .on::<asked::References>(navigation::references)
        .on::<asked::DocumentHighlightRequest>(navigation::highlights)
        .on::<asked::PrepareRenameRequest>(rename::prepare)
        .on::<asked::Rename>(rename::rename)
        .on::<asked::Completion>(completion::complete)
        .on::<asked::SignatureHelpRequest>(signatures::help)
        .on::<asked::Formatting>(actions::format)
        .on::<asked::CodeActionRequest>(actions::actions)
        .on::<asked::DocumentSymbolRequest>(symbols::symbols)
        .on::<asked::FoldingRangeRequest>(symbols::folding)
        .on::<asked::SemanticTokensFullRequest>(semantic_tokens::tokens)
        .on::<asked::InlayHintRequest>(hints::hints)
        .on::<asked::CodeLensRequest>(hints::lenses);
    let Dispatch { request, response, .. } = dispatch;
    response.or_else(|| {
        let request = request?;
        let why = format!("the server has no method `{}`", request.method);
        Some(Response::new_err(request.id, ErrorCode::MethodNotFound as i32, why))
    })
}

/// Handles a notification. One that is malformed or unknown has no answer in the protocol: it is dropped, and the user
/// is told of a malformed one.
pub(crate) fn notify(server: &mut Server, notification: Notification) {
    if server.state != SessionState::Running {
        return;
    }
    let Notification { method, params: given } = notification;
    let handled = match method.as_str() {
        notified::DidOpenTextDocument::METHOD => params(&method, given).map(|of| opened(server, of)),
        notified::DidChangeTextDocument::METHOD => params(&method, given).map(|of| changed(server, of)),
        notified::DidCloseTextDocument::METHOD => params(&method, given).map(|of| closed(server, of)),
        notified::DidChangeWatchedFiles::METHOD => params(&method, given).map(|of| files_changed(server, of)),
        _ => Ok(()),
    };
    if let Err(error) = handled {
        server.show(MessageType::WARNING, error.message);
    }
}

fn opened(server: &mut Server, params: lsp_types::DidOpenTextDocumentParams) {
    let document = params.text_document;
    server.documents.open(document.uri.as_str(), document.version, document.text);
}

fn changed(server: &mut Server, params: lsp_types::DidChangeTextDocumentParams) {
    let of = params.text_document;
    if !server.documents.change(of.uri.as_str(), of.version, params.content_changes) {
        server.show(MessageType::WARNING, format!("a change of {}, which is not open", of.uri.as_str()));
    }
}

fn closed(server: &mut Server, params: lsp_types::DidCloseTextDocumentParams) {
    server.documents.close(params.text_document.uri.as_str());
    server.publish(None);
}

fn files_changed(server: &mut Server, params: lsp_types::DidChangeWatchedFilesParams) {
    for change in params.changes {
        server.documents.forget_users(uris::path_of(change.uri.as_str()));
    }
}

fn shutdown(server: &mut Server, _: ()) -> Result<(), RequestError> {
    server.state = SessionState::ShutDown;
    Ok(())
}

fn initialize(server: &mut Server, params: InitializeParams) -> Result<InitializeResult, RequestError> {
    if let Some(options) = params.initialization_options.filter(|options| !options.is_null()) {
        server.options = serde_json::from_value::<ClientOptions>(options)
            .map_err(|error| RequestError::invalid(format!("`initializationOptions`: {error}")))?;
    }
    let of_text = params.capabilities.text_document.unwrap_or_default();
    server.presenter.has_related =
        of_text.publish_diagnostics.is_some_and(|of| of.related_information == Some(true));
    let item = of_text.completion.and_then(|of| of.completion_item);
    server.has_snippets = item.is_some_and(|of| of.snippet_support == Some(true));
    server.state = SessionState::Running;
    let name = env!("CARGO_PKG_NAME").to_owned();
    let server_info = Some(ServerInfo { name, version: Some(env!("CARGO_PKG_VERSION").to_owned()) });
    Ok(InitializeResult { capabilities: capabilities(), server_info })
}

fn capabilities() -> ServerCapabilities {
    let letters = |letters: &[&str]| Some(letters.iter().map(|letter| (*letter).to_owned()).collect());
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: letters(&["."]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: letters(&["(", "[", ","]),
            ..SignatureHelpOptions::default()
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, actions::FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
