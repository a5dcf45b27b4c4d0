//! The server: its state, the loop over messages, the life of a session.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{PublishDiagnostics, ShowMessage};
use lsp_types::{MessageType, PublishDiagnosticsParams, ShowMessageParams};
use serde::Deserialize;
use serde_json::Value;

use crate::commands::RunningCommand;
use crate::diagnostics::Presenter;
use crate::documents::Documents;
use crate::requests;
use crate::snapshot::Snapshot;
use crate::tasks::{self, TaskResult};
use crate::uris;

/// The default time between a change and the exploration of the positions.
const DEFAULT_EXPLORATION_DELAY: u64 = 150;

/// The options that a client may give with `initialize`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClientOptions {
    /// The number of positions that are explored behind; 0 turns exploration off.
    pub explore: u64,
    /// The milliseconds between a change and exploration.
    pub explore_delay: u64,
    /// True if the client has the commands that need a terminal or a browser: play, report.
    pub client_commands: bool,
}

impl Default for ClientOptions {
    fn default() -> ClientOptions {
        ClientOptions {
            explore: bouton_driver::check::DEFAULT_POSITIONS,
            explore_delay: DEFAULT_EXPLORATION_DELAY,
            client_commands: false,
        }
    }
}

/// The end of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The client said `shutdown`, then `exit`.
    Orderly,
    /// The client left without `shutdown`.
    Abrupt,
}

/// The state of a session, in which some requests are not allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    New,
    Running,
    ShutDown,
}

/// A message, or a result of work that ran behind.
enum Event {
    Message(Message),
    Task(Box<TaskResult>),
    Disconnected,
}

/// The server of one session.
pub(crate) struct Server {
    receiver: Receiver<Message>,
    sender: Sender<Message>,
    /// The messages that have arrived and wait.
    queue: VecDeque<Message>,
    pub results: Sender<TaskResult>,
    finished: Receiver<TaskResult>,
    pub state: SessionState,
    pub documents: Documents,
    pub options: ClientOptions,
    pub presenter: Presenter,
    /// True if the client expands snippets in completions.
    pub has_snippets: bool,
    /// The published diagnostics by document.
    published: BTreeMap<String, Vec<lsp_types::Diagnostic>>,
    /// The commands that run behind, by the request that asked for them.
    pub running: BTreeMap<RequestId, RunningCommand>,
}

/// Serves a client until it leaves. Rules may be deeply nested: the thread of the caller needs the stack of the command,
/// 512 MiB.
pub fn serve(connection: &Connection) -> Ending {
    let (results, finished) = unbounded();
    let mut server = Server {
        receiver: connection.receiver.clone(),
        sender: connection.sender.clone(),
        queue: VecDeque::new(),
        results,
        finished,
        state: SessionState::New,
        documents: Documents::default(),
        options: ClientOptions::default(),
        presenter: Presenter::default(),
        has_snippets: false,
        published: BTreeMap::new(),
        running: BTreeMap::new(),
    };
    let ending = server.run();
    server.cancel_all();
    ending
}

impl Server {
    fn run(&mut self) -> Ending {
        loop {
            match self.next_event() {
                Event::Message(Message::Request(request)) => self.request(request),
                Event::Message(Message::Notification(of)) if of.method == "exit" => {
                    let orderly = self.state == SessionState::ShutDown;
                    return if orderly { Ending::Orderly } else { Ending::Abrupt };
                }
                Event::Message(Message::Notification(of)) => self.notification(of),
                // The server asks the client for nothing that it needs to know the answer to.
                Event::Message(Message::Response(_)) => {}
                Event::Task(result) => self.finish_task(*result),
                Event::Disconnected => return Ending::Abrupt,
            }
        }
    }

    /// The next thing to do. Before the server waits, it analyses all changed documents: several changes that arrived
    /// together are analysed once.
    fn next_event(&mut self) -> Event {
        loop {
            while let Ok(message) = self.receiver.try_recv() {
                self.enqueue(message);
            }
            if let Some(message) = self.queue.pop_front() {
                return Event::Message(message);
            }
            let Some(uri) = self.documents.unanalysed().into_iter().next() else { break };
            self.guarded(|server| {
                server.snapshot(&uri);
            });
            self.publish(Some(&uri));
        }
        select! {
            recv(self.receiver) -> message => message.map_or(Event::Disconnected, Event::Message),
            recv(self.finished) -> result => {
                result.map_or(Event::Disconnected, |result| Event::Task(Box::new(result)))
            }
        }
    }

    /// Adds a message to the queue; a cancellation of a request that still waits answers it.
    fn enqueue(&mut self, message: Message) {
        if let Message::Notification(of) = &message
            && of.method == "$/cancelRequest"
            && let Some(id) = cancelled_id(&of.params)
        {
            let waits = |message: &Message| matches!(message, Message::Request(request) if request.id == id);
            if let Some(at) = self.queue.iter().position(waits) {
                self.queue.remove(at);
                let why = "the client cancelled the request".to_owned();
                self.send(Response::new_err(id, ErrorCode::RequestCanceled as i32, why));
                return;
            }
        }
        self.queue.push_back(message);
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let answer = self.guarded(|server| requests::answer(server, request));
        match answer {
            Some(Some(response)) => self.send(response),
            // The answer comes later.
            Some(None) => {}
            None => {
                let why = "bouton has a bug; its standard error has the place".to_owned();
                self.send(Response::new_err(id, ErrorCode::InternalError as i32, why));
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        if notification.method == "$/cancelRequest" {
            if let Some(command) = cancelled_id(&notification.params).and_then(|id| self.running.get(&id)) {
                command.cancel.cancel();
            }
            return;
        }
        self.guarded(|server| requests::notify(server, notification));
    }

    /// Does work in which a bug of the analysis ends the work alone, and not the session.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Server) -> T) -> Option<T> {
        catch_unwind(AssertUnwindSafe(|| work(self))).ok()
    }

    /// The analysis of a document, made now if its text changed; `None` if the document is not open.
    pub fn snapshot(&mut self, uri: &str) -> Option<Arc<Snapshot>> {
        let document = self.documents.get(uri)?;
        if let Some(known) = &document.snapshot {
            return Some(known.clone());
        }
        let (name, text) = (document.name(uri), document.text.clone());
        let unsaved = self.documents.unsaved();
        // A bug in the analysis must not be met again and again.
        let empty = || Snapshot::new(&name, "", unsaved.clone());
        let made = catch_unwind(AssertUnwindSafe(|| Snapshot::new(&name, &text, unsaved.clone())));
        let made = Arc::new(made.unwrap_or_else(|_| empty()));
        self.keep(uri, made.clone());
        self.explore(uri, &made);
        Some(made)
    }

    /// Stores the analysis of a document with its diagnostics in the form of the protocol.
    fn keep(&mut self, uri: &str, snapshot: Arc<Snapshot>) {
        let diagnostics = self.presenter.of_document(uri, &snapshot, &self.documents);
        if let Some(document) = self.documents.get_mut(uri) {
            document.diagnostics = diagnostics;
            document.snapshot = Some(snapshot);
        }
    }

    /// Starts the exploration of the positions of a game without errors.
    fn explore(&mut self, uri: &str, snapshot: &Arc<Snapshot>) {
        let Some(document) = self.documents.get(uri) else { return };
        if self.options.explore == 0 || !snapshot.is_playable() {
            return;
        }
        tasks::explore(tasks::Exploration {
            uri: uri.to_owned(),
            version: document.version,
            files: snapshot.files.clone(),
            positions: self.options.explore,
            delay: Duration::from_millis(self.options.explore_delay),
            cancel: document.cancel.clone(),
            results: self.results.clone(),
        });
    }

    fn finish_task(&mut self, result: TaskResult) {
        match result {
            TaskResult::Explored { uri, version, cancel, files, diagnostics } => {
                let Some(document) = self.documents.get(&uri) else { return };
                // A library may have changed meanwhile, which leaves the version as it is.
                if document.version != version || cancel.is_cancelled() {
                    return;
                }
                let Some(known) = &document.snapshot else { return };
                let snapshot = Arc::new(known.with_findings(*files, diagnostics));
                self.keep(&uri, snapshot);
                self.publish(Some(&uri));
            }
            TaskResult::Commanded { id, response, message } => {
                self.running.remove(&id);
                if let Some((kind, text)) = message {
                    self.show(kind, text);
                }
                self.send(response);
            }
        }
    }

    /// Shows a message to the user.
    pub fn show(&mut self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    /// Publishes the diagnostics that changed, and in any case those of the document that was just analysed.
    pub fn publish(&mut self, analysed: Option<&str>) {
        let mut all: BTreeMap<String, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
        for (uri, document) in self.documents.iter() {
            all.entry(uri.clone()).or_default();
            for (about, found) in &document.diagnostics {
                let list = all.entry(about.clone()).or_default();
                // A mistake of a library may be found in each document that uses it.
                let new = found.iter().filter(|one| !list.contains(one)).cloned().collect::<Vec<_>>();
                list.extend(new);
            }
        }
        let before = std::mem::take(&mut self.published);
        let gone = before.keys().filter(|uri| !all.contains_key(*uri));
        let gone: Vec<(String, Vec<lsp_types::Diagnostic>)> =
            gone.map(|uri| (uri.clone(), Vec::new())).collect();
        let changed = all.iter().filter(|(uri, found)| {
            analysed == Some(uri.as_str()) || before.get(*uri).map_or(!found.is_empty(), |old| old != *found)
        });
        let changed: Vec<_> = changed.map(|(uri, found)| (uri.clone(), found.clone())).collect();
        self.published = all;
        for (uri, diagnostics) in gone.into_iter().chain(changed) {
            let version = self.documents.get(&uri).map(|document| document.version);
            if let Some(uri) = uris::parsed(&uri) {
                self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version });
            }
        }
    }

    /// Sends a notification.
    pub fn notify<N: lsp_types::notification::Notification>(&mut self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Sends a message; a client that has left needs none.
    fn send(&mut self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    fn cancel_all(&mut self) {
        self.documents.iter().for_each(|(_, document)| document.cancel.cancel());
        self.running.values().for_each(|command| command.cancel.cancel());
    }
}

/// The request that a `$/cancelRequest` names.
fn cancelled_id(params: &Value) -> Option<RequestId> {
    serde_json::from_value(params.get("id")?.clone()).ok()
}
