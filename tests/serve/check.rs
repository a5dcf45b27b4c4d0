//! Texts of the editor: their mistakes, their games, and the attempts of a stranger to reach more than the text.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::Server;

/// The answer to a check.
fn checked(server: &Server, body: &Value) -> Value {
    let answer = server.post("/api/check", body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).expect("JSON")
}

#[test]
fn a_checked_text_is_a_game_like_the_others() {
    let server = Server::start("games");
    let text = server.get("/api/games/tictactoe/rules").body;
    assert!(text.contains("game \"Tic-tac-toe\""), "{text}");
    let answer = checked(&server, &json!({ "text": text, "explore": 10000 }));
    assert_eq!(answer["diagnostics"], json!([]), "{answer}");
    assert!(answer["explored"].as_str().is_some_and(|words| words.contains("5,478")), "{answer}");
    let id = answer["game"]["id"].as_str().expect("a game");
    assert_eq!(checked(&server, &json!({ "text": text }))["game"]["id"], id, "the same text");
    assert_eq!(server.json(&format!("/api/games/{id}"))["name"], "Tic-tac-toe");
    assert_eq!(server.get(&format!("/api/games/{id}/rules")).body, text);
    let position = server.json(&format!("/api/games/{id}/position?p=b2"));
    assert_eq!((&position["turn"], &position["number_of_moves"]), (&json!("O"), &json!(8)));
    let values = server.get(&format!("/api/games/{id}/values?p=b2&p=b1"));
    assert!(values.body.contains("\"winner\":\"X\""), "{}", values.body);
    let reply = server.json(&format!("/api/games/{id}/reply?p=a1&p=b2&p=a2"));
    assert_eq!(reply["move"], "a3");
    let certificate = server.get(&format!("/api/games/{id}/certificate?p=a1&p=b1&p=b2"));
    assert_eq!(certificate.status, 200, "{}", certificate.body);
    // The gallery stays as it is.
    assert!(!server.get("/api/games").body.contains(id));
    assert_eq!(server.get("/api/games/~0123456789abcdef01234567/position").status, 404);
}

#[test]
fn mistakes_have_places_and_fixes_that_mend_them() {
    let server = Server::start("games/tictactoe.bou");
    let sound = server.get("/api/games/tictactoe/rules").body;
    // A character outside of the basic plane, so that bytes, characters and UTF-16 differ.
    let broken = format!("// \u{1f600}\n{}", sound.replace("when at[c] = none;", "when att[c] = none;"));
    let answer = checked(&server, &json!({ "text": broken, "explore": 1000 }));
    let found = &answer["diagnostics"][0];
    assert_eq!((&found["severity"], &answer["game"]), (&json!("error"), &Value::Null), "{answer}");
    assert_eq!(answer["explored"], Value::Null);
    let mut units: Vec<u16> = broken.encode_utf16().collect();
    let number = |value: &Value| value.as_u64().expect("an offset") as usize;
    let marked = String::from_utf16_lossy(&units[number(&found["from"])..number(&found["to"])]);
    assert!(marked.starts_with("att"), "{marked}");
    let fix = &found["fixes"][0];
    assert!(fix["title"].as_str().is_some_and(|title| title.contains("`at`")), "{fix}");
    for edit in fix["edits"].as_array().expect("edits") {
        let text = edit["text"].as_str().expect("a text").encode_utf16();
        units.splice(number(&edit["from"])..number(&edit["to"]), text);
    }
    let mended = String::from_utf16(&units).expect("text");
    let answer = checked(&server, &json!({ "text": mended }));
    assert_eq!((&answer["diagnostics"], &answer["game"]["name"]), (&json!([]), &json!("Tic-tac-toe")));
    // Parameters and presets.
    let text = "game \"P\"; param n: 1..3 = 2; preset small { n = 1; } players A, B; \
                state { left: 0..3 = n; } move take() as \"take\" { when left > 0; left -= 1; } play normal;";
    for (more, wrong) in
        [(json!({ "n": "3" }), false), (json!({ "n": "9" }), true), (json!({ "m": "1" }), true)]
    {
        let answer = checked(&server, &json!({ "text": text, "settings": more }));
        assert_eq!(answer["diagnostics"][0]["severity"] == "error", wrong, "{more}: {answer}");
        assert_eq!(answer["game"].is_null(), wrong, "{more}: {answer}");
    }
    assert_eq!(server.post("/api/check", &json!({ "text": text, "preset": "large" })).status, 422);
}

#[test]
fn a_text_reaches_no_files() {
    let server = Server::start("games");
    let root = env!("CARGO_MANIFEST_DIR");
    let rules = "game \"X\"; param n: text = \"a\"; players A, B; state { left: 0..1 = 1; } \
                 move take() as \"take\" { when left = 1; left := 0; } play normal;";
    for path in [
        "tictactoe",
        "tictactoe.bou",
        "games/tictactoe.bou",
        "./games/../games/tictactoe",
        &format!("{root}/games/tictactoe.bou"),
        "/etc/passwd",
        "/dev/stdin",
        "/dev/zero",
        "-",
    ] {
        let answer = checked(&server, &json!({ "text": format!("use \"{path}\" as x;\n{rules}") }));
        assert_eq!(answer["diagnostics"][0]["code"], "E0108", "{path}: {answer}");
        assert_eq!(answer["game"], Value::Null, "{path}");
        assert!(answer.to_string().contains("reads no files"), "{answer}");
    }
    // The libraries of the language are no files.
    let library = format!("use \"std/lines\" as r;\n{rules}");
    let used = checked(&server, &json!({ "text": library }));
    assert!(!used.to_string().contains("E0108"), "{used}");
    for value in ["@/etc/passwd", " @Cargo.toml", "@"] {
        let answer = server.post("/api/check", &json!({ "text": rules, "settings": { "n": value } }));
        assert_eq!(answer.status, 400, "{value}: {}", answer.body);
    }
    let id = checked(&server, &json!({ "text": rules }))["game"]["id"].as_str().expect("a game").to_owned();
    for answer in ["position", "values", "certificate", "reply", "review"] {
        let refused = server.get(&format!("/api/games/{id}/{answer}?set=n=@/etc/passwd"));
        assert_eq!(refused.status, 400, "{answer}");
    }
}

#[test]
fn hostile_checks_are_refused() {
    let server = Server::start("games/tictactoe.bou");
    let port = server.port;
    let body = json!({ "text": "game \"X\";" }).to_string();
    let length = format!("Content-Length: {}\r\n", body.len());
    let kind = "Content-Type: application/json\r\n";
    let status =
        |header: &str, body: &str| server.request_with_body("POST", "/api/check", header, body).status;
    assert_eq!(status(&format!("{kind}{length}"), &body), 200);
    assert_eq!(status(&format!("{kind}{length}Origin: http://127.0.0.1:{port}\r\n"), &body), 200);
    assert_eq!(status(&format!("{kind}{length}Origin: http://evil.example\r\n"), &body), 403);
    assert_eq!(status(&format!("{kind}{length}Origin: null\r\n"), &body), 403);
    // The types that a form of another site can send.
    for other in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        assert_eq!(status(&format!("Content-Type: {other}\r\n{length}"), &body), 415, "{other}");
    }
    assert_eq!(status(&length, &body), 415);
    assert_eq!(status(&format!("{kind}Transfer-Encoding: chunked\r\n"), "0\r\n\r\n"), 413);
    assert_eq!(status(&format!("{kind}Content-Length: 10000000\r\n"), ""), 413);
    let flood = "x".repeat(10_000_000);
    assert!([0, 413].contains(&status(&format!("{kind}Content-Length: 10000000\r\n"), &flood)));
    // Too long a text in a body that is short enough, deep JSON, deep rules, no JSON, no UTF-8.
    let long = json!({ "text": "x".repeat(140_000) });
    assert_eq!(server.post("/api/check", &long).status, 413);
    for body in
        ["[".repeat(100_000), format!("{{\"text\":{}", "[".repeat(100_000)), "{".to_owned(), String::new()]
    {
        let header = format!("{kind}Content-Length: {}\r\n", body.len());
        assert_eq!(status(&header, &body), 400);
    }
    for other in ["GET", "PUT", "DELETE"] {
        assert_eq!(server.request(other, "/api/check", "").status, 405, "{other}");
    }
    for text in [
        "(".repeat(100_000),
        "game \"X\"; def a = ".to_owned() + &"not ".repeat(30_000),
        "\u{0}\u{1}\u{feff}\r\r\n\u{2028}".repeat(1000),
        "game \"X\"; players A, B; board Cell = grid(99999, 99999);".to_owned(),
        "game \"X\"; const n = sum a in 0..9999999999: sum b in 0..9999999999: a * b;".to_owned(),
        "/*".repeat(60_000),
    ] {
        let begun = Instant::now();
        let answer = server.post("/api/check", &json!({ "text": text, "explore": 200_000 }));
        let start: String = text.chars().take(40).collect();
        assert!([200, 503].contains(&answer.status), "{start}: {}", answer.body);
        assert!(begun.elapsed() < Duration::from_secs(40), "{start}: {:?}", begun.elapsed());
    }
    assert_eq!(server.json("/api/games/tictactoe/position")["number_of_moves"], 9);
}

#[test]
fn a_check_ends_when_its_client_leaves() {
    let server = Server::start("games/tictactoe.bou");
    // A game of very many positions, which are explored for ten seconds.
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/games/chess.bou")).expect("chess");
    let body = json!({ "text": text, "explore": 200_000 }).to_string();
    let header = format!(
        "POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.port,
        body.len()
    );
    let streams: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
            std::io::Write::write_all(&mut stream, format!("{header}{body}").as_bytes()).expect("a request");
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(streams);
    let begun = Instant::now();
    checked(&server, &json!({ "text": "game \"X\";" }));
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
}
