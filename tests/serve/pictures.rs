//! The pages of the explorer as pictures, and what axe says of them.
//!
//! `BOUTON_SHOTS=FOLDER cargo test --test serve pictures` writes the pictures, which are to be looked at; those that the
//! documents show are kept in `docs/pictures`.

use std::fs;
use std::path::Path;

use crate::chromium::Browser;
use crate::npm::installed;
use crate::page::stays_at_home;
use crate::server::Server;

/// A page: its name, its query, and the condition that it is ready.
type Page = (&'static str, &'static str, &'static str);

/// The values of the moves have come.
const SOLVED: &str = "document.querySelector('#moves :is(.win, .draw, .loss)')";
/// The board is drawn.
const DRAWN: &str = "document.querySelector('#board svg, #board pre')";
const CARDS: &str = "document.querySelectorAll('#cards svg').length > 5";
const CODE: &str = "document.querySelector('#code').shadowRoot.querySelector('.cm-content') && \
                    document.querySelector('#board svg')";

const PAGES: &[Page] = &[
    ("gallery", "", CARDS),
    ("editor", "?edit=tictactoe", CODE),
    ("hex", "?game=hex&set=n%3D4", "document.querySelector('#board .cell.win')"),
    ("tictactoe", "?game=tictactoe&p=b2&p=b1", "document.querySelector('#board .cell.win')"),
    ("connect_four", "?game=connect_four&set=cols%3D5&set=rows%3D4&p=3&p=3&p=3&p=3", SOLVED),
    ("chess", "?game=chess&mode=two", DRAWN),
    ("nim", "?game=nim", SOLVED),
    ("dots_and_boxes", "?game=dots_and_boxes", SOLVED),
    ("hare_and_hounds", "?game=hare_and_hounds", SOLVED),
    ("pig", "?game=pig&set=goal%3D5&p=roll&p=(4)", SOLVED),
    (
        "kuhn_poker",
        "?game=kuhn_poker&mode=play&as=Ann",
        "document.querySelector('#status').innerText === 'Ann to move'",
    ),
    ("double_tictactoe", "?game=double_tictactoe&mode=two", DRAWN),
    ("breakthrough", "?game=breakthrough&mode=two", DRAWN),
    ("maze", "?game=maze", SOLVED),
];

/// The text of axe, where it can be had.
fn axe() -> Option<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/axe");
    let folder = installed("axe", &sources, &["package.json", "package-lock.json"])?;
    Some(fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js")).expect("axe"))
}

#[test]
fn axe_finds_no_serious_fault_on_any_page() {
    let Some(mut browser) = Browser::start("pictures") else { return };
    let axe = axe();
    let server = Server::start("games");
    for (index, (name, query, ready)) in PAGES.iter().enumerate() {
        for (width, is_dark) in [(1280, index % 2 == 1), (390, index % 2 == 0)] {
            browser.set_screen(width, is_dark);
            browser.open(&format!("http://127.0.0.1:{}/{query}", server.port));
            browser.wait(ready);
            browser.shoot(&format!("{name}-{width}"));
            let Some(axe) = &axe else { continue };
            // The last expression of the script is its value, which would not fit through the pipe.
            browser.value(&format!("{axe}; null"));
            let faults = browser.value(
                "axe.run(document, { resultTypes: ['violations'] }).then((run) => run.violations \
                 .filter((of) => ['serious', 'critical'].includes(of.impact)) \
                 .map((of) => of.id + ': ' + of.nodes[0].html + ' ' + of.nodes[0].failureSummary).join('\\n'))",
            );
            assert_eq!(faults, "", "{name} at {width} columns");
        }
    }
    stays_at_home(&browser, &server);
}
