//! `bouton serve` as a browser, a program and an attacker see it: HTTP written by hand, over loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// The time after which a test gives up waiting; less than that of the solutions that must be cancelled.
const PATIENCE: Duration = Duration::from_secs(100);

/// A server on a free port, stopped on drop.
struct Server {
    child: Child,
    port: u16,
}

/// An answer: status, header in small letters, body.
struct Answer {
    status: u16,
    header: String,
    body: String,
}

impl Server {
    fn start(path: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["serve", path, "--port", "0"])
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
    fn raw(&self, request: &str) -> Answer {
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

    fn request(&self, method: &str, path: &str, header: &str) -> Answer {
        let host = format!("Host: 127.0.0.1:{}\r\n", self.port);
        self.raw(&format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n{header}\r\n"))
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "")
    }

    /// The JSON at an address.
    fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap_or_else(|why| panic!("{path}: {why}: {}", answer.body))
    }

    /// Opens the stream of the values of a position and reads its first bytes.
    fn stream(&self, path: &str) -> TcpStream {
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

#[test]
fn games_positions_and_values_have_addresses() {
    let server = Server::start("games");
    let games = server.json("/api/games");
    let games = games["games"].as_array().expect("games");
    assert!(games.len() > 50);
    let game = server.json("/api/games/hex");
    assert!(games.contains(&game));
    assert_eq!((&game["name"], &game["players"][0]), (&"Hex".into(), &"Red".into()));
    let position = server.json("/api/games/tictactoe/position?p=b2&p=a1");
    assert_eq!(position["turn"], "X");
    assert_eq!(position["number_of_moves"], 7);
    assert!(position["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{position}");
    let over = server.json("/api/games/tictactoe/position?p=a1&p=b1&p=a2&p=b2&p=a3");
    assert_eq!((&over["turn"], &over["moves"]), (&Value::Null, &serde_json::json!([])));
    assert!(over["result"].as_str().is_some_and(|text| text.contains("X wins")), "{over}");
    let set = server.json("/api/games/hex/position?set=n%3D3");
    assert_eq!(set["number_of_moves"], 9);
    let values = server.get("/api/games/tictactoe/values?p=b2&p=b1");
    assert!(values.header.contains("text/event-stream"), "{}", values.header);
    assert!(values.body.contains("event: solution"), "{}", values.body);
    assert!(values.body.contains("\"winner\":\"X\""), "{}", values.body);
    // Values of a position that there is not are a failure in the stream.
    let failed = server.get("/api/games/tictactoe/values?p=z9");
    assert!(failed.body.contains("event: failure") && failed.body.contains("z9"), "{}", failed.body);
}

#[test]
fn the_page_loads_from_this_server_alone() {
    let server = Server::start("games/tictactoe.bou");
    for (path, kind) in [
        ("/", "text/html"),
        ("/?game=x", "text/html"),
        ("/page.js", "text/javascript"),
        ("/page.css", "text/css"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header.contains(&format!("content-type: {kind}")), "{path}: {}", answer.header);
        assert!(answer.header.contains("content-security-policy: default-src 'none'"), "{}", answer.header);
        assert!(!answer.body.contains("://"), "{path} names another server");
    }
    let page = server.get("/").body;
    assert!(!page.contains("<script>") && !page.contains("style=") && !page.contains("onclick"), "{page}");
    assert_eq!(server.json("/api/games")["games"].as_array().map(Vec::len), Some(1));
}

#[test]
fn hostile_requests_are_refused() {
    let server = Server::start("games/tictactoe.bou");
    let port = server.port;
    let with_host = |host: &str| {
        server.raw(&format!("GET /api/games HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).status
    };
    assert_eq!(with_host(&format!("127.0.0.1:{port}")), 200);
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("evil.example:{port}"),
        &format!("127.0.0.1.evil.example:{port}"),
    ] {
        assert_eq!(with_host(host), 421, "{host}");
    }
    assert_eq!(
        server.request("GET", "/api/games", &format!("Origin: http://localhost:{port}\r\n")).status,
        200
    );
    for origin in [
        "http://evil.example",
        "null",
        &format!("https://127.0.0.1:{port}"),
        &format!("http://127.0.0.1:{port}.evil.example"),
    ] {
        assert_eq!(
            server.request("GET", "/api/games", &format!("Origin: {origin}\r\n")).status,
            403,
            "{origin}"
        );
    }
    for header in ["Content-Length: 10000000\r\n", "Content-Length: x\r\n", "Transfer-Encoding: chunked\r\n"]
    {
        let status = server.request("GET", "/api/games", header).status;
        assert!([400, 413].contains(&status), "{header}: {status}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(server.request(method, "/api/games", "").status, 405, "{method}");
    }
    for path in [
        "/api/games/..%2F..%2FCargo.toml",
        "/api/games/../../Cargo.toml",
        "/api/games/nim",
        "/etc/passwd",
        "//",
        "/api",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    let game = "/api/games/tictactoe/position";
    for (query, status) in [
        ("set=n", 400),
        ("x=1", 400),
        ("seconds=a", 400),
        ("set=n=@/etc/passwd", 400),
        ("set=nothing=3", 422),
        ("preset=nothing", 422),
        ("p=z9", 422),
        ("p=%FF%00", 422),
    ] {
        let answer = server.get(&format!("{game}?{query}"));
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
        assert!(
            serde_json::from_str::<Value>(&answer.body).is_ok_and(|of| of["error"].is_string()),
            "{}",
            answer.body
        );
    }
    assert_eq!(server.get(&format!("{game}?{}", "p=a&".repeat(3000))).status, 400);
    assert_eq!(server.get(&format!("{game}?{}", "x".repeat(60_000))).status, 400);
    // Of a header that is much too long the server reads a part and closes; then its answer may be lost.
    assert!([0, 400, 414, 431].contains(&server.get(&format!("{game}?{}", "x".repeat(2_000_000))).status));
    assert_eq!(server.raw("this is no HTTP\r\n\r\n").status, 400);
    assert_eq!(server.json("/api/games/tictactoe/position")["number_of_moves"], 9);
}

#[test]
fn values_are_cancelled_when_their_client_leaves() {
    let server = Server::start("games");
    let hard = "/api/games/connect_four/values?seconds=120";
    // As many streams as may be open; of these two are solved, and the others wait.
    let streams: Vec<TcpStream> = (0..16).map(|_| server.stream(hard)).collect();
    assert_eq!(server.get("/api/games/tictactoe/values").status, 503);
    assert_eq!(server.json("/api/games/tictactoe/position")["turn"], "X");
    drop(streams);
    // The server notices a client that has left at its next event.
    let values = loop {
        let answer = server.get("/api/games/tictactoe/values");
        if answer.status == 200 {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(values.body.contains("event: solution"), "{}", values.body);
}
