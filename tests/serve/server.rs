//! A server on a free port, with HTTP written by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// The time after which a test gives up waiting; less than that of the solutions that must be cancelled.
pub const PATIENCE: Duration = Duration::from_secs(100);

/// A server on a free port, stopped on drop.
pub struct Server {
    child: Child,
    pub port: u16,
}

/// An answer: status, header in small letters, body.
pub struct Answer {
    pub status: u16,
    pub header: String,
    pub body: String,
}

impl Server {
    pub fn start(path: &str) -> Server {
        Server::start_with(&[path])
    }

    pub fn start_with(args: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["serve", "--port", "0"])
            .args(args)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port: {line}"));
        Server { child, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream
    }

    /// Sends bytes and reads the answer up to the end of the connection.
    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        // A server that refuses a request early closes the connection.
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (header, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = header.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, header: header.to_lowercase(), body: body.to_owned() }
    }

    pub fn request(&self, method: &str, path: &str, header: &str) -> Answer {
        self.request_with_body(method, path, header, "")
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "")
    }

    /// Sends JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let length = body.len();
        self.request_with_body(
            "POST",
            path,
            &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
            &body,
        )
    }

    pub fn request_with_body(&self, method: &str, path: &str, header: &str, body: &str) -> Answer {
        let host = format!("Host: 127.0.0.1:{}\r\n", self.port);
        self.raw(&format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n{header}\r\n{body}"))
    }

    /// The JSON at an address.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap_or_else(|why| panic!("{path}: {why}: {}", answer.body))
    }

    /// The bytes of memory that the server holds, where the system tells them.
    pub fn resident_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
    }

    /// Opens the stream of the values of a position and reads its first bytes.
    pub fn stream(&self, path: &str) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", self.port).expect("a request");
        let mut begin = [0; 15];
        stream.read_exact(&mut begin).expect("an answer");
        assert_eq!(&begin, b"HTTP/1.1 200 OK");
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
