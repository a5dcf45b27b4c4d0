//! The panel with a board that the extension for Visual Studio Code opens, in a browser: the test answers its questions as
//! the extension does.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::files::{FileServer, Folder};
use crate::page::text;
use crate::server::{PATIENCE, Server};

/// Keeps the questions of the panel, in place of the editor.
const HOST: &str = "globalThis.asked = []; \
     globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => asked.push(message) });";

/// Answers the questions of the panel until an expression on it is true.
fn answer_until(browser: &mut Browser, server: &Server, wanted: &str) {
    let end = Instant::now() + PATIENCE;
    while browser.value(&format!("Boolean({wanted})")) != json!(true) {
        assert!(Instant::now() < end, "never true: {wanted}: {}", text(browser, "body"));
        for asked in browser.value("asked.splice(0)").as_array().expect("questions") {
            let pairs = asked["query"].as_array().into_iter().flatten();
            let pairs =
                pairs.map(|pair| format!("{}={}", pair[0].as_str().unwrap(), pair[1].as_str().unwrap()));
            let query = pairs.collect::<Vec<_>>().join("&");
            let data: Value = match asked["answer"].as_str().expect("a question") {
                "game" => server.json("/api/games/tictactoe"),
                "values" => {
                    let events = server.get(&format!("/api/games/tictactoe/values?{query}")).body;
                    let last = events.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
                    serde_json::from_str(last.expect("an event")).expect("JSON")
                }
                other => server.json(&format!("/api/games/tictactoe/{other}?{query}")),
            };
            let message = json!({ "id": asked["id"], "data": data });
            browser.value(&format!("dispatchEvent(new MessageEvent('message', {{ data: {message} }}))"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_game_is_played_in_the_panel() {
    let server = Server::start("games/tictactoe.bou");
    let folder = Folder::new("panel");
    let script = "const { page } = require('./board'); \
                  const read = (name) => fetch(process.argv[1] + name).then((answer) => answer.text()); \
                  Promise.all([read('board.js'), read('page.css')]).then((parts) => console.log(page(...parts)))";
    let node = Command::new("node")
        .args(["-e", script, &format!("http://127.0.0.1:{}/", server.port)])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/vscode"))
        .output();
    let Ok(made) = node else {
        println!("skipped: there is no Node");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(folder.0.join("index.html"), &made.stdout).expect("a page");
    let files = FileServer::start(&folder.0);
    let Some(mut browser) = Browser::start("panel") else { return };
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HOST }));
    browser.open(&files.address("index.html"));
    browser.wait("globalThis.asked?.length === 1");
    answer_until(&mut browser, &server, "document.querySelectorAll('#board .cell.draw').length === 9");
    assert_eq!(text(&mut browser, "#title"), "Tic-tac-toe");
    assert_eq!(text(&mut browser, "#status"), "X to move");
    browser.shoot("vscode-board");
    browser.click("#board .cell[aria-label^='b2']");
    answer_until(&mut browser, &server, "document.querySelector('#status').innerText === 'O to move'");
    browser.click("#moves button");
    answer_until(&mut browser, &server, "document.querySelector('#history').innerText.includes(',')");
    browser.click("#back");
    answer_until(&mut browser, &server, "document.querySelector('#history').innerText === 'b2'");
    browser.click("#reply");
    answer_until(&mut browser, &server, "document.querySelector('#history').innerText.startsWith('b2, ')");
    browser.click("#restart");
    answer_until(&mut browser, &server, "document.querySelectorAll('#board .cell.draw').length === 9");
    assert_eq!(text(&mut browser, "#history"), "none");
    assert_eq!(browser.console, [""; 0]);
    // The panel loads nothing.
    let strange = |url: &&String| !url.ends_with("/index.html") && !url.ends_with("/favicon.ico");
    assert_eq!(browser.requests.iter().filter(strange).collect::<Vec<_>>(), [""; 0]);
}
