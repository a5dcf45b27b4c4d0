//! The content of a report, made once as data (`bouton-report/1`) and rendered in four formats.
//!
//! *Invariant:* the formats decide the appearance, never the content.

use serde::Serialize;
use serde_json::{Map, Value as Json};

mod drawing;
mod html;
mod matrix;
mod pieces;
mod playing;
mod strategy;
mod text_formats;

pub use drawing::{MoveOutcome, Overlay, standalone_svg, svg};
pub use html::{STYLE, document};
pub use matrix::{PayoffCell, PayoffMatrix};
pub use pieces::content;
pub use playing::{BOARD_SCRIPT, BOARD_STYLE, PlayablePositions, ShownMove, ShownPosition, ShownValue};
pub use strategy::{SURE_PLAN, Strategy, StrategyOrigin, StrategySummary};

/// The object that `report --format json` prints; every key is always present.
#[derive(Serialize, Clone, Debug)]
pub struct Page {
    /// The name of the data format.
    pub schema: &'static str,
    /// The game's name.
    pub game: String,
    /// The file as given.
    pub file: String,
    /// The author's description of the game.
    pub about: Vec<String>,
    /// The parameters by name.
    pub params: Map<String, Json>,
    /// The result, in one sentence.
    pub verdict: String,
    /// The status of the result.
    pub standing: ResultStatus,
    /// The strategy and the reasons why it works.
    pub strategy: Strategy,
    /// The position that the report is about.
    pub board: BoardView,
    /// The payoffs of a simultaneous first choice of two players, if they are known and few.
    pub matrix: Option<PayoffMatrix>,
    /// Every first move with its value; empty if the values are not known.
    pub moves: Vec<FirstMove>,
    /// Sample plays to the end.
    pub plays: Vec<SamplePlay>,
    /// The strategy as a tree: one move of the side that keeps the value, all moves of the other.
    pub tree: Option<StrategyBranch>,
    /// The number of positions with each value, by the distance to the end.
    pub histogram: Vec<HistogramBar>,
    /// Figures of random and of searched play, for a position that is not solved: a sentence each.
    pub figures: Vec<String>,
    /// The results of other first moves, other winning rules and other parameters.
    pub otherwise: Vec<String>,
    /// The statements that were checked, with their checkers.
    pub checked: Vec<String>,
    /// The statements that were not checked.
    pub unchecked: Vec<String>,
    /// The hash of the certificate that the checker accepted.
    pub certificate: Option<String>,
    /// The commands that reproduce the report.
    pub commands: Vec<String>,
    /// The positions with which HTML can be played; `None` if the table is unknown or too large.
    #[serde(skip)]
    pub playable: Option<PlayablePositions>,
}

impl Page {
    /// Renders the page as JSON.
    pub fn json(&self) -> String {
        // Serializing strings and numbers cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The rows of the table of first moves, the best ones first. Moves with one value share a row where there are many moves, and many moves
    /// whose value is not known are counted alone.
    fn move_rows(&self) -> Vec<MoveRow> {
        let is_unknown = |first: &&FirstMove| first.worth == MoveOutcome::Unknown && !first.best;
        let unknown = self.moves.iter().filter(is_unknown).count();
        let leaves_out = unknown > MAX_UNKNOWN_MOVES;
        let mut rows: Vec<(MoveRow, Vec<&str>)> = Vec::new();
        for first in self.moves.iter().filter(|first| !leaves_out || !is_unknown(first)) {
            let is_same = |row: &MoveRow| row.words == first.words && row.best == first.best;
            match rows.iter_mut().find(|(row, _)| is_same(row)) {
                Some((_, names)) if self.moves.len() > MAX_SINGLE_MOVES => names.push(&first.name),
                _ => {
                    let (words, worth, best) = (first.words.clone(), first.worth, first.best);
                    rows.push((MoveRow { names: String::new(), words, worth, best }, vec![&first.name]));
                }
            }
        }
        rows.sort_by_key(|(row, _)| !row.best);
        let mut rows: Vec<MoveRow> = rows
            .into_iter()
            .map(|(row, names)| MoveRow { names: joined_names(&names, self.moves.len()), ..row })
            .collect();
        if leaves_out {
            rows.push(MoveRow {
                names: "the others".to_owned(),
                words: format!("{unknown}, not known"),
                worth: MoveOutcome::Unknown,
                best: false,
            });
        }
        rows
    }
}

/// The names of a row: `a1, b2`, `all 36 moves`, or the first ones and the number of the others.
fn joined_names(names: &[&str], moves: usize) -> String {
    if names.len() > MAX_NAMES && names.len() == moves {
        return format!("all {moves} moves");
    }
    let listed = if names.len() > MAX_NAMES { &names[..MAX_NAMES - 1] } else { names };
    let others = names.len() - listed.len();
    let listed = listed.join(", ");
    if others > 0 { format!("{listed} and {others} others") } else { listed }
}

/// A row of the table of first moves: moves with one value.
struct MoveRow {
    names: String,
    /// The value in words.
    words: String,
    worth: MoveOutcome,
    best: bool,
}

/// The maximal number of first moves of which each has a row of its own.
const MAX_SINGLE_MOVES: usize = 6;
/// The maximal number of moves that a row names.
const MAX_NAMES: usize = 16;
/// The number of moves of unknown value that a report lists by name.
const MAX_UNKNOWN_MOVES: usize = 8;

/// The status of a result.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ResultStatus {
    /// `explicit`, `none` and so on, as in `bouton-solve/1`.
    pub tier: &'static str,
    /// The parameter values for which it holds; empty if there are no parameters.
    pub scope: String,
    /// True if the independent checker accepted a certificate.
    pub checked: bool,
    /// The status in words.
    pub words: String,
    /// The proved claim, or that nothing is proved, in a sentence that stands beside the verdict; empty if there is no
    /// result.
    #[serde(skip)]
    pub short: String,
}

/// A position as text and as a picture.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct BoardView {
    /// The text; lines end with a newline.
    pub text: String,
    /// The SVG; empty if nothing can be drawn.
    pub svg: String,
    /// The meaning of the marks in the picture.
    pub legend: Vec<String>,
}

/// A first move with its value.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct FirstMove {
    /// The move as written.
    #[serde(rename = "move")]
    pub name: String,
    /// The value in words.
    pub words: String,
    /// The value for the player who makes it.
    pub worth: MoveOutcome,
    /// True if it is among the best.
    pub best: bool,
}

/// A sample play to the end.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct SamplePlay {
    /// The title, which names the kind of play.
    pub title: String,
    pub plies: Vec<SamplePly>,
    /// The position after each of the first moves as text, if it is small; else empty.
    pub boards: Vec<String>,
    /// The end of the play, as a sentence.
    pub end: String,
}

/// A move of a sample play.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct SamplePly {
    /// The player who makes it.
    pub player: String,
    /// The move as written.
    #[serde(rename = "move")]
    pub name: String,
    /// A comment on the move; may be empty.
    pub remark: String,
}

/// The word for the player of an event of chance.
pub const CHANCE: &str = "chance";

/// A part of the tree: a move and its continuations.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct StrategyBranch {
    /// The player who makes the move, or [`CHANCE`]; empty at the root.
    pub player: String,
    /// The move as written, of an event of chance with its probability; empty at the root.
    #[serde(rename = "move")]
    pub name: String,
    /// The value of the position after it, in words.
    pub words: String,
    /// True if there are continuations that are not shown.
    pub cut: bool,
    /// The continuations.
    pub then: Vec<StrategyBranch>,
}

/// The number of positions with a value.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct HistogramBar {
    /// The value in words.
    pub value: String,
    /// Plies to the end, if they are counted.
    pub remoteness: Option<u32>,
    /// The number of positions.
    pub positions: u64,
}
