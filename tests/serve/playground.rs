//! The playground: its module answers under Node as the server does, and its page works in a browser from static files.
//!
//! `BOUTON_MODULE` names the module. Without it, and with `BOUTON_SLOW=1`, `.ci/playground` builds it in the profile that
//! compiles fastest and tests for overflows. Where there is no module, no compiler for it, or no Node, the tests say so
//! and pass.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::editor::{CODE, SOUND, retype};
use crate::files::{FOLDER, FileServer, Folder};
use crate::page::text;
use crate::server::Server;

/// The status of `.ci/playground` where there is no compiler.
const NO_COMPILER: i32 = 77;

/// A playground in a temporary folder.
struct Playground(Folder);

impl Playground {
    /// Makes a playground of these games; `None`, with a message, if there is no module.
    fn of(name: &str, games: &str) -> Option<Playground> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let made = Playground(Folder::new(name));
        let module = match std::env::var_os("BOUTON_MODULE") {
            Some(module) => PathBuf::from(module),
            None if std::env::var_os("BOUTON_SLOW").is_none() => {
                println!(
                    "skipped: BOUTON_SLOW=1 builds the module of the playground, BOUTON_MODULE names one"
                );
                return None;
            }
            None => {
                let module = made.folder().join("built.wasm");
                let mut script = Command::new(root.join(".ci/playground"));
                let built = script.arg("--module").arg(&module).env("BOUTON_WASM_PROFILE", "dev").output();
                let built = built.expect("the script runs");
                let told = String::from_utf8_lossy(&built.stderr);
                if built.status.code() == Some(NO_COMPILER) {
                    println!("skipped: {told}");
                    return None;
                }
                assert!(built.status.success(), "{told}");
                module
            }
        };
        let written = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["playground", games, "--module"])
            .arg(module)
            .arg("-o")
            .arg(made.folder())
            .current_dir(root)
            .output()
            .expect("the binary runs");
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        Some(made)
    }

    fn folder(&self) -> &Path {
        &self.0.0
    }

    /// The messages of the module for each request; `None`, with a message, if there is no Node.
    fn ask(&self, requests: &[Value]) -> Option<Vec<Vec<Value>>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/playground/ask.mjs");
        let mut node = Command::new("node");
        node.arg(script).arg(self.folder()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut node) = node.spawn() else {
            println!("skipped: there is no Node");
            return None;
        };
        let written = node.stdin.take().expect("a pipe").write_all(json!(requests).to_string().as_bytes());
        written.expect("node reads");
        let answers = node.wait_with_output().expect("node ends");
        assert!(answers.status.success(), "node fails");
        Some(serde_json::from_slice(&answers.stdout).expect("JSON"))
    }
}

/// A request for an address.
fn get(path: &str) -> Value {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    json!({ "path": path, "query": query, "body": "" })
}

/// A request to check a text.
fn check(body: &Value) -> Value {
    json!({ "path": "check", "query": "", "body": body.to_string() })
}

/// The JSON that ends the messages for a request.
fn answer(messages: &[Value]) -> &Value {
    let answer = &messages.last().expect("a message")["answer"];
    assert_eq!(answer["status"], 200, "{messages:?}");
    &answer["json"]
}

/// The fields of a solution that depend on the machine, or on its speed: a strategy is looked for in a part of the time,
/// and the proof is that of the strategy if there is one.
const OF_MACHINE: [&str; 9] = [
    "file",
    "seconds",
    "positions",
    "positions_per_second",
    "memory_bytes",
    "compile_seconds",
    "runs_on",
    "strategy",
    "proof",
];

/// A solution without the fields that depend on the machine.
fn plain(solution: &Value) -> Value {
    assert_eq!(solution["proof"]["checked"], true, "{solution}");
    let mut plain = solution.as_object().expect("a solution").clone();
    plain.retain(|name, _| !OF_MACHINE.contains(&name.as_str()));
    Value::Object(plain)
}

/// Games of each kind: placement, captures, chance, simultaneous choice, hidden cards, a puzzle, heaps.
const GAMES: [&str; 8] =
    ["tictactoe", "nim", "hex", "pig", "rock_paper_scissors", "kuhn_poker", "hare_and_hounds", "hatch"];

#[test]
fn the_module_answers_as_the_server_does() {
    let Some(playground) = Playground::of("module", "games") else { return };
    let server = Server::start("games");
    let mut paths = vec!["games".to_owned(), "templates".into(), "games/nothing/position".into()];
    for game in GAMES {
        paths.push(format!("games/{game}"));
        paths.push(format!("games/{game}/position"));
    }
    paths.extend(
        [
            "games/tictactoe/position?p=b2&p=a1",
            "games/tictactoe/position?p=z9",
            "games/kuhn_poker/position?p=deal_hands(jack,+king)&p=check&as=Ann",
            "games/tictactoe/reply?p=a1&p=b2&p=a2",
            "games/rock_paper_scissors/reply?as=Ann&own=rock&seed=3",
            "games/tictactoe/review?p=a1&p=b1&p=c1",
            "games/nothing",
            "nothing",
        ]
        .map(str::to_owned),
    );
    let requests: Vec<Value> = paths.iter().map(|path| get(path)).collect();
    let Some(answers) = playground.ask(&requests) else { return };
    for (path, messages) in paths.iter().zip(&answers) {
        let expected = server.get(&format!("/api/{path}"));
        let answer = &messages.last().expect("a message")["answer"];
        assert_eq!(answer["status"], expected.status, "{path}: {answer}");
        let expected: Value = serde_json::from_str(&expected.body).expect("JSON");
        assert_eq!(answer["json"], expected, "{path}");
    }
}

#[test]
fn the_module_checks_and_solves_as_the_command_does() {
    let Some(playground) = Playground::of("solve", "games") else { return };
    let server = Server::start("games");
    // Rules, sound and broken.
    let mut bodies = Vec::new();
    for game in GAMES {
        let sound = server.get(&format!("/api/games/{game}/rules")).body;
        let broken = sound.replacen("when ", "when not_known and ", 1);
        bodies.extend([sound, broken].map(|text| json!({ "text": text })));
    }
    let text = server.get("/api/games/tictactoe/rules").body;
    bodies.push(json!({ "text": text, "explore": 10_000 }));
    let requests: Vec<Value> = bodies.iter().map(check).collect();
    let Some(answers) = playground.ask(&requests) else { return };
    for (body, messages) in bodies.iter().zip(&answers) {
        let expected: Value = serde_json::from_str(&server.post("/api/check", body).body).expect("JSON");
        assert_eq!(answer(messages), &expected, "{body}");
    }
    // Solutions.
    let solved = [
        ("tictactoe", "", &[][..]),
        ("nim", "", &[]),
        ("hex", "?set=n%3D3", &["--set", "n=3"]),
        ("rock_paper_scissors", "", &[]),
        ("kuhn_poker", "", &[]),
        ("hare_and_hounds", "", &[]),
    ];
    let requests: Vec<Value> =
        solved.iter().map(|(game, query, _)| get(&format!("games/{game}/values{query}"))).collect();
    let answers = playground.ask(&requests).expect("node was there");
    for ((game, _, args), messages) in solved.iter().zip(&answers) {
        let event = messages.iter().rev().find_map(|message| message.get("event")).expect("an event");
        assert_eq!(event["name"], "solution", "{game}: {event}");
        let told = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["solve", &format!("games/{game}.bou"), "--json", "--all-moves"])
            .args(*args)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs");
        let expected: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        assert_eq!(plain(&event["data"]["solution"]), plain(&expected), "{game}");
    }
    // A certificate of the module is accepted by the command.
    let certificate = playground.ask(&[get("games/hex/certificate?set=n%3D3&p=b2")]).expect("node was there");
    let certificate = &certificate[0].last().expect("a message")["answer"];
    let file = playground.folder().join("game.cert");
    std::fs::write(&file, certificate["text"].as_str().expect("a text")).expect("a file");
    let checked =
        Command::new(env!("CARGO_BIN_EXE_bouton")).arg("verify").arg(&file).output().expect("it runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn a_module_that_ends_says_why_and_another_one_goes_on() {
    let Some(playground) = Playground::of("hostile", "games/tictactoe.bou") else { return };
    let texts = [
        "(".repeat(100_000),
        "game \"X\"; def a = ".to_owned() + &"not ".repeat(30_000),
        "game \"X\"; const n = ".to_owned() + &"(".repeat(200) + "1" + &")".repeat(200) + ";",
        "game \"X\"; players A, B; board Cell = grid(99999, 99999);".to_owned(),
        "game \"X\"; const n = sum a in 0..9999999999: sum b in 0..9999999999: a * b;".to_owned(),
    ];
    let mut requests = Vec::new();
    for text in &texts {
        requests.push(check(&json!({ "text": text })));
        requests.push(get("games/tictactoe"));
    }
    let Some(answers) = playground.ask(&requests) else { return };
    for (text, pair) in texts.iter().zip(answers.chunks(2)) {
        let start: String = text.chars().take(40).collect();
        let last = pair[0].last().unwrap_or_else(|| panic!("no message: {start}"));
        let ended = if last["failure"].is_null() { &last["answer"] } else { &last["failure"] };
        let status = ended["status"].as_u64();
        assert!([Some(200), Some(503)].contains(&status), "{start}: {last}");
        assert!(status == Some(200) || ended["json"]["error"].is_string(), "{start}: {last}");
        assert_eq!(answer(&pair[1])["name"], "Tic-tac-toe", "{start}");
    }
}

#[test]
fn the_folder_loads_nothing_from_elsewhere() {
    let folder = Folder::new("written");
    let (module, site) = (folder.0.join("module.wasm"), folder.0.join("site"));
    std::fs::write(&module, b"\0asm\x01\0\0\0").expect("a file");
    std::fs::write(folder.0.join("alone.bou"), ALONE).expect("a file");
    // A game that uses a library in a file, which the module cannot read.
    std::fs::write(folder.0.join("rules.bou"), "const most = 3;").expect("a file");
    let using = format!("use \"rules.bou\";\n{}", ALONE.replace("Alone", "Using").replace("0..2", "0..most"));
    std::fs::write(folder.0.join("using.bou"), using).expect("a file");
    let write = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
        command.arg("playground").arg(&folder.0).arg("--module").arg(&module).arg("-o").arg(&site);
        let told = command.output().expect("the binary runs");
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    let told = write();
    assert!(told.contains("left out: using") && told.contains("site"), "{told}");
    // Once more, over the files that are there.
    write();
    assert_eq!(std::fs::read(site.join("bouton.wasm")).expect("the module").len(), 8);
    let read =
        |name: &str| std::fs::read_to_string(site.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let games: Value = serde_json::from_str(&read("games.json")).expect("JSON");
    let (game, text) = (&games[0]["game"], &games[0]["text"]);
    assert_eq!(
        (games.as_array().map(Vec::len), &game["id"], text),
        (Some(1), &json!("alone"), &json!(ALONE))
    );
    let page = read("index.html");
    assert!(page.contains("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"), "{page}");
    assert!(!page.contains("\"/") && !page.contains("style=") && !page.contains("<script>"), "{page}");
    for file in std::fs::read_dir(&site).expect("a folder").flatten() {
        let name = file.file_name().into_string().expect("a name");
        if name == "bouton.wasm" {
            continue;
        }
        // The name space of SVG is no address, nor is the base that paths of requests are read against.
        let text = read(&name).replace("http://www.w3.org/2000/svg", "").replace("http://module/", "");
        assert!(!text.contains("://"), "{name} names a server");
        // Every script that is loaded is there.
        for from in text.split("from \"./").skip(1) {
            let script = from.split('"').next().expect("a name");
            assert!(site.join(script).is_file(), "{name} loads {script}");
        }
    }
}

/// A small game.
const ALONE: &str = "game \"Alone\"; players A, B; state { left: 0..2 = 2; } \
                     move take() as \"take\" { when left > 0; left -= 1; } play normal;";

#[test]
fn the_command_wants_a_module() {
    let folder = Folder::new("none");
    let site = folder.0.join("site");
    let run = |module: &str| {
        let told = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["playground", "games", "--module", module, "-o"])
            .arg(&site)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs");
        assert_eq!(told.status.code(), Some(2));
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    for (module, why) in [("nothing.wasm", "cannot be read"), ("Cargo.toml", "is no module of WebAssembly")] {
        let told = run(module);
        assert!(told.contains(why) && told.contains(".ci/playground"), "{told}");
    }
    assert!(!site.exists());
}

#[test]
fn the_page_needs_no_server() {
    let Some(playground) = Playground::of("page", "games") else { return };
    let Some(mut browser) = Browser::start("playground") else { return };
    let server = FileServer::start(playground.folder());
    // The gallery.
    browser.open(&server.address(""));
    browser.wait("document.querySelectorAll('#cards li:not([hidden])').length > 50");
    browser.wait("document.querySelectorAll('#cards svg').length > 3");
    browser.shoot("playground-gallery");
    browser.value(
        "(() => { const field = document.querySelector('#filter'); field.value = 'tic-tac-toe three in a row'; \
                   field.value = 'tictactoe'; field.dispatchEvent(new Event('input')); })()",
    );
    browser.click("#cards li[data-game='tictactoe'] a");
    browser.wait("document.querySelector('#title').innerText === 'Tic-tac-toe'");
    browser.wait("document.querySelectorAll('#board .cell.draw').length === 9");
    // A game against the engine.
    browser.value(
        "(() => { const mode = document.querySelector('#mode'); mode.value = 'play'; \
                   mode.dispatchEvent(new Event('change')); })()",
    );
    browser.wait("!document.querySelector('#as-field').hidden");
    browser.click("#board .cell[aria-label^='b2']");
    browser.wait("document.querySelectorAll('#history li').length === 2");
    browser.wait("document.querySelector('#reason').innerText.startsWith('O')");
    // The editor: a rule is broken and mended.
    browser.click("#edit");
    browser.wait(&format!("{CODE}.querySelector('.cm-content')"));
    browser.wait(SOUND);
    retype(&mut browser, "when at[c] = none;", "when att[c] = none;");
    browser.wait("document.querySelector('#check-status').innerText.includes('1 error')");
    browser.click("#problems .fix");
    browser.wait(SOUND);
    browser.wait("!document.querySelector('#game').classList.contains('stale')");
    // A changed rule is played, and its values are known.
    retype(&mut browser, "lines(Cell, 3)", "lines(Cell, 2)");
    browser.wait("document.querySelector('#verdict').innerText.includes('in 3 plies')");
    browser.click("#board .cell[aria-label^='b2']");
    browser.wait("document.querySelectorAll('#history li').length === 1");
    browser.wait("document.querySelector('#verdict').innerText.includes('X')");
    browser.wait("location.hash.startsWith('#rules=')");
    browser.shoot("playground-editor");
    // The address is opened again, elsewhere.
    let address = browser.value("location.href");
    browser.value("sessionStorage.clear()");
    browser.open("about:blank");
    browser.open(address.as_str().expect("an address"));
    browser.wait("document.querySelectorAll('#history li').length === 1");
    browser.wait(SOUND);
    let rules = browser.value(&format!("{CODE}.querySelector('.cm-content').innerText"));
    assert!(rules.as_str().is_some_and(|rules| rules.contains("lines(Cell, 2)")), "{rules}");
    browser.wait("document.querySelector('#verdict').innerText.includes('X')");
    // Long work ends when one goes on, and the page answers.
    browser.open(&server.address("?game=connect_four"));
    browser.wait("document.querySelector('#verdict').innerText.includes('being computed')");
    browser.click("#moves button");
    browser.wait("document.querySelectorAll('#history li').length === 1");
    assert!(text(&mut browser, "#status").contains("to move"));
    // Nothing was asked of anybody but the files of the folder, and the console is empty.
    assert_eq!(browser.console, [""; 0]);
    let own = format!("http://127.0.0.1:{}{FOLDER}", server.port);
    let is_own =
        |url: &&String| !url.starts_with(&own) && !url.starts_with("about:") && !url.starts_with("blob:");
    assert_eq!(browser.requests.iter().filter(is_own).collect::<Vec<_>>(), [""; 0]);
    let files = ["index.html", "bouton.wasm", "games.json", "page.css", "icon.svg", ""];
    for path in server.requested.lock().expect("no panic").iter() {
        let name = path.split('?').next().unwrap_or_default().trim_start_matches(FOLDER);
        assert!(files.contains(&name) || name.ends_with(".js"), "{path}");
    }
}
