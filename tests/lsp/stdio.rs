//! The binary over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start() -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Process { child, output }
    }

    fn write(&mut self, content: &str) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        write!(input, "Content-Length: {}\r\n\r\n{content}", content.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn send(&mut self, message: Value) {
        self.write(&message.to_string());
    }

    /// The next message that fits.
    fn read(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut header = String::new();
            assert!(self.output.read_line(&mut header).expect("a header") > 0, "the server has ended");
            let length = header.trim().strip_prefix("Content-Length: ").expect("a length");
            let mut content = vec![0; length.parse::<usize>().expect("a number") + 2];
            self.output.read_exact(&mut content).expect("a message");
            let message: Value = serde_json::from_slice(&content[2..]).expect("JSON");
            assert_eq!(message["jsonrpc"], "2.0");
            if fits(&message) {
                return message;
            }
        }
    }
}

#[test]
fn the_binary_serves_and_survives_bytes_that_are_no_message() {
    let mut server = Process::start();
    server.write("{ this is no JSON");
    let refused = server.read(|message| message.get("id").is_some());
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(null), &json!(-32700)));
    server.send(
        json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": { "capabilities": {} } }),
    );
    let answer = server.read(|message| message["id"] == "a");
    assert_eq!(answer["result"]["serverInfo"]["name"], "bouton-lsp");
    server.send(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    let document =
        json!({ "uri": "file:///x.bou", "languageId": "bouton", "version": 1, "text": "game \"X\"" });
    server.send(
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    );
    let published = server.read(|message| message["method"] == "textDocument/publishDiagnostics");
    assert!(
        published["params"]["diagnostics"].as_array().is_some_and(|found| !found.is_empty()),
        "{published}"
    );
    server.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    server.read(|message| message["id"] == 2);
    server.send(json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.child.wait().expect("an end").code(), Some(0));
}

#[test]
fn a_client_that_closes_the_input_ends_the_binary() {
    let mut server = Process::start();
    server
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
    server.read(|message| message["id"] == 1);
    drop(server.child.stdin.take());
    assert_eq!(server.child.wait().expect("an end").code(), Some(1));
}
