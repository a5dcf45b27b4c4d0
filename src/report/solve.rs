//! The result of `solve` as data: `bouton-solve/1`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::mixed;
use super::numbers;
use super::policy::{self, Policy};
use super::proof::Proof;
use bouton_base::rational::Rational;
use bouton_certificates::Lemma;
use bouton_rules::Rules;
use bouton_search::game::{Game, State, ToMove};
use bouton_search::solve::histogram::ValueGroup;
use bouton_search::solve::{Bounds, MoveValue, Solution, Status, Value, ValueKind, WrittenMove};

/// The object that `solve --json` prints; every key but the last is always present.
#[derive(Serialize, Clone, Debug)]
pub struct SolveReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The game's name.
    pub game: String,
    /// The file as given.
    pub file: String,
    /// The parameters by name.
    pub params: Map<String, Json>,
    /// The players in order.
    pub players: Vec<String>,
    /// The player to move; `None` if chance or all players move, or the game is over.
    pub mover: Option<String>,
    /// One of `solved`, `bounded`, `unknown`.
    pub status: &'static str,
    /// False if it is solved and the value is enclosed by the bounds; present only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// One of `win`, `draw`, `payoff`, `solved_in`, `unsolvable`.
    pub outcome: Option<&'static str>,
    /// The winner.
    pub winner: Option<String>,
    /// Each player's payoff.
    pub value: Option<Map<String, Json>>,
    /// The payoffs of an equilibrium that is told where there is no value; present only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<Map<String, Json>>,
    /// The bounds of the first player's payoff.
    pub bounds: Option<BoundsReport>,
    /// Plies to the end under best play.
    pub remoteness: Option<u32>,
    /// The expected plies to the end where chance acts; present only with `--distance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_plies: Option<Json>,
    /// The first player's score minus the second's.
    pub margin: Option<Json>,
    /// The Grundy value.
    pub nimber: Option<u32>,
    /// Every legal move, with `--all-moves`, if the method gives the values of moves.
    pub moves: Option<Vec<MoveReport>>,
    /// The moves that keep the value, soonest win or latest loss.
    pub best_moves: Option<Vec<String>>,
    /// True if no other move is as good; false if others may be.
    pub best_moves_complete: Option<bool>,
    /// A line of best play, or of play by the equilibrium that is told.
    pub line: Option<Vec<String>>,
    /// False if the line was cut short by a limit.
    pub line_complete: Option<bool>,
    /// The method that found the result.
    pub method: &'static str,
    /// The reason for the result, or for a missing value, in one sentence.
    pub why: String,
    /// A strategy that can be stated as a whole and gives the value, if one was soon found.
    pub strategy: Option<StrategyStatement>,
    /// Rules that give players a best move, where few suffice and no strategy is told; present only then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Policy>,
    /// The status of the proof.
    pub proof: ProofReport,
    /// The number of visited positions.
    pub positions: u64,
    /// The duration of solving.
    pub seconds: f64,
    /// Positions per second.
    pub positions_per_second: f64,
    /// The maximal number of bytes in use.
    pub memory_bytes: u64,
    /// The duration of compilation: lowering and machine code.
    pub compile_seconds: f64,
    /// The back end that ran the rules, and the reason if it is not the requested one.
    pub runs_on: String,
    /// All positions by the player to move and by value; present only with `--strong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tally: Option<Vec<KindReport>>,
    /// The mixed strategies, and the equilibria of simultaneous choices; present only if the method computes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed: Option<Json>,
}

/// The payoffs of the equilibrium that a solution without a value has.
pub(super) fn equilibrium(solution: &Solution) -> Option<&[Rational]> {
    let found = solution.strategy.iter().find_map(|lemma| match lemma {
        Lemma::Profile(lemma) => Some(&lemma.payoffs[..]),
        Lemma::Equilibrium(lemma) => Some(&lemma.payoffs[..]),
        _ => None,
    });
    found.filter(|_| solution.value.is_none())
}

/// A strategy that can be stated as a whole.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct StrategyStatement {
    /// The name of the method that finds such strategies.
    pub kind: &'static str,
    /// The strategy in a sentence, with the reason why it works.
    pub statement: String,
    /// True if it names the moves to play.
    #[serde(skip)]
    pub names_moves: bool,
}

/// The bounds of the first player's payoff.
#[derive(Serialize, Clone, Debug)]
pub struct BoundsReport {
    /// The name of the player.
    pub player: String,
    /// The lower bound.
    pub low: Option<Json>,
    /// The upper bound.
    pub high: Option<Json>,
}

/// The value of a move.
#[derive(Serialize, Clone, Debug)]
pub struct MoveReport {
    /// The move as written.
    #[serde(rename = "move")]
    pub name: String,
    /// As in [`SolveReport`].
    pub outcome: Option<&'static str>,
    /// As in [`SolveReport`].
    pub winner: Option<String>,
    /// As in [`SolveReport`].
    pub value: Option<Map<String, Json>>,
    /// The bounds of the first player's payoff, if the value is enclosed; present only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundsReport>,
    /// Plies to the end, including the move.
    pub remoteness: Option<u32>,
    /// The Grundy value of the position after the move; present only if the method gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nimber: Option<u32>,
}

impl MoveReport {
    /// The report of a move with its value.
    pub fn new(rules: &Rules, value: &MoveValue) -> MoveReport {
        MoveReport {
            name: value.made.written.clone(),
            outcome: value.value.as_ref().map(|v| outcome(v.kind)),
            winner: value.value.as_ref().and_then(|v| winner(rules, v)),
            value: value.value.as_ref().map(|v| numbers::payoffs(rules, &v.payoffs)),
            bounds: value.bounds.as_ref().map(|of| bounds(rules, of)),
            remoteness: value.remoteness,
            nimber: value.nimber,
        }
    }
}

/// The positions with one player to move and one value.
#[derive(Serialize, Clone, Debug)]
pub struct KindReport {
    /// The player to move, or the one who would move if the game were not over.
    pub mover: Option<String>,
    /// As in [`SolveReport`].
    pub outcome: &'static str,
    /// As in [`SolveReport`].
    pub winner: Option<String>,
    /// As in [`SolveReport`].
    pub value: Map<String, Json>,
    /// The number of positions.
    pub positions: u64,
    /// The maximal number of plies to the end.
    pub longest: Option<u32>,
    /// The number of positions with 0 plies to the end, with 1 ply and so on.
    pub by_remoteness: Option<Vec<u64>>,
}

/// The status of a result. A result that no checker accepted is not proved: it is computed.
#[derive(Serialize, Clone, Debug)]
pub struct ProofReport {
    /// One of `explicit`, `ground`, `parametric`, `observed`, `none`.
    pub tier: &'static str,
    /// The parameter values that it covers.
    pub scope: String,
    /// True if the independent checker accepted it.
    pub checked: bool,
    /// The path of the certificate, if it was written.
    pub certificate: Option<String>,
}

/// A solution with all that its report needs.
pub struct SolvedPosition<'a> {
    pub game: &'a Game,
    /// The file as given.
    pub file: &'a str,
    pub state: &'a State,
    /// The result of the solver.
    pub solution: &'a Solution,
    /// A strategy in words that gives the value, if one is known.
    pub strategy: Option<StrategyStatement>,
    /// The outcome of the proof.
    pub proof: &'a Proof,
    /// True if every move was requested.
    pub all_moves: bool,
    /// The duration of solving.
    pub time: Duration,
    /// The duration of compiling.
    pub compile_time: Duration,
    /// The back end that ran the rules, in a sentence.
    pub runs_on: String,
}

impl SolvedPosition<'_> {
    /// Returns true if the game is over.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.game.machine.turn(self.state), Ok(ToMove::Terminal(_)))
    }

    /// Returns rules that give the players best moves, if the values of all positions are known and no strategy names moves.
    pub(super) fn policies(&self) -> Vec<Policy> {
        let is_told = self.strategy.as_ref().is_some_and(|strategy| strategy.names_moves);
        let is_solved = self.solution.status == Status::Solved && !is_told;
        let table = self.solution.table.as_ref().filter(|_| is_solved);
        table.map_or_else(Vec::new, |table| policy::policies(self.game, self.state, table))
    }
}

impl SolveReport {
    /// The report of a solution.
    pub fn new(solved: &SolvedPosition<'_>) -> SolveReport {
        let SolvedPosition { game, solution, .. } = solved;
        let rules = &game.rules;
        let known = solution.is_answered();
        // If the game is not over, an empty list of moves means that they are unknown, so there is no list.
        let over = solved.is_over();
        let names = |known: bool, made: &[WrittenMove]| {
            let told = known && (over || !made.is_empty());
            told.then(|| made.iter().map(|m| m.written.clone()).collect())
        };
        let value = solution.value.as_ref();
        let equilibrium = equilibrium(solution);
        let best_moves = names(known, &solution.best_moves);
        let line = names(known || equilibrium.is_some(), &solution.line);
        let seconds = solved.time.as_secs_f64();
        SolveReport {
            schema: "bouton-solve/1",
            game: rules.name.clone(),
            file: solved.file.to_string(),
            params: numbers::params(rules),
            players: rules.players().to_vec(),
            mover: mover(game, solved.state),
            status: match solution.status {
                Status::Solved | Status::Enclosed => "solved",
                Status::Bounded => "bounded",
                Status::Unknown => "unknown",
            },
            exact: (solution.status == Status::Enclosed).then_some(false),
            outcome: value.map(|v| outcome(v.kind)),
            winner: value.and_then(|v| winner(rules, v)),
            value: value.map(|v| numbers::payoffs(rules, &v.payoffs)),
            equilibrium: equilibrium.map(|payoffs| numbers::payoffs(rules, payoffs)),
            bounds: solution.bounds.as_ref().map(|b| bounds(rules, b)),
            remoteness: solution.remoteness,
            expected_plies: solution.expected_length.as_ref().map(numbers::ratio),
            margin: solution.margin.as_ref().map(numbers::ratio),
            nimber: solution.nimber,
            moves: (solved.all_moves && (over || !solution.moves.is_empty()))
                .then(|| solution.moves.iter().map(|m| MoveReport::new(rules, m)).collect()),
            best_moves_complete: best_moves.as_ref().map(|_| over || solution.best_moves_complete),
            best_moves,
            line_complete: line.as_ref().map(|_| over || solution.line_complete),
            line,
            method: solution.method,
            why: solution.reason.as_ref().filter(|_| !known).unwrap_or(&solution.why).clone(),
            strategy: solved.strategy.clone(),
            policies: solved.policies(),
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
            runs_on: solved.runs_on.clone(),
            tally: solution
                .tally
                .as_ref()
                .map(|tally| tally.groups.iter().map(|kind| kind_report(rules, kind)).collect()),
            mixed: mixed::data(game, solution),
        }
    }
}

fn kind_report(rules: &Rules, kind: &ValueGroup) -> KindReport {
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

/// The name of the player to move.
fn mover(game: &Game, state: &State) -> Option<String> {
    match game.machine.turn(state) {
        Ok(ToMove::Player(player)) => game.rules.players().get(player as usize).cloned(),
        _ => None,
    }
}

/// The name of the kind of a value.
pub fn outcome(kind: ValueKind) -> &'static str {
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

/// The bounds of the first player's payoff, for reports.
pub(super) fn bounds(rules: &Rules, bounds: &Bounds) -> BoundsReport {
    BoundsReport {
        player: rules.players().first().cloned().unwrap_or_default(),
        low: bounds.low.as_ref().map(numbers::ratio),
        high: bounds.high.as_ref().map(numbers::ratio),
    }
}
