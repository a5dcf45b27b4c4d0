//! The result of `solve` as data: `bouton-solve/1`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::numbers;
use super::proof::Proof;
use crate::game::{Game, State, Turn};
use crate::rules::Rules;
use crate::solve::tally::Kind;
use crate::solve::{Bounds, Made, MoveValue, Solution, Status, Value, ValueKind};

/// The object that `solve --json` prints; every key but the last is always there.
#[derive(Serialize, Clone, Debug)]
pub struct SolveReport {
    /// The name of this form of data.
    pub schema: &'static str,
    /// The game's name.
    pub game: String,
    /// The file as given.
    pub file: String,
    /// The parameters by name.
    pub params: Map<String, Json>,
    /// The players in order.
    pub players: Vec<String>,
    /// Who is to move; none where chance or all players move, or the game is over.
    pub mover: Option<String>,
    /// `solved`, `bounded`, `unknown`.
    pub status: &'static str,
    /// `win`, `draw`, `payoff`, `solved_in`, `unsolvable`.
    pub outcome: Option<&'static str>,
    /// Who wins.
    pub winner: Option<String>,
    /// Each player's payoff.
    pub value: Option<Map<String, Json>>,
    /// What the first player gets at least and at most.
    pub bounds: Option<BoundsReport>,
    /// Plies to the end under best play.
    pub remoteness: Option<u32>,
    /// The first player's score minus the second's.
    pub margin: Option<Json>,
    /// The Grundy value.
    pub nimber: Option<u32>,
    /// Every legal move, with `--all-moves`, where the method tells what they are worth.
    pub moves: Option<Vec<MoveReport>>,
    /// The moves that keep the value, soonest win or latest loss.
    pub best_moves: Option<Vec<String>>,
    /// Best play.
    pub line: Option<Vec<String>>,
    /// How it was found.
    pub method: &'static str,
    /// Why so, or why the value is not known, in one sentence.
    pub why: String,
    /// How sure it is.
    pub proof: ProofReport,
    /// How many positions were looked at.
    pub positions: u64,
    /// How long it took.
    pub seconds: f64,
    /// Positions a second.
    pub positions_per_second: f64,
    /// The most bytes held.
    pub memory_bytes: u64,
    /// How long it took to make what runs the rules: lowering and machine code.
    pub compile_seconds: f64,
    /// All positions by who is to move and by their values; only there with `--strong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tally: Option<Vec<KindReport>>,
}

/// What the first player gets.
#[derive(Serialize, Clone, Debug)]
pub struct BoundsReport {
    /// The player.
    pub player: String,
    /// At least this.
    pub low: Option<Json>,
    /// At most this.
    pub high: Option<Json>,
}

/// What a move is worth.
#[derive(Serialize, Clone, Debug)]
pub struct MoveReport {
    /// The move.
    #[serde(rename = "move")]
    pub name: String,
    /// As in [`SolveReport`].
    pub outcome: Option<&'static str>,
    /// As in [`SolveReport`].
    pub winner: Option<String>,
    /// As in [`SolveReport`].
    pub value: Option<Map<String, Json>>,
    /// Plies to the end, the move among them.
    pub remoteness: Option<u32>,
}

/// Positions of one kind.
#[derive(Serialize, Clone, Debug)]
pub struct KindReport {
    /// Who is to move, or would be if the game were not over.
    pub mover: Option<String>,
    /// As in [`SolveReport`].
    pub outcome: &'static str,
    /// As in [`SolveReport`].
    pub winner: Option<String>,
    /// As in [`SolveReport`].
    pub value: Map<String, Json>,
    /// How many there are.
    pub positions: u64,
    /// The most plies that one of them takes.
    pub longest: Option<u32>,
    /// How many of them take 0 plies, 1 ply and so on.
    pub by_remoteness: Option<Vec<u64>>,
}

/// How sure a result is. What no checker accepted is not proved: it is computed.
#[derive(Serialize, Clone, Debug)]
pub struct ProofReport {
    /// `explicit`, `ground`, `parametric`, `observed`, `none`.
    pub tier: &'static str,
    /// For which parameters.
    pub scope: String,
    /// Whether the independent checker accepted it.
    pub checked: bool,
    /// Where the certificate was written.
    pub certificate: Option<String>,
}

/// What a report is made of.
pub struct Solved<'a> {
    /// The game.
    pub game: &'a Game,
    /// The file as given.
    pub file: &'a str,
    /// The position.
    pub state: &'a State,
    /// What the solver says.
    pub solution: &'a Solution,
    /// What became of a proof.
    pub proof: &'a Proof,
    /// Whether every move was asked for.
    pub all_moves: bool,
    /// How long solving took.
    pub time: Duration,
    /// How long compiling took.
    pub compile_time: Duration,
}

impl Solved<'_> {
    /// Whether the game is over.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.game.machine.turn(self.state), Ok(Turn::Over(_)))
    }
}

impl SolveReport {
    /// The report of a solution.
    pub fn new(solved: &Solved<'_>) -> SolveReport {
        let Solved { game, solution, .. } = solved;
        let rules = &game.rules;
        let known = solution.status == Status::Solved;
        // Where there are moves, no list is not the same as an empty one.
        let over = solved.is_over();
        let names = |made: &[Made]| {
            let told = known && (over || !made.is_empty());
            told.then(|| made.iter().map(|m| m.written.clone()).collect())
        };
        let value = solution.value.as_ref();
        let seconds = solved.time.as_secs_f64();
        SolveReport {
            schema: "bouton-solve/1",
            game: rules.name.clone(),
            file: solved.file.to_string(),
            params: numbers::params(rules),
            players: rules.players().to_vec(),
            mover: mover(game, solved.state),
            status: match solution.status {
                Status::Solved => "solved",
                Status::Bounded => "bounded",
                Status::Unknown => "unknown",
            },
            outcome: value.map(|v| outcome(v.kind)),
            winner: value.and_then(|v| winner(rules, v)),
            value: value.map(|v| numbers::payoffs(rules, &v.payoffs)),
            bounds: solution.bounds.map(|b| bounds(rules, b)),
            remoteness: solution.remoteness,
            margin: solution.margin.map(numbers::ratio),
            nimber: solution.nimber,
            moves: (solved.all_moves && (over || !solution.moves.is_empty()))
                .then(|| solution.moves.iter().map(|m| move_report(rules, m)).collect()),
            best_moves: names(&solution.best_moves),
            line: names(&solution.line),
            method: solution.method,
            why: solution.reason.as_ref().filter(|_| !known).unwrap_or(&solution.why).clone(),
            proof: ProofReport {
                tier: solved.proof.result.as_ref().map_or("none", |proved| proved.tier.name()),
                scope: solved.proof.scope(rules),
                checked: solved.proof.result.is_ok(),
                certificate: solved.proof.certificate.clone(),
            },
            positions: solution.positions,
            seconds,
            positions_per_second: super::rate(solution.positions, seconds),
            memory_bytes: solution.memory_bytes,
            compile_seconds: solved.compile_time.as_secs_f64(),
            tally: solution
                .tally
                .as_ref()
                .map(|tally| tally.kinds.iter().map(|kind| kind_report(rules, kind)).collect()),
        }
    }
}

fn kind_report(rules: &Rules, kind: &Kind) -> KindReport {
    let longest = kind.longest();
    KindReport {
        mover: kind.mover.and_then(|mover| rules.players().get(mover as usize).cloned()),
        outcome: outcome(kind.value.kind),
        winner: winner(rules, &kind.value),
        value: numbers::payoffs(rules, &kind.value.payoffs),
        positions: kind.positions,
        longest,
        by_remoteness: longest.map(|_| kind.by_remoteness.clone()),
    }
}

/// Who is to move.
fn mover(game: &Game, state: &State) -> Option<String> {
    match game.machine.turn(state) {
        Ok(Turn::Player(player)) => game.rules.players().get(player as usize).cloned(),
        _ => None,
    }
}

pub(super) fn outcome(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Win(_) => "win",
        ValueKind::Draw => "draw",
        ValueKind::Payoff => "payoff",
        ValueKind::Solved => "solved_in",
        ValueKind::Unsolvable => "unsolvable",
    }
}

pub(super) fn winner(rules: &Rules, value: &Value) -> Option<String> {
    match value.kind {
        ValueKind::Win(player) => rules.players().get(player as usize).cloned(),
        _ => None,
    }
}

fn bounds(rules: &Rules, bounds: Bounds) -> BoundsReport {
    BoundsReport {
        player: rules.players().first().cloned().unwrap_or_default(),
        low: bounds.low.map(numbers::ratio),
        high: bounds.high.map(numbers::ratio),
    }
}

fn move_report(rules: &Rules, value: &MoveValue) -> MoveReport {
    MoveReport {
        name: value.made.written.clone(),
        outcome: value.value.as_ref().map(|v| outcome(v.kind)),
        winner: value.value.as_ref().and_then(|v| winner(rules, v)),
        value: value.value.as_ref().map(|v| numbers::payoffs(rules, &v.payoffs)),
        remoteness: value.remoteness,
    }
}
