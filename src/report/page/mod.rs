//! What `report` says of a game, made once as data (`bouton-report/1`) and written in four ways.
//!
//! *Invariant:* the forms decide how things look, never what is said.

use serde::Serialize;
use serde_json::{Map, Value as Json};

mod drawing;
mod forms;
mod html;
mod strategy;

pub use drawing::{Overlay, Worth, svg};
pub use html::document;
pub use strategy::{Listed, Origin, Strategy};

/// The object that `report --format json` prints; every key is always there.
#[derive(Serialize, Clone, Debug)]
pub struct Page {
    /// The name of this form of data.
    pub schema: &'static str,
    /// The game's name.
    pub game: String,
    /// The file as given.
    pub file: String,
    /// What the author says of the game.
    pub about: Vec<String>,
    /// The parameters by name.
    pub params: Map<String, Json>,
    /// Who wins, in one sentence.
    pub verdict: String,
    /// How sure that is.
    pub standing: Standing,
    /// How to play.
    pub strategy: Strategy,
    /// The position spoken of.
    pub board: Board,
    /// Every first move with its value; none where they are not known.
    pub moves: Vec<FirstMove>,
    /// Games that are played out.
    pub plays: Vec<SamplePlay>,
    /// The strategy as a tree: of the side that keeps the value one move, of the other all.
    pub tree: Option<Branch>,
    /// How many positions have each value, by how far the end is.
    pub histogram: Vec<Bar>,
    /// What other first moves, other rules of winning and other parameters give.
    pub otherwise: Vec<String>,
    /// What was checked, and by whom.
    pub checked: Vec<String>,
    /// What was not.
    pub unchecked: Vec<String>,
    /// The hash of the certificate that the checker accepted.
    pub certificate: Option<String>,
    /// The commands that give this again.
    pub commands: Vec<String>,
}

impl Page {
    /// As JSON.
    pub fn json(&self) -> String {
        // Strings and numbers alone cannot fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// How sure a verdict is.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// `explicit`, `none`, as in `bouton-solve/1`.
    pub tier: &'static str,
    /// For which parameters it holds; empty where there are none.
    pub scope: String,
    /// Whether the independent checker accepted a certificate.
    pub checked: bool,
    /// The same in one sentence.
    pub words: String,
}

/// A position as text and as a picture.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// As text; lines end with a newline.
    pub text: String,
    /// As SVG; empty where nothing can be drawn.
    pub svg: String,
    /// What the marks in the picture mean.
    pub legend: Vec<String>,
}

/// A first move with what it is worth.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct FirstMove {
    /// The move.
    #[serde(rename = "move")]
    pub name: String,
    /// What it is worth, in words.
    pub words: String,
    /// What it is worth to the player who makes it.
    pub worth: Worth,
    /// Whether it is among the best.
    pub best: bool,
}

/// A game played out.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct SamplePlay {
    /// What it shows.
    pub title: String,
    /// The moves.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub end: String,
}

/// A move of a sample play.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// Who makes it.
    pub player: String,
    /// The move.
    #[serde(rename = "move")]
    pub name: String,
    /// What is remarkable about it; may be empty.
    pub remark: String,
}

/// A part of the tree: a move and what follows it.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct Branch {
    /// Who makes the move; empty at the root.
    pub player: String,
    /// The move; empty at the root.
    #[serde(rename = "move")]
    pub name: String,
    /// What the position after it is worth, in words.
    pub words: String,
    /// Whether there is more that is not shown.
    pub cut: bool,
    /// What follows.
    pub then: Vec<Branch>,
}

/// So many positions have a value.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Bar {
    /// The value in words.
    pub value: String,
    /// Plies to the end, where they are counted.
    pub remoteness: Option<u32>,
    /// How many positions.
    pub positions: u64,
}
