//! A client of the language server that writes its messages as JSON.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use bouton_lsp::{Connection, Ending, Message, serve};
use serde_json::{Value, json};

/// The time after which a test gives up waiting for a message.
const PATIENCE: Duration = Duration::from_secs(120);
/// The stack of the server, as the command gives it.
const STACK_BYTES: usize = 512 << 20;

/// A client with a server on a thread.
pub(crate) struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Ending>>,
    next_id: i32,
    /// The notifications that have arrived, in their order.
    pub notifications: Vec<Value>,
    /// The answers that came before they were awaited.
    answers: Vec<Value>,
}

impl Client {
    /// Starts a server without the first message.
    pub fn uninitialized() -> Client {
        let (server, client) = Connection::memory();
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let server = thread.spawn(move || serve(&server)).expect("a thread");
        let (connection, server) = (Some(client), Some(server));
        Client { connection, server, next_id: 1, notifications: Vec::new(), answers: Vec::new() }
    }

    /// Starts a server with the features of a good editor and these options.
    pub fn with_options(options: Value) -> Client {
        let mut client = Client::uninitialized();
        let answer = client.request(
            "initialize",
            json!({
                "processId": null, "rootUri": null, "initializationOptions": options,
                "capabilities": { "textDocument": {
                    "completion": { "completionItem": { "snippetSupport": true } },
                    "publishDiagnostics": { "relatedInformation": true },
                } },
            }),
        );
        assert!(answer["capabilities"]["hoverProvider"].as_bool().expect("a capability"), "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    /// Starts a server that explores no positions.
    pub fn new() -> Client {
        Client::with_options(json!({ "explore": 0, "clientCommands": true }))
    }

    /// Sends a message as it is.
    pub fn send(&self, message: Value) {
        let message: Message = serde_json::from_value(message).expect("a message");
        self.connection.as_ref().expect("a connection").sender.send(message).expect("a server");
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Sends a request and returns its number.
    pub fn ask(&mut self, method: &str, params: Value) -> i32 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({ "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and returns its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and returns the code and message of its error.
    pub fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.answer_to(method, params);
        let error = answer.get("error").unwrap_or_else(|| panic!("{method}: {answer}"));
        (error["code"].as_i64().expect("a code"), error["message"].as_str().expect("a message").to_owned())
    }

    fn answer_to(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.await_answer(id)
    }

    /// Waits for the answer to a request.
    pub fn await_answer(&mut self, id: i32) -> Value {
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == json!(id)) {
                return self.answers.remove(at);
            }
            self.receive();
        }
    }

    /// Takes the next message.
    fn receive(&mut self) {
        let receiver = &self.connection.as_ref().expect("a connection").receiver;
        let message = receiver.recv_timeout(PATIENCE).expect("a message");
        let message = serde_json::to_value(message).expect("JSON");
        if message.get("method").is_some() { &mut self.notifications } else { &mut self.answers }
            .push(message);
    }

    /// Waits for a notification that fits, and removes it.
    pub fn await_notification(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.notifications.iter().position(&fits) {
                return self.notifications.remove(at)["params"].clone();
            }
            self.receive();
        }
    }

    /// Opens a document and returns its diagnostics.
    pub fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "bouton", "version": 1, "text": text } }),
        );
        self.diagnostics(uri, 1)
    }

    /// Replaces the text of a document, without waiting.
    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Waits for the diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let published = self.await_notification(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        published["diagnostics"].as_array().expect("a list").clone()
    }

    /// Waits until the published errors of a document have these codes.
    pub fn await_errors(&mut self, uri: &str, codes: &[&str]) -> Vec<Value> {
        let published = self.await_notification(|message| {
            let found = message["params"]["diagnostics"].as_array();
            message["params"]["uri"] == uri && found.is_some_and(|found| errors(found) == codes)
        });
        published["diagnostics"].as_array().expect("a list").clone()
    }

    /// Asks for something at a place of a document.
    pub fn at(&mut self, method: &str, place: &Place<'_>) -> Value {
        let params = place.params();
        self.request(method, params)
    }

    /// Ends the session in order.
    pub fn shut_down(mut self) -> Ending {
        assert_eq!(self.request("shutdown", json!(null)), json!(null));
        self.notify("exit", json!(null));
        self.join()
    }

    /// Waits for the end of the server.
    pub fn join(mut self) -> Ending {
        self.server.take().expect("a server").join().expect("no panic")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server notices that its client is gone.
        self.connection.take();
        if let Some(server) = self.server.take() {
            let ended = server.join();
            assert!(thread::panicking() || ended.is_ok(), "the server panicked");
        }
    }
}

/// The codes of the errors among diagnostics.
pub(crate) fn errors(found: &[Value]) -> Vec<&str> {
    found.iter().filter(|of| of["severity"] == 1).map(|of| of["code"].as_str().expect("a code")).collect()
}

/// A place in a document, marked by words of the text.
pub(crate) struct Place<'t> {
    pub uri: &'t str,
    pub text: &'t str,
    pub offset: usize,
}

impl<'t> Place<'t> {
    /// The place `skip` bytes after the beginning of the first occurrence of some words.
    pub fn of(uri: &'t str, text: &'t str, words: &str, skip: usize) -> Place<'t> {
        let start = text.find(words).unwrap_or_else(|| panic!("no `{words}`"));
        Place { uri, text, offset: start + skip }
    }

    /// The position: columns count UTF-16 units.
    pub fn position(&self) -> Value {
        position(self.text, self.offset)
    }

    pub fn params(&self) -> Value {
        json!({ "textDocument": { "uri": self.uri }, "position": self.position() })
    }
}

/// The position of a byte, computed here anew.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// The byte of a position.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().expect("a line") as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = position["character"].as_u64().expect("a column") as usize;
    let mut at = start;
    for c in text[start..].chars() {
        if units == 0 {
            break;
        }
        units -= c.len_utf16();
        at += c.len_utf8();
    }
    at
}

/// The text of a range.
pub(crate) fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

/// Makes edits of a text, as a client does: all refer to the text before.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("a list of edits")
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().expect("a text");
            (offset(text, &range["start"]), offset(text, &range["end"]), new)
        })
        .collect();
    edits.sort();
    let mut result = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        result.replace_range(start..end, new);
    }
    result
}
