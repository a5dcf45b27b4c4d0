//! `bouton lsp`: the language server on standard input and output.
//!
//! The transport: messages of JSON-RPC 2.0, each after a header with its length. A message that cannot be read is
//! answered with an error, as JSON-RPC demands, and the next one is read.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use clap::Args;
use serde_json::{Value, json};

use super::exit::{CommandError, Exit};
use bouton_lsp::{Connection, Ending, Message, serve};

/// Serve an editor: diagnostics, names and completion by the Language Server Protocol
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  bouton lsp    an editor starts it, and talks over standard input and output (docs/editors.md)"
)]
pub struct LspArgs {
    /// Talk over standard input and output (the default, and the only way)
    #[arg(long, hide = true)]
    stdio: bool,
}

/// The maximal number of bytes of a message.
const MAX_MESSAGE: usize = 64 << 20;
/// The maximal number of bytes of a line of a header.
const MAX_HEADER_LINE: u64 = 4096;

/// The codes of JSON-RPC for messages that cannot be read.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Serves until the client leaves.
pub fn run() -> Result<Exit, CommandError> {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let output = Arc::new(Mutex::new(io::stdout()));
    let shared = Arc::clone(&output);
    // It ends with the process: nothing wakes a thread that reads standard input.
    let reader = move || read_messages(io::stdin().lock(), &shared, &|message| sender.send(message).is_ok());
    let no_thread = |error| CommandError::Usage(format!("no thread could be started: {error}"));
    thread::Builder::new().name("reader".into()).spawn(reader).map_err(no_thread)?;
    let writer = move || {
        for message in receiver {
            if write_message(&output, &message).is_err() {
                break;
            }
        }
    };
    let writer = thread::Builder::new().name("writer".into()).spawn(writer).map_err(no_thread)?;
    let ending = serve(&server);
    // The writer ends after the last message.
    drop(server);
    let _ = writer.join();
    // The protocol demands 1 for a client that leaves without `shutdown`.
    Ok(if ending == Ending::Orderly { Exit::Done } else { Exit::Errors })
}

/// Reads messages until the input ends or nobody takes them; answers those that cannot be read.
fn read_messages(mut input: impl BufRead, output: &Mutex<impl Write>, take: &dyn Fn(Message) -> bool) {
    loop {
        let refusal = match read_content(&mut input) {
            Ok(None) | Err(_) => return,
            Ok(Some(Err(why))) => refusal(Value::Null, PARSE_ERROR, why),
            Ok(Some(Ok(content))) => match message(&content) {
                Ok(message) => match take(message) {
                    true => continue,
                    false => return,
                },
                Err(refusal) => refusal,
            },
        };
        if write_content(output, &refusal.to_string()).is_err() {
            return;
        }
    }
}

/// The message in some bytes, or the answer to bytes that are none.
fn message(content: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(content)
        .map_err(|error| refusal(Value::Null, PARSE_ERROR, &format!("this is not JSON: {error}")))?;
    let id = value.get("id").cloned().unwrap_or_default();
    let message = serde_json::from_value(value).ok();
    // A request whose identifier is neither a number nor a string would pass for a notification.
    message.filter(|message| id.is_null() || !matches!(message, Message::Notification(_))).ok_or_else(|| {
        let why = "this is no request, notification or response: a request has `id`, `method` and `params`";
        refusal(id, INVALID_REQUEST, why)
    })
}

fn refusal(id: Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The bytes of a message, or the reason why they were skipped.
type Content<'w> = Result<Vec<u8>, &'w str>;

/// Reads a message; `None` at the end of the input. Lines that are no header are skipped up to one that is.
fn read_content(input: &mut impl BufRead) -> io::Result<Option<Content<'static>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() && length.is_some() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
            if length.is_none() {
                return Ok(Some(Err("the length of the message is no number")));
            }
        }
    }
    let length = length.unwrap_or(0);
    if length > MAX_MESSAGE {
        io::copy(&mut input.by_ref().take(length as u64), &mut io::sink())?;
        return Ok(Some(Err("the message is too long")));
    }
    // The memory grows with the bytes that arrive, not with the number that the header claims.
    let mut content = Vec::new();
    if input.by_ref().take(length as u64).read_to_end(&mut content)? < length {
        return Ok(None);
    }
    Ok(Some(Ok(content)))
}

fn write_message(output: &Mutex<impl Write>, message: &Message) -> io::Result<()> {
    let mut value = serde_json::to_value(message)?;
    value["jsonrpc"] = json!("2.0");
    write_content(output, &value.to_string())
}

fn write_content(output: &Mutex<impl Write>, content: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    write!(output, "Content-Length: {}\r\n\r\n{content}", content.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn framed(content: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{content}", content.len())
    }

    #[test]
    fn bytes_that_are_no_message_are_answered_and_the_next_one_is_read() {
        let deep =
            format!("{{\"id\":3,\"method\":\"x\",\"params\":{}1{}}}", "[".repeat(500), "]".repeat(500));
        let contents = ["{", "[]", r#"{"id":7}"#, "null", "{\"id\":1.5,\"method\":\"x\"}", "\u{fffd}", &deep];
        let mut input: String = contents.iter().map(|content| framed(content)).collect();
        input += "no header\r\nContent-Length: many\r\n\r\n";
        input += &format!("Content-Length: {}\r\n\r\n{}", MAX_MESSAGE + 1, "x".repeat(MAX_MESSAGE + 1));
        input += &framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        input += "Content-Length: 99\r\n\r\n{";
        let output = Mutex::new(Vec::new());
        let (sender, received) = mpsc::channel();
        read_messages(input.as_bytes(), &output, &|message| sender.send(message).is_ok());
        let answers = String::from_utf8(output.into_inner().expect("a lock")).expect("UTF-8");
        assert_eq!(answers.matches("Content-Length").count(), contents.len() + 2, "{answers}");
        assert_eq!(answers.matches("-32700").count(), 5, "{answers}");
        assert!(answers.contains(r#""id":7,"error""#), "{answers}");
        let methods: Vec<_> = received.try_iter().collect();
        assert!(matches!(&methods[..], [Message::Request(of)] if of.method == "shutdown"), "{methods:?}");
    }
}
