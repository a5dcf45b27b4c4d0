//! A game in a report: its positions with their values as data, and the scripts by which the reader plays it.

use std::fmt::Write as _;

use data_encoding::BASE64;
use maud::{Markup, PreEscaped, html};
use rustc_hash::FxHashMap;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The script of a board whose cells make moves and show values. The explorer uses it as well.
pub const BOARD_SCRIPT: &str = include_str!("board.js");
/// The style of such a board and of the moves beside it.
pub const BOARD_STYLE: &str = include_str!("board.css");
/// The script that plays by the positions of a page.
const PLAYING_SCRIPT: &str = include_str!("playing.js");
/// The style of this part of a page.
pub(super) const PLAYING_STYLE: &str = "
.playing .fields { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; margin: .5rem 0; }
.playing :is(button, select) { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint);
  border-radius: .35rem; padding: .25rem .6rem; min-height: 2.2rem; }
.playing .turn { font-weight: bold; } .playing .board svg { width: 100%; max-width: 26rem; max-height: 60vh; }
.playing .moves { list-style: none; padding: 3px; display: flex; flex-wrap: wrap; gap: .35rem; max-height: 18rem;
  overflow-y: auto; }
.playing .moves button.win { background: var(--win); }
.playing .moves button.loss { background: var(--loss); } .playing .moves button.draw { background: var(--draw); }
";
/// The digits of packed numbers: printable characters that neither JSON nor HTML escapes.
const DIGITS: &str =
    "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
/// The maximal number of bytes of the positions; with the scripts and the rest a page stays below a megabyte.
const MAX_BYTES: usize = 700_000;

/// The positions of a game, packed for a page.
#[derive(Clone, Debug)]
pub struct PlayablePositions {
    /// The JSON that the script reads.
    data: String,
    /// The number of positions.
    pub positions: usize,
    /// The player whose best moves alone are followed; `None` if all positions are there.
    pub holder: Option<String>,
    /// The names of the players.
    players: Vec<String>,
}

/// A value as the script shows it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Debug)]
pub struct ShownValue {
    /// As in `bouton-solve/1`.
    pub outcome: &'static str,
    pub winner: Option<String>,
    /// Each player's payoff: a number or a fraction.
    pub payoffs: Vec<String>,
    /// The value in words, without plies.
    pub words: String,
}

/// A move as the script shows it, without its target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ShownMove {
    pub name: String,
    /// The cells of the first panel that place it.
    pub cells: Vec<String>,
    /// The probability, if chance moves.
    pub probability: Option<String>,
}

/// A position to pack.
#[derive(Clone, Debug)]
pub struct ShownPosition {
    /// The contents of the cells of all panels, in order, as SVG; empty for nothing.
    pub contents: Vec<String>,
    /// The turn: 0 for none, 1 for chance, then the players.
    pub turn: u32,
    pub value: ShownValue,
    pub plies: Option<u32>,
    /// The fields that are not drawn.
    pub facts: String,
    /// The moves, with the numbers of the positions after them.
    pub moves: Vec<(ShownMove, u32)>,
}

/// Numbers values by their first occurrence.
struct Interner<T>(FxHashMap<T, usize>, Vec<T>);

impl<T: Clone + Eq + std::hash::Hash> Interner<T> {
    fn new() -> Interner<T> {
        Interner(FxHashMap::default(), Vec::new())
    }

    fn number(&mut self, value: &T) -> usize {
        if let Some(&number) = self.0.get(value) {
            return number;
        }
        self.0.insert(value.clone(), self.1.len());
        self.1.push(value.clone());
        self.1.len() - 1
    }
}

/// Writes a number with this many digits; `None` if it has more.
fn write_number(out: &mut String, mut number: usize, length: u32) -> Option<()> {
    let base = DIGITS.len();
    let mut digits = Vec::new();
    for _ in 0..length {
        digits.push(char::from(DIGITS.as_bytes()[number % base]));
        number /= base;
    }
    out.extend(digits.iter().rev());
    (number == 0).then_some(())
}

impl PlayablePositions {
    /// Packs positions; the first one is where play begins. `picture` is the SVG of a position with something in
    /// each cell. Returns `None` if they do not fit into a page.
    pub fn pack(
        picture: &str,
        players: &[String],
        holder: Option<String>,
        positions: &[ShownPosition],
    ) -> Option<PlayablePositions> {
        let (mut contents, mut values, mut facts, mut moves) =
            (Interner::new(), Interner::new(), Interner::new(), Interner::new());
        let cells = positions.first()?.contents.len();
        let none = DIGITS.len() * DIGITS.len() - 1;
        let mut packed = String::new();
        for position in positions {
            if position.contents.len() != cells || packed.len() > MAX_BYTES {
                return None;
            }
            if !packed.is_empty() {
                packed.push(' ');
            }
            for content in &position.contents {
                write_number(&mut packed, contents.number(content), 1)?;
            }
            write_number(&mut packed, position.turn as usize, 1)?;
            write_number(&mut packed, values.number(&position.value), 2)?;
            write_number(&mut packed, position.plies.map_or(none, |plies| plies as usize), 2)?;
            write_number(&mut packed, facts.number(&position.facts), 2)?;
            for (made, to) in &position.moves {
                write_number(&mut packed, moves.number(made), 2)?;
                write_number(&mut packed, *to as usize, 3)?;
            }
        }
        let moves: Vec<_> = moves.1.iter().map(|made| (&made.name, &made.cells, &made.probability)).collect();
        let data = serde_json::json!({
            "digits": DIGITS,
            "picture": picture,
            "players": players,
            "cells": cells,
            "contents": contents.1,
            "values": values.1,
            "facts": facts.1,
            "moves": moves,
            "positions": packed,
        });
        // The data stand in a script element, which a `<` could end.
        let data = data.to_string().replace('<', "\\u003c");
        let count = positions.len();
        (data.len() <= MAX_BYTES).then(|| PlayablePositions {
            data,
            positions: count,
            holder,
            players: players.to_vec(),
        })
    }

    /// The content policy of the page: nothing is loaded, and no script runs but this one.
    pub(super) fn policy(&self) -> Markup {
        let hash = BASE64.encode(&Sha256::digest(script()));
        let policy = format!("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'");
        html! { meta http-equiv="Content-Security-Policy" content=(policy); }
    }

    /// The part of the page. Without scripts it stays hidden.
    pub(super) fn section(&self) -> Markup {
        let mut told =
            format!("This page holds {} positions with their values, and loads nothing.", self.positions);
        if let Some(holder) = &self.holder {
            let _ = write!(told, " {holder} makes its best moves only.");
        }
        let sides = self.players.iter().filter(|name| self.holder.as_ref() != Some(name));
        html! {
            div.playing hidden="hidden" {
                h2 { "Play it here" }
                p.faint { (told) }
                div.fields {
                    label { "You are " select.side aria-label="the side that you play" {
                        option value="" { "everybody" }
                        @for name in sides { option value=(name) { (name) } }
                    } }
                    label { input.shows type="checkbox" checked="checked"; " values of moves" }
                    button.back type="button" { "Take back" }
                    button.again type="button" { "Begin again" }
                }
                p.turn role="status" {}
                div.board {}
                p.facts {}
                ul.moves {}
            }
            script id="positions" type="application/json" { (PreEscaped(&self.data)) }
            script type="module" { (PreEscaped(script())) }
        }
    }
}

/// The script of the page. In XML the comments make it character data.
fn script() -> String {
    format!("//<![CDATA[\n{BOARD_SCRIPT}\n{PLAYING_SCRIPT}\n//]]>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(contents: &[&str], moves: Vec<(ShownMove, u32)>) -> ShownPosition {
        let value = ShownValue {
            outcome: "draw",
            winner: None,
            payoffs: vec!["0".into(), "0".into()],
            words: "a <draw>".into(),
        };
        let contents = contents.iter().map(|content| content.to_string()).collect();
        ShownPosition { contents, turn: 2, value, plies: None, facts: String::new(), moves }
    }

    #[test]
    fn numbers_have_a_fixed_length() {
        let written = |number, length| {
            let mut out = String::new();
            write_number(&mut out, number, length).map(|()| out)
        };
        let base = DIGITS.len();
        assert_eq!(written(0, 2).as_deref(), Some("!!"));
        assert_eq!(written(base + 2, 2).as_deref(), Some("#$"));
        assert!(written(base * base - 1, 2).is_some() && written(base * base, 2).is_none());
        assert!(!DIGITS.contains([' ', '"', '\\', '<', '>', '&', '\'']));
    }

    #[test]
    fn positions_are_packed_unless_they_are_too_many_or_differ_in_shape() {
        let players = ["A".to_owned(), "B".to_owned()];
        let made = ShownMove { name: "a1".into(), cells: vec!["a1".into()], probability: None };
        let both = [position(&["", "X"], vec![(made.clone(), 1)]), position(&["X", "X"], Vec::new())];
        let packed = PlayablePositions::pack("<svg/>", &players, None, &both).expect("they fit");
        assert_eq!(packed.positions, 2);
        let data: serde_json::Value = serde_json::from_str(&packed.data).expect("JSON");
        // Two cells, the turn, the value, no plies, no facts; then the move with its target.
        assert_eq!(data["positions"], "!#$!!~~!!!!!!# ##$!!~~!!");
        assert_eq!((&data["contents"][1], &data["moves"][0][0]), (&"X".into(), &"a1".into()));
        assert!(!packed.data.contains('<'), "nothing ends the element");
        let other = [both[0].clone(), position(&["X"], Vec::new())];
        assert!(PlayablePositions::pack("", &players, None, &other).is_none());
        let many = vec![position(&["X"; 60], vec![(made, 1); 20]); 10_000];
        assert!(PlayablePositions::pack("", &players, None, &many).is_none());
    }
}
