//! `games/README.md`: all games with their comments and their first positions.

use std::fmt::Write;

use bouton_search::game::draw::draw;

use super::{game, names};

const HEAD: &str = "# The games

Each file has the rules of a game, with its known results as claims; `bouton test` decides them, and
`bouton play games/NAME.bou` plays against you. This page is made from the comments of the files:
`INSTA_UPDATE=always cargo test --test language gallery` writes it anew.
";

/// The greatest number of lines of a position on the page.
const MAX_LINES: usize = 24;

#[test]
fn the_gallery_shows_every_game() {
    let mut page = HEAD.to_owned();
    for name in names() {
        let game = game(&name).game(None).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let position = draw(&game, &game.machine.initial());
        let doc = game.rules.doc.join("\n");
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## [{}]({name}.bou)\n\n{}\n", game.rules.name, doc.trim());
        if position.lines().count() <= MAX_LINES {
            let _ = write!(page, "\n```text\n{position}```\n");
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/README.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|mode| mode == "always") {
        std::fs::write(path, &page).expect("the page is written");
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        page,
        "see the first lines of games/README.md"
    );
}
