//! The time of the language server from a change of `games/chess.bou` to its diagnostics, and of each request.
//!
//! `cargo bench --bench language_server [EDITS]` types a rule letter by letter, as a person does, and prints the median
//! and the 95th percentile of the times.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use bouton_lsp::{Connection, Message, serve};
use serde_json::{Value, json};

/// The number of edits without an argument.
const DEFAULT_EDITS: usize = 400;
/// The stack of the server, as the command gives it.
const STACK_BYTES: usize = 512 << 20;
/// The text that is typed again and again.
const TYPED: &str = "def safe(p: Player) = no c in Cell: attacked(c, p) and at[c].kind = king;\n";
const URI: &str = "file:///bench/chess.bou";

/// A client that measures.
struct Client {
    connection: Connection,
    next_id: i32,
    times: BTreeMap<&'static str, Vec<Duration>>,
}

impl Client {
    fn send(&self, message: Value) {
        let message: Message = serde_json::from_value(message).expect("a message");
        self.connection.sender.send(message).expect("a server");
    }

    /// Waits for a message that fits, and notes the time since `clock`.
    fn await_message(&mut self, name: &'static str, clock: Instant, fits: impl Fn(&Message) -> bool) {
        while !fits(&self.connection.receiver.recv().expect("a message")) {}
        self.times.entry(name).or_default().push(clock.elapsed());
    }

    fn request(&mut self, method: &'static str, params: Value) {
        let (clock, id) = (Instant::now(), self.next_id);
        self.next_id += 1;
        self.send(json!({ "id": id, "method": method, "params": params }));
        let is_answer = |message: &Message| matches!(message, Message::Response(of) if of.id == id.into());
        self.await_message(method, clock, is_answer);
    }

    fn await_diagnostics(&mut self, clock: Instant) {
        let is_published = |message: &Message| matches!(message, Message::Notification(of) if of.method == "textDocument/publishDiagnostics");
        self.await_message("change to diagnostics", clock, is_published);
    }
}

fn main() {
    let edits = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(DEFAULT_EDITS);
    let text = include_str!("../../games/chess.bou");
    let (server, connection) = Connection::memory();
    let thread =
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(&server)).expect("a thread");
    let mut client = Client { connection, next_id: 1, times: BTreeMap::new() };
    client.request("initialize", json!({ "capabilities": {} }));
    let document = json!({ "uri": URI, "languageId": "bouton", "version": 0, "text": text });
    let clock = Instant::now();
    client.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    client.await_diagnostics(clock);
    // The place of the typed text: before `def in_check`.
    let line = text.lines().position(|line| line.starts_with("def in_check")).expect("a definition");
    let mut column = 0;
    for version in 1..=edits {
        let typed = &TYPED[version % TYPED.len()..][..1];
        let place = json!({ "line": line, "character": column });
        let change = if typed == "\n" {
            // The line is complete: it is taken away again.
            let start = json!({ "line": line, "character": 0 });
            column = 0;
            json!({ "range": { "start": start, "end": place }, "text": "" })
        } else {
            column += 1;
            json!({ "range": { "start": place, "end": place }, "text": typed })
        };
        let clock = Instant::now();
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        client.send(json!({ "method": "textDocument/didChange", "params": params }));
        client.await_diagnostics(clock);
        let at = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": column } });
        for method in ["textDocument/completion", "textDocument/signatureHelp", "textDocument/hover"] {
            client.request(method, at.clone());
        }
        for method in
            ["textDocument/semanticTokens/full", "textDocument/codeLens", "textDocument/documentSymbol"]
        {
            client.request(method, json!({ "textDocument": { "uri": URI } }));
        }
    }
    client.request("shutdown", Value::Null);
    client.send(json!({ "method": "exit" }));
    println!("{:34} {:>6} {:>10} {:>10}", "", "times", "p50", "p95");
    for (name, mut times) in std::mem::take(&mut client.times) {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
        println!("{name:34} {:6} {:8.2}ms {:8.2}ms", times.len(), at(50), at(95));
    }
    thread.join().expect("the server ends");
}
