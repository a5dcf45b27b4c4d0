//! The explorer in a real browser, as a person uses it: the gallery, a game against the engine, the winning move by its
//! colour, the mistake of a play, an address that is opened again.

use std::process::Command;

use serde_json::json;

use crate::chromium::Browser;
use crate::server::Server;

/// Tests that the console is empty and that every request went to the server.
pub fn stays_at_home(browser: &Browser, server: &Server) {
    assert_eq!(browser.console, [""; 0]);
    let own = format!("http://127.0.0.1:{}/", server.port);
    let strange = |url: &&String| !url.starts_with(&own) && !url.starts_with("about:");
    assert_eq!(browser.requests.iter().filter(strange).collect::<Vec<_>>(), [""; 0]);
    assert!(!browser.requests.is_empty());
}

/// The text of an element.
pub fn text(browser: &mut Browser, selector: &str) -> String {
    browser
        .value(&format!("document.querySelector({selector:?}).innerText"))
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_gallery_finds_a_game_and_the_engine_beats_a_careless_player() {
    let Some(mut browser) = Browser::start("gallery") else { return };
    let server = Server::start("games");
    browser.open(&format!("http://127.0.0.1:{}/", server.port));
    browser.wait("document.querySelectorAll('#cards li:not([hidden])').length > 50");
    browser.wait("document.querySelectorAll('#cards svg').length > 5");
    browser.value(
        "(() => { const field = document.querySelector('#filter'); field.value = 'tic-tac ultimate'; \
                   field.dispatchEvent(new Event('input')); field.value = 'hatch'; \
                   field.dispatchEvent(new Event('input')); })()",
    );
    browser.wait("document.querySelectorAll('#cards li:not([hidden])').length === 1");
    browser.click("#cards li:not([hidden]) a");
    browser.wait("document.querySelector('#title').innerText === 'Hatch'");
    browser.wait("document.querySelector('#verdict').innerText.includes('wins')");
    // The user plays the side that loses against perfect play.
    let players = browser.value("[...document.querySelectorAll('#as option')].map((of) => of.value)");
    let verdict = text(&mut browser, "#verdict");
    let names: Vec<&str> =
        players.as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    let side = *names.iter().find(|name| !verdict.contains(&format!("{name}, wins"))).expect("a loser");
    browser.value(
        "(() => { const mode = document.querySelector('#mode'); mode.value = 'play'; \
                   mode.dispatchEvent(new Event('change')); })()",
    );
    browser.wait("!document.querySelector('#as-field').hidden");
    browser.value(&format!(
        "(() => {{ const as = document.querySelector('#as'); as.value = {side:?}; as.dispatchEvent(new Event('change')); }})()"
    ));
    browser.wait(&format!("location.search.includes('as={side}')"));
    let over = "document.querySelector('#status').innerText.includes('over')";
    for _ in 0..9 {
        let mine = format!(
            "document.querySelector('#game').ariaBusy === 'false' && \
             document.querySelector('#status').innerText === '{side} to move'"
        );
        browser.wait(&format!("{over} || ({mine} && !document.querySelector('#moves button').disabled)"));
        if browser.value(over) == json!(true) {
            break;
        }
        let played = browser.value("location.search");
        browser.click("#moves button");
        browser.wait(&format!("location.search !== {played}"));
    }
    let end = text(&mut browser, "#status");
    assert!(end.contains("wins") && !end.contains(&format!("{side} wins")), "{end}");
    stays_at_home(&browser, &server);
}

#[test]
fn values_of_chance_are_shares_of_games() {
    let Some(mut browser) = Browser::start("chance") else { return };
    let server = Server::start("games");
    browser.open(&format!("http://127.0.0.1:{}/?game=pig", server.port));
    browser
        .wait("document.querySelector('#moves button').innerText.includes('Ann wins 70.94% of the games')");
    let title = browser.value("document.querySelector('#moves button').title");
    assert_eq!(title, json!("Ann gets 4591/10961, Bob gets -4591/10961"));
    browser.click("#moves button");
    // The faces of the die: each has its probability, and the share of the games that is left.
    browser.wait("document.querySelectorAll('#moves button').length === 6");
    browser.wait(
        "[...document.querySelectorAll('#moves button')].every(({ innerText }) => \
         /wins [.\\d]+% of the games, with probability 1\\/6/.test(innerText))",
    );
    // Payoffs of other games are no shares.
    browser.open(&format!("http://127.0.0.1:{}/?game=coin_toss", server.port));
    browser.wait("document.querySelector('#moves button').innerText.includes('Max gets 3, Min gets -3')");
    stays_at_home(&browser, &server);
}

#[test]
fn what_is_hidden_stays_hidden_from_the_player() {
    let Some(mut browser) = Browser::start("hidden") else { return };
    let server = Server::start("games/kuhn_poker.bou");
    browser.open(&format!("http://127.0.0.1:{}/?game=kuhn_poker&mode=play&as=Ann", server.port));
    browser.wait("document.querySelector('#reason').innerText.startsWith('Chance has moved')");
    browser.wait("document.querySelector('#status').innerText === 'Ann to move'");
    let shown = text(&mut browser, "main");
    assert!(!shown.contains("deal_hands"), "{shown}");
    assert_eq!(text(&mut browser, "#history"), "?");
    stays_at_home(&browser, &server);
}

#[test]
fn all_choose_at_once_against_the_engine() {
    let Some(mut browser) = Browser::start("choices") else { return };
    let server = Server::start("games/rock_paper_scissors.bou");
    browser.open(&format!("http://127.0.0.1:{}/?game=rock_paper_scissors&mode=play&as=Bob", server.port));
    // The choices are the user's own, not the pairs.
    browser.wait("document.querySelectorAll('#moves button:enabled').length === 3");
    assert_eq!(text(&mut browser, "#moves-title"), "Your choice");
    browser.click("#moves li:nth-child(2) button");
    browser.wait("document.querySelector('#status').innerText.includes('over')");
    let played = text(&mut browser, "#history");
    assert!(played.contains(", paper)"), "{played}");
    assert!(text(&mut browser, "#reason").starts_with("All: ("));
    browser.value("history.back()");
    browser.wait("document.querySelectorAll('#moves button:enabled').length === 3");
    stays_at_home(&browser, &server);
}

#[test]
fn colours_show_the_winning_move_and_a_mistake_is_found_again() {
    let Some(mut browser) = Browser::start("colours") else { return };
    let server = Server::start("games");
    let base = format!("http://127.0.0.1:{}", server.port);
    browser.open(&format!("{base}/?game=hex&set=n%3D4"));
    // All cells are coloured, some as wins; a click on one makes the move.
    browser.wait("document.querySelectorAll('#board .cell.win').length > 0");
    browser.wait("document.querySelectorAll('#board .cell.loss').length > 0");
    let first = browser.value("document.querySelector('#board .cell.win').getAttribute('aria-label')");
    assert!(first.as_str().is_some_and(|label| label.contains("Red wins")), "{first}");
    browser.click("#board .cell.win");
    browser.wait("document.querySelectorAll('#history li').length === 1");
    // After a winning move, all moves of the other side lose.
    browser.wait("document.querySelector('#verdict').innerText.includes('Red')");
    browser.wait("document.querySelectorAll('#board .cell.loss').length === 15");
    // On a smaller board all values are known at once. Red throws the win away by a move that loses.
    browser.open(&format!("{base}/?game=hex&set=n%3D3&p=b2&p=a1"));
    browser.wait("document.querySelectorAll('#board .cell.win').length > 0");
    browser.click("#board .cell.loss");
    browser.wait("document.querySelectorAll('#history li').length === 3");
    browser.click("#review");
    browser.wait("document.querySelectorAll('#history .mistake').length >= 1");
    let mistakes = text(&mut browser, "#mistakes");
    assert!(mistakes.contains("Move 3") && mistakes.contains("Better:"), "{mistakes}");
    // The keyboard goes back and forward, and the address brings the position back.
    browser.press("ArrowLeft");
    browser.wait("document.querySelector('#ply').innerText === '2 of 3'");
    browser.press("Home");
    browser.wait("document.querySelector('#ply').innerText === '0 of 3'");
    browser.press("End");
    browser.wait("document.querySelector('#ply').innerText === '3 of 3'");
    let address = browser.value("location.href");
    browser.open("about:blank");
    browser.open(address.as_str().expect("an address"));
    browser.wait("document.querySelectorAll('#history li').length === 3");
    browser.wait("document.querySelector('#board svg')");
    let again =
        browser.value("[...document.querySelectorAll('#board .sign')].map((of) => of.textContent).join('')");
    assert!(again.as_str().is_some_and(|signs| signs.len() == 3), "{again}");
    stays_at_home(&browser, &server);
}

#[test]
fn a_report_is_played_without_a_server() {
    let Some(mut browser) = Browser::start("report") else { return };
    let file = std::env::temp_dir().join(format!("bouton-playable-{}.html", std::process::id()));
    let made = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(["report", "games/tictactoe.bou", "--format", "html", "-o"])
        .arg(&file)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let address = format!("file://{}", file.display());
    browser.open(&address);
    browser.wait("document.querySelectorAll('.playing .cell.draw').length === 9");
    // X plays two sides; the strategy answers, and wins against the second mistake.
    browser.value(
        "(() => { const side = document.querySelector('.playing .side'); side.value = 'X'; \
                   side.dispatchEvent(new Event('change')); })()",
    );
    let signs =
        "[...document.querySelectorAll('.playing .sign')].filter((of) => of.textContent !== '').length";
    for count in [2, 4] {
        browser.click(".playing .cell.playable:last-of-type, .playing .cell.playable");
        browser.wait(&format!("{signs} === {count}"));
    }
    browser.click(".playing .again");
    browser.wait(&format!("{signs} === 0"));
    assert_eq!(browser.console, [""; 0]);
    let strange: Vec<_> =
        browser.requests.iter().filter(|url| **url != address && *url != "about:blank").collect();
    assert_eq!(strange, [""; 0]);
    let _ = std::fs::remove_file(&file);
}

#[test]
fn pages_fit_a_narrow_screen_and_moves_of_two_cells_are_made_on_the_board() {
    let Some(mut browser) = Browser::start("narrow") else { return };
    let server = Server::start("games");
    let narrow = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    browser.call("Emulation.setDeviceMetricsOverride", narrow);
    let base = format!("http://127.0.0.1:{}", server.port);
    for game in ["", "?game=chess", "?game=dots_and_boxes", "?game=pig", "?game=nim", "?game=hare_and_hounds"]
    {
        browser.open(&format!("{base}/{game}"));
        browser.wait("document.querySelector('#board svg, #board pre, #cards svg')");
        let beyond = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(beyond.as_i64().is_some_and(|beyond| beyond <= 0), "{game} is {beyond} points too wide");
        let nameless = "[...document.querySelectorAll('button, input, select, a')].filter((of) => \
                        of.checkVisibility() && !of.innerText?.trim() && !of.ariaLabel && !of.labels?.length).length";
        assert_eq!(browser.value(nameless), json!(0), "{game}: every control has a name");
    }
    browser.open(&format!("{base}/?game=chess&mode=two"));
    // Each piece has its name, and its meaning beside its picture.
    browser.wait("document.querySelectorAll('#board .piece').length === 32");
    browser.wait("document.querySelectorAll('#facts svg').length === 12");
    browser.wait("document.querySelector('#board [aria-label=\"e2, Piece(White, pawn)\"]')");
    browser.click("#board [aria-label^='e2']");
    browser.wait("document.querySelector('#board .chosen')");
    browser.click("#board [aria-label^='e4']");
    browser.wait("document.querySelector('#history').innerText.includes('e2e4')");
    stays_at_home(&browser, &server);
}
