//! `bouton serve` as a browser, a program and an attacker see it: HTTP written by hand, over loopback.

use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use server::Server;

mod bundle;
mod check;
mod chromium;
mod editor;
mod files;
mod load;
mod npm;
mod openapi;
mod page;
mod pictures;
mod playground;
mod server;
mod vscode_board;

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
    // Moves have the cells that they name, or the only one that they change.
    let cells = |path: &str, at: usize| server.json(path)["moves"][at]["cells"].clone();
    assert_eq!(cells("/api/games/tictactoe/position", 0), json!(["a1"]));
    assert_eq!(cells("/api/games/chess/position", 0), json!(["b1", "a3"]));
    // The target of a double step stands in the notation alone.
    assert_eq!(cells("/api/games/chess/position", 16), json!(["e2", "e4"]));
    assert_eq!(cells("/api/games/connect_four/position?p=2", 1), json!(["b2"]));
    // A board for each value of the other key is drawn, and the characters on boards have their meanings.
    let double = server.json("/api/games/double_tictactoe/position");
    assert!(double["svg"].as_str().is_some_and(|svg| svg.contains("at[left]") && svg.contains("at[right]")));
    assert_eq!(server.json("/api/games/hare_and_hounds/position")["symbols"], json!(["h hare", "o hound"]));
    assert_eq!(server.json("/api/games/chess")["params"][0]["type"], "0..100");
    let values = server.get("/api/games/tictactoe/values?p=b2&p=b1");
    assert!(values.header.contains("text/event-stream"), "{}", values.header);
    assert!(values.body.contains("event: solution"), "{}", values.body);
    assert!(values.body.contains("\"winner\":\"X\""), "{}", values.body);
    // Values of a position that there is not are a failure in the stream.
    let failed = server.get("/api/games/tictactoe/values?p=z9");
    assert!(failed.body.contains("event: failure") && failed.body.contains("z9"), "{}", failed.body);
}

#[test]
fn the_engine_replies_and_finds_mistakes() {
    let server = Server::start("games");
    // X threatens a3: the only move that does not lose.
    let reply = server.json("/api/games/tictactoe/reply?p=a1&p=b2&p=a2");
    assert_eq!((&reply["turn"], &reply["move"]), (&json!("O"), &json!("a3")), "{reply}");
    for level in ["fair", "weak"] {
        let path = format!("/api/games/tictactoe/reply?p=b2&level={level}&seed=3");
        let reply = server.json(&path);
        assert!(
            reply["why"].is_string() && reply["level"].as_str().is_some_and(|told| told.contains("ahead"))
        );
        assert_eq!(server.json(&path), reply, "the same seed gives the same move");
    }
    let thrown = server.json("/api/games/pig/reply?p=roll&seed=1");
    assert_eq!(thrown["turn"], "chance");
    assert_eq!(server.get("/api/games/tictactoe/reply?p=a1&p=b1&p=a2&p=b2&p=a3").status, 422);
    // O answers the corner on a side, which loses; then X gives the win away.
    let review = server.json("/api/games/tictactoe/review?p=a1&p=b1&p=c1");
    let plies: Vec<u64> =
        review["mistakes"].as_array().into_iter().flatten().filter_map(|of| of["ply"].as_u64()).collect();
    assert_eq!((plies, &review["complete"]), (vec![1, 2], &json!(true)), "{review}");
    assert_eq!(review["mistakes"][0]["better"], json!(["b2"]), "{review}");
    // A player does not see what the rules hide from him.
    let hidden = server.json("/api/games/battleship/position?p=place(a1)&as=Shooter");
    assert_eq!((&hidden["svg"], &hidden["played"]), (&Value::Null, &json!(["?"])), "{hidden}");
    assert_eq!(server.get("/api/games/battleship/review?p=place(a1)").status, 422);
}

#[test]
fn certificates_are_accepted_by_the_checker() {
    let server = Server::start("games");
    let answer = server.get("/api/games/hex/certificate?set=n%3D3&p=b2");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.header.contains("content-disposition: attachment"), "{}", answer.header);
    let file = std::env::temp_dir().join(format!("bouton-serve-{}.cert", std::process::id()));
    std::fs::write(&file, &answer.body).expect("a certificate is written");
    let checked =
        Command::new(env!("CARGO_BIN_EXE_bouton")).arg("verify").arg(&file).output().expect("it runs");
    let _ = std::fs::remove_file(&file);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn tables_are_served_from_memory() {
    let table = std::env::temp_dir().join(format!("bouton-serve-{}.table", std::process::id()));
    let table = table.to_str().expect("a path").to_owned();
    let solved = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(["solve", "games/tictactoe.bou", "--strong", "--table", &table])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
    let server = Server::start_with(&["games/tictactoe.bou", "--table", &table]);
    let _ = std::fs::remove_file(&table);
    assert_eq!(server.json("/api/games/tictactoe")["table"], true);
    let found = server.json("/api/games/tictactoe/lookup?p=b2&p=a2");
    assert_eq!((&found["turn"], &found["words"]), (&json!("X"), &json!("X wins in 5 plies")), "{found}");
    assert_eq!(found["moves"].as_array().map(Vec::len), Some(7));
    // The values are those of the solver.
    let stream = server.get("/api/games/tictactoe/values?p=b2&p=a2").body;
    let solution =
        stream.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().expect("a solution");
    let solution: Value = serde_json::from_str(solution).expect("JSON");
    assert_eq!(solution["solution"]["moves"], found["moves"]);
    assert_eq!(server.get("/api/games/tictactoe/lookup?set=n%3D3").status, 422);
    let reply = server.json("/api/games/tictactoe/reply?p=a1&p=b2&p=a2");
    assert_eq!(reply["move"], "a3", "{reply}");
    let without = Server::start("games/nim.bou");
    assert_eq!(without.get("/api/games/nim/lookup").status, 404);
}

#[test]
fn the_page_loads_from_this_server_alone() {
    let server = Server::start("games/tictactoe.bou");
    for (path, kind) in [
        ("/", "text/html"),
        ("/?game=x", "text/html"),
        ("/page.js", "text/javascript"),
        ("/address.js", "text/javascript"),
        ("/game.js", "text/javascript"),
        ("/editor.js", "text/javascript"),
        ("/prose.js", "text/javascript"),
        ("/share.js", "text/javascript"),
        ("/codemirror.js", "text/javascript"),
        ("/gallery.js", "text/javascript"),
        ("/board.js", "text/javascript"),
        ("/server.js", "text/javascript"),
        ("/icon.svg", "image/svg+xml"),
        ("/page.css", "text/css"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header.contains(&format!("content-type: {kind}")), "{path}: {}", answer.header);
        assert!(answer.header.contains("content-security-policy: default-src 'none'"), "{}", answer.header);
        // The name space of SVG is no address.
        let text = answer.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("://"), "{path} names another server");
    }
    let page = server.get("/").body;
    assert!(!page.contains("<script>") && !page.contains("style=") && !page.contains("onclick"), "{page}");
    assert_eq!(server.json("/api/games")["games"].as_array().map(Vec::len), Some(1));
}

#[test]
fn all_choose_at_once_and_the_engine_does_not_look() {
    let server = Server::start("games");
    let position = server.json("/api/games/rock_paper_scissors/position?as=Ann");
    assert_eq!(position["turn"], "everybody");
    assert_eq!(position["choices"], json!({ "Ann": ["rock", "paper", "scissors"] }));
    let all = server.json("/api/games/rock_paper_scissors/position");
    assert_eq!(all["choices"]["Bob"], json!(["rock", "paper", "scissors"]));
    assert_eq!(server.json("/api/games/tictactoe/position")["choices"], Value::Null);
    // The other's choice depends on the seed, and not on the user's choice.
    let reply = |own: &str, seed: u32| {
        let path = format!("/api/games/rock_paper_scissors/reply?as=Ann&own={own}&seed={seed}");
        server.json(&path)["move"].as_str().expect("a move").to_owned()
    };
    let seen: Vec<[String; 2]> = (0..12).map(|seed| ["rock", "paper"].map(|own| reply(own, seed))).collect();
    let of_bob = |both: &str| both.split_once(", ").expect("two choices").1.to_owned();
    for [rock, paper] in &seen {
        assert!(rock.starts_with("(rock,") && paper.starts_with("(paper,"), "{seen:?}");
        assert_eq!(of_bob(rock), of_bob(paper));
    }
    assert!(seen.iter().any(|of| of_bob(&of[0]) != of_bob(&seen[0][0])), "{seen:?}");
    for (query, status) in [("own=rock", 400), ("as=Ann&own=left", 422), ("as=Eve&own=rock", 422)] {
        assert_eq!(
            server.get(&format!("/api/games/rock_paper_scissors/reply?{query}")).status,
            status,
            "{query}"
        );
    }
}

#[test]
fn a_viewer_sees_no_cards_and_no_moves_of_others() {
    let server = Server::start("games/kuhn_poker.bou");
    let seen_by = |who: &str| {
        server.json(&format!("/api/games/kuhn_poker/position?p=deal_hands(jack,+king)&p=check&as={who}"))
    };
    let (ann, bob) = (seen_by("Ann"), seen_by("Bob"));
    for (position, own, other) in [(&ann, ">j<", ">k<"), (&bob, ">k<", ">j<")] {
        let drawn = position["svg"].as_str().expect("a picture");
        assert!(drawn.contains(own) && drawn.contains(">?<") && !drawn.contains(other), "{drawn}");
        assert!(!position["text"].as_str().expect("text").contains(if own == ">j<" {
            "king"
        } else {
            "jack"
        }));
    }
    assert_eq!(ann["moves"], json!([]), "it is Bob's turn");
    assert_eq!(bob["number_of_moves"], 2);
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
    // A body of 10 MB is refused before it is read; the connection may be closed before the answer is.
    let header = format!("Host: 127.0.0.1:{port}\r\nContent-Length: 10000000\r\nConnection: close\r\n\r\n");
    let flood = format!("POST /api/games HTTP/1.1\r\n{header}{}", "x".repeat(10_000_000));
    assert!([0, 413].contains(&server.raw(&flood).status));
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
        ("level=best", 400),
        ("as=nobody", 422),
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
