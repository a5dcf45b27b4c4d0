//! The life of a session, malformed messages, cancellation, exploration and commands.

use bouton_lsp::Ending;
use serde_json::{Value, json};

use crate::client::{Client, Place, errors, slice};

const URI: &str = "untitled:Untitled-1";

/// Nim with a rule missing: a heap may go below 0.
const FAULTY: &str = "game \"Nim\";
players A, B;
state { heap: 0..5 = 5; }
move take(k: 1..3) as \"{k}\" {
  heap -= k;
}
play normal;
expect A wins;
";

fn mended() -> String {
    FAULTY.replace("  heap -= k;", "  when k <= heap;\n  heap -= k;")
}

#[test]
fn a_session_has_an_order() {
    let mut client = Client::uninitialized();
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.error("textDocument/hover", at.clone()).0, -32002);
    assert_eq!(client.error("initialize", json!({ "capabilities": 7 })).0, -32602);
    assert_eq!(
        client
            .error("initialize", json!({ "capabilities": {}, "initializationOptions": { "explore": "x" } }))
            .0,
        -32602
    );
    client.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.error("initialize", json!({ "capabilities": {} })).0, -32600);
    assert_eq!(client.error("textDocument/hover", at.clone()), (-32602, format!("{URI} is not open")));
    assert_eq!(client.request("shutdown", json!(null)), json!(null));
    assert_eq!(client.error("textDocument/hover", at).0, -32600);
    client.notify("exit", json!(null));
    assert_eq!(client.join(), Ending::Orderly);
}

#[test]
fn a_client_that_leaves_ends_the_session() {
    let client = Client::new();
    client.notify("exit", json!(null));
    assert_eq!(client.join(), Ending::Abrupt);
}

#[test]
fn malformed_requests_are_errors_and_the_session_goes_on() {
    let mut client = Client::new();
    client.open(URI, FAULTY);
    let methods = [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "prepareRename",
        "rename",
        "completion",
        "signatureHelp",
        "formatting",
        "codeAction",
        "documentSymbol",
        "foldingRange",
        "semanticTokens/full",
        "inlayHint",
        "codeLens",
    ];
    for method in methods {
        for params in
            [json!(null), json!(5), json!([]), json!({ "textDocument": 3 }), json!("x".repeat(1000))]
        {
            let (code, message) = client.error(&format!("textDocument/{method}"), params.clone());
            assert_eq!(code, -32602, "{method} {params}: {message}");
        }
    }
    assert_eq!(client.error("no/such/method", json!({})).0, -32601);
    for params in
        [json!(1), json!({ "command": "rm" }), json!({ "command": "bouton.solve", "arguments": [3] })]
    {
        assert_eq!(client.error("workspace/executeCommand", params).0, -32602);
    }
    // Places outside of the text count as its nearest place.
    for (line, character) in [(u32::MAX, 0), (0, u32::MAX), (u32::MAX, u32::MAX), (7, 3)] {
        let at =
            json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } });
        for method in ["hover", "definition", "completion", "signatureHelp", "documentHighlight"] {
            client.request(&format!("textDocument/{method}"), at.clone());
        }
    }
    client.notify("textDocument/didChange", json!({ "textDocument": 1 }));
    let warning = client.await_notification(|message| message["method"] == "window/showMessage");
    assert!(warning["message"].as_str().is_some_and(|text| text.contains("didChange")), "{warning}");
    client.change("file:///not/open.bou", 1, "");
    client.await_notification(|message| message["method"] == "window/showMessage");
    client.notify("no/such/notification", json!({}));
    client.notify("$/cancelRequest", json!({ "id": [] }));
    // Ranges upside down, and beyond the text.
    let changes = json!([
        { "range": { "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 0 } }, "text": "//" },
        { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } }, "text": FAULTY },
    ]);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": changes }),
    );
    client.diagnostics(URI, 2);
    assert_eq!(client.shut_down(), Ending::Orderly);
}

#[test]
fn hostile_texts_are_analysed_or_refused() {
    let mut client = Client::new();
    let deep = format!("game \"x\"; def a = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
    let huge = format!("game \"x\"; // {}", "x".repeat(5 << 20));
    for (version, text) in
        ["", "\u{0}", "\u{feff}game", "\r\r\n\r", deep.as_str(), huge.as_str()].iter().enumerate()
    {
        let uri = format!("file:///hostile{version}.bou");
        let found = client.open(&uri, text);
        assert!(!found.is_empty() || text.trim().is_empty(), "{version}");
    }
}

#[test]
fn requests_that_wait_are_cancelled() {
    let mut client = Client::new();
    client.open(URI, FAULTY);
    let place = Place::of(URI, FAULTY, "heap", 0);
    // The server takes all messages at once, so that some of these wait behind the first.
    let mut ids = Vec::new();
    for _ in 0..200 {
        ids.push(client.ask("textDocument/hover", place.params()));
        client.notify("$/cancelRequest", json!({ "id": ids[ids.len() - 1] }));
    }
    for id in ids {
        let answer = client.await_answer(id);
        let is_cancelled = answer["error"]["code"] == -32800;
        assert!(is_cancelled || answer["result"]["contents"].is_object(), "{answer}");
    }
}

#[test]
fn exploration_reports_the_shortest_play_and_a_change_cancels_it() {
    let mut client = Client::with_options(json!({ "explore": 10_000, "exploreDelay": 1 }));
    // The file itself has no errors.
    assert_eq!(errors(&client.open(URI, FAULTY)), Vec::<&str>::new());
    let found = client.diagnostics(URI, 1);
    let [fault] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(fault["severity"], 1);
    assert_eq!(slice(FAULTY, &fault["range"]), "heap -= k;");
    let message = fault["message"].as_str().expect("a message");
    assert!(
        message.contains("shortest play") || message.contains("1.") || message.contains("after"),
        "{message}"
    );
    let text = mended();
    client.change(URI, 2, &text);
    assert_eq!(client.diagnostics(URI, 2), Vec::<Value>::new());
    // Two changes at once: the results of the first are never published.
    client.change(URI, 3, FAULTY);
    client.change(URI, 4, &text);
    client.diagnostics(URI, 4);
    let first: Vec<_> = client.notifications.iter().filter(|of| of["params"]["version"] == 3).collect();
    assert!(
        first.iter().all(|of| of["params"]["diagnostics"].as_array().is_some_and(|of| errors(of).is_empty())),
        "{first:?}"
    );
}

#[test]
fn commands_solve_and_test_the_text_as_it_is_typed() {
    let mut client = Client::new();
    let text = mended() + "expect B wins;\ntest \"four\" { position { heap := 4; } expect B wins; }\n";
    client.open(URI, &text);
    let mut command = |name: &str, argument: Value| {
        client.request("workspace/executeCommand", json!({ "command": name, "arguments": [argument] }))
    };
    let solved = command("bouton.solve", json!({ "uri": URI }));
    assert_eq!(solved["answered"], true);
    assert!(
        solved["text"].as_str().is_some_and(|text| text.starts_with("Nim: the first player, A, wins")),
        "{solved}"
    );
    let solved = command("bouton.solve", json!({ "uri": URI, "test": "four" }));
    assert!(
        solved["text"].as_str().is_some_and(|text| text.contains("B") && text.contains("wins")),
        "{solved}"
    );
    let all = command("bouton.test", json!({ "uri": URI }));
    assert_eq!((&all["passed"], &all["failed"]), (&json!(2), &json!(1)), "{all}");
    let line = |words: &str| Place::of(URI, &text, words, 0).position()["line"].clone();
    let one = command("bouton.test", json!({ "uri": URI, "line": line("expect B") }));
    assert_eq!((&one["passed"], &one["failed"]), (&json!(0), &json!(1)), "{one}");
    let one = command("bouton.test", json!({ "uri": URI, "line": line("test \"four") }));
    assert_eq!((&one["passed"], &one["failed"]), (&json!(1), &json!(0)), "{one}");
    let shown = client
        .await_notification(|of| of["params"]["message"].as_str().is_some_and(|text| text.contains("wins")));
    assert_eq!(shown["type"], 3);
    let argument = json!({ "command": "bouton.test", "arguments": [{ "uri": URI, "line": 0 }] });
    assert_eq!(client.error("workspace/executeCommand", argument).0, -32602);
    client.change(URI, 2, "game \"x\"");
    let argument = json!({ "command": "bouton.solve", "arguments": [{ "uri": URI }] });
    assert_eq!(
        client.error("workspace/executeCommand", argument),
        (-32803, "the file has errors".to_owned())
    );
}

#[test]
fn a_running_command_is_cancelled() {
    let mut client = Client::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/chess.bou");
    let text = std::fs::read_to_string(path).expect("a game");
    client.open(URI, &text);
    let id = client.ask(
        "workspace/executeCommand",
        json!({ "command": "bouton.solve", "arguments": [{ "uri": URI, "seconds": 3600 }] }),
    );
    client.notify("$/cancelRequest", json!({ "id": id }));
    let answer = client.await_answer(id);
    assert!(answer["result"]["answered"] == json!(false) || answer.get("error").is_some(), "{answer}");
}
