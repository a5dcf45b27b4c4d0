//! The editor in a real browser, as a person uses it: a mistake is seen at its place and mended, the game is played beside
//! its rules, an address with the rules is opened again.

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::page::{stays_at_home, text};
use crate::server::Server;

/// The root of the code editor's own tree.
pub const CODE: &str = "document.querySelector('#code').shadowRoot";

/// An editor on a server with these games.
fn opened(name: &str, games: &str, query: &str) -> Option<(Browser, Server)> {
    let mut browser = Browser::start(name)?;
    let server = Server::start(games);
    browser.open(&format!("http://127.0.0.1:{}/{query}", server.port));
    browser.wait(&format!("{CODE}.querySelector('.cm-content')"));
    Some((browser, server))
}

/// Selects the first occurrence of some words of a line with the mouse, and types others.
pub fn retype(browser: &mut Browser, old: &str, new: &str) {
    let script = FIND_PLACE.replace("CODE", CODE).replace("OLD", &json!(old).to_string());
    let mut place = Value::Null;
    // Messages below the rules may move them.
    loop {
        let before = std::mem::replace(&mut place, browser.value(&script));
        assert!(!place.is_null(), "{old} is not there");
        if place == before {
            break;
        }
        browser.value("new Promise((done) => setTimeout(done, 50))");
    }
    for (end, modifiers) in [(0, 0), (1, SHIFT)] {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[2 * end], "y": place[2 * end + 1], "button": "left", "clickCount": 1,
                "modifiers": modifiers,
            });
            browser.call("Input.dispatchMouseEvent", event);
        }
    }
    browser.call("Input.insertText", json!({ "text": new }));
    // A list of completions would take the next keys.
    browser.press("Escape");
}

/// The number of the key Shift among modifiers.
const SHIFT: u32 = 8;

/// Finds the beginning and the end of the words `OLD` on the screen.
const FIND_PLACE: &str = "(() => { for (const line of CODE.querySelectorAll('.cm-line')) { \
    const at = line.textContent.indexOf(OLD); if (at < 0) continue; line.scrollIntoView({ block: 'center' }); \
    const place = (offset) => { const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); \
        while (walker.nextNode()) { const { length } = walker.currentNode; \
            if (offset <= length) return [walker.currentNode, offset]; offset -= length; } }; \
    const range = document.createRange(); range.setStart(...place(at)); range.setEnd(...place(at + OLD.length)); \
    const boxes = range.getClientRects(); const [first, last] = [boxes[0], boxes[boxes.length - 1]]; \
    return [first.left + 1, (first.top + first.bottom) / 2, last.right - 1, (last.top + last.bottom) / 2]; } \
    return null; })()";

/// The text of the rules, as far as it is in sight.
fn rules(browser: &mut Browser) -> String {
    let lines =
        format!("[...{CODE}.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')");
    browser.value(&lines).as_str().unwrap_or_default().to_owned()
}

/// True when the rules have no mistakes.
pub const SOUND: &str = "document.querySelector('#check-status').innerText.startsWith('No mistakes found')";

#[test]
fn a_mistake_is_mended_by_its_fix_and_the_game_is_played() {
    for (width, is_dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
        let name = format!("editor-{width}-{}", if is_dark { "dark" } else { "light" });
        let Some((mut browser, server)) = opened(&name, "games/tictactoe.bou", "?edit=tictactoe") else {
            return;
        };
        browser.set_screen(width, is_dark);
        browser.wait(SOUND);
        // The values of the first moves: all of them draw.
        browser.wait("document.querySelectorAll('#board .cell.draw').length === 9");
        browser.shoot(&format!("{name}-sound"));
        retype(&mut browser, "when at[c] = none;", "when att[c] = none;");
        browser.wait("document.querySelector('#check-status').innerText.includes('1 error')");
        browser.wait(&format!("{CODE}.querySelector('.cm-lintRange-error')"));
        let marked = browser.value(&format!("{CODE}.querySelector('.cm-lintRange-error').textContent"));
        assert!(marked.as_str().is_some_and(|marked| marked.starts_with("att")), "{marked}");
        let listed = text(&mut browser, "#problems");
        assert!(listed.contains("line 13") && listed.contains("`att`"), "{listed}");
        browser.wait("document.querySelector('#game').classList.contains('stale')");
        assert!(text(&mut browser, "#stale").contains("as it was before"));
        browser.shoot(&format!("{name}-broken"));
        // By a click in the list, and the next time by a key at the cursor.
        browser.click("#problems .fix");
        browser.wait(SOUND);
        assert!(rules(&mut browser).contains("when at[c] = none;"));
        retype(&mut browser, "when at[c] = none;", "when att[c] = none;");
        browser.wait("document.querySelector('#problems .fix')");
        browser.press_with("F8", 0);
        browser.press_with(".", 2);
        browser.wait(SOUND);
        assert!(rules(&mut browser).contains("when at[c] = none;"));
        browser.wait("!document.querySelector('#game').classList.contains('stale')");
        browser.wait("document.querySelectorAll('#board .cell.draw').length === 9");
        browser.click("#board .cell[aria-label^='b2']");
        browser.wait("document.querySelectorAll('#history li').length === 1");
        browser.click("#board .cell[aria-label^='b1']");
        browser.wait("document.querySelector('#verdict').innerText.includes('X')");
        browser.wait("document.querySelectorAll('#board .cell.win').length > 0");
        // A changed rule: the play goes on by it.
        retype(&mut browser, "lines(Cell, 3)", "lines(Cell, 2)");
        browser.wait("document.querySelectorAll('#history li').length === 2");
        browser.wait("document.querySelector('#verdict').innerText.includes('in 1 ply')");
        let beyond = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(beyond.as_i64().is_some_and(|beyond| beyond <= 0), "{beyond} points too wide");
        browser.shoot(&format!("{name}-played"));
        stays_at_home(&browser, &server);
    }
}

#[test]
fn rules_are_shared_in_the_address() {
    let Some((mut browser, server)) = opened("share", "games", "?edit=subtraction") else { return };
    browser.wait(SOUND);
    retype(&mut browser, "Subtraction", "\u{1f600} Shared");
    browser.wait("document.querySelector('#title').innerText.includes('Shared')");
    browser.wait("location.hash.startsWith('#rules=')");
    browser.click("#moves button");
    browser.wait("document.querySelectorAll('#history li').length === 1");
    let address = browser.value("location.href");
    browser.value("sessionStorage.clear()");
    browser.open("about:blank");
    browser.open(address.as_str().expect("an address"));
    browser.wait("document.querySelector('#title').innerText.includes('Shared')");
    browser.wait("document.querySelectorAll('#history li').length === 1");
    browser.wait(SOUND);
    assert!(rules(&mut browser).contains("\u{1f600} Shared"));
    // Back and forth between rules.
    browser.value(
        "(() => { const start = document.querySelector('#start'); start.value = 'game nim'; \
         start.dispatchEvent(new Event('change')); })()",
    );
    browser.wait("document.querySelector('#title').innerText === 'Nim'");
    browser.wait("location.hash.startsWith('#rules=')");
    browser.value("history.back()");
    browser.wait("document.querySelector('#title').innerText.includes('Shared')");
    // Rules that are too long for an address: a clear message, and the tab holds them.
    let noise: String = (0..9000u32).map(|at| format!("{:x}", at.wrapping_mul(2_654_435_761))).collect();
    browser.value("document.querySelector('#copy-rules').focus()");
    retype(&mut browser, "\u{1f600} Shared", &format!("Long\";\n// {noise}\n// \""));
    browser.wait("location.hash === ''");
    browser.click("#share-rules");
    browser.wait("document.querySelector('#share-note').innerText.includes('too long for an address')");
    // An address that was cut off.
    let cut: String = address
        .as_str()
        .expect("an address")
        .chars()
        .rev()
        .skip(60)
        .collect::<String>()
        .chars()
        .rev()
        .collect();
    browser.value("sessionStorage.clear()");
    browser.open("about:blank");
    browser.open(&cut);
    browser.wait("document.querySelector('#failure').innerText.includes('no rules that can be read')");
    let _ = server;
    assert_eq!(browser.console, [""; 0]);
}

#[test]
fn the_editor_is_used_with_the_keyboard_and_tells_mistakes_of_play() {
    let Some((mut browser, server)) = opened("keys", "games", "?edit") else { return };
    browser.wait(SOUND);
    // Every control has a name, and the rules are a text field with one.
    let nameless = "[...document.querySelectorAll('button, input, select, a')].filter((of) => \
                    of.checkVisibility() && !of.innerText?.trim() && !of.ariaLabel && !of.labels?.length).length";
    assert_eq!(browser.value(nameless), json!(0));
    let field = browser.value(&format!(
        "(({{ role, ariaLabel }}) => [role, ariaLabel])({CODE}.querySelector('.cm-content'))"
    ));
    assert_eq!(field, json!(["textbox", "Rules of the game"]));
    // Tab leaves the rules; arrows move the cursor there, and do not go through the play.
    browser.value(&format!("{CODE}.querySelector('.cm-content').focus()"));
    browser.press("ArrowLeft");
    browser.press("Tab");
    browser.wait("document.activeElement?.id !== 'code'");
    // A game without an end: only play shows it.
    retype(&mut browser, "pile -= stones;", "pile := pile;");
    browser.wait("document.querySelector('#problems').innerText.length > 0");
    browser.wait("document.querySelector('#check-status').innerText.includes('explored')");
    // Words have the colours of their kinds.
    let kinds = browser.value(&format!(
        "new Set([...{CODE}.querySelectorAll('.cm-line span')].map((of) => getComputedStyle(of).color)).size"
    ));
    assert!(kinds.as_u64().is_some_and(|kinds| kinds >= 4), "{kinds}");
    stays_at_home(&browser, &server);
    assert_ne!(browser.value("document.title"), Value::Null);
}
