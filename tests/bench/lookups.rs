//! The rate at which `bouton serve --table` answers lookups over loopback: `cargo bench --bench lookups`.
//!
//! Each of a few connections sends a fixed number of requests, one after another, for positions of random plays.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The number of connections.
const CONNECTIONS: usize = 4;
/// The number of requests on each.
const REQUESTS: usize = 5000;
/// The game, and the columns that the plies of a request drop into.
const GAME: &str = "connect_four";
const SETTINGS: [&str; 4] = ["--set", "cols=5", "--set", "rows=4"];
/// The number of plies before a position; a column is never full then.
const PLIES: usize = 4;

/// A process that is stopped on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bouton(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).args(SETTINGS);
    command
}

/// Sends the requests of a connection; returns the number of answers with a value.
fn ask(port: u16, number: usize) -> usize {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let mut answers = BufReader::new(stream.try_clone().expect("a socket"));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1);
    let mut known = 0;
    for _ in 0..REQUESTS {
        let mut moves = String::new();
        for _ in 0..PLIES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            moves += &format!("p={}&", (random >> 33) % 5 + 1);
        }
        let path = format!("/api/games/{GAME}/lookup?{}", moves.trim_end_matches('&'));
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").expect("a request");
        let (mut line, mut length) = (String::new(), 0);
        while answers.read_line(&mut line).expect("an answer") > 2 {
            if let Some(bytes) = line.to_lowercase().strip_prefix("content-length: ") {
                length = bytes.trim().parse().expect("a number");
            }
            line.clear();
        }
        let mut body = vec![0; length];
        answers.read_exact(&mut body).expect("a body");
        known += usize::from(String::from_utf8_lossy(&body).contains("\"best_moves\":[\""));
    }
    known
}

fn main() {
    let table = std::env::temp_dir().join(format!("bouton-lookups-{}.table", std::process::id()));
    let path = table.to_str().expect("a path");
    let file = format!("games/{GAME}.bou");
    let solved = bouton(&["solve", &file, "--strong", "--table", path]).output().expect("the binary runs");
    assert!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
    let mut server = bouton(&["serve", &file, "--port", "0", "--table", path]);
    let mut server = Running(server.stdout(Stdio::piped()).spawn().expect("the binary runs"));
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let _ = std::fs::remove_file(&table);
    let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
    let port: u16 = port.unwrap_or_else(|| panic!("no port: {line}"));
    let begun = Instant::now();
    let threads: Vec<_> =
        (0..CONNECTIONS).map(|number| std::thread::spawn(move || ask(port, number))).collect();
    let known: usize = threads.into_iter().map(|thread| thread.join().expect("a client")).sum();
    let seconds = begun.elapsed().as_secs_f64();
    let all = CONNECTIONS * REQUESTS;
    assert_eq!(known, all, "every position has a value");
    println!(
        "{all} lookups in {seconds:.2} s: {:.0} a second over {CONNECTIONS} connections",
        all as f64 / seconds
    );
}
